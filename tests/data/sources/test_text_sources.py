"""Text in columns: decimal commas, separators, encodings, formats, and columns that may be encoded."""

import io
import json
import re
import sys
import unicodedata
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cases import for_each
from commands import Capture, json_answer, refusal
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import dump_svmlight_file, load_svmlight_file
from table_files import array_file, table_file, text_file

import maxmargin as mm
from maxmargin.certificates.decimals import read_decimal
from maxmargin.cli import options as cli_options
from maxmargin.cli.app import run
from maxmargin.data.numbers.numerals import look_of, parse_number
from maxmargin.data.sources.opening import FORMATS
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError

NUMBERS = [[1.5, -0.25], [2.0, 1e-3], [0.5, 7.0], [12.75, 3.0], [1.25, 2.5], [100.0, 0.0]]
LABELS = ["yes", "no", "yes", "yes", "no", "no"]

Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    return partial(text_file, tmp_path)


def comma(value: float) -> str:
    return repr(value).replace(".", ",")


def lines(fields: Sequence[Sequence[str]], separator: str) -> str:
    return "".join(separator.join(row) + "\n" for row in [["a", "b", "y"], *fields])


def error(*arguments: Any, **options: Any) -> str:
    with pytest.raises(mm.DataError) as caught:
        mm.load(*arguments, **options)
    return str(caught.value)


# Decimal commas


@for_each("separator", [";", "\t", "|"])
@for_each("options", [{}, {"memory": 1}, {"one_hot": True}])
def test_decimal_commas(write: Write, separator: str, options: dict[str, Any]) -> None:
    path = write(lines([[*map(comma, row), y] for row, y in zip(NUMBERS, LABELS, strict=True)], separator))
    sep = {} if separator == "\t" else {"sep": separator}
    dataset = mm.load(path, decimal_comma=True, **sep, **options)
    assert np.asarray(dataset.X[:]).tolist() == NUMBERS and dataset.labels.tolist() == LABELS
    assert dataset.feature_names == ("a", "b")


@for_each("options", [{}, {"memory": 1}])
def test_decimal_commas_in_quotes_between_commas(write: Write, options: dict[str, Any]) -> None:
    rows = [[f'"{comma(a)}"', str(int(b)), y] for (a, b), y in zip(NUMBERS, LABELS, strict=True)]
    dataset = mm.load(write(lines(rows, ",")), decimal_comma=True, **options)
    assert np.asarray(dataset.X[:]).tolist() == [[a, int(b)] for a, b in NUMBERS]


@for_each("first", ["1,5", "1,234", "1,234.5", "1.234.567", "1'234", "0x1F", "0x1F.8p3", "1_000"])
@for_each("options", [{}, {"decimal_comma": True}])
def test_a_number_in_the_first_line_is_no_name(write: Write, first: str, options: dict[str, Any]) -> None:
    """Or the row would be lost without a word."""
    path = write(f"{first};yes\n2;no\n3;yes\n")
    if first == "1,5" and options:
        assert mm.load(path, **options).X.tolist() == [[1.5], [2], [3]]
    elif not (first in ("1,234", "0x1F.8p3") and options):  # with decimal commas one is 1.234, the other a name
        assert f"line 1, column 0: found {first!r}" in error(path, sep=";", **options)


def test_labels_and_ids_with_commas(write: Write) -> None:
    path = write('id;x;y\n"u,1";1,5;0,5\n"v.2";2,5;1,5\n')
    dataset = mm.load(path, decimal_comma=True, id="id")
    assert (dataset.classes, dataset.row_ids) == ((0.5, 1.5), ("u,1", "v.2"))
    words = mm.load(write("x;y\n1,5;a.b\n2,5;a,b\n"), decimal_comma=True)
    assert words.classes == ("a,b", "a.b")


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=6))
def test_every_number_is_read_as_it_was_written(values: list[float]) -> None:
    text = "".join(f"{comma(value)};{'ab'[position % 2]}\n" for position, value in enumerate(values))
    sys_stdin, sys.stdin = sys.stdin, io.TextIOWrapper(io.BytesIO(text.encode()))
    try:
        dataset = mm.load("-", decimal_comma=True)
    finally:
        sys.stdin = sys_stdin
    assert dataset.X[:, 0].tolist() == values


