"""The rows to which an estimator is fitted: checked as scikit-learn checks them, and none of their numbers rounded."""

import inspect
import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import _safe_indexing
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from maxmargin.data.dataset import Dataset, check_is_binary64
from maxmargin.data.labels import LabelError, encode
from maxmargin.data.reading.arrays import class_factors, from_arrays, not_class_weights, refuse_masked, weights_of
from maxmargin.data.reading.coding import coding_note
from maxmargin.data.sources.frames import is_from_table_library
from maxmargin.solvers.answers.answer_text import some
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.row_weights import numbers_of_rows
from maxmargin.text.data_error import listed

_BALANCED = "balanced"

# Largest number of X: coefficients would be subnormal, or 0, where the numbers are larger.
_LARGEST = 2.0**1000

# Largest number of classes that a message names.
_MOST_NAMED = 6

# Packages that may stand between a fit and the line of the user that asked for it.
_BETWEEN = frozenset({"maxmargin", "sklearn", "joblib"})


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
    counts : ndarray of int
        The number of these rows in each class that they have.
    codes : ndarray of int
        The classes of the rows, as positions in `classes`.
    """

    dataset: Dataset
    classes: NDArray[Any]
    names: list[Any]
    rows: Rows
    weights: NDArray[Any] | None
    factors: dict[Any, Any] | None
    counts: Rows
    codes: Rows

    @property
    def steps(self) -> Floats | None:
        """The weights of the rows times the factors of their classes, as floats; None if all are 1."""
        if self.weights is None and self.factors is None:
            return None
        factors = [float((self.factors or {}).get(name, 1)) for name in self.names]
        return np.asarray((1.0 if self.weights is None else self.weights) * np.array(factors)[self.codes])

    def problem(self, positive: Any, *, bias: bool) -> Problem:
        """Return the rows, with the sign +1 for those of a class and -1 for the others, of which there may be none."""
        return Problem(self.dataset.X, np.where(self.codes == self.names.index(positive), 1.0, -1.0), bias)

    @property
    def questions(self) -> list[tuple[Any, str]]:
        """The label that is +1 in each question, and the question in words: one for two classes, else one for each."""
        if len(self.names) == 2:
            return [(self.names[1], "")]
        labels = self.classes.tolist()
        return [(name, f"the class {label!r} against the rest") for name, label in zip(self.names, labels, strict=True)]

    @property
    def sizes(self) -> str:
        """How many rows of each class there are."""
        pairs = zip(self.classes.tolist(), self.counts.tolist(), strict=True)
        return f"{len(self.rows):,} rows ({some([f'{n:,} of {label!r}' for label, n in pairs], _MOST_NAMED, '...')})"

    @classmethod
    def of(
        cls, estimator: Any, X: Any, y: Any, *, sample_weight: Any = None, class_weight: Any = None, classes: Any = None
    ) -> "TrainingRows":
        """Return the rows to which an estimator is fitted, without rows and classes of weight 0.

        The attributes of an earlier fit are removed from the estimator, unless the rows are a part of all rows, whose
        classes are given.

        Raises
        ------
        InvalidOptionError
            If the estimator's `fit_intercept` is neither True nor False.
        ValueError
            If scikit-learn refuses the data, binary64 does not hold a number, one is larger than 2**1000, or fewer than
            two classes are left.
        """
        intercept = estimator.fit_intercept
        if not isinstance(intercept, bool | np.bool_):
            raise InvalidOptionError(f"fit_intercept is {intercept!r}; expected True or False")
        is_part = classes is not None
        is_first = not (is_part and hasattr(estimator, "coef_"))
        if is_first:
            _forget(estimator)
        refuse_masked(y, "y")
        checked: Any
        labels: Any
        checked, labels = validate_data(estimator, X, y, accept_sparse="csr", reset=is_first)
        check_classification_targets(labels)
        largest = float(np.abs(checked.data if issparse(checked) else checked).max(initial=0))
        if largest > _LARGEST:
            found = f"the largest number of X is {largest!r} in absolute value; expected at most 2**1000"
            raise InvalidProblemError(f"{found}: rescale X, for example divide it by {largest!r}")
        weights = None if sample_weight is None else numbers_of_rows(weights_of(sample_weight), len(labels))
        kept = _kept(labels, weights, class_weight)
        present, first, counts = np.unique(labels[kept], return_index=True, return_counts=True)
        _check_classes(present if classes is None else classes, is_cut=is_part or len(kept) < len(labels))
        unknown = [] if classes is None else np.setdiff1d(labels, classes).tolist()
        if classes is not None and unknown:
            raise InvalidProblemError(f"y has the label {unknown[0]!r}; the classes are {listed(classes.tolist())}")
        columns = getattr(estimator, "feature_names_in_", [f"x{column}" for column in range(checked.shape[1])])
        if is_part:  # the classes of which may not all occur: the first row comes once more, with another label
            X, checked = (_safe_indexing(part, [*range(len(labels)), 0]) for part in (X, checked))
            whole = _exact_dataset(X, checked, np.append(np.zeros(len(labels)), 1), columns)
            dataset = replace(whole, X=whole.X[kept])
        else:
            dataset = _exact_dataset(X, checked, labels, columns)
        if classes is None and len(kept) < len(labels):
            dataset = from_arrays(dataset.X[kept], labels[kept], feature_names=dataset.feature_names)
        names = [dataset.labels[row].item() for row in first.tolist()] if classes is None else classes.tolist()
        known, classes = (np.unique(labels), present) if classes is None else (classes, classes)
        return cls(
            dataset=dataset,
            classes=classes,
            names=names,
            rows=kept,
            weights=None if weights is None else weights[kept],
            factors=_factors(class_weight, known, dict(zip(classes.tolist(), names, strict=True)), counts),
            counts=counts,
            codes=np.searchsorted(classes, labels[kept]),
        )


def _forget(estimator: Any) -> None:
    """Remove what an estimator has of an earlier fit: if this one fails, `n_features_in_` would be of other rows."""
    for name in [name for name in vars(estimator) if name.endswith("_") and not name.startswith("_")]:
        delattr(estimator, name)


def _check_classes(classes: NDArray[Any], *, is_cut: bool) -> None:
    """Raise if fewer than two labels are left of those that were given, or two of them are the same number.

    Raises
    ------
    InvalidProblemError
    """
    if len(classes) < 2 and is_cut:
        found = f"are all of the class {classes.tolist()[0]!r}" if len(classes) else "are none: all weights are zero"
        raise InvalidProblemError(f"the rows whose weight is not zero {found}; expected at least two classes")
    with suppress(LabelError):  # which names a row where the data set is made
        if len(encode(classes).classes) < len(classes):
            raise InvalidProblemError(
                f"y has the labels {listed(classes.tolist())}, some of which are the same number; expected labels that "
                "differ as numbers, too"
            )


def _exact_dataset(X: Any, checked: Any, labels: NDArray[Any], columns: Sequence[str]) -> Dataset:
    """Return the data set of the numbers in X, each of which binary64 holds; `checked` is what scikit-learn makes of X.

    Raises
    ------
    InvalidProblemError
        If it does not hold one of them, or a column is none of numbers.
    """
    is_plain = issparse(checked) or (type(X) is np.ndarray and X.dtype == checked.dtype)
    own_names = is_from_table_library(X)  # a column of texts may become several columns with names of their own
    dataset = from_arrays(checked if is_plain else X, labels, feature_names=None if own_names else columns)
    coded = "; ".join(coding_note(factor.name, factor) for factor in dataset.factors)
    if coded or dataset.X.shape != checked.shape:
        raise InvalidProblemError(f"X has columns of texts or categories ({coded}); expected numbers")
    check_is_binary64(dataset)
    return replace(dataset, feature_names=tuple(map(str, columns)))


def _kept(labels: NDArray[Any], weights: NDArray[Any] | None, class_weight: Any) -> Rows:
    """Return the positions of the rows whose weights are not 0."""
    has_weight = np.ones(len(labels), dtype=np.bool_) if weights is None else weights != 0
    if isinstance(class_weight, Mapping):
        for label in (label for label, factor in class_weight.items() if factor == 0):
            has_weight &= labels != label
    return np.flatnonzero(has_weight)


def _factors(class_weight: Any, known: NDArray[Any], names: dict[Any, Any], counts: Rows) -> dict[Any, Any] | None:
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
    factors = class_factors(class_weight, known.tolist())
    return {names[label]: factor for label, factor in factors.items() if label in names}


def warn_of(estimator: Any, about: str, what: str, category: type[Warning] = ConvergenceWarning) -> None:
    """Warn of an estimator where it is used, which is the line that calls scikit-learn if that calls the estimator.

    Parameters
    ----------
    estimator : object
    about : str
        The question, or "".
    what : str
        The rest of the sentence.
    category : type of Warning
        By default ConvergenceWarning: the question has no final answer.
    """
    text = f"{type(estimator).__name__}{f' for {about}' if about else ''}: {what}"
    level, frame = 1, inspect.currentframe()  # `skip_file_prefixes` of warnings.warn needs Python 3.12
    while frame is not None and frame.f_globals.get("__name__", "").partition(".")[0] in _BETWEEN:
        level, frame = level + 1, frame.f_back
    warnings.warn(text, category, stacklevel=level if frame is not None else 2)
