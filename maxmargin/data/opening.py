"""Opening files, plain or compressed, or the standard input, and their bytes as text in UTF-8."""

import codecs
import errno
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import partial
from itertools import islice
from typing import BinaryIO, cast

from maxmargin.solvers.errors import option
from maxmargin.text.data_error import DataError, data_error

STDIN = "-"
STDIN_NAME = "standard input"

DELIMITED = (".csv", ".tsv", ".txt", ".dat")

# Suffixes of the formats that can be read in parts.
IN_PARTS = (*DELIMITED, ".parquet", ".feather", ".npz", ".npy")

# Largest number of bytes of a file that is read whole and is no data: a proof, a study, a hyperplane or a plug-in.
# Proofs about large data have some hundred MiB.
MOST_BYTES = 2**30

# Number of bytes that are read at a time where the end may never come.
_BYTES_OF_PIECE = 2**20

# What a path may name besides a regular file; anything else is a device.
_KINDS = {stat.S_IFDIR: "a directory", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}

_BYTES_OF_GZIP_SIZE = 4
_COMPRESSION = 6

_EXPECTED = "text in UTF-8"

# First bytes of files that hold no text in UTF-8. Marks of UTF-32 come first, as one begins with a mark of UTF-16.
_FORMS = {
    codecs.BOM_UTF32_LE: "text in UTF-32", codecs.BOM_UTF32_BE: "text in UTF-32",
    codecs.BOM_UTF16_LE: "text in UTF-16", codecs.BOM_UTF16_BE: "text in UTF-16",
    b"\x1f\x8b": "gzip data", b"BZh": "bzip2 data", b"\xfd7zXZ": "xz data", b"\x28\xb5\x2f\xfd": "Zstandard data",
    b"PK\x03\x04": "a zip archive (.zip, .xlsx, .npz)", b"\xd0\xcf\x11\xe0": "an Excel file", b"PAR1": "Parquet data",
    b"ARROW1": "Feather data", b"\x93NUMPY": "a NumPy array", b"\x89HDF": "HDF5 data",
}  # fmt: skip

# How data in forms that are not read become such that are.
_ADVICE = {
    **dict.fromkeys(("bzip2 data", "xz data", "Zstandard data"), "decompress it first"),
    **dict.fromkeys(("an Excel file", "HDF5 data"), "save it as CSV"),
    "a zip archive (.zip, .xlsx, .npz)": "unzip it, save a sheet as CSV, or let the name of arrays end in .npz",
    "gzip data": "decompress it with gunzip, or let its name end in .gz",
}


def suffix_of(path: str) -> str:
    """Return the suffix that determines the format, in lower case and without a final `.gz`.

    Examples
    --------
    >>> suffix_of("a/B.CSV.gz")
    '.csv'
    """
    name = os.path.basename(path).lower()
    return os.path.splitext(name.removesuffix(".gz"))[1]


def kind_of(path: str, form: str | None) -> str:
    """Return the format of a file as a suffix: the one that was given, otherwise the suffix of its name.

    Examples
    --------
    >>> kind_of("a.dat", "csv"), kind_of("a.dat", None)
    ('.csv', '.dat')
    """
    return suffix_of(path) if form is None else f".{form}"


def is_compressed(path: str) -> bool:
    """Return whether the name ends in `.gz`."""
    return path.lower().endswith(".gz")


def is_readable_in_parts(path: str, form: str | None) -> bool:
    """Return whether a file, of the format `form` or else as its name says, can be read in parts."""
    suffix = kind_of(path, form)
    return suffix in IN_PARTS and (suffix in DELIMITED or not is_compressed(path))


def labels_beside(path: str) -> str | None:
    """Return the file with the labels of one whose name ends in X before its suffix: the same with y in its place.

    Examples
    --------
    >>> labels_beside("train_X.npy"), labels_beside("a.npy")
    ('train_y.npy', None)
    """
    name, suffix = os.path.splitext(path)
    return f"{name[:-1]}y{suffix}" if name.endswith("X") else None


def standard_input() -> BinaryIO:
    """Return the standard input.

    Raises
    ------
    DataError
        It is closed.
    """
    if sys.stdin is None:
        raise data_error(STDIN_NAME, found="a closed standard input", expected="data")
    return sys.stdin.buffer


@contextmanager
def open_binary(path: str) -> Iterator[BinaryIO]:
    """Open `path` for reading bytes; decompress `.gz`; `-` is the standard input.

    Raises
    ------
    DataError
        The file is missing, unreadable, a directory, empty, or a broken gzip file (also while it is read).
    """
    if path == STDIN:
        yield standard_input()
        return
    with _open(path) as file:
        status = os.fstat(file.fileno())
        if stat.S_ISREG(status.st_mode) and status.st_size == 0:
            raise empty_file(path)
        try:
            with _unpacked(file, path) as content:
                yield content
        except (OSError, EOFError, zlib.error) as error:
            if is_compressed(path) and getattr(error, "errno", None) is None:
                raise data_error(path, found=f"broken gzip data: {error}", expected="a complete gzip file") from error
            raise unreadable(path, error) from error


def empty_file(source: str) -> DataError:
    """Return the error about an empty source."""
    return data_error(source, found="an empty file", expected="data")


def read_regular_file(path: str | os.PathLike[str], *, most_bytes: int = MOST_BYTES) -> bytes:
    """Return all bytes of a file that is no data; pipes and devices, which may never end, are refused unread.

    Raises
    ------
    OSError
        It is no regular file, has more than `most_bytes`, or cannot be read.
    """
    if check_is_regular(path) > most_bytes:
        raise _too_large(os.fspath(path), most_bytes)
    with open(path, "rb") as file:
        return read_at_most(file, os.fspath(path), most_bytes=most_bytes)