def test_the_exact_text_with_decimal_commas(write: Write) -> None:
    points = "x,z,y\n0.1,0.2,a\n0.3,0,b\n0.3,0.1,a\n"
    commas = points.replace(",", ";").replace(".", ",")
    read = read_decimal(write(commas, "commas.csv"), decimal_comma=True)
    same = read_decimal(write(points))
    assert read.rows_of(read.dataset) == same.rows_of(same.dataset)


@pytest.mark.parametrize("text, looks", [
    ("a;y\n1,5;u\n1.5;v\n", "'1.5', expected a number (it looks like a number with a decimal point or a thou"),
    ("a;y\n1,5;u\n1.234;v\n", "'1.234', expected a number (it looks like a number with a decimal point or a thou"),
    ("a;y\n1,5;u\n1.234,5;v\n",
     "'1.234,5', expected a number (it looks like an amount of money, or a number with thousands"),
])  # fmt: skip
@pytest.mark.parametrize("options", [{}, {"memory": 1}])
def test_points_among_decimal_commas_are_refused(write: Write, text: str, looks: str, options: dict[str, Any]) -> None:
    message = error(write(text), decimal_comma=True, **options)
    assert f"line 3, column 'a': found {looks}" in message
    assert "one_hot" not in message


@pytest.mark.parametrize("options", [{}, {"sep": ","}, {"sep": "comma"}, {"memory": 1}])
def test_commas_cannot_do_two_things_at_once(write: Write, options: dict[str, Any]) -> None:
    message = error(write("a,b,y\n1,5,u\n2,5,v\n"), decimal_comma=True, **options)
    assert "decimal_comma=True: found fields separated by commas, and no quoted number with one" in message
    assert "sep=" in message


# What looks like a number is not encoded


AMOUNTS = ["1,234,567", "1.234,5", "1'234", "1\N{NO-BREAK SPACE}234", "$5", "5 \N{EURO SIGN}", "-$1,234.50"]
TIMES = ["12:30", "2020-01-31", "2020-01-31T12:30:00Z"]
OTHERS = ["0x1F", "0b101", "1_000", "5%", "(5)", "<0.1", "5.2kg", "1.5D+03", "\N{MINUS SIGN}5", "10kg", "'1'",
    "\N{FULLWIDTH DIGIT ONE}\N{FULLWIDTH DIGIT TWO}", "\u201c1,5\u201d", "1/2", "\u00bd", "\u0663", "1d5", "10-20",
    "5-", "1.5.5", "192.168.1.1", ".5kg"]  # fmt: skip
NUMERIC = {
    "1,5": "a decimal comma or a thousands separator",
    "1.5|x": "fields separated by '|'",
    "1,234": "a decimal comma or a thousands separator",
    **dict.fromkeys(AMOUNTS, "an amount of money, or a number with thousands separators"),
    **dict.fromkeys(TIMES, "a date or time"),
    **dict.fromkeys(OTHERS, "in another spelling, or with something else beside it"),
}


@for_each("text", NUMERIC)
def test_what_looks_like_a_number_is_named(text: str) -> None:
    look = look_of(text)
    assert NUMERIC[text] in look.name
    assert parse_number(text) is None


@for_each(
    "text",
    ["red", "1st", "22nd", "1st class", "a1", "+", "-", "n/a", "x,5", "v1.2.3", "", ",", "$", "$NA", "#5", "No. 5"],
)  # fmt: skip
def test_levels_do_not_look_like_numbers(text: str) -> None:
    assert look_of(text) is None


@pytest.mark.slow
@given(st.text(max_size=8))
def test_looks_are_about_texts_with_a_digit(text: str) -> None:
    look = look_of(text)
    assert look is None or any(char.isdigit() or unicodedata.numeric(char, None) for char in text)


