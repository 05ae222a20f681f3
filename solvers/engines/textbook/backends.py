"""The solvers that cvxpy can call, with their options; no other module names them."""

import warnings
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.option_values import check_choice
from maxmargin.solvers.engines.highs_lp import hide_banner
from maxmargin.solvers.engines.textbook.quick_cvxpy import without_statistics
from maxmargin.solvers.errors import InvalidOptionError, option
from maxmargin.solvers.problem.candidate import Asked, Candidate, Solver, SolverRun, numbers

if TYPE_CHECKING:
    import cvxpy


# Options that make each solver as accurate as it can be.
_OPTIONS: dict[str, dict[str, Any]] = {
    "DAQP": {"primal_tol": 1e-9, "dual_tol": 1e-12},
    "HIGHS": {
        "primal_feasibility_tolerance": 1e-10,
        "dual_feasibility_tolerance": 1e-10,
        "time_limit": 10.0,  # its QP method can cycle for hours; where it succeeds it is quick
    },
    "CLARABEL": {"tol_gap_abs": 1e-12, "tol_gap_rel": 1e-12, "tol_feas": 1e-12},
    "OSQP": {"eps_abs": 1e-9, "eps_rel": 1e-9, "max_iter": 10_000},
}

# The same for programs with slack, of solvers that are given these with one unit for all columns.
#
# DAQP adds a term to an objective that is not strictly convex: the smaller it is, the slower, and in units of their own
# columns lose their digits.
WITH_SLACK: dict[str, dict[str, Any]] = {"DAQP": {"eps_prox": 1.0, "iter_limit": 100_000}, "HIGHS": {}}

# The option for the time limit in seconds, of the solvers that have one; after a dot its name in a dict of options.
TIME_LIMITS = {
    **dict.fromkeys(("CLARABEL", "CUOPT", "HIGHS", "OSQP", "QPALM"), "time_limit"),
    **dict.fromkeys(("COPT", "GUROBI"), "TimeLimit"),
    **dict.fromkeys(("GLOP", "PDLP"), "time_limit_sec"),
    "CPLEX": "cplex_params.timelimit",
    "KNITRO": "maxtime_real",
    "MOSEK": "mosek_params.MSK_DPAR_OPTIMIZER_MAX_TIME",
    "SCIP": "scip_params.limits/time",
    "SCIPY": "scipy_options.time_limit",
    "SCS": "time_limit_secs",
    "XPRESS": "maxtime",
}

# Options for programs with whole numbers.
_MIXED_INTEGER = {
    "HIGHS": {
        # Its feasibility jump crashes the process on variables without bounds (ERGO-Code/HiGHS#3262, version 1.15.1).
        "mip_heuristic_run_feasibility_jump": False,
        "time_limit": 60.0,
    }
}

# Small dense quadratic programs: DAQP is exact to rounding where it succeeds.
#
# HiGHS is asked by name only: its method for quadratic programs can end the process (ERGO-Code/HiGHS#1875, seen in
# 1.15.1).
HARD_MARGIN_ORDER = ("DAQP", "CLARABEL")

# With a slack for every row, also in the nu-SVM, programs are large and sparse: interior points, then operator
# splitting.
SOFT_MARGIN_ORDER = ("CLARABEL", "OSQP")

# Second-order cones.
TIGHTEST_BOUND_ORDER = ("CLARABEL",)

FEASIBILITY_ORDER = ("HIGHS", "CLARABEL")

# HiGHS is the only solver that comes with cvxpy and solves mixed-integer programs.
FEWEST_ERRORS_ORDER = ("HIGHS",)

# Seconds that cvxpy takes to state a program, per entry of X, and seconds by which it may exceed the time limit.
_SECONDS_AN_ENTRY, _OVERTIME = 1e-6, 1.0


def installed() -> list[str]:
    """Return the names of the solvers cvxpy finds here."""
    with without_statistics():
        from cvxpy import installed_solvers

    return list(installed_solvers())


def chosen(solver: Asked, order: tuple[str, ...]) -> tuple[Solver, ...]:
    """Return the solvers to try: the given one, or ``order``.

    Raises
    ------
    InvalidOptionError
        If the given one is not installed.
    """
    asked = solver if isinstance(solver, Solver) else Solver(name=solver)
    if asked.name is None:
        return tuple(replace(asked, name=name) for name in order)
    if str(asked.name).upper() not in installed():
        raise InvalidOptionError(f"solver {asked.name!r} is not installed; installed are {', '.join(installed())}")
    return (replace(asked, name=asked.name.upper()),)


