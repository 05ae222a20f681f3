"""The dependence of the maximum margin on single rows: without one of them, and with one of them moved."""

import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import scipy.sparse as sp

from maxmargin.solvers.answers.answer_text import LISTED_ELSEWHERE, NamedAnswer, counted, cut, rounded_down, through
from maxmargin.solvers.answers.cards import between
from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN, Status, uninterrupted
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.limits import TIME_IS_OVER, Limits
from maxmargin.solvers.basics.option_values import whole_number
from maxmargin.solvers.basics.printable import printable
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.exact.reals import binary64
from maxmargin.solvers.hard_margin.hard_bracket import SUPPORT_WEIGHT
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.margins import unit

# Largest number of rows that the text lists.
_MOST_ROWS = 20

# Finding the rows that hold the margin may take the time left divided by this number.
_SHARES = 4

# Largest number of columns for which exact arithmetic finds the rows that hold the margin.
_MOST_EXACT_COLUMNS = 60

# Meanings of the statuses of an answer that has several intervals.
_ADVICE = {
    Status.OPTIMAL: "all intervals are proven and as narrow as asked",
    Status.LIMIT: "stopped at a limit; all intervals are proven, but some are wider than asked: raise the time limit",
    Status.NUMERICAL: (
        "no solver was as accurate as asked; all intervals are proven, but some are wide: try centred or scaled data"
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Sensitivity(NamedAnswer):
    """The maximum margin gamma* as a function of the rows.

    Half the distance of the convex hulls of the classes is gamma*. Let p and q be nearest points of the hulls,
    p = sum lambda_i x_i over the rows of the class +1 and q likewise over those of -1, and u = w/||w|| is the direction
    of p - q. Without a row of weight lambda_i = 0 the same points and the same hyperplane prove the same gamma*. If row
    i moves by a vector d of length delta, the same weights give points at distance at most 2 gamma* + lambda_i delta,
    and the hyperplane, moved by half of what the row loses, has a margin of at least gamma* - delta/2. To first order
    gamma* grows by lambda_i y_i u.d/2, if the weights are unique. Through the origin, gamma* is the norm of the nearest
    point of the hull of the rows y x, and the halves are wholes.

    Attributes
    ----------
    status : Status
        `optimal` if all margins are known as well as `maxmargin.hard_margin` knows them, `limit` if the time was over,
        or why there is no margin.
    margin : HardMargin
        The maximum margin of all rows.
    rows : ndarray of int
        The rows of positive weight, those first without which the margin is greatest: positions in X; `to_dict` and
        `to_frame` number the rows of the source. ``to_frame("rows")`` has the weights and both ends as well.
    weights : ndarray of shape (n_rows,)
        Their weights lambda, rounded to floats; they sum to 1 in each class, through the origin in all.
    lower_without, upper_without : ndarray of shape (n_rows,)
        The proven ends of the maximum margin without each of these rows, rounded outwards. Both are infinite for the
        only row of its class, as any margin is reached without it. If the time was over first, only the upper one is.
    reason : str
        What cut the work short; otherwise empty.
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
    maxmargin.sensitivity : Find it.

    Examples
    --------
    >>> import maxmargin as mm
    >>> answer = mm.sensitivity([[0.0], [1.0], [5.0], [9.0], [11.0]], [0, 0, 1, 1, 1])
    >>> answer.margin.margin, answer.rows.tolist(), answer.upper_without.tolist()
    (2.0, [2, 1], [4.0, 2.5])
    >>> answer.robust_radius
    (2.0, 2.0)
    """

    status: Status
    margin: HardMargin
    rows: Rows
    weights: Floats
    lower_without: Floats
    upper_without: Floats
    reason: str = ""

    @property
    def w(self) -> Floats | None:
        """The normal of the hyperplane of maximum margin."""
        return self.margin.w

    @property
    def b(self) -> float | None:
        """Its offset."""
        return self.margin.b

    @property
    def robust_radius(self) -> tuple[float, float]:
        """The proven ends of gamma*: every row may move by less, all at once, and the same hyperplane separates them.

        At gamma* the classes can be made to touch: by `moved`, their nearest points meet on the hyperplane.
        """
        return self.margin.lower, self.margin.upper

    @property
    def radius_of_one(self) -> float:
        """A distance by which one row alone may move, in any direction, so that the classes stay strictly separable.

        Any shorter distance will do: twice the lower end of gamma*, or through the origin that end itself.
        """
        return min(self.margin.lower * (2 if self.margin.bias else 1), sys.float_info.max)

    @property
    def rates(self) -> Floats:
        """The derivative of gamma* as each of the rows moves along y w/||w||, if the weights are unique.

        If a row moves by delta, the upper end of gamma* grows by at most this number times delta, whether they are
        unique or not, up to the rounding of the weights; the lower end falls by at most delta/2, or delta through the
        origin.
        """
        return self.weights / 2 if self.margin.bias else self.weights

    def moved(self, distance: float) -> Floats:
        """Return all rows, each moved towards the hyperplane of maximum margin, rounded to floats.

        Parameters
        ----------
        distance : float
            How far, in the units of X.

        Returns
        -------
        ndarray of shape (n_samples, n_features)
            Below gamma* the classes stay separable; at gamma* their nearest points meet, up to rounding.

        Raises
        ------
        InvalidOptionError
            If there is no hyperplane, or the distance is no number.
        """
        problem, w, length = self.margin.problem, self.margin.w, binary64(distance)
        if length is None:
            raise InvalidOptionError(f"distance is {distance!r}; expected a finite number that binary64 holds")
        if w is None or problem is None:
            raise InvalidOptionError("there is no hyperplane of maximum margin to move towards")
        return np.asarray(problem.dense_rows(slice(None)) - length * problem.y[:, None] * unit(w))

    def without(self, row: int, **options: Any) -> HardMargin:
        """Solve without a row, with its hyperplane and its certificate.

        Parameters
        ----------
        row : int
            The position of the row.
        **options
            Those of `maxmargin.hard_margin`: ``exact``, ``method``, ``time_limit`` and others.

        Returns
        -------
        HardMargin
            The answer for the other rows, which are numbered from 0 again.

        Raises
        ------
        InvalidOptionError
            If there is no such row, it is the only one of its class, or the rows are not separable.
        """
        problem = self.margin.problem
        if problem is None:
            raise InvalidOptionError("no row holds a margin, as the rows are not separable; ask about the others alone")
        last = problem.n_samples - 1
        if whole_number("row", row, 0, otherwise=f" to {last}") > last:
            raise InvalidOptionError(f"row is {row!r}; expected a whole number from 0 to {last}")
        others = _without(problem, row)
        if others is None:
            raise InvalidOptionError(f"row {row} is the only one of its class; expected a row with others of its class")
        return hard_margin(others, **options)

    @property
    def unbounded(self) -> Rows:
        """The rows that are the only ones of their class: without such a row, any margin is reached."""
        return self.rows[np.isinf(self.lower_without)]

    @property
    def _advice(self) -> str:
        return _ADVICE.get(self.status) or self.status.advice_for(bias=self.margin.bias)

    @property
    def headline(self) -> str:
        """The interval of gamma*, and how many rows limit it."""
        if self.status.is_inseparable or not self.rows.size:
            return self.margin.headline
        interval = f"[{self.margin.lower!r}, {self.margin.upper!r}]"
        return f"maximum margin in {interval}, held by {counted(len(self.rows), 'row')}"

    def summary(self) -> str:
        """Return the text of ``maxmargin sensitivity``."""
        lines = self.status.lines(self.reason, bias=self.margin.bias, advice=self._advice)
        if self.status.is_inseparable or not self.rows.size:
            return "\n".join(lines)
        low, high = self.robust_radius
        kind, share = through(self.margin.bias), "d/2" if self.margin.bias else "d"
        lines += [
            f"  maximum margin{kind}, proven interval [{low!r}, {high!r}]",
            f"  every row may move by less than {low!r}, all at once, and the classes stay separable;",
            f"  by {high!r} they can be made to touch; one row alone may move by less than {self.radius_of_one!r}",
            "  rows that hold the margin (from 0), with their weights and the proven interval without each:",
            *self._row_lines(),
            "  without a row that does not hold it, the margin lies in the first interval, by the same proof",
            f"  if a row moves by d, the margin stays from {low!r} - {share} to {high!r} + weight {share}",
        ]
        return "\n".join(lines)

    def _row_lines(self) -> Iterator[str]:
        numbers = self.names.numbers(self.rows)
        for position in range(min(len(self.rows), _MOST_ROWS)):
            low, high = self.lower_without[position], self.upper_without[position]
            found = f"[{float(low)!r}, {float(high)!r}]"
            if math.isinf(low):
                found = "unbounded: it is the only row of its class"
            elif math.isinf(high):
                found = f"at least {float(low)!r}; not computed"
            row = numbers[position]
            called = "" if self.names.ids is None else f" ({printable(str(self.names.ids[self.rows[position]]))})"
            yield f"    {row}{called}: weight {self.weights[position]:.6g}, {found}"
        if (more := len(self.rows) - _MOST_ROWS) > 0:
            yield f"    ... {LISTED_ELSEWHERE.format(more=more)}"

    def fields(self) -> dict[str, Any]:
        """Return the fields of ``maxmargin sensitivity --json``."""
        return {
            "status": self.status.value,
            "advice": self._advice,
            "margin": self.margin.margin,
            "lower": self.margin.lower,
            "upper": self.margin.upper,
            **self._attributes("w", "b", "robust_radius", "radius_of_one"),
            **self.names.fields("rows", self.rows),
            **cut("weights", self.weights),
            **cut("rates", self.rates),
            **cut("lower_without", self.lower_without),
            **cut("upper_without", self.upper_without),
            **self.names.fields("unbounded", self.unbounded),
            "reason": self.reason,
        }

    def _card_fields(self) -> dict[str, Any]:
        fields: dict[str, Any] = {"maximum margin γ*, proven": between(self.margin.lower, self.margin.upper)}
        if self.status.is_inseparable or not self.rows.size:
            return fields
        best = between(float(self.lower_without[0]), float(self.upper_without[0]))
        return {
            **fields,
            "rows that hold it": len(self.rows),
            f"γ* without row {self.names.numbers(self.rows)[0]}": best,
            "every row may move by less than": rounded_down(self.margin.lower),
            "one row alone by less than": rounded_down(self.radius_of_one),
        }

    def _roles(self) -> tuple[tuple[str, Any], ...]:
        return (("support", self.rows),)

    def _rows_table(self) -> dict[str, Any]:
        order = np.argsort(self.rows)
        found = {"weight": self.weights, "lower_without": self.lower_without, "upper_without": self.upper_without}
        return NamedAnswer._rows_table(self) | {name: values[order].tolist() for name, values in found.items()}


def sensitivity(
    problem: Problem, *, time_limit: float | None = None, on_progress: Callable[[int, int], None] | None = None
) -> Sensitivity:
    """Find the maximum margin of all rows, and of the rows without each of the support rows.

    Parameters
    ----------
    problem : Problem
    time_limit : float, optional
        Seconds after which the work stops. The margin of all rows may take a third of this time.
    on_progress : callable, optional
        A function that is called with the number of rows that are done, and of all.

    Returns
    -------
    Sensitivity
        Ctrl-C ends the work with what is proven by then and the reason `WHAT_WAS_PROVEN`.
    """
    limits = Limits(time_limit=time_limit)
    whole = hard_margin(problem, time_limit=limits.share(3))
    status, reason = whole.status, whole.reason
    if reason and time_limit is not None and status in (Status.LIMIT, Status.UNDECIDED):
        reason = "the time limit is too short for the margin of all rows"
    rows, weights = _holding(whole, limits)
    lower, upper = np.full(len(rows), whole.lower), np.full(len(rows), math.inf)
    try:
        uninterrupted(whole)
        for n_done, position in enumerate(np.argsort(-weights, kind="stable").tolist()):
            if limits.is_over():
                status, reason = Status.LIMIT, TIME_IS_OVER
                break
            others = _without(problem, int(rows[position]))
            if others is None:
                lower[position] = math.inf
            else:
                found = hard_margin(others, time_limit=limits.share())
                lower[position], upper[position] = max(whole.lower, found.lower), found.upper
                uninterrupted(found)
                if status is Status.OPTIMAL and found.status is not Status.OPTIMAL:
                    status, reason = _stopped(found, limits)
            if on_progress is not None:
                on_progress(n_done + 1, len(rows))
    except KeyboardInterrupt:
        status, reason = Status.LIMIT, WHAT_WAS_PROVEN
    order = np.lexsort((rows, -weights, -lower))
    return Sensitivity(
        status=status,
        margin=whole,
        rows=rows[order],
        weights=weights[order],
        lower_without=lower[order],
        upper_without=upper[order],
        reason=reason,
    )


def _holding(whole: HardMargin, limits: Limits) -> tuple[Rows, Floats]:
    """Return the rows that prove the upper end, with their weights, less those whose weights are rounding errors.

    They are left out if the others prove the same end.
    """
    rows, weights = _weights(whole)
    is_kept = weights > SUPPORT_WEIGHT * weights.max(initial=0.0)
    if is_kept.all() or whole.problem is None:
        return rows, weights
    kept = rows[is_kept]
    for exact in (False, True)[: 1 + (whole.problem.n_features <= _MOST_EXACT_COLUMNS)]:
        part = hard_margin(whole.problem.of_rows(kept), exact=exact, time_limit=limits.share(_SHARES))
        if part.upper <= whole.upper:
            positions, weights = _weights(part)
            return kept[positions], weights
    return rows, weights


def _weights(whole: HardMargin) -> tuple[Rows, Floats]:
    """Return the rows and the weights of the points that prove the upper end, which sum to 1 in each class."""
    proof = whole.upper_certificate
    if whole.status.is_inseparable or proof is None or whole.problem is None:
        return np.empty(0, dtype=np.int64), np.empty(0)
    rows = np.array(proof.rows, dtype=np.int64)
    signs = whole.problem.y[rows] if whole.problem.bias else np.ones(len(rows))
    totals = {sign: sum(w for w, s in zip(proof.weights, signs, strict=True) if s == sign) for sign in set(signs)}
    shares = [float(Fraction(w, totals[s])) for w, s in zip(proof.weights, signs, strict=True)]
    return rows, np.array(shares)


def _stopped(found: HardMargin, limits: Limits) -> tuple[Status, str]:
    """Return the status and the reason that the margin without one row gives to the answer.

    The rows are separable, so that `undecided` says that no solver was accurate enough, or that the time was over.
    """
    if found.status is Status.LIMIT or limits.is_over():
        short = "the time limit is too short for the margin without some of the rows"
        return Status.LIMIT, found.reason if limits.time_limit is None else short
    return Status.NUMERICAL, found.reason


def _without(problem: Problem, row: int) -> Problem | None:
    """Return the question of the other rows; None if it is the only row of its class, and any margin is reached.

    Through the origin, the opposite of a row with the opposite sign is the same inequality: it stands for the class
    that has no row.
    """
    others = problem.of_rows(np.delete(np.arange(problem.n_samples), row))
    if not (others.y == others.y[:1]).all():
        return others
    if problem.bias or others.n_samples == 0:
        return None
    X = others.row_source[:]
    stacked = sp.vstack([X, -X[:1]], format="csr") if sp.issparse(X) else np.vstack([X, -X[:1]])
    return replace(others, X=stacked, y=np.append(others.y, -others.y[0]), known_bounds=None)
