"""Epochs of the perceptron, and many orders: real, inseparable or slow data for a fixed number of epochs.

The textbook loop is the one that anybody would write, compiled by Numba: a product with every row, an addition at
every mistake. It runs in plain floating point; `maxmargin` decides every score whose sign rounding could have changed
exactly. All peers present the rows in the order of the file; scikit-learn's bias is learned as everybody's.

Examples:
  python benchmarks/run.py perceptron --data 'digits*'
  python benchmarks/run.py perceptron --scale 0.1 --peer maxmargin
"""

import os
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

import numpy as np
from data import bundled, few_overlapping, planted
from measuring import Benchmark, Facts, Peer

REAL = {
    "iris, versicolor": ("iris", "versicolor", 200_000),
    "iris, virginica": ("iris", "virginica", 200_000),
    "wine, class_1": ("wine", "class_1", 200_000),
    "breast_cancer": ("breast_cancer", None, 50_000),
    "digits, 1": ("digits", 1, 30_000),
    "digits, 8": ("digits", 8, 30_000),
}
LARGE = "1M x 50, 100 epochs"
ORDERS = "20,000 orders of 200 x 10"

OURS, TEXTBOOK, PRODUCT = "maxmargin", "textbook loop, Numba", "X @ w, once an epoch"
ONE_CORE = "maxmargin, on one core"


@dataclass(frozen=True)
class Data:
    X: np.ndarray
    y: np.ndarray
    n_epochs: int = 0
    n_orders: int = 0


def real(name: str, positive: Any, n_epochs: int, scale: float) -> Data:
    X, y = bundled(name, positive)
    return Data(np.ascontiguousarray(X), y, max(1, round(scale * n_epochs)))


def large(scale: float) -> Data:
    """Return planted points, one in a hundred with the other sign."""
    n_samples = max(100, round(scale * 1_000_000))
    return Data(*few_overlapping(n_samples, 50, n_samples // 100), n_epochs=100)


def orders(scale: float) -> Data:
    X, y, _ = planted(200, 10)
    return Data(X, y, n_orders=max(8, round(scale * 20_000)))


def ours(data: Data, _: Any, method: str = "auto") -> int:
    """Return the mistakes of a run, or of all of many orders, each until it has converged."""
    import maxmargin as mm

    if data.n_orders:
        return int(many_orders(data).sum())
    limits: dict[str, Any] = {"max_epochs": data.n_epochs, "max_mistakes": None}
    return mm.perceptron(data.X, data.y, method=method, **limits).n_mistakes


@cache
def _compiled() -> Callable[..., int]:
    from numba import njit

    @njit
    def textbook(X, y, n_epochs):  # type: ignore[no-untyped-def]
        w, b, n_mistakes = np.zeros(X.shape[1]), 0.0, 0
        for _ in range(n_epochs):
            for i in range(X.shape[0]):
                score = b
                for j in range(X.shape[1]):
                    score += w[j] * X[i, j]
                if y[i] * score <= 0:
                    for j in range(X.shape[1]):
                        w[j] += y[i] * X[i, j]
                    b += y[i]
                    n_mistakes += 1
        return n_mistakes

    return textbook  # type: ignore[no-any-return]


def textbook(data: Data, _: Any) -> int:
    return _compiled()(data.X, data.y, data.n_epochs)


def scikit_learn(data: Data, _: Any) -> None:
    from sklearn.linear_model import Perceptron

    Perceptron(max_iter=data.n_epochs, tol=None, shuffle=False).fit(data.X, data.y)


def products(data: Data, _: Any) -> None:
    w = np.ones(data.X.shape[1])
    for _epoch in range(data.n_epochs):
        data.X @ w


def many_orders(data: Data) -> np.ndarray:
    from maxmargin.solvers.perceptron.many_orders import many_orders
    from maxmargin.solvers.problem.problem import Problem

    return many_orders(Problem(data.X, data.y), n_orders=data.n_orders).outcomes.n_mistakes


def on_one_core(data: Data, _: Any) -> int:
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(cores)})
    try:
        return ours(data, _)
    finally:
        os.sched_setaffinity(0, cores)


def judge(data: Data, answer: Any) -> Facts:
    return {} if answer is None else {"n_mistakes": answer}


BENCHMARK = Benchmark(
    file=__file__,
    data={name: partial(real, *arguments) for name, arguments in REAL.items()} | {LARGE: large, ORDERS: orders},
    peers={
        OURS: Peer(solve=ours, seconds=0.3),
        "maxmargin, gram": Peer(solve=partial(ours, method="gram"), on=tuple(REAL), seconds=0.3),
        "maxmargin, weights": Peer(solve=partial(ours, method="weights"), on=(*REAL, LARGE), seconds=0.3),
        TEXTBOOK: Peer(solve=textbook, on=(*REAL, LARGE), seconds=0.3),
        "scikit-learn": Peer(solve=scikit_learn, on=(*REAL, LARGE), needs="sklearn", seconds=1.0),
        PRODUCT: Peer(solve=products, on=(*REAL, LARGE), is_judged=False),
        ONE_CORE: Peer(solve=on_one_core, on=(ORDERS,)),
    },
    ours=OURS,
    units=(PRODUCT,),
    judge=judge,
    preparation=2.0,
    columns={"n_mistakes": "mistakes"},
)
