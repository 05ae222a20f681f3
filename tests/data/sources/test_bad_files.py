"""Every bad file is refused with one line that names the file, the position, what was found and what was expected."""

import errno
import gzip
import io
import os
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cases import for_each
from commands import refused
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from table_files import array_file, table_file, text_file

from maxmargin.api.deciding import separability
from maxmargin.data.batches import Choice
from maxmargin.data.reading.formulas import whole_table
from maxmargin.data.reading.loading import load, read_dataset
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.text.data_error import DataError

GOOD = "sepal,petal,species\n5.1,1.4,setosa\n4.9,3.3,virginica\n5.0,1.5,setosa\n"


def complaint(path: Path | str, **options: Any) -> str:
    with pytest.raises(DataError) as caught:
        load(path, **options)
    message = str(caught.value)
    assert len(message.splitlines()) == 1 and message.isprintable()
    return message.removeprefix(f"{path}: ")


@for_each("text, options, expected", [
    ("s,petal,y\n5.1,1.4,a\n4.9,abc,b\n", {}, "line 3, column 'petal': found 'abc', expected a number (drop it"),
    ("5.1,1.4,a\n4.9,abc,b\n", {}, "line 2, column 1: found 'abc', expected a number ("),
    ("a,b\n1,x\n1_000,y\n", {}, "line 3, column 'a': found '1_000', expected a number ("),
    ("a,b\n1,x\n0x10,y\n", {}, "line 3, column 'a': found '0x10', expected a number ("),
    ("a;b\n1;x\n1,5;y\n", {}, "line 3, column 'a': found '1,5', expected a number ("),
    ("a,b\n1,x\ninf,y\n", {}, "line 3, column 'a': found 'inf', expected a finite number"),
    ("a,b\n1,x\n1e999,y\n", {}, "line 3, column 'a': found '1e999', expected a finite number (too large for"),
    ("a,b\n1,x\n,y\n", {}, "line 3, column 'a': found an empty field, expected a number (leave out rows"),
    ("a,b\n1,x\nnan,y\n", {}, "line 3, column 'a': found the missing value 'nan', expected a number ("),
    ("a,b\n1,x\nNA,y\n", {}, "line 3, column 'a': found the missing value 'NA', expected a number (leave out"),
    ("a,b\n1,x\n ? ,y\n", {}, "line 3, column 'a': found the missing value '?', expected a number ("),
    ("a,b\n1,x\n2,\n", {}, "line 3, column 'b': found no label, expected a label (leave out rows with missing"),
    ("a,b\n1,1\n2,inf\n", {}, "line 3, column 'b': found an infinite label, expected a label"),
    ("a,b\n1,x\n2,y,3\n", {}, "line 3: found 3 fields, expected 2"),
    ("a,b,y\n1,5,2,u\n", {}, "line 2: found 4 fields, expected 3"),
    ("a,b\n1,x\n\n2\n", {}, "line 4: found 1 field, expected 2"),
    ("a,b\n1,x\n2,x\n", {}, "column 'b': found one class only, 'x', expected at least two"),
    ("1,1\n2,1\n", {}, "column 1: found one class only, 1, expected at least two"),
    ("a\n1\n2\n", {}, "found one column only, expected at least two: features and a label"),
    ("a,b\n", {}, "line 1: found a header line only, expected rows of data below it"),
    ("", {}, "found an empty file, expected data"),
    ("\ufeff", {}, "found an empty file, expected data"),
    ("a,b\n1,x\n\x00,y\n", {}, "line 3: found a NUL byte, expected text in UTF-8"),
    ('a,b\n1,x\n"2,y\n', {}, "line 3: found broken CSV: unexpected end of data, expected fields in CSV"),
    ('a,b\n1,x\n"2"3,y\n', {}, "line 3: found broken CSV: "),
    ("a,b\n1,x\ntrue,y\n", {}, "line 3, column 'a': found 'true', expected a number ("),
    ("a,b\n1,1.5\n2,2.5\n3,3\n", {}, "column 'b': found 3 different labels such as 1.5, 2.5, 3.0, expected two"),
    ("a,b\n?,x\n?,y\n", {"drop_missing": True}, "column 'a': found a missing value in every row, expected at"),
    ("a,b\n1,x\n?,y\n", {"drop_missing": True}, "column 'b': found one class only, 'x', expected at least two"),
    ("a,b\n1,x\n2,y\nl,y\n", {"one_hot": True}, "line 4, column 'a': found 'l', expected a number (most of the"),
    ("a,b\nu,x\nu,y\n", {"one_hot": True}, "found no feature column left after coding texts, expected at least"),
    (GOOD, {"label": "specis"}, "label=: found no column 'specis', expected one of 'sepal', 'petal', 'species'"),
    (GOOD, {"label": "-4"}, "label=: found position -4, expected a position from -3 to 2"),
    (GOOD, {"drop": ["colour"]}, "drop=: found no column 'colour', expected one of 'sepal', 'petal', 'species'"),
    (GOOD, {"id": "name"}, "id=: found no column 'name', expected one of"),
    (GOOD, {"id": "species"}, "column 'species', id=: found the label column, expected another column"),
    (GOOD, {"drop": "sepal", "id": "petal"}, "found no feature column left, expected at least one beside the"),
    (GOOD, {"positive": "setoza"}, "column 'species': found no label 'setoza', expected one of 'setosa'"),
    ("5,2,a\n3,4,b\n", {"label": "c"}, "label=: found no column 'c', expected a position from 0 to 2, as the"),
    ("a,a,b\n1,2,x\n3,4,y\n", {"drop": "a"},
     "drop=: found 2 columns named 'a', expected one of 'a (column 0)', 'a (column 1)'"),
])  # fmt: skip
def test_bad_csv(tmp_path: Path, text: str, options: dict[str, Any], expected: str) -> None:
    path = text_file(tmp_path, text)
    assert complaint(path, **options).startswith(expected)


