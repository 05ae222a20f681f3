"""The exact maximum margin: closed forms, an independent enumeration, invariances, wrong starts, limits, proofs."""

import json
import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import for_each
from elimination import dot, signed_rows
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from liars import make_cvxpy_lie, make_daqp_lie, make_highs_lie
from proven import encloses
from references import exact_margin_squared
from scipy.sparse import csr_array
from zoo import INSEPARABLE, SEPARABLE, Known

import maxmargin as mm
from maxmargin.cli.app import run
from maxmargin.solvers.exact.dyadic import quotient_text
from maxmargin.solvers.hard_margin import exact_margin
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.hulls import HullPoint


def assert_solves(problem: Problem, answer: mm.HardMargin) -> None:
    """Check the optimality conditions in fractions, and what is rounded from them."""
    assert answer.status is mm.Status.OPTIMAL
    w, b, square = answer.w_exact, answer.b_exact, answer.margin_squared
    assert w is not None and b is not None and square is not None and answer.dual_exact is not None
    z = signed_rows(problem.X, problem.y, False)
    margins = [dot(list(w), row) + b * int(s) for row, s in zip(z, problem.y, strict=True)]
    assert min(margins) == 1
    assert all(margins[i] == 1 and alpha > 0 for i, alpha in answer.dual_exact.items())
    normal = [sum((alpha * z[i][j] for i, alpha in answer.dual_exact.items()), Fraction(0)) for j in range(len(w))]
    assert normal == list(w)
    if problem.bias:
        assert sum(alpha * int(problem.y[i]) for i, alpha in answer.dual_exact.items()) == 0
    else:
        assert b == 0
    assert square == 1 / dot(normal, normal)
    assert answer.support.tolist() == sorted(answer.dual_exact)
    assert len(answer.support) <= problem.n_features + problem.bias
    assert_nearest_interval(answer, square)
    assert answer.certificate is not None and answer.certificate.claim == "margin-exactly"


def assert_nearest_interval(answer: mm.HardMargin, square: Fraction) -> None:
    assert encloses(answer, square)
    assert answer.upper in (answer.lower, math.nextafter(answer.lower, math.inf))


def assert_exactly(problem: Problem, square: Fraction | int, **options: Any) -> mm.HardMargin:
    answer = hard_margin(problem, exact=True, **options)
    assert answer.margin_squared == square
    if square:
        assert_solves(problem, answer)
    else:
        assert answer.status.is_inseparable
        assert (answer.lower, answer.upper, answer.w_exact) == (0.0, 0.0, None)
    return answer


@for_each("known", SEPARABLE + INSEPARABLE)
def test_closed_forms(known: Known) -> None:
    for X in (known.X, csr_array(known.X)):
        assert_exactly(Problem(X, known.y, known.bias), known.margin_squared)


@for_each("k", [-1000, -1, 1000])
@for_each("separable", SEPARABLE)
def test_powers_of_two_scale_the_square(separable: Known, k: int) -> None:
    problem = Problem(np.ldexp(separable.X, k), separable.y, separable.bias)
    assert_exactly(problem, separable.margin_squared * Fraction(4) ** k)


@pytest.mark.parametrize("k", [1, 20, 40, 53, 500, 1000, 1074])
def test_small_gaps(k: int) -> None:
    """A point 2^-k above an edge: the interval is as narrow as binary64 comes without being asked."""
    problem = Problem(np.array([[0, 0], [2, 0], [1, 2.0**-k], [1, 1]]), np.array([-1.0, -1.0, 1.0, 1.0]))
    square = Fraction(1, 4 ** (k + 1))
    assert_exactly(problem, square)
    plain = hard_margin(problem)
    assert plain.status is mm.Status.OPTIMAL and encloses(plain, square)
    assert plain.upper - plain.lower <= max(1e-9 * plain.upper, 5e-324)


small_numbers = st.one_of(st.integers(-3, 3).map(float), st.integers(-9, 9).map(lambda v: v / 7))


