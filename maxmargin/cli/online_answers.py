"""Runs of online algorithms, as JSON fields, as text and as a table."""

import math
from collections import Counter
from dataclasses import asdict
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from maxmargin.cli.output import hyperplane_text, rows_of
from maxmargin.cli.tables import aligned
from maxmargin.reports.number_formats import rounded_up
from maxmargin.solvers.answers.named import counted
from maxmargin.solvers.answers.phrases import through
from maxmargin.solvers.exact.dyadic import as_fraction, round_down, round_up
from maxmargin.solvers.perceptron.settings import StopReason
from maxmargin.text.escaping import shown

if TYPE_CHECKING:
    from maxmargin.data.dataset import Dataset
    from maxmargin.solvers.hard_margin.hard_solution import HardMargin
    from maxmargin.solvers.online.algorithm import OnlineRun
    from maxmargin.solvers.online.guarantee import Guarantee
    from maxmargin.solvers.online.reference import Reference

_STOPS = {
    StopReason.CONVERGED: "converged",
    StopReason.STALLED: "not converged, no row asks for an update though some are in error",
    StopReason.MAX_EPOCHS: "not converged, stopped at the limit of epochs",
    StopReason.MAX_UPDATES: "not converged, stopped at the limit of updates",
    StopReason.TIME_LIMIT: "not converged, stopped at the time limit",
    StopReason.INTERRUPTED: "interrupted",
}

_SHORT_STOPS = {
    **_STOPS,
    StopReason.STALLED: "stalled",
    StopReason.MAX_EPOCHS: "epochs",
    StopReason.MAX_UPDATES: "updates",
    StopReason.TIME_LIMIT: "time",
}
"""Of the table: what ended the run, or what ran out."""

_HEAD = ("algorithm", "updates", "mistakes", "epochs", "end", "rows wrong", "margin", "of the maximum", "guarantees")
_TO_THE_LEFT = (0, 4, 8)


def run_fields(
    dataset: "Dataset", run: "OnlineRun", truth: "Reference", maximum: "HardMargin", *, with_rows: bool = True
) -> dict[str, Any]:
    """Return a run as JSON fields; `with_rows` also its hyperplane and its lists."""
    low, high = _run_maximum(truth)
    known = {
        "is_kernel": not is_linear(run, truth),
        "maximum_margin": {"status": maximum.status.value, "lower": maximum.lower, "upper": maximum.upper},
        "run_maximum_margin": {"status": truth.hard.status.value, "lower": low, "upper": high},
    }
    return run.fields(rows_of(dataset), known=known, with_rows=with_rows)


def is_linear(run: "OnlineRun", truth: "Reference") -> bool:
    """Return whether the run is in the space of the rows (x, s), not in that of a kernel."""
    return run.space is truth.space


def _run_maximum(truth: "Reference") -> tuple[float, float]:
    """Return the proven ends of the maximum margin in the space of the run, in the user's units."""
    unit = as_fraction(1, truth.space.exponent)
    return round_down(Fraction(truth.hard.lower) * unit), round_up(Fraction(truth.hard.upper) * unit)


def one_text(dataset: "Dataset", run: "OnlineRun", truth: "Reference", maximum: "HardMargin", prepare: str) -> str:
    """Return a run as text."""
    counts = ", ".join(
        counted(number, noun)
        for number, noun in ((run.n_updates, "update"), (run.n_mistakes, "mistake"), (run.n_epochs, "epoch"))
    )
    is_plane = is_linear(run, truth)
    plane = [hyperplane_text(dataset.feature_names, run.w, run.b)] if is_plane else []
    return "\n".join(
        [
            f"{_named(run)}: {_STOPS[run.stop_reason]}: {counts}",
            f"  {_setting_text(run, truth, prepare)}",
            f"  rows not strictly on their side of what it ended on: {run.n_errors:,}",
            *(_margin_lines(run, truth, maximum, prepare) if is_plane else [_kernel_line(run)]),
            *(f"  {name}: {value!r}" for name, value in run.extras.items() if isinstance(value, int | float)),
            "  guarantees of the theory, on this run",
            *(line for guarantee in run.guarantees for line in _guarantee_lines(guarantee)),
            *plane,
        ]
    )


def _named(run: "OnlineRun") -> str:
    parameters = asdict(run.algorithm)
    values = ", ".join(f"{name} = {'by the data' if v is None else v}" for name, v in parameters.items())
    return run.algorithm.name + (f" ({values})" if values else "")


