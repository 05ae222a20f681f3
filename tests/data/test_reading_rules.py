"""What people hand in, read as it is meant or refused, the same through every door that can carry it."""

import gzip
import io
import os
import re
import sys
import threading
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cases import for_each
from commands import Capture, answered, refusal, refused

import maxmargin as mm
from maxmargin.data.batches import Choice
from maxmargin.data.reading.loading import read_dataset
from maxmargin.data.sources.csv_layout import names_columns
from maxmargin.solvers.errors import InvalidOptionError

Door = Callable[[Path, str, pytest.MonkeyPatch], tuple[Any, dict[str, Any]]]


def in_file(name: str) -> Door:
    def door(folder: Path, text: str, _monkeypatch: pytest.MonkeyPatch) -> tuple[Any, dict[str, Any]]:
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return path if path.parent == folder else path.parent, {}

    return door


def on_stdin(_folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, dict[str, Any]]:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    return "-", {}


def beyond_memory(folder: Path, text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Any, dict[str, Any]]:
    return in_file("d.csv")(folder, text, monkeypatch)[0], {"memory": 1}


DOORS: dict[str, Door] = {
    "file": in_file("d.csv"), "txt": in_file("d.txt"), "gz": in_file("d.csv.gz"), "folder": in_file("parts/d.csv"),
    "stdin": on_stdin, "beyond memory": beyond_memory,
}  # fmt: skip

