"""From a path to a carrier with labels: files that do not fit into memory, and folders of files."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from maxmargin.data.formats.source import STDIN, kind_of, size_of_content
from maxmargin.data.formats.table import Choice, Roles, drop_note, kept_names
from maxmargin.data.labels.labels import Labels
from maxmargin.data.outofcore.budget import Budget
from maxmargin.data.outofcore.readable import is_readable_in_parts
from maxmargin.solvers.errors import option
from maxmargin.text.data_error import data_error

if TYPE_CHECKING:
    from maxmargin.data.outofcore.dask.dask_rows import DaskRows
    from maxmargin.data.outofcore.files.scan import Scan
    from maxmargin.data.outofcore.on_disk import OnDisk


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Stored:
    """Data outside memory, validated; `fits` tells whether the rows can be read into memory."""

    X: "OnDisk | DaskRows"
    labels: Labels
    names: tuple[str, ...]
    label_name: str
    source: str
    notes: tuple[str, ...]
    fits: bool

    @classmethod
    def of(
        cls,
        X: "OnDisk | DaskRows",
        labels: Labels,
        scan: "Scan",
        roles: Roles,
        path: str,
        notes: Sequence[str],
        *,
        fits: bool = False,
    ) -> "Stored":
        """Return the data with the names of the columns of a file; all files have the same."""
        return cls(
            X=X, labels=labels, names=tuple(map(str, kept_names(scan.names, roles.features))),
            label_name=str(scan.label_name(roles)), source=path, fits=fits,
            notes=(*notes, *(scan.notes or drop_note(scan.names, roles))),
        )  # fmt: skip


def open_stored(
    source: Any, choice: Choice, budget: Budget | None, *, is_positive_chosen: bool, resume: str | None = None
) -> Stored | None:
    """Open and validate files whose rows are not read into memory; None where a reader should read them.

    Parameters
    ----------
    source : Any
        As in `load`. Folders of files and pairs of `.npy` files are opened here always.
    choice : Choice
    budget : Budget, optional
        None: there is memory enough for everything.
    is_positive_chosen : bool
        Whether one class stands against all the others: then there may be many.
    resume : str, optional
        The file in which what passes find is kept, and from which it is taken up; of no use where the rows are read
        into memory.

    Raises
    ------
    DataError
        The files do not hold data that can be used, or the choice asks for what needs all rows in memory, or `resume`
        is another file.
    OSError
        `resume` cannot be written.
    """
    path = _path_of(source, choice)
    if path is None:
        return None
    is_alone = not os.path.isdir(path) and kind_of(path, choice.format) != ".npy"
    if is_alone and (budget is None or not budget.may_exceed(size_of_content(path))):
        return None
    from maxmargin.data.outofcore.drawn_rows import drawn_numbers
    from maxmargin.data.outofcore.files.opening_files import scans_of
    from maxmargin.data.outofcore.on_disk import OnDisk
    from maxmargin.data.outofcore.validation import Validation
    from maxmargin.data.outofcore.warmstart.resume import Resumption

    scans, notes = scans_of(path, choice, budget or Budget.of())
    n_rows = sum(scan.n_rows for scan in scans)
    fits = budget is None or budget.fits(n_rows, scans[0].n_columns)
    if is_alone and fits:
        return None
    refuse_what_needs_memory(path, choice)
    roles = choice.roles(scans[0].names, scans[0].n_columns, path, scans[0].index)
    budget = budget or Budget.of()
    resumption = None if resume is None or fits else Resumption.open(resume, path, scans, roles, budget, choice)
    wanted = drawn_numbers(n_rows, len(roles.features), budget)
    validation = Validation(scans, roles, is_positive_chosen, resumption, wanted)
    labels, bounds = validation.run()
    stores = [store for store in (scan.store(roles) for scan in scans) if store.shape[0]]
    X = OnDisk(stores, budget, bounds, resumption, validation.drawn)
    return Stored.of(X, labels, scans[0], roles, path, notes, fits=fits)


def _path_of(source: Any, choice: Choice) -> str | None:
    """Return the path of what is there and has a format that can be read in parts."""
    if not isinstance(source, str | os.PathLike) or source == STDIN:
        return None
    path = os.fspath(source)
    is_there = isinstance(path, str) and os.path.exists(path)
    return path if is_there and (os.path.isdir(path) or is_readable_in_parts(path, choice)) else None


def refuse_what_needs_memory(path: str, choice: Choice) -> None:
    """Raise where the choice asks for something that only a reader of whole tables does.

    Raises
    ------
    DataError
    """
    asked = {
        "one_hot": choice.one_hot.every, "one_hot_column": bool(choice.one_hot.named), "id": choice.id is not None,
        "drop_missing": choice.drop_missing, "decimal": choice.keep_texts,
    }  # fmt: skip
    name = next((name for name, is_asked in asked.items() if is_asked), None)
    if name is not None:
        found = "it asked for data that are read in parts, as they do not fit into memory or lie in a folder"
        more, less = f"allow more memory with {option('memory')}", f"leave a column out with {option('drop')}"
        hint = less if name == "id" else more
        raise data_error(path, option=name, found=found, expected="one file that fits into memory", hint=hint)
