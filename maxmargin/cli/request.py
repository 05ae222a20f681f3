"""The request of a command: data, read as its options say, and an answer, printed as JSON or as text."""

import json
import os
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from maxmargin.api.question import Question, names_of
from maxmargin.cli.deadline import ended_within
from maxmargin.data.dataset import Dataset, DecimalReading, check_is_answerable, is_matrix
from maxmargin.data.sources.opening import STDIN, STDIN_NAME, size_of_content
from maxmargin.solvers.answers.answer_text import plain, some
from maxmargin.solvers.basics.limits import Limits
from maxmargin.solvers.basics.printable import printable, printable_lines, terminal_width, wrapped
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.text.data_error import MOST_NAMED
from maxmargin.text.progress import bytes_counted, data_shown, note

if TYPE_CHECKING:
    from maxmargin.api.families import FamilyOptions, FamilyQuestion
    from maxmargin.cli.data_options import DataOptions
    from maxmargin.solvers.proof.certificate import Certificate

# Largest number of bytes of data that are read however short the time limit is; that takes less than a second.
_BYTES_IN_ANY_CASE = 2**22

# Options of reading data that `load` takes by the same names, with a formula and without.
_HOW_TO_READ = ("positive", "drop", "id", "drop_missing", "sep", "decimal_comma", "header", "missing", "format")

# Attributes of a data set with which an answer in JSON begins.
_DESCRIBED = ("source", "n_samples", "n_features", "header_line", "classes", "positive", "positive_reason", "negative",
              "notes")  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Request(Question):
    """The question of a command.

    Attributes
    ----------
    reading : DecimalReading or None
        The exact numbers: those of the text with --decimal, or those of a source that binary64 cannot hold.
    options : DataOptions
        How the data were read; `prepared` carries out the preparation of the features.
    family : FamilyQuestion, optional
        The question about a likelihood, or about rows that have a weight.
    """

    reading: DecimalReading | None
    options: "DataOptions"
    family: "FamilyQuestion | None" = None

    @property
    def call_in_python(self) -> str | None:
        """Call in Python that asks whether these data are separable; None if no call reads the same numbers."""
        from maxmargin.data.labels import CHOSEN

        read_as = self.dataset.read_as
        if self.reading is not None or read_as is None or self.options.source == STDIN or self.family is not None:
            return None
        stated = ("source", "one_hot_columns", *([] if self.options.header is not None else ["header"]))
        given = {name: value for name, value in read_as.items() if name not in stated}
        if "one_hot_columns" in read_as:
            given["one_hot"] = read_as["one_hot_columns"]
        if self.dataset.positive_reason == CHOSEN:
            given["positive"] = self.dataset.positive
        options = [f"{name}={value!r}" for name, value in given.items() if value != -1]
        bias = "" if self.bias or "formula" in read_as else ", bias=False"
        return f"maxmargin.separability(maxmargin.load({', '.join([repr(self.options.source), *options])}){bias})"

    def prepared(self) -> "Request":
        """Return the request with the features of its data prepared.

        Raises
        ------
        InvalidOptionError
            If the rows are not in memory.
        """
        from maxmargin.data.preparing import prepare

        how = self.options.prepare
        if how == "raw":
            return self
        if is_matrix(self.dataset.X):
            return replace(self, dataset=replace(self.dataset, X=prepare(self.dataset.X, how).X, read_as=None))
        raise InvalidOptionError(f"--prepare {how} copies all rows, and these are not in memory: allow more --memory")

    def note(self, text: str) -> None:
        """Print a line on stderr unless quiet."""
        note(text, quiet=self.options.quiet)

    def write_proof(self, path: Path, certificate: "Certificate | None") -> None:
        """Write a proof and the options that read its data; without a proof, only print a note."""
        from maxmargin.certificates.proofs import write_proof
        from maxmargin.certificates.reuse import values_fields
        from maxmargin.data.reading.formulas import is_plain

        if certificate is None:
            self.note(f"nothing is proven, so {path} is not written")
            return
        data = self.dataset
        labels: dict[str, Any] = {"positive": data.positive} if data.is_binary else {"classes": data.classes}
        if self.family is not None and self.family.likelihood is not None:
            labels = {}  # which the certificate states
        write_proof(path, certificate, **labels, **values_fields(certificate))
        formula = self.options.formula
        needed = [] if formula is None or is_plain(formula) else ["--formula", formula]
        command = shlex.join(["maxmargin", "verify", str(path), self.options.source, *needed])
        self.note(f"wrote {path}; {command} checks it")

    def answer(self, schema: str, fields: Callable[[], dict[str, Any]], text: Callable[[], str]) -> None:
        """Print the answer as one JSON object or as text, after the description of the data."""
        if self.options.as_json:
            described = {name: getattr(self.dataset, name) for name in _DESCRIBED}
            print_json(schema, {**described, "bias": self.bias, **fields()})
        else:
            print_text(_headline(self.dataset), text())


