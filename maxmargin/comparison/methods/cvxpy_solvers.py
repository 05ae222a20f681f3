"""Every solver that cvxpy can call, on the same textbook programs, with its own default options."""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from maxmargin.comparison.methods import textbook_programs as programs
from maxmargin.comparison.methods.method import Answer, Claim, Method, Question

QUADRATIC = {
    "CLARABEL": "clarabel", "HIGHS": "highspy", "OSQP": "osqp", "SCS": "scs", "DAQP": "daqp", "PIQP": "piqp",
    "ECOS": "ecos", "CVXOPT": "cvxopt", "PROXQP": "proxsuite", "QOCO": "qoco", "QPALM": "qpalm", "GUROBI": "gurobipy",
    "MOSEK": "mosek", "COPT": "coptpy", "XPRESS": "xpress", "CPLEX": "cplex",
}  # fmt: skip
"""Solvers of quadratic programs, and the modules that they need."""

LINEAR = {"SCIPY": "scipy", "GLPK": "cvxopt", "GLOP": "ortools", "PDLP": "ortools", "SCIP": "pyscipopt"}
"""Solvers of linear programs only."""

DISTRIBUTIONS = {"gurobipy": "gurobipy", "proxsuite": "proxsuite", "mosek": "Mosek"}
"""Distributions whose names differ from those of their modules."""

LEAST_T = 1e-6
"""The optimum of the linear program above which its user takes the classes for separable; -1 <= w <= 1 and t <= 1."""

NO_DISTANCE = 1e-8
"""Distance of the nearest points up to which their user takes the hulls for touching."""


def methods() -> Iterator[Method]:
    """Yield a method for every solver and program."""
    for solver, module in QUADRATIC.items():
        yield _method("cvxpy", solver, module, hard_margin, programs.hard_margin_qp, Question.HARD_MARGIN)
        yield _method(
            "cvxpy.nearest-points", solver, module, nearest_points, programs.nearest_points_qp, Question.HARD_MARGIN
        )
        yield _method("cvxpy.soft", solver, module, soft_margin, programs.soft_margin_qp, Question.SOFT_MARGIN, "C")
    for solver, module in (QUADRATIC | LINEAR).items():
        yield _method("cvxpy.max-t", solver, module, max_t, programs.max_t_lp, Question.SEPARATION)


def _method(
    prefix: str, solver: str, module: str, fit: Callable[..., Answer], script: Callable[..., Any], question: Question,
    *parameters: str,
) -> Method:  # fmt: skip
    what = (script.__doc__ or "").partition("\n")[0].rstrip(".")
    return Method(
        name=f"{prefix}.{solver}",
        fit=partial(fit, solver),
        question=question,
        summary=f"cvxpy, {solver}: {what}",
        needs=("cvxpy", module),
        packages=("cvxpy", DISTRIBUTIONS.get(module, module)),
        parameters=frozenset(parameters),
        script=partial(script, solver=solver),
    )


def hard_margin(solver: str, X: Any, y: Any, *, seed: int, time_limit: float | None) -> Answer:
    """Solve the quadratic program of the hard margin; only the status "optimal" claims the maximum margin."""
    solved, message = _solved(programs.hard_margin_qp, X, y, solver=solver)
    return _answer(solved, message, Claim.MAXIMUM_MARGIN)


def soft_margin(solver: str, X: Any, y: Any, *, seed: int, time_limit: float | None, C: float = 1.0) -> Answer:
    """Solve the quadratic program of the soft margin."""
    solved, message = _solved(programs.soft_margin_qp, X, y, solver=solver, C=C)
    return {**_answer(solved, message, Claim.OPTIMAL), "objective": {"C": float(C), "intercept": "free"}}


def max_t(solver: str, X: Any, y: Any, *, seed: int, time_limit: float | None) -> Answer:
    """Solve the linear program; its user compares t with a tolerance, `LEAST_T`."""
    solved, message = _solved(programs.max_t_lp, X, y, solver=solver)
    answer = _answer(solved, message, None)
    if solved is None or solved[2] != "optimal":
        return answer
    t = float(solved[3])
    claim = Claim.SEPARABLE if t > LEAST_T else Claim.NOT_SEPARABLE
    return {**answer, "claim": claim, "message": f"{message}, t = {t:.3g}"}


def nearest_points(solver: str, X: Any, y: Any, *, seed: int, time_limit: float | None) -> Answer:
    """Find the nearest points of the hulls; their user takes a distance up to `NO_DISTANCE` for none."""
    solved, message = _solved(programs.nearest_points_qp, X, y, solver=solver)
    answer = _answer(solved, message, Claim.MAXIMUM_MARGIN)
    if solved is None or solved[3] is None:
        return answer
    message = f"{message}, distance {solved[3]:.3g}"
    if solved[2] == "optimal" and solved[3] <= NO_DISTANCE:
        return {"w": None, "claim": Claim.NOT_SEPARABLE, "message": message}
    return {**answer, "message": message}


def _solved(program: Callable[..., Any], X: Any, y: Any, **options: Any) -> tuple[Any, str]:
    """Return what a program returns, None if the solver failed, and the status or the error."""
    import cvxpy

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of inaccuracy: the status says so as well
        try:
            solved = program(X, y, **options)
        except cvxpy.SolverError as error:
            return None, f"solver error: {' '.join(str(error).split())}"
    return solved, str(solved[2])


def _answer(solved: Any, message: str, claim: Claim | None) -> dict[str, Any]:
    """Return the hyperplane and what the status claims of it."""
    if solved is None or solved[0] is None:
        is_infeasible = message == "infeasible"
        return {"w": None, "claim": Claim.NOT_SEPARABLE if is_infeasible else None, "message": message}
    w, b, status = solved[:3]
    return {"w": w, "b": float(b), "claim": claim if status == "optimal" else None, "message": message,
            "capped": status == "user_limit"}  # fmt: skip
