"""Gates: what is required is proven to hold, proven not to hold, or neither, for every verdict."""

from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import for_each

import maxmargin as mm
from maxmargin.certificates.require import REQUIREMENTS as KNOWN
from maxmargin.certificates.require import holds
from maxmargin.cli.options import REQUIREMENTS
from maxmargin.solvers.errors import InvalidOptionError

SEPARABLE = ([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1])
QUASI = ([[1.0], [2.0], [2.0], [4.0]], [0, 0, 1, 1])
OVERLAP = ([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [0, 0, 1, 1])
CLASSES = ([[1.0], [2.0], [3.0]], ["a", "b", "c"])
QUASI_CLASSES = ([[1.0], [2.0], [2.0], [3.0]], ["a", "a", "b", "c"])
OVERLAP_CLASSES = ([[1.0], [2.0]] * 3, ["a", "a", "b", "b", "c", "c"])

TRUTH = {
    "separable": {"separable"},
    "quasi-separable": {"quasi-separable", "not-strictly-separable"},
    "overlap": {"overlap", "not-strictly-separable"},
}

# Data of two classes and of more, with their verdicts.
CASES = [
    (SEPARABLE, "separable"), (QUASI, "quasi-separable"), (OVERLAP, "overlap"),
    (CLASSES, "separable"), (QUASI_CLASSES, "quasi-separable"), (OVERLAP_CLASSES, "overlap"),
]  # fmt: skip


@for_each(("data", "verdict"), CASES)
@for_each("requirement", KNOWN)
def test_every_requirement_of_every_verdict(data: Any, verdict: str, requirement: Any) -> None:
    X, y = data
    answer = mm.separability(X, y)
    assert answer.verdict == verdict
    is_so = requirement in TRUTH[verdict]
    assert holds(answer, requirement) is is_so
    if is_so:
        assert mm.require(X, y, requirement).verdict == verdict
        return
    with pytest.raises(mm.SeparationError, match=f"required {requirement}, found {verdict}") as caught:
        mm.require(X, y, requirement)
    error = caught.value
    assert (error.requirement, error.verdict) == (requirement, verdict)
    assert error.certificate is not None
    assert mm.verify(error.certificate, X, y)


def test_choices_of_the_command_line_are_those_of_the_code() -> None:
    assert REQUIREMENTS == KNOWN


def test_rows_and_columns_responsible_where_overlap_is_required() -> None:
    table = pd.DataFrame({"dose": [1.0, 2.0, 2.0, 4.0], "age": [5.0, 6.0, 6.0, 9.0]})
    with pytest.raises(mm.SeparationError) as caught:
        mm.require(table, QUASI[1], "overlap")
    assert caught.value.rows.tolist() == [0, 3]
    assert set(caught.value.columns) <= {"(Intercept)", "dose", "age"}
    assert caught.value.columns
    with pytest.raises(mm.SeparationError) as caught:
        mm.require(*SEPARABLE, "overlap")
    assert caught.value.rows.tolist() == [0, 1, 2, 3]
    assert caught.value.columns == {"(Intercept)": "-", 0: "+"}
    found = "required overlap, found separable, with infinite coefficients (Intercept) (-), 0 (+): a hyperplane has all"
    assert str(caught.value).startswith(found)


@for_each("data, requirement, rows", [
    (OVERLAP, "separable", [0, 1, 2, 3]),  # that share a point
    (OVERLAP, "quasi-separable", [0, 1, 2, 3]),
    (SEPARABLE, "not-strictly-separable", []),
])  # fmt: skip
def test_rows_responsible_where_separation_is_required_or_forbidden(data: Any, requirement: Any, rows: Any) -> None:
    with pytest.raises(mm.SeparationError) as caught:
        mm.require(*data, requirement)
    assert (caught.value.rows.tolist(), caught.value.columns) == (rows, {})


def test_what_is_not_proven_does_not_pass() -> None:
    """Past the limit it is proven that data are not strictly separable, and no more."""
    answer = mm.separability(*OVERLAP, exact_limit=1)
    assert [holds(answer, requirement) for requirement in KNOWN] == [False, None, None, True]
    assert mm.require(*OVERLAP, "not-strictly-separable", exact_limit=1).strictly_separable is False
    with pytest.raises(mm.SeparationError, match="found undecided") as caught:
        mm.require(*OVERLAP, "overlap", exact_limit=1)
    assert (caught.value.rows.tolist(), caught.value.columns) == ([], {})


def test_out_of_time_nothing_passes() -> None:
    answer = mm.separability(*OVERLAP, time_limit=1e-9)
    assert [holds(answer, requirement) for requirement in KNOWN] == [None] * 4
    for requirement in KNOWN:
        with pytest.raises(mm.SeparationError, match="undecided") as caught:
            mm.require(*OVERLAP, requirement, time_limit=1e-9)  # type: ignore[arg-type]
        assert caught.value.certificate is None
        assert caught.value.rows.dtype == np.int64


@pytest.mark.parametrize("requirement", ["", "Overlap", "separated", None])
def test_an_unknown_requirement_is_refused_before_any_work(requirement: Any) -> None:
    class Untouched:
        def __getattribute__(self, name: str) -> Any:
            pytest.fail("the data were looked at")

    with pytest.raises(InvalidOptionError, match="expected one of separable, quasi-separable, overlap"):
        mm.require(Untouched(), Untouched(), requirement)


def test_options_are_those_of_the_question() -> None:
    assert mm.require(*SEPARABLE, "overlap", bias=False).verdict == "overlap"
    assert mm.require(*CLASSES, "overlap", positive="b").verdict == "overlap"
