"""Any number of cases with known answers: a family, its parameters and changes that keep the verdict, all drawn."""

from dataclasses import replace
from fractions import Fraction
from random import Random

import numpy as np

from maxmargin.data.generators import families
from maxmargin.data.generators.family import DataSetFamily, Value, Word
from maxmargin.data.generators.known_answers import Case, Matrix, NotRepresentableError
from maxmargin.data.generators.shapes import moved, scaled, turned, with_rows

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
