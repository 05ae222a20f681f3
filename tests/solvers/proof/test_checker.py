"""The proof checker: it accepts right proofs, and nothing that is false, whatever is done to them."""

import ast
import copy
import gzip
import hashlib
import json
import math
import struct
import subprocess
import sys
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations, product
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from cases import for_each
from commands import Capture
from hypothesis import given
from hypothesis import strategies as st
from proof_cases import ANGLE, CASES, MULTI, ORDERED, PAIR, TOUCHING, Case, case, is_true, margin_squared_of
from scipy.sparse import csr_array

import maxmargin as mm
from maxmargin.certificates.proofs import proof_document, read_proof, write_proof
from maxmargin.data.labels import meanings
from maxmargin.solvers.proof import checker
from maxmargin.solvers.proof.checker import CertificateError, check, main

ROOT = Path(__file__).resolve().parents[3]
CHECKER = ROOT / "solvers" / "proof" / "checker.py"
SCHEMA = json.loads((ROOT / "docs" / "proofs" / "certificate.schema.json").read_text(encoding="utf-8"))
CLAIMS = sorted(checker.FIELDS)
each_case = for_each("case", CASES)


def is_accepted(one: Case, proof: Any, rows: Any = None, labels: Any = None) -> bool:
    """Whether the checker takes it; whatever else it raises than its own error is a failure."""
    try:
        check(proof, one.exact if rows is None else rows, one.labels if labels is None else labels)
    except CertificateError as error:
        assert str(error)
        return False
    return True


# Right proofs


def test_every_claim_question_and_reading_is_here() -> None:
    kinds = {tuple(one.proof[name] for name in ("claim", "question")) for one in CASES}
    assert kinds == {(c, "two-class") for c in CLAIMS} | {(c, "multinomial") for c in CLAIMS if "margin" not in c}
    assert {one.proof["data"]["reading"] for one in CASES} == {"binary64", "decimal"}


@each_case
def test_right_proofs_are_true_and_accepted(case: Case) -> None:
    assert is_true(case, case.proof)
    check(case.proof, case.exact, case.labels)


def test_right_proofs_follow_the_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    schema = jsonschema.Draft202012Validator(SCHEMA)
    for one in CASES:
        assert [error.message for error in schema.iter_errors(one.proof)] == []
        for claim in set(CLAIMS) - {one.proof["claim"]}:
            assert not schema.is_valid(one.changed(claim=claim))


def test_schema_and_checker_name_the_same_fields() -> None:
    assert set(SCHEMA["properties"]["data"]) == {"$ref"}
    assert set(SCHEMA["$defs"]["data"]["properties"]) == {*checker.DATA, *checker.SOURCE}
    assert set(SCHEMA["$defs"]["data"]["required"]) == set(checker.DATA)


def test_the_checker_is_short_and_uses_the_standard_library_only() -> None:
    text = CHECKER.read_text(encoding="utf-8")
    documented = {line for node in ast.walk(ast.parse(text)) for line in _lines_of_text(node)}
    code = (line.strip() for n, line in enumerate(text.splitlines(), 1) if n not in documented)
    lines = [line for line in code if line and not line.startswith("#")]
    assert len(lines) <= 560
    nodes = list(ast.walk(ast.parse(text)))
    names = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    names |= {f"{'.' * node.level}{node.module}" for node in nodes if isinstance(node, ast.ImportFrom)}
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names


def _lines_of_text(node: ast.AST) -> range:
    is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return range(node.lineno, (node.end_lineno or 0) + 1) if is_text and isinstance(node, ast.Expr) else range(0)


def test_binary64_of_every_size() -> None:
    sizes = [2.0**-1074, 2.0**1023, -(2.0**-1022), 1.7976931348623157e308, 0.1]
    rows = [[-x, x, -0.0] for x in sizes] + [[x, -x, 0.0] for x in sizes]
    labels = [-1] * 5 + [1] * 5
    big = case("sizes", "separable", rows, labels, bias=False, direction=["1", "1", "0"])
    assert not is_accepted(big, big.changed(direction=["1", "1", "0"]))
    signs = [-1, -1, 1, -1, -1, 1, 1, -1, 1, 1]
    big = case("sizes", "separable", rows, signs, bias=False, direction=["0x1" + "0" * 400, "0", "-12"])
    check(big.proof, rows, signs)


