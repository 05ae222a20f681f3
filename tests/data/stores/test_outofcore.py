"""Data outside memory: the same rows, labels, results and errors as in memory, whatever holds them."""

import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from calls import arguments_of
from cases import for_each
from commands import Capture, json_answer, python, refusal, refused
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from table_files import array_file, table_file, text_file

import maxmargin as mm
from maxmargin.data.batches import Choice, MemoryBudget
from maxmargin.data.dataset import problem_of
from maxmargin.data.reading.loading import load, read_dataset
from maxmargin.data.sources import arrow_files
from maxmargin.data.sources.csv_text import DelimitedText
from maxmargin.data.stores.outside_memory import CachedRows
from maxmargin.solvers.basics.limits import memory_size, size_text
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.perceptron.row_orders import Presentation
from maxmargin.solvers.perceptron.run import perceptron
from maxmargin.solvers.perceptron.settings import PerceptronSettings
from maxmargin.text.progress import data_shown, report_rows_done, reports_passes_to

N, D = 1009, 3

# Small files count as large, and are read in chunks of a few rows; the first pass brings 100 rows along.
SMALL = replace(MemoryBudget.of("64MiB"), in_memory_bytes=0, chunk_row_limit=37, collected_bytes=8 * D * 100)


def numbers(n: int = N) -> np.ndarray:
    X = np.random.default_rng(n).standard_normal((n, D))
    X[::7, 1] = np.round(X[::7, 1])
    return X


def texts(X: np.ndarray) -> list[str]:
    return ["yes" if row[0] + row[1] > 0.2 else "no" for row in X]


def table_of(X: np.ndarray, labels: Any) -> pa.Table:
    """The label stands in the middle."""
    return pa.table({"a": X[:, 0], "b": X[:, 1], "label": labels, "c": X[:, 2]})


def stored(folder: Path, X: np.ndarray, labels: Any, name: str = "data", *, suffix: str, **options: Any) -> Path:
    return table_file(folder / f"{name}.{suffix}", table_of(X, labels), **options)


parquet, feather, csv = (partial(stored, suffix=suffix) for suffix in ("parquet", "feather", "csv"))


def npy(folder: Path, X: np.ndarray, labels: Any) -> Path:
    np.save(folder / "train_X.npy", X)
    np.save(folder / "train_y.npy", np.array(labels))
    return folder / "train_X.npy"


def npz(folder: Path, X: np.ndarray, labels: Any, **options: Any) -> Path:
    return array_file(folder / "data.npz", X, labels, feature_names=["a", "b", "c"], **options)


def folder_of(write: Callable[..., Path]) -> Callable[..., Path]:
    def write_parts(folder: Path, X: np.ndarray, labels: Any) -> Path:
        inside = folder / "parts"
        inside.mkdir()
        for number, (start, stop) in enumerate(((0, 0), (0, 300), (300, 301), (301, len(X)))):
            write(inside, X[start:stop], labels[start:stop], f"part-{number}")
        (inside / "_SUCCESS").touch()
        return inside

    return write_parts


WRITERS: dict[str, Callable[..., Path]] = {
    "parquet": parquet, "parquet of small groups": partial(parquet, row_group_size=53),
    "feather": partial(feather, chunksize=100), "feather, plain": partial(feather, compression="uncompressed"),
    "csv": csv, "csv.gz": partial(stored, suffix="csv.gz"), "tsv": partial(stored, suffix="tsv"), "npy": npy,
    "npy by columns": lambda folder, X, labels: npy(folder, np.asfortranarray(X), labels), "npz": npz,
    "npz, compressed": partial(npz, save=np.savez_compressed), "folder of parquet": folder_of(parquet),
    "folder of feather": folder_of(feather),
}  # fmt: skip


def options_for(name: str) -> dict[str, Any]:
    return {} if name.startswith("np") else {"label": "label"}


def opened(path: Path, budget: MemoryBudget = SMALL, **options: Any) -> mm.Dataset:
    dataset = load(path, memory=budget, **options)
    assert not dataset.is_in_memory
    return dataset


def in_blocks(path: Path, n_bytes: int) -> mm.Dataset:
    """Open a text file that is parsed so many bytes at a time."""
    return read_dataset(path, Choice(bytes_at_once=n_bytes), memory=SMALL)[0]


def complaint(path: Path, **options: Any) -> str:
    return refused(lambda: load(path, memory=SMALL, **options))


def chunk(rows: slice, X: np.ndarray, *vectors: np.ndarray) -> tuple[slice, np.ndarray, tuple[np.ndarray, ...]]:
    assert X.dtype == np.float64 and X.flags.c_contiguous
    return rows, X.copy(), vectors


