"""A file read by a formula states the same question as the data frame that it holds."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import maxmargin as mm
from maxmargin.data.tabular.load_formula import load_by_formula

FRAME = pd.DataFrame(
    {
        "died": ["no", "yes", "yes", "no", "yes", "yes", "no", "yes"],
        "age": [2.5, 2, 3, -1, 3, 2, -1, 2],
        "frail": [True, False, False, True, True, False, False, True],
        "treated": pd.array([True, False, None, True, True, False, False, True], dtype="boolean"),
        "stage": ["I", "II", "I", "III", "II", "I", "II", "III"],
    }
)


@pytest.mark.parametrize("suffix", ["csv", "parquet", "feather", None])
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
    dataset, bias = load_by_formula(source, formula, drop_missing=True)
    names = formula.replace("(", " ").replace(")", " ").split()
    complete = FRAME.dropna() if {"treated", "."} & set(names) else FRAME
    answer = mm.separability(complete, formula)
    assert (tuple(answer.names.columns or ()), answer.bias) == (dataset.feature_names, bias)
    assert answer.certificate is not None and mm.verify(answer.certificate, complete, formula)
    assert mm.verify(answer.certificate, dataset.X, dataset.labels)


def test_declared_levels_keep_their_order() -> None:
    levels = pd.CategoricalDtype(["low", "middle", "high"], ordered=True)
    frame = FRAME.assign(grade=pd.Series(np.resize(["high", "low", "middle"], 8), dtype=levels))
    dataset, _ = load_by_formula(frame, "died ~ grade")
    assert dataset.feature_names == ("grade[T.middle]", "grade[T.high]")
