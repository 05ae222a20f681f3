"""``maxmargin judge`` as a user types it: planes from files and from other commands, and hostile JSON."""

import json
import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import for_each
from commands import Capture, completed, json_answer, printed, refusal
from table_files import text_file

import maxmargin as mm
from maxmargin.cli.app import run

NAMED = "who,length,width,label\nann,1,2,no\nbob,2,1,no\ncid,4,5,yes\ndan,5,4,yes\neve,1.5,1.5,yes\n"


@pytest.fixture
def named(tmp_path: Path) -> str:
    return str(text_file(tmp_path, NAMED, "named.csv"))


def plane(folder: Path, content: Any) -> str:
    return str(text_file(folder, content if isinstance(content, str) else json.dumps(content), "plane.json"))


def test_the_command_says_what_the_function_says(capsys: Capture, tmp_path: Path) -> None:
    w = [-0.05, 0.52, -1.0, -0.46]
    options = ("--positive", "setosa", "--plane", plane(tmp_path, {"w": w, "b": 1.45}))
    code, fields = json_answer(capsys, "judge", "iris", *options)
    judged = mm.judge(mm.load("iris", positive="setosa"), None, w, 1.45)
    assert code == 0 and fields["schema"] == "maxmargin.judge/1"
    own = judged.to_dict()
    assert {name: fields[name] for name in own} == own
    names = {"margin", "error_rows", "share_lower", "share_upper", "gamma_lower", "gamma_upper", "in_cone", "novikoff"}
    assert names | {"freund_schapire", "g", "curve"} <= set(fields)
    named_columns = printed(capsys, "judge", "iris", *options)
    assert named_columns.splitlines()[1:6] == judged.summary().splitlines()[:5]


def test_the_exit_code_says_whether_it_separates(capsys: Capture, tmp_path: Path) -> None:
    code, fields = json_answer(capsys, "judge", "agresti", "--plane", plane(tmp_path, {"w": [1], "b": -48}))
    assert (code, fields["separates"], fields["margin"], fields["gamma_upper"]) == (0, True, 8.0, 10.0)
    code, fields = json_answer(capsys, "judge", "agresti", "--plane", plane(tmp_path, {"w": [1], "b": -60}))
    assert (code, fields["separates"], fields["error_rows"], fields["novikoff"]) == (3, False, [4], None)
    assert fields["in_cone"] is False and fields["share_upper"] == 0
    out = printed(capsys, "judge", "xor", "--plane", plane(tmp_path, {"w": [1, 1]}), code=3)
    assert "there is none, as no hyperplane separates strictly" in out


def test_weights_by_name_and_rows_by_id(capsys: Capture, named: str, tmp_path: Path) -> None:
    path = plane(tmp_path, {"w": {"width": 1, "length": 2}, "b": -9.0})
    code, fields = json_answer(capsys, "judge", named, "--id", "who", "--plane", path)
    assert code == 3 and fields["w"] == [2.0, 1.0]
    assert fields["error_rows"] == [4] and fields["error_rows_ids"] == ["eve"]
    out = printed(capsys, "judge", named, "--id", "who", "--plane", path, code=3)
    assert "does not separate: 1 of 5 rows are on the hyperplane or on the wrong side" in out
    assert "    length: 2.0\n    width: 1.0\n" in out


def test_rows_that_were_left_out_keep_their_numbers(capsys: Capture, tmp_path: Path) -> None:
    path = text_file(tmp_path, "x,y\n0,0\n,0\n2,1\n0.5,1\n", "gap.csv")
    options = ("--drop-missing", "--plane", plane(tmp_path, {"w": [1], "b": -1}))
    _, fields = json_answer(capsys, "judge", str(path), *options)
    assert fields["error_rows"] == [3]


@pytest.mark.parametrize("command", ["margin", "perceptron", "margin --soft 10"])
@pytest.mark.parametrize("bias", [[], ["--no-bias"]])
def test_answers_of_other_commands_are_planes(capsys: Capture, tmp_path: Path, command: str, bias: list[str]) -> None:
    data = ["iris", "--positive", "setosa"]
    _, answer = json_answer(capsys, *command.split(), *data, *bias)
    path = plane(tmp_path, answer)
    code, fields = json_answer(capsys, "judge", *data, "--plane", path)
    assert code == 0 and fields["bias"] is (not bias) and fields["w"] == answer["w"]
    assert fields["margin"] == answer["margin"] or "--soft" in command
    assert 0 < fields["share_lower"] <= fields["share_upper"] <= 1
    assert (fields["share_lower"] > 1 - 1e-9) is ("margin" in command)  # with this C no row has slack


