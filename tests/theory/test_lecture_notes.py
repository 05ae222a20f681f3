"""What lecture notes say about the perceptron: the corrections hold in general, the counterexamples exactly."""

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from itertools import pairwise, product

import numpy as np
import pytest
from cases import for_each
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from maxmargin.data.generators import generate
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.perceptron.run import perceptron
from maxmargin.solvers.perceptron.settings import PerceptronSettings
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.margins import geometric_margin, least_functional_margin, norm_squared
from maxmargin.solvers.separability.feasibility import separability

ZERO_RULES = ("mistake", "positive", "negative")
Rule = Callable[[int, int], bool]

IS_MISTAKE: dict[str, Rule] = {
    "mistake": lambda score, sign: score * sign <= 0,
    "positive": lambda score, sign: score * sign < 0 or (score == 0 and sign < 0),
    "negative": lambda score, sign: score * sign < 0 or (score == 0 and sign > 0),
}
"""Whether a score is a mistake, written once more as in a textbook."""


def augmented(X: np.ndarray, scale: float = 1.0) -> np.ndarray:
    return np.column_stack([X, np.full(len(X), scale)])


def radius_squared(X: np.ndarray) -> int:
    return int((X**2).sum(axis=1).max())


def weights_after_each_mistake(problem: Problem, run_rows: list[int]) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield (w before, z added), in whole numbers."""
    Z = (problem.X * problem.y[:, None]).astype(np.int64)
    w = np.zeros(problem.n_features, dtype=np.int64)
    for row in run_rows:
        yield w, Z[row]
        w = w + Z[row]


@st.composite
def separable_through_the_origin(draw: st.DrawFn) -> tuple[Problem, np.ndarray]:
    """Draw rows in whole numbers and a whole vector u with y u.x > 0 on each."""
    n, d = draw(st.integers(2, 8)), draw(st.integers(1, 4))
    X = draw(hnp.arrays(np.int64, (n, d), elements=st.integers(-6, 6)))
    u = draw(hnp.arrays(np.int64, d, elements=st.integers(-4, 4)))
    scores = X @ u
    assume((scores != 0).all())
    return Problem(X.astype(float), np.sign(scores).astype(float), bias=False), u


# The bounds.


def test_the_margin_with_bias_bounds_nothing_and_the_margin_of_the_run_does() -> None:
    X, y = np.array([[10.0], [12.0]]), np.array([-1.0, 1.0])
    counts = {zero: perceptron(Problem(X, y), PerceptronSettings(zero=zero)).n_mistakes for zero in ZERO_RULES}
    assert counts == {"mistake": 233, "positive": 233, "negative": 222}
    wrong = radius_squared(X) / hard_margin(Problem(X, y), exact=True).margin_squared
    right = radius_squared(augmented(X)) / hard_margin(Problem(augmented(X), y, bias=False), exact=True).margin_squared
    assert wrong == 144 < min(counts.values()) <= max(counts.values()) <= right == 17690


@given(st.integers(1, 60), st.sampled_from(ZERO_RULES))
def test_unit_vectors_reach_the_bound(n: int, zero: str) -> None:
    """R = 1 and gamma = 1/sqrt(n): 1/gamma^2 mistakes, not 1/gamma; under a fixed sign(0) the other label only."""
    signs = np.resize([1.0, -1.0], n)
    problem = Problem(np.eye(n) * signs[:, None], signs, bias=False)
    n_mistakes = perceptron(problem, PerceptronSettings(zero=zero)).n_mistakes
    wrong_at_zero = {"mistake": n, "positive": n // 2, "negative": n - n // 2}
    assert n_mistakes == wrong_at_zero[zero]
    if n > 1:
        assert hard_margin(problem, exact=True).margin_squared == Fraction(1, n)


@pytest.mark.parametrize("n", range(3, 8))
def test_an_exponentially_small_margin_costs_more_than_its_inverse(n: int) -> None:
    data = generate(f"odd-max-bit:{n}")
    problem = Problem(augmented(data.X), data.y.astype(float), bias=False)
    square = radius_squared(problem.X) / hard_margin(problem, exact=True).margin_squared
    n_mistakes = perceptron(problem).n_mistakes
    assert square < n_mistakes**2 and n_mistakes <= square


@given(separable_through_the_origin(), st.sampled_from(list(Order)), st.integers(0, 2**32 - 1), st.integers(-3, 5))
def test_only_the_ratio_of_radius_and_margin_counts(
    data: tuple[Problem, np.ndarray], order: Order, seed: int, exponent: int
) -> None:
    problem, _ = data
    settings = PerceptronSettings(order=order)
    scaled = Problem(np.ldexp(problem.X, exponent), problem.y, bias=False)
    runs = [perceptron(each, settings, rng=np.random.default_rng(seed)) for each in (problem, scaled)]
    assert runs[0].mistake_rows.tolist() == runs[1].mistake_rows.tolist()


@given(separable_through_the_origin(), st.integers(2, 1000))
def test_the_functional_margin_is_any_number(data: tuple[Problem, np.ndarray], factor: int) -> None:
    problem, whole = data
    u = whole.astype(float)
    least, larger = (least_functional_margin(problem, v, 0.0) for v in (u, factor * u))
    assert larger == factor * least > 0
    square = least**2 / norm_squared(u)
    assert square == larger**2 / norm_squared(factor * u)
    assert geometric_margin(least, norm_squared(u)) == geometric_margin(larger, norm_squared(factor * u))
    assert perceptron(problem).n_mistakes <= radius_squared(problem.X) / square
    huge = factor * math.isqrt(radius_squared(problem.X)) + factor
    assert radius_squared(problem.X) / least_functional_margin(problem, huge * u, 0.0) ** 2 < 1


# Conjunctions.


@st.composite
def conjunction_sequences(draw: st.DrawFn) -> tuple[int, int, np.ndarray, np.ndarray]:
    d = draw(st.integers(1, 7))
    k = draw(st.integers(1, d))
    bits = draw(hnp.arrays(np.int64, (draw(st.integers(2, 60)), d), elements=st.sampled_from([-1, 1])))
    flips = draw(hnp.arrays(np.int64, k, elements=st.sampled_from([-1, 1])))  # literals may be negated
    return d, k, bits.astype(float), np.where((bits[:, :k] == flips).all(axis=1), 1.0, -1.0)


@given(conjunction_sequences(), st.sampled_from(ZERO_RULES))
def test_the_bound_for_conjunctions_holds_on_sequences(
    sequence: tuple[int, int, np.ndarray, np.ndarray], zero: str
) -> None:
    d, k, X, y = sequence
    for limit in (1, None):
        run = perceptron(Problem(X, y), PerceptronSettings(zero=zero, max_epochs=limit))
        assert run.n_mistakes <= (d + 1) * (k * k - k + 1)
    assert run.converged


@for_each("d, k", [(1, 1), (2, 1), (2, 2), (3, 1), (3, 2), (3, 3), (4, 2), (4, 4), (5, 3)])
def test_the_margin_of_a_conjunction_in_the_space_of_the_run(d: int, k: int) -> None:
    cube = generate(f"conjunction:{d}:{k}")
    answer = hard_margin(Problem(augmented(cube.X), cube.y.astype(float), bias=False), exact=True)
    assert answer.margin_squared == Fraction(1, k * k - k + 1)
    assert answer.w_exact == (1,) * k + (0,) * (d - k) + (1 - k,)


def worst_case(d: int, k: int, zero: str) -> int:
    """Return the most mistakes of any sequence: the longest way from w = 0, each step a row that is a mistake."""
    rows = [(1 if min(x[:k]) > 0 else -1, (*x, 1)) for x in product((-1, 1), repeat=d)]

    @cache
    def most(w: tuple[int, ...]) -> int:
        scores = [(sum(a * b for a, b in zip(w, x, strict=True)), sign, x) for sign, x in rows]
        wrong = [(sign, x) for score, sign, x in scores if IS_MISTAKE[zero](score, sign)]
        steps = (tuple(a + sign * b for a, b in zip(w, x, strict=True)) for sign, x in wrong)
        return max((1 + most(step) for step in steps), default=0)

    return most((0,) * (d + 1))


@for_each("d, k, worst", [(1, 1, 2), (2, 1, 2), (2, 2, 3), (3, 1, 4), (3, 2, 9), (3, 3, 14), (4, 1, 4), (4, 2, 12)])
def test_the_worst_sequence_of_a_conjunction(d: int, k: int, worst: int) -> None:
    counts = {zero: worst_case(d, k, zero) for zero in ZERO_RULES}
    assert counts["mistake"] == worst <= (d + 1) * (k * k - k + 1)
    assert max(counts["positive"], counts["negative"]) <= worst
    copied = d * (2 * k * k - 2 * k + 1)
    assert (worst > copied) == (k == 1 and d in (1, 3)), "false for k = 1 where there is a Hadamard matrix"
    if k == 1:
        assert max(counts["positive"], counts["negative"]) <= d, "true under a fixed sign(0)"


def sylvester(order: int) -> np.ndarray:
    matrix = np.ones((1, 1))
    while len(matrix) < order:
        matrix = np.block([[matrix, matrix], [matrix, -matrix]])
    return matrix


def paley(prime: int) -> np.ndarray:
    """Return the Hadamard matrix of order prime + 1 (prime = 3 mod 4) whose first column is 1."""
    squares = {i * i % prime for i in range(1, prime)}
    residues = [[0 if i == j else 1 if (i - j) % prime in squares else -1 for j in range(prime)] for i in range(prime)]
    core = np.block([[np.zeros((1, 1)), np.ones((1, prime))], [-np.ones((prime, 1)), np.array(residues)]])
    matrix = np.eye(prime + 1) + core
    return matrix * matrix[:, :1]


@pytest.mark.parametrize(
    "hadamard", [sylvester(2), sylvester(4), sylvester(8), paley(11), sylvester(16), paley(19)], ids=len
)
def test_one_literal_costs_one_mistake_more_than_its_dimension(hadamard: np.ndarray) -> None:
    """The rows y (x, 1) are those of a Hadamard matrix: every row finds the score 0."""
    order = len(hadamard)
    assert (hadamard @ hadamard.T == order * np.eye(order)).all()
    y = hadamard[:, -1].copy()
    X = hadamard[:, :-1] * y[:, None]
    assert (X[:, 0] == y).all(), "the concept is the first literal"
    for zero in ZERO_RULES:
        run = perceptron(Problem(X, y), PerceptronSettings(zero=zero, max_epochs=1))
        assert (run.n_mistakes == order) == (zero == "mistake") and run.n_mistakes <= order


# On the way.


@given(separable_through_the_origin(), st.sampled_from(ZERO_RULES))
def test_what_rises_at_every_mistake(data: tuple[Problem, np.ndarray], zero: str) -> None:
    """w.u by y u.x, so by gamma ||u|| at least; ||w||^2 by ||x||^2 at most. All in whole numbers."""
    problem, u = data
    least = least_functional_margin(problem, u.astype(float), 0.0)
    run = perceptron(problem, PerceptronSettings(zero=zero))
    for m, (w, z) in enumerate(weights_after_each_mistake(problem, run.mistake_rows.tolist()), start=1):
        after = w + z
        assert after @ u - w @ u >= least
        assert after @ after - w @ w <= z @ z <= radius_squared(problem.X)
        # cos(w, u) >= sqrt(m) gamma / R, in squares.
        cosine_squared = Fraction(int(after @ u) ** 2, int(after @ after) * int(u @ u))
        assert cosine_squared >= m * least**2 / (int(u @ u) * radius_squared(problem.X))


def test_the_angle_to_the_best_direction_may_grow() -> None:
    problem = Problem(np.array([[1.0, 1.0], [5.0, -1.0]]), np.array([1.0, -1.0]), bias=False)
    best = hard_margin(problem, exact=True)
    assert best.w_exact == (0, 1) and best.margin_squared == 1
    steps = list(weights_after_each_mistake(problem, perceptron(problem).mistake_rows.tolist()))
    path = [(w + z).tolist() for w, z in steps]
    assert path[:2] == [[1, 1], [-4, 2]]
    assert [w[1] for w in path] == list(range(1, len(path) + 1)), "w.u rises by gamma = 1"
    cosines_squared = [Fraction(w[1] ** 2, w[0] ** 2 + w[1] ** 2) for w in path]
    assert cosines_squared[:2] == [Fraction(1, 2), Fraction(1, 5)]
    angles = [math.acos(math.sqrt(square)) for square in cosines_squared]
    assert all(angle < m for m, angle in enumerate(angles, start=1)), "m gamma is no lower bound of the angle"


# Zero.


def test_the_first_row_is_a_mistake_by_convention_only() -> None:
    problem = Problem(np.array([[1.0], [-2.0]]), np.array([1.0, -1.0]), bias=False)
    first = {zero: perceptron(problem, PerceptronSettings(zero=zero)).mistake_rows[0] for zero in ZERO_RULES}
    assert first == {"mistake": 0, "positive": 1, "negative": 0}


signs_of_any_rows = st.integers(2, 7).flatmap(
    lambda n: st.tuples(
        hnp.arrays(np.float64, (n, 2), elements=st.integers(-2, 2).map(float)),
        hnp.arrays(np.float64, n, elements=st.sampled_from([-1.0, 1.0])),
    )
)


@given(signs_of_any_rows, st.sampled_from(ZERO_RULES), st.booleans())
def test_a_clean_pass_is_a_separation_where_zero_is_a_mistake_or_there_is_a_bias(
    rows: tuple[np.ndarray, np.ndarray], zero: str, bias: bool
) -> None:
    X, y = rows
    assume(len(set(y)) == 2)
    problem = Problem(X, y, bias=bias)
    run = perceptron(problem, PerceptronSettings(zero=zero, max_epochs=200))
    if run.converged and (bias or zero == "mistake"):
        assert separability(problem).strictly_separable


def test_a_clean_pass_through_the_origin_may_be_no_separation() -> None:
    data = generate("sign-of-zero")
    problem = Problem(data.X, data.y.astype(float), bias=False)
    run = perceptron(problem, PerceptronSettings(zero="positive"))
    assert run.converged and run.n_mistakes == 1
    assert separability(problem).strictly_separable is False


# Losses.


@given(signs_of_any_rows)
def test_zero_weights_minimise_the_loss_of_the_perceptron(rows: tuple[np.ndarray, np.ndarray]) -> None:
    X, y = rows
    problem = Problem(X, y, bias=False)
    run = perceptron(problem, PerceptronSettings(max_mistakes=300))
    losses = [float(np.maximum(0, -y * (X @ w)).sum()) for w in (np.zeros(2), run.w, np.array([1.0, -2.0]))]
    assert losses[0] == min(losses) == 0
    assert not run.converged or losses[1] == 0


whole_systems = st.tuples(st.integers(1, 6), st.integers(1, 3)).flatmap(
    lambda shape: st.tuples(
        hnp.arrays(np.int64, shape, elements=st.integers(-5, 5)),
        hnp.arrays(np.int64, shape[0], elements=st.sampled_from([-1, 1])),
        hnp.arrays(np.int64, shape[1], elements=st.integers(-50, 50)),
        hnp.arrays(np.int64, shape[1], elements=st.integers(-50, 50)),
    )
)


@given(whole_systems)
def test_the_squared_error_is_convex(system: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]) -> None:
    """2 E(w + h) = 2 E(w) + 2 g.h + ||X h||^2: where g = 0 no h helps, and h with X h = 0 leads to another minimum."""
    X, y, w, h = system

    def twice_error(v: np.ndarray) -> int:
        return int(((y - X @ v) ** 2).sum())

    gradient = X.T @ (X @ w - y)
    assert twice_error(w + h) == twice_error(w) + 2 * int(gradient @ h) + int(((X @ h) ** 2).sum())


@pytest.mark.parametrize("eta, shrinks", [(Fraction(15, 32), True), (Fraction(1, 2), None), (Fraction(17, 32), False)])
def test_the_delta_rule_converges_below_two_over_the_greatest_eigenvalue(eta: Fraction, shrinks: bool | None) -> None:
    """X = diag(1, 2): the greatest eigenvalue of X'X is 4. From 0 the second coordinate is -1/2 off."""
    X, y, minimum = np.array([[1, 0], [0, 2]]), np.array([1, -1]), np.array([Fraction(1), Fraction(-1, 2)])
    w = np.array([Fraction(0), Fraction(0)])
    distances = []
    for _ in range(50):
        w = w + eta * (X.T @ (y - X @ w))
        distances.append(abs(w[1] - minimum[1]))
    pairs = list(pairwise(distances))
    if shrinks is None:
        assert set(distances) == {Fraction(1, 2)}
    else:
        assert all((after < before) is shrinks for before, after in pairs)


