"""``maxmargin report``: one page on a data set."""

import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmargin.cli.exits import Exit
from maxmargin.cli.output import RunProgress, note, print_text

if TYPE_CHECKING:
    from maxmargin.data.dataset import Dataset


def report(
    dataset: "Dataset", *, output: Path | None, figures: Path | None, as_json: bool, quiet: bool, **options: Any
) -> Exit:
    """Make the report, write what was asked for, print the summary."""
    from maxmargin.reports.margin_report import check_suffix, margin_report

    if output is not None:
        check_suffix(output)
    progress = RunProgress()
    note("making the report", quiet=quiet)
    result = margin_report(dataset, on_progress=None if quiet else progress, **options)
    progress.close()
    if output is not None:
        result.save(output)
    if figures is not None:
        result.save_figures(figures)
        for reason in result.figures_left_out.values():
            note(reason, quiet=quiet)
    width = min(100, shutil.get_terminal_size().columns)
    print_text((result.to_json() if as_json else result.to_terminal(width=width)).removesuffix("\n"))
    for path in (output, figures):
        if path is not None:
            note(f"wrote {path}", quiet=quiet)
    return Exit.OK
