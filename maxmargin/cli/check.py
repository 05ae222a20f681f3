"""``maxmargin check``: is it linearly separable?"""

from fractions import Fraction
from typing import TYPE_CHECKING, Any

from maxmargin.cli.exits import Exit
from maxmargin.cli.output import (
    attempt_fields,
    data_fields,
    headline,
    listed,
    print_json,
    row_names,
    row_numbers,
    waiting,
)

if TYPE_CHECKING:
    from maxmargin.classes import ClassAnswers
    from maxmargin.dataset import Dataset
    from maxmargin.solvers.solution import Separability


def check(dataset: "Dataset", *, bias: bool, solver: str | None, as_json: bool, quiet: bool) -> Exit:
    """Decide, print, and return the exit code."""
    with waiting("looking for a proof", quiet=quiet):
        if not dataset.is_binary:
            return _check_classes(dataset, bias=bias, solver=solver, as_json=as_json)
        answer = _separability(dataset, bias, solver)
    if as_json:
        print_json("check", {**data_fields(dataset), "bias": bias, **answer_fields(dataset, answer)})
    else:
        print(headline(dataset))
        print(_answer_text(dataset, answer))
    return exit_code(answer.strictly_separable)


def exit_code(strictly_separable: bool | None) -> Exit:
    """Return 0 for separable, 3 for proven not strictly separable, 4 for undecided."""
    if strictly_separable is None:
        return Exit.UNDECIDED
    return Exit.OK if strictly_separable else Exit.NOT_STRICTLY_SEPARABLE


def answer_fields(dataset: "Dataset", answer: "Separability") -> dict[str, Any]:
    """Return the answer as JSON fields."""
    witness_rows = row_numbers(dataset, answer.witness_rows)
    return {
        "verdict": answer.verdict.value,
        "strictly_separable": answer.strictly_separable,
        "proof": answer.proof,
        "reason": answer.reason,
        **listed("separated_rows", row_numbers(dataset, answer.separated_rows)),
        **row_names(dataset, "separated_rows", answer.separated_rows),
        **listed("touching_rows", row_numbers(dataset, answer.touching_rows)),
        **row_names(dataset, "touching_rows", answer.touching_rows),
        "infinite_columns": answer.infinite_columns,
        "aliased_columns": answer.aliased_columns,
        **listed("witness_rows", witness_rows),
        **row_names(dataset, "witness_rows", answer.witness_rows),
        **_certificate_fields(answer),
        "engine": answer.engine,
        "attempts": attempt_fields(answer.attempts),
    }


def _certificate_fields(answer: "Separability") -> dict[str, Any]:
    from maxmargin.solvers.proof.certificate import CommonHullPoint, SeparatingHyperplane

    match answer.certificate:
        case SeparatingHyperplane(w=w, b=b):
            return {
                "hyperplane": {"w": list(map(float, w)), "b": float(b), "b_exact": _exact(b)},
                "witness_weights": None,
            }
        case CommonHullPoint() as point:
            return {"hyperplane": None, "witness_weights": [_exact(weight) for weight in point.fractions()]}
    return {"hyperplane": None, "witness_weights": None}


def _exact(value: Fraction) -> str:
    return f"{value.numerator}/{value.denominator}"


def verdict_words(answer: "Separability") -> str:
    """Return the verdict in a few words."""
    if answer.strictly_separable is False:
        return "not strictly separable (proven; quasi-separable or overlap: undecided)"
    return "separable (proven)" if answer.strictly_separable else "undecided"


def _answer_text(dataset: "Dataset", answer: "Separability") -> str:
    lines = [verdict_words(answer), f"  {answer.reason}"]
    if answer.witness_rows is not None:
        names = row_numbers(dataset, answer.witness_rows).tolist()
        lines.append(f"  rows (from 0): {', '.join(map(str, names))}")
    lines.append(f"  found by {answer.engine}" if answer.proof else f"  verdict: {answer.verdict.advice}")
    return "\n".join(lines)


def _check_classes(dataset: "Dataset", *, bias: bool, solver: str | None, as_json: bool) -> Exit:
    from maxmargin.classes import class_answers

    answers = class_answers(dataset, lambda part: _separability(part, bias, solver))
    if as_json:
        print_json("check", {**data_fields(dataset), "bias": bias, **_classes_fields(answers)})
    else:
        print(headline(dataset))
        print(_classes_text(answers))
    return exit_code(answers.multinomially_separable)


def _separability(dataset: "Dataset", bias: bool, solver: str | None) -> "Separability":
    from maxmargin.api import problem_of
    from maxmargin.solvers.feasibility import separability

    method = "auto" if solver is None else "cvxpy"
    return separability(problem_of(dataset, bias=bias), method=method, solver=solver)


def _classes_fields(answers: "ClassAnswers[Separability]") -> dict[str, Any]:
    strictly_separable = answers.multinomially_separable
    verdict = "separable" if strictly_separable else "undecided"
    return {
        "verdict": verdict,
        "strictly_separable": strictly_separable,
        "proof": None if strictly_separable is None else "exact",
        "reason": answers.reason,
        **listed("separated_rows", None),
        **listed("touching_rows", None),
        "infinite_columns": None,
        "aliased_columns": None,
        **listed("witness_rows", None),
        "one_vs_rest": [{"class": name, **answer_fields(part, answer)} for name, part, answer in answers.one_vs_rest],
        "pairs": [{"classes": pair, **answer_fields(part, answer)} for pair, part, answer in answers.pairs],
        "multinomial": {
            "verdict": verdict,
            "strictly_separable": strictly_separable,
            "proof": None if strictly_separable is None else "exact",
            "reason": answers.reason,
        },
    }


def _classes_text(answers: "ClassAnswers[Separability]") -> str:
    rest = [(str(name), answer) for name, _, answer in answers.one_vs_rest]
    pairs = [(f"{a} / {b}", answer) for (a, b), _, answer in answers.pairs]
    width = max(len(name) for name, _ in rest + pairs)
    lines = ["every class against the rest"]
    lines += [f"  {name:<{width}}  {verdict_words(answer)}" for name, answer in rest]
    lines += ["every pair"]
    lines += [f"  {name:<{width}}  {verdict_words(answer)}" for name, answer in pairs]
    return "\n".join([*lines, f"all classes at once (multinomial): {answers.reason}"])
