"""``maxmargin sensitivity``: which rows hold the maximum margin."""

from maxmargin.cli.commands.margin import exit_code
from maxmargin.cli.feedback import Exit
from maxmargin.cli.request import Request
from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN
from maxmargin.solvers.hard_margin.margin_sensitivity import sensitivity as solve
from maxmargin.text.progress import counting_shown


def sensitivity(request: Request, *, time_limit: float | None) -> Exit:
    """Leave out the rows that hold the margin one by one, print what is proven, and return the exit code."""
    with counting_shown("leaving out rows", quiet=request.options.quiet) as on_progress:
        answer = request.named(solve(request.problem, time_limit=time_limit, on_progress=on_progress))
    request.answer("sensitivity", answer.fields, answer.summary)
    return Exit.INTERRUPTED if answer.reason == WHAT_WAS_PROVEN else exit_code(answer.status)
