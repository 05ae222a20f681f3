"""Online runs on hard numbers: tiny and huge units, rows of zeros, rows that no common unit holds."""

import math
import warnings
from typing import Any

import numpy as np
import pytest
from cases import for_each

import maxmargin as mm
from maxmargin.solvers.online.catalogue import ALGORITHMS
from maxmargin.solvers.online.pdm import Pdm
from maxmargin.solvers.online.reference import Reference, greatest_margin, margin_in_norm, norm_ends
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.problem.problem import Problem

RNG = np.random.default_rng(40)
OF_ALL_SIZES = RNG.normal(size=(5, 2)) * 10.0 ** RNG.integers(-300, 300, size=(5, 2))
SEPARABLE = np.array([[1.0, 2.0], [2.0, 1.0], [-1.0, -1.0], [-2.0, 0.5]])
UNITS = (1e300, 1e150, 1e80, 1e-4, 1e-8, 1e-12, 1e-150, 1e-300)
HARD: dict[str, tuple[Any, Any]] = {
    "subnormal": ([[1e-310], [-1e-310]], [1, 0]),
    "tiniest": ([[5e-324], [-5e-324]], [1, 0]),
    "subnormal, one side": ([[1e-310], [3e-310]], [0, 1]),
    **{f"in units of {unit:g}": (SEPARABLE * unit, [1, 1, 0, 0]) for unit in UNITS},
    "overlap in units of 1e-8": (np.array([[1.0, 2.0], [2.0, 1.0], [1.5, 1.5]]) * 1e-8, [1, 1, 0]),
    "a row of zeros": ([[0.0, 0.0], [1.0, 2.0], [-1.0, -2.0]], [1, 1, 0]),
    "rows of zeros only": ([[0.0], [0.0]], [1, 0]),
    "one row a class": ([[10.0], [12.0]], [0, 1]),
    "duplicates": ([[1.0, 2.0]] * 4 + [[-1.0, 0.0]] * 3, [1] * 4 + [0] * 3),
    "equal rows of both classes": ([[1.0, 2.0]] * 2, [1, 0]),
    "a gap of 2^-40": ([[1.0], [1 + 2.0**-40]], [0, 1]),
    "neighbours of 1e8": (1e8 + np.spacing(1e8) * np.array([[3, 3], [-3, 3], [-2, -1], [3, 3]]), [0, 1, 1, 1]),
    "numbers of all sizes": (OF_ALL_SIZES, [0, 0, 1, 1, 0]),
    "wide": ([[1e200, 1.0], [-1e200, 1e-200], [1.0, -1.0], [2.0, -3.0]], [1, 0, 1, 0]),
}


@pytest.mark.sampled(6)
@pytest.mark.parametrize("case", HARD)
@pytest.mark.parametrize("bias", [True, False])
def test_no_hard_numbers_break_a_run_or_a_guarantee(case: str, bias: bool) -> None:
    X, y = np.array(HARD[case][0]), HARD[case][1]
    for name in ALGORITHMS:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                run = mm.online(X, y, name, bias=bias, max_epochs=30, rng=0)
        except mm.InvalidProblemError as error:  # in words, where its parameters have units
            assert "\n" not in str(error)
            continue
        assert not [guarantee for guarantee in run.guarantees if guarantee.holds is False], name
        if run.converged and name not in {"averaged", "pocket", "delta-rule"}:
            assert run.n_errors == 0, name
        for guarantee in run.guarantees:
            assert guarantee.holds is not None or guarantee.value is None or guarantee.note


def test_perceptrons_run_on_subnormal_numbers() -> None:
    run = mm.online([[1e-310], [-1e-310]], [1, 0], "perceptron", bias=False)
    assert run.converged and run.n_updates == 1 and run.margin == 1e-310
    assert all(guarantee.holds for guarantee in run.guarantees)


@pytest.mark.parametrize("name", ["cw", "scw-1", "scw-2"])
def test_a_row_of_zeros_through_the_origin_is_a_mistake_without_an_update(name: str) -> None:
    run = mm.online([[0.0, 0.0], [1.0, 2.0], [-1.0, -2.0]], [1, 1, 0], name, bias=False, max_epochs=None)
    assert run.stop_reason.value == "stalled" and not run.converged and run.n_errors == 1
    volume = next(guarantee for guarantee in run.guarantees if guarantee.name == "volume")
    assert volume.holds and volume.achieved == run.n_mistakes - run.n_epochs


