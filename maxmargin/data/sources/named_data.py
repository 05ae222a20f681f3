"""Data sets with a name: those of scikit-learn, read from its files without importing it, and generated ones."""

import csv
import os
from collections.abc import Iterable, Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any

import numpy as np

from maxmargin.data.column_roles import Choice, Layout, Roles
from maxmargin.data.opening import read_bytes
from maxmargin.data.sources.batches import InOnePiece, Table, table_of
from maxmargin.solvers.basics.array_types import Floats
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.text.data_error import DataError, data_error

# scikit-learn's files of the bundled data sets.
_FILES = {"iris": "iris.csv", "breast_cancer": "breast_cancer.csv", "wine": "wine_data.csv", "digits": "digits.csv.gz"}

_CELL_MEASURES = (
    "radius", "texture", "perimeter", "area", "smoothness", "compactness", "concavity", "concave points", "symmetry",
    "fractal dimension",
)  # fmt: skip

# Names of the features, as `sklearn.datasets.load_*` gives them.
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


def open_bundled(name: str, choice: Choice) -> InOnePiece:
    """Read `iris`, `breast_cancer`, `wine` or `digits`, rows in the order of the file."""
    choice.refuse_of_text(name, "a bundled data set")
    rows = list(csv.reader(_lines(name)))
    class_names = None if name == "digits" else rows.pop(0)[2:]
    values = np.array([[float(field) for field in row] for row in rows])
    labels = values[:, -1] if class_names is None else [class_names[int(code)] for code in values[:, -1]]
    return _source(name, (*FEATURE_NAMES[name], "target"), values, labels)


def open_generated(name: str, choice: Choice) -> InOnePiece:
    """Generate the data set that a family's name and parameters describe, or the truth table of a formula."""
    from maxmargin.data.generators import rows_and_labels

    choice.refuse_of_text(name, "a generated data set")
    try:
        X, y, names, source = rows_and_labels(name)
    except InvalidOptionError as error:
        raise DataError(str(error)) from error
    return _source(source, (*names, "y"), np.column_stack([X, y.astype(np.float64)]), y)


def _source(source: str, names: Sequence[str], values: Floats, labels: Any) -> InOnePiece:
    """Return the source of some columns, the last of which are the labels, which another column may replace."""
    layout = Layout(source=source, names=tuple(names), n_columns=len(names))
    return InOnePiece(layout=layout, read=partial(_table, layout, values, labels))


def _table(layout: Layout, values: Floats, labels: Any, roles: Roles) -> Table:
    return table_of(
        layout, roles, features=np.ascontiguousarray(values[:, list(roles.features)]),
        label=labels if roles.label == layout.n_columns - 1 else values[:, roles.label],
        ids=None if roles.id is None else tuple(f"{value:g}" for value in values[:, roles.id]),
    )  # fmt: skip


def _lines(name: str) -> Iterable[str]:
    spec = find_spec("sklearn")
    if spec is None or spec.origin is None:
        expected = "the package scikit-learn, which holds the data"
        raise data_error(name, found="no scikit-learn installed", expected=expected)
    path = os.path.join(os.path.dirname(spec.origin), "datasets", "data", _FILES[name])
    return read_bytes(path).decode().splitlines()
