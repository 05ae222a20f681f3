"""The tightest mistake bounds: both ends proven, closed forms, textbook programs, runs, and other units."""

import math
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cases import for_each
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from liars import make_cvxpy_lie
from references import margins_of
from scipy.sparse import csr_array
from watched_rows import WatchedRows, interrupting

from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN, Status
from maxmargin.solvers.engines.textbook import formulations
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.perceptron.run import perceptron
from maxmargin.solvers.perceptron.settings import PerceptronSettings
from maxmargin.solvers.problem.problem import Problem, radius_squared
from maxmargin.solvers.problem.rows import WorkSizes
from maxmargin.solvers.proof.mistake_bounds import Loss, value_at, value_of_weights
from maxmargin.solvers.proof.sums import careful_sum
from maxmargin.solvers.tightest_bound import tightest_search
from maxmargin.solvers.tightest_bound.tightest_bound import tightest_bound
from maxmargin.solvers.tightest_bound.tightest_solution import RELATIVE_GAP, TightestBound
from maxmargin.theory.context import augmented

ORDERS = (Order("cyclic"), Order("shuffled-once"), Order("reshuffled-each-epoch"))

losses = st.sampled_from(list(Loss))
n_passes = st.sampled_from([1, 2, 5, 100])
small = st.integers(-4, 4).map(float)


def origin(X: Any, y: Any) -> Problem:
    return Problem(np.array(X, dtype=float), np.array(y, dtype=float), bias=False)


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    """Separable and not, with duplicates, zero rows, and more columns than rows."""
    n, d = draw(st.integers(2, 9)), draw(st.integers(1, 12))
    X = draw(hnp.arrays(np.float64, (n, d), elements=st.one_of(small, st.floats(-9, 9).map(lambda v: round(v, 3)))))
    y = draw(hnp.arrays(np.float64, n, elements=st.sampled_from([-1.0, 1.0])))
    if draw(st.booleans()):
        y = np.where(X @ draw(hnp.arrays(np.float64, d, elements=small)) > 0, 1.0, -1.0)
    X = X * draw(st.sampled_from([0.0, 1.0, 1.0])) if draw(st.booleans()) else np.vstack([X[:-1], X[:1]])
    return Problem(np.ascontiguousarray(X), y, bias=False)


def textbook(problem: Problem, passes: int, loss: Loss) -> float:
    radius = math.sqrt(radius_squared(problem))
    if loss is Loss.SQUARED_HINGE:
        return float(formulations.freund_schapire(problem.X, problem.y, passes, radius).solve(solver="CLARABEL")) ** 2
    program = formulations.hinge_mistakes(problem.X, problem.y, passes, radius)
    with np.errstate(all="ignore"):  # at v = 0 cvxpy divides by k = 0
        program.solve(solver="CLARABEL")
    return float(program.constraints[0].dual_value.sum())


def exact_value(problem: Problem, v: np.ndarray, passes: int, loss: Loss) -> float:
    """The bound at v, all but the last roots in fractions."""
    slack = [max(Fraction(0), 1 - margin) for margin in margins_of(problem.X, problem.y, v, 0)]
    length = math.sqrt(radius_squared(problem) * sum(Fraction(x) ** 2 for x in v.tolist()))
    if loss is Loss.HINGE:
        return ((length + math.sqrt(length**2 + 4 * passes * sum(slack))) / 2) ** 2
    return (length + math.sqrt(passes * sum(t * t for t in slack))) ** 2


def assert_is_interval(answer: TightestBound, problem: Problem, optimum: float | None = None) -> None:
    presentations = answer.n_passes * problem.n_samples
    assert 0 < answer.lower <= answer.upper <= presentations
    assert answer.status is Status.OPTIMAL and answer.upper - answer.lower <= RELATIVE_GAP * answer.upper
    assert answer.gap >= answer.upper - answer.lower
    assert (answer.weights >= 0).all()
    if problem.X.shape == (problem.n_samples, problem.n_features):
        assert exact_value(problem, answer.v, answer.n_passes, answer.loss) <= answer.upper * (1 + 1e-12)
    if optimum is not None:
        assert answer.lower * (1 - 1e-12) <= optimum <= answer.upper * (1 + 1e-12)


