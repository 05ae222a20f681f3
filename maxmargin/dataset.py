"""The data of a question: features, signs, and the names by which people know them."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.readers.errors import listed
from maxmargin.readers.labels import Label, LabelError, Labels, check_classes, choose_positive, encode
from maxmargin.readers.table import Choice, ColumnRef
from maxmargin.solvers.errors import InvalidProblemError

if TYPE_CHECKING:
    from maxmargin.readers.assemble import Assembled
    from maxmargin.readers.table import Matrix, Table

REST = "rest"
"""What `Dataset.negative` is when the positive class stands against all the others."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Dataset:
    """Features and labels, ready to be solved; all arrays are read-only.

    Attributes
    ----------
    X : float64 array, C-contiguous, or scipy.sparse.csr_array, of shape (n_samples, n_features)
        Finite numbers.
    y : ndarray of shape (n_samples,)
        int64 of -1 and +1 if `is_binary`, else the labels.
    labels : ndarray of shape (n_samples,)
        The label of every row as the source has it.
    classes : tuple
        All labels of the source in order: numeric if all are numbers, else by text.
    positive, negative : label or None
        The label that is +1, and the one that is -1 (`"rest"` if these are several); None if there are more than two.
    feature_names : tuple of str
        Names of the columns of `X`; positions where the source has none.
    label_name : str
        Name of the label column, or its position.
    source : str
        Display name of where the data came from.
    row_ids : tuple of str, optional
        Names of the rows.
    rows : int64 array, optional
        Position in the source of every row, from 0; None if all rows are here.
    notes : tuple of str
        What was left out or encoded.

    Examples
    --------
    >>> load("iris")
    <Dataset iris: 150 x 4, 3 classes 'setosa', 'versicolor', 'virginica'>
    >>> load("iris", positive="setosa")
    <Dataset iris: 150 x 4, 'setosa' (+1) against 'rest' (-1)>
    """

    X: "Matrix"
    y: NDArray[Any]
    labels: NDArray[Any]
    classes: tuple[Label, ...]
    positive: Label | None
    negative: Label | None
    feature_names: tuple[str, ...]
    label_name: str
    source: str
    row_ids: tuple[str, ...] | None = None
    rows: NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()

    @property
    def is_binary(self) -> bool:
        """Whether `y` is -1 and +1."""
        return self.positive is not None

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return int(self.X.shape[0])

    @property
    def n_features(self) -> int:
        """Number of columns of `X`."""
        return int(self.X.shape[1])

    def one_vs_rest(self, cls: object) -> "Dataset":
        """Return the same rows with `cls` as +1 and every other class as -1.

        Raises
        ------
        InvalidProblemError
            `cls` is not one of `classes`.
        """
        present = _classes_in_order(self)
        positive = self._class(cls, present)
        others = [label for label in present if label != positive]
        return replace(
            self,
            y=_frozen(_signs(self.labels == positive)),
            positive=positive,
            negative=others[0] if len(others) == 1 else REST,
        )

    def pair(self, a: object, b: object) -> "Dataset":
        """Return the rows of two classes only, `a` as -1 and `b` as +1.

        Raises
        ------
        InvalidProblemError
            One of them is not one of `classes`, or both are the same.
        """
        present = _classes_in_order(self)
        negative, positive = self._class(a, present), self._class(b, present)
        if negative == positive:
            raise InvalidProblemError(f"found the class {positive!r} twice, expected two different ones")
        kept = np.flatnonzero((self.labels == negative) | (self.labels == positive)).astype(np.int64)
        labels = self.labels[kept]
        return replace(
            self,
            X=_frozen_matrix(self.X[kept]),
            y=_frozen(_signs(labels == positive)),
            labels=_frozen(labels),
            positive=positive,
            negative=negative,
            row_ids=None if self.row_ids is None else tuple(self.row_ids[i] for i in kept),
            rows=_frozen(kept if self.rows is None else self.rows[kept]),
        )

    def describe_row(self, i: int) -> str:
        """Return how to call row `i` of this data set in a text: its position in the source, its name, its label.

        Examples
        --------
        >>> load("iris").pair("versicolor", "virginica").describe_row(0)
        "row 50 ('versicolor')"
        """
        position = i if self.rows is None else int(self.rows[i])
        name = "" if self.row_ids is None else f" {self.row_ids[i]!r}"
        return f"row {position}{name} ({self.labels[i].item()!r})"

    def __repr__(self) -> str:
        if self.is_binary:
            classes = f"{self.positive!r} (+1) against {self.negative!r} (-1)"
        else:
            classes = f"{len(self.classes)} classes {listed(self.classes)}"
        return f"<Dataset {self.source}: {self.n_samples} x {self.n_features}, {classes}>"

    def _class(self, wanted: object, present: Sequence[Label]) -> Label:
        try:
            return choose_positive(present, wanted)
        except LabelError as error:
            raise InvalidProblemError(str(error)) from error


def _classes_in_order(dataset: Dataset) -> list[Label]:
    """Return the classes that some row of the data set has."""
    if dataset.rows is None:
        return list(dataset.classes)
    return [label for label in dataset.classes if (dataset.labels == label).any()]


