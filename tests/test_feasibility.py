"""Strict separability: the verdict is the truth or `undecided`, whatever the data and whatever the solvers say."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array

from maxmargin.solvers import backends, feasibility
from maxmargin.solvers.candidate import Attempt, Candidate
from maxmargin.solvers.engines import highs_lp
from maxmargin.solvers.feasibility import separability
from maxmargin.solvers.hard_margin import hard_margin
from maxmargin.solvers.problem import Problem
from maxmargin.solvers.proof.certificate import CommonHullPoint, SeparatingHyperplane
from maxmargin.solvers.solution import Separability, Status, Verdict

SQUARE = np.array(list(product(range(3), repeat=2)), dtype=float)
CUBE = np.array(list(product(range(2), repeat=3)), dtype=float)
Truth = Callable[..., bool]
Check = Callable[..., bool]
Margins = Callable[..., list[Fraction]]


def labellings(points: np.ndarray, signs: tuple[int, ...]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield every labelling of every subset (sign 0: the point is absent) that has both classes."""
    for labels in product(signs, repeat=len(points)):
        y = np.array(labels, dtype=float)
        kept = y != 0
        if (y > 0).any() and (y < 0).any():
            yield points[kept], y[kept]


@pytest.fixture(scope="module")
def is_proven(is_common_hull_point: Check, margins_of: Margins) -> Check:
    """Check the certificate of an answer in fractions, and that the words beside it fit."""

    def check(problem: Problem, answer: Separability) -> bool:
        X, y = problem.X, problem.y
        if answer.strictly_separable is None:
            return answer.certificate is None and answer.proof is None and answer.verdict is Verdict.UNDECIDED
        if answer.strictly_separable:
            plane = answer.certificate
            assert isinstance(plane, SeparatingHyperplane)
            least = min(margins_of(X, y, plane.w, plane.b))
            fits = answer.verdict is Verdict.SEPARABLE and (problem.bias or plane.b == 0)
            return fits and least == plane.least_functional_margin > 0
        point = answer.certificate
        assert isinstance(point, CommonHullPoint)
        assert answer.witness_rows is not None and tuple(answer.witness_rows) == point.rows
        return answer.verdict is Verdict.UNDECIDED and is_common_hull_point(X, y, problem.bias, point)

    return check


def agrees(problem: Problem, truth: bool, is_proven: Check) -> bool:
    answer = separability(problem)
    assert is_proven(problem, answer)
    return answer.strictly_separable is truth


@pytest.mark.parametrize("bias", [True, False])
def test_every_labelling_of_the_cube(truly_separable: Truth, is_proven: Check, bias: bool) -> None:
    for X, y in labellings(CUBE, (-1, 1)):
        assert agrees(Problem(X, y, bias), truly_separable(X, y, bias), is_proven), y


@pytest.mark.parametrize("bias", [True, False])
def test_labellings_of_the_square_and_its_subsets(truly_separable: Truth, is_proven: Check, bias: bool) -> None:
    counts = {True: 0, False: 0}
    for i, (X, y) in enumerate(labellings(SQUARE, (-1, 0, 1))):
        if i % 37 == 0:
            truth = truly_separable(X, y, bias)
            counts[truth] += 1
            assert agrees(Problem(X, y, bias), truth, is_proven), (X, y)
    assert min(counts.values()) >= 25


@pytest.mark.slow
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("points", [SQUARE, CUBE], ids=["square", "cube"])
def test_every_labelling_of_every_subset(
    truly_separable: Truth, is_proven: Check, points: np.ndarray, bias: bool
) -> None:
    for X, y in labellings(points, (-1, 0, 1)):
        assert agrees(Problem(X, y, bias), truly_separable(X, y, bias), is_proven), (X, y)


def test_known_problems(known: Any, is_proven: Check) -> None:
    assert agrees(Problem(known.X, known.y, known.bias), known.margin_squared > 0, is_proven)
    assert agrees(Problem(csr_array(known.X), known.y, known.bias), known.margin_squared > 0, is_proven)


small = st.integers(-2, 2).map(float)
mixed = st.one_of(small, st.sampled_from([1e300, -1e300, 1e-300, 5e-324, -1e-323, 1e15, 1e15 + 1]), st.floats(-1, 1))


