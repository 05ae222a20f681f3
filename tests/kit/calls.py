"""Calls of every question, and what functions are called with while a test runs, without replacing any of them."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import unwrap
from types import FrameType
from typing import Any

import maxmargin as mm

# Every question, with settings that keep it short, for rows of two columns.
VERBS: dict[str, Callable[..., Any]] = {
    "separability": mm.separability,
    "hard_margin": mm.hard_margin,
    "soft_margin": mm.soft_margin,
    "soft_margin_path": lambda *data, **options: mm.soft_margin_path(*data, **options)[0],
    "nu_margin": mm.nu_margin,
    "fewest_errors": mm.fewest_errors,
    "least_total_slack": mm.least_total_slack,
    "perceptron": lambda *data, **options: mm.perceptron(*data, max_epochs=3, **options),
    "online": lambda *data, **options: mm.online(*data, max_epochs=3, **options),
    "order_study": lambda *data, **options: mm.order_study(
        *data, n_orders=3, n_search=0, n_sequence=0, max_epochs=3, **options
    ),
    "judge": lambda X, y=None, **options: mm.judge(X, y, w=[1.0, 0.5], b=-40.0, **options),
    "mistake_bounds": lambda *data, **options: mm.mistake_bounds(*data, **options)[0],
    "mistake_trace": lambda *data, **options: mm.mistake_trace(*data, max_mistakes=20, **options),
    "require": lambda X, y=None, **options: mm.require(X, y, requirement="overlap", **options),
}


@contextmanager
def calling(function: Callable[..., Any], on_call: Callable[[dict[str, Any]], None]) -> Iterator[None]:
    """Call `on_call` with the arguments by name whenever this thread calls the function."""
    code = unwrap(function).__code__  # that of a decorator may belong to many functions

    def profile(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code is code:
            on_call(dict(frame.f_locals))

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        yield
    finally:
        sys.setprofile(before)


@contextmanager
def arguments_of(function: Callable[..., Any]) -> Iterator[list[dict[str, Any]]]:
    """Collect the arguments of every call of the function."""
    found: list[dict[str, Any]] = []
    with calling(function, found.append):
        yield found


@contextmanager
def interrupting(function: Callable[..., Any]) -> Iterator[None]:
    """Raise KeyboardInterrupt, as Ctrl-C does, as soon as the function is called."""

    def interrupt(_: dict[str, Any]) -> None:
        raise KeyboardInterrupt

    with calling(function, interrupt):
        yield
