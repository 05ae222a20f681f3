"""Responses of several classes: MNLogit, and the cumulative models of OrderedModel."""

from typing import Any

import numpy as np

from maxmargin.models.fitted_results import (
    check_is_plain,
    claimed,
    design,
    inner,
    name_of,
    names_of,
    penalty,
    printed,
    responses,
    standard_errors,
    table,
)
from maxmargin.models.reading import Asked, ModelReading, UnansweredError, all_different, asked_of

_DISTRIBUTIONS = {
    "norm": "ordered probit regression",
    "logistic": "ordered logistic regression",
    "cauchy": "ordered cauchit regression",
}
"""Distributions whose function is strictly increasing onto (0, 1), by their names in SciPy."""


def reading_of_mnlogit(results: Any) -> ModelReading:
    """Return the multinomial question; the first class is the reference, as in the model."""
    model = results.model
    check_is_plain(results)
    exog, codes = design(model), responses(model).astype(np.int64)
    own_names = getattr(model, "_ynames_map", None) or {code: code for code in range(int(codes.max()) + 1)}
    classes = all_different([own_names[code] for code in sorted(own_names)])
    if len(np.unique(codes)) < len(classes):
        raise UnansweredError("the model has a class without rows")
    names = names_of(model, exog.shape[1])
    is_binary = len(classes) == 2
    coefficients = names if is_binary else tuple(f"{label}: {name}" for label in classes[1:] for name in names)
    errors = standard_errors(results)
    asked = (
        asked_of(exog, codes == 1, codes == 0, sides=(classes[1], classes[0]))
        if is_binary
        else Asked(rows=exog, labels=codes, positions=np.arange(len(codes)))
    )
    return ModelReading(
        model=name_of(results.model),
        kind="multinomial logistic regression",
        event=f"{model.endog_names} has the classes {', '.join(classes)}; {classes[0]} is the reference",
        questions={"": asked},
        names=names,
        label=model.endog_names,
        class_names=None if is_binary else classes,
        estimates=table(coefficients, np.asarray(results.params).T),
        standard_errors=table(coefficients, None if errors is None else np.asarray(errors).T),
        claimed_converged=claimed(inner(results)),
        **penalty(results, len(names)),
    )


def reading_of_ordered(results: Any) -> ModelReading:
    """Return the question of P(y <= j) = F(threshold_j - x.beta), whose columns are the thresholds and -x.

    The response j allows the threshold above it to grow, (e_j, -x), and the one below to fall, -(e_(j-1), -x).

    Raises
    ------
    UnansweredError
        If the distribution is one of another kind, or a class has no rows: its thresholds are not determined.
    """
    model = results.model
    check_is_plain(results)
    kind = _DISTRIBUTIONS.get(getattr(model.distr, "name", ""))
    if kind is None:
        raise UnansweredError("the distribution of the cumulative model is not one of norm, logistic and cauchy")
    exog, codes = design(model), responses(model).astype(np.int64)
    labels, (n_rows, n_columns) = list(map(str, model.labels)), exog.shape
    if len(np.unique(codes)) < len(labels):
        raise UnansweredError("a category of the response has no rows, so its thresholds are not determined")
    n_thresholds, rows = len(labels) - 1, np.arange(n_rows)
    above, below = rows[codes < n_thresholds], rows[codes > 0]
    steps = np.zeros((len(above) + len(below), n_thresholds))
    steps[np.arange(len(steps)), np.r_[codes[above], codes[below] - 1]] = 1.0
    expanded = np.hstack([steps, -exog[np.r_[above, below]]])
    is_above = np.arange(len(expanded)) < len(above)
    own = all_different(list(model.exog_names))
    names = (*own[n_columns:], *own[:n_columns])
    return ModelReading(
        model=name_of(results.model),
        kind=kind,
        event=f"{model.endog_names} is ordered {' < '.join(labels)}",
        questions={"": asked_of(expanded, is_above, ~is_above, np.r_[above, below])},
        names=names,
        claimed_converged=claimed(results),
        **_with_thresholds(model, printed(results, own), own[n_columns:], results.params),
    )


def _with_thresholds(model: Any, fields: dict[str, Any], thresholds: tuple[str, ...], params: Any) -> dict[str, Any]:
    """Return what was printed, with the thresholds in place of the logarithms of steps, which the model prints."""
    values = np.asarray(model.transform_threshold_params(np.asarray(params)))[1:-1].tolist()
    fields["estimates"].update(zip(thresholds, values, strict=True))
    for name in thresholds[1:]:
        fields["standard_errors"].pop(name, None)
    return {**fields, "computed": frozenset(thresholds[1:])}
