"""Many orders, searched orders and adversarial sequences: against the perceptron itself and in exact fractions."""

from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from calls import arguments_of
from cases import for_each
from elimination import dot, signed_rows
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.perceptron.engines.exact_weights import ExactWeights
from maxmargin.solvers.perceptron.hard_orders import FoundSequence, Rule, greedy_sequence, local_search
from maxmargin.solvers.perceptron.longest_path import worst_case_mistakes
from maxmargin.solvers.perceptron.many_orders import ManyOrders, OrderRuns, in_this_order, many_orders
from maxmargin.solvers.perceptron.run import perceptron
from maxmargin.solvers.perceptron.settings import ZERO_RULES, EngineName, PerceptronSettings, RunSizes
from maxmargin.solvers.problem.problem import Problem, radius, radius_squared
from maxmargin.theory.context import augmented
from maxmargin.theory.order_studies import order_study

# More than one block of orders, and a part of the next one.
N_ORDERS = 66

AGRESTI = Problem.validated([[x] for x in (10.0, 20, 30, 40, 60, 70, 80, 90)], [-1] * 4 + [1] * 4)
FAR_FROM_ZERO = Problem.validated([[10.0], [12.0]], [-1, 1])
CLOUD = Problem.validated(
    np.vstack([np.random.default_rng(3).normal(size=(9, 2)) - 1.5, np.random.default_rng(4).normal(size=(9, 2)) + 1.5]),
    [-1] * 9 + [1] * 9,
)


@st.composite
def problems(draw: st.DrawFn, unit: float | None = None) -> Problem:
    n, d = draw(st.integers(2, 7)), draw(st.integers(1, 3))
    rows = draw(st.lists(st.lists(st.integers(-4, 4), min_size=d, max_size=d), min_size=n, max_size=n))
    labels = draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=n, max_size=n))
    labels[:2] = -1.0, 1.0
    unit = draw(st.sampled_from([1.0, 0.1, 2.0**500])) if unit is None else unit
    return Problem(unit * np.array(rows, dtype=float), np.array(labels), draw(st.booleans()))


@st.composite
def choices(draw: st.DrawFn) -> PerceptronSettings:
    return PerceptronSettings(
        bias_scale=draw(st.sampled_from([0.1, 1.0, 3.0])),
        zero=draw(st.sampled_from(list(ZERO_RULES))),
        max_epochs=draw(st.sampled_from([1, 2, 7, 40])),
        max_mistakes=draw(st.sampled_from([None, 1, 5, 100])),
        method=draw(st.sampled_from(list(EngineName))),
    )


def check_outcomes(problem: Problem, options: PerceptronSettings, found: ManyOrders, which: Any) -> None:
    outcomes = found.outcomes
    for k in which:
        run = perceptron(in_this_order(problem, found.order(k)), options)
        assert outcomes.n_mistakes[k] == run.n_mistakes
        assert outcomes.n_epochs[k] == run.n_epochs
        assert outcomes.converged[k] == run.converged
        if run.norm > 1e-6 * radius(problem):  # weights that come back to 0 are rounding errors in floating point
            assert abs(outcomes.margin[k] - run.margin) <= 1e-9 * (radius(problem) + options.bias_scale**2)


@pytest.mark.slow
@given(problems(), choices(), st.booleans(), st.integers(0, 5))
@settings(max_examples=30)
def test_every_order_is_one_run(problem: Problem, options: PerceptronSettings, is_sparse: bool, seed: int) -> None:
    if is_sparse:
        problem = Problem(csr_array(problem.X), problem.y, problem.bias)
    found = many_orders(problem, options, n_orders=N_ORDERS, seed=seed)
    check_outcomes(problem, options, found, (0, 1, 63, 64, N_ORDERS - 1))
    assert not found.outcomes.n_uncertain.any()


@pytest.mark.parametrize("problem", [AGRESTI, FAR_FROM_ZERO, CLOUD], ids=["agresti", "far", "cloud"])
@pytest.mark.parametrize("method", list(EngineName))
def test_until_convergence(problem: Problem, method: EngineName) -> None:
    options = PerceptronSettings(method=method)
    found = many_orders(problem, options, n_orders=20, seed=1)
    assert found.outcomes.converged.all() and (found.outcomes.margin > 0).all()
    check_outcomes(problem, options, found, range(20))


