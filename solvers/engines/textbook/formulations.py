"""The questions as problems of cvxpy, written as in a textbook.

The variable "w" is the normal of the hyperplane, and "b", if there is a bias, its offset. The multipliers of the first
constraint weigh the rows.
"""

from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.engines.textbook.quick_cvxpy import without_statistics

with without_statistics():
    import cvxpy as cp


def hard_margin(X: Any, y: Floats, *, bias: bool = True, normal_weights: Floats | None = None) -> cp.Problem:
    """Return min 1/2 ||q * w||^2 subject to y_i (w.x_i + b) >= 1, with q = 1 unless given.

    Examples
    --------
    >>> problem = hard_margin(np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0]))
    >>> round(float(problem.solve(solver="CLARABEL")), 6)
    0.5
    """
    w, margins = _hyperplane(X, y, bias)
    return cp.Problem(cp.Minimize(_half_norm(w, normal_weights)), [margins >= 1])


def soft_margin(
    X: Any, y: Floats, C: float | Floats, *, bias: bool = True, normal_weights: Floats | None = None, power: int = 1
) -> cp.Problem:
    """Return min 1/2 ||q * w||^2 + sum C_i xi_i^power subject to y_i (w.x_i + b) >= 1 - xi_i, xi_i >= 0; b is free."""
    w, margins = _hyperplane(X, y, bias)
    # Less work for some solvers than as many constraints; without a sign the least squared slacks are nonnegative, too.
    xi = cp.Variable(X.shape[0], "xi", nonneg=power == 1)
    objective = cp.Minimize(_half_norm(w, normal_weights) + cp.sum(cp.multiply(C, xi if power == 1 else cp.square(xi))))
    return cp.Problem(objective, [margins >= 1 - xi])


def nu_margin(
    X: Any, y: Floats, nu: float, c: float | Floats, *, bias: bool = True, normal_weights: Floats | None = None
) -> cp.Problem:
    """Return min 1/2 ||q * w||^2 - nu rho + sum c_i xi_i subject to y_i (w.x_i + b) >= rho - xi_i, xi_i >= 0.

    b and rho are free; with c = 1/n it is the program of Schölkopf, Smola, Williamson and Bartlett (2000).
    """
    w, margins = _hyperplane(X, y, bias)
    rho, xi = cp.Variable(name="rho"), cp.Variable(X.shape[0], "xi", nonneg=True)
    objective = cp.Minimize(_half_norm(w, normal_weights) - nu * rho + cp.sum(cp.multiply(c, xi)))
    return cp.Problem(objective, [margins >= rho - xi])


def separability(X: Any, y: Floats, *, bias: bool = True) -> cp.Problem:
    """Return min 0 subject to y_i (w.x_i + b) >= 1, which is feasible exactly when the classes are separable."""
    _, margins = _hyperplane(X, y, bias)
    return cp.Problem(cp.Minimize(0), [margins >= 1])


def max_t(X: Any, y: Floats, *, bias: bool = True) -> cp.Problem:
    """Return max t subject to y_i (w.x_i + b) >= t, -1 <= w <= 1, t <= 1.

    Always feasible and bounded. t > 0 exactly when the classes are strictly separable; at t = 0 the multipliers a of
    the first constraint balance the classes: sum a_i y_i (x_i, 1) = 0 (Gordan).
    """
    w, margins = _hyperplane(X, y, bias)
    t = cp.Variable(name="t")
    return cp.Problem(cp.Maximize(t), [margins >= t, w >= -1, w <= 1, t <= 1])


def freund_schapire(X: Any, y: Floats, n_passes: int, radius: float) -> cp.Problem:
    """Return min R ||v|| + sqrt(E) ||xi|| subject to y_i v.x_i >= 1 - xi_i, xi_i >= 0, for E passes; v is w, b is 0.

    The square of the optimum is the least mistake bound of Freund and Schapire (1999).

    Examples
    --------
    >>> problem = freund_schapire(np.array([[-1.0], [1.0]]), np.array([-1.0, 1.0]), n_passes=1, radius=1.0)
    >>> round(float(problem.solve(solver="CLARABEL")) ** 2, 6)
    1.0
    """
    (v, margins), xi = _hyperplane(X, y, bias=False), cp.Variable(X.shape[0])
    objective = cp.Minimize(radius * cp.norm2(v) + np.sqrt(n_passes) * cp.norm2(xi))
    return cp.Problem(objective, [margins >= 1 - xi, xi >= 0])


def hinge_mistakes(X: Any, y: Floats, n_passes: int, radius: float) -> cp.Problem:
    """Return min E sum xi_i + R^2 ||u||^2/(4 k) subject to y_i u.x_i >= 1 + k - xi_i, xi_i >= 0, k >= 0.

    The optimum is the least of the bounds ((a + sqrt(a^2 + 4 L))/2)^2 with a = R ||v||, L = E sum (1 - y v.x)_+ over
    all v: for u = (1 + k) v the objective is (1 + k) L + (1 + k)^2 a^2/(4k), whose least value over k is that bound
    s^2, at k = a/(2s - a). The multipliers are the m of max sum m_i with 0 <= m_i <= E and
    ||sum m_i y_i x_i||^2 <= R^2 sum m_i.
    """
    u, k, xi = cp.Variable(X.shape[1], "w"), cp.Variable(name="k", nonneg=True), cp.Variable(X.shape[0])
    objective = cp.Minimize(n_passes * cp.sum(xi) + cp.quad_over_lin(radius * u, 4 * k))
    return cp.Problem(objective, [cp.multiply(y, X @ u) >= 1 + k - xi, xi >= 0])


def fewest_errors(X: Any, y: Floats, counts: Floats, *, bias: bool = True, big: float) -> cp.Problem:
    """Return min sum n_i t_i subject to y_i (w.x_i + b) >= 1 - M t_i, t_i in {0, 1}.

    The textbook program of the 0-1 loss (Rubin 1990): exact among the hyperplanes for which no y_i (w.x_i + b) is below
    1 - M where the least that is positive is 1.
    """
    _, margins = _hyperplane(X, y, bias)
    t = cp.Variable(X.shape[0], boolean=True)
    return cp.Problem(cp.Minimize(counts @ t), [margins >= 1 - big * t])


def _hyperplane(X: Any, y: Floats, bias: bool) -> tuple[cp.Variable, cp.Expression]:
    """Return w, and the functional margins of the rows."""
    w = cp.Variable(X.shape[1], "w")
    return w, cp.multiply(y, X @ w + cp.Variable(name="b") if bias else X @ w)


def _half_norm(w: cp.Variable, normal_weights: Floats | None) -> cp.Expression:
    half: cp.Expression = cp.sum_squares(w if normal_weights is None else cp.multiply(normal_weights, w)) / 2
    return half
