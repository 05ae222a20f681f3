"""Times: limits are said, ratios need the machine for themselves."""

from typing import Any

import pytest
from made_records import comparison, record

from maxmargin.reports.comparisons import timings
from maxmargin.reports.comparisons.runs import Runs


def only(comparison: Any, **options: Any) -> dict[str, Any]:
    (entry,) = timings.fields(Runs(comparison), **options)["methods"]
    return dict(entry)


def test_the_mean_by_hand() -> None:
    made = comparison(record("easy", "m", seconds=1.0), record("hard", "m", seconds=4.0))
    assert only(made, shift=0.0)["mean_seconds"] == pytest.approx(2.0)
    assert only(made)["mean_seconds"] == pytest.approx((1.01 * 4.01) ** 0.5 - 0.01)


def test_runs_at_the_limit_are_counted_with_it() -> None:
    made = comparison(
        record("easy", "m", seconds=1.0), record("hard", "m", status="timeout", seconds=None, times_ours=None),
        record("wide", "m", capped=True, times_ours=5.0), record("mixed", "m", status="error"),
    )  # fmt: skip
    entry = only(made, shift=0.0)
    assert entry["mean_seconds"] == pytest.approx((1 * 60 * 60) ** (1 / 3))
    assert (entry["n_runs"], entry["n_in_mean"], entry["n_at_limit"]) == (4, 3, 2)
    assert entry["failures"] == {"capped": 1, "error": 1, "timeout": 1}
    (table,) = timings.blocks(timings.fields(Runs(made)))
    assert table.rows[0][table.columns.index("Mean (s)")].endswith(" †")  # a capped run may have needed less
    assert "60 s, the limit of time" in table.note


def test_a_mean_is_a_lower_bound_if_all_stopped_runs_ran_out_of_time() -> None:
    late = record("hard", "m", status="timeout", seconds=None, times_ours=None)
    records = [record("easy", "m", seconds=1.0), late, record("hard", "ours", seconds=0.5, times_ours=1.0)]
    (table,) = timings.blocks(timings.fields(Runs(comparison(*records))))
    assert all(table.rows[0][table.columns.index(name)].startswith("≥ ") for name in ("Mean (s)", "Times ours"))


def test_a_stopped_run_is_in_the_ratio_with_the_limit() -> None:
    made = comparison(
        record("easy", "m", seconds=8.0, times_ours=4.0), record("hard", "m", status="timeout", times_ours=None),
        record("hard", "ours", seconds=0.5, times_ours=1.0),
    )  # fmt: skip
    entries = {entry["method"]: entry for entry in timings.fields(Runs(made))["methods"]}
    assert entries["m"]["times_ours"] == pytest.approx((4 * 60 / 0.5) ** 0.5)
    assert entries["m"]["is_ratio_lower_bound"] and not entries["ours"]["is_ratio_lower_bound"]


@pytest.mark.parametrize("where", ["settings", "record"])
def test_ratios_need_one_job(where: str) -> None:
    records = [record("easy", "m", times_ours=2.0), record("hard", "m", times_ours=8.0)]
    assert only(comparison(*records))["times_ours"] == pytest.approx(4.0)
    records[0]["jobs"] = 2 if where == "record" else 1
    made = comparison(*records, settings={"jobs": 2} if where == "settings" else {})
    assert only(made)["times_ours"] is None
    (table,) = timings.blocks(timings.fields(Runs(made)))
    assert "Times ours" not in table.columns and "not given" in table.note
