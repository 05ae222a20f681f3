"""Features and labels in memory: what a call such as `hard_margin(X, y)` is given."""

import sys
from collections.abc import Iterable
from numbers import Real
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.chunks import InMemory
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.extremes import Bounds, bounds_of_rows

from .assemble import first_not_finite
from .errors import DataError, quote
from .frames import columns_of, is_from_table_library, labels_of_series, values_of
from .labels import CodedLabels
from .numerals import first_rounded

if TYPE_CHECKING:
    from .table import Matrix

AnyLabels = TypeVar("AnyLabels", NDArray[Any], list[Any], CodedLabels, NDArray[Any] | list[Any])

REAL_KINDS = "biuf"
"""numpy's codes of boolean, signed, unsigned and floating-point types."""

TWO_DIMENSIONS = "expected two dimensions, (n_samples, n_features)"


def features_of(X: Any, feature_names: Iterable[object] | None) -> "tuple[Matrix, tuple[str, ...], Bounds | None]":
    """Return finite numbers (float64, C-contiguous or CSR), the names of the columns, and their extremes if dense.

    Raises
    ------
    InvalidProblemError
        `X` is not a table of finite real numbers, or the names do not fit.
    """
    names = None if feature_names is None else tuple(str(name) for name in feature_names)
    if _is_outside_memory(X):
        return *_carried(X, names), None
    if _is_sparse(X):
        matrix = _canonical_csr(X)
    elif is_from_table_library(X) and len(getattr(X, "shape", (0, 0))) == 2:
        own_names, matrix = _matrix_of_frame(X)
        names = own_names if names is None else names
    else:
        matrix = _dense(X)
    _check_shape(matrix.shape)
    shown = _named(names, matrix.shape[1])
    return matrix, shown, _checked_finite(matrix, names)


def _named(names: tuple[str, ...] | None, n_columns: int) -> tuple[str, ...]:
    if names is not None and len(names) != n_columns:
        raise InvalidProblemError(f"feature_names has {len(names)} names, expected {n_columns}, one for every column")
    return names if names is not None else tuple(map(str, range(n_columns)))


def _is_outside_memory(value: object) -> bool:
    """Return whether `value` is a carrier of `maxmargin.carriers` or a Dask collection, without importing either."""
    module = type(value).__module__
    return module.startswith("maxmargin.carriers.") or (module.startswith("dask.") and hasattr(value, "to_delayed"))


def _carried(X: Any, names: tuple[str, ...] | None) -> "tuple[Any, tuple[str, ...]]":
    from maxmargin.carriers.dask_collections import is_dask, rows_of

    if is_dask(X):
        own_names, X = rows_of(X)
        names = own_names if names is None else names
    return X, _named(names, X.shape[1])


def labels_of(y: Any, n_samples: int) -> NDArray[Any] | list[Any] | CodedLabels:
    """Return one label for every row.

    Raises
    ------
    InvalidProblemError
        `y` has not one label for every row.
    """
    if _is_outside_memory(y):
        from maxmargin.carriers.dask_collections import labels_of_collection

        y = labels_of_collection(y)
    if isinstance(y, CodedLabels):
        return _checked_length(y, n_samples)
    if is_from_table_library(y) and len(getattr(y, "shape", (0,))) < 2:
        return _checked_length(_labels_of_series(y), n_samples)
    if _is_sparse(y):
        raise InvalidProblemError(f"y is a sparse matrix, expected an array of shape ({n_samples},)")
    values = y if isinstance(y, np.ndarray) else _as_labels(y)
    _refuse_masked(values, "y")
    if values.ndim != 1:
        hint = ": use y.ravel()" if values.ndim == 2 and 1 in values.shape else ""
        raise InvalidProblemError(f"y has shape {values.shape}, expected one dimension, ({n_samples},){hint}")
    if values.dtype.kind not in "biufOUS":
        raise InvalidProblemError(f"y has dtype {values.dtype}, expected booleans, numbers or texts")
    return _checked_length(values, n_samples)


def _as_labels(y: Any) -> NDArray[Any]:
    try:
        values = np.asarray(y)
    except ValueError as error:
        raise InvalidProblemError(f"y cannot be read as one label for every row: {error}") from error
    # numpy turns [1, "a"] and [None, "a"] into texts; the labels themselves decide what they are.
    return np.array(y, dtype=object) if values.dtype.kind in "USO" and values.ndim == 1 else values


def _labels_of_series(y: Any) -> NDArray[Any] | list[Any]:
    import narwhals as nw

    series = nw.from_native(y, series_only=True, pass_through=True)
    return labels_of_series(series) if isinstance(series, nw.Series) else _as_labels(y)


