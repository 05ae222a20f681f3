"""The three passes of an iteration of the interior point over sparse rows, and over few dense ones."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.engines.interior_point.central_path import Linearised, Prediction, Rows
from maxmargin.solvers.engines.interior_point.row_view import RowView, blocks, floats
from maxmargin.solvers.problem.sizes import DEFAULT_SIZES, Sizes

Floats = NDArray[np.float64]

_DENSITY = 0.03
"""Share of nonzeros below which the product of sparse matrices is the cheaper one."""


@np.errstate(all="ignore")
def linearise(plane: Floats, view: RowView, _: slice, X: Any, y: NDArray[Any], *vectors: Floats) -> Linearised:
    """Return t, the Gram matrix with its right-hand side, X'(y a), and the sums of the rows."""
    X, signs, rows = _centred(view, X), floats(y), Rows(*vectors)
    at = rows.at(signs, _scores(view, X, signs, plane), view.aim.target)
    gram = _gram(X, at.roots, [*_others(view, signs, at.roots), at.side], view.sizes)
    return Linearised(at.t, gram, _written(view, X, signs, signs * rows.a), at.complementarity, at.hinge, at.total)


@np.errstate(all="ignore")
def predict(
    affine: Floats, view: RowView, _: slice, X: Any, y: NDArray[Any], t: Floats, *vectors: Floats
) -> tuple[Floats, Floats, Prediction]:
    """Return da, the right-hand sides of the second order and of a unit of mu, and what the step does."""
    X, signs, rows = _centred(view, X), floats(y), Rows(*vectors)
    change = rows.affine_change(signs, t, _scores(view, X, signs, affine))
    weights, prediction = rows.second_order(signs, change)
    return change, np.stack([_written(view, X, signs, part) for part in weights]), prediction


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
    """Return da, X'(y da) and what blocks the step."""
    X, signs, rows = _centred(view, X), floats(y), Rows(*vectors)
    change = rows.corrected_change(signs, t, _scores(view, X, signs, step), mu, affine)
    return change, _written(view, X, signs, signs * change), rows.blocking(mu, affine, change)


def _centred(view: RowView, X: Any) -> Any:
    """Return the rows less their center; sparse ones have none."""
    return X if view.center is None else X - view.center


def _scores(view: RowView, X: Any, y: Floats, plane: Floats) -> Floats:
    """Return w.x + b - y rho."""
    offsets = plane[X.shape[1] :]
    result: Floats = X @ plane[: X.shape[1]]
    if view.bias:
        result += offsets[0]
    if view.has_rho:
        result -= offsets[-1] * y
    return result


def _others(view: RowView, y: Floats, weights: Floats) -> list[Floats]:
    """Return the columns beside X, times weights."""
    return [weights] * view.bias + [-y * weights] * view.has_rho


def _written(view: RowView, X: Any, y: Floats, weights: Floats) -> Floats:
    """Return the weighted sums of the rows."""
    return np.concatenate([X.T @ weights, [part.sum() for part in _others(view, y, weights)]])


def _gram(X: Any, roots: Floats, columns: list[Floats], sizes: Sizes) -> Floats:
    """Return Z'Z for Z = [r * X, F], with r the roots of weights and F a few columns."""
    if isinstance(X, np.ndarray):
        total = np.zeros((X.shape[1] + len(columns),) * 2)
        for part in blocks(X.shape[0], X.shape[1], sizes):
            block = np.column_stack([X[part] * roots[part, np.newaxis], *(column[part] for column in columns)])
            total += block.T @ block
        return total
    scaled, others = X.copy(), np.stack(columns, axis=1) if columns else np.empty((X.shape[0], 0))
    scaled.data *= np.repeat(roots, np.diff(X.indptr))
    products = scaled.T @ others
    return np.block([[_squared(scaled, sizes), products], [products.T, others.T @ others]])


def weighted_gram(X: Any, weights: Floats, *, bias: bool) -> Floats:
    """Return the sum of weight x x' over rows x, each with a 1 if there is a bias."""
    roots = np.sqrt(weights)
    return _gram(X, roots, [roots] * bias, DEFAULT_SIZES)


def _squared(X: Any, sizes: Sizes) -> Floats:
    if X.nnz < _DENSITY * X.shape[0] * X.shape[1]:
        return np.asarray((X.T @ X).toarray())
    total = np.zeros((X.shape[1], X.shape[1]))
    for part in blocks(X.shape[0], X.shape[1], sizes):
        block = X[part].toarray()
        total += block.T @ block
    return total
