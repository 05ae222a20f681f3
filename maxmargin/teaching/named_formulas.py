"""Truth tables by name: ``formula:(x1 | x4) & ~x3`` is a source of data."""

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.generators import FORMULA_PREFIX, Generated, Truth
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.teaching.formula import Formula

_ENCODINGS = ("signs", "bits")

_LONGEST_SHOWN = 60
"""Characters of a name that messages and answers show."""


def named_truth_table(name: str) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return ``(X, y)``, the truth table of the formula that a name holds.

    Parameters
    ----------
    name : str
        ``formula:TEXT``, ``formula:TEXT:bits`` or ``formula:TEXT:encoding=bits``: -1 and +1 stand for false and true,
        or 0 and 1.

    Raises
    ------
    InvalidOptionError
        If the text is no formula, with the place in it, has no variable or more than 16; or the encoding is unknown.

    Examples
    --------
    >>> X, y = named_truth_table("formula:x1 & ~x2:bits")
    >>> X.tolist(), y.tolist()
    ([[0, 0], [0, 1], [1, 0], [1, 1]], [-1, -1, 1, -1])
    """
    text, colon, option = name.strip().removeprefix(FORMULA_PREFIX).partition(":")
    encoding = option.removeprefix("encoding=") if colon else _ENCODINGS[0]
    if encoding not in _ENCODINGS:
        raise InvalidOptionError(
            f"{shortened(name)}: found the encoding {shortened(encoding)!r}, expected one of {', '.join(_ENCODINGS)}"
        )
    try:
        formula = Formula.parse(text)
        if not formula.n_variables:
            raise InvalidOptionError("formula: found no variable, expected x1, x2, ...")
        return formula.truth_table("bits" if encoding == "bits" else "signs")
    except InvalidOptionError as error:
        raise InvalidOptionError(f"{shortened(name)}: {error}") from error


def formula_data(name: str) -> Generated:
    """Return the truth table as a generated data set; the truth about it is decided in exact arithmetic.

    Raises
    ------
    InvalidOptionError
        As in `named_truth_table`.
    InvalidProblemError
        If the formula is always true, or never.

    Examples
    --------
    >>> truth = formula_data("formula:(x1 | x4) & ~x3").truth
    >>> truth.verdict, truth.margin_squared, truth.verdict_through_origin
    ('separable', Fraction(1, 6), 'quasi-separable')
    """
    X, y = named_truth_table(name)
    return Generated(
        name=name.strip(),
        full_name=name.strip(),
        description="the truth table of a formula",
        X=X.astype(np.float64),
        y=y,
        feature_names=feature_names(X.shape[1]),
        truth=_truth(X, y),
    )


def shortened(name: str) -> str:
    """Return a name as messages and answers show it: cut when it is long.

    Examples
    --------
    >>> shortened("formula:x1 & x2"), len(shortened("formula:" + " & ".join(["x1"] * 1000)))
    ('formula:x1 & x2', 63)
    """
    return name if len(name) <= _LONGEST_SHOWN else f"{name[:_LONGEST_SHOWN]}..."


def feature_names(n_variables: int) -> tuple[str, ...]:
    """Return x1, x2, ...: the variables are the columns."""
    return tuple(f"x{j}" for j in range(1, n_variables + 1))


def _truth(X: NDArray[np.int64], y: NDArray[np.int64]) -> Truth:
    with_bias, origin = _decided(X, y, bias=True), _decided(X, y, bias=False)
    return Truth(
        verdict=with_bias["verdict"],
        margin_squared=with_bias["margin_squared"],
        touching_rows=with_bias["touching_rows"],
        verdict_through_origin=origin["verdict"],
        margin_squared_through_origin=origin["margin_squared"],
        touching_rows_through_origin=origin["touching_rows"],
        why="decided in exact arithmetic",
    )


def _decided(X: NDArray[np.int64], y: NDArray[np.int64], *, bias: bool) -> dict[str, Any]:
    from maxmargin.api.verbs import hard_margin, separability

    answer = separability(X, y, bias=bias)
    touching = answer.touching_rows
    return {
        "verdict": answer.verdict.value,
        "margin_squared": hard_margin(X, y, bias=bias, exact=True).margin_squared
        if answer.strictly_separable
        else Fraction(0),
        "touching_rows": None if touching is None else tuple(touching.tolist()),
    }
