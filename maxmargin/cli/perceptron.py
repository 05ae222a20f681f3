"""``maxmargin perceptron``: a run and its certificates."""

from contextlib import closing
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmargin.api.running import in_time, run_perceptron
from maxmargin.api.verbs import problem_of
from maxmargin.cli.exits import Exit
from maxmargin.cli.output import (
    Counter,
    RunProgress,
    data_fields,
    headline,
    names_of,
    note,
    print_json,
    print_text,
    row_numbers,
    waiting,
)
from maxmargin.solvers.answers.wording import counted
from maxmargin.solvers.perceptron.settings import StopReason
from maxmargin.text.outputs import check_writable
from maxmargin.text.tables import check_table_suffix

if TYPE_CHECKING:
    from maxmargin.data.dataset import Dataset
    from maxmargin.solvers.perceptron.result import PerceptronRun
    from maxmargin.solvers.problem.problem import Problem

_EXITS = {StopReason.CONVERGED: Exit.OK, StopReason.INTERRUPTED: Exit.INTERRUPTED}


def perceptron(
    dataset: "Dataset",
    *,
    bias: bool,
    prepare: str,
    seed: int,
    trace: Path | None,
    trace_mistakes: Path | None,
    trace_limit: int | None,
    method: str | None,
    as_json: bool,
    quiet: bool,
    **options: Any,
) -> Exit:
    """Run, print, write the traces, and return the exit code."""
    for path in (trace, trace_mistakes):
        if path is not None:
            check_table_suffix(path)
    if options["resume"] is not None:
        check_writable(options["resume"])
    problem, scale, options["time_limit"] = in_time(
        problem_of(dataset, bias=bias), options.pop("bias_scale"), options["time_limit"]
    )
    options["method"] = method or "auto"
    progress = RunProgress()
    run = run_perceptron(problem, bias_scale=scale, rng=seed, on_progress=None if quiet else progress, **options)
    progress.close()
    exit_code = _EXITS.get(run.stop_reason, Exit.NOT_CONVERGED)
    traced: dict[str, Any] = {}
    try:
        if trace is not None:
            traced |= _write_trace(trace, dataset, problem, run, seed, trace_limit, quiet)
        if trace_mistakes is not None:
            traced |= _write_mistakes(trace_mistakes, dataset, problem, run, seed, trace_limit, quiet)
    except KeyboardInterrupt:
        note("interrupted: the trace that was under way is not written", quiet=quiet)
        exit_code = Exit.INTERRUPTED
    names = names_of(dataset)
    if as_json:
        fields = run.fields(names, prepare=prepare, seed=seed)
        print_json("perceptron", {**data_fields(dataset), "bias": problem.bias, **fields, **traced})
    else:
        print_text(headline(dataset), run.summary(names, prepare=prepare))
    return exit_code


def _write_trace(
    path: Path,
    dataset: "Dataset",
    problem: "Problem",
    run: "PerceptronRun",
    seed: int,
    limit: int | None,
    quiet: bool,
) -> dict[str, Any]:
    import numpy as np

    from maxmargin.solvers.perceptron.exact import exact_steps
    from maxmargin.theory.trace import MOST_STEPS, write_trace

    steps = exact_steps(problem, run.settings, rng=np.random.default_rng(seed))
    if dataset.rows is not None:
        rows = dataset.rows.tolist()
        steps = (replace(step, row=rows[step.row]) for step in steps)
    counter = Counter(f"writing {path}", "presentation", quiet=quiet)
    with closing(counter):
        n_lines, n_mistakes, is_whole = write_trace(
            path, steps, dataset.feature_names, most_steps=limit or MOST_STEPS, on_step=counter
        )
    cut = "" if is_whole else ", cut there (--trace-limit)"
    note(f"{path}: {n_lines:,} presentations in exact decimal arithmetic{cut}", quiet=quiet)
    said = "" if run.resumed_from is None else ", as the resume file says"
    if is_whole and n_mistakes != run.n_mistakes:
        note(
            f"the decimal numbers make {n_mistakes:,} mistakes, their binary64 roundings {run.n_mistakes:,}{said}",
            quiet=quiet,
        )
    written = {"file": str(path), "n_presentations": n_lines, "n_mistakes": n_mistakes, "is_whole": is_whole}
    return {"trace": written}


def _write_mistakes(
    path: Path,
    dataset: "Dataset",
    problem: "Problem",
    run: "PerceptronRun",
    seed: int,
    limit: int | None,
    quiet: bool,
) -> dict[str, Any]:
    import numpy as np

    from maxmargin.solvers.perceptron.trace.mistake_log import UNKNOWN_ROW
    from maxmargin.theory.mistake_traces import MOST_POINTS, space_margin, trace_of
    from maxmargin.theory.trace_table import write_mistake_trace

    with waiting("tracing the mistakes", quiet=quiet):
        hard = space_margin(problem, run.settings.bias_scale)
        found = trace_of(problem, run, hard, rng=np.random.default_rng(seed), most_points=limit or MOST_POINTS)
    rows = np.where(found.row == UNKNOWN_ROW, UNKNOWN_ROW, row_numbers(dataset, found.row))
    n_lines = write_mistake_trace(path, found, rows.tolist())
    thinned = "" if found.is_whole else ": all of the first ones, then evenly on a logarithmic scale"
    note(f"{path}: {n_lines:,} of {counted(run.n_mistakes, 'mistake')}{thinned}", quiet=quiet)
    note(found.summary(), quiet=quiet)
    written = {
        "file": str(path),
        "n_lines": n_lines,
        "is_whole": found.is_whole,
        "holds": found.holds,
        "inequalities": [str(inequality) for inequality in found.inequalities],
        "violations": [asdict(violation) for violation in found.violations],
        "radius": found.radius,
        "u_margin": found.u_margin,
        "maximum_lower": found.maximum_lower,
        "maximum_upper": found.maximum_upper,
        "reason": found.reason,
    }
    return {"mistake_trace": written}
