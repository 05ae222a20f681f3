"""Formulas, conjunctions, threshold functions: closed forms, brute force, Python's own operators."""

from collections.abc import Callable
from fractions import Fraction
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import hadamard

from maxmargin import boolean, generate, hard_margin, perceptron, separability
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.teaching.counts import symmetry_classes

SPELLINGS = {"~": ("~", "!", "not ", "NOT "), "&": ("&", " and "), "^": ("^", " xor "), "|": ("|", " or ", " Or ")}

formulas = st.recursive(
    st.sampled_from(["x1", "x2", "x3", "x4", "0", "1"]),
    lambda part: st.one_of(
        st.builds("~{}".format, part),
        st.builds("({})".format, part),
        st.builds("{} {} {}".format, part, st.sampled_from("&^|"), part),
    ),
    max_leaves=12,
)


@given(formulas, st.data())
def test_formulas_mean_what_they_mean_in_python(text: str, data: st.DataObject) -> None:
    columns = boolean.cube(4, encoding="bits").astype(bool).T
    names = {f"x{i + 1}": column for i, column in enumerate(columns)}
    constants = text.replace("0", "F").replace("1", "T").replace("xT", "x1")
    oracle = eval(constants, {"F": np.zeros(16, bool), "T": np.ones(16, bool)}, names)
    spelt = "".join(data.draw(st.sampled_from(SPELLINGS.get(character, (character,)))) for character in text)
    formula = boolean.Formula.parse(spelt, n_variables=4)
    for encoding in ("signs", "bits"):
        X, y = formula.truth_table(encoding)
        assert (y == np.where(oracle, 1, -1)).all()
        assert (boolean.cube(4, encoding=encoding) == X).all()


def test_the_formula_of_known_margin() -> None:
    formula = boolean.Formula.parse("(x1 | x4) & ~x3")
    assert formula.n_variables == 4 and formula.text == "(x1 | x4) & ~x3"
    answer = hard_margin(*formula.truth_table(), exact=True)
    assert answer.margin_squared == Fraction(1, 6)
    assert (answer.w_exact, answer.b_exact) == ((1, 0, -2, 1), -1)
    assert hard_margin(*formula.truth_table("bits"), exact=True).margin_squared == Fraction(1, 24)
    assert separability(*boolean.Formula.parse("x1 ^ x2").truth_table()).verdict == "overlap"


@pytest.mark.parametrize("text, position, found, expected", [
    ("", 1, "the end", "a variable"), ("x1 &", 5, "the end", "a variable"), ("x1 & & x2", 6, "'&'", "a variable"),
    ("x1 x2", 4, "'x2'", "an operator"), ("x1 ~x2", 4, "'~'", "an operator"),
    ("(x1 | x2", 9, "the end", r"\) for the \( at character 1"),
    ("(x1 | (x2", 10, "the end", r"\) for the \( at character 7"), ("x1)", 3, r"'\)'", "or the end"),
    ("x0", 1, "'x0'", "a variable"), ("x1 | y", 6, "'y'", "a variable"), ("x1 + x2", 4, r"'\+'", "an operator"),
    ("x1and x2", 1, "'x1and'", "a variable"),
    ("x" + "9" * 5000, 1, r"'x9{39}\.\.\.'", "a variable with a number up to 999999"),
    ("~x99999999999", 2, "'x99999999999'", "a variable with a number up to 999999"),
    ("y" * 5000, 1, r"'y{40}\.\.\.'", "a variable x1"), ("~" * 100_000, 100_001, "the end", "a variable"),
    ("(" * 100_000 + "x1", 100_003, "the end", "at character 100000"),
    ("x1 | __import__('os')", 6, "'__import__'", "a variable"),
])  # fmt: skip
def test_what_is_no_formula(text: str, position: int, found: str, expected: str) -> None:
    with pytest.raises(InvalidOptionError, match=f"character {position}: found {found}.*expected.*{expected}"):
        boolean.Formula.parse(text)


def test_operators_of_one_kind_are_taken_from_the_left() -> None:
    assert boolean.Formula.parse("x1 ^ x2 ^ x3").program == ("x1", "x2", "^", "x3", "^")


