"""The three passes of an iteration of the interior point over a chunk of rows, block by block."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.engines.interior_point.central_path import Linearised, Prediction
from maxmargin.solvers.engines.interior_point.row_view import RowView


@np.errstate(all="ignore")
def linearise(plane: Floats, view: RowView, _: slice, X: Any, y: NDArray[Any], *vectors: Floats) -> Linearised:
    """Return t, the Gram matrix with its right-hand side, X'(y a), and the sums of the rows."""
    t, sums, written = np.empty(len(y)), np.zeros(3), np.zeros(len(plane))
    gram = np.zeros((len(plane) + 1, len(plane) + 1))
    for part, block, signs, rows in view.blocks(X, y, vectors):
        at = rows.at(signs, view.scores(block, signs, plane), view.aim.target)
        t[part] = at.t
        gram += view.gram(block, signs, at.roots, at.side)
        written += view.written(block, signs, signs * rows.a)
        sums += at.complementarity, at.hinge, at.total
    complementarity, hinge, total = sums.tolist()
    return t, gram, written, complementarity, hinge, total


@np.errstate(all="ignore")
def predict(
    affine: Floats, view: RowView, _: slice, X: Any, y: NDArray[Any], t: Floats, *vectors: Floats
) -> tuple[Floats, Floats, Prediction]:
    """Return the changes of the multipliers, the right-hand sides of the second-order and centring terms, and the
    predicted result of the step."""
    change, sides, predictions = np.empty(len(y)), np.zeros((2, len(affine))), []
    for part, block, signs, rows in view.blocks(X, y, vectors):
        change[part] = rows.affine_change(signs, t[part], view.scores(block, signs, affine))
        weights, prediction = rows.second_order(signs, change[part])
        sides += [view.written(block, signs, own) for own in weights]
        predictions.append(prediction)
    return change, sides, Prediction.of_all(predictions)


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
    change, written, most = np.empty(len(y)), np.zeros(len(step)), 0.0
    for part, block, signs, rows in view.blocks(X, y, vectors):
        da = change[part] = rows.corrected_change(signs, t[part], view.scores(block, signs, step), mu, affine[part])
        written += view.written(block, signs, signs * da)
        most = max(most, rows.blocking(mu, affine[part], da))
    return change, written, most
