"""Blocks of rows, screened in single precision: the mistakes are those of the other engines and of whole numbers."""

from collections.abc import Callable
from dataclasses import replace
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numba import types
from references import exact_perceptron
from scipy.sparse import csr_array

from maxmargin.solvers.basics import compiling
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.engines.block_engine import BlockEngine
from maxmargin.solvers.perceptron.row_orders import Order, Presentation
from maxmargin.solvers.perceptron.run import RunInProgress, perceptron
from maxmargin.solvers.perceptron.settings import ZERO_RULES, EngineName, PerceptronSettings, RunSizes, StopReason
from maxmargin.solvers.problem.problem import Problem

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
def test_the_mistakes_are_those_of_whole_numbers(kind: str) -> None:
    for seed in range(12):
        rng = np.random.default_rng(seed)
        problem, zero = problem_of(rng, kind), str(rng.choice(list(ZERO_RULES)))
        limits = PerceptronSettings(zero=zero, max_epochs=6, method=EngineName.BLOCKS)
        run = perceptron(problem, limits)
        expected = exact_perceptron(problem.X, problem.y, float(problem.bias), zero, 6)
        assert (run.mistake_rows.tolist(), run.n_epochs) == (expected.mistake_rows, expected.n_epochs)
        assert run.mistake_counts.tolist() == np.bincount(expected.mistake_rows, minlength=problem.n_samples).tolist()
        assert run.n_uncertain == 0 and run.engine == "weights, blocks"


@given(
    st.sampled_from(sorted(KINDS)), st.integers(0, 10_000), st.sampled_from([1, 3, 65_536]), st.sampled_from([1, 10**6])
)
@settings(deadline=None, max_examples=60)
def test_passes_and_logs_of_any_length_change_nothing(kind: str, seed: int, room: int, entries: int) -> None:
    """In an order that was shuffled once, so that a place is not a row."""
    problem = problem_of(np.random.default_rng(seed), kind)
    runs = []
    limits = PerceptronSettings(max_epochs=7, max_mistakes=500, order=Order.SHUFFLED_ONCE, method=EngineName.WEIGHTS)
    small = replace(limits, method=EngineName.BLOCKS, sizes=RunSizes(log_buffer=room, slice_entries=entries))
    for settings_of_run in (limits, small):
        runs.append(perceptron(problem, settings_of_run, rng=np.random.default_rng(seed)))
    plain, screened = runs
    for name in ("n_mistakes", "n_epochs", "n_presentations", "stop_reason", "converged", "b", "margin"):
        assert getattr(screened, name) == getattr(plain, name), name
    for name in ("mistake_rows", "mistake_counts", "mistakes_per_epoch", "w"):
        np.testing.assert_array_equal(getattr(screened, name), getattr(plain, name))


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
