"""The process that watches: starts the one that solves, and ends it when its time is over."""

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
from contextlib import suppress
from datetime import UTC, datetime
from typing import IO, Any

from harness.benchmark import Benchmark, Facts, is_missing
from harness.machine import Neighbours
from harness.results import NOT_INSTALLED

PREPARATION_LIMIT = 900.0
"""Seconds for making the data, warming up, and judging the answer, each."""


def run_cell(benchmark: Benchmark, data: str, peer: str, options: argparse.Namespace) -> Facts:
    """Run one cell in a process of its own and return what became of it, and how busy others kept the cores."""
    if is_missing(benchmark.peers[peer]):
        return _cell(data, peer, NOT_INSTALLED, [])
    command = [sys.executable, benchmark.file, "--cell", data, peer]
    for option in ("repeat", "budget", "limit", "scale", "folder"):
        value = getattr(options, option)
        command += [] if value is None else [f"--{option}", str(value)]
    neighbours = Neighbours()
    with tempfile.TemporaryFile("w+") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, start_new_session=True)
        try:
            cell = _followed(process, data, peer, options.limit, errors)
        finally:
            _kill(process)
    return cell | {"others": neighbours.share()}


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
