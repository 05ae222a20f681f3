"""Boolean functions written as formulas: their text, their values, and their truth tables as data sets.

Formulas are parsed into postfix notation by Dijkstra's shunting-yard algorithm. It needs no recursion, so the length
and the depth of a formula are limited by memory only. Python's own `ast` refuses more than 200 nested parentheses, and
a sum of a few thousand terms with a RecursionError or a MemoryError.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from operator import and_, or_, xor
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.api.deciding import separability
from maxmargin.api.margin_verbs import hard_margin
from maxmargin.data.generators import Truth as KnownTruth
from maxmargin.solvers.basics.array_types import Floats, Mask
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.teaching.cube import Encoding, cube, decoded, encoded
from maxmargin.text.data_error import cut, quoted

NOT, AND, XOR, OR = "~", "&", "^", "|"

_SPELLINGS = {"~": NOT, "!": NOT, "not": NOT, "&": AND, "and": AND, "^": XOR, "xor": XOR, "|": OR, "or": OR}

# The order of these operators in Python and C.
_PRECEDENCE = {NOT: 4, AND: 3, XOR: 2, OR: 1}

_TOKEN = re.compile(r"[A-Za-z0-9_]+|\S")
_OPERAND = re.compile(r"[01]|x[1-9][0-9]{0,5}")
_NUMBERED = re.compile(r"x[1-9][0-9]*")

# Encodings that the name of a truth table may state; the first is the default.
_ENCODINGS = ("signs", "bits")

_BINARY = {AND: and_, OR: or_, XOR: xor}


@dataclass(frozen=True, slots=True, kw_only=True)
class Formula:
    """A Boolean function of x1, ..., xn, made by `Formula.parse`.

    Attributes
    ----------
    text : str
    n_variables : int
    program : tuple of str
        The formula in postfix notation.

    Examples
    --------
    >>> from maxmargin import hard_margin
    >>> formula = Formula.parse("(x1 | x4) & ~x3")
    >>> hard_margin(*formula.truth_table(), exact=True).margin_squared
    Fraction(1, 6)
    """

    text: str
    n_variables: int
    program: tuple[str, ...] = field(repr=False)

    @classmethod
    def parse(cls, text: str, *, n_variables: int | None = None) -> "Formula":
        """Read a formula; no code in the text is ever run.

        Parameters
        ----------
        text : str
            Variables ``x1``, ``x2``, ..., constants ``0`` and ``1``, parentheses, and the operators ``~ ! not``,
            ``& and``, ``^ xor``, ``| or``, from the highest precedence to the lowest.
        n_variables : int, optional
            By default the greatest number of a variable in the text.

        Raises
        ------
        InvalidOptionError
            If the text is no formula: its position, what was found and what was expected; or it has more variables.
        """
        program = postfix(text)
        greatest = max((int(symbol[1:]) for symbol in program if symbol.startswith("x")), default=0)
        if n_variables is not None and n_variables < greatest:
            raise InvalidOptionError(f"found the variable x{greatest}, expected at most n_variables = {n_variables}")
        return cls(text=text, n_variables=greatest if n_variables is None else n_variables, program=program)

    def __call__(self, X: Any, *, encoding: Encoding = "signs") -> NDArray[np.int64]:
        """Return the labels, +1 where the formula is true and -1 where it is false.

        Parameters
        ----------
        X : array_like (..., n_variables)
        encoding : {"signs", "bits"}
            X has the numbers -1 and +1, or 0 and 1.

        Raises
        ------
        InvalidProblemError
            If X has another number of columns, or other numbers.

        Examples
        --------
        >>> Formula.parse("x1 ^ x2")([[0, 1], [1, 1]], encoding="bits").tolist()
        [1, -1]
        """
        truth = decoded(X, encoding)
        if truth.shape[-1:] != (self.n_variables,):
            expected = f"(..., {self.n_variables}), the variables of {cut(self.text)}"
            raise InvalidProblemError(f"X has shape {truth.shape}; expected {expected}")
        return encoded(self._evaluate(truth))

    def truth_table(self, encoding: Encoding = "signs") -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return ``(X, y)``: all rows of the cube, as `cube` orders them, and the labels -1 and +1.

        Raises
        ------
        InvalidOptionError
            For more than 16 variables.

        Examples
        --------
        >>> X, y = Formula.parse("x1 & x2").truth_table("bits")
        >>> X.tolist(), y.tolist()
        ([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1])
        """
        X = cube(self.n_variables, encoding=encoding)
        return X, self(X, encoding=encoding)

    def _evaluate(self, truth: Mask) -> Mask:
        stack: list[Mask] = []
        for symbol in self.program:
            if symbol == NOT:
                stack.append(~stack.pop())
            elif symbol in _BINARY:
                right = stack.pop()
                stack.append(_BINARY[symbol](stack.pop(), right))
            elif symbol.startswith("x"):
                stack.append(truth[..., int(symbol[1:]) - 1])
            else:
                stack.append(np.full(truth.shape[:-1], symbol == "1"))
        return stack.pop()


