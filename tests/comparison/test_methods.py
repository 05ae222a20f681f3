"""Every installed method on separable, overlapping and quasi-separable data: its keys, its claims, its hyperplane."""

from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from cases import for_each
from commands import python
from method_cases import CASES, NOT_NEGATIVE, SLOW, Case
from sklearn import linear_model, svm

import maxmargin as mm
from maxmargin.comparison.methods import cvxpy_solvers
from maxmargin.comparison.methods.every_method import catalogue, method_of
from maxmargin.comparison.methods.method import Answer, Claim, QuestionKind
from maxmargin.comparison.methods.recorded_warnings import with_warnings
from maxmargin.solvers.engines.textbook import backends

INSTALLED = [name for name, method in catalogue().items() if method.is_installed]

# Methods whose claims have to be true of any data.
EXACT = [
    name for name in INSTALLED if name.startswith(("perceptron", "online.", "hard-", "soft-", "lp", "z3", "qsopt_ex"))
]

PEERS = (
    *("clarabel", "cvxpy", "firthmodels", "gamfit", "highspy", "libsvm", "piqp", "scipy", "sklearn", "skglm"),
    *("statsmodels", "superADMM", "z3"),
)

# For every claim about the data, the verdicts of which it is true.
TRUE_OF = {
    Claim.SEPARABLE: {"separable"},
    Claim.NOT_SEPARABLE: {"quasi-separable", "overlap"},
    Claim.SEPARATION: {"separable", "quasi-separable"},
    Claim.NO_SEPARATION: {"overlap"},
    Claim.ESTIMATE_EXISTS: {"overlap"},
}

KEYS = {"w", "b", "claim", "message", "n_mistakes", "n_updates", "capped", "objective", "run"}


def run(name: str, case: Case, **params: Any) -> Answer:
    """Run a method, with parameters that make it end soon; a warning of a peer that gets out is an error."""
    return method_of(name).fit(case.X, case.y, seed=0, time_limit=20.0, **SLOW.get(name, {}) | params)


@cache
def answer_of(name: str, case: str) -> Answer:
    """Run a method once for all tests of this answer."""
    return run(name, CASES[case])


def skip_without(name: str) -> None:
    if name not in INSTALLED:
        pytest.skip(f"{name} is not installed")


def margin_of(case: Case, answer: Answer) -> float:
    w = np.asarray(answer["w"])
    return float((case.y * (case.X @ w + answer.get("b", 0.0))).min() / np.linalg.norm(w))


def of_question(prefix: str) -> list[str]:
    """Return the solvers that are installed for a program."""
    return [name for name in INSTALLED if name.startswith("cvxpy") and name.rpartition(".")[0] == prefix]


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
def test_the_cases_are_what_they_are_called(case: Case) -> None:
    assert mm.separability(case.X, case.y, positive=1.0).verdict == case.verdict


def test_the_list_of_methods_imports_no_peer() -> None:
    code = (
        "import sys; from maxmargin.comparison.methods.every_method import catalogue\n"
        "for method in catalogue().values(): method.is_installed, method.summary, method.parameters, method.version\n"
        f"print([name for name in {PEERS} if name in sys.modules])"
    )
    assert python(code) == "[]\n"


@for_each("name", catalogue())
def test_a_method_says_what_it_is(name: str) -> None:
    method = catalogue()[name]
    assert method.name == name
    assert method.question in QuestionKind
    assert method.summary and "\n" not in method.summary
    assert method.version or not method.is_installed


@for_each("name", catalogue())
def test_an_unknown_parameter_is_refused_by_name(name: str) -> None:
    method = catalogue()[name]
    with pytest.raises(mm.InvalidProblemError, match=f"{name} has no parameter 'no_such'"):
        method.check("no_such")
    for parameter in method.parameters:
        method.check(parameter)


