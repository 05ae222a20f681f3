"""The decimal reading asks the question of the text: fractions of the text are the reference throughout."""

import gzip
import io
import sys
from fractions import Fraction
from functools import reduce
from hashlib import sha256
from math import gcd
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import for_each
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from references import is_separable
from table_files import text_file

import maxmargin as mm
from maxmargin.certificates.decimals import DecimalReading, read_decimal
from maxmargin.data.dataset import problem_of
from maxmargin.data.numbers.numerals import digits_are_changed
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.certificate import Certificate, Overlap, QuasiSeparation
from maxmargin.solvers.proof.checker import check
from maxmargin.solvers.proof.margins import enclose_functional_margins
from maxmargin.solvers.separability.feasibility import separability

quickly = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])

DIGITS = st.text("0123456789", min_size=1, max_size=20)
NUMERALS = st.builds(
    "{}{}{}{}{}{}".format,
    st.sampled_from(["", "  "]),
    st.sampled_from(["", "+", "-"]),
    DIGITS,
    st.one_of(st.just(""), st.just("."), DIGITS.map(".{}".format)),
    st.one_of(st.just(""), st.integers(-60, 60).map("e{}".format), st.integers(0, 9).map("E+{}".format)),
    st.sampled_from(["", " "]),
).filter(lambda text: not digits_are_changed(text, float(text)))
SMALL = st.builds("{}.{}".format, st.integers(-2, 2), st.integers(0, 9))


def tables(
    numerals: st.SearchStrategy[str], most_rows: int = 8
) -> st.SearchStrategy[tuple[list[list[str]], list[str]]]:
    def of_shape(shape: tuple[int, int]) -> st.SearchStrategy[tuple[list[list[str]], list[str]]]:
        n, d = shape
        rows = st.lists(st.lists(numerals, min_size=d, max_size=d), min_size=n, max_size=n)
        labels = st.lists(st.sampled_from("ab"), min_size=n, max_size=n)
        return st.tuples(rows, labels.filter(lambda found: len(set(found)) == 2))

    return st.tuples(st.integers(2, most_rows), st.integers(1, 3)).flatmap(of_shape)


def written(folder: Path, rows: list[list[str]], labels: list[str], name: str = "data.csv") -> Path:
    path = folder / name
    lines = [",".join([*row, label]) for row, label in zip(rows, labels, strict=True)]
    path.write_text("\n".join([",".join([*(f"f{j}" for j in range(len(rows[0]))), "label"]), *lines]))
    return path


def decided(reading: DecimalReading, *, bias: bool = True) -> tuple[bool | None, bool | None]:
    """Return whether the text, and whether its binary64 values, are strictly separable."""
    text = separability(reading.problem_of(reading.dataset, bias=bias))
    return text.strictly_separable, separability(problem_of(reading.dataset, bias=bias)).strictly_separable


# What is written is what is read


@pytest.mark.slow
@quickly
@given(tables(NUMERALS))
def test_numbers_are_the_fractions_of_the_text(tmp_path: Path, table: tuple[list[list[str]], list[str]]) -> None:
    rows, labels = table
    reading = read_decimal(written(tmp_path, rows, labels))
    expected = [tuple(Fraction(text) for text in row) for row in rows]
    assert reading.rows_of(reading.dataset) == expected
    for j, (unit, column) in enumerate(zip(reading.exact.units.units, zip(*expected, strict=True), strict=True)):
        multiples = reading.exact.integers[:, j].tolist()
        assert unit > 0 and all(type(k) is int for k in multiples)
        assert [unit * k for k in multiples] == list(column)
        assert reduce(gcd, multiples) in (0, 1)


@quickly
@given(tables(NUMERALS), st.booleans())
def test_problem_hashes_the_text(tmp_path: Path, table: tuple[list[list[str]], list[str]], bias: bool) -> None:
    rows, labels = table
    path = written(tmp_path, rows, labels)
    reading = read_decimal(path)
    problem = reading.problem_of(reading.dataset, bias=bias)
    text = f"{len(rows)} {len(rows[0])} decimal\n".encode()
    for row in rows:
        text += " ".join(str(Fraction(field)) for field in row).encode() + b"\n"
    text += bytes(1 if label == "b" else 255 for label in labels)
    assert problem.reading == "decimal" and problem.bias == bias
    assert problem.sha256 == sha256(text).hexdigest() != problem_of(mm.load(path)).sha256


