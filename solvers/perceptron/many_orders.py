"""Runs of the perceptron in given or random orders of the rows: many are made in one call of compiled code."""

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from threading import local

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Mask, Rows
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.basics.option_values import whole_number
from maxmargin.solvers.basics.parallel import in_order
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.engines import engine_choice
from maxmargin.solvers.perceptron.engines.float_engines import Engine, FloatEngine, GramEngine, WeightsEngine, loaded
from maxmargin.solvers.perceptron.engines.integer_engine import engine_of_many_runs
from maxmargin.solvers.perceptron.engines.row_units import Units
from maxmargin.solvers.perceptron.engines.ties import limbs_of, limbs_with_weights_of_zero, no_limbs
from maxmargin.solvers.perceptron.kernels.kernels import present_orders
from maxmargin.solvers.perceptron.kernels.pass_arguments import EXACT_UP_TO, N_LOGGED, N_PRESENTED, Orders, Work, frozen
from maxmargin.solvers.perceptron.result import PerceptronRun
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.perceptron.run import perceptron
from maxmargin.solvers.perceptron.settings import ZERO_RULES, EngineName, PerceptronSettings, StopReason
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import InMemory

# Orders that are run one by one in less time than it takes to compile the passes over many orders.
_MOST_SINGLE_ORDERS = 4_000

# Orders that are given up, and repeated, before the passes over many orders are compiled.
_MOST_GIVEN_UP = 20

# Work in integers of all orders together, in multiples of the work in integers of a single run: as much as takes about
# as long as to load compiled code.
_TIMES_AS_SHORT = 4

# Largest number of scores of one order of many that are decided in exact arithmetic without limbs: these take about as
# long as a million mistakes, the default limit of an order.
_MOST_TIES = 200

_EPOCHS, _GIVEN_UP, _CONVERGED = range(3)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Outcomes:
    """The results of runs from w = 0.

    Attributes
    ----------
    n_mistakes, n_epochs : ndarray (n_orders,) of int
    converged : ndarray (n_orders,) of bool
    margin : ndarray (n_orders,)
        Least y(w.x + b)/||w|| of the final hyperplane of each run, in floating point; nan at w = 0.
    n_uncertain : ndarray (n_orders,) of int
        Number of scores whose sign rounding may have decided, in runs that were repeated because limbs could not decide
        a score. If it is 0, the run is the same as in exact arithmetic.
    """

    n_mistakes: Rows
    n_epochs: Rows
    converged: Mask
    margin: Floats
    n_uncertain: Rows

    @classmethod
    def together(cls, parts: "list[Outcomes]") -> "Outcomes":
        """Return the outcomes one after another."""
        return cls(**{name: np.concatenate([getattr(part, name) for part in parts]) for name in cls.__slots__})


