"""What verdicts and statuses mean, in words: of hyperplanes w.x + b = 0, and of those through the origin alone.

Without a bias "every hyperplane", "the hulls" and "the estimate" are said of hyperplanes through the origin, of the
hull of the y x and of models without an intercept, and may be false of others: {10: -, 12: +} overlaps through the
origin, and x = 11 separates it. Sentences of this kind are made here, from `bias`; None is for words that hold of both.
"""

_THROUGH = {True: "", False: " through the origin", None: " of the kind asked about"}

_INTERCEPT = {True: " with an intercept", False: " without an intercept"}

_VERDICTS = {
    "separable": "some hyperplane{through} has every row strictly on its side",
    "quasi-separable": "some hyperplane{through} has no row on the wrong side, but every such one touches rows",
    "overlap": "every hyperplane{through} has a row on the wrong side, but for those that contain all rows",
    "undecided": "no proof was found; nothing is claimed",
}

_STATUSES = {
    "optimal": "the interval [lower, upper] is proven and as narrow as asked",
    "limit": "stopped at a limit; the interval is proven but wider than asked: raise it or try another solver",
    "numerical": "no solver was as accurate as asked; the interval is proven but wide: try centred or scaled data",
    "undecided": "it is not proven whether the data are separable{through}; the interval still holds",
}

_HULLS = {
    ("quasi-separable", True): "the two hulls touch",
    ("overlap", True): "the two hulls overlap",
    ("not-strictly-separable", True): "the two hulls share a point",
    ("quasi-separable", False): "the origin lies on the boundary of the hull of the rows y x",
    ("overlap", False): "the origin lies inside the hull of the rows y x",
    ("not-strictly-separable", False): "the origin lies in the hull of the rows y x",
}


def through(bias: bool) -> str:
    """Return " through the origin" where there is no bias, to follow a noun; else nothing."""
    return _THROUGH[bias]


def without_intercepts(bias: bool) -> str:
    """Return " without intercepts" where there is no bias, to follow the scores of several classes; else nothing."""
    return "" if bias else " without intercepts"


def intercept(bias: bool) -> str:
    """Return " with an intercept" or " without an intercept", to follow the name of a model."""
    return _INTERCEPT[bias]


def verdict_meaning(verdict: str, *, bias: bool | None) -> str:
    """Return what a verdict on two classes means, in one sentence.

    Examples
    --------
    >>> verdict_meaning("overlap", bias=False)
    'every hyperplane through the origin has a row on the wrong side, but for those that contain all rows'
    """
    return _VERDICTS[verdict].format(through=_THROUGH[bias])


def status_meaning(status: str, *, bias: bool | None) -> str:
    """Return what a status means and what to do, in one sentence.

    Examples
    --------
    >>> status_meaning("overlap", bias=True)
    'proven: the two hulls overlap, so the maximum margin is 0'
    """
    if status in _STATUSES:
        return _STATUSES[status].format(through=_THROUGH[bias] if bias is not None else "")
    if bias is None:
        return "proven: no hyperplane of the kind asked about separates strictly, so the maximum margin is 0"
    return f"proven: {_HULLS[status, bias]}, so the maximum margin{_THROUGH[bias]} is 0"
