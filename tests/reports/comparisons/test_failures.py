"""What failed and what is false is said first, and completely."""

from typing import Any

import pytest
from made_records import comparison, record

from maxmargin.reports.comparisons import comparison_report, failures
from maxmargin.reports.comparisons.runs import Runs


def found(comparison: Any) -> dict[str, Any]:
    return failures.fields(Runs(comparison))


def test_every_status_is_listed_by_method() -> None:
    statuses = ("timeout", "memory", "crashed", "error", "invalid", "not_installed")
    records = [record(data, "m", status=status, message=f"it was {status}") for status in statuses for data in
               ("easy", "hard")]  # fmt: skip
    entries = found(comparison(*records, record("easy", "ours")))["failures"]
    assert sorted(entry["status"] for entry in entries) == sorted(statuses)
    assert all(entry["n"] == 2 and entry["data"] == ["easy", "hard"] for entry in entries)
    assert {entry["messages"][0] for entry in entries} == {f"it was {status}" for status in statuses}


def test_the_sentence_where_nothing_failed() -> None:
    made = comparison(record("easy", "ours", claim="separable", claim_true=True))
    assert failures.sentences(found(made)) == ("0 of 1 runs failed, and no claim is proven to be false.",)
    assert len(failures.blocks(found(made))) == 1 and failures.is_clean(found(made))


def test_cells_that_were_not_run_are_no_clean_comparison() -> None:
    made = comparison(record("easy", "ours"), n_not_run=3)
    assert "3 runs of the study have no record yet" in failures.sentences(found(made))[1]
    assert not failures.is_clean(found(made))


CLAIMS = [
    ("maximum margin", {"share": 0.25}, "separable, γ* = 0.01", "margin is 25 % of γ*"),
    ("maximum margin", {"share": 0.9999999}, "separable, γ* = 0.01", "margin is 99.99999 % of γ*"),
    ("separates", {"n_errors": 2, "margin": -1.0}, "separable, γ* = 0.01", "2 rows not strictly on the right side"),
    ("not separable", {}, "separable, γ* = 0.01", "—"),
    (
        "optimal", {"objective": 3.0, "objective_lower": 2.0, "suboptimality": 0.5},
        "objective 3, optimum 2", "50 % off the optimum",
    ),
    (
        "optimal", {"objective": 300.0, "objective_lower": 2.0, "objective_of": {"C": 1e6, "dual": 1.99}},
        "dual value 1.99, optimum 2", "0.5 % off the optimum",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "changes", "proven", "off"), CLAIMS)
def test_a_false_claim_says_how_far_off_it_is(claim: str, changes: dict[str, Any], proven: str, off: str) -> None:
    (entry,) = found(comparison(record("hard", "m", claim=claim, claim_true=False, **changes)))["false_claims"]
    assert (entry["claim"], entry["proven"], entry["off"]) == (claim, proven, off)


def test_a_claim_about_inseparable_data() -> None:
    (entry,) = found(comparison(record("mixed", "m", claim="maximum margin", claim_true=False)))["false_claims"]
    assert entry["proven"] == "overlap"


def test_false_claims_of_several_orders_are_one_row_with_the_worst() -> None:
    false: dict[str, Any] = {"claim": "maximum margin", "claim_true": False}
    said = ("optimal", "optimal; UserWarning: hm", None)
    records = [
        record("hard", "m", seed=seed, share=share, message=message, **false)
        for seed, (share, message) in enumerate(zip((0.995, 0.1, 0.9), said, strict=True))
    ]
    result = found(comparison(*records))
    (entry,) = result["false_claims"]
    assert (result["n_false"], entry["n"], entry["n_warned"], entry["share"]) == (3, 3, 1, 0.1)
    assert (
        "3 claims are proven to be false. 2 runs are wrong in effect, 2 of them with a false claim."
        in (failures.sentences(result)[0])
    )


@pytest.mark.slow
def test_no_false_claim_is_left_out() -> None:
    records = [record("hard", f"m{i}", claim="separates", claim_true=False) for i in range(300)]
    table = next(t for t in comparison_report(comparison(*records)).tables if t.caption == "Claims that are false")
    assert {row[1] for row in table.rows} == {f"m{i}" for i in range(300)}
