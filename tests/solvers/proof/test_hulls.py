"""Upper bounds from points of the hulls, against fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from cases import for_each
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from references import hull_bound_squared
from scipy.sparse import csr_array

from maxmargin.solvers.exact.dyadic import as_integers
from maxmargin.solvers.exact.products import digit_sums, exact_products
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import WorkSizes
from maxmargin.solvers.proof import hulls
from maxmargin.solvers.proof.hulls import integer_weights, margin_upper_bound_squared, weighted_sum

finite = st.floats(allow_nan=False, allow_infinity=False)
wide = st.one_of(st.integers(-4, 4).map(float), finite)
weights_of_any_size = st.one_of(st.just(0.0), st.integers(0, 5).map(float), st.floats(-1, 1e308))


@st.composite
def weighted(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    n, d = draw(st.integers(2, 6)), draw(st.integers(1, 4))
    X = draw(hnp.arrays(np.float64, (n, d), elements=wide))
    y = draw(hnp.arrays(np.float64, n, elements=st.sampled_from([-1.0, 1.0])))
    y[:2] = -1.0, 1.0
    return X, y, draw(hnp.arrays(np.float64, n, elements=weights_of_any_size))


@pytest.mark.deep
@given(weighted(), st.booleans())
def test_bounds_are_those_of_fractions(data: tuple, bias: bool) -> None:
    X, y, weights = data
    used = np.maximum(weights, 0.0)
    square = margin_upper_bound_squared(Problem(X, y, bias), weights)
    missing = not used.any() or (bias and not (used[y > 0].any() and used[y < 0].any()))
    assert (square is None) == missing
    if not missing:
        assert square == hull_bound_squared(X, y, used.tolist(), bias)
        assert margin_upper_bound_squared(Problem(csr_array(X), y, bias), weights) == square


@pytest.mark.deep
@given(weighted())
def test_chunks_add_up(data: tuple) -> None:
    X, y, weights = data
    rows, integers = integer_weights(weights)
    whole, exponent = weighted_sum(Problem(X, y), rows, integers)
    parts, other = weighted_sum(Problem(X, y, sizes=WorkSizes(integer_rows=1)), rows, integers)
    assert [Fraction(v) * Fraction(2) ** exponent for v in whole] == [Fraction(v) * Fraction(2) ** other for v in parts]


@pytest.mark.deep
@given(weighted(), st.sampled_from([0.5, 1.0, 4.0, 0.1]))
def test_mean_with_a_constant_coordinate(data: tuple, scale: float) -> None:
    X, y, _ = data
    counts = np.arange(1, len(y) + 1)
    rows, integers = integer_weights(counts)
    assert integers == counts.tolist()
    augmented = np.hstack([X, np.full((len(y), 1), scale)])
    square = hulls.ClassSums.of(Problem(X, y), rows, integers).mean_norm_squared(Fraction(scale))
    assert square == hull_bound_squared(augmented, y, integers, False)


@pytest.mark.deep
@given(weighted(), st.booleans())
def test_balanced_sums(data: tuple, bias: bool) -> None:
    X, y, weights = data
    a = [max(Fraction(0), Fraction(v)) for v in weights.tolist()]
    totals = {sign: sum((v for v, s in zip(a, y, strict=True) if s == sign), Fraction(0)) for sign in (1, -1)}
    if bias:
        light = min(totals.values())
        a = [v * light / totals[int(s)] if totals[int(s)] and light else Fraction(0) for v, s in zip(a, y, strict=True)]
        assert sum(v * int(s) for v, s in zip(a, y, strict=True)) == 0
    columns = [[Fraction(v) for v in column] for column in X.T.tolist()]
    point = [sum(v * x * int(s) for v, x, s in zip(a, column, y, strict=True)) for column in columns]
    assert hulls.balanced_sum(Problem(X, y, bias), weights) == (sum(a), sum(v * v for v in point))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_weights_that_are_not_finite_bound_nothing(bad: float) -> None:
    problem = Problem.validated([[0.0], [1.0], [3.0]], [-1, -1, 1])
    assert hulls.proven_upper(problem, np.array([1.0, bad, 1.0])) >= 1.0
    assert hulls.proven_upper(problem, np.array([bad, bad, bad])) == np.inf


@pytest.mark.deep
@given(st.data())
def test_sums_of_digits_are_exact(data: st.DataObject) -> None:
    n_rows, n_columns = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 3))
    near = st.floats(-8, 8, allow_subnormal=False)
    entries = data.draw(st.sampled_from([finite, near, st.sampled_from([0.0, -0.0, 2.0**-1074, 1.0, -(2.0**-60)])]))
    values = data.draw(hnp.arrays(np.float64, (n_rows, n_columns), elements=entries))
    shape = (n_rows,) if data.draw(st.booleans()) else (n_rows, 2)
    weights = np.empty(shape, dtype=object)
    for position in np.ndindex(shape):
        weights[position] = data.draw(st.sampled_from([0, 1, 2, 77, -5, (1 << 28) - 1, 1 << 29, -(3**50), 3**400]))
    found = digit_sums(values, weights)
    if found is None:
        largest, smallest = np.abs(values).max(), np.abs(values[values != 0]).min(initial=np.inf)
        n_bits = math.log2(largest) - math.log2(smallest) + np.abs(weights).max().bit_length()
        assert n_bits > 300
        return
    sums, exponent = found
    columns = weights.reshape(n_rows, -1).T
    exact = np.array([[Fraction(x) for x in row] for row in values.tolist()], dtype=object)
    assert [total * Fraction(2) ** exponent for total in sums] == (columns @ exact).ravel().tolist()


@pytest.mark.parametrize("exponent", [0, -30])
def test_sums_with_weights_of_floats_are_those_of_integers(exponent: int) -> None:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(40, 500)) * np.ldexp(1.0, rng.integers(exponent, 1, size=(40, 500)))
    weights = np.zeros((40, 2), dtype=object)
    weights[np.arange(40), rng.integers(2, size=40)] = as_integers(rng.random(40))[0]
    integers, unit = as_integers(X)
    assert digit_sums(X, weights) == ((weights.T @ integers).ravel().tolist(), unit)


def test_rows_that_are_nearly_all_zeros_have_the_same_sums_and_products() -> None:
    rng = np.random.default_rng(3)
    X = np.zeros((60, 6_000))
    X[rng.integers(60, size=3_000), rng.integers(6_000, size=3_000)] = rng.normal(size=3_000)
    problem, everything = Problem(X, np.where(np.arange(60) % 2, 1.0, -1.0)), np.arange(60)
    weights, normal = as_integers(rng.random(60))[0], as_integers(rng.normal(size=6_000))[0]
    integers, unit = as_integers(X)
    for (found, exponent), expected in (
        (weighted_sum(problem, everything, weights), weights.dot(integers)),
        (problem.exact_products(everything, X, normal), integers.dot(normal)),
    ):
        assert [int(v) * Fraction(2) ** exponent for v in found] == [int(v) * Fraction(2) ** unit for v in expected]


@for_each("exponent", [0, -30, -900])
@for_each("shape", [(70,), (70, 1), (70, 3)])
def test_products_with_rows_of_floats_are_those_of_integers(exponent: int, shape: tuple[int, ...]) -> None:
    rng = np.random.default_rng(2)
    X = rng.normal(size=(60, 70)) * np.ldexp(1.0, rng.integers(exponent, 1, size=(60, 70)))
    X[rng.random(X.shape) < 0.3] = 0.0
    vectors = as_integers(rng.normal(size=shape))[0]
    integers, unit = as_integers(X)
    products, found = exact_products(X, vectors)
    assert (products.tolist(), found) == (integers.dot(vectors).tolist(), unit)


def test_sums_of_many_rows_go_through_digits_and_agree_with_integers() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(9_000, 3)) * np.ldexp(1.0, rng.integers(-30, 30, size=(9_000, 3)))
    problem = Problem(X, np.where(np.arange(9_000) % 2, 1.0, -1.0))
    counts = rng.integers(1, 1000, size=9_000).tolist()
    sums, exponent = weighted_sum(problem, np.arange(9_000), counts)
    integers, unit = as_integers(X)
    expected = [int(total) * Fraction(2) ** unit for total in np.array(counts, dtype=object) @ integers]
    assert [total * Fraction(2) ** exponent for total in sums] == expected
