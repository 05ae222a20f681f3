"""The replay of the run of a report: its rows make the same mistakes, and its frames are the run at some of them."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import maxmargin as mm
from maxmargin.api.running import run_perceptron
from maxmargin.data.batches import MemoryBudget
from maxmargin.reports.study.replay import MOST_FRAMES, MOST_ROWS, Replay, replay_of
from maxmargin.reports.study.two_class_study import TwoClassStudy
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.margins import geometric_margin, least_functional_margin, norm_squared
from maxmargin.theory.mistake_traces import passed_mistakes, space_margin, trace_of

# Small files count as large, and are read in chunks of a few rows.
SMALL = replace(MemoryBudget.of("1MiB"), in_memory_bytes=0, chunk_row_limit=11)

OPTIONS: tuple[dict[str, Any], ...] = (
    {},
    {"bias": False, "zero": "positive"},
    {"bias_scale": 3.0, "order": "random"},
    {"prepare": "standardize", "order": "reshuffled-each-epoch"},
)


def study_of(dataset: mm.Dataset, **options: Any) -> TwoClassStudy:
    found = mm.margin_report(dataset, Cs=[1.0], orders=0, **options).study
    assert isinstance(found, TwoClassStudy)
    return found


def blobs(shift: float, n: int = 40) -> mm.Dataset:
    y = np.repeat([-1, 1], n // 2)
    return mm.from_arrays(np.random.default_rng(5).normal(size=(n, 3)) + shift * y[:, None], y)


def replayed(study: TwoClassStudy, replay: Replay) -> list[tuple[np.ndarray, float]]:
    """The hyperplane after every mistake, in floating point, from the rows alone."""
    X, y = study.run_problem.dense_rows(slice(None)), study.run_problem.y
    w, b, planes = np.zeros(X.shape[1]), 0.0, []
    for row in replay.rows.tolist():
        w, b = w + y[row] * X[row], b + y[row] * replay.scale**2
        planes.append((w, b))
    return planes


@pytest.mark.sampled(3)
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("dataset", [mm.load("agresti"), mm.load("xor"), blobs(0.3), blobs(3.0)])
def test_the_rows_replay_the_run(dataset: mm.Dataset, options: dict[str, Any]) -> None:
    study = study_of(dataset, max_mistakes=5_000, **options)
    replay = study.replay
    planes = replayed(study, replay)
    assert len(planes) == min(MOST_ROWS, study.run.n_mistakes)
    assert replay.is_whole == (study.run.n_mistakes <= MOST_ROWS)
    size = np.abs(study.run_problem.dense_rows(slice(None))).max()
    for frame in replay.frames:
        if frame.n_mistakes <= len(planes):
            w, b = planes[frame.n_mistakes - 1]
            assert np.allclose(w, frame.w, rtol=1e-9, atol=1e-12 * frame.n_mistakes * size)
            assert b == pytest.approx(frame.b, rel=1e-9)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("dataset", [mm.load("agresti"), blobs(0.3)])
def test_frames_are_the_run_at_spaced_mistakes(dataset: mm.Dataset, options: dict[str, Any]) -> None:
    study = study_of(dataset, max_mistakes=5_000, **options)
    numbers = [frame.n_mistakes for frame in study.replay.frames]
    assert numbers == sorted(set(numbers)) and len(numbers) <= MOST_FRAMES
    assert (numbers[0], numbers[-1]) == (1, study.run.n_mistakes)
    assert all(after <= 1.5 * before + 1 for before, after in pairwise(numbers))
    last = study.replay.frames[-1]
    assert np.array_equal(last.w, study.run.w) and last.b == study.run.b
    assert last.margin == study.run.margin
    for frame in study.replay.frames:
        if frame.w.any():
            least = least_functional_margin(study.run_problem, frame.w, frame.b)
            assert frame.margin == geometric_margin(least, norm_squared(frame.w))
        else:
            assert frame.margin is None
        if frame.margin_upper is not None:
            assert frame.margin_upper >= study.hard.lower


def test_a_run_without_mistakes_has_an_empty_replay() -> None:
    problem = Problem(np.array([[1.0], [2.0]]), np.ones(2), False)
    run = run_perceptron(problem, zero="positive")
    passed = passed_mistakes(problem, run)
    trace = trace_of(problem, run, space_margin(problem, 1.0), passed=passed)
    replay = replay_of(trace, [moment for _, moment in passed], 0.0)
    assert (replay.n_mistakes, replay.rows.tolist(), replay.frames, replay.is_whole) == (0, [], (), True)


@pytest.mark.slow
def test_rows_outside_memory_are_replayed_as_far_as_they_were_logged(tmp_path: Path) -> None:
    dataset = blobs(0.3)
    columns = {f"x{j}": column for j, column in enumerate(dataset.X.T)}
    pyarrow.parquet.write_table(pa.table({**columns, "label": dataset.labels}), tmp_path / "blobs.parquet")
    outside = mm.load(tmp_path / "blobs.parquet", memory=SMALL)
    assert not outside.is_in_memory
    study, inside = study_of(outside, max_epochs=9), study_of(dataset, max_epochs=9)
    assert study.replay.rows.tolist() == inside.replay.rows.tolist()
    assert study.replay.frames[-1].b == study.run.b and np.array_equal(study.replay.frames[-1].w, study.run.w)
    unlogged = replace(study.run, mistake_rows=study.run.mistake_rows[:0])
    passed = passed_mistakes(study.run_problem, unlogged)
    trace = trace_of(study.run_problem, unlogged, study.run_hard, passed=passed)
    replay = replay_of(trace, [moment for _, moment in passed], study.scale)
    assert not replay.rows.size and not replay.is_whole
    assert [frame.n_mistakes for frame in replay.frames] == [study.run.n_mistakes]
    assert np.array_equal(replay.frames[-1].w, study.run.w)
