"""The mistakes of the perceptron in many orders of the rows: random ones, those a search finds, and the worst."""

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from maxmargin.api.question import Question
from maxmargin.api.running import run_perceptron, seed_of, with_bias_scale
from maxmargin.solvers.answers.answer_text import NamedAnswer, counted, cut, plain, rounded_up, through
from maxmargin.solvers.basics.array_types import Rows
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.basics.option_values import whole_number
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.perceptron.hard_orders import FoundOrder, FoundSequence, Rule, greedy_sequence, local_search
from maxmargin.solvers.perceptron.longest_path import WorstCase, worst_case_mistakes
from maxmargin.solvers.perceptron.many_orders import ManyOrders, Outcomes, in_this_order, many_orders
from maxmargin.solvers.perceptron.run import perceptron
from maxmargin.solvers.perceptron.settings import PerceptronSettings
from maxmargin.solvers.problem.problem import Problem
from maxmargin.text.number_formats import rounded
from maxmargin.text.progress import counting_shown, shows_progress
from maxmargin.theory import from_the_run
from maxmargin.theory.bound import bounds_lines
from maxmargin.theory.context import Context
from maxmargin.theory.perceptron_bounds import Bound, bounds_of

# Levels of the quantiles that a study gives.
LEVELS = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)

# Bounds that depend on the rows alone: they hold however often, and in whichever order, rows are presented.
OF_ANY_SEQUENCE = ("novikoff", "augmented_b", "best_scale", "best_scale_searched", "unit_norm", "conjunction")

# Bounds that depend on the number of passes as well, but not on the mistakes of a run.
_OF_ANY_ORDER = (*OF_ANY_SEQUENCE, "freund_schapire", "freund_schapire_optimum", "hinge_optimum", "trivial")

# Epochs of every run where it is not proven that all runs converge.
_EPOCHS_WITHOUT_PROOF = 10

# Largest number of rows for an adversary, which needs their Gram matrix (32 MB).
_MOST_ROWS_OF_A_SEQUENCE = 2048

# Largest numbers of rows and columns for which all sequences are examined.
_TINY_ROWS, _TINY_COLUMNS = 32, 8