ASK = "found a line that may name the columns or be a row"
TOLD = (
    "told to be missing, and in no column that it is about: {} (a text alone is about features of which most values "
    "are numbers)"
)
CASES: dict[str, tuple[str, dict[str, Any], str | dict[str, Any]]] = {
    # text, options, and what is refused or some attributes of the data set
    "one feature": ("0,1\n1,0\n2,0\n3,1\n4,1\n", {}, ASK),
    "one feature, told": ("0,1\n1,0\n2,0\n3,1\n4,1\n", {"header": True}, {"n_samples": 4, "feature_names": ("0",)}),
    "one feature, no header": ("0,1\n1,0\n2,0\n3,1\n4,1\n", {"header": False}, {"n_samples": 5, "header_line": None}),
    "wavelengths": (
        "1100,1102,1104,class\n.2,.3,.1,pure\n.1,.2,.2,pure\n.3,.1,.1,mixed\n.3,.2,.2,mixed\n", {},
        {"n_samples": 4, "feature_names": ("1100", "1102", "1104"), "header_line": 1},
    ),
    "numbers of pandas": ("0,1,2\n5,7,0\n3,9,1\n", {}, {"n_samples": 2, "feature_names": ("0", "1")}),
    "years": ("1990,1991,1992\n5,7,0\n3,9,1\n", {}, ASK),
    "a headerless file": ("5,7,0\n3,9,1\n4,4,0\n", {}, {"n_samples": 3, "header_line": None}),
    "a name inf": ("a,inf,y\n5,7,0\n3,9,1\n", {}, {"feature_names": ("a", "inf")}),
    "equal names": ("x,x,y\n1,2,u\n3,1,v\n", {}, {"feature_names": ("x (column 0)", "x (column 1)")}),
    "Stata's points": (
        "a,b,y\n1,2,0\n.,3,1\n4,.,0\n5,6,1\n", {"drop_missing": True},
        {"n_samples": 2, "notes": ("2 rows with missing values left out of 4",)},
    ),
    "dashes": ("a,b,y\n1,2,0\n-,3,1\n4,-,0\n5,6,1\n", {}, "column 'a': found '-', expected a number"),
    "dashes, told": ("a,b,y\n1,2,0\n-,3,1\n4,-,0\n5,6,1\n", {"missing": "-", "drop_missing": True}, {"n_samples": 2}),
    "dashes in a column": ("a,b,y\n1,2,0\n-,3,1\n4,-,0\n", {"missing": {"a": "-"}}, "column 'a': found"),
    "dashes nowhere": ("a,b,y\n1,2,0\n3,3,1\n", {"missing": ["-", "NA"]}, {"notes": (TOLD.format("'-'"),)}),
    "dashes in no column": ("a,b,y\n1,2,0\n3,3,1\n", {"missing": {"A": "-"}}, {"notes": (TOLD.format("'A=-'"),)}),
    "dashes, of two texts": (
        "a,b,y\n1,2,0\n-,3,1\n4,5,1\n", {"missing": {"a": "-", "b": "-"}, "drop_missing": True},
        {"notes": ("1 row with missing values left out of 3", TOLD.format("'b=-'"))},
    ),
    "a number is no missing text": ("a,y\n1,0\n9,1\n", {"missing": "9"}, "expected a text that is no number"),
    "identities": ("a,y\n1,0\n732822797798539265,1\n", {}, "found '732822797798539265', expected a number that"),
    "row names of R": ("a,b,y\nr1,1,2,u\nr2,3,1,v\n", {}, {"feature_names": ("a", "b")}),
    "row names of R, dropped": ("a,b,y\nr1,1,2,u\nr2,3,1,v\n", {"drop": 0}, {"n_features": 2, "row_ids": None}),
    "row names of R counted": ("a,,y\nr1,1,,u\nr2,3,,v\n", {"drop": 2}, {"feature_names": ("a",)}),
    "positions over texts": ("0,1,2\n-1,0,a\n1,2,b\n0,1,b\n", {}, {"feature_names": ("0", "1")}),
    "units": ("a,b,y\nm,m/s,\n1,2,u\n2,1,v\n3,1,u\n", {}, "line 2: found no number, where all rows below have numbers"),
    "one odd field": ("a,b,y\nm,2,u\n1,2,u\n2,1,v\n3,1,u\n", {}, "column 'a': found 'm', expected a number (most"),
    "an unquoted decimal comma": ("a,b,y\n1,5,2,u\n0,5,3,v\n", {}, "found 4 fields, expected 3"),
    "an unquoted decimal comma in order": ("a,b,y\n1,5,2,u\n2,5,3,v\n", {}, "found 4 fields, expected 3"),
    "fields in a label": ("1,5;0\n2,5;1\n3,5;0\n", {}, "column 1: found labels such as '5;0', '5;1', expected"),
    "a missing value first": ("NA,yes\n1,yes\n2,no\n", {"drop_missing": True}, {"n_samples": 2}),
    "a comment of one line": ("# by\fhand\n5,2,a\n3,4,b\n", {}, {"n_samples": 2}),
    "an error in the first field": ("#N/A,3,a\n1,4,b\n2,5,a\n", {"drop_missing": True}, {"n_samples": 2}),
    "a comment or a row": ("#ff,3,a\nfe,4,b\n", {}, "line 1: found a comment that may be a row: 'ff', '3', 'a'"),
    "a missing text, told": ("a,y\n1,0\n<5,1\n3,1\n", {"missing": "<5"}, "column 'a': found the missing value '<5'"),
    "names that are taken": ("x,x,x (column 0),y\n1,2,3,u\n2,1,3,v\n", {}, {"n_features": 3}),
    "comments": (
        "# made by hand\n# a b y\n1 2 0\n3 4 1\n", {"sep": "space"},
        {"feature_names": ("a", "b"), "notes": ("comments skipped before the rows: 1 line",)},
    ),
    "a comment": ("# made by hand\na,b,y\n1,2,0\n3,4,1\n", {}, {"feature_names": ("a", "b"), "header_line": 2}),
    "two indices": (
        "rownames,row.names,y\n" + "".join(f"{i},{i},{i % 2}\n" for i in range(12)), {},
        {"feature_names": ("rownames", "row.names")},
    ),
    "comments between tabs": ("# a\tb\ty\n1\t2\t0\n3\t4\t1\n", {"sep": "tab"}, {"feature_names": ("a", "b")}),
    "a missing name": ("nan,x,y\n1,2,0\n2,3,1\n4,5,0\n", {}, "line 1: found a line that may name"),
    "a separator of Excel": ("sep=;\na;y\n1;u\n2;v\n", {}, {"feature_names": ("a",), "header_line": 2}),
    "an index beside numbers": (
        ",0,1,y\n" + "".join(f"{i},{i * i % 7},{i % 4},{i % 2}\n" for i in range(12)), {},
        {"feature_names": ("0", "1")},
    ),
    "yes in German": ("a,y\n1,nein\n2,ja\n", {}, {"positive": "ja"}),
    "labels alike": (
        "a,y\n1,Yes\n2,yes\n3,no\n", {},
        {"notes": ("labels of 'y' that differ in case or blanks only are different classes: 'Yes', 'yes'",)},
    ),
}  # fmt: skip


