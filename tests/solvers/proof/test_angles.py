"""The angle to the normal of the maximum margin lies in its interval, whatever the normal and the units."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import flint
import numpy as np
from cases import for_each
from references import exact_hard_margin
from zoo import SEPARABLE, Known

import maxmargin as mm
from maxmargin.solvers.proof.angles import angle_around

BUNDLED = "breast_cancer", "iris setosa", "wine class_0", "wine class_1", "wine class_2", "digits 3", "digits 4"


def encloses(interval: Any, w: Sequence[Any], v: Sequence[Any]) -> bool:
    """Return whether the angle of two vectors, with 1,000 digits, is in the interval."""
    (low, high), pairs = interval, [(Fraction(a), Fraction(b)) for a, b in zip(w, v, strict=True)]
    left, right, along = (sum(p * q for p, q in numbers) for numbers in (
        [(a, a) for a, _ in pairs], [(b, b) for _, b in pairs], pairs))  # fmt: skip
    with flint.ctx.workprec(5000):
        x, square = (flint.arb(flint.fmpq(*value.as_integer_ratio())) for value in (along, left * right - along**2))
        angle, slack = flint.arb.atan2(square.sqrt(), x) * 180 / flint.arb.pi(), flint.arb("1e-1000")
        return low is not None and 0 <= low <= high <= 180 and bool(low - slack <= angle <= high + slack)


def normals(best: Any, rng: np.random.Generator) -> Iterator[Any]:
    """Yield normals at all angles, also next to 0, 90 and 180 degrees, and with entries of very different sizes."""
    across, other, powers = rng.normal(size=len(best)), rng.normal(size=len(best)), rng.integers(-1060, 1000, len(best))
    across -= (across @ best) * best / (best @ best)
    yield from (best, -best, best * 1e300, -best * 2.0**-1060, other, np.ldexp(other, powers))
    if np.abs(across).max() > 1e-3:
        yield from (across, best + 1e-9 * across, -best + 1e-9 * across, across + 1e-200 * best)


@for_each("known, unit", [*((known, 0) for known in SEPARABLE[::3]), *product(SEPARABLE[::6], (1000, -1000, -1070))])
def test_the_angle_is_in_its_interval(known: Known, unit: int) -> None:
    X, reference = np.ldexp(known.X, unit), exact_hard_margin(known.X, known.y, known.bias)
    answers = [mm.hard_margin(X, known.y, bias=known.bias, exact=exact) for exact in (False, True)]
    for w in normals(np.array([float(v / max(map(abs, reference.w))) for v in reference.w]), np.random.default_rng(1)):
        for answer, width in zip(answers, (1e-5, 1e-12), strict=True):
            ends = answer.angle_of(w)
            assert encloses(ends, w.tolist(), reference.w) and ends[1] - ends[0] < width, (w, ends)
    judged = mm.judge(X, known.y, w, bias=known.bias)
    assert encloses((judged.angle_lower, judged.angle_upper), w.tolist(), reference.w)


@for_each("tilt", [2.0**-1074, 1e-300, 1e-160, 1e-9, 1e-8])
def test_small_angles_keep_their_digits(tilt: float) -> None:
    for sign, width in ((1.0, max(1e-14 * tilt, 1e-319)), (-1.0, 1e-12)):
        low, high = angle_around(np.array([sign, tilt]), [Fraction(1), Fraction(0)], Fraction(1))
        assert encloses((low, high), [sign, tilt], [1, 0]) and high - low < 58 * width


@for_each("bias", [True, False])
@for_each("name", BUNDLED)
def test_the_interval_is_narrow_on_bundled_data(name: str, bias: bool) -> None:
    data = mm.load(name.split()[0], positive=name.partition(" ")[2] or None)
    answer = mm.hard_margin(data, bias=bias)
    fields, ones = answer.to_dict(), answer.angle_of(np.ones(data.n_features))
    assert 0 <= fields["angle_lower"] <= fields["angle_upper"] < 1e-4 and ones[1] - ones[0] < 1.5e-4


def test_a_hyperplane_bounds_its_own_angle() -> None:
    data = mm.load("iris", positive="setosa")
    best, run = mm.hard_margin(data), mm.perceptron(data)
    unknown, square = replace(best, certificate=None), Fraction(run.margin) ** 2
    assert unknown.angle_of(run.w) == best.angle_of(np.zeros(4)) == best.angle_of(None) == (None, None)
    assert unknown.angle_of(run.w, square)[0] == 0 and 88.6 < unknown.angle_of(run.w, square)[1] < 88.7
    assert 90 <= replace(unknown, upper=np.inf).angle_of(run.w, square)[1] < 90.001
