"""Likelihoods before a fit: verdicts, rows and proofs by other ways, and what is refused."""

from typing import Any

import pandas as pd
import pytest
from cases import for_each
from family_cases import FAMILIES, answer_of, random_case, strict_by_program

import maxmargin as mm
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.proof.checker import CertificateError, check, parse


@pytest.mark.parametrize("family", FAMILIES)
@for_each("seed", range(40))
def test_verdict_and_rows_are_those_of_the_inequalities_by_definition(family: str, seed: int) -> None:
    case = random_case(family, seed)
    vectors = [] if case is None else case.inequalities()
    if case is None or not vectors:
        return
    strict = strict_by_program([z for z, _ in vectors])
    answer = answer_of(case)
    expected = "separable" if strict.all() else "quasi-separable" if strict.any() else "overlap"
    assert (answer.verdict, answer.estimate_exists) == (expected, expected == "overlap")
    apart = {case.kept[i] for is_strict, (_, rows) in zip(strict, vectors, strict=True) if is_strict for i in rows}
    assert answer.separated_rows.tolist() == sorted(apart)
    proof, responses = parse(answer.certificate.to_json().encode()), answer.likelihood.responses.tolist()
    check(proof, case.rows, responses)
    for i in range(len(responses)):
        other = [list(response) for response in responses]
        other[i][-1] += 1 if family != "conditional" else 7
        with pytest.raises(CertificateError):
            check(proof, case.rows, other)


STATA = pd.DataFrame(
    {"y": [3, 2, 0, 4, 0, 0, 1, 2], "treat": [0, 0, 0, 0, 1, 1, 0, 0], "age": [1, 2, 3, 4, 2, 3, 5, 6]}
)
COHORT = pd.DataFrame({"time": [1, 2, 2, 4], "died": [1, 1, 0, 0], "x": [3.0, 2.0, 1.0, 1.0], "site": list("aabb")})
GROUPED = pd.DataFrame({"s": [3, 2, 0, 0], "f": [1, 2, 4, 4], "m": [4, 4, 4, 4], "x": [0, 0, 1, 1]})


def test_published_cases() -> None:
    counts = mm.separability(STATA, "y ~ treat + age", family="poisson")
    assert (counts.infinite_columns, counts.separated_rows.tolist()) == ({"treat": "-"}, [4, 5])
    assert "all 2 rows with treat = 1 have y=0" in counts.summary()
    choices = pd.DataFrame({
        "g": [0, 0, 0, 1, 1, 1, 2, 2, 2], "choice": [1, 0, 0, 1, 0, 0, 1, 0, 0],
        "price": [1.0, 2, 3, 2, 1, 4, 5, 2, 3], "menu": [2.0, 2, 2, 3, 3, 3, 4, 4, 4],
    })  # fmt: skip
    choice = mm.separability(choices, "choice ~ price + menu", family="conditional", strata="g")
    assert (choice.estimate_exists, choice.finite_columns, choice.aliased_columns) == (True, ("price",), ("menu",))
    sas = pd.DataFrame({"x": list("AABB"), "y": list("CDCD"), "weight": [5, 0, 10, 5]})
    weighted = mm.separability(sas, "y ~ x", weights="weight")
    assert (weighted.verdict, weighted.separated_rows.tolist()) == ("quasi-separable", [0])
    assert weighted.finite_part().rows.tolist() == weighted.touching_rows.tolist() == [2, 3]


