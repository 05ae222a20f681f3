"""What is written is read back equal, whatever the format; the layouts that people's files have are understood."""

import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import for_each
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray
from table_files import array_file, table_file, text_file

import maxmargin as mm
from maxmargin.data.batches import Choice
from maxmargin.data.numbers.numerals import parse_number
from maxmargin.data.reading.formulas import whole_table
from maxmargin.data.reading.loading import load, read_dataset
from maxmargin.data.sources.csv_layout import names_columns

FINITE = st.floats(allow_nan=False, allow_infinity=False)
TABLES = st.tuples(st.integers(2, 12), st.integers(1, 5)).flatmap(
    lambda shape: arrays(np.float64, shape, elements=FINITE)
)

quickly = settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])


def labels_for(X: NDArray[np.float64]) -> list[str]:
    return ["no" if i % 3 else "yes" for i in range(len(X))]


def frame_of(X: NDArray[np.float64], y: list[Any]) -> pa.Table:
    return pa.table({**{f"f{j}": X[:, j] for j in range(X.shape[1])}, "target": y})


FORMATS = ["csv", "tsv", "parquet", "feather", "npz"]


def written(folder: Path, suffix: str, X: NDArray[np.float64], y: list[Any]) -> Path:
    path = folder / f"data.{suffix}"
    if not suffix.startswith("npz"):
        return table_file(path, frame_of(X, y))
    array_file(path, X, y, feature_names=frame_of(X, y).column_names[:-1])
    if suffix.endswith(".gz"):
        path.write_bytes(gzip.compress(path.read_bytes()))
    return path


def same_bits(a: NDArray[np.float64], b: NDArray[np.float64]) -> bool:
    return a.shape == b.shape and a.tobytes() == b.tobytes()


def assert_is_canonical(ds: mm.Dataset) -> None:
    assert ds.X.dtype == np.float64 and ds.X.flags.c_contiguous
    assert not any(a.flags.writeable for a in (ds.X, ds.y, ds.labels))


@pytest.mark.sampled(6)
@pytest.mark.parametrize("suffix", [*FORMATS, *(f"{suffix}.gz" for suffix in FORMATS)])
@quickly
@given(X=TABLES)
def test_round_trip(tmp_path: Path, suffix: str, X: NDArray[np.float64]) -> None:
    y = labels_for(X)
    ds = load(written(tmp_path, suffix, X, y))
    assert_is_canonical(ds)
    assert same_bits(ds.X, X) and ds.labels.tolist() == y
    assert ds.feature_names == tuple(f"f{j}" for j in range(X.shape[1]))
    assert (ds.positive, ds.negative) == ("yes", "no")
    assert ds.y.tolist() == [1 if label == "yes" else -1 for label in y]
    assert ds.label_name in ("target", "y")


@quickly
@given(X=TABLES, compress=st.booleans())
def test_svmlight_round_trip(tmp_path: Path, X: NDArray[np.float64], compress: bool) -> None:
    X[0, -1] = 1.0
    y = [i % 2 * 2 - 1 for i in range(len(X))]
    rows = (
        f"{label} " + " ".join(f"{j + 1}:{value!r}" for j, value in enumerate(row) if value != 0)
        for label, row in zip(y, X.tolist(), strict=True)
    )
    content = "\n".join(rows).encode()
    path = tmp_path / ("data.svm.gz" if compress else "data.svm")
    path.write_bytes(gzip.compress(content) if compress else content)
    ds = load(path)
    assert ds.X.format == "csr" and np.array_equal(ds.X.toarray(), X)
    assert ds.y.tolist() == y
    assert ds.feature_names == tuple(str(j + 1) for j in range(X.shape[1]))


@quickly
@given(X=TABLES)
def test_frames_round_trip(X: NDArray[np.float64]) -> None:
    y = labels_for(X)
    table = frame_of(X, y)
    for frame in (table, table.to_pandas(), pl.from_arrow(table)):
        ds = load(frame)
        assert_is_canonical(ds)
        assert same_bits(ds.X, X) and ds.labels.tolist() == y


def test_frame_types() -> None:
    frame = pd.DataFrame({
        "int": [1, 2, 3], "flag": [True, False, True], "nullable": pd.array([1, None, 3], dtype="Int64"),
        "kind": pd.Categorical(["u", "v", "w"]), "label": [True, False, False],
    })  # fmt: skip
    for table in (frame, pl.from_pandas(frame), pa.Table.from_pandas(frame)):
        ds = load(table, one_hot=True, drop_missing=True)
        assert ds.X.tolist() == [[1, 1, 1, 0], [3, 1, 3, 1]]
        assert ds.feature_names == ("int", "flag", "nullable", "kind=w")
        assert ds.classes == (False, True)
        assert ds.rows.tolist() == [0, 2]


