"""Runs the cells of a study that have no record yet, and collects the records."""

import json
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from maxmargin.comparison.cells import FIELDS, Cell, arguments_of, cells_of
from maxmargin.comparison.data_sets import data_sets, view_fields
from maxmargin.comparison.facts import FACTS
from maxmargin.comparison.facts import TASK as FACTS_TASK
from maxmargin.comparison.jobs.limit import Limit
from maxmargin.comparison.jobs.outcome import Ending, Outcome
from maxmargin.comparison.jobs.run_jobs import Job, Workers, run
from maxmargin.comparison.jobs.store import Store
from maxmargin.comparison.solve import TASK as CELL_TASK
from maxmargin.comparison.study_file import Study
from maxmargin.solvers.errors import InvalidOptionError

CELLS, PROOFS = "cell", "facts"
"""Kinds of records."""

NOT_INSTALLED = "not_installed"

_UNKNOWN = {"verdict": "undecided", "gamma_lower": None, "gamma_upper": None, "radius": None}
"""Facts where the proof did not end."""

_GRACE_OF_PROOF = 60.0
"""Seconds that a proof may take beyond twice the time limit, which it keeps by itself."""

Progress = Callable[["Stage"], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """How far a study is.

    Attributes
    ----------
    what : str
        "proofs" or "cells".
    n_done, n_due : int
    seconds : float
        Since the stage began.
    """

    what: str
    n_done: int
    n_due: int
    seconds: float

    @property
    def seconds_left(self) -> float | None:
        """Seconds left if what remains takes as long as what is done; None before anything is done."""
        return None if self.n_done == 0 else self.seconds / self.n_done * (self.n_due - self.n_done)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """The cells of a study or of a shard of it, and which of them are due.

    Attributes
    ----------
    study : Study
    cells : tuple of Cell
    due : tuple of Cell
        Those without a record, and those that ran into a limit that is greater now.
    """

    study: Study
    cells: tuple[Cell, ...]
    due: tuple[Cell, ...]

    @property
    def n_done(self) -> int:
        """Number of cells that have a record and are not due."""
        return len(self.cells) - len(self.due)

    @classmethod
    def of(cls, study: Study, store: Store, shard: tuple[int, int] | None = None) -> "Plan":
        """Read the data of a study and list its cells.

        Raises
        ------
        DataError
            If data cannot be read.
        """
        every = tuple(cells_of(study, list(data_sets(study))))
        cells = every if shard is None else tuple(cell for cell in every if _is_in(cell, shard))
        due = tuple(cell for cell in cells if _is_due(cell, store, study.limit))
        return cls(study=study, cells=cells, due=due)


def _is_due(cell: Cell, store: Store, limit: Limit) -> bool:
    """Return whether a cell has no record that stands: a method may have been installed, a limit raised."""
    if not store.is_done(cell.key, limit):
        return True
    return store.status(cell.key) == NOT_INSTALLED and cell.setting.method.is_installed


def shard_of(text: str) -> tuple[int, int]:
    """Return I and N of "I/N".

    Raises
    ------
    InvalidOptionError
        Unless 1 <= I <= N.
    """
    number, slash, total = text.partition("/")
    if not (slash and number.isdecimal() and total.isdecimal() and 1 <= int(number) <= int(total)):
        raise InvalidOptionError(f"shard is {text!r}; expected I/N with 1 <= I <= N, such as 1/4")
    return int(number), int(total)


def _is_in(cell: Cell, shard: tuple[int, int]) -> bool:
    number, total = shard
    return int(cell.key, 16) % total == number - 1


def carry_out(plan: Plan, store: Store, workers: Workers, *, jobs: int, on_progress: Progress | None = None) -> None:
    """Prove what is not proven yet about the data of the cells that are due, and run these cells."""
    study = plan.study
    due = [cell for cell in plan.due if cell.setting.method.is_installed]
    for cell in plan.due:
        if not cell.setting.method.is_installed:
            message = f"needs {', '.join(cell.setting.method.needs)}"
            store.put(cell.key, CELLS, _record(cell, {}, {"status": NOT_INSTALLED, "message": message}), study.limit)
    limit = study.limit
    proof_limit = Limit(
        seconds=None if limit.seconds is None else 2 * limit.seconds, memory=limit.memory, grace=_GRACE_OF_PROOF
    )
    proofs = {cell.facts_key: cell for cell in due}

    def prove(job: Job, outcome: Outcome) -> None:
        store.put(job.key, PROOFS, _of_proof(outcome), proof_limit)

    def solved(job: Job, outcome: Outcome) -> None:
        record = _record(by_key[job.key], facts[by_key[job.key].facts_key], _of_cell(outcome) | {"jobs": jobs})
        store.put(job.key, CELLS, record, limit)

    _run(
        [_proof_job(key, cell, proof_limit) for key, cell in proofs.items()],
        workers, store, prove, what="proofs", on_progress=on_progress,
    )  # fmt: skip
    known = store.records(PROOFS)
    facts = {key: _facts(known.get(key)) for key in proofs}
    by_key = {cell.key: cell for cell in due}
    cell_jobs = (
        Job(
            key=cell.key, task=CELL_TASK, limit=limit,
            arguments=arguments_of(study, cell, facts[cell.facts_key], is_alone=jobs == 1),
        )
        for cell in due
    )  # fmt: skip
    _run(cell_jobs, workers, store, solved, what="cells", on_progress=on_progress, n_due=len(due))


def _run(
    jobs: Iterable[Job],
    workers: Workers,
    store: Store,
    on_done: Callable[[Job, Outcome], None],
    *,
    what: str,
    on_progress: Progress | None,
    n_due: int | None = None,
) -> None:
    """Run jobs, and say after each how far the work is."""
    if isinstance(jobs, list):
        n_due = len(jobs)
    began, n_done = time.monotonic(), 0

    def told(job: Job, outcome: Outcome) -> None:
        nonlocal n_done
        on_done(job, outcome)
        n_done += 1
        if on_progress is not None:
            on_progress(Stage(what=what, n_done=n_done, n_due=n_due or 0, seconds=time.monotonic() - began))

    run(jobs, workers, is_done=lambda job: _is_done(job, store), on_done=told)


def _is_done(job: Job, store: Store) -> bool:
    """Return whether another process has done a job meanwhile."""
    return store.is_done(job.key, job.limit) and store.status(job.key) != NOT_INSTALLED


def _proof_job(key: str, cell: Cell, limit: Limit) -> Job:
    seconds = None if limit.seconds is None else limit.seconds / 2
    arguments = {"view": view_fields(cell.facts_view), "time_limit": seconds}
    return Job(key=key, task=FACTS_TASK, arguments=arguments, limit=limit)


def _of_proof(outcome: Outcome) -> dict[str, Any]:
    found = _answer(outcome) if outcome.ending is Ending.OK else dict(_UNKNOWN)
    return {"status": outcome.ending.value, "message": outcome.message, **found}


def _facts(record: Mapping[str, Any] | None) -> dict[str, Any]:
    known = _UNKNOWN if record is None else record
    return {name: known[name] for name in FACTS if name in known}


def _of_cell(outcome: Outcome) -> dict[str, Any]:
    ended = {"status": outcome.ending.value, "message": outcome.message, "exit_code": outcome.exit_code}
    measured = {"seconds": outcome.seconds, "peak_mib": outcome.peak_mib}
    return ended | measured | (_answer(outcome) if outcome.ending is Ending.OK else {})


def _answer(outcome: Outcome) -> dict[str, Any]:
    answer: dict[str, Any] = json.loads(outcome.answer)
    return answer


def _record(cell: Cell, facts: Mapping[str, Any], measured: Mapping[str, Any]) -> dict[str, Any]:
    return dict.fromkeys(FIELDS) | cell.identity() | dict(facts) | dict(measured)
