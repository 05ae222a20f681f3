"""The data of a study: its questions of two classes, and the rows that a method sees of each."""

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np

from maxmargin.comparison.study_file import Source, Study
from maxmargin.data.dataset import Dataset, problem_of
from maxmargin.data.features import named_features
from maxmargin.data.preparing import prepare
from maxmargin.data.reading.loading import load
from maxmargin.models.fitted_planes import choose_class
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.problem.problem import Problem
from maxmargin.text.data_error import DataError, quoted


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSelection:
    """Which rows of which data set a method sees, in which order.

    Attributes
    ----------
    path, reading, positive : str, tuple, object
        The arguments of `maxmargin.load`; `positive` is None where the source has two classes.
    features : str, optional
    sha256 : str
        The hash of the rows and signs, as they were when the study was planned.
    prepare : str
    folds, fold : int
        The number of folds, 0 for none, and the one that is held out.
    order : str
    seed : int
        The seed of a random order.
    """

    path: str
    reading: tuple[tuple[str, Any], ...]
    positive: Any
    features: str | None
    sha256: str
    prepare: str = "raw"
    folds: int = 0
    fold: int | None = None
    order: str = "source"
    seed: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class DataSet:
    """A question of two classes.

    Attributes
    ----------
    name : str
        The name of the source, with the positive class where there are several questions about it.
    view : RowSelection
        All its rows, raw.
    n_samples, n_features : int
    seconds_to_read : float
        Seconds that it took to read the source; every process that uses it needs about as many.
    """

    name: str
    view: RowSelection
    n_samples: int
    n_features: int
    seconds_to_read: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SeenRows:
    """The rows that methods see, in the order of the source, and those that are held out."""

    problem: Problem
    held_out: Problem | None = None

    def ordered(self, view: RowSelection) -> Problem:
        """Return the rows in the order of a view."""
        order = _order(view, self.problem.y)
        return self.problem if order is None else _rows_of(self.problem, order)


def data_sets(study: Study) -> Iterator[DataSet]:
    """Read every source of a study once, and yield its questions.

    Raises
    ------
    DataError
        If a source cannot be read, or a positive class is in none of the sources for which it is given.
    """
    wanted: dict[str, bool] = {}
    for source in study.sources:
        began = time.monotonic()
        dataset = load(source.path, **source.reading)
        seconds = time.monotonic() - began
        if source.positive is not None:
            mark = str(source.positive)
            wanted[mark] = wanted.get(mark, False) or choose_class(dataset.classes, source.positive) is not None
        for name, positive in _positives(source, dataset):
            problem = problem_of(dataset if positive is None else dataset.one_vs_rest(positive))
            _check_folds(name, problem, study.folds)
            view = RowSelection(
                path=source.path,
                reading=tuple(source.reading.items()),
                positive=positive,
                features=source.features,
                sha256=problem.sha256,
            )
            yield DataSet(
                name=name, view=view, n_samples=dataset.n_samples, n_features=dataset.n_features,
                seconds_to_read=seconds,
            )  # fmt: skip
    missing = [name for name, is_found in wanted.items() if not is_found]
    if missing:
        raise DataError(f"positive: found the class {quoted(missing[0])} in none of the sources for which it is given")


def _check_folds(name: str, problem: Problem, n_folds: int) -> None:
    """Refuse folds that leave no row to hold out, or none of a class to train on."""
    least = min(int((problem.y > 0).sum()), int((problem.y < 0).sum()))
    if n_folds and (least < 2 or problem.n_samples < n_folds):
        sizes = f"{problem.n_samples:,} rows, {least:,} in the smaller class"
        raise DataError(f"{name}: {n_folds} folds need as many rows, and 2 of either class; there are {sizes}")


def _positives(source: Source, dataset: Dataset) -> Iterator[tuple[str, Any]]:
    """Yield the name and the positive class of every question about a source."""
    positive = None if source.positive is None else choose_class(dataset.classes, source.positive)
    if positive is not None:
        yield f"{source.name}: {positive}", positive
    elif dataset.is_binary:
        yield source.name, None
    else:
        for label in dataset.classes:
            yield f"{source.name}: {label}", label


def seen(view: RowSelection) -> SeenRows:
    """Return the rows of a view, whatever its order; those of the last views are kept."""
    return _seen(replace(view, order="source", seed=0))


def _order(view: RowSelection, y: Floats) -> Rows | None:
    if view.order == "random":
        return np.random.default_rng(view.seed).permutation(len(y))
    if view.order == "reversed":
        return np.arange(len(y))[::-1]
    return np.argsort(-y, kind="stable") if view.order == "sorted" else None


def _rows_of(problem: Problem, rows: Rows) -> Problem:
    return Problem(_contiguous(problem.X[rows]), np.ascontiguousarray(problem.y[rows]))


@lru_cache(maxsize=4)
def _seen(view: RowSelection) -> SeenRows:
    whole = _whole(replace(view, prepare="raw", folds=0, fold=None))
    if not view.folds:
        return SeenRows(problem=Problem(_contiguous(prepare(whole.X, view.prepare).X), whole.y))
    is_held = _folds(whole.y, view.folds) == view.fold
    train = _rows_of(whole, np.flatnonzero(~is_held))
    prepared, held = prepare(train.X, view.prepare), whole.X[np.flatnonzero(is_held)]
    return SeenRows(
        problem=Problem.validated(_contiguous(prepared.X), train.y),
        held_out=Problem(_contiguous(prepared.apply(held)), whole.y[is_held]),
    )


@lru_cache(maxsize=2)
def _whole(view: RowSelection) -> Problem:
    dataset = load(view.path, **dict(view.reading))
    problem = problem_of(dataset if view.positive is None else dataset.one_vs_rest(view.positive))
    if problem.sha256 != view.sha256:
        raise DataError(f"{view.path}: the data have changed since the study was planned")
    X = problem.X if view.features is None else named_features(problem.X, view.features)
    return Problem(_contiguous(X), problem.y)


def _folds(y: Floats, n_folds: int) -> Rows:
    """Return the fold of every row: each class is shared out at random in turn, always in the same way."""
    random, folds = np.random.default_rng(0), np.empty(len(y), dtype=np.int64)
    rows = [random.permutation(np.flatnonzero(y == sign)) for sign in (-1, 1)]
    folds[np.concatenate(rows)] = np.arange(len(y)) % n_folds
    return folds


def _contiguous(X: Any) -> Any:
    """Return rows as peers take them: arrays in C order, sparse arrays with 32-bit positions where these suffice."""
    if isinstance(X, np.ndarray):
        return np.ascontiguousarray(X)
    if max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    parts = X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)
    return type(X)(parts, shape=X.shape)
