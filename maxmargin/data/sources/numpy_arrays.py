"""Arrays as NumPy stores them: `.npz` archives with the arrays X and y, and pairs of `.npy` files."""

import io
import math
import os
import warnings
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.batches import Choice, Layout, MemoryBudget, Roles, Table, stamp_of
from maxmargin.data.numbers.binary64 import REAL_KINDS, NumberError
from maxmargin.data.sources.opening import is_compressed, kind_of, labels_beside, open_binary, readable
from maxmargin.data.stores.outside_memory import ArrayLayout, OpenFile, RawRows, Scratch, chosen_numbers, fill
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.text.data_error import data_error, listed, quoted

ARCHIVE = "an .npz file with the arrays X and y"


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
        arrays = _of_archive(path) if kind_of(path, choice.format) == ".npz" else _pair(path)
        self._X, self._y = arrays["X"], arrays["y"]
        _check_types(path, self._X, self._y)
        n_rows, n_features = self._X.layout.shape
        self.n_rows = n_rows if os.path.isfile(path) and not is_compressed(path) else 0
        given = arrays.get("feature_names")
        names = ("",) * n_features if given is None else tuple(map(str, given.whole()))
        if len(names) != n_features:
            found = f"{len(names)} feature_names"
            raise data_error(path, found=found, expected=f"{n_features}, one for every column of X")
        self.layout = Layout(source=path, names=(*names, "y"), n_columns=n_features + 1, only_label="the array 'y'")
        self._stored: RawRows | None = None

    def tables(self, roles: Roles, budget: MemoryBudget | None) -> Iterator[Callable[[], Table]]:
        """Yield functions that read consecutive rows."""
        if budget is None:
            yield partial(self._everything, roles)
            return
        n_rows, first_row = budget.chunk_rows(self._X.layout.shape[1]), 0
        pieces = self.store(roles, budget).pieces(budget)
        for (n_read, read), labels in zip(pieces, self._y.parts(n_rows), strict=True):
            yield partial(self._table, roles, read, label=labels, first_row=first_row)
            first_row += n_read

    def _everything(self, roles: Roles) -> Table:
        stored = self._X.whole().reshape(self._X.layout.shape, order="F" if self._X.layout.is_fortran else "C")
        ids = None if roles.id is None else tuple(f"{value:g}" for value in stored[:, roles.id])
        read = partial(chosen_numbers, stored, roles.features)
        return self._table(roles, read, label=self._y.whole(), ids=ids)

    def _table(self, roles: Roles, read: Callable[[], Floats], **rows: Any) -> Table:
        try:
            return self.layout.table(roles, features=read(), **rows)
        except NumberError as error:
            name = self.layout.name_of(roles.features[error.column or 0])
            raise error.in_source(self.path, name, first_row=rows.get("first_row", 0)) from error

    def store(self, roles: Roles, budget: MemoryBudget) -> RawRows:
        """Return the features for later passes."""
        self._stored = self._stored or self._unpacked(budget)
        return replace(self._stored, columns=roles.features)

    def _unpacked(self, budget: MemoryBudget) -> RawRows:
        """Unpack X into a temporary file if it is in an archive, which also compares its checksum."""
        layout = self._X.layout
        if not self._X.is_packed:
            file = OpenFile(open(self.path, "rb"), self.path)  # noqa: SIM115  # it closes the file
            return RawRows(file=file, layout=layout, stamp=stamp_of(self.path))
        scratch = Scratch(self.path)
        for part in self._X.parts(budget.chunk_rows(layout.shape[1])):
            scratch.write(part)
        return RawRows(file=scratch, layout=replace(layout, offset=0))


