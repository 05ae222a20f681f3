"""A file read by a formula states the same question as the data frame that it holds."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import for_each

import maxmargin as mm

FRAME = pd.DataFrame(
    {
        "died": ["no", "yes", "yes", "no", "yes", "yes", "no", "yes"],
        "age": [2.5, 2, 3, -1, 3, 2, -1, 2],
        "frail": [True, False, False, True, True, False, False, True],
        "treated": pd.array([True, False, None, True, True, False, False, True], dtype="boolean"),
        "stage": ["I", "II", "I", "III", "II", "I", "II", "III"],
    }
)


@pytest.mark.slow
@pytest.mark.sampled(2)
@for_each("suffix", ["csv", "parquet", "feather", None])
@pytest.mark.parametrize(
    "formula",
    ["died ~ age + stage", "died ~ age:frail", "died ~ 0 + treated + C(stage)", "died ~ .", "frail ~ I(2 * treated)"],
)
def test_a_file_is_read_as_the_data_frame(tmp_path: Path, suffix: str | None, formula: str) -> None:
    source: Any = FRAME
    if suffix is not None:
        source = str(tmp_path / f"data.{suffix}")
        writers = {"csv": lambda path: FRAME.to_csv(path, index=False), "parquet": FRAME.to_parquet}
        writers.get(suffix, FRAME.to_feather)(source)
    dataset = mm.load(source, formula=formula, drop_missing=True)
    names = formula.replace("(", " ").replace(")", " ").split()
    complete = FRAME.dropna() if {"treated", "."} & set(names) else FRAME
    answer = mm.separability(complete, formula)
    assert (tuple(answer.names.columns or ()), answer.bias) == (dataset.feature_names, dataset.has_intercept)
    assert answer.certificate is not None and mm.verify(answer.certificate, complete, formula)
    assert mm.verify(answer.certificate, dataset.X, dataset.labels)
    again = mm.separability(dataset)
    assert (again.verdict, again.bias) == (answer.verdict, answer.bias)
    assert mm.hard_margin(dataset).lower == mm.hard_margin(complete, formula).lower


def test_a_formula_reads_ids_and_leaves_out_rows() -> None:
    frame = FRAME.assign(patient=[f"P{i}" for i in range(8)])
    dataset = mm.load(frame, formula="died ~ 0 + age + treated", id="patient", drop_missing=True, positive="no")
    assert dataset.row_ids == ("P0", "P1", "P3", "P4", "P5", "P6", "P7")
    assert (dataset.positive, dataset.label_name, dataset.has_intercept) == ("no", "died", False)
    assert mm.separability(dataset).names.numbers(np.array([2])).tolist() == [3]
    with pytest.raises(mm.InvalidProblemError, match="leave out bias=, as the formula decides: take 0"):
        mm.separability(dataset, bias=True)
    with pytest.raises(mm.InvalidProblemError, match=r"a formula is given to .*load, as formula="):
        mm.separability(dataset, "died ~ age")


@pytest.mark.parametrize("other", [{"label": "died"}, {"one_hot": True}, {"one_hot": "stage"}])
def test_a_formula_is_given_without_what_it_decides(other: dict[str, Any]) -> None:
    with pytest.raises(mm.InvalidProblemError, match="formula= "):
        mm.load(FRAME, formula="died ~ age", **other)


def test_messages_say_how_to_go_on() -> None:
    frame = FRAME.drop(columns="treated")
    for formula, message in (
        ("died ~ ns(age, 3)", "no column or function 'ns'; expected some of 'died', .*, bs, cc, center, "),
        ("died + age ~ stage", "names failures: expected family= binomial"),
    ):
        with pytest.raises(mm.InvalidProblemError, match=message):
            mm.separability(frame, formula)
    with pytest.raises(mm.InvalidProblemError, match=r"an intercept; leave out bias=, .*: write 0 [+] in it for none"):
        mm.separability(frame, "died ~ age", bias=False)
    proof = mm.separability(frame, "died ~ age").certificate
    with pytest.raises(mm.InvalidProblemError, match=r"X is 'cohort[.]csv'; expected rows: maxmargin[.]load"):
        mm.verify(proof, "cohort.csv")


def test_answers_about_a_dataset_make_frames_of_its_library() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.from_pandas(FRAME.drop(columns="treated"))
    for dataset in (
        mm.load(frame, label="died", one_hot=True),
        mm.load(frame, formula="died ~ age"),
        mm.from_arrays(frame.select("age"), frame["died"]),
    ):
        assert isinstance(mm.separability(dataset).to_frame("rows"), polars.DataFrame)


def test_row_numbers_are_looked_for_before_rows_are_left_out(tmp_path: Path) -> None:
    path = tmp_path / "numbered.csv"
    rows = "".join(f"{i},{'' if i == 3 else i * i % 7},{'uv'[i % 3 > 0]}\n" for i in range(1, 13))
    path.write_text(f",x,y\n{rows}", encoding="utf-8")
    dataset = mm.load(path, formula="y ~ .", drop_missing=True)
    assert dataset.feature_names == ("x",) and dataset.n_samples == 11
    assert "left out, as it numbers the rows: 'Unnamed: 0'" in dataset.notes
