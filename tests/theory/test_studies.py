"""Studies of orders, of shifts and scales, and adversaries: theorems, closed forms, and the perceptron itself."""

import json
import math
from fractions import Fraction
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

import maxmargin as mm
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.teaching import lower_bounds
from maxmargin.theory.order_studies import order_study
from maxmargin.theory.translation_study import SCALES, SHIFTS, preparation_study, scale_study, translation_study

AGRESTI = [[float(x)] for x in (10, 20, 30, 40, 60, 70, 80, 90)], [0, 0, 0, 0, 1, 1, 1, 1]
FAR = [[10.0], [12.0]], [0, 1]
OVERLAP = [[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]
SMALL: dict[str, Any] = {"n_orders": 70, "n_search": 64}


def cloud(n: int, d: int, gap: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(n * d)
    y = np.arange(n) % 2
    return rng.normal(size=(n, d)) + gap * (2 * y[:, np.newaxis] - 1), y


@pytest.mark.parametrize("zero", ["mistake", "positive", "negative"])
@pytest.mark.parametrize("bias", [True, False])
def test_nothing_exceeds_the_bounds_of_any_order(zero: str, bias: bool) -> None:
    X, y = cloud(14, 2, 2.5)
    study = order_study(X, y, bias=bias, zero=zero, **SMALL)
    counts = study.outcomes.n_mistakes
    assert study.outcomes.converged.all() and study.settings.max_epochs is None
    assert study.fewest.n_mistakes <= counts.min() <= counts.max() <= study.most.n_mistakes
    assert study.sequence is not None and study.sequence.is_complete
    assert {bound.name for bound in study.bounds} >= {"novikoff", "augmented_b", "freund_schapire"}
    for bound in study.bounds:
        assert bound.valid and study.most_seen <= bound.value
    assert study.most_seen == max(study.most.n_mistakes, study.sequence.n_mistakes)
    assert study.given.n_mistakes == mm.perceptron(X, y, bias=bias, zero=zero).n_mistakes
    assert "self_certificate" not in {bound.name for bound in study.bounds}
    assert study.run_hard.lower <= study.hard.upper


def test_the_longest_sequence_of_tiny_data_is_the_worst_case() -> None:
    X, y = np.array([[1, 2], [2, 1], [-1, 1], [0, -1]]), [1, 1, 0, 0]
    study = order_study(X, y, **SMALL)
    assert study.exhaustive is not None and study.exhaustive.n_mistakes is not None and study.sequence is not None
    assert study.most_seen <= study.exhaustive.n_mistakes <= min(bound.value for bound in study.bounds)
    assert order_study(X, y, bias_scale=2.0, **SMALL).exhaustive is None
    assert order_study(X, y, bias_scale=2.0, bias=False, **SMALL).exhaustive is not None
    assert order_study(*cloud(40, 2, 3.0), **SMALL).exhaustive is None


@pytest.mark.parametrize("zero, n_mistakes", [("mistake", {233}), ("negative", {222})])
def test_two_numbers_in_their_two_orders(zero: str, n_mistakes: set[int]) -> None:
    """Where the first rows of both orders are mistakes, w = (2, 0) after them, and all goes on alike."""
    study = order_study(*FAR, zero=zero, **SMALL)
    assert {study.fewest.n_mistakes, study.most.n_mistakes, *study.outcomes.n_mistakes.tolist()} == n_mistakes


def test_quantiles_are_numbers_of_mistakes_that_were_made() -> None:
    study = order_study(*AGRESTI, **SMALL)
    counts = study.outcomes.n_mistakes
    assert study.quantiles[0.0] == counts.min() < counts.max() == study.quantiles[1.0]
    for level, value in study.quantiles.items():
        assert value in counts and (counts <= value).mean() >= level >= (counts < value).mean()


def test_orders_and_searches_are_runs_of_the_perceptron() -> None:
    X, y = cloud(20, 3, 1.8)
    study = order_study(X, y, **SMALL)
    counts = [study.outcomes.n_mistakes[69], study.most.n_mistakes, study.fewest.n_mistakes]
    for order, n_mistakes in zip([study.order(69), study.most.order, study.fewest.order], counts, strict=True):
        assert mm.perceptron(X[order], y[order]).n_mistakes == n_mistakes


@pytest.mark.sampled(1)
@pytest.mark.parametrize("data, options", [
    (AGRESTI, {}), (AGRESTI, {"max_mistakes": 500}), (AGRESTI, {"n_sequence": 2}), (OVERLAP, {"max_epochs": 1}),
    (cloud(40, 3, 0.4), {"max_epochs": 1}),
    ((np.sort(cloud(40, 1, 0.4)[0], axis=0), np.repeat([0, 1], 20)), {"max_epochs": 1, "n_search": 0}),
    (cloud(30, 2, 2.5), {}), (cloud(60, 4, 1.0), {"n_orders": 300, "n_search": 1}),
])  # fmt: skip
def test_the_fewest_and_the_most_are_of_everything_seen(data: Any, options: dict[str, Any]) -> None:
    study = order_study(*data, **{**SMALL, **options})
    counts = [*study.outcomes.n_mistakes.tolist(), study.given.n_mistakes]
    assert study.fewest.n_mistakes <= min(counts) and max(counts) <= study.most.n_mistakes
    assert study.fewest_seen <= min(*counts, study.fewest.n_mistakes)
    assert study.most_seen >= max(*counts, study.most.n_mistakes)
    if study.adversary is None:
        assert study.sequence is None or study.sequence.n_mistakes < study.most.n_mistakes
    else:
        assert study.adversary is study.sequence and study.most_seen == study.adversary.n_mistakes
    assert ("an adversary" in study.summary()) == (study.adversary is not None)


def test_a_source_sorted_by_class_may_be_the_best_order() -> None:
    """Two classes far from each other on a line: one after the other they make few mistakes, mixed they make many."""
    X = np.concatenate([np.linspace(10, 11, 40), np.linspace(12, 13, 40)])[:, None]
    y = np.repeat([0, 1], 40)
    study = order_study(X, y, max_epochs=1, **SMALL)
    assert study.is_sorted_by_class and study.given.n_mistakes < study.outcomes.n_mistakes.min()
    assert study.fewest_seen == study.fewest.n_mistakes <= study.given.n_mistakes
    assert not order_study(*cloud(10, 2, 3.0), **SMALL).is_sorted_by_class


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("max_mistakes", [700, None, 10])
def test_orders_that_were_capped_are_counted(max_mistakes: int | None) -> None:
    study = order_study(*AGRESTI, max_mistakes=max_mistakes, **SMALL)
    capped = [not done for done in study.outcomes.converged.tolist()]
    assert study.n_capped == sum(capped) == study.to_dict()["n_capped"]
    assert (study.n_capped == 70) == (max_mistakes == 10) and (study.n_capped == 0) == (max_mistakes is None)
    assert order_study(*OVERLAP, max_epochs=1, **SMALL).n_capped == 0


def test_overlapping_data_stop_at_limits() -> None:
    study = order_study(*OVERLAP, max_mistakes=500, **SMALL)
    assert study.settings.max_epochs == 10 and not study.outcomes.converged.any()
    assert study.run_hard.upper == 0 and {bound.name for bound in study.bounds} >= {"hinge_optimum", "trivial"}
    assert all(study.outcomes.n_mistakes.max() <= bound.value for bound in study.bounds)
    assert study.sequence is not None and not study.sequence.is_complete and study.sequence.n_mistakes == 500
    assert study.exhaustive is not None and study.exhaustive.n_mistakes is None and study.exhaustive.cycle
    assert order_study(*OVERLAP, max_epochs=3, max_mistakes=50, **SMALL).outcomes.n_epochs.max() == 3
    json.dumps(study.to_dict(), allow_nan=False)


@pytest.mark.slow
def test_a_study_is_plain_data_and_repeatable() -> None:
    text = json.dumps(order_study(*AGRESTI, rng=3, **SMALL).to_dict(), allow_nan=False)
    assert text == json.dumps(mm.order_study(*AGRESTI, rng=3, **SMALL).to_dict(), allow_nan=False)
    assert text != json.dumps(order_study(*AGRESTI, rng=4, **SMALL).to_dict(), allow_nan=False)
    assert mm.order_study is order_study


def test_progress_is_told() -> None:
    seen: list[tuple[int, int]] = []
    order_study(*FAR, n_orders=100, n_search=1, on_progress=lambda done, total: seen.append((done, total)))
    assert seen == [(64, 100), (100, 100)]


def test_a_generator_gives_the_seed_of_a_study() -> None:
    first, same = (order_study(*FAR, rng=np.random.default_rng(5), **SMALL) for _ in range(2))
    assert first.runs.seed == same.runs.seed
    generator = np.random.default_rng(5)
    assert order_study(*FAR, rng=generator, **SMALL).runs.seed != order_study(*FAR, rng=generator, **SMALL).runs.seed


def test_the_best_scale_has_its_bound() -> None:
    study = order_study(*FAR, bias_scale="best", **SMALL)
    bounds = {bound.name: bound.value for bound in study.bounds}
    assert math.isclose(bounds["best_scale"], 23**2, rel_tol=1e-9)
    assert study.most.n_mistakes <= bounds["best_scale"]


@pytest.mark.parametrize(
    "options",
    [{"n_orders": 0}, {"n_search": -1}, {"n_sequence": 0.5}, {"rng": -1}, {"zero": "other"}, {"max_epochs": 0}],
)
def test_bad_options_of_a_study_are_refused(options: Any) -> None:
    with pytest.raises(InvalidProblemError, match=next(iter(options))):
        order_study(*FAR, **options)


def test_agresti_is_moved() -> None:
    """gamma* = 10 everywhere; at t the rows have R = 50 |t + 1| + 40 and |b*| = 50 |t + 1|."""
    points = translation_study(*AGRESTI)
    assert tuple(point.shift for point in points) == SHIFTS
    by_shift = {point.shift: point for point in points}
    assert (by_shift[-1.0].n_mistakes, by_shift[0.0].n_mistakes) == (1, 1701)
    for shift, point in by_shift.items():
        offset = 50 * abs(shift + 1)
        assert point.margin_lower <= 10 <= point.margin_upper and point.converged
        assert math.isclose(point.radius, offset + 40)
        assert point.offset is not None and math.isclose(point.offset, offset, abs_tol=1e-6)
        assert math.isclose(point.best_scale_bound, (2 * offset + 40) ** 2 / 100, rel_tol=1e-6)
        assert point.n_mistakes <= point.novikoff and not point.is_best_scale


def test_the_best_scale_of_every_shift_keeps_its_bound() -> None:
    for point in translation_study(*AGRESTI, bias_scale="best", shifts=[-0.5, 0, 3]):
        assert point.is_best_scale and point.n_mistakes <= point.best_scale_bound


@given(st.integers(-4, 4), st.integers(-4, 4))
@settings(max_examples=10)
def test_whole_shifts_are_exact(first: int, second: int) -> None:
    X, y = [[0.0, 1.0], [2.0, 0.0], [4.0, 5.0], [5.0, 3.0]], [0, 0, 1, 1]
    still, moved = translation_study(X, y, direction=[first, second], shifts=[0, 8], max_mistakes=10_000)
    assert max(still.margin_lower, moved.margin_lower) <= min(still.margin_upper, moved.margin_upper)
    run = mm.perceptron(np.array(X) + 8.0 * np.array([first, second]), y, max_mistakes=10_000)
    assert moved.n_mistakes == run.n_mistakes


def test_a_shift_is_refused_where_it_overflows_or_has_another_shape() -> None:
    with pytest.raises(InvalidProblemError, match="infinity"):
        translation_study([[1e308], [1.5e308]], [0, 1], shifts=[9])
    with pytest.raises(InvalidProblemError, match="direction"):
        translation_study(*FAR, direction=[1.0, 2.0])
    with pytest.raises(InvalidProblemError, match="best"):
        translation_study(*OVERLAP, bias_scale="best")


def test_the_scale_study_marks_the_best_scale() -> None:
    """{10: -, 12: +}: s = sqrt(12 * 11), and the bound there is 23^2."""
    points = scale_study(*FAR)
    assert len(points) == len(SCALES)
    assert [point.bias_scale for point in points] == sorted(point.bias_scale for point in points)
    (best,) = [point for point in points if point.is_best_scale]
    assert math.isclose(best.bias_scale, math.sqrt(132), rel_tol=1e-12)
    assert best.n_mistakes <= best.best_scale_bound and math.isclose(best.best_scale_bound, 23**2, rel_tol=1e-9)
    for point in points:
        assert point.n_mistakes <= point.novikoff
        assert point.is_best_scale or point.novikoff > best.novikoff
    alone = scale_study(*FAR, scales=[1.0])
    assert [point.is_best_scale for point in alone] == [False, True] and alone[0].n_mistakes == 233


def test_through_the_middle_there_is_no_best_scale() -> None:
    points = scale_study([[-3.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1])
    assert not any(point.is_best_scale for point in points) and len(points) == len(SCALES)
    with pytest.raises(InvalidProblemError, match="separable"):
        scale_study(*OVERLAP)


def test_preparations() -> None:
    raw, centred, standardised, unit = preparation_study(csr_array(AGRESTI[0]), AGRESTI[1], max_mistakes=3000)
    assert (raw.n_mistakes, centred.n_mistakes) == (1701, 1)
    assert raw.margin_lower <= 10 <= raw.margin_upper and centred.margin_lower <= 10 <= centred.margin_upper
    deviation = np.std(AGRESTI[0])
    assert math.isclose(standardised.margin_upper, 10 / deviation, rel_tol=1e-9)
    # All rows of norm 1 are the same number: they overlap.
    assert unit.margin_upper == 0 and unit.offset is None and unit.novikoff == math.inf
    assert not unit.converged and unit.n_mistakes == 3000
    assert [point.preparation for point in (raw, unit)] == ["raw", "unit"]


class Memory:
    """Predicts the label of the nearest row it was told, +1 at first."""

    def __init__(self) -> None:
        self.told: list[tuple[lower_bounds.Vector, int]] = []

    def predict(self, x: lower_bounds.Vector) -> int:
        return min(self.told, key=lambda told: abs(told[0][0] - x[0]), default=(x, 1))[1]

    def learn(self, x: lower_bounds.Vector, label: int) -> None:
        self.told.append((x, label))


class Stubborn(Memory):
    def predict(self, x: lower_bounds.Vector) -> int:
        return -1


class Broken(Memory):
    def predict(self, x: lower_bounds.Vector) -> int:
        return 2


def check_separator(found: lower_bounds.EndlessMistakes) -> None:
    for x, label in zip(found.rows, found.labels, strict=True):
        assert label * (sum(a * b for a, b in zip(found.w, x, strict=True)) + found.b) > 0
    assert 0 < found.margin_squared_lower <= found.margin_squared_upper
    assert found.perceptron_mistakes * found.margin_squared_upper <= found.radius_squared


@pytest.mark.parametrize("learner", [None, lower_bounds.ExactPerceptron(), Memory(), Stubborn()])
def test_every_learner_of_thresholds_errs_every_round(learner: Any) -> None:
    found = lower_bounds.bisecting_threshold(learner, 120)
    check_separator(found)
    assert found.n_mistakes == len(found.rows) == len(set(found.rows)) == 120
    assert all(0 < x < 1 for (x,) in found.rows)
    assert found.rows[-1][0].denominator == 2**120
    if not isinstance(learner, Memory):
        assert found.perceptron_mistakes == 120


def test_the_learner_is_asked_again() -> None:
    found = lower_bounds.bisecting_threshold(Memory(), 40)
    again = Memory()
    for x, label in zip(found.rows, found.labels, strict=True):
        assert again.predict(x) != label
        again.learn(x, label)


@pytest.mark.slow
@pytest.mark.parametrize("n_rounds", [1, 2, 3, 10, 60, 150])
def test_shrinking_rows_are_mistakes(n_rounds: int) -> None:
    found = lower_bounds.shrinking_norms(n_rounds)
    check_separator(found)
    assert found.perceptron_mistakes == found.n_mistakes == len(found.rows) == n_rounds and not found.bias
    squares = [sum(value * value for value in x) for x in found.rows]
    for before, after in pairwise(squares):
        assert 0 < after < before / 3 or before == 1  # the second row is the first one that a turn makes
    w = [Fraction(0), Fraction(0)]
    for k, (x, label) in enumerate(zip(found.rows, found.labels, strict=True)):
        score = label * sum(a * b for a, b in zip(w, x, strict=True))
        assert score < 0 if k else score == 0
        w = [a + label * b for a, b in zip(w, x, strict=True)]


ADVERSARIES = (partial(lower_bounds.bisecting_threshold, None), lower_bounds.shrinking_norms)


@pytest.mark.parametrize("adversary", ADVERSARIES)
def test_the_margin_shrinks_geometrically(adversary: Any) -> None:
    upper = [adversary(n).margin_squared_upper for n in (5, 10, 20, 40)]
    assert all(after < before / 100 for before, after in pairwise(upper))


def test_the_compiled_perceptron_makes_the_same_mistakes() -> None:
    """Ten rows of either adversary are binary64 numbers."""
    for found in (lower_bounds.bisecting_threshold(None, 30), lower_bounds.shrinking_norms(8)):
        X = np.array([[float(value) for value in x] for x in found.rows])
        assert [[Fraction(value) for value in x] for x in X.tolist()] == [list(x) for x in found.rows]
        y = np.array(found.labels)
        if len(set(y.tolist())) == 2:
            assert mm.perceptron(X, y, bias=found.bias, max_epochs=1).n_mistakes == len(y)


@pytest.mark.parametrize("n_rounds", [0, -3, 1.5])
def test_rounds_are_whole_numbers(n_rounds: Any) -> None:
    for adversary in ADVERSARIES:
        with pytest.raises(InvalidOptionError, match="n_rounds"):
            adversary(n_rounds)
    with pytest.raises(InvalidOptionError, match="predicts 2"):
        lower_bounds.bisecting_threshold(Broken(), 3)
