"""Weights of rows from weights of rows and of labels, as scikit-learn means them."""

import math
from collections.abc import Mapping
from fractions import Fraction
from numbers import Rational
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from maxmargin.dataset import Dataset
from maxmargin.readers.arrays import held_numbers
from maxmargin.readers.binary64 import REAL_KINDS, array_of
from maxmargin.readers.errors import listed
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.row_weights import RowWeights

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
    numbers = np.ones(dataset.n_samples) if sample_weight is None else _one_a_row(dataset, sample_weight)
    return RowWeights(numbers=numbers, factors=factors, groups=groups)


def _balanced(dataset: Dataset) -> tuple[tuple[Fraction, ...], Groups]:
    """Return n/(2 n_j), and the class of every row."""
    groups = np.asarray(dataset.y > 0).astype(np.int64)
    n_samples, n_positive = dataset.n_samples, int(groups.sum())
    return (Fraction(n_samples, 2 * (n_samples - n_positive)), Fraction(n_samples, 2 * n_positive)), groups


def _numbers(sample_weight: Any) -> Any:
    """Return weights of any type as numbers that none of them was rounded to; what holds no numbers stays."""
    weights = array_of(sample_weight)
    if weights.ndim != 1 or weights.dtype.kind not in (*REAL_KINDS, "O"):
        return sample_weight
    return held_numbers(weights, "sample_weight")


def _one_a_row(dataset: Dataset, sample_weight: Any) -> NDArray[np.float64]:
    try:
        weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidProblemError("sample_weight holds other things than numbers") from error
    if weights.shape != (dataset.n_samples,):
        raise InvalidProblemError(f"sample_weight has shape {weights.shape}; expected ({dataset.n_samples},)")
    if not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise InvalidProblemError("sample_weight holds negative numbers, NaN or infinity; expected numbers from 0")
    return weights


def _factors_of_labels(dataset: Dataset, class_weight: Mapping[Any, float]) -> tuple[tuple[Fraction, ...], Groups]:
    unknown = [label for label in class_weight if label not in dataset.classes]
    if unknown:
        raise InvalidOptionError(f"class_weight holds {unknown[0]!r}; the labels are {listed(dataset.classes)}")
    if not all(isinstance(factor, SupportsFloat) and 0 <= float(factor) < math.inf for factor in class_weight.values()):
        raise InvalidOptionError(f"class_weight is {class_weight!r}; expected numbers from 0 for the labels")
    groups = np.zeros(dataset.n_samples, dtype=np.int64)
    factors = [Fraction(1)]
    for label, factor in class_weight.items():
        groups[dataset.labels == label] = len(factors)
        factors.append(_exact(factor))
    return tuple(factors), groups


def _exact(factor: Any) -> Fraction:
    return Fraction(factor) if isinstance(factor, Rational) else Fraction(float(factor))
