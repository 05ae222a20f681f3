"""Runs of the perceptron and of the online algorithms end within their time, whatever computes the scores."""

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import maxmargin as mm
from maxmargin.cli.app import run as command
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.perceptron.run import perceptron
from maxmargin.solvers.perceptron.settings import EngineName, PerceptronSettings
from maxmargin.solvers.problem.problem import Problem

Data = tuple[NDArray[np.float64], NDArray[np.float64]]

# Seconds that a run may take longer than its limit.
OVER = 2.0


@pytest.fixture(scope="module")
def endless() -> Data:
    rng = np.random.default_rng(0)
    return rng.normal(size=(300, 5)), np.where(rng.random(300) < 0.5, 1.0, -1.0)


@pytest.mark.parametrize("method", list(EngineName))
def test_a_run_ends_in_time(endless: Data, method: EngineName) -> None:
    problem = Problem(*endless)
    perceptron(problem, PerceptronSettings(max_epochs=2, method=method))  # compiled now
    started = time.monotonic()
    run = perceptron(problem, PerceptronSettings(max_mistakes=None, time_limit=0.3, method=method))
    seconds = time.monotonic() - started
    assert run.stop_reason == "time_limit" and not run.converged and run.n_mistakes > 1000
    assert seconds < 0.3 + OVER
    again = perceptron(problem, PerceptronSettings(max_mistakes=run.n_mistakes))
    assert again.mistake_rows.tolist() == run.mistake_rows.tolist() and again.margin == run.margin


def test_ties_that_are_decided_one_by_one_end_in_time() -> None:
    """Rows at right angles in numbers too long for limbs: every other score is 0 and is computed as fractions."""
    rng = np.random.default_rng(1)
    a, b, tiny = rng.random(200), rng.random(200), 2.0**-1000
    X = np.vstack([np.c_[a, b, np.full(200, tiny)], np.c_[-b, a, np.full(200, -tiny)]])
    problem = Problem(X, np.where(np.arange(400) % 3, 1.0, -1.0), bias=False)
    started = time.monotonic()
    settings = PerceptronSettings(max_mistakes=None, time_limit=0.3, method=EngineName.WEIGHTS)
    assert perceptron(problem, settings).stop_reason == "time_limit"
    assert time.monotonic() - started < 0.3 + OVER


def test_no_time_at_all_is_a_run_without_mistakes(endless: Data) -> None:
    run = mm.perceptron(*endless, time_limit=1e-9)
    assert (run.n_mistakes, run.stop_reason, run.run_upper) == (0, "time_limit", None)


@pytest.mark.slow
def test_rows_outside_memory_end_in_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = np.random.default_rng(2)
    path = tmp_path / "rows.npz"
    np.savez(path, X=rng.normal(size=(60_000, 10)), y=np.where(rng.random(60_000) < 0.5, 1, -1))
    options = ["--memory", "1", "--quiet", "--max-mistakes", "1000000000"]
    assert command(["perceptron", str(path), *options, "--max-epochs", "1"]) == 3
    started = time.monotonic()
    assert command(["perceptron", str(path), *options, "--time-limit", "1"]) == 3
    assert time.monotonic() - started < 1.0 + 2 * OVER  # the file is read before the run
    assert "stopped at the time limit" in capsys.readouterr().out


@pytest.mark.parametrize("algorithm", ["perceptron", "pegasos", "minover", "averaged"])
def test_an_online_algorithm_ends_in_time(endless: Data, algorithm: str) -> None:
    mm.online(*endless, algorithm, max_epochs=1)
    started = time.monotonic()
    run = mm.online(*endless, algorithm, max_epochs=None, time_limit=0.3)
    assert run.stop_reason == "time_limit" and not run.converged and run.n_presentations > 0
    assert time.monotonic() - started < 0.3 + OVER


@pytest.mark.slow
def test_a_trace_ends_in_time(endless: Data) -> None:
    started = time.monotonic()
    trace = mm.mistake_trace(*endless, max_mistakes=None, time_limit=1.0)
    assert time.monotonic() - started < 1.0 + OVER and trace.holds


def test_the_command_says_what_stopped_it(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["iris", "--positive", "versicolor", "--quiet", "--time-limit", "0.05"]
    assert command(["perceptron", *arguments, "--max-mistakes", "1000000000"]) == 3
    assert command(["online", *arguments, "--max-epochs", "1000000000"]) == 3
    assert capsys.readouterr().out.count("stopped at the time limit") == 2


@pytest.mark.parametrize("limit", [0, -1.0, float("nan"), "1"])
def test_a_limit_that_is_none_is_refused(endless: Data, limit: Any) -> None:
    for verb in (mm.perceptron, mm.online):
        with pytest.raises(InvalidProblemError, match=r"time_limit is .*; expected a positive number of seconds"):
            verb(*endless, time_limit=limit)
