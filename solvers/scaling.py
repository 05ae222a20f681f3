"""A change of coordinates that makes a problem easy for floating-point solvers, and the way back."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.candidate import Candidate
from maxmargin.solvers.problem import Problem

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnScaling:
    """Columns x -> (x - center) 2**-exponent, so that each has size about 1.

    Powers of two are exact; centring (with bias and dense rows only) rounds, which the exact checks of the answer on
    the original rows forgive.

    Attributes
    ----------
    center : ndarray (n_features,)
    exponents : ndarray (n_features,) of int
        0 for columns that are zero after centring.
    """

    center: Floats
    exponents: NDArray[np.int64]

    @classmethod
    def of(cls, problem: Problem) -> "ColumnScaling":
        """Choose the midpoint of every column, and the power of two next to its root mean square from there."""
        X = problem.X
        if problem.is_sparse:
            center = np.zeros(problem.n_features)
            spread = abs(X).max(axis=0).toarray().ravel()
        else:
            low, high = X.min(axis=0), X.max(axis=0)
            center = low / 2 + high / 2 if problem.bias else np.zeros(problem.n_features)
            spread = _root_mean_square(
                X, center, np.maximum(np.abs(low / 2 - center / 2), np.abs(high / 2 - center / 2))
            )
        exponents = np.where(spread > 0, np.frexp(spread)[1], 0).astype(np.int64)
        return cls(center=center, exponents=exponents)

    def apply(self, X: Any) -> Any:
        """Return the rows in the new coordinates."""
        if hasattr(X, "tocsr"):
            return X @ _diagonal(np.ldexp(1.0, -self.exponents))
        # Halved, so that the difference of two numbers next to the overflow threshold stays finite.
        return np.ldexp(X / 2 - self.center / 2, 1 - self.exponents)

    @property
    def unit(self) -> float:
        """The smallest of the column sizes: a normal w' of the new coordinates is w = q * w' / unit in the original."""
        return float(np.ldexp(1.0, self.exponents.min()))

    def normal_weights(self) -> Floats:
        """Return q with ||w|| proportional to ||q * w'|| for normals w' of the new coordinates; the largest is 1."""
        return np.ldexp(1.0, self.exponents.min() - self.exponents)

    def invert(self, w: Floats) -> Floats:
        """Return the normal in the original coordinates, up to a positive factor (a power of two)."""
        original = np.ldexp(w, self.exponents.min() - self.exponents)
        largest = np.abs(original).max(initial=0.0)
        result: Floats = np.ldexp(original, -np.frexp(largest)[1]) if largest > 0 else original
        return result

    def bring_home(self, candidate: Candidate) -> Candidate:
        """Return the candidate with its normal in the original coordinates; its offset is to be found anew there."""
        w = None if candidate.w is None else self.invert(candidate.w)
        return replace(candidate, w=w, b=0.0)


def _root_mean_square(X: Floats, center: Floats, half_spread: Floats) -> Floats:
    """Return about the root mean square of every column from its center, without overflow; 0 for constant columns."""
    unit = np.frexp(half_spread)[1] + 1
    scaled = np.ldexp(X / 2 - center / 2, 1 - unit)
    result: Floats = np.where(
        half_spread > 0, np.ldexp(np.sqrt(np.einsum("ij,ij->j", scaled, scaled) / len(X)), unit), 0
    )
    return result


def _diagonal(values: Floats) -> Any:
    from scipy.sparse import diags_array

    return diags_array(values).tocsr()
