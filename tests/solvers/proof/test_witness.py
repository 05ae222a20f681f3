"""Exact balancing weights: found ones balance, changed ones are refused, few rows carry them."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from proven import is_common_hull_point
from scipy.sparse import csr_array

from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.separability.cone.cone_rows import SignedRows, balances
from maxmargin.solvers.separability.cone.witness import find_common_hull_point

small = st.integers(-3, 3).map(float)
wide = st.one_of(small, st.floats(-1e300, 1e300), st.sampled_from([2.0**900, 2.0**-900, 5e-324]))


@st.composite
def weighted(draw: st.DrawFn, entries: st.SearchStrategy[float] = small) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n, d = draw(st.integers(2, 12)), draw(st.integers(1, 3))
    X = draw(hnp.arrays(np.float64, (n, d), elements=entries))
    y = draw(hnp.arrays(np.float64, n, elements=st.sampled_from([-1.0, 1.0])))
    y[:2] = -1.0, 1.0
    weights = st.one_of(st.floats(0, 1), st.just(0.0), st.just(1.0), st.floats(-1e300, 1e300))
    return X, y, draw(hnp.arrays(np.float64, n, elements=weights))


@pytest.mark.deep
@given(st.one_of(weighted(), weighted(wide)), st.booleans())
def test_what_is_found_balances_on_few_rows(data: tuple, bias: bool) -> None:
    X, y, weights = data
    point = find_common_hull_point(Problem(X, y, bias), weights)
    assert find_common_hull_point(Problem(csr_array(X), y, bias), weights) == point
    if point is not None:
        assert is_common_hull_point(X, y, bias, point)
        assert sum(point.fractions()) == 1
        assert (weights[list(point.rows)] > 0).all()


@pytest.mark.deep
@given(st.integers(1, 4), st.integers(1, 60), st.integers(0, 10**6), st.booleans())
def test_exact_weights_on_many_rows_are_reduced(d: int, pairs: int, seed: int, bias: bool) -> None:
    """Every row with both labels: equal weights balance, the null space has many dimensions."""
    rng = np.random.default_rng(seed)
    half = rng.integers(-5, 6, size=(min(pairs, 2 * (d + 2)), d)).astype(float)
    X, y = np.vstack([half, half]), np.repeat([-1.0, 1.0], len(half))
    point = find_common_hull_point(Problem(X, y, bias), np.ones(len(y)))
    assert is_common_hull_point(X, y, bias, point)


def test_nullity_above_one_uses_the_weights_as_a_guide() -> None:
    square = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0], [0.5, 0.5], [0.25, 0.75]])
    y = np.array([-1.0, -1.0, 1.0, 1.0, 1.0, -1.0])
    for weights in ([1, 1, 1, 1, 0, 0], [1, 1, 0, 0, 2, 0], [1, 1, 1, 1, 1e-9, 1e-9], [1, 1, 1, 1.1, 0.1, 0.1]):
        point = find_common_hull_point(Problem(square, y), np.array(weights, dtype=float))
        assert point is not None and is_common_hull_point(square, y, True, point)


def test_changed_weights_are_refused() -> None:
    problem = Problem.validated([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [-1, -1, 1, 1])
    point = find_common_hull_point(problem, np.ones(4))
    assert point is not None and point.rows == (0, 1, 2, 3) and point.weights == (1, 1, 1, 1)
    found = dict(zip(point.rows, point.weights, strict=True))
    assert balances(SignedRows(problem), found)
    for changed in ((1, 1, 1, 2), (-1, -1, -1, -1), (0, 0, 0, 0), (1, 1, 1)):
        assert not balances(SignedRows(problem), dict(enumerate(changed))), changed
    shifted = Problem.validated([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 2.0**-1074]], [-1, -1, 1, 1])
    assert not balances(SignedRows(shifted), found)
    relabelled = Problem(problem.X, -problem.y)
    assert balances(SignedRows(relabelled), found), "swapping both labels changes nothing"


def test_the_bias_row_counts() -> None:
    X, y = np.array([[1.0], [2.0]]), np.array([-1.0, 1.0])
    assert balances(SignedRows(Problem(X, y, bias=False)), {0: 2, 1: 1})
    assert not balances(SignedRows(Problem(X, y, bias=True)), {0: 2, 1: 1})


@pytest.mark.parametrize("weights", [[0.0, 0.0], [-1.0, -1.0], [np.nan, 1.0], [np.inf, 1.0], [1.0, 0.0]])
def test_useless_weights_find_nothing(weights: list[float]) -> None:
    problem = Problem.validated([[1.0], [1.0]], [-1, 1])
    assert find_common_hull_point(problem, np.array(weights)) is None


def test_fractions_sum_to_one_in_lowest_terms() -> None:
    point = find_common_hull_point(Problem.validated([[0.0], [3.0], [1.0]], [-1, -1, 1]), np.array([0.66, 0.33, 1.0]))
    assert point.weights == (2, 1, 3)
    assert point.fractions() == (Fraction(1, 3), Fraction(1, 6), Fraction(1, 2))
