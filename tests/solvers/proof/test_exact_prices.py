"""The interval of a weighted soft margin is that of the exact products of C and the weights."""

import random
import time
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cases import for_each
from references import exact_soft_margin, soft_objective

import maxmargin as mm
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.row_weights import RowWeights
from maxmargin.solvers.soft_margin.soft_engines import METHODS


def drawn(seed: int) -> tuple[random.Random, np.ndarray, list[int]]:
    draw = random.Random(seed)
    X = np.array([[draw.randint(-30, 30) / 10 for _ in range(1 + seed % 2)] for _ in range(6)])
    return draw, X, [-1, 1, *(draw.choice([-1, 1]) for _ in range(4))]


def contains(answer: Any, X: np.ndarray, y: list[int], costs: list[Fraction]) -> None:
    """Check the interval, and that the objective is at least that of the floats returned."""
    assert Fraction(answer.lower) <= exact_soft_margin(X, y, costs).value
    at_plane = soft_objective(X, y, costs, answer.w, answer.b)
    assert np.isinf(answer.objective) or at_plane <= Fraction(answer.objective)


def test_three_times_a_tenth() -> None:
    answer = mm.soft_margin([[1.0], [1.0]], [0, 1], 0.1, sample_weight=[3, 3])
    assert Fraction(answer.lower) <= 6 * Fraction(0.1) <= Fraction(answer.objective)
    assert answer.objective - answer.lower < 1e-13


@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", ["auto", "interior-point", "dual-coordinate"])
@pytest.mark.parametrize("C", [0.1, 1 / 3, 5e-324, 1e-310, 1e300])
def test_sample_and_class_weights(C: float, method: str) -> None:
    for seed in range(4):
        draw, X, y = drawn(seed)
        numbers = [draw.choice([0.6, 1.0, 3.0, 0.1]) for _ in y]
        classes = {-1: draw.choice([0.7, 1.0, 1 / 3]), 1: draw.choice([0.3, 2.0])}
        answer = mm.soft_margin(X, y, C, sample_weight=numbers, class_weight=classes, method=method)
        pairs = zip(numbers, y, strict=True)
        contains(answer, X, y, [Fraction(C) * Fraction(v) * Fraction(classes[sign]) for v, sign in pairs])


@pytest.mark.parametrize("C", [0.1, 5e-324, 1.0])
def test_balanced_classes_are_rational(C: float) -> None:
    for seed in range(6):
        _, X, y = drawn(seed)
        answer = mm.soft_margin(X, y, C, class_weight="balanced")
        contains(answer, X, y, [Fraction(C) * Fraction(len(y), 2 * y.count(sign)) for sign in y])


def test_rows_of_weight_zero_and_a_path() -> None:
    _, X, y = drawn(1)
    numbers = [0.6, 0.7, 0.0, 0.1, 0.3, 0.0]
    for answer in mm.soft_margin_path(X, y, [0.1, 1 / 3, 7.0], sample_weight=numbers):
        contains(answer, X, y, [Fraction(answer.C) * Fraction(v) for v in numbers])


def test_products_lie_between_neighbours() -> None:
    rng = np.random.default_rng(0)
    for numbers in (rng.random(9), np.round(rng.random(9), 1), rng.random(6000)):
        weights = RowWeights(numbers=numbers, factors=(Fraction(1, 3), Fraction(2)), groups=np.arange(len(numbers)) % 2)
        low, high = weights.times(0.1)
        for i in range(0, len(numbers), 7):
            product = Fraction(0.1) * Fraction(numbers[i]) * (Fraction(1, 3) if i % 2 == 0 else 2)
            assert Fraction(low[i]) <= product <= Fraction(high[i]) <= Fraction(low[i]) * (1 + Fraction(1, 2**50))


def test_shares_of_balanced_classes_are_exact() -> None:
    """The reduced hulls of 0, 1 | 3 with equal shares a class: at nu = 1 the means 1/2 and 3, at the distance 5/2."""
    answer = mm.nu_margin([[0.0], [1.0], [3.0]], [0, 0, 1], 1.0, class_weight="balanced")
    assert Fraction(answer.lower) <= -(Fraction(5, 4) ** 2) / 2 <= Fraction(answer.objective)
    assert answer.gap < 1e-12


@pytest.mark.sampled(1)
@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("C", [5e-324, 1e300])
def test_extreme_costs_end_soon(method: str, C: float) -> None:
    far = 1e17 + 16 * np.array([[3.0], [-1.0], [2.0], [-4.0]])
    for X in (far, np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])):
        mm.soft_margin(X, [-1, 1, 1, 1], 1.0, method=method)  # compiles
        before = time.process_time()
        answer = mm.soft_margin(X, [-1, 1, 1, 1], C, method=method)
        assert time.process_time() - before < 1
        contains(answer, X, [-1, 1, 1, 1], [Fraction(C)] * 4)


def _rows_of_planted(n: int, d: int) -> Problem:
    rng = np.random.default_rng(1)
    X, w = rng.normal(size=(n, d)), rng.normal(size=d)
    y = np.sign(X @ w)
    y[rng.random(n) < 0.1] *= -1
    return Problem.validated(X, y)


@pytest.mark.slow
@for_each("question", ["soft_margin", "soft_margin_path", "nu_margin", "hard_margin"])
@for_each("method", ["auto", "cvxpy", "interior-point", "working-set", "dual-coordinate", "daqp"])
def test_time_limits_bind(question: str, method: str) -> None:
    has_no_part = {
        "hard_margin": ("interior-point", "dual-coordinate"),
        "nu_margin": ("working-set", "dual-coordinate", "daqp"),
    }  # fmt: skip
    if method in has_no_part.get(question, ("daqp",)):
        return
    problem = _rows_of_planted(1500, 60)
    arguments = {"soft_margin": (1.0,), "soft_margin_path": ([0.1, 1.0, 10.0],), "nu_margin": (0.5,), "hard_margin": ()}
    before = time.process_time()
    answers = getattr(mm, question)(problem.X, problem.y, *arguments[question], method=method, time_limit=1e-3)
    assert time.process_time() - before < 4  # cvxpy's import included
    for answer in answers if question == "soft_margin_path" else (answers,):
        if question == "hard_margin":
            assert answer.lower <= answer.upper
            assert answer.status.value in ("undecided", "limit", "not-strictly-separable")
        else:
            assert answer.lower <= answer.objective and answer.status.value in ("limit", "optimal")
            assert answer.status.value == "optimal" or "time limit" in answer.reason
