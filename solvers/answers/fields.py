"""Answers as fields of JSON: Python's own types, the first entries of long lists, rows numbered as in their source."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any

from numpy.typing import NDArray

from maxmargin.solvers.problem.candidate import SolverRun

LONGEST_LIST = 1000
"""Largest number of entries of a list in JSON; `<name>_count` gives its whole length."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """What the rows and the columns of a problem are called.

    Attributes
    ----------
    positions : ndarray of int, optional
        The position of each row in the source, from 0, if rows were left out.
    ids : sequence of str, optional
        The names of the rows.
    columns : sequence of str, optional
        The names of the columns.
    """

    positions: NDArray[Any] | None = None
    ids: Sequence[str] | None = None
    columns: Sequence[str] | None = None

    def numbers(self, rows: Any) -> Any:
        """Return the positions of rows in the source; None if there are no rows."""
        return rows if rows is None or self.positions is None else self.positions[rows]

    def fields(self, name: str, rows: Any) -> dict[str, Any]:
        """Return the rows as a list of positions, and as ``<name>_ids`` if they have names."""
        ids = (
            {}
            if self.ids is None or rows is None
            else {f"{name}_ids": [self.ids[row] for row in rows[:LONGEST_LIST].tolist()]}
        )
        return {**cut(name, self.numbers(rows)), **ids}


NO_NAMES = Names()
"""Rows and columns go by their numbers."""


def cut(name: str, values: Any) -> dict[str, Any]:
    """Return at most the first thousand values, and their number as ``<name>_count``; None for both without values."""
    if values is None:
        return {name: None, f"{name}_count": None}
    return {name: list(values[:LONGEST_LIST]), f"{name}_count": len(values)}


def plain(value: Any) -> Any:
    """Return the value in Python's own types, with None for numbers that JSON lacks.

    Examples
    --------
    >>> plain({"gap": float("inf"), "support": (0, 2)})
    {'gap': None, 'support': [0, 2]}
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return value


def attempt_fields(attempts: tuple[SolverRun, ...]) -> list[dict[str, Any]]:
    """Return what each solver reported."""
    return [{"solver": a.solver, "status": str(a.status), "message": a.message, "claim": a.claim} for a in attempts]
