"""The benchmarks: limits, failures, ratios, what is kept, and what the table says of it."""

import json
import platform
import re
import subprocess
import sys
from itertools import groupby
from pathlib import Path

import pytest
from commands import python

pytestmark = pytest.mark.slow

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"

SCRIPTS = ("small", "margins", "engines", "hard_margin", "natural", "verdicts", "wide", "out_of_core", "soft_margin")

SCRIPT = '''
"""A benchmark for the tests.

More about it."""
import os, sys, time
from measuring import Benchmark, Peer

def count(data, setting):
    with open({log!r}, "a") as file:
        file.write("x")
    return setting

def sleep(data, setting):
    if data:
        time.sleep(30)

def doze(data, setting):
    if data:
        time.sleep(0.6)
    return setting

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
        "patient": Peer(solve=doze, settings=(4.0, 3.0, 1.0)),
        "absent": Peer(solve=sleep, needs="no_such_module"),
        "counted": Peer(solve=count, on=("data",), is_judged=False),
        "elsewhere": Peer(solve=sleep, on=("other data",)),
    }},
    ours="ours",
    units=("limit",),
    judge=lambda data, answer: {{"value": answer, "n_units": 2}},
    accuracy=lambda facts, ours: facts["value"] / ours["value"] - 1 if "value" in facts else None,
    is_enough=lambda facts: facts["value"] < 2,
)
'''


