"""More than two classes at once: can scores w_k.x + b_k put every row's own class first?"""

from collections.abc import Iterator
from functools import partial

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.answers.wording import without_intercepts
from maxmargin.solvers.basics.limits import EXACT_LIMIT, Limits
from maxmargin.solvers.engines import highs_lp
from maxmargin.solvers.exact.simplex import Circuit
from maxmargin.solvers.problem.candidate import SolverRun
from maxmargin.solvers.problem.problem import ClassProblem, Problem, confirmed
from maxmargin.solvers.proof.class_certificate import (
    ClassOverlap,
    ClassQuasiSeparation,
    ClassSeparation,
    ClassWitness,
    Pair,
)
from maxmargin.solvers.separability import class_perceptron
from maxmargin.solvers.separability.cone.class_rows import ClassRows
from maxmargin.solvers.separability.cone.columns import column_signs
from maxmargin.solvers.separability.cone.cone_rows import SignedRows
from maxmargin.solvers.separability.cone.decide import Decision, Unfinished, decide, violated_rows
from maxmargin.solvers.separability.separability_solution import Separability

_MOST_ENTRIES = 20_000_000
"""Largest size of a sparse X (number of entries) of which the perceptron makes a dense copy."""

PERCEPTRON = "multi-class perceptron"


@confirmed
def multinomial(
    problem: ClassProblem, *, time_limit: float | None = None, exact_limit: int = EXACT_LIMIT
) -> Separability:
    """Decide the multinomial question: separable, quasi-separable or overlap, in the sense of the logistic model.

    The inequalities are (w_c - w_k).x + (b_c - b_k) >= 0 for every row of class c and every other class k. `separable`:
    all can be strict at once; `quasi-separable`: some can, the others hold with equality; `overlap`: none, then the
    maximum-likelihood estimate exists (Albert and Anderson 1984).

    Parameters
    ----------
    problem : ClassProblem
    time_limit : float, optional
        Seconds after which the search is given up.
    exact_limit : int
        The largest width (classes less one, times columns, bias included) for which systems are solved exactly.

    Returns
    -------
    Separability
        A row counts as separated if all its inequalities can be strict, as touching if one cannot.

    Raises
    ------
    InvalidOptionError
        If a limit makes no sense.
    """
    limits = Limits(time_limit=time_limit, exact_limit=exact_limit)
    cone = ClassRows(problem, problem.scaling)
    attempts: list[SolverRun] = []
    if cone.width > exact_limit:
        separating = _tried_perceptron(cone, limits, attempts)
        if separating is not None:
            return _answer(cone, separating, limits, tuple(attempts))
        reason = f"{cone.width} columns (classes less one times columns) are past exact_limit={exact_limit}"
        return _undecided(problem, reason, attempts=tuple(attempts))
    decision = _decision(cone, limits, attempts)
    attempts += decision.attempts
    if isinstance(decision, Unfinished):
        return _undecided(problem, limits.words(), _witness(cone, decision), tuple(attempts))
    return _answer(cone, decision, limits, tuple(attempts))


def _decision(cone: ClassRows, limits: Limits, attempts: list[SolverRun]) -> Decision | Unfinished:
    if cone.n_rows * cone.width <= cone.problem.sizes.class_entries:
        return decide(cone, limits)
    separating = _tried_perceptron(cone, limits, attempts)
    return separating or decide(cone, limits, known=list(_circuits_of_pairs(cone, limits)))


def _tried_perceptron(cone: ClassRows, limits: Limits, attempts: list[SolverRun]) -> Decision | None:
    """Return the decision by a run of the perceptron; None if sparse rows are too many for a dense copy."""
    if cone.problem.is_sparse and cone.problem.n_samples * cone.problem.n_features > _MOST_ENTRIES:
        return None
    separating = _by_perceptron(cone, limits)
    attempts.append(SolverRun(solver=PERCEPTRON, status="converged" if separating else "not converged"))
    return separating


def _by_perceptron(cone: ClassRows, limits: Limits) -> Decision | None:
    found = class_perceptron.scores_of_a_run(cone.problem, cone.scaling, limits)
    if found is None:
        return None
    direction = cone.home(found)
    if violated_rows(cone, direction, np.arange(cone.n_rows)).size:
        return None
    return Decision.separable(tuple(direction), cone)


