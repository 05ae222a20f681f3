"""The fewest rows that hit every circuit: branch and bound over a covering program whose rows are found on the way.

A set of rows can all be strictly on their side unless it contains a circuit (Gordan), so the fewest errors are the
lightest cover of all circuits (Amaldi, Pfetsch and Trotter 2003). A circuit is added to the program when a solution
misses it, as are the combinatorial cuts of Codato and Fischetti (2006). Every circuit is exact, and the bound of every
node is a packing of circuits in integers: floating point only chooses.
"""

import heapq
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from maxmargin.solvers.basics.array_types import Floats, Mask, Rows
from maxmargin.solvers.engines import highs_lp
from maxmargin.solvers.exact.dyadic import as_integers
from maxmargin.solvers.fewest_errors.fewest_incumbent import Budget, Incumbent, split
from maxmargin.solvers.separability.cone.witness import exact_circuit

# Weights of witnesses are whole multiples of 1/UNITS.
UNITS = 1 << 24


class CoverProgram:
    """min n.t subject to sum of t over every witness >= 1 and t >= 0, with some rows dropped and some kept.

    Parameters
    ----------
    counts : ndarray (n_rows,) of int
        The n, positive.

    Attributes
    ----------
    witnesses : list of ndarray of int
        The rows of each.
    n_through : ndarray (n_rows,) of int
        How many witnesses a row is in.
    """

    def __init__(self, counts: Rows) -> None:
        self.counts = counts
        self.witnesses: list[Rows] = []
        self.solver: Any = highs_lp.started(None)
        program = highs_lp.equalities(np.empty((len(counts), 0)), np.empty(0))
        program.col_cost_ = counts.astype(np.float64)
        self.solver.passModel(program)
        self.n_through = np.zeros(len(counts), dtype=np.int64)
        self._flat = self._starts = np.empty(0, dtype=np.int64)

    def add(self, witness: Rows) -> None:
        """Add a set of rows, at least one of which has to be dropped."""
        self.witnesses.append(witness)
        self.n_through[witness] += 1
        self._flat = np.concatenate([self._flat, witness])
        self._starts = np.append(self._starts, len(self._flat) - len(witness))
        self.solver.addRow(1.0, highs_lp.infinity(), len(witness), witness.astype(np.int32), np.ones(len(witness)))

    def relaxed(self, dropped: Mask, kept: Mask) -> tuple[Floats, Floats] | None:
        """Return the shares t and the multipliers of the witnesses, both hints, or None if HiGHS found no optimum."""
        upper = np.where(kept, 0.0, highs_lp.infinity())
        upper[dropped] = 1.0
        numbers = np.arange(len(self.counts), dtype=np.int32)
        self.solver.changeColsBounds(len(numbers), numbers, dropped.astype(np.float64), upper)
        return highs_lp.vertex(self.solver)

    def has_kept_witness(self, kept: Mask) -> bool:
        """Return whether all rows of some witness are kept, which no hyperplane can achieve."""
        return bool(self.witnesses) and bool(np.logical_and.reduceat(kept[self._flat], self._starts).any())

    def bound(self, multipliers: Floats, dropped: Mask, kept: Mask) -> int:
        """Return a lower bound, proven in integers, of every cover with these rows dropped and kept."""
        return int(self.counts[dropped].sum()) - (-int(self.packing(multipliers, dropped, kept).sum()) // UNITS)

    def packing(self, multipliers: Floats, dropped: Mask, kept: Mask) -> Rows:
        """Return whole shares p >= 0 of the witnesses with sum of p over those through a row <= UNITS times its count.

        A cover t >= 0 has n.t >= sum_i t_i sum_{k through i} p_k >= sum_k p_k, in units: weak duality. Only witnesses
        without a dropped row have a share, and kept rows, whose t is 0, may carry any.
        """
        shares = np.zeros(len(self.witnesses), dtype=np.int64)
        if not self.witnesses:
            return shares
        positions = np.flatnonzero(~np.logical_or.reduceat(dropped[self._flat], self._starts))
        most = UNITS * int(self.counts.max())
        shares[positions] = np.clip(np.floor(multipliers[positions] * UNITS), 0, most).astype(np.int64)
        capacities = UNITS * self.counts
        loads = np.zeros(len(self.counts), dtype=np.int64)
        np.add.at(loads, self._flat, np.repeat(shares, [len(w) for w in self.witnesses]))
        for row in np.flatnonzero((loads > capacities) & ~kept).tolist():
            through = [k for k, witness in enumerate(self.witnesses) if row in witness]
            shares[through] = [share * int(capacities[row]) // int(loads[row]) for share in shares[through].tolist()]
        return shares


class CircuitProgram:
    """The linear program min c.a subject to sum a_i z_i = 0, sum a_i = 1, a >= 0, solved again from the last vertex.

    Its vertices are the irreducible sets of rows that no hyperplane has strictly on their side (Gleeson and Ryan 1990).
    With the shares t of a cover as costs, a vertex of small value is likely a set of which t covers less than 1 (Parker
    and Ryan 1996). The dual solution is a direction with z_i.v >= s - c_i, s the value: where this is positive, rows of
    cost 0 are on their side.

    Parameters
    ----------
    rows : ndarray (n_rows, m)
        Of size about 1; not strictly separable, else there is no solution.
    """

    def __init__(self, rows: Floats) -> None:
        n_rows, width = rows.shape
        self.numbers = np.arange(n_rows, dtype=np.int32)
        self.solver: Any = highs_lp.started(None)
        target = np.append(np.zeros(width), 1.0)
        self.solver.passModel(highs_lp.equalities(np.hstack([rows, np.ones((n_rows, 1))]), target))

    def cheapest(self, costs: Floats) -> tuple[Floats, Floats] | None:
        """Return the weights a at a vertex and the direction, both hints, or None if HiGHS found no optimum."""
        self.solver.changeColsCost(len(self.numbers), self.numbers, costs)
        found = highs_lp.vertex(self.solver)
        return None if found is None else (found[0], -found[1][:-1])


NAME = "circuit cover"

# Relative weight below which a row is left out of a candidate circuit.
_CANDIDATE_WEIGHT = 1e-12

# Largest number of rows by which a candidate circuit may exceed the size of a vertex.
_SPARE_ROWS = 8

# Amount below 1 of the cover of a circuit at which it is added, and distance from an integer at which a share counts as
# fractional.
_VIOLATED = 1e-6

# Rounds of circuits in a row that do not raise the bound of a node, after which it is split.
_ROOT_PATIENCE, _NODE_PATIENCE = 20, 1


@dataclass(frozen=True, slots=True, order=True)
class _Node:
    """Rows that are dropped and rows that are kept; the others are open. Nodes sort by bound, then by depth.

    Attributes
    ----------
    bound : int
        Proven lower bound of the weight of every cover of the node.
    height : int
        Minus the number of rows that are dropped or kept.
    number : int
    dropped, kept : tuple of int
    """

    bound: int
    height: int
    number: int
    dropped: tuple[int, ...] = field(compare=False)
    kept: tuple[int, ...] = field(compare=False)


class CoverSearch:
    """The search. `run` may be interrupted anywhere, and its bounds are proven at any moment.

    Attributes
    ----------
    lower : int
        Proven lower bound of the errors.
    circuits : list of dict of row to weight
        The inseparable sets of rows found, in the order of the witnesses of the covering program.
    packing : ndarray (n,) of int
        Shares, in units, of the first n circuits, as at the root.
    n_nodes : int
        Number of nodes explored.
    nodes : heap of _Node
        The nodes left to explore; every cover lighter than the best is in one of them.
    budget : Budget
        How long it may go on; it may be replaced between two calls of `run`.
    """

    def __init__(self, best: Incumbent, budget: Budget) -> None:
        self.best, self.budget = best, budget
        self.lower = self.n_nodes = 0
        self.nodes = [_Node(0, 0, 0, (), ())]
        self.circuits: list[dict[int, int]] = []
        self.packing: Rows = np.empty(0, dtype=np.int64)
        self.cover = CoverProgram(best.kinds.counts)
        self.program = CircuitProgram(best.scaled)

    def fall_back_on(self, weight_of: Mapping[int, int]) -> None:
        """Prove that there is an error, by a circuit near these weights or found here, unless a bound is proven.

        The weights are positive, and their rows are known to balance. A circuit is not handed to the search itself: its
        first circuits are disjoint, and lead to better bounds.
        """
        if self.packing.size or not weight_of:
            return
        if not self.circuits:
            rows = sorted(weight_of, key=lambda row: -weight_of[row])
            circuit = self._exact_circuit(np.array(rows, dtype=np.int64), [weight_of[row] for row in rows])
            if circuit is None:
                return
            self._add(circuit)
        self.lower, self.packing = max(1, self.lower), np.array([UNITS], dtype=np.int64)

    def run(self, most_nodes: int | None = None) -> None:
        """Continue until the bounds meet, the budget is spent, or `most_nodes` nodes are explored in all."""
        while self.nodes and self.nodes[0].bound < self.best.upper:
            self.lower = max(self.lower, self.nodes[0].bound)
            if self.n_nodes == most_nodes or self.budget.is_over():
                return
            children = self._expanded(self.nodes[0])
            if self.budget.is_over():  # the node may have been expanded in part only
                return
            heapq.heappop(self.nodes)
            for child in children:
                heapq.heappush(self.nodes, child)
        self.lower = self.best.upper

    def _expanded(self, node: _Node) -> list[_Node]:
        """Return the parts of a node that may have a lighter cover than the best."""
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
            if not missed and rounds <= 2 * patience and (np.abs(shares - np.round(shares)) < _VIOLATED).all():
                missed = self._missed_exactly(shares < 0.5)
            if not missed or self.budget.is_over():
                return self._parts(node, bound, shares)
            for circuit in missed:
                self._add(circuit)

    def _add(self, circuit: dict[int, int]) -> None:
        self.circuits.append(circuit)
        self.cover.add(np.array(sorted(circuit), dtype=np.int64))

    def _mask(self, rows: tuple[int, ...]) -> Mask:
        mask = np.zeros(len(self.best.kinds.counts), dtype=np.bool_)
        mask[list(rows)] = True
        return mask

    def _relaxed(self, dropped: Mask, kept: Mask, bound: int) -> tuple[Floats, int]:
        """Return the shares of the relaxation, and the bound, raised if its multipliers prove a larger one."""
        answer = self.cover.relaxed(dropped, kept)
        self.budget.spend_program(self.cover.solver)
        if answer is None:
            return dropped.astype(np.float64), bound
        shares, multipliers = answer
        raised = self.cover.bound(multipliers, dropped, kept)
        if not (dropped.any() or kept.any()) and raised >= self.lower:
            self.lower, self.packing = raised, self.cover.packing(multipliers, dropped, kept)
        return np.where(dropped, 1.0, np.where(kept, 0.0, np.clip(shares, 0.0, 1.0))), max(bound, raised)

    def _missed(self, shares: Floats) -> list[dict[int, int]]:
        """Return disjoint circuits, found in floating point, that the shares cover less than once."""
        costs = shares.copy()
        missed: list[dict[int, int]] = []
        while not self.budget.is_over() and (answer := self.program.cheapest(costs)) is not None:
            self.budget.spend_program(self.program.solver)
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
        return self._exact_circuit(rows, as_integers(weights[rows])[0].tolist()) if rows.size else None

    def _exact_circuit(self, rows: Rows, weights: list[int]) -> dict[int, int] | None:
        """Return the exact circuit near positive weights of these rows, unless they are too many."""
        if len(rows) > self.best.cone.width + 1 + _SPARE_ROWS:
            return None
        return exact_circuit(self.best.cone, rows, weights)

    def _missed_exactly(self, is_kept: Mask) -> list[dict[int, int]]:
        """Return a circuit among these rows, or offer the direction that has all of them strictly on their side.

        The list is also empty once the time is over.
        """
        kept = np.flatnonzero(is_kept)
        answer = split(self.best.cone, kept, self.budget.limits) if kept.size else None
        self.budget.spend_split(len(kept), self.best.cone.width)
        if isinstance(answer, dict):
            return [answer]
        if answer is not None:
            self.best.offer(answer, NAME)
        return []

    def _parts(self, node: _Node, bound: int, shares: Floats) -> list[_Node]:
        """Branch on an open row whose share is far from integral and which is in many circuits.

        If no row is open, all shares are integral, and the exact check has decided whether the dropped rows are a
        cover.
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
