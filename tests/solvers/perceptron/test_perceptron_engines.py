"""The mistakes of every engine are those of whole numbers, on any data; runs are stopped and gone on with."""

import math
from dataclasses import replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from references import exact_perceptron
from scipy.sparse import csr_array
from strategies import problems

import maxmargin as mm
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.engines import engine_choice
from maxmargin.solvers.perceptron.engines.exact_weights import ExactWeights
from maxmargin.solvers.perceptron.engines.integer_engine import IntegerEngine, IntegerGramEngine
from maxmargin.solvers.perceptron.engines.ties import Ties, no_limbs
from maxmargin.solvers.perceptron.kernels.pass_arguments import N_DECIDED, N_EPOCHS, N_LOGGED, Reason, Work
from maxmargin.solvers.perceptron.row_orders import Order, Presentation
from maxmargin.solvers.perceptron.run import RunInProgress, perceptron
from maxmargin.solvers.perceptron.settings import ZERO_RULES, EngineName, PerceptronSettings, RunSizes
from maxmargin.solvers.problem.problem import Problem

ROUNDED = (EngineName.WEIGHTS, EngineName.GRAM)
METHODS = (*ROUNDED, EngineName.INTEGERS)


integers = st.integers(-5, 5).map(float)


def exact_mistakes(problem: Problem, scale: float, zero: str, max_epochs: int) -> tuple[list[int], int]:
    """Return the rows of the mistakes in exact arithmetic, and the number of epochs."""
    run = exact_perceptron(problem.X, problem.y, scale if problem.bias else 0.0, zero, max_epochs)
    return run.mistake_rows, run.n_epochs


numbers = st.one_of(
    st.integers(-9, 9).map(lambda k: k / 10),
    st.sampled_from([0.1, 0.2, 0.3, -0.1, 1e-17, 1.0, 1.0 + 2.0**-52, 2.0**60, -(2.0**-70)]),
    st.floats(-1e3, 1e3),
)


@pytest.mark.deep
@given(
    problems(numbers, 7, 4), st.sampled_from(list(ZERO_RULES)), st.sampled_from([1.0, 0.3, 1e-9]),
    st.sampled_from(METHODS), st.sampled_from([0, None]),
)  # fmt: skip
def test_the_mistakes_on_any_data_are_those_of_exact_arithmetic(
    problem: Problem, zero: str, scale: float, method: EngineName, short: int | None
) -> None:
    expected, n_epochs = exact_mistakes(problem, scale, zero, max_epochs=15)
    run = perceptron(
        problem, PerceptronSettings(bias_scale=scale, zero=zero, max_epochs=15, method=method, short=short)
    )
    assert run.mistake_rows.tolist() == expected
    assert (run.n_epochs, run.n_uncertain) == (n_epochs, 0)


@given(problems(integers, 12, 6), st.sampled_from([IntegerEngine, IntegerGramEngine]), st.integers(0, 10**6))
def test_integers_in_slices_make_the_same_mistakes(problem: Problem, engine_of: Any, seed: int) -> None:
    """Slices, logs and lists of epochs of any length, and weights that are loaded on the way, change nothing."""
    rng = np.random.default_rng(seed)
    scale, zero = float(rng.choice([1.0, 0.3])), list(ZERO_RULES)[seed % 3]
    engine = engine_of(problem, scale if problem.bias else 0.0)
    exact = ExactWeights(problem, scale if problem.bias else 0.0)
    n, cursor, counts = problem.n_samples, np.zeros(N_DECIDED + 1, int), np.zeros(problem.n_samples, int)
    found: list[int] = []
    n_epochs, reason = 0, Reason.SLICE_IS_MADE
    while reason is not Reason.EPOCH_WAS_CLEAN and n_epochs < 15:
        if rng.random() < 0.3:
            exact.follow(counts)
            engine = engine.twin()
            engine.load(exact, np.zeros(4))
        log, epochs = np.empty(int(rng.integers(1, 9)), int), np.empty(min(int(rng.integers(1, 4)), 15 - n_epochs), int)
        work = Work(
            y=problem.y, order=np.arange(n), wraps=True, epoch_length=n, zero_rule=ZERO_RULES[zero], asks=True,
            most=int(rng.integers(1, 3 * n)), rounding=engine.rounding, limbs=no_limbs(), counts=counts,
            size=np.zeros(4), cursor=cursor, log=log, epochs=epochs,
        )  # fmt: skip
        reason = engine.present(work)
        found += log[: cursor[N_LOGGED]].tolist()
        n_epochs += int(cursor[N_EPOCHS])
    assert (found, n_epochs) == exact_mistakes(problem, scale, zero, max_epochs=15)
    assert counts.tolist() == np.bincount(found, minlength=n).tolist()


