"""An online algorithm (its parameters, step, stopping rule, plane and guarantees) and its runs, which it judges."""

import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field, fields
from types import MappingProxyType
from typing import Any, ClassVar

import numpy as np

from maxmargin.solvers.answers.answer_text import LONGEST_LIST, cut, rounded_down, through
from maxmargin.solvers.basics.array_types import Floats, Rows
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.hard_margin.hard_solution import HardMargin
from maxmargin.solvers.online.guarantee import Check, Guarantee, Theorem, where
from maxmargin.solvers.online.online_settings import OnlineSettings
from maxmargin.solvers.online.reference import Reference
from maxmargin.solvers.online.space import Measured, Space, measured
from maxmargin.solvers.online.state import LearnerState, Presents, Step
from maxmargin.solvers.perceptron.result import RunResult
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.problem.problem import Problem


def _cut(value: Any) -> Any:
    return value[:LONGEST_LIST] if hasattr(value, "__len__") and not isinstance(value, str) else value


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class OnlineRun(RunResult):
    """A run of an online algorithm.

    Attributes
    ----------
    w : ndarray of shape (n_features,)
        The normal of the hyperplane in the user's space; with a kernel, the coefficients of the rows.
    b : float
        Its offset, which is bias_scale times the weight of the constant coordinate; 0 with a kernel.
    n_updates : int
        The number of presentations that changed the state.
    n_mistakes : int
        The number of presentations with y w.x <= 0; 0 if a presentation is of all rows at once.
    n_epochs, n_presentations : int
        The number of epochs and of presentations.
    converged : bool
        Whether the stopping rule of the algorithm ended the run and, if single rows are presented, its last w has every
        row strictly on its side, which is checked in exact arithmetic. If the rule ended a run with errors left, the
        stop reason is "stalled".
    stop_reason : StopReason
        Why the run ended.
    update_rows, update_times : ndarray of shape (n_updates,)
        The row of every update and the number of its presentation, counted from 1; only the first ten million are
        listed.
    updates_per_epoch, mistakes_per_epoch : ndarray of shape (n_epochs,)
        The updates and the mistakes of every epoch.
    presented, updated : ndarray of shape (n_samples,)
        How often every row was presented, and how often it caused an update. A presentation of all rows at once counts
        for none of them, and its update counts for row 0.
    margin : float
        The least y(w.x + b)/||w|| over the rows, computed exactly and rounded down: it is at most gamma*, and -infinity
        at w = 0.
    run_margin : float
        The same in the space of the run, through the origin of (x, s); with a kernel both are in its feature space.
    unit_margin : float
        The same in the units of the run's rows.
    n_errors : int
        The number of rows with y(w.x + b) <= 0, counted in exact arithmetic.
    guarantees : tuple of Guarantee
        The theorems about this run, and whether they hold.
    algorithm : Algorithm
        The algorithm with its parameters.
    settings : OnlineSettings
        The bias scale, the order and the limits of the run.
    extras : mapping
        Further results of the algorithm, by name.
    state : LearnerState
        The last state, in the space of the run.
    space : Space
        The space of the run.
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
    maxmargin.online : Run an algorithm.

    Examples
    --------
    >>> import maxmargin as mm
    >>> run = mm.online([[1.0], [2.0]], ["no", "yes"], "margin-perceptron", max_epochs=None)
    >>> run.n_errors, run.converged, run.margin > 0
    (0, True, True)
    >>> run.predict([[0.0], [3.0]])
    array([-1.,  1.])
    """

    n_updates: int
    update_rows: Rows
    update_times: Rows
    updates_per_epoch: Rows
    presented: Rows
    updated: Rows
    unit_margin: float
    n_errors: int
    guarantees: tuple[Guarantee, ...] = ()
    algorithm: "Algorithm"
    settings: OnlineSettings
    extras: Mapping[str, Any] = field(default_factory=dict)
    state: LearnerState
    space: Space

    def summary(
        self, *, maximum: "HardMargin | None" = None, reference: "Reference | None" = None, prepare: str = "raw"
    ) -> str:
        """Return the text of ``maxmargin online``.

        Parameters
        ----------
        maximum : HardMargin, optional
            The maximum margin in the user's space, to compare with.
        reference : Reference, optional
            Proven facts on the rows (x, s), to compare with.
        prepare : {"raw", "center", "standardize", "unit"}
            The preparation of the features before the run.
        """
        done = f"prepared: {prepare}; " if prepare != "raw" else ""
        space = f"bias scale {self.space.scale!r}" if self.space.scale else "through the origin"
        lines = [
            f"{self._called()}: {self.stop_reason.phrase}: {self.counts('update', 'mistake', 'epoch')}",
            f"  {done}order {self.settings.order or self.algorithm.default_order}, {space}",
            f"  rows not strictly on their side of what it ended on: {self.n_errors:,}",
        ]
        if self.space.is_kernel:
            lines.append(f"  least geometric margin in the feature space of the kernel: {self.margin!r}")
        else:
            lines += self._margin_lines(maximum, reference, prepare)
        lines += [f"  {name}: {value!r}" for name, value in self.extras.items() if isinstance(value, int | float)]
        lines.append("  guarantees of the theory, on this run")
        lines += [line for guarantee in self.guarantees for line in guarantee.lines]
        return "\n".join(lines if self.space.is_kernel else [*lines, *self.names.plane_lines(self.w, self.b)])

    def _called(self) -> str:
        parameters = asdict(self.algorithm)
        values = ", ".join(f"{name} = {'by the data' if v is None else v}" for name, v in parameters.items())
        return self.algorithm.name + (f" ({values})" if values else "")

    def _margin_lines(self, maximum: "HardMargin | None", reference: "Reference | None", prepare: str) -> list[str]:
        margin = f"  least geometric margin of (w, b): {self.margin!r}"
        if maximum is None:
            return [margin]
        share = self.share_of(maximum)
        lines = [margin + (f", {share} of the maximum" if share else ""), f"  {maximum_text(maximum, prepare)}"]
        if reference is not None and self.space.scale and maximum.w is not None:
            low, high = reference.maximum
            achieved = f"achieved {self.run_margin!r}, maximum g in [{low!r}, {high!r}]"
            lines.append(f"  in the space of the run: {achieved} (proven)")
        return lines

    def share_of(self, maximum: HardMargin) -> str:
        """Return the achieved fraction of the maximum margin, or "" if there is none to compare with."""
        is_known = not self.space.is_kernel and maximum.w is not None and self.margin > 0
        return f"{self.margin / maximum.upper:.1%}" if is_known else ""

    def fields(self, *, known: Mapping[str, Any] = MappingProxyType({}), with_rows: bool = True) -> dict[str, Any]:
        """Return the fields of ``maxmargin online --json``, among them what is known about the data.

        Parameters
        ----------
        known : mapping
            The maximum margins, in the user's space and in that of the run.
        with_rows : bool
            Whether to include the hyperplane and the lists.
        """
        rows = {
            **self._attributes("w", "b"),
            **cut("updates_per_epoch", self.updates_per_epoch),
            **self.names.fields("update_rows", self.update_rows),
            "extras": {name: _cut(value) for name, value in self.extras.items()},
        }
        return {
            "algorithm": self.algorithm.name,
            "parameters": asdict(self.algorithm),
            "order": str(self.settings.order or self.algorithm.default_order),
            **{
                name: getattr(self.settings, name) for name in ("bias_scale", "max_epochs", "max_updates", "time_limit")
            },
            **self._attributes("n_updates", "n_mistakes", "n_epochs", "n_presentations", "converged"),
            "stop_reason": self.stop_reason.value,
            **self._attributes("margin", "run_margin", "n_errors"),
            **known,
            "guarantees": [{**asdict(one), "applies": one.value is not None} for one in self.guarantees],
            **(rows if with_rows else {}),
        }

    def _roles(self) -> tuple[tuple[str, Any], ...]:
        return (("update", self.update_rows),)

    def _card_fields(self) -> dict[str, Any]:
        verdicts = Counter(guarantee.verdict for guarantee in self.guarantees)
        return {
            "updates": self.n_updates,
            "mistakes": self.n_mistakes,
            "epochs": self.n_epochs,
            "rows in error": self.n_errors,
            "margin achieved": rounded_down(self.margin),
            "guarantees": ", ".join(f"{number} {verdict}" for verdict, number in verdicts.items()),
        }

    @property
    def headline(self) -> str:
        """The algorithm, why the run ended, and its counts."""
        return f"{self.algorithm.name}: {self.stop_reason}: {self.counts('update', 'epoch')}"

    def scalar(self, position: int) -> float:
        """Return one of the final scalars of the algorithm."""
        return float(self.state.scalars[position])

    def predict(self, X: Floats) -> Floats:
        """Return the sign predicted for every row: -1, +1, or 0 on the plane."""
        return self.algorithm.predict(self, np.asarray(X, dtype=np.float64))


