"""Likelihoods of who is chosen in a stratum: ConditionalLogit, ConditionalPoisson, and PHReg for Cox regression.

The estimate exists if, and only if, all differences x_i - x_k are balanced, of a row i that was chosen and a row k that
might have been chosen in its place. Differences are formed exactly.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from maxmargin.models.fitted_results import design, reading_of_results, responses
from maxmargin.models.reading import ModelReading, UnansweredError, differences, labelled_rows
from maxmargin.solvers.basics.array_types import Floats, Mask, Rows

# Largest number of differences times columns that are formed.
_MOST_NUMBERS = 20_000_000

# Parts of a list of pairs: the rows that were chosen, and the rows with which they are compared.
Pairs = Iterator[tuple[Rows, Rows]]


def reading_of_conditional_logit(results: Any) -> ModelReading:
    """Return the question of the differences of every case and every control of its stratum."""
    endog = responses(results.model)
    if not np.isin(endog, (0.0, 1.0)).all():
        raise UnansweredError("the responses are not 0 and 1")
    pairs = (_every_pair(rows[endog[rows] == 1], rows[endog[rows] == 0]) for rows in _strata(results.model))
    event = f"the event is {results.model.endog_names} = 1, within strata"
    return _reading(results, "conditional logistic regression", event, pairs, results.model.groups)


def reading_of_conditional_poisson(results: Any) -> ModelReading:
    """Return the question of the differences of every row with a positive count and every row of its stratum.

    statsmodels drops strata whose counts are all equal.
    """
    endog = responses(results.model)
    strata = (rows for rows in _strata(results.model) if np.ptp(endog[rows]) > 0)
    pairs = (_every_pair(rows[endog[rows] > 0], rows) for rows in strata)
    event = f"{results.model.endog_names} is a count, within strata"
    return _reading(results, "conditional Poisson regression", event, pairs, results.model.groups)


def reading_of_cox(results: Any) -> ModelReading:
    """Return the question of the differences of every event and every row at risk at its time.

    Events at one time are each at risk for the others, by Breslow's and by Efron's approximation. Without late entry
    the rows at risk at the next event are at risk at this one too, so that one event of every time stands for them.
    """
    model = results.model
    if model.endog is None:
        raise UnansweredError("the data were removed from the results")
    time, status = np.asarray(model.endog, dtype=np.float64), np.asarray(model.status, dtype=np.float64)
    if not np.isfinite(time).all() or not np.isin(status, (0.0, 1.0)).all():
        raise UnansweredError("a time is not finite, or a status is neither 0 nor 1")
    strata = getattr(model, "strata", None)
    parts = _groups(np.zeros(len(time)) if strata is None else np.asarray(strata))
    entry, is_event = getattr(model, "entry", None), status == 1
    if entry is None:
        pairs = (pair for rows in parts for pair in _chain(time[rows], is_event[rows], rows))
    else:
        pairs = (pair for rows in parts for pair in _at_risk(np.asarray(entry)[rows], time[rows], is_event[rows], rows))
    event = f"the event is status = 1, and the time is {model.endog_names}"
    return _reading(results, "Cox regression", event, pairs, strata, is_chain=entry is None)


def _strata(model: Any) -> list[Rows]:
    groups = np.asarray(model.groups)
    if len(groups) != len(model.endog):
        raise UnansweredError("the model does not keep the stratum of every row")
    return _groups(groups)


def _groups(labels: Any) -> list[Rows]:
    """Return the rows of each label."""
    rows: dict[Any, list[int]] = {}
    for row, label in enumerate(labels.tolist()):
        rows.setdefault(label, []).append(row)
    return [np.array(found, dtype=np.int64) for found in rows.values()]


def _every_pair(chosen: Rows, others: Rows) -> tuple[Rows, Rows]:
    first, second = np.repeat(chosen, len(others)), np.tile(others, len(chosen))
    return first[first != second], second[first != second]


def _chain(time: Floats, is_event: Mask, rows: Rows) -> Pairs:
    """Yield one event of each time against the next event time's, those censored between, and the ties, both ways."""
    # Differences of two events at one time are asked for both ways, which makes them equalities; one event of the next
    # time stands for all rows that are still at risk then, as it is compared with them in its own turn.
    times = np.unique(time[is_event])
    for position, now in enumerate(times.tolist()):
        events = rows[is_event & (time == now)]
        following = times[position + 1] if position + 1 < len(times) else np.inf
        censored = rows[~is_event & (time >= now) & (time < following)]
        heirs = rows[is_event & (time == following)][:1]
        yield _every_pair(events[1:], events[:1])
        yield _every_pair(events[:1], np.concatenate([events[1:], censored, heirs]))


def _at_risk(entry: Floats, time: Floats, is_event: Mask, rows: Rows) -> Pairs:
    """Yield every event with every other row that has entered and not left at its time."""
    for event in np.flatnonzero(is_event).tolist():
        is_there = (entry <= time[event]) & (time >= time[event])
        is_there[event] = False
        yield _every_pair(rows[[event]], rows[is_there])


def _reading(results: Any, kind: str, event: str, pairs: Pairs, strata: Any, *, is_chain: bool = False) -> ModelReading:
    exog = design(results.model)
    positions = _positions_of(pairs, exog.shape[1])
    is_positive = np.ones(len(positions), dtype=np.bool_)
    rows = labelled_rows(differences(exog, *positions.T), is_positive, ~is_positive, positions)
    labels = None if strata is None else np.asarray(strata).tolist()
    return reading_of_results(results, kind, event, replace(rows, is_chain=is_chain), strata=labels)


def _positions_of(pairs: Pairs, n_columns: int) -> Rows:
    """Return the pairs as an array of two columns."""
    found, n_numbers = [np.empty((0, 2), dtype=np.int64)], 0
    for chosen, others in pairs:
        n_numbers += len(chosen) * n_columns
        if n_numbers > _MOST_NUMBERS:
            raise UnansweredError(f"the strata are so large that more than {_MOST_NUMBERS:,} differences are compared")
        found.append(np.column_stack([chosen, others]))
    return np.concatenate(found)
