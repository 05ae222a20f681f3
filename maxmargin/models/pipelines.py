"""Pipelines and searches: the classifier at their end, and the rows to which it was fitted."""

from copy import deepcopy
from typing import Any

import numpy as np

from maxmargin.models.reading import UnansweredError
from maxmargin.solvers.errors import InvalidOptionError


def last_step(model: Any, X: Any, y: Any, names: Any, made_by: tuple[str, ...] = ()) -> tuple[Any, ...]:
    """Return the classifier at the end of searches and pipelines, which may be nested, with what it was given.

    That is its rows, the names of their columns if known, and the steps that made them.

    Raises
    ------
    InvalidOptionError
        If the steps before it refuse X.
    UnansweredError
        If the rows to which it was fitted are not known.
    """
    model = getattr(model, "best_estimator_", model)
    parts = model.get_params().values() if hasattr(model, "get_params") else ()
    resamplers = [type(part).__name__ for part in (model, *parts) if hasattr(part, "fit_resample")]
    if resamplers:
        raise UnansweredError(f"{resamplers[0]} resamples: the rows to which the classifier was fitted are not kept")
    if not hasattr(model, "steps") or X is None or y is None:
        return model.steps[-1][1] if hasattr(model, "steps") else model, X, names, made_by
    last, before = model.steps[-1][1], model[:-1]
    if len(model.steps) == 1:
        return last_step(last, X, y, names, made_by)
    try:
        own_names = before.get_feature_names_out()
    except (AttributeError, ValueError):  # a step that does not name what it makes
        own_names = None
    rows = _rows_of_fit(before, X, y)
    if not _are_equal(rows, X):
        made_by += tuple(type(step).__name__ for _, step in before.steps if step not in ("passthrough", None))
    return last_step(last, rows, y, None if own_names is None else list(map(str, own_names)), made_by)


def _rows_of_fit(before: Any, X: Any, y: Any) -> Any:
    """Return the rows that the steps before the last made of X when they were fitted.

    The pipeline was fitted to the result of ``fit_transform``. For most steps ``transform`` returns the same rows; with
    cross-fitting it does not, and for some steps the last bits differ. Such steps are fitted again: only if they make
    the same rows a second time are the rows of the fit known.
    """
    try:
        rows, again = before.transform(X), deepcopy(before)
    except (TypeError, ValueError) as error:
        message = next(iter(str(error).splitlines()), "")
        raise InvalidOptionError(f"the steps of the pipeline before the last refuse X: {message}") from error
    try:
        made = again.fit_transform(X, y)
        if _are_equal(made, again.transform(X)):
            return rows
        is_same = _are_equal(again.transform(X), rows) and _are_equal(deepcopy(before).fit_transform(X, y), made)
    except Exception as error:  # of steps of any package
        raise UnansweredError(
            f"the steps before the last cannot be fitted again, to see which rows they made ({type(error).__name__})"
        ) from error
    if not is_same:
        raise UnansweredError(
            "fit_transform and transform of the steps before the last give different rows, and others when fitted "
            "again: the rows of the fit are not known; expected the last step with its own X"
        )
    return made


def _are_equal(rows: Any, others: Any) -> bool:
    """Return whether two tables have the same numbers."""
    return np.array_equal(*(table.toarray() if hasattr(table, "toarray") else table for table in (rows, others)))
