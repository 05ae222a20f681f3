"""The margin page in a browser: what it says on its console, checks, shows, moves and prints."""

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from opened_pages import DATA, page_of, report_of

import maxmargin as mm

SEPARABLE = ["clouds", "setosa", "breast_cancer", "two points", "gap", "tiny units", "huge units"]
MOST_PIXELS, MOST_PAGES = 5_000, 6


@pytest.fixture
def opened(shown: Any) -> Any:
    """A function that opens the page of some data, or another content."""
    return lambda name, content=None, **options: shown(page_of(name) if content is None else content, **options)


@pytest.mark.slow
@pytest.mark.parametrize("name", DATA)
def test_the_page_checks_its_proof_and_says_nothing_else(name: str, opened: Any) -> None:
    found = opened(name)
    assert found.page.inner_text("#check").startswith("✓ Proof checked in this browser")
    assert "the SHA-256 of the data, " in found.page.inner_text("#check-full")
    assert found.said == []
    assert found.page.evaluate("document.documentElement.scrollHeight") <= MOST_PIXELS
    assert found.page.evaluate("document.documentElement.scrollWidth") <= 1200


@pytest.mark.sampled(1)
@pytest.mark.parametrize("width", [390, 768, 1200])
@pytest.mark.parametrize("name", DATA)
def test_no_two_labels_meet(name: str, width: int, opened: Any) -> None:
    found = opened(name, viewport={"width": width, "height": 900})
    meeting = found.page.evaluate(
        """() => [...document.querySelectorAll('svg')].flatMap((svg) => {
          const frame = svg.getBoundingClientRect();
          if (!frame.width) return [];
          const texts = [...svg.querySelectorAll('text')].filter((text) => text.textContent);
          const boxes = texts.map((text) => text.getBoundingClientRect());
          const is_bad = (box) => box.height < 11 || box.left < frame.left - 1 || box.right > frame.right + 1;
          const bad = texts.filter((text, k) => is_bad(boxes[k])).map((text) => 'small or cut: ' + text.textContent);
          return bad.concat(boxes.flatMap((a, i) => boxes.slice(i + 1).flatMap((b, k) =>
            a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3
              ? [texts[i].textContent + ' | ' + texts[i + 1 + k].textContent] : [])));
        })"""
    )
    assert meeting == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["clouds", "breast_cancer", "versicolor", "quasi"])
def test_the_rulers_are_on_the_first_screen(name: str, opened: Any) -> None:
    found = opened(name)
    boxes = [element.bounding_box() for element in found.page.query_selector_all(".ruler")]
    assert boxes[0]["y"] < 330
    assert boxes[-1]["y"] < 420


