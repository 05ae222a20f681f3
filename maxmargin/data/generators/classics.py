"""The examples of the lecture notes and of the literature, by name, and Boolean functions over the whole cube."""

from fractions import Fraction
from itertools import product

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.generators.family import Integer, Word, family
from maxmargin.data.generators.known_answers import OVERLAP, Case, Known, Matrix, quasi, separable, two_classes
from maxmargin.solvers.basics.array_types import Mask
from maxmargin.solvers.errors import InvalidOptionError

_TENS = ([[10], [20], [30], [40]], [[60], [70], [80], [90]])


@family("two-points", "10^k is -1, 10^k + 2 is +1: the margin with bias is no measure of the perceptron's mistakes",
        k=Integer(default=1, least=1, most=15))  # fmt: skip
def _two_points(k: int) -> Case:
    why = "two points at distance 2; through the origin both signs of one column overlap"
    return two_classes([[10**k]], [[10**k + 2]], separable(1), OVERLAP, why)


@family("agresti", "Agresti's complete separation: 10, 20, 30, 40 against 60, 70, 80, 90")
def _agresti() -> Case:
    why = "40 and 60 are the nearest; through the origin all rows of both classes lie on one side"
    return two_classes(*_TENS, separable(100), OVERLAP, why)


@family("agresti-quasi", "Agresti's quasi-complete separation: 50 has both labels")
def _agresti_quasi() -> Case:
    why = "the classes meet at 50, where a row of each lies"
    negative, positive = [*_TENS[0], [50]], [[50], *_TENS[1]]
    return two_classes(negative, positive, quasi([4, 5]), OVERLAP, why)


@family("xor", "exclusive or over {0,1}^2")
def _xor() -> Case:
    why = "both classes have the mean (1/2, 1/2), and the rows span everything"
    return two_classes([[0, 0], [1, 1]], [[0, 1], [1, 0]], OVERLAP, OVERLAP, why)


@family("xor-product", "exclusive or over {-1,1}^2 with the product as a third column")
def _xor_product() -> Case:
    why = "the product is the label, and the means of both classes are (0, 0, -1) and (0, 0, 1)"
    return two_classes([[-1, -1, 1], [1, 1, 1]], [[-1, 1, -1], [1, -1, -1]], separable(1), separable(1), why)


@family("xor-polar", "exclusive or over {-1,1}^2 in polar coordinates: the radius is constant, the angles alternate")
def _xor_polar() -> Case:
    quarter = np.pi / 4
    polar = np.array([[np.sqrt(2.0), turn * quarter] for turn in (-3, 1, -1, 3)])
    why = "one column is constant, and in the other the labels alternate"
    y = np.array([-1, -1, 1, 1])
    return Case(rows=Matrix.of_floats(polar), y=y, with_bias=OVERLAP, through_origin=OVERLAP, why=why)


@family("and", "conjunction over {0,1}^2")
def _and() -> Case:
    why = "(1, 1) against the edge from (0, 1) to (1, 0), at distance 1/sqrt(2)"
    return two_classes([[0, 0], [0, 1], [1, 0]], [[1, 1]], separable(Fraction(1, 8)), OVERLAP, why)


@family("or", "disjunction over {0,1}^2")
def _or() -> Case:
    why = "(0, 0) against the edge from (0, 1) to (1, 0); through the origin, (0, 0) touches every hyperplane"
    return two_classes([[0, 0]], [[0, 1], [1, 0], [1, 1]], separable(Fraction(1, 8)), quasi([0]), why)


@family("undershoot", "a long row and a short one: the perceptron's update leaves the short one wrong, time and again")
def _undershoot() -> Case:
    why = "two points; through the origin the point of their signed segment nearest to 0 is (-4, 6)/13"
    return two_classes([[1, 0]], [[8, 6]], separable(Fraction(85, 4)), separable(Fraction(4, 13)), why)


@family("sign-of-zero", "(1,0) and (-1,0) are +1, (0,1) is -1: with sign(0) = +1 the perceptron stops without a proof")
def _sign_of_zero() -> Case:
    why = "(0, 1) has distance 1 from the others, which are antipodes"
    return two_classes([[0, 1]], [[1, 0], [-1, 0]], separable(Fraction(1, 4)), quasi([1, 2]), why)


