"""Classifiers of scikit-learn: their own coding and columns, penalties, and what is refused."""

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from commands import python
from scipy.sparse import csr_matrix
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.compose import make_column_transformer
from sklearn.decomposition import PCA
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import (
    LinearRegression,
    LogisticRegression,
    LogisticRegressionCV,
    Perceptron,
    RidgeClassifier,
    SGDClassifier,
)
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler
from sklearn.svm import SVC, LinearSVC
from sklearn.tree import DecisionTreeClassifier

import maxmargin as mm
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError

X = np.array([[0.0, 1.0], [0.0, 2.0], [0.0, 3.0], [1.0, 2.0], [1.0, 1.0], [0.0, 4.0]])
# With an intercept: all rows with a first column of 1 are "yes", unless the rows overlap.
SEPARABLE = np.array(["no", "no", "no", "yes", "yes", "no"])
QUASI = np.array(["no", "yes", "no", "yes", "yes", "yes"])
OVERLAP = np.array(["no", "yes", "no", "yes", "no", "yes"])
LABELS = {"separable": SEPARABLE, "quasi-separable": QUASI, "overlap": OVERLAP}

IRIS = mm.load("iris")
THREE = np.array(["a", "b", "c", "b", "a", "c"])

LINEAR: dict[str, Any] = {
    "logistic": LogisticRegression(C=np.inf), "ridge logistic": LogisticRegression(),
    "without intercept": LogisticRegression(fit_intercept=False),
    "lasso logistic": LogisticRegression(solver="liblinear", l1_ratio=1),
    "stochastic logistic": SGDClassifier(loss="log_loss", random_state=0),
    "stochastic hinge": SGDClassifier(random_state=0), "linear svc": LinearSVC(), "svc": SVC(kernel="linear"),
    "ridge": RidgeClassifier(), "perceptron": Perceptron(), "discriminant": LinearDiscriminantAnalysis(),
}  # fmt: skip
FAST = ("logistic", "ridge logistic", "linear svc")
PENALISED = LINEAR.keys() - {"logistic", "perceptron", "discriminant"}
LOGISTIC = {"logistic", "ridge logistic", "without intercept", "lasso logistic", "stochastic logistic"}


def unpenalised(**options: Any) -> LogisticRegression:
    return LogisticRegression(C=np.inf, **options)


def checked(model: Any, X: Any, y: Any, **options: Any) -> mm.ModelCheck:
    """Fit a model, and check it on the same data."""
    return mm.check_model(model.fit(X, y), X, y, **options)


def verified(check: mm.ModelCheck) -> mm.ModelCheck:
    """Return the check after each of its certificates was verified for the rows that it names."""
    assert check.answers
    for part, answer in check.answers.items():
        asked = check.questions[part]
        assert mm.verify(answer.certificate, asked.rows, asked.labels)
    return check


@pytest.mark.parametrize("verdict", LABELS)
@pytest.mark.parametrize("name", [pytest.param(n, marks=() if n in FAST else pytest.mark.slow) for n in LINEAR])
def test_every_linear_classifier(name: str, verdict: str) -> None:
    y, model = LABELS[verdict], LINEAR[name]
    check = verified(checked(model, X, y))
    expected = mm.separability(X, y, positive="yes", bias=name != "without intercept")
    assert check.verdict == expected.verdict
    assert name == "without intercept" or check.verdict == verdict
    names = {"(Intercept)": "(Intercept)", 0: "x0", 1: "x1"}
    assert check.infinite == {names[column]: sign for column, sign in (expected.infinite_columns or {}).items()}
    assert check.is_penalised == (name in PENALISED) and check.has_likelihood == (name in LOGISTIC)
    assert check.event == "the event is yes, against no"
    printed = dict(zip(["x0", "x1", "(Intercept)"], [*np.ravel(model.coef_), *np.ravel(model.intercept_)], strict=True))
    assert check.estimates == {key: value for key, value in printed.items() if expected.bias or key[0] == "x"}
    if check.claimed_converged and check.has_likelihood:
        assert check.converged_is_true is (True if check.is_penalised else verdict == "overlap")