@pytest.mark.parametrize("name", WRITERS)
def test_every_row_source_has_the_rows_that_were_written(tmp_path: Path, name: str) -> None:
    X = numbers()
    labels = texts(X)
    dataset = opened(WRITERS[name](tmp_path, X, labels), **options_for(name))
    assert dataset.X.shape == X.shape and dataset.labels.tolist() == labels
    assert dataset.y.dtype == np.int8
    assert dataset.y.tolist() == [1 if label == "yes" else -1 for label in labels]
    if name != "npy" and name != "npy by columns":
        assert dataset.feature_names == ("a", "b", "c")
    vector = np.arange(N)
    for _ in range(2):
        parts = list(dataset.X.map(chunk, vector, dataset.y))
        assert [rows.start for rows, _, _ in parts] == [0, *(rows.stop for rows, _, _ in parts[:-1])]
        assert len(parts) > 20
        assert np.concatenate([part for _, part, _ in parts]).tobytes() == X.tobytes()
        for position in (0, 1):
            expected = (vector, dataset.y)[position]
            assert np.array_equal(np.concatenate([vectors[position] for _, _, vectors in parts]), expected)
    assert dataset.bounds is not None
    assert np.array_equal(dataset.bounds, (X.min(axis=0), X.max(axis=0)))
    for rows in ([7, 5, 7, 1008, -1], slice(3, 400), slice(None), slice(0, 0), [], X[:, 0] > 2, np.arange(0, N, 200)):
        expected = X[np.array(rows, dtype=int) if isinstance(rows, list) else rows]
        assert np.array_equal(dataset.X[rows], expected)
        assert dataset.X[rows].shape == expected.shape
    with pytest.raises(IndexError, match="there are 1009 rows, no row 1009"):
        dataset.X[[3, 1009]]


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    n=st.integers(2, 60), group=st.integers(1, 60), step=st.integers(1, 70), rows=st.lists(st.integers(0, 59)),
    kind=st.sampled_from(["parquet", "feather"]),
)  # fmt: skip
def test_groups_and_rows_of_any_size(tmp_path: Path, n: int, group: int, step: int, rows: list[int], kind: str) -> None:
    X = numbers(n)
    labels = [i % 2 for i in range(n)]
    if kind == "parquet":
        path = parquet(tmp_path, X, labels, row_group_size=group)
    else:
        path = feather(tmp_path, X, labels, chunksize=group)
    row_source = opened(path, replace(SMALL, chunk_row_limit=step), label="label").X
    assert np.concatenate([part for _, part, _ in row_source.map(chunk)]).tobytes() == X.tobytes()
    wanted = [row % n for row in rows]
    assert np.array_equal(row_source[wanted], X[np.array(wanted, dtype=int)])


def test_names_with_dots(tmp_path: Path) -> None:
    columns = {"a": [1.0, 2.0], "a.b": [3.0, 4.0], "label": [0, 1]}
    for suffix in ("parquet", "feather"):
        dataset = opened(table_file(tmp_path / f"data.{suffix}", pa.table(columns)), drop="a.b")
        assert dataset.feature_names == ("a",) and dataset.X[:].tolist() == [[1.0], [2.0]]


@pytest.mark.parametrize("name", ["parquet of small groups", "feather", "folder of parquet", "folder of feather"])
def test_rows_drawn_at_random_are_at_hand(tmp_path: Path, name: str) -> None:
    X = numbers()
    path = WRITERS[name](tmp_path, X, texts(X))
    row_source = opened(path, label="label").X
    drawn = row_source.sampled
    assert len(drawn) == 100 and (np.diff(drawn) > 0).all()
    assert 0.3 * N < drawn.mean() < 0.7 * N
    assert np.array_equal(opened(path, label="label").X.sampled, drawn)
    other = next(row for row in range(N) if row not in drawn)
    both = np.append(drawn[::-1], other)
    assert np.array_equal(row_source[both], X[both])
    fresh = opened(path, label="label").X
    shutil.move(path, tmp_path / "elsewhere")
    assert np.array_equal(fresh[drawn[::-3]], X[drawn[::-3]])
    with pytest.raises(mm.DataError, match="cannot be read"):
        fresh[[other]]


# Rows of which a sample has 2,000.
MANY = 10_000


