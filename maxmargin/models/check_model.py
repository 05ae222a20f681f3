"""Check a model of another package: does its maximum-likelihood estimate exist, and did it converge?"""

from collections.abc import Callable
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from maxmargin.api.question import separability_of
from maxmargin.data.dataset import DecimalReading
from maxmargin.data.reading.arrays import from_arrays
from maxmargin.models.binary_models import reading_of_binary, reading_of_counts, reading_of_gee, reading_of_glm
from maxmargin.models.fitted_results import check_is_plain, claimed, is_results, name_of, row_names_of, with_results
from maxmargin.models.fixed_effects import is_fixest, reading_of_fixest
from maxmargin.models.linear_classifiers import reading_of_classifier
from maxmargin.models.model_check import ModelCheck
from maxmargin.models.reading import LabelledRows, ModelReading, UnansweredError
from maxmargin.models.several_classes import reading_of_mnlogit, reading_of_ordered
from maxmargin.models.stratified_models import (
    reading_of_conditional_logit,
    reading_of_conditional_poisson,
    reading_of_cox,
)
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.progress import shows_progress, waiting

if TYPE_CHECKING:
    from maxmargin.explaining.separability_answer import Separability

# By the package and the class of the model; a class derived from one of these may have another likelihood.
_READERS: dict[str, Callable[[Any], ModelReading]] = {
    "statsmodels Logit": reading_of_binary,
    "statsmodels Probit": reading_of_binary,
    "statsmodels GLM": reading_of_glm,
    "statsmodels GEE": reading_of_gee,
    "statsmodels Poisson": reading_of_counts,
    "statsmodels MNLogit": reading_of_mnlogit,
    "statsmodels OrderedModel": reading_of_ordered,
    "statsmodels ConditionalLogit": reading_of_conditional_logit,
    "statsmodels ConditionalPoisson": reading_of_conditional_poisson,
    "statsmodels PHReg": reading_of_cox,
}


@shows_progress(waiting, "looking for a proof")
def check_model(
    model: Any,
    X: Any = None,
    y: Any = None,
    *,
    time_limit: float | None = None,
    exact_limit: int | None = None,
    verbose: bool = False,
) -> ModelCheck:
    """Prove which coefficients of a model are infinite, whatever it printed, and whether it can have converged.

    Each of these likelihoods has a maximum if, and only if, some rows that follow from the data overlap in the sense of
    `separability`: no direction v has z.v >= 0 for all of these rows z and z.v > 0 for one [1]_. Offsets and positive
    weights do not matter, and rows of weight 0 are left out.

    Parameters
    ----------
    model : object
        The results of a fit with statsmodels, or its model before the fit: Logit, Probit, MNLogit, Poisson,
        OrderedModel, ConditionalLogit, ConditionalPoisson or PHReg, or a GLM or GEE with a binomial family and one of
        the links logit, probit, cloglog, loglog and cauchit, or with a family of counts and a log link. Or a fit of
        pyfixest by ``fepois`` or ``feglm``. Or a fitted linear classifier of scikit-learn, a pipeline that ends in one,
        or a search among such.
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features), optional
        For scikit-learn, the X that was given to ``model.fit``, less the rows whose ``sample_weight`` was 0. For
        pyfixest, the data frame that was given to the fit, needed if it left out rows as separated. Models of
        statsmodels have their data with them.
    y : array_like of shape (n_samples,), or str, optional
        The labels that belong to X, or the name of their column in X; None for a Dataset.
    time_limit : float, optional
        Seconds after which the search ends; what is not proven by then is `undecided`. There is no limit by default.
    exact_limit : int, optional
        Largest number of columns for which linear systems are solved exactly, as in `separability`.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.

    Returns
    -------
    ModelCheck
        The verdict with its certificate, the infinite coefficients by the model's own names next to what was printed,
        and whether the model's ``converged`` is true. The verdict is `undecided`, with the reason, for models of
        statsmodels whose question is another one.

    Raises
    ------
    InvalidOptionError
        If `model` is neither, or X and y are missing, or not wanted, or do not belong to it.
    InvalidProblemError
        If the data are not finite numbers.

    See Also
    --------
    separability : Decide the question for arrays.
    require : Raise an error unless a verdict is proven.
    judge : Compare the hyperplane of a fitted model with the maximum margin.

    References
    ----------
    .. [1] A. Albert and J. A. Anderson, "On the existence of maximum likelihood estimates in logistic regression
       models", Biometrika 71 (1984), 1-10.
    .. [2] S. J. Haberman, "The Analysis of Frequency Data", University of Chicago Press (1974).

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = [[1.0], [2.0], [2.0], [4.0]], ["no", "no", "yes", "yes"]
    >>> check = check_model(LogisticRegression(C=float("inf")).fit(X, y), X, y)
    >>> check.verdict.value, check.infinite, check.claimed_converged, check.converged_is_true
    ('quasi-separable', {'(Intercept)': '-', 'x0': '+'}, True, False)
    """
    limits, model = Limits(time_limit=time_limit), with_results(model)
    try:
        reading = _reading(model, X, y)
    except UnansweredError as error:
        reading = _unanswered(model, str(error))
    options = {"exact_limit": exact_limit}
    answers = {name: _answer(reading, question, limits, **options) for name, question in reading.questions.items()}
    verdict = _verdict(answers)
    exists = None if verdict is Verdict.UNDECIDED else verdict is Verdict.OVERLAP
    if reading.is_penalised:
        exists = _exists_with_penalty(reading, limits, **options)
    says_so = reading.claimed_converged is True and reading.has_likelihood
    read = {field.name: getattr(reading, field.name) for field in fields(reading)}
    found = {"verdict": verdict, "answers": answers, "reason": _reason(reading, answers)}
    return ModelCheck(**read | found, converged_is_true=exists if says_so else None)


