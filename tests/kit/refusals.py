"""Input that is refused."""

from collections.abc import Callable
from typing import Any

import pytest

from maxmargin.solvers.errors import InvalidProblemError
from maxmargin.text.data_error import DataError


def refused(call: Callable[[], Any]) -> str:
    """Return the one line with which a call refuses its data."""
    with pytest.raises((InvalidProblemError, DataError)) as caught:
        call()
    assert "\n" not in str(caught.value)
    return str(caught.value)
