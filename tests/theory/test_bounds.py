"""Mistake bounds: valid ones hold for the run, others say so, non-separable data raise nothing."""

import itertools
import math
import re
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import for_each
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy.sparse import csr_array
from zoo import Known

import maxmargin as mm
from maxmargin.api.running import best_bias_scale, run_perceptron
from maxmargin.boolean import conjunction_bound
from maxmargin.cli.app import run as run_command
from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.problem.problem import Problem, radius_squared
from maxmargin.solvers.problem.rows import WorkSizes
from maxmargin.theory import context as context_module
from maxmargin.theory import from_the_run
from maxmargin.theory.context import Context, augmented
from maxmargin.theory.perceptron_bounds import Bound, bounds_of, mistake_bounds

ZERO_RULES = ("mistake", "positive", "negative")
OF_ONE_RUN = {"self_certificate", "sum_of_squares", "slack_of_the_mistakes"}
OF_SOME_PASSES = {"freund_schapire_optimum", "hinge_optimum", "trivial"}
OF_ANY_RUN = OF_SOME_PASSES | {
    *("novikoff", "augmented_b", "best_scale", "best_scale_searched", "unit_norm", "freund_schapire", "conjunction"),
}
NAMES = OF_ANY_RUN | OF_ONE_RUN
FOR_ANY_DATA = {"freund_schapire", "freund_schapire_optimum", "hinge_optimum", "slack_of_the_mistakes", "trivial"}


@st.composite
def problems(draw: st.DrawFn) -> Problem:
    n, d = draw(st.integers(2, 8)), draw(st.integers(1, 3))
    numbers = draw(st.sampled_from([st.integers(-5, 5).map(float), st.integers(-500, 500).map(lambda k: k / 100)]))
    X = draw(hnp.arrays(np.float64, (n, d), elements=numbers))
    w, b = draw(hnp.arrays(np.float64, d, elements=st.integers(-3, 3).map(float))), draw(st.integers(-6, 6))
    y = np.where(X @ w + b > 0, 1.0, -1.0)
    if draw(st.booleans()) or (y == y[0]).all():
        y[:2] = -1.0, 1.0
    return Problem(X, y, draw(st.booleans()))


def by_name(bounds: tuple[Bound, ...]) -> dict[str, Bound]:
    assert {bound.name for bound in bounds} == NAMES and len(bounds) == len(NAMES)
    return {bound.name: bound for bound in bounds}


def check(problem: Problem, run: mm.PerceptronRun, n_passes: int | None, C: float = 1.0) -> dict[str, Bound]:
    bounds = by_name(bounds_of(Context(problem=problem, run=run, n_passes=n_passes, C=C)))
    presentations = math.inf if n_passes is None else n_passes * problem.n_samples
    for bound in bounds.values():
        assert not bound.valid or (math.isfinite(bound.value) and run.n_mistakes <= bound.value), bound
        uses_length = bound.name in OF_ONE_RUN | OF_SOME_PASSES
        if bound.name != "freund_schapire":  # whose u may separate; then it speaks of every run
            assert bound.vacuous == (math.isinf(bound.value) or (uses_length and bound.value >= presentations)), bound
        assert bound.assumption and bound.reference
    return bounds


def checked(problem: Problem, n_passes: int | None = None, **options: Any) -> dict[str, Bound]:
    """Return the bounds of a run with these options, after they were checked."""
    return check(problem, run_perceptron(problem, **options), n_passes)


