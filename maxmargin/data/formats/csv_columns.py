"""The columns of a delimited file while it is read: text becomes numbers, some thousands of rows at a time."""

import io
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from math import isfinite, isnan
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.formats.advice import advice
from maxmargin.data.formats.table import Choice, Column, Table, drop_note, kept_names, shown_name
from maxmargin.data.numbers import numerals
from maxmargin.data.numbers.numerals import Complaint, Spelling, Texts
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import option
from maxmargin.text.data_error import DataError, data_error

_UNQUOTED = (
    "a number with a comma that is not quoted? then separate the fields by another character, and read a decimal comma "
    f"with {option('decimal_comma')}"
)

NumberedRow: TypeAlias = tuple[int, list[str]]


@dataclass(frozen=True, slots=True, kw_only=True)
class CsvLayout:
    """The layout of a delimited file, as found in its first rows.

    Attributes
    ----------
    source : str
        Display name of the file.
    separator : str
        The separator of the fields.
    names : tuple of str, optional
        Names of the columns, if there is a header.
    n_columns : int
        Fields of a row.
    header_line : int
        Line of the header, from 1; 0 if there is none.
    spelling : Spelling
        How the numbers are written.
    hint : str
        Advice if rows turn out to have another number of fields.
    """

    source: str
    separator: str
    names: tuple[str, ...] | None
    n_columns: int
    header_line: int
    spelling: Spelling
    hint: str


