"""Data with many columns: cheap hyperplanes, the maximum margin by descent, exact work linear in the stored entries."""

import time
import tracemalloc
from fractions import Fraction

import numpy as np
import pytest
from cases import for_each
from scipy.sparse import csr_array, random_array

import maxmargin as mm
from maxmargin.solvers.answers.statuses import Status, Verdict
from maxmargin.solvers.basics.limits import Limits, OutOfTime
from maxmargin.solvers.exact.dyadic import as_integer_columns
from maxmargin.solvers.exact.linear import Product, lifted_null_vectors, null_vectors
from maxmargin.solvers.exact.products import exact_products, exact_squares, exact_sums
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.problem.problem import ClassProblem, Problem, radius_squared
from maxmargin.solvers.proof import margins
from maxmargin.solvers.proof.certificate import Overlap
from maxmargin.solvers.proof.hulls import margin_upper_bound_squared
from maxmargin.solvers.proof.margin_certificate import MarginAtLeast, MarginAtMost
from maxmargin.solvers.proof.margins import best_offset, exact_functional_margins
from maxmargin.solvers.proof.soft_bounds import balanced, rounded_margin_upper_bound
from maxmargin.solvers.separability.feasibility import separability
from maxmargin.solvers.separability.multinomial import multinomial


def sparse_rows(n: int, d: int, width: int, seed: int = 0) -> csr_array:
    rng = np.random.default_rng(seed)
    starts = np.arange(0, n * width + 1, width)
    X = csr_array((rng.standard_normal(n * width), rng.integers(0, d, n * width), starts), shape=(n, d))
    X.sum_duplicates()
    return X


def planted(n: int, d: int, width: int, *, share: float = 0.5, bias: bool = True) -> Problem:
    X = sparse_rows(n, d, width)
    scores = X @ np.random.default_rng(1).standard_normal(d)
    return Problem.validated(X, np.where(scores > np.quantile(scores, share), 1.0, -1.0), bias=bias)


def random_labels(n: int, seed: int = 0) -> np.ndarray:
    return np.where(np.random.default_rng(seed).random(n) < 0.5, 1.0, -1.0)


@pytest.mark.parametrize("exponents", [(0, 0), (-40, 40), (-1000, 1000)])
def test_products_are_those_of_fractions(exponents: tuple[int, int]) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        n, d = rng.integers(1, 7, 2)
        dense = rng.integers(-3, 4, (n, d)) * rng.standard_normal((n, d))
        dense = np.ldexp(dense, rng.integers(*exponents, (n, d), endpoint=True))
        X, exact = csr_array(dense), [[Fraction(v) for v in row] for row in dense.tolist()]
        v, weights = (np.array(rng.integers(-99, 99, size).tolist(), dtype=object) << 70 for size in (d, n))
        products, unit = exact_products(X, v)
        expected = [sum(a * b for a, b in zip(row, v, strict=True)) for row in exact]
        assert [p * Fraction(2) ** unit for p in products] == expected
        sums, unit = exact_sums(X, weights)
        expected = [sum(a * c for a, c in zip(column, weights, strict=True)) for column in zip(*exact, strict=True)]
        assert [s * Fraction(2) ** unit for s in sums] == expected
        squares, unit = exact_squares(X)
        assert [s * Fraction(4) ** unit for s in squares] == [sum(a * a for a in row) for row in exact]


def test_proofs_are_the_same_for_dense_and_sparse_rows() -> None:
    rng = np.random.default_rng(0)
    X, y = sparse_rows(40, 60, 5), random_labels(40)
    sparse, dense = Problem.validated(X, y), Problem.validated(X.toarray(), y)
    w, weights = rng.standard_normal(60), rng.random(40)
    assert best_offset(sparse, w) == best_offset(dense, w) == best_offset(dense, [*map(Fraction, w.tolist())])
    rows = np.arange(40)
    assert exact_functional_margins(sparse, rows, w, 0.5) == exact_functional_margins(dense, rows, w, 0.5)
    assert margin_upper_bound_squared(sparse, weights) == margin_upper_bound_squared(dense, weights)
    assert radius_squared(sparse) == radius_squared(dense)


@pytest.mark.slow
@for_each("bias", [True, False])
@for_each("sparse", [True, False])
@for_each("exponent", [0, -900, 900])
def test_descent_agrees_with_fractions(bias: bool, sparse: bool, exponent: int) -> None:
    rng = np.random.default_rng(3)
    for _ in range(5):
        X = np.ldexp(random_array((12, 8), density=0.6, rng=rng).toarray() * rng.choice([-1.0, 1.0], (12, 8)), exponent)
        scores = X @ rng.standard_normal(8)
        y = np.where(scores > (np.median(scores) if bias else 0), 1.0, -1.0)
        if len(set(y)) < 2:
            continue
        exact = hard_margin(Problem.validated(X, y, bias=bias), exact=True)
        found = hard_margin(Problem.validated(csr_array(X) if sparse else X, y, bias=bias), method="dual-coordinate")
        if exact.status is not Status.OPTIMAL:
            assert found.status is exact.status
            continue
        assert found.lower <= exact.upper and exact.lower <= found.upper
        assert found.engine == "dual-coordinate" and found.status is Status.OPTIMAL
        assert found.gap <= 1e-9 * found.upper


