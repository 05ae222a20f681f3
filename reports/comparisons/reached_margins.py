"""Who reaches the maximum margin, and whose claims are true."""

from collections import Counter
from statistics import median
from typing import Any

from maxmargin.reports.comparisons.runs import (
    MethodRuns,
    Record,
    Runs,
    data_key,
    grouped,
    is_separable,
    separates,
    share_of,
)
from maxmargin.reports.document import Block, Emphasis, Paragraph, TableBlock, marked_names
from maxmargin.reports.templates import wording
from maxmargin.text.number_formats import UNKNOWN, count, plural, rounded, share_of_the_best

Fields = dict[str, Any]

MARGINS_TITLE = "Who reaches the maximum margin"
CLAIMS_TITLE = "Who misreports"

_TRUTHS = {"n_true": True, "n_false": False, "n_undecided": None}

# Least share of γ* of a hyperplane that its user holds for the one of the maximum margin.
_KEPT = 0.99

# The questions whose methods look for large margins.
_FOR_MARGINS = ("hard margin", "soft margin")

# Largest number of methods that the head of a page names.
_MOST_NAMED = 4


def margin_fields(runs: Runs) -> Fields:
    """Return for each method on how many separable data sets it separates, and how near it comes to γ*."""
    found = (_margins(method, runs.tolerance) for method in runs.methods)
    return {"tolerance": runs.tolerance, "methods": [entry for entry in found if entry is not None]}


def _margins(method: MethodRuns, tolerance: float) -> Fields | None:
    """Return the margins on separable data; on each data set the least of all orders and seeds counts."""
    on_separable = [records for records in grouped(method.records, data_key).values() if is_separable(records[0])]
    if not on_separable:
        return None
    finished = [record for records in on_separable for record in records if record["status"] == "ok"]
    has_planes = not finished or any(record["n_errors"] is not None for record in finished)
    n_wrong = sum(is_wrong_in_effect(record, method.question) for record in finished)
    shares = [min(map(share_of, records)) for records in on_separable]
    return {
        "method": method.label,
        "question": method.question,
        "n_data": len(on_separable),
        "n_separated": sum(all(map(separates, records)) for records in on_separable) if has_planes else None,
        "n_wrong_in_effect": n_wrong if has_planes else None,
        "n_reached": sum(share >= 1 - tolerance for share in shares) if has_planes else None,
        "median_share": median(shares) if has_planes else None,
        "least_share": min(shares) if has_planes else None,
    }


def is_wrong_in_effect(record: Record, question: str) -> bool:
    """Return whether the hyperplane of a run, whatever it claims, errs on separable data or keeps less than 99 % of γ*.

    Of methods that look for any hyperplane only errors count.
    """
    if record["n_errors"] is None or not is_separable(record):
        return False
    return share_of(record) < _KEPT if question in _FOR_MARGINS else not separates(record)


def reaching(found: Fields) -> list[str]:
    """Return the methods that reach the maximum margin on every separable data set."""
    return [entry["method"] for entry in found["methods"] if entry["n_reached"] == entry["n_data"]]


def who_reaches(found: Fields) -> tuple[str | Emphasis, ...]:
    """Return who reaches the maximum margin, as the pieces of sentences."""
    able = [entry for entry in found["methods"] if entry["n_reached"] is not None]
    if not able:
        return ("No data set is proven to be separable." if not found["methods"] else "No method gives hyperplanes.",)
    names = reaching(found)
    n_separating = sum(entry["n_separated"] == entry["n_data"] for entry in able)
    separating = f"{count(n_separating)} of {plural(len(able), 'method')} with hyperplanes"
    rest = f"; {separating} {'separates' if n_separating == 1 else 'separate'} all of it."
    if not names:
        return ("No method reaches the maximum margin on all separable data", rest)
    by = marked_names([(name, "") for name in names], _MOST_NAMED, others="other method", role="truth")
    return ("The maximum margin is reached on all separable data by ", *by, rest)


def margin_blocks(found: Fields) -> tuple[Block, ...]:
    """Return the table of the margins."""
    if not found["methods"]:
        return (Paragraph("No data set of the comparison is proven to be separable: there is no maximum margin."),)
    note = wording("reached_margins", tolerance=rounded(found["tolerance"]), unknown=UNKNOWN)
    rows = tuple(
        (
            entry["question"],
            entry["method"],
            *(count(entry[name]) for name in ("n_reached", "n_wrong_in_effect")),
            *(_share(entry[name]) for name in ("least_share", "median_share")),
            *(count(entry[name]) for name in ("n_separated", "n_data")),
        )
        for entry in found["methods"]
    )
    columns = (
        "Question", "Method", "Reaches γ*", "Wrong in effect", "Least of γ*", "Median of γ*", "Separates", "Data sets",
    )  # fmt: skip
    return (TableBlock("Margins on separable data", columns, rows, numeric=range(2, 8), note=note),)


def _share(share: float | None) -> str:
    return UNKNOWN if share is None else share_of_the_best(share)


def claim_fields(runs: Runs) -> list[Fields]:
    """Return for each method and kind of claim how many are true, false and not decided, and what they are read off."""
    entries, texts = [], runs.comparison.settings.get("claims") or {}
    for method in runs.methods:
        kinds = Counter(record["claim"] for record in method.records)
        for kind in sorted(kinds, key=str):
            judged = [] if kind is None else [r["claim_true"] for r in method.records if r["claim"] == kind]
            truths = {name: judged.count(is_true) for name, is_true in _TRUTHS.items()}
            text = texts.get(method.records[0]["method"])
            entries.append({"method": method.label, "claim": kind, "n": kinds[kind], **truths, "taken_to_claim": text})
    return entries


def claim_blocks(found: list[Fields]) -> tuple[Block, ...]:
    """Return the table of the claims."""
    if not found:
        return (Paragraph("No method was run."),)
    rows = tuple((e["method"], e["claim"] or "(no claim)", count(e["n"]), *_truths(e)) for e in found)
    columns = ("Method", "Claim", "Runs", "True", "False", "Not decided")
    told = {entry["method"]: entry["taken_to_claim"] for entry in found if entry["taken_to_claim"]}
    taken = TableBlock("What each method is taken to claim", ("Method", "Claims"), tuple(told.items()))
    table = TableBlock("Claims of the methods", columns, rows, numeric=range(2, 6), note=wording("claims"))
    return (table, taken) if told else (table,)


def _truths(entry: Fields) -> tuple[str, ...]:
    if entry["claim"] is None:
        return (UNKNOWN,) * 3
    return tuple(count(entry[name]) for name in _TRUTHS)
