"""How a perceptron is run, and what it says of itself on the way."""

import math
from dataclasses import dataclass
from enum import StrEnum
from numbers import Integral

from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.perceptron.orders import Order

ZERO_RULES = {"mistake": 0, "positive": 1, "negative": -1}
"""What the compiled kernels call the rules for a score of exactly 0."""


class StopReason(StrEnum):
    """Why a run ended."""

    CONVERGED = "converged"
    MAX_EPOCHS = "max_epochs"
    MAX_MISTAKES = "max_mistakes"
    INTERRUPTED = "interrupted"


class Method(StrEnum):
    """How scores are computed; the mistakes are the same."""

    AUTO = "auto"
    WEIGHTS = "weights"
    GRAM = "gram"
    BLOCKS = "blocks"


@dataclass(frozen=True, slots=True, kw_only=True)
class PerceptronSettings:
    """How a perceptron is run.

    Attributes
    ----------
    bias_scale : float
        The constant coordinate s that stands for the bias: rows are (x, s). Ignored through the origin.
    zero : {"mistake", "positive", "negative"}
        What y w.x = 0 is: always a mistake, or a prediction of +1, or of -1.
    order : Order
    max_epochs, max_mistakes : int or None
        Limits; None is none.
    method : Method
        With a vector of weights; with the Gram matrix of at most 2,048 rows; or with weights and blocks of dense rows,
        in an order that repeats itself, screened in single precision. By default whichever is fastest.
    """

    bias_scale: float = 1.0
    zero: str = "mistake"
    order: Order = Order.CYCLIC
    max_epochs: int | None = None
    max_mistakes: int | None = 10_000_000
    method: Method = Method.AUTO

    def __post_init__(self) -> None:
        if self.zero not in ZERO_RULES:
            raise InvalidOptionError(f"zero is {self.zero!r}; expected one of {', '.join(ZERO_RULES)}")
        check_bias_scale(self.bias_scale)
        check_limits(max_epochs=self.max_epochs, max_mistakes=self.max_mistakes)


def check_bias_scale(bias_scale: float) -> None:
    """Raise `InvalidOptionError` unless the constant coordinate is a positive finite number."""
    if not 0 < bias_scale < math.inf:
        raise InvalidOptionError(f"bias_scale is {bias_scale!r}; expected a positive finite number")


def check_limits(**limits: object) -> None:
    """Raise `InvalidOptionError` unless every limit is a whole number from 1, or None."""
    for name, limit in limits.items():
        if limit is not None and not (isinstance(limit, Integral) and int(limit) >= 1):
            raise InvalidOptionError(f"{name} is {limit!r}; expected a whole number from 1, or None")


@dataclass(frozen=True, slots=True, kw_only=True)
class Progress:
    """Where a run stands, handed to the progress callback about ten times a second."""

    n_mistakes: int
    n_epochs: int
    seconds: float
