"""The form of the pages of reports, and what is embedded in them."""

import json
import re
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

VOID = {"meta", "br", "hr", "img", "input", "link"}


class Outline(HTMLParser):
    """Checks that tags close in order; collects tags, identifiers, references, and texts outside scripts and styles."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.ids: list[str] = []
        self.references: list[str] = []
        self.tags: list[str] = []
        self.texts: list[str] = []
        self.feed(page)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.ids += [value for name, value in attrs if name == "id" and value]
        targets = [value for name, value in attrs if name in ("href", "xlink:href") and value]
        self.references += [value.removeprefix("#") for value in targets if not value.startswith("data:")]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if not {"script", "style"} & set(self.open):
            self.texts.append(data)


def visible(page: str) -> str:
    """The texts of a page, each with single spaces."""
    return " | ".join(" ".join(text.split()) for text in Outline(page).texts if text.strip())


def element(page: str, identifier: str) -> Any:
    """What a script element of a page holds."""
    found = re.search(rf'<script type="application/json" id="{identifier}">(.*?)</script>', page, re.DOTALL)
    assert found
    return json.loads(found[1])


def check_page(page: str) -> None:
    """Check that a page is well-formed, is one file that loads nothing, and has an outline, unique names, captions."""
    assert page.startswith('<!DOCTYPE html>\n<html lang="en">') and "Content-Security-Policy" in page
    outline = Outline(page)
    assert set(outline.tags) & {"link", "img", "iframe", "object", "embed", "base"} == set()
    assert re.findall(r"https?:|[\"']//[a-z]|@import|url\((?!#)|\ssrc=", page) == []
    assert len(outline.ids) == len(set(outline.ids))
    assert set(outline.references) | set(re.findall(r"url\(#([^)]+)\)", page)) <= set(outline.ids)
    headings = [int(tag[1]) for tag in outline.tags if re.fullmatch("h[1-6]", tag)]
    assert headings[0] == 1 and headings.count(1) == 1
    assert all(b <= a + 1 for a, b in pairwise(headings))
    assert page.count("<caption>") == page.count("<table")
    assert "<table" not in re.sub(r"<table.*?<(?:th|td)", "", page, flags=re.DOTALL), "no empty table"
    for name in re.findall(r'<svg[^>]* aria-labelledby="(\S+ \S+)"', page):
        assert all(re.search(rf'id="{identifier}">[^<]+<', page) for identifier in name.split())
