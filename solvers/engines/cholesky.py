"""The Cholesky factor of matrices that rounding may have made a little indefinite."""

import numpy as np

from maxmargin.solvers.basics.array_types import Floats

# Numbers that, times the order of the matrix, are added in turn to its diagonal of ones until it has a factor.
_RIDGES = (0.0, 1e-16, 1e-15, 1e-14, 1e-12, 1e-10, 1e-9)


class CholeskyFactor:
    """The Cholesky factor of a positive definite matrix, scaled to a unit diagonal.

    Parameters
    ----------
    upper : ndarray (k, k)
        The upper triangle of the symmetric matrix; other entries are not used.

    Raises
    ------
    numpy.linalg.LinAlgError
        If the matrix is not even nearly positive definite, or not finite.
    """

    def __init__(self, upper: Floats) -> None:
        from scipy.linalg.lapack import dpotrf

        diagonal = upper.diagonal()
        if not (np.isfinite(upper).all() and (diagonal > 0).all()):
            raise np.linalg.LinAlgError("the matrix has no positive finite diagonal")
        self._scale = 1.0 / np.sqrt(diagonal)
        scaled = upper * self._scale * self._scale[:, np.newaxis]
        for ridge in _RIDGES:
            scaled.flat[:: len(scaled) + 1] = 1.0 + ridge * len(scaled)
            self._factor, fault = dpotrf(scaled, clean=0)
            if not fault:
                return
        raise np.linalg.LinAlgError("the matrix is not positive definite")

    def solve(self, right: Floats) -> Floats:
        """Return the solution for a right-hand side of one or more columns."""
        from scipy.linalg.lapack import dpotrs

        scale = self._scale if right.ndim == 1 else self._scale[:, np.newaxis]
        return np.asarray(scale * dpotrs(self._factor, scale * right)[0])

    @property
    def rows(self) -> Floats:
        """The lower triangular factor, whose rows have the entries of the matrix as inner products."""
        return np.asarray(np.tril(self._factor.T) / self._scale[:, np.newaxis])
