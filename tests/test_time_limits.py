"""A time limit ends every question on which data would take minutes; what is returned is proven all the same."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import maxmargin as mm
from maxmargin.cli.app import run as command

_LIMIT = 1.0

_FAR_BEYOND = 20.0
"""Seconds that no machine takes for an answer within the limit, and that every one exceeds without it."""


@contextmanager
def _in_time() -> Iterator[None]:
    began = time.monotonic()
    yield
    assert time.monotonic() - began < _FAR_BEYOND


def _barely_separable(n: int = 20_000, d: int = 40) -> tuple[np.ndarray, np.ndarray]:
    """Rows on which a perceptron makes more than 10^9 mistakes."""
    random = np.random.default_rng(0)
    X, w = random.standard_normal((n, d)), random.standard_normal(d)
    y = np.where(X @ w > 0, 1, -1)
    return X + 1e-6 * np.outer(y, w / np.linalg.norm(w)), y


def _overlapping(n: int = 400, d: int = 20) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(1)
    return random.standard_normal((n, d)), random.choice([-1, 1], n)


@pytest.mark.slow
@pytest.mark.parametrize(
    "ask",
    [
        lambda X, y: mm.mistake_bounds(X, y, n_passes=None, time_limit=_LIMIT),
        lambda X, y: mm.order_study(X, y, n_orders=10**6, max_mistakes=None, time_limit=_LIMIT),
        lambda X, y: mm.margin_report(mm.from_arrays(X, y), max_mistakes=None, time_limit=_LIMIT).to_dict(),
    ],
    ids=["bounds", "orders", "report"],
)
def test_a_verb_ends_in_time(ask: Callable[[Any, Any], object]) -> None:
    X, y = _barely_separable()
    with _in_time():
        assert ask(X, y)


def test_fewer_orders_are_the_first_ones_of_more() -> None:
    X, y = _overlapping()
    some = mm.order_study(X, y, n_orders=10**7, time_limit=_LIMIT).outcomes.n_mistakes
    more = mm.order_study(X, y, n_orders=len(some) + 1, n_search=0).outcomes.n_mistakes
    assert 0 < len(some) < 10**7 and some.tolist() == more[: len(some)].tolist()


def test_a_limit_that_is_over_at_once_leaves_what_is_proven() -> None:
    X, y = _overlapping(60, 3)
    report = mm.margin_report(mm.from_arrays(X, y), time_limit=1e-9)
    fields = report.to_dict()
    assert fields["separability"]["verdict"] in ("overlap", "undecided")
    assert "the time limit was reached" in report.to_markdown()
    bounds = mm.mistake_bounds(X, y, time_limit=1e-9)
    n_mistakes = mm.perceptron(X, y, max_epochs=1).n_mistakes
    assert all(bound.value >= n_mistakes for bound in bounds if bound.valid and bound.name != "trivial")


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "xor"],
        ["margin", "agresti"],
        ["margin", "xor", "--soft", "1"],
        ["perceptron", "agresti"],
        ["online", "agresti"],
        ["bounds", "agresti"],
        ["fewest-errors", "xor"],
        ["orders", "agresti", "--n-orders", "5"],
        ["report", "agresti"],
        ["generate", "xor"],
    ],
    ids=lambda arguments: " ".join(arguments),
)
def test_every_command_takes_a_limit(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command([*arguments, "--quiet"]) == command([*arguments, "--quiet", "--time-limit", "60"])
    assert command([*arguments, "--quiet", "--time-limit", "0"]) == 2
    assert "not a positive number of seconds" in capsys.readouterr().err


def test_a_proof_that_is_not_checked_in_time_is_neither_valid_nor_invalid(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    proof = str(tmp_path / "proof.json")
    assert command(["check", "digits", "--positive", "0", "--proof", proof, "--quiet"]) == 0
    assert command(["verify", proof, "digits", "--time-limit", "0.001"]) == 4
    assert capsys.readouterr().err.endswith("maxmargin: not finished within the time limit of 0.001 s\n")
    assert command(["verify", proof, "digits", "--time-limit", "100"]) == 0