@given(problems(), n_passes, losses)
@settings(max_examples=25)
def test_the_interval_contains_the_textbook_optimum(problem: Problem, passes: int, loss: Loss) -> None:
    answer = tightest_bound(problem, passes, loss=loss)
    assert_is_interval(answer, problem)
    optimum = textbook(problem, passes, loss) if problem.X.any() else passes * problem.n_samples
    assert math.isclose(answer.upper, optimum, rel_tol=1e-7)


TEN_TWELVE = augmented(origin([[10], [12]], [-1, 1]), 1.0)
AGRESTI = augmented(origin([[10], [20], [30], [40], [60], [70], [80], [90]], [-1] * 4 + [1] * 4), 1.0)


@for_each("loss", list(Loss))
@for_each("problem, passes, optimum", [
    # So many passes that the maximum margin is best: R^2 ||v||^2 with v = (1, -11), (0.1, -5).
    (TEN_TWELVE, 10**6, 145 * (1 + 11**2)),
    (AGRESTI, 10**6, 8101 * (0.1**2 + 5**2)),
    # v = 0: the weighted sum of the rows is short against R.
    (TEN_TWELVE, 1, 2),
    (TEN_TWELVE, 10, 20),
    (origin([[1], [1], [1], [1]], [1, 1, -1, -1]), 3, 12),
    (origin([[0, 0], [0, 0]], [1, -1]), 7, 14),
    (origin([[3, 4]], [1]), 9, 1),
    # y x = 1 twice: one mistake.
    (origin([[-2], [2]], [-1, 1]), 5, 1),
    # Unit vectors: R^2/g^2 = d, each row one mistake.
    (origin(np.eye(6), [1, -1] * 3), 1, 6),
    (origin(np.eye(6), [1, -1] * 3), 50, 6),
    # Where each row comes three times its mistakes may be shared out: one pass suffices for R^2/g^2 = 3.
    (origin(np.repeat(np.eye(3), 3, axis=0), np.ones(9)), 1, 3),
])  # fmt: skip
def test_closed_forms(problem: Problem, passes: int, optimum: float, loss: Loss) -> None:
    answer = tightest_bound(problem, passes, loss=loss)
    assert_is_interval(answer, problem, optimum)


@pytest.mark.slow
@given(problems(), losses, st.floats(0.1, 10), st.sampled_from([-600, -300, 0, 300, 600]), st.integers(1, 20))
@settings(max_examples=20)
def test_the_unit_does_not_matter(problem: Problem, loss: Loss, c: float, exponent: int, passes: int) -> None:
    here = tightest_bound(problem, passes, loss=loss)
    scaled = tightest_bound(Problem(np.ldexp(problem.X * c, exponent), problem.y, bias=False), passes, loss=loss)
    assert scaled.status is Status.OPTIMAL
    assert math.isclose(here.upper, scaled.upper, rel_tol=1e-7)
    assert here.lower <= tightest_bound(problem, passes + 1, loss=loss).upper


@pytest.mark.slow
@given(problems(), n_passes, losses, st.data())
def test_the_optimum_is_between_v_and_weights(problem: Problem, passes: int, loss: Loss, data: st.DataObject) -> None:
    v = data.draw(hnp.arrays(np.float64, problem.n_features, elements=st.floats(-10, 10)))
    weights = data.draw(hnp.arrays(np.float64, problem.n_samples, elements=st.floats(0, 1e3)))
    square = radius_squared(problem)
    value, lower = value_at(problem, v, passes, square, loss), value_of_weights(problem, weights, passes, square, loss)
    answer = tightest_bound(problem, passes, loss=loss, candidates=[v])
    assert lower <= answer.upper <= value and answer.lower <= value
    assert value >= exact_value(problem, v, passes, loss) * (1 - 1e-12)
    assert math.isclose(value, exact_value(problem, v, passes, loss), rel_tol=1e-9)


