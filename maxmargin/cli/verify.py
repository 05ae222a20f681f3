"""``maxmargin verify``: does a proof hold for these data?"""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from maxmargin.cli.exits import Exit
from maxmargin.cli.output import print_json, waiting
from maxmargin.proofs import Document, check_labelled, read_proof, verify
from maxmargin.readers.table import OneHot, columns_named
from maxmargin.solvers.proof.checker import CertificateError, need

Read = TypeVar("Read")

_LONGEST_SQUARE = 100
"""Characters of a squared margin that is printed."""

_COLUMN = {str, int}
_READING: dict[str, set[type]] = {
    "label": _COLUMN,
    "positive": {str, int, float, bool},
    "drop": _COLUMN,
    "id": _COLUMN,
    "one_hot": {bool},
    "one_hot_columns": _COLUMN,
    "drop_missing": {bool},
    "sep": {str},
    "decimal_comma": {bool},
    "format": {str},
}
"""What a proof may say of how its data are read, with its types."""

_LISTS = ("drop", "one_hot_columns")

_NEED_ALL = ("id", "one_hot", "one_hot_columns", "drop_missing")
"""Of these, what only a reader of whole tables does."""


def verify_proof(proof: Path, source: str, *, memory: str, as_json: bool, quiet: bool) -> Exit:
    """Check the proof, print whether it holds, and return the exit code.

    Parameters
    ----------
    proof : path
    source : str
    memory : str
        Larger sources stay on disk, where the proof's way to read them can do with a part of them at a time.
    as_json, quiet : bool
    """
    document: Document = {}
    reason = None
    try:
        document = read_proof(proof)
        with waiting("checking the proof", quiet=quiet):
            _check(document, source, memory)
    except CertificateError as error:
        reason = str(error)
    if as_json:
        print_json("verify", _fields(proof, source, document, reason))
    else:
        print(f"valid: {_statement(document)}" if reason is None else f"invalid: {reason}")
    return Exit.OK if reason is None else Exit.INVALID


def _fields(proof: Path, source: str, document: Document, reason: str | None) -> dict[str, Any]:
    known = document.get("data", {})
    return {
        "proof": str(proof),
        "source": source,
        "valid": reason is None,
        "claim": document.get("claim"),
        "question": document.get("question"),
        "margin_squared": document.get("margin_squared"),
        **{name: known.get(name) for name in ("n_samples", "n_features", "bias", "reading", "sha256")},
        "reason": reason,
    }


def _statement(document: Document) -> str:
    """Return the claim in a line."""
    data, square = document["data"], document.get("margin_squared")
    of = f", squared margin {square}" if square is not None and len(square) <= _LONGEST_SQUARE else ""
    space = "with bias" if data["bias"] else "through the origin"
    shape = f"{data['n_samples']} x {data['n_features']}"
    return f"{document['claim']}{of} ({document['question']}, {shape}, {space}, {data['reading']})"


def _check(document: Document, source: str, memory: str) -> None:
    if document["data"]["reading"] == "decimal":
        _check_decimal(document, source, memory)
    else:
        from maxmargin.dataset import load

        within = None if any(document["data"].get(name) not in (None, False) for name in _NEED_ALL) else memory
        dataset = _read(partial(load, memory=within), document, source, memory)
        verify(document, dataset.X, dataset.labels)


def _check_decimal(document: Document, source: str, memory: str) -> None:
    from maxmargin.decimals import read_decimal
    from maxmargin.readers.labels import encode
    from maxmargin.solvers.problem import ClassProblem

    reading = _read(read_decimal, document, source, memory)
    dataset = reading.dataset
    labels = encode(dataset.labels)
    hashed = ClassProblem(dataset.X, labels.codes, len(labels.classes), integers=reading.integers, units=reading.units)
    check_labelled(document, reading.rows_of(dataset), labels, hashed.sha256_with)


def _read(read: Callable[..., Read], document: Document, source: str, memory: str) -> Read:
    """Read the source as the proof says; one that can be read, but not so, is not the proof's data.

    Raises
    ------
    CertificateError
    DataError
        The source cannot be read at all.
    """
    from maxmargin.readers.errors import DataError
    from maxmargin.solvers.errors import InvalidOptionError

    options = _options(document["data"])
    try:
        return read(source, **options)
    except (DataError, InvalidOptionError) as error:
        written = {name: options[name] for name in ("sep", "decimal_comma", "format") if name in options}
        if _is_readable(source, memory) or _is_readable(source, memory, **written):
            raise CertificateError(f"these are not the data of the proof: {error.on_command_line}") from error
        raise


def _options(data: dict[str, Any]) -> dict[str, Any]:
    options = {name: data[name] for name in _READING if data.get(name) is not None}
    for name, value in options.items():
        entries = value if name in _LISTS and isinstance(value, list) else [value]
        need({*map(type, entries)} <= _READING[name], f"data: {name} is not what it may be")
    named = columns_named(options.pop("one_hot_columns", ()))
    return {**options, "one_hot": OneHot(every=options.get("one_hot", False), named=named, is_checked=False)}


def _is_readable(source: str, memory: str, **written: Any) -> bool:
    """Return whether the source is a table of any kind: texts and missing values allowed, the label anywhere."""
    from maxmargin.dataset import load
    from maxmargin.readers.formats import read
    from maxmargin.readers.table import Choice

    any_table = Choice(one_hot=OneHot(every=True, is_checked=False), drop_missing=True, **written)
    return _succeeds(partial(load, source, memory=memory, **written)) or _succeeds(partial(read, source, any_table))


def _succeeds(read: Callable[[], object]) -> bool:
    from maxmargin.readers.errors import DataError
    from maxmargin.solvers.errors import InvalidOptionError

    try:
        read()
    except (DataError, InvalidOptionError):
        return False
    return True
