"""Words that say which hyperplanes are meant: w.x + b = 0, or those through the origin alone.

Without a bias "every hyperplane", "the hulls" and "the estimate" refer to hyperplanes through the origin, to the hull
of the y x and to models without an intercept, and may be false of others: {10: -, 12: +} overlaps through the origin,
and x = 11 separates it. Sentences of this kind are made from `bias`; None stands for words that are true of both.
"""

_THROUGH = {True: "", False: " through the origin", None: " of the kind asked about"}


def through(bias: bool | None) -> str:
    """Return " through the origin" if there is no bias, to follow a noun; else nothing."""
    return _THROUGH[bias]


def without_intercepts(bias: bool) -> str:
    """Return " without intercepts" if there is no bias, to follow the scores of several classes; else nothing."""
    return "" if bias else " without intercepts"


def intercept(bias: bool) -> str:
    """Return " with an intercept" or " without an intercept", to follow the name of a model."""
    return " with an intercept" if bias else " without an intercept"
