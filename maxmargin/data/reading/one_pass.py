"""The one pass over a source: its batches become a data set, in memory or with its rows on disk."""

import os
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from maxmargin.data.column_roles import Choice
from maxmargin.data.dataset import Dataset
from maxmargin.data.reading.assemble import with_missing
from maxmargin.data.reading.collected import CheckedRows, Collected, checked_rows
from maxmargin.data.reading.refusals import refuse_what_needs_memory
from maxmargin.data.sources.batches import Table, TableSource
from maxmargin.data.sources.by_name import open_source
from maxmargin.data.stores.budget import MemoryBudget
from maxmargin.text.data_error import data_error

# Smallest number of entries of a source that threads read into memory.
_LEAST_FOR_THREADS = 2**20


def read_dataset(
    source: Any, choice: Choice, positive: object = None, *, memory: "str | int | MemoryBudget | None" = None
) -> tuple[Dataset, tuple[Sequence[str] | None, ...]]:
    """Read a data set as `load` does; return it with the texts of its columns, where the choice keeps them.

    Raises
    ------
    DataError
        As `load`.
    """
    sources, notes = open_source(source, choice)
    layout, n_rows = sources[0].layout, sum(one.n_rows for one in sources)
    budget = None if memory is None else MemoryBudget.of(memory)
    is_folder = isinstance(source, str | os.PathLike) and os.path.isdir(source)
    layout = replace(layout, source=os.fspath(source)) if is_folder else layout
    is_in_parts = budget is not None and not budget.fits(n_rows, layout.n_columns)
    if is_in_parts or is_folder:
        refuse_what_needs_memory(layout.source, choice)
    roles = choice.roles(layout)
    found = Collected(layout, roles, replace(choice, is_in_parts=is_in_parts), positive, n_rows)
    if is_in_parts and budget is not None:
        from maxmargin.data.reading.outside_memory import read_on_disk  # not needed in memory, and slow to import

        on_disk = read_on_disk(found, sources, budget)
    else:
        on_disk = None
        for one in sources:
            for part in _parts_in_memory(found, one):
                found.add(part)
    dataset = found.dataset(on_disk, notes, read_as=found.read_as(source))
    if not isinstance(source, str | os.PathLike):
        from maxmargin.data.sources.frames import library_of

        dataset = replace(dataset, library=library_of(source))
    features = found.table.features if choice.keep_texts and found.table is not None else ()
    texts = tuple(column.texts for column in features) if isinstance(features, tuple) else ()
    kept = found.kept_columns()
    texts = texts if kept is None or not texts else tuple(texts[j] for j in kept)
    return dataset, texts or (None,) * dataset.n_features


def whole_table(source: Any, choice: Choice) -> Table:
    """Return all rows of a source that is no folder, of a choice that needs the texts of its columns.

    Raises
    ------
    DataError
        The source cannot be read.
    """
    if isinstance(source, str | os.PathLike) and os.path.isdir(source):
        raise data_error(os.fspath(source), found="a directory", expected="a file")
    (one,), _ = open_source(source, choice)
    roles = choice.roles(one.layout)
    (read,) = one.tables(roles, None)
    return with_missing(read(), roles)


def _parts_in_memory(found: Collected, source: TableSource) -> Iterator[CheckedRows]:
    work, tables = partial(checked_rows, found.choice, found.roles), source.tables(found.roles, None)
    if source.n_rows * source.layout.n_columns < _LEAST_FOR_THREADS:
        return map(work, tables)
    from maxmargin.solvers.basics.parallel import in_order  # slow to import

    return in_order(work, tables, n_workers=1)
