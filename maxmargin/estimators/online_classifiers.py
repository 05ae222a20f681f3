"""The perceptron and the other online algorithms as estimators of scikit-learn."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Self

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import _check_partial_fit_first_call

from maxmargin.api.running import choice, generator_of, in_time, run_perceptron
from maxmargin.estimators.linear_classifier import LinearClassifier, one_or_all
from maxmargin.estimators.training_rows import TrainingRows, warn_of
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.basics.option_values import check_limits
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.exact.dyadic import centred
from maxmargin.solvers.online.algorithm import Algorithm
from maxmargin.solvers.online.catalogue import algorithm_of
from maxmargin.solvers.online.margin_perceptron import MarginPerceptron
from maxmargin.solvers.online.online_settings import OnlineSettings
from maxmargin.solvers.online.rosenblatt import Perceptron, Pocket
from maxmargin.solvers.online.run_online import run_without_guarantees
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.perceptron.engines.row_units import times_weights
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.perceptron.settings import StopReason
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.separability.feasibility import separability

# Greatest entry of w, and inverse of the least greatest one, up to which w is stored as it is.
_MODERATE = 2.0**256

# Epochs after which a run is looked at, in multiples of those without improvement, and seconds for the proof that it
# does not converge.
_FIRST_LOOK, _PROOF_SECONDS = 10, 10.0

# Makes a run on a problem, and returns it with the verdict by which none converges, if that was proven.
_Run = Callable[..., tuple[Any, Verdict | None]]

# Number of seeds from which a random state draws one.
_SEEDS = 2**31 - 1


class _RunClassifier(LinearClassifier):
    """A classifier by runs, one for each class against the rest if there are more than two."""

    n_iter_: int
    n_mistakes_: Any
    fit_intercept: bool
    bias_scale: Any
    class_weight: Any
    warm_start: bool
    time_limit: float | None
    random_state: Any

    # Where the runs ended, if others may go on from there exactly.
    _ends: list[Any]

    def _fit_runs(self, X: Any, y: Any, sample_weight: Any, run: _Run) -> list[Any]:
        """Make the runs of `fit`, with what is proven by them."""
        known = self.classes_ if self.warm_start and hasattr(self, "coef_") else None
        training, runs, proven = self._make_runs(X, y, sample_weight, run, known)
        ends = list(zip(runs, proven, strict=True))
        self.status_ = one_or_all([(verdict or done.stop_reason).value for done, verdict in ends])
        self.margin_ = one_or_all([done.margin for done in runs])
        of_margin = {True: Verdict.SEPARABLE, False: Verdict.UNDECIDED}
        self.verdict_ = one_or_all([(verdict or of_margin[done.margin > 0]).value for done, verdict in ends])
        for (_, about), (done, verdict) in zip(training.questions, ends, strict=True):
            if not done.converged:
                why = f"no run converges, as proven ({verdict.value})" if verdict else done.stop_reason.phrase
                warn_of(self, about, f"{why}, after {done.counts('mistake', 'epoch')}")
        return runs

    def _fit_part(self, X: Any, y: Any, classes: Any, sample_weight: Any, run: _Run) -> list[Any]:
        """Make the runs of `partial_fit`; margins and verdicts of a part of the rows would mean nothing."""
        if "balanced" in (self.class_weight,) or "best" in (self.bias_scale,):
            raise InvalidOptionError("class_weight='balanced' and bias_scale='best' need all rows, and this is a part")
        before = getattr(self, "n_mistakes_", 0)
        _check_partial_fit_first_call(self, classes)
        _, runs, _ = self._make_runs(X, y, sample_weight, run, self.classes_)
        for name in ("status_", "margin_", "margin_interval_", "verdict_"):
            self.__dict__.pop(name, None)
        counts = np.broadcast_to(before, len(runs)) + [done.n_mistakes for done in runs]
        self.n_mistakes_ = one_or_all(counts.tolist())
        return runs

    def _make_runs(
        self, X: Any, y: Any, sample_weight: Any, run: _Run, classes: Any
    ) -> tuple[TrainingRows, list[Any], list[Verdict | None]]:
        """Make a run for each question; with classes, those of the last fit go on."""
        limits, generator = Limits(time_limit=self.time_limit), check_random_state(self.random_state)
        starts = self._starts() if classes is not None and hasattr(self, "coef_") else None
        training = TrainingRows.of(
            self, X, y, sample_weight=sample_weight, class_weight=self.class_weight, classes=classes
        )
        steps = training.steps if classes is None or training.steps is not None else np.ones(len(training.rows))
        made = []
        for k, (positive, _) in enumerate(training.questions):
            problem, share = training.problem(positive, bias=self.fit_intercept), len(training.questions) - k
            options = {"start": starts and starts[k], "time_limit": limits.share(share)}
            made.append(run(problem, weights=steps, rng=int(generator.randint(_SEEDS)), **options))
        runs, proven = [done for done, _ in made], [verdict for _, verdict in made]
        self.n_mistakes_ = one_or_all([done.n_mistakes for done in runs])
        self.n_iter_ = max(done.n_epochs for done in runs)
        self._set_planes(training, runs)
        self.coef_, self.intercept_ = _moderate(self.coef_, self.intercept_)
        return training, runs, proven

    def _starts(self) -> list[Any]:
        """Return where the runs of the last fit ended."""
        raise NotImplementedError


def _moderate(coef: Floats, intercept: Floats) -> tuple[Floats, Floats]:
    """Return hyperplanes whose w.x neither overflows nor vanishes for rows in units in which w is very large or small.

    All entries are multiplied by the same power of two, if that is exact: no sign and no order of scores changes.
    """
    planes, size = np.column_stack([coef, intercept]), float(np.abs(coef).max())
    if size and not 1 / _MODERATE <= size <= _MODERATE:
        moved = centred(planes)
        planes = planes if moved is None else moved
    return planes[:, :-1], planes[:, -1]


class PerceptronClassifier(_RunClassifier):
    """Classify by Rosenblatt's perceptron: w += y_i x_i at every mistake, from w = 0, until an epoch has none.

    The mistakes are those of exact arithmetic. On strictly separable data the run ends after at most (R/gamma*)^2
    mistakes, in the space of the run [1]_; on others it never does. Of more than two classes, each is compared with the
    rest.

    With weights v of samples and classes w += v_i y_i x_i, as in scikit-learn's ``Perceptron``. This is the perceptron
    on the rows v_i (x_i, s), whose numbers are rounded to binary64, so that every bound holds for these rows.

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
    class_weight : dict, "balanced" or None, default None
        Factors of the weights of rows by label, as in `MaxMarginClassifier`; a class of weight 0 is left out.
    warm_start : bool, default False
        If True, `fit` goes on from `coef_` and `intercept_` instead of w = 0; the maximum margin has no upper end then.
    n_iter_no_change : int or None, default 5
        If, among the first 10 times as many epochs, this number in a row had no fewer mistakes than the best before,
        `maxmargin.separability` is asked for up to 10 seconds. If it proves that no run converges, the run ends there.
        None does not ask.
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
        Why the run ended: "converged", the limit that it reached, or the verdict by which no run converges.
    margin_ : float
        The least y(w.x + b)/||w|| over the rows, rounded down; positive if, and only if, w and b separate the classes.
    verdict_ : str
        "separable" if the margin is positive, which proves it; "overlap" or "quasi-separable" if that was proven; else
        "undecided".
    margin_interval_ : tuple of float or None
        Proven ends of the maximum margin: `margin_`, and half the distance between the mistake-weighted means of the
        classes or, through the origin, the length of the mistake-weighted mean of the rows y x. The upper end is None
        as long as one of the classes (through the origin, both) has no mistake, and after a warm start.
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
        self, max_epochs: int | None = 1000, *, fit_intercept: bool = True, bias_scale: Any = 1.0,
        order: str = "cyclic", max_mistakes: int | None = 10_000_000, class_weight: Any = None,
        warm_start: bool = False, n_iter_no_change: int | None = 5, time_limit: float | None = None,
        random_state: Any = None,
    ) -> None:  # fmt: skip
        self.max_epochs = max_epochs
        self.fit_intercept = fit_intercept
        self.bias_scale = bias_scale
        self.order = order
        self.max_mistakes = max_mistakes
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.n_iter_no_change = n_iter_no_change
        self.time_limit = time_limit
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Run the perceptron; a run that did not converge warns with a ConvergenceWarning.

        Parameters
        ----------
        X : array_like, SciPy sparse array or data frame, of shape (n_samples, n_features)
            Finite numbers that binary64 holds exactly.
        y : array_like of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array_like of shape (n_samples,), optional
            Weights v_i >= 0, 1 by default; rows of weight 0 are left out.

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
        check_limits(max_epochs=self.max_epochs, n_iter_no_change=self.n_iter_no_change)
        runs = self._fit_runs(X, y, sample_weight, self._run_or_proof)
        self.__dict__.pop("_ends", None)
        self.margin_interval_ = one_or_all([(run.margin, run.margin_upper) for run in runs])
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Run one epoch on some of the rows, going on from the last call.

        w is kept exactly between the calls: parts of a table one after another make the mistakes of one epoch of `fit`.

        Parameters
        ----------
        X : array_like, SciPy sparse array or data frame, of shape (n_samples, n_features)
            Finite numbers that binary64 holds exactly.
        y : array_like of shape (n_samples,)
            Labels, some of the classes.
        classes : array_like of shape (n_classes,), optional
            All labels; the first call needs them.
        sample_weight : array_like of shape (n_samples,), optional
            Weights v_i >= 0, 1 by default; rows of weight 0 are left out.

        Returns
        -------
        PerceptronClassifier
            The estimator itself, without margins and without a verdict, as there may be further rows.

        Raises
        ------
        InvalidProblemError
            If binary64 does not hold a number, or a label is none of the classes.
        InvalidOptionError
            If the classes are missing or others than before, or an option needs all rows.
        """
        runs = self._fit_part(X, y, classes, sample_weight, partial(self._run, max_epochs=1))
        self._ends = [run.end for run in runs]
        return self

    def _starts(self) -> list[Any]:
        return getattr(self, "_ends", None) or list(zip(self.coef_, self.intercept_, strict=True))

    def _run(self, problem: Problem, *, max_epochs: int | None, **options: Any) -> tuple[Any, None]:
        settings = {"bias_scale": self.bias_scale, "order": self.order, "max_mistakes": self.max_mistakes}
        return run_perceptron(problem, max_epochs=max_epochs, **settings, **options), None

    def _run_or_proof(self, problem: Problem, **options: Any) -> tuple[Any, Verdict | None]:
        """Return a run, and the verdict if it ended by the proof that none converges."""
        patience, most, limit = self.n_iter_no_change, self.max_epochs, options["time_limit"]
        if patience is not None and (most is None or most > _FIRST_LOOK * patience):
            limits = Limits(time_limit=limit)
            run, _ = self._run(problem, max_epochs=_FIRST_LOOK * patience, **options)
            best = np.minimum.accumulate(run.mistakes_per_epoch)
            if run.stop_reason is not StopReason.MAX_EPOCHS:
                return run, None
            if (best[patience:] == best[:-patience]).any():
                found = separability(problem, time_limit=min(limits.share(2) or _PROOF_SECONDS, _PROOF_SECONDS))
                if found.strictly_separable is False:
                    return run, found.verdict
            options["time_limit"] = limits.share()
        return self._run(problem, max_epochs=most, **options)


class OnlineClassifier(_RunClassifier):
    """Classify by one of the `maxmargin.online_algorithms`.

    Of more than two classes, each is compared with the rest. With weights v of samples and classes the algorithm runs
    on the rows v_i (x_i, s), for which its guarantees hold: a step becomes w += v_i y_i x_i. Only "perceptron",
    "averaged", "pocket" and "margin-perceptron" take weights other than 0 and 1; others choose the lengths of their
    steps, so that a smaller row would not mean a smaller step.

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
    class_weight : dict, "balanced" or None, default None
        Factors of the weights of rows by label, as in `MaxMarginClassifier`; a class of weight 0 is left out.
    warm_start : bool, default False
        If True, `fit` goes on from the state in which the last one ended, `coef_` among it, instead of the first one.
        Algorithms whose state is about all rows refuse.
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
        self, algorithm: str = "averaged", *, max_epochs: int | None = 100,
        parameters: Mapping[str, Any] | None = None, fit_intercept: bool = True, bias_scale: Any = 1.0,
        order: str | None = None, class_weight: Any = None, warm_start: bool = False,
        time_limit: float | None = None, random_state: Any = None,
    ) -> None:  # fmt: skip
        self.algorithm = algorithm
        self.max_epochs = max_epochs
        self.parameters = parameters
        self.fit_intercept = fit_intercept
        self.bias_scale = bias_scale
        self.order = order
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.time_limit = time_limit
        self.random_state = random_state

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Run the algorithm; a run that did not converge warns with a ConvergenceWarning.

        Parameters
        ----------
        X : array_like, SciPy sparse array or data frame, of shape (n_samples, n_features)
            Finite numbers that binary64 holds exactly.
        y : array_like of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array_like of shape (n_samples,), optional
            Weights v_i >= 0, 1 by default; rows of weight 0 are left out.

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
        self._chosen(goes_on=self.warm_start)
        runs = self._fit_runs(X, y, sample_weight, partial(self._run, max_epochs=self.max_epochs))
        self._ends = [(run.state, run.n_presentations) for run in runs]
        return self

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> Self:
        """Run one epoch on some of the rows, going on from the last call.

        The algorithm keeps its state between the calls: parts of a table one after another make the updates of one
        epoch of `fit`.

        Parameters
        ----------
        X : array_like, SciPy sparse array or data frame, of shape (n_samples, n_features)
            Finite numbers that binary64 holds exactly.
        y : array_like of shape (n_samples,)
            Labels, some of the classes.
        classes : array_like of shape (n_classes,), optional
            All labels; the first call needs them.
        sample_weight : array_like of shape (n_samples,), optional
            Weights v_i >= 0, 1 by default; rows of weight 0 are left out.

        Returns
        -------
        OnlineClassifier
            The estimator itself, without margins and without a verdict, as there may be further rows.

        Raises
        ------
        InvalidProblemError
            If binary64 does not hold a number, or a label is none of the classes.
        InvalidOptionError
            If the classes are missing or others than before, or the algorithm needs all rows.
        """
        self._chosen(goes_on=True)
        runs = self._fit_part(X, y, classes, sample_weight, partial(self._run, max_epochs=1))
        self._ends = [(run.state, run.n_presentations) for run in runs]
        return self

    def _chosen(self, *, goes_on: bool = False) -> Algorithm:
        algorithm = algorithm_of(self.algorithm, dict(self.parameters or {}))
        if type(algorithm).predict is not Algorithm.predict:
            raise InvalidOptionError(
                f"algorithm is {self.algorithm!r}, which does not predict by one hyperplane; expected another one, or "
                "maxmargin.online"
            )
        if goes_on and algorithm.needs_all_rows:
            found = f"algorithm is {self.algorithm!r}, which needs all rows at once"
            raise InvalidOptionError(f"{found}; expected another one for partial_fit and warm_start")
        return algorithm

    def _starts(self) -> list[Any]:
        return self._ends

    def _run(
        self, problem: Problem, *, weights: Floats | None, start: Any, rng: int, time_limit: float | None,
        max_epochs: int | None,
    ) -> tuple[Any, None]:  # fmt: skip
        problem, scale, left = in_time(problem, self.bias_scale, time_limit)
        order = None if self.order is None else choice("order", self.order, Order)
        settings = OnlineSettings(bias_scale=scale, order=order, max_epochs=max_epochs, time_limit=left)
        rows, algorithm = Space.of(problem, scale), self._chosen()
        if weights is not None and (weights != 1).any():
            if not isinstance(algorithm, Perceptron | Pocket | MarginPerceptron):
                found = f"algorithm is {self.algorithm!r}, which chooses the lengths of its steps"
                raise InvalidOptionError(f"{found}: expected no weights of rows but 0 and 1")
            rows = replace(rows, X=times_weights(rows.X, weights, 0.0), is_exact=False)
        generator = generator_of(rng)
        return run_without_guarantees(problem, algorithm, settings, rows, rng=generator, before=start), None
