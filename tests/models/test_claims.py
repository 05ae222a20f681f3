"""What fitted models of statsmodels claim, next to what is proven, on data whose answer is known by construction."""

import json
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
import statsmodels.formula.api as smf
from statsmodels.discrete.conditional_models import ConditionalLogit, ConditionalPoisson
from statsmodels.miscmodels.ordinal_model import OrderedModel

import maxmargin as mm
from maxmargin.solvers.errors import InvalidOptionError

AGE = np.array([3, 4, 0, 4, 4, 0, 4, 4, 1, 1, 4, 2, 1, 4, 1, 2, 0, 2, 1, 1, 4, 1, 3, 3], dtype=float)
STAGE = np.r_[np.ones(6), np.zeros(18)]
COIN = np.array([0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 1, 1, 0, 1, 0, 1, 0, 1, 0, 0, 1, 1, 0, 0])
STRATA = np.arange(24) % 4
X = pd.DataFrame({"const": 1.0, "age": AGE, "stage": STAGE})

# The old died; or everybody with the stage; or whoever the coin says.
DIED = {"separable": (AGE > 2).astype(int), "quasi-separable": np.where(STAGE == 1, 1, COIN), "overlap": COIN}

# Nobody with the stage had an event; or whoever the coin says.
COUNTS = {"quasi-separable": np.where(STAGE == 1, 0, 1 + COIN), "overlap": COIN}

LINKS = sm.families.links


def glm(link: Any) -> Callable[[Any], Any]:
    return lambda y: sm.GLM(y, X, family=sm.families.Binomial(link())).fit()


BINARY: dict[str, Callable[[Any], Any]] = {
    "Logit": lambda y: sm.Logit(y, X).fit(disp=0),
    "Logit by BFGS": lambda y: sm.Logit(y, X).fit(disp=0, method="bfgs"),
    "Probit": lambda y: sm.Probit(y, X).fit(disp=0),
    "Probit by BFGS": lambda y: sm.Probit(y, X).fit(disp=0, method="bfgs"),
    **{f"GLM {link.__name__}": glm(link) for link in (LINKS.Logit, LINKS.Probit, LINKS.CLogLog, LINKS.LogLog)},
    "GLM Cauchy": glm(LINKS.Cauchy),
    "GLM grouped": lambda y: sm.GLM(np.c_[2 * y, 2 - 2 * y], X, family=sm.families.Binomial()).fit(),
    "GEE": lambda y: sm.GEE(y, X, STRATA, family=sm.families.Binomial()).fit(),
    "ConditionalLogit": lambda y: ConditionalLogit(y, X[["age", "stage"]], groups=STRATA).fit(),
}
COUNTED: dict[str, Callable[[Any], Any]] = {
    "Poisson": lambda y: sm.Poisson(y, X).fit(disp=0),
    "Poisson by BFGS": lambda y: sm.Poisson(y, X).fit(disp=0, method="bfgs"),
    "GLM Poisson": lambda y: sm.GLM(y, X, family=sm.families.Poisson()).fit(),
    "GLM NegativeBinomial": lambda y: sm.GLM(y, X, family=sm.families.NegativeBinomial(alpha=1.0)).fit(),
    "ConditionalPoisson": lambda y: ConditionalPoisson(y, X[["age", "stage"]], groups=STRATA).fit(),
}
# Fits that end without a warning on quasi-separated data.
SILENT = {name for name in (*BINARY, *COUNTED) if name not in ("Logit", "Probit", "Poisson", "ConditionalLogit")}


@contextmanager
def warnings_of_fits(*, silent: bool) -> Iterator[None]:
    """Silence the warnings of statsmodels; where there are to be none, each is an error."""
    with warnings.catch_warnings():
        if not silent:
            warnings.simplefilter("ignore")
        yield


def verified(results: Any) -> mm.ModelCheck:
    check = mm.check_model(results)
    assert check.answer is not None and mm.verify(check.certificate, check.rows, check.labels)
    return check


