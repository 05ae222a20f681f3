"""Writes what the benchmarks measured at full size as Markdown, into docs/benchmarks.md and README.md.

The text of a Markdown file between `<!-- benchmark: NAME -->` and `<!-- benchmark end -->` is replaced. NAME is

* goals: the targets next to the measured values;
* best: the comparisons that README.md shows;
* a benchmark, like margins: its table; of growth the picture, which growth.py draws;
* tables: the tables of all benchmarks that the file does not show elsewhere, each with a heading.

A block whose benchmarks were not measured stays as it is.

Examples:
  python benchmarks/tables.py                      print all tables
  python benchmarks/tables.py --into README.md     replace the blocks of the file
"""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

Facts = dict[str, Any]

RESULTS = Path(__file__).parent / "results"

# Questions, and the benchmark, the data and the peer that README.md shows for each.
COMPARISONS = (
    ("the maximum margin", "hard_margin", "100k x 50", "cvxpy, default solver"),
    ("the soft margin at C = 1", "soft_margin", "20k x 20", "LIBSVM, tol = 1e-4"),
    ("the maximum margin of natural data", "natural", "1M x 20", "DAQP, called directly"),
    ("the maximum margin", "hard_margin", "1M x 50", "PIQP, dense, called directly"),
    ("is it separable?", "verdicts", "digits, 4 against the rest", "HiGHS LP"),
    ("epochs of the perceptron", "perceptron", "wine, class_1", "scikit-learn"),
)

BLOCK = re.compile(r"(<!-- benchmark: (\w+) -->\n).*?(<!-- benchmark end -->)", re.DOTALL)


def table(report: Facts) -> str:
    """Return one benchmark as a Markdown table; of a failed peer it says how it failed."""
    headings = ["data", "method", "time", "times ours"]
    units = report["units"]
    if units:
        headings.append(f"times {units[0]}" if len(units) == 1 else "times what cannot be avoided")
    headings += ["from the proven optimum", *report["columns"].values()]
    return _markdown(_without_empty_columns([headings, *(_row(report, cell) for cell in report["cells"])]))


def _markdown(rows: list[list[str]]) -> str:
    rule = ["---", "---", *["---:"] * (len(rows[0]) - 2)]
    return "\n".join(f"| {' | '.join(row)} |" for row in [rows[0], rule, *rows[1:]])


def _without_empty_columns(rows: list[list[str]]) -> list[list[str]]:
    columns = list(zip(*rows, strict=True))
    kept = [column for number, column in enumerate(columns) if number < 2 or set(column[1:]) != {"-"}]
    return [list(row) for row in zip(*kept, strict=True)]


def best(reports: list[Facts]) -> str | None:
    """Return the comparisons as a table, or None where one of them was not measured."""
    measured = {
        (report["benchmark"], cell["data"], cell["peer"]): (_method(cell), *_row(report, cell)[2:4], _accuracy(cell))
        for report in reports
        for cell in report["cells"]
    }
    rows = [["question", "data", "maxmargin", "compared with", "its time", "times ours", "from the proven optimum"]]
    for question, benchmark, data, peer in COMPARISONS:
        if not {(benchmark, data, "maxmargin"), (benchmark, data, peer)} <= measured.keys():
            return None
        rows.append([question, data, measured[benchmark, data, "maxmargin"][1], *measured[benchmark, data, peer]])
    return _markdown(rows)


def document(reports: list[Facts]) -> str:
    """Return all benchmarks with their titles, and how they were measured."""
    return "\n\n".join(_section(report) for report in reports) + "\n"


def merged(text: str, reports: list[Facts]) -> str:
    """Return the text with its blocks replaced."""
    shown = {name for _, name, _ in BLOCK.findall(text)}

    def replaced(block: re.Match[str]) -> str:
        content = _content(block[2], reports, shown)
        return block[0] if content is None else f"{block[1]}{content}\n{block[3]}"

    return BLOCK.sub(replaced, text)


def _content(name: str, reports: list[Facts], shown: set[str]) -> str | None:
    from goals import goals
    from growth import markdown

    if name == "goals":
        return f"{goals(reports)}\n\n{procedure(_joined(reports))}" if reports else None
    if name == "best":
        return best(reports)
    if name == "tables":
        return "\n\n".join(_section(report) for report in reports if report["benchmark"] not in shown) or None
    shows = markdown if name == "growth" else table
    return next((_with_machine(shows(report), report) for report in reports if report["benchmark"] == name), None)