def test_names_that_are_nearly_right_are_answered_with_the_right_ones() -> None:
    assert method_of("romma") is method_of("online.romma")
    assert method_of("perceptron") is not method_of("online.perceptron")
    with pytest.raises(mm.InvalidProblemError, match="hard-margin"):
        method_of("hard-margn")
    with pytest.raises(mm.InvalidProblemError, match="beta"):
        method_of("margin-perceptron").check("betta")


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
@pytest.mark.parametrize("name", [name for name in INSTALLED if name not in NOT_NEGATIVE])
def test_an_answer_has_the_keys_and_types_of_the_contract(name: str, case: Case) -> None:
    answer = answer_of(name, case.name)
    assert set(answer) <= KEYS
    assert answer["claim"] is None or answer["claim"] in Claim
    assert isinstance(answer["message"], str) and answer["message"]
    assert isinstance(answer.get("capped", False), bool)
    assert all(isinstance(answer.get(name), int | np.integer | None) for name in ("n_mistakes", "n_updates"))
    if answer["w"] is not None:
        w = np.asarray(answer["w"], dtype=np.float64)
        assert w.shape == (case.X.shape[1],) and np.isfinite(w).all() and np.isfinite(answer.get("b", 0.0))
    if answer.get("objective"):
        assert {"C", "intercept"} <= set(answer["objective"]) <= {"C", "intercept", "dual"}
    if answer["claim"] == Claim.OPTIMAL:
        assert answer["objective"] and answer["w"] is not None
    if answer["claim"] in (Claim.SEPARATES, Claim.MAXIMUM_MARGIN):
        assert answer["w"] is not None


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
@pytest.mark.parametrize("name", [name for name in INSTALLED if name not in NOT_NEGATIVE])
def test_claims_are_true_and_programs_and_rules_make_them(name: str, case: Case) -> None:
    """Rules and programs in floating point are right about data that are as well conditioned as these."""
    answer, is_separable = answer_of(name, case.name), case.verdict == "separable"
    claim, is_hard_margin = answer["claim"], name in [*of_question("cvxpy"), "superADMM"]
    if (name in EXACT and claim in TRUE_OF) or name.startswith(("rule.", "firthmodels")):
        assert case.verdict in TRUE_OF[claim]
    if is_hard_margin and not is_separable:
        assert claim == Claim.NOT_SEPARABLE
    if is_separable and (is_hard_margin or name in of_question("cvxpy.nearest-points")):
        assert claim == Claim.MAXIMUM_MARGIN
        rel = 1e-3 if name.endswith(("SCS", "OSQP", "SCIP")) else 1e-6
        assert margin_of(case, answer) == pytest.approx(mm.hard_margin(case.X, case.y).margin, rel=rel)
    if name in EXACT and claim in (Claim.SEPARATES, Claim.SEPARABLE, Claim.MAXIMUM_MARGIN):
        assert margin_of(case, answer) > 0
    if name in EXACT and claim == Claim.MAXIMUM_MARGIN:
        assert margin_of(case, answer) == pytest.approx(mm.hard_margin(case.X, case.y).margin, rel=1e-9)


@for_each("case", CASES.values())
@for_each("name", ["hard-margin", "soft-margin", "lp", "z3", "qsopt_ex"])
def test_methods_that_decide_claim_something(name: str, case: Case) -> None:
    if name in INSTALLED:
        assert answer_of(name, case.name)["claim"] is not None


FAR = Case("far", np.array([[10.0], [11.0], [20.0], [21.0]]), np.array([-1.0, -1.0, 1.0, 1.0]), "separable")


def test_what_holds_through_the_origin_is_not_claimed_of_all_hyperplanes() -> None:
    near = replace(FAR, X=FAR.X - 15.0)
    assert [run(name, FAR, bias=False)["claim"] for name in ("hard-margin", "lp")] == [None, None]
    assert [run(name, near, bias=False)["claim"] for name in ("hard-margin", "lp")] == ["separates", "separable"]


def test_a_regression_without_an_intercept_claims_nothing() -> None:
    some, none = (run("sklearn.LogisticRegression", FAR, C=np.inf, fit_intercept=has) for has in (True, False))
    assert none["claim"] is None and some["claim"] in (None, Claim.ESTIMATE_EXISTS)


