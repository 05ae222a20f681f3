"""The hulls have the right vertices, and the two points are proven to be in them at the distance that is stated."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from scipy.spatial import ConvexHull

import maxmargin as mm
from maxmargin.displays import ConvexHullsDisplay


def test_half_the_distance_of_the_points_is_the_upper_end(plane: SimpleNamespace, ax: Axes) -> None:
    best = mm.hard_margin(plane.X, plane.y)
    display = ConvexHullsDisplay.from_result(best, plane.X, plane.y, ax=ax)
    assert np.linalg.norm(display.points[1] - display.points[0]) / 2 == pytest.approx(best.upper, rel=1e-12)
    np.testing.assert_array_equal(np.column_stack(display.points_.get_data()), display.points)
    assert any("0.651921" in label for label in ax.get_legend_handles_labels()[1])


def test_hulls_of_classes_that_overlap_share_a_point(overlap: SimpleNamespace, ax: Axes) -> None:
    answer = mm.hard_margin(overlap.X, overlap.y)
    display = ConvexHullsDisplay.from_result(answer, overlap.X, overlap.y, ax=ax)
    assert display.points is not None and display.upper == 0
    np.testing.assert_allclose(display.points[0], display.points[1], rtol=1e-12)
    for line in display.hulls_:
        path = line.get_path()
        assert path.contains_point(display.points[0])


@pytest.mark.slow
@settings(max_examples=15)
@given(points=st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=1, max_size=12))
def test_a_hull_has_every_row_inside_and_no_vertex_to_spare(points: list[tuple[int, int]]) -> None:
    X, y = [*points, (100, 100)], [0] * len(points) + [1]
    display = ConvexHullsDisplay.from_result(mm.hard_margin(X, y), X, y, ax=Figure().add_subplot())
    hull = display.hulls[0]
    assert {tuple(vertex) for vertex in hull.tolist()} <= {(float(a), float(b)) for a, b in points}
    if len(hull) > 2:
        edges = np.roll(hull, -1, axis=0) - hull
        to_rows = np.array(points)[np.newaxis] - hull[:, np.newaxis]
        turns = edges[:, np.newaxis, 0] * to_rows[..., 1] - edges[:, np.newaxis, 1] * to_rows[..., 0]
        assert (turns >= 0).all() and (np.roll(edges, 1, axis=0)[:, 0] * edges[:, 1] != 0).any()
    else:
        assert len(hull) <= len(set(points))


def test_one_column_has_intervals_as_hulls(line: SimpleNamespace, ax: Axes) -> None:
    display = ConvexHullsDisplay.from_result(mm.hard_margin(line.X, line.y), line.X, line.y, ax=ax)
    assert [hull[:, 0].tolist() for hull in display.hulls] == [[10.0], [12.0, 15.0]]
    assert display.points is not None and display.points.ravel().tolist() == [10.0, 12.0]
    assert display.points_ is not None and np.asarray(display.points_.get_ydata()).tolist() == [0.0, 0.0]


def test_hyperplanes_through_the_origin_are_refused(plane: SimpleNamespace, ax: Axes) -> None:
    through = mm.hard_margin(plane.X, plane.y, bias=False)
    with pytest.raises(mm.InvalidProblemError, match="through the origin"):
        ConvexHullsDisplay.from_result(through, plane.X, plane.y, ax=ax)


def test_points_inside_are_left_out_and_no_vertex_is(ax: Axes) -> None:
    rng = np.random.default_rng(3)
    X = np.concatenate([rng.integers(-50, 51, size=(3000, 2)), [[500, 500]]]).astype(float)
    y = np.arange(len(X)) == len(X) - 1
    display = ConvexHullsDisplay.from_result(mm.hard_margin(X, y), X, y, ax=ax)
    expected = {tuple(point) for point in X[:-1][ConvexHull(X[:-1]).vertices].tolist()}
    assert {tuple(point) for point in display.hulls[0].tolist()} == expected
    for drawn, vertices in zip(display.hulls_, display.hulls, strict=True):
        np.testing.assert_array_equal(np.column_stack(drawn.get_data()), [*vertices, vertices[0]])
