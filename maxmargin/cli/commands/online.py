"""``maxmargin online``: one run of an online algorithm with its guarantees, or the list of the algorithms."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from maxmargin.api.running import in_time
from maxmargin.cli.feedback import Exit
from maxmargin.cli.request import Request, print_json, print_text
from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN
from maxmargin.solvers.basics.printable import printable, terminal_width
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, maximum_text
from maxmargin.solvers.online.catalogue import ALGORITHMS, OnlineAlgorithm, algorithm_of, entries
from maxmargin.solvers.online.online_settings import OnlineSettings
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.run_online import run_online
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.perceptron.settings import StopReason
from maxmargin.solvers.problem.problem import Problem
from maxmargin.text.progress import run_shown, waiting
from maxmargin.text.tables import aligned

# Name of the algorithm that runs by default.
DEFAULT = "averaged"

_ALL = "all"

_HEAD = ("algorithm", "updates", "mistakes", "epochs", "end", "rows wrong", "margin", "of maximum", "guarantees")
_TO_THE_LEFT = (0, 4, 8)

# Columns that a narrow terminal does without, the first ones first.
_LESS = (3, 1, 6, 4, 5)


def catalogue(*, as_json: bool) -> Exit:
    """List the algorithms."""
    every = entries().values()
    if as_json:
        print_json("online-algorithms", {"algorithms": [asdict(entry) for entry in every]})
    else:
        print_text("\n\n".join(map(_entry_text, every)))
    return Exit.OK


def _entry_text(entry: OnlineAlgorithm) -> str:
    defaults = (f"{name}={'(by the data)' if value is None else value}" for name, value in entry.parameters.items())
    order = "" if entry.order == Order.CYCLIC else f"; order {entry.order}"
    lines = ["  ".join([entry.name, *defaults]), f"    {entry.summary} ({entry.reference}){order}"]
    return "\n".join([*lines, *(f"    guarantee: {statement}" for statement in entry.guarantees)])


def chosen_algorithms(names: Sequence[str], parameters: Iterable[str]) -> tuple[Algorithm, ...]:
    """Return the algorithms of these names; a parameter goes to every one of them that has it.

    Raises
    ------
    InvalidOptionError
        If there is no algorithm of a name, if none of them has a parameter, or not with such a value.
    """
    wanted = tuple(ALGORITHMS) if _ALL in names else tuple(dict.fromkeys(names))
    given = dict(map(_assignment, parameters))
    for name in wanted:
        algorithm_of(name, given if len(wanted) == 1 else {})
    known = {name: entry.parameters for name, entry in entries().items() if name in wanted}
    for parameter in given:
        if not any(parameter in own for own in known.values()):
            every = sorted({name for own in known.values() for name in own})
            raise InvalidOptionError(
                f"no algorithm asked for has the parameter {parameter!r}; expected {', '.join(every) or 'none'}"
            )
    return tuple(algorithm_of(name, {key: given[key] for key in given if key in known[name]}) for name in wanted)


def _assignment(text: str) -> tuple[str, Any]:
    name, equals, value = text.partition("=")
    if not (name and equals and value):
        raise InvalidOptionError(f"--parameter is {text!r}; expected NAME=VALUE")
    for kind in (int, float):
        try:
            return name, kind(value)
        except ValueError:
            continue
    return name, value


@dataclass(frozen=True, slots=True, kw_only=True)
class _Runner:
    """All runs of a request."""

    request: Request
    problem: Problem
    settings: OnlineSettings
    truth: Reference
    seed: int

    def run(self, algorithm: Algorithm) -> OnlineRun:
        import numpy as np

        options: dict[str, Any] = {"rng": np.random.default_rng(self.seed), "reference": self.truth}
        with run_shown(algorithm.name, quiet=self.request.options.quiet) as on_progress:
            run = run_online(self.problem, algorithm, self.settings, on_progress=on_progress, **options)
        return self.request.named(run)

    def maximum(self) -> HardMargin:
        """Return the maximum margin in the user's space."""
        from maxmargin.solvers.hard_margin.hard_margin import hard_margin

        with waiting("solving for the maximum margin", quiet=self.request.options.quiet):
            limit = self.settings.proof_time
            return hard_margin(self.problem, time_limit=limit) if self.problem.bias else self.truth.hard

    def answer(self, schema: str, fields: Callable[[], dict[str, Any]], text: Callable[[], str]) -> None:
        asked = {"prepare": self.request.options.prepare, "seed": self.seed}
        self.request.answer(schema, lambda: {**asked, **fields()}, text)


