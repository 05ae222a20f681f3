"""The margin that a maximum-margin answer states is that of the very floats it returns."""

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from commands import Capture, json_answer
from references import geometric_margin_squared

import maxmargin as mm
from maxmargin.cli.app import run
from maxmargin.solvers.hard_margin import float_planes

# Two rays with -n2 m + n m2 = 1: any integers of a ray between them are at least their sums, beyond 2**53.
NARROW = np.array([[2.0**53 - 1, -5555555555555555.0], [1194192447582082.0, -736566639521721.0]])


def next_above(value: float) -> Fraction | None:
    above = np.nextafter(value, np.inf)
    return Fraction(float(above)) if np.isfinite(above) else None


def check(answer: mm.HardMargin, X: Any, y: Any) -> None:
    """Check all numbers of an answer about separable data."""
    X = np.asarray(X, dtype=np.float64).tolist()
    y = [int(sign) for sign in y]
    assert answer.w is not None and answer.b is not None and answer.margin is not None
    square = geometric_margin_squared(X, y, answer.w, answer.b)
    above = next_above(answer.margin)
    assert Fraction(answer.margin) ** 2 <= square and (above is None or square < above**2)
    assert answer.margin <= answer.lower <= answer.upper
    at_least, at_most = answer.certificate, answer.upper_certificate
    assert at_least is not None and mm.verify(at_least, X, y) and Fraction(answer.lower) ** 2 <= at_least.margin_squared
    if np.isfinite(answer.upper):
        assert at_most is not None and mm.verify(at_most, X, y)
        assert at_most.margin_squared <= Fraction(answer.upper) ** 2


