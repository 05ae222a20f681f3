"""The soft-margin SVM and the nu-SVM, each with its proven interval."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.answers.fields import LONGEST_LIST, NO_NAMES, Names, attempt_fields
from maxmargin.solvers.answers.named import NamedAnswer
from maxmargin.solvers.answers.phrases import through
from maxmargin.solvers.answers.statuses import Status
from maxmargin.solvers.answers.wording import opening, plane_lines
from maxmargin.solvers.exact.dyadic import width_of
from maxmargin.solvers.problem.candidate import Attempt

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class MarginWithSlack(NamedAnswer):
    """What the answers with slack share.

    Attributes
    ----------
    status : Status
    w : ndarray (n_features,)
    b : float
    objective : float
        Value of the objective at the hyperplane, rounded up: an upper bound of the optimum.
    lower : float
        Proven lower bound of the optimum, from the dual, rounded down.
    slack : ndarray (n_samples,)
    support : ndarray of int
        Rows of positive multiplier.
    dual : ndarray (n_samples,)
        Multipliers: at the optimum w = sum alpha y x.
    engine : str
        What computed the hyperplane.
    attempts : tuple of Attempt
    reason : str
        What cut the work short, `WHAT_WAS_PROVEN` for Ctrl-C; else empty.
    bias : bool
    sample_weight : ndarray (n_samples,) or None
        The floats next to the v; None where all are 1.
    """

    status: Status
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
    bias: bool = True
    sample_weight: Floats | None = None

    @property
    def gap(self) -> float:
        """``objective - lower``, rounded up: the optimum is at most so far from the objective."""
        return width_of(self.lower, self.objective)

    @property
    def n_slack(self) -> int:
        """Number of rows with slack."""
        return int((self.slack > 0).sum())

    def _headline(self, parameter: str) -> str:
        return f"{self.status.value}: objective at {parameter} in [{self.lower!r}, {self.objective!r}]"

    def _fields(
        self, names: Names, parameter: dict[str, float], level: dict[str, float | None], slack: dict[str, float]
    ) -> dict[str, Any]:
        """Return the fields of JSON, with the parameter, the margin and what is said of the slack in their places."""
        return {
            "status": self.status.value,
            **parameter,
            "objective": self.objective,
            "lower": self.lower,
            "gap": self.gap,
            "w": self.w,
            "b": self.b,
            **level,
            **names.fields("support", self.support),
            "support_dual": self.dual[self.support][:LONGEST_LIST],
            **slack,
            "reason": self.reason,
            "engine": self.engine,
            "attempts": attempt_fields(self.attempts),
        }

    def _summary(self, names: Names, objective: str, slack: str) -> str:
        interval = f"[{self.lower!r}, {self.objective!r}]"
        return "\n".join(
            [
                *opening(self.status, self.reason, bias=self.bias),
                f"  objective {objective}: {self.objective!r}",
                f"  proven interval of the optimum{through(self.bias)} {interval}",
                f"  {slack}; {len(self.support)} support rows",
                *plane_lines(names, self.w, self.b),
                "  no solver improved on w = 0" if self.engine == "none" else f"  found by {self.engine}",
            ]
        )


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SoftMargin(MarginWithSlack):
    """The soft-margin SVM: min 1/2||w||^2 + C sum v xi, y(w.x + b) >= 1 - xi, xi >= 0; the bias is not penalised.

    The slack is xi = max(0, 1 - y(w.x + b)); the multipliers are 0 <= alpha <= C v with sum alpha y = 0 (with bias).

    Attributes
    ----------
    C : float
    status, w, b, objective, lower, slack, support, dual, engine, attempts, reason, bias, sample_weight
        As in `MarginWithSlack`.
    """

    C: float

    @property
    def headline(self) -> str:
        """The status and the proven interval."""
        return self._headline(f"C = {self.C!r}")

    def fields(self, names: Names) -> dict[str, Any]:
        """Return the fields of ``maxmargin margin --soft C --json``."""
        norm = float(np.linalg.norm(self.w))
        slack = {"slack_sum": float(self.slack.sum()), "slack_count": self.n_slack, "n_errors": self.n_errors}
        return self._fields(names, {"C": self.C}, {"margin": 1 / norm if norm else None}, slack)

    def summary(self, names: Names = NO_NAMES, *, weights: str = "the sample weights") -> str:
        """Return the text of ``maxmargin margin --soft C``.

        Parameters
        ----------
        names : Names
            How the columns are called.
        weights : str
            What the v are, in words.
        """
        slack = "sum xi" if self.sample_weight is None else f"sum v xi, v {weights},"
        objective = f"1/2||w||^2 + C {slack} at C = {self.C!r}"
        wrong = f"{self.n_slack} rows inside the margin or wrong, {self.n_errors} of them wrong"
        return self._summary(names, objective, wrong)

    @property
    def n_errors(self) -> int:
        """Number of rows with slack of 1 or more, which are on the wrong side or on the hyperplane."""
        return int((self.slack >= 1).sum())


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class NuMargin(MarginWithSlack):
    """The nu-SVM: min 1/2||w||^2 - nu rho + sum c xi, y(w.x + b) >= rho - xi, xi >= 0, with c = v / sum v.

    The slack is xi = max(0, rho - y(w.x + b)); the multipliers are 0 <= a <= c with sum a = nu and (with bias)
    sum a y = 0. The c of the support rows sum to nu at least, and the c of the rows with slack to nu at most. The
    objective is at most 0. The status is `optimal` where the interval is narrow against the objective, or against that
    of reduced hulls whose distance is 1e-8 of the size of the data: an objective of 0 has no size of its own.

    Attributes
    ----------
    nu : float
    rho : float
        Functional margin of the rows without slack; 0 with w = 0 where the reduced hulls share a point.
    status, w, b, objective, lower, slack, support, dual, engine, attempts, reason, bias, sample_weight
        As in `MarginWithSlack`.
    """

    nu: float
    rho: float

    @property
    def headline(self) -> str:
        """The status and the proven interval."""
        return self._headline(f"nu = {self.nu!r}")

    def fields(self, names: Names) -> dict[str, Any]:
        """Return the answer as fields of JSON."""
        return self._fields(names, {"nu": self.nu}, {"rho": self.rho}, {"slack_count": self.n_slack})

    def summary(self, names: Names = NO_NAMES) -> str:
        """Return the answer as text, as that of ``maxmargin margin --soft C``."""
        mean = "sum xi / n" if self.sample_weight is None else "sum v xi / sum v, v the sample weights,"
        objective = f"1/2||w||^2 - nu rho + {mean} at nu = {self.nu!r}"
        return self._summary(names, objective, f"functional margin rho = {self.rho!r}, {self.n_slack} rows with slack")

    @property
    def C(self) -> float | None:  # noqa: N802
        """The C for which (w, b) / rho is the soft margin with the same sample weights: 1 / (rho sum v).

        None where rho is 0, or C beyond binary64.
        """
        total = len(self.slack) if self.sample_weight is None else math.fsum(self.sample_weight.tolist())
        price = math.inf if self.rho * total <= 0 else 1 / (self.rho * total)
        return price if 0 < price < math.inf else None
