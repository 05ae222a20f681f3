"""The nu-SVM: ends proven for whatever solvers return, agreement with the textbook, closed forms, and what nu means."""

import math
from fractions import Fraction
from functools import partial

import cvxpy as cp
import numpy as np
import pytest
from cases import for_each
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from liars import make_cvxpy_lie, unreliable
from references import margins_of
from scipy.sparse import csr_array
from strategies import OVERLAPPING, entries, problems
from strategies import overlapping as clouds
from zoo import SEPARABLE, Known

import maxmargin as mm
from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN, Status
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.engines.textbook import formulations
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.problem.candidate import INTERRUPTED, Candidate, SolverRun
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.quantile import quantile
from maxmargin.solvers.proof import nu_bounds
from maxmargin.solvers.proof.nu_bounds import (
    Shares,
    dual_lower_bound,
    exact_sum,
    fitted,
    objective_upper_bound,
)
from maxmargin.solvers.soft_margin.nu_bracket import NuBracket, best_plane
from maxmargin.solvers.soft_margin.nu_margin import nu_margin
from maxmargin.solvers.soft_margin.soft_bracket import WeightedRows
from maxmargin.solvers.soft_margin.soft_engines import NU_METHODS
from maxmargin.solvers.soft_margin.soft_margin import soft_margin

small = st.integers(-3, 3).map(float)
overlapping = partial(clouds, share=0.45, shift=1.5)
parts = st.sampled_from([0.02, 0.3, 0.55, 0.9, 1.0])


@st.composite
def weights_for(draw: st.DrawFn, problem: Problem) -> np.ndarray:
    return draw(hnp.arrays(np.float64, problem.n_samples, elements=st.sampled_from([0.25, 1.0, 1.5, 3.0])))


def shares_of(problem: Problem, part: float, weights: np.ndarray | None = None) -> tuple[Shares, float]:
    """Return the shares for a part of the greatest nu, and that nu."""
    weights = np.ones(problem.n_samples) if weights is None else weights
    nu = part * float(Shares.of(problem, weights, 0.0).greatest_nu)
    return Shares.of(problem, weights, nu), nu


def exact_objective(shares: Shares, margins: list[Fraction], w: np.ndarray, rho: float) -> Fraction:
    norm = sum((Fraction(v) ** 2 for v in w.tolist()), Fraction(0))
    slack = (Fraction(v) * max(Fraction(0), Fraction(rho) - m) for v, m in zip(shares.weights, margins, strict=True))
    return norm / 2 - shares.nu * Fraction(rho) + sum(slack, Fraction(0)) / shares.whole


def is_narrow(answer: mm.NuMargin) -> bool:
    return answer.gap <= 1e-9 * abs(answer.lower)


@given(problems(entries), parts, st.data())
@settings(max_examples=15)
def test_the_interval_contains_both_textbook_optima(problem: Problem, part: float, data: st.DataObject) -> None:
    """The primal as written by Schölkopf et al., and its dual, written here."""
    weights = data.draw(weights_for(problem))
    _, nu = shares_of(problem, part, weights)
    answer = nu_margin(problem, nu, sample_weight=weights)
    c = weights / weights.sum()
    primal = formulations.nu_margin(problem.X, problem.y, nu, c, bias=problem.bias)
    a = cp.Variable(problem.n_samples)
    balance = [problem.y @ a == 0] if problem.bias else []
    written = problem.X.T @ cp.multiply(problem.y, a)
    dual = cp.Problem(cp.Maximize(-cp.sum_squares(written) / 2), [a >= 0, a <= c, cp.sum(a) == nu, *balance])
    assert answer.status is Status.OPTIMAL
    assert answer.lower <= answer.objective <= 0
    values = [float(dual.solve(solver="CLARABEL"))]
    if part < 1:  # at the greatest nu the least primal value is taken on a ray, and solvers may not end
        values.append(float(primal.solve(solver="CLARABEL")))
    for optimum in values:
        assert answer.lower - 1e-6 <= optimum <= answer.objective + 1e-6


