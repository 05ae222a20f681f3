"""Calls of other packages, whose warnings become part of the answer."""

import warnings
from collections.abc import Callable
from typing import Any


def heard(call: Callable[..., Any], *args: Any, **options: Any) -> tuple[Any, list[str]]:
    """Return what a function returns, and its warnings as text: the category and the message, each once.

    Examples
    --------
    >>> import warnings
    >>> heard(lambda: warnings.warn("not accurate", UserWarning))
    (None, ['UserWarning: not accurate'])
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = call(*args, **options)
    texts = [f"{each.category.__name__}: {' '.join(str(each.message).split())}" for each in caught]
    return value, list(dict.fromkeys(texts))
