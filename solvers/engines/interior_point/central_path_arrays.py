"""The passes of `central_path_kernels` over the rows of an interior point, as operations on whole arrays.

For few rows: they wait for no compiler.
"""

import numpy as np

from maxmargin.solvers.basics.array_types import Floats


def linearised(
    y: Floats, scores: Floats, target: float, a: Floats, r: Floats, s: Floats, x: Floats,
    t: Floats, roots: Floats, side: Floats,
) -> tuple[float, float, float]:  # fmt: skip
    """Write t, D**-1/2 and y t D**-1/2; return the sums of a s + r x, of (a + r) max(0, t) and of a."""
    t[:] = target - y * scores
    roots[:] = 1.0 / np.sqrt(s / a + x / r)
    side[:] = roots * y * t
    return float((a * s + r * x).sum()), float(((a + r) * np.maximum(0.0, t)).sum()), float(a.sum())


def affine_change(
    y: Floats, t: Floats, scores: Floats, a: Floats, r: Floats, s: Floats, x: Floats, out: Floats
) -> None:
    """Write da = (t - p)/D for the change p = y * scores of the margins."""
    out[:] = (t - y * scores) / (s / a + x / r)


def second_order(
    y: Floats, a: Floats, r: Floats, s: Floats, x: Floats, affine: Floats, second: Floats, centring: Floats
) -> tuple[float, float]:
    """Write y/D times the second-order terms and times the terms of a unit of mu; return curvature and blocking."""
    up, down = affine / a, affine / r
    margin, slack = s * up * (1.0 + up), x * down * (down - 1.0)
    share = y / (s / a + x / r)
    second[:] = share * (margin - slack)
    centring[:] = share * (1.0 / a - 1.0 / r)
    # With mu = 0 the others change by ds/s = -1 - da/a and dx/x = -1 + da/r.
    return float((a * margin + r * slack).sum()), _greatest(-up, 1.0 + up, down, 1.0 - down)


def corrected_change(
    y: Floats, t: Floats, scores: Floats, mu: float, a: Floats, r: Floats, s: Floats, x: Floats,
    affine: Floats, out: Floats,
) -> None:  # fmt: skip
    """Write da as `affine_change`, with second-order terms and with mu."""
    up, down = affine / a, affine / r
    second = s * up * (1.0 + up) - x * down * (down - 1.0)
    affine_change(y, t + second + mu * (1.0 / a - 1.0 / r), scores, a, r, s, x, out)


def blocking(mu: float, a: Floats, r: Floats, s: Floats, x: Floats, affine: Floats, change: Floats) -> float:
    """Return the greatest relative decrease of any of a, r, s, x at the full step."""
    ds, dx = _changes(mu, a, r, s, x, affine, change)
    return _greatest(-change / a, change / r, -ds / s, -dx / x)


def move(length: float, mu: float, a: Floats, r: Floats, s: Floats, x: Floats, affine: Floats, change: Floats) -> None:
    """Take a step of the given length, in place."""
    ds, dx = _changes(mu, a, r, s, x, affine, change)
    s += length * ds
    x += length * dx
    a += length * change
    r -= length * change


def _changes(
    mu: float, a: Floats, r: Floats, s: Floats, x: Floats, affine: Floats, change: Floats
) -> tuple[Floats, Floats]:
    """Return ds and dx of the step that is taken."""
    ahead, back = affine / a, affine / r
    ds = mu / a - s + s * (ahead * (1.0 + ahead) - change / a)
    dx = mu / r - x + x * (back * (back - 1.0) + change / r)
    return ds, dx


def _greatest(*ratios: Floats) -> float:
    """Return the greatest number, at least 0; NaN does not count, as in compiled code."""
    return max(0.0, *(float(np.fmax.reduce(part, initial=0.0)) for part in ratios))
