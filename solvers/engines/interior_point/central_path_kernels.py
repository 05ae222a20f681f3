"""Compiled loops over rows of the interior point; the mathematics is in `central_path`.

Vectors of one number a row: y the signs, a, r, s, x the iterate, t the target less the margin, `affine` and `change`
the da of the step that aims at mu = 0 and of the one that is taken. The passes over dense rows see them as
(x - center, 1, -y), without the 1 if there is no bias and without -y if there is no rho; they work on a few rows at a
time, which stay in the cache.
"""

import numpy as np
from numba import types

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.compiling import compiled
from maxmargin.solvers.basics.kernel_types import MATRIX, vector

_IN = vector(types.float64, readonly=True)
_OUT = vector(types.float64, readonly=False)
_MATRIX_OUT = types.Array(types.float64, 2, "C")
_NUMBER = types.float64
_ROWS = (_IN, _IN, _IN, _IN)
_PLANE = (_IN, types.boolean, types.boolean)

_FEW_ROWS = 64


@compiled(_IN, _IN, _NUMBER, *_ROWS, _OUT, _OUT, _OUT, may_reorder_sums=True)
def linearised(
    y: Floats, scores: Floats, target: float, a: Floats, r: Floats, s: Floats, x: Floats,
    t: Floats, roots: Floats, side: Floats,
) -> tuple[float, float, float]:  # fmt: skip
    """Write t, D**-1/2 and y t D**-1/2; return the sums of a s + r x, of (a + r) max(0, t) and of a."""
    complementarity = hinge = total = 0.0
    for i in range(len(y)):
        t[i] = target - y[i] * scores[i]
        roots[i] = 1.0 / np.sqrt(s[i] / a[i] + x[i] / r[i])
        side[i] = roots[i] * y[i] * t[i]
        complementarity += a[i] * s[i] + r[i] * x[i]
        hinge += (a[i] + r[i]) * max(0.0, t[i])
        total += a[i]
    return complementarity, hinge, total


@compiled(_IN, _IN, _IN, *_ROWS, _OUT)
def affine_change(
    y: Floats, t: Floats, scores: Floats, a: Floats, r: Floats, s: Floats, x: Floats, out: Floats
) -> None:
    """Write da = (t - p)/D for the change p = y * scores of the margins."""
    for i in range(len(y)):
        out[i] = (t[i] - y[i] * scores[i]) / (s[i] / a[i] + x[i] / r[i])


@compiled(_IN, *_ROWS, _IN, _OUT, _OUT, may_reorder_sums=True)
def second_order(
    y: Floats, a: Floats, r: Floats, s: Floats, x: Floats, affine: Floats, second: Floats, centring: Floats
) -> tuple[float, float]:
    """Write y/D times the second-order terms and times the terms of a unit of mu; return curvature and blocking."""
    curvature = blocking = 0.0
    for i in range(len(y)):
        up, down = affine[i] / a[i], affine[i] / r[i]
        margin, slack = s[i] * up * (1.0 + up), x[i] * down * (down - 1.0)
        curvature += a[i] * margin + r[i] * slack
        # With mu = 0 the others change by ds/s = -1 - da/a and dx/x = -1 + da/r.
        blocking = max(blocking, max(max(-up, 1.0 + up), max(down, 1.0 - down)))
        share = y[i] / (s[i] / a[i] + x[i] / r[i])
        second[i] = share * (margin - slack)
        centring[i] = share * (1.0 / a[i] - 1.0 / r[i])
    return curvature, blocking


@compiled(_IN, _IN, _IN, _NUMBER, *_ROWS, _IN, _OUT)
def corrected_change(
    y: Floats, t: Floats, scores: Floats, mu: float, a: Floats, r: Floats, s: Floats, x: Floats,
    affine: Floats, out: Floats,
) -> None:  # fmt: skip
    """Write da as `affine_change`, with second-order terms and with mu."""
    for i in range(len(y)):
        up, down = affine[i] / a[i], affine[i] / r[i]
        second = s[i] * up * (1.0 + up) - x[i] * down * (down - 1.0)
        target = t[i] + second + mu * (1.0 / a[i] - 1.0 / r[i])
        out[i] = (target - y[i] * scores[i]) / (s[i] / a[i] + x[i] / r[i])