def test_what_needs_separability_does_not_hold_of_rows_that_were_rounded() -> None:
    """(3, 2) and (3, 2) far away, of two classes: in units of the far row the near one is (2, 1) times 2^-1074."""
    X, y = [[3 * 2.0**-61, 2 * 2.0**-61], [3 * 2.0**1012, 2 * 2.0**1012]], [1, 0]
    assert mm.separability(X, y, bias=False).strictly_separable is False
    for name in ALGORITHMS:
        try:
            run = mm.online(X, y, name, bias=False, max_epochs=5, rng=0)
        except mm.InvalidProblemError:
            continue
        assert not run.space.is_exact
        for guarantee in run.guarantees:
            if "separable" in guarantee.statement:
                assert guarantee.holds is guarantee.value is None and "roundings" in guarantee.note


def run_of(name: str, seed: int, bias: bool, **parameters: Any) -> mm.OnlineRun:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(15, 4)) * 10.0 ** rng.integers(-1, 2, size=4)
    y = np.where(X @ rng.normal(size=4) > 0, 1, 0)
    y[0] = 1 - y[1:].max() if y.min() == y.max() else y[0]
    return mm.online(X, y, name, bias=bias, max_epochs=300, **parameters)


@pytest.mark.parametrize("q", [1.0, 1 + 1e-9, 8 / 7, 1.5, 1.9, 2.0])
def test_the_margin_in_another_norm_is_enclosed(q: float) -> None:
    for seed in range(6):
        space = run_of("perceptron", seed, bias=seed % 2 == 0).space
        reference = Reference(space=space)
        if not reference.is_separable:
            continue
        found = greatest_margin(space, reference.hard, q)
        assert 0 < found.lower <= found.upper <= found.lower * (1 + 1e-3)
        assert found.upper >= margin_in_norm(space, reference.u, q)[0]
        rng = np.random.default_rng(seed)
        for _ in range(50):  # no other direction is better
            u = reference.u + rng.normal(size=space.n_columns) * np.abs(reference.u).max() * 10.0 ** rng.uniform(-4, 0)
            assert margin_in_norm(space, u, q)[0] <= found.upper


def test_the_greatest_1_norm_margin_of_known_data() -> None:
    """y x = (2, 1) and (1, 2): u = (1/2, 1/2) has margin 3/2, the mean (3/2, 3/2) says no more."""
    problem = Problem.validated([[2.0, 1.0], [-1.0, -2.0]], [1, -1], bias=False)
    space = Space.of(problem, 1.0)
    found = greatest_margin(space, Reference(space=space).hard, 1.0)
    assert math.isclose(found.lower, 1.5, rel_tol=1e-9) and found.lower <= 1.5 <= found.upper
    # (1, 4) and (1, -3.9): in the 2-norm and in the 1-norm u = e_1 is best, margin 1.
    space = Space.of(Problem.validated([[1.0, 4.0], [-1.0, 3.9]], [1, -1], bias=False), 1.0)
    assert math.isclose(greatest_margin(space, Reference(space=space).hard, 1.0).upper, 1.0, rel_tol=1e-2)


def test_bounds_in_other_norms_are_below_those_of_the_plane_of_the_2_norm() -> None:
    wine = mm.load("wine", positive="class_0")
    run = mm.online(wine.X, wine.y, "p-norm", p=8.0, max_epochs=20)
    reference = Reference(space=run.space)
    of_the_plane = margin_in_norm(run.space, reference.u, 8 / 7)[0]
    bound = run.guarantees[0]
    assert bound.holds and "proven, by reweighted maximum margins" in bound.note
    assert bound.value < 7 * (np.linalg.norm(run.space.X, ord=8, axis=1).max() / of_the_plane) ** 2 / 1.3


def test_norms_do_not_overflow() -> None:
    for q in (1.0, 1.5, 2.0, 50.0, 2e10, math.inf):
        for unit in (1e300, 1.0, 1e-300):
            low, high = norm_ends(np.array([3.0, -1.0, 2.0]) * unit, q)
            exact = 3 * (1 + (1 / 3) ** q + (2 / 3) ** q) ** (1 / q) if math.isfinite(q) else 3
            assert low <= exact * unit <= high <= exact * unit * (1 + 1e-9)


