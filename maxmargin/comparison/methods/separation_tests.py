"""The tests for separation of other packages, and other methods whose scripts answer with True, False or None.

Most solve a program in floating point and compare a number with a tolerance; z3 and QSopt_ex decide in exact rational
arithmetic.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from subprocess import getoutput
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

_OF_THE_HARD_MARGIN: Claims = {True: Claim.MAXIMUM_MARGIN, False: Claim.NOT_SEPARABLE, None: None}

# Claims of a regression: that it found a separating hyperplane, or has converged and found none.
_OF_A_REGRESSION: Claims = {True: Claim.SEPARABLE, False: Claim.ESTIMATE_EXISTS, None: None}

_OF_THE_SOFT_MARGIN: Claims = {True: Claim.OPTIMAL, None: None}

# How methods decide that have no tolerance.
_EXACTLY = "in exact arithmetic"


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
        packages=("z3-solver",), needs=("z3",), is_timed=True, judged=_EXACTLY,
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
    mark = getoutput("esolver -v 2>/dev/null").partition(" (")[0]  # nothing where there is no esolver
    yield _rule("qsopt_ex", scripts.qsopt_ex, _OF_COMPLETE_SEPARATION, "y (w.x + b) >= 1 is feasible, by QSopt_ex",
                packages=(), mark=mark, needs=("program esolver",), is_timed=True, judged=_EXACTLY)  # fmt: skip
    yield _rule("superADMM", scripts.superadmm, _OF_THE_HARD_MARGIN, "superADMM: quadratic program of the hard margin",
                QuestionKind.HARD_MARGIN, packages=("superADMM",), needs=("superADMM",), is_timed=True,
                parameters=("eps_abs", "eps_rel", "maxIter"))  # fmt: skip
    yield _rule("gamfit", scripts.gamfit_logit, _OF_A_REGRESSION, "gamfit: logistic regression and test for separation",
                QuestionKind.LOGISTIC, packages=("gamfit",), needs=("gamfit",))  # fmt: skip
    yield _rule("libsvm", scripts.libsvm, _OF_THE_SOFT_MARGIN, "LIBSVM, called directly, linear kernel",
                QuestionKind.SOFT_MARGIN, packages=("libsvm-official",), needs=("libsvm",),
                parameters=("C", "tol"), judged="judged as SVC's")  # fmt: skip


def _rule(
    name: str, script: Callable[..., Any], claims: Claims, summary: str,
    question: QuestionKind = QuestionKind.SEPARATION, *, packages: tuple[str, ...] = ("scipy",), mark: str = "",
    needs: tuple[str, ...] = (), parameters: tuple[str, ...] = (), is_timed: bool = False,
    judged: str = "by its own tolerance",
) -> Method:  # fmt: skip
    return Method(
        name=name, fit=partial(fit, script, claims, is_timed), question=question, summary=summary, needs=needs,
        claims=" or ".join(map(str, filter(None, claims.values()))) + f", as it says, {judged}",
        packages=packages, mark=mark, parameters=frozenset(parameters), script=script,
    )  # fmt: skip


def fit(
    script: Callable[..., Any], claims: Claims, is_timed: bool, X: Any, y: Any, *, seed: int,
    time_limit: float | None, **params: Any,
) -> Answer:  # fmt: skip
    """Call the script of a test, and translate its answer into a claim."""
    seconds = {"seconds": time_limit} if is_timed else {}
    rows = X if isinstance(X, np.ndarray) else X.toarray()
    (w, b, says, message), said = with_warnings(script, rows, y, **seconds, **params)
    plane: dict[str, Any] = {"w": None} if w is None else {"w": w, "b": float(b)}
    if claims is _OF_THE_SOFT_MARGIN:
        dual = float(message.rpartition("dual = ")[2])
        plane["objective"] = {"C": float(params.get("C", 1.0)), "intercept": "free", "dual": dual}
    return {**plane, "claim": claims[says], "message": "; ".join([message, *said]), "capped": says is None}
