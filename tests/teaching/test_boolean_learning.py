"""Winnow, halving, the growth of mistakes, Cover's count: bounds against all sequences, counts against enumerations."""

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin import boolean, perceptron
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError

Weights = tuple[Fraction, ...]


def presented(w: Weights, x: tuple[int, ...], label: int, threshold: Fraction) -> Weights | None:
    """The weights after a mistake on the row, or None."""
    score = sum((weight for weight, bit in zip(w, x, strict=True) if bit), Fraction(0))
    if (1 if score >= threshold else -1) == label:
        return None
    return tuple(weight * Fraction(2) ** label if bit else weight for weight, bit in zip(w, x, strict=True))


@given(st.data(), st.sampled_from([None, Fraction(1, 3), 1, Fraction(5, 2), 4, 7]))
def test_winnow_is_that_of_fractions(data: st.DataObject, threshold: Fraction | int | None) -> None:
    d, n = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 12))
    X = data.draw(st.lists(st.tuples(*[st.integers(0, 1)] * d), min_size=n, max_size=n))
    y = data.draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n))
    run = boolean.winnow(X, y, threshold=threshold, max_passes=3)
    level = Fraction(d, 2) if threshold is None else Fraction(threshold)
    w, mistakes = (Fraction(1),) * d, []
    for _ in range(3):
        before = len(mistakes)
        for row, (x, label) in enumerate(zip(X, y, strict=True)):
            after = presented(w, x, label, level)
            if after is not None:
                w = after
                mistakes.append(row)
        if len(mistakes) == before:
            break
    assert run.weights == w and run.mistake_rows == tuple(mistakes) and run.threshold == level
    assert run.n_mistakes == len(mistakes) and run.n_promotions == sum(y[row] == 1 for row in mistakes)
    assert run.converged is (len(mistakes) == before) and run.bound is None


@pytest.mark.parametrize("threshold", [None, 1, Fraction(3, 2), 2, 3, 5])
@pytest.mark.parametrize("d, k", [(1, 0), (1, 1), (2, 1), (2, 2), (3, 0), (3, 1), (3, 2), (3, 3), (4, 1)])
def test_no_sequence_is_worse_for_winnow_than_its_bound(d: int, k: int, threshold: Fraction | int | None) -> None:
    level = Fraction(d, 2) if threshold is None else Fraction(threshold)
    rows = [(x, 1 if any(x[:k]) else -1) for x in product((0, 1), repeat=d)]

    @cache
    def most(w: Weights) -> int:
        afters = (presented(w, x, label, level) for x, label in rows)
        return max((1 + most(after) for after in afters if after is not None), default=0)

    assert most((Fraction(1),) * d) <= boolean.winnow_bound(d, k, threshold=threshold)


@pytest.mark.parametrize("d, k", [(4, 1), (64, 1), (64, 3), (100, 2), (1024, 7)])
def test_winnows_bound_is_of_the_order_k_log_d(d: int, k: int) -> None:
    assert boolean.winnow_bound(d, k) == 3 * k * ((d - 1).bit_length() - 1) + 3
    assert boolean.winnow_bound(d, k, threshold=d) == 3 * k * (d - 1).bit_length() + 1


@pytest.mark.parametrize("make", [boolean.conjunction, boolean.disjunction])
@pytest.mark.parametrize("literals", [(2,), (-1, 3), (-4, -2, 1)])
def test_winnow_learns_concepts_with_negations(make: Any, literals: tuple[int, ...]) -> None:
    concept = make(4, literals)
    X, y = concept.formula.truth_table()
    bits, labels, relevant = boolean.as_disjunction(concept, X, y)
    assert (bits[:, :4] == (X > 0)).all() and (bits[:, 4:] == (X < 0)).all()
    assert ((bits[:, relevant].max(axis=1) == 1) == (labels == 1)).all()
    run = boolean.winnow(bits, labels, relevant=relevant, max_passes=None)
    assert run.converged and run.bound == boolean.winnow_bound(8, len(literals))
    predicted = [sum(w for w, bit in zip(run.weights, row, strict=True) if bit) >= run.threshold for row in bits]
    assert (np.where(predicted, 1, -1) == labels).all()


