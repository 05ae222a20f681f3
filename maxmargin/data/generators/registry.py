"""All families, and a data set by its name."""

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.generators import boolean_functions as boolean
from maxmargin.data.generators import circles, classics, corpus, lattices, planted, simplices, slabs
from maxmargin.data.generators.case import Truth
from maxmargin.data.generators.family import Family, Value, cut, nearest
from maxmargin.solvers.errors import InvalidOptionError

_FAMILIES: dict[str, Family] = {
    family.name: family
    for module in (classics, boolean, simplices, lattices, circles, slabs, planted, corpus)
    for family in module.FAMILIES
}

FORMULA_PREFIX = "formula:"
"""Of the names of truth tables, which `maxmargin.teaching.named_formulas` makes."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Generated:
    """A data set with the truth about it.

    Attributes
    ----------
    name : str
        What was asked for.
    full_name : str
        The same data set with all its parameters.
    description : str
        The family, in a line.
    X : ndarray (n_samples, n_features) of float64
        Exact: no number was rounded.
    y : ndarray (n_samples,) of int64
        -1 and +1; or 1, 2, ... for more than two classes.
    feature_names : tuple of str
    truth : Truth
    """

    name: str
    full_name: str
    description: str
    X: NDArray[np.float64]
    y: NDArray[np.int64]
    feature_names: tuple[str, ...]
    truth: Truth

    @property
    def sha256(self) -> str:
        """Hash of the shape, the binary64 rows and the labels, as proofs state it.

        Labels are hashed as int8 signs, those of more than two classes as int32 codes from 0.
        """
        digest = hashlib.sha256(f"{self.X.shape[0]} {self.X.shape[1]}\n".encode())
        digest.update((self.X + 0.0).astype("<f8").tobytes())  # -0.0 and 0.0 are the same number
        classes, codes = np.unique(self.y, return_inverse=True)
        digest.update(self.y.astype(np.int8).tobytes() if len(classes) == 2 else codes.astype("<i4").tobytes())
        return digest.hexdigest()


def families() -> tuple[Family, ...]:
    """Return all families.

    Examples
    --------
    >>> [family.usage for family in families()][:3]
    ['two-points', 'agresti', 'agresti-quasi']
    """
    return tuple(_FAMILIES.values())


def is_family(name: str) -> bool:
    """Return whether the name, up to its first colon, is that of a family.

    Examples
    --------
    >>> is_family("gap:40"), is_family("iris")
    (True, False)
    """
    return name.partition(":")[0] in _FAMILIES


def is_formula(name: str) -> bool:
    """Return whether the name holds a formula.

    Examples
    --------
    >>> is_formula("formula:x1 & x2"), is_formula("formula"), is_formula("xor")
    (True, False, False)
    """
    return name.strip().startswith(FORMULA_PREFIX)


def generate(name: str, *, seed: int | None = None) -> Generated:
    """Make a data set with known answers.

    Parameters
    ----------
    name : str
        A family and, after colons, its parameters: in their order, or as ``parameter=value``. The others have their
        defaults: ``"gap"``, ``"gap:40"``, ``"gap:40:3"``, ``"planted-quasi:100:5:seed=3"``.
    seed : int, optional
        The parameter ``seed`` of families that draw.

    Raises
    ------
    InvalidOptionError
        There is no such family or parameter, or a value is out of range.

    Examples
    --------
    >>> data = generate("odd-max-bit:3")
    >>> data.X.shape, data.truth.verdict, data.truth.margin_squared
    ((8, 3), 'separable', Fraction(1, 6))
    """
    head, *texts = name.strip().split(":")
    if head not in _FAMILIES:
        expected = "the name of a family, such as xor or gap:40"
        raise InvalidOptionError(
            f"{cut(name)}: found no family {cut(head)!r}, expected {expected}{nearest(head, _FAMILIES)}"
        )
    family = _FAMILIES[head]
    try:
        values = family.values(texts if seed is None else [*texts, f"seed={seed}"])
        case = family.make(**values)
    except InvalidOptionError as error:
        raise InvalidOptionError(f"{cut(name)}: {error}") from error
    return Generated(
        name=name.strip(),
        full_name=_full_name(family, values),
        description=family.description,
        X=case.rows.floats(),
        y=case.y,
        feature_names=tuple(f"x{j}" for j in range(1, case.rows.shape[1] + 1)),
        truth=case.truth,
    )


def _full_name(family: Family, values: dict[str, Value]) -> str:
    return ":".join([family.name, *(f"{name}={value}" for name, value in values.items())])
