"""An option has one name and one default, on the command line and in Python, except where this page says why not."""

import inspect
from collections.abc import Callable
from typing import Any

import click
from cases import for_each

import maxmargin as mm
from maxmargin.cli.app import app

# The verb that answers the question of a command.
VERBS: dict[str, Callable[..., Any]] = {
    "check": mm.separability, "margin": mm.hard_margin, "margin --soft": mm.soft_margin_path,
    "bounds": mm.mistake_bounds, "fewest-errors": mm.fewest_errors, "orders": mm.order_study,
    "report": mm.margin_report,
}  # fmt: skip
SAME_NAME = ("perceptron", "online", "judge", "sensitivity", "trust", "compare", "generate", "verify")
VERBS |= {name: getattr(mm, name) for name in SAME_NAME}

# Options whose parameter has another name.
SPELT = {
    "seed": "rng",  # a generator has no name on the command line
    "no_bias": "bias",  # a flag is off by default
    "quiet": "verbose",  # a command shows its progress, a function is silent
    "algorithms": "algorithm",  # several of them make a table
    "output": "out",
    "plane": "w",
    "family": "name",
    "proof": "certificate",
}

# Options that are arguments of `load` and `prepare`, which in Python come before the verb.
READING = {
    *("label", "formula", "drop", "id", "one_hot", "one_hot_column", "drop_missing", "sep", "decimal_comma", "format"),
    *("header", "missing", "memory", "decimal", "prepare"),
}

# Options that other verbs, or the answers, have in Python.
OF_COMMANDS = {
    *("as_json", "force", "as_list", "explain"),  # how an answer is printed, which functions return
    # written from answers
    *("proof", "figures", "output", "script", "names", "trace", "trace_mistakes", "trace_limit", "diff", "dry_run"),
    *("require", "min_margin", "max_errors", "reuse", "columns"),  # `require`, and what answers find when asked
    *("shifts", "scales"),  # `translation_study`, `scale_study`
    "until_convergence",  # n_passes=None
    "parameters",  # **parameters
    "Cs",  # several C are `soft_margin_path`
    "class_weight",  # of the soft margin
    "exact",  # of the hard margin
    "exact_limit",
}

# The data themselves.
DATA = {"source", "sources", "X", "y", "dataset"}

# Parameters that the command line lacks.
OF_PYTHON = {
    *("b", "model"),  # beside w, where the command has a file
    *("sample_weight", "on_progress", "run"),  # objects
    "loss",  # of the soft margin: the command has the hinge
    "max_states",  # a matter of seconds for tiny data
    *("weights", "trials", "strata", "status", "entry"),  # of verify, to which the proof names them
}

# Options of one command that its verb lacks, and why.
EXCUSED = {
    ("generate", "quiet"): "only notes which files were written",
    ("trust", "no_bias"): "among the options of all data; refused, as the solvers are asked for a bias",
}

# Verbs whose work is limited on the command line, if at all, by a signal, which only the main thread can get.
WITHOUT_TIME_LIMIT = {"generate": "not interrupted", "verify": "as well"}

# Defaults that look different, and why.
DEFAULTS = {
    ("perceptron", "rng"): "a command repeats itself, a function draws new orders, as functions of SciPy do",
    ("online", "rng"): "likewise",
    ("bounds", "n_passes"): "the passes of the run, which the command shows",
    ("online", "algorithm"): "averaged, where none is named",
    ("judge", "bias"): "None: a plane with b = 0 is compared with planes through the origin; likewise for the command",
    ("fewest-errors", "time_limit"): "none is 60 s for each of two searches; in Python there is one",
    ("fewest-errors", "max_rows"): "None is 2,000 rows, as the help says",
    ("margin --soft", "Cs"): "none, where the question is the maximum margin",
    ("generate", "seed"): "None is the seed in the name, or 0, as the help says",
}


def options_of(command: str) -> dict[str, click.Parameter]:
    return {str(option.name): option for option in app.commands[command.partition(" ")[0]].params}


def spelt(name: str, parameters: Any) -> str:
    other = SPELT.get(name, name)
    return other if other in parameters else name


def plain(value: Any) -> Any:
    """A default as both sides mean it."""
    if isinstance(value, str):
        try:
            return float(value)
        except ValueError:
            return value
    is_unset = value is inspect.Parameter.empty or (isinstance(value, tuple) and not value) or "UNSET" in repr(value)
    return None if is_unset else value


def default_in_python(parameter: inspect.Parameter) -> Any:
    """The default of a parameter; the bias is there unless a formula decides, which the command does likewise."""
    return True if parameter.name == "bias" and parameter.default is None else plain(parameter.default)


def default_of(option: click.Parameter) -> Any:
    value = plain(option.get_default(click.Context(app), call=False))
    return not value if option.name in ("no_bias",) else value


@for_each("command", VERBS)
def test_options_are_parameters(command: str) -> None:
    parameters = inspect.signature(VERBS[command]).parameters
    names = {spelt(name, parameters) for name in options_of(command)}
    excused = {name for excused_command, name in EXCUSED if excused_command == command}
    if command in WITHOUT_TIME_LIMIT:
        excused.add("time_limit")
    assert names - set(parameters) - READING - OF_COMMANDS - DATA - excused == set()
    lacking = {name for name, one in parameters.items() if one.kind is not one.VAR_KEYWORD} - names
    assert lacking - OF_PYTHON - DATA == set()


@for_each("command", VERBS)
def test_defaults_are_the_same(command: str) -> None:
    parameters = inspect.signature(VERBS[command]).parameters
    for name, option in options_of(command).items():
        parameter = spelt(name, parameters)
        if parameter in parameters and name != "quiet" and (command, parameter) not in DEFAULTS:
            assert default_of(option) == default_in_python(parameters[parameter]), name


@for_each("command", sorted(app.commands))
def test_what_can_take_long_has_a_time_limit(command: str) -> None:
    if command in ("completion", "schema"):
        return
    assert "time_limit" in options_of(command)
    verb = inspect.signature(VERBS[command]).parameters
    assert ("time_limit" in verb) != (command in WITHOUT_TIME_LIMIT)


def test_exceptions_are_of_use() -> None:
    """What this page excuses still exists."""
    options = {name for command in VERBS for name in options_of(command)}
    parameters = {name for verb in VERBS.values() for name in inspect.signature(verb).parameters}
    assert set(SPELT) <= options and set(SPELT.values()) <= parameters
    assert options >= READING | OF_COMMANDS
    assert parameters >= OF_PYTHON
    assert all(name in inspect.signature(VERBS[command]).parameters for command, name in DEFAULTS)
