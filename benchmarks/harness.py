"""Runs every peer on every data set in a process of its own, under a time limit, and keeps what it measured.

A benchmark is a script that hands a `Benchmark` to `main`. For each cell, a (data set, peer) pair, the script is
started again: that process makes the data, lets the peer warm up on little of it (imports, compilation), times it, and
judges the answer; it says on a pipe what it is doing, so that only solving is under the time limit. Every finished
cell is written at once; another run goes on where the last one stopped.

A peer that runs into the limit has failed: its time is at least the limit. Ratios are taken between the medians of
one machine; cells of another machine are not kept.
"""

import argparse
import json
import os
import queue
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from fnmatch import fnmatch
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

from machine import limit_memory, machine, memory, reset_peak, versions

RESULTS = Path(__file__).parent / "results"

PREPARATION_LIMIT = 900.0
"""Seconds for making the data, warming up, and judging the answer, each."""

QUICK, MOST_RUNS = 0.3, 50
"""Seconds until which a peer is timed again, so many times at most: one run of a millisecond says little."""

Facts = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Peer:
    """One way to answer the question.

    With several settings they are tried in turn, each once, until `Benchmark.is_enough` holds or the limit is reached;
    the last one is timed. Its time is that of the one run, not of the search.
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


@dataclass(frozen=True, kw_only=True)
class Benchmark:
    file: str
    """The script."""
    data: dict[str, Callable[[float], Any]]
    """Makes data sets of a scale: 1 the full size, 0.01 a hundredth of the rows."""
    peers: dict[str, Peer]
    ours: str
    units: tuple[str, ...] = ()
    """The peers that are physical limits; on each data set the first that is tried there."""
    judge: Callable[[Any, Any], Facts] = lambda data, answer: {}
    """(data, answer) -> what is measured of the answer; untimed."""
    accuracy: Callable[[Facts, Facts], float | None] = lambda facts, ours: None
    """(facts, facts of ours) -> relative distance from the proven optimum."""
    is_enough: Callable[[Facts], bool] = lambda facts: True
    warm_scale: float = 0.002
    """Scale of the data on which a peer warms up."""
    columns: dict[str, str] = field(default_factory=dict)
    """Further facts for the table: heading by name."""

    @property
    def name(self) -> str:
        return Path(self.file).stem

    def cells(self) -> Iterator[tuple[str, str]]:
        for data in self.data:
            for name, peer in self.peers.items():
                if peer.on is None or data in peer.on:
                    yield data, name


def main(benchmark: Benchmark, arguments: list[str] | None = None) -> None:
    """Run the cells that are not done, write them, and print the table."""
    options = _parser(benchmark).parse_args(arguments)
    if options.cell:
        _child(benchmark, *options.cell, options)
        return
    path = options.output or RESULTS / f"{benchmark.name}{'' if options.scale == 1 else f'@{options.scale:g}'}.json"
    chosen = [cell for cell in benchmark.cells() if _is_chosen(cell, options)]
    done = _kept(path, set(chosen) if options.fresh else set())
    for data, peer in chosen:
        if (data, peer) not in done:
            print(f"{benchmark.name}: {data}, {peer} ...", end=" ", file=sys.stderr, flush=True)
            cell = run_cell(benchmark, data, peer, options)
            print(cell["status"], f"{cell['seconds']:.3g} s" if cell["seconds"] else "", file=sys.stderr, flush=True)
            done[data, peer] = cell
            _write(path, benchmark, done, options)
    _write(path, benchmark, done, options)
    from tables import table

    print(table(json.loads(path.read_text())))


def _parser(benchmark: Benchmark) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=f"The benchmark {benchmark.name}.")
    parser.add_argument("--repeat", type=int, default=5, help="runs of each peer, of which the median counts")
    parser.add_argument("--limit", type=float, default=300.0, help="seconds for one run of a peer")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the rows of every data set")
    parser.add_argument("--data", action="append", help="only data sets of this name; * stands for anything")
    parser.add_argument("--peer", action="append", help="only peers of this name")
    parser.add_argument("--fresh", action="store_true", help="measure these cells again")
    parser.add_argument("-o", "--output", type=Path, help="the JSON file")
    parser.add_argument("--cell", nargs=2, help=argparse.SUPPRESS)
    return parser


def _is_chosen(cell: tuple[str, str], options: argparse.Namespace) -> bool:
    wanted = zip(cell, (options.data, options.peer), strict=True)
    return all(patterns is None or any(fnmatch(name, part) for part in patterns) for name, patterns in wanted)


# The process that watches.


def run_cell(benchmark: Benchmark, data: str, peer: str, options: argparse.Namespace) -> Facts:
    """Run one cell in a process of its own and return what became of it."""
    needs = benchmark.peers[peer].needs
    if needs is not None and find_spec(needs) is None:
        return _cell(data, peer, "not installed", [])
    command = [sys.executable, benchmark.file, "--cell", data, peer]
    for option in ("repeat", "limit", "scale"):
        command += [f"--{option}", str(getattr(options, option))]
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True)
        try:
            return _followed(process, data, peer, options.limit, errors)
        finally:
            _kill(process)


def _followed(process: subprocess.Popen[str], data: str, peer: str, limit: float, errors: IO[str]) -> Facts:
    """Read what the process says until it ends or the time for what it is doing is over."""
    events = _events(process)
    phase, runs, facts = "loading", [], {}
    while True:
        allowed = limit if phase == "solving" else PREPARATION_LIMIT
        try:
            event = events.get(timeout=allowed)
        except queue.Empty:
            if runs:  # a run within the limit is an answer, though another took longer
                return _finished(data, peer, runs, facts)
            if phase == "solving":
                return _cell(data, peer, "time limit", runs, **facts, at_least=limit)
            return _cell(data, peer, "failed", runs, message=f"{phase} took more than {allowed:g} s")
        if event is None:
            return _cell(data, peer, "failed", runs, message=_last_words(process, errors))
        phase = event.pop("phase", phase)
        runs += event.pop("runs", [])
        facts |= event
        if phase == "done":
            return _finished(data, peer, runs, facts)


def _finished(data: str, peer: str, runs: list[float], facts: Facts) -> Facts:
    return _cell(data, peer, "ok" if facts.get("is_enough", True) else "inaccurate", runs, **facts)


def _events(process: subprocess.Popen[str]) -> "queue.Queue[Facts | None]":
    """Return a queue of what the process says, and None at its end."""
    events: queue.Queue[Facts | None] = queue.Queue()

    def read() -> None:
        assert process.stdout is not None
        try:
            for line in process.stdout:
                events.put(json.loads(line))
        finally:
            events.put(None)

    threading.Thread(target=read, daemon=True).start()
    return events


def _last_words(process: subprocess.Popen[str], errors: IO[str]) -> str:
    code = process.wait()
    if code < 0:
        return f"killed by {signal.Signals(-code).name}"
    errors.seek(0)
    lines = [line.strip() for line in errors if line.strip()]
    return lines[-1][:200] if lines else f"exit code {code}"


def _kill(process: subprocess.Popen[str]) -> None:
    """End the process and all that it started."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    if process.stdout is not None:
        process.stdout.close()


