"""Weights of rows from weights of rows and of labels, as scikit-learn means them."""

import math
from collections.abc import Mapping
from typing import Any, SupportsFloat

import numpy as np
from numpy.typing import NDArray

from maxmargin.dataset import Dataset
from maxmargin.readers.arrays import held_numbers
from maxmargin.readers.binary64 import REAL_KINDS, array_of
from maxmargin.readers.errors import listed
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError


def row_weights(dataset: Dataset, sample_weight: Any, class_weight: Mapping[Any, float] | str | None) -> Any:
    """Return the product of both kinds of weights; None where there are none."""
    if sample_weight is not None:
        sample_weight = _numbers(sample_weight)
    if class_weight is None:
        return sample_weight
    if class_weight == "balanced":
        n_positive = int((dataset.y > 0).sum())
        counts = np.where(dataset.y > 0, n_positive, dataset.n_samples - n_positive)
        factors = dataset.n_samples / (2 * counts)
    elif isinstance(class_weight, Mapping):
        factors = _factors_of_labels(dataset, class_weight)
    else:
        raise InvalidOptionError(
            f"class_weight is {class_weight!r}; expected 'balanced' or a mapping of label to number"
        )
    return factors if sample_weight is None else factors * _one_a_row(dataset, sample_weight)


def _numbers(sample_weight: Any) -> Any:
    """Return weights of any type as numbers that none of them was rounded to; what holds no numbers stays."""
    weights = array_of(sample_weight)
    if weights.ndim != 1 or weights.dtype.kind not in (*REAL_KINDS, "O"):
        return sample_weight
    return held_numbers(weights, "sample_weight")


def _one_a_row(dataset: Dataset, sample_weight: Any) -> NDArray[np.float64]:
    weights = np.asarray(sample_weight, dtype=np.float64)
    if weights.shape != (dataset.n_samples,):
        raise InvalidProblemError(f"sample_weight has shape {weights.shape}; expected ({dataset.n_samples},)")
    return weights


def _factors_of_labels(dataset: Dataset, class_weight: Mapping[Any, float]) -> NDArray[np.float64]:
    unknown = [label for label in class_weight if label not in dataset.classes]
    if unknown:
        raise InvalidOptionError(f"class_weight holds {unknown[0]!r}; the labels are {listed(dataset.classes)}")
    if not all(isinstance(factor, SupportsFloat) and 0 <= float(factor) < math.inf for factor in class_weight.values()):
        raise InvalidOptionError(f"class_weight is {class_weight!r}; expected numbers from 0 for the labels")
    factors = np.ones(dataset.n_samples)
    for label, factor in class_weight.items():
        factors[dataset.labels == label] = factor
    return factors
