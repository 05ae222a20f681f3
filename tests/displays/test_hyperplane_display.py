"""What `HyperplaneDisplay` draws is what the result says."""

import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.axes import Axes
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

import maxmargin as mm
from maxmargin.displays import HyperplaneDisplay, MarginDistributionDisplay
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.proof.certificate import SeparatingHyperplane


def scores_on(drawn: Any, w: Any, b: float) -> Any:
    """Return (w.p + b)/||w|| at the points of a line."""
    return (np.column_stack(drawn.get_data()) @ w + b) / np.linalg.norm(w)


def test_the_line_and_the_band_of_a_hard_margin(plane: SimpleNamespace, ax: Axes) -> None:
    best = mm.hard_margin(plane.X, plane.y)
    display = HyperplaneDisplay.from_result(best, plane.X, plane.y, ax=ax)
    np.testing.assert_allclose(scores_on(display.line_, best.w, best.b), 0, atol=1e-12)
    (drawn,) = display.planes
    assert drawn.half_width == best.margin
    corners = np.abs(display.band_.get_xy() @ best.w + best.b) / np.linalg.norm(best.w)
    np.testing.assert_allclose(corners, best.margin, rtol=1e-12)
    edges = [scores_on(drawn, best.w, best.b) for drawn in ax.get_lines() if drawn is not display.line_]
    np.testing.assert_allclose(sorted(float(edge[0]) for edge in edges), [-best.margin, best.margin], rtol=1e-12)
    inside = [bool(row) for row in display.band_.get_path().contains_points(plane.X, radius=-1e-9)]
    assert not any(inside)


def test_every_row_is_drawn_and_the_support_rows_are_circled(plane: SimpleNamespace, ax: Axes) -> None:
    best = mm.hard_margin(plane.X, plane.y)
    display = HyperplaneDisplay.from_result(best, plane.X, plane.y, ax=ax)
    negative, positive = display.rows_
    np.testing.assert_array_equal(negative.get_offsets(), plane.X[plane.y == "setosa"])
    np.testing.assert_array_equal(positive.get_offsets(), plane.X[plane.y == "versicolor"])
    assert display.marked_ is not None and display.marked_name == "support rows"
    np.testing.assert_array_equal(display.marked_.get_offsets(), plane.X[best.support])


def test_a_soft_margin_has_the_band_in_which_slack_begins(overlap: SimpleNamespace, ax: Axes) -> None:
    answer = mm.soft_margin(overlap.X, overlap.y, 2.0)
    display = HyperplaneDisplay.from_result(answer, overlap.X, overlap.y, ax=ax)
    assert display.planes[0].half_width == pytest.approx(1 / np.linalg.norm(answer.w))
    np.testing.assert_array_equal(display.marked, answer.support)
    nu = mm.nu_margin(overlap.X, overlap.y, 0.5)
    shown = HyperplaneDisplay.from_result(nu, overlap.X, overlap.y, ax=ax)
    assert shown.planes[0].half_width == pytest.approx(nu.rho / np.linalg.norm(nu.w))


def test_data_that_are_not_separable_have_no_hyperplane_and_no_band(overlap: SimpleNamespace, ax: Axes) -> None:
    answer = mm.hard_margin(overlap.X, overlap.y)
    display = HyperplaneDisplay.from_result(answer, overlap.X, overlap.y, ax=ax)
    assert (display.planes, display.line_, display.band_) == ((), None, None)
    assert display.marked_name == "rows that exclude strict separation" and display.marked_ is not None
    assert display.marked.tolist() == [*answer.certificate.rows]  # type: ignore[union-attr]


def test_only_a_run_that_separates_has_a_band(plane: SimpleNamespace, overlap: SimpleNamespace, ax: Axes) -> None:
    run = mm.perceptron(plane.X, plane.y)
    (drawn,) = HyperplaneDisplay.from_result(run, plane.X, plane.y, ax=ax).planes
    assert drawn.half_width == run.margin > 0
    stopped = mm.perceptron(overlap.X, overlap.y, max_epochs=3)
    display = HyperplaneDisplay.from_result(stopped, overlap.X, overlap.y, ax=ax)
    assert display.band_ is None and display.marked_name == "errors"
    margins = np.where(overlap.y == "yes", 1, -1) * (overlap.X @ stopped.w + stopped.b)
    assert display.marked.tolist() == np.flatnonzero(margins <= 0).tolist()


def test_judged_hyperplanes_and_online_runs_are_drawn(plane: SimpleNamespace, ax: Axes) -> None:
    for result in (mm.judge(plane.X, plane.y, [1.0, 0.0], -2.5), mm.online(plane.X, plane.y, "margin-perceptron")):
        display = HyperplaneDisplay.from_result(result, plane.X, plane.y, ax=ax)
        assert display.planes[0].half_width == result.margin and display.marked_name == "rows at the band"


@pytest.mark.parametrize("x, b, marked", [
    ([0.0, 1.0, 4.0], -2.5, [1, 2]),
    ([0.1 + 0.2, 0.3, 0.29, 1.0], -0.5, [0, 1]),  # the first is nearest by one unit in the last place
])  # fmt: skip
def test_rows_at_the_band_are_those_that_the_picture_shows_there(x: Any, b: float, marked: Any, ax: Axes) -> None:
    X, y = np.array(x)[:, np.newaxis], [0] * (len(x) - 1) + [1]
    assert HyperplaneDisplay.from_result(mm.judge(X, y, [1.0], b), X, y, ax=ax).marked.tolist() == marked


def test_support_rows_of_an_estimator_are_at_the_band(plane: SimpleNamespace, ax: Axes) -> None:
    model = mm.MaxMarginClassifier(C=np.inf).fit(plane.X, plane.y)
    marked = HyperplaneDisplay.from_estimator(model, plane.X, plane.y, ax=ax).marked
    assert set(model.support_) <= set(marked.tolist())


