"""The options that several commands share.

The choices are spelled out here, so that ``--help`` imports nothing; a test compares them with the code.
"""

import json
import math
import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from functools import wraps
from inspect import cleandoc
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from maxmargin.cli.click_classes import EXAMPLES, SeveralNumbers
from maxmargin.cli.data_options import DataOptions
from maxmargin.solvers.basics.limits import Limits, memory_size

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

    from maxmargin.api.families import FamilyOptions
    from maxmargin.cli.request import Request
    from maxmargin.solvers.problem.candidate import Asked

Command = TypeVar("Command", bound=Callable[..., Any])

REQUIREMENTS = ("separable", "quasi-separable", "overlap", "not-strictly-separable")
ZERO_RULES = ("mistake", "positive", "negative")
ORDERS = ("cyclic", "shuffled-once", "reshuffled-each-epoch", "random")
MARGIN_METHODS = ("auto", "textbook", "working-set", "dual-coordinate", "daqp", "cvxpy")
SOFT_METHODS = ("auto", "textbook", "cvxpy", "working-set", "interior-point", "dual-coordinate")
RUN_METHODS = ("auto", "weights", "gram", "integers")
CHECK_METHODS = ("auto", "highs", "cvxpy")
FEWEST_METHODS = ("auto", "cvxpy")
PREPARATIONS = ("raw", "center", "standardize", "unit")
# The options of most use for tables of people's own, which the short help shows.
OF_TABLES = ("label", "formula", "positive", "id", "one_hot", "drop_missing")
# Suffixes with which an output of this kind overwrites a file without --force: no data are read from such files.
PROOFS, TRACES, REPORTS = (".json",), (".md", ".tex"), (".html", ".md", ".json")

# Smallest --memory, in bytes: a unit was forgotten in a smaller one.
LEAST_MEMORY = 2**20

FAMILIES = ("binomial", "poisson", "multinomial", "ordinal", "conditional", "cox")
TIES = ("breslow", "efron", "exact-discrete")
OF_ROWS = ("weights", "trials", "strata", "status", "entry")

FORMATS = ("csv", "tsv", "txt", "dat", "parquet", "feather", "npz", "svm", "libsvm", "svmlight", "npy")

_SOURCE_HELP = """
SOURCE is a file (.csv .tsv .txt .dat .parquet .feather .npz .svm .libsvm .svmlight, also .gz), X.npy beside y.npy, a
folder of such files, a bundled data set (iris, breast_cancer, wine, digits), a generated one (xor, gap:40, ...;
maxmargin generate lists them), the truth table of a formula ("formula:(x1 | x4) & ~x3"), or - for CSV on the standard
input. LIBSVM's files need no suffix; --format tells of others.
COL is a column's name or its position from 0; negative positions count from the end. Where Parquet and Feather files
hold the index of a pandas data frame, its columns are left out unless they are named; positions do not count them.
"""


def option(declared: str, does: str, *names: str, **described: Any) -> Callable[[Command], Command]:
    """Return a flag, or an option declared with its metavar, as in "--drop COL ..." if it may be repeated."""
    name, *metavar = declared.split()
    if not metavar:
        return click.option(name, *names, is_flag=True, help=does, **described)
    return click.option(name, *names, metavar=metavar[0], multiple=metavar[1:] == ["..."], help=does, **described)


def count_option(
    name: str, does: str, *, least: int = 1, default: int | None = None, metavar: str = "N"
) -> Callable[[Command], Command]:
    """Return an option that takes a whole number."""
    return option(f"{name} {metavar}", does, type=click.IntRange(min=least), default=default, show_default=True)


def choice_option(
    name: str, choices: Sequence[str], does: str | None = None, *, default: str | None = None
) -> Callable[[Command], Command]:
    """Return an option that takes one of several words."""
    return click.option(name, type=click.Choice(choices), default=default, show_default=True, help=does)


def file_option(declared: str, does: str, *names: str, **described: Any) -> Callable[[Command], Command]:
    """Return an option that takes a path."""
    return option(declared, does, *names, type=click.Path(path_type=Path), **described)


