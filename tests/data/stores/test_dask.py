"""Data of Dask collections and on Dask clusters: the same rows, labels, verdicts and margins as in memory."""

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cases import for_each
from table_files import table_file

import maxmargin as mm
from maxmargin.data.reading.arrays import features_of, from_arrays
from maxmargin.data.stores import dask_rows
from maxmargin.data.stores.dask_rows import rows_of, workers_of_client

da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
distributed = pytest.importorskip("distributed")

N, D = 700, 3
NAMES = ["a", "b", "c"]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0", protocol="inproc"
    ) as cluster:
        yield cluster


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    with distributed.Client(cluster) as client:
        yield client


@pytest.fixture(params=["threads", "cluster"])
def workers(request: pytest.FixtureRequest) -> Any:
    """With and without a distributed client."""
    return None if request.param == "threads" else request.getfixturevalue("client")


def numbers() -> tuple[np.ndarray, np.ndarray]:
    X = np.random.default_rng(3).standard_normal((N, D))
    y = np.where(X @ [1.0, 2.0, -1.0] > 0.3, "yes", "no")
    X[:, 0] += np.where(y == "yes", 0.1, -0.1)
    return X, y


def frame() -> pd.DataFrame:
    X, y = numbers()
    return pd.DataFrame(X, columns=NAMES).assign(label=y)


def arrays_of_unknown_sizes() -> tuple[Any, Any]:
    data = dd.from_pandas(frame(), npartitions=4)
    return data[NAMES].to_dask_array(), arrays()[1]


def frames() -> tuple[Any, Any]:
    data = dd.from_pandas(frame(), npartitions=4)
    return data[NAMES], data["label"]


def frames_with_an_empty_partition() -> tuple[Any, Any]:
    data = frame()
    parts = dd.concat([dd.from_pandas(part, npartitions=1) for part in (data[:9], data[:0], data[9:])])
    return parts[NAMES], parts["label"].astype("category")


def table(X: Any) -> Any:
    return X.rechunk((250, -1)).to_dask_dataframe(columns=NAMES)


def arrays(chunks: Any = (300, 2)) -> tuple[Any, Any]:
    X, y = numbers()
    return da.from_array(X, chunks=chunks), da.from_array(y, chunks=250)


COLLECTIONS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "arrays": arrays, "one row a chunk at the end": lambda: arrays((699, 3)),
    "arrays of unknown sizes": arrays_of_unknown_sizes, "frames": frames,
    "an empty partition": frames_with_an_empty_partition, "labels in memory": lambda: (arrays()[0], numbers()[1]),
    "features in memory": lambda: (numbers()[0], arrays()[1]),
}  # fmt: skip


def chunk(rows: slice, X: np.ndarray, *vectors: np.ndarray) -> tuple[slice, np.ndarray, tuple[np.ndarray, ...]]:
    return rows, X.copy(), vectors


def assert_is_the_data(dataset: mm.Dataset) -> None:
    X, y = numbers()
    assert dataset.X.shape == X.shape and dataset.labels.tolist() == y.tolist()
    assert (dataset.positive, dataset.negative) == ("yes", "no")
    if dataset.is_in_memory:
        assert np.array_equal(dataset.X, X)
        return
    assert np.array_equal(dataset.bounds, (X.min(axis=0), X.max(axis=0)))
    vector = np.arange(N)
    parts = list(dataset.X.map(chunk, vector, dataset.y))
    assert [rows.start for rows, _, _ in parts] == [0, *(rows.stop for rows, _, _ in parts[:-1])]
    assert np.concatenate([part for _, part, _ in parts]).tobytes() == X.tobytes()
    assert np.array_equal(np.concatenate([vectors[0] for _, _, vectors in parts]), vector)
    assert np.array_equal(np.concatenate([vectors[1] for _, _, vectors in parts]), dataset.y)
    for rows in ([5, 699, 5], np.arange(0, N, 50), slice(290, 310), []):
        expected = X[np.array(rows, dtype=int) if isinstance(rows, list) else rows]
        assert np.array_equal(dataset.X[rows], expected)


