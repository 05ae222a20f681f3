"""The judgement of a hyperplane agrees with fractions, does not depend on units, and its bounds hold for runs."""

import math
from decimal import ROUND_FLOOR, Context, Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from cases import for_each
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from references import margins_of
from scipy.sparse import csr_array
from zoo import INSEPARABLE, SEPARABLE, Known

import maxmargin as mm
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.problem.rows import WorkSizes
from maxmargin.theory.plane_bounds import RunPlane, SlackCurve, decided_by, lies_in_cone

Rows = NDArray[np.float64]


def square_of(w: Any, b: float = 0.0) -> Fraction:
    return sum((Fraction(float(entry)) ** 2 for entry in w), Fraction(b) ** 2)


def radius_squared(X: Any, *, bias: bool) -> Fraction:
    return max(square_of(row, float(bias)) for row in np.asarray(X).tolist())


def one_pass_bound(X: Any, y: Any, w: Any, b: float, g: float, *, bias: bool) -> Decimal:
    """Return ((R + D)/g)^2, computed with 60 digits and rounded down to 50."""
    with localcontext(prec=60):

        def decimal(value: Fraction) -> Decimal:
            return Decimal(value.numerator) / Decimal(value.denominator)

        length = decimal(square_of(w, b)).sqrt()
        slacks = [max(Decimal(0), Decimal(g) - decimal(m) / length) for m in margins_of(X, y, w, b)]
        distance = sum((slack**2 for slack in slacks), Decimal(0)).sqrt()
        bound = ((decimal(radius_squared(X, bias=bias)).sqrt() + distance) / Decimal(g)) ** 2
    return Context(prec=50, rounding=ROUND_FLOOR).plus(bound * (1 - Decimal("1e-52")))


