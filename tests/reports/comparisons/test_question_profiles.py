"""Profiles of methods: what counts as solved, which instances are shared, and who is compared with whom."""

import math
from typing import Any

import pytest
from made_records import comparison, record

from maxmargin.reports.comparisons.question_profiles import QuestionProfile, is_solved, profiles_of
from maxmargin.reports.comparisons.runs import Runs

ONLINE = {"n_mistakes": 3}


def profile(comparison: Any, kind: str, question: str) -> QuestionProfile:
    (found,) = (p for p in profiles_of(Runs(comparison)) if (p.kind, p.question) == (kind, question))
    return found


def test_times_by_hand() -> None:
    made = comparison(
        record("easy", "a", seconds=1.0, share=1.0), record("easy", "b", seconds=3.0, share=1.0),
        record("hard", "a", seconds=8.0, share=1.0), record("hard", "b", seconds=2.0, share=1.0),
        record("wide", "a", seconds=1.0, share=1.0), record("wide", "b", status="timeout"),
    )  # fmt: skip
    found = profile(made, "time", "hard margin")
    assert found.labels == ("a", "b")
    assert sorted(found.ratios.tolist()) == [[1.0, 3.0], [4.0, 1.0]]
    assert (found.n_finished, found.n_left_out) == ((3, 2), 1)  # one did not finish "wide"


def test_margins_are_measured_against_the_proven_maximum() -> None:
    made = comparison(
        record("easy", "a", share=0.5, **ONLINE), record("easy", "b", share=0.25, **ONLINE),
        record("hard", "a", margin=-1.0, **ONLINE), record("hard", "b", share=1 - 1e-9, **ONLINE),
        record("mixed", "a", margin=-1.0, **ONLINE), record("mixed", "b", margin=-1.0, **ONLINE),
    )  # fmt: skip
    found = profile(made, "margin", "online")
    assert sorted(found.ratios.tolist()) == [[2.0, 4.0], [math.inf, 1.0]]


@pytest.mark.parametrize("question, changes, is_right", [
    ("hard margin", {"share": 1.0}, True), ("hard margin", {"share": 0.9}, False),
    ("hard margin", {"share": 1.0, "claim_true": False}, False), ("hard margin", {"share": 1.0, "capped": True}, False),
    ("hard margin", {"share": 1.0, "status": "error"}, False), ("online", {"share": 0.1}, True),
    ("online", {"margin": -0.1}, False), ("soft margin", {"suboptimality": 1e-9}, True),
    ("soft margin", {"suboptimality": 1e-3}, False), ("separation", {"claim": "separable", "claim_true": True}, True),
    ("separation", {"claim": None}, False), ("soft margin", {"suboptimality": None}, False),
    ("logistic", {"claim": None}, False), ("logistic", {"w": [1.0]}, True),
])  # fmt: skip
def test_what_counts_as_solved(question: str, changes: dict[str, Any], is_right: bool) -> None:
    assert is_solved(record("easy", "m", **changes), question, 1e-6) is is_right


def test_instances_that_a_method_was_not_run_on_are_left_out_and_counted() -> None:
    made = comparison(record("easy", "a", share=1.0), record("easy", "b", share=1.0), record("hard", "a", share=1.0))
    found = profile(made, "time", "hard margin")
    assert (len(found.ratios), found.n_left_out) == (1, 1)


def test_a_run_without_a_seed_stands_for_all_seeds() -> None:
    runs = [record("easy", "a", seed=seed, seconds=2.0**seed, share=1.0) for seed in range(3)]
    found = profile(comparison(*runs, record("easy", "b", seed=None, seconds=1.0, share=1.0)), "time", "hard margin")
    assert sorted(found.ratios.tolist()) == [[1.0, 1.0], [2.0, 1.0], [4.0, 1.0]]


def test_only_methods_of_one_question_are_compared(study: Any) -> None:
    by_question = {p.question: p.labels for p in profiles_of(Runs(study)) if p.kind == "time"}
    assert by_question["online"] == ("minover", "perceptron")
    assert "ours" in by_question["hard margin"]


def test_the_settings_may_name_the_questions() -> None:
    made = comparison(record("easy", "a"), settings={"questions": {"a": "logistic"}})
    assert [method.question for method in Runs(made).methods] == ["logistic"]


def test_a_run_of_zero_seconds_does_not_win_by_infinity() -> None:
    made = comparison(record("easy", "a", seconds=0.0, share=1.0), record("easy", "b", seconds=1.0, share=1.0))
    assert math.isfinite(profile(made, "time", "hard margin").ratios.max())
