"""Datasets: signs, names, views; bundled data against scikit-learn; arrays of every kind."""

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from cases import for_each
from commands import python, refused
from hypothesis import given
from hypothesis import strategies as st

import maxmargin as mm
from maxmargin.data.dataset import REST
from maxmargin.data.reading.arrays import from_arrays
from maxmargin.data.reading.loading import load
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.text.data_error import DataError

X3 = np.array([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]])


@pytest.mark.parametrize("name", ["iris", "breast_cancer", "wine", "digits"])
def test_bundled_data_are_those_of_scikit_learn(name: str) -> None:
    import sklearn.datasets

    theirs = getattr(sklearn.datasets, f"load_{name}")()
    ours = load(name)
    assert ours.X.tobytes() == theirs.data.astype(np.float64).tobytes()
    assert ours.X.flags.c_contiguous
    assert ours.feature_names == tuple(theirs.feature_names)
    assert ours.classes == tuple(sorted(theirs.target_names.tolist()))
    assert ours.labels.tolist() == theirs.target_names[theirs.target].tolist()
    assert (ours.source, ours.label_name) == (name, "target")


def test_bundled_columns_can_be_chosen() -> None:
    ds = load("iris", drop=["sepal length (cm)", 1], positive="setosa")
    assert ds.feature_names == ("petal length (cm)", "petal width (cm)")
    assert ds.X[0].tolist() == [1.4, 0.2]
    assert (ds.positive, ds.negative, int(ds.y.sum())) == ("setosa", REST, -50)
    with pytest.raises(DataError, match=r"iris: drop=: found no column 'petal', expected one of"):
        load("iris", drop="petal")
    digits = load("digits", label="pixel_0_2", positive=0, id=63)
    assert digits.feature_names[-1] == "target"
    assert digits.row_ids[:2] == ("0", "0")


def test_the_greater_label_is_positive() -> None:
    assert load("breast_cancer").positive == "malignant"
    numbers = ([9, 10, 9], 10), ([1.0, 0.0, 1.0], 1), ([2, -1, 2], 2), ([False, True, False], True)
    for y, positive in (*numbers, (["9", "10", "9"], 10)):
        assert from_arrays(X3, y).positive == positive


LABELS = st.one_of(
    st.lists(st.integers(-3, 3), min_size=3, max_size=3),
    st.lists(st.sampled_from("abc"), min_size=3, max_size=3),
    st.lists(st.sampled_from([0.5, 1.5]), min_size=3, max_size=3),
    st.lists(st.booleans(), min_size=3, max_size=3),
).filter(lambda labels: len(set(labels)) > 1)


@given(y=LABELS)
def test_labels_of_every_container(y: list[Any]) -> None:
    containers: list[Any] = [
        y, tuple(y), np.array(y), np.array(y, dtype=object), pd.Series(y), pl.Series(y), pa.array(y),
    ]  # fmt: skip
    for container in containers:
        ds = from_arrays(X3, container)
        assert ds.labels.tolist() == y and list(ds.classes) == sorted(set(y))
        if ds.is_binary:
            assert ds.y.dtype == np.int64
            assert ds.y.tolist() == [1 if label == max(y) else -1 for label in y]
        else:
            assert ds.y.tolist() == y


@given(y=st.lists(st.sampled_from(["u", "v", "w"]), min_size=3, max_size=9).filter(lambda y: len(set(y)) == 3))
def test_one_vs_rest_and_pair(y: list[str]) -> None:
    X = np.arange(2.0 * len(y)).reshape(-1, 2)
    ds = from_arrays(X, y)
    assert not ds.is_binary
    rest = ds.one_vs_rest("v")
    assert rest.X is ds.X
    assert rest.y.tolist() == [1 if label == "v" else -1 for label in y]
    assert (rest.positive, rest.negative, rest.classes) == ("v", REST, ("u", "v", "w"))
    pair = ds.pair("u", "w")
    kept = [i for i, label in enumerate(y) if label != "v"]
    assert pair.rows.tolist() == kept and np.array_equal(pair.X, X[kept])
    assert pair.y.tolist() == [1 if y[i] == "w" else -1 for i in kept]
    assert (pair.positive, pair.negative) == ("w", "u")
    assert not any(a.flags.writeable for a in (pair.X, pair.y, pair.labels, pair.rows, rest.y))
    swapped = pair.one_vs_rest("u")
    assert (swapped.positive, swapped.negative) == ("u", "w")
    assert swapped.y.tolist() == (-pair.y).tolist()


def test_pair_keeps_names_and_sparse_rows() -> None:
    ds = load(pd.DataFrame({"name": ["r0", "r1", "r2"], "a": [1, 2, 3], "y": ["u", "v", "w"]}), id="name")
    pair = ds.pair("v", "w")
    assert pair.row_ids == ("r1", "r2")
    assert pair.describe_row(1) == "row 2 'r2' ('w')"
    sparse = from_arrays(sp.csr_array(X3), [1, 2, 3]).pair(1, "3")
    assert sparse.X.toarray().tolist() == [[0, 1], [4, 5]] and not sparse.X.data.flags.writeable