@pytest.mark.parametrize("copied", [False, True])
def test_a_verdict_is_drawn_by_the_hyperplane_that_proves_it(copied: bool, plane: SimpleNamespace, ax: Axes) -> None:
    answer = mm.separability(plane.X, plane.y)
    answer = pickle.loads(pickle.dumps(answer)) if copied else answer
    display = HyperplaneDisplay.from_result(answer, plane.X, plane.y, ax=ax)
    proof, (drawn,) = answer.certificate, display.planes
    assert isinstance(proof, SeparatingHyperplane) and drawn.plane.name == "separating hyperplane"
    np.testing.assert_allclose(scores_on(display.line_, [float(v) for v in proof.w], float(proof.b)), 0, atol=1e-9)
    assert drawn.half_width == mm.judge(plane.X, plane.y, drawn.plane.w, drawn.plane.b).margin > 0
    for X, positive in ((plane.X + 1, None), (plane.X, "setosa")):
        with pytest.raises(mm.InvalidProblemError, match="about other rows"):
            HyperplaneDisplay.from_result(answer, X, plane.y, positive=positive, ax=ax)


def test_quasi_separable_rows_have_a_hyperplane_and_others_none(overlap: SimpleNamespace, ax: Axes) -> None:
    X, y = [[0.0, 0.0], [0.1, 0.3], [0.1, 0.3], [2.0, 1.0]], [0, 0, 1, 1]
    answer = mm.separability(X, y)
    display = HyperplaneDisplay.from_result(answer, X, y, ax=ax)
    assert display.line_ is not None and display.band_ is None and display.marked.tolist() == [1, 2]
    margins = MarginDistributionDisplay.from_result(answer, X, y, ax=ax).margins
    assert min(float(values.min()) for values in margins) == 0.0  # rounding puts no row on the wrong side
    display = HyperplaneDisplay.from_result(mm.separability(overlap.X, overlap.y), overlap.X, overlap.y, ax=ax)
    assert display.planes == () and display.marked_name == "rows that exclude strict separation"
    classes = np.arange(40) % 3
    with pytest.raises(mm.InvalidProblemError, match="more than two classes"):
        HyperplaneDisplay.from_result(mm.separability(overlap.X, classes), overlap.X, classes, positive=1, ax=ax)


def test_a_kernel_has_no_hyperplane_in_these_columns(ax: Axes) -> None:
    X, y = [[0.0, 0.0], [1.0, 1.0]], [0, 1]
    run = mm.online(X, y, "kernel-perceptron", degree=2)
    with pytest.raises(InvalidOptionError, match="kernel"):
        HyperplaneDisplay.from_result(run, X, y, ax=ax)


def test_models_without_one_hyperplane_in_these_columns_are_refused(plane: SimpleNamespace, ax: Axes) -> None:
    three = np.arange(len(plane.y)) % 3
    for model, y, words in (
        (LogisticRegression(), three, "LogisticRegression that fits the scores of the classes"),
        (make_pipeline(StandardScaler(), LogisticRegression()), plane.y, "of a pipeline its last step"),
    ):
        with pytest.raises(InvalidOptionError, match=words):
            HyperplaneDisplay.from_estimator(model.fit(plane.X, y), plane.X, y, positive=y[0], ax=ax)
    with pytest.raises(InvalidOptionError, match="expected a fitted linear model"):
        HyperplaneDisplay.from_estimator(LogisticRegression(), plane.X, plane.y, ax=ax)


def test_the_classes_of_an_estimator_decide_the_sides(plane: SimpleNamespace, ax: Axes) -> None:
    model = LogisticRegression().fit(plane.X, plane.y)
    display = HyperplaneDisplay.from_estimator(model, plane.X, plane.y, ax=ax, positive="setosa")
    w, b = -model.coef_[0], -float(model.intercept_[0])
    np.testing.assert_array_equal(display.planes[0].plane.w, w)
    np.testing.assert_allclose(scores_on(display.line_, w, b), 0, atol=1e-9)
    assert display.planes[0].half_width == mm.judge(plane.X, plane.y, model=model, positive="setosa").margin
    assert HyperplaneDisplay.from_estimator(SVC(kernel="linear").fit(plane.X, plane.y), plane.X, plane.y, ax=ax).line_


def test_one_column_is_drawn_along_the_horizontal(line: SimpleNamespace, ax: Axes) -> None:
    display = HyperplaneDisplay.from_result(mm.hard_margin(line.X, line.y), line.X, line.y, ax=ax)
    np.testing.assert_allclose(display.line_.get_xdata(), 11.0)
    assert {round(float(x), 9) for x in display.band_.get_xy()[:, 0]} == {10.0, 12.0}
    assert np.asarray(display.rows_[1].get_offsets())[:, 0].tolist() == [12.0, 15.0]


def test_columns_of_a_data_frame_name_the_axes(plane: SimpleNamespace, ax: Axes) -> None:
    frame = pd.DataFrame(plane.X, columns=["length", "width"])
    for X, names in ((frame, ("length", "width")), (plane.X, ("column 0", "column 1"))):
        HyperplaneDisplay.from_result(mm.hard_margin(X, plane.y), X, plane.y, ax=ax)
        assert (ax.get_xlabel(), ax.get_ylabel()) == names


def test_rows_on_which_w_is_zero_have_no_line(ax: Axes) -> None:
    X, y = [[0.0, 0.0], [1.0, 1.0], [1.0, 1.0], [0.0, 0.0]], [0, 0, 1, 1]
    display = HyperplaneDisplay.from_result(mm.soft_margin(X, y), X, y, ax=ax)
    assert display.line_ is None and display.band_ is None
