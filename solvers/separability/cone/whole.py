"""All touching rows at once: for data on which one circuit at a time would take many stages."""

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.engines import highs_lp
from maxmargin.solvers.exact.circuits import circuit_near, pivot_columns
from maxmargin.solvers.exact.dyadic import as_integers
from maxmargin.solvers.exact.linear import independent_rows
from maxmargin.solvers.exact.simplex import Circuit
from maxmargin.solvers.problem.candidate import SolverRun
from maxmargin.solvers.separability.cone.cone_rows import ConeRows

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

_TOUCHES = 0.5
"""Value of min(a_i, 1) above which a row is taken to touch; at a solution it is 0 or 1."""

_CANDIDATE_WEIGHT = 1e-11


def balance_of_all(
    cone: ConeRows, rows: Rows, limits: Limits, attempts: list[SolverRun]
) -> tuple[list[int], Circuit] | None:
    """Return positive weights that balance on rows which seem to span all that touch, exactly, or None.

    The rows of positive weight in some balance a >= 0, sum a_i z_i = 0 are those that touch; the most of them are found
    by max sum min(a_i, 1). With a basis B of them, minus the sum of B is a combination c >= 0 of them, and a basic one
    has at most as many rows as B: B + c is the balance (Steinitz).
    """
    scaled = cone.scaled(rows)
    shares = highs_lp.largest_support(scaled, attempts, time_limit=limits.seconds_left)
    if shares is None:
        return None
    touching = np.flatnonzero(shares > _TOUCHES)
    if not touching.size:
        return None
    basis = touching[pivot_columns(scaled[touching].T, ())]
    if not basis.size:
        return None
    weights = highs_lp.combination(
        scaled[touching], -scaled[basis].sum(axis=0), attempts, time_limit=limits.seconds_left
    )
    return None if weights is None else _exact(cone, rows, basis, touching, weights, limits)


def _exact(
    cone: ConeRows, rows: Rows, basis: Rows, touching: Rows, weights: Floats, limits: Limits
) -> tuple[list[int], Circuit] | None:
    """Return the basis rows once each, and the exact combination that balances them."""
    is_used = weights > _CANDIDATE_WEIGHT * weights.max(initial=0.0)
    support, weights = touching[is_used], weights[is_used]
    table, _ = cone.integers(rows[np.concatenate([basis, support])])
    of_basis_rows, others = table[: len(basis)], table[len(basis) :]
    # Last comes the sum of the basis, as a row of its own.
    joined = np.vstack([others, of_basis_rows.sum(axis=0)[None, :]])
    found = circuit_near(joined, table[:0], as_integers(np.append(weights, 1.0))[0].tolist(), limits.asked)
    if found is None or found.positions[-1] != len(support):
        return None
    *circuit_weights, of_basis = found.weights
    balance = dict.fromkeys(basis.tolist(), of_basis)
    for position, weight in zip(support[found.positions[:-1]].tolist(), circuit_weights, strict=True):
        balance[position] = balance.get(position, 0) + weight
    balancing = rows[list(balance)]
    independent = independent_rows(cone.integers(balancing)[0])
    weights_of = list(balance.values())
    circuit = Circuit(positions=list(balance), weights=weights_of, fixed_weights=[], independent=independent)
    return balancing.tolist(), circuit
