"""Logistic regressions of statsmodels, with the convergence that they report."""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from maxmargin.comparison.methods import peer_scripts as scripts
from maxmargin.comparison.methods.method import Answer, Claim, Method, QuestionKind
from maxmargin.comparison.methods.recorded_warnings import with_warnings


def methods() -> Iterator[Method]:
    """Yield the regressions."""
    for name, script in (("Logit", scripts.statsmodels_logit), ("GLM", scripts.statsmodels_glm)):
        yield Method(
            name=f"statsmodels.{name}",
            fit=partial(fit, script),
            question=QuestionKind.LOGISTIC,
            summary=(script.__doc__ or "").rstrip("."),
            claims="estimate exists where converged is True, whatever it warns of; else separable where it says so",
            needs=("statsmodels.api",),
            packages=("statsmodels",),
            parameters=frozenset({"maxiter", "method", "tol"}),
            script=script,
        )


def fit(script: Callable[..., Any], X: Any, y: Any, *, seed: int, time_limit: float | None, **options: Any) -> Answer:
    """Fit the regression, and take its flag of convergence for the claim that the estimate exists.

    `maxmargin.check_model` takes the flag in the same way, whatever a warning said. Without the flag, perfect
    separation, which older versions raise as an error and newer ones warn of, is the claim that the classes are
    separable.
    """
    from statsmodels.tools.sm_exceptions import PerfectSeparationError

    try:
        (w, b, converged), said = with_warnings(script, X if isinstance(X, np.ndarray) else X.toarray(), y, **options)
    except PerfectSeparationError as error:
        return {"w": None, "claim": Claim.SEPARABLE, "message": f"PerfectSeparationError: {error}"}
    except np.linalg.LinAlgError as error:
        return {"w": None, "message": f"LinAlgError: {error}"}
    has_warned = any(text.startswith("PerfectSeparation") for text in said)
    claim = Claim.ESTIMATE_EXISTS if converged else Claim.SEPARABLE if has_warned else None
    finite = np.isfinite(w).all() and np.isfinite(b)
    message = "; ".join([f"converged={converged}", *said])
    return {"w": w if finite else None, "b": b, "claim": claim, "message": message, "capped": not converged}
