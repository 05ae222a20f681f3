"""``maxmargin margin``: the maximum margin, or the soft-margin SVM."""

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmargin.api.verbs import problem_of
from maxmargin.cli.exits import Exit
from maxmargin.cli.output import (
    data_fields,
    headline,
    hyperplane_text,
    note,
    print_json,
    print_text,
    row_numbers,
    rows_of,
    waiting,
)
from maxmargin.data.weights import row_weights
from maxmargin.solvers.answers.phrases import through
from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN, Status
from maxmargin.solvers.hard_margin.hard_margin import EXACT_LIMIT, hard_margin
from maxmargin.solvers.soft_margin.soft_margin import soft_margin
from maxmargin.text.escaping import shown

if TYPE_CHECKING:
    from maxmargin.data.dataset import Dataset
    from maxmargin.solvers.hard_margin.hard_solution import HardMargin
    from maxmargin.solvers.soft_margin.soft_solution import SoftMargin

_ROOT_DIGITS = 17
_MOST_DIGITS, _END_DIGITS = 100, 20
"""Longer integers are printed without their middle."""


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
    if as_json:
        rows = rows_of(dataset)
        fields = {**answer.fields(rows), **(answer.exact_fields(rows) if exact else {})}
        print_json("margin", {**data_fields(dataset), "bias": bias, **fields})
    else:
        print_text(headline(dataset), _hard_text(dataset, answer, bias=bias, exact=exact))
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
        print_json("soft-margin", {**asked, **answer.fields(rows_of(dataset))})
    else:
        print_text(headline(dataset), _soft_text(dataset, answer, through(bias)))
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


def _hard_text(dataset: "Dataset", answer: "HardMargin", *, bias: bool, exact: bool) -> str:
    lines = [f"{answer.status.value}: {answer.status.advice_for(bias=bias)}"]
    if answer.reason:
        lines.append(f"  {shown(answer.reason)}")
    if exact and answer.margin_squared:
        lines += _root_text(answer.margin_squared, through(bias))
    if not answer.status.is_inseparable:
        width = f", width {answer.gap:.2g}" if math.isfinite(answer.upper) else ""
        lines.append(f"  maximum margin{through(bias)}, proven interval [{answer.lower!r}, {answer.upper!r}]{width}")
    if answer.w is not None and answer.b is not None:
        lines += [
            f"  margin of the hyperplane below {answer.margin!r}",
            f"  support rows (from 0): {_some(row_numbers(dataset, answer.support))}",
            hyperplane_text(dataset.feature_names, answer.w, answer.b),
        ]
    found = [] if answer.engine == "none" else [f"  found by {answer.engine}"]
    return "\n".join([*lines, *found])


def _root_text(square: Fraction, kind: str) -> list[str]:
    with localcontext(prec=_ROOT_DIGITS + 20):
        root = (Decimal(square.numerator) / Decimal(square.denominator)).sqrt()
    return [
        f"  maximum margin{kind} exactly the root of {_cut(square.numerator)} / {_cut(square.denominator)}",
        f"    = {root:.{_ROOT_DIGITS}g}",
    ]


def _cut(integer: int) -> str:
    """Return the digits, without the middle where there are many."""
    digits = f"{Decimal(integer):f}"  # Python refuses to write integers of more than 4,300 digits, not decimals
    if len(digits) <= _MOST_DIGITS:
        return digits
    return f"{digits[:_END_DIGITS]}...{digits[-_END_DIGITS:]} ({len(digits):,} digits)"


def _soft_text(dataset: "Dataset", answer: "SoftMargin", kind: str) -> str:
    n_slack, n_errors = int((answer.slack > 0).sum()), int((answer.slack >= 1).sum())
    slack = "sum xi" if answer.sample_weight is None else "sum v xi, v balancing the classes,"
    return "\n".join(
        [
            f"{answer.status.value}: {answer.status.advice}",  # which is the same with a bias and without
            *([f"  {shown(answer.reason)}"] if answer.reason else []),
            f"  objective 1/2||w||^2 + C {slack} at C = {answer.C!r}: {answer.objective!r}",
            f"  proven interval of the optimum{kind} [{answer.lower!r}, {answer.objective!r}]",
            f"  {n_slack} rows inside the margin or wrong, {n_errors} of them wrong; "
            f"{len(answer.support)} support rows",
            hyperplane_text(dataset.feature_names, answer.w, answer.b),
            "  no solver improved on w = 0" if answer.engine == "none" else f"  found by {answer.engine}",
        ]
    )


def _some(rows: Any, most: int = 20) -> str:
    text = ", ".join(map(str, rows[:most].tolist()))
    return text if len(rows) <= most else f"{text}, ... ({len(rows)} in all)"
