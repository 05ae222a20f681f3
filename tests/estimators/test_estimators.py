"""Estimators of scikit-learn give the answers of the verbs, for everything that scikit-learn takes as data."""

import math
import pickle
import re
import warnings
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import maxmargin as mm
from maxmargin import MaxMarginClassifier, OnlineClassifier, PerceptronClassifier, SeparationGuard
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError

INFINITY = float("inf")

# Runs may end at a limit, without a warning.
ANY_END = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

rng = np.random.default_rng(7)
SIGNS = np.where(np.arange(60) % 3 == 0, 1, -1)
APART = rng.normal(size=(60, 3)) + 3.0 * SIGNS[:, None]
MIXED = rng.normal(size=(60, 3)) + 0.3 * SIGNS[:, None]
IRIS = mm.load("iris")
SPECIES = np.asarray(IRIS.labels)
CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])


@pytest.mark.sampled(2)
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
@pytest.mark.parametrize("fit_intercept", [True, False])
def test_the_soft_margin_is_that_of_the_verb_and_no_worse_than_svc(C: float, fit_intercept: bool) -> None:
    model = MaxMarginClassifier(C, fit_intercept=fit_intercept).fit(MIXED, SIGNS)
    answer = mm.soft_margin(MIXED, SIGNS, C, bias=fit_intercept)
    assert model.objective_interval_ == (answer.lower, answer.objective) and model.status_ == "optimal"
    np.testing.assert_array_equal(model.coef_, answer.w[None])
    np.testing.assert_array_equal(np.sort(model.support_), answer.support)
    assert model.intercept_.tolist() == [answer.b] and model.margin_ == answer.margin
    if fit_intercept:
        other = SVC(kernel="linear", C=C, tol=1e-5).fit(MIXED, SIGNS)
        slack = np.maximum(0, 1 - SIGNS * other.decision_function(MIXED)).sum()
        objective = float(0.5 * (other.coef_**2).sum() + C * slack)
        assert model.objective_interval_[0] <= objective * (1 + 1e-12)
        assert objective == pytest.approx(model.objective_interval_[1], rel=1e-4)


@pytest.mark.parametrize("container", [np.array, sp.csr_array])
@pytest.mark.parametrize("C", [1.0, INFINITY])
@pytest.mark.parametrize("options", [{}, {"fit_intercept": False}, {"loss": "squared_hinge"}], ids=str)
def test_the_support_is_svcs_and_writes_the_normal(container: Any, C: float, options: dict[str, Any]) -> None:
    X, y = MIXED + (2.7 if C == INFINITY else 0.6) * SIGNS[:, None], np.where(SIGNS > 0, "a", "b")
    model = MaxMarginClassifier(C, store_proof=False, **options).fit(container(X), y)
    np.testing.assert_allclose(model.dual_coef_ @ model.support_vectors_, model.coef_, rtol=1e-9)
    assert [np.count_nonzero(y[model.support_] == label) for label in model.classes_] == model.n_support_.tolist()
    assert np.diff(y[model.support_] == "b").sum() <= 1 <= model.n_iter_
    assert getattr(model, "certificate_", None) is None
    other = SVC(kernel="linear", C=C, tol=1e-8).fit(X, y)
    if not options:
        np.testing.assert_array_equal(model.support_, other.support_)
        np.testing.assert_allclose(model.dual_coef_, other.dual_coef_, atol=1e-5)
    three = MaxMarginClassifier(**options).fit(IRIS.X, SPECIES)
    for k in range(3):
        np.testing.assert_allclose(three.dual_coef_[k] @ three.support_vectors_[k], three.coef_[[k]], rtol=1e-6)


@pytest.mark.parametrize(
    "labels", [(-1, 1), ("no", "yes"), ("yes", "no"), ("10", "9"), (True, False), (0.0, 1.0), ("Yes", "yes")], ids=str
)
def test_the_hard_margin_is_proven_for_these_labels(labels: tuple[Any, Any]) -> None:
    y = np.array(labels)[(SIGNS > 0).astype(int)]
    model = MaxMarginClassifier(INFINITY).fit(APART, y)
    best = mm.hard_margin(APART, SIGNS)
    assert model.margin_interval_ == (best.lower, best.upper) and model.margin_ == best.margin
    assert model.angle_interval_ == (best.angle_lower, best.angle_upper) and model.verdict_ == "separable"
    assert mm.verify(model.certificate_, APART, y)
    np.testing.assert_array_equal(model.classes_, np.unique(y))
    np.testing.assert_array_equal(model.predict(APART), y)
    assert (model.decision_function(APART) > 0).tolist() == (y == model.classes_[1]).tolist()


