"""The commands and their exit codes."""

import os
import sys
from pathlib import Path
from typing import Any

import click

from maxmargin.cli import options as opt
from maxmargin.cli.exits import Exit

_EXAMPLES = """
\b
Examples:
  maxmargin check iris --positive setosa
  maxmargin margin data.csv --label species --json
  maxmargin perceptron wine --positive class_0 --prepare standardize
  maxmargin report breast_cancer -o breast_cancer.html

`maxmargin COMMAND -h` explains each.
"""


@click.group(epilog=_EXAMPLES, context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=False)
@click.version_option(package_name="maxmargin", message="%(prog)s %(version)s")
def app() -> None:
    """The perceptron next to exact answers, every answer proven."""


@app.command(epilog="Example: maxmargin check iris --positive setosa")
@opt.data_options
@opt.solver_option
def check(**options: Any) -> int:
    """Is it linearly separable?

    Exit 0: yes, proven; 3: not strictly separable, proven; 4: undecided. More than two classes: a table of every class
    against the rest and every pair.
    """
    from maxmargin.cli.check import check as command

    return command(opt.read(options), bias=not options.pop("no_bias"), **options)


@app.command(epilog="Example: maxmargin margin iris --positive setosa --json")
@opt.data_options
@opt.solver_option
@click.option("--soft", "C", type=float, metavar="C", help="Soft margin instead: min 1/2||w||^2 + C sum xi.")
def margin(**options: Any) -> int:
    """Prove the maximum margin, as an interval.

    Exit 0: proven; 3: not strictly separable; 4: not proven.
    """
    from maxmargin.cli import margin as commands

    dataset, C = opt.read(options), options.pop("C")
    opt.require_two_classes(dataset, "margin")
    bias = not options.pop("no_bias")
    if C is None:
        return commands.margin(dataset, bias=bias, **options)
    return commands.soft(dataset, C, bias=bias, **options)


@app.command(epilog="Example: maxmargin perceptron wine --positive class_0 --prepare standardize")
@opt.data_options
@opt.run_options(most_mistakes=10_000_000)
@opt.file_option("--trace", metavar="FILE", help="Write every presentation, exactly: .csv, .md or .tex.")
def perceptron(**options: Any) -> int:
    """Run the perceptron and say what the run proves.

    Exit 0: converged; 3: not within the limits. Ctrl-C stops it, prints the state, and exits with 130.
    """
    from maxmargin.cli.perceptron import perceptron as command

    options["bias_scale"] = opt.bias_scale_of(options["bias_scale"])
    dataset = opt.read(options)
    opt.require_two_classes(dataset, "perceptron")
    return command(opt.prepared(dataset, options["prepare"]), bias=not options.pop("no_bias"), **options)


@app.command(epilog="Example: maxmargin report iris --positive setosa -o iris.html")
@opt.data_options
@opt.run_options(most_mistakes=1_000_000)
@opt.file_option("--output", "-o", metavar="FILE", help="Write the page: .html, .md or .json.")
@opt.file_option("--figures", metavar="DIR", help="Write every figure as SVG, PDF and PNG.")
def report(**options: Any) -> int:
    """Report the mistakes, the bounds, the true margin, with their proofs and pictures.

    A summary is always printed.
    """
    from maxmargin.cli.report import report as command

    options["bias_scale"] = opt.bias_scale_of(options["bias_scale"])
    output: Path | None = options.pop("output")
    return command(opt.read(options), output=output, bias=not options.pop("no_bias"), **options)


def run(arguments: list[str]) -> int:
    """Run the command line and return its exit code: bad usage and bad input are one line on stderr and 2."""
    try:
        return int(app.main(args=arguments, prog_name="maxmargin", standalone_mode=False) or Exit.OK)
    except click.ClickException as error:
        return _refused(f"{error.format_message()} (maxmargin -h lists the commands)")
    except (KeyboardInterrupt, click.Abort):
        print("maxmargin: interrupted", file=sys.stderr)
        return Exit.INTERRUPTED
    except BrokenPipeError:  # the reader of our output left: nothing more to say
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # keeps the interpreter from flushing into the closed pipe
        return Exit.OK
    except OSError as error:
        return _refused(f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error))
    except ValueError as error:
        if not _is_bad_input(error):
            raise
        return _refused(str(error))


def _is_bad_input(error: ValueError) -> bool:
    """Return whether the error speaks of the user's data or options; any other is a bug."""
    from maxmargin.readers.errors import DataError
    from maxmargin.solvers.errors import InvalidProblemError

    return isinstance(error, (DataError, InvalidProblemError))


def _refused(text: str) -> int:
    print(f"maxmargin: {' '.join(text.split())}", file=sys.stderr)
    return Exit.USAGE
