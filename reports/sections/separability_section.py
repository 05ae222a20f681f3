"""The verdict and why it holds: as fields of the summary, and as a section."""

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.dataset import Dataset
from maxmargin.explaining.separability_answer import Separability
from maxmargin.reports.document import Block, Paragraph, Table
from maxmargin.reports.phrasing import length, of_kind, unless_flat
from maxmargin.reports.sections.shared import Entries, chosen, name_columns, row_fields, row_names, table_of
from maxmargin.reports.study.report_settings import Settings
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.exact.dyadic import as_fraction
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.certificate import (
    Certificate,
    ClassQuasiSeparation,
    ClassWitness,
    CommonHullPoint,
    Overlap,
    QuasiSeparation,
    text,
)
from maxmargin.solvers.proof.hulls import weighted_sum
from maxmargin.text.number_formats import count, number, one_line, plural, short_fraction, side

_MOST_NAMED = 24
"""Touching and separated rows that are named."""

_MOST_ROWS = 30
_MOST_COORDINATES = 8

_OF_ANSWER = (
    "verdict", "strictly_separable", "proof", "reason", "engine", "attempts", "n_inequalities", "n_strict",
    "separated_rows", "touching_rows", "infinite_columns", "finite_columns", "aliased_columns", "dimension", "terms",
    "witness_rows",
)  # fmt: skip


