"""Random small data of every family, their inequalities by definition, and the verdict by another way."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from scipy.optimize import linprog

import maxmargin as mm
from maxmargin.solvers.proof.checker import TIES

FAMILIES = ("binomial", "poisson", "ordinal", "conditional", "cox")


@dataclass(frozen=True)
class FamilyCase:
    """Data with the options of `separability`, and the rows with a weight as exact numbers with their responses."""

    X: Any
    y: Any
    options: dict[str, Any]
    kept: list[int]
    responses: list[tuple[float, ...]]

    @property
    def rows(self) -> list[list[float]]:
        return [list(map(float, self.X[i])) for i in self.kept]

    def inequalities(self) -> list[tuple[list[Fraction], tuple[int, ...]]]:
        """All z by the definition of the likelihood, with the rows that they are of, none left out."""
        X = [list(map(Fraction, row)) for row in self.rows]
        n, family = len(X), self.options["family"]
        if family in ("conditional", "cox"):
            pairs = [(i, k) for i, k in product(range(n), repeat=2) if i != k and self._is_compared(i, k)]
            return [([a - b for a, b in zip(X[i], X[k], strict=True)], (i, k)) for i, k in pairs]
        last = max(y for y, *_ in self.responses)
        found: list[tuple[list[Fraction], tuple[int, ...]]] = []
        for i, (y, *more) in enumerate(self.responses):
            most = {"binomial": more[0] if more else 0, "poisson": np.inf, "ordinal": last}[family]
            for sign, is_one in ((1, y > 0), (-1, y < most)):
                at = y - (sign > 0)
                tail = [-Fraction(int(t == at)) for t in range(int(last))] if family == "ordinal" else []
                tail = [Fraction(1)] if self.options.get("bias") else tail
                found += [([sign * x for x in (*X[i], *tail)], (i,))] * is_one
        return found

    def _is_compared(self, i: int, k: int) -> bool:
        (y, *own), (other, *its) = self.responses[i], self.responses[k]
        if own[-1] != its[-1]:
            return False
        if self.options["family"] == "conditional":
            return y > other
        is_tied = bool(its[0]) and other == y
        return bool(own[0]) and its[1] < y <= other and not (is_tied and self.options["ties"] == TIES[2])


def strict_by_program(vectors: list[list[Fraction]]) -> Any:
    """Which of the z.v >= 0 can be strict, all at once, by a linear program."""
    A = np.array(vectors, dtype=float)
    n, m = A.shape
    bounds = [(None, None)] * m + [(0.0, 1.0)] * n
    cost = np.r_[np.zeros(m), -np.ones(n)]
    return linprog(cost, A_ub=np.hstack([-A, np.eye(n)]), b_ub=np.zeros(n), bounds=bounds).x[m:] > 0.5


def random_case(family: str, seed: int) -> FamilyCase | None:
    """Return small data, with ties, weights of 0, one-sided strata and tenths; None where nothing is asked."""
    random = np.random.default_rng(seed)
    n, d = int(random.integers(2, 12)), int(random.integers(1, 4))
    X = random.integers(-2, 3, (n, d)).astype(float)
    X = [X, X * 0.1, np.column_stack([X[:, 0] > 0, X[:, 1:]]).astype(float)][int(random.integers(3))]
    weights = np.where(random.random(n) < 0.15, 0.0, random.integers(1, 4, n)) if random.random() < 0.5 else np.ones(n)
    kept = np.flatnonzero(weights).tolist()
    options: dict[str, Any] = {"family": family, "weights": weights}
    parts: list[Any]
    if family in ("binomial", "poisson"):
        options["bias"] = bool(random.random() < 0.6)
    if family == "poisson":
        y = random.integers(0, 3, n) * (random.random(n) < 0.6)
        parts = [y]
    elif family == "binomial":
        options["trials"] = trials = random.integers(1, 4, n)
        y = np.minimum(random.integers(0, 4, n), trials) * (random.random(n) < 0.6)
        parts = [y, trials]
    elif family == "ordinal":
        y = random.integers(0, 3, n)
        codes = np.zeros(n)
        codes[kept] = np.unique(y[kept], return_inverse=True)[1]
        parts = [codes]
    elif family == "conditional":
        y, options["strata"] = random.integers(0, 2, n), random.integers(0, 3, n)
        parts = [2 * y - 1, options["strata"]]
    else:
        y, status, strata = random.integers(1, 6, n), random.integers(0, 2, n), random.integers(0, 2, n)
        entry = y - random.integers(1, 4, n) if random.random() < 0.3 else np.full(n, -np.inf)
        options |= {"status": status, "ties": TIES[random.integers(3)], "strata": strata, "entry": entry}
        parts = [y, status, entry, strata]
    responses = [tuple(map(float, response)) for response in np.column_stack(parts)[kept]]
    if not kept or (family in ("ordinal", "conditional") and len({response[0] for response in responses}) < 2):
        return None
    return FamilyCase(X, y, options, kept, responses)


def answer_of(case: FamilyCase) -> Any:
    return mm.separability(case.X, case.y, **case.options)
