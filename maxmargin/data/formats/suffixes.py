"""Which reader reads which source."""

import os
from collections.abc import Callable
from typing import Any, TypeAlias

from maxmargin.data.formats.source import STDIN, STDIN_NAME, kind_of, open_binary, suffix_of
from maxmargin.data.formats.table import Choice, Table
from maxmargin.solvers.errors import InvalidOptionError, option
from maxmargin.text.data_error import data_error, nearest

Reader: TypeAlias = Callable[[str, Choice], Table]

SUFFIXES = (".csv", ".tsv", ".parquet", ".feather", ".npz", ".svm", ".libsvm", ".svmlight")
"""Suffixes of the files that can be read."""

FORMATS = (*(suffix.removeprefix(".") for suffix in SUFFIXES), "npy")
"""Names of the formats that the option `format` takes."""

TEXT_FORMATS = ("csv", "tsv", "svm", "libsvm", "svmlight")
"""The formats that the standard input may have."""

DELIMITED = (".csv", ".tsv")

_BYTES_OF_SAMPLE = 1 << 16

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
    check_format(choice.format)
    is_name = isinstance(source, str) and choice.format is None
    if is_name and source in BUNDLED:
        choice.refuse_of_text(source, "a bundled data set")
        from maxmargin.data.formats.named_data import read_bundled

        return read_bundled(source, choice)
    if isinstance(source, str) and source == STDIN:
        return _read_stdin(choice)
    if is_name and suffix_of(source) not in SUFFIXES and _is_family(source):
        choice.refuse_of_text(source, "a generated data set")
        from maxmargin.data.formats.named_data import read_generated

        return read_generated(source, choice)
    if isinstance(source, str | os.PathLike):
        return _read_file(os.fspath(source), choice)
    from maxmargin.data.formats.frames import read_frame

    if choice.format is not None:
        raise InvalidOptionError(f"format is {choice.format!r}; expected none, as a {type(source).__name__} is no file")
    return read_frame(source, choice)


def check_format(form: str | None) -> None:
    """Raise :class:`InvalidOptionError` unless this is the name of a format, or None."""
    if form is not None and form not in FORMATS:
        raise InvalidOptionError(f"format is {form!r}; expected one of {', '.join(FORMATS)}")


def format_of(path: str, choice: Choice) -> str:
    """Return the format of a file as a suffix: as the choice says, as its name says, or as its first lines say.

    Only LIBSVM's files, which often come without a suffix, are told by their lines.
    """
    kind = kind_of(path, choice.format)
    if kind in SUFFIXES or choice.format is not None or not os.path.isfile(path):
        return kind
    from maxmargin.data.formats.svmlight import looks_like_svmlight

    with open_binary(path) as file:
        return ".svmlight" if looks_like_svmlight(file.read(_BYTES_OF_SAMPLE)) else kind


def _read_stdin(choice: Choice) -> Table:
    form = choice.format or "csv"
    if form not in TEXT_FORMATS:
        raise data_error(STDIN_NAME, option="format", found=repr(form), expected=f"one of {', '.join(TEXT_FORMATS)}")
    return _read_as(f".{form}", STDIN, choice)


def _read_as(suffix: str, path: str, choice: Choice) -> Table:
    if suffix not in DELIMITED:
        choice.refuse_of_text(path, f"the format {suffix.removeprefix('.')}")
    return _reader(suffix)(path, choice)


def _read_file(path: str, choice: Choice) -> Table:
    suffix = format_of(path, choice)
    if suffix in SUFFIXES:
        return _read_as(suffix, path, choice)
    if os.path.isdir(path):
        raise data_error(path, found="a directory", expected="a file")
    suffixes = f"{' '.join(SUFFIXES)} (each also .gz), a folder of such files, X.npy beside y.npy"
    known = f"{suffixes}, one of the names {', '.join(BUNDLED)}, {_GENERATED}"
    if not os.path.exists(path):
        raise data_error(path, found="no such file", expected=f"a file {known}", hint=_nearest_name(path))
    found = f"the suffix {suffix!r}" if suffix else "no suffix"
    expected = f"one of {known}, or its format told with {option('format')}"
    raise data_error(path, found=found, expected=expected, hint=nearest(suffix, SUFFIXES) if suffix else "")


def _is_family(name: str) -> bool:
    from maxmargin.data.generators import is_family

    return is_family(name)


def _nearest_name(wanted: str) -> str:
    from maxmargin.data.generators import families

    return nearest(wanted.partition(":")[0], (*BUNDLED, *(family.name for family in families())))


def _reader(suffix: str) -> Reader:
    """Return the function that reads files of a suffix; its module is imported when it is needed."""
    if suffix in DELIMITED:
        from maxmargin.data.formats.delimited import read_delimited

        return read_delimited
    if suffix in (".parquet", ".feather"):
        from maxmargin.data.formats.arrow import read_feather, read_parquet

        return read_parquet if suffix == ".parquet" else read_feather
    if suffix == ".npz":
        from maxmargin.data.formats.npz import read_npz

        return read_npz
    from maxmargin.data.formats.svmlight import read_svmlight

    return read_svmlight
