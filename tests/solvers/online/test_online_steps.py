"""Every algorithm of the family against its rule as the papers write it, in plain numpy."""

import itertools
import math
from collections.abc import Callable
from statistics import NormalDist
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from cases import for_each

import maxmargin as mm
from maxmargin.solvers.online.rosenblatt import lifetimes
from maxmargin.solvers.perceptron.row_orders import Order, Presentation

EPOCHS = 4

Rule = Callable[[SimpleNamespace, Any, float], None]


def data(seed: int, noise: bool) -> tuple[Any, Any]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(12, 3))
    y = np.where(X @ rng.normal(size=3) + 0.3 > 0, 1.0, -1.0)
    y[:2] = 1.0, -1.0
    if noise:
        y[2:5] *= -1
    return X, y


def followed(rule: Rule, X: Any, y: Any, **start: Any) -> SimpleNamespace:
    """Return the state after some epochs over the rows (x, 1) in their order."""
    Z = np.hstack([X, np.ones((len(X), 1))])
    state = SimpleNamespace(w=np.zeros(4), t=0, Z=Z, y=y, **start)
    for _ in range(EPOCHS):
        for state.row, (z, sign) in enumerate(zip(Z, y, strict=True)):
            state.t += 1
            rule(state, z, sign)
    return state


def perceptron(m: SimpleNamespace, x: Any, y: float) -> None:
    if y * (m.w @ x) <= 0:
        m.w = m.w + y * x


def margin_perceptron(m: SimpleNamespace, x: Any, y: float) -> None:
    if y * (m.w @ x) <= 0.7:
        m.w = m.w + y * x


def passive_aggressive(tau: Callable[[float, float], float]) -> Rule:
    def rule(m: SimpleNamespace, x: Any, y: float) -> None:
        m.w = m.w + tau(max(0.0, 1 - y * (m.w @ x)), x @ x) * y * x

    return rule


def gradient(m: SimpleNamespace, x: Any, y: float) -> None:
    if 1 - y * (m.w @ x) > 0:
        m.w = m.w + 0.3 * y * x


def second_order(m: SimpleNamespace, x: Any, y: float) -> None:
    """The published rule: the present x has its part in the prediction."""
    a = 0.5
    S = np.column_stack([*m.S, x])
    if y * (np.linalg.solve(a * np.eye(4) + S @ S.T, m.v) @ x) <= 0:
        m.S, m.v = [*m.S, x], m.v + y * x
        S = np.column_stack(m.S)
        m.w = np.linalg.solve(a * np.eye(4) + S @ S.T, m.v)


def confidence_weighted(C: float, squared: bool) -> Rule:
    """The formulas of the papers: exact CW with C infinite, SCW-I, SCW-II."""
    phi = NormalDist().inv_cdf(0.8)
    psi, zeta = 1 + phi**2 / 2, 1 + phi**2

    def rule(m: SimpleNamespace, x: Any, y: float) -> None:
        margin, v = y * (m.w @ x), x @ m.sigma @ x
        if phi * math.sqrt(v) - margin <= 0:
            return
        if squared:
            n = v + 1 / (2 * C)
            root = phi * math.sqrt(phi**2 * margin**2 * v**2 + 4 * n * v * (n + v * phi**2))
            alpha = max(0.0, (-(2 * margin * n + phi**2 * margin * v) + root) / (2 * (n**2 + n * v * phi**2)))
        else:
            root = math.sqrt(margin**2 * phi**4 / 4 + v * phi**2 * zeta)
            alpha = min(C, max(0.0, (-margin * psi + root) / (v * zeta)))
        u = (-alpha * v * phi + math.sqrt(alpha**2 * v**2 * phi**2 + 4 * v)) ** 2 / 4
        beta = alpha * phi / (math.sqrt(u) + v * alpha * phi)
        g = m.sigma @ x
        m.w, m.sigma = m.w + alpha * y * g, m.sigma - beta * np.outer(g, g)

    return rule


