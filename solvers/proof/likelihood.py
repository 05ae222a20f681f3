"""Questions about likelihoods: their data as proofs state them, and their inequalities as rows with signs.

A likelihood has a maximum if, and only if, no direction v has z.v >= 0 for all z and z.v > 0 for one, where the z
follow from the rows and the responses: `checker.py` says how, and numbers them.
"""

import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from itertools import islice
from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.proof.certificate import Certificate
from maxmargin.solvers.proof.checker import DIFFERENCES, comparisons

# Largest number of inequalities times columns that are formed.
MOST_NUMBERS = 20_000_000


@dataclass(frozen=True, kw_only=True, eq=False)
class Likelihood:
    """Rows with their responses, which together pose a question about a likelihood.

    Attributes
    ----------
    question : str
        One of ``checker.RESPONSES``.
    X : ndarray of shape (n_samples, n_features)
    responses : ndarray of shape (n_samples, n_parts)
        The numbers that ``checker.RESPONSES`` names.
    bias : bool
        Whether the model has a constant beside the columns of X.
    ties : str, optional
        The rule for tied events.
    positive : label, optional
        The label that is +1, where the responses are labels.
    read_as : dict
        How the data were read, as a proof states it.
    """

    question: str
    X: Floats
    responses: Floats
    bias: bool = False
    ties: str | None = None
    positive: str | int | float | bool | None = None
    read_as: Mapping[str, Any] | None = None
    reading = "binary64"

    @property
    def n_samples(self) -> int:
        """Number of rows."""
        return len(self.X)

    @property
    def n_features(self) -> int:
        """Number of columns of X."""
        return int(self.X.shape[1])

    def hashed_parts(self) -> Iterator[bytes]:
        """Yield the bytes that are hashed: a line, the rows, and the responses."""
        marks = [self.n_samples, self.n_features, self.question, *([] if self.ties is None else [self.ties])]
        yield f"{' '.join(map(str, marks))}\n".encode()
        for numbers in (self.X, self.responses):
            yield (numbers + 0.0).astype("<f8").tobytes()  # + 0.0 turns -0.0 into 0.0

    @cached_property
    def sha256(self) -> str:
        """The hash of the rows and the responses."""
        return hashlib.sha256(b"".join(self.hashed_parts())).hexdigest()

    @property
    def n_tail(self) -> int:
        """Number of coordinates of an inequality beside the columns: of a constant, or of the thresholds."""
        return int(self.responses.max()) if self.question == "ordinal" else int(self.bias)

    @cached_property
    def places(self) -> Rows:
        """The rows i and k, or row i alone, of every inequality; of shape (n_inequalities, 2 or 1)."""
        return self._comparisons[:, ::2] if self.question in DIFFERENCES else self._comparisons[:, :1]

    @cached_property
    def _comparisons(self) -> Rows:
        most = MOST_NUMBERS // max(1, self.n_features + self.n_tail)
        found = list(islice(comparisons(self.question, self.responses.tolist(), self.ties), most + 1))
        if len(found) > most:
            raise InvalidProblemError(
                f"the likelihood has more than {most:,} inequalities of {self.n_features} columns"
            )
        if not found:
            raise InvalidProblemError("no row says anything about the coefficients: no two can be compared")
        return np.array(found, dtype=np.int64)

    def signed_rows(self) -> tuple[Any, Rows]:
        """Return rows and signs whose products are the inequalities, as `signed` does, with the columns of X last."""
        first, signs, others = self._comparisons.T
        if self.question in DIFFERENCES:
            return signed(differences(self.X, first, others), signs)
        tail = -np.eye(self.n_tail)[others] if self.question == "ordinal" else np.ones((len(first), self.n_tail))
        return signed(np.hstack([tail, self.X[first]]), signs)

    def stated(self, certificate: Certificate) -> Certificate:
        """Return a certificate about the rows and signs as one about these data."""
        t, changes = self.n_tail, dict[str, Any](problem=self)
        if hasattr(certificate, "rows") and len(self.places) == 1:  # one inequality, which stands twice among the rows
            changes |= {"rows": (0,), "weights": (1,)}
        if hasattr(certificate, "w"):
            w, tail = certificate.w[t:], certificate.w[:t]
            changes |= {"w": w, "b": tail[0]} if self.bias else {"w": (*w, *tail)}
        if hasattr(certificate, "null_space"):
            changes["null_space"] = tuple((*vector[t:], *vector[:t]) for vector in certificate.null_space)
        return replace(certificate, **changes)

    def sources(self, strict: Rows) -> Rows:
        """Return the rows of the data in these inequalities, and in the differences that follow from them.

        Without late entry the differences of a Cox model are a chain: sums of those that follow on one another are
        differences too, and strict where one of them is.

        Examples
        --------
        >>> likelihood = Likelihood(
        ...     question="cox", X=np.eye(4), ties="efron", responses=np.array([[t, 1, -np.inf, 0] for t in range(4)])
        ... )
        >>> likelihood.places.tolist(), likelihood.sources(np.array([1])).tolist()
        ([[2, 3], [1, 2], [0, 1]], [0, 1, 2, 3])
        """
        strict = strict[strict < len(self.places)]
        if self.question != "cox" or (self.responses[:, 2] > -np.inf).any():
            return np.unique(self.places[strict])
        # The chain begins with the last time; of two ties the way to the next time comes before the way to the tie.
        before, after = (set(column) for column in self.places[strict].T.tolist())
        before.update(i for i, k in self.places.tolist() if k in before)
        after.update(k for i, k in self.places[::-1].tolist() if i in after)
        return np.array(sorted(before | after), dtype=np.int64)


def signed(rows: Any, signs: Rows) -> tuple[Any, Rows]:
    """Return rows and signs with these products s x in which both signs occur, as problems of two classes need.

    If all have one sign the first row is written as its opposite, and a single row is written both ways.

    Examples
    --------
    >>> rows, signs = signed(np.array([[1.0], [2.0]]), np.array([1, 1]))
    >>> rows.tolist(), signs.tolist()
    ([[-1.0], [2.0]], [-1, 1])
    """
    if len(signs) == 1:
        rows, signs = rows[[0, 0]], np.repeat(signs, 2)
    if (signs == signs[:1]).all():
        rows, signs = rows.copy(), signs.copy()
        rows[0], signs[0] = -rows[0], -signs[0]
    return rows, signs


def differences(X: Floats, first: Rows, second: Rows) -> Any:
    """Return the rows X[first] - X[second], exactly: fractions stand where binary64 does not hold a difference.

    Examples
    --------
    >>> differences(np.array([[3.0, 1.0], [1.0, -(2.0**-53)]]), np.array([0]), np.array([1])).tolist()
    [[2.0, Fraction(9007199254740993, 9007199254740992)]]
    """
    a, b = X[first], X[second]
    with np.errstate(all="ignore"):
        result = a - b
        of_a = result + b
        error = (a - of_a) + ((of_a - result) - b)  # of the difference, itself not rounded (Knuth 1969)
    is_rounded = (error != 0) | ~np.isfinite(error)
    if not is_rounded.any():
        return result
    exact = result.astype(object)
    for place in zip(*np.nonzero(is_rounded), strict=True):
        exact[place] = Fraction(float(a[place])) - Fraction(float(b[place]))
    return exact
