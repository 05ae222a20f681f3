"""Small problems with closed-form answers; and any number of cases of generated families, drawn and changed."""

from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import product
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.generators import families
from maxmargin.data.generators.family import DataSetFamily, Value, Word
from maxmargin.data.generators.known_answers import Case, Matrix, NotRepresentableError
from maxmargin.data.generators.shapes import moved, scaled, turned, with_rows


@dataclass(frozen=True)
class Known:
    """A two-class problem and the square of its maximum margin, exactly; 0 where it is not strictly separable."""

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.float64]
    bias: bool
    margin_squared: Fraction


def _known(name: str, X: Any, y: Any, margin_squared: Fraction | int, *, bias: bool = True) -> Known:
    rows, signs = np.array(X, dtype=np.float64), np.array(y, dtype=np.float64)
    rows.flags.writeable = signs.flags.writeable = False
    return Known(name, rows, signs, bias, Fraction(margin_squared))


def _vertex_and_face(d: int) -> Known:
    """0 against the unit vectors: the distance of 0 to their hull is 1/sqrt(d)."""
    return _known(f"vertex-face-{d}", [[0] * d, *np.eye(d)], [-1, *[1] * d], Fraction(1, 4 * d))


def _faces_of_a_simplex(p: int, q: int) -> Known:
    """p unit vectors against q others: the means have distance sqrt(1/p + 1/q)."""
    return _known(f"simplex-{p}-{q}", np.eye(p + q), [-1] * p + [1] * q, (Fraction(1, p) + Fraction(1, q)) / 4)


def _unit_vectors_through_the_origin(d: int) -> Known:
    """y x = the unit vectors: the distance of 0 to their hull is 1/sqrt(d), and all d rows are support."""
    y = [(-1) ** i for i in range(d)]
    return _known(f"origin-{d}", np.eye(d) * np.array(y)[:, None], y, Fraction(1, d), bias=False)


def _parallel_lattices(d: int, width: int) -> Known:
    """{0, 1, 2}^d at first coordinate 0, and again at ``width``."""
    face = np.array(list(product(range(3), repeat=d)), dtype=float)
    left = np.hstack([np.zeros((len(face), 1)), face])
    right = np.hstack([np.full((len(face), 1), float(width)), face])
    return _known(f"lattices-{d}-{width}", np.vstack([left, right]), [-1] * len(face) + [1] * len(face),
                  Fraction(width, 2) ** 2)  # fmt: skip


def _odd_max_bit(n: int) -> Known:
    """Label = parity of the highest index that is on: 1/gamma^2 = F_n F_{n+1} over {-1, 1}^n."""
    fibonacci = [0, 1]
    while len(fibonacci) < n + 2:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    X = list(product((-1, 1), repeat=n))
    highest = [max((i + 1 for i, bit in enumerate(x) if bit > 0), default=0) for x in X]
    y = [1 if index % 2 else -1 for index in highest]
    return _known(f"odd-max-bit-{n}", X, y, Fraction(1, fibonacci[n] * fibonacci[n + 1]))


def _formula() -> Known:
    """(x1 or x4) and not x3 over {-1, 1}^4: w = (1, 0, -2, 1), b = -1."""
    X = list(product((-1, 1), repeat=4))
    y = [1 if (x[0] > 0 or x[3] > 0) and x[2] < 0 else -1 for x in X]
    return _known("formula", X, y, Fraction(1, 6))


SEPARABLE = (
    _known("two-points", [[1, 2, 3], [4, 6, 3]], [-1, 1], Fraction(25, 4)),
    _known("agresti", [[10], [20], [30], [40], [60], [70], [80], [90]], [-1] * 4 + [1] * 4, 100),
    _known("ten-twelve", [[10], [12]], [-1, 1], 1),
    _known("collinear-columns", [[1, 2], [2, 4], [5, 10]], [-1, -1, 1], Fraction(45, 4)),
    _known("constant-column", [[7, 0], [7, 1], [7, 4]], [-1, -1, 1], Fraction(9, 4)),
    _known("duplicates", [[0, 0]] * 5 + [[3, 4]] * 4, [-1] * 5 + [1] * 4, Fraction(25, 4)),
    _known("wide", np.hstack([np.eye(3), np.zeros((3, 9))]), [-1, 1, 1], (1 + Fraction(1, 2)) / 4), _vertex_and_face(2),
    _vertex_and_face(5), _faces_of_a_simplex(1, 1), _faces_of_a_simplex(3, 4), _unit_vectors_through_the_origin(2),
    _unit_vectors_through_the_origin(7), _parallel_lattices(1, 1), _parallel_lattices(2, 5),
    *(_odd_max_bit(n) for n in range(2, 7)), _formula(),
)  # fmt: skip

INSEPARABLE = (
    _known("xor", [[0, 0], [1, 1], [0, 1], [1, 0]], [-1, -1, 1, 1], 0),
    _known("both-labels", [[1, 2], [1, 2]], [-1, 1], 0),
    _known("touching", [[0, 0], [2, 0], [1, 0], [1, 1]], [-1, -1, 1, 1], 0),
    _known("all-zero", [[0, 0]] * 4, [-1, 1, -1, 1], 0),
    _known("zero-row-origin", [[0, 0], [1, 1]], [-1, 1], 0, bias=False),
    _known("one-two-origin", [[1], [2]], [-1, 1], 0, bias=False),
    _known("agresti-at-50", [[10], [40], [50], [50], [60], [90]], [-1, -1, -1, 1, 1, 1], 0),
)


