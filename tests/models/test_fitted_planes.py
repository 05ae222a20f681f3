"""Hyperplanes of fitted models and of numbers by name: the model's own coding of the classes decides the sides."""

import math
import warnings
from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from cases import for_each
from scipy.sparse import csr_matrix
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV, Perceptron, RidgeClassifier, SGDClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC, LinearSVC

import maxmargin as mm
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError

NAMES = ["petal", "sepal", "height"]


# Texts as labels, of which "case" is the affirmative one and comes first in sorted order.
rng = np.random.default_rng(0)
ROWS = rng.normal(size=(60, 3))
LABELS = np.where(ROWS[:, 0] - 0.5 * ROWS[:, 1] + 0.3 * rng.normal(size=60) > 0.2, "case", "control")
IS_CASE = (LABELS == "case").astype(int)
FRAME = pd.DataFrame(ROWS, columns=NAMES)


MODELS = {
    "logistic": LogisticRegression(), "logistic without intercept": LogisticRegression(fit_intercept=False),
    "linear svc": LinearSVC(), "perceptron": Perceptron(), "svc": SVC(kernel="linear"), "ridge": RidgeClassifier(),
    "sgd": SGDClassifier(random_state=0), "lda": LinearDiscriminantAnalysis(),
}  # fmt: skip


@for_each("positive", [None, "case", "control"])
@for_each("name", MODELS)
def test_the_errors_of_a_model_are_the_rows_that_it_predicts_wrongly(name: str, positive: str | None) -> None:
    model = MODELS[name].fit(ROWS, LABELS)
    judged = mm.judge(ROWS, LABELS, model=model, positive=positive)
    assert judged.positive == (positive or "case")
    assert judged.error_rows.tolist() == np.flatnonzero(model.predict(ROWS) != LABELS).tolist()
    assert judged.bias is (name != "logistic without intercept")
    sign = 1 if judged.positive == model.classes_[1] else -1
    assert np.array_equal(judged.w, sign * np.ravel(model.coef_))


@pytest.mark.parametrize("labels", [(0, 1), (1, 0), (-1, 1), (False, True), ("a", "b"), (5, 3)])
def test_labels_of_any_kind(labels: tuple[Any, Any]) -> None:
    y = np.where(IS_CASE, *labels)
    model = LogisticRegression().fit(ROWS, y)
    for positive in (None, *labels):
        judged = mm.judge(ROWS, y, model=model, positive=positive)
        assert judged.error_rows.tolist() == np.flatnonzero(model.predict(ROWS) != y).tolist()


def test_a_model_of_signs_speaks_of_the_positive_class() -> None:
    iris = mm.load("iris", positive="versicolor")
    model = LinearSVC().fit(iris.X, iris.y)
    judged = mm.judge(iris, model=model)
    assert judged.error_rows.tolist() == np.flatnonzero(model.predict(iris.X) != iris.y).tolist()


