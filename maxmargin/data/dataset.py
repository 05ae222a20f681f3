"""The data of a question: features, signs, and the names by which people know them."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.formats.table import LONGEST_LINE, Choice, ColumnRef, Matrix, OneHot, columns_named
from maxmargin.data.frozen import frozen, frozen_matrix, is_matrix, signs
from maxmargin.data.labels.affirmative import AGAINST_REST, SECOND_OF_PAIR, PositiveClass, positive_class
from maxmargin.data.labels.labels import (
    CodedLabels,
    Label,
    LabelError,
    Labels,
    choose_positive,
    encode,
)
from maxmargin.data.numbers.exact_rows import ExactRows
from maxmargin.data.outofcore.gate import opened
from maxmargin.solvers.errors import InvalidProblemError, option
from maxmargin.text.data_error import listed

if TYPE_CHECKING:
    from maxmargin.data.assemble import Assembled
    from maxmargin.data.outofcore.budget import Budget
    from maxmargin.data.outofcore.files.scan import Bounds
    from maxmargin.data.outofcore.opening import Stored
    from maxmargin.solvers.problem.rows import Carrier

REST = "rest"
"""What `Dataset.negative` is when the positive class stands against all the others."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Dataset:
    """Features and labels, ready to be solved; all arrays are read-only.

    Attributes
    ----------
    X : C-contiguous float64 array, scipy.sparse.csr_array, or rows outside memory, of shape (n_samples, n_features)
        Finite numbers; `is_in_memory` says where they are.
    y : ndarray of shape (n_samples,)
        Signs -1 and +1 if `is_binary`, of type int64 (int8 for rows outside memory); otherwise the labels.
    labels : ndarray or CodedLabels of shape (n_samples,)
        The label of every row, as in the source.
    classes : tuple
        All labels of the source in order: numeric if all are numbers, else by text.
    positive, negative : label or None
        The label that is +1 and the one that is -1, which is `"rest"` for several; None if there are more than two
        classes and no positive one.
    positive_reason : str or None
        Why that label is +1: as the affirmative of a known pair, as the greater label in sorted order, or as chosen.
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
        Notes about columns and rows that were left out or encoded.
    exact : ExactRows, optional
        The numbers themselves, if Decimals or Fractions among them are not binary64; `X` is then their rounding.
    validated : tuple of a matrix and the extremes of its columns, optional
        The matrix that was validated, and the extremes found; they are used only if `X` is that matrix.

    See Also
    --------
    maxmargin.load : Read a data set.
    maxmargin.from_arrays : Make one of arrays.

    Examples
    --------
    >>> load("iris")
    <Dataset iris: 150 x 4, 3 classes 'setosa', 'versicolor', 'virginica'>
    >>> load("iris", positive="setosa")
    <Dataset iris: 150 x 4, 'setosa' (+1) against 'rest' (-1)>
    """

    X: "Matrix | Carrier"
    y: NDArray[Any]
    labels: NDArray[Any] | CodedLabels
    classes: tuple[Label, ...]
    positive: Label | None
    negative: Label | None
    feature_names: tuple[str, ...]
    label_name: str
    source: str
    row_ids: tuple[str, ...] | None = None
    rows: NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()
    exact: ExactRows | None = None
    validated: "tuple[Matrix | Carrier, Bounds] | None" = None
    positive_reason: str | None = None

    @property
    def is_binary(self) -> bool:
        """Whether `y` is -1 and +1."""
        return self.positive is not None

    @property
    def is_in_memory(self) -> bool:
        """Whether `X` is an array or a sparse array; else it is a carrier, on disk or on a cluster."""
        return is_matrix(self.X)

    @property
    def bounds(self) -> "Bounds | None":
        """The least and the greatest number of every column, where they were found on reading."""
        if self.validated is not None and self.validated[0] is self.X:
            return self.validated[1]
        return getattr(self.X, "bounds", None)

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
            y=frozen(signs(self.labels == positive, self.X)),
            positive=positive,
            positive_reason=AGAINST_REST,
            negative=others[0] if len(others) == 1 else REST,
        )

    def pair(self, a: object, b: object) -> "Dataset":
        """Return the rows of two classes only, `a` as -1 and `b` as +1.

        Raises
        ------
        InvalidProblemError
            One of them is not one of `classes`, or both are the same, or the rows are not in memory.
        """
        if not is_matrix(self.X):
            raise InvalidProblemError(
                f"{self.source} is not in memory, and a pair of its classes would copy rows; expected data in memory, "
                f"or {option('positive')} to ask for one class against all others"
            )
        present = _classes_in_order(self)
        negative, positive = self._class(a, present), self._class(b, present)
        if negative == positive:
            raise InvalidProblemError(f"found the class {positive!r} twice, expected two different ones")
        kept = np.flatnonzero((self.labels == negative) | (self.labels == positive)).astype(np.int64)
        labels = self.labels[kept]
        return replace(
            self,
            X=frozen_matrix(self.X[kept]),
            exact=None if self.exact is None else self.exact.taken(kept),
            y=frozen(signs(labels == positive, self.X)),
            labels=frozen(labels),
            positive=positive,
            positive_reason=SECOND_OF_PAIR,
            negative=negative,
            row_ids=None if self.row_ids is None else tuple(self.row_ids[i] for i in kept),
            rows=frozen(kept if self.rows is None else self.rows[kept]),
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
        return f"row {position}{name} ({self.labels[[i]].tolist()[0]!r})"

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
    one_hot: OneHot | bool | ColumnRef | Iterable[ColumnRef] = False,
    drop_missing: bool = False,
    sep: str | None = None,
    decimal_comma: bool = False,
    format: str | None = None,
    memory: "str | int | Budget | None" = None,
    cluster: str | None = None,
    resume: "str | os.PathLike[str] | None" = None,
) -> Dataset:
    """Read a data set.

    Parameters
    ----------
    source : str, path or data frame
        One of: a file (.csv .tsv .parquet .feather .npz .svm .libsvm .svmlight, each also with .gz; files of LIBSVM
        also without a suffix); a folder of files of one of the first five formats with the same columns; X.npy beside
        y.npy; the name of a bundled data set (iris, breast_cancer, wine, digits), a family of `generate` or a formula;
        `-` for CSV on the standard input; or a pandas, Polars or Arrow table.
    label : str or int, default -1
        The column of the labels, by its name or its position from 0; negative positions count from the end. Columns in
        which pandas stored the index of a data frame (Parquet, Feather, Arrow) are left out, with a note, and no
        position counts them; to use one, name it here, as `id`, or in `one_hot`.
    positive : label, optional
        The class that is +1, against all others. By default, of two classes it is the affirmative one of a known pair
        (yes/no, +/-, true/false, case/control, positive/negative and the like), otherwise the greater one in sorted
        order; of more classes none is chosen.
    drop : column or iterable of columns, default ()
        Columns to leave out.
    id : str or int, optional
        The column that names the rows; it is not a feature.
    one_hot : bool, column or iterable of columns, default False
        Encode text columns as one column of 0 and 1 for every text except the first in sorted order: all text columns,
        or the columns that are named. With True, a column is refused if its texts look like numbers or dates (10kg,
        10-19, 12:30), or if more than half of more than 5 rows have a text that no other row has: such a row is put
        right whatever its class is, so the columns separate anything.
    drop_missing : bool, default False
        Whether to leave out rows with missing values.
    sep : str, optional
        The separator of the fields of CSV: one character, or "comma", "semicolon", "tab", "pipe", or "space" for any
        white space. By default it is the tab in .tsv, otherwise the first of comma, semicolon and tab that is in the
        first line.
    decimal_comma : bool, default False
        Whether numbers in CSV are written as 1,5. If so, 1.5 is refused, as it might be a thousand and a half;
        semicolons and tabs are preferred to commas as separators; and where commas separate fields, such numbers have
        to be quoted.
    format : {"csv", "tsv", "parquet", "feather", "npz", "npy", "svmlight", "libsvm", "svm"}, optional
        The format of `source`, whatever its name; for the standard input csv, tsv or svmlight. By default the suffix
        decides.
    memory : str, int or Budget, optional
        Bytes, as a number or as in "512MiB" and "1GiB". Files that need more stay on disk, and `Dataset.X` reads them
        in chunks. For this the text of .csv and .tsv is parsed once into a temporary file of 8 bytes a number, and the
        arrays of a compressed .npz are unpacked in the same way. A line of text may take up to a 64th of the memory,
        and at least 2 MiB. By default everything is read into memory, and lines have up to 256 MiB.
    cluster : str, optional
        The address of a Dask scheduler whose workers read the files (.csv .tsv .parquet .feather) and keep their rows.
    resume : str or path, optional
        A file for the results of all passes over files on disk: which rows are validated, their labels, and the rows
        that passes selected. If a process is killed, another one that names the same file continues its work, and
        another question on the same data starts from these results. Files that have changed are read again, with a
        warning; answers are always proven again. Parsed text and unpacked arrays are kept beside it, in files of 8
        bytes a number named after it. The option has no effect on data that fit into memory.

    Returns
    -------
    Dataset
        The data with `y` of -1 and +1 for two classes or if `positive` is given, otherwise with the labels.

    Raises
    ------
    DataError
        If the source cannot be read as finite numbers with at least two classes, or the file to resume from is damaged
        or belongs to other data. The text is one line that names the source and the position in it, with the value that
        was found and the value that was expected.

    See Also
    --------
    from_arrays : Make a data set of arrays.
    generate : Make data whose answers are known.

    Examples
    --------
    >>> load("breast_cancer").positive
    'malignant'
    """
    choice = Choice(
        label=label, drop=columns_named(drop), id=id, one_hot=OneHot.of(one_hot), drop_missing=drop_missing,
        sep=sep, decimal_comma=decimal_comma, format=format,
        longest_line=LONGEST_LINE if memory is None else _longest_line(memory),
    )  # fmt: skip
    stored = opened(
        source, choice, memory=memory, cluster=cluster, is_positive_chosen=positive is not None, resume=resume
    )
    return read_dataset(source, choice, positive)[0] if stored is None else _dataset_of(stored, positive)


