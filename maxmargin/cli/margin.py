"""``maxmargin margin``: the maximum margin, or the soft-margin SVM."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmargin.api.verbs import problem_of
from maxmargin.cli.exits import Exit
from maxmargin.cli.output import (
    data_fields,
    headline,
    names_of,
    note,
    print_json,
    print_text,
    waiting,
)
from maxmargin.data.weights import row_weights
from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN, Status
from maxmargin.solvers.hard_margin.hard_margin import EXACT_LIMIT, hard_margin
from maxmargin.solvers.soft_margin.soft_margin import soft_margin

if TYPE_CHECKING:
    from maxmargin.data.dataset import Dataset
    from maxmargin.solvers.hard_margin.hard_solution import HardMargin


def margin(
    dataset: "Dataset",
    source: dict[str, Any],
    *,
    bias: bool,
    method: str,
    solver: str | None,
    exact: bool,
    exact_limit: int | None,
    time_limit: float | None,
    proof: Path | None,
    as_json: bool,
    quiet: bool,
) -> Exit:
    """Print the maximum margin, write its proof, and return the exit code.

    Parameters
    ----------
    source : dict
        How the data were read, for the proof.
    proof : path, optional
        Where the proof goes: of the exact margin, or of both ends of the interval, or that the margin is 0.
    """
    problem = problem_of(dataset, bias=bias)
    most_columns = EXACT_LIMIT if exact_limit is None else exact_limit
    with waiting("solving for the maximum margin", quiet=quiet):
        answer = hard_margin(
            problem,
            method=method,
            solver=solver,
            exact=exact,
            exact_limit=most_columns,
            time_limit=time_limit,
        )
    if proof is not None:
        _write(proof, answer, {**source, "positive": dataset.positive}, quiet=quiet)
    names = names_of(dataset)
    if as_json:
        fields = {**answer.fields(names), **(answer.exact_fields(names) if exact else {})}
        print_json("margin", {**data_fields(dataset), "bias": bias, **fields})
    else:
        print_text(headline(dataset), answer.summary(names, exact=exact))
    return Exit.INTERRUPTED if answer.reason == WHAT_WAS_PROVEN else _exit_code(answer.status)


def _exit_code(status: Status) -> Exit:
    if status.is_inseparable:
        return Exit.NOT_STRICTLY_SEPARABLE
    return Exit.OK if status is Status.OPTIMAL else Exit.UNDECIDED


def soft(
    dataset: "Dataset",
    C: float,
    *,
    bias: bool,
    class_weight: str | None,
    method: str,
    solver: str | None,
    time_limit: float | None,
    as_json: bool,
    quiet: bool,
) -> Exit:
    """Print the soft margin and return the exit code."""
    problem, weights = problem_of(dataset, bias=bias), row_weights(dataset, None, class_weight)
    with waiting("solving for the soft margin", quiet=quiet):
        answer = soft_margin(problem, C, sample_weight=weights, method=method, solver=solver, time_limit=time_limit)
    if as_json:
        asked = {**data_fields(dataset), "bias": bias, "class_weight": class_weight}
        print_json("soft-margin", {**asked, **answer.fields(names_of(dataset))})
    else:
        print_text(headline(dataset), answer.summary(names_of(dataset), weights="balancing the classes"))
    return Exit.INTERRUPTED if answer.reason == WHAT_WAS_PROVEN else _exit_code(answer.status)


def _write(path: Path, answer: "HardMargin", source: dict[str, Any], *, quiet: bool) -> None:
    from maxmargin.certificates.proofs import write_proof
    from maxmargin.certificates.reuse import values_fields

    certificate = answer.interval_certificate
    if certificate is None:
        note(f"nothing is proven, so {path} is not written", quiet=quiet)
    else:
        write_proof(path, certificate, **source, **values_fields(certificate))
        note(f"wrote {path}; maxmargin verify {path} {source['source']} checks it", quiet=quiet)
