"""The options that several commands share, and the data set they describe.

The choices are spelled out here, so that ``--help`` imports nothing; a test compares them with the code.
"""

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from maxmargin.data.dataset import Dataset
    from maxmargin.data.decimal_reading import DecimalReading

Command = TypeVar("Command", bound=Callable[..., Any])

REQUIREMENTS = ("separable", "quasi-separable", "overlap", "not-strictly-separable")
ZERO_RULES = ("mistake", "positive", "negative")
ORDERS = ("cyclic", "shuffled-once", "reshuffled-each-epoch", "random")
MARGIN_METHODS = ("auto", "textbook", "working-set", "dual-coordinate", "daqp", "cvxpy")
SOFT_METHODS = ("auto", "textbook", "cvxpy", "working-set", "interior-point", "dual-coordinate")
RUN_METHODS = ("auto", "weights", "gram", "blocks", "integers")
FEWEST_METHODS = ("auto", "cvxpy")
PREPARATIONS = ("raw", "center", "standardize", "unit")
PROOFS, TRACES, REPORTS = (".json",), (".md", ".tex"), (".html", ".md", ".json")
"""Suffixes with which an output of this kind overwrites a file without --force: no data are read from such files."""

FORMATS = ("csv", "tsv", "parquet", "feather", "npz", "svm", "libsvm", "svmlight", "npy")

_SOURCE_HELP = """
SOURCE is a file (.csv .tsv .parquet .feather .npz .svm .libsvm .svmlight, also .gz), X.npy beside y.npy, a folder of
such files, a bundled data set (iris, breast_cancer, wine, digits), a generated one (xor, gap:40, ...; maxmargin
generate lists them), the truth table of a formula ("formula:(x1 | x4) & ~x3"), or - for CSV on the standard input.
LIBSVM's files need no suffix; --format tells of others.
COL is a column's name or its position from 0; negative positions count from the end. Where Parquet and Feather files
hold the index of a pandas data frame, its columns are left out unless they are named; positions do not count them.
"""


def data_options(command: Command) -> Command:
    """Add SOURCE and the options that say how it is read."""
    return _data_options(command, is_required=True)


def data_options_beside_a_list(command: Command) -> Command:
    """Add the same, for a command that can do without SOURCE."""
    return _data_options(command, is_required=False)


def _data_options(command: Command, *, is_required: bool) -> Command:
    command.__doc__ = f"{cleandoc(command.__doc__ or '')}\n{_SOURCE_HELP}"
    return _together(
        command,
        click.argument("source", required=is_required),
        click.option("--label", metavar="COL", help="Column of the labels.  [default: the last]"),
        click.option(
            "--positive",
            metavar="VALUE",
            help="The class that is +1, against all others.  [default: yes of yes/no and the like, else the greater]",
        ),
        click.option("--drop", metavar="COL", multiple=True, help="Column to leave out; may be repeated."),
        click.option("--id", "id_column", metavar="COL", help="Column that names the rows."),
        click.option("--one-hot", is_flag=True, help="Encode text columns as columns of 0 and 1."),
        click.option(
            "--one-hot-column",
            metavar="COL",
            multiple=True,
            help="Encode this one, whatever is in it; may be repeated.",
        ),
        click.option("--drop-missing", is_flag=True, help="Leave out rows with missing values."),
        click.option("--sep", metavar="CHAR", help="Separator of CSV: a character, or tab, space, semicolon ..."),
        click.option("--decimal-comma", is_flag=True, help="Numbers in CSV are written as 1,5."),
        click.option("--format", type=click.Choice(FORMATS), help="What SOURCE is, whatever its name."),
        memory_option(),
        click.option("--cluster", metavar="ADDRESS", help="Have the workers of this Dask scheduler read SOURCE."),
        click.option("--no-bias", is_flag=True, help="Hyperplanes through the origin only."),
        click.option("--json", "as_json", is_flag=True, help="Print one JSON object."),
        click.option("--quiet", "-q", is_flag=True, help="No notes and no progress on stderr."),
    )


def memory_option() -> Callable[[Command], Command]:
    """Return the option --memory."""
    return click.option(
        "--memory", metavar="SIZE", default="1GiB", show_default=True, help="Larger files stay on disk: 512MiB, ..."
    )


def resume_option(command: Command) -> Command:
    """Add --resume."""
    return _together(
        command,
        click.option(
            "--resume",
            type=click.Path(),
            metavar="FILE",
            help="Keep in FILE what passes over data on disk find; named again, a killed run goes on from there, and "
            "other questions on the data need no validation. Remove it at will.",
        ),
    )


def resume_run_option(command: Command) -> Command:
    """Add --resume of a run."""
    return _together(
        command,
        click.option(
            "--resume",
            type=click.Path(),
            metavar="FILE",
            help="Keep the run in FILE.run every half minute, and when it stops; the same command goes on from there, "
            "with other limits if you like. Passes over data on disk are kept in FILE.",
        ),
    )


