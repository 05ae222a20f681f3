"""A source is opened by what it is: a file by its suffix, a folder of files, a data set by its name, a table."""

import csv
import os
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from maxmargin.data import opening
from maxmargin.data.column_roles import Choice, Layout, Roles
from maxmargin.data.sources.batches import InOnePiece, Table, TableSource, table_of
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import InvalidOptionError, option
from maxmargin.text.data_error import DataError, data_error, listed, nearest

# For each suffix of the files that can be read, a module beside this one, imported on demand, and what opens it.
_OPENERS = {
    **dict.fromkeys(opening.DELIMITED, ("csv_text", "DelimitedText")),
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

_OF_PANDAS = (
    ".xls", ".xlsx", ".xlsm", ".ods", ".dta", ".sav", ".orc", ".sas7bdat", ".xpt", ".json", ".jsonl", ".h5", ".hdf5",
)  # fmt: skip

# How files of other programs become data that can be read.
_ADVICE = {
    **dict.fromkeys(_OF_PANDAS, "save it as CSV, or read it with pandas and pass the data frame"),
    ".arff": "save it as CSV in Weka, or pass pandas.DataFrame(scipy.io.arff.loadarff(FILE)[0]), its texts decoded",
    ".mat": "load it with scipy.io.loadmat, and pass the arrays",
    **dict.fromkeys((".rds", ".rda", ".rdata"), "write it in R: write.csv(data, FILE, row.names = FALSE)"),
}

_BYTES_OF_SAMPLE = 1 << 16

# scikit-learn's files of the bundled data sets.
_FILES = {"iris": "iris.csv", "breast_cancer": "breast_cancer.csv", "wine": "wine_data.csv", "digits": "digits.csv.gz"}

_CELL_MEASURES = (
    "radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity", "concave points", "symmetry",
    "fractal dimension",
)  # fmt: skip

# Names of the features, as `sklearn.datasets.load_*` gives them.
FEATURE_NAMES: dict[str, tuple[str, ...]] = {
    "iris": ("sepal length (cm)", "sepal width (cm)", "petal length (cm)", "petal width (cm)"),
    "breast_cancer": (
        *(f"mean {measure}" for measure in _CELL_MEASURES),
        *(f"{measure} error" for measure in _CELL_MEASURES),
        *(f"worst {measure}" for measure in _CELL_MEASURES),
    ),
    "wine": (
        "alcohol", "malic_acid", "ash", "alcalinity_of_ash", "magnesium", "total_phenols", "flavanoids",
        "nonflavanoid_phenols", "proanthocyanins", "color_intensity", "hue", "od280/od315_of_diluted_wines", "proline",
    ),
    "digits": tuple(f"pixel_{row}_{column}" for row in range(8) for column in range(8)),
}  # fmt: skip

# Names of the bundled data sets.
BUNDLED = tuple(_FILES)

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
        return [_open_bundled(path, choice)], []
    if path == opening.STDIN:
        return [_open_stdin(choice)], []
    if is_name and opening.suffix_of(path) not in SUFFIXES:
        from maxmargin.data.generators import is_family

        if is_family(path):
            return [_open_generated(path, choice)], []
    return [_open_file(path, choice)], []


def format_of(path: str, choice: Choice) -> str:
    """Return the format of a file as a suffix: as the choice says, as its name says, or as its first lines say.

    Only files of LIBSVM, which often have no suffix, are recognised by their lines.
    """
    kind = opening.kind_of(path, choice.format)
    is_told = choice.format is not None or (kind in _OPENERS and kind not in (".txt", ".dat"))
    if is_told or not os.path.isfile(path):
        return kind
    from maxmargin.data.sources.svmlight import looks_like_svmlight

    with opening.open_binary(path) as file:
        return ".svmlight" if looks_like_svmlight(file.read(_BYTES_OF_SAMPLE)) else kind


def _open_stdin(choice: Choice) -> TableSource:
    form = choice.format or "csv"
    if form not in TEXT_FORMATS:
        raise data_error(
            opening.STDIN_NAME, option="format", found=repr(form), expected=f"one of {', '.join(TEXT_FORMATS)}"
        )
    return _open_as(f".{form}", opening.STDIN, choice)


def _open_as(suffix: str, path: str, choice: Choice) -> TableSource:
    if suffix not in opening.DELIMITED:
        choice.refuse_of_text(path, f"the format {suffix.removeprefix('.')}")
    module, name = _OPENERS[suffix]
    opener: Callable[[str, Choice], TableSource] = getattr(import_module(f"maxmargin.data.sources.{module}"), name)
    return opener(path, choice)


def _open_file(path: str, choice: Choice) -> TableSource:
    if path.startswith(_ADDRESSES) and not os.path.exists(path):
        raise data_error(path, found="an address", expected="a file", hint="download it first")
    suffix = format_of(path, choice)
    if suffix in SUFFIXES or (suffix == ".npy" and os.path.exists(path) and not opening.is_compressed(path)):
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
            sources.append(_open_as(opening.kind_of(file, choice.format), file, choice))
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
    labels = {opening.labels_beside(path) for path in paths if opening.kind_of(path, choice.format) == ".npy"}
    files = [path for path in paths if path not in labels]
    if not files:
        raise data_error(folder, found="a directory without files", expected="files of one format")
    unknown = [path for path in files if os.path.isdir(path) or not opening.is_readable_in_parts(path, choice.format)]
    if unknown:
        expected = f"files {' '.join(opening.IN_PARTS)} only, all of one format"
        raise data_error(folder, found=f"{os.path.basename(unknown[0])!r} in the directory", expected=expected)
    suffixes = sorted({opening.kind_of(path, choice.format) for path in files})
    if len(suffixes) > 1:
        raise data_error(folder, found=f"files {' and '.join(suffixes)}", expected="files of one format")
    return files


def _columns_text(layout: Layout) -> str:
    if layout.names is None or not any(layout.names[:-1]):
        return f"{layout.n_columns} columns without names"
    names = [str(layout.name_of(j)) for j in layout.index]
    index = f", of which {listed(names)} hold the index of pandas" if names else ""
    return f"the columns {listed(layout.names)}{index}"


# Data sets with a name: those of scikit-learn, and generated ones


def _open_bundled(name: str, choice: Choice) -> InOnePiece:
    """Read `iris`, `breast_cancer`, `wine` or `digits` from the files of scikit-learn, which is not imported."""
    choice.refuse_of_text(name, "a bundled data set")
    package = os.path.dirname(getattr(find_spec("sklearn"), "origin", ""))
    with opening.open_binary(os.path.join(package, "datasets", "data", _FILES[name])) as file:
        rows = list(csv.reader(file.read().decode().splitlines()))
    class_names = None if name == "digits" else rows.pop(0)[2:]
    values = np.array([[float(field) for field in row] for row in rows])
    labels = values[:, -1] if class_names is None else [class_names[int(code)] for code in values[:, -1]]
    return _of_columns(name, (*FEATURE_NAMES[name], "target"), values, labels)


def _open_generated(name: str, choice: Choice) -> InOnePiece:
    """Generate the data set that a family's name and parameters describe, or the truth table of a formula."""
    from maxmargin.data.generators import rows_and_labels

    choice.refuse_of_text(name, "a generated data set")
    try:
        X, y, names, source = rows_and_labels(name)
    except InvalidOptionError as error:
        raise DataError(str(error)) from error
    return _of_columns(source, (*names, "y"), np.column_stack([X, y.astype(np.float64)]), y)


def _of_columns(source: str, names: Sequence[str], values: Floats, labels: Any) -> InOnePiece:
    """Return the source of some columns, the last of which are the labels, which another column may replace."""
    layout = Layout(source=source, names=tuple(names), n_columns=len(names))
    return InOnePiece(layout=layout, read=partial(_table_of_columns, layout, values, labels))


def _table_of_columns(layout: Layout, values: Floats, labels: Any, roles: Roles) -> Table:
    return table_of(
        layout, roles, features=np.ascontiguousarray(values[:, list(roles.features)]),
        label=labels if roles.label == layout.n_columns - 1 else values[:, roles.label],
        ids=None if roles.id is None else tuple(f"{value:g}" for value in values[:, roles.id]),
    )  # fmt: skip
