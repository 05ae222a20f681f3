"""Commands on finite binary64 numbers of any size: an answer or one sentence, no traceback and no warning."""

import random
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from cases import of_today
from commands import Capture

import maxmargin as mm
from maxmargin.api.measures import Plane
from maxmargin.cli.app import run
from maxmargin.reports.captioned.captioned_display import inline_svg
from maxmargin.solvers.problem.problem import Problem

SIZES = (5e-324, 1e-310, 1e-300, 0.3, 1e160, 1e300, 1e308, 1.7e308)
NUMBERS = (0.0, 1.0, sys.float_info.max, *SIZES, *(-size for size in SIZES))

DATA = {
    "one column": "a,y\n0,0\n1e308,1\n1.7e308,1\n",
    "a span of axes": "a,b,y\n0.3,1e-310,0\n1e308,0,1\n1.7e308,0,1\n",
    "overlap": "a,b,y\n0.3,-1e-300,-1\n1e-300,1e-310,1\n1e308,-5e-324,-1\n1.7e308,-1e-310,-1\n",
    "three columns": "a,b,c,y\n1e-310,-1.0,1e-310,-1\n1e308,1e-310,1.0,1\n0.0,-1.7e308,5e-324,-1\n"
    "5e-324,-1.7e308,5e-324,-1\n0.0,1.7e308,0.0,1\n",
    "a margin beyond binary64": "a,y\n1e308,0\n1,0\n1.7976931348623157e308,1\n-1e-300,1\n",
    "three classes": "a,b,y\n-1e160,-1e-310,0\n1e-300,-1.7e308,2\n-1e308,1e308,0\n1e-310,1.7e308,1\n",
    "the least number": "a,y\n5e-324,0\n0,1\n",
    "unbounded intervals of three classes": "a,b,c,y\n1.7976931348623157e308,-1.7e308,1.7e308,0\n"
    "5e-324,0.0,1e308,2\n1.7e308,-1.7e308,-1.7e308,1\n",
    "an unbounded interval": "a,b,c,y\n-0.3,1.7976931348623157e308,1.7976931348623157e308,0\n"
    "1.7976931348623157e308,-1.7e308,-0.3,1\n",
}

REPORT = "report --orders 2 --max-epochs 5 --max-mistakes 100"
COMMANDS = (
    "check, check --no-bias, margin, margin --exact, margin --method working-set, margin --soft 1, bounds, "
    "online --algorithm all --max-epochs 5, orders --n-orders 5 --n-search 5 --n-sequence 5 --max-mistakes 100, "
    "perceptron --max-epochs 5, fewest-errors"
)


def written(folder: Path, text: str) -> str:
    path = folder / "data.csv"
    path.write_text(text)
    return str(path)


def outcome(arguments: list[str], capsys: Capture) -> int:
    """Run a command, in which warnings are errors as in every test; what it refuses is one sentence."""
    code = run([*arguments, "--quiet"])
    if code == 2:
        assert capsys.readouterr().err.count("\n") == 1
    return code


@pytest.mark.sampled
@pytest.mark.parametrize("command", COMMANDS.split(", "))
@pytest.mark.parametrize("data", DATA)
def test_no_command_breaks_on_large_and_tiny_numbers(data: str, command: str, tmp_path: Path, capsys: Capture) -> None:
    name, *options = command.split()
    assert outcome([name, written(tmp_path, DATA[data]), *options], capsys) in {0, 2, 3, 4}


@pytest.mark.parametrize("data", DATA)
@pytest.mark.slow
def test_every_form_of_a_report_is_written(data: str, tmp_path: Path) -> None:
    dataset = mm.load(written(tmp_path, DATA[data]))
    report = mm.margin_report(dataset, orders=2, max_epochs=5, max_mistakes=100)
    for suffix in ("html", "json", "md"):
        assert report.save(tmp_path / f"report.{suffix}").stat().st_size > 0
    assert all(inline_svg(picture).endswith("</svg>") for picture in report.pictures)
    assert report.to_terminal()


@pytest.mark.slow
def test_the_command_names_the_figures_that_it_does_not_write(tmp_path: Path, capsys: Capture) -> None:
    source, page = written(tmp_path, DATA["a span of axes"]), tmp_path / "page.html"
    assert run([*REPORT.split(), source, "-o", str(page), "--figures", str(tmp_path / "figures")]) == 0
    assert "distances of the rows is left out" in capsys.readouterr().err
    assert Counter(path.suffix for path in (tmp_path / "figures").iterdir()) == {".svg": 3, ".pdf": 3, ".png": 3}


def test_figures_that_no_axis_holds_are_left_out_with_a_sentence(tmp_path: Path) -> None:
    report = mm.margin_report(mm.load(written(tmp_path, DATA["one column"])), orders=2)
    drawn = {picture.key for picture in report.pictures}
    assert drawn == {"potential", "mistakes"} and drawn.isdisjoint(report.figures_left_out)
    assert report.to_html()
    for sentence in report.figures_left_out.values():
        assert "cannot hold numbers as large as 1.7×10³⁰⁸" in sentence


@pytest.mark.slow
def test_figures_of_usual_numbers_are_all_drawn() -> None:
    data = mm.from_arrays([[0.0], [1e149], [3e149]], [0, 1, 1])
    report = mm.margin_report(data, orders=2, Cs=[1e-300], max_mistakes=100)
    assert not report.figures_left_out and len(report.pictures) == 8 and report.to_html()


def test_distances_of_rows_whose_products_overflow_on_the_way_are_finite() -> None:
    problem = Problem.validated([[1.7e308, 1.7e308, -1.7e308], [5e-324, 0.0, 0.0], [1.7e308] * 3], [1, -1, 1])
    near, tiny, far = Plane(w=np.ones(3), b=0.0, name="plane").distances(problem).tolist()
    assert near == pytest.approx(1.7e308 / 3**0.5, rel=1e-12)
    assert tiny == -5e-324  # rows are divided only where they overflow
    assert far == np.inf  # 3**0.5 * 1.7e308


@pytest.mark.slow
@pytest.mark.parametrize("number", range(9))
def test_random_numbers_of_any_size(number: int, tmp_path: Path, capsys: Capture) -> None:
    seed = of_today(range(45), 5)[number]
    source = written(tmp_path, random_rows(random.Random(seed)))
    for command in (*COMMANDS.split(", "), REPORT):
        name, *options = command.split()
        bias = ["--no-bias"] if seed % 4 == 0 else []
        assert outcome([name, source, *options, *bias], capsys) in {0, 2, 3, 4}


def random_rows(draw: random.Random) -> str:
    n_rows, n_columns = draw.randint(2, 6), draw.randint(1, 3)
    labels = [0, 1, *(draw.randint(0, 1) for _ in range(n_rows - 2))]
    rows = [[*(repr(draw.choice(NUMBERS)) for _ in range(n_columns)), str(label)] for label in labels]
    names = [f"x{column}" for column in range(n_columns)]
    return "\n".join(",".join(row) for row in [[*names, "y"], *rows]) + "\n"
