"""The cells of a study: which method runs on which rows, in which order, with which seed, and the key of its record."""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from maxmargin.comparison.data_sets import DataSet, RowSelection
from maxmargin.comparison.study_file import SCHEMA, Setting, Study
from maxmargin.text.version import __version__

# The number of the form of a record.
_FORM = 2

# The fields of a record, in order.
FIELDS = (
    "cell", "data", "data_sha256", "n_samples", "n_features", "prepare", "features", "method", "version", "params",
    "order", "seed", "fold", "status", "message", "exit_code", "claim", "claim_true", "verdict", "gamma_lower",
    "gamma_upper", "w", "b", "margin", "share", "n_errors", "n_mistakes", "n_updates", "bounds", "objective",
    "objective_lower", "objective_upper", "objective_of", "suboptimality", "held_out_errors", "seconds", "times_ours",
    "passes", "peak_mib", "jobs", "capped", "radius",
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """One run of a method.

    Attributes
    ----------
    data : DataSet
    view : RowSelection
        The rows that it sees.
    setting : Setting
    seed : int or None
        None where nothing is random.
    tolerance : float
        That of the study, by which claims are judged.
    """

    data: DataSet
    view: RowSelection
    setting: Setting
    seed: int | None
    tolerance: float

    @property
    def key(self) -> str:
        """Hash of all that the record depends on, except the limits."""
        method, params = self.setting.method, dict(self.setting.params)
        marks = [self.tolerance, self.view.order, self.seed, method.name, method.version, params]
        return _hash([*self._data_marks(), *marks])

    @property
    def facts_key(self) -> str:
        """Hash of all that the proofs about the rows depend on, so not of the order of the rows or of the method."""
        return _hash(["facts", __version__, *self._data_marks()])

    def _data_marks(self) -> list[Any]:
        view = self.view
        return [SCHEMA, _FORM, self.view.sha256, view.features, view.prepare, view.folds, view.fold]

    def identity(self) -> dict[str, Any]:
        """Return the fields of a record that are known before the run, and the question of the method."""
        method = self.setting.method
        return {
            "cell": self.key,
            "data": self.data.name,
            "data_sha256": self.view.sha256,
            "n_samples": None if self.view.folds else self.data.n_samples,
            "n_features": None if self.view.features else self.data.n_features,
            "prepare": self.view.prepare,
            "features": self.view.features,
            "method": method.name,
            "version": method.version,
            "params": dict(self.setting.params),
            "order": self.view.order,
            "seed": self.seed,
            "fold": self.view.fold,
            "question": method.question.value,
        }


def cells_of(study: Study, data_sets: list[DataSet]) -> Iterator[Cell]:
    """Yield the cells, those of the same rows one after the other; a seed is varied only where it matters."""
    for data in data_sets:
        for view in _views(study, data):
            for setting in study.settings:
                is_random = view.order == "random" or setting.method.seed_matters(setting.params)
                for seed in study.seeds if is_random else (None,):
                    ordered = replace(view, seed=0 if seed is None else seed)
                    yield Cell(data=data, view=ordered, setting=setting, seed=seed, tolerance=study.tolerance)


def _views(study: Study, data: DataSet) -> Iterator[RowSelection]:
    for prepare in study.prepare:
        for fold in range(study.folds) if study.folds else (None,):
            for order in study.orders:
                yield replace(data.view, prepare=prepare, folds=study.folds, fold=fold, order=order)


def arguments_of(study: Study, cell: Cell, facts: Mapping[str, Any], *, is_alone: bool) -> dict[str, Any]:
    """Return the arguments of the task that solves a cell."""
    return {
        "view": cell.view,
        "method": cell.setting.method.name,
        "version": cell.setting.method.version,
        "plugins": list(study.plugins),
        "params": dict(cell.setting.params),
        "seed": 0 if cell.seed is None else cell.seed,
        "facts": dict(facts),
        "tolerance": study.tolerance,
        "is_alone": is_alone,
    }


def _hash(marks: list[Any]) -> str:
    return hashlib.sha256(json.dumps(marks, sort_keys=True, default=str).encode()).hexdigest()[:32]
