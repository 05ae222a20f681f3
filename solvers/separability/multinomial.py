"""More than two classes at once: can scores w_k.x + b_k put every row's own class first?"""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.answers.answer_text import without_intercepts
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import EXACT_LIMIT, TIME_IS_OVER, Limits
from maxmargin.solvers.engines import highs_lp
from maxmargin.solvers.problem.candidate import SolverRun
from maxmargin.solvers.problem.problem import ClassProblem
from maxmargin.solvers.proof.certificate import (
    ClassOverlap,
    ClassQuasiSeparation,
    ClassSeparation,
    ClassWitness,
    Pair,
    in_order,
)
from maxmargin.solvers.separability.cone.columns import later_column_signs
from maxmargin.solvers.separability.cone.cone_rows import ClassRows
from maxmargin.solvers.separability.cone.decide import Decision, Unfinished, decide, violated_rows
from maxmargin.solvers.separability.proven_verdict import Attempts, Details, ProvenVerdict

# Largest size of a sparse X (number of entries) of which the perceptron makes a dense copy.
_MOST_ENTRIES = 20_000_000

# Numbers of epochs and of updates after which the perceptron is given up.
_MOST_EPOCHS, _MOST_UPDATES = 300, 200_000

PERCEPTRON = "multi-class perceptron"


