"""Weights of rows from weights of rows and of labels, as scikit-learn means them."""

import sys
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.arrays import held_numbers, refuse_masked
from maxmargin.data.dataset import Dataset
from maxmargin.data.numbers.binary64 import REAL_KINDS, array_of
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.exact.reals import exact_real, shown
from maxmargin.solvers.problem.row_weights import RowWeights, numbers_of_rows
from maxmargin.text.data_error import listed

Groups = NDArray[np.int64]


def row_weights(dataset: Dataset, sample_weight: Any, class_weight: Mapping[Any, float] | str | None) -> Any:
    """Return the product of both kinds of weights, exactly; None where there are none."""
    if sample_weight is not None:
        sample_weight = _numbers(sample_weight)
    if class_weight is None:
        return sample_weight
    if isinstance(class_weight, str) and class_weight == "balanced":
        factors, groups = _balanced(dataset)
    elif isinstance(class_weight, Mapping):
        factors, groups = _factors_of_labels(dataset, class_weight)
    else:
        raise InvalidOptionError(
            f"class_weight is {class_weight!r}; expected 'balanced' or a mapping of label to number"
        )
    numbers = np.ones(dataset.n_samples) if sample_weight is None else numbers_of_rows(sample_weight, dataset.n_samples)
    return RowWeights(numbers=numbers, factors=factors, groups=groups)


def _balanced(dataset: Dataset) -> tuple[tuple[Fraction, ...], Groups]:
    """Return n/(2 n_j), and the class of every row."""
    groups = np.asarray(dataset.y > 0).astype(np.int64)
    n_samples, n_positive = dataset.n_samples, int(groups.sum())
    return (Fraction(n_samples, 2 * (n_samples - n_positive)), Fraction(n_samples, 2 * n_positive)), groups


def _numbers(sample_weight: Any) -> Any:
    """Return weights of any type as binary64 numbers, none of them rounded; weights of a wrong shape stay."""
    refuse_masked(sample_weight, "sample_weight")
    weights = array_of(sample_weight)
    if weights.dtype.kind not in (*REAL_KINDS, "O"):
        raise InvalidProblemError(f"sample_weight holds values of type {weights.dtype}; expected numbers")
    return held_numbers(weights, "sample_weight") if weights.ndim == 1 else sample_weight


def _factors_of_labels(dataset: Dataset, class_weight: Mapping[Any, float]) -> tuple[tuple[Fraction, ...], Groups]:
    unknown = [label for label in class_weight if label not in dataset.classes]
    if unknown:
        raise InvalidOptionError(f"class_weight holds {unknown[0]!r}; the labels are {listed(dataset.classes)}")
    groups = np.zeros(dataset.n_samples, dtype=np.int64)
    factors = [Fraction(1)]
    for label, factor in class_weight.items():
        groups[dataset.labels == label] = len(factors)
        factors.append(_factor(label, factor))
    return tuple(factors), groups


def _factor(label: object, factor: Any) -> Fraction:
    exact = exact_real(factor)
    if exact is None or not 0 <= exact <= sys.float_info.max:
        raise InvalidOptionError(f"class_weight of {label!r} is {shown(factor)}; expected a finite number from 0")
    return exact