def _unanswered(model: Any, reason: str) -> ModelReading:
    """Return a reading without a question, with what the model says of itself."""
    name, is_fitted = name_of(getattr(model, "model", model)), getattr(model, "params", ()) is not None
    read: dict[str, Any] = {"kind": name.partition(" ")[2], "is_fitted": is_fitted, "claimed_converged": claimed(model)}
    return ModelReading(model_name=name, reason=reason, **read)


def _reading(model: Any, X: Any, y: Any) -> ModelReading:
    if is_fixest(model):
        if y is not None:
            raise InvalidOptionError("a fit of pyfixest names its response; expected no y")
        return reading_of_fixest(model, X)
    if not is_results(model):
        return reading_of_classifier(model, X, y)
    if X is not None or y is not None:
        raise InvalidOptionError("results of statsmodels have their data with them; expected neither X nor y")
    name = name_of(model.model)
    if name not in _READERS:
        raise UnansweredError(f"the likelihood of {name} poses another question, or none that is known here")
    check_is_plain(model)
    return replace(_READERS[name](model), row_names=row_names_of(model.model))


def _answer(reading: ModelReading, question: LabelledRows, limits: Limits, **options: Any) -> "Separability":
    dataset = from_arrays(question.rows, question.labels, feature_names=reading.names)
    limit = limits.share()
    answer = separability_of(dataset, DecimalReading.of(dataset), bias=reading.bias, time_limit=limit, **options)
    positive, negative = (None, None) if question.sides is None else question.sides
    reason = None if positive is None else "the model's own coding"
    are_of_the_data = question.sides is not None or reading.class_names is not None
    ids = None
    if reading.row_names is not None and question.positions.ndim == 1:
        ids = [reading.row_names[position] for position in question.positions.tolist()]
    names = replace(answer.names, ids=ids, label=reading.label if are_of_the_data else None)
    coding: dict[str, Any] = {"positive": positive, "negative": negative, "positive_reason": reason}
    return replace(answer, class_names=reading.class_names, names=names, **coding)


def _verdict(answers: "dict[str, Separability]") -> Verdict:
    """Return the verdict of all questions at once: their rows are those of one question in separate columns."""
    verdicts = {answer.verdict for answer in answers.values()}
    if len(verdicts) == 1:
        return verdicts.pop()
    return Verdict.UNDECIDED if not verdicts or Verdict.UNDECIDED in verdicts else Verdict.QUASI_SEPARABLE


def _reason(reading: ModelReading, answers: "dict[str, Separability]") -> str:
    if not answers:
        return reading.reason
    if len(answers) == 1:
        return next(iter(answers.values())).reason
    return f"each of the {len(answers)} questions has a verdict and a certificate of its own, in answers"


def _exists_with_penalty(reading: ModelReading, limits: Limits, **options: Any) -> bool | None:
    """Return whether the penalised estimate exists: it does unless the columns without a penalty have none alone."""
    if reading.unpenalised is None:
        return None
    if not reading.unpenalised:
        return True
    question, columns = reading.questions[""], list(reading.unpenalised)
    part = replace(reading, names=tuple(reading.names[column] for column in columns))
    verdict = _answer(part, replace(question, rows=question.rows[:, columns]), limits, **options).verdict
    return None if verdict is Verdict.UNDECIDED else verdict is Verdict.OVERLAP