def multinomial(
    problem: ClassProblem, *, time_limit: float | None = None, exact_limit: int = EXACT_LIMIT
) -> ProvenVerdict:
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
    ProvenVerdict
        A row counts as separated if all its inequalities can be strict, as touching if one cannot.

    Raises
    ------
    InvalidOptionError
        If a limit makes no sense.
    """
    limits = Limits(time_limit=time_limit, exact_limit=exact_limit)
    cone = ClassRows(problem)
    attempts: list[SolverRun] = []
    is_large = cone.width > exact_limit or cone.n_rows * cone.width > problem.sizes.class_entries
    decision: Decision | Unfinished | None = _tried_perceptron(cone, limits, attempts) if is_large else None
    if decision is None and cone.width > exact_limit:
        reason = f"{cone.width} columns (classes less one times columns) are past exact_limit={exact_limit}"
        return _undecided(problem, reason, attempts)
    decision = decision or decide(cone, limits)
    attempts += decision.attempts
    if isinstance(decision, Unfinished):
        return _undecided(problem, TIME_IS_OVER, attempts, _witness(cone, decision))
    return _answer(cone, decision, limits, tuple(attempts))


def _tried_perceptron(cone: ClassRows, limits: Limits, attempts: list[SolverRun]) -> Decision | None:
    """Return the decision by a run of the perceptron; None if sparse rows are too many for a dense copy."""
    if cone.problem.is_sparse and cone.problem.n_samples * cone.problem.n_features > _MOST_ENTRIES:
        return None
    scores = _scores_of_a_run(cone, limits)
    direction = None if scores is None else cone.home(scores)
    if direction is not None and violated_rows(cone, direction, np.arange(cone.n_rows)).size:
        direction = None
    attempts.append(SolverRun(solver=PERCEPTRON, status="not converged" if direction is None else "converged"))
    return None if direction is None else Decision.separable(tuple(direction), cone)


def _answer(cone: ClassRows, decision: Decision, limits: Limits, attempts: Attempts) -> ProvenVerdict:
    touches, is_strict = np.zeros((2, cone.problem.n_samples), dtype=np.bool_)
    touches[cone.pairs(np.flatnonzero(decision.touching))[0]] = True
    is_strict[cone.pairs(np.flatnonzero(~decision.touching))[0]] = True
    engine = attempts[-1].solver if attempts[-1].solver != "HiGHS" else highs_lp.NAME
    reason = _reason(decision, cone.problem.bias)
    return replace(
        ProvenVerdict.proven(_certificate(cone, decision), touches, reason, engine, attempts),
        witness=_witness(cone, decision),
        partly_separated_rows=np.flatnonzero(touches & is_strict),
        n_inequalities=cone.n_rows,
        n_strict=int((~decision.touching).sum()),
        find_details=lambda: Details(samples=cone.problem, n_classes=cone.problem.n_classes),
        find_columns=None if cone.width > limits.exact_limit else later_column_signs(cone, decision, limits),
    )


def _certificate(cone: ClassRows, decision: Decision) -> ClassSeparation | ClassQuasiSeparation | ClassOverlap:
    problem, direction, null_space = cone.problem, decision.direction, decision.null_space
    if not decision.touching.any():
        return ClassSeparation(problem=problem, direction=direction)
    pairs, weights = _weighted_pairs(cone, decision.balance)
    if decision.touching.all():
        return ClassOverlap(problem=problem, pairs=pairs, weights=weights, null_space=null_space)
    return ClassQuasiSeparation(
        problem=problem, direction=direction, pairs=pairs, weights=weights, null_space=null_space
    )


def _witness(cone: ClassRows, decision: Decision | Unfinished) -> ClassWitness | None:
    if not decision.witness:
        return None
    pairs, weights = _weighted_pairs(cone, decision.witness)
    return ClassWitness(problem=cone.problem, pairs=pairs, weights=weights)


def _weighted_pairs(cone: ClassRows, weight_of: Mapping[int, int]) -> tuple[tuple[Pair, ...], tuple[int, ...]]:
    rows, weights = in_order(weight_of)
    samples, classes = cone.pairs(np.array(rows, dtype=np.int64))
    return tuple(zip(samples.tolist(), classes.tolist(), strict=True)), weights


def _reason(decision: Decision, bias: bool) -> str:
    n_rows, n_strict, without = len(decision.touching), int((~decision.touching).sum()), without_intercepts(bias)
    if n_strict == n_rows:
        return f"scores{without} put every row's own class strictly first: all {n_rows} inequalities hold strictly"
    proof = f"positive weights that balance exactly on {len(decision.balance)} of them prove it"
    if not n_strict:
        return f"overlap{without}: scores{without} can satisfy the {n_rows} inequalities with equality only; {proof}"
    return (
        f"quasi-separable{without}: {n_strict} of the {n_rows} inequalities can be strict at once, the others hold "
        f"with equality; {proof}"
    )


def _undecided(
    problem: ClassProblem, reason: str, attempts: list[SolverRun], witness: ClassWitness | None = None
) -> ProvenVerdict:
    if witness is not None:
        reason = f"not strictly separable; quasi-separable or overlap: {reason}"
    return ProvenVerdict.undecided(problem, witness, reason, "none", tuple(attempts))


def _scores_of_a_run(cone: ClassRows, limits: Limits) -> Floats | None:
    """Run the multi-class perceptron (Duda and Hart 1973) until a clean epoch, a cheap way to a strict direction.

    Return (w_k, b_k) of the classes but the first, in scaled coordinates; None if the run takes too long.

    A row whose own score is not the greatest is added to its own class and subtracted from the class ahead.
    """
    problem = cone.problem
    X = problem.scaling.apply(problem.dense_rows(slice(None)))
    means, sizes = (X.mean(axis=0), X.std(axis=0)) if problem.bias else (np.zeros(X.shape[1]), np.abs(X).max(axis=0))
    sizes = np.where(sizes > 0, sizes, 1.0)
    X = (X - means) / sizes  # standardised columns take few epochs
    X = np.hstack([X, np.ones((len(X), 1))]) if problem.bias else X
    scores = np.zeros((problem.n_classes, X.shape[1]))
    n_updates = 0
    for _ in range(_MOST_EPOCHS):
        wrong = _rows_not_first(X, scores, problem.codes)
        if not wrong.size:
            return _brought_back(scores[1:] - scores[0], means, sizes, problem.bias)
        n_updates += len(wrong)
        if n_updates > _MOST_UPDATES or limits.is_over():
            return None
        for x, own in zip(X[wrong], problem.codes[wrong].tolist(), strict=True):
            values = scores @ x
            value, values[own] = values[own], -np.inf
            other = int(values.argmax())
            if value <= values[other]:
                scores[own] += x
                scores[other] -= x
    return None


def _brought_back(scores: Floats, means: Floats, sizes: Floats, bias: bool) -> Floats:
    normals = scores[:, : len(sizes)] / sizes
    if not bias:
        return normals.ravel()
    return np.hstack([normals, (scores[:, -1] - normals @ means)[:, None]]).ravel()


def _rows_not_first(X: Floats, scores: Floats, codes: NDArray[np.int64]) -> NDArray[np.int64]:
    values = X @ scores.T
    everywhere = np.arange(len(X))
    own = values[everywhere, codes]
    values[everywhere, codes] = -np.inf
    return np.flatnonzero(own <= values.max(axis=1))
