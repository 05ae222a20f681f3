"""Nothing in data acts on a terminal or a page: names, labels, identifiers, paths, and messages that quote them."""

import csv
import json
import os
import re
import unicodedata
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from cases import for_each
from commands import Capture, answered, completed, printed, refusal
from hypothesis import given
from hypothesis import strategies as st

import maxmargin as mm
from maxmargin.cli.app import run
from maxmargin.solvers.basics.printable import printable
from maxmargin.text.escaping import json_characters, markdown

FORGED = "valid: separable (proven)"
EVIL = {
    "a line": f"a\n{FORGED}", "a carriage return": f"a\r{FORGED}", "a line separator": f"a\u2028{FORGED}",
    "a next line": f"a\x85{FORGED}", "a form feed": f"a\x0c{FORGED}", "an escape sequence": "a\x1b[2J\x1b[1;31m",
    "a C1 sequence": "a\x9b2J", "a title": "a\x1b]0;x\x07", "a bidirectional override": "a\u202eelbarapes\u2066",
    "zero width": "a\u200b\u200d\ufeff", "a deletion": "a\x7f\x08\x08", "a tag": "a\U000e0041",
    "Markdown": "a|b`c`*d*<script>alert(1)</script>[x](http://e)![y](z)# $x$ ~s~",
    "LaTeX and mathtext": r"$\frac{1}{$ \input{x} a_b^c & % # {",
}  # fmt: skip
HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp", "Co", "Cn")


def assert_harmless(text: str) -> None:
    hidden = [c for c in text if c != "\n" and unicodedata.category(c) in HIDDEN]
    assert not hidden, hidden
    assert not any(line.strip().startswith(FORGED) for line in text.splitlines()), text


def table(path: Path, evil: str, *, overlap: bool) -> str:
    """Write data all of whose names are evil."""
    values = [0.0, 1.0, 4.0, 5.0]
    labels = [f"no{evil}", f"no{evil}", f"yes{evil}", f"yes{evil}"]
    if overlap:
        labels = labels[::2] * 2
    ids = [f"row {k}{evil}" for k in range(4)]
    columns = {f"id{evil}": ids, f"x{evil}": values, f"twice{evil}": [2 * v for v in values], f"y{evil}": labels}
    pa.parquet.write_table(pa.table(columns), path)
    return f"id{evil}"


@pytest.mark.sampled(2)
@pytest.mark.parametrize("overlap", [True, False])
@pytest.mark.parametrize("what", EVIL)
def test_names_do_not_reach_the_terminal_as_they_are(tmp_path: Path, capsys: Capture, what: str, overlap: bool) -> None:
    path = tmp_path / "d.parquet"
    identifier = table(path, EVIL[what], overlap=overlap)
    common = [str(path), "--id", identifier, "--max-epochs", "5"]
    for command in (["check", "--columns"], ["margin"], ["perceptron"], ["bounds"], ["fewest-errors"], ["online"],
                    ["margin", "--soft", "1"]):  # fmt: skip
        options = common if command[0] in ("perceptron", "online") else common[:3]
        code, out, err = answered(capsys, *command, *options)
        assert code in (0, 3)
        assert_harmless(out + err)
        assert EVIL[what].isprintable() or EVIL[what] not in out


@pytest.mark.sampled(1)
@pytest.mark.parametrize("what", EVIL)
def test_pages_show_names_and_do_not_obey_them(tmp_path: Path, what: str) -> None:
    path = tmp_path / "d.parquet"
    identifier = table(path, EVIL[what], overlap=False)
    dataset = mm.load(path, id=identifier)
    report = mm.margin_report(dataset, Cs=[1.0], orders=0)
    for page in (report.to_markdown(), report.to_terminal(), report.to_json(), report.to_html(), repr(report)):
        assert_harmless(page)
    assert json.loads(report.to_json()) == report.to_dict()
    assert report.to_dict()["data"]["feature_names"][0] == f"x{EVIL[what]}", "JSON keeps the names"
    assert report.to_html().count("<script>") == 1, "the page's own"
    assert "<script>" not in report.to_markdown().replace("\\<script\\>", "")


@for_each("what", EVIL)
def test_several_classes(tmp_path: Path, capsys: Capture, what: str) -> None:
    path = tmp_path / "d.parquet"
    labels = [f"{name}{EVIL[what]}" for name in "abc"]
    pa.parquet.write_table(pa.table({f"x{EVIL[what]}": [0.0, 1.0, 2.0], "y": labels}), path)
    code, out, err = answered(capsys, "check", str(path))
    assert code == 0
    assert_harmless(out + err)
    assert_harmless(refusal(capsys, "margin", path))


