"""Proofs about more than two classes: scores w_k.x + b_k, one a class, the first class as reference with score 0."""

from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

from maxmargin.solvers.proof.certificate import Certificate

Pair = tuple[int, int]
"""A row, and a class that is not its own: the row's own score shall not be less than that of the class."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassSeparation(Certificate):
    """Scores that put every row's own class strictly first.

    Attributes
    ----------
    direction : tuple of Fraction
        (w_k, b_k) of the classes 1, 2, ..., one after the other.
    """

    claim: ClassVar[str] = "separable"
    question: ClassVar[str] = "multinomial"
    direction: tuple[Fraction, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassWitness(Certificate):
    """Weights of inequalities that balance: no scores satisfy all of them strictly.

    Attributes
    ----------
    pairs : tuple of Pair
    weights : tuple of int
        Positive, with sum a (x_i, 1) (x) (e_c - e_k) = 0 over the pairs (i, k), c the class of row i.
    """

    claim: ClassVar[str] = "not-strictly-separable"
    question: ClassVar[str] = "multinomial"
    pairs: tuple[Pair, ...]
    weights: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassOverlap(Certificate):
    """Positive weights that balance on inequalities which span all others: scores can satisfy them with equality only.

    Attributes
    ----------
    pairs, weights
        As in `ClassWitness`.
    null_space : tuple of vectors of int
        A basis of the directions that satisfy these inequalities with equality.
    """

    claim: ClassVar[str] = "overlap"
    question: ClassVar[str] = "multinomial"
    pairs: tuple[Pair, ...]
    weights: tuple[int, ...]
    null_space: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassQuasiSeparation(Certificate):
    """Scores that put no class before a row's own, and the proof that the ties cannot be broken.

    Attributes
    ----------
    direction
        As in `ClassSeparation`; ties on the touching inequalities, strict on the others.
    pairs, weights, null_space
        The overlap proof of the touching inequalities.
    """

    claim: ClassVar[str] = "quasi-separable"
    question: ClassVar[str] = "multinomial"
    direction: tuple[Fraction, ...]
    pairs: tuple[Pair, ...]
    weights: tuple[int, ...]
    null_space: tuple[tuple[int, ...], ...]
