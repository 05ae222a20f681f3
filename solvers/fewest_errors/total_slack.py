"""The least total slack: how much, not how often, a hyperplane has to be wrong; a linear program, as an interval."""

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from maxmargin.solvers.answers.answer_text import NamedAnswer, rounded_up, through
from maxmargin.solvers.answers.cards import between
from maxmargin.solvers.answers.statuses import Status
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.engines import highs_lp
from maxmargin.solvers.exact.dyadic import round_down, round_up, width_of
from maxmargin.solvers.exact.linear import null_vectors
from maxmargin.solvers.fewest_errors.fewest_incumbent import MOST_ENTRIES
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.problem.candidate import SolverRun
from maxmargin.solvers.problem.distinct_rows import DistinctRows
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.certificate import CommonHullPoint, SeparatingHyperplane
from maxmargin.solvers.proof.margins import exact_functional_margins
from maxmargin.solvers.proof.soft_bounds import slack_upper_bound
from maxmargin.solvers.separability.cone.cone_rows import SignedRows
from maxmargin.solvers.separability.feasibility import separability
from maxmargin.solvers.separability.proven_verdict import ProvenVerdict
from maxmargin.solvers.soft_margin.soft_bracket import RELATIVE_GAP, best_offset, slack_of

# Distance from 0 or from its greatest value below which a weight of a vertex is taken to be there.
_AT_BOUND = 1e-7

# w and b; exact multipliers by row.
Plane = tuple[Floats, float]
Dual = dict[int, Fraction]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class TotalSlack(NamedAnswer):
    """The least total slack: min sum xi subject to y(w.x + b) >= 1 - xi, xi >= 0, with w and b free.

    It is 0 if and only if the data are strictly separable. Every error has slack 1 or more, so the least total slack is
    at least the fewest errors. The 1 is only a unit: any other positive number multiplies the answer.

    Attributes
    ----------
    status : Status
        How the question ended.
    lower, upper : float
        The proven ends, rounded outwards: `upper` is the total slack of (w, b), and `lower` comes from the dual.
    w : ndarray of shape (n_features,)
        The normal of the hyperplane.
    b : float
        Its offset.
    slack : ndarray of shape (n_samples,)
        xi = max(0, 1 - y(w.x + b)).
    dual : mapping of int to Fraction
        Multipliers 0 < a <= 1 by row with sum a y (x, 1) = 0, through the origin sum a y x = 0. Their sum is a lower
        bound of every total slack.
    attempts : tuple of SolverRun
        The solver runs, with what each solver claimed.
    bias : bool
        Whether hyperplanes have a bias.
    positive : label or None
        The class that is +1.
    positive_reason : str or None
        Why that class is +1.
    negative : label or None
        The class that is -1; ``"rest"`` for several.
    names : Names
        What the rows and the columns are called.

    See Also
    --------
    maxmargin.least_total_slack : Find it.

    Examples
    --------
    >>> import maxmargin as mm
    >>> answer = mm.least_total_slack([[0.0], [1.0], [2.0]], [0, 1, 0])
    >>> answer.lower, answer.upper, answer.gap
    (2.0, 2.0, 0.0)
    """

    status: Status
    lower: float
    upper: float
    w: Floats
    b: float
    slack: Floats
    dual: Dual
    attempts: tuple[SolverRun, ...] = ()
    bias: bool = True

    def summary(self) -> str:
        """Return the interval, as in the text of ``maxmargin fewest-errors``, and the hyperplane."""
        return "\n".join([self.interval_text, *self.names.plane_lines(self.w, self.b)])

    @property
    def interval_text(self) -> str:
        """The proven interval in one line."""
        offset = " + b" if self.bias else ""
        what = f"least total slack{through(self.bias)}, sum of (1 - y(w.x{offset}))_+"
        return f"{what}, proven: [{self.lower!r}, {self.upper!r}]"

    def fields(self) -> dict[str, Any]:
        """Return the fields of ``total_slack`` in ``maxmargin fewest-errors --json``."""
        numbers = self._attributes("lower", "upper", "gap", "w", "b")
        return {"status": self.status.value, **numbers, "attempts": [asdict(run) for run in self.attempts]}

    def _card_fields(self) -> dict[str, Any]:
        return {
            "least total slack, proven": between(self.lower, self.upper),
            "width of the interval": rounded_up(self.gap, 2),
            "rows with slack": int((self.slack > 0).sum()),
            "rows in error": int((self.slack >= 1).sum()),
        }

    @property
    def headline(self) -> str:
        """The status and the proven interval."""
        return f"{self.status.value}: least total slack in [{self.lower!r}, {self.upper!r}]"

    @property
    def gap(self) -> float:
        """``upper - lower``, rounded up."""
        return width_of(self.lower, self.upper)


