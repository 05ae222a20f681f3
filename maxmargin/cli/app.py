"""The commands and their exit codes."""

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click

from maxmargin.cli import options as opt
from maxmargin.cli.click_classes import ASKS_TO_COMPLETE, Command, Commands
from maxmargin.cli.data_options import DataOptions
from maxmargin.cli.deadline import TimeIsOverError, ended_within
from maxmargin.cli.feedback import Exit, failed, is_bug, worst_of
from maxmargin.cli.research_commands import compare, trust
from maxmargin.cli.theory_commands import bounds, fewest_errors, judge, online, sensitivity
from maxmargin.reports.captioned import FIGURES
from maxmargin.solvers.basics.limits import Limits
from maxmargin.text.progress import compiling_shown


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=False)
@click.version_option(package_name="maxmargin", message="%(prog)s %(version)s")
def app() -> None:
    """The perceptron next to exact answers, every answer proven.

    Examples:
      maxmargin check iris --positive setosa
      maxmargin check data.csv --require overlap && fit data.csv
      maxmargin margin data.csv --label species --json
      maxmargin perceptron wine --positive class_0 --prepare standardize
      maxmargin online iris --positive setosa --algorithm all
      maxmargin report breast_cancer -o breast_cancer.html

    `maxmargin COMMAND -h` explains each, and `maxmargin COMMAND --help` all of its options.

    Exit codes: 0 yes, 3 no, 4 undecided, 2 bad input, 130 interrupted, 1 a bug.
    """


@app.command(cls=Command, most_used=(*opt.OF_TABLES, "require", "min_margin", "max_errors", "proof", "as_json"))
@partial(opt.data_options, several=True)
@opt.family_options
@opt.method_option(opt.CHECK_METHODS, "How the first hyperplane of two classes is found")
@opt.solver_options
@opt.choice_option("--require", opt.REQUIREMENTS, "Gate: exit 0 if this is proven to hold.")
@opt.option("--min-margin G", "Gate: the maximum margin is at least G.", type=float, callback=opt.positive_number)
@opt.count_option("--max-errors", "Gate: some hyperplane has at most K errors.", least=0, metavar="K")
@opt.file_option("--proof FILE", "Write the proof, as JSON; in a folder, FILE/SOURCE.json.")
@opt.force_option
@opt.file_option("--reuse FILE", "Try this older proof first, if it is there; in a folder, FILE/SOURCE.json.")
@opt.option("--decimal", "Decide for the decimal numbers in the file, not for their binary64 roundings.")
@opt.option("--columns", "Find the infinite coefficients of large separable data as well.")
@opt.time_limit_option("Give up after this time.")
@opt.count_option("--exact-limit", "Maximum number of columns for exact linear algebra.  [default: 1000]", least=0)
def check(data: DataOptions, *, force: bool, decimal: bool, proof: Path | None, reuse: Path | None, **how: Any) -> int:
    """Decide whether classes are separable, quasi-separable, or overlap.

    Exit 0: separable, proven; 3: not strictly separable, proven; 4: undecided. With --require, --min-margin or
    --max-errors: 0 all proven to hold, 3 one proven not to hold, 4 undecided. Several SOURCEs: the worst of 1, 2, 4, 3,
    0, in this order.

    More than two classes: a table of every class against the rest and every pair, and the multinomial verdict, which
    gives the exit code. With --json every SOURCE is one line, also one that cannot be read.

    With a family, overlap means that the maximum-likelihood estimate of the model exists, so that overlap is its gate.
    Trials may be in the formula, "successes + failures ~ x", and so may the status, "Surv(time, status) ~ x".

    Examples:
      maxmargin check iris --positive setosa
      maxmargin check data.csv --require overlap && fit data.csv
      maxmargin check data.csv --min-margin 0.1 --max-errors 0
      maxmargin check data.csv --proof p.json; maxmargin verify p.json data.csv
      maxmargin check tomorrow.csv --reuse p.json
      maxmargin check *.csv --json --require overlap > answers.jsonl
      maxmargin check counts.csv --formula "deaths ~ age + C(stage)" --family poisson --require overlap
    """
    from maxmargin.cli.commands.check import check as command

    required = {name: how.pop(name) for name in ("require", "min_margin", "max_errors")}
    gate = "--min-margin" if required["min_margin"] else None if required["max_errors"] is None else "--max-errors"
    if gate is not None and decimal:
        raise click.UsageError(f"--decimal is for verdicts, and {gate} asks for numbers; expected one of them")
    family = opt.family_of(how, data.formula)
    others = {"--decimal": decimal, gate: gate, "--reuse": reuse}
    refused = next((name for name, value in others.items() if value), None)
    if family is not None and refused is not None:
        raise click.UsageError(
            f"{refused} is for classes all rows of which count; leave it or --family and --weights out"
        )
    if data.sources.count("-") > 1:
        raise click.UsageError("the standard input is named twice, and can be read once")
    if proof is not None and len(data.sources) > 1 and not proof.is_dir():
        raise click.UsageError(f"--proof is {str(proof)!r}; expected a folder that is there, for several SOURCEs")
    proofs = [opt.proof_of(proof, source) for source in data.sources]
    opt.check_outputs(data, *proofs, force=force, rewritten=opt.PROOFS)

    def answer(source: str) -> int:
        exact = decimal if gate is None else None
        own = replace(data, source=source)
        request = opt.request(own, gate, decimal=exact, are_notes_in_answer=not data.as_json, family=family)
        files: dict[str, Any] = {"proof": opt.proof_of(proof, source), "reuse": opt.proof_of(reuse, source)}
        return command(request, required=required, **files, **how)

    if len(data.sources) == 1:
        return answer(data.source)
    return worst_of(data.sources, answer, as_json=data.as_json, quiet=data.quiet)


