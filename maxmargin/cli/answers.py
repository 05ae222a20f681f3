"""A verdict with its proof, as JSON fields and as text."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from maxmargin.cli.output import attempt_fields, listed, row_names, row_numbers
from maxmargin.text.escaping import shown

if TYPE_CHECKING:
    from maxmargin.data.dataset import Dataset
    from maxmargin.solvers.answers.solution import Separability
    from maxmargin.solvers.proof.certificate import Certificate

_CHEAP_COLUMNS = 100_000
"""Rows times squared columns up to which the infinite columns of separable data are found unasked."""

_NAMED = 10
"""Rows and columns named in the text."""


def answer_fields(dataset: "Dataset", answer: "Separability", *, all_columns: bool = False) -> dict[str, Any]:
    """Return the answer as JSON fields."""
    from maxmargin.solvers.answers.solution import Verdict

    work = dataset.n_samples * (dataset.n_features + 1) ** 2
    with_columns = all_columns or answer.verdict is not Verdict.SEPARABLE or work <= _CHEAP_COLUMNS
    return {
        "verdict": answer.verdict.value,
        "strictly_separable": answer.strictly_separable,
        "proof": answer.proof,
        "reason": answer.reason,
        **_row_fields(dataset, "separated_rows", answer.separated_rows),
        **_row_fields(dataset, "touching_rows", answer.touching_rows),
        "infinite_columns": answer.infinite_columns if with_columns else None,
        "finite_columns": answer.finite_columns if with_columns else None,
        "aliased_columns": answer.aliased_columns if with_columns else None,
        "dimension": answer.dimension if with_columns else None,
        **_row_fields(dataset, "witness_rows", answer.witness_rows),
        **_certificate_fields(answer),
        **({} if answer.n_inequalities is None else _inequality_fields(answer)),
        "engine": answer.engine,
        "attempts": attempt_fields(answer.attempts),
    }


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


def _row_fields(dataset: "Dataset", name: str, rows: Any) -> dict[str, Any]:
    return {**listed(name, row_numbers(dataset, rows)), **row_names(dataset, name, rows)}


def _inequality_fields(answer: "Separability") -> dict[str, Any]:
    return {"n_inequalities": answer.n_inequalities, "n_strict": answer.n_strict}


def _certificate_fields(answer: "Separability") -> dict[str, Any]:
    from maxmargin.solvers.proof.certificate import CommonHullPoint, QuasiSeparation, SeparatingHyperplane

    witness = answer.witness
    weights = [_exact(weight) for weight in witness.fractions()] if isinstance(witness, CommonHullPoint) else None
    match answer.certificate:
        case SeparatingHyperplane(w=w, b=b) | QuasiSeparation(w=w, b=b):
            return {"hyperplane": _hyperplane(w, b), "witness_weights": weights, **_balance(answer.certificate)}
    return {"hyperplane": None, "witness_weights": weights, **_balance(answer.certificate)}


def _hyperplane(w: Sequence[Fraction], b: Fraction) -> dict[str, Any]:
    """Return w and b as floats, up to a power of two where they leave their range, and exactly as texts."""
    try:
        floats = [float(v) for v in (*w, b)]
    except OverflowError:
        from maxmargin.solvers.exact.dyadic import nearest_floats

        rounded = nearest_floats([*w, b])
        floats = [float("nan")] * (len(w) + 1) if rounded is None else rounded.tolist()
    return {"w": floats[:-1], "b": floats[-1], "w_exact": [_exact(v) for v in w], "b_exact": _exact(b)}


def _balance(certificate: "Certificate | None") -> dict[str, Any]:
    """Return the rows of the overlap proof."""
    from maxmargin.solvers.proof.certificate import Overlap, QuasiSeparation

    rows = list(certificate.rows) if isinstance(certificate, Overlap | QuasiSeparation) else None
    return {"balancing_rows": rows}


def _exact(value: Fraction) -> str:
    from maxmargin.solvers.proof.certificate import text

    return f"{text(value.numerator)}/{text(value.denominator)}"