def test_converged_without_a_warning_on_quasi_separated_data() -> None:
    model = unpenalised()
    check = checked(model, X, QUASI)  # a warning would be an error
    assert (check.claimed_converged, check.converged_is_true) == (True, False)
    assert check.infinite == {"x0": "+"} and check.finite == ("(Intercept)", "x1")
    text = check.summary()
    assert "the maximum-likelihood estimate does not exist (quasi-separable, proven)" in text
    assert "it stopped before its limit of iterations, as if it had converged: this is false" in text
    assert f"x0: +infinity (printed {model.coef_[0, 0]:.6g})" in text
    assert "rows of the data that are separated (from 0): 3, 4\n" in text
    assert text.index("infinite coefficients") < text.index("what next: penalise") < text.index("proof on 6 rows")


@pytest.mark.parametrize("is_pipeline", [False, True])
def test_rows_are_called_as_in_the_data(is_pipeline: bool) -> None:
    frame = pd.DataFrame(X, columns=["a", "b"], index=[f"P{row}" for row in range(len(X))])
    y = pd.Series(QUASI, index=frame.index)
    model = make_pipeline(*[StandardScaler()] * is_pipeline, unpenalised()).fit(frame, y)
    assert "rows of the data that are separated: P3, P4\n" in mm.check_model(model, frame, y).summary()
    if not is_pipeline:
        assert "separated: P3, P4\n" in mm.check_model(model, mm.from_arrays(frame, y)).summary()
    with pytest.raises(InvalidProblemError, match="the index of y is not that of X"):
        mm.check_model(model, frame, y[::-1])


def test_at_its_limit_of_iterations_a_model_does_not_say_whether_it_converged() -> None:
    with pytest.warns(match="failed to converge"):
        check = checked(unpenalised(max_iter=2), X, OVERLAP)
    assert (check.claimed_converged, check.converged_is_true) == (None, None)
    assert "it does not say whether it converged" in check.summary()


def test_a_penalty_is_said_to_be_why_coefficients_are_finite() -> None:
    check = checked(LogisticRegression(), X, SEPARABLE)
    assert check.converged_is_true is True and check.is_penalised
    assert "the unpenalised maximum-likelihood estimate does not exist (separable, proven)" in check.summary()
    assert "finite because of the penalty" in check.summary()


@pytest.mark.parametrize("labels", [(0, 1), (False, True), (5, 3), ("yes", "no")])
def test_the_event_is_the_second_of_the_models_classes(labels: tuple[Any, Any]) -> None:
    model = unpenalised()
    check = verified(checked(model, X, np.where(QUASI == "yes", *labels)))
    assert check.event == f"the event is {model.classes_[1]}, against {model.classes_[0]}"
    assert check.infinite == {"x0": "+" if model.classes_[1] == labels[0] else "-"}
    assert np.sign(model.coef_[0, 0]) == (1 if check.infinite["x0"] == "+" else -1)


@pytest.mark.parametrize("C", [1.0, np.inf])
def test_scores_fitted_at_once_are_the_multinomial_question(C: float) -> None:
    model = LogisticRegression(C=C)
    check = verified(checked(model, X, THREE))
    expected = mm.separability(X, THREE)
    assert check.verdict == expected.verdict and check.is_penalised == (C == 1)
    assert check.estimates["c: x1"] == model.coef_[2, 1] - model.coef_[0, 1]
    assert set(check.infinite or ()) | set(check.finite or ()) == set(check.estimates)
    assert "coefficients are contrasts with a" in check.event


