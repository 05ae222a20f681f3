"""Coefficients of fitted linear models of scikit-learn, and whether they decide where coef_.x + intercept_ = 0."""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np

from maxmargin.data.dataset import Dataset, problem_of
from maxmargin.data.numbers.binary64 import REAL_KINDS, array_of, is_sparse
from maxmargin.data.reading.arrays import refuse_masked
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.exact.reals import binary64, short_repr

# Number of rows on which the scores of a model are compared with those of its coefficients.
_ROWS = 100

# Largest difference between scores, relative to the largest of them, that rounding may explain.
_TOLERANCE = 1e-6

# Classes of scikit-learn that by default fit the scores of more than two classes at once.
_AT_ONCE = frozenset({"LogisticRegression", "LogisticRegressionCV", "LinearDiscriminantAnalysis"})


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Coefficients:
    """The hyperplanes of a fitted linear model of scikit-learn, as the model stores them.

    Attributes
    ----------
    model : object
        The fitted model.
    rows : ndarray of shape (n_decisions, n_features)
        Its coefficients, a row for each decision.
    intercepts : ndarray of shape (n_decisions,)
        Their intercepts.
    names : tuple of str or None
        The names of the columns to which it was fitted; None if they had none.
    classes : list of label
        Its classes in its own order; empty for a regression.
    has_intercept : bool
        Whether the model was fitted with an intercept.
    """

    model: Any
    rows: Floats
    intercepts: Floats
    names: tuple[str, ...] | None
    classes: list[Any]
    has_intercept: bool

    @classmethod
    def of(cls, model: Any) -> Self:
        """Read a fitted model.

        Raises
        ------
        InvalidOptionError
            If its coefficients and intercepts do not have the shapes of a linear model, or are not finite numbers.
        """
        names, found = getattr(model, "feature_names_in_", None), getattr(model, "classes_", None)
        try:
            table = model.coef_.toarray() if is_sparse(model.coef_) else array_of(model.coef_)
            intercepts = np.ravel(array_of(getattr(model, "intercept_", 0.0)))
            classes = array_of(() if found is None else found)
        except ValueError as error:
            raise InvalidOptionError(f"coef_, intercept_ or classes_ of the model is no array: {error}") from error
        shape = np.atleast_2d(table).shape
        n_names = shape[-1] if names is None else np.size(names)
        if len(shape) != 2 or len(intercepts) not in (1, shape[0]) or classes.ndim != 1 or n_names != shape[1]:
            raise InvalidOptionError(
                f"model has coef_ of shape {table.shape}, intercept_ of {len(intercepts)} numbers, classes_ of shape "
                f"{classes.shape}, {n_names} feature_names_in_; expected (1, n_features) or (n_features,), one "
                "intercept, and one name a column"
            )
        return cls(
            model=model,
            rows=real_numbers(np.ravel(table), "coef_").reshape(shape),
            intercepts=np.broadcast_to(real_numbers(intercepts, "intercept_"), shape[0]),
            names=None if names is None else tuple(map(str, names)),
            classes=classes.tolist(),
            has_intercept=bool(getattr(model, "fit_intercept", True)),
        )

    @property
    def are_of_pairs(self) -> bool:
        """Whether each row decides between two of several classes, as in an SVC, and not one class against the rest."""
        return hasattr(self.model, "dual_coef_") and len(self.classes) > 2

    @property
    def are_joint(self) -> bool:
        """Whether the scores of more than two classes are fitted at once.

        Then only the differences of scores have a meaning, and no row is a hyperplane of a class against the rest.
        """
        how = getattr(self.model, "multi_class", None)
        if how == "crammer_singer":
            return True
        kinds = {kind.__name__ for kind in type(self.model).__mro__ if kind.__module__.startswith("sklearn.")}
        is_one_by_one = how == "ovr" or getattr(self.model, "solver", None) == "liblinear"
        return bool(_AT_ONCE & kinds) and not is_one_by_one

    def check_decide_at_zero(self, dataset: Dataset) -> None:
        """Refuse a model whose own scores are not coef_.x + intercept_, or that has no classes.

        Raises
        ------
        InvalidOptionError
            If it is a regression of labels other than -1 and 1, whose threshold is not known, or if its scores differ
            from those of its coefficients, as they do for models that centre X.
        """
        kind = type(self.model).__name__
        score = getattr(self.model, "decision_function", None)
        if not self.classes:
            score = score or getattr(self.model, "predict", None)
            if score is not None and set(dataset.classes) != {-1, 1}:
                raise InvalidOptionError(
                    f"model is a {kind} without classes, a regression: where it divides the classes "
                    f"{dataset.negative!r} and {dataset.positive!r} is not known; expected one of labels -1 and 1, or "
                    "w and b"
                )
        X = problem_of(dataset).X[:_ROWS] if dataset.is_in_memory else None
        if score is None or X is None or self.rows.shape[1:] != X.shape[1:] or self.names is not None:
            return
        expected = X @ self.rows.T + self.intercepts
        try:
            found = np.asarray(score(X), dtype=float).reshape(expected.shape)
        except (TypeError, ValueError):  # nothing to compare with
            return
        with np.errstate(all="ignore"):
            size = max(float(np.abs(expected).max()), float(np.abs(found).max()))
            if np.isfinite(size) and np.abs(found - expected).max() > _TOLERANCE * size:
                raise InvalidOptionError(
                    f"model is a {kind} whose scores are not coef_.x + intercept_; expected a linear model of X as it "
                    "is, or w and b"
                )


def real_numbers(values: Any, name: str) -> Floats:
    """Return the entries of a one-dimensional array as binary64 numbers.

    Raises
    ------
    InvalidOptionError
        If one is no finite number, or binary64 does not hold it.
    """
    try:
        array = array_of(values)
    except ValueError as error:
        raise InvalidOptionError(f"{name} cannot be read as an array of numbers: {error}") from error
    refuse_masked(values, name)
    if array.ndim != 1:
        raise InvalidOptionError(f"{name} has shape {array.shape}; expected one dimension, (n_features,)")
    if array.dtype.kind not in (*REAL_KINDS, "O"):
        raise InvalidOptionError(f"{name} has dtype {array.dtype}; expected real numbers")
    if array.dtype.kind == "f" and array.dtype.itemsize <= 8 and np.isfinite(array).all():
        return array.astype(np.float64)
    entries = array if array.dtype.itemsize > 8 else array.tolist()  # of long doubles there is no list of Python's own
    return np.array([real_number(value, f"{name}[{position}]") for position, value in enumerate(entries)])


def real_number(value: Any, name: str) -> float:
    """Return a number, or an array with one, as a binary64 number.

    Raises
    ------
    InvalidOptionError
        If it is no finite number, or binary64 does not hold it.
    """
    if isinstance(value, np.ndarray) and value.shape == (1,):
        value = value[0]
    number = None if isinstance(value, bool | np.bool_) else binary64(value)
    if number is None:
        raise InvalidOptionError(f"{name} is {short_repr(value)}; expected a finite number that binary64 holds exactly")
    return number