# False and foreign proofs


@each_case
def test_another_claim_is_rejected(case: Case) -> None:
    for claim in set(CLAIMS) - {case.proof["claim"]}:
        assert not is_accepted(case, case.changed(claim=claim))


def test_a_weaker_true_claim_needs_its_own_fields() -> None:
    overlap = next(one for one in CASES if one.proof["claim"] == "overlap")
    with pytest.raises(CertificateError, match="not-strictly-separable: expected the fields"):
        check(overlap.changed(claim="not-strictly-separable"), overlap.exact, overlap.labels)


def test_a_common_hull_point_is_no_proof_of_overlap() -> None:
    for null_space in ([], [["1", "-1"]], [["0", "0"]], [["1", "-1"], ["2", "-2"]], [["1", "0"], ["0", "1"]]):
        one = case("touching", "overlap", *TOUCHING, **PAIR, null_space=null_space)
        assert not is_accepted(one, one.proof)


def test_null_spaces_that_are_no_basis_are_rejected() -> None:
    both = next(one for one in CASES if one.name == "both-labels-overlap-binary64")
    u, v = both.proof["null_space"]
    sums = [str(int(a) + int(b)) for a, b in zip(u, v, strict=True)]
    assert is_accepted(both, both.changed(null_space=[sums, v]))
    for vectors in ([], [u], [u, u], [u, ["0"] * 3], [u, v, sums], [u, ["1", "0", "0"]]):
        assert not is_accepted(both, both.changed(null_space=vectors))


BAD_ROWS = [True, False, -1, 10**30, 0.0, 1.0, "1", None, [], [0], [0, 1, 2], [True, 1], [0, 9], [[0], 1], {}]


@each_case
def test_rows_that_are_not_there_are_rejected(case: Case) -> None:
    rows = case.proof.get("rows", [])
    for position, bad in product(range(len(rows)), [*BAD_ROWS, *rows, 0]):
        changed = [*rows[:position], bad, *rows[position + 1 :]]
        is_same = changed == rows and type(changed[position]) is type(rows[position])
        is_other = not is_same and json.dumps(changed[position]) not in map(json.dumps, rows)
        if not is_same:
            assert not is_accepted(case, case.changed(rows=changed)) or (is_other and is_true(case, case.proof))
        if not is_same and (bad in BAD_ROWS or not is_other):
            assert not is_accepted(case, case.changed(rows=changed))
    for changed in (rows[:-1], [*rows, *rows[:1]], [], None, {}, "0"):
        assert "rows" not in case.proof or not is_accepted(case, case.changed(rows=changed))


BAD_INTEGERS = [
    *(1, 1.0, True, None, [], {}, "", " 1", "1 ", "1\n", "+1", "1.0", "1e3", "1_0", "01", "-0", "--1"),
    *("0x", "0X1", "0xG", "nan", "\u0661", "9" * 5000),
]
NOT_POSITIVE = ["0", "-1", "-0x1", "0x0"]
SQUARES = {"margin_squared", "upper_squared"}


@each_case
def test_what_is_no_integer_text_and_weights_and_squares_that_are_not_positive_are_rejected(case: Case) -> None:
    for bad in [*BAD_INTEGERS, *NOT_POSITIVE]:
        for field in ("direction", "weights"):
            if field in case.proof and (field == "weights" or bad in BAD_INTEGERS):
                assert not is_accepted(case, case.changed(**{field: [bad, *case.proof[field][1:]]}))
        if case.proof.get("null_space") and bad in BAD_INTEGERS:
            first, *others = case.proof["null_space"]
            assert not is_accepted(case, case.changed(null_space=[[bad, *first[1:]], *others]))
        for name in SQUARES & {*case.proof}:
            for square in (bad, f"1/{bad}", f"{bad}/1", f"{bad}/{bad}", "1/2/3", "/", "1/", "/1"):
                assert not is_accepted(case, case.changed(**{name: square})) or square in ("1/1", "1")


