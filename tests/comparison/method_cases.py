"""Small data for methods: well conditioned and separable, overlapping, quasi-separable; dense and sparse."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.sparse import csr_array

# Parameters without which a method takes minutes on data that are not separable.
SLOW = {"rule.training-accuracy": {"max_iter": 10_000}}

# Methods that refuse negative features.
NOT_NEGATIVE = ("online.winnow",)


@dataclass(frozen=True)
class Case:
    """Rows and signs with their verdict."""

    name: str
    X: Any
    y: Any
    verdict: str


def _cases() -> dict[str, Case]:
    rng = np.random.default_rng(7)
    X = rng.integers(1, 9, size=(40, 3)).astype(float)
    y = np.where(X @ [1.0, 2.0, -1.0] > 8.5, 1.0, -1.0)
    flipped = np.where(np.arange(40) % 10 == 0, -y, y)
    touching = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 0.0], [2.0, 1.0], [0.0, 1.0], [3.0, 0.0]])
    signs = np.array([-1.0, -1.0, 1.0, 1.0, -1.0, 1.0])
    return {
        "separable": Case("separable", X, y, "separable"),
        "sparse": Case("sparse", csr_array(X), y, "separable"),
        "overlap": Case("overlap", X, flipped, "overlap"),
        "quasi-separable": Case("quasi-separable", touching, signs, "quasi-separable"),
    }


CASES = _cases()
