"""Runs every peer on every data set in a process of its own, under a time limit, and keeps what it measured.

A benchmark is a script that hands a `Benchmark` to `main`. For each cell, a (data set, peer) pair, the script is
started again: that process makes the data, lets the peer warm up on little of it (imports, compilation), times it, and
judges the answer (`worker.py`); it says on a pipe what it is doing, so that only solving is under the time limit
(`cells.py`). Every finished cell is written at once; another run goes on where the last one stopped (`results.py`).

A peer that runs into the limit has failed: its time is at least the limit. Ratios are taken between the medians of
one machine; cells of another machine are not kept.
"""

from harness.benchmark import Benchmark, Facts, Peer
from harness.command import main

__all__ = ["Benchmark", "Facts", "Peer", "main"]
