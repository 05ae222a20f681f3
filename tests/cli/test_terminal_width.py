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


@pytest.fixture
def clinic(tmp_path: Path) -> Path:
    """A table with long names in a folder with blanks, in which one column separates some rows."""
    rng = np.random.default_rng(0)
    died, age = rng.integers(0, 2, 60), rng.normal(60, 9, 60).round(1)
    therapy = died * rng.integers(0, 2, 60)
    path = tmp_path / "the data of the second trial of the clinic" / "clinic data.csv"
    path.parent.mkdir()
    columns = {"age_of_the_patient_at_baseline": age, "anticoagulant_therapy_before_admission": therapy, "died": died}
    lines = [",".join(columns), *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines))
    return path


def test_advice_in_python_runs_at_every_width(clinic: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(clinic.parent.parent)
    assert run(["check", f"{clinic.parent.name}/{clinic.name}", "-q"]) == 3
    lines = capsys.readouterr().out.splitlines()
    first = next(number for number, line in enumerate(lines) if line.strip() == "import maxmargin")
    code = [line.strip() for line in lines[first : first + 5] if "statsmodels" not in line and "fit" not in line]
    names: dict[str, mm.Separability] = {}
    exec("\n".join(code), names)
    assert names["answer"].verdict.value == "quasi-separable"
    others = [line for line in lines if "maxmargin.load(" not in line]
    assert others and all(len(line) <= 80 for line in others)


@pytest.mark.parametrize("width, wanted", [(80, True), (200, False)])
def test_columns_without_room_are_named(
    width: int, wanted: bool, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    run(["online", "agresti", "-a", "all", "--max-epochs", "5", "-q"])
    assert ("(no room for " in capsys.readouterr().out) is wanted


def test_an_order_that_was_not_finished_has_no_count(capsys: Capture) -> None:
    assert run(["orders", "odd-max-bit:12", "--time-limit", "0.01", "-q"]) == 4
    assert capsys.readouterr().out.splitlines()[-1] == "no order was finished within the time limit"


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
