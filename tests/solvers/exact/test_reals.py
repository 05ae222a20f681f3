"""Numbers that are given for options: exact, or refused with the name of the option."""

import math
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cases import for_each

import maxmargin as mm
from maxmargin.solvers.exact.reals import binary64, exact_real

# Every C v of the two rows is paid once: the optimum is the sum of C v.
X, Y = [[1.0], [1.0]], [0, 1]


@for_each("value", [1, 0.1, True, np.float32(0.1), np.int8(3), np.array(0.5), Fraction(1, 4), 5e-324])
def test_what_binary64_holds_stays_the_same_number(value: Any) -> None:
    held = binary64(value)
    assert held is not None and Fraction(held) == exact_real(value) == Fraction(float(value))


NOT_HELD = [Decimal("0.1"), Fraction(1, 3), 10**400, 10**5000, 2**53 + 1, "1", None, 1j, np.array([1.0]), 0.0, -1.0,
            np.longdouble("0.1"), np.timedelta64(1, "s"), float("nan"), float("inf"), Decimal("inf")]  # fmt: skip

OPTIONS: dict[str, Callable[[Any], object]] = {
    "C": lambda value: mm.soft_margin(X, Y, value),
    "Cs": lambda value: mm.soft_margin_path(X, Y, value if value is None else [value]),
    "nu": lambda value: mm.nu_margin(X, Y, value),
    "bias_scale": lambda value: mm.perceptron(X, Y, bias_scale=value),
}


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("value", NOT_HELD, ids=lambda value: type(value).__name__)
def test_what_it_does_not_hold_is_refused(name: str, value: Any) -> None:
    if np.finfo(np.longdouble).nmant == 52 and isinstance(value, np.longdouble):
        pytest.skip("no longer than double here")
    with pytest.raises(mm.InvalidProblemError, match=f"^({name}|C) is .*; expected .*") as caught:
        OPTIONS[name](value)
    assert len(str(caught.value)) < 200


@pytest.mark.parametrize("weight", [Decimal("0.1"), Fraction(1, 3), np.longdouble("0.1"), 7, 0.1])
def test_weights_of_classes_are_exact(weight: Any) -> None:
    answer = mm.soft_margin(X, Y, 1.0, class_weight={0: weight, 1: weight})
    optimum = 2 * Fraction(*weight.as_integer_ratio())
    assert Fraction(answer.lower) <= optimum <= Fraction(answer.objective)


@pytest.mark.parametrize("weight", [10**400, float("inf"), -1, "1", None, 1j, Decimal("nan")])
def test_other_weights_of_classes_are_refused(weight: Any) -> None:
    with pytest.raises(mm.InvalidProblemError, match=r"class_weight of 0 is .*; expected a finite number from 0"):
        mm.soft_margin(X, Y, 1.0, class_weight={0: weight, 1: 1})


@pytest.mark.parametrize("class_weight", [{"c": 1.0}, "heavy", 3.0])
def test_other_class_weights_are_refused(class_weight: Any) -> None:
    with pytest.raises(mm.InvalidProblemError, match="class_weight"):
        mm.soft_margin(X, Y, class_weight=class_weight)


@for_each("weights", [
    np.ma.MaskedArray([2.0, 1.0], mask=[False, True]), np.array([1 + 5j, 1]), np.array([1, 2], dtype="m8[s]"),
    np.array(["0.1", "1"]), ["1", "2"], [1, "2"], [1, None], [10**400, 1], [[1], [2]],
])  # fmt: skip
def test_weights_of_rows_are_numbers(weights: Any) -> None:
    with pytest.raises(mm.InvalidProblemError, match="sample_weight"):
        mm.soft_margin(X, Y, 1.0, sample_weight=weights)


@for_each("question, C, weights, message", [
    *((question, 0.5, weights, message) for question in (mm.soft_margin, mm.nu_margin) for weights, message in (
        ([1.0, -1.0, 1.0], "negative"), ([1.0, math.nan, 1.0], "negative"), ([1.0, 1.0], "shape"),
        ([0.0, 1.0, 1.0], "one class"), (["a", "b", "c"], "numbers"),
    )),
    (mm.soft_margin, 1e-150, [1e-200, 1.0, 1.0], "range"), (mm.nu_margin, 0.5, [5e-324, 1e308, 1e308], "too different"),
])  # fmt: skip
def test_bad_weights_of_rows_are_refused(question: Callable[..., Any], C: float, weights: Any, message: str) -> None:
    with pytest.raises(mm.InvalidProblemError, match=message):
        question([[1.0], [2.0], [3.0]], [0, 1, 1], C, sample_weight=weights)
