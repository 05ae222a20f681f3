"""``maxmargin report``: one page on a data set."""

import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from maxmargin.cli.feedback import Exit
from maxmargin.cli.request import Request, print_text
from maxmargin.text.progress import run_shown


def report(
    request: Request, *, output: Path | None, figures: Path | None, seed: int, Cs: Sequence[float], **options: Any
) -> Exit:
    """Make the report, write what was asked for, print the summary."""
    from maxmargin.reports.margin_report import check_suffix, margin_report

    if output is not None:
        check_suffix(output)
    request.note("making the report")
    data, bias, prepare = request.dataset, request.bias, request.prepare
    with run_shown(quiet=request.quiet) as on_progress:
        result = margin_report(
            data, bias=bias, prepare=prepare, rng=seed, Cs=Cs or None, on_progress=on_progress, **options
        )
    if output is not None:
        result.save(output)
    if figures is not None:
        result.save_figures(figures)
        for reason in result.figures_left_out.values():
            request.note(reason)
    width = min(100, shutil.get_terminal_size().columns)
    print_text((result.to_json() if request.as_json else result.to_terminal(width=width)).removesuffix("\n"))
    for path in (output, figures):
        if path is not None:
            request.note(f"wrote {path}")
    return Exit.OK