@each_case
def test_numbers_just_beyond_the_truth_are_rejected(case: Case) -> None:
    if "margin_squared" not in case.proof:
        return
    margin = margin_squared_of(case.rows, case.labels, case.proof["data"]["bias"])
    for name, change in product(SQUARES & {*case.proof}, (Fraction(1, 10**40), -Fraction(1, 10**40))):
        claimed = margin + change
        proof = case.changed(**{name: f"{claimed.numerator}/{claimed.denominator}"})
        assert not is_accepted(case, proof) or is_true(case, proof)
        assert case.proof["claim"] != "margin-exactly" or not is_accepted(case, proof)


@each_case
def test_vectors_of_another_length_are_rejected(case: Case) -> None:
    for field in ("direction", "weights"):
        vector = case.proof.get(field, [])
        for changed in (vector[:-1], [*vector, "1"], [], {}, None, "1"):
            assert field not in case.proof or not is_accepted(case, case.changed(**{field: changed}))


@each_case
def test_missing_and_superfluous_fields_are_rejected(case: Case) -> None:
    for field in case.proof:
        assert not is_accepted(case, {name: value for name, value in case.proof.items() if name != field})
    assert not is_accepted(case, case.changed(comment="ok"))
    data = case.proof["data"]
    for field in data:
        assert not is_accepted(case, case.changed(data={name: data[name] for name in data if name != field}))
    assert not is_accepted(case, case.changed(data={**data, "comment": "ok"}))
    assert is_accepted(case, case.changed(data={**data, "source": "x.csv", "positive": None}))
    for values in ([[1]], [["1", None]], ["1"], [[["1"]]], [["+1", "0.5"]]):
        assert not is_accepted(case, case.changed(data={**data, "values": values}))


FOREIGN = {
    "format": ["maxmargin", "", None, 1, ["maxmargin-proof"]],
    "version": [0, 2, 1.0, True, "1", None, [1]],
    "claim": ["", "Separable", "margin", None, 1, ["overlap"], {}],
    "question": ["", "one-vs-rest", None, 2, ["two-class"], {}],
}
FOREIGN_DATA = {
    "sha256": ["", "0" * 64, None, 1],
    "n_samples": [0, -1, 2.0, True, None, "4", 10**40, 10**5000, 1, 5],
    "n_features": [0, -1, 2.0, True, None, "2", 10**40, 10**5000, 7],
    "bias": [0, 1, None, "true"],
    "reading": ["", "binary32", None, 64, ["binary64"]],
}


@each_case
def test_other_heads_are_rejected(case: Case) -> None:
    for field, values in FOREIGN.items():
        for value in values:
            assert not is_accepted(case, case.changed(**{field: value}))
    for field, values in FOREIGN_DATA.items():
        for value in values:
            if value != case.proof["data"][field] or type(value) is not type(case.proof["data"][field]):
                assert not is_accepted(case, case.changed(data={**case.proof["data"], field: value}))
    other = {"binary64": "decimal", "decimal": "binary64"}[case.proof["data"]["reading"]]
    assert not is_accepted(case, case.changed(data={**case.proof["data"], "reading": other}))
    question = {"two-class": "multinomial", "multinomial": "two-class"}[case.proof["question"]]
    assert not is_accepted(case, case.changed(question=question))


@each_case
def test_other_data_are_rejected(case: Case) -> None:
    kind = type(case.exact[0][0])
    for i, j in product(range(len(case.rows)), range(len(case.rows[0]))):
        rows = copy.deepcopy(case.exact)
        rows[i][j] += kind(Fraction(1, 1024))
        assert not is_accepted(case, case.proof, rows)
    for i in range(len(case.rows)):
        rest = set(case.labels) - {case.labels[i]}
        assert not is_accepted(case, case.proof, labels=[*case.labels[:i], min(rest), *case.labels[i + 1 :]])
    assert not is_accepted(case, case.proof, case.exact[:-1], case.labels[:-1])
    assert not is_accepted(case, case.proof, labels=case.labels[:-1])
    assert not is_accepted(case, case.proof, [[*row, kind(0)] for row in case.exact])
    assert not is_accepted(case, case.proof, [[str(x) for x in row] for row in case.exact])
    assert not is_accepted(case, case.proof, [[int(x) for x in row] for row in case.exact])


