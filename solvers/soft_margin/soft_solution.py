"""The soft-margin SVM and the nu-SVM, each with its proven interval."""

import math
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np

from maxmargin.solvers.answers.answer_text import LONGEST_LIST, NamedAnswer, rounded_up, through
from maxmargin.solvers.answers.cards import between
from maxmargin.solvers.answers.statuses import Status
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.exact.dyadic import width_of
from maxmargin.solvers.problem.candidate import SolverRun


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class MarginWithSlack(NamedAnswer):
    """Base class of the answers of the soft margin and of the nu-SVM.

    The attributes are those of `SoftMargin` and `NuMargin`.
    """

    _parameter: ClassVar[str]

    status: Status
    w: Floats
    b: float
    objective: float
    lower: float
    slack: Floats
    support: Rows
    dual: Floats
    engine: str
    attempts: tuple[SolverRun, ...] = ()
    reason: str = ""
    bias: bool = True
    sample_weight: Floats | None = None
    slack_bounds: tuple[int, int]
    offset_interval: tuple[float, float] | None = None

    @property
    def gap(self) -> float:
        """``objective - lower``, rounded up: the largest possible distance of the objective from the optimum."""
        return width_of(self.lower, self.objective)

    @property
    def n_slack(self) -> int | None:
        """Number of rows with slack at the optimum; None if it is not decided."""
        least, most = self.slack_bounds
        return least if least == most else None

    @property
    def slack_count(self) -> str:
        """The number of rows with slack, or its proven bounds."""
        least, most = self.slack_bounds
        return f"{least:,}" if least == most else f"{least:,} to {most:,}"

    @property
    def headline(self) -> str:
        """The status and the proven interval."""
        parameter = f"{self._parameter} = {getattr(self, self._parameter)!r}"
        return f"{self.status.value}: objective at {parameter} in [{self.lower!r}, {self.objective!r}]"

    def _fields(self, margin: str, numbers: dict[str, float]) -> dict[str, Any]:
        """Return the fields of JSON, with the margin and further numbers of the question in their places."""
        least, most = self.slack_bounds
        return {
            "status": self.status.value,
            **self._attributes(self._parameter, "objective", "lower", "gap", "w", "b", "offset_interval", margin),
            **self.names.fields("support", self.support),
            "support_dual": self.dual[self.support][:LONGEST_LIST],
            **numbers,
            **{"slack_count": self.n_slack, "slack_count_lower": least, "slack_count_upper": most},
            **self._attributes("reason", "engine"),
            "attempts": [asdict(run) for run in self.attempts],
        }

    def _roles(self) -> tuple[tuple[str, Any], ...]:
        return (("support", self.support), ("slack", np.flatnonzero(self.slack > 0)))

    def _card_parts(self, parameter: dict[str, Any], errors: dict[str, Any]) -> dict[str, Any]:
        """Return the key numbers of a card, with the parameter and the errors of the question in their places."""
        return {
            **parameter,
            "least objective, proven": between(self.lower, self.objective),
            "width of the interval": rounded_up(self.gap, 2),
            **errors,
            "support rows": len(self.support),
        }

    def _summary(self, objective: str, slack: str) -> str:
        lines = [
            *self.status.lines(self.reason, bias=self.bias),
            f"  objective {objective}: {self.objective!r}",
            f"  proven interval of the optimum{through(self.bias)} [{self.lower!r}, {self.objective!r}]",
            f"  {slack}; {len(self.support)} support rows",
            *self.names.plane_lines(self.w, self.b),
            "  no solver improved on w = 0" if self.engine == "none" else f"  found by {self.engine}",
        ]
        return "\n".join(lines)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class SoftMargin(MarginWithSlack):
    """The soft-margin SVM: min 1/2||w||^2 + C sum v xi, y(w.x + b) >= 1 - xi, xi >= 0; the bias is not penalised.

    With ``loss="squared_hinge"`` it is min 1/2||w||^2 + C sum v xi^2.

    Attributes
    ----------
    C : float
        The cost of a unit of slack.
    loss : {"hinge", "squared_hinge"}
        Whether a slack costs C v xi or C v xi^2.
    status : Status
        How the question ended.
    w : ndarray of shape (n_features,)
        The normal of the hyperplane.
    b : float
        Its offset.
    objective : float
        The value of the objective at the hyperplane, rounded up: an upper bound of the optimum.
    lower : float
        The proven lower bound of the optimum, from multipliers, rounded down.
    slack : ndarray of shape (n_samples,)
        xi = max(0, 1 - y(w.x + b)), but 0 for rows that are proven to have none at the optimum.
    slack_bounds : tuple of two int
        Proven bounds of the number of rows with slack at the optimum; equal where the optimum was found exactly.
    offset_interval : tuple of two float or None
        The interval of the optimal b, which is its middle; equal ends where b is unique. None without a bias, and where
        it is not proven which of the two holds.
    error_rows : ndarray of int
        The rows with y(w.x + b) <= 0, exactly for these floats: on the wrong side or on the hyperplane.
    support : ndarray of int
        The rows with a positive multiplier: positions in X; `to_dict` and `to_frame` number the rows of the source.
    dual : ndarray of shape (n_samples,)
        The multipliers 0 <= alpha <= C v, with a bias sum alpha y = 0: at the optimum w = sum alpha y x. Those of the
        squared hinge have no upper bound; at the optimum they are 2 C v xi.
    engine : str
        The engine that computed the hyperplane.
    attempts : tuple of SolverRun
        The solver runs, with what each solver claimed.
    reason : str
        What cut the work short; otherwise empty.
    bias : bool
        Whether hyperplanes have a bias.
    sample_weight : ndarray of shape (n_samples,) or None
        The floats nearest to the weights v; None if all are 1.
    positive : label or None
        The class that is +1.
    positive_reason : str or None
        Why that class is +1.
    negative : label or None
        The class that is -1; ``"rest"`` for several.
    names : Names
        What the rows and the columns are called.

    See Also
    --------
    maxmargin.soft_margin : Solve the problem.

    Examples
    --------
    >>> import maxmargin as mm
    >>> answer = mm.soft_margin([[-1.0], [1.0]], [0, 1], C=1.0)
    >>> answer.lower <= answer.objective, answer.support.tolist()
    (True, [0, 1])
    """

    _parameter = "C"

    C: float
    error_rows: Rows
    loss: str = "hinge"

    def fields(self) -> dict[str, Any]:
        """Return the fields of ``maxmargin margin --soft C --json``, and the loss if it is another than there."""
        fields = self._fields("margin", {"slack_sum": float(self.slack.sum()), "n_errors": self.n_errors})
        return fields if self.loss == "hinge" else {**fields, "loss": self.loss}

    def _card_fields(self) -> dict[str, Any]:
        return self._card_parts({"C": self.C, "half width of the band": self.margin}, {"rows in error": self.n_errors})

    def _roles(self) -> tuple[tuple[str, Any], ...]:
        return (*MarginWithSlack._roles(self), ("error", self.error_rows))

    def summary(self, *, weights: str = "the sample weights") -> str:
        """Return the text of ``maxmargin margin --soft C``.

        Parameters
        ----------
        weights : str
            What the v are, in words.
        """
        power = "" if self.loss == "hinge" else "^2"
        slack = f"sum xi{power}" if self.sample_weight is None else f"sum v xi{power}, v {weights},"
        objective = f"1/2||w||^2 + C {slack} at C = {self.C!r}"
        wrong = f"{self.slack_count} rows inside the margin or wrong, {self.n_errors} of them wrong"
        return self._summary(objective, wrong)

    @property
    def margin(self) -> float | None:
        """1/||w||, half the width of the band -1 <= w.x + b <= 1; None if w = 0, or if it is beyond the floats."""
        norm = math.hypot(*self.w.tolist())
        half_width = 1 / norm if norm else math.inf
        return half_width if math.isfinite(half_width) else None

    @property
    def n_errors(self) -> int:
        """Number of rows on the wrong side of the hyperplane or on it, decided exactly."""
        return len(self.error_rows)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class NuMargin(MarginWithSlack):
    """The nu-SVM: min 1/2||w||^2 - nu rho + sum c xi, y(w.x + b) >= rho - xi, xi >= 0, with c = v / sum v.

    Attributes
    ----------
    nu : float
        An upper bound of the weighted fraction of rows with slack, and a lower bound of the fraction of support rows.
    rho : float
        The functional margin of the rows without slack; 0, with w = 0, if the reduced hulls share a point.
    status : Status
        How the question ended. It is `optimal` if the interval is narrow compared with the objective, or compared with
        the objective of reduced hulls whose distance is 1e-8 of the size of the data, because an optimum may be 0.
    w : ndarray of shape (n_features,)
        The normal of the hyperplane.
    b : float
        Its offset.
    objective : float
        The value of the objective at the hyperplane, rounded up: an upper bound of the optimum, and at most 0.
    lower : float
        The proven lower bound of the optimum, from multipliers, rounded down.
    slack : ndarray of shape (n_samples,)
        xi = max(0, rho - y(w.x + b)), but 0 for rows that are proven to have none at the optimum.
    slack_bounds : tuple of two int
        Proven bounds of the number of rows with slack at the optimum; equal where the optimum was found exactly.
    offset_interval : tuple of two float or None
        The interval of the optimal b, which is its middle; equal ends where b is unique. None without a bias,
        where b may be any number, and where none of this is proven.
    support : ndarray of int
        The rows with a positive multiplier; their c sum to at least nu, and the c of the rows with slack to at most nu.
        They are positions in X; `to_dict` and `to_frame` number the rows of the source.
    dual : ndarray of shape (n_samples,)
        The multipliers 0 <= alpha <= c with sum alpha = nu, with a bias sum alpha y = 0: at the optimum w = sum alpha y
        x.
    engine : str
        The engine that computed the hyperplane.
    attempts : tuple of SolverRun
        The solver runs, with what each solver claimed.
    reason : str
        What cut the work short; otherwise empty.
    bias : bool
        Whether hyperplanes have a bias.
    sample_weight : ndarray of shape (n_samples,) or None
        The floats nearest to the weights v; None if all are 1.
    positive : label or None
        The class that is +1.
    positive_reason : str or None
        Why that class is +1.
    negative : label or None
        The class that is -1; ``"rest"`` for several.
    names : Names
        What the rows and the columns are called.

    See Also
    --------
    maxmargin.nu_margin : Solve the problem.

    Examples
    --------
    >>> import maxmargin as mm
    >>> answer = mm.nu_margin([[0.0], [1.0], [2.0], [3.0]], [0, 0, 1, 1], nu=1.0)
    >>> answer.lower <= answer.objective, round(answer.rho, 6)
    (True, 1.5)
    """

    _parameter = "nu"

    nu: float
    rho: float

    def fields(self) -> dict[str, Any]:
        """Return the answer as fields of JSON."""
        return self._fields("rho", {})

    def _card_fields(self) -> dict[str, Any]:
        return self._card_parts({"nu": self.nu, "rho": self.rho}, {"rows with slack": self.slack_count})

    def summary(self) -> str:
        """Return the answer as text, in the form of ``maxmargin margin --soft C``."""
        mean = "sum xi / n" if self.sample_weight is None else "sum v xi / sum v, v the sample weights,"
        objective = f"1/2||w||^2 - nu rho + {mean} at nu = {self.nu!r}"
        return self._summary(objective, f"functional margin rho = {self.rho!r}, {self.slack_count} rows with slack")

    @property
    def C(self) -> float | None:  # noqa: N802
        """The C for which (w, b) / rho is the soft margin with the same sample weights: 1 / (rho sum v).

        None if rho is 0, or if binary64 cannot hold C.
        """
        total = len(self.slack) if self.sample_weight is None else math.fsum(self.sample_weight.tolist())
        C = math.inf if self.rho * total <= 0 else 1 / (self.rho * total)
        return C if 0 < C < math.inf else None
