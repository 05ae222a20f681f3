"""Answers as people read them: names of rows and columns, fields of JSON, lines of text, and cards for notebooks.

A sentence is about the hyperplanes w.x + b = 0, or without a bias about those through the origin alone. Then "every
hyperplane", "the hulls" and "the estimate" refer to hyperplanes through the origin, to the hull of the y x and to
models without an intercept, and may be false of others: {10: -, 12: +} overlaps through the origin, and x = 11
separates it. Such sentences are made from `bias`; None stands for a phrase that is true of both.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from enum import Enum
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.solvers.answers.cards import card
from maxmargin.solvers.answers.factors import Factor
from maxmargin.solvers.basics.printable import printable
from maxmargin.solvers.errors import InvalidOptionError

# Largest number of entries of a list in JSON; `<name>_count` gives its whole length.
LONGEST_LIST = 1000

# End of a line of text that does not list all names.
LISTED_ELSEWHERE = "{more:,} more (--json and to_frame() list them)"

# Largest number of entries of a list that a cell shows.
_MOST_ENTRIES = 10

# Largest number of characters of a text that a cell shows.
_MOST_CHARACTERS = 200

# Largest number of fields that a card shows before it is opened, where its result does not choose them.
_MOST_KEY_NUMBERS = 6

# Largest number of weights of a hyperplane that a text lists, one on each line.
_MOST_WEIGHTS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Names:
    """The names of the rows and the columns of a problem.

    Attributes
    ----------
    positions : ndarray of int, optional
        The position of each row in the source, from 0, if rows were left out.
    ids : sequence, optional
        The names of the rows: the labels of an index, or the texts of a column.
    columns : sequence of str, optional
        The names of the columns.
    label : str, optional
        The name of the labels.
    notes : tuple of str
        What was done to rows and columns before: which were left out, and how categories are coded.
    factors : tuple of Factor
        The categorical variables among the columns.
    frame : callable, optional
        The function that makes a data frame of columns, given as a dict of sequences by name, and of the labels of the
        rows as `index`, if there are any.
    """

    positions: NDArray[Any] | None = None
    ids: Sequence[Any] | None = None
    columns: Sequence[str] | None = None
    label: str | None = None
    notes: tuple[str, ...] = ()
    factors: tuple[Factor, ...] = ()
    frame: Callable[..., Any] | None = None

    def numbers(self, rows: Any) -> Any:
        """Return the positions of rows in the source; None if there are no rows."""
        return rows if rows is None or self.positions is None else self.positions[rows]

    def rows_line(self, title: str, rows: NDArray[Any], *, most: int = 20, rest: str = LISTED_ELSEWHERE) -> str:
        """Return a line with the names of rows, or with their positions, as `some` lists them."""
        if self.ids is None:
            return f"  {title} (from 0): {some(self.numbers(rows).tolist(), most, rest)}"
        return f"  {title}: {some([self.ids[row] for row in rows.tolist()], most, rest)}"

    def fields(self, name: str, rows: Any) -> dict[str, Any]:
        """Return the rows as a list of positions, and as ``<name>_ids``, None unless they have names."""
        fields = {**cut(name, self.numbers(rows)), f"{name}_ids": None}
        if self.ids is not None and rows is not None:
            fields[f"{name}_ids"] = [_as_json(self.ids[row]) for row in rows[:LONGEST_LIST].tolist()]
        return fields

    def plane_lines(self, w: Any, b: float) -> list[str]:
        """Return w and b as lines, with the names of the columns of w."""
        columns = range(len(w)) if self.columns is None else self.columns
        weights = [f"    {printable(name)}: {weight!r}" for name, weight in zip(columns, w.tolist(), strict=True)]
        more = len(weights) - _MOST_WEIGHTS
        rest = [f"    ... {more} more (--json lists all)"] if more > 0 else []
        return ["  w", *weights[:_MOST_WEIGHTS], *rest, f"  b {b!r}"]


# Name of the bias among the columns.
INTERCEPT = "(Intercept)"

# Rows and columns go by their numbers.
NO_NAMES = Names()


def cut(name: str, values: Any) -> dict[str, Any]:
    """Return at most the first thousand values, and their number as ``<name>_count``; None for both without values."""
    if values is None:
        return {name: None, f"{name}_count": None}
    return {name: list(values[:LONGEST_LIST]), f"{name}_count": len(values)}


def plain(value: Any) -> Any:
    """Return the value in Python's own types, with None for numbers that JSON lacks.

    Examples
    --------
    >>> plain({"gap": float("inf"), "support": (0, 2)})
    {'gap': None, 'support': [0, 2]}
    """
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(entry) for entry in value]
    return value


def _as_json(label: Any) -> Any:
    """Return the label of a row as JSON holds it: dates and other objects by their text."""
    return label if isinstance(label, str | int) else str(label)


class Result:
    """A result that can be shown on one line, as text and in a notebook."""

    __slots__ = ()

    @property
    @abstractmethod
    def headline(self) -> str:
        """The result on one line, without names from the data."""

    @abstractmethod
    def summary(self) -> str:
        """Return the text that the command line prints of the result."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the result in Python's own types, which JSON holds."""

    def _attributes(self, *names: str) -> dict[str, Any]:
        """Return these attributes by their names."""
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.headline}>"

    def _repr_html_(self) -> str:
        """Return the result as a small card for notebooks."""
        rest = card_pairs(plain(self._table_fields()))
        texts = ((name, _key_number(value)) for name, value in self._card_fields().items())
        numbers = [(name, text) for name, text in texts if text]
        return card(type(self).__name__, self.headline, numbers or rest[:_MOST_KEY_NUMBERS], rest)

    def _card_fields(self) -> dict[str, Any]:
        """Return the key numbers of the card with their labels; by default its first fields are shown.

        Proven ends are rounded outwards, as `rounded_up` does.
        """
        return {}

    def _table_fields(self) -> dict[str, Any]:
        """Return all fields of the card; classes whose fields take long to find leave those out."""
        return self.to_dict()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Named:
    """The names that belong to an answer.

    Attributes
    ----------
    positive : label or None
        The class that is +1; None if the labels were signs, or if there are more than two classes.
    positive_reason : str or None
        Why it is that class.
    negative : label or None
        The class that is -1; ``"rest"`` for several.
    names : Names
        What the rows and the columns are called.
    """

    positive: Any = None
    positive_reason: str | None = None
    negative: Any = None
    names: Names = NO_NAMES


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class NamedAnswer(Named, Result):
    """An answer about two classes.

    Two answers are equal if they are the same object: arrays have no single truth value.
    """

    @abstractmethod
    def fields(self) -> dict[str, Any]:
        """Return the fields that the command line prints as JSON, without those that describe the data."""

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of the JSON that the command line prints, in Python's own types.

        Lists have at most 1,000 entries, with their whole length as ``<name>_count``; rows are numbered from 0, and
        None stands for infinity and for numbers that are not known.
        """
        result: dict[str, Any] = plain(self.fields())
        return result

    def to_frame(self, of: str = "rows") -> Any:
        """Return the rows or the columns that the answer speaks of, as a data frame.

        Parameters
        ----------
        of : {"rows", "columns"}, default "rows"
            "rows": the rows that play a role, with their position in the source from 0, their id (the label of the
            index, the text of the id column, else the position), and the role. "columns": the columns by name, with
            what the answer says of each.

        Returns
        -------
        data frame
            Of the library whose data frame the question was about; otherwise of pandas, Polars or Arrow, whichever is
            installed first.

        Raises
        ------
        InvalidOptionError
            If `of` is something else, or the answer is of a solver, not of a verb.

        Notes
        -----
        The roles of a verdict (`Separability`): "separated", strictly on its side of some hyperplane without a row on
        the wrong side; "touching", on every such hyperplane; with more than two classes "partly separated", a row that
        can be strictly separated from some classes, but not from all others. An undecided answer has at most "witness":
        a row of the proof that the classes are not strictly separable. (Of a decided one, `witness_rows` has these.)

        Those of other answers: "support", a row with a positive weight in the proof of the upper end of the maximum
        margin, or a positive multiplier; in a soft margin also "slack" and "error", with a slack above 0 and with
        y(w.x + b) <= 0, where a row has the last one that applies; "error" of a hyperplane; "mistake" and "update" of
        a run.
        """
        tables = {"rows": self._rows_table, "columns": self._columns_table}
        if of not in tables:
            raise InvalidOptionError(f"to_frame is asked for {of!r}; expected 'rows' or 'columns'")
        if self.names.frame is None:
            raise InvalidOptionError("only answers of verbs, such as maxmargin.separability, make data frames")
        return self.names.frame(tables[of]())

    def _rows_table(self) -> dict[str, Any]:
        role_of = {row: role for role, rows in self._roles() for row in np.unique(rows).tolist()}
        rows = np.array(sorted(role_of), dtype=np.int64)
        positions = self.names.numbers(rows).tolist()
        ids = positions if self.names.ids is None else [self.names.ids[row] for row in rows.tolist()]
        return {"position": positions, "id": ids, "role": [role_of[row] for row in rows.tolist()]}

    def _roles(self) -> Sequence[tuple[str, Any]]:
        """Return the roles and the rows that play each; a row has the last role that names it."""
        return ()

    def _columns_table(self) -> dict[str, Any]:
        w, b = getattr(self, "w", None), getattr(self, "b", None)
        names = range(0 if w is None else len(w)) if self.names.columns is None else self.names.columns
        if w is None:
            return {"name": [], "weight": []}
        return {"name": [*map(str, names), INTERCEPT], "weight": [*w.tolist(), b]}


def card_pairs(fields: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return the fields that fit in a line as texts.

    Examples
    --------
    >>> card_pairs({"w": [1.0, 2.0], "reason": "", "converged": True})
    [('w', '1.0, 2.0'), ('converged', 'True')]
    """
    cells = ((name, _cell(value)) for name, value in fields.items())
    return [(name, text) for name, text in cells if text]