@for_each("epsilon", [1.0, 0.8, 0.5 + 1e-9, 0.5, 0.5 - 1e-9, 0.4, 0.2, 0.05])
def test_the_bound_of_pdm(epsilon: float) -> None:
    """Of the recursion N' <= (1 + c/t) N + R^2 with N >= t^2 g^2, of its closed forms, and of runs."""
    algorithm, c = Pdm(epsilon=epsilon), 2 * (1 - epsilon)
    square = 1.0
    for t in range(1, 1000):
        margin = min(1.0, math.sqrt(square) / t)  # the recursion allows t updates for this margin
        assert algorithm.most_updates(margin) >= t
        square = (1 + c / t) * square + 1
    for margin in (0.9, 0.1, 1e-3):
        value = algorithm.most_updates(margin)
        if epsilon > 0.6:
            assert value <= 1 / ((2 * epsilon - 1) * margin**2) * (1 + 1e-9)
        if epsilon < 0.45:
            assert value <= (c / (c - 1) / margin**2) ** (1 / (2 * epsilon)) * (1 + 1e-9)
    assert Pdm(epsilon=1.0).most_updates(0.1) == pytest.approx(100)
    assert algorithm.most_updates(0.0) == algorithm.most_updates(-1.0) == math.inf
    for seed in range(2):
        updates = run_of("pdm", seed, bias=True, epsilon=epsilon).guarantees[0]
        assert updates.name == "updates" and updates.holds is not False


def test_the_rounding_of_nearly_parallel_rows_breaks_no_bound_of_romma() -> None:
    """||w|| <= 1/g fails by 1e-3 in floating point: the step divides by the sine of a small angle, squared."""
    for seed in (1, 7, 87, 178):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(6, 2)) * 10.0 ** rng.integers(-3, 4, size=2) + 10.0 ** rng.integers(3, 8)
        scores = X @ rng.normal(size=2)
        y = np.where(scores > np.median(scores), 1, 0)
        run = mm.online(X, y, "aggressive-romma", max_epochs=300)
        length = next(guarantee for guarantee in run.guarantees if guarantee.name == "length")
        assert length.value is not None and length.achieved > length.value
        assert length.holds is None and "rounding" in length.note


def test_bounds_are_not_judged_where_rounding_is_as_large_as_the_numbers() -> None:
    """Neither where the run breaks them, as for neighbours of 1e8, nor where it keeps within them."""
    for X, y in (HARD["neighbours of 1e8"], (SEPARABLE * 1e8, [1, 1, 0, 0])):
        (guarantee,) = mm.online(X, y, "second-order", bias=False, max_epochs=30).guarantees
        assert guarantee.value is not None and guarantee.holds is None and "rounding" in guarantee.note
    assert guarantee.achieved < guarantee.value


@pytest.mark.parametrize("delta", [5e-324, 1e-300, 1e-160])
def test_a_tiny_delta_of_romma_bounds_nothing(delta: float) -> None:
    run = mm.online(SEPARABLE, [1, 1, 0, 0], "aggressive-romma", delta=delta)
    assert next(each for each in run.guarantees if each.name == "updates").value == math.inf


FAR = [[100000000000.00046], [99999999999.99995], [100000000000.00156]]


@for_each("name, X, y, options", [
    *(("averaged", [[0.0], [-1.0], [1.0], [-3.0], [-3.0]], [0, 0, 1, 0, 1],
       {"order": "cyclic", "bias_scale": scale, "max_updates": 1}) for scale in (1e-170, 1e-300)),
    *(("scw-2", SEPARABLE, [1, 1, 0, 0], {"variance": variance, "max_updates": 20})
      for variance in (1e-100, 1e-200, 1e-300)),
    ("cw", FAR, [0, 1, 0], {"confidence": 0.6, "bias_scale": 1e-160, "max_epochs": 30}),
    ("alma", SEPARABLE * 50, [1, 1, 0, 0], {"p": 2e10, "max_epochs": 20}),
])  # fmt: skip
def test_numbers_beyond_binary64_break_no_bound(name: str, X: Any, y: list[int], options: dict[str, Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        run = mm.online(X, y, name, **options)
    assert run.n_updates > 0 and all(guarantee.holds is not False for guarantee in run.guarantees)
