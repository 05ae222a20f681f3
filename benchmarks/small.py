"""What a small question costs as a whole process, and the exact margin of more and more columns.

`maxmargin margin` and `check` on CSV files, against starting Python with numpy. The exact margin (``--exact``) of ten
times as many points as columns on the unit sphere, moved away from a random hyperplane by 0.02, as a process too.

Example: python benchmarks/small.py --repeat 5
"""

import subprocess
import sys
import tempfile
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from data import planted
from harness import Benchmark, Peer, main

BUNDLED = ("iris", "wine", "breast_cancer")
POSITIVE = {"iris": "setosa", "wine": "class_1", "breast_cancer": None}
COLUMNS = (30, 100, 200)

START = "python -c 'import numpy'"
MARGIN, CHECK, EXACT = "maxmargin margin", "maxmargin check", "maxmargin margin --exact"


def bundled(name: str, scale: float) -> Path:
    import maxmargin as mm

    data = mm.load(name, positive=POSITIVE[name])
    return written(name, data.X, data.y)


def columns(n_features: int, scale: float) -> Path:
    n_features = max(2, round(scale * n_features))
    X, y, _ = planted(10 * n_features, n_features)
    return written(f"{n_features} columns", X, y)


def written(name: str, X: np.ndarray, y: np.ndarray) -> Path:
    """Write a CSV file with the label last."""
    path = Path(tempfile.gettempdir()) / "maxmargin-benchmarks" / f"{name}.csv"
    path.parent.mkdir(exist_ok=True)
    lines = [",".join([*(f"x{j}" for j in range(X.shape[1])), "label"])]
    lines += [",".join([*map(repr, row), str(int(sign))]) for row, sign in zip(X.tolist(), y, strict=True)]
    path.write_text("\n".join(lines) + "\n")
    return path


def python(data: Path, _: Any) -> None:
    subprocess.run([sys.executable, "-c", "import numpy"], check=True)


def maxmargin(data: Path, command: tuple[str, ...]) -> None:
    """Run a command, which fails unless its answer is proven, and separable."""
    subprocess.run([sys.executable, "-m", "maxmargin", command[0], str(data), *command[1:]], check=True)


BENCHMARK = Benchmark(
    file=__file__,
    data={name: partial(bundled, name) for name in BUNDLED} | {f"{n} columns": partial(columns, n) for n in COLUMNS},
    peers={
        START: Peer(solve=python, is_judged=False),
        MARGIN: Peer(solve=lambda data, _: maxmargin(data, ("margin",)), is_judged=False),
        CHECK: Peer(solve=lambda data, _: maxmargin(data, ("check",)), is_judged=False, on=BUNDLED),
        EXACT: Peer(solve=lambda data, _: maxmargin(data, ("margin", "--exact")), is_judged=False),
    },
    ours=MARGIN,
    units=(START,),
    warm_scale=1.0,
)

if __name__ == "__main__":
    main(BENCHMARK)
