"""Soft and hard margins of sparse data, more columns than rows, next to LIBLINEAR brought to the same gap.

20,000 x 100,000 with 100 nonzeros a row, labels of a planted normal of which 5 % are turned over. LIBLINEAR penalises
the bias; it is judged by its own objective, against a proven dual value of that problem, at the largest tolerance with
which it gets as near as 1e-6. Ours is judged by its interval, which must be as narrow, the offset free. LIBLINEAR has
no primal solver for the hinge loss.

The hard margin, and the verdict alone, of separable rows with 20 or 100 positive nonzeros, a fifth of them in one class
by a planted normal, so that the offset matters. LIBLINEAR comes near it with C = 1e6; its planes are judged by their
margin, with the best offset, against the proven upper end. Its offset is penalised less the larger intercept_scaling.

Examples:
  python benchmarks/run.py wide --scale 0.1 --limit 60
  python benchmarks/run.py wide --data '*, C = 1'
  python benchmarks/run.py wide --data 'hard*'
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np
from measuring import Benchmark, Facts, Peer
from scipy.sparse import csr_array, hstack

# Relative, to which all are brought, and of the value by which LIBLINEAR is judged.
GAP, TRUTH_GAP = 1e-6, 1e-9

# So great that a warm-up takes the way of large data.
WARM_SCALE = 0.05

N_ROWS, N_COLUMNS = 20_000, 100_000
TOLERANCES = tuple(10.0 ** (-k / 2) for k in range(2, 21))

# Rows, columns, and nonzeros of a row.
HARD = {
    "hard, 2k x 4k": (2_000, 4_000, 20),
    "hard, 20k x 50k": (20_000, 50_000, 100),
    "hard, 20k x 100k": (20_000, 100_000, 100),
}

# Of LIBLINEAR: the cost of slack, and intercept_scaling; with 1 it stalls where the offset is penalised too much.
HARD_C, HARD_SCALING = 1e6, 10.0


@dataclass(frozen=True)
class Data:
    X: csr_array
    y: np.ndarray
    C: float

    @property
    def costs(self) -> np.ndarray:
        return np.full(len(self.y), self.C)

    @cached_property
    def penalised_lower(self) -> float:
        """A proven lower bound of the objective that penalises the bias: a hyperplane through the origin of (x, 1)."""
        from maxmargin.solvers.engines.dual_coordinate import dual_coordinate
        from maxmargin.solvers.problem.problem import Problem
        from maxmargin.solvers.proof.soft_bounds import dual_lower_bound

        wider = csr_array(hstack([self.X, np.ones((len(self.y), 1))], format="csr"))
        problem = Problem(wider, self.y, False)
        found = dual_coordinate.solve(problem, self.costs, relative_gap=TRUTH_GAP)
        return dual_lower_bound(problem, found.multipliers)


@dataclass(frozen=True)
class Separable:
    X: csr_array
    y: np.ndarray

    @cached_property
    def upper(self) -> float:
        """The proven upper end of the maximum margin."""
        import maxmargin as mm

        return mm.hard_margin(self.X, self.y).upper

    def margin(self, w: np.ndarray) -> float:
        scores = self.X @ w
        return float(scores[self.y > 0].min() - scores[self.y < 0].max()) / 2 / float(np.linalg.norm(w))


@dataclass(frozen=True)
class Plane:
    w: np.ndarray
    claims: str


@dataclass(frozen=True)
class Penalised:
    w: np.ndarray
    b: float
    claims: str

    def objective(self, data: Data) -> float:
        slack = np.maximum(0, 1 - data.y * (data.X @ self.w + self.b)).sum()
        return float(self.w @ self.w + self.b**2) / 2 + data.C * float(slack)


def matrix(columns: np.ndarray, values: np.ndarray, shape: tuple[int, int]) -> csr_array:
    width = len(columns) // shape[0]
    starts = np.arange(0, len(columns) + 1, width, dtype=np.int32)
    X = csr_array((values, columns.astype(np.int32), starts), shape=shape)
    X.sum_duplicates()
    return X


def power_law(rng: np.random.Generator, n_columns: int, size: int, exponent: float) -> np.ndarray:
    weights = 1 / np.arange(1, n_columns + 1) ** exponent
    return rng.choice(n_columns, size=size, p=weights / weights.sum())


def normal(rng: np.random.Generator, n: int, d: int, width: int = 100) -> csr_array:
    return matrix(rng.integers(0, d, width * n), rng.standard_normal(width * n), (n, d))


def tf_idf(rng: np.random.Generator, n: int, d: int) -> csr_array:
    X = matrix(power_law(rng, d, 134 * n, 1.0), np.ones(134 * n), (n, d))
    frequency = np.bincount(X.indices, minlength=d)
    X.data = (1 + np.log(X.data)) * (1 + np.log((1 + n) / (1 + frequency[X.indices])))
    X.data /= np.repeat(np.sqrt((X * X).sum(axis=1)), np.diff(X.indptr))
    return X


def binary(rng: np.random.Generator, n: int, d: int) -> csr_array:
    X = matrix(power_law(rng, d, 104 * n, 0.8), np.ones(104 * n), (n, d))
    X.data[:] = 1.0
    return X


Kind = Callable[[np.random.Generator, int, int], csr_array]


def planted(kind: Kind, C: float, scale: float) -> Data:
    """Labels of a planted normal with its median score as threshold, 5 % of them turned over."""
    rng, n, d = np.random.default_rng(0), max(100, round(scale * N_ROWS)), max(500, round(scale * N_COLUMNS))
    X = kind(rng, n, d)
    scores = X @ rng.standard_normal(d)
    y = np.where(scores > np.median(scores), 1.0, -1.0)
    return Data(X, np.where(rng.random(n) < 0.05, -y, y), C)


def separable(shape: tuple[int, int, int], scale: float) -> Separable:
    """Labels of a planted normal, its greatest fifth of scores on one side."""
    rng, (n, d, width) = np.random.default_rng(0), shape
    X = normal(rng, max(1000, round(scale * n)), max(1200, round(scale * d)), width)
    X.data = np.abs(X.data)
    scores = X @ rng.standard_normal(X.shape[1])
    return Separable(X, np.where(scores > np.quantile(scores, 0.8), 1.0, -1.0))


def ours(data: Data | Separable, _: Any) -> Any:
    import maxmargin as mm

    if isinstance(data, Separable):
        return mm.hard_margin(data.X, data.y)
    return mm.soft_margin(data.X, data.y, C=data.C)


def liblinear(data: Data, tolerance: float) -> Penalised:
    from sklearn.svm import LinearSVC

    model = LinearSVC(loss="hinge", C=data.C, tol=tolerance, max_iter=10_000_000, random_state=0).fit(data.X, data.y)
    return Penalised(model.coef_.ravel(), float(model.intercept_[0]), f"{model.n_iter_} iterations")


def verdict(data: Separable, _: Any) -> Any:
    import maxmargin as mm

    return mm.separability(data.X, data.y)


def liblinear_hard(data: Separable, tolerance: float) -> Plane:
    from sklearn.svm import LinearSVC

    options = {"loss": "hinge", "C": HARD_C, "intercept_scaling": HARD_SCALING}
    model = LinearSVC(**options, tol=tolerance, max_iter=1_000_000, random_state=0).fit(data.X, data.y)
    return Plane(model.coef_.ravel(), f"{model.n_iter_} iterations")


def judge(data: Data | Separable, answer: Any) -> Facts:
    if isinstance(data, Separable):
        return judge_hard(data, answer)
    if isinstance(answer, Penalised):
        return {"gap": 1 - data.penalised_lower / answer.objective(data), "claims": answer.claims}
    return {"gap": 1 - answer.lower / answer.objective, "claims": f"{answer.status.value}, {answer.engine}"}


def judge_hard(data: Separable, answer: Any) -> Facts:
    if isinstance(answer, Plane):
        return {"gap": 1 - data.margin(answer.w) / data.upper, "claims": answer.claims}
    if hasattr(answer, "verdict"):
        return {"claims": f"{answer.verdict.value}, {answer.engine}"}
    return {"gap": 1 - answer.lower / answer.upper, "claims": f"{answer.status.value}, {answer.engine}"}


KINDS: dict[str, Kind] = {"normal": normal, "tf-idf": tf_idf, "binary": binary}
COSTS = {"normal": (1.0,), "tf-idf": (0.01, 1.0, 100.0), "binary": (1.0,)}

SOFT = tuple(f"{name}, C = {C:g}" for name, costs in COSTS.items() for C in costs)

BENCHMARK = Benchmark(
    file=__file__,
    data={
        **{f"{name}, C = {C:g}": partial(planted, KINDS[name], C) for name, costs in COSTS.items() for C in costs},
        **{name: partial(separable, shape) for name, shape in HARD.items()},
    },
    peers={
        "maxmargin": Peer(solve=ours, seconds=0.8, warm_scale=WARM_SCALE),
        "LIBLINEAR": Peer(solve=liblinear, on=SOFT, settings=TOLERANCES, seconds=1.0),
        "maxmargin, verdict": Peer(solve=verdict, on=tuple(HARD), seconds=0.3, warm_scale=WARM_SCALE),
        "LIBLINEAR, C = 1e6": Peer(solve=liblinear_hard, on=tuple(HARD), settings=TOLERANCES, seconds=3.0),
    },
    ours="maxmargin",
    judge=judge,
    accuracy=lambda facts, ours: facts.get("gap"),
    is_enough=lambda facts: facts.get("gap", 0.0) <= GAP,
    preparation=10.0,
    columns={"claims": "claims"},
)
