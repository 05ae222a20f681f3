"""Every guarantee of the family on many runs: never broken, proven where it should be, broken by a broken step."""

import math
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from cases import for_each, of_today

import maxmargin as mm
from maxmargin.solvers.online.catalogue import ALGORITHMS, algorithm_of
from maxmargin.solvers.online.guarantee import Check, at_least, at_most
from maxmargin.solvers.online.online_settings import OnlineSettings, OnlineSizes
from maxmargin.solvers.online.p_norm import Alma
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.rosenblatt import AveragedPerceptron, VotedPerceptron, lifetimes, weight_vectors
from maxmargin.solvers.online.run_online import run_online
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.problem.problem import Problem

PARAMETERS: dict[str, list[dict[str, Any]]] = {
    "margin-perceptron": [{"beta": beta} for beta in (0.0, 3.0, 100.0)], "pa-1": [{"C": C} for C in (0.001, 10.0)],
    "pa-2": [{"C": C} for C in (0.001, 10.0)], "ogd": [{"eta": eta} for eta in (0.001, 2.0)],
    "second-order": [{"a": a} for a in (0.01, 50.0)], "arow": [{"r": r} for r in (0.01, 50.0)],
    "cw": [{"confidence": 0.6}, {"confidence": 0.99, "variance": 0.1}], "scw-1": [{"confidence": 0.7, "C": 0.01}],
    "scw-2": [{"confidence": 0.7, "C": 0.01}], "p-norm": [{"p": p} for p in (2.0, 9.0)],
    "adatron": [{"rate": rate} for rate in (0.1, 1.9)], "minover": [{"tolerance": 0.3}],
    "aggressive-romma": [{"delta": delta} for delta in (0.5, 1.0)], "alma": [{"alpha": 0.9}, {"alpha": 0.8, "p": 4.0}],
    "pdm": [{"epsilon": epsilon} for epsilon in (0.5, 1.0)],
    "winnow": [{"factor": 1.2}, {"factor": 1.5, "threshold": 1.0}], "balanced-winnow": [{"eta": 0.001}, {"eta": 0.02}],
    "delta-rule": [{"eta": 1e-4}], "delta-rule-sgd": [{"eta": 1e-3}],
    "relu-sgd": [{"at_zero": at_zero} for at_zero in (0.0, 0.3)],
    "subgradient-svm": [{"lambda_": lambda_} for lambda_ in (0.01, 3.0)],
    "pegasos": [{"lambda_": lambda_} for lambda_ in (0.01, 3.0)],
    "kernel-perceptron": [{"kernel": "linear"}, {"kernel": "polynomial", "degree": 2}],
}  # fmt: skip
NEEDS_NO_SEPARATION = {"pa-1", "pa-2", "ogd", "second-order", "arow", "delta-rule", "delta-rule-sgd", "pegasos"}
NEEDS_NO_SEPARATION |= {"subgradient-svm", "pocket"}
"""Algorithms of which every guarantee is decided on every data set."""
# Algorithms whose assumptions are not separability alone.
MAY_BE_OPEN = {"cw", "scw-1", "scw-2", "winnow", "balanced-winnow", "kernel-perceptron"}
# Algorithms that may come to rest on a plane that does not separate.
CONVERGE_ON_ANY = {"averaged", "delta-rule", "relu-sgd"}