def least_total_slack(
    problem: Problem, *, time_limit: float | None = None, verdict: ProvenVerdict | None = None
) -> TotalSlack:
    """Find the least sum of slacks of a hyperplane, as a proven interval.

    With multipliers 0 <= a <= 1 and sum a y (x, 1) = 0 every (w, b) has sum xi >= sum a xi >= sum a (1 - y(w.x + b)) =
    sum a, so these prove the lower end; a vertex of the linear program is solved again in rational arithmetic.

    Parameters
    ----------
    problem : Problem
    time_limit : float, optional
        Seconds after which work stops with the results proven by then.
    verdict : ProvenVerdict, optional
        The proven answer of `separability` for this problem, where it is known already.

    Examples
    --------
    >>> answer = least_total_slack(Problem.validated([[0, 0], [1, 1], [0, 1], [1, 0]], [-1, -1, 1, 1]))
    >>> answer.lower, answer.upper
    (4.0, 4.0)
    """
    limits = Limits(time_limit=time_limit)
    verdict = verdict or separability(problem, time_limit=limits.share())
    if isinstance(verdict.certificate, SeparatingHyperplane):
        return _without_slack(problem, verdict.certificate, verdict.attempts, limits)
    attempts = list(verdict.attempts)
    planes, duals = _constants(problem), [_of_witness(verdict)]
    if problem.n_samples * (problem.n_features + problem.bias) <= MOST_ENTRIES and not limits.is_over():
        plane, dual = _from_vertex(problem, attempts, limits)
        planes += [plane] if plane is not None else []
        duals.append(dual)
    return _best(problem, planes, duals, tuple(attempts), stopped=limits.is_over())


def _constants(problem: Problem) -> list[Plane]:
    """Return the hyperplanes with w = 0."""
    zero = np.zeros(problem.n_features)
    return [(zero, b) for b in ((-1.0, 0.0, 1.0) if problem.bias else (0.0,))]


def _without_slack(
    problem: Problem, plane: SeparatingHyperplane, attempts: tuple[SolverRun, ...], limits: Limits
) -> TotalSlack:
    """Return the plane stretched so far that rounding leaves no slack."""
    factor = 2 / plane.least_functional_margin
    try:
        stretched = np.array([float(v * factor) for v in plane.w]), float(plane.b * factor)
    except OverflowError:
        return _best(problem, _constants(problem), [{}], attempts, stopped=False)
    planes = [stretched]
    if _total(problem, *stretched) != 0:
        planes += _constants(problem)
        found = hard_margin(problem, time_limit=limits.share())  # its plane of floats: beside large rows few b are left
        planes += [] if found.w is None or found.b is None else [(2 * found.w, 2 * found.b)]
    return _best(problem, planes, [{}], attempts, stopped=False)


