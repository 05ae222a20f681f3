"""The multi-class perceptron (Duda and Hart 1973), as a cheap way to a strict direction for many rows."""

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.problem.problem import ClassProblem
from maxmargin.solvers.problem.scaling import ColumnScaling

Floats = NDArray[np.float64]

_MOST_EPOCHS = 300
_MOST_UPDATES = 200_000


def scores_of_a_run(problem: ClassProblem, scaling: ColumnScaling, limits: Limits) -> Floats | None:
    """Run until a clean epoch; return (w_k, b_k) of the classes but the first, in scaled coordinates, or None.

    A row whose own score is not the greatest is added to its own class and subtracted from the class ahead.
    """
    X = scaling.apply(problem.dense_rows(slice(None)))
    means, sizes = (X.mean(axis=0), X.std(axis=0)) if problem.bias else (np.zeros(X.shape[1]), np.abs(X).max(axis=0))
    sizes = np.where(sizes > 0, sizes, 1.0)
    X = (X - means) / sizes  # standardised columns take few epochs
    X = np.hstack([X, np.ones((len(X), 1))]) if problem.bias else X
    scores = np.zeros((problem.n_classes, X.shape[1]))
    n_updates = 0
    for _ in range(_MOST_EPOCHS):
        wrong = _rows_not_first(X, scores, problem.codes)
        if not wrong.size:
            return _brought_back(scores[1:] - scores[0], means, sizes, problem.bias)
        n_updates += len(wrong)
        if n_updates > _MOST_UPDATES or limits.is_over():
            return None
        for x, own in zip(X[wrong], problem.codes[wrong].tolist(), strict=True):
            values = scores @ x
            value, values[own] = values[own], -np.inf
            other = int(values.argmax())
            if value <= values[other]:
                scores[own] += x
                scores[other] -= x
    return None


def _brought_back(scores: Floats, means: Floats, sizes: Floats, bias: bool) -> Floats:
    normals = scores[:, : len(sizes)] / sizes
    if not bias:
        return normals.ravel()
    return np.hstack([normals, (scores[:, -1] - normals @ means)[:, None]]).ravel()


def _rows_not_first(X: Floats, scores: Floats, codes: NDArray[np.int64]) -> NDArray[np.int64]:
    values = X @ scores.T
    everywhere = np.arange(len(X))
    own = values[everywhere, codes]
    values[everywhere, codes] = -np.inf
    return np.flatnonzero(own <= values.max(axis=1))
