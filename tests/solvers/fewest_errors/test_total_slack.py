"""The least total slack: proven at both ends, against the textbook program and closed forms."""

import warnings
from fractions import Fraction

import cvxpy as cp
import numpy as np
import pytest
from elimination import signed_rows
from hypothesis import example, given, settings
from hypothesis import strategies as st
from liars import make_highs_lie
from references import margins_of
from strategies import integer_problems

import maxmargin as mm
from maxmargin.solvers.answers.statuses import Status
from maxmargin.solvers.fewest_errors.minimum import fewest_errors
from maxmargin.solvers.fewest_errors.total_slack import TotalSlack, least_total_slack
from maxmargin.solvers.problem.problem import Problem


def check(problem: Problem, answer: TotalSlack) -> None:
    """Both ends, again, in fractions."""
    rows = signed_rows(problem.X, problem.y, problem.bias)
    slack = [max(Fraction(0), 1 - margin) for margin in margins_of(problem.X, problem.y, answer.w, answer.b)]
    assert sum(slack) <= Fraction(answer.upper) <= sum(slack) * (1 + Fraction(2) ** -50)
    assert all(0 < weight <= 1 for weight in answer.dual.values())
    for column in range(len(rows[0])):
        assert sum(weight * rows[row][column] for row, weight in answer.dual.items()) == 0
    assert Fraction(answer.lower) <= sum(answer.dual.values(), Fraction(0))
    assert 0 <= answer.lower <= answer.upper
    assert np.allclose(answer.slack, np.array([float(v) for v in slack]), rtol=1e-9, atol=1e-9)


def textbook(problem: Problem) -> float:
    X, w = problem.dense_rows(slice(None)), cp.Variable(problem.n_features)
    b = cp.Variable() if problem.bias else 0.0
    xi = cp.Variable(problem.n_samples)
    program = cp.Problem(cp.Minimize(cp.sum(xi)), [cp.multiply(problem.y, X @ w + b) >= 1 - xi, xi >= 0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of cvxpy, about rows of zeros
        return float(program.solve(solver="HIGHS"))


@given(integer_problems(9))
def test_against_the_textbook_program(problem: Problem) -> None:
    answer = least_total_slack(problem)
    check(problem, answer)
    assert answer.status is Status.OPTIMAL
    assert answer.gap <= 1e-9 * max(1.0, answer.upper)
    assert answer.lower - 1e-6 <= textbook(problem) <= answer.upper + 1e-6


@pytest.mark.slow
@given(integer_problems(9))
@settings(max_examples=30)
def test_the_fewest_errors_fit_in_it(problem: Problem) -> None:
    answer, fewest = least_total_slack(problem), fewest_errors(problem).upper
    assert fewest <= answer.upper
    assert (answer.upper == 0) == (fewest == 0)
    if problem.bias:
        assert answer.upper <= 2 * min((problem.y > 0).sum(), (problem.y < 0).sum())
    assert answer.upper <= problem.n_samples


@given(integer_problems(9), st.sampled_from([-60, -7, 7, 60]), st.integers(2, 3))
@example(Problem(np.array([[0.0, 1.0], [1.0, 1.0]]), np.array([1.0, -1.0])), 60, 2)  # few offsets are floats
@settings(max_examples=20)
def test_units_change_nothing_and_copies_multiply(problem: Problem, exponent: int, n_copies: int) -> None:
    X = np.ldexp(np.repeat(problem.dense_rows(slice(None)), n_copies, axis=0), exponent)
    copies = Problem(X, np.repeat(problem.y, n_copies), problem.bias)
    answer = least_total_slack(copies)
    check(copies, answer)
    assert answer.upper == pytest.approx(n_copies * least_total_slack(problem).upper, rel=1e-9)


@pytest.mark.slow
@given(integer_problems(9), st.sampled_from(["nothing", "noise", "halves"]))
def test_a_solver_that_lies_widens_the_interval_only(problem: Problem, lie: str) -> None:
    random = np.random.default_rng(0)

    def said(size: int) -> np.ndarray | None:
        if lie == "nothing":
            return None
        return random.normal(size=size) if lie == "noise" else random.choice([0.0, 0.5, 1.0], size)

    with pytest.MonkeyPatch.context() as patch:
        make_highs_lie(patch, said)
        answer = least_total_slack(problem)
    check(problem, answer)
    best = least_total_slack(problem)
    assert answer.lower <= best.upper and best.lower <= answer.upper
    assert (answer.lower > 0) == (best.lower > 0)


@pytest.mark.parametrize(
    ("X", "weights"), [([[1.0], [1.0], [1.0]], [0.5, 2.0]), ([[1.0], [-1.0], [-2.0]], [0.5, 1.0, 0.0])]
)
def test_multipliers_out_of_bounds_prove_nothing(
    monkeypatch: pytest.MonkeyPatch, X: list[list[float]], weights: list[float]
) -> None:
    """Solved exactly, the weight that is said to be 1/2 comes to 2, or to -1."""
    problem = Problem.validated(X, [1, -1, -1], bias=False)
    make_highs_lie(monkeypatch, lambda size: np.array(weights) if size == len(weights) else np.zeros(size))
    check(problem, least_total_slack(problem))


def test_the_time_limit_returns_what_was_proven() -> None:
    random = np.random.default_rng(0)
    X, y = random.normal(size=(300, 8)), np.where(random.random(300) < 0.5, 1.0, -1.0)
    answer = mm.least_total_slack(X, y, time_limit=1e-6)
    assert answer.status is Status.LIMIT
    assert 0 <= answer.lower <= answer.upper <= 300
