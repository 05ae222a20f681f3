"""What the reports on two and on many classes have in common: the data, the names of rows, the last sections."""

from collections.abc import Iterable
from typing import Any

from maxmargin.reports.document import Block, Paragraph, Points, Section, Table, facts
from maxmargin.reports.number_formats import count, number, one_line, plural

Entries = list[dict[str, Any]]

_PREPARATIONS = {
    "raw": "none",
    "center": "every column moved to mean 0",
    "standardize": "every column moved to mean 0 and scaled to standard deviation 1",
    "unit": "every row scaled to norm 1",
}


def size_of(data: dict[str, Any]) -> str:
    """Return the source with its numbers of rows and features."""
    n_rows, n_features = plural(data["n_samples"], "row"), plural(data["n_features"], "feature")
    return f"{one_line(data['source'])}: {n_rows}, {n_features}"


def what_was_read(
    data: dict[str, Any], *, classes: Iterable[tuple[str, str]] = (), numbers: Iterable[tuple[str, str]] = ()
) -> Table:
    """Return the table of the data, with lines on the classes in its middle and on the numbers at its end."""
    rows = [
        ("Source", one_line(data["source"])),
        ("Rows × features", f"{count(data['n_samples'])} × {count(data['n_features'])}"),
        *((("Where they are", "outside memory: read anew in every pass"),) if "in_memory" in data else ()),
        ("Label column", one_line(data["label_name"])),
        *classes,
        ("Hyperplanes", "w·x + b = 0, b free" if data["bias"] else "w·x = 0, through the origin"),
        ("Preparation", _PREPARATIONS[data["prepare"]]),
        *numbers,
    ]
    return facts("What was read", rows)


def notes(data: dict[str, Any]) -> tuple[Points, ...]:
    """Return what was noted while the data were read."""
    return (Points(tuple(one_line(note, 400) for note in data["notes"])),) if data["notes"] else ()


def row_names(entry: dict[str, Any]) -> tuple[str, ...]:
    """Return the number of a row, and its name where it has one."""
    return (str(entry["source_row"]), *(() if entry["id"] is None else (one_line(entry["id"]),)))


def names_and_class(entry: dict[str, Any]) -> tuple[str, ...]:
    """Return what a row is called in the first cells of a table."""
    return (*row_names(entry), one_line(entry["label"]))


def name_columns(entries: Entries) -> tuple[str, ...]:
    """Return the names of these columns."""
    return ("Row", *(("Name",) if entries and entries[0]["id"] is not None else ()), "Class")


def last_sections(report: dict[str, Any]) -> tuple[Section, Section]:
    """Return what is not known, and how the report was made."""
    return (
        Section(anchor="unknown", title="What is not known", blocks=(Points(tuple(report["unknown"])),)),
        Section(anchor="method", title="How this was made", blocks=_method(report)),
    )


def _method(report: dict[str, Any]) -> tuple[Block, ...]:
    """Return settings and versions."""
    settings = tuple((name, _setting(value)) for name, value in report["settings"].items())
    versions = tuple(report["versions"].items())
    text = (
        "Separability, margins, their intervals and the counts of errors are checked in exact arithmetic on the "
        "numbers as stored; a solver's word is a hint and never an answer. The same input gives the same page."
    )
    return (
        Paragraph(text),
        Table(caption="Settings", columns=("Setting", "Value"), rows=settings),
        Table(caption="Versions", columns=("Package", "Version"), rows=versions),
    )


def _setting(value: Any) -> str:
    if value is None:
        return "default"
    if isinstance(value, list):
        return ", ".join(number(entry) for entry in value)
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)