def separable(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Return ordinary decimals of two digits."""
    rng = np.random.default_rng(seed)
    y = np.where(rng.random(10) < 0.5, -1, 1)
    y[:2] = -1, 1
    return np.round(rng.normal(size=(10, rng.integers(1, 4))) + 4 * (y[:, None] > 0), 2), y


@pytest.mark.parametrize(
    "options", [{}, {"exact": True}, {"method": "textbook"}, {"bias": False}, {"solver": "CLARABEL"}]
)
def test_the_margin_is_that_of_the_floats(options: dict[str, Any]) -> None:
    n_checked = 0
    for seed in range(12):
        X, y = separable(seed)
        answer = mm.hard_margin(X, y, **options)
        if not answer.status.is_inseparable:
            check(answer, X, y)
            assert answer.margin >= answer.lower * (1 - 1e-13)
            n_checked += 1
    assert n_checked > 2


def units() -> Iterator[Any]:
    rng = np.random.default_rng(0)
    base = np.array([[0.0, 3.0], [1.0, 2.0], [4.0, 1.0], [6.0, 5.0]])
    yield from (base * 2.0**k for k in (-1060, -600, -300, 300, 600, 1015))
    yield base * np.array([2.0**-500, 2.0**500])
    yield base * np.array([2.0**-1000, 2.0**1000])
    yield 1e17 + 16 * np.round(base + rng.normal(size=base.shape))
    yield 1 + base * 2.0**-52
    yield [[-1e219, -3e219], [-2e-179, 1e-179], [0, 1e-166], [1e219, 5e-167]]
    yield [[1e308, 0.0], [-1e308, 0.0], [0.0, 1e-300], [0.0, 2e-300]]


@pytest.mark.sampled(5)
@pytest.mark.parametrize("X", list(units()))
def test_units_of_all_sizes(X: Any) -> None:
    for y in ([-1, -1, 1, 1], [-1, 1, -1, 1]):
        for options in ({}, {"bias": False}, {"method": "textbook"}):
            answer = mm.hard_margin(X, y, **options)
            if answer.w is not None:
                check(answer, X, y)
            else:
                assert answer.margin == 0 and (answer.status.is_inseparable or "none found" in answer.reason)


def test_rows_far_from_the_origin_are_separated_by_the_floats() -> None:
    X, y = [[1e17], [1e17 + 16]], [-1, 1]
    answer = mm.hard_margin(X, y)
    check(answer, X, y)
    # 23 times the primitive plane (1, -(10**17 + 8)), rounded, is one of the multiples that may be had.
    assert answer.lower == 8 and answer.margin**2 >= geometric_margin_squared(X, y, [23.0], -2300000000000000256.0) > 0


def test_planes_of_small_integers_lose_nothing() -> None:
    for scale in (1.0, 3.0, 1e-200, 2.0**900):
        X = np.array([[10.0], [40.0], [60.0], [90.0]]) * scale
        for options in ({}, {"exact": True}):
            answer = mm.hard_margin(X, [-1, -1, 1, 1], **options)
            check(answer, X, [-1, -1, 1, 1])
            functional = 10 * scale * answer.w[0]
            assert abs(functional - 1) < 1e-9
            assert scale == 1e-200 or answer.margin == answer.lower == 10 * scale


def test_an_offset_beyond_binary64_is_no_float() -> None:
    assert float_planes._with_offset(np.ones(1), Fraction(10) ** 400, Fraction(0), Fraction(1)) is None


def test_many_rows_and_a_few_that_touch_the_margin() -> None:
    rng = np.random.default_rng(3)
    X = rng.normal(size=(20_000, 3)) + 1e9
    w = np.array([1.0, -2.0, 0.5])
    scores = (X - 1e9) @ w
    kept = np.abs(scores) > 0.5
    X, y = X[kept], np.where(scores[kept] > 0, 1, -1)
    answer = mm.hard_margin(X, y)
    nearest = np.argsort(np.abs(X @ answer.w + answer.b))[:50]
    square = geometric_margin_squared(X[nearest], y[nearest], answer.w, answer.b)
    assert Fraction(answer.margin) ** 2 <= square < next_above(answer.margin) ** 2
    assert 0 < answer.margin <= answer.lower


@pytest.fixture(scope="module")
def narrow() -> tuple[np.ndarray, list[int]]:
    """Rows that no hyperplane of floats of the search separates, with bias: every row and its opposite."""
    (m, minus_n), (m2, minus_n2) = NARROW.tolist()
    assert int(minus_n) * int(m2) - int(minus_n2) * int(m) == 1 and int(m) + int(m2) > 2**53
    return np.vstack([NARROW, -NARROW]), [1, -1, -1, 1]


def test_separable_by_no_floats(narrow: Any) -> None:
    X, y = narrow
    for options in ({}, {"exact": True}, {"method": "textbook"}, {"bias": False}):
        answer = mm.hard_margin(X, y, **options)
        assert answer.status is mm.Status.OPTIMAL
        assert (answer.w, answer.b, answer.margin) == (None, None, 0.0) and "none found" in answer.reason
        assert 0 < answer.lower < answer.upper and mm.verify(answer.certificate, X, y)
        assert mm.verify(answer.upper_certificate, X, y)


def test_what_asks_for_the_margin_of_rows_that_no_floats_separate(narrow: Any) -> None:
    X, y = narrow
    assert mm.perceptron(X, y, bias_scale="best", max_epochs=2).n_mistakes > 0
    novikoff = {bound.name: bound for bound in mm.mistake_bounds(X, y)}["novikoff"]
    assert novikoff.valid and np.isfinite(novikoff.value)
    for C in (1.0, 1e300):
        soft = mm.soft_margin(X, y, C)
        assert soft.lower <= soft.objective
    assert mm.nu_margin(X, y, 0.5).objective <= 0
    assert mm.least_total_slack(X, y).upper <= 4


def test_the_report_of_rows_that_no_floats_separate(narrow: Any, tmp_path: Path) -> None:
    X, y = narrow
    path = tmp_path / "narrow.csv"
    lines = [",".join(map(repr, [*row, label])) for row, label in zip(X.tolist(), y, strict=True)]
    path.write_text("\n".join(["a,b,label", *lines]) + "\n")
    report = mm.margin_report(mm.load(path))
    assert report.to_dict()["hard_margin"]["margin"] == 0 and "quasi" not in report.to_markdown()[:200]


def test_the_exact_plane_and_the_hull_weights_are_printed_in_full(capsys: Capture, tmp_path: Path) -> None:
    path, proof = tmp_path / "wide.csv", tmp_path / "proof.json"
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(6, 1100)), 3)
    y = [0, 1, 0, 1, 0, 1]
    lines = [",".join(map(repr, [*row, label])) for row, label in zip(X.tolist(), y, strict=True)]
    path.write_text("\n".join([",".join([*(f"x{j}" for j in range(1100)), "y"]), *lines]) + "\n")
    for options in ([], ["--proof", str(proof)]):  # 1,100 columns: the exact margin itself is not asked for
        code, printed = json_answer(capsys, "margin", str(path), "--exact", "--exact-limit", "9", "--quiet", *options)
        assert code in (0, 4)
    plane, hull = printed["exact_plane"], printed["exact_hull"]
    assert len(plane["w"]) == 1100 and printed["margin_squared"] is None
    square = geometric_margin_squared(X, [2 * label - 1 for label in y], plane["w"], plane["b"])
    assert square == Fraction(plane["margin_squared"]) >= Fraction(printed["lower"]) ** 2
    weights = dict(zip(hull["rows"], map(int, hull["weights"]), strict=True))
    means = [
        [sum(c * Fraction(X[i, j]) for i, c in weights.items() if y[i] == side) for j in range(1100)] for side in (0, 1)
    ]
    totals = [sum(c for i, c in weights.items() if y[i] == side) for side in (0, 1)]
    half = [(a / totals[0] - b / totals[1]) / 2 for a, b in zip(*means, strict=True)]
    assert sum(v * v for v in half) == Fraction(hull["margin_squared"]) <= Fraction(printed["upper"]) ** 2
    assert run(["verify", str(proof), str(path), "--quiet"]) == 0
