"""The margin report: its dict, its pages, and that they tell the same."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from calls import arguments_of
from commands import python
from page_outline import Outline
from references import errors_of

import maxmargin as mm
from maxmargin.reports.margin_report import MarginReport, margin_report, report_with
from maxmargin.reports.study.parts import hard_margin_part, soft_margin_part
from maxmargin.reports.study.report_settings import ReportSettings, ReportSizes
from maxmargin.reports.study.two_class_parts import study_two_classes
from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.separability.feasibility import separability
from maxmargin.solvers.soft_margin.soft_margin import rising_soft_margins
from maxmargin.text.number_formats import count, floor_of, interval, one_line, percent, proven, rounded

GRID = (0.1, 10.0)


def agresti() -> mm.Dataset:
    x = [[10.0], [20.0], [30.0], [40.0], [60.0], [70.0], [80.0], [90.0]]
    return mm.from_arrays(x, [0, 0, 0, 0, 1, 1, 1, 1], feature_names=["x"], source="Agresti")


def three_on_a_line() -> mm.Dataset:
    return mm.load("three-on-a-line")


@pytest.fixture(scope="module")
def separable() -> MarginReport:
    return margin_report(agresti(), Cs=GRID)


@pytest.fixture(scope="module")
def iris() -> MarginReport:
    return margin_report(mm.load("iris", positive="setosa"), Cs=GRID)


@pytest.fixture(scope="module")
def inseparable() -> MarginReport:
    return margin_report(mm.load("iris", positive="versicolor"), Cs=GRID, max_mistakes=2_000)


@pytest.fixture(scope="module")
def classes() -> MarginReport:
    return margin_report(mm.load("iris"), max_mistakes=2_000)


REPORTS = ["separable", "iris", "inseparable", "classes"]


@pytest.fixture(params=REPORTS)
def report(request: pytest.FixtureRequest) -> MarginReport:
    found: MarginReport = request.getfixturevalue(request.param)
    return found


@cache
def page_of(report: MarginReport) -> str:
    return report.to_html()


def floats_of(value: Any) -> list[float]:
    if isinstance(value, dict):
        return [rounded for entry in value.values() for rounded in floats_of(entry)]
    if isinstance(value, list):
        return [rounded for entry in value for rounded in floats_of(entry)]
    return [value] if isinstance(value, float) else []


@pytest.mark.sampled(1)
def test_the_dict_survives_json(report: MarginReport) -> None:
    found = report.to_dict()
    assert json.loads(report.to_json()) == found
    assert json.loads(json.dumps(found, allow_nan=False)) == found
    assert found["schema"] == "maxmargin.report/1"
    assert np.isfinite(floats_of(found)).all()


def test_the_dict_is_a_copy(separable: MarginReport) -> None:
    separable.to_dict()["data"].clear()
    assert separable.to_dict()["data"]["n_samples"] == 8


def test_agresti(separable: MarginReport) -> None:
    found = separable.to_dict()
    assert found["verdict"] == "separable"
    assert found["separability"]["proof"] == "exact"
    assert found["hard_margin"]["lower"] == found["hard_margin"]["upper"] == 10
    assert (found["perceptron"]["n_mistakes"], found["perceptron"]["n_epochs"]) == (1701, 452)
    assert len(found["perceptron"]["mistake_rows"]) == 1000, "long lists are cut"
    assert found["perceptron"]["mistake_rows_count"] == 1701
    assert (found["translation"]["n_mistakes"], found["translation"]["lower"]) == (1, 10)
    text = separable.to_markdown()
    assert "with every column centred, the perceptron makes 1 mistake instead of 1,701." in text
    kept = "Its hyperplane keeps **0.5 %** of the largest possible margin, γ\\* = **10**"
    assert f"theory allows **202,606** in any order. {kept}" in text


def test_pages_tell_the_numbers_of_the_dict(iris: MarginReport) -> None:
    found = iris.to_dict()
    hard, run = found["hard_margin"], found["perceptron"]
    assert hard["lower"] == pytest.approx(0.8175557692, abs=1e-10)
    pages = {"html": page_of(iris), "md": iris.to_markdown().replace("\\", "")}
    expected = [
        proven(hard["lower"], hard["upper"]), interval(hard["lower"], hard["upper"]),
        percent(found["comparison"]["share_of_maximum"]),
        f"{count(run['n_mistakes'])} mistakes in {count(run['n_epochs'])} epochs", rounded(run["norm"], 4),
        f"{proven(found['comparison']['angle_lower'], found['comparison']['angle_upper'], 7)}°",
        found["data"]["sha256"], *(floor_of(bound["value"]) for bound in found["bounds"] if bound["valid"]),
        *(rounded(point["margin_width"], 4) for point in found["soft_margin"]),
        *(rounded(entry["multiplier"], 4) for entry in found["support_rows"]), *found["unknown"],
    ]  # fmt: skip
    for page in pages.values():
        text = "".join(Outline(page).texts) if page.startswith("<!") else page
        assert [value for value in expected if value not in text] == []
    said = (proven(hard["lower"], hard["upper"]), "5 mistakes", "theory allows 221")
    assert [text for text in said if text not in iris.to_terminal()] == []


def test_relations_between_the_numbers(iris: MarginReport) -> None:
    found = iris.to_dict()
    hard, run = found["hard_margin"], found["perceptron"]
    assert run["margin"] <= hard["upper"] <= run["margin_upper"]
    assert run["run_margin"] <= run["run_maximum_upper"] <= run["run_upper"]
    assert all(run["n_mistakes"] <= bound["value"] for bound in found["bounds"] if bound["valid"])
    assert len(run["mistake_rows"]) == sum(run["mistakes_per_epoch"]) == run["n_mistakes"]
    assert np.linalg.norm(run["w"]) == pytest.approx(run["norm"])
    cosine = np.dot(hard["unit_w"], run["unit_w"])
    assert cosine == pytest.approx(found["comparison"]["cosine"])
    assert np.degrees(np.arccos(cosine)) == pytest.approx(found["comparison"]["angle_degrees"])
    assert found["translation"]["lower"] <= hard["upper"] * (1 + 1e-9)
    for point in found["soft_margin"]:
        assert point["lower"] <= point["objective"]
        assert (point["c"], point["lambda"]) == (2 * point["C"], 1 / (2 * point["C"]))


def test_the_witness_balances(inseparable: MarginReport) -> None:
    found = inseparable.to_dict()
    assert (found["verdict"], found["strictly_separable"]) == ("overlap", False)
    X = mm.load("iris").X
    witness = found["separability"]["witness"]
    means = means_of(witness["rows"], X)
    assert means[1] == means[-1]
    assert [float(m) for m in means[1]] == witness["point"]
    for entries in (witness["rows"], found["separability"]["balance"]):
        shares = {sign: sum(Fraction(e["share"]) for e in entries if e["sign"] == sign) for sign in (1, -1)}
        assert shares == {1: 1, -1: 1}
    for page in (page_of(inseparable), inseparable.to_markdown()):
        assert "It cannot converge" in page
        assert all(f"{entry['row']}" in page for entry in witness["rows"])


def means_of(entries: list[dict[str, Any]], X: Any) -> dict[int, list[Fraction]]:
    """Return the weighted mean of the rows of each sign."""
    means = {1: [Fraction(0)] * X.shape[1], -1: [Fraction(0)] * X.shape[1]}
    for entry in entries:
        row = [Fraction(value) for value in X[entry["row"]].tolist()]
        share = Fraction(entry["share"])
        assert share > 0
        means[entry["sign"]] = [m + share * x for m, x in zip(means[entry["sign"]], row, strict=True)]
    return means


def test_the_witness_through_the_origin_balances() -> None:
    dataset = mm.from_arrays([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]], [1, 1, 0])
    found = margin_report(dataset, bias=False, zero="positive", Cs=[1.0]).to_dict()
    total = np.zeros(2)
    for entry in found["separability"]["witness"]["rows"]:
        total += float(Fraction(entry["share"])) * entry["sign"] * dataset.X[entry["row"]]
    assert total.tolist() == [0, 0]
    assert found["translation"]["reason"]
    names = {bound["name"] for bound in found["bounds"]}
    assert {"novikoff", "self_certificate", "freund_schapire_optimum"} < names
    assert not names & {"augmented_b", "best_scale", "best_scale_searched"}
    assert found["perceptron"]["converged"]
    assert found["perceptron"]["n_errors"] > 0


def test_errors_are_counted_exactly(inseparable: MarginReport) -> None:
    found = inseparable.to_dict()
    dataset = mm.load("iris", positive="versicolor")
    for plane in (found["perceptron"], *found["soft_margin"]):
        assert len(errors_of(dataset.X, dataset.y, plane["w"], plane["b"])) == plane["n_errors"]


def test_an_unconverged_run_on_separable_data_says_what_that_means() -> None:
    report = margin_report(agresti(), max_mistakes=100, Cs=GRID)
    found, text = report.to_dict(), report.to_markdown()
    assert (found["perceptron"]["stop_reason"], found["perceptron"]["converged"]) == ("max_mistakes", False)
    assert "This is no verdict on the data" in text
    assert "After **100 mistakes** the perceptron still errs on 4 rows." in text
    assert any(sentence.startswith("How many mistakes") for sentence in found["unknown"])


def test_classes(classes: MarginReport) -> None:
    found = classes.to_dict()
    assert found["kind"] == "classes"
    separable = {entry["positive"]: entry["strictly_separable"] for entry in found["one_vs_rest"]}
    assert separable == {"setosa": True, "versicolor": False, "virginica": False}
    pairs = {(entry["negative"], entry["positive"]): entry["strictly_separable"] for entry in found["pairs"]}
    assert [pair for pair, is_separable in pairs.items() if not is_separable] == [("versicolor", "virginica")]
    assert found["verdict"] == found["multinomial"]["verdict"] == "quasi-separable"
    assert (found["multinomial"]["n_inequalities"], found["multinomial"]["n_strict"]) == (300, 200)
    assert found["multinomial"]["separated_rows"] == list(range(50))
    shown = "".join(Outline(page_of(classes)).texts)
    for page in (shown, classes.to_markdown().replace("**", ""), classes.to_terminal()):
        assert "All classes at once (multinomial) are quasi-separable." in page
    for words in ("300, 200 of them strict at once", "10 coefficients are infinite", "no maximum-likelihood estimate"):
        assert words in shown
    for entry in (*found["one_vs_rest"], *found["pairs"]):
        assert entry["novikoff"] is None or entry["n_mistakes"] <= entry["novikoff"]
        assert proven(entry["lower"], entry["upper"]) in shown or not entry["strictly_separable"]


@pytest.mark.parametrize("x, verdict, of_rest, sentence", [
    ((1, 1.5, 2, 2.5, 3, 3.5), "separable", ["separable", "overlap", "separable"], " are separable."),
    ((0, 2, 1, 3, 0, 3), "overlap", ["overlap"] * 3, " **overlap**."),
])  # fmt: skip
def test_the_multinomial_question_is_its_own(x: Any, verdict: str, of_rest: list[str], sentence: str) -> None:
    report = margin_report(mm.from_arrays([[float(v)] for v in x], ["a", "a", "b", "b", "c", "c"]), max_mistakes=500)
    found, text = report.to_dict(), report.to_markdown()
    assert [entry["verdict"] for entry in found["one_vs_rest"]] == of_rest
    assert (found["verdict"], found["strictly_separable"]) == (verdict, verdict == "separable")
    assert (found["multinomial"]["infinite_columns"] == {}) is (verdict == "overlap")
    assert f"All classes at once (multinomial){sentence}" in text.replace("**separable**", "separable")
    finite = "with a as the reference, has a finite maximum-likelihood estimate, and only one"
    assert (finite in text) is (verdict == "overlap")


def quasi() -> mm.Dataset:
    """Agresti's quasi-complete separation beside a column that says nothing: 50 has both labels, twice."""
    x = [10, 20, 30, 40, 50, 50, 60, 70, 80, 90, 50, 50]
    z = [0, 1, 0, 1, 0, 0, 1, 0, 1, 0, 1, 1]
    labels = ["no"] * 5 + ["yes"] * 5 + ["no", "yes"]
    return mm.from_arrays(np.column_stack([x, z]).astype(float), labels, feature_names=["x", "z"], source="quasi")


