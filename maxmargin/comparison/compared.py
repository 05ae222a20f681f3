"""From a study to its comparison: the plan, the processes that carry it out, the records."""

import os
from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from tempfile import TemporaryDirectory
from typing import Any

from maxmargin.comparison.collect import collected
from maxmargin.comparison.comparison import Comparison
from maxmargin.comparison.jobs.limit import GRACE
from maxmargin.comparison.jobs.store import Store
from maxmargin.comparison.run_study import Plan, Progress, carry_out, shard_of
from maxmargin.comparison.study_file import Study
from maxmargin.solvers.errors import InvalidOptionError


def compared(
    study: "str | os.PathLike[str] | Mapping[str, Any] | Study",
    *,
    out: "str | os.PathLike[str] | None" = None,
    jobs: int = 1,
    shard: "str | tuple[int, int] | None" = None,
    cluster: str | None = None,
    merge: "Iterable[str | os.PathLike[str]]" = (),
    grace: float = GRACE,
    on_plan: Callable[[Plan], bool] = lambda plan: True,
    on_progress: Progress | None = None,
) -> Comparison:
    """Run the cells of a study that have no record, and return all its records.

    The arguments are those of `maxmargin.compare`; in addition:

    Parameters
    ----------
    merge : iterable of path
        Folders whose records are taken over first.
    grace : float
        Seconds of a cell beside those of the method; see `Limit`.
    on_plan : callable
        Called with the plan before anything is run; nothing is run if it returns False.
    on_progress : callable, optional
        Called after every proof and every cell.
    """
    study = Study.of(study)
    study = replace(study, limit=replace(study.limit, grace=grace))
    if isinstance(shard, str):
        shard = shard_of(shard)
    if not isinstance(jobs, int) or jobs < 1:
        raise InvalidOptionError(f"jobs is {jobs!r}; expected a number of processes from 1")
    with TemporaryDirectory() if out is None else nullcontext(out) as folder, Store(folder) as store:
        for other in merge:
            store.take_over(other)
        plan = Plan.of(study, store, shard)
        try:
            if on_plan(plan) and plan.due:
                with _workers(jobs, cluster) as workers:
                    n_workers = workers.n_workers
                    carry_out(plan, store, workers, jobs=n_workers, on_progress=on_progress)
        finally:
            comparison = collected(plan, store, jobs=jobs)
        return comparison


def _workers(jobs: int, cluster: str | None) -> Any:
    """Return what carries out the cells, to be entered."""
    if cluster is not None:
        from maxmargin.comparison.jobs.cluster import Cluster

        return Cluster(cluster)
    from maxmargin.comparison.jobs.pool import Pool

    return Pool(jobs)