@pytest.mark.parametrize("share", [0.5, 0.1])
def test_a_sample_is_chosen_from_the_rows_at_hand(tmp_path: Path, share: float) -> None:
    X = numbers(MANY)
    labels = (np.random.default_rng(0).random(MANY) < share).astype(int)
    budget = replace(SMALL, collected_bytes=8 * D * 4000, chunk_row_limit=1000)
    dataset = opened(parquet(tmp_path, X, labels), budget, label="label")
    (tmp_path / "data.parquet").unlink()
    rows, values = problem_of(dataset).sample
    assert set(rows) <= set(dataset.X.sampled.tolist()) and np.array_equal(values, X[rows])
    assert np.count_nonzero(labels[rows] == 0) == 1000 >= np.count_nonzero(labels[rows]) >= 250


def test_a_sample_has_rows_of_a_class_that_is_rare(tmp_path: Path) -> None:
    X = numbers(MANY)
    labels = np.zeros(MANY, dtype=int)
    labels[-1200:] = 1
    budget = replace(SMALL, collected_bytes=8 * D * 1000, chunk_row_limit=1000)
    dataset = opened(parquet(tmp_path, X, labels), budget, label="label")
    assert np.count_nonzero(labels[dataset.X.sampled]) < 200
    rows, values = problem_of(dataset).sample
    assert np.count_nonzero(labels[rows]) == 1000 and np.array_equal(values, X[rows])


def test_rows_that_were_fetched_are_kept(tmp_path: Path) -> None:
    X = numbers()
    path = parquet(tmp_path, X, texts(X), row_group_size=100)
    row_source = opened(path, replace(SMALL, collected_bytes=0), label="label").X
    first = row_source[[3, 500]]
    path.unlink()
    assert np.array_equal(row_source[[500, 3, 3]], first[[1, 0, 0]])
    with pytest.raises(mm.DataError, match="found a file that cannot be read: No such file"):
        row_source[[3, 501]]
    row_source.cache(np.array([501]), X[[501]])
    assert np.array_equal(row_source[[3, 501]], X[[3, 501]])


def test_the_cache_forgets_what_was_not_used_for_the_longest_time() -> None:
    asked: list[list[int]] = []

    class Rows(CachedRows):
        bounds = np.zeros(1), np.zeros(1)

        def _fetched(self, numbers: np.ndarray) -> np.ndarray:
            asked.append(numbers.tolist())
            return numbers[:, np.newaxis].astype(float)

    cached = Rows()
    cached._start(9, replace(SMALL, cache_bytes=4 * 208))
    for rows in ([0, 1], [2, 3], [0, 1], [4], [0, 1], [2]):
        assert cached[np.array(rows)].ravel().tolist() == rows
        assert len(cached._cached) <= 4
    assert asked == [[0, 1], [2, 3], [4], [2]]
    assert cached[:3].ravel().tolist() == [0, 1, 2]
    assert asked[-1] == [0, 1, 2]


@pytest.mark.parametrize("labels", [[3, 1, 2], [0.5, 1.5, 0.5], [True, False, True], ["10", "9.0", "x"], ["2", "10"]])
def test_labels_mean_what_they_mean_in_memory(tmp_path: Path, labels: list[Any]) -> None:
    X = numbers(len(labels) * 40)
    path = parquet(tmp_path, X, labels * 40)
    stored, memory = (load(path, label="label", memory=size, positive=labels[0]) for size in (SMALL, None))
    assert (stored.classes, stored.positive, stored.negative) == (memory.classes, memory.positive, memory.negative)
    assert stored.labels.tolist() == memory.labels.tolist()
    assert stored.describe_row(1) == memory.describe_row(1)
    assert stored.one_vs_rest(labels[1]).y.tolist() == memory.one_vs_rest(labels[1]).y.tolist()


def test_dictionary_columns_with_unused_entries(tmp_path: Path) -> None:
    X = numbers(40)
    labels = pa.DictionaryArray.from_arrays(pa.array([0, 2] * 20, pa.int8()), pa.array(["u", "x", "w", "v"]))
    coded = pa.array([1.5, 2.5] * 20).dictionary_encode()
    table = pa.table({"a": X[:, 0], "coded": coded, "small": pa.array([1, 2] * 20, pa.uint8()), "label": labels})
    dataset = opened(table_file(tmp_path / "data.parquet", table))
    assert dataset.classes == ("u", "w")
    assert dataset.X[:2].tolist() == [[X[0, 0], 1.5, 1], [X[1, 0], 2.5, 2]]


def test_several_classes_have_codes_and_no_pairs(tmp_path: Path) -> None:
    X = numbers(60)
    path = parquet(tmp_path, X, ["u", "v", "w"] * 20)
    dataset = opened(path, label="label")
    assert dataset.y.tolist() == [0, 1, 2] * 20 and dataset.y.dtype == np.int8
    with pytest.raises(InvalidProblemError, match="is not in memory, and a pair of its classes would copy rows"):
        dataset.pair("u", "v")
    dropped = opened(path, label="label", drop=["b"], positive="v")
    assert (dropped.feature_names, dropped.negative) == (("a", "c"), "rest")
    assert np.array_equal(dropped.X[:], X[:, [0, 2]]) and dropped.notes == ("dropped on request: 'b'",)


