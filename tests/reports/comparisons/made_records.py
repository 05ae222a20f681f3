"""Records of comparisons with known answers, made without running a method."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# The maximum margin (None: there is none), the radius and the verdict of each data set.
DATA = {
    "easy": (1.0, 2.0, "separable"),
    "hard": (0.01, 2.0, "separable"),
    "wide": (0.1, 5.0, "separable"),
    "mixed": (None, 3.0, "overlap"),
}


@dataclass(frozen=True, kw_only=True)
class Made:
    """A comparison as the report needs it."""

    title: str = "A study"
    records: tuple[Mapping[str, Any], ...] = ()
    data: tuple[Mapping[str, Any], ...] = ()
    settings: Mapping[str, Any] = field(
        default_factory=lambda: {
            **{"seeds": [0, 1], "orders": ["given"], "prepare": ["raw"], "folds": None, "jobs": 1},
            **{"limit": {"seconds": 60.0, "memory": "2GiB"}, "tolerance": 1e-6},
        }
    )
    environment: Mapping[str, Any] = field(
        default_factory=lambda: {"machine": {"processor": "P_1"}, "versions": {"numpy": "2"}}
    )
    n_not_run: int = 0


def fact(name: str, **changes: Any) -> dict[str, Any]:
    gamma, radius, verdict = DATA[name]
    return {
        **{"data": name, "prepare": "raw", "features": None, "fold": None, "n_samples": 100, "n_features": 4},
        **{"data_sha256": f"sha-{name}", "radius": radius, "verdict": verdict, "seconds": 0.5},
        **{"gamma_lower": gamma or 0.0, "gamma_upper": gamma or 0.0, **changes},
    }


def record(data: str, method: str, **changes: Any) -> dict[str, Any]:
    """Return a record with the fields that differ from those of an uneventful run."""
    facts = {name: value for name, value in fact(data).items() if name != "seconds"}
    share = changes.get("share")
    margin = changes.get("margin", None if share is None else share * facts["gamma_upper"])
    n_errors = None if margin is None else int(margin <= 0)
    return {
        **facts,
        **{"question": "hard margin" if changes.get("n_mistakes") is None else "online", "cell": f"{data}-{method}"},
        **{"method": method, "version": f"{method} 1.0", "params": {}, "order": "given"},
        **{"seed": 0, "status": "ok", "message": "", "exit_code": None, "claim": None, "claim_true": None, "w": None},
        **{"b": None, "margin": margin, "share": None, "n_errors": n_errors, "n_mistakes": None, "n_updates": None},
        **{"bounds": {}, "objective": None, "objective_lower": None, "suboptimality": None, "held_out_errors": None},
        **{"seconds": 0.1, "times_ours": 1.0, "passes": 3.0, "peak_mib": 80.0, "jobs": 1, "capped": False, **changes},
    }


def comparison(*records: Mapping[str, Any], **changes: Any) -> Made:
    """Return a comparison of these records, with the facts on their data."""
    names = [name for name in DATA if name in {entry["data"] for entry in records}]
    return Made(**({"records": records, "data": tuple(fact(name) for name in names)} | changes))
