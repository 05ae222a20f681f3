"""The file of a benchmark: its cells, and their ratios."""

import argparse
import json
from pathlib import Path

from harness.benchmark import Benchmark, Cell, Facts
from harness.machine import machine, versions

RESULTS = Path(__file__).parents[1] / "results"

NOT_INSTALLED = "not installed"


def path_of(benchmark: Benchmark, options: argparse.Namespace) -> Path:
    size = "" if options.scale == 1 else f"@{options.scale:g}"
    path: Path | None = options.output
    return path or RESULTS / f"{benchmark.name}{size}.json"


def kept(path: Path, again: set[Cell]) -> dict[Cell, Facts]:
    """Return the cells of the file that were measured on this machine and are not to be measured again."""
    if not path.exists():
        return {}
    report = json.loads(path.read_text())
    if report["machine"] != machine():
        return {}
    cells = {(cell["data"], cell["peer"]): cell for cell in report["cells"] if cell["status"] != NOT_INSTALLED}
    return {key: cell for key, cell in cells.items() if key not in again}


def write(path: Path, benchmark: Benchmark, done: dict[Cell, Facts], options: argparse.Namespace) -> None:
    """Write the cells in the order of the benchmark, in one step."""
    report = {
        "benchmark": benchmark.name,
        "title": benchmark.text.splitlines()[0],
        "machine": machine(),
        "versions": versions(),
        "repeat": options.repeat,
        "budget": options.budget,
        "limit": options.limit,
        "scale": options.scale,
        "units": benchmark.units,
        "columns": benchmark.columns,
        "cells": [with_ratios(benchmark, done[key], done) for key in benchmark.cells() if key in done],
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_suffix(".tmp")
    scratch.write_text(json.dumps(report, indent=1) + "\n")
    scratch.replace(path)


def with_ratios(benchmark: Benchmark, cell: Facts, done: dict[Cell, Facts]) -> Facts:
    """Return the cell with its time in units of ours and of the physical limits, and its accuracy.

    Of a peer that ran into the limit the ratios are lower bounds. Where it is known how many such units of work the
    answer took (`n_units`), there is also the ratio to these, for every physical limit.
    """
    ours = done.get((cell["data"], benchmark.ours), {})
    seconds = cell["seconds"] or cell.get("at_least")
    units = {name: done[cell["data"], name] for name in benchmark.units if (cell["data"], name) in done}
    ratios = {name: _ratio(seconds, unit.get("seconds")) for name, unit in units.items()}
    return cell | {
        "times_ours": _ratio(seconds, ours.get("seconds")),
        "times_unit": next(iter(ratios.values()), None),
        **{f"times_own_units, {name}": _ratio(ratio, cell.get("n_units")) for name, ratio in ratios.items()},
        "accuracy": benchmark.accuracy(cell, ours) if ours.get("seconds") else None,
    }


def _ratio(seconds: float | None, unit: float | None) -> float | None:
    return None if seconds is None or not unit else seconds / unit
