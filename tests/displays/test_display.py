"""Every display is drawn on the axes it is given, or on those of a new figure, and can be drawn again."""

import pickle
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import for_each
from commands import python
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.transforms import Bbox
from sklearn.svm import LinearSVC

import maxmargin as mm
from maxmargin import displays
from maxmargin.displays import drawing
from maxmargin.solvers.errors import InvalidOptionError

MAKERS: dict[str, Callable[..., Any]] = {
    "hyperplane": lambda d, **o: displays.HyperplaneDisplay.from_result(mm.hard_margin(d.X, d.y), d.X, d.y, **o),
    "estimator": lambda d, **o: displays.HyperplaneDisplay.from_estimator(LinearSVC().fit(d.X, d.y), d.X, d.y, **o),
    "margins": lambda d, **o: displays.MarginDistributionDisplay.from_result(
        mm.soft_margin(d.X, d.y), d.X, d.y, **o
    ),
    "hulls": lambda d, **o: displays.ConvexHullsDisplay.from_result(mm.hard_margin(d.X, d.y), d.X, d.y, **o),
    "path": lambda d, **o: displays.PerceptronPathDisplay.from_result(mm.perceptron(d.X, d.y), d.X, d.y, **o),
    "curves": lambda d, **o: displays.ProofCurvesDisplay.from_result(mm.mistake_trace(d.X, d.y), **o),
    "mistakes": lambda d, **o: displays.MistakeBoundsDisplay.from_result(
        mm.perceptron(d.X, d.y), mm.mistake_bounds(d.X, d.y), **o
    ),
    "bars": lambda d, **o: displays.MistakeBoundsDisplay.from_result(
        mm.perceptron(d.X, d.y), mm.mistake_bounds(d.X, d.y), kind="bars", **o
    ),
    "soft": lambda d, **o: displays.SoftMarginPathDisplay.from_result(
        mm.soft_margin_path(d.X, d.y, [0.1, 1.0]), quantities=("rows",), **o
    ),
    "orders": lambda d, **o: displays.OrderStudyDisplay.from_result(
        mm.order_study(d.X, d.y, n_orders=10, n_search=10, n_sequence=100), **o
    ),
}  # fmt: skip

# Displays that draw rows, and what makes their results.
ON_ROWS: tuple[tuple[Any, Callable[..., Any]], ...] = (
    (displays.HyperplaneDisplay, mm.hard_margin),
    (displays.HyperplaneDisplay, mm.soft_margin),
    (displays.ConvexHullsDisplay, mm.hard_margin),
    (displays.HyperplaneDisplay, mm.perceptron),
    (displays.PerceptronPathDisplay, mm.perceptron),
)
OF_MARGINS = (displays.HyperplaneDisplay, displays.MarginDistributionDisplay, displays.ConvexHullsDisplay)


@pytest.fixture(scope="module")
def made(plane: SimpleNamespace) -> Callable[..., Any]:
    """Return a display that is drawn once on hidden axes."""
    return lambda name, **options: MAKERS[name](plane, **options)


@pytest.mark.parametrize("name", MAKERS)
def test_a_display_is_drawn_on_the_axes_given_and_on_others(name: str, ax: Axes, made: Callable[..., Any]) -> None:
    display = made(name, ax=ax)
    assert display.ax_ is ax and display.figure_ is ax.figure and ax.has_data()
    assert ax.get_legend() is not None or name == "bars"
    other = Figure().add_subplot()
    assert display.plot(other, legend=False) is display
    assert display.ax_ is other and other.has_data() and other.get_legend() is None
    ax.figure.draw_without_rendering()


def test_without_axes_there_is_one_new_figure(made: Callable[..., Any]) -> None:
    before = plt.get_fignums()
    for name in ("hyperplane", "soft"):
        display = made(name)
        assert len(plt.get_fignums()) == len(before) + 1
        assert [display.ax_] == display.figure_.axes
        plt.close(display.figure_)


