"""Positive weights that balance on few of many wide rows, without a linear program.

Where the classes overlap, the logistic loss sum log(1 + exp(-z.v)) has a minimum, at which the weights 1/(1 + exp z.v)
are positive and balance: its gradient is 0. Rows are then taken out one by one, their weights moved to a basis of the
rows. A row for which a weight of the basis would become negative enters the basis, in place of the row whose weight is
0 first (Caratheodory). What is left is a vertex.
"""

from collections.abc import Callable

import numpy as np

from maxmargin.solvers.basics.array_types import Floats

NAME = "logistic loss"

# Largest numbers of steps of Newton's method, and of halvings of one step.
_MOST_STEPS, _MOST_HALVINGS = 30, 40

# Largest entry of the gradient, relative to the largest weight, at which the weights balance.
_BALANCED = 1e-9

# Added to the diagonal of the Hessian, relative to its greatest entry: columns may depend on others.
_RIDGE = 1e-10

# Pivot, relative to the greatest, below which a column depends on those before it.
_DEPENDENT = 1e-9

# Coefficient below which a row of the basis does not contribute to another row.
_NO_RATIO = 1e-9

# Number of rows taken out between two checks of the time limit.
_PUSHES_AT_ONCE = 100


def balancing_vertex(rows: Floats, is_over: Callable[[], bool]) -> Floats | None:
    """Return weights a >= 0, not all 0, with rows' a near 0, positive on at most one row more than the rank.

    None where the rows seem not to balance with positive weights on all of them, or once the time is over.

    Parameters
    ----------
    rows : ndarray (n_rows, m)
        Mostly zeros, else the work grows with their number times the square of m.
    is_over : callable
        Returns True when the work is to stop.

    Examples
    --------
    >>> weights = balancing_vertex(np.array([[1.0], [-1.0], [-3.0]]), lambda: False)
    >>> int(np.count_nonzero(weights)), bool(abs(weights @ [1.0, -1.0, -3.0]) < 1e-12)
    (2, True)
    """
    with np.errstate(all="ignore"):
        weights = _logistic_weights(rows, is_over)
        return None if weights is None else pushed_to_vertex(rows, weights, is_over)


def _logistic_weights(rows: Floats, is_over: Callable[[], bool]) -> Floats | None:
    """Return weights of all rows that balance, by Newton's method on the logistic loss."""
    from scipy.linalg import LinAlgError, cho_factor, cho_solve
    from scipy.sparse import csr_array

    Z = csr_array(rows)
    scores = np.zeros(len(rows))
    for _ in range(_MOST_STEPS):
        weights = 1 / (1 + np.exp(scores))
        gradient = Z.T @ weights
        if np.abs(gradient).max() <= _BALANCED * weights.max():
            return weights
        hessian = (Z.T @ Z.multiply((weights * (1 - weights))[:, None]).tocsr()).toarray()
        hessian[np.diag_indices(len(hessian))] += _RIDGE * hessian.diagonal().max()
        if is_over() or not np.isfinite(hessian).all():
            return None
        try:
            change = Z @ cho_solve(cho_factor(hessian), gradient)
        except LinAlgError:
            return None
        scores = scores + _length(scores, change) * change
    return None


def _length(scores: Floats, change: Floats) -> float:
    """Return the greatest power of 1/2 by which a step does not raise the loss."""
    loss = np.logaddexp(0, -scores).sum()
    lengths = (0.5**k for k in range(_MOST_HALVINGS))
    return next((length for length in lengths if np.logaddexp(0, -scores - length * change).sum() <= loss), 0.0)


@np.errstate(all="ignore")
def pushed_to_vertex(rows: Floats, weights: Floats, is_over: Callable[[], bool]) -> Floats | None:
    """Return weights of a basis and of one row more that balance as the given ones do, which are positive.

    None where there are no more rows than that, or once the time is over.
    """
    from scipy.linalg import LinAlgError, lu, solve
    from scipy.linalg.blas import dger

    positions, _, upper = lu(rows * weights[:, None], p_indices=True)
    order, pivots = np.argsort(positions), np.abs(np.diag(upper))
    columns = np.flatnonzero(pivots > _DEPENDENT * pivots.max(initial=0.0))
    basis, others = order[columns], np.delete(order, columns)
    if is_over() or not (others.size and columns.size):
        return None
    try:
        coefficients_of_others = solve(rows[np.ix_(basis, columns)].T, rows[np.ix_(others, columns)].T)
    except LinAlgError:
        return None
    table = np.asfortranarray(coefficients_of_others)  # in column k those of the row others[k] in the basis
    basic, left = weights[basis], weights[others]
    for k in range(len(others) - 1, 0, -1):
        if k % _PUSHES_AT_ONCE == 0 and is_over():
            return None
        coefficients = table[:, k].copy()
        room = np.where(coefficients < -_NO_RATIO, basic / -coefficients, np.inf)
        position = int(room.argmin())
        basic = np.maximum(basic + min(room[position], left[k]) * coefficients, 0.0)
        if room[position] < left[k]:
            basic[position], basis[position] = left[k] - room[position], others[k]
            pivot_row = table[position, :k] / coefficients[position]
            table = dger(-1.0, coefficients, pivot_row, a=table[:, :k], overwrite_a=True)
            table[position] = pivot_row
    result = np.zeros(len(rows))
    result[basis], result[others[0]] = basic, left[0]
    return result
