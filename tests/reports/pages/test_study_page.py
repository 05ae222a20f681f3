"""The page of a study in a browser: data, method and measure are chosen, and its texts are those of the tables."""

from typing import Any

import pytest

import maxmargin as mm
from maxmargin.reports.comparisons import comparison_report

pytestmark = [pytest.mark.slow, pytest.mark.sampled(1)]

STUDY = {
    "schema": 1,
    "orders": ["source", "random"],
    "data": [{"source": ["agresti", "xor", "gap:8"]}],
    "method": [{"name": ["hard-margin", "perceptron", "lp"], "bias": [True]}],
}


@pytest.fixture(scope="module")
def report() -> Any:
    return comparison_report(mm.compare(STUDY))


def chosen(page: Any, **choice: str) -> list[list[str]]:
    for name, wanted in [("data", "all"), ("method", "all"), *choice.items()]:
        page.select_option(f"#of-{name}", label=wanted)
    cells = "[...document.querySelectorAll('#chosen tr')].map((row) => [...row.cells].map((cell) => cell.textContent))"
    return list(page.evaluate(cells))


def test_what_is_chosen_is_what_the_tables_say(report: Any, shown: Any) -> None:
    found = shown(report.to_html(), waits_for=None, viewport={"width": 390, "height": 900})
    page = found.page
    tables = {table.caption: table for table in report.tables}
    whole = tables["Mistakes, median (least to most) over orders and seeds"]
    head, *rows = chosen(page, measure="mistakes")
    assert tuple(head[1:]) == whole.columns[1:]
    assert [row[:2] for row in rows] == [list(row[:2]) for row in whole.rows]
    for data, *cells in whole.rows:
        by_method = dict(zip(whole.columns[2:], cells[1:], strict=True))
        assert {row[0]: row[2] for row in chosen(page, data=data)[1:]} == by_method
        for method, text in by_method.items():
            assert chosen(page, data=data, method=method)[1][2] == text
            assert text in {row[3] for row in chosen(page, method=method) if row[0] == data}
    assert not found.said and page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_page_loads_nothing_and_is_whole_without_its_script(report: Any, shown: Any) -> None:
    found = shown(report.to_html(), java_script_enabled=False)
    assert not found.said and not found.page.is_visible("#choice")
    assert "Mistakes, median (least to most) over orders and seeds" in found.page.inner_text("main")
