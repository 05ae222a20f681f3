"""Shares of the maximum margin, and claims by kind."""

from typing import Any

from made_records import comparison, record

from maxmargin.reports.comparisons import paper_tables, reached_margins
from maxmargin.reports.comparisons.runs import Runs


def margins(comparison: Any) -> dict[str, dict[str, Any]]:
    return {entry["method"]: entry for entry in reached_margins.margin_fields(Runs(comparison))["methods"]}


def test_shares_by_hand() -> None:
    made = comparison(
        record("easy", "m", share=1.0), record("hard", "m", share=0.5), record("wide", "m", share=1 - 1e-7),
        record("mixed", "m", margin=-1.0), record("easy", "other", margin=-0.5),
    )  # fmt: skip
    entry = margins(made)["m"]
    assert (entry["n_data"], entry["n_separated"], entry["n_reached"]) == (3, 3, 2)
    assert (entry["median_share"], entry["least_share"]) == (1 - 1e-7, 0.5)
    other = margins(made)["other"]
    assert (other["n_data"], other["n_separated"], other["n_reached"], other["least_share"]) == (1, 0, 0, 0.0)


def test_the_worst_order_counts() -> None:
    made = comparison(record("easy", "m", seed=0, share=1.0), record("easy", "m", seed=1, margin=-1.0))
    entry = margins(made)["m"]
    assert (entry["n_data"], entry["n_separated"], entry["n_reached"], entry["least_share"]) == (1, 0, 0, 0.0)


def test_failures_do_not_separate() -> None:
    made = comparison(
        record("easy", "m", share=1.0), record("hard", "m", status="timeout"), record("easy", "dead", status="error"),
        record("easy", "absent", status="not_installed"),
    )  # fmt: skip
    assert margins(made)["m"]["n_separated"] == 1 and margins(made)["m"]["least_share"] == 0.0
    assert margins(made)["dead"]["n_separated"] == 0
    assert "absent" not in margins(made)


def test_a_method_that_only_decides_has_no_margins() -> None:
    entry = margins(comparison(record("easy", "lp", question="separation", claim="separable", claim_true=True)))["lp"]
    assert entry["n_separated"] is entry["least_share"] is None
    assert entry["question"] == "separation"


def test_parameters_are_told_apart() -> None:
    made = comparison(*(record("easy", "svm", params={"C": C}, share=share) for C, share in ((1.0, 0.2), (1e10, 1.0))))
    assert {name: entry["n_reached"] for name, entry in margins(made).items()} == {"svm(C=1)": 0, "svm(C=1e+10)": 1}


def test_a_share_below_1_is_never_shown_as_the_whole() -> None:
    fields = reached_margins.margin_fields(Runs(comparison(record("easy", "m", share=1 - 1e-12))))
    (table,) = reached_margins.margin_blocks(fields)
    assert "100 %" not in table.rows[0]


def test_claims_add_up(study: Any) -> None:
    runs = Runs(study)
    entries = reached_margins.claim_fields(runs)
    assert sum(entry["n"] for entry in entries) == sum(len(method.records) for method in runs.methods)
    claimed = [entry for entry in entries if entry["claim"] is not None]
    assert all(entry["n"] == entry["n_true"] + entry["n_false"] + entry["n_undecided"] for entry in claimed)
    assert sum(entry["n_false"] for entry in claimed) == 1


def test_data_without_a_maximum_margin() -> None:
    (block,) = reached_margins.margin_blocks(reached_margins.margin_fields(Runs(comparison(record("mixed", "m")))))
    assert "no maximum margin" in block.text


def test_what_a_user_holds_counts_whatever_was_claimed() -> None:
    """A margin of 98 % without a claim, an error on separable data; a perceptron is not asked for a margin."""
    made = comparison(
        record("easy", "near", share=0.98, claim=None), record("hard", "near", share=0.995), record("mixed", "near"),
        record("easy", "errs", margin=-1.0, question="separation"),
        record("hard", "errs", share=0.1, question="separation"),
        record("easy", "zero", margin=None, share=None, n_errors=4), record("easy", "none", margin=None, n_errors=None),
    )  # fmt: skip
    found = {name: entry["n_wrong_in_effect"] for name, entry in margins(made).items()}
    assert found == {"near": 1, "errs": 1, "zero": 1, "none": None}


def test_the_tables_of_a_paper() -> None:
    made = comparison(
        *(record("easy", "m", seed=k, share=(1, 0.5, 0.8)[k], seconds=k + 1.0, capped=k == 2) for k in range(3)),
        record("mixed", "m"), record("easy", "dead", status="error"),
    )  # fmt: skip
    found = paper_tables.fields(Runs(made), times=True)
    (easy, mixed) = found["data"]
    m = found["methods"].index("m")
    cells = {name: row[m] for name, row in easy["measures"].items()}
    share, seconds = cells["share of γ*"], cells["seconds"]
    assert (share["median"], share["least"], share["most"], share["n"], share["n_runs"]) == (0.8, 0.5, 1.0, 3, 3)
    assert (seconds["median"], seconds["n"], seconds["n_runs"]) == (1.5, 2, 3)
    assert mixed["measures"]["share of γ*"][m]["median"] is None
    _, table, *_ = paper_tables.blocks(found)
    assert table.rows[0][2:] == ("—", "80 % (50 % to 100 %)") and table.rows[1][1:] == ("0", "—", "—")
    assert "seconds" not in str(paper_tables.fields(Runs(made), times=False))
