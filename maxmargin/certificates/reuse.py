"""Check an older proof on newer data: if it still holds, no new proof has to be found."""

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.api.question import with_near
from maxmargin.explaining.separability_answer import Separability
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.exact.dyadic import as_dense
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.certificate import Certificate, Overlap, QuasiSeparation
from maxmargin.solvers.proof.checker import integers, need
from maxmargin.solvers.separability.cone.cone_rows import SignedRows
from maxmargin.solvers.separability.cone.decide import recheck
from maxmargin.solvers.separability.feasibility import answer_of

Document = Mapping[str, Any]

ENGINE = "older proof"

# The claims that may hold for other data too.
CLAIMS = ("separable", "overlap", "quasi-separable")


def values_fields(certificate: Certificate) -> dict[str, Any]:
    """Return the fields by which the rows of a proof are found in other data: their signs and numbers, as texts."""
    problem = certificate.problem
    if not (isinstance(certificate, Overlap | QuasiSeparation) and isinstance(problem, Problem)):
        return {}
    if problem.integers is not None:  # such proofs are not used again
        return {}
    rows = list(certificate.rows)
    signs, table = problem.y[rows].astype(int).tolist(), problem.dense_rows(rows).tolist()
    return {"values": [[f"{sign:+d}", *map(repr, row)] for sign, row in zip(signs, table, strict=True)]}


def reused(document: Document, problem: Problem, limits: Limits | None = None) -> Separability | None:
    """Return the answer that an older proof gives for these data, or None if it decides nothing.

    A separating hyperplane still decides if it separates all rows, a proof of overlap if its rows are present.
    Everything is checked exactly on the data at hand, in one or two passes; nothing is taken from the proof on trust.

    Parameters
    ----------
    document : dict
        The proof, as `read_proof` gives it.
    problem : Problem
    limits : Limits, optional
        Limits of the work on the columns, which is done when they are asked for.

    Raises
    ------
    CertificateError
        If the proof cannot be about such data: another number of columns, another bias or reading, another question;
        or if it is damaged.
    """
    _check_fits(document, problem)
    direction = _direction(document, problem)
    balance = _balance(document, problem)
    if balance is None:
        return None
    cone = SignedRows(problem)
    decision = recheck(cone, direction, balance)
    if decision is None:
        return None
    limits = limits or Limits()
    return with_near(answer_of(cone, decision, limits, ENGINE), problem, limits)


def _check_fits(document: Document, problem: Problem) -> None:
    data = document["data"]
    need(document["question"] == "two-class", "it is about more than two classes; only proofs for two are used again")
    need(document["claim"] in CLAIMS, f"its claim is {document['claim']}; only {', '.join(CLAIMS)} are used again")
    found = _kind(data["n_features"], data["bias"], data["reading"])
    asked = _kind(problem.n_features, problem.bias, problem.reading)
    need(found == asked, f"it is about {found}; asked is {asked}")
    need(problem.reading == "binary64", "only proofs about binary64 values are used again")


def _kind(n_features: int, bias: bool, reading: str) -> str:
    columns = f"{n_features} column{'s' * (n_features != 1)}"
    return f"{columns}, {'with bias' if bias else 'through the origin'}, {reading}"


def _direction(document: Document, problem: Problem) -> list[Fraction] | None:
    if "direction" not in document:
        return None
    return list(map(Fraction, integers(document["direction"], problem.n_features + problem.bias, "direction")))


def _balance(document: Document, problem: Problem) -> dict[int, int] | None:
    """Return the weights of the proof by the positions of its rows in these data; None if a row is missing."""
    if "rows" not in document:
        return {}
    old = document["rows"]
    need(old and all(type(row) is int and row >= 0 for row in old), "rows: not whole numbers from 0")
    need(len(set(old)) == len(old), "rows: one occurs twice")
    weights = integers(document["weights"], len(old), "weights")
    rows = _rows_of(old, document["data"].get("values"), problem)
    if rows is None:
        return None
    return dict(zip(rows, weights, strict=True))


def _rows_of(old: list[int], values: Any, problem: Problem) -> list[int] | None:
    """Return the positions of the rows of the proof: their old ones if no row moved, else those of equal rows."""
    if values is None:
        return old if max(old) < problem.n_samples else None
    try:
        wanted = np.array([[float(text) for text in row] for row in values])
    except (TypeError, ValueError, OverflowError):
        wanted = np.empty(0)
    need(wanted.shape == (len(old), problem.n_features + 1), "data: values are not the numbers of its rows")
    if max(old) < problem.n_samples and _are_equal(problem, np.array(old), wanted):
        return old
    return _found(problem, wanted)


def _are_equal(problem: Problem, rows: NDArray[np.int64], wanted: Floats) -> bool:
    return bool((problem.dense_rows(rows) == wanted[:, 1:]).all() and (problem.y[rows] == wanted[:, 0]).all())


def _found(problem: Problem, wanted: Floats) -> list[int] | None:
    """Return the position of an equal row for each wanted row, none of them twice; None if one is missing."""
    positions: dict[tuple[float, ...], list[int]] = {}
    keys = [tuple(row) for row in wanted.tolist()]
    selective = 1 + int(np.argmax([len(set(column)) for column in wanted[:, 1:].T.tolist()]))
    for found in problem.map(partial(_possible, selective, wanted[:, selective]), problem.y):
        for row, key in found:
            positions.setdefault(key, []).append(row)
    try:
        return [positions[key].pop(0) for key in keys]
    except (KeyError, IndexError):
        return None


def _possible(selective: int, values: Floats, rows: slice, X: Any, y: Floats) -> list[tuple[int, tuple[float, ...]]]:
    """Return position, sign and numbers of the rows that have one of the values in the most selective column."""
    maybe = np.flatnonzero(np.isin(as_dense(X[:, [selective - 1]]).ravel(), values))
    keys = np.column_stack([y[maybe], as_dense(X[maybe])]).tolist()
    return [(rows.start + position, tuple(key)) for position, key in zip(maybe.tolist(), keys, strict=True)]
