"""The maximum margin and the verdict of a Parquet file that stays on disk, in times of reading it once.

20,000,000 x 20 points of the unit ball, moved away from a random hyperplane by 0.02 (3.2 GB). The unit is one pass of
pyarrow.dataset over all columns, as float64, on all threads of Arrow, the number of which the report tells.
`maxmargin margin` and `check` are timed as whole processes, with the default --memory; their peak of resident memory
is that which the operating system counts. The same file through a Dask LocalCluster of two workers, started and stopped
within the time, must give the same verdict and the same interval: in place of a distance from the optimum the largest
relative distance of its ends from ours is printed.

The file lies in --folder and is made once, so that all of it may be in the page cache of the operating system.

Examples:
  python benchmarks/run.py out_of_core --scale 0.01 --folder /var/tmp
  python benchmarks/run.py out_of_core --peer 'maxmargin*' --peer 'reading*' --fresh
"""

import json
import math
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from measuring import Benchmark, Facts, Peer

N_ROWS, N_FEATURES, MARGIN = 20_000_000, 20, 0.02
GROUP_ROWS = 250_000
FULL = "20M x 20"

READ, OURS, CHECK = "reading the file once", "maxmargin margin", "maxmargin check"
DASK_MARGIN, DASK_CHECK = "Dask, 2 workers, hard_margin", "Dask, 2 workers, separability"

SEPARABLE = "separable"


@dataclass(frozen=True)
class Answer:
    fields: Facts
    """As `maxmargin ... --json` prints them."""
    peak_mib: int | None = None


def file(scale: float) -> Path:
    """Return the file of this scale, which is made where it does not exist."""
    n_rows = max(10_000, round(scale * N_ROWS))
    path = Path(tempfile.gettempdir()) / "maxmargin-benchmarks" / f"planted-{n_rows}-{N_FEATURES}.parquet"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        scratch = path.with_suffix(".tmp")
        write(scratch, n_rows)
        scratch.replace(path)
    return path


def write(path: Path, n_rows: int) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = [(f"x{j}", pa.float64()) for j in range(N_FEATURES)]
    schema = pa.schema([*columns, ("label", pa.int64())])
    with pq.ParquetWriter(path, schema, use_dictionary=["label"]) as writer:
        for X, y in groups(n_rows):
            arrays = [*map(pa.array, X.T), pa.array(y)]
            writer.write_table(pa.table(arrays, schema=schema), row_group_size=len(y))


def groups(n_rows: int) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    w = rng.normal(size=N_FEATURES)
    w /= np.linalg.norm(w)
    for start in range(0, n_rows, GROUP_ROWS):
        X = rng.normal(size=(min(GROUP_ROWS, n_rows - start), N_FEATURES))
        radii = rng.random(len(X)) ** (1 / N_FEATURES)
        X *= (radii / np.linalg.norm(X, axis=1))[:, None]
        y = np.where(X @ w > 0, 1, -1)
        X += MARGIN * y[:, None] * w
        yield X, y


def read(path: Path, _: Any) -> None:
    import pyarrow.dataset as ds

    for batch in ds.dataset(path).to_batches(use_threads=True):
        for column in batch.columns:
            column.to_numpy().astype(np.float64, copy=False)


def process(*command: str) -> Callable[[Path, Any], Answer]:
    """Return a whole process of the command line."""

    def solve(path: Path, _: Any) -> Answer:
        started = [sys.executable, "-m", "maxmargin", *command, str(path), "--json", "--quiet"]
        with subprocess.Popen(started, stdout=subprocess.PIPE) as running:
            assert running.stdout is not None
            printed = running.stdout.read()
            _pid, status, usage = os.wait4(running.pid, 0)
            running.returncode = os.waitstatus_to_exitcode(status)
        assert running.returncode == 0, f"exit code {running.returncode}"
        return Answer(json.loads(printed), mib(usage.ru_maxrss))

    return solve


def mib(maxrss: int) -> int:
    """Convert a peak of memory, of which macOS counts bytes, others KiB."""
    return round(maxrss / 2 ** (20 if sys.platform == "darwin" else 10))


def on_dask(question: Callable[[Any, Any], Facts]) -> Callable[[Path, Any], Answer]:
    def solve(path: Path, _: Any) -> Answer:
        from dask.dataframe import read_parquet
        from dask.distributed import Client, LocalCluster

        with (
            LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster,
            Client(cluster),
        ):
            frame = read_parquet(path)
            return Answer(question(frame.iloc[:, :-1], frame.iloc[:, -1]))

    return solve


def margin(X: Any, y: Any) -> Facts:
    import maxmargin as mm

    answer = mm.hard_margin(X, y)
    return {"status": answer.status.value, "lower": answer.lower, "upper": answer.upper}


def verdict(X: Any, y: Any) -> Facts:
    import maxmargin as mm

    return {"verdict": mm.separability(X, y).verdict.value}


def judge(path: Path, answer: Answer) -> Facts:
    facts = {name: answer.fields[name] for name in ("lower", "upper") if name in answer.fields}
    claims = answer.fields.get("verdict") or answer.fields["status"]
    return facts | {"claims": claims, "peak_mib": answer.peak_mib}


def accuracy(facts: Facts, ours: Facts) -> float | None:
    """Return the largest relative distance between the ends of two intervals; of ours its width."""
    if "upper" not in facts or "upper" not in ours:
        return None
    if facts["peer"] == OURS:
        return (facts["upper"] - facts["lower"]) / facts["upper"]
    return max(math.fabs(facts[end] - ours[end]) for end in ("lower", "upper")) / ours["upper"]


BENCHMARK = Benchmark(
    file=__file__,
    data={FULL: file},
    peers={
        READ: Peer(solve=read, is_judged=False, seconds=8.0),
        OURS: Peer(solve=process("margin"), seconds=50.0),
        CHECK: Peer(solve=process("check"), seconds=50.0),
        DASK_MARGIN: Peer(solve=on_dask(margin), needs="distributed", seconds=80.0),
        DASK_CHECK: Peer(solve=on_dask(verdict), needs="distributed", seconds=80.0),
    },
    ours=OURS,
    units=(READ,),
    judge=judge,
    accuracy=accuracy,
    is_enough=lambda facts: facts["claims"] in (SEPARABLE, "optimal"),
    preparation=20.0,
    columns={"peak_mib": "peak, MiB", "claims": "claims"},
)
