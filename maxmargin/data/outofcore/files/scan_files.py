"""The files of a source: they are found and opened, and must have one format and the same columns."""

import os
from collections.abc import Sequence

from maxmargin.data.formats.readers import DELIMITED
from maxmargin.data.formats.source import IN_PARTS, is_readable_in_parts, kind_of, labels_beside
from maxmargin.data.formats.table import Choice
from maxmargin.data.outofcore.budget import MemoryBudget
from maxmargin.data.outofcore.files.array_scan import ArrayScan
from maxmargin.data.outofcore.files.arrow_scan import ArrowScan, FeatherFile, ParquetFile
from maxmargin.data.outofcore.files.scan import Scan
from maxmargin.data.outofcore.files.text_scan import TextScan
from maxmargin.text.data_error import data_error, listed


def scans_of(path: str, choice: Choice, budget: MemoryBudget) -> tuple[list[Scan], list[str]]:
    """Open a file or all files of a folder; return them with notes on those that are empty.

    Raises
    ------
    DataError
        There are none, or they have several formats, or different columns.
    """
    if not os.path.isdir(path):
        return [scan_of(path, choice, budget)], []
    scans, notes = [], []
    for file in _files_of(path, choice):
        if os.path.getsize(file) == 0:
            notes.append(f"{file} is empty")
        else:
            scans.append(scan_of(file, choice, budget))
    if not scans:
        raise data_error(path, found="empty files only", expected="data")
    _check_schema(scans)
    return scans, notes


def _files_of(folder: str, choice: Choice) -> list[str]:
    """Return the files in sorted order; hidden ones, those that begin with "_", and labels of .npy are left out."""
    names = sorted(name for name in os.listdir(folder) if not name.startswith((".", "_")))
    paths = [os.path.join(folder, name) for name in names]
    labels = {labels_beside(path) for path in paths if kind_of(path, choice.format) == ".npy"}
    files = [path for path in paths if path not in labels]
    if not files:
        raise data_error(folder, found="a directory without files", expected="files of one format")
    unknown = [path for path in files if os.path.isdir(path) or not is_readable_in_parts(path, choice.format)]
    if unknown:
        expected = f"files {' '.join(IN_PARTS)} only, all of one format"
        raise data_error(folder, found=f"{os.path.basename(unknown[0])!r} in the directory", expected=expected)
    suffixes = sorted({kind_of(path, choice.format) for path in files})
    if len(suffixes) > 1:
        raise data_error(folder, found=f"files {' and '.join(suffixes)}", expected="files of one format")
    return files


def arrow_scan(path: str, choice: Choice, budget: MemoryBudget) -> ArrowScan:
    """Open a Parquet or Feather file."""
    kind = ParquetFile if kind_of(path, choice.format) == ".parquet" else FeatherFile
    return ArrowScan(kind(path, budget), budget)


def scan_of(path: str, choice: Choice, budget: MemoryBudget) -> Scan:
    """Open a file.

    Raises
    ------
    DataError
        It is missing, or broken, or of a format that cannot be read in parts.
    """
    kind = kind_of(path, choice.format)
    if kind not in IN_PARTS:
        raise data_error(path, found=f"the suffix {kind!r}", expected=f"one of {' '.join(IN_PARTS)}")
    try:
        if kind in DELIMITED:
            return TextScan(path, choice)
        choice.refuse_of_text(path, f"the format {kind.removeprefix('.')}")
        is_of_arrays = kind in (".npz", ".npy")
        return ArrayScan(path, kind, budget) if is_of_arrays else arrow_scan(path, choice, budget)
    except FileNotFoundError as error:
        raise data_error(path, found="no such file", expected="a file") from error


def _check_schema(scans: Sequence[Scan]) -> None:
    first = scans[0]
    for scan in scans[1:]:
        if (scan.names, scan.n_columns, scan.index) != (first.names, first.n_columns, first.index):
            raise data_error(
                scan.path, found=_columns_text(scan), expected=f"those of {first.path}: {_columns_text(first)}"
            )


def _columns_text(scan: Scan) -> str:
    if scan.names is None:
        return f"{scan.n_columns} columns without names"
    index = f", of which {listed(scan.names[j] for j in scan.index)} hold the index of pandas" if scan.index else ""
    return f"the columns {listed(scan.names)}{index}"
