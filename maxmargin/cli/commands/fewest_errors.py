"""``maxmargin fewest-errors``: how far two classes are from being separable, in rows and in slack."""

from maxmargin.cli.feedback import Exit
from maxmargin.cli.request import Request
from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN
from maxmargin.solvers.fewest_errors.minimum import MAX_ROWS
from maxmargin.solvers.fewest_errors.minimum import fewest_errors as solve
from maxmargin.solvers.fewest_errors.total_slack import least_total_slack
from maxmargin.text.progress import waiting

# Seconds of each search without a limit.
_SECONDS = 60.0


def fewest_errors(request: Request, *, method: str, solver: str | None, max_rows: int | None) -> Exit:
    """Search for the fewest errors and the least slack, print the proven intervals, and return the exit code."""
    problem = request.problem
    with waiting("searching for the least total slack", quiet=request.options.quiet):
        slack = least_total_slack(problem, time_limit=request.limits.share(2) or _SECONDS)
    with waiting("searching for the fewest errors", quiet=request.options.quiet):
        seconds = request.limits.share() or _SECONDS
        answer = solve(problem, method=method, solver=solver, time_limit=seconds, max_rows=max_rows or MAX_ROWS)
    answer = request.named(answer)
    request.answer(
        "fewest-errors",
        lambda: {**answer.fields(), "total_slack": slack.fields()},
        lambda: answer.summary(remarks=[f"  {slack.interval_text}"]),
    )
    if answer.reason == WHAT_WAS_PROVEN:
        return Exit.INTERRUPTED
    return Exit.OK if answer.is_optimal else Exit.UNDECIDED