@pytest.mark.parametrize("suffix", ["csv", "md", "tex"])
@pytest.mark.parametrize("what", EVIL)
def test_traces(tmp_path: Path, what: str, suffix: str) -> None:
    path, trace, mistakes = tmp_path / "d.parquet", tmp_path / f"t.{suffix}", tmp_path / f"m.{suffix}"
    identifier = table(path, EVIL[what], overlap=False)
    command = ["perceptron", str(path), "--id", identifier, "-q", "--trace", str(trace), "--trace-mistakes"]
    assert run([*command, str(mistakes)]) == 0
    if suffix == "csv":
        with trace.open(newline="", encoding="utf-8") as file:
            assert next(csv.reader(file))[2] == f"x:x{EVIL[what]}", "CSV keeps the names"
        return
    for page in (trace, mistakes):
        text = page.read_text(encoding="utf-8")
        assert_harmless(text)
        assert not re.search(r"(?<!\\)(<script|\[x\])", text)


@for_each("what", EVIL)
def test_messages_that_quote_the_data_are_one_line(tmp_path: Path, capsys: Capture, what: str) -> None:
    path = tmp_path / "d.parquet"
    pa.parquet.write_table(pa.table({f"x{EVIL[what]}": [EVIL[what], "1"], "y": [0, 1]}), path)
    evil = EVIL[what]
    for arguments in (
        *(["check", path], ["check", path, "--label", evil], ["check", evil.replace("/", "")]),
        *(["check", "iris", "--positive", evil], ["online", "iris", "--algorithm", evil], [evil]),
    ):
        assert_harmless(refusal(capsys, *arguments))


@pytest.mark.slow
def test_what_a_stream_cannot_encode_is_escaped(tmp_path: Path) -> None:
    path = tmp_path / "d.csv"
    path.write_text("größe,γ\n0,no\n1,yes\n", encoding="utf-8")
    for encoding in ("ascii", "latin-1", "cp1252"):
        done = completed("margin", str(path), text=False, env={**os.environ, "PYTHONIOENCODING": encoding})
        assert done.returncode == 0 and not done.stderr, done.stderr
        assert "größe" in done.stdout.decode(encoding) or b"gr\\xf6\\xdfe" in done.stdout


def test_lone_surrogates_are_escaped_everywhere(tmp_path: Path, capsys: Capture) -> None:
    dataset = mm.from_arrays([[0.0], [1.0], [3.0]], ["a\ud800", "a\ud800", "b"], feature_names=["x\udc80"])
    report = mm.margin_report(dataset, Cs=[1.0], orders=0)
    for name in ("page.md", "page.html", "page.json"):
        assert_harmless(report.save(tmp_path / name).read_text(encoding="utf-8"))
    assert json.loads(report.to_json())["data"]["feature_names"] == ["x\udc80"]
    undecodable = os.fsencode(tmp_path) + b"/d\xff.csv"
    with open(undecodable, "w") as file:
        file.write("x,y\n0,a\n1,b\n")
    assert_harmless(printed(capsys, "check", os.fsdecode(undecodable)))


@pytest.mark.slow
def test_names_without_glyphs_are_no_warning() -> None:
    dataset = mm.from_arrays([[0.0], [1.0], [3.0]], ["猫", "猫", "犬"], feature_names=["高さ"])
    assert "猫" in mm.margin_report(dataset, Cs=[1.0], orders=0).to_html()


@given(st.text(st.characters()))
def test_shown_text_is_one_visible_line(text: str) -> None:
    line = printable(text)
    assert len(line.splitlines()) <= 1 and not any(unicodedata.category(c) in HIDDEN for c in line)
    if text.isprintable():
        assert line == text or "\\u" in line or "\\U" in line
    line.encode("utf-8")


@given(st.text(st.characters()))
def test_a_json_document_reads_the_same(text: str) -> None:
    for is_ascii in (True, False):
        document = json_characters(json.dumps({text: [text]}, ensure_ascii=is_ascii))
        assert json.loads(document) == {text: [text]}
        assert not any(unicodedata.category(c) in HIDDEN for c in document)


@for_each(("text", "expected"), [
        ("- a", r"\- a"), ("+", r"\+"), ("12) a", r"12\) a"), ("---", r"\---"), ("===", r"\==="), ("# a", r"\# a"),
        ("> a", r"\> a"), ("-1.5", "-1.5"), ("+1", "+1"), ("1.5", "1.5"), ("a_b", "a_b"), ("_a_", r"\_a\_"),
        ("a\n\n# b", r"a\\n\\n\# b"), ("&lt;", r"\&lt;"), ("\\", "\\\\"),
    ])  # fmt: skip
def test_markdown(text: str, expected: str) -> None:
    assert markdown(text) == expected
