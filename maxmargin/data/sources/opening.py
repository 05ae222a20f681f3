"""A source is opened by what it is: a file by its suffix, a folder, a data set by its name, a table; files as bytes."""

import codecs
import csv
import os
import re
import stat
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from typing import Any, BinaryIO, cast

import numpy as np

from maxmargin.data.batches import Choice, InOnePiece, Layout, Roles, Table, TableSource, unreadable
from maxmargin.data.numbers.numerals import parse_number
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import InvalidOptionError, option
from maxmargin.text.data_error import DataError, data_error, listed, nearest

STDIN = "-"
STDIN_NAME = "standard input"

DELIMITED = (".csv", ".tsv", ".txt", ".dat")

# Suffixes of the formats that can be read in parts.
IN_PARTS = (*DELIMITED, ".parquet", ".feather", ".npz", ".npy")

_BYTES_OF_GZIP_SIZE = 4
_COMPRESSION = 6

_EXPECTED = "text in UTF-8"

# First bytes of files that hold no text in UTF-8. Marks of UTF-32 come first, as one begins with a mark of UTF-16.
_FORMS = {
    codecs.BOM_UTF32_LE: "text in UTF-32", codecs.BOM_UTF32_BE: "text in UTF-32",
    codecs.BOM_UTF16_LE: "text in UTF-16", codecs.BOM_UTF16_BE: "text in UTF-16",
    b"\x1f\x8b": "gzip data", b"BZh": "bzip2 data", b"\xfd7zXZ": "xz data", b"\x28\xb5\x2f\xfd": "Zstandard data",
    b"PK\x03\x04": "a zip archive (.zip, .xlsx, .npz)", b"\xd0\xcf\x11\xe0": "an Excel file", b"PAR1": "Parquet data",
    b"ARROW1": "Feather data", b"\x93NUMPY": "a NumPy array", b"\x89HDF": "HDF5 data",
}  # fmt: skip

# How data in forms that are not read become such that are.
_ADVICE_ABOUT_FORMS = {
    **dict.fromkeys(("bzip2 data", "xz data", "Zstandard data"), "decompress it first"),
    **dict.fromkeys(("an Excel file", "HDF5 data"), "save it as CSV"),
    "a zip archive (.zip, .xlsx, .npz)": "unzip it, save a sheet as CSV, or let the name of arrays end in .npz",
    "gzip data": "decompress it with gunzip, or let its name end in .gz",
}

# A feature of a line.
_ENTRY = re.compile(rb"\d+:\S+")

# A time of the day, which may be taken for a feature.
_TIME = re.compile(rb"[0-2]?\d:[0-5]\d(?::[0-5]\d)?")

# Number of lines of a file without a suffix that are compared with this format.
_LINES_COMPARED = 20

# For each suffix of the files that can be read, a module beside this one, imported on demand, and what opens it.
_OPENERS = {
    **dict.fromkeys(DELIMITED, ("csv_text", "DelimitedText")),
    ".parquet": ("arrow_files", "open_arrow"), ".feather": ("arrow_files", "open_arrow"),
    ".npz": ("numpy_arrays", "NumpyArrays"), ".npy": ("numpy_arrays", "NumpyArrays"),
    **dict.fromkeys((".svm", ".libsvm", ".svmlight"), ("svmlight", "open_svmlight")),
}  # fmt: skip

SUFFIXES = tuple(suffix for suffix in _OPENERS if suffix != ".npy")

# Suffixes of those that are no delimited text, and so refuse the options that are for text in columns.
NOT_DELIMITED = tuple(suffix for suffix in _OPENERS if suffix not in DELIMITED)

# Names of the formats that the option `format` takes.
FORMATS = (*(suffix.removeprefix(".") for suffix in SUFFIXES), "npy")

# The formats that the standard input may have.
TEXT_FORMATS = ("csv", "tsv", "txt", "dat", "svm", "libsvm", "svmlight")

_ADDRESSES = ("http://", "https://", "ftp://", "s3://", "gs://")

# How files of other programs become data that can be read.
_READERS = {".dta": "stata", ".sav": "spss", ".sas7bdat": "sas", ".xpt": "sas", ".xls": "excel", ".xlsx": "excel",
            ".ods": "excel", ".json": "json", ".orc": "orc", ".h5": "hdf", ".hdf5": "hdf"}  # fmt: skip
