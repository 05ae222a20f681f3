"""``maxmargin margin`` and ``sensitivity``: the maximum margin, the rows that hold it, or the soft-margin SVM."""

import math
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeAlias

from maxmargin.cli.feedback import Exit
from maxmargin.cli.request import Request
from maxmargin.data.labels import Label, LabelError, choose_positive
from maxmargin.data.numbers.numerals import parse_number
from maxmargin.data.reading.arrays import row_weights
from maxmargin.solvers.answers.statuses import WHAT_WAS_PROVEN, Status
from maxmargin.solvers.basics.printable import printable, terminal_width
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.hard_margin.hard_margin import EXACT_LIMIT, hard_margin
from maxmargin.solvers.hard_margin.margin_sensitivity import sensitivity as margin_sensitivity
from maxmargin.solvers.soft_margin.soft_margin import rising_soft_margins
from maxmargin.solvers.soft_margin.soft_solution import SoftMargin
from maxmargin.text.progress import counting_shown, waiting
from maxmargin.text.tables import aligned

_BALANCED = "balanced"

# Factors of the slack by label, a word for such factors, or none.
Weights: TypeAlias = dict[Label, float] | str | None


def margin(request: Request, *, exact: bool, exact_limit: int | None, proof: Path | None, **options: Any) -> Exit:
    """Print the maximum margin, write its proof, and return the exit code.

    Parameters
    ----------
    exact, exact_limit, **options
        As in `maxmargin.hard_margin`.
    proof : path, optional
        The file for the proof of the exact margin, of both ends of the interval, or that the margin is 0.
    """
    most_columns = EXACT_LIMIT if exact_limit is None else exact_limit
    with waiting("solving for the maximum margin", quiet=request.options.quiet):
        answer = request.answered(hard_margin, exact=exact, exact_limit=most_columns, **options)
    if proof is not None:
        request.write_proof(proof, answer.interval_certificate)
    request.answer(
        "margin",
        lambda: {**answer.fields(), **(answer.exact_fields() if exact else {})},
        lambda: answer.summary(exact=exact),
    )
    return Exit.INTERRUPTED if answer.reason == WHAT_WAS_PROVEN else exit_code(answer.status)


def exit_code(status: Status) -> Exit:
    """Return 0 for proven, 3 for proven not to be strictly separable, 4 for not proven."""
    if status.is_inseparable:
        return Exit.NOT_STRICTLY_SEPARABLE
    return Exit.OK if status is Status.OPTIMAL else Exit.UNDECIDED


def sensitivity(request: Request) -> Exit:
    """Leave out the rows that hold the margin one by one, print what is proven, and return the exit code."""
    with counting_shown("leaving out rows", quiet=request.options.quiet) as on_progress:
        answer = request.answered(margin_sensitivity, on_progress=on_progress)
    request.answer("sensitivity", answer.fields, answer.summary)
    return Exit.INTERRUPTED if answer.reason == WHAT_WAS_PROVEN else exit_code(answer.status)


def soft(request: Request, *, Cs: Sequence[float], class_weight: Sequence[str], **options: Any) -> Exit:
    """Print the soft margin for one C or for several, and return the exit code.

    Parameters
    ----------
    Cs : sequence of float
        Costs of a unit of slack; several make a table.
    class_weight : sequence of str
        As `weights_of` reads them.
    **options
        As in `maxmargin.soft_margin_path`.
    """
    given = weights_of(class_weight, request.dataset.classes)
    weights = row_weights(request.dataset, None, given)
    answers: dict[float, SoftMargin] = {}
    with waiting("solving for the soft margin", quiet=request.options.quiet), suppress(KeyboardInterrupt):
        options["time_limit"] = request.limits.share()
        for answer in rising_soft_margins(request.problem, Cs, sample_weight=weights, **options):
            answers[answer.C] = request.named(answer)
    if not answers:
        raise KeyboardInterrupt
    found = [answers[C] for C in Cs if C in answers]
    if len(Cs) == 1:
        words = "balancing the classes" if isinstance(given, str) else _weights_text(given)
        request.answer(
            "soft-margin", lambda: {"class_weight": given, **found[0].fields()}, lambda: found[0].summary(weights=words)
        )
    else:
        request.answer(
            "soft-margin-path",
            lambda: {"class_weight": given, "path": [answer.fields() for answer in found]},
            lambda: _path_text(found, given),
        )
    if len(found) < len(Cs) or any(answer.reason == WHAT_WAS_PROVEN for answer in found):
        return Exit.INTERRUPTED
    return max(exit_code(answer.status) for answer in found)


def weights_of(texts: Sequence[str], classes: Sequence[Label]) -> Weights:
    """Parse ``--class-weight``: return factors by label, in whose text ``=`` may occur, or ``balanced``.

    Raises
    ------
    InvalidOptionError
        If a text is neither ``balanced`` nor ``LABEL=FACTOR`` with a label of the data, or two are about one label.
    """
    if not texts:
        return None
    if set(texts) == {_BALANCED}:
        return _BALANCED
    factors: dict[Label, float] = {}
    for text in texts:
        name, _, factor = text.rpartition("=")
        number = parse_number(factor)
        if not name or number is None or not 0 <= number < math.inf:
            expected = f"LABEL=FACTOR with a finite number from 0, or {_BALANCED} alone"
            raise InvalidOptionError(f"--class-weight is {text!r}; expected {expected}")
        try:
            label = choose_positive(classes, name)
        except LabelError as error:
            raise InvalidOptionError(f"--class-weight {name}={number!r}: {error}") from error
        if label in factors:
            raise InvalidOptionError(f"--class-weight names {name!r} twice; expected one factor for a label")
        factors[label] = number
    return factors


def _weights_text(weights: dict[Label, float] | None) -> str:
    factors = (f"{printable(str(label))}: {factor!r}" for label, factor in (weights or {}).items())
    return f"by label ({'; '.join(factors)})"


def _path_text(answers: Sequence[SoftMargin], weights: Weights) -> str:
    """Return a line for each C; the hyperplanes are in the JSON."""
    rows: list[tuple[str, ...]] = [
        ("C", "status", "objective", "proven lower end", "1/||w||", "inside or wrong", "wrong", "support rows")
    ]
    for answer in answers:
        margin = "-" if answer.margin is None else f"{answer.margin:.6g}"
        counts = (answer.slack_count, f"{answer.n_errors:,}", f"{len(answer.support):,}")
        rows.append((repr(answer.C), answer.status.value, repr(answer.objective), repr(answer.lower), margin, *counts))
    asked = "sum xi" if weights is None else "sum v xi"
    by = {None: "", _BALANCED: ", v balancing the classes"}
    words = by[weights] if weights is None or isinstance(weights, str) else f", v {_weights_text(weights)}"
    head = f"soft margins: the objective is 1/2||w||^2 + C {asked}{words}"
    return "\n".join([head, *aligned(rows, to_the_left=(1,), width=terminal_width(), less=(3, 7))])
