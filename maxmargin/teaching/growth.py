"""How the mistakes on conjunctions and disjunctions grow with the number of variables: perceptron against Winnow."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from maxmargin.api.running import run_perceptron
from maxmargin.solvers.problem.problem import Problem
from maxmargin.teaching.exact_winnow import as_disjunction, winnow
from maxmargin.teaching.literals import Connective, LiteralConcept, balanced_rows, random_concept

_SEEDS = 2**32
"""Seeds are drawn below this number."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthRun:
    """Both algorithms on the same rows, in the same order, over and over until they make no mistake.

    Attributes
    ----------
    n_variables, n_rows, seed : int
        The concept is the `random_concept`, and the rows are the `balanced_rows`, of one generator with this seed.
    concept : LiteralConcept
    perceptron, winnow : int
        Mistakes; the perceptron's with the constant coordinate 1, a score of 0 being a mistake, Winnow's on the 2d
        literals.
    perceptron_bound, winnow_bound : int
        `conjunction_bound` and `winnow_bound`, which both hold for this run.
    """

    n_variables: int
    n_rows: int
    seed: int
    concept: LiteralConcept
    perceptron: int
    winnow: int
    perceptron_bound: int
    winnow_bound: int


@dataclass(frozen=True, slots=True, kw_only=True)
class MistakeGrowth:
    """The runs of `mistake_growth`, dimension by dimension."""

    runs: tuple[GrowthRun, ...]

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The numbers of variables d, in the order of the runs."""
        return tuple(dict.fromkeys(run.n_variables for run in self.runs))

    @property
    def mean_perceptron(self) -> tuple[Fraction, ...]:
        """For every dimension, the perceptron's mistakes on average."""
        return tuple(_mean([run.perceptron for run in self._of(d)]) for d in self.dimensions)

    @property
    def mean_winnow(self) -> tuple[Fraction, ...]:
        """For every dimension, Winnow's mistakes on average."""
        return tuple(_mean([run.winnow for run in self._of(d)]) for d in self.dimensions)

    def _of(self, d: int) -> list[GrowthRun]:
        return [run for run in self.runs if run.n_variables == d]


def mistake_growth(
    dimensions: Iterable[int],
    *,
    n_literals: int = 1,
    connective: str = Connective.CONJUNCTION,
    rows_per_variable: int = 10,
    repeats: int = 5,
    rng: np.random.Generator | int | None = None,
) -> MistakeGrowth:
    """Count the mistakes of the perceptron and of Winnow on random concepts, on as many rows of either label.

    The perceptron's mistakes are linear in d, even for one literal; Winnow's are O(k log d) (Littlestone 1988).

    Parameters
    ----------
    dimensions : iterable of int
        Numbers of variables d.
    n_literals : int
        k; variables and signs are drawn.
    connective : {"conjunction", "disjunction"}
    rows_per_variable : int
        The number of rows, divided by d.
    repeats : int
        Runs for every d.
    rng : numpy.random.Generator or int, optional
        Draws the seeds of the runs.

    Raises
    ------
    InvalidOptionError
        If a dimension is less than `n_literals`, or an option is not as above.

    Examples
    --------
    >>> growth = mistake_growth([16, 64], repeats=2, rng=0)
    >>> growth.dimensions, len(growth.runs), growth == mistake_growth([16, 64], repeats=2, rng=0)
    ((16, 64), 4, True)
    """
    seeds = np.random.default_rng(rng)
    return MistakeGrowth(
        runs=tuple(
            _run(d, n_literals, connective, rows_per_variable * d, int(seeds.integers(_SEEDS)))
            for d in dimensions
            for _ in range(repeats)
        )
    )


def _run(d: int, k: int, connective: str, n_rows: int, seed: int) -> GrowthRun:
    rng = np.random.default_rng(seed)
    concept = random_concept(d, k, connective, rng)
    X, y = balanced_rows(concept, n_rows, rng)
    n_mistakes = run_perceptron(Problem.validated(X, y), max_mistakes=None).n_mistakes
    assert n_mistakes <= concept.mistake_bound  # a theorem
    bits, labels, relevant = as_disjunction(concept, X, y)
    winnowed = winnow(bits, labels, relevant=relevant, max_passes=None)
    assert winnowed.bound is not None  # as the relevant columns are given
    return GrowthRun(
        n_variables=d,
        n_rows=n_rows,
        seed=seed,
        concept=concept,
        perceptron=n_mistakes,
        winnow=winnowed.n_mistakes,
        perceptron_bound=concept.mistake_bound,
        winnow_bound=winnowed.bound,
    )


def _mean(counts: list[int]) -> Fraction:
    return Fraction(sum(counts), len(counts))
