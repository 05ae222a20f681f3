"""Pairs of `.npy` files, and `.npz` archives with the arrays X and y."""

import os
import zipfile
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.formats.npz import (
    BROKEN,
    array_of_archive,
    broken_archive,
    check_features,
    check_label_type,
    check_members,
    checked_names,
    read_header,
)
from maxmargin.data.formats.source import labels_beside
from maxmargin.data.formats.table import Roles, shown_name
from maxmargin.data.outofcore.budget import MemoryBudget
from maxmargin.data.outofcore.files.raw import ArrayLayout, OpenFile, RawRows, Scratch
from maxmargin.data.outofcore.files.scan import FileStamp, Labelled, Piece, Scan, bounds_of
from maxmargin.solvers.basics.array_types import Rows
from maxmargin.solvers.basics.parallel import in_order
from maxmargin.text.data_error import data_error

_LOCAL_HEADER_BYTES = 30
"""Number of bytes of the header of a member of a ZIP archive, without its name and extra field."""


class ArrayScan(Scan):
    """An array X in a file, and an array y in the same archive or another file.

    Columns are counted as if y followed X.
    """

    def __init__(self, path: str, kind: str, budget: MemoryBudget) -> None:
        is_archive = kind == ".npz"
        self.path = path
        self.budget = budget
        self._stamp: FileStamp | None = FileStamp.of(path)
        self._X, self._y = _packed(path) if is_archive else _pair(path)
        self._file, self._layout = self._X.opened()
        _check_types(path, self._layout, self._y.header())
        self.n_rows, self.n_columns = self._layout.shape[0], self._layout.shape[1] + 1
        self.names = _feature_names(path, self._layout.shape[1]) if is_archive else None

    def label_name(self, roles: Roles) -> str:
        """Return the name of the array of labels."""
        return "y"

    def labelled(self, roles: Roles, wanted: Rows) -> Iterator[Labelled]:
        """Read all rows once; no sample is collected, as any row can be read by its position."""
        if roles.label != self.n_columns - 1:
            raise data_error(self.path, option="label", found="a column of X", expected="the array 'y'")
        if self._X.is_compressed:
            self._unpack()
        else:
            self._X.check(self.budget.chunk_rows(self.n_columns))
        store = self.store(roles)
        names = [shown_name(self.names, j) for j in roles.features]
        n_rows = self.budget.chunk_rows(len(roles.features))

        def checked(piece: Piece) -> Any:
            return bounds_of(piece.read(), self.path, names, piece.rows.start)

        bounds = in_order(checked, store.pieces(n_rows), n_workers=self.budget.n_workers)
        for extremes, labels in zip(bounds, self._y.parts(n_rows), strict=True):
            distinct, positions = np.unique(labels, return_inverse=True)
            yield Labelled(extremes, distinct.tolist(), positions)

    def _unpack(self) -> None:
        scratch = Scratch(self.path)
        for part in self._X.parts(self.budget.chunk_rows(self.n_columns)):
            scratch.write(part)
        self._file, self._stamp, self._layout = scratch.file, None, replace(self._layout, offset=0)

    def store(self, roles: Roles) -> RawRows:
        """Return the rows."""
        return RawRows(path=self.path, file=self._file, layout=self._layout, columns=roles.features, stamp=self._stamp)


