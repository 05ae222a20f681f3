"""Limited processes: on this machine by pebble, of which nothing else knows, or on the workers of a Dask cluster."""

import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Mapping
from concurrent.futures import Future, TimeoutError
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any, cast

from maxmargin.comparison.jobs.child import execute, log_of, set_up
from maxmargin.comparison.jobs.limit import Limit
from maxmargin.comparison.jobs.outcome import Ending, Outcome, of_dead_process
from maxmargin.solvers.basics.option_values import whole_number
from maxmargin.solvers.errors import InvalidOptionError

# Number of bytes at the end of the output of a process in which its last line is looked for.
_TAIL = 1 << 14

# The process of every thread of a Dask worker, kept warm between tasks.
_own = threading.local()


class Pool(AbstractContextManager["Pool"]):
    """Processes that carry out tasks under limits; one that hangs or dies is replaced, the others go on.

    Parameters
    ----------
    n_workers : int
        Number of processes.
    is_fresh : bool, default False
        Whether every task gets a new process.
    n_threads : int or None, default 1
        Number of threads of the numerical libraries in a process; None leaves it to them.

    Raises
    ------
    InvalidOptionError
        If pebble is not installed, the number is not one, or the program has no file that processes could import.

    Notes
    -----
    The processes are spawned, so a script that uses them needs the guard ``if __name__ == "__main__":``. On Linux they
    die with the process that made them, even if that is killed.
    """

    def __init__(self, n_workers: int = 1, *, is_fresh: bool = False, n_threads: int | None = 1) -> None:
        whole_number("jobs", n_workers)
        try:
            from pebble import ProcessPool
        except ImportError:
            raise InvalidOptionError("pebble is not installed: pip install pebble") from None
        program = getattr(sys.modules["__main__"], "__file__", None)
        if program is not None and not Path(program).exists():
            raise InvalidOptionError(f"the solvers run in processes that import {program}, which is no file: save it")
        self.n_workers = n_workers
        self._folder = tempfile.mkdtemp(prefix="maxmargin-")
        context: Any = multiprocessing.get_context("spawn")
        self._pool = ProcessPool(
            n_workers, max_tasks=int(is_fresh), initializer=set_up, initargs=(self._folder, n_threads), context=context
        )

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._pool.close()
        else:
            self._pool.stop()
        self._pool.join()
        self._end_dead_groups()
        shutil.rmtree(self._folder, ignore_errors=True)

    def new_folder(self) -> Path:
        """Make a folder that is deleted when the pool is closed."""
        return Path(tempfile.mkdtemp(dir=self._folder))

    def submit(self, task: str, arguments: Mapping[str, Any], limit: Limit) -> "Future[Outcome]":
        """Have a task, named as "module:function", carried out.

        Raises
        ------
        InvalidOptionError
            If processes do not start.
        """
        outcome: Future[Outcome] = Future()
        try:
            started = self._pool.schedule(execute, args=(task, arguments, limit), timeout=limit.backstop)
        except RuntimeError:
            guard = 'if __name__ == "__main__":'
            raise InvalidOptionError(f"the processes do not start; scripts that need them call under {guard}") from None
        started.add_done_callback(lambda done: outcome.set_result(self._outcome(done)))
        return outcome

    def _outcome(self, done: "Future[Outcome]") -> Outcome:
        from pebble import ProcessExpired

        try:
            return done.result()
        except TimeoutError:
            self._end_dead_groups()
            return Outcome(ending=Ending.TIMEOUT, message="the time is over; the process had to be killed")
        except ProcessExpired as error:
            outcome = of_dead_process(error.exitcode, self._last_line(int(error.pid or 0)))
            self._end_dead_groups()
            return outcome
        except BaseException as error:
            return Outcome(ending=Ending.CRASHED, message=f"{type(error).__name__}: {error}")

    def _last_line(self, pid: int) -> str:
        try:
            with log_of(self._folder, pid).open("rb") as log:
                log.seek(-min(_TAIL, log.seek(0, os.SEEK_END)), os.SEEK_END)
                lines = log.read().decode(errors="replace").splitlines()
        except OSError:
            return ""
        return next((line.strip() for line in reversed(lines) if line.strip()), "")

    def _end_dead_groups(self) -> None:
        """Kill the processes that were started by processes of this pool that have ended."""
        for log in Path(self._folder).glob("*.log"):
            pid = int(log.stem)
            try:
                os.kill(pid, 0)
            except OSError:
                with suppress(OSError):
                    os.killpg(pid, signal.SIGKILL)
                log.unlink(missing_ok=True)


class Cluster(AbstractContextManager["Cluster"]):
    """A Dask cluster that carries out tasks as `Pool` does.

    Parameters
    ----------
    address : str
        The address of the scheduler.

    Raises
    ------
    InvalidOptionError
        If Dask is not installed, or there is no scheduler.
    """

    def __init__(self, address: str) -> None:
        try:
            from distributed import Client
        except ImportError:
            raise InvalidOptionError("Dask is not installed: pip install 'dask[dataframe,distributed]'") from None
        try:
            self._client: Any = Client(address, timeout=10)
        except (OSError, ValueError) as error:
            raise InvalidOptionError(f"there is no Dask scheduler at {address}: {error}") from None
        self._executor = self._client.get_executor(pure=False)
        self.n_workers = max(1, sum(self._client.nthreads().values()))

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._executor.shutdown(wait=kind is None)
        self._client.close()

    def submit(self, task: str, arguments: Mapping[str, Any], limit: Limit) -> "Future[Outcome]":
        """Have a task, named as "module:function", carried out by a worker."""
        outcome: Future[Outcome] = Future()
        started = self._executor.submit(execute_on_worker, task, arguments, limit)
        started.add_done_callback(lambda done: outcome.set_result(_outcome(done)))
        return outcome


def execute_on_worker(task: str, arguments: Mapping[str, Any], limit: Limit) -> Outcome:
    """Carry out a task in the process that belongs to this thread of a Dask worker."""
    multiprocessing.current_process().daemon = False  # else it may have no process of its own
    if not hasattr(_own, "pool"):
        _own.pool = Pool()
    return cast(Outcome, _own.pool.submit(task, arguments, limit).result())


def _outcome(done: "Future[Outcome]") -> Outcome:
    try:
        return done.result()
    except BaseException as error:
        return Outcome(ending=Ending.CRASHED, message=f"the Dask worker failed: {type(error).__name__}: {error}")
