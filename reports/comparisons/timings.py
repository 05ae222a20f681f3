"""How long the methods take: means over all runs, ratios, memory."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import geometric_mean
from typing import Any

from maxmargin.reports.comparisons.estimates.means import SHIFT, is_censored, shifted_geometric_mean, times_of
from maxmargin.reports.comparisons.runs import MethodRuns, Runs, data_key, grouped
from maxmargin.reports.document import Block, Paragraph, TableBlock
from maxmargin.text.number_formats import UNKNOWN, count, number

Fields = dict[str, Any]

TITLE = "How long it takes"

STOPPED_BEFORE = "†"
"""Mark of a mean with runs that count with the limit of time and were stopped before."""


def fields(runs: Runs, *, shift: float = SHIFT) -> Fields:
    """Return the times of each method.

    Parameters
    ----------
    runs : Runs
    shift : float, default 0.01
        Seconds added to every time before the geometric mean is taken.
    """
    return {
        "shift": shift,
        "limit_seconds": runs.limit_seconds,
        "is_alone": runs.is_alone,
        "methods": [_timing(method, runs, shift, _our_seconds(runs)) for method in runs.methods],
    }


def _our_seconds(runs: Runs) -> dict[tuple[str, str], float]:
    """Return the time of our method for each question and data set, which the ratios of the records are to."""
    found: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for method in runs.methods:
        for record in method.records:
            if record["seconds"] and record["times_ours"]:
                found[method.question, data_key(record)].append(record["seconds"] / record["times_ours"])
    return {key: geometric_mean(seconds) for key, seconds in found.items()}


def _timing(method: MethodRuns, runs: Runs, shift: float, our_seconds: Mapping[tuple[str, str], float]) -> Fields:
    times = times_of(method.records, runs.limit_seconds)
    memory = [record["peak_mib"] for record in method.records if record["peak_mib"] is not None]
    return {
        "method": method.label,
        "question": method.question,
        "n_runs": len(method.records),
        "n_in_mean": len(times.seconds),
        "n_at_limit": times.n_at_limit,
        "is_lower_bound": times.is_lower_bound,
        "mean_seconds": shifted_geometric_mean(times.seconds, shift=shift) if times.seconds else None,
        **_ratios(method, runs, our_seconds),
        "peak_mib": max(memory, default=None),
        "failures": dict(sorted(_failures(method).items())),
    }


def _failures(method: MethodRuns) -> Counter[str]:
    failed = Counter(record["status"] for record in method.records if record["status"] != "ok")
    n_capped = sum(record["status"] == "ok" and is_censored(record) for record in method.records)
    return failed + Counter({"capped": n_capped})


def _ratios(method: MethodRuns, runs: Runs, our_seconds: Mapping[tuple[str, str], float]) -> Fields:
    """Return the geometric mean of the ratios to our own method, in which a stopped run counts with the limit."""
    ratios, counted = [], []
    for record in method.records if runs.is_alone else ():
        if not is_censored(record):
            ratios += [record["times_ours"]] if record["status"] == "ok" and record["times_ours"] else []
            continue
        ours = our_seconds.get((method.question, data_key(record)))
        times = times_of([record], runs.limit_seconds)
        if ours and times.seconds:
            ratios.append(times.seconds[0] / ours)
            counted.append(times.is_lower_bound)
    return {
        "times_ours": geometric_mean(ratios) if ratios else None,
        "n_ratios": len(ratios),
        "n_ratios_at_limit": len(counted),
        "is_ratio_lower_bound": bool(counted) and all(counted),
    }


def blocks(found: Fields | None) -> tuple[Block, ...]:
    """Return a table of the times for each question; None stands for a report without times."""
    if found is None:
        return (Paragraph("Times are left out of this report."),)
    if not found["methods"]:
        return (Paragraph("No method was run."),)
    by_question = grouped(found["methods"], lambda entry: str(entry["question"]))
    tables = [_table(question, entries, found["is_alone"]) for question, entries in by_question.items()]
    return (*tables, Paragraph(_note(found)))


def _table(question: str, entries: Sequence[Mapping[str, Any]], is_alone: bool) -> TableBlock:
    rows = tuple(map(_row, entries))
    columns = ["Method", "Runs", "In the mean", "At the limit", "Mean (s)", "Times ours", "Peak (MiB)", "Stopped"]
    kept = [column for column in range(len(columns)) if column != 5 or is_alone]
    return TableBlock(
        f"Time of one run: {question}",
        tuple(columns[column] for column in kept),
        tuple(tuple(row[column] for column in kept) for row in rows),
        numeric=range(1, len(kept) - 1),
    )


def _row(entry: Mapping[str, Any]) -> tuple[str, ...]:
    return (
        entry["method"],
        *(count(entry[name]) for name in ("n_runs", "n_in_mean", "n_at_limit")),
        mean_text(entry),
        _marked(entry["times_ours"], entry["n_ratios_at_limit"], is_lower_bound=entry["is_ratio_lower_bound"]),
        number(entry["peak_mib"], 3),
        ", ".join(f"{status} {count(n)}" for status, n in entry["failures"].items()) or UNKNOWN,
    )


def _marked(mean: float | None, n_at_limit: int, *, is_lower_bound: bool) -> str:
    """Return a mean with a mark of what the runs in it that were stopped make of it."""
    if mean is None or not n_at_limit:
        return number(mean, 3)
    return f"≥ {number(mean, 3)}" if is_lower_bound else f"{number(mean, 3)} {STOPPED_BEFORE}"


def mean_text(entry: Mapping[str, Any]) -> str:
    """Return the mean time of a method with its mark."""
    return _marked(entry["mean_seconds"], entry["n_at_limit"], is_lower_bound=entry["is_lower_bound"])


def _note(found: Fields) -> str:
    limit, counts = found["limit_seconds"], "with their own time, as there is no limit of time: marked ≥, a lower bound"
    if limit is not None:
        counts = (
            f"with {number(limit)} s, the limit of time. A mean is a lower bound, marked ≥, where all of these ran out "
            f"of time; it is none, and is marked {STOPPED_BEFORE}, where memory or iterations ended some of them before"
        )
    ratios = (
        "Times ours: geometric mean of the ratios to the time of our method for the same question on the same data."
        if found["is_alone"]
        else "Ratios to our method are not given: several runs shared the machine, which blurs them."
    )
    return (
        f"Mean: geometric mean of the seconds of fitting alone, shifted by {number(1000 * found['shift'])} ms. Runs "
        f"that were stopped by a limit of time, memory or iterations count {counts}. Other failures have no time and "
        f"are in no mean. {ratios}"
    )
