"""The state of the working set of a soft margin after every pass, for a process that resumes a killed one."""

import hashlib
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.engines.interior_point.huberised_hinge import FIRST_WIDTH
from maxmargin.solvers.engines.interior_point.row_view import RowView
from maxmargin.solvers.engines.soft_working_set.near_rows import NearRows
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import Found, InMemory

Floats = NDArray[np.float64]

_MOST_ROWS = 50_000
"""Largest number of rows of the program that are cached with the state; more are fetched again."""


class State(NamedTuple):
    """A hyperplane, and the next step from it.

    Attributes
    ----------
    plane : ndarray (k,)
    width : float
        The h of the next pass.
    reach : float
        If positive, the next step is the program of the rows whose |t| is at most this.
    """

    plane: Floats
    width: float = FIRST_WIDTH
    reach: float = 0.0


class Progress:
    """Caches the state of the search and the rows of its program for a process that resumes it.

    Parameters
    ----------
    problem : Problem
    costs : ndarray (n_samples,)
    view : RowView
    """

    def __init__(self, problem: Problem, costs: Floats, view: RowView) -> None:
        self.problem, self.costs, self.view = problem, costs, view
        self._is_kept = not isinstance(problem.row_source, InMemory)
        self._question = self._name() if self._is_kept else ""
        self._state: Found = {}

    def keep_state(self, state: State) -> None:
        """Keep where the search is."""
        if self._is_kept:
            w, b = self.view.hyperplane_of(state.plane)
            self._state = {"w": w, "numbers": np.array([b, state.width, state.reach])}
            self.problem.warm_start.keep(self._question, self._state)

    def keep_near(self, near: NearRows) -> None:
        """Keep the rows that are solved for, and on which sides the others are."""
        if self._is_kept:
            if len(near.rows) <= _MOST_ROWS:
                self.problem.warm_start.remember(near.rows, near.X, "soft")
            held = np.append(near.sums_at_bound, near.offset)
            found = {"sides": near.sides.copy(), "held": held, "center": self._center}
            self.problem.warm_start.keep(self._question, {**self._state, **found})

    def state(self) -> State | None:
        """Return where an earlier process was."""
        found = self._found()
        if "w" not in found:
            return None
        b, width, reach = found["numbers"].tolist()
        return State(self.view.plane_of(found["w"], b), width, reach)

    def near(self) -> NearRows | None:
        """Return the rows that an earlier process was solving for."""
        found = self._found()
        if "sides" not in found or not np.array_equal(found["center"], self._center):
            return None
        sides, held = found["sides"].copy(), found["held"]
        rows = np.flatnonzero(sides == 0)
        X = self.problem.row_source[rows]
        return NearRows(self.problem, self.costs, self.view, sides, rows, X, held[:-1], float(held[-1]))

    def _found(self) -> Found:
        found = self.problem.warm_start.kept(self._question)
        if not self._is_usable(found):
            return {}
        self._state = {name: found[name] for name in ("w", "numbers") if name in found}
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
        state, near = {"w", "numbers"}, {"sides", "held", "center"}
        is_whole = set(found) in (set(), state, near, state | near)
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
        digest.update(np.ascontiguousarray(self.costs).tobytes())
        return digest.hexdigest()
