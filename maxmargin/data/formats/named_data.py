"""Data sets with a name: those of scikit-learn, read from its files without importing it, and generated ones."""

import csv
import os
from collections.abc import Iterable, Sequence
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from maxmargin.data.formats.table import Choice, Table, drop_note, shown_name
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.data_error import DataError, data_error

_CELL_MEASURES = (
    "radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity", "concave points", "symmetry",
    "fractal dimension",
)  # fmt: skip

FEATURE_NAMES: dict[str, tuple[str, ...]] = {
    "iris": ("sepal length (cm)", "sepal width (cm)", "petal length (cm)", "petal width (cm)"),
    "breast_cancer": (
        *(f"mean {measure}" for measure in _CELL_MEASURES),
        *(f"{measure} error" for measure in _CELL_MEASURES),
        *(f"worst {measure}" for measure in _CELL_MEASURES),
    ),
    "wine": (
        "alcohol", "malic_acid", "ash", "alcalinity_of_ash", "magnesium", "total_phenols", "flavanoids",
        "nonflavanoid_phenols", "proanthocyanins", "color_intensity", "hue", "od280/od315_of_diluted_wines", "proline",
    ),
    "digits": tuple(f"pixel_{row}_{column}" for row in range(8) for column in range(8)),
}  # fmt: skip
"""Names of the features, as `sklearn.datasets.load_*` gives them."""

FILES = {"iris": "iris.csv", "breast_cancer": "breast_cancer.csv", "wine": "wine_data.csv", "digits": "digits.csv.gz"}

Floats: TypeAlias = NDArray[np.float64]


def read_bundled(name: str, choice: Choice) -> Table:
    """Read `iris`, `breast_cancer`, `wine` or `digits`, rows in the order of the file.

    Raises
    ------
    DataError
        scikit-learn is not installed, or `choice` names a column that does not exist.
    """
    rows = list(csv.reader(_lines(name)))
    class_names = None if name == "digits" else rows.pop(0)[2:]
    values = np.array([[float(field) for field in row] for row in rows])
    labels = values[:, -1] if class_names is None else [class_names[int(code)] for code in values[:, -1]]
    return _table(name, (*FEATURE_NAMES[name], "target"), values, labels, choice)


def read_generated(name: str, choice: Choice) -> Table:
    """Generate the data set that a family's name and parameters describe, or the truth table of a formula.

    Raises
    ------
    DataError
        A parameter is unknown or out of range, the formula is invalid, or `choice` names a column that does not exist.
    """
    from maxmargin.data.generators import rows_and_labels

    try:
        X, y, names, source = rows_and_labels(name)
    except InvalidOptionError as error:
        raise DataError(str(error)) from error
    return _table(source, (*names, "y"), np.column_stack([X, y.astype(np.float64)]), y, choice)


def _table(source: str, names: Sequence[str], values: Floats, labels: Any, choice: Choice) -> Table:
    """Return the table of some columns, the last of which are the labels, which another column may replace."""
    roles = choice.roles(names, len(names), source)
    return Table(
        source=source,
        names=tuple(names[j] for j in roles.features),
        features=np.ascontiguousarray(values[:, list(roles.features)]),
        label=labels if roles.label == len(names) - 1 else values[:, roles.label],
        label_name=shown_name(names, roles.label),
        ids=None if roles.id is None else tuple(f"{value:g}" for value in values[:, roles.id]),
        notes=drop_note(names, roles),
    )


def _lines(name: str) -> Iterable[str]:
    spec = find_spec("sklearn")
    folders = spec.submodule_search_locations if spec is not None else None
    if not folders:
        raise data_error(
            name, found="no scikit-learn installed", expected="the package scikit-learn, which holds the data"
        )
    path = os.path.join(next(iter(folders)), "datasets", "data", FILES[name])
    with open(path, "rb") as file:
        content = file.read()
    if not path.endswith(".gz"):
        return content.decode().splitlines()
    import gzip

    return gzip.decompress(content).decode().splitlines()
