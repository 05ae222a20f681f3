"""The structured interior point and the rounded bounds: duality, KKT, invariance, engine against engine."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse import random as random_sparse
from strategies import OVERLAPPING, overlapping

import maxmargin as mm
from maxmargin.solvers.engines import soft_working_set
from maxmargin.solvers.engines.cholesky import CholeskyFactor
from maxmargin.solvers.engines.interior_point import interior_point
from maxmargin.solvers.engines.interior_point.central_path import PathRows
from maxmargin.solvers.engines.interior_point.newton_systems import NewtonSystem, home_of_rows, in_space_of_rows
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import WorkSizes
from maxmargin.solvers.proof import soft_bounds
from maxmargin.solvers.proof.hulls import balanced_sum
from maxmargin.solvers.proof.margins import exact_functional_margins, norm_squared
from maxmargin.solvers.soft_margin.soft_margin import soft_margin, soft_margin_path
from maxmargin.solvers.soft_margin.soft_solution import SoftMargin

NARROW = 1e-9
COSTS = (1e-6, 1e-3, 1.0, 1e3, 1e6, 1e10)


def relative_gap(answer: SoftMargin) -> float:
    return answer.gap / answer.objective


@pytest.mark.slow
@pytest.mark.parametrize("C", [1e-3, 1.0, 1e3])
@pytest.mark.parametrize("name", OVERLAPPING)
def test_the_engines_agree_within_their_intervals(name: str, C: float) -> None:
    problem = OVERLAPPING[name]
    textbook = soft_margin(problem, C, method="cvxpy")
    for method in ("interior-point", "working-set") if soft_working_set.fits(problem) else ("interior-point",):
        mine = soft_margin(problem, C, method=method)
        assert mine.engine == method
        assert mine.lower <= textbook.objective and textbook.lower <= mine.objective
        assert relative_gap(mine) <= 1e-8, mine.attempts


@pytest.mark.slow
@for_each("name", OVERLAPPING)
def test_every_cost_ends_in_a_narrow_interval(name: str) -> None:
    for answer in soft_margin_path(OVERLAPPING[name], COSTS):
        assert relative_gap(answer) <= NARROW, answer


@pytest.mark.parametrize("density", [0.01, 0.3])
def test_sparse_is_dense(density: float) -> None:
    for shape in ((300, 40), (30, 200)):
        X = csr_array(random_sparse(*shape, density=density, random_state=1, format="csr"))
        y = np.where(np.arange(shape[0]) % 3 == 0, 1.0, -1.0)
        sparse, dense = (soft_margin(Problem(rows, y), 5.0, method="interior-point") for rows in (X, X.toarray()))
        assert math.isclose(sparse.objective, dense.objective, rel_tol=1e-10)
        assert max(relative_gap(sparse), relative_gap(dense)) <= NARROW


@pytest.mark.parametrize("name", ["plain", "through the origin", "more columns than rows", "far from 0"])
def test_chunks_do_not_matter(name: str) -> None:
    problem = OVERLAPPING[name]
    whole = soft_margin(problem, 1.0, method="interior-point")
    sizes = WorkSizes(chunk_entries=7 * problem.n_features, block_rows=3, block_entries=1, exact_entries=0)
    parts = soft_margin(replace(problem, sizes=sizes), 1.0, method="interior-point")
    assert math.isclose(whole.objective, parts.objective, rel_tol=1e-11)
    assert relative_gap(parts) <= 1e-10  # far from 0 a rounding of b alone is 2e-11


@pytest.mark.parametrize("shift", [0.0, 1e5])
def test_a_start_nearby_saves_iterations(shift: float) -> None:
    problem = overlapping(3000, 10)
    problem, ones = Problem(problem.X + shift, problem.y), np.ones(3000)
    first = soft_margin(problem, method="interior-point")
    n_cold, n_warm = (
        int(interior_point.solve(problem, 2 * ones, start=start).attempt.message.split()[0])
        for start in (None, (first.w, first.b))
    )
    assert n_warm < n_cold


def test_steps_that_went_in_circles_are_damped() -> None:
    """From the answer for a low cost second-order steps overshot from one end to the other, for ever."""
    problem = Problem(np.array([[2.0, -3.0], [-3.0, -3.0]]), np.array([-1.0, 1.0]), bias=False)
    first = soft_margin(problem, 1e-3)
    again = interior_point.solve(problem, np.ones(2), start=(first.w, first.b))
    assert again.attempt.status == "optimal"


@pytest.mark.parametrize("name", ["plain", "through the origin", "far from 0", "more columns than rows"])
def test_a_hyperplane_keeps_its_objective_in_other_coordinates(name: str) -> None:
    problem = OVERLAPPING[name]
    answer = soft_margin(problem, method="interior-point")
    systems = NewtonSystem(problem, problem.X.mean(axis=0) if problem.bias else None, None)
    systems.start_at(answer.w, answer.b)
    margins = problem.y * (problem.X @ answer.w + answer.b)
    progress = systems.linearise(PathRows.around(1 - margins, np.ones(problem.n_samples), 0.1))
    assert math.isclose(progress.primal, answer.objective, rel_tol=1e-6)


@given(st.floats(-1e6, 1e6), st.floats(1e-6, 1e6), st.floats(1e-3, 1.0))
def test_rows_around_a_margin_are_paired(margin: float, cost: float, spread: float) -> None:
    (a,), (r,), (s,), (x,) = PathRows.around(np.array([1 - margin]), np.array([cost]), spread)
    assert min(a, r, s, x) > 0
    assert math.isclose(a + r, cost) and math.isclose(s * x, spread) and math.isclose(a * s, r * x)
    assert math.isclose(s - x, margin - 1, rel_tol=1e-9, abs_tol=1e-9)


finite = st.one_of(st.integers(-3, 3).map(float), st.floats(-1e6, 1e6))


def columns_of_all_sizes(data: st.DataObject) -> tuple[np.random.Generator, np.ndarray]:
    """Return random rows, and the generator that they come from."""
    n, d = data.draw(st.integers(2, 300)), data.draw(st.integers(1, 3))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    return rng, rng.normal(size=(n, d)) * 10.0 ** rng.integers(-3, 4, size=d) + data.draw(finite)


@given(data=st.data())
def test_rounded_objectives_are_above_the_exact_ones(data: st.DataObject) -> None:
    """Also of columns whose numbers are far from 0, and of planes along which the terms cancel."""
    rng, X = columns_of_all_sizes(data)
    n, d = X.shape
    problem = Problem(X, np.where(np.arange(n) % 2, 1.0, -1.0), data.draw(st.booleans()))
    w, b, costs = rng.normal(size=d), data.draw(finite), rng.random(n) * 10.0 ** data.draw(st.integers(-5, 5))
    sizes = WorkSizes(exact_rows=data.draw(st.sampled_from([0, 2000])))
    rounded = soft_bounds.objective_upper_bound(replace(problem, sizes=sizes), w, b, costs)
    margins = exact_functional_margins(problem, np.arange(n), w, b)
    slack = sum(Fraction(c) * max(Fraction(0), 1 - m) for c, m in zip(costs.tolist(), margins, strict=True))
    exact = norm_squared(w) / 2 + slack
    sizes = costs @ (1 + np.abs(X) @ np.abs(w) + abs(b))
    assert exact <= Fraction(rounded) <= exact + Fraction(1e-12 * sizes) + Fraction(1e-12) * exact


@given(data=st.data())
def test_rounded_bounds_are_outside_the_exact_ones(data: st.DataObject) -> None:
    """Whatever the multipliers and the plane, also where the classes are far from balanced."""
    rng, X = columns_of_all_sizes(data)
    n = len(X)
    y = np.where(rng.random(n) < 0.5, 1.0, -1.0)
    y[:2] = -1.0, 1.0
    problem = Problem(X, y, data.draw(st.booleans()))
    dual = rng.random(n) ** 4 * 10.0 ** data.draw(st.integers(-5, 5))
    balanced = soft_bounds.balanced(problem, dual)
    total, square = balanced_sum(problem, balanced)
    rounded = soft_bounds._rounded_dual(problem, balanced)
    exact = total - square / 2
    assert Fraction(rounded) <= exact
    moduli = np.abs(X).T @ balanced
    tolerance = 1e-11 * (float(total) + float(moduli @ moduli))
    assert Fraction(rounded) >= exact - Fraction(tolerance), "and not far"


@pytest.mark.parametrize("bias", [True, False])
def test_rounded_bounds_hold_where_sums_cancel(bias: bool) -> None:
    """Pairs of rows that nearly cancel: there the error of rounding is far above the roundings of the answer."""
    for seed in range(20):
        rng = np.random.default_rng(seed)
        x = rng.normal(size=(300, 1))
        problem = Problem(np.vstack([x, x * (1 + 1e-9)]), np.repeat([1.0, -1.0], 300), bias)
        dual = np.tile(1e24 * rng.random(300), 2)  # the square counts, not the sum
        total, square = balanced_sum(problem, dual)
        assert Fraction(soft_bounds._rounded_dual(problem, dual)) <= total - square / 2


@given(st.integers(0, 2**32 - 1), st.sampled_from([1e-12, 1e-3, 0.5]))
@settings(max_examples=20)
def test_rounded_bounds_allow_for_imbalance(seed: int, imbalance: float) -> None:
    """The heavier class is scaled down exactly, whatever is left to scale."""
    rng = np.random.default_rng(seed)
    problem = Problem(rng.normal(size=(40, 2)) + 0.5, np.repeat([1.0, -1.0], 20))
    dual = soft_bounds.balanced(problem, 1e3 * rng.random(40)) * np.where(problem.y > 0, 1 - imbalance, 1.0)
    total, square = balanced_sum(problem, dual)
    assert Fraction(soft_bounds._rounded_dual(problem, dual)) <= total - square / 2


@given(st.data())
def test_sums_are_enclosed(data: st.DataObject) -> None:
    n = data.draw(st.sampled_from([1, 5, 4096, 5000]))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    values = rng.random(n) * 10.0 ** rng.integers(-20, 20, size=n)
    low, high = soft_bounds.sum_bounds(values)
    exact = sum(map(Fraction, values.tolist()), Fraction(0))
    assert Fraction(low) <= exact <= Fraction(high)
    assert high - low <= 1e-13 * high


def test_many_rows_on_the_margin_cost_width_only() -> None:
    X, y = np.repeat([[-1.0], [1.0]], 50, axis=0), np.repeat([-1.0, 1.0], 50)
    costs, problem = np.full(100, 3.0), Problem(X, y)
    assert soft_bounds.objective_upper_bound(problem, np.ones(1), 0.0, costs) <= 0.5 * (1 + 1e-15)
    problem = replace(problem, sizes=WorkSizes(exact_rows=10))
    assert 0.5 <= soft_bounds.objective_upper_bound(problem, np.ones(1), 0.0, costs) <= 0.5 * (1 + 1e-11)


def test_numbers_out_of_range_prove_nothing() -> None:
    problem = Problem(np.array([[1e300], [-1e300], [2e300]]), np.array([-1.0, 1.0, 1.0]))
    costs = np.full(3, 1e300)
    assert soft_bounds.objective_upper_bound(problem, np.array([1e300]), 0.0, costs) == math.inf
    problem = replace(problem, sizes=WorkSizes(exact_entries=0, last_resort_entries=0))
    assert soft_bounds.dual_lower_bound(problem, costs) == 0.0


def test_multipliers_of_one_class_prove_nothing() -> None:
    problem = overlapping(50, 2)
    assert soft_bounds.dual_lower_bound(problem, np.where(problem.y > 0, 1.0, 0.0)) == 0.0
    assert soft_bounds.dual_lower_bound(problem, np.zeros(50)) == 0.0


def test_factors_of_singular_matrices_solve_nearly() -> None:
    A = np.ones((3, 3))
    solution = CholeskyFactor(A).solve(np.ones(3))
    np.testing.assert_allclose(A @ solution, np.ones(3), rtol=1e-6)
    with pytest.raises(np.linalg.LinAlgError):
        CholeskyFactor(np.array([[1.0, 2.0], [2.0, 1.0]]))


def test_fewer_rows_than_columns_are_written_in_as_many_columns_as_rows() -> None:
    problem = replace(overlapping(20, 30), sizes=WorkSizes(chunk_entries=90))
    problem.X[3] = center = problem.X.mean(axis=0)
    X, inner = problem.X - center, in_space_of_rows(problem, center)
    np.testing.assert_allclose(inner.X @ inner.X.T, X @ X.T, atol=1e-12)
    np.testing.assert_allclose(X @ home_of_rows(problem, center, inner.X, inner.X[0]), inner.X @ inner.X[0], atol=1e-9)


def test_too_large_a_matrix_is_refused() -> None:
    with pytest.raises(ValueError, match="too large"):
        soft_margin(replace(overlapping(20, 5), sizes=WorkSizes(factorised_side=3)), method="interior-point")


def test_weights_as_scikit_learn_means_them() -> None:
    from sklearn.svm import SVC

    problem = overlapping(120, 3, share=0.2)
    labels = np.where(problem.y > 0, "b", "a")
    sample_weight = np.linspace(0.0, 2.0, 120)
    for class_weight in (None, "balanced", {"a": 3.0}):
        mine = mm.soft_margin(problem.X, labels, 0.01, sample_weight=sample_weight, class_weight=class_weight)
        theirs = SVC(kernel="linear", C=0.01, class_weight=class_weight, tol=1e-8)
        theirs.fit(problem.X, labels, sample_weight=sample_weight)
        np.testing.assert_allclose(mine.w, theirs.coef_[0], atol=1e-5)
        np.testing.assert_allclose(mine.b, theirs.intercept_[0], atol=1e-4)


@pytest.mark.slow
@given(st.integers(0, 10**6), st.sampled_from([0, -400, 400, -540, 600]))
@settings(max_examples=20)
def test_squares_of_long_normals_are_bounded_from_above(seed: int, exponent: int) -> None:
    w = np.ldexp(np.random.default_rng(seed).normal(size=5000), exponent)
    exact = sum(Fraction(v) ** 2 for v in w.tolist())
    bound = soft_bounds.square_up(w)
    assert exact <= bound
    assert exponent < -500 or bound <= exact * (1 + Fraction(1, 10**12))
