"""The soft margin at C = 1 of overlapping clouds: ours, LIBSVM, LIBLINEAR, skglm, general solvers, and BLAS.

Two Gaussian clouds, 16 % of the rows on the wrong side. Every hyperplane that comes back is judged by the objective
with the bias that suits it best, not penalised, against the proven lower bound. General solvers and LIBSVM run with
ever smaller tolerances until that is within 1e-9. LIBLINEAR and skglm penalise the bias: they do so until their own
objective is within 1e-6 of a proven lower bound of theirs. The time is that of the last run. LIBLINEAR has no primal
solver for the hinge loss; skglm has no intercept and is given a column of ones.

The physical limit is BLAS on one weighted Gram matrix, times the number that our interior point took:
(X * d[:, None]).T @ X, and dsyrk, which computes one triangle of it.

Examples:
  python benchmarks/run.py soft_margin --scale 0.05 --limit 20
  python benchmarks/run.py soft_margin --data '100k*' --peer maxmargin --peer 'weighted*' --fresh
"""

import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from data import overlapping
from goals import GRAM, INTERIOR_POINT, SYRK
from measuring import Benchmark, Facts, Peer

C = 1.0

# Relative gaps to which a peer is brought: in its own objective with a penalised bias; with a free one.
OWN_GAP, FREE_GAP = 1e-6, 1e-9

TOLERANCES = tuple(10.0 ** (-k / 2) for k in range(2, 19))
SMALLER_TOLERANCES = (1e-8, 1e-10, 1e-12)

SHAPES = {"20k x 20": (20_000, 20), "100k x 50": (100_000, 50), "1M x 50": (1_000_000, 50)}
SMALLEST, MIDDLE, LARGEST = SHAPES
SMALLER = (SMALLEST, MIDDLE)

# So many that a warm-up takes the way of many rows.
WARM_ROWS = 10_000


@dataclass(frozen=True)
class Data:
    X: np.ndarray
    y: np.ndarray

    @cached_property
    def lower(self) -> float:
        """The proven lower bound with a free bias."""
        import maxmargin as mm

        return mm.soft_margin(self.X, self.y, C=C).lower

    @cached_property
    def penalised_lower(self) -> float:
        """The proven lower bound with a penalised bias: of a hyperplane through the origin of (x, 1)."""
        import maxmargin as mm

        extended = np.hstack([self.X, np.ones((len(self.X), 1))])
        return mm.soft_margin(extended, self.y, C=C, bias=False).lower


@dataclass(frozen=True, kw_only=True)
class Answer:
    w: np.ndarray | None
    claims: str
    b: float | None = None
    """Where the bias is penalised."""
    is_brought_near: bool = True
    """False for a peer that is to be as near as it is."""


def gram(data: Data, _: Any) -> None:
    (data.X * np.linspace(0.5, 1.0, len(data.X))[:, None]).T @ data.X


def syrk(data: Data, _: Any) -> None:
    from scipy.linalg.blas import dsyrk

    dsyrk(1.0, (data.X * np.linspace(0.5, 1.0, len(data.X))[:, None]).T)


def ours(data: Data, _: Any, *, method: str = "auto") -> Any:
    import maxmargin as mm

    return mm.soft_margin(data.X, data.y, C=C, method=method)


def libsvm(data: Data, tolerance: float, *, is_brought_near: bool = True) -> Answer:
    from sklearn.svm import SVC

    model = SVC(kernel="linear", C=C, tol=tolerance, cache_size=1000).fit(data.X, data.y)
    claims = "no error" if model.fit_status_ == 0 else "iteration limit"
    return Answer(w=model.coef_.ravel(), claims=claims, is_brought_near=is_brought_near)


def liblinear(data: Data, tolerance: float) -> Answer:
    """Call LIBLINEAR's dual coordinate descent for the hinge loss."""
    from sklearn.svm import LinearSVC

    model = LinearSVC(loss="hinge", C=C, tol=tolerance, max_iter=10_000_000, random_state=0).fit(data.X, data.y)
    return Answer(w=model.coef_.ravel(), claims=f"{model.n_iter_} iterations", b=float(model.intercept_[0]))


def skglm(data: Data, tolerance: float) -> Answer:
    """Call skglm, which ignores the intercept, with a column of ones for it."""
    from skglm import LinearSVC

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LinearSVC(C=C, tol=tolerance, max_iter=10_000, fit_intercept=False)
        model.fit(np.asfortranarray(np.hstack([data.X, np.ones((len(data.X), 1))])), data.y)
    v = np.asarray(model.coef_).ravel()
    return Answer(w=v[:-1], claims="no error", b=float(v[-1]))


