"""The soft-margin SVM with a free bias; its objective is a proven interval."""

from collections.abc import Iterable, Iterator
from typing import Any

from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.basics.option_values import check_choice
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.exact.reals import binary64, short_repr
from maxmargin.solvers.problem.candidate import Asked
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.soft_margin.soft_bracket import BRACKETS, SoftBracket, WeightedRows
from maxmargin.solvers.soft_margin.soft_engines import METHODS, SQUARED_METHODS, candidates, check_options
from maxmargin.solvers.soft_margin.soft_solution import SoftMargin


def soft_margin(
    problem: Problem,
    C: float = 1.0,
    *,
    loss: str = "hinge",
    sample_weight: Any = None,
    method: str = "auto",
    solver: Asked = None,
    time_limit: float | None = None,
) -> SoftMargin:
    """Solve min 1/2 ||w||^2 + C sum v_i xi_i subject to y_i (w.x_i + b) >= 1 - xi_i, xi_i >= 0.

    The bias is not penalised. C is LIBSVM's and scikit-learn's; with the objective ||w||^2 + c sum xi it is c/2, with
    lambda ||w||^2 + sum hinge it is 1/(2 lambda).

    Parameters
    ----------
    problem : Problem
    C : float
        Cost of a unit of slack, positive and finite.
    loss : {"hinge", "squared_hinge"}
        Whether a slack costs C v_i xi_i, or C v_i xi_i^2. For the latter "auto" asks Newton's method ("newton"), the
        hard margin and cvxpy.
    sample_weight : array_like (n_samples,), optional
        The v_i >= 0, finite, or `RowWeights`; by default 1. The interval holds for the exact products C v_i; rows of
        weight 0 have no influence.
    method : {"auto", "textbook", "cvxpy", "working-set", "interior-point", "dual-coordinate"}
        "cvxpy": the textbook program. "working-set": for many rows, a few passes and a program of those next to the
        margin. "interior-point": an iteration costs a weighted Gram matrix of the fewer of rows and columns.
        "dual-coordinate": for many of both, sparse. "auto": one of these by size and shape, and others in turn while
        the interval is not narrow. "textbook": likewise, but small data are handed to cvxpy in any case.
    solver : str or Solver, optional
        The only cvxpy solver to ask; by default Clarabel, then the hard margin, then OSQP until the interval is
        narrow.
    time_limit : float, optional
        Seconds after which the work stops; the answer is then the interval proven so far, with the status `limit`. The
        time is checked between the steps of the engines.

    Raises
    ------
    InvalidProblemError
        If C is not a positive finite number, or the weights are not one such number or 0 a row, with both classes left.
    InvalidOptionError
        If the method is unknown, or the solver is not installed or solves no such programs.

    Examples
    --------
    >>> solution = soft_margin(Problem.validated([[-1.0], [1.0]], [-1, 1]), C=10.0)
    >>> solution.status.value, round(solution.objective, 6)
    ('optimal', 0.5)
    """
    return soft_margin_path(
        problem, (C,), loss=loss, sample_weight=sample_weight, method=method, solver=solver, time_limit=time_limit
    )[0]


def soft_margin_path(problem: Problem, Cs: Iterable[float], **options: Any) -> tuple[SoftMargin, ...]:
    """Return the soft margin for every C, in the order given; the options are those of `soft_margin`.

    The C are solved in increasing order. Above the largest multiplier of the hard margin, if there is one, every answer
    is the hard margin: once no row has slack, an answer is the first candidate for the next C. The time limit applies
    to the whole path.

    Examples
    --------
    >>> problem = Problem.validated([[-1.0], [1.0]], [-1, 1])
    >>> [round(solution.objective, 6) for solution in soft_margin_path(problem, [0.125, 1.0, 1e6])]
    [0.21875, 0.5, 0.5]
    """
    costs = checked_costs(Cs)
    answers = {answer.C: answer for answer in rising_soft_margins(problem, costs, **options)}
    return tuple(answers[C] for C in costs)


def rising_soft_margins(
    problem: Problem,
    Cs: Iterable[float],
    *,
    loss: str = "hinge",
    sample_weight: Any = None,
    method: str = "auto",
    solver: Asked = None,
    time_limit: float | None = None,
) -> Iterator[SoftMargin]:
    """Yield the answers of `soft_margin_path` one at a time, for each C once and in increasing order.

    With many rows a few answers may fill the memory. Ctrl-C ends the work on a C with the interval proven so far; a
    request for the next answer then raises KeyboardInterrupt.

    Examples
    --------
    >>> problem = Problem.validated([[-1.0], [1.0]], [-1, 1])
    >>> [solution.C for solution in rising_soft_margins(problem, [1.0, 0.125, 1.0])]
    [0.125, 1.0]
    """
    check_choice("loss", loss, BRACKETS)
    check_options(problem, METHODS if loss == "hinge" else SQUARED_METHODS, method, solver)
    rows, limits = WeightedRows.of(problem, sample_weight), Limits(time_limit=time_limit)
    best: SoftBracket | None = None
    for C in sorted(set(checked_costs(Cs))):
        if best is not None and best.reason() == WHAT_WAS_PROVEN:
            raise KeyboardInterrupt
        best = BRACKETS[loss].of(rows, C, best, limits)
        best.improve(candidates(best, method, solver, limits))
        best.before = None
        yield best.solution()


def checked_costs(Cs: Any) -> list[float]:
    """Return the C as floats, or raise an InvalidProblemError if one is not a positive finite number."""
    if not isinstance(Cs, Iterable):
        raise InvalidProblemError(f"Cs is {short_repr(Cs)}; expected positive finite numbers")
    costs = []
    for C in Cs:
        cost = binary64(C)
        if cost is None or cost <= 0:
            raise InvalidProblemError(f"C is {short_repr(C)}; expected a positive finite number that binary64 holds")
        costs.append(cost)
    return costs
