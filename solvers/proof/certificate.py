"""Proofs of separability and of its contrary, as found; each is exact on the data as stored."""

from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True, kw_only=True)
class SeparatingHyperplane:
    """A hyperplane with y(w.x + b) > 0 for every row: the classes are separable.

    Attributes
    ----------
    w : ndarray (n_features,) of float64
        Binary64 numbers, to be taken as the dyadic rationals they are.
    b : Fraction
        The middle between the two classes for this w, exactly; 0 through the origin.
    least_functional_margin : Fraction
        min y(w.x + b) > 0, exactly.
    """

    w: NDArray[np.float64]
    b: Fraction
    least_functional_margin: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonHullPoint:
    """Weights a >= 0, not all 0, with sum a_i y_i (x_i, 1) = 0: no hyperplane separates strictly.

    Divided by their sum in each class the weights write one point as a convex combination of either class. Through
    the origin the condition is sum a_i y_i x_i = 0: the origin lies in the hull of the y_i x_i.

    Attributes
    ----------
    rows : tuple of int
        The rows of positive weight, at most d + 2 (through the origin d + 1).
    weights : tuple of int
        Their weights, as integers without a common factor.
    """

    rows: tuple[int, ...]
    weights: tuple[int, ...]

    def fractions(self) -> tuple[Fraction, ...]:
        """Return the weights divided by their sum."""
        total = sum(self.weights)
        return tuple(Fraction(weight, total) for weight in self.weights)


Certificate = SeparatingHyperplane | CommonHullPoint
