"""What a benchmark is, and how one of its cells, a peer on a data set, is measured in a process of its own.

A benchmark is a script with a `Benchmark` named BENCHMARK, which `run.py` runs. Its cells are tasks for the runner of
limited processes, `maxmargin.comparison.jobs`: a fresh process makes the data, lets the peer warm up on little of it
(imports, compilation), times it, and judges the answer; only solving is under the time limit.
"""

import ast
import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from maxmargin.comparison.jobs.child import Meter

Facts = dict[str, Any]
# The names of a data set and of a peer.
Cell = tuple[str, str]

TASK = "measuring:measure"

# Seconds until which a peer is timed again, so many times at most: one run of a millisecond says little.
QUICK, MOST_RUNS = 0.3, 50


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

    @property
    def is_missing(self) -> bool:
        return self.needs is not None and find_spec(self.needs) is None


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


def of_data(values: float | Mapping[str, float], data: str, default: float) -> float:
    """Return what belongs to a data set."""
    return values.get(data, default) if isinstance(values, Mapping) else values


def measure(arguments: Mapping[str, Any], meter: Meter) -> Facts:
    """Time one peer on one data set: the task of a process.

    `arguments` are `file`, `data` and `peer`; the options `repeat`, `budget`, `scale` and `folder`; and `notes`, a file
    for what is known of the answer before a time limit ends the process.
    """
    if arguments["folder"] is not None:
        tempfile.tempdir = str(arguments["folder"])
    benchmark = benchmark_of(arguments["file"])
    peer, make = benchmark.peers[arguments["peer"]], benchmark.data[arguments["data"]]
    scale, neighbours = arguments["scale"], Neighbours()
    _warm_up(peer, make(min(of_data(peer.warm_scale, arguments["data"], 0.0), scale)))
    data = make(scale)
    setting, facts = _searched(benchmark, peer, data, meter, Path(arguments["notes"]))
    runs, facts["extra_mib"] = [meter.seconds or 0.0], None if meter.peak_mib is None else round(meter.peak_mib)
    while _is_repeated(runs, arguments):
        meter.limit = replace(
            meter.limit, seconds=None
        )  # one run within the limit is an answer, though another takes longer
        _timed(peer, data, setting, meter)
        runs.append(meter.seconds or 0.0)
    return {**facts, "runs": runs, "others": neighbours.share()}


def benchmark_of(file: str) -> Benchmark:
    """Return the benchmark of a script."""
    folder, name = str(Path(file).parent), Path(file).stem
    if folder not in sys.path:
        sys.path.insert(0, folder)
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    found: Benchmark = module.BENCHMARK
    return found


def _searched(benchmark: Benchmark, peer: Peer, data: Any, meter: Meter, notes: Path) -> tuple[Any, Facts]:
    """Return the first setting that is enough, or the last one there was time for, and what is known of its answer."""
    spent, facts = 0.0, Facts()
    for setting in peer.settings:
        answer = _timed(peer, data, setting, meter)
        spent += meter.seconds or 0.0
        facts = benchmark.judge(data, answer) if peer.is_judged else {}
        is_enough = not peer.is_judged or benchmark.is_enough(facts)
        facts = {**facts, "is_enough": is_enough, **({} if setting is None else {"setting": setting})}
        notes.write_text(json.dumps(facts))
        if is_enough or (meter.limit.seconds is not None and spent > meter.limit.seconds):
            break
    return setting, facts


def _is_repeated(runs: list[float], arguments: Mapping[str, Any]) -> bool:
    """Return whether another run is due: quick ones are repeated more often, slow ones less."""
    spent, n_runs = sum(runs), len(runs)
    if n_runs < arguments["repeat"]:
        return spent * (n_runs + 1) / n_runs <= arguments["budget"]
    return spent < QUICK and n_runs < MOST_RUNS


def _warm_up(peer: Peer, data: Any) -> None:
    """Import and compile what the peer needs; what it makes of a little data does not matter."""
    try:
        peer.solve(data, peer.settings[0])
    except Exception as error:
        print(f"warming up: {error}", file=sys.stderr)


def _timed(peer: Peer, data: Any, setting: Any, meter: Meter) -> Any:
    with meter.measured():
        return peer.solve(data, setting)


class Neighbours:
    """Measures how busy other processes keep the cores. Linux only."""

    def __init__(self) -> None:
        self._start = self._now()

    def share(self) -> float | None:
        """Return the share of all cores that others had since the start; what we started must have ended."""
        others, every = (now - before for now, before in zip(self._now(), self._start, strict=True))
        return None if every == 0 else max(0.0, round(others / every, 2))

    def _now(self) -> tuple[float, float]:
        """Return the seconds of the cores that others have used, and all there were."""
        import resource

        try:
            fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
        except OSError:
            return 0.0, 0.0
        ticks = [int(field) / os.sysconf("SC_CLK_TCK") for field in fields]
        idle, every = ticks[3] + ticks[4], sum(ticks)
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        own = sum(usage.ru_utime + usage.ru_stime for usage in usages)
        return every - idle - own, every