@pytest.mark.slow
@given(
    problems(), st.sampled_from([0.5, 1.0, 3.0]), st.sampled_from(ZERO_RULES),
    st.sampled_from(["cyclic", "random", "shuffled-once", "reshuffled-each-epoch"]), st.sampled_from([None, 1, 2, 5]),
    st.sampled_from([0.01, 1.0, 100.0]),
)  # fmt: skip
@settings(max_examples=150)
def test_valid_bounds_hold_for_the_run(
    problem: Problem, scale: float, zero: str, order: str, n_passes: int | None, C: float
) -> None:
    options: dict[str, Any] = {"bias_scale": scale, "zero": zero, "order": order, "max_epochs": n_passes, "rng": 1}
    run = run_perceptron(problem, max_mistakes=3000, **options)
    bounds = check(problem, run, n_passes, C)
    in_run_space = augmented(problem, scale) if problem.bias else problem
    separable = hard_margin(in_run_space).lower > 0
    assert bounds["novikoff"].valid is separable
    assert bounds["augmented_b"].valid is (hard_margin(problem).lower > 0)
    is_whole = run.converged or n_passes is not None
    assert bounds["self_certificate"].valid is (is_whole and run.run_margin > 0)
    assert bounds["sum_of_squares"].valid is (is_whole and separable)
    assert bounds["slack_of_the_mistakes"].valid is is_whole
    # Some need no assumption for a number of passes in each of which every row comes once.
    covers = n_passes is not None and order != "random"
    assert bounds["freund_schapire"].valid or not covers
    assert bounds["freund_schapire_optimum"].valid is bounds["hinge_optimum"].valid is covers
    assert bounds["trivial"].valid is (n_passes is not None)
    assert bounds["trivial"].vacuous


@pytest.mark.parametrize("seed", [604, 630, 1988])
def test_a_noisy_row_drawn_several_times_is_not_counted_once(seed: int) -> None:
    X = np.ones((61, 1))
    X[0], X[60] = -1.0, -1e-9
    checked(Problem(X, np.array([1.0] * 60 + [-1.0]), bias=False), 1, order="random", rng=seed, max_epochs=1)


@pytest.mark.parametrize("n_passes", [0, -1, 1.5, "2"])
def test_passes_are_whole_numbers(n_passes: Any) -> None:
    with pytest.raises(mm.InvalidProblemError, match="n_passes"):
        mistake_bounds([[1.0], [2.0]], [0, 1], n_passes=n_passes)


@for_each("max_mistakes", [1, 60, None])
@for_each("order, covers", [("cyclic", True), ("random", False)])
def test_bounds_of_a_given_run(max_mistakes: int | None, order: str, covers: bool) -> None:
    """They are those of the passes that it made; each says for which runs it holds."""
    X, y = [[10.0], [12.0]], [0, 1]
    run = mm.perceptron(X, y, max_mistakes=max_mistakes, order=order, bias_scale=2.0, rng=3)
    bounds = by_name(mistake_bounds(X, y, run=run))
    assert all(bound.value >= run.n_mistakes for bound in bounds.values() if bound.valid)
    assert bounds["hinge_optimum"].valid is covers
    runs = {"novikoff": "any order, to convergence", "sum_of_squares": f"this run{' so far' * (not run.converged)}"}
    runs["hinge_optimum"] = f"any order, {run.n_epochs} epoch{'s' * (run.n_epochs > 1)}"
    assert {name: bounds[name].holds_for for name in runs} == runs
    if max_mistakes is None and covers:
        same = by_name(mistake_bounds(X, y, bias_scale=2.0))  # until convergence
        assert all(same[name].value == bounds[name].value for name in NAMES - OF_SOME_PASSES - {"freund_schapire"})


@for_each("options", [{"n_passes": 2}, {"bias_scale": 2.0}, {"bias": False}, {"y": [1, 0]}, {"X": [[10.0], [13.0]]}])
def test_a_run_decides_its_passes_and_belongs_to_its_rows(options: dict[str, Any]) -> None:
    question: dict[str, Any] = {"X": [[10.0], [12.0]], "y": [0, 1]}
    run = mm.perceptron(**question)
    with pytest.raises(mm.InvalidProblemError, match=r"run= decides|on other rows"):
        mistake_bounds(**question | options, run=run)
    with pytest.raises(mm.InvalidProblemError, match="OnlineRun"):
        mistake_bounds(**question, run=mm.online(**question))  # type: ignore[arg-type]


