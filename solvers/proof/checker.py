"""Check a proof about linear separability: ``python checker.py PROOF.json DATA.csv``.

Exit code 0: the proof holds. 3: it does not hold, has a wrong form, or is about other data. 2: it is not JSON or makes
no claim, or the data cannot be read here. Tables of numbers can be read: .csv and .tsv, also .gz.

Row i is a vector x_i of a class c_i, one of 0 .. K-1. A question about two classes has K = 2: the sign -1 is class 0
and the sign +1 is class 1. Let X_i = (x_i, 1) with a bias, and X_i = x_i through the origin. A vector v consists of
parts v_1 .. v_(K-1), and v_0 = 0. Each row i makes an inequality with each class k other than its own:
    z.v = X_i.v_(c_i) - X_i.v_k > 0.
For two classes and v = (w, b) this is y_i (w.x_i + b) > 0. The data must have the sha256 that the proof states. Then

separable: z.v > 0 for all z, where v = direction.

not-strictly-separable: some inequalities S, at least one, have weights a > 0 with sum a z = 0. So z.v > 0 is false for
    at least one z of S, whatever v is.

overlap: as before; and the vectors of N = null_space are linearly independent, rank S + |N| is the length of v, and
    z.u = 0 for all z and all u of N. So N is a basis of the vectors that are 0 on S. If z.v >= 0 for all z, then the
    weights force z.v = 0 on S, so v is in the span of N, so z.v = 0 for all z. (A rank modulo a prime never exceeds the
    rank, so one prime that shows both ranks is enough.)

quasi-separable: z.v >= 0 for all z, z.v > 0 for at least one z, and those z with z.v = 0, S among them, overlap.

margin-at-least q: z.v > 0 and (z.v)^2 >= q ||w||^2 for all z. So the maximum margin squared is at least q.

margin-at-most q: ||sum a z / sum a||^2 <= q. With a bias, the weights of each class are first multiplied by the sum of
    the weights of the other class; then the left side is the squared half distance of the two weighted means.

margin-exactly q: margin-at-least q and margin-at-most q.

margin-between q and Q: margin-at-least q and margin-at-most Q, where q = margin_squared and Q = upper_squared.

Other questions are about the inequalities z.v >= 0 of a likelihood, which has a maximum if, and only if, they overlap:
    binomial     label = successes of trials: X_i if there are some, -X_i if there are fewer than trials
    poisson      label = a count: -X_i, and X_i as well if it is not 0
    ordinal      label = one of J ordered classes: (-x_i, e_j) if it is class j < J, (x_i, -e_(j-1)) if it is j > 1
    conditional  label = +1 or -1: x_i - x_k for each row i that is +1 and each k of its stratum that is -1
    cox          label = a time, status = 1 for an event: x_i - x_k for each event i and each k of its stratum that is
        at risk at its time, entry < time_i <= time_k; differences that are sums of others are left out (see ``chain``).
        Events at one time are at risk for each other if ties is breslow or efron, not if it is exact-discrete.
Here e_j is the j-th of J - 1 unit vectors; only binomial and poisson may have a bias. Rows with a weight of 0 are left
out before anything else. ``comparisons`` numbers the inequalities, and ``rows`` lists such numbers.

The class that ``positive`` names is +1. If it is absent or null, there must be two classes, and the greater one is +1.
The classes of a multinomial question are numbered as ``classes`` lists them, otherwise in sorted order. A class is
named by its text or its number: 1, "1" and "1.0" name the class 1; true and "true" name the class True, not 1.

Time and memory are bounded. Let m be the length of v. An integer has at most 4,300 decimal or 1,000,000 hexadecimal
digits, N has at most m vectors, and the rank of S is the rank of its first 2m inequalities. Memory is proportional to
the sizes of the proof and of the data, and to the number of inequalities. So is time, except for one exact product of
each row, or each inequality of a likelihood, with v and with each vector of N (rows x columns x digits, the digits of
all vectors together) and for the two ranks (at most 3 m^3 operations on numbers of at most 521 bits).
"""

import csv
import gzip
import hashlib
import io
import json
import math
import re
import struct
import sys
import zlib
from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, groupby, product
from operator import mul
from pathlib import Path
from types import GenericAlias, UnionType
from typing import Any, NamedTuple

