"""Upper bounds of the rounding errors of sums of products."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.problem.problem import Samples

Floats = NDArray[np.float64]

UNIT_ROUNDOFF = 2.0**-53
TINIEST_NORMAL = 2.0**-1022


def rounding_error(absolute: Floats, n_terms: int) -> Floats:
    """Return an upper bound of the error of sums of ``n_terms`` products whose moduli sum to about ``absolute``.

    A computed sum of k products in any order errs by at most gamma_k |x|.|w| plus losses from underflow, with
    gamma_k = k u/(1 - k u) (Higham, Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1). The
    underflow term allows for processors that flush subnormal numbers to zero.
    """
    # The count is doubled: one half is for the sum itself, the other for the rounding of `absolute`, of this
    # expression, and of rows and normals that are roundings themselves.
    relative = 2 * (n_terms + 6) * UNIT_ROUNDOFF
    result: Floats = absolute * (relative / (1 - relative)) + (2 * n_terms + 4) * TINIEST_NORMAL
    return result


def n_products(X: Any) -> int:
    """Return the largest number of products in the sum of a row."""
    return int(np.diff(X.indptr).max(initial=0)) if hasattr(X, "tocsr") else int(X.shape[1])


def largest_error(samples: Samples, w: Floats, b: float) -> float | None:
    """Return an upper bound of the error of w.x + b for every row; infinity or NaN if it overflows.

    None for sparse rows, whose errors differ in size.
    """
    if samples.is_sparse:
        return None
    with np.errstate(all="ignore"):
        absolute = np.array([samples.column_sizes @ np.abs(w) + abs(b)])
        return float(rounding_error(absolute, len(w) + 1)[0])


def errors(X: Any, w: Floats, b: float) -> Floats:
    """Return an upper bound of the error of w.x + b for each of these rows; infinity or NaN if it overflows."""
    with np.errstate(all="ignore"):
        return rounding_error(np.asarray(abs(X) @ np.abs(w)) + abs(b), n_products(X) + 1)


def errors_where_near(X: Any, w: Floats, b: float, value: Floats, everywhere: float) -> Floats | float:
    """Return error bounds: one for all rows, except that rows with a value near 0 have their own."""
    near = np.flatnonzero(~(np.abs(value) > 2 * everywhere))
    if not near.size:
        return everywhere
    error = np.full(len(value), everywhere)
    error[near] = errors(X[near], w, b)
    return error


def whole_line_where_broken(lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
    """Return the enclosures, with the whole line in place of those that have an end that is not finite."""
    broken = ~(np.isfinite(lower) & np.isfinite(upper))
    if broken.any():
        return np.where(broken, -np.inf, lower), np.where(broken, np.inf, upper)
    return lower, upper
