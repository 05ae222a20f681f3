"""Files that the workers of a Dask cluster read, and whose rows they keep.

The path must be one that this process and all workers can read.
"""

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np

from maxmargin.data.formats.delimited import Block, columns_of_block, layout_of
from maxmargin.data.formats.source import decoded, is_compressed, kind_of, long_line, open_binary
from maxmargin.data.formats.table import LONGEST_LINE, Choice, Roles, shown_name
from maxmargin.data.outofcore.budget import MemoryBudget
from maxmargin.data.outofcore.dask.dask_rows import DaskRows, OnCluster, Summary, Task, backend
from maxmargin.data.outofcore.files.arrow_scan import ArrowScan
from maxmargin.data.outofcore.files.scan import Labelled, Scan
from maxmargin.data.outofcore.files.scan_files import arrow_scan, scans_of
from maxmargin.data.outofcore.files.text_scan import ArrowColumns, labelled
from maxmargin.data.outofcore.validation import Stored, Validation, refuse_what_needs_memory
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.text.data_error import data_error


def open_on_cluster(
    path: str, choice: Choice, address: str, budget: MemoryBudget, *, is_positive_chosen: bool
) -> Stored:
    """Connect to a cluster and have it read and validate a file or a folder of files.

    Parameters
    ----------
    path : str
        Parquet, Feather, CSV or TSV.
    choice : Choice
    address : str
        Address of the scheduler. A new connection stays open as long as this process.
    budget : MemoryBudget
    is_positive_chosen : bool
        Whether one class is compared with all the others; then there may be many classes.

    Raises
    ------
    DataError
        As `open_out_of_core`; or there is no such cluster, or workers do not read the format.
    """
    if not os.path.exists(path):
        raise data_error(path, found="no such file", expected="a file or folder that the cluster can read too")
    refuse_what_needs_memory(path, choice)
    workers = OnCluster(_client(address))
    scans, notes = scans_of(path, choice, budget)
    if kind_of(scans[0].path, choice.format) in (".npz", ".npy"):
        raise data_error(path, found="NumPy arrays", expected="Parquet, Feather, CSV or TSV for a cluster")
    roles = choice.roles(scans[0].names, scans[0].n_columns, path, scans[0].index)
    reading = [_ClusterScan(scan, choice, workers, budget) for scan in scans]
    labels, _ = Validation(reading, roles, scans[0].label_name(roles), is_positive_chosen).run()
    parts = [part for scan in reading for part in scan.parts]
    X = DaskRows(parts, [summary for scan in reading for summary in scan.summaries], workers)
    return Stored(X=X, labels=labels, scan=scans[0], roles=roles, source=path, notes_on_files=notes)


def _client(address: str) -> Any:
    try:
        from distributed import Client
    except ImportError as error:
        found, expected = "no Dask", "it installed: pip install 'dask[dataframe,distributed]'"
        raise data_error(address, option="cluster", found=found, expected=expected) from error
    workers = backend()
    if isinstance(workers, OnCluster) and workers.client.scheduler.address == address:
        return workers.client
    try:
        return Client(address)
    except (OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise data_error(address, found=f"no Dask cluster: {reason}", expected="the address of a scheduler") from error


class _ClusterScan:
    """A file that workers read."""

    def __init__(self, scan: Scan, choice: Choice, workers: OnCluster, budget: MemoryBudget) -> None:
        self.scan = scan
        self.choice = choice
        self.workers = workers
        self.budget = budget
        self.path, self.n_rows = scan.path, scan.n_rows
        self.parts: list[Any] = []
        self.summaries: list[Summary] = []

    def labelled(self, roles: Roles, wanted: Rows) -> Iterator[Labelled]:
        """Let the workers read all rows once; no sample is collected, as any row can be fetched from the workers."""
        from dask.delayed import delayed

        if isinstance(self.scan, ArrowScan):
            read = delayed(_arrow_part, pure=False)
            runs = _runs_of_groups(self.scan, self.budget.task_rows)
            parts: list[Any] = [read(self.path, self.choice, roles, groups) for groups in runs]
        else:
            read, n_bytes = delayed(_text_part, pure=False), self.budget.task_bytes
            parts = [read(self.path, self.choice, start, n_bytes) for start in piece_starts(self.path, n_bytes)]
        held = self.workers.hold([*(part[0] for part in parts), *(part[1] for part in parts)])
        self.parts, found = held[: len(parts)], held[len(parts) :]
        for part in self.workers.run(Task(list, future, ()) for future in found):
            self.summaries.append(_summary(part, len(roles.features)))
            yield from part


def _runs_of_groups(scan: ArrowScan, n_rows: int) -> Iterator[list[int]]:
    """Yield runs of consecutive groups, each with about the number of rows that one task reads."""
    starts = scan.file.starts
    run: list[int] = []
    for group in range(len(starts) - 1):
        if run and starts[group + 1] - starts[run[0]] > n_rows:
            yield run
            run = []
        run.append(group)
    if run:
        yield run


def _arrow_part(path: str, choice: Choice, roles: Roles, groups: list[int]) -> tuple[Floats, list[Labelled]]:
    return arrow_scan(path, choice, MemoryBudget.of()).part(roles, groups)


def piece_starts(path: str, n_bytes: int) -> range:
    """Return the bytes from which tasks read a text file."""
    return range(1) if is_compressed(path) else range(0, os.path.getsize(path), n_bytes)


def _text_part(path: str, choice: Choice, start: int, n_bytes: int) -> tuple[Floats, list[Labelled]]:
    """Return the rows of the lines that begin in the piece of a file from this byte on."""
    layout = layout_of(path, choice)
    source = _name_of_piece(path, start)
    if start:
        layout = replace(layout, header_line=0, source=source)
    text = lines_from(path, start, n_bytes, choice.longest_line)
    columns = columns_of_block(Block(text, 0), layout, choice, ArrowColumns)
    values, labels, lines = columns.take()
    if not len(values):
        return values, []
    names = [shown_name(layout.names, j) for j in columns.roles.features]
    return values, [labelled(values, labels, lines, names, source)]


def _name_of_piece(path: str, start: int) -> str:
    return path if start == 0 else f"{path} from byte {start}"


def lines_from(path: str, start: int, n_bytes: int, longest: int = LONGEST_LINE) -> str:
    """Return the lines that begin in the piece of `n_bytes` bytes of a file from this byte on."""
    with open_binary(path) as file:
        if is_compressed(path):
            return decoded(file.read(), 0, path)
        if start:
            file.seek(start - 1)
            _rest_of_line(file, path, longest)
        left = start + n_bytes - file.tell()
        content = file.read(left) if left > 0 else b""
        if content and not content.endswith(b"\n"):
            content += _rest_of_line(file, path, longest)
    return decoded(content, 0, _name_of_piece(path, start))


def _rest_of_line(file: BinaryIO, path: str, longest: int) -> bytes:
    line = file.readline(longest + 1)
    if len(line) > longest:
        raise long_line(path, None, longest)
    return line


def _summary(parts: list[Labelled], n_features: int) -> Summary:
    nothing = np.full(n_features, np.inf)
    low = np.min([nothing, *(part.bounds[0] for part in parts)], axis=0)
    high = np.max([-nothing, *(part.bounds[1] for part in parts)], axis=0)
    return Summary((sum(len(part.positions) for part in parts), n_features), low, high)
