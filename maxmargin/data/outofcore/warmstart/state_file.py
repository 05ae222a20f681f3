"""Files with named arrays and a JSON object about them, which are whole or refused.

A line of magic, the length of a JSON text, the text, the bytes of the arrays, and the SHA-256 of all that. The file is
replaced as a whole: whoever is killed while writing leaves the one before.

It is not an archive of `numpy.savez`, which notices only three quarters of all flipped bits: with the digest around it,
the refusal of compressed members and the check of every array's header against its size it would take no fewer lines.
"""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from maxmargin.text.data_error import DataError, data_error
from maxmargin.text.outputs import replacing

_MAGIC = b"maxmargin resume 1\n"
_LENGTH_BYTES = 8
_DIGEST_BYTES = 32
_KINDS = "biuf"
"""Kinds of array elements: booleans, integers, floats."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """The content of such a file: `words` is a JSON object."""

    words: dict[str, Any]
    arrays: Mapping[str, NDArray[Any]]


def write(path: str, content: Content) -> None:
    """Write a file with this content, replacing an existing one as a whole.

    Raises
    ------
    OSError
    """
    arrays = {name: np.ascontiguousarray(array) for name, array in content.arrays.items()}
    forms = {name: [array.dtype.str, list(array.shape)] for name, array in arrays.items()}
    text = json.dumps({"words": content.words, "arrays": forms}, allow_nan=False).encode()
    parts: list[bytes | memoryview] = [_MAGIC, len(text).to_bytes(_LENGTH_BYTES, "little"), text]
    parts += map(_bytes_of, arrays.values())
    digest = hashlib.sha256()
    with replacing(path, is_private=True) as file:
        for part in parts:
            digest.update(part)
            file.write(part)
        file.write(digest.digest())


def read(path: str) -> Content:
    """Return the content of a file.

    Raises
    ------
    DataError
        It is another file, or it was changed.
    OSError
    """
    if os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path):
        raise _no_state(path)
    with open(path, "rb") as file:
        size = os.fstat(file.fileno()).st_size
        if file.read(len(_MAGIC)) != _MAGIC:
            raise _no_state(path)
        try:
            return _read(file, size)
        except (ValueError, KeyError, TypeError, AttributeError, OverflowError, MemoryError, RecursionError) as error:
            raise damaged(path) from error


def _read(file: BinaryIO, size: int) -> Content:
    length = file.read(_LENGTH_BYTES)
    n_text = int.from_bytes(length, "little")
    left = size - len(_MAGIC) - _LENGTH_BYTES - _DIGEST_BYTES - n_text
    need(left >= 0)
    text = file.read(n_text)
    digest = hashlib.sha256(_MAGIC + length + text)
    found = json.loads(text)
    arrays = {name: _empty(kind, shape, left) for name, (kind, shape) in found["arrays"].items()}
    need(sum(array.nbytes for array in arrays.values()) == left)
    for array in arrays.values():
        need(file.readinto(_bytes_of(array)) == array.nbytes)  # type: ignore[attr-defined]
        digest.update(_bytes_of(array))
    need(file.read() == digest.digest())
    need(type(found["words"]) is dict)
    return Content(words=found["words"], arrays=arrays)


def _empty(kind: str, shape: list[int], most_bytes: int) -> NDArray[Any]:
    dtype = np.dtype(kind)
    need(dtype.kind in _KINDS)
    need(min(shape, default=0) >= 0 and dtype.itemsize * int(np.prod(shape, dtype=object)) <= most_bytes)
    return np.empty(shape, dtype)


def _bytes_of(array: NDArray[Any]) -> memoryview:
    return memoryview(array.reshape(-1).view(np.uint8).data)


def need(holds: bool) -> None:
    """Raise ValueError unless a condition holds that every file of this kind fulfils."""
    if not holds:
        raise ValueError


def _no_state(path: str) -> DataError:
    found, expected = "no state of maxmargin", "a file that resume wrote, or a name that is free"
    return data_error(path, found=found, expected=expected)


def damaged(path: str) -> DataError:
    """Return the error about a file that was changed."""
    return data_error(
        path, found="a damaged state", expected="the file as resume wrote it", hint="remove it to start from scratch"
    )
