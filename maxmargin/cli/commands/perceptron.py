"""``maxmargin perceptron``: a run and its certificates."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from maxmargin.api.running import in_time, run_perceptron
from maxmargin.cli.feedback import Exit
from maxmargin.cli.request import Request
from maxmargin.solvers.answers.answer_text import counted
from maxmargin.solvers.perceptron.result import PerceptronRun
from maxmargin.solvers.perceptron.settings import StopReason
from maxmargin.solvers.problem.problem import Problem
from maxmargin.text.progress import progress_shown, run_shown, waiting
from maxmargin.text.tables import check_table_suffix

# Fields of a `MistakeTrace` that are printed.
_OF_A_TRACE = ("inequalities", "violations", "radius", "u_margin", "maximum_lower", "maximum_upper", "reason")

_EXITS = {StopReason.CONVERGED: Exit.OK, StopReason.INTERRUPTED: Exit.INTERRUPTED}


def perceptron(request: Request, *, seed: int, trace: Path | None, trace_mistakes: Path | None, **options: Any) -> Exit:
    """Run, print, write the traces, and return the exit code."""
    trace_limit = options.pop("trace_limit")
    for path in (trace, trace_mistakes):
        if path is not None:
            check_table_suffix(path)
    seconds = request.limits.share()
    problem, scale, options["time_limit"] = in_time(request.problem, options.pop("bias_scale"), seconds)
    request = replace(request, bias=problem.bias)
    with run_shown(quiet=request.options.quiet) as on_progress:
        run = run_perceptron(problem, bias_scale=scale, rng=seed, on_progress=on_progress, **options)
    run = request.named(run)
    exit_code = _EXITS.get(run.stop_reason, Exit.NOT_CONVERGED)
    traced: dict[str, Any] = {"trace": None, "mistake_trace": None}
    try:
        if trace is not None:
            traced |= _write_trace(trace, request, problem, run, seed, trace_limit)
        if trace_mistakes is not None:
            traced |= _write_mistakes(trace_mistakes, request, problem, run, seed, trace_limit)
    except KeyboardInterrupt:
        request.note("interrupted: the trace that was under way is not written")
        exit_code = Exit.INTERRUPTED
    request.answer(
        "perceptron",
        lambda: {**run.fields(prepare=request.options.prepare, seed=seed), **traced},
        lambda: run.summary(prepare=request.options.prepare),
    )
    return exit_code


def _write_trace(
    path: Path, request: Request, problem: Problem, run: PerceptronRun, seed: int, limit: int | None
) -> dict[str, Any]:
    from maxmargin.solvers.perceptron.exact import exact_steps
    from maxmargin.theory.trace import MOST_STEPS, write_trace

    steps = exact_steps(problem, run.settings, rng=np.random.default_rng(seed))
    dataset = request.dataset
    if dataset.rows is not None:
        rows = dataset.rows.tolist()
        steps = (replace(step, row=rows[step.row]) for step in steps)
    with progress_shown(
        lambda seconds, n_steps: f"writing {path}: {counted(n_steps, 'presentation')}, {seconds:.0f} s",
        quiet=request.options.quiet,
    ) as on_step:
        n_lines, n_mistakes, is_whole = write_trace(
            path, steps, dataset.feature_names, most_steps=limit or MOST_STEPS, on_step=on_step
        )
    cut = "" if is_whole else ", cut there (--trace-limit)"
    request.note(f"{path}: {n_lines:,} presentations in exact decimal arithmetic{cut}")
    if is_whole and n_mistakes != run.n_mistakes:
        request.note(f"the decimal numbers make {n_mistakes:,} mistakes, their binary64 roundings {run.n_mistakes:,}")
    return {"trace": {"file": str(path), "n_presentations": n_lines, "n_mistakes": n_mistakes, "is_whole": is_whole}}


def _write_mistakes(
    path: Path, request: Request, problem: Problem, run: PerceptronRun, seed: int, limit: int | None
) -> dict[str, Any]:
    from maxmargin.solvers.perceptron.exact_states import UNKNOWN_ROW
    from maxmargin.theory.mistake_traces import MOST_POINTS, space_margin, trace_of
    from maxmargin.theory.trace import write_mistake_trace

    with waiting("tracing the mistakes", quiet=request.options.quiet):
        hard = space_margin(problem, run.settings.bias_scale)
        found = trace_of(problem, run, hard, rng=np.random.default_rng(seed), most_points=limit or MOST_POINTS)
    rows = np.where(found.row == UNKNOWN_ROW, UNKNOWN_ROW, request.names.numbers(found.row))
    n_lines = write_mistake_trace(path, {**found.columns(), "row": rows.tolist()}, found.summary())
    thinned = "" if found.is_whole else ": all of the first ones, then evenly on a logarithmic scale"
    request.note(f"{path}: {n_lines:,} of {counted(run.n_mistakes, 'mistake')}{thinned}")
    request.note(found.summary())
    fields = found.to_dict()
    written = {"file": str(path), "n_lines": n_lines, "is_whole": found.is_whole, "holds": found.holds}
    return {"mistake_trace": {**written, **{name: fields[name] for name in _OF_A_TRACE}}}
