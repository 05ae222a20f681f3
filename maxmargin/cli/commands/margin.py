"""``maxmargin margin``: the maximum margin, or the soft-margin SVM."""

from pathlib import Path
from typing import Any

from maxmargin.cli.feedback import Exit, waiting
from maxmargin.cli.request import Request
from maxmargin.data.problems import row_weights
from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN, Status
from maxmargin.solvers.hard_margin.hard_margin import EXACT_LIMIT, hard_margin
from maxmargin.solvers.soft_margin.soft_margin import soft_margin


def margin(request: Request, *, exact: bool, exact_limit: int | None, proof: Path | None, **options: Any) -> Exit:
    """Print the maximum margin, write its proof, and return the exit code.

    Parameters
    ----------
    exact, exact_limit, **options
        As in `maxmargin.hard_margin`.
    proof : path, optional
        The file for the proof of the exact margin, of both ends of the interval, or that the margin is 0.
    """
    most_columns, names = EXACT_LIMIT if exact_limit is None else exact_limit, request.names
    with waiting("solving for the maximum margin", quiet=request.quiet):
        answer = hard_margin(request.problem, exact=exact, exact_limit=most_columns, **options)
    if proof is not None:
        request.write_proof(proof, answer.interval_certificate)
    request.answer(
        "margin",
        lambda: {**answer.fields(names), **(answer.exact_fields(names) if exact else {})},
        lambda: answer.summary(names, exact=exact),
    )
    return Exit.INTERRUPTED if answer.reason == WHAT_WAS_PROVEN else _exit_code(answer.status)


def _exit_code(status: Status) -> Exit:
    if status.is_inseparable:
        return Exit.NOT_STRICTLY_SEPARABLE
    return Exit.OK if status is Status.OPTIMAL else Exit.UNDECIDED


def soft(request: Request, *, C: float, class_weight: str | None, **options: Any) -> Exit:
    """Print the soft margin and return the exit code; options are those of `maxmargin.soft_margin`."""
    weights = row_weights(request.dataset, None, class_weight)
    with waiting("solving for the soft margin", quiet=request.quiet):
        answer = soft_margin(request.problem, C, sample_weight=weights, **options)
    request.answer(
        "soft-margin",
        lambda: {"class_weight": class_weight, **answer.fields(request.names)},
        lambda: answer.summary(request.names, weights="balancing the classes"),
    )
    return Exit.INTERRUPTED if answer.reason == WHAT_WAS_PROVEN else _exit_code(answer.status)
