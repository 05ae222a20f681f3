"""How the mistakes of the perceptron depend on the order of the rows: at random, by search, and at their worst."""

import math
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from maxmargin.api import problem_of
from maxmargin.bounds import Bound, bounds_of
from maxmargin.dataset import from_arrays
from maxmargin.evidence import Evidence, gather
from maxmargin.running import run_perceptron, with_bias_scale
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.problem import Problem

if TYPE_CHECKING:
    from maxmargin.solvers.perceptron.adversary import FoundSequence
    from maxmargin.solvers.perceptron.hard_orders import FoundOrder
    from maxmargin.solvers.perceptron.longest_path import WorstCase
    from maxmargin.solvers.perceptron.many_orders import ManyOrders
    from maxmargin.solvers.perceptron.order_runs import Outcomes
    from maxmargin.solvers.perceptron.settings import PerceptronSettings
    from maxmargin.solvers.solution import HardMargin

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

LEVELS = (0.0, 0.05, 0.25, 0.5, 0.75, 0.95, 1.0)
"""Shares of the orders of which the quantiles are told."""

_BOUNDS_OF_ANY_ORDER = (
    *("novikoff", "augmented_b", "best_scale", "best_scale_searched", "unit_norm"),
    *("freund_schapire", "freund_schapire_optimum", "hinge_optimum", "conjunction"),
)
"""Bounds that look at the rows alone, and not at what mistakes a run made."""

_EPOCHS_WITHOUT_PROOF = 10
"""Passes where it is not proven that a run ends."""

_LONGEST_SEQUENCE = 50_000
"""Mistakes of an adversary, who looks at all rows before each of them."""

_MOST_ROWS_OF_A_SEQUENCE = 2048
"""Rows whose Gram matrix is at hand for that (32 MB)."""