@pytest.mark.parametrize(("first", "then"), [(1.0, np.inf), (np.inf, 1.0)])
def test_a_second_fit_leaves_nothing_of_the_first(first: float, then: float) -> None:
    X, y = [[0.0], [1.0], [3.0]], [0, 0, 1]
    twice = mm.MaxMarginClassifier(C=first).fit(X, y).set_params(C=then).fit(X, y)
    assert vars(twice).keys() == vars(mm.MaxMarginClassifier(C=then).fit(X, y)).keys()


@pytest.mark.parametrize("model", [MaxMarginClassifier(), PerceptronClassifier(), OnlineClassifier()], ids=repr)
def test_a_fit_that_fails_leaves_nothing_of_an_earlier_one(model: Any) -> None:
    fitted = clone(model).fit(APART, SIGNS)
    with pytest.raises(ValueError, match="class"):
        fitted.fit(APART[:, :2], np.ones(60))
    assert [name for name in vars(fitted) if name.endswith("_")] == ["n_features_in_"]
    with pytest.raises(NotFittedError):
        fitted.predict(APART[:, :2])
    np.testing.assert_array_equal(fitted.fit(APART[:, :2], SIGNS).coef_, clone(model).fit(APART[:, :2], SIGNS).coef_)
    guard = SeparationGuard("record").fit(APART, SIGNS)
    with pytest.raises(ValueError, match="class"):
        guard.fit(APART[:, :2], np.ones(60))
    with pytest.raises(NotFittedError):
        guard.transform(APART[:, :2])


def test_an_error_about_a_hard_margin_says_what_to_do() -> None:
    advice = r"^the classes (.*), so there is no hard margin; use a finite C \(required separable, found (.*?)[:,]"
    for X, y, what in [
        (MIXED, SIGNS, ("overlap", "overlap")),
        ([[0.0], [1.0], [1.0], [2.0]], [0, 0, 1, 1], ("are not strictly separable", "quasi-separable")),
    ]:
        with pytest.raises(mm.SeparationError) as caught:
            MaxMarginClassifier(INFINITY).fit(X, y)
        found = re.match(advice, str(caught.value))
        assert found is not None and found.groups() == what
        assert mm.verify(caught.value.certificate, X, y) and len(caught.value.rows) >= 2  # type: ignore[arg-type]
        assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_a_class_that_is_not_separable_from_the_rest_is_named() -> None:
    words = "^the class 'versicolor' against the rest: the classes overlap"
    with pytest.raises(mm.SeparationError, match=words) as caught:
        MaxMarginClassifier(INFINITY).fit(IRIS.X, SPECIES)
    again = pickle.loads(pickle.dumps(caught.value))
    assert str(again) == str(caught.value) and again.rows.tolist() == caught.value.rows.tolist()


def test_one_class_against_the_rest_each() -> None:
    y = np.array(["a", "b", "c"])
    model = MaxMarginClassifier(INFINITY).fit(CORNERS, y)
    assert model.coef_.shape == (3, 2) and model.decision_function(CORNERS).shape == (3, 3)
    assert model.margin_interval_[1] == (0.5, 0.5) and model.predict(CORNERS).tolist() == ["a", "b", "c"]
    for certificate in model.certificate_:
        assert mm.verify(certificate, CORNERS, y)
    soft = MaxMarginClassifier().fit(IRIS.X, SPECIES)
    for k, name in enumerate(soft.classes_):
        answer = mm.soft_margin(IRIS.one_vs_rest(name))
        assert soft.objective_interval_[k] == (answer.lower, answer.objective)


SAME: dict[str, Callable[[], Any]] = {
    "list": lambda: MIXED.tolist(),
    "fractions": lambda: np.array([[Fraction(value) for value in row] for row in MIXED]),
    "decimals": lambda: [[Decimal(value) for value in row] for row in MIXED.tolist()],
    "Fortran order": lambda: np.asfortranarray(MIXED),
    "pandas": lambda: pd.DataFrame(MIXED, columns=["a", "b", "c"], index=range(100, 160)),
    "polars": lambda: pl.DataFrame(MIXED, schema=["a", "b", "c"]),
    **{form: lambda form=form: getattr(sp, f"{form}_array")(MIXED) for form in ("csr", "csc", "coo", "lil", "dok")},
    "csr_matrix": lambda: sp.csr_matrix(MIXED),
}


