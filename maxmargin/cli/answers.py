"""A verdict with its proof, as JSON fields and as text."""

from typing import TYPE_CHECKING, Any

from maxmargin.cli.output import row_numbers, rows_of
from maxmargin.text.escaping import shown

if TYPE_CHECKING:
    from maxmargin.data.dataset import Dataset
    from maxmargin.solvers.separability.separability_solution import Separability

_CHEAP_COLUMNS = 100_000
"""Rows times squared columns up to which the infinite columns of separable data are found unasked."""

_NAMED = 10
"""Rows and columns named in the text."""


def answer_fields(dataset: "Dataset", answer: "Separability", *, all_columns: bool = False) -> dict[str, Any]:
    """Return the answer as JSON fields; the columns of large separable data only if they are asked for."""
    work = dataset.n_samples * (dataset.n_features + 1) ** 2
    with_columns = all_columns or answer.verdict.value != "separable" or work <= _CHEAP_COLUMNS
    return answer.fields(rows_of(dataset), with_columns=with_columns)


def answer_text(dataset: "Dataset", answer: "Separability", fields: dict[str, Any]) -> str:
    """Return the answer as text."""
    from maxmargin.solvers.answers.phrases import intercept

    words = answer.headline
    lines = [words, f"  {shown(answer.reason.removeprefix(words.replace(' (proven)', ': ')))}"]
    model = f"logistic regression{intercept(answer.bias)}"
    if answer.strictly_separable is False:
        lines += _rows_text(dataset, answer)
    lines += _logistic_text(fields, model, is_past_exact_limit=answer.find_columns is None)
    if "binary64_verdict" in fields:
        lines.append(f"  this is about the decimal numbers; their binary64 roundings: {fields['binary64_verdict']}")
    if "requirement" in fields:
        outcome = {True: "holds", False: "does not hold", None: "is neither proven nor excluded"}
        lines.append(f"  required: {fields['requirement']}, which {outcome[fields['requirement_holds']]}")
    lines.append(
        f"  found by {answer.engine}" if answer.proof else f"  verdict: {answer.verdict.advice_for(bias=answer.bias)}"
    )
    return "\n".join(lines)


def _logistic_text(fields: dict[str, Any], model: str, *, is_past_exact_limit: bool) -> list[str]:
    """Return what the verdict says of logistic regression."""
    if fields["verdict"] == "undecided":
        return []
    if fields["verdict"] == "overlap":
        return [f"  {model}: the maximum-likelihood estimate exists", *_aliased_text(fields)]
    known = fields["infinite_columns"] is not None
    options = "--exact-limit" if is_past_exact_limit else "--columns, --time-limit"
    unknown = f"    which coefficients are infinite was not computed ({options})"
    columns = _columns_text(fields) if known else [unknown]
    return [f"  {model}: no finite maximum-likelihood estimate", *columns]


def _rows_text(dataset: "Dataset", answer: "Separability") -> list[str]:
    lines = []
    for label, rows in (
        ("strictly separated rows (from 0)", answer.separated_rows),
        ("rows that exclude strict separation (from 0)", answer.witness_rows),
    ):
        if rows is not None and len(rows):
            lines.append(f"  {label}: {_some(row_numbers(dataset, rows).tolist())}")
    return lines


def _columns_text(fields: dict[str, Any]) -> list[str]:
    infinite, finite = fields["infinite_columns"], fields["finite_columns"]
    signed = [f"{name} {sign}" for name, sign in infinite.items() if sign in "+-"]
    either = [name for name, sign in infinite.items() if sign not in "+-"]
    lines = [f"    infinite coefficients: {_some(signed)}"] if signed else []
    lines += [f"    infinite, in one direction + and in another -: {_some(either)}"] if either else []
    lines.append(f"    finite coefficients: {_some(list(finite)) if finite else 'none'}")
    return [
        *lines,
        *_aliased_text(fields),
        f"    dimension of the cone of directions to infinity: {fields['dimension']}",
    ]


def _aliased_text(fields: dict[str, Any]) -> list[str]:
    aliased = fields["aliased_columns"]
    return [f"    aliased columns (they depend linearly on those before): {_some(list(aliased))}"] if aliased else []


def _some(names: list[Any]) -> str:
    more = f", ... {len(names) - _NAMED} more (--json lists them)" if len(names) > _NAMED else ""
    return ", ".join(map(shown, names[:_NAMED])) + more
