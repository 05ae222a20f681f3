"""The fields of a summary, in the types of JSON."""

import json
import math
import platform
from collections.abc import Iterable
from pathlib import PurePath
from typing import Any

import numpy as np

from maxmargin.comparison.jobs.machine import versions
from maxmargin.data.dataset import Dataset
from maxmargin.explaining.separability_answer import Separability
from maxmargin.reports.study.repetition import repetition
from maxmargin.reports.study.report_settings import ReportSettings
from maxmargin.solvers.answers.answer_text import LONGEST_LIST
from maxmargin.solvers.answers.answer_text import plain as plain_value
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.proof.certificate import Certificate
from maxmargin.text.number_formats import count
from maxmargin.text.version import __version__

# Numbers of columns, and of rows at the start and at the end, that a report shows as they were read.
_MOST_COLUMNS, _FIRST, _LAST = 8, 3, 2

# The packages that compute the numbers.
_PACKAGES = ("numpy", "scipy", "cvxpy", "daqp", "highspy", "clarabel", "osqp", "numba", "python-flint", "matplotlib")


def summary_of(
    kind: str, dataset: Dataset, answer: Separability, settings: ReportSettings, parts: dict[str, Any]
) -> dict[str, Any]:
    """Return the parts of a report with the fields of every report, in the types of JSON."""
    fields = {
        "schema": "maxmargin.report/1",
        "kind": kind,
        "verdict": answer.verdict,
        "strictly_separable": answer.strictly_separable,
        **parts,
        "settings": {name: getattr(settings, name) for name in ReportSettings.options()},
        "command": repetition(dataset, settings),
        "versions": {"maxmargin": __version__, "python": platform.python_version(), **versions(_PACKAGES)},
    }
    return dict(plain(fields))


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
    """Return these fields of an answer, and the full length of each list among them that is cut."""
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
        **{name: getattr(dataset, name) for name in ("source", "label_name", "n_samples", "n_features")},
        "feature_names": list(dataset.feature_names),
        "sparse": hasattr(dataset.X, "tocsr"),
        **({} if dataset.is_in_memory else {"in_memory": False}),
        "notes": list(dataset.notes),
        **(_sample(dataset) if isinstance(dataset.X, np.ndarray) else {}),
    }


def _sample(dataset: Dataset) -> dict[str, Any]:
    """Return the kinds and the ranges of the first columns, and these columns of the first and the last rows."""
    n, X = dataset.n_samples, dataset.X[:, :_MOST_COLUMNS]
    columns = [
        {"name": name, "kind": _kind(column), "least": float(column.min()), "greatest": float(column.max())}
        for name, column in zip(dataset.feature_names, X.T, strict=False)
    ]
    rows = sorted({*range(min(_FIRST, n)), *range(max(0, n - _LAST), n)})
    return {"columns": columns, "sample": [{**row_fields(dataset, row), "values": X[row].tolist()} for row in rows]}


def _kind(column: Floats) -> str:
    if ((column == 0) | (column == 1)).all():
        return "0 and 1"
    return "whole numbers" if (column == np.floor(column)).all() else "numbers"


def page_proof(proof: Certificate | None, reason: str, most: int) -> tuple[dict[str, Any] | None, str | None]:
    """Return a proof for a page, whole and without folders, or the reason why there is none or it is too long."""
    if proof is None:
        return None, reason
    found = proof.to_dict()
    n_characters = len(json.dumps(found))
    if n_characters > most:
        return None, f"it has {count(n_characters)} characters, too many for a page; maxmargin check --proof writes it"
    if "source" in found["data"]:
        found["data"]["source"] = PurePath(found["data"]["source"]).name
    return found, None