@for_each("text", ["1,5", "1,234", "$5", "0x1F"])
@for_each("options", [[], ["--one-hot"], ["--memory", "1"]])
def test_one_hot_is_never_advised_for_numbers(write: Write, capsys: Capture, text: str, options: list[str]) -> None:
    """Ninety different numbers: neither advice nor a verdict about 89 columns of 0 and 1."""
    values = [text.replace(text[-1], f"{text[-1]}{i}") for i in range(100, 190)]
    values = [f"1,{i}" for i in range(100, 190)] if text == "1,234" else values
    path = write("a;y\n" + "".join(f"{value};{i % 2}\n" for i, value in enumerate(values)))
    message = refusal(capsys, "check", path, *options)
    assert "column 'a'" in message and ("it looks like" in message or "90 different texts in 90 rows" in message)
    assert "encode it with --one-hot" not in message
    assert ("--decimal-comma" in message and "--sep" in message) == ("," in text)


@for_each("values", [["10kg", "12kg"], ["'1'", "'2'"], ["1/2", "3/2"], ["\u00bd", "\u00bc"], ["\u0663", "\u0664"],
     ["1d5", "2d5"], ["5-", "6-"], ["- 5", "- 6"], ["1e5.5", "1e6.5"], ["2b", "3b"], ["10-19", "20-29"],
     ["12+ yrs", "8 hours"], ["65+", "<65"], ["12:30", "12:31"], ["2020-01-31", "2020-02-01"],
     ["31.01.2020", "01.02.2020"]])  # fmt: skip
@for_each("memory", [[], ["--memory", "1000"]])
def test_categories_like_numbers_are_named(write: Write, capsys: Capture, values: list[str], memory: list[str]) -> None:
    path = write("a;y\n" + "".join(f"{value};{i % 2}\n" for i, value in enumerate(values * 10)))
    message = refusal(capsys, "check", path, *memory)
    assert f"line 2, column 'a': found {values[0]!r}, expected a number (it looks like a" in message
    assert "encode it with --one-hot" not in message
    assert mm.load(path, one_hot="a").n_features == 1
    if ":" not in values[0] and "20" not in values[0][1:]:  # neither times nor dates
        assert mm.load(path, one_hot=True).feature_names == (f"a={max(values)}",)
    else:
        assert "it looks like a date or time" in (unnamed := refusal(capsys, "check", path, "--one-hot"))
        assert unnamed.count("--one-hot-column") == 1


@for_each("texts, refused", [
    ([f"{i} to {i + 9}" for i in range(21)] * 3, "21 different texts that begin like numbers"),
    (["1 h", "2 h", "3 h"] * 2, "3 different texts that begin like numbers"),
    (["1.5", "a", "2 to 3", "4 to 5"] * 6, "4 different texts that begin like numbers"),
    (["1", "2", "x"] * 10, "found 'x', expected a number (most of the column are numbers"),
    (["1", "2", "3"] * 10, "found the text '1', expected a number (store plain numbers)"),
    (["1,5", "2,5", "-"] * 10, "found '1,5', expected a number (it looks like a number with a decimal comma"),
    ([f"u{i}" for i in range(8)], "8 different texts in 8 rows"),
])  # fmt: skip
def test_texts_that_are_no_levels_are_refused_at_every_door(texts: list[str], refused: str) -> None:
    frame = pd.DataFrame({"a": texts, "x": range(len(texts)), "y": [i % 2 for i in range(len(texts))]})
    for ask in (
        lambda: mm.load(frame, one_hot=True),
        lambda: mm.separability(frame, "y"),
        lambda: mm.separability(frame, "y ~ a + x"),
        lambda: mm.load(frame, formula="y ~ a*x"),
    ):
        with pytest.raises((mm.DataError, mm.InvalidProblemError), match=re.escape(refused)):
            ask()
    category = frame.assign(a=frame.a.astype("category"))
    n_levels = len(set(texts))
    assert mm.load(category, one_hot=True).n_features == n_levels
    assert mm.load(frame, formula="y ~ C(a) + x").n_features == n_levels
    assert mm.load(category, formula="y ~ a + x").n_features == n_levels


