"""Functional margins: enclosures hold whatever the exponents, least margins are those of fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from calls import arguments_of
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from references import margins_of
from scipy.sparse import csr_array

from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import WorkSizes
from maxmargin.solvers.problem.scaling import column_bounds
from maxmargin.solvers.proof import margins
from maxmargin.solvers.proof.margins import best_offset, exact_functional_margins, least_functional_margin

finite = st.floats(allow_nan=False, allow_infinity=False)
moderate = st.builds(math.ldexp, st.floats(-1, 1), st.sampled_from([-1074, -600, -30, 0, 1, 60, 500]))
entries = st.one_of(st.integers(-3, 3).map(float), moderate, finite)


@st.composite
def planes(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    n, d = draw(st.integers(2, 6)), draw(st.integers(1, 5))
    X = draw(hnp.arrays(np.float64, (n, d), elements=entries))
    w = draw(hnp.arrays(np.float64, d, elements=entries))
    y = draw(hnp.arrays(np.float64, n, elements=st.sampled_from([-1.0, 1.0])))
    y[:2] = -1.0, 1.0
    return X, y, w, draw(entries)


# Every product underflows by a little, and rounded products give the wrong sign: 1.8 - 2.8 against 2 - 3 or 2 - 2.
DAZZLING = (np.array([[1.8, -2.8], [-1.8, 2.8]]) * 2.0**-500, np.array([1.0, -1.0]), np.full(2, 2.0**-574), 0.0)

OVERFLOWING = (np.array([[1e200, 1e200], [-1e200, 1e200]]), np.array([1.0, -1.0]), np.array([1e200, -1e200]), 0.0)
SIGNED_ZERO = (np.array([[-0.0], [0.0]]), np.array([1.0, -1.0]), np.array([-0.0]), -0.0)


@pytest.mark.deep
@given(planes())
@example(DAZZLING)
@example(OVERFLOWING)
@example(SIGNED_ZERO)
def test_enclosures_contain_the_exact_margins(plane: tuple) -> None:
    X, y, w, b = plane
    lower, upper = margins.enclose_functional_margins(Problem(X, y), w, b)
    for low, exact, high in zip(lower.tolist(), margins_of(X, y, w, b), upper.tolist(), strict=True):
        assert math.isinf(low) or Fraction(low) <= exact
        assert math.isinf(high) or exact <= Fraction(high)
        assert low < high


def test_ordinary_enclosures_are_narrow() -> None:
    rng = np.random.default_rng(1)
    X, w = rng.normal(size=(50, 8)), rng.normal(size=8)
    y = np.where(np.arange(50) % 2, 1.0, -1.0)
    lower, upper = margins.enclose_functional_margins(Problem(X, y), w, 0.5)
    assert (upper - lower < 1e-13).all()


@pytest.mark.deep
@given(planes())
@example(DAZZLING)
@example(OVERFLOWING)
@example(SIGNED_ZERO)
def test_exact_and_least_margins_are_those_of_fractions(plane: tuple) -> None:
    X, y, w, b = plane
    problem, exact = Problem(X, y), margins_of(X, y, w, b)
    assert exact_functional_margins(problem, np.arange(len(y)), w, b) == exact
    assert least_functional_margin(problem, w, b) == min(exact)
    scores = margins_of(X, y, w, 0.0)
    positive, negative = (min(m for m, s in zip(scores, y, strict=True) if s == label) for label in (1, -1))
    assert best_offset(problem, w) == ((negative - positive) / 2, (positive + negative) / 2)
    assert best_offset(Problem(X, y, bias=False), w) == (0, min(scores))


@pytest.mark.slow
@pytest.mark.deep
@given(planes())
@example(DAZZLING)
def test_sparse_rows_and_chunks_give_the_same(plane: tuple) -> None:
    X, y, w, b = plane
    problem, chunked = Problem(X, y), Problem(X, y, sizes=WorkSizes(chunk_entries=1))
    assert len(list(chunked.map(lambda rows, X: rows))) == len(y)
    for other in (Problem(csr_array(X), y), chunked):
        assert least_functional_margin(other, w, b) == least_functional_margin(problem, w, b)
        assert best_offset(other, w) == best_offset(problem, w)
    lower, upper = margins.enclose_functional_margins(chunked, w, b)
    exact = exact_functional_margins(chunked, np.arange(len(y)), w, b)
    assert all(math.isinf(v) or Fraction(v) <= m for v, m in zip(lower.tolist(), exact, strict=True))
    assert all(math.isinf(v) or Fraction(v) >= m for v, m in zip(upper.tolist(), exact, strict=True))


@pytest.mark.deep
@given(planes())
def test_geometric_margins_are_rounded_down(plane: tuple) -> None:
    X, y, w, b = plane
    square = margins.norm_squared(w)
    assert square == sum(Fraction(v) ** 2 for v in w.tolist())
    least = min(margins_of(X, y, w, b))
    value = margins.geometric_margin(least, square)
    if not square or math.isinf(value):
        assert value == -math.inf
        return

    def signed_square(m: Fraction) -> Fraction:
        return m * abs(m)

    assert signed_square(Fraction(value)) <= signed_square(least) / square
    above = math.nextafter(value, math.inf)
    assert math.isinf(above) or signed_square(Fraction(above)) > signed_square(least) / square


def test_normals_that_floats_do_not_hold_have_a_best_offset() -> None:
    problem, far = Problem.validated([[0.0, 0.0], [0.0, 1.0]], [-1, 1]), Fraction(2) ** 1500
    assert best_offset(problem, [far, 1 / far]) == (-1 / far / 2, 1 / far / 2)


@pytest.mark.parametrize("w, b", [([math.nan], 0.0), ([math.inf], 0.0), ([1.0], math.nan), ([1.0], -math.inf)])
def test_planes_that_are_not_finite_are_refused(w: list[float], b: float) -> None:
    with pytest.raises(ValueError, match="NaN or infinity"):
        least_functional_margin(Problem.validated([[1.0], [2.0]], [-1, 1]), np.array(w), b)


def test_far_rows_are_not_computed_exactly() -> None:
    X = np.linspace(1.0, 2.0, 1000)[:, None]
    y = np.where(np.arange(1000) % 2, 1.0, -1.0)
    with arguments_of(Problem.exact_products) as calls:
        assert least_functional_margin(Problem(X, y), np.array([1.0]), 0.0) == -Fraction(X[998, 0])
    assert [row for call in calls for row in call["rows"].tolist()] == [998]


@pytest.mark.parametrize("bad", [np.nan, np.inf, -np.inf])
def test_column_bounds_of_many_rows_tell_what_is_not_finite(bad: float) -> None:
    X = np.random.default_rng(0).normal(size=(2**18, 3))
    low, high = column_bounds(X)
    assert (low == X.min(axis=0)).all() and (high == X.max(axis=0)).all()
    X[17, 1] = bad
    low, high = column_bounds(X)
    assert np.isnan(low).tolist() == np.isnan(high).tolist() == [False, True, False]
