"""An older proof on newer data: where it still holds, nothing has to be found again."""

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.cone.limits import EXACT_LIMIT, Limits
from maxmargin.solvers.cone.recheck import recheck
from maxmargin.solvers.cone.rows import SignedRows
from maxmargin.solvers.feasibility import answer_of
from maxmargin.solvers.problem import Problem
from maxmargin.solvers.proof.checker import CertificateError, need
from maxmargin.solvers.scaling import ColumnScaling
from maxmargin.solvers.solution import Separability

Document = Mapping[str, Any]

ENGINE = "older proof"

CLAIMS = ("separable", "overlap", "quasi-separable")
"""What a proof can say that may hold for other data as well."""


def values_of(problem: Problem, rows: tuple[int, ...]) -> list[list[str]]:
    """Return the numbers of rows as texts, with their sign first, by which `reused` finds them in other data."""
    table = problem.dense_rows(list(rows)).tolist()
    signs = problem.y[list(rows)].astype(int).tolist()
    return [[f"{sign:+d}", *map(repr, row)] for sign, row in zip(signs, table, strict=True)]


def reused(document: Document, problem: Problem) -> Separability | None:
    """Return what an older proof decides of these data, or None where it decides nothing.

    A separating plane decides while all rows obey it, an overlap proof while its rows are present. Everything is
    checked exactly on the data at hand, in one or two passes; nothing is taken from the proof on trust.

    Raises
    ------
    CertificateError
        If the proof cannot be about such data: another number of columns, another bias or reading, another question.
    """
    _check_fits(document, problem)
    direction = [Fraction(int(text, 0)) for text in document["direction"]] if "direction" in document else None
    balance = _balance(document, problem)
    if balance is None:
        return None
    cone = SignedRows(problem, ColumnScaling.of(problem))
    decision = recheck(cone, direction, balance)
    return None if decision is None else answer_of(cone, decision, Limits(exact_limit=EXACT_LIMIT), ENGINE)


def _check_fits(document: Document, problem: Problem) -> None:
    data = document["data"]
    claims = ", ".join(CLAIMS)
    need(document["question"] == "two-class", "the older proof is about more than two classes")
    need(document["claim"] in CLAIMS, f"the older proof says {document['claim']}; one of {claims} can be used again")
    found = (data["n_features"], data["bias"], data["reading"])
    expected = (problem.n_features, problem.bias, "binary64")
    if found != expected or problem.reading != "binary64":
        raise CertificateError(
            f"the older proof is about {found[0]} columns, bias {found[1]}, reading {found[2]}; "
            f"the data have {expected[0]}, {expected[1]}, {problem.reading}"
        )


def _balance(document: Document, problem: Problem) -> dict[int, int] | None:
    """Return the weights on the rows of these data that are equal to those of the proof; None where one is missing."""
    if "rows" not in document:
        return {}
    weights = [int(text, 0) for text in document["weights"]]
    rows = _rows_of(document, problem)
    if rows is None or len(set(rows)) < len(weights):
        return None
    return dict(zip(rows, weights, strict=True))


def _rows_of(document: Document, problem: Problem) -> list[int] | None:
    """Return where the proof's rows are: at their old places if nothing moved, else wherever equal rows are."""
    values = document["data"].get("values")
    old = list(document["rows"])
    if values is None:
        return old if max(old) < problem.n_samples else None
    try:
        wanted = np.array([[float(text) for text in row] for row in values])
    except (TypeError, ValueError) as error:
        raise CertificateError(f"the older proof: data: values are not numbers: {error}") from error
    need(wanted.shape == (len(old), problem.n_features + 1), "the older proof: data: values do not fit its rows")
    if max(old) < problem.n_samples and _are_equal(problem, np.array(old), wanted):
        return old
    return _found(problem, wanted)


def _are_equal(problem: Problem, rows: NDArray[np.int64], wanted: NDArray[np.float64]) -> bool:
    return bool((problem.dense_rows(rows) == wanted[:, 1:]).all() and (problem.y[rows] == wanted[:, 0]).all())


def _found(problem: Problem, wanted: NDArray[np.float64]) -> list[int] | None:
    """Return a different row for each wanted one, or None."""
    places: dict[tuple[float, ...], list[int]] = {}
    keys = [tuple(row) for row in wanted.tolist()]
    telling = 1 + int(np.argmax([len(set(column)) for column in wanted[:, 1:].T.tolist()]))
    for chunk in problem.chunks():
        rows = problem.dense_rows(chunk)
        maybe = np.flatnonzero(np.isin(rows[:, telling - 1], wanted[:, telling]))
        for place in maybe.tolist():
            key = (float(problem.y[chunk.start + place]), *rows[place].tolist())
            places.setdefault(key, []).append(chunk.start + place)
    try:
        return [places[key].pop(0) for key in keys]
    except (KeyError, IndexError):
        return None