@pytest.mark.parametrize("verdict", DIED)
@pytest.mark.parametrize("name", [n if n == "GLM Logit" else pytest.param(n, marks=pytest.mark.slow) for n in BINARY])
def test_binary_models(name: str, verdict: str) -> None:
    with warnings_of_fits(silent=name in SILENT and verdict != "separable"):
        results = BINARY[name](DIED[verdict])
    check = verified(results)
    assert check.verdict == verdict and not check.is_penalised and check.has_likelihood
    if verdict == "quasi-separable":
        assert check.infinite == {"stage": "+"} and set(check.finite or ()) == {*check.estimates} - {"stage"}
        assert name not in SILENT or check.claimed_converged is not False
    if verdict == "separable":
        assert check.infinite is not None and check.infinite["age"] == "+" and check.finite == ()
    if verdict == "overlap":
        assert check.infinite == {}
    judged = {True: verdict == "overlap", False: None, None: None}
    assert check.converged_is_true is judged[check.claimed_converged]
    assert check.estimates == dict(zip(check.estimates, np.asarray(results.params).tolist(), strict=True))
    assert check.standard_errors == dict(zip(check.estimates, np.asarray(results.bse).tolist(), strict=True))


@pytest.mark.parametrize("verdict", COUNTS)
@pytest.mark.parametrize(
    "name", [n if n == "GLM Poisson" else pytest.param(n, marks=pytest.mark.slow) for n in COUNTED]
)
def test_counts(name: str, verdict: str) -> None:
    with warnings_of_fits(silent=name in SILENT):
        results = COUNTED[name](COUNTS[verdict])
    check = verified(results)
    assert check.verdict == verdict
    assert check.infinite == ({"stage": "-"} if verdict == "quasi-separable" else {})
    if verdict == "quasi-separable" and name in SILENT and check.claimed_converged is not None:
        assert (check.claimed_converged, check.converged_is_true) == (True, False)


@pytest.mark.slow
@pytest.mark.parametrize("verdict", DIED)
def test_ordered_models(verdict: str) -> None:
    codes = {"separable": np.digitize(AGE, [1.5, 2.5]), "overlap": COIN + COIN * (AGE > 2)}
    codes["quasi-separable"] = np.where(STAGE == 1, 2, codes["overlap"])
    results = OrderedModel(codes[verdict], X[["age", "stage"]], distr="logit").fit(disp=0, method="bfgs")
    check = verified(results)
    assert check.verdict == verdict and check.claimed_converged and check.converged_is_true is (verdict == "overlap")
    if verdict == "quasi-separable":
        assert check.infinite == {"1/2": "+", "stage": "+"} or check.infinite == {"stage": "+"}
    thresholds = results.model.transform_threshold_params(np.asarray(results.params))[1:-1]
    assert [check.estimates[name] for name in ("0/1", "1/2")] == thresholds.tolist()
    assert "0/1" in check.standard_errors and "1/2" not in check.standard_errors


@pytest.mark.slow
@pytest.mark.parametrize("verdict", DIED)
def test_multinomial_logit(verdict: str) -> None:
    codes = {"separable": np.digitize(AGE, [1.5, 3.5]), "overlap": COIN + COIN * (np.arange(24) % 5 > 2)}
    codes["quasi-separable"] = np.where(STAGE == 1, 2, codes["overlap"])
    labels = np.array(["home", "ward", "unit"])[codes[verdict]]
    with warnings_of_fits(silent=False):
        results = sm.MNLogit(pd.Series(labels, name="place"), X).fit(disp=0)
    check = verified(results)
    assert check.verdict == verdict
    assert "the classes home, unit, ward; home is the reference" in check.event
    assert check.estimates["ward: age"] == np.asarray(results.params)[1, 1]
    if verdict == "quasi-separable":
        assert check.infinite is not None and check.infinite["unit: stage"] == "+"


@pytest.mark.slow
def test_cox_regression() -> None:
    time = AGE + np.arange(24) / 100
    with warnings_of_fits(silent=False):
        dies_first = sm.PHReg(np.where(STAGE == 1, time, time + 10), X[["stage"]], status=np.ones(24)).fit()
        never_dies = sm.PHReg(time, X[["stage"]], status=1 - STAGE).fit()
        mixed = sm.PHReg(time, X[["stage"]], status=np.ones(24)).fit()
    assert verified(dies_first).infinite == {"stage": "+"}
    assert verified(never_dies).infinite == {"stage": "-"}
    assert verified(mixed).verdict == "overlap" and mm.check_model(mixed).claimed_converged is None