# Cases of the families: parameters and changes that keep the verdict are drawn

# Greatest value of a parameter in a small case, of any family or of one; others are drawn from their whole range.
SMALL = {
    "n": 40, "d": 4, "side": 2, "p": 8, "q": 8, "m": 3, "copies": 3, "separated": 12, "flat": 4, "boxes d": 2,
    "odd-max-bit n": 5, "parity n": 5, "conjunction d": 5, "conjunction k": 5, "planted d": 8, "planted-quasi d": 6,
    "planted-overlap d": 6, "two-circles n": 20,
}  # fmt: skip

# Families with parameters are drawn three times as often as single data sets.
BASE = [one for one in families() if one.name != "three-on-a-line" for _ in range(3 if one.parameters else 1)]


def drawn(number: int) -> Case:
    """Return a case, the same for the same number."""
    rng = Random(number)
    case = _base_case(rng)
    for change in rng.choices(CHANGES, k=rng.randint(0, 3)):
        changed = change(case, rng)
        try:
            changed.rows.floats()
        except NotRepresentableError:
            continue
        case = changed if len(changed.y) <= max(60, len(case.y)) else case
    return case


def _base_case(rng: Random) -> Case:
    while True:
        chosen = rng.choice(BASE)
        try:
            return chosen.make(**{name: _value(rng, chosen, name) for name in chosen.parameters})
        except ValueError:  # parameters that do not go together, such as k > d
            continue


def _value(rng: Random, chosen: DataSetFamily, name: str) -> Value:
    parameter = chosen.parameters[name]
    if isinstance(parameter, Word):
        return rng.choice(parameter.choices)
    most = min(SMALL.get(f"{chosen.name} {name}", SMALL.get(name, parameter.most)), parameter.most)
    return rng.randint(parameter.least, rng.choice((most, min(most, 60))))  # half of the gaps are near 2^-53


def _in_units(case: Case, exponents: list[int]) -> Case:
    rows = Matrix(case.rows.integers, tuple(a + b for a, b in zip(case.rows.exponents, exponents, strict=True)))
    return scaled(replace(case, rows=rows), Fraction(4) ** exponents[0] if len(set(exponents)) == 1 else None)


def _with_column(case: Case, column: np.ndarray, exponent: int) -> Case:
    return replace(case, rows=Matrix(np.column_stack([case.rows.integers, column]), (*case.rows.exponents, exponent)))


def _with_constant(case: Case, rng: Random) -> Case:
    """Append a constant, which is a bias through the origin: a margin that is the same with one stays the same."""
    known, origin = case.with_bias, case.through_origin
    is_same = origin is not None and origin.margin_squared == known.margin_squared
    changed = _with_column(case, np.full(len(case.y), rng.choice((-1, 1, 7)), dtype=object), 0)
    return replace(changed, through_origin=known if is_same else replace(known, margin_squared=None))


def _with_multiple(case: Case, rng: Random) -> Case:
    """Append a multiple of a column."""
    j, factor = rng.randrange(case.rows.integers.shape[1]), rng.choice((-1, 1, 2, 0))
    changed = _with_column(case, case.rows.integers[:, j] * factor, case.rows.exponents[j])
    return scaled(changed, None if factor else Fraction(1))


def _mixed(case: Case, rng: Random) -> Case:
    """Rotate, or add a multiple of a column to another one, which forgets the margin: in one unit of all columns."""
    least, d = min(case.rows.exponents), case.rows.integers.shape[1]
    shifts = np.array([exponent - least for exponent in case.rows.exponents], dtype=object)
    case = replace(case, rows=Matrix(np.left_shift(case.rows.integers, shifts), (least,) * d))
    if rng.randrange(2):
        return turned(case, rng)
    shear = np.eye(d, dtype=int).astype(object)
    shear[0, d - 1] += rng.choice((-2, 2, 1000)) * (d > 1)
    return scaled(replace(case, rows=Matrix(case.rows.integers @ shear, case.rows.exponents)), None)


def _vector(case: Case, rng: Random, *reaches: int) -> list[int]:
    reach = rng.choice(reaches)
    return [rng.randint(-reach, reach) for _ in range(case.rows.integers.shape[1])]


CHANGES = (
    lambda case, rng: with_rows(case, rng.sample(range(len(case.y)), len(case.y))),
    lambda case, rng: replace(case, y=-case.y),
    lambda case, rng: with_rows(case, [*range(len(case.y)), *rng.choices(range(len(case.y)), k=rng.randint(1, 10))]),
    lambda case, rng: _in_units(case, [rng.randint(-500, 500)] * case.rows.integers.shape[1]),
    lambda case, rng: _in_units(case, _vector(case, rng, 5, 30, 300, 900)),
    lambda case, rng: moved(case, _vector(case, rng, 10, 10**4, 10**8, 10**15)),
    _with_constant, _with_multiple, _mixed, _mixed,
)  # fmt: skip