@compiled(_NUMBER, *_ROWS, _IN, _IN)
def blocking(mu: float, a: Floats, r: Floats, s: Floats, x: Floats, affine: Floats, change: Floats) -> float:
    """Return the greatest relative decrease of any of a, r, s, x at the full step."""
    result = 0.0
    for i in range(len(a)):
        up, down = change[i] / a[i], change[i] / r[i]
        ahead, back = affine[i] / a[i], affine[i] / r[i]
        excess = (mu / a[i] - s[i]) / s[i] + ahead * (1.0 + ahead) - up
        slack = (mu / r[i] - x[i]) / x[i] + back * (back - 1.0) + down
        result = max(result, max(max(-up, down), max(-excess, -slack)))
    return result


@compiled(_NUMBER, _NUMBER, _OUT, _OUT, _OUT, _OUT, _IN, _IN)
def move(length: float, mu: float, a: Floats, r: Floats, s: Floats, x: Floats, affine: Floats, change: Floats) -> None:
    """Take a step of the given length, in place."""
    for i in range(len(a)):
        up, down = change[i] / a[i], change[i] / r[i]
        ahead, back = affine[i] / a[i], affine[i] / r[i]
        s[i] += length * (mu / a[i] - s[i] + s[i] * (ahead * (1.0 + ahead) - up))
        x[i] += length * (mu / r[i] - x[i] + x[i] * (back * (back - 1.0) + down))
        a[i] += length * change[i]
        r[i] -= length * change[i]


@compiled(MATRIX, _IN, _IN, *_PLANE, _OUT, may_reorder_sums=True)
def dense_scores(X: Floats, center: Floats, y: Floats, plane: Floats, bias: bool, has_rho: bool, out: Floats) -> None:
    """Write w.(x - center) + b - y rho."""
    n_rows, n_columns = X.shape
    whole = n_rows - n_rows % 4
    for i in range(0, whole, 4):
        s0, s1, s2, s3 = 0.0, 0.0, 0.0, 0.0
        for j in range(n_columns):
            s0 += (X[i, j] - center[j]) * plane[j]
            s1 += (X[i + 1, j] - center[j]) * plane[j]
            s2 += (X[i + 2, j] - center[j]) * plane[j]
            s3 += (X[i + 3, j] - center[j]) * plane[j]
        out[i], out[i + 1], out[i + 2], out[i + 3] = s0, s1, s2, s3
    for i in range(whole, n_rows):
        score = 0.0
        for j in range(n_columns):
            score += (X[i, j] - center[j]) * plane[j]
        out[i] = score
    b = plane[n_columns] if bias else 0.0
    rho = plane[len(plane) - 1] if has_rho else 0.0
    for i in range(n_rows):
        out[i] += b - y[i] * rho


@compiled(MATRIX, _IN, _IN, _IN, types.boolean, types.boolean, _OUT, may_reorder_sums=True)
def add_dense_sums(
    X: Floats, center: Floats, y: Floats, weights: Floats, bias: bool, has_rho: bool, out: Floats
) -> None:
    """Add the weighted sums of the rows."""
    n_rows, n_columns = X.shape
    whole = n_rows - n_rows % 4
    for i in range(0, whole, 4):
        for j in range(n_columns):
            first = (X[i, j] - center[j]) * weights[i] + (X[i + 1, j] - center[j]) * weights[i + 1]
            last = (X[i + 2, j] - center[j]) * weights[i + 2] + (X[i + 3, j] - center[j]) * weights[i + 3]
            out[j] += first + last
    for i in range(whole, n_rows):
        for j in range(n_columns):
            out[j] += (X[i, j] - center[j]) * weights[i]
    total = signed = 0.0
    for i in range(n_rows):
        total += weights[i]
        signed += y[i] * weights[i]
    if bias:
        out[n_columns] += total
    if has_rho:
        out[len(out) - 1] -= signed


