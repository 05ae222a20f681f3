"""Strategies of hypothesis for problems."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array

from maxmargin.solvers.problem import Problem


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
