"""Whether the answers of the package are proven: their certificates, witnesses and rows, checked in integers."""

from collections.abc import Sequence
from fractions import Fraction
from math import inf
from typing import Any

from elimination import Integers, dot, rank, signed_rows
from rays import Facts, facts_by_rays, integer_rows
from references import margins_of


def is_right(problem: Any, answer: Any, facts: Facts | None = None) -> bool:
    """Check the proof of an answer on small data, and its verdict, rows and columns."""
    assert is_proven(problem, answer), answer
    columns = answer.columns
    found = Facts(
        verdict=answer.verdict.value,
        separated=tuple(answer.separated_rows.tolist()),
        touching=tuple(answer.touching_rows.tolist()),
        infinite=columns.infinite,
        finite=tuple(sorted(columns.finite)),
        aliased=tuple(sorted(columns.aliased)),
        dimension=columns.dimension,
    )
    assert found == (facts or facts_by_rays(problem))
    return True


def is_proven(problem: Any, answer: Any) -> bool:
    """Check the certificate, the witness and the rows of an answer, and that the words beside them fit."""
    proof = answer.certificate
    if answer.verdict == "undecided":
        return _is_undecided(problem, answer)
    rows = integer_rows(problem)
    separated, touching = answer.separated_rows.tolist(), answer.touching_rows.tolist()
    assert sorted(separated + touching) == list(range(len(rows)))
    assert answer.proof == "exact" and answer.reason
    assert answer.verdict == proof.claim
    assert answer.strictly_separable is (answer.verdict == "separable")
    if separated:
        assert _separates(problem, rows, [*proof.w, proof.b] if problem.bias else proof.w, separated, touching)
        assert problem.bias or proof.b == 0
    if not touching:
        assert answer.verdict == "separable" and answer.witness is None
        X = problem.X if problem.integers is None else problem.integers
        return bool(min(margins_of(X, problem.y, proof.w, proof.b)) == proof.least_functional_margin)
    assert answer.verdict == ("quasi-separable" if separated else "overlap")
    assert tuple(answer.witness_rows) == answer.witness.rows
    assert _balances(rows, answer.witness, len(rows[0]) + 1)
    return _always_touch(rows, proof, touching)


def encloses(margin: Any, square: Fraction) -> bool:
    """Whether the interval of a maximum margin holds the number of which this is the square."""
    return Fraction(margin.lower) ** 2 <= square and (margin.upper == inf or square <= Fraction(margin.upper) ** 2)


def is_common_hull_point(X: Any, y: Any, bias: bool, point: Any) -> bool:
    """Check that positive weights of few rows balance: their two classes have a point of the hulls in common."""
    rows = signed_rows(X, y, bias)
    return _balances(rows, point, len(rows[0]) + 1)


def _is_undecided(problem: Any, answer: Any) -> bool:
    proof = answer.certificate
    assert answer.separated_rows is None and answer.touching_rows is None and answer.witness is proof
    assert answer.strictly_separable is (None if proof is None else False)
    return proof is None or _balances(integer_rows(problem), proof, problem.n_features + problem.bias + 1)


def _separates(problem: Any, rows: list[Integers], v: Any, separated: Integers, touching: Integers) -> bool:
    assert len(v) == problem.n_features + problem.bias
    return all(dot(rows[i], v) > 0 for i in separated) and all(dot(rows[i], v) == 0 for i in touching)


def _balances(rows: Sequence[Sequence[Any]], point: Any, n_rows: int) -> bool:
    """Check that positive weights of different rows, no more than ``n_rows``, make a sum of 0."""
    is_short = 1 <= len(set(point.rows)) == len(point.rows) == len(point.weights) <= n_rows
    sums = [dot(column, point.weights) for column in zip(*(rows[i] for i in point.rows), strict=True)]
    return is_short and min(point.weights) > 0 and not any(sums)


def _always_touch(rows: list[Integers], proof: Any, touching: Integers) -> bool:
    """Check a positive balance on touching rows, no more than twice their rank, that span all touching rows."""
    support = [rows[i] for i in proof.rows]
    null_space = [list(vector) for vector in proof.null_space]
    assert set(proof.rows) <= set(touching)
    assert _balances(rows, proof, max(1, 2 * rank(support)))
    assert rank(null_space) == len(null_space) == len(rows[0]) - rank(support)
    return not any(dot(rows[i], vector) for i in touching for vector in null_space)
