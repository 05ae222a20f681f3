"""Archives whose headers lie, and lines without an end: one line of error, in bounded memory."""

import gzip
import io
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from cases import for_each
from commands import Capture, refusal, refused
from table_files import table_file

import maxmargin as mm
from maxmargin.cli.app import run


def header(shape: str, descr: str = "'<f8'") -> bytes:
    text = f"{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}\n".encode("latin-1")
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text


@pytest.mark.slow
@for_each("name", ["X", "y", "feature_names"])
@for_each("lie", [
    header("(3, 4611686018427387904)"), header("(9223372036854775807,)"), header("(1" + "0" * 400 + ", 2)"),
    header("(-3, 2)"), header("(-3, -2)"), header("(2, 2)"), header("(3, 2, 9)"), header("(3, 2)", descr="'|O'"),
    header("(3, 2)", descr="'<U999999999'"), header("(3, 2)", descr="[('a', '<f8')]"), header("(3, 2"), header("'3'"),
    header("(" * 5000), b"\x93NUMPY\x09\x00", b"\x93NUMPY", b"",
])  # fmt: skip
@for_each("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_headers_that_lie(tmp_path: Path, capsys: Capture, name: str, lie: bytes, method: int) -> None:
    arrays = {"X": np.arange(6.0).reshape(3, 2), "y": np.array(list("aab")), "feature_names": np.array(["u", "v"])}
    path = tmp_path / "data.npz"
    with zipfile.ZipFile(path, "w", method) as archive:
        for key, values in arrays.items():
            content = io.BytesIO()
            np.save(content, values)
            archive.writestr(f"{key}.npy", lie + values.tobytes() if key == name else content.getvalue())
    for memory in ("1GiB", "1"):
        assert str(path) in refusal(capsys, "check", path, "--memory", memory)


def test_headers_of_single_arrays_that_lie(tmp_path: Path) -> None:
    np.save(tmp_path / "y.npy", np.array(list("aab")))
    (tmp_path / "X.npy").write_bytes(header("(3, 99)") + bytes(48))
    assert "X.npy of shape (3, 99) and type float64 in 48 bytes" in refused(lambda: mm.load(tmp_path / "X.npy"))


@for_each("memory", ["1GiB", "1KiB"])
def test_headers_of_python_2_are_read_and_those_with_code_refused(tmp_path: Path, capsys: Capture, memory: str) -> None:
    for shape in ("(4L,1L)", "__import__('os').getcwd()"):
        X, y = header(shape) + np.arange(4.0).tobytes(), header("(4L,)") + np.array([0.0, 0, 1, 1]).tobytes()
        (tmp_path / "a_X.npy").write_bytes(X)
        (tmp_path / "a_y.npy").write_bytes(y)
        with zipfile.ZipFile(tmp_path / "a.npz", "w") as archive:
            archive.writestr("X.npy", X)
            archive.writestr("y.npy", y)
        for name in ("a_X.npy", "a.npz"):
            if shape == "(4L,1L)":
                assert run(["check", str(tmp_path / name), "--memory", memory]) == 0
                assert "Warning" not in capsys.readouterr().err
            else:
                said = refusal(capsys, "check", tmp_path / name, "--memory", memory, "--quiet")
                assert "header holds an expression" in said and " at 0x" not in said


@for_each("save", [np.savez, np.savez_compressed])
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


@for_each("kind", ENDLESS)
@for_each("suffix", ["csv", "csv.gz", "svm.gz"])
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


@pytest.mark.slow
def test_long_lines_that_memory_holds_are_read(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    wide = ",".join(["0.3" + 96 * "0"] * 22_000)
    path.write_text(f"{wide},a\n{wide},b\n")
    assert len(wide) > 2 * 2**20 and mm.load(path).n_features == 22_000


def test_compressed_text_is_as_large_as_it_says(tmp_path: Path) -> None:
    path = tmp_path / "data.csv.gz"
    path.write_bytes(gzip.compress(b"x,label\n" + b"0,a\n1,b\n" * 100_000))
    assert not mm.load(path, memory="4MiB").is_in_memory
    assert mm.load(path, memory="1GiB").is_in_memory


# The index of a pandas data frame


def indexed(name: str | None = "site", n_rows: int = 40) -> pd.DataFrame:
    rows = range(n_rows)
    frame = pd.DataFrame({"x": np.arange(float(n_rows)), "y": [row % 2 for row in rows]})
    return frame.set_index(pd.Index([f"u{row // 20}" for row in rows], name=name))


def stored(frame: pd.DataFrame, path: Path) -> Path:
    groups = {"row_group_size" if path.suffix == ".parquet" else "chunksize": 10}
    return table_file(path, pa.Table.from_pandas(frame), **groups)


@pytest.mark.parametrize(("name", "column"), [("site", "site"), (None, "__index_level_0__")])
@pytest.mark.parametrize("suffix", [".parquet", ".feather"])
def test_the_index_is_no_label(tmp_path: Path, capsys: Capture, name: str | None, column: str, suffix: str) -> None:
    frame = indexed(name)
    path = stored(frame, tmp_path / f"data{suffix}")
    (tmp_path / "folder").mkdir()
    stored(frame, tmp_path / "folder" / f"a{suffix}")
    stored(frame, tmp_path / "folder" / f"b{suffix}")
    on_disk: list[tuple[Any, dict[str, Any]]] = [(path, {"memory": 1000}), (tmp_path / "folder", {})]
    for source, how in [(path, {}), (pa.Table.from_pandas(frame), {}), *on_disk]:
        dataset = mm.load(source, **how)
        assert (dataset.feature_names, dataset.label_name, dataset.classes) == (("x",), "y", (0, 1))
        assert dataset.notes == (f"left out as the index of a pandas data frame: {column!r}",)
        named = mm.load(source, label=column, drop=-1, **how)
        assert (named.feature_names, named.classes) == (("x",), ("u0", "u1"))
        assert named.notes == ("dropped on request: 'y'",), "positions do not count the index"
        said = refused(lambda s=source, h=how: mm.load(s, label=2, **h))
        assert "position 2, expected a position from -2 to 1" in said
    assert run(["check", str(path), "--json"]) == 3
    out, err = capsys.readouterr()
    assert err.count(column) == 1 and json.loads(out)["notes"] == list(dataset.notes)


def test_the_index_of_a_data_frame_by_name(tmp_path: Path) -> None:
    path = stored(indexed(), tmp_path / "data.parquet")
    assert mm.load(path, id="site").row_ids == ("u0",) * 20 + ("u1",) * 20
    assert mm.load(path, one_hot="site").feature_names == ("x", "site=u1")
    assert mm.load(path, drop="site").notes == ("dropped on request: 'site'",)


@for_each("metadata", [b"", b"null", b"[]", b"{}", b"\xff", b'{"index_columns": 3}', b'{"index_columns": [{}, 3]}'])
def test_metadata_without_an_index(tmp_path: Path, metadata: bytes) -> None:
    table = pa.table({"x": [0.0, 1.0], "site": ["u", "v"]}).replace_schema_metadata({b"pandas": metadata})
    for source in (table, table_file(tmp_path / "data.parquet", table)):
        assert mm.load(source).label_name == "site"


def test_files_of_a_folder_have_the_same_index(tmp_path: Path) -> None:
    stored(indexed(), tmp_path / "a.parquet")
    stored(indexed().reset_index()[["x", "y", "site"]], tmp_path / "b.parquet")
    assert "of which 'site' hold the index of pandas" in refused(lambda: mm.load(tmp_path))


# What the message advises helps


@pytest.mark.parametrize("mtime", [0, ord("\n")], ids=["no time", "a time that ends the first line"])
def test_gzip_in_gzip(mtime: int, tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    once = gzip.compress(b"a,y\n1,0\n2,1\n", mtime=mtime)
    for name, memory in (("data.csv.gz", None), ("data.csv.gz", 1000), ("data.svm.gz", None)):
        (tmp_path / name).write_bytes(gzip.compress(once))
        said = refused(lambda n=name, m=memory: mm.load(tmp_path / n, memory=m))
        assert "found gzip data" in said and "gunzip" in said
    (tmp_path / "data.csv").write_bytes(once)
    assert "let its name end in .gz" in refused(lambda: mm.load(tmp_path / "data.csv"))
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(once)))
    said = refusal(capsys, "check", "-")
    assert "gunzip -c" in said and "its name" not in said


@for_each("content, advice", [
    (b"BZh9", "decompress it first"), (b"PK\3\4", "unzip it, save a sheet as CSV"),
    (b"PAR1", "say what it is with --form"),
])  # fmt: skip
def test_data_of_another_form(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, content: bytes, advice: str
) -> None:
    (tmp_path / "data.csv").write_bytes(content + b"\0")
    assert advice in refusal(capsys, "check", tmp_path / "data.csv")
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(content + b"\0")))
    assert ("save it to a file first" if content == b"PAR1" else advice) in refusal(capsys, "check", "-")


