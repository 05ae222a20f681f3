"""Reports whose pages the tests look at, each made once."""

from collections.abc import Callable, Iterable
from functools import cache

import numpy as np
import pytest

import maxmargin as mm


def _two_clouds(scale: float = 1.0) -> mm.Dataset:
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(30, 2)), rng.normal(size=(30, 2)) + 4]) * scale
    return mm.from_arrays(X, ["dog"] * 30 + ["cat"] * 30, feature_names=["width", "height"], source="folder/pets.csv")


def _quasi() -> mm.Dataset:
    X = [[0.0, 0.0], [1.0, 0.0], [2.0, 0.0], [0.0, 1.0], [1.0, -1.0], [1.0, 0.0]]
    return mm.from_arrays(X, ["a", "a", "b", "b", "a", "b"])


def _hostile() -> mm.Dataset:
    X = np.random.default_rng(0).normal(size=(24, 3))
    labels = np.where(np.arange(24) % 2, "<script>alert(1)</script>", "_a|b $x$ & *c*\x07")
    return mm.from_arrays(X, labels, feature_names=["a & b|c", "$x_1$", "_<i>\n"], source="</script>e|v<i>l")


def _one_column() -> mm.Dataset:
    return mm.from_arrays([[1.0], [2.0], [2.5], [4.0], [7.0]], [0, 0, 1, 1, 1])


# The data by name.
DATA: dict[str, Callable[[], mm.Dataset]] = {
    "clouds": _two_clouds, "setosa": lambda: mm.load("iris", positive="setosa"),
    "versicolor": lambda: mm.load("iris", positive="versicolor"), "breast_cancer": lambda: mm.load("breast_cancer"),
    "xor": lambda: mm.load("xor"), "two points": lambda: mm.from_arrays([[0.0, 0.0], [1.0, 1.0]], ["a", "b"]),
    "quasi": _quasi, "one column": _one_column, "gap": lambda: mm.load("gap:40"),
    "tiny units": lambda: _two_clouds(1e-300), "huge units": lambda: _two_clouds(1e299),
    "least number": lambda: mm.from_arrays([[0.0], [5e-324]], [0, 1]), "hostile": _hostile,
}  # fmt: skip

# Data whose report takes more than a second.
SLOW = {"versicolor", "breast_cancer", "gap", "tiny units", "least number"}


def each(names: Iterable[str] = DATA) -> pytest.MarkDecorator:
    """Run a test with each of these data."""
    marks = {True: (pytest.mark.slow,), False: ()}
    return pytest.mark.parametrize("name", [pytest.param(name, marks=marks[name in SLOW]) for name in names])


@cache
def report_of(name: str) -> mm.MarginReport:
    """Return the report of these data."""
    return mm.margin_report(DATA[name](), max_mistakes=20_000)


@cache
def page_of(name: str) -> str:
    """Return its page."""
    return report_of(name).to_html()
