"""What a benchmark is: data sets, the peers that answer on them, and how an answer is judged."""

import argparse
import ast
import sys
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


def note(text: str, end: str = "\n") -> None:
    print(text, end=end, file=sys.stderr, flush=True)
