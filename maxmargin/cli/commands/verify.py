"""``maxmargin verify``: does a proof hold for these data?"""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from maxmargin.api.families import FamilyOptions
from maxmargin.api.family_files import question_of_source
from maxmargin.certificates.proofs import (
    Document,
    check_labelled,
    checked_question,
    not_a_proof,
    read_proof,
    statement_about,
)
from maxmargin.cli.feedback import Exit
from maxmargin.cli.request import print_json, print_text
from maxmargin.data.batches import OneHot, columns_named
from maxmargin.data.dataset import READING_RULES
from maxmargin.data.sources.opening import NOT_DELIMITED, kind_of
from maxmargin.solvers.basics.printable import printable
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.solvers.proof.checker import FOREIGN, CertificateError, NotAProofError, need
from maxmargin.text.data_error import DataError, cut, data_error, quoted
from maxmargin.text.progress import waiting

Read = TypeVar("Read")

# Arguments of `load` that say how a text file is written.
_WRITTEN = ("sep", "decimal_comma", "header", "missing", "format")

# Options for text in columns, which other files do without.
_OF_TEXT = ("header", "sep", "decimal_comma")

# Arguments of `load` that a proof may state for its data.
_READING = ("label", "formula", "positive", "drop", "id", "one_hot", "drop_missing", *_WRITTEN)

# End of the message about a proof that names no file.
_WRITTEN_IN_PYTHON = (
    "was written in Python and does not say how this file is read as its data; there, "
    "maxmargin.verify(certificate, X, y) checks it, or maxmargin.verify(certificate, df, formula)"
)


# Number of characters to which a formula is shown, so that it can be compared.
_LONGEST = 1000


class _UnreadableError(Exception):
    """A file cannot be read as the data of a proof that does not say how it is read."""


def verify_proof(proof: Path, source: str, *, formula: str | None, memory: str, as_json: bool, quiet: bool) -> Exit:
    """Check the proof, print whether it holds, and return the exit code.

    Parameters
    ----------
    proof : path
    source : str
    formula : str or None
        The formula that the proof states, if the user has compared it: one with calls or operators of Python is
        evaluated only then.
    memory : str
        Larger sources stay on disk, if they can be read a part at a time in the way that the proof states.
    as_json, quiet : bool
    """
    document: Document = {}
    statement = reason = label = None
    try:
        document = read_proof(proof)
        _check_formula(str(proof), document["data"].get("formula"), formula)
        with waiting("checking the proof", quiet=quiet):
            statement, label = _check(document, source, memory)
    except NotAProofError as error:
        raise not_a_proof(proof, error) from error
    except _UnreadableError as error:
        raise DataError(f"{printable(str(proof))}: the proof {_WRITTEN_IN_PYTHON} ({error})") from error
    except CertificateError as error:
        reason = str(error)
        if reason.startswith(FOREIGN) and _is_from_python(document):
            reason += f"; the proof {_WRITTEN_IN_PYTHON}"
    if as_json:
        print_json("verify", _fields(proof, source, document, statement, label, reason))
    elif statement is None:
        print_text(f"invalid: {printable(reason)}")
    else:
        model = document["data"].get("formula") or f"label {label}"
        print_text(f"valid: {printable(statement)} for {printable(source)}, {printable(model)}")
    return Exit.INVALID if statement is None else Exit.OK


def _check_formula(proof: str, stated: str | None, given: str | None) -> None:
    """Refuse to evaluate a formula that a stranger may have written, unless the user has given the same one.

    Raises
    ------
    DataError
    """
    from maxmargin.data.reading.formulas import is_plain

    if given is not None and given != stated:
        states = "no formula" if stated is None else f"the formula {cut(repr(stated), _LONGEST)}"
        raise data_error(proof, found=states, expected=f"the formula {quoted(given)}", option="formula")
    if given is None and stated is not None and not is_plain(stated):
        allowed = "names, numbers, + : * - ~ . and C(name); any other may run code and is not evaluated"
        advice = "if you know it to be harmless, give it with --formula"
        raise data_error(proof, found=f"the formula {cut(repr(stated), _LONGEST)}", expected=f"{allowed}; {advice}")


def _is_from_python(document: Document) -> bool:
    """Return whether the proof names no file: it is about arrays or a data frame."""
    return document["data"].get("source") is None


