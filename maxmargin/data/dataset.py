"""The data of a question: features, signs, and the names by which people know them."""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.assemble import Assembled, assemble
from maxmargin.data.formats.readers import read
from maxmargin.data.formats.table import LONGEST_LINE, Choice, ColumnRef, Matrix, OneHot, columns_named, is_matrix
from maxmargin.data.labels import Label, LabelError, Labels, PositiveClass, choose_positive, positive_class
from maxmargin.data.numbers.binary64 import ExactRows
from maxmargin.data.outofcore.budget import Budget
from maxmargin.data.outofcore.open_out_of_core import open_out_of_core
from maxmargin.solvers.answers.factors import Factor
from maxmargin.solvers.basics.array_types import Mask
from maxmargin.solvers.errors import InvalidProblemError, option
from maxmargin.text.data_error import listed
from maxmargin.text.progress import told, waiting

if TYPE_CHECKING:
    from maxmargin.solvers.problem.rows import RowSource
    from maxmargin.solvers.problem.scaling import Bounds

REST = "rest"
"""The value of `Dataset.negative` if the positive class is compared with all the others."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Dataset:
    """Features and labels, ready to be solved; all arrays are read-only.

    Attributes
    ----------
    X : C-contiguous float64 array, scipy.sparse.csr_array, or rows outside memory, of shape (n_samples, n_features)
        Finite numbers; `is_in_memory` says where they are.
    y : ndarray of shape (n_samples,)
        Signs -1 and +1 if `is_binary`, of type int64 (int8 for rows outside memory); otherwise the labels.
    labels : ndarray or Labels of shape (n_samples,)
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
    factors : tuple of Factor
        The categorical variables among the columns.
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

    X: "Matrix | RowSource"
    y: NDArray[Any]
    labels: NDArray[Any] | Labels
    classes: tuple[Label, ...]
    positive: Label | None
    negative: Label | None
    feature_names: tuple[str, ...]
    label_name: str
    source: str
    row_ids: tuple[str, ...] | None = None
    rows: NDArray[np.int64] | None = None
    notes: tuple[str, ...] = ()
    factors: tuple[Factor, ...] = ()
    exact: ExactRows | None = None
    validated: "tuple[Matrix | RowSource, Bounds] | None" = None
    positive_reason: str | None = None

    @property
    def is_binary(self) -> bool:
        """Whether `y` is -1 and +1."""
        return self.positive is not None

    @property
    def is_in_memory(self) -> bool:
        """Whether `X` is an array or a sparse array; otherwise its rows are on disk or on a cluster."""
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
        present = self._present_classes()
        positive = self._class(cls, present)
        y = frozen(signs(self.labels == positive, self.X))
        negative = _against(positive, present)
        reason = "the class against the rest"
        return replace(self, y=y, positive=positive, positive_reason=reason, negative=negative)

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
        present = self._present_classes()
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
            positive_reason="the second class of the pair",
            negative=negative,
            row_ids=None if self.row_ids is None else tuple(self.row_ids[i] for i in kept),
            rows=frozen(kept if self.rows is None else self.rows[kept]),
        )

    def describe_row(self, i: int) -> str:
        """Return a description of row `i` for messages: its position in the source, its name and its label.

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

    def _present_classes(self) -> list[Label]:
        """Return the classes that some row of the data set has."""
        if self.rows is None:
            return list(self.classes)
        return [label for label in self.classes if (self.labels == label).any()]

    def _class(self, wanted: object, present: Sequence[Label]) -> Label:
        try:
            return choose_positive(present, wanted)
        except LabelError as error:
            raise InvalidProblemError(str(error)) from error


def _against(positive: Label, classes: Sequence[Label]) -> Label:
    """Return the only other class, or `REST` if there are several."""
    others = [label for label in classes if label != positive]
    return others[0] if len(others) == 1 else REST


@told(waiting, "reading the data")
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
    memory: str | int | Budget | None = None,
    cluster: str | None = None,
    resume: "str | os.PathLike[str] | None" = None,
    verbose: bool = False,
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
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.

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
        longest_line=LONGEST_LINE if memory is None else Budget.of(memory).line_bytes,
    )  # fmt: skip
    stored = open_out_of_core(
        source, choice, memory=memory, cluster=cluster, is_positive_chosen=positive is not None, resume=resume
    )
    if stored is None:
        return read_dataset(source, choice, positive)[0]
    return dataset_of(
        stored.X[:] if stored.fits else stored.X, stored.labels,
        _chosen(stored.source, stored.label_name, stored.labels, positive),
        feature_names=stored.names, label_name=stored.label_name, source=stored.source, notes=stored.notes,
    )  # fmt: skip


def read_dataset(source: Any, choice: Choice, positive: object = None) -> tuple[Dataset, Assembled]:
    """Read a data set as `load` does; return it with the parts of which it was made.

    Raises
    ------
    DataError
        As `load`.
    """
    parts = assemble(read(source, choice), choice)
    table = parts.table
    dataset = dataset_of(
        parts.X, parts.labels, _chosen(table.source, table.label_name, parts.labels, positive), exact=parts.exact,
        feature_names=tuple(map(str, table.names)), label_name=str(table.label_name), source=table.source,
        row_ids=table.ids, rows=None if table.origin is None else frozen(table.origin), notes=table.notes,
        factors=table.factors,
    )  # fmt: skip
    return dataset, parts


def _chosen(source: str, label_name: str | int, labels: Labels, positive: object) -> PositiveClass:
    try:
        return positive_class(labels.classes, positive)
    except LabelError as error:
        raise error.in_source(source, label_name) from error


def dataset_of(
    X: "Matrix | RowSource",
    labels: Labels,
    chosen: PositiveClass,
    *,
    bounds: "Bounds | None" = None,
    **described: Any,
) -> Dataset:
    """Return the data set of checked numbers and labels; `described` are other attributes of `Dataset`."""
    values = frozen(labels[:]) if is_matrix(X) else labels
    positive, reason = chosen
    if positive is not None:
        y = signs(labels.codes == labels.classes.index(positive), X)
    else:
        y = values if isinstance(values, np.ndarray) else labels.codes
    matrix = frozen_matrix(X)
    return Dataset(
        X=matrix, y=frozen(y), labels=values, classes=labels.classes, positive=positive,
        negative=None if positive is None else _against(positive, labels.classes), positive_reason=reason,
        validated=None if bounds is None else (matrix, bounds), **described,
    )  # fmt: skip


def signs(is_positive: Mask, X: Any) -> NDArray[Any]:
    """Return -1 and +1, of type int8 for rows outside memory and int64 otherwise."""
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
    """Return a matrix with read-only arrays; rows outside memory are returned as they are."""
    if isinstance(X, np.ndarray):
        return frozen(X)
    if not is_matrix(X):
        return X
    from scipy.sparse import csr_array

    matrix = csr_array(X, copy=False)
    matrix.data, matrix.indices, matrix.indptr = map(frozen, (matrix.data, matrix.indices, matrix.indptr))
    return matrix
