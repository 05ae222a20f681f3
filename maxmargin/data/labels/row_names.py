"""The index of pandas' tables: rows that are named in one order are not paired with labels named in another."""

from typing import Any

from maxmargin.solvers.errors import InvalidProblemError

LIBRARIES = frozenset({"pandas", "modin", "cudf", "dask", "narwhals"})
"""Packages whose tables may have an index."""


def check_row_names(**tables: Any) -> None:
    """Check that all tables and series that have an index have the same; others are taken row by row.

    Raises
    ------
    InvalidProblemError
        The rows have other names, or the same in another order. Where the lengths differ that is said elsewhere.
    """
    indices = {name: index for name, table in tables.items() if (index := _index_of(table)) is not None}
    if len(indices) < 2:
        return
    (first, expected), *others = indices.items()
    for name, index in others:
        if not _are_equal(index, expected):
            raise InvalidProblemError(
                f"the index of {name} is not that of {first}, expected the same rows in the same order (use "
                f"{name}.loc[{first}.index], or reset_index(drop=True) on both where the order is right as it is)"
            )


def _index_of(table: Any) -> Any:
    if type(table).__module__.partition(".")[0] not in LIBRARIES:
        return None
    native = table.to_native() if hasattr(table, "to_native") else table
    index = getattr(native, "index", None)
    return None if callable(index) else index


def _are_equal(index: Any, other: Any) -> bool:
    if _is_dask(index) or _is_dask(other):
        from maxmargin.data.outofcore.dask.dask_collections import digest_of_index

        return digest_of_index(index) == digest_of_index(other)
    return len(index) != len(other) or bool(index.equals(other))


def _is_dask(index: Any) -> bool:
    return type(index).__module__.partition(".")[0] == "dask"