@app.command(cls=Command, most_used=(*opt.OF_TABLES, "Cs", "exact", "proof", "time_limit", "as_json"))
@opt.data_options
@opt.solver_options
@opt.option(
    "--method NAME",
    f"How it is computed: {', '.join(opt.MARGIN_METHODS)}; with --soft {', '.join(opt.SOFT_METHODS)}.  [default: auto]",
    default="auto",
)
@opt.soft_path_option("Soft margin instead: min 1/2||w||^2 + C sum xi. Several C give a table.")
@opt.option(
    "--class-weight LABEL=FACTOR ...",
    "With --soft: factor of the slack of rows with this label, 1 for the others; may be repeated. Or balanced: "
    "both classes weigh the same.",
)
@opt.option("--exact", "Also give the squared margin, w, b and the multipliers as fractions.")
@opt.count_option("--exact-limit", "Maximum number of columns for --exact.  [default: 500]", least=0)
@opt.time_limit_option("Stop after this time, with what is proven by then.")
@opt.file_option("--proof FILE", "Write the proof of both ends of the interval; with --exact, of the exact margin.")
@opt.force_option
def margin(
    data: DataOptions, *, method: str, Cs: tuple[float, ...], class_weight: tuple[str, ...], force: bool, **how: Any
) -> int:
    """Find the maximum margin, as a proven interval or exactly.

    Exit 0: proven; 3: not strictly separable; 4: not proven.

    Examples:
      maxmargin margin iris --positive setosa --json
      maxmargin margin iris --positive setosa --soft 0.1 1 --class-weight setosa=2
    """
    from maxmargin.cli.commands import margin as commands

    opt.check_outputs(data, how["proof"], force=force, rewritten=opt.PROOFS)
    opt.check_method(method, opt.SOFT_METHODS if Cs else opt.MARGIN_METHODS)
    if class_weight and not Cs:
        raise click.UsageError("--class-weight is for --soft")
    if not Cs:
        return commands.margin(opt.request(data, "margin"), method=method, **how)
    if how["exact"] or how["exact_limit"] is not None or how["proof"]:
        raise click.UsageError("--exact, --exact-limit and --proof are not for --soft")
    solver = how["solver"]
    return commands.soft(opt.request(data, "margin"), Cs=Cs, class_weight=class_weight, method=method, solver=solver)


@app.command(cls=Command, most_used=(*opt.OF_TABLES, "max_mistakes", "max_epochs", "prepare", "trace", "as_json"))
@opt.data_options
@opt.run_options(most_mistakes=10_000_000)
@opt.method_option(opt.RUN_METHODS, "How scores are computed")
@opt.time_limit_option("Stop the run in time to prove its margins within this limit.")
@opt.file_option("--trace FILE", "Write every presentation, exactly: .csv, .md or .tex.")
@opt.file_option(
    "--trace-mistakes FILE",
    "Write w.u*, ||w||, cosine, potential and proven margins at the mistakes, at some of them in long runs, and "
    "check Novikoff's proof there: .csv, .md or .tex.",
)
@opt.count_option(
    "--trace-limit", "Maximum number of lines of a trace.  [default: 10,000 presentations; 500 mistakes]", least=2
)
@opt.force_option
def perceptron(data: DataOptions, *, force: bool, **run: Any) -> int:
    """Run the perceptron and say what the run proves.

    Exit 0: converged; 3: not within the limits. Ctrl-C stops it, prints the state, and exits with 130.

    Examples:
      maxmargin perceptron wine --positive class_0 --prepare standardize
    """
    from maxmargin.cli.commands.perceptron import perceptron as command

    opt.check_outputs(data, run["trace"], run["trace_mistakes"], force=force, rewritten=opt.TRACES)
    return command(opt.request(data, "perceptron").prepared(), **run)