_TINY_ROWS, _TINY_COLUMNS, _TINY_STATES = 32, 8, 20_000
"""Sizes up to which all sequences are looked at, within a second or so."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OrderStudy:
    """The perceptron from w = 0 on the same rows in many orders.

    Attributes
    ----------
    runs : ManyOrders
        Random orders, each presented over and over.
    most, fewest : FoundOrder
        What a local search made of the random order with the most, and with the fewest mistakes.
    sequence : FoundSequence or None
        The longest sequence of greedy adversaries who may choose, and repeat, any row at any time; None of more than
        2,048 rows. Greed is no proof: some order may make more mistakes.
    exhaustive : WorstCase or None
        The longest sequence of all, where there are few enough weights to look at each of them.
    hard : HardMargin
        The maximum margin in the user's space.
    run_hard : HardMargin
        Through the origin in the space (x, s) of the run.
    bounds : tuple of Bound
        Those on the mistakes until convergence that are proven for any order, and any sequence, of these rows.
    settings : PerceptronSettings
        Limits, zero rule and bias scale of the runs.
    """

    runs: "ManyOrders"
    most: "FoundOrder"
    fewest: "FoundOrder"
    sequence: "FoundSequence | None"
    exhaustive: "WorstCase | None"
    hard: "HardMargin"
    run_hard: "HardMargin"
    bounds: tuple[Bound, ...]
    settings: "PerceptronSettings"

    @property
    def outcomes(self) -> "Outcomes":
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
        return max(self.most.n_mistakes, 0 if self.sequence is None else self.sequence.n_mistakes)

    def to_dict(self) -> dict[str, Any]:
        """Return the study in dicts, lists, strings and finite numbers; None for what there is not."""
        return {
            "settings": {**asdict(self.settings), "order": None, "method": str(self.settings.method)},
            "seed": self.runs.seed,
            "outcomes": {name: _plain(getattr(self.outcomes, name).tolist()) for name in type(self.outcomes).__slots__},
            "quantiles": [[level, value] for level, value in self.quantiles.items()],
            "most": _order_as_dict(self.most),
            "fewest": _order_as_dict(self.fewest),
            "sequence": None if self.sequence is None else _sequence_as_dict(self.sequence),
            "exhaustive": None if self.exhaustive is None else _worst_as_dict(self.exhaustive),
            "margin": _plain([self.hard.lower, self.hard.upper]),
            "run_margin": _plain([self.run_hard.lower, self.run_hard.upper]),
            "bounds": [asdict(bound) for bound in self.bounds],
        }


def order_study(
    X: Any,
    y: Any,
    *,
    bias: bool = True,
    positive: object = None,
    bias_scale: float | Literal["best"] = 1.0,
    zero: str = "mistake",
    n_orders: int = 1000,
    n_search: int = 2000,
    max_epochs: int | None = None,
    max_mistakes: int | None = 1_000_000,
    seed: int = 0,
    on_progress: "Callable[[int, int], None] | None" = None,
) -> OrderStudy:
    """Run the perceptron in many orders of the rows, and look for the worst and the best ones.

    Where the data are proven strictly separable in the space of the run, every run converges. Where they are not,
    ``max_epochs`` is 10 unless another number is given, and an adversary may go on for ever. Sequences are cut at
    ``max_mistakes``, and at 50,000 mistakes in any case; ``sequence.is_complete`` says whether one came to its end.

    Every run is that of exact arithmetic, at little cost where scores are often near 0, as those of decimals on a
    coarse grid. Only where the rows are too many, or their numbers too far apart in size, is an order in which rounding
    could decide the sign of a score repeated by itself, which takes far longer; beyond that, ``outcomes.n_uncertain``
    says what rounding may have decided.

    Parameters
    ----------
    X, y, bias, positive
        As in `maxmargin.separability`; rows in memory.
    bias_scale : float or "best"
        As in `maxmargin.perceptron`.
    zero : {"mistake", "positive", "negative"}
        What y w.x = 0 is.
    n_orders : int
        Random orders; order k is the same for any number of them.
    n_search : int
        Orders that each of the two local searches tries.
    max_epochs, max_mistakes : int or None
        Limits of every run.
    seed : int
        Of the orders and of the searches: the same one gives the same study.
    on_progress : callable, optional
        Called with the number of finished random orders, and of all.

    Returns
    -------
    OrderStudy

    Raises
    ------
    InvalidProblemError
        If the data do not state a two-class question, are not in memory, or an option has no value that it takes.

    Examples
    --------
    >>> study = order_study([[10.0], [12.0], [15.0]], [0, 1, 1], n_orders=20, n_search=50)
    >>> study.fewest.n_mistakes, study.most.n_mistakes
    (107, 257)
    >>> study.most_seen <= study.exhaustive.n_mistakes <= min(bound.value for bound in study.bounds)
    True
    """
    from maxmargin.solvers.perceptron.many_orders import many_orders
    from maxmargin.solvers.perceptron.settings import PerceptronSettings

    problem, scale = with_bias_scale(problem_of(from_arrays(X, y, positive=positive), bias=bias), bias_scale)
    # The bounds of any order look at the space of a run and not at its mistakes, so one epoch will do.
    evidence = gather(problem, run_perceptron(problem, bias_scale=scale, zero=zero, max_epochs=1), n_passes=None)
    if max_epochs is None and not evidence.run_hard.lower > 0:
        max_epochs = _EPOCHS_WITHOUT_PROOF
    settings = PerceptronSettings(bias_scale=scale, zero=zero, max_epochs=max_epochs, max_mistakes=max_mistakes)
    runs = many_orders(problem, settings, n_orders=n_orders, seed=seed, on_progress=on_progress)
    return OrderStudy(
        runs=runs,
        most=_searched(problem, runs, settings, n_search, most=True),
        fewest=_searched(problem, runs, settings, n_search, most=False),
        sequence=_longest_sequence(evidence, settings),
        exhaustive=_exhaustive(problem, settings),
        hard=evidence.hard,
        run_hard=evidence.run_hard,
        bounds=tuple(bound for bound in bounds_of(evidence) if bound.valid and bound.name in _BOUNDS_OF_ANY_ORDER),
        settings=settings,
    )


def _searched(
    problem: Problem, runs: "ManyOrders", settings: "PerceptronSettings", n_search: int, *, most: bool
) -> "FoundOrder":
    """Return what a local search makes of the random order with the most, or the fewest, mistakes."""
    from maxmargin.solvers.perceptron.hard_orders import local_search

    n_mistakes = runs.outcomes.n_mistakes
    start = runs.order(int(n_mistakes.argmax() if most else n_mistakes.argmin()))
    rng = np.random.default_rng([runs.seed, int(most)])
    return local_search(problem, settings, start, most=most, n_trials=n_search, rng=rng)


def _longest_sequence(evidence: Evidence, settings: "PerceptronSettings") -> "FoundSequence | None":
    """Return the longest of the sequences that the rules of an adversary give."""
    from maxmargin.solvers.perceptron.adversary import Rule, greedy_sequence

    if evidence.problem.n_samples > _MOST_ROWS_OF_A_SEQUENCE:
        return None
    direction = _direction(evidence)
    most = min(settings.max_mistakes or _LONGEST_SEQUENCE, _LONGEST_SEQUENCE)
    sequences = (
        greedy_sequence(evidence.problem, settings, rule, direction=direction, most=most)
        for rule in Rule
        if rule is not Rule.LEAST_PROGRESS or direction is not None
    )
    return max(sequences, key=lambda sequence: sequence.n_mistakes)


def _direction(evidence: Evidence) -> Floats | None:
    """Return the maximum-margin direction in the space of the run, with the weight of its constant coordinate."""
    w = evidence.run_hard.w
    return w if w is None or evidence.problem.bias else np.append(w, 0.0)


def _exhaustive(problem: Problem, settings: "PerceptronSettings") -> "WorstCase | None":
    """Look at every sequence, where that is soon done."""
    from maxmargin.solvers.perceptron.longest_path import worst_case_mistakes

    is_tiny = problem.n_samples <= _TINY_ROWS and problem.n_features <= _TINY_COLUMNS
    if not is_tiny or (problem.bias and settings.bias_scale != 1):
        return None
    X = problem.dense_rows(slice(None))
    try:
        return worst_case_mistakes(X, problem.y, bias=problem.bias, zero=settings.zero, max_states=_TINY_STATES)
    except InvalidProblemError:
        return None


def _order_as_dict(found: "FoundOrder") -> dict[str, Any]:
    return {
        "order": found.order.tolist(),
        "n_mistakes": found.n_mistakes,
        "n_epochs": found.n_epochs,
        "converged": bool(found.converged),
    }


def _sequence_as_dict(found: "FoundSequence") -> dict[str, Any]:
    return {"rows": found.rows.tolist(), "rule": str(found.rule), "is_complete": found.is_complete}


def _worst_as_dict(worst: "WorstCase") -> dict[str, Any]:
    return {"n_mistakes": worst.n_mistakes, "rows": list(worst.rows), "cycle": list(worst.cycle)}


def _plain(values: Iterable[Any]) -> list[Any]:
    """Return the values with None for what is no finite number."""
    return [value if math.isfinite(value) else None for value in values]
