"""The first pass over all files: their labels, and the extremes of their columns."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from maxmargin.data.formats.table import Choice, Roles, drop_note, kept_names
from maxmargin.data.labels import MOST_CLASSES, LabelError, Labels, check_classes
from maxmargin.data.numbers.numerals import empty_column_hint
from maxmargin.data.outofcore.files.scan import Bounds, Labelled, Reading
from maxmargin.data.outofcore.label_coder import Coder
from maxmargin.data.outofcore.row_cache import SampledRows
from maxmargin.solvers.basics.array_types import Rows
from maxmargin.solvers.errors import option
from maxmargin.text.announcing import report
from maxmargin.text.data_error import DataError, data_error

if TYPE_CHECKING:
    from maxmargin.data.outofcore.dask.dask_rows import DaskRows
    from maxmargin.data.outofcore.files.scan import Scan
    from maxmargin.data.outofcore.on_disk import OnDisk
    from maxmargin.data.outofcore.warmstart.resume import Resumption

_MISSING_LABEL_HINT = f"clean the file, or use {option('drop_missing')} with more {option('memory')}"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stored:
    """Data outside memory, validated.

    Attributes
    ----------
    X : OnDisk or DaskRows
    labels : Labels
    scan : Scan
        The first file; all files have the same columns.
    roles : Roles
    source : str
        The path of the file or folder.
    notes_on_files : list of str
    fits : bool
        Whether the rows can be read into memory.
    """

    X: "OnDisk | DaskRows"
    labels: Labels
    scan: "Scan"
    roles: Roles
    source: str
    notes_on_files: list[str]
    fits: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the features."""
        return tuple(map(str, kept_names(self.scan.names, self.roles.features)))

    @property
    def label_name(self) -> str:
        """The name of the label column, or its position."""
        return str(self.scan.label_name(self.roles))

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes on the files and on their columns."""
        return (*self.notes_on_files, *(self.scan.notes or drop_note(self.scan.names, self.roles)))


class Validation:
    """The first pass over all files.

    Parameters
    ----------
    readings : sequence of Reading
    roles : Roles
    label : str or int
        The name of the label column, or its position.
    is_positive_chosen : bool
    resumption : Resumption, optional
    wanted : ndarray of int, optional
        Increasing numbers of rows to be collected, counted through all files.
    """

    def __init__(
        self,
        readings: Sequence[Reading],
        roles: Roles,
        label: str | int,
        is_positive_chosen: bool,
        resumption: "Resumption | None" = None,
        wanted: Rows | None = None,
    ) -> None:
        self.readings = readings
        self.roles, self.label = roles, label
        self.is_positive_chosen = is_positive_chosen
        self.resumption = resumption
        self.wanted = np.empty(0, np.int64) if wanted is None else wanted
        self._sampled: list[SampledRows] = []
        self._is_whole = True
        self.coder = Coder()
        self.low = np.full((len(readings), len(roles.features)), np.inf)
        self.high = -self.low

    def run(self) -> tuple[Labels, Bounds]:
        """Return the labels and the extremes of the columns."""
        for position, reading in enumerate(self.readings):
            first_row = self.coder.n_rows
            n_known = self._take_known(position)
            if n_known is not None:
                wanted = self.wanted[np.searchsorted(self.wanted, first_row) :] - first_row
                self._read(position, reading.labelled(self.roles, n_known, wanted), first_row)
            self._is_whole &= n_known == 0
        if self.coder.n_rows == 0:
            raise data_error(self.readings[0].path, found="no rows", expected="at least one")
        return self._labels(), (self.low.min(axis=0), self.high.max(axis=0))

    @property
    def sampled(self) -> SampledRows:
        """The sampled rows; none if an earlier process has read some of the rows."""
        return SampledRows.joined(self._sampled if self._is_whole else [], len(self.roles.features))

    def _take_known(self, position: int) -> int | None:
        """Take the findings of an earlier process about a file; return the number of rows, None for all."""
        if self.resumption is None:
            return 0
        first_row = self.coder.n_rows
        for part in self.resumption.labelled(position):
            self._take(position, part, first_row)
        return self.resumption.n_known(position)

    def _read(self, position: int, parts: Iterator[Labelled], first_row: int) -> None:
        n_expected = sum(reading.n_rows for reading in self.readings)
        for part in parts:
            self._take(position, part, first_row)
            if part.sampled is not None:
                self._sampled.append(part.sampled.shifted(first_row))
            report(self.coder.n_rows, max(n_expected, self.coder.n_rows))
            self._keep(position, is_complete=False)
        self._keep(position, is_complete=True)

    def _take(self, position: int, part: Labelled, first_row: int) -> None:
        self._add_labels(self.readings[position], part, first_row)
        np.minimum(self.low[position], part.bounds[0], out=self.low[position])
        np.maximum(self.high[position], part.bounds[1], out=self.high[position])

    def _keep(self, position: int, *, is_complete: bool) -> None:
        if self.resumption is not None:
            self.resumption.add(position, self.coder, (self.low, self.high), is_complete=is_complete)

    def _labels(self) -> Labels:
        try:
            return self.coder.labels()
        except LabelError as error:
            path, row = self.readings[0].path, error.row if len(self.readings) == 1 else None
            raise data_error(path, row=row, column=self.label, found=error.found, expected=error.expected) from error

    def _add_labels(self, reading: Reading, part: Labelled, first_row: int) -> None:
        n_before, name = self.coder.n_rows, self.label
        try:
            self.coder.add(part.distinct, part.positions)
            if self.coder.n_distinct > MOST_CLASSES and not self.is_positive_chosen:
                check_classes(self.coder.classes(), is_positive_chosen=False)
        except LabelError as error:
            if error.row is None:
                found, expected = error.found, error.expected
                raise data_error(reading.path, column=name, found=found, expected=expected, hint=error.hint) from error
            line = None if part.lines is None else int(part.lines[error.row - n_before])
            is_empty = all(label is None for label in part.distinct)
            hint = empty_column_hint(name, is_label=True) if is_empty else _MISSING_LABEL_HINT
            raise _label_error(reading.path, name, error, error.row - first_row, line, hint) from error


def _label_error(path: str, name: str | int, error: LabelError, row: int, line: int | None, hint: str) -> DataError:
    """Return the error about a label that is missing or infinite."""
    position: dict[str, Any] = {"row": row, "column": name} if line is None else {"line": line, "column": name}
    if "missing" in error.found:
        return data_error(path, **position, found="no label", expected="a label", hint=hint)
    return data_error(path, **position, found=error.found, expected=error.expected)


def refuse_what_needs_memory(path: str, choice: Choice) -> None:
    """Raise where the choice asks for something that only a reader of whole tables does.

    Raises
    ------
    DataError
    """
    asked = {
        "one_hot": choice.one_hot.every, "one_hot_column": bool(choice.one_hot.named), "id": choice.id is not None,
        "drop_missing": choice.drop_missing, "decimal": choice.keep_texts,
    }  # fmt: skip
    name = next((name for name, is_asked in asked.items() if is_asked), None)
    if name is not None:
        found = "it asked for data that are read in parts, as they do not fit into memory or lie in a folder"
        more, less = f"allow more memory with {option('memory')}", f"leave a column out with {option('drop')}"
        hint = less if name == "id" else more
        raise data_error(path, option=name, found=found, expected="one file that fits into memory", hint=hint)
