"""The fewest rows that hit every circuit: branch and bound over a covering program whose rows are found on the way.

A set of rows can all be strictly on their side unless it contains a circuit (Gordan), so the fewest errors are the
lightest cover of all circuits (Amaldi, Pfetsch and Trotter 2003). Circuits join when a solution misses them, as the
combinatorial cuts of Codato and Fischetti (2006). Every circuit is exact, and every node's bound is a packing of
circuits in integers: floating point only chooses.
"""

import heapq
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.exact.circuits import circuit_near
from maxmargin.solvers.exact.dyadic import as_integers
from maxmargin.solvers.fewest_errors.cover_program import CircuitProgram, CoverProgram
from maxmargin.solvers.fewest_errors.fewest_incumbent import Incumbent, split
from maxmargin.solvers.separability.cone.decide import balances

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
Mask = NDArray[np.bool_]

NAME = "circuit cover"

_CANDIDATE_WEIGHT = 1e-12
"""Relative weight below which a row is left out of a candidate circuit."""

_SPARE_ROWS = 8
"""Largest number of rows by which a candidate circuit may exceed the size of a vertex."""

_VIOLATED = 1e-6
"""Amount below 1 of the cover of a circuit at which it joins, and distance from an integer at which a share is not
integral."""

_ROOT_PATIENCE, _NODE_PATIENCE = 20, 1
"""Rounds of circuits in a row that do not raise the bound of a node, after which it is split."""


@dataclass(frozen=True, slots=True, order=True)
class _Node:
    """Rows that are dropped and rows that are kept; the others are open. The least bound comes first, then the deepest.

    Attributes
    ----------
    bound : int
        Proven: no cover of the node is lighter.
    height : int
        Minus the number of rows decided.
    number : int
    dropped, kept : tuple of int
    """

    bound: int
    height: int
    number: int
    dropped: tuple[int, ...] = field(compare=False)
    kept: tuple[int, ...] = field(compare=False)


