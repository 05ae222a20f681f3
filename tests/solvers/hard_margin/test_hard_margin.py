"""The maximum margin: intervals that contain the exact value, KKT residuals, invariances."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
from cases import for_each
from proven import encloses
from scipy.sparse import csr_array
from zoo import INSEPARABLE, SEPARABLE, Known

import maxmargin as mm
from maxmargin.solvers.hard_margin.hard_margin import RELATIVE_GAP, hard_margin
from maxmargin.solvers.problem.problem import Problem


@for_each("known", SEPARABLE + INSEPARABLE)
def test_known_margins_lie_in_the_interval(known: Known) -> None:
    for X in (known.X, csr_array(known.X)):
        answer = hard_margin(Problem(X, known.y, known.bias))
        if not known.margin_squared:
            assert answer.status.is_inseparable
            assert (answer.lower, answer.upper, answer.margin, answer.gap) == (0, 0, 0, 0)
            assert answer.w is None and answer.b is None and not answer.support.size
            return
        assert answer.status is mm.Status.OPTIMAL
        assert encloses(answer, known.margin_squared)
        assert answer.upper - answer.lower <= RELATIVE_GAP * answer.upper
        assert answer.gap >= answer.upper - answer.lower
        assert answer.margin is not None and answer.lower * (1 - 1e-14) <= answer.margin <= answer.lower


def kkt_violation(problem: Problem, answer: mm.HardMargin) -> float:
    """Return the largest relative violation of the optimality conditions."""
    X = problem.X.toarray() if problem.is_sparse else problem.X
    margins = problem.y * (X @ answer.w + answer.b)
    norm = np.linalg.norm(answer.w)
    stationary = np.linalg.norm(answer.w - X.T @ (answer.dual * problem.y)) / norm
    feasible = max(0.0, 1 - margins.min())
    complementary = float(answer.dual @ np.abs(margins - 1)) / norm**2
    balanced = abs(answer.dual @ problem.y) / answer.dual.sum() if problem.bias else 0.0
    return max(stationary, feasible, complementary, balanced)


@for_each("separable", SEPARABLE)
def test_optimality_conditions(separable: Known) -> None:
    problem = Problem(separable.X, separable.y, separable.bias)
    answer = hard_margin(problem)
    assert (answer.dual >= 0).all()
    assert set(np.flatnonzero(answer.dual > 1e-6 * answer.dual.max())) <= set(answer.support.tolist())
    assert kkt_violation(problem, answer) < 1e-6
    assert answer.primal_residual < 1e-12 and answer.dual_residual < 1e-6
    assert math.isclose(answer.dual.sum(), 1 / separable.margin_squared, rel_tol=1e-6)


@for_each("name, positive, margin, digits", [
    ("breast_cancer", None, 0.00139985, 1e-5), ("wine", "class_0", 0.468120, 1e-6), ("wine", "class_1", 0.219628, 1e-5),
    ("wine", "class_2", 0.450351, 1e-5),
])  # fmt: skip
def test_published_margins_of_standardised_data(name: str, positive: Any, margin: float, digits: float) -> None:
    """Those of the data as they are: test_exact_margin.py."""
    data = mm.load(name, positive=positive)
    answer = hard_margin(Problem(mm.prepare(data.X, "standardize").X, data.y.astype(float)))
    assert answer.status is mm.Status.OPTIMAL
    assert answer.upper - answer.lower <= 1e-9 * answer.upper
    assert answer.lower <= margin * (1 + digits) and margin * (1 - digits) <= answer.upper


@for_each("unit", [5e-324, 1e-310, 1e-160, 1e160, 1e300, 1.7e308 / 5])
@for_each("bias", [True, False])
def test_margins_in_extreme_units(unit: float, bias: bool) -> None:
    X = np.array([-5.0, -3.0, 1.0, 5.0])[:, None] * unit
    answer = hard_margin(Problem(X, np.array([-1.0, -1.0, 1.0, 1.0]), bias))
    exact = (Fraction(X[2, 0]) - Fraction(X[1, 0])) / 2 if bias else Fraction(X[2, 0])
    assert encloses(answer, exact**2)
    assert answer.w is not None and np.isfinite(answer.w).all() and answer.w[0] > 0
    assert answer.support.tolist() == ([1, 2] if bias else [2])
    assert np.isfinite(answer.dual).all()
    assert answer.margin is not None and answer.lower * (1 - 1e-13) - 5e-324 <= answer.margin <= answer.lower


def test_columns_in_units_far_apart_do_not_end_the_process() -> None:
    """HiGHS's method for quadratic programs corrupts memory on these rows."""
    X = [[0.0, 1.9e12], [1.9e7, 0.0], [0.0, 0.0], [130.0, 0.0], [-9400.0, -27000.0], [-1.3e-8, 6e7], [-0.83, 0.0]]
    problem = Problem.validated(X, [1, -1, -1, -1, -1, 1, 1])
    found, exact = hard_margin(problem), hard_margin(problem, exact=True)
    assert Fraction(found.lower) ** 2 <= exact.margin_squared <= Fraction(found.upper) ** 2
    assert found.status is mm.Status.OPTIMAL