@pytest.mark.parametrize("name", ["linear svc", "ridge", "perceptron", "stochastic logistic", "stochastic hinge"])
def test_one_class_against_the_rest_is_a_question_for_each(name: str) -> None:
    model = LINEAR[name]
    check = verified(checked(model, IRIS.X, IRIS.y))
    verdicts = {"setosa": "separable", "versicolor": "overlap", "virginica": "overlap"}
    assert {part: answer.verdict for part, answer in check.answers.items()} == verdicts
    assert check.verdict == "quasi-separable" and check.answer is None and check.certificate is None
    assert check.infinite and {name.split(": ")[0] for name in check.infinite} == {"setosa"}
    assert check.estimates["virginica: x3"] == model.coef_[2, 3]
    assert "one question for each: setosa separable" in check.summary()


def test_pairs_of_classes() -> None:
    check = verified(checked(SVC(kernel="linear"), IRIS.X, IRIS.y))
    assert {part: answer.verdict for part, answer in check.answers.items()} == {
        "versicolor against setosa": "separable",
        "virginica against setosa": "separable",
        "virginica against versicolor": "overlap",
    }


FRAME = pd.DataFrame({"stage": list("aabbccaabc"), "age": [4.0, 2.0, 3.0, 1.0, 2.0, 3.0, 1.0, 3.0, 4.0, 1.0]})

# Everybody with stage c died, and at every other stage the young did, but for one.
DIED = np.array([0, 1, 0, 1, 1, 1, 1, 0, 0, 1])


def test_a_pipeline_is_asked_about_what_its_last_step_is_given() -> None:
    encoder = make_column_transformer((OneHotEncoder(drop="first"), ["stage"]), (StandardScaler(), ["age"]))
    pipeline = make_pipeline(encoder, unpenalised())
    check = verified(checked(pipeline, FRAME, DIED))
    names = pipeline[:-1].get_feature_names_out().tolist()
    assert check.questions[""].rows.shape == (10, 3)
    assert check.infinite and check.infinite[names[1]] == "+" and names[1] == "onehotencoder__stage_c"
    assert set(check.estimates) == {*names, "(Intercept)"}


def test_searches_and_pipelines_of_one_step() -> None:
    assert checked(make_pipeline(LogisticRegression()), X, OVERLAP).verdict == "overlap"
    assert checked(GridSearchCV(LogisticRegression(), {"C": [1.0, 2.0]}, cv=2), X, OVERLAP).verdict == "overlap"
    several = LogisticRegressionCV(Cs=[1.0, 2.0], cv=2, use_legacy_attributes=False, l1_ratios=(0,), scoring="accuracy")
    check = checked(several, X, OVERLAP)
    assert check.verdict == "overlap" and check.is_penalised


def test_sparse_rows() -> None:
    assert verified(checked(unpenalised(), csr_matrix(X), QUASI)).infinite == {"x0": "+"}


def test_labels_may_be_a_column_or_come_with_a_data_set() -> None:
    table = pd.DataFrame({"age": [3.0, 4, 1, 2, 5, 4], "old": ["no", "yes", "no", "no", "yes", "yes"]})
    model = LogisticRegression().fit(table[["age"]], table["old"])
    plain = mm.check_model(model, table[["age"]], table["old"])
    named = mm.check_model(model, table, "old")
    assert plain.to_dict() == named.to_dict()
    assert [term.reason for term in named.terms if term.name == "age"] == [
        "age is at least 4 where old=yes, and at most 3 where old=no: age alone separates them"
    ]
    with pytest.raises(InvalidOptionError, match="is the formula"):
        mm.check_model(model, table, "old ~ age")
    iris = mm.load("iris", positive="setosa")
    of_iris = LogisticRegression(max_iter=1000)
    by_arrays, by_set = checked(of_iris, iris.X, np.asarray(iris.labels)), mm.check_model(of_iris, iris)
    assert by_set.verdict is by_arrays.verdict and set(by_set.infinite or ()) > {"versicolor: petal width (cm)"}
    with pytest.raises(InvalidProblemError, match="has its own labels"):
        mm.check_model(of_iris, iris, iris.labels)


