"""``maxmargin verify``: does a proof hold for these data?"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from maxmargin.certificates.proofs import Document, check_labelled, read_proof, statement_about
from maxmargin.cli.feedback import Exit
from maxmargin.cli.request import print_json
from maxmargin.data.formats.table import OneHot, columns_named
from maxmargin.solvers.basics.printable import shown
from maxmargin.solvers.errors import InvalidOptionError
from maxmargin.solvers.proof.checker import CertificateError, NotAProofError
from maxmargin.text.data_error import DataError, data_error
from maxmargin.text.progress import waiting

if TYPE_CHECKING:
    from maxmargin.data.dataset import Dataset

Read = TypeVar("Read")

_WRITTEN = ("sep", "decimal_comma", "format")
"""Arguments of `load` that say how a text file is written."""

_READING = ("label", "positive", "drop", "id", "one_hot", "drop_missing", *_WRITTEN)
"""Arguments of `load` that a proof may state for its data."""


def verify_proof(proof: Path, source: str, *, memory: str, as_json: bool, quiet: bool) -> Exit:
    """Check the proof, print whether it holds, and return the exit code.

    Parameters
    ----------
    proof : path
    source : str
    memory : str
        Larger sources stay on disk, if they can be read a part at a time in the way that the proof states.
    as_json, quiet : bool
    """
    document: Document = {}
    statement = reason = None
    try:
        document = read_proof(proof)
        with waiting("checking the proof", quiet=quiet):
            statement = _check(document, source, memory)
    except NotAProofError as error:
        found = str(error).removeprefix("not a proof: ")
        raise data_error(str(proof), found=found, expected="a proof, as --proof writes it") from error
    except CertificateError as error:
        reason = str(error)
    if as_json:
        print_json("verify", _fields(proof, source, document, statement, reason))
    else:
        print(f"invalid: {shown(reason)}" if statement is None else f"valid: {shown(statement)}")
    return Exit.INVALID if statement is None else Exit.OK


def _fields(proof: Path, source: str, document: Document, statement: str | None, reason: str | None) -> dict[str, Any]:
    known = document.get("data", {})
    return {
        "proof": str(proof),
        "source": source,
        "valid": statement is not None,
        "statement": statement,
        "claim": document.get("claim"),
        "question": document.get("question"),
        "margin_squared": document.get("margin_squared"),
        "positive": known.get("positive"),
        **{name: known.get(name) for name in ("n_samples", "n_features", "bias", "reading", "sha256")},
        "reason": reason,
    }


def _check(document: Document, source: str, memory: str) -> str:
    from maxmargin.data.dataset import load

    if document["data"]["reading"] == "decimal":
        return _check_decimal(document, source, memory)
    data = document["data"]
    if data.get("formula") is not None:
        dataset, _ = _read(partial(_by_formula, data["formula"]), document, source, memory)
        return statement_about(document, dataset.X, dataset.labels)
    of_whole_tables = ("one_hot", "one_hot_columns", "drop_missing")
    needs_all = data.get("id") is not None or any(data.get(name) for name in of_whole_tables)
    within = None if needs_all else memory
    dataset = _read(partial(load, memory=within), document, source, memory)
    return statement_about(document, dataset.X, dataset.labels)


def _check_decimal(document: Document, source: str, memory: str) -> str:
    from maxmargin.certificates.decimals import read_decimal
    from maxmargin.data.labels import encode

    reading = _read(read_decimal, document, source, memory)
    return check_labelled(document, reading.rows_of(reading.dataset), encode(reading.dataset.labels))


def _read(read: Callable[..., Read], document: Document, source: str, memory: str) -> Read:
    """Read the source as the proof says; a source that can only be read in other ways is not the proof's data.

    Raises
    ------
    CertificateError
    DataError
        If the source cannot be read at all.
    """
    data = document["data"]
    options = {name: data[name] for name in _READING if data.get(name) is not None}
    named = columns_named(data.get("one_hot_columns") or ())
    options["one_hot"] = OneHot(every=options.get("one_hot", False), named=named, is_checked=False)
    try:
        return read(source, **options)
    except (DataError, InvalidOptionError) as error:
        written = {name: options[name] for name in _WRITTEN if name in options}
        if _is_readable(source, memory) or _is_readable(source, memory, **written):
            raise CertificateError(f"these are not the data of the proof: {error.on_command_line}") from error
        raise


def _by_formula(formula: str, source: str, *, label: object, one_hot: object, **options: Any) -> "tuple[Dataset, bool]":
    """Read the source by the formula of a proof, which names the label and decides how texts are coded."""
    from maxmargin.data.tabular.load_formula import load_by_formula

    return load_by_formula(source, formula, **options)


def _is_readable(source: str, memory: str, **written: Any) -> bool:
    """Return whether the source is a table of any kind: texts and missing values allowed, the label anywhere."""
    from maxmargin.data.dataset import load
    from maxmargin.data.formats.readers import read
    from maxmargin.data.formats.table import Choice

    any_table = Choice(one_hot=OneHot(every=True, is_checked=False), drop_missing=True, **written)
    return _succeeds(partial(load, source, memory=memory, **written)) or _succeeds(partial(read, source, any_table))


def _succeeds(read: Callable[[], object]) -> bool:
    try:
        read()
    except (DataError, InvalidOptionError):
        return False
    return True