def reduced_interval(values: list[float], weights: list[float], mass: Fraction) -> tuple[Fraction, Fraction]:
    """Return the ends of the reduced hull of numbers: the means of the lowest and of the highest of that mass."""

    def lowest(sign: int) -> Fraction:
        left, total = mass, Fraction(0)
        for value, weight in sorted((sign * Fraction(v), Fraction(c)) for v, c in zip(values, weights, strict=True)):
            total += value * min(weight, left)
            left -= min(weight, left)
        return sign * total / mass

    return lowest(1), lowest(-1)


def half_distance_of_numbers(problem: Problem, shares: Shares) -> Fraction:
    """Return half the distance of the reduced hulls of a problem of one column; that of 0 through the origin."""
    x = problem.X[:, 0] * (1.0 if problem.bias else problem.y)
    intervals = [
        reduced_interval(x[group].tolist(), shares.weights[group].tolist(), shares.mass) for group in shares.members
    ]
    (low, high), (other_low, other_high) = intervals if problem.bias else (*intervals, (Fraction(0), Fraction(0)))
    return max(Fraction(0), low - other_high, other_low - high) / (2 if problem.bias else 1)


def test_shared_points_are_found_near_rounded_multipliers() -> None:
    rng = np.random.default_rng(0)
    for problem in (overlapping(60, 3, shift=0.0), overlapping(60, 3, shift=0.0, bias=False)):
        answer = nu_margin(problem, 0.4, sample_weight=rng.random(60) + 0.5)
        assert (answer.objective, answer.lower, answer.status) == (0.0, 0.0, Status.OPTIMAL)
        written = problem.X.T @ (problem.y * answer.dual)
        assert 0 < np.abs(written).max() < 1e-9, "the multipliers shown are rounded; the proof is not"


@pytest.mark.slow
@given(problems(entries, most_columns=1), parts, st.data())
@settings(max_examples=20)
def test_reduced_hulls_of_numbers_are_intervals(problem: Problem, part: float, data: st.DataObject) -> None:
    """In one dimension the optimum is a fraction: minus half the square of nu times half the distance of intervals."""
    weights = data.draw(weights_for(problem))
    shares, nu = shares_of(problem, part, weights)
    optimum = -((shares.nu * half_distance_of_numbers(problem, shares)) ** 2) / 2
    for method in NU_METHODS:
        answer = nu_margin(problem, nu, sample_weight=weights, method=method)
        assert Fraction(answer.lower) <= optimum <= Fraction(answer.objective)
        assert answer.status is Status.OPTIMAL or method == "interior-point"
        assert (
            math.isclose(answer.objective, optimum, rel_tol=1e-6, abs_tol=1e-15) or answer.status is not Status.OPTIMAL
        )


@pytest.mark.parametrize("rows", [[[1.0], [0.0], [-1.0]], [[0.0], [0.0], [0.0]]])
def test_the_interior_point_starts_where_the_means_are_one(rows: list[list[float]]) -> None:
    problem = Problem(np.array(rows), np.array([-1.0, 1.0, -1.0]), bias=False)
    answer = nu_margin(problem, 0.02, sample_weight=np.array([0.25, 1.0, 1.0]), method="interior-point")
    assert -1e-5 < answer.lower <= 0.0 == answer.objective


wild = st.one_of(small, st.floats(allow_nan=False, allow_infinity=False))


@given(problems(wild), parts, st.data())
def test_any_plane_is_above_any_multipliers(problem: Problem, part: float, data: st.DataObject) -> None:
    """Weak duality for silly w, b, rho and alpha, whatever the exponents."""
    n, d = problem.X.shape
    shares, _ = shares_of(problem, part, data.draw(weights_for(problem)))
    w = data.draw(hnp.arrays(np.float64, d, elements=wild))
    b, rho = data.draw(wild) if problem.bias else 0.0, data.draw(wild)
    objective = objective_upper_bound(problem, shares, w, b, rho)
    exact = exact_objective(shares, margins_of(problem.X, problem.y, w, b), w, rho)
    assert math.isinf(objective) or exact <= Fraction(objective)
    multipliers = fitted(shares, data.draw(hnp.arrays(np.float64, n, elements=st.floats(0, 4))))
    lower = dual_lower_bound(problem, shares, multipliers)
    assert lower == -math.inf or Fraction(lower) <= exact


