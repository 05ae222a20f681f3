"""Separability: every answer is the truth, proven, with the right rows and columns, whatever the data."""

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from cases import for_each, of_today
from hypothesis import given
from hypothesis import strategies as st
from proven import is_proven, is_right
from rays import facts_by_rays
from scipy.sparse import csr_array
from strategies import problems
from zoo import INSEPARABLE, SEPARABLE, Known

import maxmargin as mm
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.certificate import QuasiSeparation
from maxmargin.solvers.separability import feasibility
from maxmargin.solvers.separability.feasibility import separability

SQUARE = np.array(list(product(range(3), repeat=2)), dtype=float)
CUBE = np.array(list(product(range(2), repeat=3)), dtype=float)


def labellings(points: np.ndarray, signs: tuple[int, ...]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield every labelling of every subset (sign 0: the point is absent) that has both classes."""
    for labels in product(signs, repeat=len(points)):
        y = np.array(labels, dtype=float)
        kept = y != 0
        if (y > 0).any() and (y < 0).any():
            yield points[kept], y[kept]


def agrees(problem: Problem, truth: bool) -> bool:
    answer = separability(problem)
    assert is_proven(problem, answer)
    return answer.strictly_separable is truth


@pytest.mark.sampled(1)
@pytest.mark.parametrize("bias", [True, False])
def test_every_labelling_of_the_cube(bias: bool) -> None:
    """But for those with the classes swapped."""
    for X, y in labellings(CUBE, (-1, 1)):
        if y[0] < 0:
            assert is_right(Problem(X, y, bias), separability(Problem(X, y, bias))), y


def symmetries(points: np.ndarray, bias: bool) -> np.ndarray:
    """Return where the points go when coordinates are exchanged and, with a bias, mirrored."""
    positions = {tuple(point): k for k, point in enumerate(points.tolist())}
    d, most = points.shape[1], points.max()
    mirrors = product((False, True), repeat=d) if bias else [(False,) * d]
    images = [np.where(mirror, most - points, points) for mirror in mirrors]
    orders = [list(order) for order in permutations(range(d))]
    return np.array([[positions[tuple(x)] for x in image[:, order].tolist()] for image in images for order in orders])


def representatives(points: np.ndarray, bias: bool) -> Iterator[np.ndarray]:
    """Yield one labelling (0: the point is absent) for all its images and those with the classes swapped."""
    images, weights = symmetries(points, bias), 3 ** np.arange(len(points))  # another sum for every labelling
    for labels in product((-1.0, 0.0, 1.0), repeat=len(points)):
        y = np.array(labels)
        if {-1, 1} <= set(labels) and y @ weights == np.abs(y[images] @ weights).max():
            yield y


@pytest.mark.parametrize("bias", [True, False])
def test_every_labelling_is_the_image_of_a_representative(bias: bool) -> None:
    chosen = np.array(list(representatives(CUBE, bias)))
    images = np.concatenate([chosen[:, image] for image in symmetries(CUBE, bias)])
    every = len(np.unique(np.concatenate([images, -images]), axis=0))
    assert every == len(list(labellings(CUBE, (-1, 0, 1)))) and len(chosen) < every / 8


@pytest.mark.slow
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("points", [SQUARE, CUBE], ids=["square", "cube"])
def test_every_labelling_of_every_subset(points: np.ndarray, bias: bool) -> None:
    """But for images in a mirror or with coordinates exchanged, and those with the classes swapped; in eight days."""
    for y in of_today(list(representatives(points, bias)), 8):
        problem = Problem(points[y != 0], y[y != 0], bias)
        assert is_right(problem, separability(problem)), y


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("step", [5, pytest.param(1, marks=pytest.mark.slow)])
def test_points_of_one_class_of_both_or_of_none(step: int, bias: bool) -> None:
    """Of a triangle and its centre."""
    points, verdicts = np.array([[0.0, 0.0], [3.0, 0.0], [0.0, 3.0], [1.0, 1.0]]), set()
    for labels in [*product(((), (-1,), (1,), (-1, 1)), repeat=len(points))][::step]:
        y = np.array([label for both in labels for label in both], dtype=float)
        if len(set(y.tolist())) == 2:
            problem = Problem(np.repeat(points, [*map(len, labels)], axis=0), y, bias)
            answer = separability(problem)
            verdicts.add(answer.verdict.value)
            assert is_right(problem, answer), labels
    assert len(verdicts) == 3


@for_each("known", SEPARABLE + INSEPARABLE)
def test_known_problems(known: Known) -> None:
    assert agrees(Problem(known.X, known.y, known.bias), known.margin_squared > 0)
    assert agrees(Problem(csr_array(known.X), known.y, known.bias), known.margin_squared > 0)


small = st.integers(-2, 2).map(float)
extreme = st.sampled_from([1e300, -1e300, 1.7e308, 1e-300, 5e-324, -1e-323, 1e15, 1e15 + 1])
mixed = st.one_of(small, extreme, st.floats(-1, 1))
near = st.builds(lambda whole, hair, k: whole + hair * 2.0**-k, small, small, st.sampled_from([20, 40, 50]))
few = partial(problems, most_rows=7)


@pytest.mark.deep
@given(st.one_of(few(small), few(mixed), few(near)))
def test_any_numbers(problem: Problem) -> None:
    assert is_right(problem, separability(problem))


@given(st.one_of(few(small), few(mixed)))
def test_sparse_storage(problem: Problem) -> None:
    sparse = replace(problem, X=csr_array(problem.X))
    assert is_right(sparse, separability(sparse))


@given(few(small), st.integers(1, 80), st.integers(0, 10**40))
def test_integers_beyond_binary64(problem: Problem, bits: int, offset: int) -> None:
    """The rows are the integers: their roundings, which the solvers see, may be all equal."""
    X, y, bias = problem.X, problem.y, problem.bias
    integers = np.array([[int(v) + offset for v in row] for row in X.tolist()], dtype=object)
    integers[:, 0] <<= bits
    problem = Problem(integers.astype(np.float64), y, bias, integers=integers)
    assert is_right(problem, separability(problem))


@given(few(small), st.integers(-1070, 1000), st.integers(-300, 300))
def test_units_of_the_columns(problem: Problem, first: int, rest: int) -> None:
    exponents = np.array([first] + [rest] * (problem.n_features - 1))
    scaled = replace(problem, X=np.ldexp(problem.X, exponents))
    assert is_right(scaled, separability(scaled), facts_by_rays(problem))


@pytest.mark.slow
@given(few(small), st.integers(0, 3))
def test_columns_that_depend_on_earlier_ones_are_aliased(problem: Problem, kind: int) -> None:
    X, y, bias = problem.X, problem.y, problem.bias
    more = [np.full(len(y), 7.0), X[:, 0], 2 * X[:, -1] - X[:, 0], np.zeros(len(y))][kind]
    answer = separability(Problem(X, y, bias))
    longer = Problem(np.column_stack([X, more]), y, bias)
    moved = separability(longer)
    assert is_right(longer, moved)
    if bias or kind:  # without the bias a constant is a column like others
        assert X.shape[1] in moved.aliased_columns
        assert moved.verdict is answer.verdict and moved.infinite_columns == answer.infinite_columns


def faces(k: int, d: int, step: int) -> tuple[np.ndarray, np.ndarray]:
    """Faces at 1 and 1 + step 2^-k, and a row far behind either."""
    face = np.array(list(product((-1.0, 0.5, 2.0), repeat=d - 1))).reshape(3 ** (d - 1), d - 1)
    left = np.hstack([np.full((len(face), 1), 1.0), face])
    right = np.hstack([np.full((len(face), 1), 1.0 + step * 2.0**-k), face])
    far = np.vstack([np.full((1, d), -3.0), np.full((1, d), 5.0)])
    return np.vstack([left, right, far]), np.array([-1.0] * len(face) + [1.0] * len(face) + [-1.0, 1.0])


def at_zero(k: int, step: int) -> tuple[np.ndarray, np.ndarray]:
    """The same at 0, where binary64 is finest."""
    X = np.array([[-1.0, 3.0], [0.0, -1.0], [0.0, 2.0], [step * 2.0**-k, -1.0], [step * 2.0**-k, 2.0], [1.0, 0.5]])
    return X, np.array([-1.0, -1.0, -1.0, 1.0, 1.0, 1.0])


BY_A_HAIR = [partial(faces, k, d) for k in (10, 30, 40, 50, 52) for d in (1, 2)]


@for_each("data", [*BY_A_HAIR, *(partial(at_zero, k) for k in (100, 500, 1022, 1074))])
def test_gaps_touching_and_overlaps_of_two_to_the_minus_k(data: Any) -> None:
    """Faces a hair apart, touching, and overlapping by a hair, far below the tolerance of the solvers."""
    for step, verdict in ((1, "separable"), (0, "quasi-separable"), (-1, "overlap")):
        problem = Problem(*data(step))
        answer = separability(problem)
        assert answer.verdict == verdict, answer.reason
        assert is_right(problem, answer)


@pytest.mark.parametrize("bias", [True, False])
def test_more_columns_than_rows_with_rows_of_both_labels(bias: bool) -> None:
    """Rows in general position are strict but for those that stand on both sides."""
    X = np.random.default_rng(4).normal(size=(10, 24))
    y = np.where(np.arange(10) % 2, 1.0, -1.0)
    problem = Problem(np.vstack([X, X[:3]]), np.append(y, -y[:3]), bias)
    answer = separability(problem)
    assert is_proven(problem, answer) and answer.verdict is mm.Verdict.QUASI_SEPARABLE
    assert answer.touching_rows.tolist() == [*range(3), *range(10, 13)]
    assert answer.dimension == 7 and len(answer.aliased_columns) == 24 + bias - 10


def test_many_rows_without_a_direction() -> None:
    """Zero rows through the origin touch, every one."""
    X = np.vstack([np.zeros((60, 2)), np.eye(2)])
    problem = Problem(X, np.append(np.ones(60), [-1.0, 1.0]), False)
    answer = separability(problem)
    assert is_proven(problem, answer)
    assert answer.separated_rows.tolist() == [60, 61] and answer.infinite_columns == {0: "-", 1: "+"}


@pytest.mark.parametrize("far", [1e6, 1e12])
@pytest.mark.parametrize("bias", [True, False])
def test_one_row_far_from_the_others(far: float, bias: bool) -> None:
    rng = np.random.default_rng(3)
    for _ in range(10):
        X = rng.normal(size=(60, 4))
        y = np.where(X[:, 0] > 0, 1.0, -1.0)
        X[0] *= far
        assert agrees(Problem(X, y, bias), True)
        X[1], y[1] = X[2], -y[2]
        assert agrees(Problem(X, y, bias), False)


# What statisticians know


def right(X: Any, y: Any) -> mm.Separability:
    """Return the answer after checking it."""
    problem = Problem.validated(X, y)
    answer = separability(problem)
    assert is_right(problem, answer)
    return answer


def test_a_zero_cell_of_a_two_by_two_table() -> None:
    """x = 1 always answers 1: the slope is infinite, the intercept, the log odds at x = 0, is finite."""
    X, y = [[0.0], [0.0], [0.0], [1.0], [1.0]], [-1, -1, 1, 1, 1]
    answer = right(X, y)
    assert answer.verdict is mm.Verdict.QUASI_SEPARABLE and answer.separated_rows.tolist() == [3, 4]
    assert answer.infinite_columns == {0: "+"} and answer.finite_columns == ("(Intercept)",)
    other_cell = right(X, [-1, -1, -1, -1, 1])
    assert other_cell.infinite_columns == {0: "+", "(Intercept)": "-"} and other_cell.finite_columns == ()
    dummies = right(np.hstack([X, 1 - np.array(X)]), y)
    assert dummies.aliased_columns == (1,) and dummies.infinite_columns == {0: "+"}


QUASI_DIGITS = {"8": 1689, "9": 1773}


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("digit", list("9801234567"))
def test_digits(digit: str) -> None:
    """Two digits have pixels that are lit in them alone; through these all their coefficients are infinite."""
    from maxmargin.data.reading.loading import load

    data = load("digits", positive=digit)
    problem = Problem(data.X, data.y.astype(float))
    answer = separability(problem)
    assert is_proven(problem, answer)
    assert answer.verdict is (mm.Verdict.QUASI_SEPARABLE if digit in QUASI_DIGITS else mm.Verdict.SEPARABLE)
    assert len(answer.touching_rows) == QUASI_DIGITS.get(digit, 0)


# Many rows: a part of them is active


def on_a_plane(n: int, d: int, n_separated: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return rows that overlap on the plane x_1 = w.x, but for some that are on their side, and which these are."""
    rng = np.random.default_rng(seed)
    X = rng.integers(-50, 51, size=(n, d)).astype(float)
    y = rng.choice([-1.0, 1.0], n)
    X[:, 0] = X[:, 1:] @ rng.integers(-3, 4, size=d - 1)
    separated = np.sort(rng.choice(n, n_separated, replace=False))
    X[separated, 0] += y[separated] * rng.integers(1, 9, n_separated)
    return X, y, separated


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("n_separated", [1, 20])
def test_most_of_many_rows_touch(bias: bool, n_separated: int) -> None:
    X, y, separated = on_a_plane(5000, 4, n_separated)
    answer = separability(Problem(X, y, bias))
    assert is_proven(Problem(X, y, bias), answer)
    assert answer.separated_rows.tolist() == separated.tolist()
    assert answer.dimension == 1


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("n_wrong", [0, 1, 3])
def test_many_rows_of_which_few_are_wrong(bias: bool, n_wrong: int) -> None:
    """A row on the wrong side, deep in the other class, makes the data overlap; few rows ever become active."""
    rng = np.random.default_rng(6)
    X = rng.integers(-20, 21, size=(6000, 3)).astype(float)
    sums = X @ np.array([3.0, -2.0, 1.0])
    y = np.where(sums > 0, 1.0, -1.0)
    X, y = X[sums != 0], y[sums != 0]
    y[rng.choice(np.flatnonzero((abs(X) < 10).all(axis=1)), n_wrong, replace=False)] *= -1
    answer = separability(Problem(X, y, bias))
    assert is_proven(Problem(X, y, bias), answer)
    assert answer.verdict is (mm.Verdict.OVERLAP if n_wrong else mm.Verdict.SEPARABLE)


# Options and limits


def test_past_the_exact_limit_only_a_plane_is_proven() -> None:
    separable = Problem.validated([[0.0, 1.0], [1.0, 1.0], [3.0, 0.0]], [-1, -1, 1])
    answer = separability(separable, exact_limit=2)
    assert is_proven(separable, answer) and answer.verdict is mm.Verdict.SEPARABLE
    assert answer.columns is None and answer.infinite_columns is None and answer.dimension is None
    crossed = Problem.validated([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]], [-1, -1, 1, 1])
    answer = separability(crossed, exact_limit=2)
    assert is_proven(crossed, answer) and answer.verdict is mm.Verdict.UNDECIDED
    assert "3 columns (bias counted) are past exact_limit=2" in answer.reason
    assert separability(crossed, exact_limit=3).verdict is mm.Verdict.OVERLAP


