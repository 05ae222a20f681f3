"""Binary and grouped responses, and counts: Logit, Probit, GLM and GEE with binomial or Poisson families, Poisson."""

from dataclasses import replace
from typing import Any

import numpy as np

from maxmargin.models.fitted_results import design, reading_of_results, responses, weighted
from maxmargin.models.reading import ModelReading, UnansweredError, labelled_rows

# Strictly increasing links onto (0, 1), by the name of their class in small letters.
_LINKS = {
    "logit": "logistic regression",
    "probit": "probit regression",
    "cloglog": "complementary log-log regression",
    "loglog": "log-log regression",
    "cauchy": "cauchit regression",
}

_SHARES = (
    "responses between 0 and 1 are taken as shares, as in the model's score equations; its log-likelihood is another "
    "function for them"
)

# Families of counts whose likelihood, with a log link, grows to its supremum as the mean of a zero goes to 0.
_COUNTS = {"poisson": "Poisson regression", "negativebinomial": "negative binomial regression"}


# Questions of links that bound the coefficients, by family and link (Schwendinger, Gruen and Hornik 2021).
_OTHER_QUESTIONS = {
    ("binomial", "log"): ": whether the likelihood has a maximum among the v with x.v <= 0 in every row, which may lie "
    "on that boundary; with an intercept it has none just if some v has x.v = 0 in all rows with an event, and "
    "x.v <= 0, not always 0, in the others",
    ("binomial", "identity"): ": whether the likelihood has a maximum among the v with 0 <= x.v <= 1 in every row; "
    "with an intercept and without offsets it has one, perhaps on that boundary",
}


def reading_of_binary(results: Any) -> ModelReading:
    """Return the question of Logit or Probit: x for the response 1, -x for 0, and both between."""
    reading = _reading(results, _LINKS[type(results.model).__name__.lower()])
    endog = responses(results.model)
    if np.isin(endog, (0.0, 1.0)).all():
        return reading
    return replace(reading, notes=(*reading.notes, _SHARES))


def reading_of_glm(results: Any) -> ModelReading:
    """Return the question of a GLM with a binomial family, or with one of counts and a log link.

    Raises
    ------
    UnansweredError
        If its family or link is another.
    """
    family = results.model.family
    name, link = _class_name(family), _class_name(family.link)
    if name == "binomial" and link in _LINKS:
        return _reading(results, _LINKS[link])
    if name in _COUNTS and link == "log":
        return reading_of_counts(results, _COUNTS[name])
    raise UnansweredError(
        f"the family {type(family).__name__} with the link {type(family.link).__name__} poses another question than "
        f"separability, or none{_OTHER_QUESTIONS.get((name, link), '')}"
    )


def reading_of_gee(results: Any) -> ModelReading:
    """Return the question of the GLM with the same family, which is the model's own with independence only.

    Raises
    ------
    UnansweredError
        As `reading_of_glm`, or if a penalty was used.
    """
    reading = reading_of_glm(results)
    if reading.is_fitted and reading.claimed_converged is None:  # the only mark of fit_regularized
        raise UnansweredError("the estimating equations were fitted with a penalty, which the results do not keep")
    structure = type(results.model.cov_struct).__name__
    if structure == "Independence":
        return replace(reading, kind=f"{reading.kind} by estimating equations")
    note = (
        f"what is proven is about the GLM, in which rows are independent; of the estimating equations with the "
        f"structure {structure} nothing is proven"
    )
    kind = f"{reading.kind} by estimating equations with dependence"
    return replace(reading, kind=kind, has_likelihood=False, notes=(*reading.notes, note))


def _class_name(part: Any) -> str:
    """Return the name of a class of statsmodels; a class of anybody else may be any function."""
    kind = type(part)
    return kind.__name__.lower() if kind.__module__.startswith("statsmodels.") else ""


def reading_of_counts(results: Any, kind: str = _COUNTS["poisson"]) -> ModelReading:
    """Return the question of counts with a log link: -x for a count of 0, and x and -x for a positive one."""
    return _reading(results, kind, are_counts=True)


def _reading(results: Any, kind: str, *, are_counts: bool = False) -> ModelReading:
    """Return the question of shares from 0 to 1, or of counts."""
    model = results.model
    exog, endog = design(model), responses(model, high=np.inf if are_counts else 1.0)
    kept, name = weighted(model, len(endog)), model.endog_names
    sides, event = ("1", "0"), f"the event is {name} = 1"
    if are_counts:
        sides, event = ("1 or more", "0"), f"{name} is a count, and no estimate has a fitted mean of 0"
    elif not isinstance(name, str):
        sides, event = (str(name[0]), str(name[1])), f"the event is {name[0]!r}, the first column of the response"
    rows = labelled_rows(exog, kept & (endog > 0), kept & (are_counts | (endog < 1)), sides=sides)
    return reading_of_results(results, kind, event, rows, label=name if isinstance(name, str) else "response")
