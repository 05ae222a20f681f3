"""Engines in floating point, which make the same mistakes: with weights, or with the Gram matrix of few rows."""

from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.perceptron.engines.exact_weights import ExactWeights
from maxmargin.solvers.perceptron.engines.row_units import Units, signed_rows
from maxmargin.solvers.perceptron.kernels import kernels
from maxmargin.solvers.perceptron.kernels import pass_arguments as at
from maxmargin.solvers.perceptron.kernels.error_bounds import REACH, SCORE_ERROR, UPDATE_ERROR
from maxmargin.solvers.perceptron.kernels.gram_pass import present_over_gram
from maxmargin.solvers.perceptron.kernels.pass_arguments import Orders, Reason, Work, frozen
from maxmargin.solvers.problem.problem import Problem

# Names of the engines, and of their passes over many orders, that this process has compiled or loaded.
loaded: set[str] = set()

_UNIT = 2.0**-53
_UP = 1 + 2.0**-40

# Presentations per mistake that the length of a slice assumes: a mistake adds a whole row to the margins.
_LOOKS_AT_A_MISTAKE = 8

# Roundings of a score besides one product and one sum for every feature.
_OTHER_OPERATIONS = 6


class Engine(ABC):
    """A way to present rows.

    Attributes
    ----------
    name : str
    is_exact : bool
        Whether nothing is rounded.
    y : ndarray (n_rows,)
        Signs of the rows.
    rounding : ndarray
        The bounds of the rounding of scores for the compiled passes.
    weights : ndarray
        The weights, or the functional margins of all rows.
    entries_per_presentation : int
        Largest count of numbers that a presentation reads, or could read in its time.
    """

    name: str
    is_exact = False
    y: Floats
    rounding: Floats
    weights: NDArray[Any]
    entries_per_presentation: int

    @abstractmethod
    def present(self, work: Work) -> Reason:
        """Do the work, and update its arrays."""

    @abstractmethod
    def load(self, exact: ExactWeights, size: Floats) -> None:
        """Continue with these weights, rounded once."""

    def twin(self) -> Self:
        """Return an engine of the same rows with weights of its own, which are 0."""
        engine = copy(self)
        engine.weights = np.zeros_like(self.weights)
        return engine


class FloatEngine(Engine):
    """An engine in floating point, whose compiled passes bound their own rounding errors.

    Attributes
    ----------
    passes : tuple of callable
        The pass that asks about scores near 0, the one that decides them by limbs, and the one over many orders.
    """

    passes: tuple[Callable[..., Any], ...]

    def __init__(self, units: Units, y: Floats, weights: Floats, *, rounds_entries: bool = False) -> None:
        self.units, self.y, self.weights = units, frozen(np.asarray(y, dtype=np.float64)), weights
        relative = (units.n_features + _OTHER_OPERATIONS) * _UNIT * _UP
        self.rounding = np.zeros(3)
        self.rounding[REACH], self.rounding[SCORE_ERROR] = units.reach * _UP, relative
        self.rounding[UPDATE_ERROR] = relative if rounds_entries else 0.0  # entries of a Gram matrix are scores
        self.rounding = frozen(self.rounding)

    @property
    @abstractmethod
    def model(self) -> tuple[Any, ...]:
        """The rows and the weights, in the form that the compiled passes take."""

    def present(self, work: Work) -> Reason:
        """Do the work; limbs of the rows decide scores near 0 where there are any."""
        work.cursor[at.N_DECIDED] = 0
        return Reason(self._called(self.passes[1] if work.limbs.rows.size else self.passes[0], work))

    def present_orders(self, orders: Orders) -> None:
        """Run in every one of the orders from w = 0, and update their arrays."""
        self._called(self.passes[2], orders)

    def _called(self, kernel: Callable[..., Any], work: Work | Orders) -> Any:
        """Call a pass as machine code; the compiler is loaded here, and not before."""
        from maxmargin.solvers.perceptron.kernels.machine_code import machine_code

        result = machine_code(kernel)(self.model, work)
        loaded.add(self.name if isinstance(work, Work) else f"orders, {self.name}")
        return result

    def load(self, exact: ExactWeights, size: Floats) -> None:
        """Round the weights, and bound them and the rounding errors; exact numbers stay exact."""
        norm = exact.norm(self.units.exponent)
        self.weights[:] = self._state(exact.rounded(self.units.exponent))
        size[at.NORM] = norm * _UP
        size[at.GREATEST] = max(size[at.GREATEST], norm)
        if size[at.ERROR] > 0:
            size[at.ERROR] = norm * (self.rounding[UPDATE_ERROR] + _UNIT) * _UP

    def _state(self, w: Floats) -> Floats:
        """Return the numbers that stand for these weights."""
        return w


class WeightsEngine(FloatEngine):
    """A vector of weights; a score costs a product with a row."""

    name = "weights"

    def __init__(self, units: Units, X: Any, y: Floats, weights: Floats | None = None) -> None:
        super().__init__(units, y, np.zeros(units.n_features + 1) if weights is None else weights)
        self.entries_per_presentation, self.X = units.n_features, X
        if hasattr(X, "tocsr"):
            self.rows: tuple[Any, ...] = X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)
            self.passes = kernels.present_over_sparse, kernels.present_sparse, kernels.present_orders_sparse
        else:
            self.rows = (X,)
            self.passes = kernels.present_over_dense, kernels.present_dense, kernels.present_orders_dense

    @property
    def model(self) -> tuple[Any, ...]:
        """The rows, their signs, the weights and s."""
        return *map(frozen, self.rows), self.y, self.weights, self.units.scale


class GramEngine(FloatEngine):
    """The functional margins of all rows, to which a mistake adds a row of the Gram matrix."""

    name = "gram"
    passes = present_over_gram, kernels.present_gram, kernels.present_orders_gram

    def __init__(self, units: Units, problem: Problem) -> None:
        super().__init__(units, problem.y, np.zeros(problem.n_samples), rounds_entries=True)
        self.entries_per_presentation = max(1, problem.n_samples // _LOOKS_AT_A_MISTAKE)
        self.Z = _signed_rows(units, problem)
        self.gram = frozen(np.ascontiguousarray(_product(self.Z, self.Z.T)))

    @property
    def model(self) -> tuple[Any, ...]:
        """The Gram matrix, the signs and the functional margins."""
        return self.gram, self.y, self.weights

    def _state(self, w: Floats) -> Floats:
        return _product(self.Z, w)


def _signed_rows(units: Units, problem: Problem) -> Any:
    """Return the rows y (x, s) in units."""
    if not problem.is_sparse:
        return units.rows(signed_rows(problem, units.bias_scale))
    from scipy.sparse import csr_array, diags_array, hstack

    constant = np.full((problem.n_samples, 1), units.scale)
    return csr_array(diags_array(problem.y) @ hstack([units.rows(problem.X), constant]))


def _product(left: Any, right: Any) -> Floats:
    product = left @ right
    return np.asarray(product.toarray() if hasattr(product, "toarray") else product)
