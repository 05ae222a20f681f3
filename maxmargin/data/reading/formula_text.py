"""The text of a formula, before formulaic evaluates it: whether it is plain, how large it is, the columns it names.

formulaic evaluates the Python in a formula, which is right for a formula that its reader wrote, and for no other.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from typing import Any

from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.text.data_error import quoted

# A call that codes one column.
_CODED = re.compile(r"(?<![\w.])C\(\s*(?:\w+|`[\w .-]+`)\s*\)")

# A name in backticks, which is looked up; a backslash in one may hide its end.
_PLAIN_NAME = re.compile(r"`[^`\\]*`")

# What a plain formula consists of, once its calls of C and its names in backticks are left out.
_PLAIN = re.compile(r"[\w\s.+:*~()-]*")

# A call, or a power of terms.
_NOT_PLAIN = re.compile(r"[\w.)]\s*\(|\*\s*\*")

# Largest length of a plain formula.
_MOST_CHARACTERS = 10_000

# Largest number of products of terms to which a formula may be expanded.
_MOST_TERMS = 100_000

_QUOTED_NAME = re.compile("`([^`]*)`")

# In place of a quoted name, which is no Python.
_PLACEHOLDER = "_quoted_"

# Functions of formulaic that do not compute what they are called for: its ``exp10(x)`` is x to the power of 10.
_MISLEADING = frozenset({"exp10"})


def is_plain(formula: str) -> bool:
    """Return whether a formula has no Python: only names, numbers, ``+ - : * . ~``, parentheses and ``C(name)``."""
    if len(formula) > _MOST_CHARACTERS:
        return False
    bare = _PLAIN_NAME.sub("x", _CODED.sub("C", formula))
    return _PLAIN.fullmatch(bare) is not None and not _NOT_PLAIN.search(bare)


def check_formula(formula: str, columns: Sequence[str]) -> None:
    """Refuse a formula that means something else than it says, or too many terms.

    Raises
    ------
    InvalidProblemError
        If it does.
    formulaic.errors.FormulaicError
        If it is no formula.
    """
    from formulaic.parser import DefaultFormulaParser
    from formulaic.parser.algos.tokenize import tokenize
    from formulaic.parser.types import Token

    texts = [f"`{token.token}`" if token.kind is Token.Kind.NAME else token.token for token in tokenize(formula)]
    start = next((place for place, text in enumerate(texts) if text.startswith("~")), len(texts))
    if "`1`" in texts[start:] or ("." in texts and "1" in columns and "`1`" not in texts):
        raise refused(formula, "the column '1' has the name of the intercept; rename the column")
    if _n_terms(DefaultFormulaParser().get_ast(formula), len(columns)) > _MOST_TERMS:
        raise refused(formula, f"it has more than {_MOST_TERMS:,} products of terms; expected fewer")


def functions_of_formulas() -> set[str]:
    """Return the names of the functions and of the modules that a formula may name."""
    from formulaic.transforms import TRANSFORMS

    return {*TRANSFORMS} - _MISLEADING


def names_in(expression: str) -> set[str]:
    """Return the names in the Python of a formula that are columns, or ought to be, such as unknown functions.

    Raises
    ------
    SyntaxError
        If it is no Python.
    """
    nodes = list(ast.walk(ast.parse(_QUOTED_NAME.sub(_PLACEHOLDER, expression).strip(), mode="eval")))
    known = functions_of_formulas()
    names, in_q = set[str](), set[str]()
    functions = {id(part) for node in nodes if isinstance(node, ast.Call) for part in _functions_in(node)}
    for node in nodes:
        if isinstance(node, ast.Name) and not (id(node) in functions and node.id in known):
            names.add(node.id)
        elif isinstance(node, ast.Call) and getattr(node.func, "id", "") == "Q":
            in_q.update(str(part.value) for part in node.args if isinstance(part, ast.Constant))
    return (names - {_PLACEHOLDER}) | in_q | set(_QUOTED_NAME.findall(expression))


def _functions_in(call: ast.Call) -> Iterator[ast.AST]:
    """Yield what is called, the module it is in, and contrasts named without a call, as in ``C(stage, Sum)``."""
    is_coding = getattr(call.func, "id", "") == "C"
    for part in (call.func, *(call.args[1:] if is_coding else ()), *(keyword.value for keyword in call.keywords)):
        yield part
        yield getattr(part, "value", part)


def refused(formula: str, why: str) -> InvalidProblemError:
    """Return the error that names a formula and what is wrong with it."""
    return InvalidProblemError(f"y is the formula {quoted(formula)}: {why}")


def _n_terms(tree: Any, n_columns: int) -> float:
    """Return how many products of terms formulaic forms at most, without forming them."""
    nodes: list[Any] = [tree]
    counts: dict[int, float] = {}
    for node in nodes:
        nodes.extend(getattr(node, "args", ()))
    for node in reversed(nodes):
        symbol = getattr(getattr(node, "operator", None), "symbol", "")
        parts = [counts[id(part)] for part in getattr(node, "args", ())]
        if symbol in ("**", "^"):
            exponent = str(node.args[1])
            is_small = exponent.isdecimal() and len(exponent) < 3
            counts[id(node)] = float(max(parts[0], 2)) ** int(exponent) if is_small else float("inf")
        elif symbol in ("*", "/", ":", "in", "%in%") and len(parts) == 2:
            counts[id(node)] = parts[0] + parts[1] + parts[0] * parts[1]
        else:
            counts[id(node)] = sum(parts) if parts else float(n_columns if symbol == "." else 1)
        counts[id(node)] = min(counts[id(node)], 2.0 * _MOST_TERMS)
    return counts[id(tree)]
