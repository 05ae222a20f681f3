"""Feature maps: what they separate and what they do not, proven."""

from fractions import Fraction
from itertools import combinations_with_replacement
from math import comb, prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from maxmargin import generate, hard_margin, separability
from maxmargin.boolean import Formula
from maxmargin.data.features import polar, polynomial, products
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError

matrices = hnp.arrays(np.int64, st.tuples(st.integers(1, 4), st.integers(1, 4)), elements=st.integers(-9, 9))


@pytest.fixture
def xor() -> tuple[Any, Any]:
    return Formula.parse("x1 ^ x2").truth_table()


@given(matrices, st.integers(1, 4))
def test_monomials_are_those_of_integers(X: np.ndarray, degree: int) -> None:
    d = X.shape[1]
    expected = [
        [prod(m) for k in range(1, degree + 1) for m in combinations_with_replacement(row, k)] for row in X.tolist()
    ]
    assert polynomial(X, degree).tolist() == expected
    assert len(expected[0]) == comb(d + degree, degree) - 1
    if d > 1:
        assert products(X).tolist() == [[row[i] * row[j] for i in range(d) for j in range(i + 1, d)] for row in X]


def test_the_product_separates_xor(xor: tuple[Any, Any]) -> None:
    X, y = xor
    assert separability(X, y).verdict == "overlap"
    for features, position in ((products(X), 0), (np.hstack([X, products(X)]), 2), (polynomial(X), 3)):
        answer = hard_margin(features, y, exact=True)
        assert answer.margin_squared == 1 and answer.w is not None
        assert np.flatnonzero(answer.w).tolist() == [position]


@pytest.mark.parametrize("n", [3, 4])
def test_parity_needs_the_monomial_of_all_variables(n: int) -> None:
    """The mean of a character other than the parity is 0 on both classes."""
    X, y = Formula.parse(" ^ ".join(f"x{i + 1}" for i in range(n))).truth_table()
    assert separability(polynomial(X, n - 1), y).strictly_separable is False
    assert hard_margin(polynomial(X, n), y).lower > 0


@pytest.mark.parametrize("X", [[[-1, -1], [-1, 1], [1, -1], [1, 1]], [[-3, -3], [-3, 3], [3, -3], [3, 3]]])
def test_polar_coordinates_do_not_separate_xor(X: Any) -> None:
    y = Formula.parse("x1 ^ x2")(np.sign(X))
    features = polar(X)
    assert len(set(features[:, 0])) == 1
    by_angle = y[np.argsort(features[:, 1])]
    assert (by_angle[1:] == -by_angle[:-1]).all()
    assert separability(features, y).verdict == "overlap"


@given(st.floats(-7, 7))
@settings(max_examples=25)
def test_no_other_zero_of_the_angle_helps_xor(start: float) -> None:
    X, y = Formula.parse("x1 ^ x2").truth_table()
    features = polar(X)
    features[:, 1] = (features[:, 1] - start) % (2 * np.pi)
    assert separability(features, y).strictly_separable is False


@pytest.mark.parametrize("n", [5, 20])
def test_polar_coordinates_separate_circles(n: int) -> None:
    circles = generate(f"two-circles:{n}")
    assert separability(circles.X, circles.y).verdict == "overlap"
    answer = hard_margin(polar(circles.X), circles.y)
    assert answer.lower > 0 and answer.lower == pytest.approx(0.5, abs=1e-9)
    assert hard_margin(polynomial(circles.X), circles.y).lower > 0


@given(hnp.arrays(np.float64, (3, 2), elements=st.floats(-1e6, 1e6, width=32)))
def test_polar_coordinates_lead_back(X: np.ndarray) -> None:
    radii, angles = polar(X).T
    assert (radii >= 0).all() and (abs(angles) <= np.pi).all()
    assert np.allclose(radii * np.cos(angles), X[:, 0], atol=1e-9)
    assert np.allclose(radii * np.sin(angles), X[:, 1], atol=1e-9)


@pytest.mark.parametrize("call, words", [
    (lambda: products([[1], [2]]), "d >= 2"), (lambda: products([1, 2]), r"shape \(2,\)"),
    (lambda: polynomial([[np.nan]]), "NaN"), (lambda: polynomial([[1e200]]), "overflows"),
    (lambda: products([[1e200, 1e200]]), "overflows"), (lambda: polar([[1, 2, 3]]), "plane"),
    (lambda: polar([[1.7e308, 1.7e308]]), "overflows"),
])  # fmt: skip
def test_bad_data(call: Any, words: str) -> None:
    with pytest.raises(InvalidProblemError, match=words):
        call()


def test_bad_degree() -> None:
    with pytest.raises(InvalidOptionError, match="degree is 0"):
        polynomial([[1]], 0)


def test_small_products_are_as_stored() -> None:
    assert products([[1e-300, 1e-300]]).tolist() == [[0.0]]
    assert Fraction(products([[0.5, 0.75]])[0, 0]) == Fraction(3, 8)
