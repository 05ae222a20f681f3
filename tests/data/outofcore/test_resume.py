"""A process that is killed loses no finished pass, and what it left never changes an answer."""

import json
import os
import shutil
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.feather
import pyarrow.parquet
import pytest
from calls import calling
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import maxmargin as mm
from maxmargin.api.deciding import decide
from maxmargin.cli.app import run
from maxmargin.data.dataset import Dataset
from maxmargin.data.outofcore.budget import Budget
from maxmargin.data.outofcore.files.arrow_scan import ArrowRows
from maxmargin.data.outofcore.warmstart.resume_state import FileMark, State, read_state
from maxmargin.data.problems import class_problem_of, problem_of
from maxmargin.data.tabular.loading import load
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.soft_margin.soft_margin import soft_margin
from maxmargin.text.announcing import listened
from maxmargin.text.data_error import DataError

N, D, CHUNK = 6000, 3, 500

SMALL = replace(Budget.of("64MiB"), in_memory_bytes=0, chunk_row_limit=CHUNK, work_per_save=0.0)
"""Small files count as large and are read in small chunks; every chunk that is validated is kept."""


class Killed(BaseException):
    """The end of a process, as far as files are concerned."""


class Watcher:
    """Counts passes and their chunks; kills at a chunk of a pass, both from 1."""

    def __init__(self, kill: tuple[int, int] | None = None) -> None:
        self.passes: list[int] = []
        self.kill = kill
        self._n_done = 0

    def __call__(self, n_done: int, n_rows: int) -> None:
        if not self.passes or n_done <= self._n_done:
            self.passes.append(0)
        self.passes[-1] += 1
        self._n_done = n_done
        if self.kill is not None and (len(self.passes), self.passes[-1]) >= self.kill:
            raise Killed


def data(overlap: bool = False, n: int = N) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(3)
    X = random.standard_normal((n, D))
    y = np.where(X @ [1.0, 2.0, -1.0] > 0.1, 1, -1)
    X += 0.02 * np.outer(y, [1.0, 2.0, -1.0])
    if overlap:
        y[random.choice(n, 5, replace=False)] *= -1
    return X, y


def table_of(X: np.ndarray, y: np.ndarray) -> pa.Table:
    return pa.table({**{name: X[:, j] for j, name in enumerate("abc")}, "label": y})


def parquet(folder: Path, X: np.ndarray, y: np.ndarray, name: str = "data", group: int = 700) -> Path:
    path = folder / f"{name}.parquet"
    pa.parquet.write_table(table_of(X, y), path, row_group_size=group)
    return path


def feather(folder: Path, X: np.ndarray, y: np.ndarray, name: str = "data") -> Path:
    pa.feather.write_feather(table_of(X, y), folder / f"{name}.feather", chunksize=700)
    return folder / f"{name}.feather"


def csv(folder: Path, X: np.ndarray, y: np.ndarray, name: str = "data") -> Path:
    path = folder / f"{name}.csv"
    rows = [",".join([*map(repr, row), str(label)]) for row, label in zip(X.tolist(), y.tolist(), strict=True)]
    path.write_text("\n".join(["a,b,c,label", *rows]) + "\n")
    return path


def npy(folder: Path, X: np.ndarray, y: np.ndarray) -> Path:
    np.save(folder / "X.npy", X)
    np.save(folder / "y.npy", y)
    return folder / "X.npy"


def npz(folder: Path, X: np.ndarray, y: np.ndarray, save: Callable[..., None] = np.savez) -> Path:
    save(folder / "data.npz", X=X, y=y)
    return folder / "data.npz"


def folder_of(write: Callable[..., Path]) -> Callable[..., Path]:
    def write_parts(folder: Path, X: np.ndarray, y: np.ndarray) -> Path:
        inside = folder / "parts"
        inside.mkdir()
        for number, rows in enumerate((slice(0, 2000), slice(2000, 2000), slice(2000, 2300), slice(2300, None))):
            write(inside, X[rows], y[rows], f"part-{number}")
        return inside

    return write_parts


