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


def test_the_mean_is_over_the_instances_that_all_methods_finished() -> None:
    made = comparison(
        record("easy", "m", seconds=1.0, times_ours=2.0), record("easy", "n", seconds=3.0),
        record("hard", "m", status="timeout", seconds=None, times_ours=None), record("hard", "n", seconds=5.0),
        record("wide", "m", seconds=9.0), record("wide", "n", capped=True, times_ours=5.0),
        record("mixed", "m", status="error"), record("mixed", "n", seconds=7.0),
        record("easy", "never", status="timeout", seconds=60.0),
    )  # fmt: skip
    found = timings.fields(Runs(made), shift=0.0)
    m, n, never = found["methods"]
    assert (m["mean_seconds"], n["mean_seconds"], never["mean_seconds"]) == (
        pytest.approx(1.0),
        pytest.approx(3.0),
        None,
    )
    counts = [tuple(entry[name] for name in ("n_runs", "n_finished", "n_in_mean")) for entry in (m, n, never)]
    assert counts == [(4, 2, 1), (4, 3, 1), (1, 0, 0)]
    assert m["times_ours"] == pytest.approx(2.0) and m["failures"] == {"error": 1, "timeout": 1}
    (table,) = timings.blocks(found)
    assert table.rows[2][table.columns.index("Mean (s)")] == "—" and "finished" in table.note


@pytest.mark.parametrize("where", ["settings", "record"])
def test_ratios_need_one_job(where: str) -> None:
    records = [record("easy", "m", times_ours=2.0), record("hard", "m", times_ours=8.0)]
    assert only(comparison(*records))["times_ours"] == pytest.approx(4.0)
    records[0]["jobs"] = 2 if where == "record" else 1
    made = comparison(*records, settings={"jobs": 2} if where == "settings" else {})
    assert only(made)["times_ours"] is None
    (table,) = timings.blocks(timings.fields(Runs(made)))
    assert "Times ours" not in table.columns and "not given" in table.note
