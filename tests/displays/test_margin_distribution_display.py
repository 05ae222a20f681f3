"""The histogram of margins counts every row, and has no bar inside a band where no row is."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.axes import Axes
from sklearn.linear_model import LogisticRegression

import maxmargin as mm
from maxmargin.displays import MarginDistributionDisplay
from maxmargin.displays.margin_distribution_display import edges_of


def counted(display: MarginDistributionDisplay) -> list[float]:
    """Return the rows of the classes +1 and -1 in the bars."""
    return [sum(bar.get_height() for bar in bars) for bars in display.bars_]


@pytest.mark.parametrize("name", ["iris", "breast_cancer", "overlap-of-one"])
def test_no_bar_stands_in_the_band_of_a_hard_margin(name: str, ax: Axes) -> None:
    data = {
        "iris": lambda: mm.load("iris", positive="setosa"),
        "breast_cancer": lambda: mm.load("breast_cancer"),
        "overlap-of-one": lambda: mm.from_arrays([[0.1], [0.3]], [0, 1]),  # all rows on the ends of the band
    }[name]()
    best = mm.hard_margin(data.X, data.y)
    display = MarginDistributionDisplay.from_result(best, data.X, data.y, ax=ax)
    assert counted(display) == [int((data.y > 0).sum()), int((data.y < 0).sum())]
    assert best.margin is not None and display.half_width == best.margin > 0
    assert best.margin in display.edges
    lowest = min(bar.get_x() for bars in display.bars_ for bar in bars if bar.get_height() > 0)
    assert lowest >= best.margin * (1 - 1e-12)  # matplotlib computes it from the middle of the bar
    assert (display.band_.get_x(), display.band_.get_x() + display.band_.get_width()) == (-best.margin, best.margin)


def test_the_margins_are_those_of_the_rows(overlap: SimpleNamespace, ax: Axes) -> None:
    model = LogisticRegression().fit(overlap.X, overlap.y)
    display = MarginDistributionDisplay.from_estimator(model, overlap.X, overlap.y, ax=ax)
    signed = (overlap.X @ model.coef_[0] + model.intercept_[0]) / np.linalg.norm(model.coef_)
    np.testing.assert_allclose(display.margins[0], signed[overlap.y == "yes"])
    np.testing.assert_allclose(display.margins[1], -signed[overlap.y == "no"])
    assert display.half_width is None and display.band_ is None
    n_wrong = sum(int((values < 0).sum()) for values in display.margins)
    drawn = [bar for bars in display.bars_ for bar in bars if bar.get_x() + bar.get_width() <= 0]
    assert sum(bar.get_height() for bar in drawn) == n_wrong > 0


def test_rows_with_slack_stand_in_the_band_of_a_soft_margin(overlap: SimpleNamespace, ax: Axes) -> None:
    answer = mm.soft_margin(overlap.X, overlap.y)
    display = MarginDistributionDisplay.from_result(answer, overlap.X, overlap.y, ax=ax)
    width = 1 / np.linalg.norm(answer.w)
    assert display.half_width == pytest.approx(width)
    assert any(np.isclose(display.edges, width)) and 0.0 in display.edges


def test_a_result_without_a_hyperplane_is_refused(overlap: SimpleNamespace, ax: Axes) -> None:
    with pytest.raises(mm.InvalidProblemError, match="the result has no hyperplane"):
        MarginDistributionDisplay.from_result(mm.hard_margin(overlap.X, overlap.y), overlap.X, overlap.y, ax=ax)


@given(
    values=st.lists(st.floats(-100, 100), min_size=1, max_size=20),
    margin=st.one_of(st.just(0.0), st.floats(1e-6, 200)), is_hard=st.booleans(),
)  # fmt: skip
def test_edges_enclose_everything_and_keep_both_sides_apart(values: list[float], margin: float, is_hard: bool) -> None:
    numbers = np.maximum(np.array(values), margin) if is_hard else np.array(values)
    edges = edges_of(float(numbers.min()), float(numbers.max()), len(numbers), margin)
    assert (np.diff(edges) > 0).all() and 0.0 in edges
    assert margin in edges
    heights, _ = np.histogram(numbers, edges)
    assert heights.sum() == len(numbers)
    assert heights[edges[:-1] < margin].sum() == (numbers < margin).sum()