def test_a_row_source_is_an_argument_of_every_question(tmp_path: Path) -> None:
    X = numbers(300)
    X[:, 0] += np.where(np.array(texts(X)) == "yes", 1, -1)
    dataset = opened(parquet(tmp_path, X, texts(X), row_group_size=50), label="label")
    assert mm.separability(dataset.X, dataset.y).verdict == mm.separability(X, texts(X)).verdict
    assert mm.verify(mm.separability(dataset.X, dataset.labels).certificate, dataset.X, dataset.labels)
    assert problem_of(dataset).sha256 == problem_of(mm.from_arrays(X, texts(X))).sha256
    assert problem_of(dataset).column_bounds is dataset.bounds


def columns_with(**changed: Any) -> pa.Table:
    columns = {"a": list(range(200)), "b": [0.5] * 200, "label": ["u", "v"] * 100}
    return pa.table({**columns, **changed})


@for_each(("table", "expected"), [
        (columns_with(a=[None if i == 120 else i for i in range(200)]), "row 120, column 'a': found a missing value, "
         "expected a number (leave out rows with missing values with drop_missing=True"),
        (columns_with(b=[-np.inf if i == 7 else 1.0 for i in range(200)]), "row 7, column 'b': found minus infinity, "),
        (columns_with(a=[2**53 + 1 if i == 120 else i for i in range(200)]), "row 120, column 'a': found 9007199254"),
        (columns_with(b=["1", "x", "x", "x"] * 50), "row 1, column 'b': found 'x', expected a number (drop it"),
        (columns_with(b=pa.array(["1", "2"] * 100).dictionary_encode()), "row 0, column 'b': found '1', expected a "),
        (columns_with(b=[[1.0]] * 200), "column 'b': found values of type "),
        (columns_with(b=[date(2024, 1, 1)] * 200), "column 'b': found values of type Date, expected numbers (drop it"),
        (columns_with(label=[None if i == 90 else "u" for i in range(200)]), "row 90, column 'label': found no label"),
        (columns_with(label=[float("inf") if i == 90 else 1.0 for i in range(200)]), "row 90, column 'label': found "),
        (columns_with(label=["u"] * 200), "column 'label': found one class only, 'u', expected at least two"),
        (columns_with()[:0], "found no rows, expected at least one"),
        (columns_with(b=[""] * 200)[:0], "found no rows, expected at least one"),
    ])  # fmt: skip
@for_each("kind, options", [("parquet", {"row_group_size": 60}), ("feather", {"chunksize": 60})])
@for_each("memory", [None, SMALL])
def test_bad_tables(tmp_path: Path, table: pa.Table, expected: str, kind: str, options: Any, memory: Any) -> None:
    path = table_file(tmp_path / f"data.{kind}", table, **options)
    assert refused(lambda: load(path, memory=memory)).startswith(f"{path}: {expected}")


@for_each("labels, found", [
    (range(200), "numbers in 111 rows, such as 0, 1, 2"), (np.arange(200) / 3, "labels such as 0.0, 0.333"),
])  # fmt: skip
def test_labels_of_which_there_are_too_many(tmp_path: Path, labels: Any, found: str) -> None:
    path = table_file(tmp_path / "data.parquet", columns_with(label=list(labels)), row_group_size=60)
    assert complaint(path).startswith(f"{path}: column 'label': found 111 different {found}")


def test_bad_arrays(tmp_path: Path) -> None:
    X, labels = numbers(100), [0, 1] * 50
    lonely = tmp_path / "a.npy"
    np.save(lonely, X)
    assert "found one array, expected a file whose name ends in X.npy" in complaint(lonely)
    np.save(tmp_path / "X.npy", X)
    assert "y.npy: found no such file, expected the labels of" in complaint(tmp_path / "X.npy")
    path = npy(tmp_path, X, labels[:-1])
    assert complaint(path).endswith("found y of shape (99,), expected shape (100,), a label for every row of X")
    path = npy(tmp_path, X.astype(object), labels)
    assert "found objects that would have to be unpickled" in complaint(path)
    X[70, 2] = np.nan
    path = npy(tmp_path, X, labels)
    assert "row 70, column 2: found a missing value, expected a number" in complaint(path)
    path = npy(tmp_path, np.full((100, 2), 2**53 + 1), labels)
    assert "row 0, column 0: found 9007199254740993, expected one that binary64 holds exactly" in complaint(path)