def truth_table(text: str) -> tuple[Floats, NDArray[np.int64], Callable[[], KnownTruth]]:
    """Return X and y of the truth table of a formula, and a function that decides the truth about it.

    That function raises an InvalidProblemError if the formula is always true, or never.

    Parameters
    ----------
    text : str
        ``FORMULA``, ``FORMULA:bits`` or ``FORMULA:encoding=bits``: -1 and +1 stand for false and true, or 0 and 1.

    Raises
    ------
    InvalidOptionError
        If the text is no formula, with the position in it, has no variable or more than 16; or the encoding is unknown.

    Examples
    --------
    >>> X, y, decide = truth_table("x1 & ~x2:bits")
    >>> X.tolist(), y.tolist()
    ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [-1, -1, 1, -1])
    >>> truth = decide()
    >>> truth.verdict, truth.margin_squared, truth.verdict_through_origin
    ('separable', Fraction(1, 8), 'quasi-separable')
    """
    text, colon, option = text.partition(":")
    encoding = option.removeprefix("encoding=") if colon else _ENCODINGS[0]
    if encoding not in _ENCODINGS:
        raise InvalidOptionError(f"found the encoding {quoted(encoding)}, expected one of {', '.join(_ENCODINGS)}")
    formula = Formula.parse(text)
    if not formula.n_variables:
        raise InvalidOptionError("formula: found no variable, expected x1, x2, ...")
    bits, y = formula.truth_table("bits" if encoding == "bits" else "signs")
    X = bits.astype(np.float64)
    return X, y, partial(_truth, X, y)


def _truth(X: Floats, y: NDArray[np.int64]) -> KnownTruth:
    """Return verdicts and margins, decided in exact arithmetic."""
    through_origin = {f"{name}_through_origin": value for name, value in _answers(X, y, bias=False).items()}
    return KnownTruth(**_answers(X, y, bias=True), **through_origin, why="decided in exact arithmetic")


def _answers(X: Floats, y: NDArray[np.int64], *, bias: bool) -> dict[str, Any]:
    answer = separability(X, y, bias=bias)
    margin = hard_margin(X, y, bias=bias, exact=True) if answer.strictly_separable else None
    touching = answer.touching_rows
    return {
        "verdict": answer.verdict.value,
        "margin_squared": Fraction(0) if margin is None else margin.margin_squared,
        "touching_rows": None if touching is None else tuple(touching.tolist()),
    }


class _Token(NamedTuple):
    """A word of the text, its standard spelling, and the position of its first character, from 1; the end is empty."""

    text: str
    symbol: str
    position: int


def postfix(text: str) -> tuple[str, ...]:
    """Return the formula in postfix notation: variables, "0", "1", and the operators "~", "&", "^", "|".

    ``~`` has the highest precedence, then ``&``, ``^`` and ``|``; binary operators are left-associative.

    Raises
    ------
    InvalidOptionError
        If the text is no formula: the text found, its position, and what was expected.

    Examples
    --------
    >>> postfix("(x1 or x4) and not x3")
    ('x1', 'x4', '|', 'x3', '~', '&')
    """
    yard = _Yard()
    expects_operand = True
    for token in _tokens(text):
        expects_operand = yard.take_operand(token) if expects_operand else yard.take_operator(token)
    return tuple(yard.program)


class _Yard:
    """The program so far, and the stack of operators and open parentheses."""

    def __init__(self) -> None:
        self.program: list[str] = []
        self.stack: list[_Token] = []

    def take_operand(self, token: _Token) -> bool:
        """Take a token where an operand begins; return whether the operand is still to come."""
        if token.symbol in (NOT, "("):
            self.stack.append(token)
            return True
        if _OPERAND.fullmatch(token.symbol) is None:
            if _NUMBERED.fullmatch(token.symbol):
                raise _error(token, "a variable with a number up to 999999")
            raise _error(token, "a variable x1, x2, ..., x999999, a constant 0 or 1, ~ or (")
        self.program.append(token.symbol)
        return False

    def take_operator(self, token: _Token) -> bool:
        """Take a token after an operand; return whether another operand follows."""
        if token.symbol in (")", ""):
            self._apply(0)
            if bool(self.stack) is not bool(token.symbol):
                raise self._unexpected(token)
            del self.stack[-1:]
            return False
        if token.symbol not in (AND, XOR, OR):
            raise self._unexpected(token)
        self._apply(_PRECEDENCE[token.symbol])
        self.stack.append(token)
        return True

    def _apply(self, precedence: int) -> None:
        """Move the operators of at least this precedence to the program, back to the last open parenthesis."""
        while self.stack and _PRECEDENCE.get(self.stack[-1].symbol, -1) >= precedence:
            self.program.append(self.stack.pop().symbol)

    def _unexpected(self, token: _Token) -> InvalidOptionError:
        positions = [token.position for token in self.stack if token.symbol == "("]
        end = f") for the ( at character {positions[-1]}" if positions else "the end"
        return _error(token, f"an operator &, ^, | or {end}")


def _tokens(text: str) -> Iterator[_Token]:
    for match in _TOKEN.finditer(text):
        yield _Token(match[0], _SPELLINGS.get(match[0].lower(), match[0]), match.start() + 1)
    yield _Token("", "", len(text) + 1)


def _error(token: _Token, expected: str) -> InvalidOptionError:
    found = quoted(token.text) if token.text else "the end"
    return InvalidOptionError(f"formula, character {token.position}: found {found}, expected {expected}")
