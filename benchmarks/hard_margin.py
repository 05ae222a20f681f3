"""The maximum margin of many rows: ours, general solvers, LIBSVM, and one pass over the data.

Points of the unit sphere, moved away from a random hyperplane by 0.02. Every hyperplane that comes back is judged by
its exact geometric margin, with the best offset, against the proven upper bound.

Examples:
  python benchmarks/run.py hard_margin --scale 0.1 --limit 60
  python benchmarks/run.py hard_margin --data '100k*' --peer maxmargin --peer 'one pass*' --fresh
"""

import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from data import planted
from measuring import Benchmark, Facts, Peer

Data = tuple[np.ndarray, np.ndarray, np.ndarray]
# A normal, and what the peer says of it.
Answer = tuple[np.ndarray | None, str]

SHAPES = {
    "100k x 50": (100_000, 50),
    "1M x 50": (1_000_000, 50),
    "200k x 200": (200_000, 200),
    "100k x 500": (100_000, 500),
}
SMALLEST = ("100k x 50",)
LARGE = ("100k x 50", "1M x 50", "200k x 200")
SECONDS_OF_DIRECT_SOLVERS = {"100k x 50": 1.5, "1M x 50": 15.0, "200k x 200": 20.0}

# So many that a warm-up takes the way of many rows.
WARM_ROWS = 4500


def make(shape: tuple[int, int], scale: float) -> Data:
    return planted(max(2 * shape[1], round(scale * shape[0])), shape[1])


def one_pass(data: Data, _: Any) -> None:
    X, _y, w = data
    X @ w


def ours(data: Data, _: Any) -> Any:
    import maxmargin as mm

    return mm.hard_margin(data[0], data[1])


def textbook(solver: str | None) -> Callable[[Data, Any], Answer]:
    """Return cvxpy on the program as it stands in textbooks, with the solver's default options."""

    def solve(data: Data, _: Any) -> Answer:
        from maxmargin.solvers.engines.textbook import formulations

        program = formulations.hard_margin(data[0], data[1])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program.solve(**({} if solver is None else {"solver": solver}))
        statistics = program.solver_stats
        return program.var_dict[
            "w"
        ].value, f"{statistics.solver_name} {program.status}" if statistics else "no solution"

    return solve


def piqp_dense(data: Data, _: Any) -> Answer:
    """Call the dense interior-point solver with y (w.x + b) >= 1 as its rows, tolerances 1e-10."""
    import piqp

    cost, rows = matrices(data)
    n_samples, n_columns = rows.shape
    solver = piqp.DenseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = 1e-10
    solver.settings.verbose = False
    bounds = np.ones(n_samples), np.full(n_samples, np.inf)
    solver.setup(cost, np.zeros(n_columns), None, None, rows, *bounds)
    status = solver.solve()
    return np.array(solver.result.x[:-1]), str(status).rpartition(".")[2]


def daqp_direct(data: Data, _: Any) -> Answer:
    """Call the dual active-set solver with the same rows, with its default options."""
    import daqp

    cost, rows = matrices(data)
    n_samples, n_columns = rows.shape
    solution, _value, flag, _info = daqp.solve(
        cost, np.zeros(n_columns), rows, np.full(n_samples, 1e30), np.ones(n_samples), np.zeros(n_samples, np.intc)
    )
    return (solution[:-1] if flag > 0 else None), f"exit flag {flag}"


def matrices(data: Data) -> tuple[np.ndarray, np.ndarray]:
    """Return the matrix of the objective and the rows y (x, 1) of the constraints, with the columns (w, b)."""
    X, y, _w = data
    cost = np.diag(np.append(np.ones(X.shape[1]), 0.0))
    return cost, np.hstack([X, np.ones((len(X), 1))]) * y[:, None]


def libsvm(data: Data, _: Any) -> Answer:
    from sklearn.svm import SVC

    model = SVC(kernel="linear", C=1e8, tol=1e-6, cache_size=1000).fit(data[0], data[1])
    return model.coef_.ravel(), "no error" if model.fit_status_ == 0 else "iteration limit"


def highs_lp(data: Data, _: Any) -> Answer:
    """Return a separating hyperplane, not that of the maximum margin."""
    from maxmargin.solvers.engines import highs_lp

    found = highs_lp.solve(data[0], data[1], bias=True)
    return found.w, found.attempt.status


PEERS = {
    "one pass X @ w": Peer(solve=one_pass, is_judged=False),
    "maxmargin": Peer(
        solve=ours,
        seconds={"100k x 50": 0.2, "1M x 50": 0.5, "200k x 200": 5.0, "100k x 500": 20.0},
        warm_scale={name: WARM_ROWS / shape[0] for name, shape in SHAPES.items()},
    ),
    "PIQP, dense, called directly": Peer(solve=piqp_dense, on=LARGE, needs="piqp", seconds=SECONDS_OF_DIRECT_SOLVERS),
    "DAQP, called directly": Peer(solve=daqp_direct, on=LARGE, seconds=SECONDS_OF_DIRECT_SOLVERS),
    "cvxpy, DAQP": Peer(solve=textbook("DAQP"), on=SMALLEST, seconds=4.0),
    "cvxpy, PIQP": Peer(solve=textbook("PIQP"), on=SMALLEST, needs="piqp", seconds=12.0),
    "cvxpy, Clarabel": Peer(solve=textbook("CLARABEL"), on=SMALLEST, seconds=22.0),
    "cvxpy, default solver": Peer(solve=textbook(None), on=SMALLEST, seconds=22.0),
    "cvxpy, HiGHS": Peer(solve=textbook("HIGHS"), on=SMALLEST, seconds=60.0),
    "LIBSVM, C = 1e8, tol = 1e-6": Peer(solve=libsvm, on=SMALLEST, seconds=20.0),
    "HiGHS LP, any hyperplane": Peer(solve=highs_lp, on=SMALLEST, seconds=10.0),
}


def judge(data: Data, answer: Any) -> Facts:
    """Return the exact margin of the hyperplane; of ours the proven interval."""
    if hasattr(answer, "upper"):
        claims = f"{answer.status.value}, proven to {answer.gap / answer.upper:.0e}"
        return {"margin": answer.lower, "upper": answer.upper, "claims": claims, "engine": answer.engine}
    w, claims = answer
    return {"margin": exact_margin(data[0], data[1], w), "claims": claims}


def exact_margin(X: np.ndarray, y: np.ndarray, w: np.ndarray | None) -> float:
    """Return the geometric margin with the best offset, rounded down; 0 if the hyperplane does not separate."""
    from maxmargin.solvers.exact.dyadic import sqrt_down
    from maxmargin.solvers.problem.problem import Problem
    from maxmargin.solvers.proof.margins import best_offset, norm_squared

    if w is None or not (np.isfinite(w).all() and w.any()):
        return 0.0
    least = best_offset(Problem(X, y), w)[1]
    return sqrt_down(least**2 / norm_squared(w)) if least > 0 else 0.0


def accuracy(facts: Facts, ours: Facts) -> float | None:
    return None if "margin" not in facts else (ours["upper"] - facts["margin"]) / ours["upper"]


BENCHMARK = Benchmark(
    file=__file__,
    data={name: partial(make, shape) for name, shape in SHAPES.items()},
    peers=PEERS,
    ours="maxmargin",
    units=("one pass X @ w",),
    judge=judge,
    accuracy=accuracy,
    columns={"extra_mib": "MiB beyond the data", "claims": "claims"},
)
