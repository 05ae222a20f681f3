"""Files of runs with a right digest and wrong content: refused in one line, or nothing false is said of them."""

import copy
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import json_answer, refusal
from forging import Content, positions

import maxmargin as mm
from maxmargin.cli.app import run
from maxmargin.text.data_error import DataError

TENS = [[10.0], [20.0], [30.0], [40.0], [60.0], [70.0], [80.0], [90.0]]
SIDES = [-1, -1, -1, -1, 1, 1, 1, 1]
MARGIN = 10  # half of 60 - 40

ORDERS = ("cyclic", "shuffled-once", "reshuffled-each-epoch", "random")
VALUES = (
    None,
    True,
    False,
    -1,
    0,
    1,
    7,
    2**31,
    2**62,
    2**63,
    2**70,
    -0.5,
    1.0,
    math.nan,
    math.inf,
    "x",
    "",
    [],
    [1],
    {},
)
"""What may stand where a number, a word or a mapping stood."""


def kept(path: Path, **options: Any) -> Content:
    mm.perceptron(TENS, SIDES, resume=path, **options)
    return Content.of(path)


def forgeries_of_words(content: Content) -> Iterator[tuple[str, Content]]:
    for path in positions(content.words):
        yield f"{path} removed", content.with_words(path, None, remove=True)
        for value in VALUES:
            yield f"{path} = {value!r}", content.with_words(path, value)
    for value in VALUES:
        yield f"all words are {value!r}", Content(value, content.arrays)


def forgeries_of_arrays(content: Content) -> Iterator[tuple[str, Content]]:
    for name, array in content.arrays.items():
        yield f"no {name}", content.without_array(name)
        yield f"{name} under another name", content.without_array(name).with_array("other", array)
        for kind in (np.float64, np.int32, np.uint64, np.bool_, ">i8"):
            yield f"{name} as {kind}", content.with_array(name, array.astype(kind))
        for change in (array[:-1], np.append(array, 0), array[None], array[:0], np.zeros((0, 5), np.int64)):
            yield f"{name} of shape {change.shape}", content.with_array(name, change)
        for position in range(min(len(array), 9)):
            for value in (-1, 0, 1, 8, 10**6, 2**62, 2**63 - 1, -(2**63)):
                changed = array.copy()
                changed[position] = value
                yield f"{name}[{position}] = {value}", content.with_array(name, changed)


def forgeries_that_agree(content: Content) -> Iterator[tuple[str, Content]]:
    """Yield what a forger writes who knows every check: numbers that agree, which no run has ever made."""
    n = len(TENS)
    for counts in (
        [0] * 8,
        [1] + [0] * 7,
        [0] * 7 + [1],
        [0, 0, 0, 9, 9, 0, 0, 0],
        [5] * 8,
        [2**40] + [0] * 6 + [2**40],
    ):
        total = sum(counts)
        logged = np.repeat(np.arange(n), counts) if total < 100 else np.arange(0)
        n_epochs = max(1, max(counts))
        epochs = np.zeros(min(n_epochs, 100), dtype=np.int64)
        for row, count in enumerate(counts):
            if total < 100:
                epochs[:count] += 1 if row >= 0 else 0
        for has_converged in (True, False):
            words = copy.deepcopy(content.words)
            words["checkpoint"]["has_converged"] = has_converged
            words["checkpoint"]["numbers"] |= {
                "n_mistakes": total, "n_epochs": n_epochs, "n_presentations": n_epochs * n, "n_uncertain": 0
            }  # fmt: skip
            arrays = {
                "counts": np.array(counts), "cursor": np.zeros(9, np.int64), "mistakes": logged, "epochs": epochs,
            }  # fmt: skip
            yield f"counts {counts}, converged {has_converged}", Content(words, arrays)
            for position in range(1, n):
                cursor = np.zeros(9, np.int64)
                cursor[0] = cursor[1] = position
                later = copy.deepcopy(words)
                later["checkpoint"]["numbers"]["n_presentations"] += position
                yield f"counts {counts}, place {position}", Content(later, {**arrays, "cursor": cursor})


FORGERIES = (forgeries_of_words, forgeries_of_arrays, forgeries_that_agree)


def is_right_everywhere(counts: np.ndarray, zero: str) -> bool:
    """Judge the end of a run on TENS by hand, in fractions, from the numbers of mistakes."""
    w = sum(Fraction(x[0]) * y * int(c) for x, y, c in zip(TENS, SIDES, counts, strict=True))
    b = sum(y * int(c) for y, c in zip(SIDES, counts, strict=True))
    scores = [w * Fraction(x[0]) + b for x in TENS]
    at_zero = {"mistake": 0, "positive": 1, "negative": -1}[zero]
    return all((s > 0) - (s < 0) == y or (s == 0 and at_zero == y) for s, y in zip(scores, SIDES, strict=True))


def judge(path: Path, what: str, **options: Any) -> bool:
    """Return whether the file is refused; fail where it is not, and something false is said."""
    before = path.read_bytes()
    try:
        result = mm.perceptron(TENS, SIDES, max_mistakes=20_000, resume=path, **options)
    except DataError as error:
        assert "\n" not in str(error) and str(path) in str(error), what
        assert path.read_bytes() == before, f"{what}: the file was changed"
        return True
    assert result.resumed_from is not None and result.n_mistakes >= result.resumed_from, what
    assert (result.mistake_counts >= 0).all() and sum(result.mistake_counts.tolist()) == result.n_mistakes, what
    if result.converged:
        assert is_right_everywhere(result.mistake_counts, options.get("zero", "mistake")), what
    assert result.margin <= MARGIN and (result.margin_upper is None or result.margin_upper >= MARGIN), what
    assert result.run_margin <= MARGIN and (result.run_upper is None or result.run_upper >= result.run_margin), what
    return False