# Shares into which a time limit is divided; the random orders take one of them, the searches take the rest.
_SHARES_OF_ORDERS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """How many orders and sequences are tried; the defaults take a few seconds on small data.

    Attributes
    ----------
    n_orders : int
        Random orders.
    n_search : int
        Orders that each of the two local searches tries.
    n_sequence : int
        Mistakes after which the sequence of an adversary, who looks at all rows before each mistake, is cut; 0 for no
        such sequence.
    max_states : int
        Largest number of distinct weights for which all sequences are examined; 0 for none.
    """

    n_orders: int = 1000
    n_search: int = 1000
    n_sequence: int = 10_000
    max_states: int = 20_000


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class OrderStudy(NamedAnswer):
    """The perceptron from w = 0 on the same rows in many orders.

    Attributes
    ----------
    runs : ManyOrders
        The random orders, each presented cyclically.
    given : FoundOrder
        The run in the given order of the rows.
    most, fewest : FoundOrder
        The orders that local searches found from the random orders, or the given one, with the most and with the
        fewest mistakes: none of these orders has more, or fewer.
    sequence : FoundSequence or None
        The longest sequence of greedy adversaries, which may choose and repeat any row at any time; None for more than
        2,048 rows, or if none was asked for. A greedy search proves no maximum: some order may make more mistakes.
    exhaustive : WorstCase or None
        The longest sequence of all, if there are few enough weight vectors to enumerate them.
    hard : HardMargin
        The maximum margin in the user's space.
    run_hard : HardMargin
        The maximum margin through the origin in the space (x, s) of the run.
    bounds : tuple of Bound
        The bounds that are proven for any order of these rows, on the mistakes in ``settings.max_epochs`` passes. If
        that is None, they bound the mistakes until convergence, and hold for any sequence as well.
    settings : PerceptronSettings
        The limits, the zero rule and the bias scale of the runs.
    effort : Effort
        The numbers of orders and of steps of the searches.
    is_sorted_by_class : bool
        Whether the given order has all rows of one class before all others.
    positive : label or None
        The class that is +1; None for more than two classes.
    positive_reason : str or None
        Why that class is +1.
    negative : label or None
        The class that is -1; ``"rest"`` for several.
    names : Names
        What the rows and the columns are called.

    See Also
    --------
    maxmargin.order_study : Make a study.

    Examples
    --------
    >>> import maxmargin as mm
    >>> study = mm.order_study([[10.0], [12.0], [15.0]], [0, 1, 1], n_orders=20, n_search=50)
    >>> study.fewest_seen, study.most_seen, study.worst_case
    (107, 257, 1269)
    """

    runs: ManyOrders
    given: FoundOrder
    most: FoundOrder
    fewest: FoundOrder
    sequence: FoundSequence | None
    exhaustive: WorstCase | None
    hard: HardMargin
    run_hard: HardMargin
    bounds: tuple[Bound, ...]
    settings: PerceptronSettings
    effort: Effort
    is_sorted_by_class: bool

    @property
    def headline(self) -> str:
        """The number of orders, and their fewest and most mistakes."""
        n_orders = counted(len(self.outcomes.n_mistakes), "random order")
        return f"{n_orders}: {self.fewest_seen:,} to {self.most_seen:,} mistakes seen"

    @property
    def outcomes(self) -> Outcomes:
        """How the runs in random orders ended."""
        return self.runs.outcomes

    def order(self, k: int) -> Rows:
        """Return the rows in the random order number k, counted from 0."""
        return self.runs.order(k)

    @property
    def quantiles(self) -> dict[float, int]:
        """Numbers of mistakes by the share of the random orders that have no more; each was made by one of them."""
        values = np.quantile(self.outcomes.n_mistakes, LEVELS, method="inverted_cdf")
        return {level: int(value) for level, value in zip(LEVELS, values, strict=True)}

    @property
    def most_seen(self) -> int:
        """The most mistakes of any order or greedy sequence here: no bound for any sequence can be less."""
        return max(*self._of_orders, 0 if self.adversary is None else self.adversary.n_mistakes)

    @property
    def fewest_seen(self) -> int:
        """The fewest mistakes of any order here."""
        return min(self._of_orders)

    @property
    def adversary(self) -> FoundSequence | None:
        """The sequence of an adversary, where no order seen makes more mistakes than it; otherwise None."""
        found = self.sequence
        return None if found is None or found.n_mistakes < max(self._of_orders) else found

    @property
    def is_cut(self) -> bool:
        """Whether the time was over in the first order: the counts are then those of an unfinished run."""
        most, epochs = self.settings.max_mistakes, self.settings.max_epochs
        runs = [(self.outcomes.converged[0], self.outcomes.n_mistakes[0], self.outcomes.n_epochs[0])]
        runs.append((self.given.converged, self.given.n_mistakes, self.given.n_epochs))
        limits = most or math.inf, epochs or math.inf
        return any(not done and made < limits[0] and n < limits[1] for done, made, n in runs)

    @property
    def n_capped(self) -> int:
        """The number of random orders that were stopped at ``settings.max_mistakes``."""
        most, outcomes = self.settings.max_mistakes, self.outcomes
        return 0 if most is None else int(np.count_nonzero(~outcomes.converged & (outcomes.n_mistakes >= most)))

    @property
    def _of_orders(self) -> tuple[int, ...]:
        """The mistakes of every kind of order: least and most of the random ones, given, and found by the searches."""
        found, random = (self.given, self.fewest, self.most), self.outcomes.n_mistakes
        return int(random.min()), int(random.max()), *(order.n_mistakes for order in found)

    @property
    def worst_case(self) -> int | None:
        """The most mistakes of all sequences, proven; None where it is not known, or some sequence has no end."""
        return None if self.exhaustive is None else self.exhaustive.n_mistakes

    def fields(self) -> dict[str, Any]:
        """Return the fields of ``maxmargin orders --json``: those of `to_dict` with long lists cut, and extremes."""
        fields = self.to_dict()
        for part in (fields["outcomes"], *(fields[name] for name in ("given", "most", "fewest", "sequence"))):
            for name in [name for name, value in (part or {}).items() if isinstance(value, list)]:
                part.update(cut(name, part[name]))
        return {**fields, **self._attributes("most_seen", "fewest_seen", "worst_case")}

    def to_dict(self) -> dict[str, Any]:
        """Return the study in dicts, lists, strings and finite numbers; None for what there is not."""
        settings = asdict(self.settings)
        del settings["sizes"]  # limits of work, which change no outcome
        exhaustive = {} if self.exhaustive is None else asdict(self.exhaustive)
        exhaustive.pop("n_states", None)
        fields = {
            "settings": {**settings, "order": None, "method": str(self.settings.method)},
            "effort": asdict(self.effort),
            "seed": self.runs.seed,
            "is_sorted_by_class": self.is_sorted_by_class,
            "n_capped": self.n_capped,
            "outcomes": asdict(self.outcomes),
            "quantiles": [*self.quantiles.items()],
            **{name: asdict(getattr(self, name)) for name in ("given", "most", "fewest")},
            "sequence": None if self.sequence is None else asdict(self.sequence),
            "exhaustive": exhaustive or None,
            "margin": [self.hard.lower, self.hard.upper],
            "run_margin": [self.run_hard.lower, self.run_hard.upper],
            "bounds": [asdict(bound) for bound in self.bounds],
        }
        return dict(plain(fields))

    def _card_fields(self) -> dict[str, Any]:
        tightest = min((bound.value for bound in self.bounds if not bound.vacuous), default=None)
        return {
            "mistakes in the order of the source": self.given.n_mistakes,
            "median of the random orders": self.quantiles[0.5],
            "fewest seen": self.fewest_seen,
            "most seen": self.most_seen,
            "most of any sequence, proven": self.worst_case,
            "tightest bound for any order": None if tightest is None else rounded_up(tightest),
        }

    def summary(self) -> str:
        """Return the text of ``maxmargin orders``; nothing in it has a name."""
        outcomes, limit, kind = self.outcomes, self.settings.max_epochs, through(self.hard.bias)
        if self.is_cut:
            return "no order was finished within the time limit"
        n_orders, n_converged = len(outcomes.n_mistakes), int(outcomes.converged.sum())
        until = "until convergence" if limit is None else f"for {counted(limit, 'epoch')}"
        shares = "; ".join(f"{level:.0%} {value:,}" for level, value in self.quantiles.items())
        asked = self.effort.n_orders
        ended = f", of {asked:,} asked for, within the time limit" if n_orders < asked else ""
        where = kind and f",{kind}"
        lines = [
            f"{counted(n_orders, 'random order')} {until}{ended}, {n_converged:,} converged; "
            f"seed {self.runs.seed}{where}",
            f"  mistakes, by the share of the orders that made no more: {shares}",
            f"  mean {rounded(outcomes.n_mistakes.mean())}; order of the source {self.given.n_mistakes:,}",
            f"  fewest by local search {self.fewest.n_mistakes:,}, most {self.most.n_mistakes:,}",
        ]
        if self.adversary is not None:
            cut = "" if self.adversary.is_complete else ", and then stopped"
            lines.append(f"  an adversary who repeats rows at will: {self.adversary.n_mistakes:,}{cut}")
        if self.exhaustive is not None:
            worst = self.worst_case
            longest = "some sequence never ends" if worst is None else f"no sequence has more than {worst:,}"
            lines.append(f"  proven, from a look at all sequences: {longest}")
        if n_converged == n_orders and self.hard.upper > 0:
            low, high = float(outcomes.margin.min()), float(outcomes.margin.max())
            most = f"maximum{kind} at most {self.hard.upper!r} (proven)"
            lines.append(f"  margins achieved: {low!r} to {high!r}; {most}")
        lines.append("bounds, and how much of them was used at most" if self.bounds else "  no bound is proven to hold")
        return "\n".join([*lines, *(bounds_lines(self.bounds, max(self._of_orders)) if self.bounds else [])])


