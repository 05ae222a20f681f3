"""The perceptron and the other online algorithms as estimators of scikit-learn."""

import sys
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state

from maxmargin.api.running import online, perceptron
from maxmargin.estimators.linear_classifier import LinearClassifier, one_or_all
from maxmargin.estimators.training_rows import TrainingRows, warn_of
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.online.algorithm import Algorithm
from maxmargin.solvers.online.catalogue import algorithm_of

# Exponent of two of the greatest entry of w, up to which it is stored as it is.
_MODERATE = 256

# Exponents of two of the least and of the greatest normal numbers.
_LEAST_EXPONENT, _MOST_EXPONENT = sys.float_info.min_exp, sys.float_info.max_exp

# Number of seeds from which a random state draws one.
_SEEDS = 2**31 - 1


class _RunClassifier(LinearClassifier):
    """A classifier by runs, one for each class against the rest if there are more than two."""

    n_iter_: int
    n_mistakes_: Any
    fit_intercept: bool
    time_limit: float | None
    random_state: Any

    def _fit_runs(self, X: Any, y: Any, run: Callable[..., Any]) -> list[Any]:
        limits, generator = Limits(time_limit=self.time_limit), check_random_state(self.random_state)
        training = TrainingRows.of(self, X, y)
        runs = []
        for n_done, (positive, _) in enumerate(training.questions):
            limit = limits.share(len(training.questions) - n_done)
            seed = int(generator.randint(_SEEDS))
            runs.append(run(training.dataset, bias=self.fit_intercept, positive=positive, time_limit=limit, rng=seed))
        for (_, about), done in zip(training.questions, runs, strict=True):
            if not done.converged:
                warn_of(self, about, f"{done.stop_reason.phrase}, after {done.counts('mistake', 'epoch')}")
        self.n_mistakes_ = one_or_all([done.n_mistakes for done in runs])
        self.n_iter_ = max(done.n_epochs for done in runs)
        self.status_ = one_or_all([done.stop_reason.value for done in runs])
        self.margin_ = one_or_all([done.margin for done in runs])
        verdicts = (Verdict.SEPARABLE if done.margin > 0 else Verdict.UNDECIDED for done in runs)
        self.verdict_ = one_or_all([verdict.value for verdict in verdicts])
        self._set_planes(training, runs)
        self.coef_, self.intercept_ = _moderate(self.coef_, self.intercept_)
        return runs


def _moderate(coef: Floats, intercept: Floats) -> tuple[Floats, Floats]:
    """Return hyperplanes whose w.x neither overflows nor vanishes for rows in units in which w is very large or small.

    All entries are divided by the same power of two, as near to the size of the greatest entry of w as is exact for all
    of them: no sign and no order of scores changes.
    """
    mantissas, exponents = np.frexp(np.concatenate([coef.ravel(), intercept]))
    exponents = exponents[mantissas != 0]
    exponent = int(np.frexp(np.abs(coef).max(initial=0.0))[1])
    if abs(exponent) <= _MODERATE:
        return coef, intercept
    if exponent > 0:  # down, and no entry below the normal range
        exponent = max(0, min(exponent, int(exponents.min()) - _LEAST_EXPONENT))
    else:  # up, and no entry beyond the range
        exponent = min(0, max(exponent, int(exponents.max()) - _MOST_EXPONENT))
    return np.ldexp(coef, -exponent), np.ldexp(intercept, -exponent)