@pytest.mark.sampled(2)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [1200, 390])
@pytest.mark.parametrize("name", ["clouds", "versicolor", "breast_cancer"])
def test_axe_finds_nothing(name: str, width: int, scheme: str, opened: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe

    found = opened(name, viewport={"width": width, "height": 900}, color_scheme=scheme, bypass_csp=True)
    found.page.evaluate("document.querySelectorAll('details').forEach((box) => { box.open = true; })")
    answer = Axe().run(found.page).response
    assert [(entry["id"], [node["target"] for node in entry["nodes"]][:3]) for entry in answer["violations"]] == []


@pytest.mark.slow
@pytest.mark.parametrize("name", ["clouds", "breast_cancer", "versicolor"])
def test_the_printed_page_is_short(name: str, opened: Any) -> None:
    content = opened(name).page.pdf(format="A4")
    assert len(re.findall(rb"/Type\s*/Page[^s]", content)) <= MOST_PAGES


@pytest.mark.slow
@pytest.mark.parametrize("name", SEPARABLE)
def test_the_end_of_the_replay_is_the_run(name: str, opened: Any) -> None:
    """The browser adds the rows of the mistakes: rows in error and the least distance are those of the report."""
    found, report = opened(name), report_of(name).to_dict()
    run = report["perceptron"]
    if not found.page.is_visible("#replay"):
        pytest.skip("the run has no replay")
    found.page.click("#back")
    found.page.click("#next")
    said = found.page.inner_text("#step-said")
    assert f"mistake {run['n_mistakes']:,} of {run['n_mistakes']:,}" in said
    assert f"{run['n_errors']:,} row" in said
    if run["converged"]:
        share = float(re.search(r"least distance ([\d.e+-]+) %", said)[1])  # type: ignore[index]
        assert share == pytest.approx(100 * report["comparison"]["share_of_maximum"], rel=0.01)


@pytest.mark.slow
def test_the_replay_walks_through_every_mistake(opened: Any) -> None:
    found, run = opened("clouds"), report_of("clouds").to_dict()["perceptron"]
    line = found.page.get_attribute("#rows-found", "d")
    dots = found.page.inner_html("#distances-perceptron")
    for left in range(run["n_mistakes"] - 1, 0, -1):
        found.page.click("#back")
        assert found.page.inner_text("#step-said").startswith(f"mistake {left} of")
        row = run["mistake_rows"][left - 1]
        assert found.page.inner_text("#row-said").startswith(f"row {row} ")
    assert found.page.get_attribute("#rows-found", "d") != line
    found.page.fill("#step", str(run["n_mistakes"]))
    assert found.page.inner_html("#distances-perceptron") == dots
    assert found.said == []


@pytest.mark.slow
def test_rows_beyond_the_axis_are_counted_in_the_replay_and_not_drawn_at_the_frame(opened: Any) -> None:
    found, n_beyond = opened("breast_cancer"), 0
    for step in range(1, 6):
        found.page.fill("#step", str(step))
        texts = found.page.evaluate(
            "[...document.querySelectorAll('#distances .beyond')].map((text) => text.textContent)"
        )
        places = re.findall(r"M(-?[\d.]+) [^M]*h", found.page.inner_html("#distances-perceptron"))
        counted = sum(int(re.sub(r"\D", "", text) or 0) for text in texts)
        assert counted == sum(float(x) < 0 for x in places)
        n_beyond += counted
    assert n_beyond > 0


@pytest.mark.slow
def test_keys_walk_through_rows_and_controls(opened: Any) -> None:
    found = opened("clouds")
    found.page.focus("#views")
    said = []
    for _ in range(3):
        found.page.keyboard.press("ArrowRight")
        said.append(found.page.inner_text("#row-said"))
    found.page.keyboard.press("ArrowLeft")
    assert len(set(said)) == 3
    assert found.page.inner_text("#row-said") == said[1]
    order = []
    for _ in range(6):
        found.page.keyboard.press("Tab")
        order.append(found.page.evaluate("document.activeElement.id"))
    assert order[:4] == ["play", "back", "next", "step"]


@pytest.mark.slow
def test_nothing_plays_where_motion_is_not_wanted(opened: Any) -> None:
    found = opened("clouds", reduced_motion="reduce")
    assert not found.page.is_visible("#play")
    assert found.page.is_visible("#next")


@pytest.mark.slow
def test_columns_sort_by_the_row_that_is_pressed(opened: Any) -> None:
    found = opened("clouds")
    head = "table.keyed thead th"
    before = found.texts(head)
    found.page.click("table.keyed button:text('margin') >> nth=0")
    after = found.texts(head)
    assert sorted(after) == sorted(before)
    assert after[0] == "maximum margin"
    assert found.page.get_attribute("table.keyed button >> nth=0", "aria-pressed") == "true"


@pytest.mark.slow
def test_the_table_is_copied_as_it_is_printed(opened: Any, chromium: Any) -> None:
    found = opened("clouds")
    found.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    forms = json.loads(re.search(r'id="page-data">(.*?)</script>', page_of("clouds"))[1])["tables"]["comparison"]  # type: ignore[index]
    for name in ("Markdown", "LaTeX", "CSV"):
        found.page.click(f"button:text-is('{name}') >> nth=0")
        found.page.wait_for_selector("button:text-is('copied')")
        assert found.page.evaluate("navigator.clipboard.readText()") == forms[name]
        found.page.wait_for_selector("button:text-is('copied')", state="detached")


@pytest.mark.sampled(1)
@pytest.mark.parametrize("name", ["clouds", "setosa", "breast_cancer"])
def test_one_digit_breaks_the_proof_and_the_check_names_the_row(name: str, opened: Any) -> None:
    found = opened(name)
    found.page.click("#break")
    found.page.wait_for_selector("#check-full.broken")
    assert re.search(r"one digit changed: row \d+: ", found.page.inner_text("#check-full"))
    found.page.click("#mend")
    found.page.wait_for_selector("#check-full.checked")


def test_without_scripts_the_page_is_complete(opened: Any) -> None:
    found = opened("clouds", java_script_enabled=False)
    assert len(found.page.query_selector_all(".moments svg")) == 5
    assert not found.page.is_visible("#replay")
    assert found.page.is_visible("#distances")
    for text in report_of("clouds").to_dict()["unknown"]:
        assert text in found.page.inner_text("main")


@pytest.mark.slow
def test_no_tab_stop_where_nothing_scrolls(opened: Any) -> None:
    found = opened("clouds")
    assert found.page.evaluate(
        "[...document.querySelectorAll('.scroll')]"
        ".every((box) => (box.scrollWidth > box.clientWidth + 1) === (box.tabIndex === 0))"
    )


@pytest.mark.slow
def test_the_file_beside_a_page_is_handed_in_checked_and_replayed(chromium: Any, tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(7_000, 40))
    report = mm.margin_report(mm.from_arrays(X + np.outer(np.sign(X[:, 0]), np.ones(40)), X[:, 0] > 0), orders=20)
    path = report.save(tmp_path / "large.html")
    page = chromium.new_page()
    page.goto(path.as_uri())
    assert page.inner_text("#check").startswith("Hand in the file")
    assert not page.is_visible("#replay")
    page.set_input_files("#drop-file", path.with_suffix(".f64"))
    page.wait_for_selector("#check.checked")
    assert "the SHA-256 of the data, " in page.inner_text("#check-full")
    page.click("#back")
    page.click("#next")
    assert page.inner_text("#step-said").startswith("mistake ")
    page.click("#break")
    page.wait_for_selector("#check-full.broken")
    assert re.search(r"one digit changed: row \d+: ", page.inner_text("#check-full"))
    page.click("#mend")
    page.wait_for_selector("#check-full.checked")
    page.close()


@pytest.mark.slow
def test_all_support_rows_are_saved_as_csv(opened: Any, tmp_path: Path) -> None:
    found, report = opened("breast_cancer"), report_of("breast_cancer").to_dict()
    found.page.evaluate("document.querySelectorAll('details').forEach((box) => { box.open = true; })")
    with found.page.expect_download() as download:
        found.page.click("a[download='support_rows.csv']")
    download.value.save_as(tmp_path / "rows.csv")
    head, *lines = (tmp_path / "rows.csv").read_text(encoding="utf-8").splitlines()
    assert head == "Row,Class,Side,Multiplier α,y(w·x + b)"
    rows = [line.split(",") for line in lines]
    assert [int(row[0]) for row in rows] == [entry["row"] for entry in report["support_rows"]]
    assert [float(row[3]) for row in rows] == [entry["multiplier"] for entry in report["support_rows"]]


def in_place_of_the_proof(page: str, proof: dict[str, Any]) -> str:
    return re.sub(r'(id="proof-text">).*?(</script>)', lambda m: m[1] + json.dumps(proof) + m[2], page, flags=re.DOTALL)


def weak_proof(page: str) -> str:
    """The page, its proof replaced by one that holds and proves far less."""
    proof = json.loads(re.search(r'id="proof-text">(.*?)</script>', page, re.DOTALL)[1])  # type: ignore[index]
    kept = {name: proof[name] for name in ("format", "version", "question", "data", "direction")}
    return in_place_of_the_proof(page, {**kept, "claim": "margin-at-least", "margin_squared": "1/1000000000000"})


ALTERED = {
    "another verdict": lambda page: page.replace(" is linearly separable.</h1>", " overlaps.</h1>"),
    "another margin": lambda page: page.replace("γ* = <b class=\"truth\">0.8", "γ* = <b class=\"truth\">0.9"),
    "hidden words": lambda page: page.replace(
        " is linearly separable.</h1>", " overlaps.<span hidden> is linearly separable.</span></h1>"
    ),
    "another power": lambda page: re.sub(r'(γ\* = )<b class="truth">0[^<]*</b>', r"\1≈ 10⁶", page),
    "another last digit": lambda page: page.replace("557692888", "557692889"),
    "another hash": lambda page: re.sub(r'("copies":\{.*?"sha256":")[0-9a-f]{9}', r"\g<1>012345678", page, count=1),
    "a weak proof": weak_proof,
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("what", ALTERED)
def test_a_page_that_says_more_than_its_proof_is_red(what: str, opened: Any) -> None:
    page = page_of("setosa")
    changed = ALTERED[what](page)
    assert changed != page
    assert opened("setosa", changed).page.inner_text("#check").startswith("✗ The check fails: ")
    assert opened("setosa", page).page.inner_text("#check").startswith("✓ Proof checked")


OF_CLASSES = {
    "another verdict": ('<b class="truth">quasi-separable</b>', '<b class="truth">separable</b>'),
    "another margin": ("γ* = 0.8175", "γ* = 0.9175"),
    "no class": ("1 of the 3 classes is", "None of the 3 classes is"),
    "another hash": ("SHA-256 of the numbers: e0403fd6", "SHA-256 of the numbers: 00403fd6"),
}


@pytest.mark.slow
@pytest.mark.parametrize("what", OF_CLASSES)
def test_a_page_of_classes_that_says_more_than_its_proofs_is_red(what: str, chromium: Any, tmp_path: Path) -> None:
    whole = mm.margin_report(mm.load("iris"), max_mistakes=100).to_html()
    changed = whole.replace(*OF_CLASSES[what], 1)
    assert changed != whole
    for content, mark in ((whole, "✓ Proof checked"), (changed, "✗ The check fails: ")):
        (path := tmp_path / "page.html").write_text(content, "utf-8")
        page = chromium.new_page()
        page.goto(path.as_uri())
        page.wait_for_selector("#check:not(.waiting)")
        assert page.inner_text("#check").startswith(mark)
        page.close()


@pytest.mark.slow
def test_the_check_says_what_it_has_proven(opened: Any) -> None:
    hard = report_of("setosa").to_dict()["hard_margin"]
    ends = re.search(r"margin is at least (\S+) and at most (\S+);", opened("setosa").page.inner_text("#check-full"))
    assert ends is not None and float(ends[1]) <= hard["lower"] <= hard["upper"] <= float(ends[2])
    assert "overlaps" in opened("xor").page.inner_text("#check-full")
