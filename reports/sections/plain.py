"""Results as what JSON can hold."""

import math
from collections.abc import Mapping
from enum import Enum
from fractions import Fraction
from typing import Any

import numpy as np

LONGEST_LIST = 1_000
"""Longer lists are cut to their first entries; their length is kept beside them as ``<name>_count``."""


def plain(value: Any) -> Any:
    """Return the value made of dicts, lists, texts, booleans, None and finite numbers only.

    Fractions become texts "p/q". In a mapping, a float that is not finite becomes None with its name in
    ``<key>_text``, and a list longer than `LONGEST_LIST` is cut, with its length in ``<key>_count``.

    Examples
    --------
    >>> plain({"value": float("inf"), "ratio": Fraction(1, 3)})
    {'value': None, 'value_text': 'infinity', 'ratio': '1/3'}
    """
    if isinstance(value, Mapping):
        return _plain_mapping(value)
    if isinstance(value, np.ndarray | np.generic):
        return plain(value.tolist())
    if isinstance(value, list | tuple):
        return [plain(entry) for entry in value]
    if isinstance(value, Fraction | Enum):
        return str(value)
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _plain_mapping(mapping: Mapping[str, Any]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in mapping.items():
        if isinstance(value, list | tuple | np.ndarray) and len(value) > LONGEST_LIST:
            result[key] = plain(value[:LONGEST_LIST])
            result[f"{key}_count"] = len(value)
            continue
        result[key] = plain(value)
        if isinstance(value, float) and not math.isfinite(value):
            result[f"{key}_text"] = _name_of(float(value))
    return result


def _name_of(value: float) -> str:
    if math.isnan(value):
        return "not a number"
    return "infinity" if value > 0 else "-infinity"
