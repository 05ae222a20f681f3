"""Altered proofs: ``maxmargin verify``, `mm.verify` and the checker alone say the same of each, and none believes it.

`PROOF_SEED` chooses other alterations (the seed is printed where a test fails), `PROOF_MUTATIONS` how many there are.
"""

import io
import json
import os
import random
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pandas as pd
import pytest
from cases import for_each
from family_cases import FAMILIES, FamilyCase, answer_of, random_case
from proof_cases import CASES, POISON, Case, is_true

import maxmargin as mm
from maxmargin.cli.app import run
from maxmargin.solvers.proof.checker import OF_ROWS, CertificateError, NotAProofError, main, read_table

ROOT = Path(__file__).resolve().parents[3]
SCHEMA = jsonschema.Draft202012Validator(
    json.loads((ROOT / "docs" / "proofs" / "certificate.schema.json").read_bytes())
)
SEED = int(os.environ.get("PROOF_SEED", "20261122"))
N_MUTATIONS = int(os.environ.get("PROOF_MUTATIONS", "250"))


@dataclass(frozen=True)
class Raw:
    """JSON text that `json.dumps` would not write."""

    text: str


class Pairs(list[Any]):
    """The fields of a JSON object, which may repeat a key."""


@dataclass(frozen=True)
class Told:
    """A case whose classes have names, as a file, with its proof."""

    case: Case
    names: dict[int, str]
    text: str
    proof: dict[str, Any]

    @property
    def labels(self) -> list[str]:
        return [self.names[label] for label in self.case.labels]


def told(case: Case, random_: random.Random) -> Told:
    """Name the classes, write the file, and say in the proof how it is read."""
    codes = sorted(set(case.labels))
    names = random_.choice([["no", "yes", "zz"], ["0", "1", "2.0"], ["9", "10", "11"], ["A", "a b", "ä"]])
    if len(codes) == 2 and random_.random() < 0.2:
        names = ["0.5", "2e1"]
    is_turned = random_.random() < 0.5
    names = names[: len(codes)][:: -1 if is_turned else 1]
    named = dict(zip(codes, names, strict=True))
    source: dict[str, Any] = {"source": "d.csv", "label": random_.choice(["label", -1]), "id": None, "drop": []}
    if case.proof["question"] == "multinomial":
        source |= {"classes": names} if is_turned or random_.random() < 0.5 else {}
    elif is_turned or random_.random() < 0.5:
        source |= {"positive": names[-1]}
    header = [f"x{j}" for j in range(len(case.rows[0]))] + ["label"]
    lines = [[repr(float(x)) for x in row] + [named[y]] for row, y in zip(case.rows, case.labels, strict=True)]
    text = "".join(",".join(line) + "\n" for line in [header, *lines])
    return Told(case, named, text, {**case.proof, "data": {**case.proof["data"], **source}})


def written(value: Any) -> str:
    """Return JSON, with raw text as it is."""
    if isinstance(value, Raw):
        return value.text
    if isinstance(value, Pairs):
        return "{" + ",".join(f"{written(key)}:{written(part)}" for key, part in value) + "}"
    if isinstance(value, list):
        return "[" + ",".join(map(written, value)) + "]"
    return json.dumps(value)


def opened(value: Any) -> Any:
    """Return the same value with objects as pairs."""
    if isinstance(value, dict):
        return Pairs([key, opened(part)] for key, part in value.items())
    return [opened(part) for part in value] if isinstance(value, list) else value


