"""Confidence-weighted algorithms: a Gaussian over w, moved as little as gives the row its confidence."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.basics.compiling import in_machine_code
from maxmargin.solvers.online.algorithm import OnlineRun, parameter
from maxmargin.solvers.online.guarantee import Check, Theorem, at_most, quotient, where
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.second_order import MatrixAlgorithm, state_with_matrix
from maxmargin.solvers.online.space import Space
from maxmargin.solvers.online.state import LearnerState

# Places of the scalars: the greatest relative violation of the constraint after an update that was not cut at C, how
# many updates left an x'Sigma x too small to be told from the rounding of Sigma, ln det(Sigma_0 Sigma^-1), the greatest
# 1/x'Sigma x before a mistake, and how many mistakes were no updates: those on rows x = 0.
_VIOLATION, _UNCHECKED, _LOG_DETERMINANT, _GREATEST_PRECISION, _IDLE = 0, 1, 2, 3, 4

# Place of the first of n scalars: what Sigma^-1 has gained of x x' of every row.
_SHARES = 5

# Share of ||x||^2 times the first variance from which on x'Sigma x is known to ten digits.
_LEAST_SPREAD = 1e-6


@in_machine_code
def _is_zero(X: Floats, row: int) -> bool:
    """Return whether all entries of a row are 0."""
    is_zero = True
    for j in range(X.shape[1]):
        is_zero &= X[row, j] == 0.0
    return is_zero


def confidence_step(
    X: Floats, y: Floats, row: int, t: int, score: float, parameters: Floats, w: Floats, table: Floats, scalars: Floats
) -> int:
    """Move the Gaussian (w, Sigma) to phi sqrt(x'Sigma x) <= y w.x + alpha extra, with alpha <= cap.

    The parameters are phi, extra, cap and the least x'Sigma x/||x||^2 that is checked; the table is Sigma, its last row
    room for Sigma x. With n = v + extra and s = sqrt(x'Sigma x) after the step, alpha = (phi s - m)/n where
    (n + v phi^2) s^2 - v phi m s - v n = 0, and Sigma^-1 gains alpha phi/s times x x'.
    """
    phi, extra = parameters[0], parameters[1]
    n = w.shape[0]
    v = 0.0
    for i in range(n):
        total = 0.0
        for j in range(n):
            total += table[i, j] * X[row, j]
        table[n, i] = total
        v += total * X[row, i]
    m = y[row] * score
    if m >= phi * np.sqrt(max(v, 0.0)):
        if m <= 0.0:  # both sides are 0
            scalars[4 if _is_zero(X, row) else 1] += 1.0  # for other rows x'Sigma x has vanished, not x
        return 0
    if v <= 0.0:  # rounding has eaten up Sigma, and no step can help
        scalars[1] += 1.0
        return 1
    # The positive root of the quadratic equation for s, which follows from the first-order conditions of the step, as
    # in Crammer, Dredze and Pereira 2008. Its constant term is negative, so there is exactly one.
    wide = v + extra
    weight = wide + v * phi * phi
    half = v * phi * m
    s = (half + np.sqrt(half * half + 4.0 * weight * v * wide)) / (2.0 * weight)
    alpha = (phi * s - m) / wide
    is_cut = alpha > parameters[2]
    if is_cut:  # s then follows from s^2 + alpha phi v s = v, which is the gain of Sigma^-1 written for s
        alpha = parameters[2]
        half = alpha * phi * np.sqrt(v) / 2.0
        s = np.sqrt(v) / (half + np.sqrt(half * half + 1.0))  # in this form without a difference, of squares of roots
    beta = alpha * phi / (s + v * alpha * phi)
    gain = v / s * alpha * phi  # v is about s^2: the product of the two small ones may vanish
    scalars[2] += math.log1p(gain) if gain > -1.0 else math.nan
    scalars[5 + row] += alpha * phi / s
    if m <= 0.0:
        scalars[3] = max(scalars[3], 1.0 / v)
    for i in range(n):
        w[i] += alpha * y[row] * table[n, i]
        for j in range(n):
            table[i, j] -= beta * table[n, i] * table[n, j]
    if not is_cut:
        # The guarantee is on the numbers as they are, so the constraint is evaluated with the updated w and Sigma.
        # Where rounding has left little of x'Sigma x, the violation is noise: such updates are counted as unchecked.
        after, spread, square = 0.0, 0.0, 0.0
        for i in range(n):
            square += X[row, i] * X[row, i]
            after += y[row] * w[i] * X[row, i]
            for j in range(n):
                spread += X[row, i] * table[i, j] * X[row, j]
        wanted = phi * np.sqrt(max(spread, 0.0))
        violation = (wanted - after - alpha * extra) / (wanted + abs(m) + alpha * wide)
        if spread < parameters[3] * square:
            scalars[1] += 1.0
        else:
            scalars[0] = max(scalars[0], violation)
    return 1


# Relative violation of the constraint that rounding may cause.
_TINY = 1e-9

_WANG = "Wang, Zhao and Hoi 2012"


def _theorems(constraint: str, growth: str, reference: str) -> tuple[Theorem, Theorem]:
    """Return the theorems of a Gaussian.

    Parameters
    ----------
    constraint : str
        What holds after an update.
    growth : str
        The least growth of ln det Sigma^-1 by a mistake.
    reference : str
    """
    return (
        at_most(
            "constraint",
            f"after every update {constraint}: relative violation <= 1e-9, unless rounding has eaten up Sigma",
            reference,
        ),
        at_most(
            "volume",
            f"mistakes on x != 0 <= ln det(Sigma_0 Sigma^-1)/{growth}, unless rounding has eaten up Sigma",
            "derived: every mistake makes det Sigma smaller by at least this factor",
        ),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Gaussian(MatrixAlgorithm):
    """A Gaussian over w, and what holds after every update of it.

    Attributes
    ----------
    confidence : float
        Above 1/2 and below 1.

    Notes
    -----
    Derived here. With v = x'Sigma x before an update and s^2 after it, Sigma^-1 gains alpha phi/s times x x' and det
    Sigma^-1 grows by the factor v/s^2 = 1 + alpha phi v/s. Let m = y w.x <= 0 before. An update that is not cut has
    alpha = (phi s - m)/(v + extra) >= phi s/(v + extra), and the factor is at least 1 + phi^2 v/(v + extra). One with
    alpha = C has s^2 + C phi v s = v, so sqrt(v)/s = exp(asinh(C phi sqrt(v)/2)). Both grow with v. A row x = 0, which
    there is through the origin only, is a mistake without an update: it leaves the volume as it is, and is not counted.
    """

    step = staticmethod(confidence_step)
    needs_all_rows = True

    confidence: float = parameter(0.9, 0.5, 1.0)

    def state(self, space: Space, variance: float, extra: float, cap: float) -> LearnerState:
        """Return the Gaussian with mean 0, and the numbers of `confidence_step`."""
        phi, n_scalars = NormalDist().inv_cdf(self.confidence), _SHARES + space.n_samples
        return state_with_matrix(space, variance, n_scalars, phi, extra, cap, _LEAST_SPREAD * variance)

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield the constraint of the step, and the bound of the mistakes by the volume of the Gaussian."""
        is_exact = run.scalar(_UNCHECKED) == 0
        yield Check(run.scalar(_VIOLATION), where(is_exact, _TINY))
        phi, extra, cap, _ = run.state.parameters.tolist()
        precision = run.scalar(_GREATEST_PRECISION)
        growth = math.log1p(phi * phi / (1 + extra * precision))  # the least of ln det Sigma^-1 by a mistake
        if precision:
            growth = min(growth, 2 * math.asinh(cap * phi / 2 / math.sqrt(precision)))
        most = quotient(run.scalar(_LOG_DETERMINANT), growth)
        yield Check(run.n_mistakes - run.scalar(_IDLE), where(is_exact, most))


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfidenceWeighted(_Gaussian):
    """The Gaussian nearest to the last one with P(y w.x > 0) >= confidence, in its exact form.

    Attributes
    ----------
    confidence : float
        Above 1/2 and below 1.
    variance : float
        Of every weight at the start, positive.

    Notes
    -----
    Derived here, after Crammer, Dredze and Pereira 2008. Let U = y u.x >= phi s at every update, s^2 = x'Sigma x after
    it. Because y w.x = phi s then, (u - w)'Sigma^-1 (u - w) changes by
    -alpha^2 v - 2 alpha (U - phi s) + alpha phi/s (U - phi s)^2 <= -alpha^2 v + alpha phi/s U^2, and what the last term
    adds up to is what u'Sigma^-1 u has gained: sum alpha^2 v <= u'Sigma^-1 u at the end. A mistake has
    alpha^2 v >= phi^2/(1 + phi^2). As s^2 <= variance ||x||^2, any u that separates does once it is long enough.
    """

    name = "cw"
    summary = "confidence-weighted, in its exact form with a full covariance"
    reference = "Crammer, Dredze and Pereira 2008"
    theorems = (
        *_theorems("y w.x >= phi sqrt(x'Sigma x)", "ln(1 + phi^2)", "Crammer, Dredze and Pereira 2008"),
        at_most(
            "mistakes",
            "mistakes <= (1 + 1/phi^2) u'Sigma^-1 u, strictly separable, "
            "y u.x >= phi sqrt(variance) ||x|| on every row, unless rounding has eaten up Sigma",
            "derived after Crammer, Dredze and Pereira 2008",
        ),
    )

    variance: float = parameter(1.0, 0.0)

    def start(self, space: Space) -> LearnerState:
        """Return the Gaussian with mean 0."""
        return self.state(space, self.variance, 0.0, math.inf)

    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield what holds of every Gaussian, and the bound of the mistakes by a u that separates."""
        is_proven = reference.is_separable and run.scalar(_UNCHECKED) == 0
        yield from _Gaussian.checks(self, run, reference)
        yield Check(run.n_mistakes, self._most_mistakes(run, reference) if is_proven else None)

    def _most_mistakes(self, run: OnlineRun, reference: Reference) -> float:
        """Return (1 + 1/phi^2) u'Sigma^-1 u for the reference's u, made long enough."""
        scores = reference.space.y * (reference.space.X @ reference.u)
        ratio = float(np.max(np.sqrt(reference.space.squared_norms) / scores))
        gained = float(run.state.scalars[_SHARES:] @ scores**2)
        phi = float(run.state.parameters[0])
        return (1 + phi * phi) * (ratio * ratio) * (reference.square + self.variance * gained)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftConfidenceWeightedI(_Gaussian):
    """Soft confidence-weighted learning with a linear penalty of the violation, times C: the step alpha is at most C.

    Attributes
    ----------
    confidence : float
        Above 1/2 and below 1.
    C : float
        Positive.
    variance : float
        Of every weight at the start, positive.
    """

    name = "scw-1"
    summary = "soft confidence-weighted, linear price of a violation"
    reference = _WANG
    theorems = _theorems(
        "with alpha < C, y w.x >= phi sqrt(x'Sigma x)",
        "min(ln(1 + phi^2), 2 asinh(C phi sqrt(v)/2)), v the least x'Sigma x before a mistake",
        _WANG,
    )

    C: float = parameter(1.0, 0.0)
    variance: float = parameter(1.0, 0.0)

    def start(self, space: Space) -> LearnerState:
        """Return the Gaussian with mean 0."""
        return self.state(space, self.variance, 0.0, self.C)


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftConfidenceWeightedII(SoftConfidenceWeightedI):
    """Soft confidence-weighted learning with a penalty of the squared violation, times C.

    Its parameters are ``confidence``, ``C`` and ``variance``, as for `SoftConfidenceWeightedI`.
    """

    name = "scw-2"
    summary = "soft confidence-weighted, squared price of a violation"
    theorems = _theorems(
        "y w.x + alpha/(2C) >= phi sqrt(x'Sigma x)", "ln(1 + phi^2 v/(v + 1/(2C))), v the least x'Sigma x at one", _WANG
    )

    def start(self, space: Space) -> LearnerState:
        """Return the Gaussian with mean 0."""
        return self.state(space, self.variance, 1 / (2 * self.C), math.inf)
