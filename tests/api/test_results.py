"""What every result can do: be shown in a line, be compared with itself, and travel to another process."""

import json
import pickle
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass, replace
from functools import cache
from html import unescape
from html.parser import HTMLParser
from inspect import isfunction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from cases import for_each
from commands import json_answer
from sklearn.linear_model import LogisticRegression, RidgeClassifier

import maxmargin as mm
from maxmargin.solvers.answers.answer_text import Names, Result

X = [[0.0, 0.0], [1.0, 2.0], [3.0, 1.0], [2.0, 2.0]]
SEPARABLE, OVERLAP = [0, 1, 1, 1], [0, 1, 1, 0]

# Results by verb, and what is asked of it.
RESULTS: dict[str, Callable[[], Any]] = {
    "separability": lambda: mm.separability(X, SEPARABLE),
    "separability quasi": lambda: mm.separability([[0.0], [0.0], [1.0], [1.0], [2.0]], [0, 1, 1, 1, 1]),
    "separability overlap": lambda: mm.separability([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]),
    "separability undecided": lambda: mm.separability(np.eye(4), [0, 1, 0, 1], exact_limit=1, method="highs"),
    "separability multinomial": lambda: mm.separability([[1.0], [2.0], [3.0]], ["a", "b", "c"]),
    "require": lambda: mm.require(X, SEPARABLE, "separable"),
    "hard_margin": lambda: mm.hard_margin(X, SEPARABLE),
    "hard_margin exact": lambda: mm.hard_margin(X, SEPARABLE, exact=True),
    "hard_margin overlap": lambda: mm.hard_margin(X, OVERLAP),
    "sensitivity": lambda: mm.sensitivity(X, SEPARABLE),
    "sensitivity overlap": lambda: mm.sensitivity(X, OVERLAP),
    "soft_margin": lambda: mm.soft_margin(X, OVERLAP),
    "soft_margin weighted": lambda: mm.soft_margin(X, OVERLAP, sample_weight=[1.0, 2.0, 1.0, 0.5]),
    "soft_margin_path": lambda: mm.soft_margin_path(X, OVERLAP, [0.1, 10.0], bias=False),
    "nu_margin": lambda: mm.nu_margin(X, OVERLAP, nu=0.5),
    "fewest_errors": lambda: mm.fewest_errors(X, OVERLAP),
    "least_total_slack": lambda: mm.least_total_slack(X, OVERLAP),
    "perceptron": lambda: mm.perceptron(X, SEPARABLE),
    "perceptron stopped": lambda: mm.perceptron(X, OVERLAP, max_mistakes=20),
    "online": lambda: mm.online(X, SEPARABLE, algorithm="averaged"),
    "online kernel": lambda: mm.online(X, SEPARABLE, algorithm="kernel-perceptron"),
    "mistake_trace": lambda: mm.mistake_trace(X, SEPARABLE),
    "order_study": lambda: mm.order_study(X, SEPARABLE, n_orders=5),
    "mistake_bounds": lambda: mm.mistake_bounds(X, SEPARABLE),
    "judge": lambda: mm.judge(X, SEPARABLE, [1.0, 1.0], -1.0),
    "judge wrong": lambda: mm.judge(X, SEPARABLE, [1.0, -1.0]),
    "judge overlap": lambda: mm.judge(X, OVERLAP, [1.0, 1.0], -1.0, g=0.5),
    "check_model": lambda: mm.check_model(LogisticRegression(C=np.inf).fit(X, OVERLAP), X, OVERLAP),
    "check_model ridge": lambda: mm.check_model(RidgeClassifier().fit(X, [0, 1, 2, 2]), X, [0, 1, 2, 2]),
    "compare": lambda: mm.compare({"schema": 1, "data": [{"source": "xor"}], "method": [{"name": "lp"}]}),
    "trust": lambda: mm.trust(X, SEPARABLE, methods=["lp"]),
    "margin_report": lambda: mm.margin_report(mm.from_arrays(X, SEPARABLE), max_mistakes=10),
}

# Public functions that return data, the catalogue of algorithms, or True.
NO_RESULTS = {"from_arrays", "generate", "load", "online_algorithms", "prepare", "verify"}

# Those of a second or less; the others come back from a pickle.
QUICK = [name for name in RESULTS if name not in ("compare", "trust")]


@cache
def results_of(name: str) -> tuple[Any, ...]:
    results = RESULTS[name]()
    return results if isinstance(results, tuple) else (results,)


def test_every_verb_is_here() -> None:
    verbs = {name for name in mm.__all__ if isfunction(getattr(mm, name))}
    assert verbs - NO_RESULTS == {name.split()[0] for name in RESULTS}


