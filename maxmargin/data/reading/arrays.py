"""Features, labels and weights in memory, as given to a call such as `hard_margin(X, y)`."""

import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.batches import Choice, Column, OneHot, Table, index_note, stacked
from maxmargin.data.dataset import Dataset, Matrix, dataset_of, is_dask
from maxmargin.data.labels import CodedLabels, LabelError, Labels, encode, positive_class
from maxmargin.data.numbers.binary64 import REAL_KINDS, ExactRows, NumberError, array_of, csr_of, is_sparse, numbers
from maxmargin.data.reading.coding import OF_A_FRAME, coded
from maxmargin.data.sources import frames
from maxmargin.solvers.answers.factors import Factor
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.exact.reals import exact_real, short_repr
from maxmargin.solvers.problem.row_weights import RowWeights, numbers_of_rows
from maxmargin.solvers.problem.rows import RowSource
from maxmargin.solvers.problem.scaling import Extremes, extremes_of
from maxmargin.text.data_error import DataError, listed

# Advice about missing values in a data frame.
LEAVE_ROWS_OUT = "leave such rows out first, with dropna() in pandas and drop_nulls() in Polars"

# Packages whose tables may have an index.
LIBRARIES_WITH_INDEX = frozenset({"pandas", "modin", "cudf", "dask", "narwhals"})

AnyLabels = TypeVar("AnyLabels", NDArray[Any], Labels, NDArray[Any] | list[Any] | CodedLabels)


class Features(NamedTuple):
    """Finite numbers (C-contiguous or CSR float64, or rows outside memory), names of columns, their extremes if dense.

    `exact` are the numbers where Decimals or Fractions among them are not binary64; `X` is then their rounding. `notes`
    name the columns that were left out, and `factors` are the text columns.
    """

    X: Matrix | RowSource
    names: tuple[str, ...]
    bounds: Extremes | None
    exact: ExactRows | None
    notes: tuple[str, ...] = ()
    factors: tuple[Factor, ...] = ()


class Modelled(NamedTuple):
    """The features and the labels of a model, before they are turned into numbers and classes.

    `features` has no intercept. What a formula makes of a data frame is a pandas data frame, coded as the formula
    states, or an array without columns; `labels` is then the column of the response, or the values of its expression.
    `notes` say which level of each categorical term has no column, and `factors` are the terms with a column for each
    other level. `read_as` are the arguments of `load` by which a file with these data is read. `needs_columns` says
    that features without a column are a mistake, which a formula such as ``y ~ 1`` states.
    """

    features: Any
    labels: Any
    has_intercept: bool
    label_name: str | None = None
    notes: tuple[str, ...] = ()
    read_as: Mapping[str, Any] | None = None
    factors: tuple[Factor, ...] = ()
    needs_columns: bool = True


def from_arrays(
    X: Any, y: Any, *, positive: object = None, feature_names: Iterable[object] | None = None, source: str = "array"
) -> Dataset:
    """Make a data set of features and labels that are in memory.

    A C-contiguous float64 array is neither copied nor made read-only.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame, or Dask array or data frame, of shape (n_samples, n_features)
        Real, finite numbers, none of which is rounded: they are numbers of binary64, or Decimals and Fractions, for
        which verdicts are decided exactly. The rows of a Dask collection stay where they are; with a distributed client
        they are computed once and kept on its cluster. Its columns of texts, categories or objects are refused: code
        them first, as ``dask.dataframe.get_dummies`` does.
    y : array_like, or Dask array or series, of shape (n_samples,)
        Booleans, numbers or texts with at least two different values. If both X and y have an index, as in pandas, the
        two must be equal.
    positive : label, optional
        The class that is +1, against all others. By default, of two classes it is the affirmative one of a known pair
        (yes/no, +/-, true/false, case/control, positive/negative and the like), otherwise the greater one in sorted
        order; of more classes none is chosen.
    feature_names : iterable, optional
        Names of the columns. By default they are the column names of a data frame, otherwise "0", "1", ...
    source : str, default "array"
        The name of the data in messages and reports.

    Returns
    -------
    Dataset
        The data with `y` of -1 and +1 for two classes or if `positive` is given, otherwise with the labels, or with
        their positions in `classes` where the rows are outside memory.

    Raises
    ------
    InvalidProblemError
        If shapes or lengths do not match, there are no rows or no columns, or only one class; if numbers are not real
        and finite or binary64 does not hold them; if labels are missing; or if the index of y is not that of X.

    See Also
    --------
    load : Read a data set from a file, or by its name.

    Examples
    --------
    >>> from_arrays([[0.0], [1.0], [3.0]], ["a", "a", "b"]).y
    array([-1, -1,  1])
    """
    given, ids = Modelled(features=X, labels=y, has_intercept=True), index_of_rows(X, y)
    return features_and_labels(given, positive=positive, feature_names=feature_names, source=source, row_names=ids)


