"""What the times of a benchmark depend on: the machine, its memory, its BLAS, the packages."""

import os
import platform
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

Facts = dict[str, Any]

PACKAGES = (
    *("numpy", "scipy", "numba", "cvxpy", "daqp", "clarabel", "highspy", "osqp", "piqp"),
    *("scikit-learn", "skglm", "pyarrow", "dask", "maxmargin"),
)


def _arrow_threads() -> int:
    import pyarrow as pa

    n_threads: int = pa.cpu_count()
    return n_threads


class Neighbours:
    """Measures how busy other processes keep the cores. Linux only."""

    def __init__(self) -> None:
        self._start = self._now()

    def share(self) -> float | None:
        """Return the share of all cores that others had since the start; what we started must have ended."""
        others, every = (now - before for now, before in zip(self._now(), self._start, strict=True))
        return None if every == 0 else max(0.0, round(others / every, 2))

    def _now(self) -> tuple[float, float]:
        """Return the seconds of the cores that others have used, and all there were."""
        import resource

        try:
            fields = Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]
        except OSError:
            return 0.0, 0.0
        ticks = [int(field) / os.sysconf("SC_CLK_TCK") for field in fields]
        idle, every = ticks[3] + ticks[4], sum(ticks)
        usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        own = sum(usage.ru_utime + usage.ru_stime for usage in usages)
        return every - idle - own, every


@cache
def machine() -> Facts:
    """Describe what the times depend on, without names and paths."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "blas": _blas(),
        "arrow_threads": _arrow_threads(),
    }


def _blas() -> list[str]:
    """Name the linear algebra of numpy and of SciPy, and on how many threads each runs."""
    import numpy as np
    import scipy.linalg
    from threadpoolctl import threadpool_info

    libraries = [library for library in threadpool_info() if library["user_api"] == "blas"]
    assert np and scipy.linalg, "loaded, so that they are found"
    described = {
        f"{library['internal_api']} {library['version']} ({library['num_threads']} threads)" for library in libraries
    }
    return sorted(described)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


def versions() -> dict[str, str]:
    """Return the versions of the packages that are installed."""
    return {name: metadata.version(name) for name in PACKAGES if _is_installed(name)}


def _is_installed(package: str) -> bool:
    try:
        metadata.version(package)
    except metadata.PackageNotFoundError:
        return False
    return True


def limit_memory() -> None:
    """Let a greedy peer fail with MemoryError rather than take the machine down."""
    try:
        import resource

        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        resource.setrlimit(resource.RLIMIT_DATA, (int(0.9 * size),) * 2)
    except (ImportError, ValueError, OSError):
        pass


def reset_peak() -> int | None:
    """Start measuring the peak anew; return what is in use now. Linux only."""
    try:
        Path("/proc/self/clear_refs").write_text("5")
    except OSError:
        return None
    return memory("VmRSS")


def memory(entry: str) -> int | None:
    """Return an entry of /proc/self/status, in bytes."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return None
    return next((1024 * int(line.split()[1]) for line in lines if line.startswith(f"{entry}:")), None)