@st.composite
def problems(draw: st.DrawFn, entries: st.SearchStrategy[float]) -> tuple[np.ndarray, np.ndarray, bool]:
    n, d = draw(st.integers(2, 7)), draw(st.integers(1, 3))
    X = draw(hnp.arrays(np.float64, (n, d), elements=entries))
    y = draw(hnp.arrays(np.float64, n, elements=st.sampled_from([-1.0, 1.0])))
    y[:2] = -1.0, 1.0
    return X, y, draw(st.booleans())


@given(problems(small))
@settings(deadline=None)
def test_small_integers_are_always_decided(truly_separable: Truth, is_proven: Check, data: tuple) -> None:
    X, y, bias = data
    assert agrees(Problem(X, y, bias), truly_separable(X, y, bias), is_proven)


@given(problems(mixed))
@settings(deadline=None)
def test_never_a_wrong_verdict_in_mixed_units(truly_separable: Truth, is_proven: Check, data: tuple) -> None:
    X, y, bias = data
    answer = separability(Problem(X, y, bias))
    assert is_proven(Problem(X, y, bias), answer)
    assert answer.strictly_separable in (None, truly_separable(X, y, bias))


@given(problems(small), st.integers(-1070, 1000), st.integers(-300, 300))
@settings(deadline=None)
def test_units_of_the_columns_change_nothing(
    truly_separable: Truth, is_proven: Check, data: tuple, first: int, rest: int
) -> None:
    X, y, bias = data
    exponents = np.array([first] + [rest] * (X.shape[1] - 1))
    assert agrees(Problem(np.ldexp(X, exponents), y, bias), truly_separable(X, y, bias), is_proven)


@pytest.mark.parametrize("k", [10, 30, 40, 50, 52])
@pytest.mark.parametrize("d", [1, 2])
def test_gaps_touching_and_overlaps_of_two_to_the_minus_k(is_proven: Check, k: int, d: int) -> None:
    """Faces 1 and 1 + 2^-k apart by a hair, touching, overlapping by a hair."""
    face = np.array(list(product((-1.0, 0.5, 2.0), repeat=d - 1))).reshape(3 ** (d - 1), d - 1)
    for step in (1, 0, -1):
        left = np.hstack([np.full((len(face), 1), 1.0), face])
        right = np.hstack([np.full((len(face), 1), 1.0 + step * 2.0**-k), face])
        far = np.vstack([np.full((1, d), -3.0), np.full((1, d), 5.0)])
        X = np.vstack([left, right, far])
        y = np.array([-1.0] * len(face) + [1.0] * len(face) + [-1.0, 1.0])
        answer = separability(Problem(X, y))
        assert is_proven(Problem(X, y), answer)
        # Beyond the tolerance of the floating-point solvers (1e-10) it is theirs whether a proof is found.
        assert answer.strictly_separable is (step > 0) or (k > 30 and answer.strictly_separable is None), answer.reason


@pytest.mark.parametrize("offset", [1e8, 1e12, 1e15])
def test_offsets(truly_separable: Truth, is_proven: Check, offset: float) -> None:
    rng = np.random.default_rng(5)
    for _ in range(10):
        X = offset + rng.integers(-3, 4, size=(8, 2)).astype(float)
        y = np.where(np.arange(8) % 2, 1.0, -1.0)
        y = y if rng.random() < 0.5 else np.where(X[:, 0] + 2 * X[:, 1] > 3 * offset, 1.0, -1.0)
        if len(set(y)) == 2:
            assert agrees(Problem(X, y), truly_separable(X, y), is_proven)


@pytest.mark.parametrize("bias", [True, False])
def test_odd_shapes(is_proven: Check, bias: bool) -> None:
    rng = np.random.default_rng(2)
    wide = rng.normal(size=(5, 40))
    signs = np.array([-1.0, 1, -1, 1, 1])
    assert agrees(Problem(wide, signs, bias), True, is_proven), "d > n, in general position"
    both = np.vstack([wide, wide[:1]])
    assert agrees(Problem(both, np.append(signs, 1.0), bias), False, is_proven), "a row with both labels"
    column = rng.normal(size=(9, 1))
    collinear = column @ np.array([[1.0, 2.0, -4.0]])
    y = np.where(column.ravel() > 0, 1.0, -1.0)
    assert agrees(Problem(collinear, y, bias), True, is_proven)
    y[np.argsort(column.ravel())[4]] *= -1
    constant = np.hstack([np.ones((9, 1)), column])
    assert agrees(Problem(constant, np.where(column.ravel() > 0, 1.0, -1.0), bias), True, is_proven)
    zero_row = np.vstack([column + 3, [[0.0]]])
    assert agrees(Problem(zero_row, np.append(np.ones(9), -1.0), bias), bias, is_proven)


