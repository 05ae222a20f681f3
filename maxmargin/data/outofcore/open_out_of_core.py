"""Open sources that stay outside memory: folders, files that do not fit, and files that a cluster reads."""

import os
from typing import TYPE_CHECKING, Any

from maxmargin.data.formats.readers import check_format
from maxmargin.data.formats.source import STDIN, is_readable_in_parts, kind_of, size_of_content
from maxmargin.data.formats.table import Choice
from maxmargin.data.outofcore.budget import MemoryBudget

if TYPE_CHECKING:
    from maxmargin.data.outofcore.validation import Stored


def open_out_of_core(
    source: Any,
    choice: Choice,
    *,
    memory: str | int | MemoryBudget | None,
    cluster: str | None,
    is_positive_chosen: bool,
) -> "Stored | None":
    """Open and validate rows that stay outside memory: on a cluster, or on disk.

    Parameters
    ----------
    source : Any
        As in `load`. Folders of files and pairs of `.npy` files are always opened here.
    choice : Choice
    memory : str, int or MemoryBudget, optional
        Memory in bytes. None: there is enough for everything.
    cluster : str, optional
        Address of a Dask scheduler whose workers read the files.
    is_positive_chosen : bool
        Whether one class is compared with all the others; then there may be many classes.

    Returns
    -------
    Stored or None
        None if a reader of whole tables is to read the source.

    Raises
    ------
    DataError
        The files do not hold usable data, or the choice needs all rows in memory.
    InvalidOptionError
        `memory` is not an amount of memory.
    """
    check_format(choice.format)
    if cluster is not None:
        from maxmargin.data.outofcore.dask.dask_files import open_on_cluster

        # an amount does not limit the memory of the workers
        sizes = memory if isinstance(memory, MemoryBudget) else MemoryBudget.of()
        return open_on_cluster(os.fspath(source), choice, cluster, sizes, is_positive_chosen=is_positive_chosen)
    budget = None if memory is None else MemoryBudget.of(memory)
    return _open_on_disk(source, choice, budget, is_positive_chosen=is_positive_chosen)


def _open_on_disk(
    source: Any, choice: Choice, budget: MemoryBudget | None, *, is_positive_chosen: bool
) -> "Stored | None":
    path = _path_of(source, choice)
    if path is None:
        return None
    is_alone = not os.path.isdir(path) and kind_of(path, choice.format) != ".npy"
    if is_alone and (budget is None or not budget.may_exceed(size_of_content(path))):
        return None
    from maxmargin.data.outofcore.files.scan_files import scans_of
    from maxmargin.data.outofcore.on_disk import OnDisk
    from maxmargin.data.outofcore.row_cache import sampled_numbers
    from maxmargin.data.outofcore.validation import Stored, Validation, refuse_what_needs_memory

    scans, notes = scans_of(path, choice, budget or MemoryBudget.of())
    n_rows = sum(scan.n_rows for scan in scans)
    fits = budget is None or budget.fits(n_rows, scans[0].n_columns)
    if is_alone and fits:
        return None
    refuse_what_needs_memory(path, choice)
    roles = choice.roles(scans[0].names, scans[0].n_columns, path, scans[0].index)
    budget = budget or MemoryBudget.of()
    wanted = sampled_numbers(n_rows, len(roles.features), budget)
    label = scans[0].label_name(roles)
    validation = Validation(scans, roles, label, is_positive_chosen, wanted)
    labels, bounds = validation.run()
    stores = [store for store in (scan.store(roles) for scan in scans) if store.shape[0]]
    X = OnDisk(stores, budget, bounds, validation.sampled)
    return Stored(X=X, labels=labels, scan=scans[0], roles=roles, source=path, notes_on_files=notes, fits=fits)


def _path_of(source: Any, choice: Choice) -> str | None:
    """Return the path of a folder, or of a file that exists and can be read in parts; otherwise None."""
    if not isinstance(source, str | os.PathLike) or source == STDIN:
        return None
    path = os.fspath(source)
    is_there = isinstance(path, str) and os.path.exists(path)
    return path if is_there and (os.path.isdir(path) or is_readable_in_parts(path, choice.format)) else None
