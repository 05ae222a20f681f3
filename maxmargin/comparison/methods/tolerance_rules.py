"""The tests for separation of other packages: a program in floating point, and a tolerance that makes it a verdict."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from maxmargin.comparison.methods import peer_scripts as scripts
from maxmargin.comparison.methods.method import Answer, Claim, Method, Question

COEFFICIENT, SUM_OF_COEFFICIENTS, OBJECTIVE = 1e-4, 1e-3, 1e-8
"""Tolerances of detectseparation (any |beta|), of safeBinaryRegression (sum |beta|), and of the optimum itself."""


def methods() -> Iterator[Method]:
    """Yield the rules."""
    rules = (
        ("rule.detectseparation", any_coefficient, "any |beta| of the program of Konis > 1e-4 (R: detectseparation)"),
        ("rule.safeBinaryRegression", sum_of_coefficients, "sum |beta| of it > 1e-3 (R: safeBinaryRegression)"),
        ("rule.objective", objective, "its optimum > 1e-8"),
    )
    for name, fit, summary in rules:
        yield Method(
            name=name, fit=fit, question=Question.SEPARATION, summary=summary, packages=("scipy",),
            parameters=frozenset({"tolerance"}), script=scripts.konis_lp,
        )  # fmt: skip
    yield Method(
        name="firthmodels.detect_separation", fit=firthmodels, question=Question.SEPARATION,
        summary="firthmodels' test: any |beta| of the program of Konis > tol", needs=("firthmodels",),
        packages=("firthmodels", "scipy"), parameters=frozenset({"tol"}), script=scripts.firthmodels_detection,
    )  # fmt: skip
    yield Method(
        name="rule.training-accuracy", fit=accuracy, question=Question.SEPARATION,
        summary="LIBSVM at C = 1e10 predicts every training row rightly", packages=("scikit-learn",),
        parameters=frozenset({"C"}), script=scripts.training_accuracy,
    )  # fmt: skip


def any_coefficient(X: Any, y: Any, *, seed: int, time_limit: float | None, tolerance: float = COEFFICIENT) -> Answer:
    """Say that there is separation if some coefficient is above the tolerance."""
    return _by_coefficients(X, y, lambda beta: float(np.abs(beta).max()), "max |beta|", tolerance)


def sum_of_coefficients(
    X: Any, y: Any, *, seed: int, time_limit: float | None, tolerance: float = SUM_OF_COEFFICIENTS
) -> Answer:
    """Say that there is separation if the coefficients add up to more than the tolerance."""
    return _by_coefficients(X, y, lambda beta: float(np.abs(beta).sum()), "sum |beta|", tolerance)


def _by_coefficients(X: Any, y: Any, size: Any, name: str, tolerance: float) -> Answer:
    beta, message, _ = scripts.konis_lp(_dense(X), y)
    if beta is None:
        return {"w": None, "message": message}
    value = size(beta)
    claim = Claim.SEPARATION if value > tolerance else Claim.NO_SEPARATION
    return {"w": beta[:-1], "b": float(beta[-1]), "claim": claim, "message": f"{name} = {value:.3g}"}


def objective(X: Any, y: Any, *, seed: int, time_limit: float | None, tolerance: float = OBJECTIVE) -> Answer:
    """Say that there is separation if the optimum is above the tolerance."""
    beta, message, optimum = scripts.konis_lp(_dense(X), y)
    if beta is None:
        return {"w": None, "message": message}
    claim = Claim.SEPARATION if optimum > tolerance else Claim.NO_SEPARATION
    return {"w": beta[:-1], "b": float(beta[-1]), "claim": claim, "message": f"optimum {optimum:.3g}"}


def firthmodels(X: Any, y: Any, *, seed: int, time_limit: float | None, tol: float = COEFFICIENT) -> Answer:
    """Ask firthmodels; it refuses collinear columns."""
    is_separated = scripts.firthmodels_detection(_dense(X), y, tol=tol)
    claim = Claim.SEPARATION if is_separated else Claim.NO_SEPARATION
    return {"w": None, "claim": claim, "message": f"separation={is_separated}"}


def accuracy(X: Any, y: Any, *, seed: int, time_limit: float | None, C: float = 1e10) -> Answer:
    """Say that the classes are separable if every training row is predicted rightly."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the iteration limit, about which the rule knows nothing
        w, b, share = scripts.training_accuracy(X, y, C=C)
    claim = Claim.SEPARABLE if share == 1.0 else Claim.NOT_SEPARABLE
    return {"w": w, "b": b, "claim": claim, "message": f"{share:.1%} of the rows are right"}


def _dense(X: Any) -> Any:
    return X if isinstance(X, np.ndarray) else X.toarray()
