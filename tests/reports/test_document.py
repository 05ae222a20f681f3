"""A page in its forms: what is behind a line that opens it, texts with marks, programs, figures."""

import re
from types import SimpleNamespace
from typing import Any

from maxmargin.reports import document as doc

HOSTILE = "<script>alert(1)</script>\n\x1b[2J**x**\u202e"


def page_of(*blocks: doc.Block, lead: tuple[str | doc.Emphasis, ...] = ()) -> doc.Document:
    card = doc.Card(label="Number", value="1", note="of one")
    section = doc.Section(anchor="first", title="First", blocks=blocks)
    said: Any = {"title": "A page", "subtitle": "of data", "headline": ("The answer.", "And more."), "tone": "good"}
    return doc.Document(**said, cards=(card,), sections=(section,), lead=lead)


TABLE = doc.TableBlock("Numbers", ("Name", "n"), (("a", "1"), ("b", "2")), numeric=(1,), note="All of them.")
PARTS = (
    *(doc.Paragraph(("It is ", doc.Emphasis("so", "truth"), ".")), doc.Points(("one", "two")), TABLE),
    doc.Code(("x = 1", "    y <b> *2*")),
)


def body(page: str) -> str:
    return page.partition("## First\n")[2]


def test_markdown_has_what_a_page_opens_below_a_heading() -> None:
    inside = body(page_of(*PARTS).markdown())
    assert body(page_of(doc.DetailsBlock("More of it", PARTS)).markdown()) == f"\n### More of it\n{inside}"
    assert "It is **so**." in inside and "- one\n- two\n" in inside
    assert "**Numbers**\n\n| Name | n |\n|---|---:|\n| a | 1 |\n| b | 2 |\n\nAll of them.\n" in inside
    assert "\n```\nx = 1\n    y <b> *2*\n```\n" in inside, "a program is shown as it is"


def test_markdown_has_details_within_details_and_leaves_out_the_check_of_a_proof() -> None:
    inner = doc.DetailsBlock("Inner", (doc.Paragraph("Deep."),))
    page = page_of(doc.DetailsBlock("Outer", (doc.ProofSlot(), inner)), doc.Paragraph("After.")).markdown()
    assert body(page) == "\n### Outer\n\n### Inner\n\nDeep.\n\nAfter.\n"


def test_markdown_has_the_lead_and_what_explains_the_rows_of_a_table() -> None:
    one = doc.Explanation("it is <one>", "<math></math>", "Someone 1962")
    two = doc.Explanation("two", "", "Someone else")
    table = doc.TableBlock("Bounds", ("Name", "n"), TABLE.rows, explained=(one, two))
    page = page_of(table, lead=("It kept ", doc.Emphasis("2 %", "perceptron"), " of a_b*.")).markdown()
    assert "\n**The answer.**\nAnd more.\n\nIt kept **2 %** of a_b\\*.\n\n| | | |\n" in page
    assert "- a: it is \\<one\\>. Someone 1962.\n- b: two. Someone else.\n" in page and "<math>" not in page


def test_markdown_links_the_figures_that_are_there() -> None:
    page = page_of(doc.FigureSlot("curves"), doc.FigureSlot("missing"))
    picture = SimpleNamespace(key="curves", alt="a curve", title="Curves", caption="They rise.")
    assert "![a curve](figures/curves.svg)\n\n*Curves.* They rise." in page.markdown({"curves": picture})
    assert "figures/" not in page.markdown() and "missing" not in page.markdown({"curves": picture})


def test_the_page_has_what_it_opens_closed_and_a_policy_without_scripts() -> None:
    page = page_of(doc.DetailsBlock("More of it", PARTS)).html({})
    assert '<details class="part"><summary>More of it</summary>' in page and "<details open" not in page
    assert '<b class="truth">so</b>' in page and "<code>x = 1\n    y &lt;b&gt; *2*\n</code>" in page
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    assert "default-src &#39;none&#39;" in policy or "default-src 'none'" in policy
    assert "script-src" not in policy and "<script" not in page


def test_names_stay_text_in_every_form() -> None:
    explained = (doc.Explanation(HOSTILE, "", HOSTILE),)
    table = doc.TableBlock(HOSTILE, (HOSTILE, "n"), ((HOSTILE, "1"),), note=HOSTILE, explained=explained)
    parts = (doc.Paragraph((HOSTILE, doc.Emphasis(HOSTILE))), doc.Points((HOSTILE,)), table, doc.Code((HOSTILE,)))
    made = page_of(doc.DetailsBlock(HOSTILE, parts), lead=(HOSTILE, doc.Emphasis(HOSTILE)))
    assert "<script" not in made.html({}) and "\x1b" not in made.html({}) + made.markdown() + made.latex()
    outside = re.sub(r"(?ms)^```$.*?^```$", "", made.markdown())
    assert "alert" in outside and "<script>" not in outside.replace("\\<script\\>", "")
    card = made.card("Name", "note")
    assert "<script" not in card and card.isprintable()


def test_a_program_does_not_end_its_fence() -> None:
    assert body(page_of(doc.Code(("a", "`````", "b"))).markdown()) == "\n``````\na\n`````\nb\n``````\n"


def test_all_tables_are_listed_and_are_in_the_document_of_latex() -> None:
    made = page_of(TABLE, doc.DetailsBlock("More of it", (doc.DetailsBlock("Inner", (TABLE,)), TABLE)))
    assert made.tables == (TABLE,) * 3
    assert made.latex().count(r"\begin{longtable}") == 3
