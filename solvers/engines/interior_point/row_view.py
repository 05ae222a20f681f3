"""The rows as the interior point and Newton's method see them, and the products with them."""

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.parallel import slices
from maxmargin.solvers.engines.interior_point.central_path import PathRows, Prediction
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import DEFAULT_SIZES, WorkSizes

# Share of nonzero entries below which the product of two sparse matrices is cheaper than one of dense blocks.
_DENSITY = 0.03


# The result of a pass over rows at an iterate.
#
# The arrays are t, the target less margin; X'D^-1 X with k columns, and beside it its right-hand side X'D^-1 (y t); and
# X'(y a). The numbers are the sums of `RowsAt`.
Linearised = tuple[Floats, Floats, Floats, float, float, float]


class RowView(NamedTuple):
    """Rows seen as (x - center, 1, -y), without the 1 if there is no bias and without the -y if there is no rho.

    The three passes of an iteration of the interior point are `linearise`, `predict` and `correct`. Other methods take
    rows that are centred already; sparse rows have no center.

    Attributes
    ----------
    center : ndarray (n_features,) or None
    bias : bool
    has_rho : bool
    sizes : WorkSizes
    """

    center: Floats | None
    bias: bool
    has_rho: bool = False
    sizes: WorkSizes = DEFAULT_SIZES

    def plane_of(self, w: Floats, b: float) -> Floats:
        """Return the hyperplane (w, b) of the rows as one vector for the centred rows, without rho."""
        if not self.bias:
            return w
        return np.append(w, b if self.center is None else b + w @ self.center)

    def centred(self, X: Any) -> Any:
        """Return the rows less their center."""
        return X if self.center is None else X - self.center

    def blocks(
        self, X: Any, y: NDArray[Any], vectors: tuple[Floats, ...]
    ) -> Iterator[tuple[slice, Any, Floats, PathRows]]:
        """Yield blocks of rows that stay in the cache, centred, with their signs and multipliers; sparse rows whole."""
        for part in blocks(X, self.sizes):
            yield (
                part,
                self.centred(X[part]),
                y[part].astype(np.float64, copy=False),
                PathRows(*(v[part] for v in vectors)),
            )

    def scores(self, X: Any, y: NDArray[Any], plane: Floats) -> Floats:
        """Return w.x + b - y rho."""
        offsets = plane[X.shape[1] :]
        result: Floats = X @ plane[: X.shape[1]]
        if self.bias:
            result += offsets[0]
        if self.has_rho:
            result -= offsets[-1] * y
        return result

    def signed_slack(self, X: Any, y: NDArray[Any], plane: Floats) -> Floats:
        """Return t = 1 - y (w.x + b)."""
        return np.asarray(1.0 - y * self.scores(X, y, plane))

    def written(self, X: Any, y: NDArray[Any], weights: Floats) -> Floats:
        """Return the weighted sums of the rows."""
        return np.concatenate([X.T @ weights, [part.sum() for part in self._others(y, weights)]])

    def gram(self, X: Any, y: NDArray[Any], roots: Floats, *columns: Floats) -> Floats:
        """Return Z'Z, where Z holds the rows times the roots of their weights, and further columns beside them."""
        others = [*self._others(y, roots), *columns]
        if isinstance(X, np.ndarray):
            Z = np.empty((len(X), X.shape[1] + len(others)))
            np.multiply(X, roots[:, np.newaxis], out=Z[:, : X.shape[1]])
            Z[:, X.shape[1] :] = np.stack(others, axis=1) if others else 0.0
            return np.asarray(Z.T @ Z)
        scaled, beside = X.copy(), np.stack(others, axis=1) if others else np.empty((X.shape[0], 0))
        scaled.data *= np.repeat(roots, np.diff(X.indptr))
        products = scaled.T @ beside
        return np.block([[_squared(scaled, self.sizes), products], [products.T, beside.T @ beside]])

    def _others(self, y: NDArray[Any], weights: Floats) -> list[Floats]:
        """Return the columns beside X, times weights."""
        return [weights] * self.bias + [-y * weights] * self.has_rho

    @np.errstate(all="ignore")
    def linearise(self, plane: Floats, _: slice, X: Any, y: NDArray[Any], *vectors: Floats) -> Linearised:
        """Return t, the Gram matrix with its right-hand side, X'(y a), and the sums of the rows."""
        t, sums, written = np.empty(len(y)), np.zeros(3), np.zeros(len(plane))
        gram = np.zeros((len(plane) + 1, len(plane) + 1))
        for part, block, signs, rows in self.blocks(X, y, vectors):
            at = rows.at(signs, self.scores(block, signs, plane), float(not self.has_rho))
            t[part] = at.t
            gram += self.gram(block, signs, at.roots, at.side)
            written += self.written(block, signs, signs * rows.a)
            sums += at.complementarity, at.hinge, at.total
        complementarity, hinge, total = sums.tolist()
        return t, gram, written, complementarity, hinge, total

    @np.errstate(all="ignore")
    def predict(
        self, affine: Floats, _: slice, X: Any, y: NDArray[Any], t: Floats, *vectors: Floats
    ) -> tuple[Floats, Floats, Prediction]:
        """Return the changes of the multipliers, the right-hand sides of the second-order and centring terms, and the
        predicted result of the step."""
        change, sides, predictions = np.empty(len(y)), np.zeros((2, len(affine))), []
        for part, block, signs, rows in self.blocks(X, y, vectors):
            change[part] = rows.affine_change(signs, t[part], self.scores(block, signs, affine))
            weights, prediction = rows.second_order(signs, change[part])
            sides += [self.written(block, signs, own) for own in weights]
            predictions.append(prediction)
        return change, sides, Prediction.of_all(predictions)

    @np.errstate(all="ignore")
    def correct(
        self, step: Floats, mu: float, _: slice, X: Any, y: NDArray[Any], t: Floats, affine: Floats, *vectors: Floats
    ) -> tuple[Floats, Floats, float]:
        """Return the changes of the multipliers da, X'(y da), and the quantity that limits the length of the step."""
        change, written, most = np.empty(len(y)), np.zeros(len(step)), 0.0
        for part, block, signs, rows in self.blocks(X, y, vectors):
            scores = self.scores(block, signs, step)
            da = change[part] = rows.corrected_change(signs, t[part], scores, mu, affine[part])
            written += self.written(block, signs, signs * da)
            most = max(most, rows.blocking(mu, affine[part], da))
        return change, written, most


def weighted_rows(problem: Problem, weights: Floats, center: Floats | None = None) -> Floats:
    """Return the weighted sum of all rows, less a center."""
    return np.asarray(sum(problem.map(partial(_weighted, center), weights), np.zeros(problem.n_features)))


@np.errstate(all="ignore")
def _weighted(center: Floats | None, _: slice, X: Any, weights: Floats) -> Floats:
    return np.asarray((X if center is None else X - center).T @ weights)


def _squared(X: Any, sizes: WorkSizes) -> Floats:
    if X.nnz < _DENSITY * X.shape[0] * X.shape[1]:
        return np.asarray((X.T @ X).toarray())
    total = np.zeros((X.shape[1], X.shape[1]))
    for part in slices(X.shape[0], max(sizes.block_rows, sizes.block_entries // X.shape[1])):
        block = X[part].toarray()
        total += block.T @ block
    return total


def blocks(X: Any, sizes: WorkSizes = DEFAULT_SIZES) -> Iterator[slice]:
    """Yield blocks of rows that stay in the cache; sparse rows are one."""
    n_rows, n_columns = X.shape
    size = max(sizes.block_rows, sizes.block_entries // n_columns) if isinstance(X, np.ndarray) else n_rows
    return slices(n_rows, size)
