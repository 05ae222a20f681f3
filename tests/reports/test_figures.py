"""The figures of the report: displays with captions, no global state, true geometry."""

import hashlib
import re
import warnings
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from commands import python
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import maxmargin as mm
from maxmargin.displays.hyperplane_display import HyperplaneDisplay
from maxmargin.reports.captioned import FIGURES
from maxmargin.reports.captioned.captioned_display import inline_svg
from maxmargin.reports.captioned.class_matrix_display import classes
from maxmargin.reports.captioned.row_displays import hyperplane_display
from maxmargin.reports.margin_report import MarginReport, margin_report
from maxmargin.reports.study.class_study import ClassStudy
from maxmargin.reports.study.drawn_rows import drawn_rows_of, marked_rows
from maxmargin.reports.study.two_class_study import TwoClassStudy
from maxmargin.solvers.errors import InvalidOptionError


def dataset(name: str) -> mm.Dataset:
    if name == "strip":
        return mm.from_arrays([[1.0], [2.0], [4.0], [7.0]], ["a", "a", "b", "b"])
    if name == "plane":
        pair = mm.load("iris").pair("setosa", "versicolor")
        return mm.from_arrays(pair.X[:, 2:], pair.labels)
    if name == "quasi":
        return mm.load("agresti-quasi")
    return mm.load("iris", positive=name)


SLOW = [pytest.param(name, marks=pytest.mark.slow) for name in ("versicolor", "quasi")]


@pytest.fixture(scope="module", params=["strip", "plane", "setosa", *SLOW])
def report(request: pytest.FixtureRequest) -> MarginReport:
    return margin_report(dataset(request.param), Cs=(0.1, 10.0), max_mistakes=1_000)


@pytest.fixture(scope="module")
def of_classes() -> MarginReport:
    return margin_report(mm.load("iris"), max_mistakes=500)


def axes() -> Axes:
    return Figure().add_subplot()


def study_of(report: MarginReport) -> TwoClassStudy:
    assert isinstance(report.study, TwoClassStudy)
    return report.study


@pytest.mark.slow
def test_pyplot_is_not_imported() -> None:
    script = (
        "import sys, maxmargin as mm\n"
        "report = mm.margin_report(mm.from_arrays([[1.0], [3.0]], [0, 1]), Cs=[1.0])\n"
        "report.to_html()\n"
        "assert 'matplotlib' not in sys.modules, 'the page draws its own pictures'\n"
        "report.pictures[0].draw(__import__('matplotlib.figure').figure.Figure())\n"
        "assert 'matplotlib.pyplot' not in sys.modules\n"
    )
    python(script)


def test_pictures_have_titles_captions_and_alternative_texts(report: MarginReport, of_classes: MarginReport) -> None:
    absent = set() if study_of(report).trace.u is not None else {"potential"}
    pictures = (*report.pictures, *of_classes.pictures)
    assert [picture.key for picture in pictures] == [key for key in FIGURES if key not in absent]
    for picture in pictures:
        assert picture.title and picture.caption.endswith(".") and picture.alt.endswith(".")


def test_drawing_leaves_global_settings_alone(report: MarginReport) -> None:
    import matplotlib as mpl

    before = dict(mpl.rcParams)
    inline_svg(report.pictures[0])
    assert dict(mpl.rcParams) == before


@pytest.mark.slow
def test_inline_svg_takes_colours_and_fonts_from_the_page(report: MarginReport) -> None:
    for picture in report.pictures:
        svg = inline_svg(picture)
        assert svg.startswith("<svg") and svg.endswith("</svg>")
        assert "currentColor" in svg and "<text" in svg
        assert "#" not in svg.replace('href="#', "").replace("url(#", "").replace("#ffffff", "")
        assert "DejaVu" not in svg and "http" not in svg
        ids = re.findall(r'id="([^"]+)"', svg)
        assert len(ids) == len(set(ids)) and set(re.findall(r'href="#([^"]+)"', svg)) <= set(ids)


@pytest.mark.slow
def test_saved_figures_are_reproducible(of_classes: MarginReport, tmp_path: Path) -> None:
    first = of_classes.save_figures(tmp_path / "new" / "first")
    second = of_classes.save_figures(tmp_path / "second")
    assert [path.name for path in first] == ["classes.svg", "classes.pdf", "classes.png"]
    digests = [[hashlib.sha256(path.read_bytes()).hexdigest() for path in paths] for paths in (first, second)]
    assert digests[0] == digests[1]
    assert b"CreationDate" not in first[1].read_bytes()


@pytest.mark.slow
def test_figures_are_chosen_by_name(of_classes: MarginReport, tmp_path: Path) -> None:
    assert len(of_classes.save_figures(tmp_path / "new", names=["classes", "classes"])) == 3
    assert of_classes.save_figures(tmp_path / "new", names=[]) == []
    for wrong in (["classes", "projection"], ["nothing"], "class"):
        with pytest.raises(InvalidOptionError, match="is no figure of this report; expected some of classes"):
            of_classes.save_figures(tmp_path / "none", names=wrong)
    assert not (tmp_path / "none").exists()


