"""Small data that are meant to break the package: numbers, containers and options drawn from a seed.

A case knows its rows as fractions. A container either holds them exactly, or rounds them to a type of its own *before*
the truth is taken, so that what the package is handed and what the references judge are the same numbers.
"""

import random
from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import scipy.sparse as sp
from table_files import array_file, table_file

Row = list[Fraction]
Rows = list[Row]
Quantize = Callable[[Fraction], Fraction]


# --- numbers


def _small(draw: random.Random) -> Fraction:
    return Fraction(draw.randint(-3, 3))


def _tenths(draw: random.Random) -> Fraction:
    return Fraction(draw.randint(-30, 30), 10)


def _hundredths(draw: random.Random) -> Fraction:
    return Fraction(draw.randint(-999, 999), 100)


def _normal(draw: random.Random) -> Fraction:
    return Fraction(draw.gauss(0, 1))


def _near_one(draw: random.Random) -> Fraction:
    return 1 + draw.randint(-2, 2) * Fraction(1, 2**52)


def _large_whole(draw: random.Random) -> Fraction:
    return Fraction(10**17 + 16 * draw.randint(-4, 4))


def _beyond_binary64(draw: random.Random) -> Fraction:
    return Fraction(2**53 + draw.randint(-3, 3))


def _huge_and_tiny(draw: random.Random) -> Fraction:
    return draw.choice([0, 1, -1, 3]) * Fraction(2) ** draw.choice([-1000, -500, 0, 500, 1000])


def _subnormal(draw: random.Random) -> Fraction:
    return draw.randint(-5, 5) * Fraction(1, 2**1074)


def _thirds(draw: random.Random) -> Fraction:
    return Fraction(draw.randint(-6, 6), draw.choice([1, 2, 3, 7]))


def _bits(draw: random.Random) -> Fraction:
    return Fraction(draw.randint(0, 1))


NUMBERS = (_small, _tenths, _hundredths, _normal, _near_one, _large_whole, _beyond_binary64, _huge_and_tiny,
           _subnormal, _thirds, _bits)  # fmt: skip


def _rows(draw: random.Random) -> tuple[Rows, list[int], str]:
    """Return rows, signs, and the name of the kind of numbers."""
    number = draw.choice(NUMBERS)
    n, d = draw.randint(2, 8), draw.randint(1, 4)
    X = [[number(draw) for _ in range(d)] for _ in range(n)]
    y = [-1, 1, *(draw.choice([-1, 1]) for _ in range(n - 2))]
    return X, y, number.__name__.lstrip("_")


def _strained(draw: random.Random, X: Rows, y: list[int]) -> None:
    """Change rows and columns in place: gaps, touching rows, duplicates, dependent columns, units."""
    n, d = len(X), len(X[0])
    for strain in draw.sample(("gap", "separate", "touch", "duplicate", "collinear", "constant", "zero", "units"), 3):
        i, j, k = draw.randrange(n), draw.randrange(n), draw.randrange(d)
        match strain:
            case "gap":
                X[i][k] += Fraction(draw.choice([-1, 1]), 2 ** draw.choice([1, 10, 40, 52]))
            case "separate":
                for row, sign in zip(X, y, strict=True):
                    row[k] = abs(row[k]) * sign
            case "touch":
                X[i] = [(a + b) / 2 for a, b in zip(X[i], X[j], strict=True)]
            case "duplicate":
                X[i] = list(X[j])
            case "collinear":
                factor = draw.choice([1, -2, 3])
                for row in X:
                    row[k] = factor * row[0]
            case "constant":
                for row in X:
                    row[k] = Fraction(7)
            case "zero":
                X[i] = [Fraction(0)] * d
            case "units":
                unit = Fraction(2) ** draw.choice([-900, -60, 60, 900])
                for row in X:
                    row[k] *= unit


# --- containers


def _nearest(kind: Any) -> Quantize:
    """Return the rounding to a floating-point type, which keeps numbers finite."""
    largest = Fraction(float(np.finfo(kind).max))

    def quantized(value: Fraction) -> Fraction:
        bounded = max(-largest, min(largest, value))
        return Fraction(float(kind(float(bounded))))

    return quantized


def _whole(low: int, high: int) -> Quantize:
    def quantized(value: Fraction) -> Fraction:
        return Fraction(max(low, min(high, round(value))))

    return quantized


def _as_is(value: Fraction) -> Fraction:
    return value


def _decimal(value: Fraction) -> Fraction:
    """Round to what a decimal of moderate length holds."""
    return Fraction(round(max(Fraction(-(10**20)), min(Fraction(10**20), value)) * 10**6), 10**6)


@dataclass(frozen=True)
class Container:
    """How rows reach the package."""

    name: str
    quantize: Quantize
    build: Callable[[Rows, random.Random], Any]


def _floats(X: Rows) -> list[list[float]]:
    return [[float(v) for v in row] for row in X]


