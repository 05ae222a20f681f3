"""By what a file is known again, whatever it is called by then."""

import hashlib
import os
from dataclasses import asdict, dataclass
from typing import Any

_SPOTS, _BYTES_OF_SPOT = 16, 1 << 14
"""Places of a file that are looked at, evenly spread from its beginning to its end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileMark:
    """The size of a file, when it was written to last, and the hash of some of its bytes (of all, if they are few)."""

    name: str
    size: int
    changed: int
    spots: str

    @classmethod
    def of(cls, path: str) -> "FileMark":
        """Return the mark of a file as it is now.

        Raises
        ------
        OSError
        """
        with open(path, "rb") as file:
            status = os.fstat(file.fileno())
            digest = hashlib.sha256()
            for place in _places(status.st_size):
                file.seek(place)
                digest.update(file.read(_BYTES_OF_SPOT))
        return cls(
            name=os.path.basename(path), size=status.st_size, changed=status.st_mtime_ns, spots=digest.hexdigest()
        )

    @classmethod
    def of_words(cls, words: dict[str, Any]) -> "FileMark":
        """Return the mark that `words` describes."""
        return cls(**words)

    @property
    def words(self) -> dict[str, Any]:
        """The mark in Python's own types."""
        return asdict(self)

    def is_same(self, other: "FileMark") -> bool:
        """Return whether both are marks of the same file, perhaps under different names."""
        return (self.size, self.changed, self.spots) == (other.size, other.changed, other.spots)


def _places(size: int) -> list[int]:
    """Return where to look.

    Examples
    --------
    >>> _places(40_000), len(_places(10**12))
    ([0, 16384, 32768], 16)
    """
    if size <= _SPOTS * _BYTES_OF_SPOT:
        return list(range(0, size, _BYTES_OF_SPOT))
    return [k * (size - _BYTES_OF_SPOT) // (_SPOTS - 1) for k in range(_SPOTS)]
