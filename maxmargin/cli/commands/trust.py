"""``maxmargin trust``: every installed solver on one data set."""

from pathlib import Path
from typing import Any

from maxmargin.cli.feedback import Exit, cleaned_up_at_sigterm
from maxmargin.cli.request import Request
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.outputs import write_text
from maxmargin.text.progress import progress_shown


def trust(
    request: Request, *, output: Path | None, script: Path | None, methods: tuple[str, ...], **options: Any
) -> Exit:
    """Ask the solvers, write the page and the script if they are wanted, print the report, return the exit code."""
    from maxmargin.comparison.jobs.outcome import NOT_RUN
    from maxmargin.comparison.jobs.study_progress import stage_text
    from maxmargin.reports.comparison_verbs import trust as ask
    from maxmargin.reports.document import check_page_suffix

    if output is not None:
        check_page_suffix(output)
    if not request.bias:
        raise InvalidOptionError("--no-bias: the solvers are asked for hyperplanes with a bias")

    with cleaned_up_at_sigterm(), progress_shown(stage_text, quiet=request.options.quiet) as line:
        report = ask(request.dataset, methods=methods or None, on_progress=line, **options)
    if output is not None:
        report.save(output)
    if script is not None:
        write_text(script, report.script)
    request.answer("trust", report.to_dict, report.summary)
    for path in (output, script):
        if path is not None:
            request.note(f"wrote {path}")
    is_asked = any(entry["status"] != NOT_RUN for entry in report.solvers)
    return Exit.INVALID if report.false_claims else Exit.OK if is_asked else Exit.UNDECIDED
