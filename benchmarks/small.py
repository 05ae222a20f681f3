"""What a small question costs as a whole process, and the exact margin of more and more columns.

`maxmargin margin` and `check` on CSV files, against starting Python with numpy. The exact margin (``--exact``) of ten
times as many points as columns on the unit sphere, moved away from a random hyperplane by 0.02, as a process and in
Python.

Examples:
  python benchmarks/run.py small --data iris --data wine
  python benchmarks/run.py small --scale 0.3 --repeat 3
"""

import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from data import bundled, planted
from measuring import Benchmark, Peer

BUNDLED = ("iris", "wine", "breast_cancer")
COLUMNS = (30, 100, 200)

START = "python -c 'import numpy'"
MARGIN, CHECK, EXACT = "maxmargin margin", "maxmargin check", "maxmargin margin --exact"
IN_PYTHON = "exact margin, in Python"
SECONDS_OF_EXACT = {"100 columns": 1.5, "200 columns": 6.0}


@dataclass(frozen=True)
class Data:
    path: Path
    X: np.ndarray
    y: np.ndarray


def real(name: str, scale: float) -> Data:
    return written(name, *bundled(name))


def columns(n_features: int, scale: float) -> Data:
    n_features = max(2, round(scale * n_features))
    X, y, _ = planted(10 * n_features, n_features)
    return written(f"{n_features} columns", X, y)


def written(name: str, X: np.ndarray, y: np.ndarray) -> Data:
    """Write a CSV file with the label last."""
    path = Path(tempfile.gettempdir()) / "maxmargin-benchmarks" / f"{name}.csv"
    path.parent.mkdir(exist_ok=True)
    lines = [",".join([*(f"x{j}" for j in range(X.shape[1])), "label"])]
    lines += [",".join([*map(repr, row), str(int(sign))]) for row, sign in zip(X.tolist(), y, strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return Data(path, X, y)


def python(data: Data, _: Any) -> None:
    subprocess.run([sys.executable, "-c", "import numpy"], check=True)


def maxmargin(data: Data, command: tuple[str, ...]) -> None:
    """Run a command, which fails unless its answer is proven, and separable."""
    subprocess.run([sys.executable, "-m", "maxmargin", command[0], str(data.path), *command[1:]], check=True)


def exact(data: Data, _: Any) -> None:
    import maxmargin as mm

    assert mm.hard_margin(data.X, data.y, exact=True).margin_squared is not None


BENCHMARK = Benchmark(
    file=__file__,
    data={name: partial(real, name) for name in BUNDLED} | {f"{n} columns": partial(columns, n) for n in COLUMNS},
    peers={
        START: Peer(solve=python, is_judged=False),
        MARGIN: Peer(solve=lambda data, _: maxmargin(data, ("margin",)), is_judged=False, seconds=0.6),
        CHECK: Peer(solve=lambda data, _: maxmargin(data, ("check",)), is_judged=False, on=BUNDLED, seconds=0.6),
        EXACT: Peer(
            solve=lambda data, _: maxmargin(data, ("margin", "--exact")), is_judged=False, seconds=SECONDS_OF_EXACT
        ),
        IN_PYTHON: Peer(solve=exact, is_judged=False, seconds=SECONDS_OF_EXACT),
    },
    ours=MARGIN,
    units=(START,),
    preparation=1.0,
)
