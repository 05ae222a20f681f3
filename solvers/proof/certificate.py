"""Proofs as found, each exact on the data as stored; as plain data they are the input of `checker.py`.

The proofs about more than two classes are about scores w_k.x + b_k, one a class. The first class is the reference, with
score 0.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from fractions import Fraction
from typing import Any, ClassVar

from maxmargin.solvers.exact.dyadic import quotient_text, texts, without_denominators
from maxmargin.solvers.problem.problem import Samples

FORMAT = "maxmargin-proof"
VERSION = 1

# A row and a class that is not its own: the score of the row's own class must not be below the score of this class.
Pair = tuple[int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Certificate:
    """A statement about the data of a problem, with the numbers that prove it.

    Attributes
    ----------
    problem : Problem, ClassProblem or Likelihood
        The data; they are not part of the proof, which only holds their hash.
    """

    claim: ClassVar[str]
    problem: Samples = field(repr=False, compare=False)

    @property
    def question(self) -> str:
        """The question that the proof is about, as ``"two-class"``."""
        return self.problem.question

    def to_dict(self) -> dict[str, Any]:
        """Return the proof as plain data, the form that is written and checked."""
        data: dict[str, Any] = {
            "sha256": self.problem.sha256,
            "n_samples": self.problem.n_samples,
            "n_features": self.problem.n_features,
            "bias": self.problem.bias,
            "reading": self.problem.reading,
            **(self.problem.read_as or {}),
        }
        if self.problem.positive is not None:
            data["positive"] = self.problem.positive
        head = {"format": FORMAT, "version": VERSION, "claim": self.claim, "question": self.question, "data": data}
        return {**head, **self._numbers()}

    def to_json(self) -> str:
        """Return the proof as JSON text."""
        return json.dumps(self.to_dict(), indent=1) + "\n"

    def _numbers(self) -> dict[str, Any]:
        """Return the exact numbers of the fields, integers as texts; of (w, b) the direction."""
        values = {entry.name: getattr(self, entry.name) for entry in fields(self)}
        if "w" in values:
            values["direction"] = (*values["w"], values["b"]) if self.problem.bias else values["w"]
        return {key: written(values[name]) for name, (key, written) in _WRITTEN.items() if name in values}


@dataclass(frozen=True, slots=True, kw_only=True)
class SeparatingHyperplane(Certificate):
    """A hyperplane with y(w.x + b) > 0 for every row: the classes are separable.

    Attributes
    ----------
    w : sequence of Fraction
    b : Fraction
        0 through the origin.
    least_functional_margin : Fraction
        min y(w.x + b) > 0, exactly.
    """

    claim: ClassVar[str] = "separable"
    w: Sequence[Fraction]
    b: Fraction
    least_functional_margin: Fraction


@dataclass(frozen=True, slots=True, kw_only=True)
class CommonHullPoint(Certificate):
    """Weights a >= 0, not all 0, with sum a_i y_i (x_i, 1) = 0: no hyperplane separates strictly.

    Divided by their sum in each class the weights write one point as a convex combination of either class. Through
    the origin the condition is sum a_i y_i x_i = 0: the origin lies in the hull of the y_i x_i.

    Attributes
    ----------
    rows : tuple of int
        The rows of positive weight, at most d + 2 (through the origin d + 1).
    weights : tuple of int
        Their weights, as integers without a common factor.
    """

    claim: ClassVar[str] = "not-strictly-separable"
    rows: tuple[int, ...]
    weights: tuple[int, ...]

    @classmethod
    def by(cls, problem: Samples, weight_of: Mapping[int, int]) -> "CommonHullPoint":
        """Return the point with these weights of the rows."""
        rows, weights = in_order(weight_of)
        return cls(problem=problem, rows=rows, weights=weights)

    def fractions(self) -> tuple[Fraction, ...]:
        """Return the weights divided by their sum."""
        total = sum(self.weights)
        return tuple(Fraction(weight, total) for weight in self.weights)


@dataclass(frozen=True, slots=True, kw_only=True)
class Overlap(Certificate):
    """Positive weights that balance on rows which span all others: every y(w.x + b) >= 0 forces 0 on every row.

    Attributes
    ----------
    rows : tuple of int
        At most 2r for rows y(x, 1) of rank r.
    weights : tuple of int
        Positive, sum a_i y_i (x_i, 1) = 0.
    null_space : tuple of vectors of int
        A basis of the (w, b) that are 0 on these rows, so on all; empty at full column rank.
    """

    claim: ClassVar[str] = "overlap"
    rows: tuple[int, ...]
    weights: tuple[int, ...]
    null_space: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QuasiSeparation(Certificate):
    """A hyperplane that no row is on the wrong side of, and the proof that the rows on it always are on it.

    Attributes
    ----------
    w : tuple of Fraction
    b : Fraction
        y(w.x + b) is exactly 0 on the touching rows and positive on the others.
    rows, weights, null_space
        The overlap proof of the touching rows.
    """

    claim: ClassVar[str] = "quasi-separable"
    w: tuple[Fraction, ...]
    b: Fraction
    rows: tuple[int, ...]
    weights: tuple[int, ...]
    null_space: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassSeparation(Certificate):
    """Scores that put every row's own class strictly first.

    Attributes
    ----------
    direction : tuple of Fraction
        (w_k, b_k) of the classes 1, 2, ..., one after the other.
    """

    claim: ClassVar[str] = "separable"
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
    pairs: tuple[Pair, ...]
    weights: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassOverlap(ClassWitness):
    """Positive weights that balance on inequalities which span all others: scores can satisfy them with equality only.

    Attributes
    ----------
    pairs, weights
        As in `ClassWitness`.
    null_space : tuple of vectors of int
        A basis of the directions that satisfy these inequalities with equality.
    """

    claim: ClassVar[str] = "overlap"
    null_space: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassQuasiSeparation(ClassOverlap):
    """Scores that put no class before a row's own, and the proof that the ties cannot be broken.

    Attributes
    ----------
    direction
        As in `ClassSeparation`; ties on the touching inequalities, strict on the others.
    pairs, weights, null_space
        The overlap proof of the touching inequalities.
    """

    claim: ClassVar[str] = "quasi-separable"
    direction: tuple[Fraction, ...]


def in_order(weight_of: Mapping[int, int]) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the rows of positive weight in increasing order, and their weights."""
    rows = sorted(weight_of)
    return tuple(rows), tuple(weight_of[row] for row in rows)


# The key of a field in the document, and the form in which it is written; a direction up to a positive factor.
_WRITTEN: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "direction": ("direction", lambda numbers: texts(without_denominators(numbers))),
    "rows": ("rows", list),
    "pairs": ("rows", lambda pairs: [list(pair) for pair in pairs]),
    "weights": ("weights", texts),
    "null_space": ("null_space", lambda basis: [texts(vector) for vector in basis]),
    "margin_squared": ("margin_squared", quotient_text),
}