def test_what_is_not_a_linear_classifier_is_refused() -> None:
    for model, words in (
        (SVC().fit(X, OVERLAP), "SVC with the kernel 'rbf'"),
        (DecisionTreeClassifier().fit(X, OVERLAP), "DecisionTreeClassifier, which has no coef_"),
        (LinearRegression().fit(X, OVERLAP == "yes"), "LinearRegression, which has no coef_ and classes_"),
        (LogisticRegression(), "LogisticRegression that is not fitted"),
        (object(), "object, which has no coef_"),
    ):
        with pytest.raises(InvalidOptionError, match=words):
            mm.check_model(model, X, OVERLAP)


def test_data_that_are_not_the_models_are_refused() -> None:
    model = LogisticRegression().fit(X, OVERLAP)
    for given, words in (
        ((None, None), "does not keep its data; expected the X and y"),
        ((X, None), "does not keep its data"),
        ((X[:, :1], OVERLAP), "2 coefficients and X has 1 columns"),
        ((X, OVERLAP == "yes"), "the classes 'no', 'yes', and y has False, True"),
        ((X[:1], OVERLAP[:1]), "the classes 'no', 'yes', and y has 'no'"),
        ((X, OVERLAP[:3]), r"y has shape \(3,\)"),
    ):
        with pytest.raises(InvalidOptionError, match=words):
            mm.check_model(model, *given)


def test_a_class_without_weight_leaves_the_question_open() -> None:
    check = checked(LogisticRegression(class_weight={"no": 0.0, "yes": 1.0}), X, OVERLAP)
    assert check.verdict == "undecided" and "class_weight" in check.reason and check.infinite is None
    assert check.converged_is_true is None and check.rows is None


def test_coefficients_that_take_long_are_left_to_those_who_ask() -> None:
    random = np.random.default_rng(0)
    wide = random.normal(size=(2000, 250))
    check = checked(LinearDiscriminantAnalysis(solver="lsqr", shrinkage=0.5), wide, wide[:, 0] > 0)
    assert check.verdict == "separable"
    assert "which coefficients are infinite takes longer to find" in check.summary()
    check._repr_html_()
    assert check.answer is not None and "columns" not in vars(check.answer), "nothing was computed"


def test_a_time_that_is_over_leaves_the_question_open() -> None:
    check = checked(LinearSVC(), IRIS.X, IRIS.y, time_limit=1e-9)
    assert check.verdict == "undecided" and "undecided" in check.summary()


DUCK = """
import sys
import numpy as np
import maxmargin as mm
class Logistic:
    __module__, __qualname__ = "sklearn.linear_model", "LogisticRegression"
    coef_, intercept_, classes_, C, fit_intercept = np.array([[9.0]]), np.array([-3.0]), np.array([0, 1]), np.inf, True
Logistic.__name__ = "LogisticRegression"
class Logit:
    __module__ = "statsmodels.discrete.discrete_model"
    exog, endog, exog_names, endog_names = np.array([[1.0, 0], [1, 1]]), np.array([0, 1]), ["const", "x"], "y"
class Results:
    model, params, bse, converged = Logit(), [-9.0, 20.0], None, True
X, y = [[0.0], [1.0]], [0, 1]
assert mm.check_model(Logistic(), X, y).kind == "logistic regression"
assert mm.check_model(Results()).converged_is_true is False
print(sorted({"sklearn", "statsmodels", "pandas"} & set(sys.modules)))
"""


@pytest.mark.slow
def test_neither_package_is_imported() -> None:
    assert python(DUCK) == "[]\n"


def test_columns_go_by_their_names() -> None:
    frame = pd.DataFrame({"x": [1.0, 2, 3, 4, 2.5, 2.7, 1, 5], "g": [0.0] * 6 + [1.0] * 2})
    y = pd.Series([0, 1, 0, 1, 1, 0, 1, 1], name="y")
    model = unpenalised().fit(frame, y)
    with_label = pd.concat([frame.g, y, frame.x], axis=1)
    for given in ((frame, y), (frame[["g", "x"]], y), (with_label, "y"), (mm.from_arrays(frame[["g", "x"]], y),)):
        check = mm.check_model(model, *given)
        assert check.infinite == {"g": "+"} and check.estimates["g"] == model.coef_[0, 1]
    with pytest.raises(InvalidOptionError, match="fitted to the columns 'x', 'g', and X has 'x', 'h'"):
        mm.check_model(model, frame.rename(columns={"g": "h"}), y)


