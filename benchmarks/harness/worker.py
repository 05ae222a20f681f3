"""The process that solves: makes the data, warms up, times the peer, and judges the answer."""

import argparse
import json
import os
import sys
import time
from collections.abc import Callable
from typing import Any

from harness.benchmark import Benchmark, Peer, of_data
from harness.machine import limit_memory, memory, reset_peak

QUICK, MOST_RUNS = 0.3, 50
"""Seconds until which a peer is timed again, so many times at most: one run of a millisecond says little."""

Say = Callable[..., None]


def work(benchmark: Benchmark, data_name: str, peer_name: str, options: argparse.Namespace) -> None:
    """Time one peer on one data set, and say so."""
    say = _voice()
    peer, make = benchmark.peers[peer_name], benchmark.data[data_name]
    limit_memory()
    _warm_up(peer, make(min(of_data(peer.warm_scale, data_name, 0.0), options.scale)))
    data = make(options.scale)
    setting, seconds = _searched(benchmark, peer, data, options.limit, say)
    spent, n_runs = seconds, 1
    while _is_repeated(n_runs, spent, options):
        say(phase="solving")
        seconds = _timed(peer, data, setting)[0]
        say(runs=[seconds])
        spent, n_runs = spent + seconds, n_runs + 1
    say(phase="done")


def _searched(benchmark: Benchmark, peer: Peer, data: Any, limit: float, say: Say) -> tuple[Any, float]:
    """Return the first setting that is enough, or the last one there was time for, and its time."""
    before, spent = reset_peak(), 0.0
    for setting in peer.settings:
        say(phase="solving")
        seconds, answer = _timed(peer, data, setting)
        spent += seconds
        peak = memory("VmHWM")
        say(phase="judging")
        facts = benchmark.judge(data, answer) if peer.is_judged else {}
        is_enough = not peer.is_judged or benchmark.is_enough(facts)
        say(**facts, is_enough=is_enough, **({} if setting is None else {"setting": setting}))
        if is_enough or spent > limit:
            break
    say(runs=[seconds], extra_mib=None if peak is None or before is None else round((peak - before) / 2**20))
    return setting, seconds


def _is_repeated(n_runs: int, spent: float, options: argparse.Namespace) -> bool:
    """Return whether another run is due: quick ones are repeated more often, slow ones less."""
    if n_runs < options.repeat:
        return spent * (n_runs + 1) / n_runs <= options.budget
    return spent < QUICK and n_runs < MOST_RUNS


def _voice() -> Say:
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
