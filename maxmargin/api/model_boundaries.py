"""Whether the coefficients of a fitted linear model are hyperplanes: it decides where coef_.x + intercept_ = 0."""

from typing import Any

import numpy as np

from maxmargin.data.dataset import Dataset
from maxmargin.data.problems import problem_of
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import InvalidOptionError

_ROWS = 100
"""Rows on which the scores of a model are compared with those of its coefficients."""

_TOLERANCE = 1e-6
"""Difference between scores, relative to the greatest of them, that rounding may make."""

_HALF = 1e-9
"""Greatest linear predictor at which a response of 1/2 is one at 0."""

_AT_ONCE = frozenset({"LogisticRegression", "LogisticRegressionCV", "LinearDiscriminantAnalysis"})
"""Classes of scikit-learn that fit the scores of more than two classes at once, if they are not told otherwise."""


def fits_classes_at_once(model: Any) -> bool:
    """Return whether a model of scikit-learn fits the scores of more than two classes at once.

    Only their differences mean something then: a score of its own does not tell its class from the rest.
    """
    how = getattr(model, "multi_class", None)
    if how == "crammer_singer":
        return True
    kinds = {kind.__name__ for kind in type(model).__mro__ if kind.__module__.startswith("sklearn.")}
    is_told = how == "ovr" or getattr(model, "solver", None) == "liblinear"
    return bool(_AT_ONCE & kinds) and not is_told


def check_decides_at_zero(model: Any, dataset: Dataset) -> None:
    """Refuse a model of scikit-learn whose own scores are not coef_.x + intercept_, or that has no classes.

    Raises
    ------
    InvalidOptionError
        If it is a regression of labels other than -1 and 1, whose threshold nobody has said, or if its scores differ
        from those of its coefficients, as they do for models that centre X.
    """
    has_classes = getattr(model, "classes_", None) is not None
    score = getattr(model, "decision_function", None) or (None if has_classes else getattr(model, "predict", None))
    if not has_classes and score is not None and set(dataset.classes) != {-1, 1}:
        raise InvalidOptionError(
            f"model is a {type(model).__name__} without classes, a regression: where it divides the classes "
            f"{dataset.negative!r} and {dataset.positive!r} is not known; expected one of labels -1 and 1, or w and b"
        )
    X = problem_of(dataset).X[:_ROWS] if dataset.is_in_memory else None
    coefficients = np.atleast_2d(model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_)
    if score is None or X is None or coefficients.shape[1:] != X.shape[1:] or hasattr(model, "feature_names_in_"):
        return
    expected = X @ coefficients.T + np.ravel(getattr(model, "intercept_", 0.0))
    try:
        found = np.asarray(score(X), dtype=float).reshape(expected.shape)
    except (TypeError, ValueError):  # nothing to compare with
        return
    with np.errstate(all="ignore"):
        size = max(float(np.abs(expected).max()), float(np.abs(found).max()))
        if np.isfinite(size) and np.abs(found - expected).max() > _TOLERANCE * size:
            raise InvalidOptionError(
                f"model is a {type(model).__name__} whose scores are not coef_.x + intercept_; expected a linear model "
                "of X as it is, or w and b"
            )


def check_response_is_half_at_zero(results: Any) -> None:
    """Refuse results of statsmodels whose response is not 1/2 where the linear predictor is 0.

    Raises
    ------
    InvalidOptionError
        If the link is not 1/2 there, as in a Poisson or an ordinary regression; or if there is an offset.
    """
    fitted = getattr(results, "model", None)
    if fitted is None:
        return
    kind, half = type(fitted).__name__, _predictor_of_half(fitted)
    offset = getattr(fitted, "offset", None)
    if offset is not None and np.any(np.asarray(offset, dtype=float) != 0):
        raise InvalidOptionError(f"model is a {kind} with an offset for every row: it is no hyperplane in X")
    if half is not None and not abs(half) <= _HALF:
        raise InvalidOptionError(
            f"model is a {kind} whose response is not 1/2 where params.x = 0; expected a logistic or probit model, or "
            "w and b"
        )


def check_order_of_columns(fitted_to: Floats, dataset: Dataset) -> None:
    """Refuse columns without names that are those to which a model was fitted, in another order.

    Raises
    ------
    InvalidOptionError
    """
    X = problem_of(dataset).X if dataset.is_in_memory else None
    if not isinstance(X, np.ndarray) or X.shape != fitted_to.shape or np.array_equal(X, fitted_to):
        return
    if sorted(map(tuple, X.T.tolist())) == sorted(map(tuple, np.asarray(fitted_to, dtype=float).T.tolist())):
        raise InvalidOptionError(
            "X has the columns to which the model was fitted in another order; expected the same order, or a data "
            "frame with the names"
        )


def _predictor_of_half(fitted: Any) -> float | None:
    """Return the linear predictor at which the response is half way between its values; None where it is not known."""
    endog = getattr(fitted, "endog", None)
    link = getattr(getattr(fitted, "family", None), "link", None)
    if callable(link):
        linked: Any = link(np.array([0.5]))
        return float(np.ravel(linked)[0])
    if type(fitted).__name__ in ("OLS", "WLS", "GLS") and endog is not None:
        return float((np.min(endog) + np.max(endog)) / 2)
    return {"Poisson": float("nan"), "NegativeBinomial": float("nan"), "GeneralizedPoisson": float("nan")}.get(
        type(fitted).__name__
    )
