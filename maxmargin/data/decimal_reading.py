"""Exact numbers that binary64 does not hold, and the questions and proofs about them."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.dataset import Dataset
from maxmargin.data.problems import class_problem_of, problem_of
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.exact.dyadic import Integers, without_denominators
from maxmargin.solvers.exact.units import ColumnUnits
from maxmargin.solvers.problem.problem import ClassProblem, Problem
from maxmargin.solvers.proof.certificate import (
    Certificate,
    Overlap,
    QuasiSeparation,
    SeparatingHyperplane,
)
from maxmargin.solvers.proof.class_certificate import ClassOverlap, ClassQuasiSeparation, ClassSeparation

AnyCertificate = TypeVar("AnyCertificate", bound=Certificate)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DecimalReading:
    """A data set, and the exact numbers that its text writes, or that it was given as Decimals and Fractions.

    Attributes
    ----------
    dataset : Dataset
        The data set as `load` gives it: names, labels, and the binary64 values.
    integers : ndarray (n_samples, n_features) of int
        The numbers, each a multiple of the unit of its column.
    units : ColumnUnits
        The greatest positive units that make all numbers integers.
    """

    dataset: Dataset
    integers: Integers
    units: ColumnUnits

    @classmethod
    def of(cls, dataset: Dataset) -> "DecimalReading | None":
        """Return the exact numbers of a data set, and the data set of their roundings; None where these are equal."""
        if dataset.exact is None:
            return None
        exact = dataset.exact
        return cls(dataset=replace(dataset, exact=None), integers=exact.integers, units=exact.units)

    def problem_of(self, part: Dataset, *, bias: bool = True) -> Problem:
        """Return the two-class question of the text, for the data set or a part of it (`one_vs_rest`, `pair`).

        Its rows are the integers, its hash is that of the text; `restated` takes its proofs back to the text.

        Raises
        ------
        InvalidProblemError
            If the part has more than two classes and no positive one was chosen.
        """
        question = problem_of(replace(part, exact=None), bias=bias)
        integers = self.integers_of(part)
        return replace(question, X=_rounded(integers), integers=integers, units=self.units, known_bounds=None)

    def class_problem_of(self, part: Dataset, *, bias: bool = True) -> ClassProblem:
        """Return the question of all classes of the text at once; `restated` takes its proofs back to the text."""
        question = class_problem_of(replace(part, exact=None), bias=bias)
        integers = self.integers_of(part)
        return replace(question, X=_rounded(integers), integers=integers, units=self.units, known_bounds=None)

    def integers_of(self, part: Dataset) -> Integers:
        """Return the integers of the rows of a part of the data set."""
        if part.rows is None:
            return self.integers
        # Both number the rows of the source, in increasing order.
        places = part.rows if self.dataset.rows is None else np.searchsorted(self.dataset.rows, part.rows)
        return self.integers[places]

    def rows_of(self, part: Dataset) -> list[tuple[Fraction, ...]]:
        """Return the numbers of the text as fractions, for the rows of a part of the data set."""
        return self.units.rows(self.integers_of(part))

    def restated(self, certificate: AnyCertificate) -> AnyCertificate:
        """Return a proof about the integers, for two classes or more, as the proof about the numbers.

        The values y(w.x + b) are the same, so is everything that rests on them.

        Raises
        ------
        InvalidOptionError
            If the proof is about a margin: it is another in the units of the numbers.
        """
        if certificate.claim.startswith("margin"):
            claim = f"the claim {certificate.claim!r}"
            raise InvalidOptionError(f"found a proof of {claim}; margins are not known in the decimal reading")
        bias, changes = certificate.problem.bias, dict[str, Any]()
        if isinstance(certificate, SeparatingHyperplane | QuasiSeparation):
            changes["w"] = tuple(self.units.direction(certificate.w, bias=False))
        if isinstance(certificate, ClassSeparation | ClassQuasiSeparation):
            changes["direction"] = tuple(self.units.direction(certificate.direction, bias=bias))
        if isinstance(certificate, Overlap | QuasiSeparation | ClassOverlap | ClassQuasiSeparation):
            changes["null_space"] = tuple(tuple(self._integers(v, bias)) for v in certificate.null_space)
        return replace(certificate, **changes)

    def _integers(self, vector: Sequence[int], bias: bool) -> list[int]:
        return without_denominators(self.units.direction(vector, bias=bias))


def _rounded(integers: Integers) -> NDArray[np.float64]:
    """Return the nearest binary64 numbers."""
    return np.ascontiguousarray(integers, dtype=np.float64)