# Separability.


@pytest.mark.parametrize("cut", [-3, -1.5, 0, 1.5, 3])
def test_the_angle_does_not_separate_xor_wherever_the_circle_is_cut(cut: float) -> None:
    data = generate("xor-polar")
    X = np.column_stack([data.X[:, 0], (data.X[:, 1] - cut) % (2 * math.pi)])
    assert separability(Problem(X, data.y.astype(float))).strictly_separable is False


def test_polar_coordinates_separate_concentric_classes() -> None:
    data = generate("two-circles:12")
    y = data.y.astype(float)
    polar = np.column_stack([np.hypot(*data.X.T), np.arctan2(data.X[:, 1], data.X[:, 0])])
    assert separability(Problem(data.X, y)).strictly_separable is False
    assert separability(Problem(polar, y)).strictly_separable is True


@pytest.mark.parametrize("n", [1, 4, 20, 50])
def test_disjoint_hulls_of_infinite_sets_may_have_no_margin(n: int) -> None:
    """0 against 1, 1/2, ..., 2^-n: separable, by half of the last distance, which tends to 0."""
    X = np.array([0.0, *(2.0**-k for k in range(n + 1))])[:, None]
    answer = hard_margin(Problem(X, np.array([-1.0] + [1.0] * (n + 1))), exact=True)
    assert answer.margin_squared == Fraction(1, 4 ** (n + 1))


