"""``maxmargin check`` as a user types it: verdicts, gates, proofs and what checks them, limits, wrong files."""

import io
import json
import os
import shlex
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from calls import arguments_of
from commands import Capture, answered, completed, started
from table_files import array_file, table_file, text_file

from maxmargin.api.question import separability_of
from maxmargin.cli import options
from maxmargin.solvers.proof import checker

SEPARABLE = "x,y\n1,0\n2,0\n3,1\n4,1\n"
QUASI = "x,y\n1,no\n2,no\n2,yes\n4,yes\n"
OVERLAP = "a,b,y\n0,0,0\n1,1,0\n0,1,1\n1,0,1\n"
CLASSES = "x,k\n1,a\n2,b\n3,c\n"
QUASI_CLASSES = "x,k\n1,a\n2,a\n2,b\n3,c\n"
OVERLAP_CLASSES = "x,k\n1,a\n2,a\n1,b\n2,b\n1,c\n2,c\n"
# The first three rows are on a line as decimal text, and not as binary64 numbers.
TENTHS = "a,b,y\n0.1,1,0\n0.3,3,0\n0.2,2,1\n1,0,1\n"

VERDICTS = {
    SEPARABLE: "separable", QUASI: "quasi-separable", OVERLAP: "overlap",
    CLASSES: "separable", QUASI_CLASSES: "quasi-separable", OVERLAP_CLASSES: "overlap",
}  # fmt: skip
TRUE = {
    "separable": {"separable"},
    "quasi-separable": {"quasi-separable", "not-strictly-separable"},
    "overlap": {"overlap", "not-strictly-separable"},
}
REQUIREMENTS = ("separable", "quasi-separable", "overlap", "not-strictly-separable")

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def command(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run a command in a folder of its own; return its exit code and what it wrote."""
    monkeypatch.chdir(tmp_path)
    return partial(answered, capsys)


def data(text: str, name: str = "data.csv") -> str:
    Path(name).write_text(text, encoding="utf-8")
    return name


def refused(result: tuple[int, str, str], *words: str) -> None:
    code, out, err = result
    assert (code, out, err.count("\n")) == (2, "", 1), result
    assert all(word in err for word in words), err


@pytest.mark.parametrize("text", VERDICTS)
def test_exit_codes_and_fields_of_every_verdict(command: Run, text: str) -> None:
    verdict = VERDICTS[text]
    code, out, _ = command("check", data(text), "--json")
    fields = json.loads(out)
    assert code == (0 if verdict == "separable" else 3)
    assert (fields["verdict"], fields["strictly_separable"]) == (verdict, verdict == "separable")
    assert (fields["proof"], fields["reading"], fields["schema"]) == ("exact", "binary64", "maxmargin.check/1")
    assert (fields["requirement"], fields["gates"], fields["binary64_verdict"]) == (None, [], None)
    assert fields["separated_rows_count"] + fields["touching_rows_count"] >= fields["n_samples"]
    assert "k" not in text or fields["multinomial"]["verdict"] == verdict
    codes = [command("check", "data.csv", "--require", requirement)[0] for requirement in REQUIREMENTS]
    assert codes == [0 if requirement in TRUE[verdict] else 3 for requirement in REQUIREMENTS]


def test_gates_on_what_is_not_decided(command: Run) -> None:
    source = data(OVERLAP)
    assert command("check", source, "--require", "quasi-separable", "--exact-limit", "1")[0] == 4
    _, out, _ = command("check", source, "--require", "overlap", "--time-limit", "1e-9")
    assert "required: overlap, which is neither proven nor excluded\n" in out
    refused(command("check", source, "--require", "overlapping"), "overlapping", "quasi-separable")


# The margin of the first table is 0.3, half of the stored 0.6; of the second it is the root of 1/2.
TENTH, ROOT = "x,y\n0,0\n0.6,1\n", "a,b,y\n0,0,0\n1,1,1\n"
GATES = [
    (TENTH, "--min-margin 0.3", 0, [True]), (TENTH, "--min-margin 0.30000000000000004", 3, [False]),
    (ROOT, "--min-margin 0.7071067811865475", 0, [True]), (ROOT, "--min-margin 0.7071067811865476", 3, [False]),
    (SEPARABLE, "--min-margin 0.5 --max-errors 0 --require separable", 0, [True, True, True]),
    (SEPARABLE, "--min-margin 0.5000000000000001 --max-errors 0", 3, [False, True]),
    (SEPARABLE, "--no-bias --max-errors 1 --require not-strictly-separable", 3, [True, False]),
    (SEPARABLE, "--no-bias --max-errors 2", 0, [True]), (QUASI, "--min-margin 5e-324", 3, [False]),
    (QUASI, "--max-errors 0", 3, [False]), (QUASI, "--max-errors 1 --require overlap", 3, [False, True]),
    (OVERLAP, "--max-errors 1 --require overlap", 0, [True, True]), (CLASSES, "--positive c --max-errors 0", 0, [True]),
    (CLASSES, "--positive b --max-errors 0 --min-margin 1", 3, [False, False]),
    (OVERLAP, "--max-errors 0 --time-limit 1e-9", 4, [None]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "gates", "expected", "outcomes"), GATES)
def test_gates_about_numbers(command: Run, text: str, gates: str, expected: int, outcomes: list[bool | None]) -> None:
    code, out, _ = command("check", data(text), *gates.split(), "--json")
    found = {gate["name"]: gate for gate in json.loads(out)["gates"]}
    assert (code, sorted(map(str, outcomes))) == (expected, sorted(str(gate["holds"]) for gate in found.values()))
    for name, is_upper in (("min-margin", False), ("max-errors", True)):
        if name in found and (outcome := found[name]["holds"]) is not None:
            gate = found[name]
            end = gate["upper" if is_upper == outcome else "lower"]
            assert end <= gate["required"] if is_upper == outcome else end >= gate["required"]
    assert command("check", "data.csv", *gates.split())[1].count("required: ") == len(found)


def test_several_sources(command: Run, capsys: Capture) -> None:
    for name, text in {"s.csv": SEPARABLE, "q.csv": QUASI, "o.csv": OVERLAP, "bad.csv": "a,y\n1,0\nx,1\n"}.items():
        data(text, name)
    code, out, err = command("check", "s.csv", "bad.csv", "q.csv", "no.csv", "--json", "--quiet")
    answers = [json.loads(line) for line in out.splitlines()]
    assert (code, err.count("\n")) == (2, 2)
    assert [answer.get("verdict") for answer in answers] == ["separable", None, "quasi-separable", None]
    assert [answers[1][name] for name in ("file", "line", "column")] == ["bad.csv", 3, "a"]
    assert answers[0] == json.loads(command("check", "s.csv", "--json")[1])
    code, out, _ = command("check", "s.csv", "q.csv", "o.csv")
    assert (code, [block.split(":")[0] for block in out.split("\n\n")]) == (3, ["s.csv", "q.csv", "o.csv"])
    assert command("check", "s.csv", "o.csv", "--time-limit", "1e-9", "--require", "overlap")[0] == 4
    Path("proofs").mkdir()
    assert command("check", "s.csv", "q.csv", "--proof", "proofs", "-q")[0] == 3
    assert command("verify", "proofs/q.csv.json", "q.csv")[0] == 0
    code, out, err = command("check", "s.csv", "q.csv", "--reuse", "proofs", "--proof", "proofs", "--json")
    assert {json.loads(line)["engine"] for line in out.splitlines()} == {"older proof"}


def test_a_small_memory_is_refused(command: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(options, "LEAST_MEMORY", 2**20)
    refused(command("check", "xor", "--memory", "5"), "--memory", "'5' is less than 1MiB")
    assert command("check", "xor", "--memory", "1MiB")[0] == 3


# Tables with the options by which they are read.
READ = [
    (SEPARABLE, ()), (SEPARABLE, ("--no-bias",)), (QUASI, ()), (OVERLAP, ()), (OVERLAP, ("--no-bias",)),
    (CLASSES, ()), (QUASI_CLASSES, ()), (OVERLAP_CLASSES, ()), (CLASSES, ("--no-bias",)),
    (CLASSES, ("--positive", "b")), (TENTHS, ()), (TENTHS, ("--decimal",)), (TENTHS, ("--decimal", "--no-bias")),
    ("x,k\n1.1,a\n2.2,b\n3.3,c\n", ("--decimal",)),
    ("kind,x,z\nno,1,2\nno,2,1\nyes,5,3\n", ("--label", "kind")),
    ("x,kind,z\n1,no,2\n2,no,1\n5,yes,3\n", ("--label", "-2")),
    ("x,kind,z\n1,no,2\n2,no,1\n5,yes,3\n", ("--label", "1")),
    ("id,x,junk,kind\nr1,1,q,no\nr2,2,w,no\nr3,5,e,yes\n", ("--id", "id", "--drop", "junk")),
    ("id,x,junk,kind\nr1,1,q,no\nr2,2,w,no\nr3,5,e,yes\n", ("--id", "0", "--drop", "-2")),
    ("x,y\n1,1.0\n2,1\n5,2.0\n", ("--positive", "1")), ("x,y\n1,10\n2,9\n3,2\n", ()), ("1,2,0\n3,4,1\n5,5,1\n", ()),
    ("x;y\n1;0\n2;1\n", ()), ("x,y\ntrue,0\nfalse,1\n", ()), ('"x, a",y\n1,"no, not"\n2,yes\n', ()),
    ("größe,y\n1,nein\n2,äöü\n", ()), ("\ufeffx,y\r\n1,0\r\n2,1\r\n", ()),
]  # fmt: skip


@pytest.mark.parametrize(("text", "options"), READ)
def test_written_proofs_hold(command: Run, capsys: Capture, text: str, options: tuple[str, ...]) -> None:
    """The proof checks without options: by ``verify``, and by the checker alone."""
    Path("data.csv").write_bytes(text.encode())
    code, out, _ = command("check", "data.csv", "--proof", "p.json", "--json", *options)
    assert code in (0, 3)
    code, held, err = command("verify", "p.json", "data.csv")
    assert (code, err) == (0, "")
    assert held.startswith(f"valid: {json.loads(out)['verdict']} (")
    assert checker.main(["p.json", "data.csv"]) == 0, capsys.readouterr().out
    other = "\n".join(text.splitlines()[:-1]) + "\n"
    data(other)
    assert command("verify", "p.json", "data.csv")[0] == 3
    assert checker.main(["p.json", "data.csv"]) == 3


def test_the_checker_runs_alone(command: Run) -> None:
    command("check", data(QUASI), "--proof", "p.json")
    alone = [sys.executable, "-I", str(checker.__file__), "p.json"]
    done = subprocess.run([*alone, "data.csv"], capture_output=True, text=True, check=False)
    code, held, _ = command("verify", "p.json", "data.csv")
    assert (done.returncode, code, held) == (0, 0, f"{done.stdout.rstrip()} for data.csv, label y\n")
    said = "valid: quasi-separable (two-class: 'yes' (+1) against 'no'; hyperplanes with a bias; 4 rows"
    assert held.startswith(said)
    done = subprocess.run([*alone, "none.csv"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.parametrize(
    "name", ["d.csv.gz", "d.tsv", "d.tsv.gz", "d.svm", "d.parquet", "d.npz", "-", "iris", "gap:40"]
)
def test_proofs_of_every_source(command: Run, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    if name.endswith(".svm"):
        Path(name).write_text("1 1:3 2:4\n-1 1:1\n-1 2:1\n")
    elif name.endswith(".npz"):
        array_file(Path(name), np.eye(3), [0, 1, 1])
    elif name.startswith("d."):
        table_file(Path(name), pa.table({"x": [1.0, 2.0, 3.0], "y": ["a", "a", "b"]}))

    def fed(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SEPARABLE.encode())))
        return command(*arguments)

    assert fed("check", name, "--proof", "p.json")[0] == (3 if name == "iris" else 0)
    assert fed("verify", "p.json", name)[0] == 0
    assert json.loads(Path("p.json").read_text(encoding="utf-8"))["data"]["source"] == name


def test_the_command_that_checks_the_proof_is_told(command: Run) -> None:
    source = data(SEPARABLE, "my data.csv")
    _, _, err = command("check", source, "--proof", "a b.json")
    assert err.startswith("maxmargin: wrote a b.json; maxmargin verify ")
    told = err.removeprefix("maxmargin: wrote a b.json; ").removesuffix(" checks it\n")
    assert command(*shlex.split(told)[1:])[0] == 0
    assert command("check", source, "--proof", "p.json", "-q")[2] == ""


def test_where_nothing_is_proven_no_proof_is_written(command: Run) -> None:
    code, _, err = command("check", data(SEPARABLE), "--proof", "p.json", "--time-limit", "1e-9")
    assert (code, Path("p.json").exists()) == (4, False)
    assert "nothing is proven, so p.json is not written" in err


@pytest.mark.parametrize("path", ["none/p.json", "data.csv", "./data.csv"])
def test_a_proof_that_cannot_be_written_is_refused_before_the_work(command: Run, path: str) -> None:
    """Nor are the data overwritten by the proof."""
    with arguments_of(separability_of) as calls:
        refused(command("check", data(SEPARABLE), "--proof", path), Path(path).name)
    assert not calls
    assert Path("data.csv").read_text(encoding="utf-8") == SEPARABLE


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    source = text_file(tmp_path, SEPARABLE)
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}
    with open("/dev/full", "w") as full:
        done = completed("check", str(source), "-q", stdout=full, env=environment)
    assert (done.returncode, done.stderr) == (2, "maxmargin: standard output: No space left on device\n")


def test_interrupted(tmp_path: Path) -> None:
    """Ctrl-C while the data come in: one line, and no answer."""
    process = started("check", "-", "--json", stdin=subprocess.PIPE)
    process.stdin.write("x,y\n" + "1,0\n2,1\n" * 200_000)  # more than a pipe holds: once written, it is being read
    process.stdin.flush()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err.strip()) == (130, "maxmargin: interrupted")
    assert json.loads(out)["schema"] == "maxmargin.error/1"


def test_readings_that_differ_are_said(command: Run) -> None:
    code, out, err = command("check", data(TENTHS), "--decimal", "--json")
    fields = json.loads(out)
    stored = json.loads(command("check", "data.csv", "--json")[1])
    assert fields["verdict"] != stored["verdict"]
    assert (fields["reading"], fields["binary64_verdict"]) == ("decimal", stored["verdict"])
    assert code == (0 if fields["verdict"] == "separable" else 3)
    said = f"the decimal numbers are {fields['verdict']}, their binary64 roundings are {stored['verdict']}"
    assert said in err and err.count("\n") == 1
    _, out, err = command("check", "data.csv", "--decimal", "-q")
    assert (f"their binary64 roundings: {stored['verdict']}\n" in out, err) == (True, "")


def test_readings_that_agree_are_not_warned_of(command: Run) -> None:
    for text in (SEPARABLE, CLASSES, OVERLAP):
        code, out, err = command("check", data(text), "--decimal", "--json")
        fields = json.loads(out)
        assert fields["verdict"] == fields["binary64_verdict"] == VERDICTS[text]
        assert (code, err) == (0 if VERDICTS[text] == "separable" else 3, "")


@pytest.mark.parametrize("text", VERDICTS)
def test_out_of_time_is_undecided(command: Run, text: str) -> None:
    code, out, _ = command("check", data(text), "--time-limit", "1e-9", "--json")
    fields = json.loads(out)
    assert (code, fields["verdict"], fields["strictly_separable"], fields["proof"]) == (4, "undecided", None, None)
    assert "the time limit was reached" in fields["reason"]
    _, out, _ = command("check", "data.csv", "--time-limit", "1e-9")
    assert "undecided\n" in out and "nothing is claimed" in out
    assert "logistic" not in out


def test_past_the_exact_limit(command: Run) -> None:
    code, out, _ = command("check", data(OVERLAP), "--exact-limit", "2")
    assert code == 3
    assert "not strictly separable (proven; quasi-separable or overlap: undecided)\n" in out
    assert "3 columns (bias counted) are past exact_limit=2" in out
    assert command("check", data(OVERLAP_CLASSES), "--exact-limit", "1")[0] == 4
    assert command("check", data(CLASSES), "--exact-limit", "1")[0] == 0
    assert command("check", data(SEPARABLE), "--exact-limit", "0")[0] == 0


@pytest.mark.parametrize("text", VERDICTS)
def test_text_says_what_follows_for_logistic_regression(command: Run, text: str) -> None:
    _, out, _ = command("check", data(text))
    assert f"{VERDICTS[text]} (proven)\n" in out
    if VERDICTS[text] == "overlap":
        assert "the maximum-likelihood estimate exists\n" in out
    else:
        contrasts = ", as contrasts with a" if "multinomial" in out else ""
        assert f"no finite maximum-likelihood estimate\n  infinite coefficients{contrasts}\n    " in out
        assert "finite coefficients: none\n" in out and "\nwhat next, any of\n  penalise" in out


def test_text_and_fields_name_columns_that_depend_on_others_up_to_rounding(command: Run) -> None:
    table = data("age,decades,y\n" + "".join(f"{age},{age / 10},{age % 2}\n" for age in range(30, 50)))
    said = "  decades is 0.1 age up to rounding (relative 8e-17)\n    the verdict holds for the numbers as stored; "
    hint = "  --decimal decides for the decimal numbers in the file, without their rounding\n"
    _, out, _ = command("check", table)
    assert said + "without this column, the verdict is overlap as well (proven)\n" in out and hint in out
    _, out, _ = command("check", table, "--formula", "y ~ age + decades")
    assert said in out and hint not in out
    _, out, _ = command("check", table, "--decimal")
    assert "rounding" not in out.replace("roundings", "")
    _, out, _ = command("check", table, "--json")
    fields = json.loads(out)
    assert fields["nearly_aliased_columns"] == {"decades": "is 0.1 age up to rounding (relative 8e-17)"}
    assert fields["verdict_without_nearly_aliased"] == "overlap"


@pytest.mark.slow
@pytest.mark.parametrize("options", [(), ("--no-bias",), ("--positive", "no"), ("--formula", "y ~ x + g")])
def test_text_names_the_call_that_fits_the_finite_part(command: Run, options: tuple[str, ...]) -> None:
    rows = "a,1,5,k,no\nb,2,6,k,no\nc,2,7,k,yes\nd,4,8,k,yes\ne,1,9,k,yes\nf,0,4,m,yes\ng,0,3,m,yes\n"
    source = data("who;x;spare;g;y\n" + rows.replace(",", ";"))
    of_columns = () if "--formula" in options else ("--drop", "spare", "--one-hot")
    _, out, _ = command("check", source, "--id", "who", "--sep", ";", *of_columns, *options)
    lines = out.partition("in Python:\n")[2].partition("\nto report")[0].splitlines()
    printed: list[str] = []
    names = {"df": pd.read_csv(source, sep=";"), "print": printed.append}
    exec(textwrap.dedent("\n".join(line for line in lines if not line.startswith("    ("))), names)
    answer = names["answer"]
    assert f"on the {len(answer.touching_rows)} rows that overlap" in out
    assert answer.bias == ("--no-bias" not in options)
    assert answer.positive == ("no" if "--positive" in options else "yes") and len(printed) == 1


def test_text_has_no_call_for_numbers_that_it_would_not_read(command: Run) -> None:
    _, out, _ = command("check", data("x,y\n0.1,no\n0.2,no\n0.2,yes\n0.4,yes\n"), "--decimal")
    assert "from the answer of maxmargin.separability:\n" in out and "maxmargin.load" not in out


def test_text_names_aliased_columns(command: Run) -> None:
    _, out, _ = command("check", data("a,c,b,y\n0,2,0,0\n1,2,1,0\n0,2,1,1\n1,2,0,1\n"))
    assert "aliased columns (they depend linearly on those before): c\n" in out


def test_columns_of_large_separable_data_are_found_when_asked(command: Run) -> None:
    rng = np.random.default_rng(0)
    X = rng.integers(-50, 51, size=(150, 90))
    rows = [",".join(map(str, [*row, int(row[0] > 0)])) for row in X.tolist()]
    source = data("\n".join(rows) + "\n")
    _, out, _ = command("check", source)
    assert "their signs were not computed (--columns" in out
    _, out, _ = command("check", source, "--columns", "--json")
    assert json.loads(out)["infinite_columns"]


def test_the_text_lists_some_of_many_pairs(command: Run) -> None:
    rows = "".join(f"{i % 8},{i},{'abcdefgh'[i % 8]}\n" for i in range(40))
    code, out, err = command("check", data(f"x,z,kind\n{rows}"), "-q")
    assert (code, err) == (0, "")
    lines = out.splitlines()
    start = lines.index("every pair")
    assert lines[start + 20].startswith("  d / f")
    assert lines[start + 21] == "  ... 8 more: 8 separable (proven) (--json lists all)"
    _, out, _ = command("check", "data.csv", "--json")
    assert len(json.loads(out)["pairs"]) == 28


def test_notes_are_said_once(command: Run) -> None:
    rows = "".join(f"{'uv'[i % 2]},{i},{(0, 10, 11)[i % 3]}\n" for i in range(12))
    coding, doubt = "'kind' became 1 column", "is it a quantity?"
    _, out, err = command("check", data(f"kind,x,dead\n{rows}"), "--one-hot")
    assert (out.count(coding), err.count(coding), err.count(doubt)) == (1, 0, 1)
