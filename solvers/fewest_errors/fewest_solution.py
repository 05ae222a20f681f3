"""The fewest errors of a hyperplane, as a proven interval of whole numbers."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from maxmargin.solvers.answers.answer_text import NamedAnswer, counted, cut, some, through
from maxmargin.solvers.answers.statuses import Status
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.basics.printable import printable
from maxmargin.solvers.problem.candidate import SolverRun
from maxmargin.solvers.proof.certificate import CommonHullPoint

# Largest number of rows that a card names.
_MOST_IN_CARD = 5


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class FewestErrors(NamedAnswer):
    """The least number of rows with y(w.x + b) <= 0 over all hyperplanes, which is the fewest rows to drop.

    Without the error rows the rest is strictly separable, and dropping fewer rows never makes it so. With a bias the
    fewest errors are at most the number of rows of the smaller class: the hyperplanes (0, b) have all rows of one class
    on their side, and a rest of one class counts as separable. Through the origin there is no such hyperplane, and a
    row of zeros is always an error.

    Attributes
    ----------
    status : Status
        `optimal` if lower and upper are equal, otherwise `limit`.
    lower, upper : int
        The proven ends of the fewest errors.
    w : ndarray of shape (n_features,)
        The normal of a hyperplane with `upper` errors, or near one if no such hyperplane of floats was found.
    b : float
        Its offset.
    n_float_errors : int
        The errors of this w and b, counted exactly: `upper`, unless rounding added some.
    w_exact : tuple of Fraction
        The exact normal of the hyperplane whose errors were counted.
    b_exact : Fraction
        Its exact offset; 0 through the origin.
    error_rows : ndarray of int, of shape (upper,)
        The rows with y(w.x + b) <= 0 for the exact hyperplane: positions in X; `to_dict` and `to_frame` number the rows
        of the source.
    witnesses : tuple of CommonHullPoint
        Sets of rows that no hyperplane has strictly on their side: one row of each has to be dropped.
    witness_weights : tuple of Fraction
        A weight for each witness. The weights of the witnesses that contain any one row sum to at most 1, so their
        total is a lower bound of the fewest errors. (Of several equal rows the first stands for all, and the sum is at
        most their number.)
    n_nodes : int
        The number of nodes of the branch and bound that proves the difference of `lower` and `packing_lower`.
    engine : str
        The engine that proposed the hyperplane.
    attempts : tuple of SolverRun
        The solver runs, with what each solver claimed.
    reason : str
        Why the ends do not meet; otherwise empty.
    bias : bool
        Whether hyperplanes have a bias.
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
    maxmargin.fewest_errors : Find them.

    Examples
    --------
    >>> import maxmargin as mm
    >>> answer = mm.fewest_errors([[0.0], [1.0], [2.0]], ["no", "yes", "no"])
    >>> answer.lower, answer.upper, answer.error_rows.tolist()
    (1, 1, [1])
    >>> [witness.rows for witness in answer.witnesses]
    [(0, 1, 2)]
    """

    status: Status
    lower: int
    upper: int
    w: Floats
    b: float
    n_float_errors: int
    w_exact: tuple[Fraction, ...]
    b_exact: Fraction
    error_rows: Rows
    witnesses: tuple[CommonHullPoint, ...] = ()
    witness_weights: tuple[Fraction, ...] = ()
    n_nodes: int = 0
    engine: str
    attempts: tuple[SolverRun, ...] = ()
    reason: str = ""
    bias: bool = True

    def summary(self, *, remarks: Sequence[str] = ()) -> str:
        """Return the text of ``maxmargin fewest-errors``.

        Parameters
        ----------
        remarks : sequence of str
            Further lines, which come before the hyperplane.
        """
        kind = through(self.bias)
        if self.is_optimal:
            first = f"fewest errors {self.upper:,} (proven: no hyperplane{kind} has fewer)"
        else:
            first = f"fewest errors{kind} between {self.lower:,} and {self.upper:,} (proven)"
        rows = f"  no row to drop: the data are separable{kind}"
        if self.error_rows.size:
            what = "row" if self.error_rows.size == 1 else "rows"
            rows = self.names.rows_line(f"{what} to drop so that the rest is separable{kind}", self.error_rows)
        lines = [first, *([f"  {printable(self.reason)}"] if self.reason else []), rows]
        if self.lower:
            search = self.lower > self.packing_lower
            nodes = f", and the search of {counted(self.n_nodes, 'node')}" if search else ""
            sets = counted(len(self.witnesses), "set")
            lines.append(f"  lower end from {sets} of rows, each of which has to lose one{nodes}")
        if self.n_float_errors > self.upper:
            remarks = [*remarks, f"  rounded to floats, the hyperplane has {counted(self.n_float_errors, 'error')}:"]
        return "\n".join([*lines, *remarks, *self.names.plane_lines(self.w, self.b), f"  found by {self.engine}"])

    def _roles(self) -> tuple[tuple[str, Any], ...]:
        return (("error", self.error_rows),)

    def fields(self) -> dict[str, Any]:
        """Return the fields of ``maxmargin fewest-errors --json`` without the total slack."""
        return {
            "status": self.status.value,
            **self._attributes("lower", "upper", "is_optimal"),
            **self.names.fields("error_rows", self.error_rows),
            **self._attributes("w", "b", "n_float_errors", "packing_lower"),
            **cut("witnesses", [self.names.numbers(np.array(witness.rows)).tolist() for witness in self.witnesses]),
            **self._attributes("n_nodes", "reason", "engine"),
            "attempts": [asdict(run) for run in self.attempts],
        }

    def _card_fields(self) -> dict[str, Any]:
        names = self.names.numbers(self.error_rows).tolist()
        if self.names.ids is not None:
            names = [self.names.ids[row] for row in self.error_rows.tolist()]
        return {
            "fewest errors, proven": self.upper if self.is_optimal else f"{self.lower:,} to {self.upper:,}",
            "rows to drop": some(names, _MOST_IN_CARD, "{n} in all") or "none",
            "lower end without a search": self.packing_lower,
            "nodes of the search": self.n_nodes,
            "found by": self.engine,
        }

    @property
    def headline(self) -> str:
        """The proven interval, or the number if its ends are equal."""
        if self.is_optimal:
            return f"fewest errors {self.upper:,} (proven)"
        return f"fewest errors between {self.lower:,} and {self.upper:,} (proven)"

    @property
    def n_errors(self) -> int:
        """Errors of the hyperplane."""
        return self.upper

    @property
    def is_optimal(self) -> bool:
        """Whether it is proven that no hyperplane has fewer."""
        return self.lower == self.upper

    @property
    def packing_lower(self) -> int:
        """The lower bound that the witnesses prove by themselves."""
        total = sum(self.witness_weights, Fraction(0))
        return -(-total.numerator // total.denominator)
