"""From a study to its comparison: the plan, the processes that carry it out, the records."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeAlias

from maxmargin.comparison.carry_out import Progress, StudyPlan, carry_out, shard_of
from maxmargin.comparison.collect import check_noted, collected
from maxmargin.comparison.comparison import Comparison, Record
from maxmargin.comparison.jobs.limit import GRACE
from maxmargin.comparison.jobs.pool import Cluster, Pool
from maxmargin.comparison.jobs.store import CELLS, Store
from maxmargin.comparison.recheck import Reading, check_records
from maxmargin.comparison.study_file import Study
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.basics.option_values import whole_number

Folder: TypeAlias = str | os.PathLike[str]
Shard: TypeAlias = str | tuple[int, int] | None


def run_study(
    study: "str | os.PathLike[str] | Mapping[str, Any] | Study",
    *,
    out: Folder | None = None,
    jobs: int = 1,
    shard: Shard = None,
    cluster: str | None = None,
    merge: Iterable[Folder] = (),
    time_limit: float | None = None,
    grace: float = GRACE,
    on_plan: Callable[[StudyPlan], object] = lambda plan: None,
    on_progress: Progress | None = None,
) -> Comparison:
    """Run the cells of a study that have no record, and return all its records.

    The arguments are those of `maxmargin.compare`; in addition:

    Parameters
    ----------
    grace : float
        Seconds of a cell beside those of the method; see `Limit`.
    on_plan : callable
        Called with the plan before anything is run.
    on_progress : callable, optional
        Called after every proof and every cell.
    """
    limits, study = Limits(time_limit=time_limit), Study.of(study)
    study = replace(study, limit=replace(study.limit, grace=grace))
    whole_number("jobs", jobs)
    with _planned(study, out, shard, merge) as (plan, store):
        on_plan(plan)
        _check(plan, store)
        try:
            if plan.due:
                with Pool(jobs) if cluster is None else Cluster(cluster) as workers:
                    carry_out(plan, store, workers, jobs=workers.n_workers, limits=limits, on_progress=on_progress)
        finally:
            comparison = collected(plan, store, jobs=jobs)
        return comparison


def plan_study(study: Study, out: Path, shard: str | None, merge: Iterable[Path]) -> tuple[StudyPlan, list[Record]]:
    """Return the plan of a study and the records that its cells have in a folder; nothing is run.

    The parameters are those of `run_study`. A folder that does not exist is not made.
    """
    with _planned(study, out if out.exists() else None, shard, merge) as (plan, store):
        _check(plan, store)
        known = store.records(CELLS)
        return plan, [known[cell.key] for cell in plan.cells if cell.key in known]


@contextmanager
def _planned(
    study: Study, out: Folder | None, shard: Shard, merge: Iterable[Folder]
) -> Iterator[tuple[StudyPlan, Store]]:
    """Open the file of records, take over those of other folders, and plan."""
    part = None if shard is None else shard_of(shard)
    with TemporaryDirectory() if out is None else nullcontext(out) as folder, Store(folder) as store:
        for other in merge:
            store.take_over(other, check_noted)
        yield StudyPlan.of(study, store, part), store


def _check(plan: StudyPlan, store: Store) -> None:
    """Check the records and proofs that were there before, except records that are due."""
    due = {cell.key for cell in plan.due}
    readings = [
        Reading(key="" if cell.key in due else cell.key, facts_key=cell.facts_key, view=cell.view)
        for cell in plan.cells
    ]
    check_records(store, readings, plan.study.tolerance, plan.study.limit.seconds)