def test_rows_in_another_order_or_of_other_lengths_with_the_same_bytes_are_rejected() -> None:
    assert not is_accepted(CASES[0], CASES[0].proof, CASES[0].exact[::-1])
    one = case("angle", "separable", *ANGLE, bias=False, direction=["1", "1"])
    assert not is_accepted(one, one.proof, [[1.0], [0.0, 0.0, -1.0]])


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), -float("inf")])
def test_numbers_that_are_not_finite_are_rejected(bad: float) -> None:
    rows, labels = [[0.0], [1.0], [1.0], [bad]], (-1, -1, 1, 1)
    one = case("touching", "not-strictly-separable", *TOUCHING, **PAIR)
    text = b"4 1\n" + struct.pack("<4d", *(row[0] for row in rows)) + np.array(labels, dtype="int8").tobytes()
    one.proof["data"]["sha256"] = hashlib.sha256(text).hexdigest()
    with pytest.raises(CertificateError, match="row 3 is not 1 finite"):
        check(one.proof, rows, labels)


def test_one_class_is_no_question() -> None:
    for labels, fields in (([1, 1], {"direction": ["0", "1"]}), ([0, 0], {**MULTI, "direction": []})):
        one = case("one-class", "separable", [[1], [2]], labels, **fields)
        assert not is_accepted(one, one.proof)


@for_each("bias", [True, False])
def test_without_columns_nothing_is_separable(bias: bool) -> None:
    numbers = {"direction": ["1"] * bias, "rows": [0, 1], "weights": ["1", "1"], "null_space": []}
    numbers |= {"margin_squared": "1", "upper_squared": "2"}
    for claim, names in checker.FIELDS.items():
        one = case("empty", claim, [(), ()], [-1, 1], bias=bias, **{name: numbers[name] for name in names.split()})
        assert is_accepted(one, one.proof) == ("direction" not in one.proof)
        assert not is_accepted(one, one.proof) or jsonschema.validate(one.proof, SCHEMA) is None


def test_margins_of_many_classes_are_no_claim() -> None:
    numbers = {"direction": ["2", "-3", "4", "-8"], "margin_squared": "1/9999"}
    one = case("ordered", "margin-at-least", *ORDERED, **MULTI, **numbers)
    assert not is_accepted(one, one.proof)


# Whatever a proof says, what is accepted is true; test_mutations.py alters right proofs

GRID = st.integers(-1, 1)
SMALL = st.integers(-2, 2).map(str)


@st.composite
def invented(draw: st.DrawFn) -> tuple[Case, dict[str, Any]]:
    """Data on a small grid, and a document of the right form whose numbers are chance."""
    d, bias = draw(st.sampled_from([(1, True), (1, False), (2, True), (2, False)]))
    is_binary = draw(st.booleans()) or d == 2
    question = "two-class" if is_binary else "multinomial"
    labels = draw(st.lists(st.sampled_from([-1, 1] if is_binary else [0, 1, 2]), min_size=1, max_size=3))
    labels = [*([-1, 1] if is_binary else [0, 1, 2]), *labels]
    X = draw(st.lists(st.lists(GRID, min_size=d, max_size=d), min_size=len(labels), max_size=len(labels)))
    claim = draw(st.sampled_from([c for c in CLAIMS if is_binary or "margin" not in c]))
    size = (d + bias) * (1 if is_binary else 2)
    vector = st.lists(SMALL, min_size=size, max_size=size)
    rows = draw(st.lists(st.integers(0, len(labels) - 1), min_size=1, max_size=5, unique=True))
    entries = rows if is_binary else [[i, draw(st.sampled_from(sorted({0, 1, 2} - {labels[i]})))] for i in rows]
    chance: dict[str, Any] = {
        "direction": draw(vector),
        "rows": entries,
        "weights": draw(st.lists(st.sampled_from("1124"), min_size=len(rows), max_size=len(rows))),
        "null_space": draw(st.lists(vector, max_size=size)),
        **{name: draw(st.sampled_from(["1", "1/4", "1/2", "1/16", "1/8", "2", "9/4"])) for name in sorted(SQUARES)},
    }
    fields = {name: chance[name] for name in checker.FIELDS[claim].split()}
    return (one := case("invented", claim, X, labels, bias=bias, question=question, **fields)), one.proof