@given(problems(), st.sampled_from(ZERO_RULES))
@settings(max_examples=8)
def test_the_best_scale(problem: Problem, zero: str) -> None:
    if not hard_margin(problem).lower:
        return
    space, scale = best_bias_scale(problem)
    bounds = checked(space, bias_scale=scale, zero=zero, max_mistakes=5000)
    assert bounds["best_scale"].valid
    if problem.bias:
        # At the best scale the two bounds are the same number, and any other scale has a greater one.
        assert math.isclose(bounds["best_scale"].value, bounds["augmented_b"].value, rel_tol=1e-9)
        for other in (scale / 2, scale * 2):
            worse = checked(problem, bias_scale=other)
            assert worse["augmented_b"].value >= bounds["best_scale"].value * (1 - 1e-9)
            assert not worse["best_scale"].valid
    margin, radius = hard_margin(space).lower, math.sqrt(radius_squared(space))
    assert bounds["best_scale"].value <= (1 + 1e-9) * 4 * radius**2 / margin**2


@pytest.mark.parametrize("zero", ZERO_RULES)
def test_the_margin_with_bias_alone_bounds_nothing(zero: str) -> None:
    """{10: -, 12: +}: R^2/gamma^2 = 144 is no bound of the run's 233 mistakes."""
    problem = Problem.validated([[10.0], [12.0]], [-1, 1])
    run = run_perceptron(problem, zero=zero)
    bounds = check(problem, run, None)
    assert run.n_mistakes > 144
    assert all(bound.value > 144 for bound in bounds.values() if bound.valid)
    assert math.isclose(bounds["augmented_b"].value, 145 * (1 + 121), rel_tol=1e-9)
    # In the plane (x, 1) both rows are support: the margin there is 2/sqrt(488).
    assert math.isclose(bounds["novikoff"].value, 145 * 488 / 4, rel_tol=1e-9)
    assert not bounds["best_scale"].valid
    assert math.isclose(bounds["best_scale"].value, 23**2, rel_tol=1e-9)


@pytest.mark.sampled(2)
def test_known_problems(known: Known) -> None:
    for n_passes in (1, 3, None):
        for X in (known.X, csr_array(known.X)):
            problem = Problem(X, known.y, known.bias)
            bounds = checked(problem, n_passes, max_epochs=n_passes, max_mistakes=3_000)
            if known.margin_squared and not known.bias:
                radius = max(sum(Fraction(v) ** 2 for v in row) for row in known.X.tolist())
                assert math.isclose(bounds["novikoff"].value, radius / known.margin_squared, rel_tol=1e-8)


def test_inseparable_data_raise_nothing(inseparable: Known) -> None:
    for scale in (1.0, "best"):
        options: dict[str, Any] = {"bias": inseparable.bias, "bias_scale": scale, "n_passes": 1}
        bounds = by_name(mistake_bounds(inseparable.X, inseparable.y, **options))
        for name in NAMES - FOR_ANY_DATA:
            assert not bounds[name].valid and bounds[name].vacuous and bounds[name].value == math.inf
            assert bounds[name].ratio(5) == 0
        assert bounds["freund_schapire"].valid