def test_a_constant_coordinate_satisfies_the_gap_with_the_sign_on_the_wrong_side() -> None:
    data = generate("xor")
    rows, v = augmented(data.X), np.array([0.0, 0.0, 1.0])
    assert (rows @ v > data.y * 0.5).all()
    assert not (data.y * (rows @ v) > 0.5).all()


# Undershooting.


def repetitions(a: Fraction, square: Fraction, is_mistake: Callable[[Fraction], bool]) -> int:
    count = 0
    while is_mistake(count * square - a):
        count += 1
    return count


quotients = st.one_of(
    st.tuples(st.fractions(0, 40, max_denominator=12), st.fractions(Fraction(1, 3), 9, max_denominator=12)),
    st.tuples(st.integers(0, 40), st.fractions(Fraction(1, 3), 9, max_denominator=12)).map(
        lambda pair: (pair[0] * pair[1], pair[1])
    ),
)


@given(quotients)
def test_how_often_a_row_must_be_repeated(pair: tuple[Fraction, Fraction]) -> None:
    a, square = pair
    assert repetitions(a, square, lambda score: score <= 0) == a // square + 1
    assert repetitions(a, square, lambda score: score < 0) == math.ceil(a / square)


@given(
    hnp.arrays(np.int64, 2, elements=st.integers(-9, 9)),
    hnp.arrays(np.int64, 2, elements=st.integers(-3, 3)),
    st.sampled_from([-1, 1]),
)
def test_a_run_repeats_a_row_as_often_as_stated(long: np.ndarray, short: np.ndarray, sign: int) -> None:
    """The first row makes w; the other one, presented again and again, is repaired in floor(-y w.x/||x||^2) + 1."""
    assume(long.any() and short.any() and sign * (long @ short) <= 0)
    expected = -sign * int(long @ short) // int(short @ short) + 1
    X = np.vstack([long, np.tile(short, (expected + 2, 1))]).astype(float)
    y = np.array([1.0] + [float(sign)] * (expected + 2))
    run = perceptron(Problem(X, y, bias=False), PerceptronSettings(max_epochs=1))
    assert run.mistake_rows.tolist() == list(range(expected + 1))