def maximum_text(maximum: HardMargin, prepare: str) -> str:
    """Return the proven interval of the maximum margin in the user's space, as one line of text."""
    kind = through(maximum.bias)
    of_what = "" if prepare == "raw" else " of the prepared data"
    if maximum.status.is_inseparable:
        return f"{maximum.status.value}{kind}{of_what}, proven: no hyperplane{kind} has a positive margin"
    return f"maximum margin{kind}{of_what}, proven: [{maximum.lower!r}, {maximum.upper!r}]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Algorithm(ABC):
    """An online algorithm. Its parameters are the fields of the subclass, which `parameter` makes.

    Attributes
    ----------
    name, summary, reference : str
        The name of the algorithm, a description in one line, and its source.
    theorems : tuple of Theorem
        The theorems about every run, in the order of `checks`.
    step : Step
    presents : Presents
    default_order : Order
        The order of presentation if the settings do not choose one.
    is_scale_free : bool
        Whether the updates stay the same if all rows are multiplied by a positive constant, so that rows of any size
        can be presented.
    needs_all_rows : bool
        Whether the state or a parameter depends on all rows, so that a run cannot go on with other rows.

    Raises
    ------
    InvalidOptionError
        If a parameter is outside its range.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    reference: ClassVar[str]
    theorems: ClassVar[tuple[Theorem, ...]]
    step: ClassVar[Step]
    presents: ClassVar[Presents] = Presents.ROWS
    default_order: ClassVar[Order] = Order.CYCLIC
    is_scale_free: ClassVar[bool] = False
    needs_all_rows: ClassVar[bool] = False

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if _RANGE in each.metadata and not (value is None and each.default is None):
                _check_range(each.name, value, *each.metadata[_RANGE])

    def space(self, space: Space) -> Space:
        """Return the space in which the algorithm runs, given the space of the rows (x, s)."""
        return space

    def start(self, space: Space) -> LearnerState:
        """Return the state before the first presentation: w, a table of one row and two scalars, all of them 0."""
        n = space.n_columns
        parameters = np.array(self.step_parameters(space), dtype=np.float64)
        return LearnerState(w=np.zeros(n), table=np.zeros((1, n)), scalars=np.zeros(2), parameters=parameters)

    def step_parameters(self, space: Space) -> tuple[float, ...]:
        """Return the parameters of the step: by default the fields, in their order."""
        return tuple(getattr(self, each.name) for each in fields(self))

    def cost(self, space: Space) -> int:
        """Return the approximate number of multiplications of a presentation."""
        return space.n_columns if self.presents is Presents.ROWS else space.X.size

    def is_finished(self, space: Space, state: LearnerState, n_updates: int, is_clean: bool) -> bool:
        """Return whether the run ends after this epoch: by default, when no row asks for an update."""
        return is_clean

    def plane(self, state: LearnerState, n_presentations: int) -> Floats:
        """Return the final hyperplane in the space of the run: by default w."""
        return state.w

    def measure(self, problem: Problem, space: Space, plane: Floats) -> Measured | None:
        """Return the hyperplane in the user's space, with its margins; None if it overflows."""
        return measured(problem, space, plane)

    def extras(self, run: OnlineRun) -> Mapping[str, Any]:
        """Return further results of a run, by name."""
        return {}

    def amplification(self, run: OnlineRun) -> float:
        """Return the factor by which an update of the run magnified rounding errors, beyond sums and products."""
        return 1.0

    def predict(self, run: OnlineRun, X: Floats) -> Floats:
        """Return the sign predicted for every row, 0 on the plane."""
        return np.sign(X @ run.w + run.b)

    @abstractmethod
    def checks(self, run: OnlineRun, reference: Reference) -> Iterator[Check]:
        """Yield, for each theorem, the number that the run achieved and its bound."""

    def guarantees(self, run: OnlineRun, reference: Reference) -> tuple[Guarantee, ...]:
        """Return the theorems applied to this run."""
        checks = zip(self.theorems, self.checks(run, reference), strict=True)
        return tuple(theorem.judge(check) for theorem, check in checks)


