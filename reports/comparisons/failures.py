"""Runs that failed, and claims that are proven to be false."""

from collections import Counter
from typing import Any

from maxmargin.reports.comparisons.reached_margins import is_wrong_in_effect
from maxmargin.reports.comparisons.runs import Record, Runs, data_label, grouped, identity, is_separable, method_label
from maxmargin.reports.document import Block, Emphasis, Paragraph, TableBlock, marked_names
from maxmargin.reports.templates import wording
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
    n_wrong, n_both = _wrong_in_effect(runs)
    return {
        "n_records": len(runs.records),
        "n_not_run": runs.comparison.n_not_run,
        "n_failed": len(failed),
        "n_false": len(false),
        "n_wrong_in_effect": n_wrong,
        "n_false_and_wrong": n_both,
        "failures": [_failure(group) for group in _groups(failed, ("method", "params", "status"))],
        "false_claims": [_false_claim(group) for group in _groups(false, _OF_A_CLAIM)],
    }


def _wrong_in_effect(runs: Runs) -> tuple[int, int]:
    """Return how many runs are wrong in effect, and how many of these claim what is false."""
    finished = ((method, record) for method in runs.methods for record in method.records if record["status"] == "ok")
    wrong = [record for method, record in finished if is_wrong_in_effect(record, method.question)]
    return len(wrong), sum(record["claim_true"] is False for record in wrong)


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
        "n_warned": sum("Warning: " in (record["message"] or "") for record in records),
        "claim": worst["claim"],
        "proven": _proven(worst),
        "off": _off(worst),
        **{name: worst[name] for name in ("share", "n_errors", "suboptimality")},
    }


def _distance(record: Record) -> tuple[float, float, float]:
    return (_from_optimum(record) or 0.0, float(record["n_errors"] or 0), -float(record["share"] or 0.0))


def _proven(record: Record) -> str:
    """Return what is proven about the subject of the claim."""
    if record["claim"] == "optimal" and record["objective_lower"] is not None:
        name, value = _reached(record)
        return f"{name} {rounded(value)}, optimum {rounded(record['objective_lower'])}"
    if is_separable(record):
        return f"separable, γ* = {proven(record['gamma_lower'], record['gamma_upper'], 6)}"
    return str(record["verdict"] or UNKNOWN)


def _off(record: Record) -> str:
    """Return how far the claim is from the truth."""
    if record["claim"] == "optimal":
        off = _from_optimum(record)
        return UNKNOWN if off is None else f"{percent(off)} off the optimum"
    if record["n_errors"] and is_separable(record):
        return f"{plural(record['n_errors'], 'row')} not strictly on the right side"
    if record["claim"] not in ("maximum margin", "separates"):
        return UNKNOWN
    if record["share"] is not None and record["share"] > 0:
        return f"margin is {percent(record['share'])} of γ*"
    return UNKNOWN if record["margin"] is None else f"margin {rounded(record['margin'], 3)}"


def _reached(record: Record) -> tuple[str, float]:
    """Return what the claim to be optimal is judged by: the dual of a method that solves it, else the objective."""
    dual = (record["objective_of"] or {}).get("dual")
    return ("objective", record["objective"]) if dual is None else ("dual value", dual)


def _from_optimum(record: Record) -> float | None:
    """Return the relative distance of what was reached from the proven lower end of the optimum."""
    lower = record["objective_lower"]
    return abs(_reached(record)[1] / lower - 1) if lower and record["objective"] is not None else None


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
    first = f"{count(n_failed)} of {count(found['n_records'])} runs failed, and {false} proven to be false."
    if n_wrong := found["n_wrong_in_effect"]:
        also = f", {count(both)} of them with a false claim" if (both := found["n_false_and_wrong"]) else ""
        first += f" {plural(n_wrong, 'run is', 'runs are')} wrong in effect{also}."
    if not found["n_not_run"]:
        return (first,)
    missing = plural(found["n_not_run"], "run of the study has", "runs of the study have")
    return (first, f"The comparison is not complete: {missing} no record yet.")


def who_is_wrong(found: Fields) -> tuple[str | Emphasis, ...]:
    """Return whose claims are false, as the pieces of a sentence; nothing where there are none."""
    counts, warned = Counter[str](), Counter[str]()
    for entry in found["false_claims"]:
        counts[entry["method"]] += entry["n"]
        warned[entry["method"]] += entry["n_warned"]
    if not counts:
        return ()
    names = [(method, f" ({_with_warned(n, warned[method])})") for method, n in counts.most_common()]
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
        (e["data"], e["method"], _with_warned(e["n"], e["n_warned"]), e["claim"], e["proven"], e["off"]) for e in claims
    )
    columns = ("Data", "Method", "Runs", "Claim", "What is proven", "How far off, at worst")
    note = wording("false_claims")
    return TableBlock("Claims that are false", columns, rows, numeric=(2,), note=note)


def _with_warned(n: int, n_warned: int) -> str:
    return f"{count(n)}, {count(n_warned)} warned" if n_warned else count(n)


def _named(names: list[str]) -> str:
    more = len(names) - _MOST_NAMED
    return "; ".join([*names[:_MOST_NAMED], f"{count(more)} more"] if more > 0 else names)


def _message(messages: list[str]) -> str:
    more = len(messages) - 1
    return one_line(messages[0], _LONGEST_MESSAGE) + (f" ({count(more)} other)" if more > 0 else "")


def is_clean(found: Fields) -> bool:
    """Return whether every run of the study was made, none failed, and no claim is false."""
    return not (found["n_failed"] or found["n_false"] or found["n_not_run"])