def method_option(names: tuple[str, ...], does: str) -> Callable[[Command], Command]:
    """Return the option --method, one of these names."""

    def check(_context: click.Context, _option: click.Parameter, value: str) -> str:
        check_method(value, names)
        return value

    return option("--method NAME", f"{does}: {', '.join(names)}.", default="auto", callback=check)


def check_method(name: str, names: tuple[str, ...]) -> None:
    """Refuse a --method that is none of these."""
    if name not in names:
        raise click.BadOptionUsage("method", f"--method is {name!r}; expected one of {', '.join(names)}")


def time_limit_option(does: str, otherwise: str = "none") -> Callable[[Command], Command]:
    """Return the option --time-limit of a whole command, of which `limits` tells."""

    def keep(context: click.Context, option: click.Parameter, value: float | None) -> None:
        context.obj = replace(limits(), time_limit=_seconds(context, option, value))

    text = f"{does} It counts from the start of the command.  [default: {otherwise}]"
    return option("--time-limit SECONDS", text, type=float, callback=keep, expose_value=False)


def limits() -> Limits:
    """Return the time limit of the command under way, which counts from its start."""
    begun: Limits | None = click.get_current_context().obj
    return begun or Limits()


def seconds_option(does: str, name: str = "--time-limit", default: float | None = None) -> Callable[[Command], Command]:
    """Return an option for a time limit of parts of a command."""
    text = f"{does}  [default: {'none' if default is None else f'{default:g}'}]"
    return option(f"{name} SECONDS", text, type=float, default=default, callback=_seconds)


def _seconds(_context: click.Context, _option: click.Parameter, value: float | None) -> float | None:
    if value is not None and not value > 0:
        raise click.BadParameter(f"{value!r} is not a positive number of seconds.")
    return value


def positive_number(_context: click.Context, _option: click.Parameter, value: float | None) -> float | None:
    """Return the value of an option, which is refused unless it is a positive finite number."""
    if value is not None and not 0 < value < math.inf:
        raise click.BadParameter(f"{value!r} is not a positive finite number.")
    return value


def solver_options(command: Command) -> Command:
    """Add --solver and --solver-option, which the command is given as what it asks."""

    def keep(context: click.Context, _option: click.Parameter, texts: tuple[str, ...]) -> None:
        context.meta["solver_options"] = dict(map(_option_value, texts)) or None

    def asked(context: click.Context, _option: click.Parameter, value: str | None) -> "Asked":
        """Refuse a solver that is not installed before anything is read, or any progress shown."""
        options = context.meta["solver_options"]
        if value is None and options is None:
            return None
        from maxmargin.solvers.engines.textbook import backends
        from maxmargin.solvers.problem.candidate import with_options

        backends.chosen(value, ())
        return with_options(value, options)

    text = "Option of this solver by its own name, such as max_iter=100; may be repeated."
    return _together(
        command,
        option("--solver NAME", "A cvxpy solver, such as CLARABEL or DAQP.", callback=asked),
        option(
            "--solver-option NAME=VALUE ...", text, "solver_options", callback=keep, is_eager=True, expose_value=False
        ),
    )