def test_nearest_name_is_offered(tmp_path: Path) -> None:
    path = text_file(tmp_path, GOOD)
    assert complaint(path, label="specis").endswith("(did you mean 'species'?)")
    assert complaint(path, positive="setoza").endswith("(did you mean 'setosa'?)")


COHORT = "patient,stage,crp,died\n" + "".join(
    f"P{i},{'I' * (1 + i % 3)},{i if i % 4 else ''},{i % 2}\n" for i in range(12)
)


@pytest.mark.parametrize("options, expected", [
    ({}, "(texts in 'patient', 'stage', 3 missing in 'crp': add id='patient', one_hot=True, drop_missing=True)"),
    ({"id": "patient"}, "(texts in 'stage', 3 missing in 'crp': add one_hot=True, drop_missing=True)"),
    ({"one_hot": True}, "(texts in 'patient', 3 missing in 'crp': add id='patient', drop_missing=True)"),
    ({"drop_missing": True}, "(texts in 'patient', 'stage': add id='patient', one_hot=True)"),
    ({"id": "patient", "one_hot": True}, "(leave out rows with missing values with drop_missing=True: 3 of 12)"),
])  # fmt: skip
def test_all_columns_at_fault_are_named(tmp_path: Path, options: Any, expected: str) -> None:
    path = text_file(tmp_path, COHORT, "cohort.csv")
    said = complaint(path, **options)
    assert said.startswith("line 2, column '") and said.endswith(f", expected a number {expected}")
    assert load(path, id="patient", one_hot=True, drop_missing=True).n_samples == 9


def test_all_columns_of_a_data_frame_at_fault_are_named() -> None:
    frame = pd.read_csv(io.StringIO(COHORT))
    with pytest.raises(DataError, match=r"texts in 'patient', 'stage', 3 missing in 'crp': add id='patient', one_hot"):
        load(frame)
    with pytest.raises(DataError, match=r"texts in 'patient', 'stage': add id='patient', one_hot=True\)"):
        load(frame.dropna())
    with pytest.raises(InvalidProblemError, match=r"missing value in row 0, and in 2 of the 11 others; .*drop_nulls"):
        separability(frame, "died ~ crp")


def test_too_many_classes_or_levels(tmp_path: Path) -> None:
    path = text_file(tmp_path, "a,b\n" + "".join(f"{i},{i}\n" for i in range(101)))
    assert complaint(path).startswith("column 'b': found 101 different numbers in 101 rows, such as 0, 1, 2, expect")
    assert load(path, positive="7").y.sum() == 1 - 100
    path.write_text("a,b\n" + "".join(f"{i},c{i}\n" for i in range(101)))
    assert complaint(path).startswith("column 'b': found 101 different labels such as 'c0', 'c1', 'c10', expected at")
    path.write_text("a,b\n" + "".join(f"u{i},{i % 2}\nu{i},{i % 2}\n" for i in range(1001)))
    assert complaint(path, one_hot=True).startswith("column 'a': found 1001 different texts such as 'u0', 'u1', 'u10'")


