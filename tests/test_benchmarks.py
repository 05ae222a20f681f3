"""The harness of the benchmarks: limits, failures, ratios, what is kept, and what the table says of it."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"

SCRIPT = '''
"""A benchmark of the harness.

More about it."""
import os, sys, time
sys.path.insert(0, {folder!r})
from harness import Benchmark, Peer, main

def count(data, setting):
    with open({log!r}, "a") as file:
        file.write("x")
    return setting

def sleep(data, setting):
    if data:
        time.sleep(30)

BENCHMARK = Benchmark(
    file=__file__,
    data={{"data": lambda scale: round(scale * 1000)}},
    peers={{
        "limit": Peer(solve=lambda data, _: time.sleep(0.02), is_judged=False),
        "ours": Peer(solve=lambda data, _: time.sleep(0.1) or 1.0),
        "noisy": Peer(solve=lambda data, _: print("some output") or 1.5),
        "slow": Peer(solve=sleep),
        "raises": Peer(solve=lambda data, _: 1 / 0),
        "dies": Peer(solve=lambda data, _: os.kill(os.getpid(), 9) if data else None),
        "coarse": Peer(solve=lambda data, setting: setting, settings=(4.0, 3.0)),
        "refined": Peer(solve=lambda data, setting: setting, settings=(4.0, 1.25, 1.0)),
        "absent": Peer(solve=sleep, needs="no_such_module"),
        "counted": Peer(solve=count, on=("data",), is_judged=False),
        "elsewhere": Peer(solve=sleep, on=("other data",)),
    }},
    ours="ours",
    units=("limit",),
    judge=lambda data, answer: {{"value": answer, "n_units": 2}},
    accuracy=lambda facts, ours: facts["value"] / ours["value"] - 1 if "value" in facts else None,
    is_enough=lambda facts: facts["value"] < 2,
    warm_scale=0.0,
)

if __name__ == "__main__":
    main(BENCHMARK)
'''


class Run:
    """A benchmark script, run in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.script, self.log, self.output = folder / "script.py", folder / "log", folder / "out.json"
        self.script.write_text(SCRIPT.format(folder=str(BENCHMARKS), log=str(self.log)))

    def __call__(self, *options: str) -> str:
        command = [sys.executable, str(self.script), "--repeat", "2", "--limit", "1", "-o", str(self.output), *options]
        done = subprocess.run(command, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        return done.stdout

    @property
    def report(self) -> dict:
        return json.loads(self.output.read_text())

    @property
    def cells(self) -> dict[str, dict]:
        return {cell["peer"]: cell for cell in self.report["cells"]}


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    run = Run(tmp_path_factory.mktemp("benchmark"))
    run.table = run()
    return run


def line(table: str, peer: str) -> list[str]:
    return next(row for row in (line.strip("| ").split(" | ") for line in table.splitlines()) if row[1:2] == [peer])


def test_a_time_limit_is_a_failure_and_is_printed(run):
    cell = run.cells["slow"]
    assert (cell["status"], cell["seconds"], cell["runs"], cell["at_least"]) == ("time limit", None, [], 1.0)
    assert cell["times_ours"] == pytest.approx(1.0 / run.cells["ours"]["seconds"])
    assert line(run.table, "slow")[2] == "**failed**: limit of 1 s"
    assert line(run.table, "slow")[3].startswith(">= ")


def test_times_are_ratios_to_ours_and_to_the_physical_limit(run):
    cells = run.cells
    assert cells["limit"]["times_unit"] == cells["ours"]["times_ours"] == 1
    assert cells["ours"]["times_unit"] == pytest.approx(cells["ours"]["seconds"] / cells["limit"]["seconds"])
    assert cells["ours"]["times_own_units"] == pytest.approx(cells["ours"]["times_unit"] / 2)
    assert cells["ours"]["seconds"] >= 0.1
    assert len(cells["ours"]["runs"]) >= 2


def test_the_accuracy_is_taken_against_ours(run):
    assert [run.cells[peer]["accuracy"] for peer in ("ours", "noisy", "limit")] == [0.0, 0.5, None]
    assert line(run.table, "noisy")[5] == "5.0e-01"


def test_what_a_peer_prints_is_not_taken_for_a_result(run):
    assert run.cells["noisy"]["status"] == "ok"


def test_failures_say_how(run):
    cells = run.cells
    assert (cells["raises"]["status"], cells["raises"]["message"]) == ("failed", "ZeroDivisionError: division by zero")
    assert (cells["dies"]["status"], cells["dies"]["message"]) == ("failed", "killed by SIGKILL")
    assert cells["absent"]["status"] == "not installed"
    assert cells["raises"]["times_ours"] is None
    assert "elsewhere" not in cells


def test_settings_are_tried_until_one_is_enough(run):
    cells = run.cells
    assert (cells["refined"]["status"], cells["refined"]["setting"], cells["refined"]["accuracy"]) == ("ok", 1.25, 0.25)
    assert (cells["coarse"]["status"], cells["coarse"]["setting"]) == ("inaccurate", 3.0)
    assert line(run.table, "coarse, tol = 3")[5] == "no answer"


def test_the_report_describes_itself(run):
    report = run.report
    assert report["title"] == "A benchmark of the harness."
    assert report["machine"]["cores"] >= 1
    assert "numpy" in report["versions"]


def test_finished_cells_are_kept_until_they_are_asked_for_again(run):
    n_before, kept = len(run.log.read_text()), run.cells
    run()
    assert len(run.log.read_text()) == n_before
    assert run.cells == kept
    run("--fresh", "--peer", "c*nted")
    assert len(run.log.read_text()) > n_before
    assert {peer for peer, cell in run.cells.items() if cell != kept[peer]} == {"counted"}


def test_cells_of_another_machine_are_not_kept(run, tmp_path):
    report = run.report
    report["machine"]["cores"] = 1000
    elsewhere = tmp_path / "elsewhere.json"
    elsewhere.write_text(json.dumps(report))
    run("--peer", "noisy", "-o", str(elsewhere))
    assert [cell["peer"] for cell in json.loads(elsewhere.read_text())["cells"]] == ["noisy"]


@pytest.mark.parametrize("name", ["hard_margin", "soft_margin", "verdicts", "small"])
def test_the_benchmarks_start(name, tmp_path):
    command = [sys.executable, f"{BENCHMARKS / name}.py", "--data", "no such data", "-o", str(tmp_path / "out.json")]
    assert subprocess.run(command, capture_output=True).returncode == 0


def test_the_document_has_every_report(run, tmp_path):
    target = tmp_path / "tables.md"
    command = [sys.executable, str(BENCHMARKS / "tables.py"), str(run.output), str(run.output), "-o", str(target)]
    subprocess.run(command, check=True)
    assert target.read_text().count("### A benchmark of the harness.\n") == 2