@cache
def known(seed: int) -> tuple[Problem, Reference]:
    """A small problem, separable but for every third."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 15)), int(rng.integers(1, 5))
    X = rng.integers(0, 7, size=(n, d)).astype(float)
    if seed % 2:
        X = rng.normal(size=(n, d)) * 10.0 ** rng.integers(-1, 2)
    scores = X @ rng.normal(size=d)
    y = np.where(scores > np.median(scores), 1.0, -1.0)
    if seed % 3 == 0:
        y = rng.choice([-1.0, 1.0], size=n)
    y[:2] = -1.0, 1.0
    problem = Problem.validated(X, y, bias=seed % 5 > 0)
    return problem, Reference(space=Space.of(problem, 1.0))


def runs(name: str, seed: int, max_epochs: int) -> list[mm.OnlineRun]:
    problem, reference = known(seed)
    order = [None, *Order][seed % 5]
    settings = OnlineSettings(order=order, max_epochs=max_epochs)
    answers = []
    for parameters in [{}, *PARAMETERS.get(name, [])]:
        try:
            algorithm = algorithm_of(name, parameters)
            answers.append(
                run_online(problem, algorithm, settings, rng=np.random.default_rng(seed), reference=reference)
            )
        except mm.InvalidProblemError:
            assert name == "winnow" and (problem.X.min() < 0 or not problem.bias)
    return answers


def is_assumed(run: mm.OnlineRun, name: str, theorem: str, is_separable: bool) -> bool:
    """Return whether the assumptions of a theorem about the algorithm of this name hold."""
    algorithm: Any = run.algorithm
    if theorem == "margin":
        return run.converged and is_separable
    if theorem in {"ascent", "stays", "mean-length", "vote"}:
        return True
    if name == "delta-rule" and algorithm.eta is not None:
        return bool(algorithm.eta * np.linalg.norm(run.space.X, 2) ** 2 <= 2)
    if name == "delta-rule-sgd" and algorithm.eta is not None:
        return bool(algorithm.eta * run.space.radius**2 < 2)
    return name in NEEDS_NO_SEPARATION or is_separable


@pytest.mark.parametrize("seeds", [range(4), pytest.param(of_today(range(4, 30), 2), marks=pytest.mark.slow)])
@for_each("name", ALGORITHMS)
def test_no_guarantee_is_ever_broken_and_all_are_decided_where_their_assumptions_hold(name: str, seeds: Any) -> None:
    for seed in seeds:
        for run in runs(name, seed, max_epochs=[3, 20, 100][seed // 2 % 3]):
            assert not run.converged or run.n_errors == 0 or name in CONVERGE_ON_ANY, (seed, run.algorithm)
            for guarantee in run.guarantees:
                assert guarantee.name and guarantee.statement and guarantee.reference
                assert guarantee.holds is not False, (seed, run.algorithm, guarantee)
                assert guarantee.holds is None or math.isfinite(guarantee.achieved)
                if name not in MAY_BE_OPEN:
                    assumed = is_assumed(run, name, guarantee.name, known(seed)[1].is_separable)
                    assert guarantee.holds is (True if assumed else None), (seed, run.algorithm, guarantee)


def test_guarantees_that_ask_for_more_are_met_where_that_is_given() -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, size=(60, 12)).astype(float)
    disjunction = np.where(X[:, 1] + X[:, 4] > 0, 1, 0)
    for name, parameters in (
        ("winnow", {}), ("winnow", {"factor": 1.5, "threshold": 4.0}), ("balanced-winnow", {"eta": 0.1}),
        ("kernel-perceptron", {"kernel": "polynomial"}), ("kernel-perceptron", {"gamma": 0.3}),
    ):  # fmt: skip
        run = mm.online(X, disjunction, name, max_epochs=500, **parameters)
        assert run.converged and run.n_errors == 0
        assert [guarantee.holds for guarantee in run.guarantees] == [True], name
    for name in ("cw", "scw-1", "scw-2"):
        run = mm.online(X, disjunction, name, max_epochs=10)
        assert run.n_errors == 0 and all(guarantee.holds is True for guarantee in run.guarantees)


def test_winnow_needs_few_mistakes_among_many_columns() -> None:
    """Littlestone: a disjunction of k out of d literals costs Winnow k log d, the perceptron about d mistakes."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, size=(250, 128)).astype(float)
    y = np.where(X[:, 3] + X[:, 77] > 0, 1, 0)
    winnow, perceptron = (mm.online(X, y, name, max_epochs=200) for name in ("winnow", "perceptron"))
    assert winnow.converged and winnow.guarantees[0].holds
    assert winnow.n_updates <= 2 * 2 * math.log2(128) + 2 < perceptron.n_updates