# The bias and the step.


@given(signs_of_any_rows, st.sampled_from([0.25, 0.5, 1.0, 2.0, 8.0]))
def test_the_offset_moves_by_the_square_of_the_bias_scale(rows: tuple[np.ndarray, np.ndarray], scale: float) -> None:
    X, y = rows
    run = perceptron(Problem(X, y), PerceptronSettings(bias_scale=scale, max_mistakes=200))
    assert run.b == scale**2 * y[run.mistake_rows].sum()


def mistakes_from(problem: Problem, w: list[Fraction], eta: Fraction, most: int) -> list[int]:
    rows: list[int] = []
    while len(rows) < most:
        before = len(rows)
        for i, (x, sign) in enumerate(zip(problem.X.tolist(), problem.y.tolist(), strict=True)):
            if int(sign) * sum(v * int(value) for v, value in zip(w, x, strict=True)) <= 0:
                w = [v + eta * int(sign) * int(value) for v, value in zip(w, x, strict=True)]
                rows.append(i)
        if len(rows) == before:
            break
    return rows[:most]


rates = st.fractions(Fraction(1, 100), 100, max_denominator=100)


@given(signs_of_any_rows, st.tuples(st.integers(-9, 9), st.integers(-9, 9)), rates, rates)
def test_only_the_start_over_the_step_counts(
    rows: tuple[np.ndarray, np.ndarray], start: tuple[int, int], eta: Fraction, factor: Fraction
) -> None:
    problem = Problem(*rows, bias=False)
    w = [Fraction(v) for v in start]
    scaled = mistakes_from(problem, [factor * v for v in w], factor * eta, 60)
    assert scaled == mistakes_from(problem, w, eta, 60)
    origin = [Fraction(0), Fraction(0)]
    run = perceptron(problem, PerceptronSettings(max_mistakes=60))
    assert mistakes_from(problem, origin, eta, 60) == run.mistake_rows.tolist()


