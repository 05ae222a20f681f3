"""The soft margin at C = 1 of overlapping clouds: ours, LIBSVM, LIBLINEAR, skglm, general solvers, and BLAS.

Two Gaussian clouds, 16 % of the rows on the wrong side. Every hyperplane that comes back is judged by the objective
with the bias that suits it best, not penalised, against the proven lower bound. LIBLINEAR and skglm penalise the bias:
they are also judged by their own objective (against our lower bound for theirs), and run with ever smaller tolerances
until that is within 1e-6; their time is that of the last run.

Example: python benchmarks/soft_margin.py --scale 0.01 --repeat 3
"""

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from data import overlapping
from harness import Benchmark, Facts, Peer, main

C = 1.0

ENOUGH = 1e-6
"""Relative gap in its own objective to which a peer with a penalised bias is brought."""

TOLERANCES = tuple(10.0 ** (-k / 2) for k in range(2, 19))

Data = tuple[np.ndarray, np.ndarray]

SHAPES = {"20k x 20": (20_000, 20), "100k x 50": (100_000, 50), "1M x 50": (1_000_000, 50)}
SMALLER = ("20k x 20", "100k x 50")


@dataclass(frozen=True)
class Answer:
    w: np.ndarray | None
    claims: str
    bias_column: float | None = None
    """Where the bias is penalised: the constant that multiplies it in the scores."""
    bias_weight: float = 0.0
    """What belongs to that column."""


def gram(data: Data, _: Any) -> None:
    """Multiply the rows by weights and take one product of the result with itself, as BLAS does it."""
    X, _y = data
    weighted = X * np.linspace(0.5, 1.0, len(X))[:, None]
    weighted.T @ weighted


def ours(data: Data, _: Any) -> Any:
    import maxmargin as mm

    return mm.soft_margin(data[0], data[1], C=C)


def libsvm(tolerance: float) -> Callable[[Data, Any], Answer]:
    def solve(data: Data, _: Any) -> Answer:
        from sklearn.svm import SVC

        model = SVC(kernel="linear", C=C, tol=tolerance, cache_size=1000).fit(data[0], data[1])
        return Answer(model.coef_.ravel(), "no error" if model.fit_status_ == 0 else "iteration limit")

    return solve


def liblinear(intercept_scaling: float) -> Callable[[Data, float], Answer]:
    """Return LIBLINEAR's dual coordinate descent for the hinge loss, with `intercept_scaling` as a further column."""

    def solve(data: Data, tolerance: float) -> Answer:
        from sklearn.svm import LinearSVC

        model = LinearSVC(
            loss="hinge", C=C, tol=tolerance, intercept_scaling=intercept_scaling, max_iter=10_000_000, random_state=0
        ).fit(data[0], data[1])
        return Answer(
            model.coef_.ravel(),
            f"{model.n_iter_} iterations",
            bias_column=intercept_scaling,
            bias_weight=float(model.intercept_[0]) / intercept_scaling,
        )

    return solve


def skglm(data: Data, tolerance: float) -> Answer:
    """Call skglm, which ignores the intercept, with a column of ones for it."""
    from skglm import LinearSVC

    X, y = data
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LinearSVC(C=C, tol=tolerance, max_iter=10_000, fit_intercept=False)
        model.fit(np.asfortranarray(np.hstack([X, np.ones((len(X), 1))])), y)
    v = np.asarray(model.coef_).ravel()
    return Answer(v[:-1], "no error", bias_column=1.0, bias_weight=float(v[-1]))


def textbook(solver: str) -> Callable[[Data, Any], Answer]:
    """Return cvxpy on the program as it stands in textbooks, with the solver's default options."""

    def solve(data: Data, _: Any) -> Answer:
        from maxmargin.solvers import formulations

        program = formulations.soft_margin(data[0], data[1], C)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program.problem.solve(solver=solver)
        return Answer(program.w.value, str(program.problem.status))

    return solve


