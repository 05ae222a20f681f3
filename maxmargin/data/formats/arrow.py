"""Parquet and Feather files."""

import io
from typing import Any

from maxmargin.data.formats.frames import read_frame
from maxmargin.data.formats.source import read_bytes
from maxmargin.data.formats.table import Choice, Table
from maxmargin.text.data_error import data_error


def read_parquet(path: str, choice: Choice) -> Table:
    """Read a Parquet file (also `.gz`).

    Raises
    ------
    DataError
        The file is broken, or its columns cannot be used.
    """
    import pyarrow.parquet

    return _read(lambda file: pyarrow.parquet.ParquetFile(file).read(), path, choice, "Parquet")


def read_feather(path: str, choice: Choice) -> Table:
    """Read a Feather (Arrow IPC) file (also `.gz`).

    Raises
    ------
    DataError
        The file is broken, or its columns cannot be used.
    """
    import pyarrow.feather

    return _read(pyarrow.feather.read_table, path, choice, "Feather")


def _read(read_table: Any, path: str, choice: Choice, form: str) -> Table:
    from pyarrow import ArrowException

    content = read_bytes(path)
    try:
        table = _valid(read_table(io.BytesIO(content)))
    except (ArrowException, OSError, ValueError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise data_error(path, found=f"broken {form} data: {reason}", expected=f"a complete {form} file") from error
    return read_frame(table, choice, path)


def _valid(table: Any) -> Any:
    """Check offsets and texts: Arrow believes a file, and reads outside its memory if it should not have."""
    table.validate(full=True)
    return table
