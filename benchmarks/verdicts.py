"""What a proven verdict costs, in units of what cannot be avoided.

* One million rows, in passes ``X @ w``: the proof of a given hyperplane and the whole verdict where they are
  separable; the verdict where ten rows overlap, and where all but a hundred lie on the hyperplane.
* digits, every class against the rest, in feasibility LPs of that size by HiGHS, on scaled columns.
* breast_cancer: the verdict and the margin as a fraction, in seconds.

An answer that is not the one by which the data were made counts as a failure.

Examples:
  python benchmarks/run.py verdicts --data '1M*'
  python benchmarks/run.py verdicts --scale 0.1 --repeat 3
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from data import bundled, few_overlapping, planted, quasi_separable
from measuring import Benchmark, Facts, Peer

N_ROWS, N_FEATURES = 1_000_000, 50

# So many that a warm-up takes the way of many rows.
LEAST_ROWS = 20_000

SEPARABLE, OVERLAP, QUASI = "1M x 50, separable", "1M x 50, 10 rows overlap", "1M x 50, quasi, 100 rows apart"
MILLIONS = (SEPARABLE, OVERLAP, QUASI)
CLASSES = tuple(f"digits, {digit} against the rest" for digit in range(10))
CANCER = "breast_cancer"


@dataclass(frozen=True)
class Data:
    X: np.ndarray
    y: np.ndarray
    w: np.ndarray | None = None
    """A separating normal, where one is known."""
    expected: str | None = None
    """The verdict, where the data were made so."""


def rows(scale: float) -> int:
    return max(LEAST_ROWS, round(scale * N_ROWS))


def separable(scale: float) -> Data:
    return Data(*planted(rows(scale), N_FEATURES), expected="separable")


def overlap(scale: float) -> Data:
    return Data(*few_overlapping(rows(scale), N_FEATURES), expected="overlap")


def quasi(scale: float) -> Data:
    return Data(*quasi_separable(rows(scale), N_FEATURES), expected="quasi-separable")


def real(name: str, positive: Any, scale: float) -> Data:
    return Data(*bundled(name, positive))


def one_pass(data: Data, _: Any) -> None:
    data.X @ np.ones(data.X.shape[1])


def verdict(data: Data, _: Any) -> Any:
    """A fresh problem each time: nothing is remembered from the last proof."""
    from maxmargin.solvers.problem.problem import Problem
    from maxmargin.solvers.separability.feasibility import separability

    return separability(Problem(data.X, data.y))


def proof(data: Data, _: Any) -> None:
    from maxmargin.solvers.problem.problem import Problem
    from maxmargin.solvers.proof.margins import prove_separable

    assert prove_separable(Problem(data.X, data.y), data.w) is not None


def lp(data: Data, _: Any) -> None:
    from maxmargin.solvers.engines import highs_lp
    from maxmargin.solvers.problem.problem import Problem

    highs_lp.solve(Problem(data.X, data.y).scaling.apply(data.X), data.y, bias=True)


def fraction(data: Data, _: Any) -> None:
    import maxmargin as mm

    assert mm.hard_margin(data.X, data.y, exact=True).margin_squared is not None


def judge(data: Data, answer: Any) -> Facts:
    verdict = answer.verdict.value
    facts = {"verdict": verdict, "n_separated": len(answer.separated_rows), "engine": answer.engine}
    return facts | {"is_right": data.expected in (None, verdict) and verdict != "undecided"}


def _physical(solve: Callable[[Data, Any], None], *on: str) -> Peer:
    return Peer(solve=solve, on=on, is_judged=False)


BENCHMARK = Benchmark(
    file=__file__,
    data={
        SEPARABLE: separable,
        OVERLAP: overlap,
        QUASI: quasi,
        **{name: partial(real, "digits", digit) for digit, name in enumerate(CLASSES)},
        CANCER: partial(real, "breast_cancer", None),
    },
    peers={
        "one pass X @ w": _physical(one_pass, *MILLIONS),
        "proof of a given hyperplane": _physical(proof, SEPARABLE),
        "HiGHS LP": _physical(lp, *CLASSES),
        "maxmargin": Peer(solve=verdict, seconds={QUASI: 2.0}),
        "maxmargin, margin as a fraction": _physical(fraction, CANCER),
    },
    ours="maxmargin",
    units=("one pass X @ w", "HiGHS LP"),
    judge=judge,
    is_enough=lambda facts: facts["is_right"],
    columns={"verdict": "verdict", "n_separated": "separated rows", "engine": "engine"},
)
