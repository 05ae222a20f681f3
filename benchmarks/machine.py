"""What the times of a benchmark depend on: the machine, its memory, the packages."""

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

Facts = dict[str, Any]

PACKAGES = (
    *("numpy", "scipy", "numba", "cvxpy", "daqp", "clarabel", "highspy", "osqp", "piqp", "qpsolvers"),
    *("scikit-learn", "liblinear-official", "libsvm-official", "skglm", "maxmargin"),
)


def machine() -> Facts:
    """Describe what the times depend on."""
    return {
        "processor": _processor(),
        "cores": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "memory_gib": round(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


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
