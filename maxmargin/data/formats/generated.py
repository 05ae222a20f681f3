"""Data sets that are generated: by the names of their families, and the truth tables of formulas."""

import numpy as np

from maxmargin.data.formats.table import Choice, Table, drop_note, shown_name
from maxmargin.data.generators import rows_and_labels
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.data_error import DataError

LABEL_NAME = "y"


def read_generated(name: str, choice: Choice) -> Table:
    """Make the data set that a family's name and parameters describe, or a formula.

    Raises
    ------
    DataError
        A parameter is unknown or out of range, the formula is none, or `choice` names a column that does not exist.
    """
    try:
        X, y, column_names, source = rows_and_labels(name)
    except InvalidOptionError as error:
        raise DataError(str(error)) from error
    names = (*column_names, LABEL_NAME)
    roles = choice.roles(names, len(names), source)
    columns = np.column_stack([X, y.astype(np.float64)])
    return Table(
        source=source,
        names=tuple(names[j] for j in roles.features),
        features=np.ascontiguousarray(columns[:, list(roles.features)]),
        label=y if roles.label == len(names) - 1 else columns[:, roles.label],
        label_name=shown_name(names, roles.label),
        ids=None if roles.id is None else tuple(f"{value:g}" for value in columns[:, roles.id]),
        notes=drop_note(names, roles),
    )