def features_and_labels(
    given: Modelled,
    *,
    positive: object,
    source: str,
    feature_names: Iterable[object] | None = None,
    row_names: Sequence[Any] | None = None,
) -> Dataset:
    """Make a data set of the features and the labels of a model, as `from_arrays` does.

    Parameters
    ----------
    given : Modelled
        The labels are called by the name of a series, or "y", unless it says otherwise.
    positive, source, feature_names
        As in `from_arrays`.
    row_names : sequence, optional
        The labels of the rows.
    """
    X, y = given.features, given.labels
    check_row_names(X=X, y=y)
    features = features_of(X, feature_names, has_intercept=given.has_intercept, needs_columns=given.needs_columns)
    values = labels_of(y, features.X.shape[0])
    try:
        labels = encode(values)
        chosen = positive_class(labels, positive)
    except LabelError as error:
        raise refused_labels(error) from error
    return dataset_of(
        features.X, labels, chosen, bounds=features.bounds, exact=features.exact, feature_names=features.names,
        label_name=label_name_of(given), source=source, notes=(*given.notes, *features.notes),
        row_ids=None if row_names is None else tuple(map(str, row_names)),
        library=None if isinstance(X, np.ndarray) and isinstance(y, np.ndarray) else frames.library_of(X, y),
        factors=(*given.factors, *features.factors),
    )  # fmt: skip


def label_name_of(given: Modelled) -> str:
    """Return what the labels are called: by the rows, or as their series, or "y"."""
    y = given.labels
    own_name = None if hasattr(y, "chunks") else getattr(y, "name", None)  # an array of Dask is called by a hash
    return given.label_name or (own_name if isinstance(own_name, str) and own_name else "y")


def refused_labels(error: LabelError, what: str = "y") -> InvalidProblemError:
    """Return the error about labels, or other values that are classes, given as `what`."""
    return InvalidProblemError(f"{what}{'' if error.row is None else f', row {error.row}'}: {error.marked}")


def features_of(
    X: Any, feature_names: Iterable[object] | None, *, has_intercept: bool = True, needs_columns: bool = True
) -> Features:
    """Return finite numbers, the names of the columns, and other findings.

    The text columns of a data frame are coded as columns of 0 and 1; without an intercept, the first of them keeps a
    column for every level. No column at all is refused if `needs_columns`.

    Raises
    ------
    InvalidProblemError
        `X` is not a table of finite real numbers, or one that is neither binary64 nor a Decimal or Fraction; or the
        names do not fit.
    """
    names = None if feature_names is None else tuple(str(name) for name in feature_names)
    if _is_outside_memory(X):
        return _outside_memory(X, names)
    notes: tuple[str, ...] = ()
    factors: tuple[Factor, ...] = ()
    try:
        if is_sparse(X):
            matrix, exact = csr_of(X), None
        elif frames.is_from_table_library(X) and len(getattr(X, "shape", (0, 0))) == 2:
            matrix, exact, table, notes = _matrix_of_frame(X, has_intercept)
            names, factors = tuple(map(str, table.names)) if names is None else names, table.factors
        else:
            matrix, exact = _dense(X)
        if 0 in (matrix.shape if needs_columns else matrix.shape[:1]):
            what = "columns" if matrix.shape[0] else "rows"
            raise InvalidProblemError(f"X has no {what} (shape {matrix.shape}), expected at least one")
        shown, bounds = _named(names, matrix.shape[1]), _checked_finite(matrix)
        return Features(matrix, shown, bounds, None if exact is None else ExactRows.of(matrix, exact), notes, factors)
    except NumberError as error:
        raise InvalidProblemError(_worded("X", error, names)) from error


def binary64_numbers(values: Any, what: str) -> Floats:
    """Return numbers of any type as binary64 numbers, without rounding.

    Raises
    ------
    InvalidProblemError
        Binary64 does not hold some of them; `what` is their name in the message.
    """
    try:
        return numbers(array_of(values)).as_binary64()
    except NumberError as error:
        raise InvalidProblemError(_worded(what, error)) from error


