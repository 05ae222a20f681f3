"""``maxmargin compare``: methods, data and orders side by side, with progress, and a report of the records."""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from maxmargin.cli.feedback import Exit, cleaned_up_at_sigterm
from maxmargin.cli.request import print_json, print_text
from maxmargin.solvers.answers.answer_text import counted
from maxmargin.solvers.basics.printable import terminal_width
from maxmargin.text.progress import duration_text, note, progress_shown
from maxmargin.text.tables import aligned

if TYPE_CHECKING:
    from maxmargin.comparison.carry_out import StudyPlan
    from maxmargin.comparison.comparison import Comparison, Record


def compare(study: Path, *, diff: Path | None, dry_run: bool, as_json: bool, quiet: bool, **options: Any) -> Exit:
    """Run the cells that are due, write the report, and print its summary."""
    from maxmargin.comparison.collect import load_comparison
    from maxmargin.comparison.jobs.store import StoreError
    from maxmargin.comparison.jobs.study_progress import stage_text
    from maxmargin.comparison.run_study import plan_study, run_study
    from maxmargin.comparison.study_file import Study

    old = None if diff is None else load_comparison(diff)
    read, output, code = Study.of(study), options.pop("output"), Exit.OK
    if dry_run:
        return _print_plan(*plan_study(read, output, options["shard"], options["merge"]), as_json=as_json)

    def on_plan(plan: "StudyPlan") -> None:
        note(f"{counted(len(plan.cells), 'cell')}, {len(plan.due):,} to run", quiet=quiet)

    try:
        with cleaned_up_at_sigterm(), progress_shown(stage_text, quiet=quiet) as line:
            comparison = run_study(read, out=output, on_plan=on_plan, on_progress=line, **options)
    except KeyboardInterrupt:
        code, comparison = Exit.INTERRUPTED, load_comparison(output, is_checked=True)
        note("interrupted: the same command goes on from here", quiet=quiet)
    except StoreError as error:
        note(str(error), quiet=False)
        return Exit.UNDECIDED
    _write(comparison, old, output, as_json=as_json, quiet=quiet)
    return Exit.UNDECIDED if code is Exit.OK and comparison.n_not_run else code


def _write(comparison: "Comparison", old: "Comparison | None", output: Path, *, as_json: bool, quiet: bool) -> None:
    """Write the report into the folder, and print its summary."""
    from maxmargin.reports.comparisons.research_report import comparison_report

    report = comparison_report(comparison, old=old)
    report.save(output)
    if as_json:
        print_json("comparison", comparison.to_dict())
    else:
        print_text(report.summary().rstrip())
    note(f"wrote {output / 'report.html'}", quiet=quiet)


def _print_plan(plan: "StudyPlan", records: "Sequence[Record]", *, as_json: bool) -> Exit:
    """Print the number of cells to run, their largest total time, and the time of the cells that have a record."""
    every, due = (Counter(cell.setting.method.name for cell in cells) for cells in (plan.cells, plan.due))
    limit = plan.study.limit.seconds or 0.0
    taken = {name: _usual_seconds(name, records) for name in every}
    rows = [("method", "cells", "to run", "seconds at most", "seconds a cell so far", "installed")]
    installed = {cell.setting.method.name: cell.setting.method.is_installed for cell in plan.cells}
    for name, number in every.items():
        seconds = taken[name]
        rows.append(
            (name, f"{number:,}", f"{due[name]:,}", f"{due[name] * limit:,.0f}",
             "-" if seconds is None else f"{seconds:.3g}", "yes" if installed[name] else "no")
        )  # fmt: skip
    if as_json:
        methods = {
            name: {"n_cells": every[name], "n_due": due[name], "seconds_so_far": taken[name], "is_installed": is_here}
            for name, is_here in installed.items()
        }
        fields = {"n_cells": len(plan.cells), "n_due": len(plan.due), "limit": plan.study.limit.to_dict()}
        print_json("comparison-plan", {**fields, "methods": methods})
    else:
        data, cells = (
            counted(len({cell.data.name for cell in plan.cells}), "data set"),
            counted(len(plan.cells), "cell"),
        )
        text = f"{data}, {cells}, {len(plan.due):,} to run: at most {duration_text(len(plan.due) * limit)}"
        print_text("\n".join([text, *aligned(rows, to_the_left=(0,), width=terminal_width(), less=(5, 4, 1))]))
    return Exit.UNDECIDED if plan.due else Exit.OK


def _usual_seconds(name: str, records: "Sequence[Record]") -> float | None:
    """Return the median time of a method over its records, in seconds; None without a record."""
    found = [record["seconds"] for record in records if record["method"] == name and record["seconds"] is not None]
    return median(found) if found else None
