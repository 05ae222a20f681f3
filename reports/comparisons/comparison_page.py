"""The sections of the report of a comparison in their order, and its summary for a terminal."""

from typing import Any

from maxmargin.reports.comparisons import (
    background,
    differences,
    failures,
    margin_times,
    mistake_laws,
    question_profiles,
    reached_margins,
    timings,
)
from maxmargin.reports.document import Block, Card, DetailsBlock, Document, Section, TableBlock
from maxmargin.solvers.basics.printable import printable
from maxmargin.text.number_formats import UNKNOWN, count, one_line, plural, share_of_the_best
from maxmargin.text.tables import aligned

Fields = dict[str, Any]

_MOST_LISTED = 4
"""Largest number of failures, and of false claims, that the summary lists."""

_MOST_METHODS = 8
"""Largest number of methods in the table of the summary."""

_WIDTH = 110
"""Number of characters of a line of the summary."""


_MOST_ROWS_OPEN, _MOST_ROWS_OF_FAILURES = 15, 40
"""Largest number of rows of a table that a page shows before its reader opens it, and of the failures at its head."""


def document(found: Fields) -> Document:
    """Return the report as a page."""
    failed = found["failures_and_false_claims"]
    size = f"{plural(len(found['methods']), 'method')} on {plural(len(found['data']), 'data set')}"
    return Document(
        kind="Comparison of methods",
        title=found["title"],
        subtitle=f"{found['title']}: {size}, folds and preparations counted",
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
    """Return the blocks with long tables, and all that is about settings, behind a line that opens them."""
    if title == background.SETTINGS_TITLE:
        return (DetailsBlock("Settings, environment and how runs at a limit are counted", blocks),)
    most = _MOST_ROWS_OF_FAILURES if title == failures.TITLE else _MOST_ROWS_OPEN
    return tuple(
        DetailsBlock(f"{block.caption} ({count(len(block.rows))} rows)", (block,))
        if isinstance(block, TableBlock) and len(block.rows) > most
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
    failed, held_out, times = found["failures_and_false_claims"], found["held_out"], found["times"]
    settings = {name: found[name] for name in ("settings", "environment", "methods")}
    shift = None if times is None else times["shift"]
    return [
        (failures.TITLE, failures.blocks(failed)),
        (differences.TITLE, differences.blocks(found["changes"]) if "changes" in found else ()),
        (reached_margins.MARGINS_TITLE, reached_margins.margin_blocks(found["margins"])),
        (reached_margins.CLAIMS_TITLE, reached_margins.claim_blocks(found["claims"])),
        (timings.TITLE, timings.blocks(times)),
        (margin_times.TITLE, margin_times.blocks(found["margin_times"])),
        (question_profiles.TITLE, question_profiles.blocks(found["profiles"])),
        (mistake_laws.TITLE, mistake_laws.blocks(found["mistakes"])),
        (background.HELD_OUT_TITLE, () if held_out is None else background.held_out_blocks(held_out)),
        (background.DATA_TITLE, background.data_blocks(found["data"])),
        (
            background.SETTINGS_TITLE,
            background.settings_blocks(settings, shift=shift, n_records=failed["n_records"]),
        ),
    ]


def summary_lines(found: Fields) -> list[str]:
    """Return the main results as lines for a terminal, no more than 25, failures and false claims first."""
    failed = found["failures_and_false_claims"]
    lines = [found["title"], *failures.sentences(failed)]
    lines += _listed([_failure(entry) for entry in failed["failures"]], "failures")
    lines += _listed([_false_claim(entry) for entry in failed["false_claims"]], "false claims")
    if "changes" in found:
        lines.append(f"Since the old run: {differences.sentence(found['changes'])}")
    return [one_line(printable(line), 2 * _WIDTH) for line in lines] + _method_lines(found)


def _failure(entry: Fields) -> str:
    message = f": {entry['messages'][0]}" if entry["messages"][0] else ""
    return f"{entry['method']}: {entry['status']} in {plural(entry['n'], 'run')}, {entry['data'][0]}{message}"


def _false_claim(entry: Fields) -> str:
    off = "" if entry["off"] == UNKNOWN else f", {entry['off']}"
    return f"{entry['method']} on {entry['data']}: “{entry['claim']}” is false; {entry['proven']}{off}"


def _listed(texts: list[str], what: str) -> list[str]:
    more = len(texts) - _MOST_LISTED
    lines = [f"- {one_line(text, _WIDTH)}" for text in texts[:_MOST_LISTED]]
    return [*lines, f"- and {count(more)} more {what}"] if more > 0 else lines


def _method_lines(found: Fields) -> list[str]:
    """Return a table of the margins, and of the times where these are reported."""
    times = {} if found["times"] is None else {entry["method"]: entry for entry in found["times"]["methods"]}
    entries = found["margins"]["methods"]
    if not entries:
        return ["No data set is proven to be separable."]
    head = ["method", "separable data", "separates", "reaches γ*", "least of γ*", *(["mean s"] if times else [])]
    rows = [head, *(_method_row(entry, times) for entry in entries[:_MOST_METHODS])]
    more = len(entries) - _MOST_METHODS
    is_marked = any(row[-1].endswith(timings.STOPPED_BEFORE) for row in rows)
    note = f"{timings.STOPPED_BEFORE} runs that memory or iterations ended count with the limit of time"
    return [
        "",
        *aligned(rows, to_the_left=[0]),
        *([f"and {plural(more, 'more method')}"] if more > 0 else []),
        *([note] if is_marked else []),
    ]


def _method_row(entry: Fields, times: Fields) -> list[str]:
    counts = [count(entry[name]) for name in ("n_data", "n_separated", "n_reached")]
    least = UNKNOWN if entry["least_share"] is None else share_of_the_best(entry["least_share"])
    seconds = [timings.mean_text(times[entry["method"]])] if times else []
    return [printable(entry["method"]), *counts, least, *seconds]
