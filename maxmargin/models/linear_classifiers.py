"""Linear classifiers of scikit-learn, and pipelines that end in one, with the X and y to which they were fitted."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from maxmargin.api.question import parts_of, whole_data
from maxmargin.data.dataset import REST
from maxmargin.data.reading.arrays import Features, check_row_names, features_of, from_arrays, index_of_rows
from maxmargin.data.reading.formulas import column_names
from maxmargin.models.coefficients import Coefficients
from maxmargin.models.fitted_results import name_of
from maxmargin.models.pipelines import last_step
from maxmargin.models.reading import LabelledRows, ModelReading, UnansweredError, all_different
from maxmargin.solvers.answers.answer_text import INTERCEPT
from maxmargin.solvers.basics.array_types import Rows
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.data_error import listed

_EXPECTED = (
    "expected a model of statsmodels or pyfixest, or a fitted linear classifier, pipeline or search of scikit-learn"
)

_LOGISTIC = "logistic regression"

_KINDS = {
    **dict.fromkeys(("LogisticRegression", "LogisticRegressionCV"), _LOGISTIC),
    **dict.fromkeys(("LinearSVC", "SVC", "NuSVC", "MaxMarginClassifier"), "support vector machine"),
    **dict.fromkeys(("RidgeClassifier", "RidgeClassifierCV"), "least squares of signs"),
    **dict.fromkeys(("Perceptron", "PerceptronClassifier"), "perceptron"),
}


def reading_of_classifier(model: Any, X: Any, y: Any) -> ModelReading:
    """Return the question of a classifier: hyperplanes in the columns that its last step is given, with its intercept.

    Raises
    ------
    InvalidOptionError
        If it is no fitted linear classifier, or X and y are not given or are not those of such a model.
    InvalidProblemError
        If X does not hold finite numbers.
    """
    X, y, label, names, row_names = _rows_and_labels(X, y)
    check_row_names(X=X, y=y)
    last, X, names, made_by = last_step(model, X, y, names)
    read = _coefficients(last)
    if X is None or y is None:
        raise InvalidOptionError(f"a {type(last).__name__} does not keep its data; expected the X and y of its fit")
    weights = getattr(last, "class_weight", None)
    if isinstance(weights, Mapping) and not all(weights.values()):
        raise UnansweredError("class_weight has a weight of 0, which leaves a class out")
    features = _in_order(read, X, names)
    if read.rows.shape[1] != features.X.shape[1]:
        raise InvalidOptionError(
            f"model has {read.rows.shape[1]} coefficients and X has {features.X.shape[1]} columns; expected the X to "
            "which it was fitted"
        )
    classes, codes = _classes_and_codes(read, y, features.X.shape[0])
    n = len(classes)
    if len(read.rows) not in ((1, n) if n == 2 else (n * (n - 1) // 2,) if read.are_of_pairs else (n,)):
        raise InvalidOptionError(f"model has {len(read.rows)} rows of coefficients; expected those of {n} classes")
    kind, is_penalised = _kind(last)
    reading = ModelReading(
        model_name=name_of(last), kind=kind, event=_event(classes, is_joint=read.are_joint),
        questions=_questions(read, features.X, codes, classes), names=features.names, row_names=row_names, label=label,
        bias=read.has_intercept, class_names=classes if read.are_joint and len(classes) > 2 else None,
        claimed_converged=_claimed(last), has_likelihood=kind == _LOGISTIC, is_penalised=is_penalised, made_by=made_by,
        unpenalised=(),
    )  # fmt: skip
    return _with_estimates(reading, read, classes)


def _rows_and_labels(X: Any, y: Any) -> tuple[Any, Any, str, Any, Sequence[Any] | None]:
    """Return the rows as the model was given them, their labels, and the names of the labels, columns and rows."""
    whole = whole_data(X, y)
    if whole is not None:
        row_names = whole.row_ids
        if row_names is None and whole.rows is not None:
            row_names = whole.rows.tolist()
        return whole.X, np.asarray(whole.labels), whole.label_name, whole.feature_names, row_names
    if not isinstance(y, str):
        name = getattr(y, "name", None)
        return X, y, name if isinstance(name, str) else "y", None, index_of_rows(X, y)
    if "~" in y and y not in column_names(X):
        raise InvalidOptionError(f"y is the formula {y!r}, and model has columns of its own; expected its labels")
    parts = parts_of(X, y, bias=None)
    return parts.features, parts.labels, y, None, index_of_rows(X)


def _in_order(read: Coefficients, X: Any, names: Any) -> Features:
    """Return the columns of X in the order of the model's names, if both have names, and what they are called.

    Raises
    ------
    InvalidOptionError
        If they do not have the same names.
    """
    features, own = features_of(X, names), read.names
    columns = list(features.names)
    is_table = hasattr(X, "columns")
    are_names = is_table or (names is not None and columns != list(map(str, range(len(columns)))))
    if own is not None and are_names and len(own) == len(columns):
        if set(own) != set(columns):
            raise InvalidOptionError(
                f"model was fitted to the columns {listed(own)}, and X has {listed(columns)}; expected the same names"
            )
        features = features._replace(X=features.X[:, [columns.index(name) for name in own]])
    given = columns if is_table or names is not None else [f"x{position}" for position in range(len(columns))]
    return features._replace(names=all_different(own or given))


def _coefficients(model: Any) -> Coefficients:
    kernel, found = getattr(model, "kernel", "linear"), getattr(model, "coef_", None)
    if found is None or kernel != "linear" or getattr(model, "classes_", None) is None:
        what = f" with the kernel {kernel!r}" if kernel != "linear" else ""
        if hasattr(model, "fit") and not any(name.endswith("_") and not name.startswith("_") for name in vars(model)):
            raise InvalidOptionError(f"model is a {type(model).__name__} that is not fitted; expected a fitted one")
        lack = f"{type(model).__name__}{what}, which has no coef_ and classes_"
        raise InvalidOptionError(f"model is a {lack}; {_EXPECTED}")
    return Coefficients.of(model)


def _classes_and_codes(read: Coefficients, y: Any, n_rows: int) -> tuple[tuple[str, ...], Rows]:
    """Return the names of the model's classes, and the number of the class of every row."""
    labels = np.asarray(y)
    if labels.shape != (n_rows,):
        raise InvalidOptionError(f"y has shape {labels.shape}; expected one label for each of the {n_rows} rows of X")
    order = {label: code for code, label in enumerate(read.classes)}
    unknown = [label for label in labels.tolist() if label not in order]
    codes = np.array([order.get(label, 0) for label in labels.tolist()], dtype=np.int64)
    if unknown or len(np.unique(codes)) < len(order):
        found = sorted(set(labels.tolist()), key=str)
        raise InvalidOptionError(
            f"model has the classes {listed(read.classes)}, and y has {listed(found)}; "
            "expected the labels to which it was fitted"
        )
    return all_different(read.classes), codes


