"""The three passes of an iteration of the interior point over sparse rows, and over few dense ones."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.engines.interior_point.central_path import Linearised, PathRows, Prediction
from maxmargin.solvers.engines.interior_point.row_view import RowView, floats


@np.errstate(all="ignore")
def linearise(plane: Floats, view: RowView, _: slice, X: Any, y: NDArray[Any], *vectors: Floats) -> Linearised:
    """Return t, the Gram matrix with its right-hand side, X'(y a), and the sums of the rows."""
    X, signs, rows = view.centred(X), floats(y), PathRows(*vectors)
    at = rows.at(signs, view.scores(X, signs, plane), view.aim.target)
    gram = view.gram(X, signs, at.roots, at.side)
    return at.t, gram, view.written(X, signs, signs * rows.a), at.complementarity, at.hinge, at.total


@np.errstate(all="ignore")
def predict(
    affine: Floats, view: RowView, _: slice, X: Any, y: NDArray[Any], t: Floats, *vectors: Floats
) -> tuple[Floats, Floats, Prediction]:
    """Return the changes of the multipliers, the right-hand sides of the second-order and centring terms, and the
    predicted result of the step."""
    X, signs, rows = view.centred(X), floats(y), PathRows(*vectors)
    change = rows.affine_change(signs, t, view.scores(X, signs, affine))
    weights, prediction = rows.second_order(signs, change)
    return change, np.stack([view.written(X, signs, part) for part in weights]), prediction


@np.errstate(all="ignore")
def correct(
    step: Floats,
    mu: float,
    view: RowView,
    _: slice,
    X: Any,
    y: NDArray[Any],
    t: Floats,
    affine: Floats,
    *vectors: Floats,
) -> tuple[Floats, Floats, float]:
    """Return the changes of the multipliers da, X'(y da), and the quantity that limits the length of the step."""
    X, signs, rows = view.centred(X), floats(y), PathRows(*vectors)
    change = rows.corrected_change(signs, t, view.scores(X, signs, step), mu, affine)
    return change, view.written(X, signs, signs * change), rows.blocking(mu, affine, change)
