"""Advice about a table of which several columns cannot be read as they are: which, and the options that read them."""

from collections.abc import Mapping, Sequence

from maxmargin.data.numbers.numerals import DROP_MISSING_HINT, TEXT_HINT
from maxmargin.solvers.errors import option
from maxmargin.text.data_error import listed

FEW_ROWS = 5
"""Number of rows up to which any share of different texts is accepted: among few rows, they are no surprise."""


_MOST_NAMED = 5
"""Largest number of columns with missing values that are named."""


def advice(
    hint: str,
    texts: Mapping[str | int, Sequence[str | None]],
    incomplete: Mapping[str | int, int],
    *,
    has_id: bool,
    is_coded: bool,
) -> str:
    """Return the advice about the first column at fault, or about all if there are several.

    Parameters
    ----------
    hint : str
        The advice about the first one; only the general advice about texts and missing values is replaced.
    texts : mapping
        The texts of columns by name, None where a value is missing.
    incomplete : mapping
        The number of missing values of columns by name.
    has_id, is_coded : bool
        Whether a column that names the rows was chosen, and whether text columns are to be coded.
    """
    alone = [name for name, values in texts.items() if FEW_ROWS < len(values) == len({*values} - {None})]
    refused = alone if is_coded else list(texts)
    if hint not in (TEXT_HINT, DROP_MISSING_HINT) or len({*refused, *incomplete}) < 2:
        return hint
    found = [f"texts in {listed(refused)}"] * bool(refused)
    found += [f"{n} missing in {listed([name])}" for name, n in list(incomplete.items())[:_MOST_NAMED]]
    found += ["..."] * (len(incomplete) > _MOST_NAMED)
    steps = [] if has_id else [option("id", repr(name)) for name in alone[:1]]
    left = alone[len(steps) :]
    steps += [option("drop", repr(name)) for name in left]
    steps += [option("one_hot")] * (not is_coded and len(texts) > len(alone))
    steps += [option("drop_missing")] * bool(incomplete)
    how = f": add {', '.join(steps)}" if len(left) < 2 else f"; leave columns out with {option('drop')}"
    return f"{', '.join(found)}{how}"
