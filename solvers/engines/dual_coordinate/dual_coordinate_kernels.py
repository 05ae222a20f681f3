"""Compiled passes over rows for the dual coordinate engine.

Rows come as their stored entries: row i has the values ``data[starts[i] : starts[i + 1]]``, and its columns begin at
``indices[positions[i]]``. For CSR `positions` is `starts`; the rows of a dense array share one list of all columns, so
that `positions` is 0. Column numbers are unsigned, which spares a test for negative ones at every entry. Sums run in
four fixed lanes: the same bits on every machine. Kernels that call each other live in this one file: the on-disk cache
does not see changes elsewhere.
"""

import numpy as np
from numba import types
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats, Mask
from maxmargin.solvers.basics.compiling import compiled
from maxmargin.solvers.basics.kernel_types import vector

Numbers = NDArray[np.int64]
Columns = NDArray[np.uint32]

_FLOATS = vector(types.float64, readonly=True)
_NUMBERS = vector(types.int64, readonly=True)
_COLUMNS = vector(types.uint32, readonly=True)
_STATE = vector(types.float64, readonly=False)
_FLAGS = vector(types.boolean, readonly=False)
_ROWS = (_FLOATS, _COLUMNS, _NUMBERS, _NUMBERS)


# Curvature used for a row of zeros, whose multiplier goes to a bound.
_LEAST_CURVATURE = 1e-300


@compiled(_FLOATS, _COLUMNS, _STATE)
def _product(values: Floats, columns: Columns, w: Floats) -> float:
    """Return w.x for the row with these values in these columns."""
    s0 = s1 = s2 = s3 = 0.0
    size = values.shape[0]
    whole = size - size % 4
    for k in range(0, whole, 4):
        s0 += values[k] * w[columns[k]]
        s1 += values[k + 1] * w[columns[k + 1]]
        s2 += values[k + 2] * w[columns[k + 2]]
        s3 += values[k + 3] * w[columns[k + 3]]
    for k in range(whole, size):
        s0 += values[k] * w[columns[k]]
    return (s0 + s2) + (s1 + s3)


@compiled(_FLOATS, _COLUMNS, types.float64, _STATE)
def _add(values: Floats, columns: Columns, factor: float, w: Floats) -> None:
    """Add ``factor x`` to w."""
    for k in range(values.shape[0]):
        w[columns[k]] += factor * values[k]


@compiled(*_ROWS, _NUMBERS, _STATE, _STATE)
def scores(
    data: Floats, indices: Columns, starts: Numbers, positions: Numbers, chosen: Numbers, w: Floats, out: Floats
) -> None:
    """Set ``out[k]`` to w.x for row ``chosen[k]``."""
    for k in range(chosen.shape[0]):
        first, stop, position = starts[chosen[k]], starts[chosen[k] + 1], positions[chosen[k]]
        out[k] = _product(data[first:stop], indices[position : position + stop - first], w)


@compiled(*_ROWS, _NUMBERS, _FLOATS, _STATE)
def combine(
    data: Floats, indices: Columns, starts: Numbers, positions: Numbers, chosen: Numbers, factors: Floats, w: Floats
) -> None:
    """Add ``sum_k factors[k] x`` over the rows x = ``chosen[k]`` to w."""
    for k in range(chosen.shape[0]):
        first, stop, position = starts[chosen[k]], starts[chosen[k] + 1], positions[chosen[k]]
        _add(data[first:stop], indices[position : position + stop - first], factors[k], w)


@compiled(
    *_ROWS,
    *(_FLOATS, _FLOATS, _FLOATS, _NUMBERS),
    *(types.float64, types.float64, types.float64, types.float64, types.float64, types.float64),
    *(_STATE, _STATE, _FLAGS),
)
def epoch(
    data: Floats,
    indices: Columns,
    starts: Numbers,
    positions: Numbers,
    y: Floats,
    squares: Floats,
    costs: Floats,
    order: Numbers,
    offset: float,
    stiffness: float,
    imbalance: float,
    low: float,
    high: float,
    most: float,
    alpha: Floats,
    w: Floats,
    keep: Mask,
) -> tuple[float, float, float, float]:
    """Minimise over one alpha_i after another, in the given order, 0 <= alpha_i <= costs_i.

    What is minimised is ``1/2 ||w||^2 - sum alpha + offset r + stiffness/2 r^2`` with w = sum alpha y x and
    r = sum alpha y, of which `imbalance` is the value at the start (Hsieh et al., ICML 2008). Updates alpha and w.
    ``keep[k]`` becomes False where ``order[k]`` sits at a bound and its slope is beyond `low` or `high`.

    Returns
    -------
    imbalance : float
    gap : float
        Sum over the rows of the duality gap, alpha s + min(cost, most) max(0, -s) with each slope s as it was met.
    least, greatest : float
        Of the slopes that moved, or wanted to move, an alpha.
    """
    gap = least = greatest = 0.0
    for k in range(order.shape[0]):
        row = order[k]
        first, stop, position = starts[row], starts[row + 1], positions[row]
        values, columns = data[first:stop], indices[position : position + stop - first]
        sign, cost, old = y[row], costs[row], alpha[row]
        slope = sign * (_product(values, columns, w) + offset + stiffness * imbalance) - 1.0
        gap += old * slope - min(cost, most) * min(slope, 0.0)
        if old <= 0.0 and slope >= 0.0:
            keep[k] = slope <= high
            continue
        if old >= cost and slope <= 0.0:
            keep[k] = slope >= low
            continue
        keep[k] = True
        least, greatest = min(least, slope), max(greatest, slope)
        curvature = max(squares[row] + stiffness, _LEAST_CURVATURE)
        new = min(max(old - slope / curvature, 0.0), cost)
        if new != old:
            alpha[row] = new
            imbalance += sign * (new - old)
            _add(values, columns, sign * (new - old), w)
    return imbalance, gap, least, greatest