# The fields that prove each claim.
FIELDS = {
    "separable": "direction", "not-strictly-separable": "rows weights",
    "overlap": "rows weights null_space", "quasi-separable": "direction rows weights null_space",
    "margin-at-least": "direction margin_squared", "margin-at-most": "rows weights margin_squared",
    "margin-exactly": "direction rows weights margin_squared",
    "margin-between": "direction rows weights margin_squared upper_squared",
}  # fmt: skip
NUMBERS: dict[str, Any] = {
    "direction": list[str], "weights": list[str], "null_space": list[list[str]],
    "margin_squared": str, "upper_squared": str,
}  # fmt: skip
# The type of the field ``rows`` if it lists pairs of a row and a class, not rows.
ROWS = {"multinomial": list[list[int]]}
DATA = {"sha256": str, "n_samples": int, "n_features": int, "bias": bool, "reading": str}
# How the data were read. Each of these fields may be absent or null.
SOURCE: dict[str, Any] = {
    "source": str, "label": str | int, "positive": str | int | float | bool, "drop": list[str | int], "id": str | int,
    "one_hot": bool, "one_hot_columns": list[str | int], "drop_missing": bool, "sep": str, "decimal_comma": bool,
    "header": bool, "missing": list[str], "format": str, "formula": str, "classes": list[str],
    "values": list[list[str]], "coded": dict[str, list[str]], "rules": int, "weights": str, "trials": str,
    "strata": str, "status": str, "entry": str, "ties": str,
}  # fmt: skip
# The response of a row, in numbers, for each question about a likelihood; a stratum is numbered by its first row.
RESPONSES = {
    "binomial": ("label", "trials"), "poisson": ("label",), "ordinal": ("label",), "conditional": ("label", "strata"),
    "cox": ("label", "status", "entry", "strata"),
}  # fmt: skip
DIFFERENCES = ("conditional", "cox")
# Columns that are no features.
OF_ROWS = ("weights", "trials", "strata", "status", "entry")
TIES = ("breslow", "efron", "exact-discrete")
# Most levels of a JSON text that is parsed, so that none exhausts the stack of the parser. A proof has five.
MOST_LEVELS = 100
# Most decimal digits of an integer that Python reads or writes.
MOST_DIGITS = 4300
# Most digits of an exact number in the data, and the largest size of its exponent.
MOST_EXACT = 2000
PRIMES = (2**61 - 1, 2**255 - 19, 2**521 - 1)
INTEGER = re.compile("0|-?[1-9][0-9]{0,4299}|-?0x[0-9a-f]{1,1000000}")
NUMBER = re.compile(r"([-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))(?:e([-+]?[0-9]+))?", re.IGNORECASE)
INFINITY = re.compile("[-+]?inf(inity)?", re.IGNORECASE)
# Numbers in notations that are not read. A line with one of them does not hold the names of columns.
OTHER_NUMBER = re.compile(
    r"""[-+]?(
        ([0-9]+,[0-9]*|,[0-9]+)(e[-+]?[0-9]+)?  # a decimal comma: 1,5
        | [0-9]{1,3}([,.'\u2019 \xa0\u2009\u202f])([0-9]{2,3}\4)*[0-9]{3}([,.][0-9]*)?  # groups of digits: 1'000.5
        | [0-9]+(_[0-9]+)+(\.[0-9]*)?  # underscores: 1_000
        | [0-9]*\.[0-9]*d[-+]?[0-9]+  # Fortran: 1.5d3
        | 0x[0-9a-f]+(\.[0-9a-f]*)?(p[-+]?[0-9]+)? | 0b[01]+ | 0o[0-7]+  # other bases
    )""",
    re.IGNORECASE | re.VERBOSE,
)
FOREIGN = "these are not the data of the proof"
MISSING = {"", "?", ".", "na", "n/a", "#n/a", "nan", "+nan", "-nan", "null"}
ROW_NAMES = "\0"
Vector = list[int]


class Inequality(NamedTuple):
    """The inequality z.v > 0 of a row of class ``code`` and a class k: c X in integers, and the integer c > 0."""

    X: Vector
    c: int
    code: int
    k: int


class CertificateError(ValueError):
    """The first false statement of a proof, or the reason why it is no proof about these data.

    See Also
    --------
    maxmargin.verify : Check a proof, and raise this error if it does not hold.

    Examples
    --------
    >>> str(CertificateError("row 1: z.v > 0 is false"))
    'row 1: z.v > 0 is false'
    """


class NotAProofError(CertificateError):
    """The text is not JSON, or makes no claim."""


def need(is_true: object, otherwise: str) -> None:
    """Raise an error unless a statement is true."""
    if not is_true:
        raise CertificateError(otherwise)


# Reading the proof


def parse(content: bytes) -> dict[str, Any]:
    """Return the proof that a file holds."""
    try:
        text = content.decode("utf-8-sig")
        check_nesting(text)
        proof = json.loads(text, object_pairs_hook=json_object, parse_int=json_integer, parse_float=json_float)
    except CertificateError:
        raise
    except ValueError as error:
        raise NotAProofError(f"not a proof: no JSON in UTF-8: {error}") from None
    if not isinstance(proof, dict) or "claim" not in proof:
        raise NotAProofError("not a proof: JSON without a claim")
    validate(proof)
    return proof


def check_nesting(text: str) -> None:
    """Refuse JSON with too many levels before it is parsed."""
    # A string that does not end is removed too. The sign *+ never goes back, so the time is proportional to the text.
    without_strings = re.sub(r'"(?:[^"\\]|\\.)*+"?', "", text, flags=re.DOTALL)
    brackets = re.findall(r"[\[\]{}]", without_strings)
    levels = [0, *accumulate(1 if bracket in "[{" else -1 for bracket in brackets)]
    if levels[-1] != 0:
        raise NotAProofError("not a proof: no JSON in UTF-8: a bracket has no partner")
    need(max(levels) <= MOST_LEVELS, f"it is nested more than {MOST_LEVELS} levels deep")


