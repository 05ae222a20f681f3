"""The page of a trust report: the answer first, the numbers those of the dict, names that stay text, its files."""

import json
import math
import re
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from calls import arguments_of
from commands import refusal
from page_outline import check_page

import maxmargin as mm
from maxmargin.cli.app import run
from maxmargin.comparison.audit import trust_audit

HOSTILE = "<script>alert(1)</script>\n\x1b[2J\u202e|`"


def solver(method: str, claim: str | None = None, *, is_true: bool | None = None, **changes: Any) -> dict[str, Any]:
    return {
        **{"method": method, "version": "1.0", "params": {}, "status": "ok", "message": "optimal", "claim": claim},
        **{"claim_true": is_true, "margin": 0.5, "share": 0.5, "n_errors": 0, "seconds": 0.25},
        **{"angle_lower": None, "angle_upper": None, **changes},
    }


def rule(tolerance: float, *, is_right: bool | None, wrong_at: tuple[Any, ...] = ()) -> dict[str, Any]:
    return {
        **{"rule": "max t > tolerance", "tolerance": tolerance, "says": "separable", "is_right": is_right},
        **{"wrong_at": wrong_at, "not_answered": 0},
    }


def gap(method: str, separable: int | None, overlap: int | None, failure: str | None = None) -> dict[str, Any]:
    ends = {"separable_down_to": separable, "overlap_down_to": overlap, "first_failure": failure}
    return {"method": method, "params": {}, **ends}


@pytest.fixture
def report() -> mm.TrustReport:
    solvers = (
        solver("liar", "not separable", is_true=False, margin=None, share=None, n_errors=None),
        solver("slack", "maximum margin", is_true=False, share=0.75, angle_lower=5.25, angle_upper=5.252),
        solver("dead", None, status="timeout", message="the time is over", seconds=None, share=None, n_errors=None),
        solver("silent", None, n_errors=7, params={"C": math.inf}),
        solver("ours", "maximum margin", is_true=True, share=1 - 1e-15, angle_lower=0.0, angle_upper=1.04e-6),
    )
    return mm.TrustReport(
        source="/home/someone/folder/data.csv",
        proven={"verdict": "separable", "gamma_lower": 0.8175557692888209, "gamma_upper": 0.817555769288821},
        solvers=solvers,
        script="python - <<'END'\nprint(1 < 2)\n\n    # *indented*\nEND",
        units=(
            rule(1e-4, is_right=False, wrong_at=(("all columns", 0), ("all columns", -3), ("age", 6))),
            rule(1e-6, is_right=True),
        ),
        gaps=(gap("ours", 50, 50), gap("liar", None, 8, "gap:4: not separable (infeasible)")),
    )


def rows_of(page: str, caption: str) -> list[list[str]]:
    """The texts of the cells of a table of the page."""
    table = re.sub(r"(?s).*<caption>" + re.escape(caption) + "</caption>(.*)", r"\1", page).partition("</table>")[0]
    body = table.partition("<tbody>")[2]
    rows = re.findall(r"<tr>(.*?)</tr>", body)
    return [[unescape(cell) for cell in re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)] for row in rows]


def test_the_answer_comes_first(report: mm.TrustReport) -> None:
    page = report.to_html()
    assert "<h1>2 of 5 solvers claim what is false about these data.</h1>" in page
    lead = re.sub("<[^>]*>", "", "".join(re.findall(r'<p class="lead">(.*?)</p>', page)))
    assert lead == (
        "Proven: the classes are separable, with the maximum margin 0.81755576928882…. "
        "False claims come from liar and slack. 2 claim nothing."
    )


@pytest.mark.parametrize("kept, headline", [
    (("ours", "silent"), "None of 2 solvers claims what is false about these data."),
    (("liar", "ours"), "1 of 2 solvers claims what is false about these data."),
    (("ours",), "The solver that was asked claims nothing false about these data."),
    (("liar",), "The solver that was asked claims what is false about these data."),
])  # fmt: skip
def test_the_number_of_false_claims_is_in_words(report: mm.TrustReport, kept: tuple[str, ...], headline: str) -> None:
    chosen = replace(report, solvers=tuple(entry for entry in report.solvers if entry["method"] in kept))
    assert f"<h1>{headline}</h1>" in chosen.to_html() and f"**{headline}**" in chosen.to_markdown()


@pytest.mark.parametrize("proven, said", [
    ({"verdict": "overlap", "gamma_lower": None, "gamma_upper": None}, "Proven: the classes **overlap**."),
    ({"verdict": "quasi-separable", "gamma_lower": 0.0, "gamma_upper": 0.0}, "the classes are **quasi-separable**."),
    ({"verdict": "undecided", "gamma_lower": None, "gamma_upper": None}, "was not decided"),
])  # fmt: skip
def test_every_verdict_has_its_words(report: mm.TrustReport, proven: dict[str, Any], said: str) -> None:
    text = replace(report, proven=proven).to_markdown()
    assert said in text and "γ\\* |" not in text.partition("## ")[0], "no margin where there is none"


