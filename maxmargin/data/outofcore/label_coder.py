"""Labels that arrive in parts, coded as positions in the list of the distinct labels so far."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.labels import Label, LabelError, Labels, encode_objects, is_absent, unusable_label


class Coder:
    """Collects labels that arrive in parts, and finds their classes.

    Examples
    --------
    >>> coder = Coder()
    >>> coder.add(["b", "a"], np.array([0, 0, 1]))
    >>> coder.add(["a"], np.array([0]))
    >>> coder.labels().classes, coder.labels().codes.tolist()
    (('a', 'b'), [1, 1, 0, 0])
    """

    def __init__(self) -> None:
        self._codes: dict[Any, int] = {}
        self._parts: list[NDArray[Any]] = []
        self.n_rows = 0

    @property
    def n_distinct(self) -> int:
        """Number of distinct labels so far, as they are written."""
        return len(self._codes)

    def add(self, distinct: Sequence[object], positions: NDArray[np.integer[Any]]) -> None:
        """Add the next rows, whose labels are ``distinct[positions]``.

        Raises
        ------
        LabelError
            A label is missing or infinite; its row is counted from the first row of all.
        """
        used = np.flatnonzero(np.bincount(positions, minlength=len(distinct))).tolist()
        codes = np.zeros(len(distinct), dtype=np.int64)
        for position in used:
            self._check(distinct[position], position, positions)
            codes[position] = self._codes.setdefault(distinct[position], len(self._codes))
        self._parts.append(codes[positions].astype(_smallest_codes(self.n_distinct)))
        self.n_rows += len(positions)

    def _check(self, value: Any, position: int, positions: NDArray[np.integer[Any]]) -> None:
        if is_absent(value) or (isinstance(value, float) and np.isinf(value)):
            raise unusable_label(value, self.n_rows + int(np.flatnonzero(positions == position)[0]))

    def classes(self) -> tuple[Label, ...]:
        """Return the classes of the rows so far, in order."""
        return encode_objects(list(self._codes)).classes

    def labels(self) -> Labels:
        """Return the labels of all rows.

        Raises
        ------
        LabelError
            All labels are numbers, written as texts, and one is infinite.
        """
        try:
            distinct = encode_objects(list(self._codes))
        except LabelError as error:
            row = int(np.flatnonzero(np.concatenate(self._parts) == error.row)[0])
            raise LabelError(found=error.found, expected=error.expected, row=row) from error
        codes = distinct.codes.astype(_smallest_codes(self.n_distinct))
        return Labels(
            classes=distinct.classes, codes=np.concatenate([codes[:0], *(codes[part] for part in self._parts)])
        )


def _smallest_codes(n_classes: int) -> Any:
    return np.min_scalar_type(-max(n_classes, 1))
