"""Files that are read whole: what is no regular file, and what is too large, is refused before it is read."""

import os
from pathlib import Path

import pytest
from cases import for_each
from commands import Capture, refusal

import maxmargin as mm
from maxmargin.comparison.methods.plugins import from_file
from maxmargin.comparison.study_file import Study
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.proof import checker
from maxmargin.text.regular_files import read_at_most, read_regular_file

KINDS = {"folder": "a directory", "pipe": "a pipe", "/dev/null": "a device", "/dev/zero": "a device"}
WORDS = {path: f"found {kind}, expected a regular file" for path, kind in KINDS.items()} | {"large": "1024 MiB"}


def test_what_may_never_end_is_refused_unread(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    monkeypatch.chdir(tmp_path)
    Path("data.csv").write_text("x,y\n1,a\n2,b\n", encoding="utf-8")
    Path("folder").mkdir()
    os.mkfifo("pipe")
    Path("large").touch()
    os.truncate("large", 50 * 2**30)  # which takes no space on the disk
    for path, words in WORDS.items():
        lines = [f"judge data.csv --plane {path}", f"compare -o results {path}", f"verify {path} data.csv"]
        # a folder has the older proof by the name of the source
        for line in (*lines, *[f"check data.csv --reuse {path}"] * (path != "folder")):
            command = line.split()
            err = refusal(capsys, *command)
            assert err.startswith(f"maxmargin: {path}: ") and words in err, command
        for read in (Study.of, lambda name: mm.verify(name, [[1.0], [2.0]], [0, 1])):
            with pytest.raises(OSError, match=words):
                read(path)
        with pytest.raises(InvalidOptionError, match=words):
            from_file(path)
        if path != "large":
            assert checker.main([path, "data.csv"]) == 2
            assert capsys.readouterr().err == f"{path}: expected a regular file\n"


@for_each("n_bytes", (1, 2**20 - 1, 2**20, 2**20 + 1, 3 * 2**20))
def test_all_bytes_up_to_the_bound_are_read_and_one_more_is_refused(n_bytes: int, tmp_path: Path) -> None:
    content, path = os.urandom(n_bytes), tmp_path / "file"
    path.write_bytes(content)
    assert read_regular_file(path, most_bytes=n_bytes) == content
    with pytest.raises(OSError, match="found more than"):
        read_regular_file(path, most_bytes=n_bytes - 1)
    with open("/dev/zero", "rb") as zeros, pytest.raises(OSError, match="found more than"):
        read_at_most(zeros, "zeros", most_bytes=n_bytes)