@pytest.mark.slow
@pytest.mark.sampled(1)
@for_each("name", COLLECTIONS)
def test_collections_have_the_rows_and_labels(workers: Any, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    assert (workers_of_client().client is None) == (workers is None)
    X, y = COLLECTIONS[name]()
    assert_is_the_data(from_arrays(X, y))
    if dask_rows.is_dask(X):
        monkeypatch.setattr(dask_rows, "CHUNK_ENTRIES", 50 * D)
        names, rows = rows_of(X, features_of)
        assert_is_the_data(from_arrays(rows, y, feature_names=names))
        assert len(list(rows.map(chunk))) >= N // 50


@pytest.mark.slow
@pytest.mark.sampled(1)
def test_questions_are_answered_as_in_memory(workers: Any) -> None:
    X, y = numbers()
    dX, dy = frames()
    verdict, margin = mm.separability(dX, dy), mm.hard_margin(dX, dy)
    assert verdict.verdict == mm.separability(X, y).verdict == "separable"
    assert verdict.names.columns == ("a", "b", "c")
    whole = mm.hard_margin(X, y)
    assert max(margin.lower, whole.lower) <= min(margin.upper, whole.upper)
    assert mm.verify(verdict.certificate, dX, dy)
    run, expected = (mm.perceptron(*data, max_epochs=5) for data in ((dX, dy), (X, y)))
    assert run.mistake_rows.tolist() == expected.mistake_rows.tolist()
    assert run.w.tobytes() == expected.w.tobytes()


@for_each("X, y, expected", [
    (lambda X: da.where(X > 3, np.nan, X), None, r"partition \d: X, row \d+, column \d: found NaN"),
    (lambda X: X[:, 0], None, "X has 1 dimensions, expected two"),
    (lambda X: X.astype(complex), None, "partition 0: X has dtype complex128, expected real numbers"),
    (lambda X: X[:0], np.empty(0), "X has no rows, expected at least one"),
    (lambda X: table(X).assign(t="u"), None, "X, column 't': found values of type str"),
    (lambda X: table(X).astype("category").categorize(), None, "column 'a': found values of type category"),
    (lambda X: table(X).map_partitions(lambda part: part.assign(a=["u", "v"] * (len(part) // 2)), meta=table(X)), None,
     "partition 0: found texts in column 'a', expected numbers or booleans"),
    (None, lambda y: y.map_blocks(lambda part: np.where(part == "yes", None, part)),
     r"y, row \d+: found a missing label"),
    (None, lambda y: y[:5], "X has 700 rows and y has 5 labels"),
    (None, lambda y: y[:, None], "y has 2 dimensions, expected one"),
    (None, lambda y: da.where(y == "yes", np.nan, 1.0), r"y, row \d+: found a missing label"),
])  # fmt: skip
def test_bad_collections(workers: Any, X: Any, y: Any, expected: str) -> None:
    dX, dy = arrays(250)
    with pytest.raises(
        mm.InvalidProblemError, match="y is 'y' and X is a Dask collection; expected its labels themselves"
    ):
        mm.separability(dX, "y")
    with pytest.raises(mm.InvalidProblemError, match=expected):
        from_arrays(dX if X is None else X(dX), y(dy) if callable(y) else dy if y is None else y)


def test_the_index_of_a_collection_is_no_feature() -> None:
    data = dd.from_pandas(frame().assign(__index_level_0__=range(N)), npartitions=4)
    dataset = from_arrays(data[["__index_level_0__", *NAMES]], data["label"])
    assert dataset.notes == ("left out as the index of a pandas data frame: '__index_level_0__'",)
    assert dataset.feature_names == tuple(NAMES)
    assert_is_the_data(dataset)


@pytest.mark.filterwarnings("ignore")  # of Dask, about pandas
def test_workers_read_files(client: Any, tmp_path: Path) -> None:
    table = pa.Table.from_pandas(frame(), preserve_index=False)
    for number, part in enumerate((table[:400], table[400:])):
        table_file(tmp_path / f"{number}.parquet", part, row_group_size=90)
    data = dd.read_parquet(tmp_path)
    dataset = from_arrays(data[NAMES], data["label"])
    assert len(dataset.X.parts) == 2
    assert_is_the_data(dataset)


def test_a_series_without_a_label(workers: Any) -> None:
    data = frame()
    data.loc[401, "label"] = None
    parts = dd.from_pandas(data, npartitions=4)
    with pytest.raises(mm.InvalidProblemError, match="y, row 401: found a missing label, expected a label"):
        from_arrays(parts[NAMES], parts["label"])


@pytest.fixture
def two_processes() -> Iterator[Any]:
    options: dict[str, Any] = {"threads_per_worker": 1, "memory_limit": "1GiB", "dashboard_address": ":0"}
    with distributed.LocalCluster(n_workers=2, **options) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_a_lost_worker_costs_its_chunks_only(two_processes: Any) -> None:
    X, y = numbers()
    X, y = np.tile(X, (300, 1)), np.tile(y, 300)
    dX, dy = da.from_array(X, chunks=(7000, 3)), da.from_array(y, chunks=9000)
    dataset = from_arrays(dX, dy)
    passes = dataset.X.map(least_of_chunk, dataset.y.astype(float))
    found = [next(passes)]
    first = next(iter(two_processes.scheduler_info()["workers"]))
    two_processes.run(os._exit, 1, workers=[first], on_error="ignore")
    found += passes
    assert min(found) == (X[:, 0] * dataset.y).min() and np.array_equal(dataset.X[:], X)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")
def test_two_processes_give_the_verdict_and_the_interval_of_memory(two_processes: Any, tmp_path: Path) -> None:
    X, y = numbers()
    X, y = np.tile(X, (300, 1)), np.tile(y, 300)
    X[N:] += np.where(y[N:] == "yes", 1, -1)[:, None] * np.array([1.0, 2.0, -1.0])
    table = pa.Table.from_pandas(pd.DataFrame(X, columns=NAMES).assign(label=y), preserve_index=False)
    path = table_file(tmp_path / "data.parquet", table, row_group_size=20_000)
    data = dd.read_parquet(path)
    dataset = from_arrays(data[NAMES], data["label"])
    verdict, margin = mm.separability(dataset.X, dataset.y), mm.hard_margin(dataset.X, dataset.y)
    whole = mm.hard_margin(X, y)
    assert verdict.verdict == "separable"
    assert (margin.lower, margin.upper) == pytest.approx((whole.lower, whole.upper), rel=1e-12)


def least_of_chunk(rows: slice, X: np.ndarray, y: np.ndarray) -> float:
    return float((X[:, 0] * y).min())