WRITERS: dict[str, Callable[..., Path]] = {
    "parquet": parquet,
    "feather": feather,
    "csv": csv,
    "npy": npy,
    "npz": npz,
    "npz, compressed": lambda *given: npz(*given, save=np.savez_compressed),
    "folder of parquet": folder_of(parquet),
    "folder of csv": folder_of(lambda folder, X, y, name: csv(folder, X, y, name) if len(X) else folder),
}
STARTS_INSIDE = {"parquet", "feather", "npy", "npz", "folder of parquet"}


@pytest.fixture
def separable(tmp_path: Path) -> Path:
    return parquet(tmp_path, *data())


def opened(path: Path, state: Path, watcher: Watcher | None = None, budget: Budget = SMALL, **options: Any) -> Dataset:
    with listened(on_chunk=watcher or Watcher()):
        return load(path, memory=budget, resume=state, **options)


def killed(work: Callable[[], Any]) -> None:
    with pytest.raises(Killed):
        work()


def assert_is(dataset: Dataset, X: np.ndarray, y: np.ndarray) -> None:
    assert dataset.X[:].tobytes() == X.tobytes()
    assert dataset.labels.tolist() == y.tolist()
    assert dataset.y.tolist() == y.tolist()
    assert dataset.bounds is not None and np.array_equal(dataset.bounds, (X.min(axis=0), X.max(axis=0)))


