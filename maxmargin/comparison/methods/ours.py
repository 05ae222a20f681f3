"""The exact methods of this package: the hard margin, the soft margin, and the linear program of separability.

Claims are about all hyperplanes. So with ``bias=False`` a method claims only what it knows of them: that the classes
are separable if they are through the origin, or that its hyperplane separates. That none through the origin does is no
claim.
"""

from collections.abc import Callable, Iterator
from typing import Any

from maxmargin.comparison.methods.method import Answer, Claim, Method, QuestionKind
from maxmargin.solvers.answers.statuses import Status
from maxmargin.solvers.exact.dyadic import nearest_floats
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.certificate import SeparatingHyperplane

PACKAGES = ("maxmargin",)

# By whether the classes are strictly separable, which can be proven before the verdict is.
_CLAIMS = {True: Claim.SEPARABLE, False: Claim.NOT_SEPARABLE, None: None}


def methods() -> Iterator[Method]:
    """Yield the methods."""
    soft = "soft margin with a free bias and a proven interval"
    rows: tuple[tuple[str, Callable[..., Answer], QuestionKind, str, set[str]], ...] = (
        ("hard-margin", hard_margin, QuestionKind.HARD_MARGIN, "maximum margin with a proven interval", set()),
        ("soft-margin", soft_margin, QuestionKind.SOFT_MARGIN, soft, {"C"}),
        ("lp", linear_program, QuestionKind.SEPARATION, "linear program of separability, its verdict proven", set()),
    )
    for name, fit, question, summary, own in rows:
        parameters = frozenset({"bias", "method", "solver"} | own)
        yield Method(
            name=name, fit=fit, question=question, summary=summary, packages=PACKAGES, parameters=parameters,
            claims="what it has proven",
        )  # fmt: skip


def hard_margin(X: Any, y: Any, *, seed: int, time_limit: float | None, bias: bool = True, **options: Any) -> Answer:
    """Find the maximum margin."""
    from maxmargin.solvers.hard_margin.hard_margin import hard_margin as solve

    answer = solve(Problem.validated(X, y, bias=bias), time_limit=time_limit, **options)
    claim = None
    if answer.status is Status.OPTIMAL:
        claim = Claim.MAXIMUM_MARGIN if bias else Claim.SEPARATES
    elif answer.status.is_inseparable and bias:
        claim = Claim.NOT_SEPARABLE
    return {"w": answer.w, "b": answer.b, "claim": claim, "message": _of_hyperplanes(answer.status.value, bias),
            "capped": answer.status is Status.LIMIT}  # fmt: skip


def soft_margin(
    X: Any, y: Any, *, seed: int, time_limit: float | None, C: float = 1.0, bias: bool = True, **options: Any
) -> Answer:
    """Solve the soft margin."""
    from maxmargin.solvers.soft_margin.soft_margin import soft_margin as solve

    answer = solve(Problem.validated(X, y, bias=bias), C, time_limit=time_limit, **options)
    claim = Claim.OPTIMAL if answer.status is Status.OPTIMAL else None
    objective = {"C": float(C), "intercept": "free" if bias else "none"}
    return {"w": answer.w, "b": answer.b, "claim": claim, "message": answer.status.value, "objective": objective,
            "capped": answer.status is Status.LIMIT}  # fmt: skip


def linear_program(X: Any, y: Any, *, seed: int, time_limit: float | None, bias: bool = True, **options: Any) -> Answer:
    """Decide separability, and return the hyperplane that proves it."""
    from maxmargin.solvers.separability.feasibility import separability

    answer = separability(Problem.validated(X, y, bias=bias), time_limit=time_limit, **options)
    is_separable, plane = answer.strictly_separable, answer.certificate
    claim = None if is_separable is False and not bias else _CLAIMS[is_separable]
    message = _of_hyperplanes(answer.verdict.value, bias)
    if is_separable is None:
        return {"w": None, "claim": None, "message": f"{message}: {answer.reason}", "capped": True}
    floats = nearest_floats([*plane.w, plane.b]) if isinstance(plane, SeparatingHyperplane) else None
    if floats is None:
        return {"w": None, "claim": claim, "message": message}
    return {"w": floats[:-1], "b": float(floats[-1]), "claim": claim, "message": message}


def _of_hyperplanes(words: str, bias: bool) -> str:
    return words if bias else f"{words} through the origin"