@shows_progress(counting_shown, "trying orders of the rows")
def order_study(
    X: Any,
    y: Any = None,
    *,
    bias: bool | None = None,
    positive: object = None,
    bias_scale: float | Literal["best"] = 1.0,
    zero: str = "mistake",
    n_orders: int = 1000,
    n_search: int = 1000,
    n_sequence: int = 10_000,
    max_states: int = 20_000,
    max_epochs: int | None = None,
    max_mistakes: int | None = 1_000_000,
    rng: "np.random.Generator | int | None" = 0,
    time_limit: float | None = None,
    verbose: bool = False,
    on_progress: "Callable[[int, int], None] | None" = None,
) -> OrderStudy:
    """Run the perceptron in many orders of the rows, and search for the orders with the most and the fewest mistakes.

    If the data are proven strictly separable in the space of the run, every run converges. Otherwise ``max_epochs`` is
    10 unless another number is given, and an adversary may go on for ever. Sequences are cut at ``max_mistakes`` and at
    ``n_sequence``; ``sequence.is_complete`` says whether one came to its end.

    Every run makes the mistakes of exact arithmetic. This costs little even if scores are often near 0, as for decimals
    on a coarse grid. Only if there are too many rows, or their numbers differ too much in size, is an order in which
    rounding could decide the sign of a score repeated by itself, which takes far longer, and with at most 200 scores
    decided exactly; ``outcomes.n_uncertain`` counts the others that rounding may have decided.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        Finite numbers that binary64 holds exactly, in memory.
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
    n_orders : int, default 1000
        The number of random orders. Order k is the same for every `n_orders`.
    n_search : int, default 1000
        The number of orders that each of the two local searches tries.
    n_sequence : int, default 10_000
        The number of mistakes after which the sequence of an adversary is cut; 0 means no such sequence.
    max_states : int, default 20_000
        Largest number of weight vectors for which all sequences of tiny data are enumerated; 0 means never.
    max_epochs : int or None, default None
        Largest number of epochs of every run; None is no limit.
    max_mistakes : int or None, default 1_000_000
        Largest number of mistakes of every run; None is no limit.
    rng : numpy.random.Generator or int, default 0
        The generator, or a seed, of the orders and of the searches: the same seed gives the same study.
    time_limit : float, optional
        Seconds after which no more orders are run and the searches end: ``outcomes`` then holds fewer orders than were
        asked for. There is no limit by default.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.
    on_progress : callable, optional
        A function that is called with the number of finished random orders and the number of all.

    Returns
    -------
    OrderStudy
        The outcomes of the random orders, the best and the worst order that were found, and the bounds that hold for
        any order.

    Raises
    ------
    InvalidProblemError
        If the data do not state a question about two classes, or are not in memory.
    InvalidOptionError
        If an option has a value that it does not take.

    See Also
    --------
    maxmargin.perceptron : Run one order.
    maxmargin.mistake_bounds : Bound the number of mistakes of any order.

    References
    ----------
    .. [1] A. B. J. Novikoff, "On convergence proofs on perceptrons", Symposium on the Mathematical Theory of Automata
       12 (1962), 615-622.

    Examples
    --------
    >>> study = order_study([[10.0], [12.0], [15.0]], [0, 1, 1], n_orders=20, n_search=50)
    >>> study.fewest.n_mistakes, study.most.n_mistakes
    (107, 257)
    >>> study.most_seen <= study.exhaustive.n_mistakes <= min(bound.value for bound in study.bounds)
    True
    """
    effort = Effort(n_orders=n_orders, n_search=n_search, n_sequence=n_sequence, max_states=max_states)
    check_effort(effort)
    question = Question.of(X, y, bias=bias, positive=positive, time_limit=time_limit)
    limits = question.limits
    of_bounds = limits.part(2)
    problem, scale = with_bias_scale(question.problem, bias_scale, of_bounds)
    # The bounds of any order look at the space of a run and not at its mistakes, so one epoch will do.
    one_pass = run_perceptron(problem, bias_scale=scale, zero=zero, max_epochs=1, time_limit=of_bounds.share(2))
    context = Context(problem=problem, run=one_pass, n_passes=max_epochs, limits=of_bounds)
    if max_epochs is None and not context.run_hard.lower > 0:
        max_epochs = _EPOCHS_WITHOUT_PROOF
        context = context.of_run(context.run, max_epochs)
    settings = PerceptronSettings(bias_scale=scale, zero=zero, max_epochs=max_epochs, max_mistakes=max_mistakes)
    bounds = tuple(bound for bound in bounds_of(context) if bound.valid and bound.name in _OF_ANY_ORDER)
    study = studied_orders(
        context, settings, effort, bounds=bounds, seed=seed_of(rng), limits=limits, on_progress=on_progress
    )
    return question.named(study)