def check_novikoff(run: OnlineRun, reference: Reference) -> Check:
    """Return the check of updates <= R^2/g^2."""
    return Check(run.n_updates, where(reference.is_separable, reference.novikoff))


def check_halt(run: OnlineRun, reference: Reference, share: float) -> Check:
    """Return the check of `margin_on_halt`."""
    return Check(run.unit_margin, where(run.converged and reference.is_separable, share * reference.margin))


# Key of the range of a parameter in the metadata of its field.
_RANGE = "range"


def _check_range(name: str, value: Any, low: float, high: float, ends: str) -> None:
    """Raise `InvalidOptionError` unless the value is a number between low and high, or one of the ends allowed."""
    is_number = isinstance(value, int | float | np.integer | np.floating)
    if is_number and (low < value < high or ("[" in ends and value == low) or ("]" in ends and value == high)):
        return
    words = f"{'from' if '[' in ends else 'above'} {low:g}"
    if math.isfinite(high):
        words += f" and {'at most' if ']' in ends else 'below'} {high:g}"
    raise InvalidOptionError(f"{name} is {value!r}; expected a finite number {words}")


def parameter(default: float | None, low: float, high: float = math.inf, *, ends: str = "") -> Any:
    """Return a field for a parameter of an algorithm.

    Parameters
    ----------
    default : float or None
        None if the algorithm derives the number from the rows.
    low, high : float
        The parameter is a finite number between these.
    ends : str
        "[" if low is allowed, "]" if high is allowed, "[]" if both are; by default neither is.
    """
    return field(default=default, metadata={_RANGE: (low, high, ends)})
