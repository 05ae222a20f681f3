"""Records that are read are proven and computed again: whatever was changed in them is found."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from maxmargin.comparison.carry_out import StudyPlan
from maxmargin.comparison.collect import load_comparison
from maxmargin.comparison.run_study import run_study
from maxmargin.text.data_error import DataError

pytestmark = pytest.mark.slow

STUDY = {
    "schema": 1,
    "data": [{"source": ["agresti", "xor"]}],
    "method": [{"name": ["hard-margin", "lp"]}, {"name": "sklearn.SVC", "C": 10.0}],
}

Change = Callable[[dict[str, Any]], object]


def to(**changes: Any) -> Change:
    return lambda record: record.update(changes)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("study") / "made"
    run_study(STUDY, out=folder)
    return folder


def forged(made: Path, tmp_path: Path, marks: tuple[str, ...], change: Change) -> Path:
    """Return a copy of the folder in which one record, whose text has these marks, is changed."""
    folder = tmp_path / "forged"
    shutil.copytree(made, folder)
    with sqlite3.connect(folder / "cells.sqlite") as file:
        rows = file.execute("SELECT key, kind, record FROM records ORDER BY key").fetchall()
        key, text = next(
            (key, text) for key, kind, text in rows if all(mark in (kind, *text.split('"')) for mark in marks)
        )
        record = json.loads(text)
        change(record)
        file.execute("UPDATE records SET record = ? WHERE key = ?", (json.dumps(record), key))
    return folder


PROOF, MARGIN, SOFT = ("facts", "separable"), ("cell", "hard-margin", "separable"), ("cell", "sklearn.SVC", "separable")
CHANGES = {
    "upper end": (PROOF, to(gamma_upper=9.0)),
    "lower end": (PROOF, to(gamma_lower=1e-9)),
    "verdict of a proof": (PROOF, to(verdict="overlap")),
    "radius": (PROOF, to(radius=1.0)),
    "no proof": (PROOF, to(certificate=None)),
    "another proof": (PROOF, lambda record: record["certificate"].update(margin_squared="9/1")),
    "margin": (MARGIN, to(margin=9.0)),
    "share": (MARGIN, to(share=0.5)),
    "errors": (MARGIN, to(n_errors=3)),
    "truth": (MARGIN, to(claim_true=False)),
    "claim": (MARGIN, to(claim="overlap")),
    "margin of the data": (MARGIN, to(gamma_upper=3.6)),
    "no verdict": (MARGIN, to(verdict=None)),
    "hyperplane": (MARGIN, to(w=[1.0])),
    "text": (MARGIN, to(w="w")),
    "status": (MARGIN, to(status="error")),
    "rows": (MARGIN, to(n_samples=3)),
    "seconds": (MARGIN, to(seconds="fast")),
    "infinite seconds": (MARGIN, to(seconds=float("inf"))),
    "ending": (MARGIN, to(status=["ok"])),
    "bounds": (MARGIN, to(bounds={"novikoff": -3.0})),
    "no JSON object": (MARGIN, lambda record: record.clear()),
    "objective": (SOFT, to(objective=1.0)),
    "lower bound": (SOFT, to(objective_lower=1e9)),
    "upper bound": (SOFT, to(objective_upper=1e-9)),
    "suboptimality": (SOFT, to(suboptimality=0.5)),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_record_is_one_line(made: Path, tmp_path: Path, name: str) -> None:
    folder = forged(made, tmp_path, *CHANGES[name])
    for read in (
        lambda: load_comparison(folder),
        lambda: run_study(STUDY, out=folder),
        lambda: run_study(STUDY, out=tmp_path / "new", merge=[folder]),
    ):
        with pytest.raises(DataError, match=r"forged/cells\.sqlite: .* is damaged: ") as raised:
            read()
        assert "\n" not in str(raised.value)


@pytest.mark.parametrize("change", [to(seconds=1e-3), to(n_mistakes=7), to(message="x")])
def test_times_and_counts_stay_as_recorded(made: Path, tmp_path: Path, change: Change) -> None:
    assert load_comparison(forged(made, tmp_path, MARGIN, change)).n_not_run == 0


def test_records_without_their_proof_run_again(made: Path, tmp_path: Path) -> None:
    shutil.copytree(made, folder := tmp_path / "made")
    with sqlite3.connect(folder / "cells.sqlite") as file:
        file.execute("DELETE FROM records WHERE kind = 'facts'")
    with pytest.raises(DataError, match="there is no proof about its rows"):
        load_comparison(folder)
    plans: list[StudyPlan] = []
    run_study(STUDY, out=folder, on_plan=plans.append)
    assert len(plans[0].due) == len(plans[0].cells) and load_comparison(folder).n_not_run == 0
