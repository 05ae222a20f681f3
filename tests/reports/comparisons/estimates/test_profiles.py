"""Performance profiles: the definition of Dolan and More by hand, and what follows from it."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from maxmargin.reports.comparisons.estimates import TAUS, performance_ratios, profile_at, profile_steps

COSTS = arrays(
    np.float64,
    st.tuples(st.integers(1, 6), st.integers(1, 4)),
    elements=st.one_of(st.floats(1e-3, 1e3), st.just(math.inf)),
)


def test_the_definition_by_hand() -> None:
    # Three problems, three solvers; the third problem is solved by nobody.
    costs = np.array([[1.0, 2.0, 10.0], [6.0, 3.0, np.inf], [np.inf] * 3])
    ratios = performance_ratios(costs)
    assert ratios.tolist() == [[1.0, 2.0, 10.0], [2.0, 1.0, math.inf], [math.inf] * 3]
    assert profile_at(ratios[:, 0], [1, 2, 100]) == pytest.approx([1 / 3, 2 / 3, 2 / 3])
    assert profile_at(ratios[:, 1], [1, 2, 100]) == pytest.approx([1 / 3, 2 / 3, 2 / 3])
    assert profile_at(ratios[:, 2], [1, 9.99, 10]) == pytest.approx([0, 0, 1 / 3])


@given(COSTS)
def test_profiles_grow_to_the_fraction_that_was_solved(costs: np.ndarray) -> None:
    ratios = performance_ratios(costs)
    assert (ratios >= 1).all()
    assert (np.isinf(ratios) == np.isinf(costs)).all()
    assert ((ratios == 1).any(axis=1) == np.isfinite(costs).any(axis=1)).all()
    for column in range(costs.shape[1]):
        values = profile_at(ratios[:, column], [*TAUS, 1e300])
        assert values == sorted(values)
        assert values[-1] == np.isfinite(costs[:, column]).mean()


@given(COSTS, st.sampled_from([2.0**-20, 0.5, 4.0]))
def test_profiles_do_not_depend_on_the_unit_of_the_costs(costs: np.ndarray, unit: float) -> None:
    np.testing.assert_array_equal(performance_ratios(unit * costs), performance_ratios(costs))


def test_free_solutions_win() -> None:
    assert performance_ratios(np.array([[0.0, 0.0, 1.0]])).tolist() == [[1.0, 1.0, math.inf]]


def test_steps_are_where_the_profile_changes() -> None:
    ratios = [1.0, 3.0, 3.0, 50.0, math.inf]
    taus, values = profile_steps(ratios, 100.0)
    assert taus == [1.0, 3.0, 50.0, 100.0]
    assert values == profile_at(ratios, taus) == [0.2, 0.6, 0.8, 0.8]