def textbook(solver: str, *names: str, **others: Any) -> Callable[[Data, float | None], Answer]:
    """Return cvxpy on the program as it stands in textbooks; the options `names` are set to the tolerance."""

    def solve(data: Data, tolerance: float | None) -> Answer:
        from maxmargin.solvers.engines.textbook import formulations

        program = formulations.soft_margin(data.X, data.y, C)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            program.solve(solver=solver, **dict.fromkeys(names, tolerance), **others)
        return Answer(w=program.var_dict["w"].value, claims=str(program.status))

    return solve


PEERS = {
    GRAM: Peer(solve=gram, is_judged=False),
    SYRK: Peer(solve=syrk, is_judged=False),
    "maxmargin": Peer(
        solve=ours,
        seconds={MIDDLE: 1.0, LARGEST: 10.0},
        warm_scale={name: WARM_ROWS / shape[0] for name, shape in SHAPES.items()},
    ),
    INTERIOR_POINT: Peer(solve=partial(ours, method="interior-point"), seconds={MIDDLE: 1.0, LARGEST: 10.0}),
    "LIBLINEAR": Peer(solve=liblinear, on=SMALLER, settings=TOLERANCES, seconds={SMALLEST: 0.3, MIDDLE: 6.0}),
    "skglm": Peer(solve=skglm, on=(SMALLEST,), settings=TOLERANCES[4:], needs="skglm"),
    "cvxpy, Clarabel": Peer(
        solve=textbook("CLARABEL", "tol_gap_abs", "tol_gap_rel", "tol_feas"),
        on=SMALLER,
        settings=SMALLER_TOLERANCES,
        seconds={SMALLEST: 2.0, MIDDLE: 30.0},
    ),
    "cvxpy, PIQP": Peer(
        solve=textbook("PIQP", "eps_abs", "eps_rel"),
        on=SMALLER,
        settings=SMALLER_TOLERANCES,
        needs="piqp",
        seconds={SMALLEST: 2.0, MIDDLE: 30.0},
    ),
    "cvxpy, OSQP": Peer(
        solve=textbook("OSQP", "eps_abs", "eps_rel", max_iter=10_000_000),
        on=SMALLER,
        settings=SMALLER_TOLERANCES,
        seconds={SMALLEST: 60.0, MIDDLE: 300.0},
    ),
    "cvxpy, HiGHS": Peer(solve=textbook("HIGHS"), on=(MIDDLE,), seconds=300.0),
    "LIBSVM, tol = 1e-4": Peer(
        solve=lambda data, _: libsvm(data, 1e-4, is_brought_near=False), on=(SMALLEST,), seconds=10.0
    ),
    "LIBSVM, gap 1e-9": Peer(solve=libsvm, on=SMALLER, settings=(1e-6, 1e-9), seconds={SMALLEST: 15.0, MIDDLE: 300.0}),
}


def judge(data: Data, answer: Any) -> Facts:
    """Return the objective with the best free bias; of ours the proven interval and the number of weighted Grams."""
    if hasattr(answer, "lower"):
        facts = {"objective": answer.objective, "lower": answer.lower, "claims": answer.status.value}
        return facts | {"engine": answer.engine, "n_units": n_grams(answer)}
    if answer.w is None or not np.isfinite(answer.w).all():
        return {"claims": answer.claims, "is_near": not answer.is_brought_near}
    scores = data.X @ answer.w
    reached = objective(answer.w, data.y, scores + best_bias(scores, data.y))
    facts = {"objective": reached, "claims": answer.claims}
    return facts | (_own_gap(data, answer, scores) if answer.b is not None else _free_gap(data, answer, reached))


def _own_gap(data: Data, answer: Answer, scores: np.ndarray) -> Facts:
    assert answer.w is not None and answer.b is not None
    own = objective(np.append(answer.w, answer.b), data.y, scores + answer.b)
    gap = (own - data.penalised_lower) / data.penalised_lower
    return {"own_gap": gap, "is_near": gap <= OWN_GAP}


def _free_gap(data: Data, answer: Answer, reached: float) -> Facts:
    return {"is_near": not answer.is_brought_near or reached - data.lower <= FREE_GAP * data.lower}


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


def accuracy(facts: Facts, ours: Facts) -> float | None:
    return None if "objective" not in facts else (facts["objective"] - ours["lower"]) / ours["lower"]


def make(shape: tuple[int, int], scale: float) -> Data:
    return Data(*overlapping(max(4 * shape[1], round(scale * shape[0])), shape[1]))


BENCHMARK = Benchmark(
    file=__file__,
    data={name: partial(make, shape) for name, shape in SHAPES.items()},
    peers=PEERS,
    ours="maxmargin",
    units=(GRAM, SYRK),
    judge=judge,
    accuracy=accuracy,
    is_enough=lambda facts: facts.get("is_near", True),
    columns={
        "own_gap": "with a penalised bias",
        "n_units": "its weighted Grams",
        f"times_own_units, {GRAM}": "times as many Grams",
        f"times_own_units, {SYRK}": "times as many dsyrk",
        "extra_mib": "MiB beyond the data",
        "claims": "claims",
    },
)