def solver_option(command: Command) -> Command:
    """Add --solver."""
    return _together(
        command,
        click.option("--solver", metavar="NAME", callback=_installed, help="A cvxpy solver, such as CLARABEL or DAQP."),
    )


def _installed(_context: click.Context, _option: click.Parameter, value: str | None) -> str | None:
    """Refuse a solver that is not installed before anything is read, or any progress shown."""
    if value is not None:
        from maxmargin.solvers.engines.textbook import backends

        backends.chosen(value, ())
    return value


def check_method(name: str | None, names: tuple[str, ...]) -> None:
    """Refuse a --method that is none of these; None leaves the choice to the command."""
    if name is not None and name not in names:
        raise click.BadOptionUsage("method", f"--method is {name!r}; expected one of {', '.join(names)}")


def run_options(most_mistakes: int, *, with_order: bool = True) -> Callable[[Command], Command]:
    """Add the options of a perceptron run; without --order where the orders are the question."""
    order = click.option("--order", type=click.Choice(ORDERS), default="cyclic", show_default=True)

    def decorate(command: Command) -> Command:
        return _together(
            command,
            bias_scale_option(),
            click.option(
                "--zero",
                type=click.Choice(ZERO_RULES),
                default="mistake",
                show_default=True,
                help="What y w.x = 0 is: a mistake, or a prediction of +1 or -1.",
            ),
            *((order,) if with_order else ()),
            seed_option(),
            click.option(
                "--max-epochs", type=click.IntRange(min=1), metavar="N", help="Limit of epochs.  [default: none]"
            ),
            click.option(
                "--max-mistakes",
                type=click.IntRange(min=1),
                metavar="N",
                default=most_mistakes,
                show_default=True,
                help="Limit of updates.",
            ),
            prepare_option(),
        )

    return decorate


def bias_scale_option() -> Callable[[Command], Command]:
    """Return the option --bias-scale."""
    return click.option(
        "--bias-scale",
        metavar="S",
        default="1",
        show_default=True,
        help="Constant coordinate that carries the bias: a number, or best.",
    )


def seed_option() -> Callable[[Command], Command]:
    """Return the option --seed."""
    return click.option(
        "--seed",
        type=click.IntRange(min=0),
        metavar="N",
        default=0,
        show_default=True,
        help="For the orders that draw.",
    )


def prepare_option() -> Callable[[Command], Command]:
    """Return the option --prepare."""
    return click.option(
        "--prepare",
        type=click.Choice(PREPARATIONS),
        default="raw",
        show_default=True,
        help="Done to the data before anything else.",
    )


def time_limit_option(does: str, default: float | None = None) -> Callable[[Command], Command]:
    """Return the option --time-limit, which takes a positive number."""
    known = "none" if default is None else f"{default:g}"
    return click.option(
        "--time-limit",
        type=float,
        metavar="SECONDS",
        default=default,
        callback=_positive,
        help=f"{does}  [default: {known}]",
    )


def price_option(default: float | None, does: str) -> Callable[[Command], Command]:
    """Return the option --soft, the price C of slack."""
    shown = default is not None
    return click.option(
        "--soft", "C", type=float, metavar="C", default=default, show_default=shown, callback=_price, help=does
    )


def _price(_context: click.Context, _option: click.Parameter, value: float | None) -> float | None:
    if value is not None and not 0 < value < math.inf:
        raise click.BadParameter(f"{value!r} is not a positive finite number.")
    return value


def _positive(_context: click.Context, _option: click.Parameter, value: float | None) -> float | None:
    if value is not None and not value > 0:
        raise click.BadParameter(f"{value!r} is not a positive number of seconds.")
    return value


def file_option(*names: str, **described: Any) -> Callable[[Command], Command]:
    """Return an option that takes a path."""
    return click.option(*names, type=click.Path(path_type=Path), **described)


def force_option(command: Command) -> Command:
    """Add --force."""
    return _together(command, click.option("--force", is_flag=True, help="Overwrite files that may hold data."))


def check_outputs(options: dict[str, Any], *names: str, rewritten: Sequence[str], folder: str | None = None) -> None:
    """Take --force out of ``options``, and raise before any work unless the files of these options may be written.

    Without --force an existing file is overwritten only if it is empty, a proof, or has a suffix of ``rewritten``.

    Raises
    ------
    OSError
        An output cannot be written, is an input of the command, or may be a file of another kind and there is no
        --force.
    """
    from maxmargin.cli.output_files import check_output_folder, check_outputs, inputs_of

    outputs = [options[name] for name in names if options[name] is not None]
    inputs = inputs_of(options["source"], resume=options.get("resume"))
    check_outputs(outputs, inputs, force=options.pop("force"), rewritten=rewritten)
    if folder is not None and options[folder] is not None:
        check_output_folder(options[folder], outputs, inputs)


