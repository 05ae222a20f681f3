"""The first pass over all files: their labels, and the extremes of their columns."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from maxmargin.readers.errors import DataError, data_error
from maxmargin.readers.labels import MOST_CLASSES, Coder, LabelError, Labels, check_classes
from maxmargin.readers.table import DROP_MISSING_HINT, Roles

from .passes import report
from .scan import Bounds, Labelled, Reading


class Validation:
    """The first pass over all files."""

    def __init__(self, readings: Sequence[Reading], roles: Roles, is_positive_chosen: bool) -> None:
        self.readings = readings
        self.roles = roles
        self.is_positive_chosen = is_positive_chosen
        self.coder = Coder()

    def run(self) -> tuple[Labels, Bounds]:
        """Return the labels and the extremes of the columns."""
        n_expected = sum(reading.n_rows for reading in self.readings)
        low = np.full(len(self.roles.features), np.inf)
        high = -low
        for reading in self.readings:
            first_row = self.coder.n_rows
            for part in reading.labelled(self.roles):
                self._add_labels(reading, part, first_row)
                low, high = np.minimum(low, part.bounds[0]), np.maximum(high, part.bounds[1])
                report(self.coder.n_rows, max(n_expected, self.coder.n_rows))
        if self.coder.n_rows == 0:
            raise data_error(self.readings[0].path, found="no rows", expected="at least one")
        return self._labels(), (low, high)

    def _labels(self) -> Labels:
        try:
            return self.coder.labels()
        except LabelError as error:
            reading = self.readings[0]
            name, row = reading.label_name(self.roles), error.row if len(self.readings) == 1 else None
            raise data_error(reading.path, row=row, column=name, found=error.found, expected=error.expected) from error

    def _add_labels(self, reading: Reading, part: Labelled, first_row: int) -> None:
        n_before = self.coder.n_rows
        name = reading.label_name(self.roles)
        try:
            self.coder.add(part.distinct, part.places)
            if self.coder.n_distinct > MOST_CLASSES and not self.is_positive_chosen:
                check_classes(self.coder.classes(), is_positive_chosen=False)
        except LabelError as error:
            if error.row is None:
                found, expected = error.found, error.expected
                raise data_error(reading.path, column=name, found=found, expected=expected, hint=error.hint) from error
            line = None if part.lines is None else int(part.lines[error.row - n_before])
            raise _label_error(reading.path, name, error, error.row - first_row, line) from error


def _label_error(path: str, name: str | int, error: LabelError, row: int, line: int | None) -> DataError:
    """Word the error of a label that is missing or infinite."""
    place: dict[str, Any] = {"row": row, "column": name} if line is None else {"line": line, "column": name}
    if "missing" in error.found:
        return data_error(path, **place, found="no label", expected="a label", hint=DROP_MISSING_HINT)
    return data_error(path, **place, found=error.found, expected=error.expected)
