"""Small problems with closed-form answers."""

from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Known:
    """A two-class problem and the square of its maximum margin, exactly; 0 where it is not strictly separable."""

    name: str
    X: NDArray[np.float64]
    y: NDArray[np.float64]
    bias: bool
    margin_squared: Fraction


def _known(name: str, X: Any, y: Any, margin_squared: Fraction | int, *, bias: bool = True) -> Known:
    rows, signs = np.array(X, dtype=np.float64), np.array(y, dtype=np.float64)
    rows.flags.writeable = signs.flags.writeable = False
    return Known(name, rows, signs, bias, Fraction(margin_squared))


def _vertex_and_face(d: int) -> Known:
    """0 against the unit vectors: the distance of 0 to their hull is 1/sqrt(d)."""
    return _known(f"vertex-face-{d}", [[0] * d, *np.eye(d)], [-1, *[1] * d], Fraction(1, 4 * d))


def _faces_of_a_simplex(p: int, q: int) -> Known:
    """p unit vectors against q others: the means have distance sqrt(1/p + 1/q)."""
    return _known(f"simplex-{p}-{q}", np.eye(p + q), [-1] * p + [1] * q, (Fraction(1, p) + Fraction(1, q)) / 4)


def _unit_vectors_through_the_origin(d: int) -> Known:
    """y x = the unit vectors: the distance of 0 to their hull is 1/sqrt(d), and all d rows are support."""
    y = [(-1) ** i for i in range(d)]
    return _known(f"origin-{d}", np.eye(d) * np.array(y)[:, None], y, Fraction(1, d), bias=False)


def _parallel_lattices(d: int, width: int) -> Known:
    """{0, 1, 2}^d at first coordinate 0, and again at ``width``."""
    face = np.array(list(product(range(3), repeat=d)), dtype=float)
    left = np.hstack([np.zeros((len(face), 1)), face])
    right = np.hstack([np.full((len(face), 1), float(width)), face])
    return _known(f"lattices-{d}-{width}", np.vstack([left, right]), [-1] * len(face) + [1] * len(face),
                  Fraction(width, 2) ** 2)  # fmt: skip


def _odd_max_bit(n: int) -> Known:
    """Label = parity of the highest index that is on: 1/gamma^2 = F_n F_{n+1} over {-1, 1}^n."""
    fibonacci = [0, 1]
    while len(fibonacci) < n + 2:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    X = list(product((-1, 1), repeat=n))
    highest = [max((i + 1 for i, bit in enumerate(x) if bit > 0), default=0) for x in X]
    y = [1 if index % 2 else -1 for index in highest]
    return _known(f"odd-max-bit-{n}", X, y, Fraction(1, fibonacci[n] * fibonacci[n + 1]))


def _formula() -> Known:
    """(x1 or x4) and not x3 over {-1, 1}^4: w = (1, 0, -2, 1), b = -1."""
    X = list(product((-1, 1), repeat=4))
    y = [1 if (x[0] > 0 or x[3] > 0) and x[2] < 0 else -1 for x in X]
    return _known("formula", X, y, Fraction(1, 6))


SEPARABLE = (
    _known("two-points", [[1, 2, 3], [4, 6, 3]], [-1, 1], Fraction(25, 4)),
    _known("agresti", [[10], [20], [30], [40], [60], [70], [80], [90]], [-1] * 4 + [1] * 4, 100),
    _known("ten-twelve", [[10], [12]], [-1, 1], 1),
    _known("collinear-columns", [[1, 2], [2, 4], [5, 10]], [-1, -1, 1], Fraction(45, 4)),
    _known("constant-column", [[7, 0], [7, 1], [7, 4]], [-1, -1, 1], Fraction(9, 4)),
    _known("duplicates", [[0, 0]] * 5 + [[3, 4]] * 4, [-1] * 5 + [1] * 4, Fraction(25, 4)),
    _known("wide", np.hstack([np.eye(3), np.zeros((3, 9))]), [-1, 1, 1], (1 + Fraction(1, 2)) / 4), _vertex_and_face(2),
    _vertex_and_face(5), _faces_of_a_simplex(1, 1), _faces_of_a_simplex(3, 4), _unit_vectors_through_the_origin(2),
    _unit_vectors_through_the_origin(7), _parallel_lattices(1, 1), _parallel_lattices(2, 5),
    *(_odd_max_bit(n) for n in range(2, 7)), _formula(),
)  # fmt: skip

INSEPARABLE = (
    _known("xor", [[0, 0], [1, 1], [0, 1], [1, 0]], [-1, -1, 1, 1], 0),
    _known("both-labels", [[1, 2], [1, 2]], [-1, 1], 0),
    _known("touching", [[0, 0], [2, 0], [1, 0], [1, 1]], [-1, -1, 1, 1], 0),
    _known("all-zero", [[0, 0]] * 4, [-1, 1, -1, 1], 0),
    _known("zero-row-origin", [[0, 0], [1, 1]], [-1, 1], 0, bias=False),
    _known("one-two-origin", [[1], [2]], [-1, 1], 0, bias=False),
    _known("agresti-at-50", [[10], [40], [50], [50], [60], [90]], [-1, -1, -1, 1, 1, 1], 0),
)
