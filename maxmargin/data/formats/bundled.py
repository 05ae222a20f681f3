"""The data sets that scikit-learn brings along, read from its files without importing it."""

import csv
import os
from collections.abc import Iterable
from importlib.util import find_spec

import numpy as np

from maxmargin.data.formats.table import Choice, Table, drop_note, shown_name
from maxmargin.text.data_error import data_error

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

LABEL_NAME = "target"


def read_bundled(name: str, choice: Choice) -> Table:
    """Read `iris`, `breast_cancer`, `wine` or `digits`, rows in the order of the file.

    Raises
    ------
    DataError
        scikit-learn is not installed, or `choice` names a column that does not exist.
    """
    names = (*FEATURE_NAMES[name], LABEL_NAME)
    roles = choice.roles(names, len(names), name)
    rows = list(csv.reader(_lines(name)))
    class_names: list[str] | None = None
    if name != "digits":
        class_names = rows.pop(0)[2:]
    values = np.array([[float(field) for field in row] for row in rows])
    labels = values[:, roles.label]
    if class_names is not None and roles.label == len(names) - 1:
        label: object = [class_names[int(code)] for code in labels]
    else:
        label = labels
    return Table(
        source=name,
        names=tuple(names[j] for j in roles.features),
        features=np.ascontiguousarray(values[:, list(roles.features)]),
        label=label,  # type: ignore[arg-type]
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
