"""The commands as a user types them: answers, exit codes, one line for what is wrong."""

import csv
import json
import signal
from pathlib import Path
from typing import Any

import pytest
from calls import arguments_of, calling
from cases import for_each
from commands import Capture, json_answer, printed, refusal, started

import maxmargin as mm
from maxmargin.api.families import FAMILIES
from maxmargin.api.question import decide
from maxmargin.cli import options
from maxmargin.cli.app import run
from maxmargin.data.preparing import How
from maxmargin.solvers.fewest_errors import minimum as fewest_errors
from maxmargin.solvers.hard_margin import hard_margin
from maxmargin.solvers.perceptron.reporter import Reporter
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.perceptron.settings import ZERO_RULES
from maxmargin.solvers.proof.checker import OF_ROWS, TIES
from maxmargin.solvers.separability import feasibility
from maxmargin.solvers.soft_margin import soft_margin


def test_check_of_many_classes_is_a_table(capsys: Capture) -> None:
    code, fields = json_answer(capsys, "check", "iris")
    assert code == 3
    rest = {entry["class"]: entry["strictly_separable"] for entry in fields["one_vs_rest"]}
    assert rest == {"setosa": True, "versicolor": False, "virginica": False}
    pairs = {tuple(entry["classes"]): entry["strictly_separable"] for entry in fields["pairs"]}
    separable = {("setosa", "versicolor"): True, ("setosa", "virginica"): True, ("versicolor", "virginica"): False}
    assert pairs == separable
    assert fields["verdict"] == fields["multinomial"]["verdict"] == "quasi-separable"
    assert (fields["n_inequalities"], fields["n_strict"]) == (300, 200)
    assert all(row >= 50 for row in fields["pairs"][2]["witness_rows"])  # numbered in the source, not in the pair
    out = printed(capsys, "check", "iris", code=3)
    assert all(f"\n  {name} " in out for name in ("setosa", "versicolor", "virginica", "setosa / versicolor"))


@pytest.mark.parametrize("method", options.MARGIN_METHODS)
def test_margin_by_every_method(capsys: Capture, method: str) -> None:
    code, fields = json_answer(capsys, "margin", "agresti", "--method", method)
    assert code == 0
    assert fields["lower"] <= 10 <= fields["upper"]
    engines = {"working-set": "working set", "daqp": "DAQP", "cvxpy": "cvxpy DAQP"}
    assert fields["engine"] == engines.get(method, fields["engine"])


@pytest.mark.parametrize("method", options.CHECK_METHODS)
def test_check_by_every_method(capsys: Capture, method: str) -> None:
    code, fields = json_answer(capsys, "check", "agresti", "--method", method)
    assert code == 0 and fields["verdict"] == "separable"


def test_a_report_on_chosen_costs(capsys: Capture) -> None:
    code, fields = json_answer(capsys, "report", "agresti", "--soft", "0.5", "2", "--orders", "0", "-q")
    assert code == 0 and [row["C"] for row in fields["soft_margin"]] == [0.5, 2.0]


@pytest.mark.parametrize("method", options.SOFT_METHODS)
def test_soft_margin_of_balanced_classes_by_every_method(capsys: Capture, method: str) -> None:
    command = ("margin", "iris", "--positive", "versicolor", "--soft", "1", "--method", method)
    code, fields = json_answer(capsys, *command, "--class-weight", "balanced")
    assert code == 0 and fields["class_weight"] == "balanced"
    assert method == "auto" or {attempt["solver"] for attempt in fields["attempts"]} & {method, "CLARABEL"}
    iris = mm.load("iris", positive="versicolor")
    balanced = mm.soft_margin(iris.X, iris.y, C=1.0, class_weight="balanced")
    plain = mm.soft_margin(iris.X, iris.y, C=1.0)
    assert fields["lower"] <= balanced.objective and balanced.lower <= fields["objective"]
    assert plain.objective < fields["lower"]  # 50 rows against 100
    assert "C sum v xi, v balancing the classes, at C = 1.0" in printed(capsys, *command, "--class-weight", "balanced")