# What a part of a file with a proof is replaced by.
VALUES: list[Any] = [
    *POISON, 10**400, "yes", "no", "\u0000", "true", "nan", "label", "x0", "4", "2/4", "9" * 30, "-0x" + "1" * 500,
    ["no", "yes"], ["yes", "no"], [["0", "1"]], "quasi-separable", "not-strictly-separable", "binary64",
    Raw("NaN"), Raw("Infinity"), Raw("-Infinity"), Raw("1e400"), Raw("-1e400"), Raw("1e-400"),
    Raw("9" * 5000), Raw("-" + "9" * 100_000), Raw("1" + "0" * 400), Raw("0." + "1" * 5000), Raw("1.0"), Raw("1e0"),
    Raw("-0"), Raw("01"), Raw("+1"), Raw("0x1"), Raw("'1'"), Raw('"\\ud800"'), Raw('"\\u0031"'), Raw('"\t"'), Raw(""),
    Raw("[" * 3000 + "]" * 3000), Raw('{"a":' * 3000 + "1" + "}" * 3000), Raw("[" * 3000), Raw("[" * 12 + "]" * 12),
    Raw('{"a":1,"a":1}'), Raw("\ufeff1"), Raw("1]"), Raw("1}"), Raw("1,2"), Raw("tru"),
]  # fmt: skip

KEYS = ["claim", "data", "bias", "positive", "label", "drop", "classes", "rows", "weights", "null_space", "direction",
        "margin_squared", "upper_squared", "one_hot", "drop_missing", "id", "values", "source", "comment", "sha256",
        ""]  # fmt: skip


def mutated(proof: dict[str, Any], random_: random.Random) -> bytes:
    """Return the file of the proof after one to three alterations."""
    document = opened(proof)
    for _ in range(random_.choice([1, 1, 1, 2, 3])):
        holders = [holder for holder in _holders(document) if holder]
        holder = random_.choice(holders)
        position = random_.randrange(len(holder))
        _alter(holder, position, random_)
    content = written(document).encode("utf-8", "surrogatepass")
    if random_.random() < 0.05:
        position = random_.randrange(len(content))
        content = random_.choice([
            content[:position], content[:position] + b"\xff" + content[position:],
            content[:position] + content[position + 1 :],
            b"\xef\xbb\xbf" + content, content.decode("utf-8", "replace").encode("utf-16"),
            content + content, b"\0" + content,
        ])  # fmt: skip
    return content


def _holders(value: Any) -> list[Any]:
    parts = [pair[1] for pair in value] if isinstance(value, Pairs) else value if isinstance(value, list) else []
    return ([value] if isinstance(value, list) else []) + [found for part in parts for found in _holders(part)]


def _alter(holder: Any, position: int, random_: random.Random) -> None:
    is_object = isinstance(holder, Pairs)
    old = holder[position][1] if is_object else holder[position]
    new: Any = old
    match random_.choice(["poison", "poison", "kind", "delete", "repeat", "add", "swap", "nudge"]):
        case "poison":
            new = opened(random_.choice(VALUES))
        case "kind":
            new = random_.choice([str(old), [old], Raw(f"{old}.0"), Raw(f"{old}e0"), Raw(f"-{old}")])
        case "delete":
            del holder[position]
            return
        case "repeat":
            again = [holder[position][0], random_.choice([old, opened(random_.choice(VALUES))])] if is_object else old
            holder.insert(random_.randrange(len(holder) + 1), again)
            return
        case "add":
            value = opened(random_.choice(VALUES))
            holder.append([random_.choice(KEYS), value] if is_object else value)
            return
        case "swap":
            other = random_.randrange(len(holder))
            holder[position], holder[other] = holder[other], holder[position]
            return
        case "nudge" if isinstance(old, str):
            new = random_.choice([old[::-1], "-" + old, old.removeprefix("-"), old + "0", old[:-1], old.upper()])
        case "nudge" if isinstance(old, int):
            new = random_.choice([old + 1, old - 1, -old, not old, old * 2**64])
    holder[position] = [holder[position][0], new] if is_object else new