def _kind(model: Any) -> tuple[str, bool]:
    """Return the kind of a classifier, and whether it has a penalty."""
    package, name = name_of(model).split(" ")
    if package not in ("sklearn", "maxmargin"):  # a class of the same name may be anything
        return "linear classifier", False
    C, penalty = getattr(model, "C_", getattr(model, "C", None)), getattr(model, "penalty", "none given")
    if name == "Perceptron":
        return _KINDS[name], penalty is not None and model.alpha > 0
    if name == "SGDClassifier":
        kind = _LOGISTIC if model.loss == "log_loss" else f"stochastic gradient descent of the loss {model.loss!r}"
        return kind, penalty is not None and model.alpha > 0
    kind = _KINDS.get(name, "linear classifier")
    if kind == _LOGISTIC:
        return kind, penalty is not None and not np.isinf(np.asarray(C, dtype=np.float64)).all()
    if kind == _KINDS["SVC"]:
        return kind, name != "MaxMarginClassifier" or bool(np.inf > model.C)
    alpha = getattr(model, "alpha_", getattr(model, "alpha", 0))
    return kind, kind == _KINDS["RidgeClassifier"] and bool(np.any(alpha))


def _event(classes: tuple[str, ...], *, is_joint: bool) -> str:
    if len(classes) == 2:
        return f"the event is {classes[1]}, against {classes[0]}"
    contrasts = f", and coefficients are contrasts with {classes[0]}" if is_joint else ""
    return f"the classes are {', '.join(classes)}{contrasts}"


def _questions(read: Coefficients, X: Any, codes: Rows, classes: tuple[str, ...]) -> dict[str, LabelledRows]:
    """Return one question for two classes or for scores that are fitted at once, else one for each of its decisions."""
    everywhere = np.arange(len(codes))
    if len(classes) == 2 or read.are_joint:
        read.check_decide_at_zero(from_arrays(X, codes, positive=1))
        labels = np.where(codes == 1, 1, -1) if len(classes) == 2 else codes
        return {"": LabelledRows(rows=X, labels=labels, positions=everywhere, sides=(classes[1], classes[0]))}
    if not read.are_of_pairs:
        return {
            name: LabelledRows(rows=X, labels=np.where(codes == code, 1, -1), positions=everywhere, sides=(name, REST))
            for code, name in enumerate(classes)
        }
    questions = {}
    for first, second in combinations(range(len(classes)), 2):
        rows = np.flatnonzero((codes == first) | (codes == second))
        labels = np.where(codes[rows] == second, 1, -1)
        questions[f"{classes[second]} against {classes[first]}"] = LabelledRows(
            rows=X[rows], labels=labels, positions=rows, sides=(classes[second], classes[first])
        )
    return questions


def _claimed(model: Any) -> bool | None:
    """Return True if it stopped before its limit; at the limit it may have converged in the last iteration.

    No iteration at all is a failure, and so may be an end by validation or one pass of ``partial_fit``.
    """
    if getattr(model, "fit_status_", None) is not None:
        return bool(model.fit_status_ == 0)
    n_iter, limit = getattr(model, "n_iter_", None), getattr(model, "max_iter", None)
    if n_iter is None or limit is None:
        return None
    least = 2 if type(model).__name__ == "SGDClassifier" else 1
    is_by_validation = bool(getattr(model, "early_stopping", False))
    n_iter = np.asarray(n_iter)
    return True if not is_by_validation and ((n_iter >= least) & (n_iter < limit)).all() else None


def _with_estimates(reading: ModelReading, read: Coefficients, classes: tuple[str, ...]) -> ModelReading:
    """Return the reading with the coefficients by name; of scores fitted at once, contrasts to the first class."""
    if read.are_of_pairs:
        return reading
    rows = np.column_stack([read.rows, read.intercepts]) if reading.bias else read.rows
    names = [*reading.names, INTERCEPT] if reading.bias else list(reading.names)
    labels = [""] if len(rows) == 1 else [f"{name}: " for name in classes]
    if reading.class_names is not None:
        rows, labels = rows[1:] - rows[0], labels[1:]
    pairs = zip(labels, rows.tolist(), strict=True)
    estimates = {label + name: value for label, row in pairs for name, value in zip(names, row, strict=True)}
    return replace(reading, estimates=estimates)