@pytest.mark.parametrize("solver", ["CLARABEL", "daqp"])
def test_margin_by_a_chosen_solver(capsys: Capture, solver: str) -> None:
    code, fields = json_answer(capsys, "margin", "agresti", "--solver", solver)
    assert code == 0 and solver.upper() in {attempt["solver"] for attempt in fields["attempts"]}
    assert fields["engine"] == f"cvxpy {solver.upper()}" and fields["margin"] == pytest.approx(10)


@pytest.mark.parametrize("command", [
    "perceptron agresti --order random", "online wine --positive class_0 -a pocket --max-epochs 2",
])  # fmt: skip
def test_the_seed_decides_the_order(capsys: Capture, command: str) -> None:
    runs = [json_answer(capsys, *command.split(), "--seed", seed)[1] for seed in ("1", "1", "2")]
    rows = "mistake_rows" if "mistake_rows" in runs[0] else "update_rows"
    assert runs[0][rows] == runs[1][rows] != runs[2][rows]


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("suffix", ["md", "html", "json"])
def test_report_is_written(capsys: Capture, tmp_path: Path, suffix: str) -> None:
    page = tmp_path / f"page.{suffix}"
    assert run(["report", "agresti", "-o", str(page), "--quiet"]) == 0
    assert page.stat().st_size > 500
    out, err = capsys.readouterr()
    assert "1,701" in out or "1701" in out
    assert err == ""


@pytest.mark.slow
def test_figures_of_a_report_are_chosen_by_name(capsys: Capture, tmp_path: Path) -> None:
    folder = tmp_path / "figures"
    arguments = ["report", "agresti", "--orders", "0", "--max-mistakes", "50"]
    chosen = ["--figures", str(folder), "--figure", "projection", "--figure", "classes"]
    assert run([*arguments, *chosen]) == 0
    assert {path.name for path in folder.iterdir()} == {f"projection.{suffix}" for suffix in ("svg", "pdf", "png")}
    assert "there is no figure classes of these data; there are margin-path, " in capsys.readouterr().err
    assert run([*arguments, "--figures", str(folder), "--figure", "project"]) == 2
    assert "'project' is not one of 'margin-path'" in capsys.readouterr().err
    assert "expected --figures DIR" in refusal(capsys, *arguments, "--figure", "projection")


