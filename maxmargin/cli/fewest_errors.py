"""``maxmargin fewest-errors``: how far two classes are from being separable, in rows and in slack."""

from typing import TYPE_CHECKING

from maxmargin.api.verbs import problem_of
from maxmargin.cli.exits import Exit
from maxmargin.cli.output import (
    data_fields,
    headline,
    names_of,
    print_json,
    print_text,
    waiting,
)
from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN
from maxmargin.solvers.fewest_errors.minimum import MAX_ROWS
from maxmargin.solvers.fewest_errors.minimum import fewest_errors as solve
from maxmargin.solvers.fewest_errors.total_slack import least_total_slack

if TYPE_CHECKING:
    from maxmargin.data.dataset import Dataset
    from maxmargin.solvers.fewest_errors.total_slack import TotalSlack
    from maxmargin.solvers.problem.problem import Problem


def fewest_errors(
    dataset: "Dataset",
    *,
    bias: bool,
    method: str | None,
    solver: str | None,
    time_limit: float,
    max_rows: int | None,
    as_json: bool,
    quiet: bool,
) -> Exit:
    """Search for both, print what is proven of them, and return the exit code."""
    problem = problem_of(dataset, bias=bias)
    with waiting("searching for the fewest errors", quiet=quiet):
        answer = solve(
            problem, method=method or "auto", solver=solver, time_limit=time_limit, max_rows=max_rows or MAX_ROWS
        )
    is_interrupted = answer.reason == WHAT_WAS_PROVEN
    slack = None if is_interrupted else _slack(problem, time_limit, quiet=quiet)
    names = names_of(dataset)
    if as_json:
        fields = {**answer.fields(names), "total_slack": None if slack is None else slack.fields(names)}
        print_json("fewest-errors", {**data_fields(dataset), "bias": bias, **fields})
    else:
        remark = "least total slack: not computed" if slack is None else slack.interval_text
        print_text(headline(dataset), answer.summary(names, remarks=[f"  {remark}"]))
    if is_interrupted or slack is None:
        return Exit.INTERRUPTED
    return Exit.OK if answer.is_optimal else Exit.UNDECIDED


def _slack(problem: "Problem", time_limit: float, *, quiet: bool) -> "TotalSlack | None":
    """Return the least total slack, or None after Ctrl-C."""
    try:
        with waiting("searching for the least total slack", quiet=quiet):
            return least_total_slack(problem, time_limit=time_limit)
    except KeyboardInterrupt:
        return None
