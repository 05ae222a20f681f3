"""A comparison from the records of a folder: in the order of the study, with the ratios of times."""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from typing import Any

from maxmargin.comparison.carry_out import StudyPlan
from maxmargin.comparison.cells import FIELDS
from maxmargin.comparison.comparison import OURS, Comparison
from maxmargin.comparison.data_sets import RowSelection, seen
from maxmargin.comparison.jobs.machine import machine, versions
from maxmargin.comparison.jobs.store import CELLS, NAME, PROOFS, Store
from maxmargin.comparison.recheck import Reading, check_records
from maxmargin.solvers.errors import WordedError
from maxmargin.text.data_error import DataError

# The note that says which records belong to the study that was run last.
_PLAN = "plan"

# Fields that say which rows in which order a record is about; with the seed of a random order.
_SAME_ROWS = ("data_sha256", "prepare", "features", "fold", "order")

_FACTS_OF_DATA = ("data", "data_sha256", "prepare", "features", "fold", "n_samples", "n_features", "radius", "verdict",
                  "gamma_lower", "gamma_upper", "seconds")  # fmt: skip


def collected(plan: StudyPlan, store: Store, *, jobs: int) -> Comparison:
    """Return the records of a plan, and note the plan in the store."""
    identities = [cell.identity() for cell in plan.cells]
    proofs = {cell.facts_key: _facts_of_data(cell.identity()) for cell in plan.cells}
    methods = [cell.setting.method for cell in plan.cells]
    packages = {package for method in methods for package in method.packages} | {"numpy", "scipy"}
    texts = {
        "questions": {method.name: method.question.value for method in methods},
        "claims": {method.name: method.claims for method in methods},
    }
    noted = {
        "title": plan.study.title,
        "settings": plan.study.to_dict() | texts | {"jobs": jobs},
        "environment": {"machine": machine(), "versions": versions(["maxmargin", *sorted(packages)])},
        "cells": identities,
        "proofs": proofs,
        "readings": [asdict(Reading(key=c.key, facts_key=c.facts_key, view=c.view)) for c in plan.cells],
    }
    store.note(_PLAN, noted)
    return _comparison(noted, store)


def load_comparison(folder: "str | os.PathLike[str]", *, is_checked: bool = False) -> Comparison:
    """Return the comparison that a folder holds; its records are checked first, unless they are already.

    Raises
    ------
    DataError
        If it holds none, or a record says what is not so.
    """
    if not os.path.isdir(folder):
        raise DataError(f"{folder}: found no folder, expected that of a comparison")
    if os.path.isfile(os.path.join(folder, NAME)):
        with Store(folder) as store:
            noted = store.noted(_PLAN)
            if noted is not None:
                if not is_checked:
                    check_noted(store)
                return _comparison(noted, store)
    raise DataError(f"{folder}: found no comparison; maxmargin compare STUDY.toml -o {folder} makes one")


def check_noted(store: Store) -> None:
    """Check the records of the study that was run last in a folder, where their rows can still be read.

    Raises
    ------
    DataError
        If a record says what is not so.
    """
    noted = store.noted(_PLAN)
    if noted is not None:
        settings = noted["settings"]
        check_records(store, _readable(noted), settings["tolerance"], settings["limit"]["seconds"])


def _readable(noted: Mapping[str, Any]) -> Iterator[Reading]:
    """Yield what to check: the records whose rows can be read, and are what they were."""
    for entry in noted["readings"]:
        fields = entry["view"]
        reading = tuple((name, tuple(value) if isinstance(value, list) else value) for name, value in fields["reading"])
        view = RowSelection(**fields | {"reading": reading})
        try:
            seen(view)
        except (WordedError, OSError):
            continue
        yield Reading(key=entry["key"], facts_key=entry["facts_key"], view=view)


def _comparison(noted: Mapping[str, Any], store: Store) -> Comparison:
    found, proofs = store.records(CELLS), store.records(PROOFS)
    records = []
    for identity in noted["cells"]:
        if identity["cell"] in found:  # the rows may have had other names when its record was written
            named = {field: value for field, value in identity.items() if field not in ("n_samples", "n_features")}
            records.append(dict.fromkeys(FIELDS) | found[identity["cell"]] | named)
    units = _units(records)
    for record in records:
        record["times_ours"] = _times_ours(record, units)
    return Comparison(
        title=noted["title"],
        records=tuple({field: record[field] for field in FIELDS} for record in records),
        data=tuple(
            dict.fromkeys(_FACTS_OF_DATA) | {"verdict": "undecided"} | identity | _facts_of_data(proofs.get(key, {}))
            for key, identity in noted["proofs"].items()
        ),
        settings=noted["settings"],
        environment=noted["environment"],
        n_not_run=len(noted["cells"]) - len(records),
    )


def _facts_of_data(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {field: fields[field] for field in _FACTS_OF_DATA if field in fields}


def _units(records: Iterable[Mapping[str, Any]]) -> dict[tuple[Any, ...], float]:
    """Return the seconds of our methods with their first parameters, by the rows and, for the soft margin, C."""
    ours, units = set(OURS.values()), dict[tuple[Any, ...], float]()
    for record in records:
        if record["method"] in ours and record["status"] == "ok" and record["jobs"] == 1:
            units.setdefault(_unit(record["method"], record), record["seconds"])
    return units


def _unit(name: str, record: Mapping[str, Any]) -> tuple[Any, ...]:
    rows = tuple(record[field] for field in _SAME_ROWS)
    seed = record["seed"] if record["order"] == "random" else None
    cost = json.dumps(record["params"].get("C", 1.0)) if name == "soft-margin" else None
    return name, *rows, seed, cost


def _times_ours(record: Mapping[str, Any], units: Mapping[tuple[Any, ...], float]) -> float | None:
    """Return the seconds in units of those of our method for the same question; where cells ran one by one only."""
    if record["seconds"] is None or record["jobs"] != 1:
        return None
    unit = units.get(_unit(OURS[record["question"]], record))
    return record["seconds"] / unit if unit else None