@pytest.mark.slow
@quickly
@given(tables(NUMERALS))
def test_data_set_is_that_of_the_binary64_reading(tmp_path: Path, table: tuple[list[list[str]], list[str]]) -> None:
    path = written(tmp_path, *table)
    reading, expected = read_decimal(path), mm.load(path)
    assert np.array_equal(reading.dataset.X, expected.X) and np.array_equal(reading.dataset.y, expected.y)
    assert reading.dataset.feature_names == expected.feature_names and reading.dataset.notes == expected.notes
    problem = reading.problem_of(reading.dataset)
    assert problem.X.tolist() == [[float(k) for k in row] for row in reading.exact.integers.tolist()]
    assert problem.X.flags.c_contiguous


@for_each("text, number", [
    (".5", Fraction(1, 2)),
    ("-0.0", Fraction(0)),
    ("1e-400", Fraction(1, 10**400)),  # 0 in binary64
    ("0.10000000000000001", Fraction(10000000000000001, 10**17)),
    ("0" * 1900 + "1", Fraction(1)),
    ("1" + "0" * 400 + "e-400", Fraction(1)),
    ("true", Fraction(1)),
    ('"0.3"', Fraction(3, 10)),
])  # fmt: skip
def test_numerals(tmp_path: Path, text: str, number: Fraction) -> None:
    path = text_file(tmp_path, f"a,label\n{text},u\n{text},v\n")
    reading = read_decimal(path)
    assert reading.rows_of(reading.dataset) == [(number,)] * 2
    assert reading.exact.units.units == (number or 1,)


def test_binary64_numbers_in_full(tmp_path: Path) -> None:
    """The exact decimal expansion of a binary64 number is that number, however long it is."""
    values = [5e-324, 2.0**-1000 * 3, -7 * 2.0**-1060, 0.1]
    texts = [f"{value:.1080f}" for value in values[:3]] + ["0"]
    reading = read_decimal(written(tmp_path, [[text] for text in texts], list("abab")))
    assert [row[0] for row in reading.rows_of(reading.dataset)] == [*map(Fraction, values[:3]), 0]