class _Array:
    """An array in a file of its own, or in an archive.

    Attributes
    ----------
    layout : ArrayLayout
        Its place in the file, and its shape as a matrix: vectors have one column.
    shape : tuple of int
        Its own shape.
    is_packed : bool
        Whether it is in an archive, which has a checksum.
    """

    def __init__(self, path: str, name: str, archive: str | bytes | None = None) -> None:
        self._path, self._name, self._archive = path, name, archive
        self.is_packed, n_bytes = archive is not None, os.path.getsize(path)
        if archive is not None:
            with self._readable(), _opened(archive) as opened:
                n_bytes = opened.getinfo(f"{name}.npy").file_size
        with self._stream() as file:
            self.shape, is_fortran, dtype = _read_header(file)
            self._n_before = file.tell()
        n_left = n_bytes - self._n_before
        if dtype.hasobject:
            found = "objects that would have to be unpickled"
            raise data_error(path, found=found, expected="arrays of numbers or texts")
        if min(self.shape, default=0) < 0 or math.prod(self.shape) * dtype.itemsize != n_left:
            found = f"an array {name} of shape {self.shape} and type {dtype} in {n_left} bytes"
            raise data_error(path, found=found, expected="a shape that fits its bytes")
        n_rows, *others = self.shape or (1,)
        self.layout = ArrayLayout(self._n_before, dtype, (n_rows, math.prod(others)), is_fortran)

    @contextmanager
    def _stream(self) -> Iterator[BinaryIO]:
        with self._readable(), ExitStack() as stack:
            if self._archive is None:
                yield stack.enter_context(open_binary(self._path))
            else:
                archive = stack.enter_context(_opened(self._archive))
                yield cast("BinaryIO", stack.enter_context(archive.open(f"{self._name}.npy")))

    def _readable(self) -> AbstractContextManager[None]:
        return readable(self._path, f"a broken array {self._name}", "an array as NumPy stores it")

    def parts(self, n_rows: int) -> Iterator[NDArray[Any]]:
        """Yield all entries in the order of the file, as many at a time as `n_rows` rows have."""
        n, n_columns = self.layout.shape
        with self._stream() as file:
            file.read(self._n_before)
            for start in range(0, n, n_rows):
                part = np.empty(min(n_rows, n - start) * n_columns, self.layout.dtype)
                fill(part, file, self._path)
                yield part

    def whole(self) -> NDArray[Any]:
        """Return all entries in the order of the file."""
        return next(self.parts(max(1, self.layout.shape[0])), np.empty(0, self.layout.dtype))


def _read_header(file: BinaryIO) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
    """Return the shape, order and type of an array; the file is then at its first number."""
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    try:
        with warnings.catch_warnings(action="ignore"):  # headers that Python 2 wrote, (4L, 1L), are as good as others
            shape, is_fortran, dtype = read(file)
    except ValueError as error:
        if "malformed node" not in str(error):
            raise
        fault = "its header holds an expression where a number, a text or a tuple of these has to stand"
        raise ValueError(fault) from error
    return tuple(map(int, shape)), bool(is_fortran), dtype


def _of_archive(path: str) -> dict[str, _Array]:
    is_on_disk = os.path.isfile(path) and not is_compressed(path)
    with open_binary(path) as file:
        content = file.read(6 if is_on_disk else -1)
    if not content.startswith(b"PK"):
        found = "a single array (.npy)" if content.startswith(b"\x93NUMPY") else "a file that is no archive"
        raise data_error(path, found=found, expected=ARCHIVE)
    archive = path if is_on_disk else content
    with readable(path, "a broken archive", ARCHIVE), _opened(archive) as opened:
        names = sorted(name.removesuffix(".npy") for name in opened.namelist() if name.endswith(".npy"))
    for name in ("X", "y"):
        if name not in names:
            found = f"the arrays {listed(names)}" if names else "no arrays"
            raise data_error(path, found=found, expected=f"an array {name!r}")
    return {name: _Array(path, name, archive) for name in ("X", "y", "feature_names") if name in names}


def _opened(archive: str | bytes) -> zipfile.ZipFile:
    """Open an archive by its path, or by what it holds."""
    return zipfile.ZipFile(archive if isinstance(archive, str) else io.BytesIO(archive))


def _pair(path: str) -> dict[str, _Array]:
    labels = labels_beside(path)
    if labels is None:
        raise data_error(path, found="one array", expected="a file whose name ends in X.npy, with one in y.npy beside")
    if not os.path.exists(labels):
        raise data_error(labels, found="no such file", expected=f"the labels of {path}")
    return {name: _Array(file, os.path.basename(file)) for name, file in (("X", path), ("y", labels))}


def _check_types(path: str, X: _Array, y: _Array) -> None:
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