def check_is_regular(path: str | os.PathLike[str]) -> int:
    """Return the number of bytes of a file.

    Raises
    ------
    OSError
        There is none, or it is no regular file.
    """
    status = os.stat(path)
    if not stat.S_ISREG(status.st_mode):
        found = _KINDS.get(stat.S_IFMT(status.st_mode), "a device")
        raise OSError(errno.EINVAL, f"found {found}, expected a regular file", os.fspath(path))
    return status.st_size


def read_at_most(file: BinaryIO, name: str, *, most_bytes: int = MOST_BYTES) -> bytes:
    """Return the bytes of a file up to its end.

    Raises
    ------
    OSError
        There are more than `most_bytes`.
    """
    pieces = iter(partial(file.read, _BYTES_OF_PIECE), b"")
    content = b"".join(islice(pieces, most_bytes // _BYTES_OF_PIECE + 1))
    if len(content) > most_bytes:
        raise _too_large(name, most_bytes)
    return content


def _too_large(name: str, most_bytes: int) -> OSError:
    text = f"found more than {most_bytes / 2**20:g} MiB, which is the most that is read at once"
    return OSError(errno.EFBIG, text, name)


def size_of_content(path: str) -> int:
    """Return the approximate number of bytes of a file, decompressed.

    A gzip file ends with the size of its last part, modulo 2**32. The result is at least six times the size of the
    compressed file, as text and numbers are seldom compressed further.
    """
    n_bytes = os.path.getsize(path)
    if not is_compressed(path) or n_bytes < _BYTES_OF_GZIP_SIZE:
        return n_bytes
    with _open(path) as file:
        file.seek(-_BYTES_OF_GZIP_SIZE, os.SEEK_END)
        size_in_trailer = int.from_bytes(file.read(_BYTES_OF_GZIP_SIZE), "little")
    return max(size_in_trailer, _COMPRESSION * n_bytes)


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
    """Return the error about a line that is too long for the available memory."""
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
        raise unreadable(path, error) from error


def unreadable(path: str, error: Exception) -> DataError:
    """Return the error about a file that the system does not let us read."""
    reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error).partition("\n")[0]
    return data_error(path, found=f"a file that cannot be read: {reason}", expected="a readable file")


@contextmanager
def readable(path: str, found: str, expected: str) -> Iterator[None]:
    """Turn whatever error a library raises for a damaged file into a data error."""
    try:
        yield
    except DataError:
        raise
    except Exception as error:
        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise data_error(path, found=f"{found}: {reason}", expected=expected) from error


def _unpacked(file: BinaryIO, path: str) -> AbstractContextManager[BinaryIO]:
    if not is_compressed(path):
        return nullcontext(file)
    import gzip

    return cast("AbstractContextManager[BinaryIO]", gzip.GzipFile(fileobj=file))


# Text


def decoded(content: bytes, lines_before: int, source: str) -> str:
    """Return text in UTF-8, without its byte-order mark.

    Parameters
    ----------
    content : bytes
        Consecutive bytes of a source.
    lines_before : int
        Number of lines of the source before these bytes.
    source : str
        Display name of the source.

    Raises
    ------
    DataError
        They are in another encoding, which is named where it is known, or no text.
    """
    if lines_before == 0:
        content = content.removeprefix(codecs.BOM_UTF8)
    nul = content.find(b"\0")
    if nul >= 0:
        raise _not_text(content, nul, lines_before, source)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise _not_text(content, error.start, lines_before, source) from error


def _not_text(content: bytes, position: int, lines_before: int, source: str) -> DataError:
    """Return the error about bytes that are not text in UTF-8, with the encoding or format that they show, or one byte.

    Parameters
    ----------
    content : bytes
        Consecutive bytes of a source.
    position : int
        Position of the first byte that is not text.
    lines_before : int
        Number of lines of the source before these bytes.
    source : str
        Display name of the source.
    """
    form = next((form for start, form in _FORMS.items() if lines_before == 0 and content.startswith(start)), None)
    if form is not None:
        return data_error(source, found=form, expected=_EXPECTED, hint=_advice_about(form, source))
    line, byte = lines_before + content.count(b"\n", 0, position) + 1, content[position]
    if byte == 0:
        found, hint = "a NUL byte", "text in UTF-16? convert it: iconv -f UTF-16LE -t UTF-8, or UTF-16BE"
    else:
        name, codec = ("Windows-1252", "CP1252") if 0x80 <= byte < 0xA0 else ("Latin-1", "ISO-8859-1")
        char = bytes([byte]).decode(codec, "replace")
        found = f"byte 0x{byte:02x}, which is not UTF-8"
        hint = f"{char!r} in {name}? convert it: iconv -f {codec} -t UTF-8"
    return data_error(source, line=line, found=found, expected=_EXPECTED, hint=hint)


def _advice_about(form: str, source: str) -> str:
    if form.startswith("text in "):
        return f"convert it: iconv -f {form.removeprefix('text in ')} -t UTF-8"
    if source == STDIN_NAME and form == "gzip data":
        return "decompress it on its way: gunzip -c FILE.gz | maxmargin ..."
    if source == STDIN_NAME and form not in _ADVICE:
        return "save it to a file first"
    return _ADVICE.get(form) or f"say what it is with {option('format')}"