def _longest_line(memory: "str | int | Budget") -> int:
    from maxmargin.data.outofcore.budget import Budget

    return Budget.of(memory).line_bytes


def _dataset_of(stored: "Stored", positive: object) -> Dataset:
    chosen = _chosen(stored.source, stored.label_name, stored.labels, positive)
    return _dataset(
        stored.X[:] if stored.fits else stored.X, stored.labels, chosen,
        feature_names=stored.names, label_name=stored.label_name, source=stored.source, notes=stored.notes,
    )  # fmt: skip


def read_dataset(source: Any, choice: Choice, positive: object = None) -> "tuple[Dataset, Assembled]":
    """Read a data set as `load` does; return with it what it was made from.

    Raises
    ------
    DataError
        As `load`.
    """
    from maxmargin.data.assemble import assemble
    from maxmargin.data.formats.suffixes import read

    table = read(source, choice)
    parts = assemble(table, choice)
    chosen = _chosen(table.source, table.label_name, parts.labels, positive)
    dataset = _dataset(
        parts.X, parts.labels, chosen, exact=parts.exact,
        feature_names=parts.names, label_name=str(table.label_name), source=table.source, row_ids=parts.ids,
        rows=None if parts.rows is None else frozen(parts.rows), notes=parts.notes,
    )  # fmt: skip
    return dataset, parts


