"""A file from which the next process continues if this one is killed.

Its content is tied to the data by marks of their files, and read only if it is whole. It never holds an answer:
verdicts and margins are proven again, by passes over the data.
"""

import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from threading import Lock
from typing import TYPE_CHECKING

import numpy as np

from maxmargin.data.formats.table import Choice, Roles
from maxmargin.data.outofcore.budget import Budget
from maxmargin.data.outofcore.files.scan import Bounds, Labelled, Scan
from maxmargin.data.outofcore.files.text_scan import TextScan
from maxmargin.data.outofcore.warmstart import state_file
from maxmargin.data.outofcore.warmstart.resume_state import FileMark, KnownFile, State, Validated, read_state
from maxmargin.data.outofcore.warmstart.row_store import USES, KeptRows, RowStore, Unconfirmed
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.errors import option
from maxmargin.solvers.problem.rows import Found, Use, WarmStart
from maxmargin.text.announcing import tell, warn
from maxmargin.text.data_error import DataError, data_error
from maxmargin.text.version import __version__

if TYPE_CHECKING:
    from maxmargin.data.outofcore.label_coder import Coder

_FEW_ROWS = 1000
"""Largest number of rows fetched together that are saved for another process."""

_LABELS_AT_ONCE = 1 << 20
"""Largest number of saved labels that are unpacked together."""


