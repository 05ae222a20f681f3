"""The trace of the mistakes as people get it: files of the command line, a section of the report."""

import csv
import json
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calls import arguments_of
from commands import Capture, refusal

import maxmargin as mm
from maxmargin.api.running import run_perceptron
from maxmargin.cli.app import run as command
from maxmargin.reports.study.report_settings import ReportSettings
from maxmargin.reports.study.two_class_parts import study_two_classes
from maxmargin.solvers.perceptron.settings import RunSizes
from maxmargin.solvers.proof.novikoff import NovikoffInequality
from maxmargin.theory.mistake_traces import COLUMNS, mistake_trace


def table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def answer(capsys: Capture, *arguments: str) -> tuple[int, Any, str]:
    code = command([*arguments, "--json"])
    captured = capsys.readouterr()
    return code, json.loads(captured.out), captured.err


@pytest.mark.slow
def test_the_file_has_the_columns(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "mistakes.csv"
    code, fields, err = answer(capsys, "perceptron", "agresti", "--trace-mistakes", str(path))
    lines = table(path)
    told = fields["mistake_trace"]
    assert code == 0 and tuple(lines[0]) == COLUMNS and len(lines) == told["n_lines"] < 1701
    assert told["holds"] is True and told["violations"] == [] and len(told["inequalities"]) == 4
    assert f"{len(lines)} of 1,701 mistakes" in err
    data = mm.load("agresti")
    expected = mistake_trace(data.X, data.labels)
    for name, values in expected.columns().items():
        found = np.array([float(line[name] or "nan") for line in lines])
        np.testing.assert_array_equal(found, np.where(np.isfinite(values), values, np.nan))


@pytest.mark.parametrize("suffix", [".md", ".tex"])
def test_one_line_a_traced_mistake(capsys: Capture, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"mistakes{suffix}"
    assert command(["perceptron", "xor", "--max-mistakes", "30", "--trace-mistakes", str(path), "--quiet"]) == 3
    text = path.read_text()
    assert len(text.splitlines()) == 30 + {".md": 4, ".tex": 4}[suffix]
    assert "30 of 30 mistakes, true" in text and "nan" not in text
    assert capsys.readouterr().err == ""


def test_rows_are_those_of_the_source(capsys: Capture, tmp_path: Path) -> None:
    source, path = tmp_path / "missing.csv", tmp_path / "mistakes.csv"
    source.write_text("x,y\n,0\n,0\n5,1\n3,0\n")
    _, fields, _ = answer(capsys, "perceptron", str(source), "--drop-missing", "--trace-mistakes", str(path))
    assert [int(line["row"]) for line in table(path)] == fields["mistake_rows"]
    assert min(fields["mistake_rows"]) >= 2


def test_a_sampled_order_is_sampled_again_from_the_seed() -> None:
    whole = study_two_classes(mm.load("agresti"), ReportSettings(order="random", seed=3, Cs=(1.0,)))
    of_cut, cut = copy(whole), run_perceptron(whole.run_problem, order="random", rng=3, sizes=RunSizes(most_logged=100))
    assert len(cut.mistake_rows) < cut.n_mistakes == whole.run.n_mistakes == len(whole.run.mistake_rows)
    of_cut.run = cut
    assert mm.MarginReport(of_cut).to_dict()["trace"] == mm.MarginReport(whole).to_dict()["trace"]


@pytest.mark.parametrize("arguments, words", [
    (["--trace-mistakes", "t.doc"], ["t.doc", ".csv", ".md", ".tex"]),
    (["--trace-mistakes", "no/t.csv"], ["no"]),
    (["--trace-mistakes", "t.csv", "--trace", "t.csv"], ["t.csv", "two files"]),
])  # fmt: skip
def test_files_that_cannot_be_written_are_refused_before_the_run(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    with arguments_of(run_perceptron) as runs:
        err = refusal(capsys, "perceptron", "agresti", *arguments, "-q")
    assert not runs and all(word in err for word in words)
    assert list(tmp_path.iterdir()) == []


def test_both_traces_at_once(capsys: Capture, tmp_path: Path) -> None:
    steps, mistakes = tmp_path / "steps.csv", tmp_path / "mistakes.csv"
    _, fields, _ = answer(
        capsys, "perceptron", "agresti", "--trace", str(steps), "--trace-mistakes", str(mistakes), "-q"
    )
    assert {"trace", "mistake_trace"} <= set(fields)
    assert sum(int(line["mistake"]) for line in table(steps)) == fields["n_mistakes"]


def test_the_report_has_a_compact_trace() -> None:
    report = mm.margin_report(mm.load("agresti"), Cs=[1.0])
    told = report.to_dict()["trace"]
    assert set(COLUMNS) <= set(told) and told["holds"] is True and told["is_whole"] is False
    assert all(len(told[name]) == told["n_traced"] <= 100 for name in COLUMNS)
    assert told["n_mistakes"][-1] == 1701 and told["bound"] >= 1701
    page = report.to_markdown()
    assert "these inequalities were checked in exact arithmetic" in page and "All of them are true." in page


def test_the_report_of_data_that_overlap_has_no_potential() -> None:
    report = mm.margin_report(mm.load("xor"), Cs=[1.0], max_mistakes=200)
    told = report.to_dict()["trace"]
    assert told["u_margin"] is None and told["bound"] is None and set(told["potential"]) == {None}
    assert told["inequalities"] == [str(NovikoffInequality.GROWTH), str(NovikoffInequality.LENGTH)]
    assert "Nevertheless ‖w‖ stays bounded" in report.to_markdown()
    assert "proof-curves" in [picture.key for picture in report.pictures]


@pytest.mark.slow
def test_two_panels_where_the_spaces_differ() -> None:
    from matplotlib.figure import Figure

    panels = {}
    for name, prepare in (("agresti", "raw"), ("agresti", "center")):
        picture = mm.margin_report(mm.load(name), Cs=[1.0], prepare=prepare).pictures[0]
        figure = Figure()
        picture.draw(figure)
        panels[prepare] = len(figure.axes)
    assert panels == {"raw": 2, "center": 1}
