"""Settings of hypothesis, and the problems with closed-form answers as parameters of tests."""

import pytest
from hypothesis import settings
from zoo import INSEPARABLE, SEPARABLE, Known

# Tests run side by side on shared machines, and compiled code is compiled on first use: no test is about time.
settings.register_profile("without deadlines", deadline=None)
settings.load_profile("without deadlines")


@pytest.fixture(params=SEPARABLE, ids=lambda known: known.name)
def separable(request: pytest.FixtureRequest) -> Known:
    """A strictly separable problem of known maximum margin."""
    return request.param


@pytest.fixture(params=INSEPARABLE, ids=lambda known: known.name)
def inseparable(request: pytest.FixtureRequest) -> Known:
    """A problem that is not strictly separable."""
    return request.param


@pytest.fixture(params=SEPARABLE + INSEPARABLE, ids=lambda known: known.name)
def known(request: pytest.FixtureRequest) -> Known:
    """A problem of known maximum margin."""
    return request.param
