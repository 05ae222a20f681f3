"""Every source goes to its reader: files by their suffixes, and bundled and generated data sets by their names."""

import csv
import os
from collections.abc import Callable, Iterable, Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import Any

import numpy as np

from maxmargin.data.formats.source import STDIN, STDIN_NAME, kind_of, open_binary, suffix_of
from maxmargin.data.formats.table import Choice, Table, drop_note, shown_name
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import InvalidOptionError, option
from maxmargin.text.data_error import DataError, data_error, nearest

_READERS = {
    ".csv": ("delimited", "read_delimited"), ".tsv": ("delimited", "read_delimited"),
    ".parquet": ("frames", "read_parquet"), ".feather": ("frames", "read_feather"), ".npz": ("npz", "read_npz"),
    **dict.fromkeys((".svm", ".libsvm", ".svmlight"), ("svmlight", "read_svmlight")),
}  # fmt: skip
"""For each suffix of the files that can be read, a module beside this one, imported on demand, and its function."""

SUFFIXES = tuple(_READERS)

FORMATS = (*(suffix.removeprefix(".") for suffix in SUFFIXES), "npy")
"""Names of the formats that the option `format` takes."""

TEXT_FORMATS = ("csv", "tsv", "svm", "libsvm", "svmlight")
"""The formats that the standard input may have."""

DELIMITED = (".csv", ".tsv")

_BYTES_OF_SAMPLE = 1 << 16

BUNDLED = {"iris": "iris.csv", "breast_cancer": "breast_cancer.csv", "wine": "wine_data.csv", "digits": "digits.csv.gz"}
"""Names of the bundled data sets, and scikit-learn's files of them."""

_GENERATED = "or a generated data set such as xor or gap:40 (`maxmargin generate` lists them)"


def read(source: Any, choice: Choice) -> Table:
    """Read a file, a bundled or generated data set, the standard input (`-`), or a table in memory.

    Raises
    ------
    DataError
        There is no such source, its suffix is unknown, or its reader cannot read it.
    """
    check_format(choice.format)
    is_name = isinstance(source, str) and choice.format is None
    if is_name and source in BUNDLED:
        choice.refuse_of_text(source, "a bundled data set")
        return _read_bundled(source, choice)
    if isinstance(source, str) and source == STDIN:
        return _read_stdin(choice)
    if is_name and suffix_of(source) not in SUFFIXES and _is_family(source):
        choice.refuse_of_text(source, "a generated data set")
        return _read_generated(source, choice)
    if isinstance(source, str | os.PathLike):
        return _read_file(os.fspath(source), choice)
    from maxmargin.data.formats.frames import read_frame

    if choice.format is not None:
        raise InvalidOptionError(f"format is {choice.format!r}; expected none, as a {type(source).__name__} is no file")
    return read_frame(source, choice)


def check_format(form: str | None) -> None:
    """Raise :class:`InvalidOptionError` unless this is the name of a format, or None."""
    if form is not None and form not in FORMATS:
        raise InvalidOptionError(f"format is {form!r}; expected one of {', '.join(FORMATS)}")


def format_of(path: str, choice: Choice) -> str:
    """Return the format of a file as a suffix: as the choice says, as its name says, or as its first lines say.

    Only files of LIBSVM, which often have no suffix, are recognised by their lines.
    """
    kind = kind_of(path, choice.format)
    if kind in SUFFIXES or choice.format is not None or not os.path.isfile(path):
        return kind
    from maxmargin.data.formats.svmlight import looks_like_svmlight

    with open_binary(path) as file:
        return ".svmlight" if looks_like_svmlight(file.read(_BYTES_OF_SAMPLE)) else kind


def _read_stdin(choice: Choice) -> Table:
    form = choice.format or "csv"
    if form not in TEXT_FORMATS:
        raise data_error(STDIN_NAME, option="format", found=repr(form), expected=f"one of {', '.join(TEXT_FORMATS)}")
    return _read_as(f".{form}", STDIN, choice)