@for_each(
    ("options", "words"),
    [
        *(({"ax": wrong}, "Axes") for wrong in (3, "ax", [None, None])),
        *(({"legend": wrong}, "expected True or False") for wrong in ("x", None, 1)),
        *(
            ({"ax": Figure().add_subplot(projection=name)}, f"ax has the projection '{name}'; expected Axes of x and y")
            for name in ("polar", "3d", "aitoff")
        ),
    ],
)
def test_other_options_are_refused_and_open_no_figure(options: Any, words: str, made: Callable[..., Any]) -> None:
    for name in ("hyperplane", "margins", "soft", "curves"):
        with pytest.raises(InvalidOptionError, match=words):
            made(name, **options)


def test_a_result_of_another_kind_is_refused(plane: SimpleNamespace) -> None:
    hard, rows = mm.hard_margin(plane.X, plane.y), (plane.X, plane.y)
    others: list[tuple[Any, Any]] = [(displays.MistakeBoundsDisplay, (hard, ())), (displays.OrderStudyDisplay, (hard,))]
    others += [(displays.SoftMarginPathDisplay, ([hard],)), (displays.ProofCurvesDisplay, (hard,))]
    others += [(displays.PerceptronPathDisplay, (hard, *rows)), *((each, ("hard", *rows)) for each in OF_MARGINS)]
    for display, arguments in (*others, (displays.MarginDistributionDisplay, (None, *rows))):
        with pytest.raises(InvalidOptionError, match=r"^result (is|has) an? \w+; expected"):
            display.from_result(*arguments)


def test_more_than_two_columns_are_refused(ax: Axes) -> None:
    data = mm.load("iris", positive="setosa")
    for display, solve in ON_ROWS:
        with pytest.raises(mm.InvalidProblemError, match=r"X has 4 columns; expected one or two"):
            display.from_result(solve(data.X, data.y), data.X, data.y, ax=ax)


def test_rows_of_another_result_are_refused(plane: SimpleNamespace, overlap: SimpleNamespace, ax: Axes) -> None:
    words = r"expected the X, y and positive|other rows|40 rows of 2 columns, and X has 20 rows"
    others = [(X, None) for X in (plane.X + np.array([0.5, 0.0]), plane.X * 2, plane.X[:, :1])]
    for display, solve in ON_ROWS:
        result = solve(plane.X, plane.y)
        for X, positive in (*others, (plane.X, "setosa")):
            with pytest.raises(mm.InvalidProblemError, match=words):
                display.from_result(result, X, plane.y, positive=positive, ax=ax)
    for display, solve in ON_ROWS[:3]:
        kept = slice(20) if display is displays.HyperplaneDisplay else slice(None, None, -1)
        with pytest.raises(mm.InvalidProblemError, match=words):
            display.from_result(solve(overlap.X, overlap.y), overlap.X[kept], overlap.y[kept], ax=ax)


def test_texts_and_colours_suit_dark_axes(made: Callable[..., Any]) -> None:
    with plt.style.context("dark_background"):
        ax = Figure().add_subplot()
    display = made("hyperplane", ax=ax)  # the style is that of the axes, not of the moment
    assert to_hex(display.marked_.get_edgecolor()[0]) == "#ffffff"
    assert display.line_.get_color() not in (drawing.MAXIMUM, "black")
    legend = ax.get_legend()
    assert {to_hex(text.get_color()) for text in legend.get_texts()} == {"#ffffff"}


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
@pytest.mark.parametrize("is_late", [False, True])
@pytest.mark.parametrize("place", ["left", "center", "right"])
def test_a_title_is_above_the_legend(place: Any, is_late: bool, layout: Any, made: Callable[..., Any]) -> None:
    figure = Figure(layout=layout)
    ax = figure.add_subplot()
    if not is_late:
        title = ax.set_title("Hard margin", loc=place, fontsize=20)
    legend = made("hyperplane", ax=ax).ax_.get_legend()
    if is_late:
        title = ax.set_title("Hard margin", loc=place, fontsize=20)
    figure.set_dpi(200)  # as savefig does
    figure.draw_without_rendering()
    above, below = title.get_window_extent(), legend.get_window_extent()
    assert ax.get_title(place) == "Hard margin" and above.y0 >= below.y1 > below.y0 > ax.get_window_extent().y1
    assert above.y1 <= figure.bbox.height and (place != "center" or title.get_fontsize() == 20)


