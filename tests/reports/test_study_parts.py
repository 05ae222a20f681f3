"""The parts of a study: the fewest errors, the time of each part, and who solves soft margins."""

from typing import Any

import numpy as np
import pytest

import maxmargin as mm
from maxmargin.reports.margin_report import report_with
from maxmargin.reports.study.parts.soft_margin_part import soft_points
from maxmargin.reports.study.report_settings import ReportSettings, ReportSizes
from maxmargin.reports.study.two_class_study import TwoClassStudy
from maxmargin.solvers.fewest_errors.minimum import fewest_errors

PARTS = (
    *("verdict", "run", "hard_margin", "soft_margin", "fewest_errors", "bounds", "centred", "standardized", "orders"),
)


def study_of(dataset: mm.Dataset, **options: Any) -> TwoClassStudy:
    found = report_with(dataset, ReportSettings(Cs=(1.0,), **{"orders": 0, "max_mistakes": 200, **options})).study
    assert isinstance(found, TwoClassStudy)
    return found


def cloud(n: int = 60, shift: float = 0.3) -> mm.Dataset:
    y = np.repeat([-1, 1], n // 2)
    return mm.from_arrays(np.random.default_rng(2).normal(size=(n, 3)) + shift * y[:, None], y)


def test_the_fewest_errors_of_small_data_are_proven() -> None:
    iris = mm.load("iris")
    for dataset, fewest in ((mm.load("xor"), 1), (iris.pair("versicolor", "virginica"), 1)):
        study = study_of(dataset)
        assert study.errors is not None and study.why_no_errors == ""
        assert (study.errors.lower, study.errors.upper) == (fewest, fewest)
        assert study.errors.positive == dataset.positive


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("error_steps", [1, 10_000_000, 100_000_000])
def test_a_limit_of_steps_gives_the_same_interval_each_time(error_steps: int) -> None:
    first, second = (study_of(cloud(), sizes=ReportSizes(error_steps=error_steps)).errors for _ in range(2))
    assert (first.lower, first.upper) == (second.lower, second.upper)
    assert first.error_rows.tolist() == second.error_rows.tolist()
    whole = fewest_errors(study_of(cloud()).problem)
    assert whole.is_optimal and first.lower <= whole.upper <= first.upper
    assert first.is_optimal or "most_steps" in first.reason


@pytest.mark.parametrize("dataset, sizes, reason", [
    (mm.load("agresti"), ReportSizes(), "strictly separable"),
    (cloud(), ReportSizes(error_numbers=100), "hold 180 numbers"),
])  # fmt: skip
def test_why_no_errors_are_searched(dataset: mm.Dataset, sizes: ReportSizes, reason: str) -> None:
    study = study_of(dataset, sizes=sizes)
    assert study.errors is None and reason in study.why_no_errors


@pytest.mark.parametrize("dataset", [mm.load("agresti"), mm.load("xor")])
def test_every_part_has_its_seconds(dataset: mm.Dataset) -> None:
    seconds = study_of(dataset, orders=5).seconds
    assert tuple(seconds) == PARTS and all(value >= 0 for value in seconds.values())


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(("most_numbers", "n_asked"), [(None, 5), (10**6, 5), (400, 2), (1, 1)])
def test_cvxpy_solves_as_many_soft_margins_as_asked(most_numbers: int | None, n_asked: int) -> None:
    problem, grid = study_of(cloud()).problem, (1e-2, 1e-1, 1.0, 10.0, 100.0)
    points = soft_points(problem, grid, textbook_numbers=most_numbers)
    asked = soft_points(problem, grid)
    of_cvxpy = [any(run.solver in ("CLARABEL", "OSQP") for run in found.solution.attempts) for found in points]
    assert sum(of_cvxpy) == n_asked
    assert [found.solution.C for found in points] == list(grid)
    for found, other in zip(points, asked, strict=True):
        assert found.solution.objective == pytest.approx(other.solution.objective, rel=1e-6)
