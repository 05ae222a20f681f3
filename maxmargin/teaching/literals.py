"""Conjunctions and disjunctions of literals: their separator, the bound it gives, and rows to learn them from."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Mask
from maxmargin.solvers.basics.option_values import check_choice
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.teaching.cube import Encoding
from maxmargin.teaching.formula import Formula

Signs = NDArray[np.int64]

# Largest number of literals of `balanced_rows`, which samples their truth values as one 64-bit integer.
_MOST_DRAWN_LITERALS = 62


class Connective(StrEnum):
    """The operator that joins the literals."""

    CONJUNCTION = "conjunction"
    DISJUNCTION = "disjunction"


@dataclass(frozen=True, slots=True, kw_only=True)
class LiteralConcept:
    """All of some literals (a conjunction), or at least one of them (a disjunction), over d variables.

    Let s_i = +-1 be the signs of the k literals. Over {-1,1}^d, sum s_i x_i is the number of true literals minus the
    number of false ones. It is k if all are true and at most k - 2 otherwise, so ``w = s, b = -(k - 1)`` separates a
    conjunction with functional margin 1. It is -k if all are false and at least -k + 2 otherwise, so with ``b = k - 1``
    the same w separates a disjunction with functional margin 1.

    Attributes
    ----------
    connective : Connective
    n_variables : int
        d.
    literals : tuple of int
        ``i`` is x_i, ``-i`` its negation, from 1; no variable twice.

    Raises
    ------
    InvalidOptionError
        If there is no literal, or they are not as above.

    Examples
    --------
    >>> concept = conjunction(4, (1, -3))
    >>> concept.weights.tolist(), concept.bias, concept.mistake_bound
    ([1, 0, -1, 0], -1, 15)
    """

    connective: Connective
    n_variables: int
    literals: tuple[int, ...]

    def __post_init__(self) -> None:
        variables = {abs(literal) for literal in self.literals}
        known = range(1, self.n_variables + 1)
        if not variables or len(variables) < len(self.literals) or not all(i in known for i in variables):
            expected = f"different variables 1 to {self.n_variables}, negative where negated, at least one"
            raise InvalidOptionError(f"found the literals {self.literals}, expected {expected}")

    @property
    def weights(self) -> Signs:
        """The normal w of a separating hyperplane: the signs of the literals, 0 in other columns."""
        w = np.zeros(self.n_variables, dtype=np.int64)
        w[self._columns] = self._signs
        return w

    @property
    def bias(self) -> int:
        """The offset b of the hyperplane."""
        threshold = len(self.literals) - 1
        return -threshold if self.connective is Connective.CONJUNCTION else threshold

    @property
    def mistake_bound(self) -> int:
        """`conjunction_bound`, which also holds for disjunctions, the negations of conjunctions."""
        return conjunction_bound(self.n_variables, len(self.literals))

    @property
    def formula(self) -> Formula:
        """The concept as a formula."""
        symbol = " & " if self.connective is Connective.CONJUNCTION else " | "
        text = symbol.join(f"x{i}" if i > 0 else f"~x{-i}" for i in self.literals)
        return Formula.parse(text, n_variables=self.n_variables)

    def __call__(self, X: Any, *, encoding: Encoding = "signs") -> Signs:
        """Return the labels -1 and +1 of rows; see `Formula`."""
        return self.formula(X, encoding=encoding)

    @property
    def _columns(self) -> list[int]:
        return [abs(literal) - 1 for literal in self.literals]

    @property
    def _signs(self) -> Signs:
        return np.array([1 if literal > 0 else -1 for literal in self.literals], dtype=np.int64)


def conjunction(n_variables: int, literals: tuple[int, ...]) -> LiteralConcept:
    """Return the conjunction of some literals.

    Parameters
    ----------
    n_variables : int
        The number d of variables.
    literals : tuple of int
        The literals by the numbers of their variables, from 1; a negative number is a negation.

    Returns
    -------
    LiteralConcept
        The concept, which labels rows of -1 and +1.

    Raises
    ------
    InvalidOptionError
        If a literal has no variable, or a variable occurs twice.

    See Also
    --------
    disjunction : Make the disjunction instead.

    Examples
    --------
    >>> conjunction(3, (1, -2))([[1, -1, 1], [1, 1, 1]]).tolist()
    [1, -1]
    """
    return LiteralConcept(connective=Connective.CONJUNCTION, n_variables=n_variables, literals=tuple(literals))


def disjunction(n_variables: int, literals: tuple[int, ...]) -> LiteralConcept:
    """Return the disjunction of some literals.

    Parameters
    ----------
    n_variables : int
        The number d of variables.
    literals : tuple of int
        The literals by the numbers of their variables, from 1; a negative number is a negation.

    Returns
    -------
    LiteralConcept
        The concept, which labels rows of -1 and +1.

    Raises
    ------
    InvalidOptionError
        If a literal has no variable, or a variable occurs twice.

    See Also
    --------
    conjunction : Make the conjunction instead.

    Examples
    --------
    >>> disjunction(3, (1, -2))([[-1, -1, 1], [-1, 1, 1]]).tolist()
    [1, -1]
    """
    return LiteralConcept(connective=Connective.DISJUNCTION, n_variables=n_variables, literals=tuple(literals))


def random_concept(d: int, k: int, connective: str, rng: np.random.Generator) -> LiteralConcept:
    """Return a concept of k of d variables; the variables and their signs are random.

    Parameters
    ----------
    d : int
        The number of variables.
    k : int
        The number of literals.
    connective : {"conjunction", "disjunction"}
        How the literals are connected.
    rng : numpy.random.Generator
        The source of random numbers.

    Returns
    -------
    LiteralConcept
        The concept.

    Raises
    ------
    InvalidOptionError
        Unless 1 <= k <= d, or if the connective is unknown.

    See Also
    --------
    balanced_rows : Sample rows for a concept.

    Examples
    --------
    >>> concept = random_concept(9, 2, "disjunction", np.random.default_rng(0))
    >>> len(concept.literals), concept.n_variables
    (2, 9)
    """
    check_choice("connective", connective, Connective)
    _check_sizes(d, k)
    variables = 1 + rng.permutation(d)[:k]
    literals = (rng.choice(np.array([-1, 1]), k) * variables).tolist()
    return LiteralConcept(connective=Connective(connective), n_variables=d, literals=tuple(literals))


def conjunction_bound(d: int, k: int) -> int:
    """Return (d + 1)(k^2 - k + 1), a bound on the perceptron's mistakes on a k-literal conjunction over {-1,1}^d.

    It holds for every sequence of rows, from w = 0 and b = 0, with the constant coordinate 1 and every rule for a score
    of 0. It follows from Novikoff's proof (1962): in the space of ``z = (x, 1)``, ||z||^2 = d + 1 for every row, and
    ``u = (w, b)`` of `LiteralConcept` has y u.z >= 1 and ||u||^2 = k + (k - 1)^2 = k^2 - k + 1. After M mistakes
    M <= u.v <= ||u|| ||v||, where v is the sum of the y z that were added, and ||v||^2 <= M (d + 1).

    The bound is attained for one literal, if a score of 0 is a mistake and there is a Hadamard matrix of order d + 1
    (d = 1, 3, 7, 11, ...): its rows, taken as y z, are orthogonal, so each of them is a mistake in any order.

    Parameters
    ----------
    d : int
        The number of variables.
    k : int
        The number of literals.

    Returns
    -------
    int
        The bound.

    Raises
    ------
    InvalidOptionError
        Unless 1 <= k <= d.

    See Also
    --------
    winnow_bound : Bound the mistakes of Winnow.

    References
    ----------
    .. [1] A. B. J. Novikoff, "On convergence proofs on perceptrons", Symposium on the Mathematical Theory of Automata
       12 (1962), 615-622.

    Examples
    --------
    >>> conjunction_bound(10, 3)
    77
    """
    _check_sizes(d, k)
    return (d + 1) * (k * k - k + 1)


def balanced_rows(concept: LiteralConcept, n_rows: int, rng: np.random.Generator) -> tuple[Signs, Signs]:
    """Return random rows of {-1,1}^d and their labels, n_rows // 2 of which are +1.

    The rows of each label are independent and uniform on the rows of the cube with that label.

    Parameters
    ----------
    concept : LiteralConcept
        A conjunction or disjunction of literals.
    n_rows : int
        The number of rows, at least 2.
    rng : numpy.random.Generator
        The source of random numbers.

    Returns
    -------
    X : ndarray of int, of shape (n_rows, d)
        The rows, of -1 and +1.
    y : ndarray of int, of shape (n_rows,)
        Their labels.

    Raises
    ------
    InvalidOptionError
        For fewer than two rows, or more than 62 literals.

    See Also
    --------
    random_concept : Choose a concept at random.

    Examples
    --------
    >>> X, y = balanced_rows(conjunction(3, (1, 2)), 10, np.random.default_rng(0))
    >>> int((y == 1).sum()), (conjunction(3, (1, 2))(X) == y).all().item()
    (5, True)
    """
    k = len(concept.literals)
    if n_rows < 2 or k > _MOST_DRAWN_LITERALS:
        expected = f"at least 2 rows and at most {_MOST_DRAWN_LITERALS} literals"
        raise InvalidOptionError(f"found {n_rows} rows and {k} literals, expected {expected}")
    y = np.where(rng.permutation(n_rows) % 2 == 1, 1, -1)
    rare = 1 if concept.connective is Connective.CONJUNCTION else -1
    X = rng.choice(np.array([-1, 1]), (n_rows, concept.n_variables))
    X[:, concept._columns] = rare * concept._signs * _agreement(k, y == rare, rng)
    return X, y


def _check_sizes(d: int, k: int) -> None:
    if not 1 <= k <= d:
        raise InvalidOptionError(f"found k = {k} literals of d = {d} variables, expected 1 <= k <= d")


def _agreement(k: int, is_rare: Mask, rng: np.random.Generator) -> Signs:
    """Return rows of k signs: all +1 where `is_rare`, otherwise uniform on the 2^k - 1 other rows."""
    all_on = (1 << k) - 1
    patterns = np.where(is_rare, all_on, rng.integers(0, all_on, len(is_rare)))
    return 2 * (patterns[:, None] >> np.arange(k) & 1) - 1
