"""Vertices of the weights that balance, from the logistic loss, next to linear programs."""

import numpy as np
import pytest
from cases import for_each
from scipy.optimize import linprog
from scipy.sparse import csr_array

import maxmargin as mm
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.engines.balancing_vertex import NAME, balancing_vertex
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.separability.feasibility import separability


def sparse_rows(n: int, d: int, seed: int, *, n_entries: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """Return counts, so many a row, and random labels."""
    rng = np.random.default_rng(seed)
    X = np.zeros((n, d))
    np.add.at(
        X, (np.repeat(np.arange(n), n_entries), rng.integers(0, d, n_entries * n)), rng.integers(1, 4, n_entries * n)
    )
    return X, np.where(rng.random(n) < 0.5, -1.0, 1.0)


def all_can_be_positive(rows: np.ndarray) -> bool:
    """Return whether weights of at least 1 on every row balance."""
    zero = np.zeros(rows.shape[1])
    return bool(linprog(np.zeros(len(rows)), A_eq=rows.T, b_eq=zero, bounds=(1, None)).status == 0)


@for_each("seed", range(8))
@for_each("n", [30, 60, 120])
def test_a_vertex_is_found_where_all_rows_can_balance(seed: int, n: int) -> None:
    X, y = sparse_rows(n, 15, seed)
    if seed % 2:
        X[:, ::4] = 0.0
    rows = y[:, None] * np.hstack([X, np.ones((n, 1))])
    weights = balancing_vertex(rows, lambda: False)
    if not all_can_be_positive(rows):
        return  # no claim: who asks checks exactly
    assert weights is not None and weights.min() >= 0 and weights.max() > 0
    assert np.abs(rows.T @ weights).max() <= 1e-8 * weights.max()
    assert np.count_nonzero(weights) <= np.linalg.matrix_rank(rows) + 1


def test_nothing_is_found_in_no_time_or_where_rows_are_separable() -> None:
    X, y = sparse_rows(60, 10, 0)
    rows = y[:, None] * np.hstack([X, np.ones((60, 1))])
    assert balancing_vertex(rows, lambda: True) is None
    weights = balancing_vertex(np.abs(rows), lambda: False)
    assert weights is None or not np.abs(np.abs(rows).T @ weights).max() <= 1e-12 * weights.max()


@pytest.mark.slow
@pytest.mark.parametrize("is_quasi", [False, True])
def test_wide_sparse_rows_are_decided(is_quasi: bool) -> None:
    X, y = sparse_rows(1500, 500, 0, n_entries=12)
    if is_quasi:
        X[:, 0] = np.arange(1500) == np.flatnonzero(y > 0)[0]
    answer = separability(Problem.validated(csr_array(X), y))
    assert answer.verdict is (Verdict.QUASI_SEPARABLE if is_quasi else Verdict.OVERLAP)
    assert answer.engine == NAME or is_quasi
    assert mm.verify(answer.certificate, X, y)
