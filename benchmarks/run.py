"""Runs all benchmarks, or those named, after saying about how long that takes; it goes on where it stopped.

Examples:
  python benchmarks/run.py --list                         what is to be done, and how long each cell takes
  python benchmarks/run.py --scale 0.01 --limit 20        a first look, at a hundredth of the size
  python benchmarks/run.py hard_margin --data '1M*'       one benchmark, one data set
  python benchmarks/run.py --fresh --peer maxmargin       ours again, against the peers of the last run
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from measuring import TASK, Benchmark, Cell, Facts, benchmark_of, of_data
from tables import table

from maxmargin.comparison.jobs.limit import Limit
from maxmargin.comparison.jobs.machine import machine, versions
from maxmargin.comparison.jobs.outcome import Ending, Outcome
from maxmargin.comparison.jobs.pool import Pool
from maxmargin.comparison.jobs.run_jobs import Job

NAMES = (
    "small",
    "margins",
    "engines",
    "hard_margin",
    "natural",
    "growth",
    "verdicts",
    "perceptron",
    "wide",
    "out_of_core",
    "soft_margin",
)

RESULTS = Path(__file__).parent / "results"

NOT_INSTALLED = "not installed"

# Seconds for making the data, warming up, judging the answer, and all runs but the first.
PREPARATION_LIMIT = 2700.0

# Share of the memory of the machine that a peer may take: a greedy one fails, and the machine stays up.
SHARE_OF_MEMORY = 0.9

# What each further setting adds to the time of a search, in units of the run of the last.
SEARCH = 0.15

# Share of the cores above which it is said that others had it.
BUSY = 0.1


@dataclass(frozen=True)
class Plan:
    """A benchmark, the cells of it that are done, and those that are due."""

    benchmark: Benchmark
    options: argparse.Namespace
    path: Path
    done: dict[Cell, Facts]
    due: list[Cell]

    @classmethod
    def of(cls, benchmark: Benchmark, options: argparse.Namespace) -> "Plan":
        size = "" if options.scale == 1 else f"@{options.scale:g}"
        path = options.output or RESULTS / f"{benchmark.name}{size}.json"
        cells = [cell for cell in benchmark.cells() if _is_chosen(cell, options)]
        done = _kept(path, again=set(cells) if options.fresh else set())
        return cls(benchmark, options, path, done, [cell for cell in cells if cell not in done])

    def write(self) -> None:
        """Write the cells in the order of the benchmark, in one step."""
        cells = [
            with_ratios(self.benchmark, self.done[key], self.done) for key in self.benchmark.cells() if key in self.done
        ]
        options = {name: getattr(self.options, name) for name in ("repeat", "budget", "limit", "scale")}
        report = {
            "benchmark": self.benchmark.name,
            "title": self.benchmark.text.splitlines()[0],
            "machine": this_machine(),
            "versions": versions(),
            **options,
            "units": self.benchmark.units,
            "columns": self.benchmark.columns,
            "cells": cells,
        }
        self.path.parent.mkdir(parents=True, exist_ok=True)
        scratch = self.path.with_suffix(".tmp")
        scratch.write_text(json.dumps(report, indent=1) + "\n")
        scratch.replace(self.path)

    @property
    def report(self) -> Facts:
        report: Facts = json.loads(self.path.read_text())
        return report


@dataclass(frozen=True)
class Step:
    plan: Plan
    cell: Cell

    @property
    def seconds(self) -> float:
        return estimate(self.plan.benchmark, self.cell, self.plan.options)

    def __str__(self) -> str:
        return f"{self.plan.benchmark.name}: {', '.join(self.cell)}"

    def job(self, folder: str) -> Job:
        """Return the task of a process."""
        data, peer = self.cell
        options = {name: getattr(self.plan.options, name) for name in ("repeat", "budget", "scale", "folder")}
        notes = str(Path(folder, f"{self.plan.benchmark.name}-{hash(self.cell):x}.json"))
        file = str(Path(self.plan.benchmark.file).resolve())
        arguments = {"file": file, "data": data, "peer": peer, "notes": notes, **options}
        memory = int(SHARE_OF_MEMORY * os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
        limit = Limit(seconds=self.plan.options.limit, memory=memory, grace=PREPARATION_LIMIT)
        return Job(key=str(self), task=TASK, arguments=arguments, limit=limit)


def main() -> None:
    options_of = parser(__doc__ or "")
    options_of.add_argument(
        "names", nargs="*", metavar="BENCHMARK", help=f"a script, or of {', '.join(NAMES)} (default: all)"
    )
    options = options_of.parse_args()
    files = {name: RESULTS.parent / f"{name}.py" if name in NAMES else Path(name) for name in options.names or NAMES}
    unknown = [name for name, file in files.items() if not file.is_file()]
    if unknown:
        options_of.error(f"unknown benchmark {', '.join(unknown)}; there are {', '.join(NAMES)}")
    if options.output and len(files) > 1:
        options_of.error("-o is for a single benchmark: python benchmarks/run.py NAME -o FILE")
    run([benchmark_of(str(file)) for file in files.values()], options)


def parser(text: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", action="append", metavar="NAME", help="only these data sets; * stands for anything")
    parser.add_argument("--peer", action="append", metavar="NAME", help="only these peers")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the rows of every data set (default 1)")
    parser.add_argument("--limit", type=float, default=300.0, metavar="S", help="seconds for one run (default 300)")
    parser.add_argument("--repeat", type=int, default=5, metavar="N", help="runs, of which the median counts (5)")
    parser.add_argument("--budget", type=float, default=120.0, metavar="S", help="fewer where they take longer (120)")
    parser.add_argument("--fresh", action="store_true", help="measure again what was measured before")
    parser.add_argument("--list", action="store_true", help="only list what is to be done and how long that takes")
    parser.add_argument("--folder", type=Path, help="where files of data are kept (default: the temporary folder)")
    parser.add_argument("-o", "--output", type=Path, help="the JSON file (default: in benchmarks/results)")
    return parser


def run(benchmarks: list[Benchmark], options: argparse.Namespace) -> None:
    """Say what is to be done and how long that takes, and do it, unless only a list was asked for."""
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
    plans = [Plan.of(benchmark, options) for benchmark in benchmarks]
    due = steps(plans)
    for line in missing(plans):
        note(line)
    note(f"{len(due)} cells, about {sum(step.seconds for step in due) / 60:.0f} minutes")
    if options.list:
        print("\n".join(f"{step.seconds:6.0f} s  {step}" for step in due))
        return
    try:
        carry_out(due)
    except KeyboardInterrupt:
        note("interrupted; the same command goes on from here")
        raise SystemExit(130) from None
    for plan in plans:
        plan.write()
        print(table(plan.report), end="\n\n")


def carry_out(due: list[Step]) -> None:
    """Run the cells one by one, each in a fresh process, and write every one when it is done."""

    def finish(step: Step, cell: Facts) -> None:
        step.plan.done[step.cell] = cell
        note(outcome_text(cell))
        step.plan.write()

    with tempfile.TemporaryDirectory() as folder:
        for number, step in enumerate(due, start=1):
            note(f"[{number}/{len(due)}] {step} ...", end=" ")
            if step.plan.benchmark.peers[step.cell[1]].is_missing:
                finish(step, _cell(step.cell, NOT_INSTALLED, [], {}))
                continue
            job = step.job(folder)
            with Pool(is_fresh=True, n_threads=None) as pool:
                outcome = pool.submit(job.task, job.arguments, job.limit).result()
            finish(step, finished(step, job, outcome))


def finished(step: Step, job: Job, outcome: Outcome) -> Facts:
    """Return what became of a cell."""
    if outcome.ending is Ending.OK:
        facts = json.loads(outcome.answer)
        is_enough, runs = facts.pop("is_enough", True), facts.pop("runs")
        return _cell(step.cell, "ok" if is_enough else "inaccurate", runs, facts)
    if outcome.ending is Ending.TIMEOUT:
        notes = Path(job.arguments["notes"])
        facts = json.loads(notes.read_text()) if notes.exists() else {}
        facts.pop("is_enough", None)
        return _cell(step.cell, "time limit", [], facts | {"at_least": step.plan.options.limit})
    return _cell(step.cell, "failed", [], {"message": outcome.message[:200]})


def _cell(cell: Cell, status: str, runs: list[float], facts: Facts) -> Facts:
    seconds = statistics.median(runs) if runs else None
    ended = datetime.now(UTC).isoformat(timespec="seconds")
    named = {"data": cell[0], "peer": cell[1], "status": status, "seconds": seconds, "runs": runs, "finished": ended}
    return {**named, "others": None, **facts}


def this_machine() -> Facts:
    """Describe what the times depend on."""
    import pyarrow as pa

    return machine() | {"arrow_threads": pa.cpu_count()}


def missing(plans: list[Plan]) -> Iterator[str]:
    """Yield one line if there are modules that the peers of the plans need."""
    peers = [plan.benchmark.peers[name] for plan in plans for _, name in plan.due]
    modules = sorted({peer.needs for peer in peers if peer.is_missing and peer.needs})
    if modules:
        yield f"not installed: {', '.join(modules)}; make bench installs them"


def steps(plans: list[Plan]) -> list[Step]:
    """Return what is due: the cheap data sets first, of each the cells, of which ratios are taken, together."""
    groups = [group for plan in plans for group in _by_data(plan)]
    return [step for group in sorted(groups, key=lambda group: sum(step.seconds for step in group)) for step in group]


def _by_data(plan: Plan) -> list[list[Step]]:
    """Return the steps of every data set, the cheap ones first."""
    groups: dict[str, list[Step]] = {}
    for cell in plan.due:
        groups.setdefault(cell[0], []).append(Step(plan, cell))
    return [sorted(group, key=lambda step: step.seconds) for group in groups.values()]


def outcome_text(cell: Facts) -> str:
    """Return how a cell ended, and whether its time is to be trusted."""
    parts = [cell["status"]]
    parts += [] if cell["seconds"] is None else [f"{cell['seconds']:.3g} s"]
    others = cell.get("others") or 0.0
    parts += [f"(others had {others:.0%} of the cores)"] if others > BUSY else []
    return " ".join(parts)


def estimate(benchmark: Benchmark, cell: Cell, options: argparse.Namespace) -> float:
    """Return about how many seconds a cell takes: preparation, a search of settings, and the runs."""
    peer = benchmark.peers[cell[1]]
    if peer.is_missing:
        return 0.0
    run = min(options.limit, of_data(peer.seconds, cell[0], 0.1) * options.scale)
    if run == options.limit:
        return benchmark.preparation + run  # it fails, and is not tried again
    n_runs = max(1.0, min(options.repeat, options.budget / run))
    search = min(options.limit, SEARCH * (len(peer.settings) - 1) * run)
    return benchmark.preparation * min(1.0, options.scale + 0.3) + search + n_runs * run


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


def _kept(path: Path, again: set[Cell]) -> dict[Cell, Facts]:
    """Return the cells of the file that were measured on this machine and are not to be measured again."""
    if not path.exists():
        return {}
    report = json.loads(path.read_text())
    if report["machine"] != this_machine():
        return {}
    cells = {(cell["data"], cell["peer"]): cell for cell in report["cells"] if cell["status"] != NOT_INSTALLED}
    return {key: cell for key, cell in cells.items() if key not in again}


def _is_chosen(cell: Cell, options: Any) -> bool:
    wanted = zip(cell, (options.data, options.peer), strict=True)
    return all(patterns is None or any(fnmatch(name, part) for part in patterns) for name, patterns in wanted)


def note(text: str, end: str = "\n") -> None:
    print(text, end=end, file=sys.stderr, flush=True)


if __name__ == "__main__":
    main()
