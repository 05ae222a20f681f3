"""The file of records: what survives, what is due again, and what merges."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from commands import python

from maxmargin.comparison.jobs.limit import Limit
from maxmargin.comparison.jobs.store import NAME, Store
from maxmargin.text.data_error import DataError

SHORT, LONG = Limit(seconds=1.0, memory=1 << 20), Limit(seconds=2.0, memory=1 << 21)


def test_a_record_comes_back_as_it_was(tmp_path: Path) -> None:
    record = {"status": "ok", "w": [0.1, -0.0, 5e-324], "message": "naïve ∑ \x00"}
    with Store(tmp_path / "new" / "folder") as store:
        store.put("a", "cell", record, SHORT)
        store.put("b", "facts", {"status": "ok"}, SHORT)
        assert store.records("cell") == {"a": record}


@pytest.mark.parametrize("status, limit, is_done", [
    ("ok", LONG, True), ("error", LONG, True), ("timeout", SHORT, True), ("timeout", LONG, False),
    ("timeout", Limit(memory=1 << 20), False), ("memory", Limit(seconds=2.0, memory=1 << 20), True),
    ("memory", LONG, False), ("memory", Limit(), False),
])  # fmt: skip
def test_a_record_is_due_again_when_its_limit_grew(tmp_path: Path, status: str, limit: Limit, is_done: bool) -> None:
    with Store(tmp_path) as store:
        assert not store.is_done("a", SHORT)
        store.put("a", "cell", {"status": status}, SHORT)
        assert store.is_done("a", limit) is is_done


def test_folders_merge_and_good_records_win(tmp_path: Path) -> None:
    with Store(tmp_path / "one") as one, Store(tmp_path / "two") as two:
        one.put("both", "cell", {"status": "ok", "by": 1}, SHORT)
        two.put("both", "cell", {"status": "ok", "by": 2}, SHORT)
        one.put("better", "cell", {"status": "timeout", "by": 1}, SHORT)
        two.put("better", "cell", {"status": "ok", "by": 2}, SHORT)
        two.put("only", "cell", {"status": "error", "by": 2}, SHORT)
        one.take_over(tmp_path / "two")
        assert {key: record["by"] for key, record in one.records("cell").items()} == {"both": 1, "better": 2, "only": 2}


def test_a_folder_without_records_is_refused(tmp_path: Path) -> None:
    with Store(tmp_path / "one") as store, pytest.raises(DataError, match=f"found no {NAME}"):
        store.take_over(tmp_path)


def test_another_file_of_this_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / NAME).write_text("something else entirely, and long enough not to be taken for an empty file" * 10)
    with pytest.raises(DataError, match="file is not a database"):
        Store(tmp_path)
    (tmp_path / "folder" / NAME).mkdir(parents=True)
    with pytest.raises(OSError, match="found a directory, expected a regular file"):
        Store(tmp_path / "folder")


_WRITER = """
import sys
from maxmargin.comparison.jobs.limit import Limit
from maxmargin.comparison.jobs.store import Store
with Store(sys.argv[1]) as store:
    for number in range(10**6):
        store.put(f"{sys.argv[2]}-{number}", "cell", {"status": "ok", "text": "x" * 500}, Limit())
        print(number, flush=True)
"""


def test_what_was_written_survives_kill_9_and_two_writers_do_no_harm(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", _WRITER, str(tmp_path), name], stdout=subprocess.PIPE, text=True)
        for name in ("a", "b")
    ]
    written: dict[str, int] = {}
    for name, writer in zip("ab", writers, strict=True):
        lines = [writer.stdout.readline() for _ in range(50)]
        writer.kill()
        lines += writer.stdout.readlines()
        writer.wait()
        writer.stdout.close()
        written[name] = int([line for line in lines if line.endswith("\n")][-1]) + 1
    with Store(tmp_path) as store:
        found = store.records("cell")
    for name, number in written.items():
        assert {f"{name}-{i}" for i in range(number)} <= found.keys()


@pytest.mark.skipif(not hasattr(os, "setsid") or sys.platform == "win32", reason="needs a limit of the size of files")
def test_a_full_disk_is_a_clear_error_and_loses_nothing(tmp_path: Path) -> None:
    code = """
import resource, signal, sys
from maxmargin.comparison.jobs.limit import Limit
from maxmargin.comparison.jobs.store import Store, StoreError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
with Store(sys.argv[1]) as store:
    resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, resource.RLIM_INFINITY))
    for number in range(10**4):
        try:
            store.put(f"{number}", "cell", {"status": "ok", "text": "x" * 500}, Limit())
        except StoreError as error:
            print(number, error)
            break
"""
    number, _, message = python(code, tmp_path).partition(" ")
    assert "what was written before is kept" in message and NAME in message
    with Store(tmp_path) as store:
        assert len(store.records("cell")) == int(number) > 0
