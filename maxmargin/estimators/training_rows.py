"""The rows to which an estimator is fitted: checked as scikit-learn checks them, and none of their numbers rounded."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_array, validate_data

from maxmargin.data.arrays import from_arrays, refuse_masked
from maxmargin.data.dataset import Dataset
from maxmargin.data.problems import check_is_binary64, class_factors, not_class_weights
from maxmargin.solvers.basics.array_types import Rows
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.text.data_error import listed

_BALANCED = "balanced"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class TrainingRows:
    """Rows with the labels of two or more classes.

    Attributes
    ----------
    dataset : Dataset
        The rows whose weight is not 0.
    classes : ndarray
        The different labels of these rows, sorted.
    names : list of label
        The same labels, as the data set has them.
    rows : ndarray of int
        The positions of the rows among those that were given.
    weights : ndarray or None
        Their weights.
    factors : dict of label to number, or None
        The factors of the weights by the labels of the data set.
    """

    dataset: Dataset
    classes: NDArray[Any]
    names: list[Any]
    rows: Rows
    weights: NDArray[Any] | None
    factors: dict[Any, Any] | None

    @property
    def questions(self) -> list[tuple[Any, str]]:
        """The label that is +1 in each question, and the question in words: one for two classes, else one for each."""
        if len(self.names) == 2:
            return [(self.names[1], "")]
        labels = self.classes.tolist()
        return [(name, f"the class {label!r} against the rest") for name, label in zip(self.names, labels, strict=True)]

    @classmethod
    def of(
        cls, estimator: Any, X: Any, y: Any, *, sample_weight: Any = None, class_weight: Any = None
    ) -> "TrainingRows":
        """Return what an estimator is fitted to; rows and classes of weight 0 are left out.

        Raises
        ------
        InvalidOptionError
            If the estimator's `fit_intercept` is neither True nor False.
        ValueError
            If scikit-learn refuses the data, binary64 does not hold a number, or fewer than two classes are left.
        """
        intercept = estimator.fit_intercept
        if not isinstance(intercept, bool | np.bool_):
            raise InvalidOptionError(f"fit_intercept is {intercept!r}; expected True or False")
        refuse_masked(y, "y")
        checked: Any
        labels: Any
        checked, labels = validate_data(estimator, X, y, accept_sparse="csr")
        check_classification_targets(labels)
        columns = getattr(estimator, "feature_names_in_", [f"x{column}" for column in range(checked.shape[1])])
        dataset = _held(X, checked, labels, columns)
        weights = None if sample_weight is None else _row_numbers(sample_weight, len(labels))
        kept = _kept(labels, weights, class_weight)
        classes, first, counts = np.unique(labels[kept], return_index=True, return_counts=True)
        if len(classes) < 2:
            found = (
                f"are all of the class {classes.tolist()[0]!r}" if len(classes) else "are none: all weights are zero"
            )
            raise InvalidProblemError(f"the rows whose weight is not zero {found}; expected at least two classes")
        if len(kept) < len(labels):
            dataset = from_arrays(dataset.X[kept], labels[kept], feature_names=dataset.feature_names)
        if len(dataset.classes) < len(classes):
            raise InvalidProblemError(
                f"y has the labels {listed(classes.tolist())}, some of which are the same number; expected labels that "
                "differ as numbers, too"
            )
        names = [dataset.labels[row].item() for row in first.tolist()]
        return cls(
            dataset=dataset,
            classes=classes,
            names=names,
            rows=kept,
            weights=None if weights is None else weights[kept],
            factors=_factors(class_weight, labels, dict(zip(classes.tolist(), names, strict=True)), counts),
        )


def _held(X: Any, checked: Any, labels: NDArray[Any], columns: Sequence[str]) -> Dataset:
    """Return the data set of the numbers in X, each of which binary64 holds; `checked` is what scikit-learn makes of X.

    Raises
    ------
    InvalidProblemError
        If it does not hold one of them, or a column is none of numbers.
    """
    is_plain = issparse(checked) or (type(X) is np.ndarray and X.dtype == checked.dtype)
    dataset = from_arrays(checked if is_plain else X, labels, feature_names=columns)
    if dataset.notes or dataset.X.shape != checked.shape:
        coded = "; ".join(dataset.notes)
        raise InvalidProblemError(f"X has columns of texts or categories ({coded}); expected numbers")
    check_is_binary64(dataset)
    return dataset


def _kept(labels: NDArray[Any], weights: NDArray[Any] | None, class_weight: Any) -> Rows:
    """Return the positions of the rows whose weights are not 0."""
    has_weight = np.ones(len(labels), dtype=np.bool_) if weights is None else weights != 0
    if isinstance(class_weight, Mapping):
        for label in (label for label, factor in class_weight.items() if factor == 0):
            has_weight &= labels != label
    return np.flatnonzero(has_weight)


def _factors(class_weight: Any, labels: NDArray[Any], names: dict[Any, Any], counts: Rows) -> dict[Any, Any] | None:
    """Return the factors of the classes by their names; "balanced" is n_samples / (n_classes n) for n rows.

    Raises
    ------
    InvalidOptionError
        If `class_weight` is none of a mapping of label to number, "balanced" and None.
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str) and class_weight == _BALANCED:
        n_samples, n_classes = int(counts.sum()), len(counts)
        pairs = zip(names.values(), counts.tolist(), strict=True)
        return {name: Fraction(n_samples, n_classes * count) for name, count in pairs}
    if not isinstance(class_weight, Mapping):
        raise not_class_weights(class_weight)
    factors = class_factors(class_weight, np.unique(labels).tolist())
    return {names[label]: factor for label, factor in factors.items() if label in names}


def _row_numbers(sample_weight: Any, n_rows: int) -> NDArray[Any]:
    """Return one number from 0 for each row.

    Raises
    ------
    ValueError
        If the weights have another shape, or are not finite numbers from 0.
    """
    refuse_masked(sample_weight, "sample_weight")
    as_they_are: Any = None
    weights: Any = check_array(sample_weight, ensure_2d=False, dtype=as_they_are, input_name="sample_weight")
    if weights.shape != (n_rows,):
        raise InvalidProblemError(f"sample_weight has shape {weights.shape}; expected one weight for each row of X")
    if (weights < 0).any():
        raise InvalidProblemError(f"sample_weight has the number {weights.min()}; expected none below 0")
    return np.asarray(weights)


def warn_of(estimator: Any, about: str, what: str) -> None:
    """Warn that a question of an estimator has no final answer.

    Parameters
    ----------
    estimator : object
    about : str
        The question, or "".
    what : str
        What is known.
    """
    text = f"{type(estimator).__name__}{f' for {about}' if about else ''}: {what}"
    warnings.warn(text, ConvergenceWarning, stacklevel=2)
