"""The first pass over all files: their labels, and the extremes of their columns."""

from collections.abc import Sequence
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
from maxmargin.text.data_error import DataError, data_error
from maxmargin.text.pass_progress import report_rows_done

if TYPE_CHECKING:
    from maxmargin.data.outofcore.dask.dask_rows import DaskRows
    from maxmargin.data.outofcore.files.scan import Scan
    from maxmargin.data.outofcore.on_disk import OnDisk

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
    wanted : ndarray of int, optional
        Increasing numbers of rows to be collected, counted through all files.
    """

    def __init__(
        self,
        readings: Sequence[Reading],
        roles: Roles,
        label: str | int,
        is_positive_chosen: bool,
        wanted: Rows | None = None,
    ) -> None:
        self.readings = readings
        self.roles, self.label = roles, label
        self.is_positive_chosen = is_positive_chosen
        self.wanted = np.empty(0, np.int64) if wanted is None else wanted
        self._sampled: list[SampledRows] = []
        self.coder = Coder()
        self.low = np.full(len(roles.features), np.inf)
        self.high = -self.low

    def run(self) -> tuple[Labels, Bounds]:
        """Return the labels and the extremes of the columns."""
        for reading in self.readings:
            self._read(reading, self.coder.n_rows)
        if self.coder.n_rows == 0:
            raise data_error(self.readings[0].path, found="no rows", expected="at least one")
        return self._labels(), (self.low, self.high)

    @property
    def sampled(self) -> SampledRows:
        """The rows that were wanted."""
        return SampledRows.joined(self._sampled, len(self.roles.features))

    def _read(self, reading: Reading, first_row: int) -> None:
        wanted = self.wanted[np.searchsorted(self.wanted, first_row) :] - first_row
        n_expected = sum(other.n_rows for other in self.readings)
        for part in reading.labelled(self.roles, wanted):
            self._add_labels(reading, part, first_row)
            np.minimum(self.low, part.bounds[0], out=self.low)
            np.maximum(self.high, part.bounds[1], out=self.high)
            if part.sampled is not None:
                self._sampled.append(part.sampled.shifted(first_row))
            report_rows_done(self.coder.n_rows, max(n_expected, self.coder.n_rows))

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