def test_long_formulas_need_no_recursion() -> None:
    depth = 20_001
    formula = boolean.Formula.parse("(" * depth + "~" * depth + "x1" + ")" * depth)
    assert formula.truth_table()[1].tolist() == [1, -1]


def test_formulas_check_their_arguments() -> None:
    formula = boolean.Formula.parse("x1 & x2")
    assert formula([1, 1]) == 1 and formula(np.ones((2, 3, 2))).shape == (2, 3)
    wrong = (([[0, 1]], "signs", "value 0"), ([[-1, 1]], "bits", "value -1"), ([[1]], "bits", "shape"))
    for X, encoding, words in wrong:
        with pytest.raises(InvalidProblemError, match=words):
            formula(X, encoding=encoding)
    with pytest.raises(InvalidOptionError, match="encoding is 'words'"):
        formula([[1, 1]], encoding="words")
    with pytest.raises(InvalidOptionError, match="x2"):
        boolean.Formula.parse("x1 & x2", n_variables=1)
    with pytest.raises(InvalidOptionError, match="0 to 16"):
        boolean.Formula.parse("x17").truth_table()


@pytest.mark.parametrize("n", range(2, 11))
def test_odd_max_bit_is_its_formula(n: int) -> None:
    """The highest variable that is on has an odd number."""
    text = " | ".join(" & ".join([f"x{i}", *(f"~x{j}" for j in range(i + 1, n + 1))]) for i in range(1, n + 1, 2))
    for off, encoding in (("-1", "signs"), ("0", "bits")):
        data = generate(f"odd-max-bit:{n}:{off}")
        X, y = boolean.Formula.parse(text, n_variables=n).truth_table(encoding)
        assert (X == data.X).all() and (y == data.y).all()


@st.composite
def concepts(draw: st.DrawFn, most: int = 5) -> boolean.LiteralConcept:
    d = draw(st.integers(1, most))
    variables = draw(st.lists(st.integers(1, d), min_size=1, unique=True))
    literals = tuple(draw(st.sampled_from([-1, 1])) * i for i in variables)
    return draw(st.sampled_from([boolean.conjunction, boolean.disjunction]))(d, literals)


@given(concepts())
def test_the_separator_of_a_concept(concept: boolean.LiteralConcept) -> None:
    X, y = concept.formula.truth_table()
    d, k = concept.n_variables, len(concept.literals)
    assert concept.formula.n_variables == d
    agree = np.array([np.sign(i) * X[:, abs(i) - 1] > 0 for i in concept.literals])
    expected = agree.all(axis=0) if concept.connective == "conjunction" else agree.any(axis=0)
    assert (y == np.where(expected, 1, -1)).all() and (concept(X) == y).all()
    w, b = concept.weights, concept.bias
    assert (y * (X @ w + b)).min() == 1
    assert (d + 1) * int(w @ w + b * b) == concept.mistake_bound == boolean.conjunction_bound(d, k)


@pytest.mark.slow
@given(concepts(4))
@settings(max_examples=25)
def test_the_bound_is_novikoffs_with_the_greatest_margin(concept: boolean.LiteralConcept) -> None:
    X, y = concept.formula.truth_table()
    k = len(concept.literals)
    answer = hard_margin(np.column_stack([X, np.ones(len(X))]), y, bias=False, exact=True)
    assert answer.margin_squared == Fraction(1, k * k - k + 1)
    for zero, order in product(("mistake", "positive", "negative"), ("cyclic", "random")):
        assert perceptron(X, y, zero=zero, order=order, rng=0).n_mistakes <= concept.mistake_bound


@pytest.mark.parametrize("d", [1, 3, 7, 15, 31])
def test_one_literal_costs_d_plus_1_mistakes_where_there_is_a_hadamard_matrix(d: int) -> None:
    """So d (2k^2 - 2k + 1) = d is no bound for k = 1, and (d + 1)(k^2 - k + 1) is attained."""
    rows = hadamard(d + 1)
    y = rows[:, -1]
    X = y[:, None] * rows[:, :-1]
    assert (boolean.conjunction(d, (1,))(X) == y).all()
    assert perceptron(X, y, max_epochs=1).n_mistakes == d + 1 == boolean.conjunction_bound(d, 1)


