"""Calls of other packages with their warnings recorded, which become part of the message of a method."""

import warnings
from collections.abc import Callable
from typing import Any


def with_warnings(call: Callable[..., Any], *args: Any, **options: Any) -> tuple[Any, list[str]]:
    """Call a function; return its value and its warnings as text, category and message, each once.

    Examples
    --------
    >>> import warnings
    >>> with_warnings(lambda: warnings.warn("not accurate", UserWarning))
    (None, ['UserWarning: not accurate'])
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = call(*args, **options)
    texts = [f"{each.category.__name__}: {' '.join(str(each.message).split())}" for each in caught]
    return value, list(dict.fromkeys(texts))
