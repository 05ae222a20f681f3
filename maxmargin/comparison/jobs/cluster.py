"""The same limited processes on the workers of a Dask cluster: one Dask task for every task."""

import multiprocessing
import threading
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import AbstractContextManager
from typing import Any, cast

from maxmargin.comparison.jobs.limit import Limit
from maxmargin.comparison.jobs.outcome import Ending, Outcome
from maxmargin.comparison.jobs.pool import Pool
from maxmargin.solvers.errors import InvalidOptionError

# The process of every thread of a Dask worker, kept warm between tasks.
_own = threading.local()


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


def _outcome(done: Any) -> Outcome:
    try:
        return cast(Outcome, done.result())
    except BaseException as error:
        return Outcome(ending=Ending.CRASHED, message=f"the Dask worker failed: {type(error).__name__}: {error}")
