"""The verdict and why it holds: as fields of the summary, and as a section."""

from typing import Any

from maxmargin.reports.document import Block, Paragraph, TableBlock
from maxmargin.reports.phrasing import length, of_kind, score
from maxmargin.reports.sections.shared import Entries, name_columns, row_names, table_of
from maxmargin.reports.templates import wording
from maxmargin.text.number_formats import count, one_line, plural, rounded, side

_MOST_ROWS = 30
_MOST_COORDINATES = 8
# Number of characters of a fraction from which on a decimal number stands for it.
_LONGEST_FRACTION = 23


def blocks(report: dict[str, Any]) -> tuple[Block, ...]:
    """Return the verdict with its proof in words, and the rows of the proof as tables."""
    answer = report["separability"]
    if answer["strictly_separable"] is None:
        return (Paragraph(f"Undecided: {answer['reason']}. Nothing is claimed about separability."),)
    parts = {"separable": _separable, "quasi-separable": _quasi, "overlap": _overlap, "undecided": _inseparable}
    return parts[answer["verdict"]](report)


def _plane(report: dict[str, Any]) -> str:
    return "hyperplane w·x + b = 0" if report["data"]["bias"] else "hyperplane w·x = 0 through the origin"


def _separable(report: dict[str, Any]) -> tuple[Block, ...]:
    rows, engine = plural(report["data"]["n_samples"], "row"), report["separability"]["engine"]
    parts = {"plane": _plane(report), "score": score(report), "where": _where(report)}
    return (Paragraph(wording("separable", kind=of_kind(report), rows=rows, engine=engine, **parts)),)


def _where(report: dict[str, Any]) -> str:
    if report["separability"]["certificate_cut"]:
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
    parts = {"balancing": _balancing(report, balance), "span": _span(balance, "touching rows"), "where": _where(report)}
    proof = Paragraph(wording("quasi_separable", score=score(report), **parts))
    return (verdict, rows_table(answer), proof, *_witness_and_balance(report))


def _overlap(report: dict[str, Any]) -> tuple[Block, ...]:
    balance, kind = report["separability"]["balance"], of_kind(report)
    unless_flat = "" if report["separability"]["certificate"]["null_space"] == [] else ", unless it contains all rows"
    verdict = (
        f"Overlap{kind}. Every hyperplane{kind} has a row on its wrong side{unless_flat}. "
        f"The proof: {_balancing(report, balance)} {_span(balance, 'rows')} {_where(report)}"
    )
    return (Paragraph(verdict), *_witness_and_balance(report))


def _balancing(report: dict[str, Any], balance: Entries) -> str:
    vectors = "y(x, 1)" if report["data"]["bias"] else "y x"
    rows, number = plural(len(balance), "row"), count(len(balance))
    return wording("balancing", rows=rows, vectors=vectors, score=score(report), count=number)


def _span(balance: Entries, others: str) -> str:
    return wording("span", others=others, count=count(len(balance)))


def _witness_and_balance(report: dict[str, Any]) -> tuple[Block, ...]:
    """Return the rows that exclude strict separation, and the rows of the proof where these are others."""
    bias, balance = report["data"]["bias"], report["separability"]["balance"]
    witness = report["separability"]["witness"]["rows"]
    shares = [{entry["row"]: entry["share"] for entry in entries} for entries in (witness, balance)]
    text = "The same rows alone exclude strict separation."
    of_balance: tuple[Block, ...] = ()
    if shares[0] != shares[1]:
        is_shorter, caption = len(witness) < len(balance), "The proof: rows that balance and span"
        text = "Fewer rows suffice to exclude strict separation."
        text = text if is_shorter else "Strict separation alone is excluded as follows."
        of_balance = (_shares_table(balance, bias=bias, caption=caption),)
    return (*of_balance, Paragraph(f"{text} {_hull_proof(report)}"), _shares_table(witness, bias=bias))


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
        return wording("vectors_balance", rows=rows)
    return wording("hulls_meet", where=_where_shared(report), rows=rows)


def _where_shared(report: dict[str, Any]) -> str:
    point = report["separability"]["witness"]["point"]
    if len(point) > _MOST_COORDINATES:
        return ""
    names = report["data"]["feature_names"]
    coordinates = (f"{one_line(name, 30)} = {rounded(value)}" for name, value in zip(names, point, strict=True))
    return f" ({', '.join(coordinates)})"


def rows_table(answer: dict[str, Any]) -> TableBlock:
    """Return how many rows touch and how many can be strictly separated, with the first of either by name."""
    rows = []
    for title, name in (("Touching", "touching"), ("Strictly separated", "separated")):
        n_rows = length(answer, f"{name}_rows")
        rows.append((title, count(n_rows), _few(answer[f"first_{name}"], n_rows)))
    return TableBlock("Which rows touch", ("", "Rows", "Row numbers, from 0, and classes"), tuple(rows), numeric=(1,))


def _few(entries: Entries, total: int) -> str:
    more = f" and {count(total - len(entries))} more" if total > len(entries) else ""
    return ", ".join(f"{' '.join(row_names(entry))} ({one_line(entry['label'])})" for entry in entries) + more


def shown_share(entry: dict[str, Any]) -> str:
    """Return a share as a fraction where that is short."""
    return str(entry["share"]) if len(entry["share"]) <= _LONGEST_FRACTION else f"≈ {rounded(entry['share_value'])}"


def _shares_table(entries: Entries, *, bias: bool, caption: str = "") -> TableBlock:
    columns = {
        **name_columns(entries),
        "Side": lambda entry: side(entry["sign"]),
        "Share of its class" if bias else "Share": shown_share,
    }
    witness = "The witness: rows whose weighted means coincide" if bias else "The witness: rows that balance"
    ordered = sorted(entries, key=lambda entry: (-entry["sign"], entry["row"]))
    how: dict[str, Any] = {"numeric": (len(columns) - 1,), "most": _MOST_ROWS, "noun": "rows"}
    note = "Long fractions are shown as decimals; the JSON form has them in full."
    return table_of(caption or witness, ordered, columns, note=note, **how)