def _checked_length(values: AnyLabels, n_samples: int) -> AnyLabels:
    if len(values) != n_samples:
        raise InvalidProblemError(f"X has {n_samples} rows and y has {len(values)} labels, expected as many")
    return values


def _is_sparse(X: object) -> bool:
    sparse = sys.modules.get("scipy.sparse")
    return sparse is not None and bool(sparse.issparse(X))


def _canonical_csr(X: Any) -> Any:
    """Return a CSR array of float64, indices sorted and without duplicates; the caller's matrix stays as it is."""
    from scipy.sparse import csr_array

    if X.dtype.kind not in REAL_KINDS:
        raise InvalidProblemError(f"X has dtype {X.dtype}, expected real numbers")
    if X.ndim != 2:
        raise InvalidProblemError(f"X has shape {X.shape}, {TWO_DIMENSIONS}")
    matrix = csr_array(X)
    if matrix.dtype != np.float64:
        matrix = matrix.astype(np.float64)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    return matrix


def _matrix_of_frame(X: Any) -> tuple[tuple[str, ...], NDArray[np.float64]]:
    try:
        names, columns = columns_of(X, "X")
        values = [values_of(column, name, "X") for name, column in zip(names, columns, strict=True)]
    except DataError as error:
        raise InvalidProblemError(str(error)) from error
    for name, column in zip(names, values, strict=True):
        if isinstance(column, list):
            first = next(value for value in column if value is not None)
            raise InvalidProblemError(f"X, column {name!r}: found the text {quote(first)}, expected numbers")
    n_rows = len(columns[0]) if columns else 0
    matrix = np.empty((n_rows, len(columns)), dtype=np.float64)
    for j, column in enumerate(values):
        matrix[:, j] = column
    return names, matrix


def _dense(X: Any) -> NDArray[np.float64]:
    try:
        values = X if isinstance(X, np.ndarray) else np.asarray(X)
    except ValueError as error:
        raise InvalidProblemError(f"X cannot be read as an array of rows of equal length: {error}") from error
    _refuse_masked(values, "X")
    if values.ndim != 2:
        hint = "; use X.reshape(-1, 1) for one feature or X.reshape(1, -1) for one row" if values.ndim == 1 else ""
        raise InvalidProblemError(f"X has shape {values.shape}, {TWO_DIMENSIONS}{hint}")
    if values.dtype.kind == "O":
        return _from_objects(values)
    if values.dtype.kind not in REAL_KINDS:
        raise InvalidProblemError(f"X has dtype {values.dtype}, expected real numbers")
    converted = np.ascontiguousarray(values, dtype=np.float64)
    if values.dtype.itemsize >= 8 and values.dtype != np.float64:
        _refuse_rounded(values, converted)
    return converted


def _refuse_rounded(values: NDArray[Any], converted: NDArray[np.float64]) -> None:
    """Raise where a number changed on the way to binary64: a proof would be about another number."""
    place = first_rounded(values, converted)
    if place is not None:
        row, column = place
        raise InvalidProblemError(
            f"X, row {row}, column {column}: found {values[row, column]!s}, expected one that binary64 holds exactly "
            "(convert X to float64 yourself to have it rounded)"
        )


def _refuse_masked(values: NDArray[Any], name: str) -> None:
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InvalidProblemError(f"{name} has masked entries, expected a value in every row and column")


def _from_objects(values: NDArray[Any]) -> NDArray[np.float64]:
    for (row, column), value in np.ndenumerate(values):
        if not isinstance(value, Real | np.bool_) and not type(value).__name__ == "Decimal":
            raise InvalidProblemError(f"X, row {row}, column {column}: found {quote(value)}, expected a number")
    try:
        return values.astype(np.float64)
    except (OverflowError, ValueError, TypeError) as error:
        raise InvalidProblemError(f"X cannot be read as binary64 numbers: {error}") from error


def _check_shape(shape: tuple[int, ...]) -> None:
    for size, what in zip(shape, ("rows", "columns"), strict=True):
        if size == 0:
            raise InvalidProblemError(f"X has no {what} (shape {shape}), expected at least one")


def _checked_finite(X: "Matrix", names: tuple[str, ...] | None) -> Bounds | None:
    """Return the extremes of the columns of a dense matrix; they tell that all numbers are finite."""
    bounds = bounds_of_rows(InMemory(X)) if isinstance(X, np.ndarray) else None
    place = first_not_finite(X) if bounds is None or np.isnan(bounds).any() else None
    if place is not None:
        row, column = place
        found = "NaN" if np.isnan(X[row, column]) else "an infinite value"
        shown = column if names is None else repr(names[column])
        raise InvalidProblemError(f"X, row {row}, column {shown}: found {found}, expected a finite number")
    return bounds