def fit(model: Any, X: Any, y: Any) -> Any:
    """Fit a model, without the warnings of scikit-learn about parameters that will change."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return model.fit(X, y)


# Three classes in a row, of which the middle one is on no side of a hyperplane.
KINDS = np.repeat(["a", "b", "c"], 20)
BLOBS = np.random.default_rng(3).normal(size=(60, 2)) + np.repeat([[-2.0, 0.0], [0.0, 0.5], [2.0, 0.0]], 20, axis=0)


def test_a_row_of_several_classes_is_chosen_by_the_positive_class() -> None:
    iris = mm.load("iris")
    X, labels = np.asarray(iris.X), np.asarray(iris.labels)
    model = LinearSVC().fit(X, labels)
    for position, name in enumerate(iris.classes):
        judged = mm.judge(X, labels, model=model, positive=name)
        scores = model.decision_function(X)[:, position]
        assert judged.error_rows.tolist() == np.flatnonzero((scores > 0) != (labels == name)).tolist()
    with pytest.raises(mm.InvalidProblemError, match="positive="):
        mm.judge(X, labels, model=model)
    pairs = SVC(kernel="linear").fit(X, labels)
    with pytest.raises(InvalidOptionError, match=r"3 rows of coefficients .* not one against the rest"):
        mm.judge(X, labels, model=pairs, positive="setosa")


AT_ONCE = (LogisticRegression(C=100), LogisticRegressionCV(Cs=[1.0]), LinearDiscriminantAnalysis())


@pytest.mark.parametrize("model", [*AT_ONCE, LinearSVC(multi_class="crammer_singer")], ids=repr)
def test_a_row_of_scores_that_are_fitted_at_once_is_no_hyperplane_of_its_class(model: Any) -> None:
    fit(model, BLOBS, KINDS)
    with pytest.raises(InvalidOptionError, match=r"fits the scores of the classes 'a', 'b', 'c' at once: .* y == 'b'"):
        mm.judge(BLOBS, KINDS, model=model, positive="b")
    two = fit(model, BLOBS, KINDS == "b")  # of two classes there is one row, and it is the hyperplane
    judged = mm.judge(BLOBS, KINDS == "b", model=two)
    assert judged.error_rows.tolist() == np.flatnonzero(two.predict(BLOBS) != (KINDS == "b")).tolist()


def test_scores_that_are_fitted_one_by_one_are_hyperplanes() -> None:
    models = [SGDClassifier(loss="log_loss", random_state=0), RidgeClassifier(), LinearSVC()]
    if "multi_class" in LogisticRegression().get_params():
        models.append(LogisticRegression(multi_class="ovr"))
    for model in models:
        fit(model, BLOBS, KINDS)
        judged = mm.judge(BLOBS, KINDS, model=model, positive="b")
        wrong = (model.decision_function(BLOBS)[:, 1] > 0) != (KINDS == "b")
        assert judged.error_rows.tolist() == np.flatnonzero(wrong).tolist()


def test_sparse_coefficients_and_plain_attributes() -> None:
    model = SVC(kernel="linear").fit(csr_matrix(ROWS), LABELS)
    judged = mm.judge(ROWS, LABELS, model=model)
    assert judged.error_rows.tolist() == np.flatnonzero(model.predict(csr_matrix(ROWS)) != LABELS).tolist()
    plain = SimpleNamespace(coef_=[1.0, -0.5, 0.0], intercept_=-0.25)
    expected = mm.judge(ROWS, LABELS, [1.0, -0.5, 0.0], -0.25)
    assert np.array_equal(mm.judge(ROWS, LABELS, model=plain).error_rows, expected.error_rows)


def test_columns_are_matched_by_name() -> None:
    model = LogisticRegression().fit(FRAME, LABELS)
    expected = mm.judge(FRAME, LABELS, model=model)
    turned = mm.judge(FRAME[NAMES[::-1]], LABELS, model=model)
    assert np.array_equal(turned.w, expected.w[::-1]) and np.array_equal(turned.error_rows, expected.error_rows)
    with pytest.raises(InvalidOptionError, match="'sepal', which X does not have"):
        mm.judge(FRAME.rename(columns={"sepal": "other"}), LABELS, model=model)
    assert np.array_equal(mm.judge(ROWS, LABELS, model=model).w, expected.w), "an array has no names"


def test_models_without_a_hyperplane_are_refused() -> None:
    fitted = [model.fit(ROWS, LABELS) for model in (make_pipeline(StandardScaler(), LinearSVC()), SVC())]
    for model in (*fitted, LogisticRegression(), "svc"):
        with pytest.raises(InvalidOptionError, match="expected a fitted linear model"):
            mm.judge(ROWS, LABELS, model=model)
    short = LogisticRegression().fit(ROWS[:, :2], LABELS)
    with pytest.raises(InvalidOptionError, match="coef_ has 2 entries; expected 3"):
        mm.judge(ROWS, LABELS, model=short)


@pytest.mark.slow
@for_each("has_names", [True, False])
@for_each("constant", ["const", "none", "in X"])
@for_each("positive", [None, 0, 1])
def test_results_of_statsmodels(constant: str, has_names: bool, positive: int | None) -> None:
    X, y = FRAME, pd.Series(IS_CASE)
    exog = X if constant == "none" else sm.add_constant(X)
    if not has_names:
        X, y, exog = X.to_numpy(), y.to_numpy(), exog.to_numpy()
    fitted = sm.Logit(y, exog).fit(disp=0)
    judged = mm.judge(exog if constant == "in X" else X, y, model=fitted, positive=positive)
    predicted = np.asarray(fitted.predict(exog)) > 0.5
    assert judged.error_rows.tolist() == np.flatnonzero(predicted != (np.asarray(y) == 1)).tolist()
    assert judged.bias is (constant != "none")
    if constant != "none":
        params = np.asarray(fitted.params)
        sign = -1 if positive == 0 else 1
        assert judged.b == sign * params[0] and np.array_equal(judged.w[-3:], sign * params[1:])
    if has_names:
        by_params = mm.judge(exog if constant == "in X" else X, y, model=fitted.params, positive=positive)
        assert np.array_equal(by_params.w, judged.w) and by_params.b == judged.b


def test_a_formula_names_its_intercept_and_its_response_names_the_class() -> None:
    frame = FRAME.assign(y=IS_CASE)
    fitted = smf.logit("y ~ height + petal + sepal", frame).fit(disp=0)
    expected = np.flatnonzero((fitted.predict(frame) > 0.5) != (frame["y"] == 1)).tolist()
    assert mm.judge(frame[NAMES], frame["y"], model=fitted).error_rows.tolist() == expected
    assert mm.judge(FRAME, LABELS, model=fitted).error_rows.tolist() == expected, "by the fitted response"
    with pytest.raises(InvalidOptionError, match=r"which of its sides is 'case', the class \+1"):
        mm.judge(FRAME, LABELS, model=fitted.params)
    with pytest.raises(InvalidOptionError, match="has nothing for the columns 'more'"):
        mm.judge(frame[NAMES].assign(more=1.5), frame["y"], model=fitted)
    with pytest.raises(InvalidOptionError, match="names the columns 'sepal', which X does not have"):
        mm.judge(frame[NAMES[::2]], frame["y"], model=fitted)


def test_a_column_of_the_constant_is_the_constant() -> None:
    fitted = sm.Logit(IS_CASE, sm.add_constant(ROWS)).fit(disp=0)
    with pytest.raises(InvalidOptionError, match="expected 1 in every row"):
        mm.judge(np.column_stack([ROWS[:, 0], ROWS]), IS_CASE, model=fitted)
    with pytest.raises(InvalidOptionError, match=r"4 parameters; params without the constant has 3 .* expected 2"):
        mm.judge(ROWS[:, :2], IS_CASE, model=fitted)


def test_the_constant_of_a_model_may_be_any_number_but_0() -> None:
    fitted = sm.Logit(IS_CASE, FRAME.assign(const=2.0)).fit(disp=0)
    judged = mm.judge(FRAME, IS_CASE, model=fitted)
    assert judged.b == 2 * fitted.params["const"]
    assert judged.error_rows.tolist() == np.flatnonzero((fitted.predict() > 0.5) != (IS_CASE == 1)).tolist()
    for constant in (0.0, ROWS[:, 0] ** 2):
        model = SimpleNamespace(exog=FRAME.assign(const=constant).to_numpy(), exog_names=[*NAMES, "const"])
        with pytest.raises(InvalidOptionError, match="'const' that is not constant, or 0"):
            mm.judge(FRAME, IS_CASE, model=SimpleNamespace(params=fitted.params, model=model))


@for_each("arguments, words", [
    ({}, "neither w nor model is given; expected one of them"),
    ({"w": [1.0, 2.0], "model": SimpleNamespace(coef_=[1.0, 1.0], intercept_=0.0)}, "both w and model are given"),
    ({"b": 1.0, "model": SimpleNamespace(coef_=[1.0, 1.0], intercept_=0.0)}, "b is 1.0 and model is given"),
    ({"w": [0.0, 0.0], "b": 1.0}, "w is 0 in every entry"),
    ({"w": [1.0, math.nan]}, r"w\[1\] is nan"),
    ({"w": [1.0, 1.0], "b": math.inf}, "b is inf"),
    ({"w": [Fraction(1, 3), 1]}, r"w\[0\] is Fraction\(1, 3\); expected a finite number that binary64 holds"),
    ({"w": [1, Decimal("0.1")]}, r"w\[1\] is Decimal\('0.1'\)"),
    ({"w": [2**53 + 1, 1]}, r"w\[0\] is 9007199254740993"),
    ({"w": [1.0, 1.0], "b": "1"}, "b is '1'"),
    ({"w": [1.0, 1.0], "b": [0.5, 0.5]}, "b is "),
    ({"w": [1.0]}, "w has 1 entries; expected 2"),
    ({"w": [[1.0, 1.0]]}, r"w has shape \(1, 2\)"),
    ({"w": 1.0}, r"w has shape \(\)"),
    ({"w": ["1", "2"]}, "w has dtype"),
    ({"w": [1.0, 1j]}, "w has dtype complex128"),
    ({"w": {"0": 1.0}}, "w has nothing for the columns '1'"),
    ({"w": {"0": 1.0, "1": 1.0, "2": 1.0}}, "names the columns '2', which X does not have"),
    ({"w": pd.Series([1.0, 2.0], index=["a", "a"])}, "names a column twice"),
    ({"model": SimpleNamespace(coef_=np.ones((2, 2)), intercept_=np.zeros(2))}, "2 rows of coefficients"),
    ({"model": SimpleNamespace(params=np.ones((2, 2)))}, "params has shape"),
    ({"model": SimpleNamespace(params=np.ones(3))}, "model has 3 parameters"),
])  # fmt: skip
def test_what_is_no_hyperplane_is_refused_in_a_sentence(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidOptionError, match=words) as error:
        mm.judge([[0.0, 1.0], [1.0, 2.0]], [0, 1], **arguments)
    assert "\n" not in str(error.value)


def test_exact_numbers_that_binary64_holds_are_taken() -> None:
    judged = mm.judge([[0.0, 1.0], [1.0, 2.0]], [0, 1], [Fraction(1, 2), Decimal("0.25")], 2)
    assert judged.w.tolist() == [0.5, 0.25] and judged.b == 2.0
    assert mm.judge([[0.0], [1.0]], [0, 1], np.array([1], dtype=np.float32), np.float32(-0.5)).separates


def test_a_data_set_has_its_labels() -> None:
    dataset = mm.load("agresti")
    with pytest.raises(InvalidProblemError, match="which has its own labels; leave out y"):
        mm.judge(dataset, dataset.y, [1.0], -50.0)
    with pytest.raises(InvalidProblemError, match="y is None"):
        mm.judge(dataset.X, None, [1.0], -50.0)
    flipped = mm.judge(dataset, w=[-1.0], b=50.0, positive=dataset.classes[0])
    assert flipped.separates and flipped.margin == 10 and flipped.positive == dataset.classes[0]


def test_labels_of_a_model_that_only_one_class_has_do_not_say_which_side_is_which() -> None:
    """Labels 0 and 1 of a model are no classes 1 and 2 of the data, though both have a 1."""
    X, y = np.array([[1.0], [2.0], [3.0], [4.0]]), np.array([1, 1, 2, 2])
    coded = LogisticRegression().fit(X, (y == 2).astype(int))
    with pytest.raises(InvalidOptionError, match=r"model has the classes 0, 1, and the data have 2 as \+1"):
        mm.judge(X, y, model=coded)
    assert not mm.judge(X, y, model=LogisticRegression().fit(X, y)).error_rows.size
    assert not mm.judge(X, y, model=LogisticRegression().fit(X, np.where(y == 2, 1, -1))).error_rows.size


def test_the_responses_of_a_model_say_which_side_is_which() -> None:
    X, y = np.array([[1.0], [2.0], [3.0], [2.5], [4.0], [5.0], [6.0]]), np.array([1, 1, 1, 2, 2, 1, 2])
    fitted = sm.Logit((y == 2).astype(int), sm.add_constant(X)).fit(disp=0)
    expected = np.flatnonzero((fitted.predict() > 0.5) != (y == 2)).tolist()
    assert mm.judge(X, y, model=fitted).error_rows.tolist() == expected
    with pytest.raises(InvalidOptionError, match="which of its sides"):
        mm.judge(X, y, model=pd.Series({"const": -1.0, "0": 1.0}))


def test_models_that_decide_elsewhere_are_refused() -> None:
    from sklearn.cross_decomposition import PLSRegression
    from sklearn.linear_model import Ridge

    X, signs = np.array([[10.0, 1.0], [11.0, 2.0], [12.0, 1.0], [13.0, 2.0]]), np.array([-1, -1, 1, 1])
    with pytest.raises(InvalidOptionError, match="scores are not coef_"):
        mm.judge(X, signs, model=PLSRegression(1).fit(X, signs))
    with pytest.raises(InvalidOptionError, match="a regression"):
        mm.judge(X, signs > 0, model=Ridge().fit(X, signs > 0))
    expected = np.flatnonzero(np.sign(Ridge().fit(X, signs).predict(X)) != signs).tolist()
    assert mm.judge(X, signs, model=Ridge().fit(X, signs)).error_rows.tolist() == expected


CONSTANT, FAMILIES = sm.add_constant(ROWS), sm.families
OTHER_RESPONSES = {
    "offset": lambda: sm.GLM(IS_CASE, CONSTANT, family=FAMILIES.Binomial(), offset=ROWS[:, 0]).fit(),
    "cloglog": lambda: sm.GLM(IS_CASE, CONSTANT, family=FAMILIES.Binomial(FAMILIES.links.CLogLog())).fit(),
    "poisson": lambda: sm.Poisson(IS_CASE, CONSTANT).fit(disp=0),
    "ols": lambda: sm.OLS(IS_CASE, CONSTANT).fit(),
}


@pytest.mark.parametrize("kind", OTHER_RESPONSES)
def test_results_whose_response_is_not_half_at_zero_are_refused(kind: str) -> None:
    with pytest.raises(InvalidOptionError, match=r"offset|1/2"):
        mm.judge(ROWS, IS_CASE, model=OTHER_RESPONSES[kind]())


@pytest.mark.parametrize("bias", [2.5, "no", np.array([1, 0])])
def test_what_is_no_truth_value_is_no_bias(bias: Any) -> None:
    for call in (mm.hard_margin, mm.separability, mm.soft_margin, mm.perceptron):
        with pytest.raises((InvalidOptionError, ValueError)):
            call([[1.0], [2.0]], [0, 1], bias=bias)
    with pytest.raises((InvalidOptionError, ValueError)):
        mm.judge([[1.0], [2.0]], [0, 1], [1.0], -1.5, bias=bias)
