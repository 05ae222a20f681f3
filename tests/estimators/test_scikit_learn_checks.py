"""Each estimator keeps scikit-learn's contract, with no exception but the one that is explained."""

import warnings
from typing import Any

import pytest
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.estimator_checks import parametrize_with_checks

import maxmargin as mm

pytestmark = pytest.mark.slow

ESTIMATORS = [
    mm.MaxMarginClassifier(),
    mm.PerceptronClassifier(max_epochs=50),
    mm.OnlineClassifier("averaged"),
    mm.OnlineClassifier("pa-1"),
    mm.OnlineClassifier("arow"),
    mm.SeparationGuard(on="record"),  # as many of the checks have separable data, on which it is made to raise
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn(estimator: Any, check: Any) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # some data of the checks overlap
        check(estimator)
