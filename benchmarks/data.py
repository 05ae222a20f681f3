"""The data sets of the benchmarks: always the same numbers, planted, overlapping or bundled measurements."""

from typing import Any

import numpy as np

Labelled = tuple[np.ndarray, np.ndarray]

# The positive classes of the bundled data, which are raw and ill-conditioned.
POSITIVE: dict[str, Any] = {"iris": "setosa", "breast_cancer": None, "wine": "class_1", "digits": 1}


def planted(n_samples: int, n_features: int, margin: float = 0.02) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return points of the unit sphere, moved away from a random hyperplane by `margin`, their signs, its normal."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, n_features))
    X /= np.linalg.norm(X, axis=1)[:, None]
    w = rng.normal(size=n_features)
    w /= np.linalg.norm(w)
    y = np.where(X @ w > 0, 1.0, -1.0)
    X += margin * y[:, None] * w
    return X, y, w


def natural(n_samples: int, n_features: int, margin: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return normal points moved away from a random hyperplane by `margin`, which may be 0, their signs, its normal."""
    rng = np.random.default_rng(0)
    X, w = rng.normal(size=(n_samples, n_features)), rng.normal(size=n_features)
    w /= np.linalg.norm(w)
    y = np.where(X @ w > 0, 1.0, -1.0)
    X += margin * y[:, None] * w
    return X, y, w


def few_overlapping(n_samples: int, n_features: int, n_wrong: int = 10) -> Labelled:
    """Return planted points of which `n_wrong` have the other sign."""
    X, y, _ = planted(n_samples, n_features)
    wrong = np.random.default_rng(1).choice(n_samples, size=n_wrong, replace=False)
    y[wrong] *= -1
    return X, y


def quasi_separable(n_samples: int, n_features: int, n_separated: int = 100) -> Labelled:
    """Return points of a hyperplane with random signs, and `n_separated` that are on their side of it, all exactly.

    The coordinates are multiples of 2**-20, so that the last one makes w.x = 0 without rounding for the integer
    normal w that ends in 1.
    """
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(n_samples, n_features)) * 2**20) / 2**20
    y = rng.choice([-1.0, 1.0], size=n_samples)
    X[:, -1] = -(X[:, :-1] @ rng.integers(-3, 4, size=n_features - 1).astype(float))
    separated = rng.choice(n_samples, size=n_separated, replace=False)
    X[separated, -1] += 0.5 * y[separated]
    return X, y


def overlapping(n_samples: int, n_features: int, shift: float = 1.0) -> Labelled:
    """Return two Gaussian clouds with unit covariances, their means 2 `shift` apart: 16 % errors at 1."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n_samples, n_features))
    y = rng.choice([-1.0, 1.0], size=n_samples)
    direction = rng.normal(size=n_features)
    direction /= np.linalg.norm(direction)
    X += shift * y[:, None] * direction
    return X, y


def bundled(name: str, positive: Any = None) -> tuple[np.ndarray, np.ndarray]:
    """Return the points of a bundled table and their signs."""
    import maxmargin as mm

    data = mm.load(name, positive=POSITIVE[name] if positive is None else positive)
    return data.X, data.y.astype(float)


def title(name: str) -> str:
    return name if POSITIVE[name] is None else f"{name}, {POSITIVE[name]} against the rest"
