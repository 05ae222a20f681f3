"""The maximum margin of natural and planted rows in passes over the data: small margins, where nothing was moved.

Natural rows are normal, their signs those of a random hyperplane: margins of 1e-6 to 1e-2 of the data. Planted rows are
the same, moved away from the hyperplane by 0.05.

Called as a script, it draws how the time grows with the rows and with the columns.

Examples:
  python benchmarks/run.py natural --data '1M*'
  python benchmarks/natural.py                    measures, and draws docs/pictures/growth.svg
  python benchmarks/natural.py --largest 100000
"""

import argparse
import json
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from data import natural
from hard_margin import Data, accuracy, daqp_direct, judge, one_pass, ours, piqp_dense, textbook
from measuring import Benchmark, Facts, Peer

SHAPES = {
    "1M x 5": (1_000_000, 5),
    "1M x 20": (1_000_000, 20),
    "1M x 50": (1_000_000, 50),
    "2M x 20": (2_000_000, 20),
    "200k x 100": (200_000, 100),
    "200k x 200": (200_000, 200),
    "20k x 500": (20_000, 500),
    "100k x 500": (100_000, 500),
}
# Where general solvers are tried too.
MILLION = "1M x 20"
PLANTED = ("1M x 50", "200k x 200", "100k x 500")

# So many that a warm-up takes the way of many rows.
WARM_ROWS = 4500


def make(shape: tuple[int, int], margin: float, scale: float) -> Data:
    return natural(max(2 * shape[1], round(scale * shape[0])), shape[1], margin)


def judge_with_passes(data: Data, answer: Any) -> Facts:
    """Return the margin, and of ours the proven interval and how many passes over all rows another run makes."""
    from maxmargin.solvers.hard_margin.hard_margin import hard_margin
    from maxmargin.solvers.problem.problem import Problem
    from maxmargin.solvers.problem.rows import InMemory

    class Counted(InMemory):
        passes = 0

        def map(self, *arguments: Any) -> Iterator[Any]:
            self.passes += 1
            return super().map(*arguments)

    facts = judge(data, answer)
    if "upper" not in facts:
        return facts
    problem = Problem(data[0], data[1])
    problem.column_bounds  # noqa: B018  which validation knows
    problem.__dict__["row_source"] = Counted(data[0])
    hard_margin(problem)
    return facts | {"n_passes": problem.row_source.passes}


BENCHMARK = Benchmark(
    file=__file__,
    data={name: partial(make, shape, 0.0) for name, shape in SHAPES.items()}
    | {f"{name}, planted": partial(make, SHAPES[name], 0.05) for name in PLANTED},
    peers={
        "one pass X @ w": Peer(solve=one_pass, is_judged=False),
        "maxmargin": Peer(solve=ours, seconds=2.0, warm_scale=WARM_ROWS / 1_000_000),
        "PIQP, dense, called directly": Peer(solve=piqp_dense, on=(MILLION, "200k x 100"), needs="piqp", seconds=20.0),
        "DAQP, called directly": Peer(solve=daqp_direct, on=(MILLION, "200k x 100"), seconds=20.0),
        "cvxpy, DAQP": Peer(solve=textbook("DAQP"), on=(MILLION,), seconds=25.0),
        "cvxpy, Clarabel": Peer(solve=textbook("CLARABEL"), on=(MILLION,), seconds=100.0),
        "cvxpy, default solver": Peer(solve=textbook(None), on=(MILLION,), seconds=300.0),
    },
    ours="maxmargin",
    units=("one pass X @ w",),
    judge=judge_with_passes,
    accuracy=accuracy,
    columns={"n_passes": "passes over all rows", "claims": "claims"},
)

PICTURE = Path(__file__).parents[1] / "docs" / "pictures" / "growth.svg"

COLUMNS, ROWS = 20, 20_000
GROWING_ROWS = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
GROWING_COLUMNS = (5, 10, 20, 50, 100, 200, 500, 1_000)
MARGINS = {"natural": 0.0, "planted, margin 0.05": 0.05}

# Shortest of this many runs; fewer where one takes longer than this number of seconds.
RUNS, LONG = 5, 3.0


def seconds(n_samples: int, n_features: int, margin: float) -> float:
    """Return the time of `maxmargin.hard_margin`, which has to be proven to 1e-12."""
    import maxmargin as mm

    X, y, _ = natural(n_samples, n_features, margin)
    times: list[float] = []
    while len(times) < RUNS and (not times or times[-1] < LONG):
        start = time.perf_counter()
        answer = mm.hard_margin(X, y)
        times.append(time.perf_counter() - start)
        assert answer.gap <= 1e-12 * answer.upper
    return min(times)


def measured(most: int) -> dict[str, Any]:
    """Return the times by data: lists of (size, seconds), for more rows and for more columns."""
    from run import this_machine

    seconds(5_000, 5, 0.0)  # imports
    curves: dict[str, Any] = {"machine": this_machine(), "rows": {}, "columns": {}}
    for name, margin in MARGINS.items():
        curves["rows"][name] = [(n, seconds(n, COLUMNS, margin)) for n in GROWING_ROWS if n <= most]
        curves["columns"][name] = [(d, seconds(min(ROWS, most), d, margin)) for d in GROWING_COLUMNS]
    return curves


def slope(curve: list[tuple[int, float]]) -> float:
    """Return the exponent p of time ~ size^p, fitted to the upper half of the sizes."""
    sizes, times = np.log(np.array(curve[len(curve) // 2 :])).T
    return float(np.polyfit(sizes, times, 1)[0])


def drawn(curves: dict[str, Any], path: Path) -> None:
    """Draw both kinds of growth, one below the other, so that phones show them as well."""
    import matplotlib as mpl

    mpl.use("svg")
    mpl.rcParams["svg.hashsalt"] = "growth"
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(2, 1, figsize=(5, 7), layout="constrained", facecolor="white")
    panels = (("rows", f"rows, at {COLUMNS} columns"), ("columns", f"columns, at {ROWS:,} rows"))
    for ax, (key, label) in zip(axes, panels, strict=True):
        for marker, (name, curve) in zip("os", curves[key].items(), strict=True):
            ax.loglog(*zip(*curve, strict=True), marker=marker, label=f"{name}: slope {slope(curve):.1f}")
        ax.set_xlabel(f"number of {label}")
        ax.set_ylabel("time of the proven margin (s)")
        ax.grid(which="major", alpha=0.3)
        ax.legend()
    figure.savefig(path, metadata={"Date": None})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--largest", type=int, default=max(GROWING_ROWS), help="largest number of rows")
    parser.add_argument("-o", "--output", type=Path, default=PICTURE, help="the picture; its numbers lie beside it")
    options = parser.parse_args()
    found = measured(options.largest)
    options.output.with_suffix(".json").write_text(json.dumps(found, indent=1) + "\n")
    drawn(found, options.output)
