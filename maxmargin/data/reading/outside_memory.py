"""Sources whose rows stay on disk."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from maxmargin.data.reading.collected import Collected, checked_rows
from maxmargin.data.sources.batches import TableSource
from maxmargin.data.stores.budget import MemoryBudget
from maxmargin.data.stores.on_disk import OnDisk, Scratch
from maxmargin.data.stores.row_cache import sampled_numbers
from maxmargin.solvers.basics.parallel import in_order


def read_on_disk(found: Collected, sources: Sequence[TableSource], budget: MemoryBudget) -> OnDisk | None:
    """Read all rows once, and return them for later passes; None if none is left."""
    n_features = len(found.roles.features)
    # rows that are left out have no place in the file itself
    stores = [None if found.choice.drop_missing else source.store(found.roles, budget) for source in sources]
    is_sampled = all(store is not None and store.is_slow_for_rows for store in stores)
    wanted = sampled_numbers(found.n_expected, n_features, budget) if is_sampled else np.empty(0, np.int64)
    filled, samples = list[Any](), [np.empty((0, n_features))]
    for source, store in zip(sources, stores, strict=True):
        scratch = Scratch(source.layout.source) if store is None else None
        tables = source.tables(found.roles, budget)
        for part in in_order(partial(checked_rows, found.choice, found.roles), tables, n_workers=budget.n_workers):
            start = found.coder.n_rows
            found.add(part)
            if scratch is not None:
                scratch.write(part.rows.X)
            first, last = np.searchsorted(wanted, (start, found.coder.n_rows))
            samples.append(part.rows.X[wanted[first:last] - start])
        stored = store if scratch is None else scratch.rows(n_features)
        filled += [stored] if stored is not None and stored.shape[0] else []
    if not filled:
        return None
    low, high = found.bounds() or (np.empty(0), np.empty(0))
    sample = np.concatenate(samples)
    kept = found.kept_columns()
    if kept is not None:
        filled = [replace(store, columns=tuple(store.columns[j] for j in kept)) for store in filled]
        low, high, sample = low[kept], high[kept], sample[:, kept]
    return OnDisk(filled, budget, (low, high), wanted, sample)