def json_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object, in which no key may occur twice."""
    found = dict(pairs)
    need(len(found) == len(pairs), "a key occurs twice in one object")
    return found


def json_integer(text: str) -> int | float:
    """Return an integer; one that is too long becomes infinite, which no field may be."""
    return int(text) if len(text) <= MOST_DIGITS else math.inf


def json_float(text: str) -> int | float:
    """Return a number; one that is whole becomes an integer, as JSON does not tell 1.0 from 1."""
    number = float(text)
    return int(number) if number.is_integer() else number


def has_type(value: Any, kind: Any) -> bool:
    """Return whether a value of JSON has exactly this type: a bool is not an int, and a number is finite."""
    if isinstance(kind, UnionType):
        return any(has_type(value, one) for one in kind.__args__)
    if isinstance(kind, GenericAlias):
        entries = value.values() if type(value) is dict else value
        return type(value) is kind.__origin__ and all(has_type(entry, kind.__args__[-1]) for entry in entries)
    return type(value) is kind and (kind not in (int, float) or abs(value) <= sys.float_info.max)


def validate(proof: Any) -> None:
    """Raise an error unless the proof has the fields of its claim, no others, and says which data it is about."""
    need(isinstance(proof, dict) and proof.get("format") == "maxmargin-proof", "not a proof of format maxmargin-proof")
    need(has_type(proof.get("version"), int) and proof["version"] == 1, "the version is unknown")
    claim, question, data = proof.get("claim"), proof.get("question"), proof.get("data")
    need(isinstance(claim, str) and claim in FIELDS, "the claim is unknown")
    has_margin = "margin" in claim
    need(question == "two-class" or (question in ("multinomial", *RESPONSES) and not has_margin), "no such question")
    names = FIELDS[claim].split()
    fields = ["format", "version", "claim", "question", "data", *names]
    need(set(proof) == set(fields), f"{claim}: expected the fields {', '.join(fields)}")
    for name in names:
        kind = ROWS.get(question, list[int]) if name == "rows" else NUMBERS[name]
        need(has_type(proof[name], kind), f"{name} has a wrong type")
    need(isinstance(data, dict) and set(DATA) <= set(data) <= {*DATA, *SOURCE}, "data: missing or superfluous field")
    kinds = {**DATA, **{name: kind | None for name, kind in SOURCE.items()}}
    for name, value in data.items():
        need(has_type(value, kinds[name]), f"data: {name} has a wrong type")
    need(0 < data["n_samples"] < 2**63 and 0 <= data["n_features"] < 2**63, "data: no such number of rows or columns")
    need(data["reading"] in ("binary64", "decimal"), "data: the reading is unknown")
    has_sign = question in ("two-class", "conditional")
    need(has_sign or data.get("positive") is None, f"data: a question of {question} has no positive class")
    has_bias = question not in ("ordinal", *DIFFERENCES)
    need(has_bias or not data["bias"], f"data: a question of {question} has no bias")
    need((question == "cox") == (data.get("ties") in TIES), "data: ties are for cox")
    need(question != "ordinal" or data.get("classes") is not None, "data: the classes are not stated in their order")


def integers(texts: Any, length: int, what: str) -> Vector:
    """Return the integers that a list of texts writes; the list must have this length."""
    need(type(texts) is list and len(texts) == length, f"{what}: not a list of length {length}")
    need(all(isinstance(t, str) and INTEGER.fullmatch(t) for t in texts), f"{what}: not all are integers as texts")
    return [int(text, 0) for text in texts]


def quotient(text: str) -> Vector:
    """Return p > 0 and q > 0 of a text "p/q", or "p" for "p/1"."""
    parts = integers(text.split("/") if "/" in text else [text, "1"], 2, "squared margin")
    need(min(parts) > 0, "squared margin: not positive")
    return parts


def exact(text: str) -> Fraction | None:
    """Return the decimal number that a text writes, or None if it writes none or one that is too long."""
    parts = NUMBER.fullmatch(text)
    if not parts or max(map(len, parts.groups(""))) > MOST_EXACT or abs(int(parts[2] or 0)) > MOST_EXACT:
        return None
    return Fraction(text)


# Which class is which


def indices(names: Sequence[Any], classes: Sequence[Any], field: str) -> list[int]:
    """Return the index of each class that a field names, by its text or by its number."""
    index_of: dict[Any, int] = {}
    for index, label in enumerate(classes):
        index_of[str(label)] = index
        index_of[str(label).lower() if isinstance(label, bool) else label] = index
    known = ", ".join(ascii(label)[:40] for label in classes[:5])
    found = []
    for text in map(str, names):
        key = text if text in index_of else exact(text)
        need(key in index_of, f"data: {field}: {text[:40]!a} is not a class of these data, such as {known}")
        found.append(index_of[key])
    return found


def numbering(proof: dict[str, Any], classes: Sequence[Any]) -> list[int]:
    """Return the sign of every class, or its code if the question is multinomial; the classes come in sorted order."""
    data, K = proof["data"], len(classes)
    listed = [*range(K)] if data.get("classes") is None else indices(data["classes"], classes, "classes")
    need(sorted(listed) == [*range(K)], f"data: classes has {len(listed)} names, and the data have {K} classes")
    if proof["question"] in ("multinomial", "ordinal"):
        return sorted(range(K), key=listed.__getitem__)  # the inverse permutation
    positive = data.get("positive")
    need(positive is not None or K == 2, f"data: no positive class is named, and the data have {K} classes")
    (plus,) = [K - 1] if positive is None else indices([positive], classes, "positive")
    return [1 if index == plus else -1 for index in range(K)]


def statement(proof: dict[str, Any], classes: Sequence[Any]) -> str:
    """Return a line that says what the proof claims, and of which classes."""
    data, question, K = proof["data"], proof["question"], len(classes)
    numbers = numbering(proof, classes) if classes else []
    names = {number: repr(str(label)[:40]) for number, label in zip(numbers, classes, strict=True)}
    if not classes:
        about = f"{question}{' with ties by ' + data['ties'] if question == 'cox' else ''}; directions"
    elif question in ("two-class", "conditional"):
        why = "" if data.get("positive") is not None else ", the greater: the proof names none"
        rest = names[-1] if K == 2 else f"the {K - 1} others"
        about = f"{question}: {names[1]} (+1{why}) against {rest}; hyperplanes"
    else:
        shown = ", ".join(names[code] for code in range(min(K, 10)))
        about = f"{question}: {K} classes {shown}{', ...' if K > 10 else ''}; scores"
    squares = [proof[name] for name in ("margin_squared", "upper_squared") if name in proof]
    margin = f", squared margin {' to '.join(squares)}" if 0 < sum(map(len, squares)) <= 100 else ""
    bias = "with a bias" if data["bias"] else "through the origin"
    shape = f"{data['n_samples']} rows x {data['n_features']} column{'s' * (data['n_features'] != 1)}"
    return f"{proof['claim']}{margin} ({about} {bias}; {shape}; {data['reading']})"


# Checking the claim


def check(proof: Any, rows: Any, labels: Any) -> None:
    """Raise an error unless the proof holds.

    The rows are floats, or Fractions in the decimal reading. The labels are -1 and +1, codes if multinomial, and lists
    of floats, one for each of RESPONSES, if the question is about a likelihood.
    """
    validate(proof)
    data, K = proof["data"], check_data(proof, rows, labels)
    bias, m = data["bias"], (K - 1) * (data["n_features"] + data["bias"])
    if proof["question"] in RESPONSES:
        rows = Inequalities(proof, rows, labels)
        bias, K, m, labels = False, 2, rows.width, [1] * len(rows)
    codes = [max(label, 0) for label in labels]
    need(m or "direction" not in proof, "direction: the data leave none")
    v = integers(proof.get("direction", ["0"] * m), m, "direction")  # without a direction v = 0, and so is each z.v
    need(len(proof.get("null_space", [])) <= m, "null_space: more vectors than a vector has entries")
    N = [integers(u, m, "null_space") for u in proof.get("null_space", [])]
    pairs = weighted_pairs(proof, codes, K)
    a = integers(proof.get("weights", []), len(pairs), "weights")
    need(all(weight > 0 for weight in a), "weights: not positive")
    least = check_rows(proof, rows, bias, codes, v, N) if "direction" in proof or N else None
    needed = {i for i, _ in pairs}
    chosen = {i: row for i, row in enumerate(rows) if i in needed}
    values = data.get("values") or []  # copies of the rows: the label, then the numbers
    need(len(values) in (0, len(pairs)), "data: values are not one list for each of the rows")
    for (i, _), texts in zip(pairs, values, strict=False):
        need(numbers_of(texts, data["reading"] == "decimal") == [labels[i], *chosen[i]], f"row {i} is not in values")
    scaled_rows = {i: scaled(row, bias) for i, row in chosen.items()}
    S = [Inequality(*scaled_rows[i], codes[i], k) for i, k in pairs]
    if least and "margin_squared" in proof:
        check_lower_margin(proof, v, *least)
    if S and "margin_squared" in proof:
        check_upper_margin(proof, a, S)
    elif S:
        need(not any(map(any, weighted_sum(a, S)[0].values())), "the weights do not balance: sum a z = 0 is false")
    if "null_space" in proof:
        check_ranks(N, S, m)


def check_data(proof: dict[str, Any], rows: Any, labels: Any) -> int:
    """Check that these are the data of the proof; return the number of classes, 2 if it is about a likelihood."""
    data, question = proof["data"], proof["question"]
    need(len(rows) == len(labels) == data["n_samples"], f"{FOREIGN}: {len(rows)} rows, not {data['n_samples']}")
    if question in RESPONSES:
        check_responses(question, labels)
        K, kind, numbers = 2, "d", [value + 0.0 for response in labels for value in response]
    else:
        K, kind, numbers = len({*labels}), "b" if question == "two-class" else "i", [*map(int, labels)]
        codes = {-1, 1} if kind == "b" else {*range(max(K, 2))}
        need({*labels} == codes, "the labels do not fit the question")
    d, is_decimal = data["n_features"], data["reading"] == "decimal"
    ties = [data.get("ties")] * (question == "cox")
    marks = [len(rows), d, *["decimal"] * is_decimal, *[question] * (kind == "d"), *ties]
    digest = hashlib.sha256(f"{' '.join(map(str, marks))}\n".encode())
    for i, row in enumerate(rows):
        is_right = len(row) == d and {*map(type, row)} <= {Fraction if is_decimal else float}
        is_finite = is_right and (is_decimal or all(map(math.isfinite, row)))
        need(is_finite, f"{FOREIGN}: row {i} is not {d} finite numbers")
        if is_decimal:
            digest.update(f"{' '.join(map(str, row))}\n".encode())
        else:
            digest.update(struct.pack(f"<{d}d", *(x + 0.0 for x in row)))  # + 0.0 turns -0.0 into 0.0
    digest.update(struct.pack(f"<{len(numbers)}{kind}", *numbers))
    need(digest.hexdigest() == data["sha256"], f"{FOREIGN}: other values, other labels, or another order")
    return K


def weighted_pairs(proof: dict[str, Any], codes: Vector, K: int) -> list[tuple[int, int]]:
    """Return row i and class k of each inequality of S; of two classes, k is the one that is not the row's."""
    is_binary = proof["question"] != "multinomial"
    pairs = []
    for entry in proof.get("rows", []):
        need(is_binary or len(entry) == 2, "rows: one is not a pair of a row and a class")
        i = entry if is_binary else entry[0]
        need(0 <= i < len(codes), "rows: one is not a row of the data")
        k = 1 - codes[i] if is_binary else entry[1]
        need(0 <= k < K and k != codes[i], "rows: one is not compared with another class")
        pairs.append((i, k))
    need(pairs or "rows" not in proof, "rows: there is none")
    need(len({*pairs}) == len(pairs), "rows: one occurs twice")
    return pairs


