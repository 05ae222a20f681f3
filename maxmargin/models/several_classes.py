"""Responses of several classes: MNLogit, and the cumulative models of OrderedModel."""

from typing import Any

import numpy as np

from maxmargin.models.fitted_results import design, names_of, reading_of_results, responses, standard_errors, table
from maxmargin.models.reading import LabelledRows, ModelReading, UnansweredError, all_different, labelled_rows

# Distributions whose function is strictly increasing onto (0, 1), by their names in SciPy.
_DISTRIBUTIONS = {
    "norm": "ordered probit regression",
    "logistic": "ordered logistic regression",
    "cauchy": "ordered cauchit regression",
}


def reading_of_mnlogit(results: Any) -> ModelReading:
    """Return the multinomial question; the first class is the reference, as in the model."""
    model = results.model
    exog, codes = design(model), responses(model).astype(np.int64)
    own_names = getattr(model, "_ynames_map", None) or {code: code for code in range(int(codes.max()) + 1)}
    classes = all_different([own_names[code] for code in sorted(own_names)])
    if len(np.unique(codes)) < len(classes):
        raise UnansweredError("the model has a class without rows")
    names = names_of(model, exog.shape[1])
    is_binary = len(classes) == 2
    coefficients = names if is_binary else tuple(f"{label}: {name}" for label in classes[1:] for name in names)
    params, errors = results.params, standard_errors(results)
    rows = LabelledRows(rows=exog, labels=codes, positions=np.arange(len(codes)))
    if is_binary:
        rows = labelled_rows(exog, codes == 1, codes == 0, sides=(classes[1], classes[0]))
    event = f"{model.endog_names} has the classes {', '.join(classes)}; {classes[0]} is the reference"
    return reading_of_results(
        results, "multinomial logistic regression", event, rows, names=names, label=model.endog_names,
        class_names=None if is_binary else classes,
        estimates=table(coefficients, None if params is None else np.asarray(params).T),
        standard_errors=table(coefficients, None if errors is None else np.asarray(errors).T),
    )  # fmt: skip


def reading_of_ordered(results: Any) -> ModelReading:
    """Return the question of P(y <= j) = F(threshold_j - x.beta), whose columns are the thresholds and -x.

    The response j allows the threshold above it to grow, (e_j, -x), and the one below to fall, -(e_(j-1), -x).

    Raises
    ------
    UnansweredError
        If the distribution is one of another kind, or a class has no rows: its thresholds are not determined.
    """
    model = results.model
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
    thresholds, columns = own[n_columns:], own[:n_columns]
    estimates, errors = table(own, results.params), table(own, standard_errors(results))
    if estimates:  # the model prints the first threshold and the logarithms of the steps to the others
        values = model.transform_threshold_params(np.asarray(results.params))[1:-1]
        estimates |= dict(zip(thresholds, np.asarray(values).tolist(), strict=True))
    rows, event = np.r_[above, below], f"{model.endog_names} is ordered {' < '.join(labels)}"
    return reading_of_results(
        results, kind, event, labelled_rows(expanded, is_above, ~is_above, rows), names=(*thresholds, *columns),
        estimates=estimates, computed=frozenset(thresholds[1:]),
        standard_errors={name: value for name, value in errors.items() if name not in thresholds[1:]},
    )  # fmt: skip