@compiled(MATRIX, _IN, _IN, *_PLANE, _NUMBER, *_ROWS, _OUT, _MATRIX_OUT, _OUT)
def linearise_dense(
    X: Floats, center: Floats, y: Floats, plane: Floats, bias: bool, has_rho: bool, target: float,
    a: Floats, r: Floats, s: Floats, x: Floats, t: Floats, Z: Floats, written: Floats,
) -> tuple[float, float, float]:  # fmt: skip
    """Write t, and the rows times D**-1/2 with `side` as another column; add X'(y a); return the sums of the rows."""
    n_rows, n_columns = X.shape
    scores, roots, side = np.empty(n_rows), np.empty(n_rows), np.empty(n_rows)
    dense_scores(X, center, y, plane, bias, has_rho, scores)
    sums = linearised(y, scores, target, a, r, s, x, t, roots, side)
    for i in range(n_rows):
        for j in range(n_columns):
            Z[i, j] = roots[i] * (X[i, j] - center[j])
        if bias:
            Z[i, n_columns] = roots[i]
        if has_rho:
            Z[i, len(plane) - 1] = -y[i] * roots[i]
        Z[i, len(plane)] = side[i]
        scores[i] = y[i] * a[i]
    add_dense_sums(X, center, y, scores, bias, has_rho, written)
    return sums


@compiled(MATRIX, _IN, _IN, *_PLANE, _IN, *_ROWS, _OUT, _OUT, _OUT)
def predict_dense(
    X: Floats, center: Floats, y: Floats, plane: Floats, bias: bool, has_rho: bool,
    t: Floats, a: Floats, r: Floats, s: Floats, x: Floats,
    change: Floats, second_side: Floats, centring_side: Floats,
) -> tuple[float, float]:  # fmt: skip
    """Write da; add the right-hand sides of the second order and of a unit of mu; return curvature and blocking."""
    scores, second, centring = np.empty(_FEW_ROWS), np.empty(_FEW_ROWS), np.empty(_FEW_ROWS)
    curvature = most = 0.0
    for i in range(0, len(y), _FEW_ROWS):
        k = min(i + _FEW_ROWS, len(y))
        m = k - i
        rows, signs, da = X[i:k], y[i:k], change[i:k]
        dense_scores(rows, center, signs, plane, bias, has_rho, scores[:m])
        affine_change(signs, t[i:k], scores[:m], a[i:k], r[i:k], s[i:k], x[i:k], da)
        bend, stop = second_order(signs, a[i:k], r[i:k], s[i:k], x[i:k], da, second[:m], centring[:m])
        add_dense_sums(rows, center, signs, second[:m], bias, has_rho, second_side)
        add_dense_sums(rows, center, signs, centring[:m], bias, has_rho, centring_side)
        curvature += bend
        most = max(most, stop)
    return curvature, most


@compiled(MATRIX, _IN, _IN, *_PLANE, _NUMBER, _IN, _IN, *_ROWS, _OUT, _OUT)
def correct_dense(
    X: Floats, center: Floats, y: Floats, plane: Floats, bias: bool, has_rho: bool, mu: float,
    t: Floats, affine: Floats, a: Floats, r: Floats, s: Floats, x: Floats, change: Floats, written: Floats,
) -> float:  # fmt: skip
    """Write da, add X'(y da), and return the quantity that limits the length of the step."""
    scores, most = np.empty(_FEW_ROWS), 0.0
    for i in range(0, len(y), _FEW_ROWS):
        k = min(i + _FEW_ROWS, len(y))
        m = k - i
        rows, signs, da = X[i:k], y[i:k], change[i:k]
        dense_scores(rows, center, signs, plane, bias, has_rho, scores[:m])
        corrected_change(signs, t[i:k], scores[:m], mu, a[i:k], r[i:k], s[i:k], x[i:k], affine[i:k], da)
        most = max(most, blocking(mu, a[i:k], r[i:k], s[i:k], x[i:k], affine[i:k], da))
        for q in range(m):
            scores[q] = signs[q] * da[q]
        add_dense_sums(rows, center, signs, scores[:m], bias, has_rho, written)
    return most
