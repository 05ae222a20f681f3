"""The question of every model of statsmodels is the one of its own likelihood, which grows along what is proven.

A likelihood without a maximum grows for ever along some direction. The reference follows the log-likelihood that
statsmodels computes along a grid of directions, and along the one in the certificate; nothing else is shared.
"""

from collections.abc import Callable, Iterator
from itertools import product
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import statsmodels.api as sm
from statsmodels.discrete.conditional_models import ConditionalLogit, ConditionalPoisson
from statsmodels.miscmodels.ordinal_model import OrderedModel

import maxmargin as mm

pytestmark = pytest.mark.filterwarnings("ignore")  # overflow far out, strata without a pair, perfect separation

# How far a direction of whole numbers is followed: a row on its wrong side costs more than all others can gain.
FAR = 40.0

Loglike = Callable[[np.ndarray], float]


def design(random: np.random.Generator, n_rows: int) -> np.ndarray:
    return np.c_[np.ones(n_rows), random.integers(-1, 2, (n_rows, 2))].astype(float)


def binomial(link: Any) -> Callable[[np.random.Generator], Any]:
    def make(random: np.random.Generator) -> Any:
        X, weights = design(random, 9), random.integers(0, 3, 9)
        family = sm.families.Binomial(link())
        return sm.GLM(random.integers(0, 2, 9), X, family=family, freq_weights=weights, offset=random.normal(size=9))

    return make


def grouped(random: np.random.Generator) -> Any:
    trials = random.integers(1, 3, 7)
    successes = random.binomial(trials, 0.5)
    return sm.GLM(np.c_[successes, trials - successes], design(random, 7), family=sm.families.Binomial())


def counts(random: np.random.Generator) -> np.ndarray:
    return random.choice([0, 0, 0, 1, 2], 7)


