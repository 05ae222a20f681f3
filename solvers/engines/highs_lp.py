"""The feasibility LP handed to HiGHS directly: no modelling layer, quick to import, a vertex solution."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.exact.circuits import orthogonal_complement
from maxmargin.solvers.problem.candidate import Attempt, Candidate

Floats = NDArray[np.float64]

NAME = "HiGHS LP"

_TOLERANCE = 1e-10  # the least that HiGHS accepts


def solve(X: Any, y: Floats, *, bias: bool, time_limit: float | None = None) -> Candidate:
    """Solve max t subject to y_i (w.x_i + b) - t >= 0, -1 <= w <= 1, t <= 1 by the simplex method.

    The multipliers belong to a vertex: at most d + 2 of them are positive (through the origin d + 1). Whatever
    happens, the answer is what HiGHS said.
    """
    try:
        solver = _run(X, y, bias, time_limit)
    except Exception as error:  # the binding raises anything, and other solvers may succeed
        return Candidate.failed("HiGHS", NAME, error)
    solution = solver.getSolution()
    status = solver.modelStatusToString(solver.getModelStatus())
    attempt = Attempt(solver="HiGHS", status=status)
    values = np.asarray(solution.col_value, dtype=np.float64)
    multipliers = np.asarray(solution.row_dual, dtype=np.float64)
    if not (solution.value_valid and np.isfinite(values).all()):
        return Candidate(w=None, multipliers=None, engine=NAME, attempt=attempt)
    return Candidate(
        w=values[: X.shape[1]],
        multipliers=np.abs(multipliers) if solution.dual_valid and np.isfinite(multipliers).all() else None,
        engine=NAME,
        attempt=attempt,
    )


def solve_on_face(
    rows: Floats, fixed: Floats, *, time_limit: float | None = None
) -> tuple[Floats | None, Floats | None, Attempt]:
    """Solve max t subject to rows @ v >= t, fixed @ v == 0, |v| bounded, t <= 1 by the simplex method.

    The fixed rows are taken out first: v is a combination of an orthonormal basis of what they leave.

    Returns
    -------
    v : ndarray (m,) or None
    multipliers : ndarray (n_rows,) or None
        Of the inequalities, at a vertex.
    attempt : Attempt
    """
    basis = orthogonal_complement(fixed) if len(fixed) else None
    try:
        solver = _loaded(lambda: _strict_model(rows if basis is None else rows @ basis), time_limit)
        solver.run()
    except Exception as error:  # the binding raises anything, and the rational simplex follows
        return None, None, Candidate.failed("HiGHS", NAME, error).attempt
    solution = solver.getSolution()
    attempt = Attempt(solver="HiGHS", status=solver.modelStatusToString(solver.getModelStatus()))
    values = np.asarray(solution.col_value, dtype=np.float64)[:-1]
    multipliers = np.abs(np.asarray(solution.row_dual, dtype=np.float64))
    has_values = solution.value_valid and np.isfinite(values).all()
    has_multipliers = solution.dual_valid and np.isfinite(multipliers).all()
    if basis is not None and has_values:
        values = basis @ values
    return values if has_values else None, multipliers if has_multipliers else None, attempt


def largest_support(rows: Floats, attempts: list[Attempt], *, time_limit: float | None = None) -> Floats | None:
    """Solve max sum min(a_i, 1) subject to rows' a = 0, a >= 0; return min(a, 1), or None.

    At a solution the shares are 1 on every row that has a positive weight in some such a, and 0 on the others.
    """
    n_rows = len(rows)
    model = equalities(np.vstack([rows, rows]), np.zeros(rows.shape[1]))  # a = the part up to 1 + what exceeds it
    model.col_cost_ = np.concatenate([np.full(n_rows, -1.0), np.zeros(n_rows)])
    model.col_upper_ = np.concatenate([np.ones(n_rows), model.col_upper_[n_rows:]])
    found = _values(model, attempts, time_limit)
    return None if found is None else found[:n_rows]


def combination(
    rows: Floats,
    target: Floats,
    attempts: list[Attempt],
    *,
    most: Floats | None = None,
    time_limit: float | None = None,
) -> Floats | None:
    """Return a vertex of rows' c = target with 0 <= c, and c <= most if that is given; or None."""
    model = equalities(rows, target)
    if most is not None:
        model.col_upper_ = most
    return _values(model, attempts, time_limit)