@for_each("bias", [True, False])
@for_each("exponent", [0, -200, 500])
@for_each("is_balanced", [True, False])
def test_upper_ends_in_floating_point_are_no_less_than_exact_ones(bias: bool, exponent: int, is_balanced: bool) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        X, y = sparse_rows(30, 20, 4, seed=int(rng.integers(1000))), random_labels(30, seed=int(rng.integers(1000)))
        X.data = np.ldexp(X.data, rng.integers(-3, 4, len(X.data)) + exponent)
        weights = rng.random(30) * (rng.random(30) < 0.7)
        problem = Problem.validated(X, y, bias=bias)
        if is_balanced:
            weights = balanced(problem, weights)
        square, rounded = margin_upper_bound_squared(problem, weights), rounded_margin_upper_bound(problem, weights)
        assert square is not None and square <= Fraction(rounded) ** 2
        if is_balanced:
            assert Fraction(rounded) ** 2 <= square * (1 + Fraction(1, 2**40))
    assert rounded_margin_upper_bound(problem, np.zeros(30)) == np.inf


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.slow
def test_the_ends_are_those_of_the_certificates(bias: bool) -> None:
    problem = planted(1500, 1600, 10, share=0.8 if bias else 0.5, bias=bias)
    answer = hard_margin(problem)
    assert answer.engine == "dual-coordinate" and answer.status is Status.OPTIMAL and answer.gap <= 1e-11 * answer.upper
    least = margins.least_functional_margin(problem, answer.w, answer.b)
    assert answer.primal_residual <= 1e-12
    assert answer.margin == margins.geometric_margin(least, margins.norm_squared(answer.w))
    at_least, at_most = answer.certificate, answer.upper_certificate
    assert isinstance(at_least, MarginAtLeast) and isinstance(at_most, MarginAtMost)
    low, high = Fraction(answer.lower) ** 2, Fraction(answer.upper) ** 2
    assert low <= at_least.margin_squared <= at_most.margin_squared <= high
    assert mm.verify(at_least, problem.X, problem.y) and mm.verify(at_most, problem.X, problem.y)


@pytest.mark.parametrize("share", [0.5, 0.95])
def test_thousands_of_sparse_columns(share: float) -> None:
    problem = planted(2000, 4000, 20, share=share)
    answer = separability(problem, time_limit=30)
    assert answer.verdict is Verdict.SEPARABLE
    least = best_offset(problem, answer.certificate.w)[1]
    assert least == answer.certificate.least_functional_margin > 0
    margin = hard_margin(problem)
    assert margin.status is Status.OPTIMAL and margin.gap <= 1e-9 * margin.upper
    assert margins.n_errors(problem, margin.w, margin.b) == 0


def test_no_dense_copy() -> None:
    """Dense the rows would take 2 GB."""
    problem = planted(5000, 50_000, 4)
    separability(planted(1000, 1200, 3)), hard_margin(planted(1000, 1200, 3))  # imports
    tracemalloc.start()
    try:
        assert separability(problem).verdict is Verdict.SEPARABLE
        assert hard_margin(problem).status is Status.OPTIMAL
        assert tracemalloc.get_traced_memory()[1] < 200e6
    finally:
        tracemalloc.stop()


@pytest.mark.sampled(1)
@pytest.mark.parametrize("bias", [True, False])
def test_equal_rows_of_both_classes(bias: bool) -> None:
    problem = planted(1500, 3000, 10, bias=bias)
    rows = np.append(np.arange(1500), 7)
    y = np.append(problem.y, -problem.y[7])
    answer = separability(Problem.validated(problem.X[rows], y, bias=bias), time_limit=20)
    assert answer.strictly_separable is False and answer.witness_rows.tolist() == [7, 1500]


@pytest.mark.slow
@for_each("bias", [True, False])
@for_each("kind", ["counts", "decimals", "unused columns"])
@for_each("seed", range(3))
def test_sparse_rows_may_have_twice_as_many_columns(seed: int, kind: str, bias: bool) -> None:
    X, y = sparse_rows(120, 30, 4, seed), random_labels(120, seed)
    if kind == "counts":
        X.data = np.ceil(np.abs(X.data))
    if kind == "unused columns":
        X = csr_array(X.toarray() * (np.arange(30) % 3 > 0))
    sparse, dense = Problem.validated(X, y, bias=bias), Problem.validated(X.toarray(), y, bias=bias)
    answer, other = separability(sparse, exact_limit=16), separability(dense)
    assert answer.verdict is other.verdict is Verdict.OVERLAP
    assert mm.verify(answer.certificate, X, y)
    past = separability(sparse, exact_limit=15 if bias else 14)
    assert past.verdict is Verdict.UNDECIDED
    assert "sparse rows; a greater one lets exact arithmetic decide" in past.reason


