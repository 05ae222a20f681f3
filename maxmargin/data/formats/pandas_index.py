"""Columns of Arrow tables that hold the index of a pandas data frame, as its metadata or their names say."""

import json
import re
from collections.abc import Mapping, Sequence

_NAMELESS = re.compile(r"__index_level_\d+__")
"""What pandas calls the levels of an index that have no name of their own."""


def index_columns(names: Sequence[str], metadata: Mapping[bytes, bytes] | None = None) -> tuple[int, ...]:
    """Return the positions of the columns into which pandas wrote its index.

    Parameters
    ----------
    names : sequence of str
        Of all columns.
    metadata : mapping, optional
        That of the schema. A range, which it describes without a column, is skipped; so is all that is malformed.

    Examples
    --------
    >>> index_columns(["site", "x", "y"], {b"pandas": b'{"index_columns": ["site"]}'})
    (0,)
    >>> index_columns(["x", "y", "__index_level_0__"])
    (2,)
    """
    told = _told(metadata or {})
    return tuple(j for j, name in enumerate(names) if name in told or _NAMELESS.fullmatch(name))


def _told(metadata: Mapping[bytes, bytes]) -> set[str]:
    try:
        columns = json.loads(metadata.get(b"pandas", b"{}"))["index_columns"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return set()
    return {name for name in columns if isinstance(name, str)} if isinstance(columns, list) else set()
