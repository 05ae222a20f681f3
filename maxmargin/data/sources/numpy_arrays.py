"""Arrays as NumPy stores them: `.npz` archives with the arrays X and y, and pairs of `.npy` files."""

import io
import lzma
import math
import os
import struct
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from tokenize import TokenError
from typing import Any, BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.column_roles import Choice, Layout, Roles
from maxmargin.data.numbers.binary64 import REAL_KINDS, NumberError, numbers
from maxmargin.data.opening import is_compressed, kind_of, labels_beside, open_binary, read_bytes
from maxmargin.data.sources.batches import Table, table_of
from maxmargin.data.stores.budget import MemoryBudget
from maxmargin.data.stores.raw import ArrayLayout, OpenFile, RawRows, Scratch
from maxmargin.data.stores.stored_matrix import FileStamp, Piece
from maxmargin.text.data_error import DataError, data_error, listed, quoted

ARCHIVE = "an .npz file with the arrays X and y"

# The errors that numpy and zipfile raise for files that are damaged or encrypted.
BROKEN = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, TokenError, ValueError, TypeError, OSError, EOFError,
    RuntimeError, SyntaxError, LookupError, OverflowError, MemoryError,
)  # fmt: skip

# Number of bytes of the header of a member of a ZIP archive, without its name and extra field.
_LOCAL_HEADER_BYTES = 30


class NumpyArrays:
    """An array X of rows and features, and an array y of labels, in one archive or in two files.

    Columns are counted as if y followed X; `feature_names` of an archive may name the columns of X. Nothing is
    unpickled.

    Raises
    ------
    DataError
        The files are broken, X or y is missing or has a wrong shape or type.
    """

    def __init__(self, path: str, choice: Choice) -> None:
        self.path = path
        is_archive = kind_of(path, choice.format) == ".npz"
        self._X, self._y, names = _of_archive(path) if is_archive else (*_pair(path), None)
        self._rows = self._X.layout
        _check_types(path, self._X, self._y)
        self._n_rows, n_features = self._rows.shape
        self.n_rows = self._n_rows if os.path.isfile(path) and not is_compressed(path) else 0
        names = ("",) * n_features if names is None else names
        if len(names) != n_features:
            found = f"{len(names)} feature_names"
            raise data_error(path, found=found, expected=f"{n_features}, one for every column of X")
        self.layout = Layout(source=path, names=(*names, "y"), n_columns=n_features + 1, only_label="the array 'y'")
        self._file: OpenFile | None = None
        self._stamp: FileStamp | None = None

    def tables(self, roles: Roles, budget: MemoryBudget | None) -> Iterator[Callable[[], Table]]:
        """Yield functions that read consecutive rows."""
        if budget is None:
            yield partial(self._everything, roles)
            return
        n_rows, store = budget.chunk_rows(len(roles.features)), self.store(roles, budget)
        for piece, labels in zip(store.pieces(n_rows), self._y.parts(n_rows), strict=True):
            yield partial(self._some, roles, piece, labels)

    def _everything(self, roles: Roles) -> Table:
        (entries,), (labels,) = self._X.parts(max(self._n_rows, 1)), self._y.parts(max(self._n_rows, 1))
        stored = entries.reshape(self._rows.shape, order="F" if self._rows.is_fortran else "C")
        chosen = stored if len(roles.features) == stored.shape[1] else stored[:, roles.features]
        try:
            X = numbers(chosen).as_binary64()
        except NumberError as error:
            raise error.in_source(self.path, self.layout.name_of(roles.features[error.column or 0])) from error
        ids = None if roles.id is None else tuple(f"{value:g}" for value in stored[:, roles.id])
        return table_of(self.layout, roles, features=X, label=labels, ids=ids)

    def _some(self, roles: Roles, piece: Piece, labels: NDArray[Any]) -> Table:
        return table_of(
            self.layout, roles, features=piece.read(), label=labels, first_row=piece.rows.start, is_whole=False
        )

    def _open(self, budget: MemoryBudget) -> OpenFile:
        """Unpack X into a temporary file if it is compressed; otherwise read it once, which compares its checksum."""
        parts = self._X.parts(budget.chunk_rows(self.layout.n_columns))
        if self._X.is_compressed:
            scratch = Scratch(self.path)
            for part in parts:
                scratch.write(part)
            self._rows = replace(self._rows, offset=0)
            return scratch.file
        self._stamp, file = FileStamp.of(self.path), OpenFile.of(self.path)
        self._rows = replace(self._rows, offset=self._X.offset_in(file) + self._rows.offset)
        if self._X.has_checksum:
            for _ in parts:
                pass
        return file

    def store(self, roles: Roles, budget: MemoryBudget) -> RawRows:
        """Return the features for later passes."""
        self._file = self._file or self._open(budget)
        return RawRows(path=self.path, file=self._file, layout=self._rows, columns=roles.features, stamp=self._stamp)


