"""Data sets that are generated, by the names of their families."""

import numpy as np

from maxmargin.generators import generate
from maxmargin.solvers.errors import InvalidOptionError

from .errors import DataError
from .table import Choice, Table, drop_note, shown_name

LABEL_NAME = "y"


def read_generated(name: str, choice: Choice) -> Table:
    """Make the data set that a family's name and parameters describe.

    Raises
    ------
    DataError
        A parameter is unknown or out of range, or `choice` names a column that does not exist.
    """
    try:
        data = generate(name)
    except InvalidOptionError as error:
        raise DataError(str(error)) from error
    names = (*data.feature_names, LABEL_NAME)
    roles = choice.roles(names, len(names), name)
    columns = np.column_stack([data.X, data.y])
    return Table(
        source=name,
        names=tuple(names[j] for j in roles.features),
        features=np.ascontiguousarray(columns[:, list(roles.features)]),
        label=data.y if roles.label == len(names) - 1 else columns[:, roles.label],
        label_name=shown_name(names, roles.label),
        ids=None if roles.id is None else tuple(f"{value:g}" for value in columns[:, roles.id]),
        notes=drop_note(names, roles),
    )
