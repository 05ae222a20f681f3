"""The request of a command: data, read as its options say, and an answer, printed as JSON or as text."""

import json
import shlex
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from maxmargin.solvers.answers.forms import NamedAnswer, Names, plain
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
    source : dict
        How the data were read, as a proof states it.
    bias : bool
    prepare : str
        The preparation of the features, which `prepared` carries out.
    as_json, quiet : bool
    """

    dataset: "Dataset"
    reading: "DecimalReading | None"
    source: dict[str, Any]
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

        if self.reading is not None or self.source["source"] == STDIN:
            return None
        fields, bias = self.source, "" if self.bias else ", bias=False"
        if "formula" in fields:
            positive = "" if fields["positive"] is None else f", positive={self.dataset.positive!r}"
            asked = f"df, {fields['formula']!r}{positive})  # df: the data frame of {shown(fields['source'])}"
            return f"maxmargin.separability({asked}"
        given = {"label": fields["label"], **{name: fields.get(name) for name in _HOW_TO_READ}}
        given["one_hot"] = fields.get("one_hot_columns") or fields["one_hot"]
        options = [f"{name}={value!r}" for name, value in given.items() if value not in (None, False, -1, [])]
        return f"maxmargin.separability(maxmargin.load({', '.join([repr(fields['source']), *options])}){bias})"

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
            return replace(self, dataset=replace(self.dataset, X=prepare(self.dataset.X, self.prepare).X))
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
        write_proof(path, certificate, **{**self.source, **labels, **values_fields(certificate)})
        command = shlex.join(["maxmargin", "verify", str(path), self.source["source"]])
        self.note(f"wrote {path}; {command} checks it")

    def answer(self, schema: str, fields: Callable[[], dict[str, Any]], text: Callable[[], str]) -> None:
        """Print the answer as one JSON object or as text, after the description of the data."""
        if self.as_json:
            print_json(schema, {**_data_fields(self.dataset), "bias": self.bias, **fields()})
        else:
            print_text(_headline(self.dataset), text())


def read(options: dict[str, Any], two_classes_for: str | None, *, decimal: bool | None) -> Request:
    """Take the options of reading data out of `options`, and read the source as they say.

    Parameters
    ----------
    options : dict
    two_classes_for : str, optional
        The name of a command that needs two classes.
    decimal : bool, optional
        Whether to read the text of the source exactly; None refuses numbers that binary64 does not hold.

    Raises
    ------
    DataError, InvalidProblemError
        If the data are not what the command needs.
    """
    from maxmargin.data.problems import check_is_binary64

    quiet, source, formula = options.pop("quiet"), _source_fields(options), options.pop("formula")
    click.get_current_context().with_resource(data_shown(quiet=quiet))
    if formula is None:
        dataset, reading = (_read_text if decimal else _read)(options)
        bias = not options.pop("no_bias")
    else:
        (dataset, bias), reading = _read_formula(formula, options, decimal=bool(decimal)), None
    for text in dataset.notes:
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
        bias=bias,
        prepare=options.pop("prepare", "raw"),
        as_json=options.pop("as_json"),
        quiet=quiet,
    )


def _read(options: dict[str, Any]) -> "tuple[Dataset, DecimalReading | None]":
    from maxmargin.data.dataset import load
    from maxmargin.data.problems import DecimalReading

    storage = {name: options.pop(name, None) for name in ("memory", "cluster", "resume")}
    dataset = load(options.pop("source"), **_columns(options), **storage)
    return dataset, DecimalReading.of(dataset)


def _read_text(options: dict[str, Any]) -> "tuple[Dataset, DecimalReading]":
    from maxmargin.certificates.decimals import read_decimal

    del options["memory"]
    if options.pop("cluster") is not None:
        raise click.UsageError("--decimal needs the text in memory, not on a --cluster")
    if options.pop("resume") is not None:
        raise click.UsageError("--decimal needs the text in memory, and --resume is for data on disk")
    text = read_decimal(options.pop("source"), **_columns(options))
    return text.dataset, text


def _read_formula(formula: str, options: dict[str, Any], *, decimal: bool) -> "tuple[Dataset, bool]":
    from maxmargin.data.tabular.load_formula import load_by_formula

    refused = {
        "--label": options.pop("label") is not None,
        "--no-bias": options.pop("no_bias"),
        "--one-hot": options.pop("one_hot"),
        "--one-hot-column": bool(options.pop("one_hot_column")),
        "--cluster": options.pop("cluster", None) is not None,
        "--resume": options.pop("resume", None) is not None,
        "--decimal": decimal,
    }
    given = [name for name, is_given in refused.items() if is_given]
    if given:
        raise click.UsageError(f"--formula decides what {given[0]} would; expected one of them")
    options.pop("memory", None)
    chosen = {name: options.pop(name) for name in _HOW_TO_READ}
    return load_by_formula(options.pop("source"), formula, **chosen)


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


def _source_fields(options: dict[str, Any]) -> dict[str, Any]:
    """Return how the data were read, as a proof states it."""
    fields = {name: options[name] for name in ("source", "positive", "id", "one_hot", "drop_missing")}
    label = -1 if options["label"] is None else options["label"]
    asked = {name: options[name] for name in ("formula", "sep", "decimal_comma", "format") if options[name]}
    if options["one_hot_column"]:
        asked["one_hot_columns"] = list(options["one_hot_column"])
    return {**fields, "label": label, "drop": list(options["drop"]), **asked}


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
