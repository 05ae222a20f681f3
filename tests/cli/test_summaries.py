"""Commands print the texts of the results, below the line about the data."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from cases import for_each
from commands import Capture

import maxmargin as mm
from maxmargin.cli.app import run
from maxmargin.solvers.basics.printable import wrapped

OVERLAP = "id,length,width,y\np,0.1,2,no\nq,0.7,1,yes\nr,0.9,1,no\ns,0.2,3,yes\nt,0.4,2.5,no\n"
TOUCHING = "id,length,width,y\np,0,2,no\nq,0,2,yes\nr,1,2,yes\ns,-1,2,no\n"
APART = "id,length,width,y\np,0,1,no\nq,2,1,yes\nr,3,4,yes\ns,-1,0.5,no\n"
SOURCES = {"overlap.csv": OVERLAP, "touching.csv": TOUCHING, "apart.csv": APART, "iris": ""}

ORDERS = {"n_orders": 20, "n_search": 50, "n_sequence": 100}
# Command, verb, options of the verb, options of the text.
COMMANDS: dict[str, tuple[Callable[..., Any], dict[str, Any], dict[str, Any]]] = {
    "check": (mm.separability, {}, {}),
    "margin": (mm.hard_margin, {}, {"exact": False}),
    "margin --exact": (mm.hard_margin, {"exact": True}, {}),
    "margin --soft 2": (mm.soft_margin, {"C": 2.0}, {}),
    "perceptron --max-mistakes 50": (mm.perceptron, {"max_mistakes": 50}, {}),
    "orders --n-orders 20 --n-search 50 --n-sequence 100": (mm.order_study, ORDERS, {}),
}


def loaded(source: str, folder: Path) -> tuple[list[str], mm.Dataset]:
    """Return the source with its options on the command line, and the same data."""
    if not SOURCES[source]:
        return [source, "--positive", "virginica"], mm.load(source, positive="virginica")
    path = folder / source
    path.write_text(SOURCES[source])
    return [str(path), "--id", "id"], mm.load(path, id="id")


def printed(capsys: Capture, *arguments: str) -> str:
    """Return what a command prints below the line about the data."""
    assert run([*arguments, "--quiet"]) in (0, 3)
    return capsys.readouterr().out.split("\n", 1)[1].removesuffix("\n")


@pytest.mark.sampled(12)
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_prints_the_text_of_its_result(
    tmp_path: Path, capsys: Capture, command: str, source: str, bias: bool
) -> None:
    arguments, data = loaded(source, tmp_path)
    verb, options, of_text = COMMANDS[command]
    if command == "check":  # which says how Python gives the same answer
        call = f"maxmargin.separability(maxmargin.load({arguments[0]!r}, id='id'){'' if bias else ', bias=False'})"
        of_text = {**of_text, "call": call}
    text = verb(data, bias=bias, **options).summary(**of_text)
    assert printed(capsys, *command.split(), *arguments, *([] if bias else ["--no-bias"])) == text


@pytest.mark.parametrize("source", SOURCES)
def test_fewest_errors_have_the_least_total_slack_among_them(tmp_path: Path, capsys: Capture, source: str) -> None:
    arguments, data = loaded(source, tmp_path)
    slack = mm.least_total_slack(data)
    assert slack.summary().startswith(f"{slack.interval_text}\n  w\n    {data.feature_names[0]}: ")
    text = mm.fewest_errors(data).summary(remarks=[f"  {slack.interval_text}"])
    assert printed(capsys, "fewest-errors", *arguments) == text


@for_each("source", SOURCES)
@for_each("algorithm", ["averaged", "kernel-perceptron"])
def test_online_runs_are_compared_with_the_maximum(
    tmp_path: Path, capsys: Capture, source: str, algorithm: str
) -> None:
    arguments, data = loaded(source, tmp_path)
    command = printed(capsys, "online", *arguments, "-a", algorithm)
    run = mm.online(data, algorithm=algorithm)
    lines = run.summary().splitlines()
    assert all(any(whole.startswith(line) for whole in command.splitlines()) for line in lines)
    compared = run.summary(maximum=mm.hard_margin(data)).splitlines()
    further = [line for line in command.splitlines() if line not in compared]
    assert len(further) <= 1 and all(line.startswith("  in the space of the run: achieved ") for line in further)


@pytest.mark.parametrize("source", SOURCES)
def test_bounds_have_their_assumptions_below_them(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch, source: str
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    arguments, data = loaded(source, tmp_path)
    text = printed(capsys, "bounds", *arguments, "--explain", "--n-passes", "3")
    for bound in mm.mistake_bounds(data.X, data.y, n_passes=3):
        assert bound.summary(width=80).splitlines()[0] == bound.headline + ("" if bound.valid else "; it needs")
        assert wrapped(bound.summary(width=80), 80) in text


def test_the_lines_of_options_come_before_the_last(tmp_path: Path, capsys: Capture) -> None:
    arguments, _ = loaded("apart.csv", tmp_path)
    lines = printed(capsys, "check", *arguments, "--require", "separable", "--decimal").splitlines()
    assert lines[-1].startswith("  found by ")
    assert lines[-2] == "  required: separable, which holds"
    assert lines[-3] == "  this is about the decimal numbers; their binary64 roundings: separable"