def _worded(what: str, error: NumberError, names: Sequence[str] | None = None) -> str:
    """Return a message that names the position of a refused number and the reason."""
    position = "" if error.row is None else f", row {error.row}"
    if error.column is not None:
        position += f", column {error.column if names is None else repr(names[error.column])}"
    return f"{what}{position}: {error}"


def _named(names: tuple[str, ...] | None, n_columns: int) -> tuple[str, ...]:
    if names is not None and len(names) != n_columns:
        raise InvalidProblemError(f"feature_names has {len(names)} names, expected {n_columns}, one for every column")
    return names if names is not None else tuple(map(str, range(n_columns)))


def _is_outside_memory(value: object) -> bool:
    """Return whether `value` has rows outside memory or is a Dask collection, without importing either."""
    return is_dask(value) or type(value).__module__.startswith("maxmargin.data.stores.")


def _outside_memory(X: Any, names: tuple[str, ...] | None) -> Features:
    from maxmargin.data.stores.dask_rows import rows_of

    notes: tuple[str, ...] = ()
    if is_dask(X):
        every = tuple(map(str, getattr(X, "columns", ())))
        index = frames.index_columns(every)
        notes = index_note([every[j] for j in index])
        own_names, X = rows_of(X.drop(columns=[X.columns[j] for j in index]) if index else X, features_of)
        names = own_names if names is None else names
    return Features(X, _named(names, X.shape[1]), None, None, notes)


def labels_of(y: Any, n_samples: int) -> NDArray[Any] | list[Any] | Labels | CodedLabels:
    """Return one label for every row.

    Raises
    ------
    InvalidProblemError
        `y` has not one label for every row.
    """
    if _is_outside_memory(y):
        from maxmargin.data.stores.dask_rows import labels_of_collection

        y = labels_of_collection(y)
    if isinstance(y, Labels):
        return _checked_length(y, n_samples)
    if isinstance(y, np.ndarray):
        values = y
    elif frames.is_from_table_library(y) and len(getattr(y, "shape", (0,))) < 2:
        return _checked_length(_labels_of_series(y), n_samples)
    else:
        _refuse_tables_and_sparse(y, n_samples)
        values = _as_labels(y)
    refuse_masked(values, "y")
    if values.ndim != 1:
        hint = ": use y.ravel()" if values.ndim == 2 and 1 in values.shape else ""
        raise InvalidProblemError(f"y has shape {values.shape}, expected one dimension, ({n_samples},){hint}")
    if values.dtype.kind not in "biufOUST":
        raise InvalidProblemError(f"y has dtype {values.dtype}, expected booleans, numbers or texts")
    return _checked_length(values, n_samples)


def _refuse_tables_and_sparse(y: Any, n_samples: int) -> None:
    names = list(getattr(y, "column_names", getattr(y, "columns", ()))) if frames.is_from_table_library(y) else []
    if len(names) == 1:
        raise InvalidProblemError(f"y is a table of one column, expected the column itself: use y[{names[0]!r}]")
    if is_sparse(y):
        raise InvalidProblemError(f"y is a sparse matrix, expected an array of shape ({n_samples},)")


def _as_labels(y: Any) -> NDArray[Any]:
    try:
        values = array_of(y)
    except ValueError as error:
        raise InvalidProblemError(f"y cannot be read as one label for every row: {error}") from error
    # numpy turns [1, "a"] and [None, "a"] into texts; the types of the labels themselves count.
    return np.array(y, dtype=object) if values.dtype.kind in "USO" and values.ndim == 1 else values


def _labels_of_series(y: Any) -> NDArray[Any] | list[Any] | CodedLabels:
    import narwhals as nw

    series = nw.from_native(y, series_only=True, pass_through=True)
    return frames.labels_of_series(series) if isinstance(series, nw.Series) else _as_labels(y)


def _checked_length(values: AnyLabels, n_samples: int) -> AnyLabels:
    if len(values) != n_samples:
        raise InvalidProblemError(f"X has {n_samples} rows and y has {len(values)} labels, expected as many")
    return values


