"""The feasibility LP handed to HiGHS directly: no modelling layer, quick to import, a vertex solution."""

import os
import time
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.exact.linear import orthogonal_complement
from maxmargin.solvers.problem.candidate import Candidate, SolverRun, numbers

# A matrix by columns: where each starts (and the last one ends), the rows of the entries, and the entries.
Columns = tuple[NDArray[Any], NDArray[Any], Floats]

NAME = "HiGHS LP"


def solve(X: Any, y: Floats, *, bias: bool, time_limit: float | None = None) -> Candidate:
    """Solve max t subject to y_i (w.x_i + b) - t >= 0, -1 <= w <= 1, t <= 1 by the simplex method.

    The multipliers belong to a vertex: no more than d + 2 of them are positive (through the origin d + 1). The answer
    of HiGHS is returned unchecked.
    """
    values, multipliers, attempt = _run(
        lambda: _greatest_t(X.shape[1], int(bias), _signed_columns(X, y, bias), X.shape[0]), time_limit
    )
    return Candidate(
        w=None if values is None else values[: X.shape[1]],
        multipliers=None if values is None or multipliers is None else np.abs(multipliers),
        engine=NAME,
        attempt=attempt,
    )


def solve_on_face(
    rows: Floats, fixed: Floats, *, time_limit: float | None = None
) -> tuple[Floats | None, Floats | None, SolverRun]:
    """Solve max t subject to rows @ v >= t, fixed @ v == 0, |v| bounded, t <= 1 by the simplex method.

    The equations are eliminated first: v is a combination of an orthonormal basis of their solutions.

    Returns
    -------
    v : ndarray (m,) or None
    multipliers : ndarray (n_rows,) or None
        Of the inequalities, at a vertex.
    attempt : SolverRun
    """
    basis = orthogonal_complement(fixed) if len(fixed) else None
    values, multipliers, attempt = _run(lambda: _strict_model(rows if basis is None else rows @ basis), time_limit)
    if values is not None:
        values = values[:-1] if basis is None else basis @ values[:-1]
    return values, None if multipliers is None else np.abs(multipliers), attempt


def largest_support(rows: Floats, attempts: list[SolverRun], *, time_limit: float | None = None) -> Floats | None:
    """Solve max sum min(a_i, 1) subject to rows' a = 0, a >= 0; return min(a, 1), or None.

    At a solution the shares are 1 on every row that has a positive weight in some such a, and 0 on the others.
    """
    n_rows = len(rows)
    program = equalities(np.vstack([rows, rows]), np.zeros(rows.shape[1]))  # a = the part up to 1 + the excess over it
    program.col_cost_ = np.concatenate([np.full(n_rows, -1.0), np.zeros(n_rows)])
    program.col_upper_ = np.concatenate([np.ones(n_rows), program.col_upper_[n_rows:]])
    found = _values(program, attempts, time_limit)
    return None if found is None else found[:n_rows]


def combination(
    rows: Floats, target: Floats, attempts: list[SolverRun], *, time_limit: float | None = None
) -> Floats | None:
    """Return a vertex of rows' c = target with 0 <= c, or None."""
    return _values(equalities(rows, target), attempts, time_limit)


def greatest_combination(
    rows: Floats, most: Floats, attempts: list[SolverRun], *, time_limit: float | None = None
) -> tuple[Floats, Floats] | None:
    """Solve max sum a_i subject to rows' a = 0, 0 <= a <= most; return a at a vertex and the dual solution v, or None.

    The dual is min sum most_i xi_i subject to rows @ v >= 1 - xi, xi >= 0.
    """
    program = equalities(rows, np.zeros(rows.shape[1]))
    program.col_cost_ = np.full(len(rows), -1.0)
    program.col_upper_ = most
    values, multipliers, attempt = _run(lambda: program, time_limit)
    attempts.append(attempt)
    return None if values is None or multipliers is None else (values, -multipliers)


def least_moduli(products: Floats, moduli: Floats) -> Floats | None:
    """Return c with the least sum of |moduli c| such that products c >= 1 in every row, or None."""
    (n_rows, width), n_moduli = products.shape, len(moduli)
    above = np.block([
        [products, np.zeros((n_rows, n_moduli))],
        [moduli, np.eye(n_moduli)],
        [-moduli, np.eye(n_moduli)],
    ])  # fmt: skip
    greatest = infinity()
    program = model(
        costs=np.concatenate([np.zeros(width), np.ones(n_moduli)]),
        columns=(np.full(width + n_moduli, -greatest), np.full(width + n_moduli, greatest)),
        rows=(np.concatenate([np.ones(n_rows), np.zeros(2 * n_moduli)]), np.full(n_rows + 2 * n_moduli, greatest)),
        matrix=compressed(above.T),
    )
    found = _values(program, [], None)
    return None if found is None else found[:width]


def _values(program: Any, attempts: list[SolverRun], time_limit: float | None) -> Floats | None:
    values, _, attempt = _run(lambda: program, time_limit)
    attempts.append(attempt)
    return values


def equalities(rows: Floats, target: Floats) -> Any:
    """Return the constraints rows' c = target, c >= 0."""
    n_columns = len(rows)
    return model(
        costs=np.zeros(n_columns),
        columns=(np.zeros(n_columns), np.full(n_columns, infinity())),
        rows=(target, target),
        matrix=compressed(rows),
    )


_OPTIONS: dict[str, Any] = {
    "output_flag": False,
    "solver": "simplex",
    "primal_feasibility_tolerance": 1e-10,  # the smallest that HiGHS accepts
    "dual_feasibility_tolerance": 1e-10,
    "threads": 1,
}