@for_each("memory", [None, 20])
@for_each("drop_missing", [False, True])
@for_each("header", ["a,b,y,\n", ""])
def test_a_separator_at_the_end_of_lines(tmp_path: Path, memory: int | None, drop_missing: bool, header: str) -> None:
    if memory and drop_missing:
        return
    path = tmp_path / "data.csv"
    path.write_text(header + "1,2,0,\n2,3,1,\n3,5,1,\n")
    said = refused(lambda: mm.load(path, memory=memory, drop_missing=drop_missing))
    assert "column 3: found" in said and "use drop=3 and choose the label with label=" in said
    said = refused(lambda: mm.load(path, memory=memory, drop_missing=drop_missing, label=2))
    assert "column 3: found" in said and said.endswith("use drop=3)")
    for column in (3, -1):
        dataset = mm.load(path, memory=memory, label=2, drop=column)
        assert dataset.n_features == 2 and dataset.classes == (0, 1)


@pytest.mark.parametrize("memory", [None, 1000])
@pytest.mark.parametrize("form", ["parquet", "feather"])
def test_columns_of_one_name(tmp_path: Path, memory: int | None, form: str) -> None:
    column = pa.array([0.0, 1.0])
    table = pa.Table.from_arrays([column, column, column], names=["a", "a", "y"])
    path = table_file(tmp_path / f"data.{form}", table)
    assert mm.load(path, memory=memory).feature_names == ("a (column 0)", "a (column 1)")
    said = refused(lambda: mm.load(path, memory=memory, label="a"))
    assert "found 2 columns named 'a', expected one of 'a (column 0)', 'a (column 1)'" in said


def test_tables_without_columns(tmp_path: Path) -> None:
    for table in (pd.DataFrame(index=range(3)), pa.table({})):
        assert "found no columns, expected at least two" in refused(lambda t=table: mm.load(t))
    path = table_file(tmp_path / "data.parquet", pa.table({}))
    for memory in (None, 1):
        assert "found no columns, expected at least two" in refused(lambda m=memory: mm.load(path, memory=m))
    table = pa.Table.from_pandas(pd.DataFrame(index=["u", "v"]))
    assert "found no columns" in refused(lambda: mm.load(table.append_column("__index_level_1__", pa.array([0, 1]))))


@pytest.mark.parametrize("end", ["", " &", " & y", ":octal", " & x1 & ~x1"])
def test_long_formulas_are_not_repeated(end: str, capsys: Capture) -> None:
    source = "formula:" + " & ".join(["x1", "x2", "x3"] * 5000) + end
    run(["check", source])
    said = "".join(capsys.readouterr())
    assert "formula:x1 & x2" in said and "..." in said and len(said) < 2000
