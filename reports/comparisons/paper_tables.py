"""The tables that a paper prints: data sets by methods, with the median over all orders and seeds, and the range."""

from collections.abc import Callable, Sequence
from statistics import median
from typing import Any

from maxmargin.reports.comparisons.runs import Record, Runs, data_key, data_label, grouped, is_separable, share_of
from maxmargin.reports.document import Block, FigureSlot, Paragraph, TableBlock
from maxmargin.text.number_formats import UNKNOWN, count, proven, rounded

Fields = dict[str, Any]

TITLE = "Data sets by methods"


def _seconds(record: Record) -> float | None:
    """Return the time of a run; the time of one that a count of mistakes or of iterations ended says nothing."""
    return None if record["capped"] else record["seconds"]


# What is measured, and the number of it in a record; the last one differs from one execution of a study to the next.
_MEASURES: dict[str, Callable[[Record], float | None]] = {
    "share of γ*": lambda record: share_of(record) if is_separable(record) and record["margin"] is not None else None,
    "mistakes": lambda record: record["n_mistakes"],
    "rows in error": lambda record: record["n_errors"],
    "seconds": _seconds,
}

_TEXTS: dict[str, Callable[[float], str]] = {
    "share of γ*": lambda share: f"{rounded(100 * share, 4)} %",
    "seconds": lambda seconds: rounded(seconds, 3),
}


def fields(runs: Runs, *, times: bool) -> Fields:
    """Return for each data set γ* and, for each measure and method, the median, the ends, and how many runs count."""
    labels = [method.label for method in runs.methods]
    measures = [name for name in _MEASURES if times or name != "seconds"]
    by_method = [grouped(method.records, data_key) for method in runs.methods]
    data = {data_key(record): record for method in runs.methods for record in method.records}
    return {
        "methods": labels,
        "data": [
            {
                "data": data_label(record),
                "verdict": record["verdict"],
                **({name: record[name] for name in ("gamma_lower", "gamma_upper")} if is_separable(record) else {}),
                "measures": {name: [_cell(each.get(key, ()), name) for each in by_method] for name in measures},
            }
            for key, record in sorted(data.items(), key=lambda entry: data_label(entry[1]))
        ],
    }


def _cell(records: Sequence[Record], measure: str) -> Fields:
    finished = [record for record in records if record["status"] == "ok"]
    values = [value for value in map(_MEASURES[measure], finished) if value is not None]
    ends = (median(values), min(values), max(values)) if values else (None, None, None)
    return {**dict(zip(("median", "least", "most"), ends, strict=True)), "n": len(values), "n_runs": len(records)}


# Where a reader chooses data, method and measure; a page without its script shows nothing of it.
CHOICE = """<div id="choice" hidden><p class="tools"><label>Data <select id="of-data"></select></label>
<label>Method <select id="of-method"></select></label> <label>Measure <select id="of-measure"></select></label></p>
<div class="scroll" role="region" tabindex="0" aria-label="what is chosen"><table id="chosen"><caption></caption><thead>
</thead><tbody></tbody></table></div></div>"""


def choices(found: Fields) -> Fields:
    """Return the texts of all cells, short and with the range, for the script of a page."""
    return {
        "methods": found["methods"],
        "measures": list(found["data"][0]["measures"]) if found["data"] else [],
        "data": [
            {
                "name": entry["data"],
                "maximum": _maximum(entry),
                "cells": [[_texts(cell, name) for cell in cells] for name, cells in entry["measures"].items()],
            }
            for entry in found["data"]
        ],
    }


def _texts(cell: Fields, measure: str) -> tuple[str, str]:
    """Return the median alone, and with the range and the number of runs that count."""
    alone = dict.fromkeys(("least", "most"), cell["median"]) | {"n_runs": cell["n"]}
    return _text(cell | alone, measure), _text(cell, measure)


def blocks(found: Fields) -> tuple[Block, ...]:
    """Return a table for each measure that any method has."""
    tables: list[Block] = [FigureSlot("choice")]
    for measure in found["data"][0]["measures"] if found["data"] else ():
        rows = [
            (entry["data"], _maximum(entry), *(_text(cell, measure) for cell in entry["measures"][measure]))
            for entry in found["data"]
        ]
        if any(cell != UNKNOWN for row in rows for cell in row[2:]):
            columns = ("Data", "γ*", *found["methods"])
            caption = f"{measure[0].upper()}{measure[1:]}, median (least to most) over orders and seeds"
            tables.append(
                TableBlock(caption, columns, tuple(rows), numeric=range(1, len(columns)), note=_NOTES.get(measure, ""))
            )
    return tuple(tables) if len(tables) > 1 else (Paragraph("No method has a measure to show."),)


_NOTES = {
    "share of γ*": f"{UNKNOWN}: γ* is 0 or not proven, or the method has no hyperplane. 0 %: it does not separate.",
    "seconds": "Runs that a count of mistakes or of iterations ended, or that failed, have no time, and do not count.",
}


def _count(value: float) -> str:
    return count(round(value))


def _maximum(entry: Fields) -> str:
    if "gamma_lower" in entry:
        return proven(entry["gamma_lower"], entry["gamma_upper"], 5)
    return "0" if entry["verdict"] in ("overlap", "quasi-separable") else UNKNOWN


def _text(cell: Fields, measure: str) -> str:
    if cell["median"] is None:
        is_stopped = measure == "seconds" and cell["n_runs"]
        return f"{UNKNOWN}, 0 of {count(cell['n_runs'])}" if is_stopped else UNKNOWN
    text = _TEXTS.get(measure, _count)
    least, most = text(cell["least"]), text(cell["most"])
    ends = "" if least == most else f" ({least} to {most})"
    missing = f", {cell['n']} of {cell['n_runs']}" if cell["n"] < cell["n_runs"] else ""
    return f"{text(cell['median'])}{ends}{missing}"
