"""A formula of a proof is evaluated if it is plain; that of the user may hold Python, and means what it says."""

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from cases import for_each
from commands import Capture, json_answer, refusal

import maxmargin as mm
from maxmargin.data.reading.formulas import read_formula

FRAME = pd.DataFrame(
    {"y": [0, 0, 1, 1, 0, 1], "x": [1.0, 2, 3, 4, 5, 6], "z": [3.0, 1, 4, 1, 5, 9], "g": list("abcaba")}
)
MARK = "open('mark', 'w')"
CODE_IN_A_NAME = f"' + {MARK} + '"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.slow
@for_each("formula", [
        f"y ~ x + Q({MARK})", f"y ~ x + {{{MARK}}}", f"y ~ center({MARK})", f"Q({MARK}) ~ x", f"y ~ x + C(g, {MARK})",
        f"y ~ C('`{CODE_IN_A_NAME}`')", f"y ~ C(`{CODE_IN_A_NAME}`)", f"y ~ C(g)({MARK})", f"y ~ x[{MARK}]",
        f"y ~ open ({MARK})", f"y ~ `x`({MARK})", f"y ~ `x\\`({MARK})`", f"y ~ C(g).x({MARK})",
        f"y ~ C(C)(g)({MARK})", "y ~ (x + z)**9", f"y ~ `x (0)` ({MARK})", f"y ~ C(`x`) + `g`C({MARK})", "y ~ x.C(g)",
        f"y ~ {'x + ' * 10_000} x", "y ~ log(x)", "y ~ I(x**2)",
    ])  # fmt: skip
def test_python_in_a_proof_is_not_evaluated(formula: str, capsys: Capture) -> None:
    """The formula of a proof is evaluated if it is plain, or if the user gives the same one."""
    FRAME.assign(**{CODE_IN_A_NAME: 1.0}).to_csv("data.csv", index=False)
    json_answer(capsys, "check", "data.csv", "--formula", "y ~ x + z", "--proof", "proof.json")
    proof = json.loads(Path("proof.json").read_text())
    proof["data"]["formula"] = formula
    Path("forged.json").write_text(json.dumps(proof))
    assert "may run code and is not evaluated" in refusal(capsys, "verify", "forged.json", "data.csv")
    assert "found the formula" in refusal(capsys, "verify", "forged.json", "data.csv", "--formula", "y ~ x + z")
    assert not Path("mark").exists()


@pytest.mark.parametrize("formula", ["y ~ x + log(z)", "y ~ I(x**2) + C(g, Sum)"])
def test_a_formula_with_calls_is_verified_when_it_is_given(formula: str, capsys: Capture) -> None:
    FRAME.to_csv("data.csv", index=False)
    json_answer(capsys, "check", "data.csv", "--formula", formula, "--proof", "proof.json")
    assert json_answer(capsys, "verify", "proof.json", "data.csv", "--formula", formula)[1]["valid"]
    json_answer(capsys, "check", "data.csv", "--label", "y", "--drop", "g", "--proof", "plain.json")
    assert "found no formula" in refusal(capsys, "verify", "plain.json", "data.csv", "--formula", formula)


@for_each("formula", [
        "y ~ x + z", "y ~ . - g", "y ~ 0 + x:C(g)", "y ~ (x + z)*C( g ) - 1", "y ~ C(`the g`) + `it's`", "y ~ a.b + 1",
        "y ~ `Fo(Hz)`*x", "y ~ `x (column 2)` + `a**b`",
    ])  # fmt: skip
def test_plain_formulas_are_read_from_the_proof(formula: str, capsys: Capture) -> None:
    others = dict.fromkeys(["it's", "a.b", "Fo(Hz)", "x (column 2)", "a**b"], FRAME.x)
    FRAME.assign(**{"the g": FRAME.g}, **others).to_csv("data.csv", index=False)
    json_answer(capsys, "check", "data.csv", "--formula", formula, "--drop-missing", "--proof", "proof.json")
    assert json_answer(capsys, "verify", "proof.json", "data.csv")[1]["valid"]


def test_names_in_the_data_are_not_evaluated() -> None:
    frame = FRAME.drop(columns="g").assign(**{CODE_IN_A_NAME: 1.0, MARK: 2.0, f"{{{MARK}}}": 3.0, f"Q({MARK})": 4.0})
    assert len([*read_formula("y ~ .", frame).features]) == 6
    assert not list(Path().iterdir())


