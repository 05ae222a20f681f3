"""The cube in its two encodings: signs {-1,+1} and bits {0,1}; true is +1, and is 1."""

from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.generators.classics import sign_cube
from maxmargin.solvers.basics.array_types import Mask
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError

Encoding: TypeAlias = Literal["signs", "bits"]

# The number for false; 1 is true in both encodings.
_FALSE = {"signs": -1, "bits": 0}

# Largest number of variables; the cube then has 65,536 rows.
_MOST_VARIABLES = 16


def cube(n_variables: int, *, encoding: Encoding = "signs") -> NDArray[np.int64]:
    """Return all rows of the cube in the order of binary numbers: the last variable changes fastest, false before true.

    Parameters
    ----------
    n_variables : int
        The number n of variables, from 0 to 16.
    encoding : {"signs", "bits"}, default "signs"
        Rows of {-1,+1}^n or of {0,1}^n.

    Returns
    -------
    ndarray of int, of shape (2**n_variables, n_variables)
        The rows.

    Raises
    ------
    InvalidOptionError
        If there are too many variables, or the encoding is unknown.

    See Also
    --------
    conjunction : Make a concept on these rows.

    Examples
    --------
    >>> cube(2, encoding="bits").tolist()
    [[0, 0], [0, 1], [1, 0], [1, 1]]
    """
    if not 0 <= n_variables <= _MOST_VARIABLES:
        raise InvalidOptionError(f"found {n_variables} variables, expected 0 to {_MOST_VARIABLES} for a whole cube")
    return encoded(sign_cube(n_variables) > 0, encoding)


def encoded(truth: Mask, encoding: Encoding = "signs") -> NDArray[np.int64]:
    """Return truth values as numbers."""
    return np.where(truth, 1, _false(encoding))


def decoded(X: Any, encoding: Encoding = "signs") -> Mask:
    """Return numbers as truth values.

    Raises
    ------
    InvalidOptionError
        If the encoding is unknown.
    InvalidProblemError
        If X has other numbers than the two of the encoding.
    """
    false, values = _false(encoding), np.asarray(X)
    is_true: Mask = values == 1
    is_other = ~(is_true | (values == false))
    if is_other.any():
        found = values[is_other].flat[0]
        raise InvalidProblemError(f"found the value {found}, expected {false} or 1 (encoding {encoding!r})")
    return is_true


def _false(encoding: str) -> int:
    if encoding not in _FALSE:
        raise InvalidOptionError(f"encoding is {encoding!r}; expected 'signs' or 'bits'")
    return _FALSE[encoding]
