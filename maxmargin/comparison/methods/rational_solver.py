"""z3, which decides separability in exact rational arithmetic, with a time limit."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from maxmargin.comparison.methods import peer_scripts as scripts
from maxmargin.comparison.methods.method import Answer, Claim, Method, Question

_CLAIMS = {"sat": Claim.SEPARABLE, "unsat": Claim.NOT_SEPARABLE}


def methods() -> Iterator[Method]:
    """Yield the method."""
    yield Method(
        name="z3",
        fit=fit,
        question=Question.SEPARATION,
        summary="z3, linear real arithmetic on the exact numbers",
        needs=("z3",),
        packages=("z3-solver",),
        script=scripts.z3_rationals,
    )


def fit(X: Any, y: Any, *, seed: int, time_limit: float | None) -> Answer:
    """Ask z3; "unknown" is no claim."""
    w, b, answer = scripts.z3_rationals(X if isinstance(X, np.ndarray) else X.toarray(), y, seconds=time_limit)
    return {"w": w, "b": 0.0 if b is None else b, "claim": _CLAIMS.get(answer), "message": answer,
            "capped": answer == "unknown"}  # fmt: skip
