"""A formula may come from a stranger's proof file: it computes, in a moment, and does nothing else."""

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
from commands import json_answer, refusal

import maxmargin as mm
from maxmargin.data.tabular.formulas import read_formula
from maxmargin.solvers.errors import InvalidProblemError

FRAME = pd.DataFrame(
    {"y": [0, 0, 1, 1, 0, 1], "x": [1.0, 2, 3, 4, 5, 6], "z": [3.0, 1, 4, 1, 5, 9], "g": list("abcaba")}
)
MARK = "open('mark', 'w')"
CODE_IN_A_NAME = f"' + {MARK} + '"


@for_each("formula", [
        f"y ~ x + Q({MARK})", f"y ~ x + {{{MARK}}}", f"y ~ center({MARK})", f"Q({MARK}) ~ x", f"y ~ x + C(g, {MARK})",
        f"y ~ scale(x, center={MARK})", f"y ~ poly({MARK}, 2)", f"y ~ C('`{CODE_IN_A_NAME}`')",
        f"y ~ x + {{'`{CODE_IN_A_NAME}`'}}", f"y ~ I(`{CODE_IN_A_NAME}`)", f"y ~ C(g, levels=[{MARK}])",
        f"y ~ I(x, {MARK})", f"y ~ np.log({MARK})", f"y ~ log(x)({MARK})", f"y ~ C(g, contr.treatment({MARK}))",
    ])  # fmt: skip
def test_no_code_is_run(formula: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Some of these run while formulaic reads them, before it is asked for columns."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(InvalidProblemError, match="y is the formula"):
        read_formula(formula, FRAME.assign(**{CODE_IN_A_NAME: 1.0}))
    assert not list(tmp_path.iterdir())


def test_no_code_in_a_proof_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    FRAME.to_csv("data.csv", index=False)
    json_answer(capsys, "check", "data.csv", "--formula", "y ~ x + z", "--proof", "proof.json")
    proof = json.loads(Path("proof.json").read_text())
    proof["data"]["formula"] = f"y ~ x + Q({MARK})"
    Path("forged.json").write_text(json.dumps(proof))
    assert "it calls" in refusal(capsys, "verify", "forged.json", "data.csv")
    assert not Path("mark").exists()


@for_each("formula", [
        "y ~ I(x*0 + 10**10**8)", "y ~ I(x + (1 << 10**9))", "y ~ x + I(((10**100)**100)**100)",
        "y ~ I(x + 2**(10**9 or x))", "y ~ I(x + I(10)**I(10**9))", "y ~ (x + z)**1000000000", "y ~ x**1000000000",
        f"y ~ {'*'.join(['x', 'z', 'g'] * 9)}", f"y ~ {'*'.join(f'I(x + {k})' for k in range(30))}",
        "y ~ (x + z + (x + z)**20)**20", "y ~ I('a'*10**9)", "y ~ I([1]*10**9)", "y ~ C('a')*10**9 + x",
        "y ~ poly(x, 10**9)", "y ~ poly(x, 1000000000)", "y ~ bs(x, df=1e9)", "y ~ cr(x, 100000)",
        f"y ~ I({'-' * 5000}x)", f"y ~ {'x + ' * 10_000} x", f"y ~ I({'10**100*' * 2000}x)",
    ])  # fmt: skip
def test_what_would_take_for_ever_is_refused(formula: str) -> None:
    with pytest.raises(InvalidProblemError, match="y is the formula"):
        read_formula(formula, FRAME)


@pytest.mark.parametrize("call", ["np.sign(x, out=z)", "np.sign(x, z)", "np.minimum(x, 0, z)", "np.log(x, where=z)"])
def test_no_column_is_written_into(call: str) -> None:
    frame = FRAME.copy()
    with pytest.raises(InvalidProblemError, match="expected np"):
        read_formula(f"y ~ z + {call}", frame)
    pd.testing.assert_frame_equal(frame, FRAME)


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


@pytest.mark.parametrize(
    ("formula", "extra", "said"),
    [
        ("y ~ log(x)", {"log": 1.0}, "the column 'log' has the name of log"),
        ("y ~ np.log(x)", {"np": 1.0}, "the column 'np' has the name of np"),
        ("y ~ I(`it's`)", {"it's": 1.0}, "rename the column"),
        ("y ~ exp10(x)", {}, "it calls 'exp10"),  # formulaic's is x**10
        ("y ~ C(g, Treatment)", {}, "Treatment"),
        ("y ~ I(x*1j)", {}, "it uses '1j'"),
    ],
)
def test_what_would_mislead_is_refused(formula: str, extra: dict[str, Any], said: str) -> None:
    with pytest.raises(InvalidProblemError, match=said):
        read_formula(formula, FRAME.assign(**extra))


@pytest.mark.parametrize("formula", ["y ~ np.log2(x - 1)", "y ~ I(z/(x - 1))", "y ~ log(x - 2)", "y ~ I(1/0 + x)"])
def test_results_that_are_not_finite_are_refused_without_a_warning(formula: str) -> None:
    with pytest.raises(InvalidProblemError):
        mm.separability(FRAME, formula)


@for_each(
    ("formula", "columns", "said"),
    [
        ("y ~ Intercept + z", {"Intercept": [1, 2, 3, 4]}, "two terms make a column 'Intercept'"),
        ("y ~ .", {1: [1, 2, 3, 4]}, "the column '1' has the name of the intercept"),
        ("y ~ z + `1`", {"1": [1, 2, 3, 4]}, "the column '1' has the name of the intercept"),
        ("y ~ . + x:z", {"x:z": [1, 2, 3, 4]}, "two terms make a column 'x:z'"),
        ("y ~ .", {"s[T.b]": [1, 2, 3, 4], "s": list("abba")}, r"two terms make a column 's\[T.b\]'"),
        ("y ~ c", {"c": pd.Categorical([1, 1, "1", "1"], categories=[1, "1"])}, "several levels '1'"),
        ("y ~ c", {"c": [1, "1", 1, "1"]}, "expected numbers"),
        ("y ~ 10:x", {}, "is scaled by a number"),
        ("y ~ log(`class`)", {"class": [1, 2, 3, 4]}, "cannot be named inside a call"),
        ("y ~ log(``)", {"": [1, 2, 3, 4]}, "cannot be named inside a call"),
        ("y ~ C(x, 5)", {}, "."),
        ("y ~ C(v)", {"v": np.array([1, 1, 2, 2], dtype=np.float16)}, "float16"),
    ],
)
def test_columns_that_would_be_merged_or_misnamed_are_refused(formula: str, columns: dict[Any, Any], said: str) -> None:
    frame = pd.DataFrame({"y": [0, 0, 1, 1], "x": [1.0] * 4, "z": [1.0, 2, 2, 1]})
    for name, values in columns.items():
        frame[name] = values
    with pytest.raises(InvalidProblemError, match=said):
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
