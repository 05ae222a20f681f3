"""All families, and a data set by its name: of a family, or the truth table of a formula."""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.generators import classics, shapes
from maxmargin.data.generators.family import DataSetFamily, meant
from maxmargin.data.generators.known_answers import Truth
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.data_error import cut, quoted

_DEFINED = (*vars(classics).values(), *vars(shapes).values())
_FAMILIES = {one.name: one for one in _DEFINED if isinstance(one, DataSetFamily)}

# What comes before a formula in a name.
_FORMULA = "formula:"

# Number of characters of a name that messages show, and of the name of a source that answers show.
_LONGEST_NAME = 60


# The full name and the description of a data set, X and y, and what decides the truth about it, which may take long.
_Made: TypeAlias = tuple[str, str, Floats, NDArray[np.int64], Callable[[], Truth]]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Generated:
    """A data set with the truth about it.

    Attributes
    ----------
    name : str
        The name as it was given.
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
    X: Floats
    y: NDArray[np.int64]
    feature_names: tuple[str, ...]
    truth: Truth

    @property
    def sha256(self) -> str:
        """Hash of the shape, the binary64 rows and the labels, as proofs state it.

        Two classes are hashed as int8 signs, more classes as int32 codes from 0.
        """
        from maxmargin.solvers.problem.problem import ClassProblem, Problem  # not needed for names

        classes, codes = np.unique(self.y, return_inverse=True)
        if len(classes) == 2:
            return Problem(self.X, self.y.astype(np.float64)).sha256
        return ClassProblem(self.X, codes, len(classes)).sha256


def families() -> tuple[DataSetFamily, ...]:
    """Return all families.

    Examples
    --------
    >>> [family.usage for family in families()][:3]
    ['two-points:k=1', 'agresti', 'agresti-quasi']
    """
    return tuple(_FAMILIES.values())


def is_family(name: str) -> bool:
    """Return whether the name, up to its first colon, is the name of a family, or states a formula.

    Examples
    --------
    >>> is_family("gap:40"), is_family("iris")
    (True, False)
    """
    return _is_formula(name) or name.partition(":")[0] in _FAMILIES


def generate(name: str, *, seed: int | None = None) -> Generated:
    """Make a data set whose answers are known.

    Parameters
    ----------
    name : str
        The name of a family and, after colons, its parameters in their order or as ``parameter=value``; parameters that
        are not given have their defaults: ``"gap"``, ``"gap:40"``, ``"gap:40:3"``, ``"planted-quasi:100:5:seed=3"``. Or
        ``formula:`` and a Boolean formula, which makes its truth table over {-1, 1}^n, with ``:bits`` at the end over
        {0, 1}^n.
    seed : int, optional
        The parameter ``seed`` of the families that draw random numbers.

    Returns
    -------
    Generated
        The data with `X`, `y` and `feature_names`, and with their known answers in `truth`.

    Raises
    ------
    InvalidOptionError
        If there is no such family or parameter, a value is out of range, or the formula cannot be read.
    InvalidProblemError
        If the formula is true for all values of its variables, or for none.

    See Also
    --------
    load : Read data, or make them by the same names as a `Dataset`.

    Examples
    --------
    >>> data = generate("odd-max-bit:3")
    >>> data.X.shape, data.truth.verdict, data.truth.margin_squared
    ((8, 3), 'separable', Fraction(1, 6))
    >>> generate("formula:(x1 | x4) & ~x3").truth.margin_squared
    Fraction(1, 6)
    """
    full_name, description, X, y, truth = _made(name, seed)
    return Generated(
        name=name.strip(), full_name=full_name, description=description,
        X=X, y=y, feature_names=_feature_names(X), truth=truth(),
    )  # fmt: skip


def rows_and_labels(name: str) -> tuple[Floats, NDArray[np.int64], tuple[str, ...], str]:
    """Return X, y, the feature names and the name as answers show it; the truth is not decided.

    Raises
    ------
    InvalidOptionError
        As in `generate`.

    Examples
    --------
    >>> X, y, feature_names, shown = rows_and_labels("formula:x1 & x2:bits")
    >>> X.tolist(), y.tolist(), feature_names, shown
    ([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]], [-1, -1, -1, 1], ('x1', 'x2'), 'formula:x1 & x2:bits')
    """
    _, _, X, y, _ = _made(name, None)
    return X, y, _feature_names(X), cut(name, _LONGEST_NAME) if _is_formula(name) else name


def _made(name: str, seed: int | None) -> _Made:
    try:
        return (_of_formula if _is_formula(name) else _of_family)(name.strip(), seed)
    except InvalidOptionError as error:
        raise InvalidOptionError(f"{cut(name, _LONGEST_NAME)}: {error}") from error


def _is_formula(name: str) -> bool:
    return name.strip().startswith(_FORMULA)


def _of_formula(name: str, seed: int | None) -> _Made:
    if seed is not None:
        raise InvalidOptionError(f"found the seed {seed}, expected none, as nothing is drawn")
    teaching = import_module("maxmargin.teaching.formula")  # lies above this package
    return name, "the truth table of a formula", *teaching.truth_table(name.removeprefix(_FORMULA))


def _of_family(name: str, seed: int | None) -> _Made:
    head, *texts = name.split(":")
    if head not in _FAMILIES:
        expected = "the name of a family, such as xor or gap:40"
        raise InvalidOptionError(f"found no family {quoted(head)}, expected {expected}{meant(head, _FAMILIES)}")
    family = _FAMILIES[head]
    values = family.values(texts if seed is None else [*texts, f"seed={seed}"])
    case = family.make(**values)
    return family.full_name(values), family.description, case.rows.floats(), case.y, lambda: case.truth


def _feature_names(X: Floats) -> tuple[str, ...]:
    return tuple(f"x{j}" for j in range(1, X.shape[1] + 1))
