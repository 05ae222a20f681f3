"""Judges the answer of a method: its hyperplane and its claim against the proofs about the data."""

import math
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import Any, TypeGuard

import numpy as np

from maxmargin.comparison.data_sets import SeenRows
from maxmargin.comparison.methods.method import Claim
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.margins import geometric_margin, least_functional_margin, n_errors, norm_squared
from maxmargin.solvers.proof.soft_bounds import objective_upper_bound
from maxmargin.solvers.soft_margin.soft_margin import soft_margin
from maxmargin.theory.context import augmented

# The fields that `judged` returns, besides `status` and `message`.
MEASURED = ("claim", "claim_true", "w", "b", "margin", "share", "n_errors", "n_mistakes", "n_updates", "bounds",
            "objective", "objective_lower", "objective_upper", "objective_of", "suboptimality",
            "held_out_errors", "capped")  # fmt: skip

# Whether a claim about the data is true, by the proven verdict.
_VERDICTS: dict[str, dict[str, bool]] = {
    verdict: {
        **{Claim.SEPARABLE: verdict == "separable", Claim.NOT_SEPARABLE: verdict != "separable"},
        **{Claim.SEPARATION: verdict != "overlap", Claim.NO_SEPARATION: verdict == "overlap"},
        Claim.ESTIMATE_EXISTS: verdict == "overlap",
    }
    for verdict in ("separable", "quasi-separable", "overlap")
}


# Largest number of mistakes that the tables hold.
_MOST = (1 << 63) - 1

# Upper end of the relative error of an objective that is rounded up.
_ROUNDING = Fraction(1, 1 << 30)


class InvalidAnswerError(ValueError):
    """The answer of a method cannot be judged: NaN, a vector of the wrong length, an unknown claim."""


def finite(value: float) -> float | None:
    """Return a number that JSON holds, or None."""
    return value if math.isfinite(value) else None


def judged(
    data: SeenRows, facts: Mapping[str, Any], answer: Any, *, tolerance: float, time_limit: float | None
) -> dict[str, Any]:
    """Return the fields of a record that depend on the answer of a method.

    Parameters
    ----------
    data : SeenRows
        The rows that the method saw.
    facts : mapping
        `verdict`, `gamma_lower` and `gamma_upper`, as they are proven.
    answer : mapping
        What the method returned; see `maxmargin.comparison.methods.method`.
    tolerance : float
        Relative distance from the optimum up to which the claim to have reached it is true.
    time_limit : float, optional
        Seconds for the proven bound of a soft-margin objective.

    Raises
    ------
    InvalidAnswerError
        If the answer is not one.
    """
    w, b = _hyperplane(data.problem, answer)
    claim = _claim(answer)
    fields = dict.fromkeys(MEASURED, None) | {
        "claim": claim,
        "n_mistakes": _count(answer, "n_mistakes"),
        "n_updates": _count(answer, "n_updates"),
        "bounds": {name: float(v) for name, v in (answer.get("bounds") or {}).items() if math.isfinite(v)},
        "capped": bool(answer.get("capped", False)),
    }
    if w is not None:
        fields |= _measured_plane(data, facts, w, b)
        if answer.get("objective"):
            fields |= _measured_objective(data, answer["objective"], w, b, time_limit)
    truth = _truth(claim, facts, fields, tolerance)
    if claim == Claim.OPTIMAL and fields["objective_of"] and _is_reached(fields, tolerance):
        truth = True
    return fields | {"claim_true": truth}


def _hyperplane(problem: Problem, answer: Any) -> tuple[Floats | None, float]:
    if not isinstance(answer, Mapping):
        raise InvalidAnswerError(f"fit returned {type(answer).__name__}; expected a mapping with w and b")
    if answer.get("w") is None:
        return None, 0.0
    w, offset = _numbers(answer["w"]), _numbers(answer.get("b", 0.0))
    if offset.size != 1:
        raise InvalidAnswerError(f"b has shape {offset.shape}; expected a number")
    b = float(offset.item())
    if w.shape != (problem.n_features,):
        raise InvalidAnswerError(f"w has shape {w.shape}; expected ({problem.n_features},)")
    if not (np.isfinite(w).all() and math.isfinite(b)):
        raise InvalidAnswerError("the hyperplane holds NaN or infinity")
    return w, b


def _numbers(value: Any) -> Floats:
    """Return an array of real numbers."""
    try:
        array = np.asarray(value)
        if array.dtype.kind not in "biufO" or any(isinstance(entry, str | bytes) for entry in array.ravel()[:1]):
            raise InvalidAnswerError(f"the hyperplane holds no real numbers, but {array.dtype}")
        return array.astype(np.float64)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidAnswerError(f"the hyperplane holds no numbers: {error}") from None


def _claim(answer: Mapping[str, Any]) -> str | None:
    claim = answer.get("claim")
    if claim is not None and (not isinstance(claim, str) or claim not in set(Claim)):
        raise InvalidAnswerError(f"the claim is {claim!r}; expected one of {', '.join(Claim)}, or None")
    return None if claim is None else str(claim)


def _count(answer: Mapping[str, Any], name: str) -> int | None:
    value = answer.get(name)
    if value is None:
        return None
    if not isinstance(value, int | np.integer) or isinstance(value, bool) or not 0 <= value <= _MOST:
        raise InvalidAnswerError(f"{name} is {value!r:.40}; expected a whole number from 0 to {_MOST}, or None")
    return int(value)


