"""Records of comparisons with known answers as fixtures."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from made_records import DATA, Made, fact, make_record


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


@pytest.fixture(scope="session")
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
