"""Hints beside rows outside memory: rows that were useful, and what an earlier process found."""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

Use: TypeAlias = Literal["sample", "margin", "verdict", "soft"]
"""The use of remembered rows: programs start from them; they are near the best hyperplane, of a hard or of a soft
margin; they decide a verdict."""

Found: TypeAlias = Mapping[str, NDArray[Any]]
"""Arrays that an engine has found on its way to an answer, by name."""


class WarmStart:
    """The hints of rows in memory: there are none, and nothing is remembered.

    Rows outside memory have an attribute `warm_start`, an object of a subclass. A hint saves passes over the rows; it
    never changes an answer.
    """

    def remember(self, rows: NDArray[np.int64], X: Any, use: Use) -> None:
        """Keep the rows X of these numbers, which a pass brought along, where fetching them would cost another pass."""

    def recalled(self, use: Use) -> NDArray[np.int64]:
        """Return the numbers of the rows that an earlier process remembered for a use.

        The rows of a sample were drawn at random, by an earlier process or by the pass that validated the rows.
        """
        return np.empty(0, np.int64)

    def keep(self, question: str, found: Found) -> None:
        """Keep an engine's findings on a question for a later process, in place of those kept before."""

    def kept(self, question: str) -> Found:
        """Return an earlier process's findings on this question; empty if there are none."""
        return {}

    def confirm(self) -> None:
        """Compare the rows that an earlier process remembered with the data, unless a pass has done so already."""


def warm_start_of(rows: object) -> WarmStart:
    """Return the hints beside rows, wherever these live."""
    found: WarmStart = getattr(rows, "warm_start", _NOTHING)
    return found


_NOTHING = WarmStart()
