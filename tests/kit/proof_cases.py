"""Small data, proofs of what holds for them, and whether a claim holds, found by another way than a proof."""

import copy
import hashlib
import struct
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Any

import numpy as np
from references import exact_margin_squared, exact_verdict

from maxmargin.solvers.proof import checker

Vector = tuple[int, ...]
Fields = dict[str, Any]


@dataclass(frozen=True)
class Case:
    """Small data, and a proof of something that holds for them."""

    name: str
    rows: tuple[tuple[Fraction, ...], ...]
    labels: Vector
    proof: dict[str, Any]

    @property
    def exact(self) -> Any:
        """The rows as the checker takes them."""
        kind = float if self.proof["data"]["reading"] == "binary64" else Fraction
        return [[kind(x) for x in row] for row in self.rows]

    def changed(self, **fields: Any) -> dict[str, Any]:
        return {**copy.deepcopy(self.proof), **fields}


def sha256_of(rows: Any, labels: Vector, question: str, reading: str) -> str:
    """The hash as the format states it."""
    text = f"{len(rows)} {len(rows[0])}".encode()
    if reading == "decimal":
        text += b" decimal\n" + b"".join(" ".join(str(Fraction(x)) for x in row).encode() + b"\n" for row in rows)
    else:
        text += b"\n" + b"".join(struct.pack("<d", float(x) or 0.0) for row in rows for x in row)
    text += np.array(labels, dtype="int8" if question == "two-class" else "<i4").tobytes()
    return hashlib.sha256(text).hexdigest()


def case(
    name: str, claim: str, X: Any, labels: Any, *, bias: bool = True, question: str = "two-class",
    reading: str = "binary64", **fields: Any,
) -> Case:  # fmt: skip
    rows = tuple(tuple(Fraction(x) for x in row) for row in X)
    data = {"sha256": sha256_of(rows, labels, question, reading), "n_samples": len(rows), "n_features": len(rows[0])}
    head = {"format": "maxmargin-proof", "version": 1, "claim": claim, "question": question}
    proof = {**head, "data": {**data, "bias": bias, "reading": reading}, **fields}
    return Case(f"{name}-{claim}-{reading}", rows, tuple(labels), proof)


AGRESTI = ([[10], [40], [60], [90]], [-1, -1, 1, 1])
XOR = ([[0, 0], [1, 1], [0, 1], [1, 0]], [-1, -1, 1, 1])
# The second column is twice the first.
COLLINEAR = ([[0, 0], [2, 4], [1, 2], [5, 10]], [-1, -1, 1, -1])
TOUCHING = ([[0], [1], [1], [2]], [-1, -1, 1, 1])
ANGLE = ([[1, 0], [0, -1]], [1, -1])
OPPOSITE = ([[1], [2]], [1, -1])
HALF_LINE = ([[1, 0], [2, 0], [0, 1]], [1, -1, 1])
ORDERED = ([[1], [2], [3]], [0, 1, 2])
EVERYWHERE = ([[0], [0], [0], [1], [1], [1]], [0, 1, 2, 0, 1, 2])
SHARED = ([[0], [0], [1]], [0, 1, 2])
BOTH_LABELS = ([[1, 2], [1, 2]], [-1, 1])
ALL_PAIRS = [[i, k] for i in range(6) for k in range(3) if k != i % 3]
PAIR: Fields = {"rows": [1, 2], "weights": ["1", "1"]}
EQUAL_CLASSES: Fields = {"rows": [[0, 1], [1, 0]], "weights": ["3", "3"]}
LINE: Fields = {"rows": [0, 1, 2], "weights": ["1", "1", "0x2"]}
ALL_OF_XOR: Fields = {"rows": [3, 1, 2, 0], "weights": ["5"] * 4}
UNITS = [["1", "0", "0", "0"], ["0", "0", "1", "0"], ["0", "0", "-1", "7"]]
MULTI: Fields = {"question": "multinomial"}

CASES = [
    case("agresti", "separable", *AGRESTI, direction=["1", "-50"]),
    case("agresti", "margin-at-least", *AGRESTI, direction=["1", "-50"], margin_squared="99/1"),
    case("agresti-off", "margin-at-least", *AGRESTI, direction=["3", "-0x93"], margin_squared="81"),
    case("agresti", "margin-at-most", *AGRESTI, **PAIR, margin_squared="100"),
    case("agresti-far", "margin-at-most", *AGRESTI, rows=[0, 1, 2, 3], weights=["1", "1", "5", "5"],
         margin_squared="2500/4"),
    case("agresti", "margin-exactly", *AGRESTI, **PAIR, direction=["2", "-100"], margin_squared="200/2"),
    case("agresti", "margin-between", *AGRESTI, **PAIR, direction=["2", "-99"], margin_squared="361/4",
         upper_squared="100"),
    case("xor", "overlap", *XOR, **ALL_OF_XOR, null_space=[]),
    case("xor", "not-strictly-separable", *XOR, **ALL_OF_XOR),
    case("collinear", "overlap", *COLLINEAR, **LINE, null_space=[["-6", "3", "0"]]),
    case("touching", "quasi-separable", *TOUCHING, **PAIR, direction=["2", "-2"], null_space=[["1", "-1"]]),
    case("touching", "not-strictly-separable", *TOUCHING, **PAIR),
    case("both-labels", "overlap", *BOTH_LABELS, rows=[0, 1], weights=["1", "1"],
         null_space=[["2", "-1", "0"], ["1", "0", "-1"]]),
    case("angle-origin", "separable", *ANGLE, bias=False, direction=["1", "2"]),
    case("angle-origin", "margin-at-least", *ANGLE, bias=False, direction=["1", "1"], margin_squared="4/9"),
    case("angle-origin", "margin-at-most", *ANGLE, bias=False, rows=[0, 1], weights=["1", "1"], margin_squared="1/2"),
    case("angle-origin", "margin-exactly", *ANGLE, bias=False, rows=[1, 0], weights=["4", "4"], margin_squared="1/2",
         direction=["7", "7"]),
    case("angle-origin", "margin-between", *ANGLE, bias=False, rows=[0, 1], weights=["2", "1"], margin_squared="4/9",
         upper_squared="5/9", direction=["1", "1"]),
    case("opposite-origin", "overlap", *OPPOSITE, bias=False, rows=[0, 1], weights=["2", "1"], null_space=[]),
    case("half-line-origin", "quasi-separable", *HALF_LINE, bias=False, rows=[0, 1], weights=["2", "1"],
         direction=["0", "1"], null_space=[["0", "3"]]),
    case("half-line-origin", "not-strictly-separable", *HALF_LINE, bias=False, rows=[0, 1], weights=["2", "1"]),
    case("ordered", "separable", *ORDERED, **MULTI, direction=["2", "-3", "4", "-8"]),
    case("everywhere", "overlap", *EVERYWHERE, **MULTI, rows=ALL_PAIRS, weights=["1"] * 12, null_space=[]),
    case("everywhere", "not-strictly-separable", *EVERYWHERE, **(MULTI | EQUAL_CLASSES)),
    case("shared", "quasi-separable", *SHARED, **(MULTI | EQUAL_CLASSES), direction=["0", "0", "2", "-1"],
         null_space=UNITS),
    case("shared", "not-strictly-separable", *SHARED, **(MULTI | EQUAL_CLASSES)),
]  # fmt: skip


