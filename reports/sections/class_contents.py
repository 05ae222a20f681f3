"""The contents of the two figures of a page on many classes, and tables of the same numbers."""

import math
from typing import Any

from maxmargin.reports.document import TableBlock
from maxmargin.reports.drawings.class_matrix import MatrixCell
from maxmargin.reports.drawings.class_rulers import ClassRuler
from maxmargin.reports.phrasing import Report, of_kind, verdict_name
from maxmargin.reports.templates import wording
from maxmargin.text.number_formats import UNKNOWN, count, one_line, percent, plural, rounded

Cells = dict[tuple[int, int], MatrixCell]

# Largest number of classes in a figure; of more classes the first ones are shown.
MOST_CLASSES = 20

# Counts from which on a cell shows three digits.
_LARGEST_COUNT = 100_000

# Words that a cell shows in place of a margin; other verdicts are shown unchanged.
_WORDS = {"quasi-separable": "quasi", "not separable": "none", "undecided": "?"}

_MEANINGS = {
    "quasi": "quasi: some hyperplane{kind} has no row on its wrong side, but each such touches rows",
    "overlap": "overlap: every hyperplane{kind} has a row on its wrong side",
    "none": "none: no hyperplane{kind} separates strictly; more is not known",
    "?": "?: not decided",
}


def names_of(report: Report) -> list[Any]:
    """Return the labels of the classes that the figures show."""
    return [entry["label"] for entry in report["data"]["classes"][:MOST_CLASSES]]


def cells_of(report: Report) -> Cells:
    """Return the cells: below the diagonal margins, above it mistakes, on it both of the class against the rest."""
    names = names_of(report)
    found = _by_position(report)
    margins = _strengths({at: _margin(contest) for at, contest in found.items()})
    ratios = _strengths({at: ratio_of(contest) for at, contest in found.items()})
    cells: Cells = {}
    for i in range(len(names)):
        for j in range(i + 1):
            contest = found.get((i, j))
            margin, mistakes = _margin_text(contest), _mistake_lines(contest)
            share = mistakes[1:] if len(mistakes) > 1 else ()
            role = "truth" if (i, j) in margins else ""
            cells[i, j] = MatrixCell((margin, *share) if i == j else (margin,), role, margins.get((i, j), 0.0))
            if i != j:
                role = "perceptron" if (i, j) in ratios else ""
                cells[j, i] = MatrixCell(mistakes, role, ratios.get((i, j), 0.0))
    return cells


def _by_position(report: Report) -> dict[tuple[int, int], Report]:
    """Return the questions among the shown classes by row and column, the pair of i > j at (i, j)."""
    at = {label: k for k, label in enumerate(names_of(report))}
    rest = {(at[c["positive"]],) * 2: c for c in report["one_vs_rest"] if c["positive"] in at}
    pairs = {}
    for contest in report["pairs"]:
        ends = contest["positive"], contest["negative"]
        if all(end in at for end in ends):
            first, second = sorted(at[end] for end in ends)
            pairs[second, first] = contest
    return {**rest, **pairs}


def _margin(contest: Report) -> float | None:
    return contest["lower"] if contest["strictly_separable"] and contest["lower"] > 0 else None


def ratio_of(contest: Report) -> float | None:
    """Return the mistakes as a share of Novikoff's bound, None if no bound is known."""
    bound = contest["novikoff"]
    return None if not bound or not contest["strictly_separable"] else float(contest["n_mistakes"] / bound)


def _strengths(values: dict[tuple[int, int], float | None]) -> dict[tuple[int, int], float]:
    """Return the logarithms of the positive numbers, from 0 for the least to 1 for the greatest."""
    logs = {at: math.log10(value) for at, value in values.items() if value is not None and value > 0}
    low, high = min(logs.values(), default=0.0), max(logs.values(), default=0.0)
    return {at: (log - low) / (high - low) if high > low else 0.5 for at, log in logs.items()}


def _margin_text(contest: Report | None) -> str:
    if contest is None:
        return "?"
    if contest["strictly_separable"]:
        return rounded(contest["lower"], 3) if contest["lower"] > 0 else "> 0"  # below the least binary64 number
    name = verdict_name(contest)
    return _WORDS.get(name, name)


