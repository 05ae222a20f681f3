"""Blocks of rows, screened in single precision: the mistakes are those of the other engines and of whole numbers.

Rows whose scores single precision cannot tell from 0 are never mistaken, whatever the weights at the start of a pass.
"""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from elimination import dot, vector_of
from numba import types
from references import exact_perceptron
from scipy.sparse import csr_array

from maxmargin.solvers.basics import compiling
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.engines.block_engine import BlockEngine
from maxmargin.solvers.perceptron.engines.float_engines import WeightsEngine
from maxmargin.solvers.perceptron.engines.row_units import Units
from maxmargin.solvers.perceptron.engines.ties import no_limbs
from maxmargin.solvers.perceptron.kernels.pass_arguments import EXACT_UP_TO, N_LOGGED, POSITION, Reason, Work, frozen
from maxmargin.solvers.perceptron.row_orders import Order, Presentation
from maxmargin.solvers.perceptron.run import RunInProgress, perceptron
from maxmargin.solvers.perceptron.settings import ZERO_RULES, EngineName, PerceptronSettings, RunSizes, StopReason
from maxmargin.solvers.problem.problem import Problem

UP = 1 + 1e-12

KINDS: dict[str, Callable[[np.random.Generator, tuple[int, int]], np.ndarray]] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "decimals": lambda rng, shape: rng.integers(-9, 10, shape) / 10,
    "integers": lambda rng, shape: rng.integers(-3, 4, shape).astype(float),
    "scores lost in single precision": lambda rng, shape: 1 + 1e-9 * rng.standard_normal(shape),
    "rows of all sizes": lambda rng, shape: rng.standard_normal(shape) * 10.0 ** rng.integers(-150, 150, (shape[0], 1)),
    "columns of all sizes": lambda rng, shape: (
        rng.standard_normal(shape) * 10.0 ** rng.integers(-150, 150, (1, shape[1]))
    ),
    "with rows of 0": lambda rng, shape: rng.standard_normal(shape) * (rng.random((shape[0], 1)) < 0.7),
}


def problem_of(rng: np.random.Generator, kind: str) -> Problem:
    """Return a problem of 2 to 5 blocks, or of one that is not full; some are separable, some nearly so."""
    n, d = int(rng.integers(2, 300)), int(rng.integers(1, 9))
    X = KINDS[kind](rng, (n, d))
    y = np.where(X @ rng.standard_normal(d) > 0, 1.0, -1.0)
    y[rng.random(n) < rng.choice([0.0, 0.02, 0.5])] *= -1
    y[:2] = -1.0, 1.0
    return Problem(X, y, bool(rng.random() < 0.7))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seeds", [range(4), pytest.param(range(4, 20), marks=pytest.mark.slow)])
def test_the_mistakes_are_those_of_whole_numbers(kind: str, seeds: range) -> None:
    """With passes and logs of any length, in an order that was shuffled once, so that a place is not a row."""
    for seed in seeds:
        rng = np.random.default_rng(seed)
        problem, zero = problem_of(rng, kind), str(rng.choice(list(ZERO_RULES)))
        sizes = RunSizes(log_buffer=int(rng.choice([1, 3, 65_536])), slice_entries=int(rng.choice([1, 10**6])))
        limits = PerceptronSettings(zero=zero, order=Order.SHUFFLED_ONCE, max_epochs=6, method=EngineName.BLOCKS)
        run, plain = (
            perceptron(problem, replace(limits, **options), rng=np.random.default_rng(seed))
            for options in ({"sizes": sizes}, {"method": EngineName.WEIGHTS})
        )
        order = np.random.default_rng(seed).permutation(problem.n_samples)
        expected = exact_perceptron(problem.X[order], problem.y[order], float(problem.bias), zero, 6)
        assert (run.mistake_rows.tolist(), run.n_epochs) == (order[expected.mistake_rows].tolist(), expected.n_epochs)
        assert run.n_uncertain == 0 and run.engine == "weights, blocks"
        for name in ("mistakes_per_epoch", "mistake_counts", "w", "n_presentations", "stop_reason", "b", "margin"):
            np.testing.assert_array_equal(getattr(run, name), getattr(plain, name))


