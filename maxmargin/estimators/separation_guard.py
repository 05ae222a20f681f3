"""A step of a pipeline that stops, or warns, where the maximum-likelihood estimate of what follows does not exist."""

from typing import Any, Self

from numpy.typing import NDArray
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from maxmargin.api.deciding import separability
from maxmargin.certificates.require import SeparationError
from maxmargin.data.sources.frames import is_from_table_library
from maxmargin.estimators.training_rows import TrainingRows, warn_of
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.array_types import Rows
from maxmargin.solvers.basics.option_values import check_choice
from maxmargin.solvers.proof.certificate import Certificate

_WAYS = ("raise", "warn", "record")


class SeparationWarning(UserWarning):
    """The data are separated, or not proven to overlap.

    See Also
    --------
    maxmargin.SeparationGuard : The step of a pipeline that gives the warning.

    Examples
    --------
    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as caught:
    ...     warnings.simplefilter("always")
    ...     guard = SeparationGuard("warn").fit([[1.0], [2.0]], ["no", "yes"])
    >>> caught[0].category.__name__, guard.verdict_
    ('SeparationWarning', 'separable')
    """


class SeparationGuard(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]  # no types
    """Check in a pipeline that the classes overlap, and pass the rows on as they are.

    It is for models without a penalty: a logistic regression without one has a maximum-likelihood estimate if, and only
    if, the classes overlap [1]_; of more than two classes, this is the question of the multinomial model. A penalised
    model, such as ``LogisticRegression()`` with its default C = 1, has its estimate on separated data, too: the guard
    would stop a fit in which nothing is wrong. The check is made by `fit` alone.

    Steps before it, such as ``StandardScaler()``, pass arrays on, whose columns have no names. To have the names of a
    data frame in `infinite_columns_` and in messages, put the guard first, or let the steps pass data frames on:
    ``pipeline.set_output(transform="pandas")``.

    Parameters
    ----------
    on : {"raise", "warn", "record"}, default "raise"
        What `fit` does unless it is proven that the classes overlap: raise a SeparationError, warn with a
        SeparationWarning, or store the verdict only. The warning says how many rows of each class it is about, as a
        cross-validation fits to a part of the rows each time.
    fit_intercept : bool, default True
        Whether the model that follows has an intercept.
    time_limit : float, optional
        Seconds after which the verdict is `undecided`. There is no limit by default.

    Attributes
    ----------
    verdict_ : str
        "overlap", "quasi-separable", "separable", or "undecided".
    certificate_ : Certificate or None
        The proof of the verdict, which `maxmargin.verify` checks.
    infinite_columns_ : dict or None
        The infinite coefficients by the name of their column, x0, x1, ... if X has no names, with their signs.
    separated_rows_ : ndarray of int or None
        The positions of the rows that a hyperplane has strictly on their side, with no row on its wrong side.
    classes_ : ndarray
        The labels, sorted.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has some.

    See Also
    --------
    maxmargin.require : The same check for scripts.
    maxmargin.check_model : Check a model that is fitted already.

    References
    ----------
    .. [1] A. Albert and J. A. Anderson, "On the existence of maximum likelihood estimates in logistic regression
       models", Biometrika 71 (1984), 1-10.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> model = make_pipeline(SeparationGuard(), LogisticRegression(C=float("inf")))
    >>> try:
    ...     model.fit([[1.0], [2.0], [2.0], [4.0]], ["no", "no", "yes", "yes"])
    ... except ValueError as error:
    ...     print(error.verdict.value, error.columns)
    quasi-separable {'(Intercept)': '-', 'x0': '+'}
    """

    n_features_in_: int
    feature_names_in_: NDArray[Any]
    classes_: NDArray[Any]
    verdict_: str
    certificate_: Certificate | None
    infinite_columns_: dict[str | int, str] | None
    separated_rows_: Rows | None

    def __init__(self, on: str = "raise", *, fit_intercept: bool = True, time_limit: float | None = None) -> None:
        self.on = on
        self.fit_intercept = fit_intercept
        self.time_limit = time_limit

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Decide whether the classes overlap.

        Parameters
        ----------
        X : array_like, SciPy sparse array or data frame, of shape (n_samples, n_features)
            Finite numbers that binary64 holds exactly.
        y : array_like of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array_like of shape (n_samples,), optional
            Rows of weight 0 are left out; other weights do not matter.

        Returns
        -------
        SeparationGuard
            The estimator itself.

        Raises
        ------
        SeparationError
            If ``on="raise"``, and it is not proven that the classes overlap.
        InvalidProblemError
            If binary64 does not hold a number, or there are fewer than two classes.
        InvalidOptionError
            If `on` is none of the three.
        """
        check_choice("on", self.on, _WAYS)
        training = TrainingRows.of(self, X, y, sample_weight=sample_weight)
        positive = training.names[1] if len(training.names) == 2 else None
        answer = separability(training.dataset, bias=self.fit_intercept, positive=positive, time_limit=self.time_limit)
        self.classes_ = training.classes
        self.verdict_, self.certificate_ = answer.verdict.value, answer.certificate
        self.infinite_columns_ = answer.infinite_columns
        rows = answer.separated_rows
        self.separated_rows_ = None if rows is None else training.rows[rows]
        if answer.verdict is not Verdict.OVERLAP and self.on != "record":
            error = SeparationError("overlap", answer, positions=training.rows)
            if self.on == "raise":
                raise error
            warn_of(self, training.sizes, str(error), SeparationWarning)
        return self

    def transform(self, X: Any) -> Any:
        """Return the rows as they are.

        Parameters
        ----------
        X : array_like, SciPy sparse array or data frame, of shape (n_samples, n_features)
            The rows.

        Returns
        -------
        ndarray, SciPy sparse array or data frame
            The same rows.
        """
        check_is_fitted(self, "verdict_")
        checked = validate_data(self, X, accept_sparse=True, reset=False)
        return X if is_from_table_library(X) else checked

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.target_tags.required = True
        return tags
