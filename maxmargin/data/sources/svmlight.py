"""The sparse text format of SVMlight and LIBSVM: `label index:value index:value # comment`, indices from 1 or 0."""

from array import array
from collections.abc import Iterable
from functools import partial
from typing import Any

import numpy as np

from maxmargin.data.batches import Choice, InOnePiece, Layout, Roles, Table
from maxmargin.data.labels import CodedLabels
from maxmargin.data.numbers.numerals import STORED, TEXT_HINT, cleaned, digits_are_changed, is_missing, parse_number
from maxmargin.data.sources.opening import STDIN, STDIN_NAME, decoded, lines_of, open_binary
from maxmargin.text.data_error import DataError, data_error, quoted

# Largest number of features; every feature has a name and a weight in memory.
GREATEST_INDEX = 5_000_000

# Number of characters of an index that fits into int64 in any case.
_LONGEST_INDEX = 18


def open_svmlight(path: str, choice: Choice) -> InOnePiece:
    """Read a sparse file (also `.gz`), or the standard input (`-`); `index` becomes column `index - 1`.

    Where an index is 0 the indices of the whole file count from 0, which is noted: `index` becomes column `index`. The
    number of features follows from the greatest index. Columns are counted as if the label followed the features.
    Query numbers (`qid:3`) and comments are skipped.

    Raises
    ------
    DataError
        A label or value is not a finite number, an index is not a whole number from 0, or indices do not increase.
    """
    source = STDIN_NAME if path == STDIN else path
    entries = _Entries(source, choice)
    with open_binary(path) as file:
        entries.read(lines_of(file, choice.longest_line, source))
    X = entries.matrix()
    n_features = X.shape[1]
    names = (*(str(index + entries.first_index) for index in range(n_features)), "label")
    where = "the label, the first field of a line"
    layout = Layout(source=source, names=names, n_columns=n_features + 1, only_label=where)
    return InOnePiece(layout=layout, read=partial(_table, entries, X, layout))


def _table(entries: "_Entries", X: Any, layout: Layout, roles: Roles) -> Table:
    notes = ["indices begin at 0: index 0 is column 0"] if entries.first_index == 0 else []  # as in scikit-learn
    notes += ["qid: fields skipped"] if entries.has_qid else []
    return layout.table(
        roles, notes, label=CodedLabels(cleaned(list(entries.written)), np.array(entries.labels)),
        features=X if len(roles.features) == X.shape[1] else X[:, list(roles.features)],
        ids=None if roles.id is None else tuple(f"{value:g}" for value in X[:, [roles.id]].toarray().ravel()),
        lines=np.array(entries.lines, dtype=np.int64),
    )  # fmt: skip


class _Entries:
    """The entries of the file, added line by line."""

    def __init__(self, path: str, choice: Choice) -> None:
        self.path, self.missing_allowed = path, choice.drop_missing
        self.values = array("d")
        self.labels, self.lines, self.indices, self.ends = array("q"), array("q"), array("q"), array("q", [0])
        self.written: dict[str, int] = {}
        self.line, self.first_index, self.has_qid = 0, 1, False

    def read(self, lines: Iterable[bytes]) -> None:
        for line, content in enumerate(lines, start=1):
            self.line = line
            text = decoded(content.partition(b"#")[0], line - 1, self.path)
            if not text.isascii():
                char = next(char for char in text if not char.isascii())
                raise self._error(found=quoted(char), expected="plain ASCII outside comments")
            if fields := text.split():
                self._add(*fields)
        if not self.lines:
            raise data_error(self.path, found="no rows", expected="lines such as '+1 1:0.5 3:2'")

    def _error(self, **said: Any) -> DataError:
        return data_error(self.path, line=self.line, **said)

    def _add(self, label: str, *pairs: str) -> None:
        self.labels.append(self._label(label))
        self.lines.append(self.line)
        if pairs and pairs[0].startswith("qid:"):
            self.has_qid, pairs = True, pairs[1:]
        previous = -1
        for pair in pairs:
            index, value = self._pair(pair)
            if index <= previous:
                found, expected = f"index {index} after index {previous}", "indices that increase"
                raise self._error(found=found, expected=expected)
            self.indices.append(index)
            self.values.append(value)
            previous = index
        if pairs and self.indices[self.ends[-1]] == 0:
            self.first_index = 0
        self.ends.append(len(self.indices))

    def _label(self, text: str) -> int:
        """Return the position of a label among those that are written so far."""
        value = parse_number(text)
        if value is None or not (abs(value) < np.inf or (self.missing_allowed and is_missing(text))):
            raise self._error(found=quoted(text), expected="a number as label, then index:value")
        return self.written.setdefault(text, len(self.written))

    def _pair(self, pair: str) -> tuple[int, float]:
        index, _, text = pair.partition(":")
        if not index.isdecimal():
            is_negative = index.removeprefix("-").isdecimal()
            expected = "an index from 0, or from 1" if is_negative else "index:value such as 3:0.5"
            raise self._error(found=quoted(pair), expected=expected)
        if len(index) > _LONGEST_INDEX:
            raise self._error(found=f"index {quoted(index)}", expected=f"at most {GREATEST_INDEX}")
        return int(index), self._value(text, f"index {index}")

    def _value(self, text: str, column: str) -> float:
        value = parse_number(text)
        if value is not None and digits_are_changed(text, value):
            expected, hint = "a number that binary64 holds", "write it with a decimal point to have it rounded"
            raise self._error(column=column, found=quoted(text), expected=expected, hint=hint)
        if value is not None and (abs(value) < np.inf or (self.missing_allowed and is_missing(text))):
            return value
        found, expected, hint = STORED.complaint(text)
        raise self._error(column=column, found=found, expected=expected, hint="" if hint == TEXT_HINT else hint)

    def matrix(self) -> Any:
        from scipy.sparse import csr_array

        indices = np.array(self.indices, dtype=np.int64) - self.first_index
        n_features = int(indices.max(initial=-1)) + 1
        if n_features == 0:
            raise data_error(self.path, found="no index:value at all", expected="at least one feature")
        if n_features > GREATEST_INDEX:
            greatest = n_features - 1 + self.first_index
            raise data_error(self.path, found=f"index {greatest}", expected=f"at most {GREATEST_INDEX}")
        parts = (np.array(self.values, dtype=np.float64), indices, np.array(self.ends, dtype=np.int64))
        return csr_array(parts, shape=(len(self.lines), n_features))