@pytest.mark.parametrize("method", ROUNDED)
def test_ties_are_decided_exactly_or_counted(method: EngineName) -> None:
    """Rows at right angles: the score is 0, and no rounded number can say so."""
    problem = Problem(np.array([[0.1, 0.3], [0.3, -0.1], [-0.7, 0.2]]), np.ones(3), bias=False)
    limits = PerceptronSettings(max_epochs=3, method=method, short=0)
    run = perceptron(problem, limits)
    assert run.n_ties > 0 and run.n_uncertain == 0
    assert run.mistake_rows.tolist() == exact_mistakes(problem, 0.0, "mistake", 3)[0]
    no_ties = replace(limits, sizes=RunSizes(most_ties=0))
    assert perceptron(problem, no_ties).n_ties == run.n_ties, "limbs decide any number of them"
    run = perceptron(problem, replace(limits, sizes=RunSizes(most_ties=0, most_limbs=0)))
    assert run.n_ties == 0 and run.n_uncertain > 0


@pytest.mark.parametrize("method", [*ROUNDED, pytest.param(EngineName.INTEGERS, marks=pytest.mark.slow)])
def test_weights_rounded_again_change_no_mistake(method: EngineName) -> None:
    data = mm.load("breast_cancer")
    problem = Problem(data.X, data.y.astype(float))
    limits = PerceptronSettings(max_mistakes=20_000, method=method)
    plain = perceptron(problem, limits)
    other = perceptron(problem, replace(limits, sizes=RunSizes(reload_after=1000, log_buffer=300)))
    assert plain.mistake_rows.tolist() == other.mistake_rows.tolist()
    assert (plain.w == other.w).all() and plain.b == other.b


@pytest.mark.parametrize("steps", [0, RunSizes().most_limb_steps])
@pytest.mark.parametrize("often", [1, 5, 20])
@pytest.mark.parametrize("method", METHODS)
def test_an_answer_is_that_of_the_row_it_was_asked_for(method: EngineName, often: int, steps: int) -> None:
    """Great rows, each with both labels, leave errors in w; rounded again, w is 0 but for small rows, no longer near 0.

    The bound of the errors falls with them, between the question of a small row and its answer.
    """
    sizes = RunSizes(reload_after=often, most_limb_steps=steps)
    great = np.array([[0.1 * (1 + k / 40), 0.0] for k in range(8)])
    X = np.vstack([np.repeat(great, 2, axis=0), np.full((30, 2), [0.0, 1e-9])])
    problem = Problem(X, np.r_[np.tile([1.0, -1.0], 8), np.ones(30)], False)
    run = perceptron(problem, PerceptronSettings(max_epochs=20, method=method, short=0, sizes=sizes))
    assert run.mistake_rows.tolist() == exact_mistakes(problem, 1.0, "mistake", 20)[0]


def test_the_error_bound_is_one() -> None:
    """The computed weights are as near to the exact ones as the run believes, and not absurdly nearer."""
    seen: list[tuple[float, float]] = []

    class Compared(Ties):
        def load(self, engine: Any, tally: Any) -> None:
            before, believed = engine.weights.copy(), float(tally.size[1])
            super().load(engine, tally)
            seen.append((float(np.linalg.norm(before - engine.weights)), believed))

    data = mm.load("breast_cancer")
    problem, sizes = Problem(data.X, data.y.astype(float)), RunSizes(reload_after=5000, log_buffer=1000)
    limits = PerceptronSettings(max_mistakes=50_000, method=EngineName.WEIGHTS, sizes=sizes)
    run = RunInProgress(problem, limits, Presentation(limits.order, problem.n_samples, np.random.default_rng(0)))
    run.ties = Compared(problem, limits, run.units)
    run.until_stopped()
    assert len(seen) >= 5
    assert all(0 < error <= believed <= 1e4 * error for error, believed in seen)