def _read_as(suffix: str, path: str, choice: Choice) -> Table:
    if suffix not in DELIMITED:
        choice.refuse_of_text(path, f"the format {suffix.removeprefix('.')}")
    module, name = _READERS[suffix]
    reader: Callable[[str, Choice], Table] = getattr(import_module(f"maxmargin.data.formats.{module}"), name)
    return reader(path, choice)


def _read_file(path: str, choice: Choice) -> Table:
    suffix = format_of(path, choice)
    if suffix in SUFFIXES:
        return _read_as(suffix, path, choice)
    if os.path.isdir(path):
        raise data_error(path, found="a directory", expected="a file")
    suffixes = f"{' '.join(SUFFIXES)} (each also .gz), a folder of such files, X.npy beside y.npy"
    known = f"{suffixes}, one of the names {', '.join(BUNDLED)}, {_GENERATED}"
    if not os.path.exists(path):
        from maxmargin.data.generators import families

        hint = nearest(path.partition(":")[0], (*BUNDLED, *(family.name for family in families())))
        raise data_error(path, found="no such file", expected=f"a file {known}", hint=hint)
    found = f"the suffix {suffix!r}" if suffix else "no suffix"
    expected = f"one of {known}, or its format told with {option('format')}"
    raise data_error(path, found=found, expected=expected, hint=nearest(suffix, SUFFIXES) if suffix else "")


def _is_family(name: str) -> bool:
    from maxmargin.data.generators import is_family

    return is_family(name)


# Data sets with a name: those of scikit-learn, read from its files without importing it, and generated ones

_CELL_MEASURES = (
    "radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity", "concave points", "symmetry",
    "fractal dimension",
)  # fmt: skip

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
"""Names of the features, as `sklearn.datasets.load_*` gives them."""


def _read_bundled(name: str, choice: Choice) -> Table:
    """Read `iris`, `breast_cancer`, `wine` or `digits`, rows in the order of the file."""
    rows = list(csv.reader(_lines(name)))
    class_names = None if name == "digits" else rows.pop(0)[2:]
    values = np.array([[float(field) for field in row] for row in rows])
    labels = values[:, -1] if class_names is None else [class_names[int(code)] for code in values[:, -1]]
    return _table(name, (*FEATURE_NAMES[name], "target"), values, labels, choice)


def _read_generated(name: str, choice: Choice) -> Table:
    """Generate the data set that a family's name and parameters describe, or the truth table of a formula."""
    from maxmargin.data.generators import rows_and_labels

    try:
        X, y, names, source = rows_and_labels(name)
    except InvalidOptionError as error:
        raise DataError(str(error)) from error
    return _table(source, (*names, "y"), np.column_stack([X, y.astype(np.float64)]), y, choice)


def _table(source: str, names: Sequence[str], values: Floats, labels: Any, choice: Choice) -> Table:
    """Return the table of some columns, the last of which are the labels, which another column may replace."""
    roles = choice.roles(names, len(names), source)
    return Table(
        source=source,
        names=tuple(names[j] for j in roles.features),
        features=np.ascontiguousarray(values[:, list(roles.features)]),
        label=labels if roles.label == len(names) - 1 else values[:, roles.label],
        label_name=shown_name(names, roles.label),
        ids=None if roles.id is None else tuple(f"{value:g}" for value in values[:, roles.id]),
        notes=drop_note(names, roles),
    )


def _lines(name: str) -> Iterable[str]:
    spec = find_spec("sklearn")
    folders = spec.submodule_search_locations if spec is not None else None
    if not folders:
        raise data_error(
            name, found="no scikit-learn installed", expected="the package scikit-learn, which holds the data"
        )
    path = os.path.join(next(iter(folders)), "datasets", "data", BUNDLED[name])
    with open(path, "rb") as file:
        content = file.read()
    if not path.endswith(".gz"):
        return content.decode().splitlines()
    import gzip

    return gzip.decompress(content).decode().splitlines()
