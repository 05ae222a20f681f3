"""The commands that put methods and solvers side by side."""

from pathlib import Path
from typing import Any

import click

from maxmargin.cli import options as opt
from maxmargin.cli.click_classes import Command
from maxmargin.cli.data_options import DataOptions


@click.command(cls=Command, most_used=("output", "jobs", "dry_run", "diff"))
@click.argument("study", type=click.Path(path_type=Path))
@opt.file_option("--output FOLDER", "Folder of the records and of the report.", "-o", required=True)
@opt.count_option("--jobs", "Number of cells that run at the same time; ratios of times need 1.", default=1)
@opt.option("--shard I/N", "Run only the I-th of N parts of the cells, 1/N to N/N.")
@opt.option("--cluster ADDRESS", "Run the cells on the workers of this Dask scheduler.")
@opt.file_option("--merge FOLDER ...", "Take over the records of this folder; may be repeated.")
@opt.file_option("--diff FOLDER", "Report what changed since the comparison in this folder.")
@opt.seconds_option("Begin no more cells after this time; the same command goes on with them.")
@opt.option("--dry-run", "Run nothing; print the cells that are to be run and what they cost.")
@opt.json_option
@opt.option("--quiet", "No notes and no progress on stderr.", "-q")
def compare(**options: Any) -> int:
    """Run the methods of STUDY, a TOML file, on its data in its orders, and judge every answer by proof.

    Every cell, one run of a method, is written to FOLDER/cells.sqlite when it ends, and the same command goes on where
    it was stopped. Cells that ran into a limit run again if the limit is raised.

    Exit 0: every cell has a record; 4: some have none, as after --dry-run.

    Examples:
      maxmargin compare study.toml -o results --jobs 4
      maxmargin compare study.toml -o results --dry-run
      maxmargin compare study.toml -o results-2 --shard 2/8
      maxmargin compare study.toml -o results --merge results-1 --merge results-2
      maxmargin compare study.toml -o results --diff results-of-last-year

    A study, where lists are grids:
      schema = 1
      seeds = [0, 1]
      orders = ["source", "random"]
      prepare = ["raw", "standardize"]
      limit = {seconds = 60, memory = "2GiB"}
      [[data]]
      source = ["wine", "odd-max-bit:8"]
      [[method]]
      name = "perceptron"
      max_mistakes = 100000
      [[method]]
      name = "sklearn.LinearSVC"
      C = [1, 1e6]
    """
    from maxmargin.cli.commands.compare import compare as command

    return command(**options)


@click.command(cls=Command, most_used=(*opt.OF_TABLES, "output", "methods", "time_limit", "as_json"))
@opt.data_options
@opt.file_option("--output FILE", "Write the report as a page: .html, .md or .json.", "-o")
@opt.file_option("--script FILE", "Write a script that gives the false and the missing answers again.")
@opt.force_option
@opt.seconds_option("Limit for each solver.", default=10.0)
@opt.seconds_option("Limit for all solvers together.", "--total-time-limit")
@opt.option("--gaps", "Ask every solver about 20 generated data sets with known gaps, too.")
@opt.count_option("--jobs", "Number of solvers that run at the same time.", default=1)
@opt.option("--method NAME ...", "Ask only this one; may be repeated.", "methods")
def trust(data: DataOptions, *, force: bool, **question: Any) -> int:
    """Ask every installed solver about SOURCE, and compare what it claims with what is proven.

    Solvers of cvxpy, scikit-learn, statsmodels, z3 and the tolerance tests of other packages; then the units in which a
    tolerance turns the verdict around and, with --gaps, the smallest planted gap that each solver still gets right. The
    file of --script is a command for the shell that gives the wrong answers again, without maxmargin.

    Exit 0: no claim was false; 3: some were; 4: no solver was asked within the limit.

    Examples:
      maxmargin trust breast_cancer --jobs 2
      maxmargin trust breast_cancer -o trust.html
      maxmargin trust data.csv --method cvxpy.CLARABEL --method sklearn.SVC
      maxmargin trust data.csv --total-time-limit 60 --json
    """
    from maxmargin.cli.commands.trust import trust as command

    opt.check_outputs(data, question["output"], question["script"], force=force, rewritten=opt.REPORTS)
    return command(opt.request(data, "trust"), **question)
