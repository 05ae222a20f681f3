"""The verdict on the data, with its proof."""

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.api.question import named
from maxmargin.data.dataset import Dataset
from maxmargin.displays.convex_hulls_display import mean_of_class
from maxmargin.explaining.separability_answer import Separability
from maxmargin.reports.study.report_settings import ReportSettings
from maxmargin.reports.study.summary_fields import chosen, row_fields
from maxmargin.reports.study.two_class_study import Part, TwoClassStudy, Workspace
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.exact.dyadic import text
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.certificate import (
    Certificate,
    ClassQuasiSeparation,
    ClassWitness,
    CommonHullPoint,
    Overlap,
    QuasiSeparation,
)
from maxmargin.solvers.separability.feasibility import separability

# Touching and separated rows that are named.
_MOST_NAMED = 24

_OF_ANSWER = (
    "verdict", "strictly_separable", "proof", "reason", "engine", "attempts", "n_inequalities", "n_strict",
    "separated_rows", "touching_rows", "infinite_columns", "finite_columns", "aliased_columns", "dimension", "terms",
    "witness_rows",
)  # fmt: skip


def _compute(study: TwoClassStudy, workspace: Workspace) -> None:
    study.separability = named(separability(study.problem, time_limit=workspace.limits.share()), study.dataset)


def _fields(study: TwoClassStudy) -> dict[str, Any]:
    return {"separability": answer_fields(study.dataset, study.separability, study.problem, study.settings)}


def answer_fields(
    dataset: Dataset, answer: Separability, question: Problem | None, settings: ReportSettings
) -> dict[str, Any]:
    """Return an answer as plain data.

    Parameters
    ----------
    dataset : Dataset
        Whose rows are named.
    answer : Separability
    question : Problem or None
        The two-class question; None for the multinomial one.
    settings : ReportSettings
        What is larger than its sizes is left out.
    """
    sizes = settings.sizes
    certificate, cut = _certificate(answer.certificate, sizes.proof_characters)
    reason = _too_much_work(dataset, answer, sizes.column_work)
    return {
        **chosen(answer.fields(with_columns=reason is None), _OF_ANSWER),
        **_first_rows(dataset, answer),
        "columns_reason": reason,
        "witness": _witness(dataset, answer, question),
        "balance": _balance(dataset, answer, question),
        "certificate": certificate,
        "certificate_cut": cut,
    }


def _first_rows(dataset: Dataset, answer: Separability) -> dict[str, Any]:
    """Return the names of some separated and touching rows, where there are both."""
    if answer.verdict is not Verdict.QUASI_SEPARABLE:
        return {}
    kinds = {"first_separated": answer.separated_rows, "first_touching": answer.touching_rows}
    return {name: _named(dataset, rows) for name, rows in kinds.items()}


def _named(dataset: Dataset, rows: NDArray[np.int64] | None) -> list[dict[str, Any]]:
    return [] if rows is None else [row_fields(dataset, row) for row in rows[:_MOST_NAMED].tolist()]


def _too_much_work(dataset: Dataset, answer: Separability, most_work: int) -> str | None:
    """Return why the columns are not examined; None where they are, or where nothing is known of them."""
    if answer.find_columns is None or answer.separated_rows is None:
        return None
    n_strict = len(answer.separated_rows) if answer.n_strict is None else answer.n_strict
    n_dimensions = _n_dimensions(dataset, answer)
    if n_strict * n_dimensions**2 <= most_work:
        return None
    return f"{n_strict:,} strict inequalities in {n_dimensions:,} dimensions are more work than a report does"


def _n_dimensions(dataset: Dataset, answer: Separability) -> int:
    """Return the dimension of the space of the separating directions."""
    if isinstance(answer.certificate, QuasiSeparation | ClassQuasiSeparation):
        return len(answer.certificate.null_space)
    n_blocks = 1 if answer.n_inequalities is None else len(dataset.classes) - 1
    return n_blocks * (dataset.n_features + answer.bias)


def _certificate(certificate: Certificate | None, longest: int) -> tuple[dict[str, Any] | None, list[str]]:
    """Return the proof as its file has it, and the names of the numbers that were left out as too long."""
    if certificate is None:
        return None, []
    document = certificate.to_dict()
    cut = [name for name, value in document.items() if isinstance(value, list) and _length(value) > longest]
    return {**document, **dict.fromkeys(cut)}, cut


def _length(value: Any) -> int:
    return sum(map(_length, value)) if isinstance(value, list) else len(str(value))


def _witness(dataset: Dataset, answer: Separability, question: Problem | None) -> dict[str, Any] | None:
    """Return the rows that exclude strict separation, with their shares."""
    if isinstance(answer.witness, ClassWitness):
        return _class_witness(dataset, answer.witness)
    if answer.witness is None or question is None:
        return None
    rows, weights = answer.witness.rows, answer.witness.weights
    return {
        "kind": "common-hull-point",
        "rows": _weighted_rows(dataset, question, rows, weights),
        "point": _point(question, answer.witness),
    }


def _class_witness(dataset: Dataset, witness: ClassWitness) -> dict[str, Any]:
    total = sum(witness.weights)
    rows = [
        {
            **row_fields(dataset, row),
            "against": dataset.classes[other],
            "weight": text(weight),
            **_share(Fraction(weight, total)),
        }
        for (row, other), weight in zip(witness.pairs, witness.weights, strict=True)
    ]
    return {"kind": "balancing-inequalities", "rows": rows}


def _balance(dataset: Dataset, answer: Separability, question: Problem | None) -> list[dict[str, Any]] | None:
    """Return the rows of the overlap proof with their shares."""
    if question is None or not isinstance(answer.certificate, Overlap | QuasiSeparation):
        return None
    return _weighted_rows(dataset, question, answer.certificate.rows, answer.certificate.weights)


def _weighted_rows(
    dataset: Dataset, question: Problem, rows: Iterable[int], weights: tuple[int, ...]
) -> list[dict[str, Any]]:
    """Return rows with their share of their class; through the origin: of all."""
    rows = list(rows)
    signs = question.y[rows].astype(int).tolist()
    groups = signs if question.bias else [0] * len(signs)
    totals: dict[int, int] = {}
    for group, weight in zip(groups, weights, strict=True):
        totals[group] = totals.get(group, 0) + weight
    return [
        {**row_fields(dataset, row), "sign": sign, "weight": text(weight), **_share(Fraction(weight, totals[group]))}
        for row, sign, group, weight in zip(rows, signs, groups, weights, strict=True)
    ]


def _share(share: Fraction) -> dict[str, Any]:
    return {"share": f"{text(share.numerator)}/{text(share.denominator)}", "share_value": float(share)}


def _point(question: Problem, witness: CommonHullPoint) -> list[float]:
    """Return the point that both hulls have in common; through the origin it is the origin."""
    if not question.bias:
        return [0.0] * question.n_features
    return mean_of_class(question, witness.rows, witness.weights, 1)


VERDICT = Part(name="verdict", n_shares=4, compute=_compute, fields=_fields)
