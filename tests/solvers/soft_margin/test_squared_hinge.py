"""The squared hinge: both ends proven, agreement with exact optima, cvxpy and, without a bias, LinearSVC."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from cases import for_each
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from references import exact_hard_margin, margins_of
from scipy.sparse import csr_array
from sklearn.svm import LinearSVC
from strategies import bundled, fewer_examples, overlapping, problems

import maxmargin as mm
from maxmargin.solvers.answers.statuses import Status
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import WorkSizes
from maxmargin.solvers.proof.soft_bounds import objective_upper_bound, squared_dual_lower_bound
from maxmargin.solvers.soft_margin.soft_margin import soft_margin, soft_margin_path

small = st.integers(-3, 3).map(float)
wild = st.one_of(small, st.floats(allow_nan=False, allow_infinity=False))
LOSS = "squared_hinge"


@given(problems(small, most_rows=7), st.data())
@fewer_examples
def test_the_exact_optimum_is_in_the_interval_and_its_rows_with_slack_are_counted(
    problem: Problem, data: st.DataObject
) -> None:
    """It is the hard margin of rows (x, y e_i/k) if a slack costs k^2/2: then w is (w, k xi)."""
    roots = data.draw(st.lists(st.sampled_from([0, 1, 3, 8]), min_size=problem.n_samples, max_size=problem.n_samples))
    roots[:2] = [root or 1 for root in roots[:2]]
    kept = np.flatnonzero(roots)
    own = [[Fraction(int(problem.y[i]), roots[i]) * (i == j) for j in kept] for i in kept]
    rows = [[*map(Fraction, problem.X[i].tolist()), *part] for i, part in zip(kept, own, strict=True)]
    exact = exact_hard_margin(rows, problem.y[kept], problem.bias)
    assert exact is not None
    value, w = sum(v * v for v in exact.w) / 2, exact.w[: problem.n_features]
    n_slack = sum(m < 1 for m in margins_of(problem.X, problem.y, w, exact.b))  # those of weight 0 included
    weights = np.square(roots, dtype=float)
    for sizes in (WorkSizes(), WorkSizes(exact_entries=0, exact_rows=0)):
        answer = soft_margin(replace(problem, sizes=sizes), 0.5, sample_weight=weights, loss=LOSS)
        assert answer.lower <= value <= answer.objective and answer.gap <= 1e-9 * answer.objective
        assert answer.slack_bounds[0] <= n_slack <= answer.slack_bounds[1]
        np.testing.assert_allclose(answer.w, [*map(float, w)], atol=1e-6)
        assert math.isclose(answer.b, exact.b, abs_tol=1e-6)
        np.testing.assert_allclose((answer.dual * problem.y) @ problem.X, answer.w, atol=1e-6)


@given(problems(wild), st.data(), st.sampled_from([1e-3, 1.0, 1e6, 1e-300, 1e300]))
def test_any_plane_is_above_any_multipliers(problem: Problem, data: st.DataObject, C: float) -> None:
    n, d = problem.X.shape
    w = data.draw(hnp.arrays(np.float64, d, elements=wild))
    b = data.draw(wild) if problem.bias else 0.0
    dual = data.draw(hnp.arrays(np.float64, n, elements=st.floats(0, 1e9) | st.floats(0, 1e-300)))
    slack = [max(Fraction(0), 1 - m) for m in margins_of(problem.X, problem.y, w, b)]
    exact = sum(Fraction(v) ** 2 for v in w.tolist()) / 2 + Fraction(C) * sum(v * v for v in slack)
    for sizes in (WorkSizes(), WorkSizes(exact_entries=0, exact_rows=0, last_resort_entries=0)):
        sized = replace(problem, sizes=sizes)
        objective = objective_upper_bound(sized, w, b, np.full(n, C), 2)
        assert math.isinf(objective) or exact <= Fraction(objective)
        assert 0 <= Fraction(squared_dual_lower_bound(sized, dual, np.full(n, C))) <= exact


CASES = {
    "overlap": overlapping(150, 4),
    "through the origin": overlapping(150, 4, bias=False),
    "sparse": replace(overlapping(80, 5), X=csr_array(overlapping(80, 5).X.round())),
    "more columns than rows": overlapping(30, 90),
    "columns of different size": bundled("breast_cancer", "benign"),
}


@for_each("name", CASES)
def test_agreement_with_cvxpy(name: str) -> None:
    problem = CASES[name]
    weights = np.random.default_rng(1).integers(0, 4, problem.n_samples) / 2
    for C in (1e-3, 1.0, 1e3):
        ours, theirs = (soft_margin(problem, C, sample_weight=weights, loss=LOSS, method=m) for m in ("auto", "cvxpy"))
        assert ours.status is Status.OPTIMAL and ours.engine == "newton" and ours.gap <= 1e-9 * ours.objective
        assert ours.lower <= theirs.objective and theirs.lower <= ours.objective
        assert math.isclose(ours.objective, theirs.objective, rel_tol=1e-7) and "cvxpy" in theirs.engine


def test_linear_svc_without_intercept_is_the_same() -> None:
    problem = overlapping(200, 3, bias=False)
    weights = np.random.default_rng(0).random(200)
    other = LinearSVC(C=0.7, fit_intercept=False, tol=1e-12, dual=False).fit(problem.X, problem.y, weights)
    model = mm.MaxMarginClassifier(0.7, fit_intercept=False, loss=LOSS).fit(problem.X, problem.y, weights)
    np.testing.assert_allclose(model.coef_, other.coef_, rtol=1e-5, atol=1e-8)


def test_greater_costs_lead_to_the_hard_margin_and_many_rows_are_no_obstacle() -> None:
    X, y = [[0.0], [1.0], [3.0], [4.0]], [0, 0, 1, 1]
    answers = mm.soft_margin_path(X, y, [1e20, 1.0, 1e3], loss=LOSS)
    assert answers[0].objective == pytest.approx(0.5, rel=1e-12) and answers[1].objective < answers[2].objective < 0.5
    assert "C sum xi^2" in answers[0].summary() and answers[0].to_dict()["loss"] == LOSS
    large = soft_margin(overlapping(20_000, 5), 1.0, loss=LOSS)
    assert large.gap <= 1e-9 * large.objective


def test_what_is_refused_or_cut_short() -> None:
    problem = overlapping(50, 2)
    for options in ({"loss": "log"}, {"loss": LOSS, "method": "working-set"}, {"method": "newton"}):
        with pytest.raises(InvalidOptionError):
            soft_margin(problem, 1.0, **options)
    with pytest.raises(InvalidOptionError, match="too large for loss"):
        soft_margin(replace(problem, sizes=WorkSizes(factorised_side=1)), 1.0, loss=LOSS)
    (late,) = soft_margin_path(problem, [1.0], loss=LOSS, time_limit=1e-9)
    assert late.status is Status.LIMIT and 0 <= late.lower <= late.objective
