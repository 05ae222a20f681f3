"""Rows that say the same of every hyperplane, taken together."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.problem.problem import Problem

# Largest size of X (number of entries) for which equal rows are looked for.
_MOST_ENTRIES = 1 << 25


@dataclass(frozen=True, slots=True, kw_only=True)
class DistinctRows:
    """The rows of a problem with their signs, each once.

    Attributes
    ----------
    problem : Problem
        The first row of each kind.
    first : ndarray (n_kinds,) of int
        Which row that is, increasing.
    counts : ndarray (n_kinds,) of int
        How many rows are of each kind.
    kind_of : ndarray (n_samples,) of int
    """

    problem: Problem
    first: Rows
    counts: Rows
    kind_of: Rows

    @classmethod
    def of(cls, problem: Problem) -> "DistinctRows":
        """Take equal rows together; of very many entries every row is a kind of its own."""
        keys = _keys(problem)
        _, first, kind_of, counts = np.unique(keys, return_index=True, return_inverse=True, return_counts=True)
        order = np.argsort(first)
        return cls(
            problem=problem.of_rows(first[order]),
            first=first[order],
            counts=counts[order],
            kind_of=np.argsort(order)[kind_of],
        )

    def rows_of(self, kinds: Rows) -> Rows:
        """Return all rows of these kinds."""
        return np.flatnonzero(np.isin(self.kind_of, kinds))


def _keys(problem: Problem) -> NDArray[Any]:
    """Return a number or a string of bytes a row, equal where the rows are."""
    if problem.n_samples * problem.n_features > _MOST_ENTRIES:
        return np.arange(problem.n_samples)
    if problem.integers is not None:
        return _numbers_of_texts(problem)
    return signed_keys(problem.dense_rows(slice(None)), problem.y)


def signed_keys(X: Floats, y: Floats) -> NDArray[Any]:
    """Return a string of bytes for every dense row, equal where rows and signs are."""
    signed = np.column_stack([X, y]) + 0.0  # -0.0 and 0.0 are one number
    return signed.view(np.dtype((np.void, signed.itemsize * signed.shape[1]))).ravel()


def _numbers_of_texts(problem: Problem) -> Rows:
    """Return equal numbers for equal rows of integers of any size."""
    assert problem.integers is not None
    signed = [(*row, sign) for row, sign in zip(problem.integers.tolist(), problem.y.tolist(), strict=True)]
    numbers = {row: number for number, row in enumerate(dict.fromkeys(signed))}
    return np.array([numbers[row] for row in signed])