def fields(dataset: Dataset, answer: Separability, question: Problem | None, settings: Settings) -> dict[str, Any]:
    """Return an answer as plain data.

    Parameters
    ----------
    dataset : Dataset
        Whose rows are named.
    answer : Separability
    question : Problem or None
        The two-class question; None for the multinomial one.
    settings : Settings
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
    return {
        "first_separated": _named(dataset, answer.separated_rows),
        "first_touching": _named(dataset, answer.touching_rows),
    }


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
        {
            **row_fields(dataset, row),
            "sign": sign,
            "weight": text(weight),
            **_share(Fraction(weight, totals[group])),
        }
        for row, sign, group, weight in zip(rows, signs, groups, weights, strict=True)
    ]


def _share(share: Fraction) -> dict[str, Any]:
    return {"share": f"{text(share.numerator)}/{text(share.denominator)}", "share_value": float(share)}


def _point(question: Problem, witness: CommonHullPoint) -> list[float]:
    """Return the point that both hulls have in common; through the origin it is the origin."""
    if not question.bias:
        return [0.0] * question.n_features
    signs = question.y[list(witness.rows)].tolist()
    chosen = [entry for *entry, sign in zip(witness.rows, witness.weights, signs, strict=True) if sign > 0]
    weights = [weight for _, weight in chosen]
    sums, exponent = weighted_sum(question, np.array([row for row, _ in chosen]), weights)
    return [float(as_fraction(value, exponent) / sum(weights)) for value in sums]


def blocks(report: dict[str, Any]) -> tuple[Block, ...]:
    """Return the verdict with its proof in words, and the rows of the proof as tables."""
    answer = report["separability"]
    if answer["strictly_separable"] is None:
        return (Paragraph(f"Undecided: {answer['reason']}. Nothing is claimed about separability."),)
    return {
        "separable": _separable,
        "quasi-separable": _quasi,
        "overlap": _overlap,
        "undecided": _inseparable,
    }[answer["verdict"]](report)


def _plane(report: dict[str, Any]) -> str:
    return "hyperplane w·x + b = 0" if report["data"]["bias"] else "hyperplane w·x = 0 through the origin"


def _score(report: dict[str, Any]) -> str:
    return "y(w·x + b)" if report["data"]["bias"] else "y(w·x)"


def _separable(report: dict[str, Any]) -> tuple[Block, ...]:
    return (
        Paragraph(
            f"Separable{of_kind(report)}. A {_plane(report)} has all {plural(report['data']['n_samples'], 'row')} "
            f"strictly on their sides. Its coefficients and the rows are rational numbers, and {_score(report)}, "
            "computed without rounding, is greater than 0 for every row; to repeat this evaluation is to check the "
            f"proof. {_where(report)} The hyperplane of the verdict, which need not be that of the maximum "
            f"margin, was found by {report['separability']['engine']}; the proof does not depend on how."
        ),
    )


def _where(report: dict[str, Any]) -> str:
    cut = report["separability"]["certificate_cut"]
    if cut:
        return "The numbers of the proof are too long for this report; “maxmargin check --proof FILE” writes them."
    return "The JSON form of this report holds the numbers of the proof as integers, up to a positive factor."


def _quasi(report: dict[str, Any]) -> tuple[Block, ...]:
    answer = report["separability"]
    separated = plural(length(answer, "separated_rows"), "row")
    touching, balance = length(answer, "touching_rows"), answer["balance"]
    verdict = Paragraph(
        f"Quasi-separable{of_kind(report)} (quasi-complete separation). A {_plane(report)} has {separated} strictly on "
        f"their sides and no row on the wrong side, but the other {plural(touching, 'row')} "
        f"{'lies' if touching == 1 else 'lie'} exactly on it. Every hyperplane{of_kind(report)} that has no row on its "
        f"wrong side contains {'this row' if touching == 1 else f'these {count(touching)} rows'}."
    )
    proof = Paragraph(
        "The proof has two parts. First, the coefficients of the hyperplane are rational numbers, and "
        f"{_score(report)}, computed without rounding, is greater than 0 on the separated rows and exactly 0 on the "
        f"touching rows. Second, the touching rows lie on every such hyperplane: {_balancing(report, balance)} "
        f"{_span(balance, 'touching rows')} {_where(report)}"
    )
    return (
        verdict,
        rows_table(answer),
        proof,
        *_witness_and_balance(report),
    )


def _overlap(report: dict[str, Any]) -> tuple[Block, ...]:
    balance = report["separability"]["balance"]
    kind = of_kind(report)
    verdict = (
        f"Overlap{kind}. Every hyperplane{kind} has a row on its wrong side{unless_flat(report['separability'])}. "
        f"The proof: {_balancing(report, balance)} {_span(balance, 'rows')} {_where(report)}"
    )
    return (Paragraph(verdict), *_witness_and_balance(report))


def _balancing(report: dict[str, Any], balance: Entries) -> str:
    vectors = "y(x, 1)" if report["data"]["bias"] else "y x"
    return (
        f"{plural(len(balance), 'row')} with positive weights balance, Σ a {vectors} = 0, in exact arithmetic. If no "
        f"{_score(report)} is negative, their weighted sum is 0 only if each of them is 0, so all "
        f"{count(len(balance))} lie on the hyperplane."
    )


def _span(balance: Entries, others: str) -> str:
    return (
        f"All {others} are linear combinations of these {count(len(balance))}, which was checked exactly as well, so "
        "they lie on it too."
    )


def _witness_and_balance(report: dict[str, Any]) -> tuple[Block, ...]:
    """Return the rows that exclude strict separation, and the rows of the proof where these are others."""
    bias, balance = report["data"]["bias"], report["separability"]["balance"]
    witness = report["separability"]["witness"]["rows"]
    shares = [{entry["row"]: entry["share"] for entry in entries} for entries in (witness, balance)]
    if shares[0] == shares[1]:
        text = "The same rows alone exclude strict separation. "
        return (Paragraph(text + _hull_proof(report)), _shares_table(witness, bias=bias))
    text = f"Fewer rows suffice to exclude strict separation. {_hull_proof(report)}"
    if len(witness) >= len(balance):
        text = f"Strict separation alone is excluded as follows. {_hull_proof(report)}"
    return (
        _shares_table(balance, bias=bias, caption="The proof: rows that balance and span"),
        Paragraph(text),
        _shares_table(witness, bias=bias),
    )


def _inseparable(report: dict[str, Any]) -> tuple[Block, ...]:
    """Return what is known beyond the limits of exact work: there is no strict separation."""
    kind, answer = of_kind(report), report["separability"]
    return (
        Paragraph(
            f"Not strictly separable{kind}: no hyperplane{kind} has every row strictly on its side. "
            f"{_hull_proof(report)} Nothing more was decided: {answer['reason']}."
        ),
        _shares_table(answer["witness"]["rows"], bias=report["data"]["bias"]),
    )


def _hull_proof(report: dict[str, Any]) -> str:
    rows = plural(len(report["separability"]["witness"]["rows"]), "row")
    if not report["data"]["bias"]:
        return (
            f"The vectors y x of {rows}, weighted by their shares, add up to exactly 0. If every y(w·x) were positive, "
            "the weighted sum of these numbers would be positive too, but it is w·0 = 0. The shares are rational "
            "numbers, and the sum was computed without rounding."
        )
    return (
        f"A point{_where_shared(report)} lies in the convex hulls of both classes: {rows}, weighted by their shares, "
        "have exactly the same mean in either class. If all positive rows were strictly on one side of a hyperplane "
        "and all negative rows strictly on the other, this mean would be on both sides, which is impossible. The "
        "shares are rational numbers, and the two means were compared without rounding."
    )


def _where_shared(report: dict[str, Any]) -> str:
    point = report["separability"]["witness"]["point"]
    if len(point) > _MOST_COORDINATES:
        return ""
    names = report["data"]["feature_names"]
    coordinates = (f"{one_line(name, 30)} = {number(value)}" for name, value in zip(names, point, strict=True))
    return f" ({', '.join(coordinates)})"


def rows_table(answer: dict[str, Any]) -> Table:
    """Return how many rows touch and how many can be strictly separated, with the first of either by name."""
    rows = []
    for title, name in (("Touching", "touching"), ("Strictly separated", "separated")):
        n_rows = length(answer, f"{name}_rows")
        rows.append((title, count(n_rows), _few(answer[f"first_{name}"], n_rows)))
    return Table("Which rows touch", ("", "Rows", "Row numbers, from 0, and classes"), tuple(rows), numeric=(1,))


def _few(entries: Entries, total: int) -> str:
    more = f" and {count(total - len(entries))} more" if total > len(entries) else ""
    return ", ".join(f"{' '.join(row_names(entry))} ({one_line(entry['label'])})" for entry in entries) + more


def shown_share(entry: dict[str, Any]) -> str:
    """Return a share as a fraction where that is short."""
    return short_fraction(entry["share"], entry["share_value"])


def _shares_table(entries: Entries, *, bias: bool, caption: str = "") -> Table:
    columns = {
        **name_columns(entries),
        "Side": lambda entry: side(entry["sign"]),
        "Share of its class" if bias else "Share": shown_share,
    }
    witness = "The witness: rows whose weighted means coincide" if bias else "The witness: rows that balance"
    ordered = sorted(entries, key=lambda entry: (-entry["sign"], entry["row"]))
    last = len(columns) - 1
    table = table_of(caption or witness, ordered, columns, numeric=(last,), most=_MOST_ROWS, noun="rows")
    note = f"{table.note} Long fractions are shown as decimals; the JSON form has them in full.".strip()
    return replace(table, note=note)