@pytest.mark.parametrize("kind", SAME)
def test_containers_do_not_matter(kind: str) -> None:
    X, model = SAME[kind](), MaxMarginClassifier(10.0).fit(MIXED, SIGNS)
    other = MaxMarginClassifier(10.0).fit(X, SIGNS)
    assert other.objective_interval_ == pytest.approx(model.objective_interval_, rel=1e-12)
    np.testing.assert_array_equal(other.predict(X), model.predict(MIXED))
    assert hasattr(other, "feature_names_in_") == (kind in ("pandas", "polars"))


ESTIMATORS = (MaxMarginClassifier(), PerceptronClassifier(), SeparationGuard("record"))
REFUSED: dict[str, tuple[Any, str]] = {
    "numbers beyond 2**1000": ([[1e308], [-1e308]], r"1e\+308 in absolute value; .* rescale X"),
    "int64": (np.array([[2**53 + 1], [3]]), "column 'x0': found 9007199254740993"),
    "a column of a frame": (pd.DataFrame({"n": [2**53 + 1, 3], "x": [0.5, 1.0]}), "column 'n': found 9007199254740993"),
    "longdouble": (np.array([[np.longdouble(1) / 3], [2]]), "expected one that binary64 holds"),
    "fractions": ([[Fraction(1, 3)], [2]], "found 1/3"),
    "numbers in a text": (pd.DataFrame({"n": ["1", "2"], "x": [0.5, 1.0]}), "store plain numbers"),
    "categories": (pd.DataFrame({"n": pd.Categorical([1, 2])}), r"texts or categories \(column 'n' became 1"),
}


@pytest.mark.skipif(np.finfo(np.longdouble).nmant == 52, reason="longdouble is binary64 here")
@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("estimator", ESTIMATORS, ids=repr)
def test_numbers_that_would_be_rounded_are_refused(name: str, estimator: Any) -> None:
    X, message = REFUSED[name]
    with pytest.raises(InvalidProblemError, match=message):
        clone(estimator).fit(X, [0, 1])


@pytest.mark.parametrize("labels", [["1", "1.0", "2"], ["1", "1.0", "1"]], ids=str)
def test_labels_that_are_the_same_number_are_not_taken_for_one_class(labels: list[str]) -> None:
    with pytest.raises(InvalidProblemError, match="some of which are the same number"):
        MaxMarginClassifier().fit(IRIS.X, np.repeat(labels, 50))


def test_columns_whose_names_are_numbers_are_called_as_scikit_learn_calls_them() -> None:
    guard = SeparationGuard("record").fit(pd.DataFrame(APART), SIGNS)
    assert set(guard.infinite_columns_) == {"(Intercept)", "x0", "x1", "x2"}


@pytest.mark.parametrize("C", [1.0, INFINITY])
@pytest.mark.parametrize("class_weight", [None, {1: 3.0}, "balanced"], ids=str)
def test_weights_are_repetitions_and_zero_leaves_out(C: float, class_weight: Any) -> None:
    X = APART if C == INFINITY else MIXED
    weights = np.arange(60) % 4
    weighted = MaxMarginClassifier(C, class_weight=None if class_weight == "balanced" else class_weight)
    weighted.fit(X, SIGNS, sample_weight=weights)
    repeated = clone(weighted).fit(np.repeat(X, weights, axis=0), np.repeat(SIGNS, weights))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), rtol=1e-5, atol=1e-6)
    dropped = MaxMarginClassifier(C, class_weight=class_weight).fit(X[weights > 0], SIGNS[weights > 0])
    zero = MaxMarginClassifier(C, class_weight=class_weight).fit(X, SIGNS, sample_weight=(weights > 0) * 1.0)
    np.testing.assert_array_equal(zero.coef_, dropped.coef_)
    np.testing.assert_array_equal(zero.support_, np.flatnonzero(weights > 0)[dropped.support_])


