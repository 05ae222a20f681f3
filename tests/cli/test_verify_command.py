"""``maxmargin verify`` as a user types it: what holds, what does not, what cannot be read."""

import io
import json
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from commands import Capture, answered
from table_files import table_file

import maxmargin as mm
from maxmargin.certificates.proofs import write_proof
from maxmargin.cli.app import run
from maxmargin.solvers.proof import checker

DATA = "size,junk,kind\n10,a,no\n20,b,no\n30,c,no\n60,d,yes\n70,e,yes\n"
SOURCE: Any = {"source": "data.csv", "label": "kind", "positive": None, "drop": ["junk"], "id": None}

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def verify(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run the command in a folder of its own; return its exit code and what it wrote."""
    monkeypatch.chdir(tmp_path)
    return partial(answered, capsys, "verify")


@pytest.fixture
def proof(tmp_path: Path) -> Path:
    """The proof that DATA are separable, beside them."""
    (tmp_path / "data.csv").write_text(DATA, encoding="utf-8")
    dataset = mm.load(tmp_path / "data.csv", label="kind", drop="junk")
    certificate = mm.separability(dataset.X, dataset.y).certificate
    write_proof(tmp_path / "p.json", certificate, **SOURCE)
    return tmp_path / "p.json"


def changed(proof: Path, **data: Any) -> None:
    document = json.loads(proof.read_text(encoding="utf-8"))
    document["data"] |= data
    proof.write_text(json.dumps(document), encoding="utf-8")


def one_line(code: int, result: tuple[int, str, str]) -> str:
    """Return the only line of an answer with this exit code: on the output, or on the other stream for bad input."""
    found, *streams = result
    said, silent = streams[:: -1 if code == 2 else 1]
    assert (found, silent, said.count("\n")) == (code, "", 1)
    return said


def test_a_proof_of_a_file_holds(verify: Run, proof: Path) -> None:
    code, out, err = verify("p.json", "data.csv")
    assert (code, err) == (0, "")
    classes = "'yes' (+1, the greater: the proof names none) against 'no'"
    statement = f"valid: separable (two-class: {classes}; hyperplanes with a bias; 5 rows x 1 column; binary64)"
    assert out == f"{statement} for data.csv, label kind\n"
    assert checker.main(["p.json", "data.csv"]) == 0


@pytest.mark.parametrize("name", ["no", "junk", "", 1, True, 10**400, [], {}, {"yes": 1}, 0.5])
def test_another_positive_class_is_refused(verify: Run, proof: Path, name: Any) -> None:
    changed(proof, positive="yes")
    code, out, _ = verify("p.json", "data.csv")
    assert code == 0 and "two-class: 'yes' (+1) against 'no'" in out
    changed(proof, positive=name)
    one_line(3, verify("p.json", "data.csv"))
    assert checker.main(["p.json", "data.csv"]) == 3


def test_as_json(verify: Run, proof: Path) -> None:
    code, out, _ = verify("p.json", "data.csv", "--json")
    fields = json.loads(out)
    assert (code, fields["schema"]) == (0, "maxmargin.verify/1")
    assert (fields["valid"], fields["claim"], fields["reason"]) == (True, "separable", None)
    assert fields["statement"].startswith("separable (two-class: 'yes' (+1")
    proof.write_text('{"claim": "separable"}', encoding="utf-8")
    code, out, _ = verify("p.json", "data.csv", "--json")
    fields = json.loads(out)
    assert (code, fields["valid"], fields["claim"], fields["statement"]) == (3, False, None, None)
    assert fields["reason"].startswith("not a proof")


def test_the_same_data_from_other_sources_hold(verify: Run, proof: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dataset = mm.load("data.csv", label="kind", drop="junk")
    table = pa.table({"kind": dataset.labels.tolist(), "size": dataset.X[:, 0], "junk": ["?"] * 5})
    for source in ("data.csv.gz", "data.parquet"):
        table_file(Path(source), table)
        assert verify("p.json", source)[0] == 0
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(DATA.encode())))
    assert verify("p.json", "-")[0] == 0


def test_the_first_false_statement_is_named(verify: Run, proof: Path) -> None:
    document = json.loads(proof.read_text(encoding="utf-8"))
    proof.write_text(json.dumps({**document, "direction": ["1", "-25"]}), encoding="utf-8")
    assert verify("p.json", "data.csv") == (3, "invalid: row 2: z.v > 0 is false\n", "")


@pytest.mark.parametrize("old, new", [
    ("70", "71"), ("30,c,no", "30,c,yes"), ("kind", "sort"), ("junk", "jnk"), ("70", "seventy"), ("70", ""),
    ("yes", "no"), ("70,e,yes\n", ""), (DATA, "kind,junk\nno,1\nyes,2\n"),
])  # fmt: skip
def test_other_data_that_can_be_read_are_not_the_proofs(verify: Run, proof: Path, old: str, new: str) -> None:
    Path("data.csv").write_text(DATA.replace(old, new), encoding="utf-8")
    assert one_line(3, verify("p.json", "data.csv")).startswith("invalid: these are not the data of the proof: ")


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2,3\n4\n", b"\xff\xfe\0\0", b"only\n1\n2\n"])
def test_a_source_that_cannot_be_read_is_bad_input(verify: Run, proof: Path, tmp_path: Path, content: bytes) -> None:
    (tmp_path / "data.csv").write_bytes(content)
    one_line(2, verify("p.json", "data.csv"))


@pytest.mark.parametrize("arguments", ["p.json none.csv", "none.json data.csv", "p.json", ". data.csv"])
def test_what_is_not_there_is_bad_usage(verify: Run, proof: Path, arguments: str) -> None:
    one_line(2, verify(*arguments.split()))


NO_CLAIMS = [b"", b"no", b"[]", b'{"format": 1}', b"\xff", b"[" * 99999, b"9" * 9999, b"NaN", b'{"claim": 1', b"{}{}"]


@pytest.mark.parametrize("content", NO_CLAIMS)
def test_what_is_no_json_or_makes_no_claim_is_bad_input(verify: Run, proof: Path, content: bytes) -> None:
    proof.write_bytes(content)
    assert one_line(2, verify("p.json", "data.csv")).startswith("maxmargin: p.json: found ")
    assert checker.main(["p.json", "data.csv"]) == 2


@pytest.mark.parametrize("old, new", [
    ('"claim": "separable"', '"claim": "overlap", "claim": "separable"'),
    ('"claim": "separable"', '"claim": "separable", "claim": "separable"'),
    ('"data": {', '"data": {"bias": false, '), ('"data": {', '"data": {"bi\\u0061s": true, '),
    ('"claim": "separable"', '"claim": null'), ('"bias": true', '"bias": 1'),
    ('"label": "kind"', '"label": Infinity'), ('"label": "kind"', f'"label": {"[" * 9999}{"]" * 9999}'),
    ('"label": "kind"', f'"label": {"9" * 99999}'), ('"label": "kind"', '"label": "\\ud800"'),
])  # fmt: skip
def test_a_malformed_claim_is_invalid(verify: Run, proof: Path, old: str, new: str) -> None:
    text = proof.read_text(encoding="utf-8")
    assert old in text
    proof.write_text(text.replace(old, new, 1), encoding="utf-8")
    assert one_line(3, verify("p.json", "data.csv")).startswith("invalid: ")
    assert checker.main(["p.json", "data.csv"]) == 3


@pytest.mark.parametrize("data", [
        {"label": {}}, {"label": [1]}, {"label": 1.5}, {"drop": 3}, {"drop": [[]]}, {"id": {}},
        {"drop": "junk"}, {"classes": ["a", "b"]},
        {"id": True, "drop": []}, {"positive": []}, {"positive": "maybe"}, {"one_hot": "yes"}, {"drop_missing": 3},
        {"label": 10**30}, {"label": "\ud800"}, {"label": "junk"},
    ])  # fmt: skip
def test_a_proof_that_says_wrongly_how_its_data_are_read_is_invalid(verify: Run, proof: Path, data: Any) -> None:
    changed(proof, **data)
    one_line(3, verify("p.json", "data.csv"))


def test_defaults_need_not_be_written(verify: Run, proof: Path) -> None:
    changed(proof, label=None, source=None, positive=None, one_hot=None, drop_missing=None, classes=None, values=None)
    assert verify("p.json", "data.csv")[0] == checker.main(["p.json", "data.csv"]) == 0


def test_the_decimal_reading(verify: Run, tmp_path: Path) -> None:
    """0.1, 0.2, 0.3 lie on a line with 1, 2, 3 as decimal text, and not as binary64 values."""
    text = "a,b,y\n0.1,1,0\n0.3,3,0\n0.2,2,1\n1,0,1\n"
    (tmp_path / "data.csv").write_text(text, encoding="utf-8")
    run(["check", "data.csv", "--decimal", "--proof", "p.json", "-q"])
    code, out, _ = verify("p.json", "data.csv")
    assert code == 0 and "; decimal) for" in out
    (tmp_path / "data.csv").write_text(text.replace("0.3", "0.30000000000000000001"), encoding="utf-8")
    assert "not the data of the proof" in one_line(3, verify("p.json", "data.csv"))
    np.savez(tmp_path / "data.npz", X=np.zeros((2, 1)), y=np.array([0, 1]))
    assert [verify("p.json", name)[0] for name in ("data.npz", "none.csv")] == [3, 2]


COHORT = "patient,stage,age,died\np1,I,50,no\np2,I,61,yes\np3,II,70,yes\np4,II,40,yes\np5,I,55,yes\np6,I,58,no\n"


def test_a_proof_about_a_data_frame_and_a_formula_holds_for_its_file(verify: Run, tmp_path: Path) -> None:
    (tmp_path / "cohort.csv").write_text(COHORT, encoding="utf-8")
    frame = pd.read_csv("cohort.csv")
    of_columns = mm.load("cohort.csv", id="patient", one_hot=True)
    for asked, model in (
        ((frame, "died ~ age + stage"), "died ~ age + stage"),
        ((frame.drop(columns="patient"), "died"), None),
        ((mm.load("cohort.csv", formula="died ~ 0 + stage", id="patient"),), "died ~ 0 + stage"),
        ((of_columns,), "label died"),
        ((mm.load("cohort.csv", id=np.int64(0), drop=[1], label=3),), "label died"),
    ):
        certificate = mm.separability(*asked).certificate
        assert mm.verify(certificate, *asked)
        (tmp_path / "p.json").write_text(certificate.to_json(), encoding="utf-8")
        code, out, err = verify("p.json", "cohort.csv", "-q")
        if model is None:  # the file has one column more
            assert code == 3 and "row 0 is not 2 finite numbers; the proof was written in Python" in out
        else:
            assert (code, err) == (0, "") and out.endswith(f") for cohort.csv, {model}\n")
    for formula in ("died ~ 1", "stage ~ 0"):
        assert run(["check", "cohort.csv", "--formula", formula, "--proof", "p.json", "--force", "-q"]) == 3
        assert f" x 0 columns; binary64) for cohort.csv, {formula}\n" in verify("p.json", "cohort.csv")[1]
    assert run(["margin", "cohort.csv", "--formula", "died ~ 1"]) == 2
    # A part of a file has no reading.
    assert "source" not in mm.separability(of_columns.pair("no", "yes")).certificate.to_dict()["data"]


def test_a_formula_says_whether_the_model_of_a_family_has_a_constant(verify: Run, tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("x,n\n0,3\n0,2\n1,0\n", encoding="utf-8")
    run(["check", "data.csv", "--family", "poisson", "--formula", "n ~ x", "--proof", "p.json", "-q"])
    assert verify("p.json", "data.csv")[0] == 0
    changed(tmp_path / "p.json", formula="n ~ x - 1")
    assert "has no intercept" in one_line(3, verify("p.json", "data.csv", "-q"))


def test_a_proof_from_python_that_does_not_say_how_a_file_is_read(verify: Run, tmp_path: Path) -> None:
    (tmp_path / "cohort.csv").write_text(COHORT, encoding="utf-8")
    frame = pd.read_csv("cohort.csv")
    certificate = mm.separability(frame[["age"]], frame["died"]).certificate
    (tmp_path / "p.json").write_text(certificate.to_json(), encoding="utf-8")
    err = one_line(2, verify("p.json", "cohort.csv", "-q"))
    assert "p.json: the proof was written in Python" in err and "maxmargin.verify(certificate, df, formula)" in err
    frame[["age", "died"]].assign(age=range(6)).to_csv(tmp_path / "other.csv", index=False)
    code, out, _ = verify("p.json", "other.csv")
    assert code == 3 and out.startswith("invalid: these are not the data of the proof: other values, other labels")
    assert "the proof was written in Python" in out


def test_every_statement_about_the_data_is_checked(verify: Run, tmp_path: Path) -> None:
    (tmp_path / "data.csv").write_text("x,y\n1,no\n2,no\n2,yes\n3,yes\n", encoding="utf-8")
    assert run(["check", "data.csv", "--proof", "p.json", "-q"]) == 3
    assert verify("p.json", "data.csv")[0] == 0
    path = tmp_path / "p.json"
    text = path.read_text(encoding="utf-8")
    stated = json.loads(text)
    assert stated["rows"] == [1, 2] and stated["data"]["values"] == [["-1", "2.0"], ["+1", "2.0"]]
    for values in ([["-1", "2.0"], ["+1", "3.0"]], [["-1", "2.0"], ["-1", "2.0"]], [["-1", "2.0"]], [["-1"], ["+1"]]):
        changed(path, values=values)
        code, out, _ = verify("p.json", "data.csv")
        assert code == checker.main(["p.json", "data.csv"]) == 3 and ("row " in out or "rows" in out)
        path.write_text(text, encoding="utf-8")
    changed(path, formula="y ~ x")
    assert verify("p.json", "data.csv")[1].endswith("invalid: data: a formula decides what label would\n")


def test_the_levels_of_texts_and_the_rules_of_reading_are_checked(verify: Run, proof: Path) -> None:
    certificate = mm.separability(mm.load("data.csv", one_hot="junk", drop=0)).certificate
    stated = certificate.to_dict()["data"]
    assert stated["coded"] == {"junk": ["a", "b", "c", "d", "e"]} and stated["rules"] >= 1
    for change, says in (
        ({}, "valid"),
        ({"coded": {"junk": ["b", "a", "c", "d", "e"]}}, "invalid: data: the levels of the texts are"),
        ({"coded": None}, "invalid: data: the levels of the texts are"),
        ({"rules": stated["rules"] + 1}, "invalid: data: read by the rules"),
    ):
        proof.write_text(certificate.to_json(), encoding="utf-8")
        changed(proof, **change)
        code, out, _ = verify("p.json", "data.csv")
        assert out.startswith(says) and code == (0 if says == "valid" else 3)
