"""The perceptron and its kin as estimators: weights, parts of the rows, warm starts, and runs that end by proof."""

import pickle
import warnings
from fractions import Fraction
from operator import add, mul
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning
from strategies import fewer_examples

import maxmargin as mm
from maxmargin import OnlineClassifier, PerceptronClassifier
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.online.catalogue import ALGORITHMS

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

rng = np.random.default_rng(3)
X = rng.normal(size=(90, 3))
TWO = np.where(X[:, 0] + 0.5 * rng.normal(size=90) > 0, "b", "a")
THREE = np.array(["a", "b", "c"])[np.digitize(X[:, 0] + 0.3 * rng.normal(size=90), [-0.5, 0.5])]


def exact_run(rows: Any, y: Any, v: Any, scale: float, start: Any, n_epochs: int) -> tuple[list[Fraction], list[int]]:
    """Return (w, b) and the mistakes of every epoch of w += v y (x, s), in fractions."""
    signed = [
        [Fraction(s * float(f * x)) for x in (*row, scale)]
        for row, f, s in zip(rows.tolist(), v, y.tolist(), strict=True)
    ]
    w, mistakes = [Fraction(value) for value in start], []
    while len(mistakes) < n_epochs and 0 not in mistakes:
        mistakes.append(0)
        for z in signed:
            if sum(map(mul, w, z)) <= 0:
                w, mistakes[-1] = list(map(add, w, z)), mistakes[-1] + 1
    return [*w[:-1], w[-1] * Fraction(scale)], mistakes


numbers = st.sampled_from([0.0, 1.0, -1.0, 2.0, 0.1, -0.3, 1e-9, 1e9])


@given(st.data(), st.booleans(), st.booleans())
@fewer_examples
def test_weights_parts_and_warm_starts_make_the_mistakes_of_fractions(
    data: st.DataObject, is_sparse: bool, fit_intercept: bool
) -> None:
    n = data.draw(st.integers(3, 9))
    rows = np.array(data.draw(st.lists(st.tuples(numbers, numbers), min_size=n, max_size=n)))
    y = np.array([-1, 1, *data.draw(st.lists(st.sampled_from([-1, 1]), min_size=n - 2, max_size=n - 2))])
    v = np.array(data.draw(st.lists(st.sampled_from([0.5, 1.0, 3.0, 0.7]), min_size=n, max_size=n)))
    cut, scale = data.draw(st.integers(1, n - 1)), float(fit_intercept)
    given_rows = sp.csr_array(rows) if is_sparse else rows
    model = PerceptronClassifier(7, fit_intercept=fit_intercept, warm_start=True).fit(given_rows, y, v)
    w, mistakes = exact_run(rows, y, v, scale, [0, 0, 0], 7)
    assert (model.n_mistakes_, model.n_iter_) == (sum(mistakes), len(mistakes))
    np.testing.assert_array_equal([*model.coef_[0], *model.intercept_], [*map(float, w)])
    before = [*model.coef_[0].tolist(), *model.intercept_.tolist()]
    model.fit(given_rows, y, v)
    w, mistakes = exact_run(rows, y, v, scale, before, 7)
    assert model.n_mistakes_ == sum(mistakes) and model.margin_interval_[1] is None
    part = PerceptronClassifier(fit_intercept=fit_intercept)
    for _ in range(2):
        for positions in (slice(0, cut), slice(cut, n)):
            part.partial_fit(given_rows[positions], y[positions], [-1, 1], v[positions])
            part = pickle.loads(pickle.dumps(part))
    first, mistakes = exact_run(rows, y, v, scale, [0, 0, 0], 1)
    start = [*first[:-1], first[-1]]
    w, more = exact_run(rows, y, v, scale, start, 1)
    assert part.n_mistakes_ == mistakes[0] + more[0] and not hasattr(part, "margin_") and not hasattr(part, "status_")
    np.testing.assert_array_equal([*part.coef_[0], *part.intercept_], [*map(float, w)])


