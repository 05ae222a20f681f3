"""Ways to compute the same mistakes: with a vector of weights, or with a Gram matrix of few rows."""

from collections.abc import Callable
from copy import copy
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.compiling import Kernel
from maxmargin.solvers.perceptron.engines.exact_weights import ExactWeights
from maxmargin.solvers.perceptron.engines.row_units import Units
from maxmargin.solvers.perceptron.kernels import kernels
from maxmargin.solvers.perceptron.kernels.error_bounds import REACH, SCORE_ERROR, UPDATE_ERROR
from maxmargin.solvers.perceptron.kernels.gram_pass import Gram, present_over_gram
from maxmargin.solvers.perceptron.kernels.work import ERROR, GREATEST, N_DECIDED, NORM, Orders, Reason, Work, frozen
from maxmargin.solvers.problem.problem import Problem

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]

_UNIT = 2.0**-53
_UP = 1 + 2.0**-40

Pass = Callable[[Any, Work], int]

_LOOKS_AT_A_MISTAKE = 8
"""Presentations per mistake that the length of a slice assumes: a mistake adds a whole row to the margins."""

_OTHER_OPERATIONS = 6
"""Roundings of a score besides one product and one sum for every feature."""


class Engine(Protocol):
    """What presents rows.

    Attributes
    ----------
    name : str
    y : ndarray (n_rows,)
        Signs of the rows.
    rounding : ndarray
        The bounds of the rounding of scores for the compiled passes.
    entries_per_presentation : int
        Largest count of numbers that a presentation reads, or could read in its time.
    is_exact : bool
        Whether nothing is rounded.
    """

    name: str
    y: Floats
    rounding: Floats
    entries_per_presentation: int
    is_exact: bool

    def present(self, work: Work) -> Reason:
        """Do the work, and update its arrays."""

    def load(self, exact: ExactWeights, size: Floats) -> None:
        """Continue with these weights, rounded once."""

    def state(self) -> NDArray[Any]:
        """Return the array that stands for the weights."""


class OrdersEngine(Engine, Protocol):
    """What runs in many orders as well."""

    def present_orders(self, orders: Orders) -> None:
        """Run in every one of the orders from w = 0, and update their arrays."""

    def twin(self) -> "OrdersEngine":
        """Return an engine of the same rows with weights of its own, which are 0."""


class WeightsEngine:
    """A vector of weights; a score costs a product with a row."""

    name, is_exact = "weights", False

    def __init__(self, units: Units, X: Any, y: Floats, weights: Floats | None = None) -> None:
        self.units, self.X, self.y = units, X, frozen(np.asarray(y, dtype=np.float64))
        self.entries_per_presentation = units.n_features
        self.rounding = _rounding(units, error_of_entries=False)
        self.weights = np.zeros(units.n_features + 1) if weights is None else weights
        self.is_sparse = hasattr(X, "tocsr")
        rows = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32)) if self.is_sparse else (X,)
        self.model: Any = (*map(frozen, rows), self.y, self.weights, units.scale)

    def present(self, work: Work) -> Reason:
        """Do the work."""
        if self.is_sparse:
            return presented(kernels.present_over_sparse, kernels.present_sparse, self.model, work)
        return presented(kernels.present_over_dense, kernels.present_dense, self.model, work)

    def present_orders(self, orders: Orders) -> None:
        """Run in every order."""
        kernel = kernels.present_orders_sparse if self.is_sparse else kernels.present_orders_dense
        in_machine_code(kernel)(self.model, orders)

    def twin(self) -> "WeightsEngine":
        """Return an engine with weights of its own."""
        return WeightsEngine(self.units, self.X, self.y)

    def load(self, exact: ExactWeights, size: Floats) -> None:
        """Round the weights."""
        self.weights[:] = exact.rounded(self.units.exponent)
        _measure(size, exact.norm(self.units.exponent), _UNIT)

    def state(self) -> Floats:
        """Return the weights."""
        return self.weights


class GramEngine:
    """The functional margins of all rows, to which a mistake adds a row of the Gram matrix."""

    name, is_exact = "gram", False

    def __init__(self, units: Units, problem: Problem) -> None:
        self.units, self.y = units, frozen(problem.y)
        self.entries_per_presentation = max(1, problem.n_samples // _LOOKS_AT_A_MISTAKE)
        self.rounding = _rounding(units, error_of_entries=True)
        self.Z = _signed_rows(units, problem)
        self.gram = frozen(np.ascontiguousarray(_product(self.Z, self.Z.T)))
        self.margins = np.zeros(problem.n_samples)

    @property
    def model(self) -> Gram:
        """What the compiled passes take."""
        return self.gram, self.y, self.margins

    def present(self, work: Work) -> Reason:
        """Do the work."""
        return presented(present_over_gram, kernels.present_gram, self.model, work)

    def present_orders(self, orders: Orders) -> None:
        """Run in every order."""
        in_machine_code(kernels.present_orders_gram)(self.model, orders)

    def twin(self) -> "GramEngine":
        """Return an engine with margins of its own."""
        engine = copy(self)
        engine.margins = np.zeros_like(self.margins)
        return engine

    def load(self, exact: ExactWeights, size: Floats) -> None:
        """Compute the functional margins of these weights."""
        self.margins[:] = _product(self.Z, exact.rounded(self.units.exponent))
        _measure(size, exact.norm(self.units.exponent), self.rounding[SCORE_ERROR] + _UNIT)

    def state(self) -> Floats:
        """Return the functional margins."""
        return self.margins


def in_machine_code(function: Kernel) -> Kernel:
    """Return a pass as machine code; the compiler is loaded here, and not before."""
    from maxmargin.solvers.perceptron.kernels.machine_code import machine_code

    kernel: Kernel = machine_code(function)
    return kernel


def presented(plain: Pass, deciding: Pass, model: Any, work: Work) -> Reason:
    """Do the work with the pass that decides scores by the limbs of the rows, where there are any."""
    if work.limbs.rows.size:
        return Reason(in_machine_code(deciding)(model, work))
    work.cursor[N_DECIDED] = 0
    return Reason(in_machine_code(plain)(model, work))


def _rounding(units: Units, *, error_of_entries: bool) -> Floats:
    """Return the bounds of the rounding; the entries of a Gram matrix have the errors of scores."""
    relative = (units.n_features + _OTHER_OPERATIONS) * _UNIT * _UP
    rounding = np.zeros(3)
    rounding[REACH], rounding[SCORE_ERROR] = units.reach * _UP, relative
    rounding[UPDATE_ERROR] = relative if error_of_entries else 0.0
    return frozen(rounding)


def _measure(size: Floats, norm: float, relative_error: float) -> None:
    """Bound the weights and the rounding error of the numbers computed from them; exact numbers stay exact."""
    size[NORM] = norm * _UP
    size[GREATEST] = max(size[GREATEST], norm)
    if size[ERROR] > 0:
        size[ERROR] = norm * relative_error * _UP


def _signed_rows(units: Units, problem: Problem) -> Any:
    """Return the rows y (x, s) in units."""
    constant = np.full((problem.n_samples, 1), units.scale)
    if not problem.is_sparse:
        return np.hstack([units.rows(problem.X), constant]) * problem.y[:, np.newaxis]
    from scipy.sparse import csr_array, diags_array, hstack

    return csr_array(diags_array(problem.y) @ hstack([units.rows(problem.X), constant]))


def _product(left: Any, right: Any) -> Floats:
    product = left @ right
    return np.asarray(product.toarray() if hasattr(product, "toarray") else product)