def test_the_page_has_the_numbers_of_the_dict(report: mm.TrustReport) -> None:
    page, fields = report.to_html(), report.to_dict()
    cards = dict(re.findall(r'<dt>(.*?)</dt><dd class="value">(.*?)</dd>', page))
    assert cards["False claims"] == str(fields["n_false"]) == "2"
    assert cards["Verdict"] == fields["proven"]["verdict"]
    claims = rows_of(page, "Claims against what is proven")
    assert [row[0].partition("(")[0] for row in claims] == [entry["method"] for entry in fields["solvers"]]
    assert [row[2] for row in claims] == [entry["claim"] or "—" for entry in fields["solvers"]]
    assert [row[1] for row in claims] == ["FALSE", "FALSE", "—", "—", "true"]
    assert [row[3] for row in claims] == ["—", "75 %", "—", "does not separate", "≥ 99.9999 %"]
    assert [row[6] for row in claims] == ["—", "5.25…°", "—", "—", "≤ 1.1×10⁻⁶°"]
    assert [row[7] for row in claims] == ["0.25", "0.25", "—", "0.25", "0.25"]
    assert claims[2][5] == "timeout: the time is over" and claims[3][0] == "silent(C=inf)"
    units = rows_of(page, "Rules with a tolerance, in other units")
    assert units == [
        ["max t > tolerance", "10⁻⁴", "WRONG", "10⁻³ (all columns), 10⁶ (age)"],
        ["max t > tolerance", "10⁻⁶", "right", "—"],
    ]
    gaps = rows_of(page, "The smallest gap that a solver gets right")
    assert gaps == [["ours", "2⁻⁵⁰", "2⁻⁵⁰", "—"], ["liar", "none", "2⁻⁸", "gap:4: not separable (infeasible)"]]


def test_markdown_has_the_same_tables_and_the_script(report: mm.TrustReport) -> None:
    text, page = report.to_markdown(), report.to_html()
    for caption in re.findall("<caption>(.*?)</caption>", page):
        assert f"**{unescape(caption)}**".replace("γ*", "γ\\*") in text
    assert re.findall("^## (.*)$", text, flags=re.MULTILINE) == re.findall("<h2[^>]*>(.*?)</h2>", page)
    assert f"### The script (5 lines)\n\n```\n{report.script}\n```\n" in text
    assert "<code>python - &lt;&lt;&#39;END&#39;\nprint(1 &lt; 2)\n\n    # *indented*\nEND\n</code>" in page
    assert "script" not in replace(report, script="").to_markdown()


def test_a_file_is_called_by_its_name_not_by_its_folders(report: mm.TrustReport) -> None:
    for text in (report.to_html(), report.to_markdown()):
        assert "data.csv" in text and "someone" not in text


def test_the_page_is_one_file_that_loads_nothing(report: mm.TrustReport) -> None:
    page = report.to_html()
    check_page(page)
    assert "script-src" not in page and "<script" not in page


def test_names_stay_text_in_every_form(report: mm.TrustReport) -> None:
    liar = solver(HOSTILE, HOSTILE, is_true=False, message=HOSTILE, version=HOSTILE, params={"p": HOSTILE})
    units = (rule(1e-4, is_right=False, wrong_at=((HOSTILE, 3),)),)
    made = replace(
        report, source=HOSTILE, solvers=(liar,), units=units, gaps=(gap(HOSTILE, 4, 4, HOSTILE),), script=HOSTILE
    )
    page, text, card = made.to_html(), made.to_markdown(), made._repr_html_()
    assert "<script" not in page + card and card.isprintable()
    for form in (page, text, made.to_json()):
        assert "\x1b" not in form and "\u202e" not in form and "alert(1)" in form
    outside = re.sub(r"(?ms)^(`{3,})$.*?^\1$", "", text)
    assert "<script>" not in outside.replace("\\<script\\>", "")


def test_json_has_no_infinity(report: mm.TrustReport) -> None:
    fields = json.loads(report.to_json(), parse_constant=lambda name: pytest.fail(name))
    assert fields == report.to_dict()
    assert fields["solvers"][3]["params"] == {"C": "inf"}


def test_the_command_refuses_another_suffix_before_the_work(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    with arguments_of(trust_audit.audited) as calls:
        for name in ("trust.txt", "trust", "trust.tex"):
            assert "expected .html, .md, .json" in refusal(capsys, "trust", "agresti", "-o", str(tmp_path / name))
    assert not calls and not list(tmp_path.iterdir())


@pytest.mark.slow
def test_the_command_writes_the_page(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    command = ["trust", "agresti", "--method", "lp", "--method", "hard-margin"]
    for suffix, begin in ((".html", "<!DOCTYPE html>"), (".md", "# agresti: whom to trust"), (".json", "{")):
        path = tmp_path / f"trust{suffix}"
        assert run([*command, "-o", str(path)]) == 0
        printed = capsys.readouterr()
        assert path.read_text("utf-8").startswith(begin)
        assert f"wrote {path}" in printed.err and "0 false claims of 2 solvers" in printed.out
