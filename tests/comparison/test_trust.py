"""The trust report: who is wrong, in which units, at which gaps; and the script that shows it elsewhere."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import for_each
from commands import json_answer, refusal, started
from scipy.sparse import csr_array

import maxmargin as mm
from maxmargin.cli.app import run
from maxmargin.comparison.audit.trust_audit import GAPS
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError

SOME = (
    "hard-margin", "lp", "cvxpy.CLARABEL", "cvxpy.DAQP", "cvxpy.max-t.HIGHS",
    "statsmodels.GLM", "rule.detectseparation",
)  # fmt: skip


@pytest.fixture(scope="module")
def report() -> mm.TrustReport:
    return mm.trust(mm.load("breast_cancer"), time_limit=30, jobs=2, methods=SOME, gaps=True)


def printed_by(script: str, folder: Path) -> list[str]:
    """Return the lines that the script of a report prints."""
    code = script.removeprefix("python - <<'END'\n").removesuffix("\nEND")
    command = [sys.executable, "-W", "ignore", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=True, cwd=folder).stdout.splitlines()


@pytest.mark.slow
def test_ours_is_proven_and_at_least_three_others_are_wrong_or_prove_nothing(report: mm.TrustReport) -> None:
    assert report.proven["verdict"] == "separable"
    ends = report.proven["gamma_lower"], report.proven["gamma_upper"]
    assert ends[0] <= ends[1] and ends == pytest.approx((4.137136842545e-05,) * 2, rel=1e-12)
    entry = {one["method"]: one for one in report.solvers}
    assert entry["hard-margin"]["claim_true"] is entry["lp"]["claim_true"] is True
    assert entry["hard-margin"]["share"] > 1 - 1e-9 and entry["hard-margin"]["angle_upper"] < 1e-4
    assert 1 < entry["lp"]["angle_lower"] < entry["lp"]["angle_upper"] < entry["lp"]["angle_lower"] + 2e-4
    assert sum(one["claim_true"] is not True for one in report.solvers) >= 3
    assert (entry["cvxpy.DAQP"]["claim"], entry["cvxpy.DAQP"]["claim_true"]) == ("not separable", False)
    assert report.solvers[0]["claim_true"] is False, "false claims come first"


@pytest.mark.slow
def test_every_claim_is_judged_as_the_margin_says(report: mm.TrustReport) -> None:
    for one in report.solvers:
        if one["claim"] == "maximum margin":
            assert one["claim_true"] is (one["share"] is not None and one["share"] > 1 - 1e-3)
        if one["claim"] in ("separable", "separation"):
            assert one["claim_true"] is True
        if one["claim"] in ("not separable", "no separation", "estimate exists"):
            assert one["claim_true"] is False


@pytest.mark.slow
def test_the_script_gives_the_same_answers_without_this_package(report: mm.TrustReport, tmp_path: Path) -> None:
    assert "maxmargin" not in report.script
    lines = printed_by(report.script, tmp_path)
    for one in report.solvers:
        if one["claim_true"] is True or one["status"] != "ok":
            continue
        position = next(i for i, line in enumerate(lines) if line.startswith(f"{one['method']} "))
        if one["margin"] is not None:
            said = float(lines[position + 1].rpartition("= ")[2])
            assert said == pytest.approx(one["margin"], rel=1e-3, abs=1e-9)
        if one["method"].startswith("cvxpy"):
            assert re.split("[,;]", one["message"])[0] in lines[position]


@pytest.mark.slow
def test_units_turn_the_verdict_of_a_tolerance_around(report: mm.TrustReport) -> None:
    rule = {(one["rule"], one["tolerance"]): one for one in report.units}
    coarse, fine = rule["max t > tolerance", 1e-4], rule["max t > tolerance", 1e-8]
    assert coarse["is_right"] is False and fine["is_right"] is True
    assert ("all columns", -6) in fine["wrong_at"] or ("all columns", -9) in fine["wrong_at"]
    assert len(coarse["wrong_at"]) >= len(fine["wrong_at"])


@pytest.mark.slow
def test_planted_gaps_that_exact_answers_survive(report: mm.TrustReport) -> None:
    gaps = {one["method"]: one for one in report.gaps}
    for ours in ("hard-margin", "lp"):
        assert gaps[ours]["separable_down_to"] == gaps[ours]["overlap_down_to"] == max(GAPS)
        assert gaps[ours]["first_failure"] is None
    assert (gaps["cvxpy.DAQP"]["separable_down_to"] or 0) < max(GAPS)
    assert gaps["cvxpy.DAQP"]["first_failure"].startswith("gap:")


@pytest.mark.slow
def test_solvers_that_the_limit_of_the_whole_leaves_out_are_named() -> None:
    found = mm.trust([[1.0], [2.0]], [0, 1], methods=["lp", "rule.feasible"], total_time_limit=1e-3)
    assert {one["method"]: one["status"] for one in found.solvers} == {"lp": "not_run", "rule.feasible": "not_run"}
    assert found.proven["verdict"] == "undecided" and found.gaps == () and not found.script
    assert "of 0 solvers" in repr(found) and "2 others were not asked in time" in repr(found)
    assert "The smallest gap" not in found.to_html() and "not_run" in found.to_markdown()


@pytest.mark.slow
def test_it_prints_travels_and_names_what_is_false(report: mm.TrustReport) -> None:
    fields = json.loads(json.dumps(report.to_dict()))
    assert fields["n_false"] == len(report.false_claims) >= 1
    text = report.summary()
    places = [text.index(words) for words in ("FALSE", "in other units", "The smallest gap")]
    assert places == sorted(places) and "python -" not in text and "python -" in report.script
    assert "breast_cancer" in text and "Proven: the classes are separable" in text


@pytest.mark.slow
def test_overlapping_data_and_frames() -> None:
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    report = mm.trust(X, ["a", "b", "a", "b"], methods=["lp", "rule.detectseparation", "cvxpy.max-t.SCIPY"])
    assert report.proven == {"verdict": "overlap", "gamma_lower": None, "gamma_upper": None}
    assert [one["claim_true"] for one in report.solvers] == [True, True, True]
    assert report.script == ""


@pytest.mark.slow
def test_the_command_has_the_exit_code_of_its_finding(capsys: pytest.CaptureFixture[str]) -> None:
    code, fields = json_answer(capsys, "trust", "gap:20", "-q", "--method", "cvxpy.DAQP")
    assert code == 3 and fields["solvers"][0]["claim_true"] is False
    assert run(["trust", "agresti", "-q", "--json", "--method", "lp"]) == 0


def test_the_command_refuses_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert "choose one with --positive" in refusal(capsys, "trust", "-q", "iris", "--method", "lp")
    assert "did you mean 'lp'?" in refusal(capsys, "trust", "-q", "agresti", "--method", "lpp")
    assert "--no-bias" in refusal(capsys, "trust", "-q", "agresti", "--no-bias")


@pytest.mark.slow
def test_rescalings_that_binary64_does_not_hold_are_left_out() -> None:
    """A verdict may change when products are rounded: the rows 5e-324 and 1e-323 are both 0 after 10^-3."""
    for scale in (5e-324, 1e300):
        found = mm.trust([[1 * scale], [2 * scale], [3 * scale], [4 * scale]], [0, 0, 1, 1], methods=["lp"])
        assert found.proven["verdict"] == "separable"
        powers = [power for rule in found.units for _, power in rule["wrong_at"]]
        assert all(power >= 0 if scale < 1 else power < 9 for power in powers)


def test_rows_without_memory_for_zeros_are_refused() -> None:

    wide = csr_array(([1.0, 2.0], ([0, 1], [0, 1])), shape=(200_000, 200_000))
    with pytest.raises(InvalidProblemError, match="memory"):
        mm.trust(wide, np.arange(200_000) % 2)


@for_each("option, value, error", [
    ("jobs", 0, "jobs is 0; expected a whole number from 1"), ("jobs", 1.5, "jobs is 1.5"),
    ("methods", [], "methods is empty"), ("methods", "lpp", "there is no method 'lpp'"),
    ("time_limit", "1", "expected a positive number"), ("time_limit", 0, "expected a positive number"),
])  # fmt: skip
def test_options_that_make_no_sense_are_refused(option: str, value: Any, error: str) -> None:
    with pytest.raises(InvalidOptionError, match=error):
        mm.trust([[1.0], [2.0]], [0, 1], **{option: value})


@pytest.mark.slow
def test_a_limit_may_be_infinite_and_methods_are_asked_once() -> None:
    found = mm.trust([[1.0], [2.0]], [0, 1], methods=["lp", "lp"], time_limit=float("inf"))
    assert [one["claim_true"] for one in found.solvers] == [True]


@pytest.mark.slow
def test_rescalings_that_no_solver_answers_are_counted() -> None:
    found = mm.trust([[1e200, 2e200], [3e200, 1e200]], [0, 1], methods=["lp"])
    assert all(rule["says"] is not None or rule["not_answered"] > 0 for rule in found.units)


@pytest.mark.slow
def test_the_script_has_the_rows_of_the_report(tmp_path: Path) -> None:
    source = tmp_path / "data.csv"
    source.write_text("a,b,out\n1,0,0\n2,5,0\n3,-4,1\n4,1,1\n2.5,0,1\n")
    for options in ({}, {"drop": "b", "label": "a", "positive": "4"}):
        found = mm.trust(mm.load(str(source), **options), methods=["rule.feasible", "sklearn.LogisticRegression"])
        wrong = [one for one in found.solvers if one["claim_true"] is not True]
        lines = printed_by(found.script, tmp_path)
        said = [float(line.rpartition("= ")[2]) for line in lines if "least y" in line]
        assert said == pytest.approx([one["margin"] for one in wrong if one["margin"] is not None], rel=1e-6)


@pytest.mark.slow
def test_sigterm_leaves_no_files(tmp_path: Path) -> None:
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with started("trust", "breast_cancer", "--method", "z3", env=environment) as process:
        end = time.monotonic() + 60
        while not list(tmp_path.glob("maxmargin-*/*/data.npz")) and time.monotonic() < end:
            time.sleep(0.05)
        process.terminate()
        process.communicate(timeout=60)
    assert process.returncode == 128 + signal.SIGTERM
    assert not list(tmp_path.glob("maxmargin-*"))