def _mistake_lines(contest: Report | None) -> tuple[str, ...]:
    """Return the number of mistakes and their share of the bound, or a dash where there is no bound."""
    ratio = None if contest is None else ratio_of(contest)
    if contest is None or ratio is None:
        return (UNKNOWN,)
    made = contest["n_mistakes"]
    text = count(made) if made < _LARGEST_COUNT else rounded(made, 3)
    return f"{'' if contest['converged'] else '≥ '}{text}", percent(ratio)


def matrix_caption(report: Report) -> str:
    """Return the legend of the matrix; it explains the words in its cells."""
    texts = {cell.lines[0] for cell in cells_of(report).values()}
    total = len(report["data"]["classes"])
    parts = [wording("class_matrix", kind=of_kind(report))]
    parts += [f"{meaning.format(kind=of_kind(report))}." for text, meaning in _MEANINGS.items() if text in texts]
    if any(cell.lines == (UNKNOWN,) for cell in cells_of(report).values()):
        parts.append(f"{UNKNOWN}: no bound is known to hold.")
    if any(text.startswith("≥") for text in texts):
        parts.append("≥: the run was stopped.")
    if total > MOST_CLASSES:
        parts.append(f"The first {MOST_CLASSES} of {plural(total, 'class', 'classes')}.")
    return " ".join(parts)


def matrix_finding(report: Report) -> str:
    """Return what can be seen in the matrix."""
    parts = []
    for contests, what in ((report["one_vs_rest"], "against the rest"), (report["pairs"], "against each other")):
        found = [contest["lower"] for contest in contests if contest["strictly_separable"]]
        text = f"{what}, {count(len(found))} of {plural(len(contests), 'question')} are separable{of_kind(report)}"
        if found:
            ends = dict.fromkeys((rounded(min(found), 3), rounded(max(found), 3)))
            text += f" with γ* of {' to '.join(ends)}"
        parts.append(text)
    return f"One cell for each class and pair of classes: {'; '.join(parts)}."


def matrix_table(report: Report) -> TableBlock:
    """Return the matrix as a table."""
    names, cells = names_of(report), cells_of(report)
    columns = ("", *(one_line(name, 24) for name in names))
    indices = range(len(names))
    rows = tuple((one_line(names[i], 24), *("; ".join(cells[i, j].lines) for j in indices)) for i in indices)
    return TableBlock("The matrix of the classes", columns, rows, range(1, len(columns)), matrix_caption(report))


def sorted_classes(report: Report) -> list[Report]:
    """Return the questions of the classes against the rest by growing maximum margin, the inseparable ones last."""
    return sorted(report["one_vs_rest"], key=lambda c: (_margin(c) is None, _margin(c) or 0.0))[:MOST_CLASSES]


def rulers_of_classes(report: Report) -> list[ClassRuler]:
    """Return the rulers."""
    return [
        ClassRuler(one_line(c["positive"], 40), _ruler_text(c), _margin(c), _achieved(c), c["margin_upper"])
        for c in sorted_classes(report)
    ]


def _achieved(contest: Report) -> float | None:
    share = contest["share_of_maximum"]
    return contest["achieved_margin"] if share is not None and share > 0 else None


def _ruler_text(contest: Report) -> str:
    if not contest["strictly_separable"]:
        return verdict_name(contest)
    best = f"γ* {rounded(contest['lower'], 3)}"
    if _achieved(contest) is None:
        return f"{best}, {plural(contest['n_errors'], 'row')} in error"
    return f"{best}, {percent(contest['share_of_maximum'])} kept"


def rulers_caption(report: Report) -> str:
    """Return the legend of the rulers."""
    total = len(report["one_vs_rest"])
    first = f" The first {MOST_CLASSES} of {plural(total, 'class', 'classes')} by γ*." if total > MOST_CLASSES else ""
    return wording("class_rulers") + first


def rulers_finding(report: Report) -> str:
    """Return what can be seen on the rulers."""
    return "; ".join(f"{ruler.name}: {ruler.text}" for ruler in rulers_of_classes(report)) + "."


def rulers_table(report: Report) -> TableBlock:
    """Return the numbers of the rulers as a table."""
    rows = tuple(
        (
            one_line(c["positive"], 40), rounded(_margin(c), 4) if _margin(c) is not None else verdict_name(c),
            rounded(_achieved(c), 4), rounded(c["margin_upper"], 4),
        )
        for c in sorted_classes(report)
    )  # fmt: skip
    columns = ("Class", "γ*", "Margin kept", "At most, by the mistakes")
    return TableBlock("The margins of each class against the rest", columns, rows, (1, 2, 3))