def legend_box(ax: Axes) -> Bbox:
    """Return the place of the legend in pixels, which is above everything that is drawn within the axes."""
    ax.figure.draw_without_rendering()
    legend = ax.get_legend()
    box = legend.get_window_extent()
    assert box.y0 >= ax.get_window_extent().y1
    return box


@pytest.mark.sampled
@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
@pytest.mark.parametrize("name", [name for name in MAKERS if name != "bars"])
def test_a_legend_is_above_the_axes_and_within_the_figure(name: str, layout: Any, made: Callable[..., Any]) -> None:
    figure = Figure(layout=layout)
    ax = figure.add_subplot()
    made(name, ax=ax)
    box, whole = legend_box(ax), figure.bbox
    assert whole.x0 <= box.x0 < box.x1 <= whole.x1 and whole.y0 <= box.y0 < box.y1 <= whole.y1


@pytest.mark.parametrize("dpi", [50, pytest.param(200, marks=pytest.mark.slow)])
def test_a_layout_that_is_chosen_later_keeps_the_legend(dpi: int, made: Callable[..., Any]) -> None:
    for arrange in (Figure.tight_layout, lambda figure: figure.set_layout_engine("constrained"), pickle.dumps):
        ax = Figure().add_subplot()
        figure = made("hyperplane", ax=ax).figure_
        arrange(figure)
        figure.set_dpi(dpi)
        assert figure.bbox.y1 >= legend_box(ax).y1


@pytest.mark.slow
def test_legends_of_several_axes_meet_no_other_axes(made: Callable[..., Any]) -> None:
    figure = Figure(figsize=(12, 8))
    axes = figure.subplots(2, 2, gridspec_kw={"hspace": 0.4}).ravel()  # the titles have room
    found = []
    for _ in range(2):  # again on the same axes: they do not become lower a second time
        found.append([ax.get_position().height for ax in axes])
        for ax, name in zip(axes, ["hyperplane", "margins", "hulls", "curves"], strict=True):
            ax.clear()
            ax.set_title(name)
            made(name, ax=ax)
        figure.draw_without_rendering()
        for ax in axes:
            box = ax.get_tightbbox()
            assert box.y1 <= figure.bbox.y1 and legend_box(ax).y1 <= figure.bbox.y1
            assert not any(box.overlaps(other.get_tightbbox()) for other in axes if other is not ax)
    assert found[0] != found[1] == pytest.approx([ax.get_position().height for ax in axes])


def test_a_legend_names_the_label_and_explains_its_letters(plane: SimpleNamespace, overlap: SimpleNamespace) -> None:
    frame = pd.DataFrame(plane.X, columns=["length", "width"]).assign(responder=np.where(plane.y == "setosa", 1, 0))
    best = mm.hard_margin(frame, "responder")
    arrays = frame[["length", "width"]].to_numpy(), frame["responder"].to_numpy()  # the result has the name
    for display in OF_MARGINS:
        texts = legend_of(display.from_result(best, *arrays, ax=Figure().add_subplot()).ax_)
        assert {"responder = 0", "responder = 1"} < set(texts)
    soft, ax = mm.soft_margin(overlap.X, overlap.y), Figure().add_subplot()
    displays.HyperplaneDisplay.from_result(soft, overlap.X, overlap.y, ax=ax)
    assert {"y = no", "y = yes"} < set(legend_of(ax))
    iris = mm.load("iris", positive="setosa")
    shown = displays.MarginDistributionDisplay.from_result(mm.hard_margin(iris), iris, ax=Figure().add_subplot())
    assert shown.classes == ("target = setosa", "target: all others")
    trace = displays.ProofCurvesDisplay.from_result(mm.mistake_trace(plane.X, plane.y), ax=Figure().add_subplot())
    assert "M·g, lower bound of w·u*" in legend_of(trace.ax_)
    assert "R: greatest norm of a row, g: margin of u* (rows with the constant)" in trace.ax_.get_xlabel()