def arow(m: SimpleNamespace, x: Any, y: float) -> None:
    if y * (m.w @ x) < 1:
        g = m.sigma @ x
        beta = 1 / (x @ g + 2.0)
        m.w = m.w + max(0.0, 1 - y * (m.w @ x)) * beta * y * g
        m.sigma = m.sigma - beta * np.outer(g, g)


def link(theta: Any, p: float) -> Any:
    norm = np.linalg.norm(theta, ord=p)
    return np.sign(theta) * np.abs(theta) ** (p - 1) / norm ** (p - 2)


def p_norm(m: SimpleNamespace, x: Any, y: float) -> None:
    if y * (m.w @ x) <= 0:
        m.theta = m.theta + y * x
        m.w = link(m.theta, 5.0)


def adatron(m: SimpleNamespace, x: Any, y: float) -> None:
    m.alpha[m.row] = max(0.0, m.alpha[m.row] + 0.8 * (1 - y * (m.w @ x)) / (x @ x))
    m.w = (m.alpha * m.y) @ m.Z


def minover(m: SimpleNamespace, x: Any, y: float) -> None:
    if m.row == 0:  # an epoch is one presentation
        worst = int(np.argmin(m.y * (m.Z @ m.w)))
        m.w = m.w + m.y[worst] * m.Z[worst]


def romma(threshold: float) -> Rule:
    def rule(m: SimpleNamespace, x: Any, y: float) -> None:
        if y * (m.w @ x) > threshold:
            return
        if y * (m.w @ x) >= (x @ x) * (m.w @ m.w):
            m.w = y * x / (x @ x)
            return
        below = (x @ x) * (m.w @ m.w) - (m.w @ x) ** 2
        c = ((x @ x) * (m.w @ m.w) - y * (m.w @ x)) / below
        m.w = c * m.w + (m.w @ m.w) * (y - m.w @ x) / below * x

    return rule


def alma(alpha: float, p: float) -> Rule:
    """As in the paper, with one divisor for all rows."""
    q = p / (p - 1)

    def rule(m: SimpleNamespace, x: Any, y: float) -> None:
        x = x / np.linalg.norm(m.Z, ord=p, axis=1).max()
        if y * (m.w @ x) <= (1 - alpha) * math.sqrt(8) / alpha * math.sqrt(p - 1) / math.sqrt(m.k):
            theta = link(m.w, q) if m.w.any() else m.w
            w = link(theta + math.sqrt(2) / math.sqrt((p - 1) * m.k) * y * x, p)
            m.w = w / max(1.0, np.linalg.norm(w, ord=q))
            m.k += 1

    return rule


def pdm(m: SimpleNamespace, x: Any, y: float) -> None:
    if not m.k or y * (m.w @ x) <= 0.8 * (m.w @ m.w) / m.k:
        m.w, m.k = m.w + y * x, m.k + 1


def balanced_winnow(m: SimpleNamespace, x: Any, y: float) -> None:
    if y * ((m.plus - m.minus) @ x) <= 0:
        m.plus, m.minus = m.plus * np.exp(0.2 * y * x), m.minus * np.exp(-0.2 * y * x)
        m.w = (m.plus - m.minus) / (m.plus + m.minus).sum()


def delta_rule(m: SimpleNamespace, x: Any, y: float) -> None:
    if m.row == 0:
        m.w = m.w + 0.01 * m.Z.T @ (m.y - m.Z @ m.w)


def delta_rule_sgd(m: SimpleNamespace, x: Any, y: float) -> None:
    m.w = m.w + 0.05 * (y - m.w @ x) * x


def relu_sgd(m: SimpleNamespace, x: Any, y: float) -> None:
    score = y * (m.w @ x)
    m.w = m.w + (1.0 if score < 0 else 0.5 if score == 0 else 0.0) * y * x