def greatest_combination(
    rows: Floats, most: Floats, attempts: list[Attempt], *, time_limit: float | None = None
) -> tuple[Floats, Floats] | None:
    """Solve max sum a_i subject to rows' a = 0, 0 <= a <= most; return a at a vertex and the dual solution v, or None.

    The dual is min sum most_i xi_i subject to rows @ v >= 1 - xi, xi >= 0.
    """
    model = equalities(rows, np.zeros(rows.shape[1]))
    model.col_cost_ = np.full(len(rows), -1.0)
    model.col_upper_ = most
    solver = started(time_limit)
    solver.passModel(model)
    found = vertex(solver)
    attempts.append(Attempt(solver="HiGHS", status=solver.modelStatusToString(solver.getModelStatus())))
    return None if found is None else (found[0], -found[1])


def _values(model: Any, attempts: list[Attempt], time_limit: float | None) -> Floats | None:
    try:
        solver = started(time_limit)
        solver.passModel(model)
        solver.run()
    except Exception as error:  # the binding raises anything, and another way follows
        attempts.append(Candidate.failed("HiGHS", NAME, error).attempt)
        return None
    attempts.append(Attempt(solver="HiGHS", status=solver.modelStatusToString(solver.getModelStatus())))
    values = np.asarray(solver.getSolution().col_value, dtype=np.float64)
    return values if solver.getSolution().value_valid and np.isfinite(values).all() else None


def equalities(rows: Floats, target: Floats) -> Any:
    """Return the constraints rows' c = target, c >= 0."""
    import highspy

    n_columns, n_equations = rows.shape
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = n_columns, n_equations
    model.col_cost_ = np.zeros(n_columns)
    model.col_lower_ = np.zeros(n_columns)
    model.col_upper_ = np.full(n_columns, highspy.kHighsInf)
    model.row_lower_ = model.row_upper_ = target
    places, entries = np.nonzero(rows)
    matrix = model.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kColwise
    matrix.num_col_, matrix.num_row_ = n_columns, n_equations
    matrix.start_ = np.searchsorted(places, np.arange(n_columns + 1)).astype(np.int32)
    matrix.index_ = entries.astype(np.int32)
    matrix.value_ = rows[places, entries]
    return model


_OPTIONS: dict[str, Any] = {
    "output_flag": False,
    "solver": "simplex",
    "primal_feasibility_tolerance": _TOLERANCE,
    "dual_feasibility_tolerance": _TOLERANCE,
    "threads": 1,
}


def _run(X: Any, y: Floats, bias: bool, time_limit: float | None) -> Any:
    import highspy

    solver = _loaded(lambda: _model(highspy, X, y, bias), time_limit)
    solver.run()
    return solver


def _loaded(make: Callable[[], Any], time_limit: float | None) -> Any:
    """Return HiGHS with a model; making it counts as time."""
    start = time.monotonic()
    solver = started(time_limit)
    solver.passModel(make())
    if time_limit is not None:
        solver.setOptionValue("time_limit", max(0.0, time_limit - (time.monotonic() - start)))
    return solver


def infinity() -> float:
    """Return what HiGHS takes for infinity."""
    import highspy

    return float(highspy.kHighsInf)


