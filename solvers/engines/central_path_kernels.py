"""Compiled loops over rows of the interior point; `maxmargin.solvers.engines.central_path` has the mathematics.

Vectors of one number a row: y the signs, a, r, s, x the iterate, t the target less the margin, `affine` and `change`
the da of the step that aims at mu = 0 and of the one that is taken.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from maxmargin.solvers.compiling import MATRIX, compiled, vector

Floats = NDArray[np.float64]

_IN = vector(types.float64, readonly=True)
_OUT = vector(types.float64, readonly=False)
_MATRIX_OUT = types.Array(types.float64, 2, "C")
_NUMBER = types.float64
_ROWS = (_IN, _IN, _IN, _IN)


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


@compiled(MATRIX, _IN, _MATRIX_OUT)
def scale(X: Floats, roots: Floats, out: Floats) -> None:
    """Write the rows times the roots into the first columns of a matrix of as many rows."""
    n_rows, n_columns = X.shape
    for i in range(n_rows):
        for j in range(n_columns):
            out[i, j] = roots[i] * X[i, j]


@compiled(_IN, _IN, _IN, *_ROWS, _OUT)
def affine_change(
    y: Floats, t: Floats, scores: Floats, a: Floats, r: Floats, s: Floats, x: Floats, out: Floats
) -> None:
    """Write da = (t - p)/D for the change p = y * scores of the margins."""
    for i in range(len(y)):
        out[i] = (t[i] - y[i] * scores[i]) / (s[i] / a[i] + x[i] / r[i])


@compiled(_IN, *_ROWS, _IN, _MATRIX_OUT, may_reorder_sums=True)
def second_order(
    y: Floats, a: Floats, r: Floats, s: Floats, x: Floats, affine: Floats, out: Floats
) -> tuple[float, float]:
    """Write y/D times the second-order terms, and times what a unit of mu adds; return curvature and blocking."""
    curvature = blocking = 0.0
    for i in range(len(y)):
        up, down = affine[i] / a[i], affine[i] / r[i]
        margin, slack = s[i] * up * (1.0 + up), x[i] * down * (down - 1.0)
        curvature += a[i] * margin + r[i] * slack
        # With mu = 0 the others change by ds/s = -1 - da/a and dx/x = -1 + da/r.
        blocking = max(blocking, max(max(-up, 1.0 + up), max(down, 1.0 - down)))
        share = y[i] / (s[i] / a[i] + x[i] / r[i])
        out[i, 0] = share * (margin - slack)
        out[i, 1] = share * (1.0 / a[i] - 1.0 / r[i])
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
