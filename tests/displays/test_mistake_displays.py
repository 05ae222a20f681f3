"""The pictures of mistakes: bounds at their heights, the proof's curves, and the orders of the rows."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.axes import Axes

import maxmargin as mm
from maxmargin.displays import MistakeBoundsDisplay, OrderStudyDisplay, ProofCurvesDisplay
from maxmargin.solvers.errors import InvalidOptionError


def test_bounds_stand_at_their_heights_and_the_curve_ends_at_the_mistakes(line: SimpleNamespace, ax: Axes) -> None:
    run, bounds = mm.perceptron(line.X, line.y), mm.mistake_bounds(line.X, line.y)
    display = MistakeBoundsDisplay.from_result(run, bounds, ax=ax)
    valid = {bound.name: bound.value for bound in bounds if bound.valid and np.isfinite(bound.value)}
    assert display.bounds == valid and list(valid.values()) != sorted(valid.values()) == [*display.bounds.values()]
    for name, drawn in display.bounds_.items():
        assert [*np.asarray(drawn.get_ydata())] == [valid[name]] * 2
    epochs, mistakes = (np.asarray(values) for values in display.line_.get_data())
    assert mistakes[-1] == run.n_mistakes and epochs[-1] == run.n_epochs
    np.testing.assert_array_equal(mistakes, np.cumsum(run.mistakes_per_epoch)[epochs.astype(int) - 1])
    low, high = ax.get_ylim()
    assert low < min(mistakes) and max(valid.values()) < high


def test_bars_have_the_lengths_of_the_bounds(line: SimpleNamespace, ax: Axes) -> None:
    run, bounds = mm.perceptron(line.X, line.y), mm.mistake_bounds(line.X, line.y)
    display = MistakeBoundsDisplay.from_result(run, bounds, kind="bars", ax=ax)
    assert display.bars_ is not None and display.line_ is None
    assert [bar.get_width() for bar in display.bars_] == [run.n_mistakes, *display.bounds.values()]
    assert [text.get_text() for text in ax.get_yticklabels()] == ["mistakes made", *display.bounds]
    with pytest.raises(InvalidOptionError, match="kind is 'pie'"):
        MistakeBoundsDisplay.from_result(run, bounds, kind="pie", ax=ax)  # type: ignore[arg-type]


def test_bounds_not_proven_are_left_out_and_those_of_fewer_passes_refused(line: SimpleNamespace, ax: Axes) -> None:
    run = mm.perceptron(line.X, line.y)
    first, *_ = mm.mistake_bounds(line.X, line.y)
    shown = MistakeBoundsDisplay.from_result(run, [first, replace(first, name="no", valid=False)], ax=ax)
    assert list(shown.bounds) == ["novikoff"]
    none = MistakeBoundsDisplay.from_result(run, [replace(first, value=float("inf"))], ax=ax)
    assert none.bounds == {} and none.bounds_ == {}
    with pytest.raises(mm.InvalidProblemError, match="the run made 233 mistakes, and the bound sum_of_squares is 173"):
        MistakeBoundsDisplay.from_result(run, mm.mistake_bounds(line.X, line.y, n_passes=1), ax=ax)


@pytest.mark.slow
def test_the_curves_are_the_columns_of_the_trace(line: SimpleNamespace, ax: Axes) -> None:
    trace = mm.mistake_trace(line.X, line.y)
    display = ProofCurvesDisplay.from_result(trace, ax=ax)
    assert set(display.lines_) == {"norm_at_most", "root_of_squares", "norm", "w_dot_u", "w_dot_u_at_least"}
    for name, drawn in display.lines_.items():
        M, values = (np.asarray(part) for part in drawn.get_data())
        np.testing.assert_array_equal(M, trace.n_mistakes)
        is_drawn = np.isfinite(values)
        np.testing.assert_array_equal(values[is_drawn], trace.columns()[name][is_drawn])
        assert is_drawn.sum() > 200
    (at,), (height,) = (np.asarray(part) for part in display.meeting_.get_data())
    assert at == trace.bound and height == pytest.approx(np.sqrt(trace.bound) * trace.radius)
    assert ax.get_ylim()[1] > height


def test_the_potential_falls_with_every_mistake(line: SimpleNamespace, overlap: SimpleNamespace, ax: Axes) -> None:
    trace = mm.mistake_trace(line.X, line.y)
    display = ProofCurvesDisplay.from_result(trace, kind="potential", ax=ax)
    assert display.meeting_ is not None and display.meeting_.get_data() == ([trace.bound], [trace.bound])
    fallen, guaranteed = (np.asarray(display.lines_[name].get_ydata()) for name in ("potential_drop", "n_mistakes"))
    np.testing.assert_array_equal(fallen, trace.potential_drop)
    assert (fallen >= guaranteed).all() and fallen[-1] <= trace.bound
    with pytest.raises(InvalidOptionError, match="kind is 'energy'"):
        ProofCurvesDisplay.from_result(trace, kind="energy", ax=ax)  # type: ignore[arg-type]
    stopped = mm.mistake_trace(overlap.X, overlap.y, max_epochs=3)
    with pytest.raises(mm.InvalidProblemError, match="no hyperplane is known to separate"):
        ProofCurvesDisplay.from_result(stopped, kind="potential", ax=ax)


def test_without_a_separating_hyperplane_there_are_upper_curves_only(overlap: SimpleNamespace, ax: Axes) -> None:
    trace = mm.mistake_trace(overlap.X, overlap.y, max_epochs=3)
    display = ProofCurvesDisplay.from_result(trace, ax=ax)
    assert set(display.lines_) == {"norm_at_most", "root_of_squares", "norm"} and display.meeting_ is None


@pytest.mark.slow
def test_the_histogram_counts_every_order_and_marks_the_extremes(line: SimpleNamespace, ax: Axes) -> None:
    study = mm.order_study(line.X, line.y, n_orders=30, n_search=50, n_sequence=2000)
    display = OrderStudyDisplay.from_result(study, ax=ax)
    assert sum(bar.get_width() for bar in display.bars_) == 30
    heights = {name.partition(":")[0]: float(np.asarray(mark.get_ydata())[0]) for name, mark in display.marks_.items()}
    assert heights["order of the source"] == 233 and heights["fewest by search"] == study.fewest.n_mistakes
    assert heights["most by search"] == study.most.n_mistakes and heights["worst of all, proven"] == study.worst_case
    values = {bound.name: bound.value for bound in study.bounds}
    assert display.bounds and display.bounds.items() <= values.items()
    for name, drawn in display.bounds_.items():
        assert [*np.asarray(drawn.get_ydata())] == [values[name]] * 2