def _circuits_of_pairs(cone: ClassRows, limits: Limits) -> Iterator[tuple[list[int], Circuit]]:
    """Yield the circuits of the first class with every other class, each of which lies in one block."""
    problem, n_before = cone.problem, 0
    for other in range(1, problem.n_classes):
        rows = np.flatnonzero((problem.codes == 0) | (problem.codes == other))
        signs = np.where(problem.codes[rows] == other, 1.0, -1.0)
        integers = None if problem.integers is None else problem.integers[rows]
        pair = Problem(problem.row_source[rows], signs, problem.bias, integers)
        decision = decide(SignedRows(pair, pair.scaling), limits)
        for positions, circuit in () if isinstance(decision, Unfinished) else decision.circuits:
            samples = rows[positions]
            against = np.where(problem.codes[samples] == 0, other, 0)
            known = [0] * n_before + list(circuit.fixed_weights)
            moved = Circuit(positions=circuit.positions, weights=circuit.weights, fixed_weights=known)
            yield cone.number(samples, against).tolist(), moved
        n_before += 0 if isinstance(decision, Unfinished) else len(decision.basis)


def _answer(cone: ClassRows, decision: Decision, limits: Limits, attempts: tuple[SolverRun, ...]) -> Separability:
    problem = cone.problem
    touching_pairs = _pairs(cone, np.flatnonzero(decision.touching))
    touches = np.zeros(problem.n_samples, dtype=np.bool_)
    touches[[i for i, _ in touching_pairs]] = True
    separated, touching = np.flatnonzero(~touches), np.flatnonzero(touches)
    if touching.size == 0:
        verdict = Verdict.SEPARABLE
    else:
        verdict = Verdict.OVERLAP if decision.touching.all() else Verdict.QUASI_SEPARABLE
    fresh = partial(Limits, time_limit=limits.share(), exact_limit=limits.exact_limit)
    return Separability(
        verdict=verdict,
        strictly_separable=verdict is Verdict.SEPARABLE,
        certificate=_certificate(cone, decision, verdict),
        witness=_witness(cone, decision),
        reason=_reason(verdict, decision, problem.bias),
        engine=attempts[-1].solver if attempts[-1].solver != "HiGHS" else highs_lp.NAME,
        attempts=attempts,
        separated_rows=separated,
        touching_rows=touching,
        n_inequalities=cone.n_rows,
        n_strict=int((~decision.touching).sum()),
        n_features=problem.n_features,
        bias=problem.bias,
        find_columns=None if cone.width > limits.exact_limit else lambda: column_signs(cone, decision, fresh()),
    )


def _certificate(
    cone: ClassRows, decision: Decision, verdict: Verdict
) -> ClassSeparation | ClassQuasiSeparation | ClassOverlap:
    problem, direction, null_space = cone.problem, decision.direction, decision.null_space
    rows = sorted(decision.balance)
    pairs, weights = _pairs(cone, np.array(rows, dtype=np.int64)), tuple(decision.balance[row] for row in rows)
    if verdict is Verdict.SEPARABLE:
        return ClassSeparation(problem=problem, direction=direction)
    if verdict is Verdict.OVERLAP:
        return ClassOverlap(problem=problem, pairs=pairs, weights=weights, null_space=null_space)
    return ClassQuasiSeparation(
        problem=problem, direction=direction, pairs=pairs, weights=weights, null_space=null_space
    )


def _witness(cone: ClassRows, decision: Decision | Unfinished) -> ClassWitness | None:
    if not decision.witness:
        return None
    rows = sorted(decision.witness)
    return ClassWitness(
        problem=cone.problem,
        pairs=_pairs(cone, np.array(rows, dtype=np.int64)),
        weights=tuple(decision.witness[row] for row in rows),
    )


def _pairs(cone: ClassRows, rows: NDArray[np.int64]) -> tuple[Pair, ...]:
    samples, classes = cone.pairs(rows)
    return tuple(zip(samples.tolist(), classes.tolist(), strict=True))


def _reason(verdict: Verdict, decision: Decision, bias: bool) -> str:
    n_rows, n_strict = len(decision.touching), int((~decision.touching).sum())
    without = without_intercepts(bias)
    if verdict is Verdict.SEPARABLE:
        return f"scores{without} put every row's own class strictly first: all {n_rows} inequalities hold strictly"
    proof = f"positive weights that balance exactly on {len(decision.balance)} of them prove it"
    if verdict is Verdict.OVERLAP:
        return f"overlap{without}: scores{without} can satisfy the {n_rows} inequalities with equality only; {proof}"
    return (
        f"quasi-separable{without}: {n_strict} of the {n_rows} inequalities can be strict at once, the others hold "
        f"with equality; {proof}"
    )


def _undecided(
    problem: ClassProblem, reason: str, witness: ClassWitness | None = None, attempts: tuple[SolverRun, ...] = ()
) -> Separability:
    return Separability(
        verdict=Verdict.UNDECIDED,
        strictly_separable=None if witness is None else False,
        certificate=witness,
        witness=witness,
        reason=reason if witness is None else f"not strictly separable; quasi-separable or overlap: {reason}",
        engine="none",
        attempts=attempts,
        bias=problem.bias,
    )