def test_formulas_keep_the_names_of_their_terms() -> None:
    data = pd.DataFrame({"died": DIED["quasi-separable"], "age": AGE, "stage": np.where(STAGE == 1, "IV", "II")})
    results = smf.glm("died ~ age + C(stage)", data, family=sm.families.Binomial()).fit()
    check = verified(results)
    assert check.infinite == {"C(stage)[T.IV]": "+"} and check.finite == ("Intercept", "age")
    assert check.event == "the event is died = 1"
    table = json.loads(json.dumps(check.to_dict(), allow_nan=False))
    assert table["infinite"] == {"C(stage)[T.IV]": "+"} and table["converged_is_true"] is False


# How everybody with the stage is said to have died.
REASONS: dict[str, tuple[Callable[[Any], Any], str]] = {
    "Logit": (lambda y: sm.Logit(y, X).fit(disp=0), "y=1"),
    "grouped": (BINARY["GLM grouped"], "response=y1"),
    "Poisson": (lambda y: sm.Poisson(1 - y, X).fit(disp=0), "y=0"),
    "MNLogit": (lambda y: sm.MNLogit(2 * y, X).fit(disp=0), "y=2"),
}


@pytest.mark.parametrize("name", REASONS)
def test_reasons_are_about_rows_of_the_data(name: str) -> None:
    fit, has = REASONS[name]
    with warnings_of_fits(silent=False):
        check = mm.check_model(fit(DIED["quasi-separable"]))
    words = f"all 6 rows with stage = 1 have {has}"
    assert check.terms is not None
    assert [term.reason for term in check.terms] == [words]
    assert f"\n      {words}\n" in check.summary()


def test_a_combination_is_said_once() -> None:
    with warnings_of_fits(silent=False):
        check = mm.check_model(sm.GLM(DIED["separable"], X[["const", "age"]], family=sm.families.Binomial()).fit())
    assert check.terms is not None and {term.name for term in check.terms} == {"const", "age"}
    assert check.summary().count("is above 0 where y=1, and below 0 where y=0") == 1


def test_a_response_of_texts_has_its_first_level_as_the_event() -> None:
    died = np.where(DIED["quasi-separable"] == 1, "yes", "no")
    data = pd.DataFrame({"died": died, "age": AGE, "stage": STAGE})
    check = verified(smf.glm("died ~ age + stage", data, family=sm.families.Binomial()).fit())
    assert check.event == "the event is 'died[no]', the first column of the response"
    assert check.infinite == {"stage": "-"}


def test_rows_without_weight_are_dropped_and_other_weights_do_not_matter() -> None:
    y = DIED["quasi-separable"].copy()
    y[0] = 0  # overlap, but for a weight of 0
    for weight, verdict in ((0.0, "quasi-separable"), (1e-9, "overlap")):
        weights = np.r_[weight, np.full(23, 3.0)]
        results = sm.GLM(y, X, family=sm.families.Binomial(), freq_weights=weights, offset=AGE).fit()
        assert verified(results).verdict == verdict


def test_rows_are_traced_to_the_data_of_the_model() -> None:
    weights = np.r_[0.0, np.ones(23)]
    binary = mm.check_model(sm.GLM(COIN, X, family=sm.families.Binomial(), freq_weights=weights).fit())
    assert binary.positions.tolist() == list(range(1, 24))
    assert np.array_equal(binary.rows, X.to_numpy()[binary.positions])
    assert np.array_equal(binary.labels > 0, COIN[binary.positions] == 1)
    ordered = OrderedModel(np.arange(24) % 3, X[["age"]])
    check = mm.check_model(SimpleNamespace(model=ordered, params=np.zeros(3)))
    assert np.array_equal(check.rows[:, 2], -AGE[check.positions])
    matched = mm.check_model(ConditionalLogit(COIN, X[["age"]], groups=STRATA).fit())
    cases, controls = matched.positions.T
    assert np.array_equal(np.ravel(matched.rows) * matched.labels, (AGE[cases] - AGE[controls]) * 1.0)
    assert (COIN[cases] == 1).all() and (COIN[controls] == 0).all() and (STRATA[cases] == STRATA[controls]).all()