@pytest.mark.slow
@for_each("door", list(DOORS))
@for_each("case", list(CASES))
def test_every_door_reads_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, door: str, case: str) -> None:
    text, options, expected = CASES[case]
    folder = tmp_path / f"{door}-{case}"
    folder.mkdir()
    with monkeypatch.context() as patched:
        source, more = DOORS[door](folder, text, patched)
        if isinstance(expected, str):
            with pytest.raises((mm.DataError, InvalidOptionError), match=re.escape(expected)):
                mm.load(source, **options, **more)
            return
        dataset = mm.load(source, **options, **more)
    assert {name: getattr(dataset, name) for name in expected} == expected
    if source != "-":
        again = mm.load(**{**dict(dataset.read_as or {}), "source": source}, **more)
        assert np.array_equal(again.X[:], dataset.X[:]) and again.labels.tolist() == dataset.labels.tolist()


@pytest.mark.parametrize("block", [2**21, 200])
def test_true_and_false_do_not_become_numbers_in_a_later_block(tmp_path: Path, block: int) -> None:
    path = tmp_path / "d.csv"
    path.write_text("a,b,y\n" + "true,1,u\n" * 40 + "1,1,v\n" * 400)
    said = refused(lambda: read_dataset(path, Choice(bytes_at_once=block)))
    assert "column 'a': found" in said and ("true or false in one column" in said or "'true'" in said)


def test_what_lies_between_doors(tmp_path: Path) -> None:
    """Infinities among texts and exact numbers, rows that are all left out, lines of the wrong length."""
    empty = pd.DataFrame({"x": pd.Series([None] * 4, dtype=object), "y": list("pqpq")})
    assert "column 'x': found a missing value in every row" in refused(lambda: mm.load(empty, drop_missing=True))
    tenth, infinity = Decimal("0.1"), Decimal("Infinity")
    for frame in (
        pd.DataFrame({"a": [tenth, Decimal(1)], "b": [1.0, np.inf], "y": [0, 1]}),
        pd.DataFrame({"a": [tenth, infinity], "y": [0, 1]}),
    ):
        assert "row 1, column" in (said := refused(lambda f=frame: mm.load(f))) and "found infinity" in said
    path = tmp_path / "d.csv"
    for text, options, found in (
        ("a,y\n1,inf\n2,-inf\n3,1\n", {}, "line 2, column 'y': found an infinite label"),
        ("a,y\n1,inf\n2,3\n", {"formula": "y ~ ."}, "column 'y': found an infinite label"),
        ("c0,c1,y\nr0,1,a,1\nr1,6,a\nr2,5,b\n", {}, "line 2: found 4 fields, expected 3"),
        ("a,b,y\n1,inf,p\n2,x,q\n", {}, "line 2, column 'b': found 'inf'"),
        ("a,b,y\n" + "NA,1,p\n" * 99, {"drop_missing": True}, "column 'a': found a missing value in every row"),
        ("a,b,y\n" + "NA,1,p\n" * 99, {"drop_missing": True, "memory": 1}, "column 'a': found a missing value in"),
    ):
        path.write_text(text)
        assert found in refused(lambda o=options: mm.load(path, **o))
    (tmp_path / "parts").mkdir()
    for name, text in (("1.csv", "a,y\n1,p\n2,q\n"), ("2.csv", "a,y\nNA,q\n")):
        (tmp_path / "parts" / name).write_text(text)
    for more in ({}, {"memory": 1}):
        assert mm.load(tmp_path / "parts", drop_missing=True, **more).n_samples == 2


@pytest.mark.parametrize("form", ["feather", "parquet", "npz"])
def test_pipes_of_every_format_are_read(tmp_path: Path, form: str) -> None:
    path, pipe = tmp_path / f"d.{form}", tmp_path / "pipe"
    if form == "npz":
        np.savez(path, X=[[1.0], [2.0]], y=[0, 1])
    else:
        getattr(pd.DataFrame({"a": [1.0, 2.0], "y": [0, 1]}), f"to_{form}")(path)
    os.mkfifo(pipe)
    writer = threading.Thread(target=lambda: pipe.write_bytes(path.read_bytes()))
    writer.start()
    assert mm.load(pipe, format=form).X.tolist() == [[1.0], [2.0]]
    writer.join()