# The functions that check


def test_prove_separable_refuses_what_is_no_plane() -> None:
    problem = Problem.validated([[0.0], [1.0]], [-1, 1])
    for w in (0.0, np.nan, np.inf, -1.0):
        assert feasibility.prove_separable(problem, np.array([w])) is None


def test_the_check_of_these_tests_sees_damage() -> None:
    problem = Problem(np.array([[0.0], [0.0], [0.0], [1.0], [1.0]]), np.array([-1.0, -1.0, 1.0, 1.0, 1.0]))
    answer = separability(problem)
    assert is_right(problem, answer) and isinstance(answer.certificate, QuasiSeparation)
    fields: tuple[dict[str, Any], ...] = {"rows": (0, 3)}, {"weights": (1, -1)}, {"null_space": ()}, {"b": Fraction(-1)}
    for damaged in (
        replace(answer, verdict=mm.Verdict.OVERLAP),
        *(replace(answer, certificate=replace(answer.certificate, **field)) for field in fields),
        replace(answer, touching_rows=np.array([0, 1]), separated_rows=np.array([2, 3, 4])),
        replace(answer, find_columns=lambda: replace(answer.columns, infinite={0: "-"})),
    ):
        with pytest.raises(AssertionError):
            assert is_right(problem, damaged)
