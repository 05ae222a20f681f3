"""The textbook programs agree with what is proven, and the solvers of cvxpy are asked as their users expect."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from cases import for_each

import maxmargin as mm

VERBS = (mm.hard_margin, mm.soft_margin, mm.nu_margin, mm.separability)
CROSS = [[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], ["no", "no", "yes", "yes"]


@for_each("bias", [True, False])
@for_each("positive", ["setosa", "versicolor"])
def test_the_programs_have_the_proven_optima(positive: str, bias: bool) -> None:
    data, how = mm.load("iris"), {"positive": positive, "bias": bias}
    weights = np.arange(150) % 3
    soft = mm.textbook.soft_margin(data, C=2.0, sample_weight=weights, **how)
    proven = mm.soft_margin(data, C=2.0, sample_weight=weights, **how)
    assert soft.solve(solver="CLARABEL") == pytest.approx(proven.objective, rel=1e-6)
    assert {*soft.var_dict} == {"w", "xi", *["b"] * bias} and soft.var_dict["xi"].shape == (150,)
    is_separable = positive == "setosa"
    hard, feasible = mm.textbook.hard_margin(data, **how), mm.textbook.separability(data, **how)
    optimum = 0.5 / mm.hard_margin(data, **how).margin ** 2 if is_separable else np.inf
    assert hard.solve(solver="DAQP") == pytest.approx(optimum, rel=1e-6)
    assert (feasible.solve(solver="HIGHS") == 0) is is_separable
    assert (mm.textbook.max_t(data, **how).solve(solver="HIGHS") > 1e-6) is is_separable
    with pytest.raises(ValueError, match="positive finite"):
        mm.textbook.soft_margin(data, C=-1.0, **how)


@for_each("verb", VERBS)
def test_a_solver_is_asked_and_its_options_reach_it(verb: Callable[..., Any]) -> None:
    for how in ({}, {"method": "cvxpy"}):
        assert verb(*CROSS, solver="CLARABEL", **how).attempts[0].solver == "CLARABEL"
        stopped = verb(*CROSS, solver="clarabel", solver_options={"max_iter": 1}, **how).attempts[0]
        assert (stopped.solver, stopped.status) == ("CLARABEL", "user_limit")
    for refused in (
        {"solver_options": {"max_itr": 1}},
        {"solver_options": 1},
        {"solver": "NONE", "solver_options": {}},
    ):
        with pytest.raises(ValueError, match=r"max_itr|expected a dict|not installed"):
            verb(*CROSS, **{"solver": "CLARABEL", **refused})
    with pytest.raises(ValueError, match="need solver="):
        verb(*CROSS, solver_options={})


@for_each("verb, able", [*((verb, "CLARABEL") for verb in VERBS[:3]), (mm.fewest_errors, "HIGHS")])
def test_a_solver_that_cannot_take_a_program_is_refused(verb: Callable[..., Any], able: str) -> None:
    with pytest.raises(ValueError, match=f"cannot take this program; .* that can are .*{able}"):
        verb(*CROSS, solver="SCIPY" if able == "CLARABEL" else "DAQP")


@for_each("solver", ["DAQP", "HIGHS"])
@for_each("noise, C", [(45.0, 1.0), (1.0, 100.0)])
def test_active_sets_close_soft_margins(noise: float, C: float, solver: str) -> None:
    """Numbers as in the SVM example of cvxpy, and columns whose sizes differ by 4,000."""
    rng = np.random.default_rng(1)
    X = rng.normal(0, 5, size=(100, 8))
    y = X[:, 0] + rng.normal(0, noise, size=100) > 0
    for scale in (1.0, 2.0 ** np.arange(-6, 10, 2)):
        answer = mm.soft_margin(X * scale, y, C=C, solver=solver)
        assert answer.objective - answer.lower <= 1e-9 * answer.objective
