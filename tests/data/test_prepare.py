"""Preparations: what they promise, and the way back."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from numpy.typing import NDArray

from maxmargin.data.preparing import How, prepare
from maxmargin.solvers.errors import InvalidProblemError

SHAPES = st.tuples(st.integers(1, 8), st.integers(1, 4))
MODERATE = st.floats(-1e3, 1e3).map(lambda value: round(value, 3))
MATRICES = SHAPES.flatmap(lambda shape: arrays(np.float64, shape, elements=MODERATE))
HUGE = SHAPES.flatmap(
    lambda shape: arrays(np.float64, shape, elements=st.floats(allow_nan=False, allow_infinity=False))
)

ROUNDING = 1e-9


@given(X=MATRICES)
def test_raw_is_the_same_object(X: NDArray[np.float64]) -> None:
    prepared = prepare(X, "raw")
    w = np.ones(X.shape[1])
    assert prepared.X is X and prepared.invert(w, 2.0) == (w, 2.0)


@given(X=MATRICES)
def test_centred_columns_have_mean_zero(X: NDArray[np.float64]) -> None:
    prepared = prepare(X, "center")
    assert np.allclose(prepared.X.mean(axis=0), 0, atol=ROUNDING)
    assert np.allclose(prepared.X + prepared.shift, X, atol=ROUNDING)


@given(X=MATRICES)
def test_standardized_columns_have_deviation_one_or_are_constant(X: NDArray[np.float64]) -> None:
    prepared = prepare(X, "standardize")
    is_constant = X.min(axis=0) == X.max(axis=0)
    deviation = prepared.X.std(axis=0)
    assert (prepared.X[:, is_constant] == 0).all()
    assert np.allclose(deviation[~is_constant], 1, atol=ROUNDING)
    assert prepared.scale is not None
    assert np.allclose(prepared.scale, np.where(is_constant, 1, X.std(axis=0)), rtol=1e-6)


@given(X=MATRICES, how=st.sampled_from(["raw", "center", "standardize"]), data=st.data())
def test_invert_gives_the_same_values_on_the_data(X: NDArray[np.float64], how: str, data: st.DataObject) -> None:
    w = data.draw(arrays(np.float64, X.shape[1], elements=st.floats(-10, 10)))
    b = data.draw(st.floats(-10, 10))
    prepared = prepare(X, how)
    inverted = prepared.invert(w, b)
    assert np.allclose(
        X @ inverted[0] + inverted[1], prepared.X @ w + b, rtol=1e-6, atol=1e-6 * (1 + np.abs(inverted[0]).max() * 1e3)
    )


@given(X=HUGE)
def test_unit_rows_have_norm_one_whatever_their_size(X: NDArray[np.float64]) -> None:
    prepared = prepare(X, "unit")
    is_zero = ~X.any(axis=1)
    norms = np.sqrt(np.square(prepared.X).sum(axis=1))
    assert (prepared.X[is_zero] == 0).all() and np.allclose(norms[~is_zero], 1)
    assert prepared.invert(np.ones(X.shape[1]), 0.0) is None
    sparse = prepare(sp.csr_array(X), "unit")
    assert isinstance(sparse.X, sp.csr_array)
    assert np.allclose(sparse.X.toarray(), prepared.X, rtol=1e-12)
    assert sparse.scale is not None
    assert prepared.scale is not None
    assert np.allclose(sparse.scale, prepared.scale, rtol=1e-12)


@given(X=HUGE)
def test_standardizing_does_not_overflow(X: NDArray[np.float64]) -> None:
    try:
        prepared = prepare(X, "standardize")
    except InvalidProblemError as error:
        assert "its range is too large for binary64" in str(error)
        return
    assert np.isfinite(prepared.X).all()
    assert (np.abs(prepared.X) <= np.sqrt(len(X)) * (1 + ROUNDING)).all()


@given(X=MATRICES, exponent=st.integers(-900, 900))
def test_standardizing_does_not_see_the_units(X: NDArray[np.float64], exponent: int) -> None:
    scaled = np.ldexp(X, exponent)
    assume(np.array_equal(np.ldexp(scaled, -exponent), X))
    assert np.allclose(prepare(scaled, "standardize").X, prepare(X, "standardize").X, atol=ROUNDING)


def test_constant_column_of_inexact_numbers() -> None:
    X = np.full((7, 1), 0.1)
    prepared = prepare(X, "standardize")
    assert (prepared.X == 0).all() and prepared.scale.tolist() == [1.0]


def test_sparse_features() -> None:
    X = np.array([[0.0, 3.0], [4.0, 3.0], [0.0, 0.0]])
    for how in How:
        ours = prepare(sp.csr_array(X), how).X
        assert sp.issparse(ours) is (how in (How.RAW, How.UNIT))
        dense = ours.toarray() if sp.issparse(ours) else ours
        assert np.array_equal(dense, prepare(X, how).X)
    theirs = sp.csr_array(X)
    prepare(theirs, "unit")
    assert np.array_equal(theirs.toarray(), X)


def test_large_sparse_features_stay_sparse() -> None:
    X = sp.csr_array((10**5, 10**4))
    with pytest.raises(InvalidProblemError, match="1,000,000,000 entries, expected at most 100,000,000; use 'raw'"):
        prepare(X, "center")
    assert prepare(X, "unit").X.shape == X.shape


def test_overflow_names_the_column() -> None:
    with pytest.raises(InvalidProblemError, match="column 1 cannot be centred"):
        prepare(np.array([[1.0, 1.7e308], [2.0, -1.7e308], [2.0, -1.7e308]]), "center")


def test_unknown_preparation() -> None:
    with pytest.raises(InvalidProblemError, match="prepare='whiten', expected one of 'raw', 'center', 'standardize'"):
        prepare(np.eye(2), "whiten")


def test_results_are_read_only_and_the_data_stay() -> None:
    X = np.array([[1.0, 2.0], [3.0, 5.0]])
    before = X.copy()
    for how in ("center", "standardize", "unit"):
        assert not prepare(X, how).X.flags.writeable
    assert np.array_equal(X, before)
    assert X.flags.writeable
