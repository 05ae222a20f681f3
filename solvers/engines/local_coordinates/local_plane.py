"""A hyperplane, and the program of nearest points in coordinates around it.

Let w be a normal of length 1 and b an offset, s_i = y_i (w.x_i + b) the scores, sigma about their size at the support,
and P a basis of the complement of w in the metric of the scaled columns; let T be the rows times P. The hyperplanes
(alpha w + sigma P u)/sigma give the program

    min 1/2 alpha^2 + 1/2 sigma^2 |P u|^2 - t   subject to   alpha s_i/sigma + y_i (T_i.u + c) >= t,

whose numbers are near 1 however small the margin is. It is the dual of the nearest points of the hulls, so that it is
feasible and bounded on all data; where the hulls meet, its multipliers balance. The program around the hyperplane that
it gives is iterative refinement: the scores are computed with twice the precision.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.engines.local_coordinates.nearest_points import nearest_points
from maxmargin.solvers.engines.local_coordinates.sliced_rows import Pair, SlicedRows
from maxmargin.solvers.engines.local_coordinates.support import LocalProgram, equalities, solver_of
from maxmargin.solvers.problem.scaling import ColumnScaling
from maxmargin.solvers.proof.sums import TINIEST_NORMAL

# Added to the diagonal of the first plane's normal equations, relative to the trace; and to its normal.
_RIDGE, _NOT_ZERO = 1e-9, 1e-300

# Number of steps by which the plane and the multipliers of a support are refined.
_REFINEMENTS = 3

# Size of a column of T, and least eigenvalue of the Gram matrix of columns of size 1, below which T is orthonormalised.
_DEPENDENT = 1e-4

# About how many rows for each column this Gram matrix is computed of.
_ROWS_A_COLUMN = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class LocalPlane:
    """The hyperplane ``v.x + b = 0`` in local columns, with ``||q * v|| = 1`` for their normal weights q."""

    columns: ColumnScaling
    v: Pair
    b: Pair

    @classmethod
    def fitted(cls, columns: ColumnScaling, X: Floats, y: Floats, *, bias: bool) -> "LocalPlane":
        """Return the hyperplane of least squares for local rows, roughly."""
        A = np.column_stack([X, np.ones(len(X))]) if bias else X
        gram = A.T @ A
        gram.flat[:: len(gram) + 1] += _RIDGE * np.trace(gram) or 1.0
        found = np.linalg.solve(gram, A.T @ y) + _NOT_ZERO
        return cls(columns=columns, v=Pair.of(found[: X.shape[1]]), b=Pair.of(found[X.shape[1] :])).normalised()

    @classmethod
    def between(cls, columns: ColumnScaling, v: Floats, X: Floats, y: Floats, *, bias: bool) -> "LocalPlane":
        """Return the hyperplane with this normal in the middle between the classes of local rows."""
        s = X @ v
        middle = [-(s[y < 0].max() + s[y > 0].min()) / 2] if bias else []
        return cls(columns=columns, v=Pair.of(v), b=Pair.of(np.array(middle))).normalised()

    def normalised(self) -> "LocalPlane":
        """Return the hyperplane with numbers of which the normal has length 1."""
        largest = np.ldexp(1.0, -np.frexp(np.abs(self.v.high).max())[1])
        v, b = self.v.times(largest), self.b.times(largest)
        factor = 1 / (float(np.linalg.norm(self.columns.normal_weights() * v.high)) or 1.0)
        return LocalPlane(columns=self.columns, v=v.times(factor), b=b.times(factor))

    def scores(self, rows: SlicedRows, y: Floats) -> Floats:
        """Return ``y (v.x + b)`` of local rows, as if computed exactly and rounded."""
        return np.asarray(y * rows.products(self.v, self.b if len(self.b.high) else None))

    def rough_scores(self, X: Floats, y: Floats) -> Floats:
        """Return ``y (v.x + b)`` of local rows, with the errors of binary64."""
        return np.asarray(y * (X @ self.v.high + self.b.high.sum()))

    @property
    def size(self) -> float:
        """About the largest score of rows of modulus 1."""
        return float(np.abs(self.v.high).sum() + np.abs(self.b.high).sum())

    def home(self) -> "HomePlane | None":
        """Return the plane in the original columns; None where binary64 does not hold a rounded normal."""
        exponents, is_zero = self.columns.exponents, self.v.high == 0
        for shift in (0, int(exponents.min() + exponents.max()) // 2):
            w = np.ldexp(self.v.high, shift - exponents)
            if (np.isfinite(w) & ((np.abs(w) >= TINIEST_NORMAL) | is_zero)).all():
                return HomePlane(plane=self, w=w, shift=shift)
        return None

    def moved(
        self, X: Floats, y: Floats, scores: Floats, sigma: float, tolerance: float, **settings: Any
    ) -> tuple["LocalPlane", Floats]:
        """Return the plane of the program of local rows around this one, and the multipliers of the rows.

        Parameters
        ----------
        X, y, scores : ndarray (m, n_features), (m,), (m,)
            Local rows, their signs, and their scores.
        sigma : float
            About the size of the scores of the support.
        tolerance, **settings
            Those of `nearest_points`.
        """
        bias = len(self.b.high) > 0
        mean = X.mean(axis=0) if bias else np.zeros(X.shape[1])
        complement = _Complement.of(self, X - mean, sigma)
        H, d = complement.costs(), X.shape[1]
        A = np.column_stack([scores / sigma, y[:, np.newaxis] * complement.T, *[y] * bias])
        program = LocalProgram(A, np.pad(H, (0, bias)))
        start = (
            np.where(y > 0, 0.5 / max((y > 0).sum(), 1), 0.5 / max((y < 0).sum(), 1)) if bias else 1 / len(y) + 0 * y
        )
        x, z = nearest_points(program, start, tolerance, **settings)
        if not x[:d].any():
            return self, z
        return self._changed(float(x[0]), complement.direction(x[1:d]), sigma * x[d:], mean), z

    def refined(self, X: Floats, y: Floats, z: Floats) -> tuple["LocalPlane", Pair]:
        """Return the plane for which local support rows are equalities, and their multipliers, both refined.

        This is Newton's method for the linear system of the support: its residual, the scores of the rows and their sum
        with multipliers, is computed with twice the precision.
        """
        bias = len(self.b.high) > 0
        mean = X.mean(axis=0) if bias else np.zeros(X.shape[1])
        rows, columns, weights = SlicedRows(X), SlicedRows(np.ascontiguousarray(X.T)), Pair.of(z)
        plane, d = self, X.shape[1]
        sigma = float(np.median(self.scores(rows, y)))
        complement = _Complement.of(self, X - mean, sigma)
        A = np.column_stack([np.ones(len(y)), y[:, np.newaxis] * complement.T, *[y] * bias])
        solve = solver_of(equalities(np.pad(complement.costs(), (0, bias)), A))
        if solve is None:
            return self, weights
        for _ in range(_REFINEMENTS):
            signed, scores = Pair(weights.high * y, weights.low * y), plane.scores(rows, y)
            total = math.fsum([*signed.high.tolist(), *signed.low.tolist()])
            sigma = float(weights.high @ scores)
            balance = complement.coordinates(columns.products(signed) - mean * total)
            right = np.concatenate([[0.0], balance, [total] * bias, [1 - weights.high.sum()], 1 - scores / sigma])
            change = solve(right)
            if not np.isfinite(change).all():
                break
            weights = weights.plus(Pair.of(change[d + bias + 1 :]))
            plane = plane._changed(1 + change[0], complement.direction(change[1:d]), sigma * change[d : d + bias], mean)
        return plane, weights

    def _changed(self, alpha: float, move: Floats, offset: Floats, mean: Floats) -> "LocalPlane":
        """Return the plane alpha times this one, its normal moved, with the offset at the mean moved as well."""
        v = self.v.times(alpha).plus(Pair.of(move))
        if not (np.isfinite(v.high).all() and (self.columns.normal_weights() * v.high).any()):
            return self
        b = self.b.times(alpha).plus(Pair.of(offset - np.full(len(offset), mean @ move)))
        return LocalPlane(columns=self.columns, v=v, b=b).normalised()


@dataclass(frozen=True, slots=True, kw_only=True)
class HomePlane:
    """A plane whose normal belongs to the original columns: its scores are those of the local one times 2^shift.

    Attributes
    ----------
    plane : LocalPlane
    w : ndarray (n_features,)
        The normal, every entry rounded.
    shift : int
    """

    plane: LocalPlane
    w: Floats
    shift: int

    @property
    def normal(self) -> tuple[Fraction, ...]:
        """The normal, exactly."""
        v, shifts = self.plane.v, (self.shift - self.plane.columns.exponents).tolist()
        pairs = zip(v.high.tolist(), v.low.tolist(), shifts, strict=True)
        return tuple((Fraction(high) + Fraction(low)) * Fraction(2) ** shift for high, low, shift in pairs)

    @property
    def b(self) -> float:
        """The offset of local scores for the original rows: what is left of b and of the centers."""
        columns = self.plane.columns
        moved = self.plane.v.high @ np.ldexp(columns.center, -columns.exponents)
        return float(self.plane.b.high.sum() - moved)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Complement:
    """Rows in a basis P of the complement of the normal in the metric, orthonormalised if their columns nearly depend.

    Attributes
    ----------
    P : ndarray (n_features, n_features - 1)
    R : ndarray (n_features - 1, n_features - 1)
        Upper triangular; the basis is P times its inverse.
    T : ndarray (m, n_features - 1)
        The rows in this basis.
    weighted : ndarray (n_features, n_features - 1)
        The basis times ``sigma q``.
    sigma : float
    """

    P: Floats
    R: Floats
    T: Floats
    weighted: Floats
    sigma: float

    @classmethod
    def of(cls, plane: LocalPlane, X: Floats, sigma: float) -> "_Complement":
        q, v = plane.columns.normal_weights(), plane.v.high
        shifts = 2 * (plane.columns.exponents.min() - plane.columns.exponents)
        h = np.ldexp(v, shifts - (np.frexp(v)[1] + shifts)[v != 0].max())  # q^2 v, which may underflow
        h /= np.linalg.norm(h)
        j = int(np.argmax(np.abs(h)))
        h[j] += np.copysign(1.0, h[j])
        h /= np.linalg.norm(h)  # Householder's reflection takes axis j to the metric's normal: the others are P
        P = np.delete(np.eye(len(h)) - 2 * np.outer(h, h), j, axis=1)
        T = np.delete(X - np.outer(X @ h, 2 * h), j, axis=1)
        weighted, R = P * (sigma * q)[:, np.newaxis], np.eye(P.shape[1])
        if _depend(T, weighted):
            R = np.array(np.linalg.qr(np.vstack([T / np.sqrt(len(T)), weighted]), mode="r"))
            R.flat[:: len(R) + 1] += R.diagonal() == 0  # a direction in which nothing varies, at no cost
            T, weighted = _solved(R, T.T, transposed=True).T, _solved(R, weighted.T, transposed=True).T
        return cls(P=P, R=R, T=T, weighted=weighted, sigma=sigma)

    def costs(self) -> Floats:
        """Return the matrix of the program's costs of alpha and u."""
        H = np.eye(self.P.shape[1] + 1)
        H[1:, 1:] = self.weighted.T @ self.weighted
        return H

    def coordinates(self, vector: Floats) -> Floats:
        """Return the products of a vector with the basis."""
        return _solved(self.R, self.P.T @ vector, transposed=True)

    def direction(self, u: Floats) -> Floats:
        """Return ``sigma P u`` in local columns."""
        return np.asarray(self.sigma * (self.P @ _solved(self.R, u)))


def _depend(T: Floats, weighted: Floats) -> bool:
    from scipy.linalg.lapack import dpotrf

    some = T[:: max(1, len(T) // (_ROWS_A_COLUMN * T.shape[1]))] if T.size else T
    gram = some.T @ some / len(some) + weighted.T @ weighted
    if not (gram.size and np.isfinite(gram).all()):
        return False
    size = np.sqrt(gram.diagonal())
    if size.min() < _DEPENDENT:
        return True
    gram /= np.outer(size, size)
    gram.flat[:: len(gram) + 1] -= _DEPENDENT
    return bool(dpotrf(gram)[1])  # is not positive definite


def _solved(R: Floats, right: Floats, *, transposed: bool = False) -> Floats:
    from scipy.linalg import solve_triangular

    if not len(R):
        return right
    return np.asarray(solve_triangular(R, right, trans="T" if transposed else "N", check_finite=False))
