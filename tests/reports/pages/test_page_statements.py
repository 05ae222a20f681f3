"""What a margin page says is consistent with every number on it, and with its proof."""

import base64
import hashlib
import json
import math
import re
from fractions import Fraction
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import for_each
from opened_pages import DATA, each, page_of, report_of
from page_outline import check_page, element, visible

import maxmargin as mm
from maxmargin.reports.document import plain_text
from maxmargin.reports.drawings.label_placement import Label, place
from maxmargin.reports.sections.answer_sentences import answer_sentences
from maxmargin.reports.study.drawn_rows import drawn_rows_of
from maxmargin.text.number_formats import count, floor_of

CONVERGED = ["clouds", "setosa", "two points", "one column"]
STOPPED = ["breast_cancer", "tiny units", "huge units"]
INSEPARABLE = ["versicolor", "xor", "hostile", "quasi"]
SEPARABLE = [name for name in DATA if name not in INSEPARABLE]
MOST_CHARACTERS, MOST_OF_A_SCRIPT = 270_000, 14_000


@each(CONVERGED)
def test_the_lead_of_a_run_that_converged(name: str) -> None:
    report = report_of(name).to_dict()
    lead, run = plain_text(answer_sentences(report)), report["perceptron"]
    bound = next(bound["value"] for bound in report["bounds"] if bound["name"] == "novikoff")
    mistakes = "mistake" if run["n_mistakes"] == 1 else "mistakes"
    assert lead.startswith(f"The perceptron stopped after {count(run['n_mistakes'])} {mistakes}; theory allows")
    assert f"theory allows {floor_of(bound)} in any order." in lead
    assert lead.endswith(", proven.")
    assert report["comparison"]["share_of_maximum"] > 0
    assert run["margin"] > 0


@each(STOPPED)
def test_the_lead_of_a_run_that_was_stopped(name: str) -> None:
    report = report_of(name).to_dict()
    lead, run, best = plain_text(answer_sentences(report)), report["perceptron"], report["hard_margin"]["lower"]
    assert lead.startswith(
        f"After {count(run['n_mistakes'])} mistakes the perceptron still errs on {run['n_errors']} row"
    )
    assert run["margin_upper"] >= best
    assert "the truth, proven, is" in lead


@each(["versicolor", "xor", "hostile"])
def test_the_lead_of_classes_that_overlap(name: str) -> None:
    report = report_of(name).to_dict()
    lead, best = plain_text(answer_sentences(report)), report["fewest_errors"]
    assert lead.startswith("No hyperplane separates the classes (the maximum margin is 0); the best makes ")
    assert f"{count(best['lower'])} " in lead
    assert "proven" in lead
    assert f"{count(report['perceptron']['n_mistakes'])} mistakes" in lead and "never settles" in lead


def test_the_lead_of_quasi_separation() -> None:
    report = report_of("quasi").to_dict()
    n_separated = len(report["separability"]["separated_rows"])
    lead = plain_text(answer_sentences(report))
    assert f"only {n_separated} of 6 rows" in lead
    assert f"The maximum margin is 0; the perceptron made {count(report['perceptron']['n_mistakes'])} mistakes" in lead


def test_the_lead_of_an_open_question() -> None:
    """Without time there is no verdict, and the page says what is proven and what is open."""
    report = report_of("clouds").to_dict()
    report |= {"strictly_separable": None, "verdict": "undecided"}
    report["hard_margin"] |= {"lower": 0.0, "upper": 1.5}
    lead = plain_text(answer_sentences(report))
    assert lead.startswith("It is proven that the margin is in [0, 1.5].")
    assert "is open" in lead


@each(SEPARABLE)
def test_novikoffs_bound_is_always_on_the_ruler(name: str) -> None:
    report, page = report_of(name).to_dict(), page_of(name)
    bound = next(bound for bound in report["bounds"] if bound["name"] == "novikoff")
    if bound["value"] is not None:
        assert f"Novikoff, any order: {floor_of(bound['value'])}" in unescape(page)
    assert "vacuous" not in visible(page)


@pytest.mark.sampled(1)
@each()
def test_fewest_and_most_hold_for_every_count(name: str) -> None:
    orders = report_of(name).to_dict()["orders"]
    if orders["reason"] is not None:
        pytest.skip("no orders were tried")
    counts = [orders[key]["n_mistakes"] for key in ("file_order", "best_order", "worst_order")]
    counts += [orders["least"], orders["most"], (orders["sequence"] or orders["worst_order"])["n_mistakes"]]
    assert orders["best"]["n_mistakes"] <= min(counts)
    assert orders["worst"]["n_mistakes"] >= max(counts)
    if orders["sequence"] is not None:
        assert orders["sequence"]["n_mistakes"] >= orders["most"], "an adversary is no worse than chance"


@each(SEPARABLE)
def test_no_row_stands_inside_the_margin(name: str) -> None:
    """Where the maximum margin is the unit, its strip begins at 1, on the line of the maximum margin."""
    page = page_of(name)
    strip = re.search(r'<g id="distances-truth" data-scale="(\w+) (.*?)">(.*?)</g>', page, re.DOTALL)
    assert strip
    if "distance on the correct side, in γ*" not in page:
        pytest.skip("the unit is another one")
    low, high, start, end = map(float, strip[2].split())
    bend = {"linear": float, "signed": lambda t: math.asinh(2 * t)}[strip[1]]
    edge = start + (bend(1.0) - bend(low)) / (bend(high) - bend(low)) * (end - start)
    assert min(float(x) for x in re.findall(r"M(-?[\d.]+) ", strip[3])) >= edge - 0.051