def same(first: Any, second: Any) -> bool:
    """Whether two values hold the same numbers, texts and parts."""
    if isinstance(first, np.ndarray):
        return isinstance(second, np.ndarray) and np.array_equal(first, second, equal_nan=first.dtype.kind == "f")
    if is_dataclass(first):
        names = [entry.name for entry in fields(first) if not callable(getattr(first, entry.name))]
        return type(first) is type(second) and all(same(getattr(first, n), getattr(second, n)) for n in names)
    if isinstance(first, (list, tuple)):
        return len(first) == len(second) and all(map(same, first, second))
    if isinstance(first, dict):
        return set(first) == set(second) and all(same(value, second[key]) for key, value in first.items())
    if type(first).__eq__ is object.__eq__:
        return type(first) is type(second)
    return bool(first == second or first != first)


@pytest.mark.sampled
@pytest.mark.parametrize("name", RESULTS)
def test_a_result_comes_back_from_a_pickle(name: str) -> None:
    for result in results_of(name):
        shown = result._repr_html_()
        copy = pickle.loads(pickle.dumps(result))
        assert name == "margin_report" or same(result, copy)
        assert copy.to_dict() == result.to_dict()
        assert copy.summary() == result.summary()
        assert copy._repr_html_() == shown


@pytest.mark.parametrize("name", ["separability", "separability quasi", "separability multinomial"])
def test_columns_travel_though_nobody_asked_for_them(name: str) -> None:
    answer = RESULTS[name]()
    copy = pickle.loads(pickle.dumps(answer))
    assert copy.infinite_columns == answer.infinite_columns is not None
    assert (copy.finite_columns, copy.dimension) == (answer.finite_columns, answer.dimension)


@pytest.mark.slow
@for_each("name", [name for name in QUICK if name != "mistake_bounds"])
def test_a_result_is_equal_to_itself_only(name: str) -> None:
    for first in results_of(name):
        second = pickle.loads(pickle.dumps(first))
        assert first == first and first != second and len({first, second}) == 2


def test_reprs_say_what_was_found() -> None:
    assert repr(mm.separability(X, SEPARABLE)) == "<Separability separable (proven)>"
    assert repr(mm.hard_margin([[0.0], [2.0]], [0, 1])) == "<HardMargin optimal: maximum margin in [1.0, 1.0]>"
    assert repr(mm.perceptron([[-1.0], [1.0]], [0, 1])).startswith("<PerceptronRun converged: ")
    assert repr(mm.fewest_errors(X, OVERLAP)) == "<FewestErrors fewest errors 1 (proven)>"


def test_the_command_prints_the_fields_of_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    dataset = mm.load("iris", positive="setosa")
    for command, result in (
        ("check", mm.separability(dataset)), ("margin", mm.hard_margin(dataset)),
        ("perceptron", mm.perceptron(dataset)), ("fewest-errors", mm.fewest_errors(dataset)),
    ):  # fmt: skip
        _, printed = json_answer(capsys, *command.split(), "iris", "--positive", "setosa")
        own = result.to_dict()
        assert set(own) <= set(printed), command
        shared = set(own) - {"seed"}  # known to the command only
        assert {name: own[name] for name in shared} == {name: printed[name] for name in shared}


def test_every_result_class_has_all_of_it() -> None:
    public = {getattr(mm, name) for name in mm.__all__}
    results = {part for part in public if isinstance(part, type) and issubclass(part, Result)}
    assert {part.__name__ for part in results} == {
        *("Bound", "Comparison", "FewestErrors", "HardMargin", "MistakeTrace", "ModelCheck", "NuMargin", "OnlineRun"),
        *("OrderStudy", "PerceptronRun", "PlaneJudgement", "Sensitivity", "Separability", "SoftMargin", "TotalSlack"),
        "TrustReport",
    }
    for part in results:
        for name in ("headline", "summary", "to_dict"):
            assert not getattr(getattr(part, name), "__isabstractmethod__", False), (part, name)