def test_sources(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = b"a;b\n0.1;no\n0.25;yes\n"
    (tmp_path / "data.csv.gz").write_bytes(gzip.compress(content))
    (tmp_path / "data.tsv").write_bytes(content.replace(b";", b"\t"))
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
    for source in (tmp_path / "data.csv.gz", str(tmp_path / "data.tsv"), "-"):
        reading = read_decimal(source)
        assert reading.rows_of(reading.dataset) == [(Fraction(1, 10),), (Fraction(1, 4),)]


@pytest.mark.slow
@pytest.mark.parametrize("name", ["iris", "breast_cancer"])
def test_text_of_bundled_data_is_the_shortest(name: str) -> None:
    reading = read_decimal(name)
    expected = [[Fraction(repr(value)) for value in row] for row in mm.load(name).X.tolist()]
    assert [list(row) for row in reading.rows_of(reading.dataset)] == expected


def test_columns_and_rows_that_are_left_out(tmp_path: Path) -> None:
    path = text_file(
        tmp_path, "id,x,y,flag,colour,label\nr1,0.1,7,true,red,a\nr2,NA,8,true,red,a\nr3,0.3,9,FALSE,blue,b\n"
    )
    reading = read_decimal(path, id="id", drop="y", drop_missing=True, one_hot=True, positive="a")
    assert reading.dataset.feature_names == ("x", "flag", "colour=red")
    assert reading.rows_of(reading.dataset) == [(Fraction(1, 10), 1, 1), (Fraction(3, 10), 0, 0)]
    assert reading.dataset.y.tolist() == [1, -1]


def test_parts_of_more_than_two_classes(tmp_path: Path) -> None:
    path = text_file(tmp_path, "x,label\n0.1,a\n,a\n0.2,b\n0.3,c\n0.4,a\n")
    reading = read_decimal(path, drop_missing=True)
    with pytest.raises(InvalidProblemError, match="3 classes"):
        reading.problem_of(reading.dataset)
    rest, pair = reading.dataset.one_vs_rest("b"), reading.dataset.pair("a", "c")
    assert reading.rows_of(rest) == [(Fraction(k, 10),) for k in (1, 2, 3, 4)]
    assert reading.rows_of(pair) == [(Fraction(k, 10),) for k in (1, 3, 4)]
    problem = reading.problem_of(pair)
    assert problem.y.tolist() == [-1, 1, -1] and problem.integers.tolist() == [[1], [3], [4]]
    whole = read_decimal("iris")
    assert np.array_equal(
        np.array(whole.rows_of(whole.dataset.pair("versicolor", "virginica")), dtype=float), whole.dataset.X[50:]
    )


# Verdicts


@for_each("rows, labels, bias, expected", [
    ([["0.1", "0.3"], ["0.3", "0.9"], ["0.2", "0.6"]], "aab", True, (False, True)),  # the middle, in the text alone
    ([["0.1", "0.3"], ["0.3", "0.9"], ["0.2", "0.6000000001"]], "aab", True, (True, True)),
    ([["0.1"], ["0.10000000000000001"]], "ab", True, (True, False)),
    ([["0"], ["1e-400"]], "ab", True, (True, False)),
    ([[repr(k * 2.0**-60), str(k)] for k in (1, 3, 2)], "aab", True, (True, False)),  # collinear in binary64 alone
    ([["0.1", "0.7"], ["0.3", "2.1"]], "ab", False, (False, True)),
])  # fmt: skip
def test_readings_that_differ(
    tmp_path: Path, rows: list[list[str]], labels: str, bias: bool, expected: tuple[bool, bool]
) -> None:
    assert decided(read_decimal(written(tmp_path, rows, list(labels))), bias=bias) == expected


@quickly
@given(tables(st.one_of(NUMERALS, SMALL), most_rows=6), st.booleans())
def test_written_proofs_hold_for_the_text(tmp_path: Path, table: tuple[list[list[str]], list[str]], bias: bool) -> None:
    reading = read_decimal(written(tmp_path, *table))
    problem = reading.problem_of(reading.dataset, bias=bias)
    answer = separability(problem)
    rows = reading.rows_of(reading.dataset)
    if answer.certificate is None:  # undecided is allowed, a wrong verdict is not
        return
    assert answer.strictly_separable == is_separable(np.array(rows, dtype=object), reading.dataset.y, bias)
    document = reading.restated(answer.certificate).to_dict()
    check(document, [*map(list, rows)], reading.dataset.y.tolist())
    assert document == reading.restated(answer.certificate).to_dict()
    assert document["data"]["reading"] == "decimal" and document["data"]["sha256"] == problem.sha256


def test_restated_null_spaces(tmp_path: Path) -> None:
    """Of (x, 10 x, 1) the null space is (10, -1, 0) in the text, (1, -1, 0) on the integers 1, 2, 3 of both."""
    rows = [[f"0.{k}", str(k)] for k in (1, 3, 2, 2)]
    reading = read_decimal(written(tmp_path, rows, list("abab")))
    problem = reading.problem_of(reading.dataset)
    balance: dict[str, Any] = {"problem": problem, "rows": (0, 1, 2, 3), "weights": (1, 1, 1, 1)}
    overlap = Overlap(**balance, null_space=((1, -1, 0),))
    assert reading.restated(overlap).null_space == ((10, -1, 0),)
    quasi = QuasiSeparation(**balance, null_space=((1, -1, 0),), w=(Fraction(2), Fraction(3)), b=Fraction(5))
    document = reading.restated(quasi).to_dict()
    assert document == reading.restated(quasi).to_dict()
    assert document["direction"] == ["20", "3", "5"] and document["null_space"] == [["10", "-1", "0"]]


def test_blocks_of_several_classes(tmp_path: Path) -> None:
    reading = read_decimal(written(tmp_path, [["0.1", "2"], ["0.3", "4"]], list("ab")))
    assert reading.exact.units.direction([1, 1, 1, 2, 2, 2], bias=True) == [10, Fraction(1, 2), 1, 20, 1, 2]
    assert reading.exact.units.direction([1, 1, 2, 2], bias=False) == [10, Fraction(1, 2), 20, 1]


def test_margins_are_not_restated(tmp_path: Path) -> None:
    class Margin(Certificate):
        claim = "margin-at-least"

        def _numbers(self) -> dict[str, Any]:
            return {}

    reading = read_decimal(written(tmp_path, [["0.1"], ["0.3"]], list("ab")))
    proof = Margin(problem=reading.problem_of(reading.dataset))
    with pytest.raises(InvalidOptionError, match="margin-at-least"):
        reading.restated(proof)


# Rows beyond binary64: X is a rounding, and nothing may rest on it


BIG = st.one_of(
    st.integers(-(2**60), 2**60),
    st.integers(-(2**950), 2**950),
    st.builds(lambda k, e: 2**e + k, st.integers(-3, 3), st.integers(53, 950)),
)


@quickly
@given(st.data(), st.integers(1, 6), st.integers(1, 5))
def test_enclosures_hold_for_rows_that_are_rounded(data: st.DataObject, n: int, d: int) -> None:
    integers = np.array(
        data.draw(st.lists(st.lists(BIG, min_size=d, max_size=d), min_size=n, max_size=n)), dtype=object
    )
    w = np.array(data.draw(st.lists(st.floats(-1e9, 1e9) | st.just(1.0), min_size=d, max_size=d)))
    X = integers.astype(np.float64)
    b = -float(X[0] @ w)  # so that the first row is near the plane, where the rounding shows
    problem = Problem(X, np.ones(n), integers=integers)
    lower, upper = enclose_functional_margins(problem, w, b)
    for row, below, above in zip(integers.tolist(), lower.tolist(), upper.tolist(), strict=True):
        exact = sum((Fraction(k) * Fraction(v) for k, v in zip(row, w.tolist(), strict=True)), Fraction(b))
        assert (below == -np.inf or below <= exact) and (above == np.inf or exact <= above)


# Errors


def complaint(source: Any, **options: Any) -> str:
    with pytest.raises(mm.DataError) as caught:
        read_decimal(source, **options)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_formats_without_decimal_text(tmp_path: Path) -> None:
    path = tmp_path / "data.npz"
    assert (
        complaint(path) == f"{path}: found the suffix '.npz', expected .csv or .tsv, as decimal text only exists there"
    )
    assert "'.svm'" in complaint("data.svm.gz")
    with pytest.raises(InvalidOptionError, match="found a DataFrame"):
        read_decimal(pd.DataFrame({"a": [0.1, 0.2], "b": [0, 1]}))


def test_sources_that_do_not_exist(tmp_path: Path) -> None:
    assert "no such file" in complaint(tmp_path / "absent.csv")
    assert "no such file" in complaint("irs")


@for_each("field, message", [
    ("1e-2001", "found '1e-2001', expected at most 2000 digits"),
    ("1e-99999999999999", "found '1e-99999999999999', expected at most 2000 digits"),
    ("0e" + "9" * 5000, "expected at most 2000 digits"),
    ("0." + "1" * 5000, "expected at most 2000 digits"),
    ("1e-302", "found numbers that need integers of more than 300 digits"),
    ("1e400", "found '1e400', expected a finite number (too large for binary64)"),
    ("0x1", "found '0x1', expected a number"),
    ("1/3", "found '1/3', expected a number"),
    ("1_0", "found '1_0', expected a number"),
    ("", "found an empty field, expected a number (leave out rows with missing values with drop_missing=True"),
])  # fmt: skip
def test_fields_that_are_refused(tmp_path: Path, field: str, message: str) -> None:
    said = complaint(written(tmp_path, [["0.5", "1"], ["0.25", "2"], ["0.5", field]], list("abb")))
    assert message in said and "column 'f1'" in said