@for_each("memory", [None, 1])
@for_each(
    ("bad", "expected"),
    [("x,1\n", ", column 'a': found 'x'"), ("1\n", ": found 1 field"), ("1,\n", ", column 'b': found no label")],
)
def test_line_in_a_later_block(tmp_path: Path, memory: int | None, bad: str, expected: str) -> None:
    rows = [f"{i},{i % 2}\n" for i in range(100)]
    path = text_file(tmp_path, "".join(["a,b\n", "\n", *rows, bad, *rows]))
    said = refused(lambda: read_dataset(path, Choice(bytes_at_once=64), memory=memory))
    assert said.startswith(f"{path}: line 103{expected}")


def test_no_such_file(tmp_path: Path) -> None:
    assert complaint(tmp_path / "data.csv") == "found no such file, expected a file"
    assert complaint("irs").endswith("(did you mean 'iris'?)")
    assert complaint("no\nsuch").startswith("no\\nsuch: found no such file, expected a file .csv .tsv")


def test_directory(tmp_path: Path) -> None:
    assert complaint(tmp_path) == "found a directory without files, expected files of one format"
    folder = tmp_path / "data.csv"
    folder.mkdir()
    assert complaint(folder) == "found a directory without files, expected files of one format"
    assert complaint(tmp_path).startswith("found 'data.csv' in the directory, expected files .csv .tsv .txt .dat ")
    with pytest.raises(DataError, match="found a directory, expected a file"):
        whole_table(folder, Choice(keep_texts=True))


def test_unreadable_file(tmp_path: Path) -> None:
    path = text_file(tmp_path, GOOD)
    assert complaint(path / "below.csv").startswith("found a file that cannot be read: Not a directory, expected a")
    circle = tmp_path / "circle.csv"
    circle.symlink_to(circle)
    reason = os.strerror(errno.ELOOP)
    assert complaint(circle) == f"found a file that cannot be read: {reason}, expected a readable file"


def test_unknown_suffix(tmp_path: Path) -> None:
    path = text_file(tmp_path, GOOD, "data.cvs")
    message = complaint(path)
    assert message.startswith("found the suffix '.cvs', expected one of .csv .tsv .txt .dat .parquet")
    assert message.endswith("(did you mean '.csv'?)")
    path = text_file(tmp_path, GOOD, "data")
    said = complaint(path)
    assert said.startswith("found no suffix, expected one of .csv .tsv") and "format=" in said


