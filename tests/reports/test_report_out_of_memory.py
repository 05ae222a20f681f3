"""Reports on data outside memory: the same numbers as in memory, from passes over the rows."""

import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from commands import json_answer, refusal
from table_files import array_file, table_file

import maxmargin as mm
from maxmargin.api.measures import distances_of
from maxmargin.cli.app import run
from maxmargin.data.batches import MemoryBudget
from maxmargin.data.dataset import problem_of
from maxmargin.data.stores.outside_memory import Derived
from maxmargin.reports.captioned.row_displays import hyperplane_display
from maxmargin.reports.study.drawn_rows import drawn_rows_of
from maxmargin.reports.study.parts.centred_part import about_the_mean, centred, column_means
from maxmargin.reports.study.parts.soft_margin_part import default_grid
from maxmargin.reports.study.report_settings import ReportSettings
from maxmargin.reports.study.two_class_parts import study_two_classes
from maxmargin.reports.study.two_class_study import TwoClassStudy, prepared_problem
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.problem.problem import Problem, radius
from maxmargin.theory.context import augmented

Data = tuple[np.ndarray, np.ndarray]

N, D = 2500, 3

# Fields that tell how an answer was found, or how it was rounded.
HOW_FOUND = {
    "engine", "attempts", "unknown", "versions", "source", "gap", "relative_width", "primal_residual", "dual_residual",
    "in_memory", "certificate", "functional_margin", "multiplier", "reason", "certificate_reason", "seconds",
}  # fmt: skip


# Small files count as large, and are read in chunks of a few rows.
SMALL = replace(MemoryBudget.of("1MiB"), in_memory_bytes=0, chunk_row_limit=611)


def separable() -> Data:
    X = np.random.default_rng(5).uniform(-1, 1, (N, D)) + np.array([3, 0, -1])
    side = X @ [1.0, 2.0, -1.0] > 4.1
    return X + np.outer(np.where(side, 0.2, -0.2), [1.0, 2.0, -1.0]), side


def quasi_separable() -> Data:
    X = separable()[0][:300]
    X[:2] = [[3.0, 0.0, -1.0], [3.0, 0.0, -1.0]]
    return X, np.append([True, False], X[2:] @ [1.0, 2.0, -1.0] > 4.0)


def overlapping() -> Data:
    X, side = separable()
    side[::250] = ~side[::250]
    return X, side


def parquet(folder: Path, X: np.ndarray, side: np.ndarray) -> Path:
    columns = {**dict(zip("abc", X.T, strict=False)), "label": np.where(side, "yes", "no")}
    return table_file(folder / "data.parquet", pa.table(columns), row_group_size=700)


def npz(folder: Path, X: np.ndarray, side: np.ndarray) -> Path:
    names = list("abc"[: X.shape[1]])
    return array_file(folder / "data.npz", X, np.where(side, "yes", "no"), feature_names=names)


def both(folder: Path, data: Data) -> tuple[mm.Dataset, mm.Dataset]:
    """Return the data outside memory and in memory."""
    path = parquet(folder, *data)
    outside, inside = mm.load(path, memory=SMALL), mm.load(path)
    assert not outside.is_in_memory and inside.is_in_memory
    return outside, inside


Studies = dict[str, tuple[TwoClassStudy, TwoClassStudy]]


@pytest.fixture(scope="module")
def studies(tmp_path_factory: pytest.TempPathFactory) -> Studies:
    """Return the studies of the same data outside memory and in memory, by the kind of the data."""
    settings = ReportSettings(Cs=(0.01, 1.0), max_mistakes=2000, max_epochs=2000)
    kinds = ((parquet, separable), (npz, overlapping), (npz, quasi_separable))
    found = {}
    for write, data in kinds:
        path = write(tmp_path_factory.mktemp("data"), *data())
        found[data.__name__] = (
            study_two_classes(mm.load(path, memory=SMALL), settings),
            study_two_classes(mm.load(path), settings),
        )
    return found


def problem(dataset: mm.Dataset) -> Problem:
    return problem_of(dataset)


