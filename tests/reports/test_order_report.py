"""Orders, shifts and scales in the report and on the command line: one study with `mm.order_study`, in a budget."""

import json
import math
from dataclasses import replace
from typing import Any

import pytest
from commands import json_answer, printed

import maxmargin as mm
from maxmargin.api.running import run_perceptron
from maxmargin.cli.app import run
from maxmargin.displays.order_study_display import drawn_bounds
from maxmargin.reports.margin_report import MarginReport, margin_report
from maxmargin.reports.study.parts.orders_part import OrderPlan, check_orders, plan_of, steps_of
from maxmargin.reports.study.report_settings import ReportSettings, ReportSizes
from maxmargin.reports.study.two_class_study import TwoClassStudy
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.problem.problem import Problem
from maxmargin.theory.context import Context

GRID = (1.0,)


def report_of(dataset: mm.Dataset, **options: Any) -> MarginReport:
    return margin_report(dataset, Cs=GRID, **options)


@pytest.fixture(scope="module")
def agresti() -> MarginReport:
    return report_of(mm.load("agresti"), orders=40)


@pytest.fixture(scope="module")
def simplex() -> MarginReport:
    return report_of(mm.load("simplex"), orders=40)


def asked(dataset: mm.Dataset, orders: dict[str, Any]) -> mm.OrderStudy:
    names = ("n_orders", "n_search", "n_sequence", "max_states", "max_epochs", "max_mistakes")
    return mm.order_study(dataset.X, dataset.labels, rng=orders["seed"], **{name: orders[name] for name in names})


@pytest.mark.parametrize("source", ["agresti", "simplex", "xor"])
def test_the_report_tells_what_the_study_of_the_same_seed_finds(source: str) -> None:
    dataset = mm.load(source)
    orders = report_of(dataset, orders=40, rng=3, max_mistakes=10_000).to_dict()["orders"]
    study = asked(dataset, orders)
    assert orders["quantiles"] == [[level, value] for level, value in study.quantiles.items()]
    assert orders["mean"] == study.outcomes.n_mistakes.mean()
    for name, found in (("file_order", study.given), ("best_order", study.fewest), ("worst_order", study.most)):
        assert (orders[name]["n_mistakes"], orders[name]["n_epochs"]) == (found.n_mistakes, found.n_epochs)
    assert orders["worst_order"]["order"] == study.most.order.tolist()
    assert (orders["best"]["n_mistakes"], orders["sequence"] is None) == (study.fewest_seen, study.adversary is None)
    assert (orders["fewest_seen"], orders["most_seen"]) == (study.fewest_seen, study.most_seen)
    shown = [orders[name]["n_mistakes"] for name in ("file_order", "best_order", "worst_order")]
    assert orders["fewest_seen"] <= min(*shown, orders["least"])
    assert orders["most_seen"] >= max(*shown, orders["most"], (orders["sequence"] or {"n_mistakes": 0})["n_mistakes"])
    assert (orders["n_capped"], orders["is_sorted_by_class"]) == (study.n_capped, study.is_sorted_by_class)
    expected = study.most_seen if study.worst_case is None else study.worst_case
    assert (orders["worst"]["n_mistakes"], orders["worst"]["proven"]) == (expected, study.worst_case is not None)
    bounds = {bound.name: bound.value for bound in study.bounds}
    told = {bound["name"]: bound["value"] for bound in orders["bounds"]}
    assert told.keys() <= bounds.keys() and told
    for name in told.keys() - {"freund_schapire"}:  # whose u is another soft margin
        assert told[name] == pytest.approx(bounds[name], rel=1e-6)


def test_the_worst_of_all_sequences_is_proven(simplex: MarginReport) -> None:
    orders = simplex.to_dict()["orders"]
    assert orders["worst"] == {"n_mistakes": 12, "engine": "longest path", "proven": True}
    assert "none has more than 12 mistakes" in simplex.to_markdown()
    assert orders["most"] <= 12 <= min(bound["value"] for bound in orders["bounds"])


