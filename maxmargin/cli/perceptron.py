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
    hyperplane_text,
    note,
    print_json,
    print_text,
    row_numbers,
    rows_of,
    space_text,
    waiting,
)
from maxmargin.solvers.answers.named import counted
from maxmargin.solvers.answers.phrases import through
from maxmargin.solvers.perceptron.settings import StopReason
from maxmargin.text.outputs import check_writable
from maxmargin.theory.trace import check_suffix

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
            check_suffix(path)
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
    if as_json:
        fields = run.fields(rows_of(dataset), prepare=prepare, seed=seed)
        print_json("perceptron", {**data_fields(dataset), "bias": problem.bias, **fields, **traced})
    else:
        print_text(headline(dataset), _text(dataset, run, prepare, bias=problem.bias))
    return exit_code


def _text(dataset: "Dataset", run: "PerceptronRun", prepare: str, *, bias: bool) -> str:
    done = f"prepared: {prepare}; " if prepare != "raw" else ""
    lines = [
        f"{_STOPS[run.stop_reason]}: {counted(run.n_mistakes, 'mistake')}, {counted(run.n_epochs, 'epoch')}",
        f"  {done}order {run.settings.order}, zero rule {run.settings.zero}, {space_text(run, bias=bias)}",
        f"  least geometric margin of (w, b): {run.margin!r}",
    ]
    if run.margin_upper is not None:
        of_what = "" if prepare == "raw" else " of the prepared data"
        lines.append(f"  proven upper bound of the maximum margin{through(bias)}{of_what}: {run.margin_upper!r}")
    if run.run_upper is not None and bias:  # without a bias the two spaces are one
        lines.append(
            f"  in the space of the run: achieved {run.run_margin!r}, maximum at most {run.run_upper!r} (proven)"
        )
    if run.resumed_from is not None:
        lines.append(f"  {_of_the_file(run.resumed_from)}; margins and their bounds are proven all the same")
    if run.n_uncertain:
        lines.append(f"  rounding may have decided {counted(run.n_uncertain, 'score')}: other machines may differ")
    if prepare == "raw" and run.stop_reason in (StopReason.MAX_EPOCHS, StopReason.MAX_MISTAKES, StopReason.TIME_LIMIT):
        lines.append(f"  whether it can converge at all: maxmargin check{'' if bias else ' --no-bias'}")
    return "\n".join([*lines, hyperplane_text(dataset.feature_names, run.w, run.b)])


def _of_the_file(n_mistakes: int) -> str:
    return f"{counted(n_mistakes, 'mistake')} of these, and their epochs, are as the resume file says"


_STOPS = {
    StopReason.CONVERGED: "converged",
    StopReason.MAX_EPOCHS: "not converged, stopped at the limit of epochs",
    StopReason.MAX_MISTAKES: "not converged, stopped at the limit of mistakes",
    StopReason.TIME_LIMIT: "not converged, stopped at the time limit",
    StopReason.INTERRUPTED: "interrupted",
}


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
    from maxmargin.theory.trace_table import summary_of, write_mistake_trace

    with waiting("tracing the mistakes", quiet=quiet):
        hard = space_margin(problem, run.settings.bias_scale)
        found = trace_of(problem, run, hard, rng=np.random.default_rng(seed), most_points=limit or MOST_POINTS)
    rows = np.where(found.row == UNKNOWN_ROW, UNKNOWN_ROW, row_numbers(dataset, found.row))
    n_lines = write_mistake_trace(path, found, rows.tolist())
    thinned = "" if found.is_whole else ": all of the first ones, then evenly on a logarithmic scale"
    note(f"{path}: {n_lines:,} of {counted(run.n_mistakes, 'mistake')}{thinned}", quiet=quiet)
    note(summary_of(found), quiet=quiet)
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
