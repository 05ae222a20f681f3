"""Files that the workers of a Dask cluster read, and whose rows they keep.

The path must be one that this process and all workers can read.
"""

import os
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

import numpy as np

from maxmargin.data.batches import Choice, MemoryBudget, Roles, Table, TableSource
from maxmargin.data.reading.collected import CheckedRows, Collected, checked_rows
from maxmargin.data.sources.arrow_files import ArrowFile, open_arrow
from maxmargin.data.sources.csv_text import Block, DelimitedText
from maxmargin.data.sources.opening import decoded, is_compressed, open_binary
from maxmargin.data.stores.dask_rows import DaskRows, DaskWorkers
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import option
from maxmargin.text.data_error import data_error


def read_on_cluster(
    found: Collected, sources: Sequence[TableSource], address: str, budget: MemoryBudget
) -> DaskRows | None:
    """Have a cluster read and check all files; return their rows, or None if none is left.

    Parameters
    ----------
    found : Collected
        To which is added what is found about the rows.
    sources : sequence of TableSource
        Parquet, Feather, CSV or TSV.
    address : str
        Address of the scheduler. A new connection stays open as long as this process.
    budget : MemoryBudget

    Raises
    ------
    DataError
        As `load`; or there is no such cluster, or workers do not read the format.
    """
    workers, roles = DaskWorkers(_client(address)), found.roles
    handles, sizes = list[Any](), list[int]()
    for source in sources:
        tasks = _tasks(source, found.choice, roles, budget)
        held = workers.hold([*(task[0] for task in tasks), *(task[1] for task in tasks)])
        handles += held[: len(tasks)]
        for parts in workers.run((list, future) for future in held[len(tasks) :]):
            sizes.append(sum(len(part.labels) for part in parts))
            for part in parts:
                found.add(part)
    if found.kept_columns() is not None:
        numbered = [name for k, name in enumerate(found.layout.names_of(roles.features)) if k in roles.row_numbers]
        raise data_error(
            found.layout.source, column=numbered[0], found="a column that numbers the rows", expected="features",
            hint=f"leave it out with {option('drop')}",
        )  # fmt: skip
    bounds = found.bounds()
    return None if bounds is None else DaskRows(handles, sizes, bounds, workers)


def _client(address: str) -> Any:
    try:
        from distributed import get_client
    except ImportError as error:
        found, expected = "no Dask", "it installed: pip install 'dask[dataframe,distributed]'"
        raise data_error(address, option="cluster", found=found, expected=expected) from error
    try:
        return get_client(address)  # the current one, if it has this address
    except (OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        raise data_error(address, found=f"no Dask cluster: {reason}", expected="the address of a scheduler") from error


def _tasks(source: TableSource, choice: Choice, roles: Roles, budget: MemoryBudget) -> list[Any]:
    """Return tasks, each of which reads some rows of a file and returns them, and what was found about them."""
    from dask.delayed import delayed

    path = source.layout.source
    if isinstance(source, ArrowFile):
        read = delayed(_arrow_rows, pure=False)
        n_groups, task_of = len(source.starts) - 1, source.starts // budget.task_rows
        runs = groupby(range(n_groups), key=task_of.__getitem__)  # consecutive groups, with about as many rows
        return [read(path, choice, roles, [*groups]) for _, groups in runs]
    if isinstance(source, DelimitedText):
        read, n_bytes = delayed(_text_rows, pure=False), budget.task_bytes
        starts = range(1) if is_compressed(path) else range(0, os.path.getsize(path), n_bytes)
        return [read(path, choice, roles, start, n_bytes) for start in starts]
    raise data_error(path, found="another format", expected="Parquet, Feather, CSV or TSV for a cluster")


def _arrow_rows(path: str, choice: Choice, roles: Roles, groups: list[int]) -> tuple[Floats, list[CheckedRows]]:
    file = open_arrow(path, choice)
    assert isinstance(file, ArrowFile)
    return _read(file.tables(roles, MemoryBudget.of(), [groups]), choice, roles)


def _text_rows(path: str, choice: Choice, roles: Roles, start: int, n_bytes: int) -> tuple[Floats, list[CheckedRows]]:
    """Return the rows of the lines that begin in the piece of a file from this byte on."""
    from fsspec.utils import read_block

    file = DelimitedText(path, choice)
    if start:
        file.continue_as(f"{path} from byte {start}")
    with open_binary(path) as opened:
        content = opened.read() if is_compressed(path) else read_block(opened, start, n_bytes, b"\n")
    blocks = [Block(decoded(content, 0, file.source), 0)] if content else []
    return _read(file.tables_of(blocks, roles), choice, roles)


def _read(tables: Iterable[Callable[[], Table]], choice: Choice, roles: Roles) -> tuple[Floats, list[CheckedRows]]:
    """Return the features, which stay on the worker, and the rest of what was read, which is sent back."""
    parts = [checked_rows(choice, roles, table) for table in tables]
    X = np.concatenate([np.empty((0, len(roles.features))), *(part.X for part in parts)])
    return X, [part.without_features() for part in parts]
