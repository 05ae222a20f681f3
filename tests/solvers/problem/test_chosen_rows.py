"""Some rows of a data source: the same as a copy of them, without the copy."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array

from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import ChosenRows, InMemory
from maxmargin.solvers.soft_margin.soft_margin import soft_margin, soft_margin_path


class InChunks(InMemory):
    """Rows in memory, in chunks of a few of them."""

    def __init__(self, X: Any, chunk_rows: int) -> None:
        super().__init__(X)
        self.chunk_rows = chunk_rows

    def _chunk_rows(self) -> int:
        return self.chunk_rows


class Elsewhere:
    """Rows that count as outside memory; it counts the rows that were fetched, and lists those to be cached."""

    def __init__(self, X: Any, chunk_rows: int, sampled: tuple[int, ...] = ()) -> None:
        self._rows, self.sampled = InChunks(X, chunk_rows), np.array(sampled, np.int64)
        self.most_fetched = 0
        self.cached: list[list[int]] = []

    def cache(self, rows: np.ndarray, X: Any) -> None:
        self.cached.append(rows.tolist())

    def __getattr__(self, name: str) -> Any:
        return getattr(self._rows, name)

    def __getitem__(self, rows: Any) -> Any:
        found = self._rows[rows]
        self.most_fetched = max(self.most_fetched, found.shape[0])
        return found


def chunk(rows: slice, X: Any, *vectors: np.ndarray) -> tuple[slice, np.ndarray, tuple[np.ndarray, ...]]:
    return rows, X.toarray() if hasattr(X, "tocsr") else X.copy(), vectors


@given(st.lists(st.booleans(), min_size=1, max_size=40), st.integers(1, 50), st.booleans())
def test_chunks_are_those_of_a_copy(kept: list[bool], chunk_rows: int, is_sparse: bool) -> None:
    X = np.random.default_rng(len(kept)).integers(-1, 2, (len(kept), 3)).astype(float)
    numbers = np.flatnonzero(kept)
    chosen = ChosenRows(Elsewhere(csr_array(X) if is_sparse else X, chunk_rows), numbers)
    parts = list(chosen.map(chunk, numbers, X[numbers, 0] > 0))
    assert chosen.shape == X[numbers].shape and chosen.is_sparse is is_sparse
    assert np.concatenate([np.empty((0, 3)), *(part for _, part, _ in parts)]).tolist() == X[numbers].tolist()
    assert [rows.start for rows, _, _ in parts] == [0, *(rows.stop for rows, _, _ in parts)][: len(parts)]
    for rows, part, (positions, flags) in parts:
        assert len(part) == rows.stop - rows.start > 0
        assert X[positions].tolist() == part.tolist() and (part[:, 0] > 0).tolist() == flags.tolist()


def test_rows_are_numbered_anew() -> None:
    X = np.arange(20.0).reshape(10, 2)
    rows_elsewhere = Elsewhere(X, 3, sampled=(0, 4, 9))
    chosen = ChosenRows(rows_elsewhere, np.array([1, 4, 5, 9]))
    chosen.cache(np.array([0, 2]), X[[1, 5]])
    assert rows_elsewhere.cached == [[1, 5]] and chosen.sampled.tolist() == [1, 3]
    for rows in (slice(None), slice(1, 3), np.array([3, 0, 0]), np.array([True, False, False, True])):
        assert chosen[rows].tolist() == X[[1, 4, 5, 9]][rows].tolist()


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("is_sparse", [False, True])
def test_rows_of_weight_0_are_passed_over(is_sparse: bool) -> None:
    rng = np.random.default_rng(0)
    X = rng.standard_normal((60_000, 4))
    y = np.where(X[:, 0] + rng.standard_normal(60_000) > 0, 1.0, -1.0)
    weights = rng.integers(0, 3, 60_000).astype(float)
    rows = csr_array(X) if is_sparse else X
    row_source = Elsewhere(rows, 5000)
    answer = soft_margin(Problem(row_source, y), sample_weight=weights, method="interior-point")
    plain = soft_margin(Problem(rows[weights > 0], y[weights > 0]), sample_weight=weights[weights > 0])
    assert answer.lower <= plain.objective and plain.lower <= answer.objective
    assert answer.gap <= 1e-9 * answer.objective
    assert not answer.dual[weights == 0].any() and weights[answer.support].all()
    assert answer.slack.tolist() == pytest.approx(np.maximum(0, 1 - y * (X @ answer.w + answer.b)).tolist())
    assert row_source.most_fetched <= 2000  # a sample


def test_slack_of_rows_of_weight_0_hides_no_limit() -> None:
    problem = Problem.validated([[-1.0], [1.0], [5.0]], [-1, 1, -1])
    answers = soft_margin_path(problem, [1.0, 100.0], sample_weight=[1.0, 1.0, 0.0])
    assert answers[1].attempts[0].message == "the answer for C = 1"
