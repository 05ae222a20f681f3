"""Records that are read are proven and computed again, so that none of them can say what is not so."""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from maxmargin.certificates.proofs import verify
from maxmargin.comparison.data_sets import RowSelection, SeenRows, seen
from maxmargin.comparison.jobs.outcome import NOT_INSTALLED, Ending
from maxmargin.comparison.jobs.store import CELLS, PROOFS, Store
from maxmargin.comparison.judging import MEASURED, finite, judged, suboptimality
from maxmargin.comparison.tasks import FACTS
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.exact.dyadic import sqrt_down, sqrt_up
from maxmargin.solvers.problem.problem import radius_squared
from maxmargin.text.data_error import DataError

# Fields of a record that are shown as they were recorded.
_AS_RECORDED = ("claim", "n_mistakes", "n_updates", "bounds", "capped")


_STATUSES = (*map(str, Ending), NOT_INSTALLED, "invalid")

# Facts that the record of a method that is not installed lacks.
_UNKNOWN: tuple[str, ...] = ("verdict", "gamma_lower", "gamma_upper", "radius")

# Numbers that are shown as they were recorded.
_MEASURES = ("n_mistakes", "n_updates", "seconds", "passes", "peak_mib", "jobs")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A record that is read: its key, that of the proofs about its rows, and these rows."""

    key: str
    facts_key: str
    view: RowSelection


def check_records(store: Store, readings: Iterable[Reading], tolerance: float, seconds: float | None) -> None:
    """Verify the proofs and compute again what follows from the recorded hyperplanes; times and counts stay.

    Parameters
    ----------
    store : Store
    readings : iterable of Reading
        Those of the same rows one after the other.
    tolerance, seconds : float
        Those of the study: for claims, and for the proof of a soft-margin optimum.

    Raises
    ------
    DataError
        If a number of a record differs from that of its proof or of its hyperplane, or if a proof does not hold.
    """
    records, proofs, sound = store.records(CELLS), store.records(PROOFS), set[str]()
    for reading in readings:
        facts, record = proofs.get(reading.facts_key), records.get(reading.key)
        try:
            data = seen(reading.view)
            if facts is not None and reading.facts_key not in sound:
                _check_facts(facts, data)
                sound.add(reading.facts_key)
            if record is not None:
                _check_types(record)
                if record["status"] == NOT_INSTALLED:
                    facts = dict.fromkeys(_UNKNOWN)
                elif facts is None:
                    raise ValueError("there is no proof about its rows")
                _check_all(record, {name: facts[name] for name in FACTS if name in facts})
                _check_record(record, data, tolerance, seconds)
        except (KeyError, TypeError, AttributeError, ArithmeticError, ValueError) as error:
            name = f"the record of {record.get('method')} on {record.get('data')}" if record else "a proof"
            what = f"{name} is damaged: {error}; remove this file, and the study is run again"
            raise DataError(f"{store.path}: {what}") from error


def _check_facts(facts: Mapping[str, Any], data: SeenRows) -> None:
    """Check the verdict and the margin by their certificate, and the sizes by the rows."""
    problem, certificate = data.problem, facts.get("certificate")
    expected: dict[str, Any] = {"verdict": Verdict.UNDECIDED.value, "gamma_lower": None, "gamma_upper": None}
    if certificate is not None:
        verify(certificate, problem.X, problem.y)
        expected |= _proven(certificate)
    if facts["status"] == "ok":
        radius = finite(sqrt_up(radius_squared(problem)))
        expected |= {"n_samples": problem.n_samples, "n_features": problem.n_features, "radius": radius}
    _check_all(facts, expected)


def _proven(certificate: Mapping[str, Any]) -> dict[str, Any]:
    """Return the verdict and the ends of the margin that a certificate proves."""
    claim = certificate["claim"]
    if not claim.startswith("margin"):
        return {} if claim == "not-strictly-separable" else {"verdict": claim}
    square = certificate["margin_squared"]
    upper = None if claim == "margin-at-least" else Fraction(certificate.get("upper_squared", square))
    ends = {"gamma_lower": sqrt_down(Fraction(square)), "gamma_upper": upper and finite(sqrt_up(upper))}
    return {"verdict": Verdict.SEPARABLE.value, **ends}


def _check_record(record: Mapping[str, Any], data: SeenRows, tolerance: float, seconds: float | None) -> None:
    """Check what follows from the hyperplane and the claim of a run that ended; others have neither."""
    if record["status"] != "ok":
        _check_all(record, {name: None for name in MEASURED if name not in _AS_RECORDED})
        return
    answer = {name: record[name] for name in ("w", "b", *_AS_RECORDED)} | {"objective": record["objective_of"]}
    expected = judged(data, record, answer, tolerance=tolerance, time_limit=seconds)
    if expected["objective"] is not None:
        _check_optimum(record, expected)
        expected |= {name: record[name] for name in ("claim_true", "objective_lower", "objective_upper")}
        expected["suboptimality"] = suboptimality(record["objective"], record["objective_lower"])
    _check_all(record, expected)


def _check_optimum(record: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    """Check that two proven intervals of an optimum meet, and no claim is both true and false.

    They depend on the time that the proofs were given.
    """
    low = [fields["objective_lower"] for fields in (record, expected)]
    high = [fields["objective_upper"] for fields in (record, expected)]
    if max(end or 0.0 for end in low) > min(math.inf if end is None else end for end in high):
        raise ValueError(f"it says that the optimum is in {low[0], high[0]}, and it is in {low[1], high[1]}")
    truths = {fields["claim_true"] for fields in (record, expected)} - {None}
    if len(truths) > 1:
        raise ValueError(f"it says claim_true = {record['claim_true']}, which is {expected['claim_true']}")


def _check_types(record: Mapping[str, Any]) -> None:
    """Check the form of what is shown as it was recorded."""
    if record["status"] not in _STATUSES or not isinstance(record["message"], str | None):
        raise ValueError(f"it says status = {record['status']!r:.60}")
    numbers = {name: record[name] for name in _MEASURES} | (record["bounds"] or {})
    for name, value in numbers.items():
        if value is not None and not (isinstance(value, int | float) and 0 <= value < math.inf):
            raise ValueError(f"it says {name} = {value!r:.60}")


def _check_all(recorded: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    for name, value in expected.items():
        if recorded.get(name) != value:
            raise ValueError(f"it says {name} = {recorded.get(name)!r:.60}, which is {value!r:.60}")