def test_several_decimal_commas_are_no_category(write: Write) -> None:
    message = error(write("a;y\n1,5,5;u\n2,5,5;v\n"), sep=";", decimal_comma=True)
    assert "found '1,5,5', expected a number (it looks like a number in another spelling, or with " in message


def test_stored_texts_are_to_be_stored_as_numbers(tmp_path: Path) -> None:
    """--decimal-comma is for text; a table that can store numbers should."""
    frame = pd.DataFrame({"a": ["1,5", "2,5"] * 10, "n": ["1.5", "2.5"] * 10, "y": [0, 1] * 10})
    path = tmp_path / "data.parquet"
    frame.to_parquet(path)
    for source, options in ((frame, {}), (path, {}), (path, {"memory": 1}), (frame, {"one_hot": True})):
        message = error(source, drop="n", **options)
        assert "found '1,5', expected a number (it looks like a number with a decimal comma or a thousands " in message
    assert "found the text '1.5', expected a number (store plain numbers)" in error(frame, drop="a")
    assert "found the text '1.5', expected a number (store plain numbers)" in error(path, drop="a", memory=1)
    for source in (frame, path):
        assert "decimal_comma=True: found " in error(source, drop="a", decimal_comma=True)
    assert "sep=: found " in error(path, drop="a", sep=";", memory=1)


# One-hot


def levels(texts: Sequence[str]) -> str:
    return "a,x,y\n" + "".join(f"{text},{i * i % 7},{i % 2}\n" for i, text in enumerate(texts))


DIFFERENT = [f"n{i}" for i in range(30)]
NEARLY = [*DIFFERENT[:28], "n0", "n1"]


@pytest.mark.parametrize("texts", [DIFFERENT, NEARLY])
def test_different_texts_are_refused_unless_named(write: Write, capsys: Capture, texts: list[str]) -> None:
    path = write(levels(texts))
    for source in (path, pd.read_csv(path), pa.Table.from_pandas(pd.read_csv(path))):
        message = error(source, one_hot=True)
        assert f"column 'a': found {len(set(texts))} different texts in 30 rows" in message
        assert "separate anything" in message and "one_hot=[...]" in message
        assert mm.load(source, one_hot=["a"]).n_features == mm.load(source, one_hot="a").n_features == len(set(texts))
    message = refusal(capsys, "check", path, "--one-hot")
    assert "--one-hot-column" in message and "one_hot" not in message
    for named in (["--one-hot-column", "a"], ["--one-hot", "--one-hot-column", "0"]):
        code, fields = json_answer(capsys, "check", str(path), *named, "--quiet")
        assert code in (0, 3) and fields["n_features"] == len(set(texts))


@pytest.mark.parametrize(
    "texts",
    [["red", "blue", "green", "red"], ["red", "blue", "green"], ["u", "v"], ["u", "v", "w", "x", "u", "v", "w", "x"],
     [str(i % 4) + "st" for i in range(40)], [f"n{i // 2}" for i in range(60)]],
)  # fmt: skip
def test_levels_are_encoded(write: Write, texts: list[str]) -> None:
    dataset = mm.load(write(levels(texts)), one_hot=True)
    assert dataset.n_features == len(set(texts))


def test_only_the_rows_that_are_left_count(write: Write) -> None:
    path = write("a,x,y\n" + "".join(f"n{i % 15},{i if i < 15 else 'NA'},{i % 2}\n" for i in range(30)))
    assert "15 different texts in 15 rows" in error(path, one_hot=True, drop_missing=True)


def test_named_columns_are_the_only_ones_encoded(write: Write) -> None:
    path = write("a,b,x,y\nu,p,1,k\nv,q,2,l\nu,q,3,k\n")
    assert mm.load(path, one_hot=["a"], drop="b").feature_names == ("a=v", "x")
    assert mm.load(path, one_hot=["a", 1]).feature_names == ("a=v", "b=q", "x")
    assert "column 'b': found 'p', expected a number" in error(path, one_hot="a")
    assert "found no column 'c'" in error(path, one_hot="c")
    assert "column 'x': found a column of numbers or of true and false" in error(path, one_hot=["a", "b", "x"])
    assert "column 'y', one_hot=[...]: found a column that is not a feature" in error(path, one_hot=["y"])
    assert "one_hot=[...]: found it asked for data that are read in parts" in error(path, one_hot=["a"], memory=1)