def test_factors_of_classes() -> None:
    y = np.where(SIGNS > 0, "9", "10")
    balanced = MaxMarginClassifier(class_weight="balanced").fit(MIXED, y)
    spelt = MaxMarginClassifier(class_weight={"9": 60 / (2 * 20), "10": 60 / (2 * 40)}).fit(MIXED, y)
    assert balanced.objective_interval_ == pytest.approx(spelt.objective_interval_, rel=1e-12)
    without = MaxMarginClassifier(INFINITY, class_weight={"versicolor": 0}).fit(IRIS.X, SPECIES)
    assert without.classes_.tolist() == ["setosa", "virginica"]
    assert SPECIES[without.support_].tolist().count("versicolor") == 0


WRONG_OPTIONS: dict[str, tuple[Any, str]] = {
    **{
        f"C = {C!r}": (MaxMarginClassifier(C), "expected a positive")
        for C in (0, -1.0, float("nan"), "1", None, np.ones(2), True, 10**400, -INFINITY)
    },
    "no such class": (MaxMarginClassifier(class_weight={7: 1}), "has the label 7"),
    "a factor that is no number": (MaxMarginClassifier(class_weight={1: float("nan")}), "a finite number from 0"),
    "a factor of a hard margin": (
        MaxMarginClassifier(INFINITY, class_weight={1: float("nan")}),
        "a finite number from",
    ),
    "no such intercept": (MaxMarginClassifier(fit_intercept=0), "fit_intercept is 0; expected True or False"),  # type: ignore[arg-type]
    "no such weights": (MaxMarginClassifier(class_weight="equal"), "a mapping of label"),
    "no such algorithm": (OnlineClassifier("sgd"), "expected one of"),
    "no hyperplane": (OnlineClassifier("voted"), "by one hyperplane"),
    "no such parameter": (OnlineClassifier("pa", parameters={"rng": 1}), "no parameter 'rn"),
    "no such way": (SeparationGuard("ignore"), "expected one of raise"),
}
WRONG_DATA: dict[str, tuple[tuple[Any, ...], str]] = {
    "one class": ((APART, np.ones(60)), "one class"),
    "no weight": ((APART, SIGNS, np.zeros(60)), "are zero"),
    "negative weight": ((APART, SIGNS, -np.ones(60)), "numbers from 0"),
    "masked numbers": ((np.ma.masked_greater(APART, 1.0), SIGNS), "masked"),
    "masked labels": ((APART, np.ma.masked_array(SIGNS, SIGNS > 0)), "masked"),
    "masked weights": ((APART, SIGNS, np.ma.masked_array(np.ones(60), SIGNS > 0)), "masked"),
    "weights of text": ((APART, SIGNS, [1.0, *["a"] * 59]), "sample_weight holds values of type"),
    "weights of None": ((APART, SIGNS, [1.0, *[None] * 59]), "sample_weight, row 1: found None"),
}


@pytest.mark.parametrize("name", WRONG_OPTIONS)
def test_an_option_that_is_wrong_is_said(name: str) -> None:
    model, message = WRONG_OPTIONS[name]
    with pytest.raises(InvalidOptionError, match=message):
        clone(model).fit(APART, SIGNS)


@pytest.mark.parametrize("C", [1.0, INFINITY])
@pytest.mark.parametrize("name", WRONG_DATA)
def test_data_that_are_wrong_are_said(name: str, C: float) -> None:
    data, message = WRONG_DATA[name]
    with pytest.raises(InvalidProblemError, match=message):
        MaxMarginClassifier(C).fit(*data)


def test_a_class_without_weight_is_said() -> None:
    with pytest.raises(InvalidProblemError, match="all of the class -1"):
        MaxMarginClassifier(class_weight={1: 0}).fit(MIXED, SIGNS)


@pytest.mark.slow
def test_a_time_that_is_over_is_said_with_what_is_proven() -> None:
    X, y = np.repeat(MIXED, 60, axis=0), np.repeat(SIGNS, 60)
    with pytest.warns(ConvergenceWarning, match=r"limit, the optimum lies in \["):
        soft = MaxMarginClassifier(time_limit=1e-6).fit(X, y)
    low, high = soft.objective_interval_
    assert soft.status_ == "limit" and low <= mm.soft_margin(X, y).objective and high >= mm.soft_margin(X, y).lower
    with pytest.raises(mm.SeparationError, match="found undecided: the time limit"):
        MaxMarginClassifier(INFINITY, time_limit=1e-6).fit(X, y)


