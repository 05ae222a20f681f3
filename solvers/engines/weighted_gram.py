"""Passes over blocks of rows that stay in the cache: weighted Gram matrices at half the operations."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.chunks import slices

Floats = NDArray[np.float64]

BLOCK_ENTRIES = 1 << 17
"""Matrix entries in a block (1 MiB): it stays in the cache of a core while it is used several times."""

_LEAST_BLOCK_ROWS = 256
"""Rows of a block at least: a product of fewer would only move the Gram matrix."""

_SPARSE_DENSITY = 0.03
"""Share of nonzeros below which the product of sparse matrices is the cheaper one."""


def blocks(X: Any, center: Floats | None) -> Iterator[tuple[slice, Any]]:
    """Yield ``(rows, X[rows] - center)`` for consecutive blocks."""
    step = max(_LEAST_BLOCK_ROWS, BLOCK_ENTRIES // X.shape[1])
    for rows in slices(X.shape[0], step):
        yield rows, X[rows] if center is None else X[rows] - center


class WeightedGram:
    """The sum of Z'Z over blocks, Z = [r * X, r, r * v] for a vector r of roots of weights and a vector v.

    Without bias the column r is left out. The last column holds X'(r * r * v), the right-hand side that goes with the
    weighted Gram matrix.
    """

    def __init__(self, n_features: int, *, bias: bool) -> None:
        self.n_features, self.bias = n_features, bias
        size = n_features + bias + 1
        self._total = np.zeros((size, size), order="F")
        self._buffer = np.empty((0, size))

    def add(self, X: Any, roots: Floats, values: Floats) -> None:
        """Add a block; the products are those of its upper triangle only."""
        from scipy.linalg.blas import dsyrk

        if hasattr(X, "tocsr") and X.nnz < _SPARSE_DENSITY * X.shape[0] * X.shape[1]:
            self._add_sparse(X, roots, values)
            return
        Z = self._scaled(X, roots, values)
        self._total = dsyrk(1.0, Z.T, beta=1.0, c=self._total, overwrite_c=1)

    def _scaled(self, X: Any, roots: Floats, values: Floats) -> Floats:
        if len(self._buffer) < len(roots):
            self._buffer = np.empty((len(roots), len(self._total)))
        Z = self._buffer[: len(roots)]
        dense = X.toarray() if hasattr(X, "tocsr") else X
        np.multiply(dense, roots[:, None], out=Z[:, : self.n_features])
        if self.bias:
            Z[:, self.n_features] = roots
        np.multiply(roots, values, out=Z[:, -1])
        return Z

    def _add_sparse(self, X: Any, roots: Floats, values: Floats) -> None:
        scaled = X.copy()
        scaled.data *= np.repeat(roots, np.diff(X.indptr))
        columns = [roots] * self.bias + [roots * values]
        others = np.stack(columns, axis=1)
        d = self.n_features
        self._total[:d, :d] += (scaled.T @ scaled).toarray()
        self._total[:d, d:] += scaled.T @ others
        self._total[d:, d:] += others.T @ others

    @property
    def upper(self) -> Floats:
        """The upper triangle of the sum, with the diagonal; what is below it means nothing."""
        return self._total