def test_named_columns_of_numbers_and_texts_are_encoded(write: Write) -> None:
    path = write("doors,y\n2,k\n3,l\n4,k\n5more,l\n2,k\n")
    message = error(path, one_hot=True)
    assert "line 5, column 'doors': found '5more', expected a number (it looks like a number in another " in message
    assert "name it with one_hot=[...] to encode it all the same" in message
    assert mm.load(path, one_hot="doors").feature_names == ("doors=3", "doors=4", "doors=5more")


# Separators


@for_each(("sep", "between"), [("tab", "\t"), ("\\t", "\t"), ("\t", "\t"), ("semicolon", ";"), (";", ";"),
     ("pipe", "|"), ("|", "|"), (":", ":"), ("comma", ","), ("space", " "), (" ", "   "), ("space", "\t "),
     ("~", "~")])  # fmt: skip
@for_each("options", [{}, {"memory": 1}])
def test_separators(write: Write, sep: str, between: str, options: dict[str, Any]) -> None:
    rows = [[repr(a), repr(b), f'"{y} {y}"'] for (a, b), y in zip(NUMBERS, LABELS, strict=True)]
    dataset = mm.load(write(lines(rows, between)), sep=sep, **options)
    assert np.asarray(dataset.X[:]).tolist() == NUMBERS
    assert dataset.labels.tolist() == [f"{y} {y}" for y in LABELS]


def test_white_space_around_lines(write: Write) -> None:
    path = write("  a  b\ty \r\n\r\n 1 \t2   u\r\n 3    4  v\t\r\n")
    for options in ({}, {"memory": 1}):
        dataset = mm.load(path, sep="space", **options)
        assert np.asarray(dataset.X[:]).tolist() == [[1, 2], [3, 4]]
        assert dataset.feature_names == ("a", "b")


@for_each("sep", ["", "ab", "1", "e", ".", "-", '"', "\n", "\N{SECTION SIGN}"])
def test_what_cannot_separate(write: Write, sep: str) -> None:
    with pytest.raises(InvalidOptionError, match=r"sep is .*expected comma, semicolon, tab, space, pipe, or one"):
        mm.load(write("a,y\n1,u\n2,v\n"), sep=sep)


@pytest.mark.parametrize("text, advised", [
    ("a|b|y\n1|2|u\n3|4|v\n", "sep='|'"), ("1.5 2.5 0\n0.5 1.5 1\n", "sep='space'"),
    ("height,cm;y\n1;u\n2;v\n", "sep=';'"), ("1,5;2,5;yes\n0,5;3,25;no\n", "sep=';'"),
])  # fmt: skip
def test_the_separator_that_a_file_seems_to_have_is_named(write: Write, text: str, advised: str) -> None:
    message = error(write(text))
    assert advised in message
    assert "one_hot=True" not in message


# Encodings


@for_each("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
@for_each("name", ["data.csv", "data.svm"])
def test_wide_encodings_are_named(write: Write, encoding: str, name: str) -> None:
    text = "x,y\n1,a\n2,b\n" if name == "data.csv" else "1 1:0.5\n-1 2:1\n"
    path = write(text, name, encoding)
    for options in ({}, {"memory": 1}) if name == "data.csv" else ({},):
        message = error(path, **options)
        assert f"text in {encoding.upper()[:6]}" in message and "iconv" in message


@pytest.mark.parametrize(("encoding", "name"), [("latin-1", "'ö' in Latin-1"), ("cp1252", "'€' in Windows-1252")])
@pytest.mark.parametrize("options", [{}, {"memory": 1}])
def test_single_byte_encodings_are_named(write: Write, encoding: str, name: str, options: dict[str, Any]) -> None:
    message = error(write(f"x,y\n1,a\n2,{name[1]}\n", encoding=encoding), **options)
    assert f"line 3: found byte 0x{name[1].encode(encoding).hex()}, which is not UTF-8, expected text in" in message
    assert f"({name}? convert it: iconv -f " in message


def test_a_name_that_begins_as_another_format_is_text(write: Write) -> None:
    assert mm.load(write("PAR1,y\n1,u\n2,v\n")).feature_names == ("PAR1",)


# Sparse files and formats


@pytest.mark.parametrize("zero_based", [True, False])
def test_files_as_scikit_learn_writes_them(tmp_path: Path, zero_based: bool) -> None:
    X = np.array([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0], [3.0, 0.0, 0.25]])
    path = tmp_path / "data.svmlight"
    dump_svmlight_file(X, [1, 0, 1], str(path), zero_based=zero_based)
    dataset = mm.load(path)
    assert dataset.X.toarray().tolist() == load_svmlight_file(str(path))[0].toarray().tolist() == X.tolist()
    assert dataset.notes == (("indices begin at 0: index 0 is column 0",) if zero_based else ())