@for_each("name", ["npy", "npz", "npz, compressed", "csv.gz"])
def test_a_file_that_ends_early(tmp_path: Path, name: str) -> None:
    X = numbers()
    path = WRITERS[name](tmp_path, X, texts(X))
    path.write_bytes(path.read_bytes()[:-4000])
    assert complaint(path, **options_for(name)).startswith(f"{path}: ")


@for_each("name", ["parquet", "feather", "npy"])
def test_a_file_that_changes_under_our_hands(tmp_path: Path, name: str) -> None:
    X = numbers()
    path = WRITERS[name](tmp_path, X, texts(X))
    row_source = opened(path, **options_for(name)).X
    path.write_bytes(path.read_bytes() + b"x")
    with pytest.raises(mm.DataError, match="found a file that was written to since its rows were checked"):
        list(row_source.map(chunk))


@for_each("content", [
    "a,b,c\n1,2,x\n3,4,y\n", "a,b,c\n1, 2 ,x\n3,4, y \n", "a,b,c\r\n1,2,x\r\n\r\n3,4,y\r\n",
    'a,b,c\n"1",2,"x, or\nso"\n3,4,"say ""y"""\n', 'a,b,c\n"1",2,x\n" 3",4," y "\n', 'a,b,c\n"1",2,x\n"",4,y\n',
    'a,b,c\n"1",2,"x"\n"3",4,"y,z"\n', 'a,b,c\n1,2,x\n3,4,"y"z\n', 'a,b,c\n1,2,x\n3,4,z"y"\n',
    'a,b,c\n1,2,"x\ny"\n3,4,"z"\n', "1e-400,2,x\n.5,+4.,y\n1E3,0.1,x\n", "a,b,c\ntrue,2,x\nfalse,4,y\n",
    "\ufeff1,2,x\n3,4,y", "a,b,c\n1,2,x\n3,abc,y\n", "a,b,c\n1,2,x\n3,1e999,y\n", "a,b,c\n1,2,x\n3,,y\n",
    "a,b,c\n1,2,x\n0x10,3,y\n", "a,b,c\n1,2,x\n1,3,\n", "a,b,c\n1,2,x\n1,3\n", "a,b,c\n1,2,x\n1,3,inf\n",
    "a,,c\n1,2,x\n1,3,y\n", 'a,b,c\n1,2,x\n"2"3,2,y\n', "a,b,c\n1,2,x\n1,3,x\n", "a,b,c\n1,2,x\n\x00,3,y\n",
])  # fmt: skip
def test_text_is_read_as_in_memory(tmp_path: Path, content: str) -> None:
    path = tmp_path / "data.csv"
    path.write_bytes(content.encode())
    results: list[Any] = []
    for memory in (None, SMALL):
        try:
            ds = load(path, memory=memory)
            results.append((ds.X[:].tolist(), ds.labels.tolist(), ds.feature_names, ds.label_name, ds.notes))
        except mm.DataError as error:
            results.append(str(error).partition(" (")[0])  # what to do about it differs
    assert results[0] == results[1]


def test_quotes_that_say_nothing_are_read_fast(tmp_path: Path) -> None:
    class OnlyWholeBlocks(DelimitedText):
        def table_of_rows(self, roles: Any, rows: Any) -> Any:
            pytest.fail("a block was read row by row")

    X = numbers()
    path = tmp_path / "data.csv"
    pa.csv.write_csv(table_of(X, texts(X)), path)
    assert '"yes"' in path.read_text()
    choice = Choice(label="label", bytes_at_once=5000)
    file = OnlyWholeBlocks(str(path), choice)
    parts = [read() for read in file.tables(choice.roles(file.layout), None)]
    assert len(parts) > 1
    assert np.array_equal(np.concatenate([part.features for part in parts]), X)
    assert [label for part in parts for label in part.label.tolist()] == texts(X)


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=30), st.integers(1, 60))
def test_text_is_rounded_correctly(tmp_path: Path, values: list[float], n_bytes: int) -> None:
    written = [f"{value!r}" if i % 2 else f"{value:.25e}" for i, value in enumerate(values)]
    path = text_file(tmp_path, "".join(f"{number},{i % 2}\n" for i, number in enumerate(written)))
    assert in_blocks(path, n_bytes).X[:].ravel().tobytes() == np.array(values).tobytes()


def test_an_infinite_label(tmp_path: Path) -> None:
    path = text_file(tmp_path, "a,b\n1,1\n2,inf\n")
    assert complaint(path).endswith("row 1, column 'b': found an infinite label, expected a label")


