"""Records of comparisons with known answers as fixtures."""

import pytest
from made_records import DATA, Made, fact, record


@pytest.fixture(scope="session")
def study() -> Made:
    """Two solvers and two online algorithms on four data sets, with every kind of failure and a false claim."""
    records = []
    for name in DATA:
        share = None if name == "mixed" else 1.0
        claim = "not separable" if name == "mixed" else "maximum margin"
        records.append(record(name, "ours", share=share, claim=claim, claim_true=True, seconds=0.01))
        is_wrong = name == "hard"
        run = {"params": {"solver": "CLARABEL"}, "seconds": 0.1, "times_ours": 10.0, "message": "optimal"}
        run |= {"share": share and (0.5 if is_wrong else 1.0), "claim": claim, "claim_true": not is_wrong}
        records.append(record(name, "cvxpy", **run))
        for seed, factor in ((0, 1), (1, 4)):
            gamma, radius, _ = DATA[name]
            mistakes = 10_000 if gamma is None else round(factor * (radius / gamma) ** 2 / 16)
            bound = {} if gamma is None else {"novikoff": (radius / gamma) ** 2, "sum": 2 * (radius / gamma) ** 2}
            run = {"seed": seed, "n_mistakes": mistakes, "bounds": bound, "capped": gamma is None, "seconds": 0.02}
            run |= {"share": share and 0.25, "claim": share and "separates", "claim_true": share and True}
            records.append(record(name, "perceptron", **run))
    records.append(record("easy", "minover", n_mistakes=5, share=0.9, bounds={"novikoff": 4.0}))
    records.append(record("hard", "minover", status="timeout", seconds=None, times_ours=None, message="60 s"))
    records.append(record("hard", "scs", status="error", seconds=None, times_ours=None, message="a | b"))
    records.append(record("easy", "mosek", status="not_installed", seconds=None, message="no module mosek"))
    return Made(records=tuple(records), data=tuple(map(fact, DATA)))