@app.command(cls=Command, most_used=(*opt.OF_TABLES, "output", "figures", "time_limit"))
@opt.data_options
@opt.run_options(most_mistakes=1_000_000)
@opt.soft_path_option("C of the soft margins.  [default: nine powers of ten that suit the data]")
@opt.file_option("--output FILE", "Write the page: .html, .md or .json.", "-o")
@opt.file_option("--figures DIR", "Write the figures as SVG, PDF and PNG: all, or those of --figure.")
@opt.option(
    "--figure NAME ...",
    f"Write only this figure; may be repeated: {', '.join(FIGURES)}.",
    "names",
    type=click.Choice(FIGURES),
)
@opt.force_option
@opt.count_option(
    "--orders",
    "Number of random orders of the rows to try as well; 0 for none.  [default: what takes about half a second]",
    least=0,
)
@opt.time_limit_option("Leave out what is not found within this time, and say so.")
@opt.option("--title TEXT", "Name of the report.  [default: Margin report]", default="")
@opt.option("--note TEXT", "A sentence or two below the answer.", default="")
@opt.option(
    "--date TEXT", "Date, printed as it is given.  [default: none, so that the page is always the same]", default=""
)
def report(data: DataOptions, *, force: bool, **contents: Any) -> int:
    """Report the mistakes, their bounds and the maximum margin, with proofs and figures.

    A summary is always printed.

    Exit 0: the report is made, whatever it says.

    Examples:
      maxmargin report iris --positive setosa -o iris.html
    """
    from maxmargin.cli.commands.report import report as command

    if contents["names"] and contents["figures"] is None:
        raise click.UsageError("--figure says which figures to write; expected --figures DIR, where to write them")
    opt.check_outputs(data, contents["output"], force=force, rewritten=opt.REPORTS, folder=contents["figures"])
    return command(opt.request(data), **contents)


@app.command(cls=Command, most_used=(*opt.OF_TABLES, "n_orders", "max_epochs", "time_limit", "as_json"))
@opt.data_options
@opt.run_options(most_mistakes=1_000_000, with_order=False)
@opt.count_option("--n-orders", "Number of random orders.", default=1000, metavar="K")
@opt.count_option(
    "--n-search",
    "Orders that each local search tries; one looks for many mistakes, one for few.",
    least=0,
    default=1000,
    metavar="K",
)
@opt.count_option(
    "--n-sequence",
    "Mistakes after which an adversary, who chooses and repeats rows at will, is stopped; 0 for none.",
    least=0,
    default=10_000,
    metavar="K",
)
@opt.option(
    "--shifts", "Also translate the rows by multiples of their mean, and centre, standardise or normalise them."
)
@opt.option("--scales", "Also run at other bias scales.")
@opt.time_limit_option("Stop after this time, with the orders that were tried by then.")
def orders(data: DataOptions, **study: Any) -> int:
    """Count mistakes in many orders of the rows, the best and the worst, beside the bounds.

    Where it is not proven that every run converges, runs stop after 10 epochs, or --max-epochs. --shifts and --scales
    are for separable data, with a bias.

    Exit 0: the orders that the time allowed were tried.

    Examples:
      maxmargin orders iris --positive setosa
      maxmargin orders agresti --n-orders 10000 --shifts --scales
    """
    from maxmargin.cli.commands.orders import orders as command

    if data.no_bias and (study["shifts"] or study["scales"]):
        raise click.UsageError("--shifts and --scales need the bias that --no-bias leaves out")
    return command(opt.request(data, "orders"), **study)


@app.command(cls=Command, most_used=("output", "seed", "as_list", "as_json"))
@click.argument("family", required=False)
@opt.file_option("--output FILE", "Write the data as .csv, and beside it what is known of them as .truth.json.", "-o")
@opt.force_option
@opt.count_option("--seed", "Seed of the random families.  [default: 0]", least=0)
@opt.option("--list", "List the families and their parameters.", "as_list")
@opt.option("--json", "Print what is known of the data as one JSON object.", "as_json")
@opt.time_limit_option("Give up after this time, and write nothing; exit 4.")
@opt.option("--quiet", "No notes on stderr.", "-q")
def generate(family: str | None, as_list: bool, as_json: bool, **options: Any) -> int:
    """Make data whose verdict, and mostly margin, is known exactly.

    FAMILY is a name such as xor, odd-max-bit:8 or gap:40, or a formula such as "formula:(x1 | x4) & ~x3"; without it,
    or with --list, the families are listed. Without -o the data are printed as CSV. A family is also a SOURCE of the
    other commands: maxmargin check gap:40

    Exit 0: the data are made; 4: not within the time limit.

    Examples:
      maxmargin generate planted-quasi:100:5 --seed 3 -o quasi.csv
    """
    from maxmargin.cli.commands import generate as commands

    if family is None or as_list:
        return commands.families(as_json=as_json)
    with ended_within(opt.limits()):
        return commands.generate(family, as_json=as_json, **options)


