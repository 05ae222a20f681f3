"""The methods side by side: the perceptron, the best of its orders, the maximum margin, a soft margin."""

from collections.abc import Callable

from maxmargin.reports.document import Block, FigureSlot, Paragraph, TableBlock
from maxmargin.reports.phrasing import Report, angle_text
from maxmargin.reports.sections.shared import margin_digits
from maxmargin.text.number_formats import UNKNOWN, one_line, plural, proven, rounded, share_of_the_best, shown_interval

Entry = Report

# Stands before a number that is known in floating point only; all others are proven.
FLOAT = "~"


def blocks(report: Report) -> tuple[Block, ...]:
    """Return the table, without rows that are empty for all methods."""
    entries = report["compared"]
    wanted = {name: (text, order) for name, text, order in _ROWS if any(text(entry, report) for entry in entries)}
    rows = tuple((name, *((text(entry, report) or UNKNOWN) for entry in entries)) for name, (text, _) in wanted.items())
    orders = tuple(tuple(order(entry) for entry in entries) for _, order in wanted.values())
    shares = {
        (row, column + 1): min(max(entry["share"], 0.0), 1.0)
        for row, name in enumerate(wanted)
        if name == "share of γ*"
        for column, entry in enumerate(entries)
        if entry["share"] is not None and entry["share"] > 0
    }
    columns = ("", *(one_line(entry["name"]) for entry in entries))
    table = TableBlock(
        "The methods side by side", columns, rows, numeric=range(1, len(columns)), shares=shares, orders=orders,
        key="comparison", note=f"{FLOAT} in floating point; all other numbers are proven in exact arithmetic.",
    )  # fmt: skip
    return (table, *_in_other_units(report), FigureSlot("planes"))


def _in_other_units(report: Report) -> tuple[Block, ...]:
    """Return the maximum margin of standardized columns, where the columns have very different units."""
    found = report["standardized"]
    if found is None or not found["lower"] or not found["upper"]:
        return ()
    ends = rounded(found["least_deviation"], 3), rounded(found["largest_deviation"], 3)
    text = (
        f"The columns have very different units: their standard deviations range from {ends[0]} to {ends[1]}. Once "
        "every column is moved to mean 0 and scaled to standard deviation 1, the maximum margin is "
        f"{proven(found['lower'], found['upper'], 5)}; in the units of the data it is "
        f"{margin_digits(report['hard_margin'], 5)}."
    )
    return (Paragraph(text),)


def _margin(entry: Entry, report: Report) -> str:
    if report["strictly_separable"] and entry["n_errors"]:
        return "does not separate"
    if entry["margin"] is None or not entry["margin"] > 0:
        return ""
    if entry["name"] == "maximum margin":
        return margin_digits(report["hard_margin"], 7)
    return f"{'' if entry['margin_is_proven'] else FLOAT}{rounded(entry['margin'], 4)}"


def _share(entry: Entry, _: Report) -> str:
    if entry["name"] == "maximum margin":
        return "100 %"
    if entry["share"] is None or not entry["share"] > 0:
        return ""
    return f"{'' if entry['margin_is_proven'] else FLOAT}{share_of_the_best(entry['share'])}"


def _errors(entry: Entry, _: Report) -> str:
    if entry["n_errors"] is None:
        return ""
    lower = entry["n_errors_lower"] if "n_errors_lower" in entry else entry["n_errors"]
    return shown_interval(lower, entry["n_errors"])


def _rows(entry: Entry, _: Report) -> str:
    if entry["n_rows"] is None:
        return ""
    return f"{'' if entry['name'] == 'perceptron' else FLOAT}{entry['rows_are'].format(plural(entry['n_rows'], 'row'))}"


# Name of each row, the text of its cells, and the number by which a reader sorts the columns.
_ROWS: tuple[tuple[str, Callable[[Entry, Report], str], Callable[[Entry], float | None]], ...] = (
    ("margin", _margin, lambda entry: entry["margin"]),
    ("share of γ*", _share, lambda entry: entry["share"]),
    ("rows in error", _errors, lambda entry: entry["n_errors"]),
    ("rows that determine it", _rows, lambda entry: entry["n_rows"]),
    ("angle to the maximum margin", lambda entry, _: angle_text(entry), lambda entry: entry["angle_upper"]),
    ("work", lambda entry, _: one_line(entry["work"]), lambda entry: None),
)
