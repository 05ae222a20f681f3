"""The examples of the lecture notes and of the literature, by name."""

from fractions import Fraction

import numpy as np

from maxmargin.data.generators.family import Integer, family
from maxmargin.data.generators.known_answers import OVERLAP, Case, Matrix, quasi, separable, two_classes

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
