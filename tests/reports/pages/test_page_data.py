"""The data of a page: what is hashed, and text that reads back to the same bits."""

import struct
from base64 import b64decode
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from maxmargin.reports.pages.page_data import embedded_data, raw_data
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.exact.units import ColumnUnits
from maxmargin.solvers.problem.problem import ClassProblem, Problem

NUMBERS = st.one_of(
    st.integers(-3, 3).map(float), st.floats(allow_nan=False, allow_infinity=False), st.just(-0.0), st.just(5e-324)
)
AnyProblem = Problem | ClassProblem


@st.composite
def problems(draw: st.DrawFn) -> AnyProblem:
    """Small data of two or more classes."""
    n, d = draw(st.integers(2, 6)), draw(st.integers(1, 4))
    X = np.array(draw(st.lists(NUMBERS, min_size=n * d, max_size=n * d)), dtype=float).reshape(n, d)
    if draw(st.booleans()):
        return Problem(X, np.array([-1.0, 1.0] * 3)[:n], draw(st.booleans()))
    return ClassProblem(X, np.arange(n), n, draw(st.booleans()))


def labels_of(problem: AnyProblem) -> Any:
    return problem.y if isinstance(problem, Problem) else problem.codes


def read(data: dict[str, str], problem: AnyProblem) -> tuple[bytes, list[int]]:
    """The bits of the rows, and the labels, by a reader of its own."""
    if data["format"] == "decimal":
        table = [line.split(",") for line in data["text"].split("\n")]
        bits = b"".join(struct.pack("<d", float(text)) for row in table for text in row[:-1])
        return bits, [int(row[-1]) for row in table]
    head, _, rest = b64decode(data["text"], validate=True).partition(b"\n")
    n, d = map(int, head.split())
    form = f"<{n}{'b' if isinstance(problem, Problem) else 'i'}"
    return rest[: 8 * n * d], list(struct.unpack(form, rest[8 * n * d :]))


@given(problems())
def test_what_is_embedded_is_what_is_hashed_in_the_shorter_form(problem: AnyProblem) -> None:
    data, raw = embedded_data(problem), b"".join(raw_data(problem))
    assert sha256(raw).hexdigest() == problem.sha256
    assert read(data, problem) == ((problem.X + 0.0).tobytes(), labels_of(problem).tolist())
    assert len(data["text"]) <= 4 * -(-len(raw) // 3)
    assert data["format"] == "decimal" or b64decode(data["text"]) == raw
    sparse = replace(problem, X=csr_array(problem.X))
    assert b"".join(raw_data(sparse)) == raw and data == embedded_data(sparse) == embedded_data(problem)


def test_numbers_of_many_digits_are_embedded_as_base64_and_short_ones_as_decimals() -> None:
    y = np.array([-1.0, 1.0] * 50)
    long = Problem(np.random.default_rng(0).normal(size=(100, 9)), y)
    assert embedded_data(long)["format"] == "base64"
    short = Problem(np.arange(200.0).reshape(100, 2), y)
    assert embedded_data(short) == {
        "format": "decimal",
        "text": "\n".join(f"{2 * i},{2 * i + 1},{int(y[i])}" for i in range(100)),
    }


@pytest.mark.parametrize(
    ("number", "text"), [(5.0, "5"), (-0.0, "0"), (0.1, ".1"), (1e300, "1e+300"), (1e15, "1" + "0" * 15)]
)
def test_decimals_are_as_short_as_they_can_be(number: float, text: str) -> None:
    assert embedded_data(Problem(np.array([[number], [1.0]]), np.array([-1.0, 1.0])))["text"] == f"{text},-1\n1,1"


def test_decimals_of_a_file_have_no_such_bytes() -> None:
    integers = np.array([[1], [3]], dtype=object)
    problem = Problem(np.array([[1.0], [3.0]]), np.array([-1.0, 1.0]), True, integers, ColumnUnits((Fraction(1, 10),)))
    for function in (raw_data, embedded_data):
        with pytest.raises(InvalidProblemError, match="expected binary64 numbers"):
            function(problem)
