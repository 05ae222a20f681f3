"""How long the methods take: means over all runs, ratios, memory."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from statistics import geometric_mean

from maxmargin.reports.comparisons.estimates import SHIFT, is_censored, shifted_geometric_mean, times_of
from maxmargin.reports.comparisons.runs import Fields, MethodRuns, Record, Runs, data_key
from maxmargin.reports.document import Block, Paragraph
from maxmargin.reports.sections.shared import Columns, table_of
from maxmargin.text.number_formats import UNKNOWN, count, rounded

TITLE = "How long it takes"

# Mark of a mean with runs that count with the limit of time and were stopped before.
STOPPED_BEFORE = "†"


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
    """Return a table of the times; None stands for a report without times."""
    if found is None:
        return (Paragraph("Times are left out of this report."),)
    if not found["methods"]:
        return (Paragraph("No method was run."),)
    columns: Columns = {
        "Question": lambda entry: entry["question"],
        "Method": lambda entry: entry["method"],
        "Runs": lambda entry: count(entry["n_runs"]),
        "In the mean": lambda entry: count(entry["n_in_mean"]),
        "At the limit": lambda entry: count(entry["n_at_limit"]),
        "Mean (s)": lambda e: _marked(e["mean_seconds"], e["n_at_limit"], is_lower_bound=e["is_lower_bound"]),
        **({"Times ours": _ratio_text} if found["is_alone"] else {}),
        "Peak (MiB)": lambda entry: rounded(entry["peak_mib"], 3),
        "Stopped": lambda entry: ", ".join(f"{name} {count(n)}" for name, n in entry["failures"].items()) or UNKNOWN,
    }
    numeric = range(2, len(columns) - 1)
    return (table_of("Time of one run", found["methods"], columns, numeric=numeric, note=_note(found)),)


def _ratio_text(entry: Record) -> str:
    return _marked(entry["times_ours"], entry["n_ratios_at_limit"], is_lower_bound=entry["is_ratio_lower_bound"])


def _marked(mean: float | None, n_at_limit: int, *, is_lower_bound: bool) -> str:
    """Return a mean with a mark of what the runs in it that were stopped make of it."""
    if mean is None or not n_at_limit:
        return rounded(mean, 3)
    return f"≥ {rounded(mean, 3)}" if is_lower_bound else f"{rounded(mean, 3)} {STOPPED_BEFORE}"


def _note(found: Fields) -> str:
    limit, counts = found["limit_seconds"], "with their own time, as there is no limit of time: marked ≥, a lower bound"
    if limit is not None:
        counts = (
            f"with {rounded(limit)} s, the limit of time. A mean is a lower bound, marked ≥, where all of these ran "
            f"out of time; it is none, and is marked {STOPPED_BEFORE}, where memory or iterations ended some of them "
            "before"
        )
    ratios = (
        "Times ours: geometric mean of the ratios to the time of our method for the same question on the same data."
        if found["is_alone"]
        else "Ratios to our method are not given: several runs shared the machine, which blurs them."
    )
    return (
        f"Mean: geometric mean of the seconds of fitting alone, shifted by {rounded(1000 * found['shift'])} ms. Runs "
        f"that were stopped by a limit of time, memory or iterations count {counts}. Other failures have no time and "
        f"are in no mean. {ratios}"
    )