def _measured_plane(data: SeenRows, facts: Mapping[str, Any], w: Floats, b: float) -> dict[str, Any]:
    """Return the margin, rounded down, and the errors of a hyperplane.

    A vector of zeros has no margin, and a margin below the least float is not given.
    """
    fields: dict[str, Any] = {"w": w.tolist(), "b": b, "n_errors": n_errors(data.problem, w, b)}
    if data.held_out is not None:
        fields["held_out_errors"] = n_errors(data.held_out, w, b)
    if not w.any():
        return fields
    margin = geometric_margin(least_functional_margin(data.problem, w, b), norm_squared(w))
    if not math.isfinite(margin):
        return fields
    upper = facts["gamma_upper"]
    share = math.nextafter(margin / upper, 0.0) if margin > 0 and upper else None
    return fields | {"margin": margin, "share": share}


def _measured_objective(
    data: SeenRows, objective: Mapping[str, Any], w: Floats, b: float, time_limit: float | None
) -> dict[str, Any]:
    """Return the soft-margin objective of a hyperplane, rounded up, and the proven interval of the least one."""
    C, intercept, dual = _soft_margin_of(objective)
    if isinstance(intercept, int | float):
        w, b = np.append(w, b / intercept), 0.0
    extended, lower, upper = _optimum(data, intercept, C, time_limit)
    value = objective_upper_bound(extended, w, b, np.full(extended.n_samples, C))
    if not math.isfinite(value):
        return {}
    ends = {"objective_lower": lower, "objective_upper": None if upper is None else finite(upper)}
    of = {"C": C, "intercept": objective["intercept"], "dual": dual}
    return {"objective": value, "objective_of": of, **ends, "suboptimality": suboptimality(value, lower)}


def suboptimality(value: float, lower: float | None) -> float | None:
    """Return how far an objective is above a lower bound, relative to it; None where the bound is not positive."""
    return finite((value - lower) / lower) if lower is not None and lower > 0 else None


def _soft_margin_of(objective: Any) -> tuple[float, Any, float | None]:
    """Return C, the kind of the intercept and the value of the dual of an objective, a mapping that names them."""
    if isinstance(objective, Mapping):
        C, intercept, dual = objective.get("C"), objective.get("intercept"), objective.get("dual")
        is_number = dual is None or (isinstance(dual, int | float) and math.isfinite(dual))
        if is_number and _is_positive(C) and (intercept in ("free", "none") or _is_positive(intercept)):
            return float(C), intercept, dual
    expected = 'expected {"C": number, "intercept": "free", "none" or a positive number, "dual": number or nothing}'
    raise InvalidAnswerError(f"the objective is {objective!r:.80}; {expected}")


def _is_positive(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and 0 < value < math.inf


@lru_cache(maxsize=16)
def _optimum(
    data: SeenRows, intercept: Any, C: float, time_limit: float | None
) -> tuple[Problem, float | None, float | None]:
    """Return the problem of a soft margin, and the proven interval of the least objective."""
    problem = _with_intercept(data.problem, intercept)
    try:
        answer = soft_margin(problem, C, time_limit=time_limit)
    except InvalidProblemError:
        return problem, None, None
    return problem, answer.lower, answer.objective


def _with_intercept(problem: Problem, intercept: Any) -> Problem:
    """Return the problem whose soft margin has this bias: free, none, or the weight of a constant column."""
    if intercept in ("free", "none"):
        return Problem(problem.X, problem.y, intercept == "free")
    return augmented(problem, float(intercept))


def _truth(claim: str | None, facts: Mapping[str, Any], fields: Mapping[str, Any], tolerance: float) -> bool | None:
    """Return whether a claim is proven to be true, proven to be false, or neither."""
    if claim is None:
        return None
    if claim == Claim.SEPARATES:
        return fields["n_errors"] == 0 if fields["w"] is not None else None
    if claim == Claim.MAXIMUM_MARGIN:
        return _is_greatest(facts, fields["margin"], tolerance, has_plane=fields["w"] is not None)
    if claim == Claim.OPTIMAL:
        return _is_least(fields["objective"], fields["objective_lower"], fields["objective_upper"], tolerance)
    return _VERDICTS.get(facts["verdict"], {}).get(claim)


def _is_greatest(facts: Mapping[str, Any], margin: float | None, tolerance: float, *, has_plane: bool) -> bool | None:
    if facts["verdict"] in ("overlap", "quasi-separable"):
        return False
    if facts["gamma_lower"] is None:
        return None
    if margin is None:
        return False if has_plane else None  # w is 0, or a row is far on the wrong side
    share = 1 - Fraction(tolerance)
    if facts["gamma_upper"] is not None and Fraction(margin) >= share * Fraction(facts["gamma_upper"]):
        return True
    above = math.nextafter(margin, math.inf)  # the margin was rounded down
    return False if math.isfinite(above) and Fraction(above) < share * Fraction(facts["gamma_lower"]) else None


def _is_least(value: float | None, lower: float | None, upper: float | None, tolerance: float) -> bool | None:
    if value is None or lower is None:
        return None
    ratio = 1 + Fraction(tolerance)
    if Fraction(value) <= ratio * Fraction(lower):
        return True
    least = Fraction(value) * (1 - _ROUNDING)
    return False if upper is not None and least > ratio * Fraction(upper) else None


def _is_reached(fields: Mapping[str, Any], tolerance: float) -> bool:
    """Return whether the value that a method reached of the dual problem is the optimum, up to the tolerance."""
    lower, upper, dual = fields["objective_lower"], fields["objective_upper"], fields["objective_of"]["dual"]
    if lower is None or upper is None or dual is None:
        return False
    value, room = Fraction(dual), Fraction(tolerance)
    return (1 - room) * Fraction(upper) <= value <= (1 + room) * Fraction(lower)
