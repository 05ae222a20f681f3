"""The first use, with nothing compiled yet: small data wait for no compiler, and long runs say that they do."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun
from maxmargin.solvers.online.catalogue import ALGORITHMS, algorithm_of
from maxmargin.solvers.online.online_settings import OnlineSettings
from maxmargin.solvers.online.run_online import run_online
from maxmargin.solvers.problem.problem import Problem

_RUN = """
import json, sys
from maxmargin.cli.app import run
codes = [run(line.split()) for line in sys.argv[1:]]
print(json.dumps({"codes": codes, "has_numba": "numba" in sys.modules}))
"""


def first_use(folder: Path, *lines: str, **environment: str) -> tuple[dict[str, Any], list[str], str]:
    """Return the exit codes and whether a compiler was loaded, what was compiled, and what was said."""
    own = {**os.environ, "NUMBA_CACHE_DIR": str(folder / "cache"), **environment}
    program = [sys.executable, "-c", _RUN, *lines]
    done = subprocess.run(program, env=own, capture_output=True, text=True, check=True, cwd=folder)
    compiled = [path.name for path in (folder / "cache").rglob("*.nbc")]
    return json.loads(done.stdout.splitlines()[-1]), compiled, done.stderr


# Commands on small data, and longer ones.
SHORT = (
    "perceptron iris --positive setosa, check iris --positive virginica, margin iris --positive setosa, "
    "margin iris --positive versicolor --soft 1, margin rows.npz --soft 1 --method interior-point, "
    "margin rows.npz --soft 1 --method working-set, online iris --positive virginica -a all, "
    "online iris --positive setosa -a perceptron -a averaged -a pegasos, orders iris --positive setosa, "
    "bounds iris --positive setosa, judge agresti --plane plane.json, fewest-errors agresti, "
    "generate xor -o xor.csv, report few.csv -o few.html"
)
LONG = (
    "perceptron iris --positive virginica --max-mistakes 2000, "
    "perceptron iris --positive virginica --max-mistakes 2000 --method weights, "
    "perceptron iris --positive virginica --max-mistakes 2000 --method gram, "
    "online iris --positive setosa -a all --max-epochs 2, orders agresti --n-orders 50 --n-search 20 --n-sequence 100, "
    "margin iris --positive versicolor --soft 1"
)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("which", [slice(1), slice(1, 2), slice(2, None)])
def test_small_data_wait_for_no_compiler(which: slice, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(4000, 5))
    np.savez(tmp_path / "rows.npz", X=X, y=np.where(X[:, 0] + rng.normal(size=4000) > 0, 1, -1))
    few = rng.normal(size=(60, 4)).round(2)
    few[:, 0] += np.where(few[:, 0] > 0, 0.2, -0.2)
    rows = [",".join(map(str, [*row.tolist(), int(row[0] > 0)])) for row in few]
    (tmp_path / "plane.json").write_text('{"w": [1], "b": -48}', encoding="utf-8")
    (tmp_path / "few.csv").write_text("\n".join(["a,b,c,d,label", *rows]), encoding="utf-8")
    found, compiled, said = first_use(tmp_path, *SHORT.split(", ")[which])
    assert set(found["codes"]) <= {0, 3} and not found["has_numba"]
    assert not compiled and "compiling" not in said


@pytest.mark.slow
@pytest.mark.parametrize("line", ["report iris -o iris.md", "orders agresti"])
def test_long_runs_of_small_data_compile_few_passes(line: str, tmp_path: Path) -> None:
    """Classes that overlap make a million mistakes, many orders make millions."""
    found, compiled, said = first_use(tmp_path, line)
    assert found["codes"] == [0] and said.count("compiling") == 1
    assert 1 <= len(compiled) <= 2 and any("present_over_gram" in name for name in compiled)


@pytest.mark.slow
def test_a_long_run_says_that_it_compiles_few_passes(tmp_path: Path) -> None:
    line = "perceptron iris --positive virginica --max-mistakes 50000"
    found, compiled, said = first_use(tmp_path, line)
    assert found["codes"] == [3] and 1 <= len(compiled) <= 2 and said.count("compiling") == 1
    _, again, said = first_use(tmp_path, line)
    assert sorted(again) == sorted(compiled) and "compiling" not in said


@pytest.mark.slow
def test_a_run_without_the_time_to_compile_stays_in_integers(tmp_path: Path) -> None:
    line = "perceptron iris --positive virginica --time-limit 0.5 --json"
    found, compiled, said = first_use(tmp_path, line)
    assert found["codes"] == [3] and not compiled and "compiling" not in said


@pytest.mark.slow
def test_quiet_is_quiet(tmp_path: Path) -> None:
    *_, said = first_use(tmp_path, "perceptron iris --positive virginica --max-mistakes 50000 -q")
    assert said == ""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("which", [slice(1), slice(1, None)])
def test_everything_works_without_a_compiler(which: slice, tmp_path: Path) -> None:
    found, compiled, _ = first_use(tmp_path, *LONG.split(", ")[which], NUMBA_DISABLE_JIT="1")
    assert set(found["codes"]) <= {0, 3} and not compiled


WITH_PARAMETERS = [("p-norm", {"p": 2.7}), ("alma", {"p": 3.3}), ("winnow", {"factor": 1.7e308})]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name, parameters", [*((name, {}) for name in ALGORITHMS), *WITH_PARAMETERS])
def test_plain_and_compiled_steps_agree_to_the_bit(name: str, parameters: dict[str, float]) -> None:
    algorithm = algorithm_of(name, parameters)
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(25, 3)).round(1 if seed % 2 else 17)
        X[0] = 0.0
        y = np.where(X @ [1.0, 2.0, -1.0] + 0.5 * rng.normal(size=25) > 0, 1.0, -1.0)
        problem = Problem(np.abs(X) if name == "winnow" else X, y)
        runs = [_run(problem, algorithm, short) for short in (0, 200, 1 << 60)]
        for run in runs[:2]:
            assert run.n_presentations == runs[2].n_presentations
            for part in ("w", "table", "scalars"):
                assert getattr(run.state, part).tobytes() == getattr(runs[2].state, part).tobytes()


def _run(problem: Problem, algorithm: Algorithm, short: int) -> OnlineRun:
    settings = OnlineSettings(max_epochs=15, short=short)
    return run_online(problem, algorithm, settings, rng=np.random.default_rng(1))