def cloud(seed: int, *, n: int = 40, d: int = 3, gap: float = 0.2) -> tuple[Rows, NDArray[np.int64]]:
    """Rows that x_0 = 0 separates, with a gap."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).round(3)
    y = np.where(np.arange(n) % 2, 1, -1)
    X[:, 0] = y * (np.abs(X[:, 0]) + gap)
    return X, y


@for_each("known", SEPARABLE)
def test_the_maximum_margin_hyperplane_has_the_whole_maximum_margin(known: Known) -> None:
    best = mm.hard_margin(known.X, known.y, bias=known.bias)
    judged = mm.judge(known.X, known.y, best.w, best.b, bias=known.bias)
    assert judged.separates and judged.margin == best.margin
    assert judged.share_lower is not None and judged.share_upper is not None
    assert 1 - 1e-9 <= judged.share_lower <= 1 and 1 - 1e-9 <= judged.share_upper <= 1
    assert Fraction(judged.gamma_lower) ** 2 <= known.margin_squared <= Fraction(judged.gamma_upper) ** 2
    assert judged.in_cone is not None and judged.status is best.status


@pytest.mark.parametrize("known", INSEPARABLE, ids=lambda known: known.name)
def test_of_data_that_nothing_separates_there_are_no_shares(known: Known) -> None:
    judged = mm.judge(known.X, known.y, np.ones(known.X.shape[1]), 0.0, bias=known.bias)
    assert not judged.separates and judged.status.is_inseparable
    assert (judged.share_lower, judged.angle_lower, judged.angle_upper, judged.in_cone, judged.novikoff) == (None,) * 5
    assert (judged.gamma_lower, judged.gamma_upper) == (0.0, 0.0)
    assert len(known.y) <= judged.freund_schapire < len(known.y) * 1.001


@pytest.mark.slow
@for_each("bias", [True, False])
@for_each("seed", range(3))
def test_margin_errors_and_bounds_are_those_of_fractions(seed: int, bias: bool) -> None:
    rng = np.random.default_rng(seed)
    X, y = cloud(seed)
    w, b = np.array([1.0, *rng.normal(size=2) * 0.3 * (seed % 3)]), 0.05 * bias
    judged = mm.judge(X, y, w, b, g=0.25)
    exact = margins_of(X, y, w, b)
    least, square = min(exact), square_of(w)
    for end, is_below in ((judged.margin, True), (judged.margin_upper, False)):
        signed = Fraction(end) * abs(Fraction(end))
        assert (signed <= least * abs(least) / square) if is_below else (signed >= least * abs(least) / square)
    assert judged.margin_upper <= math.nextafter(judged.margin, math.inf)
    assert judged.error_rows.tolist() == [row for row, margin in enumerate(exact) if margin <= 0]
    expected = None if least <= 0 else radius_squared(X, bias=bias) * square_of(w, b) / least**2
    assert (judged.novikoff is None) == (expected is None)
    if expected is not None and judged.novikoff is not None:
        assert expected <= judged.novikoff <= expected * (1 + Fraction(1, 2**51))
    for g, bound in judged.curve:
        true = one_pass_bound(X, y, w, b, g, bias=bias)
        assert true <= Decimal(bound) <= true * Decimal("1.0000000000001")
    assert (0.25, judged.freund_schapire) in judged.curve and judged.g == 0.25


def test_many_rows_are_bounded_in_floating_point_as_closely() -> None:
    X, y = cloud(0, n=400)
    problem = Problem.validated(X, y, bias=True)
    w, b = np.array([1.0, 0.3, -0.2]), 0.07
    exactly = SlackCurve.of(RunPlane.of(problem, w, b))
    roughly = SlackCurve.of(RunPlane.of(Problem(X, y.astype(float), sizes=WorkSizes(exact_slack_entries=0)), w, b))
    for g in (1e-3, 0.1, 1.0, 30.0, 1e9, 1e25):
        assert exactly.at(g) <= roughly.at(g) <= exactly.at(g) * (1 + 1e-12)


@for_each("bias", [True, False])
@for_each("unit", [1e300, 1e-300, 2.0**-1000, 2.0**1010])
def test_units_change_nothing_but_the_units(unit: float, bias: bool) -> None:
    X, y = cloud(1)
    X = np.ldexp(np.round(np.ldexp(X, 10)), -10)
    factor = 2.0 ** round(math.log2(unit))
    w, b = np.array([1.0, 0.25, 0.125]), 0.0625 * bias
    for sizes in (WorkSizes(), WorkSizes(exact_slack_entries=0)):
        scaled = Problem(np.ascontiguousarray(X * factor), y.astype(float), bias, sizes=sizes)
        plane = RunPlane.of(scaled, w, b * factor)
        assert (plane.least > 0) == (min(margins_of(X, y, w, b)) > 0)
        curve = SlackCurve.of(plane)
        best, has_best = curve.best()
        assert 0 < best < math.inf and has_best is not bias, "(w, b) or (x, 1) is nearly the constant one"
        assert curve.at(best) < len(y) * (1 if has_best else 1.001)
    judged = mm.judge(X * factor, y, w, b * factor)
    whole = mm.judge(X, y, w, b)
    assert judged.margin == whole.margin * factor
    assert judged.share_lower is not None and whole.share_lower is not None
    assert judged.share_lower == pytest.approx(whole.share_lower, rel=1e-9)
    if not bias:  # with one, the constant coordinate 1 is another one in other units
        assert judged.novikoff == whole.novikoff
        assert judged.freund_schapire == pytest.approx(whole.freund_schapire, rel=1e-9)
        assert judged.in_cone == whole.in_cone


@pytest.mark.parametrize("k", [-900, -3, 5, 900])
def test_a_multiple_by_a_power_of_two_has_the_same_answer(k: int) -> None:
    X, y = cloud(2)
    w, b = np.array([1.0, 0.3, -0.2]), 0.01
    first, second = mm.judge(X, y, w, b).to_dict(), mm.judge(X, y, np.ldexp(w, k), math.ldexp(b, k)).to_dict()
    assert [name for name in first if first[name] != second[name]] == ["w", "b"]


@pytest.mark.parametrize("power", [20, 40, 52])
def test_tiny_gaps_are_seen(power: int) -> None:
    gap = 2.0**-power
    X, y = [[1.0], [1.0 + gap]], [0, 1]
    for offset, wrong in ((1.0, [0]), (1.0 + gap, [1]), (math.nextafter(1.0, 2.0), [1] if power == 52 else [])):
        judged = mm.judge(X, y, [1.0], -offset)
        assert judged.error_rows.tolist() == wrong
        assert judged.separates is (judged.margin > 0)
        assert judged.in_cone is not True or judged.separates
    halved = mm.judge(X, y, [2.0], -(2.0 + gap)) if power < 52 else mm.judge(X, y, [2.0**60], -(2.0**60 + 2.0**7))
    assert halved.separates is (power < 52)
    if power < 52:
        assert halved.margin == gap / 2 and halved.in_cone is not None
        assert halved.novikoff == pytest.approx((1 + (1 + gap) ** 2) * (4 + (2 + gap) ** 2) / gap**2, rel=1e-15)


def test_a_row_on_the_hyperplane_is_an_error() -> None:
    judged = mm.judge([[0.1], [0.3], [0.7]], [0, 0, 1], [1.0], -0.3)
    assert judged.margin == 0 and judged.error_rows.tolist() == [1]
    assert judged.share_lower is not None and abs(judged.share_lower) < 1e-300 and judged.share_upper == 0
    assert judged.in_cone is False and judged.novikoff is None


def test_two_points_have_two_mistakes_exactly() -> None:
    judged = mm.judge([[-1.0], [1.0]], [0, 1], [3.0], bias=True)
    assert (judged.novikoff, judged.freund_schapire, judged.margin) == (2.0, 2.0, 1.0)
    assert mm.judge([[-1.0], [1.0]], [0, 1], [3.0]).novikoff == 1.0, "through the origin"


def cone_by_fractions(X: Any, y: Any, w: Any, b: float, *, bias: bool) -> bool:
    """Decide the angle with the exact maximum-margin direction of the space of the run."""
    space = np.hstack([np.asarray(X), np.ones((len(X), 1))]) if bias else np.asarray(X)
    best = mm.hard_margin(space, y, bias=False, exact=True)
    assert best.margin_squared is not None and best.w_exact is not None
    vector = [*w, b] if bias else list(w)
    dot = sum((Fraction(float(a)) * c for a, c in zip(vector, best.w_exact, strict=True)), Fraction(0))
    cosine_squared = dot**2 / square_of(vector) / sum(c**2 for c in best.w_exact)
    return dot > 0 and cosine_squared > 1 - best.margin_squared / radius_squared(X, bias=bias)


@pytest.mark.sampled(1)
@pytest.mark.parametrize("bias", [True, False])
def test_the_cone_is_decided_as_by_fractions_and_its_vectors_separate(bias: bool) -> None:
    found = set()
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X, y = cloud(seed, n=12, d=2, gap=1.0)
        space = np.hstack([X, np.ones((12, 1))]) if bias else X
        best = mm.hard_margin(space, y, bias=False).w
        vector = best / np.linalg.norm(best) + rng.normal(size=len(best)) * rng.choice([0, 0.1, 0.3, 1.0])
        w, b = vector[:2], float(vector[2]) if bias else 0.0
        judged = mm.judge(X, y, w, b, bias=bias)
        assert judged.in_cone is cone_by_fractions(X, y, w, b, bias=bias)
        assert judged.separates or not judged.in_cone
        found.add((judged.in_cone, judged.separates))
    assert found == {(True, True), (False, True), (False, False)}


@pytest.mark.slow
def test_a_vector_that_is_only_near_the_best_one_decides_nothing_wrongly() -> None:
    decided = {True: 0, False: 0, None: 0}
    for seed in range(150):
        rng = np.random.default_rng(seed)
        X, y = cloud(seed % 10, n=12, d=2, gap=1.0)
        best = mm.hard_margin(X, y, bias=False)
        problem, unit = Problem.validated(X, y, bias=False), best.w / np.linalg.norm(best.w)
        w, v = (unit + rng.normal(size=2) * rng.choice([1e-3, 0.05, 0.2, 0.6]) for _ in range(2))
        upper = Fraction(best.upper) * int(rng.choice([1, 1, 2]))
        found = decided_by(RunPlane.of(problem, w, 0.0), v, min(margins_of(X, y, v, 0.0)), upper)
        assert found is None or found is cone_by_fractions(X, y, w, 0.0, bias=False)
        decided[found] += 1
    assert min(decided.values()) > 5, decided


def test_on_the_edge_of_the_cone_a_vector_is_outside() -> None:
    """R = 5 and gamma = 3 with u* = (1, 0): the cone has the sine 3/5, and (4, 3) is on its edge, where row 1 is."""
    X, y = [[3.0, 4.0], [3.0, -4.0]], [1, 1]
    rows = np.vstack([X, -np.array(X)])
    signs = [*y, -1, -1]
    assert mm.judge(rows, signs, [4.0, 3.0]).in_cone is False
    assert mm.judge(rows, signs, [4.0, math.nextafter(3.0, 0.0)]).in_cone is True
    assert mm.judge(rows, signs, [4.0, math.nextafter(3.0, 4.0)]).in_cone is False


def test_what_floats_do_not_decide_about_the_cone_stays_open_for_many_columns() -> None:
    rows = np.array([[3.0, 4.0], [3.0, -4.0], [-3.0, -4.0], [-3.0, 4.0]])
    problem = Problem.validated(rows, [1, 1, -1, -1], bias=False)
    plane = RunPlane.of(problem, np.array([4.0, math.nextafter(3.0, 0.0)]), 0.0)
    assert lies_in_cone(plane, Limits()) is True
    assert lies_in_cone(plane, Limits(), most_columns=1) is None


def test_breast_cancer_is_decided_in_exact_arithmetic() -> None:
    data = mm.load("breast_cancer")
    best = mm.hard_margin(data.X, data.y)
    judged = mm.judge(data, w=best.w, b=best.b)
    assert best.w is not None and best.b is not None
    assert judged.in_cone is cone_by_fractions(data.X, data.y, best.w, best.b, bias=True)
    assert judged.positive == "malignant" and judged.novikoff is not None and judged.novikoff > 1e16


@given(
    st.lists(st.tuples(*[st.integers(-4, 4)] * 2, st.booleans()), min_size=2, max_size=8),
    st.tuples(*[st.integers(-3, 3)] * 3),
)
def test_on_small_integers_everything_agrees(rows: list[tuple[int, int, bool]], plane: tuple[int, int, int]) -> None:
    *w, b = plane
    y = [row[2] for row in rows]
    if not any(w) or len(set(y)) < 2:
        return
    X, signs = [row[:2] for row in rows], [1 if label else -1 for label in y]
    judged = mm.judge(X, y, w, b)
    exact = margins_of(X, signs, w, b)
    assert judged.separates is (min(exact) > 0) and judged.bias is (b != 0)
    assert judged.error_rows.tolist() == [row for row, margin in enumerate(exact) if margin <= 0]
    assert judged.in_cone is None or judged.separates or not judged.in_cone
    if judged.share_lower is not None and judged.share_upper is not None:
        assert judged.share_lower <= judged.share_upper <= 1 and judged.gamma_lower > 0
        assert (judged.share_upper > 0) is judged.separates
        assert judged.in_cone is cone_by_fractions(X, y, w, b, bias=b != 0)
    else:
        assert not judged.separates
    for g, bound in judged.curve[::16]:
        assert one_pass_bound(X, signs, w, b, g, bias=b != 0) <= Decimal(bound)


def test_every_kind_of_rows_has_the_same_answer(tmp_path: Any) -> None:
    pd = pytest.importorskip("pandas")
    X, y = cloud(5, n=200)
    w, b = [1.0, 0.25, -0.5], 0.0625
    expected = mm.judge(X, y, w, b).to_dict()
    labels = np.where(y > 0, "yes", "no")
    frame = pd.DataFrame(X, columns=["a", "b", "c"]).assign(y=labels)
    frame.to_parquet(tmp_path / "d.parquet")
    on_disk = mm.load(tmp_path / "d.parquet", memory=1)
    assert not on_disk.is_in_memory
    by_name = {"c": -0.5, "a": 1.0, "b": 0.25}
    others = [
        mm.judge(csr_array(X), y, w, b),
        mm.judge(mm.from_arrays(X, y), None, w, b),
        mm.judge(mm.load(frame), w=by_name, b=b),
        mm.judge(frame[["a", "b", "c"]], labels, pd.Series(by_name), b),
        mm.judge(on_disk, w=by_name, b=b),
    ]
    for other in others:
        found = other.to_dict()
        assert {name: found[name] for name in ("margin", "error_rows", "separates", "in_cone", "w", "b")} == {
            name: expected[name] for name in ("margin", "error_rows", "separates", "in_cone", "w", "b")
        }
        for name in ("share_lower", "gamma_upper", "novikoff", "freund_schapire"):
            assert found[name] == (None if expected[name] is None else pytest.approx(expected[name], rel=1e-9))


def test_a_plane_is_compared_with_its_own_kind() -> None:
    X, y = [[1.0, 3.0], [2.0, 3.0], [4.0, 3.0]], [0, 0, 1]
    with_bias, through = mm.judge(X, y, [1.0, -1.0], bias=True), mm.judge(X, y, [1.0, -1.0])
    assert with_bias.bias and not through.bias
    assert with_bias.gamma_upper == pytest.approx(1.0) and through.gamma_upper < 1
    assert with_bias.margin == through.margin
    with pytest.raises(InvalidOptionError, match=r"b is 2\.0 and bias is False"):
        mm.judge(X, y, [1.0, -1.0], 2.0, bias=False)


def test_a_time_limit_that_is_over_leaves_what_is_proven() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(400, 30))
    y = np.where(X[:, 0] > 0, 1, -1)
    judged = mm.judge(X, y, [1.0, *[0.0] * 29], bias=True, time_limit=1e-9)
    assert judged.separates and judged.gamma_lower >= judged.margin > 0 and judged.share_upper == 1.0
    assert judged.gamma_upper >= mm.hard_margin(X, y).lower
    assert judged.novikoff is not None and "None" not in judged.summary()


@pytest.mark.parametrize("g", [0, -1.0, math.inf, math.nan, "1", Fraction(1, 3)])
def test_g_is_a_positive_float(g: Any) -> None:
    with pytest.raises(InvalidOptionError, match=r"g is .*expected a positive finite number"):
        mm.judge([[0.0], [1.0]], [0, 1], [1.0], -0.5, g=g)


@pytest.mark.parametrize("g", [5e-324, 1e-300, 1e300, 1.7976931348623157e308, Fraction(1, 4), 3, np.float32(0.5)])
def test_the_bound_holds_at_any_g(g: Any) -> None:
    X, y = cloud(6)
    judged = mm.judge(X, y, [1.0, 0.5, 0.0], 0.125, g=g)
    assert judged.g == g
    bound = one_pass_bound(X, y, [1.0, 0.5, 0.0], 0.125, float(g), bias=True)
    assert bound <= Decimal(judged.freund_schapire)
    assert judged.freund_schapire == math.inf or Decimal(judged.freund_schapire) <= bound * Decimal("1.000000000001")


SIZES = (0.0, 5e-324, 1e-310, 1e-300, 0.3, 1.0, 1e160, 1e300, 1.7e308)


@pytest.mark.slow
@for_each("seed", range(20))
def test_numbers_of_any_size_are_judged_exactly(seed: int) -> None:
    rng = np.random.default_rng(seed)
    n, d = int(rng.integers(2, 6)), int(rng.integers(1, 4))
    X, w = (rng.choice(SIZES, size=shape) * rng.choice([-1, 1], size=shape) for shape in ((n, d), d))
    b = float(rng.choice(SIZES) * rng.choice([-1, 1]))
    y = np.where(np.arange(n) % 2, 1, -1)
    if not w.any():
        return
    judged = mm.judge(X, y, w, b)
    exact = margins_of(X, y, w, b)
    assert judged.error_rows.tolist() == [row for row, margin in enumerate(exact) if margin <= 0]
    true = min(exact) * abs(min(exact)) / square_of(w)
    if judged.margin > -math.inf:
        assert Fraction(judged.margin) * abs(Fraction(judged.margin)) <= true
    if judged.margin_upper < math.inf:
        assert true <= Fraction(judged.margin_upper) * abs(Fraction(judged.margin_upper))
    bias = b != 0
    for g, bound in judged.curve[::8]:
        assert bound == math.inf or one_pass_bound(X, y, w, b, g, bias=bias) <= Decimal(bound)
    if judged.novikoff is not None and judged.novikoff < math.inf:
        assert radius_squared(X, bias=bias) * square_of(w, b) / min(exact) ** 2 <= Fraction(judged.novikoff)
    assert judged.in_cone is None or judged.separates or not judged.in_cone
    assert judged.summary() and judged.to_dict()["separates"] is judged.separates
    problems = [Problem(X, y.astype(float), bias, sizes=WorkSizes(exact_slack_entries=most)) for most in (1 << 14, 0)]
    exactly, roughly = (SlackCurve.of(RunPlane.of(problem, w, b)) for problem in problems)
    for g, _ in judged.curve[::8]:
        assert exactly.at(g) <= roughly.at(g) <= exactly.at(g) * (1 + 1e-6)