def test_screened_scores_are_those_of_the_rows_in_units_of_their_norms() -> None:
    """Points with a margin: in the clean epoch no score is near the bound of the rounding, however short the row."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((192, 8))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    X[:, 0] += y * np.linalg.norm(X, axis=1)
    X *= 10.0 ** rng.integers(-3, 1, (192, 1))
    problem, limits = Problem(X, y, False), PerceptronSettings(method=EngineName.BLOCKS)
    run = RunInProgress(problem, limits, Presentation(limits.order, len(y), rng))
    assert run.until_stopped() is StopReason.CONVERGED
    engine = run.source.engine
    assert isinstance(engine, BlockEngine)
    (_, _, w, _), blocks, weights, scores, _ = engine.model
    scale = np.linalg.norm(w) / np.linalg.norm(weights)
    margins = y * (X @ w[:-1])
    for k, block in enumerate(blocks):
        rows = slice(64 * k, 64 * k + 64)
        norms = np.linalg.norm(X[rows], axis=1)
        np.testing.assert_allclose((weights @ block) * scale * norms, margins[rows], rtol=1e-4)
    np.testing.assert_allclose(scores, weights @ blocks[-1], rtol=1e-5)
    assert scores.min() > 100 * 2.0**-24 * 12


@pytest.mark.parametrize(
    "change, words",
    [
        ({"order": Order.RESHUFFLED}, "order 'reshuffled-each-epoch'"),
        ({"sparse": True}, "dense rows in memory"),
        ({"entries": 5}, "at most 5 entries"),
        ({"coordinates": 1}, "rows of at most 0"),
    ],
)
def test_what_has_no_blocks_is_refused(change: dict[str, Any], words: str) -> None:
    X = np.array([[1.0], [2.0], [3.0]])
    problem = Problem(csr_array(X) if change.get("sparse") else X, np.array([-1.0, 1.0, 1.0]))
    sizes = RunSizes(
        most_block_entries=change.get("entries", 100), most_block_coordinates=change.get("coordinates", 100)
    )
    limits = PerceptronSettings(method=EngineName.BLOCKS, order=change.get("order", Order.CYCLIC), sizes=sizes)
    with pytest.raises(InvalidOptionError, match=words):
        perceptron(problem, limits)
    assert perceptron(problem, PerceptronSettings(order=limits.order, sizes=sizes)).converged


def test_what_compiled_code_takes_over_is_part_of_its_name(tmp_path: Path) -> None:
    def kernel(x: float) -> float:
        return x

    names = []
    for number, text in enumerate(("a = 1\n", "a = 2\n", "a = 1\n")):
        path = tmp_path / f"called_{number}.py"
        path.write_text(text)
        spec = spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        called = module_from_spec(spec)
        spec.loader.exec_module(called)
        compiling.compiled(types.float64, calling=[called])(kernel)(1.0)
        names.append(kernel.__qualname__)
    assert names[0] == names[2] != names[1]


def check_a_pass(rng: np.random.Generator, Z: np.ndarray, w: np.ndarray, error: np.ndarray | float = 0.0) -> int:
    """Present the rows z = y x once; return how many were presented, each as its exact score with w says.

    Computed weights are w plus an error that the pass knows the length of.
    """
    y = rng.choice([-1.0, 1.0], len(Z))
    problem = Problem(Z * y[:, np.newaxis], y, False)
    length = float(np.linalg.norm(error)) * UP
    start = WeightsEngine(Units.of(problem, PerceptronSettings()), problem.X, problem.y, np.append(w + error, 0.0))
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
    weights, expected = vector_of(w), []
    for k in range(n_presented):
        z = vector_of(Z[k])
        if dot(weights, z) <= 0:
            expected.append(k)
            weights = [a + b for a, b in zip(weights, z, strict=True)]
    assert log[: cursor[N_LOGGED]].tolist() == expected
    assert dot(weights, weights) <= Fraction(size[0]) ** 2 <= Fraction(size[2]) ** 2, "bounds of the norm"
    off = [a - b for a, b in zip(vector_of(engine.weights[:-1]), weights, strict=True)]
    assert dot(off, off) <= Fraction(size[1]) ** 2, "and of the error of the computed weights"
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


@pytest.mark.slow
@pytest.mark.parametrize("n_features", [2, 3, 7, 40])
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
