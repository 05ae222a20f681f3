"""Labels: which classes there are, in which order, and which one is +1."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .errors import listed, nearest, quote
from .numerals import number

Label: TypeAlias = str | int | float | bool

MOST_CLASSES = 100
"""More classes than this are taken for a wrong choice of the label column, unless one is chosen as positive."""

EXACT_INTEGERS = 2.0**53
"""Whole numbers of this size and above may have been rounded in binary64."""


class LabelError(ValueError):
    """Labels that do not make a classification problem: what was found, what was expected, what to do, at which row."""

    def __init__(self, *, found: str, expected: str, hint: str = "", row: int | None = None) -> None:
        super().__init__(f"found {found}, expected {expected}" + (f" ({hint})" if hint else ""))
        self.found = found
        self.expected = expected
        self.hint = hint
        self.row = row


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Labels:
    """The classes in order, and for every row the position of its class among them."""

    classes: tuple[Label, ...]
    codes: NDArray[np.intp]

    def values(self) -> NDArray[Any]:
        """Return the label of every row."""
        values: NDArray[Any] = np.array(self.classes)[self.codes]
        return values


def encode(values: NDArray[Any] | Sequence[object]) -> Labels:
    """Find the classes of `values`: in numeric order if all are numbers, else in the order of their texts.

    Whole numbers become integers however they are written (1, 1.0, "1"), other numbers floats, all else texts.

    Raises
    ------
    LabelError
        A label is missing or infinite.

    Examples
    --------
    >>> encode(["10", "9.0", "10"]).classes
    (9, 10)
    """
    if not isinstance(values, np.ndarray):
        return _encode_objects(values)
    return _encode_numbers(values) if values.dtype.kind in "biuf" else _encode_objects(values.tolist())


def is_absent(value: object) -> bool:
    """Return whether `value` is what a library puts where there is none: None, NaN, pandas' NA and NaT.

    Examples
    --------
    >>> is_absent(None), is_absent(float("nan")), is_absent("")
    (True, True, False)
    """
    return value is None or type(value).__name__ in ("NAType", "NaTType") or bool(value != value)


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
    distinct = set(values)
    if any(is_absent(value) for value in distinct):
        row = next(i for i, value in enumerate(values) if is_absent(value))
        raise LabelError(found="a missing label", expected="a label", row=row)
    meaning = _meanings(distinct)
    classes = sorted(set(meaning.values()))
    infinite = [value for value in classes if isinstance(value, float) and np.isinf(value)]
    if infinite:
        row = next(i for i, value in enumerate(values) if meaning[value] in infinite)
        raise LabelError(found="an infinite label", expected="a label", row=row)
    code_of = {value: classes.index(label) for value, label in meaning.items()}
    codes = np.fromiter(map(code_of.__getitem__, values), np.intp, len(values))
    return Labels(classes=tuple(classes), codes=codes)


def _meanings(distinct: Iterable[Any]) -> dict[Any, Any]:
    """Return the label that every value stands for: all numbers, all booleans, or all texts."""
    values = list(distinct)
    if all(isinstance(value, bool | np.bool_) for value in values):
        return {value: bool(value) for value in values}
    as_numbers = [_as_number(value) for value in values]
    if None not in as_numbers:
        return dict(zip(values, _whole_where_all_are(as_numbers), strict=True))
    return {value: value.decode() if isinstance(value, bytes) else str(value) for value in values}


def _as_number(value: object) -> float | None:
    if isinstance(value, bool | np.bool_):
        return None
    if isinstance(value, str):
        return _as_exact_number(value)
    return value if isinstance(value, int | float) else _number_of(value)


def _as_exact_number(text: str) -> float | None:
    """Return the number that `text` writes unless it is so large that two different texts could become one label."""
    value = number(text)
    is_rounded = value is not None and EXACT_INTEGERS <= abs(value) < float("inf")
    return None if is_rounded else value


def _number_of(value: object) -> float | None:
    is_number = isinstance(value, np.number) and not isinstance(value, np.complexfloating)
    return float(value) if is_number else None  # type: ignore[arg-type]


def _whole_where_all_are(values: Iterable[Any]) -> list[Any]:
    """Return the numbers as integers if all are whole, else as floats."""
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
        if not isinstance(label, str) and label == value:
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
    hint = "a quantity? choose the label column with --label, or one class with --positive"
    if any(isinstance(label, float) and not label.is_integer() for label in classes):
        raise LabelError(found=found, expected="two classes, or more that are texts or whole numbers", hint=hint)
    if len(classes) > MOST_CLASSES:
        raise LabelError(found=found, expected=f"at most {MOST_CLASSES}", hint=hint)
