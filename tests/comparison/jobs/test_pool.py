"""Limited processes: what a task does to them, and what is left of it."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commands import gone_within, is_alive

from maxmargin.comparison.jobs.limit import Limit
from maxmargin.comparison.jobs.outcome import Ending, Outcome
from maxmargin.comparison.jobs.pool import Pool
from maxmargin.solvers.errors import InvalidOptionError

LIMIT = Limit(seconds=2.0, memory=200 << 20, grace=5.0)


@pytest.fixture(autouse=True)
def _tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))


def outcomes(*tasks: str, limit: Limit = LIMIT, n_workers: int = 1, **arguments: object) -> list[Outcome]:
    with Pool(n_workers) as pool:
        futures = [pool.submit(f"hostile_tasks:{task}", arguments, limit) for task in tasks]
        return [future.result() for future in futures]


def test_a_process_is_kept_warm_and_has_one_thread() -> None:
    first, second = outcomes("doubled", "doubled", number=21)
    assert first.ending is second.ending is Ending.OK
    answers = [json.loads(outcome.answer) for outcome in (first, second)]
    assert answers[0] == answers[1] == {"number": 42, "pid": answers[0]["pid"], "threads": "1"}
    assert first.seconds is not None and first.seconds < 2


def test_a_fresh_process_for_every_task() -> None:
    with Pool(1, is_fresh=True) as pool:
        futures = [pool.submit("hostile_tasks:doubled", {"number": 1}, LIMIT) for _ in range(3)]
        pids = {json.loads(future.result().answer)["pid"] for future in futures}
    assert len(pids) == 3


@pytest.mark.parametrize("task, ending, exit_code, said", [
    ("segfault", Ending.CRASHED, -signal.SIGSEGV, "killed by SIGSEGV: on the way down"),
    ("hang", Ending.TIMEOUT, -signal.SIGALRM, "the time is over"),
    ("leave", Ending.CRASHED, 7, "exit code 7"),
    ("leave_as_if_done", Ending.CRASHED, 70, "exit code 70"),
    ("quit_politely", Ending.ERROR, None, "SystemExit: had enough"),
    ("fail", Ending.ERROR, None, "ValueError: not like this"),
    ("answer_nan", Ending.ERROR, None, "ValueError: Out of range float values are not JSON compliant"),
    ("no_such_task", Ending.ERROR, None, "AttributeError"),
])  # fmt: skip
def test_a_bad_task_is_recorded_and_the_next_runs(task: str, ending: Ending, exit_code: int | None, said: str) -> None:
    bad, good = outcomes(task, "doubled", number=1)
    assert (bad.ending, bad.exit_code) == (ending, exit_code)
    assert said in bad.message
    assert good.ending is Ending.OK


@pytest.mark.slow
def test_a_task_that_ignores_all_signals_is_killed() -> None:
    bad, good = outcomes("hang_and_ignore_signals", "doubled", number=1, limit=Limit(seconds=0.5, grace=1.0))
    assert bad.ending is Ending.TIMEOUT
    assert good.ending is Ending.OK


def test_rubbish_on_the_outputs_does_no_harm() -> None:
    (outcome,) = outcomes("print_rubbish")
    assert json.loads(outcome.answer) == {"is_fine": True}


def test_memory_is_limited_beyond_what_is_in_use_and_measured() -> None:
    much, little, again = outcomes("allocate", mib=300), outcomes("allocate", mib=100), outcomes("allocate", mib=300)
    assert much[0].ending is again[0].ending is Ending.MEMORY
    assert little[0].ending is Ending.OK
    assert little[0].peak_mib == pytest.approx(100, abs=10)


def test_what_a_dead_process_started_is_ended(tmp_path: Path) -> None:
    (outcome,) = outcomes("start_a_child_and_die", file=str(tmp_path / "pid"))
    assert (outcome.ending, outcome.exit_code) == (Ending.CRASHED, -signal.SIGKILL)
    assert gone_within(int((tmp_path / "pid").read_text()), 5)


_PARENT = """
import os, sys, time
sys.path.insert(0, {folder!r})
from maxmargin.comparison.jobs.limit import Limit
from maxmargin.comparison.jobs.pool import Pool
import json
if __name__ == "__main__":
    with Pool(2) as pool:
        pids = set()
        while len(pids) < 2:
            done = [pool.submit("hostile_tasks:doubled", {{"number": 1}}, Limit()) for _ in range(20)]
            pids |= {{json.loads(future.result().answer)["pid"] for future in done}}
        for _ in range(2):
            pool.submit("hostile_tasks:hang_and_ignore_signals", {{}}, Limit())
        time.sleep(0.5)
        print(*pids, flush=True)
        time.sleep(1000)
"""


def test_no_process_outlives_a_parent_that_is_killed(tmp_path: Path) -> None:
    script = tmp_path / "parent.py"
    script.write_text(_PARENT.format(folder=str(Path(__file__).parent)))
    parent = subprocess.Popen([sys.executable, str(script)], stdout=subprocess.PIPE, text=True)
    pids = [int(pid) for pid in parent.stdout.readline().split()]
    assert len(pids) == 2 and all(map(is_alive, pids))
    parent.kill()
    parent.wait()
    parent.stdout.close()
    assert all(gone_within(pid, 5) for pid in pids)


@pytest.mark.parametrize("wrong", [{"seconds": 0}, {"memory": -1}, {"grace": 0.0}, {"seconds": float("nan")}])
def test_limits_are_positive(wrong: dict[str, float]) -> None:
    with pytest.raises(InvalidOptionError, match="expected a positive number"):
        Limit(**wrong)


_CALL = 'import maxmargin as mm\nmm.trust(mm.load("agresti"), methods=["lp"])\n'


@pytest.mark.parametrize("arguments, text, said", [
    (["-"], _CALL, "<stdin>, which is no file: save it"),
    (["script.py"], "", 'call under if __name__ == "__main__":'),
])  # fmt: skip
def test_scripts_that_cannot_be_imported_are_told(tmp_path: Path, arguments: list[str], text: str, said: str) -> None:
    (tmp_path / "script.py").write_text(_CALL)
    done = subprocess.run([sys.executable, *arguments], input=text, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 1 and said in done.stderr.splitlines()[-1]
