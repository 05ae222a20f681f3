"""A data set with the truth about it: rows that binary64 holds exactly, their labels, and the known answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.exact.dyadic import Integers, as_integer_columns

Verdict: TypeAlias = Literal["separable", "quasi-separable", "overlap"]

# The three answers, in the words of Albert and Anderson (1984).
KINDS: tuple[Verdict, ...] = ("separable", "quasi-separable", "overlap")


class NotRepresentableError(ArithmeticError):
    """A number is no binary64 number: too many digits, too large, or too small."""


@dataclass(frozen=True, slots=True, eq=False)
class Matrix:
    """The matrix ``integers[i, j] * 2**exponents[j]``.

    Attributes
    ----------
    integers : ndarray (n_samples, n_features) of int, object dtype
    exponents : tuple of int, one for every column
    """

    integers: Integers
    exponents: tuple[int, ...]

    @classmethod
    def of(cls, rows: Any, exponents: Sequence[int] | None = None) -> "Matrix":
        """Return the matrix of these integers times 2**exponents; the exponents are 0 by default."""
        integers = np.array(rows, dtype=object)
        return cls(integers, tuple(exponents or (0,) * integers.shape[1]))

    @classmethod
    def of_floats(cls, values: Floats) -> "Matrix":
        """Return the matrix of binary64 numbers, exactly."""
        integers, exponents = as_integer_columns(values)
        return cls(integers, tuple(exponents))

    def floats(self) -> Floats:
        """Return the numbers as binary64.

        Raises
        ------
        NotRepresentableError
            If one of them would be rounded.

        Examples
        --------
        >>> Matrix.of([[3, 1]], [-2, 900]).floats()[0].tolist() == [0.75, 2.0**900]
        True
        """
        units = [2**exponent if exponent >= 0 else Fraction(1, 2**-exponent) for exponent in self.exponents]
        exact = self.integers * np.array(units, dtype=object)
        try:
            values: Floats = exact.astype(np.float64)
        except OverflowError as error:
            raise NotRepresentableError("a number is beyond the range of binary64") from error
        if (values != exact).any():
            raise NotRepresentableError("a number has more than 53 significant bits, or is too small for binary64")
        return values


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth:
    """The facts about a data set that follow from its construction.

    Attributes
    ----------
    verdict : {"separable", "quasi-separable", "overlap"}
        With bias; of more than two classes, for all classes at once (multinomial).
    margin_squared : Fraction or None
        Square of the maximum geometric margin with bias, exactly; 0 where the data are not strictly separable, None
        where no closed form is known.
    touching_rows : tuple of int or None
        Rows that every hyperplane without a row on the wrong side contains: none of separable data, all rows of
        overlapping data. None where they are not known.
    verdict_through_origin, margin_squared_through_origin, touching_rows_through_origin
        The same for hyperplanes through the origin; None where not known.
    why : str
        The reason, in a sentence.
    """

    verdict: Verdict
    margin_squared: Fraction | None
    touching_rows: tuple[int, ...] | None
    verdict_through_origin: Verdict | None = None
    margin_squared_through_origin: Fraction | None = None
    touching_rows_through_origin: tuple[int, ...] | None = None
    why: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Known:
    """The answer to one question: with bias, or through the origin. Rows are those that touch if it is quasi."""

    verdict: Verdict
    margin_squared: Fraction | None = None
    touching: tuple[int, ...] | None = None

    def margin(self) -> Fraction | None:
        """Return the squared margin, which is 0 where the data are not strictly separable."""
        return self.margin_squared if self.verdict == "separable" else Fraction(0)

    def touching_of(self, n_samples: int) -> tuple[int, ...] | None:
        """Return the touching rows among this number of rows."""
        if self.verdict == "quasi-separable":
            return self.touching
        return tuple(range(n_samples)) if self.verdict == "overlap" else ()


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Case:
    """Exact rows, their labels, and the answers, as families make them.

    Attributes
    ----------
    rows : Matrix
    y : ndarray of int, -1 and +1; or 1, 2, ... for several classes
    with_bias : Known
    through_origin : Known or None
    why : str
    """

    rows: Matrix
    y: NDArray[np.int64]
    with_bias: Known
    through_origin: Known | None = None
    why: str

    @property
    def truth(self) -> Truth:
        """The answers, as they are published."""
        n_samples = len(self.y)
        origin = self.through_origin
        return Truth(
            verdict=self.with_bias.verdict, margin_squared=self.with_bias.margin(), why=self.why,
            touching_rows=self.with_bias.touching_of(n_samples),
            verdict_through_origin=None if origin is None else origin.verdict,
            margin_squared_through_origin=None if origin is None else origin.margin(),
            touching_rows_through_origin=None if origin is None else origin.touching_of(n_samples),
        )  # fmt: skip


def two_classes(
    negative: Any, positive: Any, with_bias: Known, through_origin: Known | None, why: str,
    *, exponents: Sequence[int] | None = None,
) -> Case:  # fmt: skip
    """Return the case of integer rows of the class -1, then of the class +1, and its answers."""
    y = np.array([-1] * len(negative) + [1] * len(positive), dtype=np.int64)
    rows = Matrix.of([*negative, *positive], exponents)
    return Case(rows=rows, y=y, with_bias=with_bias, through_origin=through_origin, why=why)


def separable(margin_squared: Fraction | int | None = None) -> Known:
    """Say that some hyperplane has every row strictly on its side, with this squared margin."""
    return Known(verdict="separable", margin_squared=None if margin_squared is None else Fraction(margin_squared))


def quasi(touching: Any) -> Known:
    """Say that some hyperplane has no row on the wrong side, and every such one contains these rows."""
    return Known(verdict="quasi-separable", touching=tuple(sorted(map(int, touching))))


# Every hyperplane has a row on the wrong side, but for those that contain all rows.
OVERLAP = Known(verdict="overlap")
