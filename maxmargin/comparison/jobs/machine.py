"""The machine, its memory, its BLAS and the packages, on which times depend; without names and paths."""

import os
import platform
from collections.abc import Iterable
from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any

# Packages that are named with their versions where they are installed.
PACKAGES = (
    *("numpy", "scipy", "numba", "cvxpy", "daqp", "clarabel", "highspy", "osqp", "piqp"),
    *("scikit-learn", "skglm", "pyarrow", "dask", "maxmargin"),
)


@cache
def machine() -> dict[str, Any]:
    """Return the properties of the machine on which times depend."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "blas": _blas(),
    }


def _blas() -> list[str]:
    """Name the linear algebra of numpy and of SciPy, and on how many threads each runs."""
    import numpy as np  # noqa: F401  threadpool_info finds the libraries that are loaded
    import scipy.linalg  # noqa: F401
    from threadpoolctl import threadpool_info

    libraries = [library for library in threadpool_info() if library["user_api"] == "blas"]
    return sorted({f"{one['internal_api']} {one['version']} ({one['num_threads']} threads)" for one in libraries})


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor()
    return next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), "unknown")


def versions(packages: Iterable[str] = PACKAGES) -> dict[str, str]:
    """Return the versions of the packages that are installed."""
    return {name: version for name in packages if (version := _version(name)) is not None}


@cache
def _version(package: str) -> str | None:
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return None
