"""A source is opened by what it is: a file by its suffix, a folder of files, a data set by its name, a table."""

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any

from maxmargin.data.column_roles import Choice, Layout
from maxmargin.data.opening import (
    DELIMITED,
    IN_PARTS,
    STDIN,
    STDIN_NAME,
    is_compressed,
    is_readable_in_parts,
    kind_of,
    labels_beside,
    open_binary,
    suffix_of,
)
from maxmargin.data.sources.batches import TableSource
from maxmargin.solvers.errors import InvalidOptionError, option
from maxmargin.text.data_error import data_error, listed, nearest

# For each suffix of the files that can be read, a module beside this one, imported on demand, and what opens it.
_OPENERS = {
    **dict.fromkeys(DELIMITED, ("csv_text", "DelimitedText")),
    ".parquet": ("arrow_files", "open_arrow"), ".feather": ("arrow_files", "open_arrow"),
    ".npz": ("numpy_arrays", "NumpyArrays"), ".npy": ("numpy_arrays", "NumpyArrays"),
    **dict.fromkeys((".svm", ".libsvm", ".svmlight"), ("svmlight", "open_svmlight")),
}  # fmt: skip

SUFFIXES = tuple(suffix for suffix in _OPENERS if suffix != ".npy")

# Names of the formats that the option `format` takes.
FORMATS = (*(suffix.removeprefix(".") for suffix in SUFFIXES), "npy")

# The formats that the standard input may have.
TEXT_FORMATS = ("csv", "tsv", "txt", "dat", "svm", "libsvm", "svmlight")

_ADDRESSES = ("http://", "https://", "ftp://", "s3://", "gs://")

_AS_CSV = "save it as CSV, or pass the data frame that pandas.{} reads"
# How files of other programs become data that can be read.
_ADVICE = {
    **dict.fromkeys((".xls", ".xlsx", ".xlsm", ".ods"), _AS_CSV.format("read_excel")),
    ".dta": _AS_CSV.format("read_stata"), ".sav": _AS_CSV.format("read_spss"), ".orc": _AS_CSV.format("read_orc"),
    **dict.fromkeys((".sas7bdat", ".xpt"), _AS_CSV.format("read_sas")), ".json": _AS_CSV.format("read_json"),
    **dict.fromkeys((".h5", ".hdf5"), _AS_CSV.format("read_hdf")), ".jsonl": _AS_CSV.format("read_json"),
    ".arff": "save it as CSV in Weka, or pass pandas.DataFrame(scipy.io.arff.loadarff(FILE)[0]), its texts decoded",
    ".mat": "load it with scipy.io.loadmat, and pass the arrays",
    **dict.fromkeys((".rds", ".rda", ".rdata"), "write it in R: write.csv(data, FILE, row.names = FALSE)"),
}  # fmt: skip

_BYTES_OF_SAMPLE = 1 << 16

# Names of the bundled data sets.
BUNDLED = ("iris", "breast_cancer", "wine", "digits")

_GENERATED = "or a generated data set such as xor or gap:40 (`maxmargin generate` lists them)"


def open_source(source: Any, choice: Choice) -> tuple[list[TableSource], list[str]]:
    """Open a file, the files of a folder, a bundled or generated data set, the standard input (`-`), or a table.

    Returns
    -------
    sources : list of TableSource
        One, or one for each file of a folder, all with the same columns.
    notes : list of str
        Notes on the files of a folder that are empty.

    Raises
    ------
    DataError
        There is no such source, its suffix is unknown, or it is broken.
    InvalidOptionError
        The format is unknown, or was given for a table in memory.
    """
    form = choice.format
    if form is not None and form not in FORMATS:
        raise InvalidOptionError(f"format is {form!r}; expected one of {', '.join(FORMATS)}")
    if not isinstance(source, str | os.PathLike):
        from maxmargin.data.sources.frames import open_frame

        if form is not None:
            raise InvalidOptionError(f"format is {form!r}; expected none, as a {type(source).__name__} is no file")
        return [open_frame(source, choice)], []
    path = os.fspath(source)
    if os.path.isdir(path):
        return _open_folder(path, choice)
    is_name = isinstance(source, str) and form is None
    if is_name and path in BUNDLED:
        from maxmargin.data.sources.named_data import open_bundled

        return [open_bundled(path, choice)], []
    if path == STDIN:
        return [_open_stdin(choice)], []
    if is_name and suffix_of(path) not in SUFFIXES:
        from maxmargin.data.generators import is_family

        if is_family(path):
            from maxmargin.data.sources.named_data import open_generated

            return [open_generated(path, choice)], []
    return [_open_file(path, choice)], []


