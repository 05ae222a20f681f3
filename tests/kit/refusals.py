"""Input that is refused."""

from collections.abc import Callable
from typing import Any

import pytest

import maxmargin as mm


def refused(call: Callable[[], Any]) -> str:
    """Return the one line with which a call refuses its data."""
    with pytest.raises((mm.InvalidProblemError, mm.DataError)) as caught:
        call()
    assert "\n" not in str(caught.value)
    return str(caught.value)
