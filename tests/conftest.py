"""Settings of hypothesis, and the problems with closed-form answers as parameters of tests."""

import signal
from math import ceil
from pathlib import Path
from zlib import crc32

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


def pytest_configure() -> None:
    """Let Ctrl-C raise, which a shell that starts the tests in the background switches off."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="run the first case of a quarter of the tests of each file")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With ``--quick`` keep one case of a quarter of the functions of each file, at least of one, and no slow test.

    The hash of their names chooses the functions, so there is no list to maintain when tests are added or moved.
    """
    if not config.getoption("--quick"):
        return
    first_cases: dict[Path, dict[str, pytest.Item]] = {}
    for item in items:
        if item.get_closest_marker("slow") is None:
            first_cases.setdefault(item.path, {}).setdefault(item.name.partition("[")[0], item)
    kept: set[pytest.Item] = set()
    for cases in first_cases.values():
        names = sorted(cases, key=lambda name: crc32(name.encode()))
        kept.update(cases[name] for name in names[: ceil(len(names) / 4)])
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]
