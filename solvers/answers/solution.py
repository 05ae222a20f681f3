"""What the solvers return: frozen results that recompute their residuals and their interval from the data."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import cached_property
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.answers.column_signs import ColumnSigns
from maxmargin.solvers.answers.fields import LONGEST_LIST, RowNames, attempt_fields
from maxmargin.solvers.answers.named import NamedAnswer
from maxmargin.solvers.answers.phrases import status_meaning, through, verdict_meaning, without_intercepts
from maxmargin.solvers.exact.dyadic import nearest_floats, round_up, sqrt_up
from maxmargin.solvers.problem.candidate import Attempt
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.certificate import (
    Certificate,
    CommonHullPoint,
    Overlap,
    QuasiSeparation,
    SeparatingHyperplane,
    quotient_text,
    text,
)
from maxmargin.solvers.proof.class_certificate import ClassWitness
from maxmargin.solvers.proof.hulls import margin_upper_bound_squared
from maxmargin.solvers.proof.margin_certificate import (
    MarginAtLeast,
    MarginAtMost,
    MarginBetween,
    MarginExactly,
)

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]


INTERCEPT = "(Intercept)"
"""What the bias is called among the columns."""


WHAT_WAS_PROVEN = "interrupted: this is what was proven by then"
"""Reason of an answer that Ctrl-C cut short."""


class _Answer(Protocol):
    @property
    def reason(self) -> str: ...


Answer = TypeVar("Answer", bound=_Answer)


def uninterrupted(answer: Answer) -> Answer:
    """Return the answer, for what is no use in half.

    Raises
    ------
    KeyboardInterrupt
        If Ctrl-C cut the work short.
    """
    if answer.reason == WHAT_WAS_PROVEN:
        raise KeyboardInterrupt
    return answer


class Verdict(StrEnum):
    """The answers to "is it linearly separable?", in the words of Albert and Anderson (1984)."""

    SEPARABLE = "separable"
    QUASI_SEPARABLE = "quasi-separable"
    OVERLAP = "overlap"
    UNDECIDED = "undecided"

    @property
    def advice(self) -> str:
        """What the verdict means, in one sentence that holds with a bias and without."""
        return verdict_meaning(self.value, bias=None)

    def advice_for(self, *, bias: bool) -> str:
        """Return what the verdict means of hyperplanes with a bias, or of those through the origin."""
        return verdict_meaning(self.value, bias=bias)


class Status(StrEnum):
    """How a maximum-margin or soft-margin question ended."""

    OPTIMAL = "optimal"
    LIMIT = "limit"
    NUMERICAL = "numerical"
    QUASI_SEPARABLE = "quasi-separable"
    OVERLAP = "overlap"
    NOT_STRICTLY_SEPARABLE = "not-strictly-separable"
    UNDECIDED = "undecided"

    @property
    def is_inseparable(self) -> bool:
        """Whether it is proven that no hyperplane separates strictly: then the maximum margin is 0."""
        return self in (Status.QUASI_SEPARABLE, Status.OVERLAP, Status.NOT_STRICTLY_SEPARABLE)

    @property
    def advice(self) -> str:
        """What the status means and what to do, in one sentence that holds with a bias and without."""
        return status_meaning(self.value, bias=None)

    def advice_for(self, *, bias: bool) -> str:
        """Return what the status means and what to do, of hyperplanes with a bias, or of those through the origin."""
        return status_meaning(self.value, bias=bias)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Separability(NamedAnswer):
    """Whether two classes can be separated by a hyperplane, and the proof.

    Attributes
    ----------
    verdict : Verdict
    strictly_separable : bool or None
        True or False where that is proven, else None.
    certificate : Certificate or None
        The proof of the verdict, or of ``strictly_separable`` where the verdict is not proven.
    witness : CommonHullPoint or None
        The common point of the two hulls, where there is one: on at most d + 2 rows it excludes strict separation.
    reason : str
        The proof in words, or why there is none.
    engine : str
        What found the proof.
    separated_rows, touching_rows : ndarray of int or None
        Rows that are strictly on their side for some hyperplane without a row on the wrong side, and rows that are on
        every such hyperplane; None where undecided.
    attempts : tuple of Attempt
    find_columns : callable, optional
        Computes `columns`.
    n_inequalities, n_strict : int, optional
        For more than two classes: the inequalities of a row against another class, and how many can be strict at once.
    n_features : int, optional
        Number of the columns of X.
    bias : bool
    feature_names : tuple of str, optional
        Names of the columns; without them columns are called by their number.
    class_names : tuple of str, optional
        For more than two classes: columns are then called by class and name; the first class is the reference.
    """

    verdict: Verdict
    strictly_separable: bool | None
    certificate: Certificate | None
    reason: str
    engine: str
    witness: CommonHullPoint | ClassWitness | None = None
    attempts: tuple[Attempt, ...] = ()
    separated_rows: Rows | None = None
    touching_rows: Rows | None = None
    find_columns: Callable[[], ColumnSigns | None] | None = field(default=None, repr=False, compare=False)
    n_inequalities: int | None = None
    n_strict: int | None = None
    n_features: int | None = None
    bias: bool = True
    feature_names: tuple[str, ...] | None = None
    class_names: tuple[str, ...] | None = None

    def __getstate__(self) -> dict[str, Any]:
        """Return what pickles hold: the answer with its columns, which are computed for it, and not their finder."""
        return {**vars(self), "columns": self.columns, "find_columns": None}

    @property
    def headline(self) -> str:
        """The verdict in a few words."""
        kind = through(self.bias) if self.n_inequalities is None else without_intercepts(self.bias)
        if self.verdict is not Verdict.UNDECIDED:
            return f"{self.verdict.value}{kind} (proven)"
        if self.strictly_separable is False:
            return f"not strictly separable{kind} (proven; quasi-separable or overlap: undecided)"
        return f"undecided{kind}"

    def fields(self, rows: RowNames, *, with_columns: bool = True) -> dict[str, Any]:
        """Return the fields of ``maxmargin check --json``; columns that are not wanted are None."""
        inequalities = {"n_inequalities": self.n_inequalities, "n_strict": self.n_strict}
        return {
            "verdict": self.verdict.value,
            "strictly_separable": self.strictly_separable,
            "proof": self.proof,
            "reason": self.reason,
            **rows.fields("separated_rows", self.separated_rows),
            **rows.fields("touching_rows", self.touching_rows),
            "infinite_columns": self.infinite_columns if with_columns else None,
            "finite_columns": self.finite_columns if with_columns else None,
            "aliased_columns": self.aliased_columns if with_columns else None,
            "dimension": self.dimension if with_columns else None,
            **rows.fields("witness_rows", self.witness_rows),
            **self._certificate_fields(),
            **({} if self.n_inequalities is None else inequalities),
            "engine": self.engine,
            "attempts": attempt_fields(self.attempts),
        }

    def _certificate_fields(self) -> dict[str, Any]:
        plane = weights = rows = None
        if isinstance(self.certificate, SeparatingHyperplane | QuasiSeparation):
            plane = _hyperplane_fields(self.certificate.w, self.certificate.b)
        if isinstance(self.witness, CommonHullPoint):
            weights = [_fraction_text(weight) for weight in self.witness.fractions()]
        if isinstance(self.certificate, Overlap | QuasiSeparation):
            rows = list(self.certificate.rows)
        return {"hyperplane": plane, "witness_weights": weights, "balancing_rows": rows}

    @property
    def proof(self) -> str | None:
        """``"exact"`` where `strictly_separable` is proven, else None."""
        return None if self.certificate is None else "exact"

    @property
    def witness_rows(self) -> Rows | None:
        """The rows of the common hull point."""
        match self.witness:
            case CommonHullPoint(rows=rows):
                return np.array(rows, dtype=np.int64)
            case ClassWitness(pairs=pairs):
                return np.array(sorted({row for row, _ in pairs}), dtype=np.int64)
        return None

    @cached_property
    def columns(self) -> ColumnSigns | None:
        """What the hyperplanes without a row on the wrong side say of every column; computed on first use, exactly."""
        return None if self.find_columns is None else self.find_columns()

    @property
    def infinite_columns(self) -> dict[str | int, str] | None:
        """Columns whose logistic coefficient is infinite, with its sign: "+", "-" or "undetermined".

        ``"(Intercept)"`` is the bias. "undetermined": there are ways to infinity with either sign.
        """
        if self.columns is None:
            return None
        return {self._name(column): sign for column, sign in self.columns.infinite.items()}

    @property
    def finite_columns(self) -> tuple[str | int, ...] | None:
        """Columns whose logistic coefficient stays finite."""
        return None if self.columns is None else tuple(map(self._name, self.columns.finite))

    @property
    def aliased_columns(self) -> tuple[str | int, ...] | None:
        """Columns that depend linearly on the bias and the columns before them; they are left out of the others."""
        return None if self.columns is None else tuple(map(self._name, self.columns.aliased))

    @property
    def dimension(self) -> int | None:
        """Dimension of the cone of hyperplanes without a row on the wrong side, modulo those that contain all rows."""
        return None if self.columns is None else self.columns.dimension

    def _name(self, column: int) -> str | int:
        assert self.n_features is not None  # known wherever columns are
        block, place = divmod(column, self.n_features + self.bias)
        name = INTERCEPT if place == self.n_features else self._feature_name(place)
        if self.n_inequalities is None:
            return name
        other = self.class_names[block + 1] if self.class_names is not None else f"class {block + 1}"
        return f"{other}: {name}"

    def _feature_name(self, column: int) -> str | int:
        return column if self.feature_names is None else self.feature_names[column]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class HardMargin(NamedAnswer):
    """The maximum-margin hyperplane: min 1/2||w||^2 subject to y(w.x + b) >= 1.

    Attributes
    ----------
    status : Status
    w : ndarray (n_features,) or None
        Normal of the best hyperplane of floats found near the best exact one, scaled to functional margin 1, but where
        a multiple of that rounds better by far; None unless it separates.
    b : float or None
    margin : float or None
        Geometric margin of (w, b), of these very floats, rounded down. 0 where the maximum is proven 0, and where data
        are separable but no floats were found that separate them (``reason`` says so, and ``certificate`` has the exact
        hyperplane); None where it is not known whether the data are separable.
    lower, upper : float
        Proven ends of the maximum geometric margin, outward rounded: the margin of the exact hyperplane of the
        certificate, at least ``margin``, and half the distance of two points of the hulls (through the origin: the norm
        of a point of the hull of the y x).
    support : ndarray of int
        Rows of positive multiplier.
    dual : ndarray (n_samples,)
        Multipliers alpha >= 0 of the constraints y(w.x + b) >= 1: at the optimum w = sum alpha y x.
    primal_residual : float
        max(0, 1 - least functional margin of (w, b)), from exact arithmetic.
    dual_residual : float
        Distance of w and sum alpha y x, both divided by their norms.
    engine : str
        What computed the answer.
    attempts : tuple of Attempt
    reason : str
        Why exact work was not finished, or that there are no floats w and b; else empty.
    bias : bool
    certificate : Certificate or None
        `MarginExactly` where the margin is known exactly, `CommonHullPoint` or the like where it is 0, else
        `MarginAtLeast`, which proves ``lower``.
    margin_squared : Fraction or None
        The square of the maximum margin, where it is known exactly; 0 where the data are not strictly separable.
    w_exact : tuple of Fraction or None
        With ``b_exact`` the solution of the program, where ``margin_squared`` is known and not 0.
    b_exact : Fraction or None
    dual_exact : mapping of row to Fraction, or None
        The multipliers alpha > 0 of the support rows: w = sum alpha y x, and with bias sum alpha y = 0.
    hull_weights : ndarray (n_samples,) or None
        Weights of the rows that give the two points of the hulls behind ``upper``; where ``margin_squared`` is known
        those are the exact ones of ``upper_certificate``, and these are rounded.
    problem : Problem or None
    """

    status: Status
    w: Floats | None
    b: float | None
    margin: float | None
    lower: float
    upper: float
    support: Rows
    dual: Floats
    primal_residual: float
    dual_residual: float
    engine: str
    attempts: tuple[Attempt, ...] = ()
    reason: str = ""
    bias: bool = True
    certificate: Certificate | None = field(default=None, repr=False)
    margin_squared: Fraction | None = field(default=None, repr=False)
    w_exact: tuple[Fraction, ...] | None = field(default=None, repr=False)
    b_exact: Fraction | None = field(default=None, repr=False)
    dual_exact: Mapping[int, Fraction] | None = field(default=None, repr=False)
    hull_weights: Floats | None = field(default=None, repr=False)
    problem: Problem | None = field(default=None, repr=False, compare=False)

    @property
    def headline(self) -> str:
        """The status and the proven interval."""
        return f"{self.status.value}: maximum margin in [{self.lower!r}, {self.upper!r}]"

    def fields(self, rows: RowNames) -> dict[str, Any]:
        """Return the fields of ``maxmargin margin --json``."""
        return {
            "status": self.status.value,
            "advice": self.status.advice_for(bias=self.bias),
            "margin": self.margin,
            "lower": self.lower,
            "upper": self.upper,
            "gap": self.gap,
            "w": self.w,
            "b": self.b,
            **rows.fields("support", self.support),
            "support_dual": self.dual[self.support][:LONGEST_LIST],
            "primal_residual": self.primal_residual,
            "dual_residual": self.dual_residual,
            "reason": self.reason,
            "engine": self.engine,
            "attempts": attempt_fields(self.attempts),
        }

    def exact_fields(self, rows: RowNames) -> dict[str, Any]:
        """Return what ``--exact`` adds: fractions as texts, the multipliers in the order of the support."""
        square, w, b, dual = self.margin_squared, self.w_exact, self.b_exact, self.dual_exact
        return {
            "exact_plane": self._exact_plane(),
            "exact_hull": self._exact_hull(rows),
            "margin_squared": None if square is None else quotient_text(square),
            "w_exact": None if w is None else [quotient_text(value) for value in w],
            "b_exact": None if b is None else quotient_text(b),
            "dual_exact": None if dual is None else [quotient_text(dual[row]) for row in self.support.tolist()],
        }

    def _exact_plane(self) -> dict[str, Any] | None:
        """Return the exact plane that proves the lower end."""
        plane = self.certificate
        if not isinstance(plane, MarginAtLeast | MarginExactly):
            return None
        return {
            "w": [quotient_text(value) for value in plane.w],
            "b": quotient_text(plane.b),
            "margin_squared": quotient_text(plane.margin_squared),
        }

    def _exact_hull(self, rows: RowNames) -> dict[str, Any] | None:
        """Return the weights of two hull points that prove the upper end, in full."""
        hull = self.upper_certificate
        if hull is None:
            return None
        return {
            "rows": rows.numbers(np.array(hull.rows)),
            "weights": [text(weight) for weight in hull.weights],
            "margin_squared": quotient_text(hull.margin_squared),
        }

    @property
    def upper_certificate(self) -> MarginAtMost | None:
        """The proof of ``upper``; None where that is 0 or infinite."""
        if isinstance(self.certificate, MarginExactly):
            return self.certificate.at_most()
        if self.problem is None or self.hull_weights is None:
            return None
        return MarginAtMost.by(self.problem, self.hull_weights)

    @property
    def interval_certificate(self) -> Certificate | None:
        """The proof of both ends in one: ``certificate``, and the hull weights of ``upper`` where it lacks them."""
        upper = self.upper_certificate
        if isinstance(self.certificate, MarginAtLeast) and upper is not None:
            return MarginBetween.by(self.certificate, upper)
        return self.certificate

    @property
    def gap(self) -> float:
        """``upper - lower``, rounded up."""
        return math.inf if math.isinf(self.upper) else round_up(Fraction(self.upper) - Fraction(self.lower))


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


def proven_upper(problem: Problem, weights: Floats, rows: Rows | None = None) -> float:
    """Return the bound of the maximum margin that the weights give, rounded up; infinity where they give none.

    The weights are those of all rows, or of the given ones.
    """
    if not np.isfinite(weights).all():
        return math.inf
    square = margin_upper_bound_squared(problem, weights, rows)
    return math.inf if square is None else sqrt_up(square)


def weighted_normal(problem: Problem, weights: Floats) -> Floats:
    """Return ``sum_i weights_i y_i x_i`` in floating point."""
    rows = np.flatnonzero(weights)
    result: Floats = (weights[rows] * problem.y[rows]) @ problem.carrier[rows]
    return np.asarray(result)


def _hyperplane_fields(w: Sequence[Fraction], b: Fraction) -> dict[str, Any]:
    """Return w and b as floats, up to a power of two where they leave their range, and exactly as texts."""
    try:
        floats = [float(v) for v in (*w, b)]
    except OverflowError:
        rounded = nearest_floats([*w, b])
        floats = [float("nan")] * (len(w) + 1) if rounded is None else rounded.tolist()
    return {
        "w": floats[:-1],
        "b": floats[-1],
        "w_exact": [_fraction_text(v) for v in w],
        "b_exact": _fraction_text(b),
    }


def _fraction_text(value: Fraction) -> str:
    return f"{text(value.numerator)}/{text(value.denominator)}"
