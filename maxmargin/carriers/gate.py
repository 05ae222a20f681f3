"""Which sources are opened without reading their rows into memory."""

import os
from typing import TYPE_CHECKING, Any

from maxmargin.readers.table import Choice

if TYPE_CHECKING:
    from .opening import Stored


def opened(
    source: Any, choice: Choice, *, memory: str | int | None, cluster: str | None, is_positive_chosen: bool
) -> "Stored | None":
    """Open what is not to be read into memory: on the cluster of an address, or else within an amount of memory.

    Returns
    -------
    Stored or None
        None for what a reader of whole tables is to read.

    Raises
    ------
    DataError
        As `open_stored` and `open_on_cluster`.
    InvalidOptionError
        `memory` is no amount.
    """
    if cluster is not None:
        from .dask_files import open_on_cluster

        return open_on_cluster(os.fspath(source), choice, cluster, is_positive_chosen=is_positive_chosen)
    if memory is None and not _is_folder_or_array(source):
        return None
    from .budget import Budget, memory_size
    from .opening import open_stored

    budget = None if memory is None else Budget(memory=memory_size(memory))
    return open_stored(source, choice, budget, is_positive_chosen=is_positive_chosen)


def _is_folder_or_array(source: Any) -> bool:
    is_path = isinstance(source, str | os.PathLike)
    return is_path and (os.path.isdir(source) or os.fspath(source).lower().endswith(".npy"))
