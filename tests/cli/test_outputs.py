"""Outputs are whole or absent, never written over an input, and over other data only where that is asked for."""

import errno
import io
import json
import os
import resource
import stat
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from calls import interrupting
from commands import Capture, completed, refusal

from maxmargin.cli.app import run
from maxmargin.text.outputs import check_writable, replacing, write_text
from maxmargin.theory.trace import exact_text

TABLE = "a,b,y\n0,0,no\n1,0,no\n0,2,yes\n3,3,yes\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("d.csv").write_text(TABLE)
    return tmp_path


def hard_link(folder: Path) -> str:
    os.link("d.csv", "other.csv")
    return "other.csv"


def link_of_a_link(folder: Path) -> str:
    Path("one").symlink_to(folder / "d.csv")
    Path("other.csv").symlink_to("one")
    return "other.csv"


def through_a_folder(folder: Path) -> str:
    Path("here").symlink_to(folder)
    return "here/d.csv"


NAMES = [lambda folder: "d.csv", hard_link, link_of_a_link, through_a_folder]
TRACES = ["perceptron d.csv --trace", "perceptron d.csv --trace-mistakes"]


@pytest.mark.parametrize("force", [[], ["--force"]])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("command", ["check d.csv --proof", "margin d.csv --proof", *TRACES])
def test_no_output_over_an_input(folder: Path, capsys: Capture, command: str, name: Any, force: list[str]) -> None:
    output = name(folder)
    assert f"{output}: is one of the inputs" in refusal(capsys, *command.split(), output, *force)
    assert Path("d.csv").read_text() == TABLE


def test_pages_and_figures_are_not_written_over_an_input(folder: Path, capsys: Capture) -> None:
    os.link("d.csv", "page.html")
    Path("figures").mkdir()
    os.link("d.csv", "figures/mistakes.svg")
    for command in (["report", "-o", "page.html"], ["report", "--figures", "figures"], ["trust", "-o", "page.html"]):
        assert "is one of the inputs" in refusal(capsys, *command, "d.csv")
    assert Path("d.csv").read_text() == TABLE


def test_companions_of_a_source_are_inputs(folder: Path, capsys: Capture) -> None:
    Path("parts").mkdir()
    np.save("X.npy", [[0.0], [1.0]])
    np.save("y.npy", [0, 1])
    Path("parts/part.csv").write_text(TABLE)
    os.link("y.npy", "labels.json")
    os.link("parts/part.csv", "part.json")
    for source, proof in (("X.npy", "labels.json"), ("parts", "part.json")):
        before = Path(proof).read_bytes()
        assert "is one of the inputs" in refusal(capsys, "check", source, "--proof", proof)
        assert Path(proof).read_bytes() == before


def test_the_file_behind_the_standard_input_is_an_input(folder: Path) -> None:
    with Path("d.csv").open() as source:
        done = completed("check", "-", "--proof", "d.csv", "--force", stdin=source)
    assert done.returncode == 2 and "is one of the inputs" in done.stderr
    assert Path("d.csv").read_text() == TABLE


@pytest.mark.parametrize("command", [*TRACES, "generate gap:5 -o", "check d.csv --proof"])
def test_data_are_overwritten_only_by_force(folder: Path, capsys: Capture, command: str) -> None:
    arguments, refused = command.split(), "exists and may hold data; expected a new file, or --force"
    Path("old.csv").write_text("precious\n")
    Path("link.csv").symlink_to("old.csv")
    for name in ("old.csv", "link.csv"):
        assert f"{name}: {refused}" in refusal(capsys, *arguments, name)
        assert Path("old.csv").read_text() == "precious\n"
    assert run([*arguments, "link.csv", "--force"]) == 0
    assert Path("link.csv").is_symlink(), "what the link names is replaced, not the link"
    assert Path("old.csv").read_text() != "precious\n"


@pytest.mark.parametrize(
    "name", ["a1a", "old.data", "old.txt", "old.md", "link.json", "old.tsv", "old.CSV.gz", "old.parquet", "old.npy"]
)
def test_other_files_are_overwritten_only_by_force(folder: Path, capsys: Capture, name: str) -> None:
    """LIBSVM's files have no suffix, and what a link with a fitting name stands for may be one of them."""
    old = Path("a1a" if name == "link.json" else name)
    old.write_text("precious\n")
    if name == "link.json":
        Path(name).symlink_to(old)
    assert run(["check", "d.csv", "--proof", name]) == 2
    assert f"{name}: exists and may hold data; expected a new file, or --force" in capsys.readouterr().err
    assert old.read_text() == "precious\n"
    assert run(["check", "d.csv", "-q", "--proof", name, "--force"]) == 0
    assert json.loads(old.read_text())["claim"] == "separable"
    assert run(["check", "d.csv", "-q", "--proof", name]) == 0  # a proof may be rewritten


def test_reports_and_proofs_are_rewritten(folder: Path) -> None:
    Path("p.json").touch()  # nothing is lost with an empty file
    for _ in range(2):
        assert run(["check", "d.csv", "-q", "--proof", "p.json"]) == 0
        assert run(["check", "d.csv", "-q", "--reuse", "p.json", "--proof", "p.json"]) == 0
        assert run(["perceptron", "d.csv", "-q", "--trace", "t.md", "--trace-mistakes", "t.tex"]) == 0
    assert sorted(path.name for path in folder.iterdir()) == ["d.csv", "p.json", "t.md", "t.tex"]