class OrderRuns:
    """Runs a problem in given orders, in any thread.

    The first orders are run one after another by the passes of a single run: in integers, with a Gram matrix if the
    rows are few, and later in floating point. Such a run is given up at a score so near 0 that rounding could decide
    it. Many orders, or orders that are often given up, are run by the compiled passes over many orders, which have the
    limbs of the rows.

    Parameters
    ----------
    problem : Problem
        Rows in memory.
    settings : PerceptronSettings
        Its order is ignored, and its method unless it is `EngineName.WEIGHTS`.

    Raises
    ------
    InvalidOptionError
        If the rows are not in memory.
    """

    def __init__(self, problem: Problem, settings: PerceptronSettings) -> None:
        if not isinstance(problem.row_source, InMemory):
            raise InvalidOptionError("many orders need the rows in memory; found rows elsewhere: allow more memory")
        method = EngineName.WEIGHTS if settings.method is EngineName.WEIGHTS else EngineName.AUTO
        self.problem, self.settings = problem, replace(settings, order=Order.CYCLIC, method=method)
        self.units = Units.of(problem, settings)
        self.exact_up_to = self.units.exact_up_to(problem)
        self.X = self.units.rows(problem.X)
        has_gram = problem.n_samples <= engine_choice.MOST_ROWS and method is not EngineName.WEIGHTS
        self._engine: FloatEngine = (
            GramEngine(self.units, problem) if has_gram else WeightsEngine(self.units, self.X, problem.y)
        )
        self._limbs = limbs_of(problem, settings)
        self._of_thread = local()
        self._name = f"orders, {self._engine.name}"
        self._is_in_bulk = self._name in loaded or settings.short == 0
        n_short = self._presentations_in_integers()
        self._short = _TIMES_AS_SHORT * engine_choice.steps_of_a_presentation(problem) * n_short
        self._exact = engine_of_many_runs(problem, self.units.bias_scale) if n_short else None
        self._n_single = self._work = self._n_given_up = 0

    def _presentations_in_integers(self) -> int:
        """Return how many presentations integers begin with: none if the compiler is loaded and has nothing to do."""
        name, settings = self._engine.name, self.settings
        n_short = 0 if name in loaded else engine_choice.presentations_in_integers(self.problem, settings)
        is_open = bool(loaded) and settings.short is None and n_short < engine_choice.NO_END
        return 0 if is_open and engine_choice.is_at_hand(EngineName(name)) else n_short

    def run(self, orders: Rows) -> Outcomes:
        """Run in each of the orders, of shape (n_orders, n_samples)."""
        counts, outcomes = np.zeros_like(orders), np.zeros((len(orders), 3), dtype=np.int64)
        size = np.zeros(EXACT_UP_TO + 1)
        size[EXACT_UP_TO] = self.exact_up_to
        work = Orders(
            y=self._engine.y,
            rounding=self._engine.rounding,
            zero_rule=ZERO_RULES[self.settings.zero],
            max_mistakes=self.settings.max_mistakes or engine_choice.NO_END,
            max_epochs=self.settings.max_epochs or engine_choice.NO_END,
            limbs=no_limbs(),
            orders=frozen(np.ascontiguousarray(orders)),
            size=size,
            counts=counts,
            outcomes=outcomes,
        )
        if self._is_in_bulk:
            self._run_in_bulk(work)
        else:
            self._run_one_by_one(work)
        n_uncertain = np.zeros(len(orders), dtype=np.int64)
        for k in np.flatnonzero(outcomes[:, _GIVEN_UP]):
            n_uncertain[k] = self.repeat(orders[k], self.settings, counts[k], outcomes[k]).n_uncertain
        return self._outcomes(counts, outcomes, n_uncertain)

    def _outcomes(self, counts: Rows, outcomes: Rows, n_uncertain: Rows) -> Outcomes:
        made, margin = counts.sum(axis=1), self._margins(counts)
        n_epochs, converged = outcomes[:, _EPOCHS], outcomes[:, _CONVERGED] > 0
        return Outcomes(n_mistakes=made, n_epochs=n_epochs, converged=converged, margin=margin, n_uncertain=n_uncertain)

    def _run_in_bulk(self, work: Orders) -> None:
        """Run all orders in one call of compiled code, with an engine and limbs of this thread."""
        if not hasattr(self._of_thread, "in_bulk"):
            self._of_thread.in_bulk = self._engine.twin()
        shared = limbs_with_weights_of_zero(self._limbs.rows, self.settings.sizes)
        self._of_thread.in_bulk.present_orders(work._replace(limbs=shared))

    def _run_one_by_one(self, work: Orders) -> None:
        for k in range(len(work.orders)):
            one = slice(k, k + 1)
            engine = self._single_engine()
            part = work._replace(orders=work.orders[one], counts=work.counts[one], outcomes=work.outcomes[one])
            present_orders(self._present, engine, engine.weights, part)
            self._n_single += 1
            self._n_given_up += int(work.outcomes[k, _GIVEN_UP])
        are_many = self._n_single >= _MOST_SINGLE_ORDERS or self._n_given_up >= _MOST_GIVEN_UP
        self._is_in_bulk = are_many and self._short < engine_choice.NO_END

    def _present(self, engine: Engine, work: Work) -> int:
        reason = engine.present(work)
        if self._exact is not None:
            of_presentation, of_mistake = self._exact.steps
            self._work += of_presentation * int(work.cursor[N_PRESENTED]) + of_mistake * int(work.cursor[N_LOGGED])
        return reason

    def _single_engine(self) -> Engine:
        """Return the engine of this thread for one order at a time."""
        of_thread = self._of_thread
        if not hasattr(of_thread, "single"):
            of_thread.single = self._engine.twin() if self._exact is None else self._exact.twin()
        if of_thread.single.is_exact and self._work >= self._short:
            of_thread.single = self._engine.twin()
        engine: Engine = of_thread.single
        return engine

    def run_within(self, order: Rows, seconds: float | None) -> tuple[Outcomes, bool]:
        """Run in one order until the time is over; return the outcome, and whether the run was cut short."""
        counts, outcomes = np.zeros((1, len(order)), dtype=np.int64), np.zeros((1, 3), dtype=np.int64)
        run = self.repeat(order, replace(self.settings, time_limit=seconds), counts[0], outcomes[0])
        found = self._outcomes(counts, outcomes, np.array([run.n_uncertain]))
        return found, run.stop_reason is StopReason.TIME_LIMIT

    def repeat(self, order: Rows, settings: PerceptronSettings, counts: Rows, outcome: Rows) -> PerceptronRun:
        """Run in one order by itself, which decides many scores exactly, and write its counts and its outcome."""
        sizes = replace(settings.sizes, most_ties=min(settings.sizes.most_ties, _MOST_TIES))
        run = perceptron(in_this_order(self.problem, order), replace(settings, sizes=sizes))
        counts[order] = run.mistake_counts
        outcome[_EPOCHS], outcome[_CONVERGED] = run.n_epochs, run.converged
        return run

    def _margins(self, counts: Rows) -> Floats:
        signed = counts * self.problem.y
        w = np.asarray((self.X.T @ signed.T).T)
        b = self.units.scale**2 * signed.sum(axis=1)
        norms = np.sqrt((w * w).sum(axis=1))
        least = ((np.asarray(self.X @ w.T).T + b[:, np.newaxis]) * self.problem.y).min(axis=1)
        margins = np.where(norms > 0, least / np.where(norms > 0, norms, 1.0), np.nan)
        with np.errstate(over="ignore"):  # a row may lie farther on the wrong side than binary64 goes
            return np.ldexp(margins, self.units.exponent)