@pytest.mark.slow
@pytest.mark.parametrize("name", of_question("cvxpy.max-t"))
def test_the_linear_program_decides_what_is_far_from_its_tolerance(name: str) -> None:
    separable = CASES["separable"]
    answer = answer_of(name, "separable")
    assert answer["claim"] == Claim.SEPARABLE and margin_of(separable, answer) > 0
    assert answer_of(name, "overlap")["claim"] == Claim.NOT_SEPARABLE
    if name.endswith(("HIGHS", "SCIPY")):  # the rule is wrong about small units, which is why it is compared
        assert run(name, replace(separable, X=np.ldexp(separable.X, -40)))["claim"] == Claim.NOT_SEPARABLE


@pytest.mark.slow
@pytest.mark.parametrize("C", [0.1, 10.0])
@pytest.mark.parametrize("name", [*of_question("cvxpy.soft"), "sklearn.SVC", "libsvm", "soft-margin"])
def test_soft_margins_reach_the_proven_optimum(name: str, C: float) -> None:
    skip_without(name)
    case = CASES["overlap"]
    answer = run(name, case, C=C)
    assert answer["claim"] == Claim.OPTIMAL and answer["objective"].items() >= {"C": C, "intercept": "free"}.items()
    w = np.asarray(answer["w"])
    value = w @ w / 2 + C * np.maximum(0, 1 - case.y * (case.X @ w + answer["b"])).sum()
    optimum = mm.soft_margin(case.X, case.y, C=C).lower
    assert value == pytest.approx(optimum, rel=1e-2)
    assert answer["objective"].get("dual", optimum) == pytest.approx(optimum, rel=1e-3)


PROGRAMS = {
    "": "hard_margin_qp", ".soft": "soft_margin_qp", ".max-t": "max_t_lp", ".nearest-points": "nearest_points_qp",
}  # fmt: skip


@pytest.mark.parametrize("kind", [kind for kind in PROGRAMS if kind])
def test_a_program_that_is_always_feasible_has_no_infeasible_data(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cvxpy_solvers.programs, PROGRAMS[kind], lambda X, y, **_: (None, None, "infeasible", None))
    answer = run(f"cvxpy{kind}.CLARABEL", CASES["separable"])
    assert answer["claim"] is None and answer["message"].startswith("infeasible")