@for_each("formula", [
        "y ~ (x + z)**1000000000", "y ~ x**1000000000", f"y ~ {'*'.join(['x', 'z', 'g'] * 9)}",
        f"y ~ {'*'.join(f'I(x + {k})' for k in range(30))}", "y ~ (x + z + (x + z)**20)**20", f"y ~ I({'-' * 5000}x)",
    ])  # fmt: skip
def test_what_would_take_for_ever_is_refused(formula: str) -> None:
    with pytest.raises(mm.InvalidProblemError, match="y is the formula"):
        read_formula(formula, FRAME)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("formula", ["y ~ C(a):C(b)", "y ~ x + g*h", "y ~ C(a)*h"])
def test_columns_of_levels_are_counted_before_they_are_formed(formula: str) -> None:
    """1,000 levels each of two columns in a file of 13 kB are 24 GB of columns."""
    rows = np.arange(3000)
    frame = pd.DataFrame({"y": rows % 2, "a": rows % 1000, "b": rows % 999, "x": rows})
    frame = frame.assign(g=frame.a.map("u{}".format), h=frame.b.astype(str).astype("category"))
    with pytest.raises(mm.InvalidProblemError, match=r"columns for 3,000 rows, .* take .*; expected 1 GiB at most"):
        read_formula(formula, frame)
    with pytest.raises(mm.InvalidProblemError, match=r"take 45.8 MiB; expected 45 MiB at most"):
        mm.load(frame, formula="y ~ C(a) + C(b)", memory="45MiB")
    assert mm.load(frame, formula="y ~ C(a) + C(b)", memory="46MiB").n_features == 1997
    assert len([*read_formula("y ~ a:b + C(a):x + I(g == h)", frame).features]) == 1002


def test_declared_levels_keep_their_order_and_those_that_do_not_occur_have_no_column() -> None:
    frame = pd.DataFrame({"g": pd.Categorical(list("bcbc"), categories=list("dcba")), "y": list("uvvu")})
    assert mm.load(frame, formula="y ~ g").feature_names == ("g[T.b]",)


def test_levels_are_whole_numbers_of_any_size() -> None:
    frame = pl.DataFrame({"x": pl.Series([2**70, 1, 2**70 + 1, 1], dtype=pl.Int128), "y": [0, 0, 1, 1]})
    assert mm.separability(frame, "y ~ C(x)").verdict.value == "quasi-separable"


