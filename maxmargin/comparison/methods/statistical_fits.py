"""Logistic regressions of statsmodels, with the convergence that they report."""

import warnings
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from maxmargin.comparison.methods import peer_scripts as scripts
from maxmargin.comparison.methods.method import Answer, Claim, Method, Question


def methods() -> Iterator[Method]:
    """Yield the regressions."""
    for name, script in (("Logit", scripts.statsmodels_logit), ("GLM", scripts.statsmodels_glm)):
        yield Method(
            name=f"statsmodels.{name}",
            fit=partial(fit, script),
            question=Question.LOGISTIC,
            summary=(script.__doc__ or "").rstrip("."),
            needs=("statsmodels",),
            packages=("statsmodels",),
            script=script,
        )


def fit(script: Callable[..., Any], X: Any, y: Any, *, seed: int, time_limit: float | None) -> Answer:
    """Fit the regression, and take its flag of convergence for the claim that the estimate exists."""
    from statsmodels.tools.sm_exceptions import PerfectSeparationError

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            w, b, converged = script(X if isinstance(X, np.ndarray) else X.toarray(), y)
        except PerfectSeparationError as error:
            return {"w": None, "claim": Claim.SEPARABLE, "message": str(error)}
        except np.linalg.LinAlgError as error:
            return {"w": None, "message": f"LinAlgError: {error}"}
    said = sorted({f"{warning.category.__name__}: {warning.message}" for warning in caught})
    is_told = any("PerfectSeparation" in text for text in said)
    claim = Claim.ESTIMATE_EXISTS if converged and not is_told else None
    message = "; ".join([f"converged={converged}", *said])
    finite = np.isfinite(w).all() and np.isfinite(b)
    return {"w": w if finite else None, "b": b, "claim": claim, "message": message, "capped": not converged}
