"""Passes over blocks of rows that stay in the cache: weighted Gram matrices at half the operations."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.chunks import slices

Floats = NDArray[np.float64]

BLOCK_ENTRIES = 1 << 16
"""Matrix entries in a block (512 KiB): it stays in the cache of a core, with its product, while it is used."""

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
    """The sum of Z'Z over blocks, Z = [r * X, F], for a vector r of roots of weights and a few more columns F."""

    def __init__(self, n_features: int, n_others: int) -> None:
        self.n_features = n_features
        self.total = np.zeros((n_features + n_others, n_features + n_others))
        self._buffer = np.empty((0, n_features + n_others))

    def add(self, X: Any, roots: Floats, others: Sequence[Floats]) -> None:
        """Add a block, with its columns F."""
        if hasattr(X, "tocsr") and X.nnz < _SPARSE_DENSITY * X.shape[0] * X.shape[1]:
            self._add_sparse(X, roots, np.stack(others, axis=1))
            return
        Z = self._scaled(X, roots, others)
        self.total += Z.T @ Z  # numpy computes one triangle and copies it, and lets other threads run

    def _scaled(self, X: Any, roots: Floats, others: Sequence[Floats]) -> Floats:
        from maxmargin.solvers.engines.central_path_kernels import scale

        if len(self._buffer) < len(roots):
            self._buffer = np.empty((len(roots), len(self.total)))
        Z = self._buffer[: len(roots)]
        scale(X.toarray() if hasattr(X, "tocsr") else X, roots, Z)
        for place, column in enumerate(others, self.n_features):
            Z[:, place] = column
        return Z

    def _add_sparse(self, X: Any, roots: Floats, others: Floats) -> None:
        scaled = X.copy()
        scaled.data *= np.repeat(roots, np.diff(X.indptr))
        d = self.n_features
        products = scaled.T @ others
        self.total[:d, :d] += (scaled.T @ scaled).toarray()
        self.total[:d, d:] += products
        self.total[d:, :d] += products.T
        self.total[d:, d:] += others.T @ others