def _chosen(source: str, label_name: str | int, labels: Labels, positive: object) -> PositiveClass:
    try:
        return positive_class(labels.classes, positive)
    except LabelError as error:
        raise error.in_source(source, label_name) from error


def from_arrays(
    X: Any,
    y: Any,
    *,
    positive: object = None,
    feature_names: Iterable[object] | None = None,
    source: str = "array",
) -> Dataset:
    """Make a data set of features and labels that are in memory.

    A C-contiguous float64 array is neither copied nor made read-only.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame, or Dask array or data frame, of shape (n_samples, n_features)
        Real, finite numbers, none of which is rounded: they are numbers of binary64, or Decimals and Fractions, for
        which verdicts are decided exactly. The rows of a Dask collection stay where they are; with a distributed client
        they are computed once and kept on its cluster.
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
        The data with `y` of -1 and +1 for two classes or if `positive` is given, otherwise with the labels.

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
    from maxmargin.data.arrays import check_row_names, features_of, labels_of

    check_row_names(X=X, y=y)
    features = features_of(X, feature_names)
    values = labels_of(y, features.X.shape[0])
    try:
        labels = encode(values)
        chosen = positive_class(labels.classes, positive)
    except LabelError as error:
        raise InvalidProblemError(f"y{'' if error.row is None else f', row {error.row}'}: {error}") from error
    return _dataset(
        features.X, labels, chosen, bounds=features.bounds, exact=features.exact, feature_names=features.names,
        label_name="y", source=source, notes=features.notes,
    )  # fmt: skip


def _dataset(
    X: "Matrix | Carrier",
    labels: Labels,
    chosen: PositiveClass,
    *,
    bounds: "Bounds | None" = None,
    **described: Any,
) -> Dataset:
    values = labels.values() if is_matrix(X) else CodedLabels(labels)
    negative: Label | None = None
    positive, reason = chosen
    y = labels.codes if positive is None else signs(labels.codes == labels.classes.index(positive), X)
    if positive is None and isinstance(values, np.ndarray):
        y = values
    if positive is not None:
        others = [label for label in labels.classes if label != positive]
        negative = others[0] if len(others) == 1 else REST
    matrix = frozen_matrix(X)
    return Dataset(
        X=matrix, y=frozen(y), labels=frozen(values) if isinstance(values, np.ndarray) else values,
        classes=labels.classes, positive=positive, negative=negative,
        positive_reason=reason, validated=None if bounds is None else (matrix, bounds), **described,
    )  # fmt: skip