@pytest.mark.deep
@given(invented())
def test_no_invention_makes_a_false_statement_pass(found: tuple[Case, dict[str, Any]]) -> None:
    one, proof = found
    if is_accepted(one, proof):
        assert is_true(one, proof)


@pytest.mark.slow
def test_every_small_document_about_a_line_that_is_accepted_is_true() -> None:
    """Three rows on a line with all signs, and every document with small numbers: many are accepted, none is false."""
    accepted = {claim: 0 for claim in CLAIMS}
    vectors = [list(v) for v in product(("-2", "-1", "0", "1", "2"), repeat=2)]
    for positions in ((-1, 0, 1), (-1, 1, 1), (1, 1, 1)):
        for labels in product((-1, 1), repeat=3):
            if len(set(labels)) == 2:
                for claim, fields in _documents(vectors):
                    one = case("line", claim, [[x] for x in positions], labels, **fields)
                    if is_accepted(one, one.proof):
                        assert is_true(one, one.proof), one
                        accepted[claim] += 1
    assert min(accepted.values()) > 3, accepted


def _documents(vectors: list[list[str]]) -> Iterator[tuple[str, dict[str, Any]]]:
    kinds = [
        (rows, weights) for n in (2, 3) for rows in combinations(range(3), n) for weights in product("12", repeat=n)
    ]
    supports = [{"rows": list(rows), "weights": list(weights)} for rows, weights in kinds]
    spaces: list[Any] = [[], *([list(v)] for v in product(("-1", "0", "1"), repeat=2)), [["1", "0"], ["0", "1"]]]
    squares = [{"margin_squared": q} for q in ("1/4", "1", "9/16")]
    yield from (("separable", {"direction": v}) for v in vectors)
    yield from (("margin-at-least", {"direction": v, **q}) for v in vectors for q in squares)
    for support in supports:
        yield "not-strictly-separable", support
        yield from (("margin-at-most", {**support, **q}) for q in squares)
        yield from (("overlap", {**support, "null_space": space}) for space in spaces)
        for direction, space in product((["1", "-1"], ["-1", "1"], ["1", "0"]), spaces):
            yield "quasi-separable", {**support, "direction": direction, "null_space": space}
    for support, v, q in product(supports[::4], vectors[10:], squares):
        yield "margin-exactly", {**support, "direction": v, **q}
        yield "margin-between", {**support, "direction": v, **q, "upper_squared": "1"}


# Files


def as_csv(one: Case, *, header: bool = True, separator: str = ",") -> str:
    """The data with the label in the last column."""
    names = [*(f"x{j}" for j in range(len(one.rows[0]))), "label"]
    lines = [[*(repr(float(x)) for x in row), str(label)] for row, label in zip(one.rows, one.labels, strict=True)]
    return "".join(separator.join(line) + "\n" for line in ([names, *lines] if header else lines))


def run_file(tmp_path: Path, proof: bytes, data: bytes, name: str = "data.csv") -> int:
    (tmp_path / "p.json").write_bytes(proof)
    (tmp_path / name).write_bytes(data)
    return main([str(tmp_path / "p.json"), str(tmp_path / name)])


@pytest.mark.slow
@each_case
def test_files_are_read_as_stored(case: Case, tmp_path: Path, capsys: Capture) -> None:
    proof = json.dumps(case.proof).encode()
    for header, separator in product((True, False), ",;\t"):
        text = as_csv(case, header=header, separator=separator)
        assert run_file(tmp_path, proof, text.encode()) == 0
        assert run_file(tmp_path, proof, b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode() + b"\r\n") == 0
        assert run_file(tmp_path, proof, gzip.compress(text.encode()), "data.csv.gz") == 0
    assert run_file(tmp_path, proof, as_csv(case, separator="\t").encode(), "data.tsv") == 0
    (answer,) = {*capsys.readouterr().out.splitlines()}
    assert answer.startswith(f"valid: {case.proof['claim']}") and case.proof["question"] in answer


