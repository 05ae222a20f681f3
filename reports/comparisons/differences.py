"""The changes since an old run of a comparison; cells are matched by their settings, not by a hash."""

from collections.abc import Iterator
from statistics import geometric_mean

from maxmargin.reports.comparisons.estimates import is_censored
from maxmargin.reports.comparisons.runs import Fields, Record, Runs, data_label, grouped, identity, method_label
from maxmargin.reports.document import Block, Paragraph, TableBlock
from maxmargin.text.number_formats import UNKNOWN, count, first_of, plural, rounded

TITLE = "Changes since the old run"

# The fields that say which cell a record is of; the name of the data has the positive class.
CELL = ("data", "prepare", "features", "method", "params", "order", "seed", "fold")

_OF_DATA = ("data", "prepare", "features", "fold")

# The fields whose changes are listed.
_COMPARED = ("status", "claim", "claim_true", "margin", "objective", "n_mistakes", "n_errors", "held_out_errors")

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
        "changed": [
            _name(now) | {"field": name, "old": then[name], "new": now[name]}
            for then, now in both
            for name in _COMPARED
            if then[name] != now[name]
        ],
        "versions": _versions(both),
        **({"times": _time_ratios(both), "is_timed": old.is_alone and new.is_alone} if times else {}),
    }


def _cells(runs: Runs) -> dict[str, Record]:
    return {identity(record, CELL): record for record in runs.records}


def _verdicts(old: Runs, new: Runs) -> list[Fields]:
    """Return the data sets whose verdict changed; it is an alarm if both are proven on the same numbers."""
    before, after = _proven_facts(old), _proven_facts(new)
    changed = []
    for key, now in after.items():
        then = before.get(key)
        if then is None or then.get("verdict") == now.get("verdict"):
            continue
        same = then.get("data_sha256") == now.get("data_sha256")
        both = all(facts.get("verdict") not in (None, "undecided") for facts in (then, now))
        verdicts = {"data": data_label(now), "old": then.get("verdict"), "new": now.get("verdict")}
        changed.append({**verdicts, "is_same_data": same, "is_alarm": same and both})
    return changed


def _proven_facts(runs: Runs) -> dict[str, Record]:
    """Return the facts on each data set, from the records of its runs where it is not in the list of the data."""
    return {identity(entry, _OF_DATA): entry for entry in (*runs.records, *runs.comparison.data)}


def _name(record: Record) -> Fields:
    where = {"data": data_label(record), "method": method_label(record)}
    return {**where, "order": record["order"], "seed": record["seed"]}


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
    """Return the changes in a sentence, and as one table: verdicts first, then results, runs, versions and times."""
    text = sentence(found)
    if found.get("times") and not found["is_timed"]:
        text += " Times are not compared: in one of the two comparisons several runs shared the machine."
    rows = tuple(_rows(found))
    if not rows:
        return (Paragraph(text),)
    columns = ("Change", "Data", "Method", "Order", "Seed", "Old", "New")
    note = first_of(_MOST_ROWS, len(rows), "changes")
    return (Paragraph(text), TableBlock("What changed", columns, rows[:_MOST_ROWS], numeric=(4,), note=note))


def _rows(found: Fields) -> Iterator[tuple[str, ...]]:
    for entry in found["verdicts"]:
        kind = "ALARM: verdict" if entry["is_alarm"] else "verdict" if entry["is_same_data"] else "verdict, other data"
        yield (kind, entry["data"], "", "", "", *_values(entry))
    for entry in found["changed"]:
        yield (entry["field"], *_cell(entry), *_values(entry))
    for name in ("added", "removed"):
        yield from ((name, *_cell(entry), "", "") for entry in found[name])
    for entry in found["versions"]:
        yield ("version", "", entry["method"], "", "", *_values(entry))
    for entry in found["times"] if found.get("is_timed") else ():
        on = f"geometric mean, {plural(entry['n'], 'run')}"
        yield ("new time / old time", on, entry["method"], "", "", "", rounded(entry["ratio"], 3))


def _cell(entry: Fields) -> tuple[str, str, str, str]:
    return entry["data"], entry["method"], _text(entry["order"]), _text(entry["seed"])


def _values(entry: Fields) -> tuple[str, str]:
    return _text(entry["old"]), _text(entry["new"])


def sentence(found: Fields) -> str:
    """Return what changed, in numbers."""
    n_alarms = sum(entry["is_alarm"] for entry in found["verdicts"])
    contradict = plural(n_alarms, "proven verdict contradicts", "proven verdicts contradict")
    alarm = f"ALARM: {contradict} the old one on the same data. " if n_alarms else ""
    n_changed = len({(e["data"], e["method"], e["order"], e["seed"]) for e in found["changed"]})
    if not (found["verdicts"] or found["changed"] or found["added"] or found["removed"]):
        runs = plural(found["n_matched"], "run")
        return f"All {runs} have the same status, claims, margins, objectives, mistakes and errors."
    return (
        f"{alarm}Of {plural(found['n_matched'], 'run')} in both comparisons {count(n_changed)} changed; "
        f"{count(len(found['added']))} were added and {count(len(found['removed']))} removed; "
        f"{plural(len(found['verdicts']), 'data set has', 'data sets have')} another verdict."
    )


def _text(value: object) -> str:
    """Return a value of a field; numbers have all their digits, since changes may be small."""
    return UNKNOWN if value is None else str(value)
