"""Which files a command may write: never its inputs, and files that may hold data only on request."""

import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from maxmargin.data.sources.opening import STDIN, labels_beside
from maxmargin.text.outputs import check_folder_writable, check_writable, is_special

# Number of bytes at the beginning of a file within which a proof names its format.
_BYTES_OF_HEAD = 100


def check_outputs(paths: Sequence[Path], inputs: Sequence[str], *, force: bool, rewritten: Sequence[str]) -> None:
    """Raise before any work unless all files may be written.

    Parameters
    ----------
    paths : sequence of path
        Different files.
    inputs : sequence of str or path
        The files that the command reads, as `inputs_of` lists them. Links to them are refused as well.
    force : bool
        Whether existing files may be overwritten whatever their names; inputs never.
    rewritten : sequence of str
        Suffixes of files that are overwritten without `force`; proofs and empty files are as well.

    Raises
    ------
    OSError
    """
    for number, path in enumerate(paths):
        check_writable(path)
        if not is_special(path):
            _check_is_no_input(path, inputs, "file")
            if not (force or _is_rewritten(path, rewritten)):
                what = "exists and may hold data; expected a new file, or --force"
                raise FileExistsError(errno.EEXIST, what, str(path))
        if any(_is_same_file(path, other) for other in paths[:number]):
            raise FileExistsError(errno.EEXIST, "is named for two outputs; expected two files", str(path))


def _is_rewritten(path: Path, suffixes: Sequence[str]) -> bool:
    """Return whether no data are lost at a path: no file, an empty one, a proof, or such a suffix, behind links too."""
    if not path.exists() or path.stat().st_size == 0 or _is_proof(path):
        return True
    return all(name.suffix.lower() in suffixes for name in (path, Path(os.path.realpath(path))))


def _is_proof(path: Path) -> bool:
    with suppress(OSError), path.open("rb") as file:
        return b'"format": "maxmargin-proof"' in file.read(_BYTES_OF_HEAD)
    return False


def check_output_folder(folder: Path, outputs: Sequence[Path], inputs: Sequence[str]) -> None:
    """Raise before any work unless figures may be written into a folder, beside the other outputs.

    Raises
    ------
    OSError
    """
    check_folder_writable(folder)
    if any(_is_same_file(folder, other) for other in outputs):
        raise FileExistsError(errno.EEXIST, "is named for a file and for a folder; expected two names", str(folder))
    for path in folder.iterdir() if folder.is_dir() else ():
        _check_is_no_input(path, inputs, "folder")


def _check_is_no_input(path: Path, inputs: Sequence[str], expected: str) -> None:
    if any(_is_same_file(path, Path(other)) for other in inputs):
        raise FileExistsError(errno.EEXIST, f"is one of the inputs; expected another {expected}", str(path))


def _is_same_file(path: Path, other: Path) -> bool:
    """Return whether both name one file, there already or not, through links of any kind."""
    with suppress(OSError):
        return os.path.samefile(path, other)
    return os.path.realpath(path) == os.path.realpath(other)


def inputs_of(source: str) -> list[str]:
    """Return the files that a source consists of.

    These include the labels beside X.npy, all files of a folder, and the file that the standard input comes from.
    """
    if source == STDIN:
        return ["/dev/stdin"] if os.path.isfile("/dev/stdin") else []
    labels = labels_beside(source)
    inside = [entry.path for entry in os.scandir(source) if entry.is_file()] if os.path.isdir(source) else []
    return [source, *([] if labels is None else [labels]), *inside]