@pytest.mark.slow
@given(problems(), st.sampled_from([1, 2, 5]), st.sampled_from(["mistake", "positive", "negative"]))
@settings(max_examples=25)
def test_no_run_makes_more_mistakes(problem: Problem, passes: int, zero: str) -> None:
    """The counts of a run are weights, and prove as much as it made: the bound of the weights is at least M."""
    uppers = [tightest_bound(problem, passes, loss=loss).upper for loss in Loss]
    square = radius_squared(problem)
    for order in ORDERS:
        limits = PerceptronSettings(zero=zero, order=order, max_epochs=passes)
        run = perceptron(problem, limits, rng=np.random.default_rng(0))
        assert run.n_mistakes <= min(uppers)
        counts = np.bincount(run.mistake_rows, minlength=problem.n_samples).astype(float)
        for loss in Loss:
            assert value_of_weights(problem, counts, passes, square, loss) >= run.n_mistakes * (1 - 1e-12)


@given(problems(), n_passes, losses)
@settings(max_examples=20)
def test_no_worse_than_the_maximum_margin(problem: Problem, passes: int, loss: Loss) -> None:
    hard = hard_margin(problem)
    if hard.w is None:
        return
    answer = tightest_bound(problem, passes, loss=loss)
    novikoff = float(radius_squared(problem)) / hard.lower**2
    assert answer.upper <= novikoff * (1 + RELATIVE_GAP)
    given = tightest_bound(problem, passes, loss=loss, candidates=[hard.w])
    assert given.upper <= novikoff * (1 + 1e-15)


def noisy(n: int, d: int, noise: float, seed: int = 0) -> Problem:
    random = np.random.default_rng(seed)
    X, w = random.normal(size=(n, d)), random.normal(size=d) / math.sqrt(d)
    return origin(X, np.where(X @ w + noise * random.normal(size=n) > 0, 1, -1))


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("passes", [1, 1000])
@pytest.mark.parametrize("noise", [0.3, 0.0])
@for_each("loss", list(Loss))
def test_many_rows(loss: Loss, noise: float, passes: int) -> None:
    """A sample comes first, sums are rounded, chunks are several; sparse rows and signs in a byte change nothing."""
    problem = replace(noisy(12_000, 6, noise), sizes=WorkSizes(chunk_entries=20_000))
    looks: list[None] = []
    watched = WatchedRows(problem.X, lambda: looks.append(None), 20_000)
    away = tightest_bound(replace(problem, X=watched, y=problem.y.astype(np.int8)), passes, loss=loss)
    assert away.status is Status.OPTIMAL and 0 < len(looks) <= 120
    answer = tightest_bound(problem, passes, loss=loss)
    assert math.isclose(answer.upper, away.upper, rel_tol=2 * RELATIVE_GAP)
    assert answer.status is Status.OPTIMAL and answer.lower <= answer.upper < passes * problem.n_samples
    if passes == 1:
        sparse = Problem(csr_array(problem.X), problem.y, bias=False, sizes=problem.sizes)
        assert math.isclose(tightest_bound(sparse, passes, loss=loss).upper, answer.upper, rel_tol=2 * RELATIVE_GAP)


@for_each("loss", list(Loss))
@for_each(("n", "d", "passes"), [(80, 4, 3), (40, 90, 30), (40, 90, 10**5)])
def test_methods_agree(n: int, d: int, passes: int, loss: Loss) -> None:
    problem = noisy(n, d, 0.5)
    search, program = (tightest_bound(problem, passes, loss=loss, method=method) for method in ("search", "cvxpy"))
    assert (program.attempts[0].solver, search.attempts[0].solver) == ("CLARABEL", tightest_search.NAME)
    assert search.attempts[0].status == "ended" and search.n_iterations > 0
    assert math.isclose(search.upper, program.upper, rel_tol=1e-7)
    assert search.lower <= program.upper and program.lower <= search.upper


@given(problems(), losses, st.sampled_from([1, 10]))
def test_rounded_ends_enclose_the_exact_ones(problem: Problem, loss: Loss, passes: int) -> None:
    """Of many rows slacks and sums are rounded: outward, and by little."""
    random = np.random.default_rng(0)
    weights, square = random.random(problem.n_samples), Fraction(9)
    lower = value_of_weights(problem, weights, passes, square, loss)
    large = replace(problem, sizes=WorkSizes(exact_entries=0))
    rounded_lower = value_of_weights(large, weights, passes, square, loss)
    assert lower * (1 - 1e-10) <= rounded_lower <= lower