class _Member:
    """An array in a file of its own."""

    is_compressed = False
    has_checksum = False

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = os.path.basename(path)
        self.n_bytes = os.path.getsize(path)
        with self.stream() as file:
            self.layout = self._header(file)

    def stream(self) -> BinaryIO:
        return open(self.path, "rb")

    def offset_in(self, file: OpenFile) -> int:
        """Return the position of the array in the file."""
        return 0

    def _header(self, file: BinaryIO) -> ArrayLayout:
        """Read the header of an array; vectors have one column."""
        header = read_header(file, self.n_bytes, self.path, self.name)
        self.shape = header.shape
        shape = (*header.shape, 1) if len(header.shape) == 1 else header.shape
        shape = shape if len(shape) == 2 else (math.prod(shape), 1)
        is_fortran = header.is_fortran and len(header.shape) == 2
        return ArrayLayout(header.offset, header.dtype, (shape[0], shape[1]), is_fortran)

    def parts(self, n_rows: int) -> Iterator[NDArray[Any]]:
        """Yield all entries in the order of the file, as many at a time as `n_rows` rows have."""
        with self.stream() as file:
            layout = self._header(file)
            row_bytes = layout.dtype.itemsize * layout.shape[1]
            for start in range(0, max(layout.shape[0], 1), n_rows):
                n_bytes = min(n_rows, layout.shape[0] - start) * row_bytes
                yield np.frombuffer(self._exactly(file, n_bytes), layout.dtype)

    def _exactly(self, file: BinaryIO, n_bytes: int) -> bytes:
        try:
            content = file.read(n_bytes)
        except BROKEN as error:
            raise _broken_archive(self.path, error) from error
        if len(content) < n_bytes:
            raise data_error(self.path, found="a file that ends early", expected="all of its rows")
        return content


class _Packed(_Member):
    """An array in an archive."""

    has_checksum = True

    def __init__(self, path: str, archive: zipfile.ZipFile, name: str) -> None:
        self.path, self.name = path, name
        self.archive, self.info = archive, archive.getinfo(f"{name}.npy")
        self.is_compressed = self.info.compress_type != zipfile.ZIP_STORED
        self.n_bytes = self.info.file_size
        with self.stream() as file:
            self.layout = self._header(file)

    def stream(self) -> BinaryIO:
        try:
            return self.archive.open(self.info)  # type: ignore[return-value]
        except BROKEN as error:
            raise _broken_archive(self.path, error) from error

    def offset_in(self, file: OpenFile) -> int:
        local = bytearray(_LOCAL_HEADER_BYTES)
        file.read_into(memoryview(local), self.info.header_offset)
        n_before = int.from_bytes(local[26:28], "little") + int.from_bytes(local[28:30], "little")
        return self.info.header_offset + _LOCAL_HEADER_BYTES + n_before


def _of_archive(path: str) -> tuple[_Member, _Member, tuple[str, ...] | None]:
    content = read_bytes(path) if is_compressed(path) or not os.path.isfile(path) else None
    if content is None:
        with open_binary(path) as file:
            start = file.read(6)
    else:
        start = content[:6]
    if not start.startswith(b"PK"):
        found = "a single array (.npy)" if start == b"\x93NUMPY" else "a file that is no archive"
        raise data_error(path, found=found, expected=ARCHIVE)
    try:
        archive = zipfile.ZipFile(path if content is None else io.BytesIO(content))
        members = archive.namelist()
        for name in ("X", "y"):
            if f"{name}.npy" not in members:
                arrays = listed(sorted(member.removesuffix(".npy") for member in members if member.endswith(".npy")))
                found = f"the arrays {arrays}" if arrays else "no arrays"
                raise data_error(path, found=found, expected=f"an array {name!r}")
        names = _Packed(path, archive, "feature_names") if "feature_names.npy" in members else None
        named = None if names is None else tuple(map(str, next(names.parts(names.layout.shape[0] or 1))))
        return _Packed(path, archive, "X"), _Packed(path, archive, "y"), named
    except BROKEN as error:
        raise _broken_archive(path, error) from error


def _pair(path: str) -> tuple[_Member, _Member]:
    with open_binary(path):
        pass
    labels = labels_beside(path)
    if labels is None:
        raise data_error(path, found="one array", expected="a file whose name ends in X.npy, with one in y.npy beside")
    if not os.path.exists(labels):
        raise data_error(labels, found="no such file", expected=f"the labels of {path}")
    return _Member(path), _Member(labels)


def _broken_archive(path: str, error: Exception) -> DataError:
    """Return the error about an archive that is damaged; one that is worded already stays."""
    if isinstance(error, DataError):
        return error
    return data_error(path, found=f"a broken archive: {str(error) or type(error).__name__}", expected=ARCHIVE)


def _check_types(path: str, X: _Member, y: _Member) -> None:
    kind = X.layout.dtype
    if kind.kind not in REAL_KINDS:
        raise data_error(path, found=f"X of type {quoted(str(kind))}", expected="an array X of real numbers")
    if len(X.shape) != 2:
        raise data_error(path, found=f"X of shape {X.shape}", expected="two dimensions: rows and columns")
    if X.shape[1] == 0:
        raise data_error(path, found="X without columns", expected="at least one feature")
    kind = y.layout.dtype
    if kind.kind not in "biufUS":
        raise data_error(path, found=f"y of type {quoted(str(kind))}", expected="labels: booleans, numbers or texts")
    if y.layout.shape != (X.shape[0], 1):
        expected = f"shape ({X.shape[0]},), a label for every row of X"
        raise data_error(path, found=f"y of shape {y.shape}", expected=expected)


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
