"""Every display is drawn on the axes it is given, or on those of a new figure, and can be drawn again."""

import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
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
        mm.perceptron(d.X, d.y), mm.mistake_bounds(d.X, d.y, n_passes=None), **o
    ),
    "bars": lambda d, **o: displays.MistakeBoundsDisplay.from_result(
        mm.perceptron(d.X, d.y), mm.mistake_bounds(d.X, d.y, n_passes=None), kind="bars", **o
    ),
    "soft": lambda d, **o: displays.SoftMarginPathDisplay.from_result(
        mm.soft_margin_path(d.X, d.y, [0.1, 1.0]), quantities=("rows",), **o
    ),
    "orders": lambda d, **o: displays.OrderStudyDisplay.from_result(
        mm.order_study(d.X, d.y, n_orders=10, n_search=10, n_sequence=100), **o
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def made(plane: SimpleNamespace) -> Callable[..., Any]:
    """Return a display that is drawn once on hidden axes."""
    return lambda name, **options: MAKERS[name](plane, **options)


@pytest.mark.parametrize("name", MAKERS)
def test_a_display_is_drawn_on_the_axes_it_is_given_and_again_on_others(
    name: str, ax: Axes, made: Callable[..., Any]
) -> None:
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


@pytest.mark.parametrize("wrong", [3, "ax", [None, None]])
def test_what_is_no_axes_is_refused_and_opens_no_figure(wrong: object, made: Callable[..., Any]) -> None:
    for name in ("hyperplane", "soft"):
        with pytest.raises(InvalidOptionError, match="Axes"):
            made(name, ax=wrong)


def test_a_result_of_another_kind_is_refused(plane: SimpleNamespace) -> None:
    hard = mm.hard_margin(plane.X, plane.y)
    for make in (
        lambda: displays.HyperplaneDisplay.from_result("hard", plane.X, plane.y),
        lambda: displays.MarginDistributionDisplay.from_result(None, plane.X, plane.y),
        lambda: displays.ConvexHullsDisplay.from_result("hard", plane.X, plane.y),  # type: ignore[arg-type]
        lambda: displays.PerceptronPathDisplay.from_result(hard, plane.X, plane.y),  # type: ignore[arg-type]
        lambda: displays.ProofCurvesDisplay.from_result(hard),  # type: ignore[arg-type]
        lambda: displays.MistakeBoundsDisplay.from_result(hard, ()),  # type: ignore[arg-type]
        lambda: displays.SoftMarginPathDisplay.from_result([hard]),  # type: ignore[list-item]
        lambda: displays.OrderStudyDisplay.from_result(hard),  # type: ignore[arg-type]
    ):
        with pytest.raises(InvalidOptionError, match=r"^result (is|has) an? \w+; expected"):
            make()


def test_texts_and_colours_suit_dark_axes(made: Callable[..., Any]) -> None:
    with plt.style.context("dark_background"):
        ax = Figure().add_subplot()
    display = made("hyperplane", ax=ax)  # the style is that of the axes, not of the moment
    assert to_hex(display.marked_.get_edgecolor()[0]) == "#ffffff"
    assert display.line_.get_color() not in (drawing.MAXIMUM, "black")
    legend = ax.get_legend()
    assert legend is not None
    assert {to_hex(text.get_color()) for text in legend.get_texts()} == {"#ffffff"}


@pytest.mark.parametrize("place", ["left", "center", "right"])
def test_a_title_is_above_the_legend(place: Any, made: Callable[..., Any]) -> None:
    figure = Figure(layout="constrained")
    ax = figure.add_subplot()
    title = ax.set_title("Hard margin", loc=place, fontsize=20)
    legend = made("hyperplane", ax=ax).ax_.get_legend()
    figure.draw_without_rendering()
    above, below = title.get_window_extent(), legend.get_window_extent()
    assert ax.get_title(place) == "Hard margin" and above.y0 >= below.y1 > below.y0 > ax.get_window_extent().y1
    assert above.y1 <= figure.bbox.height and (place != "center" or title.get_fontsize() == 20)


def test_a_dollar_sign_in_a_name_begins_no_formula(ax: Axes) -> None:
    display = displays.HyperplaneDisplay.from_result(
        mm.hard_margin([[0.0], [1.0]], ["$x", "y$"]), [[0.0], [1.0]], ["$x", "y$"], ax=ax
    )
    legend = display.ax_.get_legend()
    assert legend is not None and not any(text.get_parse_math() for text in legend.get_texts())
    assert "−1  $x" in [text.get_text() for text in legend.get_texts()]


def test_matplotlib_is_imported_when_something_is_drawn() -> None:
    script = (
        "import sys, maxmargin\n"
        "assert 'maxmargin.displays' not in sys.modules\n"
        "maxmargin.displays.HyperplaneDisplay\n"
        "assert 'matplotlib' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", script], check=True)


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
