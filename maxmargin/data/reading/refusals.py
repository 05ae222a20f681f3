"""Why rows are refused: the first field at fault, in the order of the rows, and advice about all of its kind."""

from collections import Counter
from collections.abc import Iterable

import numpy as np

from maxmargin.data.batches import Choice, Column, Table
from maxmargin.data.numbers.numerals import DROP_MISSING_HINT, STORE_NUMBERS, TEXT_HINT, Spelling, Texts, is_missing
from maxmargin.solvers.basics.array_types import Mask
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
_TEXT_HINT_OUTSIDE_MEMORY = f"drop it with {option('drop')}, or use {option('one_hot')} with more {option('memory')}"


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


def nothing_left(table: Table) -> DataError:
    """Return the error about rows that all lack a value, with the column at fault if there is one."""
    found, expected = "a missing value in every row", "at least one complete row"
    if len(table.label) and table.missing_labels().all():
        hint = _empty_column_hint(table.label_name, is_label=True)
        return table.error(column=table.label_name, found=found, expected=expected, hint=hint)
    columns = table.columns if len(table.label) else ()
    name = next((column.name for column in columns if column.is_missing().all()), None)
    hint = "" if name is None else _empty_column_hint(name, is_label=False)
    return table.error(column=name, found=found, expected=expected, hint=hint)


def first_fault(table: Table, choice: Choice) -> DataError:
    """Return the error about the first row, and in it the first column, with something else than is expected."""
    without_label, n_rows = table.missing_labels(), len(table.label)
    are_fine = not without_label.any() or (choice.drop_missing and not choice.is_in_parts)
    first_label = n_rows if are_fine else int(np.argmax(without_label))
    columns = table.columns
    faults = np.column_stack([_faults_in(column, table, choice) for column in columns])
    row = int(np.argmax(faults.any(axis=1))) if faults.any() else n_rows
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
        hint = _empty_column_hint(table.label_name, is_label=True)
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
        hint = _empty_column_hint(column.name, is_label=False)
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
    if choice.is_in_parts:
        return _TEXT_HINT_OUTSIDE_MEMORY if hint == TEXT_HINT else hint
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
    if spelling.is_number(text) and not is_missing(text):
        return table.error(row, name, found=f"the text {quoted(text)}", expected="a number", hint=STORE_NUMBERS)
    if anyway:
        hint = spelling.hint(text, names_options=False)
        hint = f"{'most of the column are numbers' if hint == TEXT_HINT else hint}; {anyway}"
        is_general = table.spelling.hint(text) == TEXT_HINT
        if is_general and table.lines is not None and len(_odd_texts(table, name)[1]) <= MOST_ODD_TEXTS:
            hint += f", or use {option('missing', repr(text))} if that stands for a missing value"
    else:
        hint = _general(_hint_of_odd(table, name, text, choice), table, choice)
    return table.error(row, name, found=quoted(text), expected="a number", hint=hint)


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


def _empty_column_hint(name: str | int, *, is_label: bool) -> str:
    """Return the advice about a column in which no row has a value."""
    column = repr(name) if isinstance(name, str) else str(name)
    advice = f"use {option('drop', column)}" + (f" and choose the label with {option('label')}" if is_label else "")
    return f"no row that was read has a value in it, as where lines end in a separator: {advice}"
