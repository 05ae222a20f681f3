"""Check a proof about linear separability: ``python checker.py PROOF.json DATA.csv`` exits with 0 if it holds, else 3.

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
                            this is then the squared half distance of their weighted means. margin-exactly q: both.
"""

import csv
import hashlib
import json
import math
import re
import struct
import sys
import zlib
from fractions import Fraction
from operator import mul
from pathlib import Path
from typing import Any

FIELDS = {
    "separable": "direction", "not-strictly-separable": "rows weights", "overlap": "rows weights null_space",
    "quasi-separable": "direction rows weights null_space", "margin-at-least": "direction margin_squared",
    "margin-at-most": "rows weights margin_squared", "margin-exactly": "direction rows weights margin_squared",
}  # fmt: skip
DATA = {"sha256": str, "n_samples": int, "n_features": int, "bias": bool, "reading": str}
SOURCE = {"source", "label", "positive", "drop", "id", "one_hot", "one_hot_columns", "drop_missing", "sep",
          "decimal_comma", "format", "classes", "values"}  # fmt: skip
INTEGER = re.compile("0|-?[1-9][0-9]{0,4299}|-?0x[0-9a-f]+")  # Python converts no more decimal digits
NUMBER = re.compile(r"[-+]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[-+]?[0-9]{1,4})?", re.IGNORECASE)
PRIMES = (2**61 - 1, 2**255 - 19, 2**521 - 1)


class CertificateError(ValueError):
    """The first statement of a proof that is false, or why it is no proof about these data."""


def need(is_true: object, otherwise: str) -> None:
    """Raise unless it is true."""
    if not is_true:
        raise CertificateError(otherwise)


def validate(proof: Any) -> None:
    """Raise unless the proof has the fields of its claim, no others, and says which data it is about."""
    need(isinstance(proof, dict) and proof.get("format") == "maxmargin-proof", "not a proof of format maxmargin-proof")
    need(type(proof.get("version")) is int and proof["version"] == 1, "the version is unknown")
    claim, question, data = proof.get("claim"), proof.get("question"), proof.get("data")
    need(isinstance(claim, str) and claim in FIELDS, "the claim is unknown")
    need(question == "two-class" or (question == "multinomial" and "margin" not in claim), "no such question or claim")
    fields = ["format", "version", "claim", "question", "data", *FIELDS[claim].split()]
    need(set(proof) == set(fields), f"{claim}: expected the fields {', '.join(fields)}")
    need(all(type(proof[x]) is (str if "margin" in x else list) for x in fields[5:]), "a field has a wrong type")
    need(isinstance(data, dict) and set(DATA) <= set(data) <= {*DATA, *SOURCE}, "data: missing or superfluous field")
    is_typed = all(type(data[name]) is kind for name, kind in DATA.items())
    need(is_typed and data["reading"] in ("binary64", "decimal"), "data: a field has a wrong type or is unknown")


def integers(texts: Any, length: int, what: str) -> list[int]:
    """Return the integers that texts write; there must be so many."""
    need(type(texts) is list and len(texts) == length, f"{what}: not a list of length {length}")
    need(all(isinstance(t, str) and INTEGER.fullmatch(t) for t in texts), f"{what}: not all are integers as texts")
    return [int(text, 0) for text in texts]


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


