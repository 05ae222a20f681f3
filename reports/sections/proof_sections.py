"""The verdict and why it holds."""

from typing import Any

from maxmargin.reports.document import Block, Paragraph, Table
from maxmargin.reports.number_formats import count, first_of, number, one_line, plural, short_fraction, side
from maxmargin.reports.phrasing import length, of_kind, unless_flat
from maxmargin.reports.sections.shared_blocks import Entries, name_columns, names_and_class, row_names

_MOST_ROWS = 30
_MOST_COORDINATES = 8


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
            f"strictly on their sides. Its coefficients are rational numbers, and so is every row; {_score(report)} "
            "was computed without rounding for each row and is greater than 0. Whoever repeats this one evaluation has "
            f"checked the proof. {_where(report)} The hyperplane was found by {report['separability']['engine']}; the "
            "proof does not depend on how."
        ),
    )


def _where(report: dict[str, Any]) -> str:
    cut = report["separability"]["certificate_cut"]
    if cut:
        return "Its numbers are too long for this report; “maxmargin check --proof FILE” writes them."
    return "The JSON form of this report holds its numbers as integers, up to a positive factor."


def _quasi(report: dict[str, Any]) -> tuple[Block, ...]:
    answer = report["separability"]
    separated = plural(length(answer, "separated_rows"), "row")
    touching, balance = length(answer, "touching_rows"), answer["balance"]
    verdict = Paragraph(
        f"Quasi-separable{of_kind(report)}, that is quasi-complete separation. A {_plane(report)} has {separated} "
        f"strictly on their sides and no row on the wrong side, but it touches: the other {plural(touching, 'row')} "
        f"{'lies' if touching == 1 else 'lie'} exactly on it. So it is with every hyperplane{of_kind(report)} that has "
        f"no row on its wrong side: it contains {'this row' if touching == 1 else f'these {count(touching)} rows'}."
    )
    proof = Paragraph(
        f"The proof has two halves. The coefficients of the hyperplane are rational numbers; {_score(report)} was "
        "computed without rounding and is greater than 0 on the separated rows and exactly 0 on the touching ones. "
        f"That these always touch: {_balancing(report, balance)} {_span(balance, 'touching rows')} {_where(report)}"
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
        f"{plural(len(balance), 'row')} with positive weights balance, Σ a {vectors} = 0, in exact arithmetic. Where "
        f"no {_score(report)} is negative, their weighted sum is 0 only if each of them is 0: all "
        f"{count(len(balance))} lie on the hyperplane."
    )


def _span(balance: Entries, others: str) -> str:
    return (
        f"All {others} are linear combinations of these {count(len(balance))}, so they lie on it as well; that too was "
        "checked exactly."
    )


def _witness_and_balance(report: dict[str, Any]) -> tuple[Block, ...]:
    """Return the rows that exclude strict separation, and where these are not the same those of the proof."""
    answer, bias = report["separability"], report["data"]["bias"]
    shares = [{entry["row"]: entry["share"] for entry in entries} for entries in (_witness(answer), answer["balance"])]
    if shares[0] == shares[1]:
        text = "The same rows alone exclude strict separation. "
        return (Paragraph(text + _hull_proof(report)), _shares_table(_witness(answer), bias=bias))
    text = f"To exclude strict separation fewer rows do. {_hull_proof(report)}"
    if len(_witness(answer)) >= len(answer["balance"]):
        text = f"Strict separation alone is excluded so. {_hull_proof(report)}"
    caption = "The proof: rows that balance and span"
    return (
        _shares_table(answer["balance"], bias=bias, caption=caption),
        Paragraph(text),
        _shares_table(_witness(answer), bias=bias),
    )


def _inseparable(report: dict[str, Any]) -> tuple[Block, ...]:
    """Word what is known past the limits: no strict separation."""
    kind, answer = of_kind(report), report["separability"]
    return (
        Paragraph(
            f"Not strictly separable{kind}: no hyperplane{kind} has every row strictly on its side. "
            f"{_hull_proof(report)} More was not decided: {answer['reason']}."
        ),
        _shares_table(_witness(answer), bias=report["data"]["bias"]),
    )


def _witness(answer: dict[str, Any]) -> Entries:
    rows: Entries = answer["witness"]["rows"]
    return rows


def _hull_proof(report: dict[str, Any]) -> str:
    rows = plural(len(_witness(report["separability"])), "row")
    if not report["data"]["bias"]:
        return (
            f"The y x of {rows}, weighted by their shares, add up to exactly 0. If every y(w·x) were positive, the "
            "weighted sum of these numbers would be positive as well; but it is w·0 = 0. The shares are rational "
            "numbers, added without rounding."
        )
    return (
        f"A point lies in the convex hulls of both classes{_point(report)}: {rows}, weighted by their shares, have "
        "exactly the same mean on either side. A hyperplane with all positive rows strictly on one side has that mean "
        "on this side too, and with all negative rows strictly on the other side it has it on the other: it cannot be "
        "on both. The shares are rational numbers and the two means were compared without rounding."
    )


def _point(report: dict[str, Any]) -> str:
    point = report["separability"]["witness"]["point"]
    if len(point) > _MOST_COORDINATES:
        return ""
    names = report["data"]["feature_names"]
    coordinates = (f"{one_line(name, 30)} = {number(value)}" for name, value in zip(names, point, strict=True))
    return f" ({', '.join(coordinates)})"


def rows_table(answer: dict[str, Any]) -> Table:
    """Return how many rows touch and how many can be strictly separated, with the first of either by name."""
    kinds = (("Touching", "touching"), ("Strictly separated", "separated"))
    rows = tuple(
        (title, count(length(answer, f"{name}_rows")), _few(answer[f"first_{name}"], length(answer, f"{name}_rows")))
        for title, name in kinds
    )
    columns = ("", "Rows", "Numbers, from 0, and classes")
    return Table(caption="Which rows touch", columns=columns, rows=rows, numeric=frozenset((1,)))


def _few(entries: Entries, total: int) -> str:
    more = f" and {count(total - len(entries))} more" if total > len(entries) else ""
    return ", ".join(f"{' '.join(row_names(entry))} ({one_line(entry['label'])})" for entry in entries) + more


def shown_share(entry: dict[str, Any]) -> str:
    """Return a share as a fraction where that is short."""
    return short_fraction(entry["share"], entry["share_value"])


def _shares_table(entries: Entries, *, bias: bool, caption: str = "") -> Table:
    rows = tuple(
        (*names_and_class(entry), side(entry["sign"]), shown_share(entry))
        for entry in sorted(entries, key=lambda entry: (-entry["sign"], entry["row"]))[:_MOST_ROWS]
    )
    share = "Share of its class" if bias else "Share"
    columns = (*name_columns(entries), "Side", share)
    cut = first_of(_MOST_ROWS, len(entries), "rows")
    witness = "The witness: rows whose weighted means coincide" if bias else "The witness: rows that balance"
    return Table(
        caption=caption or witness,
        columns=columns,
        rows=rows,
        numeric=frozenset((len(columns) - 1,)),
        note=f"{cut} Long fractions are shown as decimals; the JSON form has them in full.".strip(),
    )