def outcome(call: Callable[[], int]) -> tuple[int, str]:
    """Return the exit code and all that was written."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2)]
    with redirect_stdout(streams[0]), redirect_stderr(streams[1]):
        code = call()
    for stream in streams:
        stream.seek(0)
    out, err = (stream.read() for stream in streams)
    assert (out == "", err == "") == (code == 2, code != 2), (code, out, err)
    assert (out + err).count("\n") == 1, out + err
    return code, out + err


def in_python(path: Path, X: Any, labels: Any) -> int:
    """Return the exit code that `mm.verify` stands for."""
    try:
        return 0 if mm.verify(path, X, labels) is True else 1
    except NotAProofError:
        return 2
    except CertificateError:
        return 3


def check_alike(one: Told, content: bytes) -> int:
    """Have all doors judge the proof, and a true claim alone be accepted; return the exit code."""
    path, data = Path("p.json"), Path("d.csv")
    path.write_bytes(content)
    data.write_text(one.text, encoding="utf-8")
    code, alone = outcome(lambda: main([str(path), str(data)]))
    typed, shown = outcome(lambda: run(["verify", str(path), str(data), "--quiet"]))
    assert (code, typed) in ((0, 0), (2, 2), (3, 3)), (alone, shown)
    assert code != 0 or shown.startswith(f"{alone.rstrip()} for d.csv, ")
    if one.case.proof["data"]["reading"] == "binary64" and not is_about_columns(content):
        X = np.array(one.case.rows, dtype=float)
        assert in_python(path, X, one.labels) == code, alone
    if code == 0:
        assert_true(one, json.loads(content), alone)
    return code


def is_about_columns(content: bytes) -> bool:
    """Whether the proof reads the file in another way, of which arrays know nothing."""
    try:
        data = json.loads(content)["data"]
        return (data.get("label"), data.get("drop") or [], data.get("id")) not in (("label", [], None), (-1, [], None))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        return False


def assert_true(one: Told, proof: dict[str, Any], answer: str) -> None:
    """Check by other means what was accepted: the claim, of the data, for the class that it names."""
    before = one.proof
    assert all(proof[name] == before[name] for name in ("format", "version", "question"))
    fixed = ("sha256", "n_samples", "n_features", "reading")
    assert all(proof["data"][name] == before["data"][name] for name in fixed)
    before_with_bias = one.case.changed(data={**one.case.proof["data"], "bias": proof["data"]["bias"]})
    assert is_true(replace(one.case, proof=before_with_bias), proof), proof
    assert [error.message for error in SCHEMA.iter_errors(proof)] == []
    assert answer.startswith(f"valid: {proof['claim']}")
    if proof["question"] == "two-class":
        shown = answer.partition("(two-class: '")[2].partition("' (+1")[0]
        positive = proof["data"].get("positive", None)
        named = max(one.names.values(), key=same) if positive is None else positive
        assert same(shown) == same(one.names[1]) == same(named)
    elif proof["data"].get("classes"):
        assert list(map(same, proof["data"]["classes"])) == [same(one.names[code]) for code in sorted(one.names)]


def same(name: Any) -> tuple[bool, Any]:
    """Return what is equal for two ways to write the name of a class, and in the order of the classes."""
    try:
        return True, Fraction(str(name))
    except ValueError:
        return False, str(name)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_right_proofs_are_accepted_at_every_door(folder: Path) -> None:
    random_ = random.Random(SEED)
    for case in CASES:
        one = told(case, random_)
        assert check_alike(one, json.dumps(one.proof).encode()) == 0


@pytest.mark.sampled(1)
@pytest.mark.parametrize("part", range(4))
def test_altered_proofs_are_judged_alike_at_every_door_and_never_believed(part: int, folder: Path) -> None:
    counts = {0: 0, 2: 0, 3: 0}
    for k in range(part * N_MUTATIONS, (part + 1) * N_MUTATIONS):
        random_ = random.Random(f"{SEED}-{k}")
        one = told(random_.choice(CASES), random_)
        content = mutated(one.proof, random_)
        try:
            counts[check_alike(one, content)] += 1
        except Exception as error:
            error.add_note(f"PROOF_SEED={SEED}, alteration {k}: {content[:2000]!r}\n{one.text}")
            raise
    print(counts)
    assert counts[3] > N_MUTATIONS / 4


# What is put into the text of the data.
MARKS = ["", ",", ";", "\t", "\n", "\r", '"', '""', " ", "0", "1", "-", ".", "e5", "e400", "inf", "nan", "NA", "?",
         "true", "x", "label", "1_0", "\u0661", "\0", "\ufeff", "ä", "#", "1,0", "\n\n", "0x1"]  # fmt: skip


def altered_data(text: str, random_: random.Random) -> str:
    """Return the text of a file after an alteration or two."""
    if random_.random() < 0.4:
        body, semicolons = text.split("\n", 1)[1], text.replace(",", ";")
        text = random_.choice([body, semicolons, text.replace("\n", "\r\n"), text.replace("\n", "\r"), text + body])
    for _ in range(random_.choice([1, 1, 2])):
        position = random_.randrange(len(text) + 1)
        text = text[:position] + random_.choice(MARKS) + text[position + random_.choice([0, 0, 1]) :]
    return text


def test_altered_data_are_read_alike_by_the_checker_and_the_command(folder: Path) -> None:
    for k in range(N_MUTATIONS // 2):
        random_ = random.Random(f"{SEED}-data-{k}")
        one = told(random_.choice(CASES), random_)
        Path("p.json").write_text(json.dumps(one.proof), encoding="utf-8")
        Path("d.csv").write_bytes(altered_data(one.text, random_).encode())
        alone, _ = outcome(lambda: main(["p.json", "d.csv"]))
        typed, _ = outcome(lambda: run(["verify", "p.json", "d.csv", "--quiet"]))
        seen = f"PROOF_SEED={SEED}, alteration {k}: {Path('d.csv').read_bytes()!r}\n{json.dumps(one.proof)}"
        assert alone == typed, seen
        if alone == 0:
            rows, _, labels = read_table("d.csv", one.proof)
            assert [[*map(Fraction, row)] for row in rows] == [[*map(Fraction, row)] for row in one.case.rows]
            assert tuple(labels) == one.case.labels


# Questions about likelihoods


def in_a_file(case: FamilyCase, folder: Path) -> tuple[pd.DataFrame, list[str]]:
    """Write the data with named columns, and return them and the options of a command."""
    named = {name: np.asarray(case.options[name]) for name in OF_ROWS if name in case.options}
    named = {name: values for name, values in named.items() if np.isfinite(values).all()}
    X = {f"x{j}": column for j, column in enumerate(case.X.T)}
    frame = pd.DataFrame({**X, **{name[:4]: values for name, values in named.items()}, "label": case.y})
    if case.options["family"] == "ordinal":
        frame["label"] = frame["label"].map({0: "low", 1: "mid", 2: "top"})
    frame.to_csv(folder / "d.csv", index=False)
    options = [word for name in named for word in (f"--{name}", name[:4])]
    if case.options["family"] == "ordinal":
        options += ["--levels", "low,mid,top"]
    if "ties" in case.options:
        options += ["--ties", case.options["ties"]]
    return frame, [*options, *["--no-bias"] * (case.options.get("bias") is False)]


@pytest.mark.sampled(2)
@pytest.mark.parametrize("family", FAMILIES)
@for_each("seed", range(8))
def test_proofs_in_files_hold_at_every_door_and_altered_ones_are_judged_alike(
    family: str, seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = random_case(family, seed)
    if case is None or not case.inequalities():
        return
    monkeypatch.chdir(tmp_path)
    frame, options = in_a_file(case, tmp_path)
    code = run(["check", "d.csv", "--family", family, *options, "--proof", "p.json", "--force", "--json", "--quiet"])
    assert code == (0 if answer_of(case).strictly_separable else 3)
    proof = json.loads(Path("p.json").read_bytes())
    assert proof["question"] == family
    assert mm.verify(proof, frame, "label")
    del proof["data"]["rules"]
    for k in range(10):
        content = json.dumps(proof).encode() if not k else mutated(proof, random.Random(f"{family} {seed} {k}"))
        Path("p.json").write_bytes(content)
        alone, text = outcome(lambda: main(["p.json", "d.csv"]))
        typed, shown = outcome(lambda: run(["verify", "p.json", "d.csv", "--quiet"]))
        assert alone == typed or b'"header"' not in content or b'"formula"' in content, (text, shown, content)
        assert k or alone == 0, text