@pytest.mark.parametrize("name", WRITERS)
def test_validation_goes_on_where_it_was_killed(tmp_path: Path, name: str) -> None:
    X, y = data()
    source, state, watcher = WRITERS[name](tmp_path, X, y), tmp_path / "state", Watcher()
    opened(source, tmp_path / "other", watcher)
    (n_chunks,) = watcher.passes
    n_left = []
    for kill in sorted({1, n_chunks // 2, n_chunks - 1}):
        for old in tmp_path.glob("state*"):
            old.unlink()
        killed(lambda kill=kill: opened(source, state, Watcher((1, kill))))  # type: ignore[misc]
        watcher = Watcher()
        assert_is(opened(source, state, watcher), X, y)
        n_left.append(sum(watcher.passes))
        if name in STARTS_INSIDE:  # the chunk at which it was killed was not kept
            assert n_left[-1] <= n_chunks - kill + 3
    if name in STARTS_INSIDE or name.startswith("folder"):
        assert n_left[-1] < n_chunks
    watcher = Watcher()
    assert_is(opened(source, state, watcher), X, y)
    assert not watcher.passes


def test_text_is_parsed_once(tmp_path: Path) -> None:
    X, y = data()
    source, state = csv(tmp_path, X, y), tmp_path / "state"
    source.write_text(source.read_text()[1:])  # the first column has no name
    first, before = opened(source, state, drop="b"), source.stat()
    content, position = (
        source.read_bytes(),
        17_000,
    )  # between the first bytes that the mark of a large file covers
    source.write_bytes(content[:position] + b"x" * 100 + content[position + 100 :])
    touched(source, before)
    again = opened(source, state, drop="b")
    assert_is(again, X[:, [0, 2]].copy(), y)
    assert again.notes == first.notes
    assert again.notes[0] == "dropped on request: 'b'" and again.notes[1].startswith("column 0 has no name")
    with pytest.raises(DataError, match=r"expected a number|fields"):
        opened(source, tmp_path / "other", drop="b")


@settings(max_examples=12, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kills=st.lists(st.tuples(st.integers(1, 2), st.integers(1, 12)), max_size=4), n_labels=st.integers(2, 4))
def test_any_number_of_kills(tmp_path: Path, kills: list[tuple[int, int]], n_labels: int) -> None:
    X, _ = data()
    y = np.arange(N) * 7 // 3 % n_labels
    y[: N // 2] %= 2
    source, state = folder_of(parquet)(tmp_path, X, y), tmp_path / "state"
    try:
        for kill in kills:
            with suppress(Killed):
                opened(source, state, Watcher(kill), positive=1)
        dataset = opened(source, state, positive=1)
        assert dataset.labels.tolist() == y.tolist() and dataset.classes == tuple(range(n_labels))
        assert dataset.X[:].tobytes() == X.tobytes()
    finally:
        shutil.rmtree(source)
        state.unlink()


def passes_of(
    path: Path, state: Path | None, ask: Callable[[Any], Any], kill: tuple[int, int] | None, budget: Budget = SMALL
) -> Any:
    """Return the answer, None if killed; and the numbers of chunks of the passes."""
    watcher = Watcher(kill)
    with listened(on_chunk=watcher), suppress(Killed):
        return ask(problem_of(load(path, memory=budget, resume=state))), watcher.passes
    return None, watcher.passes


@pytest.fixture
def fetched() -> Iterator[list[int]]:
    """How many rows were fetched out of Parquet files, each time."""
    counts: list[int] = []
    with calling(ArrowRows.some, lambda arguments: counts.append(len(arguments["numbers"]))):
        yield counts


def after_kills(
    tmp_path: Path, source: Path, ask: Callable[[Any], Any], n_passes: int, fetched: list[int], budget: Budget = SMALL
) -> Iterator[tuple[int, Any, list[int]]]:
    """Kill at the beginning of every pass; yield which, and the answer and the passes of the process that goes on."""
    for kill in range(2, n_passes + 1):
        state = tmp_path / f"state-{kill}"
        _, begun = passes_of(source, state, ask, (kill, 1), budget)
        assert len(begun) == kill
        fetched.clear()
        yield kill, *passes_of(source, state, ask, None, budget)


BUDGETS = [pytest.param(SMALL, id="collected"), pytest.param(replace(SMALL, collected_bytes=0), id="fetched")]
"""The first pass brings along the rows of a sample; or they are fetched."""


@pytest.mark.parametrize("budget", BUDGETS)
def test_no_finished_pass_is_lost(tmp_path: Path, separable: Path, fetched: list[int], budget: Budget) -> None:
    expected, whole = passes_of(separable, None, hard_margin, None, budget)
    assert bool(fetched) is (budget.collected_bytes == 0) and len(whole) >= 3
    for kill, answer, rest in after_kills(tmp_path, separable, hard_margin, len(whole), fetched, budget):
        assert not fetched
        assert len(rest) <= max(1, len(whole) - (kill - 1))  # one pass proves the answer
        assert answer.status == expected.status == "optimal"
        assert answer.upper >= expected.lower and answer.lower <= expected.upper
        assert answer.lower == pytest.approx(expected.lower, rel=1e-12)


N_SOFT_PROOF = 4
"""Passes that prove any soft margin: of the best offset, of either end, and of the slacks."""


def ask_soft(problem: Any) -> Any:
    sizes = replace(problem.sizes, least_sample=200)
    return soft_margin(replace(problem, sizes=sizes), 1.0, method="working-set")


@pytest.mark.parametrize("offset", [0.0, 1e4])
def test_no_finished_pass_of_a_soft_margin_is_lost(tmp_path: Path, fetched: list[int], offset: float) -> None:
    X, y = data(overlap=True)
    X = X + np.random.default_rng(5).normal(size=X.shape)
    source = parquet(tmp_path, X + offset, y)
    expected, whole = passes_of(source, None, ask_soft, None)
    assert fetched and len(whole) >= 6
    for kill, answer, rest in after_kills(tmp_path, source, ask_soft, len(whole), fetched):
        assert len(fetched) <= 1, "the support, which the proof sums in integers"
        # the last pass of the search is made again where the proof was under way
        assert len(rest) <= max(N_SOFT_PROOF + 1, len(whole) - (kill - 1))
        assert answer.status == expected.status == "optimal" and answer.gap <= 1e-9 * answer.objective
        assert answer.objective >= expected.lower and answer.lower <= expected.objective
        np.testing.assert_allclose(answer.w, expected.w, rtol=1e-5)


def test_what_is_kept_of_a_soft_margin_is_a_hint_for_the_same_question_only(tmp_path: Path) -> None:
    X, y = data(overlap=True)
    source, state = parquet(tmp_path, X, y), tmp_path / "state"
    expected, _ = passes_of(source, state, ask_soft, None)
    _, again = passes_of(source, state, ask_soft, None)
    assert len(again) <= N_SOFT_PROOF + 1
    _, other = passes_of(source, state, lambda problem: soft_margin(problem, 2.0, method="working-set"), None)
    assert len(other) > len(again)
    passes_of(source, state, ask_soft, None)

    def opposite(found: State) -> State:
        return replace(found, found={**found.found, "sides": -found.found["sides"], "w": -found.found["w"]})

    forge(state, opposite)
    answer, _ = passes_of(source, state, lambda problem: soft_margin(problem, 1.0), None)
    assert answer.gap <= 1e-9 * answer.objective
    assert answer.objective >= expected.lower and answer.lower <= expected.objective


def test_what_is_kept_has_bounds(tmp_path: Path, separable: Path, fetched: list[int]) -> None:
    """The sample is kept apart from the cache; where it or other rows are too many, they are read again."""
    expected, _ = passes_of(separable, None, hard_margin, None)
    for cache_bytes, saved_bytes, sample_bytes in ((0, 24, 1 << 20), (0, 1 << 20, 0), (1 << 20, 24 * 7, 24 * 7)):
        state = tmp_path / f"{saved_bytes} {sample_bytes}"
        budget = replace(SMALL, cache_bytes=cache_bytes, saved_bytes=saved_bytes, sample_bytes=sample_bytes)
        passes_of(separable, state, hard_margin, (4, 1), budget)
        kept = read_state(str(state)).rows
        assert len(kept.numbers) <= (saved_bytes + sample_bytes) // 24
        assert (kept.used_for("sample").size > 0) == (sample_bytes > 1000)
        fetched.clear()
        answer, _ = passes_of(separable, state, hard_margin, None, budget)
        assert (max(fetched, default=0) > 1000) == (sample_bytes < 1000)
        assert answer.lower == pytest.approx(expected.lower, rel=1e-12)


def test_the_search_of_a_verdict_goes_on(tmp_path: Path, fetched: list[int]) -> None:
    X, _ = data()
    y = np.argmax(X @ np.random.default_rng(0).standard_normal((3, 3)), axis=1)
    source = parquet(tmp_path, X, y)

    def passes(state: Path, kill: tuple[int, int] | None = None) -> int:
        watcher = Watcher(kill)
        with listened(on_chunk=watcher), suppress(Killed):
            dataset = load(source, memory=SMALL, resume=state)
            assert decide(class_problem_of(dataset)).verdict == "separable"
        return len(watcher.passes)

    n_whole = passes(tmp_path / "whole")
    assert n_whole >= 3 and fetched
    for kill in range(2, n_whole + 1):
        state = tmp_path / f"state-{kill}"
        passes(state, (kill, 1))
        fetched.clear()
        assert passes(state) <= n_whole - (kill - 1)
    assert not fetched


@pytest.mark.parametrize("budget", BUDGETS)
def test_samples_of_several_questions_are_kept(tmp_path: Path, fetched: list[int], budget: Budget) -> None:
    X, y = data()
    labels = np.where(X[:, 0] > 1, 2, y)
    source, state = parquet(tmp_path, X, labels), tmp_path / "state"

    def ask_all() -> list[str]:
        answers = [decide(problem_of(opened(source, state, None, budget, positive=label))) for label in (-1, 1, 2)]
        return [answer.verdict.value for answer in answers]

    first = ask_all()
    assert (max(fetched, default=0) > 1000) is (budget.collected_bytes == 0)
    fetched.clear()
    assert ask_all() == first and max(fetched, default=0) <= 1000


def test_a_verdict_from_rows_at_hand_is_proven_by_a_pass(tmp_path: Path) -> None:
    X, y = data(overlap=True)
    source, state = parquet(tmp_path, X, y), tmp_path / "state"
    first, whole = passes_of(source, state, decide, None)
    again, rest = passes_of(source, state, decide, None)
    assert first.verdict == again.verdict == "overlap"
    assert rest == [N // CHUNK] and len(whole) > 1
    assert mm.verify(again.certificate, X, y)


CHILD = """
import json, os, signal, sys
from maxmargin.text.announcing import listened
from maxmargin.cli.app import run
passes, last = [], [0]
kill = json.loads(sys.argv[1])
def see(n_done, n_rows):
    if not passes or n_done <= last[0]:
        passes.append(0)
    passes[-1] += 1
    last[0] = n_done
    if kill and [len(passes), passes[-1]] >= kill:
        os.kill(os.getpid(), signal.SIGKILL)
with listened(on_chunk=see):
    code = run(sys.argv[2:])
print("passes", json.dumps(passes), file=sys.stderr)
sys.exit(code)
"""


def child(kill: list[int] | None, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", CHILD, json.dumps(kill), *arguments, "--memory", "4MiB", "--json"]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def passes_in(done: subprocess.CompletedProcess[str]) -> list[int]:
    line = next(line for line in done.stderr.splitlines() if line.startswith("passes "))
    return list(json.loads(line.removeprefix("passes ")))


@pytest.mark.parametrize(
    ("arguments", "same"),
    [
        pytest.param(["check"], ["verdict", "strictly_separable"], marks=pytest.mark.slow),
        pytest.param(["margin"], ["status", "support"], marks=pytest.mark.slow),
        pytest.param(["margin", "--exact"], ["status", "margin_squared", "support"], marks=pytest.mark.slow),
        pytest.param(["margin", "--soft", "1"], ["status"], marks=pytest.mark.slow),
        (["check", "--no-bias"], ["verdict"]),
    ],
)
def test_a_killed_command_goes_on(tmp_path: Path, arguments: list[str], same: list[str]) -> None:
    X, y = data(n=60_000)
    state = str(tmp_path / "state")
    command = [*arguments, str(parquet(tmp_path, X, y, group=4000))]
    whole = child(None, *command)
    for kill in ([1, 7], [3, 2]):
        done = child(kill, *command, "--resume", state)
        assert (done.returncode, done.stdout) in ((-signal.SIGKILL, ""), (whole.returncode, done.stdout))
    again = child(None, *command, "--resume", state)
    assert again.returncode == whole.returncode == 0
    answers = [json.loads(done.stdout) for done in (whole, again)]
    assert [answers[0][name] for name in same] == [answers[1][name] for name in same]
    assert len(passes_in(again)) <= len(passes_in(whole)) - 1
    assert "all 60,000 rows are validated" in again.stderr


def test_damaged_files_are_refused_and_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    X, y = data(overlap=True)
    source, state = parquet(tmp_path, X[:200], y[:200]), tmp_path / "state"
    mm.separability(*(lambda d: (d.X, d.y))(opened(source, state)))
    whole = state.read_bytes()
    damages = [whole[:position] for position in (0, 5, 19, 25, 100, len(whole) // 2, len(whole) - 1)]
    damages += [whole + b"\0", b"PK\3\4", source.read_bytes(), b"maxmargin resume 1\n" + bytes(60)]
    for position in range(0, len(whole), 41):
        flipped = bytearray(whole)
        flipped[position] ^= 1 << position % 8
        damages.append(bytes(flipped))
    for damaged in damages:
        state.write_bytes(damaged)
        with pytest.raises(DataError, match=r"found (a damaged state|no state of maxmargin)"):
            opened(source, state)
        assert state.read_bytes() == damaged
    assert run(["check", str(source), "--resume", str(state), "--memory", "40kB"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1 and f"{state}: found a damaged state, expected the file as resume wrote it" in error
    state.write_bytes(whole)
    assert_is(opened(source, state), X[:200], y[:200])


def forge(path: Path, change: Callable[[State], State]) -> None:
    """Write a state that is whole and wrong."""
    change(read_state(str(path))).write(str(path))


@pytest.mark.parametrize("overlap", [False, True])
@pytest.mark.parametrize("ask", [hard_margin, decide])
def test_rows_that_are_not_those_of_the_data_prove_nothing(
    tmp_path: Path, overlap: bool, ask: Callable[[Any], Any]
) -> None:
    source, state = parquet(tmp_path, *data(overlap)), tmp_path / "state"
    ask(problem_of(opened(source, state)))

    def other_rows(found: State) -> State:
        return replace(found, rows=found.rows._replace(values=-found.rows.values))

    forge(state, other_rows)
    dataset = opened(source, state)
    with pytest.raises(DataError, match=r"found a row \d+ that is not that of the data"):
        ask(problem_of(dataset))


def test_numbers_that_were_changed_in_secret(tmp_path: Path) -> None:
    X, y = data(n=24_000)
    source, state = npy(tmp_path, X, y), tmp_path / "state"
    hard_margin(problem_of(opened(source, state)))
    before, row = source.stat(), 6000  # in a large file, between the positions that a mark looks at
    for value, position in ((X[:, 0].max() * 1.5, "extremes"), (np.nan, "extremes"), (X[row, 0] * -0.5, None)):
        changed = X.copy()
        changed[row, 0] = value
        np.save(source, changed)
        touched(source, before)
        dataset = opened(source, state)
        if position is None:
            answer = hard_margin(problem_of(dataset))
            assert answer.lower == pytest.approx(mm.hard_margin(changed, y).lower, rel=1e-12)
        else:
            with pytest.raises(DataError, match="found extremes that rows 6000 to 6499 exceed"):
                hard_margin(problem_of(dataset))


def test_hints_only_save_work(tmp_path: Path, separable: Path) -> None:
    expected = hard_margin(problem_of(load(separable, memory=SMALL)))
    state = tmp_path / "state"
    hard_margin(problem_of(opened(separable, state)))
    for uses in (0, 2, 4, 14):
        forge(state, lambda found, uses=uses: replace(found, rows=found.rows._replace(uses=found.rows.uses * 0 + uses)))  # type: ignore[misc]
        answer = hard_margin(problem_of(opened(separable, state)))
        assert answer.lower == pytest.approx(expected.lower, rel=1e-12) and answer.upper >= expected.lower
    forge(state, lambda found: replace(found, rows=found.rows._replace(uses=found.rows.uses * 0 + 1)))
    with pytest.raises(DataError, match="found a damaged state"):  # a sample is in order
        opened(separable, state)


def touched(path: Path, mark: os.stat_result) -> None:
    os.utime(path, ns=(mark.st_atime_ns, mark.st_mtime_ns))


def test_other_data_of_the_same_size_and_time(tmp_path: Path) -> None:
    X, y = data()
    source, state = npy(tmp_path, X, y), tmp_path / "state"
    mm.hard_margin(*(lambda d: (d.X, d.y))(opened(source, state)))
    for name, other in (("X.npy", -X[:, ::-1]), ("y.npy", -y)):
        before = (tmp_path / name).stat()
        np.save(tmp_path / name, np.ascontiguousarray(other))
        assert (tmp_path / name).stat().st_size == before.st_size
        touched(tmp_path / name, before)
        watcher = Watcher()
        with pytest.warns(UserWarning, match=r"state: .*X.npy has changed since; starting from scratch"):
            dataset = opened(source, state, watcher)
        assert watcher.passes == [N // CHUNK]
        assert_is(dataset, np.load(tmp_path / "X.npy"), np.load(tmp_path / "y.npy"))


def test_a_file_that_was_written_to_is_read_anew(
    tmp_path: Path, separable: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    state, (X, y) = tmp_path / "state", data(overlap=True)
    command = ["check", str(separable), "--resume", str(state), "--memory", "1MB", "--json"]
    assert run(command) == 0
    assert "starting from scratch" not in capsys.readouterr().err
    parquet(tmp_path, X, y)
    assert run(command) == 3
    done = capsys.readouterr()
    assert json.loads(done.out)["verdict"] == "overlap"
    assert f"maxmargin: {state}: {separable} has changed since; starting from scratch\n" in done.err
    assert run(command) == 3
    assert "all 6,000 rows are validated" in capsys.readouterr().err


def test_a_folder_that_grows_keeps_what_is_known_of_its_first_files(tmp_path: Path) -> None:
    X, y = data()
    folder, state = folder_of(parquet)(tmp_path, X, y), tmp_path / "state"
    hard_margin(problem_of(opened(folder, state)))
    parquet(folder, X[:1200], y[:1200], "part-4")
    parquet(folder, -X[2300:], -y[2300:], "part-3")
    watcher = Watcher()
    with pytest.warns(UserWarning, match="only the first 3 of 4 files are as they were"):
        dataset = opened(folder, state, watcher)
    assert 0 < watcher.passes[0] < 20
    expected = np.concatenate([X[:2300], -X[2300:], X[:1200]]), np.concatenate([y[:2300], -y[2300:], y[:1200]])
    assert_is(dataset, *expected)
    (folder / "part-4.parquet").unlink()
    with pytest.warns(UserWarning, match="only the first 4 of 5 files are as they were"):
        dataset = opened(folder, state)
    assert_is(dataset, expected[0][:N], expected[1][:N])
    again = hard_margin(problem_of(dataset))
    assert again.lower == pytest.approx(mm.hard_margin(expected[0][:N], expected[1][:N]).lower, rel=1e-12)


@pytest.mark.parametrize("name", ["npy", "csv", "folder of parquet"])
def test_data_that_were_moved_are_known_again(tmp_path: Path, name: str) -> None:
    X, y = data()
    (tmp_path / "a").mkdir()
    source = WRITERS[name](tmp_path / "a", X, y)
    opened(source, tmp_path / "a" / "state")
    (tmp_path / "a").rename(tmp_path / "b")
    watcher = Watcher()
    moved = tmp_path / "b" / source.name
    if name == "csv":
        moved = moved.rename(tmp_path / "b" / "renamed.csv")
    assert_is(opened(moved, tmp_path / "b" / "state", watcher), X, y)
    assert not watcher.passes


def test_states_of_other_questions_on_the_data(tmp_path: Path, separable: Path) -> None:
    state, (X, y) = tmp_path / "state", data()
    opened(separable, state)
    before = state.read_bytes()
    for options in ({"drop": "b"}, {"label": "a", "positive": 0.5}):
        with pytest.raises(DataError, match="found the state of other columns of these data, expected the same label="):
            opened(separable, state, **options)
    other = parquet(tmp_path, X, y, "other")
    with pytest.raises(DataError, match=rf"found the state of {separable}, expected that of {other}, or a free name"):
        opened(other, state)
    assert state.read_bytes() == before
    assert opened(separable, state, positive=-1).y.tolist() == (-y).tolist()
    for bias in (True, False):
        answer = hard_margin(problem_of(opened(separable, state), bias=bias))
        assert answer.lower == pytest.approx(mm.hard_margin(X, y, bias=bias).lower, rel=1e-12)


def test_a_label_that_is_missing_later_is_named_after_a_kill(tmp_path: Path) -> None:
    X, y = data()
    X[4321, 1] = np.nan
    for number, write in enumerate((parquet, feather, npy)):
        folder = tmp_path / str(number)
        folder.mkdir()
        source = write(folder, X, y)
        killed(lambda source=source, folder=folder: opened(source, folder / "state", Watcher((1, 5))))  # type: ignore[misc]
        for _ in range(2):
            with pytest.raises(DataError, match=r"row 4321, column ('b'|1): found a missing value"):
                opened(source, folder / "state")


def test_parsed_numbers_that_are_gone_or_changed(tmp_path: Path) -> None:
    X, y = data()
    source, state = folder_of(csv)(tmp_path, X, y), tmp_path / "state"
    for file in source.iterdir():
        if file.stat().st_size < 20:
            file.unlink()
    opened(source, state)
    for damage in ("remove", "cut", "change"):
        numbers = tmp_path / "state.numbers-1"
        if damage == "remove":
            numbers.unlink()
        else:
            content = numbers.read_bytes()
            numbers.write_bytes(content[:-8] if damage == "cut" else bytes(len(content)))
        with pytest.warns(UserWarning, match=r"state\.numbers-1 has changed; reading part-2\.csv again"):
            dataset = opened(source, state)
        assert_is(dataset, X, y)
    state.unlink()
    with pytest.raises(DataError, match=r"state\.numbers-0: found a file without its state, expected a free name"):
        opened(source, state)


def test_other_versions_start_anew(tmp_path: Path, separable: Path) -> None:
    state = tmp_path / "state"
    opened(separable, state)
    forge(state, lambda found: replace(found, version="0.0.0"))
    with pytest.warns(UserWarning, match=r"was written by maxmargin 0\.0\.0; starting from scratch"):
        assert_is(opened(separable, state), *data())


def test_a_kill_while_writing_leaves_the_state_before(
    tmp_path: Path, separable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    killed(lambda: opened(separable, state, Watcher((1, 6))))
    before = state.read_bytes()

    def kill(*_: object) -> None:
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", kill)
        killed(lambda: opened(separable, state))
    assert state.read_bytes() == before
    assert_is(opened(separable, state), *data())


def test_a_full_disk_ends_the_keeping_not_the_work(
    tmp_path: Path, separable: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "state"
    killed(lambda: opened(separable, state, Watcher((1, 3))))

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.warns(UserWarning, match="No space left on device; continuing without saving the results"):
        dataset = opened(separable, state)
    assert hard_margin(problem_of(dataset)).status == "optimal"
    assert not (tmp_path / "state.part").exists()


def test_positions_that_cannot_be_written(tmp_path: Path, separable: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for position in (tmp_path, tmp_path / "nowhere" / "state"):
        assert run(["check", str(separable), "--memory", "1MB", "--resume", str(position)]) == 2
        assert capsys.readouterr().err.count("\n") == 1


def test_a_state_among_the_data_would_be_taken_for_data(tmp_path: Path) -> None:
    folder = folder_of(parquet)(tmp_path, *data())
    with pytest.raises(DataError, match="found a file among the data, expected one in another folder"):
        opened(folder, folder / "state")
    assert_is(opened(folder, folder / "_state"), *data())
    assert_is(opened(folder, folder / "_state"), *data())
    assert (folder / "_state").stat().st_mode & 0o077 == 0


def test_labels_that_cannot_be_kept(tmp_path: Path) -> None:
    X, y = data()
    source = parquet(tmp_path, X, np.array([date(2020, 1, 1), date(2021, 1, 1)])[(y > 0).astype(int)])
    for _ in range(2):
        with pytest.warns(UserWarning, match="labels of this type cannot be saved; continuing without"):
            dataset = opened(source, tmp_path / "state")
        assert dataset.classes == ("2020-01-01", "2021-01-01")


def test_where_there_is_nothing_to_resume(tmp_path: Path, separable: Path, capsys: pytest.CaptureFixture[str]) -> None:
    state = tmp_path / "state"
    assert run(["margin", "iris", "--positive", "setosa", "--resume", str(state)]) == 0
    assert f"{state} is not used: the data fit into memory and are read again" in capsys.readouterr().err
    assert run(["check", str(csv(tmp_path, *data())), "--decimal", "--resume", str(state)]) == 2
    assert "--resume is for data on disk" in capsys.readouterr().err
    with pytest.raises(InvalidOptionError, match="expected none with a cluster"):
        load(separable, cluster="tcp://127.0.0.1:1", resume=state)
    said: list[str] = []
    with listened(on_text=said.append):
        assert opened(separable, state, budget=Budget.of("1GiB")).is_in_memory
    assert len(said) == 1 and not state.exists()


def test_marks_see_every_byte_of_small_files_and_the_ends_of_large_ones(tmp_path: Path) -> None:
    for size, positions in ((1000, range(0, 1000, 99)), (10**6, (0, 16383, 983616, 10**6 - 1))):
        path = tmp_path / "file"
        path.write_bytes(bytes(size))
        before, mark = path.stat(), FileMark.of(str(path))
        for position in positions:
            content = bytearray(size)
            content[position] = 1
            path.write_bytes(content)
            touched(path, before)
            assert not FileMark.of(str(path)).is_same(mark)
        path.write_bytes(bytes(size))
        assert not FileMark.of(str(path)).is_same(mark)
        touched(path, before)
        assert FileMark.of(str(path)).is_same(mark)


@pytest.fixture(autouse=True)
def no_unexpected_warning() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        yield