BAD_USAGE = [
    (["check"], ["SOURCE"]),
    (["check", "nope.csv"], ["nope.csv", "no such file"]),
    (["check", "iris", "--label", "targt"], ["targt", "target"]),
    (["check", "iris", "--positive", "setossa"], ["setossa", "setosa"]),
    (["margin", "iris"], ["--positive", "setosa"]),
    (["margin", "formula:x1 & & x2"], ["formula:x1 & & x2", "character 6", "'&'", "expected a variable"]),
    (["margin", "formula:x1 & x17"], ["17 variables", "16"]),
    (["margin", "formula:x1 | ~x1"], ["one class only"]),
    (["margin", "agresti", "--soft", "-1"], ["'--soft': -1.0 is not a positive finite number"]),
    (["margin", "iris", "--positive", "setosa", "--solver", "FOO"], ["FOO", "CLARABEL"]),
    (["margin", "agresti", "--solver", "CLARABEL", "--solver-option", "a=1e-3"], ["CLARABEL", "{'a': 0.001}"]),
    (["check", "agresti", "--solver-option", "a=True"], ["--solver", "--method cvxpy"]),
    (["margin", "agresti", "--solver-option", "a"], ["NAME=VALUE"]),
    (["margin", "iris", "--method", "svm"], ["--method", "svm", *options.MARGIN_METHODS]),
    (["margin", "iris", "--method", "daqp", "--soft", "1"], ["daqp", *options.SOFT_METHODS]),
    (["margin", "iris", "--positive", "setosa", "--method", "daqp", "--solver", "OSQP"], ["OSQP", "daqp"]),
    (["margin", "iris", "--class-weight", "balanced"], ["--class-weight", "--soft"]),
    (["margin", "agresti", "--soft", "1", "--class-weight", "even"], ["--class-weight", "balanced"]),
    (["perceptron", "agresti", "--bias-scale", "0"], ["--bias-scale is '0'; expected a positive finite number or"]),
    (["perceptron", "wine", "--positive", "class_0", "--bias-scale", "big"], ["big", "best"]),
    (["perceptron", "wine", "--positive", "class_0", "--zero", "no"], ["--zero", "mistake"]),
    (["perceptron", "wine", "--positive", "class_0", "--trace", "t.doc"], ["t.doc", ".csv", ".md", ".tex"]),
    (["perceptron", "iris", "--positive", "versicolor", "--bias-scale", "best"], ["best", "separable"]),
    (["report", "iris", "-o", "page.pdf"], ["page.pdf", ".html"]),
    (["frobnicate"], ["frobnicate"]),
    ([], ["command"]),
    (["online"], ["SOURCE", "--list"]),
    (["online", "xor", "--algorithm", "averagd"], ["averagd", "did you mean averaged", "pegasos"]),
    (["online", "xor", "--algorithm", "alma", "--parameter", "beta=1"], ["alma", "beta", "alpha, p"]),
    (["online", "xor", "--algorithm", "alma", "--parameter", "alpha=2"], ["alpha is 2", "at most 1"]),
    (["online", "xor", "--algorithm", "alma", "--parameter", "alpha"], ["alpha", "NAME=VALUE"]),
    (["online", "xor", "-a", "pa", "-a", "alma", "--parameter", "beta=1"], ["beta", "alpha, p"]),
    (["online", "xor", "--bias-scale", "best"], ["best", "separable"]),
    (["online", "xor", "--max-epochs", "0"], ["--max-epochs"]),
    (["bounds", "xor", "--n-passes", "2", "--until-convergence"], ["--n-passes", "--until-convergence"]),
    (["bounds", "xor", "--n-passes", "0"], ["--n-passes"]),
    (["fewest-errors", "xor", "--method", "guess"], ["guess", *options.FEWEST_METHODS]),
    (["fewest-errors", "xor", "--solver", "NONE"], ["NONE"]),
    (["check", "xor", "--require", "overlap", "--require", "separable"], ["--require is given 2 times"]),
    (["check", "xor", "--max-errors", "-1"], ["--max-errors", "-1"]),
    (["check", "xor", "--min-margin", "0"], ["--min-margin", "0.0 is not a positive finite number"]),
    (["check", "xor", "--min-margin", "1", "--decimal"], ["--decimal", "--min-margin"]),
    (["check", "iris", "--max-errors", "1"], ["--max-errors needs two", "--positive"]),
    (["check", "-", "-"], ["standard input is named twice"]),
    (["check", "xor", "agresti", "--proof", "p.json"], ["p.json", "folder"]),
    (["check", "xor", "./xor", "--proof", "."], ["xor.json", "two outputs"]),
    (["check", "xor", "--memory", "much"], ["much", "512MiB"]),
    (["schema", "cheque"], ["cheque", "fewest-errors"]),
    *((line.split(), [line.split()[1]]) for line in ("verify p.json xor", "compare s.toml -o out", "generate gapp:4")),
    *(
        (["check", "xor", f"{option}={value}"], [option, value])
        for option, values in {"--time-limit": ("-1", "nan", "soon"), "--exact-limit": ("-1", "nan", "1.5")}.items()
        for value in values
    ),
]


