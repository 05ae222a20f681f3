"""Which files can be read in parts."""

from maxmargin.data.formats.source import is_compressed, kind_of
from maxmargin.data.formats.table import Choice

SUFFIXES = (".csv", ".tsv", ".parquet", ".feather", ".npz", ".npy")
"""Suffixes of the formats that can be read in parts."""


def is_readable_in_parts(path: str, choice: Choice) -> bool:
    """Return whether a file has a format that can be read in parts."""
    suffix = kind_of(path, choice.format)
    return suffix in SUFFIXES and (suffix in (".csv", ".tsv") or not is_compressed(path))
