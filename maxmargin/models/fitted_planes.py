"""Hyperplanes that a caller gives: as numbers, by the names of the columns, or as a fitted linear model."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from maxmargin.data.dataset import Dataset, problem_of
from maxmargin.data.labels import Label, LabelError, choose_positive
from maxmargin.models.coefficients import Coefficients, real_number, real_numbers
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.data_error import listed

# Largest linear predictor, in modulus, at which a response of 1/2 counts as one at 0.
_HALF = 1e-9


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class GivenPlane:
    """A hyperplane w.x + b = 0 of floats, with the class +1 on the side where w.x + b > 0.

    Attributes
    ----------
    w : ndarray (n_features,)
        Finite, not 0.
    b : float
        Finite.
    bias : bool
        Whether it is one of the hyperplanes with a bias; otherwise one of those through the origin, and b = 0.
    """

    w: Floats
    b: float = 0.0
    bias: bool

    def __post_init__(self) -> None:
        if not self.w.any():
            raise InvalidOptionError("w is 0 in every entry: it has no geometric margin; expected an entry that is not")

    def turned(self, sign: int) -> "GivenPlane":
        """Return the hyperplane with its sides exchanged if the sign is -1."""
        return self if sign > 0 else replace(self, w=0.0 - self.w, b=0.0 - self.b)

    def of_kind(self, bias: bool | None) -> "GivenPlane":
        """Return the hyperplane as one with a bias, or as one through the origin; None keeps its kind.

        Raises
        ------
        InvalidOptionError
            If it is to be one through the origin, and b is not 0.
        """
        if bias not in (None, True, False):
            raise InvalidOptionError(f"bias is {bias!r}; expected True, False or None")
        if bias is not None and not bias and self.b != 0:
            raise InvalidOptionError(f"b is {self.b!r} and bias is False; expected b = 0, as it is through the origin")
        return self if bias is None else replace(self, bias=bool(bias))


def plane_of_numbers(w: Any, b: Any, names: Sequence[str]) -> GivenPlane:
    """Return the hyperplane with these numbers; it is one through the origin if b is 0.

    Parameters
    ----------
    w : array_like of shape (n_features,), or mapping or series of numbers by the name of the column
    b : float
    names : sequence of str
        The names of the columns; a series is read by position where they are only numbers.

    Raises
    ------
    InvalidOptionError
        If these are not finite binary64 numbers, one for every column, or w is 0.
    """
    weights = _named_entries(w)
    if weights is not None and (isinstance(w, Mapping) or _are_names(names)):
        vector = _by_name(weights, names, "w")
    else:
        vector = real_numbers(w, "w")
        _check_length(vector, len(names), "w")
    offset = real_number(b, "b")
    return GivenPlane(w=vector, b=offset, bias=offset != 0)


def plane_of_model(model: Any, dataset: Dataset) -> GivenPlane:
    """Return the decision boundary of a fitted linear model, with its own coding of the classes.

    Parameters
    ----------
    model : object
        With `coef_` and `intercept_`, as in scikit-learn, or with `params`, as the results of statsmodels, or a series
        of parameters by name.
    dataset : Dataset
        Two classes.

    Raises
    ------
    InvalidOptionError
        If the model has no single hyperplane, its columns are not the ones of the data, or its classes do not say which
        side is +1.
    """
    if getattr(model, "coef_", None) is not None:
        return _of_coefficients(Coefficients.of(model), dataset)
    if hasattr(model, "params") or _named_entries(model) is not None:
        return _of_parameters(model, dataset)
    raise InvalidOptionError(
        f"model is a {type(model).__name__} without coef_ and without params; expected a fitted linear model (of a "
        "pipeline its last step, with the X that this step is given; of a search its best_estimator_)"
    )


def choose_class(classes: Sequence[Label], wanted: Any) -> Label | None:
    """Return the class that a label of a model names; None if there is none.

    Examples
    --------
    >>> choose_class((0, 1), np.int64(1)), choose_class(("no", "yes"), "maybe")
    (1, None)
    """
    try:
        return choose_positive(classes, wanted)
    except LabelError:
        return None


def sign_of_side(negative: Any, positive: Any, dataset: Dataset) -> int | None:
    """Return 1 if the positive side is the class +1 of the data, -1 if it is the class -1; None if neither is clear.

    Both labels have to be classes of the data, or the signs -1 and 1 where -1 is no class. For one of several classes
    against the rest, the other label need not be a class. None stands for the other class.
    """
    classes = [choose_class(dataset.classes, label) for label in (negative, positive)]
    codes: tuple[Any, Any] = choose_class((-1, 1), negative), choose_class((-1, 1), positive)
    if set(codes) == {-1, 1} and choose_class(dataset.classes, -1) is None:
        return 1 if codes == (-1, 1) else -1
    wanted = [dataset.negative, dataset.positive]
    if len(dataset.classes) > 2:
        wanted[0] = None
    if negative is None:
        return {dataset.positive: 1, dataset.negative: -1}.get(classes[1])
    return 1 if classes == wanted else -1 if classes == wanted[::-1] else None


# scikit-learn


def _of_coefficients(read: Coefficients, dataset: Dataset) -> GivenPlane:
    row, sign = _row_and_sign(read, dataset)
    w, b = read.rows[row], float(read.intercepts[row])
    if read.names is not None and _are_names(dataset.feature_names):
        w = _by_name(dict(zip(read.names, w.tolist(), strict=True)), dataset.feature_names, "model")
    _check_length(w, dataset.n_features, "coef_")
    plane = GivenPlane(w=w, b=b, bias=read.has_intercept or b != 0).turned(sign)
    read.check_decide_at_zero(dataset)
    return plane


def _row_and_sign(read: Coefficients, dataset: Dataset) -> tuple[int, int]:
    """Return which row of the coefficients is asked for, and 1 if its positive side is the class +1, else -1."""
    n_rows, classes = len(read.rows), read.classes
    if n_rows == 1 and not classes:
        return 0, 1
    if n_rows == 1 and len(classes) == 2:
        sign = sign_of_side(classes[0], classes[1], dataset)
        if sign is None:
            raise InvalidOptionError(
                f"model has the classes {listed(classes)}, and the data have {dataset.positive!r} as +1 and "
                f"{dataset.negative!r} as -1; expected a model fitted to these labels, or to the signs -1 and 1"
            )
        return 0, sign
    if len(classes) > 2 and read.are_joint:
        raise InvalidOptionError(
            f"model is a {type(read.model).__name__} that fits the scores of the classes {listed(classes)} at once: a "
            "row of coefficients is no hyperplane of one class against the rest; expected a model of two classes, such "
            f"as one fitted to y == {dataset.positive!r}"
        )
    is_one_against_rest = n_rows == len(classes) > 2 and not read.are_of_pairs
    found = [choose_class(dataset.classes, label) for label in classes]
    if is_one_against_rest and dataset.positive in found:
        return found.index(dataset.positive), 1
    kind = "one for each class against the rest" if is_one_against_rest else "and these are not one against the rest"
    raise InvalidOptionError(
        f"model has {n_rows} rows of coefficients for the classes {listed(classes)}, {kind}; expected one row, or one "
        "for each class and positive= to choose among them"
    )


# statsmodels


def _of_parameters(model: Any, dataset: Dataset) -> GivenPlane:
    fitted, params = getattr(model, "model", None), getattr(model, "params", model)
    named = _named_entries(params)
    values = real_numbers(list(params.values()) if isinstance(params, Mapping) else params, "params")
    names = [str(name) for name in (named or getattr(fitted, "exog_names", None) or ())]
    exog = np.asarray(getattr(fitted, "exog", None))
    has_columns = exog.ndim == 2 and exog.shape[1] == len(values)
    constant, b = _constant(values, names, exog if has_columns else None)
    rest = [position for position in range(len(values)) if position != constant]
    if named is not None and _are_names(dataset.feature_names):
        weights = {names[position]: float(values[position]) for position in rest}
        if constant is not None and names[constant] in dataset.feature_names:
            _check_is_one(dataset, dataset.feature_names.index(names[constant]))
            weights[names[constant]] = 0.0
        w = _by_name(weights, dataset.feature_names, "model")
    else:
        w = values[rest]
        if constant is not None and len(values) == dataset.n_features:
            _check_is_one(dataset, constant)
            w = np.insert(w, constant, 0.0)
        _check_length(w, dataset.n_features, f"model has {len(values)} parameters; params without the constant")
    plane = GivenPlane(w=w, b=b, bias=constant is not None).turned(_sign_of_response(fitted, dataset))
    _check_response_is_half_at_zero(fitted)
    return plane


def _constant(values: Floats, names: Sequence[str], exog: Floats | None) -> tuple[int | None, float]:
    """Return the position of the constant, None if there is none, and the offset: its parameter times its value."""
    named = [position for position, name in enumerate(names) if name in ("const", "Intercept")]
    found = named or ([] if exog is None else np.flatnonzero((exog == 1).all(axis=0)).tolist())
    if len(found) > 1:
        raise InvalidOptionError(f"model has {len(found)} constant columns; expected at most one")
    if not found:
        return None, 0.0
    (position,) = found
    factor = 1.0 if exog is None else float(exog[0, position])
    if factor == 0 or (exog is not None and not (exog[:, position] == factor).all()):
        found_column = f"model has a column {names[position]!r}"
        raise InvalidOptionError(f"{found_column} that is not constant, or 0; expected the constant")
    offset = Fraction(float(values[position])) * Fraction(factor)
    return position, real_number(offset, f"the parameter of the constant times {factor!r}")


def _check_is_one(dataset: Dataset, column: int) -> None:
    """Check that a column of the data is the constant 1, whose parameter is then the offset."""
    low, high = problem_of(dataset).column_bounds
    if not low[column] == high[column] == 1:
        name = dataset.feature_names[column]
        raise InvalidOptionError(f"X has the column {name!r} for the constant of the model; expected 1 in every row")


def _sign_of_response(fitted: Any, dataset: Dataset) -> int:
    """Return 1 if the response 1 of a model is the class +1, else -1: by its responses, or by labels 0 and 1."""
    endog = getattr(fitted, "endog", None)
    response = np.empty(0) if endog is None else np.asarray(endog)
    if response.shape == (dataset.n_samples,):
        for sign in (1, -1):
            if np.array_equal(response == 1, dataset.y * sign > 0):
                return sign
    for other in (0, -1):
        are_classes = all(choose_class(dataset.classes, label) is not None for label in (other, 1))
        if are_classes and (side := sign_of_side(other, 1, dataset)) is not None:
            return side
    raise InvalidOptionError(
        f"model does not say which of its sides is {dataset.positive!r}, the class +1; expected labels 0 and 1, or the "
        "labels to which the model was fitted"
    )


def _check_response_is_half_at_zero(fitted: Any) -> None:
    """Refuse a model of statsmodels with offsets, or whose response is not 1/2 where the linear predictor is 0."""
    kind, offset = type(fitted).__name__, getattr(fitted, "offset", None)
    if offset is not None and np.any(np.asarray(offset, dtype=float) != 0):
        raise InvalidOptionError(f"model is a {kind} with an offset for every row: it is no hyperplane in X")
    half = _predictor_of_half(fitted)
    if half is not None and not abs(half) <= _HALF:
        raise InvalidOptionError(
            f"model is a {kind} whose response is not 1/2 where params.x = 0; expected a logistic or probit model, or "
            "w and b"
        )


def _predictor_of_half(fitted: Any) -> float | None:
    """Return the linear predictor at which the response is half way: NaN for counts, None if it is not known."""
    kind, endog = type(fitted).__name__, getattr(fitted, "endog", None)
    link = getattr(getattr(fitted, "family", None), "link", None)
    if callable(link):
        linked: Any = link(np.array([0.5]))
        return float(np.ravel(linked)[0])
    if kind in ("OLS", "WLS", "GLS") and endog is not None:
        return float((np.min(endog) + np.max(endog)) / 2)
    return float("nan") if kind in ("Poisson", "NegativeBinomial", "GeneralizedPoisson") else None


# Numbers


def _named_entries(values: Any) -> dict[str, Any] | None:
    """Return the numbers of a mapping, or of a series with texts as its index; None for anything else."""
    if isinstance(values, Mapping):
        return {str(name): value for name, value in values.items()}
    index = getattr(values, "index", None)
    if index is None or callable(index) or not hasattr(values, "to_numpy") or getattr(values, "ndim", 0) != 1:
        return None
    names = list(index)
    if not all(isinstance(name, str) for name in names):
        return None
    if len(set(names)) < len(names):
        raise InvalidOptionError(f"the index {listed(names)} names a column twice; expected different names")
    return dict(zip(names, values.tolist(), strict=True))


def _are_names(names: Sequence[str]) -> bool:
    """Return whether the columns of the data have names, and not only numbers."""
    return tuple(names) != tuple(map(str, range(len(names))))


def _by_name(weights: Mapping[str, Any], names: Sequence[str], what: str) -> Floats:
    """Return the weights in the order of the columns."""
    missing = [name for name in names if name not in weights]
    unknown = [name for name in weights if name not in set(names)]
    if missing or unknown:
        parts = [f"has nothing for the columns {listed(missing)}"] if missing else []
        parts += [f"names the columns {listed(unknown)}, which X does not have"] if unknown else []
        raise InvalidOptionError(f"{what} {' and '.join(parts)}; expected a number for each of {listed(names)}")
    return np.array([real_number(weights[name], f"{what}[{name!r}]") for name in names])


def _check_length(w: Floats, n_features: int, name: str) -> None:
    if len(w) != n_features:
        raise InvalidOptionError(f"{name} has {len(w)} entries; expected {n_features}, one for every column of X")