def scaled(row: Any, bias: bool) -> tuple[Vector, int]:
    """Return c X in integers, and the integer c > 0."""
    ratios = [x.as_integer_ratio() for x in row]
    c = math.lcm(*{below for _, below in ratios})
    return [above * (c // below) for above, below in ratios] + [c] * bias, c


def products(X: Vector, code: int, v: Vector) -> dict[int, int]:
    """Return z.v for each class k with which a row of class ``code`` is compared."""
    n = len(X)
    scores = [0] + [sum(map(mul, X, v[start : start + n])) for start in range(0, len(v), n)]
    return {k: scores[code] - score for k, score in enumerate(scores) if k != code}


def packed(N: list[Vector], bits: int) -> Vector:
    """Return the sum of all 2^(bits l) N_l: its product is 0 only if each product is, where all are below 2^bits."""
    return [sum(entry << bits * number for number, entry in enumerate(column)) for column in zip(*N, strict=True)]


def check_rows(proof: Any, rows: Any, bias: bool, codes: Vector, v: Vector, N: list[Vector]) -> tuple[Any, int]:
    """Check the sign of each z.v, and N where z.v = 0; return the least z.v, and its row."""
    is_quasi = proof["claim"] == "quasi-separable"
    sign = ">=" if is_quasi or "direction" not in proof else ">"
    least: tuple[Any, int] = (math.inf, 0)
    greatest = 0
    largest = 2 * len(v) * max((abs(x) for u in N for x in u), default=0)
    packs: dict[int, Vector] = {}
    for i, row in enumerate(rows):
        X, c = scaled(row, bias)
        values = products(X, codes[i], v)
        lowest = min(values.values())
        need(lowest > 0 or (lowest == 0 and sign == ">="), f"row {i}: z.v {sign} 0 is false")
        greatest = max(greatest, *values.values())
        least = min(least, (Fraction(lowest, c), i))
        if N and lowest == 0:
            bits = 1 << (largest * max(map(abs, X))).bit_length().bit_length()  # rounded up: few packs are made
            packs[bits] = packs.get(bits) or packed(N, bits)
            others = products(X, codes[i], packs[bits])
            is_zero = not any(others[k] for k in values if values[k] == 0)
            need(is_zero, f"row {i}: z.u = 0 for all u of null_space is false")
    need(greatest > 0 or not is_quasi, "z.v > 0 for at least one z is false")
    return least


def weighted_sum(a: Vector, S: list[Inequality]) -> tuple[dict[int, Vector], int]:
    """Return the part of each class of the sum of all a z, times a common multiple of all c, and this multiple."""
    common = math.lcm(*(z.c for z in S))
    totals: dict[int, Vector] = {}
    for weight, z in zip(a, S, strict=True):
        factor = weight * (common // z.c)
        for part, signed in ((z.code, factor), (z.k, -factor)):
            total = totals.get(part, [0] * len(z.X))
            totals[part] = [t + signed * x for t, x in zip(total, z.X, strict=True)]
    return totals, common


def check_lower_margin(proof: Any, v: Vector, least: Fraction, i: int) -> None:
    """Check that the squared margin is at least q, given the least z.v and its row."""
    p, q = quotient(proof["margin_squared"])
    norm = sum(x * x for x in v[: proof["data"]["n_features"]])
    need(least**2 * q >= p * norm, f"row {i}: (z.v)^2 >= q ||w||^2 is false")


def check_upper_margin(proof: Any, a: Vector, S: list[Inequality]) -> None:
    """Check that the squared margin is at most Q, or at most q where the proof has no Q."""
    p, q = quotient(proof.get("upper_squared", proof["margin_squared"]))
    if proof["data"]["bias"]:
        sums = [sum(weight for weight, z in zip(a, S, strict=True) if z.code == code) for code in (0, 1)]
        need(min(sums) > 0, "weights: a class has none")
        a = [weight * sums[z.k] for weight, z in zip(a, S, strict=True)]
    totals, common = weighted_sum(a, S)
    distance = sum(x * x for x in totals[1])
    need(q * distance <= p * (common * sum(a)) ** 2, "||sum a z / sum a||^2 <= q is false")


def check_ranks(N: list[Vector], S: list[Inequality], m: int) -> None:
    """Check that N is a basis of all vectors that are 0 on S: it is independent, and rank S + |N| = m."""
    for prime in PRIMES:
        vectors = (vector_of(z, m) for z in S[: 2 * m])
        if rank(N, prime, len(N)) == len(N) and rank(vectors, prime, m - len(N)) == m - len(N):
            return
    raise CertificateError("null_space is not shown to be a basis: its rank or that of S is too small")


def vector_of(z: Inequality, m: int) -> Vector:
    """Return c z as a vector of length m."""
    parts = {z.code: z.X, z.k: [-x for x in z.X]}
    zero = [0] * len(z.X)
    return [x for part in range(1, m // len(z.X) + 1) for x in parts.get(part, zero)]


def rank(matrix: Iterable[Vector], prime: int, enough: int) -> int:
    """Return the rank modulo a prime, but no more than is enough."""
    pivots: dict[int, Vector] = {}  # by the index of their last entry, which is 1 and left out
    for vector in matrix:
        if len(pivots) == enough:
            break
        row = [x % prime for x in vector]
        while row:
            last = row.pop()
            if last and len(row) in pivots:
                row = [(x - last * y) % prime for x, y in zip(row, pivots[len(row)], strict=True)]
            elif last:
                inverse = pow(last, -1, prime)
                pivots[len(row)] = [x * inverse % prime for x in row]
                break
    return len(pivots)


# The inequalities of a likelihood


def check_responses(question: str, responses: Any) -> None:
    """Check that the responses are numbers of the kinds that the question takes."""
    names = RESPONSES[question]
    for i, response in enumerate(responses):
        is_right = isinstance(response, (list, tuple)) and [*map(type, response)] == [float] * len(names)
        finite = [x for x, name in zip(response if is_right else (), names, strict=False) if name != "entry"]
        is_right = is_right and all(map(math.isfinite, finite))
        y, *more = response if is_right else (math.nan,)
        if question == "binomial":
            is_right = is_right and 0 <= y <= more[0]
        elif question == "cox":
            is_right = is_right and more[0] in (0, 1) and more[1] < y
        else:
            is_right = is_right and (abs(y) == 1 if question == "conditional" else y >= 0)
        need(is_right, f"row {i}: the response is none of a {question} question")
    codes = {response[0] for response in responses}
    need(question != "ordinal" or codes == {*range(max(len(codes), 2))}, "the labels do not fit the question")


def comparisons(question: str, responses: Any, ties: str | None = None) -> Iterator[tuple[int, int, int]]:
    """Yield (i, s, k) for each inequality: z = x_i - x_k, z = s (x_i, 1), or of ordered classes z = s (x_i, -e_k)."""
    if question in DIFFERENCES:
        strata: dict[float, list[int]] = {}
        for i, response in enumerate(responses):
            strata.setdefault(response[-1], []).append(i)
        for rows in strata.values():
            controls = [k for k in rows if responses[k][0] < 0]
            cases = (i for i in rows if responses[i][0] > 0)
            for i, k in chain(rows, responses, ties) if question == "cox" else product(cases, controls):
                yield i, 1, k
        return
    is_ordinal = question == "ordinal"
    greatest = max(response[0] for response in responses) if is_ordinal else math.inf
    for i, (y, *trials) in enumerate(responses):
        if y > 0:
            yield i, 1, int(y) - 1 if is_ordinal else 0
        if y < (trials[0] if trials else greatest):
            yield i, -1, int(y) if is_ordinal else 0


def chain(rows: list[int], responses: Any, ties: str | None) -> Iterator[tuple[int, int]]:
    """Yield the rows i and k of the differences of a stratum, by time from the last.

    Without late entry the rows that are at risk at the next event are at risk at this one too, so that an event of the
    next time stands for all of them: the differences from it are there already. Of events at one time that are at risk
    for each other, whose differences are 0 then, the first stands for all.
    """
    if any(responses[k][2] > -math.inf for k in rows):
        for i in rows:
            time, is_event, *_ = responses[i]
            for k in rows if is_event else []:
                is_tied = time == responses[k][0] and responses[k][1]
                if k != i and responses[k][2] < time <= responses[k][0] and not (is_tied and ties == TIES[2]):
                    yield i, k
        return
    between: list[int] = []  # without an event, from this time on to the next event
    heirs: list[int] = []  # the events of the next time
    for _, group in groupby(sorted(rows, key=lambda i: responses[i][0], reverse=True), key=lambda i: responses[i][0]):
        now = [*group]
        events = [i for i in now if responses[i][1]]
        between += [i for i in now if not responses[i][1]]
        if events and ties == TIES[2]:
            yield from product(events, [*between, *heirs])
        elif events:
            yield from product(events[:1], [*events[1:], *between, *heirs[:1]])
            yield from product(events[1:], events[:1])
        between, heirs = ([], events) if events else (between, heirs)


class Inequalities:
    """The vectors z of a likelihood, each of which is formed from the rows when it is read."""

    def __init__(self, proof: dict[str, Any], rows: Any, responses: Any) -> None:
        question, data = proof["question"], proof["data"]
        self.rows = rows
        self.is_difference = question in DIFFERENCES
        self.n_thresholds = int(max(response[0] for response in responses)) if question == "ordinal" else 0
        self.bias = [1] * data["bias"]
        self.width = data["n_features"] + data["bias"] + self.n_thresholds
        self.found = [*comparisons(question, responses, data.get("ties"))]

    def __len__(self) -> int:
        return len(self.found)

    def __iter__(self) -> Iterator[list[Any]]:
        for i, sign, k in self.found:
            if self.is_difference:
                yield [Fraction(x) - Fraction(y) for x, y in zip(self.rows[i], self.rows[k], strict=True)]
            else:
                thresholds = [-int(t == k) for t in range(self.n_thresholds)]
                yield [sign * x for x in (*self.rows[i], *self.bias, *thresholds)]


# Reading the data


def read_table(path: str, proof: dict[str, Any]) -> tuple[list[Any], list[Any], list[Any]]:
    """Read a table of numbers as the proof says; return its rows, its classes in order, and the labels as checked."""
    data = proof["data"]
    for name in ("one_hot_columns", "sep", "decimal_comma", "missing", "format", "formula"):
        if data.get(name) not in (None, False, []):
            raise OSError(f"{path}: {name} of the proof is not known here: use maxmargin verify")
    table = table_of(path)
    is_data = any(NUMBER.fullmatch(field) or OTHER_NUMBER.fullmatch(field) for field in table[0])
    has_names = data.get("header")
    if has_names is None:
        has_names = len(table) == data["n_samples"] + 1 and not is_data
    names = table.pop(0) if has_names else []
    need(table, f"{FOREIGN}: they have no rows")
    width = len(table[0])
    own = {name: column_index(data[name], names, width) for name in OF_ROWS if data.get(name) is not None}
    if "weights" in own:
        weights = numbers_of([line[own["weights"]] for line in table], is_decimal=False)
        need(weights and min(weights) >= 0, f"{FOREIGN}: the weights are not all numbers of at least 0")
        table = [line for line, weight in zip(table, weights or [], strict=True) if weight]
        need(table, f"{FOREIGN}: no row has a weight")
    columns = dict(enumerate(zip(*table, strict=True)))
    index = column_index(-1 if data.get("label") is None else data["label"], names, width)
    left_out = [column for column in [*(data.get("drop") or []), data.get("id")] if column is not None]
    ignored = {*own.values(), *(column_index(column, names, width) for column in left_out)}
    ignored |= {0} if names[:1] == [ROW_NAMES] else set()
    need(index not in ignored, f"{FOREIGN}: the label column is left out")
    own["label"] = index
    features = [numbers_of(columns[j], data["reading"] == "decimal") for j in columns if j not in {*ignored, index}]
    if None in features or any(text.lower() in MISSING for j in own.values() for text in columns[j]):
        if data.get("one_hot") or data.get("drop_missing"):
            raise OSError(f"{path}: only tables of numbers can be read here: use maxmargin verify")
        raise CertificateError(f"{FOREIGN}: they are not all numbers")
    rows = list(zip(*features, strict=True)) if features else [()] * len(table)
    texts = {name: columns[j] for name, j in own.items()}
    question = proof["question"]
    if question in ("binomial", "poisson", "cox"):
        return rows, [], [*zip(*(response_of(name, texts, len(rows)) for name in RESPONSES[question]), strict=True)]
    label_of = labels_of({*texts["label"]})
    need(math.inf not in label_of.values(), f"{FOREIGN}: a label is infinite")
    classes = sorted({*label_of.values()})
    number = dict(zip(classes, numbering(proof, classes), strict=True))
    labels = [number[label_of[text]] for text in texts["label"]]
    if question in RESPONSES:
        others = [response_of(name, texts, len(rows)) for name in RESPONSES[question][1:]]
        labels = [*zip(map(float, labels), *others, strict=True)]
    return rows, classes, labels


def response_of(name: str, texts: dict[str, Any], n: int) -> list[float]:
    """Return a part of the responses as numbers; of an absent column those that make no difference."""
    if name not in texts:
        return [{"status": 1.0, "entry": -math.inf}.get(name, 0.0)] * n
    if name == "strata":
        label_of = labels_of({*texts[name]})
        number: dict[Any, float] = {}
        return [number.setdefault(label_of[text], float(len(number))) for text in texts[name]]
    found = numbers_of(texts[name], is_decimal=False)
    if found is None:
        raise CertificateError(f"{FOREIGN}: {name} is not all numbers")
    return found


def table_of(path: str) -> list[list[str]]:
    """Return the fields of a .csv or .tsv file, also .gz."""
    name, content = path.lower(), Path(path).read_bytes()
    try:
        if name.endswith(".gz"):
            content = gzip.decompress(content)
        text = content.decode("utf-8-sig")
        unquoted = re.sub('"[^"]*"', "", text.lstrip().partition("\n")[0])
        is_tsv = name.endswith((".tsv", ".tsv.gz"))
        separator = "\t" if is_tsv else next((mark for mark in ",;\t" if mark in unquoted), ",")
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True, strict=True)
        table = [[field.strip() for field in line] for line in lines]
    except (UnicodeDecodeError, EOFError, zlib.error, csv.Error) as error:
        raise OSError(f"{path}: not a table as CSV in UTF-8, the only data that are read here: {error}") from None
    table = [line for line in table if line not in ([], [""])]
    widths = {len(line) for line in table[1:]} or {len(line) for line in table}
    if table and len(table[0]) >= 2 and len(table[0]) + 1 in widths and any(line[-1] for line in table[1:]):
        table[0].insert(0, ROW_NAMES)  # as R writes them: the header has a field less
    widths |= {len(line) for line in table[:1]}
    if "\0" in text or len(widths) != 1 or widths == {1}:
        raise OSError(f"{path}: not a table of two columns or more as CSV, the only data that are read here")
    return table


def column_index(column: str | int, names: list[str], width: int) -> int:
    """Return the index of a column, given by its name or by a number from 0, or from the end if negative."""
    if isinstance(column, str) and names.count(column) == 1:
        return names.index(column)
    need(column not in names, f"{FOREIGN}: several columns {column!a}")
    try:
        index = int(column)
    except ValueError:
        index = width
    need(-width <= index < width, f"{FOREIGN}: no column {column!a}")
    return index % width


def numbers_of(texts: Sequence[str], is_decimal: bool) -> list[Any] | None:
    """Return the numbers of a column, 1 and 0 if it holds true and false only; None if it holds anything else."""
    words = {"true": "1", "false": "0"}
    if all(text.lower() in words for text in texts):
        texts = [words[text.lower()] for text in texts]
    numbers = [exact(text) if is_decimal else NUMBER.fullmatch(text) and float(text) for text in texts]
    return None if None in numbers else numbers


def labels_of(texts: set[str]) -> dict[str, Any]:
    """Return the label of each text: an integer if all are whole, else a float if floats differ too, else the text."""
    number_of = {text: label_number(text) for text in texts}
    numbers = {*number_of.values()}
    if None in numbers or len({*map(float, numbers)}) < len(numbers):
        return {text: text for text in texts}
    kind = int if all(number % 1 == 0 for number in numbers) else float
    return {text: kind(number) for text, number in number_of.items()}


def label_number(text: str) -> Any:
    """Return the number that a label writes; None if it writes none, or one so large or long that texts count."""
    if not NUMBER.fullmatch(text) and not INFINITY.fullmatch(text):
        return None
    size = abs(float(text))
    return exact(text) if size < 2**53 else size if size == math.inf else None


def main(arguments: list[str]) -> int:
    """Check a proof file and return the exit code."""
    try:
        if len(arguments) != 2:
            raise OSError("usage: python checker.py PROOF.json DATA.csv")
        if odd := [path for path in arguments if not Path(path).is_file()]:
            raise OSError(f"{odd[0]}: expected a regular file")
        proof = parse(Path(arguments[0]).read_bytes())
        rows, classes, labels = read_table(arguments[1], proof)
        check(proof, rows, labels)
        exit_code, answer = 0, f"valid: {statement(proof, classes)}"
    except (OSError, NotAProofError) as error:
        exit_code, answer = 2, str(error)
    except CertificateError as error:
        exit_code, answer = 3, f"invalid: {error}"
    stream = sys.stderr if exit_code == 2 else sys.stdout
    encoding = stream.encoding or "ascii"
    print(answer.encode(encoding, "backslashreplace").decode(encoding), file=stream)
    return exit_code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