def test_the_fastest_way_to_go_on_is_chosen_after_some_epochs() -> None:
    data = mm.load("wine", positive="class_0")
    problem = Problem(data.X, data.y.astype(float))
    compiled = partial(PerceptronSettings, short=0)
    assert perceptron(problem, compiled(max_epochs=5)).engine == "weights"
    assert perceptron(problem, compiled(max_epochs=200)).engine == "weights, gram"
    reshuffled = compiled(max_epochs=200, order=Order.RESHUFFLED)
    assert perceptron(problem, reshuffled, rng=np.random.default_rng(0)).engine == "weights, gram"
    sparse = Problem(csr_array(data.X), problem.y)
    assert perceptron(sparse, compiled(max_epochs=200)).engine == "weights, gram"
    rng = np.random.default_rng(0)
    X = rng.standard_normal((2 * engine_choice.MOST_ROWS, 9))
    many_rows = Problem(X, np.where(X[:, 0] > 0, 1.0, -1.0))
    assert perceptron(many_rows, compiled(max_epochs=40)).engine == "weights"
    noise = np.where(rng.random(1000) < 0.5, 1.0, -1.0)
    many_mistakes = Problem(csr_array(rng.standard_normal((1000, 2))), noise)
    assert perceptron(many_mistakes, compiled(max_epochs=100)).engine == "weights"
    columns = np.array([1e-3**k for k in range(60)]) @ rng.standard_normal((60, 3000))
    wide = Problem(columns + 1e-3 * rng.standard_normal((60, 3000)), noise[:60])
    assert perceptron(wide, compiled(max_epochs=400)).engine == "weights, gram"


def test_a_run_begins_in_integers_and_goes_on_in_machine_code() -> None:
    """However long it is in integers, the mistakes are the same, and so is every bit of what it ends on."""
    data = mm.load("iris", positive="virginica")
    problem = Problem(data.X, data.y.astype(float))
    names, ends = [], []
    for order in (Order.CYCLIC, Order.RESHUFFLED):
        for short in (0, 20 * 150 * 5, 20 * 150 * 200, 1 << 62):
            limits = PerceptronSettings(max_epochs=300, order=order, short=short)
            run = perceptron(problem, limits, rng=np.random.default_rng(1))
            names.append(run.engine)
            ends.append((run.mistake_rows.tolist(), run.w.tolist(), run.b, run.margin, run.margin_upper, run.run_upper))
        assert all(end == ends[-1] for end in ends[-4:])
    assert names[3] == names[7] == "integers"
    assert names[1] == names[5] == "integers, weights, gram" and names[2] == names[6] == "integers, gram"


def test_few_epochs_are_not_worth_integers() -> None:
    problem = Problem(np.arange(12.0).reshape(6, 2), np.array([1.0, -1.0] * 3))
    epoch = 6 * (16 + 2)
    assert perceptron(problem, PerceptronSettings(max_epochs=2, short=3 * epoch)).engine == "weights"
    assert perceptron(problem, PerceptronSettings(max_epochs=2, short=4 * epoch)).engine == "integers"


def test_the_gram_matrix_of_many_rows_is_refused() -> None:
    n = engine_choice.MOST_ROWS + 1
    problem = Problem(np.arange(n, dtype=float)[:, None], np.where(np.arange(n) % 2, 1.0, -1.0))
    with pytest.raises(InvalidOptionError, match="at most 2,048 rows in memory; found 2,049"):
        perceptron(problem, PerceptronSettings(method=EngineName.GRAM))


def test_long_logs_are_cut_and_counted() -> None:
    problem = Problem.validated([[10.0], [12.0]], [-1, 1])
    run = perceptron(problem, PerceptronSettings(sizes=RunSizes(most_logged=7)))
    assert run.n_mistakes == run.mistake_counts.sum() == 233 and run.converged
    assert len(run.mistake_rows) == len(run.mistakes_per_epoch) == 7
    assert run.mistake_rows.tolist() == exact_mistakes(problem, 1.0, "mistake", 10)[0][:7]


def test_a_billion_mistakes_would_be_exact_in_between() -> None:
    """After ten million mistakes in rounded arithmetic the weights are still the exact sum."""
    problem = Problem(np.array([[0.1, 0.7], [0.2, 0.3], [0.15, 0.5]]), np.array([1.0, 1.0, -1.0]))
    run = perceptron(problem, PerceptronSettings(max_mistakes=10_000_000))
    counts = [int(count) for count in run.mistake_counts]
    exact = [
        float(sum(c * int(s) * Fraction(x) for c, s, x in zip(counts, problem.y, column, strict=True)))
        for column in problem.X.T.tolist()
    ]
    assert run.n_mistakes == 10_000_000 == sum(counts) and run.n_uncertain == 0
    assert run.w.tolist() == exact and math.isfinite(run.margin)