def test_columns_and_classes_are_those_of_the_proof(tmp_path: Path) -> None:
    one = CASES[0]
    lines = [
        f'"{i}, it",{"yes" if label > 0 else "no"},-,{float(row[0])}\n'
        for i, (row, label) in enumerate(zip(one.rows, one.labels, strict=True))
    ]
    right = ({}, {"label": 1, "drop": [2], "positive": "yes"}, {"label": -3, "drop": [-2], "positive": "yes"})
    wrong = (
        *({"positive": "no"}, {"positive": "maybe"}, {"label": "kin"}, {"label": 9}, {"label": None}, {"label": [1]}),
        *({"drop": None}, {"drop": []}, {"drop": "junk"}, {"id": None}, {"id": 7.5}),
    )
    for source in (*right, *wrong):
        read = {"label": "kind", "drop": ["junk"], "id": "id", "positive": None, **source}
        proof = json.dumps(one.changed(data={**one.proof["data"], **read})).encode()
        text = "".join(["id,kind,junk,x\n", *lines])
        assert run_file(tmp_path, proof, text.encode()) == (0 if source in right else 3)


# Numerals of equal and of nearly equal numbers, and texts.
LABELS = ("0", "-0", "0.0", "0e99999", "1e-400", "5e-324", "0.1", "0.10000000000000001", "1", "1.0", "+1", "01", "1e0",
          "10e-1", "2", "1e2", "100", "0.5", "9007199254740991", "9007199254740991.9", "9007199254740992", "1e300",
          "1e-1999", "0.001e-1999", "1e-2001", "0" * 2001 + "1", "one", "1/2", "True", "false", "1,5")  # fmt: skip


@pytest.mark.deep
@given(st.lists(st.sampled_from(LABELS), min_size=2, max_size=4, unique=True))
def test_labels_are_told_apart_as_the_package_does(texts: list[str]) -> None:
    ours, theirs = checker.labels_of({*texts}), dict(zip(texts, meanings(texts), strict=True))
    assert ours == theirs and {*map(repr, ours.values())} == {*map(repr, theirs.values())}


NO_NUMBERS = ["1_0", "ten", "nan", "", "inf", "1e99999", "10/1", "\u0661\u0660", "1" * 9 + "x", "1e-99999999999"]


@for_each("text", NO_NUMBERS)
@each_case
def test_what_is_no_plain_number_is_not_read(case: Case, text: str, tmp_path: Path) -> None:
    """The last text writes 0 as a binary64 number, but exponents are bounded in the decimal reading."""
    lines = as_csv(case).splitlines()
    lines[1] = text + lines[1][lines[1].index(",") :]
    is_same = text == NO_NUMBERS[-1] and case.rows[0][0] == 0 and case.proof["data"]["reading"] == "binary64"
    assert run_file(tmp_path, json.dumps(case.proof).encode(), "\n".join(lines).encode()) == (0 if is_same else 3)


DEEPER = b'{"data":' * 50_000
NO_PROOFS = [
    *(b"", b"not a proof", b"[]", b"1", b"null", b'{"format": NaN}', b'{"format": "\xe9"}', b"\0" * 9, b"[" * 100_000),
    *(DEEPER, b'{"version": ' + b"9" * 5000 + b"}", gzip.compress(b"{}")),
    '{"format": "maxmargin-proof"}'.encode("utf-16"),
    b'{"claim": "overlap", "data": ' + b"[" * 50_000 + b"]" * 49_999 + b"}",
]
HEAD = b'{"format": "maxmargin-proof", "version": 1, "claim": '
LONE_SURROGATE = HEAD + b'"overlap", "question": "two-class", "\\ud800": 1}'
CLAIMS_OF_A_WRONG_FORM = [
    LONE_SURROGATE,
    HEAD + b'"\\ud800"}',
    b'{"claim": "overlap", "data": ' + b"[" * 50_000 + b"]" * 50_000 + b"}",
    b'{"claim": "overlap", "claim": "separable"}',
    b'{"claim": "overlap", "data": {"values": [{"a": 1, "\\u0061": 1}]}}',
    b'{"claim": "overlap", "data": {"label": -Infinity}}',
]


