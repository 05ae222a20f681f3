"""The request of a command: data, read as its options say, and an answer, printed as JSON or as text."""

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from maxmargin.solvers.answers.answer_text import NamedAnswer, Names, plain
from maxmargin.solvers.basics.printable import shown, shown_lines
from maxmargin.solvers.errors import InvalidOptionError, InvalidProblemError
from maxmargin.text.progress import data_shown, note

if TYPE_CHECKING:
    from maxmargin.data.dataset import Dataset
    from maxmargin.data.problems import DecimalReading
    from maxmargin.solvers.problem.problem import Problem
    from maxmargin.solvers.proof.certificate import Certificate

Answer = TypeVar("Answer", bound=NamedAnswer)

_HOW_TO_READ = ("positive", "drop", "id", "drop_missing", "sep", "decimal_comma", "format")
"""Options of reading data that have the same name in Python, with a formula and without."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A question about a data set.

    Attributes
    ----------
    dataset : Dataset
    reading : DecimalReading or None
        The exact numbers: those of the text with --decimal, or those of a source that binary64 cannot hold.
    source : str
        Where the data are, as the command was told.
    bias : bool
    prepare : str
        The preparation of the features, which `prepared` carries out.
    as_json, quiet : bool
    """

    dataset: "Dataset"
    reading: "DecimalReading | None"
    source: str
    bias: bool
    prepare: str
    as_json: bool
    quiet: bool

    @property
    def problem(self) -> "Problem":
        """The question of two classes."""
        from maxmargin.data.problems import problem_of

        return problem_of(self.dataset, bias=self.bias)

    @property
    def names(self) -> Names:
        """The names of the rows and the columns of the data."""
        from maxmargin.data.tabular.given import names_of

        return names_of(self.dataset)

    @property
    def call_in_python(self) -> str | None:
        """The call in Python that asks whether the data are separable; None where there is none with these numbers."""
        from maxmargin.data.formats.source import STDIN
        from maxmargin.data.labels import CHOSEN

        read_as = self.dataset.read_as
        if self.reading is not None or read_as is None or self.source == STDIN:
            return None
        given = {name: value for name, value in read_as.items() if name not in ("source", "one_hot_columns")}
        if "one_hot_columns" in read_as:
            given["one_hot"] = read_as["one_hot_columns"]
        if self.dataset.positive_reason == CHOSEN:
            given["positive"] = self.dataset.positive
        options = [f"{name}={value!r}" for name, value in given.items() if value != -1]
        bias = "" if self.bias or "formula" in read_as else ", bias=False"
        return f"maxmargin.separability(maxmargin.load({', '.join([repr(self.source), *options])}){bias})"

    def named(self, answer: Answer) -> Answer:
        """Return the answer with the names of the rows and the columns of the data."""
        return replace(answer, names=self.names)

    def prepared(self) -> "Request":
        """Return the request with the features of its data prepared.

        Raises
        ------
        InvalidOptionError
            If the rows are not in memory.
        """
        from maxmargin.data.formats.table import is_matrix
        from maxmargin.data.preparing import prepare

        if self.prepare == "raw":
            return self
        if is_matrix(self.dataset.X):
            return replace(self, dataset=replace(self.dataset, X=prepare(self.dataset.X, self.prepare).X, read_as=None))
        raise InvalidOptionError(
            f"--prepare {self.prepare} copies all rows, and these are not in memory: allow more --memory"
        )

    def note(self, text: str) -> None:
        """Print a line on stderr unless quiet."""
        note(text, quiet=self.quiet)

    def write_proof(self, path: Path, certificate: "Certificate | None") -> None:
        """Write a proof, with how to read its data, and note that; without a proof, note that there is none."""
        from maxmargin.certificates.proofs import write_proof
        from maxmargin.certificates.reuse import values_fields

        if certificate is None:
            self.note(f"nothing is proven, so {path} is not written")
            return
        data = self.dataset
        labels: dict[str, Any] = {"positive": data.positive} if data.is_binary else {"classes": data.classes}
        write_proof(path, certificate, **labels, **values_fields(certificate))
        command = shlex.join(["maxmargin", "verify", str(path), self.source])
        self.note(f"wrote {path}; {command} checks it")

    def answer(self, schema: str, fields: Callable[[], dict[str, Any]], text: Callable[[], str]) -> None:
        """Print the answer as one JSON object or as text, after the description of the data."""
        if self.as_json:
            print_json(schema, {**_data_fields(self.dataset), "bias": self.bias, **fields()})
        else:
            print_text(_headline(self.dataset), text())


