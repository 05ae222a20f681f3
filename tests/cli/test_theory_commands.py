"""``maxmargin online``, ``bounds``, ``fewest-errors`` and formulas as sources, as a user types them."""

import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calls import calling
from commands import Capture, json_answer, printed, refusal
from table_files import text_file

import maxmargin as mm
from maxmargin.cli.app import run
from maxmargin.solvers.online.catalogue import ALGORITHMS, entries
from maxmargin.solvers.online.run_online import run_online

NAMED = "who,x,y,label\nann,1,2,no\nbob,2,1,no\ncid,4,5,yes\ndan,5,4,yes\neve,1.5,1.5,yes\n"


@pytest.fixture
def named(tmp_path: Path) -> str:
    return str(text_file(tmp_path, NAMED))


def test_online_says_what_the_library_says(capsys: Capture) -> None:
    command = ("online", "iris", "--positive", "setosa", "--algorithm", "margin-perceptron", "--parameter", "beta=2")
    code, fields = json_answer(capsys, *command)
    iris = mm.load("iris", positive="setosa")
    made = mm.online(iris.X, iris.y, "margin-perceptron", beta=2.0)
    assert code == 0 and fields["schema"] == "maxmargin.online/1"
    assert fields["parameters"] == {"beta": 2}
    assert (fields["n_updates"], fields["n_mistakes"]) == (made.n_updates, made.n_mistakes)
    assert fields["w"] == made.w.tolist() and fields["update_rows"] == made.update_rows.tolist()
    assert [entry["name"] for entry in fields["guarantees"]] == ["updates", "margin"]
    assert all(entry["applies"] and entry["holds"] for entry in fields["guarantees"])
    known = mm.hard_margin(iris.X, iris.y)
    assert fields["margin"] <= known.upper and fields["maximum_margin"]["lower"] <= known.upper
    assert fields["run_margin"] <= fields["run_maximum_margin"]["upper"] <= fields["maximum_margin"]["upper"]


def test_a_guarantee_without_its_assumption_does_not_apply(capsys: Capture) -> None:
    code, fields = json_answer(capsys, "online", "xor", "--algorithm", "perceptron", "--max-epochs", "5")
    assert (code, fields["stop_reason"], fields["n_epochs"]) == (3, "max_epochs", 5)
    assert fields["maximum_margin"]["status"] == "overlap"
    assert {(entry["applies"], entry["holds"]) for entry in fields["guarantees"]} == {(False, None)}
    assert run(["online", "xor", "-a", "perceptron", "--max-epochs", "5"]) == 3
    assert "overlap, proven: no hyperplane has a positive margin" in capsys.readouterr().out


def test_several_algorithms_make_a_table(capsys: Capture) -> None:
    command = ["online", "iris", "--positive", "setosa", "-a", "alma", "-a", "pa", "--parameter", "alpha=0.9"]
    code, fields = json_answer(capsys, *command)
    assert code == 3 and fields["schema"] == "maxmargin.online-comparison/1"  # pa does not come to rest
    alma, pa = fields["runs"]
    assert (alma["algorithm"], alma["parameters"]["alpha"], alma["converged"]) == ("alma", 0.9, True)
    assert (pa["algorithm"], pa["parameters"], pa["converged"]) == ("pa", {}, False)
    lines = printed(capsys, *command, "--max-epochs", "13", code=3).splitlines()
    assert lines[2].split()[:4] == ["algorithm", "updates", "mistakes", "epochs"]
    counts = [str(alma[name]) for name in ("n_updates", "n_mistakes", "n_epochs")]
    assert lines[3].split()[:5] == ["alma", *counts, "converged"] and lines[3].endswith("2 held")


def test_an_algorithm_that_cannot_run_says_why(capsys: Capture) -> None:
    command = ("online", "agresti", "--no-bias", "-a", "winnow", "-a", "perceptron", "--max-epochs", "3")
    code, fields = json_answer(capsys, *command)
    assert code == 3 and fields["runs"][0]["algorithm"] == "winnow" and "bias" in fields["runs"][0]["reason"]
    assert fields["runs"][1]["n_epochs"] == 3
    assert "fixed threshold" in refusal(capsys, "online", "agresti", "--no-bias", "-a", "winnow")


def test_all_algorithms_run(capsys: Capture) -> None:
    code, fields = json_answer(capsys, "online", "and", "--algorithm", "all", "--max-epochs", "2", "-q")
    assert code == 3 and [entry["algorithm"] for entry in fields["runs"]] == list(ALGORITHMS)
    kernels = [entry["algorithm"] for entry in fields["runs"] if entry.get("is_kernel")]
    assert kernels == ["kernel-perceptron"]
    assert not any(guarantee["holds"] is False for entry in fields["runs"] for guarantee in entry.get("guarantees", []))


