"""One pass over blocks from given weights: rows whose scores single precision cannot tell from 0 are never mistaken."""

from fractions import Fraction

import numpy as np
import pytest

from maxmargin.solvers.perceptron.engines.block_engine import BlockEngine
from maxmargin.solvers.perceptron.engines.float_engines import WeightsEngine
from maxmargin.solvers.perceptron.engines.row_units import Units
from maxmargin.solvers.perceptron.engines.ties import no_limbs
from maxmargin.solvers.perceptron.kernels.pass_arguments import EXACT_UP_TO, N_LOGGED, POSITION, Reason, Work, frozen
from maxmargin.solvers.perceptron.settings import PerceptronSettings
from maxmargin.solvers.problem.problem import Problem

UP = 1 + 1e-12


def exact(vector: np.ndarray) -> list[Fraction]:
    return [*map(Fraction, vector.tolist())]


def product(left: list[Fraction], right: list[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(left, right, strict=True)), Fraction(0))


def check_a_pass(
    rng: np.random.Generator,
    Z: np.ndarray,
    w: np.ndarray,
    error: np.ndarray | None = None,
) -> int:
    """Present the rows z = y x once; return how many were presented, each as its exact score with w says.

    Computed weights are w plus an error that the pass knows the length of.
    """
    y = rng.choice([-1.0, 1.0], len(Z))
    problem = Problem(Z * y[:, np.newaxis], y, False)
    computed, length = (w, 0.0) if error is None else (w + error, float(np.linalg.norm(error)) * UP)
    start = WeightsEngine(Units.of(problem, PerceptronSettings()), problem.X, problem.y, np.append(computed, 0.0))
    engine = BlockEngine(start, np.arange(len(Z)))
    size = np.array([np.linalg.norm(w) * UP, length, np.linalg.norm(w) * UP, 0.0])
    assert size[EXACT_UP_TO] == 0
    cursor, log = np.zeros(9, dtype=np.int64), np.empty(len(Z) + 1, dtype=np.int64)
    work = Work(
        y=engine.y, order=frozen(np.arange(len(Z))), wraps=True, epoch_length=len(Z), zero_rule=0, asks=True,
        most=len(Z), rounding=engine.rounding, limbs=no_limbs(), counts=np.zeros(len(Z), dtype=np.int64),
        size=size, cursor=cursor, log=log, epochs=np.empty(2, dtype=np.int64),
    )  # fmt: skip
    reason = engine.present(work)
    n_presented = int(cursor[POSITION]) if reason is Reason.ROUNDING_MAY_DECIDE else len(Z)
    assert reason in (Reason.SLICE_IS_MADE, Reason.EPOCH_WAS_CLEAN, Reason.ROUNDING_MAY_DECIDE)
    weights, expected = exact(w), []
    for k in range(n_presented):
        z = exact(Z[k])
        if product(weights, z) <= 0:
            expected.append(k)
            weights = [a + b for a, b in zip(weights, z, strict=True)]
    assert log[: cursor[N_LOGGED]].tolist() == expected
    assert product(weights, weights) <= Fraction(size[0]) ** 2 <= Fraction(size[2]) ** 2, "bounds of the norm"
    off = [a - b for a, b in zip(exact(engine.weights[:-1]), weights, strict=True)]
    assert product(off, off) <= Fraction(size[1]) ** 2, "and of the error of the computed weights"
    return n_presented


def rows_near_a_right_angle(rng: np.random.Generator, w: np.ndarray, n: int, sizes: tuple[float, float]) -> np.ndarray:
    """Return rows of norm 1 or so whose cosines with w are of any of these sizes: one is negative, others positive."""
    unit = w / np.linalg.norm(w)
    Z = rng.standard_normal((n, len(w)))
    Z -= (Z @ unit)[:, np.newaxis] * unit
    Z /= np.linalg.norm(Z, axis=1, keepdims=True)
    cosines = 10.0 ** rng.uniform(*sizes, n)
    cosines[rng.integers(n)] *= -1
    return Z + cosines[:, np.newaxis] * unit


@pytest.mark.parametrize("n_features", [2, 3, 7, 40])
@pytest.mark.slow
def test_scores_that_single_precision_cannot_tell_from_0(n_features: int) -> None:
    rng = np.random.default_rng(n_features)
    for _ in range(150):
        w = rng.standard_normal(n_features) * 10.0 ** rng.integers(2, 6)
        assert check_a_pass(rng, rows_near_a_right_angle(rng, w, 64, (-9.0, -6.0)), w) == 64


def test_an_error_of_the_weights_is_reckoned_with() -> None:
    rng = np.random.default_rng(0)
    n_presented = 0
    for _ in range(300):
        w = 1000 * rng.standard_normal(3)
        error = rng.standard_normal(3)
        Z = rows_near_a_right_angle(rng, w, 8, (-4.5, -2.0))
        n_presented += check_a_pass(rng, Z, w, 0.3 * error / np.linalg.norm(error))
    assert n_presented > 300, "not all rows are asked for"
