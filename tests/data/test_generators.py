"""Generated data sets: every stated truth holds by another, exact route, and the data are what a file gives back."""

import json
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest
from cases import for_each
from commands import Capture, json_answer, printed, python, refusal
from rays import facts_by_rays
from references import exact_margin_squared, exact_verdict, is_separable
from zoo import drawn

import maxmargin as mm
from maxmargin.cli.app import run
from maxmargin.data.generators import Generated, Truth, families, generate, is_family, rows_and_labels
from maxmargin.data.generators.known_answers import (
    OVERLAP,
    Matrix,
    NotRepresentableError,
    quasi,
    separable,
    two_classes,
)
from maxmargin.data.generators.shapes import rational_rotation
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.problem.problem import Problem

KINDS = ("separable", "quasi-separable", "overlap")

# Every family but the one of three classes, with parameters that keep the data small.
SMALL = (
    "two-points", "two-points:15", "agresti", "agresti-quasi",
    "xor", "xor-product", "xor-polar", "and", "or", "undershoot",
    "sign-of-zero",
    *(f"odd-max-bit:{n}:{off}" for n in range(1, 6) for off in (-1, 0)),
    *(f"conjunction:{d}:{k}" for d in range(1, 6) for k in range(1, d + 1)),
    *(f"parity:{n}" for n in (2, 3, 4)),
    "simplex:1:1", "simplex:1:4", "simplex:3:2", "simplex:5:5",
    *(f"regular-simplex:3:{p}:{p}" for p in range(1, 8)), "regular-simplex:1:1", "regular-simplex:2:2",
    "corner:1", "corner:4", "radon:1", "radon:4",
    *(f"boxes:{d}:{side}:{kind}:{seed}" for d, side in ((1, 3), (2, 2), (3, 1)) for kind in KINDS for seed in range(6)),
    *(f"layers:{d}:{seed}" for d in (2, 3, 4) for seed in range(4)),
    "unit-circle:2", "unit-circle:3", "unit-circle:9", "unit-circle:20", "two-circles:3", "two-circles:7",
    *(f"{name}:{k}:{d}" for name in ("gap", "touching", "overlap") for k in (1, 20, 53, 1000, 1073) for d in (1, 2, 3)),
    *(f"gap-at-one:{k}:{d}" for k in (1, 30, 51) for d in (1, 2, 3)),
    *(f"units:{k}:3:{kind}" for k in (1, 900) for kind in KINDS),
    *(f"{name}:{d}:{kind}" for name in ("subnormal", "collinear") for d in (2, 4) for kind in KINDS),
    *(f"offset:{k}:2:{kind}" for k in (8, 15) for kind in KINDS),
    *(f"duplicates:3:{d}:{kind}" for d in (1, 2) for kind in KINDS),
    *(f"rotated:{d}:{kind}:{seed}" for d in (2, 3) for kind in KINDS for seed in range(3)),
    *(f"planted:{n}:{d}:{bits}:{n}" for n, d in ((2, 1), (2, 3), (5, 9), (12, 4), (30, 2)) for bits in (1, 2, 20)),
    *(f"planted-gap:{n}:{d}:{bits}:{n}" for n, d in ((2, 1), (5, 9), (30, 2)) for bits in (1, 12)),
    *(f"planted-quasi:{shape}:seed=4" for shape in ("3:1:1:0", "6:2:2:1", "14:4:3:2:20", "20:3:1:2:9")),
    *(f"planted-overlap:{n}:{d}:{bits}:1" for n, d, bits in ((4, 1, 3), (12, 3, 2), (20, 2, 20))),
)  # fmt: skip


def answers(truth: Truth) -> list[tuple[bool, str | None, Fraction | None, tuple[int, ...] | None]]:
    """Return (bias, verdict, squared margin, touching rows) for both questions."""
    return [
        (True, truth.verdict, truth.margin_squared, truth.touching_rows),
        (False, truth.verdict_through_origin, truth.margin_squared_through_origin, truth.touching_rows_through_origin),
    ]


