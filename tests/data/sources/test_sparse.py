"""Sparse matrices whose index arrays are not those of their entries are refused: SciPy's compiled code trusts them."""

from typing import Any

import numpy as np
from cases import for_each
from commands import refused
from scipy import sparse

import maxmargin as mm

Y = [0, 0, 1, 1]

COMPRESSED = [("indices", 0, 5), ("indices", 0, -1), ("indptr", -1, 9), ("indptr", 0, 1)]


def column(kind: str) -> Any:
    return sparse.coo_array(np.array([[1.0], [2.0], [3.0], [4.0]])).asformat(kind)


def assert_refused(X: Any, kind: str) -> None:
    assert refused(lambda: mm.separability(X, Y)).startswith(f"X is no valid sparse matrix of the format {kind}: ")


@for_each("kind", ["csr", "csc", "bsr"])
@for_each("field, position, value", COMPRESSED)
def test_indices_outside_are_refused(kind: str, field: str, position: int, value: int) -> None:
    X = column(kind)
    getattr(X, field)[position] = value
    assert_refused(X, kind)


@for_each("indptr", [[0, 3, 2, 3, 4], [2, 2, 2, 3, 4], [0, 1, 2, 3, 2]])
def test_rows_that_run_backwards_are_refused(indptr: list[int]) -> None:
    X = column("csr")
    X.indptr = np.array(indptr, dtype=np.int32)
    assert_refused(X, "csr")


def test_entries_outside_are_refused() -> None:
    for which, position in ((0, -3), (0, 4), (1, 1)):
        X = column("coo")
        X.coords[which][0] = position
        assert_refused(X, "coo")
    for field, values in (("rows", [7]), ("data", [1.0, 2.0])):
        X = column("lil")
        getattr(X, field)[0] = values
        assert_refused(X, "lil")


def test_what_was_once_found_of_the_indices_is_not_believed() -> None:
    X = sparse.csr_array(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]))
    assert X.has_canonical_format
    X.indices[:] = [0, 0, 0, 1, 0, 1, 0, 1]
    assert mm.from_arrays(X, Y).X.toarray().tolist() == [[3, 0], [3, 4], [5, 6], [7, 8]]
    assert X.indices.tolist() == [0, 0, 0, 1, 0, 1, 0, 1]
