"""Pages about many data sets in a browser: each checks its proof, and finds what is false once it is altered."""

import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from cases import of_today
from page_questions import FORM, Document, Question, altered, data_sets, drawn_data

import maxmargin as mm

pytestmark = pytest.mark.slow

N_PARTS, N_CASES = 5, 200
PROOF = re.compile(r'(<script type="application/json" id="(proof-[^"]*)">)(.*?)(</script>)', re.DOTALL)
PARTS = re.compile('<script type="application/json" id="page-data">(.*?)</script>', re.DOTALL)


def cases() -> Sequence[tuple[str, Any, Any, bool]]:
    """Half of known and bundled data and random ones, two hundred in all; the other half the next day."""
    known = [case for case in data_sets() if case[1].size <= 20_000]
    numbers = range(84, 84 + N_CASES - len(known))
    return of_today([*known, *((f"drawn-{number}", *drawn_data(number)) for number in numbers)], 2)


def said(page: Any, path: Path, content: str) -> tuple[bool, list[str]]:
    """Open a page and return whether its check holds, and what it says of each proof."""
    path.write_text(content, encoding="utf-8")
    page.goto(path.as_uri())
    page.wait_for_selector("#check:not(.waiting)")
    boxes = page.query_selector_all("#check-full, .proofs .status > span")
    return page.get_attribute("#check", "class") == "checked", [box.inner_text() for box in boxes]


def proofs_of(content: str) -> list[Document]:
    return [json.loads(match[3]) for match in PROOF.finditer(content)]


def with_an_altered_proof(content: str, seed: str) -> tuple[str, int, Document]:
    """Return the page with one of its proofs altered, the number of this proof, and the proof."""
    random_ = random.Random(seed)
    matches = list(PROOF.finditer(content))
    number = random_.randrange(len(matches))
    match = matches[number]
    proof = altered(json.loads(match[3]), random_)
    text = json.dumps(proof).replace("</", "<\\/")
    return content[: match.start(3)] + text + content[match.end(3) :], number, proof


@pytest.mark.parametrize("part", range(N_PARTS))
def test_pages_check_their_proofs_and_altered_ones_name_what_is_false(part: int, chromium: Any, tmp_path: Path) -> None:
    page = chromium.new_page()
    claims: Counter[str] = Counter()
    n_named = 0
    for name, X, y, bias in cases()[part::N_PARTS]:
        report = mm.margin_report(X, y, bias=bias, max_mistakes=300, orders=20, Cs=(1.0,))
        content = report.to_html()
        proofs = proofs_of(content)
        holds, texts = said(page, tmp_path / "page.html", content)
        assert holds, (name, texts)
        assert len(texts) == len(proofs)
        assert all(text.startswith("✓ Proof checked in this browser") for text in texts), (name, texts)
        if report.to_dict()["kind"] == "two-class":
            assert mm.verify(proofs[0], X, y), name
        claims.update(proof["claim"] for proof in proofs)
        for attempt in range(60):
            other, number, proof = with_an_altered_proof(content, f"{name} {attempt}")
            part = json.loads(PARTS.search(content)[1])["proofs"][number].get("part")  # type: ignore[index]
            why = Question(name, json.dumps(proof), report.study.problem, part=part).expected
            if why is not None and not FORM.search(why):
                break
        assert why is not None, name
        holds, texts = said(page, tmp_path / "page.html", other)
        assert not holds, (name, proof)
        assert texts[number].startswith("✗ The check fails: "), (name, texts[number])
        assert FORM.search(why) or why in texts[number], (name, why, texts[number])
        n_named += not FORM.search(why)
    assert n_named >= 0.9 * N_CASES / 2 / N_PARTS
    assert claims["overlap"] and claims["quasi-separable"] and claims["margin-between"] + claims["margin-exactly"]