@family("three-on-a-line", "classes 1, 2, 3 at 1, 2, 3: multinomially separable, the middle one not from the rest",
        copies=Integer(default=1, least=1, most=1000))  # fmt: skip
def _three_on_a_line(copies: int) -> Case:
    positions = np.repeat([1, 2, 3], copies)
    why = "scores 0, 2x - 3, 4x - 8 choose every class strictly; 2 lies between 1 and 3"
    return Case(rows=Matrix.of(positions[:, None]), y=positions, with_bias=separable(), why=why)


def sign_cube(d: int) -> NDArray[np.int64]:
    """Return the 2^d rows of {-1,1}^d in the order of binary numbers: the last column changes fastest, -1 before +1."""
    return np.array(list(product((-1, 1), repeat=d)), dtype=np.int64)


def _case(X: NDArray[np.int64], is_positive: Mask, why: str, **answers: Known | None) -> Case:
    return Case(rows=Matrix.of(X), y=np.where(is_positive, 1, -1), why=why, **answers)  # type: ignore[arg-type]


@family("odd-max-bit", "label = parity of the highest index that is on, all off is -1; exponentially small margin",
        n=Integer(default=8, least=1, most=12), off=Word(default="-1", choices=("-1", "0")))  # fmt: skip
def _odd_max_bit(n: int, off: str) -> Case:
    """1/gamma^2 = F_n F_{n+1} on {-1,1}^n: w_i = -(-1)^i F_i has functional margin 1 and norm sqrt(F_n F_{n+1}).

    Through the origin, powers of 2 separate {0,1}^n but for 0. On {-1,1}^n, n > 1, antipodes with one label exist, and
    w_n = -w_{n-1} separates what it does not contain.
    """
    cube = sign_cube(n)
    highest = np.where(cube > 0, np.arange(1, n + 1), 0).max(axis=1)
    fibonacci = int(np.linalg.matrix_power([[0, 1], [1, 1]], n)[1].prod())  # F_n F_{n+1}
    if off == "0":
        X, factor, origin = (cube + 1) // 2, 4, quasi([0])
    else:
        X, factor, origin = cube, 1, separable(1) if n == 1 else quasi(np.flatnonzero(_is_antipodal(cube)))
    why = f"1/gamma^2 = {factor} F_{n} F_{n + 1}, the Fibonacci numbers"
    return _case(X, highest % 2 == 1, why, with_bias=separable(Fraction(1, factor * fibonacci)), through_origin=origin)


def _is_antipodal(cube: NDArray[np.int64]) -> Mask:
    """Return which rows touch every hyperplane through 0: those whose last two bits agree, but for n = 3 only two."""
    agree: Mask = cube[:, -1] == cube[:, -2]
    return agree & (cube[:, 0] != cube[:, -1]) if cube.shape[1] == 3 else agree


@family("conjunction", "the first k of d literals are all true, over {-1,1}^d",
        d=Integer(default=4, least=1, most=12), k=Integer(default=2, least=1, most=12))  # fmt: skip
def _conjunction(d: int, k: int) -> Case:
    if k > d:
        raise InvalidOptionError(f"found k {k}, expected at most d = {d}")
    cube = sign_cube(d)
    is_mixed = abs(cube[:, :k].sum(axis=1)) < k
    origin = separable(1) if k == 1 else quasi(np.flatnonzero(is_mixed)) if k == 2 else OVERLAP
    why = "w = 1 on the k literals, threshold k - 1; the nearest points are the means of the rows with k and k - 1 true"
    return _case(cube, cube[:, :k].min(axis=1) > 0, why, with_bias=separable(Fraction(1, k)), through_origin=origin)


@family("parity", "an odd number of n is on, over {-1,1}^n", n=Integer(default=3, least=2, most=12))
def _parity(n: int) -> Case:
    cube = sign_cube(n)
    why = "the mean of both classes is 0, and the rows span everything"
    is_odd = (cube > 0).sum(axis=1) % 2 == 1
    return _case(cube, is_odd, why, with_bias=OVERLAP, through_origin=OVERLAP)