@given(problems(entries), parts, st.data())
def test_fitted_multipliers_become_feasible_by_scaling_down(problem: Problem, part: float, data: st.DataObject) -> None:
    n = problem.n_samples
    shares, _ = shares_of(problem, part, data.draw(weights_for(problem)))
    multipliers = fitted(shares, data.draw(hnp.arrays(np.float64, n, elements=st.floats(0, 4))))
    exact, signed = [Fraction(0)] * n, [Fraction(0)] * problem.n_features
    for group in shares.members:
        total = exact_sum(multipliers[group])
        assert shares.mass <= total <= shares.mass * (1 + Fraction(1, 10**13))
        for row in np.flatnonzero(group).tolist():
            exact[row] = Fraction(multipliers[row]) * shares.mass / total
            assert 0 <= exact[row] <= Fraction(shares.weights[row])
            for j, value in enumerate(problem.X[row].tolist()):
                signed[j] += exact[row] * int(problem.y[row]) * Fraction(value)
    value = -sum(v**2 for v in signed) / shares.whole**2 / 2
    lower = dual_lower_bound(problem, shares, multipliers)
    assert Fraction(lower) <= value <= Fraction(math.nextafter(lower, 1.0)), "exact but for one rounding"
    assert Fraction(nu_bounds._rounded_square(problem, shares, multipliers)) >= -2 * value * shares.whole**2


@given(st.integers(0, 2**32 - 1), parts, st.booleans())
@settings(max_examples=20)
def test_rounded_bounds_are_below_the_exact_ones_and_not_far(seed: int, part: float, bias: bool) -> None:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(6000, 2)) * 10.0 ** rng.integers(-3, 4, size=2) + 10.0 ** rng.integers(-2, 5)
    problem = Problem(X, np.where(rng.random(6000) < 0.4, 1.0, -1.0), bias)
    shares, _ = shares_of(problem, part, rng.random(6000) + 0.1)
    multipliers = fitted(shares, rng.random(6000) ** 4)
    exact = dual_lower_bound(problem, shares, multipliers)
    rounded = -nu_bounds._rounded_square(problem, shares, multipliers) / 2 / float(shares.whole) ** 2
    moduli = np.abs(X - X.mean(axis=0) * bias).T @ multipliers / float(shares.whole)
    assert rounded <= exact
    assert rounded >= exact - 1e-11 * float(moduli @ moduli)


def test_rounded_bounds_allow_for_what_is_scaled_off() -> None:
    """Here the sum is 0 as long as no class is scaled, and the whole distance of the reduced hulls after that."""
    weights = np.array([1.0, 1.0, 1.0, 1.0, 1.0])
    problem = Problem(csr_array([[1.0], [1.0], [1.0], [1.5], [1.5]]), np.array([1.0, 1.0, 1.0, -1.0, -1.0]))
    shares, _ = shares_of(problem, 1.0, weights)
    assert not problem.X.T @ (problem.y * weights)
    assert math.isclose(dual_lower_bound(problem, shares, weights), -((2 / 5 * 0.5) ** 2) / 2)
    assert nu_bounds._rounded_square(problem, shares, weights) >= (2 * 0.5) ** 2


@given(problems(small), st.sampled_from([0.02, 0.3, 0.55, 0.9, 1.0]), st.data())
@settings(max_examples=30)
def test_the_best_plane_beats_every_kink_and_every_length(problem: Problem, part: float, data: st.DataObject) -> None:
    """The least value over b and rho is taken where both classes have a row on the margin: all pairs are tried."""
    shares, _ = shares_of(problem, part, data.draw(weights_for(problem)))
    w = data.draw(hnp.arrays(np.float64, problem.n_features, elements=small))
    plane = best_plane(problem, shares, w)

    def objective(w: np.ndarray, b: float, rho: float) -> Fraction:
        return exact_objective(shares, margins_of(problem.X, problem.y, w, b), w, rho)

    best = objective(*plane[:3])
    assert best <= 0
    for length in (0.25, 1.0, 0.9 * np.linalg.norm(plane.w) / max(1e-9, np.linalg.norm(w)), 2.0):
        scores = problem.y * (problem.X @ (w * length))
        levels = [scores[group].tolist() for group in shares.members]
        pairs = [(q, p) for q in levels[0] for p in levels[1]] if problem.bias else [(v, v) for v in levels[0]]
        for q, p in pairs:
            b, rho = ((q - p) / 2, (q + p) / 2)
            assert best <= objective(w * length, b, rho) + Fraction(1, 10**12)


