"""The problems that solvers are given: of two classes or of all, in binary64 or exact numbers, with weights of rows."""

import sys
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.dataset import Dataset
from maxmargin.data.labels import encode
from maxmargin.data.numbers.binary64 import REAL_KINDS, ExactRows, array_of
from maxmargin.data.reading.arrays import binary64_numbers, refuse_masked
from maxmargin.data.reading.formula_text import refused
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError, option
from maxmargin.solvers.exact.dyadic import Integers, without_denominators
from maxmargin.solvers.exact.reals import exact_real, short_repr
from maxmargin.solvers.problem.problem import ClassProblem, Problem
from maxmargin.solvers.problem.row_weights import RowWeights, numbers_of_rows
from maxmargin.solvers.proof.certificate import Certificate
from maxmargin.text.data_error import listed, quoted

AnyCertificate = TypeVar("AnyCertificate", bound=Certificate)
AnyProblem = TypeVar("AnyProblem", Problem, ClassProblem)
Groups = NDArray[np.int64]


def problem_of(dataset: Dataset, *, bias: bool = True, needs_columns: bool = True) -> Problem:
    """Return the two-class question of a data set.

    Parameters
    ----------
    dataset : Dataset
    bias : bool
    needs_columns : bool
        Whether data without a column are refused, about which only a verdict says anything.

    Raises
    ------
    InvalidProblemError
        If it has more than two classes and no positive one was chosen, numbers that binary64 does not hold, or no
        column where one is needed.
    """
    if not dataset.is_binary:
        raise InvalidProblemError(
            f"{dataset.source} has {len(dataset.classes)} classes; expected two, "
            f"or {option('positive')} to choose one of them"
        )
    check_is_answerable(dataset, needs_columns=needs_columns)
    y = dataset.y.astype("float64") if dataset.is_in_memory else dataset.y  # outside memory there may be many
    is_greater_of_two = len(dataset.classes) == 2 and dataset.positive == dataset.classes[1]
    positive = None if is_greater_of_two else dataset.positive
    return Problem(dataset.X, y, bias, known_bounds=dataset.bounds, positive=positive, read_as=dataset.stated_reading)


def class_problem_of(dataset: Dataset, *, bias: bool = True, needs_columns: bool = True) -> ClassProblem:
    """Return the question of all classes of a data set at once; the classes are numbered in their order.

    Raises
    ------
    InvalidProblemError
        If it has numbers that binary64 does not hold, or no column where one is needed.
    """
    check_is_answerable(dataset, needs_columns=needs_columns)
    labels = encode(dataset.labels)
    codes = labels.codes.astype("int64")
    n_classes = len(labels.classes)
    return ClassProblem(dataset.X, codes, n_classes, bias, known_bounds=dataset.bounds, read_as=dataset.stated_reading)


def check_is_answerable(dataset: Dataset, *, needs_columns: bool = True) -> None:
    """Check that a data set has a column, if one is needed, and numbers that binary64 holds.

    Raises
    ------
    InvalidProblemError
    """
    if needs_columns and not dataset.n_features:
        formula = (dataset.read_as or {}).get("formula", f"{dataset.label_name} ~ {int(bool(dataset.has_intercept))}")
        raise refused(formula, "it has no term but the intercept; expected one at least")
    check_is_binary64(dataset)


