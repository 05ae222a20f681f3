"""``maxmargin fewest-errors``: how far two classes are from being separable, in rows and in slack."""

from typing import TYPE_CHECKING

from maxmargin.api.verbs import problem_of
from maxmargin.cli.exits import Exit
from maxmargin.cli.output import (
    data_fields,
    headline,
    hyperplane_text,
    print_json,
    print_text,
    row_numbers,
    rows_of,
    waiting,
)
from maxmargin.solvers.answers.named import counted
from maxmargin.solvers.answers.phrases import through
from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN
from maxmargin.solvers.fewest_errors.minimum import MAX_ROWS
from maxmargin.solvers.fewest_errors.minimum import fewest_errors as solve
from maxmargin.solvers.fewest_errors.total_slack import least_total_slack
from maxmargin.text.escaping import shown

if TYPE_CHECKING:
    from maxmargin.data.dataset import Dataset
    from maxmargin.solvers.fewest_errors.fewest_solution import FewestErrors
    from maxmargin.solvers.fewest_errors.total_slack import TotalSlack
    from maxmargin.solvers.problem.problem import Problem

_NAMED = 20
"""Rows named in the text."""


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
    if as_json:
        rows = rows_of(dataset)
        fields = {**answer.fields(rows), "total_slack": None if slack is None else slack.fields(rows)}
        print_json("fewest-errors", {**data_fields(dataset), "bias": bias, **fields})
    else:
        print_text(headline(dataset), _text(dataset, answer, slack, bias=bias))
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


def _text(dataset: "Dataset", answer: "FewestErrors", slack: "TotalSlack | None", *, bias: bool) -> str:
    return "\n".join(
        [
            _headline(answer, through(bias)),
            *([f"  {shown(answer.reason)}"] if answer.reason else []),
            *_rows_lines(dataset, answer, through(bias)),
            *_witness_lines(answer),
            *_slack_lines(slack, through(bias)),
            hyperplane_text(dataset.feature_names, answer.w, answer.b),
            f"  found by {answer.engine}",
        ]
    )


def _headline(answer: "FewestErrors", kind: str) -> str:
    if answer.is_optimal:
        return f"fewest errors {answer.upper:,} (proven: no hyperplane{kind} has fewer)"
    return f"fewest errors{kind} between {answer.lower:,} and {answer.upper:,} (proven)"


def _rows_lines(dataset: "Dataset", answer: "FewestErrors", kind: str) -> list[str]:
    """Name the rows to drop."""
    rows = answer.error_rows
    if not len(rows):
        return [f"  no row to drop: the data are separable{kind}"]
    names = [str(row) for row in row_numbers(dataset, rows[:_NAMED]).tolist()]
    if dataset.row_ids is not None:
        names = [shown(dataset.row_ids[row]) for row in rows[:_NAMED].tolist()]
    numbered = "rows to drop (from 0)" if dataset.row_ids is None else "rows to drop"
    more = f", ... {len(rows) - _NAMED:,} more (--json lists them)" if len(rows) > _NAMED else ""
    return [f"  {numbered}, so that the rest is separable{kind}: {', '.join(names)}{more}"]


def _witness_lines(answer: "FewestErrors") -> list[str]:
    if not answer.lower:
        return []
    nodes = f", and the search of {counted(answer.n_nodes, 'node')}" if answer.lower > answer.packing_lower else ""
    sets = counted(len(answer.witnesses), "set")
    return [f"  lower end from {sets} of rows, each of which has to lose one{nodes}"]


def _slack_lines(slack: "TotalSlack | None", kind: str) -> list[str]:
    if slack is None:
        return ["  least total slack: not computed"]
    offset = "" if kind else " + b"
    return [f"  least total slack{kind}, sum of (1 - y(w.x{offset}))_+, proven: [{slack.lower!r}, {slack.upper!r}]"]
