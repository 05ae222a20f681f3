"""Labels of any type stay different, and rows that tables name are paired by their names or not at all."""

import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from cases import for_each
from commands import refused

import maxmargin as mm


@for_each("y, classes", [
    ([2**53, 2**53 + 1], (2**53, 2**53 + 1)),
    (np.array([2**63, 2**63 + 1], dtype=np.uint64), (2**63, 2**63 + 1)),
    ([2**53, 2**53 + 1, 0.5], ("0.5", "9007199254740992", "9007199254740993")),
    ([-1, 2**64], (-1, 2**64)),
    ([Decimal(9), Decimal(10)], (9, 10)),
    ([Decimal("0.1"), Fraction(1, 2)], (0.1, 0.5)),
    ([Decimal("0.1"), Decimal("0.10000000000000001")], ("0.1", "0.10000000000000001")),
    (["0.1", "0.10000000000000001"], ("0.1", "0.10000000000000001")),
    (["1", "1.0", "2"], (1, 2)),
    (np.array([0.1, "0.1", Decimal("0.1"), 2], dtype=object), (0.1, 2.0)),
    (pd.Series([2**53, 2**53 + 1], dtype="Int64"), (2**53, 2**53 + 1)),
    (pl.Series([2**53, 2**53 + 1], dtype=pl.Int128), (2**53, 2**53 + 1)),
    (pl.Series([Decimal("9.0"), Decimal("10.0")]), (9, 10)),
    (np.array([2**53, 2**53 + 1], dtype=object), (2**53, 2**53 + 1)),
    (np.array(["a", "b"], dtype=np.dtypes.StringDType()), ("a", "b")),
    (da.from_array(np.array([2**53, 2**53 + 1]), chunks=1), (2**53, 2**53 + 1)),
])  # fmt: skip
def test_labels_that_differ_stay_different(y: Any, classes: tuple[Any, ...]) -> None:
    data = mm.from_arrays([[float(i)] for i in range(len(y))], y)
    assert data.classes == classes and list(map(type, data.classes)) == list(map(type, classes))
    assert data.labels.tolist() == [classes[data.classes.index(label)] for label in data.labels.tolist()]
    assert len(set(data.labels.tolist())) == len(classes)
    assert str(classes[0]).strip("'") in " ".join(map(data.describe_row, range(len(y))))
    for label in classes:
        assert (data.one_vs_rest(label).y == 1).sum() == data.labels.tolist().count(label)


def test_labels_of_sparse_text_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "data.svm"
    path.write_text("1.0 1:1\n1 1:2\n+1 1:3\n2 1:4\n")
    assert mm.load(path).classes == (1, 2)
    for other in (str(2**53 + 1), "9007199254740992.5"):
        path.write_text(f"{2**53} 1:1\n1 1:2\n{other} 1:3\n")
        assert mm.load(path).classes == ("1", str(2**53), other)


def test_longdouble_labels_stay_different() -> None:
    y = np.array([2**63, 2**63 + 1, 2**63], dtype=np.longdouble)
    assert len(mm.from_arrays([[1.0], [2.0], [3.0]], y).classes) == len(set(y.tolist()))


@pytest.mark.parametrize(
    "missing", [math.nan, None, Decimal("NaN"), Decimal("sNaN"), np.longdouble("nan"), pd.NA, pd.NaT]
)
def test_missing_labels_are_refused(missing: Any) -> None:
    for y in ([1, missing, 2], np.array([1, missing, 2], dtype=object)):
        assert "y, row 1: found a missing label" in refused(lambda y=y: mm.from_arrays([[1.0], [2.0], [3.0]], y))


def test_labels_that_are_none_are_refused() -> None:
    y = np.empty(2, dtype=object)
    y[:] = [[1], 2]
    assert "y, row 0: found a list" in refused(lambda: mm.from_arrays([[1.0], [2.0]], y))


def test_a_large_class_is_not_chosen_by_its_neighbour() -> None:
    with pytest.raises(mm.InvalidProblemError, match="no label '9007199254740993'"):
        mm.from_arrays([[1.0], [2.0]], [0, 2**53], positive=2**53 + 1)


def test_class_names_with_arrays() -> None:
    X, y = [[1.0], [2.0], [3.0], [4.0], [5.0], [6.0]], [1, 1, 2, 2, 3, 3]
    expected = {"2: (Intercept)", "2: 0", "3: (Intercept)", "3: 0"}
    for made in (X, np.array(X), sp.csr_array(X)):
        assert set(mm.separability(made, y).infinite_columns or ()) == expected
    assert set(mm.separability(pd.DataFrame({"a": [x for (x,) in X]}), y).infinite_columns or ()) == {
        name.replace("0", "a") for name in expected
    }


# Names of rows


def frame(index: Any = None) -> pd.DataFrame:
    return pd.DataFrame({"a": [1.0, 2.0, 3.0, 4.0]}, index=index)


@pytest.mark.parametrize("X, y", [
    (frame(), pd.Series([0, 0, 1, 1]).iloc[::-1]),
    (frame([*"pqrs"]), pd.Series([0, 0, 1, 1], index=[*"srqp"])),
    (frame()[1:], pd.Series([0, 0, 1])),
    (frame([*"pqrs"]), pd.Series([0, 0, 1, 1])),
    (dd.from_pandas(frame(), npartitions=2), dd.from_pandas(pd.Series([0, 0, 1, 1], [0, 1, 2, 9]), npartitions=2)),
    (frame(), dd.from_pandas(pd.Series([0, 0, 1, 1], [0, 1, 2, 9]), npartitions=2)),
])  # fmt: skip
def test_rows_named_otherwise_are_not_paired(X: Any, y: Any) -> None:
    said = "the index of y is not that of X"
    assert said in refused(lambda: mm.separability(X, y)) and said in refused(lambda: mm.hard_margin(X, y))


def test_rows_named_the_same_are_paired() -> None:
    y = pd.Series([0, 0, 1, 1])
    parted = dd.from_pandas(frame(), npartitions=2), dd.from_pandas(y, npartitions=1)
    for X, labels_of_rows in [
        (frame(), y), (frame()[::-1], y[::-1]), (frame([*"pqrs"]), y.tolist()), (frame().to_numpy(), y), parted,
        (frame().set_index(pd.Index([0.0, 1.0, 2.0, 3.0])), y), (pl.DataFrame({"a": [1, 2, 3, 4]}), y),
    ]:  # fmt: skip
        assert mm.separability(X, labels_of_rows).verdict == "separable"


def test_weights_named_otherwise_are_refused() -> None:
    y, weights = pd.Series([0, 1, 0, 1]), pd.Series([1.0, 2.0, 3.0, 4.0], index=[3, 2, 1, 0])
    for question in (mm.soft_margin, mm.nu_margin):
        said = refused(lambda q=question: q(frame(), y, sample_weight=weights))
        assert "the index of sample_weight is not that of X" in said
        said = refused(lambda q=question: q(frame().to_numpy(), y, sample_weight=weights))
        assert "the index of sample_weight is not that of y" in said


def test_bytes_that_are_no_text_are_refused_with_their_row() -> None:
    message = refused(lambda: mm.from_arrays([[0.0], [1.0], [2.0]], [b"a", b"b\xff", b"a"]))
    assert "row 1: found the bytes b'b\\xff', expected text in UTF-8" in message
