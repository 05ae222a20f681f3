"""The README, CONTRIBUTING and the pages under docs/ are true: every ``>>>`` is run, every link leads somewhere."""

import doctest
import re
from pathlib import Path

import pytest
from cases import for_each

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
CONTRIBUTING = ROOT / "CONTRIBUTING.md"
# Pages that a program writes.
RESULTS = [*(ROOT / "docs").glob("studies/*/results.md")]

PAGES = [*sorted({*(ROOT / "docs").rglob("*.md")} - {*RESULTS}), README, CONTRIBUTING]
EXECUTED = [page for page in PAGES if ">>>" in page.read_text(encoding="utf-8")]
SLOW = {"boolean", "family", "README"}

FENCED = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


def examples_of(page: Path) -> doctest.DocTest:
    """Return the examples of a page; a fence ends what is expected, and the numbers of the lines stay."""
    text = re.sub(r"^```.*$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE)
    return doctest.DocTestParser().get_doctest(text, {}, page.name, str(page), 0)


def failures_of(test: doctest.DocTest) -> tuple[int, str]:
    report: list[str] = []
    result = doctest.DocTestRunner(verbose=False).run(test, out=report.append)
    return result.failed, "".join(report)


def prose_of(page: Path) -> str:
    return FENCED.sub("", page.read_text(encoding="utf-8"))


def anchors_of(page: Path) -> set[str]:
    """Return the names of the headings as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", prose_of(page), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.sampled(1)
@pytest.mark.parametrize(
    "page",
    [pytest.param(page, id=page.stem, marks=pytest.mark.slow if page.stem in SLOW else ()) for page in EXECUTED],
)
def test_every_number_of_a_page_is_computed(page: Path) -> None:
    test = examples_of(page)
    assert test.examples
    failed, report = failures_of(test)
    assert not failed, report


@for_each("page", EXECUTED)
def test_examples_stand_in_python_console_blocks(page: Path) -> None:
    languages = {language for language, code in FENCED.findall(page.read_text(encoding="utf-8")) if ">>>" in code}
    assert languages == {"pycon"}
    assert ">>>" not in prose_of(page)


@for_each("page", PAGES)
def test_relative_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(prose_of(page)):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        assert target.exists(), f"{page.name} links to {link}, which is not there"
        assert not anchor or anchor in anchors_of(target), f"{page.name} links to {link}, which is no heading there"


@for_each("page", PAGES)
def test_files_that_a_page_names_are_there(page: Path) -> None:
    for name in re.findall(r"`((?:benchmarks|docs|maxmargin|reports|solvers|tests)/[\w/.-]*)`", prose_of(page)):
        is_there = "NAME" in name or (ROOT / name).exists()  # NAME stands for the reader's choice
        assert is_there, f"{page.name} names {name}, which is not there"


@for_each("page", [page for page in PAGES if page.parent != ROOT])
def test_the_readme_links_to_every_page(page: Path) -> None:
    assert page.relative_to(ROOT).as_posix() in LINK.findall(prose_of(README))


def test_the_pages_that_show_results_are_executed() -> None:
    expected = {"notation", "questions-the-notes-leave-open", "what-lecture-notes-get-wrong"}
    expected |= {"perceptron", "family", "bounds", "boolean", "fewest-errors", "using", "README"}
    assert expected <= {page.stem for page in EXECUTED}


def test_a_false_number_and_a_warning_are_seen() -> None:
    wrong = "text\n\n>>> 1 + 1\n3\n\n>>> import warnings\n>>> warnings.warn('careful')\n"
    failed, report = failures_of(doctest.DocTestParser().get_doctest(wrong, {}, "wrong", None, 0))
    assert failed == 2 and "Got:\n    2" in report and "UserWarning: careful" in report
