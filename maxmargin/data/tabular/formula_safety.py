"""Check that a formula, which may come from a proof file of somebody else, only computes, and briefly.

formulaic evaluates the Python in a formula, some of it while reading, so a formula is checked as text before that.
"""

import ast
import re
from collections.abc import Container, Iterator, Sequence
from keyword import iskeyword
from typing import Any

from maxmargin.solvers.answers.answer_text import counted
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.text.data_error import quoted

_TRANSFORMS = frozenset({"bs", "cc", "center", "cr", "cs", "poly", "scale", "standardize"})
"""Functions of a variable and of numbers, such as degrees of freedom."""

_CONTRASTS = frozenset({"C", "Diff", "Helmert", "Poly", "Sum", "Treatment"})
"""Functions that code levels."""

_N_ARGUMENTS = {"I": 1, "Q": 1, "exp": 1, "exp2": 1, "log": 1, "log10": 1, "log2": 1}
"""Functions that take this number of arguments, and no keywords."""

_N_ARGUMENTS_OF_NUMPY = {
    **dict.fromkeys(("abs", "cbrt", "ceil", "cos", "exp", "expm1", "floor", "log", "log10", "log1p", "log2"), 1),
    **dict.fromkeys(("sign", "sin", "sqrt", "square", "tan", "tanh"), 1),
    **dict.fromkeys(("maximum", "minimum", "round"), 2),
}
"""Largest number of arguments of members of ``np``: one more would be an array into which the result is written."""

_CONTRASTS_OF_REGISTRY = frozenset({"SAS", "diff", "helmert", "poly", "sum", "treatment"})

_SPLINES = ("bs", "cc", "cr", "cs")

_FUNCTIONS = sorted({*_TRANSFORMS, *_CONTRASTS, *_N_ARGUMENTS}.difference(_SPLINES))

_EXPECTED = (
    f"arithmetic, comparisons, splines ({', '.join(_SPLINES)}), calls of {', '.join(_FUNCTIONS)}, "
    f"and of these members of np: {', '.join(sorted(_N_ARGUMENTS_OF_NUMPY))}"
)

MODULES = frozenset({"np", "contr"})
"""Names with members that a formula may call."""

_OPERATORS = (
    ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow, ast.BitAnd, ast.BitOr, ast.BitXor
)  # fmt: skip

_PARTS = (ast.Load, ast.keyword, ast.operator, ast.unaryop, ast.cmpop)
"""Parts of the syntax that are judged with what they belong to."""

_SYNTAX = (
    ast.Expression, ast.Call, ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Compare, ast.List, ast.Tuple, *_PARTS
)  # fmt: skip
"""Syntax that is allowed in the Python of a formula. ``and`` and ``or`` have no meaning for columns."""

_ANY_SIZE = frozenset({"knots", "lower_bound", "upper_bound"})
"""Arguments of transforms that are values of the variable."""

_MOST_IN_CALLS = 100
"""Largest whole number among the arguments of a transform, such as its degrees of freedom."""

_MOST_POWERS = 1000
"""Largest product of the exponents of one expression."""

_MOST_CHARACTERS = 10_000
"""Largest length of a formula."""

_MOST_TERMS = 100_000
"""Largest number of products of terms to which a formula may be expanded."""

_QUOTED_NAME = re.compile("`[^`]*`")

_PLACEHOLDER = "_quoted_"
"""In place of a quoted name, which is no Python."""

_RESERVED = ("_formulaic_", _PLACEHOLDER, "\\")
"""Parts of expressions with a meaning of their own for formulaic, or here."""


