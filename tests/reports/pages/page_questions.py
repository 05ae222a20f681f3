"""Proofs that hold and proofs that do not, with their data, as questions to the check inside a page."""

import copy
import json
import random
import re
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from proof_cases import CASES, POISON
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from zoo import INSEPARABLE, SEPARABLE, drawn

import maxmargin as mm
from maxmargin.reports.pages.page_data import embedded_data, raw_data
from maxmargin.solvers.problem.problem import ClassProblem, Problem
from maxmargin.solvers.proof import checker
from maxmargin.solvers.proof.certificate import Certificate
from maxmargin.solvers.proof.checker import CertificateError, check, parse
from maxmargin.solvers.proof.likelihood import Likelihood

FORMATS = ("embedded", "base64", "binary")
AnyProblem = Problem | ClassProblem | Likelihood
Document = dict[str, Any]


@dataclass(frozen=True)
class Question:
    """A proof, the data it is checked against, and how they reach the page."""

    name: str
    proof: str
    problem: AnyProblem
    format: str = "embedded"
    part: Document | None = None
    has_crypto: bool = True
    raw: bytes | None = None
    """What a file holds instead of the bytes of the data."""

    @property
    def line(self) -> str:
        """The question as the runner takes it."""
        line: Document = {"proof": self.proof, "part": self.part, "hasCrypto": self.has_crypto}
        if self.format == "embedded":
            return json.dumps({**line, "data": embedded_data(self.problem)})
        text = b64encode(b"".join(raw_data(self.problem)) if self.raw is None else self.raw).decode()
        return json.dumps({**line, "bytes": text} if self.format == "binary" else {
            **line, "data": {"format": "base64", "text": text}
        })  # fmt: skip

    @property
    def expected(self) -> str | None:
        """The first false statement, by the checker."""
        rows, labels = rows_and_labels(self.problem)
        if self.part:
            kept = [i for i, c in enumerate(labels) if c in {self.part["positive"], *self.part["negative"]}]
            rows = [rows[i] for i in kept]
            labels = [1 if labels[i] == self.part["positive"] else -1 for i in kept]
        try:
            proof = parse(self.proof.encode("utf-8", "surrogatepass"))
            check(proof, rows, labels)
        except CertificateError as error:
            return str(error)
        return None


def rows_and_labels(problem: AnyProblem) -> tuple[list[list[float]], list[Any]]:
    if isinstance(problem, Likelihood):
        return problem.X.tolist(), problem.responses.tolist()
    labels = problem.y if isinstance(problem, Problem) else problem.codes
    return problem.matrix.tolist(), [int(label) for label in labels]


# Right proofs


def certificates(X: Any, y: Any, bias: bool) -> Iterator[Certificate]:
    """The proofs that the package finds about data."""
    verdict = mm.separability(X, y, bias=bias).certificate
    yield verdict
    if verdict.question == "two-class" and verdict.claim == "separable":
        for exact in (False, True):
            interval = mm.hard_margin(X, y, bias=bias, exact=exact).interval_certificate
            if interval is not None:
                yield interval


def weaker(proof: Document) -> Iterator[Document]:
    """The proof, and those of the claims that its numbers prove too."""
    yield proof
    parts = {
        "overlap": ["not-strictly-separable"],
        "quasi-separable": ["not-strictly-separable"],
        "margin-exactly": ["separable", "margin-at-least", "margin-at-most"],
        "margin-between": ["separable", "margin-at-least", "margin-at-most"],
    }
    for claim in parts.get(proof["claim"], []):
        names = ["format", "version", "question", "data", *checker.FIELDS[claim].split()]
        found = {**{name: proof[name] for name in names}, "claim": claim}
        if claim == "margin-at-most":
            found["margin_squared"] = proof.get("upper_squared", proof["margin_squared"])
        yield found


def drawn_data(number: int) -> tuple[np.ndarray, np.ndarray, bool]:
    """Data of a generated family, their labels, and whether there is a bias."""
    case = drawn(number)
    return case.rows.floats(), case.y, number % 3 > 0


def loaded(load: Any) -> tuple[np.ndarray, np.ndarray]:
    """A data set of scikit-learn."""
    bunch = load()
    return bunch.data, bunch.target


@cache
def data_sets() -> tuple[tuple[str, Any, Any, bool], ...]:
    sets = [(known.name, known.X, known.y, known.bias) for known in SEPARABLE + INSEPARABLE]
    sets += [(f"drawn-{number}", *drawn_data(number)) for number in range(84)]
    y = np.arange(9) % 3
    touching = np.column_stack([np.maximum(y, 1) * 2.0, np.where(y == 2, 0.5, 0)])
    for seed in range(5):  # classes that are each at every point, far apart, and touching
        X = np.random.default_rng(seed).integers(-3, 4, (9, 2)).astype(float)
        kinds = ((X.repeat(3, axis=0), np.tile(range(3), 9)), (X + 10 * np.eye(3)[y][:, 1:], y), (seed + touching, y))
        sets += [(f"classes-{seed}", *kind, True) for kind in kinds]
    iris, wine = loaded(load_iris), loaded(load_wine)
    sets += [("breast_cancer", *loaded(load_breast_cancer), True), ("iris", *iris, True), ("wine", *wine, False)]
    for name, (X, y) in (("iris", iris), ("wine", wine), ("digits", loaded(load_digits))):
        for pair in ((0, 1), (0, 2), (1, 2)):
            kept = np.isin(y, pair)
            sets.append((f"{name}-{pair}", X[kept], y[kept], True))
    return tuple(sets)


