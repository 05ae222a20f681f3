"""``maxmargin bounds``: the mistakes of a run beside the bounds of theory."""

import math
import shutil
from typing import TYPE_CHECKING, Any

from maxmargin.cli.feedback import Exit
from maxmargin.cli.request import Request
from maxmargin.solvers.answers.answer_text import counted
from maxmargin.solvers.perceptron.settings import StopReason
from maxmargin.text.progress import run_shown
from maxmargin.text.tables import aligned
from maxmargin.theory.bound import WIDEST
from maxmargin.theory.perceptron_bounds import run_and_bounds

if TYPE_CHECKING:
    from maxmargin.solvers.perceptron.result import PerceptronRun
    from maxmargin.theory.perceptron_bounds import Bound


def bounds(request: Request, *, n_passes: int | None, **options: Any) -> Exit:
    """Run the perceptron, compute the bounds, print both, and return the exit code."""
    problem, prepare, options["time_limit"] = request.problem, request.options.prepare, request.limits.share()
    with run_shown(quiet=request.options.quiet) as on_progress:
        run, every = run_and_bounds(problem, n_passes=n_passes, on_progress=on_progress, **options)
    if options["bias_scale"] == "best" and run.settings.bias_scale == 1.0:
        request.note("no best bias scale is known, so the bias scale is 1: not proven separable, or b* = 0")
    bounds = ordered(every)
    request.answer(
        "bounds", lambda: _fields(run, bounds, n_passes, prepare), lambda: _text(run, bounds, n_passes, prepare)
    )
    return Exit.INTERRUPTED if run.stop_reason is StopReason.INTERRUPTED else Exit.OK


def ordered(every: "tuple[Bound, ...]") -> "list[Bound]":
    """Return the bounds that hold, the least first, and then the others."""
    holding = sorted((bound for bound in every if bound.valid), key=lambda bound: bound.value)
    return [*holding, *(bound for bound in every if not bound.valid)]


def _fields(run: "PerceptronRun", bounds: "list[Bound]", n_passes: int | None, prepare: str) -> dict[str, Any]:
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


def _text(run: "PerceptronRun", bounds: "list[Bound]", n_passes: int | None, prepare: str) -> str:
    done = f", prepared: {prepare}" if prepare != "raw" else ""
    asked = "until convergence" if n_passes is None else f"of {n_passes:,} pass{'es' * (n_passes > 1)}"
    made = f"{counted(run.n_mistakes, 'mistake')} in {counted(run.n_epochs, 'epoch')}"
    end = "stopped there" if run.stop_reason is StopReason.MAX_EPOCHS else run.stop_reason.phrase
    lines = [f"M = {made} ({end})", f"  bounds of the mistakes {asked}, {run.space_text}{done}"]
    if not run.converged and n_passes is None:
        lines.append("  the run was stopped before it converged: its counts bound nothing beyond it")
    if prepare == "raw" and run.stop_reason is StopReason.MAX_MISTAKES:
        lines.append(run.advice)
    width = min(WIDEST, shutil.get_terminal_size().columns)
    holding, failing = [b for b in bounds if b.valid], [b for b in bounds if not b.valid]
    lines += _holding_lines(holding, run.n_mistakes, width) if holding else ["none of the bounds is proven to hold"]
    if failing:
        lines.append("not proven to hold here; they need")
    for bound in failing:
        lines += [f"  {bound.name}{bound.value_if_it_held}", *bound.explanation(width)]
    return "\n".join(lines)


def _holding_lines(holding: "list[Bound]", n_mistakes: int, width: int) -> list[str]:
    rows = [("bound", "M/bound", "name", "")]
    for bound in holding:
        ratio = bound.ratio(n_mistakes)
        ratio_text = "-" if math.isnan(ratio) else f"{ratio:.3g}"
        rows.append((bound.value_text, ratio_text, bound.name, "says nothing" if bound.vacuous else ""))
    table = aligned(rows, to_the_left=(2, 3))
    lines = [table[0]]
    for line, bound in zip(table[1:], holding, strict=True):
        lines += [line, *bound.explanation(width)]
    return lines