class _Member:
    """An array in a file of its own."""

    is_compressed = False

    def __init__(self, path: str) -> None:
        self.path = path
        self.name = os.path.basename(path)

    def stream(self) -> BinaryIO:
        return open(self.path, "rb")

    @property
    def n_bytes(self) -> int:
        return os.path.getsize(self.path)

    def header(self) -> ArrayLayout:
        with self.stream() as file:
            return self._header(file)

    def _header(self, file: BinaryIO) -> ArrayLayout:
        """Read the header of an array; vectors have one column."""
        header = read_header(file, self.n_bytes, self.path, self.name)
        shape = (*header.shape, 1) if len(header.shape) == 1 else header.shape
        if len(shape) != 2:
            raise data_error(self.path, found=f"an array of shape {header.shape}", expected="rows and columns")
        return ArrayLayout(
            header.offset, header.dtype, (shape[0], shape[1]), header.is_fortran and len(header.shape) == 2
        )

    def opened(self) -> tuple[OpenFile, ArrayLayout]:
        """Return the file that holds the array, and the layout of the array in it."""
        return OpenFile.of(self.path), self.header()

    def parts(self, n_rows: int) -> Iterator[NDArray[Any]]:
        """Yield all entries in the order of the file, as many at a time as `n_rows` rows have."""
        with self.stream() as file:
            layout = self._header(file)
            row_bytes = layout.dtype.itemsize * layout.shape[1]
            for start in range(0, layout.shape[0], n_rows):
                n_bytes = min(n_rows, layout.shape[0] - start) * row_bytes
                yield np.frombuffer(self._exactly(file, n_bytes), layout.dtype)

    def check(self, n_rows: int) -> None:
        """Do nothing: a single file has no checksum."""

    def _exactly(self, file: BinaryIO, n_bytes: int) -> bytes:
        try:
            content = file.read(n_bytes)
        except BROKEN as error:
            raise broken_archive(self.path, error) from error
        if len(content) < n_bytes:
            raise data_error(self.path, found="a file that ends early", expected="all of its rows")
        return content


class _Packed(_Member):
    """An array in an archive."""

    def __init__(self, path: str, name: str) -> None:
        super().__init__(path)
        self.name = name.removesuffix(".npy")
        with _archive(path) as archive:
            self.info = archive.getinfo(name)
        self.is_compressed = self.info.compress_type != zipfile.ZIP_STORED

    def stream(self) -> BinaryIO:
        try:
            with _archive(self.path) as archive:  # its file is closed with the stream
                return archive.open(self.info)  # type: ignore[return-value]
        except BROKEN as error:
            raise broken_archive(self.path, error) from error

    @property
    def n_bytes(self) -> int:
        return self.info.file_size

    def check(self, n_rows: int) -> None:
        """Raise an error unless the array has its checksum, which is compared once all of it was read."""
        for _ in self.parts(n_rows):
            pass

    def opened(self) -> tuple[OpenFile, ArrayLayout]:
        header = self.header()
        file = OpenFile.of(self.path)
        local = bytearray(_LOCAL_HEADER_BYTES)
        file.read_into(memoryview(local), self.info.header_offset)
        n_before = _LOCAL_HEADER_BYTES + int.from_bytes(local[26:28], "little") + int.from_bytes(local[28:30], "little")
        return file, replace(header, offset=self.info.header_offset + n_before + header.offset)


def _packed(path: str) -> tuple[_Member, _Member]:
    with _archive(path) as archive:
        check_members(archive.namelist(), path)
    return _Packed(path, "X.npy"), _Packed(path, "y.npy")


def _pair(path: str) -> tuple[_Member, _Member]:
    labels = labels_beside(path)
    if labels is None:
        raise data_error(path, found="one array", expected="a file whose name ends in X.npy, with one in y.npy beside")
    if not os.path.exists(labels):
        raise data_error(labels, found="no such file", expected=f"the labels of {path}")
    return _Member(path), _Member(labels)


def _archive(path: str) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(path)
    except BROKEN as error:
        raise broken_archive(path, error) from error


def _check_types(path: str, X: ArrayLayout, y: ArrayLayout) -> None:
    check_features(X.dtype, X.shape[1], path)
    check_label_type(y.dtype, path)
    if y.shape != (X.shape[0], 1):
        expected = f"{X.shape[0]}, one for every row of X"
        raise data_error(path, found=f"{y.shape[0] * y.shape[1]} labels", expected=expected)


def _feature_names(path: str, n_features: int) -> tuple[str, ...] | None:
    """Return the names of the columns, y among them, where an archive has them."""
    with _archive(path) as archive:
        if "feature_names.npy" not in archive.namelist():
            return None
        try:
            names = array_of_archive(archive, "feature_names", path)
        except BROKEN as error:
            raise broken_archive(path, error) from error
    return (*checked_names(names, n_features, path), "y")