@pytest.mark.parametrize("X, y, words", [
    ([[1, -1, 1]], [1], "expected .n_rows, 2."), ([[1, -1]], [1, 1], "shape"), ([1, -1], [1, 1], "shape"),
    ([[1, -1]], [3], "value 3"), ([[1, 0]], [1], "value 0"),
])  # fmt: skip
def test_rows_that_are_not_of_the_concept_are_refused(X: Any, y: Any, words: str) -> None:
    with pytest.raises(InvalidProblemError, match=words):
        boolean.as_disjunction(boolean.conjunction(2, (1, -2)), X, y)


@pytest.mark.parametrize("options, error, words", [
    ({"X_bits": [[-1]], "y": [1]}, InvalidProblemError, "value -1"),
    ({"X_bits": [[1]], "y": [0]}, InvalidProblemError, "value 0"),
    ({"X_bits": [1], "y": [1]}, InvalidProblemError, "shape"),
    ({"X_bits": [[1]], "y": [1, 1]}, InvalidProblemError, "shape"),
    ({"X_bits": [[1], [0]], "y": [1, 1], "relevant": [0]}, InvalidProblemError, "row 1"),
    ({"X_bits": [[1]], "y": [1], "relevant": [1]}, InvalidOptionError, "relevant"),
    ({"X_bits": [[1]], "y": [1], "max_passes": None}, InvalidOptionError, "without `relevant`"),
    ({"X_bits": [[1]], "y": [1], "max_passes": 0}, InvalidOptionError, "max_passes is 0"),
    ({"X_bits": [[1]], "y": [1], "threshold": 0}, InvalidOptionError, "threshold is 0"),
])  # fmt: skip
def test_what_winnow_does_not_take(options: dict[str, Any], error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        boolean.winnow(**options)


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("connective", ["conjunction", "disjunction"])
def test_the_perceptron_is_linear_in_the_variables_and_winnow_is_not(connective: str) -> None:
    growth = boolean.mistake_growth([32, 64, 128], connective=connective, repeats=4, rng=1)
    assert growth.dimensions == (32, 64, 128)
    for d, linear, logarithmic in zip(growth.dimensions, growth.mean_perceptron, growth.mean_winnow, strict=True):
        assert 0.55 * d < linear < 0.8 * d
        assert logarithmic < 3 * np.log2(d)
    assert all(run.perceptron <= run.perceptron_bound == run.n_variables + 1 for run in growth.runs)
    assert all(run.winnow <= run.winnow_bound for run in growth.runs)


def test_the_experiment_can_be_repeated() -> None:
    options: dict[str, Any] = {"n_literals": 2, "repeats": 3, "rows_per_variable": 5}
    rngs = (3, np.random.default_rng(3), 4)
    growth, same, other = (boolean.mistake_growth([4, 9], rng=rng, **options) for rng in rngs)
    assert growth == same != other
    assert len({run.seed for run in growth.runs}) == len(growth.runs) == 6
    assert growth.mean_winnow[1] == Fraction(sum(run.winnow for run in growth.runs[3:]), 3)
    for run in growth.runs:
        random = np.random.default_rng(run.seed)
        assert boolean.random_concept(run.n_variables, 2, "conjunction", random) == run.concept
        X, y = boolean.balanced_rows(run.concept, run.n_rows, random)
        assert len(X) == run.n_rows == 5 * run.n_variables
        assert perceptron(X, y).n_mistakes == run.perceptron <= run.perceptron_bound


@pytest.mark.parametrize("options", [{"n_literals": 5}, {"n_literals": 0}, {"connective": "parity"}])
def test_bad_experiments(options: dict[str, Any]) -> None:
    with pytest.raises(InvalidOptionError):
        boolean.mistake_growth([4], **options)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("n, bound", [(1, 2), (2, 3), (3, 6), (4, 10)])
def test_halving_keeps_its_bound(n: int, bound: int) -> None:
    concepts = boolean.threshold_functions(n)
    rng = np.random.default_rng(n)
    for target in rng.permutation(concepts)[:100]:
        rows = rng.permutation(2**n)
        run = boolean.halving(concepts, rows, target[rows])
        assert run.bound == bound and run.n_mistakes <= bound and run.n_consistent == 1


def test_halving_by_hand() -> None:
    """Of {x1, x2, x3} two are false on the first row, then one of two is true on the second, and a tie says true."""
    concepts = np.array([[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 0, 1]])
    run = boolean.halving(concepts, [0, 1, 2], [False, False, True])
    assert (run.mistake_rows, run.n_consistent, run.bound) == ((1,), 1, 1)


@pytest.mark.parametrize("n, most", [(1, 2), (2, 3), (3, 6)])
def test_the_worst_case_of_halving_is_attained(n: int, most: int) -> None:
    concepts = boolean.threshold_functions(n)
    worst = boolean.worst_case_halving(concepts)
    assert worst.n_mistakes == most == boolean.halving(concepts, worst.rows, worst.labels).n_mistakes


@pytest.mark.slow
@given(st.lists(st.lists(st.booleans(), min_size=4, max_size=4), min_size=1, max_size=9))
def test_the_worst_case_of_halving_is_that_of_all_sequences(concepts: list[list[bool]]) -> None:
    cases = product(permutations(range(4)), concepts)
    runs = (boolean.halving(concepts, order, [concept[row] for row in order]) for order, concept in cases)
    assert boolean.worst_case_halving(concepts).n_mistakes == max(run.n_mistakes for run in runs)


def test_what_halving_does_not_take() -> None:
    with pytest.raises(InvalidProblemError, match="no concept agrees"):
        boolean.halving([[True, False]], [0, 1], [True, True])
    with pytest.raises(InvalidProblemError, match="truth values"):
        boolean.halving([[-1, 1]], [0], [True])
    with pytest.raises(InvalidProblemError, match="more than 10 sets"):
        boolean.worst_case_halving(boolean.threshold_functions(3), max_states=10)


def moment_curve(n: int, d: int) -> list[list[int]]:
    """Points (1, t, t^2, ...): every d are independent, as their determinant is Vandermonde's."""
    return [[t**k for k in range(d)] for t in range(n)]


@pytest.mark.sampled(1)
@pytest.mark.parametrize("n, d", [(1, 1), (1, 3), (2, 1), (3, 5), (5, 2), (6, 3), (7, 6), (8, 4), (9, 2)])
def test_covers_count(n: int, d: int) -> None:
    count = boolean.cover_count(n, d)
    assert boolean.count_dichotomies(moment_curve(n, d)) == count == boolean.cover_probability(n, d) * 2**n


@given(st.integers(1, 30), st.integers(1, 30))
def test_covers_count_is_its_recurrence(n: int, d: int) -> None:
    """A further point is undecided by the labellings that a hyperplane through it separates."""
    lower = boolean.cover_count(n, d - 1) if d > 1 else 0
    assert boolean.cover_count(n + 1, d) == boolean.cover_count(n, d) + lower
    assert (boolean.cover_probability(n, d) == 1) is (n <= d)


@pytest.mark.slow
@given(st.data(), st.integers(1, 5), st.integers(1, 3))
def test_any_points_have_covers_count_at_most(data: st.DataObject, n: int, d: int) -> None:
    X = data.draw(st.lists(st.tuples(*[st.integers(-3, 3)] * d), min_size=n, max_size=n))
    is_general, size = boolean.is_in_general_position(X), min(n, d)
    assert is_general is all(np.linalg.matrix_rank(np.array(rows)) == size for rows in combinations(X, size))
    count = boolean.count_dichotomies(X)
    assert count == boolean.cover_count(n, d) if is_general else count <= boolean.cover_count(n, d)


def test_points_in_special_position_have_fewer() -> None:
    """The separable labellings of the cube's rows with a 1, 2^n points in n + 1 dimensions, are threshold functions."""
    for n, count in ((1, 4), (2, 14), (3, 104)):
        rows = np.column_stack([boolean.cube(n), np.ones(2**n)])
        assert boolean.count_dichotomies(rows) == count <= boolean.cover_count(2**n, n + 1)
    assert boolean.is_in_general_position(rows) is False and boolean.cover_count(8, 4) == 128


@pytest.mark.parametrize("call", [boolean.count_dichotomies, boolean.is_in_general_position])
@pytest.mark.parametrize("X, words", [([1, 2], "shape"), ([[np.inf]], "finite"), ([[1.0]] * 15, "at most 14")])
def test_points_that_are_not_counted(call: Callable[[Any], Any], X: Any, words: str) -> None:
    with pytest.raises(InvalidProblemError, match=words):
        call(X)


@pytest.mark.parametrize("call", [boolean.cover_count, boolean.cover_probability])
def test_covers_count_needs_points(call: Callable[[int, int], Any]) -> None:
    for n, d in ((0, 1), (1, 0)):
        with pytest.raises(InvalidOptionError, match="at least 1"):
            call(n, d)
