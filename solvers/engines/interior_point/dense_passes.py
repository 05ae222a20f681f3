"""The three passes of an iteration of the interior point over dense rows: compiled, but for the Gram matrix."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.engines.interior_point import central_path_kernels as kernels
from maxmargin.solvers.engines.interior_point.central_path import Linearised, PathRows, Prediction
from maxmargin.solvers.engines.interior_point.row_view import RowView, block_rows, blocks, floats


@np.errstate(all="ignore")
def linearise(plane: Floats, view: RowView, _: slice, X: Floats, y: NDArray[Any], *vectors: Floats) -> Linearised:
    """Return t, the Gram matrix with its right-hand side, X'(y a), and the sums of the rows."""
    signs, center = floats(y), _center(view, X)
    t, written, sums = np.empty(len(y)), np.zeros(len(plane)), np.zeros(3)
    has_rho, target = view.has_rho, view.aim.target
    gram = np.zeros((len(plane) + 1, len(plane) + 1))
    Z = np.empty((min(block_rows(X.shape[1], view.sizes), len(y)), len(plane) + 1))
    for part in blocks(X.shape[0], X.shape[1], view.sizes):
        block, rows = Z[: part.stop - part.start], PathRows(*(v[part] for v in vectors))
        sums += kernels.linearise_dense(
            X[part], center, signs[part], plane, view.bias, has_rho, target, *rows, t[part], block, written
        )
        gram += block.T @ block  # numpy computes one triangle and copies it, and lets other threads run
    complementarity, hinge, total = sums.tolist()
    return t, gram, written, complementarity, hinge, total


def predict(
    affine: Floats, view: RowView, _: slice, X: Floats, y: NDArray[Any], t: Floats, *vectors: Floats
) -> tuple[Floats, Floats, Prediction]:
    """Return the changes of the multipliers, the right-hand sides of the second-order and centring terms, and the
    predicted result of the step."""
    change, sides, rows = np.empty(len(y)), np.zeros((2, len(affine))), PathRows(*vectors)
    prediction = kernels.predict_dense(
        X, _center(view, X), floats(y), affine, view.bias, view.has_rho, t, *rows, change, sides[0], sides[1]
    )
    return change, sides, Prediction(*prediction)


def correct(
    step: Floats,
    mu: float,
    view: RowView,
    _: slice,
    X: Floats,
    y: NDArray[Any],
    t: Floats,
    affine: Floats,
    *vectors: Floats,
) -> tuple[Floats, Floats, float]:
    """Return the changes of the multipliers da, X'(y da), and the quantity that limits the length of the step."""
    change, written, rows = np.empty(len(y)), np.zeros(len(step)), PathRows(*vectors)
    blocking = kernels.correct_dense(
        X, _center(view, X), floats(y), step, view.bias, view.has_rho, mu, t, affine, *rows, change, written
    )
    return change, written, blocking


def _center(view: RowView, X: Floats) -> Floats:
    return np.zeros(X.shape[1]) if view.center is None else view.center