def _joined(reports: list[Facts]) -> Facts:
    """Return the reports of one run as one."""
    return reports[0] | {"cells": [cell for report in reports for cell in report["cells"]]}


def _section(report: Facts) -> str:
    size = "" if report["scale"] == 1 else f" (at {report['scale']:g} of the full size)"
    return f"### {report['title'].rstrip('.')}{size}\n\n{_with_machine(table(report), report)}"


def _with_machine(shown: str, report: Facts) -> str:
    return f"{shown}\n\n{machine_and_versions(report)}"


def _row(report: Facts, cell: Facts) -> list[str]:
    row = [cell["data"], _method(cell), _time(report, cell), _times(cell, "times_ours")]
    if report["units"]:
        row.append(_times(cell, "times_unit"))
    return [*row, _accuracy(cell), *(_fact(cell.get(name)) for name in report["columns"])]


def _method(cell: Facts) -> str:
    setting = cell.get("setting")
    return cell["peer"] if setting is None else f"{cell['peer']}, tol = {setting:.1g}"


def _time(report: Facts, cell: Facts) -> str:
    """Return the median, and of how many runs where these are fewer than asked for; or how it failed."""
    if cell["seconds"] is None:
        return _failure(cell)
    n_runs = len(cell["runs"])
    few = f" ({n_runs} {'run' if n_runs == 1 else 'runs'})" if n_runs < report["repeat"] else ""
    return f"{cell['seconds']:.3g} s{few}"


def _failure(cell: Facts) -> str:
    if cell["status"] == "time limit":
        return f"**failed**: limit of {cell['at_least']:g} s"
    message = cell.get("message", "").replace("|", "/")
    return f"**failed**: {message}" if cell["status"] == "failed" else cell["status"]


def _accuracy(cell: Facts) -> str:
    """Return the relative distance, which may be below 0 by rounding; and that it was not what was asked for."""
    accuracy, is_far = cell["accuracy"], cell["status"] == "inaccurate"
    if accuracy is None:
        return "too far" if is_far else "-"
    if accuracy >= 1:
        return "no answer"
    text = "0" if abs(accuracy) < 1e-16 else f"{accuracy:.1e}"
    return f"{text}, too far" if is_far else text


def _times(cell: Facts, name: str) -> str:
    """Return a ratio; a lower bound of a peer that ran into the limit or is not there yet."""
    ratio = cell[name]
    if ratio is None:
        return "-"
    text = f"{ratio:,.0f}" if ratio >= 100 else f"{ratio:.2g}"
    return text if cell["status"] == "ok" else f">= {text}"


def _fact(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def procedure(report: Facts) -> str:
    """Say how it was measured."""
    return (
        f"Medians of {report['repeat']} runs, fewer where together they would take more than {report['budget']:g} s; "
        f"a run of more than {report['limit']:g} s has failed. Each cell in a process of its own, validation included, "
        f"imports and compilation excluded.{_others(report)}"
    )


def machine_and_versions(report: Facts) -> str:
    """Say on what machine, and with which libraries, it was measured."""
    machine = report["machine"]
    versions = ", ".join(f"{name} {version}" for name, version in report["versions"].items())
    return (
        f"{machine['processor']}, {machine['cores']} cores, {machine['memory_gib']} GiB; "
        f"{', '.join(machine['blas'])}; Arrow on {machine['arrow_threads']} threads; "
        f"Python {machine['python']}, {versions}."
    )


def _others(report: Facts) -> str:
    """Say which share of the cores other processes had at worst, where that was not little."""
    most = max((cell.get("others") or 0.0 for cell in report["cells"]), default=0.0)
    return f" Other processes had up to {most:.0%} of the cores." if most > 0.05 else ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "reports", type=Path, nargs="*", help="JSON files that a benchmark wrote (default: all results)"
    )
    parser.add_argument(
        "--into",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="replace the blocks of this Markdown file; repeatable",
    )
    options = parser.parse_args()
    paths = options.reports or [path for path in sorted(RESULTS.glob("*.json")) if "@" not in path.name]
    reports = [json.loads(path.read_text()) for path in paths]
    if not reports:
        print("nothing was measured at full size, so nothing is written", file=sys.stderr)
        return
    for page in options.into:
        page.write_text(merged(page.read_text(), reports))
    if not options.into:
        print(document(reports), end="")


if __name__ == "__main__":
    main()
