"""Solvers that lie: whatever floating point returns, the answer is the truth, proven, and only time leaves it open."""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest
from cases import for_each
from liars import make_cvxpy_lie, make_daqp_lie, make_highs_lie
from proven import encloses, is_proven, is_right
from rays import facts_by_rays
from zoo import INSEPARABLE, SEPARABLE, Known

from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.separability.feasibility import separability

Liar = Callable[[np.random.Generator, int], Any]


def random_vector(rng: np.random.Generator, size: int) -> np.ndarray:
    return rng.normal(size=size) * 10.0 ** rng.integers(-320, 308)


def not_finite(rng: np.random.Generator, size: int) -> np.ndarray:
    values = rng.normal(size=size)
    values[rng.integers(size)] = rng.choice([np.nan, np.inf, -np.inf])
    return values


def wrong_shape(rng: np.random.Generator, size: int) -> Any:
    shapes = [np.zeros(size + 1), np.ones(size - 1), np.ones((size, 1)), np.ones((1, size)), np.float64(1.0), "nothing"]
    return shapes[rng.integers(len(shapes))]


def out_of_luck(rng: np.random.Generator, size: int) -> Any:
    raise RuntimeError("out of\nluck")


FINITE: dict[str, Liar] = {
    "random": random_vector, "positive": lambda rng, size: np.abs(random_vector(rng, size)),
    "zeros": lambda rng, size: np.zeros(size), "infeasible": lambda rng, size: None,
    "greatest": lambda rng, size: np.full(size, 1.7e308), "vertex": lambda rng, size: np.eye(size)[rng.integers(size)],
}  # fmt: skip
LIARS = {"raises": out_of_luck, **FINITE, "not finite": not_finite, "wrong shape": wrong_shape}
LIARS["changes its mind"] = lambda rng, size: LIARS[str(rng.choice(list(LIARS)[:-1]))](rng, size)


