"""Boolean functions written as formulas."""

from dataclasses import dataclass, field
from itertools import accumulate
from operator import and_, or_, xor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.generators.family import cut
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.teaching.cube import Encoding, cube, decoded, encoded
from maxmargin.teaching.parser import AND, NOT, OR, XOR, parse

Truth = NDArray[np.bool_]

_BINARY = {AND: and_, OR: or_, XOR: xor}

_MOST_VALUES = 2**30
"""Largest number of truth values (bytes) that wait for an operator at one time while a truth table is computed."""


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
        program = parse(text)
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
            For more than 16 variables, or operands that are nested so deep that they take more than 1 GiB.

        Examples
        --------
        >>> X, y = Formula.parse("x1 & x2").truth_table("bits")
        >>> X.tolist(), y.tolist()
        ([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, -1, 1])
        """
        X = cube(self.n_variables, encoding=encoding)
        depth, most = _depth(self.program), _MOST_VALUES // len(X)
        if depth > most:
            raise InvalidOptionError(f"formula: found {depth} nested operands, expected at most {most}")
        return X, self(X, encoding=encoding)

    def _evaluate(self, truth: Truth) -> Truth:
        stack: list[Truth] = []
        for symbol in self.program:
            if symbol == NOT:
                stack.append(~stack.pop())
            elif symbol in _BINARY:
                right = stack.pop()
                stack.append(_BINARY[symbol](stack.pop(), right))
            else:
                stack.append(_operand(symbol, truth))
        return stack.pop()


def _depth(program: tuple[str, ...]) -> int:
    """Return the largest number of operands that wait for an operator."""
    return max(accumulate(-1 if symbol in _BINARY else int(symbol != NOT) for symbol in program))


def _operand(symbol: str, truth: Truth) -> Truth:
    if symbol.startswith("x"):
        return truth[..., int(symbol[1:]) - 1]
    return np.full(truth.shape[:-1], symbol == "1")