def inequalities(rows: Any, codes: list[int], K: int, bias: bool) -> Any:
    """Yield (i, k, c z, c) for every inequality, in integers, c > 0."""
    for i, row in rows:
        ratios = [x.as_integer_ratio() for x in row]
        c = math.lcm(*{below for _, below in ratios})
        X = [above * (c // below) for above, below in ratios] + [c] * bias
        for k in {*range(K)} - {codes[i]}:
            blocks = {codes[i]: X, k: [-x for x in X]}
            yield i, k, [x for block in range(1, K) for x in blocks.get(block, [0] * len(X))], c


def rank(matrix: list[list[int]], p: int) -> int:
    """Return the rank modulo a prime."""
    pivots: list[tuple[int, int, list[int]]] = []
    for row in ([x % p for x in row] for row in matrix):
        for place, inverse, pivot in pivots:
            if factor := row[place] * inverse % p:
                row[: place + 1] = [(a - factor * b) % p for a, b in zip(row, pivot, strict=False)]
        if any(row):
            place = max(j for j, a in enumerate(row) if a)  # the last: a reduced basis needs no elimination then
            pivots.append((place, pow(row[place], -1, p), row[: place + 1]))
    return len(pivots)


def check(proof: Any, rows: Any, labels: Any) -> None:
    """Raise unless the proof holds for rows of floats (decimal: Fractions) and labels -1, +1 (multinomial: codes)."""
    validate(proof)
    data, is_binary, K = proof["data"], proof["question"] == "two-class", len({*labels})
    need(len(rows) == len(labels) == data["n_samples"], f"the data have {len(rows)} rows, not {data['n_samples']}")
    need({*labels} == ({-1, 1} if is_binary else {*range(max(K, 2))}), "the labels do not fit the question")
    need(sha256(rows, labels, data, is_binary) == data["sha256"], "these are not the data of the proof: another sha256")
    size, codes = (K - 1) * (data["n_features"] + data["bias"]), [max(y, 0) for y in labels]
    has_v, is_quasi, is_margin = "direction" in proof, proof["claim"] == "quasi-separable", "margin_squared" in proof
    v = integers(proof.get("direction", ["0"] * size), size, "direction")
    N = [integers(u, size, "null_space") for u in proof.get("null_space", [])]
    p, q = integers((t if "/" in (t := proof.get("margin_squared", "1")) else t + "/1").split("/"), 2, "margin_squared")
    names = [tuple(row) if type(row) is list else row for row in proof.get("rows", [])]
    need(all(type(i) is int for name in names for i in (name if type(name) is tuple else [name])), "rows: not integers")
    a: dict[Any, int] = dict(zip(names, integers(proof.get("weights", []), len(names), "weights"), strict=True))
    need(len(a) == len(names), "rows: one occurs twice")
    need(min(p, q, *a.values()) > 0, "weights or margin_squared: not positive")
    S, is_strict, norm = {}, False, sum(x * x for x in v[: data["n_features"]])
    needed = {name[0] if type(name) is tuple and name else name for name in names}
    numbered = ((i, row) for i, row in enumerate(rows) if has_v or N or i in needed)
    for i, k, z, c in inequalities(numbered, codes, K, data["bias"]):
        name, value = i if is_binary else (i, k), sum(map(mul, z, v))
        need(value > 0 or (value == 0 and (is_quasi or not has_v)), f"row {name}: z.v > 0 is false")
        need(not (has_v and is_margin) or value**2 * q >= p * norm * c**2, f"row {name}: (z.v)^2 >= q ||w||^2 is false")
        need(value > 0 or not any(sum(map(mul, z, u)) for u in N), f"row {name}: z.v = 0 on null_space is false")
        is_strict = is_strict or value > 0
        if name in a:
            S[name] = z, c  # for quasi-separable z.v = 0 needs no check: sum a z.v = 0 and no z.v is negative
    need(is_strict or not is_quasi, "z.v > 0 for some z is false")
    need(len(S) == len(a) >= ("rows" in proof), "rows: there is none, or one that the data do not have")
    if is_margin and data["bias"] and a:
        totals = [sum(weight for row, weight in a.items() if codes[row] == code) for code in (0, 1)]
        need(min(totals) > 0, "weights: a class has none")
        a = {row: weight * totals[1 - codes[row]] for row, weight in a.items()}
    Z, common = [z for z, _ in S.values()], math.lcm(*(c for _, c in S.values()))
    factors = [a[name] * (common // c) for name, (_, c) in S.items()]
    total = [sum(map(mul, factors, column)) for column in zip(*Z, strict=True)]
    need(is_margin or not any(total), "sum a z = 0 is false")
    need(not is_margin or q * sum(x * x for x in total) <= p * (common * sum(a.values())) ** 2, "at most q: false")
    if "null_space" in proof:
        is_basis = any(rank(N, prime) == len(N) and rank(Z, prime) >= size - len(N) for prime in PRIMES)
        need(is_basis, "null_space is not shown to be a basis: its rank or that of S is too small")


def read_csv(path: str, proof: dict[str, Any]) -> tuple[list[list[Any]], list[int]]:
    """Read a table of numbers (CSV, TSV, .gz) as the proof says; return the rows, and the labels as signs or codes."""
    data, number = proof["data"], float if proof["data"]["reading"] == "binary64" else Fraction
    content = Path(path).read_bytes()
    text = (zlib.decompress(content, 31) if path.lower().endswith(".gz") else content).decode("utf-8-sig")
    start = re.sub('"[^"]*"', "", text.lstrip().partition("\n")[0])
    mark = "\t" if ".tsv" in path.lower() else next((mark for mark in ",;\t" if mark in start), ",")
    lines = csv.reader(re.split("(?<=\n)", text), delimiter=mark, skipinitialspace=True, strict=True)
    table = [[x.strip() for x in line] for line in lines if len(line) > 1 or "".join(line).strip()]
    names = table.pop(0) if len(table) == data["n_samples"] + 1 else []
    asked = [data.get("label", -1), *(x for x in (data.get("id"), *data.get("drop", [])) if x is not None)]
    out = [names.index(x) if x in names else range(len(table[0]))[int(x)] for x in asked]
    body = [[{"true": "1", "false": "0"}.get(x.lower(), x) for j, x in enumerate(row) if j not in out] for row in table]
    need(all(NUMBER.fullmatch(x) for line in body for x in line), "only tables of numbers can be read here")
    texts = [line[out[0]] for line in table]
    value = float if all(NUMBER.fullmatch(text) and abs(float(text)) < 2**53 for text in {*texts}) else str
    classes = sorted({value(text) for text in texts})
    codes = [classes.index(value(text)) for text in texts]
    plus = len(classes) - 1 if data.get("positive") is None else classes.index(value(data["positive"]))
    labels = codes if proof["question"] == "multinomial" else [1 if code == plus else -1 for code in codes]
    return [[number(x) for x in line] for line in body], labels


def main(arguments: list[str]) -> int:
    """Check a proof file and return the exit code."""
    try:
        if len(arguments) != 2:
            raise OSError("usage: python checker.py PROOF.json DATA.csv")
        validate(proof := json.loads(Path(arguments[0]).read_bytes()))
        check(proof, *read_csv(arguments[1], proof))
    except OSError as error:
        print(error, file=sys.stderr)
        return 2
    except (ValueError, TypeError, LookupError, RecursionError, csv.Error, zlib.error) as error:
        reason = error if isinstance(error, CertificateError) else f"no proof, or not its data: {error}"
        print(f"invalid: {reason}".encode("ascii", "backslashreplace").decode())
        return 3
    print(f"valid: {proof['claim']}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
