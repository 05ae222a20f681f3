"""What reports on two and on many classes share: fields in the types of JSON, tables, limitations, and the method."""

import math
import platform
from collections.abc import Callable, Collection, Iterable, Sequence
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np

from maxmargin.data.dataset import Dataset
from maxmargin.reports.document import Block, Paragraph, Points, Section, Table, facts
from maxmargin.reports.phrasing import novikoff, of_kind
from maxmargin.reports.study.report_settings import Settings
from maxmargin.solvers.answers.forms import LONGEST_LIST
from maxmargin.solvers.answers.forms import plain as plain_value
from maxmargin.solvers.separability.separability_solution import Separability
from maxmargin.text.number_formats import count, first_of, listed, number, one_line, plural, upper_end
from maxmargin.text.version import __version__

Entries = list[dict[str, Any]]
Columns = dict[str, Callable[[dict[str, Any]], str]]

_PACKAGES = ("numpy", "scipy", "cvxpy", "daqp", "highspy", "clarabel", "osqp", "numba", "python-flint", "matplotlib")

_PREPARATIONS = {
    "raw": "none",
    "center": "every column moved to mean 0",
    "standardize": "every column moved to mean 0 and scaled to standard deviation 1",
    "unit": "every row scaled to norm 1",
}


def summary_of(kind: str, answer: Separability, settings: Settings, parts: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of a report with the fields of every report, in the types of JSON."""
    options = (name for name in Settings.__dataclass_fields__ if name not in ("sizes", "solvers"))
    result: dict[str, Any] = plain(
        {
            "schema": "maxmargin.report/1",
            "kind": kind,
            "verdict": answer.verdict,
            "strictly_separable": answer.strictly_separable,
            **parts,
            "settings": {name: getattr(settings, name) for name in options},
            "versions": _versions(),
        }
    )
    return result


def _versions() -> dict[str, str]:
    """Return the versions of the packages that computed the numbers."""
    found = {"maxmargin": __version__, "python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def plain(value: Any) -> Any:
    """Return the value made of dicts, lists, texts, booleans, None and finite numbers only.

    In a dict, a float that is not finite becomes None with its name under ``<key>_text``, and a list longer than
    `LONGEST_LIST` is cut, with its length under ``<key>_count``.

    Examples
    --------
    >>> plain({"value": float("inf"), "rows": (0, 2)})
    {'value': None, 'value_text': 'infinity', 'rows': [0, 2]}
    """
    if isinstance(value, dict):
        return {name: entry for key in value for name, entry in _entries(key, value[key]).items()}
    return [plain(entry) for entry in value] if isinstance(value, list | tuple) else plain_value(value)


def _entries(key: str, value: Any) -> dict[str, Any]:
    if isinstance(value, list | tuple | np.ndarray) and len(value) > LONGEST_LIST:
        return {key: plain(value[:LONGEST_LIST]), f"{key}_count": len(value)}
    if isinstance(value, float) and not math.isfinite(value):
        name = {math.inf: "infinity", -math.inf: "-infinity"}.get(value, "not a number")
        return {key: None, f"{key}_text": name}
    return {key: plain(value)}


def chosen(answer: dict[str, Any], names: Iterable[str]) -> dict[str, Any]:
    """Return these fields of an answer, and the lengths of those of its lists that are cut."""
    lengths = {f"{name}_count": answer.get(f"{name}_count") for name in names}
    is_cut = {name: length for name, length in lengths.items() if length is not None and length > LONGEST_LIST}
    return {**{name: answer[name] for name in names if name in answer}, **is_cut}


def row_fields(dataset: Dataset, row: int) -> dict[str, Any]:
    """Return the number of a row, its number in the source, its name if it has one, and its label."""
    return {
        "row": row,
        "source_row": row if dataset.rows is None else int(dataset.rows[row]),
        "id": None if dataset.row_ids is None else dataset.row_ids[row],
        "label": dataset.labels[row].item(),
    }


def describe(dataset: Dataset) -> dict[str, Any]:
    """Return the fields of any data set."""
    return {
        "source": dataset.source,
        "label_name": dataset.label_name,
        "n_samples": dataset.n_samples,
        "n_features": dataset.n_features,
        "feature_names": list(dataset.feature_names),
        "sparse": hasattr(dataset.X, "tocsr"),
        **({} if dataset.is_in_memory else {"in_memory": False}),
        "notes": list(dataset.notes),
    }


def size_of(data: dict[str, Any]) -> str:
    """Return the source with its numbers of rows and features."""
    n_rows, n_features = plural(data["n_samples"], "row"), plural(data["n_features"], "feature")
    return f"{one_line(data['source'])}: {n_rows}, {n_features}"


def what_was_read(
    data: dict[str, Any], *, classes: Iterable[tuple[str, str]] = (), numbers: Iterable[tuple[str, str]] = ()
) -> Table:
    """Return the table of the data, with rows for the classes in the middle and for the numbers at the end."""
    rows = [
        ("Source", one_line(data["source"])),
        ("Rows × features", f"{count(data['n_samples'])} × {count(data['n_features'])}"),
        *((("Where they are", "outside memory: read again in every pass"),) if "in_memory" in data else ()),
        ("Label column", one_line(data["label_name"])),
        *classes,
        ("Hyperplanes", "w·x + b = 0, b free" if data["bias"] else "w·x = 0, through the origin"),
        ("Preparation", _PREPARATIONS[data["prepare"]]),
        *numbers,
    ]
    return facts("What was read", rows)


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
    entries: Sequence[dict[str, Any]],
    columns: Columns,
    *,
    numeric: Collection[int] = (),
    most: int | None = None,
    noun: str = "",
    total: int | None = None,
) -> Table:
    """Return a table of entries, or of the first ones, with the texts that its columns make of each.

    `total` is the number of entries where the list of them was cut before.
    """
    rows = tuple(tuple(text(entry) for text in columns.values()) for entry in entries[:most])
    note = "" if most is None else first_of(most, total or len(entries), noun)
    return Table(caption, tuple(columns), rows, numeric, note)


def last_sections(report: dict[str, Any]) -> tuple[Section, Section]:
    """Return the sections on the limitations and on the method."""
    return (
        Section(anchor="unknown", title="What is not known", blocks=(Points(tuple(report["unknown"])),)),
        Section(anchor="method", title="How this was made", blocks=_method(report)),
    )


def _method(report: dict[str, Any]) -> tuple[Block, ...]:
    """Return settings and versions."""
    settings = tuple((name, _setting(value)) for name, value in report["settings"].items())
    versions = tuple(report["versions"].items())
    text = (
        "Separability, margins with their intervals, and the counts of errors are checked in exact arithmetic on the "
        "stored numbers; the output of a solver is only a hint. The same input gives the same page."
    )
    return (
        Paragraph(text),
        Table("Settings", ("Setting", "Value"), settings),
        Table("Versions", ("Package", "Version"), versions),
    )


def _setting(value: Any) -> str:
    if value is None:
        return "default"
    if isinstance(value, list):
        return ", ".join(number(entry) for entry in value)
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def limitations(report: dict[str, Any]) -> list[str]:
    """Return the limitations of a two-class report, in one sentence or two each."""
    found = [
        _kind_of_separation(report),
        _columns(report["separability"]),
        _width(report),
        _final_count(report),
        *_bounds(report),
        _soft(report),
        _outside_memory(report),
    ]
    return [sentence for sentence in (*found, *_always(report)) if sentence]


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
    return f"Which logistic coefficients are infinite was not computed: {reason}." if reason else ""


def _outside_memory(report: dict[str, Any]) -> str:
    if "in_memory" not in report["data"]:
        return ""
    return (
        "The rows do not fit into the allowed memory. Every number on this page is computed from all rows, in passes; "
        "a figure of single rows shows a random sample, and medians, which need all rows at once, are left out."
        f"{_unasked_limit(report)}"
    )


def _unasked_limit(report: dict[str, Any]) -> str:
    limit = report["perceptron"]["max_epochs"]
    if limit is None or report["settings"]["max_epochs"] is not None:
        return ""
    return (
        f" As no separating hyperplane is known, the perceptron was given {plural(limit, 'epoch')}, each a pass over "
        "the rows; max_epochs (--max-epochs) changes this limit."
    )


def _width(report: dict[str, Any]) -> str:
    hard = report["hard_margin"]
    if report["strictly_separable"] is False or hard["relative_width"] == 0:
        return ""
    if not hard["relative_width"]:
        return "The maximum margin has no proven finite upper end."
    return (
        f"γ* is known up to its proven interval, whose width is {number(hard['relative_width'], 2)} of its upper end."
    )


def _final_count(report: dict[str, Any]) -> str:
    run = report["perceptron"]
    if run["converged"]:
        return (
            f"The count of {plural(run['n_mistakes'], 'mistake')} belongs to this order of the rows ({run['order']}); "
            "another order may give more or fewer, within the same bounds."
        )
    if report["strictly_separable"]:
        return (
            "How many mistakes the perceptron makes until it converges is not known: at least "
            f"{count(run['n_mistakes'])}{_at_most(report)}."
        )
    if report["strictly_separable"] is None:
        return "Whether the perceptron would converge with a higher limit is not known."
    return ""


def _at_most(report: dict[str, Any]) -> str:
    bound = novikoff(report)
    return f", and by Novikoff's bound at most {upper_end(bound['value'])}" if bound is not None else ""


def _bounds(report: dict[str, Any]) -> list[str]:
    holding = [bound for bound in report["bounds"] if bound["valid"] and bound["name"] != "trivial"]
    vacuous = [bound["name"] for bound in holding if bound["vacuous"]]
    if not vacuous:
        return []
    verb, says = ("is", "it says") if len(vacuous) == 1 else ("are", "they say")
    return [f"Of the bounds that hold, {listed(vacuous)} {verb} vacuous: true, but {says} nothing about this run."]


def _soft(report: dict[str, Any]) -> str:
    wide = [number(point["C"]) for point in report["soft_margin"] if point["status"] != "optimal"]
    if wide:
        return f"The soft margin at C = {listed(wide)} is known less accurately than requested; its interval holds."
    return ""


def _always(report: dict[str, Any]) -> list[str]:
    sentences = []
    if report["strictly_separable"] is not True:
        sentences.append(
            f"The smallest number of errors that any hyperplane{of_kind(report)} makes is not computed; "
            "the errors of the soft margins and of the perceptron are upper bounds on it."
        )
    if report["data"]["prepare"] != "raw":
        sentences.append(
            f"All statements are about the data after the preparation “{report['data']['prepare']}”, which rounds: the "
            "proofs hold for the prepared numbers, not for the numbers of the source."
        )
    return [
        *sentences,
        "All statements are about the stored binary64 numbers. A decimal such as 0.1 in the source is rounded when it "
        "is read, and the proofs hold for the rounded number.",
        "Angles, distances in figures, ‖w‖, slack and support counts are floating-point results, not proven ones.",
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
        sentences.append(
            "“Undecided” means that no proof was found; “not separable” that strict separation is excluded, but not "
            "known whether the classes are quasi-separable or overlap."
        )
    sentences.append(_columns(report["multinomial"]))
    if any(contest["strictly_separable"] and not contest["converged"] for contest in contests):
        sentences.append("Where the classes are separable but the run did not converge, its final count is not known.")
    if report["data"]["prepare"] != "raw":
        sentences.append(
            f"The rows of each question were prepared separately (“{report['data']['prepare']}”); the proofs hold for "
            "the prepared numbers."
        )
    return [
        *filter(None, sentences),
        "All statements are about the stored binary64 numbers, and the proofs hold for these.",
        "The mistakes belong to this order of the rows; another order may give more or fewer.",
    ]


def left_out(report: dict[str, Any]) -> int:
    """Return the number of classes and pairs that were left out at the time limit."""
    n_classes = len(report["data"]["classes"])
    return math.comb(n_classes + 1, 2) - len(report["one_vs_rest"]) - len(report["pairs"])