@app.command(cls=Command, most_used=("as_json", "time_limit"))
@click.argument("proof", type=click.Path(path_type=Path))
@opt.source_argument()
@opt.option("--formula TEXT", "The formula of the proof; needed if it has calls, such as log(x).")
@opt.memory_option
@opt.json_option
@opt.time_limit_option("Give up after this time; exit 4.")
@opt.option("--quiet", "No progress on stderr.", "-q")
def verify(**options: Any) -> int:
    """Check a proof against its data, in exact arithmetic.

    PROOF is a file that --proof wrote, a regular one of at most 1 GiB; it says how SOURCE is read.

    Exit 0: the proof holds; 3: it does not, or SOURCE holds other data.

    Examples:
      maxmargin verify overlap.json data.csv
    """
    from maxmargin.cli.commands.verify import verify_proof as command

    with ended_within(opt.limits()):
        return command(**options)


@app.command(cls=Command)
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> int:
    """Print the script that lets a shell complete commands, options and the names of data.

    Once it is installed, as the examples show, a new shell completes `maxmargin ch`, `maxmargin check --po` and
    `maxmargin check ir` after the Tab key. The command maxmargin has to be on the PATH; in ~/.zshrc the script comes
    after compinit.

    Exit 0.

    Examples:
      maxmargin completion bash >> ~/.bashrc
      maxmargin completion zsh >> ~/.zshrc
      maxmargin completion fish > ~/.config/fish/completions/maxmargin.fish
    """
    from maxmargin.cli.commands.completion import completion as command

    return command(app, shell)


@app.command(cls=Command)
@click.argument("command", required=False)
def schema(command: str | None) -> int:
    """Print the JSON Schema of what COMMAND, or every command, prints with --json.

    The schema states each field with its meaning; errors have one, too. Fields may be added while the number at the end
    of the field "schema" stays, and nothing else changes.

    Exit 0.

    Examples:
      maxmargin schema check > check.schema.json
    """
    from maxmargin.cli.commands.schema import schema as print_schema

    return print_schema(command)


for command in (online, bounds, judge, sensitivity, fewest_errors, compare, trust):
    app.add_command(command)


def run(arguments: list[str], *, started: float | None = None, was_interrupted: Callable[[], bool] = bool) -> int:
    """Run the command line and return its exit code: bad usage and bad input are one line on stderr and 2.

    Parameters
    ----------
    arguments : list of str
    started : float, optional
        When the command started, by `time.monotonic`, if that was earlier.
    was_interrupted : callable
        Whether Ctrl-C arrived, of which compiled modules make another error.
    """
    limits = Limits() if started is None else Limits(started=started)
    _have_streams()
    try:
        with compiling_shown(quiet=not {"-q", "--quiet"}.isdisjoint(arguments)):
            code = _exit_code(arguments, limits)
        sys.stdout.flush()
        return code
    except (Exception, KeyboardInterrupt, TimeIsOverError) as error:
        name = next(iter(arguments), "")
        advice = f"maxmargin {name} --help explains it" if name in app.commands else "maxmargin -h lists the commands"
        error = KeyboardInterrupt() if is_bug(error) and was_interrupted() else error
        code = failed(error, as_json="--json" in arguments, advice=advice)
        if code == Exit.BUG:
            raise
        return code


def _exit_code(arguments: list[str], limits: Limits) -> int:
    """Do the same as ``app.main``, which has exit codes and messages of its own for Ctrl-C and for a closed pipe."""
    if ASKS_TO_COMPLETE in os.environ:
        app.main(args=arguments, prog_name="maxmargin")
    try:
        with app.make_context("maxmargin", list(arguments), obj=limits) as context:
            return int(app.invoke(context) or Exit.OK)
    except click.exceptions.Exit as done:
        return done.exit_code


def _have_streams() -> None:
    """Let stdout and stderr take any text: they escape what they cannot encode, and closed ones discard everything."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w"))  # noqa: SIM115
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
