"""What every result can do: be shown in a line, be compared with itself, and travel to another process."""

import json
import pickle
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np
import pytest
from commands import json_answer

import maxmargin as mm
from maxmargin.solvers.answers.named import NamedAnswer

X = [[0.0, 0.0], [1.0, 2.0], [3.0, 1.0], [2.0, 2.0]]
SEPARABLE, OVERLAP = [0, 1, 1, 1], [0, 1, 1, 0]

RESULTS: dict[str, Callable[[], Any]] = {
    "separable": lambda: mm.separability(X, SEPARABLE),
    "quasi-separable": lambda: mm.separability([[0.0], [0.0], [1.0], [1.0], [2.0]], [0, 1, 1, 1, 1]),
    "overlap": lambda: mm.separability([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1]),
    "multinomial": lambda: mm.separability([[1.0], [2.0], [3.0]], ["a", "b", "c"]),
    "hard margin": lambda: mm.hard_margin(X, SEPARABLE),
    "exact margin": lambda: mm.hard_margin(X, SEPARABLE, exact=True),
    "no margin": lambda: mm.hard_margin(X, OVERLAP),
    "soft margin": lambda: mm.soft_margin(X, OVERLAP),
    "nu margin": lambda: mm.nu_margin(X, OVERLAP, nu=0.5),
    "fewest errors": lambda: mm.fewest_errors(X, OVERLAP),
    "total slack": lambda: mm.least_total_slack(X, OVERLAP),
    "perceptron": lambda: mm.perceptron(X, SEPARABLE),
    "online": lambda: mm.online(X, SEPARABLE, algorithm="averaged"),
    "kernel": lambda: mm.online(X, SEPARABLE, algorithm="kernel-perceptron"),
    "mistake trace": lambda: mm.mistake_trace(X, SEPARABLE),
    "order study": lambda: mm.order_study(X, SEPARABLE, n_orders=5),
    "bounds": lambda: mm.mistake_bounds(X, SEPARABLE),
}


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


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_comes_back_from_a_pickle(name: str) -> None:
    result = RESULTS[name]()
    assert same(result, pickle.loads(pickle.dumps(result)))


@pytest.mark.parametrize("name", ["separable", "quasi-separable", "multinomial"])
def test_columns_travel_though_nobody_asked_for_them(name: str) -> None:
    answer = RESULTS[name]()
    copy = pickle.loads(pickle.dumps(answer))
    assert copy.infinite_columns == answer.infinite_columns is not None
    assert (copy.finite_columns, copy.dimension) == (answer.finite_columns, answer.dimension)


def test_a_report_travels() -> None:
    report = mm.margin_report(mm.from_arrays(X, SEPARABLE), max_mistakes=10)
    assert pickle.loads(pickle.dumps(report)).to_dict() == report.to_dict()


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_shown_in_a_line(name: str) -> None:
    for result in np.atleast_1d(np.array(RESULTS[name](), dtype=object)):
        line = repr(result)
        assert "\n" not in line and len(line) < 400
        assert type(result).__name__ in line
        assert "array(" not in line


@pytest.mark.parametrize("name", [name for name in RESULTS if name != "bounds"])
def test_a_result_is_equal_to_itself_only(name: str) -> None:
    first, second = RESULTS[name](), RESULTS[name]()
    assert first == first and first != second and len({first, second}) == 2


def test_reprs_say_what_was_found() -> None:
    assert repr(mm.separability(X, SEPARABLE)) == "<Separability separable (proven)>"
    assert repr(mm.hard_margin([[0.0], [2.0]], [0, 1])) == "<HardMargin optimal: maximum margin in [1.0, 1.0]>"
    assert repr(mm.perceptron([[-1.0], [1.0]], [0, 1])).startswith("<PerceptronRun converged: ")
    assert repr(mm.fewest_errors(X, OVERLAP)) == "<FewestErrors fewest errors 1 (proven)>"


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_a_dict_that_json_holds(name: str) -> None:
    results = RESULTS[name]()
    for result in results if isinstance(results, tuple) else [results]:
        fields = result.to_dict()
        assert json.loads(json.dumps(fields, allow_nan=False)) == fields


def test_the_command_prints_the_fields_of_the_result(capsys: pytest.CaptureFixture[str]) -> None:
    dataset = mm.load("iris", positive="setosa")
    for command, result in (
        ("check", mm.separability(dataset.X, dataset.y)),
        ("margin", mm.hard_margin(dataset.X, dataset.y)),
        ("perceptron", mm.perceptron(dataset.X, dataset.y)),
        ("fewest-errors", mm.fewest_errors(dataset.X, dataset.y)),
    ):
        _, printed = json_answer(capsys, *command.split(), "iris", "--positive", "setosa")
        own = result.to_dict()
        assert set(own) <= set(printed), command
        by_name = {"infinite_columns", "finite_columns", "seed"}  # columns have names on the command line
        shared = set(own) - by_name
        assert {name: own[name] for name in shared} == {name: printed[name] for name in shared}


def test_every_result_class_has_a_headline_and_fields() -> None:
    def classes(base: type) -> set[type]:
        return {part for child in base.__subclasses__() for part in {child, *classes(child)}}

    for name in ("HardMargin", "SoftMargin", "Separability", "NuMargin", "FewestErrors", "TotalSlack"):
        assert getattr(mm, name) in classes(NamedAnswer)
    assert all({"headline", "fields"} <= set(vars(part)) for part in classes(NamedAnswer))