def _matrix_of_frame(X: Any, has_intercept: bool) -> tuple[Floats, Any, Table, tuple[str, ...]]:
    """Return the numbers of a data frame, those that binary64 does not hold, its columns as coded, and notes."""
    try:
        every, series = frames.columns_of(X, "X")
        index = frames.index_of(X, every)
        columns = [frames.column_of(series[j], every[j], "X") for j in range(len(every)) if j not in index]
        table = _coded(columns, has_intercept)
    except DataError as error:
        raise InvalidProblemError(str(error)) from error
    values, exact = [column.values for column in table.columns], [column.exact for column in table.columns]
    matrix = stacked(values, len(values[0]) if values else 0)
    notes = (*index_note([every[j] for j in index]), *table.notes)
    return matrix, None if all(column is None for column in exact) else exact, table, notes


def _coded(columns: Sequence[Column], has_intercept: bool) -> Table:
    """Return a table of these columns, with texts as columns of 0 and 1.

    Raises
    ------
    DataError
        If a text is missing, or the texts of a column do not look like levels.
    """
    names = tuple(column.name for column in columns)
    table = Table(source="X", names=names, features=tuple(columns), label=np.empty(0), label_name="y")
    if not any(isinstance(column.values, list) for column in columns):
        return table
    for column in columns:
        if isinstance(column.values, list) and None in column.values:
            row = column.values.index(None)
            hint = f"{LEAVE_ROWS_OUT}: {column.values.count(None)} of {len(column.values)}"
            raise table.error(row, column.name, found="a missing value", expected="a text", hint=hint)
    return coded(table, Choice(one_hot=OneHot(every=True)), advice=OF_A_FRAME, has_intercept=has_intercept)


def _dense(X: Any) -> tuple[Floats, Sequence[Any] | None]:
    try:
        values = X if isinstance(X, np.ndarray) else array_of(X)
    except ValueError as error:
        raise InvalidProblemError(f"X cannot be read as an array of rows of equal length: {error}") from error
    refuse_masked(values, "X")
    if values.ndim != 2:
        hint = "; use X.reshape(-1, 1) for one feature or X.reshape(1, -1) for one row" if values.ndim == 1 else ""
        hint = "; use numpy.lib.recfunctions.structured_to_unstructured" if values.dtype.names else hint
        expected = f"expected two dimensions, (n_samples, n_features){hint}"
        raise InvalidProblemError(f"X has shape {values.shape}, {expected}")
    if values.dtype.kind not in (*REAL_KINDS, "O"):
        raise InvalidProblemError(f"X has dtype {values.dtype}, expected real numbers")
    if values.dtype == np.float64:
        return np.ascontiguousarray(values), None
    found = numbers(values)
    return found.nearest, None if found.exact is None else list(found.exact.T)


