"""Files of passes with a right digest and wrong content: refused in one line, or nothing false is said of the data."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from forging import Content, positions

import maxmargin as mm
from maxmargin.api.deciding import decide
from maxmargin.data.outofcore.budget import Budget
from maxmargin.data.problems import problem_of
from maxmargin.data.tabular.loading import load
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.soft_margin.soft_margin import soft_margin
from maxmargin.text.data_error import DataError

N = 60
VALUES = (None, True, -1, 0, 1, 59, 61, 2**63, 2**70, 0.5, math.nan, "x", "", [], [1], {})


SMALL = replace(Budget.of("64MiB"), in_memory_bytes=0, chunk_row_limit=16, work_per_save=0.0)
"""Small files count as large, and are read in small chunks; everything found is saved at once."""


def data() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(5)
    X = random.integers(-20, 20, (N, 2)).astype(float)
    y = np.where(X @ [1.0, 2.0] > 3, 1, -1)
    X += np.outer(y, [1.0, 2.0])
    return X, y


def parquet(folder: Path) -> Path:
    X, y = data()
    pa.parquet.write_table(pa.table({"a": X[:, 0], "b": X[:, 1], "y": y}), folder / "d.parquet", row_group_size=25)
    return folder / "d.parquet"


def npy(folder: Path) -> Path:
    X, y = data()
    np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", y)
    return folder / "X.npy"


def csv(folder: Path) -> Path:
    X, y = data()
    rows = [f"{a!r},{b!r},{label}" for (a, b), label in zip(X.tolist(), y.tolist(), strict=True)]
    (folder / "d.csv").write_text("\n".join(["a,b,y", *rows]) + "\n")
    return folder / "d.csv"


def forgeries(content: Content) -> Iterator[tuple[str, Content]]:
    for path in positions(content.words):
        for value in VALUES:
            yield f"{path} = {value!r}", content.with_words(path, value)
    for name, array in content.arrays.items():
        yield f"no {name}", content.without_array(name)
        for kind in (np.float64, np.int32, np.uint8, np.int8, np.bool_):
            yield f"{name} as {kind}", content.with_array(name, array.astype(kind))
        for change in (array[:-1], array[:0], array[None], array.repeat(2, axis=0), array.ravel()):
            yield f"{name} of shape {change.shape}", content.with_array(name, change)
        kind = array.dtype.kind
        values = (-1.0, 0.0, 1e300, -1e300, math.nan, math.inf) if kind == "f" else (-1, 0, 1, 3, 59, 60, 10**6)
        for position in range(0, array.size, max(1, array.size // 5)):
            for value in values:
                changed = array.copy()
                with np.errstate(all="ignore"):
                    changed.flat[position] = np.array(value).astype(array.dtype)
                yield f"{name}[{position}] = {value}", content.with_array(name, changed)


def asked(path: Path, state: Path) -> tuple[Any, Any, Any]:
    problem = problem_of(load(path, memory=SMALL, resume=state))
    return hard_margin(problem), decide(problem), soft_margin(problem, 1.0, method="working-set")


def forged(folder: Path, write: Callable[[Path], Path], every: int, first: int = 0) -> tuple[int, int]:
    """Judge every so-manieth forgery; return how many there were, and how many were refused."""
    path, state = write(folder), folder / "state"
    hard, _, soft = asked(path, state)
    exact = mm.hard_margin(*data(), exact=True)
    content = Content.of(state)
    n_refused = n_forged = 0
    for what, forgery in list(forgeries(content))[first::every]:
        n_forged += 1
        forgery.write(state)
        try:
            answer, verdict, other = asked(path, state)
        except DataError as error:
            assert "\n" not in str(error), what
            n_refused += 1
            continue
        except UserWarning:
            continue  # it is not the state of these data, and they are read again
        assert verdict.verdict == "separable", what
        assert answer.lower**2 <= exact.margin_squared <= answer.upper**2, what
        assert other.lower <= soft.objective and soft.lower <= other.objective, what
    assert hard.lower**2 <= exact.margin_squared <= hard.upper**2
    return n_forged, n_refused


@pytest.mark.parametrize("write", [parquet, npy])
def test_a_forged_state_says_nothing_false(tmp_path: Path, write: Callable[[Path], Path]) -> None:
    n_forged, n_refused = forged(tmp_path, write, 23)
    assert n_forged >= 25 and n_refused > 0.5 * n_forged


@pytest.mark.slow
@pytest.mark.parametrize("write", [parquet, npy])
def test_every_forged_state_says_nothing_false(tmp_path: Path, write: Callable[[Path], Path]) -> None:
    n_forged, n_refused = forged(tmp_path, write, 1)
    assert n_forged > 500 and n_refused > 0.5 * n_forged


@pytest.mark.parametrize("write", [parquet, npy])
def test_labels_are_those_of_the_data(tmp_path: Path, write: Callable[[Path], Path]) -> None:
    path, state = write(tmp_path), tmp_path / "state"
    load(path, memory=SMALL, resume=state)
    content = Content.of(state)
    codes = np.random.default_rng(0).permutation(content.arrays["codes"])
    content.with_array("codes", codes).write(state)
    dataset = load(path, memory=SMALL, resume=state)
    assert dataset.y.tolist() == data()[1].tolist()


def test_extremes_that_no_row_has(tmp_path: Path) -> None:
    path, state = parquet(tmp_path), tmp_path / "state"
    load(path, memory=SMALL, resume=state)
    content = Content.of(state)
    for name, factor in (("high", 2.0), ("low", 3.0)):
        content.with_array(name, content.arrays[name] * factor).write(state)
        with pytest.raises(DataError, match="found extremes that no row has"):
            hard_margin(problem_of(load(path, memory=SMALL, resume=state)))


def test_states_of_text_are_looked_at(tmp_path: Path) -> None:
    path, state = csv(tmp_path), tmp_path / "state"
    load(path, memory=SMALL, resume=state)
    content = Content.of(state)
    for where, value in ((("files", 0, "numbers"), None), (("files", 0, "n_rows"), N + 1), (("distinct",), ["1"])):
        content.with_words(where, value).write(state)
        with pytest.raises(DataError, match="found a damaged state"):
            load(path, memory=SMALL, resume=state)
