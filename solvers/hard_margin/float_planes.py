"""Hyperplanes of floats near an exact one, each with its exact margin: the returned (w, b) is one of these."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.exact.dyadic import FloatFractions, nearest_floats, sqrt_down, without_denominators
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import stacked
from maxmargin.solvers.proof.certificate import SeparatingHyperplane
from maxmargin.solvers.proof.margin_certificate import MarginAtLeast
from maxmargin.solvers.proof.margins import best_offset, lowest, norm_squared
from maxmargin.solvers.proof.sums import TINIEST_NORMAL

# Fractions of the margin: a rounding that loses at most the first ends the search; one that loses more than the second
# widens it.
_NEGLIGIBLE, _GREAT = Fraction(1, 1 << 48), Fraction(1, 1 << 10)

# Largest distance from 1 at which the functional margin of a plane of floats is left as it is.
_NEAR_ONE = Fraction(1, 1 << 40)

# Number of multiples of each kind that are tried: first, and if rounding loses much of the margin.
_FEW, _MANY = 8, 64

# Relative distance of consecutive multiples: one unit in the last place of 1.
_STEP = Fraction(1, 1 << 52)

# Significant bits of a float, and largest number of bits of a small integer.
_BITS, _MOST_SMALL_BITS = 53, 19

# Every integer up to this one is a float.
_MOST_INTEGER = 1 << _BITS

# Largest and smallest binary exponent of an entry of a multiple.
_GREATEST_SIZE, _LEAST_SIZE = 1022, -1015

# Smallest number of columns for which a rounding in floats is tried before fractions, which would take longest.
_WIDE = 1_000

# Largest number of matrix entries read by the search; the first few multiples are tried in any case.
_MOST_ENTRIES = 1 << 22


@dataclass(frozen=True, slots=True, kw_only=True)
class FloatPlane:
    """A separating hyperplane of floats.

    Attributes
    ----------
    w : ndarray (n_features,)
    b : float
    least : Fraction
        min y(w.x + b) > 0, exactly.
    margin_squared : Fraction
        The square of the geometric margin, exactly.
    """

    w: Floats
    b: float
    least: Fraction
    margin_squared: Fraction

    @property
    def margin(self) -> float:
        """The geometric margin, rounded down."""
        return sqrt_down(self.margin_squared)

    def certificate(self, problem: Problem) -> MarginAtLeast:
        """Return the proof of the margin."""
        w, b = FloatFractions(self.w), Fraction(self.b)
        return MarginAtLeast(problem=problem, w=w, b=b, margin_squared=self.margin_squared)


def best_float_plane(
    problem: Problem, plane: SeparatingHyperplane, margin_squared: Fraction, near: Problem | None = None
) -> FloatPlane | None:
    """Return the hyperplane of floats with the greatest exact margin among roundings of multiples of an exact one.

    If the plane has small integers as entries (at most 19 bits before their powers of two), these are multiplied by a
    number with so few bits that no product is rounded, the nearest to the factor that brings the functional margin to
    1: nothing is lost. Otherwise a search follows.

    Every entry of a multiple of w is rounded to the nearest float. With it go two offsets, the rounding of the multiple
    of b and the float nearest to the best offset of the rounded w, which is the exact middle between the classes; both
    margins are computed exactly, on all rows. The multiples are, with the plane scaled to functional margin 1,

    1. 1 + j 2**-52 for j = 0 .. 7, where every entry is rounded by another amount and b falls on another grid;
    2. if these lose more than 2**-10 of the margin, those for j = 8 .. 63, then the multiples k = 1 .. 64 of the
       integers without a common factor that have the direction of w, if none of them exceeds 2**53, and those whose
       greatest entry is k = 1 .. 64, or the denominator of a best approximation of the ratio of the two greatest.

    The first multiple that loses at most 2**-48 of the margin ends the search: mostly the rounded plane itself. With
    1,000 columns or more the rounded plane is tried first of all, divided by the functional margin in floating point,
    or unchanged if its entries are floats and its functional margin is 1 up to rounding. If entries leave the range of
    binary64, all multiples are multiplied by the power of two that brings them back, or comes nearest to that. On data
    so large that the search would take long, only the first multiples are tried.

    Parameters
    ----------
    problem : Problem
    plane : SeparatingHyperplane
        Of this problem; entries of any size.
    margin_squared : Fraction
        The square of its geometric margin.
    near : Problem, optional
        Rows next to the plane, among which is the row of least functional margin, also after the entries of the plane
        were rounded. By default a pass over all rows finds them.

    Returns
    -------
    FloatPlane or None
        None if no plane of the search separates.

    Examples
    --------
    >>> problem = Problem.validated([[1e17], [1e17 + 16]], [-1, 1])
    >>> middle = Fraction(10**17 + 8)
    >>> plane = SeparatingHyperplane(problem=problem, w=(Fraction(1),), b=-middle, least_functional_margin=Fraction(8))
    >>> best_float_plane(problem, plane, Fraction(64)).margin > 7
    True
    """
    # A certificate holds for exact numbers, but a user computes with floats. The exact plane rounded entry by entry may
    # misclassify: with scores of size s and a margin m, errors of s 2**-53 exceed m once m/s is below that. All
    # positive multiples of a plane are the same plane, and each of them is rounded differently; hence the search. It is
    # a search for a lattice point near a ray, which is simultaneous Diophantine approximation: multiples up to q leave
    # errors of about q**(-1/d) (Dirichlet; Cassels, "An Introduction to Diophantine Approximation", 1957, chapter 1).
    if len(plane.w) >= _WIDE:
        unchanged = _with_its_normal(plane)
        if _loses_at_most(_NEGLIGIBLE, unchanged, margin_squared):
            return unchanged
        near = near or _rows_near(problem, plane)
        quick = None if near is None else _divided_in_floats(near, plane)
        if _loses_at_most(_NEGLIGIBLE, quick, margin_squared):
            return quick
    canonical = [v / plane.least_functional_margin for v in (*plane.w, plane.b)]
    *scaled, offset = entries = _in_range(canonical)
    for multiple in (entries, _exact_multiple(entries)):
        without_loss = _lossless(canonical, multiple, margin_squared)
        if without_loss is not None:
            return without_loss
    # Underflow changes an entry by more than its rounding error, so that rows far from the plane may become the nearest
    # ones; then only a pass over all rows proves the margin.
    near = near or _rows_near(problem, plane)
    looked_at = near or problem
    most = max(_FEW, _MOST_ENTRIES // (looked_at.n_samples * looked_at.n_features))
    best: FloatPlane | None = None
    for number, (factor, w, is_rounded_once) in enumerate(islice(_normals(scaled), most)):
        if number == _FEW and _loses_at_most(_GREAT, best, margin_squared):
            break
        rows = near if near is not None and is_rounded_once else problem
        for found in _with_offsets(rows, w, offset * factor):
            if best is None or found.margin_squared > best.margin_squared:
                best = found
            if _loses_at_most(_NEGLIGIBLE, best, margin_squared):
                return best
    return best


def _with_its_normal(plane: SeparatingHyperplane) -> FloatPlane | None:
    """Return the plane with its best offset rounded; None unless its entries are floats and its margin 1."""
    least = plane.least_functional_margin
    if not isinstance(plane.w, FloatFractions) or abs(least - 1) > _NEAR_ONE:
        return None
    return _with_offset(plane.w.floats.copy(), plane.b, plane.b, least)


def _divided_in_floats(near: Problem, plane: SeparatingHyperplane) -> FloatPlane | None:
    """Return the plane divided by its functional margin, every entry rounded; None where it leaves the range."""
    w, least = nearest_floats(plane.w), plane.least_functional_margin
    if w is None:
        return None
    position = int(np.argmax(np.abs(w)))
    try:
        factor = float(plane.w[position] / least / Fraction(w[position].item()))
    except OverflowError:
        return None
    with np.errstate(over="ignore", under="ignore"):
        divided = w * factor
    is_in_range = np.isfinite(divided) & ((np.abs(divided) >= TINIEST_NORMAL) | (w == 0))
    if not is_in_range.all():
        return None
    found = _with_offsets(near, divided, plane.b / least)
    return max(found, key=lambda plane: plane.margin_squared, default=None)


def _loses_at_most(share: Fraction, found: FloatPlane | None, target: Fraction) -> bool:
    return found is not None and found.margin_squared >= target * (1 - share) ** 2


def _exact_multiple(plane: Sequence[Fraction]) -> Sequence[Fraction]:
    """Return a multiple next to the plane whose entries are floats if it has small integers as entries, else itself."""
    whole = without_denominators(plane)
    n_bits = max((v // (v & -v)).bit_length() for v in whole if v)
    if n_bits > _MOST_SMALL_BITS:
        return plane
    # A product of an integer of `n_bits` bits and one of 53 - `n_bits` bits fits the significand: no entry is rounded.
    position = max(range(len(plane)), key=lambda j: abs(plane[j]))
    mantissa, exponent = math.frexp(plane[position] / whole[position])
    unit = round(math.ldexp(mantissa, _BITS - n_bits)) * Fraction(2) ** (exponent - _BITS + n_bits)
    return [unit * v for v in whole]


def _lossless(plane: Sequence[Fraction], multiple: Sequence[Fraction], margin_squared: Fraction) -> FloatPlane | None:
    """Return a multiple of a plane of functional margin 1, if its entries are floats, not all 0."""
    if any(v.denominator & (v.denominator - 1) for v in multiple):
        return None
    try:
        *w, b = map(float, multiple)
    except OverflowError:
        return None
    if not any(w) or any(Fraction(number) != v for number, v in zip((*w, b), multiple, strict=True)):
        return None
    position = max(range(len(plane)), key=lambda j: abs(plane[j]))
    return FloatPlane(w=np.array(w), b=b, least=multiple[position] / plane[position], margin_squared=margin_squared)


def _normals(scaled: Sequence[Fraction]) -> Iterator[tuple[Fraction, Floats, bool]]:
    """Yield factors, rounded normals of the multiples, and whether no entry was lost to underflow."""
    for factor in _multiples(scaled):
        try:
            w = np.array([float(v) for v in (scaled if factor == 1 else [v * factor for v in scaled])])
        except OverflowError:
            continue
        is_normal = all(abs(number) >= TINIEST_NORMAL or not v for v, number in zip(scaled, w.tolist(), strict=True))
        yield factor, w, is_normal


def _multiples(scaled: Sequence[Fraction]) -> Iterator[Fraction]:
    yield from (1 + j * _STEP for j in range(_MANY))
    position = max(range(len(scaled)), key=lambda j: abs(scaled[j]))
    whole, greatest = abs(without_denominators(scaled)[position]), abs(scaled[position])
    if whole <= _MOST_INTEGER:
        yield from (k * whole / greatest for k in range(1, _MANY + 1))
    yield from (k / greatest for k in range(1, _MANY + 1))
    # The best approximations of the ratio of the two greatest entries: of two columns every direction of floats.
    ratio = max((abs(v) for j, v in enumerate(scaled) if j != position), default=Fraction(0)) / greatest
    denominators = {ratio.limit_denominator(1 << bits).denominator for bits in range(_BITS + 1)}
    yield from (k / greatest for k in sorted(denominators, reverse=True))


def _in_range(plane: Sequence[Fraction]) -> list[Fraction]:
    """Return (w, b) times a power of two: 1 unless some entries leave the range of binary64."""
    *sizes, of_offset = (v.numerator.bit_length() - v.denominator.bit_length() if v else None for v in plane)
    of_w = [size for size in sizes if size is not None]
    greatest = max(of_w if of_offset is None else [*of_w, of_offset])
    down, up = greatest - _GREATEST_SIZE, _LEAST_SIZE - min(of_w)
    factor = Fraction(2) ** (-down if down > 0 else max(0, min(up, -down)))
    return list(plane) if factor == 1 else [v * factor for v in plane]


def _rows_near(problem: Problem, plane: SeparatingHyperplane) -> Problem | None:
    """Return the rows next to the plane; None if its entries are too different in size for floats."""
    w = nearest_floats(plane.w)
    if w is None:
        return None
    groups = lowest(problem, w, by_class=problem.bias)
    rows = np.concatenate([group.rows for group in groups])
    integers = None if problem.integers is None else problem.integers[rows]
    return Problem(stacked([group.X for group in groups]), problem.y[rows], problem.bias, integers, problem.units)


def _with_offsets(rows: Problem, w: Floats, offset: Fraction) -> Iterator[FloatPlane]:
    """Yield the hyperplanes with this normal that separate the rows: with the offset rounded, and with the best one."""
    best, most = best_offset(rows, w)
    if most > 0:
        yield from filter(None, (_with_offset(w, exact, best, most) for exact in (offset, best)))


def _with_offset(w: Floats, offset: Fraction, best: Fraction, most: Fraction) -> FloatPlane | None:
    """Return the hyperplane with this normal and the rounded offset b, if it separates.

    The best offset b' has the least margin m' on both sides, so that b has m' - |b - b'|.
    """
    try:
        b = float(offset)
    except OverflowError:
        return None
    least = most - abs(Fraction(b) - best)
    return FloatPlane(w=w, b=b, least=least, margin_squared=least**2 / norm_squared(w)) if least > 0 else None