def test_the_perceptron_makes_the_mistakes_of_the_verb() -> None:
    model, run = PerceptronClassifier().fit(APART, SIGNS), mm.perceptron(APART, SIGNS)
    assert (model.n_mistakes_, model.n_iter_, model.status_) == (run.n_mistakes, run.n_epochs, "converged")
    assert model.margin_interval_ == (run.margin, run.margin_upper) and model.verdict_ == "separable"
    np.testing.assert_array_equal(model.coef_[0], run.w)
    with pytest.warns(ConvergenceWarning, match="not converged, stopped at the limit of epochs"):
        short = PerceptronClassifier(5).fit(MIXED, SIGNS)
    assert (short.n_iter_, short.verdict_) == (5, "undecided")
    with pytest.warns(ConvergenceWarning) as caught:
        several = PerceptronClassifier(20).fit(IRIS.X, SPECIES)
    said = [f"PerceptronClassifier for the class {name!r} against the rest" for name in ("versicolor", "virginica")]
    assert [str(warning.message).partition(":")[0] for warning in caught] == said
    assert several.n_mistakes_[0] == mm.perceptron(IRIS.one_vs_rest("setosa")).n_mistakes
    assert several.verdict_ == ("separable", "undecided", "undecided")


@ANY_END
@pytest.mark.parametrize("unit", [1e155, 1e-170, 1e300, 1e-300])
@pytest.mark.parametrize("y", [SIGNS, np.where(APART[:, 0] > 3.5, 2, SIGNS)], ids=["two classes", "three classes"])
def test_a_run_predicts_the_same_in_any_unit(unit: float, y: Any) -> None:
    power = 2.0 ** round(math.log2(unit))  # by which nothing is rounded
    model, other = (PerceptronClassifier(50, fit_intercept=False).fit(X, y) for X in (APART, APART * power))
    assert other.margin_ == pytest.approx(np.multiply(model.margin_, power))
    np.testing.assert_array_equal(other.predict(APART * power), model.predict(APART))
    ratio = model.coef_ / other.coef_
    assert (ratio == ratio[0, 0]).all() and math.frexp(ratio[0, 0])[0] == 0.5  # the same power of two
    assert np.isfinite(other.decision_function(APART * power)).all()


@ANY_END
def test_an_offset_far_beyond_w_stays_finite_and_exact() -> None:
    rows = [[1e-300], [3e-300], [-2e-300]]
    model = PerceptronClassifier(3, bias_scale=1e40).fit(rows, [0, 1, 1])
    run = mm.perceptron(rows, [0, 1, 1], max_epochs=3, bias_scale=1e40)
    both = [Fraction(value) for value in (model.coef_[0, 0], model.intercept_[0])]
    assert np.isfinite([float(value) for value in both]).all()
    assert both[0] * Fraction(run.b) == both[1] * Fraction(float(run.w[0]))


def test_random_orders_repeat_themselves_with_their_state() -> None:
    states = (3, np.random.RandomState(3))
    first, again = (PerceptronClassifier(order="random", random_state=state).fit(APART, SIGNS) for state in states)
    assert first.n_mistakes_ == again.n_mistakes_


@ANY_END
@pytest.mark.parametrize("algorithm", ["margin-perceptron", "pa-1", "arow", "averaged", "romma"])
def test_online_algorithms_are_those_of_the_verb(algorithm: str) -> None:
    run = mm.online(APART, SIGNS, algorithm)
    model = OnlineClassifier(algorithm).fit(APART, SIGNS)
    np.testing.assert_array_equal(model.coef_[0], run.w)
    np.testing.assert_array_equal(model.predict(APART), run.predict(APART))
    assert (model.n_mistakes_, model.margin_) == (run.n_mistakes, run.margin)


def test_the_guard_stops_a_pipeline_before_the_fit() -> None:
    pipeline = make_pipeline(StandardScaler(), SeparationGuard(), LogisticRegression(C=INFINITY))
    with pytest.raises(mm.SeparationError, match="required overlap, found separable") as caught:
        pipeline.fit(APART, SIGNS)
    assert set(caught.value.columns) == {"(Intercept)", "x0", "x1", "x2"}
    pipeline.fit(MIXED, SIGNS)
    assert pipeline[1].verdict_ == "overlap" and pipeline[1].infinite_columns_ == {}
    scaled = pipeline[0].transform(MIXED)
    assert mm.verify(pipeline[1].certificate_, scaled, SIGNS)
    np.testing.assert_array_equal(pipeline[1].transform(scaled), scaled)


