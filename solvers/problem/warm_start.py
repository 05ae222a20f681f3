"""Warm starts for rows outside memory: rows that were useful, and the findings of an earlier process."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Use: TypeAlias = Literal["sample", "margin", "verdict", "soft"]
"""The use of cached rows: solvers start from them ("sample"); they lie next to the best hyperplane of a hard or a soft
margin ("margin", "soft"); they decide a verdict ("verdict")."""

Found: TypeAlias = Mapping[str, NDArray[Any]]
"""Intermediate arrays of an engine, by name."""


class WarmStart:
    """The warm start of rows in memory: empty, and nothing is cached.

    Rows outside memory have an attribute `warm_start`, an object of a subclass. It saves passes over the rows and
    never changes an answer.
    """

    def remember(self, rows: NDArray[np.int64], X: Any, use: Use) -> None:
        """Cache the rows X at these positions if fetching them later would cost another pass."""

    def recalled(self, use: Use) -> NDArray[np.int64]:
        """Return the positions of the rows that an earlier process cached for a use.

        The rows of a sample were chosen at random, by an earlier process or by the pass that validated the rows.
        """
        return np.empty(0, np.int64)

    def keep(self, question: str, found: Found) -> None:
        """Store an engine's findings on a question for a later process, replacing earlier ones."""

    def kept(self, question: str) -> Found:
        """Return an earlier process's findings on this question; empty if there are none."""
        return {}

    def confirm(self) -> None:
        """Compare the rows that an earlier process cached with the data, unless a pass has done so already."""


def warm_start_of(rows: object) -> WarmStart:
    """Return the warm start of rows, wherever they live."""
    found: WarmStart = getattr(rows, "warm_start", _NOTHING)
    return found


_NOTHING = WarmStart()
