"""The pages of comparisons and of trust in a browser: legible, in reach of a keyboard, silent."""

from functools import cache
from typing import Any

import pytest

import maxmargin as mm
from maxmargin.reports.comparisons import comparison_report

pytestmark = pytest.mark.slow

# Height of the font of a figure in pixels.
LEAST_TEXT = 11


@cache
def page_of(kind: str) -> str:
    if kind == "trust":
        return mm.trust(mm.load("agresti"), methods=["lp", "hard-margin", "cvxpy.max-t.SCIPY"]).to_html()
    methods = {"name": ["lp", "hard-margin", "perceptron", "online.averaged"]}
    data = {"source": ["agresti", "xor", "odd-max-bit:4", "gap:4"]}
    return comparison_report(mm.compare({"schema": 1, "data": [data], "method": [methods]})).to_html()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1200])
@pytest.mark.parametrize("kind", ["trust", "comparison"])
def test_the_page_is_legible_and_silent(kind: str, width: int, scheme: str, shown: Any) -> None:
    from axe_playwright_python.sync_playwright import Axe

    options = {"viewport": {"width": width, "height": 900}, "color_scheme": scheme, "bypass_csp": True}
    found = shown(page_of(kind), waits_for=None, **options)
    page = found.page
    assert page.evaluate("[...document.querySelectorAll('details')].filter((box) => box.open).length") == 0
    page.evaluate("document.querySelectorAll('details').forEach((box) => { box.open = true; })")
    assert page.evaluate("document.documentElement.scrollWidth") <= width, "nothing but its boxes scrolls sideways"
    heights = page.evaluate(
        "[...document.querySelectorAll('svg text')].map((text) => { const on = text.getScreenCTM();"
        " return parseFloat(getComputedStyle(text).fontSize) * Math.hypot(on.a, on.b); })"
    )
    assert (kind == "trust") is (heights == []) and all(height >= LEAST_TEXT for height in heights)
    answer = Axe().run(page).response
    assert [(entry["id"], [node["target"] for node in entry["nodes"]][:3]) for entry in answer["violations"]] == []
    assert found.said == []