@for_each("arguments, words", BAD_USAGE)
def test_bad_usage(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: Any, words: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    err = refusal(capsys, *arguments)
    assert all(word in err for word in words), err
    code, error = json_answer(capsys, *arguments)
    assert (code, error["schema"]) == (2, "maxmargin.error/1")
    assert f"maxmargin: {error['message']}\n" == err or arguments[:1] in ([], ["schema"])  # which have no --json
    assert list(tmp_path.iterdir()) == []


def test_choices_are_those_of_the_code() -> None:
    assert (tuple(Order), tuple(ZERO_RULES), tuple(How)) == (options.ORDERS, options.ZERO_RULES, options.PREPARATIONS)
    assert (tuple(FAMILIES), TIES, OF_ROWS) == (options.FAMILIES, options.TIES, options.OF_ROWS)
    assert (hard_margin.METHODS, soft_margin.METHODS) == (options.MARGIN_METHODS, options.SOFT_METHODS)
    assert (feasibility.METHODS, fewest_errors.METHODS) == (options.CHECK_METHODS, options.FEWEST_METHODS)


def test_a_bug_is_not_called_bad_input(capsys: Capture) -> None:
    def broken(_: object) -> None:
        raise ValueError("a bug")

    with calling(decide, broken), pytest.raises(ValueError, match="a bug"):
        run(["check", "agresti", "--json"])
    assert json.loads(capsys.readouterr().out)["message"] == "a bug: ValueError: a bug"
    with calling(decide, broken):
        assert run(["check", "agresti", "nope.csv", "--json"]) == 1
    out, err = capsys.readouterr()
    assert [json.loads(line)["file"] for line in out.splitlines()] == ["agresti", "nope.csv"]
    assert "Traceback" in err


@pytest.mark.slow
@pytest.mark.parametrize("command", ["perceptron xor --max-mistakes 10000000000", "online xor --max-epochs 1000000000"])
def test_interrupt_keeps_the_state(command: str) -> None:
    """Ctrl-C on an endless run prints the state so far and exits with 130."""
    process = started(*command.split(), "--json")
    first = process.stderr.readline()  # progress: the run has begun
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    fields = json.loads(out)
    assert "mistakes" in first and process.returncode == 130
    assert fields["stop_reason"] == "interrupted" and fields["n_mistakes"] > 0


def test_the_trace_of_the_best_scale_is_that_of_the_run(capsys: Capture, tmp_path: Path) -> None:
    source = tmp_path / "symmetric.csv"
    source.write_text("x,y\n-10,0\n-20,0\n10,1\n20,1\n")  # b* = 0: the best scale goes through the origin
    trace = tmp_path / "trace.csv"
    code, fields = json_answer(capsys, "perceptron", str(source), "--bias-scale", "best", "--trace", str(trace), "-q")
    assert code == 0 and fields["bias"] is False
    assert {line["b"] for line in csv.DictReader(trace.read_text().splitlines())} == {"0"}


def test_rows_left_out_keep_their_numbers(capsys: Capture, tmp_path: Path) -> None:
    source, trace = tmp_path / "missing.csv", tmp_path / "trace.csv"
    source.write_text("n,x,y\na,,0\nb,1,0\nc,5,1\nd,3,1\n")
    read = (str(source), "--id", "n", "--drop-missing")
    _, fields = json_answer(capsys, "perceptron", *read, "--trace", str(trace), "--quiet")
    mistaken = [int(line["row"]) for line in csv.DictReader(trace.read_text().splitlines()) if line["mistake"] == "1"]
    assert mistaken == fields["mistake_rows"]
    assert fields["mistake_rows_ids"] == ["abcd"[row] for row in mistaken]
    assert fields["trace"]["is_whole"] is True


def test_an_interrupted_report_writes_nothing(capsys: Capture, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    with calling(Reporter.report, lambda _: signal.raise_signal(signal.SIGINT)):  # as Ctrl-C within the run
        assert run(["report", "xor", "-o", str(page)]) == 130
    assert not page.exists()
    assert "interrupted" in capsys.readouterr().err


@pytest.mark.parametrize("output", ["-o no/page.html", "-o folder.html", "--figures file", "--figures file/x"])
def test_outputs_that_cannot_be_written_are_refused_before_the_work(
    capsys: Capture, tmp_path: Path, output: str
) -> None:
    option, position = output.split()
    (tmp_path / "folder.html").mkdir()
    (tmp_path / "file").touch()
    with arguments_of(mm.margin_report) as calls:
        assert position.split("/")[0] in refusal(capsys, "report", "agresti", option, str(tmp_path / position))
    assert not calls
