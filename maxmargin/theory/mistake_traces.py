"""A perceptron's run mistake by mistake: the two curves of Novikoff's proof, the certificate, the potential."""

import copy
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from maxmargin.api.question import Question
from maxmargin.api.running import generator_of, in_time, run_perceptron
from maxmargin.solvers.answers.answer_text import Result, counted, plain, rounded_down, rounded_up
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.basics.option_values import whole_number
from maxmargin.solvers.exact.dyadic import sqrt_up
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.perceptron.exact_states import ExactState, ExactStateSizes, Interval, exact_states, intervals
from maxmargin.solvers.perceptron.result import PerceptronRun
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.novikoff import NovikoffInequality, Violation
from maxmargin.text.progress import shows_progress, waiting
from maxmargin.theory.context import augmented
from maxmargin.theory.trace import MISTAKE_TITLES
from maxmargin.theory.trace_points import ProofSpace, margin_columns, proof_columns, violations_along

# The least number of traced mistakes of a long run, and the greatest one by default.
FEWEST_POINTS, MOST_POINTS = 2, 500

# The mistakes up to a traced one, and the exact state of the run after it.
Passed = tuple[Interval, ExactState]

# Names of the columns of a trace.
COLUMNS = tuple(MISTAKE_TITLES)


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceSizes:
    """Limits of the work of a trace, which make it have fewer points.

    Attributes
    ----------
    most_read : int
        Largest number of matrix entries that are read for all traced mistakes together, some seconds of work.
    enough : int
        Number of mistakes that are traced however many entries are read for them.
    most_added : int
        Largest number of entries of mistaken rows that are added up as integers, some seconds of work; two mistakes are
        always traced.
    most_kept : int
        Largest number of integers that the exact weights at all traced mistakes have together.
    states : ExactStateSizes
    """

    most_read: int = 1_000_000_000
    enough: int = 10
    most_added: int = 20_000_000
    most_kept: int = 2_000_000
    states: ExactStateSizes = field(default_factory=ExactStateSizes)


