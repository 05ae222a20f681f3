"""The lines of a path are the hyperplanes after the mistakes of the run."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import maxmargin as mm
from maxmargin.displays import PerceptronPathDisplay
from maxmargin.solvers.errors import InvalidOptionError


@pytest.mark.parametrize("bias_scale", [1.0, 0.5])
def test_every_hyperplane_is_the_sum_of_the_mistaken_rows(plane: SimpleNamespace, ax: Axes, bias_scale: float) -> None:
    run = mm.perceptron(plane.X, plane.y, bias_scale=bias_scale)
    display = PerceptronPathDisplay.from_result(run, plane.X, plane.y, ax=ax)
    assert list(display.planes) == list(range(1, run.n_mistakes + 1))
    y, w, b = np.where(plane.y == "versicolor", 1.0, -1.0), np.zeros(2), 0.0
    for n, row in enumerate(run.mistake_rows.tolist(), start=1):
        w, b = w + y[row] * plane.X[row], b + y[row] * bias_scale**2
        np.testing.assert_allclose(display.planes[n].w, w, atol=1e-12)
        assert display.planes[n].b == b
        if n in display.lines_:
            points = np.column_stack(display.lines_[n].get_data())
            np.testing.assert_allclose(points @ w + b, 0, atol=1e-9)
    np.testing.assert_allclose(display.planes[run.n_mistakes].w, run.w)
    assert display.line_ is display.lines_[run.n_mistakes]
    assert display.mistaken.tolist() == sorted(set(run.mistake_rows.tolist()))


def test_lines_near_the_rows_are_in_view(plane: SimpleNamespace, ax: Axes) -> None:
    run = mm.perceptron(plane.X, plane.y)
    display = PerceptronPathDisplay.from_result(run, plane.X, plane.y, ax=ax)
    assert list(display.lines_) == [1, 2, 3, 4]
    assert "3 earlier lines" in ax.get_legend_handles_labels()[1]
    ax.figure.draw_without_rendering()
    assert ax.get_xlim()[0] < 0 < plane.X[:, 0].max() < ax.get_xlim()[1]


def test_a_long_run_is_thinned_to_its_first_and_its_last_hyperplane(line: SimpleNamespace, ax: Axes) -> None:
    run = mm.perceptron(line.X, line.y)
    display = PerceptronPathDisplay.from_result(run, line.X, line.y, most_lines=20, ax=ax)
    assert len(display.planes) <= 20 and max(display.planes) == run.n_mistakes == 233
    full = PerceptronPathDisplay.from_result(run, line.X, line.y, most_lines=1000, ax=ax)
    assert {n: (plane.w.tolist(), plane.b) for n, plane in display.planes.items()} == {
        n: (full.planes[n].w.tolist(), full.planes[n].b) for n in display.planes
    }
    only = PerceptronPathDisplay.from_result(run, line.X, line.y, most_lines=1, ax=ax)
    assert list(only.planes) == [233]


def test_a_trace_has_the_path_of_its_run(line: SimpleNamespace, ax: Axes) -> None:
    trace = mm.mistake_trace(line.X, line.y)
    display = PerceptronPathDisplay.from_result(trace, line.X, line.y, ax=ax)
    assert display.n_mistakes == 233


def test_what_is_no_path_in_the_plane_is_refused(plane: SimpleNamespace, ax: Axes) -> None:
    run = mm.perceptron(plane.X, plane.y)
    with pytest.raises(mm.InvalidProblemError, match="lists 2 of its 4 mistakes"):
        PerceptronPathDisplay.from_result(replace(run, mistake_rows=run.mistake_rows[:2]), plane.X, plane.y, ax=ax)
    with pytest.raises(InvalidOptionError, match="most_lines is 0"):
        PerceptronPathDisplay.from_result(run, plane.X, plane.y, most_lines=0, ax=ax)


def test_a_path_is_animated_and_its_lines_are_numbered(tmp_path: Path) -> None:
    from PIL import Image

    X, y = [[0.0, 0.0], [1.0, 2.0], [3.0, 1.0]], [-1, 1, 1]
    run, ax = mm.perceptron(X, y), Figure().add_subplot()
    display = PerceptronPathDisplay.from_result(run, X, y, ax=ax)
    assert {text.get_text() for text in ax.texts} - {""} == {str(n) for n in display.lines_}
    display.animate().save(tmp_path / "path.gif", writer="pillow")
    with Image.open(tmp_path / "path.gif") as image:
        assert image.n_frames == len(display.lines_) == 2
