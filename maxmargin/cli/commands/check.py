"""``maxmargin check``: is it linearly separable?"""

import math
from collections import Counter
from dataclasses import asdict, replace
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from maxmargin.api.question import named, note_on_counts, separability_of
from maxmargin.cli.commands.check_gates import all_hold, gates_of
from maxmargin.cli.feedback import Exit
from maxmargin.cli.request import Request
from maxmargin.data.batches import LEAST_NUMBERED
from maxmargin.data.dataset import problem_of
from maxmargin.solvers.answers.statuses import Verdict
from maxmargin.solvers.basics.limits import EXACT_LIMIT, Limits
from maxmargin.solvers.basics.printable import terminal_width
from maxmargin.text.number_formats import one_line
from maxmargin.text.progress import waiting

if TYPE_CHECKING:
    from collections.abc import Callable

    from maxmargin.data.dataset import Dataset
    from maxmargin.explaining.separability_answer import Separability

# Largest number of classes, and of pairs of classes, that the text lists.
_MOST_LINES = 20

_ROUNDED = "  this is about the decimal numbers; their binary64 roundings: "

# Fields of the multinomial answer that its table repeats.
_OF_MULTINOMIAL = ("verdict", "strictly_separable", "proof", "reason", "n_inequalities", "n_strict")


class _ClassAnswers(NamedTuple):
    """The answers about more than two classes: all at once, each against the rest, and pairs, the second one +1."""

    multinomial: "Separability"
    one_vs_rest: "list[tuple[object, Dataset, Separability]]"
    pairs: "list[tuple[tuple[object, object], Dataset, Separability]]"


def check(
    request: Request, *, required: dict[str, Any], proof: Path | None, reuse: Path | None, columns: bool, **how: Any
) -> Exit:
    """Decide, write the proof, print, and return the exit code.

    Parameters
    ----------
    request : Request
    required : dict
        What `gates_of` is given: the exit code says whether it is proven, if anything is required.
    proof : path, optional
        The file to write the proof to.
    reuse : path, optional
        An older proof that may decide these data too.
    columns : bool
        Whether to find the infinite columns of large separable data as well.
    **how
        `exact_limit`, `method` and `solver` of `maxmargin.separability`; the last two are for two classes.
    """
    if request.family is None:
        notes = (*request.dataset.notes, *note_on_counts(request.dataset))
        request = replace(request, dataset=replace(request.dataset, notes=notes))
    dataset, exact_limit = request.dataset, how.pop("exact_limit")
    clock = replace(request.limits, exact_limit=EXACT_LIMIT if exact_limit is None else exact_limit)
    ask = partial(separability_of, bias=request.bias, exact_limit=exact_limit)
    of_two = partial(ask, **how)
    numbers = [name for name in ("min_margin", "max_errors") if required[name] is not None]
    older = None if reuse is None else _older_proof(reuse, request, clock)
    with waiting("looking for a proof", quiet=request.options.quiet):
        classes = None
        answer: Separability
        if request.family is not None:
            answer = request.family.answer(clock, exact_limit=exact_limit, **how)
        elif dataset.is_binary:
            answer = older or of_two(dataset, request.reading, time_limit=clock.share(1 + len(numbers)))
        else:
            classes = _class_answers(request, ask, of_two, clock)
            answer = classes.multinomial
        with_columns = columns or answer.has_cheap_columns
        fields = answer.fields(with_columns=with_columns)
        stored = partial(of_two if dataset.is_binary else ask, dataset, None, time_limit=clock.share())
        fields |= _reading_fields(request, answer, stored)
    if proof is not None:
        request.write_proof(proof, answer.certificate)
    is_required = any(value is not None for value in required.values())
    gates = gates_of(request, answer, **required) if is_required else []
    outcome = {gate.name: gate.holds for gate in gates}.get("require")
    fields |= {"requirement": required["require"], "requirement_holds": outcome, "gates": [*map(asdict, gates)]}

    def text() -> str:
        remarks = [
            *_near_remarks(request, answer),
            *_number_remarks(request, answer, partial(of_two, time_limit=clock.share())),
            *(_ROUNDED + verdict for verdict in [fields["binary64_verdict"]] if verdict is not None),
            *(gate.line for gate in gates),
        ]
        whole = answer.summary(with_columns=with_columns, remarks=remarks, call=request.call_in_python)
        return whole if classes is None else _classes_text(classes, whole)

    request.answer("check", lambda: {**fields, **({} if classes is None else _tables(classes, fields))}, text)
    return exit_code(all_hold(gates) if gates else answer.strictly_separable)


