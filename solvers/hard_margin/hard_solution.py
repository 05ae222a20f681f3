"""The maximum-margin hyperplane with its proven interval."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np

from maxmargin.solvers.answers.answer_text import LONGEST_LIST, NamedAnswer, rounded_down, rounded_up, through
from maxmargin.solvers.answers.cards import between
from maxmargin.solvers.answers.statuses import Status
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.exact.dyadic import quotient_text, text, width_of
from maxmargin.solvers.problem.candidate import SolverRun
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.angles import angle_around
from maxmargin.solvers.proof.certificate import Certificate
from maxmargin.solvers.proof.margin_certificate import MarginAtLeast, MarginAtMost, MarginBetween, MarginExactly

# Significant digits of a square root in the text.
_ROOT_DIGITS = 17

# Largest number of digits of an integer that is shown in full; of a longer one this number is shown at either end.
_MOST_DIGITS, _END_DIGITS = 100, 20


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class HardMargin(NamedAnswer):
    """The maximum-margin hyperplane: min 1/2||w||^2 subject to y(w.x + b) >= 1.

    Attributes
    ----------
    status : Status
        How the question ended.
    w : ndarray of shape (n_features,) or None
        The normal of the best hyperplane of floats that was found near the best exact one, scaled to functional margin
        1 unless another multiple rounds far better. None unless it separates the classes.
    b : float or None
        Its offset.
    margin : float or None
        The geometric margin of (w, b), of these very floats, rounded down. It is 0 if the maximum is proven to be 0,
        and if the data are separable but no floats were found that separate them (``reason`` says so, and
        ``certificate`` has the exact hyperplane). It is None if it is not known whether the data are separable.
    lower, upper : float
        The proven ends of the maximum geometric margin, rounded outwards. ``lower`` is the margin of the exact
        hyperplane of the certificate, and at least ``margin``. ``upper`` is half the distance of two points of the
        convex hulls of the classes; through the origin, it is the norm of a point of the convex hull of the rows y x.
    angle_lower, angle_upper : float or None
        The proven ends of the angle of w and the normal of the maximum-margin hyperplane, in degrees, rounded outwards;
        None without w. `angle_of` gives them for any other normal.
    support : ndarray of int
        The rows with a positive multiplier: positions in X; `to_dict` and `to_frame` number the rows of the source.
    dual : ndarray of shape (n_samples,)
        The multipliers alpha >= 0 of the constraints y(w.x + b) >= 1: at the optimum w = sum alpha y x.
    primal_residual : float
        max(0, 1 - least functional margin of (w, b)), from exact arithmetic.
    dual_residual : float
        The distance of w and sum alpha y x, each divided by its norm.
    engine : str
        The engine that computed the answer.
    attempts : tuple of SolverRun
        The solver runs, with what each solver claimed.
    reason : str
        Why exact work was not finished, or that there are no floats w and b; otherwise empty.
    bias : bool
        Whether hyperplanes have a bias.
    certificate : Certificate or None
        The proof: `MarginExactly` if the margin is known exactly, `CommonHullPoint` or another proof of inseparability
        if it is 0, otherwise `MarginAtLeast`, which proves ``lower``.
    margin_squared : Fraction or None
        The square of the maximum margin if it is known exactly; 0 if the data are not strictly separable.
    w_exact : tuple of Fraction or None
        The exact normal, if ``margin_squared`` is known and not 0.
    b_exact : Fraction or None
        Its exact offset.
    dual_exact : mapping of int to Fraction, or None
        The exact multipliers alpha > 0 by row: w = sum alpha y x, and with a bias sum alpha y = 0.
    hull_weights : ndarray of shape (n_samples,) or None
        The weights of the rows that give the two hull points behind ``upper``, rounded if ``margin_squared`` is known
        or there is ``at_most``; those that prove ``upper`` are in ``upper_certificate``.
    at_most : Certificate or None
        The proof of ``upper``, if its weights are no binary64 numbers.
    problem : Problem or None
        The rows and signs that the answer is about.
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
    maxmargin.hard_margin : Find it.

    Examples
    --------
    >>> import maxmargin as mm
    >>> answer = mm.hard_margin([[10.0], [40.0], [60.0], [90.0]], ["low", "low", "high", "high"], exact=True)
    >>> answer.status.value, answer.margin_squared, answer.support.tolist()
    ('optimal', Fraction(100, 1), [1, 2])
    >>> answer.positive, answer.positive_reason
    ('low', 'the greater label in sorted order')
    """

    status: Status
    w: Floats | None = None
    b: float | None = None
    margin: float | None
    lower: float
    upper: float
    support: Rows
    dual: Floats
    primal_residual: float = math.inf
    dual_residual: float = math.inf
    engine: str
    attempts: tuple[SolverRun, ...] = ()
    reason: str = ""
    bias: bool = True
    certificate: Certificate | None = None
    margin_squared: Fraction | None = None
    w_exact: tuple[Fraction, ...] | None = None
    b_exact: Fraction | None = None
    dual_exact: Mapping[int, Fraction] | None = None
    hull_weights: Floats | None = None
    at_most: MarginAtMost | None = None
    problem: Problem | None = None

    @property
    def headline(self) -> str:
        """The status and the proven interval."""
        return f"{self.status.value}: maximum margin in [{self.lower!r}, {self.upper!r}]"

    def summary(self, *, exact: bool = True) -> str:
        """Return the text of ``maxmargin margin``.

        Parameters
        ----------
        exact : bool
            Whether to show the exact maximum margin if it is known, as ``--exact`` does.
        """
        lines = self.status.lines(self.reason, bias=self.bias)
        if exact and self.margin_squared:
            lines += _root_lines(self.margin_squared, through(self.bias))
        if not self.status.is_inseparable:
            width = f", width {self.gap:.2g}" if math.isfinite(self.upper) else ""
            kind = f"  maximum margin{through(self.bias)}"
            lines.append(f"{kind}, proven interval [{self.lower!r}, {self.upper!r}]{width}")
        if self.w is not None and self.b is not None:
            lines.append(f"  margin of the hyperplane below {self.margin!r}")
            if (most := self.angle_upper) is not None:
                degrees = f"{rounded_up(most, 2):.2g} degrees"
                lines.append(f"  its normal is within {degrees} of that of the maximum-margin hyperplane")
            lines.append(self.names.rows_line("support rows", self.support))
            lines += self.names.plane_lines(self.w, self.b)
        if self.engine != "none":
            lines.append(f"  found by {self.engine}")
        return "\n".join(lines)

    def fields(self) -> dict[str, Any]:
        """Return the fields of ``maxmargin margin --json``."""
        return {
            "status": self.status.value,
            "advice": self.status.advice_for(bias=self.bias),
            **self._attributes("margin", "lower", "upper", "gap", "angle_lower", "angle_upper", "w", "b"),
            **self.names.fields("support", self.support),
            "support_dual": self.dual[self.support][:LONGEST_LIST],
            **self._attributes("primal_residual", "dual_residual", "reason", "engine"),
            "attempts": [asdict(run) for run in self.attempts],
        }

    def _roles(self) -> tuple[tuple[str, Any], ...]:
        return (("support", self.support),)

    def _card_fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = {"maximum margin γ*, proven": between(self.lower, self.upper)}
        if self.status.is_inseparable:
            return {**fields, "found by": self.engine}
        return {
            **fields,
            "width of the interval": rounded_up(self.gap, 2),
            "margin of (w, b)": None if self.margin is None else rounded_down(self.margin),
            "support rows": len(self.support),
            "γ*² exactly": None if self.margin_squared is None else quotient_text(self.margin_squared),
            "found by": self.engine,
        }

    def exact_fields(self) -> dict[str, Any]:
        """Return the fields that ``--exact`` adds: fractions as texts, the multipliers in the order of the support."""
        square, w, b, dual = self.margin_squared, self.w_exact, self.b_exact, self.dual_exact
        return {
            "exact_plane": self._exact_plane(),
            "exact_hull": self._exact_hull(),
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

    def _exact_hull(self) -> dict[str, Any] | None:
        """Return the weights of two hull points that prove the upper end, in full."""
        hull = self.upper_certificate
        if hull is None:
            return None
        return {
            "rows": self.names.numbers(np.array(hull.rows)),
            "weights": [text(weight) for weight in hull.weights],
            "margin_squared": quotient_text(hull.margin_squared),
        }

    @property
    def upper_certificate(self) -> MarginAtMost | None:
        """The proof of ``upper``; None if that is 0 or infinite."""
        if isinstance(self.certificate, MarginExactly):
            return self.certificate.at_most()
        if self.at_most is not None or self.problem is None or self.hull_weights is None:
            return self.at_most
        return MarginAtMost.by(self.problem, self.hull_weights)

    @property
    def interval_certificate(self) -> Certificate | None:
        """One proof of both ends: ``certificate``, with the hull weights of ``upper`` if it lacks them."""
        upper = self.upper_certificate
        if isinstance(self.certificate, MarginAtLeast) and upper is not None:
            return MarginBetween(problem=upper.problem, at_least=self.certificate, at_most=upper)
        return self.certificate

    def angle_of(
        self, w: Floats | Sequence[Fraction] | None, margin_squared: Fraction = Fraction(0)
    ) -> tuple[float, float] | tuple[None, None]:
        """Return the proven ends of the angle, in degrees, of a normal and that of the maximum-margin hyperplane.

        A hyperplane of margin m has at most the angle arccos(m/g*) to that of the maximum margin g*: the nearest points
        of the hulls of the classes differ by 2 g* w*, with w* of norm 1, and along the normal by at least 2 m. So if
        w has the angle a to the normal of the best hyperplane that is proven, the ends are a -+ arccos(lower/upper).

        Parameters
        ----------
        w : ndarray or sequence of Fraction, of shape (n_features,), or None
        margin_squared : Fraction
            The square of the margin of a hyperplane with this normal, if it separates the classes.

        Returns
        -------
        tuple of float, or (None, None)
            Rounded outwards. None if w is None or 0, or if no hyperplane is proven to separate the classes.

        Examples
        --------
        >>> import numpy as np
        >>> import maxmargin as mm
        >>> answer = mm.hard_margin([[0.0, 0.0], [1.0, 1.0]], ["low", "high"], positive="high")
        >>> low, high = answer.angle_of(np.array([0.0, 1.0]))
        >>> low <= 45 <= high < 45.00001
        True
        """
        best = self.certificate
        if w is None or not any(w):
            return None, None
        v, square = w, margin_squared
        if isinstance(best, MarginAtLeast | MarginExactly) and best.margin_squared >= square:
            v, square = best.w, best.margin_squared
        if not square:
            return None, None
        most = self.margin_squared or (Fraction(self.upper) ** 2 if math.isfinite(self.upper) else None)
        return angle_around(w, v, square / most if most else Fraction(0))

    @property
    def angle_lower(self) -> float | None:
        """The proven lower end of the angle of w and the normal of the maximum margin, in degrees."""
        return self.angle_of(self.w)[0]

    @property
    def angle_upper(self) -> float | None:
        """The proven upper end of that angle."""
        return self.angle_of(self.w)[1]

    @property
    def gap(self) -> float:
        """``upper - lower``, rounded up."""
        return width_of(self.lower, self.upper)


def _root_lines(square: Fraction, kind: str) -> list[str]:
    with localcontext(prec=_ROOT_DIGITS + 20):
        root = (Decimal(square.numerator) / Decimal(square.denominator)).sqrt()
    return [
        f"  maximum margin{kind} exactly the square root of {_cut(square.numerator)} / {_cut(square.denominator)}",
        f"    = {root:.{_ROOT_DIGITS}g}",
    ]


def _cut(integer: int) -> str:
    """Return the digits; of a long integer those at either end, with their number."""
    digits = f"{Decimal(integer):f}"  # Python refuses to write integers of more than 4,300 digits, not decimals
    if len(digits) <= _MOST_DIGITS:
        return digits
    return f"{digits[:_END_DIGITS]}...{digits[-_END_DIGITS:]} ({len(digits):,} digits)"
