"""Rows and labels that the tests of displays draw."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Data:
    """Rows and labels.

    Attributes
    ----------
    X : ndarray (n_samples, n_features)
    y : ndarray (n_samples,)
    """

    X: Any
    y: Any
