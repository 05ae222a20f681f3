"""The tests for separation of other packages.

Most solve a program in floating point and compare a number with a tolerance; z3 decides in exact rational arithmetic.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from maxmargin.comparison.methods import peer_scripts as scripts
from maxmargin.comparison.methods.method import Answer, Claim, Method, QuestionKind
from maxmargin.comparison.methods.recorded_warnings import with_warnings

# The claims that the answers True and False of a test stand for, and None, where it answers neither.
Claims = Mapping[bool | None, Claim | None]

# Claims of tests that do not distinguish complete from quasi-complete separation.
_OF_ANY_SEPARATION: Claims = {True: Claim.SEPARATION, False: Claim.NO_SEPARATION, None: None}

_OF_COMPLETE_SEPARATION: Claims = {True: Claim.SEPARABLE, False: Claim.NOT_SEPARABLE, None: None}


def methods() -> Iterator[Method]:
    """Yield the tests."""
    sum_rule: Callable[..., Any] = partial(scripts.konis_lp, measure="sum |beta|", tolerance=1e-3)
    of_r = "any |beta| of the program of Konis > 1e-4 (R: detectseparation)"
    konis = (
        ("detectseparation", scripts.any_coefficient, of_r),
        ("safeBinaryRegression", sum_rule, "sum |beta| of it > 1e-3 (R: safeBinaryRegression)"),
        ("objective", scripts.konis_lp, "its optimum > 1e-8"),
    )
    for name, script, summary in konis:
        yield _rule(f"rule.{name}", script, _OF_ANY_SEPARATION, summary, parameters=("tolerance",))
    summary = "z3, linear real arithmetic on the exact numbers"
    yield _rule(
        "z3", scripts.z3_rationals, _OF_COMPLETE_SEPARATION, summary,
        packages=("z3-solver",), needs=("z3",), is_timed=True,
    )  # fmt: skip
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
        name=name, fit=partial(fit, script, claims, is_timed), question=QuestionKind.SEPARATION, summary=summary,
        needs=needs, packages=packages, parameters=frozenset(parameters), script=script,
    )  # fmt: skip


def fit(
    script: Callable[..., Any], claims: Claims, is_timed: bool, X: Any, y: Any, *, seed: int,
    time_limit: float | None, **params: Any,
) -> Answer:  # fmt: skip
    """Call the script of a test, and translate its answer into a claim."""
    seconds = {"seconds": time_limit} if is_timed else {}
    rows = X if isinstance(X, np.ndarray) else X.toarray()
    (w, b, says, message), said = with_warnings(script, rows, y, **seconds, **params)
    plane = {"w": None} if w is None else {"w": w, "b": float(b)}
    return {**plane, "claim": claims[says], "message": "; ".join([message, *said]), "capped": says is None}