def test_data_that_overlap_are_studied_in_one_pass() -> None:
    report = report_of(mm.from_arrays([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]), max_mistakes=50)
    orders = report.to_dict()["orders"]
    assert (orders["max_epochs"], orders["n_converged"], orders["margins"]) == (1, 0, None)
    assert orders["sequence"] is None and orders["worst"]["n_mistakes"] <= 4
    assert {bound["name"] for bound in orders["bounds"]} >= {"hinge_optimum", "trivial"}
    assert all(orders["most"] <= bound["value"] for bound in orders["bounds"])
    assert "for one pass, because no hyperplane separates the classes" in report.to_markdown()


def test_a_run_that_was_cut_is_no_reason_to_wait_for_others() -> None:
    orders = report_of(mm.load("agresti"), max_mistakes=100).to_dict()["orders"]
    assert (orders["max_epochs"], orders["max_mistakes"]) == (1, None)
    assert orders["why_one_pass"] == "the run itself was stopped before it converged"


def test_no_orders_at_all() -> None:
    report = report_of(mm.load("agresti"), orders=0)
    assert report.to_dict()["orders"] == {"reason": "none were asked for"}
    assert "Other orders of the rows were not tried: none were asked for." in report.to_markdown()
    assert "orders" not in {picture.key for picture in report.pictures}


def test_bad_numbers_of_orders_are_refused_and_any_outside_memory() -> None:
    for orders in (-1, 2.5, "many"):
        with pytest.raises(InvalidOptionError, match="n_orders"):
            report_of(mm.load("agresti"), orders=orders)
    check_orders(0, is_in_memory=False)
    with pytest.raises(InvalidOptionError, match="more memory"):
        check_orders(5, is_in_memory=False)


def planned(source: str, **options: Any) -> tuple[OrderPlan | str, Problem]:
    dataset = mm.load(source)
    problem = Problem.validated(dataset.X, dataset.y)
    context = Context(problem=problem, run=run_perceptron(problem, max_mistakes=100_000), n_passes=None)
    return plan_of(context, ReportSettings(**options)), problem


