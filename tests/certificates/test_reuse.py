"""An older proof on newer data: it decides where it holds, and never wrongly, whatever it says."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import for_each
from hypothesis import given
from hypothesis import strategies as st
from proven import is_proven

import maxmargin as mm
from maxmargin.certificates.proofs import proof_document
from maxmargin.certificates.reuse import ENGINE, reused, values_fields
from maxmargin.cli.app import run
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.checker import CertificateError, validate
from maxmargin.solvers.separability.feasibility import separability

SEPARABLE = "x,z,y\n1,0,0\n2,5,0\n3,1,1\n4,-2,1\n"
QUASI = "x,z,y\n1,0,0\n2,1,0\n2,1,1\n4,1,1\n5,7,1\n"
OVERLAP = "a,b,y\n0,0,0\n1,1,0\n0,1,1\n1,0,1\n"
KNOWN = [SEPARABLE, QUASI, OVERLAP]
THREE = "x,k\n1,a\n2,b\n3,c\n"

Check = Callable[..., tuple[int, Any, str]]


def document_of(problem: Problem) -> dict[str, Any]:
    """Return the proof of a problem, with the values of its rows, as the command line writes it."""
    certificate = separability(problem).certificate
    assert certificate is not None
    return proof_document(certificate, **values_fields(certificate))


def answer_or_none(document: dict[str, Any], problem: Problem) -> Any:
    try:
        return reused(document, problem)
    except CertificateError:
        return None


@st.composite
def problems(draw: st.DrawFn, n_columns: int | None = None) -> Problem:
    """Draw points of a small grid, so that all verdicts, duplicates and touching rows occur."""
    d = draw(st.integers(1, 3)) if n_columns is None else n_columns
    n = draw(st.integers(2, 9))
    X = draw(st.lists(st.lists(st.integers(-2, 2), min_size=d, max_size=d), min_size=n, max_size=n))
    y = [-1, 1, *draw(st.lists(st.sampled_from([-1, 1]), min_size=n - 2, max_size=n - 2))]
    return Problem.validated(np.array(X, dtype=float), y, bias=draw(st.booleans()))


@st.composite
def newer(draw: st.DrawFn, problem: Problem) -> Problem:
    """Draw what becomes of data overnight: rows removed, repeated, added, and all in another order."""
    kept = draw(st.lists(st.integers(0, problem.n_samples - 1), min_size=1, max_size=12))
    if draw(st.booleans()):
        kept = [*kept, *range(problem.n_samples)]
    added = draw(problems(n_columns=problem.n_features))
    X, y = np.vstack([problem.X[kept], added.X]), np.concatenate([problem.y[kept], added.y])
    order = draw(st.permutations(range(len(y))))
    return Problem.validated(X[order], y[order], bias=problem.bias)


@pytest.mark.deep
@given(st.data())
def test_an_older_answer_is_that_of_a_new_search(data: st.DataObject) -> None:
    old = data.draw(problems())
    new = data.draw(newer(old))
    answer = answer_or_none(document_of(old), new)
    if answer is None:
        return
    fresh = separability(new)
    assert (answer.verdict, answer.columns) == (fresh.verdict, fresh.columns)
    assert answer.separated_rows.tolist() == fresh.separated_rows.tolist()
    assert is_proven(new, answer)
    assert mm.verify(answer.certificate, new.X, new.y)


@pytest.mark.deep
@given(st.data())
def test_rows_that_come_and_move_leave_an_overlap_decided(data: st.DataObject) -> None:
    old = data.draw(problems())
    document = document_of(old)
    added = data.draw(st.integers(0, old.n_samples - 1))
    rows = data.draw(st.permutations([*range(old.n_samples), added]))
    new = Problem.validated(old.X[rows], old.y[rows], bias=old.bias)
    answer = reused(document, new)
    assert (answer.verdict, answer.engine) == (document["claim"], ENGINE)


NUMBERS = st.integers(-3, 3).map(str) | st.sampled_from(["0x10", "-0x1", "9" * 5000, "0x" + "f" * 5000, "1.5", "x", ""])
JUNK = st.none() | st.booleans() | st.integers(-9, 9) | st.floats() | NUMBERS
ANYTHING = st.recursive(JUNK, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NUMBERS, inner, max_size=2))


def positions(part: Any) -> list[tuple[Any, Any]]:
    """Return every entry of a document, as the dict or list that holds it and its key."""
    found = []
    entries = part.items() if isinstance(part, dict) else enumerate(part) if isinstance(part, list) else ()
    for key, value in entries:
        found += [(part, key), *positions(value)]
    return found


@pytest.mark.deep
@given(st.data())
def test_a_forged_proof_never_gives_a_wrong_verdict(data: st.DataObject) -> None:
    problem = data.draw(problems())
    document = copy.deepcopy(document_of(data.draw(newer(problem) | st.just(problem))))
    document["data"]["n_samples"] = problem.n_samples
    for _ in range(data.draw(st.integers(1, 3))):
        numbers = [document.get(name) for name in ("direction", "rows", "weights")]
        parts = [document, *(part for part in [document.get("data"), *numbers, *numbers] if part)]
        part, key = data.draw(st.sampled_from(positions(data.draw(st.sampled_from(parts))) or positions(document)))
        part[key] = data.draw(NUMBERS | st.integers(-1, 9) | ANYTHING)
    answer = answer_or_none_of_text(json.dumps(document), problem)
    if answer is not None:
        assert answer.verdict == separability(problem).verdict
        assert is_proven(problem, answer)
        assert mm.verify(answer.certificate, problem.X, problem.y)


def answer_or_none_of_text(text: str, problem: Problem) -> Any:
    """Read a proof as from a file, and use it."""
    document = json.loads(text)
    try:
        validate(document)
        return reused(document, problem)
    except CertificateError:
        return None


@for_each("old", KNOWN)
@for_each("new", KNOWN)
def test_a_claim_without_its_numbers_decides_nothing(check: Check, old: str, new: str) -> None:
    """The proof of one verdict, relabelled as the proof of another with the numbers it has."""
    check(old, "--proof", "p.json")
    document = json.loads(Path("p.json").read_text(encoding="utf-8"))
    fresh = check(new)[1]["verdict"]
    for claim, fields in {
        "separable": ["direction"],
        "overlap": ["rows", "weights", "null_space"],
        "quasi-separable": ["direction", "rows", "weights", "null_space"],
    }.items():
        numbers = {"direction": ["1", "0", "0"], "rows": [0, 2], "weights": ["1", "1"], "null_space": []} | document
        forged = {name: numbers[name] for name in ("format", "version", "question", "data", *fields)}
        Path("forged.json").write_text(json.dumps({**forged, "claim": claim}), encoding="utf-8")
        assert check(new, "--reuse", "forged.json")[1]["verdict"] == fresh


@pytest.fixture
def check(capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Check:
    """Check a text as data.csv in a folder of its own; return the exit code, the JSON answer and the notes."""
    monkeypatch.chdir(tmp_path)

    def command(text: str, *arguments: str) -> tuple[int, Any, str]:
        Path("data.csv").write_text(text, encoding="utf-8")
        code = run(["check", "data.csv", "--json", *arguments])
        out, err = capsys.readouterr()
        return code, json.loads(out) if out else None, err

    return command


def backwards(text: str) -> str:
    head, *rows = text.splitlines()
    return "\n".join([head, *reversed(rows)]) + "\n"


@pytest.mark.parametrize("text", KNOWN)
@pytest.mark.parametrize("arguments", [(), ("--no-bias",)])
@pytest.mark.parametrize("change", [str, backwards, lambda text: text + "".join(text.splitlines(True)[1:])])
def test_the_older_answer_is_a_whole_one(
    check: Check, text: str, arguments: tuple[str, ...], change: Callable[[str], str]
) -> None:
    code, _, _ = check(text, "--proof", "p.json", *arguments)
    again = check(change(text), "--reuse", "p.json", "--proof", "q.json", *arguments)
    fresh = check(change(text), *arguments)
    assert (again[0], again[1]["engine"]) == (code, ENGINE)
    assert again[1].keys() == fresh[1].keys()
    may_differ = {"engine", "attempts", "hyperplane", "witness_rows", "witness_rows_count", "witness_weights",
                  "balancing_rows", "reason"}  # fmt: skip
    assert {k: v for k, v in again[1].items() if k not in may_differ} == {
        k: v for k, v in fresh[1].items() if k not in may_differ
    }
    assert run(["verify", "q.json", "data.csv"]) == 0


@for_each("old, new, engine_is_older", [
    (SEPARABLE, SEPARABLE + "9,1,1\n", True), (SEPARABLE, SEPARABLE + "9,1,0\n", False),
    (SEPARABLE, SEPARABLE + "2.5,3,1\n", False), (SEPARABLE, SEPARABLE.replace("2,5,0\n", ""), True),
    (QUASI, QUASI + "9,1,1\n", True), (QUASI, QUASI + "9,1,0\n", False), (QUASI, QUASI.replace("2,1,0\n", ""), False),
    (OVERLAP, OVERLAP + "9,1,0\n", True), (OVERLAP, OVERLAP.replace("1,1,0\n", ""), False),
    (OVERLAP, OVERLAP.replace(",0\n", ",9\n"), False),
])  # fmt: skip
def test_what_happens_overnight(check: Check, old: str, new: str, engine_is_older: bool) -> None:
    check(old, "--proof", "p.json")
    code, fields, err = check(new, "--reuse", "p.json")
    fresh = check(new)
    assert (code, fields["verdict"]) == (fresh[0], fresh[1]["verdict"])
    if engine_is_older:
        assert (fields["engine"], err) == (ENGINE, "")
    else:
        assert fields["engine"] != ENGINE
        assert err == "maxmargin: the older proof p.json does not hold for these data; looking for a new one\n"


@for_each("old, old_arguments, new, arguments, words", [
    (OVERLAP, (), OVERLAP, ("--no-bias",), "it is about 2 columns, with bias, binary64; asked is 2 columns, thr"),
    (OVERLAP, ("--no-bias",), OVERLAP, (), "through the origin"),
    (OVERLAP, (), "x,y\n1,0\n2,1\n", (), "asked is 1 column, with bias"),
    (OVERLAP, ("--decimal",), OVERLAP, (), "decimal; asked is 2 columns, with bias, binary64"),
    (OVERLAP, (), OVERLAP, ("--decimal",), "not with --decimal"),
    (THREE, (), OVERLAP, (), "more than two classes"),
    (SEPARABLE, (), THREE, (), "these data have 3 classes"),
    (OVERLAP, ("--exact-limit", "0"), OVERLAP, (), "its claim is not-strictly-separable"),
])  # fmt: skip
def test_a_proof_of_another_question_is_of_no_use(
    check: Check, old: str, old_arguments: tuple[str, ...], new: str, arguments: tuple[str, ...], words: str
) -> None:
    check(old, "--proof", "p.json", *old_arguments)
    code, fields, err = check(new, "--reuse", "p.json", *arguments)
    assert words in err
    assert (err.count("\n"), err.endswith("; looking for a new one\n")) == (1, True)
    fresh = check(new, *arguments)
    assert (code, fields) == (fresh[0], fresh[1])


def test_a_proof_of_a_margin_is_of_no_use(check: Check) -> None:
    check(SEPARABLE, "--proof", "p.json")
    document = json.loads(Path("p.json").read_text(encoding="utf-8"))
    Path("p.json").write_text(json.dumps({**document, "claim": "margin-at-least", "margin_squared": "1/100"}))
    assert "its claim is margin-at-least" in check(SEPARABLE, "--reuse", "p.json")[2]


@pytest.mark.parametrize("content", [b"", b"no", b"[]", b"{}", b"\xff", b"[" * 99999])
def test_what_is_no_proof_is_bad_input(check: Check, content: bytes) -> None:
    Path("p.json").write_bytes(content)
    code, fields, err = check(OVERLAP, "--reuse", "p.json")
    assert (code, fields["schema"], fields["file"], err.count("\n")) == (2, "maxmargin.error/1", "p.json", 1)


@pytest.mark.parametrize("path", ["none.json", "."])  # in the folder a proof has the name of the source
@pytest.mark.parametrize(("text", "arguments"), [(OVERLAP, ()), (OVERLAP, ("--decimal",)), (THREE, ())])
def test_a_proof_that_is_not_there_yet_is_a_note(
    check: Check, path: str, text: str, arguments: tuple[str, ...]
) -> None:
    code, fields, err = check(text, "--reuse", path, *arguments)
    assert (code, fields) == check(text, *arguments)[:2]
    assert err.startswith("maxmargin: there is no older proof ") and err.count("\n") == 1


def test_proofs_without_values_hold_while_rows_keep_their_positions(check: Check) -> None:
    check(OVERLAP, "--proof", "p.json")
    document = json.loads(Path("p.json").read_text(encoding="utf-8"))
    del document["data"]["values"]
    Path("p.json").write_text(json.dumps(document), encoding="utf-8")
    assert check(OVERLAP + "5,5,0\n", "--reuse", "p.json")[1]["engine"] == ENGINE
    assert check("a,b,y\n7,7,1\n" + OVERLAP[6:], "--reuse", "p.json")[1]["engine"] != ENGINE


def test_limits_hold_for_the_columns_of_an_older_answer(check: Check) -> None:
    check(QUASI, "--proof", "p.json")
    assert check(QUASI, "--reuse", "p.json", "--time-limit", "1e-9")[1]["infinite_columns"] is None
    assert check(QUASI, "--reuse", "p.json", "--time-limit", "60")[1]["infinite_columns"]