def _fields(
    proof: Path, source: str, document: Document, statement: str | None, label: str | None, reason: str | None
) -> dict[str, Any]:
    known, is_valid = document.get("data", {}), statement is not None
    asked = {"proof": str(proof), "source": source, "label": label, "formula": known.get("formula")}
    stated = {name: document.get(name) for name in ("claim", "question", "margin_squared")}
    read = {name: known.get(name) for name in ("positive", "n_samples", "n_features", "bias", "reading", "sha256")}
    return {**asked, "valid": is_valid, "statement": statement, **stated, **read, "reason": reason}


def _check(document: Document, source: str, memory: str) -> tuple[str, str]:
    """Check the proof about a source; return its statement, and the name of the label."""
    from maxmargin.data.reading.loading import load

    data = document["data"]
    if data["reading"] == "decimal":
        return _check_decimal(document, source, memory)
    family = FamilyOptions.of_proof(document)
    if family is not None:
        read = partial(question_of_source, options=family, bias=family.bias_of(document))
        question = _read(read, document, source, memory)
        return checked_question(document, question), question.dataset.label_name
    of_whole_tables = ("formula", "one_hot", "one_hot_columns")
    needs_all = data.get("id") is not None or any(data.get(name) for name in of_whole_tables)
    dataset = _read(partial(load, memory=None if needs_all else memory), document, source, memory)
    asked = {True: "has an intercept", False: "has no intercept", None: ""}[dataset.has_intercept]
    need(dataset.has_intercept in (None, data["bias"]), f"data: the formula {asked}, and bias is {data['bias']}")
    statement = statement_about(document, dataset, None)
    levels = {factor.name: factor.levels for factor in dataset.factors}
    are_stated = data.get("rules") is None or (data.get("coded") or {}) == levels
    need(are_stated, f"data: the levels of the texts are {levels}, and others are stated")
    return statement, dataset.label_name


def _check_decimal(document: Document, source: str, memory: str) -> tuple[str, str]:
    from maxmargin.certificates.decimals import read_decimal
    from maxmargin.data.labels import encode

    need(document["data"].get("formula") is None, "data: a formula is not read as decimals")
    reading = _read(read_decimal, document, source, memory)
    dataset = reading.dataset
    return check_labelled(document, reading.rows_of(dataset), encode(dataset.labels)), dataset.label_name


def _read(read: Callable[..., Read], document: Document, source: str, memory: str) -> Read:
    """Read the source as the proof says; a source that can only be read in other ways is not the proof's data.

    Raises
    ------
    CertificateError
    DataError
        If the source cannot be read at all.
    """
    options = _reading_of(document["data"])
    if kind_of(source, options.get("format")) in NOT_DELIMITED:  # the same numbers without the options of a text
        options = {name: value for name, value in options.items() if name not in _OF_TEXT}
    try:
        return read(source, **options)
    except (InvalidOptionError, InvalidProblemError, DataError) as error:
        written = {name: options[name] for name in _WRITTEN if name in options}
        if not (_is_readable(source, memory) or _is_readable(source, memory, **written)):
            raise
        if _is_from_python(document):
            raise _UnreadableError(error.on_command_line) from error
        raise CertificateError(f"{FOREIGN}: {error.on_command_line}") from error


def _reading_of(data: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments of `load` that a proof states."""
    rules = data.get("rules")
    need(rules in (None, READING_RULES), f"data: read by the rules {rules}, and this version knows {READING_RULES}")
    options = {name: data[name] for name in _READING if data.get(name) is not None}
    named = columns_named(data.get("one_hot_columns") or ())
    if data.get("formula") is None:
        return options | {"one_hot": OneHot(every=options.get("one_hot", False), named=named, is_checked=False)}
    decided = [name for name in ("label", "one_hot") if name in options] + ["one_hot_columns"] * bool(named)
    need(not decided, f"data: a formula decides what {', '.join(decided)} would")
    return options


def _is_readable(source: str, memory: str, **written: Any) -> bool:
    """Return whether the source is a table of any kind: texts and missing values allowed, the label anywhere."""
    from maxmargin.data.batches import Choice
    from maxmargin.data.reading.formulas import whole_table
    from maxmargin.data.reading.loading import load

    any_table = Choice(one_hot=OneHot(every=True, is_checked=False), drop_missing=True, **written)
    readers: list[Callable[[], object]] = [
        partial(load, source, memory=memory, **written), partial(whole_table, source, any_table),
    ]  # fmt: skip
    for read in readers:
        with suppress(DataError, InvalidOptionError):
            read()
            return True
    return False
