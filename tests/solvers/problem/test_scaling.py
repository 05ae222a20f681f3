"""The change of coordinates for the solvers: exact where it can be, and a way back for every exponent."""

import math
from fractions import Fraction
from functools import cached_property

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array

from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.scaling import ColumnScaling
from maxmargin.solvers.separability.feasibility import separability

finite = st.floats(allow_nan=False, allow_infinity=False)
any_exponent = st.builds(math.ldexp, st.floats(-1, 1), st.integers(-1070, 1023))
matrices = hnp.arrays(
    np.float64,
    st.tuples(st.integers(2, 6), st.integers(1, 4)),
    elements=st.one_of(any_exponent, finite, st.integers(-3, 3).map(float)),
)
EXTREME = np.array([[1.7e308, 5e-324, 7.0], [-1.7e308, 1e-323, 7.0]])


def signs(n: int) -> np.ndarray:
    return np.where(np.arange(n) % 2, 1.0, -1.0)


@given(matrices)
@example(EXTREME)
def test_columns_have_size_about_one(X: np.ndarray) -> None:
    for bias in (True, False):
        scaling = Problem(X, signs(len(X)), bias).scaling
        Z = scaling.apply(X)
        assert np.isfinite(Z).all()
        size = np.sqrt((Z * Z).mean(axis=0))
        constant = (X[0] == X).all(axis=0) if bias else (X == 0).all(axis=0)
        assert (Z[:, constant] == 0).all()
        assert (size[~constant] > 0.2).all() and (size[~constant] <= 1.0).all()


@given(matrices)
@example(EXTREME)
def test_without_centring_powers_of_two_are_exact(X: np.ndarray) -> None:
    scaling = Problem(X, signs(len(X)), bias=False).scaling
    Z = scaling.apply(X)
    for j, exponent in enumerate(scaling.exponents.tolist()):
        for x, z in zip(X[:, j].tolist(), Z[:, j].tolist(), strict=True):
            assert Fraction(z) == Fraction(x) / Fraction(2) ** exponent or abs(z) < 2.0**-1020


@given(matrices, st.data())
def test_sparse_and_dense_agree_through_the_origin_up_to_powers_of_two(X: np.ndarray, data: st.DataObject) -> None:
    scaling = Problem(csr_array(X), signs(len(X))).scaling
    Z = scaling.apply(csr_array(X))
    assert np.isfinite(Z.data).all()
    assert (np.abs(Z.toarray()) <= 1).all()


@given(matrices, st.data())
def test_normals_come_home_up_to_a_positive_factor(X: np.ndarray, data: st.DataObject) -> None:
    scaling = Problem(X, signs(len(X)), bias=False).scaling
    w = data.draw(hnp.arrays(np.float64, X.shape[1], elements=st.floats(-1, 1).map(lambda v: round(v, 6))))
    home = scaling.invert(w)
    assert np.isfinite(home).all()
    assert (home[~scaling.varies] == 0).all()
    w = np.where(scaling.varies, w, 0.0)
    assert (np.sign(home) == np.sign(w)).all() or np.ptp(scaling.exponents) > 2000
    exact = [Fraction(v) / Fraction(2) ** e for v, e in zip(w.tolist(), scaling.exponents.tolist(), strict=True)]
    back = [Fraction(v) for v in home.tolist()]
    normal = [j for j, v in enumerate(home.tolist()) if abs(v) >= 2.0**-1022]
    assert all(exact[i] * back[j] == exact[j] * back[i] for i in normal for j in normal)


def test_units_two_thousand_powers_apart_keep_both_weights() -> None:
    X = np.array([[2.0**900, 2.0**-900], [-(2.0**900), -(2.0**-900)]])
    home = Problem(X, signs(2)).scaling.invert(np.ones(2))
    assert (home > 0).all()
    assert Fraction(home[1]) / Fraction(home[0]) == Fraction(2) ** 1800


@pytest.mark.parametrize("offset", [1e8, 1e15])
def test_centring_takes_offsets_away(offset: float) -> None:
    X = offset + np.arange(8.0)[:, None]
    Z = Problem(X, signs(8)).scaling.apply(X)
    assert np.abs(Z).max() < 2
    assert len(np.unique(Z)) == 8


def test_one_problem_is_scaled_once() -> None:
    scaled = []

    class Counting(Problem):
        @cached_property
        def scaling(self) -> ColumnScaling:
            scaled.append(self)
            return super().scaling

    problem = Counting.validated([[-2.0, 1.0], [-1.0, 0.0], [1.0, 0.0], [2.0, 5.0]], [-1, -1, 1, 1])
    verdict = separability(problem, method="highs")
    assert hard_margin(problem, verdict=verdict).margin == pytest.approx(1.0)
    assert len(scaled) == 1
