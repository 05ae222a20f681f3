"""More than two classes at once: verdicts, rows and columns against an exact route of another kind, with proofs."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from references import exact_verdict
from scipy.sparse import csr_array
from strategies import fewer_examples

import maxmargin as mm
from maxmargin.solvers.problem.problem import ClassProblem
from maxmargin.solvers.problem.rows import WorkSizes
from maxmargin.solvers.proof.checker import check
from maxmargin.solvers.separability.multinomial import multinomial
from maxmargin.solvers.separability.proven_verdict import ProvenVerdict


def inequalities(problem: ClassProblem) -> tuple[np.ndarray, list[tuple[int, int]]]:
    """Return all vectors (x, 1) (x) (e_c - e_k) with the first class as reference, and their pairs."""
    X = np.hstack([problem.X, np.ones((problem.n_samples, 1))]) if problem.bias else problem.X
    vectors, pairs = [], []
    for i, own in enumerate(problem.codes.tolist()):
        for k in range(problem.n_classes):
            if k != own:
                blocks = np.zeros((problem.n_classes, X.shape[1]))
                blocks[own], blocks[k] = X[i], -X[i]
                vectors.append(blocks[1:].ravel())
                pairs.append((i, k))
    return np.array(vectors), pairs


def is_accepted(answer: ProvenVerdict) -> bool:
    problem: Any = answer.certificate.problem
    rows = problem.dense_rows(slice(None)).tolist()
    for certificate in (answer.certificate, answer.witness):
        if certificate is not None:
            check(json.loads(certificate.to_json()), rows, problem.codes.tolist())
    return True


@st.composite
def problems(draw: st.DrawFn) -> ClassProblem:
    n_classes = draw(st.integers(3, 4))
    n, d = draw(st.integers(n_classes, 7)), draw(st.integers(1, 2))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    X = rng.integers(-2, 3, (n, d)).astype(float) * 2.0 ** draw(st.sampled_from([-900, 0, 900]))
    codes = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    return ClassProblem(X, codes, n_classes, draw(st.booleans()))


@pytest.mark.slow
@fewer_examples
@given(problems())
def test_verdicts_and_rows_are_those_of_the_inequalities(problem: ClassProblem) -> None:
    answer = multinomial(problem)
    vectors, pairs = inequalities(problem)
    # The inequalities as a two-class question through the origin, whose rows are all of class +1.
    verdict, touching = exact_verdict(vectors, np.ones(len(vectors)), bias=False)
    assert answer.verdict == verdict
    assert answer.touching_rows.tolist() == sorted({pairs[row][0] for row in touching})
    assert answer.n_strict == len(vectors) - len(touching) and answer.n_inequalities == len(vectors)
    assert is_accepted(answer)


@pytest.mark.slow
@fewer_examples
@given(problems())
def test_the_ways_for_much_data_agree(problem: ClassProblem) -> None:
    usual = multinomial(problem)
    other = multinomial(replace(problem, sizes=WorkSizes(class_entries=0)))
    assert is_accepted(other)
    assert (usual.verdict, usual.n_strict) == (other.verdict, other.n_strict)
    assert usual.touching_rows.tolist() == other.touching_rows.tolist()
    assert usual.infinite_columns == other.infinite_columns


@pytest.mark.slow
@fewer_examples
@given(problems())
def test_sparse_rows_and_other_orders_give_the_same(problem: ClassProblem) -> None:
    usual = multinomial(problem)
    sparse = multinomial(ClassProblem(csr_array(problem.X), problem.codes, problem.n_classes, problem.bias))
    assert (usual.verdict, usual.n_strict) == (sparse.verdict, sparse.n_strict)
    X, codes, n = problem.X[::-1].copy(), problem.codes[::-1].copy(), problem.n_samples
    turned = multinomial(ClassProblem(X, codes, problem.n_classes, problem.bias))
    assert turned.verdict == usual.verdict
    assert sorted((n - 1 - turned.touching_rows).tolist()) == usual.touching_rows.tolist()


@pytest.mark.parametrize("bias", [True, False])
def test_two_classes_are_the_two_class_question(bias: bool) -> None:
    rng = np.random.default_rng(5)
    for _ in range(40):
        X = rng.integers(-2, 3, (8, 2)).astype(float)
        codes = np.concatenate([[0, 1], rng.integers(0, 2, 6)])
        of_two = mm.separability(X, codes, bias=bias)
        answer = multinomial(ClassProblem(X, codes, 2, bias))
        assert (answer.verdict, answer.touching_rows.tolist()) == (of_two.verdict, of_two.touching_rows.tolist())
        signs = {str(name).removeprefix("class 1: "): sign for name, sign in answer.infinite_columns.items()}
        assert signs == {str(name): sign for name, sign in of_two.infinite_columns.items()}


def test_classes_on_a_line_are_separable_though_the_middle_one_is_not_from_the_rest() -> None:
    X, y = [[1.0], [2.0], [3.0]], ["a", "b", "c"]
    assert mm.separability(X, y).verdict is mm.Verdict.SEPARABLE
    assert mm.separability(X, y, positive="b").verdict is mm.Verdict.OVERLAP


def test_iris_and_wine_and_digits() -> None:
    iris = mm.load("iris")
    answer = mm.separability(iris.X, iris.labels)
    assert answer.verdict is mm.Verdict.QUASI_SEPARABLE
    assert (answer.n_inequalities, answer.n_strict) == (300, 200)
    assert answer.separated_rows.tolist() == list(range(50))  # setosa
    assert mm.verify(answer.certificate, iris.X, iris.labels) and mm.verify(answer.witness, iris.X, iris.labels)
    for name in ("wine", "digits"):
        data = mm.load(name)
        assert mm.separability(data.X, data.labels).verdict is mm.Verdict.SEPARABLE


def test_much_overlapping_data_are_decided_by_their_pairs() -> None:
    rng = np.random.default_rng(0)
    X, codes = rng.normal(size=(3000, 12)), rng.integers(0, 5, 3000)
    answer = multinomial(ClassProblem(X, codes, 5))
    assert answer.verdict is mm.Verdict.OVERLAP
    assert len(answer.certificate.pairs) <= 2 * 4 * 13


def test_limits() -> None:
    problem = ClassProblem(np.array([[1.0], [2.0], [3.0], [1.0]]), np.array([0, 1, 2, 2]), 3)
    answer = multinomial(problem, exact_limit=3)
    assert answer.verdict is mm.Verdict.UNDECIDED and "exact_limit=3" in answer.reason and answer.certificate is None
    answer = multinomial(problem, time_limit=1e-9)
    assert answer.verdict is mm.Verdict.UNDECIDED and "time limit" in answer.reason


def test_decimal_rows() -> None:
    """Three points that are equally spaced in decimal text only."""
    texts = [[1], [2], [3], [2]]
    integers = np.array(texts, dtype=object) * 10**30 + 1
    problem = ClassProblem(integers.astype(float), np.array([0, 1, 2, 0]), 3, True, integers)
    assert multinomial(problem).verdict is mm.Verdict.QUASI_SEPARABLE
