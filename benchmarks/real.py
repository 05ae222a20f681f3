"""The bundled data of real measurements: raw, ill-conditioned."""

from typing import Any

import numpy as np

POSITIVE: dict[str, Any] = {"iris": "setosa", "breast_cancer": None, "wine": "class_1", "digits": 1}


def bundled(name: str, positive: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the points and their signs."""
    import maxmargin as mm

    data = mm.load(name, positive=POSITIVE[name] if positive is None else positive)
    return data.X, data.y.astype(float)


def title(name: str) -> str:
    return name if POSITIVE[name] is None else f"{name}, {POSITIVE[name]} against the rest"
