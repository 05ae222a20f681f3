"""The kernel perceptron: the perceptron in the feature space of a kernel, from the Gram matrix of the rows."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.option_values import check_choice, whole_number
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.online.algorithm import Algorithm, OnlineRun, parameter
from maxmargin.solvers.online.guarantee import Check, at_most, quotient, where
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.space import MOST_ENTRIES, Measured, Space
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.margins import geometric_margin, least_functional_margin, n_errors

KERNELS = ("linear", "polynomial", "rbf")


def kernel_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Add y to the coefficient of the row on a mistake."""
    if y[row] * score > 0.0:
        return 0
    w[row] += y[row]
    return 1


@dataclass(frozen=True, kw_only=True)
class KernelSpace(Space):
    """The Gram matrix as X, so that w holds coefficients and w.x is a score; and the rows (x, s) behind it."""

    rows: Floats
    is_kernel = True


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelPerceptron(Algorithm):
    """c_i += y_i where y_i sum_k c_k K(x_k, x_i) <= 0, on the rows (x, s): the perceptron for sum c_k phi(x_k).

    Attributes
    ----------
    kernel : {"linear", "polynomial", "rbf"}
        x.z, (x.z)^degree, or exp(-gamma ||x - z||^2); with bias x.z stands for x.z + s^2.
    degree : int
        From 1.
    gamma : float
        Positive.

    Notes
    -----
    Any u of the feature space gives a bound R^2/g^2 with its margin g; here u is the plane that a converged run ended
    on, with the margin it has there, and R^2 = max K(x, x).
    """

    name = "kernel-perceptron"
    summary = "the perceptron in the feature space of a kernel"
    reference = "Aizerman, Braverman and Rozonoer 1964; Freund and Schapire 1999"
    theorems = (
        at_most(
            "novikoff",
            "updates <= R^2/g^2 in the feature space, g the margin of the plane that the converged run ended on",
            "Novikoff 1962",
        ),
    )
    step = staticmethod(kernel_step)
    needs_all_rows = True

    kernel: str = "rbf"
    degree: int = parameter(2, 1, ends="[")
    gamma: float = parameter(1.0, 0.0)

    def __post_init__(self) -> None:
        check_choice("kernel", self.kernel, KERNELS)
        whole_number("degree", self.degree)
        Algorithm.__post_init__(self)

    def step_parameters(self, space: Space) -> tuple[float, ...]:
        """Return none: the kernel is in the rows of the space."""
        return ()

    def space(self, space: Space) -> KernelSpace:
        """Return the space of the coefficients.

        Raises
        ------
        InvalidProblemError
            If the Gram matrix has too many entries, or overflows.
        """
        n, most = space.n_samples, math.isqrt(MOST_ENTRIES)
        if n > most:
            raise InvalidProblemError(f"there are {n} rows; expected {most} at most for a Gram matrix")
        with np.errstate(over="ignore", invalid="ignore"):
            gram = self.between(space.X, space.X)
        if not np.isfinite(gram).all():
            raise InvalidProblemError("the Gram matrix overflows: divide the data by a power of two")
        return KernelSpace(X=gram, y=space.y, scale=space.scale, exponent=space.exponent, rows=space.X)

    def between(self, X: Floats, Z: Floats) -> Floats:
        """Return K(x, z) for all rows of two matrices."""
        products = X @ Z.T
        if self.kernel == "linear":
            return np.ascontiguousarray(products)
        if self.kernel == "polynomial":
            return np.ascontiguousarray(products**self.degree)
        squares = (X * X).sum(axis=1)[:, np.newaxis] + (Z * Z).sum(axis=1) - 2 * products
        return np.ascontiguousarray(np.exp(-self.gamma * np.maximum(squares, 0.0)))

    def measure(self, problem: Problem, space: Space, plane: Floats) -> Measured | None:
        """Return the coefficients with the margin in the feature space; the squared norm c'Kc is rounded."""
        square = float(plane @ space.X @ plane)
        least = least_functional_margin(space.problem, plane, 0.0)
        margin = geometric_margin(least, Fraction(max(square, 0.0)))
        errors = n_errors(space.problem, plane, 0.0)
        return Measured(w=plane, b=0.0, margin=margin, run_margin=margin, unit_margin=margin, n_errors=errors)

    def predict(self, run: OnlineRun, X: Floats) -> Floats:
        """Return the sign of sum c_k K(x_k, x)."""
        space = run.space
        assert isinstance(space, KernelSpace)  # what this algorithm runs in
        constant = np.full((X.shape[0], space.rows.shape[1] - X.shape[1]), space.scale)
        return np.sign(self.between(np.hstack([X, constant]), space.rows) @ run.w)

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield Novikoff's bound with the margin that the run itself achieved."""
        radius = math.sqrt(max(float(run.space.X.diagonal().max()), 0.0))
        ratio = quotient(radius, run.margin)
        yield Check(run.n_updates, where(run.converged and run.margin > 0, ratio * ratio))