def exit_code(is_so: bool | None) -> Exit:
    """Return 0 for proven, 3 for proven not to be so, 4 for undecided."""
    if is_so is None:
        return Exit.UNDECIDED
    return Exit.OK if is_so else Exit.NOT_STRICTLY_SEPARABLE


def _older_proof(path: Path, request: Request, limits: Limits) -> "Separability | None":
    """Return the answer that the older proof gives; if it decides nothing, note why and return None.

    Raises
    ------
    OSError
        If the file is there and cannot be read.
    DataError
        If it is no proof.
    """
    from maxmargin.certificates.proofs import not_a_proof, read_proof
    from maxmargin.certificates.reuse import reused
    from maxmargin.solvers.proof.checker import CertificateError, NotAProofError, need

    why, dataset = "does not hold for these data", request.dataset
    try:
        document = read_proof(path)
        n_classes = len(dataset.classes)
        need(dataset.is_binary, f"these data have {n_classes} classes, and only proofs for two are used again")
        need(request.reading is None, "only proofs about binary64 values are used again, not with --decimal")
        answer = reused(document, problem_of(dataset, bias=request.bias, needs_columns=False), limits)
    except FileNotFoundError:
        request.note(f"there is no older proof {path} yet; looking for a first one")
        return None
    except NotAProofError as error:
        raise not_a_proof(path, error) from error
    except CertificateError as error:
        answer, why = None, f"is of no use here: {error}"
    if answer is None:
        request.note(f"the older proof {path} {why}; looking for a new one")
    return None if answer is None else named(answer, dataset)


def _reading_fields(request: Request, answer: "Separability", stored: "Callable[[], Separability]") -> dict[str, Any]:
    """Return the verdict on the binary64 numbers beside the one on the text, and warn where they differ."""
    if request.reading is None:
        return {"reading": "binary64", "binary64_verdict": None}
    other = stored()
    if other.verdict != answer.verdict:
        request.note(
            f"the decimal numbers are {answer.verdict}, their binary64 roundings are {other.verdict}: "
            "only verdicts are about the decimal numbers"
        )
    return {"reading": "decimal", "binary64_verdict": other.verdict.value}


def _class_answers(
    request: Request, ask: "partial[Separability]", of_two: "partial[Separability]", clock: Limits
) -> _ClassAnswers:
    data = request.dataset
    shares = iter(range(math.comb(len(data.classes) + 1, 2), 0, -1))

    def answered(part: "Dataset") -> "tuple[Dataset, Separability]":
        return part, of_two(part, request.reading, time_limit=clock.share(next(shares)))

    # The verdict on all classes comes first; the table gets the time that it leaves.
    return _ClassAnswers(
        multinomial=ask(data, request.reading, time_limit=clock.share()),
        one_vs_rest=[(name, *answered(data.one_vs_rest(name))) for name in data.classes],
        pairs=[(pair, *answered(data.pair(*pair))) for pair in combinations(data.classes, 2)],
    )


def _tables(answers: _ClassAnswers, multinomial: dict[str, Any]) -> dict[str, Any]:
    return {
        "one_vs_rest": [{"class": name, **_part_fields(part, answer)} for name, part, answer in answers.one_vs_rest],
        "pairs": [{"classes": pair, **_part_fields(part, answer)} for pair, part, answer in answers.pairs],
        "multinomial": {name: multinomial.get(name) for name in _OF_MULTINOMIAL},
    }


