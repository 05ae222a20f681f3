"""The records of a comparison, sorted and grouped: by method with its parameters, by data set, by question."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from maxmargin.comparison.cells import FIELDS
from maxmargin.comparison.comparison import Comparison
from maxmargin.text.number_formats import one_line

Record = Mapping[str, Any]
Fields = dict[str, Any]
T = TypeVar("T")

# Data, order and seed.
_Instance = tuple[str, str | None, int | None]

# Relative distance from the maximum margin that counts as reached, where the settings name none.
TOLERANCE = 1e-6

# The questions that methods answer, in the order of the report.
QUESTIONS = ("separation", "hard margin", "soft margin", "logistic", "online")

# Number of characters of the names in tables.
_LONGEST_METHOD, _LONGEST_DATA = 48, 48


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class MethodRuns:
    """The runs of one method with one set of parameters.

    Attributes
    ----------
    label : str
        Name and parameters.
    question : str
        The question that it answers; only methods with the same one are compared with each other.
    records : tuple of mapping
        Without records of status "not_installed".
    """

    label: str
    question: str
    records: tuple[Record, ...]

    def by_data_set(self) -> list[list[Record]]:
        """Return the records of each data set, all its folds together."""
        return [*grouped(self.records, data_set_key).values()]


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedInstances:
    """The instances (data set, order, seed, fold) of one question that all methods finished which finished any.

    Attributes
    ----------
    methods : tuple of MethodRuns
        Those that finished an instance.
    records : tuple of tuple
        For every shared instance the records of these methods.
    n_left_out : int
        Number of the other instances.
    """

    methods: tuple[MethodRuns, ...]
    records: tuple[tuple[Record, ...], ...]
    n_left_out: int

    def of(self, method: MethodRuns) -> list[Record]:
        """Return the records of a method on the shared instances; none for a method that is not compared."""
        return [row[self.methods.index(method)] for row in self.records] if method in self.methods else []


def shared_instances(methods: Sequence[MethodRuns], is_finished: Callable[[Record], bool]) -> SharedInstances:
    """Return the instances that all methods finished; a run without a seed stands for all seeds of the others."""
    tables = {method: {_instance(r): r for r in method.records if is_finished(r)} for method in methods}
    compared = [method for method in methods if tables[method]]
    every = dict.fromkeys(_instance(record) for method in methods for record in method.records)
    seeded = {(data, order) for data, order, seed in every if seed is not None}
    instances = [instance for instance in every if instance[2] is not None or instance[:2] not in seeded]
    found = [tuple(_on(tables[method], instance) for method in compared) for instance in instances]
    shared = tuple(row for row in found if compared and all(row))
    return SharedInstances(methods=tuple(compared), records=shared, n_left_out=len(instances) - len(shared))


def _instance(record: Record) -> _Instance:
    return data_key(record), record["order"], record["seed"]


def _on(table: Mapping[_Instance, Record], instance: _Instance) -> Any:
    return table.get(instance) or table.get((*instance[:2], None))


@dataclass(frozen=True)
class Runs:
    """The records of a comparison in an order that depends on their contents alone.

    Parameters
    ----------
    comparison : Comparison
    """

    comparison: Comparison

    @cached_property
    def records(self) -> tuple[Record, ...]:
        """All records, with all fields, sorted by data, method and order."""
        whole = [{name: record.get(name) for name in (*FIELDS, "question")} for record in self.comparison.records]
        return tuple(sorted(whole, key=_position))

    @cached_property
    def methods(self) -> tuple[MethodRuns, ...]:
        """The methods that ran, sorted by question and name."""
        ran = (record for record in self.records if record["status"] != "not_installed")
        groups = grouped(ran, lambda record: identity(record, ("method", "params"))).values()
        found = (MethodRuns(label=method_label(g[0]), question=self._question(g[0]), records=tuple(g)) for g in groups)
        return tuple(sorted(found, key=lambda method: (_rank(method.question), method.label)))

    def of_questions(self) -> dict[str, list[MethodRuns]]:
        """Return the methods of each question."""
        return grouped(self.methods, lambda method: method.question)

    @property
    def tolerance(self) -> float:
        """Relative distance from the maximum margin that counts as reached."""
        tolerance = self.comparison.settings.get("tolerance")
        return TOLERANCE if tolerance is None else float(tolerance)

    @property
    def is_alone(self) -> bool:
        """Whether every run had the machine for itself, as far as the comparison is concerned: one job at a time."""
        return {record["jobs"] for record in self.records if record["jobs"] is not None} <= {1} and (
            self.comparison.settings.get("jobs") in (None, 1)
        )

    def _question(self, record: Record) -> str:
        return str((self.comparison.settings.get("questions") or {}).get(record["method"]) or record["question"])


def _rank(question: str) -> tuple[int, str]:
    return (QUESTIONS.index(question) if question in QUESTIONS else len(QUESTIONS), question)


def method_label(record: Record) -> str:
    """Return the method with its parameters.

    Examples
    --------
    >>> method_label({"method": "libsvm", "params": {"tol": 0.001, "C": 1e10}}), method_label({"method": "ours"})
    ('libsvm(C=1e+10, tol=0.001)', 'ours')
    """
    params = record.get("params") or {}
    inside = ", ".join(f"{name}={_value(params[name])}" for name in sorted(params))
    return one_line(f"{record['method']}({inside})" if inside else record["method"], _LONGEST_METHOD)


def data_label(record: Record) -> str:
    """Return the data that the method saw: name, preparation, features and fold.

    Examples
    --------
    >>> data_label({"data": "wine: class_1", "prepare": "unit", "features": None, "fold": 0})
    'wine: class_1, unit, fold 0'
    """
    fold = record.get("fold")
    return data_set_label(record) + ("" if fold is None else f", fold {fold}")


def data_set_label(record: Record) -> str:
    """Return the data set without the fold."""
    parts = [one_line(record["data"], _LONGEST_DATA)]
    if record.get("prepare") not in (None, "raw"):
        parts.append(str(record["prepare"]))
    if record.get("features") not in (None, "raw", "", [], {}):
        parts.append(one_line(_value(record["features"]), _LONGEST_DATA))
    return ", ".join(parts)


def identity(record: Record, names: Iterable[str]) -> str:
    """Return these fields as a text, by which records are matched."""
    return json.dumps([record.get(name) for name in names], sort_keys=True, ensure_ascii=False, default=str)


def data_key(record: Record) -> str:
    """Return a key of the data that a method saw: data set, preparation, features and fold."""
    return identity(record, ("data", "prepare", "features", "fold"))


def data_set_key(record: Record) -> str:
    """Return a key of a data set, which all its folds share."""
    return identity(record, ("data", "prepare", "features"))


def grouped(records: Iterable[T], key: Callable[[T], str]) -> dict[str, list[T]]:
    """Return the records by this key, in the order of their first occurrence."""
    found: defaultdict[str, list[T]] = defaultdict(list)
    for record in records:
        found[key(record)].append(record)
    return dict(found)


def separates(record: Record) -> bool:
    """Return whether the hyperplane of the run has every row strictly on its side."""
    return bool(record["n_errors"] == 0)


def is_separable(record: Record) -> bool:
    """Return whether the data are proven to be separable with a margin that binary64 holds."""
    is_within = (record["gamma_lower"] or 0) > 0 and record["gamma_upper"] is not None
    return record["verdict"] == "separable" and is_within


def share_of(record: Record) -> float:
    """Return the margin of the run as a fraction of the maximum margin; 0 where it does not separate."""
    return float(record["share"] or 0.0) if separates(record) else 0.0


def _position(record: Record) -> tuple[object, ...]:
    names = ("data", "prepare", "features", "fold", "method", "params", "order", "seed", "cell")
    return tuple(_sortable(record[name]) for name in names)


def _sortable(value: object) -> tuple[int, float, str]:
    if isinstance(value, int | float):
        return (1, float(value), "")
    return (0, 0.0, "") if value is None else (2, 0.0, _value(value))


def _value(value: object) -> str:
    if isinstance(value, float):
        short = f"{value:g}"
        return short if float(short) == value else repr(value)
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
