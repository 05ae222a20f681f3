"""The growth of the mistakes of the perceptron and of Winnow with the number of variables of a concept."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from statistics import mean

import numpy as np

from maxmargin.api.running import run_perceptron
from maxmargin.solvers.problem.problem import Problem
from maxmargin.teaching.exact_winnow import as_disjunction, winnow
from maxmargin.teaching.literals import Connective, LiteralConcept, balanced_rows, random_concept

# Number of seeds from which the seeds of the runs are chosen.
_N_SEEDS = 2**32


@dataclass(frozen=True, slots=True, kw_only=True)
class GrowthRun:
    """Both algorithms on the same rows, in the same order, pass after pass until one is without a mistake.

    Attributes
    ----------
    n_variables, n_rows, seed : int
        The concept is the `random_concept`, and the rows are the `balanced_rows`, of one generator with this seed.
    concept : LiteralConcept
    perceptron, winnow : int
        Numbers of mistakes: of the perceptron with the constant coordinate 1, for which a score of 0 is a mistake, and
        of Winnow on the 2d literals.
    perceptron_bound, winnow_bound : int
        `conjunction_bound` and `winnow_bound`.
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
    """The runs of `mistake_growth`, grouped by dimension."""

    runs: tuple[GrowthRun, ...]

    @property
    def dimensions(self) -> tuple[int, ...]:
        """The numbers of variables d, in the order of the runs."""
        return tuple(dict.fromkeys(run.n_variables for run in self.runs))

    @property
    def mean_perceptron(self) -> tuple[Fraction, ...]:
        """The mean number of mistakes of the perceptron in each dimension."""
        return self._means("perceptron")

    @property
    def mean_winnow(self) -> tuple[Fraction, ...]:
        """The mean number of mistakes of Winnow in each dimension."""
        return self._means("winnow")

    def _means(self, algorithm: str) -> tuple[Fraction, ...]:
        runs = [[run for run in self.runs if run.n_variables == d] for d in self.dimensions]
        return tuple(mean(Fraction(getattr(run, algorithm)) for run in of_one) for of_one in runs)


def mistake_growth(
    dimensions: Iterable[int],
    *,
    n_literals: int = 1,
    connective: str = Connective.CONJUNCTION,
    rows_per_variable: int = 10,
    repeats: int = 5,
    rng: np.random.Generator | int | None = None,
) -> MistakeGrowth:
    """Count the mistakes of the perceptron and of Winnow on random concepts; half of the rows are positive.

    The perceptron makes a number of mistakes that is linear in d, even for one literal, and Winnow O(k log d)
    (Littlestone 1988).

    Parameters
    ----------
    dimensions : iterable of int
        Numbers d of variables.
    n_literals : int, default 1
        The number k of literals; the variables and their negations are random.
    connective : {"conjunction", "disjunction"}, default "conjunction"
        How the literals are connected.
    rows_per_variable : int, default 10
        The number of rows for each of the d variables.
    repeats : int, default 5
        The number of runs for every d.
    rng : numpy.random.Generator or int, optional
        The source of the seeds of the runs.

    Returns
    -------
    MistakeGrowth
        The runs, with their mistakes and bounds.

    Raises
    ------
    InvalidOptionError
        If a dimension is less than `n_literals`, or an option is not as above.

    See Also
    --------
    conjunction_bound : Bound the mistakes of the perceptron.
    winnow_bound : Bound the mistakes of Winnow.

    References
    ----------
    .. [1] N. Littlestone, "Learning quickly when irrelevant attributes abound: a new linear-threshold algorithm",
       Machine Learning 2 (1988), 285-318.

    Examples
    --------
    >>> growth = mistake_growth([16, 64], repeats=2, rng=0)
    >>> growth.dimensions, len(growth.runs), growth == mistake_growth([16, 64], repeats=2, rng=0)
    ((16, 64), 4, True)
    """
    seeds, each = np.random.default_rng(rng), (d for d in dimensions for _ in range(repeats))
    runs = (_run(d, n_literals, connective, rows_per_variable * d, int(seeds.integers(_N_SEEDS))) for d in each)
    return MistakeGrowth(runs=tuple(runs))


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