@pytest.mark.slow
def test_overlap_of_more_than_a_thousand_sparse_columns() -> None:
    X, y = sparse_rows(3000, 1100, 20), random_labels(3000)
    X.data = np.ceil(np.abs(X.data))
    problem = Problem.validated(X, y)
    answer = separability(problem)
    assert answer.verdict is Verdict.OVERLAP and isinstance(answer.certificate, Overlap)
    rows, weights = np.array(answer.certificate.rows), answer.certificate.weights
    signed = np.array([weight * int(sign) for weight, sign in zip(weights, y[rows], strict=True)], dtype=object)
    assert min(weights) > 0 and not sum(signed) and not any(exact_sums(X[rows], signed)[0])


@pytest.mark.slow
@pytest.mark.parametrize("shape", [(20_000, 500), (7_000, 3_000), (4_000, 900), (5_000, 1_500)])
@pytest.mark.parametrize("sparse", [True, False])
def test_time_limits_bind(shape: tuple[int, int], sparse: bool) -> None:
    if not sparse and shape[0] * shape[1] > 10_000_000:
        return
    X = sparse_rows(*shape, 20)
    start = time.monotonic()
    answer = mm.separability(X if sparse else X.toarray(), random_labels(shape[0]), time_limit=2)
    assert time.monotonic() - start <= 10  # 4, and room for a busy machine
    assert answer.verdict is not Verdict.SEPARABLE
    assert answer.verdict is Verdict.OVERLAP or answer.reason


@pytest.mark.parametrize("density", [0.0, 0.05, 0.5, 1.0])
def test_products_of_integer_matrices(density: float) -> None:
    rng = np.random.default_rng(0)
    for _ in range(10):
        n, m, k = rng.integers(1, 12, 3)
        kept = rng.random((n, m)) < density
        matrix = np.array((rng.integers(-(2**60), 2**60, (n, m)) * kept).tolist(), dtype=object)
        other = np.array(rng.integers(-(2**60), 2**60, (m, k)).tolist(), dtype=object) << 99
        assert (Product(matrix)(other) == matrix.dot(other)).all()


def test_null_vectors_by_lifting() -> None:
    rng = np.random.default_rng(0)
    for size in (1, 2, 5, 12, 40):
        for rank in {0, 1, size // 2, size}:
            factor = np.array(rng.integers(-(2**60), 2**60, (size, rank)).tolist(), dtype=object).reshape(size, rank)
            other = np.array(rng.integers(-9, 9, (rank, size + 1)).tolist(), dtype=object).reshape(rank, size + 1)
            matrix = [[int(v) for v in row] for row in (factor.dot(other) if rank else np.zeros((size, size + 1)))]
            assert lifted_null_vectors(matrix, lambda: False) == null_vectors(matrix)


def test_a_large_null_space_ends_with_the_time() -> None:
    matrix = as_integer_columns(np.random.default_rng(0).standard_normal((400, 401)))[0].tolist()
    limits = Limits(time_limit=0.2)
    start = time.monotonic()
    with pytest.raises(OutOfTime):
        null_vectors(matrix, limits.stop_check)
    assert time.monotonic() - start < 5


@pytest.mark.parametrize("seed", range(4))
def test_signs_of_columns_are_those_of_linear_programs(seed: int) -> None:
    """The extreme values of every coordinate of the directions without a row on the wrong side, by SciPy."""
    from scipy.optimize import linprog

    rng = np.random.default_rng(seed)
    X = rng.integers(-9, 10, (700, 5)).astype(float)
    scores = X @ np.array([3.0, -1.0, 0.0, 0.1, 2.0])
    X, y = X[np.abs(scores) > 0.05], np.where(scores[np.abs(scores) > 0.05] > 0, 1.0, -1.0)
    answer = separability(Problem.validated(X, y))
    rows = -y[:, None] * np.hstack([X, np.ones((len(X), 1))])
    for column in range(6):
        unit = np.eye(6)[column]
        low, high = (
            sign * linprog(sign * unit, A_ub=rows, b_ub=np.zeros(len(X)), bounds=(-1, 1)).fun for sign in (1, -1)
        )
        expected = "either sign" if low < -1e-7 and high > 1e-7 else "+" if high > 1e-7 else "-"
        assert answer.columns.infinite[column] == expected


def test_many_classes_and_columns_by_the_perceptron() -> None:
    """The directions have more coordinates than are solved exactly; a direction at hand needs no solving."""
    rng = np.random.default_rng(0)
    X = rng.standard_normal((900, 600))
    codes = (X @ rng.standard_normal((600, 3))).argmax(axis=1)
    answer = multinomial(ClassProblem(X, codes, 3), exact_limit=1000)
    assert answer.verdict is Verdict.SEPARABLE and answer.columns is None


def test_few_rows_of_thousands_of_columns_are_solved_in_their_row_space() -> None:
    random = np.random.default_rng(3)
    X = np.zeros((12, 3000))
    X[np.repeat(np.arange(12), 30), random.integers(0, 3000, 360)] = random.standard_normal(360)
    answer = mm.hard_margin(csr_array(X), np.arange(12) % 2)
    assert answer.status == "optimal" and answer.gap <= 1e-9 * answer.upper
    assert all(attempt.solver != "HIGHS" for attempt in answer.attempts)
