"""The progress of a study, with the time left from the work that is done."""

import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from maxmargin.comparison.jobs.outcome import Ending, Outcome
from maxmargin.comparison.jobs.run_jobs import Job
from maxmargin.text.progress import duration_text


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyProgress:
    """The progress of a study.

    Attributes
    ----------
    what : str
        "proofs" or "cells".
    n_done, n_due : int
    seconds : float
        Since the stage began.
    seconds_left : float
        The estimate of `StageWork`.
    """

    what: str
    n_done: int
    n_due: int
    seconds: float
    seconds_left: float


def stage_text(_: float, stage: StudyProgress) -> str:
    """Return the progress of a study in words."""
    text = f"{stage.what}: {stage.n_done:,} of {stage.n_due:,}"
    return f"{text}, {duration_text(stage.seconds_left)} left" if stage.n_done else text


class StageWork:
    """The jobs of a stage and what they took.

    A job that is left is expected to take the mean time of those that are done of its method on its data; where there
    is none, of its method; where there is none, of all. The time left is the time since the start, times what is
    expected of the jobs left over what the others took.

    Parameters
    ----------
    what : str
    jobs : iterable of Job
    """

    def __init__(self, what: str, jobs: Iterable[Job]) -> None:
        self._what, self._began = what, time.monotonic()
        self._left = Counter(map(_kinds, jobs))
        self._n_due = self._left.total()
        self._taken: defaultdict[str, list[float]] = defaultdict(list)

    def finished(self, job: Job, outcome: Outcome) -> StudyProgress:
        """Count a job as done, and return the progress."""
        kinds = _kinds(job)
        self._left[kinds] -= 1
        for kind in kinds:
            self._taken[kind].append(_seconds(job, outcome))
        passed, taken = time.monotonic() - self._began, self._taken[_ALL]
        work = sum(taken)
        factor = sum(number * self._expected(kind) for kind, number in self._left.items()) / work if work else 0.0
        return StudyProgress(
            what=self._what, n_done=len(taken), n_due=self._n_due, seconds=passed, seconds_left=passed * factor
        )

    def _expected(self, kinds: tuple[str, ...]) -> float:
        known = next(self._taken[kind] for kind in kinds if kind in self._taken)
        return sum(known) / len(known)


_ALL = "all"


def _kinds(job: Job) -> tuple[str, ...]:
    """Return the kinds of a job, the narrowest first: its method on its data, its method, all."""
    view, method = job.arguments["view"], f"{job.arguments.get('method')} {job.arguments.get('params')}"
    return f"{method} {view.path} {view.positive}", method, _ALL


def _seconds(job: Job, outcome: Outcome) -> float:
    if outcome.ending is Ending.TIMEOUT:
        return max(job.limit.seconds or 0.0, outcome.seconds or 0.0)
    return outcome.seconds or outcome.fields.get("seconds") or 0.0
