"""Columns that are linearly dependent up to rounding: found where they are, nowhere else, and said of correctly."""

import pickle
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import for_each
from elimination import primitive, rank, signed_rows
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.interpolate import BSpline
from scipy.sparse import csr_array

import maxmargin as mm
from maxmargin.explaining.near_columns import relation
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.separability.feasibility import separability
from maxmargin.solvers.separability.near_aliases import MOST_COLUMNS, NearAliases, near_aliases

Rng = np.random.Generator
AGE = np.arange(30, 50)
NOISE = [Fraction(age / 10) - Fraction(int(age), 10) for age in AGE]
# Labels that age and age / 10 separate by the rounding of the latter alone.
ROUNDED_DOWN = np.array(["down" if noise < 0 else "up" for noise in NOISE])


def scaled(x: np.ndarray) -> np.ndarray:
    return np.asarray((x - x.mean()) / x.std())


def splines(x: np.ndarray, n_inner: int = 3) -> np.ndarray:
    inner = np.quantile(x, np.linspace(0, 1, n_inner + 2)[1:-1])
    knots = np.r_[[x.min()] * 4, inner, [x.max()] * 4]
    return np.asarray(BSpline.design_matrix(x, knots, 3).toarray())


DEPENDENT: dict[str, Callable[[Rng, np.ndarray, np.ndarray], np.ndarray]] = {
    "a tenth": lambda rng, a, b: np.column_stack([a, b, a / 10]),
    "a third": lambda rng, a, b: np.column_stack([a, b, (a + b) / 3]),
    "standardised": lambda rng, a, b: np.column_stack([b, a, scaled(a)]),
    "degrees": lambda rng, a, b: np.column_stack([a / 7, b, a / 7 * 1.8 + 32]),
    "fifteen digits": lambda rng, a, b: np.column_stack([a, b, [float(f"{v:.15g}") for v in scaled(a)]]),
    "logarithms": lambda rng, a, b: np.column_stack([np.log(a), b, np.log10(a)]),
    "splines": lambda rng, a, b: np.column_stack([b, splines(a + rng.random(len(a)))]),
    "splines of incomes": lambda rng, a, b: splines(np.exp(10 + 2 * rng.normal(size=10 * len(a)))),
    "shares": lambda rng, a, b: rng.dirichlet([1, 1, 1], len(a)) * 100,
    "outlier": lambda rng, a, b: np.column_stack([np.r_[a[:-1], 1e9], np.r_[a[:-1], 1e9] * 1.8 + 32]),
}


def problem(X: Any, *, bias: bool = True) -> Problem:
    signs = np.where(np.arange(X.shape[0]) % 2, 1.0, -1.0)
    return Problem.validated(X, signs, bias=bias)


def columns_found(X: Any, *, bias: bool = True) -> list[int]:
    return [alias.column for alias in near_aliases(problem(X, bias=bias))]


def drawn(kind: str, seed: int, n: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    a, b = rng.permutation(np.arange(18.0, 18 + n)), rng.integers(1, 60, n).astype(float)
    X = DEPENDENT[kind](rng, a, b)
    some = X[:: len(X) // 20]
    rows = [primitive(row) for row in signed_rows(some, np.ones(len(some)), True)]
    assume(rank(rows) == X.shape[1] + 1)  # else the columns may be dependent exactly
    return X


@pytest.mark.sampled
@pytest.mark.parametrize("kind", DEPENDENT)
@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(20, 90))
def test_the_last_of_dependent_columns_is_found(kind: str, seed: int, n: int) -> None:
    X = drawn(kind, seed, n)
    assert columns_found(X) == [X.shape[1] - 1]


@pytest.mark.sampled
@pytest.mark.parametrize("kind", DEPENDENT)
@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1), data=st.data())
def test_units_and_orders_do_not_matter(kind: str, seed: int, data: st.DataObject) -> None:
    X = drawn(kind, seed, 40)
    width = X.shape[1]
    exponents = data.draw(st.lists(st.integers(-300, 300), min_size=width, max_size=width))
    rows = data.draw(st.permutations(range(len(X))))
    assert columns_found(np.ldexp(X, exponents)[rows]) == [width - 1]
    assert columns_found(csr_array(X)) == [width - 1]
    assert len(columns_found(X[:, data.draw(st.permutations(range(width)))])) == 1


@given(seed=st.integers(0, 2**32 - 1), digits=st.floats(0, 8), bias=st.booleans())
def test_well_conditioned_columns_are_not_found(seed: int, digits: float, bias: bool) -> None:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(10, 80)), int(rng.integers(2, 9))
    left, _ = np.linalg.qr(rng.normal(size=(n, d)))
    right, _ = np.linalg.qr(rng.normal(size=(d, d)))
    assert columns_found(left * np.logspace(0, -digits, d) @ right, bias=bias) == []


