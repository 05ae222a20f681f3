"""The file of all records, which are written one by one and survive the death of any process."""

import json
import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

from maxmargin.comparison.jobs.limit import Limit
from maxmargin.text.data_error import DataError
from maxmargin.text.regular_files import check_is_regular

# The name of the file in its folder.
NAME = "cells.sqlite"

# Kinds of records.
CELLS, PROOFS = "cell", "facts"

# Seconds to wait for another process that writes.
_PATIENCE = 60.0

# Seconds between two attempts.
_PAUSE = 0.01

_TABLES = """
CREATE TABLE IF NOT EXISTS records (
    key TEXT PRIMARY KEY, kind TEXT NOT NULL, status TEXT NOT NULL, limits TEXT NOT NULL, record TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS kinds ON records (kind);
CREATE TABLE IF NOT EXISTS notes (name TEXT PRIMARY KEY, value TEXT NOT NULL);
"""

# The limit that has to grow before a record of this status is computed again.
_GROWING = {"timeout": "seconds", "memory": "memory"}


class StoreError(DataError):
    """Records cannot be read or written: a full disk, a damaged file."""


class Store(AbstractContextManager["Store"]):
    """Records by key in an SQLite file with a write-ahead log, and notes about them.

    Parameters
    ----------
    folder : path
        The folder, which is made where it is missing. Several processes may have it open.

    Raises
    ------
    DataError
        If the file is not a store.
    StoreError
        If it cannot be written.
    OSError
        If the folder cannot be made, or the file is not a regular one.
    """

    def __init__(self, folder: "str | os.PathLike[str]") -> None:
        Path(folder).mkdir(parents=True, exist_ok=True)
        self.path = Path(folder, NAME)
        if self.path.exists():
            check_is_regular(self.path)
        with self._explained():
            self._file = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None)
            self._with_a_log()
            self._file.execute("PRAGMA synchronous = FULL")
            self._file.executescript(_TABLES)

    def __exit__(self, *_: object) -> None:
        self._file.close()

    def _with_a_log(self) -> None:
        """Switch to the write-ahead log, for which SQLite does not wait while another process does the same."""
        end = time.monotonic() + _PATIENCE
        while True:
            try:
                self._file.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > end:
                    raise
                time.sleep(_PAUSE)

    def put(self, key: str, kind: str, record: Mapping[str, Any], limit: Limit, *, status: str | None = None) -> None:
        """Write a record at once and for good; it is done or due by this status, or else by its own."""
        values = key, kind, status or record["status"], json.dumps(limit.to_dict()), json.dumps(record)
        with self._explained():
            self._file.execute("INSERT OR REPLACE INTO records VALUES (?, ?, ?, ?, ?)", values)

    def records(self, kind: str) -> dict[str, dict[str, Any]]:
        """Return all records of a kind by key."""
        with self._explained():
            found = self._file.execute("SELECT key, record FROM records WHERE kind = ? ORDER BY key", (kind,))
            return {key: self._parsed(record) for key, record in found}

    def _parsed(self, text: str) -> Any:
        """Return a record or a note."""
        try:
            found = json.loads(text)
        except (ValueError, TypeError, RecursionError):
            found = None
        if not isinstance(found, dict):
            raise DataError(
                f"{self.path}: found a record that is no JSON object; remove this file, and run the study again"
            )
        return found

    def is_done(self, key: str, limit: Limit) -> bool:
        """Return whether there is a record, and not one of a limit that has grown since."""
        found = self._found("SELECT status, limits FROM records WHERE key = ?", key)
        if found is None:
            return False
        status, limits = found
        return status not in _GROWING or not limit.allows_more_than(self._parsed(limits), _GROWING[status])

    def status(self, key: str) -> str | None:
        """Return the status by which a record is done or due, or None."""
        found = self._found("SELECT status FROM records WHERE key = ?", key)
        return None if found is None else str(found[0])

    def note(self, name: str, value: Any) -> None:
        """Write a note, which JSON holds."""
        with self._explained():
            self._file.execute("INSERT OR REPLACE INTO notes VALUES (?, ?)", (name, json.dumps(value)))

    def noted(self, name: str) -> Any:
        """Return a note, or None."""
        found = self._found("SELECT value FROM notes WHERE name = ?", name)
        return None if found is None else self._parsed(found[0])

    def take_over(self, folder: "str | os.PathLike[str]", check: "Callable[[Store], None]" = lambda _: None) -> None:
        """Copy the records of another folder, after a check, that are missing here, or ended better there.

        Raises
        ------
        DataError
            If there are no records in the folder.
        """
        path = Path(folder, NAME)
        if not path.is_file():
            raise DataError(f"{folder}: found no {NAME}, expected the folder of a comparison")
        with Store(folder) as other:
            check(other)
        with self._explained(path):
            self._file.execute("ATTACH ? AS other", (f"{path}",))
            try:
                self._file.execute(_TAKE_OVER)
            finally:
                self._file.execute("DETACH other")

    def _found(self, query: str, key: str) -> Any:
        with self._explained():
            return self._file.execute(query, (key,)).fetchone()

    @contextmanager
    def _explained(self, path: Path | None = None) -> Iterator[None]:
        """Name the file in errors of SQLite."""
        try:
            yield
        except sqlite3.Error as error:
            kind = DataError if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_NOTADB else StoreError
            raise kind(f"{path or self.path}: {error}; what was written before is kept") from error


_TAKE_OVER = """
INSERT OR REPLACE INTO main.records SELECT * FROM other.records AS theirs WHERE NOT EXISTS (
    SELECT 1 FROM main.records AS ours WHERE ours.key = theirs.key AND (ours.status = 'ok' OR theirs.status != 'ok'))
"""
