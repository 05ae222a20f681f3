"""What fitted models of statsmodels claim, next to what is proven, on data whose answer is known by construction."""

import json
import re
import warnings
from collections.abc import Callable
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


def binomial(y: Any, exog: Any = X, link: Any = LINKS.Logit, **options: Any) -> Any:
    return sm.GLM(y, exog, family=sm.families.Binomial(link()), **options)


def glm(link: Any) -> Callable[[Any], Any]:
    return lambda y: binomial(y, link=link).fit()


BINARY: dict[str, Callable[[Any], Any]] = {
    "Logit": lambda y: sm.Logit(y, X).fit(disp=0),
    "Logit by BFGS": lambda y: sm.Logit(y, X).fit(disp=0, method="bfgs"),
    "Probit": lambda y: sm.Probit(y, X).fit(disp=0),
    "Probit by BFGS": lambda y: sm.Probit(y, X).fit(disp=0, method="bfgs"),
    **{f"GLM {name}": glm(getattr(LINKS, name)) for name in ("Logit", "Probit", "CLogLog", "LogLog", "Cauchy")},
    "GLM grouped": lambda y: binomial(np.c_[2 * y, 2 - 2 * y]).fit(),
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


def quietly(fit: Callable[..., Any], *arguments: Any, silent: bool = False, **options: Any) -> Any:
    """Fit without the warnings of statsmodels; where it is to be silent, each is an error."""
    with warnings.catch_warnings():
        if not silent:
            warnings.simplefilter("ignore")
        return fit(*arguments, **options)


def verified(results: Any) -> mm.ModelCheck:
    check = mm.check_model(results)
    assert check.answer is not None and mm.verify(check.certificate, check.rows, check.labels)
    return check


@pytest.mark.parametrize("verdict", DIED)
@pytest.mark.parametrize("name", [n if n == "GLM Logit" else pytest.param(n, marks=pytest.mark.slow) for n in BINARY])
def test_binary_models(name: str, verdict: str) -> None:
    results = quietly(BINARY[name], DIED[verdict], silent=name in SILENT and verdict != "separable")
    check = verified(results)
    assert check.verdict == verdict and not check.is_penalised and check.has_likelihood
    if verdict == "quasi-separable":
        assert check.infinite == {"stage": "+"} and set(check.finite or ()) == {*check.estimates} - {"stage"}
        assert name not in SILENT or check.claimed_converged is not False
    if verdict == "separable":
        assert check.infinite is not None and check.infinite["age"] == "+" and check.finite == ()
    assert (check.infinite == {}) == (verdict == "overlap")
    judged = {True: verdict == "overlap", False: None, None: None}
    assert check.converged_is_true is judged[check.claimed_converged]
    assert check.estimates == dict(zip(check.estimates, np.asarray(results.params).tolist(), strict=True))
    assert check.standard_errors == dict(zip(check.estimates, np.asarray(results.bse).tolist(), strict=True))


@pytest.mark.parametrize("verdict", COUNTS)
@pytest.mark.parametrize(
    "name", [n if n == "GLM Poisson" else pytest.param(n, marks=pytest.mark.slow) for n in COUNTED]
)
def test_counts(name: str, verdict: str) -> None:
    check = verified(quietly(COUNTED[name], COUNTS[verdict], silent=name in SILENT))
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
    results = quietly(sm.MNLogit(pd.Series(labels, name="place"), X).fit, disp=0)
    check = verified(results)
    assert check.verdict == verdict
    assert "the classes home, unit, ward; home is the reference" in check.event
    assert check.estimates["ward: age"] == np.asarray(results.params)[1, 1]
    if verdict == "quasi-separable":
        assert check.infinite is not None and check.infinite["unit: stage"] == "+"


def test_formulas_keep_the_names_of_their_terms() -> None:
    data = pd.DataFrame({"died": DIED["quasi-separable"], "age": AGE, "stage": np.where(STAGE == 1, "IV", "II")})
    check = verified(smf.glm("died ~ age + C(stage)", data, family=sm.families.Binomial()).fit())
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
    check = mm.check_model(quietly(fit, DIED["quasi-separable"]))
    words = f"all 6 rows with stage = 1 have {has}"
    assert [term.reason for term in check.terms] == [words]
    assert f"\n      {words}\n" in check.summary()


def test_a_combination_is_said_once() -> None:
    check = mm.check_model(quietly(binomial(DIED["separable"], X[["const", "age"]]).fit))
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
        assert verified(binomial(y, freq_weights=weights, offset=AGE).fit()).verdict == verdict


def test_rows_are_traced_to_the_data_of_the_model() -> None:
    binary = mm.check_model(binomial(COIN, freq_weights=np.r_[0.0, np.ones(23)]).fit())
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
    check = mm.check_model(quietly(fit, data))
    rows = [called.format(row) for row in range(6) if row != 1]
    assert f"rows of the data that are separated: {', '.join(rows)}\n" in check.summary()
    assert check.answer is not None and list(map(str, check.answer.to_dict()["separated_rows_ids"])) == rows


@pytest.mark.filterwarnings("ignore:Dropped")
def test_both_rows_of_a_separated_difference_are_named_with_their_stratum() -> None:
    data = X.set_axis([f"P{row}" for row in range(24)])
    died, wards = pd.Series(DIED["quasi-separable"], index=data.index), np.array(list("abcd"))[STRATA]
    check = mm.check_model(ConditionalLogit(died, data[["age", "stage"]], groups=wards))
    assert check.separated_strata == tuple(dict.fromkeys(wards[check.separated_rows]))
    assert check.terms is None and " have " not in check.summary()
    assert "rows of the data in pairs that are separated: P0, " in check.summary()
    assert "strata with such rows: a, " in check.summary()


def test_separated_rows_of_several_questions_are_their_union() -> None:
    codes = np.where(STAGE == 1, 2, COIN + COIN * (np.arange(24) % 5 > 2))
    check = mm.check_model(sm.MNLogit(codes, X))
    table = json.loads(json.dumps(check.to_dict(), allow_nan=False))
    assert check.separated_rows.tolist() == table["separated_rows"] == list(range(6))
    assert table["separated_rows_by_question"] == {"": {"rows": list(range(6)), "rows_count": 6, "rows_ids": None}}


# How models of statsmodels are asked before their fit, of data in which everybody with the stage has the event.
UNFITTED: dict[str, Callable[[Any], Any]] = {
    "Logit": lambda y: sm.Logit(y, X), "Probit": lambda y: sm.Probit(y, X), "GLM": binomial,
    "Poisson": lambda y: sm.Poisson(1 - y, X), "MNLogit": lambda y: sm.MNLogit(2 * y, X),
    "OrderedModel": lambda y: OrderedModel(2 * y, X[["age", "stage"]]),
    "ConditionalLogit": lambda y: ConditionalLogit(y, X[["age", "stage"]], groups=STRATA),
    "ConditionalPoisson": lambda y: ConditionalPoisson(1 - y, X[["age", "stage"]], groups=STRATA),
    "PHReg": lambda y: sm.PHReg(AGE + np.arange(24) / 100, X[["stage"]], status=1 - STAGE),
    "GEE": lambda y: sm.GEE(y, X, STRATA, family=sm.families.Binomial()),
}  # fmt: skip


@pytest.mark.filterwarnings("ignore:Dropped")
@pytest.mark.parametrize("name", UNFITTED)
def test_a_model_is_asked_before_its_fit(name: str) -> None:
    check = verified(UNFITTED[name](DIED["quasi-separable"]))
    assert check.verdict != "overlap" and any("stage" in name for name in check.infinite or ())
    assert not check.is_fitted and check.claimed_converged is check.converged_is_true is None
    assert not check.estimates and not check.standard_errors and {*check.separated_rows} & {*range(6)}
    assert "\n  it was not fitted\n" in check.summary() and "printed" not in check.summary()


def test_grouped_counts_with_both_outcomes_are_equalities() -> None:
    groups = sm.add_constant(np.array([0.0, 1.0, 1.0, 2.0]))
    check = verified(binomial([[0, 4], [2, 2], [1, 3], [4, 0]], groups).fit())
    assert check.verdict == "quasi-separable" and check.infinite == {"const": "-", "x1": "+"}
    assert check.rows.shape == (6, 2)


def test_a_response_of_one_class() -> None:
    check = verified(quietly(binomial(np.ones(24)).fit))
    assert check.verdict == "separable" and (check.infinite or {})["const"] == "+"
    assert check.terms is None  # the rows of the question are not those of the data


def test_equations_with_dependence_are_not_judged() -> None:
    options = {"family": sm.families.Binomial(), "cov_struct": sm.cov_struct.Exchangeable()}
    check = verified(quietly(sm.GEE(DIED["quasi-separable"], X, STRATA, **options).fit))
    assert check.verdict == "quasi-separable" and check.infinite == {"stage": "+"}
    assert check.claimed_converged and check.converged_is_true is None and not check.has_likelihood
    assert "of the estimating equations with the structure Exchangeable nothing is proven" in check.summary()


@pytest.mark.parametrize(
    ("alpha", "exists"), [([0.0, 1.0, 1.0], True), ([1.0, 1.0, 0.0], False), ([0.0, 0.0, 1.0], True), (1.0, True)]
)
def test_a_penalty_on_some_coefficients_leaves_the_question_of_the_others(alpha: Any, exists: bool) -> None:
    check = verified(quietly(sm.Logit(DIED["quasi-separable"], X).fit_regularized, alpha=alpha, disp=0))
    assert check.is_penalised and check.verdict == "quasi-separable"
    assert check.claimed_converged and check.converged_is_true is exists
    assert ("coefficients without a penalty have no estimate" in check.summary()) != exists
    assert "unpenalised" in check.summary()


def test_a_penalty_that_is_not_kept() -> None:
    model = binomial(DIED["quasi-separable"])
    check = verified(model.fit_regularized(alpha=1.0))
    assert check.is_penalised and check.converged_is_true is None and "which penalty" in check.summary()
    refit = mm.check_model(quietly(model.fit_regularized, alpha=0.01, refit=True))
    assert refit.verdict == "undecided" and "columns that one had chosen" in refit.reason


@pytest.mark.slow
def test_a_penalty_of_estimating_equations() -> None:
    check = mm.check_model(quietly(sm.GEE(COIN, X, STRATA, family=sm.families.Binomial()).fit_regularized, 0.1))
    assert check.verdict == "undecided" and "fitted with a penalty" in check.reason


def test_other_questions_are_left_open_with_the_reason() -> None:
    y = DIED["overlap"]
    unused = pd.Series(pd.Categorical(np.where(y == 1, "b", "a"), ["a", "b", "c"], ordered=True))
    cases = {
        "link Log poses another question than separability, or none: whether the likelihood has a maximum among the "
        "v with x.v <= 0": quietly(binomial, y, X, LINKS.Log),
        "0 <= x.v <= 1": quietly(lambda: binomial(y, X[["const"]], LINKS.Identity).fit()),
        "family Gaussian": quietly(sm.GLM(y, X).fit),
        "statsmodels OLS": quietly(sm.OLS(y, X).fit),
        "statsmodels NegativeBinomial": quietly(sm.NegativeBinomial(y, X).fit, disp=0),
        "linear constraints": quietly(binomial(y).fit_constrained, "stage = 0"),
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

    assert mm.check_model(quietly(binomial(COIN, link=Logit).fit)).verdict == "undecided"


def test_data_that_were_removed() -> None:
    for name in ("GLM Logit", "Logit by BFGS"):
        results = BINARY[name](COIN)
        results.remove_data()
        check = mm.check_model(results)
        assert check.verdict == "undecided" and "removed" in check.reason


def test_aliased_columns_are_reported_apart() -> None:
    check = verified(quietly(binomial(DIED["quasi-separable"], X.assign(twice=2 * AGE)).fit))
    assert check.aliased == ("twice",) and check.infinite == {"stage": "+"}


def test_columns_that_depend_on_others_up_to_rounding_are_named() -> None:
    standardised = X.assign(scaled=(AGE - AGE.mean()) / AGE.std())
    check = verified(quietly(binomial(DIED["quasi-separable"], standardised).fit))
    assert check.answer is not None and check.answer.verdict_without_nearly_aliased == "quasi-separable"
    assert re.search(r"\n  scaled depends linearly on const, .*age up to rounding \(relative .*\)\n", check.summary())
    assert "without this column, the verdict is quasi-separable" in check.summary()


def test_results_have_their_data_with_them() -> None:
    with pytest.raises(InvalidOptionError, match="expected neither X nor y"):
        mm.check_model(BINARY["GLM Logit"](COIN), X, COIN)


def test_strata_whose_counts_are_equal_are_dropped_as_in_the_model() -> None:
    counts, exog, groups = np.array([0.0, 1, 2, 2]), np.array([[1.0], [0], [3], [5]]), np.array([0, 0, 1, 1])
    results = quietly(lambda: ConditionalPoisson(counts, exog, groups=groups).fit(disp=0))
    assert results.model.loglike(np.array([-30.0])) > results.model.loglike(np.array([-5.0]))
    assert verified(results).infinite == {"x1": "-"}


@pytest.mark.parametrize("model", [
    sm.PHReg(np.array([1.0, 2]), np.array([[1.0], [0]]), status=np.array([1, 0])),
    binomial([1.0, 0.0], [[1.0], [2.0]], freq_weights=np.array([1.0, 0.0])),
    ConditionalLogit(np.array([1, 0]), np.array([[1.0], [0.0]]), groups=np.zeros(2)),
])  # fmt: skip
def test_one_row_that_can_be_compared(model: Any) -> None:
    assert verified(quietly(model.fit)).infinite == {"x1": "+"}


def test_a_threshold_that_was_not_printed_is_not_called_printed() -> None:
    y = pd.Series(pd.Categorical(np.where(STAGE == 1, 2, COIN).tolist(), categories=[0, 1, 2], ordered=True))
    results = quietly(OrderedModel(y, X[["age", "stage"]], distr="logit").fit, disp=0, method="bfgs")
    text = mm.check_model(results).summary()
    assert "1/2: +infinity (by what was printed " in text and "that follow from the data" in text


def test_responses_that_are_shares_and_models_that_are_not_examined() -> None:
    shares = quietly(sm.Logit(np.clip(COIN, 0.2, 0.8), X).fit, disp=0)
    assert "taken as shares" in mm.check_model(shares).summary()
    others = mm.check_model(sm.OLS(COIN, X).fit()).summary()
    assert "whether the maximum-likelihood estimate exists was not examined" in others
    assert "it was not fitted" in mm.check_model(sm.OLS(COIN, X)).summary()
