"""The references in fractions are right about problems whose answers are known."""

import random
from fractions import Fraction

import hostile
import pytest
from cases import for_each
from references import exact_hard_margin, exact_margin_squared, exact_perceptron, exact_soft_margin, exact_verdict
from zoo import INSEPARABLE, SEPARABLE, Known

import maxmargin as mm


@for_each("known", SEPARABLE + INSEPARABLE)
def test_the_margin_of_problems_with_a_closed_form(known: Known) -> None:
    assert exact_margin_squared(known.X, known.y, known.bias) == known.margin_squared
    assert (exact_verdict(known.X, known.y, known.bias)[0] == "separable") == (known.margin_squared > 0)


@for_each("seed", range(60))
def test_the_soft_margin_becomes_the_hard_one_as_its_cost_grows(seed: int) -> None:
    draw = random.Random(seed)
    X = [[Fraction(draw.randint(-9, 9), 10) for _ in range(2)] for _ in range(5)]
    y = [-1, 1, *(draw.choice([-1, 1]) for _ in range(3))]
    hard, soft = exact_hard_margin(X, y), exact_soft_margin(X, y, [Fraction(10**9)] * 5)
    if hard is None:
        assert exact_soft_margin(X, y, [Fraction(10**10)] * 5).value > 9 * soft.value
    else:
        assert soft.w == hard.w and soft.value == 1 / hard.value / 2


def test_the_soft_margin_of_two_equal_rows() -> None:
    costs = [3 * Fraction(0.1)] * 2
    assert exact_soft_margin([[Fraction(1)], [Fraction(1)]], [-1, 1], costs).value == 6 * Fraction(0.1)


@pytest.mark.parametrize(("zero", "mistakes"), [("mistake", 233), ("positive", 233), ("negative", 222)])
def test_ten_and_twelve(zero: str, mistakes: int) -> None:
    run = exact_perceptron([[10], [12]], [-1, 1], 1, zero, 200)
    assert run.converged and len(run.mistake_rows) == mistakes


@for_each("number", range(0, len(hostile.CONTAINERS)))
def test_a_container_holds_what_the_oracle_judges(number: int) -> None:
    container = hostile.CONTAINERS[number]
    draw = random.Random(number)
    values = [container.quantize(kind(draw)) for kind in hostile.NUMBERS]
    assert [container.quantize(value) for value in values] == values


@for_each("method", ["auto", "weights", "gram"])
@for_each("zero", ["mistake", "positive", "negative"])
def test_a_bias_scale_that_underflows_beside_large_rows_is_no_zero(zero: str, method: str) -> None:
    large = Fraction(2) ** 899
    X, y = [[-4 * large], [Fraction(0)], [-4 * large], [large], [Fraction(0)]], [-1, 1, 1, 1, 1]
    truth = exact_perceptron(X, y, Fraction(2) ** -500, zero, 40)
    rows = [[float(value) for value in row] for row in X]
    run = mm.perceptron(rows, y, bias_scale=2.0**-500, zero=zero, method=method, max_epochs=40)
    assert (run.mistake_rows.tolist(), run.n_uncertain) == (truth.mistake_rows, 0)
