"""Data sets read from sources in one pass over their batches, by columns or by a formula."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any

import numpy as np

from maxmargin.data.batches import LONGEST_LINE, Choice, ColumnRef, MemoryBudget, OneHot, TableSource, columns_named
from maxmargin.data.dataset import Dataset
from maxmargin.data.reading.coding import refuse_what_needs_memory
from maxmargin.data.reading.collected import CheckedRows, Collected, checked_rows
from maxmargin.data.sources.opening import open_source
from maxmargin.solvers.errors import InvalidOptionError, option
from maxmargin.text.progress import shows_progress, waiting

if TYPE_CHECKING:
    from maxmargin.data.stores.outside_memory import OnDisk

# Smallest number of entries of a source that threads read into memory.
_LEAST_FOR_THREADS = 2**20


@shows_progress(waiting, "reading the data")
def load(
    source: "str | os.PathLike[str] | Any",
    *,
    label: ColumnRef = -1,
    formula: str | None = None,
    positive: object = None,
    drop: ColumnRef | Iterable[ColumnRef] = (),
    id: ColumnRef | None = None,
    one_hot: OneHot | bool | ColumnRef | Iterable[ColumnRef] = False,
    drop_missing: bool = False,
    sep: str | None = None,
    decimal_comma: bool = False,
    header: bool | None = None,
    missing: str | Iterable[str] | Mapping[ColumnRef, str] = (),
    format: str | None = None,
    memory: str | int | MemoryBudget | None = None,
    verbose: bool = False,
) -> Dataset:
    """Read a data set.

    Parameters
    ----------
    source : str, path or data frame
        One of: a file (.csv .tsv .txt .dat .parquet .feather .npz .svm .libsvm .svmlight, each also with .gz; files of
        LIBSVM also without a suffix); a folder of files of one of the first seven formats with the same columns; X.npy
        beside y.npy; the name of a bundled data set (iris, breast_cancer, wine, digits), a family of `generate` or a
        formula; `-` for CSV on the standard input; or a pandas, Polars or Arrow table.
    label : str or int, default -1
        The column of the labels, by its name or its position from 0; negative positions count from the end. Columns in
        which pandas stored the index of a data frame (Parquet, Feather, Arrow) are left out, with a note, and no
        position counts them; to use one, name it here, as `id`, or in `one_hot`.
    formula : str, optional
        The model, such as ``"died ~ age + C(stage)"``, in place of `label`, as in `maxmargin.separability`: it names
        the labels and the features, codes texts, and decides whether hyperplanes have a bias. `id` and `drop_missing`
        apply, the latter to the columns that the formula names, and "." in it stands for the columns that neither it
        nor `drop` names. It is for data in memory.
    positive : label, optional
        The class that is +1, against all others. By default, of two classes it is the affirmative one of a known pair
        (yes/no, +/-, true/false, case/control, positive/negative and the like), otherwise the greater one in sorted
        order; of more classes none is chosen.
    drop : column or iterable of columns, default ()
        Columns to leave out.
    id : str or int, optional
        The column that names the rows; it is not a feature.
    one_hot : bool, column or iterable of columns, default False
        Encode text columns as one column of 0 and 1 for every text except the first in sorted order: all text columns,
        or the columns that are named. With True, a column is refused if its texts look like numbers or dates (10kg,
        10-19, 12:30), or if more than half of more than 5 rows have a text that no other row has: such a row is put
        right whatever its class is, so the columns separate anything.
    drop_missing : bool, default False
        Whether to leave out rows with missing values.
    sep : str, optional
        The separator of the fields of CSV: one character, or "comma", "semicolon", "tab", "pipe", or "space" for any
        white space. By default it is the tab in .tsv, otherwise the first of comma, semicolon and tab that is in the
        first line, or the one that a line ``sep=;`` above it names; in .txt and .dat it is white space where there is
        none of these.
    decimal_comma : bool, default False
        Whether numbers in CSV are written as 1,5. If so, 1.5 is refused, as it might be a thousand and a half;
        semicolons and tabs are preferred to commas as separators; and where commas separate fields, such numbers have
        to be quoted.
    header : bool, optional
        Whether the first line of CSV names the columns. By default it does if none of its fields is a number, if a word
        stands over a column of numbers, or if its numbers are 0, 1, 2, ... and not all in the ranges of their columns.
        Where it is likely only, the file is refused.
    missing : str, iterable of str, or mapping, default ()
        Texts that stand for a missing value, besides an empty field, NA, NaN, NULL, N/A, ? and a lone point: in
        features of which most other values are numbers, never in labels. A mapping of columns to texts, or
        ``"column=text"``, is about one column of any kind. A note names a text that is in no column that it is about.
        Numbers are refused: leave such rows out first.
    format : {"csv", "tsv", "txt", "dat", "parquet", "feather", "npz", "npy", "svmlight", "libsvm", "svm"}, optional
        The format of `source`, whatever its name; for the standard input csv, tsv or svmlight. By default the suffix
        decides.
    memory : str, int or MemoryBudget, optional
        Bytes, as a number or as in "512MiB" and "1GiB". Files that need more stay on disk, and `Dataset.X` reads them
        in chunks. For this the text of .csv and .tsv is parsed once into a temporary file of 8 bytes a number, and the
        arrays of an .npz are unpacked in the same way. A line of text may take up to a 64th of the memory,
        and at least 2 MiB. By default everything is read into memory, and lines have up to 256 MiB. With `formula`
        everything is read into memory as well, and the columns that it makes of levels may take this size, or 1 GiB.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.

    Returns
    -------
    Dataset
        The data with `y` of -1 and +1 for two classes or if `positive` is given, otherwise with the labels, or with
        their positions in `classes` where the rows are outside memory.

    Raises
    ------
    DataError
        If the source cannot be read as finite numbers with at least two classes. The text is one line that names the
        source and the position in it, with the value that was found and the value that was expected.

    See Also
    --------
    from_arrays : Make a data set of arrays.
    generate : Make data whose answers are known.

    Examples
    --------
    >>> load("breast_cancer").positive
    'malignant'
    """
    is_of_pandas = type(source).__module__.partition(".")[0] in ("pandas", "modin")
    names: Any = getattr(source, "columns", ()) if is_of_pandas else ()
    own_name: dict[Any, str] = {name: str(name) for name in names if not isinstance(name, str) and name != -1}
    choice = Choice(
        label=own_name.get(label, label), drop=tuple(own_name.get(column, column) for column in columns_named(drop)),
        id=own_name.get(id, id), one_hot=OneHot.of(one_hot), drop_missing=drop_missing,
        sep=sep, decimal_comma=decimal_comma, header=header, format=format, missing=missing_texts(missing),
        longest_line=LONGEST_LINE if memory is None else MemoryBudget.of(memory).line_bytes,
    )  # fmt: skip
    if formula is not None:
        from maxmargin.data.reading.formulas import load_by_formula

        refuse_others(choice)
        return load_by_formula(source, formula, choice, positive, MemoryBudget.of(memory).memory)
    return read_dataset(source, choice, positive, memory=memory)[0]


def read_dataset(
    source: Any, choice: Choice, positive: object = None, *, memory: str | int | MemoryBudget | None = None
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
        way = "join its files into one" if is_folder else f"allow more memory with {option('memory')}"
        refuse_what_needs_memory(layout.source, choice, way)
    choice = replace(choice, is_in_parts=is_in_parts, is_folder=is_folder)
    found = Collected(layout, choice.roles(layout), choice, positive, n_rows)
    outside: Any = None
    if is_in_parts and budget is not None:
        outside = _read_on_disk(found, sources, budget)
    else:
        for one in sources:
            for part in _parts_in_memory(found, one):
                found.add(part)
    dataset = found.dataset(source, outside, notes)
    if not isinstance(source, str | os.PathLike):
        from maxmargin.data.sources.frames import library_of

        dataset = replace(dataset, library=library_of(source))
    features = found.table.features if choice.keep_texts and found.table is not None else ()
    texts = tuple(column.texts for column in features) if isinstance(features, tuple) else ()
    kept = found.kept_columns()
    texts = texts if kept is None or not texts else tuple(texts[j] for j in kept)
    return dataset, texts or (None,) * dataset.n_features


def _parts_in_memory(found: Collected, source: TableSource) -> Iterator[CheckedRows]:
    ahead = list(islice(tables := source.tables(found.roles, None), 2))
    is_whole = len(ahead) == 1 and not found.choice.is_folder
    work, tables = partial(checked_rows, found.choice, found.roles, is_whole=is_whole), chain(ahead, tables)
    if source.n_rows * source.layout.n_columns < _LEAST_FOR_THREADS:
        return map(work, tables)
    from maxmargin.solvers.basics.parallel import in_order  # slow to import

    return in_order(work, tables, n_workers=1)


def _read_on_disk(found: Collected, sources: Sequence[TableSource], budget: MemoryBudget) -> "OnDisk | None":
    """Read all rows once, and return them for later passes; None if none is left."""
    # slow to import, and not needed in memory
    from maxmargin.data.stores.outside_memory import OnDisk, Scratch, sampled_numbers
    from maxmargin.solvers.basics.parallel import in_order

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
                scratch.write(part.X)
            first, last = np.searchsorted(wanted, (start, found.coder.n_rows))
            samples.append(part.X[wanted[first:last] - start])
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


def missing_texts(missing: str | Iterable[str] | Mapping[ColumnRef, str]) -> tuple[str, ...]:
    """Return texts for missing values as a choice has them: of one column ``"column=text"``."""
    if isinstance(missing, Mapping):
        return tuple(f"{column}={text}" for column, text in missing.items())
    return tuple(map(str, columns_named(missing)))


def refuse_others(choice: Choice) -> None:
    """Refuse options that a formula decides."""
    one_hot = choice.one_hot
    given = {"label": choice.label != -1, "one_hot": one_hot.every, "one_hot_column": bool(one_hot.named)}
    decided = [option(name) for name, is_given in given.items() if is_given]
    if decided:
        raise InvalidOptionError(f"{option('formula')} decides what {decided[0]} would; expected one of them")
