"""The commands and their options."""

import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from maxmargin.cli import options as opt
from maxmargin.cli.exits import Exit

app = typer.Typer(
    name="maxmargin",
    help="The perceptron next to exact answers, every answer proven.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from maxmargin import __version__

        print(f"maxmargin {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Hold the options before the command."""


@app.command(epilog="Example: maxmargin check iris --positive setosa")
def check(
    source: opt.Source,
    label: opt.Label = None,
    positive: opt.Positive = None,
    drop: opt.Drop = None,
    id_column: opt.Id = None,
    one_hot: opt.OneHot = False,
    drop_missing: opt.DropMissing = False,
    no_bias: opt.NoBias = False,
    solver: opt.Solver = None,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> int:
    """Is it linearly separable? Exit 0: yes, proven; 3: not strictly, proven; 4: undecided."""
    from maxmargin.cli.check import check as command

    dataset = _read(source, label, positive, drop, id_column, one_hot, drop_missing, quiet)
    return command(dataset, bias=not no_bias, solver=solver, as_json=json, quiet=quiet)


@app.command(epilog="Example: maxmargin margin iris --positive setosa --json")
def margin(
    source: opt.Source,
    soft: Annotated[
        float | None, typer.Option("--soft", metavar="C", help="Soft margin: min 1/2||w||^2 + C sum xi, bias free.")
    ] = None,
    label: opt.Label = None,
    positive: opt.Positive = None,
    drop: opt.Drop = None,
    id_column: opt.Id = None,
    one_hot: opt.OneHot = False,
    drop_missing: opt.DropMissing = False,
    no_bias: opt.NoBias = False,
    solver: opt.Solver = None,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> int:
    """The maximum margin as a proven interval. Exit 0: proven; 3: not strictly separable; 4: not proven."""
    from maxmargin.cli import margin as commands

    dataset = _read(source, label, positive, drop, id_column, one_hot, drop_missing, quiet)
    opt.require_two_classes(dataset, "margin")
    common: dict[str, Any] = {"bias": not no_bias, "solver": solver, "as_json": json, "quiet": quiet}
    return commands.margin(dataset, **common) if soft is None else commands.soft(dataset, soft, **common)


@app.command(epilog="Example: maxmargin perceptron wine --positive class_0 --prepare standardize")
def perceptron(
    source: opt.Source,
    bias_scale: opt.BiasScale = "1",
    zero: opt.Zero = "mistake",
    order: opt.Order = "cyclic",
    seed: opt.Seed = 0,
    max_epochs: opt.MaxEpochs = None,
    max_mistakes: opt.MaxMistakes = 10_000_000,
    prepare: opt.Prepare = "raw",
    trace: Annotated[
        Path | None,
        typer.Option("--trace", metavar="FILE", help="Write every presentation, exactly: .csv, .md or .tex."),
    ] = None,
    label: opt.Label = None,
    positive: opt.Positive = None,
    drop: opt.Drop = None,
    id_column: opt.Id = None,
    one_hot: opt.OneHot = False,
    drop_missing: opt.DropMissing = False,
    no_bias: opt.NoBias = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> int:
    """Run the perceptron. Exit 0: converged; 3: not within the limit. Ctrl-C stops it and prints the state."""
    from maxmargin.cli.perceptron import perceptron as command

    dataset = _read(source, label, positive, drop, id_column, one_hot, drop_missing, quiet)
    opt.require_two_classes(dataset, "perceptron")
    return command(
        opt.prepared(dataset, prepare),
        bias=not no_bias,
        prepare=prepare,
        seed=seed,
        trace=trace,
        as_json=json,
        quiet=quiet,
        bias_scale=opt.bias_scale_of(bias_scale),
        zero=zero,
        order=order,
        max_epochs=max_epochs,
        max_mistakes=max_mistakes,
    )


@app.command(epilog="Example: maxmargin report iris --positive setosa -o iris.html")
def report(
    source: opt.Source,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Write the page: .html, .md or .json.")
    ] = None,
    figures: Annotated[
        Path | None, typer.Option("--figures", metavar="DIR", help="Write every figure as SVG, PDF and PNG.")
    ] = None,
    bias_scale: opt.BiasScale = "1",
    zero: opt.Zero = "mistake",
    order: opt.Order = "cyclic",
    seed: opt.Seed = 0,
    max_epochs: opt.MaxEpochs = None,
    max_mistakes: opt.MaxMistakes = 1_000_000,
    prepare: opt.Prepare = "raw",
    label: opt.Label = None,
    positive: opt.Positive = None,
    drop: opt.Drop = None,
    id_column: opt.Id = None,
    one_hot: opt.OneHot = False,
    drop_missing: opt.DropMissing = False,
    no_bias: opt.NoBias = False,
    json: opt.Json = False,
    quiet: opt.Quiet = False,
) -> int:
    """The margin report: mistakes, bounds, the true margin, pictures, all with their proof."""
    from maxmargin.cli.report import report as command

    dataset = _read(source, label, positive, drop, id_column, one_hot, drop_missing, quiet)
    return command(
        dataset,
        output=output,
        figures=figures,
        as_json=json,
        quiet=quiet,
        bias=not no_bias,
        bias_scale=opt.bias_scale_of(bias_scale),
        zero=zero,
        order=order,
        seed=seed,
        max_epochs=max_epochs,
        max_mistakes=max_mistakes,
        prepare=prepare,
    )


def _read(
    source: str,
    label: str | None,
    positive: str | None,
    drop: list[str] | None,
    id_column: str | None,
    one_hot: bool,
    drop_missing: bool,
    quiet: bool,
) -> Any:
    from maxmargin.cli.output import notes_of

    dataset = opt.dataset_of(source, label, positive, drop, id_column, one_hot, drop_missing)
    notes_of(dataset, quiet=quiet)
    return dataset


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code: bad usage and bad input are one line on stderr and 2."""
    from maxmargin.readers.errors import DataError
    from maxmargin.solvers.errors import InvalidProblemError

    usage_errors = typer.BadParameter.__mro__[:-3]  # up to the base of all errors of usage
    try:
        return int(app(args=arguments, prog_name="maxmargin", standalone_mode=False) or Exit.OK)
    except usage_errors as error:
        return _refused(_usage_text(error))
    except (DataError, InvalidProblemError) as error:
        return _refused(str(error))
    except (KeyboardInterrupt, typer.Abort):
        print("maxmargin: interrupted", file=sys.stderr)
        return Exit.INTERRUPTED
    except OSError as error:
        return _refused(_os_text(error))


def _refused(text: str) -> int:
    print(f"maxmargin: {' '.join(text.split())}", file=sys.stderr)
    return Exit.USAGE


def _usage_text(error: BaseException) -> str:
    message: str = error.format_message() if hasattr(error, "format_message") else str(error)
    return f"{message} (maxmargin -h lists the options)"


def _os_text(error: OSError) -> str:
    return f"{error.filename}: {error.strerror}" if error.filename else str(error)
