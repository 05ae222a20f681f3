"""Likelihoods of who is chosen in a stratum: ConditionalLogit, ConditionalPoisson, and PHReg for Cox regression.

The estimate exists if, and only if, all differences x_i - x_k are balanced, of a row i that was chosen and a row k that
might have been chosen in its place.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.models.fitted_results import design, reading_of_results, responses
from maxmargin.models.reading import LabelledRows, ModelReading, UnansweredError
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.proof.likelihood import Likelihood


def reading_of_conditional_logit(results: Any) -> ModelReading:
    """Return the question of the differences of every case and every control of its stratum."""
    endog = responses(results.model)
    if not np.isin(endog, (0.0, 1.0)).all():
        raise UnansweredError("the responses are not 0 and 1")
    numbers = np.column_stack([2 * endog - 1, _strata(results).astype(np.float64)])
    likelihood = Likelihood(question="conditional", X=design(results.model), responses=numbers)
    event = f"the event is {results.model.endog_names} = 1, within strata"
    return _reading(results, "conditional logistic regression", event, likelihood, results.model.groups)


def reading_of_conditional_poisson(results: Any) -> ModelReading:
    """Return the question of the differences of every row with a positive count and every row of its stratum.

    It is that of a Cox model with all times equal, in which a positive count is an event. statsmodels drops strata
    whose counts are all equal.
    """
    endog, strata = responses(results.model), _strata(results)
    is_constant = np.array([np.ptp(endog[strata == stratum]) == 0 for stratum in range(len(np.unique(strata)))])
    status = (endog > 0) & ~is_constant[strata]
    event = f"{results.model.endog_names} is a count, within strata"
    likelihood = _cox(results, np.ones(len(endog)), status, None, strata)
    return _reading(results, "conditional Poisson regression", event, likelihood, results.model.groups)


def reading_of_cox(results: Any) -> ModelReading:
    """Return the question of the differences of every event and every row at risk at its time.

    Events at one time are each at risk for the others, by Breslow's and by Efron's approximation. statsmodels counts a
    row at risk from its time of entry on.
    """
    model = results.model
    if model.endog is None:
        raise UnansweredError("the data were removed from the results")
    time, status = np.asarray(model.endog, dtype=np.float64), np.asarray(model.status, dtype=np.float64)
    if not np.isfinite(time).all() or not np.isin(status, (0.0, 1.0)).all():
        raise UnansweredError("a time is not finite, or a status is neither 0 nor 1")
    strata = getattr(model, "strata", None)
    codes = np.zeros(len(time)) if strata is None else np.unique(np.asarray(strata), return_inverse=True)[1]
    event = f"the event is status = 1, and the time is {model.endog_names}"
    likelihood = _cox(results, time, status, getattr(model, "entry", None), codes)
    return _reading(results, "Cox regression", event, likelihood, strata)


def _cox(results: Any, time: Floats, status: Any, entry: Any, strata: Any) -> Likelihood:
    """Return the likelihood; a row is at risk after `before`, which is just below its time of entry."""
    before = np.full(len(time), -np.inf) if entry is None else np.nextafter(np.asarray(entry, dtype=float), -np.inf)
    numbers = np.column_stack([time, status, before, strata])
    return Likelihood(question="cox", X=design(results.model), responses=numbers, ties="efron")


def _strata(results: Any) -> NDArray[np.int64]:
    groups = np.asarray(results.model.groups)
    if len(groups) != len(results.model.endog):
        raise UnansweredError("the model does not keep the stratum of every row")
    return np.unique(groups, return_inverse=True)[1]


def _reading(results: Any, kind: str, event: str, likelihood: Likelihood, strata: Any) -> ModelReading:
    labels = None if strata is None else np.asarray(strata).tolist()
    return reading_of_results(results, kind, event, LabelledRows.of_likelihood(likelihood), strata=labels)
