"""The data of a question: features, signs and the names by which people know them; and the problems made of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, TypeAlias, TypeGuard, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.labels import Label, LabelError, Labels, PositiveClass, choose_positive, doubts_about, encode
from maxmargin.data.numbers.binary64 import ExactRows
from maxmargin.solvers.answers.factors import Factor
from maxmargin.solvers.basics.array_types import Floats, Mask
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError, option
from maxmargin.solvers.exact.dyadic import Integers, without_denominators
from maxmargin.text.data_error import listed, quoted

if TYPE_CHECKING:
    from maxmargin.solvers.problem.problem import ClassProblem, Problem
    from maxmargin.solvers.problem.rows import RowSource
    from maxmargin.solvers.problem.scaling import Extremes
    from maxmargin.solvers.proof.certificate import Certificate

# Number of the rules by which sources are read, as proofs state it: with others, a file may be other data.
READING_RULES = 1

# The value of `Dataset.negative` if the positive class is compared with all the others.
REST = "rest"


AnyCertificate = TypeVar("AnyCertificate", bound="Certificate")
AnyProblem = TypeVar("AnyProblem", "Problem", "ClassProblem")

# A dense array, or a `scipy.sparse.csr_array` of binary64 numbers, whose package declares no types.
Matrix: TypeAlias = Floats | Any


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Dataset:
    """Features and labels, ready to be solved; all arrays are read-only.

    Attributes
    ----------
    X : C-contiguous float64 array, scipy.sparse.csr_array, or rows outside memory, of shape (n_samples, n_features)
        Finite numbers; `is_in_memory` says where they are.
    y : ndarray of shape (n_samples,)
        Signs -1 and +1 if `is_binary`, of type int64 (int8 for rows outside memory); otherwise the labels (the
        positions of the labels in `classes` for rows outside memory).
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
    has_intercept : bool, optional
        Whether the formula by which the data were read has an intercept, which decides whether hyperplanes have a bias;
        None without a formula.
    read_as : dict, optional
        The arguments of `maxmargin.load` by which a file with these data is read, as proofs state them; None for
        arrays, and for a part of a file.
    header_line : int, optional
        The line of a text file that names the columns, from 1; None if there is none.
    library : str, optional
        The package of the data frame that was read, of which answers make theirs.
    validated : tuple of a matrix and the extremes of its columns, optional
        The matrix that was validated, and the extremes found; they are used only if `X` is that matrix.

    See Also
    --------
    maxmargin.load : Read a data set.
    maxmargin.from_arrays : Make one of arrays.

    Examples
    --------
    >>> import maxmargin as mm
    >>> mm.load("iris")
    <Dataset iris: 150 x 4, 3 classes 'setosa', 'versicolor', 'virginica'>
    >>> mm.load("iris", positive="setosa")
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
    has_intercept: bool | None = None
    read_as: Mapping[str, Any] | None = None
    header_line: int | None = None
    library: str | None = None
    validated: "tuple[Matrix | RowSource, Extremes] | None" = None
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
    def bounds(self) -> "Extremes | None":
        """The least and the greatest number of every column, where they were found on reading."""
        if self.validated is not None and self.validated[0] is self.X:
            return self.validated[1]
        return getattr(self.X, "bounds", None)

    @property
    def stated_reading(self) -> dict[str, Any]:
        """How the data were read, as a proof states it; of arrays only the levels of text columns."""
        coded = {factor.name: factor.levels for factor in self.factors}
        rules = {} if self.read_as is None else {**self.read_as, "rules": READING_RULES}
        return {**rules, **({"coded": coded} if coded else {})}

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
        y, reason = frozen(signs(self.labels == positive, self.X)), "the class against the rest"
        return replace(self, y=y, positive=positive, positive_reason=reason, negative=_against(positive, present))

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
            self, X=frozen_matrix(self.X[kept]), exact=None if self.exact is None else self.exact.taken(kept),
            y=frozen(signs(labels == positive, self.X)), labels=frozen(labels), positive=positive,
            positive_reason="the second class of the pair", negative=negative, read_as=None,
            row_ids=None if self.row_ids is None else tuple(self.row_ids[i] for i in kept),
            rows=frozen(kept if self.rows is None else self.rows[kept]),
        )  # fmt: skip

    def describe_row(self, i: int) -> str:
        """Return a description of row `i` for messages: its position in the source, its name and its label.

        Examples
        --------
        >>> import maxmargin as mm
        >>> mm.load("iris").pair("versicolor", "virginica").describe_row(0)
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


def dataset_of(
    X: "Matrix | RowSource", labels: Labels, chosen: PositiveClass, *, bounds: "Extremes | None", **described: Any
) -> Dataset:
    """Return the data set of checked numbers and labels; `described` are other attributes, its notes among them."""
    values = frozen(labels[:]) if is_matrix(X) else labels
    positive, reason = chosen
    if positive is not None:
        y = signs(labels.codes == labels.classes.index(positive), X)
    else:
        y = values if isinstance(values, np.ndarray) else labels.codes
    matrix = frozen_matrix(X)
    described["notes"] += doubts_about(labels.classes, described["label_name"], may_be_quantity=positive is None)
    return Dataset(
        X=matrix, y=frozen(y), labels=values, classes=labels.classes, positive=positive,
        negative=None if positive is None else _against(positive, labels.classes), positive_reason=reason,
        validated=None if bounds is None else (matrix, bounds), **described,
    )  # fmt: skip


def is_matrix(X: Any) -> TypeGuard[Matrix]:
    """Return whether X is an array or a sparse array in memory."""
    return isinstance(X, np.ndarray) or hasattr(X, "tocsr")


def is_dask(value: object) -> bool:
    """Return whether `value` is a Dask collection, without importing Dask."""
    return type(value).__module__.partition(".")[0] == "dask" and hasattr(value, "to_delayed")


def signs(is_positive: Mask, X: Any) -> NDArray[Any]:
    """Return -1 and +1, of type int8 for rows outside memory and int64 otherwise."""
    kind = np.int64 if is_matrix(X) else np.int8
    return np.where(is_positive, kind(1), kind(-1))


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


# The questions of solvers


def problem_of(dataset: Dataset, *, bias: bool = True, needs_columns: bool = True) -> "Problem":
    """Return the two-class question of a data set.

    Parameters
    ----------
    dataset : Dataset
    bias : bool
    needs_columns : bool
        Whether data without a column are refused, about which only a verdict says anything.

    Raises
    ------
    InvalidProblemError
        If it has more than two classes and no positive one was chosen, numbers that binary64 does not hold, or no
        column where one is needed.
    """
    from maxmargin.solvers.problem.problem import Problem  # slow to import, and not needed to read data

    if not dataset.is_binary:
        raise InvalidProblemError(
            f"{dataset.source} has {len(dataset.classes)} classes; expected two, "
            f"or {option('positive')} to choose one of them"
        )
    check_is_answerable(dataset, needs_columns=needs_columns)
    y = dataset.y.astype("float64") if dataset.is_in_memory else dataset.y  # outside memory there may be many
    is_greater_of_two = len(dataset.classes) == 2 and dataset.positive == dataset.classes[1]
    positive = None if is_greater_of_two else dataset.positive
    return Problem(dataset.X, y, bias, known_bounds=dataset.bounds, positive=positive, read_as=dataset.stated_reading)


def class_problem_of(dataset: Dataset, *, bias: bool = True, needs_columns: bool = True) -> "ClassProblem":
    """Return the question of all classes of a data set at once; the classes are numbered in their order.

    Raises
    ------
    InvalidProblemError
        If it has numbers that binary64 does not hold, or no column where one is needed.
    """
    from maxmargin.solvers.problem.problem import ClassProblem  # slow to import, and not needed to read data

    check_is_answerable(dataset, needs_columns=needs_columns)
    labels = encode(dataset.labels)
    codes = labels.codes.astype("int64")
    n_classes = len(labels.classes)
    return ClassProblem(dataset.X, codes, n_classes, bias, known_bounds=dataset.bounds, read_as=dataset.stated_reading)


def check_is_answerable(dataset: Dataset, *, needs_columns: bool = True) -> None:
    """Check that a data set has a column, if one is needed, and numbers that binary64 holds.

    Raises
    ------
    InvalidProblemError
    """
    if needs_columns and not dataset.n_features:
        formula = (dataset.read_as or {}).get("formula", f"{dataset.label_name} ~ {int(bool(dataset.has_intercept))}")
        why = "it has no term but the intercept; expected one at least"
        raise InvalidProblemError(f"y is the formula {quoted(formula)}: {why}")
    check_is_binary64(dataset)


def check_is_binary64(dataset: Dataset) -> None:
    """Check that `X` is no rounding of numbers that are known exactly: an answer would be about other numbers.

    Raises
    ------
    InvalidProblemError
        The message names the first number that binary64 does not hold.
    """
    if dataset.exact is None:
        return
    units, integers = dataset.exact.units.units, dataset.exact.integers
    is_other = np.column_stack([dataset.X[:, j] != integers[:, j] * unit for j, unit in enumerate(units)])
    row, column = np.unravel_index(int(np.argmax(is_other)), is_other.shape)
    found = quoted(units[column] * integers[row, column])
    raise InvalidProblemError(
        f"{dataset.source}: {dataset.describe_row(int(row))}, column {dataset.feature_names[column]!r}: found {found}, "
        "expected one that binary64 holds exactly (verdicts are decided for such numbers; convert them to binary64 "
        "yourself to have other questions answered for the roundings)"
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DecimalReading:
    """A data set, and the exact numbers that its text writes, or that it was given as Decimals and Fractions.

    Attributes
    ----------
    dataset : Dataset
        The data set as `load` gives it: names, labels, and the binary64 values.
    exact : ExactRows
        The numbers, as integers each of which is a multiple of the unit of its column.
    """

    dataset: Dataset
    exact: ExactRows

    @classmethod
    def of(cls, dataset: Dataset) -> "DecimalReading | None":
        """Return the exact numbers of a data set, and the data set of their roundings; None where these are equal."""
        return None if dataset.exact is None else cls(dataset=replace(dataset, exact=None), exact=dataset.exact)

    def problem_of(self, part: Dataset, *, bias: bool = True) -> "Problem":
        """Return the two-class question of the text, for the data set or a part of it (`one_vs_rest`, `pair`).

        Its rows are the integers, and its hash is the hash of the text; `restated` takes its proofs back to the text.

        Raises
        ------
        InvalidProblemError
            If the part has more than two classes and no positive one was chosen.
        """
        return self._about_integers(problem_of(replace(part, exact=None), bias=bias), part)

    def class_problem_of(self, part: Dataset, *, bias: bool = True) -> "ClassProblem":
        """Return the question of all classes of the text at once; `restated` takes its proofs back to the text."""
        return self._about_integers(class_problem_of(replace(part, exact=None), bias=bias), part)

    def _about_integers(self, problem: AnyProblem, part: Dataset) -> AnyProblem:
        integers = self._integers_of(part)
        rounded = np.ascontiguousarray(integers, dtype=np.float64)
        return replace(problem, X=rounded, integers=integers, units=self.exact.units, known_bounds=None)

    def _integers_of(self, part: Dataset) -> Integers:
        if part.rows is None:
            return self.exact.integers
        # Both number the rows of the source, in increasing order.
        positions = part.rows if self.dataset.rows is None else np.searchsorted(self.dataset.rows, part.rows)
        return self.exact.integers[positions]

    def rows_of(self, part: Dataset) -> list[tuple[Fraction, ...]]:
        """Return the numbers of the text as fractions, for the rows of a part of the data set."""
        return self.exact.units.rows(self._integers_of(part))

    def restated(self, certificate: AnyCertificate) -> AnyCertificate:
        """Return a proof about the integers, for two classes or more, as the proof about the numbers.

        The values y(w.x + b) are the same, so is everything that rests on them.

        Raises
        ------
        InvalidOptionError
            If the proof is about a margin: it is another in the units of the numbers.
        """
        if certificate.claim.startswith("margin"):
            claim = f"the claim {certificate.claim!r}"
            raise InvalidOptionError(f"found a proof of {claim}; margins are not known in the decimal reading")
        stated: Any = certificate
        bias, changes = certificate.problem.bias, dict[str, Any]()
        if hasattr(certificate, "w"):
            changes["w"] = tuple(self.exact.units.direction(stated.w, bias=False))
        if hasattr(certificate, "direction"):
            changes["direction"] = tuple(self.exact.units.direction(stated.direction, bias=bias))
        if hasattr(certificate, "null_space"):
            directions = (self.exact.units.direction(vector, bias=bias) for vector in stated.null_space)
            changes["null_space"] = tuple(tuple(without_denominators(direction)) for direction in directions)
        return replace(certificate, **changes)