def _best(
    problem: Problem, planes: list[Plane], duals: list[Dual], attempts: tuple[SolverRun, ...], *, stopped: bool
) -> TotalSlack:
    """Return the interval that the best plane and the best multipliers prove."""
    totals = [_total(problem, w, b) for w, b in planes]
    upper, position = min((total, position) for position, total in enumerate(totals) if total is not None)
    dual = max(duals, key=lambda weights: sum(weights.values(), Fraction(0)))
    lower = sum(dual.values(), Fraction(0))
    w, b = planes[position]
    is_closed = upper - lower <= Fraction(RELATIVE_GAP) * upper
    status = Status.OPTIMAL if is_closed else Status.LIMIT if stopped else Status.NUMERICAL
    low, high, slack, bias = round_down(lower), round_up(upper), _slack(problem, w, b), problem.bias
    return TotalSlack(
        status=status, lower=low, upper=high, w=w, b=b, slack=slack, dual=dual, attempts=attempts, bias=bias
    )


def _slack(problem: Problem, w: Floats, b: float) -> Floats:
    """Return the slack of every row, of few entries each rounded once."""
    if problem.n_samples * problem.n_features > problem.sizes.exact_entries:
        return slack_of(problem, w, b)
    margins = exact_functional_margins(problem, np.arange(problem.n_samples), w, b)
    return np.array([round_up(max(1 - margin, Fraction(0))) for margin in margins])


def _total(problem: Problem, w: Floats, b: float) -> Fraction | None:
    """Return the total slack of a plane, of many entries a little more; None where that overflows."""
    if problem.n_samples * problem.n_features > problem.sizes.exact_entries:
        return slack_upper_bound(problem, w, b, np.ones(problem.n_samples))
    margins = exact_functional_margins(problem, np.arange(problem.n_samples), w, b)
    return sum((1 - margin for margin in margins if margin < 1), Fraction(0))


def _of_witness(verdict: ProvenVerdict) -> Dual:
    """Return the weights of the common point of the hulls, the greatest of them 1."""
    point = verdict.witness
    if not isinstance(point, CommonHullPoint):
        return {}
    most = max(point.weights)
    return {row: Fraction(weight, most) for row, weight in zip(point.rows, point.weights, strict=True)}


def _from_vertex(problem: Problem, attempts: list[SolverRun], limits: Limits) -> tuple[Plane | None, Dual]:
    """Return the plane and the multipliers of a vertex, the latter exact, or none."""
    kinds = DistinctRows.of(problem)
    cone = SignedRows(kinds.problem)
    found = highs_lp.greatest_combination(
        cone.scaled(np.arange(len(kinds.counts))), kinds.counts.astype(np.float64), attempts,
        time_limit=limits.seconds_left,
    )  # fmt: skip
    if found is None:
        return None, {}
    weights, direction = found
    dual = _exact(cone, kinds, weights)
    try:
        w = np.array([float(v) for v in cone.home(direction)[: problem.n_features]])
    except OverflowError:
        return None, dual
    return (w, best_offset(problem, w, np.ones(problem.n_samples))), dual


def _exact(cone: SignedRows, kinds: DistinctRows, weights: Floats) -> Dual:
    """Return the multipliers of all rows at the vertex near the weights; none where it is no vertex."""
    full = np.flatnonzero(weights > kinds.counts - _AT_BOUND)
    inner = np.setdiff1d(np.flatnonzero(weights > _AT_BOUND), full)
    table, _ = cone.integers(np.concatenate([inner, full]))
    counts: list[int] = kinds.counts.tolist()
    rest = np.array([counts[kind] for kind in full.tolist()], dtype=object).dot(table[len(inner) :])
    vectors = null_vectors([*map(list, zip(*table[: len(inner)].tolist(), rest.tolist(), strict=True))])
    if len(vectors) != 1 or vectors[0][0] != len(inner):
        return {}
    *numerators, unit = vectors[0][1]
    exact = {kind: Fraction(v, unit) for kind, v in zip(inner.tolist(), numerators, strict=True)}
    if not all(0 <= weight <= counts[kind] for kind, weight in exact.items()):
        return {}
    exact |= {kind: Fraction(counts[kind]) for kind in full.tolist()}
    return {row: exact[kind] / counts[kind] for row, kind in enumerate(kinds.kind_of.tolist()) if exact.get(kind)}
