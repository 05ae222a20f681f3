"""The sections of the report of a comparison in their order, and its summary for a terminal."""

from maxmargin.reports.comparisons import (
    background,
    differences,
    failures,
    margin_times,
    mistake_laws,
    paper_tables,
    question_profiles,
    reached_margins,
    timings,
)
from maxmargin.reports.comparisons.runs import Fields
from maxmargin.reports.document import Block, Card, DetailsBlock, Document, Section, TableBlock
from maxmargin.solvers.basics.printable import printable, terminal_width
from maxmargin.text.number_formats import count, one_line, plural

# Largest number of failures, and of false claims, that the summary lists; it has all methods.
_MOST_LISTED = 3

# Largest number of characters of a sentence of the summary.
_LONGEST = 220

# Largest number of rows of a table that a page shows before its reader opens it.
_MOST_ROWS_OPEN = 15

# Sections whose tables a reader opens one by one.
_TABLES_FOLDED = (paper_tables.TITLE, mistake_laws.TITLE)

# Sections that a reader opens as a whole, by the line that does.
_FOLDED = {
    margin_times.TITLE: "Who is first, data set by data set, with a figure",
    question_profiles.TITLE: "The profiles of every question, with figures",
    background.SETTINGS_TITLE: "Settings, versions and environment",
}


def document(found: Fields) -> Document:
    """Return the report as a page."""
    failed = found["failures_and_false_claims"]
    size = f"{plural(len(found['methods']), 'method')} on {plural(len(found['data']), 'data set')}"
    return Document(
        kind="Comparison of methods",
        title=found["title"],
        subtitle=f"{found['title']}: {size}, counting classes, folds and preparations",
        headline=failures.sentences(failed),
        tone="good" if failures.is_clean(failed) else "bad",
        cards=_cards(found),
        sections=tuple(
            Section(anchor=title.lower().replace(" ", "-").replace(",", ""), title=title, blocks=_folded(title, blocks))
            for title, blocks in _parts(found)
            if blocks
        ),
        lead=(*failures.who_is_wrong(failed), *reached_margins.who_reaches(found["margins"])),
    )


def _folded(title: str, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Return the blocks with long tables, and what few readers look for, behind a line that opens them."""
    if title in _FOLDED:
        return (DetailsBlock(_FOLDED[title], blocks, is_printed=title == background.SETTINGS_TITLE),)
    return tuple(
        DetailsBlock(
            f"{block.caption} ({count(len(block.rows))} rows)",
            (block,),
            is_printed=title in (failures.TITLE, background.DATA_TITLE),
        )
        if isinstance(block, TableBlock)
        and (len(block.rows) > _MOST_ROWS_OPEN or title in _TABLES_FOLDED)
        and title != reached_margins.MARGINS_TITLE
        else block
        for block in blocks
    )


def _cards(found: Fields) -> tuple[Card, ...]:
    failed = found["failures_and_false_claims"]
    names = {"n_records": "Runs", "n_failed": "Failed", "n_false": "False claims", "n_not_run": "Not run yet"}
    cards = [Card(label=label, value=count(failed[name])) for name, label in names.items()]
    able = [entry for entry in found["margins"]["methods"] if entry["n_reached"] is not None]
    if able:
        reached = f"{len(reached_margins.reaching(found['margins']))} of {plural(len(able), 'method')}"
        cards.append(Card(label="Reach γ* on all separable data", value=reached, note="with hyperplanes"))
    return tuple(cards)


def _parts(found: Fields) -> list[tuple[str, tuple[Block, ...]]]:
    """Return the titles of the sections, which never change, and their blocks; a section without blocks is left out."""
    failed, held_out = found["failures_and_false_claims"], found["held_out"]
    settings = {name: found[name] for name in ("settings", "environment", "methods")}
    return [
        (failures.TITLE, failures.blocks(failed)),
        (differences.TITLE, differences.blocks(found["changes"]) if "changes" in found else ()),
        (paper_tables.TITLE, paper_tables.blocks(found["paper_tables"])),
        (reached_margins.MARGINS_TITLE, reached_margins.margin_blocks(found["margins"])),
        (reached_margins.CLAIMS_TITLE, reached_margins.claim_blocks(found["claims"])),
        (timings.TITLE, timings.blocks(found["times"])),
        (margin_times.TITLE, margin_times.blocks(found["margin_times"])),
        (question_profiles.TITLE, question_profiles.blocks(found["profiles"])),
        (mistake_laws.TITLE, mistake_laws.blocks(found["mistakes"])),
        (background.HELD_OUT_TITLE, () if held_out is None else background.held_out_blocks(held_out)),
        (background.DATA_TITLE, background.data_blocks(found["data"])),
        (background.SETTINGS_TITLE, background.settings_blocks(settings, n_records=failed["n_records"])),
    ]


def summary_lines(found: Fields) -> list[str]:
    """Return the main results as lines for a terminal, failures and false claims first."""
    failed = found["failures_and_false_claims"]
    lines = [found["title"], *failures.sentences(failed)]
    if "changes" in found:
        lines.append(f"Since the old run: {differences.sentence(found['changes'])}")
    lines = [one_line(printable(line), _LONGEST) for line in lines]
    tables: list[tuple[Block, int | None]] = [(table, _MOST_LISTED) for table in failures.blocks(failed)]
    tables += [(table, None) for table in reached_margins.margin_blocks(found["margins"])]
    for table, most in tables:
        if isinstance(table, TableBlock):
            lines += table.lines(most, width=terminal_width())
    return lines