def problem_of_case(case: Any) -> AnyProblem:
    """The data of a case of the kit, whose rows are fractions."""
    X, bias = np.array(case.rows, dtype=float), case.proof["data"]["bias"]
    if case.proof["question"] == "two-class":
        return Problem(X, np.array(case.labels, dtype=float), bias)
    return ClassProblem(X, np.array(case.labels), max(case.labels) + 1, bias)


@cache
def right_by_hand() -> tuple[Question, ...]:
    """Proofs of every claim that hold, about a few rows each."""
    cases = [case for case in CASES if case.proof["data"]["reading"] == "binary64"]
    return tuple(
        Question(case.name, json.dumps(case.proof), problem_of_case(case), FORMATS[k % 3])
        for k, case in enumerate(cases)
    )


@cache
def right() -> tuple[Question, ...]:
    """These proofs, those of the package about many data sets, and those about some classes of data of several."""
    found = [*right_by_hand()]
    for name, X, y, bias in data_sets():
        for certificate in certificates(X, y, bias):
            proof, problem = certificate.to_dict(), certificate.problem
            assert isinstance(problem, Problem | ClassProblem)
            found += [Question(f"{name}-{each['claim']}", json.dumps(each), problem) for each in weaker(proof)]
    return (*(replace(question, format=FORMATS[k % 3]) for k, question in enumerate(found)), *parts_of_classes())


def parts_of_classes() -> list[Question]:
    """Proofs about some classes of data of several classes, which the page selects."""
    found = []
    for load in (load_iris, load_wine):
        X, y = loaded(load)
        whole = ClassProblem(np.ascontiguousarray(X), y.astype(np.int64), 3)
        for positive, negative in ((1, [0]), (2, [1]), (0, [1, 2]), (2, [1, 0])):
            kept = np.isin(y, [positive, *negative])
            signs = np.where(y[kept] == positive, 1.0, -1.0)
            for certificate in certificates(X[kept], signs, True):
                part = {"positive": positive, "negative": negative}
                text = certificate.to_json()
                found.append(Question(f"{load.__name__}-{part}", text, whole, FORMATS[len(found) % 3], part))
    return found


# Altered proofs and data

# What is added to the data of a proof, and whether the form still holds.
READINGS = [
    *('"x": 1', '"bias": true', '"rules": 1.0', '"rules": 1.5', '"rules": 1e400', '"label": -0.0', '"label": [0]'),
    *('"positive": 1.5', '"positive": null', '"positive": {}', '"drop": ["a", 1]', '"drop": [1.5]', '"drop": "a"'),
    *('"coded": {"a": ["b"]}', '"coded": {"a": [1]}', '"coded": []', '"coded": {"a": [], "a": []}', '"missing": [[]]'),
    *('"classes": ["0", "1"]', '"values": []', '"values": [["1", "2"]]', '"header": 0', '"source": "a: \\"b\\": {"'),
]