def assert_true(X: Any, y: Any, truth: Truth) -> None:
    for bias, verdict, margin_squared, touching in answers(truth):
        if verdict is None:
            assert margin_squared is None and touching is None
            continue
        assert exact_verdict(X, y, bias) == (verdict, list(touching or ()))
        if verdict == "separable" and margin_squared is not None:
            assert exact_margin_squared(X, y, bias) == margin_squared > 0
        assert margin_squared == 0 or verdict == "separable"


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", range(4))
def test_the_truth_of_every_family(part: int) -> None:
    for name in SMALL[part::4]:
        data = generate(name)
        assert_true(data.X, data.y, data.truth)
        assert data.truth.touching_rows is not None
        assert data.truth.why and data.X.flags.c_contiguous and np.isfinite(data.X).all()
        assert set(data.y.tolist()) == {-1, 1} and len(data.feature_names) == data.X.shape[1]


def test_every_family_is_among_them() -> None:
    assert {family.name for family in families()} - {name.partition(":")[0] for name in SMALL} == {"three-on-a-line"}


def test_margins_are_known_where_a_closed_form_exists() -> None:
    unknown = {name for name in SMALL if generate(name).truth.margin_squared is None}
    assert {name.partition(":")[0] for name in unknown} == {"unit-circle"}


def test_the_oracle_agrees_with_elimination() -> None:
    """The references of these tests against each other, row by row for the touching ones."""
    rng = np.random.default_rng(0)
    seen = set()
    for _ in range(150):
        n, d = int(rng.integers(2, 7)), int(rng.integers(1, 3))
        X, y = rng.integers(-1, 2, size=(n, d)).astype(float), rng.choice([-1.0, 1.0], n)
        bias = bool(rng.integers(2))
        verdict, touching = exact_verdict(X, y, bias)
        assert (verdict == "separable") is is_separable(X, y, bias)
        facts = facts_by_rays(Problem(X, y, bias))
        assert (facts.verdict, list(facts.touching)) == (verdict, touching)
        seen.add(verdict)
        others = [i for i in range(n) if i not in touching]
        assert verdict == ("overlap" if not others else "quasi-separable" if touching else "separable")
        if others and touching:  # what touches balances, so that leaving the others out leaves an overlap
            assert exact_verdict(X[touching], y[touching], bias) == ("overlap", list(range(len(touching))))
    assert seen == set(KINDS)


@pytest.mark.parametrize("n", [*range(1, 7), *(pytest.param(n, marks=pytest.mark.slow) for n in range(7, 13))])
@for_each("off, factor", [("-1", 1), ("0", 4)])
def test_odd_max_bit_has_fibonacci_margins(n: int, off: str, factor: int) -> None:
    fibonacci = [1, 1]
    while len(fibonacci) <= n:
        fibonacci.append(fibonacci[-1] + fibonacci[-2])
    data = generate(f"odd-max-bit:{n}:{off}")
    assert data.X.shape == (2**n, n)
    assert data.truth.margin_squared == Fraction(1, factor * fibonacci[n - 1] * fibonacci[n])
    assert exact_margin_squared(data.X, data.y) == data.truth.margin_squared


def test_three_on_a_line() -> None:
    data = generate("three-on-a-line")
    assert data.X.tolist() == [[1.0], [2.0], [3.0]] and data.y.tolist() == [1, 2, 3]
    one_vs_rest = {k: exact_verdict(data.X, np.where(data.y == k, 1, -1))[0] for k in (1, 2, 3)}
    assert one_vs_rest == {1: "separable", 2: "overlap", 3: "separable"}
    lifted = []
    for (x,), code in zip(data.X, data.y - 1, strict=True):
        for other in {0, 1, 2} - {int(code)}:
            row = np.zeros((3, 2))
            row[code], row[other] = (x, 1), (-x, -1)
            lifted.append(row.ravel())
    assert exact_verdict(np.array(lifted), np.ones(len(lifted)), bias=False)[0] == data.truth.verdict == "separable"
    loaded = mm.load("three-on-a-line:4")
    assert loaded.classes == (1, 2, 3) and loaded.n_samples == 12


def test_undershoot_leaves_the_short_row_wrong() -> None:
    data = generate("undershoot")
    short, long = data.X
    assert data.y.tolist() == [-1, 1]
    w = long - short
    assert w @ short > 0 and np.append(w, 0) @ np.append(short, 1) > 0, "wrong before its update, and after it"


