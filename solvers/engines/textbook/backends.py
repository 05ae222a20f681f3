"""The solvers that cvxpy can call, with their options; no other module names them."""

import sys
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

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

# The same for programs with slack, for which DAQP is the slower the less convex it takes them to be.
WITH_SLACK: dict[str, dict[str, Any]] = {"DAQP": {"eps_prox": 1.0, "iter_limit": 100_000}}

# Solvers that find no solution where the columns of a program with slack have units of their own.
IN_ONE_UNIT = ("DAQP",)

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Solver:
    """A solver of cvxpy, or those asked by default if it has no name, with a user's options for it."""

    name: str | None
    options: Mapping[str, Any] = field(default_factory=dict)


# What a user asks for.
Asked: TypeAlias = str | Solver | None


def with_options(solver: str | None, options: object) -> Asked:
    """Return the solver with the options that a user gave for it.

    Raises
    ------
    InvalidOptionError
        If the options have no names.
    """
    if options is None:
        return solver
    if not (isinstance(options, Mapping) and all(isinstance(name, str) for name in options)):
        raise InvalidOptionError(f"solver_options is {options!r}; expected a dict of the solver's own names to values")
    return Solver(name=solver, options=options)


def installed() -> list[str]:
    """Return the names of the solvers cvxpy finds here."""
    with without_statistics():
        import cvxpy

    return list(cvxpy.installed_solvers())


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
        raise InvalidOptionError("solver_options are for a solver of cvxpy; name it by solver, or set method='cvxpy'")
    if name is not None and method not in of_cvxpy:
        raise InvalidOptionError(f"solver is {name!r}; cvxpy's solvers have no part in method={method!r}")
    chosen(solver, ())


def solve(
    program: "Program", solver: Solver, *, time_limit: float | None = None, tuned: Mapping[str, Any] | None = None
) -> Candidate:
    """Call one solver; return its result, or its error as a failed candidate.

    Parameters
    ----------
    program : Program
    solver : Solver
    time_limit : float, optional
        In seconds.
    tuned : mapping, optional
        Options of this solver for programs of this kind, which those of the user replace.

    Raises
    ------
    InvalidOptionError
        If the solver cannot take such a program.
    """
    name, problem = str(solver.name), program.problem
    usual = (_MIXED_INTEGER if problem.is_mixed_integer() else _OPTIONS).get(name, {})
    limit = {} if time_limit is None else _time_option(name, time_limit, usual)
    if name == "HIGHS":
        hide_banner()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            problem.solve(solver=name, **{**usual, **(tuned or {}), **limit, **solver.options})
        except Exception as error:  # solvers raise anything, and the next one may succeed
            _check_takes(problem, name)
            return Candidate.failed(name, f"cvxpy {name}", error)
    return Candidate(
        w=_vector(program.w.value, program.w.size),
        multipliers=_vector(program.margins.dual_value, program.margins.size),
        engine=f"cvxpy {name}",
        attempt=SolverRun(solver=name, status=str(problem.status), message=_native_status(program)),
    )


def _check_takes(problem: Any, name: str) -> None:
    """Raise `InvalidOptionError` if cvxpy finds no way to hand this program to the solver."""
    if not _takes(problem, name):
        able = ", ".join(other for other in installed() if _takes(problem, other))
        raise InvalidOptionError(f"solver {name!r} cannot take this program; installed solvers that can are {able}")


def _takes(problem: Any, name: str) -> bool:
    from cvxpy.error import SolverError

    try:
        problem.get_problem_data(name)
    except SolverError:
        return False
    return True


def seconds_to_load() -> float:
    """Return the seconds that cvxpy takes to be loaded; 0 if it is loaded already."""
    return 0.0 if "cvxpy" in sys.modules else 1.5


def takes_too_long(n_entries: int, time_limit: float | None) -> bool:
    """Return whether a program with this number of entries cannot even be stated in this time, in seconds."""
    return time_limit is not None and n_entries * _SECONDS_AN_ENTRY > time_limit + _OVERTIME


def not_asked(solver: Solver, what: str) -> Candidate:
    """Return the candidate of a solver that is not called, because this would take too long."""
    name = str(solver.name)
    attempt = SolverRun(solver=name, status="user_limit", message=f"{what} takes longer than there is time")
    return Candidate(w=None, multipliers=None, engine=f"cvxpy {name}", attempt=attempt)


def _time_option(solver: str, seconds: float, usual: Mapping[str, Any]) -> dict[str, Any]:
    name = _TIME_LIMITS.get(solver, "time_limit")
    return {name: min(seconds, usual.get(name, seconds))} if usual or solver in _TIME_LIMITS else {}


def _native_status(program: "Program") -> str:
    native = getattr(program.problem.solver_stats, "extra_stats", None)  # no statistics if the solver failed
    return str(getattr(native, "status", ""))


def _vector(value: Any, size: int) -> Floats | None:
    return None if value is None else numbers(np.atleast_1d(value), size)
