"""The soft-margin SVM and the nu-SVM, each with its proven interval."""

import math
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.answers.fields import LONGEST_LIST, RowNames, attempt_fields
from maxmargin.solvers.answers.named import NamedAnswer
from maxmargin.solvers.answers.statuses import Status
from maxmargin.solvers.exact.dyadic import round_up
from maxmargin.solvers.problem.candidate import Attempt

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SoftMargin(NamedAnswer):
    """The soft-margin SVM: min 1/2||w||^2 + C sum v xi, y(w.x + b) >= 1 - xi, xi >= 0; the bias is not penalised.

    Attributes
    ----------
    status : Status
    C : float
    w : ndarray (n_features,)
    b : float
    objective : float
        Value of the objective at (w, b), rounded up: an upper bound of the optimum.
    lower : float
        Proven lower bound of the optimum, from the dual, rounded down.
    slack : ndarray (n_samples,)
        xi = max(0, 1 - y(w.x + b)).
    support : ndarray of int
        Rows of positive multiplier.
    dual : ndarray (n_samples,)
        Multipliers 0 <= alpha <= C v with sum alpha y = 0 (with bias): at the optimum w = sum alpha y x.
    engine : str
        What computed (w, b).
    attempts : tuple of Attempt
    reason : str
        What cut the work short, `WHAT_WAS_PROVEN` for Ctrl-C; else empty.
    sample_weight : ndarray (n_samples,) or None
        The floats next to the v; None where all are 1.
    """

    status: Status
    C: float
    w: Floats
    b: float
    objective: float
    lower: float
    slack: Floats
    support: Rows
    dual: Floats
    engine: str
    attempts: tuple[Attempt, ...] = ()
    reason: str = ""
    sample_weight: Floats | None = field(default=None, repr=False)

    @property
    def headline(self) -> str:
        """The status and the proven interval."""
        return f"{self.status.value}: objective at C = {self.C!r} in [{self.lower!r}, {self.objective!r}]"

    def fields(self, rows: RowNames) -> dict[str, Any]:
        """Return the fields of ``maxmargin margin --soft C --json``."""
        norm = float(np.linalg.norm(self.w))
        return {
            "status": self.status.value,
            "C": self.C,
            "objective": self.objective,
            "lower": self.lower,
            "gap": self.gap,
            "w": self.w,
            "b": self.b,
            "margin": 1 / norm if norm else None,
            **rows.fields("support", self.support),
            "support_dual": self.dual[self.support][:LONGEST_LIST],
            "slack_sum": float(self.slack.sum()),
            "slack_count": int((self.slack > 0).sum()),
            "n_errors": int((self.slack >= 1).sum()),
            "reason": self.reason,
            "engine": self.engine,
            "attempts": attempt_fields(self.attempts),
        }

    @property
    def gap(self) -> float:
        """``objective - lower``, the proven distance to the optimum at most."""
        return round_up(Fraction(self.objective) - Fraction(self.lower))


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class NuMargin(NamedAnswer):
    """The nu-SVM: min 1/2||w||^2 - nu rho + sum c xi, y(w.x + b) >= rho - xi, xi >= 0, with c = v / sum v.

    Attributes
    ----------
    status : Status
        `optimal` where the interval is narrow against the objective, or against that of reduced hulls whose distance
        is 1e-8 of the size of the data: an objective of 0 has no size of its own.
    nu : float
    w : ndarray (n_features,)
    b : float
    rho : float
        Functional margin of the rows without slack; 0 with w = 0 where the reduced hulls share a point.
    objective : float
        Value of the objective at (w, b, rho), rounded up: an upper bound of the optimum, at most 0.
    lower : float
        Proven lower bound of the optimum, from the dual, rounded down.
    slack : ndarray (n_samples,)
        xi = max(0, rho - y(w.x + b)).
    support : ndarray of int
        Rows of positive multiplier; their c sum to nu at least, and the c of the rows with slack to nu at most.
    dual : ndarray (n_samples,)
        Multipliers 0 <= a <= c with sum a = nu and (with bias) sum a y = 0: at the optimum w = sum a y x.
    engine : str
        What computed (w, b, rho).
    attempts : tuple of Attempt
    reason : str
        `WHAT_WAS_PROVEN` where Ctrl-C cut the work short, else empty.
    sample_weight : ndarray (n_samples,) or None
        The v; None where all are 1.
    """

    status: Status
    nu: float
    w: Floats
    b: float
    rho: float
    objective: float
    lower: float
    slack: Floats
    support: Rows
    dual: Floats
    engine: str
    attempts: tuple[Attempt, ...] = ()
    reason: str = ""
    sample_weight: Floats | None = field(default=None, repr=False)

    def fields(self, rows: RowNames) -> dict[str, Any]:
        """Return the answer as fields of JSON."""
        return {
            "status": self.status.value,
            "nu": self.nu,
            "objective": self.objective,
            "lower": self.lower,
            "gap": self.gap,
            "w": self.w,
            "b": self.b,
            "rho": self.rho,
            **rows.fields("support", self.support),
            "support_dual": self.dual[self.support][:LONGEST_LIST],
            "slack_count": int((self.slack > 0).sum()),
            "reason": self.reason,
            "engine": self.engine,
            "attempts": attempt_fields(self.attempts),
        }

    @property
    def headline(self) -> str:
        """The status and the proven interval."""
        return f"{self.status.value}: objective at nu = {self.nu!r} in [{self.lower!r}, {self.objective!r}]"

    @property
    def gap(self) -> float:
        """``objective - lower``, the proven distance to the optimum at most."""
        if math.isinf(self.lower):
            return math.inf
        return round_up(Fraction(self.objective) - Fraction(self.lower))

    @property
    def C(self) -> float | None:  # noqa: N802
        """The C for which (w, b) / rho is the soft margin with the same sample weights: 1 / (rho sum v).

        None where rho is 0, or C beyond binary64.
        """
        total = len(self.slack) if self.sample_weight is None else math.fsum(self.sample_weight.tolist())
        price = math.inf if self.rho * total <= 0 else 1 / (self.rho * total)
        return price if 0 < price < math.inf else None
