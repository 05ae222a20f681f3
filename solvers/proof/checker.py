"""Check a proof about linear separability: ``python checker.py PROOF.json DATA.csv``.

Exit 0: it holds. 3: it does not, its form is wrong, or the data are others. 2: it is not JSON or makes no claim, or the
data cannot be read here: tables of numbers can, .csv or .tsv, also .gz.

Row i is x_i, of class c_i = 0 .. K-1; a question of two classes is K = 2 with the sign -1 as class 0 and +1 as class 1.
Let X_i = (x_i, 1) with a bias, x_i through the origin. A vector v holds v_1 .. v_(K-1), and v_0 = 0. The inequality
    z.v = X_i.v_(c_i) - X_i.v_k > 0    of a row i and a class k other than c_i
is y_i (w.x_i + b) > 0 for two classes and v = (w, b). The data must have the proof's sha256, and for the claim
    separable               z.v > 0 for all z, where v = direction;
    not-strictly-separable  weights a > 0 on rows S, at least one: sum a z = 0. So z.v > 0 fails for some z of S;
    overlap                 the same, N = null_space is independent, rank S + |N| = length of v, z.v = 0 for all z and
                            all v of N. So N spans {v : z.v = 0 on S}, and z.v >= 0 for all z forces z.v = 0 on S, v in
                            span N, z.v = 0 for all z. (A rank modulo a prime never exceeds the rank: one is enough.)
    quasi-separable         z.v >= 0 for all z, > 0 for one, and the overlap proof for those with z.v = 0, S among them;
    margin-at-least q       z.v > 0 and (z.v)^2 >= q ||w||^2 for all z: the maximum margin squared is at least q;
    margin-at-most q        ||sum a z / sum a||^2 <= q. With a bias the a are first scaled to equal sums of the classes;
                            this is then the squared half distance of their weighted means. margin-exactly q: both;
    margin-between q and Q  margin-at-least q and margin-at-most Q, where q = margin_squared and Q = upper_squared.

The class that ``positive`` names is +1. Where it is absent or null there must be two, and the greater one is +1. The
classes of a multinomial question are numbered as ``classes`` lists them, else in sorted order. A name is the text of a
class, or writes its number (1, "1" and "1.0" name the class 1; true and "true" name the class True, not 1).

Bounds. Let m be the length of v. An integer has at most 4,300 decimal or 1,000,000 hexadecimal digits, N at most m
vectors, and the rank of S is that of its first 2m entries. Memory is proportional to the sizes of the proof and of the
data. So is time, but for one exact product of each row with v and with N (rows x columns x digits, where the digits are
those of all vectors together) and the two ranks (at most 3 m^3 operations on numbers of at most 521 bits).
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
from collections.abc import Iterable, Sequence
from fractions import Fraction
from operator import mul
from pathlib import Path
from typing import Any, NamedTuple

FIELDS = {
    "separable": "direction", "not-strictly-separable": "rows weights", "overlap": "rows weights null_space",
    "quasi-separable": "direction rows weights null_space", "margin-at-least": "direction margin_squared",
    "margin-at-most": "rows weights margin_squared", "margin-exactly": "direction rows weights margin_squared",
    "margin-between": "direction rows weights margin_squared upper_squared",
}  # fmt: skip
DATA = {"sha256": str, "n_samples": int, "n_features": int, "bias": bool, "reading": str}
SOURCE: dict[str, tuple[type, ...]] = {  # how the data were read; null counts as absent
    "source": (str,), "label": (str, int), "positive": (str, int, float, bool), "drop": (list,), "id": (str, int),
    "one_hot": (bool,), "one_hot_columns": (list,), "drop_missing": (bool,), "sep": (str,), "decimal_comma": (bool,),
    "format": (str,), "classes": (list,), "values": (list,),
}  # fmt: skip
ENTRIES: dict[str, tuple[type, ...]] = {
    "drop": (str, int), "one_hot_columns": (str, int), "classes": (str,), "values": (list,),
}  # fmt: skip
ELSEWHERE = ("one_hot_columns", "sep", "decimal_comma", "format")
"""Ways to read a file that this one does not know."""
DEEPEST = 8
"""Levels of a proof in JSON; no field needs as many."""
INTEGER = re.compile("0|-?[1-9][0-9]{0,4299}|-?0x[0-9a-f]{1,1000000}")  # Python converts no more decimal digits
NUMBER = re.compile(r"([-+]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+))(?:e([-+]?[0-9]+))?", re.IGNORECASE)
OTHERWISE = re.compile(  # thousands, decimal commas, underscores, other bases, Fortran: numbers, but none that is read
    r"[-+]?([0-9]+,[0-9]*|,[0-9]+)(e[-+]?[0-9]+)?|[-+]?[0-9]+(_[0-9]+)+(\.[0-9]*)?|[-+]?[0-9]*\.[0-9]*d[-+]?[0-9]+"
    r"|[-+]?[0-9]{1,3}(?:([,.'\u2019 \xa0\u2009\u202f])[0-9]{2,3}(?=\5))*"
    r"[,.'\u2019 \xa0\u2009\u202f][0-9]{3}([,.][0-9]*)?"
    r"|[-+]?0x[0-9a-f]+(\.[0-9a-f]*)?(p[-+]?[0-9]+)?|[-+]?0b[01]+|[-+]?0o[0-7]+",
    re.IGNORECASE,
)
INFINITY = re.compile("[-+]?inf(inity)?", re.IGNORECASE)
MOST_DIGITS = 2000
"""Digits of an exact number in the data, and the size of its exponent."""
MISSING = {"", "?", "na", "n/a", "#n/a", "nan", "+nan", "-nan", "null"}
PRIMES = (2**61 - 1, 2**255 - 19, 2**521 - 1)
Vector = list[int]
Scaled = tuple[Vector, int]
"""c X of a row in integers, and c > 0."""
Weights = dict[tuple[int, int], int]
"""By row and class; of two classes it is the one that is not the row's own."""


