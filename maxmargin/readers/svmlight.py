"""The sparse text format of SVMlight and LIBSVM: `label index:value index:value # comment`, indices from 1."""

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from .errors import DataError, data_error, quote
from .numerals import complaint, is_missing, number
from .source import open_binary
from .table import Choice, Table, drop_note, kept_names

if TYPE_CHECKING:
    from scipy.sparse import csr_array

LABEL_NAME = "label"

GREATEST_INDEX = 5_000_000
"""Features beyond this are refused: every one has a name and a weight in memory."""


def read_svmlight(path: str, choice: Choice) -> Table:
    """Read a sparse file (also `.gz`); `index` becomes column `index - 1`.

    The number of features is the greatest index. Columns are counted as if the label followed the features.
    Query numbers (`qid:3`) and comments are skipped.

    Raises
    ------
    DataError
        A label or value is not a finite number, an index is not a whole number from 1, or indices do not increase.
    """
    entries = _Entries(path, choice)
    with open_binary(path) as file:
        entries.read(file)
    X = entries.matrix()
    n_features = X.shape[1]
    roles = choice.roles((*[""] * n_features, LABEL_NAME), n_features + 1, path)
    if roles.label != n_features:
        raise data_error(
            path, option="label", found=f"column {choice.label!r}", expected="the label, the first field of a line"
        )
    qid_note = ("qid: fields skipped",) if entries.has_qid else ()
    return Table(
        source=path,
        names=kept_names(None, roles.features),
        features=X if len(roles.features) == n_features else X[:, list(roles.features)],
        label=np.array(entries.labels, dtype=np.float64),
        label_name=LABEL_NAME,
        ids=None if roles.id is None else tuple(f"{value:g}" for value in X[:, [roles.id]].toarray().ravel()),
        lines=np.array(entries.lines, dtype=np.int64),
        notes=(*drop_note(None, roles), *qid_note),
    )


class _Entries:
    """Takes the lines of the file one by one."""

    def __init__(self, path: str, choice: Choice) -> None:
        self.path = path
        self.missing_allowed = choice.drop_missing
        self.labels = array("d")
        self.lines = array("q")
        self.ends = array("q", [0])
        self.indices = array("q")
        self.values = array("d")
        self.has_qid = False

    def read(self, lines: Iterable[bytes]) -> None:
        for line, content in enumerate(lines, start=1):
            fields = self._text(content.partition(b"#")[0], line).split()
            if fields:
                self._add(fields, line)
        if not self.lines:
            raise data_error(self.path, found="no rows", expected="lines such as '+1 1:0.5 3:2'")

    def _text(self, content: bytes, line: int) -> str:
        content = content.removeprefix(b"\xef\xbb\xbf") if line == 1 else content
        try:
            return content.decode("ascii")
        except UnicodeDecodeError as error:
            found = f"byte 0x{content[error.start]:02x}"
            raise data_error(self.path, line=line, found=found, expected="plain ASCII outside comments") from error

    def _add(self, fields: list[str], line: int) -> None:
        label, *pairs = fields
        self.labels.append(self._label(label, line))
        self.lines.append(line)
        if pairs and pairs[0].startswith("qid:"):
            self.has_qid = True
            del pairs[0]
        previous = 0
        for pair in pairs:
            index, value = self._pair(pair, line)
            if index <= previous:
                raise self._index_error(pair, index, previous, line)
            self.indices.append(index - 1)
            self.values.append(value)
            previous = index
        self.ends.append(len(self.indices))

    def _label(self, text: str, line: int) -> float:
        value = number(text)
        is_fine = value is not None and (np.isfinite(value) or (is_missing(text) and self.missing_allowed))
        if value is None or not is_fine:
            raise data_error(self.path, line=line, found=quote(text), expected="a number as label, then index:value")
        return value

    def _pair(self, pair: str, line: int) -> tuple[int, float]:
        index, _, text = pair.partition(":")
        if not index.removeprefix("-").isdecimal():
            raise data_error(self.path, line=line, found=quote(pair), expected="index:value such as 3:0.5")
        return int(index), self._value(text, line, index)

    def _value(self, text: str, line: int, index: str) -> float:
        value = number(text)
        if value is not None and (abs(value) < np.inf or (is_missing(text) and self.missing_allowed)):
            return value
        found, expected, hint = complaint(text)
        raise data_error(self.path, line=line, column=f"index {index}", found=found, expected=expected, hint=hint)

    def _index_error(self, pair: str, index: int, previous: int, line: int) -> DataError:
        if index < 1:
            return data_error(
                self.path, line=line, found=quote(pair), expected="an index from 1", hint="indices start at 1"
            )
        return data_error(
            self.path, line=line, found=f"index {index} after index {previous}", expected="indices that increase"
        )

    def matrix(self) -> "csr_array":
        from scipy.sparse import csr_array

        indices = np.array(self.indices, dtype=np.int64)
        n_features = int(indices.max()) + 1 if indices.size else 0
        if n_features == 0:
            raise data_error(self.path, found="no index:value at all", expected="at least one feature")
        if n_features > GREATEST_INDEX:
            raise data_error(self.path, found=f"index {n_features}", expected=f"at most {GREATEST_INDEX}")
        parts = (np.array(self.values, dtype=np.float64), indices, np.array(self.ends, dtype=np.int64))
        return csr_array(parts, shape=(len(self.lines), n_features))
