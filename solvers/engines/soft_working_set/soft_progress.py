"""What the working set of a soft margin leaves to a process that goes on after a kill: where it is after every pass."""

import hashlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.engines.interior_point.huberised_hinge import FIRST_WIDTH
from maxmargin.solvers.engines.interior_point.row_view import RowView
from maxmargin.solvers.engines.soft_working_set.near_rows import NearRows
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import InMemory
from maxmargin.solvers.problem.warm_start import Found

Floats = NDArray[np.float64]

_MOST_ROWS = 50_000
"""Rows of the program that are kept with the rest; more are fetched again."""


class Place(NamedTuple):
    """A hyperplane, and what is to be done there.

    Attributes
    ----------
    plane : ndarray (k,)
    width : float
        h of the next look at all rows.
    reach : float
        If positive, the rows within it are to be solved for next.
    """

    plane: Floats
    width: float = FIRST_WIDTH
    reach: float = 0.0


class Progress:
    """Keeps the place of the search, and the rows that are solved for.

    Parameters
    ----------
    problem : Problem
    prices : ndarray (n_samples,)
    view : RowView
    """

    def __init__(self, problem: Problem, prices: Floats, view: RowView) -> None:
        self.problem, self.prices, self.view = problem, prices, view
        self._is_kept = not isinstance(problem.carrier, InMemory)
        self._question = self._name() if self._is_kept else ""
        self._place: Found = {}

    def keep_place(self, place: Place) -> None:
        """Keep where the search is."""
        if self._is_kept:
            w, b = self.view.hyperplane_of(place.plane)
            self._place = {"w": w, "numbers": np.array([b, place.width, place.reach])}
            self.problem.warm_start.keep(self._question, self._place)

    def keep_near(self, near: NearRows) -> None:
        """Keep the rows that are solved for, and on which sides the others are."""
        if self._is_kept:
            if len(near.rows) <= _MOST_ROWS:
                self.problem.warm_start.remember(near.rows, near.X, "soft")
            held = np.append(near.held, near.offset)
            found = {"sides": near.sides.copy(), "held": held, "center": self._center}
            self.problem.warm_start.keep(self._question, {**self._place, **found})

    def place(self) -> Place | None:
        """Return where an earlier process was."""
        found = self._found()
        if "w" not in found:
            return None
        b, width, reach = found["numbers"].tolist()
        return Place(self.view.plane_of(found["w"], b), width, reach)

    def near(self) -> NearRows | None:
        """Return the rows that an earlier process was solving for."""
        found = self._found()
        if "sides" not in found or not np.array_equal(found["center"], self._center):
            return None
        sides, held = found["sides"].copy(), found["held"]
        rows = np.flatnonzero(sides == 0)
        X = self.problem.carrier[rows]
        return NearRows(self.problem, self.prices, self.view, sides, rows, X, held[:-1], float(held[-1]))

    def _found(self) -> Found:
        found = self.problem.warm_start.kept(self._question)
        if not self._is_usable(found):
            return {}
        self._place = {name: found[name] for name in ("w", "numbers") if name in found}
        return found

    def _is_usable(self, found: Found) -> bool:
        """Return whether hints are of the right form; whether they are good the search finds out."""
        d = self.problem.n_features
        forms = {
            "w": ("float64", (d,)),
            "numbers": ("float64", (3,)),
            "held": ("float64", (d + self.view.bias + 2,)),
            "center": ("float64", self._center.shape),
            "sides": ("int8", (self.problem.n_samples,)),
        }
        place, near = {"w", "numbers"}, {"sides", "held", "center"}
        is_whole = set(found) in (set(), place, near, place | near)
        return (
            is_whole
            and all((values.dtype.name, values.shape) == forms[name] for name, values in found.items())
            and all(bool(np.isfinite(values).all()) for values in found.values())
            and bool((np.abs(found["sides"]) <= 1).all() if "sides" in found else True)
        )

    @property
    def _center(self) -> Floats:
        return np.empty(0) if self.view.center is None else self.view.center

    def _name(self) -> str:
        """Return a name that no other question on the data has."""
        digest = hashlib.sha256(f"soft margin, bias: {self.view.bias}\n".encode())
        digest.update(np.ascontiguousarray(self.problem.y, dtype=np.int8).tobytes())
        digest.update(np.ascontiguousarray(self.prices).tobytes())
        return digest.hexdigest()
