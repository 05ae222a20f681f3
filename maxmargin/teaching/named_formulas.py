"""Truth tables of formulas as data: ``formula:(x1 | x4) & ~x3`` is a name that every command takes."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.api.deciding import separability
from maxmargin.api.margin_verbs import hard_margin
from maxmargin.data.generators import Truth
from maxmargin.data.generators.family import cut
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.teaching.formula import Formula

_ENCODINGS = ("signs", "bits")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TruthTable:
    """The truth table of a formula as a data set.

    Attributes
    ----------
    X : ndarray (2**n, n) of float64
    y : ndarray (2**n,) of int, -1 and +1
    """

    X: NDArray[np.float64]
    y: NDArray[np.int64]

    @property
    def truth(self) -> Truth:
        """Verdicts and margins, decided in exact arithmetic.

        Raises
        ------
        InvalidProblemError
            If the formula is always true, or never.
        """
        through_origin = {f"{name}_through_origin": value for name, value in self._answers(bias=False).items()}
        return Truth(**self._answers(bias=True), **through_origin, why="decided in exact arithmetic")

    def _answers(self, *, bias: bool) -> dict[str, Any]:
        answer = separability(self.X, self.y, bias=bias)
        margin = hard_margin(self.X, self.y, bias=bias, exact=True) if answer.strictly_separable else None
        touching = answer.touching_rows
        return {
            "verdict": answer.verdict.value,
            "margin_squared": Fraction(0) if margin is None else margin.margin_squared,
            "touching_rows": None if touching is None else tuple(touching.tolist()),
        }


def truth_table(text: str) -> TruthTable:
    """Return the truth table of a formula, which may name its encoding.

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
    >>> table = truth_table("x1 & ~x2:bits")
    >>> table.X.tolist(), table.y.tolist()
    ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [-1, -1, 1, -1])
    >>> table.truth.verdict, table.truth.margin_squared, table.truth.verdict_through_origin
    ('separable', Fraction(1, 8), 'quasi-separable')
    """
    text, colon, option = text.partition(":")
    encoding = option.removeprefix("encoding=") if colon else _ENCODINGS[0]
    if encoding not in _ENCODINGS:
        raise InvalidOptionError(f"found the encoding {cut(encoding)!r}, expected one of {', '.join(_ENCODINGS)}")
    formula = Formula.parse(text)
    if not formula.n_variables:
        raise InvalidOptionError("formula: found no variable, expected x1, x2, ...")
    X, y = formula.truth_table("bits" if encoding == "bits" else "signs")
    return TruthTable(X=X.astype(np.float64), y=y)
