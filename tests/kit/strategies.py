"""Problems: strategies of hypothesis, and classes that overlap."""

import numpy as np
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array

from maxmargin.data.reading.loading import load
from maxmargin.solvers.problem.problem import Problem

# For tests whose examples take long: a quarter of the examples of others, but as many in `make test`.
fewer_examples = settings(max_examples=max(25, settings().max_examples // 4))


# Whole numbers and decimals, for rows of soft margins.
entries = st.one_of(st.integers(-3, 3).map(float), st.floats(-10, 10).map(lambda v: round(v, 3)))


@st.composite
def problems(
    draw: st.DrawFn, elements: st.SearchStrategy[float], most_rows: int = 10, most_columns: int = 3
) -> Problem:
    """Draw any rows and labels, with both classes among the first two rows."""
    n, d = draw(st.integers(2, most_rows)), draw(st.integers(1, most_columns))
    X = draw(hnp.arrays(np.float64, (n, d), elements=elements))
    y = draw(hnp.arrays(np.float64, n, elements=st.sampled_from([-1.0, 1.0])))
    y[:2] = -1.0, 1.0
    return Problem(X, y, draw(st.booleans()))


@st.composite
def integer_problems(draw: st.DrawFn, most_rows: int = 10) -> Problem:
    """Draw rows of small integers, dense or sparse, so that ties and duplicates occur, and labels of both classes."""
    n, d = draw(st.integers(2, most_rows)), draw(st.integers(1, 3))
    largest = draw(st.sampled_from([1, 2, 9]))
    X = draw(hnp.arrays(np.float64, (n, d), elements=st.integers(-largest, largest).map(float)))
    y = draw(hnp.arrays(np.float64, n, elements=st.sampled_from([-1.0, 1.0])))
    if (y == y[0]).all():
        y[0] = -y[0]
    return Problem(csr_array(X) if draw(st.booleans()) else X, y, draw(st.booleans()))


def overlapping(n: int, d: int, *, seed: int = 0, share: float = 0.5, shift: float = 1.0, bias: bool = True) -> Problem:
    """Return two normal clouds, of which the positive one has about this share of the rows."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(n) < share, 1.0, -1.0)
    y[:2] = -1.0, 1.0
    X = rng.normal(size=(n, d))
    X[:, 0] += shift * y
    return Problem(X, y, bias)


def bundled(name: str, positive: str | None = None) -> Problem:
    """Return bundled data as they are."""
    data = load(name, positive=positive)
    return Problem(data.X, data.y.astype(float))


def _duplicated() -> Problem:
    problem = overlapping(60, 3)
    return Problem(np.tile(problem.X, (3, 1)), np.concatenate([problem.y, problem.y, -problem.y]))


def _collinear() -> Problem:
    problem = overlapping(100, 3)
    columns = [problem.X, problem.X[:, :1] * 2 - problem.X[:, 1:2], np.full((100, 1), 7.0), np.zeros((100, 1))]
    return Problem(np.hstack(columns), problem.y)


# Data that soft margins are for, of every shape, and a few that are separable.
OVERLAPPING = {
    "plain": overlapping(200, 4), "unbalanced": overlapping(200, 4, share=0.05),
    "unbalanced the other way": overlapping(200, 4, share=0.95), "through the origin": overlapping(150, 4, bias=False),
    "duplicates and contradictions": _duplicated(), "collinear and constant columns": _collinear(),
    "one feature": overlapping(80, 1), "more columns than rows": overlapping(30, 80),
    "more columns, through the origin": overlapping(30, 80, bias=False),
    "two rows": Problem(np.array([[0.0, 1.0], [3.0, 5.0]]), np.array([-1.0, 1.0])),
    "two equal rows": Problem(np.array([[1.0, 1.0], [1.0, 1.0]]), np.array([-1.0, 1.0])),
    "one row against many": Problem(overlapping(40, 2).X, np.where(np.arange(40) == 3, 1.0, -1.0)),
    "sparse": Problem(csr_array(overlapping(120, 5).X.round(0)), overlapping(120, 5).y),
    "far from 0": Problem(overlapping(150, 3).X + 1e5, overlapping(150, 3).y),
    "breast_cancer": bundled("breast_cancer"), "wine": bundled("wine", "class_0"),
}  # fmt: skip
