"""Which reader reads which source."""

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any, TypeAlias

from .errors import data_error, nearest
from .source import STDIN, suffix_of
from .table import Choice, Table

Reader: TypeAlias = Callable[[str, Choice], Table]

READERS = {
    ".csv": ("delimited", "read_delimited"),
    ".tsv": ("delimited", "read_delimited"),
    ".parquet": ("arrow", "read_parquet"),
    ".feather": ("arrow", "read_feather"),
    ".npz": ("npz", "read_npz"),
    ".svm": ("svmlight", "read_svmlight"),
    ".libsvm": ("svmlight", "read_svmlight"),
    ".svmlight": ("svmlight", "read_svmlight"),
}
"""Module and function for every suffix; imported when it is needed."""

BUNDLED = ("iris", "breast_cancer", "wine", "digits")
"""Names of the bundled data sets."""

_GENERATED = "or a generated data set such as xor or gap:40 (`maxmargin generate` lists them)"


def read(source: Any, choice: Choice) -> Table:
    """Read a file, a bundled or generated data set, the standard input (`-`), or a table in memory.

    Raises
    ------
    DataError
        There is no such source, its suffix is unknown, or its reader cannot read it.
    """
    if isinstance(source, str) and source in BUNDLED:
        return _reader("bundled", "read_bundled")(source, choice)
    if isinstance(source, str) and source == STDIN:
        return _reader("delimited", "read_delimited")(source, choice)
    if isinstance(source, str) and suffix_of(source) not in READERS and _is_family(source):
        return _reader("generated", "read_generated")(source, choice)
    if isinstance(source, str | os.PathLike):
        return _read_file(os.fspath(source), choice)
    from .frames import read_frame

    return read_frame(source, choice)


def _read_file(path: str, choice: Choice) -> Table:
    suffix = suffix_of(path)
    if suffix in READERS:
        return _reader(*READERS[suffix])(path, choice)
    if os.path.isdir(path):
        raise data_error(path, found="a directory", expected="a file")
    suffixes = f"{' '.join(READERS)} (each also .gz), a folder of such files, X.npy beside y.npy"
    known = f"{suffixes}, one of the names {', '.join(BUNDLED)}, {_GENERATED}"
    if not os.path.exists(path):
        raise data_error(path, found="no such file", expected=f"a file {known}", hint=_nearest_name(path))
    found = f"the suffix {suffix!r}" if suffix else "no suffix"
    raise data_error(path, found=found, expected=f"one of {known}", hint=nearest(suffix, READERS) if suffix else "")


def _is_family(name: str) -> bool:
    from maxmargin.generators import is_family

    return is_family(name)


def _nearest_name(wanted: str) -> str:
    from maxmargin.generators import families

    return nearest(wanted.partition(":")[0], (*BUNDLED, *(family.name for family in families())))


def _reader(module: str, function: str) -> Reader:
    reader: Reader = getattr(import_module(f".{module}", __package__), function)
    return reader
