"""Files that are written whole or not at all: a temporary file in the same folder, flushed to disk, then renamed."""

import errno
import io
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import BinaryIO, TextIO

# Number of characters of the file's name that the temporary file's name begins with.
_LONGEST_NAME = 40


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
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a file that replaces one that may be there, once all of it is written.

    The permissions of a file that is there are kept. A symbolic link is followed: the file that it names is replaced,
    the link stays. Files that are not regular (``/dev/null``, a FIFO) are written directly.

    Raises
    ------
    OSError
        If the file cannot be written; the error names it, and the old content stays.
    """
    name = os.fspath(path)
    target = os.path.realpath(name)
    folder, last = os.path.split(target)
    temporary = os.path.join(folder, f".{last[:_LONGEST_NAME]}.{secrets.token_hex(4)}.part")
    try:
        if is_special(name):
            with open(name, "wb") as file:
                yield file
            return
        with open(temporary, "xb") as file:
            with suppress(FileNotFoundError):
                shutil.copymode(target, temporary)
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except OSError as error:
        if error.filename not in (None, temporary):
            raise
        raise OSError(error.errno, error.strerror, name) from error
    finally:
        with suppress(OSError):
            os.unlink(temporary)


def is_special(path: str | os.PathLike[str]) -> bool:
    """Return whether the path names something that cannot be replaced, such as a device or a pipe."""
    return os.path.exists(path) and not os.path.isfile(path)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise unless a file can be put at this path, before any work is done for it.

    Raises
    ------
    OSError
    """
    name = os.fspath(path)
    if os.path.isdir(name):
        raise IsADirectoryError(errno.EISDIR, "is a directory, expected a file", name)
    target = os.path.realpath(name)
    folder = os.path.dirname(target)
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {folder}", name)
    if _is_standard_output(target):
        raise FileExistsError(errno.EEXIST, "is where the answer is printed; expected a file of its own", name)
    if not is_special(name):
        _check_access(folder, name)
    if os.path.exists(target):
        _check_access(target, name)


def _is_standard_output(path: str) -> bool:
    """Return whether the standard output was redirected to this file, which would be replaced under the answer."""
    with suppress(OSError):
        return os.path.isfile(path) and os.path.samestat(os.stat(path), os.fstat(1))
    return False


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
