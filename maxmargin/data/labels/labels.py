"""Labels: which classes there are, and in which order; the rule which one is +1 is in `affirmative`."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.labels.label_values import meanings
from maxmargin.data.numbers.binary64 import EXACT_INTEGERS
from maxmargin.data.numbers.numerals import number
from maxmargin.solvers.errors import option
from maxmargin.text.data_error import ValueRefusedError, listed, nearest, quote

Label: TypeAlias = str | int | float | bool

MOST_CLASSES = 100
"""More classes than this are taken for a wrong choice of the label column, unless one is chosen as positive."""


class LabelError(ValueRefusedError):
    """Labels that do not make a classification problem."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Labels:
    """The classes in order, and for every row the position of its class among them."""

    classes: tuple[Label, ...]
    codes: NDArray[Any]

    def values(self) -> NDArray[Any]:
        """Return the label of every row."""
        values: NDArray[Any] = array_of_labels(self.classes)[self.codes]
        return values


class CodedLabels:
    """The label of every row, kept as the position of its class: as an array of labels, in a fraction of the memory.

    Examples
    --------
    >>> labels = CodedLabels(Labels(classes=("no", "yes"), codes=np.array([0, 1, 0], dtype=np.int8)))
    >>> labels[1].item(), labels[:2].tolist(), (labels == "no").tolist()
    ('yes', ['no', 'yes'], [True, False, True])
    """

    __hash__ = None  # type: ignore[assignment]
    ndim = 1

    def __init__(self, coded: Labels) -> None:
        self.coded = coded
        self._values = array_of_labels(coded.classes)

    @property
    def shape(self) -> tuple[int]:
        """Number of rows."""
        return (len(self.coded.codes),)

    def __len__(self) -> int:
        return len(self.coded.codes)

    def __getitem__(self, rows: Any) -> Any:
        """Return the label of a row, or an array of those of some rows."""
        return self._values[self.coded.codes[rows]]

    def __eq__(self, label: object) -> Any:
        """Return, for every row, whether it has this label."""
        is_it = [one == label for one in self.coded.classes]
        return np.array(is_it)[self.coded.codes]

    def tolist(self) -> list[Any]:
        """Return the label of every row."""
        labels: list[Any] = self[:].tolist()
        return labels


class Coder:
    """Finds the classes of labels that come in parts.

    Examples
    --------
    >>> coder = Coder()
    >>> coder.add(["b", "a"], np.array([0, 0, 1]))
    >>> coder.add(["a"], np.array([0]))
    >>> coder.labels().classes, coder.labels().codes.tolist()
    (('a', 'b'), [1, 1, 0, 0])
    """

    def __init__(self) -> None:
        self._codes: dict[Any, int] = {}
        self._parts: list[NDArray[Any]] = []
        self.n_rows = 0

    @property
    def coded(self) -> tuple[list[Any], NDArray[Any]]:
        """The different labels, as they are written, and for every row that came the position of its own."""
        return list(self._codes), np.concatenate([np.empty(0, np.int8), *self._parts])

    @property
    def n_distinct(self) -> int:
        """How many different labels came, as they are written."""
        return len(self._codes)

    def add(self, distinct: Sequence[object], places: NDArray[np.integer[Any]]) -> None:
        """Take the next rows: their labels are ``distinct[places]``.

        Raises
        ------
        LabelError
            A label is missing or infinite; its row is counted from the first of all.
        """
        used = np.flatnonzero(np.bincount(places, minlength=len(distinct))).tolist()
        codes = np.zeros(len(distinct), dtype=np.int64)
        for place in used:
            self._check(distinct[place], place, places)
            codes[place] = self._codes.setdefault(distinct[place], len(self._codes))
        self._parts.append(codes[places].astype(_smallest_codes(self.n_distinct)))
        self.n_rows += len(places)

    def _check(self, value: Any, place: int, places: NDArray[np.integer[Any]]) -> None:
        is_missing = is_absent(value)
        if is_missing or (isinstance(value, float) and np.isinf(value)):
            found = "a missing label" if is_missing else "an infinite label"
            row = self.n_rows + int(np.flatnonzero(places == place)[0])
            raise LabelError(found=found, expected="a label", row=row)

    def classes(self) -> tuple[Label, ...]:
        """Return the classes of the rows that came, in order."""
        return _encode_objects(list(self._codes)).classes

    def labels(self) -> Labels:
        """Return the labels of all rows that came.

        Raises
        ------
        LabelError
            All labels are numbers, written as texts, and one is infinite.
        """
        try:
            distinct = _encode_objects(list(self._codes))
        except LabelError as error:
            row = int(np.flatnonzero(np.concatenate(self._parts) == error.row)[0])
            raise LabelError(found=error.found, expected=error.expected, row=row) from error
        codes = distinct.codes.astype(_smallest_codes(self.n_distinct))
        return Labels(
            classes=distinct.classes, codes=np.concatenate([codes[:0], *(codes[part] for part in self._parts)])
        )


