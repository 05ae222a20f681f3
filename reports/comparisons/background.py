"""Held-out errors, the facts of the data, and how the comparison was run."""

from collections.abc import Callable
from statistics import fmean, median

from maxmargin.reports.comparisons.runs import Fields, MethodRuns, Record, Runs, data_key, data_label
from maxmargin.reports.document import Block, Paragraph, TableBlock, facts
from maxmargin.reports.templates import wording
from maxmargin.text.number_formats import UNKNOWN, count, first_of, one_line, proven, rounded

HELD_OUT_TITLE = "Held-out errors"
DATA_TITLE = "Data"
SETTINGS_TITLE = "Versions, settings and limits"

_SPREAD: dict[str, Callable[[list[float]], float]] = {"mean": fmean, "median": median, "least": min, "most": max}

# Largest number of rows of the table of held-out errors by data set.
_MOST_ROWS = 60


def held_out_fields(runs: Runs) -> Fields | None:
    """Return the errors on held-out rows; None where the comparison has no folds."""
    if all(record["fold"] is None for record in runs.records):
        return None
    names = dict.fromkeys(record["data"] for record in runs.records)
    return {
        "methods": [entry for method in runs.methods for entry in _held_out(method, None)],
        "data": [entry for name in names for method in runs.methods for entry in _held_out(method, name)],
    }


def _held_out(method: MethodRuns, data: str | None) -> list[Fields]:
    """Return the errors of a method, on one data set or on all; nothing where it was not run."""
    chosen = [r for r in method.records if r["fold"] is not None and data in (None, r["data"])]
    errors = [record["held_out_errors"] for record in chosen if record["held_out_errors"] is not None]
    if not chosen:
        return []
    entry = {"method": method.label, "data": data, "n_runs": len(chosen), "n": len(errors)}
    return [entry | {name: float(of(errors)) if errors else None for name, of in _SPREAD.items()}]


def held_out_blocks(found: Fields) -> tuple[Block, ...]:
    """Return the table of the held-out errors, of each method over all data sets first, then by data set."""
    entries = [*found["methods"], *found["data"]]
    rows = tuple(
        (entry["data"] or "all", entry["method"], count(entry["n"]), *(rounded(entry[name], 3) for name in _SPREAD))
        for entry in entries[:_MOST_ROWS]
    )
    columns = ("Data", "Method", "Runs", "Mean", "Median", "Least", "Most")
    note = f"Over the folds, orders and seeds with a hyperplane. {first_of(_MOST_ROWS, len(entries), 'rows')}".strip()
    return (TableBlock("Errors on held-out rows of one fold", columns, rows, numeric=range(2, 7), note=note),)


def data_fields(runs: Runs, *, times: bool) -> list[Fields]:
    """Return the proven facts on each data set, sorted by name."""
    names = ("data", "prepare", "features", "fold", "data_sha256", "n_samples", "n_features", "radius", "verdict")
    names += ("gamma_lower", "gamma_upper", *(("seconds",) if times else ()))
    return [{name: entry.get(name) for name in names} for entry in sorted(runs.comparison.data, key=data_key)]


def data_blocks(found: list[Fields]) -> tuple[Block, ...]:
    """Return the table of the facts."""
    if not found:
        return (Paragraph("The comparison has no data."),)
    has_times = "seconds" in found[0]
    rows = tuple((*_data_row(entry), *((rounded(entry["seconds"], 3),) if has_times else ())) for entry in found)
    columns = ("Data", "n", "d", "R", "Verdict", "γ*", "1/γ*²", *(("Proof (s)",) if has_times else ()))
    note = wording("proven_facts")
    return (TableBlock("Proven facts", columns, rows, numeric=(1, 2, 3, 5, 6, 7)[: 5 + has_times], note=note),)


def _data_row(entry: Fields) -> tuple[str, ...]:
    lower, upper = entry["gamma_lower"], entry["gamma_upper"]
    has_margin = bool(lower and upper)
    return (
        data_label(entry),
        *(count(entry[name]) for name in ("n_samples", "n_features")),
        rounded(entry["radius"], 3),
        str(entry["verdict"] or UNKNOWN),
        proven(lower, upper, 6) if has_margin else UNKNOWN,
        rounded(1 / lower / lower, 3) if has_margin else UNKNOWN,
    )


def settings_fields(runs: Runs, *, times: bool) -> Fields:
    """Return the settings and the environment; without times the machine is left out, which matters for them only."""
    environment = {key: value for key, value in runs.comparison.environment.items() if times or key != "machine"}
    left_out = {"claims"} if times else {"claims", "jobs"}  # the claims have a table of their own
    settings = {key: value for key, value in runs.comparison.settings.items() if key not in left_out}
    versions = {str(record["method"]): str(record["version"] or UNKNOWN) for record in runs.records}
    return {"settings": settings, "environment": environment, "methods": dict(sorted(versions.items()))}


def settings_blocks(found: Fields, *, n_records: int) -> tuple[Block, ...]:
    """Return the table of the settings, the versions of the methods and the environment."""
    rows = [*_flat(found["settings"]), *_flat(found["methods"], "version of "), *_flat(found["environment"])]
    shown = [(one_line(name), one_line(text, 100)) for name, text in (*rows, ("records", count(n_records)))]
    return (facts("Settings, versions and environment", shown),)


def _flat(values: Record, prefix: str = "") -> list[tuple[str, str]]:
    """Return the entries of nested mappings, with the names on the way to each."""
    entries = []
    for key, value in values.items():
        name = f"{prefix}{key}"
        if isinstance(value, dict):
            entries += _flat(value, f"{name} ")
        else:
            entries.append((name, _text(value)))
    return entries


def _text(value: object) -> str:
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value)) or "none"
    return "none" if value is None else str(value)