def subgradient_svm(m: SimpleNamespace, x: Any, y: float) -> None:
    if m.row == 0:
        m.k += 1
        inside = m.y * (m.Z @ m.w) < 1
        m.w = m.w - (0.2 * m.w - (inside * m.y) @ m.Z / len(m.y)) / (0.2 * m.k)


def pegasos(m: SimpleNamespace, x: Any, y: float) -> None:
    m.w = (1 - 1 / m.t) * m.w + (y * (m.w @ x) < 1) / (0.2 * m.t) * y * x


RULES: list[tuple[str, dict[str, Any], Rule, dict[str, Any]]] = [
    ("perceptron", {}, perceptron, {}),
    ("voted", {}, perceptron, {}),
    ("margin-perceptron", {"beta": 0.7}, margin_perceptron, {}),
    ("pa", {}, passive_aggressive(lambda loss, square: loss / square), {}),
    ("pa-1", {"C": 0.1}, passive_aggressive(lambda loss, square: min(0.1, loss / square)), {}),
    ("pa-2", {"C": 0.1}, passive_aggressive(lambda loss, square: loss / (square + 5.0)), {}),
    ("ogd", {"eta": 0.3}, gradient, {}),
    ("second-order", {"a": 0.5}, second_order, {"S": [], "v": np.zeros(4)}),
    ("cw", {"confidence": 0.8}, confidence_weighted(math.inf, False), {"sigma": np.eye(4)}),
    ("scw-1", {"confidence": 0.8, "C": 0.2}, confidence_weighted(0.2, False), {"sigma": np.eye(4)}),
    ("scw-2", {"confidence": 0.8, "C": 0.2}, confidence_weighted(0.2, True), {"sigma": np.eye(4)}),
    ("arow", {"r": 2.0}, arow, {"sigma": np.eye(4)}),
    ("p-norm", {"p": 5.0}, p_norm, {"theta": np.zeros(4)}),
    ("adatron", {"rate": 0.8, "tolerance": 1e-9}, adatron, {"alpha": np.zeros(12)}),
    ("minover", {"tolerance": 1e-9}, minover, {}),
    ("romma", {}, romma(0.0), {}),
    ("aggressive-romma", {"delta": 0.3}, romma(0.7), {}),
    ("alma", {"alpha": 0.6}, alma(0.6, 2.0), {"k": 1}),
    ("alma", {"alpha": 0.4, "p": 3.0}, alma(0.4, 3.0), {"k": 1}),
    ("pdm", {"epsilon": 0.2}, pdm, {"k": 0}),
    ("balanced-winnow", {"eta": 0.2}, balanced_winnow, {"plus": np.ones(4), "minus": np.ones(4)}),
    ("delta-rule", {"eta": 0.01}, delta_rule, {}),
    ("delta-rule-sgd", {"eta": 0.05}, delta_rule_sgd, {}),
    ("relu-sgd", {"at_zero": 0.5}, relu_sgd, {}),
    ("subgradient-svm", {"lambda_": 0.2}, subgradient_svm, {"k": 0}),
    ("pegasos", {"lambda_": 0.2}, pegasos, {}),
]


@for_each(("name", "parameters", "rule", "start"), RULES)
@for_each("noise", [False, True])
@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 8), marks=pytest.mark.slow)])
def test_the_weights_are_those_of_the_papers(
    name: str, parameters: dict[str, Any], rule: Rule, start: dict[str, Any], noise: bool, seeds: range
) -> None:
    for seed in seeds:
        X, y = data(seed, noise)
        copies = {key: value.copy() if hasattr(value, "copy") else value for key, value in start.items()}
        expected = followed(rule, X, y, **copies)
        run = mm.online(X, y, name, max_epochs=EPOCHS, **parameters)
        assert run.n_updates > 0
        np.testing.assert_allclose(np.append(run.w, run.b), expected.w, rtol=1e-8, atol=1e-10)


def test_every_algorithm_is_compared_with_its_rule() -> None:
    elsewhere = {"averaged", "pocket", "winnow", "kernel-perceptron"}
    assert {rule[0] for rule in RULES} | elsewhere == set(mm.online_algorithms())


