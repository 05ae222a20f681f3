"""Any number of varied cases with known answers: a random family, parameters, and changes that keep the verdict."""

from collections.abc import Callable, Sequence
from random import Random

from maxmargin.data.generators import boolean_functions, classics, planted, shapes, transformations
from maxmargin.data.generators.family import SEED, DataSetFamily, Value, Word, families_of, family
from maxmargin.data.generators.known_answers import Case, NotRepresentableError

# Greatest value of a parameter in a small case; other parameters are sampled from their whole range.
_SMALL: dict[str, int] = {
    "n": 40, "d": 4, "side": 2, "p": 8, "q": 8, "m": 3, "copies": 3, "separated": 12, "flat": 4,
}  # fmt: skip

# The same for a parameter of one family.
_SMALL_IN: dict[tuple[str, str], int] = {
    ("boxes", "d"): 2, ("odd-max-bit", "n"): 5, ("parity", "n"): 5, ("conjunction", "d"): 5, ("conjunction", "k"): 5,
    ("planted", "d"): 8, ("planted-quasi", "d"): 6, ("planted-overlap", "d"): 6, ("two-circles", "n"): 20,
}  # fmt: skip

# Families with parameters are sampled this many times as often as single data sets.
_OFTEN = 3

# Half of the gaps are sampled from 2^-1 to 2^-60 (this number of bits), around the precision of binary64.
_FEW_BITS = 60

_MOST_ROWS = 60
_MOST_CHANGES = 3


# The families that are sampled, the likelier ones several times.
BASE = [
    *(one for one in families_of(classics) if one.name != "three-on-a-line"),
    *(one for one in families_of(boolean_functions, shapes, planted) for _ in range(_OFTEN)),
]


@family(
    "corpus", "case number `seed` of the ground-truth corpus: a family, parameters and changes, all drawn", seed=SEED
)
def _corpus(seed: int) -> Case:
    rng = Random(seed)
    case = _base_case(rng)
    for _ in range(rng.randint(0, _MOST_CHANGES)):
        case = _changed(case, rng)
    return case


def _base_case(rng: Random) -> Case:
    while True:
        chosen = rng.choice(BASE)
        values = {name: _draw(rng, chosen, name) for name in chosen.parameters}
        try:
            return chosen.make(**values)
        except ValueError:  # parameters that do not go together, such as k > d
            continue


def _draw(rng: Random, chosen: DataSetFamily, name: str) -> Value:
    parameter = chosen.parameters[name]
    if isinstance(parameter, Word):
        return rng.choice(parameter.choices)
    most = min(_SMALL_IN.get((chosen.name, name), _SMALL.get(name, parameter.most)), parameter.most)
    return rng.randint(parameter.least, rng.choice((most, min(most, _FEW_BITS))))


def _changed(case: Case, rng: Random) -> Case:
    """Apply a change; where its numbers are beyond binary64, or the rows too many, leave the case as it is."""
    changed = rng.choice(_CHANGES)(case, rng)
    if len(changed.y) > max(_MOST_ROWS, len(case.y)):
        return case
    try:
        changed.rows.floats()
    except NotRepresentableError:
        return case
    return changed


def _vector(case: Case, rng: Random, reaches: Sequence[int]) -> list[int]:
    """Return a random whole number for every column, up to a size that is drawn from these."""
    reach = rng.choice(reaches)
    return [rng.randint(-reach, reach) for _ in range(case.rows.integers.shape[1])]


def _sheared(case: Case, rng: Random) -> Case:
    if case.rows.integers.shape[1] == 1:
        return case
    source, target = rng.sample(range(case.rows.integers.shape[1]), 2)
    return transformations.sheared(case, source, target, rng.choice((-2, -1, 1, 2, 1000)))


# The changes that are sampled, in an order on which the cases of every seed depend.
_CHANGES: Sequence[Callable[[Case, Random], Case]] = (
    lambda case, rng: transformations.with_rows(case, rng.sample(range(len(case.y)), len(case.y))),
    lambda case, rng: transformations.swapped(case),
    lambda case, rng: transformations.with_rows_again(case, rng.choices(range(len(case.y)), k=rng.randint(1, 10))),
    lambda case, rng: transformations.with_units(case, [rng.randint(-500, 500)] * case.rows.integers.shape[1]),
    lambda case, rng: transformations.with_units(case, _vector(case, rng, (5, 30, 300, 900))),
    lambda case, rng: transformations.translated(case, _vector(case, rng, (10, 10**4, 10**8, 10**15))),
    lambda case, rng: transformations.with_constant(case, rng.choice((-1, 1, 7))),
    lambda case, rng: transformations.with_multiple(
        case, rng.randrange(case.rows.integers.shape[1]), rng.choice((-1, 1, 1, 2, 0))
    ),
    _sheared,
    transformations.rotated,
)