def _cell(data: str, peer: str, status: str, runs: list[float], **facts: Any) -> Facts:
    seconds = statistics.median(runs) if runs and status in ("ok", "inaccurate") else None
    finished = datetime.now(UTC).isoformat(timespec="seconds")
    facts.pop("is_enough", None)
    return {
        "data": data,
        "peer": peer,
        "status": status,
        "seconds": seconds,
        "runs": runs,
        "finished": finished,
    } | facts


# The process that solves.


def _child(benchmark: Benchmark, data_name: str, peer_name: str, options: argparse.Namespace) -> None:
    say = _voice()
    peer, make = benchmark.peers[peer_name], benchmark.data[data_name]
    limit_memory()
    _warm_up(peer, make(min(benchmark.warm_scale, options.scale)))
    data = make(options.scale)
    before = reset_peak()
    for number, setting in enumerate(peer.settings):
        say(phase="solving")
        seconds, answer = _timed(peer, data, setting)
        peak = memory("VmHWM")
        say(phase="judging")
        facts = benchmark.judge(data, answer) if peer.is_judged else {}
        is_enough = not peer.is_judged or benchmark.is_enough(facts)
        say(**facts, is_enough=is_enough, **({} if setting is None else {"setting": setting}))
        if is_enough or number + 1 == len(peer.settings):
            break
    say(runs=[seconds], extra_mib=None if peak is None or before is None else round((peak - before) / 2**20))
    spent, n_runs = seconds, 1
    while _is_repeated(n_runs, spent, options):
        say(phase="solving")
        seconds = _timed(peer, data, setting)[0]
        say(runs=[seconds])
        spent, n_runs = spent + seconds, n_runs + 1
    say(phase="done")


