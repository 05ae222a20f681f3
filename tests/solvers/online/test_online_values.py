"""The numbers that guarantees state, from their formulas in plain numpy."""

import math
from collections.abc import Callable
from typing import Any

import cvxpy
import numpy as np
import pytest

from maxmargin.solvers.online.algorithm import OnlineRun
from maxmargin.solvers.online.catalogue import algorithm_of
from maxmargin.solvers.online.online_settings import OnlineSettings
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.run_online import run_online
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.problem.problem import Problem

EPOCHS = 3


def answered(name: str, noise: bool, **parameters: Any) -> tuple[OnlineRun, Reference]:
    """A run of a few epochs in cyclic order, and the reference about its rows."""
    rng = np.random.default_rng(5)
    X = rng.normal(size=(20, 3))
    y = np.where(X @ rng.normal(size=3) + 0.2 > 0, 1.0, -1.0)
    if noise:
        y[:3] *= -1
    problem = Problem.validated(X, y)
    reference = Reference(space=Space.of(problem, 1.0))
    assert reference.is_separable is not noise
    return run_online(
        problem, algorithm_of(name, parameters), OnlineSettings(max_epochs=EPOCHS), reference=reference
    ), reference


def weights_before(run: OnlineRun, step: Callable[[Any, Any, float, int], Any]) -> list[Any]:
    """The weights before every presentation, for a rule ``step(w, x, y, t)``."""
    w, weights = np.zeros(run.space.n_columns), []
    for t in range(run.n_presentations):
        row = t % run.space.n_samples
        weights.append(w)
        w = step(w, run.space.X[row], run.space.y[row], t + 1)
    return weights


def hinges(run: OnlineRun, weights: list[Any]) -> Any:
    """The hinge loss of every presentation."""
    rows = np.arange(run.n_presentations) % run.space.n_samples
    margins = [run.space.y[row] * (run.space.X[row] @ w) for row, w in zip(rows, weights, strict=True)]
    return np.maximum(0.0, 1.0 - np.array(margins))


def agrees(run: OnlineRun, achieved: float, value: float, rtol: float = 1e-8) -> None:
    guarantee = run.guarantees[0]
    assert guarantee.holds is True and guarantee.value is not None
    np.testing.assert_allclose([guarantee.achieved, guarantee.value], [achieved, value], rtol=rtol)


@pytest.mark.parametrize("noise", [False, True])
@pytest.mark.parametrize("name", ["pegasos", "subgradient-svm"])
def test_regret_of_subgradient_descent_on_the_svm(name: str, noise: bool) -> None:
    run, reference = answered(name, noise, lambda_=0.3)
    X, y, T = run.space.X, run.space.y, run.n_presentations
    squares, objectives = [], []
    w = np.zeros(4)
    for t in range(T):
        rows = [t % len(y)] if name == "pegasos" else range(len(y))
        losses = np.array([1 - y[row] * (X[row] @ w) for row in rows])
        objectives.append(0.15 * w @ w + np.maximum(losses, 0).mean())
        gradient = 0.3 * w - np.mean([(loss > 0) * y[i] * X[i] for i, loss in zip(rows, losses, strict=True)], axis=0)
        squares.append(gradient @ gradient)
        w = w - gradient / (0.3 * (t + 1))
    soft = reference.soft(1 / (0.3 * len(y)))
    assert math.isclose(soft.lower, soft.objective, rel_tol=1e-6)
    regret = np.mean(objectives) - 0.3 * soft.objective
    assert math.isclose(run.guarantees[0].achieved, regret, rel_tol=1e-5)
    assert math.isclose(run.guarantees[0].value or 0.0, max(squares) * (1 + math.log(T)) / (0.6 * T), rel_tol=1e-8)


