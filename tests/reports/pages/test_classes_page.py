"""The page of more than two classes says what its dict says, and every proof in it holds."""

import re
from base64 import b64decode
from functools import cache
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from page_outline import check_page, element

import maxmargin as mm
from maxmargin.reports.document import plain_text
from maxmargin.reports.sections.class_contents import cells_of, rulers_of_classes
from maxmargin.reports.sections.many_classes import class_answer_sentences
from maxmargin.text.number_formats import count, percent, rounded

SCRIPT = "<script>alert(1)</script>"
NAMES = [SCRIPT, "x" * 200, "a\x07b\u202ec\nd", "שלום עולם اسم طويل", "漢字漢字漢字漢字", "rest", '10⁻⁵ & "q" \'']


def hostile() -> mm.Dataset:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(7 * 8, 3)) + np.repeat(rng.normal(size=(7, 3)) * 6, 8, axis=0)
    return mm.from_arrays(X, np.repeat(NAMES, 8), source="/secret/folder/</script>e|v<i>l")


def many() -> mm.Dataset:
    rng = np.random.default_rng(1)
    X = rng.normal(size=(22 * 4, 4)) + np.repeat(rng.normal(size=(22, 4)) * 5, 4, axis=0)
    return mm.from_arrays(X, np.repeat([f"kind {k:02}" for k in range(22)], 4))


def line() -> mm.Dataset:
    return mm.from_arrays([[1.0], [1.5], [2.0], [2.5], [3.0], [3.5]], ["a", "a", "b", "b", "c", "c"])


def mixed() -> mm.Dataset:
    """Every class overlaps with the others."""
    return mm.from_arrays([[float(x)] for x in (0, 2, 1, 3, 0, 3)], ["a", "a", "b", "b", "c", "c"])


