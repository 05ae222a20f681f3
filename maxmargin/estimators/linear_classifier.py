"""The base of classifiers by hyperplanes: one for two classes, otherwise one for each class against the rest."""

from collections.abc import Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.linear_model._base import LinearClassifierMixin

from maxmargin.estimators.training_rows import TrainingRows


class LinearClassifier(LinearClassifierMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Predict by hyperplanes with `coef_` and `intercept_`, as scikit-learn's linear classifiers do."""

    n_features_in_: int
    feature_names_in_: NDArray[Any]
    classes_: NDArray[Any]
    coef_: NDArray[np.float64]
    intercept_: NDArray[np.float64]
    status_: Any
    margin_: Any
    verdict_: Any

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