def _array(dtype: Any, order: Any = "C") -> Callable[[Rows, random.Random], Any]:
    def build(X: Rows, _draw: random.Random) -> Any:
        if np.issubdtype(np.dtype(dtype), np.integer) or np.dtype(dtype) == bool:
            return np.array([[int(v) for v in row] for row in X], dtype=dtype, order=order)
        return np.array(_floats(X), dtype=dtype, order=order)

    return build


def _view(X: Rows, _draw: random.Random) -> Any:
    wide = np.full((2 * len(X), 3 * len(X[0])), np.nan)
    wide[::2, ::3] = _floats(X)
    wide.flags.writeable = False
    return wide[::2, ::3]


def _objects(kind: Callable[[Fraction], Any]) -> Callable[[Rows, random.Random], Any]:
    def build(X: Rows, _draw: random.Random) -> Any:
        result = np.empty((len(X), len(X[0])), dtype=object)
        for i, row in enumerate(X):
            for j, value in enumerate(row):
                result[i, j] = kind(value)
        return result

    return build


def _lists(kind: Callable[[Fraction], Any]) -> Callable[[Rows, random.Random], Any]:
    return lambda X, _draw: [[kind(v) for v in row] for row in X]


def _exact_decimal(value: Fraction) -> Decimal:
    """Return a decimal that is exactly the value, whose denominator has no factors but 2 and 5."""
    digits = 0
    while (value * 10**digits).denominator != 1:
        digits += 1
    return Decimal((int(value < 0), tuple(map(int, str(abs(int(value * 10**digits))))), -digits))


def _sparse(form: str, dtype: Any, *, is_matrix: bool) -> Callable[[Rows, random.Random], Any]:
    def build(X: Rows, draw: random.Random) -> Any:
        dense = _array(dtype)(X, draw)
        return getattr(sp, f"{form}_{'matrix' if is_matrix else 'array'}")(dense)

    return build


def _coo_with_duplicates(X: Rows, draw: random.Random) -> Any:
    """Return entries in two parts whose exact sum is the entry."""
    entries = [(i, j, v) for i, row in enumerate(X) for j, v in enumerate(row) if v]
    parts = [(i, j, part) for i, j, v in entries for part in ((v - 1, Fraction(1)) if abs(v) < 2**20 else (v,))]
    parts = [part for part in parts if Fraction(float(part[2])) == part[2]]
    if len({(i, j) for i, j, _ in parts}) != len(entries) or _sums(parts) != {(i, j): v for i, j, v in entries}:
        parts = entries
    i, j, values = (list(column) for column in zip(*parts, strict=True)) if parts else ([], [], [])
    return sp.coo_array(([float(v) for v in values], (i, j)), shape=(len(X), len(X[0])))


def _sums(parts: list[tuple[int, int, Fraction]]) -> dict[tuple[int, int], Fraction]:
    sums: dict[tuple[int, int], Fraction] = {}
    for i, j, v in parts:
        sums[i, j] = sums.get((i, j), Fraction(0)) + v
    return sums


def _pandas(kind: Callable[[Fraction], Any], dtype: Any) -> Callable[[Rows, random.Random], Any]:
    def build(X: Rows, _draw: random.Random) -> Any:
        import pandas as pd

        columns = {f"c{j}": pd.Series([kind(row[j]) for row in X], dtype=dtype) for j in range(len(X[0]))}
        return pd.DataFrame(columns)

    return build


def _polars(kind: Callable[[Fraction], Any], dtype: str) -> Callable[[Rows, random.Random], Any]:
    def build(X: Rows, _draw: random.Random) -> Any:
        import polars as pl

        names = [f"c{j}" for j in range(len(X[0]))]
        return pl.DataFrame([[kind(v) for v in row] for row in X], schema=dict.fromkeys(names, getattr(pl, dtype)),
                            orient="row")  # fmt: skip

    return build


def _arrow(kind: Callable[[Fraction], Any], dtype: Callable[[], Any]) -> Callable[[Rows, random.Random], Any]:
    def build(X: Rows, _draw: random.Random) -> Any:
        return pa.table({f"c{j}": pa.array([kind(row[j]) for row in X], type=dtype()) for j in range(len(X[0]))})

    return build


def _arrow_type(name: str, *arguments: int) -> Callable[[], Any]:
    def make() -> Any:
        return getattr(pa, name)(*arguments)

    return make


def _longdouble(value: Fraction) -> np.longdouble:
    """Return a long double within some units in the last place of the value."""
    largest = Fraction(2) ** 1000
    value = max(-largest, min(largest, value))
    high = float(value)
    return np.longdouble(high) + np.longdouble(float(value - Fraction(high)))


def _to_longdouble(value: Fraction) -> Fraction:
    return Fraction(*_longdouble(value).as_integer_ratio())


def _longdoubles(X: Rows, _draw: random.Random) -> Any:
    return np.array([[_longdouble(v) for v in row] for row in X], dtype=np.longdouble)


def _scaled_decimal(value: Fraction) -> Decimal:
    return Decimal(int(value * 10**6)).scaleb(-6)


