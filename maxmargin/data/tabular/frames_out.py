"""Answers as data frames of the library that the caller uses."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from maxmargin.data.arrays import LIBRARIES_WITH_INDEX

_PREFERRED = ("pandas", "polars", "pyarrow")
"""Libraries that make a data frame where the caller has given none; the last one is always there."""


def frame_of(
    library: str | None,
    columns: Mapping[str, Sequence[Any]],
    *,
    index: Sequence[Any] | None = None,
    index_name: Any = None,
) -> Any:
    """Return a data frame of this library; without one, of pandas, Polars or Arrow, whichever is installed first.

    Parameters
    ----------
    library : str or None
    columns : dict of str to sequence
    index : sequence, optional
        The labels of the rows; data frames without an index leave them out.
    index_name : str, optional
        What they are called.
    """
    import narwhals as nw

    wanted: Any = library or next(name for name in _PREFERRED if find_spec(name) is not None)
    frame: Any = nw.from_dict(dict(columns), backend=wanted).to_native()
    if index is None or wanted not in LIBRARIES_WITH_INDEX:
        return frame
    frame.index = index
    return frame if index_name is None else frame.rename_axis(index_name)