_ADVICE = {
    **{suffix: f"save it as CSV, or pass pandas.read_{name}(FILE)" for suffix, name in _READERS.items()},
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
    "breast_cancer": tuple(form.format(m) for form in ("mean {}", "{} error", "worst {}") for m in _CELL_MEASURES),
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
    if path == STDIN:
        return [_open_stdin(choice)], []
    if is_name and suffix_of(path) not in SUFFIXES:
        from maxmargin.data.generators import is_family

        if is_family(path):
            return [_open_generated(path, choice)], []
    return [_open_file(path, choice)], []


def format_of(path: str, choice: Choice) -> str:
    """Return the format of a file as a suffix: as the choice says, as its name says, or as its first lines say.

    Only files of LIBSVM, which often have no suffix, are recognised by their lines.
    """
    kind = kind_of(path, choice.format)
    is_told = choice.format is not None or (kind in _OPENERS and kind not in (".txt", ".dat"))
    if is_told or not os.path.isfile(path):
        return kind
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


# Data sets with a name: those of scikit-learn, and generated ones


def _open_bundled(name: str, choice: Choice) -> InOnePiece:
    """Read `iris`, `breast_cancer`, `wine` or `digits` from the files of scikit-learn, which is not imported."""
    choice.refuse_of_text(name, "a bundled data set")
    package = os.path.dirname(getattr(find_spec("sklearn"), "origin", ""))
    with open_binary(os.path.join(package, "datasets", "data", _FILES[name])) as file:
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

    def read(roles: Roles) -> Table:
        return layout.table(
            roles, features=np.ascontiguousarray(values[:, list(roles.features)]),
            label=labels if roles.label == layout.n_columns - 1 else values[:, roles.label],
            ids=None if roles.id is None else tuple(f"{value:g}" for value in values[:, roles.id]),
        )  # fmt: skip

    return InOnePiece(layout=layout, read=read)


# Files by their names and their bytes


def looks_like_svmlight(content: bytes) -> bool:
    """Return whether the first bytes of a file are lines of a number followed by index:value.

    Examples
    --------
    >>> looks_like_svmlight(b"+1 1:0.5 3:2\\n-1 2:1\\n"), looks_like_svmlight(b"a,b\\n1,2\\n")
    (True, False)
    """
    whole = content[: content.rfind(b"\n") + 1] or content
    lines = [line.partition(b"#")[0].split() for line in whole.splitlines()]
    compared = [fields for fields in lines if fields][:_LINES_COMPARED]
    is_line = (_is_number(label) and all(map(_ENTRY.fullmatch, entries)) for label, *entries in compared)
    entries = [entry for fields in compared for entry in fields[1:]]
    return bool(entries) and all(is_line) and not all(map(_TIME.fullmatch, entries))


def _is_number(content: bytes) -> bool:
    return content.isascii() and parse_number(content.decode()) is not None


def suffix_of(path: str) -> str:
    """Return the suffix that determines the format, in lower case and without a final `.gz`.

    Examples
    --------
    >>> suffix_of("a/B.CSV.gz")
    '.csv'
    """
    name = os.path.basename(path).lower()
    return os.path.splitext(name.removesuffix(".gz"))[1]


def kind_of(path: str, form: str | None) -> str:
    """Return the format of a file as a suffix: the one that was given, otherwise the suffix of its name.

    Examples
    --------
    >>> kind_of("a.dat", "csv"), kind_of("a.dat", None)
    ('.csv', '.dat')
    """
    return suffix_of(path) if form is None else f".{form}"


def is_compressed(path: str) -> bool:
    """Return whether the name ends in `.gz`."""
    return path.lower().endswith(".gz")


def is_readable_in_parts(path: str, form: str | None) -> bool:
    """Return whether a file, of the format `form` or else as its name says, can be read in parts."""
    suffix = kind_of(path, form)
    return suffix in IN_PARTS and (suffix in DELIMITED or not is_compressed(path))


def labels_beside(path: str) -> str | None:
    """Return the file with the labels of one whose name ends in X before its suffix: the same with y in its place.

    Examples
    --------
    >>> labels_beside("train_X.npy"), labels_beside("a.npy")
    ('train_y.npy', None)
    """
    name, suffix = os.path.splitext(path)
    return f"{name[:-1]}y{suffix}" if name.endswith("X") else None


def standard_input() -> BinaryIO:
    """Return the standard input.

    Raises
    ------
    DataError
        It is closed.
    """
    if sys.stdin is None:
        raise data_error(STDIN_NAME, found="a closed standard input", expected="data")
    return sys.stdin.buffer


@contextmanager
def open_binary(path: str) -> Iterator[BinaryIO]:
    """Open `path` for reading bytes; decompress `.gz`; `-` is the standard input.

    Raises
    ------
    DataError
        The file is missing, unreadable, a directory, empty, or a broken gzip file (also while it is read).
    """
    if path == STDIN:
        yield standard_input()
        return
    with _open(path) as file:
        status = os.fstat(file.fileno())
        if stat.S_ISREG(status.st_mode) and status.st_size == 0:
            raise empty_file(path)
        try:
            if not is_compressed(path):
                yield file
                return
            import gzip

            with gzip.GzipFile(fileobj=file) as content:
                yield cast("BinaryIO", content)
        except (OSError, EOFError, zlib.error) as error:
            if is_compressed(path) and getattr(error, "errno", None) is None:
                raise data_error(path, found=f"broken gzip data: {error}", expected="a complete gzip file") from error
            raise unreadable(path, error) from error


def empty_file(source: str) -> DataError:
    """Return the error about an empty source."""
    return data_error(source, found="an empty file", expected="data")


def size_of_content(path: str) -> int:
    """Return the approximate number of bytes of a file, decompressed.

    A gzip file ends with the size of its last part, modulo 2**32. The result is at least six times the size of the
    compressed file, as text and numbers are seldom compressed further.
    """
    n_bytes = os.path.getsize(path)
    if not is_compressed(path) or n_bytes < _BYTES_OF_GZIP_SIZE:
        return n_bytes
    with _open(path) as file:
        file.seek(-_BYTES_OF_GZIP_SIZE, os.SEEK_END)
        size_in_trailer = int.from_bytes(file.read(_BYTES_OF_GZIP_SIZE), "little")
    return max(size_in_trailer, _COMPRESSION * n_bytes)


def lines_of(file: BinaryIO, longest: int, source: str) -> Iterator[bytes]:
    """Yield the lines of a file.

    Raises
    ------
    DataError
        One has more than `longest` bytes.
    """
    for n_lines, line in enumerate(iter(partial(file.readline, longest + 1), b"")):
        if len(line) > longest:
            raise long_line(source, n_lines + 1, longest)
        yield line


def long_line(source: str, line: int | None, longest: int) -> DataError:
    """Return the error about a line that is too long for the available memory."""
    found, hint = f"more than {longest / 2**20:.3g} MiB without an end", f"allow more {option('memory')}"
    return data_error(source, line=line, found=found, expected="the end of a row", hint=hint)


def _open(path: str) -> BinaryIO:
    if os.path.isdir(path):
        raise data_error(path, found="a directory", expected="a file")
    try:
        return open(path, "rb")
    except FileNotFoundError as error:
        raise data_error(path, found="no such file", expected="a file") from error
    except (OSError, ValueError) as error:
        raise unreadable(path, error) from error


@contextmanager
def readable(path: str, found: str, expected: str) -> Iterator[None]:
    """Turn whatever error a library raises for a damaged file into a data error."""
    try:
        yield
    except DataError:
        raise
    except Exception as error:
        reason = next(iter(str(error).splitlines()), "") or type(error).__name__
        raise data_error(path, found=f"{found}: {reason}", expected=expected) from error


# Text


def decoded(content: bytes, lines_before: int, source: str) -> str:
    """Return text in UTF-8, without its byte-order mark.

    Parameters
    ----------
    content : bytes
        Consecutive bytes of a source.
    lines_before : int
        Number of lines of the source before these bytes.
    source : str
        Display name of the source.

    Raises
    ------
    DataError
        They are in another encoding, which is named where it is known, or no text.
    """
    if lines_before == 0:
        content = content.removeprefix(codecs.BOM_UTF8)
    nul = content.find(b"\0")
    if nul >= 0:
        raise _not_text(content, nul, lines_before, source)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise _not_text(content, error.start, lines_before, source) from error


def _not_text(content: bytes, position: int, lines_before: int, source: str) -> DataError:
    """Return the error about bytes that are not text in UTF-8, with the encoding or format that they show, or one byte.

    Parameters
    ----------
    content : bytes
        Consecutive bytes of a source.
    position : int
        Position of the first byte that is not text.
    lines_before : int
        Number of lines of the source before these bytes.
    source : str
        Display name of the source.
    """
    form = next((form for start, form in _FORMS.items() if lines_before == 0 and content.startswith(start)), None)
    if form is not None:
        return data_error(source, found=form, expected=_EXPECTED, hint=_advice_about(form, source))
    line, byte = lines_before + content.count(b"\n", 0, position) + 1, content[position]
    if byte == 0:
        found, hint = "a NUL byte", "text in UTF-16? convert it: iconv -f UTF-16LE -t UTF-8, or UTF-16BE"
    else:
        name, codec = ("Windows-1252", "CP1252") if 0x80 <= byte < 0xA0 else ("Latin-1", "ISO-8859-1")
        char = bytes([byte]).decode(codec, "replace")
        found = f"byte 0x{byte:02x}, which is not UTF-8"
        hint = f"{char!r} in {name}? convert it: iconv -f {codec} -t UTF-8"
    return data_error(source, line=line, found=found, expected=_EXPECTED, hint=hint)


def _advice_about(form: str, source: str) -> str:
    if form.startswith("text in "):
        return f"convert it: iconv -f {form.removeprefix('text in ')} -t UTF-8"
    if source == STDIN_NAME and form == "gzip data":
        return "decompress it on its way: gunzip -c FILE.gz | maxmargin ..."
    if source == STDIN_NAME and form not in _ADVICE_ABOUT_FORMS:
        return "save it to a file first"
    return _ADVICE_ABOUT_FORMS.get(form) or f"say what it is with {option('format')}"
