"""Formulas: what they make of a data frame, and what they are not allowed to do."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import patsy
import polars as pl
import pytest
from cases import for_each

import maxmargin as mm
from maxmargin.data.reading.formulas import read_formula

FRAME = pd.DataFrame(
    {
        "died": ["yes", "no", "yes", "no"],
        "age": [50, 60, 70, 20],
        "stage": ["I", "II", "IV", "I"],
        "my col": [1.5, 2, 3, 4],
    },
    index=[7, 8, 9, 11],
)


@pytest.mark.parametrize("formula, columns, intercept", [
    ("died ~ age + C(stage)", ["age", "C(stage)[T.II]", "C(stage)[T.IV]"], True),
    ("died ~ . - 1", ["age", "stage[I]", "stage[II]", "stage[IV]", "my col"], False),
    ("died ~ C(stage, Treatment('IV'))", [f"C(stage, Treatment('IV'))[T.{level}]" for level in ("I", "II")], True),
    ("died ~ np.log(age) + `my col`:age", ["np.log(age)", "my col:age"], True),
    ("I(age > 55) ~ 0 + Q('my col')", ["Q('my col')"], False),
    ("died ~ poly(age, 2) + exp(scale(age))", ["poly(age, 2)[1]", "poly(age, 2)[2]", "exp(scale(age))"], True),
])  # fmt: skip
def test_columns_labels_and_intercept(formula: str, columns: list[str], intercept: bool) -> None:
    for frame in (FRAME, pl.from_pandas(FRAME)):
        found = read_formula(formula, frame)
        assert list(found.features.columns) == columns and found.has_intercept is intercept
        expected = [0, 1, 1, 0] if formula.startswith("I(") else FRAME["died"].tolist()
        assert list(found.labels) == expected
    assert list(read_formula(formula, FRAME).features.index) == [7, 8, 9, 11]


def test_names_of_columns_may_be_numbers() -> None:
    frame = pd.DataFrame({0: [1.0, 2, 3], 1: ["no", "yes", "yes"]})
    by_formula, by_name = mm.separability(frame, "`1` ~ `0`"), mm.separability(frame, "1")
    assert by_formula.infinite_columns == by_name.infinite_columns == {"(Intercept)": "-", "0": "+"}


def test_the_numbers_are_those_of_the_columns() -> None:
    found = read_formula("died ~ age + I(age**2) + stage:age", FRAME).features
    assert found["I(age ** 2)"].tolist() == [2500, 3600, 4900, 400]
    assert np.array_equal(found["stage[T.IV]:age"], [0, 0, 70, 0])


def test_the_level_that_is_left_out_is_said() -> None:
    notes = read_formula("died ~ age + C(stage)", FRAME).notes
    assert notes == (
        "column 'stage' became 2 columns of 0 and 1; level 'I' is left out as the reference: all of them are 0 there",
    )
    assert read_formula("died ~ 0 + C(stage)", FRAME).notes == ()


@for_each("factor", ["__import__('os')", "open('x')", "eval('1')", "I([a for a in age])", "abs(age)"])
def test_functions_are_those_of_formulaic(factor: str) -> None:
    for formula in (f"died ~ {factor}", f"{factor} ~ age"):
        with pytest.raises(mm.InvalidProblemError, match=r"there is no column or function .*, or one of C, Diff,"):
            read_formula(formula, FRAME)


@for_each("formula, said", [
    ("died ~ agee", r"there is no column 'agee'.*did you mean 'age'\?"), ("~ age", "expected one response"),
    ("died + age ~ stage", "expected one response"), ("C(stage) ~ age", "its response has 3 columns; expected one"),
    ("died ~ age +", "insuffient arguments|misplaced"), ("died ~ np.log", "np.log"),
    ("died ~ age | stage", "it has several parts"),
    ("died ~ scale(agee)", "there is no column or function 'agee'.*did you mean 'age'"),
    ("died ~ C(stage, levels=['I', 'II'])", "outside of the nominated levels"), ("died ~ {age +}", "."),
])  # fmt: skip
def test_what_cannot_be_read_is_refused_in_one_line(formula: str, said: str) -> None:
    with pytest.raises(mm.InvalidProblemError, match=said) as found:
        read_formula(formula, FRAME)
    assert "\n" not in str(found.value) and "\x1b" not in str(found.value)


@for_each("formula", ["died ~ 1", "died ~ 0", "stage ~ 1", "stage ~ -1"])
def test_without_a_term_classes_overlap_and_nothing_else_is_answered(formula: str, tmp_path: Path) -> None:
    FRAME.to_csv(tmp_path / "cohort.csv", index=False)
    dataset = mm.load(tmp_path / "cohort.csv", formula=formula)
    for asked in ((FRAME, formula), (dataset,)):
        answer = mm.separability(*asked)
        assert (answer.verdict, answer.n_features) == ("overlap", 0) and "estimate exists" in answer.summary()
        assert answer.certificate is not None and mm.verify(answer.certificate, *asked)
        for verb in (mm.hard_margin, mm.perceptron, mm.margin_report, mm.fewest_errors):
            with pytest.raises(mm.InvalidProblemError, match=r"no term but the intercept|has 3 classes"):
                verb(*asked)
    with pytest.raises(mm.InvalidProblemError, match=r"one class only.*, or 0 \+ in a formula"):
        mm.separability(FRAME.iloc[[0]], formula)


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_dates_are_levels_or_refused(zone: str | None) -> None:
    frame = FRAME.assign(seen=pd.date_range("2020-01-01", periods=4, tz=zone))
    with pytest.raises(mm.InvalidProblemError, match=r"the column 'seen' holds dates .* expected numbers"):
        read_formula("died ~ age + seen", frame)
    assert read_formula("died ~ C(seen)", frame).features.shape == (4, 3)


TERMS = ["age:frail", "age*frail", "0 + frail", "frail", "frail:other", "stage:frail", "C(frail):age", "`frail`:age"]


@for_each("terms", TERMS)
def test_true_and_false_are_coded_as_by_statsmodels(terms: str) -> None:
    frame = pd.DataFrame(
        {
            "died": [True, False] * 4, "age": [1.0, 2, 4, 8, 16, 32, 64, 128], "stage": list("abcabcab"),
            "frail": [True, True, False, False, True, False, True, False],
            "other": pd.array([True, False, False, True, True, False, False, False], dtype="boolean"),
        }
    )  # fmt: skip
    theirs = patsy.dmatrix(terms.replace("`", ""), frame.astype({"other": bool}), return_type="dataframe").to_numpy()
    for library in (frame, pl.from_pandas(frame)):
        found = read_formula(f"died ~ {terms}", library)
        ours = np.column_stack([np.ones((8, int(found.has_intercept))), found.features])
        ranks = {np.linalg.matrix_rank(matrix) for matrix in (ours, theirs, np.hstack([ours, theirs]))}
        assert len(ranks) == 1 and ours.shape == theirs.shape
        assert found.labels.tolist() == frame["died"].tolist()


def test_true_and_false_in_arithmetic_are_1_and_0() -> None:
    frame = FRAME.assign(frail=[True, False, True, False])
    found = read_formula("died ~ frail + I(2 * frail)", frame)
    assert found.features.to_numpy().tolist() == [[1, 2], [0, 0], [1, 2], [0, 0]]
    assert read_formula("died ~ frail + center(frail)", frame).features["frail"].tolist() == [1, 0, 1, 0]


def test_without_formulaic_a_formula_is_refused_in_one_line(tmp_path: Path) -> None:
    """A plain installation has neither formulaic nor pandas, which comes with it."""
    path = tmp_path / "data.csv"
    path.write_text("x,y\n1,a\n2,b\n")
    code = "import sys; sys.modules.update(formulaic=None, pandas=None); from maxmargin.__main__ import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "check", str(path), "--formula", "y ~ x"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == ""
    assert done.stderr == "maxmargin: 'y ~ x' is a formula, which needs formulaic: pip install formulaic\n"