class Resumption(WarmStart):
    """Saves the results of passes in a file, and continues with the results that another process saved there.

    Parameters
    ----------
    path : str
        The file to resume from.
    scans : sequence of Scan
        The files of the source.
    roles : Roles
    state : State
        The findings about them.
    budget : Budget

    Attributes
    ----------
    is_compared : bool
        Whether a pass has compared the findings of an earlier process, if there are any, with the data.
    """

    def __init__(self, path: str, scans: Sequence[Scan], roles: Roles, state: State, budget: Budget) -> None:
        self.path = path
        self.scans = scans
        self._roles = roles
        rows, n_bytes = state.rows, 8 * state.rows.values.shape[1]
        self.state = self._known = replace(state, rows=KeptRows.nothing(rows.values.shape[1]))
        self._store = RowStore(rows, budget.saved_bytes // n_bytes, budget.sample_bytes // n_bytes)
        self._recalled = {use: rows.used_for(use) for use in USES}
        self._unconfirmed = Unconfirmed(rows) if rows.numbers.size else None
        self.is_compared = state.n_rows == 0
        self._is_reached = np.zeros((2, rows.values.shape[1]), dtype=np.bool_)
        self._lock = Lock()
        self._work_per_save = budget.work_per_save
        self._cost = 0.0
        self._is_given_up = False
        self._next = time.monotonic()

    @classmethod
    def open(
        cls, path: str, source: str, scans: Sequence[Scan], roles: Roles, budget: Budget, choice: Choice
    ) -> "Resumption":
        """Continue with the findings in the file about the source, or begin the file.

        Raises
        ------
        DataError
            The file is not such a state, is damaged, belongs to other data or columns, or would lie among the data.
        OSError
        """
        _check_is_not_among_the_data(path, source)
        new = _empty(source, scans, roles, choice)
        found = read_state(path) if os.path.lexists(path) else None
        state = new if found is None else _taken_up(path, found, new)
        _check_rows_are_there(path, scans, state)
        _give_positions(path, scans, is_new=found is None)
        resumption = cls(path, scans, roles, state, budget)
        if state is new:
            state.write(path)
        elif state.n_rows:
            whole = "all " * all(file.is_complete for file in state.files)
            n_kept = len(state.rows.numbers)
            tell(f"{path}: {whole}{state.n_rows:,} rows are validated, {n_kept:,} of them are saved")
        return resumption

    def labelled(self, position: int) -> Iterator[Labelled]:
        """Yield the findings about the rows of a file; their labels are read again, except for text files."""
        known, validated = self._known.files[position], self._known.validated
        start = sum(file.n_rows for file in self._known.files[:position])
        bounds = validated.low[position], validated.high[position]
        labels = self.scans[position].labels(self._roles, known.n_rows) if known.n_rows else None
        if labels is not None:
            yield from (Labelled(bounds, *part) for part in labels)
        else:
            for first in range(start, start + known.n_rows, _LABELS_AT_ONCE):
                last = min(first + _LABELS_AT_ONCE, start + known.n_rows)
                yield Labelled(bounds, validated.distinct, validated.codes_of(slice(first, last)))
        if known.is_complete:
            self.scans[position].known(known.n_rows, known.notes)

    def n_known(self, position: int) -> int | None:
        """Return how many rows of a file are known, None for all."""
        known = self._known.files[position]
        return None if known.is_complete else known.n_rows

    def add(self, position: int, coder: "Coder", bounds: Bounds, *, is_complete: bool) -> None:
        """Take the findings about a file, and save them from time to time.

        Parameters
        ----------
        position : int
            Of the file.
        coder : Coder
            With the labels of all rows so far.
        bounds : tuple of two ndarray (n_files, n_columns)
        is_complete : bool
            Whether all rows of the file came.
        """
        scan = self.scans[position]
        is_last = is_complete and position == len(self.scans) - 1
        is_due = is_last or ((is_complete or scan.starts_inside) and time.monotonic() >= self._next)
        if is_complete or is_due:
            self._set_file(position, coder.n_rows, is_complete=is_complete)
        if is_due and not self._is_given_up:
            began = time.monotonic()
            self._keep(Validated.of(*coder.coded, bounds), began)

    def _keep(self, validated: Validated, began: float) -> None:
        if validated.can_be_kept:
            self.state = replace(self.state, validated=validated)
            self._save(began)
        else:
            self._give_up("labels of this type cannot be saved")

    def _set_file(self, position: int, n_rows: int, *, is_complete: bool) -> None:
        scan, files = self.scans[position], list(self.state.files)
        numbers = FileMark.of(scan.numbers_path) if is_complete and scan.numbers_path is not None else None
        files[position] = KnownFile(
            marks=files[position].marks, n_rows=n_rows - sum(file.n_rows for file in files[:position]),
            is_complete=is_complete, notes=tuple(scan.notes), numbers=numbers,
        )  # fmt: skip
        self.state = replace(self.state, files=tuple(files))

    def compare(self, rows: slice, X: Floats, bounds: Bounds) -> None:
        """Compare the findings of an earlier process with a chunk of the data, in any thread.

        Raises
        ------
        DataError
            They differ.
        """
        if self.is_compared:
            return
        number = None if self._unconfirmed is None else self._unconfirmed.different(rows, X)
        if number is not None:
            raise self._other_data(f"a row {number} that is not that of the data")
        (low, high), least, greatest = bounds, X.min(axis=0), X.max(axis=0)
        if not ((least >= low) & (greatest <= high)).all():
            raise self._other_data(f"extremes that rows {rows.start} to {rows.stop - 1} exceed")
        is_reached = np.array([least == low, greatest == high])
        with self._lock:
            self._is_reached |= is_reached

    def _other_data(self, found: str) -> DataError:
        hint = "remove it to start from scratch"
        return data_error(self.path, found=found, expected="what the data hold", hint=hint)

    def end_of_pass(self) -> None:
        """Trust the findings of an earlier process: a pass has compared them with the data.

        Raises
        ------
        DataError
            No row of the data has some of the extremes.
        """
        if not (self.is_compared or self._is_reached.all()):
            raise self._other_data("extremes that no row has")
        self._unconfirmed, self.is_compared = None, True

    def recalled(self, use: Use) -> Rows:
        """Return the numbers of rows that an earlier process saved for a use."""
        return self._recalled[use]

    def remember(self, rows: Rows, X: Floats, use: Use) -> None:
        """Save rows for a use, at once."""
        if self._store.add(rows, X, use):
            self._save()

    def keep(self, question: str, found: Found) -> None:
        """Save the findings about a question, at once, in place of those about any other question."""
        self.state = replace(self.state, question=question, found=found)
        self._save()

    def kept(self, question: str) -> Found:
        """Return the findings of an earlier process about a question."""
        return self.state.found if self.state.question == question else {}

    def rows(self, numbers: Rows, fetch: Callable[[Rows], Floats]) -> Floats:
        """Return the rows of increasing numbers; `fetch` reads missing ones, which are saved too if they are few."""
        found, is_missing = self._store.find(numbers)
        missing = numbers[is_missing]
        if found is not None and not missing.size:
            return found
        began = time.monotonic()
        fetched = fetch(missing)
        is_worth_it = time.monotonic() - began >= self._work_per_save * self._cost
        if len(missing) <= _FEW_ROWS and self._store.add(missing, fetched, None) and is_worth_it:
            self._save()
        if found is None:
            return fetched
        found[is_missing] = fetched
        return found

    def _save(self, began: float | None = None) -> None:
        if self._is_given_up:
            return
        began = time.monotonic() if began is None else began
        try:
            replace(self.state, rows=self._store.content).write(self.path)
        except OSError as error:
            self._give_up(error.strerror or str(error))
        now = time.monotonic()
        self._cost = now - began
        self._next = now + self._work_per_save * self._cost

    def _give_up(self, reason: str) -> None:
        self._is_given_up = True
        warn(f"{self.path}: {reason}; continuing without saving the results")


def _check_is_not_among_the_data(path: str, source: str) -> None:
    """Raise an error if the file would be read as data of the folder the next time."""
    folder, name = os.path.split(os.path.abspath(path))
    if os.path.isdir(folder) and os.path.samefile(folder, source) and not name.startswith((".", "_")):
        raise data_error(path, found="a file among the data", expected="one in another folder")


def _empty(source: str, scans: Sequence[Scan], roles: Roles, choice: Choice) -> State:
    """Return the state of a source of which no row is known."""
    n_columns = len(roles.features)
    names = scans[0].names
    return State(
        version=__version__,
        source=os.path.abspath(source),
        columns={
            "label": roles.label,
            "features": list(roles.features),
            "names": None if names is None else list(names),
            **choice.reading,
        },
        files=tuple(KnownFile(marks=tuple(map(FileMark.of, scan.paths))) for scan in scans),
        validated=Validated.nothing(len(scans), n_columns),
        rows=KeptRows.nothing(n_columns),
    )


def _taken_up(path: str, found: State, new: State) -> State:
    """Return the part of the found state that still holds for the source; otherwise the new state."""
    if found.version != new.version:
        warn(f"{path} was written by maxmargin {found.version}; starting from scratch")
        return new
    n_same = _n_same(found, new)
    if n_same == 0 and found.source != new.source:
        raise data_error(path, found=f"the state of {found.source}", expected=f"that of {new.source}, or a free name")
    if n_same and found.columns != new.columns:
        raise data_error(
            path,
            found="the state of other columns of these data",
            expected=f"the same {option('label')} and {option('drop')}, read in the same way, or a free name",
        )
    if n_same == 0:
        warn(f"{path}: {new.source} has changed since; starting from scratch")
        return new
    if n_same < len(found.files):
        warn(f"{path}: only the first {n_same} of {len(found.files)} files are as they were")
    without = next(
        (position for position in range(n_same) if not _has_numbers(path, position, found.files[position])), None
    )
    if without is not None:
        warn(f"{_numbers_path(path, without)} has changed; reading {new.files[without].marks[0].name} again")
    return found.of_first_files(n_same if without is None else without, new)


def _check_rows_are_there(path: str, scans: Sequence[Scan], state: State) -> None:
    """Raise unless the files, or their parsed numbers where only these tell, have the rows that are known."""
    n_bytes = 8 * state.rows.values.shape[1]
    for scan, file in zip(scans, state.files, strict=True):
        if isinstance(scan, TextScan):
            is_there = file.numbers is None or file.numbers.size == n_bytes * file.n_rows
        else:
            is_there = file.n_rows == scan.n_rows if file.is_complete else file.n_rows <= scan.n_rows
        has_numbers = file.numbers is not None or not (file.is_complete and scan.writes_numbers)
        if not (is_there and has_numbers):
            raise state_file.damaged(path)


def _n_same(found: State, new: State) -> int:
    """Return how many files, from the first on, are as they were."""
    is_same = [old.is_file(own.marks) for old, own in zip(found.files, new.files, strict=False)]
    return [*is_same, False].index(False)


def _has_numbers(path: str, position: int, file: KnownFile) -> bool:
    """Return whether the parsed numbers of a file, if it has some, are as they were."""
    if file.numbers is None:
        return True
    try:
        return FileMark.of(_numbers_path(path, position)).is_same(file.numbers)
    except FileNotFoundError:
        return False


def _numbers_path(path: str, position: int) -> str:
    return f"{path}.numbers-{position}"


def _give_positions(path: str, scans: Sequence[Scan], *, is_new: bool) -> None:
    """Choose the files of parsed numbers; an existing one is overwritten only together with its state."""
    for position, scan in enumerate(scans):
        if scan.writes_numbers:
            scan.numbers_path = _numbers_path(path, position)
            if is_new and os.path.lexists(scan.numbers_path):
                raise data_error(scan.numbers_path, found="a file without its state", expected="a free name")
