"""Every engine of every question on every problem with a closed-form answer: what is proven contains the truth."""

from collections.abc import Iterator
from typing import Any

import pytest
from cases import for_each
from proven import encloses, is_proven
from zoo import INSEPARABLE, SEPARABLE, Known

from maxmargin.solvers.answers.statuses import Status
from maxmargin.solvers.engines import soft_working_set
from maxmargin.solvers.engines.textbook import backends
from maxmargin.solvers.hard_margin.hard_engines import METHODS as HARD_METHODS
from maxmargin.solvers.hard_margin.hard_margin import RELATIVE_GAP, hard_margin
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.separability.feasibility import separability
from maxmargin.solvers.soft_margin.nu_margin import nu_margin
from maxmargin.solvers.soft_margin.soft_bracket import RELATIVE_GAP as SOFT_GAP
from maxmargin.solvers.soft_margin.soft_engines import METHODS as SOFT_METHODS
from maxmargin.solvers.soft_margin.soft_engines import NU_METHODS
from maxmargin.solvers.soft_margin.soft_margin import soft_margin

ZOO = SEPARABLE + INSEPARABLE
# Methods and solvers that close the interval on these problems.
ACCURATE = ("auto", "textbook", "daqp", "cvxpy", "DAQP", "CLARABEL")

some_or_all = pytest.mark.parametrize(
    "zoo", [pytest.param(ZOO[::10], id="some"), pytest.param(ZOO, id="all", marks=pytest.mark.slow)]
)


def engines(methods: tuple[str, ...]) -> Iterator[dict[str, Any]]:
    """Yield the options that choose each engine: the methods, and every solver of quadratic programs found here."""
    yield from ({"method": method} for method in methods)
    yield from ({"solver": solver} for solver in backends.installed() if solver != "SCIPY")


def of(known: Known) -> Problem:
    return Problem(known.X, known.y, known.bias)


@some_or_all
def test_verdicts(zoo: tuple[Known, ...]) -> None:
    @for_each("known", zoo)
    @for_each("method, solver", [("highs", None), ("cvxpy", None), ("cvxpy", "clarabel"), ("auto", "HIGHS")])
    def check(known: Known, method: str, solver: str | None) -> None:
        problem, usual = of(known), separability(of(known))
        answer = separability(problem, method=method, solver=solver)
        assert is_proven(problem, answer)
        assert answer.strictly_separable is (known.margin_squared > 0)
        assert answer.verdict is usual.verdict and answer.columns == usual.columns
        assert len(answer.attempts) >= 1

    check()


@some_or_all
def test_maximum_margins(zoo: tuple[Known, ...]) -> None:
    @for_each("known", zoo)
    @for_each("engine", engines(HARD_METHODS))
    def check(known: Known, engine: dict[str, str]) -> None:
        answer = hard_margin(of(known), **engine)
        assert encloses(answer, known.margin_squared)
        if "solver" in engine:
            assert answer.attempts[-1].solver in (engine["solver"], "HiGHS")
        if answer.status is Status.OPTIMAL:
            assert answer.upper - answer.lower <= RELATIVE_GAP * answer.upper
        elif known.margin_squared:
            assert answer.status in (Status.NUMERICAL, Status.LIMIT) and answer.lower > 0
            assert not {*engine.values()} & {*ACCURATE}

    check()


@pytest.mark.slow
@some_or_all
def test_soft_margins(zoo: tuple[Known, ...]) -> None:
    @for_each("known", zoo)
    @for_each("engine", engines(SOFT_METHODS))
    def check(known: Known, engine: dict[str, str]) -> None:
        problem = of(known)
        if engine.get("method") == soft_working_set.NAME and not soft_working_set.fits(problem):
            return
        reference, answer = soft_margin(problem, 2.0), soft_margin(problem, 2.0, **engine)
        assert answer.lower <= reference.objective and reference.lower <= answer.objective
        assert answer.status is not Status.OPTIMAL or answer.objective - answer.lower <= SOFT_GAP * answer.objective

    check()


@some_or_all
def test_margins_by_nu(zoo: tuple[Known, ...]) -> None:
    @for_each("known", zoo)
    @for_each("part", [0.3, 1.0])
    def check(known: Known, part: float) -> None:
        n_positive = int((known.y > 0).sum())
        greatest = 2 * min(n_positive, len(known.y) - n_positive) / len(known.y) if known.bias else 1.0
        answers = [nu_margin(of(known), part * greatest, method=method) for method in NU_METHODS]
        assert max(answer.lower for answer in answers) <= min(answer.objective for answer in answers)

    check()
