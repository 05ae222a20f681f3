"""Sparse matrices whose index arrays are not those of their entries are refused: SciPy's compiled code trusts them."""

from typing import Any

import numpy as np
import pytest
from cases import for_each
from scipy import sparse

import maxmargin as mm

Y = [0, 0, 1, 1]

COMPRESSED = [("indices", 0, 5), ("indices", 0, -1), ("indptr", -1, 9), ("indptr", 0, 1)]


def column(kind: str) -> Any:
    return sparse.coo_array(np.array([[1.0], [2.0], [3.0], [4.0]])).asformat(kind)


def refused(X: Any) -> str:
    with pytest.raises(mm.InvalidProblemError, match=r"^X is no valid sparse matrix of the format") as caught:
        mm.separability(X, Y)
    return str(caught.value)


@for_each("kind", ["csr", "csc", "bsr"])
@for_each("field, position, value", COMPRESSED)
def test_indices_outside_are_refused(kind: str, field: str, position: int, value: int) -> None:
    X = column(kind)
    getattr(X, field)[position] = value
    assert f" {kind}: " in refused(X)


@pytest.mark.parametrize("indptr", [[0, 3, 2, 3, 4], [2, 2, 2, 3, 4], [0, 1, 2, 3, 2]])
def test_rows_that_run_backwards_are_refused(indptr: list[int]) -> None:
    X = column("csr")
    X.indptr = np.array(indptr, dtype=np.int32)
    refused(X)


def test_entries_outside_are_refused() -> None:
    for which, position in ((0, -3), (0, 4), (1, 1)):
        X = column("coo")
        X.coords[which][0] = position
        refused(X)
    X = column("lil")
    X.rows[0][0] = 7
    refused(X)
    X = column("lil")
    X.data[0] = [1.0, 2.0]
    refused(X)


def test_what_was_once_found_of_the_indices_is_not_believed() -> None:
    X = sparse.csr_array(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]))
    assert X.has_canonical_format
    X.indices[:] = [0, 0, 0, 1, 0, 1, 0, 1]
    assert mm.from_arrays(X, Y).X.toarray().tolist() == [[3, 0], [3, 4], [5, 6], [7, 8]]
    assert X.indices.tolist() == [0, 0, 0, 1, 0, 1, 0, 1]
