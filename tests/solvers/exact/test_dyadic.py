"""Binary64 numbers as integers, and outward rounding, against fractions."""

import math
import pickle
import sys
from fractions import Fraction

import numpy as np
import pytest
from cases import for_each
from hypothesis import example, given
from hypothesis import strategies as st

from maxmargin.solvers.exact.dyadic import (
    FloatFractions,
    as_fraction,
    as_integers,
    round_down,
    round_up,
    sqrt_down,
    sqrt_up,
)
from maxmargin.solvers.exact.products import exact_squares

finite = st.floats(allow_nan=False, allow_infinity=False)
rationals = st.builds(
    lambda p, q, e: Fraction(p, q) * Fraction(2) ** e,
    st.integers(-(10**30), 10**30),
    st.integers(1, 10**30),
    st.integers(-1200, 1200),
)
LARGEST = sys.float_info.max
TINIEST = 5e-324


@pytest.mark.deep
@given(st.lists(finite, min_size=1, max_size=8))
@example([TINIEST, LARGEST, -TINIEST, 0.0, -0.0])
@example([1e300, 1e-300, -1.0])
@example([2.0**-1022, 2.0**-1074, 2.0**1023])
def test_integers_are_exact(values: list[float]) -> None:
    integers, exponent = as_integers(np.array(values))
    assert all(type(v) is int for v in integers.tolist())
    assert [as_fraction(v, exponent) for v in integers.tolist()] == [Fraction(v) for v in values]
    assert any(v % 2 for v in integers.tolist()) if any(values) else exponent == 0, "the exponent is the largest"


def test_integers_keep_the_shape_and_do_not_touch_the_input() -> None:
    values = np.array([[0.5, -3.0], [0.0, 2.0**-1074]])
    values.flags.writeable = False
    integers, _ = as_integers(values)
    assert integers.shape == (2, 2)
    assert as_integers(np.zeros((0, 3)))[0].shape == (0, 3)
    assert as_integers(np.zeros(3))[1] == 0


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_a_number_has_no_integers(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        as_integers(np.array([1.0, value]))


def is_tight_upper(value: Fraction, rounded: float) -> bool:
    """Whether ``rounded`` is the least binary64 number that is not below the value."""
    if math.isinf(rounded):
        return rounded > 0 and value > Fraction(LARGEST)
    below = math.nextafter(rounded, -math.inf)
    return Fraction(rounded) >= value and (math.isinf(below) or Fraction(below) < value)


@pytest.mark.deep
@given(rationals)
@example(Fraction(0))
@example(Fraction(TINIEST) / 2)
@example(-Fraction(TINIEST) / 2)
@example(Fraction(LARGEST) + 1)
@example(-Fraction(LARGEST) - 1)
@example(Fraction(2) ** 1024)
@example(Fraction(10) ** 400)
@example(-(Fraction(10) ** 400))
def test_rounding_is_outward_and_tight(value: Fraction) -> None:
    assert is_tight_upper(value, round_up(value))
    assert is_tight_upper(-value, -round_down(value))


@pytest.mark.deep
@given(rationals.map(abs))
@example(Fraction(0))
@example(Fraction(4))
@example(Fraction(2))
@example(Fraction(TINIEST) ** 2)
@example(Fraction(TINIEST) ** 2 / 4)
@example(Fraction(LARGEST) ** 2)
@example(Fraction(LARGEST) ** 2 + 1)
@example(Fraction(10) ** 700)
@example((1 + Fraction(1, 2**52)) ** 2 + Fraction(1, 10**60))
def test_square_roots_are_outward_and_tight(value: Fraction) -> None:
    down, up = sqrt_down(value), sqrt_up(value)
    if math.isinf(up):
        assert value > Fraction(LARGEST) ** 2 and down == LARGEST
        return
    assert Fraction(down) ** 2 <= value <= Fraction(up) ** 2
    assert up == 0 or Fraction(math.nextafter(up, 0.0)) ** 2 < value
    above = math.nextafter(down, math.inf)
    assert math.isinf(above) or Fraction(above) ** 2 > value


def test_zero_has_no_sign() -> None:
    for zero in (round_down(Fraction(0)), round_up(Fraction(0)), sqrt_down(Fraction(0)), sqrt_up(Fraction(0))):
        assert math.copysign(1.0, zero) == 1.0


@pytest.mark.deep
@given(st.lists(finite, min_size=1, max_size=8), st.data())
def test_floats_are_a_sequence_of_fractions(values: list[float], data: st.DataObject) -> None:
    floats = np.array(values)
    numbers, expected = FloatFractions(floats), tuple(map(Fraction, values))
    floats[:] = 7.0  # the caller's own
    position = data.draw(st.integers(-len(values), len(values) - 1))
    assert (len(numbers), tuple(numbers), numbers[position]) == (len(values), expected, expected[position])
    assert numbers[position:] == expected[position:]
    assert numbers == expected and expected == numbers and numbers == FloatFractions(np.array(values))
    assert hash(numbers) == hash(expected) and repr(numbers) == repr(expected)
    assert pickle.loads(pickle.dumps(numbers)) == expected


@for_each("exponents", [(0, 0), (-60, 0), (-300, 200), (-1074, 1000)])
@for_each("size", [3, 1500])
def test_sums_of_squares_are_exact(exponents: tuple[int, int], size: int) -> None:
    rng = np.random.default_rng(0)
    values = np.ldexp(rng.standard_normal(size), rng.integers(*exponents, size, endpoint=True))
    values[0] = 0.0
    (total,), exponent = exact_squares(values[np.newaxis])
    assert total * Fraction(4) ** exponent == sum(Fraction(v) ** 2 for v in values.tolist())


@for_each("shape", [(1, 3), (40, 3), (700, 3), (3, 900), (2, 70_000)])
@for_each("spread", [0, 40, 300, 900])
def test_squares_of_rows_are_exact(spread: int, shape: tuple[int, int]) -> None:
    random = np.random.default_rng(spread + shape[0])
    values = np.ldexp(random.standard_normal(shape), random.integers(-spread, spread + 1, shape))
    values[0, 0] = 0.0
    squares, exponent = exact_squares(values)
    for row in {0, len(values) // 2, len(values) - 1}:
        integers, unit = as_integers(values[row])
        expected = sum(v * v for v in integers.tolist())
        assert squares[row] * Fraction(4) ** (exponent - unit) == expected
