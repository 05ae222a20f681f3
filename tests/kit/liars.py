"""Third-party solvers that lie: what they return is made up."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import cvxpy as cp
import numpy as np
import pytest

# What is said of a vector of this size.
Lie = Callable[[int], Any]


def _never_waits(time_limit: float | None) -> None:
    pass


def make_highs_lie(patch: pytest.MonkeyPatch, lie: Lie, wait: Callable[[float | None], None] = _never_waits) -> None:
    """Let HiGHS make up its solutions."""

    def run(solver: Any) -> None:
        _, time_limit = solver.getOptionValue("time_limit")
        wait(time_limit if time_limit < 1e6 else None)

    def solution(solver: Any) -> SimpleNamespace:
        values, multipliers = lie(solver.getNumCol()), lie(solver.getNumRow())
        return SimpleNamespace(value_valid=True, dual_valid=True, col_value=values, row_dual=multipliers)

    patch.setattr("highspy.Highs.run", run)
    patch.setattr("highspy.Highs.getSolution", solution)


def make_daqp_lie(patch: pytest.MonkeyPatch, lie: Lie) -> None:
    """Let DAQP make up its solutions, and call them optimal."""

    def solve(_: Any, linear: Any, rows: Any, *__: Any, **___: Any) -> tuple[Any, float, int, dict[str, Any]]:
        return lie(len(linear)), 0.0, 1, {"lam": lie(len(rows))}

    patch.setattr("daqp.solve", solve)


def make_cvxpy_lie(patch: pytest.MonkeyPatch, lie: Lie, wait: Callable[[float | None], None] = _never_waits) -> None:
    """Let the solvers of cvxpy make up the values of all variables and multipliers."""

    def solve(problem: cp.Problem, *, solver: str, time_limit: float | None = None, **_: Any) -> None:
        wait(time_limit)
        for constraint in problem.constraints:
            for multipliers in constraint.dual_variables:
                multipliers.save_value(lie(multipliers.size))
        for variable in problem.variables():
            variable.save_value(lie(variable.size))

    patch.setattr(cp.Problem, "solve", solve)


def unreliable(rng: np.random.Generator) -> Lie:
    """Return a lie of numbers of any size, the last of which may be none."""

    def lie(size: int) -> np.ndarray:
        values = rng.normal(size=size) * 10.0 ** rng.integers(-320, 308)
        values[-1] = rng.choice([values[-1], 0.0, np.nan, np.inf])
        return values

    return lie
