"""Arrays as NumPy stores them: `.npz` archives with the arrays X and y, and the headers of single arrays."""

import io
import lzma
import math
import struct
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from tokenize import TokenError
from typing import Any, BinaryIO, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.formats.source import read_bytes
from maxmargin.data.formats.table import Choice, Table, drop_note, kept_names
from maxmargin.data.numbers.binary64 import REAL_KINDS, NumberError, numbers
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.text.data_error import DataError, data_error, listed, quoted

ARCHIVE = "an .npz file with the arrays X and y"

ARRAYS = ("X", "y", "feature_names")

BROKEN = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, TokenError, ValueError, TypeError, OSError, EOFError,
    RuntimeError, SyntaxError, LookupError, OverflowError, MemoryError,
)  # fmt: skip
"""The errors that numpy and zipfile raise for files that are damaged or encrypted."""


def read_npz(path: str, choice: Choice) -> Table:
    """Read the arrays X (rows x features) and y (labels); `feature_names` may name the columns of X.

    Columns are counted as if y followed X. Nothing is unpickled.

    Raises
    ------
    DataError
        The archive is broken, X or y is missing or has a wrong shape or type.
    """
    arrays = _arrays(path)
    X, y = _numbers(arrays["X"], path), arrays["y"]
    check_label_type(y.dtype, path)
    if y.shape != X.shape[:1]:
        raise data_error(
            path, found=f"y of shape {y.shape}", expected=f"shape ({X.shape[0]},), a label for every row of X"
        )
    names = checked_names(arrays["feature_names"], X.shape[1], path) if "feature_names" in arrays else None
    roles = choice.roles(None if names is None else (*names, "y"), X.shape[1] + 1, path)
    if roles.label != X.shape[1]:
        raise data_error(path, option="label", found=f"column {choice.label!r} of X", expected="the array 'y'")
    return Table(
        source=path,
        names=kept_names(names, roles.features),
        features=np.ascontiguousarray(X[:, roles.features]) if len(roles.features) < X.shape[1] else X,
        label=y,
        label_name="y",
        ids=None if roles.id is None else tuple(f"{value:g}" for value in X[:, roles.id]),
        notes=drop_note(names, roles),
    )


def _arrays(path: str) -> dict[str, NDArray[Any]]:
    """Return the arrays of the archive that are of use."""
    content = read_bytes(path)
    if not content.startswith(b"PK"):
        found = "a single array (.npy)" if content.startswith(b"\x93NUMPY") else "a file that is no archive"
        raise data_error(path, found=found, expected=ARCHIVE)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.namelist()
            check_members(members, path)
            return {name: array_of_archive(archive, name, path) for name in ARRAYS if f"{name}.npy" in members}
    except BROKEN as error:
        raise broken_archive(path, error) from error


def check_members(members: list[str], path: str) -> None:
    """Raise a :class:`DataError` that lists the members unless an archive has X.npy and y.npy."""
    for name in ("X", "y"):
        if f"{name}.npy" not in members:
            arrays = listed(sorted(member.removesuffix(".npy") for member in members if member.endswith(".npy")))
            found = f"the arrays {arrays}" if arrays else "no arrays"
            raise data_error(path, found=found, expected=f"an array {name!r}")


def array_of_archive(archive: zipfile.ZipFile, name: str, path: str) -> NDArray[Any]:
    """Return an array, once its header is known not to lie about its size.

    Raises
    ------
    DataError
        As `read_header`.
    """
    info = archive.getinfo(f"{name}.npy")
    with archive.open(info) as file:
        read_header(cast("BinaryIO", file), info.file_size, path, name)
    with archive.open(info) as file, quiet_headers():
        array: NDArray[Any] = np.lib.format.read_array(file, allow_pickle=False)
    return array


def broken_archive(path: str, error: Exception) -> DataError:
    """Return the error about an archive that is damaged; one that is worded already stays."""
    if isinstance(error, DataError):
        return error
    return data_error(path, found=f"a broken archive: {str(error) or type(error).__name__}", expected=ARCHIVE)


def _numbers(X: NDArray[Any], path: str) -> Floats:
    if X.ndim != 2:
        check_type(X.dtype, path)
        raise data_error(path, found=f"X of shape {X.shape}", expected="two dimensions: rows and columns")
    check_features(X.dtype, X.shape[1], path)
    try:
        return numbers(X).as_binary64()
    except NumberError as error:
        raise error.in_source(path) from error


def check_type(dtype: np.dtype[Any], path: str) -> None:
    """Raise a :class:`DataError` unless features are of a type of real numbers."""
    if dtype.kind not in REAL_KINDS:
        raise data_error(path, found=f"X of type {quoted(str(dtype))}", expected="an array X of real numbers")


def check_features(dtype: np.dtype[Any], n_columns: int, path: str) -> None:
    """Raise a :class:`DataError` unless there are features, of a type of real numbers."""
    check_type(dtype, path)
    if n_columns == 0:
        raise data_error(path, found="X without columns", expected="at least one feature")


def check_label_type(dtype: np.dtype[Any], path: str) -> None:
    """Raise a :class:`DataError` unless labels are booleans, numbers or texts."""
    if dtype.kind not in "biufUS":
        raise data_error(path, found=f"y of type {quoted(str(dtype))}", expected="labels: booleans, numbers or texts")


def checked_names(array: NDArray[Any], n_features: int, path: str) -> tuple[str, ...]:
    """Return the names of the columns of X; raise a :class:`DataError` unless there is one for each."""
    names = tuple(str(name) for name in array.ravel())
    if len(names) != n_features:
        raise data_error(path, found=f"{len(names)} feature_names", expected=f"{n_features}, one for every column of X")
    return names


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
        The file, positioned at its beginning.
    n_bytes : int
        Number of bytes of the header and the numbers.
    path, name : str
        Names of the file and of the array, for error messages.

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
    """Return the fault of a header, in one line."""
    text = next(iter(str(error).splitlines()), "")
    if text.startswith("malformed node"):  # of Python's parser of literals, which names an object in memory
        return "its header holds an expression where a number, a text or a tuple of these has to stand"
    return text or type(error).__name__