def test_the_catalogue_states_what_runs_guarantee() -> None:
    for name, entry in entries().items():
        made = mm.online([[0.0], [1.0], [3.0]], [0, 0, 1], name, max_epochs=2, rng=0)
        assert entry.guarantees == tuple(guarantee.statement for guarantee in made.guarantees), name


def test_the_list_needs_no_source(capsys: Capture) -> None:
    out = printed(capsys, "online", "--list")
    assert re.search(r"^alma  alpha=0.5  p=2.0$", out, re.MULTILINE)
    assert re.search(r"^winnow  factor=2.0  threshold=\(by the data\)$", out, re.MULTILINE)
    assert out.count("guarantee: ") == sum(len(entry.guarantees) for entry in entries().values())
    code, fields = json_answer(capsys, "online", "--list")
    assert code == 0 and [entry["name"] for entry in fields["algorithms"]] == list(ALGORITHMS)


def test_an_interrupted_table_keeps_its_rows(capsys: Capture) -> None:
    def interrupt(arguments: dict[str, Any]) -> None:
        if arguments["algorithm"].name == "pa":
            raise KeyboardInterrupt

    with calling(run_online, interrupt):
        code, fields = json_answer(capsys, "online", "and", "-a", "perceptron", "-a", "pa", "-a", "alma")
    assert code == 130 and [entry["algorithm"] for entry in fields["runs"]] == ["perceptron"]


def test_bounds_are_those_of_the_library(capsys: Capture) -> None:
    code, fields = json_answer(capsys, "bounds", "iris", "--positive", "setosa", "--n-passes", "4")
    iris = mm.load("iris", positive="setosa")
    known = {bound.name: bound for bound in mm.mistake_bounds(iris.X, iris.y, n_passes=4)}
    assert code == 0 and fields["schema"] == "maxmargin.bounds/1"
    assert {bound["name"] for bound in fields["bounds"]} == set(known)
    for bound in fields["bounds"]:
        same = known[bound["name"]]
        assert bound["valid"] is same.valid and bound["vacuous"] is same.vacuous
        assert bound["value"] == (same.value if np.isfinite(same.value) else None)
        assert bound["ratio"] == (same.ratio(fields["n_mistakes"]) if same.valid else None)
        assert bound["holds_for"] == same.holds_for
    assert fields["n_mistakes"] == mm.perceptron(iris.X, iris.y, max_epochs=4).n_mistakes == 5


@pytest.mark.parametrize("options_given", [(), ("--until-convergence",), ("--bias-scale", "best", "--n-passes", "3")])
def test_bounds_that_hold_come_first_and_hold(capsys: Capture, options_given: tuple[str, ...]) -> None:
    code, fields = json_answer(capsys, "bounds", "agresti", *options_given)
    valid = [bound["valid"] for bound in fields["bounds"]]
    values = [bound["value"] for bound in fields["bounds"] if bound["valid"]]
    assert code == 0
    assert valid == sorted(valid, reverse=True) and any(valid) and not all(valid)
    assert values == sorted(values) and values[0] >= fields["n_mistakes"]


def test_the_table_of_bounds_is_about_the_run_of_the_command_perceptron(capsys: Capture) -> None:
    _, fields = json_answer(capsys, "bounds", "iris", "--positive", "setosa")
    assert fields["n_mistakes"] == json_answer(capsys, "perceptron", "iris", "--positive", "setosa")[1]["n_mistakes"]
    out = printed(capsys, "bounds", "iris", "--positive", "setosa")
    assert "M = 5 mistakes in 4 epochs" in out and "every row has norm" not in out
    rows = [re.match(r"(\w+) +([\d,]+) +[\d.]+ %  (.+)", line) for line in out.splitlines()]
    shown = [(row[1], row[2], row[3]) for row in rows if row is not None]
    holding = [bound for bound in fields["bounds"] if bound["valid"] and not bound["vacuous"]]
    assert shown == [(b["name"], f"{math.floor(b['value']):,}", b["holds_for"]) for b in holding]
    assert "unit_norm" in out.split("not proven to hold here")[1]
    explained = printed(capsys, "bounds", "iris", "--positive", "setosa", "--explain")
    assert "every row has norm" in explained.replace("\n      ", " ")


def test_bounds_of_data_without_a_best_scale_say_so(capsys: Capture) -> None:
    assert run(["bounds", "xor", "--bias-scale", "best"]) == 0
    assert "bias scale is 1" in capsys.readouterr().err


