"""Every solver that cvxpy can call, on the same textbook programs, with its own default options."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

from maxmargin.comparison.methods import textbook_programs as programs
from maxmargin.comparison.methods.method import Answer, Claim, Method, QuestionKind
from maxmargin.comparison.methods.recorded_warnings import with_warnings
from maxmargin.solvers.engines.textbook.backends import time_option

# Solvers of quadratic programs, directly or as second-order cones, and the modules by which cvxpy finds them.
QUADRATIC = {
    "CLARABEL": "clarabel", "HIGHS": "highspy", "OSQP": "osqp", "SCS": "scs", "DAQP": "daqp", "PIQP": "piqp",
    "ECOS": "ecos", "CVXOPT": "cvxopt", "PROXQP": "proxsuite", "QOCO": "qoco", "QPALM": "qpalm", "GUROBI": "gurobipy",
    "MOSEK": "mosek", "COPT": "coptpy", "XPRESS": "xpress", "CPLEX": "cplex", "SCIP": "pyscipopt", "KNITRO": "knitro",
    "NAG": "naginterfaces", "MPAX": "mpax", "CUOPT": "cuopt", "CUCLARABEL": "cupy", "COSMO": "cosmopy",
    "MOREAU": "moreau",
}  # fmt: skip

# Solvers of linear programs, and not of quadratic ones.
LINEAR = {
    "SCIPY": "scipy", "GLPK": "cvxopt", "GLOP": "ortools", "PDLP": "ortools", "CBC": "cylp", "SDPA": "sdpap",
    "PDCS": "cupy",
}  # fmt: skip

# Distributions whose names differ from those of their modules.
DISTRIBUTIONS = {"gurobipy": "gurobipy", "proxsuite": "proxsuite", "mosek": "Mosek", "sdpap": "sdpa-python"}

# The optimum of the linear program above which its user takes the classes for separable; -1 <= w <= 1 and t <= 1.
LEAST_T = 1e-6

# Distance of the nearest points up to which their user takes the hulls for touching.
NO_DISTANCE = 1e-6

# What the answers to the programs are taken to claim.
_CLAIMS = {
    "cvxpy": "maximum margin if the status is optimal, not separable if it is infeasible, by the solver's tolerances",
    "cvxpy.nearest-points": f"not separable at distances <= {NO_DISTANCE:g}, else maximum margin where it is optimal",
    "cvxpy.soft": "optimal where the status is so",
    "cvxpy.max-t": f"separable where the status is optimal and t > {LEAST_T:g}, else not separable",
}


def methods() -> Iterator[Method]:
    """Yield a method for every solver and program."""
    for solver, module in QUADRATIC.items():
        yield _method("cvxpy", solver, module, hard_margin, programs.hard_margin_qp, QuestionKind.HARD_MARGIN)
        yield _method(
            "cvxpy.nearest-points", solver, module, nearest_points, programs.nearest_points_qp, QuestionKind.HARD_MARGIN
        )
        yield _method("cvxpy.soft", solver, module, soft_margin, programs.soft_margin_qp, QuestionKind.SOFT_MARGIN, "C")
    for solver, module in (QUADRATIC | LINEAR).items():
        yield _method("cvxpy.max-t", solver, module, max_t, programs.max_t_lp, QuestionKind.SEPARATION)


def _method(
    prefix: str, solver: str, module: str, fit: Callable[..., Answer], script: Callable[..., Any],
    question: QuestionKind, *parameters: str,
) -> Method:  # fmt: skip
    what = (script.__doc__ or "").partition("\n")[0].rstrip(".")
    return Method(
        name=f"{prefix}.{solver}",
        fit=partial(fit, solver),
        question=question,
        summary=f"cvxpy, {solver}: {what}",
        claims=_CLAIMS[prefix],
        needs=("cvxpy", module),
        packages=("cvxpy", DISTRIBUTIONS.get(module, module)),
        parameters=frozenset(parameters),
        script=partial(script, solver=solver),
    )


def hard_margin(solver: str, X: Any, y: Any, *, seed: int, time_limit: float | None) -> Answer:
    """Solve the quadratic program of the hard margin; only the status "optimal" claims the maximum margin."""
    solved, ended = _solved(programs.hard_margin_qp, X, y, solver, time_limit)
    answer = _answer(solved, ended, Claim.MAXIMUM_MARGIN)
    return {**answer, "claim": Claim.NOT_SEPARABLE} if solved is not None and solved[2] == "infeasible" else answer


def soft_margin(solver: str, X: Any, y: Any, *, seed: int, time_limit: float | None, C: float = 1.0) -> Answer:
    """Solve the quadratic program of the soft margin."""
    solved, ended = _solved(programs.soft_margin_qp, X, y, solver, time_limit, C=C)
    return {**_answer(solved, ended, Claim.OPTIMAL), "objective": {"C": float(C), "intercept": "free"}}


def max_t(solver: str, X: Any, y: Any, *, seed: int, time_limit: float | None) -> Answer:
    """Solve the linear program; its user compares t with a tolerance, `LEAST_T`."""
    solved, ended = _solved(programs.max_t_lp, X, y, solver, time_limit)
    answer = _answer(solved, ended, None)
    if solved is None or solved[2] != "optimal":
        return answer
    t = float(solved[3])
    claim = Claim.SEPARABLE if t > LEAST_T else Claim.NOT_SEPARABLE
    return {**answer, "claim": claim, "message": f"{ended['message']}, t = {t:.3g}"}


def nearest_points(solver: str, X: Any, y: Any, *, seed: int, time_limit: float | None) -> Answer:
    """Find the nearest points of the hulls; their user takes a distance up to `NO_DISTANCE` for none."""
    solved, ended = _solved(programs.nearest_points_qp, X, y, solver, time_limit)
    answer = _answer(solved, ended, Claim.MAXIMUM_MARGIN)
    if solved is None or solved[3] is None:
        return answer
    message = f"{ended['message']}, distance {solved[3]:.3g}"
    if solved[2] == "optimal" and solved[3] <= NO_DISTANCE:
        return {"w": None, "claim": Claim.NOT_SEPARABLE, "message": message}
    return {**answer, "message": message}


def _solved(
    program: Callable[..., Any], X: Any, y: Any, solver: str, time_limit: float | None, **params: Any
) -> tuple[Any, dict[str, Any]]:
    """Return the answer of a program, None if the solver failed, and how it ended: its message, and whether at a limit.

    Of SCS every status "inaccurate" means that a limit of time or of iterations was reached.
    """
    import cvxpy

    try:
        solved, said = with_warnings(program, X, y, solver=solver, **params, **time_option(solver, time_limit))
    except cvxpy.SolverError as error:
        return None, {"message": f"solver error: {' '.join(str(error).split())}", "capped": False}
    status = str(solved[2])
    is_capped = status == "user_limit" or (solver == "SCS" and status.endswith("_inaccurate"))
    return solved, {"message": "; ".join([status, *said]), "capped": is_capped}


def _answer(solved: Any, ended: dict[str, Any], claim: Claim | None) -> dict[str, Any]:
    """Return the hyperplane, with the claim if the status is "optimal"."""
    w, b, status = (None, None, "") if solved is None else solved[:3]
    if w is None or b is None:
        return {"w": None, "claim": None, **ended}
    return {"w": w, "b": float(b), "claim": claim if status == "optimal" else None, **ended}
