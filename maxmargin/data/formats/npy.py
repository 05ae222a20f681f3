"""The header of an array as NumPy stores it, and whether the file is as long as it says."""

import lzma
import math
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from tokenize import TokenError
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from maxmargin.text.data_error import data_error

BROKEN = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, TokenError, ValueError, TypeError, OSError, EOFError,
    RuntimeError, SyntaxError, LookupError, OverflowError, MemoryError,
)  # fmt: skip
"""What numpy and zipfile raise for files that are damaged or encrypted."""


class Header(NamedTuple):
    """Shape, order and type of an array, and the first byte of its numbers."""

    shape: tuple[int, ...]
    is_fortran: bool
    dtype: np.dtype[Any]
    offset: int


@contextmanager
def quiet_headers() -> Iterator[None]:
    """Keep NumPy and Python from warning of headers: those that Python 2 wrote, (4L, 1L), are as good as others."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def read_header(file: BinaryIO, n_bytes: int, path: str, name: str) -> Header:
    """Read the header of an array; the file is then at its first number.

    Parameters
    ----------
    file : binary file
        At its beginning.
    n_bytes : int
        Of the header and the numbers.
    path, name : str
        Of the file and the array, for errors.

    Raises
    ------
    DataError
        It is broken, of objects, or of a shape that does not fit the bytes of the array.
    """
    try:
        version = np.lib.format.read_magic(file)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        with quiet_headers():
            shape, is_fortran, dtype = read(file)
        offset = file.tell()
    except BROKEN as error:
        found = f"a broken array {name}: {_fault(error)}"
        raise data_error(path, found=found, expected="an array as NumPy stores it") from error
    if dtype.hasobject:
        found = "objects that would have to be unpickled"
        raise data_error(path, found=found, expected="arrays of numbers or texts")
    n_needed = math.prod(shape) * dtype.itemsize
    if min(shape, default=0) < 0 or n_needed != n_bytes - offset:
        found = f"an array {name} of shape {shape} and type {dtype} in {n_bytes - offset} bytes"
        raise data_error(path, found=found, expected="a shape that fits its bytes")
    return Header(tuple(map(int, shape)), bool(is_fortran), dtype, offset)


def _fault(error: Exception) -> str:
    """Return what is wrong with a header, in one line."""
    text = next(iter(str(error).splitlines()), "")
    if text.startswith("malformed node"):  # of Python's parser of literals, which names an object in memory
        return "its header holds an expression where a number, a text or a tuple of these has to stand"
    return text or type(error).__name__