def _option_value(text: str) -> tuple[str, Any]:
    """Return the name and the value, a number or a truth value if it reads as one."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise click.BadParameter(f"{text!r} is not NAME=VALUE.")
    with suppress(ValueError):
        return name, json.loads(value.lower() if value in ("True", "False") else value)
    return name, value


def _scale(_context: click.Context, _option: click.Parameter, text: str) -> float | str:
    """Return "best" or the positive finite number that the text is."""
    from maxmargin.solvers.errors import InvalidOptionError

    if text == "best":
        return text
    with suppress(ValueError):
        if 0 < (scale := float(text)) < math.inf:
            return scale
    raise InvalidOptionError(f"--bias-scale is {text!r}; expected a positive finite number or 'best'")


def _memory(_context: click.Context, _option: click.Parameter, size: str) -> str:
    if memory_size(size) < LEAST_MEMORY:
        raise click.BadParameter(f"{size!r} is less than 1MiB; expected a size such as 512MiB, with its unit.")
    return size


bias_scale_option = option(
    "--bias-scale S",
    "Constant coordinate that carries the bias: a number, or best, for which the bound is least.",
    default="1",
    show_default=True,
    callback=_scale,
)
force_option = option("--force", "Overwrite files that may hold data.")
json_option = option("--json", "Print one JSON object.", "as_json")
memory_option = option(
    "--memory SIZE",
    "Files that need more memory stay on disk: 512MiB, 2GiB ... With --formula, the most that levels may take.",
    default="1GiB",
    show_default=True,
    callback=_memory,
)
prepare_option = choice_option(
    "--prepare", PREPARATIONS, "What is done to the features before anything else.", default="raw"
)
seed_option = count_option("--seed", "Seed of the random orders (rng in Python).", least=0, default=0)


def soft_path_option(does: str) -> Callable[[Command], Command]:
    """Return the option --soft, which takes several C."""

    def checked(context: click.Context, parameter: click.Parameter, values: tuple[float, ...]) -> tuple[Any, ...]:
        return tuple(positive_number(context, parameter, value) for value in values)

    text = f"{does} A SOURCE named 1 is ./1 after it."
    return option("--soft C... ...", text, "Cs", cls=SeveralNumbers, type=float, callback=checked)


def source_argument(*, is_required: bool = True, several: bool = False) -> Callable[[Command], Command]:
    """Return the argument SOURCE, which a shell completes."""

    def complete(_context: click.Context, _argument: click.Parameter, incomplete: str) -> "list[CompletionItem]":
        from maxmargin.cli.commands.completion import sources

        return sources(incomplete)

    if several:
        return click.argument("sources", nargs=-1, metavar="SOURCE...", required=is_required, shell_complete=complete)
    return click.argument("source", required=is_required, shell_complete=complete)


def data_options(command: Callable[..., int], *, is_required: bool = True, several: bool = False) -> Callable[..., int]:
    """Add SOURCE, or several, and the options that say how it is read, which the command is given as `DataOptions`."""
    names = {field.name for field in fields(DataOptions)}

    @wraps(command)
    def called(**values: Any) -> int:
        of_data = {name: values.pop(name) for name in names & values.keys()}
        if several:
            of_data["source"] = of_data["sources"][0]
        return command(DataOptions(**of_data), **values)

    text, title, examples = cleandoc(command.__doc__ or "").partition(EXAMPLES)
    called.__doc__ = f"{text}\n{_SOURCE_HELP}{title}{examples}"
    return _together(
        called,
        source_argument(is_required=is_required, several=several),
        option("--label COL", "Column of the labels.  [default: the last]"),
        option("--formula TEXT", 'The model in place of --label: "died ~ age + C(stage)"; it also decides the bias.'),
        option(
            "--positive VALUE",
            "Class that is +1; all others are -1.  [default: yes of yes/no and the like, else the greater]",
        ),
        option("--drop COL ...", "Column to leave out; may be repeated."),
        option("--id COL", "Column that names the rows."),
        option("--one-hot", "Encode text columns as columns of 0 and 1."),
        option("--one-hot-column COL ...", "Encode this column of texts, whatever they are; may be repeated."),
        option("--drop-missing", "Leave out rows with missing values."),
        option("--sep CHAR", "Separator of CSV: a character, or tab, space, semicolon ..."),
        option("--decimal-comma", "Numbers in CSV are written as 1,5."),
        option(
            "--header/--no-header",
            "Line 1 of CSV names the columns, or is a row.  [default: as it looks]",
            default=None,
        ),
        option(
            "--missing TEXT ...",
            "Text for a missing value besides NA, NaN, ?, . and blanks, or COL=TEXT for one column.",
        ),
        choice_option("--format", FORMATS, "Format of SOURCE, whatever its name."),
        memory_option,
        option("--no-bias", "Hyperplanes through the origin only."),
        json_option,
        option("--quiet", "No notes and no progress on stderr.", "-q"),
    )


def family_options(command: Command) -> Command:
    """Add the options about the likelihood of a model."""
    of_columns = {
        "weights": "weights; rows with 0 are left out",
        "trials": "numbers of trials, where the labels are successes",
        "strata": "strata of a conditional likelihood or of Cox regression",
        "status": "1 for an event and 0 for none",
        "entry": "times from which rows are at risk",
    }
    return _together(
        command,
        choice_option("--family", FAMILIES, "Ask whether the likelihood of such a model has a maximum."),
        *(option(f"--{name} COL", f"Column of the {text}.") for name, text in of_columns.items()),
        choice_option("--ties", TIES, "Rule for events at one time in Cox regression.  [default: efron]"),
        option("--levels A,B,...", "The classes of an ordinal response in their order."),
    )


def family_of(values: dict[str, Any], formula: str | None) -> "FamilyOptions | None":
    """Take the options about a likelihood out of those of a command; None if there are none, nor such a formula."""
    from maxmargin.api.question import has_two_responses

    given = {name: values.pop(name) for name in (*OF_ROWS, "family", "ties", "levels")}
    if all(value is None for value in given.values()) and not has_two_responses(formula):
        return None
    from maxmargin.api.families import FamilyOptions

    levels = given.pop("levels")
    return FamilyOptions.of(levels=None if levels is None else levels.split(","), **given)


def run_options(most_mistakes: int, *, with_order: bool = True) -> Callable[[Command], Command]:
    """Add the options of a perceptron run; without --order where the orders are the question."""
    zero = "What y w.x = 0 is: a mistake, or a prediction of +1 or -1."
    order = choice_option("--order", ORDERS, "Order of the rows.", default="cyclic")
    decorators = (
        bias_scale_option,
        choice_option("--zero", ZERO_RULES, zero, default="mistake"),
        *((order,) if with_order else ()),
        seed_option,
        count_option("--max-epochs", "Maximum number of epochs.  [default: none]"),
        count_option("--max-mistakes", "Maximum number of mistakes.", default=most_mistakes),
        prepare_option,
    )
    return lambda command: _together(command, *decorators)


def check_outputs(
    data: DataOptions, *paths: Path | None, force: bool, rewritten: Sequence[str], folder: Path | None = None
) -> None:
    """Raise before any work unless these files may be written, and others into the folder.

    Without --force an existing file is overwritten only if it is empty, a proof, or has a suffix of ``rewritten``.

    Raises
    ------
    OSError
        An output cannot be written, is an input of the command, or may be a file of another kind and there is no
        --force.
    """
    outputs = [path for path in paths if path is not None]
    if not outputs and folder is None:
        return
    if any(str(output) == "-" for output in outputs):
        raise click.UsageError("'-' is no file: what is written is a file, and only the answer goes to standard output")
    from maxmargin.cli.output_files import check_output_folder, check_outputs, inputs_of

    inputs = [file for source in data.sources or (data.source,) for file in inputs_of(source)]
    check_outputs(outputs, inputs, force=force, rewritten=rewritten)
    if folder is not None:
        check_output_folder(folder, outputs, inputs)


def proof_of(path: Path | None, source: str) -> Path | None:
    """Return the file of the proof about a source: it has the name of the source where the path is a folder."""
    return path / f"{os.path.basename(os.path.abspath(source))}.json" if path is not None and path.is_dir() else path


def request(data: DataOptions, two_classes_for: str | None = None, **how: Any) -> "Request":
    """Read the data in the time limit, and return them as a request: see `maxmargin.cli.request.read`."""
    from maxmargin.cli.request import read

    return read(data, two_classes_for, limits=limits(), **how)


def _together(command: Command, *decorators: Callable[[Command], Command]) -> Command:
    for decorate in reversed(decorators):
        command = decorate(command)
    return command
