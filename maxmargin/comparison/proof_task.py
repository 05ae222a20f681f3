"""The task that proves the verdict and the margin of the rows of a study, once for all methods and orders."""

import time
from collections.abc import Mapping
from typing import Any

from maxmargin.comparison.data_sets import seen
from maxmargin.comparison.jobs.child import Meter
from maxmargin.comparison.jobs.outcome import NOT_RUN
from maxmargin.comparison.judging import finite
from maxmargin.solvers.answers.statuses import Status, Verdict
from maxmargin.solvers.errors import WordedError
from maxmargin.solvers.exact.dyadic import sqrt_up
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.problem.problem import Problem, radius_squared
from maxmargin.solvers.separability.feasibility import separability

TASK = f"{__name__}:prove"

# Facts that a record repeats.
FACTS = ("n_samples", "n_features", "verdict", "gamma_lower", "gamma_upper", "radius")


def prove(arguments: Mapping[str, Any], meter: Meter) -> dict[str, Any]:
    """Return the proven facts of a view of a data set, with the certificate.

    Parameters
    ----------
    arguments : mapping
        `view`, a `RowSelection`; `time_limit`, seconds.
    meter : Meter

    Returns
    -------
    dict
        `n_samples`, `n_features`, `radius` (max ||x_i||, rounded up), `verdict`, `gamma_lower` and `gamma_upper` (None
        unless the classes are separable; upper ends beyond the largest float are None as well), `capped` (whether more
        time might prove more), `seconds` of the proof, and `certificate` with its claim.
    """
    try:
        problem = seen(arguments["view"]).problem
    except (WordedError, OSError) as error:
        return {"status": NOT_RUN, "message": str(error)}
    started = time.perf_counter()
    fields = _margin(problem, arguments["time_limit"])
    seconds = time.perf_counter() - started
    n_samples, n_features = problem.X.shape
    radius = finite(sqrt_up(radius_squared(problem)))
    return {"n_samples": n_samples, "n_features": n_features, "radius": radius, "seconds": seconds, **fields}


def _margin(problem: Problem, time_limit: float | None) -> dict[str, Any]:
    answer = hard_margin(problem, time_limit=time_limit)
    if answer.status in (Status.OPTIMAL, Status.LIMIT, Status.NUMERICAL) and answer.lower > 0:
        certificate = answer.interval_certificate
        proof = None if certificate is None else certificate.to_dict()
        ends = {"gamma_lower": answer.lower, "gamma_upper": finite(answer.upper)}
        is_open = answer.status is Status.LIMIT
        return {"verdict": Verdict.SEPARABLE.value, **ends, "certificate": proof, "capped": is_open}
    decided = separability(problem, time_limit=time_limit)
    proof = None if decided.certificate is None else decided.certificate.to_dict()
    ends, is_open = {"gamma_lower": None, "gamma_upper": None}, decided.verdict is Verdict.UNDECIDED
    return {"verdict": decided.verdict.value, **ends, "certificate": proof, "capped": is_open}
