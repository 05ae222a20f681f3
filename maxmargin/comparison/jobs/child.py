"""The inside of a limited process: it carries out one task after the other, each under its limits.

The time limit holds for the measured part of a task alone, not for reading data, warming up and judging the answer, so
it cannot be pebble's, which counts from the start of the task. It is the kernel's timer, which ends the process by
SIGALRM whatever it does; a task that blocks this signal is killed from outside, by pebble. Memory is limited by
RLIMIT_DATA. The output of a task goes to a file.
"""

import ctypes
import errno
import json
import multiprocessing
import os
import pkgutil
import signal
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, NoReturn

from maxmargin.comparison.jobs.limit import LONGEST, Limit
from maxmargin.comparison.jobs.outcome import LONGEST_MESSAGE, Ending, Outcome, is_out_of_memory

# PR_SET_PDEATHSIG of Linux's prctl.
_DIE_WITH_PARENT = 1

_THREAD_VARIABLES = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS")

_MIB = 1 << 20

# Exit code of a process that a task left with 0.
_LEFT = 70

# Seconds in which the parent usually reads that a task has begun.
_UNTIL_READ = 0.01


class Meter:
    """Measures one part of a task, and keeps it under the limits.

    Attributes
    ----------
    limit : Limit
    seconds, peak_mib : float or None
        As in `Outcome`, once the part has ended.
    """

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self.seconds: float | None = None
        self.peak_mib: float | None = None

    @contextmanager
    def measured(self) -> Iterator[None]:
        """Measure the block; the time limit ends the process."""
        before = reset_peak()
        with _memory_limited(self.limit.memory), _ended_after(self.limit.seconds):
            started = time.perf_counter()
            try:
                yield
            finally:
                self.seconds = time.perf_counter() - started
        peak = memory_in_use("VmHWM")
        self.peak_mib = None if peak is None or before is None else round((peak - before) / _MIB, 2)


def set_up(folder: str, n_threads: int | None) -> None:
    """Prepare a process: it dies with its parent, ignores Ctrl-C, prints to a file, and has its number of threads."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGKILL)
    os.setsid()
    multiprocessing.current_process().daemon = False  # else a task could start no processes of its own
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _never_leave_in_silence()
    descriptor = os.open(log_of(folder, os.getpid()), os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o600)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    if n_threads is not None:
        os.environ.update(dict.fromkeys(_THREAD_VARIABLES, str(n_threads)))
        from threadpoolctl import threadpool_limits

        threadpool_limits(n_threads)


def _never_leave_in_silence() -> None:
    """Have `os._exit(0)` end this process with another code.

    Pebble looks only at processes that ended with another code than 0, and would wait for this task for ever.
    """
    leave, own = os._exit, os.getpid()

    def left(code: int) -> NoReturn:
        leave(code or (_LEFT if os.getpid() == own else 0))

    setattr(os, "_exit", left)  # noqa: B010  # a function of the standard library


def log_of(folder: str, pid: int) -> Path:
    """Return the file to which a process prints."""
    return Path(folder, f"{pid}.log")


def execute(task: str, arguments: Mapping[str, Any], limit: Limit) -> Outcome:
    """Carry out a task, named as "module:function".

    The function takes the arguments and a meter for the part that is limited, and returns a mapping that JSON can hold.
    """
    _empty_the_log()
    # Pebble 5.2 gives up all its processes if one dies before the parent has read that its task has begun.
    time.sleep(_UNTIL_READ)
    meter = Meter(limit)
    try:
        answer = json.dumps(pkgutil.resolve_name(task)(arguments, meter), allow_nan=False)
    except BaseException as error:
        is_refused = isinstance(error, MemoryError) or (isinstance(error, OSError) and error.errno == errno.ENOMEM)
        ending = Ending.MEMORY if is_refused or is_out_of_memory(str(error)) else Ending.ERROR
        message = f"{type(error).__name__}: {error}".strip()[:LONGEST_MESSAGE]
        return Outcome(ending=ending, message=message, seconds=meter.seconds, peak_mib=meter.peak_mib)
    return Outcome(ending=Ending.OK, answer=answer, seconds=meter.seconds, peak_mib=meter.peak_mib)


def _empty_the_log() -> None:
    """Delete the output of earlier tasks."""
    for stream in (sys.stdout, sys.stderr):
        with suppress(Exception):
            stream.flush()
    with suppress(OSError):
        os.ftruncate(1, 0)


@contextmanager
def _ended_after(seconds: float | None) -> Iterator[None]:
    """Let the kernel end the process after this time."""
    if seconds is None or not hasattr(signal, "setitimer"):
        yield
        return
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, min(seconds, LONGEST))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


@contextmanager
def _memory_limited(n_bytes: int | None) -> Iterator[None]:
    """Refuse memory beyond that in use now plus `n_bytes`. Linux only."""
    in_use = None if n_bytes is None else memory_in_use("VmData")
    if in_use is None or n_bytes is None:
        yield
        return
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    wanted = in_use + n_bytes
    resource.setrlimit(resource.RLIMIT_DATA, (wanted if hard == resource.RLIM_INFINITY else min(wanted, hard), hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def reset_peak() -> int | None:
    """Forget the greatest memory so far; return the bytes in use now. Linux only."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return None
    return memory_in_use("VmRSS")


def memory_in_use(entry: str) -> int | None:
    """Return an entry of /proc/self/status in bytes; None where there is no such file."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith(f"{entry}:")), None)