@given(st.data())
def test_a_quantile_minimises(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 8))
    values = data.draw(hnp.arrays(np.float64, n, elements=small))
    weights = data.draw(st.one_of(st.just(np.ones(n)), hnp.arrays(np.float64, n, elements=st.sampled_from([0.5, 2.0]))))
    mass = Fraction(data.draw(st.integers(1, 20)), 20) * int(2 * weights.sum()) / 2

    def cost(t: float) -> Fraction:
        return sum(Fraction(c * max(0.0, t - v)) for v, c in zip(values, weights, strict=True)) - mass * Fraction(t)

    least = min(map(cost, values.tolist()))
    assert [cost(t) for t in quantile(values, weights, mass)] == [least, least]


@pytest.mark.slow
@given(problems(entries), parts, st.data())
@settings(max_examples=20)
def test_nu_is_between_the_errors_and_the_support(problem: Problem, part: float, data: st.DataObject) -> None:
    weights = data.draw(weights_for(problem))
    _, nu = shares_of(problem, part, weights)
    answer = nu_margin(problem, nu, sample_weight=weights)
    assume(answer.rho > 1e-6)  # where the reduced hulls share a point there is no margin to err
    c = weights / weights.sum()
    assert c[answer.slack > 0].sum() <= nu * (1 + 1e-12)
    assert c[answer.support].sum() >= nu * (1 - 1e-6)
    assert (answer.dual <= c * (1 + 1e-15)).all() and math.isclose(answer.dual.sum(), nu, rel_tol=1e-12)
    assert not problem.bias or abs(answer.dual @ problem.y) <= 1e-12
    np.testing.assert_allclose(problem.X.T @ (answer.dual * problem.y), answer.w, atol=1e-3 * np.linalg.norm(answer.w))
    assert math.isclose(nu * answer.rho, answer.w @ answer.w + c @ answer.slack, rel_tol=1e-5)


@given(problems(entries), parts, st.data())
@settings(max_examples=10)
def test_weights_are_repeated_rows(problem: Problem, part: float, data: st.DataObject) -> None:
    counts = data.draw(hnp.arrays(np.int64, problem.n_samples, elements=st.integers(0, 3)))
    counts[:2] = np.maximum(counts[:2], 1)  # one of each class
    rows = np.repeat(np.arange(problem.n_samples), counts)
    repeated = Problem(problem.X[rows], problem.y[rows], problem.bias)
    _, nu = shares_of(repeated, part)
    weighted, plain = nu_margin(problem, nu, sample_weight=counts), nu_margin(repeated, nu)
    assert weighted.lower <= plain.objective and plain.lower <= weighted.objective
    assert set(weighted.support) <= set(np.flatnonzero(counts))
    assert weighted.slack.shape == weighted.dual.shape == (problem.n_samples,)
    assert weighted.status is plain.status is Status.OPTIMAL
    assert weighted.C is None or math.isclose(weighted.C, 1 / (weighted.rho * counts.sum()))


@pytest.mark.slow
@given(problems(entries), parts, st.integers(0, 2**32 - 1), st.sampled_from([-300, -20, 30, 300]))
@settings(max_examples=12)
def test_invariances(problem: Problem, part: float, seed: int, k: int) -> None:
    rng = np.random.default_rng(seed)
    order = rng.permutation(problem.n_samples)
    rotation = np.linalg.qr(rng.normal(size=(problem.n_features,) * 2))[0]
    _, nu = shares_of(problem, part)
    answer = nu_margin(problem, nu)
    floor = 1e-12 * nu**2 * float(np.abs(problem.X).max()) ** 2  # of roundings in rotated rows
    changed = {
        "permute": (Problem(problem.X[order], problem.y[order], problem.bias), 1.0, 0.0),
        "swap": (Problem(problem.X, -problem.y, problem.bias), 1.0, 0.0),
        "rotate": (Problem(problem.X @ rotation, problem.y, problem.bias), 1.0, floor),
        "scale": (Problem(np.ldexp(problem.X, k), problem.y, problem.bias), 4.0**k, 0.0),
    }
    if problem.bias:
        changed["translate"] = (Problem(problem.X + 7.0, problem.y), 1.0, floor + 1e-12 * nu**2)
    for name, (other, factor, slack) in changed.items():
        theirs = nu_margin(other, nu)
        assert theirs.lower <= answer.objective * factor + slack, name
        assert answer.lower * factor <= theirs.objective + slack, name
        assert theirs.status is Status.OPTIMAL, name