def array_of_labels(labels: Sequence[Label]) -> NDArray[Any]:
    """Return labels as an array from which they come back: of objects where numpy would make other labels of them.

    Examples
    --------
    >>> array_of_labels([-1, 2**63 + 1]).tolist()
    [-1, 9223372036854775809]
    """
    array = np.array(labels)
    if array.ndim == 1 and array.tolist() == list(labels):
        return array
    objects = np.empty(len(labels), dtype=object)
    objects[:] = labels
    return objects


def _smallest_codes(n_classes: int) -> Any:
    return np.min_scalar_type(-max(n_classes, 1))


def encode(values: NDArray[Any] | Sequence[object] | CodedLabels) -> Labels:
    """Find the classes of `values`: in numeric order if all are numbers, else in the order of their texts.

    Whole numbers become integers however they are written (1, 1.0, "1"), other numbers floats, all else texts; numbers
    that differ stay different, as texts if need be.

    Raises
    ------
    LabelError
        A label is missing or infinite.

    Examples
    --------
    >>> encode(["10", "9.0", "10"]).classes
    (9, 10)
    """
    if isinstance(values, CodedLabels):
        return _present(values.coded)
    if not isinstance(values, np.ndarray):
        return _encode_objects(values)
    is_plain = values.dtype.kind in "biuf" and values.dtype.itemsize <= 8
    return _encode_numbers(values) if is_plain else _encode_objects(values.tolist())


def is_absent(value: object) -> bool:
    """Return whether `value` is what a library puts where there is none: None, NaN, pandas' NA and NaT.

    Examples
    --------
    >>> is_absent(None), is_absent(float("nan")), is_absent("")
    (True, True, False)
    """
    if isinstance(value, Decimal):
        return value.is_nan()
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


def _present(labels: Labels) -> Labels:
    """Return the labels without classes that no row has."""
    counts = np.bincount(labels.codes, minlength=len(labels.classes))
    if counts.all():
        return labels
    kept = np.flatnonzero(counts)
    place = np.cumsum(counts > 0) - 1
    return Labels(classes=tuple(labels.classes[code] for code in kept.tolist()), codes=place[labels.codes])


def _encode_numbers(values: NDArray[Any]) -> Labels:
    if values.dtype.kind == "f":
        _check_finite(values)
    least, greatest = values.min(), values.max()
    is_greatest = values == greatest
    if least == greatest or np.count_nonzero(is_greatest) + np.count_nonzero(values == least) == values.size:
        distinct = np.unique(np.array([least, greatest], dtype=values.dtype))
        codes = is_greatest.astype(np.intp) if distinct.size == 2 else np.zeros(values.size, dtype=np.intp)
    else:
        distinct, codes = np.unique(values, return_inverse=True)
    classes = distinct.tolist()
    return Labels(classes=tuple(classes if distinct.dtype.kind == "b" else _whole_where_all_are(classes)), codes=codes)