def differences(left: Any, right: Any, path: str = "") -> list[str]:
    """Return the fields in which two reports differ by more than rounding."""
    if isinstance(left, dict):
        keys = (left.keys() | right.keys()) - HOW_FOUND
        return [text for key in sorted(keys) for text in differences(left.get(key), right.get(key), f"{path}.{key}")]
    if isinstance(left, list) and isinstance(right, list) and len(left) == len(right):
        pairs = enumerate(zip(left, right, strict=True))
        return [text for k, (a, b) in pairs for text in differences(a, b, f"{path}[{k}]")]
    if isinstance(left, float) and isinstance(right, float | int):
        return [] if math.isclose(left, right, rel_tol=1e-4, abs_tol=1e-5) else [f"{path}: {left} {right}"]
    return [] if left == right else [f"{path}: {left} {right}"]


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["separable", "overlapping", "quasi_separable"])
def test_the_report_is_that_of_the_data_in_memory(studies: Studies, kind: str) -> None:
    outside, inside = (mm.MarginReport(one).to_dict() for one in studies[kind])
    assert outside["data"]["in_memory"] is False
    assert "outside memory" in outside["orders"]["reason"]
    for name in ("columns", "sample"):
        del inside["data"][name]
    for report in (outside, inside):  # studies that need the rows in memory
        for name in ("orders", "fewest_errors", "compared", "command"):
            del report[name]
        if kind == "overlapping":  # inside, the hyperplane of comparison is that of fewest errors
            for name in ("reference", "cosine", "angle_degrees"):
                del report["comparison"][name]
    assert differences(outside, inside) == []
    assert any("random sample" in sentence for sentence in outside["unknown"])


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["separable", "overlapping"])
def test_what_passes_tell_of_a_plane(studies: Studies, kind: str) -> None:
    outside, inside = studies[kind]
    assert inside.found is not None
    passed, whole = distances_of(outside.problem, inside.found), distances_of(inside.problem, inside.found)
    assert passed.median is None and passed.n_wrong == whole.n_wrong
    assert (passed.least, passed.greatest) == pytest.approx((whole.least, whole.greatest))
    edges = np.linspace(whole.least - 1, whole.greatest + 1, 8)
    middles, weights = passed.points(edges)
    assert weights is not None and len(middles[0]) == 7
    for counts, values in zip(weights, whole.points(edges)[0], strict=True):
        assert counts.tolist() == np.histogram(values, edges)[0].tolist()


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["separable", "overlapping"])
def test_the_trace_is_the_same(studies: Studies, kind: str) -> None:
    passed, whole = (one.trace for one in studies[kind])
    for name in ("n_mistakes", "row", "norm", "root_of_squares", "norm_at_most", "lower", "upper", "margin"):
        np.testing.assert_array_equal(getattr(passed, name), getattr(whole, name))


@pytest.mark.slow
def test_the_picture_shows_a_random_sample_and_the_support_rows(studies: Studies) -> None:
    outside, _ = studies["separable"]
    display = hyperplane_display(outside, drawn_rows_of(outside))
    view, (direction, offset) = display.view, display.view.line(display.planes[0].plane)
    assert set(outside.hard.support.tolist()) <= set(view.rows.tolist())
    distances = outside.maximum.distances(outside.problem, view.rows)
    drawn = view.signs * (view.points @ direction + offset) * outside.hard.lower
    np.testing.assert_allclose(drawn, distances, rtol=1e-6)
    assert set(view.rows.tolist()) - set(outside.hard.support.tolist()) <= set(outside.problem.sample[0].tolist())


@pytest.mark.slow
def test_the_page_says_what_is_drawn(studies: Studies) -> None:
    report = mm.MarginReport(studies["separable"][0])
    captions = {picture.key: picture.caption for picture in report.pictures}
    sample = "400 at random, half of them from either class, and the circled rows"
    assert f"Of 2,500 rows, these are drawn: {sample}." in captions["projection"]
    assert "outside memory" in report.to_markdown()
    assert sample in report.to_html()


@pytest.mark.slow
def test_no_solution_of_the_grid_keeps_rows(studies: Studies) -> None:
    outside, inside = studies["overlapping"]
    for passed, whole in zip(outside.soft, inside.soft, strict=True):
        assert not (passed.solution.slack.size or passed.solution.dual.size or passed.solution.support.size)
        assert (passed.n_slack, passed.n_errors) == (whole.n_slack, whole.n_errors)
        assert whole.slack_norm == np.linalg.norm(whole.solution.slack) == pytest.approx(passed.slack_norm)