def test_an_index_of_0_anywhere_counts_for_all_lines(write: Write) -> None:
    path = write("1 1:5 3:1\n" * 441 + "0 0:2 2:7\n", "data.svm")
    dataset = mm.load(path)
    assert dataset.X.toarray()[[0, -1]].tolist() == [[0, 5, 0, 1], [2, 0, 7, 0]]
    assert mm.load(path, drop=1).X.toarray()[0].tolist() == [0, 0, 1]
    assert "found '-1:2'" in error(write("1 -1:2\n0 1:3\n", "bad.svm"))
    assert "found index 0 after index 1" in error(write("1 1:2 0:2\n0 1:3\n", "bad.svm"))


def test_libsvm_files_without_a_suffix(write: Write) -> None:
    for name in ("heart_scale", "a1a.t"):
        path = write("# comment\n+1 1:0.5 3:2\n\n-1 2:1\n", name)
        assert mm.load(path).X.toarray().tolist() == [[0.5, 0, 2], [0, 1, 0]]


def frame() -> pd.DataFrame:
    return pd.DataFrame({"a": [1.0, 2.0, 3.5], "b": [0.5, 0.0, 1.0], "y": ["u", "v", "u"]})


@for_each("form", ["csv", "tsv", "parquet", "feather", "npz", "npy", "svm", "libsvm", "svmlight"])
@for_each("options", [{}, {"memory": 1000}])
def test_formats_go_before_names(tmp_path: Path, form: str, options: dict[str, Any]) -> None:
    table, path = frame(), tmp_path / "set_X.csv.bin"
    X, y = table[["a", "b"]].to_numpy(), np.array([1, 0, 1])
    if form == "npz":
        array_file(path, X, y)
    elif form == "npy":
        path = tmp_path / "X"
        for name, array in (("X", X), ("y", y)):
            with (tmp_path / name).open("wb") as file:
                np.save(file, array)
    elif "svm" in form:
        dump_svmlight_file(X, y, str(path))
    else:
        table_file(tmp_path / f"set.{form}", pa.Table.from_pandas(table)).rename(path)
    dataset = mm.load(path, format=form, **options)
    rows = dataset.X[:]
    assert (rows.toarray() if hasattr(rows, "toarray") else np.asarray(rows)).tolist() == X.tolist()
    assert dataset.y.tolist() == ([1, -1, 1] if form.startswith("np") or "svm" in form else [-1, 1, -1])


def test_folders_of_files_without_suffixes(tmp_path: Path) -> None:
    folder = tmp_path / "parts"
    folder.mkdir()
    for part in range(2):
        (folder / f"part-{part}").write_text("a;y\n1,5;u\n2,5;v\n")
    dataset = mm.load(folder, format="csv", decimal_comma=True)
    assert np.asarray(dataset.X[:]).ravel().tolist() == [1.5, 2.5, 1.5, 2.5]