def shown(report: MarginReport) -> HyperplaneDisplay:
    study = study_of(report)
    return hyperplane_display(study, drawn_rows_of(study)).plot(Figure().add_subplot())


def test_distances_are_true_in_the_view(report: MarginReport) -> None:
    study, display = study_of(report), shown(report)
    unit = study.hard.lower if study.problem.n_features > 2 and study.maximum is not None else 1.0
    for drawn, plane in zip(display.planes, (study.reference, study.found), strict=True):
        direction, offset = display.view.line(drawn.plane)
        distances = display.view.signs * (display.view.points @ direction + offset) * unit
        np.testing.assert_allclose(distances, plane.distances(study.problem, display.view.rows), atol=1e-8)


def test_no_row_lies_in_the_margin_band_of_separable_data(report: MarginReport) -> None:
    study, display = study_of(report), shown(report)
    width = display.planes[0].half_width
    if width is None:
        assert study.maximum is None and study.reference in (study.quasi_separating, study.best_of_search)
        return
    direction, offset = display.view.line(display.planes[0].plane)
    inside = np.abs(display.view.points @ direction + offset) < width * (1 - 1e-9)
    assert inside.any() == (study.maximum is None)


def test_the_rows_of_the_proof_are_circled(report: MarginReport) -> None:
    study = study_of(report)
    rows, names = marked_rows(study)
    expected = {
        "separable": "support rows",
        "quasi-separable": "touching rows",
        "overlap": "rows in error for the best hyperplane",
    }
    assert names == expected[study.separability.verdict]
    labels = shown(report).ax_.get_legend_handles_labels()[1]
    assert names in labels
    assert ("quasi-separating hyperplane" in labels) is (study.separability.verdict == "quasi-separable")
    if study.quasi_separating is not None:
        assert rows.tolist() == study.separability.touching_rows.tolist()
        np.testing.assert_allclose(study.quasi_separating.distances(study.problem, rows), 0, atol=1e-12)


@pytest.mark.slow
def test_the_strip_of_the_fewest_errors_has_the_rows_in_error_on_the_wrong_side() -> None:
    X = np.random.default_rng(3).normal(size=(40, 3))
    study = study_of(margin_report(mm.from_arrays(X, np.arange(40) % 2), max_mistakes=500))
    scene = drawn_rows_of(study)
    assert study.errors is not None and scene.strips[-1].name == "hyperplane of fewest errors"
    assert np.flatnonzero(scene.strips[-1].distances <= 0).tolist() == sorted(study.errors.error_rows.tolist())
    assert scene.marked.tolist() == sorted(study.errors.error_rows.tolist())


def test_the_strip_of_a_quasi_separating_hyperplane_has_the_touching_rows_on_it() -> None:
    study = study_of(margin_report(mm.load("agresti-quasi"), Cs=(1.0,), max_mistakes=20))
    scene = drawn_rows_of(study)
    distances = scene.strips[-1].distances
    assert study.separability.touching_rows is not None
    assert scene.strips[-1].name == "quasi-separating hyperplane"
    assert (np.flatnonzero(distances == 0) == study.separability.touching_rows).all()
    assert (distances >= 0).all()


def test_few_separated_rows_are_circled_instead_of_many_touching_ones() -> None:
    dataset = mm.from_arrays([[0.0], [0.0], [0.0], [0.0], [1.0]], [0, 1, 0, 1, 1])
    rows, name = marked_rows(study_of(margin_report(dataset, Cs=(1.0,), max_mistakes=20)))
    assert (rows.tolist(), name) == ([4], "strictly separated rows")


def test_classes_have_a_mark_for_each_verdict() -> None:
    x, labels = [0.0, 1.0, 1.0, 2.0, 5.0, 1.0, 4.0], ["a", "a", "b", "b", "c", "d", "d"]
    study = margin_report(mm.from_arrays([[v] for v in x], labels), max_mistakes=20).study
    assert isinstance(study, ClassStudy)
    figure = Figure(layout="constrained")
    classes(study).draw(figure)
    found = figure.axes[0].get_legend_handles_labels()[1]
    assert found == ["separable, with γ*", "quasi-separable", "overlap"]


EXTREMES = {
    "equal": lambda: mm.from_arrays([[1.0], [1.0]], [0, 1]),
    "two": lambda: mm.from_arrays([[10.0], [12.0]], [0, 1]),
    "overlap": lambda: mm.from_arrays([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]),
    **{name: partial(mm.load, name) for name in ("planted:9:3", "subnormal", "units", "gap:20")},
}


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("source", EXTREMES)
def test_figures_of_extreme_data_are_drawn_without_a_warning(source: str) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for picture in margin_report(EXTREMES[source](), Cs=(1.0,), max_mistakes=300, orders=20).pictures:
            assert inline_svg(picture).endswith("</svg>")
