"""What texts in columns mean: levels, coded as columns of 0 and 1 as a regression model would, or missing values."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from maxmargin.data.batches import Choice, Column, Roles, Table
from maxmargin.data.labels import CodedLabels
from maxmargin.data.numbers.numerals import Texts, numbers_or_booleans
from maxmargin.data.reading.refusals import FEW_ROWS, text_fault
from maxmargin.solvers.answers.answer_text import counted
from maxmargin.solvers.answers.factors import Factor
from maxmargin.solvers.errors import option
from maxmargin.text.data_error import DataError, listed, quoted

# A text column with more different texts than this is not coded.
MOST_LEVELS = 1000

# Largest share of rows with a text of their own for which a column is coded without being named.
#
# Such a row has a column of 0 and 1, and so a weight, of its own: it is put right whatever its class is.
MOST_ROWS_ALONE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Advice:
    """Advice to a caller about a text column that is not coded."""

    leave_out: str
    code_anyway: str


WHEN_LOADING = Advice(
    leave_out=f"drop it with {option('drop')}, name it with {option('id')} if it names the rows",
    code_anyway=f"name it with {option('one_hot_column')} to encode it all the same",
)

OF_A_FRAME = Advice(
    leave_out="leave it out of X", code_anyway="make it a category, as astype('category') does in pandas, to encode it"
)

OF_A_FORMULA = Advice(leave_out="leave it out of the formula", code_anyway="name it in C(...) to encode it")

# Largest number of levels that begin like numbers, such as age groups, and least number of rows for each of them.
MOST_NUMERIC_LEVELS, ROWS_OF_NUMERIC_LEVELS = 20, 3


def coded(table: Table, choice: Choice, *, advice: Advice = WHEN_LOADING, has_intercept: bool = True) -> Table:
    """Return the table with its text columns coded.

    Parameters
    ----------
    table : Table
    choice : Choice
        Which columns are coded.
    advice : Advice
        The end of messages about columns that are not coded.
    has_intercept : bool, default True
        Whether the model has an intercept. Without one, the first text column keeps a column for every level.

    Raises
    ------
    DataError
        If a text column is not to be coded, or its texts do not look like levels.
    """
    columns: list[Column] = []
    notes = list(table.notes)
    factors = list[Factor]()
    keeps_all_levels = not has_intercept
    for column in table.columns:
        if not isinstance(column.values, list):
            if column.is_named:
                raise no_texts(table, column.name)
            columns.append(column)
            continue
        if not (column.is_named or column.is_category) and choice.one_hot.is_checked:
            check_levels(table, column, choice, advice)
        indicators, factor = _indicators(table, column, column.values, advice, keeps_all_levels)
        keeps_all_levels = False
        columns += indicators
        factors.append(factor)
        notes.append(coding_note(column.name, factor))
    if not columns:
        raise table.error(found="no feature column left after coding texts", expected="at least one", hint=notes[-1])
    names = tuple(column.name for column in columns)
    twice = [name for name, count in Counter(map(str, names)).items() if count > 1]
    if twice:
        raise table.error(found=f"several columns named {quoted(twice[0])} after coding", expected="different names")
    return replace(table, features=tuple(columns), names=names, notes=tuple(notes), factors=tuple(factors))


def no_texts(table: Table, name: str | int) -> DataError:
    """Return the error about a column of numbers that was named to be coded."""
    expected = f"texts to encode for {option('one_hot_column')}"
    return table.error(column=name, found="a column of numbers or of true and false", expected=expected)


def check_levels(table: Table, column: Column, choice: Choice, advice: Advice) -> None:
    """Raise if the texts of a column that nobody called categories do not look like levels.

    They do not if more than half of them are numbers, or are numbers with a decimal comma, amounts or dates; if more
    than half of more than 5 rows have a text of their own; or if most begin like numbers, and there are more than 20
    different ones, fewer than three rows for each, or numbers with a fraction.

    Raises
    ------
    DataError
    """
    texts: Sequence[str | None] = column.values  # type: ignore[assignment]  # a column of texts
    present = Counter(text for text in texts if text is not None)
    n_rows, spelling = present.total(), table.spelling

    def are_most(is_so: Callable[[str], bool]) -> bool:
        return 2 * sum(count for text, count in present.items() if is_so(text)) > n_rows

    def refused(is_fault: Callable[[str], bool]) -> DataError:
        row = next((i for i, text in enumerate(texts) if text is not None and is_fault(text)), 0)
        return text_fault(table, row, column.name, texts[row] or "", choice, advice.code_anyway)

    if are_most(spelling.is_number):
        raise refused(lambda text: not spelling.is_number(text))
    if are_most(spelling.is_amount_or_date):
        raise refused(spelling.is_amount_or_date)
    n_alone = sum(count == 1 for count in present.values())
    if n_rows > FEW_ROWS and n_alone > MOST_ROWS_ALONE * n_rows:
        found = f"{len(present)} different texts in {n_rows} rows, such as {listed(list(present)[:3])}"
        raise table.error(
            column=column.name, found=found, expected="texts that rows share",
            hint="a row with a column of 0 and 1 to itself is always put right, so nearly different texts separate "
            f"anything; {advice.leave_out}, or {advice.code_anyway}",
        )  # fmt: skip
    are_doubtful = len(present) > MOST_NUMERIC_LEVELS or n_rows < ROWS_OF_NUMERIC_LEVELS * len(present)
    if are_most(spelling.looks_numeric) and (are_doubtful or any(map(spelling.is_fraction, present))):
        found = f"{len(present)} different texts that begin like numbers, such as {listed(list(present)[:3])}"
        expected = f"numbers, or at most {MOST_NUMERIC_LEVELS} levels of {ROWS_OF_NUMERIC_LEVELS} rows each"
        raise table.error(column=column.name, found=found, expected=expected, hint=advice.code_anyway)


def _indicators(
    table: Table, column: Column, texts: Texts, advice: Advice, keeps_all_levels: bool
) -> tuple[list[Column], Factor]:
    """Return the columns of 0 and 1 of a text column, and the level of each."""
    name, levels = column.name, _levels(column, texts)
    if not levels:
        raise table.error(column=name, found="no value in any row", expected="at least one")
    if len(levels) > MOST_LEVELS:
        raise table.error(
            column=name, found=f"{len(levels)} different texts such as {listed(levels[:3])}",
            expected=f"at most {MOST_LEVELS} to code", hint=advice.leave_out,
        )  # fmt: skip
    kept = levels if keeps_all_levels else levels[1:]
    position = {level: code for code, level in enumerate(levels)}
    codes = np.array([position[text] for text in texts if text is not None])
    names = {level: f"{name}={level}" for level in kept}
    indicators = [Column(name=names[level], values=(codes == position[level]).astype(np.float64)) for level in kept]
    return indicators, Factor(name=str(name), columns=names, reference=None if keeps_all_levels else levels[0])


def coding_note(name: str | int, factor: Factor) -> str:
    """Return the sentence that says how a column of texts was coded."""
    said = "every level has one, as there is no intercept"
    if factor.reference is not None:
        said = f"level {factor.reference!r} is left out as the reference: all of them are 0 there"
    return f"column {name!r} became {counted(len(factor.columns), 'column')} of 0 and 1; {said}"


def _levels(column: Column, texts: Texts) -> Sequence[str]:
    """Return the levels that occur, in the order that the column declares, otherwise sorted."""
    present = {text for text in texts if text is not None}
    return sorted(present) if column.levels is None else [level for level in column.levels if level in present]


# Texts that the user says stand for missing values


def with_missing(table: Table, roles: Roles) -> Table:
    """Return a table in which the texts that the user says stand for missing values are missing.

    A text without a column is missing in a feature if more than half of its other values are numbers.
    """
    if not roles.missing:
        return table
    label, found = table.label, set[tuple[int | None, str]]()
    texts = roles.missing.get(roles.label)
    if texts is not None:
        coded = CodedLabels.of(label)
        distinct = [None if str(value).strip() in texts else value for value in coded.distinct]
        found = {(roles.label, str(value).strip()) for value in coded.distinct}
        label = CodedLabels(distinct, coded.positions)
    features = stored = table.features
    if isinstance(stored, tuple):
        features = tuple(_with_missing(c, j, table, roles) for j, c in zip(roles.features, stored, strict=True))
        for j, old, new in zip(roles.features, stored, features, strict=True):
            found |= {(k, text) for text in _texts_in(old) - _texts_in(new) for k in (j, None)}
    return replace(table, features=features, label=label, told_missing=frozenset(found & roles.told_missing))


def _texts_in(column: Column) -> set[str]:
    return {text for text in column.values if text is not None} if isinstance(column.values, list) else set()


def _with_missing(column: Column, j: int, table: Table, roles: Roles) -> Column:
    if not isinstance(column.values, list):
        return column
    own, spelling = roles.missing.get(j, frozenset()), table.spelling
    values = [None if text in own else text for text in column.values]
    of_all = roles.missing.get(None, frozenset())
    others = [text for text in values if text is not None and text not in of_all]
    if 2 * sum(map(spelling.is_number, others)) > len(others):
        values = [None if text in of_all else text for text in values]
    plain = ["" if text is None else spelling.swapped(text) for text in values]
    may_be_numbers = table.lines is not None and not column.is_category
    found, is_boolean = numbers_or_booleans(plain) if may_be_numbers else (None, False)
    return replace(column, values=values if found is None else found, is_boolean=is_boolean)
