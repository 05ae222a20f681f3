"""Soft margins for several C, and class weights by label, from the command line."""

from pathlib import Path

import pytest
from calls import calling
from cases import for_each
from commands import Capture, json_answer, printed, refusal
from table_files import text_file

import maxmargin as mm
from maxmargin.cli.app import run
from maxmargin.solvers.basics.limits import TIME_IS_OVER
from maxmargin.solvers.soft_margin.soft_bracket import SoftBracket

IRIS = ("margin", "iris", "--positive", "versicolor")


@pytest.fixture
def odd_labels(tmp_path: Path) -> str:
    """Labels with an equals sign in them."""
    return str(text_file(tmp_path, "x,y\n1,a=b\n2,c\n3,a=b\n4,c\n"))


@pytest.fixture
def numbers(tmp_path: Path) -> str:
    return str(text_file(tmp_path, "x,y\n1,1\n2,0\n3,1\n4,0\n", "7"))


@pytest.mark.parametrize("line", [
    "--soft 0.1 1 10 iris --positive versicolor", "iris --positive versicolor --soft 0.1 1 10",
    "iris --positive versicolor --soft=0.1 1 10", "--soft 0.1 iris --soft 1 --positive versicolor --soft 10",
    "iris --soft 0.1 1 10 --positive versicolor",
])  # fmt: skip
def test_several_costs_in_any_position(capsys: Capture, line: str) -> None:
    code, fields = json_answer(capsys, "margin", *line.split())
    assert (code, fields["schema"]) == (0, "maxmargin.soft-margin-path/1")
    assert [answer["C"] for answer in fields["path"]] == [0.1, 1.0, 10.0]
    iris = mm.load("iris", positive="versicolor")
    for answer, same in zip(fields["path"], mm.soft_margin_path(iris.X, iris.y, [0.1, 1, 10]), strict=True):
        assert answer["lower"] <= same.objective and same.lower <= answer["objective"]


def test_one_cost_of_a_path_has_the_fields_of_one_answer(capsys: Capture) -> None:
    _, alone = json_answer(capsys, *IRIS, "--soft", "1")
    _, path = json_answer(capsys, *IRIS, "--soft", "1", "10")
    assert alone["schema"] == "maxmargin.soft-margin/1"
    assert path["path"][0] == {name: value for name, value in alone.items() if name in path["path"][0]}
    assert set(alone) - set(path) == set(path["path"][0])


def test_the_table_keeps_the_order_of_the_costs(capsys: Capture) -> None:
    lines = printed(capsys, *IRIS, "--soft", "10", "0.1", "10").splitlines()
    assert [line.split()[0] for line in lines[-3:]] == ["10.0", "0.1", "10.0"]
    assert all("optimal" in line for line in lines[-3:])


def test_a_path_that_is_cut_short_is_not_proven(capsys: Capture) -> None:
    code, fields = json_answer(capsys, *IRIS, "--soft", "1", "10", "--time-limit", "1e-9")
    assert code == 4
    assert [(answer["status"], answer["reason"]) for answer in fields["path"]] == [("limit", TIME_IS_OVER)] * 2


def test_ctrl_c_keeps_the_answers_before_it(capsys: Capture) -> None:
    n_asked = 0

    def stop_at_the_second(_: object) -> None:
        nonlocal n_asked
        n_asked += 1
        if n_asked == 2:
            raise KeyboardInterrupt

    with calling(SoftBracket.solution, stop_at_the_second):
        code, fields = json_answer(capsys, *IRIS, "--soft", "1", "10")
    assert code == 130 and [answer["C"] for answer in fields["path"]] == [1.0]


def test_a_source_named_like_a_number(capsys: Capture, numbers: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(Path(numbers).parent)
    for arguments in (["--soft", "1", "./7"], ["7", "--soft", "1"]):
        code, fields = json_answer(capsys, "margin", *arguments, "--format", "csv")
        assert code == 0 and fields["C"] == 1
    assert run(["margin", "--format", "csv", "--soft", "1", "--", "7"]) == 0
    capsys.readouterr()
    assert "SOURCE" in refusal(capsys, "margin", "--soft", "1", "7")


def test_weights_of_labels_are_those_of_python(capsys: Capture, odd_labels: str) -> None:
    code, fields = json_answer(capsys, "margin", odd_labels, "--soft", "1", "--class-weight", "a=b=0.25")
    data = mm.load(odd_labels)
    same = mm.soft_margin(data.X, data.y, class_weight={-1: 0.25})
    assert code == 0 and fields["class_weight"] == {"a=b": 0.25}
    assert fields["lower"] <= same.objective and same.lower <= fields["objective"] < 2


@pytest.mark.parametrize("label", ["1", "1.0"])
def test_numeric_labels_are_named_by_any_numeral(capsys: Capture, numbers: str, label: str) -> None:
    weights = ("--class-weight", f"{label}=2", "--class-weight", "0=0.5")
    code, fields = json_answer(capsys, "margin", numbers, "--format", "csv", "--soft", "1", "2", *weights)
    assert code == 0 and fields["class_weight"] == {"1": 2.0, "0": 0.5}
    assert len(fields["path"]) == 2


def test_classes_of_the_rest_may_have_weights_of_their_own(capsys: Capture) -> None:
    _, plain = json_answer(capsys, *IRIS, "--soft", "1")
    _, fields = json_answer(capsys, *IRIS, "--soft", "1", "--class-weight", "setosa=3")
    assert fields["lower"] > plain["objective"]
    assert run([*IRIS, "--soft", "1", "--class-weight", "setosa=3"]) == 0
    assert "C sum v xi, v by label (setosa: 3.0), at C = 1.0" in capsys.readouterr().out


WRONG = [
    (["--soft"], ["--soft", "requires an argument"]),
    (["--soft", "some"], ["--soft", "some", "float"]),
    (["--soft", "1", "-1"], ["--soft", "-1", "positive"]),
    (["--soft", "1", "nan"], ["--soft", "nan", "positive"]),
    (["--soft", "1", "--class-weight", "rose=2"], ["--class-weight", "rose", "setosa", "virginica"]),
    (["--soft", "1", "--class-weight", "setosa"], ["setosa", "LABEL=FACTOR", "balanced"]),
    (["--soft", "1", "--class-weight", "=2"], ["=2", "LABEL=FACTOR"]),
    (["--soft", "1", "--class-weight", "setosa=-1"], ["setosa=-1", "finite number from 0"]),
    (["--soft", "1", "--class-weight", "setosa=1e999"], ["setosa=1e999", "finite number from 0"]),
    (["--soft", "1", "--class-weight", "setosa=1", "--class-weight", "setosa=2"], ["setosa", "twice"]),
    (["--soft", "1", "--class-weight", "balanced", "--class-weight", "setosa=2"], ["balanced", "alone"]),
    (["--soft", "1", "--class-weight", "versicolor=0"], ["weights", "one class only"]),
    (["--class-weight", "setosa=2"], ["--class-weight", "--soft"]),
    (["--soft", "1", "2", "--exact"], ["--exact", "--soft"]),
]


@for_each("arguments, words", WRONG)
def test_bad_values_are_one_line(capsys: Capture, arguments: list[str], words: list[str]) -> None:
    err = refusal(capsys, *IRIS, *arguments)
    assert all(word in err for word in words), err