def positions(words: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every value inside the words."""
    entries = words.items() if isinstance(words, dict) else enumerate(words) if isinstance(words, list) else ()
    for key, value in entries:
        yield (*path, key)
        yield from positions(value, (*path, key))


def altered(proof: Document, random_: random.Random) -> Document:
    """Return the proof with one part altered."""
    document = copy.deepcopy(proof)
    found = list(positions(document))
    numbers = [path for path in found if path[0] in checker.NUMBERS or path[0] == "rows"]
    *before, key = random_.choice(found if random_.random() < 0.4 else numbers)
    holder = document
    for step in before:
        holder = holder[step]
    match random_.choice(["poison", "delete", "nudge", "nudge", "nudge", "swap", "repeat"]):
        case "delete":
            del holder[key]
        case "swap" if isinstance(holder, list):
            other = random_.randrange(len(holder))
            holder[key], holder[other] = holder[other], holder[key]
        case "repeat" if isinstance(holder, list):
            holder.insert(random_.randrange(len(holder) + 1), copy.deepcopy(holder[key]))
        case "nudge" if isinstance(holder[key], str) and holder[key]:
            old = holder[key]
            new = [f"-{old}", old.removeprefix("-"), f"{old}0", old[:-1], old.upper(), f"{old}/2", f"1{old}"]
            holder[key] = random_.choice([*new, nudged(old)])
        case "nudge" if isinstance(holder[key], int):
            holder[key] = random_.choice([holder[key] + 1, holder[key] - 1, -holder[key], holder[key] * 2**64])
        case _:
            holder[key] = copy.deepcopy(random_.choice(POISON))
    return document


def nudged(text: str) -> str:
    """Return an integer one greater; other text as it is."""
    return str(int(text) + 1) if re.fullmatch("-?[0-9]{1,4000}", text) else text


# Cases of the kit and fields that make their proofs false.
FORGED: list[tuple[str, Document]] = [
    ("xor-overlap", {"claim": "quasi-separable", "direction": ["0", "0", "0"]}),
    ("collinear-overlap", {"null_space": []}),
    ("collinear-overlap", {"null_space": [["-6", "3", "0"]] * 2}),
    ("collinear-overlap", {"null_space": [["-6", "3", "1"]]}),
    ("collinear-overlap", {"null_space": [["-6", "3"]]}),
    ("both-labels-overlap", {"null_space": [["2", "-1", "0"], ["1", "0", "-1"], ["0"] * 3, ["0"] * 3]}),
    ("both-labels-overlap", {"null_space": [["2", "-1", "0"]]}),
    ("xor-overlap", {"rows": [], "weights": []}),
    ("xor-not-strictly-separable", {"rows": [], "weights": []}),
    ("agresti-margin-at-most", {"rows": [], "weights": []}),
    ("agresti-margin-at-most", {"rows": [1], "weights": ["1"]}),
    ("agresti-margin-at-most", {"margin_squared": "-100/-1"}),
    ("agresti-margin-at-least", {"direction": ["1", "0"], "margin_squared": "-1"}),
    *(
        ("everywhere-not-strictly-separable", {"rows": [[0, 1], pair]})
        for pair in ([1, 1], [1, 3], [1, -1], [1, "0"], ["1", 0], [1], [1, 0, 2], [1, 0.5], [-5, 0], [6, 0], "10", None)
    ),
    ("xor-not-strictly-separable", {"rows": ["3", 1, 2, 0]}),
    ("xor-not-strictly-separable", {"rows": [3, 1, 2, -4]}),
    ("xor-not-strictly-separable", {"rows": [3, 1, 2, 4]}),
]


def altered_data(problem: AnyProblem, random_: random.Random) -> AnyProblem:
    """Return the data with one number, label or row altered."""
    X, labels = np.array(problem.matrix), np.array(problem.y if isinstance(problem, Problem) else problem.codes)
    i, k, j = random_.randrange(len(X)), random_.randrange(len(X)), random_.randrange(X.shape[1])
    match random_.randrange(7):
        case 0:
            X[i, j] = np.nextafter(X[i, j], np.inf)
        case 1:
            X[i, j] = random_.choice([-1, 0, 1e9, 1e300, -1e-300, np.inf, np.nan])
        case 2:
            labels[i], labels[k] = labels[k], labels[i]
        case 3:
            X[[i, k]] = X[[k, i]]
        case 4:
            X, labels = X[:-1], labels[:-1]
        case 5:
            X = X[:, :-1] if X.shape[1] > 1 else np.hstack([X, X])
        case _:
            X[i] = -X[i] or 0.0 if X.shape[1] == 1 else -X[i]
    if isinstance(problem, Problem):
        return replace(problem, X=np.ascontiguousarray(X), y=labels, known_bounds=None)
    return replace(problem, X=np.ascontiguousarray(X), codes=labels, known_bounds=None)


def altered_questions(questions: tuple[Question, ...]) -> list[Question]:
    """Proofs and data of which most do not hold."""
    found, whole = [], [question for question in questions if question.part is None]
    small = [question for question in whole if question.problem.n_samples < 60]
    for k in range(500):
        random_ = random.Random(f"proof-{k}")
        question = random_.choice(small)
        document = altered(json.loads(question.proof), random_)
        found.append(replace(question, name=f"{question.name}-proof-{k}", proof=json.dumps(document)))
    for k, question in enumerate(random.Random("texts").choices(small, k=4 * len(READINGS))):
        text = question.proof.replace('"data": {', f'"data": {{{READINGS[k // 4]}, ', 1)
        text = ["\ufeff", "\ufeff\ufeff", " ", "\n"][k % 4] + text if k % 7 == 0 else text
        found.append(replace(question, name=f"{question.name}-text-{k}", proof=text))
    for k in range(300):
        random_ = random.Random(f"data-{k}")
        question = random_.choice(small if k % 10 else whole)
        problem = altered_data(question.problem, random_)
        proof = json.loads(question.proof)
        if k % 3 == 1 and np.isfinite(problem.matrix).all():  # only the numbers of the proof can be wrong
            shape = {"n_samples": problem.n_samples, "n_features": problem.n_features}
            proof["data"] |= {"sha256": problem.sha256, **shape}
        name = f"{question.name}-data-{k}"
        found.append(replace(question, name=name, proof=json.dumps(proof), problem=problem, has_crypto=k % 3 != 2))
    cases = {question.name: question for question in right_by_hand()}
    for name, fields in FORGED:
        question = cases[f"{name}-binary64"]
        proof = json.dumps({**json.loads(question.proof), **fields})
        found.append(replace(question, name=f"forged {name}, {fields}", proof=proof))
    return found


# Errors about the form of a proof or of data, which the page may word in another way.
FORM = re.compile(
    "wrong type|expected the fields|missing or superfluous|not a list of length|no such number|not a proof|"
    "the version|the reading|the rows? of|is not [0-9]+ finite|[0-9] rows, not"
)