def test_wrong_classes() -> None:
    ds = load("iris")
    with pytest.raises(InvalidProblemError, match=r"found no label 'setoza'.*did you mean 'setosa'"):
        ds.one_vs_rest("setoza")
    with pytest.raises(InvalidProblemError, match="found the class 'setosa' twice"):
        ds.pair("setosa", "setosa")
    with pytest.raises(InvalidProblemError, match="found no label 'setosa', expected one of 'versicolor', 'virginica'"):
        ds.pair("versicolor", "virginica").one_vs_rest("setosa")


def test_repr() -> None:
    assert repr(load("iris")) == "<Dataset iris: 150 x 4, 3 classes 'setosa', 'versicolor', 'virginica'>"
    assert repr(from_arrays(X3, [0, 1, 1])) == "<Dataset array: 3 x 2, 1 (+1) against 0 (-1)>"


def test_a_plain_array_is_not_copied_nor_frozen() -> None:
    X, y = X3.copy(), np.array([-1, 1, 1])
    ds = from_arrays(X, y)
    assert np.shares_memory(ds.X, X) and X.flags.writeable
    assert y.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        ds.X[0, 0] = 1
    with pytest.raises(ValueError, match="read-only"):
        ds.y[0] = 1
    with pytest.raises(AttributeError):
        ds.X = X  # type: ignore[misc]
    frozen = X.copy()
    frozen.flags.writeable = False
    assert np.shares_memory(from_arrays(frozen, y).X, frozen)


def test_sparse_duplicates_are_added_and_the_matrix_of_the_caller_stays() -> None:
    theirs = sp.csr_array((np.array([1.0, 2.0, 3.0]), np.array([1, 1, 0]), np.array([0, 3, 3])), shape=(2, 2))
    ds = from_arrays(theirs, [0, 1])
    assert ds.X.toarray().tolist() == [[3, 3], [0, 0]] and ds.X.has_canonical_format
    assert theirs.nnz == 3
    assert theirs.data.flags.writeable
    plain = sp.csr_array(X3)
    assert np.shares_memory(from_arrays(plain, [0, 1, 1]).X.data, plain.data)
    assert plain.data.flags.writeable


def test_names() -> None:
    assert from_arrays(X3, [0, 1, 1]).feature_names == ("0", "1")
    assert from_arrays(pd.DataFrame(X3, columns=["a", "b"]), [0, 1, 1]).feature_names == ("a", "b")
    assert from_arrays(X3, [0, 1, 1], feature_names=["u", 7], source="s").feature_names == ("u", "7")
    said = refused(lambda: from_arrays(X3, [0, 1, 1], feature_names=["u"]))
    assert said == "feature_names has 1 names, expected 2, one for every column"


def with_entry(value: float) -> np.ndarray[Any, Any]:
    X = X3.copy()
    X[1, 0] = value
    return X


@for_each("X, expected", [
    (np.zeros(3, "f8,f8"), "X has shape (3,), expected two dimensions, (n_samples, n_features); use numpy.lib.rec"),
    ([1, 2, 3], "X has shape (3,), expected two dimensions, (n_samples, n_features); use X.reshape(-1, 1)"),
    (pd.Series([1, 2, 3]), "X has shape (3,), expected two dimensions"),
    (np.ones((3, 2, 1)), "X has shape (3, 2, 1), expected two dimensions, (n_samples, n_features)"),
    (5, "X has shape (), expected two dimensions"),
    ([[1, 2], [3], [4, 5]], "X cannot be read as an array of rows of equal length"),
    (np.empty((0, 2)), "X has no rows (shape (0, 2)), expected at least one"),
    (np.empty((3, 0)), "X has no columns (shape (3, 0)), expected at least one"),
    (pd.DataFrame(index=range(3)), "X has no "),
    (sp.coo_array(X3[:, 0]), "X has shape (3,), expected two dimensions"),
    ([["1", "2"]] * 3, "X has dtype <U1, expected real numbers"),
    (np.array([["2024-01-01"]] * 3, dtype="M8[D]"), "X has dtype datetime64[D], expected real numbers"),
    (np.array([[1, "u"], [2, 3], [4, 5]], dtype=object), "X, row 0, column 1: found 'u', expected a number"),
    ([[10**400], [1], [2]], f"X, row 0, column 0: found 1{'0' * 39}..., expected one that binary64 holds"),
    (with_entry(np.nan), "X, row 1, column 0: found NaN, expected a finite number"),
    (with_entry(np.inf), "X, row 1, column 0: found an infinite value, expected a finite number"),
    (sp.csr_array(with_entry(-np.inf)), "X, row 1, column 0: found an infinite value, expected a finite number"),
    (pd.DataFrame(with_entry(np.nan), columns=["a", "b"]), "X, row 1, column 'a': found NaN, expected a finite"),
    (pd.DataFrame({"a": [1, 2, 3], "b": ["u", None, "u"]}), "X: row 1, column 'b': found a missing value"),
    (pl.DataFrame({"a": [1, 2, 3]}).lazy(), "X"),
])  # fmt: skip
def test_bad_features(X: Any, expected: str) -> None:
    assert refused(lambda: from_arrays(X, [0, 1, 1])).startswith(expected)


