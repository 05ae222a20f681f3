"""Sizes of data above which work is divided or done differently: they change time and memory, never a proof."""

from dataclasses import dataclass

CHUNK_ENTRIES = 1 << 21
"""Matrix entries in one chunk of rows (16 MiB of binary64): bounds the memory of temporaries."""

EXACT_ENTRIES = 1 << 17
"""Largest number of matrix entries that are summed in integers, in about a quarter of a second."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """Sizes that travel with a problem.

    Attributes
    ----------
    chunk_entries : int
        Matrix entries in one chunk of rows in memory.
    exact_entries : int
        Largest number of matrix entries in support rows that are summed in integers; more are summed in floating
        point, with bounds of the rounding errors.
    last_resort_entries : int
        As `exact_entries`, where floating point overflows.
    exact_rows : int
        Largest number of rows next to the margin whose slack is computed exactly.
    exact_slack_entries : int
        Largest number of matrix entries for which the squared slacks of all rows are computed in integers, in a few
        hundredths of a second.
    least_sample : int
        Smallest number of rows of a sample (all rows if they are fewer).
    fetched_rows : int
        Number of rows that any chunk may contribute to a program of rows near the margin, whatever its share of all
        rows.
    factorised_side : int
        Largest order (the number of rows or of columns, whichever is smaller) of a dense matrix that the interior point
        factorises in every iteration.
    block_entries, block_rows : int
        A pass of the interior point works on blocks of about this number of entries, and of at least this number of
        rows: 512 KiB, with its product, stay in the cache of a core.
    class_entries : int
        Number of entries in the matrix of all inequalities of more than two classes above which the perceptron and the
        pairs of classes are tried before all inequalities at once.
    call_entries : int
        Largest number of stored entries in one compiled call of dual coordinate descent, which cannot be interrupted:
        some tens of milliseconds.
    """

    chunk_entries: int = CHUNK_ENTRIES
    exact_entries: int = EXACT_ENTRIES
    last_resort_entries: int = 1 << 21
    exact_rows: int = 2000
    exact_slack_entries: int = 1 << 14
    least_sample: int = 2000
    fetched_rows: int = 1000
    factorised_side: int = 3000
    block_entries: int = 1 << 16
    block_rows: int = 256
    class_entries: int = 1_000_000
    call_entries: int = 1 << 24


DEFAULT_SIZES = Sizes()