@pytest.mark.parametrize(("form", "text"), [("csv", "a,b,y\n1,2,u\n3,4,v\n"), ("svmlight", "1 0:1 1:2\n0 0:3 1:4\n")])
def test_formats_of_the_standard_input(monkeypatch: pytest.MonkeyPatch, form: str, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    dataset = mm.load("-", format=form)
    rows = dataset.X.toarray() if hasattr(dataset.X, "toarray") else dataset.X
    assert (rows.tolist(), dataset.source) == ([[1, 2], [3, 4]], "standard input")
    assert "standard input, format=: found 'parquet'" in error("-", format="parquet").replace(": format", ", format")


def test_formats_that_do_not_fit(tmp_path: Path, capsys: Capture) -> None:
    with pytest.raises(InvalidOptionError, match="format is 'xlsx'; expected one of csv, tsv"):
        mm.load("iris", format="xlsx")
    with pytest.raises(InvalidOptionError, match="a DataFrame is no file"):
        mm.load(frame(), format="csv")
    assert "no such file" in error("iris", format="csv")
    assert "sep=: found a bundled data set" in error("iris", sep=";")
    assert "decimal_comma=True: found a generated data set" in error("xor", decimal_comma=True)
    assert "--format" in refusal(capsys, "check", "iris", "--format", "xlsx")


# Proofs say how their data were read


@pytest.mark.parametrize("text, options", [
    ("x;y\n1,5;-\n2,5;+\n3,25;+\n", ["--decimal-comma"]),
    ("x;y\n1,5;-\n2,5;+\n3,25;+\n", ["--decimal-comma", "--decimal"]),
    ("x|y\n1.5|-\n2.5|+\n3|+\n", ["--sep", "pipe"]),
    ("x  y\n1.5 -\n2.5    +\n3 +\n", ["--sep", "space", "--format", "csv"]),
    ("1 0:2\n0 1:3\n", ["--format", "svmlight"]),
    ("x,c,y\n1,u,0\n,v,0\n2,v,1\n3,u,1\n", ["--one-hot", "--drop-missing"]),
    ("a,b,y\n" + "".join(f"n{i},{'uv'[i % 2]},{i % 2}\n" for i in range(9)), ["--one-hot", "--one-hot-column", "a"]),
])  # fmt: skip
def test_verify_needs_no_options(write: Write, tmp_path: Path, capsys: Capture, text: str, options: list[str]) -> None:
    path = write(text, "data.bin" if "--format" in options else "data.csv")
    proof = tmp_path / "p.json"
    assert run(["check", str(path), *options, "--proof", str(proof), "--quiet"]) == 0
    assert run(["verify", str(proof), str(path), "--quiet"]) == 0
    if "--decimal" not in options:
        assert run(["verify", str(proof), str(path), "--quiet", "--memory", "1"]) == 0
    capsys.readouterr()
    other = write(text.replace("n1", "n2").replace("1", "7"), path.name)
    assert run(["verify", str(proof), str(other), "--quiet"]) == 3
    assert run(["verify", str(proof), str(write("x,y\n1,a\n2,b\n", "other.csv")), "--quiet"]) == 3


def test_proofs_about_columns_that_are_now_refused_still_hold(write: Write, tmp_path: Path) -> None:
    """Without a check a proof with "one_hot" speaks of all text columns, as older ones do."""
    path, proof = write(levels(DIFFERENT)), tmp_path / "p.json"
    assert run(["check", str(path), "--one-hot-column", "a", "--proof", str(proof), "--quiet"]) == 0
    document = json.loads(proof.read_text())
    document["data"]["one_hot"] = bool(document["data"].pop("one_hot_columns"))
    proof.write_text(json.dumps(document))
    assert run(["verify", str(proof), str(path), "--quiet"]) == 0
    assert run(["verify", str(proof), str(write(levels(NEARLY))), "--quiet"]) == 3


def test_other_data_without_a_suffix_are_not_those_of_the_proof(write: Write, tmp_path: Path) -> None:
    path, proof = write("x;y\n1,5;-\n2,5;+\n", "data.bin"), tmp_path / "p.json"
    options = ["--format", "csv", "--decimal-comma"]
    assert run(["check", str(path), *options, "--proof", str(proof), "--quiet"]) == 0
    assert run(["verify", str(proof), str(write("x;z;y\n1;2;-\n2,5;1;+\n", "b.bin")), "--quiet"]) == 3
    assert run(["verify", str(proof), str(tmp_path / "none.bin"), "--quiet"]) == 2


@pytest.mark.parametrize("change", [{"sep": 3}, {"sep": "ab"}, {"format": "xlsx"}, {"decimal_comma": "yes"}])
def test_damaged_ways_to_read_are_no_proof(write: Write, tmp_path: Path, change: dict[str, Any]) -> None:
    path, proof = write("x,y\n1,-\n2,+\n"), tmp_path / "p.json"
    assert run(["check", str(path), "--proof", str(proof), "--quiet"]) == 0
    document = json.loads(proof.read_text())
    document["data"] |= change
    proof.write_text(json.dumps(document))
    assert run(["verify", str(proof), str(path), "--quiet"]) == 3


# Errors speak the language of the caller


def test_python_is_answered_in_python(write: Write, capsys: Capture) -> None:
    path = write("a,b,y\n1,x,u\n2,NA,v\n")
    for options in ({}, {"drop": "b", "label": "q"}, {"drop": "q"}, {"id": "q"}, {"memory": 1}, {"drop": "y"}):
        message = error(path, **options)
        assert "--" not in message
        command = refusal(capsys, "check", path, *(f"--{name}={value}" for name, value in options.items()))
        assert "=" not in command.replace("'=", "")
    assert "drop= or encode it with one_hot=True" in error(path)
    assert "--drop or encode it with --one-hot" in refusal(capsys, "check", path)
    with pytest.raises(InvalidProblemError, match="one class with positive="):
        mm.separability([[0.0], [1.0], [2.0]], [0.5, 1.5, 2.5])
    with pytest.raises(InvalidProblemError, match="or positive= to choose one"):
        mm.hard_margin([[0.0], [1.0], [2.0]], ["a", "b", "c"])


@pytest.mark.parametrize("command", ["check", "margin", "online", "fewest-errors", "verify"])
def test_usage_errors_point_to_the_help_of_the_command(command: str, capsys: Capture) -> None:
    assert f"(maxmargin {command} --help explains it)" in refusal(capsys, command, "--no-such-option")
    assert "(maxmargin -h lists the commands)" in refusal(capsys, "no-such-command")


COMMANDS = ["check", "margin", "bounds", "online", "perceptron", "fewest-errors", "orders", "report"]


@pytest.mark.sampled(4)
@pytest.mark.parametrize("command", COMMANDS)
def test_commands_take_the_options_of_reading(write: Write, capsys: Capture, command: str) -> None:
    path = write("a|b|y\n1,5|u|k\n2,5|v|l\n3,5|u|l\n4,5|v|l\n", "data.txt")
    reading = ["--sep", "|", "--decimal-comma", "--format", "csv", "--one-hot-column", "b", "--quiet", "--json"]
    assert run([command, str(path), *reading]) in (0, 3, 4)
    assert capsys.readouterr().out.startswith("{")


def test_the_command_line_knows_all_formats() -> None:
    assert cli_options.FORMATS == FORMATS


def test_a_column_that_is_dropped_may_name_the_rows(write: Write, capsys: Capture) -> None:
    path = str(write("id,a,y\nr1,0,n\nr2,3,p\nr3,4,p\nr4,-1,n\n"))
    for more in ((), ("--one-hot",), ("--decimal",)):
        _, found = json_answer(capsys, "check", path, "--drop", "id", "--id", "id", *more)
        assert found["separated_rows_ids"] == ["r1", "r2", "r3", "r4"]


def test_a_closed_standard_input_is_one_line(monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.setattr(sys, "stdin", None)  # as the interpreter has it if the stream is closed
    for command in (("check", "-"), ("judge", "xor", "--plane", "-")):
        assert "standard input: found a closed standard input" in refusal(capsys, *command)


def test_a_proof_is_not_written_to_a_stream(capsys: Capture) -> None:
    assert "'-' is no file" in refusal(capsys, "check", "xor", "--proof", "-")


def test_an_endless_time_limit_is_none(capsys: Capture) -> None:
    assert run(["generate", "xor", "--time-limit", "inf"]) == 0
    assert capsys.readouterr().err.count("\n") <= 1
