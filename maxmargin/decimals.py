"""The decimal text of a file as exact numbers: 0.1 is one tenth, which no binary64 number is.

Whether two classes are separable can be asked of both readings, and the answers may differ::

    reading = read_decimal("data.csv")
    answer = separability(reading.problem_of(reading.dataset))  # of the text
    stored = separability(problem_of(reading.dataset))  # of its binary64 values
    proof = reading.restated(answer.certificate)  # in the units of the text
"""

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import gcd
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.api import class_problem_of, problem_of
from maxmargin.dataset import Dataset, read_dataset
from maxmargin.readers.errors import data_error, quote
from maxmargin.readers.formats import DELIMITED, READERS, format_of
from maxmargin.readers.numerals import BOOLEAN
from maxmargin.readers.source import suffix_of
from maxmargin.readers.table import Choice, ColumnRef, OneHot, columns_named
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.problem import ClassProblem, Problem
from maxmargin.solvers.proof.certificate import (
    Certificate,
    Overlap,
    QuasiSeparation,
    SeparatingHyperplane,
    texts,
    without_denominators,
)
from maxmargin.solvers.proof.column_units import ColumnUnits
from maxmargin.solvers.proof.dyadic import Integers

MOST_DIGITS = 2000
"""Of a numeral, and the size of its exponent: bounds the work. A binary64 number in full has at most 1,075."""

MOST_BITS = 1000
"""Of the integers of a column: their binary64 roundings stay far from overflow."""


AnyCertificate = TypeVar("AnyCertificate", bound=Certificate)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DecimalReading:
    """A data set, and the exact numbers that its text writes.

    Attributes
    ----------
    dataset : Dataset
        The data set as `load` gives it: names, labels, and the binary64 values.
    integers : ndarray (n_samples, n_features) of int
        The numbers of the text, each a multiple of the unit of its column.
    units : ColumnUnits
        The greatest positive units that make all numbers integers.
    """

    dataset: Dataset
    integers: Integers
    units: ColumnUnits

    def problem_of(self, part: Dataset, *, bias: bool = True) -> Problem:
        """Return the two-class question of the text, for the data set or a part of it (`one_vs_rest`, `pair`).

        Its rows are the integers, its hash is that of the text; `restated` takes its proofs back to the text.

        Raises
        ------
        InvalidProblemError
            If the part has more than two classes and no positive one was chosen.
        """
        question = problem_of(part, bias=bias)
        integers = self.integers_of(part)
        return replace(question, X=_rounded(integers), integers=integers, units=self.units)

    def class_problem_of(self, part: Dataset, *, bias: bool = True) -> ClassProblem:
        """Return the question of all classes of the text at once; `document` takes its proofs back to the text."""
        integers = self.integers_of(part)
        return replace(class_problem_of(part, bias=bias), X=_rounded(integers), integers=integers, units=self.units)

    def integers_of(self, part: Dataset) -> Integers:
        """Return the integers of the rows of a part of the data set."""
        if part.rows is None:
            return self.integers
        # Both number the rows of the source, in increasing order.
        places = part.rows if self.dataset.rows is None else np.searchsorted(self.dataset.rows, part.rows)
        return self.integers[places]

    def rows_of(self, part: Dataset) -> list[tuple[Fraction, ...]]:
        """Return the numbers of the text as fractions, for the rows of a part of the data set."""
        return self.units.rows(self.integers_of(part))

    def restated(self, certificate: AnyCertificate) -> AnyCertificate:
        """Return a proof about the integers of a two-class problem as the proof about the numbers of the text.

        The values y(w.x + b) are the same, so is everything that rests on them.

        Raises
        ------
        InvalidOptionError
            If the proof is about a margin: it is another in the units of the text.
        """
        _refuse_margins(certificate.claim)
        changes: dict[str, Any] = {}
        if isinstance(certificate, SeparatingHyperplane | QuasiSeparation):
            changes["w"] = tuple(self.units.direction(certificate.w, bias=False))
        if isinstance(certificate, Overlap | QuasiSeparation):
            bias = certificate.problem.bias
            changes["null_space"] = tuple(tuple(self._integers(v, bias)) for v in certificate.null_space)
        return replace(certificate, **changes)

    def document(self, certificate: Certificate) -> dict[str, Any]:
        """Return a proof about the integers, for two classes or more, as the written proof about the text.

        Raises
        ------
        InvalidOptionError
            As `restated`.
        """
        _refuse_margins(certificate.claim)
        document = certificate.to_dict()
        bias = certificate.problem.bias
        if "direction" in document:
            document["direction"] = self._restated_texts(document["direction"], bias)
        if "null_space" in document:
            document["null_space"] = [self._restated_texts(vector, bias) for vector in document["null_space"]]
        return document

    def _restated_texts(self, vector: Sequence[str], bias: bool) -> list[str]:
        return texts(self._integers([int(text, 0) for text in vector], bias))

    def _integers(self, vector: Sequence[int], bias: bool) -> list[int]:
        return without_denominators(self.units.direction(vector, bias=bias))