class Numbers(NamedTuple):
    """The exact numbers of a proof, 0 or 1 where its claim has none; ends of the squared margin as p, q for p / q."""

    v: Vector
    N: list[Vector]
    a: Weights
    lower: Vector
    upper: Vector


class CertificateError(ValueError):
    """The first statement of a proof that is false, or why it is no proof about these data."""


class NotAProofError(CertificateError):
    """The text is not JSON, or makes no claim."""


def need(is_true: object, otherwise: str) -> None:
    """Raise unless it is true."""
    if not is_true:
        raise CertificateError(otherwise)


# The form of a proof


def parse(content: bytes) -> dict[str, Any]:
    """Return the proof that a file holds."""
    faults = []

    def fields(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        known: dict[str, Any] = {}
        for name, value in pairs:
            if name in known:
                faults.append(f"the key {name[:40]!a} occurs twice in one object")
            known[name] = value
        return known

    def integer(text: str) -> int:
        if len(text) <= 4300:
            return int(text)
        faults.append("a number has more than 4,300 digits")
        return 0

    def constant(name: str) -> None:
        faults.append(f"{name} is not a number of JSON")

    try:
        text = content.decode("utf-8-sig")
        shallow = _without_depths(text)
        proof = json.loads(shallow, object_pairs_hook=fields, parse_int=integer, parse_constant=constant)
    except ValueError as error:
        raise NotAProofError(f"not a proof: no JSON in UTF-8: {error}") from None
    if not isinstance(proof, dict) or "claim" not in proof:
        raise NotAProofError("not a proof: JSON without a claim")
    need(shallow == text, f"it is nested more than {DEEPEST} levels deep")
    need(not faults, "; ".join(faults[:1]))
    validate(proof)
    return proof


def _without_depths(text: str) -> str:
    """Return JSON without what is nested too deeply, which could exhaust the stack of its reader."""
    kept, depth, start = [], 0, 0
    for token in re.finditer(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"?|[\[{]+|[\]}]+', text, re.DOTALL):
        n = token.end() - token.start()
        if text[token.start()] in "[{":
            if depth <= DEEPEST < depth + n:
                kept.append(text[start : token.start() + DEEPEST + 1 - depth])
            depth += n
        elif text[token.start()] in "]}":
            if depth - n <= DEEPEST < depth:
                start = token.start() + depth - DEEPEST - 1
            depth -= n
    return "".join(kept) + (text[start:] if depth <= DEEPEST else "")


def validate(proof: Any) -> None:
    """Raise unless the proof has the fields of its claim, no others, and says which data it is about."""
    need(isinstance(proof, dict) and isinstance(proof.get("format"), str), "not a proof of format maxmargin-proof")
    need(proof["format"] == "maxmargin-proof", "not a proof of format maxmargin-proof")
    need(type(proof.get("version")) is int and proof["version"] == 1, "the version is unknown")
    claim, question, data = proof.get("claim"), proof.get("question"), proof.get("data")
    need(isinstance(claim, str) and claim in FIELDS, "the claim is unknown")
    need(isinstance(question, str), "no such question or claim")
    need(question == "two-class" or (question == "multinomial" and "margin" not in claim), "no such question or claim")
    fields = ["format", "version", "claim", "question", "data", *FIELDS[claim].split()]
    need(set(proof) == set(fields), f"{claim}: expected the fields {', '.join(fields)}")
    need(all(type(proof[x]) is (str if "squared" in x else list) for x in fields[5:]), "a field has a wrong type")
    need(isinstance(data, dict) and set(DATA) <= set(data) <= {*DATA, *SOURCE}, "data: missing or superfluous field")
    is_typed = all(type(data[name]) is kind for name, kind in DATA.items())
    need(is_typed and data["reading"] in ("binary64", "decimal"), "data: a field has a wrong type or is unknown")
    is_sized = 0 < data["n_samples"] < 2**63 and 0 < data["n_features"] < 2**63
    need(is_sized, "data: so many rows or columns there cannot be")
    for name, kinds in SOURCE.items():
        value = data.get(name)
        need(value is None or type(value) in kinds, f"data: {name} has a wrong type")
        need(type(value) is not list or {*map(type, value)} <= {*ENTRIES[name]}, f"data: {name} has a wrong type")
    positive = data.get("positive")
    need(type(positive) is not float or math.isfinite(positive), "data: positive is not finite")
    need(type(positive) is not int or positive.bit_length() < 14000, "data: positive has too many digits")
    need(positive is None or question == "two-class", "data: a multinomial question has no positive class")


def integers(texts: Any, length: int, what: str) -> Vector:
    """Return the integers that texts write; there must be so many."""
    need(type(texts) is list and len(texts) == length, f"{what}: not a list of length {length}")
    need(all(isinstance(t, str) and INTEGER.fullmatch(t) for t in texts), f"{what}: not all are integers as texts")
    return [int(text, 0) for text in texts]


def quotient(text: str, what: str) -> Vector:
    """Return p and q of a text "p/q"; q is 1 if it is left out."""
    return integers((text if "/" in text else f"{text}/1").split("/"), 2, what)


def exact(text: str) -> Fraction | None:
    """Return the decimal number that a text writes; None where it writes none, or one that is too long."""
    parts = NUMBER.fullmatch(text)
    if not parts or max(map(len, parts.groups(""))) > MOST_DIGITS or abs(int(parts[2] or 0)) > MOST_DIGITS:
        return None
    return Fraction(text)


# Which class is which


def numbering(proof: dict[str, Any], classes: Sequence[Any]) -> list[int]:
    """Return the sign of every class, multinomial its code, as the proof says; the classes come in sorted order."""
    data, K = proof["data"], len(classes)
    places: dict[Any, int] = {}
    for k, label in enumerate(classes):
        places[str(label).lower() if type(label) is bool else str(label)] = places[str(label)] = k
        if type(label) in (int, float):
            places[label] = k

    def place(name: Any, field: str) -> int:
        text = str(name)
        key = text if text in places else exact(text)
        known = ", ".join(ascii(label)[:40] for label in classes[:5])
        need(key in places, f"data: {field}: {text[:40]!a} is not a class of these data, such as {known}")
        return places[key]

    listed = [place(name, "classes") for name in (classes if data.get("classes") is None else data["classes"])]
    need(sorted(listed) == [*range(K)], f"data: classes has {len(listed)} names, and the data have {K} classes")
    if proof["question"] == "multinomial":
        return [code for _, code in sorted(zip(listed, range(K), strict=True))]
    positive = data.get("positive")
    need(positive is not None or K == 2, f"data: no positive class is named, and the data have {K} classes")
    plus = K - 1 if positive is None else place(positive, "positive")
    return [1 if k == plus else -1 for k in range(K)]


def statement(proof: dict[str, Any], classes: Sequence[Any]) -> str:
    """Return in a line what the proof claims, and of which classes."""
    data, squares = proof["data"], [proof[name] for name in ("margin_squared", "upper_squared") if name in proof]
    names = [repr(str(label)[:40]) for label in classes]
    in_order = [name for _, name in sorted(zip(numbering(proof, classes), names, strict=True))]
    if proof["question"] == "two-class":
        why = "" if data.get("positive") is not None else ", the greater: the proof names none"
        rest = in_order[0] if len(names) == 2 else f"the {len(names) - 1} others"
        about, space = f"two-class: {in_order[-1]} (+1{why}) against {rest}", "hyperplanes"
    else:
        shown = ", ".join(in_order[:10] + ["..."] * (len(names) > 10))
        about, space = f"multinomial: {len(names)} classes {shown}", "scores"
    of = f", squared margin {' to '.join(squares)}" if 0 < sum(map(len, squares)) <= 100 else ""
    bias = "with a bias" if data["bias"] else "through the origin"
    shape = f"{data['n_samples']} rows x {data['n_features']} column{'s' * (data['n_features'] > 1)}"
    return f"{proof['claim']}{of} ({about}; {space} {bias}; {shape}; {data['reading']})"


# Whether it holds


def sha256(rows: Any, labels: Any, data: dict[str, Any], is_binary: bool) -> str:
    """Return the hash of the data, which must be rows of as many finite numbers of the right type."""
    d, kind = data["n_features"], float if data["reading"] == "binary64" else Fraction
    digest = hashlib.sha256(f"{len(rows)} {d}{'' if kind is float else ' decimal'}\n".encode())
    for i, row in enumerate(rows):
        is_fit = len(row) == d and {*map(type, row)} == {kind} and (kind is Fraction or all(map(math.isfinite, row)))
        need(is_fit, f"row {i} of the data is not {d} finite numbers")
        floats = struct.pack(f"<{d}d", *(x + 0.0 for x in row)) if kind is float else b""  # 0.0 for -0.0
        digest.update(floats or f"{' '.join(map(str, row))}\n".encode())
    digest.update(struct.pack(f"<{len(labels)}{'b' if is_binary else 'i'}", *map(int, labels)))
    return digest.hexdigest()


def scaled(row: Any, bias: bool) -> Scaled:
    """Return c X of a row in integers, and c > 0."""
    ratios = [x.as_integer_ratio() for x in row]
    c = math.lcm(*{below for _, below in ratios})
    return [above * (c // below) for above, below in ratios] + [c] * bias, c


def products(X: Vector, v: Vector) -> Vector:
    """Return X.v_0 = 0, X.v_1, .. of the parts v_k of a vector."""
    return [0, *(sum(map(mul, X, v[start : start + len(X)])) for start in range(0, len(v), len(X)))]


def packed(N: list[Vector], bits: int) -> Vector:
    """Return sum 2^(bits l) N_l: its product is 0 only if the products of all N_l are, where they have fewer bits."""
    return [sum(entry << bits * place for place, entry in enumerate(column)) for column in zip(*N, strict=True)]


def rank(matrix: Iterable[Vector], p: int, enough: int) -> int:
    """Return the rank modulo a prime, but stop where it is enough."""
    pivots: list[tuple[int, int, Vector]] = []
    for row in ([x % p for x in row] for row in matrix):
        for place, inverse, pivot in pivots:
            if factor := row[place] * inverse % p:
                row[: place + 1] = [(a - factor * b) % p for a, b in zip(row, pivot, strict=False)]
        if any(row):
            place = max(j for j, a in enumerate(row) if a)  # the last: a reduced basis needs no elimination then
            pivots.append((place, pow(row[place], -1, p), row[: place + 1]))
        if len(pivots) >= enough:
            break
    return len(pivots)


def numbers_of(proof: dict[str, Any], codes: list[int], K: int) -> Numbers:
    """Return the numbers of a proof about rows of these classes."""
    size = (K - 1) * (proof["data"]["n_features"] + proof["data"]["bias"])
    v = integers(proof.get("direction", ["0"] * size), size, "direction")
    need(len(proof.get("null_space", [])) <= size, "null_space: more vectors than a vector has entries")
    N = [integers(u, size, "null_space") for u in proof.get("null_space", [])]
    lower = quotient(proof.get("margin_squared", "1"), "margin_squared")
    upper = quotient(proof["upper_squared"], "upper_squared") if "upper_squared" in proof else lower
    pairs: list[Any] = []
    for name in proof.get("rows", []):
        is_pair = type(name) is list and len(name) == 2 and proof["question"] == "multinomial"
        i, k = name if is_pair else (name, None)
        need(type(i) is int and 0 <= i < len(codes), "rows: one is not a row of the data")
        k = 1 - codes[i] if proof["question"] == "two-class" else k
        need(type(k) is int and 0 <= k < K and k != codes[i], "rows: one is not compared with another class")
        pairs.append((i, k))
    need(len({*pairs}) == len(pairs) >= ("rows" in proof), "rows: there is none, or one occurs twice")
    a = integers(proof.get("weights", []), len(pairs), "weights")
    need(min(*lower, *upper, *a) > 0, "weights or a squared margin: not positive")
    return Numbers(v, N, dict(zip(pairs, a, strict=True)), lower, upper)


def check(proof: Any, rows: Any, labels: Any) -> None:
    """Raise unless the proof holds for rows of floats (decimal: Fractions) and labels -1, +1 (multinomial: codes)."""
    validate(proof)
    data, is_binary, K = proof["data"], proof["question"] == "two-class", len({*labels})
    need(len(rows) == len(labels) == data["n_samples"], f"the data have {len(rows)} rows, not {data['n_samples']}")
    need({*labels} == ({-1, 1} if is_binary else {*range(max(K, 2))}), "the labels do not fit the question")
    is_known = sha256(rows, labels, data, is_binary) == data["sha256"]
    need(is_known, "these are not the data of the proof, or their classes are others: another sha256")
    codes = [max(label, 0) for label in labels]
    numbers = numbers_of(proof, codes, K)
    S, least = check_rows(proof, rows, codes, K, numbers)
    if "margin_squared" in proof:
        check_margin(proof, codes, numbers, S, least)
    elif numbers.a:
        need(not any(weighted_sum(numbers.a, S, codes, K)[0]), "sum a z = 0 is false")
    if "null_space" in proof:
        check_ranks(numbers, S, codes, K)


def check_rows(proof: Any, rows: Any, codes: list[int], K: int, numbers: Numbers) -> tuple[dict[int, Scaled], Any]:
    """Check z.v and z.N for all z; return the rows of S, and z.v, c and i where z.v / c is least."""
    v, N, a, *_ = numbers
    has_v, is_quasi = "direction" in proof, proof["claim"] == "quasi-separable"
    needed = {i for i, _ in a}
    greatest = 2 * len(v) * max((abs(x) for u in N for x in u), default=0)
    packs: dict[int, Vector] = {}
    S, least, is_strict = {}, None, False
    for i, row in enumerate(rows):
        if not (has_v or N or i in needed):
            continue
        X, c = scaled(row, proof["data"]["bias"])
        if i in needed:
            S[i] = X, c
        scores, touching = products(X, v), []
        for k in {*range(K)} - {codes[i]}:
            value = scores[codes[i]] - scores[k]
            if value < 0 or (value == 0 and has_v and not is_quasi):
                raise CertificateError(f"row {(i, k) if K > 2 else i}: z.v > 0 is false")
            if least is None or value * least[1] < least[0] * c:
                least = value, c, i
            is_strict = is_strict or value > 0
            touching += [k] * (value == 0)
        if N and touching:
            bits = 1 << (greatest * max(map(abs, X))).bit_length().bit_length()  # few different ones
            packs[bits] = packs.get(bits) or packed(N, bits)
            scores = products(X, packs[bits])
            for k in touching:
                need(scores[k] == scores[codes[i]], f"row {(i, k) if K > 2 else i}: z.v = 0 on null_space is false")
    need(is_strict or not is_quasi, "z.v > 0 for some z is false")
    return S, least


def weighted_sum(a: Weights, S: dict[int, Scaled], codes: list[int], K: int) -> tuple[Vector, int]:
    """Return the sum of all a z, times a common multiple of all c, and this multiple."""
    common = math.lcm(*(c for _, c in S.values()))
    totals = [[0] * len(next(iter(S.values()))[0])] * K
    for (i, k), weight in a.items():
        X, c = S[i]
        factor = weight * (common // c)
        for code, signed in ((codes[i], factor), (k, -factor)):
            totals[code] = [total + signed * x for total, x in zip(totals[code], X, strict=True)]
    return [x for total in totals[1:] for x in total], common


def check_margin(proof: Any, codes: list[int], numbers: Numbers, S: dict[int, Scaled], least: Any) -> None:
    """Check that the squared margin is at least the lower end, at most the upper one, or both."""
    v, _, a, (p, q), (P, Q) = numbers
    data = proof["data"]
    if "direction" in proof:
        value, c, i = least
        norm = sum(x * x for x in v[: data["n_features"]])
        need(value**2 * q >= p * norm * c**2, f"row {i}: (z.v)^2 >= q ||w||^2 is false")
    if a:
        sums = [sum(weight for (i, _), weight in a.items() if codes[i] == code) for code in (0, 1)]
        need(min(sums) > 0 or not data["bias"], "weights: a class has none")
        a = {(i, k): weight * (sums[k] if data["bias"] else 1) for (i, k), weight in a.items()}
        total, common = weighted_sum(a, S, codes, 2)
        need(
            Q * sum(x * x for x in total) <= P * (common * sum(a.values())) ** 2, "||sum a z / sum a||^2 <= Q is false"
        )


def check_ranks(numbers: Numbers, S: dict[int, Scaled], codes: list[int], K: int) -> None:
    """Check that N is independent, and has as many vectors as the rank of S leaves over."""
    N, size = numbers.N, len(numbers.v)
    pairs = [*numbers.a][: 2 * size]

    def z(i: int, k: int) -> Vector:
        X = S[i][0]
        blocks = {codes[i]: X, k: [-x for x in X]}
        return [x for code in range(1, K) for x in blocks.get(code, [0] * len(X))]

    needed = size - len(N)
    for prime in PRIMES:
        if rank(N, prime, len(N)) == len(N) and rank((z(*pair) for pair in pairs), prime, needed) >= needed:
            return
    raise CertificateError("null_space is not shown to be a basis: its rank or that of S is too small")


# The files


def table_of(path: str) -> list[list[str]]:
    """Return the fields of a .csv or .tsv file, also .gz."""
    name, content = path.lower().removesuffix(".gz"), Path(path).read_bytes()
    try:
        text = (gzip.decompress(content) if path.lower().endswith(".gz") else content).decode("utf-8-sig")
        start = re.sub('"[^"]*"', "", text.lstrip().partition("\n")[0])
        mark = "\t" if name.endswith(".tsv") else next((mark for mark in ",;\t" if mark in start), ",")
        lines = csv.reader(io.StringIO(text, newline=""), delimiter=mark, skipinitialspace=True, strict=True)
        table = [[x.strip() for x in line] for line in lines if len(line) > 1 or "".join(line).strip()]
    except (UnicodeDecodeError, EOFError, zlib.error, csv.Error) as error:
        raise OSError(f"{path}: not a table as CSV in UTF-8, the only data that are read here: {error}") from None
    if "\0" in text or {*map(len, table)} in ({*()}, {1}) or len({*map(len, table)}) > 1:
        raise OSError(f"{path}: not a table of two columns or more as CSV, the only data that are read here")
    return table


def place_of(column: str | int, names: list[str], width: int) -> int:
    """Return the position of a column: by its name, or the number from 0, or from the end if negative."""
    if names.count(str(column)) == 1 and isinstance(column, str):
        return names.index(column)
    need(column not in names, f"these are not the data of the proof: several columns {column!a}")
    try:
        position = int(column)
    except ValueError:
        position = width
    need(-width <= position < width, f"these are not the data of the proof: no column {column!a}")
    return position % width


def column_of(texts: Sequence[str], is_decimal: bool) -> list[Any] | None:
    """Return the numbers of a column, true and false among themselves as 1 and 0; None if it holds anything else."""
    words = {"true": "1", "false": "0"}
    if {text.lower() for text in texts} <= {*words}:
        texts = [words[text.lower()] for text in texts]
    numbers = [exact(text) if is_decimal else NUMBER.fullmatch(text) and float(text) for text in texts]
    return None if None in numbers else numbers


def read_table(path: str, data: dict[str, Any]) -> tuple[list[Any], list[Any], list[int]]:
    """Read a table of numbers as the proof says; return its rows, its classes in order, and the class of every row."""
    foreign = "these are not the data of the proof: "
    if other := [name for name in ELSEWHERE if data.get(name) not in (None, False, [])]:
        raise OSError(f"{path}: {other[0]} of the proof is not known here: use maxmargin verify")
    table = table_of(path)
    is_data = any(pattern.fullmatch(field) for field in table[0] for pattern in (NUMBER, OTHERWISE))
    has_names = len(table) == data["n_samples"] + 1 and not is_data
    names, width = table.pop(0) if has_names else [], len(table[0])
    label = place_of(-1 if data.get("label") is None else data["label"], names, width)
    left_out = [*(data.get("drop") or []), *([] if data.get("id") is None else [data["id"]])]
    others = {place_of(column, names, width) for column in left_out}
    need(label not in others, f"{foreign}the label column is left out")
    columns = list(zip(*table, strict=True))
    kept = [columns[j] for j in range(width) if j not in {label, *others}]
    features = [column_of(column, data["reading"] == "decimal") for column in kept]
    texts = {*columns[label]}
    if None in features or any(text.lower() in MISSING for text in texts):
        if data.get("one_hot") or data.get("drop_missing"):
            raise OSError(f"{path}: only tables of numbers can be read here: use maxmargin verify")
        raise CertificateError(f"{foreign}they are not all numbers")
    label_of = labels_of(texts)
    need(
        all(math.isfinite(value) for value in label_of.values() if isinstance(value, float)), f"{foreign}infinite label"
    )
    classes = sorted({*label_of.values()})
    place = {value: k for k, value in enumerate(classes)}
    return list(zip(*features, strict=True)), classes, [place[label_of[text]] for text in columns[label]]


def labels_of(texts: set[str]) -> dict[str, Any]:
    """Return the label of each text: integers if all are whole, else floats if they tell all apart, else the texts."""
    exacts = {text: label_number(text) for text in texts}
    floats = {text: float(value) for text, value in exacts.items() if value is not None}
    if None in exacts.values() or len({*floats.values()}) < len({*exacts.values()}):
        return {text: text for text in texts}
    is_whole = all(isinstance(value, Fraction) and value.denominator == 1 for value in exacts.values())
    return {text: int(value) for text, value in floats.items()} if is_whole else floats


def label_number(text: str) -> Fraction | float | None:
    """Return the number that a label writes; None where it writes none, or one so large or long that texts count."""
    if INFINITY.fullmatch(text) or (NUMBER.fullmatch(text) and math.isinf(float(text))):
        return math.inf
    value = exact(text)
    return None if value is None or abs(float(value)) >= 2**53 else value


def main(arguments: list[str]) -> int:
    """Check a proof file and return the exit code."""
    try:
        if len(arguments) != 2:
            raise OSError("usage: python checker.py PROOF.json DATA.csv")
        proof = parse(Path(arguments[0]).read_bytes())
        rows, classes, codes = read_table(arguments[1], proof["data"])
        number = numbering(proof, classes)
        check(proof, rows, [number[code] for code in codes])
        code, answer = 0, f"valid: {statement(proof, classes)}"
    except (OSError, NotAProofError) as error:
        code, answer = 2, str(error)
    except CertificateError as error:
        code, answer = 3, f"invalid: {error}"
    stream = sys.stderr if code == 2 else sys.stdout
    encoding = stream.encoding or "ascii"
    print(answer.encode(encoding, "backslashreplace").decode(encoding), file=stream)
    return code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
