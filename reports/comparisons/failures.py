"""Runs that failed, and claims that are proven to be false."""

from collections import Counter
from typing import Any

from maxmargin.reports.comparisons.runs import Record, Runs, data_label, grouped, identity, is_separable, method_label
from maxmargin.reports.document import Block, Emphasis, Paragraph, TableBlock, marked_names
from maxmargin.text.number_formats import UNKNOWN, count, one_line, percent, plural, proven, rounded

Fields = dict[str, Any]

TITLE = "Failures and false claims"

# Number of data sets that a table names of those on which a method failed.
_MOST_NAMED = 3

_LONGEST_MESSAGE = 70


def fields(runs: Runs) -> Fields:
    """Return the runs that failed, by method and status, and the false claims."""
    failed = [record for record in runs.records if record["status"] != "ok"]
    false = [record for record in runs.records if record["claim_true"] is False]
    return {
        "n_records": len(runs.records),
        "n_not_run": runs.comparison.n_not_run,
        "n_failed": len(failed),
        "n_false": len(false),
        "failures": [_failure(group) for group in _groups(failed, ("method", "params", "status"))],
        "false_claims": [_false_claim(group) for group in _groups(false, _OF_A_CLAIM)],
    }


# Fields that false claims of one row of the table share; they differ in order and seed.
_OF_A_CLAIM = ("data", "prepare", "features", "fold", "method", "params", "claim")


def _groups(records: list[Record], names: tuple[str, ...]) -> list[list[Record]]:
    """Return the records with the same values of these fields, the groups sorted by method."""
    groups = grouped(records, lambda record: identity(record, names)).values()
    return sorted(groups, key=lambda group: (method_label(group[0]), str(group[0]["status"])))


def _failure(records: list[Record]) -> Fields:
    first = records[0]
    return {
        "method": method_label(first),
        "status": first["status"],
        "n": len(records),
        "data": list(dict.fromkeys(map(data_label, records))),
        "messages": list(dict.fromkeys(str(record["message"] or "") for record in records)),
    }


def _false_claim(records: list[Record]) -> Fields:
    """Return the claim of a method on a data set, as far off as in the worst of its runs."""
    worst = max(records, key=_distance)
    return {
        "data": data_label(worst),
        "method": method_label(worst),
        "n": len(records),
        "claim": worst["claim"],
        "proven": _proven(worst),
        "off": _off(worst),
        **{name: worst[name] for name in ("share", "n_errors", "suboptimality")},
    }


def _distance(record: Record) -> tuple[float, float, float]:
    return (record["suboptimality"] or 0.0, float(record["n_errors"] or 0), -float(record["share"] or 0.0))


def _proven(record: Record) -> str:
    """Return what is proven about the subject of the claim."""
    if record["claim"] == "optimal" and record["objective_lower"] is not None:
        return f"objective {rounded(record['objective'])}, lower bound {rounded(record['objective_lower'])}"
    if is_separable(record):
        return f"separable, γ* = {proven(record['gamma_lower'], record['gamma_upper'], 6)}"
    return str(record["verdict"] or UNKNOWN)


def _off(record: Record) -> str:
    """Return how far the claim is from the truth."""
    if record["claim"] == "optimal":
        off = record["suboptimality"]
        return UNKNOWN if off is None else f"{rounded(off, 3)} above the bound, relative to it"
    if record["claim"] not in ("maximum margin", "separates"):
        return UNKNOWN
    if record["n_errors"]:
        return f"{plural(record['n_errors'], 'row')} not strictly on the right side"
    if record["share"] is not None and record["share"] > 0:
        return f"margin is {percent(record['share'])} of γ*"
    return UNKNOWN if record["margin"] is None else f"margin {rounded(record['margin'], 3)}"


def blocks(found: Fields) -> tuple[Block, ...]:
    """Return the tables, or the sentence that there is nothing to report."""
    shown: list[Block] = []
    if found["false_claims"]:
        shown.append(_false_claims_table(found["false_claims"]))
    if found["failures"]:
        shown.append(_failures_table(found["failures"]))
    return tuple(shown) or tuple(Paragraph(sentence) for sentence in sentences(found))


def sentences(found: Fields) -> tuple[str, ...]:
    """Return what failed and what is false, in numbers."""
    n_failed, n_false = found["n_failed"], found["n_false"]
    false = plural(n_false, "claim is", "claims are") if n_false else "no claim is"
    first = f"{count(n_failed)} of {plural(found['n_records'], 'run')} failed, and {false} proven to be false."
    if not found["n_not_run"]:
        return (first,)
    missing = plural(found["n_not_run"], "run of the study has", "runs of the study have")
    return (first, f"The comparison is not complete: {missing} no record yet.")


def who_is_wrong(found: Fields) -> tuple[str | Emphasis, ...]:
    """Return whose claims are false, as the pieces of a sentence; nothing where there are none."""
    counts = Counter[str]()
    for entry in found["false_claims"]:
        counts[entry["method"]] += entry["n"]
    if not counts:
        return ()
    names = [(method, f" ({count(n)})") for method, n in counts.most_common()]
    return ("False claims come from ", *marked_names(names, _MOST_NAMED, others="other method"), ". ")


def _failures_table(failures: list[Fields]) -> TableBlock:
    rows = tuple(
        (entry["method"], entry["status"], count(entry["n"]), _named(entry["data"]), _message(entry["messages"]))
        for entry in failures
    )
    columns = ("Method", "Status", "Runs", "Data", "Message")
    return TableBlock("Runs that failed, by method and status", columns, rows, numeric=(2,))


def _false_claims_table(claims: list[Fields]) -> TableBlock:
    rows = tuple(
        (entry["data"], entry["method"], count(entry["n"]), entry["claim"], entry["proven"], entry["off"])
        for entry in claims
    )
    columns = ("Data", "Method", "Runs", "Claim", "What is proven", "How far off, at worst")
    note = "A claim is what the method says of its own result. It is false where the opposite is proven."
    return TableBlock("Claims that are false", columns, rows, numeric=(2,), note=note)


def _named(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return "; ".join([*names[:_MOST_NAMED], f"{count(more)} more"] if more > 0 else names)


def _message(messages: list[str]) -> str:
    more = len(messages) - 1
    return one_line(messages[0], _LONGEST_MESSAGE) + (f" ({count(more)} other)" if more > 0 else "")


def is_clean(found: Fields) -> bool:
    """Return whether every run of the study was made, none failed, and no claim is false."""
    return not (found["n_failed"] or found["n_false"] or found["n_not_run"])
