"""A change of coordinates for more columns than rows: w is sought in the space that the rows span."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSpace:
    """Orthonormal coordinates of the rows: x = center + basis @ z, and normals w = basis @ v with ||w|| = ||v||.

    Among all w with the same scores w.x_i + b the shortest is a combination of the rows, or with bias of their
    differences (the representer theorem): nothing is lost, and ||w|| does not change. Subtracting the center changes
    the scores by a constant only, which the bias absorbs.

    Attributes
    ----------
    basis : ndarray (n_features, rank)
        Orthonormal columns, not more than rows.
    center : ndarray (n_features,)
        The mean of the rows with bias, 0 without bias.
    """

    basis: Floats
    center: Floats

    @classmethod
    def of(cls, X: Floats, *, bias: bool = True) -> "RowSpace":
        """Return the space of the rows of X by a QR decomposition, in O(n_features n_samples**2).

        A row that depends on others costs one coordinate, and nothing else.

        Examples
        --------
        >>> X = np.array([[1.0, 2.0, 2.0, 0.0], [5.0, 2.0, 2.0, 0.0]])
        >>> space = RowSpace.of(X)
        >>> np.round(np.abs(space.apply(X)), 9).tolist()
        [[2.0], [2.0]]
        """
        center: Floats = X.mean(axis=0) if bias else np.zeros(X.shape[1])
        # The differences from a mean sum to 0: the last one is a combination of the others.
        rows = (X - center)[: len(X) - bias]
        return cls(basis=np.linalg.qr(rows.T)[0], center=center)

    def apply(self, X: Floats) -> Floats:
        """Return the coordinates of rows, (n_rows, rank)."""
        return (X - self.center) @ self.basis

    def invert(self, v: Floats) -> Floats:
        """Return the normal w that has the coordinates v."""
        return self.basis @ v