@for_each("name", list(WRITERS))
def test_rows_with_missing_values_are_left_out_beyond_memory_as_in_memory(tmp_path: Path, name: str) -> None:
    X = numbers()
    X[[0, 3, 36, 37, 500, N - 1], [0, 1, 2, 0, 1, 2]] = np.nan
    (tmp_path / name).mkdir()
    path = WRITERS[name](tmp_path / name, X, texts(numbers()))
    label = {} if "np" in name else {"label": "label"}
    stored, read = opened(path, drop_missing=True, **label), load(path, drop_missing=True, **label)
    assert np.array_equal(read.X, X[~np.isnan(X).any(axis=1)])
    assert np.array_equal(stored.X[:], read.X) and stored.labels.tolist() == read.labels.tolist()
    assert stored.rows is not None and stored.rows.tolist() == read.rows.tolist() and stored.notes == read.notes
    assert np.array_equal(np.concatenate([X for _, X, _ in stored.X.map(chunk)]), read.X)


def test_rows_without_a_label_are_not_left_out_beyond_memory(tmp_path: Path) -> None:
    path = text_file(tmp_path, "a,b,label\n1,2,u\n2,3,\n4,5,v\n")
    assert "line 3, column 'label': found no label" in complaint(path, drop_missing=True)
    assert load(path, drop_missing=True).n_samples == 2


def test_folders(tmp_path: Path) -> None:
    X = numbers(90)
    for number in range(3):
        csv(tmp_path, X[30 * number : 30 * number + 30], texts(X)[30 * number : 30 * number + 30], f"part{number}")
    (tmp_path / "part1a.csv").touch()
    dataset = opened(tmp_path, label="label")
    assert np.array_equal(dataset.X[:], X) and dataset.notes == (f"{tmp_path / 'part1a.csv'} is empty",)
    (tmp_path / "part3.csv").write_text("a,x,label,c\n1,2,no,3\n")
    assert complaint(tmp_path, label="label") == (
        f"{tmp_path / 'part3.csv'}: found the columns 'a', 'x', 'label', 'c', "
        f"expected those of {tmp_path / 'part0.csv'}: the columns 'a', 'b', 'label', 'c'"
    )
    (tmp_path / "part3.csv").unlink()
    feather(tmp_path, X, texts(X))
    assert complaint(tmp_path).endswith("found files .csv and .feather, expected files of one format")
    (tmp_path / "notes.md").write_text("x")
    assert "found 'notes.md' in the directory, expected files .csv .tsv" in complaint(tmp_path)


def test_small_folders_and_arrays_are_read_into_memory(tmp_path: Path) -> None:
    X = numbers()
    paths = {"parquet": folder_of(parquet)(tmp_path, X, texts(X)), "npy": npy(tmp_path, X, texts(X))}
    for name, path in paths.items():
        dataset = load(path, **options_for(name))
        assert dataset.is_in_memory and np.array_equal(dataset.X, X)
        assert dataset.labels.tolist() == texts(X)
    assert load(parquet(tmp_path, X, texts(X)), label="label", memory="1GiB").is_in_memory


@pytest.mark.parametrize(
    ("asked", "option"),
    [({"one_hot": True}, "one_hot=True"), ({"one_hot": [0]}, "one_hot=[...]"), ({"id": 0}, "id=")],
)
def test_what_needs_all_rows_in_memory_is_refused(tmp_path: Path, asked: dict[str, Any], option: str) -> None:
    X = numbers()
    path = parquet(tmp_path, X, texts(X))
    assert f"{option}: found it asked for data that are read in parts" in complaint(path, label="label", **asked)


def test_no_room_for_a_temporary_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(file: int, content: memoryview) -> int:
        raise OSError(28, "No space left on device")

    X = numbers()
    path = csv(tmp_path, X, texts(X))
    monkeypatch.setattr(os, "write", full)
    assert "no room for its numbers in a temporary file after 0 bytes: No space" in complaint(path, label="label")