def test_the_guard_warns_or_records() -> None:
    frame = pd.DataFrame({"age": [1.0, 2, 3, 4, 2], "stage": [0, 0, 0, 0, 1]}, index=list("abcde"))
    y = ["no", "yes", "no", "yes", "yes"]
    with pytest.warns(mm.SeparationWarning, match="found quasi-separable"):
        guard = SeparationGuard("warn").fit(frame, y)
    assert guard.infinite_columns_ == {"stage": "+"} and guard.separated_rows_.tolist() == [4]
    assert guard.transform(frame) is frame and guard.get_feature_names_out().tolist() == ["age", "stage"]
    quiet = SeparationGuard("record").fit(IRIS.X, SPECIES)
    assert quiet.verdict_ == "quasi-separable" and mm.verify(quiet.certificate_, IRIS.X, SPECIES)
    kept = SeparationGuard().fit(frame, y, sample_weight=[1, 1, 1, 1, 0])
    assert kept.verdict_ == "overlap"


def test_the_guard_warns_where_it_is_used_and_of_how_many_rows() -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make_pipeline(SeparationGuard("warn"), LogisticRegression(C=INFINITY)).fit(APART, SIGNS)
        cross_val_score(make_pipeline(SeparationGuard("warn"), LogisticRegression()), APART, SIGNS, cv=4)
        SeparationGuard("warn").fit(APART, SIGNS)
        PerceptronClassifier(1).fit(MIXED, SIGNS)
    ours = [warning for warning in caught if issubclass(warning.category, mm.SeparationWarning | ConvergenceWarning)]
    assert [warning.filename for warning in ours] == [__file__] * len(ours) and len(ours) >= 7
    texts = [str(warning.message) for warning in ours]
    assert texts[0].startswith("SeparationGuard for 60 rows (40 of -1, 20 of 1): required overlap, found separable")
    assert texts[1].startswith("SeparationGuard for 45 rows (30 of -1, 15 of 1): required overlap, found separable")


def test_the_guard_has_the_names_of_a_frame_that_the_steps_before_it_pass_on() -> None:
    frame = pd.DataFrame(APART, columns=["age", "dose", "stage"])
    steps = StandardScaler(), SeparationGuard("record")
    assert "x0" in make_pipeline(*steps).fit(frame, SIGNS)[-1].infinite_columns_
    for pipeline in (make_pipeline(*steps).set_output(transform="pandas"), make_pipeline(*steps[::-1])):
        guard = pipeline.fit(frame, SIGNS).named_steps["separationguard"]
        assert {"age", "dose", "stage"} <= set(guard.infinite_columns_)


def test_errors_name_the_rows_that_were_given() -> None:
    X, y, weights = [[9.0], [0.0], [1.0], [1.0], [2.0]], [0, 0, 0, 1, 1], [0, 1, 1, 1, 1]
    with pytest.raises(mm.SeparationError) as caught:
        SeparationGuard().fit(X, y, sample_weight=weights)
    assert caught.value.rows.tolist() == [1, 4]
    with pytest.raises(mm.SeparationError) as caught:
        MaxMarginClassifier(INFINITY).fit(X, y, sample_weight=weights)
    assert sorted(caught.value.rows.tolist()) == [2, 3]
    assert pickle.loads(pickle.dumps(caught.value)).rows.tolist() == caught.value.rows.tolist()


@pytest.mark.parametrize("model", [MaxMarginClassifier(INFINITY), PerceptronClassifier()], ids=repr)
def test_fitted_models_are_pickled_drawn_judged_and_checked(model: Any) -> None:
    X = APART[:, :2]
    fitted = pickle.loads(pickle.dumps(clone(model).fit(X, SIGNS)))
    np.testing.assert_array_equal(fitted.predict(X), SIGNS)
    assert mm.judge(X, SIGNS, model=fitted).margin == fitted.margin_
    display = mm.displays.HyperplaneDisplay.from_estimator(fitted, X, SIGNS)
    assert display.planes[0].half_width == fitted.margin_
    assert mm.check_model(fitted, X, SIGNS).verdict.value == "separable"