def test_the_bound_of_alma_follows_from_its_recurrence() -> None:
    """S_m = (S_(m-1) + 1/sqrt(m))/sqrt(1 + A/m): from C g S_m <= 1 to the closed form, with A = 8/alpha - 6."""
    for alpha in (1.0, 0.7, 0.4, 0.1, 0.03):
        algorithm, total = Alma(alpha=alpha), 0.0
        for m in range(1, 20_000):
            total = (total + 1 / math.sqrt(m)) / math.sqrt(1 + (8 / alpha - 6) / m)
            margin = min(1.0, 1 / (math.sqrt(2) * total))
            most = algorithm.most_updates(margin)
            assert m <= most < 8 / (alpha * margin) ** 2 - 1 + 1e-9


def test_minover_and_adatron_close_in_on_the_maximum_margin() -> None:
    problem, reference = known(1)
    minover, adatron = (
        run_online(
            problem, algorithm_of(name, {"tolerance": 1e-3}), OnlineSettings(max_epochs=20_000), reference=reference
        )
        for name in ("minover", "adatron")
    )
    for run in (minover, adatron):
        assert run.converged and reference.margin * (1 - 1.001e-3) <= run.run_margin <= reference.hard.upper
    assert adatron.extras["margin_upper"] >= reference.margin
    assert adatron.run_margin >= (1 - 1.001e-3) * adatron.extras["margin_upper"]


def test_the_guarantees_of_the_mean_are_about_the_mean() -> None:
    """||mean||/A with the mean A of the updates so far, and the mean of the squares added so far, from all weights."""
    for seed in range(10):
        problem, reference = known(seed)
        run = run_online(
            problem, AveragedPerceptron(), OnlineSettings(max_epochs=9, order=Order.CYCLIC), reference=reference
        )
        w, squares, weights, sums, counts = np.zeros(reference.space.n_columns), 0.0, [], [], []
        n_updates = 0
        for row in list(range(reference.space.n_samples)) * run.n_epochs:
            if reference.space.y[row] * (reference.space.X[row] @ w) <= 0:
                w = w + reference.space.y[row] * reference.space.X[row]
                squares, n_updates = squares + reference.space.squared_norms[row], n_updates + 1
            weights.append(w)
            sums.append(squares)
            counts.append(n_updates)
        by_name = {guarantee.name: guarantee for guarantee in run.guarantees}
        length = np.linalg.norm(np.mean(weights, axis=0))
        assert math.isclose(by_name["mean-certificate"].achieved, length / np.mean(counts), rel_tol=1e-9)
        assert math.isclose(by_name["mean-length"].achieved, length, rel_tol=1e-9)
        assert math.isclose(by_name["mean-length"].value or 0, math.sqrt(np.mean(sums)), rel_tol=1e-9)
        if reference.is_separable:  # what both say of the angle
            u = reference.u / np.linalg.norm(reference.u)
            least = np.mean(counts) * reference.margin / math.sqrt(np.mean(sums))
            assert np.mean(weights, axis=0) @ u / length >= least * (1 - 1e-9)


def test_the_vote_errs_at_most_twice_as_often_as_its_voters() -> None:
    for seed in range(10):
        problem, reference = known(seed)
        run = run_online(problem, VotedPerceptron(), OnlineSettings(max_epochs=5), reference=reference)
        vote = next(guarantee for guarantee in run.guarantees if guarantee.name == "vote")
        assert lifetimes(run).sum() == run.n_presentations
        voters = np.vstack(list(weight_vectors(run, 3)))
        errors = (reference.space.y[:, np.newaxis] * (reference.space.X @ voters.T) <= 0).sum(axis=0)
        assert math.isclose(vote.value or 0, 2 * (errors @ lifetimes(run)) / run.n_presentations, rel_tol=1e-12)
        assert vote.achieved == (problem.y * run.predict(problem.X) <= 0).sum() and vote.holds


def test_voters_are_counted_where_they_are_few() -> None:
    problem, reference = known(1)
    settings = OnlineSettings(max_epochs=5, sizes=OnlineSizes(most_vote_products=1))
    run = run_online(problem, VotedPerceptron(), settings, reference=reference)
    assert [guarantee.holds for guarantee in run.guarantees if guarantee.name == "vote"] == [None]


