"""The command line, in this process and in one of its own, and refusals in Python."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from subprocess import PIPE
from typing import Any

import pytest

import maxmargin as mm
from maxmargin.cli.app import run

Capture = pytest.CaptureFixture[str]


def json_answer(capsys: Capture, *arguments: str) -> tuple[int, Any]:
    """Return the exit code and the JSON answer of a command."""
    capsys.readouterr()  # forgets the output of earlier commands
    code = run([*arguments, "--json"])
    return code, json.loads(capsys.readouterr().out)


def refusal(capsys: Capture, *arguments: object) -> str:
    """Return the one line that refuses a command, whose exit code is 2."""
    capsys.readouterr()  # forgets the output of earlier commands
    assert run([str(argument) for argument in arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert len(err.splitlines()) == err.count("\n") == 1
    assert "Traceback" not in err
    return err


def answered(capsys: Capture, *arguments: str) -> tuple[int, str, str]:
    """Return the exit code of a command, and what it wrote."""
    code = run(list(arguments))
    out, err = capsys.readouterr()
    assert "Traceback" not in err
    return code, out, err


def printed(capsys: Capture, *arguments: object, code: int = 0) -> str:
    """Return what a command prints that ends with this exit code."""
    capsys.readouterr()  # forgets the output of earlier commands
    assert run([str(argument) for argument in arguments]) == code
    return capsys.readouterr().out


def started(*arguments: str, **options: Any) -> subprocess.Popen[str]:
    """Start a command in a process of its own, with its output and its errors in pipes."""
    pipes = {"stdout": PIPE, "stderr": PIPE, "text": True}
    return subprocess.Popen([sys.executable, "-m", "maxmargin", *arguments], **{**pipes, **options})


def completed(*arguments: str, **options: Any) -> subprocess.CompletedProcess[Any]:
    """Run a command in a process of its own to its end."""
    pipes = {"stdout": PIPE, "stderr": PIPE, "text": True}
    return subprocess.run([sys.executable, "-m", "maxmargin", *arguments], check=False, **{**pipes, **options})


def python(code: str, *arguments: object, **options: Any) -> Any:
    """Run a program in a process of its own, which has to end well, and return what it prints."""
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.run(command, check=True, **{"stdout": PIPE, "text": True, **options}).stdout


def is_alive(pid: int) -> bool:
    """Return whether a process exists that is more than an exit code."""
    try:
        os.kill(pid, 0)
        return "Z (zombie)" not in Path(f"/proc/{pid}/status").read_text()
    except (ProcessLookupError, FileNotFoundError):
        return False


def gone_within(pid: int, seconds: float) -> bool:
    """Wait until a process has ended, and return whether it has."""
    end = time.monotonic() + seconds
    while is_alive(pid) and time.monotonic() < end:
        time.sleep(0.05)
    return not is_alive(pid)


def refused(call: Callable[[], Any]) -> str:
    """Return the one line with which a call refuses its data."""
    with pytest.raises((mm.InvalidProblemError, mm.DataError)) as caught:
        call()
    assert "\n" not in str(caught.value)
    return str(caught.value)