@for_each("y, expected", [
    ([0, 1], "X has 3 rows and y has 2 labels, expected as many"),
    (pl.Series([0, 1]), "X has 3 rows and y has 2 labels, expected as many"),
    ([1, 1, 1], "y: found one class only, 1, expected at least two"),
    ([[0], [1], [1]], "y has shape (3, 1), expected one dimension, (3,): use y.ravel()"),
    (pd.DataFrame({"y": [0, 1, 1]}), "y is a table of one column, expected the column itself: use y['y']"),
    (pd.DataFrame([0, 1, 1]), "y is a table of one column, expected the column itself: use y[0]"),
    (pa.table({"y": [0, 1, 1]}), "y is a table of one column, expected the column itself: use y['y']"),
    (np.eye(3), "y has shape (3, 3), expected one dimension, (3,)"),
    (None, "y has shape (), expected one dimension, (3,)"),
    ([0, [1], 1], "y cannot be read as one label for every row"),
    (pd.Series(["u", pd.NA, "v"]), "y, row 1: found a missing label, expected a label"),
    (pa.array([0, None, 1]), "y, row 1: found a missing label, expected a label"),
    ([0, 1, np.inf], "y, row 2: found an infinite label, expected a label"),
    ([0.5, 1.5, 2.5], "y: found 3 different labels such as 0.5, 1.5, 2.5, expected two classes, or more that"),
    ([0, 1, 2j], "y has dtype complex128, expected booleans, numbers or texts"),
    (np.array(["2024-01-01"] * 3, dtype="M8[D]"), "y has dtype datetime64[D], expected booleans, numbers or texts"),
    (sp.csr_array([[0, 1, 1]]), "y is a sparse matrix, expected an array of shape (3,)"),
])  # fmt: skip
def test_bad_labels(y: Any, expected: str) -> None:
    assert refused(lambda: from_arrays(X3, y)).startswith(expected)


def test_the_advice_on_folded_labels_asks_the_same_question() -> None:
    folded = {"separable": [[1, 2], [3, -1]], "quasi-separable": [[1, 0], [0, 0]], "overlap": [[1, 1], [-2, -2]]}
    for verdict, rows in folded.items():
        with pytest.raises(InvalidProblemError, match=r"negated with the other label, .*bias=False"):
            mm.separability(rows, [1, 1])
        both = np.vstack([rows, np.negative(rows)])
        assert mm.separability(both, [1, 1, 0, 0], bias=False).verdict == verdict


def test_bad_positive() -> None:
    said = refused(lambda: from_arrays(X3, ["cat", "dog", "dog"], positive="dgo"))
    assert said.startswith("y: found no label 'dgo', expected one of 'cat', 'dog'")
    assert from_arrays(X3, [0, 1, 1], positive=0).y.tolist() == [1, -1, -1]
    assert from_arrays(X3, [0.5, 1.5, 2.5], positive=1.5).negative == REST


def test_large_finite_numbers_are_finite() -> None:
    X = np.full((3, 2), np.finfo(float).max)
    assert np.array_equal(from_arrays(X, [0, 1, 1]).X, X)


@pytest.mark.parametrize("source", [None, 5, [[1, 2], [3, 4]], b"data.csv", X3, pd.Series([1, 2])])
def test_load_wants_a_table(source: Any) -> None:
    with pytest.raises(DataError, match=r"found an object of type .*, expected a file, the name of a data set, or a"):
        load(source)
    with pytest.raises(DataError, match=r"collect\(\) it first"):
        load(pl.DataFrame({"a": [1, 2], "y": [0, 1]}).lazy())


@pytest.mark.parametrize("source", ["iris", "digits", "{folder}/data.csv"])
def test_import_budget(tmp_path: Path, source: str) -> None:
    """Text and bundled data are read with numpy and the standard library, without the slow parts of the latter."""
    (tmp_path / "data.csv").write_text("a,b\n1,x\n2,y\n")
    code = (
        "import sys, numpy; before = set(sys.modules)\n"
        "from maxmargin.data.reading.loading import load; load(sys.argv[1])\n"
        "print(*sorted({name.partition('.')[0] for name in set(sys.modules) - before}))"
    )
    found = set(python(code, source.format(folder=tmp_path)).split())
    assert found <= {"maxmargin", "numpy", *sys.stdlib_module_names}
    assert not found & {"difflib", "gzip", "json", "urllib"} or source == "digits"