def test_the_gaussian_is_as_small_as_its_guarantees_say() -> None:
    """Sums over the updates against the determinant and the inverse of the last Sigma."""
    for seed in (1, 2, 4, 5):
        problem, reference = known(seed)
        n = reference.space.n_columns
        for name, parameters in (("cw", {}), ("scw-1", {"C": 0.1}), ("scw-2", {"C": 0.1})):
            variance = 0.5
            algorithm = algorithm_of(name, {**parameters, "variance": variance})
            run = run_online(problem, algorithm, OnlineSettings(max_epochs=2, order=Order.CYCLIC), reference=reference)
            sigma = run.state.table[:n]
            volume = n * math.log(variance) - np.linalg.slogdet(sigma)[1]
            by_name = {guarantee.name: guarantee for guarantee in run.guarantees}
            assert math.isclose(run.scalar(2), volume, rel_tol=1e-6)
            assert by_name["volume"].holds and run.n_mistakes <= by_name["volume"].value * (1 + 1e-9)
            if name == "cw" and reference.is_separable:
                phi = NormalDist().inv_cdf(0.9)
                scores = reference.space.y * (reference.space.X @ reference.u)
                u = phi * math.sqrt(variance) * reference.u * (np.sqrt(reference.space.squared_norms) / scores).max()
                expected = (1 + 1 / phi**2) * (u @ np.linalg.solve(sigma, u))
                assert math.isclose(by_name["mistakes"].value, expected, rel_tol=1e-6)


def stuck_step(X, y, row, t, score, parameters, w, table, scalars):
    """Claim an update and change nothing."""
    return 1


def losing_step(X, y, row, t, score, parameters, w, table, scalars):
    """Change nothing but the sum of the losses."""
    scalars[0] += 1.0
    scalars[-1] += 1e-9
    return 1


def squared_loss_step(X, y, row, t, score, parameters, w, table, scalars):
    """Change nothing but the sum of the squared losses."""
    scalars[1] += 1.0
    return 1


def short_step(X, y, row, t, score, parameters, w, table, scalars):
    """Go a thousandth of the way, on whatever row comes."""
    w[:] += 0.001 * y[row] * X[row]
    return 1


def long_step(X, y, row, t, score, parameters, w, table, scalars):
    """Go a thousand times as far, on whatever row comes."""
    w[:] += 1000.0 * y[row] * X[row]
    return 1


def hasty_step(X, y, row, t, score, parameters, w, table, scalars):
    """Halt on a plane that separates, but is far from the best."""
    if w[0] == 1.0:
        return 0
    w[:] = 0.0
    w[0], w[1] = 1.0, -1.999
    return 1


def forgetful_step(X, y, row, t, score, parameters, w, table, scalars):
    """Put ever worse weights into the pocket."""
    if t > 20:
        return 0
    scalars[3] = float(t)
    table[t, 0] = 1.0 if t < 10 else -1.0
    table[t, 1] = -table[t, 0]
    return 1


def bad_constraint_step(X, y, row, t, score, parameters, w, table, scalars):
    """Report a violation of the constraint."""
    scalars[0] = 1e-6
    return 0


def rising_step(X, y, row, t, score, parameters, w, table, scalars):
    """Report a squared error that grew."""
    scalars[1] = 1.0
    return 1


def falling_step(X, y, row, t, score, parameters, w, table, scalars):
    """Report a dual objective above that of the margin, and a loss on the way."""
    table[0, row] = 1e-9
    scalars[0] = 1e9
    scalars[1] = -0.5
    return 1


