"""The exact trace: the same run as the compiled one, in numbers a person can follow."""

import csv
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.exact import exact_steps
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.perceptron.run import perceptron
from maxmargin.solvers.perceptron.settings import PerceptronSettings
from maxmargin.solvers.problem.problem import Problem
from maxmargin.theory import trace


def small_problem(rows: list[list[int]], bias: bool) -> Problem:
    X = np.array(rows, dtype=float)
    return Problem.validated(X, np.where(np.arange(len(rows)) % 2, 1, -1), bias=bias)


@pytest.mark.deep
@given(
    rows=st.lists(st.lists(st.integers(-9, 9), min_size=2, max_size=2), min_size=2, max_size=6), bias=st.booleans(),
    zero=st.sampled_from(["mistake", "positive", "negative"]), order=st.sampled_from(Order),
    scale=st.sampled_from([0.5, 1.0, 4.0]),
)  # fmt: skip
def test_integers_make_the_same_run(rows: list[list[int]], bias: bool, zero: str, order: Order, scale: float) -> None:
    problem = small_problem(rows, bias)
    chosen = PerceptronSettings(bias_scale=scale, zero=zero, order=order, max_epochs=30)
    run = perceptron(problem, chosen, rng=np.random.default_rng(1))
    steps = list(exact_steps(problem, chosen, rng=np.random.default_rng(1)))
    assert [step.row for step in steps if step.mistake] == run.mistake_rows.tolist()
    assert [float(v) for v in steps[-1].w] == run.w.tolist()
    assert float(steps[-1].b) == run.b


def test_decimal_input_is_exact() -> None:
    problem = Problem.validated([[0.1], [0.2], [0.3]], [1, 1, -1])
    steps = list(exact_steps(problem, PerceptronSettings(max_epochs=5)))
    x = {0: Fraction(1, 10), 1: Fraction(1, 5), 2: Fraction(3, 10)}
    w = b = Fraction(0)
    for step in steps:
        assert step.x == (x[step.row],)
        assert step.score == w * x[step.row] + b
        if step.mistake:
            w, b = w + step.y * x[step.row], b + step.y
        assert (step.w, step.b) == ((w,), b)


@pytest.mark.parametrize("suffix", [".csv", ".md", ".tex"])
def test_one_line_a_presentation(tmp_path: Path, suffix: str) -> None:
    problem = Problem.validated([[10.0], [12.0]], [-1, 1])
    path = tmp_path / f"trace{suffix}"
    steps = list(exact_steps(problem, PerceptronSettings()))
    assert trace.write_trace(path, steps, ("x",)) == (len(steps), 233, True)
    heading = {".csv": 1, ".md": 4, ".tex": 3}[suffix]
    assert len(path.read_text().splitlines()) == len(steps) + heading


def test_csv_trace_reads_back(tmp_path: Path) -> None:
    problem = Problem.validated([[0.5, 1.0], [2.0, -1.25], [0.0, 3.0]], [-1, 1, -1])
    path = tmp_path / "trace.csv"
    steps = list(exact_steps(problem, PerceptronSettings(max_epochs=9)))
    trace.write_trace(path, steps, ("a", "b, c"))
    with path.open(newline="") as file:
        lines = list(csv.DictReader(file))
    assert [Fraction(line["w.x+b"]) for line in lines] == [step.score for step in steps]
    assert [Fraction(line["w:b, c"]) for line in lines] == [step.w[1] for step in steps]
    assert [int(line["mistake"]) for line in lines] == [step.mistake for step in steps]


def test_long_traces_are_cut_and_say_so(tmp_path: Path) -> None:
    problem = Problem.validated([[0.0], [0.0]], [-1, 1])
    steps = exact_steps(problem, PerceptronSettings())
    written: list[int] = []
    found = trace.write_trace(tmp_path / "t.csv", steps, ("x",), most_steps=5, on_step=written.append)
    assert found == (5, 5, False) and written == [1, 2, 3, 4, 5]
    assert len((tmp_path / "t.csv").read_text().splitlines()) == 6


def test_unknown_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidOptionError, match=r"\.csv, \.md, \.tex"):
        trace.write_trace(tmp_path / "t.doc", [], ())


@given(st.fractions())
def test_exact_text_reads_back(value: Fraction) -> None:
    assert Fraction(trace.exact_text(value)) == value