def in_this_order(problem: Problem, order: Rows) -> Problem:
    """Return the problem with its rows in another order."""
    return Problem(problem.X[order], problem.y[order], problem.bias)


# Number of orders that are sampled together, from their own generator: the same on any number of threads.
_BLOCK = 64

# Intended seconds of one call of compiled code, which cannot check the time.
_CALL_SECONDS = 0.1


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ManyOrders:
    """Runs from w = 0, each cycling through one random order of the rows.

    Attributes
    ----------
    outcomes : Outcomes
        The outcomes of all orders, or of the first ones that ended within the time limit, at least one. The limit may
        cut the first run short; it has then not converged.
    seed : int
    n_samples : int
    """

    outcomes: Outcomes
    seed: int
    n_samples: int

    def order(self, k: int) -> Rows:
        """Return the rows in the order of run k, counted from 0."""
        block, position = divmod(k, _BLOCK)
        return np.asarray(_orders_of_block(self.seed, block, self.n_samples)[position])


def many_orders(
    problem: Problem,
    settings: PerceptronSettings | None = None,
    *,
    n_orders: int = 1000,
    seed: int = 0,
    limits: Limits | None = None,
    on_progress: Callable[[int, int], None] | None = None,
    n_threads: int | None = None,
) -> ManyOrders:
    """Run the perceptron in random orders, each until a clean epoch or a limit.

    Parameters
    ----------
    problem : Problem
        Rows in memory.
    settings : PerceptronSettings, optional
        Its order is ignored: every run cycles through its own.
    n_orders : int
    seed : int
        Order k is the same for any number of orders and of threads.
    limits : Limits, optional
        If the time is over, fewer orders are returned; by default all are run.
    on_progress : callable, optional
        Called with the number of finished orders and the number of all orders.
    n_threads : int, optional
        Number of threads that run orders if there is no time limit; by default one for every processor.

    Raises
    ------
    InvalidOptionError
        If there are no orders to run, the seed is negative, or the rows are not in memory.

    Examples
    --------
    >>> found = many_orders(Problem.validated([[10.0], [12.0], [15.0]], [-1, 1, 1]), n_orders=20)
    >>> sorted(set(found.outcomes.n_mistakes.tolist()))
    [107, 119, 233, 257]
    """
    whole_number("n_orders", n_orders)
    whole_number("seed", seed, 0)
    runs = OrderRuns(problem, settings or PerceptronSettings())
    limits = limits or Limits()
    is_limited = limits.time_limit is not None
    found = _in_time(runs, n_orders, seed, limits) if is_limited else _all(runs, n_orders, seed, n_threads)
    parts: list[Outcomes] = []
    n_done = 0
    for part in found:
        parts.append(part)
        n_done += len(part.n_mistakes)
        if on_progress is not None:
            on_progress(n_done, n_orders)
    return ManyOrders(outcomes=Outcomes.together(parts), seed=seed, n_samples=problem.n_samples)


def _all(runs: OrderRuns, n_orders: int, seed: int, n_threads: int | None) -> Iterator[Outcomes]:
    """Yield the outcomes of all orders, block by block, from several threads."""

    def block(start: int) -> Outcomes:
        orders = _orders_of_block(seed, start // _BLOCK, runs.problem.n_samples)
        return runs.run(orders[: n_orders - start])

    yield from in_order(block, range(0, n_orders, _BLOCK), n_workers=n_threads)


def _in_time(runs: OrderRuns, n_orders: int, seed: int, limits: Limits) -> Iterator[Outcomes]:
    """Yield the outcomes of one order after another until the time is over; short runs are made several at once."""
    n_samples, done, seconds = runs.problem.n_samples, 0, _CALL_SECONDS
    while done < n_orders and not (done and limits.is_over()):
        block, position = divmod(done, _BLOCK)
        at_once = min(max(1, int(_CALL_SECONDS / seconds)), n_orders - done) if done else 1
        orders = _orders_of_block(seed, block, n_samples)[position : position + at_once]
        began = time.monotonic()
        part, is_cut = (runs.run(orders), False) if len(orders) > 1 else runs.run_within(orders[0], limits.share())
        if not (done and is_cut):
            yield part
        if is_cut:
            return
        seconds = max((time.monotonic() - began) / len(orders), _CALL_SECONDS / _BLOCK)
        done += len(orders)


def _orders_of_block(seed: int, block: int, n_samples: int) -> Rows:
    """Return the orders from number 64 block on."""
    return np.random.default_rng([seed, block]).permuted(np.tile(np.arange(n_samples), (_BLOCK, 1)), axis=1)