@pytest.mark.parametrize("noise", [False, True])
def test_regret_of_gradient_descent(noise: bool) -> None:
    run, reference = answered("ogd", noise, eta=0.2)
    weights = weights_before(run, lambda w, x, y, t: w + (y * (w @ x) < 1) * 0.2 * y * x)
    losses, u = hinges(run, weights), reference.u
    rows = np.arange(run.n_presentations) % run.space.n_samples
    squares = (run.space.X[rows][losses > 0] ** 2).sum()
    agrees(run, losses.sum(), hinges(run, [u] * len(rows)).sum() + u @ u / 0.4 + 0.1 * squares)


def test_losses_of_passive_aggressive_steps() -> None:
    run, reference = answered("pa", noise=False)
    losses = hinges(run, weights_before(run, lambda w, x, y, t: w + max(0, 1 - y * (w @ x)) / (x @ x) * y * x))
    agrees(run, (losses**2).sum(), (reference.space.X**2).sum(axis=1).max() / reference.hard.lower**2)


@pytest.mark.parametrize("noise", [False, True])
def test_bounds_of_passive_aggressive_steps_with_slack(noise: bool) -> None:
    run, reference = answered("pa-1", noise, C=0.2)
    u, radius = reference.u, (reference.space.X**2).sum(axis=1).max()
    losses = hinges(run, [u] * run.n_presentations)
    agrees(run, run.n_mistakes, max(radius, 5.0) * (u @ u + 0.4 * losses.sum()))
    run, _ = answered("pa-2", noise, C=0.2)
    losses = hinges(run, [u] * run.n_presentations)
    steps = weights_before(run, lambda w, x, y, t: w + max(0, 1 - y * (w @ x)) / (x @ x + 2.5) * y * x)
    agrees(run, (hinges(run, steps) ** 2).sum(), (radius + 2.5) * (u @ u + 0.4 * (losses**2).sum()))


@pytest.mark.parametrize("noise", [False, True])
@pytest.mark.parametrize(("name", "parameter"), [("second-order", "a"), ("arow", "r")])
def test_bounds_of_second_order_steps(name: str, parameter: str, noise: bool) -> None:
    run, reference = answered(name, noise, **{parameter: 0.7})
    S, signs, u = run.space.X[run.update_rows], run.space.y[run.update_rows], reference.u
    losses = np.maximum(0.0, 1 - signs * (S @ u)).sum()
    logarithm = np.linalg.slogdet(np.eye(4) + S.T @ S / 0.7)[1]
    others = run.n_updates - run.n_mistakes if name == "arow" else 0
    value = losses + math.sqrt((0.7 * u @ u + ((S @ u) ** 2).sum()) * (logarithm + others))
    agrees(run, run.n_updates, value)


def test_bounds_of_the_perceptron() -> None:
    run, reference = answered("perceptron", noise=False)
    squares = (reference.space.X**2).sum(axis=1)
    novikoff, of_squares, certificate = run.guarantees
    assert math.isclose(novikoff.value or 0.0, squares.max() / reference.hard.lower**2)
    assert math.isclose(of_squares.value or 0.0, math.sqrt(squares[run.update_rows].sum()) / reference.hard.lower)
    assert math.isclose(certificate.achieved, math.hypot(*run.w, run.b) / run.n_updates)
    assert certificate.value == reference.hard.lower
    assert novikoff.achieved == of_squares.achieved == run.n_updates


def test_bounds_of_other_norms() -> None:
    run, reference = answered("p-norm", noise=False, p=3.0)
    largest = np.linalg.norm(reference.space.X, ord=3.0, axis=1).max()
    norm = least_norm(reference.space, 1.5)
    agrees(run, run.n_updates, 2 * largest**2 * norm**2, rtol=1e-3)
    run, _ = answered("alma", noise=False, p=3.0, alpha=0.4)
    agrees(run, run.n_updates, 2 * 2 * 4.0**2 * (largest * norm) ** 2 + 8 / 0.4 - 4, rtol=1e-3)
    run, _ = answered("balanced-winnow", noise=False, eta=1e-3)
    drop = 1e-3 / least_norm(reference.space, 1.0) - 5e-7 * np.abs(reference.space.X).max() ** 2
    agrees(run, run.n_updates, math.log(8) / drop, rtol=1e-3)


