"""Every door to the package takes numbers through one gate: held by binary64, decided as fractions, or refused."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import dask.array as da
import dask.dataframe as dd
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from calls import VERBS
from cases import for_each
from commands import json_answer, refusal, refused
from hypothesis import given
from hypothesis import strategies as st
from references import is_separable
from table_files import array_file, table_file

import maxmargin as mm
from maxmargin.cli.app import run

Rows = list[list[Any]]
Door = Callable[[Rows, Path], mm.Dataset]

LABELS = "abc"


def labels(rows: Rows) -> list[str]:
    return [LABELS[i % 2] for i in range(len(rows))]


def columns(rows: Rows) -> dict[str, list[Any]]:
    return {f"f{j}": [row[j] for row in rows] for j in range(len(rows[0]))}


def array(make: Callable[[Rows], Any]) -> Door:
    return lambda rows, folder: mm.from_arrays(make(rows), labels(rows))


def objects(rows: Rows) -> Any:
    X = np.empty((len(rows), len(rows[0])), dtype=object)
    for i, row in enumerate(rows):
        X[i] = row
    return X


def table(make: Callable[[Rows], Any]) -> Door:
    """A table that goes in with its labels by `load`."""
    return lambda rows, folder: mm.load(make(rows))


def with_labels(rows: Rows) -> dict[str, list[Any]]:
    return {**columns(rows), "label": labels(rows)}


def file(write: Callable[[Rows, Path], Path], **options: Any) -> Door:
    return lambda rows, folder: mm.load(write(rows, folder), **options)


def npz(save: Callable[..., Any]) -> Callable[[Rows, Path], Path]:
    return lambda rows, folder: array_file(folder / "data.npz", np.array(rows, dtype=np.int64), labels(rows), save)


def npy(rows: Rows, folder: Path) -> Path:
    np.save(folder / "X.npy", np.array(rows, dtype=np.int64))
    np.save(folder / "y.npy", np.array(labels(rows)))
    return folder / "X.npy"


def arrow_file(kind: str) -> Callable[[Rows, Path], Path]:
    return lambda rows, folder: table_file(folder / f"data.{kind}", pa.table(with_labels(rows)))


def pandas_of(dtype: Any) -> Callable[[Rows], Any]:
    return lambda rows: pd.DataFrame({name: pd.Series(column, dtype=dtype) for name, column in columns(rows).items()})


SPARSE = [getattr(sp, f"{form}_{kind}") for form in ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")
          for kind in ("array", "matrix")]  # fmt: skip

INTEGER_DOORS: dict[str, Door] = {
    "list": array(lambda rows: rows),
    "tuple": array(lambda rows: tuple(map(tuple, rows))),
    "list with a float": array(lambda rows: [[*row, 0.5] for row in rows]),
    "list of arrays": array(lambda rows: [np.array(row) for row in rows]),
    "int64": array(lambda rows: np.array(rows, dtype=np.int64)),
    "big-endian int64": array(lambda rows: np.array(rows, dtype=">i8")),
    "uint64": array(lambda rows: np.array(rows, dtype=np.uint64)),
    "strided": array(lambda rows: np.repeat(np.array(rows, dtype=np.int64), 2, axis=0)[::2]),
    "masked": array(lambda rows: np.ma.masked_array(np.array(rows, dtype=np.int64))),
    "fortran": array(lambda rows: np.asfortranarray(np.array(rows, dtype=np.int64))),
    "longdouble": array(lambda rows: np.array(rows, dtype=np.longdouble)),
    "objects": array(objects),
    "objects with texts of numpy": array(lambda rows: objects([[np.int64(v) for v in row] for row in rows])),
    "objects of longdouble": array(lambda rows: objects([[np.longdouble(v) for v in row] for row in rows])),
    "pandas": array(pandas_of(np.int64)),
    "pandas uint64": array(pandas_of(np.uint64)),
    "pandas Int64": array(pandas_of("Int64")),
    "pandas Arrow": array(pandas_of("int64[pyarrow]")),
    "pandas objects": array(pandas_of(object)),
    "pandas longdouble": array(pandas_of(np.longdouble)),
    "polars": array(lambda rows: pl.DataFrame(columns(rows))),
    "polars Int128": array(lambda rows: pl.DataFrame(columns(rows), schema_overrides={"f0": pl.Int128})),
    "Arrow": array(lambda rows: pa.table(columns(rows))),
    "Arrow uint64": array(lambda rows: pa.table({n: pa.array(c, pa.uint64()) for n, c in columns(rows).items()})),
    "loaded pandas": table(lambda rows: pd.DataFrame(with_labels(rows))),
    "loaded polars": table(lambda rows: pl.DataFrame(with_labels(rows))),
    "loaded Arrow": table(lambda rows: pa.table(with_labels(rows))),
    "parquet": file(arrow_file("parquet")),
    "parquet on disk": file(arrow_file("parquet"), memory=1),
    "feather": file(arrow_file("feather")),
    "feather on disk": file(arrow_file("feather"), memory=1000),
    "npz": file(npz(np.savez)),
    "npz on disk": file(npz(np.savez), memory=1),
    "compressed npz": file(npz(np.savez_compressed)),
    "compressed npz on disk": file(npz(np.savez_compressed), memory=1),
    "npy": file(npy),
    "npy on disk": file(npy, memory=1),
    "dask array": array(lambda rows: da.from_array(np.array(rows, dtype=np.int64), chunks=(3, -1))),
    "dask frame": array(lambda rows: dd.from_pandas(pd.DataFrame(columns(rows)), npartitions=1)),
    **{f"{form.__name__} of {dtype}": array(lambda rows, form=form, dtype=dtype: form(np.array(rows, dtype=dtype)))
       for form in SPARSE for dtype in ("int64", "uint64", "longdouble")},
}  # fmt: skip

FRACTION_DOORS: dict[str, Callable[[Rows], Any]] = {
    "list": lambda rows: rows,
    "tuple": lambda rows: tuple(map(tuple, rows)),
    "objects": objects,
    "pandas": pandas_of(object),
    "polars objects": lambda rows: pl.DataFrame(
        {name: pl.Series(column, dtype=pl.Object) for name, column in columns(rows).items()}
    ),
}

DECIMAL_DOORS = {
    **FRACTION_DOORS,
    "polars": lambda rows: pl.DataFrame(columns(rows)),
    "Arrow decimal128": lambda rows: pa.table({n: pa.array(c, pa.decimal128(30, 9)) for n, c in columns(rows).items()}),
    "Arrow decimal256": lambda rows: pa.table({n: pa.array(c, pa.decimal256(60, 9)) for n, c in columns(rows).items()}),
    "pandas Arrow": pandas_of(pd.ArrowDtype(pa.decimal128(30, 9))),
}


# Numbers that pass, and integers that do not


@for_each("name", INTEGER_DOORS)
def test_integers_pass_or_are_refused(name: str, tmp_path: Path) -> None:
    door = INTEGER_DOORS[name]
    fine = [[2**53, 3], [2**62, 2**53 - 1], [2**53 + 2, 0]]
    dataset = door(fine, tmp_path)
    assert [[int(v) for v in row[:2]] for row in dense(dataset).tolist()] == fine
    X = dataset.X
    if isinstance(X, np.ndarray):
        assert X.dtype == np.float64 and X.flags.c_contiguous and not X.flags.writeable
    elif sp.issparse(X):
        assert isinstance(X, sp.csr_array) and not any(a.flags.writeable for a in (X.data, X.indices, X.indptr))
    for other in (2**53 + 1, 2**62 + 1, 2**63 - 1):
        said = refused(lambda other=other: door([[2**53, 1], [5, 7], [2**53 + 2, other]], tmp_path))
        assert str(other) in said or ("longdouble" in name and "e+18" in said)
        assert "row 2, column" in said and "binary64 holds exactly" in said


def dense(dataset: mm.Dataset) -> Any:
    X = dataset.X[:]
    return X.toarray() if hasattr(X, "toarray") else X


@for_each("dtype", ["bool", "int8", "uint8", "int16", "int32", "uint32", "f2", "f4", "f8", ">f8", ">f4"])
def test_small_types_are_exact(dtype: str) -> None:
    X = np.array([[0, 1], [1, 1], [1, 0]]).astype(dtype) / np.array(3 if np.dtype(dtype).kind == "f" else 1, dtype)
    X = X.astype(dtype)
    expected = [[Fraction(float(v)) for v in row] for row in X.tolist()]
    for made in (
        X, X.tolist(), objects(list(map(list, X))), sp.coo_array(X) if dtype not in ("f2", ">f8", ">f4") else X,
    ):  # fmt: skip
        assert [[Fraction(v) for v in row] for row in dense(mm.from_arrays(made, [0, 1, 1])).tolist()] == expected


@for_each(("X", "said"), [
        (np.array([[1 + 0j], [2]]), "dtype complex128"),
        ([[1 + 0j], [2]], "dtype complex128"),
        (objects([[1 + 0j], [2]]), "row 0, column 0: found (1+0j), expected a number"),
        (objects([[Decimal(1)], ["2"]]), "row 1, column 0: found '2', expected a number"),
        (objects([[1], [None]]), "row 1, column 0: found None"),
        (objects([[Decimal("0.1")], [Decimal("NaN")]]), "row 1, column 0: found NaN"),
        (objects([[Decimal("sNaN")], [1]]), "row 0, column 0: found NaN"),
        (objects([[Decimal("Infinity")], [1]]), "row 0, column 0: found an infinite value"),
        ([[Decimal("1e999999999")], [1]], "at most 2000 digits"),
        ([[Fraction(1, 3) ** 20_000], [1]], "at most 14000 bits"),
        ([[Fraction(10**400, 3)], [1]], "too large for binary64"),
        ([[10**5000], [1]], "found a number of 16610 bits"),
        ([[Fraction(1, p)] for p in (3**300, 5**300, 7**300)], "column 0: found numbers that need integers of more"),
        (np.ma.masked_array([[1], [2]], mask=[[0], [1]]), "masked"),
        (sp.coo_array(([1 + 0j], ([0], [0])), shape=(2, 1)), "dtype complex128"),
        (pd.DataFrame({"a": [1j, 2]}), "column 'a'"),
        (da.from_array(objects([[Decimal("0.1")], [Decimal("0.3")]]), chunks=1), "Decimals or Fractions"),
    ])  # fmt: skip
def test_what_is_no_number_is_refused(X: Any, said: str) -> None:
    y = [i % 2 for i in range(3 if isinstance(X, list) and len(X) == 3 else 2)]
    assert said in refused(lambda: mm.from_arrays(X, y))


@for_each("form", ["coo", "csr", "csc", "bsr"])
@for_each("dtype", ["int8", "int64", "float64"])
def test_duplicates_of_sparse_entries_are_added_exactly(form: str, dtype: str) -> None:
    parts = {"int8": [100, 100], "int64": [2**53, 2], "float64": [2.0**53, 2.0]}[dtype]
    entries = (np.array([*parts, 1], dtype=dtype), ([0, 0, 1], [0, 0, 1]))
    assert dense(mm.from_arrays(duplicated(entries, form), [0, 1])).tolist() == [[sum(parts), 0], [0, 1]]
    if dtype != "int8":
        entries = (np.array([2**53, 1, 1], dtype=dtype), ([1, 1, 0], [1, 1, 0]))
        said = refused(lambda: mm.from_arrays(duplicated(entries, form), [0, 1]))
        assert "row 1, column 1: found 2 entries whose sum" in said


def duplicated(entries: Any, form: str) -> Any:
    """Return a matrix of that format that holds several entries for a place."""
    data, (rows, cols) = entries
    if form == "coo":
        return sp.coo_array(entries, shape=(2, 2))
    order = np.lexsort((rows, cols) if form == "csc" else (cols, rows))
    major, minor = (cols, rows) if form == "csc" else (rows, cols)
    indptr = np.searchsorted(np.array(major)[order], [0, 1, 2])
    indices = np.array(minor)[order]
    if form == "bsr":
        return sp.bsr_array((data[order].reshape(-1, 1, 1), indices, indptr), shape=(2, 2))
    return getattr(sp, f"{form}_array")((data[order], indices, indptr), shape=(2, 2))


def test_text_in_files_is_the_nearest_binary64(tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text(f"a,label\n{2**53}.0,u\n{2**53 + 1}.0,v\n")
    assert mm.load(tmp_path / "data.csv").X.tolist() == [[2.0**53]] * 2
    (tmp_path / "data.svm").write_text(f"1 1:{2**53}.0\n2 1:{2**53 + 1}.0\n")
    assert dense(mm.load(tmp_path / "data.svm")).tolist() == [[2.0**53]] * 2
    for name, text in (("data.csv", f"a,label\n1,u\n{2**53 + 1},v\n"), ("data.svm", f"1 1:1\n2 1:{2**53 + 1}\n")):
        (tmp_path / name).write_text(text)
        said = refused(lambda path=tmp_path / name: mm.load(path))
        assert "found '9007199254740993', expected a number that binary64 holds" in said


# Decimals and fractions

# The third row is the middle of the others, but not of their binary64 values.
TENTHS = [["0.1", "0.3"], ["0.3", "0.9"], ["0.2", "0.6"]]


@for_each("name", DECIMAL_DOORS)
def test_decimals_are_decided_exactly(name: str) -> None:
    y = ["a", "a", "b"]
    X = DECIMAL_DOORS[name]([[Decimal(text) for text in row] for row in TENTHS])
    answer = mm.separability(X, y)
    assert answer.strictly_separable is False
    assert mm.separability(np.array(TENTHS, dtype=float), y).strictly_separable
    assert mm.verify(answer.certificate, X, y) and mm.verify(answer.certificate.to_json(), X, y)
    with pytest.raises(mm.CertificateError):
        mm.verify(answer.certificate, np.array(TENTHS, dtype=float), y)
    with pytest.raises(mm.SeparationError):
        mm.require(X, y, "separable")
    moved = DECIMAL_DOORS[name]([[Decimal(t) for t in row] for row in [*TENTHS[:2], ["0.2", "0.600000001"]]])
    answer = mm.separability(moved, y)
    assert answer.verdict == "separable" and mm.verify(answer.certificate, moved, y)


@for_each("name", DECIMAL_DOORS)
def test_decimals_that_binary64_holds_are_ordinary_numbers(name: str) -> None:
    rows = [[Decimal("0.5")], [Decimal("-1.25")]]
    data = mm.from_arrays(DECIMAL_DOORS[name](rows), [0, 1])
    assert data.exact is None and data.X.tolist() == [[0.5], [-1.25]]
    answer = mm.hard_margin(DECIMAL_DOORS[name](rows), [0, 1])
    assert answer.lower <= 0.875 <= answer.upper


QUESTIONS = [VERBS[name] for name in VERBS.keys() - {"separability", "require"}]
QUESTIONS.append(lambda X, y: mm.margin_report(mm.from_arrays(X, y)))


@for_each("question", QUESTIONS)
def test_other_questions_refuse_what_they_would_round(question: Callable[[Any, Any], Any]) -> None:
    X = [[0.5, 1], [Fraction(1, 3), 2], [1, 4]]
    said = refused(lambda: question(X, ["a", "b", "b"]))
    assert "row 1 ('b'), column '0': found 1/3, expected one that binary64 holds exactly" in said


SMALL = st.fractions(min_value=-2, max_value=2, max_denominator=6)


@pytest.mark.slow
@given(st.lists(st.tuples(SMALL, SMALL), min_size=2, max_size=6), st.booleans(), st.sampled_from(list(FRACTION_DOORS)))
def test_verdicts_of_fractions(rows: list[tuple[Fraction, Fraction]], bias: bool, door: str) -> None:
    y = np.array([-1, 1] * len(rows))[: len(rows)]
    X = FRACTION_DOORS[door](list(map(list, rows)))
    answer = mm.separability(X, y, bias=bias)
    assert answer.strictly_separable == is_separable(objects(list(map(list, rows))), y, bias)
    assert answer.verdict != "undecided" and mm.verify(answer.certificate, X, y)


@pytest.mark.slow
@given(st.lists(st.tuples(SMALL, SMALL), min_size=3, max_size=9), st.booleans())
def test_verdicts_of_several_classes_of_fractions(rows: list[tuple[Fraction, Fraction]], bias: bool) -> None:
    """The same rows times 60 are integers, of which the verdict is known to be proven."""
    y = [LABELS[i % 3] for i in range(len(rows))]
    X = [list(row) for row in rows]
    answer = mm.separability(X, y, bias=bias)
    assert answer.verdict == mm.separability([[int(60 * v) for v in row] for row in rows], y, bias=bias).verdict
    assert mm.verify(answer.certificate, X, y)


def test_columns_keep_their_own_units() -> None:
    """A separating hyperplane is that of the numbers, whatever their columns count."""
    X = [[Fraction(1, 3), 10**15], [Fraction(2, 3), 10**15], [Decimal("0.7"), 1]]
    proof = mm.separability(X, ["u", "v", "v"]).certificate
    values = [sum(w * Fraction(v) for w, v in zip(proof.w, row, strict=True)) + proof.b for row in X]
    assert values[0] < 0 < min(values[1:])
    assert min(-values[0], *values[1:]) == proof.least_functional_margin


def test_a_proof_about_decimal_text_holds_for_arrays_of_it(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("\n".join([*(",".join([*row, label]) for row, label in zip(TENTHS, "aab", strict=True))]))
    proof = tmp_path / "proof.json"
    assert run(["check", str(path), "--decimal", "--proof", str(proof)]) == 3
    X = [[Decimal(text) for text in row] for row in TENTHS]
    assert mm.verify(proof, X, list("aab"))
    whole = mm.separability([[0.5], [0.25]], [0, 1]).certificate.to_dict()
    with pytest.raises(mm.CertificateError, match="about binary64 numbers"):
        mm.verify(whole, [[Decimal("0.1")], [Decimal("0.25")]], [0, 1])


def test_decimal_columns_of_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [[Decimal(text) for text in row] for row in TENTHS[:2]] + [[Decimal("0.2"), Decimal("0.6")]]
    arrays = {n: pa.array(c, pa.decimal128(20, 3)) for n, c in columns(rows).items()}
    path, proof = str(tmp_path / "data.parquet"), str(tmp_path / "proof.json")
    table_file(Path(path), pa.table({**arrays, "label": list("aab")}))
    code, fields = json_answer(capsys, "check", path, "--proof", proof)
    assert (code, fields["reading"], fields["binary64_verdict"]) == (3, "decimal", "separable")
    assert run(["verify", proof, path]) == 0
    assert run(["check", path, "--decimal"]) == 3
    plain = [[name, path] for name in ("margin", "perceptron", "bounds", "orders", "online", "fewest-errors", "report")]
    for arguments in (*plain, ["margin", path, "--soft", "1"], ["check", path, "--memory", "1"]):
        assert "found 1/10, expected one that binary64 holds" in refusal(capsys, *arguments)


def test_decimal_columns_with_missing_values() -> None:
    data = pd.DataFrame({"a": [Decimal("0.1"), None, Decimal("0.3")], "b": [1, 2**53 + 1, 3], "label": list("uvv")})
    with pytest.raises(mm.DataError, match="column 'b': found 9007199254740993"):
        mm.load(data, drop_missing=True)
    loaded = mm.load(data.drop(columns="b"), drop_missing=True)
    assert loaded.exact.units.rows(loaded.exact.integers) == [(Fraction(1, 10),), (Fraction(3, 10),)]
    nullable = pd.DataFrame({"a": pd.array([2**53 + 1, None, 1], dtype="Int64"), "label": list("uvv")})
    with pytest.raises(mm.DataError, match="row 0, column 'a': found 9007199254740993"):
        mm.load(nullable, drop_missing=True)


# Weights, and functions of arrays


def test_exact_functions_of_arrays_do_not_round() -> None:
    from maxmargin.boolean import is_in_general_position
    from maxmargin.data.features import products

    X = [[2**53 + 1, 2**53], [1, 1]]
    for function in (is_in_general_position, products):
        assert "X, row 0, column 0: found 9007199254740993" in refused(lambda f=function: f(X))


@pytest.mark.parametrize("weight", [2**53 + 1, Fraction(1, 3), Decimal("0.1")])
def test_weights_are_not_rounded(weight: Any) -> None:
    X, y = [[1.0], [2.0], [3.0]], [0, 1, 1]
    for question in (mm.soft_margin, mm.nu_margin):
        for class_weight in (None, {0: 2.0}):
            said = refused(lambda q=question, c=class_weight: q(X, y, sample_weight=[1, weight, 1.5], class_weight=c))
            assert "sample_weight, row 1: found" in said
    assert mm.soft_margin(X, y, sample_weight=[Fraction(1, 2), Decimal("0.25"), 1]).w is not None


# Labels of any type stay different, and rows that tables name are paired by their names or not at all


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
