"""The memory that may be used, and the sizes of chunks that follow from it."""

import re
import sys
from dataclasses import dataclass

from maxmargin.solvers.basics.parallel import n_threads
from maxmargin.solvers.errors import InvalidOptionError

# Default budget in bytes, in addition to the interpreter and its libraries.
DEFAULT_MEMORY = 1 << 30

_UNITS = {"": 1, "b": 1, **{f"{letter}{kind}": (1024 if kind == "ib" else 1000) ** power
                            for power, letter in enumerate("kmgt", start=1) for kind in ("", "b", "ib")}}  # fmt: skip

# Largest number of threads that work on chunks.
_MOST_WORKERS = 16

# Smallest limit of the length of a line of text, in bytes.
_SHORTEST_LIMIT = 1 << 21

# Largest and smallest number of bytes of a chunk of rows.
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
    """Return a number of bytes in a unit that is easy to read.

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
class MemoryBudget:
    """The memory that work on rows outside memory may take, and the sizes that follow from it.

    `MemoryBudget.of` derives all sizes from an amount of memory. A quarter of it is for chunks: each worker holds one
    as it was stored, one as an array, and temporaries of the same size; twice as many chunks wait. An eighth is for
    rows that were fetched one by one, and a sixteenth for a random sample of rows. The rest is for vectors with an
    entry for every row and for the engines. `dataclasses.replace` changes one of the sizes.

    Attributes
    ----------
    memory : int
        Bytes of memory in total.
    n_workers : int
        Threads that work on chunks.
    in_memory_bytes : int
        Data that take no more bytes than this while they are read are read into memory.
    chunk_bytes : int
        Bytes of a chunk of rows.
    chunk_row_limit : int
        Largest number of rows of a chunk, however few columns there are.
    line_bytes : int
        Bytes of a line of text: split into fields it may take thirty times as much.
    cache_bytes : int
        Bytes of the cache of fetched rows.
    collected_bytes : int
        Bytes of the random sample of rows that the first pass collects.
    task_bytes : int
        Bytes of a text file that one task on a cluster parses.
    task_rows : int
        Rows of a Parquet or Feather file that one task on a cluster reads, unless a group of rows has more.
    """

    memory: int
    n_workers: int
    in_memory_bytes: int
    chunk_bytes: int
    chunk_row_limit: int = sys.maxsize
    line_bytes: int
    cache_bytes: int
    collected_bytes: int
    task_bytes: int = 1 << 26
    task_rows: int = 1 << 20

    @classmethod
    def of(
        cls, memory: "str | int | MemoryBudget" = DEFAULT_MEMORY, *, processors: int | None = None
    ) -> "MemoryBudget":
        """Return the sizes for an amount of memory; a budget is returned as it is.

        Parameters
        ----------
        memory : str, int or MemoryBudget
            As `memory_size`.
        processors : int, optional
            Processors that this process may use. Default: as the system says.

        Raises
        ------
        InvalidOptionError
            `memory` is not a positive size.

        Examples
        --------
        >>> budget = MemoryBudget.of("512MiB")
        >>> budget.cache_bytes == budget.memory // 8, MemoryBudget.of(budget) is budget
        (True, True)
        """
        if isinstance(memory, MemoryBudget):
            return memory
        n_bytes = memory_size(memory)
        n_workers = min(n_threads() if processors is None else processors, _MOST_WORKERS)
        share = n_bytes // (4 * (4 * n_workers + 2))
        return cls(
            memory=n_bytes, n_workers=n_workers, in_memory_bytes=n_bytes,
            chunk_bytes=max(_SMALLEST_CHUNK, min(share, _LARGEST_CHUNK)),
            line_bytes=max(_SHORTEST_LIMIT, n_bytes // 64), cache_bytes=n_bytes // 8, collected_bytes=n_bytes // 16,
        )  # fmt: skip

    def chunk_rows(self, n_columns: int) -> int:
        """Return the number of rows of a chunk."""
        return max(1, min(self.chunk_bytes // (8 * max(n_columns, 1)), self.chunk_row_limit))

    def fits(self, n_rows: int, n_columns: int) -> bool:
        """Return whether data can be read into memory.

        A reader may hold five copies of the numbers for a moment (the file, its table, the columns, the matrix and
        one of its chunks), and a text for every label.
        """
        return n_rows * (40 * n_columns + 150) <= self.in_memory_bytes