def refuse_masked(values: object, name: str) -> None:
    """Raise an InvalidProblemError if entries of an array are masked; `name` is its name in the message."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        raise InvalidProblemError(f"{name} has masked entries, expected a value in every row and column")


def _checked_finite(X: Matrix) -> Extremes | None:
    """Return the extremes of the columns of a dense matrix; they tell that all numbers are finite."""
    bounds = extremes_of(X) if isinstance(X, np.ndarray) else None
    position = _first_not_finite(X) if bounds is None or np.isnan(bounds).any() else None
    if position is not None:
        row, column = position
        found = "NaN" if np.isnan(X[row, column]) else "an infinite value"
        raise NumberError(row=row, column=column, found=found, expected="a finite number")
    return bounds


def _first_not_finite(X: Matrix) -> tuple[int, int] | None:
    """Return the first row and column where `X` is NaN or infinite, or None."""
    bad = np.argwhere(~np.isfinite(X if isinstance(X, np.ndarray) else X.data))
    if not len(bad) or isinstance(X, np.ndarray):
        return (int(bad[0, 0]), int(bad[0, 1])) if len(bad) else None
    return int(np.searchsorted(X.indptr, bad[0, 0], "right")) - 1, int(X.indices[bad[0, 0]])


def check_row_names(**tables: Any) -> None:
    """Check that all tables and series that have an index have the same; others are taken row by row.

    Raises
    ------
    InvalidProblemError
        The rows have other names, or the same in another order. Different lengths are reported elsewhere.
    """
    indices = {name: index for name, table in tables.items() if (index := _index_of(table)) is not None}
    if len(indices) < 2:
        return
    (first, expected), *others = indices.items()
    for name, index in others:
        if not _are_equal(index, expected):
            raise InvalidProblemError(
                f"the index of {name} is not that of {first}, expected the same rows in the same order (use "
                f"{name}.loc[{first}.index], or reset_index(drop=True) on both where the order is right as it is)"
            )


def index_of_rows(*tables: Any) -> list[Any] | None:
    """Return the index of the first of these that has one; None if it only counts the rows from 0."""
    index = _first_index(tables)
    if index is None or is_dask(index) or (getattr(index, "start", None) == 0 and index.step == 1):
        return None
    labels: list[Any] = index.tolist()
    return None if labels == list(range(len(labels))) else labels


def name_of_index(*tables: Any) -> Any:
    """Return the name of the index of the first of these that has an index; None if it has no name."""
    return getattr(_first_index(tables), "name", None)


def _first_index(tables: Iterable[Any]) -> Any:
    return next((index for table in tables if (index := _index_of(table)) is not None), None)


def _index_of(table: Any) -> Any:
    if type(table).__module__.partition(".")[0] not in LIBRARIES_WITH_INDEX:
        return None
    native = table.to_native() if hasattr(table, "to_native") else table
    index = getattr(native, "index", None)
    return None if callable(index) else index


def _are_equal(index: Any, other: Any) -> bool:
    if is_dask(index) or is_dask(other):
        from maxmargin.data.stores.dask_rows import digest_of_index

        return digest_of_index(index) == digest_of_index(other)
    return len(index) != len(other) or bool(index.equals(other))


# Weights of rows, from weights of rows and of labels, as scikit-learn means them


def row_weights(dataset: Dataset, sample_weight: Any, class_weight: Mapping[Any, float] | str | None) -> Any:
    """Return the product of both kinds of weights, exactly; None where there are none."""
    if sample_weight is not None:
        sample_weight = weights_of(sample_weight)
    if class_weight is None:
        return sample_weight
    if isinstance(class_weight, str) and class_weight == "balanced":  # n / (2 n_j)
        groups: Rows = np.asarray(dataset.y > 0).astype(np.int64)
        factors = tuple(Fraction(len(groups), 2 * count) for count in np.bincount(groups).tolist())
    elif isinstance(class_weight, Mapping):
        factors, groups = _factors_of_labels(dataset, class_weight)
    else:
        raise not_class_weights(class_weight)
    numbers = np.ones(dataset.n_samples) if sample_weight is None else numbers_of_rows(sample_weight, dataset.n_samples)
    return RowWeights(numbers=numbers, factors=factors, groups=groups)


def not_class_weights(class_weight: object) -> InvalidOptionError:
    """Return the error that says of what kind class weights are."""
    return InvalidOptionError(f"class_weight is {class_weight!r}; expected 'balanced' or a mapping of label to number")


def weights_of(sample_weight: Any) -> Any:
    """Return weights of rows as binary64 numbers, none of them rounded; weights of a wrong shape stay as they are.

    Raises
    ------
    InvalidProblemError
        If they are masked, or binary64 does not hold one of them.
    """
    refuse_masked(sample_weight, "sample_weight")
    weights = array_of(sample_weight)
    if weights.dtype.kind not in (*REAL_KINDS, "O"):
        raise InvalidProblemError(f"sample_weight holds values of type {weights.dtype}; expected numbers")
    return binary64_numbers(weights, "sample_weight") if weights.ndim == 1 else sample_weight


def _factors_of_labels(dataset: Dataset, class_weight: Mapping[Any, float]) -> tuple[tuple[Fraction, ...], Rows]:
    groups = np.zeros(dataset.n_samples, dtype=np.int64)
    factors = [Fraction(1)]
    for label, factor in class_factors(class_weight, dataset.classes).items():
        groups[dataset.labels == label] = len(factors)
        factors.append(factor)
    return tuple(factors), groups


def class_factors(class_weight: Mapping[Any, float], classes: Collection[Any]) -> dict[Any, Fraction]:
    """Return the factors of the weights by label.

    Raises
    ------
    InvalidOptionError
        If a label is not one of these classes, or a factor is not a finite number from 0.
    """
    unknown = [label for label in class_weight if label not in classes]
    if unknown:
        raise InvalidOptionError(f"class_weight has the label {unknown[0]!r}; the labels are {listed(classes)}")
    factors = {}
    for label, factor in class_weight.items():
        exact = exact_real(factor)
        if exact is None or not 0 <= exact <= sys.float_info.max:
            found = f"class_weight of {label!r} is {short_repr(factor)}"
            raise InvalidOptionError(f"{found}; expected a finite number from 0")
        factors[label] = exact
    return factors