@for_each("suffix", ["csv", "parquet", "feather", "npz", "svm"])
def test_broken_gzip(tmp_path: Path, suffix: str) -> None:
    path = text_file(tmp_path, GOOD, f"data.{suffix}.gz")
    assert complaint(path).startswith("found broken gzip data: Not a gzipped file")
    line = "{0} 1:{0}\n" if suffix == "svm" else "{0},{0}\n"
    whole = gzip.compress("".join(line.format(i * i) for i in range(1000)).encode())
    path.write_bytes(whole[: len(whole) // 2])
    assert complaint(path).startswith("found broken gzip data: Compressed file ended before")
    path.write_bytes(whole[:20] + b"\xff" * 20 + whole[40:])
    assert complaint(path).endswith("expected a complete gzip file")
    path.write_bytes(whole[:-8] + b"\0" * 8)
    assert complaint(path).startswith("found broken gzip data: CRC check failed")


@for_each("suffix", ["csv", "tsv", "parquet", "feather", "npz", "svm", "csv.gz", "npz.gz"])
def test_empty_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"data.{suffix}"
    path.touch()
    assert complaint(path) == "found an empty file, expected data"


@for_each("form", ["Parquet", "Feather"])
@for_each("memory", [None, 1])
def test_broken_arrow_files(tmp_path: Path, form: str, memory: int | None) -> None:
    path = table_file(tmp_path / f"data.{form.lower()}", pa.table({"a": [1.0, 2.0], "b": ["x", "y"]}))
    for content in (GOOD.encode(), path.read_bytes()[:-40]):
        path.write_bytes(content)
        said = complaint(path, memory=memory)
        assert said.startswith(f"found broken {form} data: ") and said.endswith(f"expected a complete {form} file")


def test_feather_file_that_points_outside_itself(tmp_path: Path) -> None:
    table = pa.table({"a": range(20), "b": ["x", "y"] * 10})
    path = table_file(tmp_path / "data.feather", table, compression="uncompressed")
    content = path.read_bytes()
    offsets = np.arange(21, dtype="<i4").tobytes()
    assert content.count(offsets) == 1
    path.write_bytes(content.replace(offsets, offsets[:40] + b"\xff\xff\xff\x7f" + offsets[44:]))
    assert complaint(path).startswith("found broken Feather data: ")


@for_each("arrays, expected", [
    ({"y": np.array([0, 1])}, "found the arrays 'y', expected an array 'X'"),
    ({"X": np.eye(2)}, "found the arrays 'X', expected an array 'y'"),
    ({"data": np.eye(2)}, "found the arrays 'data', expected an array 'X'"),
    ({"X": np.ones(2), "y": np.array([0, 1])}, "found X of shape (2,), expected two dimensions: rows and"),
    ({"X": np.ones((2, 0)), "y": np.array([0, 1])}, "found X without columns, expected at least one feature"),
    ({"X": np.eye(2), "y": np.array([0, 1, 1])}, "found y of shape (3,), expected shape (2,), a label for every"),
    ({"X": np.eye(2) * 1j, "y": np.array([0, 1])}, "found X of type 'complex128', expected an array X of real"),
    ({"X": np.eye(2), "y": np.array([0, 1j])}, "found y of type 'complex128', expected labels: "),
    ({"X": np.array([[1, np.nan], [2, 3]]), "y": np.array([0, 1])}, "row 0, column 1: found a missing value"),
    ({"X": np.array([[1, -np.inf], [2, 3]]), "y": np.array([0, 1])}, "row 0, column 1: found minus infinity"),
    ({"X": np.eye(2), "y": np.array([0, np.nan])}, "row 1, column 'y': found no label, expected a label"),
    ({"X": np.eye(2), "y": np.array([1, 1])}, "column 'y': found one class only, 1, expected at least two"),
    ({"X": np.empty((0, 2)), "y": np.array([])}, "found no rows, expected at least one"),
    ({"X": np.eye(2), "y": np.array([0, 1]), "feature_names": np.array(["a"])}, "found 1 feature_names"),
])  # fmt: skip
def test_bad_npz(tmp_path: Path, arrays: dict[str, Any], expected: str) -> None:
    path = tmp_path / "data.npz"
    np.savez(path, **arrays)
    assert complaint(path).startswith(expected)


def test_broken_npz(tmp_path: Path) -> None:
    path = text_file(tmp_path, GOOD, "data.npz")
    assert complaint(path) == "found a file that is no archive, expected an .npz file with the arrays X and y"
    array_file(path, np.eye(2), [0, 1])
    path.write_bytes(path.read_bytes()[:-30])
    assert complaint(path).startswith("found a broken archive: ")
    with path.open("wb") as file:
        np.save(file, np.eye(2))
    assert complaint(path) == "found a single array (.npy), expected an .npz file with the arrays X and y"
    array_file(path, np.eye(2), [0, 1])
    for memory in (None, 1):
        assert complaint(path, label="0", memory=memory).startswith("label=: found column '0', expected the array 'y'")
    assert complaint(path, one_hot=[0]).startswith("column 0: found a column of numbers")


@for_each("text, expected", [
    ("1 1:2\n-1 -3:1.5\n", "line 2: found '-3:1.5', expected an index from 0, or from 1"),
    ("1 3:2 2:1\n-1 1:1\n", "line 1: found index 2 after index 3, expected indices that increase"),
    ("1 1:2\n-1 1:abc\n", "line 2, column 'index 1': found 'abc', expected a number"),
    ("1 1:2\n-1 1:1e999\n", "line 2, column 'index 1': found '1e999', expected a finite number"),
    ("1 1:2\n-1 1:nan\n", "line 2, column 'index 1': found the missing value 'nan', expected a number"),
    ("1 1:2\n-1 1:\n", "line 2, column 'index 1': found an empty field, expected a number"),
    ("1 1:2\n-1 a:2\n", "line 2: found 'a:2', expected index:value such as 3:0.5"),
    ("1 1:2\n-1 1_0:2\n", "line 2: found '1_0:2', expected index:value such as 3:0.5"),
    ("1 1:2\n-1 1:2:3\n", "line 2, column 'index 1': found '2:3', expected a number"),
    ("1 1:2\n1,2 1:2\n", "line 2: found '1,2', expected a number as label, then index:value"),
    ("1 1:2\nnan 3:1\n", "line 2: found 'nan', expected a number as label"),
    ("1\n-1\n", "found no index:value at all, expected at least one feature"),
    ("# nothing\n\n", "found no rows, expected lines such as '+1 1:0.5 3:2'"),
    ("1 1:2\n1 1:3\n", "column 'label': found one class only, 1, expected at least two"),
    ("1 1:2\n-1 99999999999:3\n", "found index 99999999999, expected at most 5000000"),
    (f"1 1:2\n-1 {'1' * 5000}:3\n", "line 2: found index '1111"),
    ("1 1:2\n-1 é:3\n", "line 2: found 'é', expected plain ASCII outside comments"),
])  # fmt: skip
def test_bad_svmlight(tmp_path: Path, text: str, expected: str) -> None:
    path = text_file(tmp_path, text, "data.svm")
    assert complaint(path).startswith(expected)


def test_svmlight_has_one_label(tmp_path: Path) -> None:
    path = text_file(tmp_path, "1 1:2\n-1 1:3\n", "data.svm")
    assert complaint(path, label=0).startswith("label=: found column 0, expected the label, the first field of a line")


def test_bad_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    for content, expected in (
        (b"a,b\n1,x\nu,y\n", "line 3, column 'a': found 'u', expected"),
        (b"", "found an empty file"),
    ):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        with pytest.raises(DataError, match=f"^standard input: {expected}"):
            load("-")


def test_pipe_is_not_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_text, args=(GOOD,))
    writer.start()
    assert load(path).n_samples == 3
    writer.join()


def test_long_text_is_cut(tmp_path: Path) -> None:
    path = text_file(tmp_path, f"a,b\n1,x\n{'z' * 1000},y\n")
    assert complaint(path).startswith(f"line 3, column 'a': found '{'z' * 40}...', expected a number")


def test_nothing_is_unpickled(tmp_path: Path) -> None:
    class Trap:
        def __reduce__(self) -> tuple[Any, ...]:
            return (os.mkdir, (str(tmp_path / "sprung"),))

    path = tmp_path / "data.npz"
    np.savez(path, X=np.eye(2), y=np.array([Trap(), Trap()], dtype=object))
    assert "unpickled" in complaint(path)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "svm", "npz"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_files_are_read_or_refused(tmp_path: Path, suffix: str, data: st.DataObject) -> None:
    """Whatever happens to the bytes of a file, it is data or a :class:`DataError`."""
    path = tmp_path / f"data.{suffix}"
    whole = {
        "csv": GOOD.encode(),
        "csv.gz": gzip.compress(GOOD.encode(), mtime=0),
        "svm": b"1 1:2 3:4 # c\n-1 qid:1 2:3\n",
        "npz": array_file(path, np.eye(2), [0, 1]).read_bytes(),
    }[suffix]
    start = data.draw(st.integers(0, len(whole)))
    n_lost = data.draw(st.integers(0, 8))
    put = data.draw(st.binary(max_size=4) | st.sampled_from([b",", b"\n", b'"', b"\r", b";", b"\0", b":", b"1e999"]))
    path.write_bytes(whole[:start] + put + whole[start + n_lost :])
    try:
        load(path, one_hot=data.draw(st.booleans()), drop_missing=data.draw(st.booleans()))
    except DataError as error:
        assert len(str(error).splitlines()) == 1


def test_numbers_of_a_part_of_the_rows_are_not_told(tmp_path: Path) -> None:
    path = tmp_path / "long.csv"
    path.write_text("a,b,y\n" + "NA,,u\n1.5,2.5,v\n" * 200, encoding="utf-8")
    hint = "values missing in 'a', values missing in 'b': add drop_missing=True"
    with pytest.raises(DataError, match=hint):
        read_dataset(path, Choice(bytes_at_once=256))
    with pytest.raises(DataError, match="200 missing in 'a', 200 missing in 'b'"):
        read_dataset(path, Choice())


def test_the_first_version_of_feather_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "old.feather"
    path.write_bytes(b"FEA1" + bytes(96) + b"FEA1")
    assert complaint(path).startswith(
        "found the first version of Feather, expected the second version (write it as Par"
    )