class Page(HTMLParser):
    """The tags, the attributes and the text of a page whose tags are balanced."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.attributes: dict[str, str | None] = {}
        self.text: list[str] = []
        self.feed(page)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags.add(tag)
        self.attributes |= dict(attrs)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.text.append(data)


def key_numbers(page: str) -> dict[str, str]:
    return dict(re.findall(r"<dt [^>]*>([^<]*)</dt><dd [^>]*>([^<]*)</dd>", page))


@for_each("name", QUICK)
def test_a_result_is_a_small_card_in_a_notebook(name: str) -> None:
    for result in results_of(name):
        page = result._repr_html_()
        read = Page(page)
        assert read.tags <= {"div", "dl", "dt", "dd", "details", "summary", "table", "tbody", "tr", "th", "td"}
        assert set(read.attributes) == {"style"}, "no identifiers, no scripts, nothing from elsewhere"
        assert read.text[0].startswith(type(result).__name__)
        assert 1 <= len(key_numbers(page)) <= 6
        assert len(page) < 20_000
        if name == "margin_report":
            continue
        assert read.text[1] == result.headline
        scalars = {key for key, value in result.to_dict().items() if value not in (None, "") and np.isscalar(value)}
        assert scalars <= set(read.text), "a field of one value is a row of what can be opened"


# Key numbers of a card, and the fields that they are.
SAME: dict[str, dict[str, str]] = {
    "hard_margin": {"margin of (w, b)": "margin", "support rows": "support_count", "found by": "engine"},
    "soft_margin": {"C": "C", "half width of the band": "margin", "rows in error": "n_errors"},
    "nu_margin": {"nu": "nu", "rho": "rho", "rows with slack": "slack_count"},
    "separability quasi": {"verdict": "verdict", "rows strictly separated": "separated_rows_count"},
    "separability overlap": {"verdict": "verdict", "rows that prove it": "witness_rows_count"},
    "fewest_errors": {"fewest errors, proven": "upper", "nodes of the search": "n_nodes"},
    "perceptron": {"mistakes": "n_mistakes", "epochs": "n_epochs", "margin achieved": "margin"},
    "online": {"updates": "n_updates", "rows in error": "n_errors", "margin achieved": "margin"},
    "order_study": {
        "fewest seen": "fewest_seen",
        "most seen": "most_seen",
        "most of any sequence, proven": "worst_case",
    },
    "mistake_bounds": {"mistakes at most": "value", "source": "reference"},
    "judge": {"rows in error": "error_rows_count", "margin": "margin", "mistakes at most (Novikoff)": "novikoff"},
    "sensitivity": {"rows that hold it": "rows_count", "one row alone by less than": "radius_of_one"},
    "check_model": {"verdict": "verdict", "model": "model"},
}


@for_each("name", SAME)
def test_the_key_numbers_of_a_card_are_those_of_the_fields(name: str) -> None:
    result = results_of(name)[0]
    shown = key_numbers(result._repr_html_())
    fields = result.fields() if name == "order_study" else result.to_dict()
    for label, field in SAME[name].items():
        value = fields[field]
        if isinstance(value, str):
            assert unescape(shown[label]) == value
        else:
            assert float(shown[label].replace(",", "")) == pytest.approx(value, rel=1e-5)


def test_proven_ends_on_a_card_are_rounded_outwards() -> None:
    run = mm.perceptron([[10.0, 1 / 3], [12.0, 1 / 7], [11.9, 1.5]], [0, 1, 1])
    shown = key_numbers(run._repr_html_())
    assert float(shown["margin achieved"]) < run.margin
    assert float(shown["maximum margin, proven"].removeprefix("at most ")) > run.margin_upper


@for_each("name", QUICK)
def test_a_result_is_a_line_a_dict_and_a_text(name: str) -> None:
    for result in results_of(name):
        line, fields, text = repr(result), result.to_dict(), result.summary()
        assert "\n" not in line and len(line) < 400 and type(result).__name__ in line
        assert json.loads(json.dumps(fields, allow_nan=False)) == fields
        assert text.replace("\n", "").isprintable()
        assert name == "margin_report" or len(text.splitlines()) < 60
        assert "None" not in text and "array(" not in text + line


HOSTILE = "<script>alert(1)</script>\n\x1b[2Jseparable (proven)\u202e"


def test_names_do_nothing_in_a_notebook_or_in_a_text() -> None:
    columns = [f"{HOSTILE}{k}" for k in range(2)]
    answer = mm.separability(pd.DataFrame(X, columns=columns), [f"{HOSTILE}{label}" for label in [0, 1, 1, 2]])
    assert answer.infinite_columns is not None and any(HOSTILE in str(name) for name in answer.infinite_columns)
    page = answer._repr_html_()
    assert "&lt;script&gt;" in page and "<script>" not in page and page.isprintable()
    Page(page)
    names = Names(columns=columns, ids=[f"{HOSTILE}{k}" for k in range(4)])
    for name in (
        "hard_margin", "soft_margin", "nu_margin", "fewest_errors", "least_total_slack", "judge", "perceptron",
        "online",
    ):  # fmt: skip
        text = replace(RESULTS[name](), names=names).summary()
        assert "alert" in text and not text.count("\x1b") and "\u202e" not in text
    for line in answer.summary().splitlines()[1:]:
        assert line.isprintable() and not line.strip().startswith("separable (proven)")


def test_columns_that_take_long_are_left_to_those_who_ask() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 100))
    answer = mm.separability(X, X[:, 0] > 0)
    assert not answer.has_cheap_columns
    answer._repr_html_()
    text = answer.summary()
    assert "columns" not in vars(answer), "nothing was computed"
    assert "all coefficients are infinite but those of aliased columns" in text
    assert "their signs were not computed (--columns, --time-limit)" in text
    assert "not determined (each may go to infinity" in answer.summary(with_columns=True)
