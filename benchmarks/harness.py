"""Runs every peer on every data set in a process of its own, under a time limit, and keeps what it measured.

A benchmark is a script that hands a `Benchmark` to `main`. For each cell, a (data set, peer) pair, the script is
started again: that process makes the data, lets the peer warm up on little of it (imports, compilation), times it, and
judges the answer (`worker.py`); it says on a pipe what it is doing, so that only solving is under the time limit
(`cells.py`). Every finished cell is written at once; another run goes on where the last one stopped (`results.py`).

A peer that runs into the limit has failed: its time is at least the limit. Ratios are taken between the medians of
one machine; cells of another machine are not kept.
"""

import argparse
import ast
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path
from typing import Any

Facts = dict[str, Any]
Cell = tuple[str, str]
"""The names of a data set and of a peer."""


@dataclass(frozen=True, kw_only=True)
class Peer:
    """One way to answer the question.

    With several settings they are tried in turn, each once, until `Benchmark.is_enough` holds or together they took
    longer than the limit; the last one is timed. Its time is that of the one run, not of the search.
    """

    solve: Callable[[Any, Any], Any]
    """(data, setting) -> answer"""
    on: tuple[str, ...] | None = None
    """The data sets on which it is tried; None: all."""
    settings: tuple[Any, ...] = (None,)
    needs: str | None = None
    """A module without which it cannot run."""
    is_judged: bool = True
    """False for a physical limit, which answers nothing."""
    seconds: float | Mapping[str, float] = 0.1
    """About how long a run takes, by data set: from this come the order of the cells and the estimate."""
    warm_scale: float | Mapping[str, float] = 0.0
    """Scale of the data on which it warms up, by data set: 0 the smallest that there are."""


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    file: str
    """The script."""
    data: dict[str, Callable[[float], Any]]
    """Makes data sets of a scale: 1 the full size, 0.01 a hundredth of the rows."""
    peers: dict[str, Peer]
    ours: str
    units: tuple[str, ...] = ()
    """The peers that are physical limits. `times_unit` is the ratio to the first that is tried on a data set."""
    judge: Callable[[Any, Any], Facts] = lambda data, answer: {}
    """(data, answer) -> what is measured of the answer; untimed."""
    accuracy: Callable[[Facts, Facts], float | None] = lambda facts, ours: None
    """(facts, facts of ours) -> relative distance from the proven optimum."""
    is_enough: Callable[[Facts], bool] = lambda facts: True
    """Whether the answer is what was asked for."""
    columns: dict[str, str] = field(default_factory=dict)
    """Further facts for the table: heading by name."""
    preparation: float = 3.0
    """About how many seconds a cell takes for everything that is not timed."""

    @property
    def name(self) -> str:
        return Path(self.file).stem

    @property
    def text(self) -> str:
        """What the script says of itself."""
        return ast.get_docstring(ast.parse(Path(self.file).read_text())) or self.name

    def cells(self) -> Iterator[Cell]:
        for data in self.data:
            for name, peer in self.peers.items():
                if peer.on is None or data in peer.on:
                    yield data, name


def main(benchmark: Benchmark, arguments: list[str] | None = None) -> None:
    """Run the cells that are not done, write them, and print the table."""
    options = parser(benchmark.text).parse_args(arguments)
    prepare_folder(options)
    if options.cell:
        from worker import work

        work(benchmark, *options.cell, options)
    else:
        run([benchmark], options)


def prepare_folder(options: argparse.Namespace) -> None:
    """Let temporary files, those of the data too, lie in the folder that was asked for."""
    if options.folder:
        options.folder.mkdir(parents=True, exist_ok=True)
        tempfile.tempdir = str(options.folder)


def run(benchmarks: list[Benchmark], options: argparse.Namespace) -> None:
    """Say what is to be done and how long that takes, and do it, unless only a list was asked for."""
    from plan import Plan, steps
    from tables import table

    plans = [Plan.of(benchmark, options) for benchmark in benchmarks]
    due = steps(plans)
    for line in missing(plans):
        note(line)
    note(f"{len(due)} cells, about {sum(step.seconds for step in due) / 60:.0f} minutes")
    if options.list:
        print("\n".join(f"{step.seconds:6.0f} s  {step}" for step in due))
        return
    try:
        for number, step in enumerate(due, start=1):
            note(f"[{number}/{len(due)}] {step} ...", end=" ")
            step.plan.carry_out(step.cell)
    except KeyboardInterrupt:
        note("interrupted; the same command goes on from here")
        raise SystemExit(130) from None
    for plan in plans:
        plan.write()
        print(table(plan.report), end="\n\n")


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
    parser.add_argument("--cell", nargs=2, help=argparse.SUPPRESS)
    return parser


def of_data(values: float | Mapping[str, float], data: str, default: float) -> float:
    """Return what belongs to a data set."""
    return values.get(data, default) if isinstance(values, Mapping) else values


def chosen(benchmark: Benchmark, options: argparse.Namespace) -> list[Cell]:
    return [cell for cell in benchmark.cells() if _is_chosen(cell, options)]


def _is_chosen(cell: Cell, options: argparse.Namespace) -> bool:
    wanted = zip(cell, (options.data, options.peer), strict=True)
    return all(patterns is None or any(fnmatch(name, part) for part in patterns) for name, patterns in wanted)


def is_missing(peer: Peer) -> bool:
    return peer.needs is not None and find_spec(peer.needs) is None


def missing(plans: list[Any]) -> Iterator[str]:
    """Yield one line if there are modules that the peers of the plans need."""
    peers = [plan.benchmark.peers[name] for plan in plans for _, name in plan.due]
    modules = sorted({peer.needs for peer in peers if is_missing(peer)})
    if modules:
        yield f"not installed: {', '.join(modules)}; pip install 'maxmargin[peers]' brings them, here: make bench"


def note(text: str, end: str = "\n") -> None:
    print(text, end=end, file=sys.stderr, flush=True)