class CoverSearch:
    """The search; `run` may be cut short anywhere, and what it has is proven.

    Attributes
    ----------
    lower : int
        Proven lower bound of the errors.
    circuits : list of dict of row to weight
        In the order of the witnesses of the covering program; not one is separable.
    packing : ndarray (n,) of int
        Shares, in units, of the first n circuits, as at the root.
    n_nodes : int
        Nodes looked at.
    nodes : heap of _Node
        Those still to be looked at: a cover lighter than the best is in one of them.
    """

    def __init__(self, best: Incumbent, limits: Limits) -> None:
        self.best = best
        self.limits = limits
        self.lower = 0
        self.n_nodes = 0
        self.nodes = [_Node(0, 0, 0, (), ())]
        self.circuits: list[dict[int, int]] = []
        self.packing: Rows = np.empty(0, dtype=np.int64)
        self.cover = CoverProgram(best.kinds.counts)
        self.program = CircuitProgram(best.scaled)

    def run(self, most_nodes: int | None = None) -> None:
        """Go on until lower and upper meet, the time is over, or so many nodes are looked at in all."""
        while self.nodes and self.nodes[0].bound < self.best.upper:
            self.lower = max(self.lower, self.nodes[0].bound)
            if self.n_nodes == most_nodes or self.limits.is_over():
                return
            children = self._expanded(self.nodes[0])
            if self.limits.is_over():  # what was left undone on the way is not known
                return
            heapq.heappop(self.nodes)
            for child in children:
                heapq.heappush(self.nodes, child)
        self.lower = self.best.upper

    def _expanded(self, node: _Node) -> list[_Node]:
        """Return the parts of a node in which there may be a lighter cover than the best."""
        self.n_nodes += 1
        dropped, kept = self._mask(node.dropped), self._mask(node.kept)
        bound, rounds, patience = node.bound, 0, _NODE_PATIENCE if node.height else _ROOT_PATIENCE
        while True:
            if self.cover.has_kept_witness(kept):
                return []
            shares, raised = self._relaxed(dropped, kept, bound)
            rounds, bound = 0 if raised > bound else rounds + 1, raised
            if bound >= self.best.upper:
                return []
            missed = self._missed(shares) if rounds <= patience else []
            if not missed and rounds <= 2 * patience and _is_whole(shares):
                missed = self._missed_exactly(shares < 0.5)
            if not missed or self.limits.is_over():
                return self._parts(node, bound, shares)
            for circuit in missed:
                self.circuits.append(circuit)
                self.cover.add(np.array(sorted(circuit), dtype=np.int64))

    def _mask(self, rows: tuple[int, ...]) -> Mask:
        mask = np.zeros(len(self.best.kinds.counts), dtype=np.bool_)
        mask[list(rows)] = True
        return mask

    def _relaxed(self, dropped: Mask, kept: Mask, bound: int) -> tuple[Floats, int]:
        """Return the shares of the relaxation, and the greater of the bound so far and what its multipliers prove."""
        answer = self.cover.relaxed(dropped, kept)
        if answer is None:
            return dropped.astype(np.float64), bound
        shares, multipliers = answer
        raised = self.cover.bound(multipliers, dropped, kept)
        if not (dropped.any() or kept.any()) and raised >= self.lower:
            self.lower, self.packing = raised, self.cover.packing(multipliers, dropped, kept)
        return np.where(dropped, 1.0, np.where(kept, 0.0, np.clip(shares, 0.0, 1.0))), max(bound, raised)

    def _missed(self, shares: Floats) -> list[dict[int, int]]:
        """Return disjoint circuits that floating point finds, covered less than once."""
        costs = shares.copy()
        missed: list[dict[int, int]] = []
        while not self.limits.is_over() and (answer := self.program.cheapest(costs)) is not None:
            weights, direction = answer
            if not missed:
                self.best.offer_floats(direction, NAME)
            circuit = self._circuit(weights)
            if circuit is None or shares[list(circuit)].sum() > 1 - _VIOLATED or not costs[list(circuit)].sum() < 1:
                break
            missed.append(circuit)
            costs[list(circuit)] += 1.0
        return missed

    def _circuit(self, weights: Floats) -> dict[int, int] | None:
        """Return the exact circuit near the weights of a vertex."""
        rows = np.flatnonzero(weights > _CANDIDATE_WEIGHT * weights.max())
        rows = rows[np.argsort(-weights[rows], kind="stable")]
        if not rows.size or len(rows) > self.best.cone.width + 1 + _SPARE_ROWS:
            return None
        table, _ = self.best.cone.integers(rows)
        found = circuit_near(table, table[:0], as_integers(weights[rows])[0].tolist())
        if found is None:
            return None
        circuit = {int(rows[position]): weight for position, weight in zip(found.positions, found.weights, strict=True)}
        return circuit if balances(self.best.cone, circuit) else None

    def _missed_exactly(self, is_kept: Mask) -> list[dict[int, int]]:
        """Return a circuit of these rows; where there is none, offer the direction that has all of them on their side.

        Nothing, too, once the time is over.
        """
        kept = np.flatnonzero(is_kept)
        answer = split(self.best.cone, kept, self.limits) if kept.size else None
        if isinstance(answer, dict):
            return [answer]
        if answer is not None:
            self.best.offer(answer, NAME)
        return []

    def _parts(self, node: _Node, bound: int, shares: Floats) -> list[_Node]:
        """Split at an open row: its share far from whole, many circuits through it.

        Where none is open, all shares are whole, and the exact check has decided whether the rows dropped are a cover.
        """
        is_open = np.flatnonzero(~(self._mask(node.dropped) | self._mask(node.kept)))
        if bound >= self.best.upper or not is_open.size:
            return []
        doubt = np.minimum(shares, 1 - shares)[is_open]
        n_through = self.cover.n_through[is_open]
        weight = doubt * np.sqrt(n_through) if doubt.max() > _VIOLATED else n_through
        row = int(is_open[weight.argmax()])
        number, height = 2 * self.n_nodes, node.height - 1
        return [
            _Node(bound, height, number, (*node.dropped, row), node.kept),
            _Node(bound, height, number + 1, node.dropped, (*node.kept, row)),
        ]


def _is_whole(shares: Floats) -> bool:
    return bool((np.abs(shares - np.round(shares)) < _VIOLATED).all())