def test_the_other_class_is_the_positive_one(capsys: Capture, named: str, tmp_path: Path) -> None:
    for label, other in (("yes", "no"), ("no", "yes")):
        _, answer = json_answer(capsys, "perceptron", named, "--id", "who", "--positive", label, "--max-epochs", "3")
        path = plane(tmp_path, answer)
        _, same = json_answer(capsys, "judge", named, "--id", "who", "--positive", label, "--plane", path)
        _, turned = json_answer(capsys, "judge", named, "--id", "who", "--positive", other, "--plane", path)
        assert same["error_rows"] == turned["error_rows"] and same["margin"] == turned["margin"]
        assert turned["w"] == [-weight for weight in same["w"]] and same["w"] == answer["w"]
    _, answer = json_answer(capsys, "margin", "iris", "--positive", "setosa")
    err = refusal(capsys, "judge", "iris", "--positive", "virginica", "--plane", plane(tmp_path, answer))
    assert "positive: found the text 'setosa', expected one of the classes 'virginica'" in err


def test_numbers_as_labels_of_an_answer(capsys: Capture, tmp_path: Path) -> None:
    _, answer = json_answer(capsys, "margin", "agresti")
    code, fields = json_answer(capsys, "judge", "agresti", "--plane", plane(tmp_path, answer))
    assert code == 0 and fields["share_lower"] == 1.0
    code, fields = json_answer(capsys, "judge", "agresti", "--positive", "-1", "--plane", plane(tmp_path, answer))
    assert code == 0 and fields["share_lower"] == 1.0 and fields["w"] == [-answer["w"][0]]


def test_kinds_of_bias(capsys: Capture, tmp_path: Path) -> None:
    path = text_file(tmp_path, "a,b,y\n1,3,0\n2,3,0\n4,3,1\n", "d.csv")
    for content, options, bias in (
        ({"w": [1, -1]}, [], False), ({"w": [1, -1], "b": 0.5}, [], True), ({"w": [1, -1], "bias": True}, [], True),
        ({"w": [1, -1], "bias": True}, ["--no-bias"], False),
    ):  # fmt: skip
        code, fields = json_answer(capsys, "judge", str(path), "--plane", plane(tmp_path, content), *options)
        assert code == 0 and fields["bias"] is bias
        run(["judge", str(path), "--plane", plane(tmp_path, content), *options])
        assert ("through the origin" in capsys.readouterr().out) is not bias
    err = refusal(capsys, "judge", path, "--no-bias", "--plane", plane(tmp_path, {"w": [1, -1], "b": 0.5}))
    assert "b: found 0.5, expected 0, as --no-bias asks" in err


def test_g_chooses_the_bound(capsys: Capture, tmp_path: Path) -> None:
    path = plane(tmp_path, {"w": [-0.05, 0.52, -1, -0.46], "b": 1.45})
    command = ("judge", "iris", "--positive", "setosa", "--plane", path)
    _, best = json_answer(capsys, *command)
    _, chosen = json_answer(capsys, *command, "--g", "0.25")
    assert chosen["g"] == 0.25 and [0.25, chosen["freund_schapire"]] in chosen["curve"]
    assert chosen["freund_schapire"] > best["freund_schapire"] == min(bound for _, bound in best["curve"])
    for g in ("0", "-1", "inf", "nan", "x"):
        assert "--g" in refusal(capsys, *command, "--g", g)


@pytest.mark.slow
def test_the_plane_comes_from_the_standard_input() -> None:
    done = completed("judge", "agresti", "--plane", "-", input='{"w": [1], "b": -50}')
    assert done.returncode == 0 and "geometric margin in [10.0, 10.0]" in done.stdout
    both = completed("judge", "-", "--plane", "-", input="{}")
    assert both.returncode == 2 and "both SOURCE and --plane are -" in both.stderr
    bad = completed("judge", "agresti", "--plane", "-", input='{"w":\n [1,}')
    assert bad.returncode == 2 and bad.stderr.startswith("maxmargin: standard input: line 2: found no JSON (")


def test_the_data_may_come_from_the_standard_input(tmp_path: Path) -> None:
    done = completed("judge", "-", "--plane", plane(tmp_path, {"w": [1], "b": -1.5}), input="x,y\n1,no\n2,yes\n")
    assert done.returncode == 0 and "separates: all 2 rows" in done.stdout