def test_centred_rows_are_made_while_they_are_read(tmp_path: Path) -> None:
    outside, inside = map(problem, both(tmp_path, separable()))
    expected = mm.prepare(inside.X, "center")
    np.testing.assert_allclose(column_means(outside), expected.shift, rtol=1e-14)
    moved = centred(outside)
    np.testing.assert_allclose(moved.matrix, expected.X, atol=1e-14)
    low, high = moved.column_bounds
    assert low.tolist() == moved.matrix.min(axis=0).tolist() and high.tolist() == moved.matrix.max(axis=0).tolist()


def test_prepared_rows_have_bounds_of_their_own() -> None:
    X, side = separable()
    prepared = prepared_problem(mm.from_arrays(X, side), ReportSettings(prepare="standardize"))
    assert prepared.column_sizes.tolist() == np.abs(prepared.X).max(axis=0).tolist()


def test_constant_columns_become_0_and_great_ranges_are_refused(tmp_path: Path) -> None:
    X, side = separable()
    X[:, 2] = 0.1
    assert not centred(problem(both(tmp_path, (X, side))[0])).matrix[:, 2].any()
    X[:, 2], X[0, 2] = 1.7e308, -1.7e308
    outside = problem(both(tmp_path, (X, side))[0])
    with pytest.raises(mm.InvalidProblemError, match="column 2 cannot be centred"):
        centred(outside)
    with np.errstate(invalid="ignore"):
        assert np.isinf(radius(about_the_mean(outside)))


def test_rows_with_a_constant_are_made_while_they_are_read(tmp_path: Path) -> None:
    outside, inside = (augmented(problem(dataset), 0.25) for dataset in both(tmp_path, separable()))
    assert isinstance(outside.row_source, Derived)
    assert outside.row_source.shape == (N, D + 1)
    assert np.concatenate([*outside.dense_chunks()]).tolist() == inside.X.tolist()
    rows = np.array([7, 3, 3, N - 1])
    assert outside.dense_rows(rows).tolist() == inside.X[rows].tolist()
    assert [v.tolist() for v in outside.column_bounds] == [v.tolist() for v in inside.column_bounds]


def test_the_default_grid_is_the_same(tmp_path: Path) -> None:
    outside, inside = map(problem, both(tmp_path, separable()))
    hard = hard_margin(inside)
    assert default_grid(outside, hard) == default_grid(inside, hard)


@pytest.mark.slow
def test_a_run_over_a_disk_that_need_not_converge_is_short(tmp_path: Path) -> None:
    outside, inside = both(tmp_path, overlapping())
    asked = ReportSettings(Cs=(0.01,), max_mistakes=2000)
    for dataset, limits, n_epochs in ((outside, {}, 20), (outside, {"max_epochs": 23}, 23), (inside, {}, None)):
        report = mm.MarginReport(study_two_classes(dataset, replace(asked, **limits)))
        fields = report.to_dict()
        assert fields["perceptron"]["max_epochs"] == n_epochs
        assert ("the perceptron was given 20 epochs" in str(fields["unknown"])) is (n_epochs == 20)
    assert "stopped at its limit of 20 epochs" in mm.MarginReport(study_two_classes(outside, asked)).to_markdown()


@pytest.mark.parametrize("n_classes, options, expected", [
    (2, ["--prepare", "unit"], "prepare is 'unit'"),
    (2, ["--order", "random"], "expected 'cyclic'"),
    (3, [], "has 3 classes and is not in memory"),
])  # fmt: skip
def test_what_needs_memory_is_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], n_classes: int, options: list[str], expected: str
) -> None:
    table = pa.table({"a": separable()[0][:, 0], "label": np.arange(N) % n_classes})
    path = table_file(tmp_path / "data.parquet", table)
    assert expected in refusal(capsys, "report", path, "--memory", "250kB", "-q", *options)


def test_a_proof_is_verified_in_passes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, proof = parquet(tmp_path, *separable()), tmp_path / "proof.json"
    assert run(["check", str(path), "--proof", str(proof), "-q"]) == 0
    code, fields = json_answer(capsys, "verify", str(proof), str(path), "--memory", "250kB")
    assert (code, fields["valid"]) == (0, True)
