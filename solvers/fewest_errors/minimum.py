"""The fewest errors of a hyperplane (0-1 loss): how far two classes are from being separable."""

from fractions import Fraction

import numpy as np

from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN, Status
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.limits import TIME_IS_OVER, Limits
from maxmargin.solvers.engines.textbook import backends
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.exact.dyadic import nearest_floats
from maxmargin.solvers.fewest_errors import fewest_incumbent
from maxmargin.solvers.fewest_errors.cover_search import UNITS, CoverSearch
from maxmargin.solvers.fewest_errors.fewest_incumbent import MOST_ENTRIES, Budget, Incumbent
from maxmargin.solvers.fewest_errors.fewest_solution import FewestErrors
from maxmargin.solvers.hard_margin.float_planes import best_float_plane
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.problem.candidate import Asked, Solver, SolverRun
from maxmargin.solvers.problem.distinct_rows import DistinctRows
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.certificate import CommonHullPoint, Overlap, QuasiSeparation, SeparatingHyperplane
from maxmargin.solvers.proof.margins import best_offset, n_errors, norm_squared
from maxmargin.solvers.separability.feasibility import separability
from maxmargin.solvers.separability.proven_verdict import ProvenVerdict

METHODS = ("auto", "cvxpy")

# Largest number of distinct rows for which the branch and bound takes all of them.
MAX_ROWS = 2000

# Default time limit, in seconds: the problem is NP-hard.
TIME_LIMIT = 60.0

# Each step before the branch and bound takes one of this number of equal shares of the time that is left.
_SHARES_OF_TIME = 4

# The same for the steps that are left, where the first nodes of the branch and bound take a share as well.
_SHARES_OF_STEPS = 2

# Number of nodes of the branch and bound after which, if it is not done, soft margins propose better planes.
_FIRST_NODES = 10

# The M of the textbook program, for columns of size about 1.
_BIG = 1e4


def fewest_errors(
    problem: Problem,
    *,
    method: str = "auto",
    solver: Asked = None,
    time_limit: float | None = TIME_LIMIT,
    max_rows: int = MAX_ROWS,
    verdict: ProvenVerdict | None = None,
    most_entries: int = MOST_ENTRIES,
    most_steps: int | None = None,
) -> FewestErrors:
    """Find the least number of rows with y_i (w.x_i + b) <= 0 over all hyperplanes, as a proven interval.

    The upper end is the number of errors of a hyperplane, counted in exact arithmetic. The lower end comes from
    circuits: sets of at most d + 2 rows that exact weights prove not to be strictly separable, so that one row of each
    has to be dropped.

    Parameters
    ----------
    problem : Problem
    method : {"auto", "cvxpy"}
        "cvxpy": the textbook mixed-integer program proposes a hyperplane first.
    solver : str or Solver, optional
        The cvxpy solver of this program, by default HiGHS. If it is given, "auto" calls it as well.
    time_limit : float or None
        Seconds after which the interval proven so far is returned.
    max_rows : int
        The largest number of distinct rows in the search. If there are more, the search takes this number of rows,
        those nearest to the best hyperplane; their fewest errors are a lower bound for all rows.
    verdict : ProvenVerdict, optional
        The proven answer of `separability` for this problem, if it is already known.
    most_entries : int
        Largest number of entries of the distinct rows for which they are held as one dense array.
    most_steps : int, optional
        Steps of the branch and bound and of the additions of rows, after which the interval proven so far is returned.
        On any machine they lead to the same interval; a step takes a nanosecond or two. None is no limit.

    Returns
    -------
    FewestErrors
        After Ctrl-C, the interval proven so far, with the reason `WHAT_WAS_PROVEN`.

    Raises
    ------
    InvalidOptionError
        If the method is unknown, the solver is not installed, or a limit makes no sense.

    Examples
    --------
    >>> answer = fewest_errors(Problem.validated([[0, 0], [1, 1], [0, 1], [1, 0]], [-1, -1, 1, 1]))
    >>> answer.lower, answer.upper
    (1, 1)
    """
    backends.check_method(method, METHODS, solver, of_cvxpy=METHODS)
    if max_rows < 1:
        raise InvalidOptionError(f"max_rows is {max_rows!r}; expected a number of rows from 1")
    if most_steps is not None and most_steps < 1:
        raise InvalidOptionError(f"most_steps is {most_steps!r}; expected a number of steps from 1, or None")
    solvers = backends.chosen(solver, backends.FEWEST_ERRORS_ORDER if method == "cvxpy" else ())
    budget = Budget.of(Limits(time_limit=time_limit), most_steps)
    return _Work(problem, budget, max_rows, most_entries).answer(verdict, solvers)


