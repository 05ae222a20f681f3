"""Times to a separating hyperplane: which runs count, and where a solver overtakes."""

from typing import Any

import made_records
import pytest

from maxmargin.reports.comparisons import margin_times
from maxmargin.reports.comparisons.research_report import comparison_report
from maxmargin.reports.comparisons.runs import Runs

QUESTIONS = {"perceptron": "online", "lp": "separation"}


def record(k: int, method: str, time: float, **changes: Any) -> dict[str, Any]:
    gamma = 10.0**-k
    facts = {"gamma_lower": gamma, "gamma_upper": gamma, "radius": 1.0, "margin": gamma / 2}
    run = {"share": 0.5, "n_errors": 0, "claim": "separates", "claim_true": True, "w": [1.0], "seconds": time}
    run["n_mistakes"] = 10**k if method == "perceptron" else None
    return made_records.record("easy", method, **{**facts, **run, **changes}) | {"data": f"data-{k}"}


def comparison(*records: dict[str, Any]) -> made_records.Made:
    return made_records.Made(records=records, settings={"questions": QUESTIONS, "jobs": 1, "limit": {"seconds": 60.0}})


def times(*records: dict[str, Any]) -> tuple[margin_times.MethodTimes, ...]:
    return margin_times.times_of_methods(Runs(comparison(*records)))


def test_points_go_from_the_widest_margin_to_the_narrowest() -> None:
    (found,) = times(*(record(k, "perceptron", 1e-6 * 10.0 ** (2 * k)) for k in (3, 1, 4, 2)))
    assert [point.difficulty for point in found.points] == pytest.approx([10.0, 100.0, 1000.0, 10000.0])
    assert [point.mistakes for point in found.points] == [10, 100, 1000, 10000]


def test_the_solver_overtakes_where_it_is_faster() -> None:
    records = [each for k in (1, 2, 3) for each in (record(k, "perceptron", 1e-4 * 100.0**k), record(k, "lp", 0.02))]
    found = margin_times.fields(times(*records))
    assert [race["data"] for race in found["races"]] == ["data-1", "data-2", "data-3"]
    _, table = margin_times.blocks(found)
    assert [row[-1] for row in table.rows] == ["online", "solver", "solver"]


NO_TIME = ({"status": "timeout", "seconds": None}, {"capped": True}, {"seconds": None})


@pytest.mark.parametrize("changes", [*NO_TIME, {"margin": -1.0, "n_errors": 1, "share": None}])
def test_runs_that_do_not_separate_in_time_are_no_points(changes: dict[str, Any]) -> None:
    found = times(record(1, "perceptron", 1.0), record(2, "perceptron", 1.0, **changes))
    assert [[point.data for point in method.points] for method in found] == [["data-1"]]


def test_without_online_methods_or_times_there_is_no_such_section() -> None:
    only = comparison(*(record(k, "lp", 1.0) for k in (1, 2)))
    both = comparison(*only.records, record(1, "perceptron", 1.0))
    heading = f"## {margin_times.TITLE}"
    assert heading not in comparison_report(only).to_markdown()
    assert heading in comparison_report(both).to_markdown()
    assert heading not in comparison_report(both).to_markdown(times=False)
    assert margin_times.FIGURE in comparison_report(both).pictures()
    assert margin_times.FIGURE not in comparison_report(both).pictures(times=False)