@pytest.mark.parametrize("status", ["optimal_inaccurate", "user_limit", "infeasible_inaccurate"])
def test_only_the_status_optimal_is_a_claim(status: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for kind, program in PROGRAMS.items():
        monkeypatch.setattr(cvxpy_solvers.programs, program, lambda X, y, **_: (np.ones(3), 0.0, status, 1.0))
        answer = run(f"cvxpy{kind}.CLARABEL", CASES["separable"])
        assert answer["claim"] is None and answer["message"].startswith(status)
        assert answer["w"] is not None and answer["capped"] is (status == "user_limit")


def test_solvers_are_told_the_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    given: dict[str, Any] = {}

    def program(X: Any, y: Any, **options: Any) -> Any:
        given.update(options)
        return None, None, "user_limit"

    monkeypatch.setattr(cvxpy_solvers.programs, "hard_margin_qp", program)
    answer = method_of("cvxpy.CLARABEL").fit(None, None, seed=0, time_limit=3.0)
    assert given == {"solver": "CLARABEL", "time_limit": 3.0}
    assert answer["capped"] is True and answer["claim"] is None


def test_every_solver_that_cvxpy_finds_here_is_in_the_list() -> None:
    from cvxpy.reductions.solvers import defines

    wrappers = {"DIFFCP", "ECOS_BB", "GLPK_MI"}
    known = {*cvxpy_solvers.QUADRATIC, *cvxpy_solvers.LINEAR}
    assert known >= set(backends.TIME_LIMITS)
    found = {name for name in known if method_of(f"cvxpy.max-t.{name}").is_installed}
    assert set(defines.INSTALLED_SOLVERS) - wrappers <= found


def estimator_of(name: str, **params: Any) -> Any:
    kind = name.removeprefix("sklearn.")
    return getattr(svm if hasattr(svm, kind) else linear_model, kind)(**params)


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
@pytest.mark.parametrize("name", [name for name in INSTALLED if name.startswith("sklearn.")])
def test_the_hyperplane_gives_the_decision_values_of_the_estimator(name: str, case: Case) -> None:
    answer, kernel = answer_of(name, case.name), {"kernel": "linear"} if name == "sklearn.SVC" else {}
    fitted, *_ = with_warnings(estimator_of(name, random_state=0, **kernel).fit, case.X, case.y)
    expected = fitted.decision_function(case.X)
    assert case.X @ answer["w"] + answer["b"] == pytest.approx(expected, rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("name", [name for name in INSTALLED if name.startswith("sklearn.")])
def test_parameters_of_scikit_learn_are_those_of_the_estimator(name: str) -> None:
    parameters = method_of(name).parameters
    assert parameters is not None and parameters <= set(estimator_of(name).get_params())
    assert not parameters & {"random_state", "kernel"}


HINGE = {"loss": "hinge", "max_iter": 1_000_000}


def test_liblinear_claims_its_own_objective_only() -> None:
    answer = run("sklearn.LinearSVC", CASES["overlap"], **HINGE, intercept_scaling=3.0)
    assert (answer["claim"], answer["objective"]) == (Claim.OPTIMAL, {"C": 1.0, "intercept": 3.0})
    answer = run("sklearn.LinearSVC", CASES["overlap"], **HINGE, fit_intercept=False)
    assert answer["objective"] == {"C": 1.0, "intercept": "none"}
    assert "squared_hinge" in run("sklearn.LinearSVC", CASES["overlap"])["message"]


@for_each("case", [CASES["overlap"], CASES["separable"]])
@for_each("name, params", [
    ("sklearn.SVC", {"class_weight": "balanced"}), ("sklearn.LinearSVC", {**HINGE, "class_weight": "balanced"}),
    ("sklearn.LinearSVC", {}), ("sklearn.LogisticRegression", {}), ("sklearn.Perceptron", {}),
    ("sklearn.Perceptron", {"tol": None}),
])  # fmt: skip
def test_what_is_another_question_is_not_claimed_and_not_counted(name: str, params: Any, case: Case) -> None:
    answer = run(name, case, **params)
    assert answer["claim"] is answer.get("objective") is answer.get("n_mistakes") is None


@pytest.mark.sampled(5)
@pytest.mark.parametrize("name, params", [
    ("sklearn.SVC", {"max_iter": 1}), ("sklearn.LinearSVC", {"loss": "hinge", "max_iter": 1}),
    ("sklearn.LogisticRegression", {"C": float("inf"), "max_iter": 1}), ("sklearn.Perceptron", {"max_iter": 1}),
    ("sklearn.SGDClassifier", {"max_iter": 1}), ("statsmodels.Logit", {"maxiter": 1}),
    ("statsmodels.GLM", {"maxiter": 1}), ("superADMM", {"maxIter": 1}),
    ("perceptron", {"max_mistakes": 1}), ("online.romma", {"max_epochs": 1}),
])  # fmt: skip
def test_a_method_that_is_stopped_claims_nothing(name: str, params: dict[str, Any]) -> None:
    skip_without(name)
    answer = run(name, CASES["overlap"], **params)
    assert answer["capped"] is True and answer["claim"] is None
    if name.startswith(("sklearn", "statsmodels.L")):
        assert "ConvergenceWarning" in answer["message"]


def test_an_unpenalised_logistic_regression_that_converges_says_that_the_estimate_exists() -> None:
    unpenalised = run("sklearn.LogisticRegression", CASES["overlap"], C=float("inf"), max_iter=10_000)
    assert unpenalised["claim"] == Claim.ESTIMATE_EXISTS


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in INSTALLED if name.startswith("statsmodels.")])
def test_statsmodels_claims_by_its_flags_first_as_check_model_takes_them(name: str) -> None:
    overlap, separable, quasi = (answer_of(name, verdict) for verdict in ("overlap", "separable", "quasi-separable"))
    assert overlap["claim"] == Claim.ESTIMATE_EXISTS
    for answer in (separable, quasi):  # GLM says that it has converged, and is wrong
        assert (answer["claim"] == Claim.ESTIMATE_EXISTS) == ("converged=True" in answer["message"])
        assert answer["claim"] == (Claim.ESTIMATE_EXISTS if name.endswith("GLM") else None)