def test_line_endings_quotes_and_blanks(tmp_path: Path) -> None:
    plain = load(text_file(tmp_path, "a,b b,c\n1,2,x\n3,4,y\n"))
    for text in (
        "\ufeffa,b b,c\r\n1,2,x\r\n3,4,y\r\n", 'a,"b b",c\n"1",2,"x"\n3,"4",y',
        "\na , b b ,c\n\n 1 ,2, x \n  \n3,4 ,y\n\n\n", "a;b b;c\n1;2;x\n3;4;y\n", "a\tb b\tc\n1\t2\tx\n3\t4\ty\n",
        "a,b b,c\r1,2,x\r3,4,y\r", "a,b b,c\r1,2,x\n3,4,y\n",
    ):  # fmt: skip
        ds = load(text_file(tmp_path, text))
        assert same_bits(ds.X, plain.X), text
        assert (ds.feature_names, ds.labels.tolist()) == (("a", "b b"), ["x", "y"])


def test_quoted_separators_and_lines(tmp_path: Path) -> None:
    ds = load(text_file(tmp_path, 'a,"b,c",label\n1,2,"x, or\nso"\n3,4,"say ""y"""\n'))
    assert ds.feature_names == ("a", "b,c")
    assert ds.labels.tolist() == ["x, or\nso", 'say "y"']


@for_each("text, names", [
    ("1,2,0\n3,4,1\n", ("0", "1")), ("5.1,3.5,Iris-setosa\n4.9,3.0,Iris-other\n", ("0", "1")),
    ("Na,K,type\n1,2,u\n3,4,v\n", ("Na", "K")), (",b,c\n1,2,0\n3,4,1\n", ("0", "b")),
    ("?,2,x\n1,2,y\n3,4,x\n", ("0", "1")),
])  # fmt: skip
def test_header(tmp_path: Path, text: str, names: tuple[str, ...]) -> None:
    ds = load(text_file(tmp_path, text), drop_missing=True)
    assert (ds.feature_names, ds.n_samples) == (names, 2)


def test_header_of_text_columns(tmp_path: Path) -> None:
    below = "sunny,no\nrain,yes\nrain,no\n"
    assert load(text_file(tmp_path, below), one_hot=True).n_samples == 3
    with_header = load(text_file(tmp_path, "sky,play\n" + below), one_hot=True)
    assert (with_header.n_samples, with_header.feature_names) == (3, ("sky=sunny",))
    assert names_columns([["a", "b"]])


@for_each("name", ["", "Unnamed: 0", "rownames", "row.names", "__index_level_0__"])
@for_each("first", [0, 1])
@for_each("memory", [None, 1])
def test_row_numbers_named_as_an_index_are_left_out(tmp_path: Path, name: str, first: int, memory: int | None) -> None:
    rows = [f"{first + i},{i * i % 7},{'uv'[i % 2]}\n" for i in range(12)]
    path = text_file(tmp_path, f"{name},b,c\n{''.join(rows)}")
    ds = load(path, memory=memory)
    assert ds.feature_names == ("b",) and ds.X[:].ravel().tolist() == [i * i % 7 for i in range(12)]
    assert ds.notes == (f"left out, as it numbers the rows: {repr(name) if name else 'column 0'}",)
    for other in (rows[:9], [rows[0], *rows[2:], rows[1]], [row.replace(",", ".5,", 1) for row in rows]):
        assert load(text_file(tmp_path, f"{name},b,c\n{''.join(other)}"), memory=memory).n_features == 2
    alone = "".join(f"{i},{i % 2}\n" for i in range(12))
    assert load(text_file(tmp_path, f"{name},c\n{alone}")).n_features == 1


def test_label_id_and_drop(tmp_path: Path) -> None:
    path = text_file(tmp_path, "id,size,junk,kind,mass\n007,1,u,a,5\n008,2,v,b,6\n")
    ds = load(path, label="kind", id="id", drop=["junk"])
    assert ds.feature_names == ("size", "mass")
    assert ds.X.tolist() == [[1, 5], [2, 6]]
    assert ds.row_ids == ("007", "008")
    assert ds.notes == ("dropped on request: 'junk'",)
    assert ds.label_name == "kind"
    for same in ({"label": 3, "id": 0, "drop": 2}, {"label": "-2", "id": "0", "drop": "junk"}):
        again = load(path, **same)  # type: ignore[arg-type]
        assert again.X.tolist() == ds.X.tolist() and again.row_ids == ds.row_ids


def test_a_name_goes_before_a_position(tmp_path: Path) -> None:
    path = text_file(tmp_path, "a,b,c\n1,2,u\n3,4,v\n")
    assert load(path, label="0", drop="c").label_name == "a"
    frame = pl.DataFrame({"1": [1, 2], "a": [5, 6]})
    assert load(frame, label="1").label_name == "1"
    assert load(frame, label=1).label_name == "a"


@pytest.mark.parametrize("positive", ["1", "1.0", 1, 1.0, np.float64(1), " 1 "])
def test_numeric_labels_match_however_written(tmp_path: Path, positive: object) -> None:
    ds = load(text_file(tmp_path, "0.5,1.0\n0.7,1\n0.2,0\n"), positive=positive)
    assert ds.y.tolist() == [1, 1, -1]
    assert (ds.classes, ds.labels.tolist()) == ((0, 1), [1, 1, 0])


