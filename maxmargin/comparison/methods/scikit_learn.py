"""The linear classifiers of scikit-learn, with any parameters of theirs."""

import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np

from maxmargin.comparison.methods.method import Answer, Claim, Method, QuestionKind
from maxmargin.comparison.methods.peer_scripts import sklearn_classifier
from maxmargin.comparison.methods.recorded_warnings import with_warnings

_COMMON = frozenset({"class_weight", "fit_intercept", "max_iter", "tol"})

# For every classifier its question, whether its seed matters, and its parameters.
_PARAMETERS: dict[str, tuple[QuestionKind, bool, frozenset[str]]] = {
    "Perceptron": (
        QuestionKind.ONLINE, True,
        _COMMON | {"alpha", "early_stopping", "eta0", "l1_ratio", "n_iter_no_change", "penalty", "shuffle",
                   "validation_fraction"},
    ),
    "SGDClassifier": (
        QuestionKind.ONLINE, True,
        _COMMON | {"alpha", "average", "early_stopping", "epsilon", "eta0", "l1_ratio", "learning_rate", "loss",
                   "n_iter_no_change", "penalty", "power_t", "shuffle", "validation_fraction"},
    ),
    "LinearSVC": (
        QuestionKind.SOFT_MARGIN, True, _COMMON | {"C", "dual", "intercept_scaling", "loss", "penalty"}
    ),
    "SVC": (QuestionKind.SOFT_MARGIN, False, _COMMON - {"fit_intercept"} | {"C", "cache_size", "shrinking"}),
    "LogisticRegression": (
        QuestionKind.LOGISTIC, True, _COMMON | {"C", "dual", "intercept_scaling", "l1_ratio", "penalty", "solver"}
    ),
}  # fmt: skip


# Whether a fit with these parameters draws rows or coordinates, where this depends on them.
_DRAWS: dict[str, Callable[[Mapping[str, Any]], bool]] = {
    "LogisticRegression": lambda params: params.get("solver") in ("liblinear", "sag", "saga")
}

_CLAIMS = {
    "SVC": "optimal where fit_status_ is 0; true if its dual or its objective is so up to the study's tolerance",
    "LinearSVC": "optimal, of the hinge loss, where it needed fewer than max_iter iterations",
    "LogisticRegression": "estimate exists where it is unpenalised and needed fewer than max_iter iterations",
}


def methods() -> Iterator[Method]:
    """Yield the classifiers."""
    for name, (question, is_random, parameters) in _PARAMETERS.items():
        script: partial[Any] = partial(sklearn_classifier, name=name, **({"kernel": "linear"} if name == "SVC" else {}))
        yield Method(
            name=f"sklearn.{name}", fit=partial(fit, name, script), question=question, is_random=is_random,
            summary=f"scikit-learn's {name}{', linear kernel' if name == 'SVC' else ''}", packages=("scikit-learn",),
            parameters=parameters, random_if=_DRAWS.get(name), script=script,
            needs=("sklearn.svm" if name.endswith("SVC") else "sklearn.linear_model",),
            claims=_CLAIMS.get(name, "nothing"),
        )  # fmt: skip


def fit(
    name: str, script: Callable[..., Any], X: Any, y: Any, *, seed: int, time_limit: float | None, **params: Any
) -> Answer:
    """Fit a classifier, and read its claim off its number of iterations and its warnings."""
    model, said = with_warnings(script, X, y, random_state=seed, **params)
    n_iterations, limit = int(np.max(model.n_iter_)), float(model.max_iter) if model.max_iter > 0 else math.inf
    has_converged = n_iterations < limit and not any(text.startswith("ConvergenceWarning") for text in said)
    relation = f"< {limit:,.0f}" if n_iterations < limit else f"reaches the limit {limit:,.0f}"
    relation = relation if math.isfinite(limit) else "without a limit"
    w = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
    claims = _claims(name, model, w, params, has_converged=has_converged)
    note = claims.pop("note", None)
    message = "; ".join([f"n_iter_ = {n_iterations:,} {relation}", *([note] if note else []), *said])
    return {"w": w.ravel(), "b": float(np.ravel(model.intercept_)[0]), "capped": n_iterations >= limit,
            "message": message, **claims}  # fmt: skip


def _claims(name: str, model: Any, w: Any, params: Mapping[str, Any], *, has_converged: bool) -> dict[str, Any]:
    """Return the claim of a fitted classifier, the objective that it is about, and a note if it claims nothing.

    Perceptron claims nothing: it stops when the loss no longer falls, and its ``t_`` counts rows, not mistakes. Nor
    does SGDClassifier, which stops likewise. SVC claims an optimum where ``fit_status_`` is 0, "correctly fitted".
    """
    if name == "LogisticRegression":
        is_unpenalised = math.isinf(params.get("C", 1.0)) or params.get("penalty", "") is None
        if is_unpenalised and not (model.fit_intercept and params.get("class_weight") in (None, "balanced")):
            return {"claim": None, "note": "nothing is claimed of the regression with an intercept and all rows"}
        return {"claim": Claim.ESTIMATE_EXISTS if is_unpenalised and has_converged else None}
    if name not in ("SVC", "LinearSVC"):
        return {"claim": None}
    if params.get("class_weight") is not None:
        return {"claim": None, "note": "the classes have weights, so no soft margin with one C is claimed"}
    C = float(params.get("C", 1.0))
    if name == "SVC":
        is_fitted = model.fit_status_ == 0 and has_converged
        # LIBSVM minimises the dual, whose stopping rule leaves more room in the objective of the hyperplane
        dual = np.abs(model.dual_coef_).sum() - np.square(w).sum() / 2
        objective = {"C": C, "intercept": "free", "dual": float(dual)}
        return {"claim": Claim.OPTIMAL if is_fitted else None, "objective": objective,
                "note": f"fit_status_ = {model.fit_status_}"}  # fmt: skip
    if model.loss != "hinge" or model.penalty != "l2":
        return {"claim": None, "note": f"no soft margin is claimed: loss {model.loss}, penalty {model.penalty}"}
    scale = float(model.intercept_scaling) if model.fit_intercept else "none"
    return {"claim": Claim.OPTIMAL if has_converged else None, "objective": {"C": C, "intercept": scale}}
