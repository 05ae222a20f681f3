"""The classifier of maximum margin, hard or soft, as an estimator of scikit-learn."""

import math
from dataclasses import replace
from numbers import Real
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from maxmargin.api.deciding import separability
from maxmargin.api.margin_verbs import hard_margin, soft_margin
from maxmargin.certificates.require import SeparationError
from maxmargin.estimators.linear_classifier import LinearClassifier, one_or_all
from maxmargin.estimators.training_rows import TrainingRows, warn_of
from maxmargin.solvers.answers.statuses import Status, Verdict
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.basics.option_values import check_choice
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.exact.reals import binary64, short_repr

if TYPE_CHECKING:
    from maxmargin.solvers.hard_margin.hard_solution import HardMargin
    from maxmargin.solvers.soft_margin.soft_solution import SoftMargin


_LOSSES = ("hinge", "squared_hinge")


class MaxMarginClassifier(LinearClassifier):
    """Classify by the hyperplane of maximum margin: the soft-margin SVM, or with C = infinity the hard margin.

    For finite C it minimises 1/2 ||w||^2 + C sum v_i xi_i, or with ``loss="squared_hinge"`` 1/2 ||w||^2 + C sum v_i
    xi_i^2, where the bias is not penalised [1]_; the optimum is proven to lie in `objective_interval_`. With C =
    infinity it minimises 1/2 ||w||^2 subject to y_i (w.x_i + b) >= 1, and the maximum margin is proven to lie in
    `margin_interval_`. Of more than two classes, each is compared with the rest.

    Parameters
    ----------
    C : float, default 1.0
        Cost of a unit of slack, positive; infinity allows no slack.
    fit_intercept : bool, default True
        If False, only hyperplanes through the origin are considered.
    loss : {"hinge", "squared_hinge"}, default "hinge"
        What slack costs, as in `maxmargin.soft_margin`. With the squared hinge the answer is that of ``LinearSVC``
        without an intercept; with one it is another, as ``LinearSVC`` penalises it.
    class_weight : dict, "balanced" or None, default None
        Factors of the weights v_i by label, 1 for labels that are missing. "balanced" is
        n_samples / (n_classes n), where n is the number of rows of the class. With C = infinity only 0 has an effect:
        a class of weight 0 is left out.
    store_proof : bool, default True
        If False, `certificate_` is None, which saves the memory of a proof of each class.
    time_limit : float, optional
        Seconds after which the work stops, with what is proven by then and a ConvergenceWarning. There is no limit by
        default.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted; of two, the second is the side w.x + b > 0.
    coef_ : ndarray of shape (1, n_features) or (n_classes, n_features)
        The normals w.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The offsets b.
    status_ : str
        "optimal" if the interval is as narrow as asked for, or what cut the work short. This attribute and those that
        follow are tuples, with one value for each class, if there are more than two classes.
    margin_ : float or None
        With C = infinity the geometric margin of these floats w and b, rounded down; for finite C the distance 1/||w||
        from the hyperplane to the ends of its band, None if w = 0.
    margin_interval_ : tuple of float
        With C = infinity the proven ends of the maximum margin.
    angle_interval_ : tuple of float
        With C = infinity the proven ends of the angle of w and the normal of the maximum-margin hyperplane, in degrees.
    verdict_ : str
        With C = infinity "separable", which is proven, as otherwise `fit` raises an error.
    objective_interval_ : tuple of float
        For finite C the proven lower bound of the optimum, and the objective at w and b, rounded up.
    certificate_ : Certificate or None
        With C = infinity the proof of both ends, about the rows of weight other than 0: `maxmargin.verify` checks it.
    support_ : ndarray of int
        The positions of the rows with a positive multiplier, those of the side w.x + b < 0 first, as in ``SVC``.
    support_vectors_ : ndarray or SciPy CSR array of shape (n_support, n_features)
        These rows.
    n_support_ : ndarray of int, of shape (2,)
        How many of them are on either side.
    dual_coef_ : ndarray of shape (1, n_support)
        Their multipliers times y: ``dual_coef_ @ support_vectors_`` is `coef_`, up to the error of the multipliers.
        ``SVC`` has one for each pair of classes; here those of each class against the rest are in a tuple.
    n_iter_ : int
        The number of solver runs, as in `maxmargin.soft_margin`.
    n_features_in_ : int
        The number of columns.
    feature_names_in_ : ndarray of shape (n_features_in_,)
        Their names, if X has some.

    See Also
    --------
    maxmargin.soft_margin : The same answer for arrays, with multipliers and slacks.
    maxmargin.hard_margin : The same answer for C = infinity, exactly if asked for.
    SeparationGuard : Stop a pipeline whose data are separated.

    References
    ----------
    .. [1] C. Cortes and V. Vapnik, "Support-vector networks", Machine Learning 20 (1995), 273-297.

    Examples
    --------
    >>> X, y = [[10.0], [40.0], [60.0], [90.0]], ["high", "high", "low", "low"]
    >>> model = MaxMarginClassifier(C=float("inf")).fit(X, y)
    >>> model.margin_, model.predict([[49.0], [51.0]]).tolist()
    (10.0, ['high', 'low'])
    >>> low, high = MaxMarginClassifier(C=0.001).fit(X, y).objective_interval_
    >>> low <= high
    True
    """

    margin_interval_: Any
    angle_interval_: Any
    objective_interval_: Any
    certificate_: Any
    support_: Any
    support_vectors_: Any
    n_support_: Any
    dual_coef_: Any
    n_iter_: Any

    def __init__(
        self, C: float = 1.0, *, fit_intercept: bool = True, loss: str = "hinge", class_weight: Any = None,
        store_proof: bool = True, time_limit: float | None = None,
    ) -> None:  # fmt: skip
        self.C = C
        self.fit_intercept = fit_intercept
        self.loss = loss
        self.class_weight = class_weight
        self.store_proof = store_proof
        self.time_limit = time_limit

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Fit the hyperplane, or one for each class against the rest.

        Parameters
        ----------
        X : array_like, SciPy sparse array or data frame, of shape (n_samples, n_features)
            Finite numbers that binary64 holds exactly.
        y : array_like of shape (n_samples,)
            Labels of two or more classes.
        sample_weight : array_like of shape (n_samples,), optional
            Weights v_i >= 0, 1 by default. Rows of weight 0 are left out. If C is infinite, only that has an effect.

        Returns
        -------
        MaxMarginClassifier
            The estimator itself.

        Raises
        ------
        SeparationError
            If C is infinity and a class is not strictly separable from the others, or is not proven to be; the error
            has the rows whose hulls share a point, and the certificate.
        InvalidProblemError
            If binary64 does not hold a number, or there are fewer than two classes.
        InvalidOptionError
            If C is not positive, or the weights are not those of labels.
        """
        check_choice("loss", self.loss, _LOSSES)
        is_hard, limits = _is_infinite(self.C), Limits(time_limit=self.time_limit)
        training = TrainingRows.of(self, X, y, sample_weight=sample_weight, class_weight=self.class_weight)
        answers: list[Any] = []
        for n_done, question in enumerate(training.questions):
            limit = limits.share(len(training.questions) - n_done)
            solve = self._hard if is_hard else self._soft
            answers.append(solve(training, *question, time_limit=limit))
        self.status_ = one_or_all([answer.status.value for answer in answers])
        self._set_support(training, answers)
        self.margin_ = one_or_all([answer.margin for answer in answers])
        if is_hard:
            self.margin_interval_ = one_or_all([(answer.lower, answer.upper) for answer in answers])
            self.angle_interval_ = one_or_all([answer.angle_of(answer.w) for answer in answers])
            proofs = [answer.interval_certificate if self.store_proof else None for answer in answers]
            self.certificate_ = one_or_all(proofs)
            self.verdict_ = one_or_all([Verdict.SEPARABLE.value] * len(answers))
        else:
            self.objective_interval_ = one_or_all([(answer.lower, answer.objective) for answer in answers])
        return self._set_planes(training, answers)

    def _set_support(self, training: TrainingRows, answers: list[Any]) -> None:
        """Store the rows with a positive multiplier, and the multipliers, grouped by their sides."""
        parts = []
        for (positive, _), answer in zip(training.questions, answers, strict=True):
            y = np.where(training.dataset.labels[answer.support] == positive, 1, -1)
            order = np.argsort(y, kind="stable")
            rows, signs = answer.support[order], y[order]
            counts = np.array([np.count_nonzero(signs < 0), np.count_nonzero(signs > 0)])
            parts.append((training.rows[rows], training.dataset.X[rows], counts, (signs * answer.dual[rows])[None]))
        self.support_, self.support_vectors_, self.n_support_, self.dual_coef_ = map(
            one_or_all, zip(*parts, strict=True)
        )
        self.n_iter_ = one_or_all([len(answer.attempts) for answer in answers])

    def _soft(self, training: TrainingRows, positive: Any, about: str, *, time_limit: float | None) -> "SoftMargin":
        answer = soft_margin(
            training.dataset, C=self.C, loss=self.loss, bias=self.fit_intercept, positive=positive,
            sample_weight=training.weights, class_weight=training.factors, time_limit=time_limit,
        )  # fmt: skip
        if answer.status is not Status.OPTIMAL:
            interval = f"the optimum lies in [{answer.lower!r}, {answer.objective!r}]"
            warn_of(self, about, f"{answer.status.value}, {interval}")
        return answer

    def _hard(self, training: TrainingRows, positive: Any, about: str, *, time_limit: float | None) -> "HardMargin":
        data, limits = training.dataset, Limits(time_limit=time_limit)
        answer = hard_margin(data, bias=self.fit_intercept, positive=positive, time_limit=time_limit)
        if answer.w is None:
            verdict = separability(data, bias=self.fit_intercept, positive=positive, time_limit=limits.share())
            if verdict.strictly_separable:
                raise InvalidProblemError(f"{f'{about}: ' if about else ''}{answer.reason}")
            if verdict.verdict is Verdict.UNDECIDED:
                verdict = replace(verdict, reason=answer.reason)
            found = "overlap" if verdict.verdict is Verdict.OVERLAP else "are not strictly separable"
            advice = f"the classes {found}, so there is no hard margin; use a finite C"
            raise SeparationError(
                "separable", verdict, about=about, positions=training.rows,
                advice=advice if verdict.strictly_separable is False else "",
            )  # fmt: skip
        if answer.status is not Status.OPTIMAL:
            interval = f"the maximum margin lies in [{answer.lower!r}, {answer.upper!r}]"
            warn_of(self, about, f"{answer.status.value}, {interval}")
        return answer


def _is_infinite(C: Any) -> bool:
    """Return whether there is to be no slack.

    Raises
    ------
    InvalidOptionError
        If C is not a positive number.
    """
    is_real = isinstance(C, Real) and not isinstance(C, bool)
    number = math.inf if is_real and math.inf == C else binary64(C) if is_real else None
    if number is None or number <= 0:
        raise InvalidOptionError(f"C is {short_repr(C)}; expected a positive number that binary64 holds, or infinity")
    return math.isinf(number)
