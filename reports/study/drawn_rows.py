"""The rows that a page draws: where they are in a plane with both hyperplanes, and how far from each."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.api.measures import Plane
from maxmargin.displays.drawing import thinned
from maxmargin.displays.plane_view import foot_of_line
from maxmargin.displays.shown_planes import column_name
from maxmargin.reports.study.two_class_study import TwoClassStudy
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.array_types import Floats, Mask, Rows
from maxmargin.solvers.exact.dyadic import times_power_of_two

# Largest number of rows of which all are drawn.
_MOST_DRAWN = 1_000

# Of more rows: the largest numbers of circled rows, of rows in error or nearest to the hyperplane, of others.
_MOST_MARKED, _MOST_NEAR, _SAMPLE = 200, 150, 400

# Largest number of rows whose marks in the two strips are joined by a line.
_MOST_JOINED = 100

# Least unit of distances, and the binary exponent of the data from which on distances have another unit than they.
_LEAST_UNIT, _LARGEST_EXPONENT = 1e-300, 40

# Greatest distance of a mark, beyond which it stays at the edge.
_FARTHEST = 1e300

# Length of the part of a unit normal at right angles to another one, below which both are one direction.
_PARALLEL = 1e-9

# A hyperplane that passes the points at a larger distance, in units of their range, is not drawn into view.
_NEAR_THE_POINTS = 0.35


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Strip:
    """The distances of the drawn rows from a hyperplane, positive on the right side.

    Attributes
    ----------
    name, role : str
    distances : ndarray (n_drawn,)
        In units of the maximum margin if there is one, else of the data, or of a power of two.
    """

    name: str
    role: str
    distances: Floats


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class DrawnRows:
    """The rows that are drawn, in coordinates that no unit of the data overflows.

    A row x is at the point ``ldexp(x @ basis, -exponent) * factor + shift``.

    Attributes
    ----------
    rows : ndarray of int
        Which rows of the problem these are.
    is_positive : ndarray of bool
    points : ndarray (n_drawn, 2)
    basis : ndarray (n_features, 2)
    exponent : int
    factor, shift : ndarray (2,)
    centre : ndarray (n_features,)
        The mean of the drawn rows without its part in the plane of the picture.
    labels : tuple of str
        What the axes show.
    is_of_columns : bool
        Whether the axes are columns of the data.
    reference, found : tuple of (ndarray, float), or None
        Lines u.p + c = 0: of the hyperplane of comparison, and of the perceptron's.
    reference_name : str
    half_width : float or None
        From the line of reference to the edges of its band.
    marked : ndarray of int
        Rows to circle.
    marked_name : str
        What they are called.
    strips : tuple of Strip
        The perceptron's first.
    joined : ndarray of int
        Positions among the drawn rows whose marks are joined.
    has_margin : bool
        Whether the unit of the strips is the maximum margin.
    unit_name : str
        The unit of the strips otherwise.
    unit : float
        It, in units of the data.
    sample_text : str
        Which rows are drawn, if not all.
    """

    rows: Rows
    is_positive: Mask
    points: Floats
    basis: Floats
    exponent: int
    factor: Floats
    shift: Floats
    centre: Floats
    labels: tuple[str, str]
    is_of_columns: bool
    reference: tuple[Floats, float] | None
    found: tuple[Floats, float] | None
    reference_name: str
    half_width: float | None
    marked: Rows
    marked_name: str
    strips: tuple[Strip, ...]
    joined: Rows
    has_margin: bool
    unit_name: str
    unit: float
    sample_text: str

    @property
    def is_strip(self) -> bool:
        """Whether there is one column only."""
        return len(self.basis) == 1

    def feet(self) -> list[Floats]:
        """Return the point nearest to the middle of each line that passes near the points, so that it is in view."""
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        middle, spans = (low + high) / 2, np.where(high > low, high - low, 1.0)
        found = []
        for direction, offset in filter(None, (self.reference, self.found)):
            foot = foot_of_line(direction, offset, middle, spans)
            if np.abs(foot).max() <= 0.5 + _NEAR_THE_POINTS and not self.is_strip:
                found.append(middle + foot * spans)
        return found


def drawn_rows_of(study: TwoClassStudy) -> DrawnRows:
    """Return the rows that the page of a study draws."""
    marked, name = marked_rows(study)
    rows, sample, text = _drawn(study, marked)
    signs = study.problem.y[rows]
    exponent = int(np.frexp(float(study.problem.column_sizes.max()) or 1.0)[1])
    basis, labels = _basis(study, sample, exponent)
    scaled = times_power_of_two(sample, -exponent)
    unit, has_margin = _unit(study, exponent)
    is_of_columns = study.problem.n_features <= 2
    factor, shift = np.ones(2), np.zeros(2)
    if study.reference is not None and not is_of_columns:
        factor = np.full(2, 1 / unit)
        shift[0] = math.ldexp(study.reference.offset, -exponent) / unit
    points = scaled @ basis * factor + shift
    if is_of_columns and len(basis) == 1:
        points[:, 1] = np.where(signs > 0, 1.0, -1.0) * (float(np.ptp(scaled)) or 1.0) / 12
    width = _half_width(study, exponent, 1.0 if is_of_columns else unit, has_margin=has_margin)
    if study.reference is not None and not is_of_columns:
        points[:, 0] = signs * _as_proven(study, rows, signs * points[:, 0], has_margin=has_margin)
    strips = _strips(study, rows, sample, exponent, unit, has_margin=has_margin)
    return DrawnRows(
        rows=rows, is_positive=signs > 0, points=points, basis=basis, exponent=exponent, factor=factor, shift=shift,
        centre=_rest(sample, basis), labels=labels, is_of_columns=is_of_columns,
        reference=_line(study.reference, basis, exponent, factor, shift),
        found=_line(study.found, basis, exponent, factor, shift),
        reference_name="" if study.reference is None else study.reference.name, half_width=width,
        marked=marked, marked_name=name, strips=strips, joined=_joined(strips), has_margin=has_margin,
        unit_name="units of the data" if abs(exponent) < _LARGEST_EXPONENT else f"units of 2^{exponent}",
        unit=study.hard.lower if has_margin else min(float(np.ldexp(unit, exponent)), _FARTHEST),
        sample_text=text,
    )  # fmt: skip


def marked_rows(study: TwoClassStudy) -> tuple[Rows, str]:
    """Return the rows to circle, and what they are called.

    They are the support rows; else the rows in error of the best hyperplane that is known; for quasi-separable data,
    the touching or the separated rows, whichever are fewer; else the witness.
    """
    answer = study.separability
    rows, name = answer.witness_rows, "witness rows"
    if study.maximum is not None:
        rows, name = study.hard.support, "support rows"
    elif answer.verdict is Verdict.QUASI_SEPARABLE:
        assert answer.touching_rows is not None and answer.separated_rows is not None
        kinds = ((answer.touching_rows, "touching rows"), (answer.separated_rows, "strictly separated rows"))
        rows, name = min(kinds, key=lambda kind: len(kind[0]))
    elif study.errors is not None:
        rows, name = study.errors.error_rows, "rows in error for the best hyperplane"
    rows = np.empty(0, dtype=np.int64) if rows is None else rows
    return np.sort(rows[:_MOST_MARKED]).astype(np.int64), name


def _drawn(study: TwoClassStudy, marked: Rows) -> tuple[Rows, Floats, str]:
    """Return the rows to draw with their columns, and which these are if not all."""
    problem = study.problem
    if not study.dataset.is_in_memory:
        return _of_sample(study, marked)
    n = problem.n_samples
    if n <= _MOST_DRAWN:
        rows = np.arange(n)
        return rows, problem.dense_rows(rows), ""
    near = [_nearest(plane.distances(problem)) for plane in study.planes]
    evenly = thinned(n, _SAMPLE)
    rows = np.unique(np.concatenate([marked, *near, evenly])).astype(np.int64)
    text = f"the circled rows, the {_MOST_NEAR} furthest on the wrong side or nearest to each hyperplane, and "
    text += f"{len(evenly)} evenly spaced ones"
    return rows, problem.dense_rows(rows), text


def _nearest(distances: Floats) -> Rows:
    """Return the rows with the least distances on their own side: rows in error come first."""
    most = min(_MOST_NEAR, len(distances))
    return np.sort(np.argpartition(distances, most - 1)[:most]).astype(np.int64)


def _of_sample(study: TwoClassStudy, marked: Rows) -> tuple[Rows, Floats, str]:
    rows, sample = study.problem.sample
    positions = thinned(len(rows), _SAMPLE)
    rows, sample = rows[positions], sample[positions]
    others = np.setdiff1d(marked, rows)
    if others.size:
        rows = np.concatenate([rows, others])
        sample = np.concatenate([sample, study.problem.dense_rows(others)])
    return rows, sample, f"{len(positions)} at random, half of them from either class, and the circled rows"


def _unit(study: TwoClassStudy, exponent: int) -> tuple[float, bool]:
    """Return the unit of distances after division by 2^exponent, and whether it is the maximum margin.

    Without one, distances are in units of the data, or in units of 2^exponent where no axis holds them.
    """
    unit = math.ldexp(study.hard.lower, -exponent) if study.maximum is not None else 0.0
    if unit > _LEAST_UNIT:
        return unit, True
    return (math.ldexp(1.0, -exponent) if abs(exponent) < _LARGEST_EXPONENT else 1.0), False


def _half_width(study: TwoClassStudy, exponent: int, unit: float, *, has_margin: bool) -> float | None:
    if study.half_width is None or (study.maximum is not None and not has_margin):
        return None
    return math.ldexp(study.half_width, -exponent) / unit


def _line(
    plane: Plane | None, basis: Floats, exponent: int, factor: Floats, shift: Floats
) -> tuple[Floats, float] | None:
    """Return (u, c): the plane is drawn as u.p + c = 0."""
    if plane is None:
        return None
    direction = plane.unit @ basis / factor
    offset = math.ldexp(plane.offset, -exponent) - float(direction @ shift)
    length = float(np.linalg.norm(direction))
    return (direction / length, offset / length) if length > 0 and math.isfinite(offset / length) else None


def _basis(study: TwoClassStudy, sample: Floats, exponent: int) -> tuple[Floats, tuple[str, str]]:
    names = [column_name(name) for name in study.dataset.feature_names[:2]]
    if study.problem.n_features == 1:
        return np.array([[1.0, 0.0]]), (names[0], "")
    if study.problem.n_features == 2:
        return np.eye(2), (names[0], names[1])
    first = study.reference or study.found
    axis = np.eye(study.problem.n_features)[0] if first is None else first.unit
    name = column_name(study.dataset.feature_names[0]) if first is None else _along(study, first)
    across = across_of(study.found.unit, axis) if study.reference is not None and study.found is not None else None
    label = "at right angles, in the plane of both normals"
    if across is None:
        across = widest_across(times_power_of_two(sample, -exponent), axis)
        label = "at right angles, where rows vary most"
    return np.column_stack([axis, across]), (name, label)


def _along(study: TwoClassStudy, plane: Plane) -> str:
    if plane is study.maximum:
        return "distance from the maximum margin, in γ*"
    return f"distance from the {plane.name}"


def across_of(vector: Floats, axis: Floats) -> Floats | None:
    """Return the direction of the part of a vector at right angles to the axis; None where they are parallel."""
    rest = vector - (vector @ axis) * axis
    if np.linalg.norm(rest) <= _PARALLEL:
        return None
    rest -= (rest @ axis) * axis
    return np.asarray(rest / np.linalg.norm(rest))


def widest_across(sample: Floats, axis: Floats) -> Floats:
    """Return the direction at right angles to the axis in which the rows vary most."""
    rest = sample - np.outer(sample @ axis, axis)
    across = across_of(np.linalg.svd(rest - rest.mean(axis=0), full_matrices=False)[2][0], axis)
    if across is None:  # the rows lie on a line along the axis
        across = across_of(np.eye(len(axis))[np.argmin(np.abs(axis))], axis)
    assert across is not None
    return np.asarray(across * np.sign(across[np.argmax(np.abs(across))]))


def _rest(sample: Floats, basis: Floats) -> Floats:
    """Return the mean of rows without its part in the plane of the basis."""
    mean = (sample / len(sample)).sum(axis=0)
    if len(basis) <= 2:
        return np.zeros(len(basis))
    return np.asarray(mean - basis @ (mean @ basis))


def _strips(
    study: TwoClassStudy, rows: Rows, sample: Floats, exponent: int, unit: float, *, has_margin: bool
) -> tuple[Strip, ...]:
    found, signs = [], study.problem.y[rows]
    for plane, name, role in ((study.found, "perceptron", "perceptron"), (study.reference, "", "truth")):
        if plane is None:
            continue
        distances = times_power_of_two(plane.margins(sample, signs), -exponent) / unit
        distances = np.clip(np.nan_to_num(distances, nan=0.0), -_FARTHEST, _FARTHEST)
        if plane is study.reference:
            distances = _as_proven(study, rows, distances, has_margin=has_margin)
        found.append(Strip(name=name or plane.name, role=role, distances=distances))
    return tuple(found)


def _as_proven(study: TwoClassStudy, rows: Rows, distances: Floats, *, has_margin: bool) -> Floats:
    """Return distances from the hyperplane of comparison without what rounding makes of those that are proven.

    No row is inside the band of the maximum margin; touching rows lie on the quasi-separating hyperplane; the rows in
    error are known for the one of fewest errors.
    """
    if has_margin:
        return np.maximum(distances, 1.0)
    touching = study.separability.touching_rows
    if study.reference is study.quasi_separating and touching is not None:
        return np.where(np.isin(rows, touching), 0.0, np.maximum(distances, 0.0))
    if study.reference is study.best_of_search and study.errors is not None:
        is_wrong = np.isin(rows, study.errors.error_rows)
        return np.where(is_wrong, np.minimum(distances, 0.0), np.maximum(distances, np.finfo(float).tiny))
    return distances


def _joined(strips: tuple[Strip, ...]) -> NDArray[np.int64]:
    if len(strips) < 2:
        return np.empty(0, dtype=np.int64)
    least = np.min([np.abs(strip.distances) for strip in strips], axis=0)
    most = min(_MOST_JOINED, len(least))
    return np.sort(np.argpartition(least, most - 1)[:most]).astype(np.int64)