def test_class_order(tmp_path: Path) -> None:
    assert load(text_file(tmp_path, "1,10\n2,9\n3,a\n")).classes == ("10", "9", "a")
    assert load(text_file(tmp_path, "1,True\n2,False\n")).positive == "True"


def test_one_hot(tmp_path: Path) -> None:
    path = text_file(tmp_path, "flag,colour,y\ntrue,red,a\nFALSE,blue,b\nTrue,green,b\nfalse, red ,a\n")
    ds = load(path, one_hot=True)
    assert ds.feature_names == ("flag", "colour=green", "colour=red")
    assert ds.X.tolist() == [[1, 0, 1], [0, 0, 0], [1, 1, 0], [0, 0, 1]]
    (note,) = ds.notes
    assert note.startswith("column 'colour' became 2 columns of 0 and 1; level 'blue' is left out as the reference")


def test_drop_missing(tmp_path: Path) -> None:
    path = text_file(tmp_path, "a,b,y\n1,2,u\n?,2,u\n3,NA,v\n4,5,\n6,7,v\n")
    ds = load(path, drop_missing=True)
    assert ds.X.tolist() == [[1, 2], [6, 7]] and ds.rows.tolist() == [0, 4]
    assert ds.notes == ("3 rows with missing values left out of 5",)
    assert ds.describe_row(1) == "row 4 ('v')"
    assert ds.pair("u", "v").describe_row(1) == "row 4 ('v')"
    with pytest.raises(mm.DataError, match="row 2, column 'a': found infinity"):
        load(pl.DataFrame({"a": [1.0, None, float("inf")], "y": ["u", "u", "v"]}), drop_missing=True)


def test_drop_missing_of_sparse_rows(tmp_path: Path) -> None:
    sparse = load(text_file(tmp_path, "1 1:2\n-1 1:nan 2:3\n-1 2:5\n", "data.svm"), drop_missing=True)
    assert sparse.X.toarray().tolist() == [[2, 0], [0, 5]]


def test_svmlight_comments_queries_and_empty_rows(tmp_path: Path) -> None:
    ds = load(text_file(tmp_path, "# é\n+1 qid:3 1:0.5 4:2 # 7:1\n\n-1 qid:3\n-1.0 2:-1e-3\n", "data.libsvm"))
    assert ds.X.toarray().tolist() == [[0.5, 0, 0, 2], [0, 0, 0, 0], [0, -1e-3, 0, 0]]
    assert ds.classes == (-1, 1) and ds.notes == ("qid: fields skipped",)
    assert load(tmp_path / "data.libsvm", drop=0).feature_names == ("2", "3", "4")
    assert load(tmp_path / "data.libsvm", drop="4").feature_names == ("1", "2", "3")


def test_npz_without_names(tmp_path: Path) -> None:
    path = tmp_path / "data.npz"
    np.savez(path, X=np.array([[1, 2], [3, 4]], dtype=np.int16), y=np.array([False, True]))
    ds = load(path, drop=0)
    assert ds.X.tolist() == [[2], [4]]
    assert (ds.feature_names, ds.classes) == (("1",), (False, True))
    assert load(path, positive="false").y.tolist() == [1, -1]


NUMERALS = st.one_of(
    FINITE.map(repr),
    st.floats(allow_nan=True, allow_infinity=True).map(str),
    st.integers().map(str),
    st.text("0123456789.eE+-_ xnaif\u00a0", max_size=8),
    st.decimals(allow_nan=False, allow_infinity=False, places=20).map(str),
)


@pytest.mark.deep
@given(text=NUMERALS)
def test_both_parsers_agree(text: str) -> None:
    """Whole blocks are parsed by numpy, single fields by Python: the same texts are finite, of the same bits."""
    ours = parse_number(text)
    try:
        theirs = np.loadtxt(io.StringIO(f"{text},0\n"), delimiter=",", comments=None, ndmin=2)[0, 0]
    except ValueError:
        theirs = np.nan
    if ours is not None and np.isfinite(ours):
        assert np.float64(ours).tobytes() == theirs.tobytes()
    else:
        assert not np.isfinite(theirs)


@for_each("block", [16, 64, Choice().bytes_at_once])
@for_each("quote", ["", '"'])
@for_each("header", ["", "a,b,c\n"])
def test_block_size_does_not_matter(tmp_path: Path, block: int, quote: str, header: str) -> None:
    X = np.random.default_rng(5).normal(size=(50, 2))
    rows = [f"{a!r},{b!r},{'neg' if a < 0 else f'{quote}pos{quote}'}" for a, b in X.tolist()]
    rows.insert(20, "")
    path = text_file(tmp_path, header + "\r\n".join(rows))
    ds, _ = read_dataset(path, Choice(bytes_at_once=block, rows_at_once=7))
    assert same_bits(ds.X, X)
    assert ds.y.tolist() == np.where(X[:, 0] < 0, -1, 1).tolist()


def test_every_row_knows_its_line(tmp_path: Path) -> None:
    path = text_file(tmp_path, '\na,b\n1,x\n\n2,"y\nz"\n3,x\n')
    assert whole_table(path, Choice(keep_texts=True)).lines.tolist() == [3, 5, 7]  # type: ignore[union-attr]