def _part_fields(part: "Dataset", answer: "Separability") -> dict[str, Any]:
    """Return the answer of one class against the rest, or of a pair."""
    fields = answer.fields(with_columns=answer.has_cheap_columns)
    return {"positive": part.positive, "positive_reason": part.positive_reason, **fields}


def _near_remarks(request: Request, answer: "Separability") -> list[str]:
    """Return the line on the decimal text of a file in which columns are linearly dependent up to rounding."""
    from maxmargin.data.sources.opening import DELIMITED, kind_of

    read_as = request.dataset.read_as or {}
    has_text = kind_of(request.options.source, read_as.get("format")) in DELIMITED and "formula" not in read_as
    is_of_text = answer.near is not None and not all(alias.is_single for alias in answer.near.found or ())
    is_wanted = has_text and request.reading is None and is_of_text and answer.near_lines()
    return ["  --decimal decides for the decimal numbers in the file, without their rounding"] if is_wanted else []


def _number_remarks(request: Request, answer: "Separability", of_two: "partial[Separability]") -> list[str]:
    """Return the lines on columns that number the rows, without which the verdict may be another."""
    data = request.dataset
    is_separated = answer.verdict in (Verdict.SEPARABLE, Verdict.QUASI_SEPARABLE)
    if not data.is_binary or request.family is not None or not is_separated:
        return []
    lines = []
    for column in _row_number_columns(data):
        kept = [j for j in range(data.n_features) if j != column]
        names = tuple(data.feature_names[j] for j in kept)
        rest = replace(data, X=data.X[:, kept], feature_names=names, exact=data.exact and data.exact.columns(kept))
        verdict = of_two(rest, None).verdict.value
        lines.append(f"  column {data.feature_names[column]!r} numbers the rows; without it: {verdict}")
    return lines


def _row_number_columns(dataset: "Dataset") -> list[int]:
    """Return the columns beside others, in memory, that number at least ten rows of the source from 0 or 1."""
    X, rows = dataset.X, dataset.rows
    if not isinstance(X, np.ndarray) or X.shape[1] < 2 or len(X) < LEAST_NUMBERED:
        return []
    numbers = np.arange(len(X)) if rows is None else rows
    begins = X[0] - numbers[0]
    return [j for j in np.flatnonzero(np.isin(begins, (0, 1))).tolist() if (X[:, j] - numbers == begins[j]).all()]


def _classes_text(answers: _ClassAnswers, multinomial: str) -> str:
    most = terminal_width() // 4
    rest = [(one_line(name, most), answer) for name, _, answer in answers.one_vs_rest]
    pairs = [(f"{one_line(a, most)} / {one_line(b, most)}", answer) for (a, b), _, answer in answers.pairs]
    width = max(len(name) for name, _ in rest + pairs[:_MOST_LINES])
    lines = ["every class against the rest", *_table_lines(rest, width), "every pair", *_table_lines(pairs, width)]
    return "\n".join([*lines, f"all classes at once (multinomial): {multinomial}"])


def _table_lines(answers: "list[tuple[str, Separability]]", width: int) -> list[str]:
    """Return a line for each of the first answers, rare verdicts first if not all have one, and one for the others."""
    if len(answers) > _MOST_LINES:
        n_of = Counter(answer.headline for _, answer in answers)
        answers = sorted(answers, key=lambda pair: n_of[pair[1].headline])
    lines = [f"  {name:<{width}}  {answer.headline}" for name, answer in answers[:_MOST_LINES]]
    others = Counter(answer.headline for _, answer in answers[_MOST_LINES:])
    counts = ", ".join(f"{n:,} {headline}" for headline, n in others.most_common())
    return [*lines, f"  ... {others.total():,} more: {counts} (--json lists all)"] if others else lines