@pytest.mark.parametrize("n_threads", [1, 3])
def test_order_k_is_the_same_for_any_number_of_orders_and_threads(n_threads: int) -> None:
    all_of_them = many_orders(AGRESTI, n_orders=200, seed=7)
    for n_orders in (1, 63, 64, 65, 130):
        some = many_orders(AGRESTI, n_orders=n_orders, seed=7, n_threads=n_threads)
        for name in ("n_mistakes", "n_epochs", "converged", "margin", "n_uncertain"):
            np.testing.assert_array_equal(getattr(some.outcomes, name), getattr(all_of_them.outcomes, name)[:n_orders])
        np.testing.assert_array_equal(some.order(n_orders - 1), all_of_them.order(n_orders - 1))


@for_each("most", [0, 50, 20_000])
def test_few_scores_of_an_order_of_many_are_decided_exactly_one_by_one(most: int) -> None:
    """Rows of size 1e-310 beside the constant coordinate 1: rounding may decide many scores."""
    X = 1e-310 * np.array([[21.0, 8], [0, -14], [-12, -28], [-26, -30]])
    problem = Problem(X, np.array([1.0, 1, -1, -1]), True)
    options = PerceptronSettings(max_mistakes=2_000, short=0, sizes=RunSizes(most_ties=most))
    orders = np.array(list(permutations(range(4))))
    with arguments_of(ExactWeights.is_mistake) as calls:
        found = OrderRuns(problem, options).run(orders)
    assert len(calls) <= min(most, 200) * len(orders)
    assert (found.n_mistakes <= 2_000).all() and (found.n_uncertain > 0).all()


def test_orders_are_permutations_and_differ() -> None:
    found = many_orders(AGRESTI, n_orders=130, seed=0)
    orders = [tuple(found.order(k).tolist()) for k in range(130)]
    assert all(sorted(order) == list(range(8)) for order in orders) and len(set(orders)) > 120
    assert found.order(0).tolist() != many_orders(AGRESTI, n_orders=1, seed=1).order(0).tolist()


@given(problems(), st.booleans(), st.integers(0, 9), st.sampled_from(list(ZERO_RULES)))
@settings(max_examples=15)
def test_a_search_is_no_worse_than_its_start(problem: Problem, most: bool, seed: int, zero: str) -> None:
    options = PerceptronSettings(zero=zero, max_epochs=20)
    rng = np.random.default_rng(seed)
    start = rng.permutation(problem.n_samples)
    at_start = OrderRuns(problem, options).run(start[np.newaxis]).n_mistakes[0]
    found = local_search(problem, options, start, most=most, n_trials=64, rng=rng)
    assert sorted(found.order.tolist()) == list(range(problem.n_samples))
    assert found.n_mistakes >= at_start if most else found.n_mistakes <= at_start
    run = perceptron(in_this_order(problem, found.order), options)
    assert (run.n_mistakes, run.n_epochs, run.converged) == (found.n_mistakes, found.n_epochs, found.converged)


def test_a_search_finds_the_extremes_of_few_rows() -> None:
    """Of 4 rows there are 24 orders."""
    problem = Problem.validated([[1.0], [4.0], [6.0], [7.0]], [-1, -1, 1, 1])
    every = OrderRuns(problem, PerceptronSettings()).run(np.array(list(permutations(range(4))))).n_mistakes
    for most, extreme in ((True, every.max()), (False, every.min())):
        rng = np.random.default_rng(0)
        found = local_search(problem, PerceptronSettings(), np.arange(4), most=most, n_trials=500, rng=rng)
        assert found.n_mistakes == extreme


@pytest.mark.parametrize("most", [True, False])
def test_a_good_order_is_not_given_up(most: bool) -> None:
    rng, rows = np.random.default_rng(0), np.arange(AGRESTI.n_samples)
    best = local_search(AGRESTI, PerceptronSettings(), rows, most=most, n_trials=500, rng=rng)
    found = local_search(
        AGRESTI, PerceptronSettings(), best.order, most=most, n_trials=100, rng=rng, move=lambda order, rng: rows
    )
    assert best.n_mistakes > 4000 if most else best.n_mistakes < 1000
    assert found.n_mistakes == best.n_mistakes and found.order.tolist() == best.order.tolist()


