"""What is done inside limited processes: the rows of a study are proven, and a method runs on them and is judged."""

import time
from collections.abc import Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from itertools import chain, repeat
from typing import Any

import numpy as np

from maxmargin.comparison.data_sets import RowSelection, SeenRows, seen
from maxmargin.comparison.jobs.child import Meter
from maxmargin.comparison.jobs.outcome import LONGEST_MESSAGE, NOT_RUN
from maxmargin.comparison.judging import InvalidAnswerError, finite, judged
from maxmargin.comparison.methods.every_method import method_of
from maxmargin.comparison.methods.method import Method
from maxmargin.solvers.answers.statuses import Status, Verdict
from maxmargin.solvers.errors import InvalidOptionError, WordedError
from maxmargin.solvers.exact.dyadic import sqrt_up
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.problem.problem import Problem, radius_squared
from maxmargin.solvers.separability.feasibility import separability

PROVE = f"{__name__}:prove"

# Facts that a record repeats.
FACTS = ("n_samples", "n_features", "verdict", "gamma_lower", "gamma_upper", "radius")

SOLVE = f"{__name__}:solve"

# Share of the time limit that a method is given, so that it can stop by itself before its process is ended.
_SHARE_FOR_METHOD = 0.9

# Seconds up to which the first run of a method on some data is done again, warm; the second one counts.
_COLD_SECONDS = 5.0

# Seconds for measuring products X @ w, and the largest number of them; the least time counts.
_PASS_SECONDS, _MOST_PASSES = 0.005, 20


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


def solve(arguments: Mapping[str, Any], meter: Meter) -> dict[str, Any]:
    """Return the fields of a record that the run of a method determines.

    Parameters
    ----------
    arguments : mapping
        `view`, `method`, `version`, `plugins`, `params`, `seed`, `facts`, `tolerance`, and `is_alone`: whether times
        mean something because no other cell runs.
    meter : Meter
    """
    view, params, limit = arguments["view"], arguments["params"], meter.limit.seconds
    try:
        method = method_of(arguments["method"], tuple(arguments["plugins"]))
        if method.version != arguments["version"]:
            raise InvalidOptionError(f"the method {method.name} has changed since the study was planned")
        data = seen(view)
    except (WordedError, OSError) as error:
        return {"status": NOT_RUN, "message": str(error)}
    for module in method.needs:
        if not module.startswith("program "):
            import_module(module)  # takes none of the method's time
    problem = data.ordered(view)
    own_limit = None if limit is None else _SHARE_FOR_METHOD * limit

    def fit() -> Any:
        # A plug-in may write into its arguments, and the answer is judged by the rows as they are: it gets copies.
        X, y, own = (problem.X.copy(), problem.y.copy(), deepcopy(params)) if method.is_foreign else (*rows, params)
        with np.errstate(), meter.measured():
            return method.fit(X, y, seed=arguments["seed"], time_limit=own_limit, **own)

    rows = problem.X, problem.y

    answer = fit()
    # In its first run on some data, a method may have had to be imported or compiled.
    is_first = next(_runs(method.name, replace(view, order="source", seed=0)))
    if is_first and meter.seconds is not None and meter.seconds < _COLD_SECONDS:
        answer = fit()
    try:
        fields = judged(
            data, arguments["facts"], _with_bounds(method, problem, answer, params),
            tolerance=arguments["tolerance"], time_limit=limit,
        )  # fmt: skip
    except InvalidAnswerError as error:
        return {"status": "invalid", "message": str(error)}
    passes = meter.seconds / _seconds_of_a_pass(data) if arguments["is_alone"] and meter.seconds is not None else None
    message = str(answer.get("message", ""))[:LONGEST_MESSAGE].encode("utf-8", "backslashreplace").decode()
    return {"status": "ok", "message": message, "passes": passes, **fields}


def _with_bounds(method: Method, problem: Problem, answer: Any, params: Mapping[str, Any]) -> Any:
    """Return an answer whose mistake bounds are those proven for its run; bounds that a method claims are dropped."""
    if not isinstance(answer, Mapping):
        return answer
    bounds = {} if method.bounds is None else method.bounds(problem.X, problem.y, answer, **params)
    return {**answer, "bounds": bounds}


@lru_cache(maxsize=1 << 16)
def _runs(name: str, view: RowSelection) -> Iterator[bool]:
    """Return an iterator over the runs of a method on some data in this process: True for the first, then False."""
    return chain([True], repeat(False))


@lru_cache(maxsize=4)
def _seconds_of_a_pass(data: SeenRows) -> float:
    """Return the seconds of one product X @ w."""
    X = data.problem.X
    w, least, spent = np.ones(X.shape[1]), float("inf"), 0.0
    for _ in range(_MOST_PASSES):
        started = time.perf_counter()
        np.asarray(X @ w)
        seconds = time.perf_counter() - started
        least, spent = min(least, seconds), spent + seconds
        if spent > _PASS_SECONDS:
            break
    return least
