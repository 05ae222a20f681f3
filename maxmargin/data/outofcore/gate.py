"""Which sources are opened without reading their rows into memory."""

import os
from typing import TYPE_CHECKING, Any

from maxmargin.data.formats.suffixes import check_format
from maxmargin.data.formats.table import Choice

if TYPE_CHECKING:
    from maxmargin.data.outofcore.budget import Budget
    from maxmargin.data.outofcore.opening import Stored


def opened(
    source: Any,
    choice: Choice,
    *,
    memory: "str | int | Budget | None",
    cluster: str | None,
    is_positive_chosen: bool,
    resume: str | os.PathLike[str] | None = None,
) -> "Stored | None":
    """Open what is not to be read into memory: on the cluster of an address, or else within an amount of memory.

    What passes find is kept in the file `resume`, if there is a name, and is taken up from there.

    Returns
    -------
    Stored or None
        None for what a reader of whole tables is to read.

    Raises
    ------
    DataError
        As `open_stored` and `open_on_cluster`.
    InvalidOptionError
        `memory` is no amount, or `resume` was asked for with a cluster.
    """
    check_format(choice.format)
    if cluster is not None:
        _refuse(resume)
        from maxmargin.data.outofcore.budget import Budget
        from maxmargin.data.outofcore.dask.dask_files import open_on_cluster

        sizes = memory if isinstance(memory, Budget) else Budget.of()  # an amount says nothing of the workers' memory
        return open_on_cluster(os.fspath(source), choice, cluster, sizes, is_positive_chosen=is_positive_chosen)
    stored = None
    if memory is not None or choice.format == "npy" or _is_folder_or_array(source):
        from maxmargin.data.outofcore.budget import Budget
        from maxmargin.data.outofcore.opening import open_stored

        budget = None if memory is None else Budget.of(memory)
        path = None if resume is None else os.fspath(resume)
        stored = open_stored(source, choice, budget, is_positive_chosen=is_positive_chosen, resume=path)
    if resume is not None and (stored is None or stored.fits):
        from maxmargin.data.outofcore.announcing import tell

        tell(f"{os.fspath(resume)} is not used: the data fit into memory, and are read anew")
    return stored


def _refuse(resume: str | os.PathLike[str] | None) -> None:
    from maxmargin.solvers.errors import InvalidOptionError

    if resume is not None:
        raise InvalidOptionError(
            f"resume is {os.fspath(resume)!r}; expected none with a cluster, whose workers hold the rows"
        )


def _is_folder_or_array(source: Any) -> bool:
    is_path = isinstance(source, str | os.PathLike)
    return is_path and (os.path.isdir(source) or os.fspath(source).lower().endswith(".npy"))
