"""``maxmargin bounds``: the mistakes of a run next to what theory says of them."""

import math
import shutil
import textwrap
from typing import TYPE_CHECKING, Any

from maxmargin.api.verbs import problem_of
from maxmargin.cli.exits import Exit
from maxmargin.cli.output import (
    RunProgress,
    data_fields,
    headline,
    note,
    print_json,
    print_text,
    space_text,
)
from maxmargin.cli.tables import aligned
from maxmargin.reports.number_formats import rounded_up
from maxmargin.solvers.answers.named import counted
from maxmargin.solvers.perceptron.settings import StopReason
from maxmargin.theory.perceptron_bounds import run_and_bounds

if TYPE_CHECKING:
    from maxmargin.data.dataset import Dataset
    from maxmargin.solvers.perceptron.result import PerceptronRun
    from maxmargin.theory.perceptron_bounds import Bound

_WIDEST = 120
"""Columns of text that a line takes, of a wide terminal."""


def bounds(
    dataset: "Dataset",
    *,
    bias: bool,
    bias_scale: float | str,
    n_passes: int | None,
    C: float,
    prepare: str,
    time_limit: float | None,
    as_json: bool,
    quiet: bool,
) -> Exit:
    """Run the perceptron, compute the bounds, print both, and return the exit code."""
    progress = RunProgress()
    run, every = run_and_bounds(
        problem_of(dataset, bias=bias),
        bias_scale=bias_scale,
        n_passes=n_passes,
        C=C,
        time_limit=time_limit,
        on_progress=None if quiet else progress,
    )
    progress.close()
    if bias_scale == "best" and run.settings.bias_scale == 1.0:
        note("no best bias scale is known, so the bias scale is 1: not proven separable, or b* = 0", quiet=quiet)
    bounds = ordered(every)
    if as_json:
        print_json("bounds", {**data_fields(dataset), "bias": bias, **_fields(run, bounds, n_passes, prepare)})
    else:
        print_text(headline(dataset), _text(run, bounds, n_passes, prepare, bias=bias))
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
            {
                "name": bound.name,
                "value": bound.value,
                "valid": bound.valid,
                "vacuous": bound.vacuous,
                "ratio": bound.ratio(run.n_mistakes) if bound.valid else None,
                "assumption": bound.assumption,
                "reference": bound.reference,
            }
            for bound in bounds
        ],
    }


def _text(run: "PerceptronRun", bounds: "list[Bound]", n_passes: int | None, prepare: str, *, bias: bool) -> str:
    done = f", prepared: {prepare}" if prepare != "raw" else ""
    asked = "until convergence" if n_passes is None else f"of {n_passes:,} pass{'es' * (n_passes > 1)}"
    made = f"{counted(run.n_mistakes, 'mistake')} in {counted(run.n_epochs, 'epoch')}"
    lines = [
        f"M = {made} ({_STOPS[run.stop_reason]})",
        f"  bounds of the mistakes {asked}, {space_text(run, bias=bias)}{done}",
    ]
    if not run.converged and n_passes is None:
        lines.append("  the run was stopped before it converged: its counts bound nothing beyond it")
    if prepare == "raw" and run.stop_reason is StopReason.MAX_MISTAKES:
        lines.append(f"  whether it can converge at all: maxmargin check{'' if bias else ' --no-bias'}")
    holding, failing = [b for b in bounds if b.valid], [b for b in bounds if not b.valid]
    lines += _holding_lines(holding, run.n_mistakes) if holding else ["none of the bounds is proven to hold"]
    if failing:
        lines += ["not proven to hold here; they need", *(line for b in failing for line in _failing_lines(b))]
    return "\n".join(lines)


def _holding_lines(holding: "list[Bound]", n_mistakes: int) -> list[str]:
    rows = [("bound", "M/bound", "name", "")]
    rows += [
        (_rounded_up(b.value), _ratio_text(b.ratio(n_mistakes)), b.name, "says nothing" if b.vacuous else "")
        for b in holding
    ]
    table = aligned(rows, to_the_left=(2, 3))
    lines = [table[0]]
    for line, bound in zip(table[1:], holding, strict=True):
        lines += [line, *_wrapped(f"{bound.assumption} ({bound.reference})")]
    return lines


def _rounded_up(value: float) -> str:
    """Return the value with a few digits and not below itself, as it is a proven upper end."""
    return f"{rounded_up(value):,.6g}"


def _ratio_text(ratio: float) -> str:
    return "-" if math.isnan(ratio) else f"{ratio:.3g}"


def _failing_lines(bound: "Bound") -> list[str]:
    would = f" (it would be {_rounded_up(bound.value)})" if math.isfinite(bound.value) else ""
    return [f"  {bound.name}{would}", *_wrapped(bound.assumption)]


def _wrapped(text: str) -> list[str]:
    width = min(_WIDEST, shutil.get_terminal_size().columns)
    return textwrap.wrap(text, width, initial_indent="      ", subsequent_indent="      ", break_long_words=False)


_STOPS = {
    StopReason.CONVERGED: "converged",
    StopReason.MAX_EPOCHS: "stopped there",
    StopReason.MAX_MISTAKES: "not converged, stopped at the limit of mistakes",
    StopReason.TIME_LIMIT: "not converged, stopped at the time limit",
    StopReason.INTERRUPTED: "interrupted",
}