def _is_repeated(n_runs: int, spent: float, options: argparse.Namespace) -> bool:
    """Return whether another run is due: quick ones are repeated more often, slow ones less."""
    if n_runs < options.repeat:
        return spent * (n_runs + 1) / n_runs <= options.limit
    return spent < QUICK and n_runs < MOST_RUNS


def _voice() -> Callable[..., None]:
    """Return the way to speak on the pipe; whatever else is printed goes to stderr."""
    pipe = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)

    def say(**event: Any) -> None:
        print(json.dumps(event), file=pipe, flush=True)

    return say


def _warm_up(peer: Peer, data: Any) -> None:
    """Import and compile what the peer needs; what it makes of a little data does not matter."""
    try:
        peer.solve(data, peer.settings[0])
    except Exception as error:
        print(f"warming up: {error}", file=sys.stderr)


def _timed(peer: Peer, data: Any, setting: Any) -> tuple[float, Any]:
    started = time.perf_counter()
    answer = peer.solve(data, setting)
    return time.perf_counter() - started, answer


# The file.


def _kept(path: Path, again: set[tuple[str, str]]) -> dict[tuple[str, str], Facts]:
    """Return the cells of the file that were measured on this machine and are not to be measured again."""
    if not path.exists():
        return {}
    report = json.loads(path.read_text())
    if report["machine"] != machine():
        return {}
    cells = {(cell["data"], cell["peer"]): cell for cell in report["cells"]}
    return {key: cell for key, cell in cells.items() if key not in again}


def _write(path: Path, benchmark: Benchmark, done: dict[tuple[str, str], Facts], options: argparse.Namespace) -> None:
    cells = [with_ratios(benchmark, done[key], done) for key in benchmark.cells() if key in done]
    report = {
        "benchmark": benchmark.name,
        "title": (sys.modules["__main__"].__doc__ or benchmark.name).strip().splitlines()[0],
        "machine": machine(),
        "versions": versions(),
        "repeat": options.repeat,
        "limit": options.limit,
        "scale": options.scale,
        "units": benchmark.units,
        "columns": benchmark.columns,
        "cells": cells,
    }
    path.parent.mkdir(parents=True, exist_ok=True)
    scratch = path.with_suffix(".tmp")
    scratch.write_text(json.dumps(report, indent=1) + "\n")
    scratch.replace(path)


def with_ratios(benchmark: Benchmark, cell: Facts, done: dict[tuple[str, str], Facts]) -> Facts:
    """Return the cell with its time in units of ours and of the physical limit, and its accuracy.

    Of a peer that ran into the limit the ratios are lower bounds. Where it is known how many such units of work the
    answer took (`n_units`), there is also the ratio to these.
    """
    ours = done.get((cell["data"], benchmark.ours), {})
    unit = next((done[cell["data"], name] for name in benchmark.units if (cell["data"], name) in done), {})
    seconds = cell["seconds"] or cell.get("at_least")
    times_unit = _ratio(seconds, unit.get("seconds"))
    return cell | {
        "times_ours": _ratio(seconds, ours.get("seconds")),
        "times_unit": times_unit,
        "times_own_units": _ratio(times_unit, cell.get("n_units")),
        "accuracy": benchmark.accuracy(cell, ours) if ours.get("seconds") else None,
    }


def _ratio(seconds: float | None, unit: float | None) -> float | None:
    return None if seconds is None or not unit else seconds / unit
