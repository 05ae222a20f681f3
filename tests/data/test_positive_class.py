"""Which class is +1, and why: one rule at every door, and in every answer."""

import json
import pickle
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from calls import VERBS
from cases import for_each
from commands import json_answer
from table_files import text_file

import maxmargin as mm
from maxmargin.cli.app import run
from maxmargin.data.labels import PAIRS, default_positive

X = np.array([[0.0, 1.0], [1.0, 3.0], [2.0, 0.5], [4.0, 1.0]])

AFFIRMATIVE = [
    ("+", "-"), ("+1", "\N{MINUS SIGN}1"), ("True", "False"), ("YES", "no"), ("Positive", "Negative"),
    ("Diseased", "healthy"), ("diabetic", "non-diabetic"), ("spam", "not_spam"), (" yes", "no "),
]  # fmt: skip


@for_each(("affirmative", "other"), AFFIRMATIVE)
def test_the_affirmative_is_plus_one_whatever_the_order(tmp_path: Path, affirmative: str, other: str) -> None:
    for labels in ([affirmative, other, other, affirmative], [other, affirmative, affirmative, other]):
        signs = [1 if label == affirmative else -1 for label in labels]
        path = text_file(
            tmp_path, "a,b,y\n" + "".join(f"{a},{b},{y}\n" for (a, b), y in zip(X.tolist(), labels, strict=True))
        )
        doors = (
            mm.load(path), mm.load(path, memory=1), mm.load(pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": labels})),
            mm.from_arrays(X, labels), mm.from_arrays(X, np.array(labels)),
            mm.from_arrays(X, pd.Series(labels, dtype="category")),
        )  # fmt: skip
        for dataset in doors:
            assert dataset.y.tolist() == signs and dataset.positive_reason.startswith("the affirmative of ")


@for_each(
    "classes, positive", [(("a", "b"), "b"), (("no", "yes and no"), "yes and no"), (("-", "0"), "0"), ((3, 7), 7)]
)
def test_all_others_go_by_order(classes: tuple[Any, Any], positive: object) -> None:
    assert default_positive(classes) == (positive, "the greater label in sorted order")


def test_pairs_are_not_turned_round() -> None:
    assert not {(other, label) for label, other in PAIRS} & PAIRS


def test_a_choice_goes_before_the_rule_and_says_so() -> None:
    dataset = mm.from_arrays(X, ["yes", "no", "no", "yes"], positive="no")
    assert (dataset.positive, dataset.positive_reason) == ("no", "as chosen")
    three = mm.from_arrays(X, ["+", "-", "0", "+"])
    assert (three.positive, three.positive_reason, three.classes) == (None, None, ("+", "-", "0"))
    assert three.one_vs_rest("-").positive_reason == "the class against the rest"
    assert three.pair("+", "-").positive_reason == "the second class of the pair"


@pytest.mark.slow
def test_every_answer_names_the_class_and_the_reason() -> None:
    y = ["+", "-", "-", "+"]
    for name in VERBS.keys() - {"mistake_bounds", "mistake_trace"}:
        for rows in (X, pd.DataFrame(X, columns=["a", "b"])):
            answer = VERBS[name](rows, y)
            assert (answer.positive, answer.positive_reason) == ("+", "the affirmative of +/-"), name
    chosen = pickle.loads(pickle.dumps(mm.hard_margin(X, y, positive="-")))
    assert (chosen.positive, chosen.positive_reason) == ("-", "as chosen")
    many = mm.separability(X, ["+", "-", "0", "+"])
    assert (many.positive, many.positive_reason) == (None, None)
    data = mm.margin_report(mm.from_arrays(X, y), orders=0).to_dict()["data"]
    assert (data["positive"], data["positive_reason"]) == ("+", "the affirmative of +/-")


@pytest.fixture
def file(tmp_path: Path) -> str:
    path = text_file(tmp_path, "x,y\n0,-\n1,+\n2,-\n3,+\n4,+\n")
    return str(path)


COMMANDS = {
    "check": [], "margin": [], "margin --soft": ["--soft", "1"], "perceptron": ["--max-epochs", "5"],
    "online": ["--max-epochs", "5"], "bounds": [], "fewest-errors": [],
    "orders": ["--n-orders", "5", "--n-search", "5", "--n-sequence", "5"],
    "report": ["--orders", "0", "--max-epochs", "5"],
}  # fmt: skip


@pytest.mark.slow
@for_each("name", COMMANDS)
def test_every_command_says_which_class_is_plus_one(name: str, file: str, capsys: pytest.CaptureFixture[str]) -> None:
    command = [name.split()[0], file, *COMMANDS[name], "--quiet"]
    _, fields = json_answer(capsys, *command)
    fields = fields["data"] if name == "report" else fields
    assert (fields["positive"], fields["positive_reason"]) == ("+", "the affirmative of +/-")
    run([*command, "--positive", "-"])
    text = capsys.readouterr().out
    assert "(as chosen)" in text and "+1 is" in text


def test_tables_of_classes_say_it_for_every_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = text_file(tmp_path, "x,y\n0,a\n1,b\n2,c\n3,a\n", "three.csv")
    _, fields = json_answer(capsys, "check", str(path))
    assert (fields["positive"], fields["positive_reason"]) == (None, None)
    assert all(entry["positive"] == entry["class"] for entry in fields["one_vs_rest"])
    assert all(entry["positive"] == entry["classes"][1] for entry in fields["pairs"])
    _, tables = json_answer(capsys, "report", str(path), "--orders", "0", "--max-epochs", "3", "--quiet")
    for table in (fields, tables):
        assert {entry["positive_reason"] for entry in table["one_vs_rest"]} == {"the class against the rest"}
        assert {entry["positive_reason"] for entry in table["pairs"]} == {"the second class of the pair"}


def test_proofs_from_before_the_rule_still_hold(tmp_path: Path, file: str) -> None:
    """A proof in which "-" is +1, as it was by sorted order, names it or does not: both are found by the hash."""
    proof = tmp_path / "p.json"
    assert run(["check", file, "--positive", "-", "--proof", str(proof), "--quiet"]) == 3
    document = json.loads(proof.read_text())
    assert document["data"]["positive"] == "-"
    for positive in ("-", None):
        document["data"]["positive"] = positive
        proof.write_text(json.dumps(document))
        assert run(["verify", str(proof), file, "--quiet"]) == 0


def test_a_margin_proof_names_the_class(tmp_path: Path) -> None:
    path, proof = tmp_path / "data.csv", tmp_path / "p.json"
    path.write_text("x,y\n0,-\n1,-\n2,+\n")
    assert run(["margin", str(path), "--proof", str(proof), "--quiet"]) == 0
    assert json.loads(proof.read_text())["data"]["positive"] == "+"
    from maxmargin.solvers.proof.checker import main as check_alone

    assert check_alone([str(proof), str(path)]) == 0


def test_many_different_numbers_are_a_quantity() -> None:
    X = np.arange(120.0).reshape(-1, 1)
    ages = np.arange(120) % 41 + 30
    with pytest.raises(mm.InvalidProblemError, match=r"41 different numbers in 120 rows, such as 30, .*'class 30'"):
        mm.from_arrays(X, ages)
    with pytest.raises(mm.InvalidProblemError, match="a quantity"):
        mm.separability(pd.DataFrame({"x": X[:, 0], "age": ages}), "age ~ x")
    assert len(mm.from_arrays(X, [f"class {age}" for age in ages]).classes) == 41
    assert mm.from_arrays(X, ages, positive=40).notes == ()
    assert mm.from_arrays(X, np.arange(120) % 20).notes == ()
    (note,) = mm.from_arrays(X, np.arange(120) % 40).notes
    assert note == "the label column 'y' has 40 different numbers, such as 0, 1, 2: is it a quantity?"
    answer = mm.separability(X[:10], [0, 0, 0, 10, 10, 11, 11, 12, 12, 12])
    assert "the label column 'y' has 4 different numbers, such as 0, 10, 11: is it a quantity?" in answer.summary()
