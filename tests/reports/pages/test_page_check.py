"""The check inside a page, `check_proof.js` run in Node, says of every proof what the checker says of it."""

import json
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from importlib.resources import files
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest
from family_cases import FAMILIES, answer_of, random_case
from page_questions import (
    CASES,
    FORM,
    Document,
    Question,
    altered,
    altered_questions,
    problem_of_case,
    right,
    right_by_hand,
)

from maxmargin.reports.pages.page_data import raw_data
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof import checker
from maxmargin.solvers.separability.feasibility import separability

NODE = shutil.which("node")
RUNNER = Path(__file__).with_name("page_check_runner.js")
SCRIPT = Path(str(files("maxmargin.reports.templates") / "check_proof.js"))

needs_node = pytest.mark.skipif(NODE is None, reason="node is not on PATH: the page's check is not run")


def answers(questions: list[Question]) -> list[Document]:
    """Ask all in one process."""
    assert NODE is not None
    text = "".join(f"{question.line}\n" for question in questions)
    process = subprocess.run(
        [NODE, str(RUNNER), str(SCRIPT), str(SCRIPT.with_name("sha256.js"))],
        input=text, capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert process.returncode == 0 and process.stderr == "", process.stderr
    found = [json.loads(line) for line in process.stdout.splitlines()]
    assert len(found) == len(questions)
    return found


@dataclass(frozen=True)
class Judged:
    """A question, what the checker says of it, and what the page says."""

    question: Question
    expected: str | None
    answer: Document


def judged(questions: list[Question]) -> list[Judged]:
    found = zip(questions, answers(questions), strict=True)
    return [Judged(question, question.expected, answer) for question, answer in found]


def assert_alike(one: Judged) -> None:
    """The answer is that of the checker, and names the same false statement."""
    answer, note = one.answer, f"{one.question.name}: {one.answer}\nexpected {one.expected}\n{one.question.proof[:800]}"
    assert answer["valid"] == (one.expected is None), note
    assert (answer["error"] is None) == answer["valid"] and answer["ms"] >= 0, note
    if one.expected is not None:
        assert answer["error"] and (FORM.search(one.expected) or answer["error"] == one.expected), note


# Tests


@needs_node
@pytest.mark.parametrize("questions", [right_by_hand, pytest.param(right, marks=pytest.mark.slow)])
def test_right_proofs_of_every_claim_hold_in_the_page(questions: Callable[[], tuple[Question, ...]]) -> None:
    results = judged([*questions()])
    for one in results:
        assert_alike(one)
        proof = json.loads(one.question.proof)
        assert one.expected is None and one.answer["claim"] == proof["claim"] and one.answer["sha256"]
        rows = f"{proof['data']['n_samples']} rows x "
        assert one.answer["did"].startswith(rows) == ("direction" in proof), one.answer
    kinds = Counter((one.answer["claim"], json.loads(one.question.proof)["question"]) for one in results)
    assert questions is right_by_hand or (len(results) >= 200 and min(kinds.values()) >= 5)
    assert len(kinds) == len(checker.FIELDS) + len([claim for claim in checker.FIELDS if "margin" not in claim])


@needs_node
@pytest.mark.parametrize("questions", [right_by_hand, pytest.param(right, marks=pytest.mark.slow)])
def test_altered_proofs_and_data_are_judged_as_by_the_checker(
    questions: Callable[[], tuple[Question, ...]],
) -> None:
    results = judged(altered_questions(questions()))
    for one in results:
        assert_alike(one)
    kinds = Counter("valid" if one.expected is None else re.sub("[0-9]+", "#", one.expected) for one in results)
    assert len(results) - kinds["valid"] >= 200 and kinds["valid"] >= 20
    assert sum(number for text, number in kinds.items() if text.startswith("row #: z.v")) >= 20
    assert sum(number for text, number in kinds.items() if text != "valid" and not FORM.search(text)) >= 200


@needs_node
def test_proofs_about_likelihoods_are_judged_as_the_checker_judges_them() -> None:
    questions, cases = [], (random_case(*one) for one in product(FAMILIES, range(12)))
    for k, case in enumerate(case for case in cases if case is not None and case.inequalities()):
        answer, random_ = answer_of(case), Random(k)
        likelihood, proof = answer.likelihood, answer.certificate.to_json()
        other = replace(likelihood, responses=likelihood.responses + np.eye(len(case.rows), 1, 1 - len(case.rows)))
        texts = [json.dumps(altered(json.loads(proof), random_)) for _ in range(6)]
        for text, problem in ((proof, likelihood), (proof, other), *((text, likelihood) for text in texts)):
            questions.append(Question(f"case {k}", text, problem, format="binary"))
    results = judged(questions)
    for one in results:
        assert_alike(one)
    assert len([one for one in results if one.expected is None]) >= 40


def named(name: str) -> Question:
    """A small question whose proof holds."""
    return next(question for question in right_by_hand() if question.name == f"{name}-binary64")


@needs_node
def test_a_file_that_is_cut_off_or_has_another_head_is_refused() -> None:
    question = named("agresti-separable")
    raw = b"".join(raw_data(question.problem))
    damaged = [raw[:-1], raw[:-9], raw[:3], b"", raw + b"\0", raw + b"\1" * 6, b"2" + raw, raw[1:], b"9" * 60 + raw]
    questions = [replace(question, format=name, raw=part) for part in damaged for name in ("binary", "base64")]
    found = answers([replace(question, format="binary", raw=raw), *questions])
    assert [answer["valid"] for answer in found] == [True] + [False] * len(questions)
    assert all(answer["error"] for answer in found[1:])


@needs_node
def test_a_zero_has_no_sign_in_the_hash() -> None:
    question = named("xor-overlap")
    raw = b"".join(raw_data(question.problem))
    assert raw.startswith(b"4 2\n" + bytes(16))
    (answer,) = answers([replace(question, format="binary", raw=b"4 2\n" + bytes(7) + b"\x80" + raw[12:])])
    assert answer["valid"] and answer["sha256"] == question.problem.sha256


@needs_node
@pytest.mark.parametrize("n_rows", [2, 3, 7, 50, 400])
def test_a_page_that_came_without_encryption_computes_the_hash_itself(n_rows: int) -> None:
    X, y = np.random.default_rng(n_rows).normal(size=(n_rows, 3)), np.resize([1.0, -1.0], n_rows)
    problem = Problem(X, y)
    certificate = separability(problem).certificate
    assert certificate is not None
    (answer,) = answers([Question("random", json.dumps(certificate.to_dict()), problem, has_crypto=False)])
    assert answer["valid"] and answer["sha256"] == problem.sha256


@needs_node
def test_decimals_are_left_to_the_command() -> None:
    (case,) = (case for case in CASES if case.name == "agresti-separable-decimal")
    (answer,) = answers([Question(case.name, json.dumps(case.proof), problem_of_case(case))])
    assert not answer["valid"] and "maxmargin verify" in answer["error"]


@needs_node
def test_what_is_no_proof_is_refused() -> None:
    question = named("agresti-separable")
    texts = ["", "{", "1", "null", "[]", "{}", '"x"', '{"claim": "separable"}', "[" * 100_000, question.proof + "}"]
    found = answers([replace(question, proof=text) for text in texts])
    assert [answer["valid"] for answer in found] == [False] * len(texts)
    assert all(answer["error"] for answer in found)