def forged(path: Path, every: int, **options: Any) -> tuple[int, int]:
    """Judge every so-manieth forgery; return how many there were, and how many were refused."""
    content = kept(path, max_mistakes=40, **options)
    made = [forgery for forge in FORGERIES for forgery in forge(content)]
    n_refused = 0
    for what, forgery in made[::every]:
        forgery.write(path)
        n_refused += judge(path, what, **options)
    content.write(path)
    assert not judge(path, "what was kept", **options)
    return len(made[::every]), n_refused


@pytest.mark.parametrize("order", ORDERS)
def test_a_forged_run_says_nothing_false(tmp_path: Path, order: str) -> None:
    n_forged, n_refused = forged(tmp_path / "run", 7, order=order, rng=1)
    assert n_forged > 100 and n_refused > 0.7 * n_forged


@pytest.mark.slow
@pytest.mark.parametrize("zero", ["mistake", "positive", "negative"])
@pytest.mark.parametrize("order", ORDERS)
def test_every_forged_run_says_nothing_false(tmp_path: Path, order: str, zero: str) -> None:
    n_forged, n_refused = forged(tmp_path / "run", 1, order=order, zero=zero, rng=1)
    assert n_forged > 700 and n_refused > 0.7 * n_forged


def claims_that_are_false(content: Content) -> dict[str, Callable[[], Content]]:
    numbers = content.words["checkpoint"]["numbers"]
    counts = content.arrays["counts"]
    return {
        "converged": lambda: content.with_words(("checkpoint", "has_converged"), True),
        "negative counts": lambda: content.with_array("counts", -counts),
        "counts of another sum": lambda: content.with_array("counts", counts + 1),
        "fewer mistakes": lambda: content.with_words(("checkpoint", "numbers", "n_mistakes"), 1),
        "a text": lambda: content.with_words(("checkpoint", "numbers", "n_mistakes"), str(numbers["n_mistakes"])),
        "no question": lambda: content.with_words(("question",), None, remove=True),
        "rows that are not there": lambda: content.with_array("mistakes", content.arrays["mistakes"] + 100),
    }


@pytest.mark.parametrize(
    "claim",
    ["converged", "negative counts", "counts of another sum", "fewer mistakes", "a text", "no question",
     "rows that are not there"],
)  # fmt: skip
def test_the_command_refuses_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str], claim: str) -> None:
    command = ["perceptron", "agresti", "-q", "--resume", str(tmp_path / "state"), "--max-mistakes"]
    assert run([*command, "40"]) == 3
    claims_that_are_false(Content.of(tmp_path / "state.run"))[claim]().write(tmp_path / "state.run")
    assert "state.run: found " in refusal(capsys, *command, "80", "--json")


def test_an_epoch_that_looks_clean_is_not_believed(tmp_path: Path) -> None:
    """A file that says that all rows but the last were right makes no end of the run."""
    path = tmp_path / "run"
    content = kept(path, max_epochs=3)
    cursor = np.zeros(9, np.int64)
    cursor[0] = cursor[1] = 7
    numbers = dict(content.words["checkpoint"]["numbers"])
    numbers["n_presentations"] += 7
    words = content.with_words(("checkpoint", "numbers"), numbers).words
    Content(words, {**content.arrays, "cursor": cursor}).write(path)
    with pytest.raises(DataError, match="said to have converged, and some row is a mistake"):
        mm.perceptron(TENS, SIDES, resume=path)


def test_mistakes_of_a_resumed_run_are_said_to_be_those_of_the_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["perceptron", "agresti", "--resume", str(tmp_path / "state")]
    assert run([*command, "--max-mistakes", "40"]) == 3
    assert "as the resume file says" not in capsys.readouterr().out
    code, fields = json_answer(capsys, *command)
    assert (code, fields["resumed_from"]) == (0, 40)
    assert run(command) == 0
    assert "of these, and their epochs, are as the resume file says" in capsys.readouterr().out


def test_a_run_in_chunks_does_not_go_on_within_an_epoch(tmp_path: Path) -> None:
    """Its last rows would count as a whole epoch."""
    from maxmargin.api.running import run_perceptron
    from maxmargin.solvers.problem.problem import Problem
    from maxmargin.solvers.problem.rows import InMemory

    class Elsewhere(InMemory):
        """Rows that are read in chunks."""

        ndim = 2

        def map(self, function: Any, *vectors: Any) -> Iterator[Any]:
            for start in range(0, len(self.X), 3):
                rows = slice(start, start + 3)
                yield function(rows, self.X[rows], *(v[rows] for v in vectors))

    class Rows:
        """As far as a problem tells, no array."""

        def __init__(self, X: np.ndarray) -> None:
            self._inside = Elsewhere(X)

        def __getattr__(self, name: str) -> Any:
            return getattr(self._inside, name)

        def __getitem__(self, rows: Any) -> Any:
            return self._inside[rows]

    y = np.array(SIDES, dtype=float)
    stored = Problem(np.array(TENS), y)
    streamed = Problem(Rows(np.array(TENS)), y)
    path = tmp_path / "run"
    run_perceptron(stored, max_mistakes=41, resume=path)
    with pytest.raises(DataError, match="within an epoch, and these rows are not in memory"):
        run_perceptron(streamed, resume=path)
    path.unlink()
    whole = run_perceptron(stored)
    run_perceptron(streamed, max_epochs=5, resume=path)
    for problem in (stored, streamed):
        parted = run_perceptron(problem, resume=path)
        assert parted.n_mistakes == whole.n_mistakes and parted.n_epochs == whole.n_epochs