@pytest.mark.parametrize("function, arguments, words", [
    *((boolean.conjunction, (3, bad), "different variables 1 to 3") for bad in
      [(), (0,), (1, 1), (1, -1), (4,), (-4,)]),
    *((boolean.conjunction_bound, bad, "1 <= k <= d") for bad in [(3, 0), (3, 4), (0, 0)]),
    *((boolean.threshold_functions, (n,), "expected 1 to 4") for n in (0, 5)),
    *((boolean.count_threshold_functions, (n,), "expected 1 to 4") for n in (0, 5)),
])  # fmt: skip
def test_bad_literals_and_sizes(function: Callable[..., Any], arguments: tuple[Any, ...], words: str) -> None:
    with pytest.raises(InvalidOptionError, match=words):
        function(*arguments)


@given(concepts(), st.integers(2, 30), st.integers(0, 99))
def test_balanced_rows_have_their_labels(concept: boolean.LiteralConcept, n_rows: int, seed: int) -> None:
    X, y = boolean.balanced_rows(concept, n_rows, np.random.default_rng(seed))
    assert X.shape == (n_rows, concept.n_variables) and (concept(X) == y).all()
    assert (y == 1).sum() == n_rows // 2


@pytest.mark.parametrize("concept", [boolean.conjunction(4, (2, -3, 4)), boolean.disjunction(4, (-1, 3))])
def test_balanced_rows_are_uniform_on_each_class(concept: boolean.LiteralConcept) -> None:
    n_rows = 20_000
    X, y = boolean.balanced_rows(concept, n_rows, np.random.default_rng(5))
    for label in (-1, 1):
        kinds, counts = np.unique(X[y == label], axis=0, return_counts=True)
        assert len(kinds) == (concept(boolean.cube(4)) == label).sum()
        expected = n_rows / 2 / len(kinds)
        assert (abs(counts - expected) < 5 * expected**0.5).all()


def test_what_cannot_be_drawn() -> None:
    for concept, n_rows in ((boolean.conjunction(3, (1,)), 1), (boolean.conjunction(63, tuple(range(1, 64))), 10)):
        with pytest.raises(InvalidOptionError, match="at least 2 rows and at most 62 literals"):
            boolean.balanced_rows(concept, n_rows, np.random.default_rng(0))


@pytest.mark.sampled(3)
@pytest.mark.parametrize("n, count", [(1, 4), (2, 14), (3, 104), (4, 1882)])
def test_threshold_functions_are_those_of_small_whole_weights(n: int, count: int) -> None:
    """Whole weights up to 3 make threshold functions; that they make all of them, the equality shows."""
    weights = np.array(list(product(range(-3, 4), repeat=n)))
    scores = weights @ boolean.cube(n).T
    offsets = np.arange(-3 * n - 1, 3 * n + 2)
    tables = np.unique((scores[:, None, :] > offsets[None, :, None]).reshape(-1, 2**n), axis=0)
    found = boolean.threshold_functions(n)
    assert boolean.count_threshold_functions(n) == len(found) == len(tables) == count
    assert (np.unique(found, axis=0) == tables).all()


@pytest.mark.parametrize("n, n_classes", [(1, 2), (2, 4), (3, 14), (4, 222)])
def test_one_function_of_every_class_is_decided(n: int, n_classes: int) -> None:
    """These are the numbers of classes under permutation and negation of variables, and negation of the function."""
    classes = [set(codes.tolist()) for codes in symmetry_classes(n)]
    assert len(classes) == n_classes
    assert sorted(code for codes in classes for code in codes) == list(range(2**2**n))
    everything = 2**2**n - 1
    assert all(everything - code in codes for codes in classes for code in codes)


def test_the_cube_counts() -> None:
    bits = boolean.cube(3, encoding="bits")
    assert (bits @ [4, 2, 1] == np.arange(8)).all() and (boolean.cube(3) == 2 * bits - 1).all()
    assert len({tuple(row) for row in boolean.cube(5).tolist()}) == 32
    assert all((a != b).any() for a, b in combinations(boolean.cube(2), 2))
