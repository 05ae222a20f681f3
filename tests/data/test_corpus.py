"""The ground-truth corpus: on any number of generated cases no verdict is wrong and no interval misses the margin."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from itertools import islice
from math import isinf

import numpy as np
import pytest
from cases import of_today
from zoo import drawn

import maxmargin as mm
from maxmargin.data.generators import Truth
from maxmargin.solvers.hard_margin.hard_margin import hard_margin
from maxmargin.solvers.problem.problem import Problem
from maxmargin.solvers.proof.checker import CertificateError, check
from maxmargin.solvers.separability.feasibility import separability

# Share of cases that may stay undecided.
MOST_UNDECIDED = 0.001

# One case in three is asked through the origin, where that answer is known.
THROUGH_THE_ORIGIN = 3


@dataclass(frozen=True)
class Question:
    """A problem and the known answer."""

    name: str
    problem: Problem
    verdict: str
    margin_squared: Fraction | None
    touching: list[int] | None


def ask(name: str, *, bias: bool) -> Question | None:
    """Return the question of a generated data set, None if its answer is not known."""
    data = mm.generate(name)
    return asked(name, data.X, data.y, data.truth, bias=bias)


def asked(name: str, X: np.ndarray, y: np.ndarray, truth: Truth, *, bias: bool) -> Question | None:
    if bias:
        verdict, square, touching = truth.verdict, truth.margin_squared, truth.touching_rows
    elif truth.verdict_through_origin is None:
        return None
    else:
        verdict, square = truth.verdict_through_origin, truth.margin_squared_through_origin
        touching = truth.touching_rows_through_origin
    problem = Problem(X, y.astype(np.float64), bias)
    known = None if touching is None else list(touching)
    return Question(f"{name}{'' if bias else ' through the origin'}", problem, verdict, square, known)


def case(number: int) -> Question:
    """Return case ``number`` of the corpus."""
    case = drawn(number)
    of_case = partial(asked, f"case {number}", case.rows.floats(), case.y, case.truth)
    question = (of_case(bias=False) if number % THROUGH_THE_ORIGIN == 0 else None) or of_case(bias=True)
    assert question is not None
    return question


def faults(question: Question, answer: mm.Separability) -> list[str]:
    """Return what is wrong with the answer; `undecided` is not."""
    is_separable = question.verdict == "separable"
    found = []
    if answer.verdict not in (question.verdict, mm.Verdict.UNDECIDED):
        found.append(f"{answer.verdict}, not {question.verdict}")
    if answer.strictly_separable not in (None, is_separable):
        found.append(f"strictly separable {answer.strictly_separable}, not {is_separable}")
    if answer.verdict is not mm.Verdict.UNDECIDED and question.touching is not None:
        assert answer.touching_rows is not None and answer.separated_rows is not None
        touching = set(question.touching)
        others = [row for row in range(question.problem.n_samples) if row not in touching]
        if answer.touching_rows.tolist() != question.touching or answer.separated_rows.tolist() != others:
            found.append(f"rows {answer.touching_rows.tolist()} touch, not {question.touching}")
    if answer.verdict is not mm.Verdict.UNDECIDED and answer.proof != "exact":
        found.append("no proof")
    return [f"{question.name}: {fault}" for fault in found]


def misses(question: Question, answer: mm.HardMargin) -> list[str]:
    """Return what is wrong with the interval, or with the exact margin where it is given."""
    square = question.margin_squared
    is_below = Fraction(answer.lower) ** 2 <= square
    is_above = isinf(answer.upper) or square <= Fraction(answer.upper) ** 2
    fault = f"{question.name}: [{answer.lower!r}, {answer.upper!r}] misses the root of {square}"
    is_same = answer.margin_squared in (None, square)
    return [] if is_below and is_above and is_same else [fault]


def judge_verdicts(numbers: Iterable[int]) -> tuple[list[str], Counter[str]]:
    wrong: list[str] = []
    counts: Counter[str] = Counter()
    for question in map(case, numbers):
        answer = separability(question.problem)
        wrong += faults(question, answer) + refusals(question, answer)
        counts[answer.verdict.value] += 1
    return wrong, counts


def refusals(question: Question, answer: mm.Separability) -> list[str]:
    """Return what the checker, which shares no code with the finder, says against the proofs of an answer."""
    rows, signs = question.problem.X.tolist(), question.problem.y.astype(int).tolist()
    found = []
    for certificate in (answer.certificate, answer.witness):
        try:
            if certificate is not None:
                check(json.loads(certificate.to_json()), rows, signs)
        except CertificateError as error:
            found.append(f"{question.name}: {certificate.claim}: {error}")
    return found


def judge_margins(numbers: Iterable[int], n_wanted: int) -> tuple[list[str], Counter[str]]:
    """Check intervals, and every other time the exact margin too."""
    wrong: list[str] = []
    counts: Counter[str] = Counter()
    for question in islice(filter(has_margin, map(case, numbers)), n_wanted):
        exact = counts.total() % 2 == 0
        answer = hard_margin(question.problem, exact=exact)
        wrong += misses(question, answer)
        counts["exact" if exact and answer.margin_squared is not None else answer.status.value] += 1
    return wrong, counts


def has_margin(question: Question) -> bool:
    return question.verdict == "separable" and question.margin_squared is not None


def assert_right(numbers: Sequence[int]) -> None:
    wrong, counts = judge_verdicts(numbers)
    assert not wrong, f"{len(wrong)} wrong: {wrong[:10]}"
    assert counts["undecided"] <= MOST_UNDECIDED * counts.total(), counts
    assert min(counts[verdict] for verdict in ("separable", "quasi-separable", "overlap")) > counts.total() / 10, counts


def assert_enclosed(numbers: Sequence[int], n_wanted: int) -> None:
    wrong, counts = judge_margins(numbers, n_wanted)
    assert not wrong, f"{len(wrong)} wrong: {wrong[:10]}"
    assert counts.total() == n_wanted
    assert min(counts["exact"], counts["optimal"]) >= 0.49 * n_wanted, counts


def test_sixty_margins() -> None:
    assert_enclosed(range(2_000), 60)


EXTREME = (
    *(f"{name}:{k}:{d}" for name in ("gap", "touching", "overlap") for k in (52, 53, 1000, 1073) for d in (1, 3)),
    *(f"{name}:{kind}" for name in ("units:900:4", "subnormal:3", "offset:15:4", "duplicates:50:2", "collinear:9",
                                    "rotated:5") for kind in ("separable", "quasi-separable", "overlap")),
    "gap-at-one:51:4", "odd-max-bit:10", "odd-max-bit:10:0", "conjunction:9:5", "parity:9", "regular-simplex:6:20",
    "simplex:30:40", "corner:60", "radon:60", "unit-circle:500", "two-circles:200", "layers:6", "boxes:4:3",
    "planted:2:1", "planted:2:50", "planted:5:200", "planted:2000:20:20", "planted-quasi:2000:20:3:19",
    "planted-quasi:2000:20:1000:5:20", "planted-overlap:2000:20:20", "xor", "agresti", "agresti-quasi", "two-points",
    "undershoot", "sign-of-zero", "xor-polar", "xor-product", "and", "or", "formula:(x1 | x4) & ~x3",
)  # fmt: skip


@pytest.mark.sampled
@pytest.mark.parametrize("name", EXTREME)
def test_extreme_cases_are_decided_and_their_margins_enclosed(name: str) -> None:
    for bias in (True, False):
        question = ask(name, bias=bias)
        if question is not None:
            answer = separability(question.problem)
            assert answer.verdict == question.verdict, answer.reason
            assert faults(question, answer) == []
            if bias and has_margin(question):
                assert misses(question, hard_margin(question.problem)) == []


@pytest.mark.slow
@pytest.mark.parametrize("part", range(2))
def test_five_thousand_of_fifty_thousand_verdicts(part: int) -> None:
    assert_right(of_today(range(25_000 * part, 25_000 * (part + 1)), 10))


@pytest.mark.slow
def test_a_thousand_margins() -> None:
    assert_enclosed(of_today(range(100_000), 2), 1_000)


def test_a_wrong_answer_is_seen() -> None:
    """The judges themselves: the true answer of one case is a fault of another."""
    first = [*map(case, range(100))]
    questions = [next(q for q in first if q.verdict == verdict) for verdict in ("separable", "overlap")]
    answers = [separability(question.problem) for question in questions]
    assert [faults(question, answer) for question, answer in zip(questions, answers, strict=True)] == [[], []]
    assert all(faults(question, answer) for question, answer in zip(questions, reversed(answers), strict=True))
    question = next(q for q in first if has_margin(q))
    answer = hard_margin(question.problem)
    far = Question(question.name, question.problem, "separable", 2 * (question.margin_squared or 0), None)
    assert not misses(question, answer) and misses(far, answer)