def format_of(path: str, choice: Choice) -> str:
    """Return the format of a file as a suffix: as the choice says, as its name says, or as its first lines say.

    Only files of LIBSVM, which often have no suffix, are recognised by their lines.
    """
    kind = kind_of(path, choice.format)
    is_told = choice.format is not None or (kind in _OPENERS and kind not in (".txt", ".dat"))
    if is_told or not os.path.isfile(path):
        return kind
    from maxmargin.data.sources.svmlight import looks_like_svmlight

    with open_binary(path) as file:
        return ".svmlight" if looks_like_svmlight(file.read(_BYTES_OF_SAMPLE)) else kind


def _open_stdin(choice: Choice) -> TableSource:
    form = choice.format or "csv"
    if form not in TEXT_FORMATS:
        raise data_error(STDIN_NAME, option="format", found=repr(form), expected=f"one of {', '.join(TEXT_FORMATS)}")
    return _open_as(f".{form}", STDIN, choice)


def _open_as(suffix: str, path: str, choice: Choice) -> TableSource:
    if suffix not in DELIMITED:
        choice.refuse_of_text(path, f"the format {suffix.removeprefix('.')}")
    module, name = _OPENERS[suffix]
    opener: Callable[[str, Choice], TableSource] = getattr(import_module(f"maxmargin.data.sources.{module}"), name)
    return opener(path, choice)


def _open_file(path: str, choice: Choice) -> TableSource:
    if path.startswith(_ADDRESSES) and not os.path.exists(path):
        raise data_error(path, found="an address", expected="a file", hint="download it first")
    suffix = format_of(path, choice)
    if suffix in SUFFIXES or (suffix == ".npy" and os.path.exists(path) and not is_compressed(path)):
        return _open_as(suffix, path, choice)
    suffixes = f"{' '.join(SUFFIXES)} (each also .gz), a folder of such files but the last three, X.npy beside y.npy"
    known = f"{suffixes}, one of the names {', '.join(BUNDLED)}, {_GENERATED}"
    if not os.path.exists(path):
        from maxmargin.data.generators import families

        hint = nearest(path.partition(":")[0], (*BUNDLED, *(family.name for family in families())))
        raise data_error(path, found="no such file", expected=f"a file {known}", hint=hint)
    found = f"the suffix {suffix!r}" if suffix else "no suffix"
    expected = f"one of {known}, or its format told with {option('format')}"
    hint = _ADVICE.get(suffix) or (nearest(suffix, SUFFIXES) if suffix else "")
    raise data_error(path, found=found, expected=expected, hint=hint)


# Folders: all files have one format and the same columns


def _open_folder(path: str, choice: Choice) -> tuple[list[TableSource], list[str]]:
    sources, notes = list[TableSource](), []
    for file in _files_of(path, choice):
        if os.path.getsize(file) == 0:
            notes.append(f"{file} is empty")
        else:
            sources.append(_open_as(kind_of(file, choice.format), file, choice))
    if not sources:
        raise data_error(path, found="empty files only", expected="data")
    first = sources[0].layout
    for layout in (source.layout for source in sources[1:]):
        if (layout.names, layout.n_columns, layout.index) != (first.names, first.n_columns, first.index):
            expected = f"those of {first.source}: {_columns_text(first)}"
            raise data_error(layout.source, found=_columns_text(layout), expected=expected)
    return sources, notes


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


def _columns_text(layout: Layout) -> str:
    if layout.names is None or not any(layout.names[:-1]):
        return f"{layout.n_columns} columns without names"
    names = [str(layout.name_of(j)) for j in layout.index]
    index = f", of which {listed(names)} hold the index of pandas" if names else ""
    return f"the columns {listed(layout.names)}{index}"