class Run:
    """A benchmark script, run in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        self.script, self.log, self.output = folder / "script.py", folder / "log", folder / "out.json"
        self.script.write_text(SCRIPT.format(log=str(self.log)))

    def __call__(self, *options: str) -> str:
        limits = ("--repeat", "2", "--limit", "1", "--budget", "1")
        done = script("run.py", str(self.script), *limits, "-o", str(self.output), *options)
        assert done.returncode == 0, done.stderr
        self.notes = done.stderr
        return done.stdout

    @property
    def report(self) -> dict:
        return json.loads(self.output.read_text())

    @property
    def cells(self) -> dict[str, dict]:
        return {cell["peer"]: cell for cell in self.report["cells"]}

    @property
    def finished(self) -> list[dict]:
        return [cell for cell in self.report["cells"] if cell["status"] != "not installed"]


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    run = Run(tmp_path_factory.mktemp("benchmark"))
    run.table, run.first_notes = run(), run.notes
    return run


def line(table: str, peer: str) -> list[str]:
    return next(row for row in (line.strip("| ").split(" | ") for line in table.splitlines()) if row[1:2] == [peer])


def test_a_time_limit_is_a_failure_and_is_printed(run):
    cell = run.cells["slow"]
    assert (cell["status"], cell["seconds"], cell["runs"], cell["at_least"]) == ("time limit", None, [], 1.0)
    assert cell["times_ours"] == pytest.approx(1.0 / run.cells["ours"]["seconds"])
    assert line(run.table, "slow")[2] == "**failed**: limit of 1 s"
    assert line(run.table, "slow")[3].startswith(">= ")


def test_times_are_ratios_to_ours_and_to_the_physical_limit_and_accuracy_is_against_ours(run):
    cells = run.cells
    assert cells["limit"]["times_unit"] == cells["ours"]["times_ours"] == 1
    assert cells["ours"]["times_unit"] == pytest.approx(cells["ours"]["seconds"] / cells["limit"]["seconds"])
    assert cells["ours"]["times_own_units, limit"] == pytest.approx(cells["ours"]["times_unit"] / 2)
    assert cells["ours"]["seconds"] >= 0.1
    assert len(cells["ours"]["runs"]) >= 2
    assert [run.cells[peer]["accuracy"] for peer in ("ours", "noisy", "limit")] == [0.0, 0.5, None]
    assert line(run.table, "noisy")[5] == "5.0e-01"


def test_failures_say_how_and_settings_are_tried_until_one_is_enough(run):
    cells = run.cells
    assert cells["noisy"]["status"] == "ok"
    assert (cells["raises"]["status"], cells["raises"]["message"]) == ("failed", "ZeroDivisionError: division by zero")
    assert (cells["dies"]["status"], cells["dies"]["message"]) == ("failed", "killed by SIGKILL")
    assert cells["absent"]["status"] == "not installed"
    assert cells["raises"]["times_ours"] is None
    assert "elsewhere" not in cells
    assert (cells["refined"]["status"], cells["refined"]["setting"], cells["refined"]["accuracy"]) == ("ok", 1.25, 0.25)
    assert (cells["coarse"]["status"], cells["coarse"]["setting"]) == ("inaccurate", 3.0)
    assert line(run.table, "coarse, tol = 3")[5] == "no answer"


def test_finished_cells_are_kept_until_they_are_asked_for_again(run):
    n_before, kept, finished = len(run.log.read_text()), run.cells, run.finished
    run()
    assert len(run.log.read_text()) == n_before
    assert run.finished == finished
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


def script(name: str, *options: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(BENCHMARKS / name), *map(str, options)]
    return subprocess.run(command, capture_output=True, text=True)


def test_all_benchmarks_are_listed():
    done = script("run.py", "--list", "--fresh")
    names = [line.split()[2].rstrip(":") for line in done.stdout.splitlines()]
    assert set(names) == {path.stem for path in BENCHMARKS.glob("*.py") if "BENCHMARK = " in path.read_text()}
    assert f"{len(names)} cells, about " in done.stderr


STEPS = """
import json, run
options = run.parser("").parse_args(["--fresh"])
due = run.steps([run.Plan.of(run.benchmark_of(f"{name}.py"), options) for name in run.NAMES])
print(json.dumps([[step.plan.benchmark.name, step.cell[0], step.seconds] for step in due]))
"""


def test_cells_of_a_data_set_follow_one_another_and_cheap_ones_come_first():
    steps = json.loads(python(STEPS, cwd=BENCHMARKS))
    groups = [(key, [seconds for *_, seconds in group]) for key, group in groupby(steps, key=lambda step: step[:2])]
    assert len(groups) == len({tuple(key) for key, _ in groups})
    assert all(group == sorted(group) for _, group in groups)
    totals = [sum(group) for _, group in groups]
    assert totals == sorted(totals)


def test_a_benchmark_that_does_not_exist_is_one_line():
    done = script("run.py", "no_such_benchmark")
    assert done.returncode == 2
    assert "there are small, margins" in done.stderr.splitlines()[-1]


def test_missing_peers_are_one_line_and_tried_again(run):
    lines = [line for line in run.first_notes.splitlines() if "no_such_module" in line]
    assert lines == ["not installed: no_such_module; make bench installs them"]
    run("--peer", "absent")
    assert run.cells["absent"]["status"] == "not installed"
    assert "script: data, absent ..." in run.notes


def test_a_search_that_takes_too_long_ends_at_the_setting_it_has(run):
    cell = run.cells["patient"]
    assert (cell["status"], cell["setting"], len(cell["runs"])) == ("inaccurate", 3.0, 1)
    assert line(run.table, "patient, tol = 3")[2].endswith("(1 run)")
    assert line(run.table, "patient, tol = 3")[3].startswith(">= ")


def test_the_report_describes_itself_and_the_machine_without_name_and_path(run):
    report, machine = run.report, run.report["machine"]
    assert report["title"] == "A benchmark for the tests." and "numpy" in report["versions"]
    assert machine["cores"] >= 1 and machine["blas"] and "/" not in json.dumps(machine)
    assert platform.node() not in json.dumps(machine)


@pytest.mark.parametrize("name", SCRIPTS)
def test_ours_runs_at_a_small_scale(name, tmp_path):
    options = ("--scale", "0.001", "--repeat", "1", "--limit", "60", "--folder", tmp_path, "-o", tmp_path / "out.json")
    few = ("--data", "iris", "--data", "30 columns") if name == "small" else ()
    done = script("run.py", name, "--peer", "maxmargin", "--peer", "maxmargin margin", *few, *options)
    assert done.returncode == 0, done.stderr
    cells = json.loads((tmp_path / "out.json").read_text())["cells"]
    assert {cell["status"] for cell in cells} == {"ok"}, cells


def test_the_document_has_every_report(run):
    done = script("tables.py", run.output, run.output)
    assert done.returncode == 0
    assert done.stdout.count("### A benchmark for the tests\n") == 2


PAGE = """# Title

