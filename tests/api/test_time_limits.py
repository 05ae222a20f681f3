"""A time limit ends every question on which data would take minutes; what is returned is proven all the same."""

import io
import math
import os
import re
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import for_each
from commands import completed, python
from scipy.sparse import csr_array

import maxmargin as mm
from maxmargin.api.question import Question
from maxmargin.cli.app import run as command
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.engines import highs_lp
from maxmargin.solvers.online.catalogue import algorithm_of
from maxmargin.solvers.online.online_settings import OnlineSettings
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.run_online import run_online
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.separability.cone.cone_rows import ConeSettings, SignedRows
from maxmargin.solvers.separability.cone.decide import Decision, decide

_LIMIT = 1.0

# Seconds that no machine takes for an answer within the limit, and that every one exceeds without it.
_FAR_BEYOND = 20.0


@contextmanager
def _in_time() -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < _FAR_BEYOND


def _barely_separable(n: int = 20_000, d: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Rows on which a perceptron makes more than 10^9 mistakes."""
    random = np.random.default_rng(0)
    X, w = random.standard_normal((n, d)), random.standard_normal(d)
    y = np.where(X @ w > 0, 1, -1)
    return X + 1e-6 * np.outer(y, w / np.linalg.norm(w)), y


def _overlapping(n: int = 400, d: int = 20) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    return random.standard_normal((n, d)), random.choice([-1, 1], n)


def _sparse() -> tuple[csr_array, np.ndarray]:
    """Few rows of many columns, most of them 0: as one dense array they are a thousand times larger."""
    random = np.random.default_rng(3)
    rows, columns = np.repeat(np.arange(500), 20), random.integers(0, 20_000, 10_000)
    X = csr_array((random.standard_normal(10_000), (rows, columns)), shape=(500, 20_000))
    return X, random.choice([-1, 1], 500)


def _of_classes() -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(4)
    return random.standard_normal((5_000, 50)), random.integers(0, 100, 5_000)


def _far_apart() -> tuple[np.ndarray, np.ndarray]:
    """Numbers of sizes so different that exact work on them takes long."""
    random = np.random.default_rng(5)
    X = random.standard_normal((400, 30)) * 10.0 ** random.integers(-150, 150, size=(400, 30))
    return X, random.choice([-1, 1], 400)


_LONG: dict[str, tuple[Callable[..., object], Callable[[], tuple[Any, Any]], dict[str, Any]]] = {
    "bounds": (mm.mistake_bounds, _barely_separable, {"n_passes": None}),
    "orders": (mm.order_study, _barely_separable, {"n_orders": 10**6, "max_mistakes": None}),
    "report": (mm.margin_report, _barely_separable, {"max_mistakes": None}),
    "averaged": (mm.online, _sparse, {"algorithm": "averaged"}),
    "p-norm": (mm.online, _sparse, {"algorithm": "p-norm"}),
    "fewest": (mm.fewest_errors, lambda: _overlapping(2_000, 2_000), {}),
    "orders of wide data": (mm.order_study, lambda: _overlapping(50, 100_000), {}),
    "bounds of wide data": (mm.mistake_bounds, lambda: _overlapping(50, 100_000), {}),
    "classes": (mm.margin_report, _of_classes, {}),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", _LONG)
def test_a_verb_ends_in_time(name: str) -> None:
    verb, data, options = _LONG[name]
    X, y = data()
    with _in_time():
        answer: Any = verb(X, y, **options, time_limit=_LIMIT)
        assert answer if isinstance(answer, tuple) else answer.to_dict() and answer.summary()


@pytest.mark.slow
def test_the_search_for_the_best_scale_ends_in_time() -> None:
    X, y = _far_apart()
    with _in_time(), pytest.raises(mm.InvalidProblemError, match="found undecided: the time limit was reached"):
        mm.perceptron(X, y, bias_scale="best", time_limit=_LIMIT)


@pytest.mark.slow
def test_what_is_left_out_of_many_classes_is_said() -> None:
    random = np.random.default_rng(6)
    dataset = mm.from_arrays(random.standard_normal((40, 2)), np.arange(40) % 5)
    whole, late = mm.margin_report(dataset), mm.margin_report(dataset, time_limit=1e-9)
    n_questions = 5 + 10
    assert len(whole.to_dict()["one_vs_rest"]) + len(whole.to_dict()["pairs"]) == n_questions
    asked = len(late.to_dict()["one_vs_rest"]) + len(late.to_dict()["pairs"])
    assert asked < n_questions and f"{n_questions - asked} questions about a class or a pair" in late.to_markdown()
    assert "were left out" not in whole.to_markdown() and late.to_html()


@pytest.mark.slow
def test_a_guarantee_that_is_open_for_lack_of_time_says_so() -> None:
    run = mm.online(*_sparse(), "averaged", max_epochs=2, time_limit=60.0)
    assert not any("time limit" in guarantee.note for guarantee in run.guarantees)
    X, y = _overlapping(2_000, 60)
    problem = Problem.validated(X, y)
    settings = OnlineSettings(max_epochs=1)
    truth = Reference(space=Space.of(problem, 1.0), time_limit=1e-9)
    late = run_online(problem, algorithm_of("averaged", {}), settings, reference=truth)
    assert any("was not decided within the time limit" in guarantee.note for guarantee in late.guarantees)
    assert all(guarantee.holds in (True, None) for guarantee in late.guarantees)


@pytest.mark.slow
def test_fewer_orders_are_the_first_ones_of_more() -> None:
    X, y = _overlapping()
    mm.order_study(X, y, n_orders=1, n_search=0, n_sequence=0, max_epochs=1)  # code is imported and compiled
    some = mm.order_study(X, y, n_orders=10**7, time_limit=3 * _LIMIT).outcomes.n_mistakes
    more = mm.order_study(X, y, n_orders=len(some) + 1, n_search=0).outcomes.n_mistakes
    assert 0 < len(some) < 10**7 and some.tolist() == more[: len(some)].tolist()


def test_a_limit_that_is_over_at_once_leaves_what_is_proven() -> None:
    X, y = _overlapping(60, 3)
    report = mm.margin_report(mm.from_arrays(X, y), time_limit=1e-9)
    fields = report.to_dict()
    assert fields["separability"]["verdict"] in ("overlap", "undecided")
    assert "the time limit was reached" in report.to_markdown()
    bounds = mm.mistake_bounds(X, y, time_limit=1e-9)
    n_mistakes = mm.perceptron(X, y, max_epochs=1).n_mistakes
    assert all(bound.value >= n_mistakes for bound in bounds if bound.valid and bound.name != "trivial")


COMMANDS = (
    "check xor, margin agresti, margin xor --soft 1, perceptron agresti, online agresti, bounds agresti, "
    "fewest-errors xor, orders agresti --n-orders 5, report agresti, generate xor"
)


@pytest.mark.sampled(2)
@pytest.mark.parametrize("line", COMMANDS.split(", "))
def test_every_command_takes_a_limit(line: str, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = [*line.split(), "--quiet"]
    assert command(arguments) == command([*arguments, "--time-limit", "60"])
    assert command([*arguments, "--time-limit", "0"]) == 2
    assert "not a positive number of seconds" in capsys.readouterr().err


@pytest.mark.slow
def test_a_proof_that_is_not_checked_in_time_is_neither_valid_nor_invalid(tmp_path: Path) -> None:
    """A process of its own: it is interrupted wherever it is, so that files may stay open."""
    rng = np.random.default_rng(2)
    rows = np.column_stack([rng.standard_normal((4_000, 20)), rng.choice(["a", "b"], 4_000)])
    data, proof = tmp_path / "rows.csv", tmp_path / "proof.json"
    pd.DataFrame(rows).to_csv(data, index=False)
    assert command(["check", str(data), "--proof", str(proof), "--quiet"]) == 3
    in_no_time = completed("verify", str(proof), str(data), "--time-limit", "0.001")
    assert (in_no_time.returncode, in_no_time.stdout) == (4, "")
    assert in_no_time.stderr.endswith("maxmargin: not finished within the time limit of 0.001 s\n")
    assert completed("verify", str(proof), str(data), "--time-limit", "100").returncode == 0


def test_an_interrupt_by_the_clock_that_a_callback_swallows_is_repeated() -> None:
    """In a callback Python has nobody to raise it in."""
    lost = """
import sys, time
sys.unraisablehook = lambda unraisable: print("told", unraisable.exc_type.__name__)
from maxmargin.cli.deadline import TimeIsOverError, ended_within
from maxmargin.solvers.basics.limits import Limits

class Slow:
    def __del__(self):
        time.sleep(1.0)

try:
    with ended_within(Limits(time_limit=0.2)):
        Slow()
        print("swallowed")
        time.sleep(60.0)
except TimeIsOverError as error:
    print(error)
"""
    assert python(lost, timeout=50) == "swallowed\nnot finished within the time limit of 0.2 s\n"


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGALRM"), reason="no signal ends a wait there")
def test_the_limit_ends_a_wait_for_input_and_work_in_the_background(tmp_path: Path) -> None:
    """The shell has work in the background ignore Ctrl-C."""
    proof = tmp_path / "proof.json"
    assert command(["check", "xor", "--proof", str(proof), "--quiet"]) == 3
    reader, writer = os.pipe()
    done = completed(
        "verify", str(proof), "-", "--time-limit", "1", stdin=reader, timeout=50,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN),
    )  # fmt: skip
    os.close(writer)
    os.close(reader)
    assert done.returncode == 4, done.stderr


@pytest.mark.slow
@for_each("source", ("rows.csv", "folder", "-", "rows.npz"))
def test_the_limit_ends_reading(source: str, tmp_path: Path) -> None:
    """A process of its own, as above; its imports take longer than the limit."""
    X, y = _overlapping(1_000, 10)
    text = io.StringIO()
    np.savetxt(text, np.column_stack([X, y]), delimiter=",")
    (tmp_path / "folder").mkdir(exist_ok=True)
    for name in ("rows.csv", "folder/rows.csv"):
        (tmp_path / name).write_text(40 * text.getvalue())
    np.savez(tmp_path / "rows.npz", X=np.tile(X, (80, 1)), y=np.tile(y, 80))
    with open(tmp_path / "rows.csv", "rb") as piped:
        late = completed("check", source, "--no-header", "--time-limit", "0.01", cwd=tmp_path, stdin=piped)
    assert (late.returncode, late.stdout) == (4, ""), late.stderr
    how_far = r"after \d+ MB" if source == "-" else r"(, at \d+ of)? \d+ MB"
    where = "standard input" if source == "-" else source
    assert re.fullmatch(f"maxmargin: {where}: the limit ended while reading,? ?{how_far}\n", late.stderr), late.stderr


def test_it_counts_from_the_start_of_the_command_and_the_call_of_the_function() -> None:
    arguments = ["check", "agresti", "--time-limit", "100"]
    assert (command(arguments), command(arguments, started=time.monotonic() - 101)) == (0, 4)

    class Slow(list[float]):
        def __array__(self, *_: object, **__: object) -> np.ndarray:
            self.read = time.monotonic()
            return np.array([[1.0], [2.0]])

    X = Slow()
    assert Question.of(X, [0, 1], time_limit=5).limits.started <= X.read


def test_what_is_found_when_the_limit_ends_is_proven() -> None:
    for X, y in (_overlapping(), _barely_separable(40, 5)):
        limits = Limits(time_limit=100)

        def solve(*rows: Any, limits: Limits = limits, **options: Any) -> Any:
            assert not limits.is_over()  # it is asked once
            object.__setattr__(limits, "started", -math.inf)
            return highs_lp.solve_on_face(*rows, **options)

        cone = SignedRows(Problem.validated(X, y), ConeSettings(solve_on_face=solve))
        assert isinstance(decide(cone, limits), Decision) and limits.is_over()
