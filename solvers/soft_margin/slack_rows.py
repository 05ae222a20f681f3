"""Which rows have slack at the optimum of a soft margin or a nu-SVM, from the exact solution of its KKT conditions.

Computed slacks do not tell: rounding leaves some on rows of the margin. Nor do multipliers: those of rows with slack
are often computed a little below their bounds. Both are a guess of the rows on the margin. If the multipliers of the
other rows are 0 or at their bounds, those on the margin and the hyperplane solve a linear system (Vapnik, Statistical
Learning Theory, 1998, section 10.1). A solution that satisfies the conditions of Karush, Kuhn and Tucker for all rows,
which is checked in exact arithmetic, is an optimum.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats, Mask, Rows
from maxmargin.solvers.engines.interior_point.interior_point import center_of
from maxmargin.solvers.exact.dyadic import Integers, as_fraction, over_common_denominator, round_up
from maxmargin.solvers.exact.linear import combination, independent_rows
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.hulls import add_scaled, weighted_sum
from maxmargin.solvers.proof.margins import enclose_excess, norm_squared
from maxmargin.solvers.proof.sums import rounding_error

# Multipliers that are not solved for are multiples of their bounds divided by 2 to this power.
_DIGITS = 60

# Largest numbers of independent rows on the margin, and of linear systems: one takes up to some tenths of a second.
_MOST_ROWS, _MOST_STEPS = 80, 40

# Distance from an end, as a fraction of the bound, up to which a multiplier that is not solved for is moved there.
_AT_END = 1e-9

# Largest part of its bound that a multiplier outside is taken for.
_FAR = 1e100

# Largest size of rows whose squares are below the normal range of binary64.
_LOST_SIZE = 2.0**-500


class Optimum(NamedTuple):
    """What is proven about an optimum; the hyperplane has the offset in the middle where several are optimal.

    Attributes
    ----------
    w : list of Fraction
    value : Fraction
        The optimum.
    has_slack : ndarray (n_samples,) of bool
    is_unique : bool or None
        Whether b (and rho, for a nu-SVM) are unique, as w always is; None if their intervals have no end.
    """

    w: list[Fraction]
    value: Fraction
    has_slack: Mask
    is_unique: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SlackProgram:
    """The program min 1/2 ||w||^2 + sum c_i xi_i, y_i (w.x_i + b) >= 1 - xi_i, xi_i >= 0, or that of a nu-SVM.

    With a mass the program is min 1/2 ||w||^2 - mass rho + sum c_i xi_i, y_i (w.x_i + b) >= rho - xi_i, xi_i >= 0.

    Attributes
    ----------
    problem : Problem
    costs : ndarray (n_samples,) of int
        The c_i in units.
    unit : Fraction
    mass : Fraction, optional
        The sum of all multipliers.
    """

    problem: Problem
    costs: Integers
    unit: Fraction
    mass: Fraction | None = None

    def optimum_near(
        self, parts: Floats, slack: Floats, offsets: Sequence[float], is_over: Callable[[], bool]
    ) -> Optimum | None:
        """Return what is proven; None if no exact optimum was found, or it would take too long.

        This is an active-set method: one row after the other joins or leaves those whose multipliers are solved for.

        Parameters
        ----------
        parts : ndarray (n_samples,)
            Multipliers near the optimal ones, as parts of their bounds.
        slack : ndarray (n_samples,)
            1 - y(w.x + b), or for a nu-SVM 1 - y(w.x + b)/rho.
        offsets : sequence of float
            b, if there is a bias, and rho of a nu-SVM; they are kept where they are not unique.
        is_over : callable
        """
        parts = parts.copy()
        is_beyond = -slack > np.maximum(parts, _AT_END)
        sides = np.where(slack > np.maximum(1 - parts, _AT_END), 1, np.where(is_beyond, -1, 0))
        sides[self.costs == 0] = 1
        for _ in range(_MOST_STEPS):
            free = np.flatnonzero(sides == 0)
            if is_over():
                return None
            inner = np.minimum(parts, 1 - parts)[free]
            fixed = np.where(sides == 0, _ends(parts), sides > 0)
            point = _solved(self, free[np.argsort(-inner, kind="stable")], fixed, [*map(Fraction, offsets)])
            if point is None:
                return None
            if _is_blocked(point, parts, sides, self.costs):
                continue
            sign, size = point.excess(self.problem)
            wrong = ((sign > 0) & (point.fixed > 0)) | ((sign < 0) & (point.fixed < self.costs << _DIGITS))
            wrong[point.rows] = False
            if not wrong.any():
                return self._described(point, sign)
            if (wrong & (sides == 0)).any():
                return None
            sides[np.flatnonzero(wrong)[np.abs(size[wrong]).argmax()]] = 0
        return None

    def columns(self, rows: Rows) -> list[Integers]:
        """Return the coefficients of the offsets: b, if there is a bias, and rho of a nu-SVM."""
        of_b = [self.problem.signs(rows)] if self.problem.bias else []
        return of_b if self.mass is None else [*of_b, np.full(len(rows), -1, dtype=object)]

    @property
    def totals(self) -> list[Fraction]:
        """The sums over all rows of these coefficients times the multipliers."""
        of_b = [Fraction(0)] if self.problem.bias else []
        return of_b if self.mass is None else [*of_b, -self.mass]

    def _described(self, point: "_KktPoint", sign: NDArray[np.int64]) -> Optimum | None:
        """Return what the signs of y(w.x + b) - 1, or - rho, prove; None if b is an end of its interval."""
        positive = self.problem.y > 0
        is_unique: bool | None = True
        everywhere = np.ones(len(sign), dtype=np.bool_)
        groups: list[tuple[Mask, Mask, Fraction]] = []  # each: rows, those below its offset, the mass to lie below
        if self.mass is None and self.problem.bias:
            groups = [(everywhere, sign * self.problem.y > 0, self.costs[positive].sum() * self.unit)]
        elif self.mass is not None:
            halves = [(group, sign < 0, self.mass / 2) for group in (positive, ~positive)]
            groups = halves if self.problem.bias else [(everywhere, sign < 0, self.mass)]
        for group, below, mass in groups:
            at = group & (sign == 0) & (self.costs > 0)
            less, whole = (self.costs[rows].sum() * self.unit for rows in (group & below, group))
            if mass in (less, less + self.costs[at].sum() * self.unit):
                if at.any() and mass < whole:
                    return None
                is_unique = None if mass == whole or is_unique is None else False
        total = 0 if self.mass is not None else point.fixed.sum() + sum(point.multipliers)
        value = total * self.unit / (1 << _DIGITS) - norm_squared(point.w) / 2
        return Optimum(point.w, value, sign < 0, is_unique)


@np.errstate(all="ignore")
def rows_by_gap(
    problem: Problem, w: Floats, margins: Floats, offset: float, dual: Floats, costs: Floats, gap: float
) -> tuple[Mask, Mask]:
    """Return the rows that have slack at every optimum, and those that have none, as far as the gap of both ends tells.

    The optimal normal is at most sqrt(2 gap) from w, because the objective is strongly convex in it. For a row with
    multiplier a and cost c the slack of an optimum is at most gap/(c - a), and its functional margin exceeds that of
    rows without slack by at most gap/a. So one such row in a class tells where the margin is beside the others.

    Parameters
    ----------
    problem : Problem
    w : ndarray (n_features,)
    margins : ndarray (n_samples,)
        y(w.x + b) less a level.
    offset : float
        The sum of the moduli of b and of the level.
    dual, costs : ndarray (n_samples,)
    gap : float
    """
    inside, outside = np.zeros((2, problem.n_samples), dtype=np.bool_)
    error = rounding_error(problem.column_sizes @ np.abs(w) + offset, problem.n_features + 3)
    sizes = np.concatenate(list(problem.map(partial(_sizes, center_of(problem)))))
    for group in (problem.y > 0, problem.y < 0):
        room = np.where(group, np.minimum(dual, costs - dual), 0.0)
        row = int(room.argmax())
        if room[row] > _AT_END * costs[row]:
            reach = math.sqrt(2 * gap) * (sizes + sizes[row]) + 2 * gap / room[row]
            reach = (reach + 2 * error) * (1 + _AT_END)
            beside = margins - margins[row]
            inside |= group & (beside < -reach)
            outside |= group & (beside >= reach)
    return inside, outside


@np.errstate(all="ignore")
def _sizes(center: Floats | None, _: slice, X: Any) -> Floats:
    """Return upper bounds, up to rounding, of the distances of rows from the center."""
    if hasattr(X, "tocsr"):
        squares = np.asarray(X.multiply(X).sum(axis=1)).ravel()
    else:
        rows = X if center is None else X - center
        squares = np.einsum("ij,ij->i", rows, rows)
    return np.asarray(np.sqrt(squares) + _LOST_SIZE)


@dataclass(frozen=True, slots=True, kw_only=True)
class _KktPoint:
    """A hyperplane with y(w.x + b) = level on some rows, and multipliers, in units divided by 2 to the `_DIGITS`.

    Attributes
    ----------
    rows : ndarray of int
        Those that the linear system was solved for.
    multipliers : list of Fraction
        Of these rows.
    fixed : ndarray (n_samples,) of int
        Those of the others.
    w : list of Fraction
    b, level : Fraction
    """

    rows: Rows
    multipliers: list[Fraction]
    fixed: Integers
    w: list[Fraction]
    b: Fraction
    level: Fraction

    def excess(self, problem: Problem) -> tuple[NDArray[np.int64], Floats]:
        """Return the exact sign of y(w.x + b) - level for every row, and about its size, up to a factor."""
        numbers = [*self.w, self.b, self.level]
        lower, upper = enclose_excess(problem, numbers)
        sign = (lower > 0).astype(np.int64) - (upper < 0)
        near = np.flatnonzero(sign == 0)
        numerators, _ = over_common_denominator(numbers)
        w = np.array(numerators[:-2], dtype=object)
        scores, exponent = problem.exact_products(near, problem.row_source[near], w)
        pairs = zip(near.tolist(), scores.tolist(), problem.signs(near).tolist(), strict=True)
        for row, score, y in pairs:
            value = y * (as_fraction(int(score), exponent) + numerators[-2]) - numerators[-1]
            sign[row] = (value > 0) - (value < 0)
        return sign, lower


def _ends(parts: Floats) -> Floats:
    """Return the parts, those next to 0 or 1 moved there."""
    return np.where(parts < _AT_END, 0.0, np.where(parts > 1 - _AT_END, 1.0, parts))


def _is_blocked(point: _KktPoint, parts: Floats, sides: NDArray[np.int64], costs: Integers) -> bool:
    """Move the multipliers towards those of the point; the first that reaches a bound on the way stays there."""
    bounds = [int(cost) << _DIGITS for cost in costs[point.rows].tolist()]
    target = np.array([round_up(value / bound) for value, bound in zip(point.multipliers, bounds, strict=True)])
    target = target.clip(-_FAR, _FAR)
    is_out = [not 0 <= value <= bound for value, bound in zip(point.multipliers, bounds, strict=True)]
    now, way = parts[point.rows], 1.0
    if any(is_out):
        room = np.where(target > now, 1 - now, now) / np.maximum(np.abs(target - now), np.finfo(np.float64).tiny)
        first = int(np.where(is_out, room, np.inf).argmin())
        way = min(1.0, float(room[first]))
        sides[point.rows[first]] = 1 if point.multipliers[first] > 0 else -1
    parts[point.rows] = np.clip(now + way * (target - now), 0.0, 1.0)
    return any(is_out)


def _solved(program: SlackProgram, free: Rows, fixed_parts: Floats, offsets: list[Fraction]) -> _KktPoint | None:
    """Return the point at which y(w.x + b) = level on a largest set of independent ones of the free rows.

    The multipliers of the others are such parts of their bounds, and an offset about which the rows say nothing is as
    given. None if the multipliers do not balance.
    """
    problem, unit = program.problem, program.unit / (1 << _DIGITS)
    entries, exponent = problem.exact_rows(free)
    table = np.column_stack([entries * problem.signs(free)[:, None], *program.columns(free)]).astype(object)
    chosen = independent_rows(table) if len(free) else []
    if len(chosen) > _MOST_ROWS:
        return None
    rows, Z, columns = free[chosen], table[chosen, : problem.n_features], table[chosen, problem.n_features :].T
    fixed = np.ldexp(fixed_parts, _DIGITS).astype(np.int64).astype(object) * program.costs
    fixed[rows] = 0
    others = np.flatnonzero(fixed)
    is_at_bound = fixed_parts[others] == 1  # most are, and their sum is cheap without so many digits
    bound, inner = others[is_at_bound], others[~is_at_bound]
    whole, whole_exponent = weighted_sum(problem, bound, program.costs[bound] * problem.signs(bound))
    part = weighted_sum(problem, inner, fixed[inner] * problem.signs(inner))
    sums, sums_exponent = add_scaled(whole, whole_exponent + _DIGITS, *part)
    fixed_sums = [(fixed[others] * column).sum() for column in program.columns(others)]
    missing = [total / unit - done for total, done in zip(program.totals, fixed_sums, strict=True)]
    # The equations z.w + columns.offsets = level are divided by the unit of the products of rows.
    scale, level = as_fraction(1, 2 * exponent) * unit, Fraction(program.mass is None)
    solved_for = independent_rows(columns) if columns.size else []
    known = [j for j in range(len(columns)) if j not in solved_for]
    products = Z.dot(np.array(sums, dtype=object)).tolist()
    right = [
        (level - sum(offsets[j] * column[j] for j in known)) / scale - as_fraction(product, sums_exponent - exponent)
        for column, product in zip(columns.T.tolist(), products, strict=True)
    ]
    solution = _kkt_solution(Z, columns[solved_for], right + [missing[j] for j in solved_for])
    multipliers, found = solution[: len(rows)], solution[len(rows) :]
    if [sum(a * c for a, c in zip(multipliers, column, strict=True)) for column in columns.tolist()] != missing:
        return None
    for j, value in zip(solved_for, found, strict=True):
        offsets[j] = value * scale
    numerators, denominator = over_common_denominator(multipliers)
    own = combination(Z, numerators) if len(rows) else [0] * problem.n_features
    w = [
        unit * (as_fraction(total, sums_exponent) + as_fraction(part, exponent) / denominator)
        for total, part in zip(sums, own, strict=True)
    ]
    b, level = offsets[0] if problem.bias else Fraction(0), offsets[-1] if program.mass is not None else level
    return _KktPoint(rows=rows, multipliers=multipliers, fixed=fixed, w=w, b=b, level=level)


def _kkt_solution(Z: Integers, columns: Integers, right: list[Fraction]) -> list[Fraction]:
    """Return the solution of [[Z Z', columns'], [columns, 0]] x = right; the rows of (Z, columns') are independent."""
    from flint import fmpz_mat

    if not right:
        return []
    corner = np.zeros((len(columns), len(columns)), dtype=object)
    matrix = np.block([[Z.dot(Z.T), columns.T], [columns, corner]])
    whole, unit = over_common_denominator(right)
    solution: Any = fmpz_mat(matrix.tolist()).solve(fmpz_mat([[value] for value in whole]))
    numerators, denominator = solution.numer_denom()
    return [Fraction(int(value), int(denominator) * unit) for value in numerators.entries()]