@pytest.mark.parametrize("noise", [False, True])
def test_the_average_is_over_all_presentations(noise: bool) -> None:
    for seed in range(8):
        X, y = data(seed, noise)
        run = mm.online(X, y, "averaged", max_epochs=EPOCHS)
        w, vectors = np.zeros(4), []
        Z = np.hstack([X, np.ones((len(X), 1))])
        for row in list(range(len(y))) * run.n_epochs:
            if y[row] * (w @ Z[row]) <= 0:
                w = w + y[row] * Z[row]
            vectors.append(w)
        np.testing.assert_allclose(np.append(run.w, run.b), np.mean(vectors, axis=0), rtol=1e-10, atol=1e-12)
        np.testing.assert_allclose(run.extras["last"], w)


@pytest.mark.parametrize("noise", [False, True])
def test_voters_count_by_how_long_they_lasted(noise: bool) -> None:
    for seed in range(8):
        X, y = data(seed, noise)
        run = mm.online(X, y, "voted", max_epochs=EPOCHS)
        Z, new = np.hstack([X, np.ones((len(X), 1))]), np.random.default_rng(seed).normal(size=(50, 3))
        vectors, counts = [np.zeros(4)], [0]
        for row in list(range(len(y))) * run.n_epochs:
            if y[row] * (vectors[-1] @ Z[row]) <= 0:
                vectors.append(vectors[-1] + y[row] * Z[row])
                counts.append(1)  # as Freund and Schapire do
            else:
                counts[-1] += 1
        assert lifetimes(run).tolist() == run.extras["lifetimes"].tolist() == counts
        votes = sum(c * np.sign(new @ w[:3] + w[3]) for c, w in zip(counts, vectors, strict=True))
        assert run.predict(new).tolist() == np.sign(votes).tolist()


def test_the_vote_is_taken_in_the_space_of_the_run() -> None:
    X, y = data(0, True)
    run = mm.online(X, y, "voted", bias_scale=0.5)
    far = mm.online(np.ldexp(X, 700), y, "voted", bias_scale=math.ldexp(0.5, 700))
    assert run.predict(X).tolist() == far.predict(np.ldexp(X, 700)).tolist()


@pytest.mark.parametrize("noise", [False, True])
def test_the_pocket_keeps_the_best_of_the_long_lived(noise: bool) -> None:
    for seed in range(8):
        X, y = data(seed, noise)
        run = mm.online(X, y, "pocket", max_epochs=30, rng=seed)
        Z = np.hstack([X, np.ones((len(X), 1))])
        presentation = Presentation(Order.RANDOM, len(y), np.random.default_rng(seed))
        w, pocket, streak, longest, fewest, last, errors = np.zeros(4), np.zeros(4), 0, 0, len(y), 0, [len(y)]
        draws = itertools.chain.from_iterable(presentation.next_epoch() for _ in range(run.n_epochs))
        for t, row in enumerate(draws):
            if y[row] * (w @ Z[row]) <= 0:
                w, streak = w + y[row] * Z[row], 0
                continue
            streak += 1
            if streak > longest and (count := int((y * (Z @ w) <= 0).sum())) < fewest:
                pocket, longest, fewest, last = w, streak, count, t
                errors.append(count)
        np.testing.assert_allclose(np.append(run.w, run.b), pocket, rtol=1e-10, atol=1e-12)
        assert run.extras["pocket_errors"] == errors and run.n_errors == fewest
        assert run.converged == (fewest == 0)
        assert run.n_epochs == (last // len(y) + 1 if run.converged else 30)


def test_winnow_multiplies_the_weights_of_what_is_on() -> None:
    for seed in range(8):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, size=(40, 9)).astype(float)
        y = np.where(X[:, 2] + X[:, 5] > 0, 1.0, -1.0)
        w, n_updates = np.ones(9), 0
        for _ in range(EPOCHS):
            for x, sign in zip(X, y, strict=True):
                if sign * (w @ x - 4.5) <= 0:
                    w, n_updates = np.where(x > 0, w * 2.0**sign, w), n_updates + 1
        run = mm.online(X, y, "winnow", max_epochs=EPOCHS)
        np.testing.assert_allclose(run.w, w)
        assert (run.b, run.n_updates) == (-4.5, n_updates)
        greater = mm.online(3 * X, y, "winnow", max_epochs=EPOCHS, bias_scale=7.0)
        assert greater.update_rows.tolist() == run.update_rows.tolist()


