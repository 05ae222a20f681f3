"""Commands as click knows them, with a short help and a full one, and options that take several numbers."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from inspect import cleandoc
from typing import Any

import click

# Environment variable with which a shell asks how a command line goes on.
ASKS_TO_COMPLETE = "_MAXMARGIN_COMPLETE"

# The commands in the order in which they are listed; all others come last.
GROUPS = {
    "Start here": ("check", "margin", "verify", "report"),
    "The perceptron and its theory": (
        "perceptron",
        "online",
        "bounds",
        "orders",
        "judge",
        "sensitivity",
        "fewest-errors",
    ),
    "Research": ("compare", "trust"),
}

_OTHERS = "Data and others"

_DATA = {
    *("label", "positive", "drop", "id", "one_hot", "one_hot_column", "drop_missing", "prepare"),
    *("sep", "decimal_comma", "header", "missing", "format"),
}
_LIMITS = {
    *("time_limit", "memory", "exact_limit", "max_epochs", "max_mistakes", "max_updates", "max_rows", "trace_limit"),
    *("jobs", "n_orders", "n_search", "n_sequence"),
}
_OUTPUT = {
    *("as_json", "quiet", "output", "proof", "figures", "trace", "trace_mistakes", "force", "as_list", "dry_run"),
    "diff",
}

_QUESTION = "Question"

# Beginning of the last part of a command's docstring, which its help prints below the options.
EXAMPLES = "\n\nExamples:\n"

# The options of the full help by their names in Python; all others are about the question.
SECTIONS = {"Data": _DATA, "Limits": _LIMITS, "Output": _OUTPUT}


_SOURCE = "SOURCE is a file, a bundled or generated data set such as iris or xor, or - for CSV on the standard input."


def _text_and_examples(help: str) -> tuple[str, str]:
    """Return the text of a docstring as help, and its examples as epilog; what is indented stays line by line."""
    text, title, examples = cleandoc(help).partition(EXAMPLES)
    return text, re.sub(r"\n\n(?=.*\n  )", "\n\n\b\n", f"{title}{examples}")


class Commands(click.Group):
    """The commands of maxmargin, listed in groups."""

    def __init__(self, name: str | None = None, *, help: str, **described: Any) -> None:
        text, examples = _text_and_examples(help)
        super().__init__(name, help=text, epilog=examples, **described)

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands in the order of the groups."""
        return [name for _, names in self.grouped() for name in names]

    def grouped(self) -> Iterator[tuple[str, list[str]]]:
        """Yield every group with the names of its commands."""
        for title, names in GROUPS.items():
            yield title, [name for name in names if name in self.commands]
        listed = {name for names in GROUPS.values() for name in names}
        yield _OTHERS, [name for name in self.commands if name not in listed]

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the commands, each with one line."""
        width = max(map(len, self.commands))
        for title, names in self.grouped():
            with formatter.section(title):
                summaries = (self.commands[name].get_short_help_str(limit=1000) for name in names)
                rows = zip(names, summaries, strict=True)
                formatter.write_dl([(name.ljust(width), summary) for name, summary in rows])


class Command(click.Command):
    """A command that ``-h`` explains in short, and ``--help`` with all its options in sections.

    Parameters
    ----------
    most_used : sequence of str
        The options that the short help shows, by their names in Python.
    """

    def __init__(self, name: str | None = None, *, help: str, most_used: Sequence[str] = (), **described: Any) -> None:
        text, examples = _text_and_examples(help)
        super().__init__(name, help=text, epilog=examples, **described)
        self.most_used = most_used
        self._short_help_option = click.Option(
            ["-h"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_print_short_help,
            help="Show the short help and exit.",
        )

    def get_help_option_names(self, ctx: click.Context) -> list[str]:
        """Return the name of the option that prints the full help."""
        return ["--help"]

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Return all parameters, with both options that print help."""
        return [*super().get_params(ctx), self._short_help_option]

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the arguments, where some options take all numbers that follow them, and most are given once."""
        names = {name for option in self.params if isinstance(option, SeveralNumbers) for name in option.opts}
        args = _repeated(args, names)
        if not ctx.resilient_parsing:
            for option, times in Counter(self.make_parser(ctx).parse_args(list(args))[2]).items():
                if isinstance(option, click.Option) and times > 1 and not (option.multiple or option.is_flag):
                    raise click.UsageError(f"{option.opts[0]} is given {times} times; expected once")
        return super().parse_args(ctx, args)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options in their sections."""
        every = self.get_params(ctx)
        for title in ("Data", _QUESTION, "Limits", "Output"):
            inside = [option for option in every if _section(option) == title]
            self._write_options(ctx, formatter, title, inside)

    def short_help_text(self, ctx: click.Context) -> str:
        """Return usage, summary, the most used options, one example, and the exit codes."""
        formatter, paragraphs = ctx.make_formatter(), cleandoc(self.help or "").split("\n\n")
        has_source = any(parameter.name in ("source", "sources") for parameter in self.params)
        self.format_usage(ctx, formatter)
        self._write_text(formatter, paragraphs[0], *([_SOURCE] if has_source else []))
        by_name = {parameter.name: parameter for parameter in self.params}
        self._write_options(ctx, formatter, "Options", [by_name[name] for name in self.most_used])
        self._write_text(formatter, *(paragraph for paragraph in paragraphs if paragraph.startswith("Exit ")))
        example = next((line for line in (self.epilog or "").splitlines() if "maxmargin " in line), "")
        formatter.write(f"\nExample: {example.strip()}\n")
        formatter.write(f"\n{ctx.command_path} --help explains all options.\n")
        return formatter.getvalue().rstrip("\n")

    def _write_text(self, formatter: click.HelpFormatter, *paragraphs: str) -> None:
        for paragraph in paragraphs:
            formatter.write_paragraph()
            with formatter.indentation():
                formatter.write_text(paragraph)

    def _write_options(
        self, ctx: click.Context, formatter: click.HelpFormatter, title: str, options: Sequence[click.Parameter]
    ) -> None:
        records = (option.get_help_record(ctx) for option in options if isinstance(option, click.Option))
        rows = [record for record in records if record is not None]
        if rows:
            with formatter.section(title):
                formatter.write_dl(rows)


def _section(option: click.Parameter) -> str:
    """Return the section of an option; those that print help have no value, and are among the last."""
    otherwise = _QUESTION if option.expose_value else "Output"
    return next((title for title, names in SECTIONS.items() if option.name in names), otherwise)


class SeveralNumbers(click.Option):
    """An option that takes all numbers that follow it: ``--soft 0.1 1 10`` is ``--soft 0.1 --soft 1 --soft 10``."""


def _repeated(arguments: Sequence[str], names: set[str]) -> list[str]:
    """Repeat such an option before each of the numbers that follow its first value."""
    found: list[str] = []
    option: str | None = None
    left = iter(arguments)
    for argument in left:
        if argument == "--":
            return [*found, argument, *left]
        if option is not None and _is_number(argument):
            found += [option, argument]
            continue
        name, equals, _ = argument.partition("=")
        option = name if name in names else None
        found.append(argument)
        if option is not None and not equals:
            found += [value for value in [next(left, None)] if value is not None]
    return found


def _is_number(text: str) -> bool:
    with suppress(ValueError):
        float(text)
        return True
    return False


def _print_short_help(ctx: click.Context, _option: click.Parameter, is_asked: bool) -> None:
    if is_asked and not ctx.resilient_parsing:
        assert isinstance(ctx.command, Command)
        click.echo(ctx.command.short_help_text(ctx))
        ctx.exit()