def read(options: dict[str, Any]) -> "Dataset":
    """Take the options on reading out of ``options`` and read the source, of binary64 numbers, as they say."""
    from maxmargin.data.problems import check_is_binary64

    dataset, _ = read_either(options, decimal=False)
    check_is_binary64(dataset)
    return dataset


def read_either(options: dict[str, Any], *, decimal: bool) -> "tuple[Dataset, DecimalReading | None]":
    """Read the source as the options say, with its exact numbers: its text with `decimal`, else where it has others."""
    from maxmargin.cli.output import note, notes_of
    from maxmargin.cli.progress import passes_shown
    from maxmargin.data.formats.table import OneHot
    from maxmargin.data.outofcore.announcing import listened

    label = options.pop("label")
    arguments = {
        "label": -1 if label is None else label,
        "positive": options.pop("positive"),
        "drop": options.pop("drop"),
        "id": options.pop("id_column"),
        "one_hot": OneHot(every=options.pop("one_hot"), named=options.pop("one_hot_column")),
        **{name: options.pop(name) for name in ("sep", "decimal_comma", "format")},
        "drop_missing": options.pop("drop_missing"),
    }
    limits = {name: options.pop(name, None) for name in ("memory", "cluster", "resume")}
    quiet = options["quiet"]
    click.get_current_context().with_resource(passes_shown(quiet=quiet))
    click.get_current_context().with_resource(listened(lambda text: note(text, quiet=quiet)))
    source = options.pop("source")
    if decimal:
        from maxmargin.certificates.decimals import read_decimal

        _refuse_outside_memory(limits)
        text = read_decimal(source, **arguments)
        notes_of(text.dataset, quiet=quiet)
        return text.dataset, text
    from maxmargin.data.dataset import load
    from maxmargin.data.decimal_reading import DecimalReading

    dataset = load(source, **arguments, **limits)
    notes_of(dataset, quiet=quiet)
    if arguments["positive"] is not None:
        dataset = replace(dataset, positive_reason="chosen with --positive")
    return dataset, DecimalReading.of(dataset)


def _refuse_outside_memory(limits: dict[str, Any]) -> None:
    if limits["cluster"] is not None:
        raise click.UsageError("--decimal needs the text in memory, not on a --cluster")
    if limits["resume"] is not None:
        raise click.UsageError("--decimal needs the text in memory, and --resume is for data on disk")


def source_fields(options: dict[str, Any]) -> dict[str, Any]:
    """Return what a proof says of how its data were read."""
    names = {"source": "source", "positive": "positive", "id": "id_column", "one_hot": "one_hot",
             "drop_missing": "drop_missing"}  # fmt: skip
    fields = {name: options[option] for name, option in names.items()}
    label = -1 if options["label"] is None else options["label"]
    asked = {name: options[name] for name in ("sep", "decimal_comma", "format") if options[name]}
    if options["one_hot_column"]:
        asked["one_hot_columns"] = list(options["one_hot_column"])
    return {**fields, "label": label, "drop": list(options["drop"]), **asked}


def bias_scale_of(text: str) -> float | str:
    """Return "best" or the positive finite number that the text is.

    Raises
    ------
    InvalidOptionError
        If it is neither.
    """
    from maxmargin.solvers.errors import InvalidOptionError

    if text == "best":
        return text
    with suppress(ValueError):
        if 0 < (scale := float(text)) < math.inf:
            return scale
    raise InvalidOptionError(f"--bias-scale is {text!r}; expected a positive finite number or 'best'")


def require_two_classes(dataset: "Dataset", command: str) -> None:
    """Raise, naming --positive, if the data set has more than two classes.

    Raises
    ------
    InvalidProblemError
    """
    from maxmargin.solvers.errors import InvalidProblemError

    if not dataset.is_binary:
        names = ", ".join(map(str, dataset.classes))
        raise InvalidProblemError(
            f"{dataset.source} has {len(dataset.classes)} classes ({names}); "
            f"{command} needs two: choose one with --positive"
        )


def prepared(dataset: "Dataset", how: str) -> "Dataset":
    """Return the data set with its features prepared.

    Raises
    ------
    InvalidOptionError
        If its rows are not in memory.
    """
    from maxmargin.data.frozen import is_matrix
    from maxmargin.data.preparing import prepare
    from maxmargin.solvers.errors import InvalidOptionError

    if how == "raw":
        return dataset
    if is_matrix(dataset.X):
        return replace(dataset, X=prepare(dataset.X, how).X)
    raise InvalidOptionError(f"--prepare {how} copies all rows, and these are not in memory: allow more --memory")


def _together(command: Command, *decorators: Callable[[Command], Command]) -> Command:
    for decorate in reversed(decorators):
        command = decorate(command)
    return command
