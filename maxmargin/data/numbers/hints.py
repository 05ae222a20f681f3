"""Advice in messages about values that are not numbers."""

from maxmargin.solvers.errors import option

DROP_MISSING_HINT = f"leave out rows with missing values with {option('drop_missing')}"
TEXT_HINT = (
    f"drop it with {option('drop')} or encode it with {option('one_hot')}; name it with {option('label')} if it holds "
    f"the labels, with {option('id')} if it names the rows"
)

STORE_NUMBERS = "store plain numbers"
"""Advice for a source that can store numbers but stores them as texts."""

COMMAS_NEED_QUOTES = f"give the separator with {option('sep')}, or leave {option('decimal_comma')} out"

HINTS_OUTSIDE_MEMORY = {
    DROP_MISSING_HINT: f"clean the file, leave the column out with {option('drop')}, or use {option('drop_missing')} "
    f"with more {option('memory')}",
    TEXT_HINT: f"drop it with {option('drop')}, or use {option('one_hot')} with more {option('memory')}",
}
"""The advice given instead if rows are read in parts: then no row is left out, and no text is encoded."""


def empty_column_hint(name: str | int, *, is_label: bool) -> str:
    """Return the advice about a column in which no row has a value."""
    column = repr(name) if isinstance(name, str) else str(name)
    advice = f"use {option('drop', column)}" + (f" and choose the label with {option('label')}" if is_label else "")
    return f"no row that was read has a value in it, as where lines end in a separator: {advice}"
