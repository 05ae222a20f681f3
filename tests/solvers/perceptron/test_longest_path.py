"""The worst sequence for the perceptron: against levels of reachable weights, the compiled loop, and theorems."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin import hard_margin
from maxmargin.boolean import conjunction, conjunction_bound, disjunction
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.perceptron.longest_path import worst_case_mistakes

ZERO_RULES = ("mistake", "positive", "negative")
CONJUNCTIONS = {
    (1, 1): 2, (2, 1): 2, (2, 2): 3, (3, 1): 4, (3, 2): 9, (3, 3): 14, (4, 1): 4, (4, 2): 12, (4, 3): 23, (5, 1): 4,
}  # fmt: skip


def is_mistake(score: Any, label: int, zero: str) -> bool:
    return bool(label * score < 0 or (score == 0 and {"mistake": 0, "positive": 1, "negative": -1}[zero] != label))


def replayed(X: Any, y: Any, rows: Any, zero: str, bias: bool = True) -> list[Fraction]:
    """The weights after the rows, each of which must be a mistake."""
    w = [Fraction(0)] * (len(X[0]) + 1)
    for row in rows:
        x, label = [*map(Fraction, map(float, X[row])), Fraction(bias)], int(y[row])
        assert is_mistake(sum(a * b for a, b in zip(w, x, strict=True)), label, zero)
        w = [a + label * b for a, b in zip(w, x, strict=True)]
    return w


def by_levels(X: Any, y: Any, zero: str, bias: bool, limit: int) -> int | None:
    """The last nonempty set among those of the weights after 1, 2, ... mistakes; None past the limit."""
    rows = [(*x, int(bias)) for x in np.asarray(X).tolist()]
    level, n_mistakes = {(0,) * len(rows[0])}, 0
    while n_mistakes <= limit:
        level = {
            tuple(a + label * b for a, b in zip(w, x, strict=True))
            for w in level
            for x, label in zip(rows, y, strict=True)
            if is_mistake(sum(a * b for a, b in zip(w, x, strict=True)), label, zero)
        }
        if not level:
            return n_mistakes
        n_mistakes += 1
    return None


@pytest.mark.parametrize("d, k", CONJUNCTIONS)
@pytest.mark.parametrize("make", [conjunction, disjunction])
def test_the_worst_case_of_conjunctions(make: Any, d: int, k: int) -> None:
    """The signs and the positions of the literals, and negation, are symmetries of the cube."""
    literals = tuple((-1) ** i * (d - i) for i in range(k))
    X, y = make(d, literals).formula.truth_table()
    worst = worst_case_mistakes(X, y)
    assert worst.n_mistakes == CONJUNCTIONS[d, k] == by_levels(X, y, "mistake", True, 30)
    assert worst.n_mistakes <= conjunction_bound(d, k)
    replayed(X, y, worst.rows, "mistake")


@pytest.mark.parametrize("d", [1, 2, 3, 4, 5, 6])
def test_one_literal_may_cost_more_mistakes_than_variables(d: int) -> None:
    """d is a bound where a score of 0 is a prediction; where it is a mistake, d + 1 are made for d = 1, 3."""
    X, y = conjunction(d, (1,)).formula.truth_table()
    assert (worst_case_mistakes(X, y).n_mistakes == d + 1) is (d in (1, 3))
    for zero in ("positive", "negative"):
        most = worst_case_mistakes(X, y, zero=zero).n_mistakes
        assert most is not None and most <= d


@st.composite
def tiny(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray]:
    n, d = draw(st.integers(2, 5)), draw(st.integers(1, 2))
    X = np.array(draw(st.lists(st.tuples(*[st.integers(-2, 2)] * d), min_size=n, max_size=n)))
    y = np.array(draw(st.lists(st.sampled_from([-1, 1]), min_size=n, max_size=n)))
    y[:2] = -1, 1
    return X, y


@given(tiny(), st.booleans(), st.sampled_from(ZERO_RULES))
def test_tiny_data(data: tuple[np.ndarray, np.ndarray], bias: bool, zero: str) -> None:
    X, y = data
    worst = worst_case_mistakes(X, y, bias=bias, zero=zero)
    w = replayed(X, y, worst.rows, zero, bias)
    space = np.column_stack([X, np.ones(len(X))]) if bias else X
    margin_squared = hard_margin(space, y, bias=False, exact=True).margin_squared
    assert margin_squared is not None
    if worst.n_mistakes is None:
        assert worst.cycle and replayed(X, y, [*worst.rows, *worst.cycle], zero, bias) == w
        assert by_levels(X, y, zero, bias, len(worst.rows) + len(worst.cycle)) is None
    else:
        assert worst.n_mistakes == len(worst.rows) and not worst.cycle
    if margin_squared:
        radius_squared = int((space**2).sum(axis=1).max())
        assert worst.n_mistakes is not None and worst.n_mistakes * margin_squared <= radius_squared
        assert worst.n_mistakes == by_levels(X, y, zero, bias, worst.n_mistakes)
    elif zero == "mistake":
        assert worst.n_mistakes is None


def test_a_unit_of_length_changes_nothing_through_the_origin() -> None:
    X, y = np.array([[1, 3], [2, -1], [-3, -5]]), np.array([1, 1, -1])
    cases = [worst_case_mistakes(unit * X, y, bias=False) for unit in (1.0, 0.125, 2.0**70)]
    assert cases[0] == cases[1] == cases[2]
    assert cases[0].n_mistakes == by_levels(X, y, "mistake", False, 40)


@pytest.mark.parametrize("unit", [0.5, 2.0, 4.0])
def test_the_constant_coordinate_is_1_in_any_unit(unit: float) -> None:
    X, y = np.array([[1.0], [2.0]]) * unit, np.array([-1, 1])
    worst = worst_case_mistakes(X, y)
    w = replayed(X, y, worst.rows, "mistake")
    assert not any(is_mistake(w[0] * Fraction(x) + w[1], label, "mistake") for x, label in zip(X[:, 0], y, strict=True))
    assert worst.n_mistakes == by_levels(X, y, "mistake", True, 10**4)


def test_limits_and_options() -> None:
    with pytest.raises(InvalidProblemError, match="max_states = 10 "):
        worst_case_mistakes([[10], [12]], [-1, 1], max_states=10)
    with pytest.raises(InvalidOptionError, match="zero is 'maybe'"):
        worst_case_mistakes([[1], [2]], [-1, 1], zero="maybe")
    with pytest.raises(InvalidProblemError, match="one class"):
        worst_case_mistakes([[1], [2]], [1, 1])