def read(
    options: dict[str, Any], two_classes_for: str | None, *, decimal: bool | None, are_notes_in_answer: bool
) -> Request:
    """Take the options of reading data out of `options`, and read the source as they say.

    Parameters
    ----------
    options : dict
    two_classes_for : str, optional
        The name of a command that needs two classes.
    decimal : bool, optional
        Whether to read the text of the source exactly; None refuses numbers that binary64 does not hold.
    are_notes_in_answer : bool
        Whether the answer has the notes about the data; questions about them are printed at once all the same.

    Raises
    ------
    DataError, InvalidProblemError
        If the data are not what the command needs.
    """
    from maxmargin.data.problems import check_is_binary64

    quiet, source, no_bias = options.pop("quiet"), options["source"], options.pop("no_bias")
    click.get_current_context().with_resource(data_shown(quiet=quiet))
    _check_formula(options["formula"], {"--no-bias": no_bias, "--decimal": bool(decimal)})
    dataset, reading = (_read_text if decimal else _read)(options)
    for text in dataset.notes:
        if not are_notes_in_answer or text.endswith("?"):
            note(text, quiet=quiet)
    if decimal is None:
        check_is_binary64(dataset)
    if two_classes_for is not None and not dataset.is_binary:
        names = ", ".join(map(str, dataset.classes))
        raise InvalidProblemError(
            f"{dataset.source} has {len(dataset.classes)} classes ({names}); "
            f"{two_classes_for} needs two: choose one with --positive"
        )
    return Request(
        dataset=dataset if reading is None else reading.dataset,
        reading=reading,
        source=source,
        bias=not no_bias if dataset.has_intercept is None else dataset.has_intercept,
        prepare=options.pop("prepare", "raw"),
        as_json=options.pop("as_json"),
        quiet=quiet,
    )


def _read(options: dict[str, Any]) -> "tuple[Dataset, DecimalReading | None]":
    from maxmargin.data.problems import DecimalReading
    from maxmargin.data.tabular.loading import load

    storage = {name: options.pop(name, None) for name in ("memory", "cluster", "resume")}
    if options["formula"] is not None:
        storage["memory"] = None  # whose default is for other data
    dataset = load(options.pop("source"), formula=options.pop("formula"), **_columns(options), **storage)
    return dataset, DecimalReading.of(dataset)


def _read_text(options: dict[str, Any]) -> "tuple[Dataset, DecimalReading]":
    from maxmargin.certificates.decimals import read_decimal

    del options["memory"], options["formula"]
    if options.pop("cluster") is not None:
        raise click.UsageError("--decimal needs the text in memory, not on a --cluster")
    if options.pop("resume") is not None:
        raise click.UsageError("--decimal needs the text in memory, and --resume is for data on disk")
    text = read_decimal(options.pop("source"), **_columns(options))
    return text.dataset, text


def _check_formula(formula: str | None, refused: dict[str, bool]) -> None:
    given = [name for name, is_given in refused.items() if is_given]
    if formula is not None and given:
        raise click.UsageError(f"--formula decides what {given[0]} would; expected one of them")


def _columns(options: dict[str, Any]) -> dict[str, Any]:
    """Take the arguments of `load` about columns and their text out of `options`."""
    from maxmargin.data.formats.table import OneHot

    label = options.pop("label")
    one_hot = OneHot(every=options.pop("one_hot"), named=options.pop("one_hot_column"))
    return {
        "label": -1 if label is None else label,
        "one_hot": one_hot,
        **{name: options.pop(name) for name in _HOW_TO_READ},
    }


def print_json(schema: str, fields: dict[str, Any]) -> None:
    """Print one object with its schema; infinities and NaN, which JSON lacks, become null."""
    from maxmargin.text.version import __version__

    print(json.dumps(plain({"schema": f"maxmargin.{schema}/1", "version": __version__, **fields}), allow_nan=False))


def print_text(*parts: str) -> None:
    """Print text; nothing that comes from data acts on the terminal. Single lines were escaped before."""
    for part in parts:
        print(shown_lines(part))


def _data_fields(dataset: "Dataset") -> dict[str, Any]:
    """Return the fields that describe the data."""
    return {
        "source": dataset.source,
        "n_samples": dataset.n_samples,
        "n_features": dataset.n_features,
        "classes": dataset.classes,
        "positive": dataset.positive,
        "positive_reason": dataset.positive_reason,
        "negative": dataset.negative,
        "notes": dataset.notes,
    }


def _headline(dataset: "Dataset") -> str:
    """Return the data set in one line, and which class is +1."""
    shape = f"{shown(dataset.source)}: {dataset.n_samples} x {dataset.n_features}"
    if dataset.is_binary:
        why = f"+1 is {shown(repr(dataset.positive))} ({shown(dataset.positive_reason)})"
        return f"{shape}, {shown(dataset.positive)} (+1) against {shown(dataset.negative)} (-1); {why}"
    return f"{shape}, {len(dataset.classes)} classes"
