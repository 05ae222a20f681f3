"""Settings of hypothesis, which cases are slow, and the problems with closed-form answers as parameters of tests."""

import os
import signal
from collections import defaultdict
from collections.abc import Iterator
from math import ceil
from pathlib import Path
from zlib import crc32

import pytest
from cases import day
from hypothesis import settings
from zoo import INSEPARABLE, SEPARABLE, Known

from maxmargin.cli import options

# Tests run side by side on shared machines, and compiled code is compiled on first use: no test is about time.
settings.register_profile("fast", deadline=None, max_examples=25)
settings.register_profile("slow", deadline=None, max_examples=int(os.environ.get("MAXMARGIN_EXAMPLES", "800")))

# One in so many slow cases is run, others every day.
SHARE = int(os.environ.get("MAXMARGIN_SHARE", "1"))

# Seconds of processor time: a case above the first is printed by CI if it is not marked slow, one above the second
# fails. The first case that needs a package pays for its import, some seconds where nothing is in memory yet.
SLOW_CASE, SLOWEST_CASE = 2.0, 10.0


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


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--quick", action="store_true", help="run the first case of a quarter of the tests of each file")
    parser.addoption("--processor-time", action="store_true", help="fail if a case that is not slow takes over 10 s")


def pytest_configure(config: pytest.Config) -> None:
    """Choose the number of examples, and let Ctrl-C raise, which a shell switches off for tests in the background."""
    settings.load_profile("slow" if config.getoption("markexpr") == "slow" else "fast")
    os.environ["COLUMNS"] = "1000"  # tests look for sentences, which a narrow terminal breaks
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if config.getoption("--processor-time"):
        config.pluginmanager.register(ProcessorTime(), "processor time")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark slow cases, and with ``--quick`` keep one case of a quarter of the functions of each file, and no slow one.

    A test of hypothesis that is marked ``deep`` is run by the slow suite too, with more examples.
    Of a test that is marked ``sampled`` one case in ten is not slow, or the first n where the mark says n. The hash of
    the names chooses the cases, and the functions of ``--quick``, so there is no list to maintain when tests are added
    or moved.
    """
    sampled: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if config.getoption("markexpr") == "slow" and item.get_closest_marker("deep"):
            item.add_marker("slow")
        if item.get_closest_marker("sampled") and not item.get_closest_marker("slow"):
            sampled[item.nodeid.partition("[")[0]].append(item)
    for cases in sampled.values():
        mark = cases[0].get_closest_marker("sampled")
        if not mark or not mark.args:
            cases.sort(key=_number)
        for item in cases[mark.args[0] if mark and mark.args else ceil(len(cases) / 10) :]:
            item.add_marker("slow")
    if config.getoption("--quick"):
        _keep_a_quarter(config, items)
    if SHARE > 1:
        _keep_those_of_today(config, items)


def _keep_those_of_today(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out all slow cases but a share, and others every day."""
    left_out = [item for item in items if item.get_closest_marker("slow") and (_number(item) + day()) % SHARE]
    config.hook.pytest_deselected(items=left_out)
    kept = {*items}.difference(left_out)
    items[:] = [item for item in items if item in kept]


def _number(item: pytest.Item) -> int:
    return crc32(item.nodeid.encode())


def _keep_a_quarter(config: pytest.Config, items: list[pytest.Item]) -> None:
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


class ProcessorTime:
    """Measures every case, with its fixtures and the processes that it starts, but without compiling kernels.

    Kernels are compiled once on a machine, by the case that happens to call them first.
    """

    def __init__(self) -> None:
        from numba.core import event

        self._compiling = event.TimingListener()
        event.register("numba:compile", self._compiling)
        self._start, self._found = 0.0, dict[str, float]()

    def _seconds(self) -> float:
        compiling = self._compiling.duration if self._compiling.done else 0.0
        return sum(os.times()[:4]) - compiling

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_setup(self) -> Iterator[None]:
        self._start = self._seconds()
        return (yield)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_teardown(self, item: pytest.Item) -> Iterator[None]:
        try:
            return (yield)
        finally:
            item.user_properties.append(("processor time", self._seconds() - self._start))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Take the time from the report, which pytest-xdist sends to the process that prints."""
        seconds = dict(report.user_properties).get("processor time", 0.0)
        if report.when == "teardown" and seconds > SLOW_CASE and "slow" not in report.keywords:
            self._found[report.nodeid] = seconds

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self._found:
            terminalreporter.section(
                f"cases above {SLOW_CASE:g} s of processor time, to be marked slow above {SLOWEST_CASE:g}"
            )
            for name, seconds in sorted(self._found.items(), key=lambda entry: -entry[1]):
                terminalreporter.line(f"{seconds:6.1f} s  {name}")

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if session.exitstatus == pytest.ExitCode.OK and max(self._found.values(), default=0.0) > SLOWEST_CASE:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED


@pytest.fixture(scope="session", autouse=True)
def any_memory() -> None:
    """Have the command line take any --memory, so that the small data of tests stay on disk as large ones do."""
    options.LEAST_MEMORY = 1