@pytest.fixture
def lying(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Let HiGHS, DAQP and the solvers of cvxpy make up their answers."""

    def replace(liar: Liar, rng: np.random.Generator, *, waits: bool = False) -> None:
        def wait(time_limit: float | None) -> None:
            if waits:
                time.sleep(3.0 if time_limit is None else time_limit)

        make_highs_lie(monkeypatch, partial(liar, rng), wait)
        make_daqp_lie(monkeypatch, partial(liar, rng))
        make_cvxpy_lie(monkeypatch, partial(liar, rng), wait)
        statuses = ["Optimal", "Infeasible", "Time limit reached"]
        monkeypatch.setattr("highspy.Highs.modelStatusToString", lambda *_: str(rng.choice(statuses)))

    return replace


def random_problem(rng: np.random.Generator) -> Problem:
    n, d = int(rng.integers(2, 9)), int(rng.integers(1, 5))
    X = rng.integers(-2, 3, size=(n, d)).astype(float)
    y = rng.choice([-1.0, 1.0], size=n)
    y[rng.permutation(n)[:2]] = -1.0, 1.0
    return Problem(X, y, bool(rng.integers(2)))


def is_never_wrong(rng: np.random.Generator, n_cases: int) -> bool:
    for _ in range(n_cases):
        problem = random_problem(rng)
        assert is_right(problem, separability(problem, method=str(rng.choice(["auto", "highs"]))))
    return True


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", LIARS)
@pytest.mark.parametrize("n_cases", [30, 250])
def test_liars_leave_the_answer_right(lying: Callable[..., None], name: str, n_cases: int) -> None:
    rng = np.random.default_rng(n_cases)
    lying(LIARS[name], rng)
    assert is_never_wrong(rng, n_cases)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", LIARS)
def test_liars_behind_the_textbook_program(lying: Callable[..., None], name: str) -> None:
    rng = np.random.default_rng(6)
    lying(LIARS[name], rng)
    for _ in range(6):
        problem = random_problem(rng)
        assert is_right(problem, separability(problem, method="cvxpy"))


@pytest.mark.sampled
@pytest.mark.parametrize("name", LIARS)
def test_liars_and_the_maximum_margin(lying: Callable[..., None], known: Known, name: str) -> None:
    rng = np.random.default_rng(11)
    lying(LIARS[name], rng)
    problem = Problem(known.X, known.y, known.bias)
    answer = separability(problem)
    assert is_proven(problem, answer) and answer.strictly_separable is (known.margin_squared > 0)
    for method in ("auto", "textbook"):
        margin = hard_margin(problem, method=method)
        assert encloses(margin, known.margin_squared)
        assert (margin.status.is_inseparable) == (known.margin_squared == 0)


def test_who_decided_is_told(lying: Callable[..., None]) -> None:
    lying(FINITE["infeasible"], np.random.default_rng(1))
    answer = separability(Problem.validated([[0.0], [1.0]], [-1, 1]))
    assert answer.engine == "rational simplex"
    assert {"HiGHS", "rational simplex"} <= {attempt.solver for attempt in answer.attempts}


@for_each("known", (SEPARABLE + INSEPARABLE)[::5])
def test_solvers_that_raise_inside(monkeypatch: pytest.MonkeyPatch, known: Known) -> None:
    import cvxpy

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("out of\nluck")

    monkeypatch.setattr("highspy.Highs.run", fail)
    monkeypatch.setattr(cvxpy.Problem, "solve", fail)
    problem = Problem(known.X, known.y, known.bias)
    for method in ("auto", "highs", "cvxpy"):
        answer = separability(problem, method=method)
        assert is_proven(problem, answer) and answer.strictly_separable is (known.margin_squared > 0)
        failed = [attempt for attempt in answer.attempts if attempt.solver != "rational simplex"]
        assert failed and all(attempt.status == "RuntimeError" for attempt in failed)
        assert all(attempt.message == "out of luck" for attempt in failed)


def test_wrong_multipliers_beside_a_right_plane(lying: Callable[..., None]) -> None:
    problem = Problem(np.array([[0.0], [1.0], [3.0], [4.0]]), np.array([-1.0, -1.0, 1.0, 1.0]))
    for multipliers in ([1.0, 1.0, 2.0, 0.0], [1.0, 0.0, 0.0, 0.0], [1e308] * 4, [5e-324, 0.0, 5e-324, 0.0]):
        weights = np.array(multipliers)
        lying(lambda rng, size, a=weights: a if size == 4 else -np.ones(size), np.random.default_rng(0))
        assert is_proven(problem, separability(problem))
        assert separability(problem).verdict is Verdict.SEPARABLE
        assert hard_margin(problem).upper >= 1


# Time


def within(problem: Problem, time_limit: float, *, spare: float = 2.0) -> Verdict:
    """Return the verdict after checking its proof, and that the time limit was kept but for a little.

    A machine may stall for half a second; a solver that hangs and knows of no limit takes 3.
    """
    start = time.monotonic()
    answer = separability(problem, time_limit=time_limit)
    assert time.monotonic() - start < time_limit + spare
    assert is_proven(problem, answer)
    if answer.verdict is Verdict.UNDECIDED:
        assert "the time limit was reached" in answer.reason
    return answer.verdict


def hangs(rng: np.random.Generator, n_cases: int, time_limit: float) -> set[str]:
    """Return the verdicts on random cases, each the truth or undecided."""
    verdicts = set()
    for _ in range(n_cases):
        problem = random_problem(rng)
        verdict = within(problem, time_limit).value
        verdicts.add(verdict)
        assert verdict in ("undecided", facts_by_rays(problem).verdict)
    return verdicts


@pytest.mark.parametrize("name, n_cases, time_limit", [
    ("random", 12, 0.05), ("infeasible", 12, 0.05), ("zeros", 12, 0.05),
    pytest.param("random", 400, 0.01, marks=pytest.mark.slow),
])  # fmt: skip
def test_solvers_that_hang(lying: Callable[..., None], name: str, n_cases: int, time_limit: float) -> None:
    rng = np.random.default_rng(50)
    lying(FINITE[name], rng, waits=True)
    assert "undecided" in hangs(rng, n_cases, time_limit)


@pytest.mark.parametrize("time_limit", [1e-9, 0.2])
def test_honest_solvers_keep_to_the_time(time_limit: float) -> None:
    """An overlap of 60 columns takes the rational simplex method longer."""
    rng = np.random.default_rng(9)
    problem = Problem(rng.integers(-9, 10, size=(300, 60)).astype(float), np.where(np.arange(300) % 2, 1.0, -1.0))
    verdict = within(problem, time_limit, spare=1.0)
    assert verdict is Verdict.UNDECIDED or time_limit > 0.1


@pytest.mark.parametrize("name", ["infeasible", "random"])
def test_the_rational_simplex_method_keeps_to_the_time(lying: Callable[..., None], name: str) -> None:
    rng = np.random.default_rng(9)
    lying(FINITE[name], rng)
    problem = Problem(rng.normal(size=(400, 50)), np.where(np.arange(400) % 2, 1.0, -1.0))
    assert within(problem, 0.3, spare=1.5) is Verdict.UNDECIDED


def test_columns_keep_to_the_time_too(lying: Callable[..., None]) -> None:
    rng = np.random.default_rng(9)
    X = rng.normal(size=(200, 40))
    answer = separability(Problem(X, np.where(X[:, 0] > 0, 1.0, -1.0)), time_limit=0.4)
    assert answer.verdict is Verdict.SEPARABLE
    lying(FINITE["infeasible"], rng)
    start = time.monotonic()
    assert answer.columns is None and answer.infinite_columns is None and answer.aliased_columns is None
    assert time.monotonic() - start < 2.5
