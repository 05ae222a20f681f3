"""The tests for separation of other packages: a program in floating point, and a tolerance that makes it a verdict."""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from maxmargin.comparison.methods import peer_scripts as scripts
from maxmargin.comparison.methods.hearing import heard
from maxmargin.comparison.methods.method import Answer, Claim, Method, Question

Claims = Mapping[bool | None, Claim | None]
"""What a rule means by True and by False; None where it says neither."""

_OF_ANY_SEPARATION: Claims = {True: Claim.SEPARATION, False: Claim.NO_SEPARATION, None: None}
"""Of rules that do not tell complete from quasi-complete separation."""

_OF_COMPLETE_SEPARATION: Claims = {True: Claim.SEPARABLE, False: Claim.NOT_SEPARABLE, None: None}


def methods() -> Iterator[Method]:
    """Yield the rules."""
    konis = (
        (
            "detectseparation",
            scripts.any_coefficient,
            "any |beta| of the program of Konis > 1e-4 (R: detectseparation)",
        ),
        ("safeBinaryRegression", scripts.sum_of_coefficients, "sum |beta| of it > 1e-3 (R: safeBinaryRegression)"),
        ("objective", scripts.optimum, "its optimum > 1e-8"),
    )
    for name, script, summary in konis:
        yield _rule(f"rule.{name}", script, _OF_ANY_SEPARATION, summary, parameters=("tolerance",))
    summary = "y (w.x + b) >= 1 is feasible, by SciPy's linprog"
    yield _rule("rule.feasible", scripts.feasible, _OF_COMPLETE_SEPARATION, summary, is_timed=True)
    summary = "firthmodels' test: any |beta| of the program of Konis > tol"
    yield _rule(
        "firthmodels.detect_separation", scripts.firthmodels_detection, _OF_ANY_SEPARATION, summary,
        packages=("firthmodels", "scipy"), needs=("firthmodels",), parameters=("tol",),
    )  # fmt: skip
    summary = "LIBSVM at C = 1e10 predicts every training row rightly"
    yield _rule(
        "rule.training-accuracy", scripts.training_accuracy, _OF_COMPLETE_SEPARATION, summary,
        packages=("scikit-learn",), parameters=("C", "max_iter", "tol"),
    )  # fmt: skip


def _rule(
    name: str, script: Callable[..., Any], claims: Claims, summary: str, *, packages: tuple[str, ...] = ("scipy",),
    needs: tuple[str, ...] = (), parameters: tuple[str, ...] = (), is_timed: bool = False,
) -> Method:  # fmt: skip
    return Method(
        name=name, fit=partial(fit, script, claims, is_timed), question=Question.SEPARATION, summary=summary,
        needs=needs, packages=packages, parameters=frozenset(parameters), script=script,
    )  # fmt: skip


def fit(
    script: Callable[..., Any], claims: Claims, is_timed: bool, X: Any, y: Any, *, seed: int,
    time_limit: float | None, **params: Any,
) -> Answer:  # fmt: skip
    """Apply a rule that stands alone, and read its verdict as a claim."""
    seconds = {"seconds": time_limit} if is_timed else {}
    rows = X if isinstance(X, np.ndarray) else X.toarray()
    (w, b, says, message), said = heard(script, rows, y, **seconds, **params)
    plane = {"w": None} if w is None else {"w": w, "b": float(b)}
    return {**plane, "claim": claims[says], "message": "; ".join([message, *said]), "capped": says is None}
