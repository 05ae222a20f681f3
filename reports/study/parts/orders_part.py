"""The mistakes in other orders of the rows: as many orders as take half a second, by a count of steps."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from maxmargin.api.running import run_perceptron
from maxmargin.reports.study.report_settings import OUT_OF_TIME, ReportSettings
from maxmargin.reports.study.two_class_study import Part, TwoClassStudy, Workspace
from maxmargin.solvers.answers.answer_text import through
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.engines.engine_choice import MOST_ROWS
from maxmargin.solvers.perceptron.engines.ties import limbs_of
from maxmargin.solvers.perceptron.hard_orders import FoundOrder
from maxmargin.solvers.perceptron.settings import PerceptronSettings
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import InMemory
from maxmargin.text.number_formats import count
from maxmargin.theory.context import Context
from maxmargin.theory.order_studies import Effort, OrderStudy, bounds_of_any_order, check_effort, studied_orders

SOURCE, RANDOM, LOCAL_SEARCH = "order of the source", "random orders", "local search"
ADVERSARY, LONGEST_PATH = "adversary", "longest path"

# Steps of an order, of each of its rows (shuffled first, its margin computed at the end), and of a mistake.
_STEPS_OF_AN_ORDER, _STEPS_OF_A_ROW, _STEPS_OF_A_MISTAKE = 1_000, 4, 32

# Scores or weights that a mistake updates in one step, and columns that a presentation reads in one step.
_NUMBERS_A_STEP, _COLUMNS_A_STEP = 50, 100

_NUMBERS_OF_ORDERS = (1_000, 500, 200, 100)
# A local search tries one order for every four random ones; there are two searches.
_SEARCHED = 4

# Random orders that are run first, to learn how long orders take.
_PILOTS = 16

# Limit of the mistakes of an order, as a multiple of the most mistakes of the pilot orders.
_ROOM = 10

# Mistakes of an adversary on few rows, and number of rows for which a choice takes twice as long.
_STEPS_OF_A_SEQUENCE, _ROWS_A_CHOICE = 3_000, 160

# Weights examined in the search for the longest of all sequences, a tenth of a second of work.
_MOST_STATES = 2_000


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderPlan:
    """The orders that are tried.

    Attributes
    ----------
    effort : Effort
    settings : PerceptronSettings
    why_one_pass : str
        Why the runs end after one pass; empty where they go on until they converge.
    """

    effort: Effort
    settings: PerceptronSettings
    why_one_pass: str


def check_orders(orders: int | None, *, is_in_memory: bool) -> None:
    """Raise `InvalidOptionError` if the option `orders` is no number of orders that can be tried."""
    if orders is None or orders == 0:
        return
    check_effort(Effort(n_orders=orders))
    if not is_in_memory:
        raise InvalidOptionError(f"orders is {orders}; expected 0 for rows that are not in memory, or more memory")


def _compute(study: TwoClassStudy, workspace: Workspace) -> None:
    context, settings, limits = workspace.context, study.settings, workspace.limits
    plan = OUT_OF_TIME if limits.is_over() else plan_of(context, settings)
    if isinstance(plan, str):
        study.orders, study.why_orders = None, plan
        return
    problem, scale = context.problem, context.run.settings.bias_scale
    one_pass = run_perceptron(problem, bias_scale=scale, zero=settings.zero, max_epochs=1)
    of_orders = context.of_run(one_pass, plan.settings.max_epochs)
    bounds = bounds_of_any_order(study.bounds, of_orders)
    study.orders = studied_orders(
        of_orders, plan.settings, plan.effort, bounds=bounds, seed=settings.seed, limits=limits
    )  # fmt: skip
    study.why_orders = plan.why_one_pass
    if study.orders.is_cut:
        study.orders, study.why_orders = None, OUT_OF_TIME


def plan_of(context: Context, settings: ReportSettings) -> OrderPlan | str:
    """Return the plan, or the reason why there is none."""
    problem = context.problem
    if settings.orders == 0:
        return "none were asked for"
    if not isinstance(problem.row_source, InMemory):
        return "the rows are outside memory, and every order needs all of them"
    if settings.orders is None and _are_ties_slow(context):
        return "scores near 0 would have to be decided one by one, as the numbers of the rows have too many digits"
    why_one_pass = _why_one_pass(context)
    if not why_one_pass:
        plan = _until_convergence(context, settings)
        if plan is not None:
            return plan
        why_one_pass = "until they converge, many orders would take too long here"
    return _of_one_pass(context, settings, why_one_pass)


def steps_of(problem: Problem, n_epochs: float, n_mistakes: float) -> float:
    """Return the approximate number of steps of an order with these numbers of epochs and mistakes."""
    n, d = problem.n_samples, problem.n_features
    updated = n if n <= MOST_ROWS else d
    of_mistakes = n_mistakes * (_STEPS_OF_A_MISTAKE + updated / _NUMBERS_A_STEP)
    of_order = _STEPS_OF_AN_ORDER + n * _STEPS_OF_A_ROW
    return of_order + n_epochs * n * (1 + d / _COLUMNS_A_STEP) + of_mistakes


def _are_ties_slow(context: Context) -> bool:
    """Return whether compiled code cannot decide scores near 0, and many rows had some; of few rows all are exact."""
    run, problem = context.run, context.problem
    are_few = problem.n_samples * (problem.n_features + 1) <= run.settings.sizes.most_limbs
    return (are_few or run.n_ties > 0) and not limbs_of(problem, run.settings).rows.size


def _why_one_pass(context: Context) -> str:
    if not context.run_hard.lower > 0:
        kind = through(context.problem.bias)
        known = "separates" if context.run_hard.status.is_inseparable else "is proven to separate"
        return f"no hyperplane{kind} {known} the classes, and without one a run need not end"
    if not context.run.converged:
        return "the run itself was stopped before it converged"
    return ""


def _until_convergence(context: Context, settings: ReportSettings) -> OrderPlan | None:
    """Return a plan if enough orders come to their end within the steps allowed; one that was asked for in any case."""
    problem = context.problem
    n_orders, most = settings.orders, settings.max_mistakes
    if n_orders is None:
        n_orders, longest = _pilot(context, settings)
        most = min(most or longest, longest)
    if not n_orders:
        return None
    n_sequence = _STEPS_OF_A_SEQUENCE // (1 + problem.n_samples // _ROWS_A_CHOICE)
    effort = Effort(n_orders=n_orders, n_search=n_orders // _SEARCHED, n_sequence=n_sequence, max_states=_MOST_STATES)
    return OrderPlan(effort=effort, settings=_settings(context, None, most), why_one_pass="")


def _pilot(context: Context, settings: ReportSettings) -> tuple[int, int]:
    """Return how many orders can be run until they converge, and how many mistakes each may make."""
    from maxmargin.solvers.perceptron.many_orders import many_orders

    problem = context.problem
    sizes = settings.sizes
    allowed = sizes.order_steps / (2 * _PILOTS)
    empty = steps_of(problem, 0, 0)
    epochs, mistakes = (int(allowed / (steps_of(problem, *one) - empty)) for one in ((1, 0), (0, 1)))
    if problem.n_samples > sizes.order_rows or min(epochs, mistakes) < 1:
        return 0, 0
    pilot = many_orders(problem, _settings(context, epochs, mistakes), n_orders=_PILOTS, seed=settings.seed).outcomes
    if not pilot.converged.all():
        return 0, 0
    longest = _ROOM * max(context.run.n_mistakes, int(pilot.n_mistakes.max()))
    steps = steps_of(problem, float(pilot.n_epochs.mean()), float(pilot.n_mistakes.mean()))
    return _affordable(steps, sizes.order_steps), longest


def _of_one_pass(context: Context, settings: ReportSettings, why: str) -> OrderPlan | str:
    problem = context.problem
    n_orders = settings.orders
    if n_orders is None:
        of_first_pass = context.run.mistakes_per_epoch[:1].sum() or context.run.n_mistakes
        steps = steps_of(problem, 1, float(of_first_pass))
        sizes = settings.sizes
        n_orders = _affordable(steps, sizes.order_steps) if problem.n_samples <= sizes.order_rows else 0
    if not n_orders:
        return f"many orders of {count(problem.n_samples)} rows would take too long"
    effort = Effort(n_orders=n_orders, n_search=n_orders // _SEARCHED, n_sequence=0, max_states=0)
    return OrderPlan(effort=effort, settings=_settings(context, 1, None), why_one_pass=why)


def _affordable(steps: float, most_steps: int) -> int:
    """Return how many orders are tried when each takes `steps`; 0 for none."""
    runs = 1 + 2 / _SEARCHED
    return next((n for n in _NUMBERS_OF_ORDERS if n * runs * steps <= most_steps), 0)


def _settings(context: Context, max_epochs: int | None, max_mistakes: int | None) -> PerceptronSettings:
    of_run = context.run.settings
    return PerceptronSettings(
        bias_scale=of_run.bias_scale, zero=of_run.zero, max_epochs=max_epochs, max_mistakes=max_mistakes
    )


def _fields(found: TwoClassStudy) -> dict[str, Any]:
    """Return the study of the orders in short; only the reason where there is none."""
    study, why = found.orders, found.why_orders
    if study is None:
        return {"orders": {"reason": why}}
    outcomes = study.outcomes
    fields = {
        "reason": None,
        "why_one_pass": why or None,
        **asdict(study.effort),
        "seed": study.runs.seed,
        "max_epochs": study.settings.max_epochs,
        "max_mistakes": study.settings.max_mistakes,
        "n_converged": np.count_nonzero(outcomes.converged),
        **{name: getattr(study, name) for name in ("n_capped", "is_sorted_by_class", "fewest_seen", "most_seen")},
        "quantiles": [[level, value] for level, value in study.quantiles.items()],
        "mean": outcomes.n_mistakes.mean(),
        "least": outcomes.n_mistakes.min(),
        "most": outcomes.n_mistakes.max(),
        "margins": _margins(study),
        "file_order": _run(study.given),
        "best_order": {**_run(study.fewest), "order": study.fewest.order},
        "worst_order": {**_run(study.most), "order": study.most.order},
        "sequence": _sequence(study),
        "worst": _worst(study),
        "best": _best(study),
        "bounds": [{"name": b.name, "value": b.value, "vacuous": b.vacuous} for b in study.bounds],
    }
    return {"orders": fields}


def _run(found: FoundOrder) -> dict[str, Any]:
    return {"n_mistakes": found.n_mistakes, "n_epochs": found.n_epochs, "converged": bool(found.converged)}


def _sequence(study: OrderStudy) -> dict[str, Any] | None:
    found = study.adversary
    if found is None:
        return None
    return {"n_mistakes": found.n_mistakes, "rule": str(found.rule), "is_complete": found.is_complete}


def _margins(study: OrderStudy) -> dict[str, Any] | None:
    """Return the margins that the runs achieved, in floating point; None unless every run ended on a hyperplane."""
    if not (study.outcomes.converged.all() and np.isfinite(study.outcomes.margin).all()):
        return None
    levels = [*study.quantiles]
    values = np.quantile(study.outcomes.margin, levels, method="inverted_cdf").tolist()
    found = [[level, value] for level, value in zip(levels, values, strict=True)]
    return {"least": values[0], "median": dict(found)[0.5], "greatest": values[-1], "quantiles": found}


def _best(study: OrderStudy) -> dict[str, Any]:
    """Return the fewest mistakes found, and what found them."""
    random = int(study.outcomes.n_mistakes.min())
    by_engine = {SOURCE: study.given.n_mistakes, RANDOM: random, LOCAL_SEARCH: study.fewest.n_mistakes}
    engine = min(by_engine, key=lambda name: by_engine[name])
    return {"n_mistakes": by_engine[engine], "engine": engine}


def _worst(study: OrderStudy) -> dict[str, Any]:
    """Return the most mistakes found, what found them, and whether they are proven to be the most possible."""
    if study.worst_case is not None:
        return {"n_mistakes": study.worst_case, "engine": LONGEST_PATH, "proven": True}
    random, adversary = int(study.outcomes.n_mistakes.max()), study.adversary
    by_engine = {SOURCE: study.given.n_mistakes, RANDOM: random, LOCAL_SEARCH: study.most.n_mistakes}
    by_engine[ADVERSARY] = 0 if adversary is None else adversary.n_mistakes
    engine = max(by_engine, key=lambda name: by_engine[name])
    return {"n_mistakes": by_engine[engine], "engine": engine, "proven": False}


ORDERS = Part(name="orders", n_shares=2, compute=_compute, fields=_fields)