def least_norm(space: Space, q: float) -> float:
    """The least q-norm of a u with functional margin 1, by a general convex solver."""
    u = cvxpy.Variable(space.n_columns)
    program = cvxpy.Problem(cvxpy.Minimize(cvxpy.pnorm(u, q)), [cvxpy.multiply(space.y, space.X @ u) >= 1])
    return float(program.solve(solver="CLARABEL"))


def test_squared_errors_of_the_delta_rule() -> None:
    run, reference = answered("delta-rule-sgd", noise=True, eta=0.03)
    X, y = reference.space.X, reference.space.y
    weights = weights_before(run, lambda w, x, sign, t: w + 0.03 * (sign - w @ x) * x)
    rows = np.arange(run.n_presentations) % len(y)
    errors = sum((y[row] - X[row] @ w) ** 2 for row, w in zip(rows, weights, strict=True))
    u = np.linalg.lstsq(X, y)[0]
    k = 1 - 0.03 * (X**2).sum(axis=1).max() / 2
    agrees(run, errors, u @ u / (0.03 * k) + EPOCHS * ((y - X @ u) ** 2).sum() / k**2)


def test_the_dual_objective_of_adatron() -> None:
    run, reference = answered("adatron", noise=False)
    alpha = run.extras["alpha"]
    w = (alpha * reference.space.y) @ reference.space.X
    _, duality, upper = run.guarantees
    assert (alpha >= 0).all()
    assert math.isclose(duality.achieved, alpha.sum() - w @ w / 2, rel_tol=1e-9)
    assert math.isclose(duality.value or 0.0, 1 / (2 * reference.hard.lower**2))
    assert math.isclose(upper.achieved, np.linalg.norm(w) / alpha.sum(), rel_tol=1e-9)


def test_the_height_of_minover() -> None:
    run, reference = answered("minover", noise=False, tolerance=1e-6)
    g, t = reference.hard.lower, run.n_updates
    above, below, _ = run.guarantees
    assert math.isclose(above.achieved, math.hypot(*run.w, run.b) / t) and above.achieved == below.achieved
    size = (reference.space.X**2).sum(axis=1).max()
    assert math.isclose(below.value or 0.0, g + size * (1 + math.log(t)) / (2 * g * t), rel_tol=1e-9)


def test_bounds_of_the_updates_of_perceptrons_with_a_threshold() -> None:
    run, reference = answered("margin-perceptron", noise=False, beta=0.7)
    size, g = (reference.space.X**2).sum(axis=1).max(), reference.hard.lower
    agrees(run, run.n_updates, (size + 1.4) / g**2)
    run, _ = answered("aggressive-romma", noise=False, delta=0.4)
    agrees(run, run.n_updates, size / (0.4 * g) ** 2)
    run, _ = answered("relu-sgd", noise=False, at_zero=0.3)
    agrees(run, run.n_updates, size / (0.3 * g**2))


@pytest.mark.parametrize("name, parameters, share", [
    ("margin-perceptron", {"beta": 0.7}, None), ("pdm", {"epsilon": 0.3}, 0.7),
    ("aggressive-romma", {"delta": 0.3}, 0.7), ("minover", {"tolerance": 0.3}, 0.7),
])  # fmt: skip
def test_the_margin_on_halting(name: str, parameters: dict[str, Any], share: float | None) -> None:
    X = np.array([[1.0, 0.0], [3.0, 1.0], [-1.0, 0.5], [-2.0, -1.0]])
    run = run_online(Problem.validated(X, [1, 1, -1, -1]), algorithm_of(name, parameters))
    reference = Reference(space=run.space)
    share = share or 0.7 / ((reference.space.X**2).sum(axis=1).max() + 1.4)
    (margin,) = (guarantee for guarantee in run.guarantees if guarantee.name == "margin")
    assert run.converged and margin.holds is True
    assert math.isclose(margin.value or 0.0, share * reference.hard.lower)
    assert math.isclose(margin.achieved, run.run_margin, rel_tol=1e-12)
