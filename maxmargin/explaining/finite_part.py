"""The part of the data that is left to estimate where some terms of a logistic regression are infinite."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from maxmargin.explaining.terms import called
from maxmargin.solvers.answers.answer_text import INTERCEPT, Names, counted
from maxmargin.solvers.basics.array_types import Rows
from maxmargin.solvers.basics.printable import printable
from maxmargin.solvers.separability.proven_verdict import ProvenVerdict


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FinitePart:
    """The rows and columns on which the finite part of the maximum-likelihood estimate is fitted.

    The likelihood approaches its supremum where the strictly separated rows have probability 1, so they say nothing
    about the rest. The other rows overlap, so that their maximum-likelihood estimate exists. For the terms that stay
    finite it is the limit, and its standard errors are those of the model [1]_.

    Attributes
    ----------
    X : ndarray of shape (n_rows, n_columns)
        The rows that touch every hyperplane, in the columns that are linearly independent there; without the intercept.
    y : ndarray of int, of shape (n_rows,)
        1 for the event, the class +1, and 0 for the other.
    rows : ndarray of int
        The positions of the rows in the data that were asked about.
    columns : tuple of str or int
        The names of the columns, or their positions.
    left_out : tuple of str or int
        The columns that are constant or depend linearly on those before them in these rows.
    has_intercept : bool
        Whether the model of this part has an intercept; `X` has no column for it.
    infinite : tuple of str or int, or None
        The terms of this part that are infinite or not determined in the whole model. Their coefficients here are
        finite and mean something else: if the reference level of a factor is separated, contrasts with another level.
        None if it is not known which terms are infinite.
    names : Names
        What these rows and columns are called.

    References
    ----------
    .. [1] C. J. Geyer, "Likelihood inference in exponential families and directions of recession", Electronic Journal
       of Statistics 3 (2009), 259-289.

    Examples
    --------
    >>> import maxmargin as mm
    >>> age, is_stage_iv = [30, 40, 50, 60, 45, 55], [0, 0, 0, 0, 1, 1]
    >>> answer = mm.separability(list(zip(age, is_stage_iv)), ["no", "yes", "no", "yes", "yes", "yes"])
    >>> part = answer.finite_part()
    >>> part.X.tolist(), part.y.tolist(), part.columns, part.left_out, part.has_intercept
    ([[30.0], [40.0], [50.0], [60.0]], [0, 1, 0, 1], (0,), (1,), True)

    With statsmodels, which adds no intercept itself:

    >>> import statsmodels.api as sm  # doctest: +SKIP
    >>> fit = sm.Logit(part.y, sm.add_constant(part.X)).fit()  # doctest: +SKIP
    """

    X: Any
    y: Any
    rows: Rows
    columns: tuple[str | int, ...]
    left_out: tuple[str | int, ...]
    has_intercept: bool
    infinite: tuple[str | int, ...] | None
    names: Names

    def to_frame(self) -> Any:
        """Return the part as a data frame with the labels, 0 and 1, as its last column.

        Its index, in a library that has one, holds the labels of the rows in the data that were asked about, or their
        positions.
        """
        columns, label = {str(name): self.X[:, j] for j, name in enumerate(self.columns)}, self.names.label or "y"
        while label in columns:
            label = f"{label}_"
        assert self.names.frame is not None  # answers of verbs have one
        index = self.names.positions.tolist() if self.names.ids is None else self.names.ids  # type: ignore[union-attr]
        return self.names.frame({**columns, label: self.y}, index=index)

    def __repr__(self) -> str:
        model = " and an intercept" if self.has_intercept else ""
        rows = counted(len(self.rows), "row")
        return f"<FinitePart {rows}, {counted(len(self.columns), 'column')}{model}>"


def finite_part_of(answer: ProvenVerdict) -> FinitePart:
    """Return the rows and columns that remain; the answer is about two classes and has its rows."""
    assert answer.details is not None and answer.touching_rows is not None
    intercept, kept = answer.n_features, answer.remaining_columns or ()
    columns = [column for column in kept if column != intercept]
    problem = answer.details.samples
    rows, names = answer.touching_rows, answer.names
    name = (lambda j: j) if names.columns is None else names.columns.__getitem__
    return FinitePart(
        X=problem.dense_rows(rows)[:, columns],
        y=(np.asarray(problem.y)[rows] > 0).astype(np.int64),  # type: ignore[union-attr]
        rows=rows,
        columns=tuple(map(name, columns)),
        left_out=tuple(name(j) for j in range(answer.n_features) if j not in kept),
        has_intercept=intercept in kept,
        infinite=None
        if answer.columns is None
        else tuple(INTERCEPT if j == intercept else name(j) for j in kept if j in answer.columns.infinite),
        names=replace(
            names,
            positions=names.numbers(rows),
            ids=None if names.ids is None else [names.ids[row] for row in rows.tolist()],
            columns=None if names.columns is None else tuple(names.columns[j] for j in columns),
        ),
    )


def other_meaning(answer: ProvenVerdict) -> list[str]:
    """Return the names of the terms of the finite part that are infinite or not determined in the whole model."""
    assert answer.columns is not None
    kept = [column for column in answer.remaining_columns or () if column in answer.columns.infinite]
    return [printable(called(answer, column)) for column in kept]
