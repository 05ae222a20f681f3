"""The base of classifiers by hyperplanes: one for two classes, otherwise one for each class against the rest."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from maxmargin.estimators.training_rows import TrainingRows


class LinearClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Predict by hyperplanes with `coef_` and `intercept_`, as scikit-learn's linear classifiers do."""

    n_features_in_: int
    feature_names_in_: NDArray[Any]
    classes_: NDArray[Any]
    coef_: NDArray[np.float64]
    intercept_: NDArray[np.float64]
    status_: Any
    margin_: Any
    verdict_: Any

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return w.x + b for every row.

        Parameters
        ----------
        X : array_like or SciPy sparse array, of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,) or (n_samples, n_classes)
            For two classes the score of ``classes_[1]``, else one score for each class.
        """
        check_is_fitted(self, "coef_")
        X = validate_data(self, X, accept_sparse="csr", dtype=np.float64, reset=False)
        scores = np.asarray(X @ self.coef_.T + self.intercept_)
        return scores.ravel() if scores.shape[1] == 1 else scores

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of every row: ``classes_[1]`` of two where w.x + b > 0, otherwise the one of the best score.

        Parameters
        ----------
        X : array_like or SciPy sparse array, of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray of shape (n_samples,)
            Labels.
        """
        scores = self.decision_function(X)
        codes = (scores > 0).astype(np.int64) if scores.ndim == 1 else scores.argmax(axis=1)
        return np.asarray(self.classes_[codes])

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _set_planes(self, training: TrainingRows, planes: Sequence[Any]) -> Self:
        """Store the hyperplanes, which have w and b."""
        self.classes_ = training.classes
        self.coef_ = np.array([plane.w for plane in planes], dtype=np.float64)
        self.intercept_ = np.array([plane.b for plane in planes], dtype=np.float64)
        return self


def one_or_all(values: Sequence[Any]) -> Any:
    """Return the value of the only question, or a tuple with one for each class."""
    return values[0] if len(values) == 1 else tuple(values)
