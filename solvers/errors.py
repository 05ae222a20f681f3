"""The errors that wrong input raises, and how they name an option to a caller in Python and on the command line."""

import re

# Around an option in a message; no other text holds them once it is escaped.
MARKS = "\x01\x02"

# An option's name and value as `option` marks them.
_OPTION = re.compile("\x01([a-z_]+)=?([^\x02]*)\x02")

# On the command line without a value.
_FLAGS = ("one_hot", "drop_missing", "decimal_comma", "header")

# Options of the command line that Python spells differently.
_IN_PYTHON = {
    "one_hot_column": "one_hot=[...]", "no_header": "header=False", "no_bias": "bias=False",
    "decimal": "maxmargin.certificates.decimals.read_decimal",
}  # fmt: skip


def option(name: str, value: str = "") -> str:
    """Return how a message names an option, by its name in Python; `in_python` and `on_command_line` spell it.

    Examples
    --------
    >>> in_python(f"leave it out with {option('drop')}"), on_command_line(f"leave it out with {option('drop')}")
    ('leave it out with drop=', 'leave it out with --drop')
    >>> in_python(option("sep", "';'")), on_command_line(option("drop_missing"))
    ("sep=';'", '--drop-missing')
    """
    return f"\x01{name}={value}\x02"


def in_python(message: str) -> str:
    """Return a message with its options as arguments of a call."""

    def spelt(found: re.Match[str]) -> str:
        name, value = found.groups()
        return _IN_PYTHON.get(name) or f"{name}={value or 'True' * (name in _FLAGS)}"

    return _OPTION.sub(spelt, message)


def on_command_line(message: str) -> str:
    """Return a message with its options as options of a command."""

    def spelt(found: re.Match[str]) -> str:
        name, value = found.groups()
        return f"--{name.replace('_', '-')}{f' {value}' if value else ''}"

    return _OPTION.sub(spelt, message)


class WordedError(ValueError):
    """An error whose text names options as Python does; `on_command_line` is the same text for the command line.

    In `marked`, from which another error can be made, they are marked.
    """

    def __init__(self, message: str = "") -> None:
        super().__init__(in_python(message))
        self.marked = message
        self.on_command_line = on_command_line(message)


class InvalidProblemError(WordedError):
    """The data do not state a problem: wrong shapes, fewer than two classes, NaN, infinity.

    Parameters
    ----------
    message : str
        The text, in which options are marked: it names them as arguments in Python, and as options on the command line.

    See Also
    --------
    maxmargin.from_arrays : Check arrays, and raise this error if they do not state a problem.

    Examples
    --------
    >>> import maxmargin as mm
    >>> try:
    ...     mm.separability([[0.0], [1.0]], ["yes", "yes"])
    ... except mm.InvalidProblemError as error:
    ...     print(type(error).__name__)
    InvalidProblemError
    """


class InvalidOptionError(InvalidProblemError):
    """An option has a value that it does not take: a solver that is not installed, an unknown order, a wrong suffix."""
