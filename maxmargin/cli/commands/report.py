"""``maxmargin report``: one page on a data set."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmargin.cli.feedback import Exit
from maxmargin.cli.request import Request, print_text
from maxmargin.solvers.basics.printable import terminal_width
from maxmargin.text.progress import run_shown

if TYPE_CHECKING:
    from maxmargin.reports.margin_report import MarginReport


def report(
    request: Request, *, output: Path | None, figures: Path | None, names: Sequence[str], seed: int, **options: Any
) -> Exit:
    """Make the report, write the page and the figures that are wanted, and print the summary."""
    from maxmargin.reports.document import check_page_suffix
    from maxmargin.reports.margin_report import margin_report

    if output is not None:
        check_page_suffix(output)
    request.note("making the report")
    options |= {"bias": request.bias, "prepare": request.options.prepare, "Cs": options["Cs"] or None}
    options["time_limit"] = request.limits  # which counts from the start of the command
    with run_shown(quiet=request.options.quiet) as on_progress:
        result = margin_report(request.dataset, rng=seed, on_progress=on_progress, **options)
    if figures is not None:
        _write_figures(result, figures, names, request)
    if output is not None:
        result.save(output, figures=figures)
    width = min(100, terminal_width())
    if request.options.as_json:
        print(result.to_json(), end="")
    else:
        print_text(result.to_terminal(width=width).removesuffix("\n"))
    for path in (output, figures):
        if path is not None:
            request.note(f"wrote {path}")
    return Exit.OK


def _write_figures(result: "MarginReport", folder: Path, names: Sequence[str], request: Request) -> None:
    """Write the figures of these names, or all, and say which of them there are not."""
    there = [picture.key for picture in result.pictures]
    result.save_figures(folder, names=[key for key in there if not names or key in names])
    left_out = {key: reason for key, reason in result.figures_left_out.items() if not names or key in names}
    for reason in left_out.values():
        request.note(reason)
    for name in names:
        if name not in there and name not in left_out:
            request.note(f"there is no figure {name} of these data; there are {', '.join(there)}")