def check_formula(formula: str, columns: Sequence[str]) -> None:
    """Refuse a formula that may do anything but compute, or compute without end.

    Raises
    ------
    InvalidProblemError
        If it may.
    formulaic.errors.FormulaicError
        If it is no formula.
    """
    from formulaic.parser import DefaultFormulaParser
    from formulaic.parser.algos.tokenize import tokenize
    from formulaic.parser.types import Token

    if len(formula) > _MOST_CHARACTERS:
        raise refused(formula, f"it has {len(formula):,} characters; expected {_MOST_CHARACTERS:,} at most")
    tokens = list(tokenize(formula))
    for token in tokens:
        for why in _complaints(token.token, columns) if token.kind is Token.Kind.PYTHON else ():
            raise refused(formula, why)
    texts = [f"`{token.token}`" if token.kind is Token.Kind.NAME else token.token for token in tokens]
    start = next((place for place, text in enumerate(texts) if text.startswith("~")), len(texts))
    if "`1`" in texts[start:] or ("." in texts and "1" in columns and "`1`" not in texts):
        raise refused(formula, "the column '1' has the name of the intercept; rename the column")
    if _n_terms(DefaultFormulaParser().get_ast(formula), len(columns)) > _MOST_TERMS:
        raise refused(formula, f"it has more than {_MOST_TERMS:,} products of terms; expected fewer")


def syntax_of(expression: str) -> ast.Expression:
    """Return the syntax of Python in a formula, with a placeholder for names in backticks.

    Raises
    ------
    SyntaxError
        If it is no Python.
    """
    try:
        return ast.parse(_QUOTED_NAME.sub(_PLACEHOLDER, expression).strip(), mode="eval")
    except (MemoryError, RecursionError, ValueError) as error:
        raise SyntaxError("it is too deep to be read") from error


def names_in(expression: str) -> set[str]:
    """Return the names of columns in the Python of a formula."""
    nodes = list(ast.walk(syntax_of(expression)))
    no_columns = {id(part) for node in nodes if isinstance(node, ast.Call) for part in _functions_in(node)}
    found = (node.id for node in nodes if isinstance(node, ast.Name) and id(node) not in no_columns)
    plain = {name for name in found if name not in MODULES and name != _PLACEHOLDER}
    return plain | {name.strip("`") for name in _QUOTED_NAME.findall(expression)} | _names_in_calls_of_q(nodes)


def refused(formula: str, why: str) -> InvalidProblemError:
    """Return the error that names a formula and what is wrong with it."""
    return InvalidProblemError(f"y is the formula {quoted(formula)}: {why}")


def _functions_in(call: ast.Call) -> Iterator[ast.AST]:
    """Yield what is called, and contrasts that are named without a call, as in ``C(stage, Sum)``."""
    yield call.func
    if _name_of(call.func) == "C":
        yield from (argument for argument in call.args[1:] if _name_of(argument) in _CONTRASTS)


def _names_in_calls_of_q(nodes: Sequence[ast.AST]) -> set[str]:
    calls = (node for node in nodes if isinstance(node, ast.Call) and _name_of(node.func) == "Q")
    arguments = (argument for call in calls for argument in call.args)
    return {str(argument.value) for argument in arguments if isinstance(argument, ast.Constant)}


def _complaints(expression: str, columns: Sequence[str]) -> Iterator[str]:
    """Yield what is not allowed in the Python of a formula."""
    names = "".join(_QUOTED_NAME.findall(expression))
    for part in (*_RESERVED, *(mark for mark in "'\"" if mark in names)):
        if part in expression:
            yield f"{quoted(expression)} holds {part}, which cannot be read inside a call; rename the column"
    for name in (text.strip("`") for text in _QUOTED_NAME.findall(expression)):
        if not name or iskeyword(name):
            yield f"the column {quoted(name)} cannot be named inside a call; rename the column"
    nodes = list(ast.walk(syntax_of(expression)))
    may_be_text = {id(child) for node in nodes for child in _that_may_be_text(node)}
    for node in nodes:
        text = "" if isinstance(node, _PARTS) else quoted(ast.unparse(node))
        if not (isinstance(node, _SYNTAX) or _is_known(_name_of(node))) or not _is_allowed_here(node, may_be_text):
            yield f"it uses {text}; expected {_EXPECTED}"
        elif isinstance(node, ast.Call):
            if not _is_known(_name_of(node.func)):
                yield f"it calls {text}, an unknown function; expected {_EXPECTED}"
            if expected := _arguments_to_expect(node):
                yield f"it calls {text}; expected {_name_of(node.func)} {expected}"
            name = _name_of(node.func).partition(".")[0]
            if name in columns:
                yield f"the column {quoted(name)} has the name of {name}, which it calls; rename the column"
    if _powers(nodes) > _MOST_POWERS:
        yield f"its exponents are too large; expected constants whose product is {_MOST_POWERS:,} at most"


