"""The maximum margin of real data by different means: what each claims, what it reached, how long it took.

Every answer is judged by the exact geometric margin of the hyperplane it returns, against the proven interval.
Times are medians of ``--repeat`` runs in this process, validation included, imports excluded, as ratios to maxmargin's.

Example: python benchmarks/margins.py --repeat 5 -o benchmarks/margins.json
"""

import argparse
import json
import platform
import statistics
import time
import warnings
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path

import cvxpy as cp
import numpy as np
from sklearn.svm import SVC

import maxmargin as mm
from maxmargin.solvers import formulations
from maxmargin.solvers.problem import Problem
from maxmargin.solvers.proof.dyadic import sqrt_down
from maxmargin.solvers.proof.margins import best_offset, norm_squared

Answer = tuple[str, np.ndarray | None]


@dataclass(frozen=True)
class Row:
    data: str
    method: str
    claims: str
    reached: float
    """Exact margin of the hyperplane returned, with its best offset, as a fraction of the proven maximum."""
    times_ours: float


def textbook(solver: str | None) -> Callable[[Problem], Answer]:
    def solve(problem: Problem) -> Answer:
        program = formulations.hard_margin(problem.X, problem.y)
        try:
            program.problem.solve(**({} if solver is None else {"solver": solver}))
        except cp.error.SolverError as error:
            return type(error).__name__, None
        return program.problem.status, program.w.value

    return solve


def libsvm(problem: Problem) -> Answer:
    model = SVC(kernel="linear", C=1e10, max_iter=10_000_000).fit(problem.X, problem.y)
    claims = "no error" if model.fit_status_ == 0 else "iteration limit"
    return f"{claims}, {100 * model.score(problem.X, problem.y):.0f} % right", model.coef_.ravel()


def ours(problem: Problem) -> Answer:
    answer = mm.hard_margin(problem.X, problem.y)
    return f"{answer.status}, proven to {answer.gap / answer.upper:.0e}", answer.w


METHODS: dict[str, Callable[[Problem], Answer]] = {
    "maxmargin": ours,
    "cvxpy, default solver": textbook(None),
    "cvxpy, CLARABEL": textbook("CLARABEL"),
    "cvxpy, OSQP": textbook("OSQP"),
    "cvxpy, DAQP": textbook("DAQP"),
    "LIBSVM, C=1e10": libsvm,
}
DATA = {"breast_cancer": None, "wine": "class_1", "digits": 1}


def timed(method: Callable[[Problem], Answer], problem: Problem, repeat: int) -> tuple[Answer, float]:
    seconds = []
    for _ in range(repeat):
        started = time.perf_counter()
        answer = method(problem)
        seconds.append(time.perf_counter() - started)
    return answer, statistics.median(seconds)


def reached(problem: Problem, w: np.ndarray | None, upper: float) -> float:
    if w is None or not np.isfinite(w).all() or not w.any():
        return 0.0
    least = best_offset(problem, w)[1]
    return sqrt_down(least**2 / norm_squared(w)) / upper if least > 0 else 0.0


def rows_of(name: str, positive: object, repeat: int) -> list[Row]:
    dataset = mm.load(name, positive=positive)
    problem = Problem(dataset.X, dataset.y.astype(float))
    upper = mm.hard_margin(problem.X, problem.y).upper
    title = name if positive is None else f"{name}, {positive} against the rest"
    results = {method: timed(solve, problem, repeat) for method, solve in METHODS.items()}
    unit = results["maxmargin"][1]
    return [
        Row(title, method, claims, reached(problem, w, upper), seconds / unit)
        for method, ((claims, w), seconds) in results.items()
    ]


def markdown(rows: list[Row]) -> str:
    lines = ["| data | method | claims | margin reached | time |", "|---|---|---|---:|---:|"]
    for row in rows:
        share = f"{100 * row.reached:.6g} %" if row.reached else "does not separate"
        lines.append(f"| {row.data} | {row.method} | {row.claims} | {share} | {row.times_ours:.2g} |")
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("-o", "--output", type=Path, help="write the rows as JSON")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    rows = [row for name, positive in DATA.items() for row in rows_of(name, positive, options.repeat)]
    print(markdown(rows))
    if options.output:
        about = {"python": platform.python_version(), "cvxpy": cp.__version__, "maxmargin": mm.__version__}
        options.output.write_text(json.dumps({**about, "rows": [asdict(row) for row in rows]}, indent=1) + "\n")


if __name__ == "__main__":
    main()
