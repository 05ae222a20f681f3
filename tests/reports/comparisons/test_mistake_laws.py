"""Exponents of mistakes, ratios to bounds, and what is in no fit."""

from typing import Any

import pytest
from made_records import comparison, record

from maxmargin.reports.comparisons import mistake_laws
from maxmargin.reports.comparisons.runs import Runs


def law(comparison: Any) -> mistake_laws.MistakeLaw:
    (found,) = mistake_laws.laws_of(Runs(comparison))
    return found


def squares(**changes: Any) -> list[dict[str, Any]]:
    """Mistakes that are the square of R/gamma exactly."""
    return [
        record("easy", "m", n_mistakes=4, **changes), record("hard", "m", n_mistakes=40_000, **changes),
        record("wide", "m", n_mistakes=2_500, **changes),
    ]  # fmt: skip


def test_novikoffs_exponent_is_found() -> None:
    found = law(comparison(*squares(), record("mixed", "m", n_mistakes=7, capped=True)))
    assert found.exponent.value == pytest.approx(2.0, abs=1e-12) and found.exponent.n == 3


def test_a_data_set_is_one_point_with_the_geometric_mean() -> None:
    records = [*squares(), record("easy", "m", seed=1, n_mistakes=16)]
    (point,) = (point for point in law(comparison(*records)).points if point.data == "easy")
    assert point.mistakes == pytest.approx(8.0) and point.n_runs == 2
    assert point.difficulty == 2.0


def test_folds_are_no_independent_points() -> None:
    records = [r | {"fold": fold} for r in squares() for fold in range(5)]
    assert law(comparison(*records)).exponent.n == 3


@pytest.mark.parametrize("changes", [{"capped": True}, {"status": "timeout", "n_mistakes": None}])
def test_stopped_runs_are_in_no_fit_and_counted(changes: dict[str, Any]) -> None:
    records = [*squares(), record("easy", "m", **({"seed": 1, "n_mistakes": 9} | changes))]
    found = law(comparison(*records))
    assert found.exponent.n == 2 and found.exponent.value is None and "fewer" in found.exponent.reason
    assert found.n_stopped == 1
    assert [point.data for point in found.points if point.is_lower_bound] == ["easy"]


def test_no_mistakes_are_said() -> None:
    made = comparison(*squares(), record("easy", "m", seed=1, n_mistakes=0))
    found = law(made)
    assert found.n_without_mistakes == 1 and found.exponent.n == 2
    runs = Runs(made)
    texts = " ".join(str(block) for block in mistake_laws.blocks(mistake_laws.fields(runs, (found,))))
    assert "1 pair of a method and a data set with a run of 0 mistakes" in texts


def test_equal_difficulties_have_no_exponent() -> None:
    records = [r | {"radius": 1.0, "gamma_lower": 0.5} for r in squares()]
    assert "same" in law(comparison(*records)).exponent.reason


def test_ratios_are_to_the_smallest_bound() -> None:
    made = comparison(
        record("easy", "m", n_mistakes=2, bounds={"a": 8.0, "b": 4.0, "c": None}),
        record("hard", "m", n_mistakes=9, bounds={"a": 3.0}),
        record("wide", "m", n_mistakes=9),
    )
    (entry,) = mistake_laws.fields(Runs(made), ())["ratios"]
    assert (entry["n"], entry["largest"], entry["median"], entry["n_above"]) == (2, 3.0, 1.75, 1)
    assert entry["bounds"] == ["a", "b"]


def test_a_margin_too_small_for_its_square_is_left_out() -> None:
    records = [*squares(), record("mixed", "m", n_mistakes=1, verdict="separable", gamma_lower=1e-300)]
    assert len(law(comparison(*records)).points) == 3
