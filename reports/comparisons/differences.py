"""What changed since an old run of a comparison: cells are matched by what they are, not by a hash."""

from collections.abc import Mapping
from statistics import geometric_mean
from typing import Any

from maxmargin.reports.comparisons.estimates.means import is_censored
from maxmargin.reports.comparisons.runs import Record, Runs, data_label, grouped, identity, method_label
from maxmargin.reports.document import Block, Paragraph, Points, TableBlock
from maxmargin.text.number_formats import UNKNOWN, count, first_of, number, plural

Fields = dict[str, Any]

TITLE = "Changes since the old run"

CELL = ("data", "prepare", "features", "method", "params", "order", "seed", "fold")
"""The fields that say which cell a record is of; the name of the data has the positive class."""

_OF_DATA = ("data", "prepare", "features", "fold")

_COMPARED = ("status", "claim", "claim_true", "margin", "objective", "n_mistakes", "n_errors", "held_out_errors")
"""The fields whose changes are listed."""

_MOST_ROWS = 60


def fields(old: Runs, new: Runs, *, times: bool) -> Fields:
    """Return what changed from the old to the new run."""
    before, after = _cells(old), _cells(new)
    both = [(before[key], after[key]) for key in after if key in before]
    return {
        "verdicts": _verdicts(old, new),
        "added": [_name(after[key]) for key in after if key not in before],
        "removed": [_name(before[key]) for key in before if key not in after],
        "n_matched": len(both),
        "changed": [entry for pair in both for entry in _changes(*pair)],
        "versions": _versions(both),
        **({"times": _time_ratios(both), "is_timed": old.is_alone and new.is_alone} if times else {}),
    }


def _cells(runs: Runs) -> dict[str, Record]:
    return {identity(record, CELL): record for record in runs.records}


def _verdicts(old: Runs, new: Runs) -> list[Fields]:
    """Return the data sets whose verdict changed; it is an alarm if both are proven on the same numbers."""
    before, after = _facts(old), _facts(new)
    changed = []
    for key, now in after.items():
        then = before.get(key)
        if then is None or then.get("verdict") == now.get("verdict"):
            continue
        same = then.get("data_sha256") == now.get("data_sha256")
        both = all(facts.get("verdict") not in (None, "undecided") for facts in (then, now))
        changed.append(
            {
                **{"data": data_label(now), "old": then.get("verdict"), "new": now.get("verdict")},
                **{"is_same_data": same, "is_alarm": same and both},
            }
        )
    return changed


def _facts(runs: Runs) -> dict[str, Record]:
    """Return the facts on each data set, from the records of its runs where it is not in the list of the data."""
    return {identity(entry, _OF_DATA): entry for entry in (*runs.records, *runs.comparison.data)}


def _name(record: Record) -> Fields:
    return {
        **{"data": data_label(record), "method": method_label(record)},
        **{"order": record["order"], "seed": record["seed"]},
    }


def _changes(then: Record, now: Record) -> list[Fields]:
    return [
        _name(now) | {"field": name, "old": then[name], "new": now[name]}
        for name in _COMPARED
        if then[name] != now[name]
    ]


def _versions(both: list[tuple[Record, Record]]) -> list[Fields]:
    changed = {(str(now["method"]), then["version"], now["version"]) for then, now in both}
    return [
        {"method": method, "old": then, "new": now} for method, then, now in sorted(changed, key=str) if then != now
    ]


def _time_ratios(both: list[tuple[Record, Record]]) -> list[Fields]:
    """Return for each method the geometric mean of new time / old time over the runs that finished both times."""
    timed = [(then, now) for then, now in both if _is_timed(then) and _is_timed(now)]
    ratios = {identity(now, CELL): now["seconds"] / then["seconds"] for then, now in timed}
    return [
        {"method": label, "n": len(group), "ratio": geometric_mean(ratios[identity(now, CELL)] for now in group)}
        for label, group in grouped((now for _, now in timed), method_label).items()
    ]


