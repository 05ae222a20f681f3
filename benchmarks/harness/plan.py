"""What a run has to do, cheap data sets first, and about how long it will take."""

import argparse
import json
from dataclasses import dataclass
from pathlib import Path

from harness.benchmark import Benchmark, Cell, Facts, chosen, is_missing, note, of_data
from harness.cells import run_cell
from harness.results import kept, path_of, write

SEARCH = 0.15
"""What each further setting adds to the time of a search, in units of the run of the last."""

BUSY = 0.1
"""Share of the cores above which it is said that others had it."""


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
        path, cells = path_of(benchmark, options), chosen(benchmark, options)
        done = kept(path, again=set(cells) if options.fresh else set())
        return cls(benchmark, options, path, done, [cell for cell in cells if cell not in done])

    def carry_out(self, cell: Cell) -> None:
        self.done[cell] = run_cell(self.benchmark, *cell, self.options)
        note(outcome(self.done[cell]))
        self.write()

    def write(self) -> None:
        write(self.path, self.benchmark, self.done, self.options)

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


def steps(plans: list[Plan]) -> list[Step]:
    """Return what is due: the cheap data sets first, of each the cells, of which ratios are taken, together."""
    groups = [group for plan in plans for group in _by_data(plan)]
    return [step for group in sorted(groups, key=_total) for step in group]


def _by_data(plan: Plan) -> list[list[Step]]:
    """Return the steps of every data set, the cheap ones first."""
    groups: dict[str, list[Step]] = {}
    for cell in plan.due:
        groups.setdefault(cell[0], []).append(Step(plan, cell))
    return [sorted(group, key=lambda step: step.seconds) for group in groups.values()]


def _total(group: list[Step]) -> float:
    return sum(step.seconds for step in group)


def outcome(cell: Facts) -> str:
    """Return how a cell ended, and whether its time is to be trusted."""
    parts = [cell["status"]]
    parts += [] if cell["seconds"] is None else [f"{cell['seconds']:.3g} s"]
    others = cell.get("others") or 0.0
    parts += [f"(others had {others:.0%} of the cores)"] if others > BUSY else []
    return " ".join(parts)


def estimate(benchmark: Benchmark, cell: Cell, options: argparse.Namespace) -> float:
    """Return about how many seconds a cell takes: preparation, a search of settings, and the runs."""
    peer = benchmark.peers[cell[1]]
    if is_missing(peer):
        return 0.0
    run = min(options.limit, of_data(peer.seconds, cell[0], 0.1) * options.scale)
    if run == options.limit:
        return benchmark.preparation + run  # it fails, and is not tried again
    n_runs = max(1.0, min(options.repeat, options.budget / run))
    search = min(options.limit, SEARCH * (len(peer.settings) - 1) * run)
    return benchmark.preparation * min(1.0, options.scale + 0.3) + search + n_runs * run