def touching() -> mm.Dataset:
    """Two pairs that touch in one point each."""
    X = [[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [2.0, 1.0], [2.0, 1.0], [3.0, 0.0]]
    return mm.from_arrays(X, [0, 0, 1, 1, 2, 2])


DATA = {
    "iris": lambda: mm.load("iris"), "wine": lambda: mm.load("wine"), "line": line, "mixed": mixed,
    "touching": touching, "hostile": hostile, "many": many,
}  # fmt: skip
NAMES_OF_DATA = [*list(DATA)[:-1], pytest.param("many", marks=pytest.mark.slow)]


@cache
def report_of(name: str, *, bias: bool = True) -> mm.MarginReport:
    return mm.margin_report(DATA[name](), bias=bias, max_mistakes=3_000)


@cache
def page_of(name: str) -> str:
    return report_of(name).to_html()


def decoded(data: dict[str, str]) -> tuple[np.ndarray, np.ndarray]:
    """The rows and the codes of their classes."""
    if data["format"] == "decimal":
        rows = np.array([row.split(",") for row in data["text"].split("\n")], dtype=float)
        return rows[:, :-1], rows[:, -1].astype(int)
    head, _, body = b64decode(data["text"]).partition(b"\n")
    n, d = map(int, head.split())
    return np.frombuffer(body, "<f8", n * d).reshape(n, d), np.frombuffer(body, "<i4", n, 8 * n * d)


HEADLINES = {
    "iris": "1 of the 3 classes is linearly separable from the rest.",
    "wine": "Each of the 3 classes is linearly separable from the rest.",
    "line": "2 of the 3 classes are linearly separable from the rest.",
    "mixed": "None of the 3 classes is linearly separable from the rest.",
}


@pytest.mark.parametrize("name", HEADLINES)
def test_the_headline_counts_the_classes(name: str) -> None:
    assert f"<h1>{HEADLINES[name]}</h1>" in page_of(name)
    assert f"**{HEADLINES[name]}**" in report_of(name).to_markdown()


def test_the_headline_says_what_is_open() -> None:
    report = mm.margin_report(line(), time_limit=1e-9)
    found = report.to_dict()
    n_open = 3 - sum(entry["strictly_separable"] is not None for entry in found["one_vs_rest"])
    assert n_open
    assert f"; {n_open} {'is' if n_open == 1 else 'are'} undecided." in report.to_markdown()
    assert "None of the 3 classes is linearly" not in report.to_markdown()
    assert "<h1>" in report.to_html()


def test_through_the_origin_the_page_says_so() -> None:
    assert "linearly separable through the origin from the rest." in report_of("line", bias=False).to_html()


@pytest.mark.parametrize("name", NAMES_OF_DATA)
def test_the_lead_compares_the_mistakes_with_the_bound(name: str) -> None:
    report = report_of(name).to_dict()
    lead, contests = plain_text(class_answer_sentences(report)), [*report["one_vs_rest"], *report["pairs"]]
    separable = [entry for entry in contests if entry["strictly_separable"]]
    n_pairs = sum(entry["strictly_separable"] for entry in report["pairs"])
    assert f" {count(n_pairs)} of {count(len(report['pairs']))} pair" in lead
    ended = [entry for entry in separable if entry["converged"]]
    if not ended:
        assert " of γ*" not in lead
        return
    shares = [entry["share_of_maximum"] for entry in ended]
    assert 0 < min(shares) <= max(shares) <= 1
    assert max(entry["n_mistakes"] / entry["novikoff"] for entry in ended) <= 1
    assert percent(min(shares)) in lead and percent(max(shares)) in lead
    assert count(max(entry["n_mistakes"] for entry in ended)) in lead


@pytest.mark.parametrize("name", NAMES_OF_DATA)
def test_the_numbers_of_the_matrix_are_those_of_the_dict(name: str) -> None:
    report = report_of(name).to_dict()
    labels = [entry["label"] for entry in report["data"]["classes"]][:20]
    cells = cells_of(report)
    assert set(cells) == {(i, j) for i in range(len(labels)) for j in range(len(labels))}
    rest = {entry["positive"]: entry for entry in report["one_vs_rest"]}
    pairs = {frozenset((entry["positive"], entry["negative"])): entry for entry in report["pairs"]}
    at = {(i, i): rest[label] for i, label in enumerate(labels)}
    at |= {(j, i): pairs[frozenset((labels[i], labels[j]))] for i, j in combinations(range(len(labels)), 2)}
    words = {"quasi-separable": "quasi", "overlap": "overlap"}
    texts = set(re.findall(r"<text[^>]*>(.*?)</text>", page_of(name)))
    for (i, j), entry in at.items():
        is_separable = entry["strictly_separable"]
        assert cells[i, j].lines[0] == (rounded(entry["lower"], 3) if is_separable else words[entry["verdict"]])
        ratio = percent(entry["n_mistakes"] / entry["novikoff"]) if is_separable else None
        assert cells[j, i].lines[-1] == (ratio or ("—" if i != j else words[entry["verdict"]]))
        if i != j and is_separable:
            assert cells[j, i].lines[0].removeprefix("≥ ") == count(entry["n_mistakes"])
            assert cells[j, i].lines[0].startswith("≥") != entry["converged"]
        assert set(cells[i, j].lines) <= texts


@pytest.mark.parametrize("name", NAMES_OF_DATA)
def test_the_rulers_are_sorted_and_their_marks_in_order(name: str) -> None:
    rulers = rulers_of_classes(report_of(name).to_dict())
    best = [ruler.best for ruler in rulers]
    known = [value for value in best if value is not None]
    assert best == sorted(known) + [None] * (len(best) - len(known))
    for ruler in rulers:
        ends = [value for value in (ruler.achieved, ruler.best, ruler.upper) if value is not None]
        assert ends == sorted(ends)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(
    "name, prepare",
    [(name, how) for name in DATA for how in ("raw", "standardize", "unit") if how == "raw" or name != "many"],
)
def test_every_embedded_proof_holds(name: str, prepare: str) -> None:
    """The rows and signs are made of the embedded data and the codes of the classes, as the browser makes them."""
    report = report_of(name) if prepare == "raw" else mm.margin_report(DATA[name](), prepare=prepare, max_mistakes=200)
    page = page_of(name) if prepare == "raw" else report.to_html()
    data, listed = element(page, "data-text"), element(page, "page-data")["proofs"]
    X, codes = decoded(data)
    assert len(listed) == 4
    for entry, said in zip(listed, report.to_dict()["proofs"], strict=True):
        proof, part = element(page, entry["proof"]), entry["part"]
        assert proof == said["certificate"]
        assert "/" not in str(proof["data"].get("source"))
        if part is None:
            assert mm.verify(proof, X, codes)
            continue
        kept = np.isin(codes, [part["positive"], *part["negative"]])
        proof["data"]["positive"] = 1
        assert mm.verify(proof, X[kept], np.where(codes[kept] == part["positive"], 1, -1))


def test_the_smallest_margins_come_first_then_what_touches() -> None:
    for name in list(DATA)[:-1]:
        report = report_of(name).to_dict()
        margins = sorted(c["lower"] for c in (*report["one_vs_rest"], *report["pairs"]) if c["strictly_separable"])
        found = [entry for entry in report["proofs"] if entry["part"] is not None]
        assert [entry["lower"] for entry in found] == [*margins[:3], 0.0, 0.0, 0.0][:3]
    claims = [entry["certificate"]["claim"] for entry in report_of("touching").to_dict()["proofs"][1:]]
    assert claims == sorted(claims, key=["margin-exactly", "margin-between", "quasi-separable", "overlap"].index)


def test_hostile_names_stay_text() -> None:
    page, text = page_of("hostile"), report_of("hostile").to_markdown()
    check_page(page)
    assert page.count("<script") == page.count("</script>") == 9  # the data, four proofs, their data, three scripts
    assert not [words for words in (SCRIPT, "<i>", "secret", "the rest against the rest") if words in page]
    assert not {"\x07", "\u202e"} & set(page + text) and "<script" not in text.replace("\\<", "")


@pytest.mark.slow
def test_a_large_matrix_is_cut_and_says_so() -> None:
    assert "The first 20 of 22 classes." in page_of("many")
    assert ">kind 19<" in page_of("many")
    assert len({i for i, _ in cells_of(report_of("many").to_dict())}) == 20


OF_A_REPORT = (
    "schema kind verdict strictly_separable data one_vs_rest pairs multinomial settings versions unknown proofs"
)
OF_A_QUESTION = (
    "positive positive_reason negative n_samples verdict strictly_separable proof reason status margin lower upper "
    "n_support n_mistakes n_epochs converged stop_reason achieved_margin share_of_maximum n_errors novikoff sha256"
)


def test_the_json_keeps_its_fields() -> None:
    found = report_of("iris").to_dict()
    assert set(OF_A_REPORT.split()) <= set(found)
    for entry in (*found["one_vs_rest"], *found["pairs"]):
        assert set(OF_A_QUESTION.split()) <= set(entry)


def test_markdown_has_the_matrix_and_the_claims() -> None:
    text = report_of("iris").to_markdown()
    assert "| versicolor | 0.818 | overlap | — |" in text
    assert "- setosa against the rest: γ\\* = 0.81755576928882…, proven: a hyperplane" in text
    assert "maxmargin report iris --positive setosa" in text


def test_the_same_input_gives_the_same_page() -> None:
    assert mm.margin_report(line(), max_mistakes=3_000).to_html() == page_of("line")


# In a browser

LABELS = """() => [...document.querySelectorAll('svg')].filter((svg) => svg.clientWidth).flatMap((svg) => {
  const texts = [...svg.querySelectorAll('text')], boxes = texts.map((text) => text.getBoundingClientRect());
  const unit = svg.getBoundingClientRect().width / svg.viewBox.baseVal.width;
  const small = texts.filter((text) => parseFloat(getComputedStyle(text).fontSize) * unit < 11);
  return small.map((text) => 'small: ' + text.textContent).concat(boxes.flatMap((a, i) =>
    boxes.slice(i + 1).flatMap((b, k) =>
      a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 3 && b.top < a.bottom - 3
        ? [texts[i].textContent + ' | ' + texts[i + 1 + k].textContent] : [])));
})"""

CONTRAST = """() => {
  const light = (c) => c.map((v) => v / 255).map((v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const rgb = (text) => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const page = rgb(getComputedStyle(document.body).backgroundColor);
  const ink = light(rgb(getComputedStyle(document.querySelector('.matrix text')).fill));
  return Math.min(...[...document.querySelectorAll('.heat')].map((cell) => {
    const style = getComputedStyle(cell), alpha = Number(style.opacity), hue = rgb(style.fill);
    const [a, b] = [ink, light(hue.map((v, k) => alpha * v + (1 - alpha) * page[k]))].sort((x, y) => y - x);
    return (a + 0.05) / (b + 0.05);
  }));
}"""


@pytest.mark.sampled(1)
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("name", DATA)
def test_a_browser_checks_the_proofs_and_no_labels_meet(name: str, width: int, scheme: str, shown: Any) -> None:
    found = shown(page_of(name), viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = found.page
    assert page.inner_text("#check").startswith("✓ Proof checked in this browser")
    lines = [entry.inner_text() for entry in page.query_selector_all(".proofs [role=status]")]
    assert len(lines) == 4
    assert all(text.startswith("✓") and "the SHA-256 of the data, " in text for text in lines)
    assert found.said == []
    assert page.evaluate(LABELS) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert width == 390 or page.evaluate("document.documentElement.scrollHeight") <= 5_000
    assert page.evaluate(CONTRAST) >= 4.5
    page.click("#break")
    page.wait_for_selector("#check-3.broken")
