"""Tasks that behave, and tasks that do everything a task must not do."""

import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from maxmargin.comparison.jobs.child import Meter

Arguments = Mapping[str, Any]


def doubled(arguments: Arguments, meter: Meter) -> dict[str, Any]:
    with meter.measured():
        return {"number": 2 * arguments["number"], "pid": os.getpid(), "threads": os.environ["OMP_NUM_THREADS"]}


def allocate(arguments: Arguments, meter: Meter) -> dict[str, Any]:
    with meter.measured():
        held = bytearray(arguments["mib"] << 20)
    return {"n_bytes": len(held)}


def segfault(arguments: Arguments, meter: Meter) -> dict[str, Any]:
    print("on the way down", flush=True)
    with meter.measured():
        ctypes.string_at(0)
    return {}


def hang(arguments: Arguments, meter: Meter) -> dict[str, Any]:
    with meter.measured():
        time.sleep(1000)
    return {}


def hang_and_ignore_signals(arguments: Arguments, meter: Meter) -> dict[str, Any]:
    with meter.measured():
        signals = [signal.SIGALRM, signal.SIGTERM, signal.SIGINT]
        for number in signals:
            signal.signal(number, signal.SIG_IGN)
        signal.pthread_sigmask(signal.SIG_BLOCK, signals)
        time.sleep(1000)
    return {}


def leave(arguments: Arguments, meter: Meter) -> dict[str, Any]:
    os._exit(7)


def leave_as_if_done(arguments: Arguments, meter: Meter) -> dict[str, Any]:
    os._exit(0)


def quit_politely(arguments: Arguments, meter: Meter) -> dict[str, Any]:
    sys.exit("had enough")


def fail(arguments: Arguments, meter: Meter) -> dict[str, Any]:
    raise ValueError("not like this")


def answer_nan(arguments: Arguments, meter: Meter) -> dict[str, Any]:
    return {"number": float("nan")}


def print_rubbish(arguments: Arguments, meter: Meter) -> dict[str, Any]:
    print("\x00\xff rubbish " * 1000)
    os.write(1, b"\xff\xfe not text\n")
    os.write(2, b"neither is this \x80\n")
    return {"is_fine": True}


def start_a_child_and_die(arguments: Arguments, meter: Meter) -> dict[str, Any]:
    child = subprocess.Popen(["sleep", "1000"])
    Path(arguments["file"]).write_text(str(child.pid))
    os.kill(os.getpid(), signal.SIGKILL)
    return {}
