"""Tasks are handed to processes a few at a time, so that those done elsewhere meanwhile are not done again."""

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass
from typing import Any, Protocol

from maxmargin.comparison.jobs.limit import Limit
from maxmargin.comparison.jobs.outcome import Outcome

# Number of tasks for each process that are started or wait for it.
_AHEAD = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A task with its arguments.

    Attributes
    ----------
    key : str
        Names the record.
    task : str
        "module:function"; see `maxmargin.comparison.jobs.child.execute`.
    arguments : mapping
        What can be pickled.
    limit : Limit
    """

    key: str
    task: str
    arguments: Mapping[str, Any]
    limit: Limit


class Workers(Protocol):
    """Interface of `maxmargin.comparison.jobs.pool.Pool` and of the cluster: they carry out tasks."""

    n_workers: int

    def submit(self, task: str, arguments: Mapping[str, Any], limit: Limit) -> "Future[Outcome]":
        """Have a task carried out."""
        ...


def run(
    jobs: Iterable[Job], workers: Workers, *, is_done: Callable[[Job], bool], on_done: Callable[[Job, Outcome], None]
) -> None:
    """Carry out jobs in their order, except those that are done by the time it is their turn.

    Parameters
    ----------
    jobs : iterable of Job
    workers : Pool or Cluster
    is_done : callable
        Asked just before a job is started.
    on_done : callable
        Called in this thread with every job that has ended, in the order of their ends.
    """
    running: dict[Future[Outcome], Job] = {}

    def collect(most: int) -> None:
        while len(running) > most:
            for future in wait(running, return_when=FIRST_COMPLETED).done:
                on_done(running.pop(future), future.result())

    for job in jobs:
        if not is_done(job):
            running[workers.submit(job.task, job.arguments, job.limit)] = job
            collect(_AHEAD * workers.n_workers - 1)
    collect(0)
