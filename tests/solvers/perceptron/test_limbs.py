"""Scores near 0, decided by limbs of the rows in compiled code: against Python's integers, within every limit."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from references import exact_perceptron
from scipy.sparse import csr_array
from strategies import fewer_examples, problems

from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.exact.dyadic import as_integers
from maxmargin.solvers.perceptron.engines.ties import limbs_of, limbs_with_weights_of_zero
from maxmargin.solvers.perceptron.kernels import limb_scores
from maxmargin.solvers.perceptron.many_orders import ManyOrders, OrderRuns, many_orders
from maxmargin.solvers.perceptron.result import PerceptronRun
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.perceptron.run import perceptron
from maxmargin.solvers.perceptron.settings import ZERO_RULES, EngineName, PerceptronSettings, RunSizes
from maxmargin.solvers.problem.problem import Problem

N_ORDERS = 5
MAX_EPOCHS = 12

KINDS = {
    "decimals": st.integers(-9, 9).map(lambda k: k / 10),
    "integers": st.integers(-3, 3).map(float),
    "wide": st.builds(
        lambda k, sign, e: sign * k * 2.0**e, st.integers(0, 3), st.sampled_from([-1, 1]), st.integers(-200, 200)
    ),
    "any": st.builds(lambda sign, v: sign * v, st.sampled_from([-1, 1]), st.floats(1e-100, 1e100)),
}


problems_of_all_kinds = st.sampled_from([kind | st.just(0.0) for kind in KINDS.values()]).flatmap(
    lambda elements: problems(elements, 7, 4)
)


def integer_rows(problem: Problem, scale: float) -> list[list[int]]:
    """The rows y (x, s), times a power of two."""
    constant = np.full((problem.n_samples, 1), scale if problem.bias else 0.0)
    rows = np.hstack([problem.dense_rows(slice(None)), constant]) * problem.y[:, np.newaxis]
    integers: list[list[int]] = as_integers(rows)[0].tolist()
    return integers


def check_every_order(problem: Problem, options: PerceptronSettings, found: ManyOrders) -> None:
    outcomes, scale = found.outcomes, options.bias_scale if problem.bias else 0.0
    for k in range(N_ORDERS):
        rows = found.order(k)
        run = exact_perceptron(problem.X[rows], problem.y[rows], scale, options.zero, MAX_EPOCHS)
        of_run = (outcomes.n_mistakes[k], outcomes.n_epochs[k], outcomes.converged[k])
        assert of_run == (len(run.mistake_rows), run.n_epochs, run.converged)
    assert not outcomes.n_uncertain.any()


class CountingRuns(OrderRuns):
    """Counts the orders that compiled code gives up."""

    n_repeated = 0

    def repeat(self, *arguments: Any) -> PerceptronRun:
        self.n_repeated += 1
        return super().repeat(*arguments)


def n_repeated(problem: Problem, options: PerceptronSettings, found: ManyOrders) -> int:
    """Return how many of the orders compiled code gives up."""
    runs = CountingRuns(problem, options)
    outcomes = runs.run(np.array([found.order(k) for k in range(N_ORDERS)]))
    assert outcomes.n_mistakes.tolist() == found.outcomes.n_mistakes.tolist()
    return runs.n_repeated


options_of_runs = st.builds(
    PerceptronSettings,
    zero=st.sampled_from(list(ZERO_RULES)),
    bias_scale=st.sampled_from([1.0, 0.1, 1e-9]),
    method=st.sampled_from([EngineName.WEIGHTS, EngineName.GRAM]),
    max_epochs=st.just(MAX_EPOCHS),
    short=st.just(0),
)


@pytest.mark.slow
@pytest.mark.deep
@given(problems_of_all_kinds, options_of_runs, st.booleans(), st.integers(0, 9))
def test_orders_stay_in_compiled_code(
    problem: Problem, options: PerceptronSettings, is_sparse: bool, seed: int
) -> None:
    """At once; and one by one in integers, or with the passes of single runs, which give up at a doubtful score."""
    stored = Problem(csr_array(problem.X), problem.y, problem.bias) if is_sparse else problem
    for short in (0, 100_000, 1, None):
        found = many_orders(stored, replace(options, short=short), n_orders=N_ORDERS, seed=seed)
        check_every_order(problem, options, found)
    assert not n_repeated(stored, options, found)


def test_orders_in_integers_lose_no_bit() -> None:
    """The first coordinate cancels after two mistakes; of their products, floats would keep nothing else."""
    far = 2.0**60
    problem = Problem.validated([[far, 1.0], [far, -1.0]], [1, -1])
    found = many_orders(problem, PerceptronSettings(max_epochs=MAX_EPOCHS), n_orders=N_ORDERS)
    assert found.outcomes.converged.all() and (found.outcomes.n_mistakes == 2).all()


LIMITS = [
    {"most_limbs": 0}, {"most_limbs": 5}, {"most_limb_products": 2}, {"most_limb_bits": 20}, {"most_limb_mistakes": 0},
]  # fmt: skip


@pytest.mark.slow
@fewer_examples
@given(
    st.sampled_from([*LIMITS, {"most_limb_mistakes": 4}, {"most_limb_steps": 0}]),
    st.one_of(problems(KINDS["decimals"], 7, 4), problems_of_all_kinds), options_of_runs, st.sampled_from(list(Order)),
)  # fmt: skip
def test_scores_that_limbs_do_not_decide_are_decided_in_integers(
    limit: dict[str, int], problem: Problem, options: PerceptronSettings, order: Order
) -> None:
    """Also in passes that decide one score each, and in the scan of all rows that ends a random order."""
    limits = RunSizes(**limit)
    check_every_order(problem, options, many_orders(problem, replace(options, sizes=limits), n_orders=N_ORDERS))
    run, usual = (
        perceptron(problem, replace(options, order=order, sizes=sizes), rng=np.random.default_rng(0))
        for sizes in (limits, RunSizes())
    )
    for name in ("n_epochs", "n_presentations", "n_ties", "converged"):
        assert getattr(run, name) == getattr(usual, name), name
    assert run.mistake_rows.tolist() == usual.mistake_rows.tolist() and run.n_uncertain == 0


@pytest.mark.parametrize("limit", LIMITS)
def test_an_order_without_limbs_is_repeated(limit: dict[str, int]) -> None:
    """Rows at right angles: the score is 0, and no rounded number can say so."""
    problem = Problem(np.array([[0.1, 0.3], [0.3, -0.1]]), np.ones(2), bias=False)
    options = PerceptronSettings(max_epochs=MAX_EPOCHS, short=0, sizes=RunSizes(**limit))
    found = many_orders(problem, options, n_orders=N_ORDERS)
    assert n_repeated(problem, options, found) == N_ORDERS


@pytest.mark.parametrize("name", ["most_limb_products", "most_limb_mistakes", "most_limb_bits"])
def test_limits_that_keep_sums_exact_cannot_be_raised(name: str) -> None:
    with pytest.raises(InvalidOptionError, match=name):
        RunSizes(**{name: getattr(RunSizes(), name) + 1})


def test_numbers_too_far_apart_have_no_limbs() -> None:
    problem = Problem(np.array([[1e-160, 0.3], [0.3, -1e160]]), np.array([1.0, -1.0]))
    assert limbs_of(problem, PerceptronSettings()).rows.size == 0
    assert limbs_of(Problem(problem.X[:, 1:], problem.y), PerceptronSettings()).rows.size > 0


@given(problems_of_all_kinds, st.sampled_from([1.0, 0.3]))
def test_limbs_are_the_rows(problem: Problem, scale: float) -> None:
    found = limbs_of(problem, PerceptronSettings(bias_scale=scale)).rows
    base = 1 << limb_scores.LIMB_BITS
    assert np.abs(found).max() < base
    numbers = [[sum(int(a) * base**p for p, a in enumerate(column)) for column in row.T] for row in found]
    expected = integer_rows(problem, scale)
    assert numbers == expected
    assert not any(a * b < 0 for row in found for column in row.T.tolist() for a in column for b in column)


def exact_sign(problem: Problem, scale: float, counts: list[int], row: int) -> int:
    rows = integer_rows(problem, scale)
    w = [sum(c * z for c, z in zip(counts, column, strict=True)) for column in zip(*rows, strict=True)]
    margin = sum(a * b for a, b in zip(w, rows[row], strict=True))
    return (margin > 0) - (margin < 0)


@given(problems_of_all_kinds, st.data())
def test_the_sign_is_exact_up_to_the_last_mistake(problem: Problem, data: st.DataObject) -> None:
    """For one vector of counts after another, as large as they may be."""
    found = limbs_of(problem, PerceptronSettings(bias_scale=0.3))
    most = RunSizes().most_limb_mistakes // problem.n_samples
    numbers = st.one_of(st.integers(0, 9), st.integers(0, most), st.just(most))
    for _ in range(3):
        counts = data.draw(st.lists(numbers, min_size=problem.n_samples, max_size=problem.n_samples))
        assert limb_scores.follow(found, np.array(counts))
        limb_scores.carry(found)
        for row in range(problem.n_samples):
            assert limb_scores.exact_sign(found, row) == exact_sign(problem, 0.3, counts, row)


def test_more_mistakes_than_limbs_hold_are_not_decided() -> None:
    found = limbs_of(Problem(np.array([[0.1], [0.2]]), np.array([1.0, -1.0])), PerceptronSettings())
    assert limb_scores.follow(found, np.array([RunSizes().most_limb_mistakes - 1, 1]))
    assert not limb_scores.follow(found, np.array([RunSizes().most_limb_mistakes, 1]))
    assert limb_scores.follow(found, np.array([1, 0])), "and then they are again"
    limb_scores.carry(found)
    assert limb_scores.exact_sign(found, 0) == 1


@pytest.mark.parametrize("n_coordinates", [1, 400, RunSizes().most_limb_products])
def test_the_longest_sums_of_products_fit(n_coordinates: int) -> None:
    """Every limb as great as can be, in as many positions as are allowed, after as many mistakes; no sum overflows."""
    n_limbs = min(41, RunSizes().most_limb_products // n_coordinates)
    row = np.full((n_limbs, n_coordinates), (1 << limb_scores.LIMB_BITS) - 1)
    found = limbs_with_weights_of_zero(np.array([row, -row]), RunSizes())
    assert limb_scores.follow(found, np.array([RunSizes().most_limb_mistakes, 0]))
    limb_scores.carry(found)
    assert [limb_scores.exact_sign(found, row) for row in (0, 1)] == [1, -1]


@pytest.mark.parametrize("sign", [-1, 0, 1])
def test_the_lowest_bit_decides(sign: int) -> None:
    """Rows (a, b) and (-b, a + e) with an e of one unit of the last place: their product is b e."""
    a, b = 0.7, 0.1
    e = sign * 2.0**-53
    problem = Problem(np.array([[a, b], [-b, a + e]]), np.array([1.0, 1.0]), False)
    found = limbs_of(problem, PerceptronSettings())
    for count in (1, 10**6, RunSizes().most_limb_mistakes):
        assert limb_scores.follow(found, np.array([count, 0]))
        limb_scores.carry(found)
        assert limb_scores.exact_sign(found, 1) == sign
    assert Fraction(a + e) - Fraction(a) == Fraction(e), "the sum is exact"


@pytest.mark.slow
def test_a_scan_that_runs_out_of_exact_scores_says_so() -> None:
    """The last row is a mistake by 2**-60; thousands of ties before it have used up what is decided exactly."""
    n = 8000
    X = np.zeros((n, 4))
    X[:-1, 3] = 2.0**-1060
    X[0], X[-1] = (-1.0, 1.0, 2.0**-60, 0.0), (1.0, 1.0, 1.0, 0.0)
    y = np.where(np.arange(n) == 0, -1.0, 1.0)
    settings_of_run = PerceptronSettings(zero="positive", order=Order.RANDOM, max_epochs=6, method=EngineName.WEIGHTS)
    run = perceptron(Problem(X, y, bias=False), settings_of_run, rng=np.random.default_rng(1))
    assert run.n_uncertain > 0 or run.n_mistakes > 1
