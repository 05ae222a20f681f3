"""The loop of the online algorithms, the catalogue, and what a user types."""

import dataclasses
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import for_each
from scipy.sparse import csr_array
from watched_rows import InterruptingGenerator

import maxmargin as mm
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.online.catalogue import ALGORITHMS, algorithm_of
from maxmargin.solvers.online.online_settings import OnlineSettings, OnlineSizes
from maxmargin.solvers.online.rosenblatt import Perceptron
from maxmargin.solvers.online.run_online import run_online
from maxmargin.solvers.online.second_order import MOST_COLUMNS
from maxmargin.solvers.perceptron.row_orders import Order
from maxmargin.solvers.perceptron.run import perceptron
from maxmargin.solvers.perceptron.settings import PerceptronSettings, RunProgress
from maxmargin.solvers.problem.problem import Problem

SCALE_FREE = [name for name, algorithm in ALGORITHMS.items() if algorithm.is_scale_free]
WITH_UNITS = sorted(set(ALGORITHMS) - set(SCALE_FREE))
# Algorithms that treat the two classes differently.
HAVE_NO_SIDES = {"winnow"}


def whole_numbers(seed: int, n: int = 30, d: int = 3, noise: int = 0) -> tuple[Any, Any]:
    """Rows of small non-negative integers with labels of a plane, the first few turned over."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 7, size=(n, d)).astype(float)
    scores = X @ rng.normal(size=d)
    y = np.where(scores > np.median(scores), 1, -1)
    y[:noise] *= -1
    return X, y


@for_each("order", list(Order))
@for_each("bias", [True, False])
@for_each("noise", [0, 3])
def test_the_family_perceptron_makes_the_mistakes_of_the_perceptron(order: Order, bias: bool, noise: int) -> None:
    for seed in range(2):
        X, y = whole_numbers(seed, noise=noise)
        settings = PerceptronSettings(order=order, max_epochs=40, bias_scale=2.0)
        expected = perceptron(Problem.validated(X, y, bias=bias), settings, rng=np.random.default_rng(seed))
        run = mm.online(X, y, "perceptron", bias=bias, bias_scale=2.0, order=order, max_epochs=40, rng=seed)
        assert run.update_rows.tolist() == expected.mistake_rows.tolist()
        assert run.n_updates == run.n_mistakes == expected.n_mistakes
        assert (run.w.tolist(), run.b) == (expected.w.tolist(), expected.b)
        assert run.converged == expected.converged
        # Of a random order the full scan that ends the run is no epoch here.
        n_epochs = expected.n_epochs - (expected.converged and not order.covers_all_rows)
        assert run.updates_per_epoch.tolist() == expected.mistakes_per_epoch[:n_epochs].tolist()
        assert (run.margin, run.run_margin) == (expected.margin, expected.run_margin)


@for_each("name", ALGORITHMS)
def test_a_run_counts_what_it_does(name: str) -> None:
    X, y = whole_numbers(1, noise=2)
    run = mm.online(X, y, name, max_epochs=7, rng=0)
    assert run.n_epochs == len(run.updates_per_epoch) == len(run.mistakes_per_epoch) <= 7
    assert run.n_updates == run.updates_per_epoch.sum() == run.updated.sum() == len(run.update_rows)
    assert run.n_mistakes == run.mistakes_per_epoch.sum()
    assert run.presented.sum() == run.n_presentations or not run.presented.any()
    assert (np.diff(run.update_times) > 0).all()
    assert (run.stop_reason == "converged") == run.converged
    assert run.guarantees


def table_of_the_family() -> dict[str, tuple[str, str]]:
    """Return the guarantees and the source of every row of the table in docs/family.md."""
    page = (Path(__file__).resolve().parents[3] / "docs" / "family.md").read_text(encoding="utf-8")
    table = re.findall(r"^\| `([\w-]+)` \|.*\| ([\w, -]+) \| ([^|]+) \|$", page, flags=re.MULTILINE)
    return {name: (guarantees, reference) for name, guarantees, reference in table}


def test_the_table_of_the_family_has_the_order_of_the_catalogue() -> None:
    assert list(table_of_the_family()) == list(ALGORITHMS), "docs/family.md: a row for every algorithm, in order"


@for_each("name", sorted(table_of_the_family()))
def test_the_table_of_the_family_is_the_catalogue(name: str) -> None:
    X, y = whole_numbers(1)
    guarantees = ", ".join(guarantee.name for guarantee in mm.online(X, y, name, max_epochs=1, rng=0).guarantees)
    assert table_of_the_family()[name] == (guarantees, mm.online_algorithms()[name].reference)


def test_the_table_of_bounds_is_the_ladder() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "bounds.md").read_text(encoding="utf-8")
    names = re.findall(r"^\| `(\w+)` \|", page, flags=re.MULTILINE)
    assert names == [bound.name for bound in mm.mistake_bounds(*whole_numbers(1))]


@for_each("name", sorted(set(ALGORITHMS) - {"kernel-perceptron"}))
def test_margin_and_errors_are_those_of_the_plane(name: str) -> None:
    X, y = whole_numbers(2, noise=2)
    run = mm.online(X, y, name, max_epochs=5, rng=0)
    scores = y * (X @ run.w + run.b)
    assert run.n_errors == (scores <= 0).sum()
    assert math.isclose(run.margin, scores.min() / np.linalg.norm(run.w), rel_tol=1e-9, abs_tol=1e-12)
    in_run = scores.min() / math.hypot(*run.w, run.b)
    assert math.isclose(run.run_margin, in_run, rel_tol=1e-9, abs_tol=1e-12)
    assert run.margin <= mm.hard_margin(X, y).upper
    if name != "voted":
        assert run.predict(X).tolist() == np.sign(X @ run.w + run.b).tolist()


@for_each("name", ALGORITHMS)
def test_sparse_rows_give_the_same_run(name: str) -> None:
    X, y = whole_numbers(3)
    dense, sparse = (mm.online(rows, y, name, max_epochs=5, rng=0) for rows in (X, csr_array(X)))
    assert dense.update_rows.tolist() == sparse.update_rows.tolist()
    assert dense.w.tolist() == sparse.w.tolist()


@for_each("name", sorted(set(ALGORITHMS) - HAVE_NO_SIDES))
def test_other_labels_turn_the_plane_over(name: str) -> None:
    X, y = whole_numbers(4, noise=1)
    run, turned = (mm.online(X, labels, name, max_epochs=5, rng=0) for labels in (y, -y))
    assert run.update_rows.tolist() == turned.update_rows.tolist()
    assert run.w.tolist() == (-turned.w).tolist() and run.b == -turned.b


@for_each("name", SCALE_FREE)
@for_each("exponent", [-1000, 900])
def test_rows_in_other_units_give_the_same_updates(name: str, exponent: int) -> None:
    X, y = whole_numbers(5)
    scale = math.ldexp(1.0, exponent)
    run = mm.online(X, y, name, max_epochs=20, rng=0)
    scaled = mm.online(np.ldexp(X, exponent), y, name, bias_scale=scale, max_epochs=20, rng=0)
    assert run.update_rows.tolist() == scaled.update_rows.tolist()
    assert scaled.n_errors == run.n_errors
    assert math.isclose(scaled.margin, math.ldexp(run.margin, exponent), rel_tol=1e-12)
    assert [g.holds for g in scaled.guarantees] == [g.holds for g in run.guarantees]


@for_each("name", WITH_UNITS)
def test_parameters_with_units_need_rows_of_a_moderate_size(name: str) -> None:
    X, y = whole_numbers(5)
    with pytest.raises(InvalidProblemError, match=r"overflow"):
        mm.online(np.ldexp(X, 600), y, name)


@for_each("name", [name for name in ALGORITHMS if name not in {"minover", "delta-rule", "subgradient-svm"}])
def test_a_shuffled_order_is_the_cyclic_one_of_shuffled_rows(name: str) -> None:
    X, y = whole_numbers(11, noise=1)
    positions = np.random.default_rng(3).permutation(len(y))
    shuffled = mm.online(X, y, name, order="shuffled-once", max_epochs=5, rng=3)
    cyclic = mm.online(X[positions], y[positions], name, order="cyclic", max_epochs=5)
    assert shuffled.update_rows.tolist() == positions[cyclic.update_rows].tolist()
    assert shuffled.update_times.tolist() == cyclic.update_times.tolist()


@pytest.mark.parametrize("name", ["delta-rule", "subgradient-svm"])
def test_the_order_of_the_rows_is_nothing_to_those_that_look_at_all(name: str) -> None:
    X, y = whole_numbers(11, noise=1)
    positions = np.random.default_rng(3).permutation(len(y))
    run, shuffled = (mm.online(X[p], y[p], name, max_epochs=40) for p in (np.arange(len(y)), positions))
    assert math.isclose(run.run_margin, shuffled.run_margin, rel_tol=1e-9)


def test_weights_that_overflow_are_an_error() -> None:
    X, y = whole_numbers(6)
    with pytest.raises(InvalidProblemError, match="weights of delta-rule overflow"):
        mm.online(X, y, "delta-rule", eta=10.0, max_epochs=500)


def test_a_step_without_a_file_to_cache_is_compiled_all_the_same() -> None:
    names: dict[str, Any] = {}
    exec("def step(X, y, row, t, score, parameters, w, table, scalars):\n    w[0] += 1.0\n    return 1", names)

    class Counting(Perceptron):
        step = staticmethod(names["step"])

    run = run_online(Problem.validated(*whole_numbers(7)), Counting(), OnlineSettings(max_epochs=2))
    assert run.w.tolist() == [60.0, 0.0, 0.0] and run.n_updates == 60


def test_limits_are_kept() -> None:
    X, y = whole_numbers(7, noise=4)
    run = mm.online(X, y, "perceptron", max_updates=11, max_epochs=None)
    assert (run.n_updates, run.stop_reason, run.converged) == (11, "max_updates", False)
    run = mm.online(X, y, "perceptron", max_epochs=3)
    assert (run.n_epochs, run.stop_reason, run.n_presentations) == (3, "max_epochs", 3 * len(y))


def test_no_more_rows_are_logged_than_there_is_room_for() -> None:
    X, y = whole_numbers(7, noise=4)
    settings = OnlineSettings(max_epochs=10, sizes=OnlineSizes(most_logged=5))
    run = run_online(Problem.validated(X, y), algorithm_of("voted", {}), settings)
    assert len(run.update_rows) == len(run.update_times) == 5 < run.n_updates
    with pytest.raises(InvalidProblemError, match="too many to vote"):
        run.predict(X)


@pytest.mark.parametrize("name", ["perceptron", "averaged", "minover", "delta-rule", "pocket"])
def test_ctrl_c_ends_a_run_with_what_there_is(name: str) -> None:
    seen: list[RunProgress] = []

    def stop(progress: RunProgress) -> None:
        seen.append(progress)
        if len(seen) == 3:
            raise KeyboardInterrupt

    problem = Problem.validated(*whole_numbers(8, noise=4))
    settings = OnlineSettings(max_epochs=None, sizes=OnlineSizes(seconds_between_reports=0.0, slice_cost=1))
    rng = np.random.default_rng(0)
    run = run_online(problem, algorithm_of(name, {}), settings, on_progress=stop, rng=rng)
    assert (run.stop_reason, run.n_presentations) == ("interrupted", 3)
    assert np.isfinite(run.w).all()


def test_a_signal_before_the_first_row_leaves_one_presentation() -> None:
    problem = Problem.validated(*whole_numbers(8, noise=4))
    settings = OnlineSettings(order=Order.RESHUFFLED, sizes=OnlineSizes(slice_cost=1))
    rng = InterruptingGenerator(np.random.PCG64(0))
    run = run_online(problem, algorithm_of("averaged", {}), settings, rng=rng)
    assert (run.stop_reason, run.n_presentations) == ("interrupted", 1)


def test_the_catalogue_names_every_parameter() -> None:
    catalogue = mm.online_algorithms()
    assert list(catalogue) == list(ALGORITHMS)
    for name, entry in catalogue.items():
        assert entry.name == name and entry.summary and entry.reference and entry.order in list(Order)
        assert set(entry.parameters) == {field.name for field in dataclasses.fields(ALGORITHMS[name])}
        assert ALGORITHMS[name](**entry.parameters) == ALGORITHMS[name]()
    assert catalogue["pocket"].order == "random"


# Values that are refused by each algorithm that has the parameter.
WRONG_PARAMETERS: dict[str, tuple[Any, ...]] = {
    "beta": (-1.0, math.nan, "much"), "C": (0.0, math.inf), "confidence": (0.5, 1.0), "variance": (0.0,), "eta": (0.0,),
    "lambda_": (0.0,), "p": (1.5,), "a": (0.0, 5e-324), "r": (-1.0, 5e-324), "rate": (2.0,), "tolerance": (0.0, 1.0),
    "delta": (1.5,), "alpha": (0.0,), "epsilon": (1.5,), "factor": (1.0,), "threshold": (-1.0,), "at_zero": (1.5,),
    "kernel": ("cubic",), "degree": (0.5, 0), "gamma": (0.0,),
}  # fmt: skip


@for_each("name", ALGORITHMS)
def test_a_wrong_parameter_is_named(name: str) -> None:
    for parameter in mm.online_algorithms()[name].parameters:
        for value in WRONG_PARAMETERS[parameter]:
            with pytest.raises(InvalidOptionError, match=parameter):
                mm.online([[0.0], [1.0]], [0, 1], name, **{parameter: value})
    with pytest.raises(InvalidOptionError, match="unknown"):
        mm.online([[0.0], [1.0]], [0, 1], name, unknown=1.0)


WRONG_OPTIONS = {"algorithm": "rosenblatt", "order": "sorted", "rng": -1, "max_epochs": 0, "max_updates": 0.5}


@for_each(("option", "value"), {**WRONG_OPTIONS, "bias_scale": -1.0}.items())
def test_a_wrong_option_is_named(option: str, value: Any) -> None:
    with pytest.raises(InvalidOptionError, match=option):
        mm.online([[0.0], [1.0]], [0, 1], **{option: value})


def test_data_that_an_algorithm_does_not_take() -> None:
    X, y = whole_numbers(9)
    with pytest.raises(InvalidProblemError, match="non-negative"):
        mm.online(-X, y, "winnow")
    with pytest.raises(InvalidProblemError, match="bias"):
        mm.online(X, y, "winnow", bias=False)
    with pytest.raises(InvalidProblemError, match="covariance"):
        mm.online(np.ones((2, MOST_COLUMNS)), [0, 1], "arow")
    with pytest.raises(InvalidProblemError, match="Gram matrix overflows"):
        mm.online(X * 1e60, y, "kernel-perceptron", kernel="polynomial", degree=9)
    settings = OnlineSettings(sizes=OnlineSizes(most_entries=100))
    with pytest.raises(InvalidProblemError, match="entries"):
        run_online(Problem.validated(X, y), Perceptron(), settings)


def test_the_best_scale_is_that_of_the_perceptron() -> None:
    X, y = [[10.0], [12.0]], [0, 1]
    run = mm.online(X, y, "perceptron", bias_scale="best", max_epochs=None)
    assert run.n_updates == mm.perceptron(X, y, bias_scale="best").n_mistakes