# The theorem of Freund and Schapire.


@given(signs_of_any_rows, st.tuples(st.integers(-20, 20), st.integers(-20, 20)), st.integers(1, 40))
def test_any_vector_bounds_one_pass_and_the_best_one_of_the_mistakes_is_zero(
    rows: tuple[np.ndarray, np.ndarray], direction: tuple[int, int], unit: int
) -> None:
    X, y = rows
    mistakes = perceptron(Problem(X, y, bias=False), PerceptronSettings(max_epochs=1)).mistake_rows
    v = np.array(direction) / unit

    def bound(v: np.ndarray, chosen: np.ndarray) -> float:
        radius = math.sqrt((X[chosen] ** 2).sum(axis=1).max(initial=0.0))
        slack = np.maximum(0, 1 - y[chosen] * (X[chosen] @ v))
        return float((radius * np.linalg.norm(v) + np.linalg.norm(slack)) ** 2)

    allowance = 1 - 1e-12
    assert bound(v, np.arange(len(y))) >= len(mistakes) * allowance
    assert bound(v, mistakes) >= len(mistakes) * allowance
    assert math.isclose(bound(np.zeros(2), mistakes), len(mistakes))


# How long a run takes.


@given(separable_through_the_origin())
def test_the_bound_of_the_mistakes_is_one_of_the_passes(data: tuple[Problem, np.ndarray]) -> None:
    problem, u = data
    least = least_functional_margin(problem, u.astype(float), 0.0)
    most = radius_squared(problem.X) * int(u @ u) // least**2
    run = perceptron(problem)
    assert run.n_epochs == np.count_nonzero(run.mistakes_per_epoch) + 1 <= most + 1


def test_clean_draws_do_not_end_a_run() -> None:
    data = generate("agresti")
    problem = Problem(data.X, data.y.astype(float))
    run = perceptron(problem, PerceptronSettings(order=Order.RANDOM), rng=np.random.default_rng(0))
    assert run.converged and run.margin > 0
    assert (run.mistakes_per_epoch[:-2] == 0).any(), "a clean pass of n draws, and yet a mistake was left"
