"""The command line of a benchmark: which cells are due, how long they take, their table."""

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path

from tables import table

from harness.benchmark import Benchmark, is_missing, note
from harness.plan import Plan, steps
from harness.worker import work


def main(benchmark: Benchmark, arguments: list[str] | None = None) -> None:
    """Run the cells that are not done, write them, and print the table."""
    options = parser(benchmark.text).parse_args(arguments)
    prepare_folder(options)
    if options.cell:
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


def missing(plans: list[Plan]) -> Iterator[str]:
    """Yield one line if there are modules that the peers of the plans need."""
    peers = [plan.benchmark.peers[name] for plan in plans for _, name in plan.due]
    modules = sorted({peer.needs for peer in peers if is_missing(peer)})
    if modules:
        yield f"not installed: {', '.join(modules)}; pip install 'maxmargin[peers]' brings them, here: make bench"
