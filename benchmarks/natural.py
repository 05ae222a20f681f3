"""The maximum margin of natural and planted rows in passes over the data: small margins, where nothing was moved.

Natural rows are normal, their signs those of a random hyperplane: margins of 1e-6 to 1e-2 of the data. Planted rows are
the same, moved away from the hyperplane by 0.05.

Examples:
  python benchmarks/run.py natural --data '1M*'
  python benchmarks/run.py natural --scale 0.1 --peer maxmargin --peer 'one pass*'
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

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
    return natural(n_rows(shape, scale), shape[1], margin)


def n_rows(shape: tuple[int, int], scale: float) -> int:
    return max(2 * shape[1], round(scale * shape[0]))


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
