"""Archives whose headers lie, and lines without an end: one line of error, in bounded memory."""

import gzip
import io
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import maxmargin as mm
from maxmargin.cli.app import run
from maxmargin.readers.errors import DataError
from maxmargin.solvers.errors import InvalidProblemError


def refused(call: Callable[[], Any]) -> str:
    with pytest.raises((InvalidProblemError, DataError)) as caught:
        call()
    assert "\n" not in str(caught.value)
    return str(caught.value)


def header(shape: str, descr: str = "'<f8'", order: str = "False") -> bytes:
    text = f"{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}\n".encode("latin-1")
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


@pytest.mark.parametrize("name", ["X", "y", "feature_names"])
@pytest.mark.parametrize(
    "lie",
    [
        header("(3, 4611686018427387904)"),
        header("(9223372036854775807,)"),
        header("(1" + "0" * 400 + ", 2)"),
        header("(-3, 2)"),
        header("(-3, -2)"),
        header("(2, 2)"),
        header("(3, 2, 9)"),
        header("(3, 2)", descr="'|O'"),
        header("(3, 2)", descr="'<U999999999'"),
        header("(3, 2)", descr="[('a', '<f8')]"),
        header("(3, 2"),
        header("'3'"),
        header("(" * 5000),
        b"\x93NUMPY\x09\x00",
        b"\x93NUMPY",
        b"",
    ],
)
@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_headers_that_lie(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], name: str, lie: bytes, method: int
) -> None:
    arrays = {"X": np.arange(6.0).reshape(3, 2), "y": np.array(list("aab")), "feature_names": np.array(["u", "v"])}
    path = tmp_path / "data.npz"
    with zipfile.ZipFile(path, "w", method) as archive:
        for key, values in arrays.items():
            content = io.BytesIO()
            np.save(content, values)
            archive.writestr(f"{key}.npy", lie + values.tobytes() if key == name else content.getvalue())
    for memory in ("1GiB", "1"):
        assert run(["check", str(path), "--memory", memory]) == 2
        out, err = capsys.readouterr()
        assert out == "" and err.count("\n") == 1 and str(path) in err


def test_headers_of_single_arrays_that_lie(tmp_path: Path) -> None:
    np.save(tmp_path / "y.npy", np.array(list("aab")))
    (tmp_path / "X.npy").write_bytes(header("(3, 99)") + bytes(48))
    assert "X.npy of shape (3, 99) and type float64 in 48 bytes" in refused(lambda: mm.load(tmp_path / "X.npy"))


@pytest.mark.parametrize("memory", [None, 1])
def test_pickled_names_are_refused(tmp_path: Path, memory: int | None) -> None:
    path = tmp_path / "data.npz"
    np.savez(path, X=np.eye(2), y=np.array(["a", "b"]), feature_names=np.array(["u", "v"], dtype=object))
    assert "would have to be unpickled" in refused(lambda: mm.load(path, memory=memory))


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_damaged_numbers_are_noticed_at_both_doors(tmp_path: Path, save: Callable[..., Any]) -> None:
    path = tmp_path / "data.npz"
    save(path, X=np.random.default_rng(0).normal(size=(50, 4)), y=np.array(["a", "b"] * 25))
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    for memory in (None, 1):
        assert str(path) in refused(lambda m=memory: mm.load(path, memory=m))


ENDLESS: dict[str, Callable[[int], bytes]] = {
    "digits": lambda n: b"0" * n,
    "fields": lambda n: b"12," * (n // 3),
    "quoted lines": lambda n: b"1" + (b',"' + b"x\n" * 500 + b'"') * (n // 1000),
}


@pytest.mark.parametrize("kind", ENDLESS)
@pytest.mark.parametrize("suffix", ["csv", "csv.gz", "svm.gz"])
def test_lines_without_an_end_are_refused(tmp_path: Path, kind: str, suffix: str) -> None:
    if (kind, suffix) == ("quoted lines", "svm.gz"):
        return
    path = tmp_path / f"data.{suffix}"
    rows = b"1 1:2\n" if "svm" in suffix else b"a,b\n1,2\n"
    content = rows + ENDLESS[kind](3 * 2**20)
    path.write_bytes(gzip.compress(content, 1) if suffix.endswith("gz") else content)
    for memory in ("1MiB", "16MiB"):
        said = refused(lambda m=memory: mm.load(path, memory=m))
        assert f"line {2 if 'svm' in suffix else 3}: found more than 2 MiB without an end" in said


def test_long_lines_that_memory_holds_are_read(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    wide = ",".join(["1.5"] * 1_000_000)
    path.write_text(f"{wide},a\n{wide},b\n")
    assert mm.load(path).n_features == 1_000_000


def test_compressed_text_is_as_large_as_it_says(tmp_path: Path) -> None:
    path = tmp_path / "data.csv.gz"
    path.write_bytes(gzip.compress(b"x,label\n" + b"0,a\n1,b\n" * 100_000))
    assert not mm.load(path, memory="4MiB").is_in_memory
    assert mm.load(path, memory="1GiB").is_in_memory
