"""Types of the arguments of compiled code."""

from numba import types


def vector(dtype: types.Type, *, readonly: bool) -> types.Array:
    """Return the type of a contiguous vector; memory maps and frozen results are read-only."""
    return types.Array(dtype, 1, "C", readonly=readonly)


# The type of the rows of a dense problem.
MATRIX = types.Array(types.float64, 2, "C", readonly=True)
