"""A browser that opens pages, and what they say in it."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """The browser; the tests that need one are skipped without it, and say so."""
    path = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    if path is None:
        pytest.skip("no Chromium on PATH: the pages are not opened")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=path, args=["--no-sandbox"])
        yield found
        found.close()


class Opened:
    """A page that a browser shows, and what it said and asked for meanwhile."""

    def __init__(self, chromium: Any, path: Path, waits_for: str | None, **options: Any) -> None:
        self.said: list[str] = []
        self.page = chromium.new_page(**{"viewport": {"width": 1200, "height": 900}, **options})
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("request", lambda request: self.note(request.url, path.as_uri()))
        self.page.goto(path.as_uri())
        if waits_for and options.get("java_script_enabled", True):
            self.page.wait_for_selector(waits_for)

    def note(self, url: str, own: str) -> None:
        if url.partition("#")[0] != own and not url.startswith("blob:"):
            self.said.append(url)

    def texts(self, selector: str) -> list[str]:
        return [element.inner_text() for element in self.page.query_selector_all(selector)]


@pytest.fixture
def shown(chromium: Any, tmp_path: Path) -> Iterator[Any]:
    """A function that opens a page and waits for the end of its check."""
    pages = []

    def show(content: str, waits_for: str | None = "#check:not(.waiting)", **options: Any) -> Opened:
        path = tmp_path / f"page-{len(pages)}.html"
        path.write_text(content, encoding="utf-8")
        pages.append(Opened(chromium, path, waits_for, **options))
        return pages[-1]

    yield show
    for found in pages:
        found.page.close()
