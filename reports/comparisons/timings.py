"""How long the methods take: means over the instances that all methods of a question finished, ratios, memory."""

from collections import Counter
from collections.abc import Sequence
from statistics import geometric_mean

from maxmargin.reports.comparisons.estimates import SHIFT, is_censored, shifted_geometric_mean
from maxmargin.reports.comparisons.runs import Fields, MethodRuns, Record, Runs, shared_instances
from maxmargin.reports.document import Block, Paragraph
from maxmargin.reports.sections.shared import Columns, table_of
from maxmargin.reports.templates import wording
from maxmargin.text.number_formats import UNKNOWN, count, rounded

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
        "is_alone": runs.is_alone,
        "methods": [entry for methods in runs.of_questions().values() for entry in _timings(methods, runs, shift)],
    }


def _timings(methods: Sequence[MethodRuns], runs: Runs, shift: float) -> list[Fields]:
    """Return the times of the methods of one question; those that finished no run are compared with no other."""
    shared = shared_instances(methods, _is_finished)
    return [_timing(method, shared.of(method), runs, shift) for method in methods]


def _is_finished(record: Record) -> bool:
    """Return whether the time of a run is its time: nothing stopped it."""
    return record["status"] == "ok" and not is_censored(record) and record["seconds"] is not None


def _timing(method: MethodRuns, shared: Sequence[Record], runs: Runs, shift: float) -> Fields:
    seconds = [record["seconds"] for record in shared]
    ratios = [record["times_ours"] for record in shared if record["times_ours"]] if runs.is_alone else []
    memory = [record["peak_mib"] for record in method.records if record["peak_mib"] is not None]
    return {
        "method": method.label,
        "question": method.question,
        "n_runs": len(method.records),
        "n_finished": sum(map(_is_finished, method.records)),
        "n_in_mean": len(seconds),
        "mean_seconds": shifted_geometric_mean(seconds, shift=shift) if seconds else None,
        "times_ours": geometric_mean(ratios) if ratios else None,
        "peak_mib": max(memory, default=None),
        "failures": dict(sorted(_failures(method).items())),
    }


def _failures(method: MethodRuns) -> Counter[str]:
    failed = Counter(record["status"] for record in method.records if record["status"] != "ok")
    n_capped = sum(record["status"] == "ok" and is_censored(record) for record in method.records)
    return failed + Counter({"capped": n_capped})


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
        "Finished": lambda entry: count(entry["n_finished"]),
        "In the mean": lambda entry: count(entry["n_in_mean"]),
        "Mean (s)": lambda entry: rounded(entry["mean_seconds"], 3),
        **({"Times ours": lambda entry: rounded(entry["times_ours"], 3)} if found["is_alone"] else {}),
        "Peak (MiB)": lambda entry: rounded(entry["peak_mib"], 3),
        "Stopped": lambda entry: ", ".join(f"{name} {count(n)}" for name, n in entry["failures"].items()) or UNKNOWN,
    }
    numeric = range(2, len(columns) - 1)
    return (table_of("Time of one run", found["methods"], columns, numeric=numeric, note=_note(found)),)


def _note(found: Fields) -> str:
    ratios = (
        "Times ours: geometric mean of the ratios to the time of our method for the same question on the same data."
        if found["is_alone"]
        else "Ratios to our method are not given: several runs shared the machine, which blurs them."
    )
    return wording("times", shift=rounded(1000 * found["shift"]), ratios=ratios)