def test_files_of_a_folder_have_one_header(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("0,1,2\n5,7,0\n3,9,1\n")
    (tmp_path / "b.csv").write_text("5,7,0\n3,9,1\n")
    assert "found 3 columns without names, expected those of" in refused(lambda: mm.load(tmp_path))


@pytest.mark.parametrize("odd", [".", "-", "#DIV/0!", "12%", "<40", "1,040", "x", "2020-01-31", "1,5"])
def test_an_odd_field_makes_no_category_of_a_column_of_numbers(tmp_path: Path, odd: str) -> None:
    frame = pd.DataFrame({"a": [str(i) for i in range(20)], "y": [i % 2 for i in range(20)]})
    frame.loc[3, "a"] = odd
    path = tmp_path / "d.csv"
    frame.to_csv(path, index=False)
    for ask in (
        lambda: mm.load(path), lambda: mm.load(path, one_hot=True), lambda: mm.load(path, formula="y ~ a"),
        lambda: mm.load(frame, one_hot=True), lambda: mm.separability(frame, "y"),
        lambda: mm.separability(frame, "y ~ a"),
    ):  # fmt: skip
        assert "column 'a'" in refused(ask)
    assert mm.load(path, formula="y ~ a", drop_missing=True, missing=odd).n_samples == 19


def test_age_groups_of_a_data_frame_are_categories() -> None:
    for groups in (["12+ yrs", "8 hours"], ["20-24", "25-29", "65+"], ["<18", "18 or more"]):
        frame = pd.DataFrame({"age": groups * 6, "y": [i % 2 for i in range(6 * len(groups))]})
        assert mm.separability(frame, "y").strictly_separable is not None
        assert mm.load(frame, formula="y ~ age").n_features == len(groups) - 1


def test_equal_and_numeric_names_of_a_data_frame() -> None:
    frame = pd.DataFrame([[1, 2, 0], [3, 1, 1]], columns=["a", "a", "y"])
    assert mm.load(frame).feature_names == ("a (column 0)", "a (column 1)")
    assert mm.from_arrays(frame[["a"]], frame.y).feature_names == ("a (column 0)", "a (column 1)")
    years = frame.set_axis([2020, 2021, 7], axis=1)
    assert mm.load(years).feature_names == ("2020", "2021")
    for name in (7, 7.5):
        assert mm.separability(years.rename(columns={7: name}), name).verdict == mm.separability(frame, "y").verdict


@pytest.mark.parametrize("name", ["Unnamed: 0", "Unnamed: 1", "rownames", "row.names"])
def test_row_numbers_of_a_data_frame_are_left_out(tmp_path: Path, name: str) -> None:
    frame = pd.DataFrame({name: range(1, 13), "x": [i * i % 7 for i in range(12)], "y": [0] * 6 + [1] * 6})
    assert mm.load(frame).feature_names == ("x",)
    assert mm.from_arrays(frame[[name, "x"]], frame.y).n_features == 2  # features that were chosen
    assert not mm.separability(frame, "y").strictly_separable
    assert mm.separability(frame.rename(columns={name: "id"}), "y").strictly_separable
    assert mm.separability(frame[[name, "y"]], "y").strictly_separable
    frame[["x", name, "y"]].rename(columns={"Unnamed: 1": ""}).to_csv(tmp_path / "d.csv", index=False)
    for source in (frame, tmp_path / "d.csv"):
        assert mm.load(source, formula="y ~ .").feature_names == mm.load(source).feature_names == ("x",)
    assert not mm.separability(frame, "y ~ .").strictly_separable
    assert mm.separability(frame, f"y ~ . + `{name}`").strictly_separable


@for_each(("classes", "n_years", "expected"), [("ab", 3, True), ("abc", 3, None), ("abc", 2, None), ("abcd", 2, False)])
def test_a_class_of_one_row_makes_a_header_doubtful(classes: str, n_years: int, expected: bool | None) -> None:
    rows = [[str(i)] * n_years + [label] for i, label in enumerate(10 * "a" + 10 * "b" + classes[2:])]
    assert names_columns([[*["2020", "2021", "2022"][:n_years], "class"], *rows]) is expected


def test_a_line_whose_texts_recur_is_a_row() -> None:
    assert names_columns([["V1", "yes"], ["25", "no"], ["40", "yes"], ["V1", "no"]]) is False
    assert names_columns([["x", "NA", "yes"], ["1", "2", "no"], ["3", "4", "yes"]]) is None
    assert names_columns([["x", "NA", "ill"], ["1", "2", "no"], ["3", "4", "yes"]]) is True


def test_the_index_of_an_arrow_table_is_no_feature() -> None:
    frame = pd.DataFrame({"a": [1.5, 4.5, 2.5, 3.5], "y": list("uuvv")}, index=pd.Index([3, 5, 7, 8], name="k"))
    table = pa.Table.from_pandas(frame)
    named = mm.separability(table, "y"), mm.separability(table, "y ~ ."), mm.separability(mm.load(table))
    for answer in (*named, mm.separability(table.drop_columns("y"), list("uuvv"))):
        assert answer.verdict == "overlap"
    assert mm.separability(table, "y ~ a + k").verdict == "separable"


def test_a_type_of_categories_is_one_at_every_door(tmp_path: Path) -> None:
    frame = pd.DataFrame({"x": pd.Categorical(["1", "2", "3"] * 4), "y": [0, 1] * 6})
    frame.to_parquet(tmp_path / "d.parquet")
    for source in (frame, tmp_path / "d.parquet"):
        assert mm.load(source, formula="y ~ x").n_features == mm.load(source, one_hot=True).n_features == 2
    numbers = pd.DataFrame({1: [0, 0, 1, 1], 0: [0, 1, 0, 1], 2: [1, 1, 2, 2]})
    assert mm.load(numbers, label=1).label_name == "1"  # a name before a position


@for_each("options, expected", [
    ({"header": 0}, "header is 0; expected True, False or None"),
    ({"missing": -9}, "is '-9'; expected a text that is no number"),
    ({"label": None}, "found no column None, expected one of 'a', 'b', 'y', or a position"),
    ({"drop": 1.5}, "found no column 1.5, expected"),
    ({"drop": np.int64(0), "one_hot": None, "missing": None}, None),
    ({"drop": None, "label": np.int64(2), "missing": {"b": "-"}}, None),
])  # fmt: skip
def test_options_of_odd_types(tmp_path: Path, options: dict[str, Any], expected: str | None) -> None:
    (tmp_path / "d.csv").write_text("a,b,y\n1,2,0\n3,3,1\n")
    if expected is None:
        assert mm.load(tmp_path / "d.csv", **options).label_name == "y"
    else:
        assert expected in refused(lambda: mm.load(tmp_path / "d.csv", **options))


def test_a_text_for_missing_values_is_about_numbers(tmp_path: Path) -> None:
    frame = pd.DataFrame({"a": ["None", "red", "blue"] * 6, "x": range(18), "y": list("pq") * 9})
    frame.to_csv(tmp_path / "d.csv", index=False)
    for source in (frame, tmp_path / "d.csv"):
        for reading in ({"one_hot": True}, {"formula": "y ~ a"}):
            dataset = mm.load(source, missing="None", drop_missing=True, **reading)
            assert TOLD.format("'None'") in dataset.notes and dataset.n_samples == 18
            assert mm.load(source, missing="a=None", drop_missing=True, **reading).n_samples == 12


def test_a_block_that_has_no_other_text_does_not_decide(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("a,y\n" + "unk,u\n" * 40 + "1,u\n2,v\n" * 30)
    choice = Choice(bytes_at_once=64, missing=("unk",), drop_missing=True)
    assert read_dataset(tmp_path / "d.csv", choice)[0].n_samples == 60


def test_names_of_rows_are_distinct_in_all_rows(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("a,b,y\n" + "".join(f"r{i % 1500},{i % 7},{i % 5},{i % 2}\n" for i in range(1600)))
    for options in ({}, {"memory": 1}, {"formula": "y ~ a"}):
        assert "whose first fields are not distinct" in refused(lambda o=options: mm.load(path, **o))


def test_texts_that_stand_for_missing_values_in_tables_are_refused() -> None:
    frame = pd.DataFrame({"x": ["NA", "u", "v", "u"], "y": list("aabb")})
    assert "found 'NA', expected a number" in refused(lambda: mm.load(frame))


def test_a_column_that_numbers_the_rows_is_named_beside_the_verdict(tmp_path: Path, capsys: Capture) -> None:
    path = tmp_path / "d.csv"
    path.write_text("id,x,y\n" + "".join(f"{i},{i * i % 5},{int(i > 6)}\n" for i in range(1, 13)))
    assert "column 'id' numbers the rows; without it: overlap" in answered(capsys, "check", str(path))[1]
    path.write_text("id,x,y\n" + "".join(f"{i},{i * i % 5},{i % 2}\n" for i in range(1, 13)))
    assert "numbers the rows" not in answered(capsys, "check", str(path))[1]


@for_each("name", ["d.arff", "d.xlsx", "d.sav", "d.dta", "d.rds", "d.mat"])
def test_files_of_other_programs_are_refused_with_a_way(tmp_path: Path, capsys: Capture, name: str) -> None:
    (tmp_path / name).write_bytes(b"\0")
    said = refusal(capsys, "check", tmp_path / name)
    assert f"found the suffix {tmp_path.joinpath(name).suffix!r}, expected one of .csv" in said
    assert "save it" in said or "load it" in said or "write it" in said
    assert "found an address, expected a file (download it first)" in refusal(capsys, "check", f"https://x.org/{name}")


@pytest.mark.parametrize("seed", range(3))
def test_tables_without_a_header_lose_no_row(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinds: list[Callable[[], str]] = [
        lambda: str(rng.integers(-100, 100)), lambda: str(rng.integers(0, 4)), lambda: f"{rng.normal():.3f}",
        lambda: str(rng.integers(1900, 2020)), lambda: f"{rng.normal(50, 10):.1f}", lambda: str(rng.choice(["r", "g"])),
    ]  # fmt: skip
    labels: list[Callable[[], str]] = [
        lambda: str(rng.integers(0, 2)), lambda: str(rng.integers(1, 4)), lambda: str(rng.choice(["yes", "no"]))
    ]  # fmt: skip
    for _ in range(300):
        columns = [kinds[k] for k in rng.integers(0, 5, rng.integers(1, 6))]
        columns[1:] += [kinds[5]] * int(rng.integers(0, 2))
        label = labels[rng.integers(0, 3)]
        rows = [[make() for make in (*columns, label)] for _ in range(rng.integers(2, 60))]
        assert names_columns(rows) is not True, rows[:5]


def test_row_numbers_that_begin_again_in_every_file_of_a_folder(tmp_path: Path) -> None:
    for k in range(2):
        rows = "".join(f"{i},{(i + k) * i % 7},{int(i > 5)}\n" for i in range(12))
        (tmp_path / f"{k}.csv").write_text(f",x,y\n{rows}")
    for memory in (None, 1):
        dataset = mm.load(tmp_path, memory=memory)
        assert (dataset.n_samples, dataset.feature_names) == (24, ("x",))
        assert mm.load(tmp_path, drop=0, memory=memory).X[:].tolist() == dataset.X[:].tolist()


@for_each("name, text, options, expected", [
    ("d.csv", "#FF,1,p\n#00,2,q\nred,3,p\n", {"header": False}, "to be told (quotes around the first field of a row)"),
    ("d.csv", "a,y\ntrue,0\nfalse,1\n", {"one_hot": ["a"]}, "found a column of numbers or of true and false"),
    ("d.csv", "x,y,y\n1,2,3\n2,3,4\n", {"formula": "y ~ x"}, "formula=: found 2 columns named 'y'"),
    ("d.csv", "x,y\n1,2\n2,3\n", {"formula": "z ~ x"}, "formula=: found no column 'z', expected one of 'x', 'y'"),
    ("d.csv", "d,y\n2020-01-31,0\n2020-02-01,1\n", {"memory": 1}, "days since a day that you choose)"),
    ("d.csv", "a,y\nu,0\nv,1\n", {"memory": 1, "one_hot": True}, "(allow more memory with memory=)"),
    ("parts/d.csv", "a,y\nu,0\nv,1\n", {"memory": 1, "one_hot": True}, "(join its files into one)"),
])  # fmt: skip
def test_refusals_advise_what_works(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, text: str, options: dict[str, Any], expected: str
) -> None:
    source, _ = in_file(name)(tmp_path, text, monkeypatch)
    assert expected in refused(lambda: mm.load(source, **options))


@for_each("names", ['"x" "w" "y"', "x w y", '"Length, cm" "w" "y"'])
def test_tables_as_r_writes_them_are_read_or_refused_with_a_way(tmp_path: Path, names: str) -> None:
    for name in ("d.csv", "d.txt"):
        (tmp_path / name).write_text(f'{names}\n"r1" 1 5 "a"\n"r2" 2 3 "b"\n')
    assert "read them with sep='space'" in refused(lambda: mm.load(tmp_path / "d.csv"))
    assert mm.load(tmp_path / "d.csv", sep="space").X.tolist() == mm.load(tmp_path / "d.txt").X.tolist()


def test_lines_of_another_format_are_named(tmp_path: Path) -> None:
    (tmp_path / "d.csv").write_text("1 1:0.5 2:1\n-1 1:2 2:4\n")
    assert "format='svmlight'" in refused(lambda: mm.load(tmp_path / "d.csv"))
    (tmp_path / "t.txt").write_text("0 08:30 17:15\n1 09:45 18:10\n0 07:15 16:30\n")
    assert "a date or time" in refused(lambda: mm.load(tmp_path / "t.txt"))