def bounds_of_any_order(known: tuple[Bound, ...], context: Context) -> tuple[Bound, ...]:
    """Return the bounds of `order_study` for the passes of the context, given the bounds of another run."""
    found = tuple(bound for bound in known if bound.valid and bound.name in OF_ANY_SEQUENCE)
    if context.n_passes is None:
        return found
    of_passes = (from_the_run.freund_schapire(context), *from_the_run.optima(context))
    return (*found, *(bound for bound in of_passes if bound.valid), from_the_run.trivial(context))


def check_effort(effort: Effort) -> None:
    """Raise `InvalidOptionError` unless the numbers are whole, and there is an order to run."""
    for name, least in (("n_orders", 1), ("n_search", 0), ("n_sequence", 0), ("max_states", 0)):
        whole_number(name, getattr(effort, name), least)


def studied_orders(
    context: Context,
    settings: PerceptronSettings,
    effort: Effort,
    *,
    bounds: tuple[Bound, ...],
    seed: int = 0,
    limits: Limits | None = None,
    on_progress: "Callable[[int, int], None] | None" = None,
) -> OrderStudy:
    """Do the same as `order_study`, with margins and bounds that are known."""
    problem, limits = context.problem, limits or Limits()
    given = _order_run(problem, settings, np.arange(problem.n_samples), limits)
    of_orders = limits.part(_SHARES_OF_ORDERS)
    runs = many_orders(
        problem, settings, n_orders=effort.n_orders, seed=seed, limits=of_orders, on_progress=on_progress
    )
    return OrderStudy(
        runs=runs,
        given=given,
        most=_searched(problem, given, runs, settings, effort.n_search, limits.part(4), most=True),
        fewest=_searched(problem, given, runs, settings, effort.n_search, limits.part(3), most=False),
        sequence=_longest_sequence(context, settings, effort.n_sequence, limits.part(2)),
        exhaustive=_exhaustive_case(problem, settings, effort.max_states, limits),
        hard=context.hard,
        run_hard=context.run_hard,
        bounds=bounds,
        settings=settings,
        effort=effort,
        is_sorted_by_class=int(np.count_nonzero(np.diff(problem.y))) <= 1,
    )


