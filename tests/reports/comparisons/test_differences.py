"""Changes since an old run: cells are matched by what they are."""

from dataclasses import replace
from typing import Any

import pytest
from made_records import comparison, record

from maxmargin.reports.comparisons import comparison_report, differences
from maxmargin.reports.comparisons.runs import Runs


def changes(old: Any, new: Any, *, times: bool = True) -> dict[str, Any]:
    return differences.fields(Runs(old), Runs(new), times=times)


def with_changes(study: Any, **fields: Any) -> Any:
    """The study with these fields of its first record."""
    return replace(study, records=({**study.records[0], **fields}, *study.records[1:]))


def test_the_same_run_has_no_changes_whatever_the_hashes(study: Any) -> None:
    new = replace(study, records=tuple({**r, "cell": f"other {r['cell']}"} for r in reversed(study.records)))
    found = changes(study, new)
    assert not (found["added"] or found["removed"] or found["changed"] or found["verdicts"] or found["versions"])
    assert found["n_matched"] == len(study.records)
    assert differences.sentence(found).startswith(f"All {len(study.records)} runs have the same status")


@pytest.mark.parametrize(
    ("field", "value"),
    [("status", "error"), ("claim_true", False), ("margin", 0.5), ("n_mistakes", 3), ("n_errors", 1)],
)
def test_each_field_that_matters_is_compared(field: str, value: Any, study: Any) -> None:
    (entry,) = changes(study, with_changes(study, **{field: value}))["changed"]
    assert (entry["field"], entry["old"], entry["new"]) == (field, study.records[0][field], value)


@pytest.mark.parametrize("field", ["data", "prepare", "features", "method", "params", "order", "seed", "fold"])
def test_another_cell_is_added_and_the_old_one_removed(field: str, study: Any) -> None:
    value: Any = {"C": 2.0} if field == "params" else 7 if field in ("seed", "fold") else "other"
    found = changes(study, with_changes(study, **{field: value}))
    assert len(found["added"]) == len(found["removed"]) == 1 and not found["changed"]


@pytest.mark.parametrize("old, new, sha, is_alarm", [
    ("separable", "overlap", "sha-easy", True), ("separable", "undecided", "sha-easy", False),
    ("undecided", "separable", "sha-easy", False), ("separable", "overlap", "another", False),
])  # fmt: skip
def test_a_contradiction_of_verdicts_is_an_alarm(old: str, new: str, sha: str, is_alarm: bool, study: Any) -> None:
    before, after = ({**study.data[0], "verdict": verdict} for verdict in (old, new))
    after["data_sha256"] = sha
    found = changes(*(replace(study, data=(facts, *study.data[1:])) for facts in (before, after)))
    (entry,) = found["verdicts"]
    assert entry["is_alarm"] is is_alarm
    assert differences.sentence(found).startswith("ALARM") is is_alarm


def test_time_ratios_by_hand() -> None:
    old = comparison(record("easy", "m", seconds=1.0), record("hard", "m", seconds=1.0), record("wide", "m"))
    late = record("wide", "m", status="timeout")
    new = comparison(record("easy", "m", seconds=2.0), record("hard", "m", seconds=8.0), late)
    (entry,) = changes(old, new)["times"]
    assert (entry["n"], entry["ratio"]) == (2, pytest.approx(4.0))
    assert "times" not in changes(old, new, times=False)


def test_times_are_compared_only_where_each_run_was_alone() -> None:
    old, new = comparison(record("easy", "m")), comparison(record("easy", "m", jobs=2))
    found = changes(old, new)
    assert not found["is_timed"]
    assert any("not compared" in str(block) for block in differences.blocks(found))


def test_changes_come_right_after_the_failures(study: Any) -> None:
    page = comparison_report(study, old=with_changes(study, version="ours 0.9")).to_markdown()
    headings = [line[3:] for line in page.splitlines() if line.startswith("## ")]
    assert headings[:2] == ["Failures and false claims", "Changes since the old run"]
    assert "ours 0.9" in page