def test_weights_trials_and_levels_are_read_in_every_form() -> None:
    both = mm.separability(GROUPED, "s + f ~ x", family="binomial")
    trials = mm.separability(GROUPED[["s", "m", "x"]], "s", family="binomial", trials="m")
    arrays = mm.separability(GROUPED[["x"]].to_numpy(), [3, 2, 0, 0], family="binomial", trials=[4, 4, 4, 4])
    assert both.infinite_columns == trials.infinite_columns == {"x": "-"} and arrays.infinite_columns == {0: "-"}
    assert both.certificate.problem.sha256 == trials.certificate.problem.sha256 == arrays.certificate.problem.sha256
    doubled = mm.separability(GROUPED.assign(w=[1, 2, 3, 0.5]), "s + f ~ x", family="binomial", weights="w")
    assert doubled.certificate.problem.sha256 == both.certificate.problem.sha256
    cox = mm.separability(COHORT, "Surv(time, died) ~ x", family="cox", strata="site")
    assert (cox.separated_rows.tolist(), cox.separated_strata, cox.family) == ([0, 1], ["a"], "cox")
    stages = pd.DataFrame({"y": ["lo", "hi", "mid", "hi"], "x": [1, 3, 2, 4]})
    ordered = stages.assign(y=pd.Categorical(stages["y"], ["none", "lo", "mid", "hi"], ordered=True))
    by_type = mm.separability(ordered, "y ~ x", family="ordinal")
    by_levels = mm.separability(stages, "y ~ x", family="ordinal", levels=["lo", "mid", "hi"])
    assert list(by_type.infinite_columns) == list(by_levels.infinite_columns) == ["lo|mid", "mid|hi", "x"]
    assert by_type.certificate.problem.sha256 == by_levels.certificate.problem.sha256


def test_differences_are_exact() -> None:
    """0.3 - 0.2 is not 0.2 - 0.1: rounded differences would be equal, and the estimate would exist."""
    X, y, strata = [[0.3], [0.2], [0.1], [0.2]], [1, 0, 1, 0], [0, 0, 1, 1]
    assert mm.separability(X, y, family="conditional", strata=strata).estimate_exists
    below = mm.separability([[0.3], [0.2], [0.1 + 0.2], [0.3]], y, family="conditional", strata=strata)
    assert (below.verdict, below.infinite_columns) == ("separable", {0: "+"})


def test_numbers_that_may_be_counts_are_said_to_be() -> None:
    frame = pd.DataFrame({"y": [0, 1, 2, 3, 4, 7], "x": range(6)})
    assert 'family="poisson"' in mm.separability(frame, "y ~ x").summary()
    assert 'family="poisson"' not in mm.separability(frame.assign(y=frame["y"] - 1), "y ~ x").summary()


@pytest.mark.parametrize(
    ("y", "options", "message"),
    [
        ("time ~ x", {"family": "gamma"}, "family= is 'gamma'; expected one of binomial, poisson"),
        ("time ~ x", {"family": "poisson", "strata": "site"}, "strata= is for the family conditional and cox"),
        ("time ~ x", {"family": "cox", "status": "dead"}, "status= is 'dead'; expected one of the columns"),
        ("time ~ x", {"family": "cox", "status": [1, 2, 0, 0]}, "status, row 1: found 2, expected 1 for an event"),
        ("time ~ x", {"family": "cox", "entry": [0, 0, 2, 0]}, "row 2: found 2, 2, expected an entry before the time"),
        ("Surv(time, died) ~ x", {}, "expected family= cox"),
        ("died + time ~ x", {"family": "poisson"}, "expected family= binomial"),
        ("time ~ x", {"family": "binomial", "trials": [1, 1, 1, 1]}, "row 1: found 2, 1, expected whole numbers"),
        ("x ~ time", {"family": "poisson", "weights": [0, 0, 0, 0]}, "no row has a weight above 0"),
        ("site ~ x", {"family": "ordinal", "levels": ["b"]}, "whose order is not known; expected levels="),
        ("died ~ x", {"family": "conditional", "strata": "time", "weights": [1, 0, 0, 1]}, "no two can be compared"),
        ("x ~ time", {"family": "poisson", "method": "highs"}, "decided by one engine"),
    ],
)
def test_what_does_not_fit_is_refused_in_words(y: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises((InvalidOptionError, mm.InvalidProblemError)) as refusal:
        mm.separability(COHORT, y, **options)
    assert message in str(refusal.value)
