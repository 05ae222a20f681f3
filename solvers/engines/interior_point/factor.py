"""Cholesky factors of positive definite matrices that rounding has made a little indefinite."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

_RIDGES = (0.0, 1e-16, 1e-15, 1e-14, 1e-12, 1e-10)
"""Numbers that, times the order of the matrix, are added in turn to its diagonal of ones until it has a factor."""


class Factor:
    """The factor of a symmetric matrix whose upper triangle is given.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the matrix is not even nearly positive definite, or not finite.
    """

    def __init__(self, upper: Floats) -> None:
        from scipy.linalg import cholesky

        diagonal = upper.diagonal()
        if not (np.isfinite(upper).all() and (diagonal > 0).all()):
            raise np.linalg.LinAlgError("the matrix has no positive finite diagonal")
        self._scale = 1.0 / np.sqrt(diagonal)
        scaled = upper * self._scale * self._scale[:, None]
        for ridge in _RIDGES:
            np.fill_diagonal(scaled, 1.0 + ridge * len(scaled))
            try:
                self._factor = cholesky(scaled, check_finite=False)
                return
            except np.linalg.LinAlgError:
                continue
        raise np.linalg.LinAlgError("the matrix is not positive definite")

    def solve(self, right: Floats) -> Floats:
        """Return the solution for a right-hand side of one or more columns."""
        from scipy.linalg import cho_solve

        scale = self._scale if right.ndim == 1 else self._scale[:, None]
        result: Floats = scale * cho_solve((self._factor, False), scale * right, check_finite=False)
        return result
