"""``maxmargin check``: is it linearly separable?"""

import math
import shlex
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from maxmargin.api.verbs import decided, problem_of, with_names
from maxmargin.certificates.require import holds
from maxmargin.cli.exits import Exit
from maxmargin.cli.output import (
    data_fields,
    headline,
    names_of,
    note,
    print_json,
    print_text,
    waiting,
)
from maxmargin.solvers.basics.printable import shown

if TYPE_CHECKING:
    from maxmargin.data.dataset import Dataset
    from maxmargin.data.decimal_reading import DecimalReading
    from maxmargin.data.problems import ClassAnswers
    from maxmargin.solvers.basics.limits import Limits
    from maxmargin.solvers.separability.separability_solution import Separability


@dataclass(frozen=True, slots=True, kw_only=True)
class Asker:
    """How questions are asked: the options of the command line."""

    bias: bool
    solver: str | None
    time_limit: float | None
    exact_limit: int | None
    reading: "DecimalReading | None"

    def within(self, clock: "Limits", n_shares: int = 1) -> "Asker":
        """Return one who asks the same within one of so many shares of the time that is left."""
        return replace(self, time_limit=clock.share(n_shares))

    def two_classes(self, part: "Dataset") -> "Separability":
        """Return the answer for two classes."""
        method = "auto" if self.solver is None else "cvxpy"
        return self._decided(part, method=method, solver=self.solver)

    def all_classes(self, dataset: "Dataset") -> "Separability":
        """Return the multinomial answer."""
        return self._decided(dataset)

    def _decided(self, dataset: "Dataset", **options: Any) -> "Separability":
        limits = {"time_limit": self.time_limit, "exact_limit": self.exact_limit}
        return with_names(decided(dataset, self.reading, bias=self.bias, **limits, **options), dataset)


def check(
    dataset: "Dataset",
    source: dict[str, Any],
    *,
    asker: Asker,
    require: str | None,
    proof: Path | None,
    reuse: Path | None,
    columns: bool,
    as_json: bool,
    quiet: bool,
) -> Exit:
    """Decide, write the proof, print, and return the exit code.

    Parameters
    ----------
    source : dict
        How the data were read, for the proof.
    require : str, optional
        What the data shall be; the exit code then tells whether they are.
    proof : path, optional
        Where the proof goes.
    reuse : path, optional
        An older proof that may decide these data too.
    columns : bool
        Find the infinite columns of large separable data as well.
    """
    from maxmargin.solvers.basics.limits import Limits

    clock = Limits(time_limit=asker.time_limit)
    older = None if reuse is None else _older_proof(reuse, dataset, asker, quiet=quiet)
    now = asker if reuse is None else asker.within(clock)
    with waiting("looking for a proof", quiet=quiet):
        classes = None if dataset.is_binary else _class_answers(dataset, asker, clock)
        answer = classes.multinomial if classes is not None else older or now.two_classes(dataset)
        with_columns = columns or answer.has_cheap_columns
        fields = answer.fields(names_of(dataset), with_columns=with_columns)
        fields |= _decimal_fields(dataset, asker.within(clock), answer, quiet=quiet)
    if proof is not None:
        _write_proof(proof, dataset, asker, answer, source, quiet=quiet)
    if require is not None:
        fields |= {"requirement": require, "requirement_holds": holds(answer, require)}
    if as_json:
        tables = {} if classes is None else _tables(classes)
        print_json("check", {**data_fields(dataset), "bias": asker.bias, **fields, **tables})
    else:
        text = answer.summary(names_of(dataset), with_columns=with_columns, remarks=_remarks(fields))
        print_text(headline(dataset), text if classes is None else _classes_text(classes, text))
    return exit_code(answer.strictly_separable if require is None else holds(answer, require))


def exit_code(is_so: bool | None) -> Exit:
    """Return 0 for proven, 3 for proven not to be so, 4 for undecided."""
    if is_so is None:
        return Exit.UNDECIDED
    return Exit.OK if is_so else Exit.NOT_STRICTLY_SEPARABLE


def _older_proof(path: Path, dataset: "Dataset", asker: Asker, *, quiet: bool) -> "Separability | None":
    """Return what the older proof decides; None, and a note that says why, where it decides nothing.

    Raises
    ------
    OSError
        The file cannot be read.
    """
    from maxmargin.certificates.proofs import read_proof
    from maxmargin.solvers.proof.checker import CertificateError

    why = "does not hold for these data"
    try:
        answer = _reused(read_proof(path), dataset, asker)
    except CertificateError as error:
        answer, why = None, f"is of no use here: {error}"
    if answer is None:
        note(f"the older proof {path} {why}; looking for a new one", quiet=quiet)
    return answer


