"""What functions show on stderr where ``verbose`` asks for it."""

import inspect
import re
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from calls import VERBS
from cases import for_each

import maxmargin as mm
from maxmargin import translation_studies
from maxmargin.text.progress import counting_shown, progress_shown, report_rows_done, run_shown, shows_progress, waiting

X, Y = [[10.0, 0.0], [40.0, 1.0], [60.0, 0.0], [90.0, 1.0]], [0, 1, 1, 0]
FUNCTIONS = {
    name: verb
    for module in (mm, translation_studies)
    for name in module.__all__
    if inspect.isfunction(verb := getattr(module, name))
}
# Reading and checking end or fail as a whole.
WITHOUT_TIME_LIMIT = {"load", "verify"}


@shows_progress(partial(waiting, first_after=0.01), "thinking")
def slow(*, verbose: bool = False) -> str:
    time.sleep(0.1)
    return "done"


@shows_progress(partial(progress_shown, first_after=0.0), lambda _, number: f"number {number}")
def counted(*, verbose: bool = False, on_progress: Callable[[int], None] | None = None) -> None:
    if on_progress is not None:
        on_progress(7)


def test_verbose_says_what_is_under_way(capsys: pytest.CaptureFixture[str]) -> None:
    assert slow() == "done"
    assert capsys.readouterr() == ("", "")
    assert slow(verbose=True) == "done"
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("thinking: 0 s")


def test_progress_goes_to_the_caller_or_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    seen: list[int] = []
    counted(on_progress=seen.append)
    counted(on_progress=seen.append, verbose=True)
    assert seen == [7, 7] and capsys.readouterr().err == ""
    counted(verbose=True)
    assert capsys.readouterr().err == "number 7\n"


def test_nothing_is_shown_after_the_work(capsys: pytest.CaptureFixture[str]) -> None:
    slow(verbose=True)
    capsys.readouterr()
    report_rows_done(1, 2)
    assert capsys.readouterr() == ("", "")


def test_counts_are_for_terminals(capsys: pytest.CaptureFixture[str]) -> None:
    with counting_shown("counting", quiet=False) as listener:
        assert listener is None
    with run_shown(quiet=True) as nobody:
        assert nobody is None


@for_each("name", sorted(FUNCTIONS))
def test_what_can_take_long_can_be_watched(name: str) -> None:
    parameters = inspect.signature(FUNCTIONS[name]).parameters
    is_long = "time_limit" in parameters or name in WITHOUT_TIME_LIMIT
    assert ("verbose" in parameters) == is_long
    if is_long:
        assert parameters["verbose"].default is False and parameters["verbose"].kind is inspect.Parameter.KEYWORD_ONLY


@for_each("verb", VERBS.values())
def test_quick_answers_are_quiet(capsys: pytest.CaptureFixture[str], verb: Callable[..., Any]) -> None:
    """On a busy machine work may take longer, and compiling code is announced once."""
    verb(X, Y, verbose=True)
    out, err = capsys.readouterr()
    assert out == "" and all("compiling" in line or re.search(r": \d+ s$", line) for line in err.splitlines())