def in_tenths(whole: Case) -> Case:
    """The same case with all numbers divided by ten, in the decimal reading."""
    width = len(whole.rows[0]) + whole.proof["data"]["bias"]
    fields = {
        name: value for name, value in whole.proof.items() if name in checker.FIELDS[whole.proof["claim"]].split()
    }
    if "direction" in fields:
        fields["direction"] = _stretched(fields["direction"], width, whole.proof["data"]["bias"])
    if "null_space" in fields:
        fields["null_space"] = [_stretched(v, width, whole.proof["data"]["bias"]) for v in fields["null_space"]]
    for name in {"margin_squared", "upper_squared"} & {*fields}:
        square = Fraction(fields[name]) / 100
        fields[name] = f"{square.numerator}/{square.denominator}"
    rows = [[x / 10 for x in row] for row in whole.rows]
    described = {"bias": whole.proof["data"]["bias"], "question": whole.proof["question"], "reading": "decimal"}
    name = whole.name.removesuffix(f"-{whole.proof['claim']}-binary64")
    return case(name, whole.proof["claim"], rows, whole.labels, **described, **fields)


def _stretched(vector: list[str], width: int, bias: bool) -> list[str]:
    numbers = [int(text, 0) for text in vector]
    return [str(v if bias and j % width == width - 1 else 10 * v) for j, v in enumerate(numbers)]


CASES += [in_tenths(whole) for whole in CASES]


# What holds, by another way


def inequalities_of(one: Case) -> list[Vector]:
    """The z of the data, each times a positive integer."""
    one_more = [Fraction(1)] if one.proof["data"]["bias"] else []
    found = []
    n_classes = max(2, max(one.labels) + 1)
    for row, label in zip(one.rows, one.labels, strict=True):
        X, code = [*row, *one_more], max(label, 0)
        for other in set(range(n_classes)) - {code}:
            z = [x * ((block == code) - (block == other)) for block in range(1, n_classes) for x in X]
            found.append(tuple(int(x * 10) for x in z))
    return found


@cache
def verdict_of(inequalities: tuple[Vector, ...]) -> str:
    """Return the verdict of inequalities z.v > 0: of data through the origin that are all of class +1."""
    return exact_verdict(inequalities, [1] * len(inequalities), bias=False)[0]


@cache
def margin_squared_of(rows: tuple[tuple[Fraction, ...], ...], labels: Vector, bias: bool) -> Fraction:
    """Return the square of the maximum margin of two classes."""
    return exact_margin_squared(rows, labels, bias)


def is_true(one: Case, proof: dict[str, Any]) -> bool:
    """Return whether the claim of the proof holds for the data."""
    claim = proof["claim"]
    if claim.startswith("margin"):
        margin = margin_squared_of(one.rows, one.labels, one.proof["data"]["bias"])
        ends = [proof[name] for name in ("margin_squared", "upper_squared") if name in proof]
        lower, *_, upper = (Fraction(*(int(part, 0) for part in end.split("/"))) for end in (ends[0], ends[-1]))
        return (claim == "margin-at-most" or margin >= lower) and (claim == "margin-at-least" or margin <= upper)
    verdict = verdict_of(tuple(inequalities_of(one)))
    return verdict != "separable" if claim == "not-strictly-separable" else verdict == claim


# What a part of a proof may be replaced by.
POISON: list[Any] = [
    None, True, False, 0, 1, -1, 2, 0.5, 1.0, -0.0, 1e300, 10**30, -(10**30), [], [[]], {}, {"a": 1}, [0], [1], [0, 1],
    ["1"], [["0"]], [["1", "0"]], "", "0", "1", "-1", "2", "x", "0x1", "-0x0", "-0", "0X1", "0x", "1e5", "1.0", " 1",
    "1_0", "\u0661", "1\n", "1/2", "1/100000", "100", "1/2/3", "2/-4", "1/0", "/", "9" * 4300, "9" * 4301,
    "0x" + "f" * 3000, "separable", "overlap", "margin-at-least", "multinomial", "two-class", "decimal", "constructor",
    "__proto__",
]  # fmt: skip