def _order_run(problem: Problem, settings: PerceptronSettings, order: Rows, limits: Limits) -> FoundOrder:
    """Run in this order of the rows, in exact arithmetic; the time limit may cut the run short."""
    run = perceptron(in_this_order(problem, order), replace(settings, time_limit=limits.share()))
    return FoundOrder(order=order, n_mistakes=run.n_mistakes, n_epochs=run.n_epochs, converged=run.converged)


def _searched(
    problem: Problem,
    given: FoundOrder,
    runs: ManyOrders,
    settings: PerceptronSettings,
    n_search: int,
    limits: Limits,
    *,
    most: bool,
) -> FoundOrder:
    """Return the order that a local search finds from the one with the most, or the fewest, mistakes; never a worse.

    It starts from a random order, unless the given order has even more, or even fewer, mistakes.
    """
    outcomes, sign = runs.outcomes, 1 if most else -1
    k = int((sign * outcomes.n_mistakes).argmax())
    start = FoundOrder.of(runs.order(k), outcomes, k)
    if sign * (given.n_mistakes - start.n_mistakes) > 0:
        start = given
    if limits.is_over():
        return start
    rng = np.random.default_rng([runs.seed, int(most)])
    found = local_search(problem, settings, start.order, most=most, n_trials=n_search, rng=rng, limits=limits)
    return found if sign * (found.n_mistakes - start.n_mistakes) >= 0 else start  # the time may have cut its first run


def _longest_sequence(
    context: Context, settings: PerceptronSettings, n_sequence: int, limits: Limits
) -> FoundSequence | None:
    """Return the longest of the sequences that the adversary's rules give."""
    if n_sequence == 0 or context.problem.n_samples > _MOST_ROWS_OF_A_SEQUENCE or limits.is_over():
        return None
    direction = context.run_hard.w
    if direction is not None and not context.problem.bias:
        direction = np.append(direction, 0.0)  # the weight of the constant coordinate
    most = min(settings.max_mistakes or n_sequence, n_sequence)
    sequences = (
        greedy_sequence(context.problem, settings, rule, direction=direction, most=most, is_over=limits.is_over)
        for rule in Rule
        if rule is not Rule.LEAST_PROGRESS or direction is not None
    )
    return max(sequences, key=lambda sequence: sequence.n_mistakes)


def _exhaustive_case(
    problem: Problem, settings: PerceptronSettings, max_states: int, limits: Limits
) -> WorstCase | None:
    """Return the longest of all sequences, if few weight vectors can occur."""
    is_tiny = problem.n_samples <= _TINY_ROWS and problem.n_features <= _TINY_COLUMNS
    if max_states == 0 or not is_tiny or (problem.bias and settings.bias_scale != 1):
        return None
    X = problem.dense_rows(slice(None))
    try:
        return worst_case_mistakes(
            X, problem.y, bias=problem.bias, zero=settings.zero, max_states=max_states, is_over=limits.is_over
        )
    except InvalidProblemError:
        return None