# A model of data in which rows may have missing values, and what it is to call row {} of them.
ROWS_GIVEN: dict[str, tuple[Callable[[pd.DataFrame], Any], str]] = {
    "formula": (lambda data: smf.logit("died ~ age + stage", data).fit(disp=0), "P{}"),
    "formula, index of numbers": (
        lambda data: smf.logit("died ~ age + stage", data.reset_index(drop=True)).fit(disp=0), "{}",
    ),
    "arrays": (
        lambda data: sm.Logit(data["died"].to_numpy(), data[["const", "age", "stage"]].to_numpy(), missing="drop").fit(
            disp=0
        ), "{}",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", ROWS_GIVEN)
def test_rows_are_called_as_in_the_data_that_were_given(name: str) -> None:
    fit, called = ROWS_GIVEN[name]
    data = X.assign(died=DIED["quasi-separable"]).set_axis([f"P{row}" for row in range(24)])
    data.loc[["P1", "P10"], "age"] = np.nan
    with warnings_of_fits(silent=False):
        check = mm.check_model(fit(data))
    rows = [called.format(row) for row in range(6) if row != 1]
    assert f"rows of the data that are separated: {', '.join(rows)}\n" in check.summary()
    assert check.answer is not None and list(map(str, check.answer.to_dict()["separated_rows_ids"])) == rows


def test_rows_of_differences_are_not_said_to_be_separated() -> None:
    data = X.set_axis([f"P{row}" for row in range(24)])
    died = pd.Series(DIED["quasi-separable"], index=data.index)
    with warnings_of_fits(silent=False):
        check = mm.check_model(ConditionalLogit(died, data[["age", "stage"]], groups=STRATA).fit(disp=0))
    assert check.row_names is not None and check.row_names[23] == "P23"
    assert check.answer is not None and check.answer.separated_rows is not None
    assert check.positions[check.answer.separated_rows].shape[1] == 2
    assert check.terms is None and " have " not in check.summary()
    assert "rows of the data that are separated" not in check.summary()  # a pair is separated, not its rows


def test_grouped_counts_with_both_outcomes_are_equalities() -> None:
    groups = sm.add_constant(np.array([0.0, 1.0, 1.0, 2.0]))
    results = sm.GLM([[0, 4], [2, 2], [1, 3], [4, 0]], groups, family=sm.families.Binomial()).fit()
    check = verified(results)
    assert check.verdict == "quasi-separable" and check.infinite == {"const": "-", "x1": "+"}
    assert check.rows.shape == (6, 2)


def test_a_response_of_one_class() -> None:
    with warnings_of_fits(silent=False):
        results = sm.GLM(np.ones(24), X, family=sm.families.Binomial()).fit()
    check = verified(results)
    assert check.verdict == "separable" and (check.infinite or {})["const"] == "+"
    assert check.terms is None  # the rows of the question are not those of the data


def test_differences_are_exact() -> None:
    """The differences of the first column are opposite in floats, and not opposite in the numbers as they are."""
    tiny = 2.0**-60
    exog = np.array([[1.0, 0.0], [tiny, 1.0], [1.0, 0.0], [0.0, 1.0]])
    assert exog[0, 0] - exog[1, 0] == exog[2, 0] - exog[3, 0]
    with warnings_of_fits(silent=False):
        results = ConditionalLogit(np.array([1, 0, 0, 1]), exog, groups=np.array([0, 0, 1, 1])).fit(skip_hessian=True)
    check = verified(results)
    assert any(isinstance(entry, Fraction) for entry in np.ravel(check.rows))
    assert np.isnan(list(check.standard_errors.values())).all()
    assert check.verdict == "separable" and check.answer is not None and check.answer.dimension == 2
    with warnings_of_fits(silent=False):
        level = ConditionalLogit(
            np.array([1, 0, 0, 1]), np.array([[0.3], [0.1], [0.3], [0.1]]), groups=np.array([0, 0, 1, 1])
        ).fit()
    assert verified(level).verdict == "overlap"


def test_equations_with_dependence_are_not_judged() -> None:
    structure = sm.cov_struct.Exchangeable()
    with warnings_of_fits(silent=False):
        results = sm.GEE(DIED["quasi-separable"], X, STRATA, family=sm.families.Binomial(), cov_struct=structure).fit()
    check = verified(results)
    assert check.verdict == "quasi-separable" and check.infinite == {"stage": "+"}
    assert check.claimed_converged and check.converged_is_true is None and not check.has_likelihood
    assert "of the estimating equations with the structure Exchangeable nothing is proven" in check.summary()


@pytest.mark.parametrize(
    ("alpha", "exists"), [([0.0, 1.0, 1.0], True), ([1.0, 1.0, 0.0], False), ([0.0, 0.0, 1.0], True), (1.0, True)]
)
def test_a_penalty_on_some_coefficients_leaves_the_question_of_the_others(alpha: Any, exists: bool) -> None:
    with warnings_of_fits(silent=False):
        results = sm.Logit(DIED["quasi-separable"], X).fit_regularized(alpha=alpha, disp=0)
    check = verified(results)
    assert check.is_penalised and check.verdict == "quasi-separable"
    assert check.claimed_converged and check.converged_is_true is exists
    assert ("coefficients without a penalty have no estimate" in check.summary()) != exists
    assert "unpenalised" in check.summary()


def test_a_penalty_that_is_not_kept() -> None:
    model = sm.GLM(DIED["quasi-separable"], X, family=sm.families.Binomial())
    check = verified(model.fit_regularized(alpha=1.0))
    assert check.is_penalised and check.converged_is_true is None and "which penalty" in check.summary()
    with warnings_of_fits(silent=False):
        refit = mm.check_model(model.fit_regularized(alpha=0.01, refit=True))
    assert refit.verdict == "undecided" and "columns that one had chosen" in refit.reason


@pytest.mark.slow
def test_a_penalty_of_estimating_equations() -> None:
    with warnings_of_fits(silent=False):
        results = sm.GEE(COIN, X, STRATA, family=sm.families.Binomial()).fit_regularized(0.1)
    check = mm.check_model(results)
    assert check.verdict == "undecided" and "fitted with a penalty" in check.reason


def test_other_questions_are_left_open_with_the_reason() -> None:
    binomial, y = sm.families.Binomial, DIED["overlap"]
    unused = pd.Series(pd.Categorical(np.where(y == 1, "b", "a"), ["a", "b", "c"], ordered=True))
    with warnings_of_fits(silent=False):
        cases = {
            "link Log": sm.GLM(y, X[["const"]], family=binomial(LINKS.Log())).fit(),
            "link Identity": sm.GLM(y, X[["const"]], family=binomial(LINKS.Identity())).fit(),
            "family Gaussian": sm.GLM(y, X).fit(),
            "statsmodels OLS": sm.OLS(y, X).fit(),
            "statsmodels NegativeBinomial": sm.NegativeBinomial(y, X).fit(disp=0),
            "linear constraints": sm.GLM(y, X, family=binomial()).fit_constrained("stage = 0"),
            "has no rows": SimpleNamespace(model=OrderedModel(unused, X[["age"]]), params=np.zeros(3)),
        }
    for words, results in cases.items():
        check = mm.check_model(results)
        assert check.verdict == "undecided" and words in check.reason, words
        assert (check.infinite, check.finite, check.aliased, check.certificate) == (None, None, None, None)
        assert check.converged_is_true is None and f"reason: {check.reason}" in check.summary()
        assert check.claimed_converged == getattr(results, "converged", check.claimed_converged)


def test_a_link_of_ones_own_is_not_taken_for_that_of_statsmodels() -> None:
    class Logit(LINKS.Logit):
        """It might be anything."""

    with warnings_of_fits(silent=False):
        results = sm.GLM(COIN, X, family=sm.families.Binomial(Logit())).fit()
    assert mm.check_model(results).verdict == "undecided"


def test_data_that_were_removed() -> None:
    for name in ("GLM Logit", "Logit by BFGS"):
        results = BINARY[name](COIN)
        results.remove_data()
        check = mm.check_model(results)
        assert check.verdict == "undecided" and "removed" in check.reason


def test_aliased_columns_are_reported_apart() -> None:
    doubled = X.assign(twice=2 * AGE)
    with warnings_of_fits(silent=False):
        results = sm.GLM(DIED["quasi-separable"], doubled, family=sm.families.Binomial()).fit()
    check = verified(results)
    assert check.aliased == ("twice",) and check.infinite == {"stage": "+"}


def test_columns_that_depend_on_others_up_to_rounding_are_named() -> None:
    standardised = X.assign(scaled=(AGE - AGE.mean()) / AGE.std())
    with warnings_of_fits(silent=False):
        results = sm.GLM(DIED["quasi-separable"], standardised, family=sm.families.Binomial()).fit()
    check = verified(results)
    assert check.answer is not None and check.answer.verdict_without_nearly_aliased == "quasi-separable"
    assert re.search(r"\n  scaled depends linearly on const, .*age up to rounding \(relative .*\)\n", check.summary())
    assert "without this column, the verdict is quasi-separable" in check.summary()


def test_results_have_their_data_with_them() -> None:
    results = BINARY["GLM Logit"](COIN)
    with pytest.raises(InvalidOptionError, match="expected neither X nor y"):
        mm.check_model(results, X, COIN)


def test_strata_whose_counts_are_equal_are_dropped_as_in_the_model() -> None:
    groups = np.array([0, 0, 1, 1])
    with warnings_of_fits(silent=False):
        results = ConditionalPoisson(np.array([0.0, 1, 2, 2]), np.array([[1.0], [0], [3], [5]]), groups=groups).fit(
            disp=0
        )
    assert results.model.loglike(np.array([-30.0])) > results.model.loglike(np.array([-5.0]))
    assert verified(results).infinite == {"x1": "-"}


@pytest.mark.parametrize(
    "fitted",
    [
        lambda: sm.PHReg(np.array([1.0, 2]), np.array([[1.0], [0]]), status=np.array([1, 0])).fit(disp=0),
        lambda: sm.GLM([1.0, 0.0], [[1.0], [2.0]], sm.families.Binomial(), freq_weights=np.array([1.0, 0.0])).fit(),
        lambda: ConditionalLogit(np.array([1, 0]), np.array([[1.0], [0.0]]), groups=np.zeros(2)).fit(disp=0),
    ],
)
def test_one_row_that_can_be_compared(fitted: Callable[[], Any]) -> None:
    with warnings_of_fits(silent=False):
        assert verified(fitted()).infinite == {"x1": "+"}


def test_the_rows_of_a_cox_model_are_not_read_off_its_chain() -> None:
    """Row 0, an event, is separated from row 2, which the chain compares with row 1 only."""
    status = np.array([1, 1, 0, 0])
    with warnings_of_fits(silent=False):
        results = sm.PHReg(np.array([1.0, 2, 3, 4]), np.array([[1.0], [1], [0], [1]]), status=status).fit(disp=0)
    assert (
        verified(results).verdict == "quasi-separable" and "that are separated" not in mm.check_model(results).summary()
    )


def test_a_threshold_that_was_not_printed_is_not_called_printed() -> None:
    y = pd.Series(pd.Categorical(np.where(STAGE == 1, 2, COIN).tolist(), categories=[0, 1, 2], ordered=True))
    with warnings_of_fits(silent=False):
        results = OrderedModel(y, X[["age", "stage"]], distr="logit").fit(disp=0, method="bfgs")
    text = mm.check_model(results).summary()
    assert "1/2: +infinity (by what was printed " in text and "that follow from the data" in text


def test_responses_that_are_shares_and_models_that_are_not_examined() -> None:
    with warnings_of_fits(silent=False):
        shares = sm.Logit(np.clip(COIN, 0.2, 0.8), X).fit(disp=0)
    assert "taken as shares" in mm.check_model(shares).summary()
    others = mm.check_model(sm.OLS(COIN, X).fit()).summary()
    assert "whether the maximum-likelihood estimate exists was not examined" in others
    with pytest.raises(InvalidOptionError, match="a Logit that is not fitted"):
        mm.check_model(sm.Logit(COIN, X))