@each(["clouds", "setosa", "versicolor", "hostile", "quasi", "tiny units"])
def test_the_marks_of_rows_are_at_their_distances(name: str) -> None:
    """In the units that the axis names; the bound of the maximum margin is no less than it."""
    study: Any = report_of(name).study
    scene = drawn_rows_of(study)
    planes = [plane for plane in (study.found, study.reference) if plane is not None]
    for strip, plane in zip(scene.strips, planes, strict=True):
        distances = plane.distances(study.problem, scene.rows)
        assert strip.distances * scene.unit == pytest.approx(distances, rel=1e-9, abs=1e-12 * np.abs(distances).max())


@each(INSEPARABLE)
def test_the_fewest_errors_are_proven_and_their_rows_named(name: str) -> None:
    report, page = report_of(name).to_dict(), page_of(name)
    best, text = report["fewest_errors"], visible(page)
    assert best["reason"] is None
    assert len(best["rows"]) == best["upper"]
    assert "is not computed" not in text
    assert "not proven separable" not in text
    every = [entry["n_errors"] for entry in report["compared"] if entry["n_errors"] is not None]
    assert best["lower"] <= min(every)
    X, y = DATA[name]().X, np.asarray(DATA[name]().labels)
    kept = np.setdiff1d(np.arange(len(y)), [entry["row"] for entry in best["rows"]])
    if len(set(y[kept].tolist())) > 1 and best["lower"] == best["upper"] and len({*y.tolist()}) == 2:
        assert mm.separability(X[kept], y[kept]).strictly_separable


@each()
def test_the_form_of_the_page_its_policy_and_the_style_of_its_numbers(name: str) -> None:
    page = page_of(name)
    check_page(page)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="(.*?)"', page)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    assert policy and len(scripts) == 1
    digest = base64.b64encode(hashlib.sha256(scripts[0].encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in unescape(policy[1])
    assert "default-src 'none'" in unescape(policy[1])
    text = visible(page)
    assert not re.search(r"\d[eE][-+]?\d", re.sub(r"\b[0-9a-f]{12,}\b", "", text).replace("5e-324", "")), (
        "powers are typeset"
    )
    assert not re.search(
        r"(?<![\d.,×⁻])1 (mistakes|rows|errors|epochs|orders|features|columns|presentations|times)\b", text
    )
    assert not re.search(r"\d\.\d+ (mistakes|rows|presentations)\b", text), "counts are whole"
    assert "nan" not in text.lower().split()
    assert ": None" not in text
    assert "None," not in text


@pytest.mark.slow
def test_sizes() -> None:
    page = page_of("breast_cancer")
    checker = re.search(r'id="checker">(.*?)</script>', page, re.DOTALL)
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)
    assert checker and script
    assert len(page.encode()) <= MOST_CHARACTERS
    assert max(len(checker[1].encode()), len(script[1].encode())) <= MOST_OF_A_SCRIPT


@each()
def test_the_page_and_the_json_hold_the_proof_of_the_margin(name: str) -> None:
    dataset = DATA[name]()
    proof = report_of(name).to_dict()["certificate"]
    assert element(page_of(name), "proof-text") == proof
    X, labels = dataset.X, np.asarray(dataset.labels)
    y = np.where(labels == dataset.positive, 1, -1)
    assert mm.verify(json.dumps(proof | {"data": {**proof["data"], "positive": 1}}), X, y)
    report = report_of(name).to_dict()
    if report["strictly_separable"]:
        lower = report["hard_margin"]["lower"]
        assert Fraction(proof["margin_squared"]) >= Fraction(lower) ** 2
        upper = report["hard_margin"]["upper"]
        assert Fraction(proof.get("upper_squared", proof["margin_squared"])) <= Fraction(upper) ** 2


def test_a_page_names_no_folder() -> None:
    page = page_of("clouds")
    assert "folder/" not in page
    assert "pets.csv" in page


@pytest.mark.slow
def test_data_beyond_a_page_are_a_file_beside_it(tmp_path: Path) -> None:
    """Its SHA-256 is the one that the proof states."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5_200, 50))
    y = np.where(X[:, 0] > 0, 1, -1)
    X[:, 0] += 3 * y
    report = mm.margin_report(X, y, Cs=[1.0], orders=0, max_mistakes=2_000)
    report.save(tmp_path / "page.html")
    proof = report.to_dict()["certificate"]
    assert hashlib.sha256((tmp_path / "page.f64").read_bytes()).hexdigest() == proof["data"]["sha256"]
    assert 'id="drop-file"' in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_the_replay_gives_the_weights_of_the_run() -> None:
    report = report_of("clouds")
    study: Any = report.study
    rows = element(page_of("clouds"), "page-data")["run"]["rows"]
    problem = study.problem
    w = (problem.X[rows] * problem.y[rows][:, None]).sum(axis=0)
    assert w == pytest.approx(study.run.w)


@for_each("seed", range(20))
def test_placed_labels_do_not_meet(seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = [
        Label(float(at), "x" * int(n)) for at, n in zip(rng.uniform(0, 800, 7), rng.integers(1, 30, 7), strict=True)
    ]
    placed = place(labels, 0, 800)
    for i, one in enumerate(placed):
        for other in placed[:i]:
            assert one.lane != other.lane or one.end < other.start or other.end < one.start