def read_decimal(
    source: "str | os.PathLike[str]",
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
) -> DecimalReading:
    """Read a data set with the exact numbers that its text writes.

    Parameters
    ----------
    source : str or path
        A .csv or .tsv file (also .gz), or `-` for CSV on the standard input. The text of a bundled data set are its
        shortest decimals.
    label, positive, drop, id, one_hot, drop_missing, sep, decimal_comma, format
        As of `load`.

    Raises
    ------
    DataError
        The source is of a format without decimal text, cannot be read as `load` would, or holds numerals too long for
        exact work: of more than 2,000 digits, or in columns whose numbers need integers above 2**1000.
    InvalidOptionError
        The source is a table in memory.

    Examples
    --------
    >>> reading = read_decimal("iris")
    >>> reading.rows_of(reading.dataset)[0]
    (Fraction(51, 10), Fraction(7, 2), Fraction(7, 5), Fraction(1, 5))
    """
    choice = Choice(
        label=label, drop=columns_named(drop), id=id, one_hot=OneHot.of(one_hot), drop_missing=drop_missing,
        sep=sep, decimal_comma=decimal_comma, format=format, keep_texts=True,
    )  # fmt: skip
    _check_source(source, choice)
    dataset, parts = read_dataset(source, choice, positive)
    written = parts.texts or (None,) * dataset.n_features
    columns = [_column(dataset, j, numerals) for j, numerals in enumerate(written)]
    integers = np.column_stack([multiples for multiples, _ in columns])
    units = ColumnUnits(tuple(unit for _, unit in columns))
    return DecimalReading(dataset=dataset, integers=integers, units=units)


def _refuse_margins(claim: str) -> None:
    if claim.startswith("margin"):
        raise InvalidOptionError(f"found a proof of the claim {claim!r}; margins are not known in the decimal reading")


def _check_source(source: object, choice: Choice) -> None:
    if not isinstance(source, str | os.PathLike):
        raise InvalidOptionError(f"found a {type(source).__name__}; decimal text only exists in .csv and .tsv files")
    path = os.fspath(source)
    suffix = format_of(path, choice)
    if (suffix in READERS or choice.format is not None) and suffix not in DELIMITED:
        expected = ".csv or .tsv, as decimal text only exists there"
        found = f"the suffix {suffix!r}" if suffix_of(path) == suffix else f"the format {suffix.removeprefix('.')}"
        raise data_error(path, found=found, expected=expected)


def _column(dataset: Dataset, j: int, numerals: Sequence[str] | None) -> tuple[Integers, Fraction]:
    """Return the numbers of a column as multiples of a unit; where it has no text, of its shortest decimals."""
    written = list(map(repr, dataset.X[:, j].tolist())) if numerals is None else numerals
    distinct = list(set(written))
    multiples, unit = _whole_multiples([_decimal(text, dataset, j) for text in distinct])
    if max(map(abs, multiples)).bit_length() > MOST_BITS:
        raise data_error(
            dataset.source, column=dataset.feature_names[j],
            found="numbers that need integers of more than 300 digits, in their common unit",
            expected="numbers nearer in size for the decimal reading",
        )  # fmt: skip
    multiple_of = dict(zip(distinct, multiples, strict=True))
    return np.array([multiple_of[text] for text in written], dtype=object), unit


def _decimal(text: str, dataset: Dataset, j: int) -> tuple[int, int]:
    """Return ``(integer, exponent)``: what a text of column j writes is ``integer * 10**exponent``."""
    text = text.strip().lower()
    if text in BOOLEAN:
        return int(BOOLEAN[text]), 0
    mantissa, _, exponent = text.partition("e")
    whole, _, decimals = mantissa.partition(".")
    if max(len(mantissa), len(exponent)) <= MOST_DIGITS and abs(int(exponent or 0)) <= MOST_DIGITS:
        return int(whole + decimals), int(exponent or 0) - len(decimals)
    raise data_error(
        dataset.source, column=dataset.feature_names[j], found=quote(text),
        expected=f"at most {MOST_DIGITS} digits, and an exponent of that size, for the decimal reading",
    )  # fmt: skip


def _whole_multiples(decimals: Sequence[tuple[int, int]]) -> tuple[list[int], Fraction]:
    """Return integers without a common factor, and the unit of which the decimals are these multiples; 1 if all are 0.

    Examples
    --------
    >>> _whole_multiples([(5, -1), (-75, -2)])
    ([2, -3], Fraction(1, 4))
    """
    lowest = min((exponent for integer, exponent in decimals if integer), default=0)
    integers = [integer * 10 ** max(0, exponent - lowest) for integer, exponent in decimals]
    factor = gcd(*integers)
    return [integer // (factor or 1) for integer in integers], (factor or 1) * Fraction(10) ** lowest


def _rounded(integers: Integers) -> NDArray[np.float64]:
    """Return the nearest binary64 numbers."""
    return np.ascontiguousarray(integers, dtype=np.float64)