@pytest.mark.parametrize("kind", ["int8", "int16", "int64", "uint8", "Int64"])
def test_products_of_integers_do_not_wrap_around(kind: str) -> None:
    size = np.iinfo(kind.lower()).max
    values = [size, size // 3 * 2, 3, 5] if size < 2**53 else [2**40, 2**41, 3, 5]
    frame = pd.DataFrame({"y": [0, 1, 0, 1], "a": values, "b": values[::-1]}).astype({"a": kind, "b": kind})
    found = read_formula("y ~ a:b + I(a*a) + I(a - b) + I(-a) + I(a**6) + a", frame).features
    exact = [[a * b, a * a, a - b, -a, a**6, a] for a, b in zip(values, values[::-1], strict=True)]
    columns = ["a:b", "I(a * a)", "I(a - b)", "I(-a)", "I(a ** 6)", "a"]
    assert found[columns].to_numpy(dtype=np.float64).tolist() == [[float(number) for number in row] for row in exact]


def test_levels_of_integers_keep_their_names() -> None:
    frame = FRAME.assign(k=[1, 2, 3, 1, 2, 3])
    assert [*read_formula("y ~ C(k)", frame).features] == ["C(k)[T.2]", "C(k)[T.3]"]


@pytest.mark.parametrize(
    ("formula", "columns"),
    [
        ("y ~ C(g, Sum)", ["C(g, Sum)[S.a]", "C(g, Sum)[S.b]"]),
        ("y ~ C(g, contr.sum)", ["C(g, contr.sum)[S.a]", "C(g, contr.sum)[S.b]"]),
        ("y ~ C(`the g`, Treatment('b'))", [f"C(`the g`, Treatment('b'))[T.{level}]" for level in "ac"]),
        ("y ~ Q('the g') + `patient's age`", ["Q('the g')[T.b]", "Q('the g')[T.c]", "patient's age"]),
        ("y ~ I((x > 2)*z) + I(2**x)", ["I((x > 2) * z)", "I(2 ** x)"]),
        ("y ~ bs(x, knots=[3, 500], degree=1)", [f"bs(x, knots=[3, 500], degree=1)[{k}]" for k in (1, 2, 3)]),
    ],
)  # fmt: skip
def test_what_models_use_is_allowed(formula: str, columns: list[str]) -> None:
    frame = FRAME.assign(**{"the g": FRAME.g, "patient's age": FRAME.x})
    assert [*read_formula(formula, frame).features] == columns


@pytest.mark.parametrize("formula, extra, said", [
    ("y ~ exp10(x)", {}, "there is no column or function 'exp10'"),  # formulaic's is x**10
    ("y ~ log(x) + log", {"log": 1.0}, "not callable"),
    ("y ~ C(g, Treatment)", {}, "Treatment"),
])  # fmt: skip
def test_what_would_mislead_is_refused(formula: str, extra: dict[str, Any], said: str) -> None:
    with pytest.raises(mm.InvalidProblemError, match=said):
        read_formula(formula, FRAME.assign(**extra))


@pytest.mark.parametrize(
    "formula", ["y ~ I(x*1j)", "y ~ np.log2(x - 1)", "y ~ I(z/(x - 1))", "y ~ log(x - 2)", "y ~ I(1/0 + x)"]
)
def test_results_that_are_not_finite_are_refused_without_a_warning(formula: str) -> None:
    with pytest.raises(mm.InvalidProblemError):
        mm.separability(FRAME, formula)


@for_each("formula, columns, said", [
    ("y ~ Intercept + z", {"Intercept": [1, 2, 3, 4]}, "two terms make a column 'Intercept'"),
    ("y ~ .", {1: [1, 2, 3, 4]}, "the column '1' has the name of the intercept"),
    ("y ~ z + `1`", {"1": [1, 2, 3, 4]}, "the column '1' has the name of the intercept"),
    ("y ~ . + x:z", {"x:z": [1, 2, 3, 4]}, "two terms make a column 'x:z'"),
    ("y ~ .", {"s[T.b]": [1, 2, 3, 4], "s": list("abba")}, r"two terms make a column 's\[T.b\]'"),
    ("y ~ c", {"c": pd.Categorical([1, 1, "1", "1"], categories=[1, "1"])}, "several levels '1'"),
    ("y ~ c", {"c": [1, "1", 1, "1"]}, "expected numbers"),
    ("y ~ 10:x", {}, "is scaled by a number"),
    ("y ~ log(`class`)", {"class": [1, 2, 3, 4]}, "invalid syntax"),
    ("y ~ C(x, 5)", {}, "."),
    ("y ~ C(v)", {"v": np.array([1, 1, 2, 2], dtype=np.float16)}, "float16"),
])  # fmt: skip
def test_columns_that_would_be_merged_or_misnamed_are_refused(formula: str, columns: dict[Any, Any], said: str) -> None:
    frame = pd.DataFrame({"y": [0, 0, 1, 1], "x": [1.0] * 4, "z": [1.0, 2, 2, 1]})
    for name, values in columns.items():
        frame[name] = values
    with pytest.raises(mm.InvalidProblemError, match=said):
        mm.separability(frame, formula)


def test_names_with_dots_and_without_the_intercept_are_columns() -> None:
    frame = pd.DataFrame({"y": [0, 0, 1, 1], "a.b": [1.0, 2, 3, 4], "Intercept": [1.0, 2, 3, 4]})
    assert [*read_formula("y ~ log(`a.b`)", frame).features] == ["log(`a.b`)"]
    assert mm.separability(frame, "y ~ 0 + Intercept + `a.b`").aliased_columns == ("a.b",)


@pytest.mark.parametrize(
    "made", [pd.DataFrame.convert_dtypes, pl.from_pandas, pa.Table.from_pandas], ids=["pandas", "polars", "arrow"]
)
def test_texts_of_every_library_are_levels_in_interactions(made: Any) -> None:
    """The text type of pandas and Arrow repeats a text that is multiplied by a number."""
    frame = pd.DataFrame({"y": [0, 1, 0, 1, 1, 1, 0, 1], "n": [1, 1, 3, 3, 2, 2, 1, 1], "s": list("aaaaaabb")})
    plain, other = mm.separability(frame, "y ~ n:s"), mm.separability(made(frame), "y ~ n:s")
    assert (plain.verdict, plain.names.columns) == (other.verdict, other.names.columns)


@pytest.mark.parametrize("made", [pl.DataFrame, pa.table, pd.DataFrame], ids=["polars", "arrow", "pandas"])
def test_decimals_that_are_whole_are_numbers(made: Any) -> None:
    frame = made({"y": [0, 1, 0, 1, 0, 1], "w": [Decimal(k) for k in range(6)], "z": [1.0, 2, 3, 4, 5, 5]})
    assert mm.separability(frame, "y ~ w").verdict == mm.separability(frame, "y ~ w + w:z").verdict == "overlap"