@pytest.mark.parametrize("most_steps, n_orders", [(10**8, 1000), (4 * 10**7, 500), (2 * 10**7, 200), (7 * 10**6, 100)])
def test_the_number_of_orders_follows_from_the_steps_allowed(most_steps: int, n_orders: int) -> None:
    sizes = ReportSizes(order_steps=most_steps)
    plan, _ = planned("agresti", sizes=sizes)
    assert isinstance(plan, OrderPlan) and plan.why_one_pass == ""
    assert (plan.effort.n_orders, plan.effort.n_search) == (n_orders, n_orders // 4)
    assert plan.settings.max_mistakes is not None and plan.settings.max_mistakes >= 10 * 1701
    assert planned("agresti", sizes=sizes)[0] == plan


def test_orders_that_take_too_long_are_cut_to_one_pass_or_none() -> None:
    plan, problem = planned("agresti", sizes=ReportSizes(order_steps=10**6))
    assert isinstance(plan, OrderPlan) and "too long" in plan.why_one_pass
    assert (plan.settings.max_epochs, plan.effort.n_sequence, plan.effort.max_states) == (1, 0, 0)
    assert plan.effort.n_orders * 1.5 * steps_of(problem, 1, 2) <= 10**6
    few = ReportSizes(order_steps=1_000)
    assert planned("agresti", sizes=few)[0] == "many orders of 8 rows would take too long"
    assert isinstance(planned("agresti", sizes=ReportSizes(order_rows=7))[0], str)
    asked_for = planned("agresti", orders=7, sizes=ReportSizes(order_steps=1_000, order_rows=7))[0]
    assert isinstance(asked_for, OrderPlan) and (asked_for.effort.n_orders, asked_for.settings.max_epochs) == (7, None)


def test_alternative_texts_name_the_numbers(agresti: MarginReport) -> None:
    alts = {picture.key: picture.alt for picture in agresti.pictures}
    orders = agresti.to_dict()["orders"]
    assert orders["file_order"] == {"n_mistakes": 1701, "n_epochs": 452, "converged": True}
    assert 0 < orders["margins"]["least"] <= orders["margins"]["greatest"] <= 10
    assert not orders["worst"]["proven"] and "lower bound on the worst case" in agresti.to_markdown()
    for value in (orders["least"], orders["most"], orders["worst_order"]["n_mistakes"], 1701):
        assert f"{value:,}" in alts["orders"]
    assert "novikoff 202,607" in alts["orders"]


def test_far_bounds_are_left_out_but_for_the_least(agresti: MarginReport) -> None:
    assert isinstance(agresti.study, TwoClassStudy) and agresti.study.orders is not None
    study = agresti.study.orders
    near, far, farther = (replace(study.bounds[0], name=f"{value:g}", value=value) for value in (1e5, 1e12, 1e13))
    assert set(drawn_bounds(replace(study, bounds=(far, near, farther)))) == {"100000"}
    assert set(drawn_bounds(replace(study, bounds=(farther, far)))) == {"1e+12"}
    assert drawn_bounds(replace(study, bounds=())) == {}


FEW = ("--n-orders", "40", "--n-search", "32", "--n-sequence", "500")


@pytest.mark.slow
def test_the_command_tells_the_study(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = json_answer(capsys, "orders", "agresti", *FEW, "--seed", "3", "--scales", "--shifts", "-q")
    assert code == 0 and found["schema"] == "maxmargin.orders/1"
    dataset = mm.load("agresti")
    study = mm.order_study(dataset.X, dataset.labels, n_orders=40, n_search=32, n_sequence=500, rng=3)
    expected = json.loads(json.dumps(study.to_dict()))
    assert found["outcomes"]["n_mistakes"] == expected["outcomes"]["n_mistakes"]
    assert found["outcomes"]["n_mistakes_count"] == 40
    assert (found["most"]["order"], found["bounds"]) == (expected["most"]["order"], expected["bounds"])
    assert (found["most_seen"], found["given"]["n_mistakes"]) == (study.most_seen, 1701)
    assert [point["n_mistakes"] for point in found["shifts"] if point["shift"] in (-1, 0)] == [1, 1701]
    assert math.isclose(next(p["bias_scale"] for p in found["scales"] if p["is_best_scale"]), math.sqrt(90 * 50))
    assert [point["preparation"] for point in found["preparations"]] == ["raw", "center", "standardize", "unit"]


def test_long_lists_of_the_command_are_cut(capsys: pytest.CaptureFixture[str]) -> None:
    sizes = ("--n-orders", "1100", "--n-search", "0", "--n-sequence", "1200")
    _, found = json_answer(capsys, "orders", "agresti", *sizes, "-q")
    assert (len(found["outcomes"]["margin"]), found["outcomes"]["margin_count"]) == (1000, 1100)
    assert (len(found["sequence"]["rows"]), found["sequence"]["rows_count"]) == (1000, 1200)


def test_the_command_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    out = printed(capsys, "orders", "simplex", *FEW, "--shifts")
    for phrase in ("40 random orders until convergence, 40 converged", "no sequence has more than 12", "novikoff "):
        assert phrase in out
    out = printed(capsys, "orders", "xor", *FEW, "--max-epochs", "1")
    for phrase in (
        "for 1 epoch, 0 converged",
        "some sequence never ends",
        "500, and then stopped",
        "not below the number of",
    ):
        assert phrase in out


def test_the_report_command_takes_a_number_of_orders(capsys: pytest.CaptureFixture[str]) -> None:
    code, found = json_answer(capsys, "report", "agresti", "--orders", "30", "-q")
    assert code == 0 and (found["orders"]["n_orders"], found["settings"]["orders"]) == (30, 30)
    assert run(["report", "agresti", "--orders", "-1"]) == 2


def test_orders_whose_scores_would_be_decided_one_by_one_are_left_out() -> None:
    orders = report_of(mm.load("units")).to_dict()["orders"]
    assert "one by one" in orders["reason"]
