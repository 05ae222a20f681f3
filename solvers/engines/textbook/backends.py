"""The solvers that cvxpy can call, with their options; no other module names them."""

import sys
import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.option_values import check_choice
from maxmargin.solvers.engines.highs_lp import hide_banner
from maxmargin.solvers.engines.textbook.quick_cvxpy import without_statistics
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.problem.candidate import Candidate, SolverRun, numbers

if TYPE_CHECKING:
    from maxmargin.solvers.engines.textbook.formulations import Program


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

# Name of the option for the time limit, of solvers that do not call it `time_limit`.
_TIME_LIMITS = {"SCS": "time_limit_secs"}

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
        import cvxpy

    return list(cvxpy.installed_solvers())


def chosen(solver: object, order: tuple[str, ...]) -> tuple[str, ...]:
    """Return the solvers to try: the given one, or ``order``.

    Raises
    ------
    InvalidOptionError
        If the given one is not installed.
    """
    if solver is None:
        return order
    if not isinstance(solver, str) or solver.upper() not in installed():
        raise InvalidOptionError(f"solver {solver!r} is not installed; installed are {', '.join(installed())}")
    return (solver.upper(),)


def check_method(method: str, methods: tuple[str, ...], solver: str | None, *, of_cvxpy: tuple[str, ...]) -> None:
    """Raise `InvalidOptionError` for an unknown method, or a solver of cvxpy beside a method that calls none."""
    check_choice("method", method, methods)
    if solver is not None and method not in of_cvxpy:
        raise InvalidOptionError(f"solver is {solver!r}; cvxpy's solvers have no part in method={method!r}")


def solve(program: "Program", solver: str, *, time_limit: float | None = None) -> Candidate:
    """Call one solver with a time limit in seconds; return its result, or its error as a failed candidate."""
    tuned: dict[str, dict[str, Any]] = _MIXED_INTEGER if program.problem.is_mixed_integer() else _OPTIONS
    options = _options(tuned, solver, time_limit)
    if solver == "HIGHS":
        hide_banner()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            program.problem.solve(solver=solver, **options)
        except Exception as error:  # solvers raise anything, and the next one may succeed
            return Candidate.failed(solver, f"cvxpy {solver}", error)
    return Candidate(
        w=_vector(program.w.value, program.w.size),
        multipliers=_vector(program.margins.dual_value, program.margins.size),
        engine=f"cvxpy {solver}",
        attempt=SolverRun(solver=solver, status=str(program.problem.status), message=_native_status(program)),
    )


def seconds_to_load() -> float:
    """Return the seconds that cvxpy takes to be loaded; 0 if it is loaded already."""
    return 0.0 if "cvxpy" in sys.modules else 1.5


def takes_too_long(n_entries: int, time_limit: float | None) -> bool:
    """Return whether a program with this number of entries cannot even be stated in this time, in seconds."""
    return time_limit is not None and n_entries * _SECONDS_AN_ENTRY > time_limit + _OVERTIME


def not_asked(solver: str, what: str) -> Candidate:
    """Return the candidate of a solver that is not called, because this would take too long."""
    attempt = SolverRun(solver=solver, status="user_limit", message=f"{what} takes longer than there is time")
    return Candidate(w=None, multipliers=None, engine=f"cvxpy {solver}", attempt=attempt)


def _options(tuned: dict[str, dict[str, Any]], solver: str, time_limit: float | None) -> dict[str, Any]:
    options = dict(tuned.get(solver, {}))
    if time_limit is not None and (solver in tuned or solver in _TIME_LIMITS):
        name = _TIME_LIMITS.get(solver, "time_limit")
        options[name] = min(time_limit, options.get(name, time_limit))
    return options


def _native_status(program: "Program") -> str:
    native = getattr(program.problem.solver_stats, "extra_stats", None)  # no statistics if the solver failed
    return str(getattr(native, "status", ""))


def _vector(value: Any, size: int) -> Floats | None:
    return None if value is None else numbers(np.atleast_1d(value), size)
