"""The errors that wrong input raises."""


class InvalidProblemError(ValueError):
    """The data do not state a problem: wrong shapes, fewer than two classes, NaN, infinity."""