def vertex(solver: Any) -> tuple[Floats, Floats] | None:
    """Run HiGHS on its model from where it stands; return the values and the multipliers of the rows, or None."""
    try:
        solver.run()
    except Exception:  # the binding raises anything, and who asks has other ways
        return None
    solution = solver.getSolution()
    values = np.asarray(solution.col_value, dtype=np.float64)
    multipliers = np.asarray(solution.row_dual, dtype=np.float64)
    is_valid = solution.value_valid and solution.dual_valid
    return (values, multipliers) if is_valid and np.isfinite(np.append(values, multipliers)).all() else None


def started(time_limit: float | None) -> Any:
    """Return HiGHS with the options of this package, without a model."""
    import highspy

    solver = highspy.Highs()
    for option, value in _OPTIONS.items():
        solver.setOptionValue(option, value)
    if time_limit is not None:
        solver.setOptionValue("time_limit", time_limit)
    return solver


def _strict_model(rows: Floats) -> Any:
    """Return the LP over the columns (v, t)."""
    import highspy

    n_rows, width = rows.shape
    matrix = np.hstack([rows, np.full((n_rows, 1), -1.0)])
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = width + 1, n_rows
    model.sense_ = highspy.ObjSense.kMaximize
    model.col_cost_ = np.append(np.zeros(width), 1.0)
    model.col_lower_ = np.append(np.full(width, -1.0), -highspy.kHighsInf)
    model.col_upper_ = np.ones(width + 1)
    model.row_lower_ = np.zeros(n_rows)
    model.row_upper_ = np.full(n_rows, highspy.kHighsInf)
    columns, places = np.nonzero(matrix.T)
    a = model.a_matrix_
    a.format_ = highspy.MatrixFormat.kColwise
    a.num_col_, a.num_row_ = width + 1, n_rows
    a.start_ = np.searchsorted(columns, np.arange(width + 2)).astype(np.int32)
    a.index_ = places.astype(np.int32)
    a.value_ = matrix[places, columns]
    return model


def _model(highspy: Any, X: Any, y: Floats, bias: bool) -> Any:
    """Return the LP over the columns (w, b, t), b only with bias."""
    n_samples, n_features = X.shape
    n_free, n_columns = int(bias), n_features + int(bias) + 1
    infinity = highspy.kHighsInf
    model = highspy.HighsLp()
    model.num_col_, model.num_row_ = n_columns, n_samples
    model.sense_ = highspy.ObjSense.kMaximize
    model.col_cost_ = np.append(np.zeros(n_columns - 1), 1.0)
    model.col_lower_ = np.concatenate([np.full(n_features, -1.0), np.full(n_free + 1, -infinity)])
    model.col_upper_ = np.concatenate([np.full(n_features, 1.0), np.full(n_free, infinity), [1.0]])
    model.row_lower_ = np.zeros(n_samples)
    model.row_upper_ = np.full(n_samples, infinity)
    matrix = model.a_matrix_
    matrix.format_ = highspy.MatrixFormat.kColwise
    matrix.num_col_, matrix.num_row_ = n_columns, n_samples
    matrix.start_, matrix.index_, matrix.value_ = _signed_columns(X, y, bias)
    return model


def _signed_columns(X: Any, y: Floats, bias: bool) -> tuple[NDArray[np.int32], NDArray[np.int32], Floats]:
    """Return the columns of [y * X, y, -1] in compressed form."""
    n_samples = X.shape[0]
    extra = np.concatenate([y, np.full(n_samples, -1.0)]) if bias else np.full(n_samples, -1.0)
    if hasattr(X, "tocsc"):
        columns = X.tocsc()
        values, indices, starts = columns.data * y[columns.indices], columns.indices, columns.indptr
    else:
        values = (X * y[:, None]).ravel(order="F")
        indices = np.tile(np.arange(n_samples), X.shape[1])
        starts = np.arange(X.shape[1] + 1) * n_samples
    indices = np.concatenate([indices, np.tile(np.arange(n_samples), bias + 1)])
    starts = np.concatenate([starts, starts[-1] + n_samples * np.arange(1, bias + 2)])
    return starts.astype(np.int32), indices.astype(np.int32), np.concatenate([values, extra])