# Fields of a trace that are not numbers.
_PARTS = ("inequalities", "violations", "run")


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class MistakeTrace(Result):
    """A run from w = 0 right after chosen mistakes, in the space (x, s) of the run unless stated otherwise.

    Novikoff's proof squeezes M between two curves, M g <= w.u <= ||w|| <= sqrt(sum ||x||^2) <= sqrt(M) R, for any u of
    norm 1 with y u.x >= g > 0. Here u is the direction of the maximum-margin hyperplane that was found, and g = g(u)
    its own least margin. These inequalities, and the decrease of the potential, were checked in exact arithmetic
    (`violations`); the columns are these very numbers, rounded once. Without a u that is proven to separate, the
    columns that need one are nan.

    Attributes
    ----------
    n_mistakes : ndarray of int
        The number M of mistakes so far. For long runs these are the first ones, followed by others that are evenly
        spaced on a logarithmic scale.
    row : ndarray of int
        The row of that mistake; -1 if it is not known.
    w_dot_u : ndarray
        w.u, rounded down; it is at least ``w_dot_u_at_least``.
    w_dot_u_at_least : ndarray
        M g(u), rounded down.
    norm : ndarray
        ||w||, rounded up.
    cosine : ndarray
        w.u/||w||, rounded down; nan at w = 0.
    root_of_squares : ndarray
        sqrt(sum ||x||^2) over the mistakes so far, rounded up; it is at most ``norm_at_most``.
    norm_at_most : ndarray
        sqrt(M) R, rounded up.
    potential : ndarray
        P = 1/2 ||c u - w||^2 with c = R^2/g(u), rounded up.
    potential_drop : ndarray
        The decrease of the potential since w = 0, where it was R^4/(2 g(u)^2), in units of R^2/2, rounded down: at
        least M and at most R^2/g(u)^2.
    lower, upper : ndarray
        Proven ends of the maximum margin g*: the least y w.x/||w|| over all rows, rounded down (-infinity at w = 0),
        and ||w||/M, rounded up.
    margin, margin_upper : ndarray
        The same for gamma* in the user's space, as in `PerceptronRun`; nan if it is None there.
    radius : float
        R, rounded up.
    u : ndarray or None
        The direction u of norm 1, rounded; with a bias the last entry belongs to s.
    u_margin : float
        g(u), rounded down; nan without u.
    bound : float
        R^2/g(u)^2, rounded up: Novikoff's bound on M; nan without u.
    maximum_lower, maximum_upper : float
        Proven ends of g*, from the maximum-margin problem.
    inequalities : tuple of NovikoffInequality
        The inequalities that were checked after every traced mistake: all of them, or without u the ones that need no
        u.
    violations : tuple of Violation
        The inequalities that are false. There is none unless rounding decided what is a mistake (``run.n_uncertain``).
    reason : str
        Why there is no u; empty if there is one.
    run : PerceptronRun
        The run that was traced.

    See Also
    --------
    maxmargin.mistake_trace : Make a trace.

    Examples
    --------
    >>> import maxmargin as mm
    >>> trace = mm.mistake_trace([[1.0], [2.0]], [0, 1])
    >>> trace.n_mistakes.tolist()
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13]
    >>> trace.holds, bool(trace.n_mistakes[-1] <= trace.bound)
    (True, True)
    """

    n_mistakes: Rows
    row: Rows
    w_dot_u: Floats
    w_dot_u_at_least: Floats
    norm: Floats
    cosine: Floats
    root_of_squares: Floats
    norm_at_most: Floats
    potential: Floats
    potential_drop: Floats
    lower: Floats
    upper: Floats
    margin: Floats
    margin_upper: Floats
    radius: float
    u: Floats | None
    u_margin: float
    bound: float
    maximum_lower: float
    maximum_upper: float
    inequalities: tuple[NovikoffInequality, ...]
    violations: tuple[Violation, ...]
    reason: str
    run: PerceptronRun

    def to_dict(self) -> dict[str, Any]:
        """Return the columns and the numbers of the trace in Python's own types, and the run as its own fields."""
        own = {entry.name: getattr(self, entry.name) for entry in fields(self) if entry.name not in _PARTS}
        checks = {
            "inequalities": [str(inequality) for inequality in self.inequalities],
            "violations": [asdict(violation) for violation in self.violations],
        }
        return {**plain({**own, **checks}), "run": self.run.to_dict()}

    def _card_fields(self) -> dict[str, Any]:
        known = self.u is not None
        return {
            "mistakes": self.run.n_mistakes,
            "Novikoff's bound": rounded_up(self.bound) if known else None,
            "R": rounded_up(self.radius),
            "g(u)": rounded_down(self.u_margin) if known else None,
            "inequalities checked": len(self.inequalities),
            "violations": len(self.violations),
        }

    @property
    def headline(self) -> str:
        """How many mistakes are traced, and how often an inequality is false."""
        return f"of {self._where}: {counted(len(self.violations), 'violation')}"

    @property
    def _where(self) -> str:
        return f"{len(self.n_mistakes):,} of {counted(self.run.n_mistakes, 'mistake')}"

    def summary(self) -> str:
        """Return what is the same for all traced mistakes, and what was checked, in a sentence or two."""
        sizes = f"R = {self.radius:.6g}" + ("" if self.u is None else f", g = {self.u_margin:.6g}")
        verdict = "true" if self.holds else f"FALSE {len(self.violations)} times"
        why = f" No u: {self.reason}." if self.reason else ""
        return f"{sizes}. Checked exactly at {self._where}, {verdict}: {'; '.join(self.inequalities)}.{why}"

    @property
    def holds(self) -> bool:
        """Whether every inequality that was checked is true."""
        return not self.violations

    @property
    def is_whole(self) -> bool:
        """Whether every mistake is traced."""
        return len(self.n_mistakes) == self.run.n_mistakes

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the columns by name."""
        return {name: getattr(self, name) for name in COLUMNS}


@shows_progress(waiting, "tracing the mistakes")
def mistake_trace(
    X: Any,
    y: Any = None,
    *,
    bias: bool | None = None,
    positive: object = None,
    bias_scale: float | Literal["best"] = 1.0,
    zero: str = "mistake",
    order: str = "cyclic",
    max_epochs: int | None = None,
    max_mistakes: int | None = 10_000_000,
    time_limit: float | None = None,
    verbose: bool = False,
    rng: "np.random.Generator | int | None" = None,
    most_points: int = MOST_POINTS,
) -> MistakeTrace:
    """Run the perceptron and follow Novikoff's proof along its mistakes.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        Finite numbers that binary64 holds exactly.
    y : array_like of shape (n_samples,), or str, optional
        Labels of two classes, the name of their column or a formula, as in `maxmargin.separability`; None for a
        Dataset. Of more classes, `positive` has to choose one.
    bias : bool, optional
        If True, the default, the run is in the space of the rows (x, s) with the constant coordinate s = `bias_scale`.
        If False, it goes through the origin. A formula decides it.
    positive : label, optional
        The label that is +1, against all others.
    bias_scale : float or "best", default 1.0
        The constant coordinate s, as in `maxmargin.perceptron`.
    zero : {"mistake", "positive", "negative"}, default "mistake"
        What a score y w.x of exactly 0 counts as: always as a mistake, or as a prediction of +1 or of -1.
    order : {"cyclic", "shuffled-once", "reshuffled-each-epoch", "random"}, default "cyclic"
        The order of presentation.
    max_epochs : int or None, default None
        Largest number of epochs; None is no limit.
    max_mistakes : int or None, default 10_000_000
        Largest number of mistakes; None is no limit.
    time_limit : float, optional
        Seconds, of which half are for the run, a quarter for the maximum margin, and the rest for the trace. If they
        are over before the trace begins, two mistakes are traced. There is no limit by default.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.
    rng : numpy.random.Generator or int, optional
        The generator, or a seed, for the orders that are random.
    most_points : int, default 500
        Largest number of mistakes that are traced, at least 2. It is lowered for very large data, whose rows are read
        for each of them.

    Returns
    -------
    MistakeTrace
        The quantities of the proof after the traced mistakes, each rounded to the safe side.

    Raises
    ------
    InvalidProblemError
        If the data do not state a question about two classes, or ``bias_scale="best"`` is asked for data without a
        proven separating hyperplane.
    InvalidOptionError
        If an option has a value that it does not take.

    See Also
    --------
    maxmargin.perceptron : Run the perceptron without a trace.
    maxmargin.mistake_bounds : Bound the number of mistakes.

    References
    ----------
    .. [1] A. B. J. Novikoff, "On convergence proofs on perceptrons", Symposium on the Mathematical Theory of Automata
       12 (1962), 615-622.

    Examples
    --------
    >>> trace = mistake_trace([[10.0], [12.0]], [0, 1])
    >>> int(trace.n_mistakes[-1]), trace.holds, len(trace.inequalities)
    (233, True, 4)
    >>> bool(trace.lower[-1] <= trace.maximum_lower <= trace.maximum_upper <= trace.upper[-1])
    True
    """
    most_points = whole_number("most_points", most_points, FEWEST_POINTS)
    question = Question.of(X, y, bias=bias, positive=positive, time_limit=time_limit)
    problem, scale, time_limit = in_time(question.problem, bias_scale, question.limits.share())
    limits = Limits(time_limit=time_limit)
    generator = generator_of(rng)
    as_it_was = copy.deepcopy(generator)
    run = run_perceptron(
        problem,
        bias_scale=scale,
        zero=zero,
        order=order,
        max_epochs=max_epochs,
        max_mistakes=max_mistakes,
        time_limit=limits.share(2),
        rng=generator,
    )
    hard = space_margin(problem, scale, time_limit=limits.share(2))
    most_points = FEWEST_POINTS if limits.is_over() else most_points
    return trace_of(problem, run, hard, rng=as_it_was, most_points=most_points)


def space_margin(problem: Problem, scale: float, *, time_limit: float | None = None) -> HardMargin:
    """Return the maximum margin through the origin of the space of a run with this constant coordinate."""
    from maxmargin.solvers.hard_margin.hard_margin import hard_margin

    return hard_margin(augmented(problem, scale) if problem.bias else problem, time_limit=time_limit)


def trace_of(
    problem: Problem,
    run: PerceptronRun,
    hard: HardMargin,
    *,
    rng: np.random.Generator | None = None,
    most_points: int = MOST_POINTS,
    sizes: TraceSizes | None = None,
    passed: Sequence[Passed] | None = None,
) -> MistakeTrace:
    """Return the trace of a run, finished or not.

    Parameters
    ----------
    problem : Problem
        What the perceptron ran on.
    run : PerceptronRun
    hard : HardMargin
        Of the space of the run: of the rows (x, s), or of `problem` itself through the origin.
    rng : numpy.random.Generator, optional
        In its state before the run, because a run with more mistakes than were logged is repeated.
    most_points : int
    sizes : TraceSizes, optional
    passed : sequence of (Interval, ExactState), optional
        What `passed_mistakes` returned for these arguments, if it is known.
    """
    if passed is None:
        passed = passed_mistakes(problem, run, rng=rng, most_points=most_points, sizes=sizes)
    scale = run.settings.bias_scale if problem.bias else 0.0
    space = ProofSpace.of(problem, scale, hard)
    standings = [space.standing(moment) for _, moment in passed]
    return MistakeTrace(
        n_mistakes=np.array([interval.last for interval, _ in passed], dtype=np.int64),
        row=np.array([interval.last_row for interval, _ in passed], dtype=np.int64),
        **proof_columns(space, standings),
        **margin_columns(problem, scale, [moment for _, moment in passed]),
        radius=sqrt_up(space.novikoff.radius_squared),
        u=space.u,
        u_margin=space.u_margin,
        bound=space.bound,
        maximum_lower=hard.lower,
        maximum_upper=hard.upper,
        inequalities=space.novikoff.inequalities,
        violations=violations_along(space.novikoff, standings),
        reason=space.reason,
        run=run,
    )


def passed_mistakes(
    problem: Problem,
    run: PerceptronRun,
    *,
    rng: np.random.Generator | None = None,
    most_points: int = MOST_POINTS,
    sizes: TraceSizes | None = None,
) -> list[Passed]:
    """Return the mistakes that are traced, each with the exact state of the run after it; arguments as `trace_of`."""
    sizes = sizes or TraceSizes()
    found = intervals(problem, run, most=_affordable(problem, run, most_points, sizes), rng=rng)
    return [*zip(found, exact_states(problem, found, sizes.states), strict=True)]


def _affordable(problem: Problem, run: PerceptronRun, most_points: int, sizes: TraceSizes) -> int:
    """Return how many mistakes can be traced within seconds."""
    n_mistaken = int(np.count_nonzero(run.mistake_counts))
    n_rows, n_columns = problem.row_source.shape
    return min(
        most_points,
        max(sizes.enough, sizes.most_read // (n_rows * n_columns)),
        max(2, sizes.most_added // max(1, n_mistaken * n_columns)),
        max(2, sizes.most_kept // n_columns),
    )