@pytest.mark.parametrize("nu", [0.25, 0.377, 0.71])
def test_scikit_learn_draws_the_same_hyperplane(nu: float) -> None:
    """At these nu no class has its mass on whole rows, so that rho, and with it scikit-learn's scale, is unique."""
    from sklearn.svm import NuSVC

    for seed in range(3):
        problem = overlapping(90, 3, seed=seed)
        weights = np.random.default_rng(seed).uniform(0.9, 1.1, 90) if seed else None
        theirs = NuSVC(nu=nu, kernel="linear", tol=1e-9, max_iter=10**6)
        theirs.fit(problem.X, problem.y, sample_weight=weights)
        mine = nu_margin(problem, nu, sample_weight=weights)
        np.testing.assert_allclose(mine.w / mine.rho, theirs.coef_[0], rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(mine.b / mine.rho, theirs.intercept_[0], rtol=1e-4, atol=1e-5)
        assert set(theirs.support_) == set(mine.support)


def test_the_equivalent_cost_gives_the_same_hyperplane() -> None:
    for problem in (overlapping(80, 3), overlapping(80, 3, bias=False), overlapping(20, 40)):
        weights = np.linspace(0.5, 2.0, problem.n_samples)
        mine = nu_margin(problem, 0.37, sample_weight=weights)
        assert mine.C is not None
        soft = soft_margin(problem, mine.C, sample_weight=weights)
        np.testing.assert_allclose(mine.w / mine.rho, soft.w, atol=1e-5 * np.abs(soft.w).max())
        np.testing.assert_allclose(mine.slack / mine.rho, soft.slack, atol=1e-5)


@for_each("separable", SEPARABLE)
def test_a_small_nu_is_the_hard_margin(separable: Known) -> None:
    problem = Problem(separable.X, separable.y, separable.bias)
    answer, hard = nu_margin(problem, 1.9 / problem.n_samples), hard_margin(problem)
    assert hard.w is not None
    optimum = -(Fraction(1.9 / problem.n_samples) ** 2) * separable.margin_squared / 2
    if problem.bias:  # through the origin nu may be twice as great as a class's
        assert Fraction(answer.lower) <= optimum <= Fraction(answer.objective)
        np.testing.assert_allclose(answer.w / answer.rho, hard.w, atol=1e-5 * np.abs(hard.w).max())
        assert answer.n_slack == 0 == answer.slack.max()
    assert answer.status is Status.OPTIMAL and is_narrow(answer)


def test_hulls_that_share_a_point_have_no_hyperplane(inseparable: Known) -> None:
    problem = Problem(inseparable.X, inseparable.y, inseparable.bias)
    for X in (problem.X, csr_array(problem.X)):
        answer = nu_margin(Problem(X, problem.y, problem.bias), 1e-3)
        assert (answer.objective, answer.rho, answer.b, answer.C) == (0.0, 0.0, 0.0, None) and not answer.w.any()
        assert answer.status is Status.OPTIMAL
        assert answer.lower == 0 == answer.n_slack


@pytest.mark.slow
@pytest.mark.parametrize("name", OVERLAPPING)
def test_the_engines_agree_within_their_intervals(name: str) -> None:
    problem = OVERLAPPING[name]
    for part in (0.1, 0.6, 1.0):
        _, nu = shares_of(problem, part)
        mine, textbook, automatic = (nu_margin(problem, nu, method=m) for m in ("interior-point", "cvxpy", "auto"))
        lower = max(mine.lower, textbook.lower, automatic.lower)
        assert lower <= min(mine.objective, textbook.objective, automatic.objective)
        assert automatic.status is Status.OPTIMAL, (part, automatic.objective, automatic.lower)


@pytest.mark.slow
def test_many_rows_are_proven() -> None:
    answer = nu_margin(overlapping(100_000, 20), 0.6)
    assert answer.engine == "interior-point" and answer.gap <= 1e-10 * abs(answer.objective)


@pytest.mark.parametrize("unit", [5e-324, 1e-200, 1e160, 1.7e308 / 5])
def test_beyond_the_squares_of_binary64_the_interval_still_holds(unit: float) -> None:
    for rows in ([-5.0, 5.0, -3.0, 1.0], [-5.0, 5.0, 1.0, -3.0]):
        answer = nu_margin(Problem(np.array(rows)[:, None] * unit, np.array([-1.0, 1.0, -1.0, 1.0])), 0.4)
        assert answer.lower <= answer.objective <= 0 and np.isfinite(answer.w).all()
        assert answer.gap >= 0


def test_the_greatest_nu_is_named_and_taken() -> None:
    problem = Problem.validated([[0.0], [1.0], [2.0], [5.0], [7.0]], [-1, -1, -1, 1, 1])
    with pytest.raises(mm.InvalidProblemError, match=r"at most 0\.79999"):
        nu_margin(problem, 0.81)
    assert nu_margin(problem, 0.8).status is Status.OPTIMAL, "4/5 is below its binary64 number"
    assert nu_margin(Problem(problem.X, problem.y, bias=False), 1.0).status is Status.OPTIMAL
    with pytest.raises(mm.InvalidProblemError, match=r"at most 0\.5"):
        nu_margin(problem, 0.8, sample_weight=[2.0, 2.0, 2.0, 1.0, 1.0])


@pytest.mark.sampled
def test_lying_solvers_cannot_move_the_ends(monkeypatch: pytest.MonkeyPatch, known: Known) -> None:
    problem = Problem(known.X, known.y, known.bias)
    _, nu = shares_of(problem, 0.6)
    truth = nu_margin(problem, nu)
    make_cvxpy_lie(monkeypatch, unreliable(np.random.default_rng(4)))
    for _ in range(2):
        answer = nu_margin(problem, nu, method="cvxpy")
        assert answer.lower <= truth.objective and truth.lower <= answer.objective <= 0
        assert np.isfinite(answer.w).all() and np.isfinite(answer.dual).all() and math.isfinite(answer.lower)


def test_interrupted_work_returns_what_is_proven() -> None:
    problem = overlapping(3000, 3)
    truth, shares = nu_margin(problem, 0.4), Shares.of(problem, np.ones(3000), 0.4)
    attempt = SolverRun(solver="interior-point", status=INTERRUPTED)
    found = Candidate(w=np.ones(3), multipliers=shares.weights / 2, engine="interior-point", attempt=attempt)
    rows = WeightedRows.of(problem, None)
    bracket = NuBracket(rows, shares.weights, shares.weights, Limits(), shares=shares)
    bracket.improve([found, found])
    answer = bracket.nu_solution(0.4)
    assert (answer.status, answer.reason, len(answer.attempts)) == (Status.LIMIT, WHAT_WAS_PROVEN, 1)
    assert -math.inf < answer.lower <= truth.objective and truth.lower <= answer.objective < 0


def test_labels_and_weights_of_classes() -> None:
    problem = overlapping(60, 2)
    labels = np.where(problem.y > 0, "yes", "no")
    weights = np.where(problem.y > 0, 2.0, 1.0)
    mine = mm.nu_margin(problem.X, labels, 0.4, class_weight={"yes": 2.0})
    plain = nu_margin(problem, 0.4, sample_weight=weights)
    assert mine.objective == plain.objective and isinstance(mine, mm.NuMargin)
    balanced = mm.nu_margin(problem.X, labels, 1.0, class_weight="balanced")
    assert balanced.status is mm.Status.OPTIMAL, "balanced classes allow every nu"


def test_a_mass_below_binary64_is_refused() -> None:
    with pytest.raises(mm.InvalidProblemError, match="nu is 5e-324"):
        mm.nu_margin([[0.0], [1.0], [3.0]], [0, 0, 1], 5e-324, sample_weight=[1.0, 1.0, 2.0])