INDEPENDENT_OR_EXACT = {
    "a copy": np.column_stack([AGE / 7, AGE / 7]),
    "a double": np.column_stack([AGE / 7, AGE / 7 * 2]),
    "a sum": np.column_stack([AGE, AGE % 7, AGE + AGE % 7]),
    "constants": np.column_stack([np.zeros(20), AGE, np.full(20, 0.1)]),
    "wide": np.random.default_rng(0).normal(size=(10, 30)),
    "indicators": np.column_stack([np.eye(4)[AGE % 4], AGE]),
    "large numbers": 1e14 + np.column_stack([AGE % 2, AGE % 3]),
    "powers of years": np.column_stack([(1950.0 + 3 * (AGE - 30)) ** k for k in range(1, 7)]),
    "one huge row": np.column_stack([np.r_[1e300, AGE], np.r_[1e300, AGE**2 % 11]]),
    "nearer than single precision": np.column_stack([AGE, AGE + 1e-7 * (AGE % 3)]),
    "tenths in text": np.column_stack([AGE, np.round(AGE / 7, 3)]),
}


@for_each("kind", INDEPENDENT_OR_EXACT)
def test_exactly_dependent_and_independent_columns_are_not_found(kind: str) -> None:
    assert columns_found(INDEPENDENT_OR_EXACT[kind]) == []


@pytest.mark.parametrize("name", ["iris", "breast_cancer", "wine", "digits"])
def test_bundled_data_have_none(name: str) -> None:
    assert columns_found(mm.load(name).X) == []


def test_a_level_that_few_rows_have_is_not_taken_for_dependent() -> None:
    levels = np.zeros(5000, dtype=int)
    levels[[17, 1234, 4000]] = 1, 2, 3
    others = np.random.default_rng(0).normal(size=(5000, 2))
    assert columns_found(np.column_stack([others, np.eye(4)[levels][:, 1:]])) == []
    third = np.column_stack([others, np.eye(4)[levels][:, 1:], others.sum(axis=1) / 3])
    assert columns_found(third) == [5]


def test_a_copy_of_such_a_column_is_one_too() -> None:
    X = np.column_stack([AGE, AGE / 10, AGE / 10])
    answer = mm.separability(X, ROUNDED_DOWN)
    assert answer.aliased_columns == (2,)
    assert list(answer.nearly_aliased_columns or ()) == [1, 2]
    assert answer.verdict_without_nearly_aliased is Verdict.OVERLAP


@pytest.mark.sampled
@pytest.mark.parametrize("kind", DEPENDENT)
@settings(max_examples=40)
@given(seed=st.integers(0, 2**32 - 1))
def test_what_is_said_of_the_difference_is_true(kind: str, seed: int) -> None:
    X = drawn(kind, seed, 40)
    (alias,) = near_aliases(problem(X))
    exact = [[*map(Fraction, row), Fraction(1)] for row in X.tolist()]
    errors = [abs(sum(w * row[j] for j, w in alias.weights.items()) - row[alias.column]) for row in exact]
    share = max(errors) / max(abs(row[alias.column]) for row in exact)
    assert 0 < share <= Fraction(alias.difference) < 1e-12
    said = re.fullmatch(r".* up to rounding \(relative (.*)\)", relation(separability(problem(X)), alias))
    assert said is not None and share <= Fraction(said[1])


def single(x: np.ndarray, form: str = ".17g") -> np.ndarray:
    return np.array([float(format(float(v), form)) for v in x.astype(np.float32)])


IN_SINGLE: dict[str, Callable[[np.ndarray, np.ndarray], list[np.ndarray]]] = {
    "a copy": lambda a, x: [x, single(x)],
    "the copy first": lambda a, x: [single(x), x],
    "a tenth": lambda a, x: [a, single(0.1 * a)],
    "standardised": lambda a, x: [x, single(scaled(x))],
    "both columns": lambda a, x: [single(x), single(2.2 * x)],
    "shortest texts": lambda a, x: [x, x.astype(np.float32).astype(str).astype(float)],
    "seven digits": lambda a, x: [x, single(x, ".7g")],
    "a minute apart": lambda a, x: [1.7e9 + 1e4 * a, np.round(1.7e9 + 1e4 * a + 60 + x)],
    "a minute apart, one rounded": lambda a, x: [1.7e9 + 1e4 * a, single(1.7e9 + 1e4 * a + 60)],
    "parts of seconds": lambda a, x: [1.7e9 + 1e4 * a, 1.7e9 + 1e4 * a + 60 + x],
    "cents": lambda a, x: [np.round(1e4 * x, 2), np.round(1e4 * x, 2) + a % 3 / 100],
    "few values": lambda a, x: [a % 4 / 10, single(a % 4 / 10)],
    "a little off": lambda a, x: [x, single(x * (1 + 4e-7 * np.sin(a)))],
}