def test_a_dependent_column_is_dropped_as_in_r() -> None:
    case = CASES["overlap"]
    X = np.column_stack([np.full(len(case.y), 5.0), case.X, case.X[:, 0] * 2])
    answer = run("rule.detectseparation", Case("aliased", X, case.y, "overlap"))
    assert answer["claim"] == Claim.NO_SEPARATION and answer["w"][0] == answer["w"][-1] == 0


@pytest.mark.parametrize("name", ["rule.detectseparation", "rule.safeBinaryRegression", "rule.objective"])
def test_a_rule_is_its_tolerance(name: str) -> None:
    assert run(name, CASES["separable"], tolerance=1e9)["claim"] == Claim.NO_SEPARATION
    assert run(name, CASES["overlap"], tolerance=-1.0)["claim"] == Claim.SEPARATION


def test_z3_returns_a_hyperplane_that_separates_tiny_and_huge_data() -> None:
    skip_without("z3")
    for power in (-900, 900):
        X = np.ldexp(np.array([[1.0], [2.0], [3.0], [5.0]]), power)
        answer = run("z3", Case("units", X, np.array([-1.0, -1.0, 1.0, 1.0]), "separable"))
        assert answer["claim"] == Claim.SEPARABLE and np.isfinite(answer["w"]).all()
    unknown = method_of("z3").fit(*hard_for_z3(), seed=0, time_limit=1e-3)
    assert unknown["claim"] is None and unknown["capped"] is True


def hard_for_z3() -> tuple[Any, Any]:
    data = mm.load("wine", positive="class_1")
    return data.X[:60], np.where(np.arange(60) % 7 < 3, 1.0, -1.0)


PLANTED = Case("planted", np.array([[4.0, 0], [5, 3], [-2, 0], [-3, 7]]), np.array([1.0, 1, -1, -1]), "separable")

XOR = Case("xor", np.array([[0.0, 0], [1, 1], [0, 1], [1, 0]]), np.array([1.0, 1, -1, -1]), "overlap")

# What methods claim of a planted margin of 3, of XOR and of quasi-separable data.
CLAIMS = {
    "qsopt_ex": [Claim.SEPARABLE, Claim.NOT_SEPARABLE, Claim.NOT_SEPARABLE],
    "superADMM": [Claim.MAXIMUM_MARGIN, Claim.NOT_SEPARABLE, Claim.NOT_SEPARABLE],
    "gamfit": [Claim.SEPARABLE, Claim.ESTIMATE_EXISTS, Claim.ESTIMATE_EXISTS],  # the last is wrong
    "libsvm": [Claim.OPTIMAL] * 3,
}


@pytest.mark.parametrize("name", CLAIMS)
def test_solvers_that_are_called_directly_claim_what_is_known(name: str) -> None:
    skip_without(name)
    answers = [run(name, case) for case in (PLANTED, XOR, CASES["quasi-separable"])]
    assert [answer["claim"] for answer in answers] == CLAIMS[name]
    if name in ("superADMM", "libsvm"):
        assert margin_of(PLANTED, answers[0]) == pytest.approx(3.0, rel=1e-8 if name == "superADMM" else 1e-2)
    assert margin_of(PLANTED, answers[0]) > 0
    negative_first = replace(PLANTED, X=PLANTED.X[::-1], y=PLANTED.y[::-1])
    assert margin_of(negative_first, run(name, negative_first)) > 0


def test_qsopt_ex_reads_every_float_exactly() -> None:
    skip_without("qsopt_ex")
    assert method_of("qsopt_ex").version.startswith("QSopt_ex ")
    y = np.array([-1.0, -1.0, 1.0, 1.0])
    for power in (-300, 0, 900):
        X = np.ldexp(np.array([[-1.0], [1.0], [1.0 + 2.0**-52], [5.0]]), power)
        assert run("qsopt_ex", Case("narrow", X, y, "separable"))["claim"] == Claim.SEPARABLE
        X[1, 0] = X[2, 0]
        assert run("qsopt_ex", Case("touching", X, y, "quasi-separable"))["claim"] == Claim.NOT_SEPARABLE