def _key_number(value: Any) -> str:
    """Return a key number of a card, rounded to six digits; nothing for None."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:.6g}" if math.isfinite(value) else {math.inf: "∞", -math.inf: "-∞"}.get(value, "")
    return _cell(value)


def _cell(value: Any) -> str:
    """Return a value in Python's own types as one line; an empty text for None and for nested values."""
    if isinstance(value, dict):
        value = [entry if isinstance(entry, (dict, list)) else f"{name}: {entry}" for name, entry in value.items()]
    if isinstance(value, list):
        is_flat = not any(isinstance(entry, (dict, list)) for entry in value)
        return some(value, _MOST_ENTRIES, "").rstrip() if is_flat else ""
    text = "" if value is None else str(value)
    return text if len(text) <= _MOST_CHARACTERS else f"{text[:_MOST_CHARACTERS]}..."


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, in the plural unless it is 1.

    Examples
    --------
    >>> counted(1, "mistake"), counted(2000, "mistake")
    ('1 mistake', '2,000 mistakes')
    """
    return f"{number:,} {noun}{'s' * (number != 1)}"


def rounded_up(value: float, digits: int = 6) -> float:
    """Return the value rounded up to this number of significant digits, as a proven upper end is shown.

    Examples
    --------
    >>> rounded_up(8.9722213), rounded_up(144.0), rounded_up(-0.12345678)
    (8.97223, 144.0, -0.123456)
    """
    if not math.isfinite(value):
        return value
    return float(Context(prec=digits, rounding=ROUND_CEILING).create_decimal_from_float(value))


def rounded_down(value: float, digits: int = 6) -> float:
    """Return the value rounded down to this number of significant digits, as a proven lower end is shown.

    Examples
    --------
    >>> rounded_down(8.9722219), rounded_down(-0.1234561)
    (8.97222, -0.123457)
    """
    return -rounded_up(-value, digits)


def some(values: Sequence[object], most: int, rest: str) -> str:
    """Return the first values on one line; `rest` says how many there are of a longer list.

    Examples
    --------
    >>> some([0, 1], 2, "({n} in all)"), some([0, 1, 2], 2, "({n} in all)"), some([0, 1, 2], 2, "{more} more")
    ('0, 1', '0, 1, ... (3 in all)', '0, 1, ... 1 more')
    """
    first = ", ".join(map(printable, values[:most]))
    n = len(values)
    return first if n <= most else f"{first}, ... {rest.format(n=n, more=n - most)}"


def through(bias: bool | None) -> str:
    """Return " through the origin" if there is no bias, to follow a noun; else nothing."""
    return {True: "", False: " through the origin", None: " of the kind asked about"}[bias]


def without_intercepts(bias: bool) -> str:
    """Return " without intercepts" if there is no bias, to follow the scores of several classes; else nothing."""
    return "" if bias else " without intercepts"


def intercept(bias: bool) -> str:
    """Return " with an intercept" or " without an intercept", to follow the name of a model."""
    return " with an intercept" if bias else " without an intercept"
