"""The verdict and why it holds."""

from typing import Any

from maxmargin.reports.document import Block, Paragraph, Table
from maxmargin.reports.formats import count, number, one_line, plural, short_fraction

_MOST_ROWS = 70
_MOST_COORDINATES = 8


def blocks(report: dict[str, Any]) -> tuple[Block, ...]:
    """Return the verdict with its proof in words, and the witness as a table."""
    answer = report["separability"]
    certificate = answer["certificate"]
    if certificate is None:
        return (Paragraph(f"Undecided: {answer['reason']}. Nothing is claimed about separability."),)
    if certificate["kind"] == "separating-hyperplane":
        return _separable(report, certificate)
    return _inseparable(report, certificate)


def _separable(report: dict[str, Any], certificate: dict[str, Any]) -> tuple[Block, ...]:
    plane = "w·x + b = 0" if report["data"]["bias"] else "w·x = 0"
    value = number(certificate["least_functional_margin_value"])
    return (
        Paragraph(
            f"Separable. A hyperplane {plane} has all {plural(report['data']['n_samples'], 'row')} strictly on their "
            "sides. Its coefficients are binary64 numbers and an exact fraction, and so is every row; the least "
            f"functional margin y(w·x + b) over all rows was computed without rounding and is greater than 0 "
            f"({value}, to six digits). Whoever repeats this one evaluation has checked the proof. The JSON form of "
            f"this report holds w, b and the margin as exact numbers. The hyperplane was found by "
            f"{report['separability']['engine']}; the proof does not depend on how."
        ),
    )


def _inseparable(report: dict[str, Any], certificate: dict[str, Any]) -> tuple[Block, ...]:
    bias = report["data"]["bias"]
    verdict = "Not strictly separable: no hyperplane" + ("" if bias else " through the origin")
    proof = _with_bias(report, certificate) if bias else _through_origin(certificate)
    ending = (
        " Whether the data are quasi-separable or overlap is not decided here: the verdict word stays “undecided”, but "
        "strict separation is excluded."
        if report["verdict"] == "undecided"
        else ""
    )
    return (
        Paragraph(f"{verdict} has every row strictly on its side. {proof}{ending}"),
        _witness(certificate, bias=bias),
    )


def _with_bias(report: dict[str, Any], certificate: dict[str, Any]) -> str:
    return (
        f"The proof is a point that lies in the convex hulls of both classes{_point(report, certificate)}: the "
        f"{plural(len(certificate['rows']), 'row')} below, weighted by their shares, have exactly the same mean on "
        "either side. A hyperplane with all positive rows strictly on one side has that mean on this side too, and "
        "with all negative rows strictly on the other side it has it on the other: it cannot be on both. The shares "
        "are rational numbers and the two means were compared without rounding."
    )


def _through_origin(certificate: dict[str, Any]) -> str:
    return (
        f"The proof is a combination of the {plural(len(certificate['rows']), 'row')} below: their y x, weighted by "
        "their shares, add up to exactly 0. If every y(w·x) were positive, the weighted sum of these numbers would be "
        "positive as well; but it is w·0 = 0. The shares are rational numbers, added without rounding."
    )


def _point(report: dict[str, Any], certificate: dict[str, Any]) -> str:
    point = certificate["point"]
    if len(point) > _MOST_COORDINATES:
        return ""
    names = report["data"]["feature_names"]
    coordinates = (f"{one_line(name, 30)} = {number(value)}" for name, value in zip(names, point, strict=True))
    return f" ({', '.join(coordinates)})"


def _witness(certificate: dict[str, Any], *, bias: bool) -> Table:
    entries = certificate["rows"]
    has_ids = any(entry["id"] is not None for entry in entries)
    share = "Share of its class" if bias else "Share"
    rows = tuple(
        (
            str(entry["source_row"]),
            *((one_line(entry["id"]),) if has_ids else ()),
            one_line(entry["label"]),
            "+1" if entry["sign"] > 0 else "−1",
            short_fraction(entry["share"]),
        )
        for entry in sorted(entries, key=lambda entry: (-entry["sign"], entry["row"]))[:_MOST_ROWS]
    )
    columns = ("Row", *(("Name",) if has_ids else ()), "Class", "Side", share)
    cut = f"The first {_MOST_ROWS} of {count(len(entries))} rows. " if len(entries) > _MOST_ROWS else ""
    return Table(
        caption="The witness: rows whose weighted means coincide" if bias else "The witness: rows that balance",
        columns=columns,
        rows=rows,
        numeric=frozenset((len(columns) - 1,)),
        note=f"{cut}Long fractions are shown as decimals; the JSON form has them in full.",
    )