def test_fewest_errors_names_the_rows_to_drop(capsys: Capture, named: str) -> None:
    code, fields = json_answer(capsys, "fewest-errors", named, "--id", "who")
    assert code == 0 and fields["schema"] == "maxmargin.fewest-errors/1"
    assert (fields["lower"], fields["upper"], fields["is_optimal"]) == (1, 1, True)
    data = mm.load(named, id="who")
    rest = np.delete(np.arange(5), fields["error_rows"])
    assert mm.separability(data.X[rest], data.y[rest]).verdict == "separable"
    assert fields["error_rows_ids"] == [["ann", "bob", "cid", "dan", "eve"][row] for row in fields["error_rows"]]
    slack = mm.least_total_slack(data.X, data.y)
    assert (fields["total_slack"]["lower"], fields["total_slack"]["upper"]) == (slack.lower, slack.upper)
    assert run(["fewest-errors", named, "--id", "who"]) == 0
    assert f"so that the rest is separable: {fields['error_rows_ids'][0]}" in capsys.readouterr().out


def test_fewest_errors_numbers_rows_of_the_source(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "gaps.csv"
    path.write_text("x,y\n,no\n1,no\n2,yes\n3,yes\n4,no\n5,no\n")  # without the no at 1 a threshold separates
    code, fields = json_answer(capsys, "fewest-errors", str(path), "--drop-missing")
    assert (code, fields["upper"], fields["error_rows"]) == (0, 1, [1])
    assert fields["witnesses"] and all(1 in rows and 0 not in rows for rows in fields["witnesses"])


def test_fewest_errors_past_the_limit_is_an_interval(capsys: Capture) -> None:
    command = ("fewest-errors", "iris", "--positive", "versicolor", "--time-limit", "1e-6", "-q")
    code, fields = json_answer(capsys, *command)
    assert code == 4 and fields["lower"] < fields["upper"] <= 50 and "time limit" in fields["reason"]


def test_a_formula_is_a_source(capsys: Capture) -> None:
    code, fields = json_answer(capsys, "margin", "formula:(x1 | x4) & ~x3", "--exact")
    assert (code, fields["margin_squared"], fields["margin"]) == (0, "1/6", pytest.approx(6**-0.5))
    assert (fields["n_samples"], fields["n_features"]) == (16, 4)


def test_formulas_are_generated_with_their_truth(capsys: Capture, tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    assert run(["generate", "formula:(x1 | x4) & ~x3", "-o", str(path), "-q"]) == 0
    truth = json.loads(path.with_suffix(".truth.json").read_text())
    assert truth["margin_squared"] == "1/6" and truth["verdict"] == "separable"
    assert truth["verdict_through_origin"] == "quasi-separable"  # w = (1, 0, -2, 1) touches where x1 = x3 = x4
    assert truth["touching_rows_through_origin"] == [0, 4, 11, 15]
    capsys.readouterr()
    code, fields = json_answer(capsys, "check", str(path))
    assert (code, fields["n_samples"]) == (0, 16)
    assert "seed" in refusal(capsys, "generate", "formula:x1", "--seed", "1")


OF_NO_BIAS = {
    "perceptron --max-epochs 3": "upper bound of the maximum margin through the origin: ",
    "bounds --n-passes 3": ", through the origin",
    "orders --n-orders 2 --n-search 0 --n-sequence 0": "seed 0, through the origin",
    "margin --soft 1": "proven interval of the optimum through the origin [",
    "fewest-errors": "least total slack through the origin, sum of (1 - y(w.x))_+",
}


@pytest.mark.parametrize("command", OF_NO_BIAS)
def test_numbers_without_a_bias_are_said_to_be_of_hyperplanes_through_the_origin(command: str, capsys: Capture) -> None:
    """The rows 10 to 40 against 60 to 90 have the margin 10, but overlap through the origin."""
    name, *limits = command.split()
    for bias in (True, False):
        arguments = [name, "agresti", *limits, *([] if bias else ["--no-bias"]), "-q"]
        run(arguments)
        out = capsys.readouterr().out
        assert ("through the origin" not in out) if bias else (OF_NO_BIAS[command] in out and "bias scale" not in out)
        _, fields = json_answer(capsys, *arguments)
        assert fields["bias"] is bias


def test_a_run_points_to_the_check_of_the_same_question(capsys: Capture) -> None:
    """Of prepared data there is no check, and theirs is another question: rows of norm 1 may overlap."""
    last = {}
    for asked in ("", "--no-bias", "--prepare unit"):
        run(["perceptron", "agresti", "--max-epochs", "3", *asked.split()])
        last[asked] = [line for line in capsys.readouterr().out.splitlines() if "maxmargin check" in line]
    assert [line.endswith("maxmargin check") for line in last[""]] == [True]
    assert [line.endswith("maxmargin check --no-bias") for line in last["--no-bias"]] == [True]
    assert last["--prepare unit"] == []


def test_scales_are_refused_by_their_name_where_no_scale_is_best(capsys: Capture) -> None:
    message = refusal(capsys, "orders", "xor", "-q", "--scales")
    assert "a study of bias scales needs separable data; found overlap" in message