def check_method(method: str, methods: tuple[str, ...], solver: Asked, *, of_cvxpy: tuple[str, ...]) -> None:
    """Raise `InvalidOptionError` for an unknown method or solver, or one of cvxpy beside a method that calls none."""
    check_choice("method", method, methods)
    name = solver.name if isinstance(solver, Solver) else solver
    if name is None and solver is not None and method != "cvxpy":
        raise InvalidOptionError(f"options of a solver need {option('solver')}, or {option('method', 'cvxpy')}")
    if name is not None and method not in of_cvxpy:
        raise InvalidOptionError(f"solver is {name!r}; cvxpy's solvers have no part in method={method!r}")
    chosen(solver, ())


def solve(
    problem: "cvxpy.Problem",
    solver: Solver,
    *,
    time_limit: float | None = None,
    tuned: Mapping[str, Any] | None = None,
    normal: "cvxpy.Expression | None" = None,
) -> Candidate:
    """Call one solver; return its result, or its error as a failed candidate.

    Parameters
    ----------
    problem : cvxpy.Problem
        Its first constraint has a multiplier for each row.
    solver : Solver
    time_limit : float, optional
        In seconds.
    tuned : mapping, optional
        Options of this solver for programs of this kind, which those of the user replace.
    normal : cvxpy.Expression, optional
        The normal of the hyperplane; by default the variable "w".

    Raises
    ------
    InvalidOptionError
        If the solver cannot take such a program, or the options.
    """
    name = str(solver.name)
    usual = (_MIXED_INTEGER if problem.is_mixed_integer() else _OPTIONS).get(name, {})
    limit = {} if time_limit is None else time_option(name, min(time_limit, usual.get("time_limit", time_limit)))
    if name == "HIGHS":
        hide_banner()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            problem.solve(solver=name, **{**usual, **(tuned or {}), **limit, **solver.options})
        except Exception as error:  # solvers raise anything, and the next one may succeed
            _check_use(problem, solver, error)
            return Candidate.failed(name, f"cvxpy {name}", error)
    w, margins = problem.var_dict["w"] if normal is None else normal, problem.constraints[0]
    return Candidate(
        w=_vector(w.value, w.size),
        multipliers=_vector(margins.dual_value, margins.size),
        engine=f"cvxpy {name}",
        attempt=SolverRun(solver=name, status=str(problem.status), message=_native_status(problem)),
    )


def _check_use(problem: "cvxpy.Problem", solver: Solver, error: Exception) -> None:
    """Raise `InvalidOptionError` if cvxpy cannot hand this program, or the options of a user, to the solver."""
    name = str(solver.name)
    if not _takes(problem, name):
        able = ", ".join(other for other in installed() if _takes(problem, other))
        raise InvalidOptionError(f"solver {name!r} cannot take this program; installed solvers that can are {able}")
    if solver.options and isinstance(error, TypeError | AttributeError | KeyError | ValueError):
        raise InvalidOptionError(f"solver {name!r} refuses its options {dict(solver.options)!r}: {error}") from error


def _takes(problem: "cvxpy.Problem", name: str) -> bool:
    from cvxpy.error import SolverError

    try:
        problem.get_problem_data(name)
    except SolverError:
        return False
    return True


def takes_too_long(n_entries: int, time_limit: float | None) -> bool:
    """Return whether a program with this number of entries cannot even be stated in this time, in seconds."""
    return time_limit is not None and n_entries * _SECONDS_AN_ENTRY > time_limit + _OVERTIME


def not_asked(solver: Solver) -> Candidate:
    """Return the candidate of a solver that is not called, because it takes too long to state the program."""
    message = "stating the program takes longer than there is time"
    attempt = SolverRun(solver=str(solver.name), status="user_limit", message=message)
    return Candidate(w=None, multipliers=None, engine=f"cvxpy {solver.name}", attempt=attempt)


def time_option(solver: str, time_limit: float | None) -> dict[str, Any]:
    """Return the option that sets the time limit of a solver, if it has one.

    Examples
    --------
    >>> time_option("CLARABEL", 2.0), time_option("SCIPY", 2.0), time_option("DAQP", 2.0)
    ({'time_limit': 2.0}, {'scipy_options': {'time_limit': 2.0}}, {})
    """
    if time_limit is None or solver not in TIME_LIMITS:
        return {}
    group, _, name = TIME_LIMITS[solver].rpartition(".")
    return {group: {name: time_limit}} if group else {name: time_limit}


def _native_status(problem: "cvxpy.Problem") -> str:
    native = getattr(problem.solver_stats, "extra_stats", None)  # no statistics if the solver failed
    return str(getattr(native, "status", ""))


def _vector(value: Any, size: int) -> Floats | None:
    return None if value is None else numbers(np.atleast_1d(value), size)
