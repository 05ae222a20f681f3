"""Time that the checker takes is bounded by the sizes of the proof and of the data, whatever they hold."""

import gc
import json
import random
import time
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from cases import for_each
from proof_cases import MULTI, case

from maxmargin.solvers.proof import checker
from maxmargin.solvers.proof.checker import CertificateError, check, exact, parse, products

Proof = dict[str, Any]


def seconds(work: Callable[[], object], repeats: int = 3) -> float:
    """Processor time of the fastest run; what it raises as a refusal is part of the work."""
    found = []
    gc.disable()  # what it costs depends on all else that is in memory
    try:
        for _ in range(repeats):
            start = time.process_time()
            with suppress(CertificateError):
                work()
            found.append(time.process_time() - start)
    finally:
        gc.enable()
    return min(found)


@pytest.mark.parametrize("claim", ["margin-at-least", "margin-at-most"])
def test_long_integers_are_multiplied_with_rows_but_not_with_each_other_at_each_row(claim: str) -> None:
    """Products of a row cost as much as the integers are long; what costs more is done once."""
    n, digits = 400, 100_000
    rows = [[float(i % 7), -1.0 if i % 2 else 1.0] for i in range(n)]
    labels = [-1 if i % 2 else 1 for i in range(n)]
    number = "0x" + "7" * digits
    lower = {"direction": ["0", number, "0"], "margin_squared": f"1/{number}"}
    upper = {"rows": list(range(n)), "weights": ["0x" + "7" * (digits // n)] * n, "margin_squared": f"{number}/1"}
    one = case("long", claim, rows, labels, **(lower if claim == "margin-at-least" else upper))
    integer = int(number, 16)
    product = seconds(lambda: [integer * (2**53 - 1) for _ in range(3 * n)])
    square = seconds(lambda: integer * integer)
    assert seconds(lambda: check(one.proof, rows, labels)) < 10 * product + 20 * square + 0.1


LONG = 60_000
HOSTILE: dict[str, Callable[[int], str]] = {
    "open brackets": lambda n: "[" * n,
    "brackets": lambda n: "[" * (n // 2) + "]" * (n // 2),
    "many brackets": lambda n: "[]" * (n // 2),
    "braces": lambda n: '{"":' * (n // 4),
    "quotes": lambda n: '"\\' * (n // 2),
    "escaped quotes": lambda n: '"' + '\\"' * (n // 2),
    "depths": lambda n: '{"claim":"overlap","data":[' + ",".join(["[[[[[[[[[]]]]]]]]]"] * (n // 20)) + "]}",
    "number": lambda n: '{"claim":"overlap","version":' + "9" * n + "}",
    "decimals": lambda n: '{"claim":"overlap","version":0.' + "9" * n + "}",
    "exponent": lambda n: '{"claim":"overlap","version":1e' + "9" * n + "}",
    "keys": lambda n: '{"claim":"overlap",' + ",".join(f'"{k}":1' for k in range(n // 10)) + "}",
    "one key": lambda n: '{"claim":"overlap",' + ",".join(['"k":1'] * (n // 6)) + "}",
    "names": lambda n: '{"claim":"overlap","' + "k" * n + '":1}',
}


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", HOSTILE)
def test_a_proof_is_parsed_in_time_proportional_to_its_size(name: str) -> None:
    short, long = (HOSTILE[name](size).encode() for size in (LONG, 8 * LONG))
    with pytest.raises(CertificateError):
        parse(long)
    assert seconds(lambda: parse(long)) < 24 * seconds(lambda: parse(short)) + 0.05


def agresti(**fields: Any) -> Any:
    return case("agresti", fields.pop("claim", "separable"), [[10], [40], [60], [90]], [-1, -1, 1, 1], **fields)


PAIR: Proof = {"rows": [0, 1], "weights": ["1", "1"]}
TOO_LONG: list[Callable[[int], Any]] = [
    lambda n: agresti(direction=["1"] * n),
    lambda n: agresti(claim="not-strictly-separable", rows=[1] * n, weights=["1"] * n),
    lambda n: agresti(claim="not-strictly-separable", rows=list(range(n)), weights=["1"] * n),
    lambda n: agresti(claim="overlap", **PAIR, null_space=[["1", "1"]] * n),
    lambda n: agresti(claim="overlap", **PAIR, null_space=[["1"] * n]),
    lambda n: agresti(direction=["0x" + "f" * (10 * n + 1), "-1"]),
    lambda n: agresti(direction=["9" * (n + 1), "-1"]),
    lambda n: agresti(claim="margin-at-least", direction=["1", "-50"], margin_squared="1/" * (3 * n)),
]


@pytest.mark.slow
@pytest.mark.sampled(2)
@pytest.mark.parametrize("form", TOO_LONG, ids=map(str, range(8)))
def test_what_is_longer_than_it_can_be_is_refused_in_time_proportional_to_its_size(form: Any) -> None:
    def work(one: Any) -> float:
        content = json.dumps(one.proof).encode()
        with pytest.raises(CertificateError, match=r"length|row|twice|vectors|integers"):
            check(parse(content), one.exact, one.labels)
        return seconds(lambda: check(parse(content), one.exact, one.labels))

    assert work(form(100_000)) < 24 * work(form(12_500)) + 0.05


def test_many_classes_are_compared_in_time_linear_in_the_inequalities() -> None:
    """K rows of K classes have K (K - 1) inequalities with K - 1 blocks: the blocks are multiplied once a row."""

    def work(K: int) -> float:
        rows, labels = [[float(k)] for k in range(K)], list(range(K))
        direction = [text for k in range(1, K) for text in (str(2 * k), str(-k * k))]
        one = case("parabola", "separable", rows, labels, **MULTI, direction=direction)
        return seconds(lambda: check(one.proof, rows, labels))

    assert work(320) < 36 * work(80) + 0.05  # the work is quadratic in K


@pytest.mark.parametrize("field", ["1" * 100_000 + "x", "1" * 100_000 + ".", "." * 100_000, "e" * 100_000])
def test_a_long_field_of_the_data_is_read_in_linear_time(field: str, tmp_path: Path) -> None:
    one = agresti(direction=["1", "-50"])
    (tmp_path / "p.json").write_text(json.dumps(one.proof), encoding="utf-8")

    def work(text: str) -> float:
        (tmp_path / "d.csv").write_text(f"10,-1\n40,-1\n60,1\n{text},1\n", encoding="utf-8")
        return seconds(lambda: checker.main([str(tmp_path / "p.json"), str(tmp_path / "d.csv")]))

    assert work(field) < 100 * work(field[-1000:]) + 0.05


def test_exact_numbers_of_the_data_have_bounded_digits() -> None:
    for text in ("1e999999999", "1e-999999999", "1e2001", "9" * 2001, f".{'9' * 2000}", "1e" + "9" * 9999):
        assert exact(text) is None and exact(f"-{text}") is None
    for text, number in (("1e2000", 10**2000), ("1e-2000", Fraction(1, 10**2000)), ("-.50", Fraction(-1, 2))):
        assert exact(text) == number


@for_each("seed", range(60))
def test_products_by_classes_are_those_of_the_vectors_z_written_out(seed: int) -> None:
    draw = random.Random(seed)
    K, n = draw.randint(2, 4), draw.randint(1, 4)
    greatest = 2 ** draw.choice([1, 2, 8, 64]) - 1
    X = [draw.choice([0, 1, -1, 2, -3, greatest]) for _ in range(n)]
    v = [draw.choice([0, 0, 1, -1, greatest, -greatest]) for _ in range(n * (K - 1))]
    code = draw.randrange(K)
    found = products(X, code, v)
    assert set(found) == set(range(K)) - {code}
    for k, product in found.items():
        z = checker.vector_of(checker.Inequality(X, 1, code, k), len(v))
        assert product == sum(x * y for x, y in zip(z, v, strict=True))


@for_each("seed", range(100))
def test_a_packed_null_space_is_zero_where_all_its_vectors_are(seed: int) -> None:
    draw = random.Random(seed)
    size, bits = draw.randint(1, 4), draw.choice([1, 2, 8, 64])
    greatest = 2**bits - 1
    N = [[draw.choice([0, 0, 1, -1, greatest, -greatest]) for _ in range(size)] for _ in range(draw.randint(1, 5))]
    X = [draw.choice([0, 1, -1, 2, -3, greatest]) for _ in range(size)]
    enough = (2 * size * greatest * max(1, *map(abs, X))).bit_length()
    together = products(X, 0, checker.packed(N, enough))[1]
    assert (together == 0) == all(products(X, 0, u)[1] == 0 for u in N)


@pytest.mark.parametrize("wrong", range(3))
def test_every_vector_of_the_null_space_is_multiplied_with_every_row(wrong: int) -> None:
    """Columns 2 to 4 are multiples of the first one, but for one row that is not in S."""
    factors, labels = [2.0, 3.0, 5.0], [-1, 1, -1, -1, 1]
    null_space = [[str(-int(f)), *("1" if k == j else "0" for k in range(3)), "0"] for j, f in enumerate(factors)]
    rows = [[x, *(f * x for f in factors)] for x in (0.0, 1.0, 0.5, 2.0, 7.0)]
    fields = {"rows": [0, 1, 3], "weights": ["1", "2", "1"], "null_space": null_space}
    right = case("multiples", "overlap", rows, labels, **fields)
    check(right.proof, right.exact, right.labels)
    rows[4][1 + wrong] += 2.0**-30
    other = case("multiples", "overlap", rows, labels, **fields)
    with pytest.raises(CertificateError, match="row 4"):
        check(other.proof, other.exact, other.labels)


def test_the_rank_of_rows_is_that_of_the_first_ones() -> None:
    """Twice as many as a vector has entries are enough for every overlap, so no more are looked at."""
    corners = [[0, 0], [1, 1], [0, 1], [1, 0]]
    X, labels = [*corners, *([[2, 2]] * 6), *([[2, 2]] * 6)], [-1, -1, 1, 1] + [1] * 6 + [-1] * 6
    doubles, rest = list(range(4, 16)), [0, 1, 2, 3]
    late = case("corners", "overlap", X, labels, rows=doubles + rest, weights=["1"] * 16, null_space=[])
    early = late.changed(rows=rest + doubles)
    check(early, late.exact, late.labels)
    with pytest.raises(CertificateError, match="rank"):
        check(late.proof, late.exact, late.labels)
