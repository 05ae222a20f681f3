"""Answers as data frames of the library that the caller uses."""

from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

_PREFERRED = ("pandas", "polars", "pyarrow")
"""Libraries that make a data frame where the caller has given none; the last one is always there."""


def frame_of(library: str | None, columns: Mapping[str, Sequence[Any]]) -> Any:
    """Return a data frame of this library; without one, of pandas, Polars or Arrow, whichever is installed first."""
    import narwhals as nw

    wanted: Any = library or next(name for name in _PREFERRED if find_spec(name) is not None)
    return nw.from_dict(dict(columns), backend=wanted).to_native()