def test_the_one_pass_bound_of_zero_is_the_number_of_rows() -> None:
    """v = 0 gives n: with slack the bound of the soft margin's u is compared with it by the flag `vacuous`."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 2)), np.where(rng.random(40) < 0.5, 1, -1)
    bounds = by_name(mistake_bounds(X, y, bias=False, C=1e-9, n_passes=1))
    assert math.isclose(bounds["freund_schapire"].value, 40, rel_tol=1e-4)
    assert bounds["freund_schapire"].vacuous == (bounds["freund_schapire"].value >= 40)


def test_separated_far_apart_is_not_vacuous() -> None:
    rng = np.random.default_rng(0)
    X = np.vstack([rng.normal(size=(100, 2)) - 20, rng.normal(size=(100, 2)) + 20])
    y = np.repeat([-1, 1], 100)
    bounds = by_name(mistake_bounds(X, y, n_passes=2))
    for name in ("novikoff", "augmented_b", "self_certificate", "freund_schapire"):
        assert bounds[name].valid and not bounds[name].vacuous and bounds[name].value < 10
    assert bounds["novikoff"].ratio(2) == 2 / bounds["novikoff"].value


@given(hnp.arrays(np.float64, (4, 3), elements=st.floats(allow_nan=False, allow_infinity=False)))
def test_the_radius_is_that_of_fractions(X: np.ndarray) -> None:
    y = np.array([-1.0, 1.0, 1.0, -1.0])
    exact = max(sum(Fraction(v) ** 2 for v in row) for row in X.tolist())
    assert radius_squared(Problem(X, y)) == exact
    assert radius_squared(Problem(csr_array(X), y)) == exact
    assert radius_squared(Problem(X, y, sizes=WorkSizes(chunk_entries=1))) == exact


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("unit", [1e300, 5e-324, 1e-310, 1e-300, 1e-160, 1e160])
@for_each("bias", [True, False])
@for_each("n_passes", [1, 4])
def test_extreme_units_raise_nothing(unit: float, bias: bool, n_passes: int) -> None:
    X = np.array([-5.0, -3.0, 1.0, 5.0])[:, None] * unit
    for scale in (1.0, "best"):
        bounds = by_name(mistake_bounds(X, [0, 0, 1, 1], bias=bias, n_passes=n_passes, bias_scale=scale))
        for bound in bounds.values():
            assert not math.isnan(bound.value) and (math.isfinite(bound.value) or bound.vacuous)
            assert bound.valid or math.isfinite(bound.value) or "greatest binary64" not in bound.assumption
        assert not bias or bounds["freund_schapire"].value > 0
        assert bias or (bounds["novikoff"].valid and math.isclose(bounds["novikoff"].value, 25, rel_tol=1e-6))


def test_real_data() -> None:
    from maxmargin.data.reading.loading import load

    for name, positive in (("iris", "setosa"), ("breast_cancer", None)):
        data = load(name, positive=positive)
        problem = Problem(data.X, data.y.astype(float))
        bounds = checked(problem, 20, max_epochs=20)
        assert bounds["novikoff"].valid and not bounds["novikoff"].vacuous  # it speaks of every run
        assert (bounds["novikoff"].value > 20 * problem.n_samples) == (name == "breast_cancer")


@pytest.mark.parametrize("limit", [1, 50, 232])
def test_counts_of_a_run_that_was_stopped_bound_nothing_beyond_it(limit: int) -> None:
    """{10: -, 12: +} makes 233 mistakes until convergence; a run that was stopped before knows fewer."""
    problem = Problem.validated([[10.0], [12.0]], [-1, 1])
    run = run_perceptron(problem, max_mistakes=limit)
    bounds = by_name(bounds_of(Context(problem=problem, run=run, n_passes=None)))
    assert not run.converged
    assert not any(bounds[name].valid for name in OF_ONE_RUN)
    assert all(bound.value >= 233 for bound in bounds.values() if bound.valid)
    assert {"novikoff", "augmented_b", "freund_schapire"} <= {name for name, bound in bounds.items() if bound.valid}
    as_far = by_name(bounds_of(Context(problem=problem, run=run, n_passes=run.n_epochs, is_as_far_as_it_went=True)))
    assert as_far["sum_of_squares"].valid and as_far["trivial"].value == run.n_presentations


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("unit", [2.0**-1070, 2.0**-1000, 2.0**-500, 2.0**500, 2.0**1000])
@for_each("sparse", [False, True])
def test_bounds_through_the_origin_do_not_change_with_the_unit(unit: float, sparse: bool) -> None:
    X, y = np.array([[3.0, 1.0], [2.0, 5.0], [-7.0, -1.0], [-1.0, -6.0]]), np.array([1.0, 1.0, -1.0, -1.0])
    for n_passes in (1, 3, None):
        bounds = [
            by_name(mistake_bounds(csr_array(rows) if sparse else rows, y, bias=False, n_passes=n_passes))
            for rows in (X, X * unit)
        ]
        for name in ("novikoff", "augmented_b", "best_scale", "sum_of_squares", "self_certificate", "trivial"):
            assert bounds[0][name].valid == bounds[1][name].valid, name
            if name == "self_certificate" and unit < 2.0**-1050:
                continue  # its margin is that of the run, a float of few digits there
            assert math.isclose(bounds[0][name].value, bounds[1][name].value, rel_tol=1e-6), name
        assert bounds[1]["novikoff"].value >= 50 / hard_margin(Problem(X, y, bias=False)).upper ** 2 * (1 - 1e-12)


# The bounds.


@pytest.mark.slow
@given(problems(), st.sampled_from([0.5, 1.0, 3.0]), st.sampled_from([1, 2, 7]), st.integers(0, 2**32 - 1))
@settings(max_examples=12)
def test_the_optimum_is_below_every_other_u(problem: Problem, scale: float, n_passes: int, seed: int) -> None:
    bounds = checked(problem, n_passes, bias_scale=scale, max_epochs=n_passes)
    best = bounds["freund_schapire_optimum"].value
    assert bounds["hinge_optimum"].value <= best * (1 + 1e-9) <= n_passes * problem.n_samples * (1 + 2e-9)
    assert best <= bounds["freund_schapire"].value * (1 + 2.0**-51)  # of one u, computed in two ways
    if bounds["novikoff"].valid:
        assert best <= bounds["novikoff"].value * (1 + 1e-9)
    rows = (augmented(problem, scale) if problem.bias else problem).X * problem.y[:, None]
    radius = np.sqrt((rows * rows).sum(axis=1).max())
    rng = np.random.default_rng(seed)
    for v in rng.standard_normal((50, rows.shape[1])) * np.exp(rng.uniform(-6, 2, size=(50, 1))):
        slack = np.maximum(0.0, 1 - rows @ v)
        value = (radius * np.linalg.norm(v) + math.sqrt(n_passes) * np.linalg.norm(slack)) ** 2
        assert best <= value * (1 + 1e-9)


def test_the_tautology_is_not_offered() -> None:
    """The slack of the mistakes alone, at v = 0, is the number of mistakes: no bound may be that for every run."""
    rng = np.random.default_rng(0)
    X, y = rng.standard_normal((60, 3)), np.where(rng.random(60) < 0.5, 1.0, -1.0)
    problem = Problem(X, y)
    run = run_perceptron(problem, max_epochs=1)
    bounds = check(problem, run, 1)
    assert all(bound.value > run.n_mistakes * (1 + 1e-6) for bound in bounds.values())


@pytest.mark.slow
@for_each("d, k", [(1, 1), (3, 1), (4, 2), (5, 3), (6, 6)])
@for_each("sign", [1, -1])
def test_literals_are_recognised(d: int, k: int, sign: int) -> None:
    """A conjunction of k literals, or with the labels exchanged a disjunction."""
    X = np.ascontiguousarray(np.array(np.meshgrid(*[[-1.0, 1.0]] * d)).reshape(d, -1).T)
    literals = np.where(np.arange(k) % 2, -1.0, 1.0)
    y = sign * np.where((X[:, :k] * literals > 0).all(axis=1), 1.0, -1.0)
    bound = checked(Problem(X, y))["conjunction"]
    assert bound.valid and bound.value == (d + 1) * (k * k - k + 1) == conjunction_bound(d, k)
    assert not checked(Problem(X, y), bias_scale=2.0)["conjunction"].valid
    assert not checked(Problem(X, y, bias=False), 3, max_epochs=3)["conjunction"].valid


def test_no_literals_are_seen_where_there_are_none() -> None:
    X = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
    assert not checked(Problem(X, np.array([-1.0, 1.0, 1.0, -1.0])), 5, max_epochs=5)["conjunction"].valid
    assert not checked(Problem((X + 1) / 2, np.array([-1.0, -1.0, -1.0, 1.0])))["conjunction"].valid


def test_the_best_scale_of_all() -> None:
    """Where the maximum margin is not the best hyperplane for the bound, another scale than sqrt(R |b*|) is better."""
    problem = Problem(np.array([[10.0, 1.0], [12.0, 3.0]]), np.array([-1.0, 1.0]))
    space, scale = best_bias_scale(problem)
    bounds = checked(space, bias_scale=scale)
    searched = bounds["best_scale_searched"]
    assert searched.value < bounds["best_scale"].value and not searched.valid
    best = float(searched.assumption.split("best s of all = ")[1].split(":")[0])
    less, at_best, more = (checked(problem, bias_scale=s) for s in (best / 1.5, best, best * 1.5))
    value = at_best["novikoff"].value
    assert math.isclose(value, searched.value, rel_tol=1e-4)
    assert value <= less["novikoff"].value and value <= more["novikoff"].value
    assert at_best["best_scale_searched"].valid or not math.isclose(best, 0.0)


def test_rows_of_norm_1() -> None:
    rng = np.random.default_rng(1)
    X = rng.standard_normal((30, 4))
    X /= np.linalg.norm(X, axis=1, keepdims=True)
    problem = Problem(X, np.where(X[:, 0] > 0, 1.0, -1.0), bias=False)
    unit = checked(problem)["unit_norm"]
    assert unit.valid and math.isclose(unit.value, 1 / hard_margin(problem).lower ** 2, rel_tol=1e-9)
    assert not checked(Problem(2 * X, problem.y, bias=False))["unit_norm"].valid


@pytest.mark.parametrize(
    "solver, n_before",
    [("hard_margin", 0), ("hard_margin", 1), ("hard_margin", 2), ("tightest_bound", 0), ("tightest_bound", 1)],
)
def test_bounds_from_half_an_answer_are_withheld(solver: str, n_before: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Interrupted are the maximum margins of both spaces, the search for the best scale, and both optima."""
    module = {"hard_margin": context_module, "tightest_bound": from_the_run}[solver]
    solve, calls = getattr(module, solver), itertools.count()

    def cut(*given: Any, **named: Any) -> Any:
        found = solve(*given, **named)
        return replace(found, reason=WHAT_WAS_PROVEN) if next(calls) == n_before else found

    monkeypatch.setattr(module, solver, cut)
    problem = Problem.validated([[10.0], [12.0]], [-1, 1])
    with pytest.raises(KeyboardInterrupt):
        bounds_of(Context(problem=problem, run=run_perceptron(problem, max_epochs=1), n_passes=1))


def test_a_bound_has_the_same_digits_wherever_it_is_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """R^2/g^2 = 49/9 = 5.4444444...: rounded up as an upper end is, or the count that it allows, which is 5."""
    source = tmp_path / "ninths.csv"
    source.write_text("x,y\n3,1\n7,1\n-3,0\n", encoding="utf-8")
    for command, *options, shown in (["bounds", "novikoff +5 "], ["online", "-a", "perceptron", "5.44445"]):
        assert run_command([command, str(source), *options, "--no-bias", "-q"]) in (0, 3)
        assert re.search(shown, capsys.readouterr().out)
    for page in (tmp_path / "r.md", tmp_path / "r.html"):
        assert run_command(["report", str(source), "-o", str(page), "--no-bias", "-q"]) in (0, 3)
        text = re.sub(r"<script.*?</script>|<[^>]+>", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
        assert "Novikoff" in text and not re.search(r"5\.4444", text)


def test_a_run_at_the_best_scale_may_go_through_the_origin() -> None:
    X, y = [[-1.0, 0.0], [1.0, 0.0]], [0, 1]
    run = mm.perceptron(X, y, bias_scale="best")
    assert not run.bias and by_name(mistake_bounds(X, y, run=run))["novikoff"].valid