def check_is_binary64(dataset: Dataset) -> None:
    """Check that `X` is no rounding of numbers that are known exactly: an answer would be about other numbers.

    Raises
    ------
    InvalidProblemError
        The message names the first number that binary64 does not hold.
    """
    if dataset.exact is None:
        return
    units, integers = dataset.exact.units.units, dataset.exact.integers
    is_other = np.column_stack([dataset.X[:, j] != integers[:, j] * unit for j, unit in enumerate(units)])
    row, column = np.unravel_index(int(np.argmax(is_other)), is_other.shape)
    found = quoted(units[column] * integers[row, column])
    raise InvalidProblemError(
        f"{dataset.source}: {dataset.describe_row(int(row))}, column {dataset.feature_names[column]!r}: found {found}, "
        "expected one that binary64 holds exactly (verdicts are decided for such numbers; convert them to binary64 "
        "yourself to have other questions answered for the roundings)"
    )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DecimalReading:
    """A data set, and the exact numbers that its text writes, or that it was given as Decimals and Fractions.

    Attributes
    ----------
    dataset : Dataset
        The data set as `load` gives it: names, labels, and the binary64 values.
    exact : ExactRows
        The numbers, as integers each of which is a multiple of the unit of its column.
    """

    dataset: Dataset
    exact: ExactRows

    @classmethod
    def of(cls, dataset: Dataset) -> "DecimalReading | None":
        """Return the exact numbers of a data set, and the data set of their roundings; None where these are equal."""
        return None if dataset.exact is None else cls(dataset=replace(dataset, exact=None), exact=dataset.exact)

    def problem_of(self, part: Dataset, *, bias: bool = True) -> Problem:
        """Return the two-class question of the text, for the data set or a part of it (`one_vs_rest`, `pair`).

        Its rows are the integers, and its hash is the hash of the text; `restated` takes its proofs back to the text.

        Raises
        ------
        InvalidProblemError
            If the part has more than two classes and no positive one was chosen.
        """
        return self._about_integers(problem_of(replace(part, exact=None), bias=bias), part)

    def class_problem_of(self, part: Dataset, *, bias: bool = True) -> ClassProblem:
        """Return the question of all classes of the text at once; `restated` takes its proofs back to the text."""
        return self._about_integers(class_problem_of(replace(part, exact=None), bias=bias), part)

    def _about_integers(self, problem: AnyProblem, part: Dataset) -> AnyProblem:
        integers = self._integers_of(part)
        rounded = np.ascontiguousarray(integers, dtype=np.float64)
        return replace(problem, X=rounded, integers=integers, units=self.exact.units, known_bounds=None)

    def _integers_of(self, part: Dataset) -> Integers:
        if part.rows is None:
            return self.exact.integers
        # Both number the rows of the source, in increasing order.
        positions = part.rows if self.dataset.rows is None else np.searchsorted(self.dataset.rows, part.rows)
        return self.exact.integers[positions]

    def rows_of(self, part: Dataset) -> list[tuple[Fraction, ...]]:
        """Return the numbers of the text as fractions, for the rows of a part of the data set."""
        return self.exact.units.rows(self._integers_of(part))

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
        stated: Any = certificate
        bias, changes = certificate.problem.bias, dict[str, Any]()
        if hasattr(certificate, "w"):
            changes["w"] = tuple(self.exact.units.direction(stated.w, bias=False))
        if hasattr(certificate, "direction"):
            changes["direction"] = tuple(self.exact.units.direction(stated.direction, bias=bias))
        if hasattr(certificate, "null_space"):
            directions = (self.exact.units.direction(vector, bias=bias) for vector in stated.null_space)
            changes["null_space"] = tuple(tuple(without_denominators(direction)) for direction in directions)
        return replace(certificate, **changes)


# Weights of rows, from weights of rows and of labels, as scikit-learn means them


def row_weights(dataset: Dataset, sample_weight: Any, class_weight: Mapping[Any, float] | str | None) -> Any:
    """Return the product of both kinds of weights, exactly; None where there are none."""
    if sample_weight is not None:
        sample_weight = weights_of(sample_weight)
    if class_weight is None:
        return sample_weight
    if isinstance(class_weight, str) and class_weight == "balanced":  # n / (2 n_j)
        groups: Groups = np.asarray(dataset.y > 0).astype(np.int64)
        factors = tuple(Fraction(len(groups), 2 * count) for count in np.bincount(groups).tolist())
    elif isinstance(class_weight, Mapping):
        factors, groups = _factors_of_labels(dataset, class_weight)
    else:
        raise not_class_weights(class_weight)
    numbers = np.ones(dataset.n_samples) if sample_weight is None else numbers_of_rows(sample_weight, dataset.n_samples)
    return RowWeights(numbers=numbers, factors=factors, groups=groups)


def not_class_weights(class_weight: object) -> InvalidOptionError:
    """Return the error that says of what kind class weights are."""
    return InvalidOptionError(f"class_weight is {class_weight!r}; expected 'balanced' or a mapping of label to number")


def weights_of(sample_weight: Any) -> Any:
    """Return weights of rows as binary64 numbers, none of them rounded; weights of a wrong shape stay as they are.

    Raises
    ------
    InvalidProblemError
        If they are masked, or binary64 does not hold one of them.
    """
    refuse_masked(sample_weight, "sample_weight")
    weights = array_of(sample_weight)
    if weights.dtype.kind not in (*REAL_KINDS, "O"):
        raise InvalidProblemError(f"sample_weight holds values of type {weights.dtype}; expected numbers")
    return binary64_numbers(weights, "sample_weight") if weights.ndim == 1 else sample_weight


def _factors_of_labels(dataset: Dataset, class_weight: Mapping[Any, float]) -> tuple[tuple[Fraction, ...], Groups]:
    groups = np.zeros(dataset.n_samples, dtype=np.int64)
    factors = [Fraction(1)]
    for label, factor in class_factors(class_weight, dataset.classes).items():
        groups[dataset.labels == label] = len(factors)
        factors.append(factor)
    return tuple(factors), groups


def class_factors(class_weight: Mapping[Any, float], classes: Collection[Any]) -> dict[Any, Fraction]:
    """Return the factors of the weights by label.

    Raises
    ------
    InvalidOptionError
        If a label is not one of these classes, or a factor is not a finite number from 0.
    """
    unknown = [label for label in class_weight if label not in classes]
    if unknown:
        raise InvalidOptionError(f"class_weight has the label {unknown[0]!r}; the labels are {listed(classes)}")
    factors = {}
    for label, factor in class_weight.items():
        exact = exact_real(factor)
        if exact is None or not 0 <= exact <= sys.float_info.max:
            found = f"class_weight of {label!r} is {short_repr(factor)}"
            raise InvalidOptionError(f"{found}; expected a finite number from 0")
        factors[label] = exact
    return factors