<!-- benchmark: script -->
yesterday's table
<!-- benchmark end -->
between
<!-- benchmark: unmeasured -->
stays
<!-- benchmark end -->
<!-- benchmark: tables -->
stays too, as the only table is above
<!-- benchmark end -->
<!-- benchmark: best -->
stays as well, as none of these were measured
<!-- benchmark end -->
<!-- benchmark: goals -->
yesterday's goals
<!-- benchmark end -->
"""


def test_blocks_of_a_file_are_replaced_and_a_second_time_changes_nothing(run, tmp_path):
    target = tmp_path / "page.md"
    target.write_text(PAGE)
    assert script("tables.py", run.output, "--into", target).returncode == 0
    once = target.read_text()
    assert "yesterday" not in once
    assert f"<!-- benchmark: script -->\n{run.table.splitlines()[0]}\n" in once
    assert "| data | slow | **failed**: limit of 1 s |" in once
    assert "\nbetween\n<!-- benchmark: unmeasured -->\nstays\n<!-- benchmark end -->\n" in once
    assert "stays too" in once and "stays as well" in once
    assert script("tables.py", run.output, "--into", target).returncode == 0
    assert target.read_text() == once


@pytest.mark.parametrize("page", ["README.md", "docs/benchmarks.md"])
def test_the_committed_pages_show_the_committed_results(page, tmp_path):
    """A block for which something was not measured yet stays as it is, here empty."""
    committed, target = (BENCHMARKS.parent / page).read_text(), tmp_path / "page.md"
    block = re.compile(r"(<!-- benchmark: \w+ -->\n)(.*?)(?=<!-- benchmark end -->)", re.DOTALL)
    target.write_text(block.sub(r"\1", committed))
    assert script("tables.py", "--into", target).returncode == 0
    before, after = block.findall(committed), block.findall(target.read_text())
    assert before and all(old and new in ("", old) for (_, old), (_, new) in zip(before, after, strict=True))


def report(**cell: object) -> dict[str, object]:
    return {"benchmark": "hard_margin", "scale": 1.0, "cells": [{"status": "ok", "data": "100k x 50", **cell}]}


@pytest.mark.parametrize("cell, expected", [
    ({"times_ours": 120.0}, "120"),
    ({"times_ours": 90.0}, "**90**"),
    ({"times_ours": 300.0, "status": "time limit"}, ">= 300"),
    ({"times_ours": 99.0, "status": "time limit"}, "**>= 99**"),
    ({"times_ours": 120.0, "status": "inaccurate"}, "no peer gets there"),
    ({"times_ours": None, "status": "failed"}, "no peer gets there"),
    ({"times_ours": None, "status": "not installed"}, "not measured"),
    ({"times_ours": 120.0, "data": "200k x 200"}, "not measured"),
])  # fmt: skip
def test_goals_are_met_missed_or_not_measured(cell, expected, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from goals import goals

    table = goals([report(peer="cvxpy, default solver", **cell)])
    row = next(row for row in table.splitlines() if "cvxpy, default solver" in row)
    assert row == f"| 100k x 50: time of cvxpy, default solver, in ours | >= 100 | {expected} |"


@pytest.mark.parametrize(("status", "facts"), [("inaccurate", {"accuracy": 1e-13}), ("time limit", {})])
def test_a_failure_of_ours_does_not_meet_a_goal(status, facts, monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from goals import goals

    failed = goals([report(peer="maxmargin", status=status, **facts)])
    assert "| 100k x 50: proven relative gap | <= 1e-12 | **failed** |" in failed


def test_the_growth_is_drawn_with_its_slopes_and_without_cells_that_failed(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    import growth

    times = {data: n * d**2 / 1e9 if margin else None for data, ((n, d), margin) in growth.SHAPES.items()}
    cells = [{"data": data, "peer": growth.OURS, "seconds": seconds} for data, seconds in times.items()]
    growth.draw(measured := {"scale": 1, "cells": cells}, tmp_path / "growth.svg")
    assert re.findall(r": slope ([.\d]+)", growth.markdown(measured)) == ["1.0", "2.0"]
    assert "<svg" in (tmp_path / "growth.svg").read_text()


def test_goals_are_about_cells_that_exist(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    from goals import SECTIONS

    listed = {
        tuple(line.split("s  ", 1)[1].split(": ", 1))
        for line in script("run.py", "--list", "--fresh").stdout.splitlines()
    }
    assert listed
    for goal in (goal for section in SECTIONS.values() for goal in section):
        cells = [cell for name, cell in listed if name == goal.benchmark]
        assert cells and any(goal.is_about(data, peer) for cell in cells for data, peer in splits(cell)), goal


def splits(cell: str) -> list[tuple[str, str]]:
    """Return the ways to read "data, peer", as both may have commas."""
    parts = cell.split(", ")
    return [(", ".join(parts[:number]), ", ".join(parts[number:])) for number in range(1, len(parts))]
