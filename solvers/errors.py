"""The errors that wrong input raises."""


class InvalidProblemError(ValueError):
    """The data do not state a problem: wrong shapes, fewer than two classes, NaN, infinity."""


class InvalidOptionError(InvalidProblemError):
    """An option has a value that it does not take: a solver that is not installed, an unknown order, a wrong suffix."""
