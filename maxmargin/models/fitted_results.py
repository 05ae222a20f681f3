"""Parts that all results of statsmodels share: parameters by name, convergence, weights, offsets, penalties."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np

from maxmargin.data.reading.arrays import binary64_numbers
from maxmargin.models.reading import LabelledRows, ModelReading, UnansweredError, all_different
from maxmargin.solvers.basics.array_types import Floats, Mask


def is_results(model: object) -> bool:
    """Return whether an object is the result of a fit, as statsmodels returns it."""
    return getattr(model, "model", None) is not None and hasattr(model, "params")


def with_results(model: Any) -> Any:
    """Return a model of statsmodels before its fit as results without parameters, and any other object as it is."""
    is_unfitted = not is_results(model) and all(hasattr(model, name) for name in ("fit", "exog", "endog_names"))
    return SimpleNamespace(model=model, params=None) if is_unfitted else model


def inner(results: Any) -> Any:
    """Return the results inside a wrapper that gives them an index."""
    return getattr(results, "_results", results)


def name_of(model: object) -> str:
    """Return the package and the class of a model."""
    kind = type(model)
    return f"{kind.__module__.partition('.')[0]} {kind.__name__}"


def design(model: Any) -> Floats:
    """Return the matrix to which a model was fitted.

    Raises
    ------
    UnansweredError
        If it has no columns, or numbers that are not finite.
    InvalidProblemError
        If binary64 does not hold its numbers.
    """
    exog = getattr(model, "exog", None)
    if exog is None or np.ndim(exog) != 2 or np.shape(exog)[1] == 0:
        raise UnansweredError("the model has no explanatory variables, or its data were removed")
    numbers = binary64_numbers(np.asarray(exog), "exog")
    if not np.isfinite(numbers).all():
        raise UnansweredError("an explanatory variable is not finite")
    return numbers


def names_of(model: Any, n_columns: int) -> tuple[str, ...]:
    """Return the model's own names of its first columns."""
    return all_different(list(model.exog_names)[:n_columns])


def row_names_of(model: Any) -> list[Any] | None:
    """Return the labels of the rows, or their positions before the model left rows out; None if they are 0, 1, ..."""
    data, n_rows = getattr(model, "data", None), len(model.endog)
    labels, missing = (getattr(data, name, None) for name in ("row_labels", "missing_row_idx"))
    if labels is None:
        left_out = [] if missing is None else list(missing)
        labels = np.delete(np.arange(n_rows + len(left_out)), left_out)
    names: list[Any] = labels.tolist()
    return None if len(names) != n_rows or names == list(range(n_rows)) else names


def responses(model: Any, *, high: float = np.inf) -> Floats:
    """Return the responses as numbers.

    Raises
    ------
    UnansweredError
        If they are not numbers from 0 to `high`.
    """
    endog = np.asarray(getattr(model, "endog", None), dtype=np.float64)
    if endog.ndim != 1 or not (np.isfinite(endog) & (endog >= 0) & (endog <= high)).all():
        raise UnansweredError(f"the responses are not numbers from 0 to {high:g}, or they were removed")
    return endog


def table(names: Sequence[str], values: Any) -> dict[str, float]:
    """Return numbers by name; an empty dict if there are not as many numbers as names."""
    numbers = np.ravel(np.asarray([] if values is None else values, dtype=np.float64))
    return dict(zip(names, numbers.tolist(), strict=True)) if len(numbers) == len(names) else {}


def reading_of_results(
    results: Any, kind: str, event: str, rows: LabelledRows, *, names: tuple[str, ...] | None = None, **more: Any
) -> ModelReading:
    """Return the reading of results with one question, and with what they print, claim and penalise.

    Parameters
    ----------
    results : object
        As statsmodels returns them.
    kind, event : str
    rows : LabelledRows
        The question.
    names : tuple of str, optional
        The names of its columns; by default the model's own.
    **more
        Further fields of the reading, or other values of those that are read here.
    """
    names = names_of(results.model, rows.rows.shape[1]) if names is None else names
    read = {
        "is_fitted": results.params is not None,
        "claimed_converged": claimed(inner(results)),
        "estimates": table(names, results.params),
        "standard_errors": table(names, standard_errors(results)),
        **penalty(results, len(names)),
    }
    return ModelReading(
        model_name=name_of(results.model), kind=kind, event=event, questions={"": rows}, names=names, **read | more
    )


def standard_errors(results: Any) -> Any:
    """Return the standard errors of the results; None if the fit has no covariance matrix."""
    try:
        return getattr(results, "bse", None)
    except ValueError:
        return None


def claimed(results: Any) -> bool | None:
    """Return whether the results say that the fit converged; None if they do not say."""
    said = getattr(results, "converged", getattr(results, "convergence", None))  # the latter in pyfixest
    if said is None:
        said = (getattr(results, "mle_retvals", None) or {}).get("converged")
    return None if said is None else bool(said)


def weighted(model: Any, n_rows: int) -> Mask:
    """Return a mask of the rows with a positive weight; the fit ignores all others.

    The attribute `weights` of a GLM is its own, and of GEE the user's.

    Raises
    ------
    UnansweredError
        If a weight is negative or not finite.
    """
    has_weight = np.ones(n_rows, dtype=np.bool_)
    for attribute in ("freq_weights", "var_weights", *(["weights"] if hasattr(model, "cov_struct") else [])):
        values = getattr(model, attribute, None)
        if values is None:
            continue
        weights = np.asarray(values, dtype=np.float64)
        if not (np.isfinite(weights) & (weights >= 0)).all():
            raise UnansweredError(f"{attribute} has a weight that is negative or not finite")
        has_weight &= weights > 0
    return has_weight


def check_is_plain(results: Any) -> None:
    """Check that nothing but the rows and finite offsets decides whether an estimate exists.

    Raises
    ------
    UnansweredError
        If there are constraints, an offset that is not finite, or a penalty that left nothing but a mark.
    """
    fitted, own = results.model, inner(results)
    if getattr(own, "constraints", None) is not None or getattr(fitted, "constraint", None) is not None:
        raise UnansweredError("the coefficients were fitted under linear constraints, which is another cone")
    for attribute in ("offset", "exposure"):
        values = getattr(fitted, attribute, None)
        if values is not None and not np.isfinite(np.asarray(values, dtype=np.float64)).all():
            raise UnansweredError(f"the model has an {attribute} that is not finite")
    if getattr(own, "regularized", False) or getattr(results, "regularized", False):
        raise UnansweredError(
            "it was fitted with a penalty, or on the columns that one had chosen, which it does not keep"
        )


def penalty(results: Any, n_columns: int) -> dict[str, Any]:
    """Return the fields of a reading that describe the penalty of `fit_regularized`."""
    own = inner(results)
    if type(own).__name__ == "RegularizedResults":  # the penalty is not kept
        note = "the results do not say which penalty each coefficient has"
        return {"is_penalised": True, "notes": (note,)}
    if not type(own).__name__.startswith("L1"):
        return {}
    alpha = np.ravel(np.asarray(own.mle_settings["alpha"], dtype=np.float64))
    if not alpha.any():
        return {}
    if len(alpha) not in (1, n_columns) and not alpha.all():  # of several classes
        return {"is_penalised": True, "unpenalised": None}
    return {"is_penalised": True, "unpenalised": tuple(np.flatnonzero(alpha == 0).tolist())}
