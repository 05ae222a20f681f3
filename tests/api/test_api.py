"""What people call: labels and arrays of every kind in, one answer out; errors that say what was wrong."""

import math
import warnings
from typing import Any

import numpy as np
import pytest
from cases import for_each
from scipy.sparse import csr_array

import maxmargin as mm

ROWS = [[10.0], [20.0], [30.0], [40.0], [60.0], [70.0], [80.0], [90.0]]
LABELS = [0, 0, 0, 0, 1, 1, 1, 1]
CALLS = (mm.separability, mm.hard_margin, mm.soft_margin, mm.perceptron, mm.mistake_bounds)


def test_positive_chooses() -> None:
    answer = mm.hard_margin(ROWS, ["a"] * 4 + ["b"] * 4, positive="a")
    assert answer.w is not None and answer.w[0] < 0
    labels = ["a", "a", "b", "b", "c", "c", "c", "c"]
    assert mm.hard_margin(ROWS, labels, positive="c").lower == 10
    assert mm.separability(ROWS, labels, positive="b").strictly_separable is False
    assert mm.perceptron(ROWS, labels, positive="c").n_mistakes == 1701
    assert mm.soft_margin(ROWS, labels, positive="c").status == "optimal"
    assert mm.mistake_bounds(ROWS, labels, positive="c")[0].valid


def test_read_only_input_is_left_alone() -> None:
    X, y = np.array(ROWS), np.array(LABELS)
    X.flags.writeable = y.flags.writeable = False
    for call in CALLS:
        call(X, y)
    sparse = csr_array(X)
    for part in (sparse.data, sparse.indices, sparse.indptr):
        part.flags.writeable = False
    for call in CALLS:
        call(sparse, y)
    assert X.tolist() == ROWS and y.tolist() == LABELS


BAD = [
    (ROWS, [0] * 8, "class"), (ROWS, LABELS[:-1], "8 rows and y has 7"), (ROWS, [0, 1, 2, 0, 1, 2, 0, 1], "3 classes"),
    ([[1.0], [math.nan]], [0, 1], "(?i)nan|finite|missing"), ([1.0, 2.0], [0, 1], "two dimensions"),
]  # fmt: skip


@for_each("X, y, words", BAD)
def test_what_is_no_problem_is_refused_clearly(X: Any, y: Any, words: str) -> None:
    for call in CALLS:
        if call is mm.separability and words == "3 classes":
            continue  # these are a question of their own
        with pytest.raises(mm.InvalidProblemError, match=words) as caught:
            call(X, y)
        assert "\n" not in str(caught.value)
        assert isinstance(caught.value, ValueError)


@pytest.mark.parametrize("options, words", [
    ({"order": "backwards"}, "order is 'backwards'; expected one of cyclic, shuffled-once"),
    ({"zero": "never"}, "zero is 'never'"), ({"bias_scale": "worst"}, "bias_scale is 'worst'"),
    ({"bias_scale": -2.0}, "positive finite"), ({"max_epochs": 0}, "max_epochs"), ({"max_mistakes": 0}, "max_mistakes"),
    ({"positive": 7}, "7"),
])  # fmt: skip
def test_perceptron_options_that_make_no_sense(options: dict[str, Any], words: str) -> None:
    with pytest.raises(mm.InvalidProblemError, match=words):
        mm.perceptron(ROWS, LABELS, **options)


def test_the_best_bias_scale() -> None:
    run = mm.perceptron(ROWS, LABELS, bias_scale="best")
    assert math.isclose(run.settings.bias_scale, math.sqrt(90 * 50), rel_tol=1e-9) and run.n_mistakes <= 140**2 / 100
    for options in ({}, {"bias": False}):  # b* = 0: through the origin
        assert mm.perceptron([[-1.0], [1.0]], [0, 1], bias_scale="best", **options).b == 0


def test_seeds_and_generators() -> None:
    runs = [
        mm.perceptron(ROWS, LABELS, order="random", rng=rng, max_mistakes=500)
        for rng in (3, np.random.default_rng(3), np.random.default_rng(3))
    ]
    assert len({tuple(run.mistake_rows.tolist()) for run in runs}) == 1


@for_each("call", [mm.separability, mm.hard_margin, mm.soft_margin, mm.nu_margin, mm.fewest_errors])
def test_unknown_methods_and_solvers_are_refused(call: Any) -> None:
    with pytest.raises(ValueError, match=r"expected (one of )?'?auto'?, "):
        call(ROWS, LABELS, method="magic")
    with pytest.raises(ValueError, match="'NONE_SUCH' is not installed; installed are"):
        call(ROWS, LABELS, solver="NONE_SUCH")


def awkward() -> list[tuple[str, np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    cases = {
        "zero-matrix": np.zeros((40, 3)), "zero-column": np.hstack([rng.normal(size=(40, 2)), np.zeros((40, 1))]),
        "zero-rows": np.vstack([rng.normal(size=(38, 3)), np.zeros((2, 3))]), "identical-rows": np.ones((40, 3)),
        "subnormals": rng.integers(-9, 10, size=(40, 2)) * 5e-324,
        "units": rng.normal(size=(40, 3)) * np.array([2.0**900, 2.0**-900, 1.0]),
        "largest": rng.normal(size=(40, 2)) * 3e307, "wide": rng.normal(size=(40, 120)),
        "offset": 1e15 + rng.integers(-5, 6, size=(40, 2)),
        "constant": np.hstack([np.full((40, 1), 1e300), rng.normal(size=(40, 2))]),
    }  # fmt: skip
    return [(name, X.astype(float), y) for name, X in cases.items()]


@pytest.mark.sampled
@pytest.mark.parametrize("name, X, y", awkward())
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("sparse", [False, True])
def test_awkward_data_get_an_answer(name: str, X: np.ndarray, y: np.ndarray, bias: bool, sparse: bool) -> None:
    stored = csr_array(X) if sparse else X
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        verdict = mm.separability(stored, y, bias=bias)
        hard = mm.hard_margin(stored, y, bias=bias)
        soft = mm.soft_margin(stored, y, bias=bias)
        mm.perceptron(stored, y, bias=bias, max_epochs=20)
        mm.mistake_bounds(stored, y, bias=bias, n_passes=2)
    assert hard.lower <= hard.upper and soft.lower <= soft.objective
    assert (hard.status == verdict.verdict) == (verdict.strictly_separable is False)
    assert (hard.lower > 0) <= (verdict.strictly_separable is not False)
    assert verdict.strictly_separable is not None and verdict.verdict != "undecided", verdict.reason
    assert verdict.infinite_columns is not None
