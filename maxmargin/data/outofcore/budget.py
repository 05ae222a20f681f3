"""How much memory there is, and what follows for the size of chunks."""

import re
from dataclasses import dataclass

from maxmargin.solvers.basics.parallel import n_threads
from maxmargin.solvers.errors import InvalidOptionError

DEFAULT_MEMORY = 1 << 30
"""Bytes, beyond the interpreter and its libraries."""

_UNITS = {"": 1, "b": 1, **{f"{letter}{kind}": (1024 if kind == "ib" else 1000) ** power
                            for power, letter in enumerate("kmgt", start=1) for kind in ("", "b", "ib")}}  # fmt: skip

_MOST_WORKERS = 16
_SHORTEST_LIMIT = 1 << 21
_LARGEST_CHUNK, _SMALLEST_CHUNK = 1 << 24, 1 << 18


def memory_size(size: str | int) -> int:
    """Return the bytes of a size such as ``"512MiB"``, ``"1.5 GB"`` or a number of bytes.

    Raises
    ------
    InvalidOptionError
        It is not a positive size.

    Examples
    --------
    >>> memory_size("1GiB"), memory_size("2 kB"), memory_size(10**6)
    (1073741824, 2000, 1000000)
    """
    found = re.fullmatch(r"\s*(\d+(?:\.\d*)?)\s*([a-z]*)\s*", str(size).lower())
    unit = None if found is None else _UNITS.get(found[2])
    n_bytes = 0 if found is None or unit is None else int(float(found[1]) * unit)
    if n_bytes < 1:
        raise InvalidOptionError(f"memory is {size!r}; expected a size such as 512MiB, 1GiB, or a number of bytes")
    return n_bytes


def size_text(n_bytes: int) -> str:
    """Return a number of bytes for people.

    Examples
    --------
    >>> size_text(3 << 29)
    '1.5 GiB'
    """
    size = float(n_bytes)
    for unit in ("bytes", "KiB", "MiB", "GiB"):
        if size < 1024:
            return f"{size:.3g} {unit}"
        size /= 1024
    return f"{size:.3g} TiB"


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The memory that work on the rows may take.

    A quarter of it is for chunks: a worker holds one as it was stored, one as an array, and the temporaries of the
    work on it; twice as many wait. An eighth is for rows that were fetched one by one, a sixteenth for rows drawn at
    random. The rest is for vectors with an entry for every row, and for the engines.

    Attributes
    ----------
    memory : int
        Bytes.
    """

    memory: int = DEFAULT_MEMORY

    @property
    def n_workers(self) -> int:
        """Threads that work on chunks."""
        return min(n_threads(), _MOST_WORKERS)

    @property
    def chunk_bytes(self) -> int:
        """Bytes of a chunk of rows."""
        share = self.memory // (4 * (4 * self.n_workers + 2))
        return max(_SMALLEST_CHUNK, min(share, _LARGEST_CHUNK))

    def chunk_rows(self, n_columns: int) -> int:
        """Return the rows of a chunk."""
        return max(1, self.chunk_bytes // (8 * max(n_columns, 1)))

    @property
    def line_bytes(self) -> int:
        """Bytes of a line of text: split into fields it may take thirty times as much."""
        return max(_SHORTEST_LIMIT, self.memory // 64)

    @property
    def cache_bytes(self) -> int:
        """Bytes of rows that are kept once they were fetched."""
        return self.memory // 8

    @property
    def drawn_bytes(self) -> int:
        """Bytes of rows that the first pass brings along at random."""
        return self.memory // 16

    @property
    def kept_bytes(self) -> int:
        """Bytes of other rows that are kept for another process."""
        return self.memory // 16

    @property
    def sample_bytes(self) -> int:
        """Bytes of the rows of a sample that is kept for another process; it is in memory anyway."""
        return self.memory // 4

    def fits(self, n_rows: int, n_columns: int) -> bool:
        """Return whether data can be read into memory.

        A reader may hold five copies of the numbers for a moment (the file, its table, the columns, the matrix and
        one of its chunks), and a text for every label.
        """
        return n_rows * (40 * n_columns + 150) <= self.memory
