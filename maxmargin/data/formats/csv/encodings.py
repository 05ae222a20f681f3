"""Bytes to text in UTF-8, and the names of what they are where they are something else."""

import codecs

from maxmargin.data.formats.source import STDIN_NAME, is_compressed
from maxmargin.solvers.errors import option
from maxmargin.text.data_error import DataError, data_error

_EXPECTED = "text in UTF-8"

_BYTES_OF_SAMPLE = 1000
"""Bytes at the start of a file that are searched for zeros in every second place."""

_SHARE_OF_ZEROS = 0.4
"""Share of zeros in every second byte from which text is taken for UTF-16: letters of the Latin alphabet have them."""

_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}
"""Byte-order marks; those of UTF-32 come first, as one begins with one of UTF-16."""

_GZIP = "gzip data"

_FORMATS = {
    b"\x1f\x8b": _GZIP, b"BZh": "bzip2 data", b"\xfd7zXZ": "xz data", b"\x28\xb5\x2f\xfd": "Zstandard data",
    b"PK\x03\x04": "a zip archive (.zip, .xlsx, .npz)", b"\xd0\xcf\x11\xe0": "an Excel file", b"PAR1": "Parquet data",
    b"ARROW1": "Feather data", b"\x93NUMPY": "a NumPy array", b"\x89HDF": "HDF5 data",
}  # fmt: skip
"""First bytes of files that hold no text."""


def decoded(content: bytes, lines_before: int, source: str) -> str:
    """Return text in UTF-8, without its byte-order mark.

    Parameters
    ----------
    content : bytes
        Consecutive bytes of a source.
    lines_before : int
        Lines of the source before them.
    source : str
        Its display name.

    Raises
    ------
    DataError
        They are in another encoding, which is named where it is known, or no text.
    """
    if lines_before == 0:
        content = content.removeprefix(codecs.BOM_UTF8)
    nul = content.find(b"\0")
    if nul >= 0:
        raise not_text(content, nul, lines_before, source)
    try:
        return content.decode()
    except UnicodeDecodeError as error:
        raise not_text(content, error.start, lines_before, source) from error


def not_text(content: bytes, place: int, lines_before: int, source: str) -> DataError:
    """Word the error of bytes that are not text in UTF-8: by the encoding or format that they show, or by one byte.

    Parameters
    ----------
    content : bytes
        Consecutive bytes of a source.
    place : int
        Of the byte among them at which that was found.
    lines_before : int
    source : str
    """
    known = _known_form(content, source) if lines_before == 0 else None
    if known is not None:
        return data_error(source, found=known[0], expected=_EXPECTED, hint=known[1])
    line = lines_before + content.count(b"\n", 0, place) + 1
    found, hint = ("a NUL byte", "") if content[place] == 0 else of_another_encoding(content[place])
    return data_error(source, line=line, found=found, expected=_EXPECTED, hint=hint)


def _known_form(content: bytes, source: str) -> tuple[str, str] | None:
    """Return what the first bytes of a source, decompressed if its name says so, show it to be, and what to do."""
    encoding = next((name for mark, name in _MARKS.items() if content.startswith(mark)), None) or _utf16(content)
    if encoding is not None:
        return f"text in {encoding}", f"convert it: iconv -f {encoding} -t UTF-8"
    form = next((name for start, name in _FORMATS.items() if content.startswith(start)), None)
    if form is None:
        return None
    if form != _GZIP:
        return form, f"say what it is with {option('format')}"
    if source == STDIN_NAME:
        return form, "decompress it on its way: gunzip -c FILE.gz | maxmargin ..."
    is_twice = is_compressed(source)
    return form, "it is compressed twice: decompress it once with gunzip" if is_twice else "its name should end in .gz"


def of_another_encoding(byte: int) -> tuple[str, str]:
    """Return how to call a byte that UTF-8 does not allow where it is, and what to do.

    Examples
    --------
    >>> of_another_encoding(0xE9)
    ('byte 0xe9, which is not UTF-8', "'é' in Latin-1? convert it: iconv -f ISO-8859-1 -t UTF-8")
    """
    found = f"byte 0x{byte:02x}, which is not UTF-8"
    name, codec = ("Windows-1252", "cp1252") if 0x80 <= byte < 0xA0 else ("Latin-1", "ISO-8859-1")
    char = bytes([byte]).decode(codec, "replace")
    return found, f"{char!r} in {name}? convert it: iconv -f {codec.upper()} -t UTF-8"


def _utf16(content: bytes) -> str | None:
    """Return the name of UTF-16 without a mark, where every second byte is mostly zero and the others are not."""
    sample = content[:_BYTES_OF_SAMPLE]
    shares = [sample[first::2].count(0) / max(1, len(sample[first::2])) for first in (0, 1)]
    if len(sample) < 2 or min(shares) > 0 or max(shares) < _SHARE_OF_ZEROS:
        return None
    return "UTF-16BE" if shares[0] > shares[1] else "UTF-16LE"