def in_strata(kind: Any) -> Callable[[np.random.Generator], Any]:
    def make(random: np.random.Generator) -> Any:
        y = random.integers(0, 2, 9) if kind is ConditionalLogit else random.choice([0, 0, 1, 2], 9)
        return kind(y, random.integers(-1, 2, (9, 2)).astype(float), groups=np.arange(9) // 3)

    return make


def ordered(random: np.random.Generator) -> Any:
    codes = np.r_[0, 1, 2, random.integers(0, 3, 5)]
    return OrderedModel(codes, random.integers(-1, 2, (8, 2)).astype(float), distr="logit")


def cox(ties: str, *, late: bool = False) -> Callable[[np.random.Generator], Any]:
    def make(random: np.random.Generator) -> Any:
        n = 6 if late else 8
        time, status = random.integers(2, 6, n), random.choice([0, 1, 1], n)
        status[0] = 1
        entry = random.integers(0, 6, n).clip(max=time) if late else None
        exog, strata = random.integers(-1, 2, (n, 2)).astype(float), None if late else np.arange(n) % 2
        return sm.PHReg(time.astype(float), exog, status=status, entry=entry, strata=strata, ties=ties)

    return make


LINKS = sm.families.links
MODELS: dict[str, Callable[[np.random.Generator], Any]] = {
    "Logit": lambda random: sm.Logit(random.integers(0, 2, 9), design(random, 9)),
    "Probit": lambda random: sm.Probit(random.integers(0, 2, 9), design(random, 9)),
    **{f"GLM {link.__name__}": binomial(link) for link in (LINKS.Logit, LINKS.Probit, LINKS.CLogLog, LINKS.LogLog)},
    "GLM grouped": grouped,
    "GLM Poisson": lambda random: sm.GLM(counts(random), design(random, 7), family=sm.families.Poisson()),
    "GLM NegativeBinomial": lambda random: sm.GLM(
        counts(random), design(random, 7), family=sm.families.NegativeBinomial(alpha=0.5)
    ),
    "Poisson": lambda random: sm.Poisson(counts(random), design(random, 7), exposure=np.arange(1.0, 8.0)),
    "MNLogit": lambda random: sm.MNLogit(np.r_[0, 1, 2, random.integers(0, 3, 4)], design(random, 7)[:, :2]),
    "OrderedModel": ordered,
    "ConditionalLogit": in_strata(ConditionalLogit),
    "ConditionalPoisson": in_strata(ConditionalPoisson),
    "PHReg breslow": cox("breslow"),
    "PHReg efron": cox("efron"),
    "PHReg late": cox("breslow", late=True),
}
FAST = ("GLM grouped", "Poisson", "MNLogit", "OrderedModel", "ConditionalLogit", "PHReg efron", "PHReg late")


def likelihood_of(model: Any, n_columns: int) -> Loglike:
    """Return the log-likelihood along a direction of the question, at the given distance from a start."""

    def at(direction: np.ndarray) -> float:
        if isinstance(model, OrderedModel):
            n_thresholds = model.k_levels - 1
            thresholds = np.arange(n_thresholds) + direction[:n_thresholds]
            params = np.r_[direction[n_thresholds:], thresholds[0], np.log(np.diff(thresholds))]
        else:
            params = direction
        return float(model.loglike(params)) if np.isfinite(params).all() else -np.inf

    return at


def rises(at: Loglike, direction: np.ndarray) -> bool:
    """Whether the likelihood is greater far out."""
    start, end = at(0 * direction), at(FAR * direction)
    return bool(np.isfinite(end) and end > start + 1e-9)


def directions(n_columns: int) -> Iterator[np.ndarray]:
    for entries in product((-2, -1, 0, 1, 2) if n_columns <= 3 else (-1, 0, 1), repeat=n_columns):
        yield np.array(entries, dtype=float)


def proven_direction(check: mm.ModelCheck) -> np.ndarray | None:
    """Return the direction of a proof, so long that it moves a row by 1 at most; None if there is none."""
    found = getattr(check.certificate, "direction", getattr(check.certificate, "w", None))
    if found is None:
        return None
    vector = np.array([float(entry) for entry in found])
    moved = np.abs(np.asarray(check.rows, dtype=float) @ vector.reshape(-1, check.rows.shape[1]).T)
    return vector / moved.max()


def grows(at: Loglike, direction: np.ndarray) -> bool:
    """Whether the likelihood grows and grows."""
    values = [at(length * direction) for length in (0.0, 1.0, 3.0, FAR)]
    return values[0] < values[1] < values[2] <= values[3] + 1e-12


def check_of(model: Any, n_columns: int) -> mm.ModelCheck:
    """Return what is proven; a model is asked before its fit, as the coefficients do not matter."""
    params = np.zeros(len(model.exog_names)) if isinstance(model, OrderedModel) else np.zeros(n_columns)
    if isinstance(model, sm.MNLogit):
        params = params.reshape(model.K, model.J - 1)
    return mm.check_model(SimpleNamespace(model=model, params=params, bse=params))


def n_coefficients(model: Any) -> int:
    if isinstance(model, OrderedModel):
        return len(model.exog_names)
    return int(model.exog.shape[1]) * (model.J - 1 if isinstance(model, sm.MNLogit) else 1)


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=() if name in FAST else pytest.mark.slow) for name in MODELS]
)
def test_what_is_proven_is_what_the_likelihood_does(name: str) -> None:
    verdicts = set()
    for seed in range(12):
        model = MODELS[name](np.random.default_rng(seed))
        n_columns = n_coefficients(model)
        check, at = check_of(model, n_columns), likelihood_of(model, n_columns)
        verdicts.add(check.verdict.value)
        if check.verdict == "undecided":
            assert "no row says anything" in check.reason
            continue
        assert mm.verify(check.certificate, check.rows, check.labels)
        growing = [v for v in directions(n_columns) if rises(at, v)]
        proven = proven_direction(check)
        assert (proven is None) == (check.verdict == "overlap")
        assert proven is not None or not growing
        assert proven is None or grows(at, proven)
        assert check.infinite is not None and check.finite is not None
        if check.aliased:  # the signs are those with aliased coefficients of 0
            continue
        names = [*check.infinite, *check.finite]
        order = {label: k for k, label in enumerate(check.estimates)}
        position = positions_of(model, order)
        assert sorted(names) == sorted(order)
        for label, sign in check.infinite.items():
            values = [v[position[label]] for v in growing]
            assert sign == "either sign" or all(value * (1 if sign == "+" else -1) >= 0 for value in values)
        assert all(v[position[label]] == 0 for v in growing for label in check.finite)
    assert "overlap" in verdicts and verdicts & {"quasi-separable", "separable"}


def positions_of(model: Any, order: dict[str, int]) -> dict[str, int]:
    """Return the places of the coefficients in a direction: thresholds come before the columns."""
    if not isinstance(model, OrderedModel):
        return order
    own = list(model.exog_names)
    return {label: (own.index(label) - model.k_vars) % len(own) for label in order}


@pytest.mark.slow
def test_a_heavy_tailed_link_needs_a_longer_way() -> None:
    for seed in range(12):
        model = binomial(LINKS.Cauchy)(np.random.default_rng(seed))
        check = check_of(model, 3)
        growing = [v for v in directions(3) if model.loglike(1e6 * v) > model.loglike(0 * v) + 1e-9]
        assert bool(growing) <= (check.verdict != "overlap")
        proven = proven_direction(check)
        assert proven is None or model.loglike(1e6 * proven) > model.loglike(0 * proven)