class PerceptronClassifier(_RunClassifier):
    """Classify by Rosenblatt's perceptron: w += y_i x_i at every mistake, from w = 0, until an epoch has none.

    The mistakes are those of exact arithmetic. On strictly separable data the run ends after at most (R/gamma*)^2
    mistakes, in the space of the run [1]_; on others it never does. Of more than two classes, each is compared with the
    rest.

    Parameters
    ----------
    max_epochs : int or None, default 1000
        Largest number of epochs; None is no limit.
    fit_intercept : bool, default True
        If True, rows have a further coordinate, the constant `bias_scale`.
    bias_scale : float or "best", default 1.0
        The constant coordinate, positive; "best" chooses it so that the bound on the mistakes is least.
    order : {"cyclic", "shuffled-once", "reshuffled-each-epoch", "random"}, default "cyclic"
        The order of the rows.
    max_mistakes : int or None, default 10_000_000
        Largest number of mistakes; None is no limit.
    time_limit : float, optional
        Seconds after which the run ends. There is no limit by default.
    random_state : int, RandomState instance or None, default None
        The seed of the orders that are random.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted; of two, the second is the side w.x + b > 0.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The normals w. If their greatest entry is not between 2**-256 and 2**256, all w and b are divided by the same
        power of two, so that w.x neither overflows nor vanishes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The offsets b.
    n_iter_ : int
        The number of epochs, the largest of all runs.
    n_mistakes_ : int
        The number of mistakes. This attribute and those that follow are tuples, with one value for each class, if there
        are more than two classes.
    status_ : str
        Why the run ended: "converged", or the limit that it reached.
    margin_ : float
        The least y(w.x + b)/||w|| over the rows, rounded down; positive if, and only if, w and b separate the classes.
    verdict_ : str
        "separable" if the margin is positive, which proves it, else "undecided".
    margin_interval_ : tuple of float or None
        Proven ends of the maximum margin: `margin_`, and half the distance between the mistake-weighted means of the
        classes or, through the origin, the length of the mistake-weighted mean of the rows y x. The upper end is None
        as long as one of the classes (through the origin, both) has no mistake.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has some.

    See Also
    --------
    maxmargin.perceptron : The same run for arrays, with its mistakes in order.
    OnlineClassifier : Other online algorithms.

    References
    ----------
    .. [1] A. B. J. Novikoff, "On convergence proofs on perceptrons", Symposium on the Mathematical Theory of Automata
       12 (1962), 615-622.

    Examples
    --------
    >>> model = PerceptronClassifier().fit([[10.0], [12.0]], ["ten", "twelve"])
    >>> model.n_mistakes_, model.n_iter_, model.status_, model.predict([[13.0]]).tolist()
    (233, 128, 'converged', ['twelve'])
    """

    margin_interval_: Any

    def __init__(
        self,
        max_epochs: int | None = 1000,
        *,
        fit_intercept: bool = True,
        bias_scale: Any = 1.0,
        order: str = "cyclic",
        max_mistakes: int | None = 10_000_000,
        time_limit: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.max_epochs = max_epochs
        self.fit_intercept = fit_intercept
        self.bias_scale = bias_scale
        self.order = order
        self.max_mistakes = max_mistakes
        self.time_limit = time_limit
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Run the perceptron; a run that did not converge warns with a ConvergenceWarning.

        Parameters
        ----------
        X : array_like, SciPy sparse array or data frame, of shape (n_samples, n_features)
            Finite numbers that binary64 holds exactly.
        y : array_like of shape (n_samples,)
            Labels of two or more classes.

        Returns
        -------
        PerceptronClassifier
            The estimator itself.

        Raises
        ------
        InvalidProblemError
            If binary64 does not hold a number, or there are fewer than two classes.
        InvalidOptionError
            If a parameter has a value that it does not take.
        """
        options = {"bias_scale": self.bias_scale, "order": self.order, "max_epochs": self.max_epochs}
        runs = self._fit_runs(X, y, partial(perceptron, max_mistakes=self.max_mistakes, **options))
        self.margin_interval_ = one_or_all([(run.margin, run.margin_upper) for run in runs])
        return self


class OnlineClassifier(_RunClassifier):
    """Classify by one of the `maxmargin.online_algorithms`.

    Of more than two classes, each is compared with the rest.

    Parameters
    ----------
    algorithm : str, default "averaged"
        The name of the algorithm; it has to predict by one hyperplane, which the voted perceptron and kernels do not.
    max_epochs : int or None, default 100
        Largest number of epochs; None is no limit.
    parameters : dict, optional
        The parameters of the algorithm by name, such as ``{"beta": 1.0}``.
    fit_intercept : bool, default True
        If True, rows have a further coordinate, the constant `bias_scale`.
    bias_scale : float or "best", default 1.0
        The constant coordinate, positive.
    order : {"cyclic", "shuffled-once", "reshuffled-each-epoch", "random"}, optional
        The order of the rows; the default is the algorithm's own.
    time_limit : float, optional
        Seconds after which the run ends. There is no limit by default.
    random_state : int, RandomState instance or None, default None
        The seed of the orders that are random.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted; of two, the second is the side w.x + b > 0.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The normals w. If their greatest entry is not between 2**-256 and 2**256, all w and b are divided by the same
        power of two, so that w.x neither overflows nor vanishes.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The offsets b.
    n_iter_ : int
        The number of epochs, the largest of all runs.
    n_mistakes_ : int
        The number of mistakes. This attribute and those that follow are tuples, with one value for each class, if there
        are more than two classes.
    status_ : str
        Why the run ended: "converged", or the limit that it reached.
    margin_ : float
        The least y(w.x + b)/||w|| over the rows, rounded down.
    verdict_ : str
        "separable" if the margin is positive, which proves it, else "undecided".
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has some.

    See Also
    --------
    maxmargin.online : The same run for arrays, with the guarantees of the theory checked.
    PerceptronClassifier : Rosenblatt's algorithm, faster.

    Examples
    --------
    >>> model = OnlineClassifier("margin-perceptron", parameters={"beta": 2.0}, max_epochs=None)
    >>> model.fit([[10.0], [12.0]], ["ten", "twelve"]).status_
    'converged'
    """

    def __init__(
        self,
        algorithm: str = "averaged",
        *,
        max_epochs: int | None = 100,
        parameters: Mapping[str, Any] | None = None,
        fit_intercept: bool = True,
        bias_scale: Any = 1.0,
        order: str | None = None,
        time_limit: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.algorithm = algorithm
        self.max_epochs = max_epochs
        self.parameters = parameters
        self.fit_intercept = fit_intercept
        self.bias_scale = bias_scale
        self.order = order
        self.time_limit = time_limit
        self.random_state = random_state

    def fit(self, X: Any, y: Any) -> Self:
        """Run the algorithm; a run that did not converge warns with a ConvergenceWarning.

        Parameters
        ----------
        X : array_like, SciPy sparse array or data frame, of shape (n_samples, n_features)
            Finite numbers that binary64 holds exactly.
        y : array_like of shape (n_samples,)
            Labels of two or more classes.

        Returns
        -------
        OnlineClassifier
            The estimator itself.

        Raises
        ------
        InvalidProblemError
            If binary64 does not hold a number, there are fewer than two classes, or the algorithm is for other data.
        InvalidOptionError
            If there is no such algorithm, it does not predict by one hyperplane, or a parameter has a value that it
            does not take.
        """
        parameters = dict(self.parameters or {})
        if type(algorithm_of(self.algorithm, parameters)).predict is not Algorithm.predict:
            raise InvalidOptionError(
                f"algorithm is {self.algorithm!r}, which does not predict by one hyperplane; expected another one, or "
                "maxmargin.online"
            )
        options = {"bias_scale": self.bias_scale, "order": self.order, "max_epochs": self.max_epochs}
        self._fit_runs(X, y, partial(online, algorithm=self.algorithm, **options, **parameters))
        return self
