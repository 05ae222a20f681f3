"""Axes to draw on, and problems in the plane whose answers are known."""

from collections.abc import Iterator
from types import SimpleNamespace

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.axes import Axes
from matplotlib.figure import Figure

import maxmargin as mm


@pytest.fixture
def ax() -> Axes:
    """Axes that pyplot does not know."""
    return Figure().add_subplot()


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    """Check that no display leaves a figure open or changes a global setting; tests close the figures they ask for."""
    mpl.use("Agg")
    before, settings = plt.get_fignums(), dict(mpl.rcParams)
    yield
    assert plt.get_fignums() == before
    assert dict(mpl.rcParams) == settings


@pytest.fixture(scope="session")
def plane() -> SimpleNamespace:
    """Two classes of iris that a hyperplane in the plane of two columns separates."""
    pair = mm.load("iris").pair("setosa", "versicolor")
    return SimpleNamespace(X=np.array(pair.X[:, 2:]), y=np.array(pair.labels))


@pytest.fixture(scope="session")
def overlap() -> SimpleNamespace:
    """Two classes in the plane that overlap."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    return SimpleNamespace(X=X, y=np.where(X[:, 0] + 0.5 * rng.normal(size=40) > 0, "yes", "no"))


@pytest.fixture(scope="session")
def line() -> SimpleNamespace:
    """Three rows of one column, on which the perceptron makes 233 mistakes."""
    return SimpleNamespace(X=np.array([[10.0], [12.0], [15.0]]), y=np.array([0, 1, 1]))
