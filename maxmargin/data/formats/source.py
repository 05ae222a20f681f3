"""Opening files: plain, compressed, or the standard input."""

import os
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import BinaryIO, cast

from maxmargin.solvers.errors import option
from maxmargin.text.data_error import DataError, data_error

STDIN = "-"
STDIN_NAME = "standard input"

_BYTES_OF_GZIP_SIZE = 4
_COMPRESSION = 6


def suffix_of(path: str) -> str:
    """Return the suffix that tells the format, in lower case and without a final `.gz`.

    Examples
    --------
    >>> suffix_of("a/B.CSV.gz")
    '.csv'
    """
    name = os.path.basename(path).lower()
    return os.path.splitext(name.removesuffix(".gz"))[1]


def kind_of(path: str, form: str | None) -> str:
    """Return the format of a file as a suffix: the one that it is said to have, else that of its name.

    Examples
    --------
    >>> kind_of("a.dat", "csv"), kind_of("a.dat", None)
    ('.csv', '.dat')
    """
    return suffix_of(path) if form is None else f".{form}"


def is_compressed(path: str) -> bool:
    """Return whether the name ends in `.gz`."""
    return path.lower().endswith(".gz")


@contextmanager
def open_binary(path: str) -> Iterator[BinaryIO]:
    """Open `path` for reading bytes; decompress `.gz`; `-` is the standard input.

    Raises
    ------
    DataError
        The file is missing, unreadable, a directory, empty, or a broken gzip file (also while it is read).
    """
    if path == STDIN:
        yield sys.stdin.buffer
        return
    with _open(path) as file:
        status = os.fstat(file.fileno())
        if stat.S_ISREG(status.st_mode) and status.st_size == 0:
            raise empty_file(path)
        if is_compressed(path):
            yield from _decompressed(file, path)
        else:
            yield from _readable(file, path)


def empty_file(source: str) -> DataError:
    """Word the error of a source without any byte."""
    return data_error(source, found="an empty file", expected="data")


def read_bytes(path: str) -> bytes:
    """Return all bytes of a file, decompressed.

    Raises
    ------
    DataError
        As :func:`open_binary`.
    """
    with open_binary(path) as file:
        return file.read()


def size_of_content(path: str) -> int:
    """Return about how many bytes a file has, decompressed.

    The end of a gzip file tells, modulo 2**32, of the last of its parts; text and numbers have seldom fewer than
    a sixth of their size when compressed.
    """
    n_bytes = os.path.getsize(path)
    if not is_compressed(path) or n_bytes < _BYTES_OF_GZIP_SIZE:
        return n_bytes
    with _open(path) as file:
        file.seek(-_BYTES_OF_GZIP_SIZE, os.SEEK_END)
        told = int.from_bytes(file.read(_BYTES_OF_GZIP_SIZE), "little")
    return max(told, _COMPRESSION * n_bytes)


def lines_of(file: BinaryIO, longest: int, source: str) -> Iterator[bytes]:
    """Yield the lines of a file.

    Raises
    ------
    DataError
        One has more than `longest` bytes.
    """
    for n_lines, line in enumerate(iter(partial(file.readline, longest + 1), b"")):
        if len(line) > longest:
            raise long_line(source, n_lines + 1, longest)
        yield line


def long_line(source: str, line: int | None, longest: int) -> DataError:
    """Word the error of a line that is too long for the memory there is."""
    found, hint = f"more than {longest / 2**20:.3g} MiB without an end", f"allow more {option('memory')}"
    return data_error(source, line=line, found=found, expected="the end of a row", hint=hint)


def _open(path: str) -> BinaryIO:
    if os.path.isdir(path):
        raise data_error(path, found="a directory", expected="a file")
    try:
        return open(path, "rb")
    except FileNotFoundError as error:
        raise data_error(path, found="no such file", expected="a file") from error
    except (OSError, ValueError) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str, error: Exception) -> DataError:
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return data_error(path, found=f"a file that cannot be read: {reason}", expected="a readable file")


def _readable(file: BinaryIO, path: str) -> Iterator[BinaryIO]:
    try:
        yield file
    except OSError as error:
        raise _unreadable(path, error) from error


def _decompressed(file: BinaryIO, path: str) -> Iterator[BinaryIO]:
    import gzip
    import zlib

    try:
        with gzip.GzipFile(fileobj=file) as unpacked:
            yield cast("BinaryIO", unpacked)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise data_error(path, found=f"broken gzip data: {error}", expected="a complete gzip file") from error