PEERS = {
    "one weighted Gram": Peer(solve=gram, is_judged=False),
    "maxmargin": Peer(solve=ours),
    "LIBLINEAR": Peer(solve=liblinear(1.0), settings=TOLERANCES),
    "LIBLINEAR, intercept_scaling 10": Peer(solve=liblinear(10.0), on=SMALLER, settings=TOLERANCES),
    "LIBLINEAR, intercept_scaling 100": Peer(solve=liblinear(100.0), on=SMALLER, settings=TOLERANCES),
    "skglm": Peer(solve=skglm, on=SMALLER, settings=TOLERANCES[4:], needs="skglm"),
    "cvxpy, Clarabel": Peer(solve=textbook("CLARABEL")),
    "cvxpy, PIQP": Peer(solve=textbook("PIQP"), on=SMALLER, needs="piqp"),
    "cvxpy, OSQP": Peer(solve=textbook("OSQP"), on=SMALLER),
    "LIBSVM, tol = 1e-4": Peer(solve=libsvm(1e-4)),
    "LIBSVM, tol = 1e-9": Peer(solve=libsvm(1e-9), on=SMALLER),
}


def judge(data: Data, answer: Any) -> Facts:
    """Return the objective with the best free bias; of ours the proven interval and the number of weighted Grams."""
    X, y = data
    if hasattr(answer, "lower"):
        claims = f"{answer.status.value}, proven to {answer.gap / answer.objective:.0e}"
        facts = {"objective": answer.objective, "lower": answer.lower, "claims": claims, "engine": answer.engine}
        return facts | {"n_units": n_grams(answer)}
    if answer.w is None or not np.isfinite(answer.w).all():
        return {"claims": answer.claims}
    scores = X @ answer.w
    facts = {"objective": objective(answer.w, y, scores + best_bias(scores, y)), "claims": answer.claims}
    return facts if answer.bias_column is None else facts | {"own_gap": own_gap(data, answer, scores)}


def n_grams(answer: Any) -> int | None:
    """Return the number of iterations of the structured interior point, each of which takes one weighted Gram."""
    found = [re.search(r"(\d+) iterations", attempt.message) for attempt in answer.attempts]
    return next((int(match[1]) for match in found if match), None)


def objective(w: np.ndarray, y: np.ndarray, scores: np.ndarray) -> float:
    """Return 1/2 ||w||^2 + C sum max(0, 1 - y score)."""
    return float(w @ w / 2 + C * np.maximum(0.0, 1.0 - y * scores).sum())


def best_bias(scores: np.ndarray, y: np.ndarray) -> float:
    """Return the b that minimises sum max(0, 1 - y (score + b)).

    Its slope is -n_positive far to the left and grows by 1 at every y - score.
    """
    n_positive = int((y > 0).sum())
    return float(np.partition(y - scores, n_positive - 1)[n_positive - 1])


def own_gap(data: Data, answer: Answer, scores: np.ndarray) -> float:
    """Return the relative gap in the objective that penalises the bias: a hyperplane through the origin of X | s."""
    import maxmargin as mm

    X, y = data
    extended = np.hstack([X, np.full((len(X), 1), answer.bias_column)])
    lower = mm.soft_margin(extended, y, C=C, bias=False).lower
    reached = objective(
        np.append(answer.w, answer.bias_weight), y, scores + (answer.bias_column or 0.0) * answer.bias_weight
    )
    return (reached - lower) / lower


def is_enough(facts: Facts) -> bool:
    return facts.get("own_gap", 0.0) <= ENOUGH


def accuracy(facts: Facts, ours: Facts) -> float | None:
    return None if "objective" not in facts else (facts["objective"] - ours["lower"]) / ours["lower"]


def make(shape: tuple[int, int], scale: float) -> Data:
    return overlapping(max(4 * shape[1], round(scale * shape[0])), shape[1])


BENCHMARK = Benchmark(
    file=__file__,
    data={name: partial(make, shape) for name, shape in SHAPES.items()},
    peers=PEERS,
    ours="maxmargin",
    units=("one weighted Gram",),
    judge=judge,
    accuracy=accuracy,
    is_enough=is_enough,
    columns={
        "own_gap": "with a penalised bias",
        "n_units": "its weighted Grams",
        "times_own_units": "times its Grams",
        "extra_mib": "MiB beyond the data",
        "claims": "claims",
    },
)

if __name__ == "__main__":
    main(BENCHMARK)