BAD_PLANES = [
    ("", ["line 1", "found no JSON"]),
    ("\n\n{", ["line 3", "found no JSON"]),
    ('{"w": [1,\n2,,]}', ["line 2", "found no JSON"]),
    ("[1, 2]", ["found a list of length 2", 'expected an object such as {"w"']),
    ("{}", ["found no key 'w'"]),
    ('{"W": [1, 2]}', ["found no key 'w' among 'W'"]),
    ('{"w": null}', ["w: found null", "found no hyperplane"]),
    ('{"w": "1, 2"}', ["w: found the text '1, 2'"]),
    ('{"w": [1, "2"]}', ["w[1] is '2'; expected a finite number"]),
    (f'{{"w": [1, 1{"0" * 5000}]}}', ["w[1] is '1000"]),
    ('{"w": [1, 1e999]}', ["w[1] is '1e999'"]),
    ('{"w": [1, -0.10E-999]}', ["w[1] is '-0.10E-999'"]),
    ('{"w": [1, 2], "b": 1e-999}', ["b is '1e-999'; expected a finite number that binary64 holds"]),
    ('{"w": [1, 2], "b": false}', ["b is False"]),
    ('{"w": [1, 2], "b": null}', ["b is None; expected a finite number"]),
    ('{"w": [1, 2], "w": [2, 1]}', ["found the key 'w' twice"]),
    ('{"w": {"length": 1, "width": "x"}}', ["w['width'] is 'x'"]),
    ('{"w": [1, 2], "b": 1, "bias": false}', ["b is 1.0 and bias is False; expected b = 0"]),
    ('{"w": [1, 2], "prepare": "standardize"}', ["prepare: found the text 'standardize'"]),
    ('{"w": [1, 2], "positive": ["yes"]}', ["positive: found a list"]),
    ('{"w": [1, 2], "positive": "maybe"}', ["positive: found the text 'maybe'", "'yes' (+1) and 'no' (-1)"]),
    ("[" * 100_000, ["nested too deeply"]),
    ('{"w": [1, 2], "more": ' + "[" * 100_000 + "]" * 100_000 + "}", ["nested too deeply"]),
]


@for_each("content, words", BAD_PLANES)
def test_a_bad_plane_is_refused_in_one_line(
    content: str, words: list[str], named: str, tmp_path: Path, capsys: Capture
) -> None:
    path = plane(tmp_path, content)
    err = refusal(capsys, "judge", named, "--id", "who", "--plane", path)
    assert err.startswith(f"maxmargin: {path}: ") and len(err) < 500
    assert all(word in err for word in words), err


def test_files_that_cannot_be_read(named: str, tmp_path: Path, capsys: Capture) -> None:
    assert "found no such file" in refusal(capsys, "judge", named, "--plane", tmp_path / "none.json")
    binary = tmp_path / "plane.bin"
    binary.write_bytes(b'{"w":\n\xff}')
    assert "line 2: found the byte 0xff, expected UTF-8" in refusal(capsys, "judge", named, "--plane", binary)
    assert "--plane" in refusal(capsys, "judge", named)
    of_iris = plane(tmp_path, {"w": [1] * 4})
    assert "needs two: choose one with --positive" in refusal(capsys, "judge", "iris", "--plane", of_iris)


def test_names_in_a_plane_do_not_reach_the_terminal(named: str, tmp_path: Path, capsys: Capture) -> None:
    for evil in ("\x1b[2J", "a\nmaxmargin: fine", "\u202e", "\x00", "\ud800"):
        for content in ({"w": {evil: 1}}, {"w": [1, evil]}, {"w": [1, 2], "positive": evil}, {"w": {evil: evil}}):
            err = refusal(capsys, "judge", named, "--id", "who", "--plane", plane(tmp_path, content))
            assert err[:-1].isprintable()


def test_damaged_planes_are_judged_or_refused(named: str, tmp_path: Path, capsys: Capture) -> None:
    _, answer = json_answer(capsys, "perceptron", named, "--id", "who", "--max-epochs", "2")
    whole, random_numbers = json.dumps(answer), random.Random(0)
    for _ in range(60):
        text = list(whole)
        for _ in range(random_numbers.choice([1, 1, 3])):
            text[random_numbers.randrange(len(text))] = random_numbers.choice('{}[]",:.0129e-+ntfx\n\\\x00')
        path = plane(tmp_path, "".join(text[: random_numbers.choice([len(text), random_numbers.randrange(len(text))])]))
        code = run(["judge", named, "--id", "who", "--plane", path, "--json", "-q"])
        out, err = capsys.readouterr()
        assert code in (0, 2, 3) and err.count("\n") == (code == 2)
        assert code == 2 or json.loads(out)["schema"] == "maxmargin.judge/1"


@pytest.mark.parametrize("memory", ["1GiB", "1KiB"])
def test_a_file_that_stays_on_disk(capsys: Capture, tmp_path: Path, memory: str) -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 2))
    y = np.where(X[:, 0] > 0, 1, -1)
    np.savez(tmp_path / "d.npz", X=X, y=y)
    path = plane(tmp_path, {"w": [1, 0.001], "b": 1e-6})
    code, fields = json_answer(capsys, "judge", str(tmp_path / "d.npz"), "--plane", path, "--memory", memory, "-q")
    expected = mm.judge(X, y, [1, 0.001], 1e-6)
    assert code == (0 if expected.separates else 3)
    assert fields["error_rows"] == expected.error_rows.tolist() and fields["margin"] == expected.margin
    assert math.isclose(fields["freund_schapire"], expected.freund_schapire, rel_tol=1e-12)
