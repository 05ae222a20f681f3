"""Rational columns as integers: every number of a column is a whole multiple of the column's unit."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import TypeVar

from maxmargin.solvers.exact.dyadic import Integers

Form = TypeVar("Form")


@dataclass(frozen=True, slots=True)
class ColumnUnits:
    """Columns x_j = u_j k_j with integers k_j.

    Positive units change no verdict, no weights and no b, but a hyperplane w of the integers is w_j / u_j of the
    numbers, and its geometric margin is another.

    Attributes
    ----------
    units : tuple of Fraction
        Positive, one per column.
    """

    units: tuple[Fraction, ...]

    def direction(self, vector: Sequence[int | Fraction], *, bias: bool) -> list[Fraction]:
        """Return (w, b) with the same values w.x + b on the numbers as ``vector`` has on the integers.

        Parameters
        ----------
        vector : sequence
            (w, b), through the origin w alone; or several of them one after the other.

        Examples
        --------
        >>> ColumnUnits((Fraction(1, 10),)).direction([2, -1], bias=True)
        [Fraction(20, 1), Fraction(-1, 1)]
        """
        divisors = [*self.units, Fraction(1)] if bias else list(self.units)
        return [value / divisors[position % len(divisors)] for position, value in enumerate(vector)]

    def rows(self, integers: Integers) -> list[tuple[Fraction, ...]]:
        """Return the numbers, row by row.

        Examples
        --------
        >>> import numpy as np
        >>> ColumnUnits((Fraction(1, 10),)).rows(np.array([[1], [5]], dtype=object))
        [(Fraction(1, 10),), (Fraction(1, 2),)]
        """
        return list(zip(*self._columns(integers, Fraction), strict=True))

    def sha256(self, integers: Integers, labels: bytes) -> str:
        """Hash the shape, the rows as reduced fractions, and the labels as stored.

        Examples
        --------
        >>> import numpy as np
        >>> text = b"2 1 decimal\\n" + b"1/10\\n" + b"1/2\\n" + bytes([255, 1])
        >>> rows = np.array([[1], [5]], dtype=object)
        >>> ColumnUnits((Fraction(1, 10),)).sha256(rows, bytes([255, 1])) == sha256(text).hexdigest()
        True
        """
        n_samples, n_features = integers.shape
        digest = sha256(f"{n_samples} {n_features} decimal\n".encode())
        for row in zip(*self._columns(integers, str), strict=True):
            digest.update(f"{' '.join(row)}\n".encode())
        digest.update(labels)
        return digest.hexdigest()

    def _columns(self, integers: Integers, form: Callable[[Fraction], Form]) -> Iterator[list[Form]]:
        """Yield the columns of numbers in some form; equal numbers of a column are made once."""
        for unit, column in zip(self.units, integers.T.tolist(), strict=True):
            made = {value: form(unit * value) for value in set(column)}
            yield [made[value] for value in column]