def read(
    options: "DataOptions",
    two_classes_for: str | None,
    *,
    limits: Limits,
    decimal: bool | None = None,
    are_notes_in_answer: bool = False,
    family: "FamilyOptions | None" = None,
) -> Request:
    """Read the source as the options say.

    Parameters
    ----------
    options : DataOptions
    two_classes_for : str, optional
        The name of a command that needs two classes.
    limits : Limits
        The time of the command, which may end while the source is read.
    decimal : bool, optional
        Whether to read the text of the source exactly; None refuses numbers that binary64 does not hold, and data
        without a column, about which only verdicts say anything.
    are_notes_in_answer : bool
        Whether the answer has the notes about the data; questions about them are printed at once all the same.
    family : FamilyOptions, optional
        The options about a likelihood.

    Raises
    ------
    DataError, InvalidProblemError
        If the data cannot be read or leave nothing to ask, or the command needs two classes and they have more.
    """
    click.get_current_context().with_resource(data_shown(quiet=options.quiet))
    if options.formula is not None and (options.no_bias or decimal):
        refused = "--no-bias" if options.no_bias else "--decimal"
        raise click.UsageError(f"--formula decides what {refused} would; expected one of them")
    with _ended_in_time(options.source, limits):
        asked = None if family is None else _read_family(options, family)
        dataset, reading = (_read_text if decimal else _read)(options) if asked is None else (asked.dataset, None)
    for text in dataset.notes:
        if not are_notes_in_answer or text.endswith("?"):
            note(text, quiet=options.quiet)
    if decimal is None:
        check_is_answerable(dataset)
    if two_classes_for is not None and not dataset.is_binary:
        names = ", ".join(map(str, dataset.classes))
        raise InvalidProblemError(
            f"{dataset.source} has {len(dataset.classes)} classes ({names}); "
            f"{two_classes_for} needs two: choose one with --positive"
        )
    dataset = dataset if reading is None else reading.dataset
    bias = not options.no_bias if dataset.has_intercept is None else dataset.has_intercept
    if asked is not None:
        own: dict[str, Any] = {"names": asked.names, "bias": asked.bias, "family": asked}
        return Request(dataset=dataset, reading=None, options=options, limits=limits, **own)
    return Request(dataset=dataset, names=names_of(dataset), reading=reading, bias=bias, options=options, limits=limits)


@contextmanager
def _ended_in_time(source: str, limits: Limits) -> Iterator[None]:
    """End reading when the time is over, unless it takes less than a second in any case, as for small files."""
    size = 0 if limits.time_limit is None else _size_of(source)
    if size is not None and size <= _BYTES_IN_ANY_CASE:
        yield
        return
    with bytes_counted() as counts, ended_within(limits, lambda: _late(source, sum(counts.values()), size)):
        yield


def _size_of(source: str) -> int | None:
    """Return the number of bytes of a file or a folder, 0 for what is in no file; None where it is not known."""
    if os.path.isdir(source):
        return sum(size_of_content(file.path) for file in os.scandir(source) if file.is_file())
    if os.path.isfile(source):
        return size_of_content(source)
    return None if source == STDIN or os.path.exists(source) else 0


def _late(source: str, n_read: int, size: int | None) -> str:
    """Say that the time was over while data were read, and how much of them was read; not every format tells."""
    done, late = f"{n_read / 1e6:,.0f}", "the limit ended while reading"
    if size is None:
        return f"{STDIN_NAME if source == STDIN else source}: {late}, after {done} MB"
    return f"{source}: {late}{f', at {done} of' if n_read else ''} {max(size, n_read) / 1e6:,.0f} MB"


def _read(options: "DataOptions") -> tuple[Dataset, DecimalReading | None]:
    from maxmargin.data.reading.loading import load

    dataset = load(options.source, formula=options.formula, memory=options.memory, **_columns(options))
    return dataset, DecimalReading.of(dataset)


def _read_family(options: "DataOptions", family: "FamilyOptions") -> "FamilyQuestion":
    from maxmargin.api.family_files import question_of_source

    bias = None if options.formula is not None else not options.no_bias
    return question_of_source(options.source, family, formula=options.formula, bias=bias, **_columns(options))


def _read_text(options: "DataOptions") -> tuple[Dataset, DecimalReading]:
    from maxmargin.certificates.decimals import read_decimal

    text = read_decimal(options.source, **_columns(options))
    return text.dataset, text


def _columns(options: "DataOptions") -> dict[str, Any]:
    """Return the arguments of `load` about columns and their text."""
    from maxmargin.data.batches import OneHot

    return {
        "label": -1 if options.label is None else options.label,
        "one_hot": OneHot(every=options.one_hot, named=options.one_hot_column),
        **{name: getattr(options, name) for name in _HOW_TO_READ},
    }


def print_json(schema: str, fields: dict[str, Any]) -> None:
    """Print one object with its schema; infinities and NaN, which JSON lacks, become null."""
    print(json.dumps(plain(schema_fields(schema, fields)), allow_nan=False))


def schema_fields(schema: str, fields: dict[str, Any]) -> dict[str, Any]:
    """Return fields after the name of their schema and the version."""
    from maxmargin.text.version import __version__

    return {"schema": f"maxmargin.{schema}/1", "version": __version__, **fields}


def print_text(*parts: str) -> None:
    """Print text, in lines as the terminal has them; nothing that comes from data acts on it.

    Single lines were escaped before.
    """
    for part in parts:
        print(wrapped(printable_lines(part), terminal_width()))


def _headline(dataset: Dataset) -> str:
    """Return the data set in one line, which columns of texts were coded, and which class is +1."""
    shape = f"{printable(dataset.source)}: {dataset.n_samples} x {dataset.n_features}"
    if dataset.factors:
        said = [f"{one.name} ({'every level' if one.reference is None else one.reference})" for one in dataset.factors]
        shape += f", coded (reference level): {some(said, MOST_NAMED, '({n} columns)')}"
    if dataset.is_binary:
        why = f"+1 is {printable(repr(dataset.positive))} ({printable(dataset.positive_reason)})"
        return f"{shape}, {printable(dataset.positive)} (+1) against {printable(dataset.negative)} (-1); {why}"
    return f"{shape}, {len(dataset.classes)} classes" if dataset.classes else shape