SABOTAGE = [
    *((name, stuck_step, "novikoff") for name in ("perceptron", "averaged", "voted")),
    *((name, stuck_step, "updates") for name in ("margin-perceptron", "aggressive-romma", "alma", "relu-sgd", "pdm")),
    *((name, stuck_step, "mistakes") for name in ("romma", "p-norm", "pa-1", "second-order", "arow")),
    *((name, stuck_step, "mistakes") for name in ("balanced-winnow", "winnow")),
    *((name, short_step, "self-certificate") for name in ("perceptron", "averaged", "voted", "pdm")),
    *((name, stuck_step, "sum-of-squares") for name in ("perceptron", "averaged", "voted")),
    *((name, hasty_step, "margin") for name in ("margin-perceptron", "pdm", "aggressive-romma", "alma")),
    *((name, long_step, "length") for name in ("romma", "aggressive-romma")),
    *((name, squared_loss_step, "squared-losses") for name in ("pa", "pa-2")),
    *((name, losing_step, "regret") for name in ("ogd", "pegasos", "subgradient-svm")),
    *((name, bad_constraint_step, "constraint") for name in ("cw", "scw-1", "scw-2")),
    *((name, stuck_step, "volume") for name in ("cw", "scw-1", "scw-2")),
    ("cw", stuck_step, "mistakes"),
    ("averaged", short_step, "mean-certificate"),
    ("averaged", long_step, "mean-length"),
    ("minover", short_step, "above"),
    ("minover", long_step, "below"),
    ("adatron", falling_step, "ascent"),
    ("adatron", falling_step, "weak-duality"),
    ("delta-rule", rising_step, "descent"),
    ("delta-rule-sgd", losing_step, "squared-errors"),
    ("pocket", forgetful_step, "ratchet"),
]


@pytest.mark.slow
@for_each(("name", "step", "broken"), SABOTAGE)
def test_a_broken_step_breaks_the_guarantee(name: str, step: Any, broken: str) -> None:
    X = np.array([[3.0, 0.0], [2.0, 1.0], [3.0, 1.0], [0.0, 3.0], [1.0, 2.0], [0.0, 2.0]])
    y = np.array([1.0, 1.0, 1.0, -1.0, -1.0, -1.0])
    honest = {
        "winnow": {"factor": 1.1, "threshold": 0.5}, "balanced-winnow": {"eta": 0.05},
        "aggressive-romma": {"delta": 0.1}, "margin-perceptron": {"beta": 100.0}, "pdm": {"epsilon": 0.9},
    }  # fmt: skip
    algorithm = algorithm_of(name, honest.get(name, {}))
    problem, settings = Problem.validated(X, y), OnlineSettings(max_epochs=400, order=Order.CYCLIC)
    run = run_online(problem, algorithm, settings)
    assert next(g for g in run.guarantees if g.name == broken).holds is True
    sabotaged = type("Sabotaged", (type(algorithm),), {"__slots__": (), "step": staticmethod(step)})
    run = run_online(problem, sabotaged(**honest.get(name, {})), settings)
    assert next(g for g in run.guarantees if g.name == broken).holds is False


def test_every_guarantee_is_broken_by_some_step() -> None:
    problem, reference = known(1)
    sound = {("adatron", "upper-bound"), ("kernel-perceptron", "novikoff"), ("minover", "margin"), ("voted", "vote")}
    names = {
        (name, guarantee.name)
        for name, algorithm in ALGORITHMS.items()
        if name != "winnow"
        for guarantee in run_online(problem, algorithm(), OnlineSettings(max_epochs=1), reference=reference).guarantees
    }
    assert names - {(name, broken) for name, _, broken in SABOTAGE} == sound, (
        "SABOTAGE: a broken step for each guarantee"
    )


def test_a_bound_allows_for_rounding_and_no_more() -> None:
    for kind, achieved, value, holds in (
        (at_most, 1.0 + 1e-10, 1.0, True), (at_most, 1.0 + 1e-8, 1.0, False), (at_least, 1.0 - 1e-10, 1.0, True),
        (at_least, 1.0 - 1e-8, 1.0, False), (at_most, 1.0, None, None), (at_least, 1.0, math.nan, None),
        (at_most, 1.0, math.inf, True), (at_least, -math.inf, 0.0, False), (at_most, math.inf, 1.0, False),
        (at_most, math.inf, math.inf, None),
    ):  # fmt: skip
        assert kind("n", "s", "r").judge(Check(achieved, value)).holds is holds
