"""Files as `--resume` writes them, with a right digest and any content."""

import copy
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from maxmargin.data.outofcore.warmstart import state_file

_MAGIC = b"maxmargin resume 1\n"


@dataclass
class Content:
    """What such a file holds: words that JSON knows, and arrays by name."""

    words: Any
    arrays: dict[str, np.ndarray]

    @classmethod
    def of(cls, path: Path) -> "Content":
        found = state_file.read(str(path))
        return cls(found.words, dict(found.arrays))

    def write(self, path: Path) -> None:
        """Do what the package does, but for any content."""
        forms = {name: [array.dtype.str, list(array.shape)] for name, array in self.arrays.items()}
        text = json.dumps({"words": self.words, "arrays": forms}).encode()
        parts = [_MAGIC, len(text).to_bytes(8, "little"), text, *(array.tobytes() for array in self.arrays.values())]
        whole = b"".join(parts)
        path.write_bytes(whole + hashlib.sha256(whole).digest())

    def with_words(self, path: tuple[Any, ...], value: Any, *, remove: bool = False) -> "Content":
        """Return the content with another value at a position in the words, or with none there."""
        words = copy.deepcopy(self.words)
        inside = words
        for key in path[:-1]:
            inside = inside[key]
        if remove:
            del inside[path[-1]]
        else:
            inside[path[-1]] = value
        return Content(words, self.arrays)

    def with_array(self, name: str, array: np.ndarray) -> "Content":
        return Content(self.words, {**self.arrays, name: array})

    def without_array(self, name: str) -> "Content":
        return Content(self.words, {other: array for other, array in self.arrays.items() if other != name})


def positions(words: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value inside the words."""
    entries = words.items() if isinstance(words, dict) else enumerate(words) if isinstance(words, list) else ()
    for key, value in entries:
        yield (*path, key)
        yield from positions(value, (*path, key))
