"""Checks of values that a caller gives for options, whatever their type."""

from collections.abc import Iterable
from numbers import Integral, Real

from maxmargin.solvers.errors import InvalidOptionError


def whole_number(name: str, value: object, least: int = 1, *, otherwise: str = "") -> int:
    """Return the value of an option as a Python integer, in which later arithmetic cannot overflow.

    Parameters
    ----------
    name : str
        The name of the option.
    value : object
        The value; no truth value, though these are integers in Python.
    least : int
        Smallest number that is accepted.
    otherwise : str
        The end of the message, such as ", or None".

    Raises
    ------
    InvalidOptionError
        If the value is not a whole number, or is less than `least`.

    Examples
    --------
    >>> whole_number("n_orders", 20)
    20
    """
    if isinstance(value, bool) or not isinstance(value, Integral) or int(value) < least:
        raise InvalidOptionError(f"{name} is {value!r}; expected a whole number from {least}{otherwise}")
    return int(value)


def check_choice(name: str, value: object, choices: Iterable[str]) -> None:
    """Raise `InvalidOptionError` unless the value of an option is one of the choices."""
    if value not in list(choices):
        raise InvalidOptionError(f"{name} is {value!r}; expected one of {', '.join(choices)}")


def check_limits(**limits: object) -> None:
    """Raise `InvalidOptionError` unless every limit is a whole number from 1, or None."""
    for name, limit in limits.items():
        if limit is not None:
            whole_number(name, limit, otherwise=", or None")


def check_time_limit(seconds: object) -> None:
    """Raise `InvalidOptionError` unless the limit is a positive number of seconds, or None."""
    if seconds is not None and not (isinstance(seconds, Real) and float(seconds) > 0):
        raise InvalidOptionError(f"time_limit is {seconds!r}; expected a positive number of seconds, or None")
