"""Labels: which classes there are, in which order, and which one is +1."""

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.numbers.binary64 import EXACT_INTEGERS
from maxmargin.data.numbers.numerals import bounded_fraction, parse_number
from maxmargin.solvers.basics.array_types import Mask
from maxmargin.solvers.errors import option
from maxmargin.solvers.exact.reals import exact_real
from maxmargin.text.data_error import ValueRefusedError, listed, nearest, quoted

Label: TypeAlias = str | int | float | bool

# Largest number of classes unless one is chosen as positive; more suggest that the label column is a wrong choice.
MOST_CLASSES = 100


# The class that is +1, and why; None if there are more than two and none was chosen.
PositiveClass: TypeAlias = tuple[Label | None, str | None]

# Why a class is +1 that the caller chose.
CHOSEN = "as chosen"

# The affirmative label and the other one, in small letters.
PAIRS = frozenset(
    {
        ("+", "-"), ("+1", "-1"), ("1", "-1"), ("plus", "minus"), ("pos", "neg"), ("positive", "negative"),
        ("true", "false"), ("t", "f"), ("yes", "no"), ("y", "n"), ("on", "off"), ("present", "absent"),
        ("case", "control"), ("cases", "controls"), ("treated", "control"), ("treatment", "control"),
        ("diseased", "healthy"), ("disease", "healthy"), ("sick", "healthy"), ("ill", "healthy"),
        ("patient", "control"), ("patient", "healthy"), ("affected", "unaffected"), ("infected", "uninfected"),
        ("abnormal", "normal"), ("malignant", "benign"), ("success", "failure"), ("pass", "fail"),
        ("ja", "nein"), ("ja", "nee"), ("ja", "nej"), ("ja", "nei"), ("oui", "non"), ("si", "no"), ("s\u00ed", "no"),
        ("s\u00ec", "no"), ("sim", "nao"), ("sim", "n\u00e3o"), ("tak", "nie"), ("ano", "ne"), ("da", "ne"),
        ("da", "nu"), ("igen", "nem"), ("evet", "hay\u0131r"), ("evet", "hayir"),
        ("\u0434\u0430", "\u043d\u0435\u0442"), ("wahr", "falsch"), ("vrai", "faux"),
    }
)  # fmt: skip

# Several fields that were read as one label: a number and more after another separator, or numbers between spaces.
_JOINED = re.compile(r"[+-]?\d[\d.,]*(?:\s*[;\t|].*|(?: +[+-]?\d[\d.,]*)+)")

# Words that turn a label into its opposite: "diabetic" and "non-diabetic".
NEGATIONS = ("not", "no", "non")


# Largest number of different numbers that labels have without a doubt whether they are classes or a quantity.
MOST_NUMBERS = 20

# Least number of rows for each class, on average, with which more than `MOST_NUMBERS` numbers pass as classes.
ROWS_OF_CLASSES = 3


