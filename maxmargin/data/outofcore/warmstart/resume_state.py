"""The findings of a process about files, as it saves them and as the next process reads them.

The next process does not trust them: types, shapes and ranges are checked here, and `Resumption` compares the data.
"""

import hashlib
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.outofcore.warmstart import state_file
from maxmargin.data.outofcore.warmstart.row_store import USES, KeptRows
from maxmargin.data.outofcore.warmstart.state_file import Content, need
from maxmargin.solvers.basics.array_types import Floats

_PACKED_CLASSES = 2
"""Largest number of different labels whose positions are stored in one bit a row."""

_LABELS = (str, int, float, bool)
"""Types of labels that JSON knows."""

_FOUND = "found: "
"""Prefix, in the file, of the names of arrays that belong to a question."""

_SPOTS, _BYTES_OF_SPOT = 16, 1 << 14
"""Number and bytes of the pieces of a file that are hashed, evenly spread from its beginning to its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMark:
    """The size of a file, the time of its last change, and the hash of some of its bytes (of all, if they are few)."""

    name: str
    size: int
    changed: int
    spots: str

    @classmethod
    def of(cls, path: str) -> "FileMark":
        """Return the mark of a file as it is now.

        Raises
        ------
        OSError
        """
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            digest = hashlib.sha256()
            for position in _positions(status.st_size):
                file.seek(position)
                digest.update(file.read(_BYTES_OF_SPOT))
        return cls(
            name=os.path.basename(path), size=status.st_size, changed=status.st_mtime_ns, spots=digest.hexdigest()
        )

    def is_same(self, other: "FileMark") -> bool:
        """Return whether both are marks of the same file, perhaps under different names."""
        return (self.size, self.changed, self.spots) == (other.size, other.changed, other.spots)


def _positions(size: int) -> list[int]:
    """Return the positions of the pieces that are hashed.

    Examples
    --------
    >>> _positions(40_000), len(_positions(10**12))
    ([0, 16384, 32768], 16)
    """
    if size <= _SPOTS * _BYTES_OF_SPOT:
        return list(range(0, size, _BYTES_OF_SPOT))
    return [k * (size - _BYTES_OF_SPOT) // (_SPOTS - 1) for k in range(_SPOTS)]


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownFile:
    """A file of which some rows, from the first on, are validated.

    Attributes
    ----------
    marks : tuple of FileMark
        Marks of the file, and of the files that belong to it.
    n_rows : int
        Rows that are validated.
    is_complete : bool
        Whether all rows of the file are validated.
    notes : tuple of str
        Notes on the file.
    numbers : FileMark, optional
        Mark of the file with its parsed numbers.
    """

    marks: tuple[FileMark, ...]
    n_rows: int = 0
    is_complete: bool = False
    notes: tuple[str, ...] = ()
    numbers: FileMark | None = None

    @classmethod
    def of_words(cls, words: dict[str, Any]) -> "KnownFile":
        """Return the file that the JSON object `words` describes."""
        marks, numbers = tuple(FileMark(**mark) for mark in words["marks"]), words["numbers"]
        numbers = None if numbers is None else FileMark(**numbers)
        return cls(**{**words, "marks": marks, "notes": tuple(words["notes"]), "numbers": numbers})

    def is_file(self, marks: Sequence[FileMark]) -> bool:
        """Return whether these are the marks of the same file."""
        return len(marks) == len(self.marks) and all(map(FileMark.is_same, self.marks, marks))


@dataclass(frozen=True, slots=True, kw_only=True)
class Validated:
    """The labels and extremes of the validated rows.

    Attributes
    ----------
    distinct : list
        The different labels.
    codes : ndarray
        For every row the position of its label, in one bit if there are no more than two labels.
    low, high : ndarray (n_files, n_columns)
        The extremes of the columns of every file.
    """

    distinct: list[Any]
    codes: NDArray[Any]
    low: Floats
    high: Floats

    @classmethod
    def nothing(cls, n_files: int, n_columns: int) -> "Validated":
        """Return the state before the first row."""
        low = np.full((n_files, n_columns), np.inf)
        return cls(distinct=[], codes=np.empty(0, np.uint8), low=low, high=-low)

    @classmethod
    def of(cls, distinct: list[Any], codes: NDArray[Any], bounds: tuple[Floats, Floats]) -> "Validated":
        """Return the state for the position of every row's label."""
        packed = np.packbits(codes.astype(np.bool_)) if len(distinct) <= _PACKED_CLASSES else codes
        return cls(distinct=distinct, codes=packed, low=bounds[0].copy(), high=bounds[1].copy())

    def codes_of(self, rows: slice) -> NDArray[Any]:
        """Return for consecutive rows the positions of their labels."""
        if len(self.distinct) > _PACKED_CLASSES:
            return self.codes[rows]
        first = rows.start // 8
        bits = np.unpackbits(self.codes[first : -(-rows.stop // 8)]).view(np.int8)
        return bits[rows.start - 8 * first : rows.stop - 8 * first]

    @property
    def can_be_kept(self) -> bool:
        """Whether the labels are of types that JSON knows."""
        return all(type(label) in _LABELS for label in self.distinct)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """The findings of a process about a source.

    Attributes
    ----------
    version : str
        The version of maxmargin that wrote them.
    source : str
        The name of the file or folder.
    columns : dict
        The columns of the source, and the roles of those that are used.
    files : tuple of KnownFile
    validated : Validated
    rows : KeptRows
    question : str
        The last question for which findings were saved.
    found : dict
        The arrays of these findings, by name.
    """

    version: str
    source: str
    columns: dict[str, Any]
    files: tuple[KnownFile, ...]
    validated: Validated
    rows: KeptRows
    question: str = ""
    found: Mapping[str, NDArray[Any]] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """Rows that are validated."""
        return sum(file.n_rows for file in self.files)

    def of_first_files(self, n_files: int, new: "State") -> "State":
        """Return the state of a source, new so far, whose first `n_files` files are these."""
        own = [replace(file, marks=its.marks) for file, its in zip(self.files[:n_files], new.files, strict=False)]
        files = (*own, *new.files[n_files:])
        bounds = new.validated.low.copy(), new.validated.high.copy()
        for extremes, known in zip(bounds, (self.validated.low, self.validated.high), strict=True):
            extremes[:n_files] = known[:n_files]
        validated = replace(self.validated, low=bounds[0], high=bounds[1])
        rows = self.rows.chosen(self.rows.numbers < sum(file.n_rows for file in files))
        other = replace(new, files=files, validated=validated, rows=rows)
        return other if n_files < len(new.files) else replace(other, question=self.question, found=self.found)

    def write(self, path: str) -> None:
        """Write the findings to a file.

        Raises
        ------
        OSError
        """
        validated, rows = self.validated, self.rows
        words = {
            "version": self.version, "source": self.source, "columns": self.columns,
            "files": list(map(asdict, self.files)), "distinct": validated.distinct, "question": self.question,
        }  # fmt: skip
        arrays = {
            "codes": validated.codes, "low": validated.low, "high": validated.high,
            "numbers": rows.numbers, "uses": rows.uses, "rows": rows.values,
            **{f"{_FOUND}{name}": values for name, values in self.found.items()},
        }  # fmt: skip
        state_file.write(path, Content(words=words, arrays=arrays))

    @classmethod
    def of_content(cls, content: Content) -> "State":
        """Return the state that a file with this content holds, which nobody has checked."""
        words, arrays = content.words, content.arrays
        files = tuple(map(KnownFile.of_words, words["files"]))
        return cls(
            version=words["version"], source=words["source"], columns=words["columns"], files=files,
            validated=Validated(
                distinct=words["distinct"], codes=arrays["codes"], low=arrays["low"], high=arrays["high"]
            ),
            rows=KeptRows(arrays["numbers"], arrays["rows"], arrays["uses"]), question=words["question"],
            found={name.removeprefix(_FOUND): values for name, values in arrays.items() if name.startswith(_FOUND)},
        )  # fmt: skip


def read_state(path: str) -> State:
    """Return the state in a file.

    Raises
    ------
    DataError
        It is another file, or damaged.
    OSError
    """
    content = state_file.read(path)
    try:
        state = State.of_content(content)
        _check_state(state)
    except (ValueError, KeyError, TypeError, AttributeError, OverflowError) as error:
        raise state_file.damaged(path) from error
    return state


def _check_state(state: State) -> None:
    """Raise ValueError unless all parts of a state fit together.

    Parameters
    ----------
    state : State
        From a file that is not to be trusted: anything may be in its fields.
    """
    need(all(type(text) is str for text in (state.version, state.source, state.question)))
    features = _checked_columns(state.columns)
    _check_files(state.files)
    _check_labels(state.validated, state.n_rows)
    _check_extremes(state, (len(state.files), len(features)))
    _check_rows(state.rows, state.n_rows, len(features))


def _checked_columns(columns: Any) -> list[int]:
    need(type(columns) is dict)
    need(set(columns) == {"label", "features", "names"})
    features, names = columns["features"], columns["names"]
    need(type(columns["label"]) is int and type(features) is list and len(features) > 0)
    need(all(type(column) is int for column in features))
    need(names is None or (type(names) is list and all(type(name) is str for name in names)))
    return list(features)


def _check_files(files: tuple[KnownFile, ...]) -> None:
    need(len(files) > 0)
    is_before_the_end = True
    for file in files:
        need(type(file.n_rows) is int and file.n_rows >= 0 and type(file.is_complete) is bool)
        need(is_before_the_end or (file.n_rows == 0 and not file.is_complete))
        need(all(type(note) is str for note in file.notes) and len(file.marks) > 0)
        for mark in (*file.marks, *(() if file.numbers is None else (file.numbers,))):
            _check_mark(mark)
        is_before_the_end = file.is_complete


def _check_mark(mark: FileMark) -> None:
    need(type(mark.name) is str and type(mark.spots) is str)
    need(type(mark.size) is int and type(mark.changed) is int)


def _check_labels(validated: Validated, n_rows: int) -> None:
    distinct, codes = validated.distinct, validated.codes
    need(type(distinct) is list and all(type(label) in _LABELS for label in distinct))
    need(all(math.isfinite(label) for label in distinct if type(label) is float))
    need(len({(type(label), label) for label in distinct}) == len(distinct) and (n_rows == 0 or len(distinct) > 0))
    need(codes.ndim == 1 and codes.dtype.kind in "iu")
    if len(distinct) <= _PACKED_CLASSES:
        need(codes.dtype == np.uint8 and len(codes) == -(-n_rows // 8))
        need(len(distinct) == _PACKED_CLASSES or not np.unpackbits(codes)[:n_rows].any())
    else:
        need(len(codes) == n_rows and int(codes.min(initial=0)) >= 0 and int(codes.max(initial=0)) < len(distinct))


def _check_extremes(state: State, shape: tuple[int, int]) -> None:
    low, high = state.validated.low, state.validated.high
    need(_is_floats(low, shape) and _is_floats(high, shape))
    has_rows = np.array([file.n_rows > 0 for file in state.files])
    need(bool(np.isfinite(low[has_rows]).all() and np.isfinite(high[has_rows]).all()))
    need(bool((low[has_rows] <= high[has_rows]).all()))
    need(bool((low[~has_rows] == np.inf).all() and (high[~has_rows] == -np.inf).all()))


def _check_rows(rows: KeptRows, n_rows: int, n_columns: int) -> None:
    numbers, values, uses = rows
    n_kept = len(numbers)
    need(numbers.dtype == np.int64 and numbers.ndim == 1 and uses.dtype == np.uint8 and uses.shape == (n_kept,))
    need(_is_floats(values, (n_kept, n_columns)) and bool(np.isfinite(values).all()))
    need(int(numbers.min(initial=0)) >= 0 and (not n_kept or int(numbers.max()) < n_rows))
    need(int(uses.max(initial=0)) < 1 << len(USES))
    n_sample = int(np.count_nonzero(uses & 1))
    need(bool((uses[:n_sample] & 1).all()) and bool((np.diff(numbers[:n_sample]) > 0).all()))


def _is_floats(array: NDArray[Any], shape: tuple[int, int]) -> bool:
    return array.dtype == np.float64 and array.shape == shape