class _Work:
    """The results proven so far. Every attribute is valid at any moment, so the work may be interrupted anywhere."""

    def __init__(self, problem: Problem, budget: Budget, max_rows: int, most_entries: int) -> None:
        self.problem = problem
        self.budget, self.limits = budget, budget.limits
        self.kinds = DistinctRows.of(problem)
        self.best = Incumbent(self.kinds, most_entries)
        n_rows = min(max_rows, max(1, most_entries // self.best.cone.width))
        self.n_searched = min(n_rows, len(self.kinds.counts))
        self.search: CoverSearch | None = None
        self.searched: Rows = np.arange(len(self.kinds.counts))
        self.attempts: list[SolverRun] = []
        fewest_incumbent.offer_constants(self.best)

    def answer(self, verdict: ProvenVerdict | None, solvers: tuple[Solver, ...]) -> FewestErrors:
        """Return the best interval that the limits and Ctrl-C allow."""
        try:
            self._find(verdict or separability(self.problem, time_limit=self.limits.share(_SHARES_OF_TIME)), solvers)
            self._find_floats()
        except KeyboardInterrupt:
            return self._solution(WHAT_WAS_PROVEN)
        return self._solution("")

    def _find(self, verdict: ProvenVerdict, solvers: tuple[Solver, ...]) -> None:
        self.attempts += verdict.attempts
        if isinstance(verdict.certificate, SeparatingHyperplane):
            offset = [verdict.certificate.b] if self.problem.bias else []
            self.best.offer([*verdict.certificate.w, *offset], verdict.engine)
            return
        for solver in solvers:
            self._ask(solver)
        if self.best.is_small:
            fewest_incumbent.offer_pocket(self.best, self._share())
            fewest_incumbent.add_rows(self.best, self.budget.part(_SHARES_OF_STEPS, self._share()))
        if self.n_searched == len(self.kinds.counts):
            self.search = CoverSearch(self.best, self.budget.part(_SHARES_OF_STEPS))
            self.search.run(_FIRST_NODES)
        if self.lower < self.best.upper:
            self._offer_soft_margins()
            self._search()
        if self.search is not None and self.n_searched == len(self.kinds.counts):
            self.search.fall_back_on(self._known_weights(verdict))
        self._widen()

    def _known_weights(self, verdict: ProvenVerdict) -> dict[int, int]:
        """Return the weights, by distinct row, of the rows that prove that no hyperplane separates all."""
        known, weight_of = verdict.certificate, dict[int, int]()
        if isinstance(known, CommonHullPoint | Overlap | QuasiSeparation):
            for row, weight in zip(known.rows, known.weights, strict=True):
                kind = int(self.kinds.kind_of[row])
                weight_of[kind] = weight_of.get(kind, 0) + weight
        return weight_of

    def _ask(self, solver: Solver) -> None:
        """Offer the hyperplane that a mixed-integer solver finds for the textbook program."""
        from maxmargin.solvers.engines.textbook import formulations

        few = self.kinds.problem
        program = formulations.fewest_errors(
            few.scaling.apply(few.matrix), few.y, self.kinds.counts.astype(np.float64), bias=few.bias, big=_BIG
        )
        found = backends.solve(program, solver, time_limit=self.limits.share(_SHARES_OF_TIME))
        self.attempts.append(found.attempt)
        if found.w is not None and self.best.is_small:
            self.best.offer_floats(np.append(found.w, 0.0) if few.bias else found.w, found.engine)

    def _share(self) -> Limits:
        return self.limits.part(_SHARES_OF_TIME)

    def _offer_soft_margins(self) -> None:
        own = self._share()
        fewest_incumbent.offer_soft_margins(self.best, own)
        if self.best.is_small:
            fewest_incumbent.add_rows(self.best, self.budget.part(_SHARES_OF_STEPS, own))

    def _search(self) -> None:
        """Run the branch and bound, on the rows nearest to the best hyperplane if there are too many."""
        if self.search is None:
            self.searched = np.sort(np.argsort(np.abs(self.best.scores()), kind="stable")[: self.n_searched])
            kinds, positions = self.kinds, self.searched
            few, first, counts = kinds.problem.of_rows(positions), kinds.first[positions], kinds.counts[positions]
            kind_of = np.searchsorted(positions, kinds.kind_of[np.isin(kinds.kind_of, positions)])
            some = DistinctRows(problem=few, first=first, counts=counts, kind_of=kind_of)
            part = Incumbent(some, self.best.most_entries)
            part.offer(self.best.direction, self.best.engine)
            self.search = CoverSearch(part, self.budget)
        self.search.budget = self.budget
        self.search.run()
        self.best.offer(self.search.best.direction, self.search.best.engine)

    def _widen(self) -> bool:
        """Offer the maximum-margin hyperplane of the correctly classified rows, if both classes occur among them."""
        right = self.best.right
        if self.budget.is_over() or not self.best.is_small or len(set(self.kinds.problem.y[right].tolist())) < 2:
            return False
        hard = hard_margin(self.kinds.problem.of_rows(right), time_limit=self.limits.share(_SHARES_OF_TIME))
        if hard.w is None or hard.b is None:
            return False
        return self._is_as_good(np.append(hard.w, [hard.b] * self.problem.bias), hard.engine)

    def _find_floats(self) -> None:
        """Replace the best hyperplane by one of floats with as few errors, if one is found."""
        if self._is_as_good(self._rounded()):
            return
        found = self._plane_nearby()
        if found is None or not self._is_as_good(found):
            self._widen()

    @property
    def lower(self) -> int:
        """The proven lower bound of the fewest errors."""
        return min(self.search.lower, self.best.upper) if self.search is not None else 0

    def _solution(self, reason: str) -> FewestErrors:
        w, b, n_float_errors = self._in_floats()
        d = self.problem.n_features
        direction, lower, upper = self.best.direction, self.lower, self.best.upper
        witnesses, weights = self._packing()
        return FewestErrors(
            status=Status.OPTIMAL if lower == upper else Status.LIMIT,
            lower=lower,
            upper=upper,
            w=w,
            b=b,
            w_exact=direction[:d],
            b_exact=direction[d] if self.problem.bias else Fraction(0),
            n_float_errors=n_float_errors,
            error_rows=self.kinds.rows_of(self.best.errors),
            witnesses=witnesses,
            witness_weights=weights,
            n_nodes=0 if self.search is None else self.search.n_nodes,
            engine=self.best.engine,
            attempts=tuple(self.attempts),
            reason=reason or ("" if lower == upper else self._limit()),
            bias=self.problem.bias,
        )

    def _in_floats(self) -> tuple[Floats, float, int]:
        """Return the best hyperplane in binary64, and its errors; it replaces the exact one if it has as few."""
        rounded, d = self._rounded(), self.problem.n_features
        self._is_as_good(rounded)
        w, b = rounded[:d], float(rounded[d]) if self.problem.bias else 0.0
        return w, b, n_errors(self.problem, w, b)

    def _rounded(self) -> Floats:
        """Return the best hyperplane rounded, or the signs of its entries where they leave the range of binary64."""
        rounded = nearest_floats(self.best.direction)
        if rounded is None:
            rounded = np.array([float(v > 0) - float(v < 0) for v in self.best.direction])
        return rounded

    def _is_as_good(self, direction: Floats, engine: str = "") -> bool:
        """Offer a hyperplane of floats; return whether it has as few errors as the best."""
        return self.best.offer([*map(Fraction, direction.tolist())], engine or self.best.engine, or_equal=True)

    def _plane_nearby(self) -> Floats | None:
        """Return a hyperplane of floats with the rows of the best one on their side; None if none is found."""
        right, w = self.kinds.problem.of_rows(self.best.right), self.best.direction[: self.problem.n_features]
        if len(set(right.y.tolist())) < 1 + self.problem.bias:
            return None
        b, least = best_offset(right, w)
        plane = SeparatingHyperplane(problem=right, w=w, b=b, least_functional_margin=least)
        found = best_float_plane(right, plane, least**2 / norm_squared(w))
        return None if found is None else np.append(found.w, [found.b] * self.problem.bias)

    def _packing(self) -> tuple[tuple[CommonHullPoint, ...], tuple[Fraction, ...]]:
        """Return the witnesses of the packing at the root of the search, on rows of the problem, and their weights."""
        if self.search is None:
            return (), ()
        shares = self.search.packing
        first = self.kinds.first[self.searched]
        positions = np.flatnonzero(shares)
        witnesses = []
        for position in positions.tolist():
            kinds, weights = zip(*sorted(self.search.circuits[position].items()), strict=True)
            rows = tuple(first[list(kinds)].tolist())
            witnesses.append(CommonHullPoint(problem=self.problem, rows=rows, weights=weights))
        return tuple(witnesses), tuple(Fraction(share, UNITS) for share in shares[positions].tolist())

    def _limit(self) -> str:
        """Return why the ends of the interval do not meet."""
        if self.limits.is_over():
            return TIME_IS_OVER
        if self.budget.is_over():
            return "the search took as many steps as it may (most_steps)"
        return f"the search took {self.n_searched} of {len(self.kinds.counts)} distinct rows (max_rows)"
