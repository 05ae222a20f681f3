"""The Boolean functions of few variables that a hyperplane separates, each class of symmetric ones decided once."""

from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from maxmargin.api.verbs import decide
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.problem.problem import Problem
from maxmargin.teaching.cube import cube

Truth = NDArray[np.bool_]
Places = NDArray[np.int64]

_MOST_VARIABLES = 4
"""Functions of 5 variables are 2^32."""


def count_threshold_functions(n_variables: int) -> int:
    """Return how many of the 2^(2^n) functions of n Boolean variables a hyperplane separates strictly.

    The two constant functions are among them. The sequence is A000609 of the On-Line Encyclopedia of Integer Sequences.

    Raises
    ------
    InvalidOptionError
        Unless n is 1, 2, 3 or 4.

    Examples
    --------
    >>> count_threshold_functions(3)
    104
    """
    return len(threshold_functions(n_variables))


def threshold_functions(n_variables: int) -> Truth:
    """Return the truth tables of all threshold functions of n variables.

    To permute or negate variables maps the cube to itself by a linear map, and to negate the function exchanges the two
    sides, so a class of functions that differ in this only is decided by one of them, in exact arithmetic.

    Returns
    -------
    ndarray of bool (n_functions, 2**n_variables)
        Columns are the rows of `cube`.

    Raises
    ------
    InvalidOptionError
        Unless n is 1, 2, 3 or 4.

    Examples
    --------
    >>> threshold_functions(1).astype(int).tolist()
    [[0, 0], [1, 0], [0, 1], [1, 1]]
    """
    if not 1 <= n_variables <= _MOST_VARIABLES:
        raise InvalidOptionError(f"found {n_variables} variables, expected 1 to {_MOST_VARIABLES}")
    symmetries, size = _symmetries(n_variables), 2**n_variables
    is_known = np.zeros(2**size, dtype=np.bool_)
    is_threshold = np.zeros(2**size, dtype=np.bool_)
    for code in range(2**size):
        if not is_known[code]:
            table = _table(code, size)
            orbit = _codes(np.vstack([table[symmetries], ~table[symmetries]]))
            is_known[orbit] = True
            is_threshold[orbit] = _is_threshold(table, n_variables)
    return _table(np.flatnonzero(is_threshold), size)


def _symmetries(n_variables: int) -> Places:
    """Return, for every way to permute and negate the variables, where it takes each row of the cube."""
    bits = cube(n_variables, encoding="bits")
    place_values = 1 << np.arange(n_variables)[::-1]
    return np.array([(bits[:, p] ^ flips) @ place_values for p in permutations(range(n_variables)) for flips in bits])


def _table(code: int | Places, size: int) -> Truth:
    """Return the truth table, or the tables, whose place i is bit i of the code."""
    return (np.asarray(code)[..., None] >> np.arange(size) & 1).astype(np.bool_)


def _codes(tables: Truth) -> Places:
    codes: Places = tables @ (1 << np.arange(tables.shape[1]))
    return codes


def _is_threshold(table: Truth, n_variables: int) -> bool:
    if table.all() or not table.any():
        return True
    X, y = cube(n_variables).astype(np.float64), np.where(table, 1.0, -1.0)
    answer = decide(Problem(X, y)).strictly_separable
    assert answer is not None  # without limits every verdict is proven
    return answer