class Columns:
    """The columns of a delimited file while it is read; the texts of features are stored with decimal points."""

    def __init__(self, layout: CsvLayout, choice: Choice) -> None:
        self.layout = layout
        self.choice = choice
        self.spelling = layout.spelling
        self.roles = choice.roles(layout.names, layout.n_columns, layout.source)
        named = [self.roles.label] if self.roles.id is None else [self.roles.label, self.roles.id]
        stored = [*named, *self.roles.features] if choice.needs_texts else named
        self.texts: dict[int, list[str]] = {j: [] for j in stored}
        self.parts: list[Floats] = []
        self.lines: list[NDArray[np.int64]] = []
        self.is_boolean: dict[int, bool] = {}

    def add_text(self, text: str, lines_before: int) -> bool:
        """Add whole lines if all features in them are finite numbers and no line is blank; return whether they were.

        numpy's parser rounds correctly, as Python's does, and is faster, but does not say where a bad field is.
        """
        if self.choice.needs_texts or not text.strip():
            return not text.strip()
        if self.spelling.decimal_comma and self.layout.separator == ",":
            return False
        found: dict[int, list[str]] = {j: [] for j in self.texts}
        values = self._parsed(self.spelling.swapped(text), found)
        n_lines = text.count("\n") + (not text.endswith("\n"))
        if values is None or values.shape != (n_lines, self.layout.n_columns):
            return False
        values = np.take(values, self.roles.features, axis=1)
        if any(self.is_boolean.values()) or not np.isfinite(values).all():
            return False
        for j, texts in found.items():
            self.texts[j] += map(self.spelling.swapped, texts) if self.spelling.decimal_comma else texts
        self.is_boolean.update(dict.fromkeys(self.roles.features, False))
        self.parts.append(values)
        self.lines.append(np.arange(lines_before + 1, lines_before + n_lines + 1))
        return True

    def _parsed(self, text: str, found: dict[int, list[str]]) -> Floats | None:
        """Return the numbers of all columns, with the texts of some put into `found`."""

        def keep(column: int, field: str) -> float:
            found[column].append(field)
            return 0.0

        converters: dict[int | str, Callable[[str], float]] = {j: partial(keep, j) for j in found}
        converters |= {j: lambda _: 0.0 for j in self.roles.dropped if j not in found}
        parse = partial(np.loadtxt, delimiter=self.layout.separator, comments=None, converters=converters, ndmin=2)
        try:
            values: Floats = parse(io.StringIO(text))
        except ValueError:
            return None
        return values

    def add_rows(self, rows: Sequence[NumberedRow]) -> None:
        """Add rows, which may hold anything.

        Raises
        ------
        DataError
            A row has too few or too many fields, or a feature is not a finite number.
        """
        self._check_lengths(rows)
        columns = list(zip(*(fields for _, fields in rows), strict=True))
        if self.spelling.decimal_comma:
            for j in self.roles.features:
                columns[j] = tuple(map(self.spelling.swapped, columns[j]))
        lines = np.array([line for line, _ in rows], dtype=np.int64)
        self.lines.append(lines)
        for j, texts in self.texts.items():
            texts += columns[j]
        if self.choice.needs_texts:
            return
        values = [self._converted(j, columns[j]) for j in self.roles.features]
        refused = [j for j, column in zip(self.roles.features, values, strict=True) if column is None]
        if refused:
            raise self._complaint(lines, columns, refused)
        self.parts.append(np.column_stack([column for column in values if column is not None]))

    def _check_lengths(self, rows: Sequence[NumberedRow]) -> None:
        expected = self.layout.n_columns
        for line, fields in rows:
            if len(fields) != expected:
                found = f"{len(fields)} field{'s' * (len(fields) != 1)}"
                hint = self.layout.hint or (_UNQUOTED if len(fields) > expected and _have_whole_pairs(fields) else "")
                raise data_error(self.layout.source, line=line, found=found, expected=str(expected), hint=hint)

    def _converted(self, column: int, texts: Sequence[str]) -> Floats | None:
        """Return the numbers of a column, or None if one of its texts is refused."""
        values, is_boolean = _numbers_or_booleans(texts)
        if values is None or np.isinf(values).any() or (np.isnan(values).any() and not self.choice.drop_missing):
            return None
        is_new_kind = self.is_boolean.get(column, is_boolean) != is_boolean
        if np.isnan(values).all():
            return values
        self.is_boolean[column] = is_boolean
        return None if is_new_kind else values

    def _complaint(self, lines: NDArray[np.int64], texts: Sequence[Sequence[str]], columns: list[int]) -> DataError:
        """Return the error about the first field, line by line, that is not a finite number."""
        source, names = self.layout.source, self.layout.names
        for row, line in enumerate(lines.tolist()):
            for j in columns:
                if not self._is_fine(texts[j][row]):
                    name = shown_name(names, j)
                    found, expected, hint = self.complain(self.spelling.swapped(texts[j][row]))
                    if all(map(numerals.is_missing, texts[j])):
                        hint = numerals.empty_column_hint(name, is_label=False)
                    hint = self._advice(hint, {shown_name(names, k): texts[k] for k in columns})
                    return data_error(source, line=line, column=name, found=found, expected=expected, hint=hint)
        name, found = shown_name(names, columns[0]), "numbers and true or false in one column"
        return data_error(source, line=int(lines[0]), column=name, found=found, expected="one of the two")

    def _advice(self, hint: str, refused: Mapping[str | int, Sequence[str]]) -> str:
        """Return the advice about one column, or about all that are refused."""
        cleaned = {name: numerals.cleaned(texts) for name, texts in refused.items()}
        missing = {name: texts.count(None) for name, texts in cleaned.items()}
        words = {
            name: texts
            for name, texts in cleaned.items()
            if any(text is not None and numerals.parse_number(text) is None for text in texts)
        }
        incomplete = {name: n for name, n in missing.items() if n and not self.choice.drop_missing}
        return advice(hint, words, incomplete, has_id=self.roles.id is not None, is_coded=False)

    def complain(self, text: str) -> Complaint:
        """Return the error about a text that is not a finite number."""
        return self.spelling.complaint(text)

    def _is_fine(self, text: str) -> bool:
        value = numerals.parse_number(text)
        return value is not None and (isfinite(value) or (isnan(value) and self.choice.drop_missing))

    def table(self) -> Table:
        """Return the table of all rows that were added."""
        roles, names, features = self.roles, self.layout.names, self.roles.features
        row_ids = None if roles.id is None else tuple(text.strip() for text in self.texts[roles.id])
        return Table(
            source=self.layout.source,
            names=kept_names(names, features),
            features=tuple(map(self._column, features)) if self.choice.needs_texts else np.concatenate(self.parts),
            label=self._labels(),
            label_name=shown_name(names, roles.label),
            ids=row_ids,
            lines=np.concatenate(self.lines),
            notes=self.notes(),
            spelling=self.spelling,
        )

    def take(self) -> tuple[Floats, Texts, NDArray[np.int64]]:
        """Return the numbers, the labels and the lines of the rows that were added, and forget them."""
        n_features = len(self.roles.features)
        values = np.concatenate([np.empty((0, n_features)), *self.parts])
        lines = np.concatenate([np.empty(0, dtype=np.int64), *self.lines])
        labels = self._labels()
        self.parts, self.lines, self.texts = [], [], {j: [] for j in self.texts}
        return values, labels, lines

    def _labels(self) -> Texts:
        texts = self.texts[self.roles.label]
        return numerals.cleaned(list(map(self.spelling.label, texts)) if self.spelling.decimal_comma else texts)

    def notes(self) -> tuple[str, ...]:
        """Return notes on the columns that were left out or have no name.

        Row numbers that were saved as a column without a name can separate any sorted data.
        """
        names = self.layout.names
        nameless = [j for j in self.roles.features if names is not None and not names[j]]
        warnings = (f"column {j} has no name (saved row numbers?) and is used as a feature" for j in nameless)
        return (*drop_note(names, self.roles), *warnings)

    def _column(self, j: int) -> Column:
        name, texts, is_named = shown_name(self.layout.names, j), self.texts[j], j in self.roles.encoded
        values, is_boolean = _numbers_or_booleans(texts)
        if values is None:
            as_written = list(map(self.spelling.swapped, texts))
            return Column(name=name, values=numerals.cleaned(as_written), is_named=is_named)
        return Column(name=name, values=values, texts=texts, is_named=is_named, is_boolean=is_boolean)


def _numbers_or_booleans(texts: Sequence[str]) -> tuple[Floats | None, bool]:
    """Return the numbers that texts state, or 1 and 0 for true and false, and whether the texts are these words."""
    values = numerals.numbers(texts)
    return (numerals.booleans(texts), True) if values is None else (values, False)


def _have_whole_pairs(fields: Sequence[str]) -> bool:
    """Return whether two fields next to each other might be the parts of a number with a comma."""
    return any(a.strip("+- ").isdecimal() and b.isdecimal() for a, b in pairwise(fields))