@given(
    hnp.arrays(np.float64, (50, 3), elements=st.floats(-1e3, 1e3) | st.floats(-1e-300, 1e-300)),
    st.sampled_from([0, -600, 600]), st.booleans(),
)  # fmt: skip
@example(np.tile([[1e3, 0.0, 1e-3]], (50, 1)), 0, False)
def test_careful_sums(X: np.ndarray, exponent: int, is_sparse: bool) -> None:
    X = np.ldexp(X, exponent)
    weights = np.random.default_rng(0).random(50)
    y = np.where(np.arange(50) % 2, 1.0, -1.0)
    total, error = careful_sum(Problem(csr_array(X) if is_sparse else X, y, bias=False), weights)
    for column in range(3):
        terms = [Fraction(x) * Fraction(a) * int(s) for x, a, s in zip(X[:, column].tolist(), weights, y, strict=True)]
        assert abs(sum(terms) - Fraction(total[column])) <= Fraction(error[column])
        assert float(error[column]) <= 2e-15 * float(sum(map(abs, terms))) + 1e-300 + 1e-23 * np.abs(X).max()


def test_sums_that_cancel_are_known_to_little_more_than_their_roundings() -> None:
    random = np.random.default_rng(0)
    half = random.normal(size=(5_000, 2))
    problem = origin(np.vstack([half, half]), [1] * 5_000 + [-1] * 5_000)
    total, error = careful_sum(problem, np.full(10_000, 0.75))
    assert (total == 0).all() and error.max() <= 1e-15 * np.abs(problem.X).sum()


def test_the_hyperplane_of_the_user() -> None:
    scale = 3.0
    answer = tightest_bound(augmented(origin([[10], [12]], [-1, 1]), scale), 10**6)
    w, b = answer.v[:-1], answer.v[-1] * scale
    assert abs(w[0] * 12 + b - 1) < 1e-6 and abs(w[0] * 10 + b + 1) < 1e-6


@pytest.mark.parametrize("options, word", [
    ({"n_passes": None}, "until convergence"), ({"n_passes": 0}, "n_passes"), ({"n_passes": 1.5}, "n_passes"),
    ({"loss": "log"}, "loss"), ({"method": "magic"}, "method"), ({"solver": "nobody"}, "not installed"),
    ({"method": "search", "solver": "CLARABEL"}, "no part"),
])  # fmt: skip
def test_options(options: dict[str, Any], word: str) -> None:
    with pytest.raises(InvalidOptionError, match=word):
        tightest_bound(TEN_TWELVE, **{"n_passes": 1, **options})
    with pytest.raises(InvalidOptionError, match="has a bias"):
        tightest_bound(Problem(TEN_TWELVE.X, TEN_TWELVE.y), 1)


def test_whatever_a_solver_says_the_interval_holds(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = noisy(60, 3, 0.3)
    honest = tightest_bound(problem, 1)
    for lie in (np.full(3, np.nan), np.full(3, 1e308), np.zeros(3), np.array([1.0, -5.0, 2.0])):
        make_cvxpy_lie(monkeypatch, lambda size, lie=lie: np.resize(lie, size))
        answer = tightest_bound(problem, 1, method="cvxpy")
        assert answer.lower <= honest.upper and honest.lower <= answer.upper <= problem.n_samples


def test_ctrl_c_leaves_what_is_proven() -> None:
    problem, uppers = noisy(60, 3, 0.3), []
    honest = tightest_bound(problem, 1)
    for n_looks in range(30):
        try:
            answer = tightest_bound(replace(problem, X=WatchedRows(problem.X, interrupting(n_looks))), 1)
        except KeyboardInterrupt:  # nothing is proven yet
            assert not uppers
            continue
        if not answer.reason:
            break
        assert answer.reason == WHAT_WAS_PROVEN and (uppers or answer.status is Status.LIMIT)
        assert 0 < answer.lower <= honest.upper and honest.lower <= answer.upper <= 60
        uppers.append(answer.upper)
    assert len(uppers) >= 5 and min(uppers) < 60