def load(
    source: "str | os.PathLike[str] | Any",
    *,
    label: ColumnRef = -1,
    positive: object = None,
    drop: ColumnRef | Iterable[ColumnRef] = (),
    id: ColumnRef | None = None,
    one_hot: bool = False,
    drop_missing: bool = False,
) -> Dataset:
    """Read a data set.

    Parameters
    ----------
    source : str, path or table
        A file (.csv .tsv .parquet .feather .npz .svm .libsvm .svmlight, each also with .gz), the name of a bundled
        data set (iris, breast_cancer, wine, digits), `-` for CSV on the standard input, or a pandas, Polars or
        Arrow table.
    label : str or int
        Column of the labels: a name, or a position from 0 (negative counts from the end). Default: the last.
    positive : label, optional
        The class that is +1, against all others. Default: of two classes the greater; of more none is chosen.
    drop : column or iterable of columns
        Columns to leave out.
    id : str or int, optional
        Column that names the rows; it is not a feature.
    one_hot : bool
        Encode text columns as one column of 0 and 1 for every text but the first in sorted order.
    drop_missing : bool
        Leave out rows with missing values.

    Returns
    -------
    Dataset
        `y` is -1 and +1 for two classes or with `positive`, else the labels.

    Raises
    ------
    DataError
        The source cannot be read as finite numbers with at least two classes. Its text is one line that names the
        source, the place, what was found and what was expected.

    Examples
    --------
    >>> load("breast_cancer").positive
    'malignant'
    """
    dropped = (drop,) if isinstance(drop, str | int) else tuple(drop)
    choice = Choice(label=label, drop=dropped, id=id, one_hot=one_hot, drop_missing=drop_missing)
    return read_dataset(source, choice, positive)[0]


def read_dataset(source: Any, choice: Choice, positive: object = None) -> "tuple[Dataset, Assembled]":
    """Read a data set as `load` does; return with it what it was made from.

    Raises
    ------
    DataError
        As `load`.
    """
    from maxmargin.readers.assemble import assemble
    from maxmargin.readers.formats import read

    table = read(source, choice)
    parts = assemble(table, choice)
    chosen = _chosen(table, parts.labels, positive)
    dataset = _dataset(
        parts.X, parts.labels, chosen,
        feature_names=parts.names, label_name=str(table.label_name), source=table.source, row_ids=parts.ids,
        rows=None if parts.rows is None else _frozen(parts.rows), notes=parts.notes,
    )  # fmt: skip
    return dataset, parts


def _chosen(table: "Table", labels: Labels, positive: object) -> Label | None:
    try:
        return _positive(labels, positive)
    except LabelError as error:
        raise table.error_of_source(
            column=table.label_name, found=error.found, expected=error.expected, hint=error.hint
        ) from error


def _positive(labels: Labels, positive: object) -> Label | None:
    """Return the class that is +1, None if there are more than two and none was asked for."""
    check_classes(labels.classes, is_positive_chosen=positive is not None)
    if positive is not None:
        return choose_positive(labels.classes, positive)
    return labels.classes[1] if len(labels.classes) == 2 else None


def from_arrays(
    X: Any,
    y: Any,
    *,
    positive: object = None,
    feature_names: Iterable[object] | None = None,
    source: str = "array",
) -> Dataset:
    """Take features and labels that are in memory. A C-contiguous float64 array is not copied, nor made read-only.

    Parameters
    ----------
    X : array_like, scipy.sparse matrix or array, or table, of shape (n_samples, n_features)
        Real, finite numbers.
    y : array_like of shape (n_samples,)
        Booleans, numbers or texts; at least two different ones.
    positive : label, optional
        The class that is +1, against all others. Default: of two classes the greater; of more none is chosen.
    feature_names : iterable, optional
        Default: the column names of a table, else "0", "1", ...
    source : str
        Display name.

    Raises
    ------
    InvalidProblemError
        Wrong shapes or lengths, no rows or columns, not real numbers, NaN, infinity, missing labels, one class.

    Examples
    --------
    >>> from_arrays([[0.0], [1.0], [3.0]], ["a", "a", "b"]).y
    array([-1, -1,  1])
    """
    from maxmargin.readers.arrays import features_of, labels_of

    matrix, names = features_of(X, feature_names)
    values = labels_of(y, matrix.shape[0])
    try:
        labels = encode(values)
        chosen = _positive(labels, positive)
    except LabelError as error:
        raise InvalidProblemError(f"y{'' if error.row is None else f', row {error.row}'}: {error}") from error
    return _dataset(matrix, labels, chosen, feature_names=names, label_name="y", source=source)


def _dataset(X: "Matrix", labels: Labels, positive: Label | None, **described: Any) -> Dataset:
    values = labels.values()
    negative: Label | None = None
    y = values
    if positive is not None:
        y = _signs(labels.codes == labels.classes.index(positive))
        others = [label for label in labels.classes if label != positive]
        negative = others[0] if len(others) == 1 else REST
    return Dataset(
        X=_frozen_matrix(X), y=_frozen(y), labels=_frozen(values), classes=labels.classes,
        positive=positive, negative=negative, **described,
    )  # fmt: skip


def _signs(is_positive: NDArray[np.bool_]) -> NDArray[np.int64]:
    return np.array([-1, 1], dtype=np.int64)[is_positive.astype(np.intp)]


def _frozen(values: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only view: the array of the caller stays as it is."""
    view = values.view()
    view.flags.writeable = False
    return view


def _frozen_matrix(X: "Matrix") -> "Matrix":
    if isinstance(X, np.ndarray):
        return _frozen(X)
    from scipy.sparse import csr_array

    matrix = csr_array(X, copy=False)
    matrix.data, matrix.indices, matrix.indptr = map(_frozen, (matrix.data, matrix.indices, matrix.indptr))
    return matrix