@pytest.mark.parametrize("y", [TWO, THREE], ids=["two", "three"])
@pytest.mark.parametrize("name", sorted(ALGORITHMS))
def test_parts_are_one_epoch_of_fit_or_are_refused(name: str, y: Any) -> None:
    options = {"max_epochs": 1, "order": "cyclic"}
    part = OnlineClassifier(name, **options)
    if ALGORITHMS[name].needs_all_rows or name == "voted":
        with pytest.raises(InvalidOptionError, match=r"needs all rows|by one hyperplane"):
            part.partial_fit(X, y, np.unique(y))
        return
    whole = OnlineClassifier(name, **options).fit(X, y)
    for positions in (slice(0, 1), slice(1, 50), slice(50, 90)):
        part.partial_fit(X[positions], y[positions], classes=np.unique(y))
    np.testing.assert_array_equal(part.coef_, whole.coef_)
    assert part.n_mistakes_ == whole.n_mistakes_ and part.n_iter_ == 1
    twice = OnlineClassifier(name, warm_start=True, **options).fit(X, y).fit(X, y)
    part.partial_fit(X, y)
    np.testing.assert_array_equal(part.coef_, twice.coef_)


def test_weights_are_factors_of_samples_and_of_classes_and_zero_leaves_out() -> None:
    v = rng.integers(0, 3, 90)
    by_class = {"a": 2.0, "b": 0.5, "c": 0}
    for model in (PerceptronClassifier(20), OnlineClassifier("averaged", max_epochs=3)):
        ours = model.set_params(class_weight=by_class).fit(X, THREE, v).coef_
        kept = (v > 0) & (THREE != "c")
        steps = v * np.where(THREE == "a", 2.0, 0.5)
        theirs = model.set_params(class_weight=None).fit(X[kept], THREE[kept], steps[kept])
        np.testing.assert_array_equal(ours, theirs.coef_)
        assert theirs.margin_ == pytest.approx(
            mm.judge(X[kept], THREE[kept], theirs.coef_[0], theirs.intercept_[0]).margin
        )
    with pytest.raises(InvalidOptionError, match="lengths of its steps"):
        OnlineClassifier("pa").fit(X, TWO, v)


def test_a_run_that_cannot_converge_ends_by_proof() -> None:
    with pytest.warns(ConvergenceWarning, match=r"no run converges, as proven \(overlap\), after [0-9,]+ mistakes, 50"):
        model = PerceptronClassifier().fit(X, TWO)
    assert (model.status_, model.verdict_, model.n_iter_) == ("overlap", "overlap", 50)
    assert PerceptronClassifier(60, n_iter_no_change=None).fit(X, TWO).n_iter_ == 60
    easy, hard = np.array([[1.0], [2.0]]), np.array([[10.0], [10.1]])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert PerceptronClassifier().fit(easy, [0, 1]).status_ == "converged"
        run = PerceptronClassifier(None, n_iter_no_change=1).fit(hard, [0, 1])  # asked, and separable
    assert (run.status_, run.n_mistakes_) == ("converged", mm.perceptron(hard, [0, 1]).n_mistakes)


WRONG: dict[str, tuple[Any, tuple[Any, ...], type[ValueError], str]] = {
    "no classes": (PerceptronClassifier(), (X, TWO), ValueError, "classes must be passed"),
    "a new label": (PerceptronClassifier(), (X, THREE, ["a", "b"]), InvalidProblemError, "the label 'c'"),
    "one class": (PerceptronClassifier(), (X[:1], ["a"], ["a"]), InvalidProblemError, "expected at least two"),
    "balanced": (PerceptronClassifier(class_weight="balanced"), (X, TWO, ["a", "b"]), InvalidOptionError, "all rows"),
    "best": (OnlineClassifier(bias_scale="best"), (X, TWO, ["a", "b"]), InvalidOptionError, "all rows"),
    "rounded": (PerceptronClassifier(), ([[2**53 + 1]], ["a"], ["a", "b"]), InvalidProblemError, "9007199254740993"),
    "too large": (PerceptronClassifier(), ([[1e300]], ["a"], ["a", "b"], [1e200]), InvalidProblemError, "beyond the"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_with_a_part_is_said(name: str) -> None:
    model, data, error, message = WRONG[name]
    with pytest.raises(error, match=message):
        model.partial_fit(*data)


def test_a_part_that_fails_leaves_the_model_and_others_are_of_its_columns_and_classes() -> None:
    model = PerceptronClassifier(warm_start=True).fit(X, TWO)
    before = model.coef_.copy()
    for wrong in ((X[:, :2], TWO), (X, THREE), (X, TWO, ["a", "c"])):
        with pytest.raises(ValueError, match=r"expecting 3|the label|not the same"):
            model.partial_fit(*wrong)
        np.testing.assert_array_equal(model.coef_, before)
    with pytest.raises(ValueError, match="the label 'c'"):
        model.fit(X, THREE)