@for_each("proof", [*NO_PROOFS, *CLAIMS_OF_A_WRONG_FORM])
def test_hopeless_proofs_are_refused_in_words(proof: bytes, tmp_path: Path, capsys: Capture) -> None:
    """What is not JSON or makes no claim is bad input (2); a claim of a wrong form is refused (3)."""
    code = run_file(tmp_path, proof, as_csv(CASES[0]).encode())
    out, err = capsys.readouterr()
    assert code == (3 if proof in CLAIMS_OF_A_WRONG_FORM else 2)
    assert out.startswith("invalid: ") if code == 3 else err.startswith("not a proof: ")
    assert (out + err).count("\n") == 1 and not (out and err)


@pytest.mark.slow
def test_alone_it_needs_nothing(tmp_path: Path) -> None:
    """As a script with nothing of ours on its path."""
    for one, proof, code in (
        *((CASES[0], CASES[0].proof, 0), (CASES[0], CASES[1].proof, 0), (CASES[-1], CASES[-1].proof, 0)),
        *((CASES[0], CASES[-1].proof, 3), (CASES[0], DEEPER, 2), (CASES[0], LONE_SURROGATE, 3)),
    ):
        (tmp_path / "p.json").write_bytes(proof if isinstance(proof, bytes) else json.dumps(proof).encode())
        (tmp_path / "d.csv").write_text(as_csv(one), encoding="utf-8")
        process = _alone("p.json", "d.csv", folder=tmp_path)
        assert process.returncode == code
        said = {0: "valid: ", 2: "not a proof: ", 3: "invalid: "}[code]
        assert (process.stderr if code == 2 else process.stdout).startswith(said)
        assert (process.stdout if code == 2 else process.stderr) == ""
    (tmp_path / "p.json").write_text(json.dumps(CASES[0].proof), encoding="utf-8")
    for arguments in ([], ["p.json"], ["p.json", "d.csv", "x"], ["no.json", "d.csv"], ["p.json", "no.csv"]):
        process = _alone(*arguments, folder=tmp_path)
        assert process.returncode == 2
        assert process.stdout == "" and process.stderr.count("\n") == 1 and "Traceback" not in process.stderr