def _is_timed(record: Record) -> bool:
    return record["status"] == "ok" and not is_censored(record) and bool(record["seconds"])


def blocks(found: Fields) -> tuple[Block, ...]:
    """Return the changes, changed verdicts first."""
    shown: list[Block] = [Paragraph(sentence(found))]
    if found["verdicts"]:
        shown.append(Points(tuple(map(_verdict, found["verdicts"]))))
    if found["changed"]:
        shown.append(_changed_table(found["changed"]))
    for name in ("added", "removed"):
        if found[name]:
            shown.append(_cells_table(name, found[name]))
    if found["versions"]:
        rows = tuple((entry["method"], _text(entry["old"]), _text(entry["new"])) for entry in found["versions"])
        shown.append(TableBlock("Versions that changed", ("Method", "Old", "New"), rows))
    return (*shown, *_times(found))


def sentence(found: Fields) -> str:
    """Return what changed, in numbers."""
    n_alarms = sum(entry["is_alarm"] for entry in found["verdicts"])
    alarm = (
        f"ALARM: {plural(n_alarms, 'proven verdict contradicts', 'proven verdicts contradict')} the old one on the "
        "same data. "
        if n_alarms
        else ""
    )
    n_changed = len({(e["data"], e["method"], e["order"], e["seed"]) for e in found["changed"]})
    if not (found["verdicts"] or found["changed"] or found["added"] or found["removed"]):
        runs = plural(found["n_matched"], "run")
        return f"All {runs} have the same status, claims, margins, objectives, mistakes and errors."
    return (
        f"{alarm}Of {plural(found['n_matched'], 'run')} in both comparisons {count(n_changed)} changed; "
        f"{count(len(found['added']))} were added and {count(len(found['removed']))} removed; "
        f"{plural(len(found['verdicts']), 'data set has', 'data sets have')} another verdict."
    )


def _verdict(entry: Fields) -> str:
    kind = "Alarm: " if entry["is_alarm"] else ""
    why = "" if entry["is_same_data"] else " (the data themselves changed)"
    return f"{kind}{entry['data']}: {_text(entry['old'])} before, {_text(entry['new'])} now{why}."


def _changed_table(entries: list[Fields]) -> TableBlock:
    rows = tuple(
        (*_place(entry), entry["field"], _text(entry["old"]), _text(entry["new"])) for entry in entries[:_MOST_ROWS]
    )
    columns = ("Data", "Method", "Order", "Seed", "Field", "Old", "New")
    note = first_of(_MOST_ROWS, len(entries), "changes")
    return TableBlock("Results that changed", columns, rows, numeric=(3,), note=note)


def _cells_table(name: str, entries: list[Fields]) -> TableBlock:
    rows = tuple(map(_place, entries[:_MOST_ROWS]))
    note = first_of(_MOST_ROWS, len(entries), "runs")
    return TableBlock(f"Runs that were {name}", ("Data", "Method", "Order", "Seed"), rows, numeric=(3,), note=note)


def _place(entry: Mapping[str, Any]) -> tuple[str, str, str, str]:
    return entry["data"], entry["method"], _text(entry["order"]), _text(entry["seed"])


def _times(found: Fields) -> tuple[Block, ...]:
    if "times" not in found or not found["times"]:
        return ()
    if not found["is_timed"]:
        return (Paragraph("Times are not compared: in one of the two comparisons several runs shared the machine."),)
    rows = tuple((entry["method"], count(entry["n"]), number(entry["ratio"], 3)) for entry in found["times"])
    note = "Geometric mean over the runs that finished both times; above 1 the new run took longer."
    return (TableBlock("New time divided by old time", ("Method", "Runs", "Ratio"), rows, numeric=(1, 2), note=note),)


def _text(value: object) -> str:
    """Return a value of a field; numbers have all their digits, since changes may be small."""
    return UNKNOWN if value is None else str(value)