SETTINGS = [
    PerceptronSettings(max_epochs=30),
    PerceptronSettings(zero="positive", bias_scale=3.0, max_epochs=4),
    PerceptronSettings(max_mistakes=5),
    PerceptronSettings(max_epochs=1),
]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("scale", [1.0, 2.0**-600])
@pytest.mark.parametrize("configuration", SETTINGS)
def test_perceptrons_make_the_same_mistakes(tmp_path: Path, configuration: PerceptronSettings, scale: float) -> None:
    X = numbers()
    labels = texts(X)
    X[:, 0] += np.where(np.array(labels) == "yes", 0.1, -0.1)
    dataset = opened(parquet(tmp_path, X * scale, labels, row_group_size=100), label="label")
    bias = scale == 1
    streamed = perceptron(problem_of(dataset, bias=bias), configuration)
    whole = perceptron(problem_of(mm.from_arrays(X * scale, labels), bias=bias), configuration)
    assert whole.n_mistakes >= 5
    assert np.array_equal(streamed.mistake_rows, whole.mistake_rows)
    assert streamed.w.tobytes() == whole.w.tobytes()
    counts, ends = (
        ("b", "n_epochs", "n_presentations", "stop_reason"),
        ("margin", "margin_upper", "run_margin", "run_upper"),
    )
    for name in (*counts, *ends):
        assert getattr(streamed, name) == getattr(whole, name)
    assert streamed.mistakes_per_epoch.tolist() == whole.mistakes_per_epoch.tolist()


def test_what_a_run_proves_costs_two_passes(tmp_path: Path) -> None:
    X = numbers(MANY)  # more rows have mistakes than are fetched one by one
    labels = np.random.default_rng(0).integers(0, 2, MANY)
    budget = replace(SMALL, chunk_row_limit=1000)
    problem = problem_of(opened(parquet(tmp_path, X, labels), budget, label="label"))
    ends: list[int] = []
    with (
        arguments_of(Presentation.rows.func) as vectors_of_all_rows,
        reports_passes_to(on_chunk=lambda n_done, n_rows: ends.append(n_done)),
    ):
        run = perceptron(problem, PerceptronSettings(max_epochs=3))
    assert not vectors_of_all_rows
    assert run.n_mistakes > 10_000
    assert ends.count(MANY) == 3 + 2


def test_passes_are_watched(tmp_path: Path) -> None:
    X = numbers()
    path = parquet(tmp_path, X, texts(X))
    seen: list[tuple[int, int]] = []
    with reports_passes_to(on_chunk=lambda n_done, n_rows: seen.append((n_done, n_rows))):
        dataset = opened(path, label="label")
        assert seen[-1] == (N, N)
        n_before = len(seen)
        list(dataset.X.map(chunk))
    assert [n_done for n_done, _ in seen[n_before:]] == [*range(37, N, 37), N]
    list(dataset.X.map(chunk))
    assert len(seen) == 2 * n_before


def test_a_pass_that_is_given_up_ends(tmp_path: Path) -> None:
    X = numbers()
    row_source = opened(parquet(tmp_path, X, texts(X)), label="label").X
    passes: Iterator[Any] = row_source.map(chunk)
    next(passes)
    passes.close()  # type: ignore[attr-defined]

    def broken(rows: slice, X: np.ndarray) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        list(row_source.map(broken))
    assert len(list(row_source.map(chunk))) == 28


def test_sizes() -> None:
    assert [memory_size(size) for size in ("64MiB", "1.5gb", " 3 TiB ", 7, "7", "2k")] == [
        2**26, 1_500_000_000, 3 * 2**40, 7, 7, 2000,
    ]  # fmt: skip
    for wrong in ("", "MiB", "-1", "1 parsec", 0, "1e3"):
        with pytest.raises(InvalidOptionError, match="expected a size such as 512MiB"):
            memory_size(wrong)
    assert [size_text(n) for n in (5, 2048, 3 << 40)] == ["5 bytes", "2 KiB", "3 TiB"]


def test_chunks_in_flight_fit_into_the_budget() -> None:
    for processors in (1, 2, 16, 128):
        budget = MemoryBudget.of(processors=processors)
        in_flight = 4 * budget.n_workers + 2
        assert in_flight * budget.chunk_bytes <= budget.memory / 4
        assert budget.chunk_rows(10**9) == 1
        assert 8 * budget.chunk_rows(20) * 20 <= budget.chunk_bytes


@pytest.mark.parametrize("command", ["check", "margin", "perceptron"])
def test_commands_answer_as_in_memory(tmp_path: Path, capsys: Capture, command: str) -> None:
    X = numbers(30_000)
    labels = texts(X)
    X[:, :2] += np.where(np.array(labels) == "yes", 0.2, -0.2)[:, np.newaxis]
    arguments = [command, str(parquet(tmp_path, X, labels, row_group_size=1000)), "--label", "label", "--quiet"]
    passes: list[int] = []
    with reports_passes_to(on_chunk=lambda n_done, n_rows: passes.append(n_done)):
        code, stored = json_answer(capsys, *arguments, "--memory", "4MiB")
    assert len(passes) >= 3
    again, whole = json_answer(capsys, *arguments, "--memory", "2GB")
    assert code == again in (0, 3)
    for name in ("verdict", "status", "n_mistakes", "mistake_rows", "feature_names", "source", "positive"):
        assert stored.get(name) == whole.get(name)
    if command == "margin":
        assert max(stored["lower"], whole["lower"]) <= min(stored["upper"], whole["upper"])


