"""NumPy's `.npz` archives with the arrays X and y."""

import io
import zipfile
from collections.abc import Mapping
from typing import Any, BinaryIO, cast

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.formats.npy import BROKEN, quiet_headers, read_header
from maxmargin.data.formats.source import read_bytes
from maxmargin.data.formats.table import Choice, Table, drop_note, kept_names
from maxmargin.data.numbers.binary64 import REAL_KINDS, NumberError, numbers
from maxmargin.text.data_error import DataError, data_error, listed, quote

ZIP_MAGIC, NPY_MAGIC = b"PK", b"\x93NUMPY"

ARCHIVE = "an .npz file with the arrays X and y"

ARRAYS = ("X", "y", "feature_names")


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
    if y.dtype.kind not in "biufUS":
        raise data_error(path, found=f"y of type {quote(str(y.dtype))}", expected="labels: booleans, numbers or texts")
    if y.shape != X.shape[:1]:
        raise data_error(
            path, found=f"y of shape {y.shape}", expected=f"shape ({X.shape[0]},), a label for every row of X"
        )
    names = _names(arrays, X.shape[1], path)
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
    if not content.startswith(ZIP_MAGIC):
        found = "a single array (.npy)" if content.startswith(NPY_MAGIC) else "a file that is no archive"
        raise data_error(path, found=found, expected=ARCHIVE)
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            members = archive.namelist()
            for name in ("X", "y"):
                if f"{name}.npy" not in members:
                    raise missing_array(path, members, name)
            return {name: array_of_archive(archive, name, path) for name in ARRAYS if f"{name}.npy" in members}
    except BROKEN as error:
        raise broken_archive(path, error) from error


def missing_array(path: str, members: list[str], name: str) -> DataError:
    """Word the error of an archive without an array of this name: say which ones it holds."""
    arrays = listed(sorted(member.removesuffix(".npy") for member in members if member.endswith(".npy")))
    found = f"the arrays {arrays}" if arrays else "no arrays"
    return data_error(path, found=found, expected=f"an array {name!r}")


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
    """Word the error of an archive that is damaged; one that is worded already stays."""
    if isinstance(error, DataError):
        return error
    return data_error(path, found=f"a broken archive: {error or type(error).__name__}", expected=ARCHIVE)


def _numbers(X: NDArray[Any], path: str) -> NDArray[np.float64]:
    if X.dtype.kind not in REAL_KINDS:
        raise data_error(path, found=f"X of type {quote(str(X.dtype))}", expected="an array X of real numbers")
    if X.ndim != 2:
        raise data_error(path, found=f"X of shape {X.shape}", expected="two dimensions: rows and columns")
    if X.shape[1] == 0:
        raise data_error(path, found="X without columns", expected="at least one feature")
    try:
        return numbers(X).held()
    except NumberError as error:
        raise error.in_source(path) from error


def _names(arrays: Mapping[str, NDArray[Any]], n_features: int, path: str) -> tuple[str, ...] | None:
    if "feature_names" not in arrays:
        return None
    names = tuple(str(name) for name in arrays["feature_names"].ravel())
    if len(names) != n_features:
        raise data_error(path, found=f"{len(names)} feature_names", expected=f"{n_features}, one for every column of X")
    return names
