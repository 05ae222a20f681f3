"""The commands that put theory next to runs and hyperplanes: online algorithms, bounds, judgements, fewest errors."""

from functools import partial
from pathlib import Path
from typing import Any

import click

from maxmargin.cli import options as opt
from maxmargin.cli.click_classes import Command
from maxmargin.cli.data_options import DataOptions


@click.command(cls=Command, most_used=(*opt.OF_TABLES, "algorithms", "parameters", "max_epochs", "as_list", "as_json"))
@partial(opt.data_options, is_required=False)
@opt.option(
    "--algorithm NAME ...",
    "Algorithm to run; several of them, or all, make a table.  [default: averaged]",
    "-a",
    "algorithms",
)
@opt.option("--parameter NAME=VALUE ...", "Parameter of an algorithm; may be repeated.", "parameters")
@opt.choice_option("--order", opt.ORDERS, "Order of the rows.  [default: the algorithm's own]")
@opt.seed_option
@opt.bias_scale_option
@opt.count_option("--max-epochs", "Maximum number of epochs.", default=100)
@opt.count_option("--max-updates", "Maximum number of updates, mistakes or not.  [default: none]")
@opt.time_limit_option("Stop a run after this time.")
@opt.prepare_option
@opt.option("--list", "List the algorithms, their parameters and guarantees.", "as_list")
def online(
    data: DataOptions, *, algorithms: tuple[str, ...], parameters: tuple[str, ...], as_list: bool, **run: Any
) -> int:
    """Run online algorithms, and check on each run what the theory guarantees.

    Exit 0: converged, as the algorithm's own rule says; 3: not within the limits, or, in a table, not every one. Ctrl-C
    stops a run, prints what there is, and exits with 130.

    Examples:
      maxmargin online iris --positive setosa -a alma --parameter alpha=0.5
      maxmargin online iris --positive setosa --algorithm all --max-epochs 20
      maxmargin online --list
    """
    from maxmargin.cli.commands import online as commands

    if as_list:
        return commands.catalogue(as_json=data.as_json)
    if data.source is None:
        raise click.UsageError("Missing argument 'SOURCE'; maxmargin online --list lists the algorithms")
    chosen = commands.chosen_algorithms(algorithms or (commands.DEFAULT,), parameters)
    return commands.online(opt.request(data, "online").prepared(), chosen, **run)


@click.command(cls=Command, most_used=(*opt.OF_TABLES, "n_passes", "explain", "bias_scale", "as_json"))
@opt.data_options
@opt.bias_scale_option
@opt.count_option("--n-passes", "Number of passes over the rows.  [default: until convergence]")
@opt.option("--until-convergence", "Leave out what holds for no more passes than the run makes.")
@opt.option("--explain", "State each bound: its formula, what it needs, and its source.")
@opt.option(
    "--soft C",
    "C of the soft margin that gives the Freund-Schapire bound its u.",
    "C",
    type=float,
    default=1.0,
    show_default=True,
    callback=opt.positive_number,
)
@opt.prepare_option
@opt.time_limit_option("Stop after this time, with the bounds that are proven by then.")
def bounds(data: DataOptions, *, n_passes: int | None, until_convergence: bool, **how: Any) -> int:
    """Compare the perceptron's mistakes with every bound that theory gives.

    The table has the bounds that hold, the least first, how much of each the run used, and the runs for which it holds.
    The run is the one of maxmargin perceptron: in cyclic order, and y w.x = 0 is a mistake.

    Exit 0; after Ctrl-C, which prints the bounds of the passes made so far, 130.

    Examples:
      maxmargin bounds iris --positive setosa
      maxmargin bounds data.csv --bias-scale best --explain
      maxmargin bounds data.csv --n-passes 10 --json
    """
    from maxmargin.cli.commands.bounds import bounds as command

    if n_passes is not None and until_convergence:
        raise click.UsageError("--n-passes and --until-convergence exclude each other")
    request = opt.request(data, "bounds").prepared()
    return command(request, n_passes=n_passes, until_convergence=until_convergence, **how)


@click.command(cls=Command, most_used=(*opt.OF_TABLES, "plane", "time_limit", "as_json"))
@opt.data_options
@opt.file_option(
    "--plane FILE",
    'The hyperplane w.x + b = 0 as JSON: {"w": [1, -2], "b": 0.5}, or with w as an object of numbers by the names '
    "of the columns, or what margin or perceptron print with --json; - is the standard input.",
    required=True,
)
@opt.option(
    "--g G",
    "The g of the bound ((R + D)/g)^2 on the mistakes of one pass.  [default: the one of the least bound]",
    type=float,
    callback=opt.positive_number,
)
@opt.time_limit_option("Stop the search for the maximum margin after this time.")
def judge(data: DataOptions, *, plane: Path, **question: Any) -> int:
    """Judge a given hyperplane: its margin and errors, its share of the maximum margin, and mistake bounds.

    The class +1 is on the side where w.x + b > 0. The hyperplane is compared with all hyperplanes that have a bias or,
    if b is 0, with those through the origin.

    Exit 0: it separates the classes; 3: it does not.

    Examples:
      maxmargin judge data.csv --plane plane.json
      maxmargin judge agresti --plane plane.json --g 0.5 --json
      maxmargin margin data.csv --json | maxmargin judge tomorrow.csv --plane -
    """
    from maxmargin.cli.commands.judge import judge as command
    from maxmargin.cli.commands.judge import read_plane

    document, name = read_plane(plane, data.source)
    return command(opt.request(data, "judge"), document=document, name=name, **question)


@click.command("fewest-errors", cls=Command, most_used=(*opt.OF_TABLES, "time_limit", "as_json"))
@opt.data_options
@opt.method_option(opt.FEWEST_METHODS, "How a hyperplane is proposed")
@opt.solver_options
@opt.time_limit_option("Stop after this time; half of it is for the errors.", "60 for each of the two searches")
@opt.count_option("--max-rows", "Maximum number of distinct rows that are all searched.  [default: 2000]")
def fewest_errors(data: DataOptions, **search: Any) -> int:
    """Find the fewest rows to drop so that the rest is separable, and the least total slack.

    A row on the hyperplane is an error. Both answers are proven intervals.

    Exit 0: the fewest errors are proven; 4: not within the limits. Ctrl-C prints what is proven by then, and exits with
    130.

    Examples:
      maxmargin fewest-errors xor
      maxmargin fewest-errors iris --positive versicolor --time-limit 10
      maxmargin fewest-errors data.csv --id name --json
    """
    from maxmargin.cli.commands.fewest_errors import fewest_errors as command

    return command(opt.request(data, "fewest-errors"), **search)


@click.command(cls=Command, most_used=(*opt.OF_TABLES, "time_limit", "as_json"))
@opt.data_options
@opt.time_limit_option("Stop after this time, with what is proven by then.")
def sensitivity(data: DataOptions) -> int:
    """Find the rows that hold the maximum margin, what it is without each of them, and how far rows may move.

    Exit 0: proven; 3: not strictly separable; 4: not proven.

    Examples:
      maxmargin sensitivity iris --positive setosa
      maxmargin sensitivity data.csv --id name --json
    """
    from maxmargin.cli.commands.margin import sensitivity as command

    return command(opt.request(data, "sensitivity"))