def online(
    request: Request, algorithms: tuple[Algorithm, ...], *, bias_scale: float | str, seed: int, **how: Any
) -> Exit:
    """Run, print, and return the exit code."""
    problem, scale, time_limit = in_time(request.problem, bias_scale, request.limits.share())
    how["order"] = how["order"] and Order(how["order"])
    settings = OnlineSettings(bias_scale=scale, time_limit=time_limit, **how)
    proof_time = None if settings.proof_time is None else len(algorithms) * settings.proof_time
    truth = Reference(space=Space.of(problem, scale), time_limit=proof_time)
    request = replace(request, bias=problem.bias)
    runner = _Runner(request=request, problem=problem, settings=settings, truth=truth, seed=seed)
    return _one(runner, algorithms[0]) if len(algorithms) == 1 else _several(runner, algorithms)


def _one(runner: _Runner, algorithm: Algorithm) -> Exit:
    run, request = runner.run(algorithm), runner.request
    maximum = runner.maximum()
    runner.answer(
        "online",
        lambda: _run_fields(run, runner, maximum),
        lambda: run.summary(maximum=maximum, reference=runner.truth, prepare=request.options.prepare),
    )
    return _exit_code([run], maximum)


def _several(runner: _Runner, algorithms: tuple[Algorithm, ...]) -> Exit:
    runs: dict[str, OnlineRun | str] = {}
    try:
        for algorithm in algorithms:
            runs[algorithm.name] = run = _run_or_reason(runner, algorithm)
            if not isinstance(run, str) and run.stop_reason is StopReason.INTERRUPTED:
                break
        is_whole = True
    except KeyboardInterrupt:
        is_whole = False
    maximum = runner.maximum()

    def entry(name: str, run: OnlineRun | str) -> dict[str, Any]:
        if isinstance(run, str):
            return {"algorithm": name, "reason": run}
        return _run_fields(run, runner, maximum, with_rows=False)

    runner.answer(
        "online-comparison",
        lambda: {"runs": [entry(name, run) for name, run in runs.items()]},
        lambda: _table_text(runs, maximum, runner.request.options.prepare),
    )
    return _exit_code(list(runs.values()), maximum) if is_whole else Exit.INTERRUPTED


def _run_or_reason(runner: _Runner, algorithm: Algorithm) -> OnlineRun | str:
    """Return the run, or why the algorithm cannot run on these data."""
    try:
        return runner.run(algorithm)
    except InvalidProblemError as error:
        return error.on_command_line


def _exit_code(runs: list[OnlineRun | str], maximum: HardMargin) -> Exit:
    stops = [None if isinstance(run, str) else run.stop_reason for run in runs]
    if StopReason.INTERRUPTED in stops or maximum.reason == WHAT_WAS_PROVEN:
        return Exit.INTERRUPTED
    return Exit.OK if set(stops) == {StopReason.CONVERGED} else Exit.NOT_CONVERGED


def _run_fields(run: OnlineRun, runner: _Runner, maximum: HardMargin, *, with_rows: bool = True) -> dict[str, Any]:
    """Return a run as JSON fields; `with_rows` also its hyperplane and its lists."""
    truth = runner.truth
    low, high = truth.maximum
    known = {
        "is_kernel": run.space.is_kernel,
        "maximum_margin": {"status": maximum.status.value, "lower": maximum.lower, "upper": maximum.upper},
        "run_maximum_margin": {"status": truth.hard.status.value, "lower": low, "upper": high},
    }
    return run.fields(known=known, with_rows=with_rows)


def _table_text(runs: dict[str, OnlineRun | str], maximum: HardMargin, prepare: str) -> str:
    """Return several runs as a table, a line each; those that cannot run with the reason."""
    done = [run for run in runs.values() if not isinstance(run, str)]
    rows = [_HEAD, *(_cells(run, maximum) for run in done)]
    table = aligned(rows, to_the_left=_TO_THE_LEFT, width=terminal_width(), less=_LESS) if done else []
    not_run = (f"{name}: not run: {printable(run)}" for name, run in runs.items() if isinstance(run, str))
    return "\n".join([maximum_text(maximum, prepare), *table, *not_run])


def _cells(run: OnlineRun, maximum: HardMargin) -> tuple[str, ...]:
    has_margin = not run.space.is_kernel and math.isfinite(run.margin)
    verdicts = Counter(guarantee.verdict for guarantee in run.guarantees)
    return (
        run.algorithm.name,
        f"{run.n_updates:,}",
        f"{run.n_mistakes:,}",
        f"{run.n_epochs:,}",
        run.stop_reason.removeprefix("max_").removesuffix("_limit"),
        f"{run.n_errors:,}",
        f"{run.margin:.6g}" if has_margin else "-",
        run.share_of(maximum) or "-",
        ", ".join(f"{number} {word}" for word, number in verdicts.items()),
    )