def test_two_outputs_are_two_files(folder: Path, capsys: Capture) -> None:
    Path("t.md").touch()
    os.link("t.md", "u.md")
    assert "two files" in refusal(capsys, "perceptron", "d.csv", "--trace", "t.md", "--trace-mistakes", "u.md")
    assert "two names" in refusal(capsys, "report", "d.csv", "-o", "r.html", "--figures", "r.html")


class Stopped(BaseException):
    """A process that ends in the middle of writing."""


@pytest.mark.parametrize("error", [Stopped, KeyboardInterrupt, OSError(errno.ENOSPC, "No space left on device")])
def test_a_file_is_whole_or_as_it_was(tmp_path: Path, error: type[BaseException] | OSError) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    old.write_text("as it was")
    for path in (old, new):
        with pytest.raises(error if isinstance(error, type) else OSError) as caught, replacing(path) as file:
            file.write(b"half of")
            raise error
        assert not isinstance(caught.value, OSError) or caught.value.filename == str(path)
    assert old.read_text() == "as it was"
    assert [path.name for path in tmp_path.iterdir()] == ["old"]


@pytest.mark.slow
def test_a_full_disk_names_the_file(folder: Path) -> None:
    """A limit of the size of files stands in for a full disk."""

    def small_files() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (512, 512))

    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    iris = "iris --positive setosa"
    for line in (f"check {iris} --proof p.json", f"perceptron {iris} --trace t.csv", "generate odd-max-bit:8 -o g.csv"):
        command = line.split()
        done = completed(*command, "-q", preexec_fn=small_files, env=environment)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
        assert f"maxmargin: {command[-1]}: " in done.stderr
    assert [path.name for path in folder.iterdir()] == ["d.csv"]


def test_permissions_and_links_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("old")
    path.chmod(0o640)
    (tmp_path / "link").symlink_to("file")
    write_text(tmp_path / "link", "new")
    assert path.read_text() == "new" and stat.S_IMODE(path.stat().st_mode) == 0o640
    assert (tmp_path / "link").is_symlink()
    (tmp_path / "dangling").symlink_to("later")
    write_text(tmp_path / "dangling", "made")
    assert (tmp_path / "later").read_text() == "made"
    mask = os.umask(0o027)
    try:
        write_text(tmp_path / "fresh", "")
        assert stat.S_IMODE((tmp_path / "fresh").stat().st_mode) == 0o640
    finally:
        os.umask(mask)


def test_what_is_no_regular_file_is_written_directly(tmp_path: Path) -> None:
    write_text(os.devnull, "gone")
    assert not Path(os.devnull).is_file()
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    found = io.StringIO()
    reader = threading.Thread(target=lambda: found.write(pipe.read_text()))
    reader.start()
    check_writable(pipe)
    write_text(pipe, "through")
    reader.join()
    assert found.getvalue() == "through" and stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.slow
def test_the_own_output_in_a_file_is_not_replaced(folder: Path) -> None:
    with Path("out.txt").open("w") as output:
        for name in ("/dev/stdout", "out.txt"):
            done = completed("check", "d.csv", "-q", "--json", "--proof", name, stdout=output)
            assert done.returncode == 2
            assert f"{name}: is where the answer is printed; expected a file of its own" in done.stderr
    assert Path("out.txt").read_text() == ""
    done = completed("check", "d.csv", "-q", "--json", "--proof", "/dev/stdout")
    assert '"claim": "separable"' in done.stdout and '"schema": "maxmargin.check/1"' in done.stdout


def test_files_that_may_not_be_written(tmp_path: Path) -> None:
    if os.geteuid() == 0:
        assert os.access(tmp_path, os.W_OK)
    for path, kind in ((tmp_path, IsADirectoryError), (tmp_path / "no" / "file", FileNotFoundError)):
        with pytest.raises(kind):
            check_writable(path)


def test_trace_limit(folder: Path, capsys: Capture) -> None:
    command = ["perceptron", "agresti", "--trace", "t.csv", "--trace-mistakes", "m.csv", "--trace-limit", "7", "--json"]
    assert run(command) == 0
    done = capsys.readouterr()
    found = json.loads(done.out)
    assert found["trace"]["n_presentations"] == 7 and not found["trace"]["is_whole"]
    assert found["mistake_trace"]["n_lines"] == 7
    assert "t.csv: 7 presentations in exact decimal arithmetic, cut there (--trace-limit)" in done.err
    assert len(Path("t.csv").read_text().splitlines()) == len(Path("m.csv").read_text().splitlines()) == 8


def test_progress_while_a_long_trace_is_written(folder: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.monotonic", iter(range(0, 10**9, 2)).__next__)
    assert run(["perceptron", "agresti", "--trace", "t.md", "--trace-limit", "20"]) == 0
    assert "writing t.md: " in capsys.readouterr().err


def test_the_answer_is_printed_though_the_trace_was_interrupted(folder: Path, capsys: Capture) -> None:
    with interrupting(exact_text):
        assert run(["perceptron", "d.csv", "--trace", "t.md"]) == 130
    done = capsys.readouterr()
    assert "converged" in done.out and "the trace that was under way is not written" in done.err
    assert [path.name for path in folder.iterdir()] == ["d.csv"]
