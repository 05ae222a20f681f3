"""Ctrl-C is one line and 130, wherever it comes; a reader who leaves is told nothing."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from commands import completed

AT_AN_IMPORT = """
import os, signal, sys

class Finder:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            sys.meta_path.remove(self)
            {act}

sys.meta_path.insert(0, Finder())
import maxmargin.__main__
sys.argv = ["maxmargin", *{arguments!r}]
maxmargin.__main__.main()
"""

CTRL_C = "os.kill(os.getpid(), signal.SIGINT)"
SWALLOWED = f"""
            try:
                {CTRL_C}
                for _ in range(1000): pass
            except KeyboardInterrupt:
                raise ImportError("a compiled module could not be initialised") from None
"""
IN_A_CALLBACK = f"""
            class Gone:
                def __del__(self):
                    {CTRL_C}
                    for _ in range(1000): pass
            Gone()
"""
AT_EXIT = f"""
            import atexit
            atexit.register(lambda: {CTRL_C})
"""

CHECK = ["check", "two-points"]
MODULES = ["highspy", "click", "maxmargin.cli.options", "maxmargin.cli.commands.check", "numpy", "cvxpy"]
REPORT = ["report", "two-points", "-q", "-o", "page.html", "--orders", "0"]


raised_or_in_a_callback = pytest.mark.parametrize("act", [CTRL_C, IN_A_CALLBACK], ids=["raised", "in a callback"])


def ran_with(act: str, module: str, arguments: list[str], first: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command that does this when it imports a module; Ctrl-C can reach it, however the tests were started."""
    program = AT_AN_IMPORT.format(module=module, act=act, arguments=arguments)
    return subprocess.run(
        [sys.executable, "-c", first + program], capture_output=True, text=True, check=False,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )  # fmt: skip


@pytest.mark.sampled(2)
@pytest.mark.parametrize("module", MODULES)
@raised_or_in_a_callback
def test_ctrl_c_at_an_import(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, module: str, act: str) -> None:
    monkeypatch.chdir(tmp_path)
    done = ran_with(act, module, REPORT if module == "cvxpy" else CHECK)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "maxmargin: interrupted\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.slow
@raised_or_in_a_callback
def test_ctrl_c_while_a_run_imports_its_compiler_prints_the_run(act: str) -> None:
    done = ran_with(act, "numba", ["perceptron", "two-points", "--method", "weights", "-q"])
    assert (done.returncode, done.stderr) == (130, "") and "interrupted: " in done.stdout


@pytest.mark.slow
def test_ctrl_c_of_which_an_import_makes_another_error() -> None:
    done = ran_with(SWALLOWED, "numpy", CHECK)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "maxmargin: interrupted\n")


def test_ctrl_c_after_the_answer() -> None:
    done = ran_with(AT_EXIT, "highspy", [*CHECK, "-q"])
    assert (done.returncode, done.stderr) == (0, "") and "separable (proven)" in done.stdout


@pytest.mark.slow
def test_ctrl_c_that_the_shell_ignores_is_ignored() -> None:
    ignoring = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)\n"
    done = ran_with(CTRL_C, "highspy", [*CHECK, "-q"], first=ignoring)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.slow
def test_an_error_that_is_no_interrupt_is_told() -> None:
    done = ran_with("raise RuntimeError('a bug')", "numpy", CHECK)
    assert done.returncode == 1 and "RuntimeError: a bug" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("arguments, closed", [
    (CHECK, "stdout"), (CHECK, "stderr"), (CHECK, "both"), (["--help"], "both"), (["check", "nowhere.csv"], "both"),
])  # fmt: skip
def test_closed_streams(arguments: list[str], closed: str) -> None:
    streams = {"stdout": ">&-", "stderr": "2>&-", "both": ">&- 2>&-"}[closed]
    command = f'"{sys.executable}" -m maxmargin {" ".join(arguments)} {streams}'
    done = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
    assert done.returncode == (2 if "nowhere.csv" in arguments else 0)
    assert "Traceback" not in done.stderr


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("arguments", ["check xor --json -q", "--help", "generate gap:1000", "check nowhere.csv"])
@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_who_left(arguments: str, unbuffered: str) -> None:
    """The exit code is that of a program which SIGPIPE ends, no verdict; of errors there is nobody to tell either."""
    environment = {**os.environ, "PYTHONUNBUFFERED": unbuffered}
    for merged in (False, True):
        reader, writer = os.pipe()
        os.close(reader)
        done = completed(
            *arguments.split(), stdout=writer, stderr=writer if merged else subprocess.PIPE, env=environment
        )
        os.close(writer)
        assert done.returncode == (2 if "nowhere.csv" in arguments else 141)
        assert merged or done.stderr.count("\n") == ("nowhere.csv" in arguments)
