"""Check of an older proof for these rows: a balance and a direction, verified exactly without any search."""

from collections.abc import Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.exact.circuits import null_space
from maxmargin.solvers.exact.dyadic import without_denominators
from maxmargin.solvers.exact.linear import independent_rows
from maxmargin.solvers.separability.cone.cone_rows import ConeRows, annihilated, parts
from maxmargin.solvers.separability.cone.decide import Decision, balances, circuit_of, sorted_by_floats

Rows = NDArray[np.int64]


def recheck(cone: ConeRows, direction: Sequence[Fraction] | None, balance: dict[int, int]) -> Decision | None:
    """Return the decision by a direction and a balance, or None if they do not decide these rows.

    Parameters
    ----------
    cone : ConeRows
    direction : sequence of Fraction, optional
        Must be positive on all rows but the touching ones; without it every row must touch.
    balance : dict of row to weight
        Positive weights, which must balance on rows that span all touching rows. Empty if no row touches.
    """
    n_rows = cone.n_rows
    zero = np.arange(n_rows) if direction is None else _zero_rows(cone, list(direction))
    if zero is None or (zero.size > 0) != bool(balance):
        return None
    if not balance:
        assert direction is not None  # with neither, every row would have to touch
        return Decision.separable(tuple(direction), cone)
    rows = np.array(sorted(balance), dtype=np.int64)
    touching = np.zeros(n_rows, dtype=np.bool_)
    touching[zero] = True
    table, exponents = cone.integers(rows)
    if not touching[rows].all() or not balances(cone, balance):
        return None
    vectors = null_space(table, exponents)
    if not all(annihilated(cone, part, vectors).all() for part in parts(zero, cone.settings.exact_rows)):
        return None
    return Decision(
        direction=tuple(direction) if direction is not None else (Fraction(0),) * cone.width,
        touching=touching,
        balance=balance,
        null_space=tuple(map(tuple, vectors)),
        basis=tuple(rows[independent_rows(table)].tolist()),
        circuits=(),
        witness=circuit_of(cone, balance),
        active=np.flatnonzero(~touching)[: cone.settings.all_active_rows],
    )


def _zero_rows(cone: ConeRows, direction: list[Fraction]) -> Rows | None:
    """Return the rows on which the direction is 0; None if it is negative on one."""
    negative, unclear, _ = sorted_by_floats(cone, direction)
    if negative.size:
        return None
    vector = np.array([without_denominators(direction)], dtype=object).T
    zero = [np.empty(0, dtype=np.int64)]
    for part in parts(unclear, cone.settings.exact_rows):
        values = cone.exact_products(part, vector).ravel()
        if (values < 0).any():
            return None
        zero.append(part[(values == 0).astype(np.bool_)])
    return np.concatenate(zero)