def _run(make: Callable[[], Any], time_limit: float | None) -> tuple[Floats | None, Floats | None, SolverRun]:
    """Run HiGHS on a model, whose making counts towards the time; return finite values and multipliers, or None."""
    start = time.monotonic()
    try:
        solver = started(time_limit)
        solver.passModel(make())
        if time_limit is not None:
            solver.setOptionValue("time_limit", max(0.0, time_limit - (time.monotonic() - start)))
        values, multipliers = _solved(solver)
    except Exception as error:  # the binding raises anything, and other solvers may succeed
        return None, None, Candidate.failed("HiGHS", NAME, error).attempt
    attempt = SolverRun(solver="HiGHS", status=solver.modelStatusToString(solver.getModelStatus()))
    return values, multipliers, attempt


def _solved(solver: Any) -> tuple[Floats | None, Floats | None]:
    """Run HiGHS; return the values of the columns and the multipliers of the rows, each None unless valid and finite.

    HiGHS keeps the threads of its first run in a process, which cvxpy or SciPy may have asked for, and fails where
    another number of them is asked for.
    """
    import highspy

    if solver.run() == highspy.HighsStatus.kError:
        solver.setOptionValue("threads", 0)  # as many as there are
        solver.run()
    solution = solver.getSolution()
    values = numbers(solution.col_value, solver.getNumCol()) if solution.value_valid else None
    multipliers = numbers(solution.row_dual, solver.getNumRow()) if solution.dual_valid else None
    return values, multipliers


def infinity() -> float:
    """Return the number that stands for infinity in HiGHS."""
    import highspy

    return float(highspy.kHighsInf)


def vertex(solver: Any) -> tuple[Floats, Floats] | None:
    """Run HiGHS on its model from its present basis; return the values and the multipliers of the rows, or None."""
    try:
        values, multipliers = _solved(solver)
    except Exception:  # the binding raises anything, and the caller has another method
        return None
    return None if values is None or multipliers is None else (values, multipliers)


@cache
def hide_banner() -> None:
    """Make the first solver of this process while nothing can be written to the standard output.

    HiGHS 1.16 writes its banner there when the first solver of a process is made, by this module or by cvxpy, and
    before an option can be set; after it, what a command prints with ``--json`` would not be JSON.
    """
    import highspy

    try:
        output = os.dup(1)
    except OSError:  # there is no standard output
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nothing, 1)
        highspy.Highs()
    finally:
        os.dup2(output, 1)
        os.close(nothing)
        os.close(output)


def started(time_limit: float | None) -> Any:
    """Return HiGHS with the options of this package, without a model."""
    import highspy

    hide_banner()
    solver = highspy.Highs()
    for option, value in _OPTIONS.items():
        solver.setOptionValue(option, value)
    if time_limit is not None:
        solver.setOptionValue("time_limit", time_limit)
    return solver


def model(
    *,
    costs: Floats,
    columns: tuple[Floats, Floats],
    rows: tuple[Floats, Floats],
    matrix: Columns,
    maximise: bool = False,
) -> Any:
    """Return a linear program of HiGHS: costs, the bounds of columns and rows, and the matrix by columns."""
    import highspy

    program = highspy.HighsLp()
    program.num_col_, program.num_row_ = len(costs), len(rows[0])
    program.sense_ = highspy.ObjSense.kMaximize if maximise else highspy.ObjSense.kMinimize
    program.col_cost_ = costs
    program.col_lower_, program.col_upper_ = columns
    program.row_lower_, program.row_upper_ = rows
    entries = program.a_matrix_
    entries.format_ = highspy.MatrixFormat.kColwise
    entries.num_col_, entries.num_row_ = program.num_col_, program.num_row_
    starts, indices, entries.value_ = matrix
    entries.start_, entries.index_ = starts.astype(np.int32), indices.astype(np.int32)
    return program


def _strict_model(rows: Floats) -> Any:
    """Return the LP over the columns (v, t)."""
    n_rows, width = rows.shape
    return _greatest_t(width, 0, compressed(np.hstack([rows, np.full((n_rows, 1), -1.0)]).T), n_rows)


def _greatest_t(n_bounded: int, n_free: int, matrix: Columns, n_rows: int) -> Any:
    """Return max t subject to matrix @ (v, t) >= 0, t <= 1, with the first columns of v between -1 and 1."""
    return model(
        costs=np.append(np.zeros(n_bounded + n_free), 1.0),
        columns=(
            np.concatenate([np.full(n_bounded, -1.0), np.full(n_free + 1, -infinity())]),
            np.concatenate([np.full(n_bounded, 1.0), np.full(n_free, infinity()), [1.0]]),
        ),
        rows=(np.zeros(n_rows), np.full(n_rows, infinity())),
        matrix=matrix,
        maximise=True,
    )


def compressed(table: Floats) -> Columns:
    """Return the rows of a matrix in compressed form: where each starts, the positions in it, and the entries there."""
    rows, indices = np.nonzero(table)
    return np.searchsorted(rows, np.arange(len(table) + 1)), indices, table[rows, indices]


def _signed_columns(X: Any, y: Floats, bias: bool) -> Columns:
    """Return the columns of [y * X, y, -1] in compressed form."""
    signed, beside = X * y[:, None], np.column_stack([*[y] * bias, np.full(len(y), -1.0)])
    if not hasattr(X, "tocsr"):
        return compressed(np.hstack([signed, beside]).T)
    from scipy.sparse import hstack

    columns = hstack([signed, beside], format="csc")
    return columns.indptr, columns.indices, columns.data