def test_qsopt_ex_ends_at_the_time_limit() -> None:
    skip_without("qsopt_ex")
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(3000, 40)), np.sign(rng.normal(size=3000))
    answer = method_of("qsopt_ex").fit(X, y, seed=0, time_limit=1.0)
    assert answer["claim"] is None and answer["capped"] is True and answer["message"].startswith("TIME_LIMIT")


def test_gamfit_claims_nothing_where_it_does_not_converge() -> None:
    skip_without("gamfit")
    data = mm.load("breast_cancer")
    answer = run("gamfit", Case("breast_cancer", data.X, np.where(data.y == 1, 1.0, -1.0), "separable"))
    assert answer["claim"] is None and answer["w"] is None and "ConvergenceError" in answer["message"]


def test_a_method_needs_its_program() -> None:
    method = method_of("qsopt_ex")
    assert not replace(method, needs=("program no-such-program",)).is_installed
    assert replace(method, needs=("program python3", "numpy")).is_installed


@pytest.mark.slow
@pytest.mark.parametrize("order", ["cyclic", "random", "reshuffled-each-epoch"])
@pytest.mark.parametrize("seed", range(8))
def test_the_bounds_of_a_run_are_not_below_its_mistakes(seed: int, order: str) -> None:
    rng = np.random.default_rng(seed)
    perceptron = method_of("perceptron")
    for _ in range(6):
        X, y = rng.integers(-3, 4, size=(8, 2)).astype(float), np.where(rng.random(8) < 0.5, 1.0, -1.0)
        if abs(y.sum()) == len(y):
            continue
        params = {"order": order, "max_mistakes": int(rng.integers(1, 40)), "bias": bool(rng.integers(2))}
        answer = perceptron.fit(X, y, seed=seed, time_limit=None, **params)
        bounds = perceptron.bounds(X, y, answer, **params) if perceptron.bounds else {}
        assert all(bound >= answer["n_mistakes"] for bound in bounds.values())
        assert answer["claim"] is None or mm.separability(X, y, bias=params["bias"]).strictly_separable


def test_the_bounds_of_a_run_with_the_best_scale_are_of_its_space() -> None:
    X, y = np.array([[-2.0, 1.0], [2.0, -1.0], [2.0, 1.0], [-2.0, -1.0]]), np.array([-1.0, 1.0, 1.0, -1.0])
    perceptron = method_of("perceptron")
    answer = perceptron.fit(X, y, seed=0, time_limit=None, bias_scale="best")  # b* = 0: through the origin
    assert perceptron.bounds is not None
    bounds = perceptron.bounds(X, y, answer, bias_scale="best")
    assert bounds["novikoff"] == pytest.approx(5 / 4, rel=1e-6) and bounds["novikoff"] >= answer["n_mistakes"]


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in INSTALLED if name.startswith("online.")])
def test_guarantees_bound_the_counts_also_where_a_row_is_zero(name: str) -> None:
    method = method_of(name)
    X, y = np.array([[0.0, 0.0], [1.0, 2.0], [3.0, 1.0], [2.0, 1.0]]), np.array([1.0, 1.0, -1.0, -1.0])
    for params in ({"bias": False}, {"bias": True})[name in NOT_NEGATIVE :]:  # winnow needs a bias
        answer = method.fit(X, y, seed=0, time_limit=None, max_epochs=7, **params)
        bounds = method.bounds(X, y, answer, **params) if method.bounds else {}
        assert all(bound * (1 + 1e-9) >= answer["n_mistakes"] for bound in bounds.values())


def test_the_seed_matters_where_a_parameter_makes_it_matter() -> None:
    assert not method_of("pa").seed_matters({}) and method_of("pa").seed_matters({"order": "shuffled-once"})
    assert method_of("pocket").seed_matters({}) and not method_of("pocket").seed_matters({"order": "cyclic"})
    logistic = method_of("sklearn.LogisticRegression")
    assert logistic.seed_matters({"solver": "saga"}) and not logistic.seed_matters({})
    assert method_of("sklearn.Perceptron").seed_matters({}) and not method_of("sklearn.SVC").seed_matters({})
    fit, case = method_of("perceptron").fit, CASES["separable"]
    runs = [fit(case.X, case.y, seed=seed, time_limit=None, order="random") for seed in range(6)]
    assert len({run["n_mistakes"] for run in runs}) > 1
