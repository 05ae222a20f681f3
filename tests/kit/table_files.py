"""Files with a table in them, of every format, as tests of reading need them."""

import gzip
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet


def text_file(folder: Path, text: str, name: str = "data.csv", encoding: str = "utf-8") -> Path:
    """Write a text to the byte, with the ends of its lines as they are."""
    path = folder / name
    path.write_bytes(text.encode(encoding))
    return path


def table_file(path: Path, table: pa.Table, **options: Any) -> Path:
    """Write a table in the format that the name of the file says, compressed if it ends in .gz."""
    if path.suffix == ".gz":
        plain = table_file(path.with_suffix(""), table, **options)
        path.write_bytes(gzip.compress(plain.read_bytes()))
    elif path.suffix == ".parquet":
        pa.parquet.write_table(table, path, **options)
    elif path.suffix == ".feather":
        pa.feather.write_feather(table, path, **options)
    else:
        columns = [["" if value is None else str(value) for value in column.to_pylist()] for column in table.columns]
        rows, separator = zip(*columns, strict=True), "\t" if path.suffix == ".tsv" else ","
        path.write_text("".join(separator.join(row) + "\n" for row in (table.column_names, *rows)))
    return path


def array_file(path: Path, X: Any, y: Any, save: Callable[..., None] = np.savez, **others: Any) -> Path:
    """Write an archive of the arrays X and y, under any name."""
    with path.open("wb") as file:
        save(file, X=X, y=np.array(y), **{name: np.array(values) for name, values in others.items()})
    return path
