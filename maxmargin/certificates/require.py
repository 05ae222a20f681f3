"""Checks for scripts, which continue only if a verdict about the data is proven."""

from functools import partial
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from maxmargin.explaining.separability_answer import Separability
from maxmargin.solvers.answers.answer_text import some
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.option_values import check_choice
from maxmargin.solvers.basics.printable import printable

Requirement = Literal["separable", "quasi-separable", "overlap", "not-strictly-separable"]

# Largest number of columns that a message names.
_MOST_NAMED = 6

REQUIREMENTS = ("separable", "quasi-separable", "overlap", "not-strictly-separable")


class SeparationError(ValueError):
    """The data are not proven to be as required.

    Parameters
    ----------
    requirement : str
        The verdict that was required.
    answer : Separability
        The answer, which is another one or undecided.
    about : str, optional
        What the answer is about, where that is a part of the data.
    positions : ndarray of int, optional
        The positions of the answer's rows in the data, where that is a part of them.
    advice : str, optional
        What the verdict means for the caller, and what to do.

    Attributes
    ----------
    requirement : str
        The verdict that was required.
    answer : Separability
        The answer, which is another one or undecided.
    verdict : Verdict
        The verdict of the answer; `undecided` if nothing is proven.
    rows : ndarray of int
        The rows responsible: the strictly separated ones if overlap was required, otherwise rows whose hulls share a
        point.
    columns : dict
        The columns responsible if overlap was required: infinite logistic coefficients, with their sign.
    certificate : Certificate or None
        The proof of the verdict.

    See Also
    --------
    maxmargin.require : Raise it unless a verdict is proven.

    Examples
    --------
    >>> import maxmargin as mm
    >>> try:
    ...     mm.require([[1.0], [2.0]], ["no", "yes"], "overlap")
    ... except mm.SeparationError as error:
    ...     print(error.requirement, error.verdict.value, error.rows.tolist())
    overlap separable [0, 1]
    """

    def __init__(
        self,
        requirement: str,
        answer: Separability,
        *,
        about: str = "",
        positions: NDArray[np.int64] | None = None,
        advice: str = "",
    ) -> None:
        self.requirement, self.answer = requirement, answer
        self.about, self.positions, self.advice = about, positions, advice
        self.verdict, self.certificate = answer.verdict, answer.certificate
        what = f"{about}: " if about else ""
        found = f"required {requirement}, found {answer.verdict}{self._terms}: {answer.reason_alone}"
        super().__init__(printable(f"{what}{advice} ({found})" if advice else f"{what}{found}"))

    @property
    def _terms(self) -> str:
        """The columns responsible, as text after the verdict; empty if finding them could take long."""
        if self.verdict is Verdict.UNDECIDED or not self.answer.has_cheap_columns or not self.columns:
            return ""
        signed = [f"{name} ({sign})" for name, sign in self.columns.items()]
        return f", with infinite coefficients {some(signed, _MOST_NAMED, '{more:,} more')}"

    def __reduce__(self) -> tuple[Any, ...]:
        of_part = partial(SeparationError, about=self.about, positions=self.positions, advice=self.advice)
        return of_part, (self.requirement, self.answer)

    @property
    def rows(self) -> NDArray[np.int64]:
        """The rows responsible."""
        rows = self.answer.separated_rows if self.requirement == "overlap" else self.answer.witness_rows
        if rows is None:
            return np.empty(0, dtype=np.int64)
        return rows if self.positions is None else self.positions[rows]

    @property
    def columns(self) -> dict[str | int, str]:
        """The columns responsible where overlap was required."""
        return (self.answer.infinite_columns or {}) if self.requirement == "overlap" else {}


def holds(answer: Separability, requirement: str) -> bool | None:
    """Return whether the requirement is proven to hold (True), proven not to hold (False), or neither (None).

    Raises
    ------
    InvalidOptionError
        If there is no such requirement.

    Examples
    --------
    >>> import maxmargin as mm
    >>> answer = mm.separability([[1.0], [2.0]], ["a", "b"])
    >>> holds(answer, "separable"), holds(answer, "overlap")
    (True, False)
    """
    check_choice("requirement", requirement, REQUIREMENTS)
    strictly = answer.strictly_separable
    if requirement == "separable" or strictly is None:
        return strictly
    if requirement == "not-strictly-separable":
        return not strictly
    return None if answer.verdict is Verdict.UNDECIDED else answer.verdict.value == requirement


def require(
    X: Any,
    y: Any = None,
    requirement: Requirement = "overlap",
    *,
    bias: bool | None = None,
    positive: object = None,
    time_limit: float | None = None,
    verbose: bool = False,
    exact_limit: int | None = None,
) -> Separability:
    """Return the proven answer if the data are as required; raise an error otherwise.

    A script that goes on to fit a logistic regression requires "overlap": then, and only then, the maximum-likelihood
    estimate exists [1]_.

    Parameters
    ----------
    X : array_like, SciPy sparse array, data frame or Dataset, of shape (n_samples, n_features)
        Real, finite numbers, as in `maxmargin.separability`.
    y : array_like of shape (n_samples,), or str, optional
        Labels of at least two classes, the name of their column or a formula, as in `maxmargin.separability`. A Dataset
        has its own; its call is ``require(dataset, requirement="overlap")``.
    requirement : {"overlap", "separable", "quasi-separable", "not-strictly-separable"}, default "overlap"
        The verdict that has to be proven; "not-strictly-separable" means quasi-separable or overlap.
    bias : bool, optional
        If False, only hyperplanes through the origin are considered, and the logistic regression has no intercept. The
        default is True, or what a formula says.
    positive : label, optional
        The label that is +1, against all others.
    time_limit : float, optional
        Seconds after which the search ends. There is no limit by default.
    verbose : bool, default False
        Whether stderr shows how the work goes on, as on the command line.
    exact_limit : int, optional
        Largest number of columns, including the bias, for which linear systems are solved exactly. The default is 1000.

    Returns
    -------
    Separability
        The answer, whose verdict is as required.

    Raises
    ------
    SeparationError
        If it is proven that the requirement does not hold, or nothing is proven.
    InvalidOptionError
        If there is no such requirement; nothing is computed then.
    InvalidProblemError
        If the data are not finite numbers with at least two classes.

    See Also
    --------
    maxmargin.separability : Return the verdict, whatever it is.

    References
    ----------
    .. [1] A. Albert and J. A. Anderson, "On the existence of maximum likelihood estimates in logistic regression
       models", Biometrika 71 (1984), 1-10.

    Examples
    --------
    >>> X, y = [[1.0], [2.0], [2.0], [4.0]], ["no", "no", "yes", "yes"]
    >>> try:
    ...     require(X, y, "overlap")
    ... except SeparationError as error:
    ...     print(error.verdict.value, error.rows.tolist(), error.columns)
    quasi-separable [0, 3] {'(Intercept)': '-', 0: '+'}
    """
    from maxmargin.api.deciding import separability

    check_choice("requirement", requirement, REQUIREMENTS)
    answer = separability(
        X, y, bias=bias, positive=positive, time_limit=time_limit, verbose=verbose, exact_limit=exact_limit
    )
    if not holds(answer, requirement):
        raise SeparationError(requirement, answer)
    return answer
