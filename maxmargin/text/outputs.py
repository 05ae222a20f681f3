"""Files that are written whole or not at all: a temporary file in the same folder, flushed to disk, then renamed."""

import errno
import io
import os
import secrets
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, TextIO

_STREAMS = (1, 2)
"""Descriptors of the standard output and the standard error."""

_TEMPORARY = ".part"
"""Suffix of the names of temporary files."""

_LONGEST_NAME = 40
"""Number of characters of the file's name that the temporary file's name begins with."""


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text in UTF-8, in place of a file that may be there.

    Raises
    ------
    OSError
        If the file cannot be written; the error names it, and the old content stays.
    """
    with replacing_text(path) as file:
        file.write(text)


@contextmanager
def replacing_text(path: str | os.PathLike[str]) -> Iterator[TextIO]:
    """Do as `replacing` for text in UTF-8 with line feeds; lone surrogates, which UTF-8 lacks, become escapes."""
    with replacing(path) as file:
        text = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="")
        yield text
        text.flush()
        text.detach()


@contextmanager
def replacing(path: str | os.PathLike[str], *, is_private: bool = False) -> Iterator[BinaryIO]:
    """Open a file that replaces one that may be there, once all of it is written.

    The permissions of a file that is there are kept. A symbolic link is followed: the file that it names is replaced,
    the link stays. Files that are not regular (``/dev/null``, a FIFO) and the process's own streams are written
    directly.

    Parameters
    ----------
    path : str or path
    is_private : bool
        Whether a new file is for its owner only.

    Raises
    ------
    OSError
        If the file cannot be written; the error names it, and the old content stays.
    """
    name = os.fspath(path)
    try:
        is_direct = is_written_directly(name)
        with _opened(name) if is_direct else _replacing(os.path.realpath(name), is_private) as file:
            yield file
    except OSError as error:
        if isinstance(error, BrokenPipeError) or not (error.filename is None or _is_temporary(error.filename)):
            raise
        raise OSError(error.errno, error.strerror, name) from error


def is_written_directly(path: str) -> bool:
    """Return whether the path names something that cannot be replaced: a device, a pipe, an own stream."""
    if os.path.abspath(path).startswith(("/dev/", "/proc/")):
        return True
    try:
        status = os.stat(path)
    except OSError:
        return False
    return not stat.S_ISREG(status.st_mode) or any(_is_stream(descriptor, status) for descriptor in _STREAMS)


def _opened(path: str) -> BinaryIO:
    """Open a file that cannot be replaced; an own stream is duplicated, so that other output to it follows."""
    with suppress(OSError):
        status = os.stat(path)
        for descriptor in _STREAMS:
            if _is_stream(descriptor, status):
                return open(os.dup(descriptor), "wb")
    return open(path, "ab")


def _is_stream(descriptor: int, status: os.stat_result) -> bool:
    with suppress(OSError):
        return os.path.samestat(os.fstat(descriptor), status)
    return False


@contextmanager
def _replacing(target: str, is_private: bool) -> Iterator[BinaryIO]:
    folder, name = os.path.split(target)
    temporary = os.path.join(folder, f".{name[:_LONGEST_NAME]}.{secrets.token_hex(4)}{_TEMPORARY}")
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
    descriptor = os.open(temporary, flags, 0o600 if is_private else 0o666)
    try:
        with open(descriptor, "wb") as file:
            _take_over(descriptor, target)
            yield file
            file.flush()
            os.fsync(descriptor)
        os.replace(temporary, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(temporary)
        raise
    _settle(folder)


def _is_temporary(name: object) -> bool:
    return isinstance(name, str) and name.endswith(_TEMPORARY)


def _take_over(descriptor: int, target: str) -> None:
    """Give a new file the owner and the permissions of the file that it replaces, as far as the system lets us."""
    with suppress(OSError, AttributeError):  # there is no such file, or this is Windows
        before = os.stat(target)
        with suppress(OSError):
            os.fchown(descriptor, before.st_uid, before.st_gid)
        os.fchmod(descriptor, stat.S_IMODE(before.st_mode))


def _settle(folder: str) -> None:
    """Make the name of a new file survive a loss of power, where folders can be flushed to disk."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise unless a file can be put at this path, before any work is done for it.

    Raises
    ------
    OSError
    """
    name = os.fspath(path)
    if os.path.isdir(name):
        raise IsADirectoryError(errno.EISDIR, "is a directory, expected a file", name)
    if is_written_directly(name):
        _check_access(name, name)
        return
    target = os.path.realpath(name)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {folder}", name)
    _check_access(folder, name)
    if os.path.exists(target):
        _check_access(target, name)


def check_folder_writable(path: str | os.PathLike[str]) -> None:
    """Raise unless files can be made in this folder, which need not exist yet.

    Raises
    ------
    OSError
    """
    name = os.fspath(path)
    existing = os.path.abspath(name)
    while not os.path.exists(existing):
        existing = os.path.dirname(existing)
    if not os.path.isdir(existing):
        raise NotADirectoryError(errno.ENOTDIR, f"{existing} is a file, expected a folder", name)
    _check_access(existing, name)


def _check_access(position: str, path: str) -> None:
    if not os.access(position, os.W_OK):
        raise PermissionError(errno.EACCES, f"{position} may not be written", path)