def test_points_of_the_circle_are_rounded_only() -> None:
    points = generate("unit-circle:50").X
    assert np.abs(np.hypot(*points.T) - 1).max() < 4e-16
    angles = np.sort(np.arctan2(points[:, 1], points[:, 0]))
    assert np.abs(np.diff(angles) - 2 * np.pi / 50).max() < 1e-4


# Exact numbers and changes


def test_matrices_are_never_rounded() -> None:
    exact = [[2**53 + 2, 3], [-(2**1000) + 2**948, 0]]
    assert Matrix.of(exact, [-1000, 1020]).floats().tolist() == [[float(2**53 + 2) * 2.0**-1000, 3 * 2.0**1020], [-1.0 + 2.0**-52, 0.0]]  # fmt: skip  # noqa: E501
    for integers, exponent in ((2**53 + 1, 0), (1, -1075), (3, -1075), (1, 1024), (2**60 + 1, -60), (2**53, 971)):
        with pytest.raises(NotRepresentableError):
            Matrix.of([[integers]], [exponent]).floats()
    values = np.array([[0.1, -5e-324, 0.0], [3.0, 1.7e308, -2.5]])
    assert (Matrix.of_floats(values).floats() == values).all()


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", range(3))
def test_changes_keep_what_they_say(part: int) -> None:
    for number in range(part, 150, 3):
        case = drawn(number)
        assert_true(case.rows.floats(), case.y, case.truth)


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_rotations_are_rotations(d: int) -> None:
    for seed in range(5):
        Q, denominator = rational_rotation(d, Random(seed))
        assert not (Q.T @ Q - denominator**2 * np.eye(d, dtype=int)).any()
        assert d == 1 or denominator > 1


def test_answers_say_what_touches() -> None:
    case = two_classes([[0], [1]], [[1], [2]], with_bias=quasi([2, 1]), through_origin=OVERLAP, why="")
    assert case.truth.touching_rows == (1, 2) and case.truth.touching_rows_through_origin == (0, 1, 2, 3)
    assert separable().margin() is None and OVERLAP.margin() == 0


# Names


def test_the_same_name_gives_the_same_data_everywhere() -> None:
    hashes = {name: generate(name).sha256[:12] for name in HASHES}
    assert hashes == HASHES


HASHES = {
    "unit-circle:20": "b29ed0940dc1", "planted:100:5:seed=3": "a3b67706684d", "planted-quasi:100:5": "b0b9fb52a39e",
    "boxes:3:2:overlap:7": "d8307af62611", "rotated:4:separable:9": "fdbc8437647b", "three-on-a-line": "5f05471cb46a",
}  # fmt: skip


def test_seeds_change_the_data() -> None:
    for name in ("planted", "planted-quasi", "planted-overlap", "boxes", "layers", "rotated"):
        assert generate(f"{name}:seed=1").sha256 == generate(name, seed=1).sha256 != generate(name, seed=2).sha256


def test_hashes_are_those_of_problems_and_proofs() -> None:
    for name in ("gap:40", "xor-polar", "planted:5:4"):
        data = generate(name)
        assert data.sha256 == Problem(data.X, data.y.astype(float)).sha256
    three = generate("three-on-a-line")
    assert three.sha256 != generate("three-on-a-line:2").sha256


def test_parameters_by_position_and_by_name() -> None:
    assert generate("gap:7:3").sha256 == generate("gap:d=3:k=7").sha256 == generate(" gap:7:d=3 ").sha256
    assert generate("gap").full_name == generate("gap:k=40:d=2").full_name == "gap:k=40:d=2"
    assert is_family("xor") and is_family("gap:x") and not is_family("iris") and not is_family("")


