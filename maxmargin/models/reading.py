"""The reading of a fitted model: the rows of its question, its names, and its claims."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.basics.array_types import Mask, Rows
from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.solvers.proof.likelihood import Likelihood, signed


class UnansweredError(Exception):
    """The question of a model cannot be decided here; the text is the reason."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class LabelledRows:
    """Labelled rows, and so the cone of the directions v with z.v >= 0 for every row z.

    Attributes
    ----------
    rows : ndarray of shape (n_rows, n_columns), of floats or with some fractions, or SciPy sparse array
        z = label * row for labels -1 and +1; other labels are numbers of classes, as in multinomial models.
    labels : ndarray of shape (n_rows,)
        Signs, or the numbers 0, 1, ... of the classes.
    positions : ndarray of shape (n_rows,) or (n_rows, 2)
        The row of the model's data from which each row follows, numbered from 0; for a difference the two rows.
    sides : tuple of str, optional
        The values of the response where the sign is + and where it is -, if rows are rows of the model's data.
    likelihood : Likelihood, optional
        The likelihood whose inequalities the rows are.
    """

    rows: Any
    labels: NDArray[np.int64]
    positions: Rows
    sides: tuple[str, str] | None = None
    likelihood: Likelihood | None = None

    def sources(self, rows: Rows) -> Rows:
        """Return the rows of the model's data from which some of the rows follow, each once and in order."""
        return np.unique(self.positions[rows]) if self.likelihood is None else self.likelihood.sources(rows)

    @classmethod
    def of_likelihood(cls, likelihood: Likelihood) -> "LabelledRows":
        """Return the inequalities of a likelihood.

        Raises
        ------
        UnansweredError
            If there is none, or there are too many.
        """
        try:
            rows, labels = likelihood.signed_rows()
        except InvalidProblemError as error:
            raise UnansweredError(str(error)) from error
        positions = np.resize(likelihood.places, (len(labels), likelihood.places.shape[1]))  # twice if it is only one
        positions = positions[:, 0] if positions.shape[1] == 1 else positions
        return cls(rows=rows, labels=labels, positions=positions, likelihood=likelihood)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ModelReading:
    """A fitted model as `check_model` asks about it.

    Attributes
    ----------
    model_name : str
        The package and the class.
    kind : str
        The kind of model in words.
    event : str
        The coding of its response, in a sentence without a full stop.
    questions : dict of str to LabelledRows
        By the name of the part; a single question has the name "". Nothing can be asked if it is empty.
    names : tuple of str
        The names of the columns, all different.
    row_names : sequence, optional
        Names of the rows of the model's data: the labels of their index, or their positions in the data from which the
        model left rows out; None if they are 0, 1, ....
    strata : list, optional
        The stratum of every row of the model's data.
    label : str, optional
        The name of the response, if the rows of the questions are rows of the model's data.
    bias : bool
        Whether the model has an intercept that is no column of the rows.
    class_names : tuple of str, optional
        The names of the classes of a multinomial model, the reference first.
    estimates, standard_errors : dict of str to float
        The values that the model printed, by the name of the coefficient.
    computed : frozenset of str
        The names in `estimates` of values that were not printed, but computed from printed ones.
    is_fitted : bool
        Whether it has been fitted.
    claimed_converged : bool or None
        Whether it says that it converged; None if it does not say.
    has_likelihood : bool
        Whether the model is one whose estimate exists if, and only if, the rows overlap.
    is_penalised : bool
        Whether a penalty or another criterion keeps its coefficients finite.
    made_by : tuple of str
        The steps of a pipeline that made the columns.
    unpenalised : tuple of int or None
        The columns without a penalty, if the others have one; None if that is not known.
    notes : tuple of str
        Remarks, each a sentence without a full stop.
    reason : str
        Why nothing can be asked.
    """

    model_name: str
    kind: str
    event: str = ""
    questions: dict[str, LabelledRows] = field(default_factory=dict)
    names: tuple[str, ...] = ()
    row_names: Sequence[Any] | None = None
    strata: list[Any] | None = None
    label: str | None = None
    bias: bool = False
    class_names: tuple[str, ...] | None = None
    estimates: dict[str, float] = field(default_factory=dict)
    computed: frozenset[str] = frozenset()
    standard_errors: dict[str, float] = field(default_factory=dict)
    is_fitted: bool = True
    claimed_converged: bool | None = None
    has_likelihood: bool = True
    is_penalised: bool = False
    made_by: tuple[str, ...] = ()
    unpenalised: tuple[int, ...] | None = None
    notes: tuple[str, ...] = ()
    reason: str = ""


def labelled_rows(
    rows: Any, positive: Mask, negative: Mask, positions: Rows | None = None, sides: tuple[str, str] | None = None
) -> LabelledRows:
    """Return the question with x for the positive rows and -x for the negative ones; rows that are both are equalities.

    Labels of both signs are needed to state it: if all rows have one sign, the first is written as its opposite, and a
    single row is written both ways. The positions are those of the given rows in the model's data, by default their
    own.

    Raises
    ------
    UnansweredError
        If no row is left.

    Examples
    --------
    >>> found = labelled_rows(np.array([[1.0], [2.0]]), np.array([True, False]), np.array([True, True]))
    >>> found.rows.tolist(), found.labels.tolist()
    ([[1.0], [1.0], [2.0]], [1, -1, -1])
    >>> found = labelled_rows(np.array([[1.0], [2.0]]), np.array([True, True]), np.array([False, False]))
    >>> found.rows.tolist(), found.labels.tolist()
    ([[-1.0], [2.0]], [-1, 1])
    """
    taken = np.repeat(np.arange(len(positive)), positive.astype(np.int64) + negative)
    if not taken.size:
        why = "none has a weight, or no two can be compared"
        raise UnansweredError(f"no row says anything about the coefficients: {why}")
    # A row that is positive and negative stands twice in a row: first with the label +1, then with -1.
    is_second = np.r_[False, taken[1:] == taken[:-1]]
    labels = np.where(positive[taken] & ~is_second, 1, -1)
    is_whole = len(taken) == rows.shape[0] and not is_second.any()
    rows, signs = signed(rows if is_whole else rows[taken], labels)
    taken, sides = np.resize(taken, len(signs)), sides if np.array_equal(signs, labels) else None
    positions = taken if positions is None else positions[taken]
    return LabelledRows(rows=rows, labels=signs, positions=positions, sides=sides)


def all_different(names: Sequence[object]) -> tuple[str, ...]:
    """Return the names as texts; those that occur twice get their position.

    Examples
    --------
    >>> all_different(["x", "z", "x"])
    ('x (column 0)', 'z', 'x (column 2)')
    """
    texts = [str(name) for name in names]
    return tuple(text if texts.count(text) == 1 else f"{text} (column {i})" for i, text in enumerate(texts))