@pytest.mark.parametrize("far", [1e6, 1e12])
@pytest.mark.parametrize("bias", [True, False])
def test_one_row_far_from_the_others(is_proven: Check, far: float, bias: bool) -> None:
    rng = np.random.default_rng(3)
    for _ in range(10):
        X = rng.normal(size=(60, 4))
        y = np.where(X[:, 0] > 0, 1.0, -1.0)
        X[0] *= far
        assert agrees(Problem(X, y, bias), True, is_proven)
        X[1], y[1] = X[2], -y[2]
        assert agrees(Problem(X, y, bias), False, is_proven)


def test_separable_with_bias_only(is_proven: Check) -> None:
    X, y = np.array([[1.0], [2.0]]), np.array([-1.0, 1.0])
    assert agrees(Problem(X, y), True, is_proven)
    assert agrees(Problem(X, y, bias=False), False, is_proven)


@pytest.mark.parametrize("unit", [1e300, 1.7e308 / 3, 1e-300, 5e-324])
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("sparse", [False, True])
def test_extreme_units(is_proven: Check, unit: float, bias: bool, sparse: bool) -> None:
    for rows, truth in (([-3, -1, 1, 2], True), ([-1, 1, -1, 1], False)):
        X = np.array(rows, dtype=float)[:, None] * unit
        stored = csr_array(X) if sparse else X
        assert agrees(Problem(stored, np.array([-1.0, -1.0, 1.0, 1.0]), bias), truth, is_proven)


def test_known_real_data(is_proven: Check) -> None:
    from maxmargin.dataset import load

    expected = {("iris", "setosa"): True, ("iris", "versicolor"): False, ("breast_cancer", None): True}
    for (name, positive), truth in expected.items():
        data = load(name, positive=positive)
        assert agrees(Problem(data.X, data.y.astype(float)), truth, is_proven)


@pytest.mark.parametrize("method, solver", [("highs", None), ("cvxpy", None), ("cvxpy", "clarabel"), ("auto", "HIGHS")])
def test_every_method_proves_its_answer(known: Any, is_proven: Check, method: str, solver: str | None) -> None:
    problem = Problem(known.X, known.y, known.bias)
    answer = separability(problem, method=method, solver=solver)
    assert is_proven(problem, answer)
    assert answer.strictly_separable in (None, known.margin_squared > 0)
    assert len(answer.attempts) >= 1


def test_unknown_methods_and_solvers_are_refused() -> None:
    problem = Problem.validated([[1.0], [2.0]], [-1, 1])
    with pytest.raises(ValueError, match="expected 'auto', 'highs' or 'cvxpy'"):
        separability(problem, method="magic")
    with pytest.raises(ValueError, match="'GLPK_XYZ' is not installed; installed are"):
        separability(problem, solver="GLPK_XYZ")
    with pytest.raises(ValueError, match="method 'highs'"):
        separability(problem, method="highs", solver="CLARABEL")


# What follows lies: solvers return anything, and the answer stays the truth or `undecided`.


def random_candidate(rng: np.random.Generator, n: int, d: int) -> Candidate:
    def vector(size: int) -> np.ndarray | None:
        values = rng.normal(size=size) * 10.0 ** rng.integers(-320, 308)
        kind = rng.integers(8)
        if kind == 0:
            return None
        if kind == 1:
            values[rng.integers(size)] = rng.choice([np.nan, np.inf, -np.inf])
        if kind == 2:
            return np.zeros(size)
        if kind == 3:
            return np.full(size, 1.7e308)
        if kind == 4:
            return np.abs(values)
        return values

    attempt = Attempt(solver="liar", status=str(rng.choice(["optimal", "infeasible", "user_limit"])))
    return Candidate(w=vector(d), multipliers=vector(n), engine="liar", attempt=attempt)


@pytest.fixture
def lying(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[int, int], Candidate]], None]:
    """Replace every solver."""

    def replace(answer: Callable[[int, int], Candidate]) -> None:
        monkeypatch.setattr(highs_lp, "solve", lambda X, y, *, bias: answer(*X.shape))
        monkeypatch.setattr(
            backends, "solve", lambda program, solver: answer(program.margins.shape[0], program.w.shape[0])
        )

    return replace