@for_each("name, words", [
        ("xro", ["xro: found no family 'xro'", "did you mean 'xor'?"]),
        ("", ["found no family ''"]),
        ("gap:2000", ["gap:2000: found k '2000', expected a whole number from 1 to 1073"]),
        ("gap:0", ["found k '0'"]),
        ("gap:4.5", ["found k '4.5'"]),
        ("gap:", ["found k ''"]),
        ("gap:" + "9" * 5000, ["expected a whole number"]),
        ("gap:4:2:1", ["found the value '1' too many, expected gap:k=40:d=2"]),
        ("gap:4:k=4", ["found k twice"]),
        ("gap:kk=4", ["found the parameter 'kk', expected k, d (did you mean 'k'?)"]),
        ("xor:seed=1", ["found the parameter 'seed', expected none"]),
        ("units:kind=seperable", ["expected one of separable, quasi-separable, overlap (did you mean 'separable'?)"]),
        ("odd-max-bit:8:2", ["expected one of -1, 0"]),
        ("conjunction:3:4", ["found k 4, expected at most d = 3"]),
        ("regular-simplex:1:2", ["found p 2, expected at most 2^m - 1 = 1"]),
        ("planted-quasi:10:3:9", ["found separated 9, expected at most n - 4 = 6"]),
        ("planted-quasi:10:2:1:2", ["found flat 2, expected at most d - 1 = 1"]),
        ("planted:100000:1000", ["found n d = 100,000,000 entries, expected at most 10,000,000"]),
        ("planted-overlap:10:5", ["found n 10, expected at least 4 d = 20"]),
    ])  # fmt: skip
def test_bad_names_are_refused(name: str, words: list[str]) -> None:
    with pytest.raises(InvalidOptionError) as caught:
        generate(name)
    assert all(word in str(caught.value) for word in words), str(caught.value)
    if name and is_family(name):
        with pytest.raises(mm.DataError) as caught:
            mm.load(name)
        assert all(word in str(caught.value) for word in words)


# Sources


@pytest.mark.parametrize("option, rows", [
    ("", [[-1, -1], [-1, 1], [1, -1], [1, 1]]),
    (":bits", [[0, 0], [0, 1], [1, 0], [1, 1]]),
])  # fmt: skip
def test_formulas_are_a_registered_source(option: str, rows: list[list[int]]) -> None:
    name = f"formula:x1 & ~x2{option}"
    data, (X, y, feature_names, shown) = generate(f" {name} "), rows_and_labels(name)
    assert data.X.tolist() == X.tolist() == rows and data.y.tolist() == y.tolist() == [-1, -1, 1, -1]
    assert data.feature_names == feature_names == ("x1", "x2") and data.name == data.full_name == shown == name
    assert data.X.dtype == X.dtype == np.float64 and data.truth.verdict == "separable"
    assert data.truth.margin_squared == Fraction(1, 2) / (4 if option else 1)
    assert data.truth.verdict_through_origin == "quasi-separable"


@for_each("name, words", [
    ("formula:x1 &", "formula:x1 &: formula, character 5: found the end"),
    ("formula:x1:octal", "found the encoding 'octal', expected one of signs, bits"),
    ("formula:1", "found no variable"),
])  # fmt: skip
def test_bad_formulas_are_refused_by_name(name: str, words: str) -> None:
    for make in (generate, rows_and_labels):
        with pytest.raises(InvalidOptionError, match=words):
            make(name)
    with pytest.raises(InvalidOptionError, match="found the seed 1, expected none"):
        generate("formula:x1", seed=1)


def test_families_are_sources() -> None:
    for name in ("xor", "gap:1000:1", "planted:5:40", "subnormal", "unit-circle:20"):
        data, made = mm.load(name), generate(name)
        assert data.source == name and data.feature_names == made.feature_names and data.label_name == "y"
        assert (data.X == made.X).all() and (data.y == made.y).all() and data.classes == (-1, 1)
    assert mm.load("agresti", positive=-1).y.tolist() == [1] * 4 + [-1] * 4


def test_columns_of_a_family_are_chosen_like_those_of_a_file() -> None:
    assert mm.load("xor-product", drop="x3").feature_names == ("x1", "x2")
    assert mm.load("agresti-quasi", label="y").classes == (-1, 1)
    data = mm.load("and", label="x1", id="x2")
    assert data.classes == (0, 1) and data.feature_names == ("y",) and data.row_ids == ("0", "1", "0", "1")
    with pytest.raises(mm.DataError, match="xor: drop=: found no column 'z', expected one of 'x1', 'x2', 'y'"):
        mm.load("xor", drop="z")


def test_a_family_wins_over_a_file_of_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("xor").write_text("1,2\n")
    Path("gap:40.csv").write_text("x,y\n1,0\n5,1\n")
    assert mm.load("xor").n_samples == 4
    assert mm.load("gap:40.csv").n_samples == 2
    with pytest.raises(mm.DataError, match="no suffix"):
        mm.load(Path("xor"))