def legend_of(ax: Axes) -> list[str]:
    """Return the texts of a legend."""
    legend = ax.get_legend()
    return [text.get_text() for text in legend.get_texts()]


@for_each("unit", [1e-300, 1e-160, 1e150])
def test_data_that_axes_do_not_hold_are_refused(unit: float, ax: Axes) -> None:
    X, y = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]]) * unit, [-1, 1, 1]
    best, run = mm.hard_margin(X, y), mm.perceptron(X, y, bias=False, max_mistakes=10)  # never converges
    for display, result in (*((display, best) for display in OF_MARGINS), (displays.PerceptronPathDisplay, run)):
        with pytest.raises(mm.InvalidProblemError, match=r"modulus 3e.\d+ at most; expected 1e-150 to 1e\+150"):
            display.from_result(result, X, y, ax=ax)


@for_each(("X", "name"), [([[0.0, 1e-300], [1.0, 3e-300]], "column 1"), ([[1e16], [1e16 + 2]], "column 0")])
def test_a_column_whose_numbers_axes_do_not_tell_apart_is_refused(X: Any, name: str, ax: Axes) -> None:
    best = mm.hard_margin(X, [0, 1])
    with pytest.raises(mm.InvalidProblemError, match=f"the numbers of {name} differ by"):
        displays.HyperplaneDisplay.from_result(best, X, [0, 1], ax=ax)


def test_answers_about_single_rows_are_drawn_by_their_margin(plane: SimpleNamespace, ax: Axes) -> None:
    answer = mm.sensitivity(plane.X, plane.y)
    shown, margins, hulls = (display.from_result(answer, plane.X, plane.y, ax=ax) for display in OF_MARGINS)
    assert shown.planes[0].half_width == margins.half_width == answer.margin.margin
    assert shown.marked.tolist() == answer.margin.support.tolist() and hulls.upper == answer.margin.upper


def test_a_dollar_sign_in_a_name_begins_no_formula(ax: Axes) -> None:
    X, y = [[0.0], [1.0]], ["$x", "y$"]
    displays.HyperplaneDisplay.from_result(mm.hard_margin(X, y), X, y, ax=ax)
    legend = ax.get_legend()
    assert legend is not None and not any(text.get_parse_math() for text in legend.get_texts())
    assert "y = $x" in legend_of(ax)


@pytest.mark.slow
def test_matplotlib_is_imported_when_something_is_drawn() -> None:
    script = (
        "import sys, maxmargin\n"
        "assert 'maxmargin.displays' not in sys.modules\n"
        "maxmargin.displays.HyperplaneDisplay\n"
        "assert 'matplotlib' not in sys.modules\n"
    )
    python(script)


@pytest.mark.slow
def test_rows_may_be_a_frame_with_a_column_name_a_formula_or_a_data_set(ax: Axes) -> None:
    iris = mm.load("iris").pair("setosa", "versicolor")
    table = pd.DataFrame(iris.X[:, 2:], columns=["length", "width"]).assign(kind=list(iris.labels))
    arrays = table[["length", "width"]].to_numpy(), table["kind"].to_numpy()
    whole = mm.from_arrays(*arrays)
    best, run = mm.hard_margin(*arrays), mm.perceptron(*arrays)
    for data in [(table, "kind"), (table, "kind ~ length + width"), (whole,), arrays]:
        shown = mm.displays.HyperplaneDisplay.from_result(best, *data, ax=ax)
        assert len(shown.view.points) == 100 and shown.planes[0].half_width == best.margin
        assert sum(map(len, mm.displays.MarginDistributionDisplay.from_result(run, *data, ax=ax).margins)) == 100
        assert mm.displays.ConvexHullsDisplay.from_result(best, *data, ax=ax).upper == best.upper
        assert mm.displays.PerceptronPathDisplay.from_result(run, *data, ax=ax).n_mistakes == run.n_mistakes