def _reused(document: dict[str, Any], dataset: "Dataset", asker: Asker) -> "Separability | None":
    from maxmargin.certificates.reuse import reused
    from maxmargin.solvers.basics.limits import EXACT_LIMIT, Limits
    from maxmargin.solvers.proof.checker import need

    need(dataset.is_binary, f"these data have {len(dataset.classes)} classes, and only proofs for two are used again")
    need(asker.reading is None, "only proofs about binary64 values are used again, not with --decimal")
    exact_limit = EXACT_LIMIT if asker.exact_limit is None else asker.exact_limit
    limits = Limits(time_limit=asker.time_limit, exact_limit=exact_limit)
    answer = reused(document, problem_of(dataset, bias=asker.bias), limits)
    return None if answer is None else with_names(answer, dataset)


def _decimal_fields(dataset: "Dataset", asker: Asker, answer: "Separability", *, quiet: bool) -> dict[str, Any]:
    """Return the verdict on the binary64 numbers beside that on the text, and warn where they differ."""
    if asker.reading is None:
        return {"reading": "binary64"}
    stored = replace(asker, reading=None)
    other = stored.two_classes(dataset) if dataset.is_binary else stored.all_classes(dataset)
    if other.verdict != answer.verdict:
        note(
            f"the decimal numbers are {answer.verdict}, their binary64 roundings are {other.verdict}: "
            "only verdicts are about the decimal numbers",
            quiet=quiet,
        )
    return {"reading": "decimal", "binary64_verdict": other.verdict.value}


def _write_proof(
    path: Path, dataset: "Dataset", asker: Asker, answer: "Separability", source: dict[str, Any], *, quiet: bool
) -> None:
    from maxmargin.certificates.proofs import write_document
    from maxmargin.certificates.reuse import values_fields

    certificate = answer.certificate
    if certificate is None:
        note(f"nothing is proven, so {path} is not written", quiet=quiet)
        return
    fields = dict(source)
    if dataset.is_binary:
        fields["positive"] = dataset.positive
    else:
        fields["classes"] = dataset.classes
    fields |= values_fields(certificate)
    write_document(path, certificate.to_dict(), **fields)
    command = shlex.join(["maxmargin", "verify", str(path), source["source"]])
    note(f"wrote {path}; {command} checks it", quiet=quiet)


def _class_answers(dataset: "Dataset", asker: Asker, clock: "Limits") -> "ClassAnswers[Separability]":
    from maxmargin.data.problems import class_answers

    # The verdict comes first; what time it leaves is for the table.
    shares = iter(range(math.comb(len(dataset.classes) + 1, 2), 0, -1))
    return class_answers(
        dataset,
        lambda part: asker.within(clock, next(shares)).two_classes(part),
        asker.all_classes,
    )


def _tables(answers: "ClassAnswers[Separability]") -> dict[str, Any]:
    multinomial = answers.multinomial
    return {
        "one_vs_rest": [{"class": name, **_part_fields(part, answer)} for name, part, answer in answers.one_vs_rest],
        "pairs": [{"classes": pair, **_part_fields(part, answer)} for pair, part, answer in answers.pairs],
        "multinomial": {
            "verdict": multinomial.verdict.value,
            "strictly_separable": multinomial.strictly_separable,
            "proof": multinomial.proof,
            "reason": multinomial.reason,
            "n_inequalities": multinomial.n_inequalities,
            "n_strict": multinomial.n_strict,
        },
    }


def _part_fields(part: "Dataset", answer: "Separability") -> dict[str, Any]:
    """Return the answer of one class against the rest, or of a pair."""
    fields = answer.fields(names_of(part), with_columns=answer.has_cheap_columns)
    return {"positive": part.positive, "positive_reason": part.positive_reason, **fields}


def _remarks(fields: dict[str, Any]) -> list[str]:
    """Return the lines about options of the command."""
    lines = []
    if "binary64_verdict" in fields:
        lines.append(f"  this is about the decimal numbers; their binary64 roundings: {fields['binary64_verdict']}")
    if "requirement" in fields:
        outcome = {True: "holds", False: "does not hold", None: "is neither proven nor excluded"}
        lines.append(f"  required: {fields['requirement']}, which {outcome[fields['requirement_holds']]}")
    return lines


def _classes_text(answers: "ClassAnswers[Separability]", multinomial: str) -> str:
    rest = [(shown(name), answer) for name, _, answer in answers.one_vs_rest]
    pairs = [(f"{shown(a)} / {shown(b)}", answer) for (a, b), _, answer in answers.pairs]
    width = max(len(name) for name, _ in rest + pairs)
    lines = ["every class against the rest"]
    lines += [f"  {name:<{width}}  {answer.headline}" for name, answer in rest]
    lines += ["every pair"]
    lines += [f"  {name:<{width}}  {answer.headline}" for name, answer in pairs]
    return "\n".join([*lines, f"all classes at once (multinomial): {multinomial}"])