def _alone(*arguments: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-I", "-S", "-W", "error", str(CHECKER), *arguments]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60)


# In Python


@each_case
def test_verify_takes_arrays_and_any_two_labels(case: Case) -> None:
    is_decimal = case.proof["data"]["reading"] == "decimal"
    X = np.array(case.rows, dtype=object if is_decimal else float)
    sources = [(X.tolist(), case.labels)]
    if not is_decimal:
        sources += [(X, case.labels), (csr_array(X), [f"class {label + 1}" for label in case.labels])]
    for rows, labels in sources:
        assert mm.verify(case.proof, rows, labels) is mm.verify(json.dumps(case.proof), rows, labels) is True
    with pytest.raises(CertificateError, match="not the data of the proof"):
        mm.verify(case.proof, (X + Fraction(1, 3)).tolist(), case.labels)


def positive(case: Case, name: Any) -> dict[str, Any]:
    return case.changed(data={**case.proof["data"], "positive": name})


# The two names of the classes, those of the positive one that are right, and others.
NAMES = [
    (("no", "yes"), ["yes"], ["no", "Yes", " yes", "", 1, True, "+1"]),
    (("yes", "no"), ["no"], ["yes", None]),
    ((0, 1), [1, 1.0, "1", "1.0", "1e0", "+1"], [0, "0", True, "true", "True", "1_0", " 1", "1/1", 2, 10**400]),
    ((1.0, 0.5), [0.5, "0.5", ".5", "5e-1"], [1, 1.0, "1", 0.25]),
    ((False, True), [True, "True", "true"], [False, 1, "1", 1.0, "yes"]),
    (("b", "a"), ["a"], ["b", None]),
    ((2**53, 2**53 + 1), [2**53 + 1, str(2**53 + 1)], [2**53, float(2**53)]),
]


@pytest.mark.parametrize("names, right, wrong", NAMES, ids=str)
def test_the_class_that_a_proof_names_is_positive_and_no_other(names: Any, right: list[Any], wrong: list[Any]) -> None:
    """A class is named by its text or its number; another class, though the proof may hold for it, is refused."""
    one = CASES[0]
    X = np.array(one.rows, dtype=float)
    labels = np.array([names[label > 0] for label in one.labels])
    for name in right:
        assert mm.verify(positive(one, name), X, labels)
        assert mm.verify(json.dumps(positive(one, name)), X, labels.tolist())
    for name in wrong:
        with pytest.raises(CertificateError):
            mm.verify(positive(one, name), X, labels)


def test_of_many_classes_the_positive_one_must_be_named() -> None:
    one = CASES[0]
    X = np.array(one.rows, dtype=float)
    labels = ["a" if y > 0 else f"b{i}" for i, y in enumerate(one.labels)]
    assert mm.verify(positive(one, "a"), X, labels)
    with pytest.raises(CertificateError, match="no positive class is named, and the data have 3 classes"):
        mm.verify(one.proof, X, labels)
    for name in ("b0", "b1", "rest"):
        with pytest.raises(CertificateError):
            mm.verify(positive(one, name), X, labels)


def test_classes_are_numbered_as_the_proof_lists_them() -> None:
    one = next(case for case in CASES if case.name == "ordered-separable-binary64")
    X, names = np.array(one.rows, dtype=float), ["z", "m", "a"]

    def listing(classes: list[str]) -> dict[str, Any]:
        return one.changed(data={**one.proof["data"], "classes": classes})

    assert mm.verify(listing(names), X, names)
    assert mm.verify(listing(["0.0", "1", "2"]), X, [0, 1, 2])
    for classes in (["a", "m", "z"], ["z", "m"], ["z", "m", "a", "a"], ["z", "m", "b"], ["z", "z", "a"]):
        with pytest.raises(CertificateError):
            mm.verify(listing(classes), X, names)
    with pytest.raises(CertificateError, match="not the data of the proof: other values"):
        mm.verify(one.proof, X, names)
    with pytest.raises(CertificateError, match="no positive class"):
        mm.verify(positive(one, "z"), X, names)


@pytest.mark.parametrize("positive", ["no", "yes"])
def test_a_certificate_names_the_class_that_was_chosen(positive: str) -> None:
    X, y = [[1.0], [2.0], [4.0]], ["no", "no", "yes"]
    for answer in (mm.separability(X, y, positive=positive), mm.hard_margin(X, y, positive=positive, exact=True)):
        assert mm.verify(answer.certificate, X, y) and mm.verify(answer.certificate.to_json(), X, y)
        document = answer.certificate.to_dict()
        document["data"]["positive"] = {"no": "yes", "yes": "no"}[positive]
        with pytest.raises(CertificateError, match="not the data of the proof: other values"):
            mm.verify(document, X, y)


def test_verify_takes_certificates_and_files(tmp_path: Path) -> None:
    X, y = [[1.0, 0.0], [2.0, 1.0], [4.0, 0.5]], ["no", "no", "yes"]
    certificate = mm.separability(X, y).certificate
    path = tmp_path / "p.json"
    source: dict[str, Any] = {"source": "d.csv", "label": "kind", "positive": "yes", "drop": ["junk"], "id": None}
    write_proof(path, certificate, **source)
    assert all(mm.verify(proof, X, y) for proof in (certificate, path, str(path)))
    assert read_proof(path) == proof_document(certificate, **source)
    assert jsonschema.Draft202012Validator(SCHEMA).is_valid(read_proof(path))
    with pytest.raises(FileNotFoundError):
        mm.verify(tmp_path / "none.json", X, y)


@pytest.mark.parametrize("bad", [None, 1, [], {}, "{", '{"format": 1}', {"format": "maxmargin-proof"}])
def test_verify_refuses_what_is_no_proof(bad: Any) -> None:
    with pytest.raises(CertificateError):
        mm.verify(bad, [[1.0], [2.0]], [0, 1])


def test_verify_refuses_data_that_state_no_question() -> None:
    for x, labels, error in (
        *((math.nan, "aabb", mm.InvalidProblemError), (1.0, ["a", "b", None, "b"], mm.InvalidProblemError)),
        (1.0, "aaaa", CertificateError),
    ):
        with pytest.raises(error):
            mm.verify(CASES[0].proof, [[x]] * 4, list(labels))
