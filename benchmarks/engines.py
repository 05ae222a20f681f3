"""Real, ill-conditioned data, raw, through every engine: the widths of the proven intervals.

Of the maximum margin every interval must contain the exact value, which rational arithmetic gives; of the soft margin
at C = 1 every interval must meet that of `maxmargin`. An interval that does not counts as a failure.

Examples:
  python benchmarks/run.py engines
  python benchmarks/run.py engines --peer maxmargin --peer '*interior-point'
"""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np
from data import bundled, title
from measuring import Benchmark, Facts, Peer

NAMES = ("breast_cancer", "wine", "digits")
HARD = tuple(f"{title(name)}, hard" for name in NAMES)
SOFT = tuple(f"{title(name)}, soft" for name in NAMES)


@dataclass(frozen=True)
class Data:
    X: np.ndarray
    y: np.ndarray
    is_soft: bool

    @cached_property
    def margin_squared(self) -> Fraction:
        """The exact value."""
        import maxmargin as mm

        found = mm.hard_margin(self.X, self.y, exact=True).margin_squared
        assert found is not None
        return found

    @cached_property
    def soft_interval(self) -> tuple[float, float]:
        import maxmargin as mm

        answer = mm.soft_margin(self.X, self.y, C=1.0)
        return answer.lower, answer.objective


def make(name: str, is_soft: bool, scale: float) -> Data:
    return Data(*bundled(name), is_soft)


def engine(method: str) -> Callable[[Data, Any], Any]:
    def solve(data: Data, _: Any) -> Any:
        from maxmargin.solvers.hard_margin.hard_margin import hard_margin
        from maxmargin.solvers.problem.problem import Problem
        from maxmargin.solvers.soft_margin.soft_margin import soft_margin

        problem = Problem.validated(data.X, data.y)
        return soft_margin(problem, 1.0, method=method) if data.is_soft else hard_margin(problem, method=method)

    return solve


def exact(data: Data, _: Any) -> Any:
    import maxmargin as mm

    return mm.hard_margin(data.X, data.y, exact=True)


def judge(data: Data, answer: Any) -> Facts:
    """Return the ends of the interval, and whether it is right."""
    lower, upper = answer.lower, answer.objective if data.is_soft else answer.upper
    is_right = _meets(data, lower, upper) if data.is_soft else _contains(data, lower, upper)
    facts = {"lower": lower, "upper": upper, "engine": answer.engine, "claims": answer.status.value}
    return facts | {"is_right": "yes" if is_right else "**no**"}


def _contains(data: Data, lower: float, upper: float) -> bool:
    return Fraction(lower) ** 2 <= data.margin_squared <= Fraction(upper) ** 2


def _meets(data: Data, lower: float, upper: float) -> bool:
    return lower <= data.soft_interval[1] and data.soft_interval[0] <= upper


def accuracy(facts: Facts, _ours: Facts) -> float | None:
    """Return the relative width."""
    return (facts["upper"] - facts["lower"]) / facts["upper"] if "upper" in facts else None


BENCHMARK = Benchmark(
    file=__file__,
    data={
        **{data: partial(make, name, False) for data, name in zip(HARD, NAMES, strict=True)},
        **{data: partial(make, name, True) for data, name in zip(SOFT, NAMES, strict=True)},
    },
    peers={
        "maxmargin": Peer(solve=engine("auto")),
        "maxmargin, textbook": Peer(solve=engine("textbook")),
        "maxmargin, daqp": Peer(solve=engine("daqp"), on=HARD),
        "maxmargin, working-set": Peer(solve=engine("working-set")),
        "maxmargin, cvxpy": Peer(solve=engine("cvxpy")),
        "maxmargin, exact": Peer(solve=exact, on=HARD, seconds=1.0),
        "maxmargin, interior-point": Peer(solve=engine("interior-point"), on=SOFT),
        "maxmargin, dual-coordinate": Peer(solve=engine("dual-coordinate"), on=SOFT, seconds=1.0),
    },
    ours="maxmargin",
    judge=judge,
    accuracy=accuracy,
    is_enough=lambda facts: facts["is_right"] == "yes",
    preparation=2.0,
    columns={"is_right": "contains the exact value, or meets ours", "claims": "claims", "engine": "engine"},
)
