"""The direct quadratic program: KKT, cvxpy as oracle, proven intervals, and what must not change the answer."""

import numpy as np
import pytest
from cases import for_each
from commands import python

from maxmargin import load
from maxmargin.solvers.engines import quadratic
from maxmargin.solvers.hard_margin.hard_bracket import HardBracket
from maxmargin.solvers.problem.candidate import Candidate
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.scaling import RowSpace
from maxmargin.solvers.proof.margins import prove_separable


def planted(n_samples: int, n_features: int, *, margin: float = 0.02, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features))
    X /= np.linalg.norm(X, axis=1)[:, None]
    w = rng.normal(size=n_features)
    w /= np.linalg.norm(w)
    y = np.where(X @ w > 0, 1.0, -1.0)
    y[:2] = -1.0, 1.0
    return X + (margin * y - np.minimum(y * (X @ w), 0) * y)[:, None] * w, y


def solved(problem: Problem) -> Candidate:
    scaling = problem.scaling
    found = quadratic.solve(
        scaling.apply(problem.X), problem.y, bias=problem.bias, normal_weights=scaling.normal_weights()
    )
    return scaling.bring_home(found)


def relative_gap(problem: Problem, found: Candidate) -> float:
    assert found.w is not None and found.multipliers is not None
    best = HardBracket(problem)
    plane = prove_separable(problem, found.w)
    assert plane is not None
    best.offer_plane(plane, found.engine)
    best.offer_weights(found.multipliers)
    return best.relative_gap


def collinear() -> tuple[np.ndarray, np.ndarray]:
    X, y = planted(80, 5)
    return np.hstack([X, X[:, :2] + X[:, 2:4], 3.0 * X[:, :1], np.zeros((80, 1)), np.ones((80, 1))]), y


def badly_scaled() -> tuple[np.ndarray, np.ndarray]:
    X, y = planted(300, 12)
    return 7.0 + X * 10.0 ** np.linspace(-4, 4, 12), y


def repeated() -> tuple[np.ndarray, np.ndarray]:
    X, y = planted(100, 10)
    return np.repeat(X, 3, axis=0), np.repeat(y, 3)


ZOO = {
    "many-rows": planted(600, 30), "square": planted(40, 40), "many-columns": planted(30, 200), "repeated": repeated(),
    "repeated-many-columns": tuple(np.repeat(part, 2, axis=0) for part in planted(20, 90)), "collinear": collinear(),
    "badly-scaled": badly_scaled(),
    "one-row-a-class": (np.array([[1.0, 2.0, 3.0], [2.0, 0.0, 3.0]]), np.array([-1.0, 1.0])),
    "one-column": (np.array([[10.0], [40.0], [60.0], [90.0]]), np.array([-1.0, -1.0, 1.0, 1.0])),
}  # fmt: skip


SEPARABLE_THROUGH_THE_ORIGIN = [name for name in ZOO if name not in ("badly-scaled", "one-column")]


@for_each("name, bias", [*((name, True) for name in ZOO), *((name, False) for name in SEPARABLE_THROUGH_THE_ORIGIN)])
def test_the_proven_interval_is_narrow(name, bias):
    problem = Problem(*ZOO[name], bias=bias)
    assert relative_gap(problem, solved(problem)) <= 1e-12


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer", "digits"])
def test_the_proven_interval_is_narrow_on_bundled_data(name):
    data = load(name, positive={"iris": "setosa", "wine": "class_1", "breast_cancer": None, "digits": 0}[name])
    problem = Problem(data.X, data.y.astype(float))
    assert relative_gap(problem, solved(problem)) <= 1e-11


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("shape", [(60, 6), (20, 50)])
def test_the_conditions_of_karush_kuhn_and_tucker_hold(shape, bias):
    X, y = planted(*shape)
    q = np.linspace(0.25, 1.0, shape[1])
    found = quadratic.solve(X, y, bias=bias, normal_weights=q)
    pull = found.multipliers * y
    scores = X @ found.w
    b = (min(scores[y > 0]) + max(scores[y < 0])) / -2 if bias else 0.0
    slack = y * (scores + b) - 1
    size = found.multipliers.sum()
    assert found.multipliers.min() >= 0
    assert slack.min() >= -1e-9
    assert found.multipliers @ slack <= 1e-9 * size
    assert not bias or abs(pull.sum()) <= 1e-9 * size
    np.testing.assert_allclose(q**2 * found.w, X.T @ pull, atol=1e-9 * size)


@pytest.mark.parametrize("factor", [1e-7, 1e-3, 1e5])
def test_units_do_not_matter(factor):
    X, y = planted(100, 8)
    usual, other = quadratic.solve(X, y, bias=True), quadratic.solve(factor * X, y, bias=True)
    np.testing.assert_allclose(factor * other.w, usual.w, rtol=1e-8)
    np.testing.assert_allclose(factor**2 * other.multipliers, usual.multipliers, atol=1e-8 * usual.multipliers.max())


def test_an_infeasible_program_gives_no_numbers():
    X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    found = quadratic.solve(X, np.array([-1.0, -1.0, 1.0, 1.0]), bias=True)
    assert (found.w, found.multipliers, found.attempt.status) == (None, None, "infeasible")


def test_the_time_limit_is_kept_and_said():
    X, y = planted(3000, 200)
    found = quadratic.solve(X, y, bias=True, time_limit=1e-3)
    assert found.w is None
    assert found.stopped_early


def test_it_imports_neither_cvxpy_nor_scipy():
    code = (
        "import sys, numpy as np; from maxmargin.solvers.engines import quadratic;"
        "assert quadratic.solve(np.array([[0.], [1.]]), np.array([-1., 1.]), bias=True).w.round(9) == 2;"
        "print({'cvxpy', 'scipy'} & set(sys.modules))"
    )
    assert python(code) == "set()\n"


@pytest.mark.parametrize("bias", [True, False])
def test_the_row_space_keeps_norms_and_differences_of_scores(bias):
    X, _ = planted(12, 40)
    space = RowSpace.of(X, bias=bias)
    v = np.random.default_rng(0).normal(size=space.basis.shape[1])
    w = space.invert(v)
    assert space.basis.shape == (40, 12 - bias)
    np.testing.assert_allclose(np.linalg.norm(w), np.linalg.norm(v), rtol=1e-12)
    shift = X @ w - space.apply(X) @ v
    np.testing.assert_allclose(shift, shift[0] if bias else 0.0, atol=1e-12)
    np.testing.assert_allclose(X - space.center, space.apply(X) @ space.basis.T, atol=1e-12)