def test_unknown_sources_mention_families() -> None:
    with pytest.raises(mm.DataError, match=r"odd-max-bits:8: found no such file.*xor or gap:40.*mean 'odd-max-bit'\?"):
        mm.load("odd-max-bits:8")


# Command line


def test_generate_writes_the_data_and_the_truth(tmp_path: Path, capsys: Capture) -> None:
    for i, name in enumerate(("planted:17:3", "gap:1000:3", "subnormal:2", "units", "offset:15", "unit-circle:7")):
        path = tmp_path / f"data{i}.csv"
        assert run(["generate", name, "-o", str(path)]) == 0
        out, err = capsys.readouterr()
        made, read = generate(name), mm.load(path)
        assert made.full_name in out and made.truth.verdict in out
        assert err == f"maxmargin: wrote {path} and {path.with_suffix('.truth.json')}\n"
        assert read.X.tobytes() == made.X.tobytes() and read.y.tolist() == made.y.tolist()
        check_sidecar(json.loads(path.with_suffix(".truth.json").read_text()), made)


def check_sidecar(truth: dict[str, Any], made: Generated) -> None:
    assert truth["schema"] == "maxmargin.truth/1" and truth["name"] == made.full_name
    assert truth["family"] == made.full_name.split(":")[0] and truth["description"] == made.description
    assert truth["data"]["sha256"] == Problem(made.X, made.y.astype(float)).sha256
    assert (truth["data"]["n_samples"], truth["data"]["n_features"]) == made.X.shape
    assert truth["data"]["classes"] == [-1, 1] and truth["data"]["reading"] == "binary64"
    assert truth["verdict"] == made.truth.verdict and truth["why"] == made.truth.why
    assert truth["verdict_through_origin"] == made.truth.verdict_through_origin
    for name in ("margin_squared", "margin_squared_through_origin"):
        known = getattr(made.truth, name)
        assert truth[name] is None if known is None else Fraction(truth[name]) == known
    for name in ("touching_rows", "touching_rows_through_origin"):
        rows = getattr(made.truth, name)
        assert truth[name] == (None if rows is None else list(rows))


def test_generate_prints_csv(capsys: Capture) -> None:
    assert printed(capsys, "generate", "and") == "x1,x2,y\n0.0,0.0,-1\n0.0,1.0,-1\n1.0,0.0,-1\n1.0,1.0,1\n"


@for_each("arguments", [[], ["--list"], ["xor", "--list"]])
def test_generate_lists_the_families(capsys: Capture, arguments: list[str]) -> None:
    out = printed(capsys, "generate", *arguments)
    for family in families():
        assert f"{family.usage}\n    {family.description}\n" in out
        assert family.description and len(family.description) <= 110
    code, fields = json_answer(capsys, "generate", *arguments)
    assert code == 0 and len(fields["families"]) == len(families())


@pytest.mark.parametrize("arguments, words", [
    (["xro", "-o", "a.csv"], ["did you mean 'xor'?"]),
    (["xor", "-o", "a.txt"], ["a.txt", "unknown suffix '.txt'", "expected .csv"]),
    (["xor", "-o", "no/such/a.csv"], ["no/such/a.csv", "there is no folder"]),
    (["xor", "--seed", "3"], ["xor: found the parameter 'seed', expected none"]),
    (["xor", "--seed", "-3"], ["--seed"]),
    (["gap:0"], ["expected a whole number from 1 to 1073"]),
])  # fmt: skip
def test_generate_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture, arguments: list[str], words: Any
) -> None:
    monkeypatch.chdir(tmp_path)
    said = refusal(capsys, "generate", *arguments)
    assert all(word in said for word in words), said
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_sidecar_stops_everything(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "a.truth.json").mkdir()
    assert "is a directory" in refusal(capsys, "generate", "xor", "-o", tmp_path / "a.csv")
    assert not (tmp_path / "a.csv").exists()


def test_generators_import_no_heavy_library() -> None:
    script = (
        "import sys\nfrom maxmargin.cli.app import run\nassert run(['generate', 'planted', '--json']) == 0\n"
        "print(sorted({'cvxpy', 'scipy', 'sklearn', 'numba', 'matplotlib', 'flint', 'pyarrow'} & set(sys.modules)))"
    )
    assert python(script).splitlines()[-1] == "[]"