_INT64 = _whole(-(2**63), 2**63 - 1)
_DOUBLE = _nearest(np.float64)

CONTAINERS = (
    Container("list of float", _DOUBLE, _lists(float)),
    Container("list of int", _whole(-(10**30), 10**30), _lists(int)),
    Container("list of Fraction", _as_is, _lists(_as_is)),
    Container("list of Decimal", _decimal, _lists(_exact_decimal)),
    Container("float64", _DOUBLE, _array(np.float64)),
    Container("float64, columns first", _DOUBLE, _array(np.float64, "F")),
    Container("float64, other byte order", _DOUBLE, _array(">f8")),
    Container("float64, strided and read-only", _DOUBLE, _view),
    Container("float32", _nearest(np.float32), _array(np.float32)),
    Container("float16", _nearest(np.float16), _array(np.float16)),
    Container("longdouble", _to_longdouble, _longdoubles),
    Container("int8", _whole(-128, 127), _array(np.int8)),
    Container("int64", _INT64, _array(np.int64)),
    Container("uint64", _whole(0, 2**64 - 1), _array(np.uint64)),
    Container("bool", _whole(0, 1), _array(bool)),
    Container("objects: int", _whole(-(10**30), 10**30), _objects(int)),
    Container("objects: Fraction", _as_is, _objects(_as_is)),
    Container("objects: Decimal", _decimal, _objects(_exact_decimal)),
    Container("objects: float", _DOUBLE, _objects(float)),
    *(
        Container(f"{form}_{'matrix' if is_matrix else 'array'} of {np.dtype(dtype)}", quantize,
                  _sparse(form, dtype, is_matrix=is_matrix))
        for form in ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")
        for is_matrix in (False, True)
        for dtype, quantize in ((np.float64, _DOUBLE), (np.float32, _nearest(np.float32)), (np.int64, _INT64))
    ),
    Container("coo_array with duplicates", _DOUBLE, _coo_with_duplicates),
    Container("pandas float64", _DOUBLE, _pandas(float, "float64")),
    Container("pandas int64", _INT64, _pandas(int, "int64")),
    Container("pandas Int64", _INT64, _pandas(int, "Int64")),
    Container("pandas objects: Decimal", _decimal, _pandas(_exact_decimal, object)),
    Container("polars Float64", _DOUBLE, _polars(float, "Float64")),
    Container("polars Int64", _INT64, _polars(int, "Int64")),
    Container("Arrow double", _DOUBLE, _arrow(float, _arrow_type("float64"))),
    Container("Arrow int64", _INT64, _arrow(int, _arrow_type("int64"))),
    Container("Arrow decimal128", _decimal, _arrow(_scaled_decimal, _arrow_type("decimal128", 38, 6))),
)  # fmt: skip

WEIGHT_OF_CONTAINER = [6 if "_array" not in c.name and "_matrix" not in c.name else 1 for c in CONTAINERS]


# --- labels


LABELS: tuple[tuple[str, Callable[[list[int]], Any]], ...] = (
    ("signs", lambda y: np.array(y)),
    ("signs as floats", lambda y: [float(s) for s in y]),
    ("0 and 1", lambda y: [int(s > 0) for s in y]),
    ("booleans", lambda y: np.array(y) > 0),
    ("texts", lambda y: ["b" if s > 0 else "a" for s in y]),
    ("yes and no", lambda y: ["yes" if s > 0 else "no" for s in y]),
    ("beyond binary64", lambda y: [2**53 + (s > 0) for s in y]),
)


@dataclass(frozen=True)
class Case:
    """A question on data that are known exactly."""

    seed: int
    numbers: str
    container: str
    labels: str
    X: Rows
    y: list[int]
    features: Any
    targets: Any
    bias: bool

    def __str__(self) -> str:
        return (
            f"seed {self.seed}: {self.numbers} in {self.container}, labels {self.labels}, bias={self.bias}, "
            f"X={[[str(v) for v in row] for row in self.X]}, y={self.y}"
        )


def case(seed: int) -> Case:
    """Return the case of a seed."""
    draw = random.Random(seed)
    X, y, numbers = _rows(draw)
    if draw.random() < 0.7:
        _strained(draw, X, y)
    container = draw.choices(CONTAINERS, WEIGHT_OF_CONTAINER)[0]
    X = [[container.quantize(value) for value in row] for row in X]
    name, encode = draw.choice(LABELS)
    return Case(seed, numbers, container.name, name, X, y, container.build(X, draw), encode(y), draw.random() < 0.7)


# --- the same rows in files


def write_file(case: Case, folder: Path, form: str) -> Path:
    """Write the rows and signs of a case whose container is an array of numbers; text holds what repr writes."""
    path = folder / f"case.{form}"
    if form == "npz":
        return array_file(path, case.features, case.y)
    columns = {f"c{j}": np.ascontiguousarray(column) for j, column in enumerate(case.features.T)}
    return table_file(path, pa.table({**columns, "label": case.y}))
