"""Runs the cells of a study that have no record yet, and collects the records."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from maxmargin.comparison.cells import FIELDS, Cell, arguments_of, cells_of
from maxmargin.comparison.data_sets import data_sets
from maxmargin.comparison.jobs.limit import Limit
from maxmargin.comparison.jobs.outcome import NOT_INSTALLED, NOT_RUN, Ending, Outcome
from maxmargin.comparison.jobs.run_jobs import Job, Workers, run
from maxmargin.comparison.jobs.store import CELLS, PROOFS, Store
from maxmargin.comparison.jobs.study_progress import StageWork, StudyProgress
from maxmargin.comparison.methods.method import Method
from maxmargin.comparison.study_file import Study
from maxmargin.comparison.tasks import FACTS, PROVE, SOLVE
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.data_error import DataError

TIMEOUT = Ending.TIMEOUT.value

# Facts where the proof did not end.
_UNKNOWN = {"verdict": "undecided", "gamma_lower": None, "gamma_upper": None, "radius": None, "capped": False}

# How many times as long as here the data may take to be read in another process.
_TIMES_READING = 4.0

# Seconds that a proof may take beyond twice the time limit, which it keeps by itself.
_GRACE_OF_PROOF = 60.0

Progress = Callable[[StudyProgress], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyPlan:
    """The cells of a study or of a shard of it, and which of them are due.

    Attributes
    ----------
    study : Study
    cells : tuple of Cell
    due : tuple of Cell
        Those without a record or without a proof about their rows, and those that ran into a limit that is greater now.
    """

    study: Study
    cells: tuple[Cell, ...]
    due: tuple[Cell, ...]

    @classmethod
    def of(cls, study: Study, store: Store, shard: tuple[int, int] | None = None) -> "StudyPlan":
        """Read the data of a study and list its cells.

        Raises
        ------
        DataError
            If data cannot be read.
        """
        every = tuple(cells_of(study, list(data_sets(study))))
        number, total = shard or (1, 1)
        cells = tuple(cell for cell in every if int(cell.key, 16) % total == number - 1)
        due = tuple(cell for cell in cells if not _is_proven(store, cell, study.limit))
        return cls(study=study, cells=cells, due=due)


def _allowing_to_read(limit: Limit, cell: Cell, seconds: float = 0.0) -> Limit:
    """Return a limit with time to read the data of a cell in another process, and these seconds."""
    return replace(limit, grace=limit.grace + _TIMES_READING * cell.data.seconds_to_read + seconds)


def shard_of(shard: object) -> tuple[int, int]:
    """Return I and N of "I/N" or of a pair.

    Raises
    ------
    InvalidOptionError
        Unless 1 <= I <= N.
    """
    text = "/".join(map(str, shard)) if isinstance(shard, tuple | list) else str(shard)
    number, slash, total = text.partition("/")
    if not (slash and number.isdecimal() and total.isdecimal() and 1 <= int(number) <= int(total)):
        raise InvalidOptionError(f"shard is {shard!r}; expected I/N with 1 <= I <= N, such as 1/4")
    return int(number), int(total)


def carry_out(
    plan: StudyPlan,
    store: Store,
    workers: Workers,
    *,
    jobs: int,
    limits: Limits,
    is_strict: bool = False,
    on_progress: Progress | None,
) -> None:
    """Prove the verdicts and margins that the due cells still need, and run these cells.

    After the time limit nothing more is begun; if it is strict, it also ends what runs, whose records then say so.

    Raises
    ------
    DataError
        If data or a plug-in have changed since the plan, or cannot be read any more.
    """
    due = [cell for cell in plan.due if cell.setting.method.is_installed]
    for cell in plan.due:
        if not cell.setting.method.is_installed:
            missing = {"status": NOT_INSTALLED, "message": f"needs {', '.join(cell.setting.method.needs)}"}
            store.put(cell.key, CELLS, _record(cell, {}, missing), plan.study.limit)

    def run_all(what: str, jobs: Sequence[Job], on_done: Callable[[Job, Outcome], None]) -> None:
        """Run jobs, and report the progress after each; a task that could not begin ends all, until it can."""
        work = StageWork(what, jobs)

        def finish(job: Job, outcome: Outcome) -> None:
            if outcome.fields.get("status") == NOT_RUN:
                raise DataError(f"{outcome.fields['message']}; what was written before is kept")
            on_done(job, outcome)
            progress = work.finished(job, outcome)
            if on_progress is not None:
                on_progress(progress)

        cut = (replace(job, limit=job.limit.within(limits)) for job in jobs) if is_strict else jobs
        run(cut, workers, is_done=lambda job: limits.is_over() or _is_done(store, job.key, job.limit), on_done=finish)

    _prove(plan.study, due, store, run_all)
    _solve(plan.study, due, store, run_all, n_jobs=jobs)


def _prove(study: Study, cells: Iterable[Cell], store: Store, run_all: Callable[..., None]) -> None:
    """Prove the verdict and the margin of the rows of every cell."""
    seconds = study.limit.seconds
    limit = replace(study.limit, seconds=None if seconds is None else 2 * seconds, grace=_GRACE_OF_PROOF)
    jobs = [
        Job(
            key=key, task=PROVE, limit=_allowing_to_read(limit, cell),
            arguments={"view": cell.view, "time_limit": seconds},
        )
        for key, cell in {cell.facts_key: cell for cell in cells}.items()
    ]  # fmt: skip

    def write(job: Job, outcome: Outcome) -> None:
        ended = {"status": outcome.ending.value, "message": outcome.message}
        proof = ended | (outcome.fields or _UNKNOWN)
        store.put(job.key, PROOFS, proof, limit, status=TIMEOUT if proof["capped"] else None)

    run_all("proofs", jobs, write)


def _solve(study: Study, cells: Iterable[Cell], store: Store, run_all: Callable[..., None], *, n_jobs: int) -> None:
    """Run the cells, and judge them by the proofs about their rows."""
    known, by_key, seconds = store.records(PROOFS), {cell.key: cell for cell in cells}, study.limit.seconds
    facts = {key: _facts(known.get(cell.facts_key, _UNKNOWN)) for key, cell in by_key.items()}
    proofs = {key: store.status(cell.facts_key) for key, cell in by_key.items()}
    jobs = [
        Job(
            key=key, task=SOLVE, limit=_allowing_to_read(study.limit, cell, seconds=seconds or 0.0),
            arguments=arguments_of(study, cell, facts[key], is_alone=n_jobs == 1),
        )
        for key, cell in by_key.items()
    ]  # fmt: skip

    def write(job: Job, outcome: Outcome) -> None:
        ended = {"status": outcome.ending.value, "message": outcome.message, "exit_code": outcome.exit_code}
        measured = {"seconds": outcome.seconds, "peak_mib": outcome.peak_mib, "jobs": n_jobs}
        record = _record(by_key[job.key], facts[job.key], ended | measured | outcome.fields)
        # with more time or memory for a proof that a limit has stopped, its cells are due again, as it is
        stopped = proofs[job.key] if proofs[job.key] in (Ending.TIMEOUT, Ending.MEMORY) else None
        # a method that was cut off after more than half of its time seems to have stopped by itself, for lack of time
        is_late = record["capped"] and seconds is not None and record["seconds"] > seconds / 2
        store.put(job.key, CELLS, record, study.limit, status=TIMEOUT if is_late else stopped)

    run_all("cells", jobs, write)


def _is_proven(store: Store, cell: Cell, limit: Limit) -> bool:
    """Return whether there is a record that stands, with a proof about its rows unless the method is not installed."""
    has_proof = store.status(cell.key) == NOT_INSTALLED or store.status(cell.facts_key) is not None
    return has_proof and _is_done(store, cell.key, limit, cell.setting.method)


def _is_done(store: Store, key: str, limit: Limit, method: Method | None = None) -> bool:
    """Return whether there is a record that stands: a limit may have been raised, the method have been installed."""
    is_here = method is None or method.is_installed
    return store.is_done(key, limit) and not (is_here and store.status(key) == NOT_INSTALLED)


def _facts(proof: Mapping[str, Any]) -> dict[str, Any]:
    return {name: proof[name] for name in FACTS if name in proof}


def _record(cell: Cell, facts: Mapping[str, Any], measured: Mapping[str, Any]) -> dict[str, Any]:
    return dict.fromkeys(FIELDS) | cell.identity() | dict(facts) | dict(measured)
