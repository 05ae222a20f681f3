"""Files that are read whole and are no data: proofs, studies, hyperplanes, plug-ins."""

import errno
import os
import stat
from functools import partial
from itertools import islice
from typing import BinaryIO

# Largest number of bytes of a file that is read whole and is no data: a proof, a study, a hyperplane or a plug-in.
# Proofs about large data have some hundred MiB.
MOST_BYTES = 2**30

# Number of bytes that are read at a time where the end may never come.
_BYTES_OF_PIECE = 2**20

# What a path may name besides a regular file; anything else is a device.
_KINDS = {stat.S_IFDIR: "a directory", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}


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