@st.composite
def small_problems(draw: st.DrawFn) -> Problem:
    """Few rows, many of them on one plane or the same; half of them are pushed apart."""
    n, d = draw(st.integers(2, 6)), draw(st.integers(1, 3))
    X = draw(hnp.arrays(np.float64, (n, d), elements=small_numbers))
    y = np.array([1.0, -1.0, *draw(st.lists(st.sampled_from([-1.0, 1.0]), min_size=n - 2, max_size=n - 2))])
    if draw(st.booleans()):
        X = X + np.outer(y, draw(hnp.arrays(np.float64, d, elements=st.integers(-4, 4).map(float))))
    return Problem(X, y, draw(st.booleans()))


@given(small_problems(), st.sampled_from([(0, 0, 0), (900, -900, 0), (-900, 900, 0), (0, 900, 450)]))
def test_another_method_in_fractions_agrees(problem: Problem, exponents: tuple[int, ...]) -> None:
    """Also in units far apart."""
    problem = replace(problem, X=np.ldexp(problem.X, exponents[: problem.n_features]))
    square = exact_margin_squared(problem.X, problem.y, problem.bias)
    assert_exactly(problem, square)
    assert encloses(hard_margin(problem), square)


@given(small_problems(), st.integers(0, 2**32 - 1))
def test_pivoting_needs_no_start(problem: Problem, seed: int) -> None:
    """From any weights, and for hulls that share a point too, the same number comes out."""
    weights = np.random.default_rng(seed).random(problem.n_samples)
    square = exact_margin_squared(problem.X, problem.y, problem.bias)
    for start in (None, weights, 1e300 * weights, -weights, np.where(weights > 0.7, weights, 0)):
        point, is_nearest = exact_margin.nearest_point(problem, exact_margin.start_near(problem, start), bool)
        assert is_nearest and point.margin_squared == square
        assert min(point.weights) > 0


