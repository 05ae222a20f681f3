"""Tables, limitations and the description of the method, for reports on two and on many classes."""

import math
from collections.abc import Callable, Collection, Iterable, Sequence
from pathlib import PurePath
from typing import Any

from maxmargin.reports.document import Block, Paragraph, Points, TableBlock, facts
from maxmargin.reports.phrasing import Report, novikoff, of_kind, shown_upper
from maxmargin.reports.templates import wording
from maxmargin.text.number_formats import count, first_of, floor_of, interval, listed, one_line, plural, proven, rounded

Entries = list[dict[str, Any]]
Columns = dict[str, Callable[[dict[str, Any]], str]]

_PREPARATIONS = {
    "raw": "none",
    "center": "every column moved to mean 0",
    "standardize": "every column moved to mean 0 and scaled to standard deviation 1",
    "unit": "every row scaled to norm 1",
}


def source_name(data: dict[str, Any]) -> str:
    """Return the name of the source without the folders that it lies in."""
    return one_line(PurePath(data["source"]).name or data["source"])


def label_of(data: dict[str, Any]) -> str:
    """Return the name of the label column before the classes; "" where it has only a position or the usual name."""
    name = data["label_name"]
    return "" if name in ("y", "target") or name.lstrip("-").isdigit() else f"{one_line(name, 30)}: "


def set_by_the_author(settings: dict[str, Any]) -> dict[str, str]:
    """Return the parts of a page that its author has written."""
    return {"kind": settings["title"] or "Margin report", "note": settings["note"], "date": settings["date"]}


def what_was_read(
    data: dict[str, Any], *, classes: Iterable[tuple[str, str]] = (), numbers: Iterable[tuple[str, str]] = ()
) -> TableBlock:
    """Return the table of the data, with rows for the classes in the middle and for the numbers at the end."""
    rows = [
        ("Source", source_name(data)),
        ("Rows × features", f"{count(data['n_samples'])} × {count(data['n_features'])}"),
        *((("Where they are", "outside memory: read again in every pass"),) if "in_memory" in data else ()),
        ("Label column", one_line(data["label_name"])),
        *classes,
        ("Hyperplanes", "w·x + b = 0, b free" if data["bias"] else "w·x = 0, through the origin"),
        ("Preparation", _PREPARATIONS[data["prepare"]]),
        *numbers,
    ]
    return facts("What was read", rows)


def as_read(data: dict[str, Any]) -> tuple[TableBlock, ...]:
    """Return the columns with their ranges, and the first and the last rows; nothing for data outside memory."""
    if "columns" not in data:
        return ()
    n_columns = len(data["columns"])
    names = [one_line(column["name"], 24) for column in data["columns"]]
    shown: Columns = {
        "Column": lambda column: one_line(column["name"], 40),
        "Type": lambda column: str(column["kind"]),
        "Least": lambda column: rounded(column["least"], 6),
        "Greatest": lambda column: rounded(column["greatest"], 6),
    }
    more = first_of(n_columns, data["n_features"], "columns")
    columns = table_of("Columns", data["columns"], shown, numeric=(2, 3), note=more)
    heads = (*name_columns(data["sample"]), *(name or "(no name)" for name in names))
    rows = tuple(
        (*(text(entry) for text in name_columns(data["sample"]).values()), *(rounded(x, 6) for x in entry["values"]))
        for entry in data["sample"]
    )
    n_words = len(heads) - n_columns
    return columns, TableBlock("First and last rows", heads, rows, numeric=range(n_words, len(heads)))


def notes(data: dict[str, Any]) -> tuple[Points, ...]:
    """Return the notes on the reading of the data."""
    return (Points(tuple(one_line(note, 400) for note in data["notes"])),) if data["notes"] else ()


def row_names(entry: dict[str, Any]) -> tuple[str, ...]:
    """Return the number of a row, and its name where it has one."""
    return (str(entry["source_row"]), *(() if entry["id"] is None else (one_line(entry["id"]),)))


def name_columns(entries: Entries) -> Columns:
    """Return the columns of a table that name rows of the data."""
    has_names = bool(entries) and entries[0]["id"] is not None
    return {
        "Row": lambda entry: str(entry["source_row"]),
        **({"Name": lambda entry: one_line(entry["id"])} if has_names else {}),
        "Class": lambda entry: one_line(entry["label"]),
    }


def table_of(
    caption: str,
    entries: Sequence[Any],
    columns: Columns,
    *,
    numeric: Collection[int] = (),
    most: int | None = None,
    noun: str = "",
    note: str = "",
    key: str = "",
) -> TableBlock:
    """Return a table of entries, or of the first `most`, with the texts that its columns make of each.

    The note is preceded by what `most` leaves out, counted by this noun.
    """
    rows = tuple(tuple(text(entry) for text in columns.values()) for entry in entries[:most])
    cut = "" if most is None else first_of(most, len(entries), noun)
    return TableBlock(caption, tuple(columns), rows, numeric, f"{cut} {note}".strip(), key=key)


def margin_digits(hard: Report, most: int = 17) -> str:
    """Return the digits of the maximum margin that its proven ends share."""
    return proven(hard["lower"], shown_upper(hard), most)


def margin_interval(mapping: Report, name: str = "") -> str:
    """Return the proven interval whose ends are these fields, by the name before "lower" and "upper"."""
    return interval(mapping[f"{name}lower"], mapping[f"{name}upper"])


