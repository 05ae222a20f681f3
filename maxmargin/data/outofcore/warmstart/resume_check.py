"""Reading a state that cannot be trusted: types, shapes and ranges are checked; `Resumption` compares the data."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.outofcore.row_cache import Floats
from maxmargin.data.outofcore.warmstart import state_file
from maxmargin.data.outofcore.warmstart.resume_state import PACKED_CLASSES, FileMark, KnownFile, State, Validated
from maxmargin.data.outofcore.warmstart.row_store import USES, KeptRows

_LABELS = (str, int, float, bool)


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
    _need(all(type(text) is str for text in (state.version, state.source, state.question)))
    features = _checked_columns(state.columns)
    _check_files(state.files)
    _check_labels(state.validated, state.n_rows)
    _check_extremes(state, (len(state.files), len(features)))
    _check_rows(state.rows, state.n_rows, len(features))


def _checked_columns(columns: Any) -> list[int]:
    _need(type(columns) is dict)
    _need(set(columns) == {"label", "features", "names"})
    features, names = columns["features"], columns["names"]
    _need(type(columns["label"]) is int and type(features) is list and len(features) > 0)
    _need(all(type(column) is int for column in features))
    _need(names is None or (type(names) is list and all(type(name) is str for name in names)))
    return list(features)


def _check_files(files: tuple[KnownFile, ...]) -> None:
    _need(len(files) > 0)
    is_before_the_end = True
    for file in files:
        _need(type(file.n_rows) is int and file.n_rows >= 0 and type(file.is_complete) is bool)
        _need(is_before_the_end or (file.n_rows == 0 and not file.is_complete))
        _need(all(type(note) is str for note in file.notes) and len(file.marks) > 0)
        for mark in (*file.marks, *(() if file.numbers is None else (file.numbers,))):
            _check_mark(mark)
        is_before_the_end = file.is_complete


def _check_mark(mark: FileMark) -> None:
    _need(type(mark.name) is str and type(mark.spots) is str)
    _need(type(mark.size) is int and type(mark.changed) is int)


def _check_labels(validated: Validated, n_rows: int) -> None:
    distinct, codes = validated.distinct, validated.codes
    _need(type(distinct) is list and all(type(label) in _LABELS for label in distinct))
    _need(all(math.isfinite(label) for label in distinct if type(label) is float))
    _need(len({(type(label), label) for label in distinct}) == len(distinct) and (n_rows == 0 or len(distinct) > 0))
    _need(codes.ndim == 1 and codes.dtype.kind in "iu")
    if len(distinct) <= PACKED_CLASSES:
        _need(codes.dtype == np.uint8 and len(codes) == -(-n_rows // 8))
        _need(len(distinct) == PACKED_CLASSES or not np.unpackbits(codes)[:n_rows].any())
    else:
        _need(len(codes) == n_rows and int(codes.min(initial=0)) >= 0 and int(codes.max(initial=0)) < len(distinct))


def _check_extremes(state: State, shape: tuple[int, int]) -> None:
    low, high = state.validated.low, state.validated.high
    _need(_is_floats(low, shape) and _is_floats(high, shape))
    has_rows = np.array([file.n_rows > 0 for file in state.files])
    _need(bool(np.isfinite(low[has_rows]).all() and np.isfinite(high[has_rows]).all()))
    _need(bool((low[has_rows] <= high[has_rows]).all()))
    _need(bool((low[~has_rows] == np.inf).all() and (high[~has_rows] == -np.inf).all()))


def _check_rows(rows: KeptRows, n_rows: int, n_columns: int) -> None:
    numbers, values, uses = rows
    n_kept = len(numbers)
    _need(numbers.dtype == np.int64 and numbers.ndim == 1 and uses.dtype == np.uint8 and uses.shape == (n_kept,))
    _need(_is_floats(values, (n_kept, n_columns)) and bool(np.isfinite(values).all()))
    _need(int(numbers.min(initial=0)) >= 0 and (not n_kept or int(numbers.max()) < n_rows))
    _need(int(uses.max(initial=0)) < 1 << len(USES))
    n_sample = int(np.count_nonzero(uses & 1))
    _need(bool((uses[:n_sample] & 1).all()) and bool((np.diff(numbers[:n_sample]) > 0).all()))


def _is_floats(array: NDArray[Any], shape: tuple[int, int]) -> bool:
    return array.dtype == np.float64 and array.shape == shape


def is_reached(X: Floats, extremes: tuple[Floats, Floats]) -> NDArray[np.bool_]:
    """Return of every column whether rows reach its least, and its greatest number, shape (2, n_columns)."""
    low, high = extremes
    return np.array([X.min(axis=0) == low, X.max(axis=0) == high])


def _need(holds: bool) -> None:
    if not holds:
        raise ValueError
