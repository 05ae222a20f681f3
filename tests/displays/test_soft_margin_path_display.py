"""The curves over C are those of the answers, and the limit is the hard margin."""

from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import maxmargin as mm
from maxmargin.displays import SoftMarginPathDisplay
from maxmargin.displays.soft_margin_path_display import QUANTITIES
from maxmargin.solvers.errors import InvalidOptionError


def drawn_on_all(result: object, **options: object) -> SoftMarginPathDisplay:
    axes = Figure(figsize=(6, 9)).subplots(len(QUANTITIES))
    return SoftMarginPathDisplay.from_result(result, quantities=QUANTITIES, ax=axes, **options)  # type: ignore[arg-type]


def test_the_curves_are_those_of_the_answers_in_the_order_of_c(plane: SimpleNamespace) -> None:
    path = mm.soft_margin_path(plane.X, plane.y, [10.0, 0.01, 1.0])
    display = drawn_on_all(path)
    expected = {
        "objective": lambda point: point.objective, "norm": lambda point: np.linalg.norm(point.w),
        "margin": lambda point: 1 / np.linalg.norm(point.w), "slack": lambda point: point.slack.sum(),
        "support rows": lambda point: len(point.support), "rows with slack": lambda point: (point.slack > 1e-6).sum(),
        "errors": lambda point: point.n_errors,
    }  # fmt: skip
    assert set(display.lines_) == set(expected)
    for name, value in expected.items():
        C, drawn = display.lines_[name].get_data()
        assert [*np.asarray(C)] == [0.01, 1.0, 10.0]
        by_C = [value(point) for point in sorted(path, key=lambda point: point.C)]
        np.testing.assert_allclose(np.asarray(drawn), by_C, rtol=1e-12)


@pytest.mark.slow
def test_the_limit_is_the_hard_margin_given_or_reached(plane: SimpleNamespace, overlap: SimpleNamespace) -> None:
    hard = mm.hard_margin(plane.X, plane.y)
    path = mm.soft_margin_path(plane.X, plane.y, [0.01, 0.1])
    display = drawn_on_all(path, hard=hard)
    heights = {name: np.asarray(line.get_ydata())[0] for name, line in display.limits_.items()}
    assert heights == {"objective": 0.5 / hard.lower / hard.lower, "norm": 1 / hard.lower, "margin": hard.lower}
    assert display.limits_["margin"].get_label() == "maximum margin γ* = 0.65192"
    names = [str(line.get_label()).partition(" = ")[0] for line in display.limits_.values()]
    assert names == ["½‖w‖² of the hard margin", "‖w‖ of the hard margin", "maximum margin γ*"]
    assert drawn_on_all(path).limit is None
    reached = drawn_on_all(mm.soft_margin_path(plane.X, plane.y, [0.01, 1e4]))
    assert reached.limit == pytest.approx(hard.lower, rel=1e-6)
    assert reached.limits_["margin"].get_label() == "maximum margin γ* ≈ 0.6519"
    never = mm.soft_margin_path(overlap.X, overlap.y, [0.01, 1e4])
    assert drawn_on_all(never, hard=mm.hard_margin(overlap.X, overlap.y)).limit is None
    assert drawn_on_all(never).limit is None


def test_weights_count_in_the_slack(overlap: SimpleNamespace) -> None:
    weights = np.arange(40.0)
    answer = mm.soft_margin(overlap.X, overlap.y, sample_weight=weights)
    assert drawn_on_all([answer]).slack == pytest.approx([answer.slack @ weights])


def test_the_hard_margin_of_other_rows_is_refused(plane: SimpleNamespace, overlap: SimpleNamespace) -> None:
    path = mm.soft_margin_path(overlap.X, overlap.y, [100.0])
    with pytest.raises(mm.InvalidProblemError, match="expected answers about the same rows"):
        drawn_on_all(path, hard=mm.hard_margin(plane.X, plane.y))


def test_there_is_one_panel_for_each_quantity(plane: SimpleNamespace, ax: Axes) -> None:
    path = mm.soft_margin_path(plane.X, plane.y, [0.1, 1.0])
    display = SoftMarginPathDisplay.from_result(path)
    assert display.axes_ == display.figure_.axes and len(display.axes_) == len(display.quantities) == 4
    plt.close(display.figure_)
    with pytest.raises(InvalidOptionError, match="ax has 1 Axes; expected 4"):
        SoftMarginPathDisplay.from_result(path, ax=ax)
    with pytest.raises(mm.InvalidProblemError, match="result has no answer"):
        SoftMarginPathDisplay.from_result([], ax=ax)


def test_a_margin_is_drawn_only_where_there_is_a_hyperplane(ax: Axes) -> None:
    X, y = [[0.0], [0.0], [1.0], [1.0]], [0, 1, 0, 1]
    path = mm.soft_margin_path(X, y, [0.1, 1.0])
    display = SoftMarginPathDisplay.from_result(path, quantities=("margin",), ax=ax)
    assert display.lines_ == {} and [text.get_text() for text in ax.texts] == ["w = 0 at every C: no margin to show"]


def test_what_is_no_path_is_refused(plane: SimpleNamespace) -> None:
    hard, path = mm.hard_margin(plane.X, plane.y), mm.soft_margin_path(plane.X, plane.y, [1.0])
    for result in (None, 3, "path", hard):
        with pytest.raises(InvalidOptionError, match=r"^result (is|has) a \w+; expected what soft_margin_path"):
            SoftMarginPathDisplay.from_result(result)  # type: ignore[arg-type]
    for other in ("x", path):
        with pytest.raises(InvalidOptionError, match=r"^hard is a \w+; expected what hard_margin returns, or None$"):
            SoftMarginPathDisplay.from_result(path, hard=other)  # type: ignore[arg-type]
    wrong = ((None, "has"), ("path", "has"), (("width",), "has 'width'"), ((), "is empty"))
    for quantities, words in wrong:
        with pytest.raises(InvalidOptionError, match=f"quantities {words}"):
            SoftMarginPathDisplay.from_result(path, quantities=quantities)  # type: ignore[arg-type]