def _is_allowed_here(node: ast.AST, may_be_text: Container[int]) -> bool:
    """Return whether a node is an operation on numbers, a real number, or text in a place for text."""
    if isinstance(node, ast.BinOp):
        return isinstance(node.op, _OPERATORS)
    if isinstance(node, ast.List | ast.Tuple):
        return id(node) in may_be_text
    if isinstance(node, ast.Constant):
        is_text = isinstance(node.value, str)
        return id(node) in may_be_text if is_text else isinstance(node.value, int | float | None)
    return True


def _name_of(node: ast.AST) -> str:
    """Return the name of what is called, such as ``np.log``."""
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return f"{node.value.id}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def _is_known(name: str) -> bool:
    module, _, member = name.partition(".")
    if member:
        return member in {"np": _N_ARGUMENTS_OF_NUMPY, "contr": _CONTRASTS_OF_REGISTRY}.get(module, ())
    return name in _TRANSFORMS or name in _CONTRASTS or name in _N_ARGUMENTS


def _arguments_to_expect(call: ast.Call) -> str:
    """Return with which arguments a function is called, if the call has others."""
    name, words = _name_of(call.func), [keyword.arg for keyword in call.keywords]
    if name in _TRANSFORMS:
        options = [*call.args[1:], *(keyword.value for keyword in call.keywords if keyword.arg not in _ANY_SIZE)]
        is_right = all(map(_is_small, options)) and None not in words
        return "" if is_right else f"with one variable and constants that are {_MOST_IN_CALLS} at most"
    if name == "Q":
        is_right = len(call.args) == 1 and isinstance(call.args[0], ast.Constant) and not words
        return "" if is_right else "with the name of a column in quotes"
    most = _N_ARGUMENTS.get(name, _N_ARGUMENTS_OF_NUMPY.get(name.removeprefix("np.")))
    if most is None:
        return "with options by name" if None in words else ""
    return "" if len(call.args) <= most and not words else f"with {counted(most, 'argument')}"


def _is_small(node: ast.AST) -> bool:
    """Return whether an argument of a transform is a word, a small number, or a list of numbers."""
    parts = list(ast.walk(node))
    if any(isinstance(part, ast.Call | ast.Name | ast.BinOp) for part in parts):
        return False
    numbers = (part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, int | float))
    return isinstance(node, ast.List | ast.Tuple) or all(number <= _MOST_IN_CALLS for number in numbers)


def _that_may_be_text(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of a node that may be text or a list: elsewhere a product would repeat it."""
    if isinstance(node, ast.Compare):
        yield from (part for part in (node.left, *node.comparators) if isinstance(part, ast.Constant))
    elif isinstance(node, ast.List | ast.Tuple):
        yield from node.elts
    elif isinstance(node, ast.keyword):
        yield node.value
    elif isinstance(node, ast.Call):
        name = _name_of(node.func)
        if name == "Q" or (name in _CONTRASTS and name != "C") or name.startswith("contr."):
            yield from node.args
        elif name in _TRANSFORMS:
            yield from node.args[1:]


def _powers(nodes: Sequence[ast.AST]) -> float:
    """Return the product of the exponents; infinity if one is neither a constant nor an expression with a column."""
    product = 1.0
    for node in nodes:
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
            parts = list(ast.walk(node.right))
            called = {id(part.func) for part in parts if isinstance(part, ast.Call)}
            if any(isinstance(part, ast.Name) and id(part) not in called for part in parts):
                continue  # an array, whose powers have a fixed size
            exponent = node.right.operand if isinstance(node.right, ast.UnaryOp) else node.right
            value = exponent.value if isinstance(exponent, ast.Constant) else None
            product *= max(1.0, value) if isinstance(value, int | float) and value <= _MOST_POWERS else float("inf")
    return product


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
