"""The linear classifiers of scikit-learn, with any parameters of theirs."""

import math
import warnings
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from maxmargin.comparison.methods.method import Answer, Claim, Method, Question
from maxmargin.comparison.methods.peer_scripts import sklearn_classifier

_COMMON = frozenset({"class_weight", "fit_intercept", "max_iter", "tol"})

_PARAMETERS: dict[str, tuple[Question, bool, frozenset[str]]] = {
    "Perceptron": (
        Question.ONLINE,
        True,
        _COMMON | {"alpha", "early_stopping", "eta0", "l1_ratio", "n_iter_no_change", "penalty", "shuffle",
                   "validation_fraction"},
    ),
    "SGDClassifier": (
        Question.ONLINE,
        True,
        _COMMON | {"alpha", "average", "early_stopping", "epsilon", "eta0", "l1_ratio", "learning_rate", "loss",
                   "n_iter_no_change", "penalty", "power_t", "shuffle", "validation_fraction"},
    ),
    "LinearSVC": (
        Question.SOFT_MARGIN, True, _COMMON | {"C", "dual", "intercept_scaling", "loss", "penalty"}
    ),
    "SVC": (Question.SOFT_MARGIN, False, _COMMON - {"fit_intercept"} | {"C", "cache_size", "shrinking"}),
    "LogisticRegression": (
        Question.LOGISTIC, True, _COMMON | {"C", "dual", "intercept_scaling", "l1_ratio", "penalty", "solver"}
    ),
}  # fmt: skip
"""For every classifier its question, whether its seed matters, and its parameters."""


def methods() -> Iterator[Method]:
    """Yield the classifiers."""
    for name, (question, is_random, parameters) in _PARAMETERS.items():
        yield Method(
            name=f"sklearn.{name}",
            fit=partial(fit, name),
            question=question,
            summary=f"scikit-learn's {name}{', linear kernel' if name == 'SVC' else ''}",
            packages=("scikit-learn",),
            parameters=parameters,
            is_random=is_random,
            script=partial(sklearn_classifier, name=name, **({"kernel": "linear"} if name == "SVC" else {})),
        )


def fit(name: str, X: Any, y: Any, *, seed: int, time_limit: float | None, **params: Any) -> Answer:
    """Fit a classifier, and read its claim off its number of iterations and its warnings."""
    model, said = fitted(name, X, y, seed=seed, **params)
    capped = is_capped(model, said)
    answer: dict[str, Any] = {"w": _vector(model.coef_), "b": float(model.intercept_[0]), "capped": capped}
    n_iterations = int(max(_numbers(getattr(model, "n_iter_", 0))))
    message = "; ".join([f"n_iter_ = {n_iterations}", *said])
    return {**answer, "message": message, **_claims(name, model, params, is_capped=capped)}


def fitted(name: str, X: Any, y: Any, *, seed: int, **params: Any) -> tuple[Any, list[str]]:
    """Return the fitted classifier and the texts of its warnings."""
    kernel = {"kernel": "linear"} if name == "SVC" else {}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model = sklearn_classifier(X, y, name, **kernel, random_state=seed, **params)
    return model, [" ".join(str(warning.message).split()) for warning in caught]


def is_capped(model: Any, said: list[str]) -> bool:
    """Return whether a classifier stopped at its limit of iterations."""
    limit = getattr(model, "max_iter", -1)
    reached = limit > 0 and max(_numbers(getattr(model, "n_iter_", 0))) >= limit
    return bool(reached or any("max_iter" in text or "converge" in text.lower() for text in said))


def _claims(name: str, model: Any, params: Mapping[str, Any], *, is_capped: bool) -> dict[str, Any]:
    """Return the claim of a fitted classifier, and the objective that it is about.

    Perceptron claims nothing: it stops when the loss no longer falls, and its ``t_`` counts rows, not mistakes.
    """
    if name == "SVC":
        claim = Claim.OPTIMAL if model.fit_status_ == 0 and not is_capped else None
        return {"claim": claim, "objective": {"C": float(params.get("C", 1.0)), "intercept": "free"}}
    if name == "LinearSVC" and params.get("loss") == "hinge" and params.get("penalty", "l2") == "l2":
        has_intercept = params.get("fit_intercept", True)
        scale = float(params.get("intercept_scaling", 1.0)) if has_intercept else "none"
        objective = {"C": float(params.get("C", 1.0)), "intercept": scale}
        return {"claim": None if is_capped else Claim.OPTIMAL, "objective": objective}
    if name == "LogisticRegression":
        is_unpenalised = math.isinf(params.get("C", 1.0)) or params.get("penalty", "") is None
        return {"claim": Claim.ESTIMATE_EXISTS if is_unpenalised and not is_capped else None}
    return {"claim": None}


def _vector(coefficients: Any) -> Any:
    dense = coefficients.toarray() if hasattr(coefficients, "toarray") else coefficients
    return dense.ravel()


def _numbers(value: Any) -> list[float]:
    return [float(number) for number in (value if hasattr(value, "__len__") else [value])]
