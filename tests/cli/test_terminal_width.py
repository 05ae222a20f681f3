"""Every command prints lines of at most the width of the terminal."""

import json
from pathlib import Path

import numpy as np
import pytest
from cases import for_each
from commands import Capture

import maxmargin as mm
from maxmargin.cli.app import run

COMMANDS = [
    "check iris", "check iris --positive setosa", "check xor", "margin iris --positive setosa",
    "margin iris --positive versicolor --soft 0.1 1 10", "perceptron iris --positive setosa", "online --list",
    "online agresti -a all --max-epochs 5", "orders agresti --n-orders 20", "fewest-errors xor", "sensitivity agresti",
    "bounds agresti --explain", "report agresti --orders 0", "generate --list", "judge agresti --plane {plane}",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("width", [60, 80])
@for_each("command", COMMANDS)
def test_no_line_is_longer_than_the_terminal(
    command: str, width: int, capsys: Capture, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    plane = tmp_path / "plane.json"
    plane.write_text('{"w": [-1], "b": 50}')
    run([*command.format(plane=plane).split(), "-q"])
    printed = capsys.readouterr().out.splitlines()
    is_table = [line for line in printed if "  " in line.strip()]
    assert printed and all(len(line) <= width for line in printed if line not in is_table)
    assert width < 80 or all(len(line) <= width for line in is_table)


def test_a_hyperplane_that_was_meant_the_other_way_round(capsys: Capture, tmp_path: Path) -> None:
    plane = tmp_path / "plane.json"
    plane.write_text('{"w": [-1], "b": 50}')
    assert run(["judge", "agresti", "--plane", str(plane), "-q"]) == 3
    assert "(-w, -b) separates: the sides of +1 and -1 may have been swapped" in capsys.readouterr().out
    data = mm.load("agresti")
    judged = mm.judge(data, w=[1.0], b=-65.0)
    assert (len(judged.error_rows), judged.n_errors_reversed) == (1, 7)


@pytest.mark.slow
def test_trust_writes_its_script_only_where_it_is_asked_to(capsys: Capture, tmp_path: Path) -> None:
    script, source = tmp_path / "again.sh", tmp_path / "gap.csv"
    np.savetxt(source, [[0.0, 0.0], [2.0**-40, 1.0]], delimiter=",", header="x,y", comments="")
    command = ["trust", str(source), "--method", "cvxpy.SCS", "--script", str(script), "-q"]
    run([*command, "--json"])
    fields = json.loads(capsys.readouterr().out)
    assert script.read_text("utf-8") == fields["script"] and fields["script"]
    run([*command, "--force"])
    assert fields["script"] not in capsys.readouterr().out
