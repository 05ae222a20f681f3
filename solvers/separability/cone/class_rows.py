"""The rows of more than two classes: every row against every class that is not its own."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.exact.dyadic import Integers
from maxmargin.solvers.problem.problem import ClassProblem
from maxmargin.solvers.proof.margins import score_enclosures
from maxmargin.solvers.separability.cone.cone_rows import (
    DEFAULT,
    ConeRows,
    Rows,
    home,
    integer_rows,
    scaled_rows,
    scaled_unit,
    with_offset,
)

Floats = NDArray[np.float64]


class ClassRows(ConeRows):
    """The vectors z_ik = (x_i, 1) (x) (e_c - e_k), c the class of row i, k another one.

    A direction holds (w_k, b_k) of the classes 1, 2, ...; class 0 is the reference, its scores are 0, because scores
    matter up to a common shift. Vector number i (K - 1) + p is row i against the p-th class that is not its own. The
    matrix of all vectors is never built.
    """

    settings = DEFAULT

    def __init__(self, problem: ClassProblem) -> None:
        self.problem = problem
        self.block, self.n_others = problem.n_features + problem.bias, problem.n_classes - 1
        self.n_rows, self.width = problem.n_samples * self.n_others, self.n_others * self.block
        self.biases = range(self.block - 1, self.width, self.block) if problem.bias else ()

    def pairs(self, rows: Rows) -> tuple[Rows, Rows]:
        """Return the samples of the vectors, and the classes with which they are compared."""
        samples, positions = np.divmod(rows, self.n_others)
        return samples, positions + (positions >= self.problem.codes[samples])

    def number(self, samples: Rows, classes: Rows) -> Rows:
        """Return the positions of the vectors of samples against classes."""
        return samples * self.n_others + classes - (classes > self.problem.codes[samples])

    def remember(self, rows: Rows) -> None:
        """Cache the samples of rows that decide for later processes."""
        self.problem.remember(np.unique(self.pairs(rows)[0]), "verdict")

    def recalled(self) -> Rows:
        """Return all rows of the samples cached by an earlier process, as hints."""
        samples = self.problem.warm_start.recalled("verdict")
        return np.asarray(np.add.outer(samples * self.n_others, np.arange(self.n_others)).ravel())

    def integers(self, rows: Rows) -> tuple[Integers, list[int]]:
        """Return the vectors as integers, every column of X in its own power of two in all blocks."""
        samples, others = self.pairs(rows)
        table, exponents = integer_rows(self.problem, samples)
        return self._in_blocks(table, samples, others), exponents * self.n_others

    def scaled(self, rows: Rows) -> Floats:
        """Return the vectors with centred columns of size about 1."""
        samples, others = self.pairs(rows)
        return self._in_blocks(scaled_rows(self.problem, samples), samples, others)

    def home(self, direction: Floats) -> list[Fraction]:
        """Return the directions of all classes in the original coordinates."""
        return [v for part in direction.reshape(self.n_others, self.block) for v in home(self.problem, part)]

    def scaled_unit(self, column: int) -> Floats:
        """Return the vector that picks one coordinate of one class."""
        k, j = divmod(column, self.block)
        unit = np.zeros((self.n_others, self.block))
        unit[k] = scaled_unit(self.problem, j)
        return unit.ravel()

    def enclosures(self, direction: Floats) -> Iterator[tuple[Rows, Floats, Floats]]:
        """Enclose the score of the own class less that of the other one."""
        normals = np.vstack([np.zeros(self.block), direction.reshape(self.n_others, self.block)])
        d = self.problem.n_features
        offsets = normals[:, d] if self.problem.bias else np.zeros(len(normals))
        for samples, lower, upper in score_enclosures(self.problem, normals[:, :d], offsets):
            rows = (samples[:, None] * self.n_others + np.arange(self.n_others)).ravel()
            yield rows, *self._differences(rows, samples[0], lower, upper)

    def exact_products(self, rows: Rows, vectors: Integers) -> Integers:
        """Return the differences of scores times a power of two."""
        samples, others = self.pairs(rows)
        unique, positions = np.unique(samples, return_inverse=True)
        entries, exponent = self.problem.exact_rows(unique)
        blocks = vectors.reshape(self.n_others, self.block, -1)
        scores = np.zeros((self.problem.n_classes, len(unique), vectors.shape[1]), dtype=object)
        for k, block in enumerate(blocks, start=1):
            scores[k] = self._scores(entries, exponent, block)
        return np.asarray(scores[self.problem.codes[samples], positions] - scores[others, positions])

    def _scores(self, entries: Integers, exponent: int, block: Integers) -> Integers:
        products: Integers = entries.dot(block[: self.problem.n_features])
        return with_offset(products, exponent, block[-1]) if self.problem.bias else products

    def _differences(self, rows: Rows, first: int, lower: Floats, upper: Floats) -> tuple[Floats, Floats]:
        samples, others = self.pairs(rows)
        own, position = self.problem.codes[samples], samples - first
        with np.errstate(over="ignore", invalid="ignore"):
            low = np.nextafter(lower[position, own] - upper[position, others], -np.inf)
            high = np.nextafter(upper[position, own] - lower[position, others], np.inf)
        return np.where(np.isnan(low), -np.inf, low), np.where(np.isnan(high), np.inf, high)

    def _in_blocks(self, vectors: NDArray[Any], samples: Rows, others: Rows) -> NDArray[Any]:
        """Return rows with the vectors in the blocks of their own class, and their negatives in those of the others."""
        blocks = np.zeros((len(vectors), self.n_others, self.block), dtype=vectors.dtype)
        own = self.problem.codes[samples]
        here, there = np.flatnonzero(own > 0), np.flatnonzero(others > 0)
        blocks[here, own[here] - 1] = vectors[here]
        blocks[there, others[there] - 1] = -vectors[there]
        return blocks.reshape(len(vectors), self.width)
