"""The perceptron and the other online algorithms, with the mistake bounds that are proven of their runs."""

import math
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from maxmargin.comparison.methods.method import Answer, Claim, Method, QuestionKind
from maxmargin.comparison.methods.ours import PACKAGES
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.problem.problem import Problem

# Mistakes after which the perceptron stops unless the study says otherwise.
MAX_MISTAKES = 1_000_000

# Seconds for the bounds of one run of the perceptron.
SECONDS_FOR_BOUNDS = 10.0

# The entry of an answer that holds the run, for its bounds.
_RUN = "run"

_PERCEPTRON = frozenset({"bias", "bias_scale", "zero", "order", "max_epochs", "max_mistakes", "method"})
_ONLINE = frozenset({"bias", "bias_scale", "order", "max_epochs", "max_updates"})

# How the statements of guarantees begin that bound a count from above; some bound mistakes on certain rows only.
_COUNTED = ("updates <=", "mistakes <=")

# Stop reasons of runs that could have gone on.
_LIMITED = ("max_epochs", "max_mistakes", "max_updates", "time_limit", "interrupted")


def methods() -> Iterator[Method]:
    """Yield the perceptron and every algorithm of the catalogue."""
    from maxmargin.solvers.online.catalogue import entries

    claims = "separates where its run converged"
    method = partial(Method, question=QuestionKind.ONLINE, packages=PACKAGES, claims=claims)
    yield method(
        name="perceptron", fit=perceptron, summary="Rosenblatt's perceptron, its mistakes exact",
        parameters=_PERCEPTRON, random_if=partial(_is_random, "cyclic"), bounds=perceptron_bounds,
    )  # fmt: skip
    for name, entry in entries().items():
        yield method(
            name=f"online.{name}", fit=partial(online, name), summary=entry.summary, bounds=online_bounds,
            parameters=_ONLINE | entry.parameters.keys(), random_if=partial(_is_random, entry.order),
        )  # fmt: skip


def _is_random(default: str, params: Mapping[str, Any]) -> bool:
    """Return whether the order of presentation, the default one unless the parameters choose another, is random."""
    return (params.get("order") or default) != "cyclic"


def perceptron(
    X: Any, y: Any, *, seed: int, time_limit: float | None, bias: bool = True, bias_scale: float | str = 1.0,
    max_mistakes: int | None = MAX_MISTAKES, **options: Any,
) -> Answer:  # fmt: skip
    """Run the perceptron."""
    from maxmargin.api.running import in_time, run_perceptron

    problem = Problem.validated(X, y, bias=bias)
    problem, scale, seconds = in_time(problem, bias_scale, time_limit)  # the bounds need the space of the run
    run = run_perceptron(problem, bias_scale=scale, rng=seed, time_limit=seconds, max_mistakes=max_mistakes, **options)
    return {**_answer(run), "n_updates": run.n_mistakes, _RUN: (problem, run)}


def online(
    name: str, X: Any, y: Any, *, seed: int, time_limit: float | None, bias: bool = True,
    bias_scale: float | str = 1.0, order: str | None = None, max_epochs: int | None = 100,
    max_updates: int | None = None, **parameters: Any,
) -> Answer:  # fmt: skip
    """Run an online algorithm."""
    from maxmargin.api.running import in_time
    from maxmargin.solvers.online.catalogue import algorithm_of
    from maxmargin.solvers.online.online_settings import OnlineSettings
    from maxmargin.solvers.online.run_online import run_without_guarantees
    from maxmargin.solvers.online.space import Space
    from maxmargin.solvers.perceptron.row_orders import Order

    problem, scale, seconds = in_time(Problem.validated(X, y, bias=bias), bias_scale, time_limit)
    settings = OnlineSettings(
        bias_scale=scale, order=None if order is None else Order(order), max_epochs=max_epochs,
        max_updates=max_updates, time_limit=seconds,
    )  # fmt: skip
    rows = Space.of(problem, scale, settings.sizes.most_entries)
    algorithm = algorithm_of(name, parameters)
    run = run_without_guarantees(problem, algorithm, settings, rows, rng=np.random.default_rng(seed))
    answer = {**_answer(run), "n_updates": run.n_updates, _RUN: run}
    return answer | ({"w": None, "claim": None} if run.space.is_kernel else {})


def _answer(run: Any) -> dict[str, Any]:
    return {
        "w": run.w,
        "b": run.b,
        "claim": Claim.SEPARATES if run.converged and run.margin > 0 else None,  # a mean need not separate
        "message": str(run.stop_reason),
        "n_mistakes": run.n_mistakes,
        "capped": str(run.stop_reason) in _LIMITED,
    }


def perceptron_bounds(X: Any, y: Any, answer: Answer, **params: Any) -> Mapping[str, float]:
    """Return the bounds that hold for the mistakes of this very run, whatever ended it; not the vacuous ones."""
    from maxmargin.theory.perceptron_bounds import bounds_of, context_of_run

    problem, run = answer[_RUN]
    context = context_of_run(problem, run, limits=Limits(time_limit=SECONDS_FOR_BOUNDS))
    return {bound.name: bound.value for bound in bounds_of(context) if bound.valid and not bound.vacuous}


def online_bounds(X: Any, y: Any, answer: Answer, **params: Any) -> Mapping[str, float]:
    """Return the guarantees that bound the updates or mistakes of a run from above, if rounding does not matter."""
    from maxmargin.solvers.online.run_online import with_guarantees

    run = answer[_RUN]
    counted = (guarantee for guarantee in with_guarantees(run).guarantees if guarantee.statement.startswith(_COUNTED))
    known = [(each.name, each.value) for each in counted if each.value is not None and each.holds is not None]
    return {name: value for name, value in known if math.isfinite(value)}