class LabelError(ValueRefusedError):
    """Labels that do not make a classification problem."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Labels:
    """The label of every row, stored as the position of its class: an array of labels in a fraction of the memory.

    Attributes
    ----------
    classes : tuple of label
        The classes in order.
    codes : ndarray of int
        For every row the position of its class.

    Examples
    --------
    >>> labels = Labels(classes=("no", "yes"), codes=np.array([0, 1, 0], dtype=np.int8))
    >>> labels[1].item(), labels[:2].tolist(), (labels == "no").tolist()
    ('yes', ['no', 'yes'], [True, False, True])
    """

    classes: tuple[Label, ...]
    codes: NDArray[Any]

    __hash__ = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, rows: Any) -> Any:
        """Return the label of a row, or an array of the labels of some rows."""
        return array_of_labels(self.classes)[self.codes[rows]]

    def __eq__(self, label: object) -> Any:
        """Return, for every row, whether it has this label."""
        is_it = [one == label for one in self.classes]
        return np.array(is_it)[self.codes]

    def tolist(self) -> list[Any]:
        """Return the label of every row."""
        return list(self[:].tolist())


@dataclass(frozen=True, slots=True)
class CodedLabels:
    """Labels as they are written, None or NaN where missing: the label of a row is ``distinct[positions[row]]``."""

    distinct: Sequence[Any]
    positions: NDArray[np.integer[Any]]

    @classmethod
    def of(cls, values: "NDArray[Any] | Sequence[object] | CodedLabels") -> "CodedLabels":
        """Return the distinct labels, in any order, and which of them every row has.

        Raises
        ------
        LabelError
            A label is a number and missing or infinite, or can be no label, as a list cannot.
        """
        if isinstance(values, CodedLabels):
            return values
        if isinstance(values, np.ndarray) and is_plain(values.dtype) and values.size:
            labels = _encode_numbers(values)
            return cls(labels.classes, labels.codes)
        position_of: dict[Any, int] = {}
        positions: list[int] = []
        for row, label in enumerate(values.tolist() if isinstance(values, np.ndarray) else values):
            try:
                positions.append(position_of.setdefault(label, len(position_of)))
            except TypeError:  # lists, signaling NaN
                found = "a missing label" if isinstance(label, Decimal) else f"a {type(label).__name__}"
                raise LabelError(found=found, expected="a number or a text", row=row) from None
        return cls(list(position_of), np.array(positions, dtype=np.int64))

    @classmethod
    def of_pandas(cls, values: Any) -> "CodedLabels":
        """Return the labels of a series or an index of pandas, None where one is missing."""
        codes, distinct = values.factorize()
        labels = [*distinct.tolist(), None]
        return cls(labels, np.where(codes < 0, len(labels) - 1, codes).astype(np.min_scalar_type(-len(labels))))

    def __len__(self) -> int:
        return len(self.positions)

    def tolist(self) -> list[Any]:
        """Return the label of every row."""
        return [self.distinct[position] for position in self.positions.tolist()]

    @property
    def missing(self) -> Mask:
        """Which rows have no label."""
        are_absent = np.array([is_absent(label) for label in self.distinct], dtype=np.bool_)
        return np.asarray(are_absent[self.positions])


class Coder:
    """Collects labels that arrive in parts, and finds their classes.

    Examples
    --------
    >>> coder = Coder()
    >>> coder.add(CodedLabels(["b", "a"], np.array([0, 0, 1])))
    >>> coder.add(CodedLabels(["a"], np.array([0])))
    >>> coder.labels().classes, coder.labels().codes.tolist()
    (('a', 'b'), [1, 1, 0, 0])
    """

    def __init__(self) -> None:
        self._codes: dict[Any, int] = {}
        self._parts: list[NDArray[Any]] = []
        self.n_rows = 0

    @property
    def has_many(self) -> bool:
        """Whether there are more labels so far, as they are written, than classes may be."""
        return len(self._codes) > MOST_CLASSES

    def add(self, labels: CodedLabels) -> None:
        """Add the labels of the next rows.

        Raises
        ------
        LabelError
            A label is missing or infinite; its row is counted from the first row of all.
        """
        distinct, positions = labels.distinct, labels.positions
        used = np.flatnonzero(np.bincount(positions, minlength=len(distinct))).tolist()
        codes = np.zeros(len(distinct), dtype=np.int64)
        for position in used:
            label = distinct[position]
            if is_absent(label) or (isinstance(label, float) and math.isinf(label)):
                raise unusable_label(label, self.n_rows + int(np.argmax(positions == position)))
            codes[position] = self._codes.setdefault(label, len(self._codes))
        self._parts.append(codes[positions].astype(np.min_scalar_type(-max(1, len(self._codes)))))
        self.n_rows += len(positions)

    def labels(self) -> Labels:
        """Return the labels of the rows so far.

        Raises
        ------
        LabelError
            All labels are numbers, written as texts, and one is infinite.
        """
        try:
            distinct = _encode_distinct(list(self._codes))
        except LabelError as error:
            error.row = int(np.argmax(np.concatenate(self._parts) == error.row))
            raise
        codes = distinct.codes.astype(np.min_scalar_type(-max(1, len(self._codes))))
        parts = [codes[part] for part in self._parts]
        return Labels(classes=distinct.classes, codes=np.concatenate([codes[:0], *parts]))


def array_of_labels(labels: Sequence[Label]) -> NDArray[Any]:
    """Return labels as an array from which they come back: of objects where numpy would make other labels of them.

    Examples
    --------
    >>> array_of_labels([-1, 2**63 + 1]).tolist()
    [-1, 9223372036854775809]
    """
    array = np.array(labels)
    return array if array.tolist() == list(labels) else np.array(labels, dtype=object)


def encode(values: NDArray[Any] | Sequence[object] | Labels | CodedLabels) -> Labels:
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
    if isinstance(values, Labels):
        return values
    if isinstance(values, np.ndarray) and is_plain(values.dtype):
        return _encode_numbers(values)
    coder = Coder()
    coder.add(CodedLabels.of(values))
    return coder.labels()


def is_plain(dtype: np.dtype[Any]) -> bool:
    """Return whether labels of a type are booleans or numbers of at most 64 bits."""
    return dtype.kind in "biuf" and dtype.itemsize <= 8


def is_absent(value: object) -> bool:
    """Return whether `value` stands for a missing value: None, NaN, pandas' NA and NaT.

    Examples
    --------
    >>> is_absent(None), is_absent(float("nan")), is_absent("")
    (True, True, False)
    """
    if isinstance(value, Decimal):
        return value.is_nan()
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


def _encode_numbers(values: NDArray[Any]) -> Labels:
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise unusable_label(values[row], row)
    distinct = np.unique(np.array([values.min(), values.max()]))
    is_other = values != distinct[0]
    codes = is_other.astype(np.intp)
    if (is_other & (values != distinct[-1])).any():
        distinct, codes = np.unique(values, return_inverse=True)
    classes = distinct.tolist()
    if values.dtype.kind == "f" and all(value.is_integer() and abs(value) < EXACT_INTEGERS for value in classes):
        classes = [int(value) for value in classes]
    return Labels(classes=tuple(classes), codes=codes)


def unusable_label(value: object, row: int) -> LabelError:
    """Return the error about a label that is missing or infinite."""
    return LabelError(found="a missing label" if is_absent(value) else "an infinite label", expected="a label", row=row)


def _encode_distinct(distinct: Sequence[Any]) -> Labels:
    """Return the classes of different labels, none of which is missing, and the class of each."""
    try:
        labels = meanings(distinct)
    except UnicodeDecodeError as error:
        position = distinct.index(error.object)
        raise LabelError(found=f"the bytes {error.object!r}", expected="text in UTF-8", row=position) from None
    for position, label in enumerate(labels):
        if isinstance(label, float) and not math.isfinite(label):
            raise unusable_label(label, position)
    classes = sorted(set(labels))
    code_of = {label: code for code, label in enumerate(classes)}
    return Labels(classes=tuple(classes), codes=np.array([code_of[label] for label in labels], np.intp))


def choose_positive(classes: Sequence[Label], positive: object) -> Label:
    """Return the class that `positive` names: by its text, or as a number (so "1" chooses 1 and 1.0).

    Raises
    ------
    LabelError
        No class has this name.
    """
    wanted = str(positive).strip()
    for label in classes:
        if str(label) == wanted or (isinstance(label, bool) and str(label).casefold() == wanted.casefold()):
            return label
    value = parse_number(wanted)
    for label in classes:
        is_large = isinstance(label, int) and abs(label) >= EXACT_INTEGERS  # other texts are rounded to it
        if not isinstance(label, str) and not is_large and label == value:
            return label
    raise LabelError(
        found=f"no label {quoted(wanted)}", expected=f"one of {listed(classes)}", hint=nearest(wanted, classes)
    )


def refuse_joined(classes: Sequence[Label]) -> None:
    """Raise :class:`LabelError` if all labels of a text look like several fields, the first of which is a number."""
    if all(isinstance(label, str) and _JOINED.fullmatch(label) for label in classes):
        hint = f"give the separator with {option('sep')}, and {option('decimal_comma')} if numbers are written as 1,5"
        raise LabelError(found=f"labels such as {listed(classes[:3])}", expected="one field each", hint=hint)


def _check_classes(classes: Sequence[Label], *, is_positive_chosen: bool, n_rows: int) -> None:
    """Raise :class:`LabelError` unless the classes make a classification problem.

    Numbers pass as classes only if they are few, or rows enough share them.
    """
    if len(classes) == 1:
        hint = (
            "are labels folded into the rows, as y x? append every row negated with the other label, and ask through "
            f"the origin with {option('no_bias')}, or 0 + in a formula"
        )
        raise LabelError(found=f"one class only, {quoted(classes[0])}", expected="at least two", hint=hint)
    if is_positive_chosen or len(classes) == 2:
        return
    found = f"{len(classes)} different labels such as {listed(classes[:3])}"
    hint = f"a quantity? choose another column as the label, or one class with {option('positive')}"
    if any(isinstance(label, float) and not label.is_integer() for label in classes):
        raise LabelError(found=found, expected="two classes, or more that are texts or whole numbers", hint=hint)
    n_classes = len(classes)
    are_few = n_classes <= MOST_NUMBERS or ROWS_OF_CLASSES * n_classes <= n_rows
    if not are_few and _are_numbers(classes):
        raise LabelError(
            found=f"{n_classes} different numbers in {n_rows} rows, such as {listed(classes[:3])}",
            expected=f"at most {MOST_NUMBERS}, or {ROWS_OF_CLASSES} rows for each on average",
            hint=f"{hint}; if these are classes, name them by texts such as 'class {classes[0]}'",
        )
    if len(classes) > MOST_CLASSES:
        raise LabelError(found=found, expected=f"at most {MOST_CLASSES}", hint=hint)


def doubts_about(classes: Sequence[Label], label_name: str, *, may_be_quantity: bool) -> tuple[str, ...]:
    """Return notes on labels that differ in case or blanks only, on many numbers, and on whole numbers with gaps.

    Examples
    --------
    >>> doubts_about([0, 10, 11, 12], "dead", may_be_quantity=True)
    ("the label column 'dead' has 4 different numbers, such as 0, 10, 11: is it a quantity?",)
    >>> doubts_about(["NO", "Yes", "no", "yes"], "died", may_be_quantity=False)
    ("labels of 'died' that differ in case or blanks only are different classes: 'NO', 'no'; 'Yes', 'yes'",)
    """
    if _are_numbers(classes):
        are_in_turn = classes[-1] == classes[0] + len(classes) - 1  # type: ignore[operator]  # numbers
        if not may_be_quantity or len(classes) < 3 or (are_in_turn and len(classes) <= MOST_NUMBERS):
            return ()
        found = f"{len(classes)} different numbers, such as {listed(classes[:3])}"
        return (f"the label column {quoted(label_name)} has {found}: is it a quantity?",)
    alike: dict[str, list[str]] = {}
    for label in (label for label in classes if isinstance(label, str)):
        alike.setdefault("".join(label.split()).casefold(), []).append(label)
    twins = "; ".join(listed(labels) for labels in alike.values() if len(labels) > 1)
    what = "that differ in case or blanks only are different classes"
    return (f"labels of {quoted(label_name)} {what}: {twins}",) if twins else ()


def _are_numbers(classes: Sequence[Label]) -> bool:
    return not any(isinstance(label, str | bool) for label in classes)


# Values


def meanings(values: Sequence[Any]) -> list[Any]:
    """Return the label that every value stands for: all numbers, all booleans, or all texts."""
    if all(isinstance(value, bool | np.bool_) for value in values):
        return list(map(bool, values))
    exact = [_as_number(value) for value in values]
    named = None if None in exact else _named(values, exact)
    if named is not None:
        return named
    return [value.decode() if isinstance(value, bytes) else str(value) for value in values]


def _as_number(value: object) -> Fraction | float | None:
    """Return the number that a label is or writes, a float as it is written; an infinite one as a float."""
    if isinstance(value, bool | np.bool_):
        return None
    if isinstance(value, str):
        number = parse_number(value)
        if number is None or EXACT_INTEGERS <= abs(number) < math.inf:  # comparing texts is safer
            return None
        return bounded_fraction(value) if math.isfinite(number) else number
    if isinstance(value, float):
        return Fraction(repr(float(value))) if math.isfinite(value) else value
    is_infinite = isinstance(value, Decimal | np.floating) and math.isinf(value)
    return float(value) if is_infinite else exact_real(value)  # type: ignore[arg-type]


def _named(values: Sequence[Any], exact: Sequence[Any]) -> list[Any] | None:
    """Return numbers as integers if all are whole, else as floats; None where these would merge some of them."""
    if all(map(_is_whole, values, exact)):
        return [int(number) for number in exact]
    nearest = [_rounded(number) for number in exact]
    return nearest if len(set(nearest)) == len(set(exact)) else None


def _rounded(number: Fraction | float) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _is_whole(value: object, exact: Fraction | float) -> bool:
    """Return whether a number is whole; large floating-point numbers are taken for rounded ones."""
    if not isinstance(exact, Fraction) or exact.denominator != 1:
        return False
    return isinstance(value, Rational | Decimal) or abs(exact) < int(EXACT_INTEGERS)


# The positive class


def positive_class(labels: Labels, chosen: object) -> PositiveClass:
    """Return which class is +1, and why.

    Raises
    ------
    LabelError
        The classes do not make a classification problem, or none of them is the chosen one.
    """
    classes = labels.classes
    _check_classes(classes, is_positive_chosen=chosen is not None, n_rows=len(labels))
    if chosen is not None:
        return choose_positive(classes, chosen), CHOSEN
    return default_positive(classes) if len(classes) == 2 else (None, None)


def default_positive(classes: Sequence[Label]) -> tuple[Label, str]:
    """Return which of two classes in sorted order is +1, and why.

    Examples
    --------
    >>> default_positive(["+", "-"]), default_positive(["a", "b"])
    (('+', 'the affirmative of +/-'), ('b', 'the greater label in sorted order'))
    >>> default_positive(["Diabetic", "non-diabetic"])
    ('Diabetic', 'the affirmative of Diabetic/non-diabetic')
    """
    least, greatest = classes
    for label, other in ((least, greatest), (greatest, least)):
        word, opposite = _plain(label), _plain(other)
        negated = (f"{negation}{gap}{word}" for negation in NEGATIONS for gap in " -_")
        if (word, opposite) in PAIRS or opposite in negated:
            return label, f"the affirmative of {label}/{other}"
    return greatest, "the greater label in sorted order"


def _plain(label: object) -> str:
    """Return a label in small letters, with a plain minus sign."""
    return str(label).strip().casefold().replace("\N{MINUS SIGN}", "-")
