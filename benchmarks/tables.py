"""Writes what the benchmarks measured as Markdown: all that was measured at full size, or the given files.

Example: python benchmarks/tables.py -o benchmarks/results/tables.md
"""

import argparse
import json
from pathlib import Path
from typing import Any

Facts = dict[str, Any]

RESULTS = Path(__file__).parent / "results"


def table(report: Facts) -> str:
    """Return one benchmark as a Markdown table; of a failed peer it says how it failed."""
    headings = ["data", "method", "time", "times ours"]
    units = report["units"]
    if units:
        headings.append(f"times {units[0]}" if len(units) == 1 else "times what cannot be avoided")
    headings += ["from the proven optimum", *report["columns"].values()]
    rows = _without_empty_columns([headings, *(_row(report, cell) for cell in report["cells"])])
    rows.insert(1, ["---", "---", *["---:"] * (len(rows[0]) - 2)])
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def _without_empty_columns(rows: list[list[str]]) -> list[list[str]]:
    columns = list(zip(*rows, strict=True))
    kept = [column for number, column in enumerate(columns) if number < 2 or set(column[1:]) != {"-"}]
    return [list(row) for row in zip(*kept, strict=True)]


def document(reports: list[Facts]) -> str:
    """Return all benchmarks with their titles, and what they were measured on."""
    parts = []
    for report in reports:
        size = "" if report["scale"] == 1 else f" (at {report['scale']:g} of the full size)"
        parts.append(f"### {report['title']}{size}\n\n{table(report)}\n\n{_footnote(report)}")
    return "\n\n".join(parts) + "\n"


def _row(report: Facts, cell: Facts) -> list[str]:
    seconds = cell["seconds"]
    time = f"{seconds:.3g} s" if seconds is not None else _failure(cell)
    row = [cell["data"], _method(cell), time, _times(cell, "times_ours")]
    if report["units"]:
        row.append(_times(cell, "times_unit"))
    return [*row, _accuracy(cell), *(_fact(cell.get(name)) for name in report["columns"])]


def _method(cell: Facts) -> str:
    setting = cell.get("setting")
    return cell["peer"] if setting is None else f"{cell['peer']}, tol = {setting:.1g}"


def _failure(cell: Facts) -> str:
    if cell["status"] == "time limit":
        return f"**failed**: limit of {cell['at_least']:g} s"
    message = cell.get("message", "").replace("|", "/")
    return f"**failed**: {message}" if cell["status"] == "failed" else cell["status"]


def _accuracy(cell: Facts) -> str:
    """Return the relative distance, which may be below 0 by rounding; and that it was not what was asked for."""
    accuracy = cell["accuracy"]
    if accuracy is None:
        return "-"
    if accuracy >= 1:
        return "no answer"
    text = "0" if abs(accuracy) < 1e-16 else f"{accuracy:.1e}"
    return f"{text}, too far" if cell["status"] == "inaccurate" else text


def _times(cell: Facts, name: str) -> str:
    """Return a ratio; of a peer that ran into the limit a lower bound."""
    ratio = cell[name]
    if ratio is None:
        return "-"
    text = f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.2g}"
    return f">= {text}" if cell["status"] == "time limit" else text


def _fact(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def _footnote(report: Facts) -> str:
    machine = report["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    return (
        f"Medians of {report['repeat']} runs, fewer where together they exceed the limit of {report['limit']:g} s; "
        "each cell in a process of its own, imports and compilation excluded. "
        f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gib']} GiB; Python {machine['python']}, "
        f"{versions}."
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("reports", type=Path, nargs="*", help="JSON files that a benchmark wrote")
    parser.add_argument("-o", "--output", type=Path, help="the Markdown file; by default the standard output")
    options = parser.parse_args()
    paths = options.reports or [path for path in sorted(RESULTS.glob("*.json")) if "@" not in path.name]
    text = document([json.loads(path.read_text()) for path in paths])
    if options.output is None:
        print(text, end="")
    else:
        options.output.write_text(text)


if __name__ == "__main__":
    main()