def _check_finite(values: NDArray[Any]) -> None:
    bad = np.flatnonzero(~np.isfinite(values))
    if bad.size:
        row = int(bad[0])
        found = "a missing label" if np.isnan(values[row]) else "an infinite label"
        raise LabelError(found=found, expected="a label", row=row)


def _encode_objects(values: Sequence[Any]) -> Labels:
    distinct = _distinct(values)
    if any(is_absent(value) for value in distinct):
        row = next(i for i, value in enumerate(values) if is_absent(value))
        raise LabelError(found="a missing label", expected="a label", row=row)
    try:
        meaning = meanings(distinct)
    except UnicodeDecodeError as error:
        row = next(i for i, value in enumerate(values) if value == error.object)
        raise LabelError(found=f"the bytes {error.object!r}", expected="text in UTF-8", row=row) from None
    classes = sorted(set(meaning.values()))
    odd = [value for value in classes if isinstance(value, float) and not math.isfinite(value)]
    if odd:
        row = next(i for i, value in enumerate(values) if meaning[value] in odd)
        found = "a missing label" if math.isnan(meaning[values[row]]) else "an infinite label"
        raise LabelError(found=found, expected="a label", row=row)
    code_of = {value: classes.index(label) for value, label in meaning.items()}
    codes = np.fromiter(map(code_of.__getitem__, values), np.intp, len(values))
    return Labels(classes=tuple(classes), codes=codes)


def _distinct(values: Sequence[Any]) -> set[Any]:
    try:
        return set(values)
    except TypeError:  # lists, signaling NaN
        row = next(row for row, value in enumerate(values) if not _is_hashable(value))
        found = "a missing label" if isinstance(values[row], Decimal) else f"a {type(values[row]).__name__}"
        raise LabelError(found=found, expected="a number or a text", row=row) from None


def _is_hashable(value: object) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True


def _whole_where_all_are(values: Iterable[Any]) -> list[Any]:
    """Return binary64 numbers and integers as integers if all are whole and were not rounded, else as floats."""
    every = list(values)
    if all(isinstance(value, int) or (value.is_integer() and abs(value) < EXACT_INTEGERS) for value in every):
        return [int(value) for value in every]
    return [float(value) for value in every]


def choose_positive(classes: Sequence[Label], positive: object) -> Label:
    """Return the class that `positive` names: by its text, or as a number (so "1" chooses 1 and 1.0).

    Raises
    ------
    LabelError
        No class is named so.
    """
    wanted = str(positive).strip()
    for label in classes:
        if str(label) == wanted or (isinstance(label, bool) and str(label).casefold() == wanted.casefold()):
            return label
    value = number(wanted)
    for label in classes:
        is_large = isinstance(label, int) and abs(label) >= EXACT_INTEGERS  # other texts are rounded to it
        if not isinstance(label, str) and not is_large and label == value:
            return label
    raise LabelError(
        found=f"no label {quote(wanted)}", expected=f"one of {listed(classes)}", hint=nearest(wanted, classes)
    )


def check_classes(classes: Sequence[Label], *, is_positive_chosen: bool) -> None:
    """Raise :class:`LabelError` unless the classes make a classification problem."""
    if len(classes) == 1:
        raise LabelError(found=f"one class only, {quote(classes[0])}", expected="at least two")
    if is_positive_chosen or len(classes) == 2:
        return
    found = f"{len(classes)} different labels such as {listed(classes[:3])}"
    hint = f"a quantity? choose another column as the label, or one class with {option('positive')}"
    if any(isinstance(label, float) and not label.is_integer() for label in classes):
        raise LabelError(found=found, expected="two classes, or more that are texts or whole numbers", hint=hint)
    if len(classes) > MOST_CLASSES:
        raise LabelError(found=found, expected=f"at most {MOST_CLASSES}", hint=hint)
