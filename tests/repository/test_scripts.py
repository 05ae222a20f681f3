"""The scripts of docs/scripts are run: the step of an action, the hook of pre-commit, and gates over many files."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "scripts" / "README.md").read_text(encoding="utf-8")
OVERLAP, SEPARABLE, QUASI = "x,y\n1,0\n2,1\n3,0\n4,1\n", "x,y\n1,0\n2,1\n", "x,y\n1,0\n2,0\n2,1\n3,1\n"


def shell(script: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a script of bash, as GitHub does, with the maxmargin of these tests first on the PATH."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    command = ["bash", "-eo", "pipefail", "-c", script]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def data(folder: Path, **tables: str) -> None:
    (folder / "data").mkdir()
    for name, text in tables.items():
        (folder / "data" / f"{name}.csv").write_text(text, encoding="utf-8")


@pytest.mark.parametrize(("tables", "code", "words"), [
    ({"a": OVERLAP, "b": OVERLAP}, 0, []), ({"a": OVERLAP, "b": SEPARABLE}, 3, ["data/b.csv is separable"]),
    ({"a": QUASI, "b": "x,y\n1,0\n?x,1\n"}, 2, ["data/a.csv is quasi-separable", "data/b.csv: line 3, column 'x'"]),
])  # fmt: skip
def test_the_step_of_the_action(tmp_path: Path, tables: Any, code: int, words: list[str]) -> None:
    [step] = re.findall(r"run: \|\n((?: {10}.*\n)+)", PAGE)
    data(tmp_path, **tables)
    done = shell(re.sub("^ {10}", "", step, flags=re.MULTILINE), tmp_path)
    assert (done.returncode, done.stdout.count("::error::")) == (code, len(words)), done.stderr
    assert all(f"::error:: {word}" in done.stdout for word in words)


def test_the_hook_of_pre_commit_and_the_nightly_script(tmp_path: Path) -> None:
    [entry] = re.findall(r"entry: (maxmargin .*)\n", PAGE)
    data(tmp_path, a=SEPARABLE, b=QUASI)
    assert [shell(f"{entry} data/{names}", tmp_path).returncode for names in ("a.csv", "*.csv")] == [0, 3]
    [night] = re.findall(r"^maxmargin check table.csv .*--reuse.*$", PAGE, flags=re.MULTILINE)
    (tmp_path / "table.csv").write_text(OVERLAP)
    first, second = (shell(night, tmp_path) for _ in range(2))
    assert (first.returncode, second.returncode) == (0, 0)
    assert "no older proof" in first.stderr and "found by older proof" in second.stdout


@pytest.mark.slow
def test_gates_over_two_hundred_files(tmp_path: Path) -> None:
    """One start answers for all, and each answer is that of what the file was made of."""
    rng, tables = np.random.default_rng(0), {}
    expected = [("separable", True, True), ("quasi-separable", False, True), ("overlap", False, False)]
    near = ["-0.75,0\n0.75,1\n", "0,0\n0,1\n", "0.5,0\n0.6,0\n-0.5,1\n-0.6,1\n"]
    for i in range(198):
        far = "".join(f"{-x:.2f},0\n{x:.2f},1\n" for x in rng.uniform(1, 9, size=8))
        tables[f"d{i:03}"] = f"x,y\n{far}{near[i % 3]}"
    data(tmp_path, **tables, x1="", x2="x,y\n1,0\n")
    script = "maxmargin check data/*.csv --json -q --min-margin 0.75 --max-errors 1 > out.jsonl"
    done = shell(script, tmp_path)
    answers = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    assert (done.returncode, len(answers), done.stderr.count("\n")) == (2, 200, 2)
    assert [answer["schema"] for answer in answers[-2:]] == ["maxmargin.error/1"] * 2
    for i, answer in enumerate(answers[:-2]):
        verdict, *outcomes = expected[i % 3]
        assert (answer["source"], answer["verdict"]) == (f"data/d{i:03}.csv", verdict)
        assert [gate["holds"] for gate in answer["gates"]] == outcomes