def test_integers_beyond_binary64() -> None:
    """The decimal reading: the rows are 1/10, 2/10, 3/10 + 10^-30 in units of 10^-30."""
    unit = 10**30
    integers = np.array([[unit // 10], [2 * unit // 10], [3 * unit // 10 + 1]], dtype=object)
    problem = Problem(integers.astype(float), np.array([-1.0, -1.0, 1.0]), integers=integers)
    assert hard_margin(problem, exact=True).margin_squared == Fraction(unit // 10 + 1, 2) ** 2


@pytest.mark.parametrize("name, positive, digits, n_support", [
    ("breast_cancer", None, "4.13713684254", 31), ("iris", "setosa", "0.8175557692", 3),
    ("digits", 0, "2.897995168", None), ("digits", 1, "0.114672828", None), ("digits", 3, "0.130501257", None),
])  # fmt: skip
def test_real_data(name: str, positive: Any, digits: str, n_support: int | None) -> None:
    data = mm.load(name, positive=positive)
    problem = Problem(data.X, data.y.astype(float))
    answer = hard_margin(problem, exact=True)
    assert answer.status is mm.Status.OPTIMAL and answer.margin_squared is not None and answer.certificate is not None
    assert mm.verify(answer.certificate, data.X, data.y)
    assert_nearest_interval(answer, answer.margin_squared)
    assert repr(answer.lower).startswith(digits)
    assert n_support in (None, len(answer.support))
    plain = hard_margin(problem)
    assert encloses(plain, answer.margin_squared) and plain.gap <= 1e-9 * plain.upper
    assert n_support in (None, len(plain.support))


def random_vector() -> Callable[[int], np.ndarray]:
    rng = np.random.default_rng(0)
    return lambda size: rng.normal(size=size)


def out_of_luck(size: int) -> Any:
    raise RuntimeError("no")


# Solutions in floating point that are of no use.
LIES: dict[str, Callable[[int], Any]] = {
    "random": random_vector(), "zeros": np.zeros, "not numbers": lambda size: np.full(size, np.nan),
    "raises": out_of_luck, "one entry": lambda size: np.eye(size)[0],
}  # fmt: skip


@pytest.mark.sampled
@pytest.mark.parametrize("method", ["auto", "textbook"])
@pytest.mark.parametrize("lie", LIES.values(), ids=list(LIES))
def test_wrong_starts_end_at_the_same_number(
    lie: Callable[[int], Any], method: str, known: Known, monkeypatch: pytest.MonkeyPatch
) -> None:
    problem = Problem(known.X, known.y, known.bias)
    make_daqp_lie(monkeypatch, lie)
    make_cvxpy_lie(monkeypatch, lie)
    assert_exactly(problem, known.margin_squared, method=method)
    plain = hard_margin(problem, method=method)
    assert encloses(plain, known.margin_squared)
    assert plain.status is mm.Status.OPTIMAL if known.margin_squared else plain.status.is_inseparable


@for_each("known", SEPARABLE + INSEPARABLE)
def test_undecided_data_are_decided_by_pivoting(known: Known, monkeypatch: pytest.MonkeyPatch) -> None:
    """Without any proof of separability, and with solvers that raise."""
    problem = Problem(known.X, known.y, known.bias)
    for make_lie in (make_daqp_lie, make_cvxpy_lie, make_highs_lie):
        make_lie(monkeypatch, out_of_luck)
    answer = assert_exactly(problem, known.margin_squared)
    if not known.margin_squared:
        assert answer.certificate is not None and answer.certificate.claim != "margin-exactly"


def hard_problem() -> Problem:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 8))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    return Problem(X + 0.1 * np.outer(y, np.eye(8)[0]), y)


def test_limits_leave_the_proven_interval() -> None:
    problem = hard_problem()
    square = hard_margin(problem, exact=True).margin_squared
    assert square is not None
    for limits, word in (({"exact_limit": 8}, "exact_limit"), ({"time_limit": 1e-9}, "time limit")):
        answer = hard_margin(problem, exact=True, **limits)  # type: ignore[arg-type]
        assert answer.status is mm.Status.LIMIT and word in answer.reason
        assert answer.margin_squared is None and answer.w_exact is None
        assert encloses(answer, square) and answer.w is not None
        assert answer.certificate is not None and answer.certificate.claim == "margin-at-least"
    assert hard_margin(problem, exact=True, exact_limit=9).margin_squared == square


def test_every_stop_on_the_way_is_a_proven_bound() -> None:
    problem = hard_problem()
    square = hard_margin(problem, exact=True).margin_squared
    start = exact_margin.start_near(problem, None)
    previous, is_nearest, n_steps = start.margin_squared, False, 0
    while not is_nearest:
        n_steps += 1
        ticks = iter([False] * n_steps + [True])
        point, is_nearest = exact_margin.nearest_point(problem, start, lambda ticks=ticks: next(ticks))
        assert square is not None and square <= point.margin_squared <= previous
        assert min(point.weights) >= 0
        previous = point.margin_squared
    assert n_steps > 5 and previous == square


def test_a_failure_of_the_linear_algebra_is_not_believed() -> None:
    """A v that is not the shortest combination of its own rows: the least margin is 1 on one of them only."""
    problem = Problem.validated([[0.0, 0.0], [2.0, -1.0], [2.0, 1.0]], [-1, 1, 1])
    exact_margin.most_violated_row(HullPoint(problem, (0, 1, 2), (2, 1, 1), 2))
    with pytest.raises(ArithmeticError, match="shortest"):
        exact_margin.most_violated_row(HullPoint(problem, (0, 1, 2), (4, 1, 3), 4))


def test_the_proofs_of_both_ends() -> None:
    problem = hard_problem()
    answer = hard_margin(problem)
    assert answer.margin_squared is None and answer.w_exact is None
    at_least, at_most = answer.certificate, answer.upper_certificate
    low, high = Fraction(at_least.to_dict()["margin_squared"]), Fraction(at_most.to_dict()["margin_squared"])
    assert (at_least.claim, at_most.claim) == ("margin-at-least", "margin-at-most")
    both = answer.interval_certificate
    assert both is not None and both.claim == "margin-between" and mm.verify(both, problem.X, problem.y)
    document = both.to_dict()
    assert (Fraction(document["margin_squared"]), Fraction(document["upper_squared"])) == (low, high)
    exact = hard_margin(problem, exact=True)
    assert exact.interval_certificate == exact.certificate
    assert low <= exact.margin_squared <= high
    assert Fraction(answer.lower) ** 2 <= low and high <= Fraction(answer.upper) ** 2
    document = exact.certificate.to_dict()
    assert Fraction(document["margin_squared"]) == exact.margin_squared
    assert document["rows"] == exact.support.tolist()
    touching = hard_margin(Problem(np.array([[0.0], [0.0]]), np.array([-1.0, 1.0])), exact=True)
    assert touching.certificate is not None and touching.certificate.claim != "margin-exactly"
    assert touching.upper_certificate is None


@for_each("known", (SEPARABLE + INSEPARABLE)[::3])
def test_the_checker_agrees(known: Known) -> None:
    problem = Problem(known.X, known.y, known.bias)
    for answer in (hard_margin(problem, solver="CLARABEL"), hard_margin(problem, exact=True)):
        assert answer.certificate is not None and mm.verify(answer.certificate, known.X, known.y)
        if known.margin_squared:
            assert answer.upper_certificate is not None and mm.verify(answer.upper_certificate, known.X, known.y)
            better = answer.certificate.to_dict()
            better["margin_squared"] = quotient_text(known.margin_squared * (1 + Fraction(1, 10**30)))
            with pytest.raises(mm.CertificateError, match="is false"):
                mm.verify(better, known.X, known.y)


def very_long() -> Problem:
    """Numbers of so many digits that Python refuses to write them."""
    rng = np.random.default_rng(8)
    X = np.ldexp(rng.integers(1, 2**40, (11, 10)).astype(float), rng.integers(-900, 900, (11, 10)))
    return Problem(X, np.resize([-1.0, 1.0], 11))


def test_very_long_numbers_can_be_written() -> None:
    problem = very_long()
    answer = hard_margin(problem, exact=True)
    assert_solves(problem, answer)
    assert answer.margin_squared is not None and answer.margin_squared.numerator.bit_length() > 15000
    assert "HardMargin" in repr(answer) and answer.certificate is not None
    assert mm.verify(answer.certificate.to_json(), problem.X, problem.y)


def command(*arguments: Any) -> int:
    return run(["margin", *map(str, arguments)])


def test_the_command_prints_the_fractions(capsys: pytest.CaptureFixture[str]) -> None:
    assert command("iris", "--positive", "setosa", "--exact", "--json", "--quiet") == 0
    printed = json.loads(capsys.readouterr().out)
    square = Fraction(printed["margin_squared"])
    assert Fraction(printed["lower"]) ** 2 <= square <= Fraction(printed["upper"]) ** 2
    w = [Fraction(value) for value in printed["w_exact"]]
    assert square == 1 / dot(w, w) and [float(value) for value in w] == printed["w"]
    assert float(Fraction(printed["b_exact"])) == printed["b"]
    assert sum(Fraction(value) for value in printed["dual_exact"]) == 1 / square
    assert len(printed["dual_exact"]) == len(printed["support"]) == 3
    assert command("iris", "--positive", "versicolor", "--exact", "--json", "--quiet") == 3
    printed = json.loads(capsys.readouterr().out)
    assert (printed["margin_squared"], printed["w_exact"], printed["b_exact"]) == ("0", None, None)
    assert command("breast_cancer", "--exact", "--quiet") == 0
    text = capsys.readouterr().out
    assert "(933 digits) / " in text and "= 0.000041371368425453055" in text
    assert command("breast_cancer", "--exact", "--exact-limit", 30, "--quiet") == 4
    assert "limited to 30 columns" in capsys.readouterr().out


@pytest.mark.parametrize("options, claim", [((), "margin-between"), (("--exact",), "margin-exactly")])
def test_the_command_writes_a_proof(options: tuple[str, ...], claim: str, tmp_path: Path) -> None:
    path = tmp_path / "proof.json"
    assert command("breast_cancer", "--proof", path, "--quiet", *options) == 0
    document = json.loads(path.read_text())
    assert document["claim"] == claim and document["data"]["source"] == "breast_cancer"
    data = mm.load("breast_cancer")
    assert mm.verify(path, data.X, data.labels)
    lower, upper = Fraction(document["margin_squared"]), Fraction(document.get("upper_squared", "1"))
    assert lower <= upper
    for name, factor in (("margin_squared", 1 + Fraction(1, 10**6)), ("upper_squared", 1 - Fraction(1, 10**6))):
        if name in document:
            with pytest.raises(mm.CertificateError, match="is false"):
                mm.verify({**document, name: quotient_text(Fraction(document[name]) * factor)}, data.X, data.labels)
