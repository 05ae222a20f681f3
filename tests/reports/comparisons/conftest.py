"""Records of comparisons with known answers, made without running a method."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

DATA = {
    "easy": (1.0, 2.0, "separable"),
    "hard": (0.01, 2.0, "separable"),
    "wide": (0.1, 5.0, "separable"),
    "mixed": (None, 3.0, "overlap"),
}
"""The maximum margin (None: there is none), the radius and the verdict of each data set."""


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


def make_record(data: str, method: str, **changes: Any) -> dict[str, Any]:
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


@pytest.fixture
def record() -> Callable[..., dict[str, Any]]:
    """A record: data, method, and the fields that differ from those of an uneventful run."""
    return make_record


@pytest.fixture
def comparison() -> Callable[..., Made]:
    """A comparison of these records, with the facts on their data."""

    def made(*records: Mapping[str, Any], **changes: Any) -> Made:
        names = [name for name in DATA if name in {r["data"] for r in records}]
        return Made(**({"records": records, "data": tuple(fact(name) for name in names)} | changes))

    return made


@pytest.fixture
def study() -> Made:
    """Two solvers and two online algorithms on four data sets, with every kind of failure and a false claim."""
    records = []
    for name in DATA:
        share = None if name == "mixed" else 1.0
        claim = "not separable" if name == "mixed" else "maximum margin"
        records.append(make_record(name, "ours", share=share, claim=claim, claim_true=True, seconds=0.01))
        is_wrong = name == "hard"
        records.append(
            make_record(
                name, "cvxpy", params={"solver": "CLARABEL"}, share=share and (0.5 if is_wrong else 1.0), claim=claim,
                claim_true=not is_wrong, seconds=0.1, times_ours=10.0, message="optimal",
            )
        )  # fmt: skip
        for seed, factor in ((0, 1), (1, 4)):
            gamma, radius, _ = DATA[name]
            mistakes = 10_000 if gamma is None else round(factor * (radius / gamma) ** 2 / 16)
            bound = {} if gamma is None else {"novikoff": (radius / gamma) ** 2, "sum": 2 * (radius / gamma) ** 2}
            records.append(
                make_record(
                    name, "perceptron", seed=seed, n_mistakes=mistakes, share=share and 0.25, bounds=bound,
                    claim=share and "separates", claim_true=share and True, capped=gamma is None, seconds=0.02,
                )
            )  # fmt: skip
    records.append(make_record("easy", "minover", n_mistakes=5, share=0.9, bounds={"novikoff": 4.0}))
    records.append(make_record("hard", "minover", status="timeout", seconds=None, times_ours=None, message="60 s"))
    records.append(make_record("hard", "scs", status="error", seconds=None, times_ours=None, message="a | b"))
    records.append(make_record("easy", "mosek", status="not_installed", seconds=None, message="no module mosek"))
    return Made(records=tuple(records), data=tuple(map(fact, DATA)))