def is_mistake(margin: Fraction, sign: float, zero: str) -> bool:
    return margin < 0 or (margin == 0 and ZERO_RULES[zero] != sign)


def check_sequence(problem: Problem, options: PerceptronSettings, found: FoundSequence) -> None:
    constant = np.full(problem.n_samples, options.bias_scale if problem.bias else 0.0)
    rows = signed_rows(np.column_stack([problem.X, constant]), problem.y, False)
    w = [Fraction(0)] * len(rows[0])
    for row in found.rows.tolist():
        assert is_mistake(dot(w, rows[row]), problem.y[row], options.zero)
        w = [a + b for a, b in zip(w, rows[row], strict=True)]
    is_over = not any(is_mistake(dot(w, z), sign, options.zero) for z, sign in zip(rows, problem.y, strict=True))
    assert found.is_complete is is_over
    assert found.n_mistakes == len(found.rows)


def direction_of(problem: Problem, scale: float) -> np.ndarray | None:
    hard = hard_margin(augmented(problem, scale) if problem.bias else problem)
    if hard.w is None:
        return None
    return hard.w if problem.bias else np.append(hard.w, 0.0)


@given(
    problems(), st.sampled_from(list(ZERO_RULES)), st.sampled_from([0.3, 1.0]), st.sampled_from(list(Rule)),
    st.sampled_from([1, 6, 150]),
)  # fmt: skip
def test_sequences_are_mistakes_in_fractions(problem: Problem, zero: str, scale: float, rule: Rule, most: int) -> None:
    direction = direction_of(problem, scale)
    if direction is None and rule is Rule.LEAST_PROGRESS:
        return
    options = PerceptronSettings(zero=zero, bias_scale=scale)
    found = greedy_sequence(problem, options, rule, direction=direction, most=most)
    check_sequence(problem, options, found)
    assert len(found.rows) <= most and found.rule == rule
    if direction is not None:
        space = augmented(problem, scale) if problem.bias else problem
        lower = Fraction(hard_margin(space).lower)
        assert len(found.rows) * lower**2 <= radius_squared(space)


def test_weights_that_come_back_to_zero_leave_no_rounding_errors() -> None:
    """Every score is 0 after six mistakes; what was rounded on the way is not."""
    X = np.array([[0.1, 0.7], [0.2, -0.3], [-0.3, -0.4]])
    problem = Problem(np.vstack([X, -X]), np.array([1.0, 1.0, 1.0, 1.0, 1.0, -1.0]), bias=False)
    for rule in (Rule.SHORTEST, Rule.LEAST_MARGIN, Rule.GREATEST_MARGIN):
        for zero in ZERO_RULES:
            options = PerceptronSettings(zero=zero)
            for most in (4, 40, 1200):
                check_sequence(problem, options, greedy_sequence(problem, options, rule, most=most))


@given(problems(unit=1.0), st.sampled_from(list(ZERO_RULES)))
def test_no_sequence_is_longer_than_the_worst_case(problem: Problem, zero: str) -> None:
    direction = direction_of(problem, 1.0)
    if direction is None or problem.n_samples > 4 or problem.n_features > 2:
        return
    worst = worst_case_mistakes(problem.X, problem.y, bias=problem.bias, zero=zero)
    options = PerceptronSettings(zero=zero)
    for rule in Rule:
        found = greedy_sequence(problem, options, rule, direction=direction)
        assert found.is_complete and worst.n_mistakes is not None and len(found.rows) <= worst.n_mistakes


def test_a_rule_without_its_direction_is_refused() -> None:
    with pytest.raises(InvalidOptionError, match="direction"):
        greedy_sequence(AGRESTI, PerceptronSettings(), Rule.LEAST_PROGRESS)


def test_the_limits_of_work_are_no_field_of_a_study() -> None:
    settings = order_study([[-1.0], [1.0]], [0, 1], n_orders=3).to_dict()["settings"]
    assert set(settings) == {
        "bias_scale", "zero", "order", "max_epochs", "max_mistakes", "method", "time_limit", "short",
    }  # fmt: skip