def _setting_text(run: "OnlineRun", truth: "Reference", prepare: str) -> str:
    done = f"prepared: {prepare}; " if prepare != "raw" else ""
    space = f"bias scale {truth.space.scale!r}" if truth.space.scale else "through the origin"
    return f"{done}order {run.settings.order or run.algorithm.default_order}, {space}"


def _margin_lines(run: "OnlineRun", truth: "Reference", maximum: "HardMargin", prepare: str) -> list[str]:
    lines = [
        f"  least geometric margin of (w, b): {run.margin!r}{_share_text(run, maximum)}",
        _maximum_line(maximum, prepare, through(truth.space.scale != 0)),
    ]
    if truth.space.scale and maximum.w is not None:
        low, high = _run_maximum(truth)
        lines.append(
            f"  in the space of the run: achieved {run.run_margin!r}, maximum g in [{low!r}, {high!r}] (proven)"
        )
    return lines


def _kernel_line(run: "OnlineRun") -> str:
    return f"  least geometric margin in the feature space of the kernel: {run.margin!r}"


def _share_text(run: "OnlineRun", maximum: "HardMargin") -> str:
    share = _share(run, maximum)
    return f", {share} of the maximum" if share else ""


def _share(run: "OnlineRun", maximum: "HardMargin") -> str:
    """Return how much of the maximum margin the run achieved, where there is one and it separates."""
    is_known = maximum.w is not None and run.margin > 0
    return f"{run.margin / maximum.upper:.1%}" if is_known else ""


def _maximum_line(maximum: "HardMargin", prepare: str, kind: str) -> str:
    of_what = "" if prepare == "raw" else " of the prepared data"
    if maximum.status.is_inseparable:
        return f"  {maximum.status.value}{kind}{of_what}, proven: no hyperplane{kind} has a positive margin"
    return f"  maximum margin{kind}{of_what}, proven: [{maximum.lower!r}, {maximum.upper!r}]"


def _guarantee_lines(guarantee: "Guarantee") -> list[str]:
    return [f"    {guarantee.name}: {guarantee.statement}", f"      {_outcome(guarantee)} ({guarantee.reference})"]


def _outcome(guarantee: "Guarantee") -> str:
    word, achieved = _verdict(guarantee), f"achieved {guarantee.achieved:.6g}"
    if guarantee.value is None:
        return f"{word}, its assumption is not proven{_note(guarantee)}; {achieved}"
    return f"{word}: {achieved}, bound {_end(guarantee)}{_note(guarantee)}"


def _end(guarantee: "Guarantee") -> str:
    """Return the bound with a few digits, those of an upper one rounded up, as everywhere, of a lower one down."""
    assert guarantee.value is not None
    is_upper = "<=" in guarantee.statement or "have" in guarantee.statement
    return f"{rounded_up(guarantee.value) if is_upper else -rounded_up(-guarantee.value):.6g}"


def _note(guarantee: "Guarantee") -> str:
    return f" ({guarantee.note})" if guarantee.note else ""


def _verdict(guarantee: "Guarantee") -> str:
    """Return what became of the guarantee, in a word."""
    if guarantee.value is None:
        return "not applicable"
    return {True: "held", False: "DID NOT HOLD", None: "not decided"}[guarantee.holds]


def table_text(runs: "dict[str, OnlineRun | str]", truth: "Reference", maximum: "HardMargin", prepare: str) -> str:
    """Return several runs as a table, a line each; those that cannot run with the reason."""
    done = {name: run for name, run in runs.items() if not isinstance(run, str)}
    lines = [_maximum_line(maximum, prepare, through(truth.space.scale != 0)).strip()]
    if done:
        rows = [_HEAD, *(_cells(run, truth, maximum) for run in done.values())]
        lines += aligned(rows, to_the_left=_TO_THE_LEFT)
    not_run = (f"{name}: not run: {shown(run)}" for name, run in runs.items() if isinstance(run, str))
    return "\n".join([*lines, *not_run])


def _cells(run: "OnlineRun", truth: "Reference", maximum: "HardMargin") -> tuple[str, ...]:
    is_plane = is_linear(run, truth)
    return (
        run.algorithm.name,
        f"{run.n_updates:,}",
        f"{run.n_mistakes:,}",
        f"{run.n_epochs:,}",
        _SHORT_STOPS[run.stop_reason],
        f"{run.n_errors:,}",
        f"{run.margin:.6g}" if is_plane and math.isfinite(run.margin) else "-",
        (_share(run, maximum) if is_plane else "") or "-",
        _guarantees_text(run),
    )


def _guarantees_text(run: "OnlineRun") -> str:
    counts = Counter(map(_verdict, run.guarantees))
    return ", ".join(f"{number} {word}" for word, number in counts.items())