def square() -> mm.Dataset:
    X = [[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]
    return mm.from_arrays(X, [0, 1, 1, 0], feature_names=["left", "right"])


VERDICTS = {
    "separable": (
        agresti,
        "Class 1 against class 0 is linearly separable.",
        ("estimate (complete separation)", "(Intercept) → −∞: ", "x → +∞: ", "None has a finite estimate"),
    ),
    "quasi-separable": (
        quasi,
        "yes against no is quasi-separable (quasi-complete separation).",
        ("has 8 rows strictly on their sides", "4 (no), 5 (yes), 10 (no), 11 (yes)", "x → +∞: ", "Finite: z."),
    ),
    "overlap": (
        square,
        "Class 1 against class 0 overlaps.",
        ("4 rows with positive weights balance", "a finite maximum-likelihood estimate, and only one"),
    ),
}


@pytest.mark.sampled(1)
@pytest.mark.parametrize("verdict", VERDICTS)
def test_every_verdict_has_its_words(verdict: str) -> None:
    dataset, sentence, words = VERDICTS[verdict]
    report = margin_report(dataset(), max_mistakes=200, Cs=GRID)
    assert report.to_dict()["verdict"] == verdict
    for page in ("".join(Outline(report.to_html()).texts), report.to_markdown().replace("\\", "")):
        text = " ".join(page.split())
        assert [phrase for phrase in (sentence, *words) if phrase not in text] == []
        assert "undecided" not in text
        assert "not decided" not in text
    assert " ".join(report.to_terminal().split()).count(sentence) == 1


@pytest.mark.parametrize("verdict", VERDICTS)
@pytest.mark.parametrize("bias", [True, False])
def test_the_proof_of_the_report_can_be_checked(verdict: str, bias: bool) -> None:
    dataset = VERDICTS[verdict][0]()
    found = margin_report(dataset, bias=bias, max_mistakes=50, Cs=GRID).to_dict()
    answer = found["separability"]
    assert mm.verify(answer["certificate"], dataset.X, dataset.labels)
    assert answer["certificate"]["claim"] == found["verdict"]
    assert answer["certificate_cut"] == []


@pytest.mark.sampled(1)
@pytest.mark.parametrize("source", [agresti, quasi, square, three_on_a_line])
def test_no_question_is_decided_twice(source: Callable[[], mm.Dataset]) -> None:
    with arguments_of(separability) as asked:
        report_with(source(), ReportSettings(max_mistakes=20))
    decided = [(arguments["problem"].sha256, arguments["problem"].bias) for arguments in asked]
    assert decided
    assert len(decided) == len(set(decided))


def test_the_grid_is_gone_through_as_one_path() -> None:
    dataset = mm.from_arrays([[-1.0], [-2.0], [1.0], [2.0]], [0, 0, 1, 1])
    Cs = (100.0, 0.01, 1.0, 100.0)
    points = margin_report(dataset, Cs=Cs).to_dict()["soft_margin"]
    assert [point["C"] for point in points] == list(Cs)
    for point in points:
        alone = mm.soft_margin(dataset.X, dataset.y, C=point["C"])
        assert point["lower"] <= alone.objective and alone.lower <= point["objective"]
    solutions = [point.solution for point in study_two_classes(dataset, ReportSettings(Cs=Cs)).soft]
    assert solutions[0].attempts[0].message == "the answer for C = 1"  # once no row has slack, nothing is solved again


def interrupted_margin(*arguments: Any, **options: Any) -> mm.HardMargin:
    return replace(hard_margin(*arguments, **options), reason=WHAT_WAS_PROVEN)


def interrupted_path(*arguments: Any, **options: Any) -> Iterator[mm.SoftMargin]:
    return (replace(found, reason=WHAT_WAS_PROVEN) for found in rising_soft_margins(*arguments, **options))


@pytest.mark.parametrize("part, replaced", [
    (hard_margin_part, {"hard_margin": interrupted_margin}),
    (soft_margin_part, {"rising_soft_margins": interrupted_path}),
])  # fmt: skip
def test_half_a_report_is_none(part: Any, replaced: dict[str, Any]) -> None:
    with patch.multiple(part, **replaced), pytest.raises(KeyboardInterrupt):
        report_with(mm.from_arrays([[-1.0], [1.0]], [0, 1]), ReportSettings())


def test_aliased_columns_are_named() -> None:
    X = np.column_stack([square().X, square().X[:, 0] * 2])
    dataset = mm.from_arrays(X, square().labels, feature_names=["left", "right", "twice"])
    report = margin_report(dataset, max_mistakes=50, Cs=GRID)
    assert report.to_dict()["separability"]["aliased_columns"] == ["twice"]
    assert "Every hyperplane has a row on its wrong side, unless it contains all rows." in report.to_markdown()
    assert "It is unique once twice is left out: 1 column that depends linearly on the others." in report.to_markdown()


def test_columns_that_cost_too_much_are_left_out() -> None:
    settings = ReportSettings(max_mistakes=50, Cs=GRID, sizes=ReportSizes(column_work=0))
    for dataset in (agresti(), quasi(), three_on_a_line()):
        report = report_with(dataset, settings)
        found = report.to_dict()
        answer = found["separability" if dataset.is_binary else "multinomial"]
        assert [answer[key] for key in ("infinite_columns", "finite_columns", "dimension")] == [None] * 3
        what = "The signs of the infinite logistic coefficients were"
        if answer["verdict"] != "separable":
            what = "Which logistic coefficients are infinite was"
        sentence = f"{what} not computed: {answer['columns_reason']}."
        assert sentence in found["unknown"]
        assert answer["columns_reason"] in report.to_markdown()


def test_numbers_too_long_for_a_report_are_left_out() -> None:
    report = report_with(quasi(), ReportSettings(max_mistakes=50, Cs=GRID, sizes=ReportSizes(proof_characters=1)))
    answer = report.to_dict()["separability"]
    assert set(answer["certificate_cut"]) == {"direction", "rows", "weights", "null_space"}
    assert answer["certificate"]["direction"] is None
    assert "maxmargin check" in report.to_markdown()


def test_past_the_limits_strict_separation_is_still_excluded() -> None:
    X = np.zeros((4, 1_001))
    X[2:] = 1
    report = margin_report(mm.from_arrays(X, [0, 1, 0, 1]), max_mistakes=50, Cs=[1.0])
    found = report.to_dict()
    assert (found["verdict"], found["strictly_separable"]) == ("undecided", False)
    assert "is not linearly separable" in report.to_terminal()
    assert any("1002 columns" in sentence for sentence in found["unknown"])
    assert "The coefficients" not in report.to_markdown()


@pytest.mark.parametrize("how", ["center", "standardize", "unit"])
def test_prepared_data(how: str) -> None:
    found = margin_report(agresti(), prepare=how, Cs=GRID, max_mistakes=50).to_dict()
    assert found["data"]["prepare"] == how
    assert found["data"]["prepared_sha256"] != found["data"]["sha256"]
    assert any(f"“{how}”" in sentence for sentence in found["unknown"])
    if how == "center":
        assert found["perceptron"]["n_mistakes"] == 1
    if how != "unit":
        assert found["translation"]["reason"] == "the data are centred already"


def test_the_best_bias_scale() -> None:
    found = margin_report(agresti(), bias_scale="best", Cs=GRID).to_dict()
    assert found["perceptron"]["bias_scale"] == pytest.approx(np.sqrt(90 * 50))
    assert {bound["name"]: bound["valid"] for bound in found["bounds"]}["best_scale"]
    with pytest.raises(mm.InvalidProblemError, match="best"):
        margin_report(mm.from_arrays([[1.0], [1.0]], [0, 1]), bias_scale="best")


def test_a_flat_hyperplane_has_an_infinite_margin_width() -> None:
    flat = margin_report(square(), max_mistakes=100, Cs=GRID).to_dict()
    assert [point["margin_width_text"] for point in flat["soft_margin"]] == ["infinity"] * 2
    assert flat["separability"]["witness"]["point"] == [0.5, 0.5]


@pytest.mark.slow
@pytest.mark.parametrize("source", ["units", "subnormal"])
def test_bounds_beyond_binary64(source: str) -> None:
    whole = margin_report(mm.load(source)).to_dict()
    assert whole["perceptron"]["converged"], "scores are not rounded to 0"
    assert all(0 < point["C"] < np.inf for point in whole["soft_margin"])
    report = margin_report(mm.load(source), max_mistakes=1, Cs=[1.0])
    bounds = {bound["name"]: bound for bound in report.to_dict()["bounds"]}
    assert (bounds["novikoff"]["valid"], bounds["novikoff"]["value_text"]) == (True, "infinity")
    assert "Novikoff's bound allows" not in report.to_markdown()
    least = 1 + (report.to_dict()["perceptron"]["n_errors"] > 0)  # a row in error is one mistake more
    assert f"is not known: at least {least}." in " ".join(report.to_terminal().split())


def test_sparse_data_give_the_report_of_dense_data() -> None:
    from scipy.sparse import csr_array

    X = np.array([[0.0, 1.0], [0.0, 3.0], [2.0, 0.0], [5.0, 0.0]])
    dense = margin_report(mm.from_arrays(X, [0, 0, 1, 1]), Cs=GRID).to_dict()
    sparse = margin_report(mm.from_arrays(csr_array(X), [0, 0, 1, 1]), Cs=GRID).to_dict()
    assert sparse["data"]["sparse"]
    assert sparse["data"]["sha256"] == dense["data"]["sha256"]
    for key in ("w", "b", "mistake_rows", "margin", "margin_upper"):
        assert sparse["perceptron"][key] == dense["perceptron"][key]
    assert sparse["hard_margin"]["margin"] == pytest.approx(dense["hard_margin"]["margin"])


@pytest.mark.parametrize("suffix", ["html", "md", "json"])
def test_save(separable: MarginReport, tmp_path: Path, suffix: str) -> None:
    path = separable.save(tmp_path / f"report.{suffix}")
    expected = {"html": page_of(separable), "md": separable.to_markdown(), "json": separable.to_json()}
    assert path.read_bytes() == expected[suffix].encode()


@pytest.mark.parametrize("name", ["report.pdf", "report", "report.html.gz"])
def test_save_refuses_other_suffixes(separable: MarginReport, tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=r"expected \.html, \.md, \.json"):
        separable.save(tmp_path / name)
    assert list(tmp_path.iterdir()) == []


def test_in_a_notebook_the_answer_is_a_card(separable: MarginReport) -> None:
    card = separable._repr_html_()
    assert "is linearly separable." in card and "the largest possible margin" in card and "report.save(" in card
    assert not re.search(r"<(script|iframe|svg|style)|\sid=", card) and len(card) < 6_000
    assert repr(separable).startswith("<MarginReport Class 1 against class 0 is linearly separable.")


def test_the_terminal_form_is_plain(report: MarginReport) -> None:
    text = report.to_terminal()
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) <= 100
    assert "What this does not say:" in text


def test_wrong_options() -> None:
    for options in ({"zero": "maybe"}, {"order": "sideways"}, {"prepare": "fold"}, {"Cs": [-1.0]}):
        with pytest.raises(mm.InvalidProblemError):
            margin_report(agresti(), **options)  # type: ignore[arg-type]


def test_numbers_for_people() -> None:
    assert proven(4.137136842541731e-05, 4.1371368425453056e-05) == "4.13713684254…×10⁻⁵"
    assert proven(0.99999999999, 1.00000000001) == "1"
    assert proven(9.9999999, 10.0000001) == "10"
    assert proven(0.0, 1.0) == "in [0, 1]"
    assert proven(1234.5, 1234.75) == "1234…"
    assert percent(0.999999) == "99.9999 %"
    assert rounded(1e6) == "10⁶"
    assert rounded(-0.5) == "\N{MINUS SIGN}0.5"
    assert len(one_line("x" * 500)) <= 60


def test_importing_the_report_is_cheap() -> None:
    script = "import sys; import maxmargin.reports.margin_report; print(*{m.partition('.')[0] for m in sys.modules})"
    assert set(python(script).split()) & {"matplotlib", "cvxpy", "numba", "scipy", "jinja2", "numpy"} == set()
