"""What columns hold: texts that are coded as levels or mean missing values, and faults for which rows are refused."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from maxmargin.data.batches import Choice, Column, Roles, Table
from maxmargin.data.labels import CodedLabels
from maxmargin.data.numbers import numerals
from maxmargin.data.numbers.numerals import DROP_MISSING_HINT, TEXT_HINT, Spelling, Texts
from maxmargin.solvers.answers.answer_text import counted
from maxmargin.solvers.answers.factors import Factor
from maxmargin.solvers.basics.array_types import Floats, Mask
from maxmargin.solvers.errors import option
from maxmargin.text.data_error import DataError, data_error, listed, quoted

# Number of rows up to which any share of different texts is accepted: among few rows, they are no surprise.
FEW_ROWS = 5

# Largest number of columns with missing values that are named.
_MOST_NAMED = 5

# Largest number of texts in a column of numbers for which the option for missing values is advised.
MOST_ODD_TEXTS = 5

# Advice beyond memory, where rows without a label are not left out.
_MISSING_LABEL_HINT = f"clean the file, or use {option('drop_missing')} with more {option('memory')}"

# The advice given instead of `TEXT_HINT` if rows are read in parts: then no text is encoded.
_TEXT_HINT_OF_PARTS = f"drop it with {option('drop')}, or use {option('one_hot')} on one file that fits into memory"

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
        indicators, factor = _indicators(table, column, advice, keeps_all_levels)
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


def _indicators(table: Table, column: Column, advice: Advice, keeps_all_levels: bool) -> tuple[list[Column], Factor]:
    """Return the columns of 0 and 1 of a text column, and the level of each."""
    texts: Texts = column.values  # type: ignore[assignment]  # a column of texts
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
    # of a part of the rows the others are numbers, or they are refused
    if not table.is_whole or 2 * sum(map(spelling.is_number, others)) > len(others):
        values = [None if text in of_all else text for text in values]
    plain = ["" if text is None else spelling.swapped(text) for text in values]
    may_be_numbers = table.lines is not None and not column.is_category
    found, is_boolean = numerals.numbers_or_booleans(plain) if may_be_numbers else (None, False)
    return replace(column, values=values if found is None else found, is_boolean=is_boolean)


# Refusals: the first field at fault, in the order of the rows, and advice about all of its kind


def refuse_what_needs_memory(path: str, choice: Choice, way: str) -> None:
    """Raise where the choice asks for something that is only done where all rows are in memory; advise a way there.

    Raises
    ------
    DataError
    """
    asked = {
        "one_hot": choice.one_hot.every, "one_hot_column": bool(choice.one_hot.named), "id": choice.id is not None,
        "decimal": choice.keep_texts,
    }  # fmt: skip
    name = next((name for name, is_asked in asked.items() if is_asked), None)
    if name is not None:
        found = "it asked for data that are read in parts, as they do not fit into memory or lie in a folder"
        hint = f"leave a column out with {option('drop')}" if name == "id" else way
        raise data_error(path, option=name, found=found, expected="one file that fits into memory", hint=hint)


def equal_row_names(source: str) -> DataError:
    """Return the error about first fields of the rows that are not in the header and so name the rows, but not apart.

    They may be values.
    """
    found = "a header with a field less than the rows, whose first fields are not distinct"
    return data_error(source, found=found, expected="names of the rows there, or a name for every column")


def nothing_left(table: Table) -> DataError:
    """Return the error about rows that all lack a value, with the column at fault if there is one."""
    found, expected = "a missing value in every row", "at least one complete row"
    if len(table.label) and table.missing_labels().all():
        hint = _empty_column_hint(table, table.label_name)
        return table.error(column=table.label_name, found=found, expected=expected, hint=hint)
    columns = table.columns if len(table.label) else ()
    name = next((column.name for column in columns if column.is_missing().all()), None)
    hint = "" if name is None else _empty_column_hint(table, name)
    return table.error(column=name, found=found, expected=expected, hint=hint)


def first_fault(table: Table, choice: Choice) -> DataError:
    """Return the error about the first row, and in it the first column, with something else than is expected."""
    without_label, n_rows = table.missing_labels(), len(table.label)
    are_fine = not without_label.any() or (choice.drop_missing and not choice.is_in_parts)
    first_label = n_rows if are_fine else int(np.argmax(without_label))
    columns = table.columns
    faults = np.column_stack([_faults_in(column, table, choice) for column in columns])
    row = int(np.argmax(faults.any(axis=1))) if faults.any() else n_rows
    if min(first_label, row) == 0 and (of_units := _of_units(table)):
        return of_units
    if first_label <= row:
        return _missing_label(table, first_label, choice)
    return _fault_of_column(table, columns[int(np.argmax(faults[row]))], row, choice)


def _faults_in(column: Column, table: Table, choice: Choice) -> Mask:
    """Return the rows with something in a column that is not expected there."""
    is_missing = column.is_missing()
    if not isinstance(column.values, list):
        return np.isinf(column.values) if choice.drop_missing else ~np.isfinite(column.values)
    is_fault = is_missing & (not choice.drop_missing)
    if choice.one_hot.every or column.is_named:
        return is_fault
    is_fine = table.spelling.is_finite_number
    is_text = np.array([text is not None and not is_fine(text) for text in column.values], dtype=np.bool_)
    if not is_text.any():  # numbers, in a source that can store numbers
        is_text = ~is_missing
    return is_fault | is_text


def _missing_label(table: Table, row: int, choice: Choice) -> DataError:
    are_missing = table.missing_labels()
    if are_missing.all():
        hint = _empty_column_hint(table, table.label_name)
    else:
        hint = _MISSING_LABEL_HINT if choice.is_in_parts else _of_all(DROP_MISSING_HINT, table)
    return table.error(row, table.label_name, found="no label", expected="a label", hint=hint)


def _of_all(hint: str, table: Table) -> str:
    """Return the advice to leave out rows, with their number."""
    if hint != DROP_MISSING_HINT or not table.is_whole:
        return hint
    is_missing = table.missing_rows()
    return f"{hint}: {np.count_nonzero(is_missing)} of {len(is_missing)}"


def _fault_of_column(table: Table, column: Column, row: int, choice: Choice) -> DataError:
    value = column.values[row]
    if column.is_category and value is not None:
        return table.error(row, column.name, found=quoted(value), expected="a number", hint=TEXT_HINT)
    is_number = isinstance(value, str) and table.spelling.is_number(value)
    if isinstance(value, str) and (column.texts is None or not is_number or table.spelling.is_finite_number(value)):
        return text_fault(table, row, column.name, value, choice)
    text = None if column.texts is None else table.spelling.swapped(column.texts[row])
    if value is None or np.isnan(float(value)):
        found, expected, hint = _missing_found(text), "a number", DROP_MISSING_HINT
    elif text is not None:
        found, expected, hint = table.spelling.complaint(text)
    else:
        found, expected, hint = "infinity" if float(value) > 0 else "minus infinity", "a finite number", ""
    if hint == DROP_MISSING_HINT and column.is_missing().all():
        hint = _empty_column_hint(table, column.name)
    elif hint == DROP_MISSING_HINT:
        hint = _of_all(_general(hint, table, choice), table)
    return table.error(row, column.name, found=found, expected=expected, hint=hint)


def _missing_found(text: str | None) -> str:
    """Return what was found where a value is missing, written as this text."""
    if text is None:
        return "a missing value"
    return f"the missing value {quoted(text.strip())}" if text.strip() else "an empty field"


def _general(hint: str, table: Table, choice: Choice) -> str:
    """Return the advice about the first column at fault, or, where it is general, about all if there are several."""
    if choice.is_in_parts or choice.is_folder:
        return _TEXT_HINT_OF_PARTS if hint == TEXT_HINT else hint
    if hint not in (TEXT_HINT, DROP_MISSING_HINT) or not isinstance(table.features, tuple):
        return hint
    texts, is_coded = _texts_at_fault(table.features, table.spelling), choice.one_hot.every
    missing = {c.name: int(np.count_nonzero(c.is_missing())) for c in table.features if not choice.drop_missing}
    incomplete = [(name, n) for name, n in missing.items() if n]
    alone = [name for name, values in texts.items() if FEW_ROWS < len(values) == len({*values} - {None})]
    refused = alone if is_coded else list(texts)
    if len({*refused, *dict(incomplete)}) < 2:
        return hint
    found = [f"texts in {listed(refused)}"] * bool(refused)
    # of a part of the rows only the first is looked for
    found += [f"{n if table.is_whole else 'values'} missing in {listed([c])}" for c, n in incomplete[:_MOST_NAMED]]
    found += ["..."] * (len(incomplete) > _MOST_NAMED)
    steps = [] if table.ids is not None else [option("id", repr(name)) for name in alone[:1]]
    left = alone[len(steps) :]
    steps += [option("drop", repr(name)) for name in left]
    steps += [option("one_hot")] * (not is_coded and len(texts) > len(alone))
    steps += [option("drop_missing")] * bool(incomplete)
    how = f": add {', '.join(steps)}" if len(left) < 2 else f"; leave columns out with {option('drop')}"
    return f"{', '.join(found)}{how}"


def _texts_at_fault(features: Iterable[Column], spelling: Spelling) -> dict[str | int, Texts]:
    """Return the columns of texts that were not named to be coded, and of which at most half are numbers.

    Where most are numbers, a text is odd, and there is more to say when its row is at fault.
    """
    texts = {c.name: c.values for c in features if isinstance(c.values, list) and not c.is_named}
    n_numbers = {name: sum(text is None or spelling.is_number(text) for text in texts[name]) for name in texts}
    return {name: values for name, values in texts.items() if 2 * n_numbers[name] <= len(values)}


def text_fault(table: Table, row: int, name: str | int, text: str, choice: Choice, anyway: str = "") -> DataError:
    """Return the error about a text that is not a number; `anyway` says how to encode it all the same."""
    spelling = table.spelling
    if row == 0 and (of_units := _of_units(table)):
        return of_units
    if spelling.is_number(text) and not numerals.is_missing(text):
        return table.error(
            row, name, found=f"the text {quoted(text)}", expected="a number", hint=numerals.STORE_NUMBERS
        )
    if anyway:
        hint = spelling.hint(text, names_options=False)
        hint = f"{'most of the column are numbers' if hint == TEXT_HINT else hint}; {anyway}"
        is_general = table.spelling.hint(text) == TEXT_HINT
        if is_general and table.lines is not None and len(_odd_texts(table, name)[1]) <= MOST_ODD_TEXTS:
            hint += f", or use {option('missing', repr(text))} if that stands for a missing value"
    else:
        hint = _general(_hint_of_odd(table, name, text, choice), table, choice)
    return table.error(row, name, found=quoted(text), expected="a number", hint=hint)


def _of_units(table: Table) -> DataError | None:
    """Return the error about a first row below a header without a number in columns of numbers otherwise, if it is."""
    is_below = bool(table.header_line) and table.lines is not None and table.lines[0] == (table.header_line or 0) + 1
    if not is_below or not isinstance(table.features, tuple):
        return None
    is_number = table.spelling.is_number

    def is_odd(values: Floats | Texts) -> bool:
        if isinstance(values, np.ndarray):
            return bool(np.isnan(values[0]))
        below = [text for text in values[1:] if text is not None]
        return bool(below) and not is_number(values[0] or "") and all(map(is_number, below))

    columns = [column.values for column in table.features]
    are_several = len(columns) > 1 or bool(table.missing_labels()[0])
    if not (are_several and any(isinstance(values, list) for values in columns) and all(map(is_odd, columns))):
        return None
    found, hint = "no number, where all rows below have numbers", "take the line out of the file if it states units"
    return table.error(0, found=found, expected="numbers", hint=hint)


def _hint_of_odd(table: Table, name: str | int, text: str, choice: Choice) -> str:
    """Return the advice about a text, which differs where most of its column are numbers."""
    hint = table.spelling.hint(text, names_options=not choice.is_in_parts)
    present, odd = _odd_texts(table, name)
    if hint != TEXT_HINT or 2 * sum(present[text] for text in odd) >= present.total():
        return hint
    ways = [] if choice.is_in_parts else [f"encode it all the same with {option('one_hot_column')}"]
    if len(odd) <= MOST_ODD_TEXTS:
        ways.append(f"use {option('missing', repr(text))} if that stands for a missing value")
    return f"most of the column are numbers: {' or '.join([*ways, 'correct the file'])}"


def _odd_texts(table: Table, name: str | int) -> tuple["Counter[str]", list[str]]:
    """Return the texts of a column, and those that are no numbers."""
    columns = table.features if isinstance(table.features, tuple) else ()
    texts = next((column.values for column in columns if column.name == name), None)
    present = Counter(text for text in texts if text is not None) if isinstance(texts, list) else Counter[str]()
    return present, [text for text in present if not table.spelling.is_number(text)]


def _empty_column_hint(table: Table, name: str | int) -> str:
    """Return the advice about a column in which no row of the table has a value."""
    of_label = f" and choose the label with {option('label')}" * (name == table.label_name)
    rows = "no row" if table.is_whole else f"none of {len(table.label):,} rows read together"
    return f"{rows} has a value in it, as where lines end in a separator: use {option('drop', repr(name))}{of_label}"