@for_each("options, expected", [
    (["--memory", "much"], "memory is 'much'; expected a size such as 512MiB, 1GiB, or a number of bytes"),
    (["--prepare", "unit"], "--prepare unit copies all rows, and these are not in memory: allow more --memory"),
    (["--order", "random"], "order is 'random'; expected 'cyclic' for rows that are not in memory"),
])  # fmt: skip
def test_refused_options(tmp_path: Path, capsys: Capture, options: list[str], expected: str) -> None:
    X = numbers(60)
    path = parquet(tmp_path, X, texts(X))
    memory = [] if "--memory" in options else ["--memory", "10kB"]
    assert expected in refusal(capsys, "perceptron", path, "--label", "label", *memory, *options)


def test_progress_counts_passes_and_estimates_the_time_left(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    clock = iter([0.0, 1.5, 1.6, 3.0, 4.0, 100.0, 110.0, 120.0])
    monkeypatch.setattr("maxmargin.text.progress.time.monotonic", lambda: next(clock))
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with data_shown(quiet=False):
        for n_done in (10, 20, 30, 100, 1, 2, 100):
            report_rows_done(n_done, 100)
    shown = capsys.readouterr().err.split("\r\x1b[K")
    assert shown == [
        "",
        "pass 1 over 100 rows: 10%, 14 s left",
        "pass 1 over 100 rows: 30%, 7 s left",
        "pass 1 over 100 rows: 100%, 0 s left",
        "pass 2 over 100 rows: 1%, 0 s left",
        "pass 2 over 100 rows: 2%, 8 min 10 s left",
        "pass 2 over 100 rows: 100%, 0 s left",
        "",
    ]
    with data_shown(quiet=True):
        report_rows_done(1, 2)
    monkeypatch.setattr("sys.stderr.isatty", lambda: False)
    with data_shown(quiet=False):
        report_rows_done(1, 2)
    assert capsys.readouterr().err == ""


MEASURED = """
import sys
import numpy as np, pyarrow.parquet, pyarrow.csv, pyarrow.feather, maxmargin as mm
def most():  # ru_maxrss would begin with that of the process that started this one
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) >> 10 for line in lines if line.startswith("VmHWM"))
def least(rows, X, y): return float((y * X[:, 0]).min())
before = most()
dataset = mm.load(sys.argv[1], memory=sys.argv[2] or None, label="label")
y = dataset.y.astype(float)
X = dataset.X
found = min(X.map(least, y)) if sys.argv[2] else float((y * X[:, 0]).min())
print(found, most() - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="tells the peak of memory")
@pytest.mark.parametrize("kind", ["parquet", "feather", "npz", "csv"])
def test_memory_stays_below_the_budget(tmp_path: Path, kind: str) -> None:
    n = 150_000 if kind == "csv" else 2_000_000
    X = np.random.default_rng(0).standard_normal((n, 20))
    labels = np.where(X[:, 0] > 0, 1, -1)
    table = pa.table({**{f"f{j}": X[:, j] for j in range(20)}, "label": labels})
    path = tmp_path / f"data.{kind}"
    if kind == "npz":
        array_file(path, X, labels, feature_names=[f"f{j}" for j in range(20)])
    elif kind == "csv":
        pa.csv.write_csv(table, path)
    else:
        table_file(path, table)
    options = "y" if kind == "npz" else "label"
    results = []
    for memory in ("64MiB" if kind != "csv" else "16MiB", ""):
        script = MEASURED.replace('"label"', repr(options))
        results.append([float(word) for word in python(script, path, memory).split()])
    (streamed, with_budget), (whole, without) = results
    assert streamed == whole == float((labels * X[:, 0]).min())
    decoded = X.nbytes / 2**20
    # Arrow, whatever is asked of it, holds a page of every column: of Parquet two MiB each, more on a busy machine.
    assert with_budget < 64 + 160
    if kind != "csv":
        assert with_budget < decoded < without


@pytest.mark.parametrize("n_columns", [1, 11])
def test_columns_become_rows(n_columns: int) -> None:
    n_rows = 5000
    X = np.random.default_rng(0).standard_normal((n_rows, n_columns))
    batch = pa.record_batch({f"f{j}": X[:, j].copy() for j in range(n_columns)})
    np.testing.assert_array_equal(arrow_files.matrix_of(batch), X)
    np.testing.assert_array_equal(arrow_files.matrix_of(batch.slice(777, n_rows - 1500)), X[777 : n_rows - 723])
