"""How long the methods take: means over all runs, ratios, memory."""

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from statistics import geometric_mean
from typing import Any

from maxmargin.reports.comparisons.estimates.means import SHIFT, is_censored, shifted_geometric_mean, times_of
from maxmargin.reports.comparisons.runs import MethodRuns, Runs, data_key, grouped
from maxmargin.reports.document import Block, Paragraph, Table
from maxmargin.reports.number_formats import UNKNOWN, count, number

Fields = dict[str, Any]

TITLE = "How long it takes"


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
    ratios, n_at_limit = [], 0
    for record in method.records if runs.is_alone else ():
        if not is_censored(record):
            ratios += [record["times_ours"]] if record["status"] == "ok" and record["times_ours"] else []
            continue
        ours = our_seconds.get((method.question, data_key(record)))
        stopped = [seconds / ours for seconds in times_of([record], runs.limit_seconds).seconds if ours]
        ratios += stopped
        n_at_limit += len(stopped)
    return {
        "times_ours": geometric_mean(ratios) if ratios else None,
        "n_ratios": len(ratios),
        "is_ratio_bound": n_at_limit > 0,
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


def _table(question: str, entries: Sequence[Mapping[str, Any]], is_alone: bool) -> Table:
    rows = tuple(map(_row, entries))
    columns = ["Method", "Runs", "In the mean", "At the limit", "Mean (s)", "Times ours", "Peak (MiB)", "Stopped"]
    kept = [column for column in range(len(columns)) if column != 5 or is_alone]
    return Table(
        f"Time of one run: {question}",
        tuple(columns[column] for column in kept),
        tuple(tuple(row[column] for column in kept) for row in rows),
        numeric=range(1, len(kept) - 1),
    )


def _row(entry: Mapping[str, Any]) -> tuple[str, ...]:
    at_least = "≥ " if entry["is_ratio_bound"] else ""
    return (
        entry["method"],
        *(count(entry[name]) for name in ("n_runs", "n_in_mean", "n_at_limit")),
        ("≥ " if entry["n_at_limit"] else "") + number(entry["mean_seconds"], 3),
        UNKNOWN if entry["times_ours"] is None else at_least + number(entry["times_ours"], 3),
        number(entry["peak_mib"], 3),
        ", ".join(f"{status} {count(n)}" for status, n in entry["failures"].items()) or UNKNOWN,
    )


def _note(found: Fields) -> str:
    limit = found["limit_seconds"]
    value = "their own time, as there is no limit of time" if limit is None else f"the limit of {number(limit)} s"
    ratios = (
        "Times ours: geometric mean of the ratios to the time of our method for the same question on the same data."
        if found["is_alone"]
        else "Ratios to our method are not given: several runs shared the machine, which blurs them."
    )
    return (
        f"Mean: geometric mean of the seconds of fitting alone, shifted by {number(1000 * found['shift'])} ms. Runs "
        f"that were stopped by a limit of time, memory or iterations count with {value}: a mean with such runs is a "
        f"lower bound, marked ≥. Other failures have no time and are in no mean. {ratios}"
    )