def method(report: dict[str, Any]) -> tuple[Block, ...]:
    """Return settings and versions."""
    settings = tuple((name, _setting(name, value)) for name, value in used_settings(report).items())
    return (
        Paragraph(wording("exact_arithmetic")),
        TableBlock("Settings", ("Setting", "Value"), (*settings, ("command", one_line(report["command"], 300)))),
        TableBlock("Versions", ("Package", "Version"), tuple(report["versions"].items())),
    )


def used_settings(report: dict[str, Any]) -> dict[str, Any]:
    """Return the settings as they were used: what was chosen by the data is said."""
    settings = dict(report["settings"])
    if settings["Cs"] is None and "soft_margin" in report:
        settings["Cs"] = [point["C"] for point in report["soft_margin"]]
    if settings["orders"] is None and "orders" in report:
        settings["orders"] = report["orders"].get("n_orders", 0)
    if "perceptron" in report:
        settings["max_epochs"] = report["perceptron"]["max_epochs"]
    return settings


def _setting(name: str, value: Any) -> str:
    if value is None:
        return "by the data" if name in ("Cs", "orders") else "no limit"
    if isinstance(value, list):
        return ", ".join(rounded(entry) for entry in value)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return rounded(value) if isinstance(value, int | float) else str(value)


def limitations(report: dict[str, Any]) -> list[str]:
    """Return what a two-class report does not say, in one sentence or two each."""
    found = [
        _kind_of_separation(report),
        _columns(report["separability"]),
        _soft(report),
        _outside_memory(report),
        *_always(report),
        _worst_order(report),
    ]
    return [sentence for sentence in found if sentence]


def _kind_of_separation(report: dict[str, Any]) -> str:
    if report["strictly_separable"] is None:
        kind = of_kind(report)
        return f"Whether the classes can be separated{kind} is not decided: {report['separability']['reason']}."
    if report["verdict"] == "undecided":
        return f"Whether the data are quasi-separable or overlap is not decided: {report['separability']['reason']}."
    return ""


def _columns(answer: dict[str, Any]) -> str:
    """Return why the infinite coefficients were not computed."""
    reason = answer["columns_reason"]
    what = "Which logistic coefficients are infinite was"
    if answer["verdict"] == "separable":
        what = "The signs of the infinite logistic coefficients were"
    return f"{what} not computed: {reason}." if reason else ""


def _outside_memory(report: dict[str, Any]) -> str:
    if "in_memory" not in report["data"]:
        return ""
    return wording("outside_memory", limit=_unasked_limit(report))


def _unasked_limit(report: dict[str, Any]) -> str:
    limit = report["perceptron"]["max_epochs"]
    if limit is None or report["settings"]["max_epochs"] is not None:
        return ""
    return wording("unasked_limit", epochs=plural(limit, "epoch"))


def _worst_order(report: dict[str, Any]) -> str:
    run, orders = report["perceptron"], report["orders"]
    if orders["reason"] is None and orders["worst"]["proven"]:
        return ""
    if run["converged"]:
        return wording("unknown_worst_order")
    if report["strictly_separable"]:
        known = f"at least {count(run['n_mistakes'] + (run['n_errors'] > 0))}{_at_most(report)}"
        return f"How many mistakes the run would make until it converges is not known: {known}."
    return ""


def _at_most(report: dict[str, Any]) -> str:
    bound = novikoff(report)
    return f", and at most {floor_of(bound['value'])}" if bound is not None else ""


def _soft(report: dict[str, Any]) -> str:
    wide = [rounded(point["C"]) for point in report["soft_margin"] if point["status"] != "optimal"]
    if wide:
        return f"The soft margin at C = {listed(wide)} is known less accurately than requested; its interval holds."
    return ""


def _always(report: dict[str, Any]) -> list[str]:
    prepare = report["data"]["prepare"]
    sentences = [] if prepare == "raw" else [wording("prepared", prepare=prepare)]
    return [
        *sentences,
        "Statements are about the stored binary64 numbers: a decimal such as 0.1 is rounded when it is read.",
        wording("floating_point"),
    ]


def class_limitations(report: dict[str, Any]) -> list[str]:
    """Return the limitations of a report on many classes, in one sentence or two each."""
    contests = [*report["one_vs_rest"], *report["pairs"]]
    sentences = []
    if report["verdict"] == "undecided":
        sentences.append(f"The multinomial question is not decided: {report['multinomial']['reason']}.")
    if (n_left_out := left_out(report)) > 0:
        verb = "was" if n_left_out == 1 else "were"
        sentences.append(f"{plural(n_left_out, 'question')} about a class or a pair {verb} left out at the time limit.")
    if any(contest["verdict"] == "undecided" for contest in contests):
        sentences.append(wording("undecided_classes"))
    sentences.append(_columns(report["multinomial"]))
    if any(contest["strictly_separable"] and not contest["converged"] for contest in contests):
        sentences.append("Where the classes are separable but the run did not converge, its final count is not known.")
    if report["data"]["prepare"] != "raw":
        sentences.append(wording("prepared_separately", prepare=report["data"]["prepare"]))
    return [
        *filter(None, sentences),
        "All statements are about the stored binary64 numbers, and the proofs hold for these.",
        "The mistakes belong to this order of the rows; another order may give more or fewer.",
    ]


def left_out(report: dict[str, Any]) -> int:
    """Return the number of classes and pairs that were left out at the time limit."""
    return math.comb(len(report["data"]["classes"]) + 1, 2) - len(report["one_vs_rest"]) - len(report["pairs"])
