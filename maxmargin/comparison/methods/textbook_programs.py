"""The textbook programs through cvxpy, each a function that stands alone, as a user would write it.

Reports print the source of these functions as scripts that reproduce an answer without this package: each has its
imports inside and uses nothing else of this file. X is an array of shape (n_samples, n_features), y holds -1 and +1.
"""

from typing import Any


def hard_margin_qp(X: Any, y: Any, solver: str, **options: Any) -> Any:
    """Solve min 1/2 ||w||^2 subject to y_i (w.x_i + b) >= 1."""
    import cvxpy as cp

    w, b = cp.Variable(X.shape[1]), cp.Variable()
    problem = cp.Problem(cp.Minimize(cp.sum_squares(w) / 2), [cp.multiply(y, X @ w + b) >= 1])
    problem.solve(solver=solver, **options)
    return w.value, b.value, problem.status


def max_t_lp(X: Any, y: Any, solver: str, **options: Any) -> Any:
    """Solve max t subject to y_i (w.x_i + b) >= t, -1 <= w <= 1, t <= 1; t > 0 if the classes are separable."""
    import cvxpy as cp

    w, b, t = cp.Variable(X.shape[1]), cp.Variable(), cp.Variable()
    problem = cp.Problem(cp.Maximize(t), [cp.multiply(y, X @ w + b) >= t, w >= -1, w <= 1, t <= 1])
    problem.solve(solver=solver, **options)
    return w.value, b.value, problem.status, t.value


def nearest_points_qp(X: Any, y: Any, solver: str, **options: Any) -> Any:
    """Find the nearest points p and q of the convex hulls of the two classes; w = p - q, b from their middle."""
    import cvxpy as cp

    plus, minus = X[y > 0], X[y < 0]
    u, v = cp.Variable(plus.shape[0], nonneg=True), cp.Variable(minus.shape[0], nonneg=True)
    distance = cp.sum_squares(plus.T @ u - minus.T @ v)
    sums: list[Any] = [cp.sum(u) == 1, cp.sum(v) == 1]
    problem = cp.Problem(cp.Minimize(distance), sums)
    problem.solve(solver=solver, **options)
    if u.value is None:
        return None, None, problem.status, None
    p, q = plus.T @ u.value, minus.T @ v.value
    return p - q, -(p - q) @ (p + q) / 2, problem.status, float((p - q) @ (p - q)) ** 0.5


def soft_margin_qp(X: Any, y: Any, solver: str, C: float = 1.0, **options: Any) -> Any:
    """Solve min 1/2 ||w||^2 + C sum xi subject to y_i (w.x_i + b) >= 1 - xi_i, xi >= 0."""
    import cvxpy as cp

    w, b, xi = cp.Variable(X.shape[1]), cp.Variable(), cp.Variable(X.shape[0], nonneg=True)
    objective = cp.Minimize(cp.sum_squares(w) / 2 + C * cp.sum(xi))
    problem = cp.Problem(objective, [cp.multiply(y, X @ w + b) >= 1 - xi])
    problem.solve(solver=solver, **options)
    return w.value, b.value, problem.status
