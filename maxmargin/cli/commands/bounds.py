"""``maxmargin bounds``: the mistakes of a run beside the bounds of theory."""

from typing import Any

from maxmargin.cli.feedback import Exit
from maxmargin.cli.request import Request
from maxmargin.solvers.basics.printable import terminal_width
from maxmargin.solvers.perceptron.result import PerceptronRun
from maxmargin.solvers.perceptron.settings import StopReason
from maxmargin.text.number_formats import plural
from maxmargin.text.progress import run_shown
from maxmargin.theory.bound import WIDEST, bounds_lines
from maxmargin.theory.perceptron_bounds import Bound, run_and_bounds


def bounds(request: Request, *, explain: bool, **options: Any) -> Exit:
    """Run the perceptron, compute the bounds, print both, and return the exit code."""
    problem, prepare, options["time_limit"] = request.problem, request.options.prepare, request.limits.share()
    with run_shown(quiet=request.options.quiet) as on_progress:
        run, every = run_and_bounds(problem, on_progress=on_progress, **options)
    if options["bias_scale"] == "best" and run.settings.bias_scale == 1.0:
        request.note("no best bias scale is known, so the bias scale is 1: not proven separable, or b* = 0")
    bounds = ordered(every)
    request.answer(
        "bounds",
        lambda: _fields(run, bounds, options["n_passes"], prepare),
        lambda: _text(run, bounds, prepare, explain=explain),
    )
    return Exit.INTERRUPTED if run.stop_reason is StopReason.INTERRUPTED else Exit.OK


def ordered(every: tuple[Bound, ...]) -> list[Bound]:
    """Return the bounds that hold, the least first, and then the others."""
    holding = sorted((bound for bound in every if bound.valid), key=lambda bound: bound.value)
    return [*holding, *(bound for bound in every if not bound.valid)]


def _fields(run: PerceptronRun, bounds: list[Bound], n_passes: int | None, prepare: str) -> dict[str, Any]:
    return {
        "n_mistakes": run.n_mistakes,
        "n_epochs": run.n_epochs,
        "converged": run.converged,
        "stop_reason": run.stop_reason.value,
        "n_passes": n_passes,
        "bias_scale": run.settings.bias_scale,
        "prepare": prepare,
        "bounds": [
            {**bound.to_dict(), "ratio": bound.ratio(run.n_mistakes) if bound.valid else None} for bound in bounds
        ],
    }


def _text(run: PerceptronRun, bounds: list[Bound], prepare: str, *, explain: bool) -> str:
    width = min(WIDEST, terminal_width())
    done = f", prepared: {prepare}" if prepare != "raw" else ""
    made = f"{plural(run.n_mistakes, 'mistake')} in {plural(run.n_epochs, 'epoch')}"
    end = "stopped there" if run.stop_reason is StopReason.MAX_EPOCHS else run.stop_reason.phrase
    lines = [f"M = {made} ({end}), {run.space_text}{done}"]
    if prepare == "raw" and run.stop_reason is StopReason.MAX_MISTAKES:
        lines.append(run.advice)
    lines += bounds_lines(bounds, run.n_mistakes)
    if explain:
        return "\n".join([*lines, *(f"\n{bound.summary(width=width)}" for bound in bounds)])
    return "\n".join([*lines, "--explain states each bound, what it needs, and its source"])
