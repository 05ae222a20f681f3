"""The angle to the normal of the maximum margin lies in its interval, whatever the normal and the units."""

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import flint
import numpy as np
import pytest
from cases import for_each
from numpy.typing import NDArray
from references import exact_hard_margin
from zoo import INSEPARABLE, SEPARABLE, Known

import maxmargin as mm
from maxmargin.solvers.proof.angles import angle_around

# Exponents of the units: with the last one every number is subnormal.
UNITS = (1000, -1000, -1070)


def true_angle(w: Sequence[Any], v: Sequence[Any]) -> Any:
    """Return the angle in degrees as a ball of radius 1e-300 or so."""
    left, right = ([Fraction(entry) for entry in vector] for vector in (w, v))
    with flint.ctx.workprec(5000):

        def ball(value: Fraction) -> Any:
            return flint.arb(flint.fmpq(value.numerator, value.denominator))

        along = sum(a * b for a, b in zip(left, right, strict=True))
        squares = sum(a * a for a in left) * sum(b * b for b in right)
        sine = ball(squares - along**2).sqrt()
        return flint.arb.atan2(sine, ball(along)) * 180 / flint.arb.pi()


def is_inside(interval: tuple[float, float] | None, angle: Any) -> bool:
    assert interval is not None
    with flint.ctx.workprec(5000):
        slack = flint.arb("1e-320")  # the radius of the ball of an angle that is an end
        return bool(interval[0] - slack <= angle <= interval[1] + slack) and 0 <= interval[0] <= interval[1] <= 180


def normals(best: NDArray[np.float64], rng: np.random.Generator) -> Iterator[NDArray[np.float64]]:
    """Yield normals at all angles, also next to 0, 90 and 180 degrees, and with entries of very different sizes."""
    across = rng.normal(size=len(best))
    across -= (across @ best) * best / (best @ best)
    yield from (best, -best, rng.normal(size=len(best)), best * 1e300, -best * 2.0**-1060)
    yield np.ldexp(rng.normal(size=len(best)), rng.integers(-1060, 1000, len(best)))
    if np.abs(across).max() > 1e-3:
        yield from (across, best + 1e-9 * across, -best + 1e-9 * across, across + 1e-200 * best)


@for_each("known, unit", [*((known, 0) for known in SEPARABLE[::2]), *product(SEPARABLE[::6], UNITS)])
def test_the_angle_is_in_its_interval(known: Known, unit: int) -> None:
    X = np.ldexp(known.X, unit)
    exact = mm.hard_margin(X, known.y, bias=known.bias, exact=True)
    found = mm.hard_margin(X, known.y, bias=known.bias)
    reference = exact_hard_margin(known.X, known.y, known.bias)
    assert reference is not None
    best = np.array([float(entry / max(map(abs, reference.w))) for entry in reference.w])
    for w in normals(best, np.random.default_rng(len(X))):
        truth = true_angle(w.tolist(), reference.w)
        for answer in (exact, found):
            low, high = answer.angle_of(w)
            assert is_inside((low, high), truth) and high - low < (1e-12 if answer is exact else 1e-5), (w, low, high)
    judged = mm.judge(X, known.y, w, bias=known.bias)
    assert is_inside((judged.angle_lower, judged.angle_upper), truth)


@for_each("tilt", [2.0**-1074, 1e-300, 1e-160, 1e-9, 1e-8])
def test_small_angles_keep_their_digits(tilt: float) -> None:
    low, high = angle_around(np.array([1.0, tilt]), [Fraction(1), Fraction(0)], Fraction(1))
    assert is_inside((low, high), true_angle([1, tilt], [1, 0]))
    assert high - low <= max(1e-14 * low, 1e-319)
    low, high = angle_around(np.array([-1.0, tilt]), [Fraction(1), Fraction(0)], Fraction(1))
    assert is_inside((low, high), true_angle([-1, tilt], [1, 0])) and high - low < 1e-12


@pytest.mark.parametrize("bias", [True, False])
@for_each("name, positive", [("iris", "setosa"), ("breast_cancer", None), *(("wine", f"class_{k}") for k in range(3)),
                             *(("digits", str(k)) for k in (0, 4))])  # fmt: skip
def test_the_interval_is_narrow_on_bundled_data(name: str, positive: str | None, bias: bool) -> None:
    data = mm.load(name, positive=positive)
    answer = mm.hard_margin(data, bias=bias)
    assert answer.angle_lower is not None and answer.angle_upper is not None
    assert 0 <= answer.angle_lower <= answer.angle_upper < 1e-4
    fields, judged = answer.to_dict(), mm.judge(data, w=np.ones(data.n_features), bias=bias)
    assert (fields["angle_lower"], fields["angle_upper"]) == (answer.angle_lower, answer.angle_upper)
    assert judged.angle_upper - judged.angle_lower < 1.5e-4


def test_a_plane_that_is_better_than_the_known_one_bounds_the_angle() -> None:
    data = mm.load("iris", positive="setosa")
    best = mm.hard_margin(data)
    judged = mm.judge(data, w=best.w, b=best.b, time_limit=1e-9)
    assert (judged.angle_lower, judged.angle_upper) <= (0.0, 90.0)


@for_each("known", INSEPARABLE)
def test_of_data_that_nothing_separates_there_is_no_angle(known: Known) -> None:
    answer = mm.hard_margin(known.X, known.y, bias=known.bias)
    judged = mm.judge(known.X, known.y, np.ones(known.X.shape[1]), bias=known.bias)
    assert (answer.angle_lower, answer.angle_upper, judged.angle_lower, judged.angle_upper) == (None,) * 4
    assert answer.angle_of(np.ones(known.X.shape[1])) == (None, None)