@pytest.mark.slow
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(30, 300))
def test_rounding_to_single_precision_is_told_from_what_agrees_by_chance(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    a, x = rng.permutation(np.arange(18.0, 18 + n)), rng.lognormal(size=n)
    found = {kind: near_aliases(problem(np.column_stack(columns(a, x)))) for kind, columns in IN_SINGLE.items()}
    assert [kind for kind, aliases in found.items() if aliases] == list(IN_SINGLE)[:7]
    for (alias,) in filter(None, found.values()):
        assert alias.column == 1 and alias.is_single and 1e-12 < alias.difference < 1e-6


def test_the_tolerance_is_a_parameter() -> None:
    X = np.column_stack([AGE, AGE / 10 + 1e-13 * (AGE % 3)])
    assert near_aliases(problem(X)) == ()
    assert [alias.column for alias in near_aliases(problem(X), rounding=1e-13)] == [1]


@pytest.mark.parametrize("shape", [(20, MOST_COLUMNS + 1), (1_000_001, 5)])
def test_large_data_are_not_searched(shape: tuple[int, int]) -> None:
    X = np.zeros(shape)
    X[:, 0] = np.arange(shape[0])
    assert NearAliases(samples=problem(X), decide=lambda _: Verdict.UNDECIDED).found is None


def frame(y: Any = ROUNDED_DOWN) -> pd.DataFrame:
    return pd.DataFrame({"age": AGE, "age_decades": AGE / 10, "rounded": y})


def test_a_verdict_that_rests_on_rounding_is_said_to() -> None:
    answer = mm.separability(frame(), "rounded")
    assert answer.verdict is Verdict.SEPARABLE
    lines = answer.summary().splitlines()
    position = lines.index("separable (proven)")
    assert lines[position + 2 : position + 4] == [
        "  age_decades is 0.1 age up to rounding (relative 8e-17)",
        "    the verdict holds for the numbers as stored; without this column, the verdict is overlap (proven)",
    ]
    fields = answer.to_dict()
    assert fields["nearly_aliased_columns"] == {"age_decades": "is 0.1 age up to rounding (relative 8e-17)"}
    assert fields["verdict_without_nearly_aliased"] == "overlap"
    in_single = mm.separability(frame().assign(age_decades=single(AGE / 10)), "rounded").summary()
    assert "\n  age_decades is 0.1 age up to rounding to single precision (relative 4e-08)\n" in in_single


def test_columns_without_names_are_called_by_their_positions() -> None:
    answer = mm.separability(np.column_stack([AGE, AGE / 10]), ROUNDED_DOWN)
    assert list(answer.nearly_aliased_columns or ()) == [1]
    assert "\n  column 1 is 0.1 column 0 up to rounding" in answer.summary()


def test_without_such_columns_nothing_is_said() -> None:
    answer = mm.separability(frame()[["age", "rounded"]], "rounded")
    assert (answer.nearly_aliased_columns, answer.verdict_without_nearly_aliased) == ({}, None)
    assert "rounding" not in answer.summary()


@pytest.mark.slow
@given(seed=st.integers(0, 2**32 - 1), n=st.integers(8, 20))
def test_the_verdict_without_them_is_that_of_the_exact_numbers(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    a, b = rng.permutation(np.arange(18, 18 + n)), rng.integers(1, 60, n)
    y = rng.permutation(np.arange(n) % 2)
    stored = mm.separability(np.column_stack([a, b, a / 10, (a + b) / 3]), y)
    rows = zip(a.tolist(), b.tolist(), strict=True)
    exact = mm.separability([[Fraction(v), Fraction(w), Fraction(v, 10), Fraction(v + w, 3)] for v, w in rows], y)
    assert exact.aliased_columns is not None and {2, 3} <= {*exact.aliased_columns}
    assert stored.verdict_without_nearly_aliased in (exact.verdict, None)
    assert {*(stored.nearly_aliased_columns or ())} == {2, 3} - {*(stored.aliased_columns or ())}


def test_several_classes_and_decimals_have_them() -> None:
    answer = mm.separability(np.column_stack([AGE, AGE / 10]), AGE % 3)
    assert list(answer.nearly_aliased_columns or ()) == [1]
    assert answer.verdict_without_nearly_aliased is Verdict.OVERLAP
    written = [[Fraction(int(a)), Fraction(repr(float(s)))] for a, s in zip(AGE, scaled(AGE), strict=True)]
    of_text = mm.separability([[*row, Fraction(1, 3) * k] for k, row in enumerate(written)], AGE % 2)
    assert list(of_text.nearly_aliased_columns or ()) == [1]
    assert "for the numbers exactly as they are" in of_text.summary()


def test_a_pickle_keeps_them() -> None:
    answer = mm.separability(frame(), "rounded")
    again = pickle.loads(pickle.dumps(answer))
    assert again.nearly_aliased_columns == answer.nearly_aliased_columns
    assert again.verdict_without_nearly_aliased is Verdict.OVERLAP and again.summary() == answer.summary()