def test_random_answers_never_become_a_wrong_verdict(lying: Callable[..., None], known: Any, is_proven: Check) -> None:
    rng = np.random.default_rng(11)
    lying(lambda n, d: random_candidate(rng, n, d))
    problem = Problem(known.X, known.y, known.bias)
    for _ in range(4):
        answer = separability(problem)
        assert is_proven(problem, answer)
        assert answer.strictly_separable in (None, known.margin_squared > 0)
        margin = hard_margin(problem)
        assert Fraction(margin.lower) ** 2 <= known.margin_squared
        assert margin.upper == np.inf or known.margin_squared <= Fraction(margin.upper) ** 2
        assert margin.status is not Status.NOT_STRICTLY_SEPARABLE or not known.margin_squared


def test_a_solver_that_says_infeasible_decides_nothing(lying: Callable[..., None], known: Any) -> None:
    attempt = Attempt(solver="liar", status="infeasible", message="no way")
    lying(lambda n, d: Candidate(w=None, multipliers=None, engine="liar", attempt=attempt))
    problem = Problem(known.X, known.y, known.bias)
    answer = separability(problem)
    assert answer.strictly_separable is None and answer.verdict is Verdict.UNDECIDED and answer.proof is None
    assert "liar: infeasible" in answer.reason
    margin = hard_margin(problem)
    assert margin.status is Status.UNDECIDED and margin.w is None and margin.margin is None
    assert margin.lower == 0 and margin.upper == np.inf
    assert {attempt.status for attempt in margin.attempts} == {"infeasible"}


def test_solvers_that_raise_lead_to_the_next_one(monkeypatch: pytest.MonkeyPatch, known: Any, is_proven: Check) -> None:
    import cvxpy

    def fail(*_: Any, **__: Any) -> None:
        raise RuntimeError("out of\nluck")

    problem = Problem(known.X, known.y, known.bias)
    with monkeypatch.context() as patch:
        patch.setattr("highspy.Highs.run", fail)
        answer = separability(problem)
        assert is_proven(problem, answer) and answer.strictly_separable is (known.margin_squared > 0)
        assert answer.attempts[0].status == "RuntimeError"
    with monkeypatch.context() as patch:
        patch.setattr("highspy.Highs.run", fail)
        patch.setattr(cvxpy.Problem, "solve", fail)
        answer = separability(problem)
        assert answer.strictly_separable is None
        assert "HiGHS: RuntimeError" in answer.reason and "CLARABEL: RuntimeError" in answer.reason
        assert all(attempt.message == "out of luck" for attempt in answer.attempts)


def test_wrong_multipliers_beside_a_right_plane(lying: Callable[..., None]) -> None:
    attempt = Attempt(solver="liar", status="optimal")
    X, y = np.array([[0.0], [1.0], [3.0]]), np.array([-1.0, -1.0, 1.0])
    for multipliers in ([1.0, 1.0, 2.0], [1.0, 0.0, 0.0], [1e308, 1e308, 1e308], [5e-324, 0.0, 5e-324]):
        weights = np.array(multipliers)
        lying(lambda n, d, a=weights: Candidate(w=-np.ones(d), multipliers=a, engine="liar", attempt=attempt))
        assert separability(Problem(X, y)).strictly_separable is None
        margin = hard_margin(Problem(X, y))
        assert margin.lower == 0 and margin.upper >= 1


def test_a_finder_that_errs_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = Problem.validated([[0.0], [1.0]], [-1, 1])
    wrong = CommonHullPoint(problem=problem, rows=(0, 1), weights=(1, 1))
    monkeypatch.setattr(feasibility, "find_common_hull_point", lambda problem, weights: wrong)
    assert feasibility.prove_inseparable(problem, np.ones(2)) is None
    assert feasibility.prove_inseparable(Problem.validated([[1.0], [1.0]], [-1, 1]), np.ones(2)) == wrong


def test_prove_separable_refuses_what_is_no_plane() -> None:
    problem = Problem.validated([[0.0], [1.0]], [-1, 1])
    for w in (0.0, np.nan, np.inf, -1.0):
        assert feasibility.prove_separable(problem, np.array([w])) is None