def monomials(X: Any) -> Any:
    """Features of which products are (x.z + 1)^2."""
    d = X.shape[1]
    pairs = [math.sqrt(2) * X[:, i] * X[:, j] for i in range(d) for j in range(i)]
    return np.column_stack([X**2, *pairs, math.sqrt(2) * X, np.ones(len(X))])


@pytest.mark.parametrize(("kernel", "features"), [("linear", lambda X: X), ("polynomial", monomials)])
def test_a_kernel_makes_the_mistakes_of_its_features(kernel: str, features: Callable[[Any], Any]) -> None:
    for seed in range(8):
        X, y = data(seed, seed % 2 == 1)
        run = mm.online(X, y, "kernel-perceptron", kernel=kernel, max_epochs=30)
        expected = mm.online(features(X), y, "perceptron", bias=kernel == "linear", max_epochs=30)
        assert run.update_rows.tolist() == expected.update_rows.tolist()
        counts = np.bincount(run.update_rows, minlength=len(y)) * y
        assert run.w.tolist() == counts.tolist() and run.b == 0
        assert math.isclose(run.margin, expected.run_margin, rel_tol=1e-6, abs_tol=1e-9)
        assert run.n_errors == expected.n_errors
        new = np.random.default_rng(seed).normal(size=(30, 3))
        assert run.predict(new).tolist() == expected.predict(features(new)).tolist()


def test_a_narrow_kernel_separates_what_no_plane_does() -> None:
    X, y = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1]
    run = mm.online(X, y, "kernel-perceptron", gamma=2.0)
    assert run.converged and run.n_errors == 0 and run.margin > 0
    assert not mm.online(X, y, "kernel-perceptron", kernel="linear").converged


def test_romma_bears_rows_that_are_parallel() -> None:
    longer = mm.online([[2.0, 0.0], [-1.0, 0.0]], [1, -1], "aggressive-romma", bias=False)
    assert longer.converged and math.isclose(longer.w[0], 1.0)
    opposite = mm.online([[1.0, 0.0], [1.0, 0.0]], [1, -1], "romma", bias=False)
    assert not opposite.converged and np.isfinite(opposite.w).all()


def test_the_subgradient_at_the_kink_decides_what_sgd_on_the_perceptrons_loss_is() -> None:
    for seed in range(8):
        X, y = data(seed, seed % 2 == 1)
        ours, theirs = (mm.online(X, y, name) for name in ("relu-sgd", "perceptron"))
        assert ours.update_rows.tolist() == theirs.update_rows.tolist() and ours.w.tolist() == theirs.w.tolist()
        stuck = mm.online(X, y, "relu-sgd", at_zero=0.0)
        assert (stuck.n_updates, stuck.w.tolist(), stuck.b, stuck.n_errors) == (0, [0.0] * 3, 0.0, len(y))


def test_least_squares_need_not_separate_what_can_be_separated() -> None:
    X, y = [[-0.1], [0.1], [0.2], [3.0]], [0, 1, 1, 1]
    run = mm.online(X, y, "delta-rule", eta=0.1, max_epochs=1000)
    fit = np.linalg.lstsq(np.column_stack([np.ravel(X), np.ones(4)]), [-1.0, 1.0, 1.0, 1.0])[0]
    np.testing.assert_allclose([run.w[0], run.b], fit, rtol=1e-9)
    assert run.n_errors == 1 and mm.separability(X, y).strictly_separable
