"""Arrays that nobody changes by accident, and the signs of two classes."""

from typing import Any, TypeGuard

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.formats.table import Matrix


def is_matrix(X: Any) -> TypeGuard[Matrix]:
    """Return whether X is an array or a sparse array in memory."""
    return isinstance(X, np.ndarray) or hasattr(X, "tocsr")


def signs(is_positive: NDArray[np.bool_], X: Any) -> NDArray[Any]:
    """Return -1 and +1: a byte each where the rows are too many for memory."""
    found: NDArray[Any] = is_positive.astype(np.int64 if is_matrix(X) else np.int8)
    found *= 2
    found -= 1
    return found


def frozen(values: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view: the array of the caller stays as it is."""
    view = values.view()
    view.flags.writeable = False
    return view


def frozen_matrix(X: Any) -> Any:
    """Return a matrix with read-only arrays; what is not in memory as it is."""
    if isinstance(X, np.ndarray):
        return frozen(X)
    if not is_matrix(X):
        return X
    from scipy.sparse import csr_array

    matrix = csr_array(X, copy=False)
    matrix.data, matrix.indices, matrix.indptr = map(frozen, (matrix.data, matrix.indices, matrix.indptr))
    return matrix