def test_a_pipeline_is_judged_by_the_rows_of_its_fit() -> None:
    """Those of PCA's fit_transform differ from those of transform in the last bits, and here that decides."""
    rows = np.array([[2.0, 2], [2, 2], [0, 2], [2, 0], [0, 0], [2, 2], [1, 1], [2, 0]])
    y = [1, 1, 0, 1, 1, 0, 0, 1]
    check = verified(checked(make_pipeline(PCA(), unpenalised()), rows, y))
    assert check.verdict == mm.separability(PCA().fit_transform(rows), y).verdict
    assert check.made_by == ("PCA",) and "the columns are those that PCA made" in check.summary()


class Blurred(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """A step whose rows are others in its fit, as those of a cross-fitted encoder are."""

    def __init__(self, seed: int | None) -> None:
        self.seed = seed

    def fit(self, X: Any, y: Any = None) -> "Blurred":
        self.n_rows_ = len(X)
        return self

    def transform(self, X: Any) -> Any:
        return np.asarray(X)

    def fit_transform(self, X: Any, y: Any = None) -> Any:
        return np.asarray(self.fit(X).transform(X)) + np.random.default_rng(self.seed).normal(size=np.shape(X))


def test_a_step_that_cross_fits_is_judged_by_the_rows_of_its_fit() -> None:
    check = verified(checked(make_pipeline(Blurred(1), unpenalised()), X, SEPARABLE))
    assert check.verdict == mm.separability(Blurred(1).fit_transform(X), SEPARABLE).verdict == "overlap"
    unknown = checked(make_pipeline(Blurred(None), unpenalised()), X, SEPARABLE)
    assert unknown.verdict == "undecided" and "fit_transform" in unknown.reason


def test_reasons_of_a_pipeline_are_about_the_columns_that_its_steps_made() -> None:
    first = checked(make_pipeline(StandardScaler(), unpenalised()), X, SEPARABLE).summary().splitlines()[0]
    assert "; the columns are those that StandardScaler made" in first
    for step in ("passthrough", mm.SeparationGuard("record")):
        check = checked(make_pipeline(step, unpenalised()), X, SEPARABLE)
        assert check.made_by == () and check.verdict == "separable"


def test_pipelines_and_searches_may_be_nested() -> None:
    inner = make_pipeline(StandardScaler(), unpenalised())
    search = GridSearchCV(LogisticRegression(), {"C": [np.inf]}, cv=2)
    for model in (make_pipeline("passthrough", inner), make_pipeline(StandardScaler(), search)):
        assert "x0" in (checked(model, X, QUASI).infinite or ())


def test_an_intercept_may_be_switched_off_by_numpy() -> None:
    check = checked(unpenalised(fit_intercept=np.False_), [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
    assert check.verdict == "overlap" and list(check.estimates) == ["x0"]


def test_what_ended_without_converging_does_not_claim_it() -> None:
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(40, 3)) * [1e100, 1, 1]
    y = (rng.random(40) < 0.5).astype(int)
    with pytest.warns(match="failed to converge"):
        abnormal = unpenalised().fit(rows, y)
    once = SGDClassifier(loss="log_loss", penalty=None).partial_fit(rows[:, 1:], y, classes=[0, 1])
    early = SGDClassifier(loss="log_loss", penalty=None, early_stopping=True, random_state=0).fit(rows[:, 1:], y)
    for model, table in ((abnormal, rows), (once, rows[:, 1:]), (early, rows[:, 1:])):
        assert mm.check_model(model, table, y).claimed_converged is None


def test_penalties_of_perceptrons_and_kinds_of_our_estimators() -> None:
    penalised = {
        Perceptron(): False, Perceptron(penalty="l2", alpha=0.1): True, mm.MaxMarginClassifier(): True,
        mm.MaxMarginClassifier(np.inf): False, mm.PerceptronClassifier(): False,
    }  # fmt: skip
    for model, is_penalised in penalised.items():
        check = checked(model, X, SEPARABLE)
        assert (check.is_penalised, check.has_likelihood) == (is_penalised, False)
        assert check.kind in ("perceptron", "support vector machine")


class Halved(BaseEstimator):  # type: ignore[misc]
    """A step that resamples in the fit, and passes rows on afterwards, as those of imbalanced-learn do."""

    def fit_resample(self, X: Any, y: Any) -> tuple[Any, Any]:
        return X[::2], y[::2]

    def fit(self, X: Any, y: Any = None) -> "Halved":
        self.n_rows_ = len(X)
        return self

    def transform(self, X: Any) -> Any:
        return X


HALVED = Halved()
RESAMPLED: dict[str, Any] = {
    "before the classifier": make_pipeline(HALVED, unpenalised()),
    "nested": make_pipeline(StandardScaler(), make_pipeline(HALVED, StandardScaler()), unpenalised()),
    "pipeline in a pipeline": make_pipeline(StandardScaler(), make_pipeline(HALVED, unpenalised())),
    "search": GridSearchCV(make_pipeline(HALVED, LogisticRegression()), {"logisticregression__C": [1.0]}, cv=2),
    "found by a search": GridSearchCV(Pipeline([("a", None), ("b", unpenalised())]), {"a": [HALVED]}, cv=2),
    "columns": make_pipeline(make_column_transformer((HALVED, [0]), remainder="passthrough"), unpenalised()),
    "union": make_pipeline(FeatureUnion([("a", StandardScaler()), ("b", make_pipeline(HALVED))]), unpenalised()),
}


@pytest.mark.parametrize("name", RESAMPLED)
@pytest.mark.filterwarnings("ignore")
def test_a_step_that_resamples_leaves_the_question_open(name: str) -> None:
    check = checked(RESAMPLED[name], X, SEPARABLE)
    assert check.verdict == "undecided" and "Halved resamples" in check.reason


BROKEN: dict[str, dict[str, Any]] = {
    "coef_ has dtype <U": {"coef_": [["a", "b"]]}, "coef_[1] is nan": {"coef_": np.array([[1, np.nan]])},
    "coef_[0] is None": {"coef_": np.array([[None, 1.0]])}, "no array": {"coef_": [[1, 2], [3]]},
    "0 rows of coefficients": {"coef_": np.ones((0, 2))},
    "shape (1, 2, 1)": {"coef_": np.ones((1, 2, 1))}, "intercept_ of 2 numbers": {"intercept_": [1.0, 2.0]},
    "intercept_[0] is inf": {"intercept_": [np.inf]}, "intercept_ has dtype": {"intercept_": "1"},
    "shape (1, 2)": {"classes_": [["no", "yes"]]}, "3 feature_names_in_": {"feature_names_in_": list("abc")},
    "1 rows of coefficients": {"classes_": list("abc"), "y": THREE},
}  # fmt: skip


@pytest.mark.parametrize("words", BROKEN)
def test_a_model_that_is_broken_is_refused_in_one_line(words: str) -> None:
    changes = dict(BROKEN[words])
    y = changes.pop("y", SEPARABLE)
    given = {"coef_": np.ones((1, 2)), "intercept_": [0.0], "classes_": ["no", "yes"], "kernel": "linear"} | changes
    model = SimpleNamespace(**given)
    for ask in (lambda: mm.check_model(model, X, y), lambda: mm.judge(X, y == y[0], model=model)):
        with pytest.raises(InvalidOptionError, match=re.escape(words)) as error:
            ask()
        assert "\n" not in str(error.value)
